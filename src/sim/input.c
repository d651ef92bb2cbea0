/* SPDX-License-Identifier: MIT */
/* External inputs along a run. Tables go from piece to piece: within one its polynomial holds, also a
 * little beyond its end where a step of the integration reaches over it; at the end the run is led to
 * exactly that time and starts anew with the next piece. So no method ever sees a kink or a jump inside
 * a step, and none can be stepped over. What the caller's function gives comes last.
 * Tables of the model are part of its equations, and the run itself steps to their points (num/modes.c). */
#include <math.h>
#include <string.h>

#include "internal.h"

/* the values that hold as long as the parameters do */
static void refresh(zw_sim_world *w) {
    if (w->signal_version == w->version)
        return;
    for (int i = 0; i < w->sys->nsignal; i++)
        if (w->sys->signal[i].table < 0)
            w->signal[i] = zw_system_signal_at(w->sys, i, w->p, 0, 0);
    w->signal_version = w->version;
}

static void feed(void *user, double t, double *u) {
    zw_sim_stage *stage = user;
    zw_sim_world *w = stage->world;
    const zw_sim_options *o = &stage->sim->options;
    refresh(w);
    for (int i = 0; i < w->sys->nsignal; i++)
        u[i] = w->sys->signal[i].table < 0
                   ? w->signal[i]
                   : zw_system_signal_at(w->sys, i, w->p, stage->sim->piece, t);
    if (o->input)
        o->input(o->user, t, u);
}

zw_status zw_sim_input_connect(zw_sim *sim, zw_sim_stage *stage, zw_error *err) {
    zw_sim_world *w = stage->world;
    if (!w->sys->nsignal)
        return ZW_OK;
    if (!w->signal) {
        w->signal = ZW_NEW(&sim->arena, double, w->sys->nsignal);
        w->signal_version = -1;
    }
    if (!w->signal)
        return zw_fail(err, ZW_E_MEMORY, "out of memory for the simulation");
    zw_flow_on_input(zw_run_flow(stage->run), feed, stage);
    if (stage->home != stage->run)
        zw_flow_on_input(zw_run_flow(stage->home), feed, stage);
    return ZW_OK;
}

void zw_sim_input_feed(zw_flow *flow, zw_sim_stage *stage) {
    if (stage->world->sys->nsignal)
        zw_flow_on_input(flow, feed, stage);
}

double zw_sim_input_next(const zw_sim *sim) {
    return zw_system_signal_next(sim->stage->world->sys, sim->piece);
}

zw_status zw_sim_input_turn(zw_sim *sim, double t, zw_error *err) {
    zw_sim_stage *stage = sim->stage;
    sim->piece = t;
    memcpy(stage->x, zw_run_state(stage->run), sizeof *stage->x * (size_t)stage->kernel->nx);
    ZW_TRY(zw_sim_events_remember(sim, err));
    ZW_TRY(zw_sim_stage_again(stage, t, err));
    zw_sim_events_arm(sim, true);
    return ZW_OK;
}
