/* SPDX-License-Identifier: MIT */
/* Implemented in src/linear/equations. */
/* The linear equations about a steady motion as engineers write them, by numbers:
 *
 *     y' = A y + B u,     o = C y + D u,          y = E dx,   dx = Y y + x_u u   (and along orbits)
 *
 * with states y that are entries of the model's state or their rates, external inputs and
 * parameters u, and what is reported of the motion, o. Parameters that the constraints hold move
 * the tangent space: G x_u = -g_u, E x_u = 0, so that y is what the states differ from those of the
 * motion, and
 *
 *     B = E (f_u + J x_u),     C = o_x Y,     D = o_u + o_x x_u.
 *
 * Where the system has a form of second order, M s'' + (D + G) s' + (K + N) s = 0. */
#ifndef ZWANG_STATESPACE_H
#define ZWANG_STATESPACE_H

#include "steady.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- states of the linear equations ---- */

typedef enum zw_state_kind {
    ZW_STATE_ENTRY, /* an entry of x */
    ZW_STATE_RATE,  /* the rate of an entry of x, seen by who moves along */
    ZW_STATE_MIXED  /* a combination of entries: its row of E */
} zw_state_kind;

typedef struct zw_states {
    int nx, n;
    zw_state_kind *kind; /* n */
    int *entry;          /* n: of x; whose rate it is; -1 of a combination */
    double *E;           /* n x nx */
    double *Y;           /* nx x n: E Y = 1, tangent to the constraints */
    double *A;           /* n x n */
    int norbit;          /* directions that are divided out: they change none of the states */
    double *orbit;       /* nx x norbit */
    int nkept; /* directions of symmetries that stay, since a wanted state changes along */
    int nwish; /* this many states were asked for and come first */
    double
        condition; /* of the choice: 1 if the states are independent in the metric of the masses, */
    double *H, *inverse; /* n x n: y = H eta with eta orthonormal in it; its inverse */
    double *A_eta;       /* n x n: inverse A H, what eigenvalues are computed from */
    double *drift,
        *orbit_A; /* norbit x n, norbit x norbit: a' = drift y + orbit_A a along orbits */
    struct zw_result_arena *memory; /* private */
    /* n: an entry that is another one for who moves along: it is meant as that observer sees it */
    bool *turning;
    int nzero; /* eigenvalues of A that are zero */
} zw_states;

/* Choose them: the entries `wish` (nwish, in this order) first. Coordinates with their rates
 * follow, then what else is needed, entries of x as far as these do. scale as of zw_steady_scale.
 * first_order (nq, may be NULL): coordinates that have no velocity. ZW_E_SINGULAR: states that were
 * asked for depend on each other, *bad (may be NULL) is the first; ZW_E_DOMAIN: their linear
 * equations are not constant, since *bad changes along the motion. */
ZW_API zw_status zw_states_choose(zw_states *out, zw_flow *flow, const zw_symmetries *s,
                                  const zw_steady *at, const zw_linearisation *a,
                                  const double *scale, const bool *first_order, int nwish,
                                  const int *wish, int *bad, zw_error *err);
ZW_API void zw_states_clear(zw_states *s);

/* ---- inputs and outputs ---- */

typedef enum zw_quantity_kind {
    ZW_QUANTITY_SIGNAL,     /* input: external input `index` */
    ZW_QUANTITY_PARAMETER,  /* input: parameter `index` of the kernel's chosen ones */
    ZW_QUANTITY_ENTRY,      /* output: entry of x */
    ZW_QUANTITY_RATE,       /* output: an acceleration or a multiplier, entry of z */
    ZW_QUANTITY_OBSERVABLE, /* output: observable of the kernel; nobs, nobs + 1: T, V */
    ZW_QUANTITY_ENERGY      /* output: T + V */
} zw_quantity_kind;
typedef struct zw_measured {
    zw_quantity_kind kind;
    int index;
} zw_measured;

/* Why a quantity cannot be one. */
typedef enum zw_refusal {
    ZW_REFUSED_NOT,
    ZW_REFUSED_MOVES, /* output: it changes along a symmetry, or with time */
    ZW_REFUSED_ROUGH, /* output: it has no derivative at the motion */
    ZW_REFUSED_STUCK  /* input: the constraints cannot hold any more if it changes */
} zw_refusal;

typedef struct zw_inout {
    int n, nin, nout;
    double *B, *C, *D; /* n x nin, nout x n, nout x nin */
    double *value;     /* nout: at the motion */
    /* nin: a parameter that the constraints hold: only its constant values have a meaning */
    bool *in_constraint;
    zw_refusal *refused_in,
        *refused_out;               /* nin, nout: columns and rows that are zero for this reason */
    struct zw_result_arena *memory; /* private */
} zw_inout;

