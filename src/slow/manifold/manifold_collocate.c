/* SPDX-License-Identifier: MIT */
/* The manifold without expansion. y = H(x) is a polynomial through the Chebyshev-Lobatto points
 * of the box, xi_k = -cos(pi k/(N - 1)) in each direction, and satisfies at all of them
 *
 *   R_j = g_j(x, H, eps) - eps den_j(x, H, eps) sum_i f_i(x, H, eps) dH_j/dx_i = 0,
 *
 * derivatives by the differentiation matrix of the nodes. Newton's method starts from the critical
 * manifold; its matrix is full. There are no boundary conditions: the other solutions of R = 0
 * grow as exp(-|g_y| s/eps) from the boundary, and polynomials do not represent them. The residual
 * between the nodes gives the error: R/(dg/dy), a distance. If the box or eps is so large that the
 * other solutions are polynomials as well, the equation does not determine H near the boundary, and
 * other nodes lead to another H: the same computation with fewer nodes detects that. (J. P. Boyd,
 * Chebyshev and Fourier Spectral Methods, 2001, on the nodes and their matrix.) */
#include "manifold_collocate.h"

#include <math.h>
#include <string.h>

#include "base/tolerance.h"
#include "num/linear/linalg.h"

#define LARGEST_STEP 1e3 /* of the values: Newton's method diverges */
/* in SI units: added to the values of the manifold, which may be zero */
#define SMALLEST_VALUE 1e-3

enum {
    NODES_MOST = 420, /* unknowns: the matrix is full */
    NEWTON_MOST = 40, /* iterations */
    PROBES = 60,      /* points between the nodes */
    STEPS_MOST = 9    /* steps in eps */
};

/* ---------------------------------------------------------------------------------------- nodes */

static void make_nodes(zw_patch *p) {
    int n = p->grid.points;
    for (int i = 0; i < n; i++) {
        p->node[i] = -cos(acos(-1) * i / (n - 1));
        p->weight[i] = (i % 2 ? -1 : 1) * (i == 0 || i == n - 1 ? 0.5 : 1);
    }
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < n; k++) {
            if (k == i)
                continue;
            double d = p->weight[k] / p->weight[i] / (p->node[i] - p->node[k]);
            p->D[i * n + k] = d;
            sum += d;
        }
        p->D[i * n + i] = -sum;
    }
}

static long node_stride(const zw_patch *p, int d) {
    long s = 1;
    while (d-- > 0)
        s *= p->grid.points;
    return s;
}

static double scale_of(const zw_patch *p, int d) {
    return 2 / (p->grid.high[d] - p->grid.low[d]);
}

void zw_patch_place(const zw_patch *p, long k, double *x) {
    const zw_grid *g = &p->grid;
    memcpy(x, g->x, (size_t)p->m->result.nx * sizeof *x);
    for (int d = 0; d < g->n; d++) {
        double xi = p->node[k / node_stride(p, d) % g->points];
        x[g->of[d]] = (g->low[d] + g->high[d]) / 2 + xi * (g->high[d] - g->low[d]) / 2;
    }
}

/* dH_j in direction d at node k. */
static double node_derivative(const zw_patch *p, long k, int d, int j) {
    int n = p->grid.points, ny = p->m->result.ny;
    long s = node_stride(p, d), i = k / s % n, first = k - i * s;
    double sum = 0;
    for (int l = 0; l < n; l++)
        sum += p->D[i * n + l] * p->H[(first + l * s) * ny + j];
    return sum * scale_of(p, d);
}

/* Barycentric weights of the nodes at xi, and of their derivatives, by the matrix at the nodes. */
static void lagrange_weights(const zw_patch *p, double xi, double *value) {
    int n = p->grid.points;
    double sum = 0;
    for (int i = 0; i < n; i++)
        if (xi == p->node[i]) {
            for (int k = 0; k < n; k++)
                value[k] = k == i;
            return;
        }
    for (int i = 0; i < n; i++)
        sum += value[i] = p->weight[i] / (xi - p->node[i]);
    for (int i = 0; i < n; i++)
        value[i] /= sum;
}

