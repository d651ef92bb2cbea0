/* SPDX-License-Identifier: MIT */
/* Normal hyperbolicity over a box: eigenvalues of dg/dy on the critical manifold at the points
 * of a grid, compared with those of the reduced flow without eps, df/dx + df/dy Dh_0: are the
 * fast variables faster? And the folds, where one of them is zero,
 *
 *   g(x, y, 0) = 0,    det dg/dy = 0,
 *
 * found by Newton's method from many points, for y and the slow variable that changes g most; the
 * other slow ones are at the points of the grid. With the kernel r of dg/dy, l of its transpose
 * (one fast variable: both 1), a fold is simple if l g_yy r r is not 0, and the slow flow reaches
 * it with l g_x f: the branch of g = 0 lies where l g_x (x - x*) + l g_yy r r/2 s^2 = 0, so the
 * slow flow ends where the two have one sign. If l g_x f = 0 it may pass: a canard
 * point. If g_x = 0 branches of g = 0 cross, if l g_yy r r = 0 the branch continues: both are
 * no folds. Folds are searched with one fast variable only. */
#include <math.h>
#include <string.h>

#include "base/tolerance.h"
#include "manifold.h"
#include "num/linear/dense.h"

#define LARGEST_STEP 0.3 /* of the box: Newton steps are not longer */

enum {
    JUDGED_MOST = 4000, /* points of the grid */
    FOLDS_MOST = 64,    /* reported folds */
    LINES_MOST = 25,    /* grid points of the other slow variables */
    TRIES = 24,         /* starts in each quarter of a line */
    NEWTON_MOST = 60    /* iterations: a limit: a convergent iteration needs far fewer */
};

#define NEUTRAL_EIGENVALUE 1e-12 /* |Re| relative to the largest |eigenvalue|: less is round-off */
/* Ratio to the slow flow: below it there is no split, as in zw_manifold_propose. */
#define SPLIT_RATIO 3.0
#define DEGENERATE 1e-6 /* ratio of two terms of g over the box: the smaller one counts as zero */
#define SAME_FOLD 1e-7  /* of the box: Newton's method ends far below it */

bool zw_manifold_spectrum(zw_manifold *m, const double *g_y, zw_fast_rates *out) {
    zw_arena_mark mark = zw_arena_mark_now(&m->arena);
    int n = m->result.ny;
    zw_dense_eigen e;
    for (int i = 0; i < n * n; i++)
        if (!isfinite(g_y[i]))
            return false;
    double size = fabs(g_y[0]);
    *out = (zw_fast_rates){g_y[0], g_y[0], size, false};
    if (n > 1) {
        if (!zw_dense_eigenvalues(&m->arena, n, g_y, &e))
            return false;
        *out = (zw_fast_rates){-INFINITY, INFINITY, INFINITY, false};
        for (int i = 0; i < n; i++) {
            out->largest = fmax(out->largest, e.re[i]);
            out->smallest = fmin(out->smallest, e.re[i]);
            out->nearest = fmin(out->nearest, fabs(e.re[i]));
            size = fmax(size, hypot(e.re[i], e.im[i]));
        }
    }
    out->neutral = out->nearest <= NEUTRAL_EIGENVALUE * size;
    zw_arena_release(&m->arena, mark);
    return true;
}

/* df/dx + df/dy Dh_0 (nx x nx), of x and y = h_0. */
static zw_status reduced_slopes(zw_manifold *m, zw_expr **out, zw_error *err) {
    zw_context *ctx = m->ctx;
    int nx = m->result.nx, ny = m->result.ny;
    zw_expr *A = ZW_MANIFOLD_NEW(m, zw_expr, nx * nx);
    if (!A)
        return zw_manifold_memory(err);
    for (int i = 0; i < nx; i++)
        for (int k = 0; k < nx; k++) {
            zw_expr sum = zw_diff(ctx, m->f[i], m->x[k].sym);
            for (int j = 0; j < ny; j++)
                sum = zw_add(ctx, sum,
                             zw_mul(ctx, zw_diff(ctx, m->f[i], m->y[j].sym), m->Dh[j * nx + k]));
            A[i * nx + k] = sum;
        }
    *out = A;
    return zw_context_status(ctx, err);
}

