/* SPDX-License-Identifier: MIT */
/* Tolerances that mean the same in every module, each with what it follows from.
 *
 * eps = 2^-52 = 2.2e-16 is the spacing of doubles at 1. A sum of n terms is known up to n eps times
 * the sum of their absolute values; a solution of linear equations up to eps times their condition
 * number; a difference quotient of order k with the best step up to eps^(k/(k+1)); a root of
 * multiplicity m up to eps^(1/m). A constant that belongs to one algorithm alone stays in its
 * source, with its own name and reason. */
#ifndef ZW_BASE_TOLERANCE_H
#define ZW_BASE_TOLERANCE_H

#include <float.h>

/* Added to a denominator, or its least size: far below every quantity in SI units, and so far above
 * DBL_MIN that a product with eps is still a normal number. */
#define ZW_TINY 1e-300

/* Relative round-off. */
#define ZW_ROUNDOFF_VALUE 1e-13 /* of a value after some hundred operations: 450 eps */
#define ZW_ROUNDOFF_SUM 1e-12 /* of a sum of up to 4500 terms, relative to their absolute values */
#define ZW_ROUNDOFF_SOLVED 1e-9 /* of a solution of equations with condition numbers up to 4e6 */

/* Relative distance of what counts as equal. */
#define ZW_SAME_VALUE 1e-9    /* values of a parameter, also if one was printed with ten digits */
#define ZW_SAME_SOLUTION 1e-6 /* solutions by ZW_NEWTON with condition numbers up to 1e5 */

/* Relative correction at which Newton's method on the equations of a branch ends: the residual is a
 * sum of terms (ZW_ROUNDOFF_SUM), and the last correction is known to a tenth. */
#define ZW_NEWTON 1e-11

/* Round-off of n operations on numbers of this size. */
static inline double zw_roundoff(double n, double size) {
    return n * DBL_EPSILON * size;
}

#endif
