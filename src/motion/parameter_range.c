/* SPDX-License-Identifier: MIT */
/* Reads a range of a parameter by its name, and follows the equilibrium over it. */
#include "parameter_range.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/tolerance.h"
#include "base/units.h"
#include "motion/equilibria/equilibria.h"
#include "zwang/model.h"
#include "zwang/simulate.h"

enum { ROWS_MAX = 1000000 }; /* of a table: beyond, memory runs out rather than time */

/* Fraction of the range at which freedom is counted: the golden section avoids the ends and the
 * simple fractions at which the equations of a model may be special. */
#define GENERIC_FRACTION 0.381966
/* Of the largest part of a direction: smaller parts are not named in the advice. */
#define NAMED_PART 0.1

/* ----------------------------------------------------------------------------------------- text */

static const char how_to[] = "write --over NAME=A:B, or NAME=A:B:N with the number of rows, "
                             "followed by a unit: --over \"Omega=0:50:201 [rad/s]\"";

static zw_status report_bad_range(const char *text, const char *what, zw_error *err) {
    zw_fail(err, ZW_E_OPTION, "--over %.80s: %s", text, what);
    zw_error_hint(err, "%s", how_to);
    return ZW_E_OPTION;
}

static const char *skip_blanks(const char *s) {
    while (isspace((unsigned char)*s))
        s++;
    return s;
}

/* the text up to a separator or the end, trimmed, as a new string of the context */
static const char *piece_of(const zw_system *sys, const char **s, const char *separator,
                            zw_error *err) {
    const char *from = skip_blanks(*s), *end = *s + strcspn(*s, separator), *to = end;
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    char *out = zw_context_alloc(sys->ctx, (size_t)(to > from ? to - from : 0) + 1);
    if (!out) {
        zw_context_status(sys->ctx, err);
        return NULL;
    }
    memcpy(out, from, (size_t)(to > from ? to - from : 0));
    *s = *end ? end + 1 : end;
    return out;
}

/* the quantity of the name and its unit: a parameter, or anything that can be held */
static zw_status find_quantity(zw_parameter_range *o, const zw_system *sys, const char **unit,
                               zw_error *err) {
    const char **names =
        zw_context_alloc(sys->ctx, sizeof *names * (size_t)(sys->np + sys->nq + sys->nv + 1));
    zw_expr what;
    int n = 0;
    if (!names)
        return zw_context_status(sys->ctx, err);
    for (int i = 0; i < sys->np; i++) {
        names[n++] = sys->param[i].name;
        if (strcmp(sys->param[i].name, o->name) == 0) {
            o->parameter = i;
            *unit = sys->param[i].unit;
            return ZW_OK;
        }
    }
    for (int i = 0; i < sys->nq + sys->nv; i++)
        names[n++] = i < sys->nq ? sys->coord[i].name : sys->velocity[i - sys->nq].name;
    if (zw_model_quantity(&what, unit, sys, "--over", o->name, NULL) >= 0)
        return ZW_OK;
    zw_fail(err, ZW_E_NAME,
            "--over %s: there is no parameter of this name, and nothing that could be held",
            o->name);
    const char *near = zw_nearest(o->name, n, names);
    if (near)
        zw_error_hint(err, "did you mean %s?", near);
    return ZW_E_NAME;
}

/* A number followed by the text of a unit, or a formula, which contains its own units. */
static zw_status read_value(const zw_system *sys, const char *label, const char *text,
                            const char *unit_of_model, zw_parameter_range_piece *piece,
                            zw_error *err) {
    char *end;
    piece->number = strtod(text, &end);
    const char *rest = skip_blanks(end);
    piece->formula = end == text || strchr("*+-/^(", *rest ? *rest : ' ');
    piece->unit = rest;
    if (!piece->formula)
        return ZW_OK;
    double *p = zw_context_alloc(sys->ctx, sizeof *p * (size_t)(sys->np + 1));
    if (!p)
        return zw_context_status(sys->ctx, err);
    ZW_TRY(zw_system_param_values(sys, p, err));
    piece->unit = "";
    return zw_model_number(&piece->number, sys, p, label, text, unit_of_model, err);
}

