/* SPDX-License-Identifier: MIT */
/* From the options of a study of basins to its numbers: axes, compared quantities, sampling times,
 * scales.
 *
 * Scales: of a periodic coordinate, its period; of others the range of a motion in its first
 * samples, the median of some motions; of an axis at least its range. The time between samples,
 * where neither an excitation nor the user gives it: the median of the times in which motions
 * move by a tenth of the scales, and not more than three steps of the method. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/philox.h"
#include "base/tolerance.h"
#include "basin.h"
#include "mech/equations/variants.h"
#include "zwang/claims.h"
#include "zwang/equations.h"

/* integration steps per sample, at most: fewer samples would miss fast turns */
#define STEPS_PER_SAMPLE 3
#define LEAVING_DISTANCE 1000 /* in scales: beyond it a motion leaves, if the user gives no box */
/* absolute tolerance, relative to `close` times the scale: errors stay below what is compared */
#define ATOL_RATIO 0.01
/* below it the absolute tolerance has no effect: quantities in SI units are larger */
#define SMALLEST_ATOL 1e-20
/* [s] of the sampling times that grow by half from here: shorter than any time scale of a
 * mechanical model */
#define FIRST_INTERVAL 1e-9
/* of a quantity without a scale, in its SI unit: used only to choose the time between samples */
#define SMALLEST_SIZE 1e-3
#define MOST_STARTS 2e8    /* starts: label and time take 12 bytes each, 2.4 GB */
#define LARGEST_CLOSE 1e-3 /* in scales: attractors closer than some times this count as one */
#define DEFAULT_CLOSE 1e-6 /* in scales: the accuracy to which motions are integrated for it */
#define DEFAULT_CELL 0.01  /* of the scales */
#define MOVED 0.1          /* of the scale: a motion that has gone so far has moved */
#define LARGEST_CELL 0.25  /* of the scales: with larger ones everything is recurrent */
enum {
    PILOTS = 24,        /* motions whose median gives a scale */
    PILOT_SAMPLES = 50, /* samples of such a motion */
    USE_PILOT = 3,
    /* sampling times that grow by half from FIRST_INTERVAL on, up to 1e5 s */
    GROWING_INTERVALS = 80,
    POINTS = 100, /* default number of starts of an axis */
    /* default number of samples of a motion, with an excitation or a section */
    SAMPLES_DRIVEN = 20000,
    SAMPLES_FREE = 200000 /* and without */
};

void zw_basin_options_init(zw_basin_options *out, size_t size, size_t run_size) {
    zw_basin_options o = {.size = size,
                          .cell = DEFAULT_CELL,
                          .close = DEFAULT_CLOSE,
                          .period_max = 64,
                          .looks = 0,
                          .longer = 10,
                          .check = 100,
                          .seed = 1};
    zw_run_options_init(&o.run, run_size);
    memset(out, 0, size);
    memcpy(out, &o, size < sizeof o ? size : sizeof o);
}

static zw_status reject_option(zw_error *err, zw_status status, const char *what, const char *name,
                               const char *hint) {
    zw_fail(err, status, what, name);
    zw_error_hint(err, "%s", hint);
    return status;
}

/* ---- names ---- */

static const char *state_name(const zw_system *s, int i) {
    return i < s->nq ? s->coord[i].name : s->velocity[i - s->nq].name;
}

static const char *state_unit(const zw_system *s, int i) {
    return i < s->nq ? s->coord[i].unit : s->velocity[i - s->nq].unit;
}

static int find_state(const zw_system *s, const char *name) {
    for (int i = 0; i < s->nq + s->nv; i++)
        if (strcmp(state_name(s, i), name) == 0)
            return i;
    return -1;
}

/* Errors of ranges name --over. */
static zw_status read_range(zw_basin *b, const char *option, const char *text,
                            zw_parameter_range *out, zw_error *err) {
    zw_error own = {0};
    zw_status status = zw_parameter_range_read(out, b->sys, text, &own);
    if (status >= 0)
        return ZW_OK;
    const char *rest = strncmp(own.text, "--over", 6) == 0 ? own.text + 6 : own.text;
    zw_fail(err, status, "--%s%s%.400s", option, rest == own.text ? ": " : "", rest);
    zw_error_hint(err, "--%s \"x=-2:2:400\": from, to, and how many", option);
    return status;
}

