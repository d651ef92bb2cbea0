/* SPDX-License-Identifier: MIT */
/* Implemented in src/slow/slip. */
/* Near constraints: models in which forces of order 1/eps drive the slips of named constraints to zero, by numbers at points of any model.
 *
 *     M(q) v' = h(t, q, v, eps) + C lambda,   W v' = b,       gamma = A(t, q) v + w(t, q),
 *
 * with nf rows gamma, constraints of the model that are off: the wheel slips, and its friction -c gamma/eps, across A', makes that the slip dies
 * at once. Forces along A' do not change the momenta of the velocities that keep gamma, so they are slow. On a fibre, the states with one q and one such momentum,
 *
 *     v = u + N gamma,    A u + w = 0,    N = M^ A' G^-1,    G = A M^ A',    M^ the inverse of M where the held constraints hold,
 *
 * u being the point of the fibre that fulfils the constraints: the slow point (q, u). No coordinates for it are needed. With gamma = eps s the rates of q, u are of
 * order 1 and eps s' = K s + ... with K = eps A dv'/dv N at eps = 0. Where all eigenvalues of K are on the left of the imaginary axis there is a
 * manifold that attracts,
 *
 *     gamma = eps g_1(q, u) + eps^2 g_2(q, u) + ...,
 *
 * and order 0, gamma = 0, is the model with these constraints; g_1 is its forces lambda over the friction's coefficient. The g_k at a point follow from the
 * motion on the manifold as a series in time and eps, v(t, eps), which has to fulfil the equations term by term while (q, u) is the
 * given point at t = 0 for all eps (the outer expansion). Without expansion, at one value of eps, the manifold is where the derivative of gamma in time
 * of a high order m vanishes, with an error of order eps^(m+1) (C. W. Gear, T. J. Kaper, I. G. Kevrekidis, A. Zagaris, SIAM J. Appl. Dyn. Syst. 4
 * (2005) 711-732); and where a run of the whole model is after its first moments. (N. Fenichel, J. Differ. Equations 31 (1979) 53-98; M. Wechselberger, Geometric
 * Singular Perturbation Theory Beyond the Standard Form, 2020.) */
#ifndef ZWANG_NEAR_H
#define ZWANG_NEAR_H

#include "manifold.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_near zw_near;

enum { ZW_NEAR_FAST_MOST = 12 }; /* rows of the constraints */

typedef struct zw_near_options {
    size_t size; /* of this struct, for the library */
    const char *
        small; /* the name of the parameter; NULL: as the model says, or the only one that can be it */
    int nnear; /* names of constraints that are off */
    const char *const *near;
    int order; /* of the expansion, 1 */
} zw_near_options;
ZW_API void zw_near_options_init(zw_near_options *options, size_t size);
static inline zw_near_options zw_near_options_default(void) {
    zw_near_options o;
    zw_near_options_init(&o, sizeof o);
    return o;
}

typedef struct zw_near_result {
    const char *small;
    const char *small_unit;
    double eps;  /* its value */
    bool chosen; /* it was found, not named */
    int order;
    int nx, nf;              /* of the state x = (q, v), of the slips */
    const char *const *name; /* nf: of the constraints, "roll", of several rows "roll.1" */
    const char *const *unit; /* nf: of gamma */
    int nforce;
    const char *const *force; /* nforce: forces that hold eps */
    const double *start;      /* nx: the start of the model, completed */
} zw_near_result;

/* The constraints `near` must be off, of velocities and linear in them. ZW_E_MODEL, ZW_E_DOMAIN: the model has no such form at its start; the message says
 * what to do. The system and its context must outlive it; it is read best with zw_model_options.constants. */
ZW_API zw_status zw_near_create(zw_near **out, const zw_system *sys, const zw_near_options *options,
                                zw_error *err);
ZW_API void zw_near_destroy(zw_near *n);
ZW_API const zw_near_result *zw_near_get(const zw_near *n);

/* ---- at a point: a state x (nx) at which the constraints of the model hold stands for the slow point of its fibre ---- */

