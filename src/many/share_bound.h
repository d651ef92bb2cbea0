/* SPDX-License-Identifier: MIT */
/* What a count among n random cases implies for the share in all cases. */
#ifndef ZW_MANY_SHARE_BOUND_H
#define ZW_MANY_SHARE_BOUND_H

/* The largest share for which k or fewer of n cases still have the probability 5 %. 1 if n is 0. */
double zw_share_at_most(long k, long n);
/* The same with two digits, rounded up, so that the printed value is still a bound. */
double zw_share_reported(long k, long n);

#endif
