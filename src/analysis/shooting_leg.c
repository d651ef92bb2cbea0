/* SPDX-License-Identifier: MIT */
/* A leg: the run tells the pieces of its motion, none of which spans two steps or a kink, and the disturbances follow over
 * each of them (variation.h), the states being those of the dense output.
 *
 * At the beginning of a piece the rates f+ are compared with those at the end of the piece before, f-. If they differ, the
 * one switching function sigma whose mode has changed says how much earlier or later a neighbour meets it:
 *
 *     S = 1 + (f+ - f-) sigma_x/(sigma_t + sigma_x f-),     det S = 1 + sigma_x (f+ - f-)/(sigma_t + sigma_x f-). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "num/flow.h"
#include "shooting.h"

#define JUMP 1e-8     /* of the rates, relative: none of rounding */
#define STUCK 1e-12   /* det S that is none */
#define STRAIGHT 1e-9 /* sigma' relative to its terms: the motion does not cross */

zw_status zw_leg_init(zw_leg *leg, zw_arena *arena, zw_run *run, zw_error *err) {
    zw_flow *flow = zw_run_flow(run);
    const zw_kernel *k = zw_flow_kernel(flow);
    *leg = (zw_leg){.run = run, .flow = flow, .k = k, .arena = arena};
    leg->rate = ZW_NEW(arena, double, k->nx + 1);
    leg->before = ZW_NEW(arena, double, k->nx + 1);
    leg->x = ZW_NEW(arena, double, k->nx + 1);
    leg->mode = ZW_NEW(arena, double, k->nmode + 1);
    return arena->failed ? zw_fail(err, ZW_E_MEMORY, "out of memory") : ZW_OK;
}

static zw_status state_of_run(void *user, double t, double *x, zw_error *err) {
    return zw_run_dense(user, t, x, err);
}

/* ---------------------------------------------------------------------------------------------- jumps */

static bool has_jumped(const zw_leg *leg) {
    double most = 0, change = 0;
    for (int i = 0; i < leg->k->nx; i++) {
        most = fmax(most, fmax(fabs(leg->rate[i]), fabs(leg->before[i])));
        change = fmax(change, fabs(leg->rate[i] - leg->before[i]));
    }
    return change > JUMP * (1 + most);
}

/* the one switch that has another mode than in the piece before, -1: there are several, or none. Of the two of a table the
 * one that is at zero. */
static int changed_switch(const zw_leg *leg, const double *sigma) {
    int found = -1;
    for (int i = 0; i < leg->k->nswitch; i++) {
        const zw_switch *s = &leg->k->switches[i];
        if (leg->flow->mode[s->mode] == leg->mode[s->mode])
            continue;
        bool same = found >= 0 && leg->k->switches[found].mode == s->mode;
        if (found >= 0 && !same)
            return -1;
        if (found < 0 || fabs(sigma[i]) < fabs(sigma[found]))
            found = i;
    }
    return found;
}

/* Y <- S Y of one of the variations */
static void multiply(zw_variation *v, int nx, const double *change, const double *slope,
                     double rate) {
    for (int j = 0; v && j < v->n; j++) {
        double along = 0;
        for (int i = 0; i < nx; i++)
            along += slope[i] * v->Y[i * v->n + j];
        for (int i = 0; i < nx; i++)
            v->Y[i * v->n + j] += change[i] * along / rate;
    }
}

/* f+ is in rate, f- in before: the state is at a switch */
static zw_status saltate(zw_leg *leg, double t) {
    int nx = leg->k->nx;
    zw_arena_mark mark = zw_arena_mark_now(leg->arena);
    double *sigma = ZW_NEW(leg->arena, double, leg->k->nswitch + 1),
           *change = ZW_NEW(leg->arena, double, nx + 1);
    if (!sigma || !change)
        return ZW_E_MEMORY;
    memcpy(sigma, zw_at_switches(leg->flow, t, leg->x, NULL).value,
           sizeof(double) * (size_t)leg->k->nswitch);
    int which = changed_switch(leg, sigma);
    if (which >= 0) {
        zw_switch_rate_parts a = zw_at_switch_rate(leg->flow, t, leg->x, NULL);
        const double *slope = a.dx + (size_t)which * (size_t)nx;
        double rate = a.dt[which], size = fabs(rate), gain = 0;
        for (int i = 0; i < nx; i++) {
            change[i] = leg->rate[i] - leg->before[i];
            rate += slope[i] * leg->before[i];
            size += fabs(slope[i] * leg->before[i]);
            gain += slope[i] * change[i];
        }
        leg->tangled |= !(fabs(rate) > STRAIGHT * size);
        multiply(leg->v, nx, change, slope, rate);
        multiply(leg->check, nx, change, slope, rate);
        double det = fabs(1 + gain / rate); /* 0 where the motion begins to stick */
        leg->log_jumps += det > STUCK ? log(det) : -INFINITY;
        leg->jumps++;
    } else {
        leg->tangled = true;
    }
    zw_arena_release(leg->arena, mark);
    return ZW_OK;
}

