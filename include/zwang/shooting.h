/* SPDX-License-Identifier: MIT */
/* Implemented in src/motion/segments. */
/* Shooting: a periodic motion of period P near a state x_0, by Newton's method on the manifold of the constraints. With
 * nodes x_0 .. x_K-1 at the times t_k = t_0 + k P/K, phi_k the motion from one to the next, and T_k bases of the
 * tangent spaces at them (zwang/floquet.h),
 *
 *     T_k+1' (phi_k(x_k) - x_k+1) = 0,     the last one:  T_0' (S (phi_K-1(x_K-1) - w) - x_0) = 0.
 *
 * S has -1 where a unit quaternion comes back with the other sign, w the turns of angles (2 pi k). Ignorable coordinates
 * need not come back: their drift is told. One node is single shooting; more of them serve for motions that are so
 * unstable that one period cannot be followed. P is given, or unknown in an autonomous system, where the step of x_0
 * is at right angles to the motion.
 *
 * The derivatives of phi_k are exact: the linear equations are integrated along the motion that a run makes. In a kernel
 * with modes (switch.h) the run ends a step wherever the rates have a kink; where they jump there, by f+ - f-, the
 * disturbances are multiplied by the saltation matrix 1 + (f+ - f-) sigma_x/(sigma_t + sigma_x f-). */
#ifndef ZWANG_SHOOTING_H
#define ZWANG_SHOOTING_H

#include "floquet.h"
#include "run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_shooting_options {
    size_t size;         /* of this struct, for the library */
    double start;        /* t_0, s: 0 */
    double period;       /* P, s; a guess where it is unknown */
    bool is_period_free; /* it is unknown, and the system autonomous */
    int nodes;           /* K: 1 */
    int settle;          /* periods that the motion goes on before the first node is taken: 0 */
    int iterations;      /* most steps of Newton's method: 30 */
    double tolerance;    /* of the residual, in units of scale: 1e-11 */
    const double *scale; /* nx: sizes of the entries of x; NULL: 1 */
    const double *sign;  /* nx: the diagonal of S; NULL: all 1 */
    const double *turn;  /* nx: w; NULL: all 0 */
    int harmonics;       /* Fourier coefficients to be found: 8 */
    int samples;         /* states over the period to be kept: 0 */
    double margin;       /* of |mu| = 1: 1e-6 */
    bool differences;    /* derivatives by differences of runs, instead of linear equations */
    const zw_run_options *run; /* NULL: method rk87, rtol 1e-12, atol 1e-14 */
    zw_flow_input input;       /* external inputs as a function of time of that period, or NULL */
    void *input_user;
    const double *u;  /* nu: constant external inputs; NULL: 0 */
    zw_run_want want; /* the owner of the kernel (run.h), or NULL */
    void *want_user;
} zw_shooting_options;
ZW_API void zw_shooting_options_init(zw_shooting_options *options, size_t size);
static inline zw_shooting_options zw_shooting_options_default(void) {
    zw_shooting_options o;
    zw_shooting_options_init(&o, sizeof o);
    return o;
}

/* Where the derivatives of phi came from. */
typedef enum zw_shooting_derivative {
    ZW_SHOOTING_EXACT,     /* linear equations; the rates are continuous along the motion */
    ZW_SHOOTING_SALTATION, /* linear equations, and saltation matrices where the rates jump */
    ZW_SHOOTING_DIFFERENCES /* central differences of runs: asked for, or rates jump in several ways at once */
} zw_shooting_derivative;

typedef struct zw_shooting {
    int nx, nodes;
    double start, period; /* s */
    double *x;            /* nx: the state at the start */
    double *node;         /* nodes x nx */
    double residual;      /* the largest |phi_k - x_k+1| left, in units of scale */
    int iterations;
    zw_shooting_derivative derivative;
    int jumps;          /* of the rates over the period */
    zw_floquet floquet; /* multipliers of the motion */
    double *
        drift; /* nquantity: change over the period of ignorable coordinates and of observables of them; 0 for others.
                           Means, extremes and harmonics are without it */
    /* the motion over one period, for the entries of x, then what is told, T and V: nquantity = nx + nobs + 2 */
    int nquantity, harmonics;
    double *mean, *rms, *max, *min; /* nquantity */
    double *cosine,
        *sine; /* nquantity x (harmonics + 1): sum_k cosine_k cos(k w t) + sine_k sin(k w t), w = 2 pi/P */
    int nsample;
    double *sample;                    /* nsample x nx, at start + i P/nsample */
    long steps;                        /* of the run over the last period */
    struct zw_shooting_memory *memory; /* private */
} zw_shooting;

/* Near x (nx), which is put on the constraints. The kernel needs ZW_FUNCTIONS_ALL_METHODS; with kinks in its rates it should have modes
 * (and ZW_FN_SWITCHES, ZW_FN_SWITCH_LIVE, ZW_FN_SWITCH_RATE).
 * ZW_E_NUMERIC: there is no motion that closes near x, or it was not found. Refuses events that change the motion, and contacts. */
ZW_API zw_status zw_shooting_find(zw_shooting *out, const zw_kernel *kernel, const double *p,
                                  const double *x, const zw_shooting_options *options,
                                  zw_error *err);
ZW_API void zw_shooting_clear(zw_shooting *s);

/* Do the rates repeat after a period that somebody says? The largest |f(t + P, x) - f(t, x)| at random times and states within
 * scale (nx, NULL: 1) about x, relative to the sizes of the rates, in *mismatch. */
ZW_API zw_status zw_shooting_check_period(zw_flow *flow, double period, const double *x,
                                          const double *scale, double *mismatch, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
