/* SPDX-License-Identifier: MIT */
/* Does a fixed step resolve the motion? A method without error control does not notice if it fails.
 *
 * Over a step of length h the rate f = y' changes by h y'' and more, so that
 *
 *     r_i = h |f_i(y1) - f_i(y0)| / S_i,        S_i = the largest |y_i| so far
 *
 * is about (h omega)^2 for a motion of frequency omega, and h |lambda| if a component that decays
 * or grows with the rate lambda is in the state. A step with r_i > UNRESOLVED spans more than 1.4
 * radians of its motion: explicit methods are near the limit of stability there (h omega = 2 for
 * rattle, 2.8 to 6 for erk), implicit ones do not resolve the oscillation. This causes a warning.
 * If the state then grows by the factor BLOWN_UP, it is not the motion of the model: the run ends.
 *
 * Entries that are small compared with the others are compared with SMALL of the largest, and in
 * the first steps entries that have just begun to move must have r_i > 10 (BEGINS): the far end of
 * a chain moves like t^n, with large rates for its size.
 *
 * Rates at both ends cost two evaluations, so that only every SPACING-th step is checked, the first
 * ones more often, and every step in which an entry grows by the factor LEAP. */
#include <math.h>
#include <string.h>

#include "num/internal.h"

enum { FIRST = 4, SPACING = 16 }; /* steps checked one by one; then one in SPACING */
static const double UNRESOLVED = 2, SMALL = 1e-3, LEAP = 10, BLOWN_UP = 1e6, BEGINS = 0.2;

bool zw_num_has_fixed_pace(const zw_run *run) {
    unsigned traits = run->method->traits;
    return !(traits & ZW_TRAIT_JUMPS) &&
           ((traits & ZW_TRAIT_FIXED_STEP) ||
            ((traits & ZW_TRAIT_CAN_FIX_STEP) && run->options.step > 0));
}

void zw_num_pace_start(zw_run *run) {
    zw_num_pace *w = &run->pace;
    w->steps = 0;
    w->next = FIRST;
    w->warned = 0;
    for (int i = 0; i < run->ny; i++)
        w->reach[i] = fabs(run->y[i]);
}

void zw_num_pace_before(zw_run *run) {
    memcpy(run->pace.from, run->y, sizeof(double) * (size_t)run->ny);
}

/* updates the sizes by the new state; has an entry grown by the factor LEAP? */
static bool detect_leap(zw_run *run) {
    zw_num_pace *w = &run->pace;
    bool leap = false;
    for (int i = 0; i < run->ny; i++) {
        double size = fabs(run->y[i]);
        leap = leap || size > LEAP * w->reach[i];
        w->reach[i] = fmax(w->reach[i], size);
    }
    return leap;
}

static double largest_entry(const zw_run *run) {
    double most = 0;
    for (int i = 0; i < run->ny; i++)
        most = fmax(most, run->pace.reach[i]);
    return most;
}

/* the largest r_i and its entry; in the first steps an entry that has just begun to move counts
 * BEGINS */
static double find_unresolved(const zw_run *run, int *index) {
    const zw_num_pace *w = &run->pace;
    double floor = SMALL * largest_entry(run), h = fabs(run->now - run->before), worst = 0;
    for (int i = 0; i < run->ny; i++) {
        double r = h * fabs(w->rate[1][i] - w->rate[0][i]) / fmax(w->reach[i], floor);
        if (w->steps < FIRST && fabs(w->from[i]) < 0.1 * w->reach[i])
            r *= BEGINS;
        if (r > worst) {
            worst = r;
            *index = i;
        }
    }
    return worst;
}

zw_status zw_num_pace_after(zw_run *run, zw_error *err) {
    zw_num_pace *w = &run->pace;
    bool leap = detect_leap(run);
    int index = -1;
    if (++w->steps >= FIRST && w->steps < w->next && !leap)
        return ZW_OK;
    if (w->steps >= FIRST)
        w->next = w->steps < SPACING ? 2 * w->steps : w->steps + SPACING;
    zw_error ignored = {0};
    zw_fault fault = run->flow->fault;
    bool known = zw_num_rate(run, run->before, w->from, w->rate[0], &ignored) >= 0 &&
                 zw_num_rate(run, run->now, run->y, w->rate[1], &ignored) >= 0;
    run->flow->fault = fault;
    run->info.rhs_calls += 2;
    if (!known || !(find_unresolved(run, &index) > UNRESOLVED))
        return ZW_OK;
    double size = largest_entry(run);
    if (w->warned == 0)
        w->warned = size;
    zw_num_warning(run->flow, ZW_WARNING_STEP, run->ny == run->k->nx ? index : -1, run->now, NAN);
    if (size < BLOWN_UP * w->warned)
        return ZW_OK;
    zw_fail(err, ZW_E_NUMERIC,
            "the motion blows up between t = %.10g and %.10g: the step is too long", run->before,
            run->now);
    zw_error_hint(err, "a smaller --step, or a method that chooses its steps");
    return ZW_E_NUMERIC;
}
