/* SPDX-License-Identifier: MIT */
/* Means of correlated numbers. m series (motions) of b consecutive values each; neighbours are
 * averaged again and again,
 *
 *   1, 2, 4, ... values to one,   error^2 = variance of the averages/(number of them),
 *
 * which changes until the averages are no longer correlated (H. Flyvbjerg, H. G. Petersen, J.
 * Chem. Phys. 91 (1989) 461): the error is that of 8 or more long averages of each series. Where
 * there are fewer than 32 in all, it is not known well itself, and the larger of the last two is
 * used. */
#ifndef ZW_MANY_EXPONENTS_BLOCK_MEAN_H
#define ZW_MANY_EXPONENTS_BLOCK_MEAN_H

/* Value j of series i is at x[(i b + j) stride]. independent: number of independent series, 1 .. m.
 * scratch: m b doubles. */
double zw_block_mean(int m, int b, const double *x, int stride, double independent, double *error,
                     double *scratch);

#endif
