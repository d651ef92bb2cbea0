/* SPDX-License-Identifier: MIT */
/* Connecting orbits as text, as JSON and as tables. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/tolerance.h"
#include "connections.h"
#include "motion/motion_words.h"
#include "motion/notes.h"
#include "motion/segments/periodic.h"
#include "zwang/simulate.h"

enum { DIGITS = 10 };
/* Relative to the range: a larger error is reported as a warning. Six digits are those of
 * a plot. */
#define ERROR_REPORTED 1e-6
/* Relative to the scale of an entry: a smaller velocity is not printed, a smaller value is printed
 * as 0. Equilibria are solved for to round-off. */
#define VELOCITY_ZERO ZW_ROUNDOFF_SOLVED
#define VALUE_ZERO ZW_ROUNDOFF_SUM

/* prints a value with its accurate digits */
static void put_known(zw_text *out, const zw_parameter_range *o, double value, double error) {
    zw_text_known(out, value / o->factor, error / fabs(o->factor), DIGITS);
    zw_text_printf(out, "%s%s", o->unit[0] ? " " : "", o->unit);
}

static void put_value(zw_text *out, const zw_parameter_range *o, double value) {
    put_known(out, o, value, 0);
}

/* --------------------------------------------------------------------------------------- people */

static void put_state(zw_text *out, const zw_connections *s, const double *x) {
    bool any = false;
    for (int i = 0; i < s->nx; i++) {
        const char *unit, *name = zw_equilibria_entry(s->e, i, &unit);
        bool own = i >= s->e->eq.nq;
        if (own && fabs(x[i]) < VELOCITY_ZERO * s->e->scale[i])
            continue; /* velocities at rest */
        double value = fabs(x[i]) < VALUE_ZERO * s->e->scale[i] ? 0 : x[i];
        zw_text_printf(out, "%s%s = %.8g%s%s", any ? ", " : "", name, value, unit[0] ? " " : "",
                       unit);
        any = true;
    }
}

static void put_eigenvalues(zw_text *out, const double *re, const double *im, int n) {
    for (int i = 0; i < n; i++)
        if (im[i] >= 0)
            zw_text_printf(out, im[i] > 0 ? "%s%.6g +- %.6gi" : "%s%.6g", i ? ", " : "", re[i],
                           im[i]);
}

static const char *birth_words(zw_connection_birth kind) {
    switch (kind) {
    case ZW_BIRTH_STABLE:
        return "one stable cycle is born";
    case ZW_BIRTH_UNSTABLE:
        return "one unstable cycle is born";
    case ZW_BIRTH_MANY:
        return "infinitely many unstable cycles are near (a saddle-focus)";
    case ZW_BIRTH_UNKNOWN:
        break;
    }
    return "";
}

static void put_birth(zw_text *out, const zw_connections *s, const zw_connection_found *f) {
    if (isnan(f->quantity))
        return;
    zw_text_printf(out, "    saddle quantity %.8g 1/s", f->quantity);
    if (f->birth == ZW_BIRTH_UNKNOWN)
        zw_text_put(out, ": it does not tell what is born");
    else
        zw_text_printf(out, ": %s", birth_words(f->birth));
    if (f->birth != ZW_BIRTH_MANY && f->born)
        zw_text_printf(out, ", for %s %s ", s->over[0].name, f->born > 0 ? ">" : "<");
    if (f->birth != ZW_BIRTH_MANY && f->born)
        put_known(out, &s->over[0], f->value, f->uncertain);
    zw_text_put(out, "\n");
    if (f->both)
        zw_text_printf(out, "    the motion to the other side connects as well%s%s\n",
                       s->has_turn ? ", with turns the other way" : "",
                       f->birth == ZW_BIRTH_UNKNOWN
                           ? ""
                           : ": on the other side of this value a cycle runs along both");
}

static const char *side_words(const zw_connections *s, int side) {
    if (s->has_other)
        return side > 0 ? "on the positive side" : "on the negative side";
    return side > 0 ? "on the side where it came from" : "on the other side";
}

