/* SPDX-License-Identifier: MIT */
/* Floquet's multipliers of a periodic motion x(t): the eigenvalues mu of the monodromy matrix
 *
 *     M = T_0' Y(t + P),     Y' = df/dx(t, x(t)) Y,     Y(t) = T_0,
 *
 * T_0 an orthonormal basis of the tangent space of the constraints at x(t): constraints leave no
 * multipliers of their own, nor do ignorable coordinates (kernel.h), which are left out. A motion
 * comes back as S x + w, with signs S of -1 where a unit quaternion has changed its own, and turns
 * w of angles, which matter to nothing here; then M = T_0' S Y(t + P).
 *
 * The motion is stable if all |mu| < 1, by more than the margin, unstable if one is beyond it. Free
 * alarms: by Liouville the product of all mu is exp of the integral of tr df/dx over a period; an
 * autonomous system has one mu = 1. */
#ifndef ZW_MOTION_SEGMENTS_PERIODIC_H
#define ZW_MOTION_SEGMENTS_PERIODIC_H

#include "branch/curve.h"
#include "zwang/motion.h"
#include "zwang/run.h"
#include "zwang/steady.h"

/* A periodic motion: the state x (nx) at any time of [start, start + period]. The rates must be
 * continuous along it (motion/segments/periodic.h follows jumps); where their derivatives jump, accuracy is
 * lost, and told. */
typedef struct zw_orbit {
    double start, period; /* s */
    zw_status (*at)(void *user, double t, double *x, zw_error *err);
    void *user;
    const double *sign; /* nx: 1 or -1, as S above; NULL: all 1 */
    const double *map;  /* nx x nx: any S instead, of a motion that is a part of an orbit; NULL */
} zw_orbit;

typedef struct zw_floquet_options {
    size_t size;       /* of this struct, for the library */
    int stages;        /* of Gauss's collocation, 1 to 8: 4 */
    int intervals;     /* that a period is divided into at first: 8 */
    int intervals_max; /* they are doubled up to here: 1024 */
    double tolerance;  /* error of the multipliers, relative to max(1, |mu|), that ends it: 1e-9;
                          small ones then have fewer digits, more intervals give them more */
    double margin;     /* of |mu| = 1, beside the error: 1e-6 */
    bool autonomous;   /* one multiplier is 1 and does not count */
} zw_floquet_options;
void zw_floquet_options_init(zw_floquet_options *options, size_t size);
static inline zw_floquet_options zw_floquet_options_default(void) {
    zw_floquet_options o;
    zw_floquet_options_init(&o, sizeof o);
    return o;
}

/* Of a motion; options may be NULL. The kernel needs ZW_FN_JAC and ZW_FN_GRAD. Where the tolerance
 * is not reached the result is told with the accuracy that it has. */
zw_status zw_floquet_find(zw_floquet *out, zw_flow *flow, const zw_orbit *orbit,
                          const zw_floquet_options *options, zw_error *err);
void zw_floquet_clear(zw_floquet *f);

/* ------------------------------------------------------------------------------------------ */

/* Shooting: a periodic motion of period P near a state x_0, by Newton's method on the manifold of
 * the constraints. With nodes x_0 .. x_K-1 at the times t_k = t_0 + k P/K, phi_k the motion from
 * one to the next, and T_k bases of the tangent spaces at them (motion/segments/periodic.h),
 *
 *     T_k+1' (phi_k(x_k) - x_k+1) = 0,     the last one:  T_0' (S (phi_K-1(x_K-1) - w) - x_0) = 0.
 *
 * S has -1 where a unit quaternion comes back with the other sign, w the turns of angles (2 pi k).
 * Ignorable coordinates need not come back: their drift is told. One node is single shooting; more
 * of them serve for motions that are so unstable that one period cannot be followed. P is given, or
 * unknown in an autonomous system, where the step of x_0 is at right angles to the motion.
 *
 * The derivatives of phi_k are exact: the linear equations are integrated along the motion that a
 * run makes. In a kernel with modes (switch.h) the run ends a step wherever the rates have a kink;
 * where they jump there, by f+ - f-, the disturbances are multiplied by the saltation matrix 1 +
 * (f+ - f-) sigma_x/(sigma_t + sigma_x f-). */

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
void zw_shooting_options_init(zw_shooting_options *options, size_t size);
static inline zw_shooting_options zw_shooting_options_default(void) {
    zw_shooting_options o;
    zw_shooting_options_init(&o, sizeof o);
    return o;
}

