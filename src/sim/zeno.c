/* SPDX-License-Identifier: MIT */
/* Events that accumulate: a bouncing ball comes to rest in finite time after infinitely many
 * impacts.
 *
 * If the intervals d_n between impacts shrink by the ratio r = d_n / d_(n-1) < 1, the time that is
 * left is the geometric series d_n r/(1 - r). When that is a tiny part of the time since they began
 * to shrink, nothing that could be seen comes before the limit, and the run ends there. The ratio
 * needs not be constant before: the estimate is that of Aitken's extrapolation and gets better as r
 * settles. Tiny: what happens between two impacts goes with the square of the time, so that it
 * drowns in the error of the integration below the root of its tolerance. An event that comes again
 * and again while time hardly goes on is caught as well. */
#include <math.h>

#include "internal.h"

#define INSTANT 1e-10 /* of the whole run */
enum { SHRUNK = 6, STOOD = 1000 };

bool zw_sim_accumulates(zw_sim_history *h, double t, double span, double tiny, double *limit) {
    double before = h->interval;
    h->interval = h->times ? t - h->last : INFINITY;
    h->standing = h->interval <= INSTANT * span ? h->standing + 1 : 0;
    if (h->interval < before && h->times > 1) {
        h->shrinking++;
    } else {
        h->shrinking = 0;
        h->began = h->times ? h->last : t;
    }
    h->last = t;
    h->times++;
    *limit = t;
    if (h->standing >= STOOD)
        return true;
    double ratio = h->interval / before, left = h->interval * ratio / (1 - ratio);
    h->left = h->shrinking >= 2 ? left : 0;
    if (h->shrinking < SHRUNK || !(left <= tiny * (t - h->began)))
        return false;
    *limit = t + left;
    return true;
}
