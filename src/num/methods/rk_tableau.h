/* SPDX-License-Identifier: MIT */
/* Explicit Runge-Kutta pairs with dense output, as data.
 *
 * A step of length h from y0 computes the rates k_i = f(t + c_i h, y0 + h sum_j a_ij k_j), i <
 * stages, and y1 = y0 + h sum_j a_end,j k_j, where the row `end` = stages gives the weights of y1,
 * so that k_end = f(t + h, y1) is the first rate of the next step. h sum_j e_j k_j is the
 * difference from the embedded solution. The rows after `end` belong to rates that only the dense
 * output needs:
 *
 *     y(t + theta h) = y0 + theta (r1 + (1 - theta) (r2 + theta (r3 + (1 - theta) (r4 + ...))))
 *     r1 = y1 - y0,  r2 = h k_0 - r1,  r3 = r1 - h k_end - r2,  r_(m+4) = h sum_j d_mj k_j
 *
 * The first three are Hermite interpolation; this nesting is exact at both ends, with both slopes,
 * and keeps the coefficients small. */
#ifndef ZW_NUM_METHODS_RK_TABLEAU_H
#define ZW_NUM_METHODS_RK_TABLEAU_H

enum { ZW_RK_ROWS = 18, ZW_RK_DENSE = 4 }; /* largest sizes of all pairs */

typedef struct zw_rk_tableau {
    int order, embedded, dense; /* orders of y1, of the embedded solution, of the dense output */
    int stages;                 /* number of rates for y1; c of the last one is 1 */
    int rows;                   /* number of all rates: stages, end, dense output */
    int ndense;                 /* number of coefficients r4, r5, ... of the dense output */
    double stable; /* largest stable decay rate times h, slightly below the true limit */
    double c[ZW_RK_ROWS];
    double a[ZW_RK_ROWS][ZW_RK_ROWS];
    double e[ZW_RK_ROWS];
    double d[ZW_RK_DENSE][ZW_RK_ROWS];
} zw_rk_tableau;

extern const zw_rk_tableau zw_rk_54, zw_rk_87;

#endif
