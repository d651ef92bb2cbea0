/* SPDX-License-Identifier: MIT */
/* Connecting orbits in a report and in tables, and what is uncertain about them. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/tolerance.h"
#include "connections.h"
#include "motion/motion_report.h"
#include "motion/motion_words.h"
#include "motion/notes.h"
#include "motion/segments/periodic.h"
#include "zwang/simulate.h"

/* Relative to the range: a larger error is reported as a warning. Six digits are those of
 * a plot. */
#define ERROR_REPORTED 1e-6
/* Relative to the scale of an entry: a smaller velocity is not printed, a smaller value is printed
 * as 0. Equilibria are solved for to round-off. */
#define VELOCITY_ZERO ZW_ROUNDOFF_SOLVED
#define VALUE_ZERO ZW_ROUNDOFF_SUM

/* ------------------------------------------------------------------------------------ report */

static const char *time_unit(const zw_connections *s) {
    return s->sys->no_units ? "" : "s";
}

static const char *rate_unit(const zw_connections *s) {
    return s->sys->no_units ? "" : "1/s";
}

/* a value of the first (0) or second parameter */
static void report_value(const zw_connections *s, int which, const char *key, double value,
                         double error, zw_report *out) {
    zw_shown how = zw_motion_shown(s->sys, &s->over[which], error);
    zw_report_number(out, key, value, &how);
}

/* An equilibrium, of which sentences do not show velocities that are zero. */
static void report_state(const zw_connections *s, const double *x, zw_report *out) {
    bool any = false;
    zw_report_list(out, "state");
    for (int i = 0; i < s->nx; i++) {
        const char *unit, *name = zw_equilibria_entry(s->e, i, &unit);
        bool rests = i >= s->e->eq.nq && fabs(x[i]) < VELOCITY_ZERO * s->e->scale[i];
        double value = fabs(x[i]) < VALUE_ZERO * s->e->scale[i] ? 0 : x[i];
        zw_report_open(out, NULL);
        zw_report_word(out, "name", name);
        zw_report_number(out, "value", value, &(zw_shown){.unit = unit, .digits = 8});
        if (!rests)
            zw_report_say(out, any ? ", {name} = {value}" : "{name} = {value}");
        any |= !rests;
        zw_report_close(out);
    }
    zw_report_close(out);
}

static void report_saddle(const zw_connections *s, const zw_connection_found *f, int end,
                          zw_report *out) {
    zw_report_say(out, end ? "    to    " : "    from  ");
    zw_report_open(out, end ? "to" : "from");
    report_state(s, f->saddle[end], out);
    zw_report_complexes(out, "eigenvalues", f->n, f->re + (size_t)(end * f->n),
                        f->im + (size_t)(end * f->n),
                        &(zw_shown){.unit = rate_unit(s), .digits = 6});
    zw_report_say(out, "; eigenvalues {eigenvalues}\n");
    zw_report_close(out);
}

static const char *birth_word(zw_connection_birth kind) {
    switch (kind) {
    case ZW_BIRTH_UNKNOWN:
        return "unknown";
    case ZW_BIRTH_STABLE:
        return "stable";
    case ZW_BIRTH_UNSTABLE:
        return "unstable";
    case ZW_BIRTH_MANY:
        return "many";
    }
    return "";
}

static const char *birth_sentence(zw_connection_birth kind) {
    switch (kind) {
    case ZW_BIRTH_STABLE:
        return ": one stable cycle is born";
    case ZW_BIRTH_UNSTABLE:
        return ": one unstable cycle is born";
    case ZW_BIRTH_MANY:
        return ": infinitely many unstable cycles are near (a saddle-focus)";
    case ZW_BIRTH_UNKNOWN:
        break;
    }
    return ": it does not determine which cycles are born";
}

static void report_birth(const zw_connections *s, const zw_connection_found *f, zw_report *out) {
    bool one_sided = f->birth != ZW_BIRTH_MANY && f->born;
    zw_report_number(out, "saddle_quantity", f->quantity,
                     &(zw_shown){.unit = rate_unit(s), .digits = 8});
    zw_report_word(out, "birth", birth_word(f->birth));
    zw_report_word(out, "born_for", !f->born ? NULL : f->born > 0 ? "larger" : "smaller");
    zw_report_flag(out, "both_sides", f->both);
    if (isnan(f->quantity))
        return;
    zw_report_say(out, "    saddle quantity {saddle_quantity}");
    zw_report_say(out, birth_sentence(f->birth));
    if (one_sided)
        zw_report_say(out, f->born > 0 ? ", for {over} > {value}" : ", for {over} < {value}");
    zw_report_say(out, "\n");
    if (!f->both)
        return;
    zw_report_say(out, "    the motion to the other side connects as well{turn?, with turns in the "
                       "other direction}");
    zw_report_say(out, f->birth == ZW_BIRTH_UNKNOWN
                           ? "\n"
                           : ": on the other side of this value a cycle runs along both\n");
}

