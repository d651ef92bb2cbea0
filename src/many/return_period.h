/* SPDX-License-Identifier: MIT */
/* Does a motion return? Of the points x_1 .. x_n, one for each period of the excitation (or passage
 * of a section), the last ones are compared: the period is the smallest p <= n/3 with |x_j -
 * x_{j+kp}| <= tolerance times the size of the motion, in every entry, for all of the max(n/2, 2 p)
 * points before the last p ones, of which x_{j+kp} is one. Entries that the model calls periodic
 * are compared modulo their period. So a motion that shrinks by less than the tolerance from return
 * to return does not count as returning. A transient that is slower than the tolerance over n/2
 * points cannot be distinguished from a period. */
#ifndef ZW_MANY_RETURN_PERIOD_H
#define ZW_MANY_RETURN_PERIOD_H

/* x: n x nx, oldest first. turn: nx, the period of an entry, 0 if it is not periodic. size: nx,
 * absolute distances that count as equal. Returns 0 if there is no period. */
int zw_attractor_period(int n, int nx, const double *x, const double *turn, const double *size);

#endif
