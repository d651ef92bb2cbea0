/* SPDX-License-Identifier: MIT */
/* First orbits. A recorded run (orbits_record.h), of which a part is about a period, is the guess
 * of collocation, on a mesh that follows the steps of the run; where Newton's method fails, on
 * finer ones. The result is the same orbit with its shortest period; other results are rejected. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "branch/curve.h"
#include "motion/segments/periodic.h"
#include "orbits_family.h"
#include "orbits_group.h"
#include "orbits_record.h"
#include "symmetric_orbit.h"
#include "zwang/linear.h"
#include "zwang/model.h"

/* ------------------------------------------------------------------------ is it the same orbit? */

enum { SAMPLES = 40, SPANS = 160, PIECES = 5, PARTS_MAX = 60, FIRST = 20 };

/* Relative to the size of the orbit: it repeats after a fraction of the period, up to ten times the
 * default tolerance. */
#define REPEATS 1e-5
/* Relative to the amplitude at which a mode is shown well: small enough for linear equations. */
#define MODE_AMPLITUDE 0.2
/* Real part of an eigenvalue relative to the imaginary part: the mode is undamped. */
#define MODE_UNDAMPED 1e-6
/* Damping times the period: an orbit that closes with a smaller one closes without. Energy would
 * change by that fraction in a period. */
#define DAMPING_ZERO 1e-6
/* Relative to its size: distance of the start from an orbit through it, where energy is conserved.
 * A thousand times the tolerance; a start on no orbit is farther away. */
#define START_ON_ORBIT 1e-3
/* Relative to a value: a coordinate that moves by less is constant, within errors of the run. */
#define CONSTANT_RANGE 1e-7
/* Relative to its size: an orbit farther away is not the one that the run approached. */
#define OTHER_ORBIT 0.3
/* A run far from an orbit approaches it if its distance falls by at least the slowest decay divided
 * by this factor: far from an orbit decay is slower. */
#define APPROACH_FACTOR 3.0
/* Logarithm of the fall of the distance over the run: a smaller fall occurs in any motion. */
#define FALL_MIN 0.1

/* the orbit in o->x with 1/k of its period */
typedef struct faster_orbit {
    const zw_orbits *o;
    const double *x;
    double period;
    int k;
} faster_orbit;

static zw_status faster_orbit_at(void *user, double t, double *x, zw_error *err) {
    const faster_orbit *p = user;
    double tau = t / (p->period * p->k);
    (void)err;
    zw_colloc_state(p->o->c, p->x, tau, x, NULL); /* a little beyond its ends, for slopes */
    return ZW_OK;
}

/* does the orbit repeat after 1/k of its period? */
static bool is_repeating(zw_orbits *o, int k, double *work) {
    double *a = work, *b = a + o->nx, *sign = b + o->nx, *seen = sign + o->nx,
           *theta = seen + o->nx;
    for (int i = 0; i < SAMPLES; i++) {
        double tau = (double)i / SAMPLES, later = tau + 1. / k;
        zw_colloc_state(o->c, o->x, tau, a, NULL);
        zw_colloc_state(o->c, o->x, later - floor(later), seen, NULL);
        zw_orbits_group_move(o, floor(later), seen);
        zw_orbits_align(o, a, seen, o->scale, i == 0, theta, b);
        zw_orbits_signs(o, a, b, sign);
        for (int r = 0; r < o->nx; r++) {
            double d = zw_orbits_reduce_turns(o, r, sign[r] * b[r] - a[r]);
            if (o->essential[r] && fabs(d) > REPEATS * o->scale[r])
                return false;
        }
    }
    return true;
}

/* A run may come back more closely after several periods than after one: finds the shortest one. */
static zw_status shorten_period(zw_orbits *o, double value, zw_error *err) {
    double *work = ZW_NEW(&o->arena, double, 4 * o->nx + o->group.n + 1);
    if (!work)
        return zw_out_of_memory(err, NULL);
    if (!o->autonomous || o->half.on)
        return ZW_OK;
    for (int k = PARTS_MAX; k > 1; k--) {
        if (!is_repeating(o, k, work))
            continue;
        size_t n = (size_t)zw_orbits_problem(o).n;
        double *x = ZW_NEW(&o->arena, double, n + 1), period = zw_colloc_period(o->c, o->x) / k;
        zw_colloc *whole = o->c;
        zw_orbits old = *o; /* its collocation is read while the new one is built */
        if (!x)
            return zw_out_of_memory(err, NULL);
        memcpy(x, o->x, sizeof(double) * n);
        faster_orbit p = {.o = &old, .x = x, .period = period, .k = k};
        zw_orbit about = {.start = 0, .period = period, .at = faster_orbit_at, .user = &p};
        o->c = NULL;
        zw_colloc_state(whole, x, 0, work, NULL);
        zw_colloc_state(whole, x, 1. / k, work + o->nx, NULL);
        zw_orbits_close(o, work, work + o->nx);
        zw_status status = zw_orbits_begin(o, &about, 0, NULL, err);
        zw_colloc_destroy(whole);
        ZW_TRY(status);
        return zw_orbits_refine(o, value, err);
    }
    return ZW_OK;
}

