/* SPDX-License-Identifier: MIT */
/* Contacts along a motion. A contact has a meaning where its function valid(t, q) > 0, and pushes where its
 * pressing force press(t, x, z) >= 0. Both are looked at where a state leaves the run and at the ends of steps, which
 * costs little (one evaluation of the rates per step, of the dozen or so that it has taken); between two such times
 * the last sign is known, so that the time of a change is found by halving on the dense output. What changes twice
 * between two looks is not seen.
 *
 * Where valid is lost the motion ends. A pole may lie right behind (a disc that falls flat has no lowest point), and
 * a long step towards it fails before its end can be looked at: then the run is started again with a first step that ends a
 * little beyond the zero of valid, as its slope tells, until it is passed or does not come nearer.
 *
 * A force that pulls is a doubt: the equations hold it, a contact would open. It counts where it is beyond what the
 * rounding and the tolerances make of all forces that act, max_i |h_i| + sum_j |M_ij v'_j|. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "internal.h"

enum { HALVINGS = 60, RESTARTS = 8, STEPS = 400 };

/* the state at t within the last step, in run->candidate, with z in the flow if it is wanted */
static zw_status state_at(zw_run *run, double t, bool z, zw_error *err) {
    zw_flow *flow = run->flow;
    ZW_TRY(run->method->dense(run, t, run->dense, err));
    if (zw_num_leaves_itself(run))
        return run->method->leave(run, t, run->dense, run->candidate, flow->z, err);
    ZW_TRY(zw_num_expand(run, t, run->dense, run->candidate, err));
    return z ? zw_num_accel(flow, t, run->candidate, flow->qdot, flow->z, err) : ZW_OK;
}

/* contact i at t: does it have a meaning, or (press) does it push? */
static bool is_good(zw_run *run, int i, bool press, double t) {
    zw_error ignored = {0};
    if (state_at(run, t, press, &ignored) < 0)
        return false;
    const double *x = run->candidate;
    return press ? zw_at_press(run->flow, t, x, run->flow->z).value[i] >= 0
                 : zw_at_valid(run->flow, t, x, NULL).value[i] > 0;
}

/* the last time before t at which it was still good, from the last look on */
static double last_good(zw_run *run, int i, bool press, double t) {
    double a = run->footing_seen, b = t;
    if (run->method->traits &
        ZW_TRAIT_JUMPS) /* many steps since, and dense output of the last one only */
        return t;
    if ((a - run->before) * run->direction < 0)
        a = run->before;
    for (int n = 0; n < HALVINGS && fabs(b - a) > 4 * DBL_EPSILON * fmax(fabs(a), fabs(b)); n++) {
        double c = a + (b - a) / 2;
        if (is_good(run, i, press, c))
            a = c;
        else
            b = c;
    }
    return a;
}

static bool is_moving(const zw_run *run) {
    return run->started && !run->fresh && run->footing_known;
}

zw_footing_end zw_num_footing_lost(zw_run *run, double t, const double *x) {
    zw_footing_end none = {.footing = -1};
    if (run->k->nfooting == 0)
        return none;
    const double *valid = zw_at_valid(run->flow, t, x, NULL).value;
    for (int i = 0; i < run->k->nfooting; i++)
        if (valid[i] <= 0)
            return (zw_footing_end){i, false, is_moving(run) ? last_good(run, i, false, t) : t};
    return none;
}

zw_status zw_num_footing_fault(zw_run *run, zw_footing_end end, zw_error *err) {
    zw_num_fault(run->flow, ZW_FAULT_CONTACT, end.footing, end.t, end.pulls);
    return zw_fail(err, ZW_E_START, "contact %d %s at t = %.10g", end.footing + 1,
                   end.pulls ? "would pull" : "has no meaning any more", end.t);
}

/* ---- pressing forces ---- */

/* how large the forces are that act at this state */
static double force_scale(zw_run *run, double t, const double *x, const double *z) {
    const zw_kernel *k = run->k;
    zw_mats_parts mats = zw_at_mats(run->flow, t, x, NULL);
    double scale = 0;
    for (int i = 0; i < k->nv; i++) {
        double sum = fabs(mats.h[i]);
        for (int j = 0; j < k->nv; j++)
            sum += fabs(mats.M[i * k->nv + j] * z[j]);
        scale = fmax(scale, sum);
    }
    return scale;
}

