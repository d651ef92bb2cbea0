/* SPDX-License-Identifier: MIT */
/* The completion of a start, one level at a time: complete.c leads, start_choice.c says which
 * entries may change, assemble.c looks for places. */
#ifndef ZW_NUM_START_COMPLETE_H
#define ZW_NUM_START_COMPLETE_H

#include "num/flow/project.h"
#include "zwang/run.h"

#define ZW_NUM_HOLDS 1e-12 /* relative residual of a row that is left alone */
enum { ZW_NUM_FOUND_MOST = 24 };

/* rows and entries against displacements, at one place */
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

    double *origin; /* nx: where the search begins */
    double *width;  /* nx: how far away a value may be looked for; makes distances comparable */
    bool *given;    /* nx: must stay: given, or no displacement moves it, or of the other level */
    bool *kept;     /* nx: those, and what is left alone */
    bool *reach;    /* nx: rows that do not hold lead there */
    int *group;     /* n: entries of a quaternion change together; the first one's number */
    double *value;  /* m: residuals at the origin, 0 where the row holds */
    zw_num_linear here,
        generic;          /* at the origin, and at a place where no gradient vanishes by chance */
    double *mass, *plain; /* nv x nv: factors of the metrics of inertia and of widths */
    int freedom; /* of the entries that may change: 0 where the smallest set is the only one */

    /* start_choice.c */
    bool *trial, *row_in;  /* n, m */
    int *candidate, *pick; /* n */

    /* assemble.c */
    double *weight;                 /* m: of the rows, so that residuals are fractions of a width */
    double *J, *H, *JJ, *g, *y, *B; /* m x nv, nv x nv, nv, nv, nv x nv */
    double *place, *here_x;         /* nx */
    double *zero;                   /* nz */
    int *pivot;                     /* nv */
    int nfound;
    double *found;    /* ZW_NUM_FOUND_MOST x nx */
    double *distance; /* of each, squared */
    double *energy;   /* potential, on position level */
    int tries;
    double work; /* operations so far, about: the same on every machine, unlike time */
    double best; /* the least residual of all tries, as a fraction, and where it was */
    double *best_x;
} zw_num_completion;

/* See zw_run_complete. */
zw_status zw_num_complete(zw_flow *flow, double t, double *x, const zw_said *said,
                          const double *width, zw_run_completion *out, zw_error *err);

/* start_choice.c. The smallest set of entries by which the rows that do not hold can be satisfied:
 * kept is false for them, reach true for all that came into question. */
void zw_num_choose_entries(zw_num_completion *c);
/* What entries that are not kept (n) make of the rows `in` (m): the squared length of the change in
 * the metric of flow->L, INFINITY if they cannot satisfy them; how many freedoms are left. */
double zw_num_change(zw_num_completion *c, const zw_num_linear *at, const bool *kept,
                     const bool *in, int *freedom);

/* assemble.c. Look for places where the level is satisfied, beginning at the origin: c->found, the
 * nearest first. */
void zw_num_assemble_level(zw_num_completion *c, bool origin_only);
/* Where the solution x is one of a family (freedoms are left to what may move): along it towards
 * the origin. */
void zw_num_draw_near(zw_num_completion *c, double *x);
/* A place of the low-discrepancy sequence about the origin, in c->place; false if there is none. */
bool zw_num_place(zw_num_completion *c, int number, double radius);

#endif
