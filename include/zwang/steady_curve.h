/* SPDX-License-Identifier: MIT */
/* Implemented in src/motion/steady. */
/* Curves of steady motions (zwang/steady.h) in their arclength, through folds, and curves of their marks in two parameters a and b.
 *
 * On the way along a, at fixed b, these are located:
 *
 *     fold           the motion turns back in a
 *     branch point   another curve of steady motions crosses
 *     Hopf point     a pair of eigenvalues lies on the imaginary axis: cycles are born
 *     shrinks        the motion along a symmetry has shrunk to a state that this symmetry leaves as it is, as cycles of a turning system do: beyond it are
 *                    its own images, and the curve ends
 *
 * Folds and Hopf points go on as curves in the plane of a and b, and on these are points where more happens at once:
 *
 *     cusp                two curves of folds meet                  (quadratic term of the fold is zero)
 *     Bogdanov-Takens     a second eigenvalue is zero at a fold, the frequency at a Hopf point
 *     generalised Hopf    the cubic term of the Hopf point is zero
 *     zero-Hopf           a pair on the axis at a fold, a zero at a Hopf point
 *     double Hopf         two pairs on the axis
 *
 * (Y. A. Kuznetsov, Elements of Applied Bifurcation Theory, chapter 8; W. Govaerts, Numerical Methods for Bifurcations of Dynamical Equilibria, 2000.) All
 * of it on the manifold of the constraints, modulo the displacements of the symmetries, with what is held. */
#ifndef ZWANG_STEADY_CURVE_H
#define ZWANG_STEADY_CURVE_H

#include "continuation.h"
#include "linearise.h"

#ifdef __cplusplus
extern "C" {
#endif

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
    /* nx + nc + 1: dx/ds, dc/ds, da/ds; of a curve of marks nx + nc + 2, with db/ds. Of what who goes on along it needs. */
    const double *tangent;
    int n;                 /* eigenvalues, those divided out that are zero on all of the curve */
    const double *re, *im; /* n */
    double omega;          /* of the pair on the axis; 0: none */
    double cubic;          /* of a curve of Hopf points: its cubic term; NaN: not known */
    int zeros; /* of a branch point: eigenvalues that are zero there; 2: more than one curve crosses */
    double
        imperfection; /* of a branch point: by which it may miss to be one, of the sizes of the rates */
} zw_steady_point;
/* Takes a point; ZW_STOPPED: enough. The flow has the parameters of the point. */
typedef zw_status (*zw_steady_take)(void *user, const zw_steady_point *point, zw_error *err);

typedef struct zw_steady_curve_options {
    size_t size; /* of this struct, for the library */
    double t;
    const double *scale; /* nx: sizes of the entries of the state */
    int nhold;
    const zw_hold *hold; /* with the values that they have if `set` leaves them */
    /* All parameters p (np) and what is held (nhold) at two values; both come with what they were before. */
    zw_status (*set)(void *user, double a, double b, double *p, double *held, zw_error *err);
    /* The cubic term of a pair on the axis at i omega, of any size with the right sign; NaN: there is none. May be NULL. */
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

/* About the state x (nx) and the values a, b: symmetries are looked for there. What the options point to must outlive it. The kernel needs what
 * zw_steady_find needs. */
ZW_API zw_status zw_steady_curve_create(zw_steady_curve **out, zw_flow *flow, const double *x,
                                        double a, double b, const zw_steady_curve_options *options,
                                        zw_error *err);
ZW_API void zw_steady_curve_destroy(zw_steady_curve *c);
/* From now on the largest step is `part` times that of the options, and the largest number of points grows accordingly. */
ZW_API void zw_steady_curve_shorten(zw_steady_curve *c, double part);
ZW_API const zw_symmetries *zw_steady_curve_symmetries(const zw_steady_curve *c);
/* Of the last curve: how many eigenvalues are zero at all of its points and divided out, and how many pairs of them have the sum zero there, as those of
 * undamped oscillations: they have no Hopf points. */
ZW_API void zw_steady_curve_always(const zw_steady_curve *c, int *zeros, int *neutral);

/* The curve through the steady motion near x at (a, b), towards growing a (direction 1) or falling a (-1). ZW_E_NUMERIC: there is no motion near x.
 * ZW_E_MODEL: there is a family of them, and nothing holds one. */
ZW_API zw_status zw_steady_curve_follow(zw_steady_curve *c, const double *x, double a, double b,
                                        int direction, zw_steady_take take, void *user,
                                        zw_cont_info *info, zw_error *err);
/* The other curve through a branch point: `at` with its tangent, direction 1 or -1 along it. Its first point lies a little beside the branch
 * point. ZW_E_NUMERIC: there is none that could be told from the first. */
ZW_API zw_status zw_steady_curve_switch(zw_steady_curve *c, const zw_steady_point *at,
                                        int direction, zw_steady_take take, void *user,
                                        zw_cont_info *info, zw_error *err);
/* The curve of folds or Hopf points (`at->kind`) through one of them, towards growing b or falling b. Hopf points end where their frequency does. */
ZW_API zw_status zw_steady_curve_marks(zw_steady_curve *c, const zw_steady_point *at, int direction,
                                       zw_steady_take take, void *user, zw_cont_info *info,
                                       zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
