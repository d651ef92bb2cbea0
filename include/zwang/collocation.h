/* SPDX-License-Identifier: MIT */
/* Implemented in src/motion/collocation. */
/* Periodic orbits by orthogonal collocation. Over the period P time is t_0 + P tau, tau in [0, 1] is divided into N intervals of widths h_j, and in each
 * the motion is a polynomial with the state u_j at its left end and the slopes k_ji = du/dtau at m points of Gauss:
 *
 *     U_ji = u_j + h_j sum_l a_il k_jl,         k_ji - P f(t, U_ji, a) = 0,
 *     u_j+1 = u_j + h_j sum_i b_i k_ji,         u_0 = S (u_N - w),
 *
 * with errors of order 2m at the ends of intervals. S has -1 where a unit quaternion comes back with the other sign, w the turns of
 * angles; ignorable coordinates stay where they begin, and drift. S may be any regular matrix (options.map): where x -> S (x - w) turns motions
 * into motions, half an orbit that it turns into the other half closes by it: P is half the period then, and multipliers are those of S Y(P), whose
 * squares are the multipliers of the whole orbit if S S is one. In a driven system the drive must do the same after P. Where there are constraints, nodes lie on their manifold: with the
 * projector Q_j onto its tangent space there and the nearest point M of it,
 *
 *     u_j = Q_j (...) + (1 - Q_j) M(u_j),
 *
 * so that they leave no multipliers of their own. An orbit of an autonomous system has the unknown P, and a phase: the sum over the nodes of
 * (u_j - v_j).v_j' is zero for the orbit v before (zw_colloc_refer).
 *
 * The slopes are eliminated interval by interval, the nodes one after the other by reflections of Householder, which is
 * stable however unstable the orbit is; what is left are u_0, u_N, P and a.
 *
 * Orbits that come back turned by a symmetry, and those of families, close but for that (options.generators, zw_colloc_find_family).
 *
 * Motions from one place to another do not close: in place of u_0 = S (u_N - w) they fulfil as many conditions c(u_0, u_N) = 0 as the manifold has
 * dimensions, and one more if P is free (options.ends).
 *
 * U. M. Ascher, R. M. M. Mattheij, R. D. Russell, Numerical Solution of Boundary Value Problems for Ordinary Differential
 * Equations (1995); C. de Boor, B. Swartz, SIAM J. Numer. Anal. 10 (1973) 582-606. */
#ifndef ZWANG_COLLOCATION_H
#define ZWANG_COLLOCATION_H

#include "continuation.h"
#include "floquet.h"
#include "flow.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_colloc zw_colloc;

/* Conditions on the first and the last state of an open motion at a: their values, and the derivatives in both states (rows of nx) and in a. */
typedef zw_status (*zw_colloc_ends)(void *user, double a, const double *first, const double *last,
                                    double *value, double *by_first, double *by_last, double *by_a,
                                    zw_error *err);

typedef struct zw_colloc_options {
    size_t size;         /* of this struct, for the library */
    int intervals;       /* N: 20 */
    int stages;          /* m, 2 to 7: 4 */
    double start;        /* t_0, s: 0 */
    bool is_period_free; /* it is unknown, and the system autonomous */
    const double *scale; /* nx: sizes of the entries of the state; NULL: 1 */
    const double *sign;  /* nx: the diagonal of S; NULL: all 1 */
    const double *turn;  /* nx: w; NULL: all 0 */
    double unit;         /* of a in the arclength: 1 */
    const double *map;   /* nx x nx: all of S, regular, instead of `sign`; NULL: that */
    const struct zw_kernel *
        lanes; /* of eight lanes with the same functions, RHS and MATS: eight intervals at once, where there are
                           no constraints and not too many states; it must outlive this. NULL: one by one */
    int generators; /* G: symmetries x -> exp(theta A) x, A x = L x + b, but for which orbits close: 0 */
    const double *generator_matrix; /* G x nx x nx: L */
    const double *generator_shift;  /* G x nx: b */
    const double *theta;            /* G: by how much about; NULL: 0 */
    zw_colloc_ends ends;            /* of an open motion; NULL: it closes */
    void *ends_user;
} zw_colloc_options;
ZW_API void zw_colloc_options_init(zw_colloc_options *options, size_t size);
static inline zw_colloc_options zw_colloc_options_default(void) {
    zw_colloc_options o;
    zw_colloc_options_init(&o, sizeof o);
    return o;
}

/* The parameters p (np) at a value of the number that is gone along, and the period (s) with its slope where it is given; NaN: those of the
 * flow. */
typedef zw_status (*zw_colloc_set)(void *user, double a, double *p, double *period, double *slope,
                                   zw_error *err);

/* On a flow, whose kernel needs ZW_FN_JAC, ZW_FN_JAC_P with the one parameter, ZW_FN_GRAD where there are constraints, and ZW_FN_TIME where it is
 * driven. The flow must outlive it. */
