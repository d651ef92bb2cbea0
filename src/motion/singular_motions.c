/* SPDX-License-Identifier: MIT */
#include "singular_motions.h"

#include <math.h>

#include "base/arena.h"
#include "num/flow/inertia.h"
#include "sim/driven_sim.h"

typedef struct inertia_search {
    const zw_singular_motion *m;
    const zw_kernel *kernel;
    double *x, *A;
    zw_num_inertia watch;
} inertia_search;

static double distance_at(void *user, double t, int *worst) {
    inertia_search *a = user;
    a->m->state(a->m->user, t / a->m->period, a->x);
    zw_mats_parts m = zw_flow_matrices(a->m->flow, t, a->x);
    zw_num_inertia_pivots(a->kernel, &m, a->A);
    return zw_num_inertia_take(&a->watch, a->kernel->nv, a->A, worst);
}

/* Looks for a touch over the period. The second round knows the largest inertia of the whole
 * period, by which distances are measured. */
static bool find_touch(inertia_search *a, zw_num_inertia_touch *out) {
    for (int round = 0; round < 2; round++)
        for (int j = 1; j <= a->m->n && a->watch.watched; j++) {
            double t0 = a->m->period * a->m->mesh[j - 1], t1 = a->m->period * a->m->mesh[j];
            *out = (zw_num_inertia_touch){.velocity = -1};
            out->distance = distance_at(a, t1, &out->velocity);
            if (zw_num_inertia_step(&a->watch, t0, t1, distance_at, a, out) && round == 1)
                return true;
        }
    return false;
}

/* the pasts of delays, at the nodes and halfway between them */
static void check_pasts(zw_singular *s, const zw_singular_motion *m, double value, double *x) {
    const zw_system *sys = m->eq->sys;
    double worst = 0;
    for (int i = 0; i < sys->ndelay; i++) {
        double low = INFINITY, high = -INFINITY, last = 0;
        for (int j = 0; j < 2 * m->n; j++) {
            double tau = j % 2 ? (m->mesh[j / 2] + m->mesh[j / 2 + 1]) / 2 : m->mesh[j / 2];
            m->state(m->user, tau, x);
            last = fmax(last, zw_flow_past(m->flow, tau * m->period, x, i, &low, &high));
        }
        double part = last > 0 ? last / (high - low) : 0;
        worst = fmax(worst, part);
        if (part > ZW_PAST_RESOLVED && part > s->past) {
            s->past = part;
            s->past_value = value;
            s->delay = &sys->delay[i];
        }
    }
    s->npast += worst > ZW_PAST_RESOLVED;
}

zw_status zw_singular_check(zw_singular *s, zw_arena *arena, const zw_singular_motion *m,
                            double value, zw_error *err) {
    const zw_kernel *k = zw_flow_kernel(m->flow);
    const zw_system *sys = m->eq->sys;
    zw_arena_mark mark = zw_arena_mark_now(arena);
    zw_num_inertia_touch touch;
    int coordinate[ZW_SIM_PLACES];
    inertia_search a = {.m = m,
                        .kernel = k,
                        .x = ZW_NEW(arena, double, k->nx + 1),
                        .A = ZW_NEW(arena, double, k->nv * k->nv + 1)};
    a.watch.most = ZW_NEW(arena, double, k->nv + 1);
    if (arena->failed)
        return zw_out_of_memory(err, "the motion");
    check_pasts(s, m, value, a.x);
    zw_num_inertia_begin(&a.watch, k->nv, zw_num_inertia_can(k));
    if (find_touch(&a, &touch)) {
        char text[sizeof s->text];
        m->state(m->user, touch.t / m->period, a.x);
        zw_sim_singular_words(sys, zw_expr_name(sys->ctx, m->eq->v[touch.velocity]),
                              zw_sim_inertia_of(m->eq, touch.velocity, coordinate), coordinate, a.x,
                              touch.distance, text, sizeof text);
        zw_singular_take(s, text, value);
    }
    zw_arena_release(arena, mark);
    return ZW_OK;
}

void zw_singular_take(zw_singular *s, const char *text, double value) {
    if (!text[0] || s->n++ > 0)
        return;
    snprintf(s->text, sizeof s->text, "%s", text);
    s->value = value;
}

static void warn_past(const zw_singular *s, int motions, const char *called,
                      const zw_parameter_range *over, zw_warnings *out) {
    char where[160] = "";
    if (!s->npast)
        return;
    if (over)
        snprintf(where, sizeof where, " along %d of %d %s, the worst at %s = %.9g",
                 s->npast < motions ? s->npast : motions, motions, called, over->name,
                 s->past_value / over->factor);
    zw_warning d =
        zw_warning_of("past", NAN,
                      "the past of %s is not resolved by %d nodes%s: its last coefficient "
                      "is %.2g of its range",
                      s->delay->name, s->delay->nodes, where, s->past);
    d.worst = s->past;
    zw_warning_place(&d, s->delay->place);
    zw_warning_hint(&d, "more nodes: delay %s = ... by ... nodes %d", s->delay->name,
                    2 * s->delay->nodes);
    zw_warnings_add(out, &d);
}

void zw_singular_warning(const zw_singular *s, int motions, const char *called,
                         const zw_parameter_range *over, zw_warnings *out) {
    warn_past(s, motions, called, over, out);
    if (!s->n)
        return;
    zw_warning d =
        over ? zw_warning_of("singular", NAN, "at %d of %d %s, the first at %s = %.9g: %s",
                             s->n < motions ? s->n : motions, motions, called, over->name,
                             s->value / over->factor, s->text)
             : zw_warning_of("singular", NAN, "%s", s->text);
    zw_warning_hint(&d, "%s", zw_sim_singular_hint);
    zw_warnings_add(out, &d);
}
