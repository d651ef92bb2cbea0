/* SPDX-License-Identifier: MIT */
/* Implemented in src/motion/equilibria. */
/* Equilibria and steady motions of a model near its start, and their stability, by names: what
 * zwang/steady.h finds by numbers. */
#ifndef ZWANG_EQUILIBRIA_H
#define ZWANG_EQUILIBRIA_H

#include "doubt.h"
#include "equations.h"
#include "model.h"
#include "report.h"
#include "steady.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_equilibria zw_equilibria;

typedef struct zw_equilibria_options {
    size_t size;             /* of this struct, for the library */
    const char *by;          /* the principle, "lagrange" */
    const zw_active *active; /* which constraints hold; NULL: as the model says */
    double t;                /* s */
    /* what keeps its value: coordinates, velocities, observables, any expressions of the language;
     * with "=VALUE" after it this one, otherwise that of the start */
    int nhold;
    const char *const *hold;
    zw_functions functions; /* of the kernel, beyond those that are needed anyway */
    int nparameter;         /* of the derivatives in parameters, as of zw_kernel_options */
    const int *parameter;
    int nsolve; /* parameters that are solved for, by their names: no more than what is held */
    const char *const *solve;
} zw_equilibria_options;
ZW_API void zw_equilibria_options_init(zw_equilibria_options *options, size_t size);
static inline zw_equilibria_options zw_equilibria_options_default(void) {
    zw_equilibria_options o;
    zw_equilibria_options_init(&o, sizeof o);
    return o;
}

/* What a linear motion about it says. */
typedef enum zw_stability {
    ZW_STABLE,   /* all disturbances but those along orbits and families die out */
    ZW_UNSTABLE, /* one grows */
    ZW_CENTRE    /* none grows, some go on for ever: nonlinear terms decide */
} zw_stability;

/* Derive, complete the start, find the symmetries. ZW_E_NAME: there is nothing of the name that is
 * to be held. The system and its context must outlive it. options may be NULL. */
ZW_API zw_status zw_equilibria_create(zw_equilibria **out, const zw_system *sys,
                                      const zw_equilibria_options *options, zw_error *err);
ZW_API void zw_equilibria_destroy(zw_equilibria *e);
/* The steady motion near the start, and its linear equations. A failure names the equation that
 * stays unmet. */
ZW_API zw_status zw_equilibria_find(zw_equilibria *e, zw_error *err);

ZW_API const zw_equations *zw_equilibria_equations(const zw_equilibria *e);
ZW_API const zw_symmetries *zw_equilibria_symmetries(const zw_equilibria *e);
ZW_API const zw_steady *zw_equilibria_motion(const zw_equilibria *e);
ZW_API const zw_linearisation *zw_equilibria_linear(const zw_equilibria *e);
/* What it stands on; a study of its own sets other parameters and puts the old ones back. */
ZW_API zw_flow *zw_equilibria_flow(const zw_equilibria *e);
/* Typical sizes of the entries of the state (nx). */
ZW_API const double *zw_equilibria_scale(const zw_equilibria *e);
ZW_API zw_stability zw_equilibria_stability(const zw_equilibria *e);
/* Is it an isolated minimum of the potential of a system with nothing but a potential? Then it is
 * stable, though linear terms do not say so (Dirichlet). */
ZW_API bool zw_equilibria_is_minimum(const zw_equilibria *e);
/* Is every coordinate at rest? */
ZW_API bool zw_equilibria_at_rest(const zw_equilibria *e);
/* The value of parameter i of the system at the motion: that of the model, or what was solved
 * for. */
ZW_API double zw_equilibria_parameter(const zw_equilibria *e, int i);
/* Why the motion is not what the model means, a contact that pulls or has no meaning there; NULL if
 * nothing speaks against it. */
ZW_API const char *zw_equilibria_warning(const zw_equilibria *e);
/* How the potential bends there; not known of what moves, of constraints on velocities, of states,
 * of forces without a potential. */
ZW_API zw_curvature zw_equilibria_curvature(const zw_equilibria *e);

/* ---- many starts ---- */

