/* SPDX-License-Identifier: MIT */
/* The complete motion. Named entries are given; the others are 0, or follow from constraints that
 * would be violated otherwise: a row that contains an open entry, linearly, determines it. Then the
 * accelerations and multipliers,
 *
 *   K z = (h, b),    K = (M, -C; W, 0),    z = (v', lambda),
 *
 * and the rates of the symmetries from f = sum_i c_i X_i in the pinned entries. The other
 * entries are the check. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/tolerance.h"
#include "expr/calculus/ratio.h"
#include "symbolic.h"

/* of the sizes of the terms: round-off of formulas at random values; an equation that is violated
 * leaves more */
#define EQUATION_ERROR 1e-8
#define SMALLEST_TERM 1e-3 /* in SI units: least size of the terms */

/* --------------------------------------------------------------------------------- open entries */

/* Substitutes the known values into e. */
static zw_expr put_in(const zw_symbolic *s, zw_expr e) {
    int n = 0;
    zw_expr symbol[ZW_STATES_MOST], value[ZW_STATES_MOST];
    for (int i = 0; i < s->nx; i++)
        if (s->x[i]) {
            symbol[n] = s->entry[i];
            value[n++] = s->x[i];
        }
    return zw_subst(s->ctx, e, n, symbol, value);
}

/* And 0 for open entries. */
static zw_expr at_zero(zw_symbolic *s, zw_expr e) {
    for (int i = 0; i < s->nx; i++) {
        zw_expr zero = ZW_ZERO;
        if (!s->x[i])
            e = zw_subst(s->ctx, e, 1, &s->entry[i], &zero);
    }
    return zw_symbolic_tidy(s, e);
}

/* The open entry among [first, last) that this row determines. */
static bool solve_row(zw_symbolic *s, zw_expr row, int first, int last) {
    zw_context *ctx = s->ctx;
    for (int i = first; i < last; i++) {
        zw_expr slope = s->x[i] ? ZW_ZERO : zw_symbolic_tidy(s, zw_diff(ctx, row, s->entry[i])),
                zero = ZW_ZERO;
        if (slope == ZW_ZERO || zw_depends(ctx, slope, s->entry[i]))
            continue;
        zw_expr rest = zw_subst(ctx, row, 1, &s->entry[i], &zero);
        zw_expr value = zw_symbolic_tidy(s, zw_neg(ctx, zw_div(ctx, rest, slope)));
        s->x[i] = value;
        for (int k = 0; k < s->nx; k++)
            if (s->x[k] && k != i)
                s->x[k] = zw_subst(ctx, s->x[k], 1, &s->entry[i], &value);
        return true;
    }
    return false;
}

static zw_status unmet_constraint(const zw_symbolic *s, const char *name, zw_expr residual,
                                  zw_error *err) {
    char *text = zw_print_within(s->ctx, residual, ZW_TEXT, 160);
    zw_place place = s->motion->place;
    zw_fail_at(err, ZW_E_MODEL, place, "the steady motion %s violates the constraint %s%s%s",
               s->motion->name, name, text ? ": it would need 0 = " : "", text ? text : "");
    zw_error_hint(err, "give the entries that the constraint is about, or others");
    zw_string_free(s->ctx, text);
    return ZW_E_MODEL;
}

/* The name of row k of one of the levels. */
static const char *row_name(const zw_symbolic *s, const int *constraint, int k) {
    if (!constraint)
        return "of a quaternion's length";
    return constraint == s->eq.pos_constraint ? zw_equations_position_name(&s->eq, k, NULL)
                                              : s->sys->constraint[constraint[k]].name;
}

/* Is it zero at all probes? */
static bool holds_in_numbers(const zw_symbolic *s, zw_expr e) {
    for (int k = 0; k < ZW_PROBE_PLAIN; k++) {
        double value = zw_symbolic_value(s, k, e);
        if (!(fabs(value) < EQUATION_ERROR))
            return false;
    }
    return true;
}