static zw_status read_axis(zw_basin *b, const char *text, zw_basin_axis *a, zw_error *err) {
    ZW_TRY(read_range(b, "start", text, &a->range, err));
    a->parameter = a->range.parameter;
    a->state = a->parameter >= 0 ? -1 : find_state(b->sys, a->range.name);
    a->n = a->range.rows ? a->range.rows : POINTS;
    if (a->parameter < 0 && a->state < 0)
        return reject_option(err, ZW_E_NAME,
                             "--start %s: it is neither a coordinate or velocity nor a parameter",
                             a->range.name, "starts are given by what the state is made of");
    for (int i = 0; i < b->naxis; i++)
        if (b->axis[i].state == a->state && b->axis[i].parameter == a->parameter)
            return zw_fail(err, ZW_E_OPTION, "--start %s: it is given twice", a->range.name);
    b->by_kind = b->by_kind || a->parameter >= 0;
    b->naxis++;
    return ZW_OK;
}

static zw_status read_axes(zw_basin *b, zw_error *err) {
    const zw_basin_options *o = &b->options;
    if (o->naxis == 0)
        return reject_option(err, ZW_E_OPTION, "there is no range of starts%s", "",
                             "--start x=-2:2:100 --start \"x'=-2:2:100\"");
    if (o->naxis > ZW_BASIN_AXES)
        return zw_fail(err, ZW_E_OPTION, "more than %d ranges of starts", ZW_BASIN_AXES);
    for (int i = 0; i < o->naxis; i++)
        ZW_TRY(read_axis(b, o->axis[i], &b->axis[i], err));
    double n = 1;
    for (int i = 0; i < b->naxis; i++)
        n *= b->axis[i].n;
    n = o->samples ? (double)o->samples : n;
    if (n > MOST_STARTS)
        return zw_fail(err, ZW_E_OPTION, "%.3g starts are more than 2e8, which one study takes", n);
    b->n = (uint64_t)n;
    return ZW_OK;
}

static zw_status read_over(zw_basin *b, zw_error *err) {
    if (!b->options.over)
        return ZW_OK;
    ZW_TRY(read_range(b, "over", b->options.over, &b->over, err));
    if (b->over.parameter < 0)
        return reject_option(err, ZW_E_OPTION, "--over %s: it is not a parameter", b->over.name,
                             "what the state begins with is an axis: --start");
    for (int i = 0; i < b->naxis; i++)
        if (b->axis[i].parameter == b->over.parameter)
            return zw_fail(err, ZW_E_OPTION, "--over %s: it is an axis already", b->over.name);
    if (!b->over.rows)
        b->over.rows = 11;
    return ZW_OK;
}

/* ---- what is compared ---- */

static double period_of(const zw_basin *b, int state) {
    const zw_system *s = b->sys;
    if (state < 0 || state >= s->nq || !s->coord[state].period)
        return 0;
    zw_expr *sym = zw_context_alloc(b->ctx, sizeof *sym * (size_t)(s->np + 1));
    for (int i = 0; i < s->np && sym; i++)
        sym[i] = s->param[i].sym;
    return sym ? zw_eval(b->ctx, s->coord[state].period, s->np, sym, b->p) : 0;
}

static zw_status add_quantity(zw_basin *b, const char *name, zw_error *err) {
    if (b->ny == ZW_BASIN_LOOKS)
        return reject_option(err, ZW_E_OPTION, "more than %s quantities to be compared", "32",
                             "use --compare to choose those that distinguish the attractors");
    int state = find_state(b->sys, name);
    const char *unit = state >= 0 ? state_unit(b->sys, state) : "";
    for (int i = 0; i < b->sys->nobservable; i++)
        if (strcmp(b->sys->observable[i].name, name) == 0)
            unit = b->sys->observable[i].unit;
    b->names[b->ny] = name;
    b->quantity[b->ny++] = (zw_basin_quantity){.name = name,
                                               .unit = unit,
                                               .state = state,
                                               .period = period_of(b, state),
                                               .scale = 1,
                                               .low = -INFINITY,
                                               .high = INFINITY};
    return ZW_OK;
}