/* a part of a run that need not close, changed so that it does: its gap is distributed over it
 * linearly */
typedef struct closed_run {
    zw_orbits_record *r;
    double from, period;
    const double *gap;    /* nx */
    const double *turned; /* nx: whole turns since the start */
    bool ends;            /* the change is confined to its end */
} closed_run;

static zw_status closed_run_at(void *user, double t, double *x, zw_error *err) {
    const closed_run *b = user;
    double tau = (t - b->from) / b->period;
    ZW_TRY(zw_orbits_record_at(b->r, t, x, err));
    for (int i = 0; i < b->r->o->nx;
         i++) { /* from half of the gap to minus half; or at the end alone */
        double share =
            b->r->o->group.n || b->ends ? -tau : 0.5 * (b->r->o->sign[i] * (1 - tau) - tau);
        x[i] += share * b->gap[i] - b->turned[i];
    }
    return ZW_OK;
}

/* extends the ranges of the entries, span[2 r] to span[2 r + 1], by the state x */
static void widen(const zw_orbits *o, bool first, const double *x, double *span) {
    for (int r = 0; r < o->nx; r++) {
        span[2 * r] = first ? x[r] : fmin(span[2 * r], x[r]);
        span[2 * r + 1] = first ? x[r] : fmax(span[2 * r + 1], x[r]);
    }
}

/* ranges over one period of a run, `back` periods before the one of the guess */
static zw_status span_of_run(const closed_run *b, int back, double *x, double *span,
                             zw_error *err) {
    const zw_orbits *o = b->r->o;
    for (int i = 0; i < SPANS; i++) {
        ZW_TRY(zw_orbits_record_at(b->r, b->from + b->period * ((double)i / SPANS - back), x, err));
        for (int r = 0; r < o->nx; r++)
            x[r] = (back % 2 ? o->sign[r] : 1) * (x[r] - b->turned[r] + back * o->turn[r]);
        widen(o, i == 0, x, span);
    }
    return ZW_OK;
}

static void span_of_orbit(zw_orbits *o, double *x, double *span) {
    for (int i = 0; i < SPANS; i++) {
        zw_orbits_whole_state(o, (double)i / SPANS, x);
        widen(o, i == 0, x, span);
    }
}

/* the larger distance of the ends of the range of entry r in a run and in an orbit */
static double span_gap(int r, const double *run, const double *orbit) {
    return fmax(fabs(run[2 * r] - orbit[2 * r]), fabs(run[2 * r + 1] - orbit[2 * r + 1]));
}

/* the same relative to the range */
static double span_distance(const zw_orbits *o, int r, const double *run, const double *orbit) {
    const double *a = run + 2 * r, *b = orbit + 2 * r;
    double size = fmax(fmax(a[1] - a[0], b[1] - b[0]), 2 * o->scale[r]),
           away = fmax(fmax(fabs(a[0]), fabs(a[1])), fmax(fabs(b[0]), fabs(b[1])));
    if (!o->essential[r] || (o->group.n && o->group.moved[r]))
        return 0;
    return span_gap(r, run, orbit) / fmax(size, CONSTANT_RANGE * away);
}

/* log |mu| of the slowest disturbance over a period; 0 if the orbit is not known to attract */
static zw_status slowest_decay(zw_orbits *o, double *log_rate, zw_error *err) {
    const zw_floquet *m;
    bool *counts = ZW_NEW(&o->arena, bool, o->nx + 1);
    double most = 0;
    *log_rate = 0;
    if (!counts)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_orbits_multipliers(o, o->x, o->value, &m, err));
    if (!m || !zw_orbits_multipliers_usable(m))
        return ZW_OK;
    zw_orbits_nontrivial(m, zw_orbits_unit_multipliers(o), counts);
    for (int i = 0; i < m->n; i++)
        if (i != m->trivial && counts[i])
            most = fmax(most, hypot(m->re[i], m->im[i]));
    *log_rate = most > 0 && most < 1 ? (o->half.on ? 2 : 1) * log(most) : 0;
    return ZW_OK;
}

