/* SPDX-License-Identifier: MIT */
/* The expansion of the manifold. With eps den_j y_j' = g_j (den regular, so that g has no
 * quotients) invariance requires
 *
 *   eps den_j sum_i (dh_j/dx_i) f_i = g_j,
 *   order 0:  g(x, h_0, 0) = 0,
 *   order k:  sum_l G_jl h_kl = sum_{a+b+c=k-1} den_j,a (Dh_b f_c)_j - R_j,k,
 *             G = dg/dy at (x, h_0, 0),
 *
 * R_k is the coefficient of eps^k in g(x, h_0 + ... + eps^(k-1) h_(k-1), eps). The series of f,
 * g and den come from zw_taylor_series. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expr/calculus/ratio.h"
#include "manifold.h"
#include "zwang/expr.h"

/* ------------------------------------------------------------------------ the critical manifold */

static zw_status not_hyperbolic(const zw_manifold *m, zw_error *err) {
    const char *eps = zw_expr_name(m->ctx, m->result.small);
    zw_fail(err, ZW_E_MODEL,
            "the critical manifold is nowhere normally hyperbolic: dg/dy is singular, g = %s %s'%s",
            eps, m->y[0].name, m->result.ny > 1 ? ", ..." : "");
    zw_error_hint(err,
                  "a fast variable must decay (or grow) at a rate of order 1/%s; perhaps another "
                  "variable is fast",
                  eps);
    return ZW_E_MODEL;
}

/* "v_0", "x_dot_0". */
static zw_expr critical_name(const zw_manifold *m, const char *of) {
    static const char *const ending[] = {"_0", "_c", "_critical"};
    char name[200];
    for (int k = 0; k < 3; k++) {
        snprintf(name, sizeof name, "%s%s", zw_explicit_plain_name(&m->rates, of), ending[k]);
        if (!zw_explicit_taken(m->sys, name))
            break;
    }
    return zw_symbol(m->ctx, name);
}

/* h_0 by formulas where g is linear in y, otherwise as symbols. */
static zw_status find_critical(zw_manifold *m, zw_error *err) {
    zw_manifold_result *r = &m->result;
    int n = r->ny;
    zw_expr *sym = ZW_MANIFOLD_NEW(m, zw_expr, n), *A = ZW_MANIFOLD_NEW(m, zw_expr, n * n),
            *rest = ZW_MANIFOLD_NEW(m, zw_expr, n), *g0 = ZW_MANIFOLD_NEW(m, zw_expr, n);
    const zw_expr zero = ZW_ZERO;
    if (m->arena.failed)
        return zw_manifold_memory(err);
    r->closed = true;
    for (int j = 0; j < n; j++)
        sym[j] = m->y[j].sym;
    for (int j = 0; j < n; j++) {
        g0[j] = zw_subst(m->ctx, m->g[j], 1, &r->small, &zero);
        r->closed =
            zw_linear(m->ctx, zw_expand(m->ctx, g0[j]), n, sym, &A[j * n], &rest[j]) && r->closed;
    }
    if (r->closed) {
        for (int j = 0; j < n; j++)
            rest[j] = zw_neg(m->ctx, rest[j]);
        if (!zw_explicit_solve(&m->rates, &m->arena, n, 1, A, rest))
            return not_hyperbolic(m, err);
        memcpy(m->h, rest, (size_t)n * sizeof *rest);
    } else {
        zw_context_reset_status(m->ctx);
        m->y_0 = ZW_MANIFOLD_NEW(m, zw_expr, n);
        m->rates.nextra = n;
        m->rates.extra = m->y_0;
        if (m->arena.failed)
            return zw_manifold_memory(err);
        for (int j = 0; j < n; j++)
            m->h[j] = m->y_0[j] = critical_name(m, m->y[j].name);
    }
    return zw_context_status(m->ctx, err);
}

/* G = dg/dy, g_y = dg/dy den^-1 on the critical manifold, and Dh_0 if h_0 is a symbol. */
static zw_status find_slopes(zw_manifold *m, zw_error *err) {
    zw_manifold_result *r = &m->result;
    int n = r->ny, nx = r->nx;
    zw_expr *from = ZW_MANIFOLD_NEW(m, zw_expr, n + 1), *to = ZW_MANIFOLD_NEW(m, zw_expr, n + 1),
            *A = ZW_MANIFOLD_NEW(m, zw_expr, n * n), *b = ZW_MANIFOLD_NEW(m, zw_expr, n * nx);
    m->G_y = ZW_MANIFOLD_NEW(m, zw_expr, n * n);
    m->g_y = ZW_MANIFOLD_NEW(m, zw_expr, n * n);
    if (m->arena.failed)
        return zw_manifold_memory(err);
    for (int j = 0; j < n; j++) {
        from[j] = m->y[j].sym;
        to[j] = m->h[j];
    }
    from[n] = r->small;
    to[n] = ZW_ZERO;
    for (int j = 0; j < n; j++) {
        zw_expr den = zw_subst(m->ctx, m->den[j], n + 1, from, to);
        for (int l = 0; l < n; l++) {
            zw_expr slope =
                zw_subst(m->ctx, zw_diff(m->ctx, m->g[j], m->y[l].sym), n + 1, from, to);
            A[j * n + l] = m->G_y[j * n + l] = zw_explicit_tidy(&m->rates, slope);
            m->g_y[j * n + l] = zw_explicit_tidy(&m->rates, zw_div(m->ctx, slope, den));
        }
        for (int i = 0; i < nx; i++)
            b[j * nx + i] = zw_neg(
                m->ctx, zw_subst(m->ctx, zw_diff(m->ctx, m->g[j], m->x[i].sym), n + 1, from, to));
    }
    if (!r->closed) {
        if (!zw_explicit_solve(&m->rates, &m->arena, n, nx, A, b))
            return not_hyperbolic(m, err);
        memcpy(m->Dh, b, (size_t)(n * nx) * sizeof *b);
    }
    return zw_context_status(m->ctx, err);
}

