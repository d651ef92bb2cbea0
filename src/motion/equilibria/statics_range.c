/* SPDX-License-Identifier: MIT */
/* Intervals of a number in which the system rests. The spare (zwang/equilibria.h) is computed in
 * rows. Between rows with and without rest its zero is found by false position with halving,
 * safeguarded by bisection, down to adjacent doubles; where it jumps (a contact opens), the jump.
 * Between three rows without rest of which the middle one is nearest to it, the largest spare is
 * located, so that no narrow interval with its own maximum is missed; likewise for gaps in
 * intervals.
 *
 * The configuration at a value: for a parameter the start of the model, for a coordinate the start
 * with this one changed; the other coordinates are moved by the least amount onto the constraints
 * and the contacts that are closed at the start. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "statics.h"
#include "zwang/simulate.h"

enum {
    ROWS = 201,
    MAXIMUM_STEPS = 60, /* golden sections: 0.618^60 = 3e-13 of the interval */
    ZERO_STEPS = 200    /* every third a bisection: 66, beyond the 53 digits of the value */
};

/* Is the work to end? Asked on the way; the loops below then end early, and what they found is left
 * out. done: the fraction of the rows; NaN: unknown. */
static bool is_stopped(zw_statics *s, double done) {
    s->stopped = s->stopped || (s->stop && s->stop(s->stop_user, done));
    return s->stopped;
}

/* ------------------------------------------------------------------------------- configurations */

static zw_status create_closed_run(zw_statics *s, zw_error *err) {
    const zw_system *sys = s->sys;
    bool *on = ZW_NEW(&s->arena, bool, sys->nconstraint + 1);
    zw_kernel_options options = zw_kernel_options_default();
    zw_equations *eq = ZW_NEW(&s->arena, zw_equations, 1);
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    memcpy(on, s->eq.holds, sizeof *on * (size_t)sys->nconstraint);
    for (int i = 0; i < sys->ncontact; i++)
        on[sys->contact[i].closed] |= s->start.closed[i];
    const zw_active active = {.constraint = on};
    options.jit = ZW_JIT_NEVER;
    options.functions = ZW_FUNCTIONS_RUN;
    ZW_TRY(zw_derive(eq, sys, &active, "lagrange", err));
    ZW_TRY(zw_kernel_create(&s->closed_kernel, eq, &options, err));
    ZW_TRY(zw_run_create(&s->closed_run, s->closed_kernel, s->p, NULL, err));
    zw_run_on_want(s->closed_run, zw_kernel_serve, s->closed_kernel);
    return ZW_OK;
}

/* Set the parameter, with all that depend on it. */
static zw_status set_parameter(zw_statics *s, double value, double *p, zw_error *err) {
    bool *given = ZW_NEW(&s->arena, bool, s->sys->np + 1);
    if (!given)
        return zw_out_of_memory(err, NULL);
    memcpy(p, s->p, sizeof(double) * (size_t)s->sys->np);
    given[s->over.parameter] = true;
    p[s->over.parameter] = value;
    ZW_TRY(zw_system_param_follow(s->sys, given, p, err));
    ZW_TRY(zw_flow_set_parameters(s->flow, p, err));
    return zw_run_set_parameters(s->closed_run, p, err);
}

/* Values given at a value; with a coordinate as the range, it is the only one. */
static zw_status place_given(zw_statics *s, double value, const double *p, double *x, bool *fixed,
                             zw_error *err) {
    const zw_system *sys = s->sys;
    int nx = sys->nq + sys->nv;
    double *said_x = ZW_NEW(&s->arena, double, nx + 1);
    zw_said *said = ZW_NEW(&s->arena, zw_said, nx + 1);
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    memcpy(x, s->start.x, sizeof(double) * (size_t)nx);
    for (int i = 0; i < nx; i++)
        fixed[i] = i >= sys->nq;
    if (s->coordinate >= 0) {
        x[s->coordinate] = value;
        fixed[s->coordinate] = true;
        return ZW_OK;
    }
    ZW_TRY(zw_system_start_said(sys, p, said_x, said, NULL, err));
    for (int i = 0; i < sys->nq; i++)
        if (said[i] == ZW_GIVEN) {
            x[i] = said_x[i];
            fixed[i] = true;
        }
    return ZW_OK;
}

static zw_status set_configuration(zw_statics *s, double value, double *x, zw_error *err) {
    const zw_system *sys = s->sys;
    double *p = ZW_NEW(&s->arena, double, sys->np + 1);
    bool *fixed = ZW_NEW(&s->arena, bool, sys->nq + sys->nv + 1);
    zw_error trouble = {0};
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    memcpy(p, s->p, sizeof(double) * (size_t)sys->np);
    if (s->coordinate < 0)
        ZW_TRY(set_parameter(s, value, p, err));
    ZW_TRY(place_given(s, value, p, x, fixed, err));
    zw_status status = zw_run_project(s->closed_run, 0, x, fixed, &trouble);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    if (status >= 0)
        return ZW_OK;
    if (s->coordinate >= 0) {
        zw_fail(err, ZW_E_START,
                "at %s = %.10g the constraints and the closed contacts cannot be fulfilled: %s",
                s->over.name, value / s->over.factor, trouble.text);
        zw_error_hint(err, "take a smaller range");
        return ZW_E_START;
    }
    /* the given values contradict a closed contact, which opens */
    ZW_TRY(zw_system_complete(sys, NULL, 0, p, x, NULL, err));
    memset(x + sys->nq, 0, sizeof(double) * (size_t)sys->nv);
    return ZW_OK;
}