/* sets the unit of o from "[m/s]" or "m/s" */
static zw_status take_unit(zw_parameter_range *o, const char *label, const char *text,
                           const char *of_model, double *factor, zw_error *err) {
    char *name = o->unit;
    size_t size = sizeof o->unit;
    zw_unit given, known;
    size_t n = strlen(text);
    bool bracket = n > 1 && text[0] == '[' && text[n - 1] == ']';
    if ((bracket ? n - 2 : n) >= size) /* a part of it might be another unit */
        return zw_fail(err, ZW_E_UNIT, "%s %s: the unit %.60s... is too long", label, o->name,
                       text);
    snprintf(name, size, "%.*s", (int)(bracket ? n - 2 : n), bracket ? text + 1 : text);
    ZW_TRY(zw_unit_parse(&given, name, strlen(name), (zw_place){0}, err));
    if (zw_unit_parse(&known, of_model, strlen(of_model), (zw_place){0}, NULL) < 0)
        known = (zw_unit){.dim = zw_dim_none(), .factor = 1};
    *factor = given.factor;
    if (zw_dim_fits(&given.dim, &known.dim))
        return ZW_OK;
    zw_fail(err, ZW_E_UNIT, "%s %s: %s is no unit of it", label, o->name, name);
    zw_error_hint(err, of_model[0] ? "it is given in %s" : "it is a plain number%s", of_model);
    return ZW_E_UNIT;
}

zw_status zw_parameter_range_pieces(zw_parameter_range *o, const zw_system *sys, const char *label,
                                    const char *s, const char *separator, const char *of_model,
                                    int most, zw_parameter_range_piece *piece, int *n,
                                    zw_error *err) {
    double factor = 1;
    *n = 0;
    while (*s) {
        if (*n == most) {
            *n = most + 1;
            return ZW_OK;
        }
        const char *text = piece_of(sys, &s, separator, err);
        if (!text)
            return ZW_E_MEMORY;
        if (!text[0]) {
            zw_fail(err, ZW_E_OPTION, "%s %s: a number is expected", label, o->name);
            return ZW_E_OPTION;
        }
        ZW_TRY(read_value(sys, label, text, of_model, &piece[*n], err));
        ++*n;
    }
    snprintf(o->unit, sizeof o->unit, "%.39s", of_model);
    o->factor = 1;
    bool named = false;
    char shown[ZW_PARAMETER_RANGE_UNIT];
    for (int k = *n - 1; k >= 0; k--) {
        if (piece[k].unit[0]) {
            snprintf(shown, sizeof shown, "%s", o->unit);
            ZW_TRY(take_unit(o, label, piece[k].unit, of_model, &factor, err));
            if (!named)
                o->factor = factor;
            else
                snprintf(o->unit, sizeof o->unit, "%s", shown);
            named = true;
        }
        piece[k].value = piece[k].formula ? piece[k].number : piece[k].number * factor;
    }
    return ZW_OK;
}

/* The numbers of "A:B:N unit". A number without a unit has that of the next one. */
static zw_status read_numbers(zw_parameter_range *o, const zw_system *sys, const char *text,
                              const char *s, const char *of_model, zw_error *err) {
    zw_parameter_range_piece piece[3];
    int n = 0;
    zw_status status =
        zw_parameter_range_pieces(o, sys, "--over", s, ":", of_model, 3, piece, &n, err);
    if (status == ZW_E_OPTION)
        zw_error_hint(err, "%s", how_to);
    ZW_TRY(status);
    if (n < 2 || n > 3)
        return report_bad_range(
            text, n < 2 ? "two values are needed, from and to" : "that is too much", err);
    if (n == 3 && (piece[2].number != floor(piece[2].number) || piece[2].number < 2 ||
                   piece[2].number > ROWS_MAX))
        return report_bad_range(text, "the rows are a whole number, at least 2 and at most 1000000",
                                err);
    o->rows = n == 3 ? (int)piece[2].number : 0;
    o->from = piece[0].value;
    o->to = piece[1].value;
    return ZW_OK;
}

