/* SPDX-License-Identifier: MIT */
/* The external functions of a run. States that leave it are projected onto the constraints, without
 * changing the history of the integrator. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/interrupt.h"
#include "base/slice.h"
#include "base/tolerance.h"
#include "internal.h"
#include "num/events/slide.h"
#include "num/events/switching.h"
#include "num/flow/dae.h"
#include "num/linear/linalg.h"
#include "num/run_jumps.h"
#include "num/run_state.h"
#include "num/start/complete.h"
#include "options.h"

static void slice_switches(zw_run *run, const zw_kernel *k, zw_slicer *s) {
    int n = k->nswitch;
    int **numbers[] = {&run->phase, &run->phase_now, &run->due, &run->ended,
                       &run->live,  &run->was_live,  &run->slid};
    double **values[] = {&run->sigma,       &run->sigma_band, &run->sigma_rate,
                         &run->sigma_noise, &run->leave_by,   &run->switch_time};
    double **states[] = {&run->switch_state, &run->switch_x, &run->switch_reach};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i] = zw_slice_ints(s, n);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        *values[i] = zw_slice_doubles(s, n);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        *states[i] = zw_slice_doubles(s, k->nx);
    run->mode_before = zw_slice_doubles(s, k->nmode);
    run->follow = zw_slice_doubles(s, n);
    run->follow_band = zw_slice_doubles(s, n);
    run->from_side = zw_slice_ints(s, n);
    run->idle = zw_slice_bools(s, n);
    run->unbounded = zw_slice_bools(s, n);
}

static void slice_events(zw_run *run, const zw_kernel *k, zw_slicer *s) {
    int n = k->nevt, nx = k->nx;
    double **per_event[] = {&run->zero,       &run->band,      &run->after,        &run->close,
                            &run->present,    &run->ahead,     &run->one,          &run->ahead_band,
                            &run->behind,     &run->second,    &run->second_known, &run->period,
                            &run->last_level, &run->last_time, &run->peak};
    double **per_state[] = {&run->probe,       &run->displaced, &run->rate,
                            &run->behind_rate, &run->bend,      &run->scale};
    int **numbers[] = {&run->fired,    &run->jumped, &run->escaped,  &run->pending,
                       &run->reported, &run->way,    &run->last_side};
    zw_event_side **sides[] = {&run->watch, &run->watch_before, &run->given, &run->here};
    for (size_t i = 0; i < sizeof per_event / sizeof *per_event; i++)
        *per_event[i] = zw_slice_doubles(s, n);
    for (size_t i = 0; i < sizeof per_state / sizeof *per_state; i++)
        *per_state[i] = zw_slice_doubles(s, nx);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i] = zw_slice_ints(s, n);
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        *sides[i] = zw_slice(s, sizeof(zw_event_side) * (size_t)n);
    run->slope = zw_slice_doubles(s, n * nx);
}

static void slice_all(zw_run *run, const zw_kernel *k, zw_slicer *s) {
    run->x = zw_slice_doubles(s, k->nx);
    run->z = zw_slice_doubles(s, k->nz);
    run->obs = zw_slice_doubles(s, k->nobs + 2);
    run->candidate = zw_slice_doubles(s, k->nx);
    run->fixed = zw_slice_bools(s, k->nx);
    run->projected = zw_slice_doubles(s, k->nx);
    run->node = zw_slice_doubles(s, k->nx);
    run->node_z = zw_slice_doubles(s, k->nz);
    run->smooth = zw_slice_doubles(s, k->nv);
    run->y = zw_slice_doubles(s, k->nx);
    run->dense = zw_slice_doubles(s, k->nx);
    run->past = zw_slice(s, sizeof(zw_num_past) * (size_t)k->ndelay);
    run->footing_pulls = zw_slice_ints(s, k->nfooting);
    run->footing_now = zw_slice_doubles(s, k->nfooting);
    run->footing_was = zw_slice_doubles(s, k->nfooting);
    run->trial = zw_slice_doubles(s, k->nx);
    run->trial_z = zw_slice_doubles(s, k->nz);
    run->event_state = zw_slice_doubles(s, k->nx);
    run->quasi.block = zw_slice_doubles(s, k->nv * k->nv);
    run->inertia.most = zw_slice_doubles(s, k->nv);
    run->quasi.rows = zw_slice_doubles(s, k->nv * k->nv);
    run->quasi.column = zw_slice_ints(s, k->nv);
    run->quasi.pivot = zw_slice_ints(s, k->nv);
    run->conserve.x = zw_slice_doubles(s, k->nx);
    run->conserve.at = zw_slice_doubles(s, k->nx);
    run->pace.from = zw_slice_doubles(s, k->nx);
    run->pace.reach = zw_slice_doubles(s, k->nx);
    run->pace.rate[0] = zw_slice_doubles(s, k->nx);
    run->pace.rate[1] = zw_slice_doubles(s, k->nx);
    if (k->nswitch > 0)
        slice_switches(run, k, s);
    if (k->nevt > 0)
        slice_events(run, k, s);
}

zw_status zw_run_set_parameters(zw_run *run, const double *p, zw_error *err) {
    return zw_flow_set_parameters(run->flow, p, err);
}

zw_flow *zw_run_flow(zw_run *run) {
    return run->flow;
}

/* ---- functions of the kernel ---- */

