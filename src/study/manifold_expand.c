/* SPDX-License-Identifier: MIT */
/* The expansion of the manifold. With eps den_j y_j' = g_j (den regular, so that no quotients stand in g) invariance says
 *
 *     eps den_j sum_i (dh_j/dx_i) f_i = g_j,
 *     order 0:  g(x, h_0, 0) = 0,
 *     order k:  sum_l G_jl h_kl = sum_{a+b+c=k-1} den_j,a (Dh_b f_c)_j - R_j,k,    G = dg/dy at (x, h_0, 0),
 *
 * R_k what stands before eps^k in g(x, h_0 + ... + eps^(k-1) h_(k-1), eps). The series of f, g and den come from zw_taylor_series. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expr/ratio.h"
#include "manifold.h"
#include "zwang/taylor.h"

#define TIDY_MOST 6000 /* characters: longer ones are left as they are */

zw_expr zw_manifold_tidy(const zw_manifold *m, zw_expr e) {
    int n;
    zw_expr_args(m->ctx, e, &n);
    if (!e || n == 0 || zw_print_length(m->ctx, e) > TIDY_MOST)
        return e;
    zw_expr tidy = zw_factored_apart(m->ctx, e);
    return tidy && zw_print_length(m->ctx, tidy) < 2 * zw_print_length(m->ctx, e) ? tidy : e;
}

/* ------------------------------------------------------------------------------------------ linear equations */

/* a value to judge a pivot by: parameters have theirs, what moves has some number of about 1 */
static double value_of(const zw_manifold *m, zw_expr e) {
    zw_arena_mark mark = zw_arena_mark_now(&m->arena);
    zw_arena *arena = (zw_arena *)&m->arena;
    int np = m->sys->np, n = np + m->eq.nq + m->eq.nv + m->result.ny;
    zw_expr *symbol = ZW_NEW(arena, zw_expr, n + 1);
    double *value = ZW_NEW(arena, double, n + 1), out = NAN;
    for (int i = 0; symbol && value && i < n; i++) {
        int k = i - np, j = k - m->eq.nq, l = j - m->eq.nv;
        symbol[i] = k < 0   ? m->sys->param[i].sym
                    : j < 0 ? m->eq.q[k]
                    : l < 0 ? m->eq.v[j]
                            : (m->y_0 ? m->y_0[l] : ZW_ZERO);
        value[i] = k < 0 ? m->p[i] : 0.3 + 0.6 * fabs(sin(1 + 2.4 * k));
    }
    if (symbol && value)
        out = zw_eval(m->ctx, e, m->y_0 ? n : n - m->result.ny, symbol, value);
    zw_arena_release(arena, mark);
    return out;
}

static int pivot_of(const zw_manifold *m, int n, const zw_expr *A, int column) {
    int best = -1;
    double shortest = INFINITY;
    for (int i = column; i < n; i++) {
        zw_expr e = A[i * n + column];
        double value = e == ZW_ZERO ? 0 : value_of(m, e), length = zw_print_length(m->ctx, e);
        if (value != 0 && isfinite(value) && length < shortest && !zw_ratio_is_zero(m->ctx, e)) {
            shortest = length;
            best = i;
        }
    }
    return best;
}

static void swap_rows(int n, zw_expr *A, int a, int b) {
    for (int k = 0; k < n && a != b; k++) {
        zw_expr e = A[a * n + k];
        A[a * n + k] = A[b * n + k];
        A[b * n + k] = e;
    }
}

static void subtract(const zw_manifold *m, zw_expr *from, zw_expr factor, zw_expr what) {
    *from = zw_manifold_tidy(m, zw_sub(m->ctx, *from, zw_mul(m->ctx, factor, what)));
}