zw_status zw_parameter_range_name(zw_parameter_range *out, const char *text, zw_error *err) {
    const char *equals = strchr(text, '=');
    *out = (zw_parameter_range){.parameter = -1, .factor = 1};
    if (!equals || equals - text >= ZW_PARAMETER_RANGE_NAME)
        return report_bad_range(text, "there is no NAME=", err);
    for (size_t i = 0, end = (size_t)(equals - text), k = 0; i < end; i++)
        if (!isspace((unsigned char)text[i]))
            out->name[k++] = text[i];
    return ZW_OK;
}

zw_status zw_parameter_range_read(zw_parameter_range *out, const zw_system *sys, const char *text,
                                  zw_error *err) {
    const char *unit;
    ZW_TRY(zw_parameter_range_name(out, text, err));
    ZW_TRY(find_quantity(out, sys, &unit, err));
    return zw_parameter_range_range(out, sys, text, unit, err);
}

zw_status zw_parameter_range_range(zw_parameter_range *out, const zw_system *sys, const char *text,
                                   const char *unit, zw_error *err) {
    ZW_TRY(read_numbers(out, sys, text, strchr(text, '=') + 1, unit, err));
    if (out->from == out->to || !isfinite(out->from) || !isfinite(out->to))
        return report_bad_range(text, "both values are the same, or not finite", err);
    return ZW_OK;
}

/* one number of "1,2,5 N" and the unit after it; *factor is NaN if it has none */
static zw_status read_piece(zw_parameter_range *o, const char *text, const char *s,
                            const char *of_model, double *number, double *factor, zw_error *err) {
    char piece[80], *after;
    snprintf(piece, sizeof piece, "%.*s", (int)strcspn(s, ","), s);
    *number = strtod(piece, &after);
    if (after == piece || !isfinite(*number)) {
        zw_fail(err, ZW_E_OPTION, "--for %.80s: a number is expected", text);
        zw_error_hint(err, "--for \"F=1,2,5 [N]\"");
        return ZW_E_OPTION;
    }
    char *end = after + strlen(after);
    while (end > after && isspace((unsigned char)end[-1]))
        *--end = '\0';
    *factor = NAN;
    if (*skip_blanks(after))
        return take_unit(o, "--over", skip_blanks(after), of_model, factor, err);
    return ZW_OK;
}

zw_status zw_parameter_range_list(zw_parameter_range *out, const zw_system *sys, const char *text,
                                  int most, double *value, int *n, zw_error *err) {
    const char *of_model;
    double factor[ZW_PARAMETER_RANGE_LIST];
    ZW_TRY(zw_parameter_range_name(out, text, err));
    ZW_TRY(find_quantity(out, sys, &of_model, err));
    if (out->parameter < 0) {
        zw_fail(err, ZW_E_OPTION, "--for %s: it is not a parameter", out->name);
        zw_error_hint(err, "curves are grouped by the values of one: --for F=1,2,5");
        return ZW_E_OPTION;
    }
    snprintf(out->unit, sizeof out->unit, "%.39s", of_model);
    *n = 0;
    for (const char *s = strchr(text, '='); s; s = strchr(s, ',')) {
        if (*n == most || *n == ZW_PARAMETER_RANGE_LIST)
            return zw_fail(err, ZW_E_OPTION, "--for %.80s: more than %d values", text, *n);
        ZW_TRY(read_piece(out, text, ++s, of_model, &value[*n], &factor[*n], err));
        ++*n;
    }
    double last = 1;
    for (int i = *n - 1; i >= 0; i--) {
        last = isnan(factor[i]) ? last : factor[i];
        value[i] *= last;
        if (i == *n - 1)
            out->factor = last;
    }
    return ZW_OK;
}

/* --------------------------------------------------------------------------------- what is held */

/* is it "NAME", or "NAME=..."? */
static bool is_name_of(const char *hold, const char *name) {
    size_t n = strlen(name);
    return strncmp(hold, name, n) == 0 && (hold[n] == '\0' || strchr(" =", hold[n]));
}