void zw_patch_at(const zw_patch *p, const double *x, double *y, double *Dy) {
    const zw_grid *g = &p->grid;
    int n = g->points, ny = p->m->result.ny;
    double basis[8][512];
    for (int d = 0; d < g->n; d++)
        lagrange_weights(p, (x[g->of[d]] - (g->low[d] + g->high[d]) / 2) * scale_of(p, d),
                         basis[d]);
    for (int j = 0; j < ny; j++)
        y[j] = 0;
    for (int i = 0; Dy && i < g->n * ny; i++)
        Dy[i] = 0;
    for (long k = 0; k < g->size; k++) {
        double part = 1;
        for (int d = 0; d < g->n; d++)
            part *= basis[d][k / node_stride(p, d) % n];
        for (int j = 0; j < ny; j++) {
            y[j] += part * p->H[k * ny + j];
            for (int d = 0; Dy && d < g->n; d++)
                Dy[d * ny + j] += part * node_derivative(p, k, d, j);
        }
    }
}

/* ------------------------------------------------------------------------------------ equations */

/* g, den, f of the grid's directions; and their derivatives with respect to y, row by row. */
static zw_status list_formulas(zw_patch *p, zw_error *err) {
    zw_manifold *m = p->m;
    int ny = m->result.ny, n = p->grid.n, rows = 2 * ny + n;
    p->ne = rows * (1 + ny);
    p->e = ZW_MANIFOLD_NEW(m, zw_expr, p->ne);
    if (!p->e)
        return zw_manifold_memory(err);
    for (int i = 0; i < rows; i++) {
        p->e[i] = i < ny ? m->g[i] : i < 2 * ny ? m->den[i - ny] : m->f[p->grid.of[i - 2 * ny]];
        for (int l = 0; l < ny; l++)
            p->e[rows + i * ny + l] = zw_diff(m->ctx, p->e[i], m->y[l].sym);
    }
    return zw_context_status(m->ctx, err);
}

zw_status zw_patch_make(zw_patch *p, zw_manifold *m, const zw_manifold_box *box, zw_error *err) {
    int ny = m->result.ny;
    *p = (zw_patch){.m = m};
    ZW_TRY(zw_manifold_grid(m, box, NODES_MOST / ny, &p->grid, err));
    if (p->grid.n > 8)
        return zw_fail(err, ZW_E_OPTION, "the box has more than 8 directions");
    int n = p->grid.points;
    long size = p->grid.size * ny;
    p->node = ZW_MANIFOLD_NEW(m, double, n);
    p->weight = ZW_MANIFOLD_NEW(m, double, n);
    p->D = ZW_MANIFOLD_NEW(m, double, n *n);
    p->H = ZW_MANIFOLD_NEW(m, double, size);
    p->y_0 = ZW_MANIFOLD_NEW(m, double, size);
    p->A = ZW_MANIFOLD_NEW(m, double, size *size);
    p->b = ZW_MANIFOLD_NEW(m, double, size);
    p->slope = ZW_MANIFOLD_NEW(m, double, p->grid.n *ny);
    p->x = ZW_MANIFOLD_NEW(m, double, m->result.nx);
    p->pivot = ZW_MANIFOLD_NEW(m, int, size);
    if (m->arena.failed)
        return zw_manifold_memory(err);
    ZW_TRY(list_formulas(p, err));
    p->value = ZW_MANIFOLD_NEW(m, double, p->ne);
    if (!p->value)
        return zw_manifold_memory(err);
    make_nodes(p);
    for (long k = 0; k < p->grid.size; k++) {
        double *y = p->y_0 + k * ny;
        zw_error why = {0};
        zw_patch_place(p, k, p->x);
        memcpy(y, k ? y - ny : p->grid.y, (size_t)ny * sizeof *y);
        if (zw_manifold_critical(m, p->x, y, &why) != ZW_OK) {
            zw_fail(err, ZW_E_NUMERIC, "%s: the box reaches beyond the manifold", why.text);
            zw_error_hint(err, "use a smaller --box, on one side of the folds");
            return ZW_E_NUMERIC;
        }
    }
    return ZW_OK;
}