ZW_API zw_status zw_colloc_create(zw_colloc **out, zw_flow *flow, const zw_colloc_options *options,
                                  zw_colloc_set set, void *user, zw_error *err);
ZW_API void zw_colloc_destroy(zw_colloc *c);

/* Its equations for zw_continue and zw_cont_correct. x: u_0, k_01 .. k_0m, u_1, ...; P last if it is free. */
ZW_API zw_cont_problem zw_colloc_problem(zw_colloc *c);
ZW_API int zw_colloc_intervals(const zw_colloc *c);
ZW_API const double *zw_colloc_mesh(const zw_colloc *c); /* tau_0 = 0 .. tau_N = 1 */
/* Another one with as many intervals, ascending from 0 to 1; zw_colloc_refer must follow. */
ZW_API zw_status zw_colloc_set_mesh(zw_colloc *c, const double *mesh, zw_error *err);

/* Other sizes of the state (nx, positive), and of its steps along a branch (NULL: the same); zw_colloc_refer must follow. */
ZW_API void zw_colloc_set_scale(zw_colloc *c, const double *scale, const double *step);

/* x of a motion that is known, and it as the reference. */
ZW_API zw_status zw_colloc_take(zw_colloc *c, const zw_orbit *orbit, double *x, zw_error *err);
/* x becomes the reference of phase, projectors and ignorable coordinates, at a value of a. */
ZW_API zw_status zw_colloc_refer(zw_colloc *c, const double *x, double a, zw_error *err);
/* The state (nx) at a part tau of the period, and its slope in tau (may be NULL). */
ZW_API void zw_colloc_state(const zw_colloc *c, const double *x, double tau, double *state,
                            double *slope);
/* P of x, at the value that was last asked for. */
ZW_API double zw_colloc_period(const zw_colloc *c, const double *x);

/* The error of the polynomials between the nodes, at worst, in units of scale: from jumps of their highest derivatives. */
ZW_API double zw_colloc_error(const zw_colloc *c, const double *x);
/* A new mesh of so many intervals on which that error is spread evenly. n vectors like x, the first of which is the orbit, each with one more entry (that of
 * a in a tangent), move to it in place: they need room for the larger number of intervals. zw_colloc_refer must follow. */
ZW_API zw_status zw_colloc_adapt(zw_colloc *c, int intervals, int n, double **x, zw_error *err);

/* How disturbances of the motion x at a go on from node to node, du_j+1 = A_j du_j: N matrices (nx x nx), valid up to the next call; with constraints in their tangent spaces, but for the
 * end of the last interval. What was factored for the problem is lost. */
ZW_API zw_status zw_colloc_transfer(zw_colloc *c, const double *x, double a, const double **A,
                                    zw_error *err);

/* By how much the last residual was turned by the symmetries (G). */
ZW_API const double *zw_colloc_theta(const zw_colloc *c);

/* Orbits of a family of k dimensions, beside what symmetries make of one of them: equations that integrals of the motion fulfil anyhow are left out, and in their place stands where in the family the orbit is.
 * With zw_colloc_keep_last no family is left, and the next factors keep what zw_colloc_find_family needs: the smallest singular values of their matrix (nx of them, the least first, of the largest), of which k count as zero from now on. What was
 * left out of the last residual, at worst, in units of scale, is zw_colloc_leftover: zero if there is such a family. */
ZW_API void zw_colloc_keep_last(zw_colloc *c, bool keep);
ZW_API zw_status zw_colloc_find_family(zw_colloc *c, int k, double *singular, zw_error *err);
/* After zw_colloc_find_family at the orbit: from now on the member is held on which the integrals have the values of a state (nx) next to its beginning, and which begins there. ZW_RETRY: they do not tell members apart. */
ZW_API zw_status zw_colloc_hold(zw_colloc *c, const double *state, zw_error *err);
ZW_API double zw_colloc_leftover(const zw_colloc *c);

/* Multipliers of the orbit x at a, from the matrices of its intervals; options may be NULL, of them `margin` counts. Errors are estimated: those of the
 * mesh from the highest derivatives, those of rounding, and how far the trivial multiplier is off. Small multipliers have the relative accuracy that the mesh
 * gives them: where it is none, their error is as large as they are. What was factored for the problem is lost. */
ZW_API zw_status zw_colloc_multipliers(zw_colloc *c, const double *x, double a,
                                       const zw_floquet_options *options, zw_floquet *out,
                                       zw_error *err);

/* The multipliers alone, as many as n tells (room for nx), the largest first. From the last factors, those of the place where the problem was factored last: they
 * are as wrong as the orbit was there, by some multiple of the last correction; or factored `anew` at x and a. Where there are constraints, or orbits grow by
 * much on their way, they are found as above. */
ZW_API zw_status zw_colloc_spectrum(zw_colloc *c, const double *x, double a, bool anew, int *n,
                                    double *re, double *im, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