zw_status zw_parameter_range_hold(const zw_parameter_range *over, zw_equilibria_options *motion,
                                  zw_arena *arena, zw_error *err) {
    const char **hold = ZW_NEW(arena, const char *, motion->nhold + 2);
    if (!hold)
        return zw_out_of_memory(err, NULL);
    if (motion->nsolve > 0)
        return zw_fail(
            err, ZW_E_OPTION,
            "--over follows one parameter; --solve cannot solve for others at the same time");
    for (int i = 0; i < motion->nhold; i++) {
        hold[i] = motion->hold[i];
        if (over->parameter < 0 && is_name_of(hold[i], over->name))
            return ZW_OK;
    }
    if (over->parameter < 0)
        hold[motion->nhold++] = over->name;
    motion->hold = hold;
    return ZW_OK;
}

/* names the entries of the state in which members of the family differ most, for the advice */
static void name_free(const zw_equilibria *e, const double *direction, char *out, size_t size) {
    double most = 0;
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < e->kernel->nx; i++)
        most = fmax(most, fabs(direction[i]) / e->scale[i]);
    for (int i = e->kernel->nx - 1; i >= 0; i--) { /* velocities first */
        const char *unit, *name = zw_equilibria_entry(e, i, &unit);
        if (fabs(direction[i]) / e->scale[i] < NAMED_PART * most || used + strlen(name) + 4 > size)
            continue;
        used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "", name);
    }
}

zw_status zw_parameter_range_refuse_freedom(zw_steady_way *path, zw_error *err) {
    int nfree;
    double *direction = ZW_NEW(&path->e->arena, double, path->e->kernel->nx + 1);
    char names[160];
    if (!direction)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(
        zw_follow_to(path->follow, path->low + GENERIC_FRACTION * (path->high - path->low), err));
    ZW_TRY(zw_follow_freedom(path->follow, &nfree, direction, err));
    if (nfree == 0)
        return ZW_OK;
    name_free(path->e, direction, names, sizeof names);
    zw_fail(err, ZW_E_MODEL,
            "at every value of %s the steady motions form a family with %d parameter%s; choose one "
            "member",
            path->over->name, nfree, nfree == 1 ? "" : "s");
    zw_error_hint(err, "hold %s of %s, for example --hold \"%.*s\"", nfree == 1 ? "one" : "some",
                  names, (int)strcspn(names, ","), names);
    return ZW_E_MODEL;
}

/* ----------------------------------------------------------------------------------- at a value */

/* all parameters at a value of the range */
static zw_status parameters_at(zw_steady_way *w, double value, double *p, zw_error *err) {
    memcpy(p, w->e->p, sizeof(double) * (size_t)w->e->sys->np);
    if (w->over->parameter < 0)
        return ZW_OK;
    p[w->over->parameter] = value;
    return zw_system_param_follow(w->e->sys, w->given, p, err);
}

/* the start of the model at parameters p, completed as for a simulation */
static zw_status complete_start(zw_steady_way *w, const double *p, zw_error *err) {
    const zw_equilibria *e = w->e;
    ZW_TRY(zw_system_complete(e->sys, e->options.active, e->options.t, p, w->start, NULL, err));
    return zw_equations_state(&e->eq, e->options.t, p, w->start, w->x, err);
}

/* The same by projecting the start of the model onto the constraints while given entries stay: a
 * thousand times faster, and equal where the given entries determine the rest. */
static zw_status adjust_start(zw_steady_way *w, const double *p, zw_error *err) {
    const zw_equilibria *e = w->e;
    ZW_TRY(zw_system_start_said(e->sys, p, w->start, w->said, NULL, err));
    memcpy(w->x, e->start, sizeof(double) * (size_t)e->kernel->nx);
    for (int i = 0; i < e->kernel->nx; i++) {
        w->fixed[i] = w->said[i] == ZW_GIVEN;
        if (w->fixed[i])
            w->x[i] = w->start[i];
    }
    ZW_TRY(zw_flow_set_parameters(e->flow, p, err));
    return zw_flow_project(e->flow, e->options.t, w->x, w->fixed, err);
}