/* Does a run far from an orbit approach it? Then its distance falls throughout its second half,
 * about as fast as the slowest disturbance of the orbit decays. Quasi-periodic motions keep their
 * distance from orbits elsewhere. */
static zw_status approaches_orbit(zw_orbits *o, const closed_run *b, int r, double rate,
                                  const double *run, const double *orbit, bool *yes,
                                  zw_error *err) {
    double now = span_gap(r, run, orbit), nearer = now,
           *x = ZW_NEW(&o->arena, double, 3 * o->nx + 1);
    int most = (int)(0.5 * (b->from - b->r->t[0]) / b->period);
    if (!x)
        return zw_out_of_memory(err, NULL);
    *yes = -rate * most > FALL_MIN;
    for (int i = 1; i <= PIECES && *yes; i++) {
        int back = most * i / PIECES;
        ZW_TRY(span_of_run(b, back, x, x + o->nx, err));
        double then = span_gap(r, x + o->nx, orbit);
        *yes = then > nearer && log(then / now) > -rate * back / APPROACH_FACTOR;
        nearer = then;
    }
    return ZW_OK;
}

/* Fails if Newton's method found an orbit elsewhere: from a run that is not periodic it may
 * converge to an orbit that the run never approached. */
static zw_status reject_other(zw_orbits *o, const closed_run *b, zw_error *err) {
    double *x = ZW_NEW(&o->arena, double, 5 * o->nx + 1), worst = 0, rate;
    int at = 0;
    bool yes;
    if (!x)
        return zw_out_of_memory(err, NULL);
    double *run = x + o->nx, *orbit = run + 2 * o->nx;
    ZW_TRY(span_of_run(b, 0, x, run, err));
    span_of_orbit(o, x, orbit);
    for (int r = 0; r < o->nx; r++)
        if (span_distance(o, r, run, orbit) > worst) {
            worst = span_distance(o, r, run, orbit);
            at = r;
        }
    if (worst <= OTHER_ORBIT)
        return ZW_OK;
    ZW_TRY(slowest_decay(o, &rate, err));
    ZW_TRY(approaches_orbit(o, b, at, rate, run, orbit, &yes, err));
    if (yes)
        return ZW_OK;
    const char *name =
        at < o->sys->nq ? o->sys->coord[at].name : o->sys->velocity[at - o->sys->nq].name;
    zw_fail(err, ZW_E_NUMERIC,
            "no orbit is near the motion from the start of the model: %s goes from %.6g to %.6g "
            "there, in the nearest orbit of period %.6g s from %.6g to %.6g",
            name, run[2 * at], run[2 * at + 1], zw_colloc_period(o->c, o->x), orbit[2 * at],
            orbit[2 * at + 1]);
    zw_error_hint(err, rate == 0 && !o->autonomous
                           ? "that orbit attracts no motions, so the motion may be quasi-periodic "
                             "or chaotic; --from start takes the orbit all the same"
                           : "the motion may be quasi-periodic or chaotic; use more --steps, or "
                             "give an estimate of the period with --period");
    return ZW_E_NUMERIC;
}

/* Fails if energy is conserved and the start is not on the orbit: then no run approaches it. */
static zw_status reject_start(zw_orbits *o, const double *start, zw_error *err) {
    char at[160] = "";
    double off = 0;
    for (int r = 0, used = 0; r < o->nx; r++) {
        bool place = r < o->sys->nq && o->essential[r];
        off = o->essential[r] ? fmax(off, fabs(o->x[r] - start[r]) / o->scale[r]) : off;
        if (place && used >= 0 && used < 120)
            used += snprintf(at + used, sizeof at - (size_t)used, "%s%.20s = %.9g",
                             used ? ", " : "", o->sys->coord[r].name, o->x[r]);
    }
    if (off <= START_ON_ORBIT)
        return ZW_OK;
    zw_fail(err, ZW_E_NUMERIC,
            "the start of the model is on no orbit: the nearest that was found, of period %.9g s, "
            "is %.2g of its size away, at %s",
            zw_colloc_period(o->c, o->x), off, at);
    return ZW_E_NUMERIC;
}

/* -------------------------------------------------------------------------------------- solving */

/* the largest residual, relative to the size of the orbit */
static double residual_of(zw_orbits *o, double value, zw_arena *arena) {
    zw_cont_problem p = zw_orbits_problem(o);
    double *r = ZW_NEW(arena, double, p.n + 1), worst = 0;
    if (!r || p.residual(p.self, o->x, value, r, NULL) != ZW_OK)
        return INFINITY;
    for (int i = 0; i < p.n; i++)
        worst = isfinite(r[i]) ? fmax(worst, fabs(r[i])) : INFINITY;
    return worst;
}