static const char *side_words(const zw_connections *s, int side) {
    if (s->has_other)
        return side > 0 ? "on the positive side" : "on the negative side";
    return side > 0 ? "on the side where it came from" : "on the other side";
}

/* what bisection found on both sides of the value */
static void report_bisection(const zw_connections *s, const zw_connection_found *f,
                             zw_report *out) {
    const char *at[2] = {"bisected_from", "bisected_to"}, *near[2] = {"nearest_from", "nearest_to"},
               *side[2] = {"side_from", "side_to"};
    for (int k = 0; k < 2; k++) {
        zw_shown how = zw_motion_shown(s->sys, &s->over[0], 0);
        how.digits = 16;
        zw_report_number(out, at[k], f->bisected[k], &how);
        zw_report_count(out, side[k], f->side[k]);
        zw_report_number(out, near[k], f->nearest[k], &(zw_shown){.digits = 2});
    }
    zw_report_flag(out, "backwards", f->way < 0);
    zw_report_say(out, "    at {over} = {bisected_from} it passes ");
    zw_report_say(out, side_words(s, f->side[0]));
    zw_report_say(out, ", at {nearest_from} of the length of its path{backwards?, backwards in "
                       "time}\n    at {over} = {bisected_to} it passes ");
    zw_report_say(out, side_words(s, f->side[1]));
    zw_report_say(out, ", at {nearest_to} of the length of its path{backwards?, backwards in "
                       "time}\n");
}

/* the branch of periodic orbits from which it was solved */
static void report_orbit(const zw_connections *s, const zw_connection_found *f, zw_report *out) {
    report_value(s, 0, "orbit_value", f->orbit_value, 0, out);
    zw_report_number(out, "orbit_period", f->orbit_period,
                     &(zw_shown){.unit = time_unit(s), .digits = 6});
    zw_report_say(out, "    from the periodic orbit with period {orbit_period} at {over} = "
                       "{orbit_value}, whose branch ends here\n");
}

static void report_solution(const zw_connections *s, const zw_connection_found *f, zw_report *out) {
    zw_shown rough = {.digits = 2};
    zw_report_number(out, "time", f->info.time, &(zw_shown){.unit = time_unit(s), .digits = 6});
    zw_report_number(out, "distance_from", f->info.distance[0], &rough);
    zw_report_number(out, "distance_to", f->info.distance[1], &rough);
    zw_report_count(out, "intervals", f->info.intervals);
    zw_report_number(out, "error", f->info.mesh, &rough);
    if (f->solved)
        zw_report_say(out, "    {time} from a distance of {distance_from} of its size to one of "
                           "{distance_to}; {intervals|interval|intervals}, error about {error}\n");
}

static void report_found(const zw_connections *s, int index, zw_report *out) {
    const zw_connection_found *f = &s->found[index];
    zw_report_open(out, NULL);
    zw_report_count(out, "number", index);
    report_value(s, 0, "value", f->value, f->uncertain, out);
    zw_shown rough = zw_motion_shown(s->sys, &s->over[0], 0);
    rough.digits = 2;
    zw_report_number(out, "uncertainty", f->uncertain, &rough);
    zw_report_word(out, "kind", s->has_other ? "heteroclinic" : "homoclinic");
    zw_report_flag(out, "solved", f->solved);
    zw_report_word(out, "why_not_solved", f->solved ? NULL : f->why);
    zw_report_count(out, "side", f->launch);
    zw_report_say(out, "  {over} = {value}: {kind}{turn?, turned by {turn}}, to side ");
    zw_report_say(out, f->launch > 0 ? "+1; " : "-1; ");
    zw_report_say(out, f->solved ? "known to {uncertainty}\n"
                                 : "by bisection alone: {why_not_solved}\n");
    for (int end = 0; end < (s->has_other ? 2 : 1); end++)
        report_saddle(s, f, end, out);
    report_birth(s, f, out);
    report_solution(s, f, out);
    if (f->orbit >= 0)
        report_orbit(s, f, out);
    else
        report_bisection(s, f, out);
    zw_report_close(out);
}

