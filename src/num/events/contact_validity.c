/* SPDX-License-Identifier: MIT */
/* Contacts along a motion. A contact is valid where its function valid(t, q) > 0, and pushes where
 * its pressing force press(t, x, z) >= 0. Both are checked where a state leaves the run and at the
 * ends of steps, which costs little (one evaluation of the rates per step, which needs about a
 * dozen); between two checks the time of a change of sign is found by bisection on the dense
 * output. If the pressing force is negative at one of two checks, or changes so much between them
 * that it may become zero, its minimum in between is searched too, at PARTS points and by golden
 * sections about the least of them: the reported beginning, end and size of a pulling force do not
 * depend on the output times. Two changes of `valid` between two checks are not detected.
 *
 * Where a contact becomes invalid the motion ends. A pole may follow immediately (a disc that falls
 * flat has no lowest point), and a long step towards it fails before its end can be checked: then
 * the run is restarted with a first step that ends slightly beyond the zero of `valid` estimated
 * from its slope, until the zero is passed or gets no nearer.
 *
 * A pulling force causes a warning: the equations keep the contact closed, a real one would open.
 * It is reported if it exceeds the error of the acting forces, max_i |h_i| + sum_j |M_ij v'_j|, by
 * round-off and the tolerances. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "num/internal.h"

/* Bisections; restarts towards the end of a contact, and their steps; points at which a force is
 * compared; golden sections. */
enum { HALVINGS = 60, RESTARTS = 8, STEPS = 400, PARTS = 6, SECTIONS = 30 };
/* A force larger than this multiple of its change between two checks does not vanish in between. */
#define CHANGE_REACH 2
/* Error of forces relative to those that act: solved accelerations, and ten step errors. */
#define FORCE_ROUNDOFF 1e-10
#define FORCE_PER_RTOL 10
/* Difference in time for the slope of `valid`, in lengths of the last step. */
#define SLOPE_STEP 1e-6

/* the state at t within the last step, in run->candidate, with z in the flow if required */
static zw_status state_at(zw_run *run, double t, bool z, zw_error *err) {
    zw_flow *flow = run->flow;
    ZW_TRY(run->method->dense(run, t, run->dense, err));
    if (zw_num_leaves_itself(run))
        return run->method->leave(run, t, run->dense, run->candidate, flow->z, err);
    ZW_TRY(zw_num_expand(run, t, run->dense, run->candidate, err));
    return z ? zw_num_accel(flow, t, run->candidate, flow->qdot, flow->z, err) : ZW_OK;
}

/* the pressing force of contact i at t; -infinity if it is not defined */
static double press_at(zw_run *run, int i, double t) {
    zw_error ignored = {0};
    if (state_at(run, t, true, &ignored) < 0)
        return -INFINITY;
    return zw_at_press(run->flow, t, run->candidate, run->flow->z).value[i];
}

/* contact i at t: is it valid, or (press) does it push? */
static bool is_valid_or_pushes(zw_run *run, int i, bool press, double t) {
    zw_error ignored = {0};
    if (press)
        return press_at(run, i, t) >= 0;
    return state_at(run, t, false, &ignored) >= 0 &&
           zw_at_valid(run->flow, t, run->candidate, NULL).value[i] > 0;
}

/* the last good time before the change, between a good and a bad time (in either order) */
static double find_change(zw_run *run, int i, bool press, double good, double bad) {
    for (int n = 0;
         n < HALVINGS && fabs(bad - good) > 4 * DBL_EPSILON * fmax(fabs(good), fabs(bad)); n++) {
        double c = good + (bad - good) / 2;
        if (is_valid_or_pushes(run, i, press, c))
            good = c;
        else
            bad = c;
    }
    return good;
}

/* The beginning of the unchecked part of the last step. A method with jumps has made many steps
 * since, and has dense output of the last one only. */
static double unchecked_from(const zw_run *run, double t) {
    if (run->method->traits & ZW_TRAIT_JUMPS)
        return t;
    return (run->footing_seen - run->before) * run->direction < 0 ? run->before : run->footing_seen;
}

/* the last good time before t, after the last check */
static double last_good_time(zw_run *run, int i, bool press, double t) {
    double from = unchecked_from(run, t);
    return from == t ? t : find_change(run, i, press, from, t);
}

static bool is_moving(const zw_run *run) {
    return run->started && !run->fresh && run->footing_known;
}

zw_contact_validity_end zw_num_contact_validity_lost(zw_run *run, double t, const double *x) {
    zw_contact_validity_end none = {.footing = -1};
    if (run->k->nfooting == 0)
        return none;
    const double *valid = zw_at_valid(run->flow, t, x, NULL).value;
    for (int i = 0; i < run->k->nfooting; i++)
        if (valid[i] <= 0)
            return is_moving(run)
                       ? (zw_contact_validity_end){i, false, last_good_time(run, i, false, t), 0}
                       : (zw_contact_validity_end){i, false, t, valid[i]};
    return none;
}