/* Where a coordinate or velocity starts, SI. */
typedef struct zw_equilibria_box {
    const char *name;
    double low, high;
} zw_equilibria_box;
typedef struct zw_equilibria_search_options {
    size_t size; /* of this struct, for the library */
    int nbox;
    const zw_equilibria_box *box;
    int starts; /* 64; */
    int most;   /* 1024: more of them, as zwang/steady.h describes; below starts: none */
    /* Called now and then with the part that is done; true ends it with what is there. May be
     * NULL. */
    bool (*stop)(void *user, double done);
    void *stop_user;
} zw_equilibria_search_options;
ZW_API void zw_equilibria_search_options_init(zw_equilibria_search_options *options, size_t size);
static inline zw_equilibria_search_options zw_equilibria_search_options_default(void) {
    zw_equilibria_search_options o;
    zw_equilibria_search_options_init(&o, sizeof o);
    return o;
}
/* "phi=-pi:pi", "x = 0.1:2 [m]", or "phi" alone: an angle, all of it. For the name in box, which
 * belongs to the context. */
ZW_API zw_status zw_equilibria_read_box(const zw_equilibria *e, const char *text,
                                        zw_equilibria_box *box, zw_error *err);
/* All that the starts lead to, each once (zwang/steady.h). ZW_E_NUMERIC if that is nothing. */
ZW_API zw_status zw_equilibria_search(zw_equilibria *e, const zw_equilibria_search_options *options,
                                      zw_error *err);
/* What the last search found; n is 0 before. */
ZW_API const zw_search *zw_equilibria_found(const zw_equilibria *e);
/* Make entry i of it the motion that all functions of this header speak of. A failure says why it
 * has no linear equations; the motion is there all the same. */
ZW_API zw_status zw_equilibria_select(zw_equilibria *e, int i, zw_error *err);
/* All of them, with "solutions", into the open object of the report, and as a table with one row
 * each: solution, the entries of the state, rates of symmetries, multipliers, down (directions in
 * which the potential falls, NaN if unknown), family, starts, stable (1 where nothing grows, 0).
 * Each of them in turn becomes the motion. Before a search the table has the motion of
 * zw_equilibria_find as its only row. */
ZW_API void zw_equilibria_found_report(zw_equilibria *e, zw_report *out);
ZW_API zw_status zw_equilibria_found_table(zw_equilibria *e, const zw_model_source *source,
                                           zw_table **out, zw_error *err);

/* The name of symmetry i, "alpha + turn(x, y)"; of -1: of the one that goes along with time. */
ZW_API void zw_equilibria_symmetry_name(const zw_equilibria *e, int i, char *out, size_t size);

/* The motion, as the only entry of "solutions", into the open object of the report. */
ZW_API void zw_equilibria_report(const zw_equilibria *e, zw_report *out);

/* ------------------------------------------------------------------------------------------ */

/* One number of a model that a study follows, by its name: a parameter, with all that is defined
 * by it, or something that is held: a coordinate, a velocity, an observable, an expression. Written
 * "Omega=0:50rad/s", "speed = 0:10:201 [m/s]" (201 rows), "l=1cm:2m". */

enum { ZW_PARAMETER_RANGE_NAME = 64, ZW_PARAMETER_RANGE_UNIT = 40 };

typedef struct zw_parameter_range {
    char name[ZW_PARAMETER_RANGE_NAME];
    char unit[ZW_PARAMETER_RANGE_UNIT];    /* as written, or that of the model; "" if it has none */
    double factor;                         /* SI value of one of these */
    double from, to;                       /* SI */
    int rows;                              /* 0: not said */
    int parameter;                         /* of the system; -1: it is held */
    bool (*stop)(void *user, double done); /* asked on the way; true ends it. May be NULL */
    void *stop_user;
} zw_parameter_range;

/* ZW_E_OPTION, ZW_E_NAME, ZW_E_UNIT: what is wrong with the text for this system. */
ZW_API zw_status zw_parameter_range_read(zw_parameter_range *out, const zw_system *sys,
                                         const char *text, zw_error *err);

/* Where a way ended before the end of its range, and why. */
typedef struct zw_parameter_range_stop {
    zw_follow_end end; /* ZW_FOLLOW_GOES_ON: it did not */
    double value;      /* SI */
    char why[256];
} zw_parameter_range_stop;

/* A steady motion along the number. */
typedef struct zw_steady_way {
    const zw_parameter_range *over;
    zw_equilibria *e;
    zw_follow *follow;
    int held; /* which of what is held is followed; -1: none */
    double
        begin; /* where the first motion was looked for: the value of the start, or the nearest */
    double low, high;                /* how far it goes: low to high */
    zw_parameter_range_stop stop[2]; /* at the ends `from` and `to` */
    bool follows;                    /* what is held depends on the parameter, */
    bool quick;                      /* and its values need no completion of a start */
    bool observes;                   /* not only entries of the state are held */
    bool *given, *fixed;             /* np, nx */
    double *p, *start, *x, *u;       /* np, nq + nv of the system, of the equations, inputs */
    double *observed, *held_at;      /* observables, three times nhold */
    zw_said *said;                   /* nq + nv */
} zw_steady_way;