static zw_status none_found(double period, int least, int most, double best, const char *why,
                            zw_error *err) {
    zw_fail(err, ZW_E_NUMERIC,
            "no orbit was found near the motion: tried with a period of about %.6g s on %d to %d "
            "intervals, the best residual is %.1e of its size (%.100s)",
            period, least, most, best, why);
    zw_error_hint(
        err,
        "the motion may be quasi-periodic, chaotic or far from an orbit: use more --steps, give an "
        "estimate of the period with --period, or allow finer meshes with --intervals-max");
    return ZW_E_NUMERIC;
}

/* Solves from the guess; in a family whose member is not given, at the energy of the guess, since
 * small oscillations all have the same period. */
static zw_status refine_guess(zw_orbits *o, double value, zw_error *err) {
    zw_family_kind kind = o->family.kind;
    o->value = value;
    if (!kind || !isnan(value))
        return zw_orbits_refine_free(o, value, err);
    o->family.kind = ZW_FAMILY_ENERGY;
    o->value = zw_orbits_functional(o, o->x);
    zw_status status = zw_orbits_refine_free(o, o->value, err);
    o->family.kind = kind;
    if (status >= 0)
        o->value = zw_orbits_functional(o, o->x);
    return status;
}

/* solves from the guess on finer and finer meshes */
static zw_status solve_meshes(zw_orbits *o, const zw_orbits_record *r, const zw_orbit *about,
                              double value, zw_error *err) {
    int most = o->options.intervals ? o->options.intervals : o->options.intervals_max, points,
        least, n;
    double *mesh = ZW_NEW(&o->arena, double, most + 1), best = INFINITY;
    if (!mesh)
        return zw_out_of_memory(err, NULL);
    double time = o->half.on ? 0.5 * about->period : about->period;
    zw_orbits_record_mesh(r, about->start, time, 1, mesh, &points);
    n = o->options.intervals ? most : points / 3;
    if (n < FIRST || (o->group.steady && !o->options.intervals))
        n = FIRST; /* turns and shifts at constant rates need few intervals */
    least = n = n < most ? n : most;
    for (;;) {
        zw_error why = {0};
        zw_orbits_record_mesh(r, about->start, time, n, mesh, &points);
        ZW_TRY(zw_orbits_begin(o, about, n, mesh, err));
        zw_status status = refine_guess(o, value, &why);
        if (status >= 0)
            return status;
        if (status != ZW_E_NUMERIC || o->is_point) {
            if (err)
                *err = why;
            return status;
        }
        best = fmin(best, residual_of(o, o->value, &o->arena));
        if (n == most)
            return none_found(about->period, least, most, best, why.text, err);
        n = 2 * n < most ? 2 * n : most;
    }
}

static zw_status check_turns(const zw_orbits *o, zw_error *err) {
    for (int i = 0; o->given_turns && i < o->sys->nq; i++) {
        double turn = o->wraps[i] > 0 ? o->wraps[i] : 2 * M_PI;
        if (o->given_turns[i] * turn == o->turn[i])
            continue;
        zw_fail(err, ZW_E_OPTION, "%s makes %.0f turns per period, but --winding is %.0f",
                o->sys->coord[i].name, o->turn[i] / turn, o->given_turns[i]);
        zw_error_hint(err, "without --winding turns are found");
        return ZW_E_OPTION;
    }
    return ZW_OK;
}

/* the gap between the end b and the beginning a, by how the orbit closes; overwrites a */
static void find_gap(zw_orbits *o, double *a, const double *b, double *gap) {
    zw_orbits_group_move(o, 1, a);
    for (int i = 0; i < o->nx; i++)
        gap[i] = o->essential[i] ? b[i] - o->turn[i] - o->sign[i] * a[i] : 0;
}

/* Whole turns from the start x to a: those of whole periods, in which meshing gears turn together,
 * and the rest. */
static void find_turns(zw_orbits *o, const double *a, const double *x, double *turned) {
    double periods = 0;
    for (int i = 0; i < o->nx && periods == 0; i++)
        if (o->turn[i] != 0)
            periods = round((a[i] - x[i]) / o->turn[i]);
    for (int i = 0; i < o->nx; i++)
        turned[i] = zw_orbits_whole(o, i, a[i] - x[i] - periods * o->turn[i]);
    zw_orbits_limit_turns(o, x, turned);
    for (int i = 0; i < o->nx; i++)
        turned[i] += o->wraps[i] > 0 ? periods * o->turn[i] : 0;
}