/* Near x (nx), which is put on the constraints. The kernel needs ZW_FUNCTIONS_ALL_METHODS; with
 * kinks in its rates it should have modes (and ZW_FN_SWITCHES, ZW_FN_SWITCH_LIVE,
 * ZW_FN_SWITCH_RATE). ZW_E_NUMERIC: there is no motion that closes near x, or it was not found.
 * Refuses events that change the motion, and contacts. */
zw_status zw_shooting_find(zw_shooting *out, const zw_kernel *kernel, const double *p,
                           const double *x, const zw_shooting_options *options, zw_error *err);
void zw_shooting_clear(zw_shooting *s);

/* Do the rates repeat after a period that somebody says? The largest |f(t + P, x) - f(t, x)| at
 * random times and states within scale (nx, NULL: 1) about x, relative to the sizes of the rates,
 * in *mismatch. */
zw_status zw_shooting_check_period(zw_flow *flow, double period, const double *x,
                                   const double *scale, double *mismatch, zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* Periodic orbits by orthogonal collocation. Over the period P time is t_0 + P tau, tau in [0, 1]
 * is divided into N intervals of widths h_j, and in each the motion is a polynomial with the state
 * u_j at its left end and the slopes k_ji = du/dtau at m points of Gauss:
 *
 *     U_ji = u_j + h_j sum_l a_il k_jl,         k_ji - P f(t, U_ji, a) = 0,
 *     u_j+1 = u_j + h_j sum_i b_i k_ji,         u_0 = S (u_N - w),
 *
 * with errors of order 2m at the ends of intervals. S has -1 where a unit quaternion comes back
 * with the other sign, w the turns of angles; ignorable coordinates stay where they begin, and
 * drift. S may be any regular matrix (options.map): where x -> S (x - w) turns motions into
 * motions, half an orbit that it turns into the other half closes by it: P is half the period then,
 * and multipliers are those of S Y(P), whose squares are the multipliers of the whole orbit if S S
 * is one. In a driven system the drive must do the same after P. Where there are constraints, nodes
 * lie on their manifold: with the projector Q_j onto its tangent space there and the nearest point
 * M of it,
 *
 *     u_j = Q_j (...) + (1 - Q_j) M(u_j),
 *
 * so that they leave no multipliers of their own. An orbit of an autonomous system has the unknown
 * P, and a phase: the sum over the nodes of (u_j - v_j).v_j' is zero for the orbit v before
 * (zw_colloc_refer).
 *
 * The slopes are eliminated interval by interval, the nodes one after the other by reflections of
 * Householder, which is stable however unstable the orbit is; what is left are u_0, u_N, P and a.
 *
 * Orbits that come back turned by a symmetry, and those of families, close but for that
 * (options.generators, zw_colloc_find_family).
 *
 * Motions from one place to another do not close: in place of u_0 = S (u_N - w) they fulfil as many
 * conditions c(u_0, u_N) = 0 as the manifold has dimensions, and one more if P is free
 * (options.ends).
 *
 * U. M. Ascher, R. M. M. Mattheij, R. D. Russell, Numerical Solution of Boundary Value Problems for
 * Ordinary Differential Equations (1995); C. de Boor, B. Swartz, SIAM J. Numer. Anal. 10 (1973)
 * 582-606. */

typedef struct zw_colloc zw_colloc;

/* Conditions on the first and the last state of an open motion at a: their values, and the
 * derivatives in both states (rows of nx) and in a. */
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
    /* of eight lanes with the same functions, RHS and MATS: eight intervals at once, where there
     * are no constraints and not too many states; it must outlive this. NULL: one by one */
    const struct zw_kernel *lanes;
    /* G: symmetries x -> exp(theta A) x, A x = L x + b, but for which orbits close: 0 */
    int generators;
    const double *generator_matrix; /* G x nx x nx: L */
    const double *generator_shift;  /* G x nx: b */
    const double *theta;            /* G: by how much about; NULL: 0 */
    zw_colloc_ends ends;            /* of an open motion; NULL: it closes */
    void *ends_user;
} zw_colloc_options;
void zw_colloc_options_init(zw_colloc_options *options, size_t size);
static inline zw_colloc_options zw_colloc_options_default(void) {
    zw_colloc_options o;
    zw_colloc_options_init(&o, sizeof o);
    return o;
}