void zw_run_on_want(zw_run *run, zw_run_want want, void *user) {
    run->on_want = want;
    run->on_want_user = user;
}

/* requests functions from the owner of the kernel, and takes over its changes */
static zw_status ask_owner(zw_run *run, zw_functions wanted, zw_error *err) {
    if (!run->on_want)
        return ZW_OK;
    ZW_TRY(run->on_want(run->on_want_user, wanted, err));
    return zw_flow_renew(run->flow, err);
}

zw_status zw_num_need(zw_run *run, zw_functions functions, const char *who, zw_error *err) {
    zw_functions missing = functions & ~run->k->functions;
    if (missing)
        ZW_TRY(ask_owner(run, missing, err));
    if (functions & ~run->flow->functions)
        ZW_TRY(zw_flow_renew(run->flow, err));
    return zw_num_require(run->flow, functions, who, err);
}

/* the functions called along every run of this kernel, in addition to those of its flow */
static zw_status need_all(zw_run *run, zw_error *err) {
    const zw_kernel *k = run->k;
    zw_functions needs =
        ZW_SET(OBS) | (k->nevt > 0 ? ZW_SET(EVT) : 0) | (k->nact > 0 ? ZW_SET(ACT) : 0) |
        (k->nfooting > 0 ? ZW_SET(VALID) | ZW_SET(PRESS) : 0) |
        (k->ndelay > 0 ? ZW_SET(DELAYED) : 0) |
        (k->nstart_pos + k->nstart_vel > 0 ? ZW_SET(START_POS) | ZW_SET(START_VEL) : 0);
    return zw_num_need(run, needs, "a run", err);
}

/* ---- lifecycle ---- */

zw_status zw_run_create(zw_run **out, const zw_kernel *kernel, const double *p,
                        const zw_run_options *options, zw_error *err) {
    assert(out && kernel);
    *out = NULL;
    zw_run_options chosen;
    ZW_TRY(zw_run_options_adopt(&chosen, options, err));
    const zw_allocator below = zw_num_allocator(kernel);
    zw_ledger *ledger = zw_ledger_create(&below);
    if (!ledger)
        return zw_out_of_memory(err, "a run");
    zw_flow *flow;
    zw_status status = zw_num_flow_create(&flow, kernel, p, zw_ledger_allocator(ledger), err);
    if (status < 0) {
        zw_ledger_destroy(ledger);
        return status;
    }
    zw_run measured;
    zw_slicer need = {NULL, 0};
    zw_slice(&need, sizeof(zw_run));
    slice_all(&measured, kernel, &need);
    zw_slicer s = {zw_allocate(&flow->alloc, need.used), 0};
    if (!s.base) {
        zw_ledger_destroy(ledger);
        return zw_out_of_memory(err, "a run");
    }
    zw_run *run = zw_slice(&s, sizeof(zw_run));
    slice_all(run, kernel, &s);
    run->k = kernel;
    run->ledger = ledger;
    run->flow = flow;
    run->alloc = flow->alloc;
    run->bytes = need.used;
    run->options = chosen;
    run->asked = chosen.supplied ? chosen.supplied : zw_num_method_named(chosen.method);
    run->info = (zw_run_info){.method = "", .constraints = "", .why = ""};
    status = zw_num_check_options(run, err);
    if (status < 0) {
        zw_run_destroy(run);
        return status;
    }
    *out = run;
    return ZW_OK;
}

