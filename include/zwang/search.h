/* SPDX-License-Identifier: MIT */
/* Implemented in src/motion/steady. */
/* All steady motions that many starts lead to, each once.
 *
 * The starts fill a box of some entries of the state evenly (a low-discrepancy sequence, the same on every machine); the
 * others begin where they are. Two solutions are the same if the displacements of the symmetries, turns of angles by their
 * period and the two signs of a quaternion carry one into the other; and those that a way through steady motions joins are
 * one family. A search is no proof: what no start leads to is not found. */
#ifndef ZWANG_SEARCH_H
#define ZWANG_SEARCH_H

#include "linearise.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where x[index] starts. */
typedef struct zw_search_box {
    int index;
    double low, high;
} zw_search_box;

typedef struct zw_search_options {
    double t;        /* s */
    const double *x; /* nx: the start, for what has no box; solutions are told near it */
    int nbox;
    const zw_search_box *box;
    int starts;
    int most; /* goes on up to so many starts, while a solution in the box was found by one start only or in their second half: there are probably more; below starts: it does not */
    int nfrom;            /* the first starts are at these states */
    const double *from;   /* nfrom x nx */
    const double *period; /* nx, of zw_search_periods; NULL: none */
    /* Called before every start with the part that is done; true ends the search with what is there. May be NULL. */
    bool (*stop)(void *user, double done);
    void *stop_user;
} zw_search_options;

typedef struct zw_search_entry {
    zw_steady motion; /* of a family, the member nearest to the start */
    double *value;    /* nfree of the problem */
    int norbit;       /* dimension of its orbit under the symmetries, */
    int nfamily;      /* and of its family beside that, among what is held: 0: it stands alone */
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
    int once; /* entries in the box that one start has found: while there are some, there are probably more */
    zw_steady best;                  /* of the starts that led nowhere, the one that misses least */
    zw_error trouble;                /* what the last of them said; status 0: there was none */
    struct zw_search_memory *memory; /* private */
} zw_search;

/* The kernel needs what zw_steady_solve needs. Finding nothing is no failure: n is 0 then. */
ZW_API zw_status zw_search_run(zw_search *out, zw_flow *flow, const zw_symmetries *s,
                               const zw_steady_problem *problem, const zw_search_options *options,
                               zw_error *err);
ZW_API void zw_search_clear(zw_search *s);

/* Is a shift of x[i] by period[i] (nx; 0: not asked) without effect on rates and constraints? Where it is not, at some random
 * states about x, period[i] becomes 0. */
ZW_API zw_status zw_search_periods(zw_flow *flow, double t, const double *x, const double *scale,
                                   double *period, zw_error *err);

/* Entry j of point n = 0, 1, ... of a sequence that fills the cube [0, 1)^d evenly, in any number of dimensions. */
ZW_API double zw_search_point(int j, int n);

#ifdef __cplusplus
}
#endif
#endif