/* the held quantities, with the values that the start or the options give them at parameters p */
static zw_status held_at(zw_steady_way *w, const double *p, bool quick, double *held,
                         zw_error *err) {
    const zw_equilibria *e = w->e;
    ZW_TRY(quick ? adjust_start(w, p, err) : complete_start(w, p, err));
    if (w->observes) {
        ZW_TRY(zw_flow_set_parameters(e->flow, p, err));
        ZW_TRY(zw_flow_observables(e->flow, e->options.t, w->x, w->observed, err));
    }
    for (int i = 0; i < e->options.nhold; i++) {
        const zw_held *h = &e->held[i];
        if (i == w->held)
            continue;
        held[i] = e->hold[i].observable ? w->observed[e->hold[i].index] : w->x[e->hold[i].index];
        if (h->value)
            ZW_TRY(zw_model_number(&held[i], e->sys, p, "--hold", h->value, h->unit, err));
    }
    return ZW_OK;
}

zw_status zw_parameter_range_set(void *user, double value, double *p, double *held, zw_error *err) {
    zw_steady_way *w = user;
    const zw_system *sys = w->e->sys;
    if (w->over->stop && w->over->stop(w->over->stop_user, 0))
        return zw_fail(err, ZW_E_NUMERIC, "stopped on the way");
    ZW_TRY(parameters_at(w, value, p, err));
    if (w->follows)
        ZW_TRY(held_at(w, p, w->quick, held, err));
    if (w->held >= 0)
        held[w->held] = value;
    for (int i = 0; i < sys->nsignal; i++)
        w->u[i] = zw_system_signal_at(sys, i, p, w->e->options.t, w->e->options.t);
    if (sys->nsignal > 0)
        zw_flow_set_inputs(w->e->flow, w->u);
    return ZW_OK;
}

/* the largest difference of held values, relative to the sizes of the state */
static double largest_difference(const zw_steady_way *w, const double *a, const double *b) {
    double most = 0;
    for (int i = 0; i < w->e->options.nhold; i++) {
        const zw_hold *h = &w->e->hold[i];
        double unit = h->observable ? 1 + fabs(a[i]) : w->e->scale[h->index];
        if (i != w->held)
            most = fmax(most, fabs(a[i] - b[i]) / unit);
    }
    return most;
}

