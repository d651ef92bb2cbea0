/* SPDX-License-Identifier: MIT */
/* The equations of steady_curve.h: residual, derivatives, references. Derivatives with respect to
 * the state are exact. Those with respect to a and b, which may change parameters, held values and
 * symmetries at once, are central differences: they only guide Newton's method, whose result
 * satisfies r = 0. */
#include "steady_curve.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/tolerance.h"
#include "num/linear/dense.h"
#include "steady.h"

#define VALUE_UNIT 0.1             /* of a range: the unit of a value in the arclength */
#define DIFFERENCE_STEP 1e-4       /* of that unit: 1e-5 of the range, near eps^(1/3) */
#define ORDINARY_FRACTION 0.381966 /* of a range: not exceptional by symmetry */
/* of the sizes of the state: where symmetries are confirmed; a limit of a force is seldom closer */
#define NEAR_STATE 0.01
/* factors of symmetries that do not depend on the values: they come from a null space */
#define SAME_COMBINATION ZW_ROUNDOFF_SOLVED
/* length of a symmetry that does not move the state, of a neighbour's */
#define SYMMETRY_FIXES 1e-6
/* in the sizes of the state: where the unit of a rate is measured that vanishes at the state; the
 * unit is good to this factor */
#define NEIGHBOUR_DISTANCE 0.01
/* singular values of symmetries of length one: independent above sqrt(eps), as dependent ones leave
 * rounding */
#define ORBIT_INDEPENDENT 1e-8
/* rate of an entry relative to the fastest, at least, for the unit of its row: slower rows would be
 * rounding in their unit */
#define ROW_SLOWEST 1e-6
#define DEFAULT_TOLERANCE ZW_NEWTON

void zw_steady_curve_options_init(zw_steady_curve_options *options, size_t size) {
    const zw_steady_curve_options all = {.size = size,
                                         .high = 1,
                                         .step_max = 0.3,
                                         .points_max = 2000,
                                         .tolerance = DEFAULT_TOLERANCE};
    zw_options_begin(options, size, &all, sizeof all);
}

/* --------------------------------------------------------------------------------------- values */

/* Symmetries about the motion; those that do not hold nearby do not count (as in steady_path.c). */
static zw_status find_symmetries(zw_steady_curve *c, zw_symmetries *out, zw_error *err) {
    zw_symmetries nearby = {0};
    ZW_TRY(zw_symmetries_find(out, c->flow, c->o.t, c->about, c->o.scale, err));
    if (out->n == 0)
        return ZW_OK;
    for (int i = 0; i < c->nx; i++)
        c->point[i] = NEAR_STATE * c->o.scale[i];
    zw_status status = zw_symmetries_find(&nearby, c->flow, c->o.t, c->about, c->point, err);
    if (status >= 0 && nearby.n < out->n) {
        zw_symmetries swap = *out;
        *out = nearby;
        nearby = swap;
    }
    zw_symmetries_clear(&nearby);
    if (status < 0)
        zw_symmetries_clear(out);
    return status;
}

static zw_status put_values(zw_steady_curve *c, double a, double b, zw_error *err) {
    memcpy(c->p, zw_flow_parameters(c->flow), sizeof(double) * (size_t)c->k->np);
    for (int i = 0; i < c->nhold; i++)
        c->held[i] = c->hold[i].value;
    ZW_TRY(c->o.set(c->o.user, a, b, c->p, c->held, err));
    for (int i = 0; i < c->nhold; i++)
        c->hold[i].value = c->held[i];
    return zw_flow_set_parameters(c->flow, c->p, err);
}

zw_status zw_steady_curve_set(zw_steady_curve *c, double a, double b, zw_error *err) {
    if (c->is_set && a == c->a && b == c->b)
        return ZW_OK;
    c->is_set = false;
    ZW_TRY(put_values(c, a, b, err));
    if (c->vary) {
        int before = c->s.n;
        zw_symmetries_clear(&c->s);
        ZW_TRY(find_symmetries(c, &c->s, err));
        if (c->s.n != before)
            return zw_fail(err, ZW_E_NUMERIC,
                           "the symmetries change at %.12g: there are %d, not %d", a, c->s.n,
                           before);
    }
    c->a = a;
    c->b = b;
    c->is_set = true;
    return ZW_OK;
}

