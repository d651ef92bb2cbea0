/* SPDX-License-Identifier: MIT */
/* Means of numbers that remember each other. m series (motions) of b consecutive values each;
 * neighbours are joined again and again,
 *
 *     1, 2, 4, ... values to one,   error^2 = variance of the joined/(number of them),
 *
 * which changes until the joined do not remember each other any more (H. Flyvbjerg, H. G. Petersen,
 * J. Chem. Phys. 91 (1989) 461): that of 8 or more long ones of each series counts. Where these are
 * less than 32 in all, it is not well known itself, and the larger of the last two counts. */
#ifndef ZW_MANY_EXPONENTS_BLOCK_MEAN_H
#define ZW_MANY_EXPONENTS_BLOCK_MEAN_H

/* Value j of series i is at x[(i b + j) stride]. independent: so many of the series are worth
 * something on their own, 1 .. m. room: m b doubles. */
double zw_block_mean(int m, int b, const double *x, int stride, double independent, double *error,
                     double *room);

#endif