static zw_status read_compared(zw_basin *b, zw_error *err) {
    const char *s = b->options.compare;
    while (s && *s) {
        int depth = 0;
        size_t n = 0;
        for (; s[n] && (s[n] != ',' || depth); n++)
            depth += s[n] == '(' ? 1 : s[n] == ')' ? -1 : 0;
        while (n && isspace((unsigned char)*s))
            s++, n--;
        size_t length = n;
        while (length && isspace((unsigned char)s[length - 1]))
            length--;
        const char *name = zw_arena_copy(&b->arena, s, length);
        if (!name)
            return zw_out_of_memory(err, NULL);
        if (length)
            ZW_TRY(add_quantity(b, name, err));
        s += n + (s[n] == ',');
    }
    for (int i = 0; i < b->nstate && !b->options.compare; i++)
        if (i >= b->sys->nq || !b->ignored[i])
            ZW_TRY(add_quantity(b, state_name(b->sys, i), err));
    if (b->ny == 0)
        return reject_option(err, ZW_E_OPTION, "there is nothing to be compared%s", "",
                             "--compare \"x,x'\"");
    return ZW_OK;
}

static bool is_compared(const zw_basin *b, int state) {
    for (int i = 0; i < b->ny; i++)
        if (b->quantity[i].state == state)
            return true;
    return false;
}

/* Can motions start at the states near a state (at all, or at some)? With contacts not at all of
 * them: states near one on a surface may lie inside the obstacle. */
static bool can_try(const zw_basin *b, bool all) {
    if (b->varies || b->kernel->nunit || b->kernel->nc || (b->forcing.nother && !b->driven))
        return false;
    for (int i = 0; i < b->sys->ncontact; i++)
        if (!b->sys->contact[i].off && all)
            return false;
    for (int i = 0; i < b->ny; i++)
        if (b->quantity[i].state < 0)
            return false;
    for (int i = 0; i < b->nstate; i++)
        if (!is_compared(b, i) && (i >= b->sys->nq || !b->ignored[i]))
            return false;
    return true;
}

static zw_status read_box(zw_basin *b, const char *text, zw_error *err) {
    zw_parameter_range range;
    ZW_TRY(read_range(b, "box", text, &range, err));
    for (int i = 0; i < b->ny; i++)
        if (strcmp(b->quantity[i].name, range.name) == 0) {
            b->quantity[i].low = fmin(range.from, range.to);
            b->quantity[i].high = fmax(range.from, range.to);
            b->quantity[i].boxed = true;
            return ZW_OK;
        }
    return reject_option(err, ZW_E_NAME, "--box %s: it is not among what is compared", range.name,
                         "--compare names it too");
}

/* ---- time ---- */

static zw_status find_section(zw_basin *b, zw_error *err) {
    b->section = -1;
    if (!b->options.section)
        return ZW_OK;
    for (int i = 0; i < b->sys->nevent; i++)
        if (strcmp(b->sys->event[i].name, b->options.section) == 0)
            b->section = i;
    if (b->section < 0)
        return reject_option(err, ZW_E_NAME, "--section %s: the model has no event of this name",
                             b->options.section, "event NAME : EXPRESSION rising record");
    if (b->driven)
        return reject_option(
            err, ZW_E_OPTION,
            "--section %s: a driven model is sampled once per period of the excitation",
            b->options.section,
            "leave out --section: at an event the phase of the excitation would be lost");
    return ZW_OK;
}

static bool has_clock(const zw_system *s) {
    for (int i = 0; i < s->nevent; i++)
        if (s->event[i].period && s->event[i].naction)
            return true;
    return false;
}

