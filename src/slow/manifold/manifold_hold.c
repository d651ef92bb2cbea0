/* SPDX-License-Identifier: MIT */
/* A conserved quantity of the slow flow in place of a slow variable. On the critical manifold a
 * quantity Q of the model is a function of the slow variables,
 *
 *   Q_0(x) = Q(x, h_0(x), 0),
 *   Q_0' = sum_i dQ_0/dx_i f_i = R_0 + eps R_1 + eps^2 R_2 + ...
 *          along the flow on the slow manifold,
 *
 * and conserved without eps if R_0 = 0 identically. Then E = Q_0 may replace a slow variable x_k,
 * by x_k = X(x without x_k, E) if Q_0 is linear or quadratic in it; of two roots it is the one
 * that contains the start. The slow flow is
 *
 *   x_i' = f_i(x, h, eps),  i != k, with x_k = X,        E' = eps R_1 + eps^2 R_2 + ...,
 *
 * the same as before, until both roots coincide: there x_k turns back, dX/dE is infinite, and
 * the flow by X alone could stay for ever. With A x_k^2/2 + b x_k + c = E the roots are -b/A + d
 * and -b/A - d; the model ends its runs before d, `half`, is 0. Only if E is held constant, as a
 * parameter, something is neglected: R_1, ..., which are reported. If another slow quantity
 * drifts with the same power of eps, a constant E is an assumption, and a bifurcation over E is
 * one of a family of flows, not of the whole. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/option.h"
#include "base/random.h"
#include "base/tolerance.h"
#include "expr/calculus/ratio.h"
#include "manifold.h"
#include "mech/equations/variants.h"
#include "zwang/expr.h"

enum { TRIALS = 40 }; /* random points */
/* |dQ/dx_k| x_k at the start, relative to the terms of Q: smaller, the two roots differ by their
 * round-off, its square root */
#define DOUBLE_ROOT 1e-7

/* --------------------------------------------------------------------------------- the quantity */

/* Q of slow and fast variables, with the variables that constraints determine substituted. */
static zw_status read_quantity(zw_manifold *m, const char *formula, zw_expr *out, const char **unit,
                               zw_error *err) {
    if (strcmp(formula, "energy") == 0 && m->rates.eq.nv && !zw_explicit_taken(m->sys, "energy")) {
        *out = zw_add(m->ctx, m->rates.eq.T, m->rates.eq.V);
        *unit = m->sys->no_units ? "" : "J";
    } else {
        ZW_TRY(zw_model_quantity(out, unit, m->sys, "--hold", formula, err));
        ZW_TRY(zw_equations_translate(&m->rates.eq, 1, out, err));
    }
    *out = zw_manifold_unfold(
        m, zw_subst(m->ctx, *out, m->rates.nreplaced, m->rates.symbol, m->rates.value));
    return zw_context_status(m->ctx, err);
}

/* A sum is 0: as an expression, or at points near the start (*proved false). */
static bool check_vanishing(zw_manifold *m, int n, const zw_expr *part, bool *proved,
                            zw_error *err) {
    zw_expr sum = ZW_ZERO;
    zw_random random = {16};
    int nx = m->result.nx, seen = 0;
    double *start = ZW_MANIFOLD_NEW(m, double, nx), *x = ZW_MANIFOLD_NEW(m, double, nx),
           *y = ZW_MANIFOLD_NEW(m, double, m->result.ny), *value = ZW_MANIFOLD_NEW(m, double, n);
    for (int i = 0; i < n; i++)
        sum = zw_add(m->ctx, sum, part[i]);
    *proved = zw_ratio_is_zero(m->ctx, sum);
    if (*proved || m->arena.failed || zw_manifold_start(m, start, y, err) < 0)
        return *proved;
    for (int k = 0; k < TRIALS; k++) {
        double total = 0, size = 0;
        for (int i = 0; i < nx; i++)
            x[i] =
                start[i] * zw_random_real(&random, 0.7, 1.3) + zw_random_real(&random, -0.3, 0.3);
        zw_manifold_values(m, n, part, x, NULL, 0, value);
        for (int i = 0; i < n; i++) {
            total += value[i];
            size += fabs(value[i]);
        }
        if (!isfinite(size))
            continue;
        seen++;
        if (fabs(total) > ZW_ROUNDOFF_SOLVED * size)
            return false;
    }
    return seen > TRIALS / 4;
}

static zw_status not_conserved(zw_manifold *m, const zw_manifold_held *e, zw_expr rate,
                               zw_error *err) {
    const char *eps = zw_expr_name(m->ctx, m->result.small);
    double *x = ZW_MANIFOLD_NEW(m, double, m->result.nx),
           *y = ZW_MANIFOLD_NEW(m, double, m->result.ny), number;
    char *text = zw_print_within(m->ctx, zw_factored(m->ctx, rate), ZW_TEXT, 150);
    if (m->arena.failed)
        return zw_manifold_memory(err);
    ZW_TRY(zw_manifold_start(m, x, y, err));
    zw_manifold_values(m, 1, &rate, x, NULL, 0, &number);
    if (text)
        zw_fail(err, ZW_E_DOMAIN, "--hold %.60s: for %s = 0 its rate is %.150s, not 0", e->name,
                eps, text);
    else
        zw_fail(err, ZW_E_DOMAIN,
                "--hold %.60s: for %s = 0 its rate is not 0 (%.6g at the start, by a long formula)",
                e->name, eps, number);
    zw_string_free(m->ctx, text);
    zw_error_hint(err, "the slow flow must conserve the quantity for %s = 0", eps);
    return ZW_E_DOMAIN;
}