void zw_run_destroy(zw_run *run) {
    if (!run)
        return;
    if (run->method)
        run->method->destroy(run);
    zw_num_partition_destroy(run);
    zw_num_cells_destroy(run);
    zw_num_modes_destroy(run);
    zw_flow_destroy(run->flow);
    zw_ledger_destroy(run->ledger);
}

/* ---- the state of a run with all that it remembers ---- */

bool zw_num_can_save(const zw_run *run) {
    return !run->method || run->method->traits & ZW_TRAIT_PLAIN_MEMORY;
}

void zw_num_drop_method(zw_run *run) {
    if (run->method)
        run->method->destroy(run);
    run->method = NULL;
    run->stepper = NULL;
    run->started = false;
}

zw_status zw_num_save(zw_run *run, zw_ledger_copy **out, zw_error *err) {
    assert(zw_num_can_save(run));
    *out = zw_ledger_save(run->ledger);
    return *out ? ZW_OK : zw_out_of_memory(err, "the state of a run");
}

void zw_num_restore(zw_run *run, const zw_ledger_copy *copy) {
    if (!zw_num_can_save(run))
        zw_num_drop_method(run);
    zw_ledger_restore(run->ledger, copy);
}

void zw_num_forget_copy(zw_run *run, zw_ledger_copy *copy) {
    zw_ledger_drop(run->ledger, copy);
}

/* ---- states that enter and leave ---- */

static size_t state_bytes(const zw_run *run) {
    return sizeof(double) * (size_t)run->k->nx;
}

static zw_status check_finite_state(zw_run *run, double t, const double *x, zw_error *err) {
    if (!isfinite(t))
        return zw_fail(err, ZW_E_NONFINITE, "the time of the start is not finite");
    for (int i = 0; i < run->k->nx; i++) {
        if (isfinite(x[i]))
            continue;
        zw_num_fault(run->flow, ZW_FAULT_STATE, i, t, x[i]);
        return zw_fail(err, ZW_E_NONFINITE, "start value %d is not finite", i + 1);
    }
    return ZW_OK;
}

/* Velocities without inertia at (t, x), which a method for implicit equations can find:
 * run->flow->massless. */
static zw_status find_massless(zw_run *run, double t, const double *x, zw_error *err) {
    bool implicit = !run->asked || run->asked == &zw_num_ida;
    zw_error ignored = {0};
    zw_num_massless_destroy(run->flow);
    if (!implicit || run->k->pseudo || zw_num_dae_check(run->k, &ignored) < 0)
        return ZW_OK;
    zw_status status = zw_num_accel(run->flow, t, x, run->flow->qdot, run->flow->z, &ignored);
    bool singular = status == ZW_E_SINGULAR && run->flow->fault.kind == ZW_FAULT_MASS;
    ignored = (zw_error){0};
    run->flow->fault = (zw_fault){ZW_FAULT_NONE, -1, t, 0};
    if (!singular)
        return ZW_OK;
    status = zw_num_need(run, ZW_NUM_DAE_NEEDS, "a motion without inertia", &ignored);
    if (status == ZW_E_MISSING) /* a call for rates reports that the mass matrix is singular */
        return ZW_OK;
    if (status < 0)
        return zw_num_pass_on(&ignored, err);
    return zw_num_massless_find(run->flow, t, x, err);
}

bool zw_num_leaves_itself(const zw_run *run) {
    return run->started && !run->fresh && run->method->leave;
}

static zw_status move_state(zw_run *run, double t, const double *y, zw_error *err);

/* a contact ends: the state of the run becomes the last one before that; in time steps, the last
 * output state */
static zw_status end_contact(zw_run *run, zw_contact_validity_end end, zw_error *err) {
    bool jumps =
        /* at the start there is no method yet */
        run->method && run->method->traits & ZW_TRAIT_JUMPS;
    bool moving = run->started && !run->fresh && (end.t - run->t) * run->direction > 0 && !jumps;
    if (moving && run->method->dense(run, end.t, run->dense, err) >= 0)
        move_state(run, end.t, run->dense, NULL);
    return zw_num_contact_validity_fault(run, end, err);
}

