/* SPDX-License-Identifier: MIT */
/* Motions with closed forms for the tests of integration methods, and runs of them. */
#ifndef ZW_TEST_NUM_MOTIONS_H
#define ZW_TEST_NUM_MOTIONS_H

#include "num/internal.h"
#include "num/options.h"
#include "support/kernels.h"
#include "support/test.h"

/* ---- runs ---- */

typedef struct motion {
    zw_kernel k;
    const char *method;
    double rtol, atol, step_max;
    long steps_max;
} motion;

static inline zw_run *start_motion(motion *m, const double *p, double t, const double *x) {
    zw_run_options options = zw_run_options_default();
    options.method = m->method;
    options.rtol = m->rtol > 0 ? m->rtol : 1e-8;
    options.atol = m->atol > 0 ? m->atol : options.rtol * 1e-2;
    options.step_max = m->step_max;
    options.steps_max = m->steps_max > 0 ? m->steps_max : options.steps_max;
    zw_error err = {0};
    zw_run *run;
    if (zw_run_create(&run, &m->k, p, &options, &err) < 0 || zw_run_start(run, t, x, &err) < 0) {
        print_error("%s\n", err.text);
        fail();
    }
    return run;
}

static inline void go_to(zw_run *run, double t) {
    zw_error err = {0};
    if (zw_run_advance(run, t, NULL, &err) != ZW_OK) {
        print_error("%s\n", err.text);
        fail();
    }
    assert_close(zw_run_time(run), t, 0);
}

/* ---- Jacobi's elliptic functions by the arithmetic-geometric mean (Abramowitz, Stegun 16.4)
 * ---- */

static inline double elliptic_K(double k) {
    double a = 1, b = sqrt(1 - k * k);
    while (fabs(a - b) > 1e-15 * a) {
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return acos(-1) / (2 * a);
}

static inline void jacobi(double u, double k, double *sn, double *cn, double *dn) {
    double a[20] = {1}, c[20] = {k}, b = sqrt(1 - k * k);
    int n = 0;
    while (fabs(c[n]) > 1e-16) {
        a[n + 1] = (a[n] + b) / 2;
        c[n + 1] = (a[n] - b) / 2;
        b = sqrt(a[n] * b);
        n++;
    }
    double phi = ldexp(a[n] * u, n);
    for (; n > 0; n--)
        phi = (phi + asin(c[n] * sin(phi) / a[n])) / 2;
    *sn = sin(phi);
    *cn = cos(phi);
    *dn = sqrt(1 - k * k * *sn * *sn);
}

/* ---- pendulum by its angle: x'' = -sin x, released at x0 ---- */

FUNC(angle_mats) {
    UNUSED;
    out[0] = 1;
    out[1] = -sin(x[0]);
    out[2] = x[1];
}
FUNC(angle_jac) {
    UNUSED;
    const double rows[] = {0, 1, cos(x[0]), 0};
    memcpy(out, rows, sizeof rows);
}

static inline zw_kernel angle_kernel(void) {
    zw_kernel k = kernel_of(0, 1, 1, 0, 0, 0);
    k.fn[ZW_FN_MATS].call = angle_mats;
    k.fn[ZW_FN_JAC].call = angle_jac;
    return k;
}

/* sin(x/2) = k sn(t + K), x'/2 = k cn(t + K) */
static inline void angle_motion(double x0, double t, double *x) {
    double k = sin(x0 / 2), sn, cn, dn;
    jacobi(t + elliptic_K(k), k, &sn, &cn, &dn);
    x[0] = 2 * asin(k * sn);
    x[1] = 2 * k * cn;
}

/* the larger error of both states at t */
static inline double angle_error(double x0, double t, const double *y) {
    double x[2];
    angle_motion(x0, t, x);
    return fmax(fabs(y[0] - x[0]), fabs(y[1] - x[1]));
}

/* ---- decay and growth: q' = -q^3/2, v' = v (1 - v), from 1 and 1/2 at t = 0 ---- */

FUNC(growth_mats) {
    UNUSED;
    out[0] = 1;
    out[1] = x[1] * (1 - x[1]);
    out[2] = -x[0] * x[0] * x[0] / 2;
}
FUNC(growth_jac) {
    UNUSED;
    const double rows[] = {-1.5 * x[0] * x[0], 0, 0, 2 * x[1] - 1};
    memcpy(out, rows, sizeof rows);
}

static inline zw_kernel growth_kernel(void) {
    zw_kernel k = kernel_of(0, 1, 1, 0, 0, 0);
    k.fn[ZW_FN_MATS].call = growth_mats;
    k.fn[ZW_FN_JAC].call = growth_jac;
    return k;
}

static inline double growth_error(double t, const double *y) {
    return fmax(fabs(y[0] - 1 / sqrt(1 + t)), fabs(y[1] - 1 / (1 + exp(-t))));
}

/* ---- Kepler's motion, attraction 1/r^2 ---- */

FUNC(kepler_mats) {
    UNUSED;
    double r = sqrt(x[0] * x[0] + x[1] * x[1]), a = 1 / (r * r * r);
    const double all[] = {1, 0, 0, 1, -a * x[0], -a * x[1], x[2], x[3]};
    memcpy(out, all, sizeof all);
}
FUNC(kepler_jac) {
    UNUSED;
    double rr = x[0] * x[0] + x[1] * x[1], a = pow(rr, -1.5), b = 3 * pow(rr, -2.5);
    const double rows[] = {0,
                           0,
                           1,
                           0,
                           0,
                           0,
                           0,
                           1, /* q' */
                           a - b * x[0] * x[0],
                           -b * x[0] * x[1],
                           0,
                           0,
                           -b * x[0] * x[1],
                           a - b * x[1] * x[1],
                           0,
                           0};
    memcpy(out, rows, sizeof rows);
}

static inline zw_kernel kepler_kernel(void) {
    zw_kernel k = kernel_of(0, 2, 2, 0, 0, 0);
    k.fn[ZW_FN_MATS].call = kepler_mats;
    k.fn[ZW_FN_JAC].call = kepler_jac;
    return k;
}

/* at perihelion of an ellipse of eccentricity e and semi-axis 1 */
static inline void kepler_start(double e, double *x) {
    x[0] = 1 - e;
    x[1] = x[2] = 0;
    x[3] = sqrt((1 + e) / (1 - e));
}

#endif
