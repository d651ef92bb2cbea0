/* SPDX-License-Identifier: MIT */
/* The completion of a start, one level at a time: complete.c controls it, start_choice.c chooses
 * the entries that change, assemble.c finds their values. */
#ifndef ZW_NUM_START_COMPLETE_H
#define ZW_NUM_START_COMPLETE_H

#include "num/flow/project.h"
#include "zwang/run.h"

/* Residual of a row, relative to its terms, that counts as satisfied, so that nothing changes for
 * it. */
#define ZW_NUM_HOLDS 1e-12
enum { ZW_NUM_FOUND_MOST = 24 };

/* derivatives of rows and entries along displacements, at one point */
typedef struct zw_num_linear {
    double *rows; /* m x nv */
    double *F;    /* n x nv; not used on velocity level */
} zw_num_linear;

typedef struct zw_num_completion {
    zw_flow *flow;
    double t;
    zw_num_level_name name;
    zw_num_level v;
    size_t bytes; /* of the block */
    const zw_said *said;
    const double *q_width; /* nq; NULL: ones */

    double *origin; /* nx: beginning of the search */
    double *width;  /* nx: range of the search for a value; makes distances comparable */
    /* nx: must not change: given, or no displacement moves it, or of the other level */
    bool *given;
    bool *kept;    /* nx: those, and the others that do not change */
    bool *reach;   /* nx: candidates, which rows that are not satisfied depend on */
    int *group;    /* n: entries of a quaternion change together; the first one's number */
    double *value; /* m: residuals at the origin, 0 where the row holds */
    zw_num_linear here,
        generic;          /* at the origin, and at a point where no gradient vanishes by chance */
    double *mass, *plain; /* nv x nv: factors of the metrics of inertia and of widths */
    /* degrees of freedom of the entries that may change: 0 if the smallest set is unique */
    int freedom;

    /* start_choice.c */
    bool *trial, *row_in;  /* n, m */
    int *candidate, *pick; /* n */

    /* assemble.c */
    /* m: weights of the rows, so that residuals are fractions of a width */
    double *weight;
    double *J, *H, *JJ, *g, *y, *B; /* m x nv, nv x nv, nv, nv, nv x nv */
    double *place, *here_x;         /* nx */
    double *zero;                   /* nz */
    int *pivot;                     /* nv */
    int nfound;
    double *found;    /* ZW_NUM_FOUND_MOST x nx */
    double *distance; /* squared distances of the solutions */
    double *energy;   /* their potential energies, on position level */
    int tries;
    double work; /* estimated operations so far: the same on every machine, unlike time */
    double best; /* the least relative residual of all tries, at best_x */
    double *best_x;
} zw_num_completion;

/* See zw_run_complete. */
zw_status zw_num_complete(zw_flow *flow, double t, double *x, const zw_said *said,
                          const double *width, zw_run_completion *out, zw_error *err);

/* start_choice.c. The smallest set of entries by which all rows can be satisfied: kept is false for
 * them, reach is true for all candidates. */
void zw_num_choose_entries(zw_num_completion *c);
/* The change of the entries that are not kept (n) that satisfies the rows `in` (m): its squared
 * length in the metric of flow->L, INFINITY if there is none; the remaining degrees of freedom. */
double zw_num_change(zw_num_completion *c, const zw_num_linear *at, const bool *kept,
                     const bool *in, int *freedom);

/* assemble.c. Finds points where the level is satisfied, starting with the origin: c->found, the
 * nearest first. */
void zw_num_assemble_level(zw_num_completion *c, bool origin_only);
/* If the solution x is one of a family (degrees of freedom are left): moves it along the family
 * towards the origin. */
void zw_num_draw_near(zw_num_completion *c, double *x);
/* A point of the low-discrepancy sequence around the origin, in c->place; false if there is
 * none. */
bool zw_num_place(zw_num_completion *c, int number, double radius);

#endif
