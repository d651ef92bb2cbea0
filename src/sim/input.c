/* SPDX-License-Identifier: MIT */
/* External inputs along a run. Tables are used piece by piece: within a piece its polynomial is
 * used, also slightly beyond its end where a trial step reaches over it; at its end the run stops
 * at exactly that time and starts again with the next piece. So no method has a kink or a jump
 * inside a step, and none can be missed. Values of the caller's function come last. White noise is
 * used cell by cell in the same way, within each as the straight line with the integrals of a
 * Brownian path over the cell (base/brownian.h): the equations of a cell are ordinary ones, solved
 * to the tolerances of the run, and the limit of short cells is Stratonovich's. Tables of the model
 * are part of its equations, and the run itself stops at their points (num/events/switching.c). */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "internal.h"
#include "mech/system/build.h"

/* the input values that depend on parameters only */
static void refresh_inputs(zw_sim_variant_state *w) {
    if (w->signal_version == w->version)
        return;
    for (int i = 0; i < w->sys->nsignal; i++)
        if (w->sys->signal[i].noise)
            w->signal[i] = zw_system_noise_at(w->sys, i, w->p);
        else if (w->sys->signal[i].table < 0)
            w->signal[i] = zw_system_signal_at(w->sys, i, w->p, 0, 0);
    w->signal_version = w->version;
}

/* the cell that begins at the present piece */
static int64_t cell_of(const zw_sim *sim) {
    return (int64_t)floor(ldexp(sim->piece, -sim->cell_level));
}

/* Between the ends of its cells a parabola replaces the path. So an output time lies on an end, or
 * in a cell that is much shorter than the others: chooses the longest cell from the present piece,
 * of level `most` or less, that does not go beyond it. */
static void choose_cell(zw_sim *sim, double aim, int most) {
    enum { SHORTER = 10 };
    int level = sim->noise_level, least = level - SHORTER < most ? level - SHORTER : most;
    if (least < ZW_BROWNIAN_BOTTOM)
        least = ZW_BROWNIAN_BOTTOM;
    while (level > least) {
        double k = ldexp(sim->piece, -level);
        if (level <= most && k == floor(k) && ldexp(k + 1, level) <= aim)
            break;
        level--;
    }
    sim->cell_level = level;
}

void zw_sim_input_begin(zw_sim *sim, double t) {
    sim->piece = t;
    choose_cell(sim, t, sim->noise_level);
}

static double probed(const zw_sim *sim, int signal) {
    return sim->noise_alone < 0 || sim->noise_alone == signal ? sim->noise_probe : 0;
}

static void evaluate_inputs(void *user, double t, double *u) {
    zw_sim_stage *stage = user;
    zw_sim_variant_state *w = stage->world;
    const zw_sim_options *o = &stage->sim->options;
    refresh_inputs(w);
    for (int i = 0; i < w->sys->nsignal; i++)
        u[i] = w->sys->signal[i].noise && !isnan(stage->sim->noise_probe)
                   ? w->signal[i] * probed(stage->sim, i)
               : w->sys->signal[i].noise
                   ? w->signal[i] * zw_brownian_rate(&w->noise[i], stage->sim->cell_level,
                                                     cell_of(stage->sim), t)
               : w->sys->signal[i].table < 0
                   ? w->signal[i]
                   : zw_system_signal_at(w->sys, i, w->p, stage->sim->piece, t);
    if (o->input)
        o->input(o->user, t, u);
}

/* starts the paths of the noises of a variant, numbered in the order of the model */
static void begin_paths(const zw_sim *sim, zw_sim_variant_state *w) {
    uint32_t input = 0;
    for (int i = 0; i < w->sys->nsignal; i++)
        if (w->sys->signal[i].noise)
            zw_brownian_begin(&w->noise[i], (uint64_t)sim->options.seed,
                              (uint64_t)sim->options.path, input++);
}

void zw_sim_input_path(zw_sim *sim, long path) {
    sim->options.path = path;
    for (zw_sim_variant_state *w = sim->worlds; w; w = w->next)
        if (w->noise)
            begin_paths(sim, w);
}

void zw_sim_input_draw(const zw_sim *sim, const zw_system *s, const double *p, double *x,
                       zw_said *said) {
    uint32_t number = 1u << 31; /* inputs are numbered from 0 */
    for (int i = 0; i < s->nq; i++)
        if (s->coord[i].spread && said[i] == ZW_UNSAID) {
            x[i] = zw_mech_of_parameters(s, s->coord[i].spread, p) *
                   zw_brownian_start((uint64_t)sim->options.seed, (uint64_t)sim->options.path,
                                     number + (uint32_t)i);
            said[i] = ZW_GIVEN;
        }
}

zw_status zw_sim_input_connect(zw_sim *sim, zw_sim_stage *stage, zw_error *err) {
    zw_sim_variant_state *w = stage->world;
    if (!w->sys->nsignal)
        return ZW_OK;
    if (!w->signal) {
        w->signal = ZW_NEW(&sim->arena, double, w->sys->nsignal);
        w->noise =
            ZW_NEW(&sim->arena, zw_brownian, zw_system_is_random(w->sys) ? w->sys->nsignal : 1);
        w->signal_version = -1;
        if (w->signal && w->noise)
            begin_paths(sim, w);
    }
    if (!w->signal || !w->noise)
        return zw_out_of_memory(err, "the simulation");
    zw_flow_on_input(zw_run_flow(stage->run), evaluate_inputs, stage);
    if (stage->home != stage->run)
        zw_flow_on_input(zw_run_flow(stage->home), evaluate_inputs, stage);
    return ZW_OK;
}

void zw_sim_input_feed(zw_flow *flow, zw_sim_stage *stage) {
    if (stage->world->sys->nsignal)
        zw_flow_on_input(flow, evaluate_inputs, stage);
}

double zw_sim_input_next(const zw_sim *sim) {
    const zw_system *s = sim->stage->world->sys;
    double next = zw_system_signal_next(s, sim->piece);
    return zw_system_is_random(s) ? fmin(next, ldexp((double)(cell_of(sim) + 1), sim->cell_level))
                                  : next;
}

bool zw_sim_input_waits(const zw_sim *sim, double turn) {
    const zw_system *s = sim->stage->world->sys;
    return zw_system_is_random(s) && zw_system_signal_next(s, sim->piece) > turn;
}

zw_status zw_sim_input_turn(zw_sim *sim, double t, double aim, zw_error *err) {
    zw_sim_stage *stage = sim->stage;
    sim->piece = t;
    choose_cell(sim, aim, zw_sim_noise_level_near(sim));
    memcpy(stage->x, zw_run_state(stage->run), sizeof *stage->x * (size_t)stage->kernel->nx);
    if (t > sim->moment) /* their functions have left zero since then */
        memset(sim->acted, 0, sizeof *sim->acted * (size_t)sim->nevent);
    ZW_TRY(zw_sim_events_remember(sim, err));
    zw_sim_total_over(sim);
    ZW_TRY(zw_sim_stage_again(stage, t, err));
    zw_sim_events_arm(sim, true);
    return ZW_OK;
}