/* Dh_k: the total derivative, y_0 depends on x. */
static void differentiate_term(zw_manifold *m, int k) {
    int n = m->result.ny, nx = m->result.nx;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < nx; i++) {
            zw_expr e = m->h[k * n + j], sum = zw_diff(m->ctx, e, m->x[i].sym);
            for (int l = 0; !m->result.closed && l < n; l++)
                sum = zw_add(m->ctx, sum,
                             zw_mul(m->ctx, zw_diff(m->ctx, e, m->y_0[l]), m->Dh[l * nx + i]));
            if (k > 0 || m->result.closed)
                m->Dh[(k * n + j) * nx + i] = sum;
        }
}

/* ------------------------------------------------------------------------------- order by order */

/* The series of f, den, g up to eps^k with h up to k - 1: (nx + 2 ny) x (k + 1). */
static zw_status expand_series(zw_manifold *m, int k, zw_expr *out, zw_error *err) {
    int n = m->result.ny, nx = m->result.nx;
    zw_expr *e = ZW_MANIFOLD_NEW(m, zw_expr, nx + 2 * n),
            *symbol = ZW_MANIFOLD_NEW(m, zw_expr, n + 1),
            *part = ZW_MANIFOLD_NEW(m, zw_expr, (n + 1) * (k + 1));
    if (m->arena.failed)
        return zw_manifold_memory(err);
    memcpy(e, m->f, (size_t)nx * sizeof *e);
    memcpy(e + nx, m->den, (size_t)n * sizeof *e);
    memcpy(e + nx + n, m->g, (size_t)n * sizeof *e);
    for (int j = 0; j <= n; j++)
        for (int i = 0; i <= k; i++)
            part[j * (k + 1) + i] = j == n  ? (i == 1 ? ZW_ONE : ZW_ZERO)
                                    : i < k ? m->h[i * n + j]
                                            : ZW_ZERO;
    for (int j = 0; j < n; j++)
        symbol[j] = m->y[j].sym;
    symbol[n] = m->result.small;
    return zw_taylor_series(m->ctx, nx + 2 * n, e, n + 1, symbol, part, k, out, err);
}

static zw_status next_order(zw_manifold *m, int k, zw_error *err) {
    zw_context *ctx = m->ctx;
    int n = m->result.ny, nx = m->result.nx, width = k + 1;
    zw_expr *s = ZW_MANIFOLD_NEW(m, zw_expr, (nx + 2 * n) * width),
            *A = ZW_MANIFOLD_NEW(m, zw_expr, n * n), *b = ZW_MANIFOLD_NEW(m, zw_expr, n);
    if (m->arena.failed)
        return zw_manifold_memory(err);
    ZW_TRY(expand_series(m, k, s, err));
    for (int j = 0; j < n; j++) {
        zw_expr sum = zw_neg(ctx, s[(nx + n + j) * width + k]);
        for (int a = 0; a < k; a++)
            for (int d = 0; a + d < k; d++)
                for (int i = 0; i < nx; i++)
                    sum = zw_add(ctx, sum,
                                 zw_mul(ctx, s[(nx + j) * width + a],
                                        zw_mul(ctx, m->Dh[(d * n + j) * nx + i],
                                               s[i * width + k - 1 - a - d])));
        b[j] = zw_explicit_tidy(&m->rates, sum);
    }
    memcpy(A, m->G_y, (size_t)(n * n) * sizeof *A);
    if (!zw_explicit_solve(&m->rates, &m->arena, n, 1, A, b))
        return not_hyperbolic(m, err);
    memcpy(m->h + k * n, b, (size_t)n * sizeof *b);
    differentiate_term(m, k);
    return zw_context_status(ctx, err);
}

zw_status zw_manifold_expand(zw_manifold *m, zw_error *err) {
    zw_manifold_result *r = &m->result;
    int order = m->options.order;
    m->h = ZW_MANIFOLD_NEW(m, zw_expr, (order + 1) * r->ny);
    m->Dh = ZW_MANIFOLD_NEW(m, zw_expr, (order + 1) * r->ny * r->nx);
    if (m->arena.failed)
        return zw_manifold_memory(err);
    ZW_TRY(find_critical(m, err));
    ZW_TRY(find_slopes(m, err));
    differentiate_term(m, 0);
    for (int k = 1; k <= order; k++)
        ZW_TRY(next_order(m, k, err));
    r->norder = order;
    return ZW_OK;
}