/* The kernel needs ZW_FN_JAC_U for signals, ZW_FN_JAC_P for parameters, ZW_FN_OBS_JAC for
 * observables, and for both ZW_FN_OBS_P. scale as of zw_steady_scale. */
ZW_API zw_status zw_inout_find(zw_inout *out, zw_flow *flow, const zw_symmetries *s,
                               const zw_steady *at, const zw_linearisation *a,
                               const zw_states *states, const double *scale, int nin,
                               const zw_measured *in, int nout, const zw_measured *put,
                               zw_error *err);
ZW_API void zw_inout_clear(zw_inout *b);

/* The stationary covariance P (n x n) of the states where the inputs are independent white noises
 * of these intensities (nin; zw_system_signal_noise): A P + P A' + B diag(intensity^2) B' = 0. Only
 * of stable equations has it a meaning. ZW_E_OPTION: more than 40 states. */
ZW_API zw_status zw_covariance(const zw_states *s, int nin, const double *B,
                               const double *intensity, double *P, zw_error *err);

/* ---- the form of second order ---- */

typedef enum zw_second_reason {
    ZW_SECOND_THERE,
    ZW_SECOND_NO_COORDINATE, /* no coordinate among the states has a rate of its own */
    ZW_SECOND_COUPLED,       /* a further state drives the coordinates and is no integral of them */
    ZW_SECOND_INERTIA        /* the masses of the rates are not determined */
} zw_second_reason;

typedef struct zw_second_order {
    zw_second_reason reason;
    int culprit; /* COUPLED: the state */
    int k;       /* coordinates s */
    int *s;      /* k: their states */
    double *M, *D, *G, *K,
        *N;       /* k x k: M symmetric; of the velocities D symmetric, G skew; of the coordinates K
                                  symmetric, N skew */
    int nomitted; /* states that do not act back on the coordinates, */
    int *omitted;
    /* and those that are integrals: fixed together with the coordinates they follow (Routh) */
    int nintegral;
    int *integral;
    struct zw_result_arena *memory; /* private */
} zw_second_order;

/* The kernel needs ZW_FN_OBS_JAC. first_order as of zw_states_choose. */
ZW_API zw_status zw_second_order_find(zw_second_order *out, zw_flow *flow, const zw_steady *at,
                                      const zw_linearisation *a, const zw_states *states,
                                      const bool *first_order, zw_error *err);
ZW_API void zw_second_order_clear(zw_second_order *b);

/* ---- eigenvalues, participation, controllability, observability ---- */

typedef struct zw_spectrum {
    int n, nzero;
    double *re, *im;             /* n: the least stable first; the nzero zeros as such */
    double *condition;           /* n: 1/|p*q| in the metric of the masses */
    double *right_re, *right_im; /* n x n: eigenvectors in the states, in columns */
    double *left_re, *left_im;   /* n x n: left ones with p*q = 1 */
    double *participation;       /* n x n: of state i in eigenvalue j, a column has the sum 1 */
    double *mode_re,
        *mode_im; /* nx x n: with what moves along the orbits, where that is determined */
    bool *open;   /* n: what moves along the orbits is not determined and left out */
    /* n: smallest singular value of (A - lambda, B), in [0, 1]; NULL: no inputs */
    double *controllable;
    double *observable;                    /* n: of (A' - lambda, C'); NULL: no outputs */
    bool *is_controllable, *is_observable; /* n: it is not rounding */
    int ncontrollable,
        nobservable; /* dimensions of the controllable space, of all but the unobservable one */
    struct zw_result_arena *memory; /* private */
} zw_spectrum;

/* b may be NULL: no inputs and outputs. */
ZW_API zw_status zw_spectrum_find(zw_spectrum *out, const zw_states *states, const zw_inout *b,
                                  zw_error *err);
ZW_API void zw_spectrum_clear(zw_spectrum *s);

/* ---- frequency response ---- */

/* g[0] + i g[1] = D + C (i omega - A)^-1 B of one input and one output. Eigenvalues that the input
 * does not reach or the output does not see do no harm. ZW_E_SINGULAR: i omega is an eigenvalue of
 * the others, the response grows without bound. */
