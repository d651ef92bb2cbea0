/* SPDX-License-Identifier: MIT */
/* If the energy E = T + V is constant along the motion, every state that leaves the run shows
 * whether the numbers can be right.
 *
 * A step changes E only by its error, which the method keeps within rtol S_i + atol for each entry
 * x_i, S_i its size: by not much more than
 *
 *     B = sum_i |E(x + d_i) - E(x - d_i)| / 2,        d_i = rtol S_i + atol,
 *
 * and n steps by n B, for any motion: instability does not affect this bound. The tolerances do not
 * explain a change beyond ALLOWED n B: the method has passed something undetected, for example a
 * singular position where the constraints let the motion change to another branch or remove a part
 * of the momentum. This causes a warning; if the change is also a visible fraction of the moving
 * energy, the run ends.
 *
 * Errors of steps within their tolerance accumulate, with loose tolerances and in long runs to a
 * motion of another energy. So the drift, E minus that of the start, is checked too: if it exceeds
 * PART of the moving energy, and more than the error of a step, it causes a warning. For methods
 * that preserve the energy (rattle, energy) it oscillates without drift.
 *
 * The energies are computed for the rows of the result anyway; B, with 2 nx evaluations, only if
 * the change is large compared with rtol times the moving energy. Methods of fixed step have no
 * tolerance: their steps are checked by fixed_step_check.c, their drift here.
 *
 * The moving energy is the range of T and of V. SUSPICIOUS: rtol times it from which B is computed;
 * SEVERE: a change beyond this many allowed ones that is MUCH of it, or MOST of it alone, ends the
 * run; HALF: PART for the first steps of fixed length. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "num/internal.h"

enum {
    BEGINNING = 16
}; /* steps of fixed length, in which hardly anything moves yet: half of the moving energy counts */
static const double ALLOWED = 100, SUSPICIOUS = 1, SEVERE = 10, MUCH = 1e-3, MOST = 0.05,
                    PART = 0.02, HALF = 0.5;

/* the change of the energy by the tolerances at (t, x), with S_i the larger of |x_i| there and
 * before */
static double energy_bound(zw_run *run, double t, const double *x) {
    const zw_num_conserve_state *c = &run->conserve;
    const zw_run_options *o = &run->options;
    double sum = 0, *at = c->at;
    memcpy(at, x, sizeof(double) * (size_t)run->k->nx);
    for (int i = 0; i < run->k->nx; i++) {
        double d = o->rtol * fmax(fabs(run->x[i]), fabs(c->x[i])) + o->atol, ends[2];
        for (int side = 0; side < 2; side++) {
            at[i] = x[i] + (side ? d : -d);
            zw_obs_parts obs = zw_at_obs(run->flow, t, at, run->z);
            ends[side] = *obs.T + *obs.V;
        }
        at[i] = x[i];
        double change = fabs(ends[1] - ends[0]) / 2;
        sum += isfinite(change) ? change : 0;
    }
    return sum;
}

static void store_energy(zw_run *run, double T, double V) {
    zw_num_conserve_state *c = &run->conserve;
    c->t = run->t;
    c->E = T + V;
    c->steps = run->info.steps;
    c->T_most = fmax(c->T_most, T);
    c->V_least = fmin(c->V_least, V);
    c->V_most = fmax(c->V_most, V);
    memcpy(c->x, run->x, sizeof(double) * (size_t)run->k->nx);
}

static zw_status report_jump(zw_run *run, double jump, double allowed, double moving,
                             zw_error *err) {
    const zw_num_conserve_state *c = &run->conserve;
    bool severe =
        fabs(jump) > MOST * moving || (fabs(jump) > SEVERE * allowed && fabs(jump) > MUCH * moving);
    if (!severe) {
        zw_num_warning(run->flow, ZW_WARNING_ENERGY, -1, run->t, jump);
        return ZW_OK;
    }
    zw_fail(
        err, ZW_E_NUMERIC,
        "the energy is constant by the model, but jumps by %.4g J between t = %.10g and %.10g; the "
        "tolerances explain %.2g J",
        jump, c->t, run->t, allowed);
    zw_error_hint(err, "%s",
                  zw_num_has_constraints(run->k)
                      ? "where the constraints are singular on the way, derive by gauss and keep "
                        "them by projection; else try tighter tolerances or another method"
                      : "try tighter tolerances or another method");
    return ZW_E_NUMERIC;
}

void zw_num_conserve_start(zw_run *run) {
    double T = run->obs[run->k->nobs], V = run->obs[run->k->nobs + 1];
    run->conserve.T_most = T;
    run->conserve.V_least = run->conserve.V_most = V;
    run->conserve.E_start = T + V;
    run->conserve.steps_start = run->info.steps;
    store_energy(run, T, V);
}

/* checks the accumulated change since the start; moving: the moving energy; rounding: that of one
 * step */
static void check_drift(zw_run *run, double drift, double moving, double rounding) {
    long taken = run->info.steps - run->conserve.steps_start;
    bool begins = zw_num_has_fixed_pace(run) && taken < BEGINNING;
    if ((run->method->traits & ZW_TRAIT_FIXED_STEP) || (begins && taken < 2))
        return;
    double steps = (double)taken + 2;
    double explained = (begins ? HALF : PART) * moving + steps * rounding;
    if (fabs(drift) > explained &&
        fabs(drift) > explained + SEVERE * energy_bound(run, run->t, run->x))
        zw_num_warning(run->flow, ZW_WARNING_DRIFT, -1, run->t, drift);
}

static zw_status check_jump(zw_run *run, double jump, double moving, double rounding,
                            zw_error *err) {
    const zw_num_conserve_state *c = &run->conserve;
    double steps = (double)(run->info.steps - c->steps) + 2;
    zw_status status = ZW_OK;
    if (fabs(jump) > steps * (SUSPICIOUS * run->options.rtol * moving + rounding)) {
        double most = fmax(energy_bound(run, run->t, run->x), energy_bound(run, c->t, c->x));
        double allowed = steps * (ALLOWED * most + SUSPICIOUS * run->options.rtol * moving);
        if (fabs(jump) > allowed)
            status = report_jump(run, jump, allowed, moving, err);
    }
    return status;
}

zw_status zw_num_conserve_check(zw_run *run, zw_error *err) {
    const zw_num_conserve_state *c = &run->conserve;
    if (!run->k->conservative)
        return ZW_OK;
    double T = run->obs[run->k->nobs], V = run->obs[run->k->nobs + 1], E = T + V;
    double moving = fmax(c->T_most, T) + fmax(c->V_most, V) - fmin(c->V_least, V);
    double rounding = 64 * DBL_EPSILON * (fabs(T) + fabs(V) + moving);
    zw_status status = ZW_OK;
    if (!zw_num_has_fixed_pace(run))
        status = check_jump(run, E - c->E, moving, rounding, err);
    check_drift(run, E - c->E_start, moving, rounding);
    store_energy(run, T, V);
    return status;
}
