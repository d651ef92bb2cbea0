/* SPDX-License-Identifier: MIT */
/* From the factors of a monodromy matrix to its multipliers, for who has integrated the variations
 * (floquet.c, shooting.c). */
#ifndef ZW_MOTION_FLOQUET_FLOQUET_H
#define ZW_MOTION_FLOQUET_FLOQUET_H

#include "motion/segments/periodic.h"
#include "variation.h"

/* What is said of the multipliers beside their values. */
typedef struct zw_floquet_judging {
    double period, margin;
    bool autonomous;
    const double *T; /* nx x n: the basis at the start */
    /* log |det| of what was done to Y beside its equations; not finite: no check by Liouville */
    double jumps;
} zw_floquet_judging;

/* Memory for n multipliers of a state of nx entries; out was cleared. */
zw_status zw_floquet_make(zw_floquet *out, const zw_allocator *alloc, int nx, int n, zw_error *err);
/* The one that is nearest to 1; -1: there is none. */
int zw_floquet_nearest(const zw_floquet *f);
/* Accuracy, what is outside, and the verdict, from multipliers, errors and the trivial one. */
void zw_floquet_judge(zw_floquet *f, double margin);

/* Fills out (cleared before, if it was used) from the chunks of `fine`; `other` has those of
 * another accuracy, whose difference is the error. */
zw_status zw_floquet_fill(zw_floquet *out, const zw_allocator *alloc, const zw_variation *fine,
                          const zw_variation *other, const zw_floquet_judging *how, zw_error *err);

#endif