static bool are_equal(const zw_symmetries *a, const zw_symmetries *b) {
    if (a->n != b->n)
        return false;
    for (int i = 0; i < a->n * a->nfield; i++)
        if (fabs(a->combination[i] - b->combination[i]) >
            SAME_COMBINATION * (1 + fabs(a->combination[i])))
            return false;
    for (int i = 0; i < a->nfield; i++)
        if (fabs(a->driven[i] - b->driven[i]) > SAME_COMBINATION * (1 + fabs(a->driven[i])))
            return false;
    return true;
}

/* The symmetries are those at ordinary values of the range: at the first values there may be
 * more. */
static zw_status choose_symmetries(zw_steady_curve *c, double a, double b, zw_error *err) {
    zw_symmetries here = {0}, other = {0};
    double a_else = c->o.low + ORDINARY_FRACTION * (c->o.high - c->o.low),
           b_else = c->o.b_low + ORDINARY_FRACTION * (c->o.b_high - c->o.b_low);
    ZW_TRY(put_values(c, a_else, b_else, err));
    ZW_TRY(find_symmetries(c, &other, err));
    zw_status status = put_values(c, a, b, err);
    if (status >= 0)
        status = find_symmetries(c, &here, err);
    if (status < 0) {
        zw_symmetries_clear(&other);
        return status;
    }
    c->vary = here.n == other.n && !are_equal(&here, &other);
    bool own = here.n <= other.n; /* if the numbers differ, the smaller one holds everywhere */
    c->s = own ? here : other;
    zw_symmetries_clear(own ? &other : &here);
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------- residual */

static bool holds_observables(const zw_steady_curve *c) {
    for (int i = 0; i < c->nhold; i++)
        if (c->hold[i].observable)
            return true;
    return false;
}

static void set_state(zw_steady_curve *c, const double *X) {
    for (int i = 0; i < c->nx; i++)
        c->x[i] = X[i] * c->o.scale[i];
    for (int j = 0; j < c->nc; j++)
        c->c[j] = X[c->nx + j] * c->unit_c[j];
}

/* Planes perpendicular to the orbits, through the reference. */
static void put_planes(const zw_steady_curve *c, const double *X, double *r) {
    for (int k = 0; k < c->norbit; k++) {
        r[k] = 0;
        for (int i = 0; i < c->nx; i++)
            r[k] += c->O[k * c->nx + i] * (X[i] - c->reference[i]);
    }
    for (int k = 0; k < c->nfixed; k++) {
        double *at = r + c->norbit + k;
        *at = 0;
        for (int j = 0; j < c->nc; j++)
            *at += c->fixed[k * c->nc + j] * (X[c->nx + j] - c->reference[c->nx + j]);
    }
}

zw_status zw_steady_curve_residual(zw_steady_curve *c, const double *X, double a, double b,
                                   double *r, zw_error *err) {
    double t = c->o.t;
    int nx = c->nx, row = nx;
    ZW_TRY(zw_steady_curve_set(c, a, b, err));
    set_state(c, X);
    ZW_TRY(zw_flow_rates(c->flow, t, c->x, c->f, c->z, err));
    ZW_TRY(zw_symmetries_at(&c->s, c->flow, t, c->x, c->X_0, c->X, err));
    for (int i = 0; i < nx; i++) {
        r[i] = c->f[i] - c->X_0[i];
        for (int j = 0; j < c->nc; j++)
            r[i] -= c->c[j] * c->X[j * nx + i];
    }
    if (c->ng > 0)
        ZW_TRY(zw_flow_constraints(c->flow, t, c->x, r + nx, NULL, err));
    row += c->ng;
    if (holds_observables(c))
        ZW_TRY(zw_flow_observables(c->flow, t, c->x, c->obs, err));
    for (int i = 0; i < c->nhold; i++) {
        const zw_hold *h = &c->hold[i];
        r[row++] = (h->observable ? c->obs[h->index] : c->x[h->index]) - h->value;
    }
    put_planes(c, X, r + row);
    for (int i = 0; i < c->M; i++)
        r[i] /= c->row_unit[i];
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------- derivatives */

/* Rows of held values and of the planes, without their units. */
static zw_status put_other_rows(zw_steady_curve *c, int ncol, zw_error *err) {
    int nx = c->nx, row = nx + c->ng;
    if (holds_observables(c))
        ZW_TRY(zw_flow_observables_jacobian(c->flow, c->o.t, c->x, c->obs_dx, err));
    for (int i = 0; i < c->nhold; i++, row++) {
        const zw_hold *h = &c->hold[i];
        for (int l = 0; l < nx; l++)
            c->full[row * ncol + l] =
                (h->observable ? c->obs_dx[h->index * nx + l] : (double)(h->index == l)) *
                c->o.scale[l];
    }
    for (int k = 0; k < c->norbit; k++, row++)
        for (int l = 0; l < nx; l++)
            c->full[row * ncol + l] = c->O[k * nx + l];
    for (int k = 0; k < c->nfixed; k++, row++)
        for (int j = 0; j < c->nc; j++)
            c->full[row * ncol + nx + j] = c->fixed[k * c->nc + j];
    return ZW_OK;
}

/* The column of a (0) or b (1), in its unit. */
static zw_status put_value_column(zw_steady_curve *c, const double *X, double a, double b,
                                  int which, int ncol, zw_error *err) {
    double unit = which ? c->unit_b : c->unit_a, h = DIFFERENCE_STEP * unit;
    ZW_TRY(
        zw_steady_curve_residual(c, X, a + (which ? 0 : h), b + (which ? h : 0), c->r_side, err));
    for (int i = 0; i < c->M; i++)
        c->full[i * ncol + c->N + which] = c->r_side[i];
    ZW_TRY(
        zw_steady_curve_residual(c, X, a - (which ? 0 : h), b - (which ? h : 0), c->r_side, err));
    for (int i = 0; i < c->M; i++) {
        double *at = &c->full[i * ncol + c->N + which];
        *at = (*at - c->r_side[i]) * unit / (2 * h);
    }
    return ZW_OK;
}

zw_status zw_steady_curve_jacobian(zw_steady_curve *c, const double *X, double a, double b,
                                   int ncol, zw_error *err) {
    int nx = c->nx, nc = c->nc;
    memset(c->full, 0, sizeof(double) * (size_t)(c->M * ncol));
    for (int which = 0; which < ncol - c->N; which++)
        ZW_TRY(put_value_column(c, X, a, b, which, ncol, err));
    ZW_TRY(zw_steady_curve_set(c, a, b, err));
    set_state(c, X);
    ZW_TRY(zw_symmetries_operator(&c->s, c->flow, c->o.t, c->x, c->c, c->J, err));
    ZW_TRY(zw_symmetries_at(&c->s, c->flow, c->o.t, c->x, c->X_0, c->X, err));
    if (c->ng > 0)
        ZW_TRY(zw_flow_constraints(c->flow, c->o.t, c->x, NULL, c->G, err));
    for (int i = 0; i < nx + c->ng; i++) {
        const double *from = i < nx ? c->J + (size_t)(i * nx) : c->G + (size_t)((i - nx) * nx);
        for (int l = 0; l < nx; l++)
            c->full[i * ncol + l] = from[l] * c->o.scale[l];
        for (int j = 0; i < nx && j < nc; j++)
            c->full[i * ncol + nx + j] = -c->X[j * nx + i] * c->unit_c[j];
    }
    ZW_TRY(put_other_rows(c, ncol, err));
    for (int i = 0; i < c->M; i++)
        for (int l = 0; l < c->N; l++)
            c->full[i * ncol + l] /= c->row_unit[i];
    return ZW_OK;
}

void zw_steady_curve_reduce(const zw_steady_curve *c, const double *r, double *out) {
    zw_dense_multiply(c->N, c->M, 1, c->U, r, out);
}

void zw_steady_curve_reduce_matrix(const zw_steady_curve *c, int ncol, double *out) {
    zw_dense_multiply(c->N, c->M, ncol, c->U, c->full, out);
}

/* ----------------------------------------------------------------------------------- references */

/* The directions of orbits as O, in the sizes of the state, and the combinations of c that move
 * nothing as `fixed`. */
static zw_status find_planes(zw_steady_curve *c, zw_error *err) {
    int nx = c->nx, nc = c->nc;
    double side = 0;
    zw_arena_mark mark = zw_arena_mark_now(&c->arena);
    double *rows = ZW_NEW(&c->arena, double, nc *nx + 1),
           *sv = ZW_NEW(&c->arena, double, nx + nc + 1), *V = ZW_NEW(&c->arena, double, nx *nx + 1),
           *U = ZW_NEW(&c->arena, double, nc *nc + 1);
    if (c->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int j = 0; j < nc; j++)
        for (int i = 0; i < nx; i++)
            rows[j * nx + i] = c->X[j * nx + i] * c->unit_c[j] / c->o.scale[i];
    if (nc > 0 && !zw_dense_svd(&c->arena, nc, nx, rows, sv, V, U))
        return zw_dense_failure(&c->arena, err);
    for (int i = 0; i < nx && c->norbit == 1; i++) /* with the same orientation as before */
        side += c->O[i] * V[i];
    for (int i = 0; i < nx && side < 0; i++)
        V[i] = -V[i];
    for (int k = 0; k < c->norbit; k++)
        memcpy(c->O + (size_t)(k * nx), V + (size_t)(k * nx), sizeof(double) * (size_t)nx);
    int least = nc < nx ? nc : nx;
    for (int k = c->norbit; k < nc && k < least; k++)
        memcpy(c->fixed + (size_t)((k - c->norbit) * nc), U + (size_t)(k * nc),
               sizeof(double) * (size_t)nc);
    zw_arena_release(&c->arena, mark);
    return ZW_OK;
}

/* Continue the orientation of U, so that determinants keep their sign: the new U may differ from
 * the old one by a rotation, not by a reflection. */
static void keep_orientation(zw_steady_curve *c, const double *old) {
    double *R = c->work, det = 1;
    int n = c->N;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            R[i * n + j] = 0;
            for (int l = 0; l < c->M; l++)
                R[i * n + j] += old[i * c->M + l] * c->U[j * c->M + l];
        }
    for (int k = 0; k < n; k++) { /* elimination with pivots, for the sign alone */
        int best = k;
        for (int i = k + 1; i < n; i++)
            best = fabs(R[i * n + k]) > fabs(R[best * n + k]) ? i : best;
        if (R[best * n + k] == 0)
            return;
        for (int j = 0; best != k && j < n; j++) {
            double swap = R[k * n + j];
            R[k * n + j] = R[best * n + j];
            R[best * n + j] = swap;
        }
        det = copysign(1, det * R[k * n + k]) * (best != k ? -1 : 1);
        for (int i = k + 1; i < n; i++) {
            double part = R[i * n + k] / R[k * n + k];
            for (int j = k; j < n; j++)
                R[i * n + j] -= part * R[k * n + j];
        }
    }
    for (int l = 0; det < 0 && l < c->M; l++)
        c->U[l] = -c->U[l];
}

zw_status zw_steady_curve_refer(zw_steady_curve *c, const double *X, double a, double b, int ncol,
                                double *gap, zw_error *err) {
    int least = c->M < ncol ? c->M : ncol;
    ZW_TRY(zw_steady_curve_residual(c, X, a, b, c->r, err));
    ZW_TRY(find_planes(c, err));
    memcpy(c->reference, X, sizeof(double) * (size_t)c->N);
    ZW_TRY(zw_steady_curve_jacobian(c, X, a, b, ncol, err));
    zw_arena_mark mark = zw_arena_mark_now(&c->arena);
    double *sv = ZW_NEW(&c->arena, double, ncol + 1),
           *V = ZW_NEW(&c->arena, double, ncol *ncol + 1),
           *U = ZW_NEW(&c->arena, double, least * c->M + 1),
           *old = ZW_NEW(&c->arena, double, c->N * c->M + 1);
    if (c->arena.failed)
        return zw_out_of_memory(err, NULL);
    if (!zw_dense_svd(&c->arena, c->M, ncol, c->full, sv, V, U))
        return zw_dense_failure(&c->arena, err);
    memcpy(old, c->U, sizeof(double) * (size_t)(c->N * c->M));
    memcpy(c->U, U, sizeof(double) * (size_t)(c->N * c->M));
    if (c->has_U)
        keep_orientation(c, old);
    c->has_U = true;
    if (gap)
        *gap = sv[0] > 0 ? sv[c->N - 1] / sv[0] : 0;
    zw_arena_release(&c->arena, mark);
    return ZW_OK;
}

void zw_steady_curve_place(const zw_steady_curve *c, const zw_steady *m, double *X) {
    for (int i = 0; i < c->nx; i++)
        X[i] = m->x[i] / c->o.scale[i];
    for (int j = 0; j < c->nc; j++)
        X[c->nx + j] = m->c[j] / c->unit_c[j];
}

/* The unit of c: the rate that moves the state by its size in a second. For symmetries that fix the
 * state it is taken at a neighbour. */
static zw_status size_c(zw_steady_curve *c, const zw_steady *m, zw_error *err) {
    int nx = c->nx;
    double *x = c->point;
    for (int i = 0; i < nx; i++) /* any neighbour */
        x[i] = m->x[i] + NEIGHBOUR_DISTANCE * c->o.scale[i] * cos(1.0 + 2.7 * i);
    zw_error ignored = {0};
    bool known = zw_symmetries_at(&c->s, c->flow, c->o.t, x, NULL, c->X, &ignored) >= 0;
    for (int j = 0; j < c->nc; j++) {
        double most = 0;
        for (int i = 0; known && i < nx; i++)
            most = fmax(most, fabs(c->X[j * nx + i]) / c->o.scale[i]);
        c->unit_c[j] = most > 0 ? 1 / most : 1;
    }
    ZW_TRY(zw_symmetries_at(&c->s, c->flow, c->o.t, m->x, NULL, c->X, err));
    zw_arena_mark mark = zw_arena_mark_now(&c->arena);
    double *rows = ZW_NEW(&c->arena, double, c->nc *nx + 1),
           *sv = ZW_NEW(&c->arena, double, nx + 1), *V = ZW_NEW(&c->arena, double, nx *nx + 1);
    if (c->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int j = 0; j < c->nc; j++) {
        double length = 0;
        for (int i = 0; i < nx; i++)
            length = hypot(length, c->X[j * nx + i] * c->unit_c[j] / c->o.scale[i]);
        for (int i = 0; i < nx && length > SYMMETRY_FIXES; i++)
            rows[j * nx + i] = c->X[j * nx + i] * c->unit_c[j] / c->o.scale[i] / length;
    }
    if (c->nc > 0 && !zw_dense_svd(&c->arena, c->nc, nx, rows, sv, V, NULL))
        return zw_dense_failure(&c->arena, err);
    c->norbit = 0;
    while (c->norbit < c->nc && c->norbit < nx && sv[c->norbit] > ORBIT_INDEPENDENT)
        c->norbit++;
    c->nfixed = c->nc - c->norbit;
    zw_arena_release(&c->arena, mark);
    return ZW_OK;
}

/* Units of the rows: the effect of a change of the state by its size. */
static void size_rows(zw_steady_curve *c) {
    double fastest = 0;
    for (int i = 0; i < c->nx + c->ng; i++) {
        double most = 0;
        for (int l = 0; l < c->nx; l++)
            most = fmax(most, fabs(c->full[i * (c->N + 1) + l]));
        c->row_unit[i] = most;
        if (i < c->nx)
            fastest = fmax(fastest, most / c->o.scale[i]);
    }
    c->rate = fastest > 0 ? fastest : 1;
    for (int i = 0; i < c->nx; i++)
        c->row_unit[i] = fmax(c->row_unit[i], ROW_SLOWEST * c->rate * c->o.scale[i]);
    for (int i = 0; i < c->nhold; i++) {
        double most = 0;
        for (int l = 0; l < c->nx; l++)
            most = fmax(most, fabs(c->full[(c->nx + c->ng + i) * (c->N + 1) + l]));
        c->row_unit[c->nx + c->ng + i] = most;
    }
    for (int i = 0; i < c->M; i++)
        if (!(c->row_unit[i] > 0))
            c->row_unit[i] = 1;
}

zw_status zw_steady_curve_begin(zw_steady_curve *c, const zw_steady *m, double a, double b,
                                bool fresh, zw_error *err) {
    ZW_TRY(zw_steady_curve_set(c, a, b, err));
    ZW_TRY(size_c(c, m, err));
    zw_steady_curve_place(c, m, c->point);
    memcpy(c->reference, c->point, sizeof(double) * (size_t)c->N);
    ZW_TRY(find_planes(c, err));
    if (fresh) {
        for (int i = 0; i < c->M; i++)
            c->row_unit[i] = 1;
        ZW_TRY(zw_steady_curve_jacobian(c, c->point, a, b, c->N + 1, err));
        size_rows(c);
    }
    c->has_U = false;
    c->has_row = false;
    c->nlast = 0;
    return ZW_OK;
}

/* ----------------------------------------------------------------------------------- life cycle */

static zw_status allocate_work(zw_steady_curve *c, zw_error *err) {
    zw_arena *arena = &c->arena;
    const zw_kernel *k = c->k;
    int nx = c->nx, nc = c->nc, N = c->N, M = c->M, nn = (N + 2) * (N + 2);
    c->x = ZW_NEW(arena, double, nx + 1);
    c->c = ZW_NEW(arena, double, nc + 1);
    c->z = ZW_NEW(arena, double, k->nz + 1);
    c->f = ZW_NEW(arena, double, nx + 1);
    c->X_0 = ZW_NEW(arena, double, nx + 1);
    c->X = ZW_NEW(arena, double, nc *nx + 1);
    c->J = ZW_NEW(arena, double, nx *nx + 1);
    c->G = ZW_NEW(arena, double, c->ng *nx + 1);
    c->obs = ZW_NEW(arena, double, k->nobs + 3);
    c->obs_dx = ZW_NEW(arena, double, (k->nobs + 2) * nx + 1);
    c->unit_c = ZW_NEW(arena, double, nc + 1);
    c->row_unit = ZW_NEW(arena, double, M + 1);
    c->O = ZW_NEW(arena, double, nc *nx + 1);
    c->fixed = ZW_NEW(arena, double, nc *nc + 1);
    c->reference = ZW_NEW(arena, double, N + 1);
    c->U = ZW_NEW(arena, double, N *M + 1);
    c->r = ZW_NEW(arena, double, M + 1);
    c->r_side = ZW_NEW(arena, double, M + 1);
    c->full = ZW_NEW(arena, double, M *(N + 2) + 1);
    c->matrix = ZW_NEW(arena, double, nn + 1);
    c->work = ZW_NEW(arena, double, nn + 1);
    c->work2 = ZW_NEW(arena, double, nn + 1);
    c->pivot = ZW_NEW(arena, int, N + 3);
    c->pivot_side = ZW_NEW(arena, int, N + 3);
    c->row = ZW_NEW(arena, double, N + 3);
    c->A = ZW_NEW(arena, double, nx *nx + 1);
    c->Aq = ZW_NEW(arena, double, nx *nx + 1);
    c->re = ZW_NEW(arena, double, nx + 1);
    c->im = ZW_NEW(arena, double, nx + 1);
    c->last_re = ZW_NEW(arena, double, nx + 1);
    c->last_im = ZW_NEW(arena, double, nx + 1);
    c->tangent = ZW_NEW(arena, double, N + 3);
    c->size = ZW_NEW(arena, double, nx + 1);
    c->origin = ZW_NEW(arena, double, nx + 1);
    c->motion = (zw_steady){.t = c->o.t,
                            .x = ZW_NEW(arena, double, nx + 1),
                            .c = ZW_NEW(arena, double, nc + 1),
                            .z = ZW_NEW(arena, double, k->nz + 1),
                            .scale = c->o.scale};
    return zw_arena_status(arena, err);
}

static zw_status set_up(zw_steady_curve *c, const double *x, double a, double b, zw_error *err) {
    c->p = ZW_NEW(&c->arena, double, c->k->np + 1);
    c->hold = ZW_NEW(&c->arena, zw_hold, c->nhold + 1);
    c->held = ZW_NEW(&c->arena, double, c->nhold + 1);
    c->about = ZW_NEW(&c->arena, double, c->nx + 1);
    c->point = ZW_NEW(&c->arena, double, c->nx + c->k->nfield + 3);
    if (c->arena.failed)
        return zw_out_of_memory(err, NULL);
    memcpy(c->about, x, sizeof(double) * (size_t)c->nx);
    for (int i = 0; i < c->nhold; i++)
        c->hold[i] = c->o.hold[i];
    ZW_TRY(choose_symmetries(c, a, b, err));
    ZW_TRY(zw_steady_check_still(&c->s, err));
    c->nc = c->s.n;
    c->N = c->nx + c->nc;
    c->M = c->nx + c->ng + c->nhold + c->nc;
    return allocate_work(c, err);
}

zw_status zw_steady_curve_create(zw_steady_curve **out, zw_flow *flow, const double *x, double a,
                                 double b, const zw_steady_curve_options *options, zw_error *err) {
    const zw_kernel *k = zw_flow_kernel(flow);
    zw_steady_curve *c = zw_allocate(&k->alloc, sizeof *c);
    *out = NULL;
    if (!c)
        return zw_out_of_memory(err, NULL);
    *c = (zw_steady_curve){
        .flow = flow, .k = k, .shorter = 1, .o = zw_steady_curve_options_default()};
    zw_arena_init(&c->arena, &k->alloc);
    zw_status status =
        zw_options_adopt(&c->o, sizeof c->o, options, "zw_steady_curve_options", err);
    c->nx = k->nx;
    c->ng = zw_flow_levels(flow);
    c->nhold = c->o.nhold;
    c->unit_a = VALUE_UNIT * (c->o.high - c->o.low);
    c->unit_b = VALUE_UNIT * (c->o.b_high - c->o.b_low);
    if (status >= 0 && !(c->unit_a > 0))
        status = zw_fail(err, ZW_E_OPTION, "the range of the curve is empty");
    if (status >= 0)
        status = set_up(c, x, a, b, err);
    if (status < 0)
        zw_steady_curve_destroy(c);
    else
        *out = c;
    return status;
}

void zw_steady_curve_destroy(zw_steady_curve *c) {
    if (!c)
        return;
    zw_allocator alloc = c->arena.alloc;
    zw_symmetries_clear(&c->s);
    zw_arena_clear(&c->arena);
    zw_release(&alloc, c, sizeof *c);
}

void zw_steady_curve_shorten(zw_steady_curve *c, double part) {
    c->shorter = part;
}

const zw_symmetries *zw_steady_curve_symmetries(const zw_steady_curve *c) {
    return &c->s;
}

void zw_steady_curve_always(const zw_steady_curve *c, int *zeros, int *neutral) {
    *zeros = c->counted ? c->deflation.n - c->deflation.m : 0;
    *neutral = c->neutral;
}
