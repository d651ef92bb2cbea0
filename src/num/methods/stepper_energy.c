/* SPDX-License-Identifier: MIT */
/* A symmetric method for holonomic and nonholonomic systems that satisfies every constraint and, if
 * it is constant, conserves the energy: the implicit midpoint rule on x' = f(t, x) with symmetric
 * projection (Hairer 2000),
 *
 *     a = x0 + D(x0) mu,  b = a + h f(t + h/2, (a + b)/2),  x1 = b + D(x1) mu,  c(t + h, x1) = 0,
 *
 * c = (phi, |p|^2/2 - 1/2, psi, E - E(0)). The same mu on both sides makes it symmetric, hence
 * reversible, which a projection only at the end of the step is not. The columns of D are
 * directions that change one of the c each, all by energies, so that units do not matter:
 *
 *     phi        dq = F M^-1 Phi'            psi   dv = M^-1 Psi'
 *     |p|        dp = p                      E     dv = v,  dq = -h^2 F a_t,
 *
 * a_t the acceleration without its part along Phi: the second part changes the energy where the
 * velocity is zero, and is small where the first, which always raises the energy, is not.
 *
 * The equations are solved to round-off by sweeps of fixed-point iteration for b and x1 and a
 * simplified Newton step for mu, with dc/dmu taken block-diagonal at x0. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "fixed_step.h"
#include "num/linear/linalg.h"

typedef struct energy {
    zw_num_fixed fixed;
    int m;                                /* rows of c */
    bool conserved;                       /* the last row is the energy */
    double level;                         /* E(0) */
    double h;                             /* length of the present step */
    double slope;                         /* dE/dmu of the last direction, mean of x0 and x1 */
    double *D0, *D1;                      /* m directions of nx entries */
    double *mu, *c;                       /* m */
    double *a, *b, *middle, *next, *rate; /* nx */
    double *A_pos, *A_vel;                /* Phi M^-1 Phi', Psi M^-1 Psi' at x0, factorised */
    double *A_here;                       /* Phi M^-1 Phi' at x1 */
    int *pivot_pos, *pivot_vel, *pivot_here;
} energy;

static zw_status check_supported(const zw_run *run, zw_error *err) {
    if (run->k->unsymmetric) {
        zw_fail(err, ZW_E_OPTION, "method energy needs a symmetric mass matrix");
        zw_error_hint(err, "use --by lagrange or gauss");
        return ZW_E_OPTION;
    }
    if (run->k->inequality || run->k->pseudo)
        return zw_fail(err, ZW_E_OPTION,
                       "method energy cannot keep redundant constraints and inequalities");
    return zw_num_fixed_check(run, err);
}

static zw_status take_base_step(zw_run *run, double t, double h, const double *x0, double *x1,
                                zw_error *err);

static void slice_all(energy *e, const zw_kernel *k, zw_slicer *s) {
    int m = k->npos + k->nunit + k->nvel + 1; /* with the energy, constant or not */
    zw_num_fixed_slice(&e->fixed, k, s);
    e->D0 = zw_slice_doubles(s, m * k->nx);
    e->D1 = zw_slice_doubles(s, m * k->nx);
    e->mu = zw_slice_doubles(s, m);
    e->c = zw_slice_doubles(s, m);
    e->a = zw_slice_doubles(s, k->nx);
    e->b = zw_slice_doubles(s, k->nx);
    e->middle = zw_slice_doubles(s, k->nx);
    e->next = zw_slice_doubles(s, k->nx);
    e->rate = zw_slice_doubles(s, k->nx);
    e->A_pos = zw_slice_doubles(s, k->npos * k->npos);
    e->A_here = zw_slice_doubles(s, k->npos * k->npos);
    e->A_vel = zw_slice_doubles(s, k->nvel * k->nvel);
    e->pivot_pos = zw_slice_ints(s, k->npos);
    e->pivot_here = zw_slice_ints(s, k->npos);
    e->pivot_vel = zw_slice_ints(s, k->nvel);
}

static zw_status create_energy(zw_run *run, zw_error *err) {
    energy measured;
    zw_slicer need = {NULL, 0};
    run->stepper = NULL;
    ZW_TRY(check_supported(run, err));
    zw_slice(&need, sizeof measured);
    slice_all(&measured, run->k, &need);
    zw_slicer s = {zw_allocate(&run->alloc, need.used), 0};
    if (!s.base)
        return zw_out_of_memory(err, "a run");
    energy *e = run->stepper = zw_slice(&s, sizeof measured);
    slice_all(e, run->k, &s);
    e->fixed.base = take_base_step;
    e->fixed.bytes = need.used;
    return ZW_OK;
}

static double total_energy(zw_run *run, double t, const double *x) {
    zw_obs_parts a = zw_at_obs(run->flow, t, x, run->flow->z);
    return *a.T + *a.V;
}

static zw_status start_energy(zw_run *run, zw_error *err) {
    const zw_kernel *k = run->k;
    energy *e = run->stepper;
    e->conserved = k->conservative; /* parameters may have changed */
    e->m = k->npos + k->nunit + k->nvel + e->conserved;
    ZW_TRY(zw_num_fixed_start(run, err));
    ZW_TRY(zw_num_rate(run, run->now, run->y, e->rate, err)); /* z for the observables */
    e->level = total_energy(run, run->now, run->y);
    return ZW_OK;
}

