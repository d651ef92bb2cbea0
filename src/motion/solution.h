/* SPDX-License-Identifier: MIT */
/* Periodic solutions and their branches, as every method that finds them describes them: in
 * reports, in tables and in warnings. The method fills zw_solution; what it alone knows of a
 * solution (mesh, segments, symmetries) is added by its callbacks. */
#ifndef ZW_MOTION_SOLUTION_H
#define ZW_MOTION_SOLUTION_H

#include "claims/structure/kept_quantities.h"
#include "motion/branch_check.h"
#include "motion/motion_words.h"
#include "motion/orbits/bifurcation_curves.h"
#include "zwang/report.h"

/* One solution. */
typedef struct zw_solution {
    zw_motion_view motion; /* stability, multipliers, quantities */
    double value;          /* of the parameter; NaN: there is none */
    double period;         /* [s] */
    double trivial;        /* deviation of the multiplier that must be 1; NaN: there is none */
    double error;          /* relative to its size */
    int parts;             /* intervals of the mesh, or segments between events */
    int branch;            /* -1: none */
    zw_bifurcation what;
    const zw_orbit_normal *normal; /* of special points; NULL: there is none */
    const double *drift;           /* per period, of each quantity; NULL: all are periodic */
} zw_solution;

/* Where a branch ends; reason NULL: at the end of the range, which is not mentioned. */
typedef struct zw_solution_end {
    const char *direction; /* "upwards", "downwards"; NULL: not known */
    const char *relation;  /* "at", "by" */
    const char *reason;
    const char *failed; /* where the continuation could not go on, a warning; NULL: it could */
    const char *why;    /* it could not; may be "" */
} zw_solution_end;

typedef struct zw_solution_branch {
    int first, n;      /* its solutions */
    int times;         /* they close after this number of base periods; 0: not known */
    double hopf;       /* the Hopf point where it is born; NaN: elsewhere */
    int parent, meets; /* the branch that it leaves, and the one on which it ends; -1: none */
    zw_bifurcation origin;
    double origin_value;
    bool mirrored;      /* its mirror image leaves there, too */
    const char *events; /* of its solutions, in their order; NULL: they have none by their kind */
    zw_solution_end end[2];
    zw_contradiction open; /* the first of nopen contradictions */
    int nopen;
} zw_solution_branch;

/* All solutions that were found. */
typedef struct zw_solutions {
    const void *self;
    void *writer; /* of the notes of a table */
    const zw_system *sys;
    const zw_parameter_range *over; /* NULL: at the values of the model */
    bool through_events;
    const char *parts;         /* column of zw_solution.parts: "intervals", "segments" */
    const char *accuracy_hint; /* of a warning about multipliers */
    const zw_kept *kept;       /* NULL: none */
    const zw_bifurcation_curves *curves;
    int n, nbranch;
    bool has_stability;
    int unswitched; /* special points from which the other branch was not found, the first at */
    double unswitched_value;
    zw_solution (*at)(const void *self, int i);
    zw_solution_branch (*branch)(const void *self, int i);
    void (*label)(const void *self, int i, char *label); /* ZW_ORBITS_LABEL */
    /* errors of the value and of the period of a special point */
    void (*errors)(const void *self, int i, double *value, double *period);
    /* values and sentences of its own, into the open object */
    void (*details)(const void *self, int i, zw_report *out);
    /* notes of the table, and of a row */
    zw_status (*head)(const void *self, zw_table *t, const zw_model_source *source);
    zw_status (*note)(void *writer, int i, const char *label, long row, zw_table *t, zw_error *err);
} zw_solutions;

/* One solution, with its special point: values into the open object. */
void zw_solution_report(const zw_solutions *s, int i, zw_report *out);
/* All of them: a summary of each branch with its special points, else each solution. */
void zw_solutions_report(const zw_solutions *s, zw_report *out);
/* The branches as a table of the kind "response", with a separating row between them. */
zw_status zw_solutions_table(const zw_solutions *s, const zw_model_source *source, zw_table **out,
                             zw_error *err);
/* Multipliers, special points from which nothing was found, branches that ended early. */
void zw_solutions_warnings(const zw_solutions *s, zw_warnings *out);

#endif