static zw_status store_rows_of(zw_symbolic *s, int n, const zw_expr *row, const int *constraint,
                               int first, int last, zw_error *err) {
    for (int pass = 0; pass <= n; pass++) {
        bool changed = false;
        for (int k = 0; k < n; k++) {
            zw_expr e = put_in(s, row[k]), residual = at_zero(s, e);
            if (residual == ZW_ZERO ||
                (!zw_depends_any(s->ctx, e, last - first, s->entry + first) &&
                 holds_in_numbers(s, residual)))
                continue;
            if (!solve_row(s, e, first, last))
                return unmet_constraint(s, row_name(s, constraint, k), residual, err);
            changed = true;
        }
        if (!changed)
            return zw_context_status(s->ctx, err);
    }
    return zw_context_status(s->ctx, err);
}

static zw_expr unit_row(const zw_symbolic *s, int first) {
    zw_expr sum = zw_rational(s->ctx, -1, 2);
    for (int k = 0; k < 4; k++) {
        zw_expr square = zw_pow(s->ctx, s->entry[first + k], ZW_TWO);
        sum = zw_add(s->ctx, sum, zw_mul(s->ctx, ZW_HALF, square));
    }
    return sum;
}

static void take_given(zw_symbolic *s) {
    const zw_motion *m = s->motion;
    for (int k = 0; k < m->n; k++)
        for (int i = 0; i < s->nx; i++)
            if (s->entry[i] == m->what[k])
                s->x[i] = m->value[k];
    for (int k = 0; k < s->eq.nunit; k++) {
        zw_expr *p = s->x + s->eq.unit[k];
        if (!p[0] && !p[1] && !p[2] && !p[3])
            p[0] = ZW_ONE;
        for (int i = 0; i < 4; i++)
            p[i] = p[i] ? p[i] : ZW_ZERO;
    }
}

static zw_status complete_motion(zw_symbolic *s, zw_error *err) {
    const zw_equations *eq = &s->eq;
    take_given(s);
    ZW_TRY(store_rows_of(s, eq->npos, eq->phi, eq->pos_constraint, 0, eq->nq, err));
    for (int k = 0; k < eq->nunit; k++) {
        zw_expr row = unit_row(s, eq->unit[k]);
        ZW_TRY(store_rows_of(s, 1, &row, NULL, 0, 0, err));
    }
    for (int i = 0; i < eq->nq; i++) {
        zw_expr zero = ZW_ZERO;
        for (int k = 0; !s->x[i] && k < s->nx; k++)
            if (s->x[k])
                s->x[k] = zw_subst(s->ctx, s->x[k], 1, &s->entry[i], &zero);
        if (!s->x[i])
            s->x[i] = ZW_ZERO;
    }
    ZW_TRY(store_rows_of(s, eq->nvel, eq->psi, eq->vel_constraint, eq->nq, s->nx, err));
    for (int i = 0; i < s->nx; i++)
        s->x[i] = at_zero(s, s->x[i] ? s->x[i] : ZW_ZERO);
    return zw_context_status(s->ctx, err);
}

/* ------------------------------------------------------------------- accelerations, multipliers */

static zw_status solve_forces(zw_symbolic *s, zw_error *err) {
    const zw_equations *eq = &s->eq;
    int nv = eq->nv, nc = eq->nc, nz = s->nz, singular;
    zw_expr *K = ZW_SYMBOLIC_NEW(s, zw_expr, nz * nz), *right = ZW_SYMBOLIC_NEW(s, zw_expr, nz);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    for (int i = 0; i < nz; i++) {
        right[i] = i < nv ? eq->h[i] : eq->b[i - nv];
        for (int j = 0; j < nz; j++)
            K[i * nz + j] = i < nv && j < nv ? eq->M[i * nv + j]
                            : i < nv         ? zw_neg(s->ctx, eq->C[i * nc + j - nv])
                            : j < nv         ? eq->W[(i - nv) * nv + j]
                                             : ZW_ZERO;
    }
    s->K = K;
    ZW_TRY(zw_symbolic_linear(s, nz * nz, K, K, NULL, err));
    ZW_TRY(zw_symbolic_linear(s, nz, right, right, NULL, err));
    ZW_TRY(zw_symbolic_solve(s, nz, 1, K, right, s->z, &singular, err));
    if (singular < 0)
        return ZW_OK;
    zw_fail_at(err, ZW_E_SINGULAR, s->motion->place, "at %s the equations do not determine %s",
               s->motion->name,
               singular < nv ? zw_expr_name(s->ctx, eq->a[singular])
                             : zw_expr_name(s->ctx, eq->lambda[singular - nv]));
    zw_error_hint(err, singular < nv ? "what has no inertia must be constrained"
                                     : "constraints depend on each other there: switch off one of "
                                       "them (--without)");
    return ZW_E_SINGULAR;
}

