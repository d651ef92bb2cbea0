/* SPDX-License-Identifier: MIT */
/* Events: zeros of functions g_i(t, x, v', lambda) along the motion.
 *
 * Every step of the method is searched once. The functions are sampled at a few points of its dense
 * output; a change of sign between two samples brackets a zero, which is found by the secant method
 * with Anderson and Bjorck's (1973) weights. Where a method can land (repeat its step with another
 * length), the zero is corrected with states of that accuracy, so that the time of an event is as
 * good as the steps are and not as the dense output is.
 *
 * A function is armed with the sign it has (its side) and fires when it is found on the other side,
 * if the direction is the wanted one. Then it must get away from zero before it is armed again, to
 * AT_REST times the largest value it has had and to a hundredth of the accuracy that the tolerances of
 * the state promise it, sum |dg/dy_j| (rtol |y_j| + atol): a function that comes to rest at zero, or is
 * held there by a constraint, does not fire for ever on its errors.
 *
 * Where a motion is started again on its way (an event has acted, a signal has jumped), functions that
 * were armed stay so, if that did not make them jump: what was about to cross zero still fires. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "internal.h"

#define AT_REST 1e-6
#define WELL_KNOWN 1e-2 /* steps are more accurate than asked */

enum { CORRECTIONS = 6, ITERATIONS = 100 };
static const double sample_points[] = {0,   1e-4,  0.125, 0.25,  0.375,
                                       0.5, 0.625, 0.75,  0.875, 1}; /* of the interval searched */
enum { SAMPLES = sizeof sample_points / sizeof *sample_points };
_Static_assert((int)SAMPLES == (int)ZW_NUM_EVENT_SAMPLES,
               "the block of a run has room for the samples");

static int sign(double g) {
    return (g > 0) - (g < 0);
}

/* all functions at y(t) into g */
static zw_status functions_at(zw_run *run, double t, const double *y, double *g, zw_error *err) {
    const zw_kernel *k = run->k;
    if (zw_num_leaves_itself(run)) {
        ZW_TRY(run->method->leave(run, t, y, run->candidate, run->flow->z, err));
    } else {
        ZW_TRY(zw_num_expand(run, t, y, run->candidate, err));
        if (!k->evt_state_only)
            ZW_TRY(zw_num_accel(run->flow, t, run->candidate, run->flow->qdot, run->flow->z, err));
    }
    const double *value = zw_at_evt(run->flow, t, run->candidate, run->flow->z).value;
    for (int i = 0; i < k->nevt; i++) {
        if (!isfinite(value[i]))
            return zw_fail(err, ZW_E_NONFINITE, "event function %d is not finite at t = %.10g",
                           i + 1, t);
        g[i] = value[i];
    }
    return ZW_OK;
}

static zw_status functions_dense(zw_run *run, double t, double *g, zw_error *err) {
    ZW_TRY(run->method->dense(run, t, run->dense, err));
    return functions_at(run, t, run->dense, g, err);
}

/* function i at t, by the dense output or by a step that ends there */
static zw_status one_function(zw_run *run, int i, double t, bool land, double *g, zw_error *err) {
    double *all = run->samples + SAMPLES * run->k->nevt;
    if (land)
        ZW_TRY(run->method->land(run, t, run->event_state, err));
    ZW_TRY(land ? functions_at(run, t, run->event_state, all, err)
                : functions_dense(run, t, all, err));
    *g = all[i];
    return ZW_OK;
}

/* How well the functions are known, from their values g at run->y. */
static zw_status find_accuracy(zw_run *run, const double *g, zw_error *err) {
    const zw_run_options *o = &run->options;
    double *shifted = run->dense, *ahead = run->samples + SAMPLES * run->k->nevt;
    memset(run->accuracy, 0, sizeof(double) * (size_t)run->k->nevt);
    memcpy(shifted, run->y, sizeof(double) * (size_t)run->ny);
    for (int j = 0; j < run->ny; j++) {
        double width = 1e-7 * (1 + fabs(run->y[j])),
               error = WELL_KNOWN * (o->rtol * fabs(run->y[j]) + o->atol);
        shifted[j] = run->y[j] + width;
        ZW_TRY(functions_at(run, run->now, shifted, ahead, err));
        shifted[j] = run->y[j];
        for (int i = 0; i < run->k->nevt; i++)
            run->accuracy[i] += fabs(ahead[i] - g[i]) / width * error;
    }
    return ZW_OK;
}

