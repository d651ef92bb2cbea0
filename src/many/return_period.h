/* SPDX-License-Identifier: MIT */
/* Does a motion come back? Of points x_1 .. x_n, one each period of the drive (or passage of a
 * section), the last ones are compared: the period is the least p <= n/3 with |x_j - x_{j+kp}| <=
 * tolerance times the size of the motion, in every entry, for all of the max(n/2, 2 p) points
 * before the last p ones, of which x_{j+kp} is one. Entries that the model calls periodic are
 * compared modulo their period. So a motion that shrinks by less than the tolerance from return to
 * return is not taken for one that comes back. A slow transient that is slower than the tolerance
 * over n/2 points is not told from a period. */
#ifndef ZW_MANY_RETURN_PERIOD_H
#define ZW_MANY_RETURN_PERIOD_H

/* x: n x nx, oldest first. turn: nx, the period of an entry, 0 if it has none. size: nx, absolute
 * distances that count as equal. 0: it has none. */
int zw_attractor_period(int n, int nx, const double *x, const double *turn, const double *size);

#endif
