/* SPDX-License-Identifier: MIT */
/* Events that accumulate: a bouncing ball comes to rest in finite time after infinitely many
 * impacts.
 *
 * If the intervals d_n between impacts shrink by the ratio r = d_n / d_(n-1) < 1, the remaining
 * time is the geometric series d_n r/(1 - r). When that is a tiny fraction of the time since they
 * began to shrink, nothing visible happens before the limit, and the run ends there. The ratio need
 * not be constant before: the estimate is Aitken's extrapolation and improves as r converges. Tiny:
 * the displacement between two impacts grows with the square of the time, so that it is below the
 * error of the integration for times below the square root of its tolerance. An event that occurs
 * repeatedly while time hardly advances is detected too. */
#include <math.h>

#include "internal.h"

/* Interval, relative to the whole run, that counts as no time: a thousand times round-off of times
 * with a few digits. STOOD events at such intervals accumulate. */
#define INTERVAL_NONE 1e-10
enum { SHRUNK = 6, STOOD = 1000 }; /* shrinking intervals, intervals of no time, that accumulate */

bool zw_sim_accumulates(zw_sim_history *h, double t, double span, double tiny, double *limit) {
    double before = h->interval;
    h->interval = h->times ? t - h->last : INFINITY;
    h->standing = h->interval <= INTERVAL_NONE * span ? h->standing + 1 : 0;
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
