/* SPDX-License-Identifier: MIT */
/* Exact fractions (those of src/expr/core/number.h), and systems of linear equations with them. A
 * fraction that has grown beyond 63 bits has the denominator 0 from then on, and so has everything
 * computed from it: its value is unknown, and it never counts as 0. */
#ifndef ZW_FORMULAS_GROUPS_FRACTIONS_H
#define ZW_FORMULAS_GROUPS_FRACTIONS_H

#include <stdbool.h>

#include "zwang/groups.h"

zw_fraction zw_fraction_of(int64_t num, int64_t den);
zw_fraction zw_fraction_add(zw_fraction a, zw_fraction b);
zw_fraction zw_fraction_mul(zw_fraction a, zw_fraction b);
zw_fraction zw_fraction_neg(zw_fraction a);
zw_fraction zw_fraction_inverse(zw_fraction a); /* the inverse of 0 is an overflowed fraction */
double zw_fraction_value(zw_fraction a);

/* y += f x, n entries. */
void zw_fraction_axpy(int n, zw_fraction f, const zw_fraction *x, zw_fraction *y);
/* Coefficients c (n) with v = sum_i c_i rows_i, rows n x m of rank n; false if v (m) is not in
 * their span, or if a fraction overflows. work: (n + 1) x m entries. */
bool zw_fraction_express(int n, int m, const zw_fraction *rows, const zw_fraction *v,
                         zw_fraction *c, zw_fraction *work);
/* Rank of n x m entries, which are overwritten; -1 if a fraction overflows. */
int zw_fraction_rank(int n, int m, zw_fraction *A);

#endif
