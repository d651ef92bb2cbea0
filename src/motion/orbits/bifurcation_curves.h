/* SPDX-License-Identifier: MIT */
/* Curves of special points of periodic orbits in two parameters, for every method that finds
 * orbits: what happens along them, their list, texts and tables. Functions whose zeros are
 * reported, with the Floquet multipliers mu:
 *
 *     on folds               prod (mu + 1)                 fold and flip
 *                            prod (mu - 1) of the others   1:1
 *                            d^2a/ds^2 at fixed b          cusp
 *     on period doublings    prod (mu - 1)                 fold and flip
 *                            prod (mu + 1) of the others   1:2
 *                            c                             generalised period doubling
 *     on Neimark-Sacker      s - 1, s + 1, s + 1/2, s      1:1, 1:2, 1:3, 1:4
 *                            Re d                          Chenciner
 *                            prod (mu -+ 1)                fold, flip and Neimark-Sacker
 *
 * s is half the sum of the pair, whose product is 1; on folds and period doublings |mu|^2 - 1 of
 * the other pair nearest to the unit circle is a further function. At 1:1 and 1:2 the pair becomes
 * real: beyond them the points are not Neimark-Sacker points, and the curve ends (Yu. A. Kuznetsov,
 * Elements of Applied Bifurcation Theory (2004), chapter 9). On curves of orbits through events the
 * function of the coefficient is the least distance from grazing: at its zero the curve ends. */
#ifndef ZW_MOTION_ORBITS_BIFURCATION_CURVES_H
#define ZW_MOTION_ORBITS_BIFURCATION_CURVES_H

#include "base/arena.h"
#include "zwang/orbits.h"
#include "zwang/report.h"

/* The first function is the bound of the first parameter; the others depend on the kind. */
enum { ZW_BIFURCATION_CURVES_BOUND = 0 };
enum {
    ZW_BIFURCATION_CURVES_FOLD_FLIP = 1,
    ZW_BIFURCATION_CURVES_FOLD_ONE,
    ZW_BIFURCATION_CURVES_FOLD_TORUS,
    ZW_BIFURCATION_CURVES_FOLD_CUSP,
    ZW_BIFURCATION_CURVES_FOLD_TESTS
};
enum {
    ZW_BIFURCATION_CURVES_FLIP_FOLD = 1,
    ZW_BIFURCATION_CURVES_FLIP_TWO,
    ZW_BIFURCATION_CURVES_FLIP_COEFFICIENT,
    ZW_BIFURCATION_CURVES_FLIP_TORUS,
    ZW_BIFURCATION_CURVES_FLIP_TESTS
};
enum {
    ZW_BIFURCATION_CURVES_TORUS_ONE = 1,
    ZW_BIFURCATION_CURVES_TORUS_TWO,
    ZW_BIFURCATION_CURVES_TORUS_THREE,
    ZW_BIFURCATION_CURVES_TORUS_FOUR,
    ZW_BIFURCATION_CURVES_TORUS_COEFFICIENT, /* or the distance from grazing */
    ZW_BIFURCATION_CURVES_TORUS_FOLD,
    ZW_BIFURCATION_CURVES_TORUS_FLIP,
    ZW_BIFURCATION_CURVES_TORUS_TESTS
};
/* The number of functions of a kind; of other kinds than these, the bound alone. */
int zw_bifurcation_curves_tests(zw_bifurcation kind);
/* Fills in the functions of the multipliers; leaves the others as they are. */
void zw_bifurcation_curves_values(zw_bifurcation kind, const zw_floquet *m, double *value);
/* The special point at a zero of function `what`. */
zw_orbit_special zw_bifurcation_curves_special(zw_bifurcation kind, int what);
/* The angle of the pair at a Neimark-Sacker point. */
double zw_bifurcation_curves_angle(const zw_floquet *m);

typedef struct zw_bifurcation_curves_curve {
    int first, n; /* its points */
    zw_cont_end end[2];
    char why[2][256];
    bool special[2]; /* it ends at a point where the bifurcation changes its kind */
} zw_bifurcation_curves_curve;

typedef struct zw_bifurcation_curves {
    zw_parameter_range second; /* its name is empty if no curves were asked for */
    zw_orbit_mark *mark;
    int n, capacity;
    zw_bifurcation_curves_curve *curve;
    int ncurve, curve_capacity;
    int crossings;  /* branch points, which are not followed */
    int unfollowed; /* special points that could not be followed */
    char unfollowed_why[200];
} zw_bifurcation_curves;

/* Appends a special point to the curve that is being followed. ZW_E_MEMORY */
zw_status zw_bifurcation_curves_add(zw_bifurcation_curves *k, zw_arena *arena,
                                    const zw_orbit_mark *mark, zw_error *err);
/* Does a curve of this kind pass through this point? range: of the first parameter */
bool zw_bifurcation_curves_has(const zw_bifurcation_curves *k, double range, zw_bifurcation event,
                               double value, double b, double period);
/* Follows the curve through a special point at b to both sides; `go` follows it to one of them,
 * appends points (skip: without the first one) and returns how it ended. */
typedef zw_status (*zw_bifurcation_curves_follower)(void *user, int side, bool skip,
                                                    zw_cont_info *info, bool *special,
                                                    zw_error *err);
zw_status zw_bifurcation_curves_follow(zw_bifurcation_curves *k, zw_arena *arena, double b,
                                       zw_bifurcation_curves_follower go, void *user,
                                       const bool *stopped, zw_error *err);

/* The report into the open object, warnings and the table of the curves; over: the first
 * parameter. */
void zw_bifurcation_curves_report(zw_report *out, const zw_bifurcation_curves *k,
                                  const zw_parameter_range *over, const zw_system *sys);
void zw_bifurcation_curves_warnings(const zw_bifurcation_curves *k, zw_warnings *out);
typedef struct zw_bifurcation_curves_origin {
    const zw_system *sys;
    const char *principle;
    const double *p;
    const zw_active *active;
    const zw_parameter_range *over;
    int nquantity;
} zw_bifurcation_curves_origin;
zw_status zw_bifurcation_curves_table(const zw_bifurcation_curves *k,
                                      const zw_bifurcation_curves_origin *of,
                                      const zw_model_source *source, zw_table **out, zw_error *err);

#endif