zw_status zw_num_contact_validity_fault(zw_run *run, zw_contact_validity_end end, zw_error *err) {
    zw_num_fault(run->flow, ZW_FAULT_CONTACT, end.footing, end.t, end.pulls ? 1 : end.valid);
    return zw_fail(err, ZW_E_START, "contact %d %s at t = %.10g", end.footing + 1,
                   end.pulls ? "would pull" : "has no meaning any more", end.t);
}

/* ---- pressing forces ---- */

/* the error of the acting forces at run->trial by round-off and tolerances */
static double force_noise(zw_run *run, double t) {
    const zw_kernel *k = run->k;
    const double *z = run->trial_z;
    zw_mats_parts mats = zw_at_mats(run->flow, t, run->trial, NULL);
    double scale = 0;
    for (int i = 0; i < k->nv; i++) {
        double sum = fabs(mats.h[i]);
        for (int j = 0; j < k->nv; j++)
            sum += fabs(mats.M[i * k->nv + j] * z[j]);
        scale = fmax(scale, sum);
    }
    return (FORCE_ROUNDOFF + FORCE_PER_RTOL * run->options.rtol) * scale;
}

/* A pulling force, and its values at the ends a, b of the time since the last check. */
typedef struct pull {
    int i;
    double a, b, at_a, at_b;
    double t, least; /* the least force in between, or at an end */
} pull;

/* the least force between the ends: the least of PARTS points, then golden sections between its
 * neighbours */
static void find_least(zw_run *run, pull *p) {
    const double golden = 0.5 * (sqrt(5) - 1);
    double step = (p->b - p->a) / PARTS;
    p->t = p->at_b <= p->at_a ? p->b : p->a;
    p->least = fmin(p->at_a, p->at_b);
    for (int k = 1; k < PARTS; k++) {
        double force = press_at(run, p->i, p->a + k * step);
        if (force < p->least) {
            p->least = force;
            p->t = p->a + k * step;
        }
    }
    double low = p->t == p->a ? p->a : p->t - step, high = p->t == p->b ? p->b : p->t + step;
    for (int n = 0; n < SECTIONS && isfinite(p->least); n++) {
        bool later = fabs(high - p->t) > fabs(p->t - low);
        double t = later ? p->t + (1 - golden) * (high - p->t) : p->t - (1 - golden) * (p->t - low);
        double force = press_at(run, p->i, t);
        if (force < p->least) {
            *(later ? &low : &high) = p->t;
            p->least = force;
            p->t = t;
        } else {
            *(later ? &high : &low) = t;
        }
    }
}

/* does the motion end where contact i would pull? */
static bool is_terminal(const zw_run *run, int i) {
    return run->k->footing_stop && run->k->footing_stop[i];
}

/* reports beginning, size and end of a pull; returns where the contact ends, if it is to end */
static zw_contact_validity_end report_pull(zw_run *run, const pull *p, bool pulled, bool pulls) {
    zw_contact_validity_end none = {.footing = -1};
    if (!pulled) {
        double from = p->at_a >= 0 ? find_change(run, p->i, true, p->a, p->t) : p->a;
        if (is_terminal(run, p->i))
            return (zw_contact_validity_end){p->i, true, from, 1};
        zw_num_warning(run->flow, ZW_WARNING_PULL, p->i, from, NAN);
    }
    zw_num_warning(run->flow, ZW_WARNING_PULL, p->i, p->t, p->least);
    if (!pulls && p->at_b >= 0)
        zw_num_warning(run->flow, ZW_WARNING_PULL, p->i, find_change(run, p->i, true, p->b, p->t),
                       0);
    return none;
}

/* checks contact i from the last check to t, where its force is `now` */
static zw_contact_validity_end check_contact(zw_run *run, int i, double t, double now) {
    bool pulled = run->footing_known && run->footing_pulls[i],
         pulls = now < 0 && now < -force_noise(run, t);
    pull p = {.i = i, .a = t, .b = t, .at_a = now, .at_b = now, .t = t, .least = now};
    if (is_moving(run) && unchecked_from(run, t) != t) {
        p.a = unchecked_from(run, t);
        p.at_a = run->footing_was[i];
        if (pulled || pulls || fmin(p.at_a, now) < CHANGE_REACH * fabs(now - p.at_a))
            find_least(run, &p);
    }
    run->footing_pulls[i] = pulls && !is_terminal(run, i);
    if (pulled || pulls || (p.least < 0 && p.least < -force_noise(run, t)))
        return report_pull(run, &p, pulled, pulls);
    return (zw_contact_validity_end){.footing = -1};
}

