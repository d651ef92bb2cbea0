/* SPDX-License-Identifier: MIT */
/* Curves of marks of periodic orbits in two parameters, however the orbits are found: what happens on them, the list of them, their words and tables. Functions whose zeros are told, with Floquet's multipliers mu,
 *
 *     on folds               prod (mu + 1): fold and flip;  prod (mu - 1) of the others: 1:1;  d^2a/ds^2 of the orbits at fixed b: a cusp
 *     on period doublings    prod (mu - 1): fold and flip;  prod (mu + 1) of the others: 1:2;  c: generalised period doubling
 *     on Neimark-Sacker      with the half-sum s of the pair, whose product is 1:  s - 1: 1:1,  s + 1: 1:2,  s + 1/2: 1:3,  s: 1:4;  Re d: Chenciner;  prod (mu -+ 1)
 *
 * At 1:1 and 1:2 the pair becomes real: what follows are no Neimark-Sacker points, and the curve ends (Yu. A. Kuznetsov, Elements of Applied Bifurcation Theory (2004), chapter
 * 9). Of orbits through events the last function is the least distance from grazing: where that is zero the curve ends. */
#ifndef ZW_MOTION_ORBITS_BIFURCATION_CURVES_H
#define ZW_MOTION_ORBITS_BIFURCATION_CURVES_H

#include "base/arena.h"
#include "base/text.h"
#include "zwang/orbits.h"

/* The first function is the bound of the first parameter; those after it by kind. */
enum { ZW_MARKS_BOUND = 0 };
enum {
    ZW_MARKS_FOLD_FLIP = 1,
    ZW_MARKS_FOLD_ONE,
    ZW_MARKS_FOLD_TORUS,
    ZW_MARKS_FOLD_CUSP,
    ZW_MARKS_FOLD_TESTS
};
enum {
    ZW_MARKS_FLIP_FOLD = 1,
    ZW_MARKS_FLIP_TWO,
    ZW_MARKS_FLIP_COEFFICIENT,
    ZW_MARKS_FLIP_TORUS,
    ZW_MARKS_FLIP_TESTS
};
enum {
    ZW_MARKS_TORUS_ONE = 1,
    ZW_MARKS_TORUS_TWO,
    ZW_MARKS_TORUS_THREE,
    ZW_MARKS_TORUS_FOUR,
    ZW_MARKS_TORUS_COEFFICIENT, /* or the distance from grazing */
    ZW_MARKS_TORUS_FOLD,
    ZW_MARKS_TORUS_FLIP,
    ZW_MARKS_TORUS_TESTS
};
/* How many there are of a kind; of others than these the bound alone. */
int zw_marks_tests(zw_forced_event kind);
/* Those that multipliers tell, in value; the others stay as they are. */
void zw_marks_values(zw_forced_event kind, const zw_floquet *m, double *value);
/* What the zero of function `what` is. */
zw_orbit_special zw_marks_special(zw_forced_event kind, int what);
/* The angle of the pair of a Neimark-Sacker point. */
double zw_marks_angle(const zw_floquet *m);

typedef struct zw_marks_curve {
    int first, n; /* its marks */
    zw_cont_end end[2];
    char why[2][256];
    bool special[2]; /* it ends at a point where it stops being what it is */
} zw_marks_curve;

typedef struct zw_marks {
    zw_over second; /* its name is empty: not asked for */
    zw_orbit_mark *mark;
    int n, capacity;
    zw_marks_curve *curve;
    int ncurve, curve_capacity;
    int crossings;  /* branch points, which are not followed, */
    int unfollowed; /* and marks that could not be: */
    char unfollowed_why[200];
} zw_marks;

/* A mark of the curve that is being made, appended. ZW_E_MEMORY */
zw_status zw_marks_add(zw_marks *k, zw_arena *arena, const zw_orbit_mark *mark, zw_error *err);
/* Does a curve of this kind pass there? range: of the first parameter */
bool zw_marks_has(const zw_marks *k, double range, zw_forced_event event, double value, double b,
                  double period);
/* The curve through a mark at b, to both sides: by `go` to one of them, which appends marks (skip: but the first one) and tells how it ended. */
typedef zw_status (*zw_marks_go)(void *user, int side, bool skip, zw_cont_info *info, bool *special,
                                 zw_error *err);
zw_status zw_marks_follow(zw_marks *k, zw_arena *arena, double b, zw_marks_go go, void *user,
                          const bool *stopped, zw_error *err);

/* What is said of them; over: the first parameter. */
void zw_marks_put(zw_text *out, const zw_marks *k, const zw_over *over);
void zw_marks_json(zw_text *out, const zw_marks *k);
void zw_marks_doubts(const zw_marks *k, zw_doubts *out);
typedef struct zw_marks_origin {
    const zw_system *sys;
    const char *principle;
    const double *p;
    const zw_active *active;
    const zw_over *over;
    int nquantity;
} zw_marks_origin;
zw_status zw_marks_table(const zw_marks *k, const zw_marks_origin *of,
                         const zw_model_source *source, zw_table **out, zw_error *err);

#endif