/* The largest |eigenvalue| of the reduced flow; NaN if there is none. */
static double slow_rate(zw_manifold *m, const double *A) {
    zw_arena_mark mark = zw_arena_mark_now(&m->arena);
    zw_dense_eigen e;
    int n = m->result.nx;
    double most = 0;
    for (int i = 0; i < n * n; i++)
        if (!isfinite(A[i]))
            return NAN;
    if (n == 1)
        return fabs(A[0]);
    if (!zw_dense_eigenvalues(&m->arena, n, A, &e))
        return NAN;
    for (int i = 0; i < n; i++)
        most = fmax(most, hypot(e.re[i], e.im[i]));
    zw_arena_release(&m->arena, mark);
    return most;
}

/* Point `k` of the grid. */
static void grid_point(const zw_grid *g, long k, double *x) {
    for (int d = 0; d < g->n; d++, k /= g->points) {
        double part = (double)(k % g->points) / (g->points - 1);
        x[g->of[d]] = g->low[d] + part * (g->high[d] - g->low[d]);
    }
}

static zw_status store_place(zw_manifold *m, zw_manifold_place *p, const double *x, const double *y,
                             double rate, zw_error *err) {
    int nx = m->result.nx, ny = m->result.ny;
    double *a = p->x ? (double *)p->x : ZW_MANIFOLD_NEW(m, double, nx),
           *b = p->y ? (double *)p->y : ZW_MANIFOLD_NEW(m, double, ny);
    if (!a || !b)
        return zw_manifold_memory(err);
    memcpy(a, x, (size_t)nx * sizeof *a);
    memcpy(b, y, (size_t)ny * sizeof *b);
    *p = (zw_manifold_place){a, b, rate};
    return ZW_OK;
}

typedef struct hyperbolicity_check {
    double *x, *y, *slope, *slow; /* nx, ny, ny x ny, nx x nx */
    zw_expr *A;
} hyperbolicity_check;

static zw_status analyse_point(zw_manifold *m, hyperbolicity_check *l, zw_manifold_nature *out,
                               zw_error *err) {
    int n = m->result.ny, nx = m->result.nx;
    double eps = m->result.eps;
    zw_fast_rates r;
    zw_error why = {0};
    bool found = zw_manifold_critical(m, l->x, l->y, &why) == ZW_OK;
    if (found)
        zw_manifold_values(m, n * n, m->g_y, l->x, l->y, 0, l->slope);
    if (!found || !zw_manifold_spectrum(m, l->slope, &r)) {
        out->missing++;
        return ZW_OK;
    }
    /* dg/dy / eps attracts. */
    double largest = (eps < 0 ? r.smallest : r.largest) / eps,
           smallest = (eps < 0 ? r.largest : r.smallest) / eps;
    *(r.neutral      ? &out->neutral
      : largest < 0  ? &out->attracting
      : smallest > 0 ? &out->repelling
                     : &out->saddle) += 1;
    if (!out->weakest.x || largest > out->weakest.rate)
        ZW_TRY(store_place(m, &out->weakest, l->x, l->y, largest, err));
    if (!out->strongest.x || largest < out->strongest.rate)
        ZW_TRY(store_place(m, &out->strongest, l->x, l->y, largest, err));
    zw_manifold_values(m, nx * nx, l->A, l->x, l->y, 0, l->slow);
    double slow = slow_rate(m, l->slow), fast = r.nearest / fabs(eps);
    if (isnan(slow) || r.neutral)
        return ZW_OK;
    out->mixed += fast <= SPLIT_RATIO * slow;
    if (!out->closest.x || fast / slow < out->gap) {
        out->gap = fast / slow;
        ZW_TRY(store_place(m, &out->closest, l->x, l->y, fast, err));
    }
    return ZW_OK;
}