/* Makes y at t the state of the run, projected, with its z and observables; the old one remains if
 * that fails. */
static zw_status move_state(zw_run *run, double t, const double *y, zw_error *err) {
    const zw_kernel *k = run->k;
    zw_contact_validity_end end;
    if (zw_num_leaves_itself(run)) {
        ZW_TRY(run->method->leave(run, t, y, run->candidate, run->flow->z, err));
        end = zw_num_contact_validity_lost(run, t, run->candidate);
    } else {
        ZW_TRY(zw_num_expand(run, t, y, run->candidate, err));
        ZW_TRY(zw_num_check_finite(run->flow, t, run->candidate, k->nx, run->candidate,
                                   "a state between the steps", err));
        end = zw_num_contact_validity_lost(run, t, run->candidate);
        if (end.footing >= 0)
            return end_contact(run, end, err);
        ZW_TRY(zw_num_project(run->flow, t, run->candidate, NULL, err));
        ZW_TRY(zw_num_massless_settle(run->flow, t, run->candidate, err));
        ZW_TRY(zw_num_accel(run->flow, t, run->candidate, run->flow->qdot, run->flow->z, err));
    }
    if (end.footing < 0)
        end = zw_num_contact_validity_check(run, t);
    if (end.footing >= 0)
        return end_contact(run, end, err);
    /* observables may be undefined, the energies may not */
    zw_obs_parts obs = zw_at_obs(run->flow, t, run->candidate, run->flow->z);
    const double energy = *obs.T + *obs.V;
    ZW_TRY(zw_num_check_finite(run->flow, t, run->candidate, 1, &energy, "the energy", err));
    run->t = t;
    memcpy(run->x, run->candidate, state_bytes(run));
    memcpy(run->z, run->flow->z, sizeof(double) * (size_t)k->nz);
    memcpy(run->obs, obs.value, sizeof(double) * (size_t)(k->nobs + 2)); /* then T and V */
    run->info.energy_end = energy;
    double position, velocity;
    zw_num_residuals(run->flow, t, run->x, &position, &velocity);
    run->info.position_residual = fmax(run->info.position_residual, position);
    run->info.velocity_residual = fmax(run->info.velocity_residual, velocity);
    if (run->started)
        return zw_num_conserve_check(run, err);
    zw_num_conserve_start(run);
    return ZW_OK;
}

/* Completes velocities without inertia from their equations; other given values are an error. */
static zw_status complete_massless(zw_run *run, double t, double *x, const bool *fixed,
                                   zw_error *err) {
    ZW_TRY(find_massless(run, t, x, err));
    memcpy(run->dense, x, state_bytes(run));
    ZW_TRY(zw_num_massless_settle(run->flow, t, x, err));
    for (int i = 0; fixed && i < run->k->nx; i++) {
        if (!fixed[i] || fabs(x[i] - run->dense[i]) <= ZW_SAME_VALUE * (1 + fabs(x[i])))
            continue;
        zw_num_fault(run->flow, ZW_FAULT_STATE, i, t, x[i]);
        zw_fail(err, ZW_E_START,
                "state %d starts at %.10g, but has no inertia and follows from the others: %.10g",
                i + 1, run->dense[i], x[i]);
        zw_error_hint(err, "leave it free");
        return ZW_E_START;
    }
    return ZW_OK;
}

/* Is a contact invalid at (t, x)? Then that is the fault, even if something else failed because of
 * it. */
static bool ends_contact(zw_run *run, double t, const double *x, zw_error *err) {
    zw_contact_validity_end end = zw_num_contact_validity_lost(run, t, x);
    if (end.footing < 0)
        return false;
    if (err)
        *err = (zw_error){0};
    zw_num_contact_validity_fault(run, end, err);
    return true;
}