zw_status zw_num_events_start(zw_run *run, zw_error *err) {
    const zw_kernel *k = run->k;
    run->searched = run->now;
    run->event_time = run->direction * (double)INFINITY;
    run->search_from = run->now;
    run->sampled = false;
    for (int i = 0; i < k->nevt; i++) {
        run->side[i] = run->fired[i] = 0;
        run->reach[i] = 0;
    }
    if (k->nevt == 0)
        return ZW_OK;
    ZW_TRY(functions_at(run, run->now, run->y, run->samples, err));
    ZW_TRY(find_accuracy(run, run->samples, err));
    for (int i = 0; i < k->nevt; i++) {
        double was = run->given_value[i], is = run->samples[i];
        double same = run->accuracy[i] + 4 * DBL_EPSILON * fabs(was);
        if (isnan(was) || fabs(is - was) <= same)
            run->side[i] = run->given_side[i];
    }
    memcpy(run->side_before, run->side, sizeof(int) * (size_t)k->nevt);
    return ZW_OK;
}

/* The zero of function i in [a, b] where it has values ga, gb of different signs (gb may be 0). */
static zw_status find_zero(zw_run *run, int i, double a, double ga, double b, double gb, double *t,
                           zw_error *err) {
    if (sign(ga) != -sign(gb) && gb != 0) { /* it was on the other side just before a */
        *t = a;
        return ZW_OK;
    }
    for (int n = 0; n < ITERATIONS && gb != 0; n++) {
        double resolution = 2 * DBL_EPSILON * fmax(fabs(a), fabs(b));
        if (fabs(b - a) <= resolution)
            break;
        double c = b - gb * (b - a) / (gb - ga), g;
        if (!((c - a) * (b - c) > 0)) /* rounding, or a weight that has become too small */
            c = a + (b - a) / 2;
        ZW_TRY(one_function(run, i, c, false, &g, err));
        if (sign(g) * sign(gb) < 0) {
            a = b;
            ga = gb;
        } else {
            double weight = 1 - g / gb;
            ga *= weight > 0 ? weight : 0.5;
        }
        b = c;
        gb = g;
        if (n >= ITERATIONS / 2) { /* a very flat or jumping function: halve */
            c = a + (b - a) / 2;
            ZW_TRY(one_function(run, i, c, false, &g, err));
            if (sign(g) * sign(gb) < 0) {
                a = b;
                ga = gb;
            }
            b = c;
            gb = g;
        }
    }
    *t = b;
    return ZW_OK;
}

/* The slope of function i at t, by the dense output. */
static zw_status slope_at(zw_run *run, int i, double t, double *slope, zw_error *err) {
    double side = 1e-3 * (run->now - run->before), ahead, behind;
    double after = (run->now - t - side) * run->direction > 0 ? t + side : run->now;
    double prior = (t - side - run->before) * run->direction > 0 ? t - side : run->before;
    ZW_TRY(one_function(run, i, after, false, &ahead, err));
    ZW_TRY(one_function(run, i, prior, false, &behind, err));
    *slope = (ahead - behind) / (after - prior);
    return ZW_OK;
}

/* The zero t of function i corrected with states of full accuracy by Newton's method; the state there
 * is left in event_state. */
static zw_status correct_zero(zw_run *run, int i, double *t, zw_error *err) {
    double far = 1e-3 * fabs(run->now - run->before), slope, g;
    ZW_TRY(slope_at(run, i, *t, &slope, err));
    for (int n = 0;; n++) {
        ZW_TRY(one_function(run, i, *t, true, &g, err));
        double change = -g / slope, next = *t + change;
        if (n == CORRECTIONS || !isfinite(change) || fabs(change) > far ||
            (next - run->searched) * run->direction <= 0 ||
            (run->now - next) * run->direction < 0 || fabs(change) <= 2 * DBL_EPSILON * fabs(*t))
            return ZW_OK;
        *t = next;
    }
}

static bool jumps(const zw_run *run) {
    return run->method->traits & ZW_TRAIT_JUMPS;
}

/* samples of the functions over (searched, now]; the values at `searched` are known already except
 * after an event */
static zw_status take_samples(zw_run *run, zw_error *err) {
    int nevt = run->k->nevt;
    for (int j = 0; j < SAMPLES; j++) {
        double *g = run->samples + j * nevt;
        double t = run->searched + sample_points[j] * (run->now - run->searched);
        if (j == SAMPLES - 1 && !jumps(run))
            ZW_TRY(functions_at(run, run->now, run->y, g, err));
        else
            ZW_TRY(functions_dense(run, t, g, err));
        for (int i = 0; i < nevt; i++)
            run->reach[i] = fmax(run->reach[i], fabs(g[i]));
    }
    return ZW_OK;
}

/* Would function i fire if it crossed zero from this side? */
static bool fires_from(const zw_run *run, int i, int side) {
    int wanted = run->k->event_direction[i];
    return side != 0 && (wanted == 0 || wanted == -side * run->direction);
}

/* Does function i fire between samples j - 1 and j? */
static bool fires(const zw_run *run, int i, int j) {
    double g = run->samples[j * run->k->nevt + i];
    return sign(g) != run->side[i] && fires_from(run, i, run->side[i]);
}

/* The side of function i after sample j, where it did not fire. Sample 0 has been looked at already, as
 * the end of what was searched before: a sign that differs there is due, or rounding. */
