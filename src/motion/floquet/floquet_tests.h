/* SPDX-License-Identifier: MIT */
/* Functions of Floquet's multipliers mu whose zeros along a curve of motions are bifurcations:
 *
 *     prod (mu_i - 1) / (da/ds)       a multiplier passes 1, and the curve does not turn: branches cross, a symmetry breaks
 *     prod (mu_i + 1)                 the period doubles
 *     prod_{i<j} (mu_i mu_j - 1)      a pair passes the unit circle, if it is one: Neimark and Sacker
 *
 * each factor divided by its size, so that the products neither vanish nor grow with the number of
 * multipliers; of the last, factors that are not real are positive together and left out. One that
 * is zero within the error of its multipliers counts as zero: without damping all pairs stay on the
 * circle, and pass it nowhere. The multiplier 1 of an autonomous system is left out. */
#ifndef ZW_MOTION_FLOQUET_FLOQUET_TESTS_H
#define ZW_MOTION_FLOQUET_FLOQUET_TESTS_H

#include "motion/segments/periodic.h"

/* counts (n; NULL: all): without others that are 1 anyway */
double zw_floquet_test_branch(const zw_floquet *m, const bool *counts, double slope);
double zw_floquet_test_flip(const zw_floquet *m);
double zw_floquet_test_torus(const zw_floquet *m);
/* Is there a pair on the unit circle, which is no product of two real ones? */
bool zw_floquet_test_has_pair(const zw_floquet *m);
/* Are two of them at 1, or at -1, at once? */
bool zw_floquet_test_has_two(const zw_floquet *m, double value);

#endif