bool zw_manifold_solve(zw_manifold *m, int n, int k, zw_expr *A, zw_expr *b) {
    for (int c = 0; c < n; c++) {
        int row = pivot_of(m, n, A, c);
        if (row < 0)
            return false;
        swap_rows(n, A, c, row);
        swap_rows(k, b, c, row);
        for (int i = 0; i < n; i++) {
            if (i == c || A[i * n + c] == ZW_ZERO)
                continue;
            zw_expr factor = zw_div(m->ctx, A[i * n + c], A[c * n + c]);
            for (int j = c + 1; j < n; j++)
                subtract(m, &A[i * n + j], factor, A[c * n + j]);
            for (int j = 0; j < k; j++)
                subtract(m, &b[i * k + j], factor, b[c * k + j]);
            A[i * n + c] = ZW_ZERO;
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++)
            b[i * k + j] = zw_manifold_tidy(m, zw_div(m->ctx, b[i * k + j], A[i * n + i]));
    return true;
}

/* --------------------------------------------------------------------------------------- the critical manifold */

static zw_status not_hyperbolic(const zw_manifold *m, zw_error *err) {
    const char *eps = zw_expr_name(m->ctx, m->result.small);
    zw_fail(err, ZW_E_MODEL,
            "the critical manifold is nowhere normally hyperbolic: dg/dy is singular, g = %s %s'%s",
            eps, m->y[0].name, m->result.ny > 1 ? ", ..." : "");
    zw_error_hint(err,
                  "a fast variable must pull itself back (or push itself away) at the rate 1/%s; "
                  "perhaps another "
                  "one is fast",
                  eps);
    return ZW_E_MODEL;
}

/* "v_0", "x_dot_0" */
static zw_expr critical_name(const zw_manifold *m, const char *of) {
    static const char *const ending[] = {"_0", "_c", "_critical"};
    char name[200];
    for (int k = 0; k < 3; k++) {
        snprintf(name, sizeof name, "%s%s", zw_manifold_plain_name(m, of), ending[k]);
        if (!zw_manifold_taken(m, name))
            break;
    }
    return zw_symbol(m->ctx, name);
}

/* h_0 by formulas where g is linear in y, else as symbols */
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
        if (!zw_manifold_solve(m, n, 1, A, rest))
            return not_hyperbolic(m, err);
        memcpy(m->h, rest, (size_t)n * sizeof *rest);
    } else {
        zw_context_reset_status(m->ctx);
        m->y_0 = ZW_MANIFOLD_NEW(m, zw_expr, n);
        if (m->arena.failed)
            return zw_manifold_memory(err);
        for (int j = 0; j < n; j++)
            m->h[j] = m->y_0[j] = critical_name(m, m->y[j].name);
    }
    return zw_context_status(m->ctx, err);
}

/* G = dg/dy, g_y = dg/dy den^-1 on the critical manifold, and Dh_0 where h_0 is a symbol */
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
            A[j * n + l] = m->G_y[j * n + l] = zw_manifold_tidy(m, slope);
            m->g_y[j * n + l] = zw_manifold_tidy(m, zw_div(m->ctx, slope, den));
        }
        for (int i = 0; i < nx; i++)
            b[j * nx + i] = zw_neg(
                m->ctx, zw_subst(m->ctx, zw_diff(m->ctx, m->g[j], m->x[i].sym), n + 1, from, to));
    }
    if (!r->closed) {
        if (!zw_manifold_solve(m, n, nx, A, b))
            return not_hyperbolic(m, err);
        memcpy(m->Dh, b, (size_t)(n * nx) * sizeof *b);
    }
    return zw_context_status(m->ctx, err);
}

/* Dh_k: the total derivative, y_0 goes along with x */
static void differentiate(zw_manifold *m, int k) {
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

/* --------------------------------------------------------------------------------------------- order by order */

/* the series of f, den, g up to eps^k with h up to k - 1: (nx + 2 ny) x (k + 1) */
static zw_status series(zw_manifold *m, int k, zw_expr *out, zw_error *err) {
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
    ZW_TRY(series(m, k, s, err));
    for (int j = 0; j < n; j++) {
        zw_expr sum = zw_neg(ctx, s[(nx + n + j) * width + k]);
        for (int a = 0; a < k; a++)
            for (int d = 0; a + d < k; d++)
                for (int i = 0; i < nx; i++)
                    sum = zw_add(ctx, sum,
                                 zw_mul(ctx, s[(nx + j) * width + a],
                                        zw_mul(ctx, m->Dh[(d * n + j) * nx + i],
                                               s[i * width + k - 1 - a - d])));
        b[j] = zw_manifold_tidy(m, sum);
    }
    memcpy(A, m->G_y, (size_t)(n * n) * sizeof *A);
    if (!zw_manifold_solve(m, n, 1, A, b))
        return not_hyperbolic(m, err);
    memcpy(m->h + k * n, b, (size_t)n * sizeof *b);
    differentiate(m, k);
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
    differentiate(m, 0);
    for (int k = 1; k <= order; k++)
        ZW_TRY(next_order(m, k, err));
    r->norder = order;
    return ZW_OK;
}