zw_status zw_patch_make_coarser(zw_patch *coarse, const zw_patch *p, zw_error *err) {
    const zw_grid *g = &p->grid;
    zw_manifold_range *range = ZW_MANIFOLD_NEW(p->m, zw_manifold_range, g->n);
    if (!range)
        return zw_manifold_memory(err);
    for (int d = 0; d < g->n; d++)
        range[d] = (zw_manifold_range){p->m->x[g->of[d]].name, g->low[d], g->high[d]};
    const zw_manifold_box box = {sizeof box, g->n, range, g->points > 4 ? g->points - 2 : 2};
    return zw_patch_make(coarse, p->m, &box, err);
}

double zw_patch_change(const zw_patch *p, zw_patch *coarse, long *node) {
    int ny = p->m->result.ny;
    double y[ZW_MANIFOLD_FAST_MOST], size = 0, worst = 0;
    zw_error ignored = {0};
    *node = 0;
    if (zw_patch_solve(coarse, p->eps, &ignored) < 0)
        return INFINITY;
    for (long k = 0; k < p->grid.size; k++) {
        zw_patch_place(p, k, p->x);
        zw_patch_at(coarse, p->x, y, NULL);
        for (int j = 0; j < ny; j++) {
            double change = fabs(y[j] - p->H[k * ny + j]);
            size = fmax(size, fabs(p->H[k * ny + j]));
            *node = change > worst ? k : *node;
            worst = fmax(worst, change);
        }
    }
    return size > 0 ? worst / size : 0;
}

/* Residual and matrix of node k. */
static double put_node(zw_patch *p, long k) {
    zw_manifold *m = p->m;
    int ny = m->result.ny, n = p->grid.n, points = p->grid.points, rows = 2 * ny + n;
    long size = p->grid.size * ny;
    const double *v = p->value, *dv = p->value + rows;
    double worst = 0;
    zw_patch_place(p, k, p->x);
    zw_manifold_values(m, p->ne, p->e, p->x, p->H + k * ny, p->eps, p->value);
    for (int d = 0; d < n; d++)
        for (int j = 0; j < ny; j++)
            p->slope[d * ny + j] = node_derivative(p, k, d, j);
    for (int j = 0; j < ny; j++) {
        double along = 0, *row = p->A + (k * ny + j) * size;
        for (int d = 0; d < n; d++)
            along += v[2 * ny + d] * p->slope[d * ny + j];
        p->b[k * ny + j] = -(v[j] - p->eps * v[ny + j] * along);
        worst = fmax(worst, fabs(p->b[k * ny + j]));
        if (!isfinite(p->b[k * ny + j]))
            return INFINITY;
        memset(row, 0, (size_t)size * sizeof *row);
        for (int l = 0; l < ny; l++) {
            double d_along = 0;
            for (int d = 0; d < n; d++)
                d_along += dv[(2 * ny + d) * ny + l] * p->slope[d * ny + j];
            row[k * ny + l] = dv[j * ny + l] - p->eps * dv[(ny + j) * ny + l] * along -
                              p->eps * v[ny + j] * d_along;
        }
        for (int d = 0; d < n; d++) {
            long s = node_stride(p, d), i = k / s % points, first = k - i * s;
            for (int l = 0; l < points; l++)
                row[(first + l * s) * ny + j] -=
                    p->eps * v[ny + j] * v[2 * ny + d] * p->D[i * points + l] * scale_of(p, d);
        }
    }
    return worst;
}

static double largest_entry(long n, const double *a) {
    double most = 0;
    for (long i = 0; i < n; i++)
        most = isfinite(a[i]) ? fmax(most, fabs(a[i])) : INFINITY;
    return most;
}

