/* SPDX-License-Identifier: MIT */
/* Does an orbit come to a singularity of its coordinates (num/inertia.h)? */
#include <math.h>

#include "num/inertia.h"
#include "orbits_half.h"
#include "sim/along.h"

typedef struct along {
    zw_orbits *o;
    double period, *x, *A;
    zw_num_inertia watch;
} along;

static double distance_at(void *user, double t, int *worst) {
    along *a = user;
    zw_orbits_whole_state(a->o, t / a->period, a->x);
    zw_mats_parts m = zw_flow_matrices(a->o->flow, t, a->x);
    zw_num_inertia_pivots(a->o->kernel, &m, a->A);
    return zw_num_inertia_take(&a->watch, a->o->kernel->nv, a->A, worst);
}

/* the largest inertia of the whole period is known in the second round */
static bool touches(along *a, zw_num_inertia_touch *out) {
    int N = zw_colloc_intervals(a->o->c), parts = a->o->half.on ? 2 : 1;
    const double *mesh = zw_colloc_mesh(a->o->c);
    for (int round = 0; round < 2 && a->watch.watched; round++) {
        double before = 0;
        for (int j = 1; j <= N * parts; j++) {
            int part = (j - 1) / N;
            double t = a->period * (mesh[j - part * N] + part) / parts;
            *out = (zw_num_inertia_touch){.velocity = -1};
            out->distance = distance_at(a, t, &out->velocity);
            if (zw_num_inertia_step(&a->watch, before, t, distance_at, a, out) && round == 1)
                return true;
            before = t;
        }
    }
    return false;
}

zw_status zw_orbits_watch_inertia(zw_orbits *o, double value, double period, zw_error *err) {
    const zw_kernel *k = o->kernel;
    zw_arena_mark mark = zw_arena_mark_now(&o->arena);
    zw_num_inertia_touch touch;
    int coordinate[ZW_SIM_PLACES];
    along a = {.o = o,
               .period = period,
               .x = ZW_NEW(&o->arena, double, o->nx + 1),
               .A = ZW_NEW(&o->arena, double, k->nv * k->nv + 1)};
    a.watch.most = ZW_NEW(&o->arena, double, k->nv + 1);
    if (o->arena.failed)
        return zw_orbits_no_memory(err);
    zw_num_inertia_begin(&a.watch, k->nv, zw_num_inertia_can(k));
    if (touches(&a, &touch) && o->nsingular++ == 0) {
        zw_orbits_whole_state(o, touch.t / period, a.x);
        zw_sim_singular_words(o->sys, zw_expr_name(o->sys->ctx, o->eq.v[touch.velocity]),
                              zw_sim_inertia_of(&o->eq, touch.velocity, coordinate), coordinate,
                              a.x, touch.distance, o->singular, sizeof o->singular);
        o->singular_value = value;
    }
    zw_arena_release(&o->arena, mark);
    return ZW_OK;
}

void zw_orbits_doubt_inertia(const zw_orbits *o, zw_doubts *out) {
    if (!o->nsingular)
        return;
    zw_doubt d =
        o->has_over ? zw_doubt_of("singular", NAN, "at %d of %d orbits, the first at %s = %.9g: %s",
                                  o->nsingular, o->nmotion, o->over.name,
                                  o->singular_value / o->over.factor, o->singular)
                    : zw_doubt_of("singular", NAN, "%s", o->singular);
    zw_doubt_hint(&d, "%s", zw_sim_singular_hint);
    zw_doubts_add(out, &d);
}
