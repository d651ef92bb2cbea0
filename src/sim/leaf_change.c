/* SPDX-License-Identifier: MIT */
/* Events that set coordinates of velocity constraints. x' = r th' keeps x - r th constant
 * (zwang/equations.h) until an event sets x: the motion then continues on another leaf, and a
 * warning gives the values before and after. */
#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "internal.h"
#include "mech/system/build.h"
#include "zwang/equations.h"

enum { SHOWN = 120 }; /* characters of a formula */
/* Change of an integral, relative to its terms, by a projection: solved equations. */
#define INTEGRAL_ROUNDOFF ZW_ROUNDOFF_SOLVED

static bool has_velocities(const zw_sim_stage *stage) {
    const zw_system *s = stage->world->sys;
    for (int i = 0; i < s->nconstraint; i++)
        if (stage->on[i] && s->constraint[i].level == ZW_VELOCITY)
            return true;
    return false;
}

/* the integrals of a stage, found at its first such event */
static zw_status find_integrals(zw_sim *sim, zw_sim_stage *stage, double t, zw_error *err) {
    const zw_system *s = stage->world->sys;
    const zw_active active = {.constraint = stage->on};
    zw_error why = {0};
    if (stage->leaf)
        return ZW_OK;
    if (!(stage->leaf = ZW_NEW(&sim->arena, zw_integrals, 1)))
        return zw_out_of_memory(err, "the simulation");
    zw_status status =
        zw_integrals_find(stage->leaf, s, &active, t, stage->world->p, sim->x, 0, NULL, &why);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, "the simulation");
    if (status < 0)
        stage->leaf->n = 0;
    return ZW_OK;
}

static bool held_before(const zw_integral *i, const zw_sim_stage *before) {
    for (int k = 0; k < i->n; k++)
        if (!before->on[i->of[k]])
            return false;
    return true;
}

/* the sum of the absolute contributions of its coordinates to an integral */
static double size_of(const zw_sim_stage *stage, zw_expr I, double t, const double *q) {
    const zw_system *s = stage->world->sys;
    double size = 0;
    for (int i = 0; i < s->nq; i++) {
        zw_expr slope = zw_diff(s->ctx, I, s->coord[i].sym);
        if (slope != ZW_ZERO)
            size += fabs(zw_sim_value(stage, slope, t, q) * q[i]);
    }
    return size;
}

static void warn_leaf(zw_sim *sim, const zw_system *s, const zw_integral *i, const zw_event *e,
                      double t, double from, double to) {
    char key[96];
    snprintf(key, sizeof key, "leaf %.40s %.40s", e->name, i->name);
    if (zw_warnings_again(sim->doubts, key, t, to - from))
        return;
    char *formula = zw_print_within(s->ctx, i->value, ZW_TEXT, SHOWN);
    zw_warning d =
        zw_warning_of(key, t,
                      "the event %s changes %s from %.9g to %.9g, although constraint %s "
                      "keeps it constant: the motion continues on another leaf",
                      e->name, formula ? formula : "an integral", from, to, i->name);
    d.worst = to - from;
    zw_warning_place(&d, e->place);
    zw_warning_hint(&d, "to stay on the leaf, set the other coordinates in the event as well");
    zw_warnings_add(sim->doubts, &d);
    zw_string_free(s->ctx, formula);
}

zw_status zw_sim_watch_leaf(zw_sim *sim, const zw_sim_stage *before, zw_sim_stage *next,
                            const zw_event *e, double t, zw_error *err) {
    const zw_system *s = next->world->sys;
    const double *was = zw_run_state(before->run); /* coordinates first */
    if (before->world != next->world || !has_velocities(next))
        return ZW_OK;
    ZW_TRY(find_integrals(sim, next, t, err));
    for (int k = 0; k < next->leaf->n; k++) {
        const zw_integral *i = &next->leaf->integral[k];
        double from = zw_sim_value(next, i->value, t, was),
               to = zw_sim_value(next, i->value, t, sim->x),
               rounding = INTEGRAL_ROUNDOFF * size_of(next, i->value, t, sim->x);
        if (held_before(i, before) && fabs(to - from) > rounding)
            warn_leaf(sim, s, i, e, t, fabs(from) > rounding ? from : 0,
                      fabs(to) > rounding ? to : 0);
    }
    return zw_context_status(s->ctx, err);
}