/* The parameters p (np) at a value of the number that is gone along, and the period (s) with its
 * slope where it is given; NaN: those of the flow. */
typedef zw_status (*zw_colloc_set)(void *user, double a, double *p, double *period, double *slope,
                                   zw_error *err);

/* On a flow, whose kernel needs ZW_FN_JAC, ZW_FN_JAC_P with the one parameter, ZW_FN_GRAD where
 * there are constraints, and ZW_FN_TIME where it is driven. The flow must outlive it. */
zw_status zw_colloc_create(zw_colloc **out, zw_flow *flow, const zw_colloc_options *options,
                           zw_colloc_set set, void *user, zw_error *err);
void zw_colloc_destroy(zw_colloc *c);

/* Its equations for zw_continue and zw_cont_correct. x: u_0, k_01 .. k_0m, u_1, ...; P last if it
 * is free. */
zw_cont_problem zw_colloc_problem(zw_colloc *c);
int zw_colloc_intervals(const zw_colloc *c);
const double *zw_colloc_mesh(const zw_colloc *c); /* tau_0 = 0 .. tau_N = 1 */
/* Another one with as many intervals, ascending from 0 to 1; zw_colloc_refer must follow. */
zw_status zw_colloc_set_mesh(zw_colloc *c, const double *mesh, zw_error *err);

/* Other sizes of the state (nx, positive), and of its steps along a branch (NULL: the same);
 * zw_colloc_refer must follow. */
void zw_colloc_set_scale(zw_colloc *c, const double *scale, const double *step);

/* x of a motion that is known, and it as the reference. */
zw_status zw_colloc_take(zw_colloc *c, const zw_orbit *orbit, double *x, zw_error *err);
/* x becomes the reference of phase, projectors and ignorable coordinates, at a value of a. */
zw_status zw_colloc_refer(zw_colloc *c, const double *x, double a, zw_error *err);
/* The state (nx) at a part tau of the period, and its slope in tau (may be NULL). */
void zw_colloc_state(const zw_colloc *c, const double *x, double tau, double *state, double *slope);
/* P of x, at the value that was last asked for. */
double zw_colloc_period(const zw_colloc *c, const double *x);

/* The error of the polynomials between the nodes, at worst, in units of scale: from jumps of their
 * highest derivatives. */
double zw_colloc_error(const zw_colloc *c, const double *x);
/* A new mesh of so many intervals on which that error is spread evenly. n vectors like x, the first
 * of which is the orbit, each with one more entry (that of a in a tangent), move to it in place:
 * they need room for the larger number of intervals. zw_colloc_refer must follow. */
zw_status zw_colloc_adapt(zw_colloc *c, int intervals, int n, double **x, zw_error *err);

/* How disturbances of the motion x at a go on from node to node, du_j+1 = A_j du_j: N matrices (nx
 * x nx), valid up to the next call; with constraints in their tangent spaces, but for the end of
 * the last interval. What was factored for the problem is lost. */
zw_status zw_colloc_transfer(zw_colloc *c, const double *x, double a, const double **A,
                             zw_error *err);

