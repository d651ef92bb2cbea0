/* SPDX-License-Identifier: MIT */
/* Kernels written by hand, so that the numerics are tested without the code generator. Each system
 * states its equations; the Jacobians are derived by hand from r = (M v' - h - C lambda, W v' -
 * b). */
#ifndef ZW_TEST_NUM_KERNELS_H
#define ZW_TEST_NUM_KERNELS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "zwang/run.h"

#define FUNC(name)                                                                                 \
    static inline void name##_body(const zw_func *self, const double *t, const double *x,          \
                                   const double *z, const double *c, double *out, double *work);   \
    static inline void name(const zw_func *self, const zw_args *in, double *out, double *work) {   \
        name##_body(self, in->t, in->x, in->z, in->c, out, work);                                  \
    }                                                                                              \
    static inline void name##_body(const zw_func *self, const double *t, const double *x,          \
                                   const double *z, const double *c, double *out, double *work)
#define UNUSED ((void)self, (void)t, (void)x, (void)z, (void)c, (void)out, (void)work)

/* the cache is the parameters */
static inline void copy_parameters(const zw_func *self, const zw_args *in, double *out,
                                   double *work) {
    (void)work;
    for (int i = 0; i < self->nout; i++)
        out[i] = in->p[i];
}

FUNC(no_observables) {
    UNUSED;
    out[0] = out[1] = 0;
}

FUNC(zeros) {
    UNUSED;
    memset(out, 0, sizeof(double) * (size_t)self->nout);
}

FUNC(nothing) {
    UNUSED;
}

static inline zw_kernel kernel_of(int np, int nq, int nv, int nc, int npos, int nvel) {
    zw_kernel k = {.lanes = 1, .np = np, .nq = nq, .nv = nv, .nc = nc, .npos = npos, .nvel = nvel};
    k.nx = nq + nv;
    k.nz = nv + nc;
    k.ncache = np;
    k.nwork = 1;
    k.nout = 1 + (nq + nv + nc) * (nq + nv) + nv * (nv + 2 * nc) + nc + nq + npos * (nv + 1) +
             nvel * (nv + 1) + nq * nv + 8;
    k.prepare = (zw_preparation){.func = {.call = copy_parameters, .nout = np}};
    k.functions = ZW_FUNCTIONS_ALL_METHODS;
    k.fn[ZW_FN_OBS] = (zw_func){.call = no_observables};
    k.fn[ZW_FN_POS] = k.fn[ZW_FN_VEL] = k.fn[ZW_FN_EVT] = (zw_func){.call = nothing};
    k.fn[ZW_FN_GRAD] = (zw_func){.call = zeros, .nout = (npos + nvel) * nq};
    k.fn[ZW_FN_TIME] = (zw_func){.call = zeros, .nout = nq + nv + nc + npos + nvel};
    return k;
}

/* ---- damped oscillator: m x'' = -k x - d x' (p = m, k, d); event x = 0 ---- */

FUNC(oscillator_mats) {
    UNUSED;
    out[0] = c[0];
    out[1] = -c[1] * x[0] - c[2] * x[1];
    out[2] = x[1];
}
FUNC(oscillator_jac) {
    UNUSED;
    const double rows[] = {0, 1, c[1], c[2]};
    memcpy(out, rows, sizeof rows);
}
FUNC(oscillator_obs) {
    UNUSED;
    out[0] = c[0] * x[1] * x[1] / 2;
    out[1] = c[1] * x[0] * x[0] / 2;
}
FUNC(oscillator_evt) {
    UNUSED;
    out[0] = x[0];
}
FUNC(oscillator_pos) { /* no constraints, F = 1 */
    UNUSED;
    out[0] = 1;
}
static const int rising[] = {1}, falling[] = {-1}, both_ways[] = {0, 0, 0};
static const bool no_stop[] = {false, false, false};

static inline zw_kernel oscillator_kernel(void) {
    zw_kernel k = kernel_of(3, 1, 1, 0, 0, 0);
    k.fn[ZW_FN_MATS].call = oscillator_mats;
    k.fn[ZW_FN_JAC].call = oscillator_jac;
    k.fn[ZW_FN_OBS].call = oscillator_obs;
    k.fn[ZW_FN_POS] = (zw_func){.call = oscillator_pos, .nout = 1};
    return k;
}

/* ---- pendulum in Cartesian coordinates (p = m, L, g) ----
 * phi = (x^2 + y^2 - L^2)/2, psi = x x' + y y', W = (x, y), b = -(x'^2 + y'^2); lambda L is the
 * force along the rod outwards, so the tension is -lambda L. Event x = 0. */