ZW_API zw_status zw_response_at(const zw_states *states, const zw_inout *b, int in, int put,
                                double omega, double g[2], zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* The eigenvalues of a matrix A(v) that depends smoothly on a value v, followed by continuity and
 * by their eigenvectors, and the values at which something happens to them: one or a pair crosses
 * the imaginary axis, two meet and leave as others. Zeros that A has at all v (families of steady
 * motions) are divided out; none of what they do counts. */

typedef struct zw_track_options {
    size_t size;     /* of this struct, for the library */
    int n;           /* size of A */
    double from, to; /* values, different; it goes from the first to the second */
    int rows;        /* at equidistant values, at least 2; 401. Others come where tracks bend. */
    /* A (n x n) at a value between them, in coordinates that depend smoothly on the value for all
     * calls with one `middle`. It is called some tens of times, in any order. */
    zw_status (*matrix)(void *user, double value, double middle, double *A, zw_error *err);
    void *user;
    /* what entries of A are measured by where all of A is smaller, as rounding may be: 0 */
    double unit;
    /* Called now and then with the part that is done; true ends it with what is there. May be
     * NULL. */
    bool (*stop)(void *user, double done);
    void *stop_user;
} zw_track_options;
ZW_API void zw_track_options_init(zw_track_options *options, size_t size);
static inline zw_track_options zw_track_options_default(void) {
    zw_track_options o;
    zw_track_options_init(&o, sizeof o);
    return o;
}

typedef enum zw_track_kind {
    ZW_TRACK_HOPF, /* a pair crosses the imaginary axis */
    ZW_TRACK_ZERO, /* one crosses zero, or a pair turns there from the one axis to the other */
    /* two meet and are real on one side, a pair on the other; or two pairs meet on the imaginary
     * axis and leave it */
    ZW_TRACK_COALESCENCE
} zw_track_kind;

typedef struct zw_track_mark {
    zw_track_kind kind;
    double value;
    double re, im; /* there, im >= 0 */
    /* by how many more have a positive real part after it, in the direction of the values */
    int growing;
    int real;         /* by how many more are real */
    double condition; /* of the eigenvalue; not finite at a coalescence */
    int ntrack;
    int *track; /* ntrack, from 0, ascending: all that take part, the conjugate ones too */
} zw_track_mark;

/* Between two marks nothing changes. */
typedef struct zw_track_range {
    double from, to;
    int growing; /* eigenvalues with positive real part */
    int neutral; /* those on the imaginary axis, without the zeros that are there at all values */
} zw_track_range;

typedef struct zw_track {
    int n, nrow, nmark, nrange;
    int nzero;       /* zeros at all values: the last of the n */
    int nkernel;     /* of these, dimensions of the null space: more zeros grow as powers of time */
    double *value;   /* nrow */
    double *re, *im; /* nrow x n */
    zw_track_mark *mark;
    zw_track_range *range;
    bool stopped;   /* by the caller; all is true up to the last row */
    int nlost;      /* steps in which tracks could not be distinguished: names may change there */
    double lost_at; /* the first of them */
    /* how far A is from being smooth, relative to its size: above 1e-9 there is a jump or a
     * corner, */
    double rough;
    double rough_at;                /* here */
    int matrices, solved;           /* matrices asked for, eigenproblems solved */
    struct zw_track_memory *memory; /* private */
    int ntouch;      /* times that a real part came to zero and went back: no mark, */
    double touch_at; /* here for the first time */
    /* eigenvalues on the imaginary axis at an end of a range in which everything dies out, */
    int nlimit;
    double limit_at; /* here */
} zw_track;

/* alloc may be NULL (malloc). */
ZW_API zw_status zw_track_follow(zw_track *out, const zw_allocator *alloc,
                                 const zw_track_options *options, zw_error *err);
ZW_API void zw_track_clear(zw_track *t);

/* The linear equations of a steady motion that is followed, as a matrix for zw_track_options: of
 * what zw_linearise finds at a value, in the coordinates of what it finds at `middle`. The way must
 * reach all values that are asked for. */
typedef struct zw_track_motion zw_track_motion;
ZW_API zw_status zw_track_motion_create(zw_track_motion **out, zw_follow *follow, double value,
                                        zw_error *err);
ZW_API void zw_track_motion_destroy(zw_track_motion *m);
ZW_API int zw_track_motion_size(const zw_track_motion *m);
/* The unit of zw_track_options: how large the linear equations of the whole state are, in its
 * sizes, 1/s. */
ZW_API double zw_track_motion_unit(const zw_track_motion *m);
/* user: a zw_track_motion. */
ZW_API zw_status zw_track_motion_matrix(void *user, double value, double middle, double *A,
                                        zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