zw_contact_validity_end zw_num_contact_validity_check(zw_run *run, double t) {
    const zw_kernel *k = run->k;
    zw_flow *flow = run->flow;
    zw_contact_validity_end end = {.footing = -1};
    if (k->nfooting == 0)
        return end;
    /* both change while a time is searched */
    memcpy(run->trial, run->candidate, sizeof(double) * (size_t)k->nx);
    memcpy(run->trial_z, flow->z, sizeof(double) * (size_t)k->nz);
    const double *value = zw_at_press(flow, t, run->trial, run->trial_z).value;
    memcpy(run->footing_now, value, sizeof(double) * (size_t)k->nfooting);
    for (int i = 0; i < k->nfooting; i++) {
        zw_contact_validity_end own = {.footing = -1};
        if (is_terminal(run, i))
            own = check_contact(run, i, t, run->footing_now[i]);
        if (own.footing >= 0 && (end.footing < 0 || (own.t - end.t) * run->direction < 0))
            end = own;
    }
    for (int i = 0; i < k->nfooting && end.footing < 0;
         i++) /* pulls after the end are not reported */
        if (!is_terminal(run, i))
            check_contact(run, i, t, run->footing_now[i]);
    memcpy(run->candidate, run->trial, sizeof(double) * (size_t)k->nx);
    memcpy(flow->z, run->trial_z, sizeof(double) * (size_t)k->nz);
    if (end.footing >= 0)
        return end;
    memcpy(run->footing_was, run->footing_now, sizeof(double) * (size_t)k->nfooting);
    run->footing_seen = t;
    run->footing_known = true;
    return end;
}

zw_status zw_num_contact_validity_step(zw_run *run, zw_contact_validity_end *end, zw_error *err) {
    zw_flow *flow = run->flow;
    double t = run->now;
    *end = (zw_contact_validity_end){.footing = -1};
    if (run->k->nfooting == 0)
        return ZW_OK;
    bool itself = zw_num_leaves_itself(run);
    ZW_TRY(itself ? run->method->leave(run, t, run->y, run->candidate, flow->z, err)
                  : zw_num_expand(run, t, run->y, run->candidate, err));
    *end = zw_num_contact_validity_lost(run, t, run->candidate);
    if (end->footing >= 0)
        return ZW_OK;
    if (!itself)
        ZW_TRY(zw_num_accel(flow, t, run->candidate, flow->qdot, flow->z, err));
    *end = zw_num_contact_validity_check(run, t);
    return ZW_OK;
}

/* ---- a step that failed ---- */

/* the time until the first of the contacts (*which) becomes invalid, by linear extrapolation */
static double time_left(zw_run *run, int *which) {
    zw_flow *flow = run->flow;
    const zw_kernel *k = run->k;
    zw_error ignored = {0};
    double t = run->now, least = INFINITY;
    double small = SLOPE_STEP * fmax(fabs(run->now - run->before), DBL_EPSILON * (1 + fabs(t)));
    if (zw_num_expand(run, t, run->y, run->candidate, &ignored) < 0 ||
        zw_num_accel(flow, t, run->candidate, flow->qdot, flow->z, &ignored) < 0)
        return INFINITY;
    for (int i = 0; i < k->nq; i++)
        run->trial[i] = run->candidate[i] + small * run->direction * flow->qdot[i];
    const double *value = zw_at_valid(flow, t, run->candidate, NULL).value;
    for (int i = 0; i < k->nfooting; i++)
        run->footing_now[i] = value[i];
    value = zw_at_valid(flow, t + small * run->direction, run->trial, NULL).value;
    for (int i = 0; i < k->nfooting; i++) {
        double slope = (value[i] - run->footing_now[i]) / small;
        if (!(slope < 0 && run->footing_now[i] / -slope < least))
            continue;
        least = run->footing_now[i] / -slope;
        *which = i;
    }
    return least;
}

/* restarts with a first step of about this length */
static zw_status start_short(zw_run *run, double length, zw_error *err) {
    double wanted = run->first_step;
    long steps = run->info.steps;
    run->first_step = length;
    run->info.steps = 0; /* a first step has this limit */
    zw_status status = run->method->start(run, err);
    if (status >= 0)
        status = run->method->step(run, err);
    run->first_step = wanted;
    run->info.steps = steps;
    return status;
}

zw_contact_validity_end zw_num_contact_validity_approach(zw_run *run) {
    double last = fabs(run->now - run->before);
    zw_error ignored = {0};
    zw_contact_validity_end end = {.footing = -1};
    if (run->k->nfooting == 0)
        return end;
    for (int restart = 0, step = 0; restart < RESTARTS && step < STEPS; restart++) {
        int which = -1;
        double left = time_left(run, &which);
        if (!(left <= 10 * last)) /* there is another reason */
            return end;
        if (run->options.step > 0) /* the step cannot be shortened: the time is known to a step */
            return left <= 2 * last ? (zw_contact_validity_end){which, false, run->now, 0} : end;
        zw_status status = start_short(run, 1.05 * left / (restart < 4 ? 1 : 4), &ignored);
        while (status >= 0 && step++ < STEPS) {
            run->info.steps++;
            if (zw_num_contact_validity_step(run, &end, &ignored) < 0)
                break;
            if (end.footing >= 0)
                return end;
            status = run->method->step(run, &ignored);
        }
        ignored = (zw_error){0};
    }
    return end;
}