static void put_evidence(zw_text *out, const zw_connections *s, const zw_connection_found *f) {
    if (f->orbit >= 0) {
        zw_text_printf(out,
                       "    from the periodic orbit with period %.6g s at %s = %.10g, whose branch "
                       "ends here\n",
                       f->orbit_period, s->over[0].name, f->orbit_value / s->over[0].factor);
        return;
    }
    for (int k = 0; k < 2; k++) {
        zw_text_printf(out, "    at %s = %.16g", s->over[0].name,
                       f->bisected[k] / s->over[0].factor);
        zw_text_printf(out, " it passes %s, at %.1e of its way%s\n", side_words(s, f->side[k]),
                       f->nearest[k], f->way < 0 ? ", backwards in time" : "");
    }
}

static void put_found(zw_text *out, const zw_connections *s, const zw_connection_found *f) {
    zw_text_printf(out, "  %s = ", s->over[0].name);
    put_known(out, &s->over[0], f->value, f->uncertain);
    zw_text_printf(out, ": %s", s->has_other ? "heteroclinic" : "homoclinic");
    if (s->has_turn)
        zw_text_printf(out, ", turned by %s", s->options.turn);
    zw_text_printf(out, ", to side %+d; ", f->launch);
    if (f->solved)
        zw_text_printf(out, "known to %.1e\n", f->uncertain / s->over[0].factor);
    else
        zw_text_printf(out, "by bisection alone: %s\n", f->why);
    for (int e = 0; e < (s->has_other ? 2 : 1); e++) {
        zw_text_put(out, e ? "    to    " : "    from  ");
        put_state(out, s, f->saddle[e]);
        zw_text_put(out, "; eigenvalues ");
        put_eigenvalues(out, f->re + e * f->n, f->im + e * f->n, f->n);
        zw_text_put(out, " 1/s\n");
    }
    put_birth(out, s, f);
    if (f->solved)
        zw_text_printf(
            out,
            "    %.6g s from a distance of %.1e of its size to one of %.1e; %d intervals, "
            "error about %.1e\n",
            f->info.time, f->info.distance[0], f->info.distance[1], f->info.intervals,
            f->info.mesh);
    put_evidence(out, s, f);
}

static void put_curve(zw_text *out, const zw_connections *s, const zw_connections_curve *c) {
    const zw_parameter_range *a = &s->over[0], *b = &s->over[1];
    if (c->n == 0)
        return;
    const zw_connection_point *first = &s->point[c->first], *last = &s->point[c->first + c->n - 1];
    zw_text_printf(out, "  curve through %s = ", a->name);
    put_known(out, a, s->found[c->of].value, s->found[c->of].uncertain);
    zw_text_printf(out, ": %d points, from %s = ", c->n, b->name);
    put_value(out, b, first->second);
    zw_text_printf(out, " (%s = ", a->name);
    put_value(out, a, first->value);
    zw_text_put(out, ") to ");
    put_value(out, b, last->second);
    zw_text_put(out, " (");
    put_value(out, a, last->value);
    zw_text_put(out, ")\n");
    for (int side = 0; side < 2; side++)
        if (c->is_flat[side])
            zw_text_printf(out,
                           "    ends %s where an eigenvalue of the saddle goes to zero: it meets "
                           "another steady motion\n",
                           side ? "upwards" : "downwards");
        else if (c->end[side] != ZW_CONT_AT_BOUND && c->end[side] != ZW_CONT_GOES_ON)
            zw_text_printf(out, "    ends %s at %s\n", side ? "upwards" : "downwards",
                           zw_motion_end_words(c->end[side]));
    for (int i = c->first; i < c->first + c->n; i++)
        if (s->point[i].neutral || s->point[i].fold) {
            zw_text_printf(out, "    %s = ", b->name);
            put_value(out, b, s->point[i].second);
            zw_text_printf(out, ", %s = ", a->name);
            put_value(out, a, s->point[i].value);
            zw_text_put(out, s->point[i].fold ? ": the curve turns back\n"
                                              : ": the saddle is neutral, what is born changes\n");
        }
}

char *zw_connections_text(const zw_connections *s) {
    zw_text out;
    zw_allocator alloc = zw_context_allocator(s->sys->ctx);
    zw_text_init(&out, &alloc);
    zw_text_printf(&out, "%s: %d connecting orbit%s over %s\n", s->sys->name, s->nfound,
                   s->nfound == 1 ? "" : "s", s->over[0].name);
    for (int i = 0; i < s->nfound; i++)
        put_found(&out, s, &s->found[i]);
    if (s->jumps)
        zw_text_printf(&out,
                       "  at %d place%s, first near %s = %.6g, the side changes without a "
                       "connection: the motion passes at %.2g of its way\n",
                       s->jumps, s->jumps == 1 ? "" : "s", s->over[0].name,
                       s->jump_at / s->over[0].factor, s->jump_nearest);
    for (int i = 0; i < s->ncurve; i++)
        put_curve(&out, s, &s->curve[i]);
    return zw_text_take(&out);
}