/* w := M^-1 row, M factorised in run->flow->L */
static void apply_inverse(zw_run *run, const double *row, double *w) {
    memcpy(w, row, sizeof(double) * (size_t)run->k->nv);
    zw_num_lower_solve(run->k->nv, run->flow->L, w);
    zw_num_lower_solve_transposed(run->k->nv, run->flow->L, w);
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* dq = F w */
static void map_displacement(const zw_kernel *k, const double *F, const double *w, double *dq) {
    for (int i = 0; i < k->nq; i++)
        dq[i] = dot(k->nv, F + i * k->nv, w);
}

/* Phi M^-1 Phi' or Psi M^-1 Psi' of m rows */
static zw_status factor_gram(zw_run *run, double t, int m, const double *rows, double *A,
                             int *pivot, double *w, zw_error *err) {
    int nv = run->k->nv;
    for (int i = 0; i < m; i++) {
        apply_inverse(run, rows + i * nv, w);
        for (int j = 0; j < m; j++)
            A[i * m + j] = dot(nv, rows + j * nv, w);
    }
    if (m == 0 || zw_num_lu(m, A, pivot) >= zw_num_pivot_floor(m))
        return ZW_OK;
    zw_num_fault(run->flow, ZW_FAULT_CONSTRAINT, -1, t, 0);
    return zw_fail(err, ZW_E_SINGULAR, "the constraints lost rank at t = %.10g", t);
}

/* v' without its part along the rows Phi; A is the factorised Phi M^-1 Phi' */
static void project_tangent(zw_run *run, const double *Phi, const double *A, const int *pivot,
                            double *accel) {
    const zw_kernel *k = run->k;
    energy *e = run->stepper;
    for (int i = 0; i < k->npos; i++)
        e->c[i] = dot(k->nv, Phi + i * k->nv, accel);
    zw_num_lu_solve(k->npos, A, pivot, 1, e->c);
    for (int i = 0; i < k->npos; i++) {
        apply_inverse(run, Phi + i * k->nv, run->flow->spare);
        for (int j = 0; j < k->nv; j++)
            accel[j] -= e->c[i] * run->flow->spare[j];
    }
}

/* The directions at (t, x); at x0 also the blocks of dc/dmu. */
static zw_status evaluate_directions(zw_run *run, double t, const double *x, bool at_x0, double *D,
                                     zw_error *err) {
    const zw_kernel *k = run->k;
    energy *e = run->stepper;
    int nq = k->nq, nv = k->nv, nx = k->nx;
    double *accel = run->flow->z, *column = D;
    memset(D, 0, sizeof(double) * (size_t)(e->m * nx));
    if (e->conserved)
        ZW_TRY(zw_num_accel(run->flow, t, x, run->flow->qdot, accel, err));
    e->fixed.calls++;
    zw_num_set_metric(run->flow, t, x);
    double *of_velocity = D + (k->npos + k->nunit) * nx;
    const double *Psi = zw_at_vel(run->flow, t, x, NULL).Psi;
    if (at_x0)
        ZW_TRY(factor_gram(run, t, k->nvel, Psi, e->A_vel, e->pivot_vel, run->flow->spare, err));
    for (int i = 0; i < k->nvel; i++)
        apply_inverse(run, Psi + i * nv, of_velocity + i * nx + nq);
    zw_pos_parts level = zw_at_pos(run->flow, t, x, NULL);
    const double *Phi = level.Phi, *F = level.F;
    double *A = at_x0 ? e->A_pos : e->A_here;
    int *pivot = at_x0 ? e->pivot_pos : e->pivot_here;
    ZW_TRY(factor_gram(run, t, k->npos, Phi, A, pivot, run->flow->spare, err));
    for (int i = 0; i < k->npos; i++, column += nx) {
        apply_inverse(run, Phi + i * nv, run->flow->spare);
        map_displacement(k, F, run->flow->spare, column);
    }
    for (int u = 0; u < k->nunit; u++, column += nx)
        memcpy(column + k->unit[u], x + k->unit[u], 4 * sizeof(double));
    if (!e->conserved)
        return ZW_OK;
    project_tangent(run, Phi, A, pivot, accel);
    column = D + (e->m - 1) * nx;
    map_displacement(k, F, accel, column);
    for (int i = 0; i < nq; i++)
        column[i] *= -e->h * e->h;
    memcpy(column + nq, x + nq, sizeof(double) * (size_t)nv);
    return ZW_OK;
}

/* dE/dmu along the last of the directions D at (t, x), by a central difference of relative width
 * eps^(1/3) */
#define DIFFERENCE_WIDTH 1e-5
static double slope_along(zw_run *run, double t, const double *x, const double *D) {
    energy *e = run->stepper;
    int nx = run->k->nx;
    const double *along = D + (e->m - 1) * nx, width = DIFFERENCE_WIDTH;
    double ends[2];
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < nx; i++)
            e->middle[i] = x[i] + (side ? width : -width) * along[i];
        ends[side] = total_energy(run, t, e->middle);
    }
    return (ends[1] - ends[0]) / (2 * width);
}

