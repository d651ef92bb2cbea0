/* SPDX-License-Identifier: MIT */
/* Orbits at values that the user gives, one after the other, each solved for from the one before
 * (natural continuation, which ends at folds). If the next value is too far, half the distance is
 * tried first, and so on. Also events of the model at which branches stop. */
#include "orbits_sequence.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "orbits_stop.h"
#include "zwang/model.h"

enum { VALUES_MAX = 100000, HALVINGS = 6 };

/* ----------------------------------------------------------------------------------- the values */

static zw_status reject_text(const char *text, const char *what, zw_error *err) {
    zw_fail(err, ZW_E_OPTION, "--values %.60s: %s", text, what);
    zw_error_hint(err, "--values \"Omega=30.9, 30.8, 30.7 [rad/s]\"");
    return ZW_E_OPTION;
}

static zw_status find_parameter(zw_orbits *o, const char *text, const char *equals, zw_error *err) {
    const zw_system *s = o->sys;
    for (const char *c = text; c < equals; c++)
        if (!isspace((unsigned char)*c)) {
            size_t n = strlen(o->over.name);
            if (n + 2 > sizeof o->over.name)
                return reject_text(text, "the name is too long", err);
            o->over.name[n] = *c;
            o->over.name[n + 1] = '\0';
        }
    for (int i = 0; i < s->np; i++)
        if (strcmp(s->param[i].name, o->over.name) == 0) {
            o->over.parameter = i;
            return ZW_OK;
        }
    zw_fail(err, ZW_E_NAME, "--values: there is no parameter '%.60s'", o->over.name);
    return ZW_E_NAME;
}

zw_status zw_orbits_read_values(zw_orbits *o, zw_error *err) {
    const char *text = o->options.values, *equals = strchr(text, '='), *unit;
    char own[80] = "", piece[200];
    o->over = (zw_parameter_range){.parameter = -1, .factor = 1};
    if (!equals)
        return reject_text(text, "there is no NAME=", err);
    ZW_TRY(find_parameter(o, text, equals, err));
    unit = o->sys->param[o->over.parameter].unit;
    const char *bracket = strrchr(text, '[');
    if (bracket && strchr(bracket, ']'))
        snprintf(own, sizeof own, "%.*s", (int)(strcspn(bracket, "]") + 1), bracket);
    else if (unit[0])
        snprintf(own, sizeof own, "[%.70s]", unit);
    int capacity = 1;
    for (const char *c = equals; *c; c++)
        capacity += *c == ',';
    o->values = ZW_NEW(&o->arena, double, capacity + 1);
    if (!o->values)
        return zw_out_of_memory(err, NULL);
    for (const char *at = equals + 1; capacity <= VALUES_MAX;) {
        size_t length = strcspn(at, ",[");
        snprintf(piece, sizeof piece, "%.*s %s", (int)(length < 100 ? length : 100), at, own);
        ZW_TRY(
            zw_model_number(&o->values[o->nvalue++], o->sys, o->p, "--values", piece, unit, err));
        at += length;
        if (*at != ',')
            break;
        at++;
    }
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < o->nvalue; i++) {
        low = fmin(low, o->values[i]);
        high = fmax(high, o->values[i]);
    }
    if (o->nvalue < 2 || !(low < high) || !isfinite(low) || !isfinite(high))
        return reject_text(text, "at least two different numbers are expected", err);
    o->over.from = low;
    o->over.to = high;
    snprintf(o->over.unit, sizeof o->over.unit, "%.39s", unit);
    o->has_over = true;
    o->along = o->over.parameter;
    o->given[o->over.parameter] = true;
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------ the steps */

/* solves from the orbit in o->x, at `from`, to a value, by halves if necessary */
static zw_status follow_to(zw_orbits *o, double from, double to, zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(&o->arena);
    size_t n = (size_t)zw_orbits_problem(o).n;
    double at = from, step = to - from;
    int halvings = 0;
    double *x = ZW_NEW(&o->arena, double, n + 1);
    if (!x)
        return zw_out_of_memory(err, NULL);
    while (at != to) {
        zw_error trouble = {0};
        memcpy(x, o->x, sizeof(double) * n);
        double next = fabs(to - at) <= fabs(step) * (1 + ZW_ROUNDOFF_SUM) ? to : at + step;
        zw_cont_problem p = zw_orbits_problem(o);
        ZW_TRY(zw_colloc_refer(o->c, o->x, zw_orbits_inner_value(o, o->x, at), err));
        zw_status status = zw_cont_correct(&p, ZW_NEWTON, o->x, next, NULL, NULL, &trouble);
        if (status == ZW_E_NUMERIC && halvings++ < HALVINGS) {
            memcpy(o->x, x, sizeof(double) * n);
            step *= 0.5;
            continue;
        }
        if (status < 0) {
            if (err)
                *err = trouble;
            return status;
        }
        at = next;
    }
    zw_arena_release(&o->arena, mark);
    return zw_orbits_refine(o, to, err);
}

zw_status zw_orbits_sequence(zw_orbits *o, int number, int n, const double *value, zw_error *err) {
    zw_orbit_motion start = o->motion[number];
    double at = start.value;
    if (!o->has_over)
        return zw_fail(err, ZW_E_OPTION, "a sequence of values needs a parameter");
    ZW_TRY(zw_orbits_reject_free(o, err));
    o->times = 1;
    int branch = zw_orbits_new_branch(o);
    if (branch < 0)
        return zw_out_of_memory(err, NULL);
    zw_orbits_branch *b = &o->branch[branch];
    b->end[0] = b->end[1] = ZW_CONT_AT_BOUND;
    ZW_TRY(zw_orbits_load(o, &start, err));
    zw_status status = ZW_OK;
    for (int i = 0; i < n && !o->stopped; i++) {
        zw_error trouble = {0};
        status = follow_to(o, at, value[i], &trouble);
        if (status == ZW_E_NUMERIC) { /* the orbits found so far stay */
            b->end[1] = ZW_CONT_STUCK;
            snprintf(b->why[1], sizeof b->why[1], "from %.9g to %.9g: %.160s", at / o->over.factor,
                     value[i] / o->over.factor, trouble.text);
            status = ZW_OK;
            break;
        }
        if (status >= 0)
            status = zw_orbits_add(o, value[i], ZW_BIFURCATION_POINT, branch, err);
        if (status < 0) {
            if (err && !err->status)
                *err = trouble;
            break;
        }
        at = value[i];
        ZW_TRY(zw_orbits_rescale(o, o->motion[o->nmotion - 1].period, err));
        bool met;
        ZW_TRY(zw_orbits_crosses_stop(o, o->nmotion - 1, b->why[1], sizeof b->why[1], &met, err));
        if (met) {
            b->end[1] = ZW_CONT_ASKED;
            break;
        }
        o->stopped = o->options.stop && o->options.stop(o->options.stop_user, (i + 1.0) / n);
        if (o->stopped)
            b->end[1] = ZW_CONT_ASKED;
    }
    o->branch[branch].n = o->nmotion - o->branch[branch].first;
    return status >= 0 ? zw_orbits_refine_multipliers(o, o->branch[branch].first, err) : status;
}
