/* SPDX-License-Identifier: MIT */
/* Implemented in src/sim. */
/* What became of a start that says less than everything: the values nobody gave are 0, or at their guess,
 * unless constraints or starts of expressions force them elsewhere (zw_run_complete). A completion tells
 * which ones were, to which value, whether they follow or were chosen, and what else would have done. */
#ifndef ZWANG_COMPLETION_H
#define ZWANG_COMPLETION_H

#include "doubt.h"
#include "equations.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_completed {
    int index;               /* in x = (q, v) */
    const char *name, *unit; /* of the coordinate or velocity */
    double from, value;      /* SI: where it began (0 or the guess), and where it starts */
    bool guessed;
    bool is_velocity;
    zw_place place; /* of its declaration */
} zw_completed;

typedef struct zw_completion {
    int n; /* entries that are not where they began */
    const zw_completed *entry;
    /* 0 where these follow; else so many freedoms were left, and other values would have done too */
    int freedom_position, freedom_velocity;
    int nother;          /* other solutions that were found, where they can be counted */
    int nkept;           /* of these, the nearest ones: */
    const double *other; /* nkept x n: their values of the same entries; NAN for velocities at other
                            positions, which are not worked out */
    bool freedom_guided, other_guided; /* a guess of the model decided, or there was no choice */
} zw_completion;

/* The start of a finished system at time t, with the parameters of the model (p NULL) or these (np), while
 * `active` holds (NULL: what the model says), completed into x (nq + nv, may be NULL). The completion (may
 * be NULL) belongs to the context. ZW_E_START if the start contradicts the constraints: err names them. */
ZW_API zw_status zw_system_complete(const zw_system *sys, const zw_active *active, double t,
                                    const double *p, double *x, zw_completion *completion,
                                    zw_error *err);

/* Is it doubtful whether this start is meant? If freedoms were chosen or other solutions found, and no guess
 * says which: then *doubt is about it. */
ZW_API bool zw_completion_doubt(const zw_completion *completion, zw_doubt *doubt);

#ifdef __cplusplus
}
#endif
#endif
