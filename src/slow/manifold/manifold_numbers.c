/* SPDX-License-Identifier: MIT */
/* Values of the formulas, and points of the critical manifold by Newton's method: g(x, y_0, 0) = 0.
 * Steps are halved while |g| does not decrease. */
#include <math.h>
#include <string.h>

#include "base/tolerance.h"
#include "manifold.h"
#include "num/linear/linalg.h"

#define STEP_CONVERGED 1e-15 /* relative: the step is below the spacing of doubles */
/* in SI units: added to the values of the manifold, which may be zero */
#define SMALLEST_VALUE 1e-3

enum {
    NEWTON_MOST = 60,  /* iterations: a limit: a convergent iteration needs far fewer */
    HALVINGS_MOST = 30 /* of a step that does not decrease |g| */
};

void zw_manifold_values(const zw_manifold *m, int n, const zw_expr *e, const double *x,
                        const double *y, double eps, double *out) {
    zw_arena *arena = (zw_arena *)&m->arena;
    zw_arena_mark mark = zw_arena_mark_now(arena);
    const zw_manifold_result *r = &m->result;
    int np = m->sys->np, all = np + r->nx + 2 * r->ny, k = 0;
    zw_expr *symbol = ZW_NEW(arena, zw_expr, all);
    double *value = ZW_NEW(arena, double, all);
    if (!symbol || !value) {
        for (int i = 0; i < n; i++)
            out[i] = NAN;
        return;
    }
    for (int i = 0; i < np; i++, k++) {
        symbol[k] = m->sys->param[i].sym;
        value[k] = symbol[k] == r->small ? eps : m->p[i];
    }
    for (int i = 0; i < r->nx; i++, k++) {
        symbol[k] = m->x[i].sym;
        value[k] = x[i];
    }
    for (int j = 0; y && j < r->ny; j++, k++) {
        symbol[k] = m->y[j].sym;
        value[k] = y[j];
        if (!m->y_0)
            continue;
        symbol[++k] = m->y_0[j];
        value[k] = y[j];
    }
    zw_eval_all(m->ctx, n, e, k, symbol, value, out);
    zw_arena_release(arena, mark);
}

static double size_of(int n, const double *g) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += g[i] * g[i];
    return sqrt(sum);
}

static bool is_finite(int n, const double *a) {
    for (int i = 0; i < n; i++)
        if (!isfinite(a[i]))
            return false;
    return true;
}

typedef struct newton {
    int n;
    zw_expr *e; /* g, then dg/dy */
    double *value, *trial, *step, *next;
    int *pivot;
} newton;

static zw_status no_point(const zw_manifold *m, const double *x, zw_error *err) {
    zw_fail(err, ZW_RETRY, "no point of the critical manifold is found at %s = %.6g%s",
            m->x[0].name, x[0], m->result.nx > 1 ? ", ..." : "");
    return ZW_RETRY;
}

static zw_status iterate_newton(const zw_manifold *m, newton *s, const double *x, double *y,
                                zw_error *err) {
    int n = s->n, all = n + n * n;
    zw_manifold_values(m, all, s->e, x, y, 0, s->value);
    for (int k = 0; k < NEWTON_MOST; k++) {
        if (!is_finite(all, s->value))
            return no_point(m, x, err);
        double size = size_of(n, s->value), best = INFINITY;
        for (int i = 0; i < n; i++)
            s->step[i] = -s->value[i];
        if (size == 0)
            return ZW_OK;
        if (!(zw_num_lu(n, s->value + n, s->pivot) > zw_num_pivot_floor(n)) && n > 1)
            return no_point(m, x, err);
        zw_num_lu_solve(n, s->value + n, s->pivot, 1, s->step);
        double part = 1, width = size_of(n, s->step), point = size_of(n, y);
        if (!is_finite(n, s->step))
            return no_point(m, x, err);
        if (width <= STEP_CONVERGED * (SMALLEST_VALUE + point))
            return ZW_OK;
        for (int h = 0; h < HALVINGS_MOST && !(best < size); h++, part /= 2) {
            for (int i = 0; i < n; i++)
                s->next[i] = y[i] + part * s->step[i];
            zw_manifold_values(m, all, s->e, x, s->next, 0, s->value);
            best = size_of(n, s->value);
        }
        if (!(best < size)) /* round-off, or a minimum of |g| */
            return width <= ZW_ROUNDOFF_SOLVED * (SMALLEST_VALUE + point) ? ZW_OK
                                                                          : no_point(m, x, err);
        memcpy(y, s->next, (size_t)n * sizeof *y);
    }
    return no_point(m, x, err);
}

zw_status zw_manifold_critical(const zw_manifold *m, const double *x, double *y_0, zw_error *err) {
    const zw_manifold_result *r = &m->result;
    zw_arena *arena = (zw_arena *)&m->arena;
    zw_arena_mark mark = zw_arena_mark_now(arena);
    int n = r->ny;
    if (r->closed) {
        zw_manifold_values(m, n, m->h, x, NULL, 0, y_0);
        return is_finite(n, y_0) ? ZW_OK : no_point(m, x, err);
    }
    newton s = {.n = n,
                .e = ZW_NEW(arena, zw_expr, n + n * n),
                .value = ZW_NEW(arena, double, n + n * n),
                .step = ZW_NEW(arena, double, n),
                .next = ZW_NEW(arena, double, n),
                .pivot = ZW_NEW(arena, int, n)};
    if (arena->failed)
        return zw_manifold_memory(err);
    memcpy(s.e, m->g, (size_t)n * sizeof *s.e);
    memcpy(s.e + n, m->G_y, (size_t)(n * n) * sizeof *s.e);
    zw_status status = iterate_newton(m, &s, x, y_0, err);
    zw_arena_release(arena, mark);
    return status;
}