/* R_0 = 0, R_1, ... */
static zw_status find_rates(zw_manifold *m, zw_manifold_held *e, zw_error *err) {
    zw_context *ctx = m->ctx;
    int n = m->result.ny, nx = m->result.nx, order = m->result.norder;
    zw_expr *part = ZW_MANIFOLD_NEW(m, zw_expr, nx), *rate = ZW_MANIFOLD_NEW(m, zw_expr, order + 1),
            *symbol = ZW_MANIFOLD_NEW(m, zw_expr, n + 1), sum = ZW_ZERO,
            *s = ZW_MANIFOLD_NEW(m, zw_expr, nx * (order + 1)),
            *series = ZW_MANIFOLD_NEW(m, zw_expr, (n + 1) * (order + 1));
    if (m->arena.failed)
        return zw_manifold_memory(err);
    for (int j = 0; j <= n; j++) {
        symbol[j] = j == n ? m->result.small : m->y[j].sym;
        for (int k = 0; k <= order; k++)
            series[j * (order + 1) + k] = j < n ? m->h[k * n + j] : k == 1 ? ZW_ONE : ZW_ZERO;
    }
    ZW_TRY(zw_taylor_series(ctx, nx, m->f, n + 1, symbol, series, order, s, err));
    for (int i = 0; i < nx; i++) {
        part[i] = zw_mul(ctx, zw_diff(ctx, e->quantity, m->x[i].sym), s[i * (order + 1)]);
        sum = zw_add(ctx, sum, part[i]);
    }
    if (!check_vanishing(m, nx, part, &e->proved, err)) {
        ZW_TRY(zw_context_status(ctx, err));
        return m->arena.failed ? zw_manifold_memory(err) : not_conserved(m, e, sum, err);
    }
    rate[0] = ZW_ZERO;
    for (int k = 1; k <= order; k++) {
        rate[k] = ZW_ZERO;
        for (int i = 0; i < nx; i++)
            rate[k] =
                zw_add(ctx, rate[k],
                       zw_mul(ctx, zw_diff(ctx, e->quantity, m->x[i].sym), s[i * (order + 1) + k]));
        rate[k] = zw_explicit_tidy(&m->rates, rate[k]);
    }
    e->rate = rate;
    return zw_context_status(ctx, err);
}

/* --------------------------------------------------------------------------------- the variable */

static zw_status find_variable(const zw_manifold *m, zw_manifold_held *e, const char *instead,
                               zw_error *err) {
    const char *names[256];
    int n = 0;
    for (int i = 0; i < m->result.nx; i++) {
        if (instead && strcmp(m->x[i].name, instead) == 0) {
            e->instead = i;
            return ZW_OK;
        }
        if (n < 256)
            names[n++] = m->x[i].name;
    }
    if (instead)
        zw_fail(err, ZW_E_NAME, "--for: there is no slow variable '%.100s'", instead);
    else
        zw_fail(err, ZW_E_OPTION, "--hold %.60s needs --for, the slow variable that it replaces",
                e->name);
    zw_manifold_hint_names(instead ? instead : "", n, names, err);
    return instead ? ZW_E_NAME : ZW_E_OPTION;
}