/* Follow from the value of the start, or the nearest in the range, to both ends, or as far as it
 * goes. e was created with what is held, among it what is followed if that is no parameter; what
 * is held at a value of the start follows the parameter if that value depends on it. A failure at
 * the first motion names what is unmet. */
ZW_API zw_status zw_parameter_range_begin(zw_steady_way *out, const zw_parameter_range *over,
                                          zw_equilibria *e, zw_error *err);
ZW_API void zw_parameter_range_end(zw_steady_way *way);

/* ------------------------------------------------------------------------------------------ */

/* Steady motions over a number of their model: the motion that zwang/equilibria.h follows, at
 * some values, with what linear terms say of its stability. zwang/linear.h has its eigenvalues and
 * the places where something happens to them. */

typedef struct zw_branch zw_branch;

typedef struct zw_branch_options {
    size_t size;                         /* of this struct, for the library */
    const char *over;                    /* as in zwang/equilibria.h: "Omega=0:50rad/s" */
    const zw_equilibria_options *motion; /* NULL: the defaults */
    int rows;                            /* if `over` does not say, 101 */
    /* Asked on the way, with the fraction that is done; true ends it with the rows so far. NULL:
     * nobody asks. */
    bool (*stop)(void *user, double done);
    void *stop_user;
} zw_branch_options;
ZW_API void zw_branch_options_init(zw_branch_options *options, size_t size);
static inline zw_branch_options zw_branch_options_default(void) {
    zw_branch_options o;
    zw_branch_options_init(&o, sizeof o);
    return o;
}

/* Follow it. ZW_E_MODEL: neighbouring steady motions are left open that something must hold. The
 * system and its context must outlive it. */
ZW_API zw_status zw_branch_create(zw_branch **out, const zw_system *sys,
                                  const zw_branch_options *options, zw_error *err);
ZW_API void zw_branch_destroy(zw_branch *b);

/* Where it begins and ends, and why. */
ZW_API const zw_steady_way *zw_branch_way(const zw_branch *b);
ZW_API int zw_branch_rows(const zw_branch *b);
/* Of row i: the value, the state (nx), and how many eigenvalues grow; -1: there are no linear
 * equations. */
ZW_API double zw_branch_value(const zw_branch *b, int i);
ZW_API const double *zw_branch_state(const zw_branch *b, int i);
ZW_API int zw_branch_growing(const zw_branch *b, int i);

ZW_API bool zw_branch_stopped(const zw_branch *b);

/* "rows", "changes" and "ends" into the open object of the report; sentences show some of the
 * rows. */
ZW_API void zw_branch_report(const zw_branch *b, zw_report *out);
/* All rows, as a table of the kind "steady motions": the number, entries of the state, rates of the
 * symmetries, multipliers, growing, stable (1, 0, NaN where linear terms do not decide). source may
 * be NULL. */