/* fails if the orbit closes only with a damping */
static zw_status reject_damping(zw_orbits *o, zw_error *err) {
    if (!o->family.kind)
        return ZW_OK;
    double damping = o->x[zw_orbits_problem(o).n - 1], period = zw_colloc_period(o->c, o->x);
    if (fabs(damping) * period < DAMPING_ZERO)
        return ZW_OK;
    zw_fail(err, ZW_E_NUMERIC,
            "orbits of this model form no family: near the start one closes with a damping of %.3g "
            "1/s more",
            damping);
    zw_error_hint(err, "switch off excitation and damping; or use --over with a parameter, over "
                       "which orbits are isolated");
    return ZW_E_NUMERIC;
}

/* solves for an orbit near the part of the record from a time on for a period */
static zw_status find_near(zw_orbits *o, zw_orbits_record *r, double from, double period,
                           double value, bool judge, zw_error *err) {
    double *a = ZW_NEW(&o->arena, double, 4 * o->nx + 1);
    if (!a)
        return zw_out_of_memory(err, NULL);
    double *b = a + o->nx, *gap = b + o->nx, *turned = gap + o->nx;
    closed_run closed = {.r = r,
                         .from = from,
                         .period = period,
                         .gap = gap,
                         .turned = turned,
                         .ends = o->conserves && !o->family.kind};
    zw_orbit about = {.start = from, .period = period, .at = closed_run_at, .user = &closed};
    zw_orbit raw = {.start = from, .period = period, .at = zw_orbits_record_at, .user = r};
    ZW_TRY(zw_orbits_choose_group(o, &raw, err));
    ZW_TRY(zw_orbits_record_at(r, from, a, err));
    ZW_TRY(zw_orbits_record_at(r, from + period, b, err));
    zw_orbits_close(o, a, b);
    if (judge)
        ZW_TRY(check_turns(o, err));
    for (int i = 0; o->given_turns && i < o->sys->nq; i++)
        o->turn[i] = (o->wraps[i] > 0 ? o->wraps[i] : 2 * M_PI) * o->given_turns[i];
    find_turns(o, a, r->x, turned);
    find_gap(o, a, b, gap);
    if (o->family.kind)
        ZW_TRY(zw_orbits_check_integral(o, &about, err));
    ZW_TRY(solve_meshes(o, r, &about, value, err));
    ZW_TRY(reject_damping(o, err));
    int iterations = o->iterations;
    ZW_TRY(shorten_period(o, o->value, err));
    ZW_TRY(about.at(about.user, from, a, err));
    ZW_TRY(zw_orbits_select_member(o, o->value, a, err));
    o->iterations = iterations;
    if (judge && o->free && o->conserves && !o->family.kind)
        ZW_TRY(reject_start(o, a, err));
    return judge ? reject_other(o, &closed, err) : ZW_OK;
}

/* ------------------------------------------------------------------------------------- sections */

/* An expression of the model along a motion. */
typedef struct section {
    const zw_orbits *o;
    zw_expr value, *symbol;
    double *number; /* t, state, parameters */
    int n;
} section;

static double section_value(void *user, double t, const double *x) {
    section *s = user;
    s->number[0] = t;
    memcpy(s->number + 1, x, sizeof(double) * (size_t)s->o->nx);
    return zw_eval(s->o->sys->ctx, s->value, s->n, s->symbol, s->number);
}

static zw_status read_section(zw_orbits *o, const char *text, section *s, zw_orbits_section *out,
                              zw_error *err) {
    const zw_system *sys = o->sys;
    const char *unit;
    *s = (section){.o = o, .n = 1 + o->nx + sys->np};
    s->symbol = ZW_NEW(&o->arena, zw_expr, s->n + 1);
    s->number = ZW_NEW(&o->arena, double, s->n + 1);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    *out = (zw_orbits_section){.value = section_value, .user = s};
    s->symbol[0] = sys->t;
    for (int i = 0; i < o->nx; i++)
        s->symbol[1 + i] = i < sys->nq ? sys->coord[i].sym : sys->velocity[i - sys->nq].sym;
    for (int i = 0; i < sys->np; i++) {
        s->symbol[1 + o->nx + i] = sys->param[i].sym;
        s->number[1 + o->nx + i] = o->now[i];
    }
    for (int i = 0; i < sys->nevent; i++)
        if (strcmp(sys->event[i].name, text) == 0) {
            s->value = sys->event[i].value;
            out->direction = sys->event[i].direction;
            return ZW_OK;
        }
    return zw_model_quantity(&s->value, &unit, sys, "--section", text, err);
}

/* an orbit that begins at a fraction of its period */
typedef struct shifted {
    zw_orbits *o;
    const double *x;
    double tau, period;
} shifted;