/* gamma (nf) of x, and x moved along its fibre: to this gamma (NULL: to 0, the slow point). */
ZW_API zw_status zw_near_slips(zw_near *n, double t, const double *x, double *gamma, zw_error *err);
ZW_API zw_status zw_near_move(zw_near *n, double t, double *x, const double *gamma, zw_error *err);
/* The root of gamma' G^-1 gamma: of twice the kinetic energy of N gamma, in which slips are measured. speed (may be NULL): the same of v. */
ZW_API zw_status zw_near_size(zw_near *n, double t, const double *x, const double *gamma,
                              double *size, double *speed, zw_error *err);
/* g (order + 1) x nf: g_k of row i is g[k nf + i], g_0 = 0. rate_re, rate_im (nf, may be NULL): the eigenvalues of K / eps, 1/s, the least fast first. force (nf,
 * may be NULL): the multipliers of the model with the constraints. */
ZW_API zw_status zw_near_expand(zw_near *n, double t, const double *x, double *g, double *rate_re,
                                double *rate_im, double *force, zw_error *err);
/* gamma (nf) at this eps without expansion, and how far two orders m of the derivative that vanishes agree, in the measure of zw_near_size. */
ZW_API zw_status zw_near_exact(zw_near *n, double eps, double t, const double *x, double *gamma,
                               double *uncertain, zw_error *err);
/* The reduced flow of this order and eps from (t, x) to `until`: x is the slow point, at both ends. By extrapolation of the midpoint rule, to about
 * 1e-11. */
ZW_API zw_status zw_near_flow(zw_near *n, int order, double eps, double t, double until, double *x,
                              zw_error *err);

/* How many times as fast as all else that moves the slips die, by the eigenvalues of the whole model on the manifold at x; INFINITY: nothing else moves. */
ZW_API zw_status zw_near_gap(zw_near *n, double t, const double *x, double *gap, zw_error *err);

/* ---- along a run ---- */

typedef struct zw_near_errors {
    int npoint; /* along the motion of the model with the constraints, from the start to `until` */
    int nlevel; /* values of eps */
    double eps[ZW_MANIFOLD_LEVELS_MOST];
    double uncertain
        [ZW_MANIFOLD_LEVELS_MOST]; /* of the manifold without expansion; all are relative to the largest speed */
    double run
        [ZW_MANIFOLD_LEVELS_MOST]; /* how far a run of the whole model is from it, after its first moments; NaN: not yet */
    double manifold[ZW_MANIFOLD_LEVELS_MOST]
                   [ZW_MANIFOLD_ORDER_MOST + 1]; /* what the orders leave out, the largest */
    double flow[ZW_MANIFOLD_LEVELS_MOST]
               [ZW_MANIFOLD_ORDER_MOST + 1];  /* slow velocities after the time; NaN: not asked */
    double slope[ZW_MANIFOLD_ORDER_MOST + 1]; /* powers of eps, as of zw_manifold_errors */
    double flow_slope[ZW_MANIFOLD_ORDER_MOST + 1];
} zw_near_errors;
/* time > 0: of the reduced flows, too. */
ZW_API zw_status zw_near_measure(zw_near *n, double until, int nlevel, double time,
                                 zw_near_errors *out, zw_error *err);

typedef struct zw_near_along {
    zw_manifold_approach approach; /* distances in the measure of zw_near_size */
    double fastest;                /* 1/s: as approach.predicted, of the slip that dies fastest */
    double least,
        most;   /* 1/s: of the least fast attraction along the run, the smallest and the largest, */
    double at;  /* s: where it is smallest */
    double gap; /* the least ratio of that to the fastest other eigenvalue of the whole model, */
    double gap_at;
    double slip; /* the largest size of the slips on the manifold, of the largest of v */
    double
        apart; /* the largest distance after the first moments, of the largest of v, too; NaN: the run is too short */
    double
        ratio; /* of a term eps^k g_k to the one before, by the largest along the run, k up to the order + 2, the mean from the first on; the largest of k. NaN: there are no slips */
} zw_near_along;
/* A run of the whole model from its start, events only passed: the table has t, the state, the slips, slow(slip) on the manifold up to the order, distance(slip), the rate
 * of attraction. table may be NULL, so may source; step 0: a two hundredth. */
ZW_API zw_status zw_near_follow(zw_near *n, double until, double step,
                                const zw_model_source *source, zw_near_along *out, zw_table **table,
                                zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