/* Contact i pulls at t with this force, and did not at the last look: where it ends, if it is to */
static zw_footing_end begin_pull(zw_run *run, int i, double t, double force) {
    double from = is_moving(run) ? last_good(run, i, true, t) : t;
    if (run->k->footing_stop && run->k->footing_stop[i])
        return (zw_footing_end){i, true, from};
    zw_num_doubt(run->flow, ZW_DOUBT_PULL, i, from, NAN);
    zw_num_doubt(run->flow, ZW_DOUBT_PULL, i, t, force);
    return (zw_footing_end){.footing = -1};
}

zw_footing_end zw_num_footing_look(zw_run *run, double t, bool tell) {
    const zw_kernel *k = run->k;
    zw_flow *flow = run->flow;
    zw_footing_end end = {.footing = -1};
    if (k->nfooting == 0)
        return end;
    /* both change where a time is looked for */
    memcpy(run->trial, run->candidate, sizeof(double) * (size_t)k->nx);
    memcpy(run->trial_z, flow->z, sizeof(double) * (size_t)k->nz);
    const double *value = zw_at_press(flow, t, run->trial, run->trial_z).value;
    memcpy(run->footing_now, value, sizeof(double) * (size_t)k->nfooting);
    for (int i = 0; i < k->nfooting && end.footing < 0; i++) {
        double now = run->footing_now[i], noise = 1e-10 + 10 * run->options.rtol;
        bool pulls = now < 0 && now < -noise * force_scale(run, t, run->trial, run->trial_z);
        if (pulls && !run->footing_pulls[i])
            end = begin_pull(run, i, t, now);
        else if (pulls && tell)
            zw_num_doubt(flow, ZW_DOUBT_PULL, i, t, now);
        run->footing_pulls[i] = pulls;
    }
    memcpy(run->candidate, run->trial, sizeof(double) * (size_t)k->nx);
    memcpy(flow->z, run->trial_z, sizeof(double) * (size_t)k->nz);
    run->footing_seen = t;
    run->footing_known = true;
    return end;
}

zw_status zw_num_footing_step(zw_run *run, zw_footing_end *end, zw_error *err) {
    zw_flow *flow = run->flow;
    double t = run->now;
    *end = (zw_footing_end){.footing = -1};
    if (run->k->nfooting == 0)
        return ZW_OK;
    bool itself = zw_num_leaves_itself(run);
    ZW_TRY(itself ? run->method->leave(run, t, run->y, run->candidate, flow->z, err)
                  : zw_num_expand(run, t, run->y, run->candidate, err));
    *end = zw_num_footing_lost(run, t, run->candidate);
    if (end->footing >= 0)
        return ZW_OK;
    if (!itself)
        ZW_TRY(zw_num_accel(flow, t, run->candidate, flow->qdot, flow->z, err));
    *end = zw_num_footing_look(run, t, false);
    return ZW_OK;
}

/* ---- a step that failed ---- */

/* the time until the first of the contacts (*which) has no meaning any more, if its function goes on as it does */
static double time_left(zw_run *run, int *which) {
    zw_flow *flow = run->flow;
    const zw_kernel *k = run->k;
    zw_error ignored = {0};
    double t = run->now, least = INFINITY;
    double small = 1e-6 * fmax(fabs(run->now - run->before), DBL_EPSILON * (1 + fabs(t)));
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

/* start again with a first step of about this length */
static zw_status start_short(zw_run *run, double length, zw_error *err) {
    double wanted = run->first_step;
    long steps = run->info.steps;
    run->first_step = length;
    run->info.steps = 0; /* the limit is that of a first step */
    zw_status status = run->method->start(run, err);
    if (status >= 0)
        status = run->method->step(run, err);
    run->first_step = wanted;
    run->info.steps = steps;
    return status;
}

zw_footing_end zw_num_footing_approach(zw_run *run) {
    double last = fabs(run->now - run->before);
    zw_error ignored = {0};
    zw_footing_end end = {.footing = -1};
    if (run->k->nfooting == 0)
        return end;
    for (int restart = 0, step = 0; restart < RESTARTS && step < STEPS; restart++) {
        int which = -1;
        double left = time_left(run, &which);
        if (!(left <= 10 * last)) /* something else is the matter */
            return end;
        if (run->options.step > 0) /* it cannot be shorter: the time is known to a step */
            return left <= 2 * last ? (zw_footing_end){which, false, run->now} : end;
        zw_status status = start_short(run, 1.05 * left / (restart < 4 ? 1 : 4), &ignored);
        while (status >= 0 && step++ < STEPS) {
            run->info.steps++;
            if (zw_num_footing_step(run, &end, &ignored) < 0)
                break;
            if (end.footing >= 0)
                return end;
            status = run->method->step(run, &ignored);
        }
        ignored = (zw_error){0};
    }
    return end;
}
