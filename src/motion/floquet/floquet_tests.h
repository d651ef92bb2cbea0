/* SPDX-License-Identifier: MIT */
/* Functions of the Floquet multipliers mu whose zeros along a branch are bifurcations:
 *
 *     prod (mu_i - 1) / (da/ds)       a multiplier crosses 1 and the branch has no fold: branches
 *                                     cross, a symmetry breaks
 *     prod (mu_i + 1)                 period doubling
 *     prod_{i<j} (mu_i mu_j - 1)      a complex pair crosses the unit circle: Neimark-Sacker; two
 *                                     real multipliers with product 1 are no bifurcation
 *
 * Each factor is divided by its size, so that the products neither vanish nor grow with the number
 * of multipliers. Factors of the last product that are not real have positive products with their
 * conjugates and are left out. A factor that is zero within the error of its multipliers counts as
 * zero: without damping all pairs stay on the circle and cross it nowhere. The multiplier 1 of an
 * autonomous system is left out. */
#ifndef ZW_MOTION_FLOQUET_FLOQUET_TESTS_H
#define ZW_MOTION_FLOQUET_FLOQUET_TESTS_H

#include "zwang/periodic.h"

/* counts: n; NULL: all. False for further multipliers that are always 1. slope: da/ds. */
double zw_floquet_test_branch(const zw_floquet *m, const bool *counts, double slope);
double zw_floquet_test_flip(const zw_floquet *m);
double zw_floquet_test_torus(const zw_floquet *m);
/* Is there a complex pair on the unit circle? */
bool zw_floquet_test_has_pair(const zw_floquet *m);
/* Are two or more multipliers equal to value (1 or -1)? */
bool zw_floquet_test_has_two(const zw_floquet *m, double value);

#endif