/* ----------------------------------------------------------------------------------------- JSON */

static void json_number(zw_text *out, const char *key, double value) {
    zw_text_printf(out, ", \"%s\": ", key);
    zw_text_json_number(out, value);
}

static void json_list(zw_text *out, const char *key, const double *v, int n) {
    zw_text_printf(out, ", \"%s\": [", key);
    for (int i = 0; i < n; i++) {
        zw_text_put(out, i ? ", " : "");
        zw_text_json_number(out, v[i]);
    }
    zw_text_put(out, "]");
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

static void json_found(zw_text *out, const zw_connections *s, const zw_connection_found *f) {
    zw_text_put(out, "{\"value\": ");
    zw_text_json_number(out, f->value);
    json_number(out, "uncertain", f->uncertain);
    zw_text_printf(out,
                   ", \"kind\": \"%s\", \"solved\": %s, \"launch\": %d, \"way\": %d, \"both\": %s",
                   s->has_other ? "heteroclinic" : "homoclinic", f->solved ? "true" : "false",
                   f->launch, f->way, f->both ? "true" : "false");
    json_list(out, "bisected", f->bisected, 2);
    zw_text_printf(out, ", \"sides\": [%d, %d]", f->side[0], f->side[1]);
    json_list(out, "nearest", f->nearest, 2);
    json_number(out, "quantity", f->quantity);
    zw_text_printf(out, ", \"birth\": \"%s\", \"born\": %d", birth_word(f->birth), f->born);
    json_number(out, "time", f->info.time);
    json_list(out, "distance", f->info.distance, 2);
    zw_text_printf(out, ", \"intervals\": %d", f->info.intervals);
    json_number(out, "error", f->info.mesh);
    for (int e = 0; e < 2; e++) {
        json_list(out, e ? "to" : "from", f->saddle[e], s->nx);
        json_list(out, e ? "to_re" : "from_re", f->re + e * f->n, f->n);
        json_list(out, e ? "to_im" : "from_im", f->im + e * f->n, f->n);
    }
    zw_text_put(out, "}");
}

char *zw_connections_json(const zw_connections *s) {
    zw_text out;
    zw_allocator alloc = zw_context_allocator(s->sys->ctx);
    zw_text_init(&out, &alloc);
    zw_text_put(&out, "{\"model\": ");
    zw_text_json(&out, s->sys->name);
    zw_text_put(&out, ", \"over\": ");
    zw_text_json(&out, s->over[0].name);
    zw_text_put(&out, ", \"entries\": [");
    for (int i = 0; i < s->nx; i++) {
        const char *unit;
        zw_text_put(&out, i ? ", " : "");
        zw_text_json(&out, zw_equilibria_entry(s->e, i, &unit));
    }
    zw_text_put(&out, "], \"connections\": [");
    for (int i = 0; i < s->nfound; i++) {
        zw_text_put(&out, i ? ",\n" : "\n");
        json_found(&out, s, &s->found[i]);
    }
    zw_text_printf(&out, "\n], \"jumps\": %d", s->jumps);
    if (s->has_second) {
        zw_text_put(&out, ", \"marks\": ");
        zw_text_json(&out, s->over[1].name);
        zw_text_put(&out, ", \"points\": [");
        for (int i = 0; i < s->npoint; i++) {
            const zw_connection_point *p = &s->point[i];
            zw_text_put(&out, i ? ",\n{\"value\": " : "\n{\"value\": ");
            zw_text_json_number(&out, p->value);
            json_number(&out, "second", p->second);
            json_number(&out, "time", p->time);
            json_number(&out, "quantity", p->quantity);
            zw_text_printf(&out, ", \"neutral\": %s, \"fold\": %s, \"curve\": %d}",
                           p->neutral ? "true" : "false", p->fold ? "true" : "false", p->curve);
        }
        zw_text_put(&out, "\n]");
    }
    zw_text_put(&out, "}\n");
    return zw_text_take(&out);
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
        return zw_fail(err, ZW_E_NUMERIC, "the connecting orbit was not solved for: %s", f->why);
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