/* By how much the last residual was turned by the symmetries (G). */
const double *zw_colloc_theta(const zw_colloc *c);

/* Orbits of a family of k dimensions, beside what symmetries make of one of them: equations that
 * integrals of the motion fulfil anyhow are left out, and in their place stands where in the family
 * the orbit is. With zw_colloc_keep_last no family is left, and the next factors keep what
 * zw_colloc_find_family needs: the smallest singular values of their matrix (nx of them, the least
 * first, of the largest), of which k count as zero from now on. What was left out of the last
 * residual, at worst, in units of scale, is zw_colloc_leftover: zero if there is such a family. */
void zw_colloc_keep_last(zw_colloc *c, bool keep);
zw_status zw_colloc_find_family(zw_colloc *c, int k, double *singular, zw_error *err);
/* After zw_colloc_find_family at the orbit: from now on the member is held on which the integrals
 * have the values of a state (nx) next to its beginning, and which begins there. ZW_RETRY: they do
 * not tell members apart. */
zw_status zw_colloc_hold(zw_colloc *c, const double *state, zw_error *err);
double zw_colloc_leftover(const zw_colloc *c);

/* Multipliers of the orbit x at a, from the matrices of its intervals; options may be NULL, of them
 * `margin` counts. Errors are estimated: those of the mesh from the highest derivatives, those of
 * rounding, and how far the trivial multiplier is off. Small multipliers have the relative accuracy
 * that the mesh gives them: where it is none, their error is as large as they are. What was
 * factored for the problem is lost. */
zw_status zw_colloc_multipliers(zw_colloc *c, const double *x, double a,
                                const zw_floquet_options *options, zw_floquet *out, zw_error *err);

/* The multipliers alone, as many as n tells (room for nx), the largest first. From the last
 * factors, those of the place where the problem was factored last: they are as wrong as the orbit
 * was there, by some multiple of the last correction; or factored `anew` at x and a. Where there
 * are constraints, or orbits grow by much on their way, they are found as above. */