/* Motions that keep their energy, also at events, have no attractors. */
static bool keeps_energy(const zw_basin *b) {
    zw_classification c;
    zw_error ignored = {0};
    bool found = false;
    if (!b->forcing.autonomous)
        return false;
    for (int i = 0; i < b->sys->nevent; i++)
        if (b->sys->event[i].naction)
            return false;
    for (int i = 0; i < b->sys->ncontact; i++)
        if (!b->sys->contact[i].off)
            return false;
    if (zw_classify(&c, b->sys, NULL, &ignored) < 0)
        return false;
    for (int i = 0; i < c.nconserved; i++)
        found = found || strcmp(c.conserved[i].name, "energy") == 0;
    return found;
}

/* Coordinates on which nothing depends: neither the equations, nor the n expressions of events and
 * contacts, nor the rate of another coordinate. e has space for the rates, too. */
static zw_status find_ignored(zw_basin *b, int n, zw_expr *e, zw_error *err) {
    int nq = b->sys->nq;
    bool *found = zw_context_alloc(b->ctx, sizeof *found * (size_t)(nq + 1));
    bool *ignored = zw_context_alloc(b->ctx, sizeof *ignored * (size_t)(nq + 1));
    zw_expr *symbol = zw_context_alloc(b->ctx, sizeof *symbol * (size_t)(nq + 1));
    if (!found || !ignored || !symbol)
        return zw_context_status(b->ctx, err);
    for (int i = 0; i < nq; i++) {
        symbol[i] = b->sys->coord[i].sym;
        ignored[i] = b->kernel->ignorable && b->kernel->ignorable[i];
    }
    for (bool changed = true; changed;) {
        changed = false;
        memset(found, 0, sizeof *found * (size_t)(nq + 1));
        if (!zw_occurring(b->ctx, n, e, nq, symbol, found))
            return zw_out_of_memory(err, NULL);
        n = 0;
        for (int i = 0; i < nq; i++)
            if (ignored[i] && found[i]) {
                ignored[i] = false;
                changed = true;
                e[n++] = b->eq.qdot[i];
            }
    }
    b->ignored = ignored;
    return ZW_OK;
}

/* Looks for the excitation: in the equations, in all events and their actions, in contacts, and in
 * clocks. */
static zw_status find_drive(zw_basin *b, zw_error *err) {
    const zw_system *s = b->sys;
    int n = 0, most = s->nevent + s->nq + s->ncontact * ZW_FORCING_OF_CONTACT;
    for (int i = 0; i < s->nevent; i++)
        most += s->event[i].naction;
    zw_expr *e = zw_context_alloc(b->ctx, sizeof *e * (size_t)(most + 1));
    if (!e)
        return zw_context_status(b->ctx, err);
    for (int i = 0; i < s->nevent; i++) {
        const zw_event *event = &s->event[i];
        if (event->naction == 0 && !event->stop)
            continue;
        e[n++] = event->value;
        for (int k = 0; k < event->naction; k++)
            if (event->action[k].kind == ZW_ACTION_SET)
                e[n++] = event->action[k].value;
    }
    for (int i = 0; i < s->ncontact; i++)
        if (!s->contact[i].off)
            n += zw_forcing_of_contact(&s->contact[i], e + n);
    ZW_TRY(zw_forcing_find_with(&b->forcing, &b->eq, n, e, err));
    ZW_TRY(find_ignored(b, n, e, err));
    b->clocked = has_clock(s);
    b->driven = (!b->forcing.autonomous || b->clocked) && !b->forcing.nother;
    if (!b->forcing.autonomous && b->forcing.nother && !(b->options.step > 0) &&
        !b->options.section) {
        zw_fail(err, ZW_E_MODEL, "time enters without a period, by %.200s", b->forcing.other[0]);
        zw_error_hint(
            err,
            "give the sampling interval with --every; motions then end at rest or leave the box");
        return ZW_E_MODEL;
    }
    return ZW_OK;
}

/* The common period: a multiple of the longer period that is a multiple of the shorter one too; 0
 * if there is none up to 24 times. */
static double common_period(double a, double b) {
    double longer = fmax(a, b), shorter = fmin(a, b);
    if (!(shorter > 0))
        return longer;
    for (int k = 1; k <= 24; k++) {
        double times = k * longer / shorter;
        if (fabs(times - rint(times)) < ZW_SAME_VALUE * times)
            return k * longer;
    }
    return 0;
}

