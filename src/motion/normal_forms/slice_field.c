/* SPDX-License-Identifier: MIT */
#include "slice_field.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "base/tolerance.h"
#include "num/linear/dense.h"

enum { NEIGHBOURS = 3, ATTEMPTS = 12, CORRECTIONS = 60 };
/* distance of the neighbouring states, in units of the state: large enough that a level that
 * changes by its curvature passes CONSTANT_LEVEL */
#define NEIGHBOUR_DISTANCE 0.05
/* rate of a conserved level, relative to the sizes of its terms; a level that is not conserved
 * changes by NEIGHBOUR_DISTANCE or its square */
#define CONSTANT_LEVEL 1e-7
/* length that remains of an independent row of length one: N amplifies by its inverse */
#define ROW_INDEPENDENT 1e-6
/* singular value of a dependent row, relative to the largest: between ROW_INDEPENDENT and
 * round-off */
#define ROW_DEPENDENT 1e-9
/* gradient of a level, relative to its curvature: at an equilibrium the gradient is the error of
 * the equilibrium times the curvature */
#define GRADIENT_ABSENT 1e-8
/* in units of the state: residual of the rows at a corrected state; 450 eps, the round-off of the
 * rows */
#define ROWS_SOLVED 1e-13
/* least pivot of P, which is 1 at x0: smaller ones mean that an orbit is tangent to the slice */
#define PIVOT_LEAST 1e-6

