/* SPDX-License-Identifier: MIT */
/* What a count of n cases, taken by chance, says of the share of all. */
#ifndef ZW_MANY_SHARE_BOUND_H
#define ZW_MANY_SHARE_BOUND_H

/* The largest share of which k or fewer of n cases are still as likely as 5 percent. 1 if n is
 * 0. */
double zw_share_at_most(long k, long n);
/* The same to two digits, rounded up: a bound stays one when it is printed. */
double zw_share_reported(long k, long n);

#endif