static zw_status scan_grid(zw_manifold *m, const zw_grid *g, zw_manifold_nature *out,
                           zw_error *err) {
    int n = m->result.ny, nx = m->result.nx;
    hyperbolicity_check l = {.x = ZW_MANIFOLD_NEW(m, double, nx),
                             .y = ZW_MANIFOLD_NEW(m, double, n),
                             .slope = ZW_MANIFOLD_NEW(m, double, n *n),
                             .slow = ZW_MANIFOLD_NEW(m, double, nx *nx)};
    if (m->arena.failed)
        return zw_manifold_memory(err);
    ZW_TRY(reduced_slopes(m, &l.A, err));
    out->gap = INFINITY;
    memcpy(l.x, g->x, (size_t)nx * sizeof *l.x);
    for (long k = 0; k < g->size; k++, out->npoint++) {
        grid_point(g, k, l.x);
        memcpy(l.y, g->y, (size_t)n * sizeof *l.y);
        ZW_TRY(analyse_point(m, &l, out, err));
    }
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------------- folds */

typedef struct folds {
    zw_manifold *m;
    const zw_grid *g;
    zw_expr e[7]; /* g, g_y, g_x, g_yy, g_yx, sum g_x f */
    zw_manifold_fold *fold;
    int n;
} folds;

static void prepare_folds(folds *s, int d) {
    zw_manifold *m = s->m;
    zw_context *ctx = m->ctx;
    zw_expr g = m->result.g[0], y = m->y[0].sym, x = m->x[s->g->of[d]].sym, drift = ZW_ZERO;
    for (int i = 0; i < m->result.nx; i++)
        drift = zw_add(ctx, drift, zw_mul(ctx, zw_diff(ctx, g, m->x[i].sym), m->f[i]));
    s->e[0] = g;
    s->e[1] = zw_diff(ctx, g, y);
    s->e[2] = zw_diff(ctx, g, x);
    s->e[3] = zw_diff(ctx, s->e[1], y);
    s->e[4] = zw_diff(ctx, s->e[1], x);
    s->e[5] = drift;
}

/* Newton's method for (x_d, y): g = 0, g_y = 0. */
static bool solve_fold(folds *s, int d, double *x, double *y) {
    double v[6], *a = &x[s->g->of[d]], width = s->g->high[d] - s->g->low[d],
                 height = s->g->y_high[0] - s->g->y_low[0];
    for (int k = 0; k < NEWTON_MOST; k++) {
        zw_manifold_values(s->m, 6, s->e, x, y, 0, v);
        double det = v[2] * v[3] - v[1] * v[4], da = -(v[0] * v[3] - v[1] * v[1]) / det,
               dy = -(v[2] * v[1] - v[0] * v[4]) / det,
               limit = fmax(fabs(da) / width, fabs(dy) / height);
        if (!isfinite(da) || !isfinite(dy))
            return false;
        double part = limit > LARGEST_STEP ? LARGEST_STEP / limit : 1;
        *a += part * da;
        *y += part * dy;
        if (limit < ZW_ROUNDOFF_VALUE)
            return true;
    }
    return false;
}

static bool is_inside(const folds *s, int d, const double *x, const double *y) {
    const zw_grid *g = s->g;
    double a = x[g->of[d]];
    return a >= g->low[d] && a <= g->high[d] && *y >= g->y_low[0] && *y <= g->y_high[0];
}

static bool is_known(const folds *s, const double *x, const double *y) {
    for (int k = 0; k < s->n; k++) {
        double apart = fabs(s->fold[k].y[0] - *y) / (s->g->y_high[0] - s->g->y_low[0]);
        for (int d = 0; d < s->g->n; d++)
            apart = fmax(apart, fabs(s->fold[k].x[s->g->of[d]] - x[s->g->of[d]]) /
                                    (s->g->high[d] - s->g->low[d]));
        if (apart < SAME_FOLD)
            return true;
    }
    return false;
}

static zw_status add_fold(folds *s, const double *x, const double *y, zw_error *err) {
    zw_manifold *m = s->m;
    double v[6], *at = ZW_MANIFOLD_NEW(m, double, m->result.nx),
                 *up = ZW_MANIFOLD_NEW(m, double, 1), size = 0;
    if (m->arena.failed)
        return zw_manifold_memory(err);
    memcpy(at, x, (size_t)m->result.nx * sizeof *at);
    *up = *y;
    zw_manifold_values(m, 6, s->e, x, y, 0, v);
    for (int i = 0; i < m->result.nx; i++) { /* bound of the sum */
        zw_expr term = zw_mul(m->ctx, zw_diff(m->ctx, s->e[0], m->x[i].sym), m->f[i]);
        double part;
        zw_manifold_values(m, 1, &term, x, y, 0, &part);
        size += fabs(part);
    }
    double along = 0, height = s->g->y_high[0] - s->g->y_low[0],
           across = fabs(v[3]) * height * height;
    for (int d = 0; d < s->g->n; d++) {
        zw_expr slope = zw_diff(m->ctx, s->e[0], m->x[s->g->of[d]].sym);
        double part;
        zw_manifold_values(m, 1, &slope, x, y, 0, &part);
        along += fabs(part) * (s->g->high[d] - s->g->low[d]);
    }
    bool crossing = along <= DEGENERATE * across, flat = !crossing && across <= DEGENERATE * along;
    double scale = fabs(v[2]) * (s->g->high[0] - s->g->low[0]);
    bool canard = !crossing && !flat && fabs(v[5]) <= ZW_ROUNDOFF_SOLVED * fmax(size, scale);
    s->fold[s->n++] = (zw_manifold_fold){.x = at,
                                         .y = up,
                                         .curvature = v[3],
                                         .drift = v[5],
                                         .canard = canard,
                                         .crossing = crossing,
                                         .flat = flat,
                                         .jump = !canard && !crossing && !flat && v[3] * v[5] > 0};
    return ZW_OK;
}

static zw_status find_folds(zw_manifold *m, const zw_grid *g, zw_manifold_nature *out,
                            zw_error *err) {
    folds s = {m, g, {0}, ZW_MANIFOLD_NEW(m, zw_manifold_fold, FOLDS_MOST), 0};
    double *x = ZW_MANIFOLD_NEW(m, double, m->result.nx), y;
    zw_grid lines = *g;
    if (m->arena.failed)
        return zw_manifold_memory(err);
    while (lines.points > 2 && pow(lines.points, g->n - 1) > LINES_MOST)
        lines.points--;
    long nline = lround(pow(lines.points, g->n - 1));
    prepare_folds(&s, 0);
    if (s.e[1] == ZW_ZERO)
        return ZW_OK;
    for (long k = 0; k < nline; k++)
        for (int t = 0; t < TRIES * 4 && s.n < FOLDS_MOST; t++) {
            int quarter = t / TRIES;
            memcpy(x, g->x, (size_t)m->result.nx * sizeof *x);
            grid_point(&lines, k * lines.points, x);
            x[g->of[0]] = g->low[0] + (g->high[0] - g->low[0]) * (quarter + 0.5) / 4;
            y = g->y_low[0] + (g->y_high[0] - g->y_low[0]) * ((t % TRIES) + 0.5) / TRIES;
            if (solve_fold(&s, 0, x, &y) && is_inside(&s, 0, x, &y) && !is_known(&s, x, &y))
                ZW_TRY(add_fold(&s, x, &y, err));
        }
    out->fold = s.fold;
    out->nfold = s.n;
    out->more = s.n == FOLDS_MOST;
    return zw_context_status(m->ctx, err);
}

zw_status zw_manifold_judge_start(zw_manifold *m, zw_manifold_nature *out, zw_error *err) {
    zw_grid g = {.size = 1,
                 .x = ZW_MANIFOLD_NEW(m, double, m->result.nx),
                 .y = ZW_MANIFOLD_NEW(m, double, m->result.ny)};
    *out = (zw_manifold_nature){0};
    if (m->arena.failed)
        return zw_manifold_memory(err);
    ZW_TRY(zw_manifold_start(m, g.x, g.y, err));
    ZW_TRY(scan_grid(m, &g, out, err));
    return zw_context_status(m->ctx, err);
}

zw_status zw_manifold_judge(zw_manifold *m, const zw_manifold_box *box, zw_manifold_nature *out,
                            zw_error *err) {
    zw_grid g;
    *out = (zw_manifold_nature){0};
    if (m->result.eps == 0)
        return zw_fail(err, ZW_E_OPTION, "the small parameter %s is 0: numbers need a value",
                       zw_expr_name(m->ctx, m->result.small));
    ZW_TRY(zw_manifold_grid(m, box, JUDGED_MOST, &g, err));
    ZW_TRY(scan_grid(m, &g, out, err));
    return m->result.ny == 1 ? find_folds(m, &g, out, err) : ZW_OK;
}
