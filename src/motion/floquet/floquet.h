/* SPDX-License-Identifier: MIT */
/* From the factors of a monodromy matrix to its Floquet multipliers, for callers that have
 * integrated the variations (floquet.c, segments/shooting.c). */
#ifndef ZW_MOTION_FLOQUET_FLOQUET_H
#define ZW_MOTION_FLOQUET_FLOQUET_H

#include "variation.h"
#include "zwang/periodic.h"

/* What the multipliers are judged by. */
typedef struct zw_floquet_judging {
    double period, margin;
    bool autonomous;
    const double *T; /* nx x n: the basis at the start */
    /* log |det| of the maps applied to Y between its equations (events); not finite: Liouville's
     * formula is not checked */
    double jumps;
} zw_floquet_judging;

/* Allocates the arrays of n multipliers of a state with nx entries; overwrites out, which must be
 * cleared. */
zw_status zw_floquet_make(zw_floquet *out, const zw_allocator *alloc, int nx, int n, zw_error *err);
/* Index of the multiplier nearest to 1; -1 if there are no multipliers. */
int zw_floquet_nearest(const zw_floquet *f);
/* Sets accuracy, the number outside the unit circle and the verdict, from the multipliers, their
 * errors and the trivial one. */
void zw_floquet_judge(zw_floquet *f, double margin);

/* Fills out, which must be cleared, from the chunks of `fine`; `other` has the chunks of another
 * accuracy, and the difference between the two is the error. */
zw_status zw_floquet_fill(zw_floquet *out, const zw_allocator *alloc, const zw_variation *fine,
                          const zw_variation *other, const zw_floquet_judging *how, zw_error *err);

#endif
