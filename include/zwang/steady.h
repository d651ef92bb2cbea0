/* SPDX-License-Identifier: MIT */
/* Implemented in src/motion/steady. */
/* Steady motions: those that look the same at all times to an observer who moves along with a
 * symmetry.
 *
 * A field X(t, x) is a symmetry of the motion x' = f(t, x) on the manifold g = 0 if it commutes
 * with it,
 *
 *     Df X - DX f - dX/dt = 0,     Dg X = 0      (with time: (1, X) and (1, f) in the space of (t, x)),
 *
 * so that its own flow carries motions into motions. A motion is steady if
 *
 *     f(t, x) = X_0 + sum_i c_i X_i(x),     g(t, x) = 0:                                               (1)
 *
 * equilibria (all c = 0), a disc that rolls in a circle, a top that precesses, in whatever
 * coordinates. X_0 is there where something moves as a given function of time: the symmetry that
 * goes along with it, d/dt + X_0. */
#ifndef ZWANG_STEADY_H
#define ZWANG_STEADY_H

#include "flow.h"
#include "motion.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The symmetries among the combinations of the kernel's fields. */
typedef struct zw_symmetries {
    int n, nfield;
    double *combination; /* n x nfield: X_i = sum_j combination[i][j] field_j, in echelon form */
    double *driven;      /* nfield: X_0 */
    bool autonomous;     /* nothing depends on time, so X_0 = 0 */
    const bool *own;     /* n: X_i turns bodies about axes of their own and does nothing else */
    /* n: an equation changes along X_i, but by too little compared with its other terms */
    const bool *lost;
    bool still;         /* there is an X_0, or need not be one; otherwise no motion can be steady */
    double zero, other; /* how far the numbers that were taken for zero were from the others */
    struct zw_symmetries_memory *memory; /* private */
} zw_symmetries;

/* Found at random states about x (nx) at time t, with scale (nx) the size of the entries. The
 * kernel needs ZW_FN_JAC, ZW_FN_GRAD, ZW_FN_TIME, ZW_FN_FIELD, ZW_FN_FIELD_FIRST. They hold for the
 * parameter values of the flow. */
ZW_API zw_status zw_symmetries_find(zw_symmetries *out, zw_flow *flow, double t, const double *x,
                                    const double *scale, zw_error *err);
ZW_API void zw_symmetries_clear(zw_symmetries *s);
/* X_0 (nx, may be NULL) and X (n x nx) at a state. */
ZW_API zw_status zw_symmetries_at(const zw_symmetries *s, zw_flow *flow, double t, const double *x,
                                  double *X_0, double *X, zw_error *err);
/* Df - DX_0 - sum_i c_i DX_i (nx x nx): what a disturbance obeys, seen by who moves along. */
ZW_API zw_status zw_symmetries_operator(const zw_symmetries *s, zw_flow *flow, double t,
                                        const double *x, const double *c, double *J, zw_error *err);

/* The velocities (n x nv) that the symmetries are at a state, and their momenta (n), either of
 * which may be NULL; known[i] (n) is false where a symmetry is no motion of the masses. The
 * kernel's velocities must be those of its mass matrix. */
ZW_API zw_status zw_symmetries_momenta(const zw_symmetries *s, zw_flow *flow, double t,
                                       const double *x, double *velocity, double *momentum,
                                       bool *known, zw_error *err);

/* A quantity that is to have a value: an entry of x, or an observable of the kernel. */
typedef struct zw_hold {
    bool observable;
    int index;
    double value;
} zw_hold;

/* What stays unmet where no steady motion was found. */
typedef enum zw_unmet { ZW_UNMET_NOTHING, ZW_UNMET_RATE, ZW_UNMET_HOLD } zw_unmet;

typedef struct zw_steady {
    double t;
    double *x, *c, *z; /* nx, n of the symmetries, nz: accelerations and multipliers */
    int iterations;
    /* combinations of the symmetries that do not move this state, so that c is not unique: it is
     * the least on those that are not `own` */
    int nfixed;
    double residual; /* of (1), relative to the sizes of its terms */
    bool degenerate; /* the steps did not shrink as they do at a simple solution */
    zw_unmet unmet;  /* if it failed: the worst of what is unmet, */
    int unmet_index; /* which one: of x, of the holds, */
    double unmet_by; /* and by how much, in its own units */
    const double
        *scale; /* nx: that of the problem which it solves; NULL if nobody has said what is small */
} zw_steady;