/* Solves Q_0 = E for x_k: A x_k^2/2 + b x_k + c = E. */
static zw_status solve_level(zw_manifold *m, zw_manifold_held *e, zw_error *err) {
    zw_context *ctx = m->ctx;
    zw_expr x = m->x[e->instead].sym, A, b, c;
    int nx = m->result.nx;
    double *at = ZW_MANIFOLD_NEW(m, double, nx), *y = ZW_MANIFOLD_NEW(m, double, m->result.ny),
           v[5];
    if (m->arena.failed)
        return zw_manifold_memory(err);
    ZW_TRY(zw_manifold_start(m, at, y, err));
    if (!zw_depends(ctx, e->quantity, x) || !zw_quadratic(ctx, e->quantity, 1, &x, &A, &b, &c)) {
        ZW_TRY(zw_context_status(ctx, err));
        zw_fail(err, ZW_E_MODEL, "--hold %.60s: it %s %s on the critical manifold", e->name,
                zw_depends(ctx, e->quantity, x) ? "is neither linear nor quadratic in"
                                                : "does not depend on",
                m->x[e->instead].name);
        zw_error_hint(err, "--for another slow variable, or a function of the quantity");
        return ZW_E_MODEL;
    }
    zw_expr rest = zw_sub(ctx, c, e->symbol), two = zw_integer(ctx, 2),
            slope = zw_add(ctx, zw_mul(ctx, A, x), b);
    zw_expr of[] = {e->quantity, slope, zw_mul(ctx, A, zw_mul(ctx, x, x)), zw_mul(ctx, b, x), A};
    zw_manifold_values(m, 5, of, at, NULL, 0, v);
    e->start = v[0];
    e->half = ZW_ZERO;
    if (!isfinite(v[0]))
        return zw_fail(err, ZW_E_NUMERIC, "--hold %.60s: it has no value at the start", e->name);
    if (A == ZW_ZERO) {
        e->value = zw_explicit_tidy(&m->rates, zw_neg(ctx, zw_div(ctx, rest, b)));
        return zw_context_status(ctx, err);
    }
    if (!(fabs(v[1] * at[e->instead]) > DOUBLE_ROOT * (fabs(v[2]) + fabs(v[3])))) {
        zw_fail(err, ZW_E_NUMERIC, "--hold %.60s: at the start both values of %s meet", e->name,
                m->x[e->instead].name);
        zw_error_hint(err, "use a start on one side of it (--set)");
        return ZW_E_NUMERIC;
    }
    zw_expr root =
        zw_sqrt(ctx, zw_sub(ctx, zw_mul(ctx, b, b), zw_mul(ctx, two, zw_mul(ctx, A, rest))));
    if (b == ZW_ZERO) /* shorter */
        root = zw_mul(
            ctx, A,
            zw_sqrt(ctx, zw_explicit_tidy(&m->rates,
                                          zw_neg(ctx, zw_div(ctx, zw_mul(ctx, two, rest), A)))));
    root = v[1] > 0 ? root : zw_neg(ctx, root);
    e->value = zw_div(ctx, zw_sub(ctx, root, b), A);
    e->half = zw_div(ctx, root, A);
    e->half_start = v[1] / v[4];
    return zw_context_status(ctx, err);
}

/* Does the formula reproduce the start? A root that is drawn out of another one need not. */
static zw_status confirm_formula(zw_manifold *m, zw_manifold_held *e, zw_error *err) {
    int nx = m->result.nx;
    double *at = ZW_MANIFOLD_NEW(m, double, nx), *y = ZW_MANIFOLD_NEW(m, double, m->result.ny), got;
    zw_expr number = zw_real(m->ctx, e->start),
            here = zw_subst(m->ctx, e->value, 1, &e->symbol, &number);
    if (m->arena.failed)
        return zw_manifold_memory(err);
    ZW_TRY(zw_manifold_start(m, at, y, err));
    zw_manifold_values(m, 1, &here, at, NULL, 0, &got);
    if (fabs(got - at[e->instead]) <= ZW_SAME_SOLUTION * fabs(at[e->instead]))
        return zw_context_status(m->ctx, err);
    return zw_fail(err, ZW_E_NUMERIC,
                   "--hold %.60s: solved for %s it gives %.6g at the start, not %.6g", e->name,
                   m->x[e->instead].name, got, at[e->instead]);
}

zw_status zw_manifold_hold(zw_manifold *m, const char *name, const char *formula,
                           const char *instead, zw_error *err) {
    zw_manifold_held *e = ZW_MANIFOLD_NEW(m, zw_manifold_held, 1);
    zw_expr Q, from[ZW_MANIFOLD_FAST_MOST + 1], to[ZW_MANIFOLD_FAST_MOST + 1];
    int n = m->result.ny;
    if (!e)
        return zw_manifold_memory(err);
    *e = (zw_manifold_held){.name = zw_context_intern(m->ctx, name),
                            .formula = zw_context_intern(m->ctx, formula)};
    if (!e->name || !e->formula)
        return zw_manifold_memory(err);
    if (zw_explicit_taken(m->sys, name)) {
        zw_fail(err, ZW_E_NAME, "--hold: '%.60s' is a name of the model already", name);
        zw_error_hint(err, "choose another name for the parameter: --hold NEW=%.60s", formula);
        return ZW_E_NAME;
    }
    if (!m->result.closed) {
        zw_fail(err, ZW_E_MODEL, "--hold %.60s: the critical manifold is no formula here", name);
        zw_error_hint(err, "for %s = 0 the rates of the fast variables must be linear in them",
                      zw_expr_name(m->ctx, m->result.small));
        return ZW_E_MODEL;
    }
    ZW_TRY(find_variable(m, e, instead, err));
    ZW_TRY(read_quantity(m, formula, &Q, &e->unit, err));
    for (int j = 0; j <= n; j++) {
        from[j] = j == n ? m->result.small : m->y[j].sym;
        to[j] = j == n ? ZW_ZERO : m->h[j];
    }
    e->symbol = zw_symbol(m->ctx, name);
    e->quantity = zw_explicit_tidy(&m->rates, zw_subst(m->ctx, Q, n + 1, from, to));
    ZW_TRY(zw_context_status(m->ctx, err));
    ZW_TRY(find_rates(m, e, err));
    ZW_TRY(solve_level(m, e, err));
    ZW_TRY(confirm_formula(m, e, err));
    m->held = e;
    return ZW_OK;
}

const zw_manifold_held *zw_manifold_get_held(const zw_manifold *m) {
    return m->held;
}