zw_status zw_colloc_spectrum(zw_colloc *c, const double *x, double a, bool anew, int *n, double *re,
                             double *im, zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* Normal forms of periodic orbits at their bifurcations. The map of a section across the orbit (of
 * a driven system: over a period) has, on the manifold of its critical multiplier mu, in a
 * coordinate xi or z of it
 *
 *     fold                mu = 1                xi -> xi + b xi^2 + ...
 *     period doubling     mu = -1               xi -> -xi + c xi^3 + ...                     c > 0: orbits of twice the period are stable (supercritical)
 *     Neimark-Sacker      mu = e^(i theta)      z -> z e^(i theta) (1 + d |z|^2) + ...       Re d < 0: the torus is stable (supercritical)
 *
 * as far as all other multipliers are within the unit circle; a disturbance is xi q, or z q + its
 * conjugate. Behind a period doubling, where mu = -(1 + alpha), the orbits of twice the period are
 * at xi^2 = alpha/c; behind a Neimark-Sacker point, where |mu| = 1 + alpha, the torus is at |z|^2 =
 * -alpha/Re d.
 *
 * Yu. A. Kuznetsov, Elements of Applied Bifurcation Theory (2004), sections 4.5, 4.7, 5.4; Yu. A.
 * Kuznetsov, W. Govaerts, E. J. Doedel, A. Dhooge, SIAM J. Numer. Anal. 43 (2005) 1407-1435. */

/* Of the orbit x at a, at which a multiplier is critical; judged: with its error. q_re, q_im (nx,
 * may be NULL): the disturbance at the beginning of the orbit. Its mean square over the orbit,
 * across the motion, is 1 in the sizes of the state. The kernel needs ZW_FN_SECOND and ZW_FN_THIRD
 * beside what collocation needs. ZW_E_DOMAIN: no multiplier is near the one that was said, or
 * others are so near that there is no such normal form. */
zw_status zw_cycle_normal_find(zw_cycle_normal *out, zw_colloc *c, const double *x, double a,
                               zw_cycle_kind kind, bool judged, double *q_re, double *q_im,
                               zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* Connecting orbits: motions that leave one steady motion x_1 and end at another one, x_2, or at
 * the same again (*homoclinic*), be it with angles some turns further. They exist at single values
 * of a parameter a alone if as many directions leave x_2 as leave x_1: then
 *
 *     x(t) in the unstable manifold of x_1 and in the stable one of x_2       is one condition on a.
 *
 * Where one direction leaves x_1, its unstable manifold is one motion to each side. Started close
 * to x_1 along the eigenvector v it comes near x_2, or not, and leaves it along the eigenvector
 * there to one side or the other: the side, sign of l.(x - x_2) with the left eigenvector l,
 * changes at the connection, and bisection finds it (zw_connection_shoot). Where one direction
 * leads into x_2, the same is done backwards in time.
 *
 * As a boundary value problem on [0, T] (zw_connection_solve, zw_connection_problem), with P_u(a)
 * the projectors onto the unstable eigenspaces,
 *
 *     x' = f(x, a),    (1 - P_u1)(x(0) - x_1) = 0,   |x(0) - x_1| = d_1,    P_u2 (x(T) - x_2) = 0,   |x(T) - x_2| = d_2,
 *
 * for x, T and a, by collocation; x_1, x_2 and the projectors follow a. Its error falls faster than
 * the squares of d_1 and d_2. With a second parameter b it is a curve in the plane (a, b) for
 * zw_continue.
 *
 * W.-J. Beyn, IMA J. Numer. Anal. 10 (1990) 379-405; A. R. Champneys, Yu. A. Kuznetsov, B.
 * Sandstede, Int. J. Bifurcation Chaos 6 (1996) 867-887. */

typedef struct zw_connection zw_connection;

/* The parameters p (np) at values (a, b). */
typedef zw_status (*zw_connection_set)(void *user, const double value[2], double *p, zw_error *err);

typedef struct zw_connection_options {
    size_t size;         /* of this struct, for the library */
    const double *turn;  /* nx: x_2 is x_1 moved by this; NULL: it is x_1 */
    const double *other; /* nx: x_2 is another steady motion near this one; NULL: it is not */
    double unit[2];      /* sizes of a and b: 1 */
    double launch;       /* distance from the steady motion in the sizes of the state: 1e-6 */
    double distance; /* d_1, and d_2 if the motion comes as near, of the size of the orbit: 1e-5 */
    double time;     /* s: how long a motion is followed; 0: as the eigenvalues say */
    double accuracy; /* of the steps in time: 1e-11 */
    int stages;      /* of collocation, 2 to 7: 4 */
    int intervals_max; /* 600 */
    double tolerance;  /* of the orbit between nodes, of its size: 1e-9 */
    /* direction of shooting where both are possible: 1 forwards, -1 backwards in time; 0: to the
     * end that is approached faster than left */
    int way;
} zw_connection_options;
void zw_connection_options_init(zw_connection_options *options, size_t size);
static inline zw_connection_options zw_connection_options_default(void) {
    zw_connection_options o;
    zw_connection_options_init(&o, sizeof o);
    return o;
}

/* A steady motion at an end. */
typedef struct zw_saddle {
    int n;                 /* dimensions of its linear equations */
    const double *x;       /* nx */
    const double *re, *im; /* n */
    int unstable, stable;  /* eigenvalues that grow and that decay: together n, or it is none */
    int slow_unstable,
        slow_stable; /* those nearest to the imaginary axis, of each kind; -1: none */
    double quantity; /* the sum of their real parts */
} zw_saddle;

/* About the steady motion near x (nx), at values (a, b). scale (nx): sizes of the state. Flow and
 * symmetries must outlive it; the kernel needs what zw_linearise needs. */
zw_status zw_connection_create(zw_connection **out, zw_flow *flow, const zw_symmetries *s,
                               const double *scale, const double *x, const double value[2],
                               const zw_connection_options *options, zw_connection_set set,
                               void *user, zw_error *err);
void zw_connection_destroy(zw_connection *c);

/* The steady motions at values near those asked for before; they stay the present ones.
 * ZW_E_NUMERIC: there is none; ZW_E_DOMAIN: it is not hyperbolic. */
zw_status zw_connection_move(zw_connection *c, const double value[2], zw_error *err);
/* Where they are: (a, b). */
const double *zw_connection_at(const zw_connection *c);
/* End 0 or 1. */
zw_saddle zw_connection_saddle(const zw_connection *c, int end);
/* The way to shoot: 1 forwards, -1 backwards in time (where both are open the same for all values),
 * 0: neither, since more than one direction leaves x_1 and leads into x_2. */
int zw_connection_way(const zw_connection *c);

/* Are both directions of time possible? */
bool zw_connection_has_both_ways(const zw_connection *c);
/* The state (nx) at a distance from end 0 along the eigenvector that leaves it, to side 1 or -1.
 * false: more than one does. */
bool zw_connection_leave(const zw_connection *c, int side, double distance, double *x);
/* The side, 1 or -1, on which the present solution leaves (way 1) or comes in (-1); 0: along
 * several eigenvectors. */
int zw_connection_side(const zw_connection *c);

/* From one end to side 1 or -1 of its eigenvector. ZW_E_DOMAIN where zw_connection_way is 0. */
zw_status zw_connection_shoot(zw_connection *c, const double value[2], int side, zw_splitting *out,
                              zw_error *err);

zw_status zw_connection_solve(zw_connection *c, double value[2], int side, zw_connection_info *info,
                              zw_error *err);

/* A periodic orbit: its states (nx) at parts of its period from 0 to 1, n + 1 places between which
 * it is smooth. After a period it is further by the turn of the options. */
typedef struct zw_connection_orbit {
    double period; /* s */
    int n;
    const double *tau;
    void (*at)(void *user, double tau, double *x);
    void *user;
} zw_connection_orbit;
/* The same from an orbit of long period at about these values, cut where it is nearest to the
 * steady motion; of a homoclinic orbit. */
zw_status zw_connection_solve_orbit(zw_connection *c, double value[2],
                                    const zw_connection_orbit *orbit, zw_connection_info *info,
                                    zw_error *err);

/* After zw_connection_solve: the equations for zw_continue, along b; x has n numbers
 * (zw_connection_solution). The one test function is the saddle quantity. */
zw_cont_problem zw_connection_problem(zw_connection *c);
const double *zw_connection_solution(const zw_connection *c);
/* a and T of x. */
double zw_connection_value(const zw_connection *c, const double *x);
double zw_connection_time(const zw_connection *c, const double *x);
/* x becomes the present solution, at b; the mesh follows it, and tangent (n + 1, may be NULL) with
 * it: it has room for zw_connection_room numbers. */
zw_status zw_connection_renew(zw_connection *c, const double *x, double b, double *tangent,
                              zw_error *err);
int zw_connection_room(const zw_connection *c);
/* The state (nx) of the present solution at a part tau of T, 0 to 1. */
void zw_connection_state(const zw_connection *c, double tau, double *state);

/* ------------------------------------------------------------------------------------------ */

/* Hybrid orbits: periodic motions that events part into segments, each with equations of its own.
 * Segment k begins at t_k in the state z_k = (x_k, m_k), m the numbers that events set and that
 * stay as they are between them (memory), and takes the time tau_k; phi_k is the motion of its
 * equations, whatever its events would do. With the event function sigma_k that ends it and what
 * the event does, R_k,
 *
 *     sigma_k(t_k+1, phi_k, m_k) = 0,         z_k+1 = R_k(t_k+1, phi_k, m_k),         t_k+1 = t_k + tau_k,
 *
 * the last one leading back to the first: z_0 = S (R - w), S = -1 where a unit quaternion comes
 * back with the other sign, w the turns of angles. Unknown are all z_k and tau_k; of a driven
 * system t_0 as well, and the tau_k add up to the period P(a). A driven orbit without events has
 * segments of equal length: usually one, and two where its period has doubled. The equations stay
 * smooth where events meet surfaces tangentially (grazing): there an orbit ends that the functions
 * below call one.
 *
 * phi is differentiated by the linear equations along it, exactly, also in parameters and through
 * jumps of the rates (motion/segments/periodic.h); sigma and R, which are algebra, by central differences of
 * sixth order. A disturbance passes an event by the saltation matrix
 *
 *     R_x + (f+ - R_x f- - R_t) sigma_x / (sigma_t + sigma_x f-),
 *
 * and Floquet's multipliers are those of the product over all segments.
 *
 * H. Dankowicz, F. Schilder, Recipes for Continuation (2013), ch. 9 (multi-segment boundary value
 * problems); R. I. Leine, H. Nijmeijer, Dynamics and Bifurcations of Non-Smooth Mechanical Systems
 * (2004), ch. 7; M. di Bernardo et al., Piecewise-smooth Dynamical Systems (2008). */

typedef struct zw_segmented zw_segmented;

/* Whoever knows the equations. Stages are sets of them; events are numbered as in their kernels,
 * which have all the same sizes nx, nevt, np, and derivatives in parameters: of the memory, then of
 * the number a. */
typedef struct zw_segmented_owner {
    void *self;
    int nx, nmemory;
    bool follows; /* there is a number a that is gone along */
    zw_run *(*run)(void *self, int stage);
    zw_flow *(*flow)(void *self, int stage);
    /* All parameters (np) at a memory and a value (NaN without one). */
    zw_status (*parameters)(void *self, const double *memory, double a, double *p, zw_error *err);
    /* Of the drive, with its slope in a. NULL: the system is autonomous. */
    zw_status (*period)(void *self, double a, double *period, double *slope, zw_error *err);
    /* sigma of the event that ends a segment. */
    zw_status (*event)(void *self, int stage, int event, double t, const double *x,
                       const double *memory, double a, double *sigma, zw_error *err);
    /* What it does at the end of a segment: state and memory behind it, in stage `next`. */
    zw_status (*jump)(void *self, int segment, int stage, int event, int next, double t,
                      const double *x, const double *memory, double a, double *x_behind,
                      double *memory_behind, zw_error *err);
    /* Event functions (nwatch) whose zeros act, all that the segment must not meet. NULL: none */
    zw_status (*watch)(void *self, int stage, double t, const double *x, double *value,
                       zw_error *err);
    int nwatch;
    /* the first so many of these functions may pass zero the other way; the others are positive all
     * along the segments, but where an event has left one at zero */
    int nloose;
    /* How far the event is from doing something else (a contact that slides in an impact sticks),
     * positive; NaN: it always does the same. May be NULL */
    zw_status (*slack)(void *self, int segment, int stage, int event, int next, double t,
                       const double *x, const double *memory, double a, double *slack,
                       zw_error *err);
} zw_segmented_owner;

typedef struct zw_segmented_segment {
    int stage;
    int event;     /* that ends it; -1: the period is over */
    int direction; /* in which sigma passes zero there: -1, 1 */
} zw_segmented_segment;

typedef struct zw_segmented_options {
    size_t size;  /* of this struct, for the library */
    int nsegment; /* 1 at least */
    const zw_segmented_segment *segment;
    const double *scale;        /* nx: sizes of the entries of the state; NULL: 1 */
    const double *memory_scale; /* nmemory; NULL: 1 */
    const bool *essential;      /* nx: entries that must come back; others drift. NULL: all */
    const double *sign;         /* nx: the diagonal of S; NULL: all 1 */
    const double *turn;         /* nx: w; NULL: all 0 */
    double duration;            /* s: about that of the orbit */
    double unit;                /* of a in the arclength: 1 */
} zw_segmented_options;
void zw_segmented_options_init(zw_segmented_options *options, size_t size);
static inline zw_segmented_options zw_segmented_options_default(void) {
    zw_segmented_options o;
    zw_segmented_options_init(&o, sizeof o);
    return o;
}

/* The owner's functions must live as long. */
zw_status zw_segmented_create(zw_segmented **out, const zw_segmented_owner *owner,
                              const zw_segmented_options *options, const zw_allocator *alloc,
                              zw_error *err);
void zw_segmented_destroy(zw_segmented *h);

/* Its equations for zw_continue and zw_cont_correct. Of every segment x (nx), memory, tau; behind
 * all of them t_0 of a driven system with events. */
zw_cont_problem zw_segmented_problem(zw_segmented *h);
/* Where things are in the unknowns. */
double *zw_segmented_state(const zw_segmented *h, double *unknown, int segment);
double *zw_segmented_memory(const zw_segmented *h, double *unknown, int segment);
double *zw_segmented_duration(const zw_segmented *h, double *unknown, int segment);
/* Of a driven system with events; else NULL. */
double *zw_segmented_start(const zw_segmented *h, double *unknown);
/* The sum of all durations. */
double zw_segmented_period(const zw_segmented *h, const double *unknown);
/* Ignorable entries of the first state stay where this one has them. */
void zw_segmented_refer(zw_segmented *h, const double *unknown);

/* What the owner answers has changed: nothing of what was found counts any more. */
void zw_segmented_renew(zw_segmented *h);

/* Multipliers of the orbit. */
zw_status zw_segmented_multipliers(zw_segmented *h, const double *unknown, double a,
                                   zw_floquet *out, zw_error *err);

/* The normal form (motion/segments/periodic.h) of the map of events at a fold or a period doubling: xi counts
 * disturbances of size 1 behind the event at which the orbit begins, in the sizes of its state, of
 * a driven one with the time of the event in parts of the duration by 2 pi. By differences of two
 * steps; error: by how much they disagree. q (nx, may be NULL): the disturbance of the state.
 * ZW_E_DOMAIN: no single multiplier is critical; ZW_E_NUMERIC: events beside the orbit are
 * others. */
zw_status zw_segmented_normal(zw_segmented *h, const double *unknown, double a, zw_cycle_kind kind,
                              zw_cycle_normal *out, double *q, zw_error *err);

zw_status zw_segmented_margin(zw_segmented *h, const double *unknown, double a,
                              zw_segmented_margins *out, zw_error *err);

/* What the quantities of the kernel do over the period: mean, rms, max, min, coefficients, as of
 * zw_shooting (clear with zw_shooting_clear); without what a period adds to them (turns, drifts),
 * times the part of the period that has passed, which is in `drift`, here of all quantities. */
zw_status zw_segmented_measure(zw_segmented *h, const double *unknown, double a, int harmonics,
                               zw_shooting *out, zw_error *err);
/* The state and stage at a time of the period, t_0 <= t <= t_0 + P; memory may be NULL. */
zw_status zw_segmented_state_at(zw_segmented *h, const double *unknown, double a, double t,
                                double *x, double *memory, int *stage, zw_error *err);

/* The motion in intervals that polynomials represent: the state at the beginning of each and the
 * rates (stages x nx) at its points of Gauss make one that misses the motion by no more than the
 * tolerance, of the scales, or by *rough (may be NULL) where no interval was short enough. Told in
 * their order; none spans two segments, or the time `cut` (NaN: none). */
typedef zw_status (*zw_segmented_interval)(void *user, int segment, double t0, double t1,
                                           const double *x, const double *rate, zw_error *err);
zw_status zw_segmented_intervals(zw_segmented *h, const double *unknown, double a, int stages,
                                 double tolerance, double cut, zw_segmented_interval take,
                                 void *user, double *rough, zw_error *err);

#endif