/* the rates at the beginning of a piece against those at the end of the one before */
static zw_status look_for_jump(zw_leg *leg, double t, zw_error *err) {
    size_t modes = sizeof(double) * (size_t)leg->k->nmode;
    if (leg->fresh || memcmp(leg->mode, leg->flow->mode, modes) == 0)
        return ZW_OK;
    ZW_TRY(zw_run_dense(leg->run, t, leg->x, err));
    ZW_TRY(zw_flow_rates(leg->flow, t, leg->x, leg->rate, NULL, err));
    if (has_jumped(leg) && saltate(leg, t) < 0)
        return zw_fail(err, ZW_E_MEMORY, "out of memory");
    return ZW_OK;
}

static zw_status remember(zw_leg *leg, double t, zw_error *err) {
    leg->fresh = false;
    ZW_TRY(zw_run_dense(leg->run, t, leg->x, err));
    ZW_TRY(zw_flow_rates(leg->flow, t, leg->x, leg->before, NULL, err));
    memcpy(leg->mode, leg->flow->mode, sizeof(double) * (size_t)leg->k->nmode);
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------------- pieces */

static zw_status follow(zw_leg *leg, zw_variation *v, double t0, double t1, zw_error *err) {
    if (!v)
        return ZW_OK;
    if (zw_variation_wants_node(v)) {
        zw_arena_mark mark = zw_arena_mark_now(leg->arena);
        double *T = ZW_NEW(leg->arena, double, v->nx * v->nx + 1);
        int n;
        if (!T)
            return zw_fail(err, ZW_E_MEMORY, "out of memory");
        ZW_TRY(zw_run_dense(leg->run, t0, leg->x, err));
        ZW_TRY(zw_variation_basis(v, leg->arena, leg->flow, t0, leg->x, &n, T, err));
        if (n != v->n)
            return zw_fail(err, ZW_E_SINGULAR,
                           "constraints become dependent along the motion, at t = %.10g", t0);
        zw_variation_node(v, T);
        zw_arena_release(leg->arena, mark);
    }
    return zw_variation_step(v, leg->flow, t0, t1, state_of_run, leg->run, err);
}

static zw_status on_piece(void *user, zw_run *run, double t0, double t1, zw_error *err) {
    zw_leg *leg = user;
    leg->pieces++;
    if (leg->v && leg->k->nmode > 0)
        ZW_TRY(look_for_jump(leg, t0, err));
    ZW_TRY(follow(leg, leg->v, t0, t1, err));
    ZW_TRY(follow(leg, leg->check, t0, t1, err));
    if (leg->v && leg->k->nmode > 0)
        ZW_TRY(remember(leg, t1, err));
    return leg->record ? zw_record_piece(leg->record, run, t0, t1, err) : ZW_OK;
}

zw_status zw_leg_run(zw_leg *leg, double t0, const double *x, double t1, double *end,
                     zw_error *err) {
    bool told = leg->v || leg->check || leg->record;
    leg->fresh = true;
    zw_run_on_piece(leg->run, told ? on_piece : NULL, leg);
    ZW_TRY(zw_run_start(leg->run, t0, x, err));
    zw_run_lead_to(leg->run, t1);
    for (zw_status status = ZW_EVENT; status == ZW_EVENT;) { /* those that only tell */
        int event;
        status = zw_run_advance(leg->run, t1, &event, err);
        if (status < 0)
            return status;
    }
    memcpy(end, zw_run_state(leg->run), sizeof(double) * (size_t)leg->k->nx);
    return ZW_OK;
}