static void report_point(const zw_connections *s, const zw_connection_point *p, zw_report *out) {
    zw_report_open(out, NULL);
    report_value(s, 0, "value", p->value, 0, out);
    report_value(s, 1, "second_value", p->second, 0, out);
    zw_report_number(out, "time", p->time, &(zw_shown){.unit = time_unit(s)});
    zw_report_number(out, "saddle_quantity", p->quantity, &(zw_shown){.unit = rate_unit(s)});
    zw_report_flag(out, "neutral", p->neutral);
    zw_report_flag(out, "fold", p->fold);
    zw_report_count(out, "curve", p->curve);
    if (p->neutral || p->fold)
        zw_report_say(out, p->fold ? "    {second_parameter} = {second_value}, {over} = {value}: "
                                     "the curve turns back\n"
                                   : "    {second_parameter} = {second_value}, {over} = {value}: "
                                     "the saddle is neutral, so the cycles born here change\n");
    zw_report_close(out);
}

static void report_end(const zw_connections_curve *c, int side, zw_report *out) {
    bool ordinary = c->end[side] == ZW_CONT_AT_BOUND || c->end[side] == ZW_CONT_GOES_ON;
    if (!c->is_flat[side] && ordinary)
        return;
    zw_report_open(out, NULL);
    zw_report_word(out, "direction", side ? "upwards" : "downwards");
    zw_report_word(out, "reason",
                   c->is_flat[side] ? "an eigenvalue of the saddle goes to zero"
                                    : zw_motion_end_words(c->end[side]));
    zw_report_say(out, c->is_flat[side] ? "    ends {direction} where {reason}: it meets another "
                                          "equilibrium\n"
                                        : "    ends {direction} at {reason}\n");
    zw_report_close(out);
}

static void report_curve(const zw_connections *s, const zw_connections_curve *c, zw_report *out) {
    if (c->n == 0)
        return;
    const zw_connection_point *first = &s->point[c->first], *last = first + c->n - 1;
    zw_report_open(out, NULL);
    report_value(s, 0, "through", s->found[c->of].value, s->found[c->of].uncertain, out);
    zw_report_count(out, "count", c->n);
    report_value(s, 0, "from", first->value, 0, out);
    report_value(s, 1, "second_from", first->second, 0, out);
    report_value(s, 0, "to", last->value, 0, out);
    report_value(s, 1, "second_to", last->second, 0, out);
    zw_report_say(out, "  curve through {over} = {through}: {count|point|points}, from "
                       "{second_parameter} = {second_from} ({over} = {from}) to {second_to} "
                       "({to})\n");
    zw_report_list(out, "ends");
    for (int side = 0; side < 2; side++)
        report_end(c, side, out);
    zw_report_close(out);
    zw_report_list(out, "points");
    for (int i = 0; i < c->n; i++)
        report_point(s, &first[i], out);
    zw_report_close(out);
    zw_report_close(out);
}

/* changes of side that are no connections */
static void report_jumps(const zw_connections *s, zw_report *out) {
    zw_report_count(out, "jumps", s->jumps);
    if (!s->jumps)
        return;
    zw_shown at = zw_motion_shown(s->sys, &s->over[0], 0);
    at.digits = 6;
    zw_report_number(out, "first_jump", s->jump_at, &at);
    zw_report_number(out, "jump_nearest", s->jump_nearest, &(zw_shown){.digits = 2});
    zw_report_say(out, "  at {jumps|place|places}, first near {over} = {first_jump}, the side "
                       "changes without a connection: the motion passes at {jump_nearest} of the "
                       "length of its path\n");
}

void zw_connections_report(const zw_connections *s, zw_report *out) {
    zw_report_word(out, "over", s->over[0].name);
    zw_report_word(out, "second_parameter", s->has_second ? s->over[1].name : NULL);
    zw_report_word(out, "turn", s->has_turn ? s->options.turn : NULL);
    zw_report_count(out, "connection_count", s->nfound);
    zw_report_say(out, "{model}: {connection_count|connecting orbit|connecting orbits} over "
                       "{over}\n");
    zw_report_list(out, "connections");
    for (int i = 0; i < s->nfound; i++)
        report_found(s, i, out);
    zw_report_close(out);
    report_jumps(s, out);
    if (!s->has_second)
        return;
    zw_report_list(out, "curves");
    for (int i = 0; i < s->ncurve; i++)
        report_curve(s, &s->curve[i], out);
    zw_report_close(out);
}

/* --------------------------------------------------------------------------------------- tables */

zw_status zw_connections_motion_table(zw_connections *s, int i, const zw_model_source *source,
                                      zw_table **out, zw_error *err) {
    assert(i >= 0 && i < zw_connections_count(s));
    const zw_connection_found *f = &s->found[i];
    zw_sim_number number[2] = {{.index = s->over[0].parameter, .value = f->value}};
    const zw_sim_numbers numbers = {.nparam = 1, .param = number};
    *out = NULL;
    if (!f->solved)
        return zw_fail(err, ZW_E_NUMERIC,
                       "the boundary value problem of the connecting orbit was not solved: %s",
                       f->why);
    const double value[2] = {f->value, s->begin[1]};
    ZW_TRY(zw_connection_move(s->c, value, err)); /* the flow then has its parameters */
    return zw_equilibria_motion_table(s->e, s->sys, source, &numbers,
                                      "connecting orbit by collocation", f->rows, f->t, f->x, out,
                                      err);
}

