/* SPDX-License-Identifier: MIT */
/* A leg: the run reports the pieces of its motion, none of which spans two steps or a kink, and
 * disturbances are integrated over each of them (variation.h), along the states of the dense
 * output.
 *
 * At the beginning of a piece the rates f+ are compared with those at the end of the previous
 * piece, f-. If they differ, the one switching function sigma whose mode has changed determines how
 * much earlier or later a neighbouring motion reaches it:
 *
 *     S = 1 + (f+ - f-) sigma_x/(sigma_t + sigma_x f-),
 *     det S = 1 + sigma_x (f+ - f-)/(sigma_t + sigma_x f-). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "num/flow/flow.h"
#include "shooting.h"

/* det S that is zero within round-off: the motion begins to stick, and disturbances vanish. */
#define DETERMINANT_ZERO ZW_ROUNDOFF_SUM

zw_status zw_leg_init(zw_leg *leg, zw_arena *arena, zw_run *run, zw_error *err) {
    zw_flow *flow = zw_run_flow(run);
    const zw_kernel *k = zw_flow_kernel(flow);
    *leg = (zw_leg){.run = run, .flow = flow, .k = k, .arena = arena};
    leg->jump = (zw_rate_jump){.run = run, .flow = flow, .k = k};
    return zw_rate_jump_init(&leg->jump, arena, k->nx, k->nmode, k->nswitch, err);
}

static zw_status state_of_run(void *user, double t, double *x, zw_error *err) {
    return zw_run_dense(user, t, x, err);
}

/* ---------------------------------------------------------------------------------------- jumps */

/* Y <- S Y of one of the variations */
static void multiply_disturbances(zw_variation *v, int nx, const double *change,
                                  const double *slope, double rate) {
    for (int j = 0; v && j < v->n; j++) {
        double along = 0;
        for (int i = 0; i < nx; i++)
            along += slope[i] * v->Y[i * v->n + j];
        for (int i = 0; i < nx; i++)
            v->Y[i * v->n + j] += change[i] * along / rate;
    }
}

/* compares the rates at the beginning of a piece with those at the end of the previous one */
static zw_status apply_rate_jump(zw_leg *leg, double t, zw_error *err) {
    zw_saltation s;
    int nx = leg->k->nx;
    double gain = 0;
    ZW_TRY(zw_rate_jump_look(&leg->jump, t, &s, err));
    if (s.which == ZW_RATE_JUMP_NONE)
        return ZW_OK;
    leg->tangled |= s.which < 0 || !s.straight;
    if (s.which < 0)
        return ZW_OK;
    multiply_disturbances(leg->v, nx, s.change, s.slope, s.rate);
    multiply_disturbances(leg->check, nx, s.change, s.slope, s.rate);
    for (int i = 0; i < nx; i++)
        gain += s.slope[i] * s.change[i];
    double det = fabs(1 + gain / s.rate); /* 0 where the motion begins to stick */
    leg->log_jumps += det > DETERMINANT_ZERO ? log(det) : -INFINITY;
    leg->jumps++;
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- pieces */

static zw_status follow_variation(zw_leg *leg, zw_variation *v, double t0, double t1,
                                  zw_error *err) {
    if (!v)
        return ZW_OK;
    if (zw_variation_wants_node(v)) {
        zw_arena_mark mark = zw_arena_mark_now(leg->arena);
        double *T = ZW_NEW(leg->arena, double, v->nx * v->nx + 1);
        int n;
        if (!T)
            return zw_out_of_memory(err, NULL);
        ZW_TRY(zw_run_dense(leg->run, t0, leg->jump.x, err));
        ZW_TRY(zw_variation_basis(v, leg->arena, leg->flow, t0, leg->jump.x, &n, T, err));
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
        ZW_TRY(apply_rate_jump(leg, t0, err));
    ZW_TRY(follow_variation(leg, leg->v, t0, t1, err));
    ZW_TRY(follow_variation(leg, leg->check, t0, t1, err));
    if (leg->v && leg->k->nmode > 0)
        ZW_TRY(zw_rate_jump_remember(&leg->jump, t1, err));
    return leg->record ? zw_record_piece(leg->record, run, t0, t1, err) : ZW_OK;
}

zw_status zw_leg_run_to(zw_leg *leg, double t0, const double *x, double t1, const bool *acts,
                        int *event, double *t, double *end, zw_error *err) {
    bool records = leg->v || leg->check || leg->record;
    leg->jump.fresh = true;
    zw_run_on_piece(leg->run, records ? on_piece : NULL, leg);
    ZW_TRY(zw_run_start(leg->run, t0, x, err));
    zw_run_lead_to(leg->run, t1);
    for (;;) {
        zw_status status = zw_run_advance(leg->run, t1, event, err);
        if (status < 0)
            return status;
        if (status != ZW_EVENT)
            *event = -1;
        if (status != ZW_EVENT || (acts && acts[*event]))
            break; /* others do not act */
    }
    *t = *event < 0 ? t1 : zw_run_time(leg->run);
    memcpy(end, zw_run_state(leg->run), sizeof(double) * (size_t)leg->k->nx);
    return ZW_OK;
}

zw_status zw_leg_run(zw_leg *leg, double t0, const double *x, double t1, double *end,
                     zw_error *err) {
    int event;
    double t;
    return zw_leg_run_to(leg, t0, x, t1, NULL, &event, &t, end, err);
}