static const double *row_of(const double *A, int i, int n) {
    return A + (size_t)i * (size_t)n;
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* to -= factor a */
static void subtract_scaled(int n, double factor, const double *a, double *to) {
    for (int i = 0; i < n; i++)
        to[i] -= factor * a[i];
}

/* --------------------------------------------------------------------------------------- fields */

/* X_k (norbit x nx) and X_0 + sum c_i X_i (nx) from the fields of the kernel, in units of the
 * state */
static void combine_fields(const zw_slice *s, const double *field, double *X,
                           double *drift_factor) {
    int nx = s->nx, nf = s->s->nfield;
    for (int k = -1; k < s->norbit; k++) {
        double *to = k < 0 ? drift_factor : X + (size_t)k * (size_t)nx;
        const double *factor = k < 0 ? s->drift_factor : row_of(s->orbit_factor, k, nf);
        memset(to, 0, sizeof(double) * (size_t)nx);
        for (int j = 0; j < nf; j++)
            for (int i = 0; factor[j] != 0 && i < nx; i++)
                to[i] += factor[j] * field[j * nx + i] / s->scale[i];
    }
}

/* the direction u converted to the units of the model */
static const double *model_direction(const zw_slice *s, int which, const double *u) {
    double *d = s->work[which];
    for (int i = 0; i < s->nx; i++)
        d[i] = u[i] * s->scale[i];
    return d;
}

/* derivatives of the fields along n directions */
static zw_status fields_along(zw_slice *s, int n, const double *const *d, double *X,
                              double *drift_factor, zw_error *err) {
    memset(drift_factor, 0, sizeof(double) * (size_t)s->nx);
    if (s->s->nfield == 0)
        return ZW_OK;
    ZW_TRY(zw_flow_fields_along(s->flow, s->at->t, s->at->x, n, d, s->work[3], err));
    combine_fields(s, s->work[3], X, drift_factor);
    return ZW_OK;
}

/* out -= sum_k w_k X_k */
static void subtract_fields(const zw_slice *s, const double *w, const double *X, double *out) {
    for (int k = 0; k < s->norbit; k++)
        subtract_scaled(s->nx, w[k], row_of(X, k, s->nx), out);
}

/* w -= l X v: the term P v of w */
static void subtract_projection(const zw_slice *s, const double *X, const double *v, double *w) {
    for (int k = 0; k < s->norbit; k++)
        for (int j = 0; j < s->norbit; j++)
            w[k] -= dot(s->nx, row_of(s->l, k, s->nx), row_of(X, j, s->nx)) * v[j];
}

static void project_rates(const zw_slice *s, const double *l, const double *f, double *w) {
    for (int k = 0; k < s->norbit; k++)
        w[k] = dot(s->nx, row_of(l, k, s->nx), f);
}

/* --------------------------------------------------------------------------------------- orbits */

/* X_k(x0), orthonormal in units of the state, from the singular value decomposition of the
 * symmetries there */
static zw_status choose_orbits(zw_slice *s, zw_error *err) {
    int nx = s->nx, n = s->s->n, nf = s->s->nfield, least = n < nx ? n : nx;
    double *X = ZW_NEW(s->arena, double, n *nx + 1), *sv = ZW_NEW(s->arena, double, nx + 1),
           *V = ZW_NEW(s->arena, double, nx *nx + 1), *U = ZW_NEW(s->arena, double, n *n + 1);
    s->norbit = s->linear->norbit;
    s->orbit_factor = ZW_NEW(s->arena, double, s->norbit *nf + 1);
    s->drift_factor = ZW_NEW(s->arena, double, nf + 1);
    s->l = ZW_NEW(s->arena, double, s->norbit *nx + 1);
    if (s->arena->failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_symmetries_at(s->s, s->flow, s->at->t, s->at->x, NULL, X, err));
    for (int i = 0; i < n * nx; i++)
        X[i] /= s->scale[i % nx];
    if (!zw_dense_svd(s->arena, n, nx, X, sv, V, U))
        return zw_dense_failure(s->arena, err);
    if (s->norbit > least || (s->norbit > 0 && !(sv[s->norbit - 1] > 0)))
        return zw_fail(err, ZW_E_NUMERIC, "the orbits of the symmetries have no clear dimension");
    for (int j = 0; j < nf; j++) {
        s->drift_factor[j] = s->s->driven[j];
        for (int i = 0; i < n; i++)
            s->drift_factor[j] += s->at->c[i] * s->s->combination[i * nf + j];
        for (int k = 0; k < s->norbit; k++)
            for (int i = 0; i < n; i++)
                s->orbit_factor[k * nf + j] += U[k * n + i] / sv[k] * s->s->combination[i * nf + j];
    }
    memcpy(s->l, V, sizeof(double) * (size_t)(s->norbit * nx));
    return ZW_OK;
}

static zw_status evaluate_jacobian(zw_slice *s, zw_error *err) {
    int nx = s->nx;
    s->J = ZW_NEW(s->arena, double, nx *nx + 1);
    s->W = ZW_NEW(s->arena, double, s->norbit *nx + 1);
    if (s->arena->failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_symmetries_operator(s->s, s->flow, s->at->t, s->at->x, s->at->c, s->J, err));
    for (int i = 0; i < nx * nx; i++)
        s->J[i] *= s->scale[i % nx] / s->scale[i / nx];
    zw_dense_multiply(s->norbit, nx, nx, s->l, s->J, s->W);
    for (int k = 0; k < s->norbit; k++)
        for (int i = 0; i < nx; i++)
            subtract_scaled(nx, s->l[k * nx + i], row_of(s->W, k, nx),
                            s->J + (size_t)i * (size_t)nx);
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- levels */

static zw_status level_along(const zw_slice *s, int level, const double *x, int n,
                             const double *const *d, double *value, zw_error *err) {
    const zw_hopf_level *h = &s->level[level];
    return h->along(h->user, s->at->t, x, n, d, value, err);
}

/* dH in units of the state */
static zw_status level_gradient(const zw_slice *s, int level, const double *x, double *out,
                                zw_error *err) {
    double *d = s->work[0];
    const double *direction[] = {d};
    memset(d, 0, sizeof(double) * (size_t)s->nx);
    for (int i = 0; i < s->nx; i++) {
        d[i] = s->scale[i];
        ZW_TRY(level_along(s, level, x, 1, direction, &out[i], err));
        d[i] = 0;
    }
    return ZW_OK;
}

/* Is the gradient larger than rounding, relative to the curvature? At an equilibrium the gradient
 * of the energy is rounding. */
static zw_status has_gradient(const zw_slice *s, int level, double length, bool *yes,
                              zw_error *err) {
    double *d = s->work[0], size = 0, curvature;
    const double *directions[] = {d, d};
    memset(d, 0, sizeof(double) * (size_t)s->nx);
    for (int i = 0; i < s->nx; i++) {
        d[i] = s->scale[i];
        ZW_TRY(level_along(s, level, s->at->x, 2, directions, &curvature, err));
        size += fabs(curvature);
        d[i] = 0;
    }
    *yes = length > GRADIENT_ABSENT * size;
    return ZW_OK;
}

/* Is the component of a gradient along a vector only rounding? */
static bool is_constant_along(int n, const double *gradient, const double *v) {
    double sum = 0, size = 0;
    for (int i = 0; i < n; i++) {
        sum += gradient[i] * v[i];
        size += fabs(gradient[i] * v[i]);
    }
    return fabs(sum) <= CONSTANT_LEVEL * size +
                            ZW_ROUNDOFF_SUM * zw_dense_norm(n, gradient) * zw_dense_norm(n, v);
}

/* Do f0 and all symmetries leave the level unchanged, at a state of the manifold near the
 * motion? */
static zw_status check_level(zw_slice *s, int level, const double *x, bool *constant,
                             zw_error *err) {
    int nx = s->nx, n = s->s->n;
    double *f = s->work[4], *X = s->work[5], *dH = s->work[6], *X_0 = s->work[7];
    ZW_TRY(level_gradient(s, level, x, dH, err));
    ZW_TRY(zw_flow_rates(s->flow, s->at->t, x, f, NULL, err));
    ZW_TRY(zw_symmetries_at(s->s, s->flow, s->at->t, x, X_0, X, err));
    for (int i = 0; i < nx; i++)
        f[i] = (f[i] - X_0[i]) / s->scale[i];
    *constant = *constant && is_constant_along(nx, dH, f);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < nx; i++)
            X[k * nx + i] /= s->scale[i];
        *constant = *constant && is_constant_along(nx, dH, row_of(X, k, nx));
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------ rows of g */

/* Orthogonalises a row of length 1 against an orthonormal set of m rows, and adds it if enough
 * remains. */
static bool extend_basis(int nx, const double *row, double *basis, int *m) {
    double *b = basis + (size_t)*m * (size_t)nx;
    memcpy(b, row, sizeof(double) * (size_t)nx);
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < *m; k++)
            subtract_scaled(nx, dot(nx, b, row_of(basis, k, nx)), row_of(basis, k, nx), b);
    double length = zw_dense_norm(nx, b);
    if (*m >= nx || length < ROW_INDEPENDENT)
        return false;
    for (int i = 0; i < nx; i++)
        b[i] /= length;
    ++*m;
    return true;
}

/* scales a row to length one; returns the divisor */
static double normalise_row(int nx, double *row) {
    double length = zw_dense_norm(nx, row);
    for (int i = 0; i < nx; i++)
        row[i] = length > 0 ? row[i] / length : 0;
    return length > 0 ? length : 1;
}

/* adds the levels that are allowed and independent of the rows so far */
static zw_status add_levels(zw_slice *s, const bool *allowed, double *basis, int *m,
                            zw_error *err) {
    int nx = s->nx;
    s->nused = 0;
    for (int h = 0; h < s->nlevel; h++) {
        double *row = s->G + (size_t)s->nrow * (size_t)nx;
        s->used[h] = false;
        if (!allowed[h])
            continue;
        ZW_TRY(level_along(s, h, s->at->x, 0, NULL, &s->height[h], err));
        ZW_TRY(level_gradient(s, h, s->at->x, row, err));
        double length = normalise_row(nx, row);
        bool found;
        ZW_TRY(has_gradient(s, h, length, &found, err));
        if (!found || !extend_basis(nx, row, basis, m))
            continue;
        s->unit[s->nrow++] = length;
        s->used[h] = true;
        s->nused++;
    }
    return ZW_OK;
}

static zw_status collect_rows(zw_slice *s, const bool *allowed, zw_error *err) {
    int nx = s->nx, rows_max = s->ng + s->norbit + s->nlevel, m = 0;
    double *basis = ZW_NEW(s->arena, double, (nx + 1) * nx + 1);
    s->G = ZW_NEW(s->arena, double, (rows_max + 1) * nx + 1);
    s->unit = ZW_NEW(s->arena, double, rows_max + 1);
    if (s->arena->failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_flow_constraints(s->flow, s->at->t, s->at->x, NULL, s->G, err));
    memcpy(s->G + (size_t)s->ng * (size_t)nx, s->l, sizeof(double) * (size_t)(s->norbit * nx));
    for (s->nrow = 0; s->nrow < s->ng + s->norbit; s->nrow++) {
        double *row = s->G + (size_t)s->nrow * (size_t)nx;
        for (int i = 0; s->nrow < s->ng && i < nx; i++)
            row[i] *= s->scale[i];
        s->unit[s->nrow] = normalise_row(nx, row);
        extend_basis(nx, row, basis, &m);
    }
    if (m != nx - s->linear->n)
        return zw_fail(err, ZW_E_NUMERIC,
                       "constraints and symmetries leave %d directions here, and the linear "
                       "equations have %d",
                       nx - m, s->linear->n);
    ZW_TRY(add_levels(s, allowed, basis, &m, err));
    s->rank = m;
    return ZW_OK;
}

/* N = G+ (nx x nrow): V S^-1 U' over the singular values that count */
static zw_status invert_rows(zw_slice *s, zw_error *err) {
    int nx = s->nx, m = s->nrow, least = m < nx ? m : nx;
    double *sv = ZW_NEW(s->arena, double, nx + 1), *V = ZW_NEW(s->arena, double, nx *nx + 1),
           *U = ZW_NEW(s->arena, double, least *m + 1);
    s->N = ZW_NEW(s->arena, double, nx *m + 1);
    if (s->arena->failed)
        return zw_out_of_memory(err, NULL);
    if (!zw_dense_svd(s->arena, m, nx, s->G, sv, V, U))
        return zw_dense_failure(s->arena, err);
    if (s->rank > 0 && (!(sv[s->rank - 1] > ROW_INDEPENDENT * sv[0] / 10) ||
                        (s->rank < least && sv[s->rank] > ROW_DEPENDENT * sv[0])))
        return zw_fail(err, ZW_E_NUMERIC, "the constraints have no clear rank here");
    for (int k = 0; k < s->rank; k++)
        for (int i = 0; i < nx; i++)
            for (int j = 0; j < m; j++)
                s->N[i * m + j] += V[k * nx + i] * U[k * m + j] / sv[k];
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------ the field */

/* out -= kappa N g */
static void pull_back(const zw_slice *s, const double *g, double *out) {
    for (int i = 0; i < s->nx; i++)
        for (int j = 0; j < s->nrow; j++)
            out[i] -= s->kappa * s->N[i * s->nrow + j] * g[j] / s->unit[j];
}

/* P w = b by elimination; P is close to 1 as long as the state is close to x0 */
static bool solve_small(int n, double *P, double *b) {
    for (int c = 0; c < n; c++) {
        int pivot = c;
        for (int i = c + 1; i < n; i++)
            if (fabs(P[i * n + c]) > fabs(P[pivot * n + c]))
                pivot = i;
        if (!(fabs(P[pivot * n + c]) > PIVOT_LEAST))
            return false;
        for (int j = 0; pivot != c && j < n; j++) {
            double swap = P[c * n + j];
            P[c * n + j] = P[pivot * n + j];
            P[pivot * n + j] = swap;
        }
        double swap = b[c];
        b[c] = b[pivot];
        b[pivot] = swap;
        for (int i = 0; i < n; i++) {
            double part = i == c ? 0 : P[i * n + c] / P[c * n + c];
            for (int j = c; part != 0 && j < n; j++)
                P[i * n + j] -= part * P[c * n + j];
            b[i] -= part * b[c];
        }
    }
    for (int c = 0; c < n; c++)
        b[c] /= P[c * n + c];
    return true;
}

/* g, l (x - x0), H - H(x0) */
static zw_status rows_at(zw_slice *s, const double *x, const double *y, double *g, zw_error *err) {
    ZW_TRY(zw_flow_constraints(s->flow, s->at->t, x, g, NULL, err));
    project_rates(s, s->l, y, g + s->ng);
    for (int h = 0, row = s->ng + s->norbit; h < s->nlevel; h++)
        if (s->used[h]) {
            ZW_TRY(level_along(s, h, x, 0, NULL, &g[row], err));
            g[row++] -= s->height[h];
        }
    return ZW_OK;
}

/* ------------------------------------------------------------------- which levels are conserved */

/* a state y near the motion at which all rows of g vanish, those of the levels too; *found if there
 * is one */
static zw_status draw_state(zw_slice *s, zw_random *random, double *y, double *x, bool *found,
                            zw_error *err) {
    const zw_linearisation *a = s->linear;
    int nx = s->nx, m = s->nrow;
    double *g = s->work[8];
    *found = false;
    memset(y, 0, sizeof(double) * (size_t)nx);
    for (int j = 0; j < a->n; j++) {
        double size = 0;
        for (int i = 0; i < nx; i++)
            size = fmax(size, fabs(a->T[i * a->n + j]) / s->scale[i]);
        double part = size > 0 ? NEIGHBOUR_DISTANCE * zw_random_real(random, -1, 1) / size : 0;
        for (int i = 0; i < nx; i++)
            y[i] += part * a->T[i * a->n + j] / s->scale[i];
    }
    for (int k = 0; k < CORRECTIONS; k++) {
        zw_error failure = {0};
        double residual = 0;
        for (int i = 0; i < nx; i++)
            x[i] = s->at->x[i] + y[i] * s->scale[i];
        if (rows_at(s, x, y, g, &failure) < 0)
            return failure.status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_OK;
        for (int j = 0; j < m; j++)
            residual = fmax(residual, fabs(g[j] / s->unit[j]));
        *found = residual < ROWS_SOLVED;
        if (*found)
            return ZW_OK;
        for (int i = 0; i < nx; i++)
            for (int j = 0; j < m; j++)
                y[i] -= s->N[i * m + j] * g[j] / s->unit[j];
    }
    return ZW_OK;
}

/* Disallows levels that the motion or a symmetry changes. Momenta may change under rotations and
 * yet be constant where all of them are zero: so the states lie on all levels together. */
static zw_status check_levels(zw_slice *s, bool *allowed, bool *changed, zw_error *err) {
    zw_random random = zw_random_stream(11, 0);
    double *x = ZW_NEW(s->arena, double, s->nx + 1), *y = ZW_NEW(s->arena, double, s->nx + 1);
    int checked = 0;
    if (s->arena->failed)
        return zw_out_of_memory(err, NULL);
    *changed = false;
    for (int k = 0; k < ATTEMPTS && checked < NEIGHBOURS; k++) {
        bool found;
        ZW_TRY(draw_state(s, &random, y, x, &found, err));
        for (int h = 0; found && h < s->nlevel; h++) {
            zw_error failure = {0};
            bool constant = true;
            if (!s->used[h])
                continue;
            zw_status status = check_level(s, h, x, &constant, &failure);
            if (status == ZW_E_MEMORY)
                return zw_out_of_memory(err, NULL);
            if (status < 0 || !constant) {
                allowed[h] = false;
                *changed = true;
            }
        }
        checked += found;
    }
    /* no state was found: no level is known to be constant */
    for (int h = 0; checked == 0 && h < s->nlevel; h++) {
        *changed |= allowed[h];
        allowed[h] = false;
    }
    return ZW_OK;
}

zw_status zw_slice_init(zw_slice *s, zw_arena *arena, zw_error *err) {
    const zw_kernel *k = zw_flow_kernel(s->flow);
    bool *allowed = ZW_NEW(arena, bool, s->nlevel + 1), changed = true;
    s->arena = arena;
    s->nx = k->nx;
    s->ng = zw_flow_levels(s->flow);
    s->height = ZW_NEW(arena, double, s->nlevel + 1);
    s->used = ZW_NEW(arena, bool, s->nlevel + 1);
    for (int i = 0; i < 10; i++)
        s->work[i] = ZW_NEW(arena, double, (k->nfield + 1) * k->nx + s->ng + s->nlevel + 1);
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(choose_orbits(s, err));
    ZW_TRY(evaluate_jacobian(s, err));
    for (int h = 0; h < s->nlevel; h++)
        allowed[h] = true;
    while (changed) {
        changed = false;
        ZW_TRY(collect_rows(s, allowed, err));
        ZW_TRY(invert_rows(s, err));
        if (s->nused)
            ZW_TRY(check_levels(s, allowed, &changed, err));
    }
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------- derivatives */

zw_status zw_slice_at(zw_slice *s, const double *y, double *fs, zw_error *err) {
    int nx = s->nx, r = s->norbit;
    double *x = s->work[0], *X = s->work[4], *drift_factor = s->work[5], *P = s->work[6],
           *w = s->work[7], *g = s->work[8];
    for (int i = 0; i < nx; i++)
        x[i] = s->at->x[i] + y[i] * s->scale[i];
    ZW_TRY(zw_flow_rates(s->flow, s->at->t, x, fs, NULL, err));
    memset(drift_factor, 0, sizeof(double) * (size_t)nx);
    if (s->s->nfield) {
        ZW_TRY(zw_flow_fields(s->flow, s->at->t, x, s->work[3], NULL, err));
        combine_fields(s, s->work[3], X, drift_factor);
    }
    for (int i = 0; i < nx; i++)
        fs[i] = fs[i] / s->scale[i] - drift_factor[i];
    project_rates(s, s->l, fs, w);
    for (int k = 0; k < r; k++)
        project_rates(s, X, row_of(s->l, k, nx), P + (size_t)k * (size_t)r);
    if (!solve_small(r, P, w))
        return zw_fail(err, ZW_E_NUMERIC, "the state is too far away for this slice");
    subtract_fields(s, w, X, fs);
    ZW_TRY(rows_at(s, x, y, g, err));
    pull_back(s, g, fs);
    return ZW_OK;
}

void zw_slice_first(const zw_slice *s, double *A) {
    int nx = s->nx, m = s->nrow;
    memcpy(A, s->J, sizeof(double) * (size_t)(nx * nx));
    for (int i = 0; i < nx; i++)
        for (int k = 0; k < m; k++)
            subtract_scaled(nx, s->kappa * s->N[i * m + k], row_of(s->G, k, nx),
                            A + (size_t)i * (size_t)nx);
}

/* higher derivatives of the rows; those of l are linear */
static zw_status rows_along(zw_slice *s, int n, const double *const *d, double *g, zw_error *err) {
    for (int k = 0; k < s->norbit; k++)
        g[s->ng + k] = 0;
    for (int h = 0, row = s->ng + s->norbit; h < s->nlevel; h++)
        if (s->used[h])
            ZW_TRY(level_along(s, h, s->at->x, n, d, &g[row++], err));
    return ZW_OK;
}

/* Derivatives of f0 along two directions (in units of the state) and of w; X_u, X_v and w_u, w_v
 * are known. */
static zw_status second_parts(zw_slice *s, const double *const *d, const double *Xu,
                              const double *wu, const double *Xv, const double *wv, double *f,
                              double *g, double *w, double *Xuv, zw_error *err) {
    double *drift_factor = s->work[9];
    ZW_TRY(zw_flow_second(s->flow, s->at->t, s->at->x, d[0], d[1], f, g, err));
    ZW_TRY(fields_along(s, 2, d, Xuv, drift_factor, err));
    for (int i = 0; i < s->nx; i++)
        f[i] = f[i] / s->scale[i] - drift_factor[i];
    project_rates(s, s->l, f, w);
    subtract_projection(s, Xu, wv, w);
    subtract_projection(s, Xv, wu, w);
    return ZW_OK;
}

/* the derivatives of first order along a direction: X_u and w_u */
static zw_status first_parts(zw_slice *s, const double *u, const double *d, double *X, double *w,
                             zw_error *err) {
    const double *direction[] = {d};
    project_rates(s, s->W, u, w);
    return fields_along(s, 1, direction, X, s->work[9], err);
}

zw_status zw_slice_moves(zw_slice *s, const double *u, double *moved, zw_error *err) {
    const double *direction[] = {model_direction(s, 0, u)};
    double *X = s->work[4], *drift_factor = s->work[9];
    ZW_TRY(fields_along(s, 1, direction, X, drift_factor, err));
    for (int i = 0; i < s->nx; i++) {
        moved[i] = fabs(drift_factor[i]) / s->kappa;
        for (int k = 0; k < s->norbit; k++)
            moved[i] = fmax(moved[i], fabs(X[k * s->nx + i]));
    }
    return ZW_OK;
}

zw_status zw_slice_second(zw_slice *s, const double *u, const double *v, double *B, zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(s->arena);
    int cells = (s->norbit + 1) * (s->nx + 1) + s->nrow;
    double *Xu = ZW_NEW(s->arena, double, cells), *Xv = ZW_NEW(s->arena, double, cells),
           *Xuv = ZW_NEW(s->arena, double, cells), *wu = ZW_NEW(s->arena, double, cells),
           *wv = ZW_NEW(s->arena, double, cells), *wuv = ZW_NEW(s->arena, double, cells),
           *g = ZW_NEW(s->arena, double, cells);
    if (s->arena->failed)
        return zw_out_of_memory(err, NULL);
    const double *d[] = {model_direction(s, 0, u), model_direction(s, 1, v)};
    zw_status status = first_parts(s, u, d[0], Xu, wu, err);
    if (status >= 0)
        status = first_parts(s, v, d[1], Xv, wv, err);
    if (status >= 0)
        status = second_parts(s, d, Xu, wu, Xv, wv, B, g, wuv, Xuv, err);
    if (status >= 0)
        status = rows_along(s, 2, d, g, err);
    subtract_fields(s, wuv, s->l, B);
    subtract_fields(s, wv, Xu, B);
    subtract_fields(s, wu, Xv, B);
    pull_back(s, g, B);
    zw_arena_release(s->arena, mark);
    return status;
}

typedef struct third_parts {
    double *X[3], *w[3];   /* along one direction */
    double *XX[3], *ww[3]; /* along the two others */
    double *f, *g, *w3;
} third_parts;

static zw_status collect_third(zw_slice *s, const double *const *u, const double *const *d,
                               third_parts *p, zw_error *err) {
    for (int i = 0; i < 3; i++)
        ZW_TRY(first_parts(s, u[i], d[i], p->X[i], p->w[i], err));
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        const double *directions[] = {d[j], d[k]};
        ZW_TRY(second_parts(s, directions, p->X[j], p->w[j], p->X[k], p->w[k], p->f, p->g, p->ww[i],
                            p->XX[i], err));
    }
    return ZW_OK;
}

static zw_status evaluate_third(zw_slice *s, const double *const *u, const double *const *d,
                                third_parts *p, double *C, zw_error *err) {
    double *drift_factor = s->work[9];
    ZW_TRY(collect_third(s, u, d, p, err));
    ZW_TRY(zw_flow_third(s->flow, s->at->t, s->at->x, d[0], d[1], d[2], C, p->g, err));
    ZW_TRY(fields_along(s, 3, d, p->f, drift_factor, err)); /* X_uvw drops out, since w(x0) = 0 */
    ZW_TRY(rows_along(s, 3, d, p->g, err));
    for (int i = 0; i < s->nx; i++)
        C[i] = C[i] / s->scale[i] - drift_factor[i];
    project_rates(s, s->l, C, p->w3);
    for (int i = 0; i < 3; i++) {
        subtract_projection(s, p->X[i], p->ww[i], p->w3);
        subtract_projection(s, p->XX[i], p->w[i], p->w3);
    }
    subtract_fields(s, p->w3, s->l, C);
    for (int i = 0; i < 3; i++) {
        subtract_fields(s, p->ww[i], p->X[i], C);
        subtract_fields(s, p->w[i], p->XX[i], C);
    }
    pull_back(s, p->g, C);
    return ZW_OK;
}

zw_status zw_slice_third(zw_slice *s, const double *u, const double *v, const double *w, double *C,
                         zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(s->arena);
    int cells = (s->norbit + 1) * (s->nx + 1) + s->nrow;
    const double *along[] = {u, v, w};
    const double *d[] = {model_direction(s, 0, u), model_direction(s, 1, v),
                         model_direction(s, 2, w)};
    third_parts p = {.f = ZW_NEW(s->arena, double, cells),
                     .g = ZW_NEW(s->arena, double, cells),
                     .w3 = ZW_NEW(s->arena, double, cells)};
    for (int i = 0; i < 3; i++) {
        p.X[i] = ZW_NEW(s->arena, double, cells);
        p.w[i] = ZW_NEW(s->arena, double, cells);
        p.XX[i] = ZW_NEW(s->arena, double, cells);
        p.ww[i] = ZW_NEW(s->arena, double, cells);
    }
    zw_status status =
        s->arena->failed ? zw_out_of_memory(err, NULL) : evaluate_third(s, along, d, &p, C, err);
    zw_arena_release(s->arena, mark);
    return status;
}