zw_status zw_symbolic_find_motion(zw_symbolic *s, zw_error *err) {
    s->x = ZW_SYMBOLIC_NEW(s, zw_expr, s->nx);
    s->z = ZW_SYMBOLIC_NEW(s, zw_expr, s->nz);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    ZW_TRY(complete_motion(s, err));
    return solve_forces(s, err);
}

/* --------------------------------------------------------------------------------- is it steady */

static zw_status not_steady(const zw_symbolic *s, int i, zw_expr residual, zw_error *err) {
    char *text = zw_print_within(s->ctx, zw_factored(s->ctx, residual), ZW_TEXT, 200);
    double value = zw_symbolic_value(s, 0, residual);
    zw_fail_at(err, ZW_E_MODEL, s->motion->place,
               "%s is not an equilibrium: there the rate of %s is %s%s%.4g%s, not 0",
               s->motion->name, zw_symbolic_entry(s, i), text ? text : "", text ? " (" : "", value,
               text ? " at the values of the model)" : "");
    if (fabs(value) < ZW_ROUNDOFF_SUM)
        zw_error_hint(err, "it is an equilibrium at the parameter values of the model, but not at "
                           "others: insert the values of parameters with --numbers NAME,...");
    else
        zw_error_hint(err, "give the values of all coordinates and velocities that are not 0, as "
                           "in: steady NAME : beta = pi/2, alpha' = Omega");
    zw_string_free(s->ctx, text);
    return ZW_E_MODEL;
}

/* Is a sum zero at the probes, relative to its terms? For sums that are zero without a proof. */
static bool vanishes_in_numbers(const zw_symbolic *s, zw_expr a, zw_expr b) {
    for (int k = 0; k < ZW_PROBE_PLAIN; k++) {
        double x = zw_symbolic_value(s, k, a), y = zw_symbolic_value(s, k, b);
        if (!(fabs(x - y) <= EQUATION_ERROR * fmax(SMALLEST_TERM, fmax(fabs(x), fabs(y)))))
            return false;
    }
    return true;
}

zw_status zw_symbolic_check_steady(zw_symbolic *s, zw_error *err) {
    zw_context *ctx = s->ctx;
    int nx = s->nx, nq = s->eq.nq;
    zw_expr *f = ZW_SYMBOLIC_NEW(s, zw_expr, nx);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    ZW_TRY(zw_symbolic_linear(s, nq, s->eq.qdot, f, NULL, err));
    for (int i = nq; i < nx; i++)
        f[i] = s->z[i - nq];
    int n = s->result.norbit, singular;
    zw_expr *XK = ZW_SYMBOLIC_NEW(s, zw_expr, n * n), *fK = ZW_SYMBOLIC_NEW(s, zw_expr, n);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    for (int i = 0; i < nx; i++) /* the entries that contain time change without a symmetry */
        f[i] = zw_symbolic_tidy(s, zw_sub(ctx, f[i], zw_diff(ctx, s->x[i], s->sys->t)));
    for (int i = 0; i < n; i++) {
        fK[i] = f[s->pinned[i]];
        for (int j = 0; j < n; j++)
            XK[i * n + j] = s->X[j * nx + s->pinned[i]];
    }
    ZW_TRY(zw_symbolic_solve(s, n, 1, XK, fK, s->c, &singular, err));
    s->result.proved = true;
    for (int i = 0; i < nx; i++) {
        zw_expr sum = ZW_ZERO;
        for (int j = 0; j < n; j++)
            sum = zw_add(ctx, sum, zw_mul(ctx, s->c[j], s->X[j * nx + i]));
        zw_expr residual = zw_symbolic_tidy(s, zw_sub(ctx, f[i], sum));
        if (residual == ZW_ZERO)
            continue;
        if (!vanishes_in_numbers(s, f[i], sum))
            return not_steady(s, i, residual, err);
        s->result.proved = false;
    }
    return zw_context_status(ctx, err);
}