FUNC(pendulum_mats) {
    UNUSED;
    const double all[] = {c[0],
                          0,
                          0,
                          c[0],
                          /* M */ 0,
                          -c[0] * c[2], /* h */
                          x[0],
                          x[1],
                          /* C */ x[0],
                          x[1], /* W */
                          -(x[2] * x[2] + x[3] * x[3]),
                          x[2],
                          x[3]};
    memcpy(out, all, sizeof all);
}
/* the same solved by hand, as unrolled code would */
FUNC(pendulum_rhs) {
    UNUSED;
    double rr = x[0] * x[0] + x[1] * x[1], vv = x[2] * x[2] + x[3] * x[3];
    double lambda = c[0] * (c[2] * x[1] - vv) / rr;
    out[0] = x[2];
    out[1] = x[3];
    out[2] = lambda * x[0] / c[0];
    out[3] = lambda * x[1] / c[0] - c[2];
    out[4] = lambda;
    out[5] = rr > 0 ? 1 : 0;
}
FUNC(pendulum_jac) {
    UNUSED;
    const double rows[] = {0,     0,    1,        0,       0, 0,     0, 1, /* q' */
                           -z[2], 0,    0,        0,       0, -z[2], 0, 0, /* M v' - h - C lambda */
                           z[0],  z[1], 2 * x[2], 2 * x[3]};
    memcpy(out, rows, sizeof rows);
}
FUNC(pendulum_pos) {
    UNUSED;
    const double all[] = {(x[0] * x[0] + x[1] * x[1] - c[1] * c[1]) / 2, x[0], x[1], 1, 0, 0, 1};
    memcpy(out, all, sizeof all);
}
FUNC(pendulum_vel) {
    UNUSED;
    out[0] = x[0] * x[2] + x[1] * x[3];
    out[1] = x[0];
    out[2] = x[1];
}
FUNC(pendulum_grad) {
    UNUSED;
    const double all[] = {x[0], x[1], x[2], x[3]};
    memcpy(out, all, sizeof all);
}
FUNC(pendulum_obs) {
    UNUSED;
    out[0] = -z[2] * c[1];
    out[1] = c[0] * (x[2] * x[2] + x[3] * x[3]) / 2;
    out[2] = c[0] * c[2] * x[1];
}

static inline zw_kernel pendulum_kernel(void) {
    zw_kernel k = kernel_of(3, 2, 2, 1, 1, 1);
    k.fn[ZW_FN_MATS].call = pendulum_mats;
    k.fn[ZW_FN_RHS].call = pendulum_rhs;
    k.fn[ZW_FN_JAC].call = pendulum_jac;
    k.fn[ZW_FN_POS].call = pendulum_pos;
    k.fn[ZW_FN_VEL].call = pendulum_vel;
    k.fn[ZW_FN_GRAD].call = pendulum_grad;
    k.fn[ZW_FN_OBS].call = pendulum_obs;
    k.nobs = 1;
    k.fn[ZW_FN_EVT].call = oscillator_evt;
    return k;
}

/* ---- the pendulum with its constraint said twice (the second row doubled) ---- */

FUNC(twice_mats) {
    UNUSED;
    const double all[] = {c[0],
                          0,
                          0,
                          c[0],
                          0,
                          -c[0] * c[2],
                          x[0],
                          2 * x[0],
                          x[1],
                          2 * x[1],
                          x[0],
                          x[1],
                          2 * x[0],
                          2 * x[1],
                          -(x[2] * x[2] + x[3] * x[3]),
                          -2 * (x[2] * x[2] + x[3] * x[3]),
                          x[2],
                          x[3]};
    memcpy(out, all, sizeof all);
}
/* p[3] is an offset that contradicts the first row if it is not zero */
FUNC(twice_pos) {
    UNUSED;
    double phi = (x[0] * x[0] + x[1] * x[1] - c[1] * c[1]) / 2;
    const double all[] = {phi, 2 * phi + c[3], x[0], x[1], 2 * x[0], 2 * x[1], 1, 0, 0, 1};
    memcpy(out, all, sizeof all);
}
FUNC(twice_jac) {
    UNUSED;
    double lambda = z[2] + 2 * z[3];
    const double rows[] = {
        0, 0,       1, 0, 0,    0,    0,        1,        -lambda,  0,        0,        0,
        0, -lambda, 0, 0, z[0], z[1], 2 * x[2], 2 * x[3], 2 * z[0], 2 * z[1], 4 * x[2], 4 * x[3]};
    memcpy(out, rows, sizeof rows);
}
FUNC(twice_grad) {
    UNUSED;
    const double all[] = {x[0], x[1], 2 * x[0], 2 * x[1], x[2], x[3], 2 * x[2], 2 * x[3]};
    memcpy(out, all, sizeof all);
}
FUNC(twice_vel) {
    UNUSED;
    double psi = x[0] * x[2] + x[1] * x[3];
    const double all[] = {psi, 2 * psi, x[0], x[1], 2 * x[0], 2 * x[1]};
    memcpy(out, all, sizeof all);
}