zw_status zw_run_consistent(zw_run *run, double t, double *x, const bool *fixed, int *worst,
                            zw_error *err) {
    if (worst)
        *worst = -1;
    run->flow->fault = (zw_fault){ZW_FAULT_NONE, -1, t, 0};
    ZW_TRY(need_all(run, err));
    ZW_TRY(check_finite_state(run, t, x, err));
    zw_num_modes_free(run->flow);
    memcpy(run->candidate, x, state_bytes(run));
    run->flow->on_leaf = false; /* the next start sets the leaf */
    zw_status status = zw_num_project_start(run->flow, t, run->candidate, fixed, err);
    if (status < 0 && ends_contact(run, t, x, err))
        return ZW_E_START;
    if (status < 0) {
        if (worst && run->flow->fault.kind == ZW_FAULT_POSITION)
            *worst = run->flow->fault.index;
        if (worst && run->flow->fault.kind == ZW_FAULT_VELOCITY)
            *worst = run->k->npos + run->flow->fault.index;
        return status;
    }
    status = complete_massless(run, t, run->candidate, fixed, err);
    if (status < 0)
        return ends_contact(run, t, run->candidate, err) ? ZW_E_START : status;
    memcpy(x, run->candidate, state_bytes(run));
    return ZW_OK;
}

zw_status zw_run_complete(zw_run *run, double t, double *x, const zw_said *said,
                          const double *width, zw_run_completion *out, zw_error *err) {
    zw_run_completion own = {.size = out ? out->size : 0,
                             .other_most = out ? out->other_most : 0,
                             .other = out ? out->other : NULL};
    run->flow->fault = (zw_fault){ZW_FAULT_NONE, -1, t, 0};
    ZW_TRY(need_all(run, err));
    ZW_TRY(check_finite_state(run, t, x, err));
    memcpy(run->candidate, x, state_bytes(run));
    run->flow->on_leaf = false;
    for (int i = 0; i < run->k->nx; i++)
        run->fixed[i] = said[i] == ZW_GIVEN;
    zw_status status = zw_num_complete(run->flow, t, run->candidate, said, width, &own, err);
    if (status >= 0 && zw_num_delays_begin(run, t, run->candidate, run->fixed))
        status = zw_num_complete(run->flow, t, run->candidate, said, width, &own, err);
    if (status >= 0)
        status = complete_massless(run, t, run->candidate, run->fixed, err);
    if (status < 0)
        return ends_contact(run, t, run->candidate, err) ? ZW_E_START : status;
    memcpy(x, run->candidate, state_bytes(run));
    if (out)
        memcpy(out, &own, out->size < sizeof own ? out->size : sizeof own);
    return ZW_OK;
}

zw_status zw_run_project(zw_run *run, double t, double *x, const bool *fixed, zw_error *err) {
    run->flow->fault = (zw_fault){ZW_FAULT_NONE, -1, t, 0};
    ZW_TRY(check_finite_state(run, t, x, err));
    zw_num_modes_free(run->flow);
    if (run->halts)
        ZW_TRY(zw_num_modes_start(run, t, x, 1, err));
    memcpy(run->candidate, x, state_bytes(run));
    run->flow->on_leaf = false;
    ZW_TRY(zw_num_project(run->flow, t, run->candidate, fixed, err));
    ZW_TRY(complete_massless(run, t, run->candidate, fixed, err));
    memcpy(x, run->candidate, state_bytes(run));
    return ZW_OK;
}

static void forget_events(zw_run *run) {
    if (run->k->nevt == 0)
        return;
    if (run->k->nevt > 0) {
        memset(run->pending, 0, sizeof(int) * (size_t)run->k->nevt);
        memset(run->given, 0, sizeof *run->given * (size_t)run->k->nevt);
    }
    run->reported_at = NAN;
}

/* Sets the pieces of the rates at the state of the run, as for a motion forward in time, and
 * recomputes the state: at rest, friction holds. */
static zw_status begin_modes(zw_run *run, zw_error *err) {
    run->started_at = run->t;
    run->lead = INFINITY;
    run->limit = NAN;
    if (run->k->nswitch == 0)
        return ZW_OK;
    ZW_TRY(zw_num_modes_start(run, run->t, run->x, 1, err));
    memcpy(run->y, run->x, state_bytes(run));
    return move_state(run, run->t, run->y, err);
}

/* Change of an entry by the projection of a start, relative to 1 + its value, that is accepted: a
 * state read from a printed table of seven digits is consistent to that. */
#define START_ERROR 1e-6