static zw_status shifted_at(void *user, double t, double *x, zw_error *err) {
    const shifted *s = user;
    double tau = s->tau + t / s->period, rounds = floor(tau);
    (void)err;
    zw_colloc_state(s->o->c, s->x, tau - rounds, x, NULL);
    zw_orbits_group_move(s->o, rounds, x);
    for (int i = 0; i < s->o->nx; i++)
        x[i] = (fmod(rounds, 2) != 0 ? s->o->sign[i] : 1) * x[i] + rounds * s->o->turn[i];
    return ZW_OK;
}

/* the crossing of the section nearest to the beginning of the orbit in o->x; 0 if there is none */
static double passage_of(zw_orbits *o, const zw_orbits_section *s, double period, double *x) {
    enum { LOOKS_AT = 400 };
    double best = 0, last = NAN;
    for (int k = -LOOKS_AT / 2; k <= LOOKS_AT / 2; k++) {
        shifted all = {.o = o, .x = o->x, .tau = 0, .period = 1};
        double low = (k - 1.0) / LOOKS_AT, high = (double)k / LOOKS_AT, before = last;
        shifted_at(&all, high, x, NULL);
        last = s->value(s->user, period * high, x);
        int goes = before < 0 && last >= 0 ? 1 : before > 0 && last <= 0 ? -1 : 0;
        if (!goes || (s->direction && goes != s->direction))
            continue;
        for (int i = 0; i < 60; i++) {
            double mid = 0.5 * (low + high);
            shifted_at(&all, mid, x, NULL);
            *(goes * s->value(s->user, period * mid, x) < 0 ? &low : &high) = mid;
        }
        if (best == 0 || fabs(high) < fabs(best))
            best = high;
    }
    return best;
}

/* the same orbit, beginning at the section */
static zw_status shift_to(zw_orbits *o, const zw_orbits_section *s, double value, zw_error *err) {
    size_t n = (size_t)zw_orbits_problem(o).n;
    double *x = ZW_NEW(&o->arena, double, n + 1), *work = ZW_NEW(&o->arena, double, o->nx + 1),
           period = zw_colloc_period(o->c, o->x);
    int intervals = zw_colloc_intervals(o->c), iterations = o->iterations;
    double *mesh = ZW_NEW(&o->arena, double, intervals + 1);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    zw_orbits old = *o; /* its collocation is read while the new one is made */
    memcpy(x, o->x, sizeof(double) * n);
    for (int j = 0; j <= intervals; j++)
        mesh[j] = (double)j / intervals;
    shifted all = {.o = &old, .x = x, .tau = passage_of(o, s, period, work), .period = period};
    zw_orbit about = {.start = 0, .period = period, .at = shifted_at, .user = &all};
    o->c = NULL;
    zw_status status = zw_orbits_begin(o, &about, intervals, mesh, err);
    zw_colloc_destroy(old.c);
    ZW_TRY(status);
    ZW_TRY(zw_orbits_refine(o, value, err));
    o->iterations = iterations;
    return ZW_OK;
}

/* from one crossing of the section to another, after `returns` crossings */
static zw_status find_at_section(zw_orbits *o, const zw_orbits_start *start, double value,
                                 zw_error *err) {
    enum { MOST = 66 };
    zw_orbits_record r;
    zw_orbits_section s;
    section of;
    double t[MOST];
    int returns = start->returns > 0 ? start->returns : 1;
    if (!o->autonomous)
        return zw_fail(err, ZW_E_OPTION,
                       "the model is driven: its excitation determines the period");
    if (o->half.on)
        return zw_fail(err, ZW_E_OPTION,
                       "--symmetry: an orbit that begins at a section is not "
                       "looked for by its half");
    if (!start->section || !start->section[0]) {
        zw_fail(err, ZW_E_OPTION, "a section needs a name or an expression that is zero on it");
        zw_error_hint(err, "--section x, --section \"z - 27\", or the name of an event");
        return ZW_E_OPTION;
    }
    if (returns > MOST - 2)
        return zw_fail(err, ZW_E_OPTION, "at most %d returns to a section", MOST - 2);
    ZW_TRY(read_section(o, start->section, &of, &s, err));
    ZW_TRY(zw_orbits_record_run(o, NULL, &r, err));
    if (isnan(section_value(&of, r.t[0], r.x)))
        return zw_fail(err, ZW_E_OPTION,
                       "--section %.60s is no function of time, state and parameters",
                       start->section);
    int n = zw_orbits_record_zeros(&r, &s, returns + 2, t);
    int first = n > 0 && t[0] == r.t[0] && n > returns + 1 ? 1 : 0;
    if (n < first + returns + 1) {
        zw_fail(err, ZW_E_NUMERIC,
                "the motion from the start passes the section %.60s %d times in the same direction "
                "in %d steps up to t = %.6g s: too few for %d return%s",
                start->section, n, r.steps, r.t[r.n - 1], returns, returns == 1 ? "" : "s");
        zw_error_hint(err, "--steps runs longer; another section, another start");
        return ZW_E_NUMERIC;
    }
    ZW_TRY(find_near(o, &r, t[first], t[first + returns] - t[first], value, false, err));
    return shift_to(o, &s, o->value, err);
}