static zw_status evaluate_row(zw_statics *s, double value, zw_rest_result *result,
                              zw_statics_row *out, zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(&s->arena);
    zw_status status = set_configuration(s, value, result->x, err);
    zw_arena_release(&s->arena, mark);
    ZW_TRY(status);
    ZW_TRY(zw_statics_at(s, false, result, err));
    *out = (zw_statics_row){.value = value,
                            .spare = result->rest.spare,
                            .error = result->rest.spare_error,
                            .hyperstatic = result->rest.hyperstatic,
                            .rests = result->rest.rests};
    return ZW_OK;
}

/* ----------------------------------------------------------------------------------------- ends */

static bool is_next(double a, double b) {
    return a == b || nextafter(a, b) == b;
}

/* Locate the end of rest between a row with and one without; both converge. */
static zw_status locate_end(zw_statics *s, zw_statics_row *in, zw_statics_row *out, zw_error *err) {
    double at_in = in->spare, at_out = out->spare;
    bool crosses = in->spare > in->error && out->spare < -out->error; /* otherwise a jump */
    int side = 0;
    for (int step = 0; step < ZERO_STEPS && !is_next(in->value, out->value) && !is_stopped(s, NAN);
         step++) {
        zw_statics_row current;
        double middle = in->value + (out->value - in->value) / 2, x = middle;
        if (step % 3 != 2 && isfinite(at_out) && at_in > 0 && at_out < 0)
            x = (in->value * at_out - out->value * at_in) / (at_out - at_in);
        if (!(x > fmin(in->value, out->value)) || !(x < fmax(in->value, out->value)))
            x = middle;
        ZW_TRY(evaluate_row(s, x, &s->current, &current, err));
        bool inside = crosses ? current.spare >= 0 : current.rests;
        int which = inside ? 1 : -1;
        *(inside ? in : out) = current;
        *(inside ? &at_in : &at_out) = current.spare;
        if (which == side)
            *(inside ? &at_out : &at_in) /= 2;
        side = which;
    }
    return ZW_OK;
}

/* Mark contacts that are closed on one side of an end and not on the other. */
static void compare_sides(zw_statics *s) {
    for (int i = 0; i < s->sys->ncontact; i++)
        if (s->current.closed[i] && !s->other.closed[i])
            s->current.yields[i] = ZW_YIELD_OPENS;
        else if (s->other.yields[i] == ZW_YIELD_OVERLAPS)
            s->current.yields[i] = ZW_YIELD_OVERLAPS;
    if (s->other.rest.unbalanced >= 0)
        s->current.rest.unbalanced = s->other.rest.unbalanced;
}