/* Typical sizes of all entries of x (nx) from those of the coordinates (width, nq) and the rates of
 * the motion about x: what the functions of this header call scale. */
ZW_API zw_status zw_steady_scale(zw_flow *flow, double t, const double *x, const double *width,
                                 double *scale, zw_error *err);

/* Find one near the state in out->x (nx), out->t, with room for c and z there; holds may be NULL.
 * The kernel needs ZW_FN_JAC, ZW_FN_GRAD, ZW_FN_FIELD, ZW_FN_FIELD_FIRST, and ZW_FN_OBS_JAC where
 * observables are held. ZW_E_NUMERIC: none was found, out has the best state and says what is unmet
 * there. */
ZW_API zw_status zw_steady_find(zw_steady *out, zw_flow *flow, const zw_symmetries *s,
                                const double *scale, int nhold, const zw_hold *hold, zw_error *err);

/* All that may be asked of it. */
typedef struct zw_steady_problem {
    const double *scale; /* nx */
    int nhold;
    const zw_hold *hold;       /* may be NULL */
    int nfree;                 /* parameters that are solved for */
    const int *column;         /* nfree: their numbers among the kernel's chosen ones */
    double *value;             /* nfree: where they begin, and where they end */
    const double *value_scale; /* nfree: their sizes */
    /* gives them to the flow, with all that follows from them */
    zw_status (*set)(void *user, const double *value, zw_error *err);
    void *user;
} zw_steady_problem;
/* As zw_steady_find; with nfree the kernel needs ZW_FN_JAC_P, and ZW_FN_OBS_P where observables are
 * held. The symmetries are taken to be those of all values: who lets parameters change asks for
 * them again. */
ZW_API zw_status zw_steady_solve(zw_steady *out, zw_flow *flow, const zw_symmetries *s,
                                 const zw_steady_problem *problem, zw_error *err);
/* The directions N (nx x n, room for nx x nx) in which the solutions of a problem go on from one of
 * them: orbits of symmetries and families, as long as no branches meet there. Orthonormal in the
 * units of scale. */