/* do held values depend on the parameter, and does the fast completion find the same ones? */
static zw_status examine_holds(zw_steady_way *w, zw_error *err) {
    const zw_equilibria *e = w->e;
    int n = e->options.nhold;
    zw_error trouble = {0};
    for (int i = 0; i < n; i++)
        w->observes |= e->hold[i].observable;
    if (w->over->parameter < 0 || n == 0)
        return ZW_OK;
    w->quick = !e->eq.from_system && e->kernel->nx == e->sys->nq + e->sys->nv;
    for (int k = 0; k < 2; k++) {
        double *held = w->held_at + (size_t)k * (size_t)n, *other = w->held_at + (size_t)(2 * n);
        ZW_TRY(parameters_at(w, k == 0 ? w->over->from : w->over->to, w->p, err));
        ZW_TRY(held_at(w, w->p, false, held, err));
        w->quick = w->quick && held_at(w, w->p, true, other, &trouble) >= 0 &&
                   largest_difference(w, held, other) <= ZW_ROUNDOFF_SOLVED;
    }
    w->follows = largest_difference(w, w->held_at, w->held_at + n) > ZW_ROUNDOFF_SOLVED;
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------ following */

static zw_status allocate_arrays(zw_steady_way *w, zw_error *err) {
    zw_equilibria *e = w->e;
    const zw_system *sys = e->sys;
    zw_arena *arena = &e->arena;
    w->given = ZW_NEW(arena, bool, sys->np + 1);
    w->p = ZW_NEW(arena, double, sys->np + 1);
    w->start = ZW_NEW(arena, double, sys->nq + sys->nv + 1);
    w->said = ZW_NEW(arena, zw_said, sys->nq + sys->nv + 1);
    w->x = ZW_NEW(arena, double, e->kernel->nx + 1);
    w->u = ZW_NEW(arena, double, sys->nsignal + 1);
    w->observed = ZW_NEW(arena, double, e->kernel->nobs + 3);
    w->held_at = ZW_NEW(arena, double, 3 * e->options.nhold + 1);
    w->fixed = ZW_NEW(arena, bool, e->kernel->nx + 1);
    return zw_arena_status(arena, err);
}

/* the equilibrium at the first value, with the checks of a single one */
static zw_status find_first(zw_steady_way *w, zw_error *err) {
    zw_equilibria *e = w->e;
    const zw_parameter_range *o = w->over;
    double first = o->parameter >= 0 ? e->p[o->parameter] : e->hold[w->held].value;
    w->begin = fmin(fmax(first, fmin(o->from, o->to)), fmax(o->from, o->to));
    for (int i = 0; i < e->options.nhold; i++)
        w->held_at[i] = e->hold[i].value;
    ZW_TRY(zw_parameter_range_set(w, w->begin, w->p, w->held_at, err));
    for (int i = 0; i < e->options.nhold; i++) {
        e->hold[i].value = w->held_at[i];
        if (!e->hold[i].observable)
            e->motion.x[e->hold[i].index] = w->held_at[i];
    }
    ZW_TRY(zw_flow_set_parameters(e->flow, w->p, err));
    return zw_equilibria_find(e, err);
}

static zw_status follow_to_end(zw_steady_way *w, int k, double value, double *reached,
                               zw_error *err) {
    zw_error trouble = {0};
    zw_status status = zw_follow_to(w->follow, value, &trouble);
    *reached = zw_follow_value(w->follow);
    if (status >= 0)
        return status;
    zw_follow_info info = zw_follow_information(w->follow);
    if (status != ZW_E_NUMERIC || info.end == ZW_FOLLOW_GOES_ON) {
        if (err)
            *err = trouble;
        return status;
    }
    w->stop[k] = (zw_parameter_range_stop){.end = info.end, .value = info.end_value};
    snprintf(w->stop[k].why, sizeof w->stop[k].why, "%.250s", trouble.text);
    return ZW_OK;
}

static zw_status follow_range(zw_steady_way *w, zw_error *err) {
    const zw_parameter_range *o = w->over;
    zw_equilibria *e = w->e;
    zw_follow_options options = zw_follow_options_default();
    double a, b;
    options.from = o->from;
    options.to = o->to;
    options.nhold = e->options.nhold;
    options.hold = e->hold;
    options.set = zw_parameter_range_set;
    options.user = w;
    ZW_TRY(
        zw_follow_create(&w->follow, e->flow, e->options.t, e->motion.x, e->scale, &options, err));
    zw_status status = zw_follow_begin(w->follow, w->begin, e->motion.x, err);
    if (status == ZW_E_NUMERIC && o->parameter < 0)
        zw_error_hint(err,
                      "there is no steady motion near this value of %s: if parameters determine "
                      "it, follow one of them instead",
                      o->name);
    ZW_TRY(status);
    ZW_TRY(follow_to_end(w, 0, o->from, &a, err));
    ZW_TRY(follow_to_end(w, 1, o->to, &b, err));
    w->low = fmin(a, b);
    w->high = fmax(a, b);
    if (w->low == w->high)
        return zw_fail(err, ZW_E_NUMERIC, "%s",
                       w->stop[0].end != ZW_FOLLOW_GOES_ON ? w->stop[0].why : w->stop[1].why);
    return ZW_OK;
}

zw_status zw_parameter_range_first(zw_steady_way *out, const zw_parameter_range *over,
                                   zw_equilibria *e, zw_error *err) {
    *out = (zw_steady_way){.over = over, .e = e, .held = -1};
    ZW_TRY(allocate_arrays(out, err));
    if (over->parameter >= 0)
        out->given[over->parameter] = true;
    for (int i = 0; over->parameter < 0 && i < e->options.nhold; i++)
        if (strcmp(e->held[i].name, over->name) == 0)
            out->held = i;
    if (over->parameter < 0 && out->held < 0)
        return zw_fail(err, ZW_E_NAME, "%s is neither a parameter nor held", over->name);
    ZW_TRY(examine_holds(out, err));
    return find_first(out, err);
}

zw_status zw_parameter_range_begin(zw_steady_way *out, const zw_parameter_range *over,
                                   zw_equilibria *e, zw_error *err) {
    ZW_TRY(zw_parameter_range_first(out, over, e, err));
    zw_status status = follow_range(out, err);
    if (status < 0)
        zw_parameter_range_end(out);
    return status;
}

void zw_parameter_range_end(zw_steady_way *path) {
    zw_follow_destroy(path->follow);
    path->follow = NULL;
}
