/* SPDX-License-Identifier: MIT */
/* Implemented in src/motion/equilibria. */
/* All branches of steady motions over a number of their model, by names: zwang/steady_curve.h through folds and branch points, with Hopf points and what their cubic
 * terms say (zwang/criticality.h); and how folds and Hopf points go on with a second parameter, up to where two of them meet. */
#ifndef ZWANG_BRANCHES_H
#define ZWANG_BRANCHES_H

#include "criticality.h"
#include "doubt.h"
#include "model.h"
#include "over.h"
#include "steady_curve.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_branches zw_branches;

typedef struct zw_branches_options {
    size_t size;                         /* of this struct, for the library */
    const char *over;                    /* as in zwang/over.h: "Omega=0:50rad/s" */
    const char *second;                  /* of curves of marks, a parameter likewise; NULL: none */
    const zw_equilibria_options *motion; /* NULL: the defaults */
    bool cubic;                          /* of Hopf points; true */
    bool anywhere;   /* none near the start is no failure: others may be known; false */
    int points_max;  /* of a curve, 2000 */
    double step_max; /* as a part of the range, 0.03 */
    bool (*stop)(void *user, double done); /* asked on the way; true ends it. May be NULL */
    void *stop_user;
} zw_branches_options;
ZW_API void zw_branches_options_init(zw_branches_options *options, size_t size);
static inline zw_branches_options zw_branches_options_default(void) {
    zw_branches_options o;
    zw_branches_options_init(&o, sizeof o);
    return o;
}

/* A steady motion of a branch, or of a curve of marks. */
typedef struct zw_branches_point {
    zw_steady_kind kind;
    double value, second;            /* SI; second: NaN without one */
    const double *x, *rate, *lambda; /* state, rates of the symmetries, multipliers */
    const double *tangent;           /* of marks, as of zw_steady_point */
    int growing;                     /* eigenvalues; -1: not known, as at marks */
    bool stable;                     /* all that is no family dies out */
    double omega;                    /* rad/s, of the pair on the axis; 0: none */
    const zw_criticality *cubic;     /* of a Hopf point; NULL: not asked for */
    double cubic_term;               /* of a curve of Hopf points; NaN: not known */
    int curve;
    int zeros;           /* of a branch point: eigenvalues that vanish there at once */
    double imperfection; /* of a branch point, as of zw_steady_point */
    const char
        *doubt; /* a contact overlaps, pulls or has no meaning there: it is no motion; NULL */
} zw_branches_point;

typedef struct zw_branches_curve {
    int first, n;        /* points */
    zw_steady_kind kind; /* ZW_STEADY_FOLD, ZW_STEADY_HOPF: of marks */
    zw_cont_info end
        [2];  /* towards smaller and larger values at its beginning, or along its two directions */
    int from; /* the point where it leaves another branch; -1: none */
    int zeros; /* eigenvalues that are zero all along it: conserved quantities, families that something holds */
} zw_branches_curve;

/* The system and its context must outlive it. ZW_E_NUMERIC: there is no steady motion near the start. */
ZW_API zw_status zw_branches_create(zw_branches **out, const zw_system *sys,
                                    const zw_branches_options *options, zw_error *err);
ZW_API void zw_branches_destroy(zw_branches *b);

/* The branch through the motion of the start. ZW_E_MODEL: neighbouring steady motions are left open that something must hold. */
ZW_API zw_status zw_branches_follow(zw_branches *b, zw_error *err);
/* The branch through the motion near a state x (of zw_branches_equilibria) at a value, if it is not among those that are known; *is_new (may be NULL). */
ZW_API zw_status zw_branches_follow_from(zw_branches *b, const double *x, double value,
                                         bool *is_new, zw_error *err);
/* What starts in some ranges lead to at a value (zwang/equilibria.h), each followed if it is not known: *found of them are new. Families that nothing holds are passed over; *families: how
 * many. */
ZW_API zw_status zw_branches_search(zw_branches *b, double value,
                                    const zw_equilibria_search_options *options, int *found,
                                    int *families, zw_error *err);
/* The branches that cross at branch points, and those that cross these, at most so many. */
ZW_API zw_status zw_branches_switch(zw_branches *b, int most, zw_error *err);
/* The curves of all folds and Hopf points in the plane of both parameters. ZW_E_OPTION without `second`. */
ZW_API zw_status zw_branches_marks(zw_branches *b, zw_error *err);

ZW_API int zw_branches_points(const zw_branches *b);
ZW_API const zw_branches_point *zw_branches_at(const zw_branches *b, int i);
ZW_API int zw_branches_count(const zw_branches *b);
ZW_API const zw_branches_curve *zw_branches_curve_at(const zw_branches *b, int i);
ZW_API int zw_branches_mark_points(const zw_branches *b);
ZW_API const zw_branches_point *zw_branches_mark_at(const zw_branches *b, int i);
ZW_API int zw_branches_mark_curves(const zw_branches *b);
ZW_API const zw_branches_curve *zw_branches_mark_curve(const zw_branches *b, int i);
ZW_API const zw_over *zw_branches_over(const zw_branches *b);
ZW_API const zw_over *zw_branches_second(const zw_branches *b); /* NULL without */
ZW_API zw_equilibria *zw_branches_equilibria(const zw_branches *b);
/* Do the marks between two points of a branch, of which it is known how many eigenvalues grow, explain by how much that differs? A fold and a branch point change it by one, a Hopf point
 * by two. */
ZW_API bool zw_branches_explains(const zw_branches *b, int from, int to);
/* "fold", "hopf", "branch", "cusp", "bogdanov-takens", ...; "" of a point */
ZW_API const char *zw_branches_word(zw_steady_kind kind);

ZW_API void zw_branches_doubts(const zw_branches *b, zw_doubts *out);
/* For people and as JSON; new strings of the context (zw_string_free), NULL: out of memory. */
ZW_API char *zw_branches_text(const zw_branches *b);
ZW_API char *zw_branches_json(const zw_branches *b);
/* All points of all branches as a table of the kind "steady motions": the number, entries of the state, rates of the symmetries, multipliers, growing, stable (1, 0, NaN),
 * curve, with a row of NaN between branches and a note for each mark. source may be NULL. */
ZW_API zw_status zw_branches_table(const zw_branches *b, const zw_model_source *source,
                                   zw_table **out, zw_error *err);
/* Those of the curves of marks as a table of the kind "marks": both parameters, entries of the state, omega, cubic, kind (1 fold, 5 Hopf point), curve. */
ZW_API zw_status zw_branches_marks_table(const zw_branches *b, const zw_model_source *source,
                                         zw_table **out, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