/* Period of the excitation and of the clocks that act, at b->p. */
static zw_status find_period(const zw_basin *b, double *period, zw_error *err) {
    double base, own, phase;
    *period = 0;
    if (!b->forcing.autonomous) {
        ZW_TRY(zw_forcing_base(&b->forcing, b->p, &base, NULL, err));
        *period = 2 * M_PI / base;
    }
    for (int i = 0; i < b->sys->nevent; i++) {
        const zw_event *e = &b->sys->event[i];
        if (!e->period || !e->naction)
            continue;
        ZW_TRY(zw_system_event_clock(b->sys, i, b->p, &own, &phase, err));
        *period = common_period(*period, own);
        if (!(*period > 0))
            return zw_fail_at(
                err, ZW_E_MODEL, e->place,
                "the clock of %s has no common period with the excitation or another clock",
                e->name);
    }
    return ZW_OK;
}

zw_status zw_basin_period(zw_basin *b, const double *u, double *period, zw_error *err) {
    double *p = b->p;
    for (int i = 0; i < b->naxis && u; i++)
        if (b->axis[i].parameter >= 0)
            p[b->axis[i].parameter] = zw_basin_axis_value(&b->axis[i], u[i]);
    if (!isnan(b->value))
        p[b->over.parameter] = b->value;
    ZW_TRY(zw_system_param_follow(b->sys, b->given, p, err));
    return find_period(b, period, err);
}

/* The step is one period, or a whole number of them. */
static zw_status drive_step(zw_basin *b, zw_error *err) {
    double period, turns;
    ZW_TRY(zw_basin_period(b, NULL, &period, err));
    b->step = b->options.step > 0 ? b->options.step : period;
    turns = b->step / period;
    b->shift = b->clocked ? b->step / 2 : 0; /* not at the time when a clock acts */
    if (fabs(turns - rint(turns)) <= ZW_SAME_VALUE * turns && turns > 0.5)
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION,
            "--every %.9g s is not a whole number of excitation periods of %.9g s", b->step,
            period);
    zw_error_hint(err, "without --every motions are looked at once in a period");
    return ZW_E_OPTION;
}

zw_status zw_basin_set_base(zw_basin *b, double value, zw_error *err) {
    b->value = value;
    ZW_TRY(zw_system_param_values(b->sys, b->p, err));
    if (!isnan(value)) {
        b->p[b->over.parameter] = value;
        b->given[b->over.parameter] = true;
        ZW_TRY(zw_system_param_follow(b->sys, b->given, b->p, err));
    }
    if (b->driven)
        return drive_step(b, err);
    if (b->options.step > 0)
        b->step = b->options.step;
    return ZW_OK;
}

/* ---- pilots ---- */

/* Some motions, their samples recorded as smallest and largest values, or the time in which they
 * move by a tenth of a scale. */
typedef struct pilots {
    zw_basin *b;
    bool ladder, all; /* `ladder`: measure the times; `all`: also by quantities without a scale */
    double u[PILOTS][ZW_BASIN_AXES];
    double first[PILOTS][ZW_BASIN_LOOKS], low[PILOTS][ZW_BASIN_LOOKS], high[PILOTS][ZW_BASIN_LOOKS];
    int looks[PILOTS];
    double time[PILOTS]; /* NaN if none */
    double pace[PILOTS]; /* of a step of the method [s]; NaN if none */
} pilots;

static void pilot_begin(void *user, zw_ensemble_motion *m, bool *given) {
    pilots *s = user;
    const zw_basin *b = s->b;
    uint64_t k = m->number;
    if (!isnan(b->value))
        m->p[b->over.parameter] = b->value;
    for (int i = 0; i < b->naxis; i++) {
        double value = zw_basin_axis_value(&b->axis[i], s->u[k][i]);
        if (b->axis[i].state >= 0) {
            m->x[b->axis[i].state] = value;
            given[b->axis[i].state] = true;
        } else {
            m->p[b->axis[i].parameter] = value;
        }
    }
    s->time[k] = NAN;
    s->looks[k] = 0;
    m->next = m->t + (s->ladder ? FIRST_INTERVAL : b->step);
}