zw_status zw_run_start(zw_run *run, double t, const double *x, zw_error *err) {
    const double tolerated = START_ERROR;
    run->started = run->footing_known = false;
    memset(run->footing_pulls, 0, sizeof(int) * (size_t)run->k->nfooting);
    run->flow->fault = (zw_fault){ZW_FAULT_NONE, -1, t, 0};
    run->advice = run->stiff = NULL;
    run->info = (zw_run_info){.method = "", .constraints = "", .why = ""};
    run->projections_before = run->flow->projections;
    zw_num_project_forget(run->flow);
    ZW_TRY(need_all(run, err));
    ZW_TRY(check_finite_state(run, t, x, err));
    if (ends_contact(run, t, x, err))
        return ZW_E_START;
    run->formulation = ZW_KEEP_PROJECTION; /* y is x before the method is chosen */
    zw_num_modes_free(run->flow);
    ZW_TRY(find_massless(run, t, x, err));
    if (run->halts) /* the given velocities are those after the switch */
        ZW_TRY(zw_num_modes_start(run, t, x, 1, err));
    ZW_TRY(move_state(run, t, x, err));
    zw_num_keep_leaf(run->flow, run->t, run->x);
    ZW_TRY(begin_modes(run, err));
    for (int i = 0; i < run->k->nx; i++) {
        if (fabs(run->x[i] - x[i]) <= tolerated * (1 + fabs(x[i])))
            continue;
        zw_fail(err, ZW_E_START,
                "the start is not consistent: the constraints move start value %d from %.10g to "
                "%.10g",
                i + 1, x[i], run->x[i]);
        zw_error_hint(err, "make it consistent first (zw_run_consistent)");
        return ZW_E_START;
    }
    ZW_TRY(zw_num_choose(run, err));
    zw_num_delays_start(run, run->t, run->x);
    run->info.energy_start = run->info.energy_end;
    run->started = run->fresh = true;
    run->direction = 0;
    run->halted = NAN;
    forget_events(run);
    return ZW_OK;
}

/* the next event that fired at the present state and has not been reported, or -1 */
static int take_event(zw_run *run) {
    for (int i = 0; i < run->k->nevt; i++) {
        if (!run->pending[i])
            continue;
        run->pending[i] = 0;
        return i;
    }
    return -1;
}

/* ---- advancing ---- */

/* Starts the integration at the state of the run, in the direction of t_out. */
static zw_status begin_integration(zw_run *run, double t_out, zw_error *err) {
    int direction = t_out > run->t ? 1 : -1;
    if (run->direction && direction != run->direction)
        return zw_fail(err, ZW_E_OPTION,
                       "a run that has moved on cannot turn back from t = %.10g "
                       "to %.10g; start it again there",
                       run->t, t_out);
    run->direction = direction;
    if (!run->fresh)
        return ZW_OK;
    run->before = run->now = run->reached = run->passed = run->t;
    ZW_TRY(zw_num_modes_start(run, run->t, run->x, direction, err));
    ZW_TRY(zw_num_reduce(run, run->t, run->x, run->y, err));
    ZW_TRY(run->method->start(run, err));
    zw_num_pace_start(run);
    ZW_TRY(zw_num_quasi_start(run, err));
    zw_num_inertia_start(run);
    ZW_TRY(zw_num_elimination_start(run, err));
    zw_num_collapse_start(run);
    ZW_TRY(zw_num_events_start(run, err));
    run->fresh = false;
    return ZW_OK;
}

static zw_status check_state(zw_run *run, zw_error *err) {
    for (int i = 0; i < run->ny; i++) {
        if (isfinite(run->y[i]))
            continue;
        zw_num_fault(run->flow, ZW_FAULT_STATE, i, run->now, run->y[i]);
        return zw_fail(err, ZW_E_NONFINITE, "state %d is not finite at t = %.10g", i + 1, run->now);
    }
    return ZW_OK;
}