ZW_API zw_status zw_steady_neighbours(zw_flow *flow, const zw_symmetries *s,
                                      const zw_steady_problem *problem, const zw_steady *at, int *n,
                                      double *N, zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* Small disturbances of a steady motion, exactly: at f = X_0 + sum_i c_i X_i the field f - X_0 -
 * sum_i c_i X_i vanishes and is tangent to the manifold S of the constraints, so that with J its
 * derivative (zw_symmetries_operator)
 *
 *     y' = A y,    A = D J T,    T a basis of the tangent space, D T = 1,
 *
 * without derivatives of T. This holds for holonomic and nonholonomic constraints, redundant ones,
 * quaternions, states. What is moved along the orbits of the symmetries is the same motion
 * elsewhere; these directions are divided out, and what they have of eigenvalues (0, or +-i Omega
 * of shifts seen while turning) is distinguished. */

typedef struct zw_linearisation {
    int nx;
    int dimension;               /* of S */
    int norbit;                  /* directions of the orbits here: the rank of the symmetries */
    int n;                       /* dimension - norbit */
    double *T;                   /* nx x n: states of the disturbances y */
    double *D;                   /* n x nx: y of a disturbance of the state */
    double *A;                   /* n x n */
    double *re, *im;             /* n eigenvalues */
    double *mode_re, *mode_im;   /* nx x n: eigenvectors as disturbances of the state, in columns */
    double *condition;           /* n: by which an error of A moves the eigenvalue */
    double *orbit_re, *orbit_im; /* norbit eigenvalues of the directions divided out */
    /* dimension of ker A: neighbouring steady motions, if there are no branches here */
    int nfamily;
    /* eigenvalues that are zero; more than nfamily: some grow with time by powers of it */
    int nzero;
    /* what of J T leaves the tangent space, and what mixes orbits into the rest: rounding, */
    double leak;
    double mix;                             /* if the motion is steady and on S */
    struct zw_linearisation_memory *memory; /* private */
    /* all of the tangent space: x = T y + orbit_T a with y' = A y, a' = drift y + orbit_A a */
    double *J;       /* nx x nx: zw_symmetries_operator */
    double *orbit_T; /* nx x norbit */
    double *orbit_D; /* norbit x nx: a of a disturbance of the state */
    double *drift;   /* norbit x n */
    double *orbit_A; /* norbit x norbit */
} zw_linearisation;

/* At a steady motion of zw_steady_find. The kernel needs what that needs. */
ZW_API zw_status zw_linearise(zw_linearisation *out, zw_flow *flow, const zw_symmetries *s,
                              const zw_steady *at, zw_error *err);
/* Are the nfamily zeros neighbouring steady motions? If not, solutions meet or branch here. */
ZW_API zw_status zw_steady_is_family(zw_flow *flow, const zw_symmetries *s, const zw_steady *at,
                                     const zw_linearisation *a, const double *scale, bool *family,
                                     zw_error *err);
ZW_API void zw_linearisation_clear(zw_linearisation *a);

/* How the potential bends about an equilibrium at rest, within the constraints: the signs of its
 * second derivative. */
typedef struct zw_curvature {
    /* there are as many velocities as positions, and their linear forces have a potential */
    bool known;
    int up, down, flat; /* directions, orbits of symmetries among the flat ones */
} zw_curvature;
ZW_API zw_status zw_steady_curvature(zw_flow *flow, const zw_steady *at, zw_curvature *out,
                                     zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* All steady motions that many starts lead to, each once.
 *
 * The starts fill a box of some entries of the state evenly (a low-discrepancy sequence, the same
 * on every machine); the others begin where they are. Two solutions are the same if the
 * displacements of the symmetries, turns of angles by their period and the two signs of a
 * quaternion carry one into the other; and those that a way through steady motions joins are one
 * family. A search is no proof: what no start leads to is not found. */

/* Where x[index] starts. */
typedef struct zw_search_box {
    int index;
    double low, high;
} zw_search_box;

typedef struct zw_search_options {
    double t;        /* s */
    const double *x; /* nx: the start, for what has no box; solutions are reported near it */
    int nbox;
    const zw_search_box *box;
    int starts;
    /* goes on up to this many starts, while a solution in the box was found by one start only or in
     * their second half: there are probably more; below starts: it does not */
    int most;
    int nfrom;            /* the first starts are at these states */
    const double *from;   /* nfrom x nx */
    const double *period; /* nx, of zw_search_periods; NULL: none */
    /* Called before every start with the part that is done; true ends the search with what is
     * there. May be NULL. */
    bool (*stop)(void *user, double done);
    void *stop_user;
} zw_search_options;

typedef struct zw_search_entry {
    zw_steady motion; /* of a family, the member nearest to the start */
    double *value;    /* nfree of the problem */
    int norbit;       /* dimension of its orbit under the symmetries, */
    int nfamily;      /* and of its family besides that, among what is held: 0: it stands alone */
    int starts;       /* that led to it or to its family */
    int first;        /* the number of the first of them, from 1 */
    int nmember;      /* different members that were found; 1 without a family */
    double *member;   /* nmember x nx */
} zw_search_entry;

typedef struct zw_search {
    int n;
    zw_search_entry *entry; /* in the order in which they were found */
    bool stopped;           /* by the caller, before all starts */
    int starts;             /* in all, */
    int found;              /* those that led to one, */
    int off;                /* and those that could not be brought onto the constraints */
    int last;               /* the start that found the last entry */
    bool last_found;        /* the last start led to a solution */
    /* entries in the box that one start has found: while there are some, there are probably more */
    int once;
    zw_steady best;                  /* of the starts that led nowhere, the one that misses least */
    zw_error trouble;                /* what the last of them said; status 0: there was none */
    struct zw_search_memory *memory; /* private */
} zw_search;

/* The kernel needs what zw_steady_solve needs. Finding nothing is no failure: n is 0 then. */
ZW_API zw_status zw_search_run(zw_search *out, zw_flow *flow, const zw_symmetries *s,
                               const zw_steady_problem *problem, const zw_search_options *options,
                               zw_error *err);
ZW_API void zw_search_clear(zw_search *s);

/* Is a shift of x[i] by period[i] (nx; 0: not asked) without effect on rates and constraints? Where
 * it is not, at some random states about x, period[i] becomes 0. */
ZW_API zw_status zw_search_periods(zw_flow *flow, double t, const double *x, const double *scale,
                                   double *period, zw_error *err);

/* Entry j of point n = 0, 1, ... of a sequence that fills the cube [0, 1)^d evenly, in any number
 * of dimensions. */
ZW_API double zw_search_point(int j, int n);

/* ------------------------------------------------------------------------------------------ */

/* A steady motion followed over one number: a parameter of the flow, or a quantity that is held.
 *
 *     f(x; p(a)) = X_0 + sum_i c_i X_i(x),    g(x; p(a)) = 0,    held(x) = h(a),       a from one value to another
 *
 * by natural continuation: a prediction along the tangent dx/da, a correction by zw_steady_find,
 * steps as long as the motion in the middle of each lies on the cubic through its ends. It never
 * goes over to another branch: where the motion turns back (a fold), ends, or cannot be
 * distinguished from another one, the way ends with the value where.
 *
 * Symmetries are those of a value in between, found anew at every value if they depend on it (a
 * drive that turns with a). */

typedef struct zw_follow zw_follow;

/* All parameters p (np) and the values of all that is held (nhold) at a value; both come with what
 * they were before. */
typedef zw_status (*zw_follow_set)(void *user, double value, double *p, double *held,
                                   zw_error *err);

typedef struct zw_follow_options {
    size_t size;     /* of this struct, for the library */
    double from, to; /* the values; zw_follow_to may be asked for all between them, in any order */
    int nhold;       /* what is held, */
    const zw_hold *hold; /* with the values that it has if `set` leaves them */
    zw_follow_set set;
    void *user;
    double step_max; /* largest step as a part of the range, 0.2 */
    double step_min; /* smallest one, 1e-7 */
} zw_follow_options;
ZW_API void zw_follow_options_init(zw_follow_options *options, size_t size);
static inline zw_follow_options zw_follow_options_default(void) {
    zw_follow_options o;
    zw_follow_options_init(&o, sizeof o);
    return o;
}

typedef enum zw_follow_end {
    ZW_FOLLOW_GOES_ON, /* nothing has ended */
    ZW_FOLLOW_FOLD,    /* the motion turns back: there is none beyond the value, near by */
    ZW_FOLLOW_LOST     /* no steady motion that continues it was found, or more than one */
} zw_follow_end;

typedef struct zw_follow_info {
    int steps, rejected;
    zw_follow_end end;
    double end_value;  /* where it ended; a fold is located better than the steps are small */
    double end_beyond; /* a value at which it failed, next to it */
    bool vary;         /* the symmetries depend on the value, but are as many everywhere */
    int nsymmetry;     /* on the way, */
    int nsymmetry_from, nsymmetry_to; /* and at its ends, where there may be more */
} zw_follow_info;

/* The flow, scale (nx) and what the options point to must outlive it; the flow's parameters follow
 * the value. x (nx): about where symmetries are looked for. */
ZW_API zw_status zw_follow_create(zw_follow **out, zw_flow *flow, double t, const double *x,
                                  const double *scale, const zw_follow_options *options,
                                  zw_error *err);
ZW_API void zw_follow_destroy(zw_follow *f);
/* The steady motion at a value, near the state x (nx). ZW_E_NUMERIC: none was found,
 * zw_follow_motion tells what is unmet. */
ZW_API zw_status zw_follow_begin(zw_follow *f, double value, const double *x, zw_error *err);
/* Go on to a value, which may lie on either side, or between values where it was: then it takes one
 * correction. ZW_E_NUMERIC: the way ends before it (zw_follow_information), and the motion is the
 * last on it. */
ZW_API zw_status zw_follow_to(zw_follow *f, double value, zw_error *err);

ZW_API const zw_steady *zw_follow_motion(const zw_follow *f);
ZW_API double zw_follow_value(const zw_follow *f);
/* dx/da there (nx). */
ZW_API const double *zw_follow_slope(const zw_follow *f);
ZW_API const zw_symmetries *zw_follow_symmetries(const zw_follow *f);
/* With their values there, and how many there are. */
ZW_API const zw_hold *zw_follow_holds(const zw_follow *f, int *n);
ZW_API zw_follow_info zw_follow_information(const zw_follow *f);
ZW_API zw_flow *zw_follow_flow(const zw_follow *f);
/* Typical sizes of the entries of the state (nx), as given. */
ZW_API const double *zw_follow_scale(const zw_follow *f);
/* How many numbers are free where the motion is: the dimension of the family of neighbouring steady
 * motions that fulfil what is held, moved along the symmetries or not. 0: nothing is left open.
 * direction (nx, may be NULL): one of them, in the state. Where branches meet there are more. */
ZW_API zw_status zw_follow_freedom(zw_follow *f, int *nfree, double *direction, zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* Curves of steady motions (zwang/steady.h) in their arclength, through folds, and curves of their
 * marks in two parameters a and b.
 *
 * On the way along a, at fixed b, these are located:
 *
 *     fold           the motion turns back in a
 *     branch point   another curve of steady motions crosses
 *     Hopf point     a pair of eigenvalues lies on the imaginary axis: cycles are born
 *     shrinks        the motion along a symmetry has shrunk to a state that this symmetry leaves as
 *                    it is, as cycles of a turning system do: beyond it are
 *                    its own images, and the curve ends
 *
 * Folds and Hopf points go on as curves in the plane of a and b, and on these are points where more
 * happens at once:
 *
 *     cusp                two curves of folds meet                  (quadratic term of the fold is zero)
 *     Bogdanov-Takens     a second eigenvalue is zero at a fold, the frequency at a Hopf point
 *     generalised Hopf    the cubic term of the Hopf point is zero
 *     zero-Hopf           a pair on the axis at a fold, a zero at a Hopf point
 *     double Hopf         two pairs on the axis
 *
 * (Y. A. Kuznetsov, Elements of Applied Bifurcation Theory, chapter 8; W. Govaerts, Numerical
 * Methods for Bifurcations of Dynamical Equilibria, 2000.) All of it on the manifold of the
 * constraints, modulo the displacements of the symmetries, with what is held. */

typedef struct zw_steady_curve zw_steady_curve;

typedef enum zw_steady_kind {
    ZW_STEADY_POINT,
    ZW_STEADY_END, /* the last point towards a bound */
    ZW_STEADY_FOLD,
    ZW_STEADY_HOPF,
    ZW_STEADY_BRANCH,
    ZW_STEADY_CUSP,
    ZW_STEADY_BOGDANOV_TAKENS,
    ZW_STEADY_GENERALISED_HOPF,
    ZW_STEADY_ZERO_HOPF,
    ZW_STEADY_DOUBLE_HOPF,
    ZW_STEADY_SHRINKS
} zw_steady_kind;

typedef struct zw_steady_point {
    zw_steady_kind kind;
    double a, b, s;
    const zw_steady *motion;
    const zw_symmetries *symmetries;
    /* nx + nc + 1: dx/ds, dc/ds, da/ds; of a curve of marks nx + nc + 2, with db/ds. Of what who
     * goes on along it needs. */
    const double *tangent;
    int n;                 /* eigenvalues, those divided out that are zero on all of the curve */
    const double *re, *im; /* n */
    double omega;          /* of the pair on the axis; 0: none */
    double cubic;          /* of a curve of Hopf points: its cubic term; NaN: not known */
    /* of a branch point: eigenvalues that are zero there; 2: more than one curve crosses */
    int zeros;
    /* of a branch point: by which it may miss to be one, of the sizes of the rates */
    double imperfection;
} zw_steady_point;
/* Takes a point; ZW_STOPPED: enough. The flow has the parameters of the point. */
typedef zw_status (*zw_steady_take)(void *user, const zw_steady_point *point, zw_error *err);

typedef struct zw_steady_curve_options {
    size_t size; /* of this struct, for the library */
    double t;
    const double *scale; /* nx: sizes of the entries of the state */
    int nhold;
    const zw_hold *hold; /* with the values that they have if `set` leaves them */
    /* All parameters p (np) and what is held (nhold) at two values; both come with what they were
     * before. */
    zw_status (*set)(void *user, double a, double b, double *p, double *held, zw_error *err);
    /* The cubic term of a pair on the axis at i omega, of any size with the right sign; NaN: there
     * is none. May be NULL. */
    zw_status (*cubic)(void *user, const zw_steady *at, const zw_symmetries *s, double omega,
                       double *value, zw_error *err);
    void *user;
    double low, high;     /* the range of a */
    double b_low, b_high; /* of b; the same: there is none */
    double step_max;      /* 0.3, where 1 is a tenth of a range, or the size of the state */
    int points_max;       /* of a curve, 2000 */
    double tolerance;     /* 1e-11 */
} zw_steady_curve_options;
ZW_API void zw_steady_curve_options_init(zw_steady_curve_options *options, size_t size);
static inline zw_steady_curve_options zw_steady_curve_options_default(void) {
    zw_steady_curve_options o;
    zw_steady_curve_options_init(&o, sizeof o);
    return o;
}

/* About the state x (nx) and the values a, b: symmetries are looked for there. What the options
 * point to must outlive it. The kernel needs what zw_steady_find needs. */
ZW_API zw_status zw_steady_curve_create(zw_steady_curve **out, zw_flow *flow, const double *x,
                                        double a, double b, const zw_steady_curve_options *options,
                                        zw_error *err);
ZW_API void zw_steady_curve_destroy(zw_steady_curve *c);
/* From now on the largest step is `part` times that of the options, and the largest number of
 * points grows accordingly. */
ZW_API void zw_steady_curve_shorten(zw_steady_curve *c, double part);
ZW_API const zw_symmetries *zw_steady_curve_symmetries(const zw_steady_curve *c);
/* Of the last curve: how many eigenvalues are zero at all of its points and divided out, and how
 * many pairs of them have the sum zero there, as those of undamped oscillations: they have no Hopf
 * points. */
ZW_API void zw_steady_curve_always(const zw_steady_curve *c, int *zeros, int *neutral);

/* The curve through the steady motion near x at (a, b), towards growing a (direction 1) or falling
 * a (-1). ZW_E_NUMERIC: there is no motion near x. ZW_E_MODEL: there is a family of them, and
 * nothing holds one. */
ZW_API zw_status zw_steady_curve_follow(zw_steady_curve *c, const double *x, double a, double b,
                                        int direction, zw_steady_take take, void *user,
                                        zw_cont_info *info, zw_error *err);
/* The other curve through a branch point: `at` with its tangent, direction 1 or -1 along it. Its
 * first point lies near the branch point. ZW_E_NUMERIC: there is none that could be distinguished
 * from the first. */
ZW_API zw_status zw_steady_curve_switch(zw_steady_curve *c, const zw_steady_point *at,
                                        int direction, zw_steady_take take, void *user,
                                        zw_cont_info *info, zw_error *err);
/* The curve of folds or Hopf points (`at->kind`) through one of them, towards growing b or falling
 * b. Hopf points end where their frequency does. */
ZW_API zw_status zw_steady_curve_marks(zw_steady_curve *c, const zw_steady_point *at, int direction,
                                       zw_steady_take take, void *user, zw_cont_info *info,
                                       zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* A pair of eigenvalues +-i omega of a steady motion, the others off the imaginary axis: does a
 * limit cycle grow out of it, and how? With r the amplitude of a quantity of the state and theta
 * its phase,
 *
 *     r' = sigma r + a r^3,    theta' = omega + b r^2       (and terms of higher order),
 *
 * where sigma is the real part, 0 here and of either sign at neighbouring values of a parameter. a
 * < 0: stable cycles near the unstable motion (supercritical), r = sqrt(-sigma/a), if nothing
 * else grows; a > 0: unstable cycles about the stable one (subcritical). a and b come from exact
 * second and third derivatives of the rates, in the coordinates of the model, with constraints,
 * quaternions and symmetries as they are: head of src/motion/normal_forms/slice_field.h. */

/* A function H(t, x) that may be constant along the motion: its value (order 0) or its derivative
 * along `order` directions d (nx each). */
typedef struct zw_hopf_level {
    zw_status (*along)(void *user, double t, const double *x, int order, const double *const *d,
                       double *value, zw_error *err);
    void *user;
} zw_hopf_level;

typedef struct zw_hopf_options {
    size_t size;    /* of this struct, for the library */
    int eigenvalue; /* of the linearisation, with positive imaginary part; -1: the nearest to the
                            imaginary axis that no level explains */
    const double *scale; /* nx: typical sizes of the entries of the state (zw_steady_scale) */
    int nlevel;          /* zero eigenvalues that these explain are none on a level of constant H */
    const zw_hopf_level *level;
    /* nx: r is the amplitude of measure . (x - x0), which no symmetry may move; NULL: of an entry
     * of x, a coordinate if there is one that is the same for who moves along */
    const double *measure;
    /* 1/s, at which states are drawn to the constraints; no result depends on it; 0: omega */
    double kappa;
} zw_hopf_options;
ZW_API void zw_hopf_options_init(zw_hopf_options *options, size_t size);
static inline zw_hopf_options zw_hopf_options_default(void) {
    zw_hopf_options o;
    zw_hopf_options_init(&o, sizeof o);
    return o;
}

typedef enum zw_hopf_type {
    ZW_HOPF_SUPERCRITICAL,
    ZW_HOPF_SUBCRITICAL,
    /* a is zero to accuracy: terms of fifth order decide, or all amplitudes go on for ever */
    ZW_HOPF_DEGENERATE
} zw_hopf_type;

typedef struct zw_hopf {
    int nx;
    double sigma, omega; /* 1/s, rad/s */
    double a, b;         /* 1/s and rad/s over the square of r */
    /* what rounding and the distance from the imaginary axis may have made of them */
    double a_error, b_error;
    zw_hopf_type type;
    /* of x, whose amplitude r is; -1: of the measure that was given, or of nothing that is at rest
     * under the symmetries: then r is that of the whole state in units of its scale */
    int entry;
    /* nx each: x = x0 + r Re(q e^(i theta)) + r^2 (mean + Re(second e^(2 i theta))) */
    double *q_re, *q_im;
    double *mean;
    double *second_re, *second_im;
    int nused;        /* how many levels count, because they explain a zero or a pair */
    bool *used;       /* nlevel */
    double condition; /* of the pair */
    /* how near 0 or 2 i omega other eigenvalues are, over omega */
    double gap;
    /* r up to which cubic terms are what the rates themselves give, to a fifth, and what follows
     * the oscillation can follow */
    double holds;
    double agrees; /* the best agreement of both, at small r, over the sizes of the terms */
    struct zw_hopf_memory *memory; /* private */
    int eigenvalue; /* of the linearisation: which pair this is, also after a refusal; -1: none */
    int growing;    /* other eigenvalues with positive real part: then no cycle is stable */
    bool moving;    /* r is what who moves along with the symmetries sees; for others entries mix */
} zw_hopf;

/* At a steady motion and its linearisation. The kernel needs ZW_FN_SECOND, ZW_FN_THIRD,
 * ZW_FN_FIELD_SECOND and ZW_FN_FIELD_THIRD besides what those need. ZW_E_DOMAIN: there is no such
 * normal form, err says why: no pair on the axis, another one or a zero near it, a defective
 * pair. ZW_E_DOUBT: the rates are not what their third derivatives say. */
ZW_API zw_status zw_hopf_find(zw_hopf *out, zw_flow *flow, const zw_symmetries *s,
                              const zw_steady *at, const zw_linearisation *a,
                              const zw_hopf_options *options, zw_error *err);
ZW_API void zw_hopf_clear(zw_hopf *h);

#ifdef __cplusplus
}
#endif
#endif