/* The distance that corresponds to the residual between the nodes. */
static double residual_distance(zw_patch *p) {
    zw_manifold *m = p->m;
    int ny = m->result.ny, n = p->grid.n, rows = 2 * ny + n;
    double y[ZW_MANIFOLD_FAST_MOST], Dy[512], G[4096], b[ZW_MANIFOLD_FAST_MOST], worst = 0;
    int pivot[ZW_MANIFOLD_FAST_MOST];
    if (n * ny > 512)
        return NAN;
    for (int t = 0; t < PROBES; t++) {
        memcpy(p->x, p->grid.x, (size_t)m->result.nx * sizeof *p->x);
        for (int d = 0; d < n; d++) { /* evenly distributed, by multiples of irrational numbers */
            double part = fmod(0.5 + (t + 1) * sqrt(2 + 3 * d), 1);
            p->x[p->grid.of[d]] = p->grid.low[d] + part * (p->grid.high[d] - p->grid.low[d]);
        }
        zw_patch_at(p, p->x, y, Dy);
        zw_manifold_values(m, p->ne, p->e, p->x, y, p->eps, p->value);
        for (int j = 0; j < ny; j++) {
            double along = 0;
            for (int d = 0; d < n; d++)
                along += p->value[2 * ny + d] * Dy[d * ny + j];
            b[j] = p->value[j] - p->eps * p->value[ny + j] * along;
            memcpy(G + j * ny, p->value + rows + j * ny, (size_t)ny * sizeof *G);
        }
        zw_num_lu(ny, G, pivot);
        zw_num_lu_solve(ny, G, pivot, 1, b);
        worst = fmax(worst, largest_entry(ny, b));
    }
    return worst;
}

/* Newton's method at p->eps, from the present H. */
static bool iterate_newton(zw_patch *p) {
    long size = p->grid.size * p->m->result.ny;
    double before = INFINITY;
    for (int k = 0; k < NEWTON_MOST; k++) {
        for (long i = 0; i < p->grid.size; i++)
            if (!isfinite(put_node(p, i)))
                return false;
        zw_num_lu((int)size, p->A, p->pivot);
        zw_num_lu_solve((int)size, p->A, p->pivot, 1, p->b);
        double step = largest_entry(size, p->b), width = largest_entry(size, p->H);
        if (!isfinite(step) || step > LARGEST_STEP * (SMALLEST_VALUE + width))
            return false;
        for (long i = 0; i < size; i++)
            p->H[i] += p->b[i];
        if (step <= ZW_ROUNDOFF_SUM * (SMALLEST_VALUE + width) ||
            (step < ZW_ROUNDOFF_SOLVED * (SMALLEST_VALUE + width) && step >= before))
            return true;
        if (k > 8 && step > before) /* it does not converge */
            return false;
        before = step;
    }
    return false;
}

/* From the critical manifold, by steps in eps if one step fails. */
static bool go_to(zw_patch *p, double eps) {
    long size = p->grid.size * p->m->result.ny;
    for (int steps = 1; steps <= STEPS_MOST; steps *= 3) {
        bool done = true;
        memcpy(p->H, p->y_0, (size_t)size * sizeof *p->H);
        for (int i = 1; i <= steps && done; i++) {
            p->eps = eps * i / steps;
            done = iterate_newton(p);
        }
        if (done)
            return true;
    }
    return false;
}

zw_status zw_patch_solve(zw_patch *p, double eps, zw_error *err) {
    if (go_to(p, eps)) {
        p->residual = residual_distance(p);
        return ZW_OK;
    }
    zw_fail(err, ZW_E_NUMERIC, "the invariance equation has no solution over the box at %s = %.6g",
            zw_expr_name(p->m->ctx, p->m->result.small), eps);
    zw_error_hint(err, "use a smaller --box or value, or fewer --points; the slow motion must be "
                       "slower than the attraction");
    return ZW_E_NUMERIC;
}