/* one step of the method, searched for events */
static zw_status take_step(zw_run *run, zw_error *err) {
    if (run->info.steps >= run->options.steps_max) {
        zw_fail(err, ZW_E_NUMERIC, "%ld steps were not enough: the run is at t = %.10g",
                run->options.steps_max, run->now);
        zw_error_hint(err, "%s",
                      run->advice ? run->advice : "raise --steps-max, or loosen the tolerances");
        return ZW_E_NUMERIC;
    }
    bool changed;
    if (run->cut)
        ZW_TRY(zw_num_modes_turn(run, err));
    ZW_TRY(zw_num_reconsider(run, err));
    ZW_TRY(zw_num_refresh(run, &changed, err));
    if (changed) {
        run->method->statistics(run, &run->info);
        ZW_TRY(run->method->start(run, err));
    }
    double from = run->now;
    bool fixed = zw_num_has_fixed_pace(run);
    if (fixed && changed)
        zw_num_pace_start(run);
    if (fixed)
        zw_num_pace_before(run);
    ZW_TRY(run->method->step(run, err));
    run->info.steps++;
    if (!((run->now - from) * run->direction > 0)) /* the run would never end */
        return zw_fail(err, ZW_E_NUMERIC, "a step of method %s from t = %.10g ends at t = %.10g",
                       run->method->name, from, run->now);
    ZW_TRY(ask_owner(run, 0, err));
    ZW_TRY(check_state(run, err));
    ZW_TRY(zw_num_quasi_check(run, err));
    ZW_TRY(zw_num_elimination_check(run, err));
    ZW_TRY(zw_num_collapse_check(run, err));
    if (fixed)
        ZW_TRY(zw_num_pace_after(run, err));
    ZW_TRY(zw_num_modes_cut(run, err));
    if (run->k->nfooting == 0) /* otherwise the motion may end within this step, see advance_run */
        zw_num_inertia_check(run);
    if (run->ny == run->k->nx)
        zw_num_delays_check(run, run->now, run->y);
    return zw_num_events_search(run, err);
}

/* calls on_piece for the motion up to t, which is in the last step */
static zw_status report_piece(zw_run *run, double t, zw_error *err) {
    double from = run->passed;
    run->passed = t;
    return run->on_piece && t != from ? run->on_piece(run->on_piece_user, run, from, t, err)
                                      : ZW_OK;
}

static zw_status leave_dense(zw_run *run, double t, zw_error *err) {
    if (t == run->now)
        return move_state(run, t, run->y, err);
    ZW_TRY(run->method->dense(run, t, run->dense, err));
    return move_state(run, t, run->dense, err);
}

/* to t_out or to an event before it */
static zw_status advance_run(zw_run *run, double t_out, zw_error *err) {
    ZW_TRY(begin_integration(run, t_out, err));
    for (;;) {
        ZW_TRY(zw_interrupt_check(err));
        double end = (t_out - run->now) * run->direction <= 0 ? t_out : run->now;
        if ((run->event_time - end) * run->direction <= 0) {
            double t = run->event_time;
            ZW_TRY(report_piece(run, t, err));
            ZW_TRY(move_state(run, t, run->event_state, err));
            zw_num_events_report(run);
            ZW_TRY(zw_num_events_search(run, err));
            return ZW_EVENT;
        }
        ZW_TRY(report_piece(run, end, err));
        bool pause = run->pause;
        run->pause = false;
        bool halt = run->halts && run->cut && end == run->now && run->halted != end;
        if (halt)
            run->halted = end;
        if (end == t_out)
            return leave_dense(run, t_out, err);
        if (pause || halt)
            return move_state(run, end, run->y, err);
        zw_contact_validity_end ended = {.footing = -1};
        if (run->footing_seen != run->now) {
            ZW_TRY(zw_num_contact_validity_step(run, &ended, err));
            if (run->k->nfooting > 0 && ended.footing < 0 && run->info.steps > 0)
                zw_num_inertia_check(run);
        }
        zw_error trouble = {0};
        zw_status status = ended.footing < 0 ? take_step(run, &trouble) : ZW_OK;
        if (status < 0)
            ended = zw_num_contact_validity_approach(run);
        if (ended.footing >= 0)
            return end_contact(run, ended, err);
        if (status < 0) {
            if (err)
                *err = trouble;
            return status;
        }
    }
}

