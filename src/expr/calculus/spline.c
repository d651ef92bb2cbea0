/* SPDX-License-Identifier: MIT */
/* Tabulated functions. Linear: straight pieces. Cubic: the natural spline, twice continuously
 * differentiable, whose second derivatives m_i solve the tridiagonal system
 *     h_{i-1} m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_i m_{i+1} = 6 (s_i - s_{i-1}), m_0 = m_{n-1} = 0,
 * h_i = x_{i+1} - x_i, s_i the slopes of the chords. Outside the table the value is that of the
 * end, with zero derivatives. */
#include <math.h>
#include <string.h>

#include "expr/core/store.h"

/* the m_i; right and diagonal are scratch of size n */
static void second_derivatives(int n, const double *x, const double *y, double *m,
                               double *diagonal) {
    m[0] = m[n - 1] = 0;
    for (int i = 1; i < n - 1; i++) {
        double h0 = x[i] - x[i - 1], h1 = x[i + 1] - x[i];
        diagonal[i] = 2 * (h0 + h1);
        m[i] = 6 * ((y[i + 1] - y[i]) / h1 - (y[i] - y[i - 1]) / h0);
        if (i > 1) {
            double ratio = h0 / diagonal[i - 1];
            diagonal[i] -= ratio * h0;
            m[i] -= ratio * m[i - 1];
        }
    }
    for (int i = n - 2; i >= 1; i--)
        m[i] = (m[i] - (x[i + 1] - x[i]) * m[i + 1]) / diagonal[i];
}

int zw_tabulate(zw_context *ctx, int n, const double *x, const double *y, zw_interpolation how) {
    if (n < 2) {
        zw_store_fail(ctx, ZW_E_DOMAIN, "a table needs at least two points");
        return -1;
    }
    for (int i = 0; i < n; i++) {
        if (!isfinite(x[i]) || !isfinite(y[i]) || (i > 0 && !(x[i] > x[i - 1]))) {
            zw_store_fail(ctx, ZW_E_DOMAIN, "the points of a table must be finite and ascending");
            return -1;
        }
    }
    double *knots = ZW_NEW(&ctx->arena, double, n),
           *coef = ZW_NEW(&ctx->arena, double, 4 * (n - 1));
    zw_arena_mark mark = zw_arena_mark_now(&ctx->scratch);
    double *m = ZW_NEW(&ctx->scratch, double, n), *diagonal = ZW_NEW(&ctx->scratch, double, n);
    if (!knots || !coef || !m || !diagonal ||
        !zw_arena_grow(&ctx->arena, (void **)&ctx->splines, ctx->spline_count,
                       &ctx->spline_capacity, sizeof(zw_spline))) {
        zw_store_fail(ctx, ZW_E_MEMORY, "out of memory for a table");
        return -1;
    }
    memcpy(knots, x, (size_t)n * sizeof *x);
    if (how == ZW_CUBIC)
        second_derivatives(n, x, y, m, diagonal);
    for (int i = 0; i < n - 1; i++) {
        double h = x[i + 1] - x[i];
        double *c = coef + 4 * (size_t)i;
        c[0] = y[i];
        c[1] = (y[i + 1] - y[i]) / h - h * (2 * m[i] + m[i + 1]) / 6;
        c[2] = m[i] / 2;
        c[3] = (m[i + 1] - m[i]) / (6 * h);
    }
    zw_arena_release(&ctx->scratch, mark);
    ctx->splines[ctx->spline_count] = (zw_spline){n, knots, coef, y[0], y[n - 1], {0}};
    return ctx->spline_count++;
}

const zw_spline *zw_spline_of(const zw_context *ctx, int table) {
    return table >= 0 && table < ctx->spline_count ? &ctx->splines[table] : NULL;
}

double zw_spline_eval(const zw_spline *s, int order, double x) {
    if (!s || isnan(x))
        return NAN;
    if (x < s->x[0] || x > s->x[s->n - 1])
        return order > 0 ? 0 : x < s->x[0] ? s->first : s->last;
    int low = 0, high = s->n - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (x < s->x[middle])
            high = middle;
        else
            low = middle;
    }
    const double *c = s->coef + 4 * (size_t)low;
    double d = x - s->x[low];
    switch (order) {
    case 0:
        return ((c[3] * d + c[2]) * d + c[1]) * d + c[0];
    case 1:
        return (3 * c[3] * d + 2 * c[2]) * d + c[1];
    case 2:
        return 6 * c[3] * d + 2 * c[2];
    case 3:
        return 6 * c[3];
    default:
        return 0;
    }
}

zw_expr zw_lookup(zw_context *ctx, int table, int order, zw_expr x) {
    if (!zw_spline_of(ctx, table))
        return zw_store_fail(ctx, ZW_E_NAME, "there is no table of that number");
    if (order > 3)
        return ZW_ZERO;
    return zw_apply(ctx, ZW_OP_TABLE, 3,
                    (zw_expr[]){zw_integer(ctx, table), zw_integer(ctx, order), x});
}