static bool has_moved(const pilots *s, const double *y, const double *first) {
    const zw_basin *b = s->b;
    for (int i = 0; i < b->ny; i++) {
        double size =
            b->quantity[i].scale > 0 ? b->quantity[i].scale : fmax(fabs(first[i]), SMALLEST_SIZE);
        if (b->quantity[i].scale == 0 && !s->all)
            continue;
        double d = y[i] - first[i];
        d = b->quantity[i].period > 0 ? remainder(d, b->quantity[i].period) : d;
        if (fabs(d) > MOVED * size)
            return true;
    }
    return false;
}

static zw_ensemble_reply pilot_visit(void *user, zw_ensemble_motion *m) {
    pilots *s = user;
    const zw_basin *b = s->b;
    uint64_t k = m->number;
    if (zw_basin_is_stopped(b))
        return ZW_ENSEMBLE_DONE;
    bool first = s->looks[k]++ == 0;
    for (int i = 0; i < b->ny; i++) {
        double y = m->value[i];
        if (first)
            s->first[k][i] = s->low[k][i] = s->high[k][i] = y;
        s->low[k][i] = fmin(s->low[k][i], y);
        s->high[k][i] = fmax(s->high[k][i], y);
    }
    if (s->ladder && has_moved(s, m->value, s->first[k])) {
        s->time[k] = m->t;
        return ZW_ENSEMBLE_DONE;
    }
    s->pace[k] = m->steps > 0 ? m->t / (double)m->steps : NAN;
    m->next = s->ladder ? m->t * 1.5 : m->t + b->step;
    return s->looks[k] >= (s->ladder ? GROWING_INTERVALS : PILOT_SAMPLES) ? ZW_ENSEMBLE_DONE
                                                                          : ZW_ENSEMBLE_ON;
}