static int next_side(const zw_run *run, int i, int j, int side) {
    double g = run->samples[j * run->k->nevt + i];
    if (side != 0)
        return j > 0 && g != 0 ? sign(g) : side;
    return fabs(g) > fmax(AT_REST * run->reach[i], run->accuracy[i]) ? sign(g) : 0;
}

static void arm(zw_run *run, int i, int j) {
    run->side[i] = next_side(run, i, j, run->side[i]);
}

static double sample_time(const zw_run *run, int j) {
    return run->search_from + sample_points[j] * (run->now - run->search_from);
}

void zw_run_armed(zw_run *run, int *side, double *value) {
    int nevt = run->k->nevt;
    if (run->fresh) { /* nothing has been looked at since the start */
        memcpy(side, run->given_side, sizeof(int) * (size_t)nevt);
        memcpy(value, run->given_value, sizeof(double) * (size_t)nevt);
        return;
    }
    memcpy(value, zw_at_evt(run->flow, run->t, run->x, run->z).value,
           sizeof(double) * (size_t)nevt);
    for (int i = 0; i < nevt; i++) {
        side[i] = run->side_before[i];
        for (int j = 0; run->sampled && j < SAMPLES; j++)
            if ((run->t - sample_time(run, j)) * run->direction >= 0)
                side[i] = next_side(run, i, j, side[i]);
        if (!fires_from(run, i, side[i]))
            side[i] = 0;
    }
}

void zw_run_arm(zw_run *run, const int *side, const double *value) {
    for (int i = 0; i < run->k->nevt; i++) {
        run->given_side[i] = side[i];
        run->given_value[i] = value ? value[i] : NAN;
    }
}

/* the earliest zero between samples j - 1 and j of the functions that fire there */
static zw_status earliest_zero(zw_run *run, int j, zw_error *err) {
    int nevt = run->k->nevt;
    double width = run->now - run->searched;
    double a = run->searched + sample_points[j - 1] * width,
           b = j == SAMPLES - 1 ? run->now : run->searched + sample_points[j] * width;
    int first = -1;
    for (int i = 0; i < nevt; i++) {
        if (!run->fired[i])
            continue;
        double t;
        ZW_TRY(find_zero(run, i, a, run->samples[(j - 1) * nevt + i], b, run->samples[j * nevt + i],
                         &t, err));
        run->zero[i] = t;
        if (first < 0 || (t - run->zero[first]) * run->direction < 0)
            first = i;
    }
    double t = run->zero[first];
    if (run->method->land && t != run->before)
        ZW_TRY(correct_zero(run, first, &t, err));
    else
        ZW_TRY(run->method->dense(run, t, run->event_state, err));
    double together = 16 * DBL_EPSILON * fmax(fabs(t), fabs(width));
    for (int i = 0; i < nevt; i++) {
        if (run->fired[i] && fabs(run->zero[i] - run->zero[first]) > together)
            run->fired[i] = 0; /* later: found again when this one has been told */
        if (run->fired[i])
            run->side[i] = 0;
    }
    run->event_time = t;
    run->searched = t;
    return ZW_OK;
}

/* Functions that change their sign in the jump at the end of the step: they fire there, after it. */
static zw_status search_jump(zw_run *run, zw_error *err) {
    int nevt = run->k->nevt, last = SAMPLES - 1;
    bool any = false;
    ZW_TRY(functions_at(run, run->now, run->y, run->samples + last * nevt, err));
    for (int i = 0; i < nevt; i++) {
        run->reach[i] = fmax(run->reach[i], fabs(run->samples[last * nevt + i]));
        any |= run->fired[i] = fires(run, i, last);
        if (run->fired[i])
            run->side[i] = 0;
        arm(run, i, last);
    }
    if (!any)
        return ZW_OK;
    run->event_time = run->now;
    memcpy(run->event_state, run->y, sizeof(double) * (size_t)run->ny);
    return ZW_OK;
}

zw_status zw_num_events_search(zw_run *run, zw_error *err) {
    int nevt = run->k->nevt;
    run->event_time = run->direction * (double)INFINITY;
    run->search_from = run->searched;
    run->sampled = nevt > 0 && run->searched != run->now;
    memcpy(run->side_before, run->side, sizeof(int) * (size_t)nevt);
    if (!run->sampled)
        return ZW_OK;
    ZW_TRY(take_samples(run, err));
    for (int i = 0; i < nevt; i++)
        arm(run, i, 0);
    for (int j = 1; j < SAMPLES; j++) {
        bool any = false;
        for (int i = 0; i < nevt; i++)
            any |= run->fired[i] = fires(run, i, j);
        if (any)
            return earliest_zero(run, j, err);
        for (int i = 0; i < nevt; i++)
            arm(run, i, j);
    }
    run->searched = run->now;
    return jumps(run) ? search_jump(run, err) : ZW_OK;
}