static inline zw_kernel twice_kernel(void) {
    zw_kernel k = kernel_of(4, 2, 2, 2, 2, 2);
    k.fn[ZW_FN_MATS].call = twice_mats;
    k.fn[ZW_FN_POS].call = twice_pos;
    k.fn[ZW_FN_VEL].call = twice_vel;
    k.fn[ZW_FN_JAC].call = twice_jac;
    k.fn[ZW_FN_GRAD].call = twice_grad;
    return k;
}

/* ---- free rigid body: quaternion q (body to space), body angular velocity w (p = A, B, C) ---- */

FUNC(top_mats) {
    UNUSED;
    const double *w = x + 4;
    const double all[] = {c[0],
                          0,
                          0,
                          0,
                          c[1],
                          0,
                          0,
                          0,
                          c[2],
                          (c[1] - c[2]) * w[1] * w[2],
                          (c[2] - c[0]) * w[2] * w[0],
                          (c[0] - c[1]) * w[0] * w[1],
                          (-x[1] * w[0] - x[2] * w[1] - x[3] * w[2]) / 2,
                          (x[0] * w[0] - x[3] * w[1] + x[2] * w[2]) / 2,
                          (x[3] * w[0] + x[0] * w[1] - x[1] * w[2]) / 2,
                          (-x[2] * w[0] + x[1] * w[1] + x[0] * w[2]) / 2};
    memcpy(out, all, sizeof all);
}
static inline void top_F(const double *x, double *F) {
    const double all[] = {-x[1] / 2, -x[2] / 2, -x[3] / 2, x[0] / 2,  -x[3] / 2, x[2] / 2,
                          x[3] / 2,  x[0] / 2,  -x[1] / 2, -x[2] / 2, x[1] / 2,  x[0] / 2};
    memcpy(F, all, sizeof all);
}
FUNC(top_jac) {
    UNUSED;
    const double *w = x + 4;
    double F[12];
    const double G[] = {0,        -w[0] / 2, -w[1] / 2, -w[2] / 2, w[0] / 2, 0,
                        w[2] / 2, -w[1] / 2, w[1] / 2,  -w[2] / 2, 0,        w[0] / 2,
                        w[2] / 2, w[1] / 2,  -w[0] / 2, 0};
    top_F(x, F);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 7; j++)
            out[i * 7 + j] = j < 4 ? G[i * 4 + j] : F[i * 3 + j - 4];
    const double D[] = {0, -(c[1] - c[2]) * w[2], -(c[1] - c[2]) * w[1], -(c[2] - c[0]) * w[2],
                        0, -(c[2] - c[0]) * w[0], -(c[0] - c[1]) * w[1], -(c[0] - c[1]) * w[0],
                        0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 7; j++)
            out[28 + i * 7 + j] = j < 4 ? 0 : D[i * 3 + j - 4];
}
FUNC(top_pos) {
    UNUSED;
    top_F(x, out);
}
FUNC(top_obs) {
    UNUSED;
    out[0] = (c[0] * x[4] * x[4] + c[1] * x[5] * x[5] + c[2] * x[6] * x[6]) / 2;
    out[1] = 0;
}
static const int top_unit[] = {0};

static inline zw_kernel top_kernel(void) {
    zw_kernel k = kernel_of(3, 4, 3, 0, 0, 0);
    k.fn[ZW_FN_MATS].call = top_mats;
    k.fn[ZW_FN_JAC].call = top_jac;
    k.fn[ZW_FN_POS].call = top_pos;
    k.fn[ZW_FN_OBS].call = top_obs;
    k.nunit = 1;
    k.unit = top_unit;
    return k;
}

/* ---- skate on an incline (p = m, J, g sin(alpha)): q = x, y, theta, the slope falls along x ----
 * psi = x' sin(theta) - y' cos(theta), W = (sin, -cos, 0), b = -theta' (x' cos + y' sin). */