static int compare_numbers(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_value(double *v, int n) {
    qsort(v, (size_t)n, sizeof *v, compare_numbers);
    return n ? v[n / 2] : NAN;
}

static zw_status run_pilots(pilots *s, zw_error *err) {
    zw_ensemble_client client = {.user = s, .begin = pilot_begin, .visit = pilot_visit};
    zw_status status = zw_ensemble_run(s->b->e, &client, 0, PILOTS, err);
    return status >= 0 && zw_basin_is_stopped(s->b) ? ZW_STOPPED : status;
}

static zw_status choose_step(pilots *s, zw_error *err) {
    double time[PILOTS];
    int n = 0;
    zw_basin *b = s->b;
    s->ladder = true;
    for (int turn = 0; turn < 2 && 2 * n < PILOTS; turn++) {
        s->all = turn == 1;
        zw_status status = run_pilots(s, err);
        if (status != ZW_OK)
            return status;
        for (int k = n = 0; k < PILOTS; k++)
            if (isfinite(s->time[k]))
                time[n++] = s->time[k];
    }
    if (n == 0)
        return reject_option(err, ZW_E_NUMERIC,
                             "no start moves%s: the time between looks cannot be chosen", "",
                             "give it with --every, in seconds");
    b->step = median_value(time, n);
    s->ladder = false;
    return ZW_OK;
}

static zw_status choose_scales(pilots *s, zw_error *err) {
    zw_basin *b = s->b;
    double range[PILOTS];
    zw_status status = run_pilots(s, err);
    if (status != ZW_OK)
        return status;
    for (int i = 0; i < b->ny; i++) {
        zw_basin_quantity *l = &b->quantity[i];
        int n = 0;
        if (l->period > 0)
            continue;
        for (int k = 0; k < PILOTS; k++)
            if (s->looks[k] >= PILOT_SAMPLES && isfinite(s->high[k][i] - s->low[k][i]))
                range[n++] = s->high[k][i] - s->low[k][i];
        l->scale = fmax(l->scale, n ? median_value(range, n) : 0);
        double size = 0;
        for (int k = 0; k < PILOTS; k++)
            size = fmax(size, s->looks[k] ? fabs(s->high[k][i]) : 0);
        if (!(l->scale > ZW_ROUNDOFF_SOLVED * size) || !(l->scale > 0))
            l->scale = size > 0 && isfinite(size) ? size : 1;
    }
    return ZW_OK;
}

/* A motion that begins slowly may turn fast later: at least one sample for every few steps of the
 * method. */
static void slow_down(pilots *s) {
    double pace[PILOTS];
    int n = 0;
    for (int k = 0; k < PILOTS; k++)
        if (s->looks[k] >= PILOT_SAMPLES && isfinite(s->pace[k]))
            pace[n++] = s->pace[k];
    if (n)
        s->b->step = fmin(s->b->step, STEPS_PER_SAMPLE * median_value(pace, n));
}

zw_status zw_basin_choose_scales(zw_basin *b, zw_error *err) {
    pilots *s = ZW_NEW(&b->arena, pilots, 1);
    if (!s)
        return zw_out_of_memory(err, NULL);
    s->b = b;
    for (int k = 0; k < PILOTS; k++)
        for (int i = 0; i < b->naxis; i++)
            s->u[k][i] = zw_philox_unit(b->options.seed + USE_PILOT, (uint64_t)k, (uint32_t)i);
    for (int i = 0; i < b->ny; i++) {
        zw_basin_quantity *l = &b->quantity[i];
        l->scale = l->period;
        if (l->period > 0)
            continue;
        for (int k = 0; k < b->naxis; k++)
            if (l->state >= 0 && b->axis[k].state == l->state)
                l->scale = fabs(b->axis[k].range.to - b->axis[k].range.from);
    }
    bool chosen = !(b->step > 0);
    zw_status status = chosen ? choose_step(s, err) : ZW_OK;
    if (status == ZW_OK)
        status = choose_scales(s, err);
    if (status != ZW_OK)
        return status;
    if (chosen)
        slow_down(s);
    for (int i = 0; i < b->ny; i++) {
        zw_basin_quantity *l = &b->quantity[i];
        if (l->boxed || l->period > 0)
            continue;
        double centre = 0;
        for (int k = 0; k < b->naxis; k++)
            if (l->state >= 0 && b->axis[k].state == l->state)
                centre = 0.5 * (b->axis[k].range.from + b->axis[k].range.to);
        l->low = centre - LEAVING_DISTANCE * l->scale;
        l->high = centre + LEAVING_DISTANCE * l->scale;
    }
    return ZW_OK;
}

/* ---- the whole ---- */

/* Lists the parameters that events set: without their values a state does not determine the future
 * of the motion. */
static zw_status list_set(zw_basin *b, zw_error *err) {
    const zw_system *s = b->sys;
    b->nx = b->nstate = s->nq + s->nv;
    b->set = zw_context_alloc(b->ctx, sizeof *b->set * (size_t)(s->np + 1));
    if (!b->set)
        return zw_context_status(b->ctx, err);
    for (int p = 0; p < s->np; p++) {
        bool set = false;
        for (int i = 0; i < s->nevent; i++)
            for (int k = 0; k < s->event[i].naction; k++)
                set |= s->event[i].action[k].kind == ZW_ACTION_SET &&
                       s->event[i].action[k].what == s->param[p].sym;
        if (set && b->nx - b->nstate < ZW_BASIN_SETS)
            b->set[b->nx++ - b->nstate] = p;
    }
    return ZW_OK;
}

static zw_status make_system(zw_basin *b, zw_error *err) {
    zw_kernel_options k = zw_kernel_options_default();
    b->ctx = zw_context_create(NULL);
    if (!b->ctx)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_model_parse(&b->sys, b->ctx, b->source.text, b->source.length, b->source.file,
                          b->source.options, err));
    b->np = b->sys->np;
    ZW_TRY(list_set(b, err));
    b->p = zw_context_alloc(b->ctx, sizeof(double) * (size_t)(b->np + 1));
    b->given = zw_context_alloc(b->ctx, sizeof(bool) * (size_t)(b->np + 1));
    if (!b->p || !b->given)
        return zw_context_status(b->ctx, err);
    memset(b->given, 0, sizeof(bool) * (size_t)(b->np + 1));
    const char *principle = b->options.principle ? b->options.principle : "lagrange";
    ZW_TRY(zw_system_param_values(b->sys, b->p, err));
    int known;
    ZW_TRY(zw_system_keep_integrals(&b->on_leaf, b->sys, NULL, b->p, &known, err));
    ZW_TRY(zw_leaf_missing(b->sys, NULL, known, &b->nhidden, err));
    ZW_TRY(zw_derive(&b->eq, &b->on_leaf, NULL, principle, err));
    k.jit = ZW_JIT_NEVER;
    k.functions = 0;
    return zw_kernel_create(&b->kernel, &b->eq, &k, err);
}

