/* SPDX-License-Identifier: MIT */
/* Do motions in lanes reach a singularity of their coordinates? The check is that of runs
 * (num/flow/inertia.h); one kernel call evaluates the mass matrices of all lanes at the ends of
 * their steps. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "internal.h"

typedef struct lane_step {
    zw_worker *w;
    int lane;
} lane_step;

zw_status zw_lane_worker_inertia_make(zw_ensemble *e, zw_error *err) {
    const zw_equations *eq = &e->worker->sim->stage->eq;
    zw_lane_group *s = &e->lane_group;
    if (!zw_num_inertia_can(s->one))
        return ZW_OK;
    s->place = ZW_NEW(&e->arena, zw_lane_worker_place, eq->nv);
    if (!s->place)
        return zw_out_of_memory(err, "an ensemble");
    for (int i = 0; i < eq->nv; i++) {
        s->place[i].n = zw_sim_inertia_of(eq, i, s->place[i].coordinate);
        s->inertia = s->inertia || s->place[i].n > 0;
    }
    return ZW_OK;
}

static double check_inertia(zw_worker *w, int lane, const zw_mats_parts *a, int *worst) {
    const zw_kernel *k = w->e->lane_group.one;
    zw_num_inertia_pivots(k, a, w->pivots);
    return zw_num_inertia_take(&w->slot[lane].inertia, k->nv, w->pivots, worst);
}

static double distance_within(void *user, double t, int *worst) {
    const lane_step *in = user;
    zw_worker *w = in->w;
    zw_error ignored = {0};
    if (w->lanes.u || zw_lane_worker_flow(w, &w->slot[in->lane], &ignored) < 0)
        return NAN; /* the stiff method has states only at the ends of its steps */
    zw_lanes_dense(&w->lanes, in->lane, t, w->lane_x);
    zw_mats_parts a = zw_flow_matrices(w->flow, t, w->lane_x);
    return check_inertia(w, in->lane, &a, worst);
}

/* extract the matrices of one lane */
static double distance_of_lane(zw_worker *w, int lane, const zw_mats_parts *all, int *worst) {
    const zw_kernel *k = w->e->lane_group.one;
    int square = k->nv * k->nv, rows = k->nc * k->nv, L = w->lanes.L;
    zw_mats_parts a = {.M = w->matrices, .W = w->matrices + square};
    for (int i = 0; i < square; i++)
        a.M[i] = all->M[i * L + lane];
    for (int i = 0; i < rows; i++)
        a.W[i] = all->W[i * L + lane];
    return check_inertia(w, lane, &a, worst);
}

static void report_singularity(zw_worker *w, int lane, const zw_num_inertia_touch *touch) {
    zw_slot *slot = &w->slot[lane];
    const zw_lane_worker_place *p = &w->e->lane_group.place[touch->velocity];
    if (touch->t < w->lanes.t1[lane])
        zw_lanes_dense(&w->lanes, lane, touch->t, w->lane_x);
    else
        for (int i = 0; i < w->sys->nq; i++)
            w->lane_x[i] = w->lanes.y1[(w->lanes.at + i) * w->lanes.L + lane];
    zw_sim_singular_words(w->sys, w->sys->velocity[touch->velocity].name, p->n, p->coordinate,
                          w->lane_x, touch->distance, slot->doubt, sizeof slot->doubt);
    slot->m.doubt = slot->doubt;
    slot->inertia.watched = false; /* only the first singularity is reported */
}

static bool is_watched(const zw_worker *w, int lane) {
    const zw_num_inertia *n = &w->slot[lane].inertia;
    return n->watched && !(n->calm && (long)w->lanes.steps[lane] % 2);
}

void zw_lane_worker_inertia(zw_worker *w) {
    zw_lanes *l = &w->lanes;
    unsigned look = zw_lanes_moved(l);
    for (int lane = 0; lane < l->L; lane++)
        if (!is_watched(w, lane))
            look &= ~(1u << lane);
    if (!look)
        return;
    const zw_args in = {.t = l->t1, .x = l->y1 + l->at * l->L, .c = l->cache};
    zw_kernel_call(l->k, ZW_FN_MATS, &in, w->mats, l->work);
    zw_mats_parts all = zw_mats_of(l->k, w->mats);
    for (; look; look &= look - 1) {
        int lane = __builtin_ctz(look);
        zw_num_inertia_touch touch = {.velocity = -1};
        touch.distance = distance_of_lane(w, lane, &all, &touch.velocity);
        if (zw_num_inertia_step(&w->slot[lane].inertia, l->t[lane], l->t1[lane], distance_within,
                                &(lane_step){w, lane}, &touch))
            report_singularity(w, lane, &touch);
    }
}
