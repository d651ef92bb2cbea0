/* SPDX-License-Identifier: MIT */
/* RATTLE for any Hamiltonian with holonomic constraints (Andersen 1983; in this form Jay 1994).
 *
 *     P  = p0 + h/2 (f(t0, q0, P) + G(q0)' lambda)        f = -dH/dq + Q
 *     q1 = q0 + h/2 (u(t0, q0, P) + u(t1, q1, P))         u =  dH/dp
 *     phi(t1, q1) = 0
 *     p1 = P + h/2 (f(t1, q1, P) + G(q1)' mu),            psi(t1, q1, p1) = 0
 *
 * It is symplectic on the constraint manifold, symmetric and of order 2; without constraints it is
 * the generalised Stormer-Verlet method, for a constant mass matrix SHAKE with its velocities.
 * Energy errors stay bounded over times that grow exponentially with 1/h. Forces Q that depend on
 * velocities make it a discrete Lagrange-d'Alembert method.
 *
 * The implicit equations are solved to round-off by fixed-point iteration in (P, q1) with a Newton
 * step for lambda in each sweep, dq1/dlambda = h^2/2 H_pp G(q0)': inexact solutions would destroy
 * the structure. Needs Hamilton's equations: M is the identity, v are the momenta, C = G', Psi = G
 * H_pp. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "fixed_step.h"
#include "num/events/slide.h"
#include "num/linear/linalg.h"

typedef struct rattle {
    zw_num_fixed fixed;
    double *middle;       /* nx: (q0 or q1, P) */
    double *f0, *u0, *C0; /* nv, nq, nv nc at (q0, P) */
    double *C1;           /* nv nc at (q1, P) */
    double *next;         /* nx: the iterate that follows */
    double *lambda;       /* nc: value of the last step as the first guess */
    double *matrix;       /* nc nc */
    double *residual;     /* nc */
    int *pivot;           /* nc */
} rattle;

static zw_status check_supported(const zw_run *run, zw_error *err) {
    const zw_kernel *k = run->k;
    if (!k->canonical) {
        zw_fail(err, ZW_E_OPTION, "method rattle needs canonical momenta of plain coordinates");
        zw_error_hint(err, "use --by hamilton; with quaternions, quasi-velocities or states use "
                           "--method energy");
        return ZW_E_OPTION;
    }
    if (k->nintegral || k->nvel != k->npos || k->nc != k->npos) {
        zw_fail(err, ZW_E_OPTION, "method rattle keeps holonomic constraints only");
        zw_error_hint(err, "use --method energy for nonholonomic ones");
        return ZW_E_OPTION;
    }
    return zw_num_fixed_check(run, err);
}

static zw_status take_base_step(zw_run *run, double t, double h, const double *x0, double *x1,
                                zw_error *err);

static void slice_all(rattle *r, const zw_kernel *k, zw_slicer *s) {
    zw_num_fixed_slice(&r->fixed, k, s);
    r->middle = zw_slice_doubles(s, k->nx);
    r->next = zw_slice_doubles(s, k->nx);
    r->f0 = zw_slice_doubles(s, k->nv);
    r->u0 = zw_slice_doubles(s, k->nq);
    r->C0 = zw_slice_doubles(s, k->nv * k->nc);
    r->C1 = zw_slice_doubles(s, k->nv * k->nc);
    r->lambda = zw_slice_doubles(s, k->nc);
    r->residual = zw_slice_doubles(s, k->nc);
    r->matrix = zw_slice_doubles(s, k->nc * k->nc);
    r->pivot = zw_slice_ints(s, k->nc);
}

static zw_status create_rattle(zw_run *run, zw_error *err) {
    rattle measured;
    zw_slicer need = {NULL, 0};
    run->stepper = NULL;
    ZW_TRY(check_supported(run, err));
    zw_slice(&need, sizeof measured);
    slice_all(&measured, run->k, &need);
    zw_slicer s = {zw_allocate(&run->alloc, need.used), 0};
    if (!s.base)
        return zw_out_of_memory(err, "a run");
    rattle *r = run->stepper = zw_slice(&s, sizeof measured);
    slice_all(r, run->k, &s);
    r->fixed.base = take_base_step;
    r->fixed.bytes = need.used;
    return ZW_OK;
}

static zw_status start_rattle(zw_run *run, zw_error *err) {
    rattle *r = run->stepper;
    memset(r->lambda, 0, sizeof(double) * (size_t)run->k->nc);
    return zw_num_fixed_start(run, err);
}

/* f, u and C at (t, x); each may be NULL */
static void evaluate_forces(zw_run *run, double t, const double *x, double *f, double *u,
                            double *C) {
    const zw_kernel *k = run->k;
    rattle *r = run->stepper;
    zw_mats_parts a = zw_at_mats(run->flow, t, x, NULL);
    r->fixed.calls++;
    if (run->flow->locked && !zw_num_all_finite(k->nv, a.h) && zw_num_modes_loosen(run->flow)) {
        a = zw_at_mats(run->flow, t, x, NULL); /* beyond the end of a piece, see accel.c */
        zw_num_modes_tighten(run->flow);
    }
    if (f)
        memcpy(f, a.h, sizeof(double) * (size_t)k->nv);
    if (C)
        memcpy(C, a.C, sizeof(double) * (size_t)(k->nv * k->nc));
    if (u)
        memcpy(u, a.qdot, sizeof(double) * (size_t)k->nq);
}