static zw_status fill_curves(const zw_connections *s, zw_table *t, const zw_model_source *source) {
    const zw_parameter_range *a = &s->over[0], *b = &s->over[1];
    char key[ZW_PARAMETER_RANGE_NAME + 8];
    ZW_TRY(zw_table_column(t, a->name, a->unit));
    ZW_TRY(zw_table_column(t, b->name, b->unit));
    ZW_TRY(zw_table_column(t, "time", "s"));
    ZW_TRY(zw_table_column(t, "quantity", "1/s"));
    ZW_TRY(zw_table_column(t, "curve", ""));
    ZW_TRY(zw_study_origin(t, s->sys, s->e->eq.principle, s->p, s->motion.active, source, "marks"));
    for (int w = 0; w < 2; w++) {
        snprintf(key, sizeof key, "param %s", s->over[w].name);
        zw_table_remove_note(t, key);
    }
    for (int i = 0; i < s->npoint; i++) {
        const zw_connection_point *p = &s->point[i];
        const double none[] = {NAN, NAN, NAN, NAN, NAN},
                     row[] = {p->value / a->factor, p->second / b->factor, p->time, p->quantity,
                              p->curve};
        if (i > 0 && s->point[i - 1].curve != p->curve)
            ZW_TRY(zw_table_row(t, none));
        ZW_TRY(zw_table_row(t, row));
    }
    return ZW_OK;
}

zw_status zw_connections_curve_table(const zw_connections *s, const zw_model_source *source,
                                     zw_table **out, zw_error *err) {
    assert(out);
    zw_allocator alloc = zw_context_allocator(s->sys->ctx);
    *out = NULL;
    if (!s->has_second)
        return zw_fail(err, ZW_E_OPTION, "without a second parameter there is no curve");
    *out = zw_table_create(&alloc);
    zw_status status = *out ? fill_curves(s, *out, source) : ZW_E_MEMORY;
    if (status >= 0)
        return status;
    zw_table_destroy(*out);
    *out = NULL;
    return zw_fail(err, status, "the table of connecting orbits could not be made");
}

/* ------------------------------------------------------------------------------------- warnings */

static void warn_connection(const zw_connections *s, const zw_connection_found *f,
                            zw_warnings *out) {
    const zw_parameter_range *o = &s->over[0];
    double range = fabs(o->to - o->from), apart = fabs(f->value - f->bisected[0]);
    if (!f->solved) {
        zw_warning d = zw_warning_of("solution", NAN,
                                     "the connection at %s = %.10g is known from bisection alone: "
                                     "%.200s",
                                     o->name, f->value / o->factor, f->why);
        zw_warnings_add(out, &d);
    } else if (!(f->uncertain < ERROR_REPORTED * range)) {
        zw_warning d =
            zw_warning_of("accuracy", NAN, "the connection at %s = %.10g is known to %.1e only",
                          o->name, f->value / o->factor, f->uncertain / o->factor);
        zw_warnings_add(out, &d);
    } else if (apart > ERROR_REPORTED * range) {
        zw_warning d =
            zw_warning_of("bisection", NAN,
                          "bisection has the connection at %s = %.10g, the boundary value "
                          "problem at %.10g",
                          o->name, f->bisected[0] / o->factor, f->value / o->factor);
        zw_warnings_add(out, &d);
    }
}

void zw_connections_warnings(const zw_connections *s, zw_warnings *out) {
    const zw_parameter_range *o = &s->over[0];
    for (int i = 0; i < s->nfound; i++)
        warn_connection(s, &s->found[i], out);
    if (!isnan(s->lost_at)) {
        zw_warning d = zw_warning_of("saddle", NAN, "the saddle is lost at %s = %.9g: %.200s",
                                     o->name, s->lost_at / o->factor, s->lost);
        zw_warnings_add(out, &d);
    }
    for (int i = 0; i < s->ncurve; i++)
        for (int side = 0; side < 2; side++) {
            const zw_connections_curve *c = &s->curve[i];
            if (c->end[side] != ZW_CONT_STUCK || c->is_flat[side])
                continue;
            zw_warning d = zw_warning_of(
                "curve", NAN, "curve %d ends %s at %s%s%.200s", i, side ? "upwards" : "downwards",
                zw_motion_end_words(c->end[side]), c->why[side][0] ? ": " : "", c->why[side]);
            zw_warnings_add(out, &d);
        }
}