/* c(t, x) */
static void evaluate_residuals(zw_run *run, double t, const double *x) {
    const zw_kernel *k = run->k;
    energy *e = run->stepper;
    double *c = e->c;
    if (k->npos > 0) {
        memcpy(c, zw_at_pos(run->flow, t, x, NULL).phi, sizeof(double) * (size_t)k->npos);
    }
    for (int u = 0; u < k->nunit; u++)
        c[k->npos + u] = (dot(4, x + k->unit[u], x + k->unit[u]) - 1) / 2;
    if (k->nvel > 0) {
        memcpy(c + k->npos + k->nunit, zw_at_vel(run->flow, t, x, NULL).psi,
               sizeof(double) * (size_t)k->nvel);
    }
    if (e->conserved)
        c[e->m - 1] = total_energy(run, t, x) - e->level;
}

/* mu -= (2 dc/dx D)^-1 c, block by block */
static void correct_multipliers(zw_run *run) {
    const zw_kernel *k = run->k;
    energy *e = run->stepper;
    double *of_velocity = e->c + k->npos + k->nunit;
    zw_num_lu_solve(k->npos, e->A_pos, e->pivot_pos, 1, e->c);
    zw_num_lu_solve(k->nvel, e->A_vel, e->pivot_vel, 1, of_velocity);
    if (e->conserved)
        e->c[e->m - 1] = e->slope > 0 ? e->c[e->m - 1] / e->slope : 0;
    for (int i = 0; i < e->m; i++)
        e->mu[i] -= e->c[i] / 2;
}

/* x := from + D mu */
static void shift_state(const zw_run *run, const double *from, const double *D, double *x) {
    const energy *e = run->stepper;
    int nx = run->k->nx;
    memcpy(x, from, sizeof(double) * (size_t)nx);
    for (int i = 0; i < e->m; i++)
        for (int j = 0; j < nx; j++)
            x[j] += D[i * nx + j] * e->mu[i];
}

static zw_status iterate_step(zw_run *run, double t, double h, const double *x0, double *x1,
                              double *moved, zw_error *err) {
    energy *e = run->stepper;
    const zw_kernel *k = run->k;
    int nx = k->nx;
    shift_state(run, x0, e->D0, e->a);
    for (int i = 0; i < nx; i++)
        e->middle[i] = (e->a[i] + e->b[i]) / 2;
    ZW_TRY(zw_num_rate(run, t + h / 2, e->middle, e->rate, err));
    e->fixed.calls++;
    for (int i = 0; i < nx; i++)
        e->b[i] = e->a[i] + h * e->rate[i];
    ZW_TRY(evaluate_directions(run, t + h, x1, false, e->D1, err));
    shift_state(run, e->b, e->D1, e->next);
    evaluate_residuals(run, t + h, e->next);
    correct_multipliers(run);
    *moved = zw_num_movement(run, h, x0, x1, e->next);
    memcpy(x1, e->next, sizeof(double) * (size_t)nx);
    return ZW_OK;
}

static zw_status take_base_step(zw_run *run, double t, double h, const double *x0, double *x1,
                                zw_error *err) {
    energy *e = run->stepper;
    int nx = run->k->nx;
    e->h = h;
    ZW_TRY(evaluate_directions(run, t, x0, true, e->D0, err));
    memset(e->mu, 0, sizeof(double) * (size_t)e->m);
    ZW_TRY(zw_num_rate(run, t, x0, e->rate, err));
    e->fixed.calls++;
    for (int i = 0; i < nx; i++)
        e->b[i] = x1[i] = x0[i] + h * e->rate[i];
    if (e->conserved) { /* when a motion starts from rest, both ends differ much */
        ZW_TRY(evaluate_directions(run, t + h, x1, false, e->D1, err));
        e->slope = (slope_along(run, t, x0, e->D0) + slope_along(run, t + h, x1, e->D1)) / 2;
    }
    double moved = INFINITY;
    zw_num_sweeps sweeps = {0};
    while (zw_num_sweep_again(&sweeps, moved))
        ZW_TRY(iterate_step(run, t, h, x0, x1, &moved, err));
    return zw_num_sweep_end(&sweeps, t, err);
}

const zw_method zw_num_energy = {
    .name = "energy",
    .title = "midpoint with symmetric projection",
    .about =
        "reversible, fixed step, conserves energy and constraints: long runs, also nonholonomic",
    .traits = ZW_TRAIT_FIXED_STEP | ZW_TRAIT_CONSTRAINTS | ZW_TRAIT_ORDERS | ZW_TRAIT_PLAIN_MEMORY,
    .create = create_energy,
    .destroy = zw_num_fixed_destroy,
    .start = start_energy,
    .step = zw_num_fixed_step,
    .dense = zw_num_fixed_dense,
    .polynomial = zw_num_fixed_polynomial,
    .land = zw_num_fixed_land,
    .statistics = zw_num_fixed_statistics,
};