static zw_status find_end(zw_statics *s, zw_statics_row in, zw_statics_row out, zw_rest_end *end,
                          zw_error *err) {
    zw_statics_row wide = out;
    double width = fabs(in.spare - out.spare), range = fabs(in.value - out.value);
    ZW_TRY(locate_end(s, &in, &out, err));
    ZW_TRY(evaluate_row(s, out.value, &s->other, &wide, err));
    ZW_TRY(evaluate_row(s, in.value, &s->current, &in, err));
    bool nearer = isfinite(out.spare) && fabs(out.spare) < fabs(in.spare);
    *end = (zw_rest_end){.value = nearer ? out.value : in.value};
    if (s->current.rest.hyperstatic > 0 && isfinite(width) && width > 0)
        end->error = s->current.rest.spare_error / width * range;
    compare_sides(s);
    zw_statics_why(s, &s->current.rest, end->why, sizeof end->why);
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------ intervals */

/* Between rows of the same kind: the value nearest to the other kind, by golden section; *found is
 * of the other kind if there is one. */
static zw_status find_extremum(zw_statics *s, zw_statics_row low, zw_statics_row high, bool rests,
                               zw_statics_row *found, zw_error *err) {
    const double part = 0.381966011250105;
    double a = low.value, b = high.value, sign = rests ? -1 : 1;
    zw_statics_row left, right;
    ZW_TRY(evaluate_row(s, a + part * (b - a), &s->current, &left, err));
    ZW_TRY(evaluate_row(s, b - part * (b - a), &s->current, &right, err));
    for (int step = 0;
         step < MAXIMUM_STEPS && left.rests == rests && right.rests == rests && !is_stopped(s, NAN);
         step++) {
        if (sign * left.spare >= sign * right.spare) {
            b = right.value;
            right = left;
            ZW_TRY(evaluate_row(s, a + part * (b - a), &s->current, &left, err));
        } else {
            a = left.value;
            left = right;
            ZW_TRY(evaluate_row(s, b - part * (b - a), &s->current, &right, err));
        }
    }
    *found = left.rests != rests ? left : right;
    return ZW_OK;
}

static bool is_extremum(const zw_statics_row *r, bool rests) {
    double sign = rests ? -1 : 1, a = sign * r[-1].spare, b = sign * r[0].spare,
           c = sign * r[1].spare;
    return r[-1].rests == rests && r[0].rests == rests && r[1].rests == rests && isfinite(b) &&
           ((b > a && b >= c) || (b >= a && b > c));
}

/* The forces of the last evaluation, for the table. */
static void keep_forces(zw_statics *s, zw_statics_row *r) {
    double *force = ZW_NEW(&s->arena, double, s->nforce + 1);
    if (force)
        zw_statics_forces(s, s->current.force, force);
    r->force = force;
}

/* Rows with equal distances; *n: how many, fewer than `count` if stopped. */
static zw_status evaluate_grid(zw_statics *s, int count, zw_statics_row *rows, int *n,
                               zw_error *err) {
    double low = fmin(s->over.from, s->over.to), high = fmax(s->over.from, s->over.to);
    for (*n = 0; *n < count && !is_stopped(s, (double)*n / count); ++*n) {
        double value = *n == count - 1 ? high : low + (high - low) * *n / (count - 1);
        ZW_TRY(evaluate_row(s, value, &s->current, &rows[*n], err));
        keep_forces(s, &rows[*n]);
    }
    return zw_arena_status(&s->arena, err);
}

/* All rows, with an additional one where a narrow interval lies between them. */
static zw_status evaluate_rows(zw_statics *s, zw_error *err) {
    int count = s->over.rows ? s->over.rows : ROWS, n;
    zw_statics_row *rows = ZW_NEW(&s->arena, zw_statics_row, count + 1),
                   *all = ZW_NEW(&s->arena, zw_statics_row, 2 * count + 1);
    ZW_TRY(zw_arena_status(&s->arena, err));
    ZW_TRY(evaluate_grid(s, count, rows, &n, err));
    s->row = all;
    for (int i = 0; i < n; i++) {
        zw_statics_row extra = {0};
        bool extremum = i > 0 && i < n - 1 && is_extremum(&rows[i], rows[i].rests);
        if (extremum)
            ZW_TRY(find_extremum(s, rows[i - 1], rows[i + 1], rows[i].rests, &extra, err));
        extremum = extremum && extra.rests != rows[i].rests;
        if (extremum) {
            ZW_TRY(evaluate_row(s, extra.value, &s->current, &extra, err));
            keep_forces(s, &extra);
        }
        if (extremum && extra.value < rows[i].value)
            all[s->nrow++] = extra;
        all[s->nrow++] = rows[i];
        if (extremum && extra.value > rows[i].value)
            all[s->nrow++] = extra;
    }
    return zw_arena_status(&s->arena, err);
}

/* An end that was not located because the work was stopped is not kept. */
static zw_status collect_intervals(zw_statics *s, zw_error *err) {
    const zw_statics_row *r = s->row;
    int n = s->nrow;
    s->interval = ZW_NEW(&s->arena, zw_rest_interval, n / 2 + 2);
    ZW_TRY(zw_arena_status(&s->arena, err));
    for (int i = 0; i < n && !s->stopped; i++) {
        zw_rest_interval *current = &s->interval[s->n];
        if (!r[i].rests)
            continue;
        if (i == 0)
            current->low = (zw_rest_end){.value = r[i].value, .limit = true};
        else if (!r[i - 1].rests)
            ZW_TRY(find_end(s, r[i], r[i - 1], &current->low, err));
        if (i < n - 1 && r[i + 1].rests)
            continue;
        if (i == n - 1)
            current->high = (zw_rest_end){.value = r[i].value, .limit = true};
        else
            ZW_TRY(find_end(s, r[i], r[i + 1], &current->high, err));
        s->n += !s->stopped;
    }
    return ZW_OK;
}

static zw_status find_coordinate(zw_statics *s, zw_error *err) {
    if (s->over.parameter >= 0)
        return ZW_OK;
    for (int i = 0; i < s->sys->nq; i++)
        if (strcmp(s->sys->coord[i].name, s->over.name) == 0)
            s->coordinate = i;
    if (s->coordinate >= 0)
        return ZW_OK;
    return zw_fail(err, ZW_E_OPTION,
                   "--over %s: intervals of rest are over a parameter or a coordinate",
                   s->over.name);
}

zw_status zw_statics_prepare(zw_statics *s, const char *over, zw_error *err) {
    ZW_TRY(zw_parameter_range_read(&s->over, s->sys, over, err));
    ZW_TRY(find_coordinate(s, err));
    return create_closed_run(s, err);
}

zw_status zw_statics_run(zw_statics *s, bool (*stop)(void *user, double done), void *user,
                         zw_error *err) {
    assert(s->nrow == 0);
    s->stop = stop;
    s->stop_user = user;
    if (!s->closed_run)
        return ZW_OK;
    ZW_TRY(evaluate_rows(s, err));
    ZW_TRY(collect_intervals(s, err));
    return s->stopped ? ZW_STOPPED : ZW_OK;
}
