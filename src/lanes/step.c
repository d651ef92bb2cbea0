/* SPDX-License-Identifier: MIT */
/* The choice of the compiled attempt (attempt.h), and the first step of a lane. */
#include <math.h>

#include "base/processor.h"
#include "lanes.h"
#include "num/methods/onestep.h"

const zw_lanes_code *zw_lanes_code_here(void) {
    return zw_lanes_fused.aim && zw_processor_fuses() ? &zw_lanes_fused : &zw_lanes_plain;
}

void zw_lanes_combine(const zw_lanes *l, const double *y, const zw_lanes_terms *w, double *out) {
    l->code->combine(l, y, w, out);
}

void zw_lanes_rates(zw_lanes *l, const double *t, const double *y, double *rate) {
    const zw_args in = {.t = t, .x = y + l->at * l->L, .c = l->cache};
    zw_kernel_call(l->k, ZW_FN_RHS, &in, rate + l->at * l->L, l->work);
    if (l->at > 0)
        zw_lanes_linear(l, t, y, rate);
}

/* root mean square of v_i / (atol + rtol |y_i|) in a lane */
static double error_norm(const zw_lanes *l, int lane, const double *v, const double *minus) {
    double sum = 0;
    for (int i = l->at; i < l->n; i++) {
        int at = i * l->L + lane;
        double r = (minus ? v[at] - minus[at] : v[at]) /
                   (l->options.atol + l->options.rtol * fabs(l->y0[at]));
        sum += r * r;
    }
    return sqrt(sum / l->k->nx);
}

static double limit_step(const zw_lanes *l, double h) {
    return l->options.step_max > 0 ? fmin(h, l->options.step_max) : h;
}

/* Hairer, Norsett, Wanner (1993, II.4), as zw_num_onestep_first */
void zw_lanes_begin(zw_lanes *l) {
    int L = l->L, order = l->table->embedded + 1;
    double *first = l->stage_t, speed[8], *kept = l->scratch, *after = l->scratch + l->row;
    zw_lanes_rates(l, l->t, l->y0, kept);
    for (int lane = 0; lane < L; lane++) {
        first[lane] = l->t[lane];
        if (!(l->fresh >> lane & 1)) {
            for (int i = 0; i < l->n; i++)
                l->stage[i * L + lane] = l->y0[i * L + lane];
            continue;
        }
        for (int i = 0; i < l->n; i++)
            l->rate[i * L + lane] = kept[i * L + lane];
        double size = error_norm(l, lane, l->y0, NULL);
        speed[lane] = error_norm(l, lane, l->rate, NULL);
        l->h[lane] = limit_step(l, size > ZW_NUM_FIRST_NORM && speed[lane] > ZW_NUM_FIRST_NORM
                                       ? 0.01 * size / speed[lane]
                                       : ZW_NUM_FIRST_STEP);
        first[lane] += l->h[lane];
        for (int i = 0; i < l->n; i++)
            l->stage[i * L + lane] = l->y0[i * L + lane] + l->h[lane] * l->rate[i * L + lane];
    }
    zw_lanes_rates(l, first, l->stage, after);
    for (int lane = 0; lane < L; lane++) {
        if (!(l->fresh >> lane & 1))
            continue;
        double h = l->h[lane], bend = error_norm(l, lane, after, l->rate) / h,
               most = fmax(speed[lane], bend);
        double fits = most > ZW_NUM_FIRST_RATE ? pow(0.01 / most, 1.0 / order)
                                               : fmax(ZW_NUM_FIRST_STEP, h * ZW_NUM_FIRST_SHORTER);
        l->h[lane] = isfinite(bend) ? limit_step(l, fmin(100 * h, fits)) : h / 100;
        l->steps[lane] = l->rejected[lane] = 0;
    }
    l->fresh = 0;
}
