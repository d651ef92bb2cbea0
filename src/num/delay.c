/* SPDX-License-Identifier: MIT */
/* The past of delayed quantities along a run, a polynomial of degree N each (src/mech/system/delay.c). At a start it is
 * constant, unless the model says otherwise. After each step its last Legendre coefficient tells whether the nodes are
 * enough: relative to the range of the quantity it is r for a past that is not resolved, and the delayed value of a wave
 * is then wrong by about 2 r^2 (both are N!/(2N)! to powers of the frequency). Where a motion begins with a constant past
 * its slope jumps; for two delays nothing is said of that. */
#include <float.h>
#include <math.h>

#include "internal.h"

enum { BEGINNING = 2 };   /* delays after a start from a constant past */
#define RESOLVED 1e-3     /* last coefficient, relative to the range */
#define ROUNDING 1e-9     /* ranges, relative to the values, that are none */

bool zw_num_delays_begin(zw_run *run, double t, double *x, const bool *fixed) {
    const zw_kernel *k = run->k;
    bool changed = false;
    for (int i = 0; i < k->ndelay; i++) {
        double now = zw_at_delayed(run->flow, t, x, NULL).value[i];
        for (int j = k->delay[i].first; j < k->delay[i].first + k->delay[i].nodes; j++) {
            changed = changed || (!fixed[j] && x[j] != now);
            x[j] = fixed[j] ? x[j] : now;
        }
    }
    return changed;
}

/* the last coefficient; the range grows */
static double tail(const zw_delay_line *d, const double *x, double now, zw_num_past *past) {
    double sum = d->tail[0] * now;
    past->low = fmin(past->low, now);
    past->high = fmax(past->high, now);
    for (int j = 0; j < d->nodes; j++) {
        double u = x[d->first + j];
        sum += d->tail[j + 1] * u;
        past->low = fmin(past->low, u);
        past->high = fmax(past->high, u);
    }
    return fabs(sum);
}

static bool varies(const zw_num_past *past) {
    return past->high - past->low > ROUNDING * fmax(fabs(past->low), fabs(past->high)) + DBL_MIN;
}

void zw_num_delays_start(zw_run *run, double t, const double *x) {
    const zw_kernel *k = run->k;
    for (int i = 0; i < k->ndelay; i++) {
        zw_delayed_parts now = zw_at_delayed(run->flow, t, x, NULL);
        run->past[i] = (zw_num_past){.low = INFINITY, .high = -INFINITY};
        tail(&k->delay[i], x, now.value[i], &run->past[i]);
        run->past[i].from = varies(&run->past[i]) ? t : t + BEGINNING * now.lag[i];
    }
}

void zw_num_delays_look(zw_run *run, double t, const double *x) {
    const zw_kernel *k = run->k;
    if (k->ndelay == 0)
        return;
    zw_delayed_parts now = zw_at_delayed(run->flow, t, x, NULL);
    for (int i = 0; i < k->ndelay; i++) {
        zw_num_past *past = &run->past[i];
        double last = tail(&k->delay[i], x, now.value[i], past), range = past->high - past->low;
        if (t >= past->from && varies(past) && last > RESOLVED * range)
            zw_num_doubt(run->flow, ZW_DOUBT_DELAY, i, t, last / range);
    }
}