/* residual := value of the level at (t, x), matrix := scale * gradient * C, factorised */
static zw_status multiplier_system(zw_run *run, bool position, double t, const double *x,
                                   const double *C, double scale, zw_error *err) {
    const zw_kernel *k = run->k;
    rattle *r = run->stepper;
    int nc = k->nc, nv = k->nv;
    zw_vel_parts vel = zw_at_vel(run->flow, t, x, NULL);
    const double *Psi = vel.Psi;
    for (int i = 0; i < nc; i++)
        for (int j = 0; j < nc; j++) {
            double sum = 0;
            for (int l = 0; l < nv; l++)
                sum += Psi[i * nv + l] * C[l * nc + j];
            r->matrix[i * nc + j] = scale * sum;
        }
    const double *value = position ? zw_at_pos(run->flow, t, x, NULL).phi : vel.psi;
    memcpy(r->residual, value, sizeof(double) * (size_t)nc);
    if (zw_num_lu(nc, r->matrix, r->pivot) >= zw_num_pivot_floor(nc))
        return ZW_OK;
    zw_num_fault(run->flow, ZW_FAULT_CONSTRAINT, -1, t, 0);
    return zw_fail(err, ZW_E_SINGULAR, "the constraints lost rank at t = %.10g", t);
}

static void add_forces(int n, int nc, const double *C, double factor, const double *lambda,
                       double *p) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < nc; j++)
            p[i] += factor * C[i * nc + j] * lambda[j];
}

/* One sweep for (q1, P) in x1; the new values replace it. Returns the move of q1 only: the
 * round-off of phi, divided by h, is permanent noise in lambda and P. */
static zw_status iterate_step(zw_run *run, double t, double h, const double *x0, double *x1,
                              double *moved, zw_error *err) {
    const zw_kernel *k = run->k;
    rattle *r = run->stepper;
    int nq = k->nq, nv = k->nv, nc = k->nc;
    double *next = r->next;
    /* at q0 with the present P */
    memcpy(r->middle, x0, sizeof(double) * (size_t)nq);
    memcpy(r->middle + nq, x1 + nq, sizeof(double) * (size_t)nv);
    evaluate_forces(run, t, r->middle, r->f0, r->u0, r->C0);
    for (int i = 0; i < nv; i++)
        next[nq + i] = x0[nq + i] + h / 2 * r->f0[i];
    add_forces(nv, nc, r->C0, h / 2, r->lambda, next + nq);
    /* q1, with the velocity at q0 and the new P */
    memcpy(r->middle + nq, next + nq, sizeof(double) * (size_t)nv);
    evaluate_forces(run, t, r->middle, NULL, r->u0, NULL);
    memcpy(r->middle, x1, sizeof(double) * (size_t)nq);
    evaluate_forces(run, t + h, r->middle, NULL, next, NULL);
    for (int i = 0; i < nq; i++)
        next[i] = x0[i] + h / 2 * (r->u0[i] + next[i]);
    if (nc > 0) {
        ZW_TRY(multiplier_system(run, true, t + h, next, r->C0, h * h / 2, err));
        zw_num_lu_solve(nc, r->matrix, r->pivot, 1, r->residual);
        for (int j = 0; j < nc; j++)
            r->lambda[j] -= r->residual[j];
    }
    *moved = zw_num_movement(run, 0, x0, x1, next);
    memcpy(x1, next, sizeof(double) * (size_t)k->nx);
    return ZW_OK;
}

static zw_status take_base_step(zw_run *run, double t, double h, const double *x0, double *x1,
                                zw_error *err) {
    const zw_kernel *k = run->k;
    rattle *r = run->stepper;
    int nq = k->nq, nv = k->nv, nc = k->nc;
    /* first guess by Euler's method */
    evaluate_forces(run, t, x0, r->f0, r->u0, r->C0);
    memcpy(x1, x0, sizeof(double) * (size_t)k->nx);
    for (int i = 0; i < nq; i++)
        x1[i] += h * r->u0[i];
    for (int i = 0; i < nv; i++)
        x1[nq + i] += h / 2 * r->f0[i];
    double moved = INFINITY;
    zw_num_sweeps sweeps = {0};
    while (zw_num_sweep_again(&sweeps, moved))
        ZW_TRY(iterate_step(run, t, h, x0, x1, &moved, err));
    ZW_TRY(zw_num_sweep_end(&sweeps, t, err));
    /* the second half, with the velocity constraints */
    evaluate_forces(run, t + h, x1, r->f0, NULL, r->C1);
    for (int i = 0; i < nv; i++)
        x1[nq + i] += h / 2 * r->f0[i];
    for (int pass = 0; nc > 0 && pass < 2; pass++) { /* psi is linear in p up to round-off */
        ZW_TRY(multiplier_system(run, false, t + h, x1, r->C1, h / 2, err));
        zw_num_lu_solve(nc, r->matrix, r->pivot, 1, r->residual);
        add_forces(nv, nc, r->C1, -h / 2, r->residual, x1 + nq);
    }
    return ZW_OK;
}

const zw_method zw_num_rattle = {
    .name = "rattle",
    .title = "RATTLE",
    .about = "symplectic, fixed step: long runs of holonomic systems (--by hamilton)",
    .traits = ZW_TRAIT_FIXED_STEP | ZW_TRAIT_CONSTRAINTS | ZW_TRAIT_ORDERS | ZW_TRAIT_PLAIN_MEMORY,
    .create = create_rattle,
    .destroy = zw_num_fixed_destroy,
    .start = start_rattle,
    .step = zw_num_fixed_step,
    .dense = zw_num_fixed_dense,
    .polynomial = zw_num_fixed_polynomial,
    .land = zw_num_fixed_land,
    .statistics = zw_num_fixed_statistics,
};