/* ------------------------------------------------------------------------------------ the verbs */

/* the last period of a record */
static zw_status find_last(zw_orbits *o, zw_orbits_record *r, double period, double value,
                           zw_error *err) {
    double end = r->t[r->n - 1];
    if (o->autonomous && !(period > 0))
        ZW_TRY(zw_orbits_record_period(r, false, &period, err));
    /* of an excitation: whole periods from t = 0 */
    double from =
        o->autonomous ? end - period : period * (floor(end / period * (1 + ZW_ROUNDOFF_SUM)) - 1);
    if (from < r->t[0])
        return zw_fail(err, ZW_E_OPTION,
                       "the period of %.6g s is longer than the run before it, of %.6g s", period,
                       end - r->t[0]);
    return find_near(o, r, from, period, value, true, err);
}

/* The first period of a record: where energy is conserved the motion depends on its start, and the
 * start itself is meant. */
static zw_status find_first(zw_orbits *o, zw_orbits_record *r, double period, double value,
                            zw_error *err) {
    if (!(period > 0))
        ZW_TRY(zw_orbits_record_period(r, true, &period, err));
    if (r->t[0] + period > r->t[r->n - 1])
        return zw_fail(err, ZW_E_OPTION,
                       "the period of %.6g s is longer than the run before it, of %.6g s", period,
                       r->t[r->n - 1] - r->t[0]);
    return find_near(o, r, r->t[0], period, value, true, err);
}

/* a small oscillation about the equilibrium */
static zw_status find_mode(zw_orbits *o, int mode, double value, zw_error *err) {
    zw_orbits_record r;
    zw_equilibria *e = NULL;
    zw_table *t = NULL;
    zw_mode_options options = zw_mode_options_default();
    zw_mode_info info = {0};
    if (!o->autonomous)
        return zw_fail(err, ZW_E_MODEL,
                       "the model is driven (time enters its equations), so it has no equilibria");
    options.number = mode > 0 ? mode : 1;
    zw_status status = zw_equilibria_create(&e, o->sys, o->options.motion, err);
    if (status >= 0)
        status = zw_equilibria_find(e, err);
    if (status >= 0)
        status = zw_mode_motion(&t, e, NULL, &options, &info, err);
    if (status >= 0 && !(info.im > 0 && fabs(info.re) < MODE_UNDAMPED * info.im)) {
        zw_fail(err, ZW_E_NUMERIC, "mode %d is not a persistent oscillation: %.200s",
                options.number, info.caption);
        zw_error_hint(err, "zwang equilibria lists the modes; choose one with --mode");
        status = ZW_E_NUMERIC;
    }
    if (status >= 0) { /* a smaller amplitude, and one period */
        options.amplitude = MODE_AMPLITUDE * info.amplitude;
        options.duration = 2 * M_PI / info.im;
        options.comoving = true;
        zw_table_destroy(t);
        t = NULL;
        status = zw_mode_motion(&t, e, NULL, &options, &info, err);
    }
    if (status >= 0)
        status = zw_orbits_record_result(o, &r, t, err);
    zw_table_destroy(t);
    zw_equilibria_destroy(e);
    ZW_TRY(status);
    return find_near(o, &r, r.t[0], r.t[r.n - 1] - r.t[0], value, false, err);
}

static zw_status find_in_run(zw_orbits *o, const char *method, double period, double value,
                             bool *stiff, zw_error *err) {
    zw_orbits_record r = {0};
    *stiff = false;
    zw_status status = zw_orbits_record_run(o, method, &r, err);
    o->ended_early = status < 0 && !r.rests;
    if (status >= 0)
        status = o->conserves && !o->family.kind ? find_first(o, &r, period, value, err)
                                                 : find_last(o, &r, period, value, err);
    if (status == ZW_E_NUMERIC)
        zw_orbits_record_end(&r);
    zw_error ignored = {0};
    if (status == ZW_E_NUMERIC && zw_orbits_record_is_stiff(&r, stiff, &ignored) < 0)
        *stiff = false;
    return status;
}