ZW_API zw_status zw_branch_table(const zw_branch *b, const zw_model_source *source, zw_table **out,
                                 zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* What grows out of a steady motion where a pair of its eigenvalues lies on the imaginary axis, by
 * names: zwang/steady.h with the conserved quantities of the model, the statements that are not
 * smooth there, and the words for all of it. */

typedef struct zw_criticality_options {
    size_t size; /* of this struct, for the library */
    /* of the linearisation, with positive imaginary part; -1: the nearest to the imaginary axis */
    int eigenvalue;
    /* a coordinate, velocity or observable whose amplitude r is; NULL: the coordinate that swings
     * most */
    const char *amplitude;
} zw_criticality_options;
ZW_API void zw_criticality_options_init(zw_criticality_options *options, size_t size);
static inline zw_criticality_options zw_criticality_options_default(void) {
    zw_criticality_options o;
    zw_criticality_options_init(&o, sizeof o);
    return o;
}

typedef struct zw_criticality {
    bool refused;       /* there is no such normal form; */
    char reason[640];   /* why, with the statement and its place */
    zw_hopf hopf;       /* if it is not rejected */
    char quantity[120]; /* r is its amplitude; "" if nothing is at rest under the symmetries */
    char unit[40];
    char
        levels[240]; /* the conserved quantities on whose level all this is: "energy"; "" if none */
    /* amplitude r at which the motion meets something that is not smooth, infinite if nothing */
    double reach;
    char met[320]; /* what, with its statement and place */
    /* what is not smooth at the motion itself, but does not act at this order; "" if nothing */
    char passed[480];
} zw_criticality;

/* At a steady motion of e and its linearisation, both those of zw_equilibria_find if NULL, with the
 * parameter values of the flow. A refusal is no failure: it has a reason. Failures are names that
 * do not exist, and a lack of memory. */
ZW_API zw_status zw_criticality_find(zw_criticality *out, zw_equilibria *e, const zw_steady *at,
                                     const zw_linearisation *a,
                                     const zw_criticality_options *options, zw_error *err);
ZW_API void zw_criticality_clear(zw_criticality *c);
/* How many pairs of eigenvalues of the motion of zw_equilibria_find lie on the imaginary axis: with
 * one of them a look at cubic terms is worth while. */
ZW_API int zw_criticality_pairs(const zw_equilibria *e);

/* In one line: "supercritical, a = -1.080 1/(s rad^2), b = ...", or why it is not known. */
ZW_API void zw_criticality_words(const zw_criticality *c, char *out, size_t size);
/* Type, normal form and its limits into the open object of the report. */
ZW_API void zw_criticality_report(const zw_criticality *c, zw_report *out);

/* ------------------------------------------------------------------------------------------ */

/* All branches of steady motions over a number of their model, by names: zwang/steady.h through
 * folds and branch points, with Hopf points and what their cubic terms say (zwang/equilibria.h);
 * and how folds and Hopf points go on with a second parameter, up to where two of them meet. */

typedef struct zw_branches zw_branches;

typedef struct zw_branches_options {
    size_t size;                         /* of this struct, for the library */
    const char *over;                    /* as in zwang/equilibria.h: "Omega=0:50rad/s" */
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
    /* eigenvalues that are zero all along it: conserved quantities, families that something
     * holds */
    int zeros;
} zw_branches_curve;

/* The system and its context must outlive it. ZW_E_NUMERIC: there is no steady motion near the
 * start. */
ZW_API zw_status zw_branches_create(zw_branches **out, const zw_system *sys,
                                    const zw_branches_options *options, zw_error *err);
ZW_API void zw_branches_destroy(zw_branches *b);

/* The branch through the motion of the start. ZW_E_MODEL: neighbouring steady motions are left open
 * that something must hold. */
ZW_API zw_status zw_branches_follow(zw_branches *b, zw_error *err);
/* The branch through the motion near a state x (of zw_branches_equilibria) at a value, if it is not
 * among those that are known; *is_new (may be NULL). */
ZW_API zw_status zw_branches_follow_from(zw_branches *b, const double *x, double value,
                                         bool *is_new, zw_error *err);
/* What starts in some ranges lead to at a value (zwang/equilibria.h), each followed if it is not
 * known: *found of them are new. Families that nothing holds are passed over; *families: how
 * many. */
ZW_API zw_status zw_branches_search(zw_branches *b, double value,
                                    const zw_equilibria_search_options *options, int *found,
                                    int *families, zw_error *err);
/* The branches that cross at branch points, and those that cross these, at most this many. */
ZW_API zw_status zw_branches_switch(zw_branches *b, int most, zw_error *err);
/* The curves of all folds and Hopf points in the plane of both parameters. ZW_E_OPTION without
 * `second`. */
ZW_API zw_status zw_branches_marks(zw_branches *b, zw_error *err);

ZW_API int zw_branches_points(const zw_branches *b);
ZW_API const zw_branches_point *zw_branches_at(const zw_branches *b, int i);
ZW_API int zw_branches_count(const zw_branches *b);
ZW_API int zw_branches_mark_points(const zw_branches *b);
ZW_API const zw_branches_point *zw_branches_mark_at(const zw_branches *b, int i);
ZW_API int zw_branches_mark_curves(const zw_branches *b);
ZW_API const zw_branches_curve *zw_branches_mark_curve(const zw_branches *b, int i);
ZW_API zw_equilibria *zw_branches_equilibria(const zw_branches *b);
/* Do the marks between two points of a branch, of which it is known how many eigenvalues grow,
 * explain by how much that differs? A fold and a branch point change it by one, a Hopf point by
 * two. */
ZW_API bool zw_branches_explains(const zw_branches *b, int from, int to);
/* "fold", "hopf", "branch", "cusp", "bogdanov-takens", ...; "" of a point */
ZW_API const char *zw_branches_word(zw_steady_kind kind);

ZW_API void zw_branches_warnings(const zw_branches *b, zw_warnings *out);
/* "branches" and "special_curves" into the open object of the report; sentences show the special
 * points and the ends. */
ZW_API void zw_branches_report(const zw_branches *b, zw_report *out);
/* All points of all branches as a table of the kind "steady motions": the number, entries of the
 * state, rates of the symmetries, multipliers, growing, stable (1, 0, NaN), curve, with a row of
 * NaN between branches and a note for each mark. source may be NULL. */
ZW_API zw_status zw_branches_table(const zw_branches *b, const zw_model_source *source,
                                   zw_table **out, zw_error *err);
/* Those of the curves of marks as a table of the kind "marks": both parameters, entries of the
 * state, omega, cubic, kind (1 fold, 5 Hopf point), curve. */
ZW_API zw_status zw_branches_marks_table(const zw_branches *b, const zw_model_source *source,
                                         zw_table **out, zw_error *err);

/* ------------------------------------------------------------------------------------------ */

/* Rest with contact and friction. In the configuration of its start, completed by the constraints,
 * a system stays at rest if forces of its closed contacts exist with
 *
 *     0 = h + Psi' lambda + H' r,      r_N >= 0,      r_F in mu r_N C      (zwang/contact.h).
 *
 * Such configurations come in whole sets, and these are reported: over a parameter ("rests for
 * slope below atan(mu)"), or over a coordinate, the others following the constraints and the
 * contacts that are closed at the start. */

/* How a contact gives way. */
typedef enum zw_yield {
    ZW_YIELD_HOLDS,
    ZW_YIELD_SLIPS, /* of Contensou's law: slips and pivots */
    ZW_YIELD_PIVOTS,
    ZW_YIELD_ROLLS,
    ZW_YIELD_LIFTS,   /* its normal force becomes 0 */
    ZW_YIELD_OPENS,   /* it is not closed any more in the configuration */
    ZW_YIELD_OVERLAPS /* nor is there such a configuration */
} zw_yield;

/* At one configuration. Arrays are by the contacts of the system and belong to the statics. */
typedef struct zw_rest {
    bool rests;
    /* the least factor on all coefficients of friction with which it rests: at most 1 if it rests;
     * infinite: no friction holds it */
    double factor;
    /* N: by how much all inequalities are fulfilled at once; -infinite: nothing holds it */
    double spare;
    double spare_error; /* N */
    /* dimension of the forces that equilibrium leaves open; 0: they are the only ones */
    int hyperstatic;
    int unbalanced; /* a velocity of the system that no contact and no constraint holds; -1: none */
    const bool *closed;
    /* what gives way first if friction is made smaller by `factor`; at ends of intervals: there */
    const zw_yield *yields;
    const double *force; /* ncontact x ZW_CONTACT_ROWS_MAX: normal force and friction, row by row */
    const double *x;     /* nq + nv: the configuration */
} zw_rest;

/* An end of a set of values at which it rests. */
typedef struct zw_rest_end {
    double value; /* SI */
    double error; /* of the value: 0 if only rounding */
    bool limit;   /* it is the end of the range, and it rests there */
    char why[256];
} zw_rest_end;
typedef struct zw_rest_interval {
    zw_rest_end low, high;
} zw_rest_interval;

typedef struct zw_statics zw_statics;

/* The start is solved. over: a range of a parameter or a coordinate, as of zw_parameter_range; NULL:
 * the start alone. ZW_E_MODEL: no contacts, supports that move, a start that moves or overlaps. */
ZW_API zw_status zw_statics_create(zw_statics **out, const zw_system *sys, const char *over,
                                   zw_error *err);
ZW_API void zw_statics_destroy(zw_statics *s); /* NULL: nothing to do */
/* Finds the intervals of the range; without one there is nothing to do. Intervals narrower than the
 * distance of its values (201) may be missed. stop is asked on the way, with the fraction that is
 * done (NaN: unknown), and may be NULL. ZW_STOPPED: intervals are missing. */
ZW_API zw_status zw_statics_run(zw_statics *s, bool (*stop)(void *user, double done), void *user,
                                zw_error *err);

/* At the start. */
ZW_API const zw_rest *zw_statics_rest(const zw_statics *s);
/* Over the range, from low to high. */
ZW_API int zw_statics_intervals(const zw_statics *s);
ZW_API const zw_rest_interval *zw_statics_interval(const zw_statics *s, int i);

/* "start" and, with a range, "intervals", into the open object of the report. */
ZW_API void zw_statics_report(const zw_statics *s, zw_report *out);
/* Over the range a row for each value: the value, rests (1, 0), reserve (spare), hyperstatic, and
 * the forces of the contacts (NaN where it does not rest); without a range one row, with the factor
 * on friction in the place of the value. source may be NULL. */
ZW_API zw_status zw_statics_table(const zw_statics *s, const zw_model_source *source,
                                  zw_table **out, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
