/* SPDX-License-Identifier: MIT */
/* Numbers of a system: parameter values and the start as the model says it.
 *
 * A start fixes a coordinate, a velocity, or an expression that is affine in the velocities (a rate
 * under quasi-velocities, a component of an angular velocity): those give linear equations, which are
 * solved by elimination once the coordinates are known. They must determine their velocities. */
#include <math.h>

#include "build.h"

zw_status zw_system_param_values(const zw_system *s, double *p, zw_error *err) {
    zw_expr *known = ZW_CONTEXT_NEW(s->ctx, zw_expr, s->np);
    if (!known)
        return zw_context_status(s->ctx, err);
    for (int i = 0; i < s->np; i++) {
        p[i] = zw_eval(s->ctx, s->param[i].value, i, known, p);
        known[i] = s->param[i].sym;
        if (!isfinite(p[i]))
            return zw_fail_at(err, ZW_E_DOMAIN, s->param[i].place,
                              "the parameter %s has no finite value", s->param[i].name);
    }
    return ZW_OK;
}

/* everything a start value or its equation may hold, with values */
typedef struct point {
    int n;
    zw_expr *sym;
    double *value;
} point;

static zw_status make_point(const zw_system *s, const double *p, const double *x, point *out,
                            zw_error *err) {
    int n = s->np + s->nq + s->nv;
    out->sym = ZW_CONTEXT_NEW(s->ctx, zw_expr, n);
    out->value = ZW_CONTEXT_NEW(s->ctx, double, n);
    if (!out->sym || !out->value)
        return zw_context_status(s->ctx, err);
    out->n = n;
    for (int i = 0; i < s->np; i++) {
        out->sym[i] = s->param[i].sym;
        out->value[i] = p[i];
    }
    zw_mech_symbols(s, out->sym + s->np, out->sym + s->np + s->nq, NULL);
    for (int i = 0; i < s->nq + s->nv; i++)
        out->value[s->np + i] = x[i];
    return ZW_OK;
}

/* the index in x of a symbol, or -1 */
static int state_index(const zw_system *s, zw_expr e) {
    for (int i = 0; i < s->nq; i++)
        if (s->coord[i].sym == e)
            return i;
    for (int i = 0; i < s->nv; i++)
        if (s->velocity[i].sym == e)
            return s->nq + i;
    return -1;
}

/* one more row of the equations E v = r of the velocities not fixed yet, as affine start */
static zw_status velocity_row(const zw_system *s, const zw_start *start, const point *at,
                              const bool *fixed, const double *x, double *row, zw_error *err) {
    zw_expr *v = ZW_CONTEXT_NEW(s->ctx, zw_expr, s->nv),
            *coef = ZW_CONTEXT_NEW(s->ctx, zw_expr, s->nv), rest;
    if (!v || !coef)
        return zw_context_status(s->ctx, err);
    zw_mech_symbols(s, NULL, v, NULL);
    if (!zw_linear(s->ctx, start->what, s->nv, v, coef, &rest)) {
        ZW_TRY(zw_mech_status(s, start->place, err));
        zw_fail_at(err, ZW_E_START, start->place, "the start of %s is not linear in the velocities",
                   start->text);
        zw_error_hint(err, "give start values for coordinates and velocities themselves");
        return ZW_E_START;
    }
    double right = zw_eval(s->ctx, start->value, at->n, at->sym, at->value) -
                   zw_eval(s->ctx, rest, at->n, at->sym, at->value);
    bool any = false;
    for (int k = 0; k < s->nv; k++) {
        row[k] = zw_eval(s->ctx, coef[k], at->n, at->sym, at->value);
        if (fixed[s->nq + k]) {
            right -= row[k] * x[s->nq + k];
            row[k] = 0;
        }
        any |= row[k] != 0;
    }
    row[s->nv] = right;
    if (!any || !isfinite(right)) {
        zw_fail_at(err, ZW_E_START, start->place,
                   "the start of %s does not fix a velocity that is still open", start->text);
        zw_error_hint(err, "give start values for coordinates and velocities themselves");
        return ZW_E_START;
    }
    return ZW_OK;
}

/* Gauss-Jordan on n rows of nv + 1; afterwards each row must hold a single velocity */
static zw_status solve_rows(const zw_system *s, int n, double *E, const zw_start *const *who,
                            double *x, bool *fixed, zw_error *err) {
    int width = s->nv + 1;
    for (int r = 0; r < n; r++) {
        double *row = E + (size_t)r * (size_t)width;
        int pivot = 0;
        for (int k = 1; k < s->nv; k++)
            if (fabs(row[k]) > fabs(row[pivot]))
                pivot = k;
        double scale = row[pivot];
        if (fabs(scale) < 1e-12) {
            zw_fail_at(err, ZW_E_START, who[r]->place,
                       "the start of %s repeats or contradicts others", who[r]->text);
            return ZW_E_START;
        }
        for (int k = 0; k < width; k++)
            row[k] /= scale;
        for (int other = 0; other < n; other++) {
            double *target = E + (size_t)other * (size_t)width, factor = target[pivot];
            for (int k = 0; other != r && k < width; k++)
                target[k] -= factor * row[k];
        }
    }
    for (int r = 0; r < n; r++) {
        const double *row = E + (size_t)r * (size_t)width;
        int held = -1;
        for (int k = 0; k < s->nv; k++) {
            if (fabs(row[k]) < 1e-12)
                continue;
            if (held >= 0) {
                zw_fail_at(err, ZW_E_START, who[r]->place,
                           "the start of %s leaves open how it is shared by %s and %s",
                           who[r]->text, s->velocity[held].name, s->velocity[k].name);
                zw_error_hint(err, "give start values for the velocities themselves");
                return ZW_E_START;
            }
            held = k;
        }
        x[s->nq + held] = row[s->nv];
        fixed[s->nq + held] = true;
    }
    return ZW_OK;
}

zw_status zw_system_start_state(const zw_system *s, const double *p, double *x, bool *fixed,
                                zw_error *err) {
    point at;
    int n = 0, width = s->nv + 1;
    double *E = ZW_CONTEXT_NEW(s->ctx, double, s->nstart *width);
    const zw_start **who = ZW_CONTEXT_NEW(s->ctx, const zw_start *, s->nstart);
    if (!E || !who)
        return zw_context_status(s->ctx, err);
    for (int i = 0; i < s->nq + s->nv; i++) {
        x[i] = 0;
        fixed[i] = false;
    }
    for (int i = 0; i < s->nframe; i++)
        if (s->frame[i].quaternion >= 0)
            x[s->frame[i].quaternion] = 1;
    ZW_TRY(make_point(s, p, x, &at, err));
    for (int i = 0; i < s->nstart; i++) {
        int k = state_index(s, s->start[i].what);
        if (k < 0)
            continue;
        x[k] = zw_eval(s->ctx, s->start[i].value, at.n, at.sym, at.value);
        fixed[k] = true;
        if (!isfinite(x[k]))
            return zw_fail_at(err, ZW_E_DOMAIN, s->start[i].place, "the start of %s is not finite",
                              s->start[i].text);
    }
    ZW_TRY(make_point(s, p, x, &at, err));
    for (int i = 0; i < s->nstart; i++) {
        if (state_index(s, s->start[i].what) >= 0)
            continue;
        ZW_TRY(velocity_row(s, &s->start[i], &at, fixed, x, E + (size_t)n * (size_t)width, err));
        who[n++] = &s->start[i];
    }
    return solve_rows(s, n, E, who, x, fixed, err);
}
