/* SPDX-License-Identifier: MIT */
/* The past of delayed quantities along a run, a polynomial of degree N each
 * (src/mech/system/delay.c). At a start it is constant, unless the model gives it. After each step
 * its last Legendre coefficient shows whether there are enough nodes: for a past that is not
 * resolved it is r times the range of the quantity, and the delayed value of a wave then has an
 * error of about 2 r^2 (both are N!/(2N)! to powers of the frequency). If a motion begins with a
 * constant past, its slope jumps, and waves of all frequencies travel for one delay: their effect
 * on the coefficient is reported when they arrive, relative to the range by then, and their
 * remainder is not reported. */
#include <float.h>
#include <math.h>

#include "base/tolerance.h"
#include "internal.h"

enum { BEGINNING = 2 }; /* delays after a start from a constant past */
/* Error of a value after a jump of the slope, over sqrt(N) times the coefficient: measured. */
#define KINK 1.4
/* Least such error, relative to the range, that is reported: it is visible in a picture. */
#define PAST_ERROR 2e-3
#define RANGE_ROUNDOFF ZW_ROUNDOFF_SOLVED /* range, relative to the values, of a constant past */

zw_status zw_num_check_lags(zw_flow *flow, zw_error *err) {
    for (int i = 0; i < flow->k->ndelay; i++) { /* delays do not depend on the state */
        double lag = zw_at_delayed(flow, 0, flow->fault_x, NULL).lag[i];
        if (!(lag > 0 && isfinite(lag)))
            return zw_fail(err, ZW_E_DOMAIN, "a delay is %.6g s: it must be positive", lag);
    }
    return ZW_OK;
}

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

double zw_flow_past(zw_flow *flow, double t, const double *x, int delay, double *low,
                    double *high) {
    const zw_delay_line *d = &flow->k->delay[delay];
    double now = zw_at_delayed(flow, t, x, NULL).value[delay], sum = d->tail[0] * now;
    *low = fmin(*low, now);
    *high = fmax(*high, now);
    for (int j = 0; j < d->nodes; j++) {
        double u = x[d->first + j];
        sum += d->tail[j + 1] * u;
        *low = fmin(*low, u);
        *high = fmax(*high, u);
    }
    return fabs(sum);
}

static bool varies(const zw_num_past *past) {
    return past->high - past->low >
           RANGE_ROUNDOFF * fmax(fabs(past->low), fabs(past->high)) + DBL_MIN;
}

void zw_num_delays_start(zw_run *run, double t, const double *x) {
    for (int i = 0; i < run->k->ndelay; i++) {
        zw_num_past *past = &run->past[i];
        *past = (zw_num_past){.low = INFINITY, .high = -INFINITY, .from = t, .until = t};
        double lag = zw_at_delayed(run->flow, t, x, NULL).lag[i];
        zw_flow_past(run->flow, t, x, i, &past->low, &past->high);
        if (!varies(past)) {
            past->from = t + lag;
            past->until = t + BEGINNING * lag;
        }
    }
}

void zw_num_delays_check(zw_run *run, double t, const double *x) {
    for (int i = 0; i < run->k->ndelay; i++) {
        zw_num_past *past = &run->past[i];
        past->last = fmax(past->last, zw_flow_past(run->flow, t, x, i, &past->low, &past->high));
        bool began = past->from < past->until;
        if (t < past->from)
            continue;
        double part = varies(past) ? past->last / (past->high - past->low) : 0,
               blur = KINK * sqrt(run->k->delay[i].nodes) * part;
        if (began && blur > PAST_ERROR)
            zw_num_warning(run->flow, ZW_WARNING_PAST, i, t, blur);
        else if (!began && part > ZW_PAST_RESOLVED)
            zw_num_warning(run->flow, ZW_WARNING_DELAY, i, t, part);
        past->last = 0;
        past->from = past->until;
    }
}