FUNC(skate_mats) {
    UNUSED;
    double s = sin(x[2]), k = cos(x[2]);
    const double all[] = {c[0],
                          0,
                          0,
                          0,
                          c[0],
                          0,
                          0,
                          0,
                          c[1], /* M */
                          c[0] * c[2],
                          0,
                          0, /* h */
                          s,
                          -k,
                          0,
                          s,
                          -k,
                          0, /* C, W */
                          -x[5] * (x[3] * k + x[4] * s),
                          x[3],
                          x[4],
                          x[5]};
    memcpy(out, all, sizeof all);
}
FUNC(skate_jac) {
    UNUSED;
    double s = sin(x[2]), k = cos(x[2]), lambda = z[3];
    memset(out, 0, sizeof(double) * 42);
    out[0 * 6 + 3] = out[1 * 6 + 4] = out[2 * 6 + 5] = 1;
    double *r = out + 18;
    r[0 * 6 + 2] = -k * lambda;
    r[1 * 6 + 2] = -s * lambda;
    double *w = r + 18;
    w[2] = z[0] * k + z[1] * s + x[5] * (-x[3] * s + x[4] * k);
    w[3] = x[5] * k;
    w[4] = x[5] * s;
    w[5] = x[3] * k + x[4] * s;
}
FUNC(skate_vel) {
    UNUSED;
    double s = sin(x[2]), k = cos(x[2]);
    const double all[] = {x[3] * s - x[4] * k, s, -k, 0};
    memcpy(out, all, sizeof all);
}
FUNC(skate_grad) {
    UNUSED;
    const double all[] = {0, 0, x[3] * cos(x[2]) + x[4] * sin(x[2])};
    memcpy(out, all, sizeof all);
}
FUNC(skate_obs) {
    UNUSED;
    out[0] = (c[0] * (x[3] * x[3] + x[4] * x[4]) + c[1] * x[5] * x[5]) / 2;
    out[1] = -c[0] * c[2] * x[0];
}

FUNC(skate_pos) { /* no position to keep, F = 1 */
    UNUSED;
    for (int i = 0; i < 9; i++)
        out[i] = i % 4 == 0;
}

static inline zw_kernel skate_kernel(void) {
    zw_kernel k = kernel_of(3, 3, 3, 1, 0, 1);
    k.fn[ZW_FN_POS].call = skate_pos;
    k.fn[ZW_FN_MATS].call = skate_mats;
    k.fn[ZW_FN_JAC].call = skate_jac;
    k.fn[ZW_FN_VEL].call = skate_vel;
    k.fn[ZW_FN_GRAD].call = skate_grad;
    k.fn[ZW_FN_OBS].call = skate_obs;
    return k;
}

/* ---- chain of CHAIN masses and springs between walls (p = m, k): beyond the size of own LU
 * ---- */

enum { CHAIN = 48 };

FUNC(chain_mats) {
    UNUSED;
    memset(out, 0, sizeof(double) * CHAIN * CHAIN);
    double *h = out + CHAIN * CHAIN, *qdot = h + CHAIN;
    for (int i = 0; i < CHAIN; i++) {
        out[i * CHAIN + i] = c[0];
        double left = i > 0 ? x[i - 1] : 0, right = i + 1 < CHAIN ? x[i + 1] : 0;
        h[i] = c[1] * (left - 2 * x[i] + right);
        qdot[i] = x[CHAIN + i];
    }
}
FUNC(chain_jac) {
    UNUSED;
    const int nx = 2 * CHAIN;
    memset(out, 0, sizeof(double) * 2 * CHAIN * 2 * CHAIN);
    double *r = out + CHAIN * nx;
    for (int i = 0; i < CHAIN; i++) {
        out[i * nx + CHAIN + i] = 1;
        r[i * nx + i] = 2 * c[1];
        if (i > 0)
            r[i * nx + i - 1] = -c[1];
        if (i + 1 < CHAIN)
            r[i * nx + i + 1] = -c[1];
    }
}

static inline zw_kernel chain_kernel(void) {
    zw_kernel k = kernel_of(2, CHAIN, CHAIN, 0, 0, 0);
    k.fn[ZW_FN_MATS].call = chain_mats;
    k.fn[ZW_FN_JAC].call = chain_jac;
    return k;
}

/* ---- one coordinate with x'' = f(x, x'): where motion ends ---- */

/* x'' = x'^2: x' = v0/(1 - v0 t), a pole at 1/v0 */
FUNC(pole_mats) {
    UNUSED;
    out[0] = 1;
    out[1] = x[1] * x[1];
    out[2] = x[1];
}
FUNC(pole_jac) {
    UNUSED;
    const double rows[] = {0, 1, 0, -2 * x[1]};
    memcpy(out, rows, sizeof rows);
}
/* x' = -1, x'' = 0 sqrt(x): no value for x < 0 */
FUNC(edge_mats) {
    UNUSED;
    out[0] = 1;
    out[1] = 0 * sqrt(x[0]);
    out[2] = x[1];
}
FUNC(edge_jac) {
    UNUSED;
    const double rows[] = {0, 1, 0, 0};
    memcpy(out, rows, sizeof rows);
}

#endif