zw_status zw_run_advance(zw_run *run, double t_out, int *event, zw_error *err) {
    int ignored;
    if (!event)
        event = &ignored;
    *event = -1;
    if (!run->started)
        return zw_fail(err, ZW_E_START, "the run has no start");
    if (!isfinite(t_out))
        return zw_fail(err, ZW_E_OPTION, "the time to advance to is not finite");
    /* several events at one time are reported one after the other */
    *event = take_event(run);
    if (*event >= 0)
        return ZW_EVENT;
    /* nearer than the resolution of time */
    if (fabs(t_out - run->t) <= 4 * DBL_EPSILON * fmax(fabs(t_out), fabs(run->t))) {
        run->t = t_out;
        return ZW_OK;
    }
    run->flow->fault = (zw_fault){ZW_FAULT_NONE, -1, t_out, 0};
    run->target = t_out;
    zw_error trouble = {0};
    zw_status status = advance_run(run, t_out, &trouble);
    if (status < 0) {
        /* advance to the last valid state, not beyond the limit; the fault is known already */
        zw_fault fault = run->flow->fault;
        if (!run->fresh && (run->now - run->t) * run->direction > 0 &&
            !((run->now - run->limit) * run->direction > 0) && fault.kind != ZW_FAULT_CONTACT)
            move_state(run, run->now, run->y, NULL);
        run->flow->fault = fault;
        return zw_num_pass_on(&trouble, err);
    }
    *event = take_event(run);
    return status;
}

const double *zw_run_actions(zw_run *run) {
    if (run->k->nact == 0 || !(run->flow->functions & ZW_SET(ACT)))
        return NULL;
    return zw_at_act(run->flow, run->t, run->x, run->z).value;
}

void zw_run_lead_to(zw_run *run, double t) {
    run->lead = t;
}

void zw_run_limit(zw_run *run, double t) {
    run->limit = t;
}

void zw_run_first_step(zw_run *run, double h) {
    run->first_step = h;
}

void zw_run_on_warning(zw_run *run, zw_flow_warning doubt, void *user) {
    zw_flow_on_warning(run->flow, doubt, user);
}

void zw_num_halt_at_switches(zw_run *run) {
    for (int i = 0; i < run->k->nswitch; i++)
        run->halts |= run->k->switches[i].of_contact;
    run->halted = NAN;
}

bool zw_num_has_halted(const zw_run *run) {
    return run->halts && run->started && run->halted == run->t;
}

void zw_run_pause(zw_run *run) {
    run->pause = true;
}

void zw_run_coarse(zw_run *run, bool coarse) {
    run->coarse = coarse;
}

void zw_run_on_piece(zw_run *run, zw_run_piece piece, void *user) {
    run->on_piece = piece;
    run->on_piece_user = user;
}

zw_status zw_run_dense(zw_run *run, double t, double *x, zw_error *err) {
    if (!run->started || run->fresh || (t - run->before) * run->direction < 0 ||
        (run->now - t) * run->direction < 0)
        return zw_fail(err, ZW_E_OPTION, "t = %.10g lies outside of the last step", t);
    ZW_TRY(run->method->dense(run, t, run->dense, err));
    if (zw_num_leaves_itself(run))
        return run->method->leave(run, t, run->dense, x, run->flow->z, err);
    ZW_TRY(zw_num_expand(run, t, run->dense, x, err));
    return zw_num_project(run->flow, t, x, NULL, err);
}

zw_status zw_run_powers(zw_run *run, double t, const double *x, double *power, zw_error *err) {
    const zw_kernel *k = run->k;
    ZW_TRY(zw_num_need(run, ZW_SET(POWER), "the balance of powers", err));
    ZW_TRY(zw_num_accel(run->flow, t, x, run->flow->qdot, run->flow->z, err));
    const double *value = zw_at_power(run->flow, t, x, run->flow->z).value;
    memcpy(power, value, sizeof(double) * (size_t)k->npower);
    return ZW_OK;
}

/* ---- queries ---- */

double zw_run_time(const zw_run *run) {
    return run->t;
}

const double *zw_run_state(const zw_run *run) {
    return run->x;
}

const double *zw_run_accel(const zw_run *run) {
    return run->z;
}

const double *zw_run_observables(zw_run *run) {
    return run->obs;
}

zw_fault zw_run_last_fault(const zw_run *run) {
    return run->flow->fault;
}

const double *zw_run_fault_state(const zw_run *run) {
    return run->flow->fault_has_state ? run->flow->fault_x : NULL;
}

void zw_run_fill_statistics(const zw_run *run, zw_run_info *out, size_t size) {
    zw_run_info info = run->info;
    if (run->method && !run->fresh)
        run->method->statistics(run, &info);
    info.native = run->k->native;
    info.projections = run->flow->projections - run->projections_before;
    memset(out, 0, size);
    memcpy(out, &info, size < sizeof info ? size : sizeof info);
}