/* A run whose steps are limited by fast decaying disturbances may end before the motion has
 * settled: then it is repeated with a stiff method until it has. */
static zw_status find_by_run(zw_orbits *o, double period, double value, zw_error *err) {
    bool stiff, again;
    zw_error first = {0}, second = {0};
    zw_status status = find_in_run(o, NULL, period, value, &stiff, &first);
    if (status == ZW_E_NUMERIC && stiff &&
        find_in_run(o, "radau", period, value, &again, &second) >= 0)
        return ZW_OK;
    if (status < 0 && err)
        *err = first;
    return status;
}

static zw_status find_by(zw_orbits *o, const zw_orbits_start *start, double period, double value,
                         zw_error *err) {
    zw_orbits_record r;
    switch (start->from) {
    case ZW_ORBITS_FROM_START:
        if (!(period > 0)) {
            zw_fail(err, ZW_E_OPTION,
                    "start values alone do not determine the period of the orbit");
            zw_error_hint(err, "--period 1.1");
            return ZW_E_OPTION;
        }
        ZW_TRY(zw_orbits_record_over(o, &r, period, err));
        return find_near(o, &r, 0, period, value, false, err);
    case ZW_ORBITS_FROM_SECTION:
        return find_at_section(o, start, value, err);
    case ZW_ORBITS_FROM_MODE:
        return find_mode(o, start->mode, value, err);
    case ZW_ORBITS_FROM_RESULT:
        ZW_TRY(zw_orbits_record_result(o, &r, start->result, err));
        return find_last(o, &r, period, value, err);
    default:
        return find_by_run(o, period, value, err);
    }
}

/* Fails if the mesh does not resolve the motion: equations that are satisfied at nodes alone say
 * nothing then, and round-off decides which of their solutions Newton's method finds. */
static zw_status check_resolved(const zw_orbits *o, zw_error *err) {
    double error = zw_colloc_error(o->c, o->x);
    if (error < 1)
        return ZW_OK;
    zw_fail(err, ZW_E_NUMERIC,
            "%d intervals do not resolve the orbit: its error between nodes is %.1e of its size",
            zw_colloc_intervals(o->c), error);
    zw_error_hint(err, "--intervals-max allows more of them; zwang orbit --shooting integrates");
    return ZW_E_NUMERIC;
}

zw_status zw_orbits_find_from(zw_orbits *o, const zw_orbits_start *start, double value, int *number,
                              zw_error *err) {
    double period = o->options.period, slope;
    zw_arena_mark mark = zw_arena_mark_now(&o->arena);
    if (!o->autonomous && period > 0)
        return zw_fail(err, ZW_E_OPTION,
                       "the model is driven: its excitation determines the period");
    ZW_TRY(zw_orbits_set(o, value, o->now, &period, &slope, err));
    o->free = 0;
    o->conserves = zw_orbits_conserves(o);
    zw_status status = find_by(o, start, period, value, err);
    if (err && status == ZW_E_NUMERIC && o->group.steady) {
        *err = (zw_error){0}; /* it replaces the reason why the search stopped */
        zw_fail(err, ZW_E_NUMERIC,
                "the motion from the start of the model is steady but for its symmetries, and it "
                "is not periodic");
        zw_error_hint(err, "zwang equilibria reports it; another start (--set), or small "
                           "oscillations about it (--from mode)");
    } else if (err && status == ZW_E_NUMERIC && !o->family.kind && o->conserves) {
        err->hint[0] = '\0'; /* the hint is for other motions */
        zw_error_hint(err, "energy stays on motions of this model: its orbits form families, and "
                           "none attracts others; zwang orbit --over energy=A:B follows them");
    }
    if (status >= 0)
        status = check_resolved(o, err);
    zw_arena_release(&o->arena, mark);
    ZW_TRY(status);
    ZW_TRY(zw_orbits_add(o, o->value, ZW_BIFURCATION_POINT, -1, err));
    o->motion[o->nmotion - 1].iterations = o->iterations;
    if (number)
        *number = o->nmotion - 1;
    return ZW_OK;
}

zw_status zw_orbits_find_at(zw_orbits *o, double value, const double *x, int *number,
                            zw_error *err) {
    o->begin = x;
    zw_status status = zw_orbits_find(o, value, number, err);
    o->begin = NULL;
    return status;
}

zw_status zw_orbits_find(zw_orbits *o, double value, int *number, zw_error *err) {
    const zw_orbits_start run = {.from = ZW_ORBITS_FROM_RUN};
    return zw_orbits_find_from(o, &run, value, number, err);
}