static zw_status check_numbers(const zw_basin_options *o, zw_error *err) {
    if (!(o->cell > 0 && o->cell <= LARGEST_CELL))
        return zw_fail(err, ZW_E_OPTION,
                       "the size of cells, %g, is not between 0 and 0.25 of the scales", o->cell);
    if (!(o->close > 0 && o->close <= LARGEST_CLOSE))
        return zw_fail(err, ZW_E_OPTION,
                       "what counts as arrived, %g, is not between 0 and 0.001 of the scales",
                       o->close);
    if (o->period_max < 1 || (o->looks && o->looks < 20) || !(o->longer >= 1))
        return zw_fail(err, ZW_E_OPTION,
                       "at least one look in a period, 20 in all, and 1 time longer are needed");
    return ZW_OK;
}

/* Motions are compared up to `close` of their scales, so the integration must be at least as
 * accurate: with large tolerances an integrator has spurious cycles, and some motions never
 * converge. The scales of the varied states are known now; those of others are checked later
 * (basin_report.c). */
static void limit_tolerances(zw_basin *b) {
    zw_run_options *run = &b->options.run;
    double least = INFINITY;
    for (int i = 0; i < b->naxis; i++)
        if (b->axis[i].state >= 0 && b->axis[i].range.to != b->axis[i].range.from)
            least = fmin(least, fabs(b->axis[i].range.to - b->axis[i].range.from));
    double rtol = fmin(run->rtol, b->options.close), atol = run->atol;
    if (isfinite(least))
        atol = fmin(atol, fmax(ATOL_RATIO * b->options.close * least, SMALLEST_ATOL));
    b->finer = !(run->step > 0) && (rtol < run->rtol || atol < run->atol);
    run->rtol = rtol;
    run->atol = atol;
}

zw_status zw_basin_setup(zw_basin *b, zw_error *err) {
    ZW_TRY(check_numbers(&b->options, err));
    ZW_TRY(make_system(b, err));
    b->value = NAN;
    ZW_TRY(zw_system_param_values(b->sys, b->p, err));
    ZW_TRY(read_axes(b, err));
    ZW_TRY(read_over(b, err));
    for (int i = 0; i < b->naxis; i++)
        if (b->axis[i].parameter >= 0)
            b->given[b->axis[i].parameter] = true;
    if (b->over.rows)
        b->given[b->over.parameter] = true;
    b->varies = b->by_kind;
    b->by_kind =
        b->by_kind && !b->options.compare; /* whoever names the compared quantities means points */
    ZW_TRY(find_drive(b, err));
    b->conserves = keeps_energy(b);
    b->by_kind = b->by_kind || (b->conserves && !b->options.compare);
    ZW_TRY(read_compared(b, err));
    limit_tolerances(b);
    ZW_TRY(find_section(b, err));
    for (int i = 0; i < b->options.nbox; i++)
        ZW_TRY(read_box(b, b->options.box[i], err));
    b->autonomous = !b->driven && b->section < 0;
    if (!b->options.looks) /* without excitation there are several samples in a turn */
        b->options.looks = b->autonomous ? SAMPLES_FREE : SAMPLES_DRIVEN;
    b->can_perturb = can_try(b, true);
    b->can_perturb_some = can_try(b, false);
    ZW_TRY(zw_basin_set_base(b, NAN, err));
    return zw_basin_ensemble(b, 0, &b->e, err);
}
