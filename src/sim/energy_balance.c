/* SPDX-License-Identifier: MIT */
/* The balance of energy along a motion: the works
 *
 *   W_i(t) = integral of P_i dt,      P_i: power of force or constraint i (zw_equations_powers),
 *
 * the energy that events add, and the drift E - E(start) - sum of all works, which is the error of
 * the integration. Every piece of a step is integrated by the Gauss formula with five nodes, exact
 * for polynomials of degree nine, on the dense output of the method: the error of a work is that of
 * the states and not of the formula. (Works as further unknowns of the integration would change its
 * steps, so that asking for the balance would change the motion.) */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "internal.h"

enum { NODES = 5 };
static const double node[NODES] = {0, -0.53846931010568309104, 0.53846931010568309104,
                                   -0.90617984593866399280, 0.90617984593866399280};
static const double weight[NODES] = {0.56888888888888888889, 0.47862867049936646804,
                                     0.47862867049936646804, 0.23692688505618908751,
                                     0.23692688505618908751};

/* ---------------------------------------------------------------------------------- names of
 * works */

static int find_work(const zw_sim *sim, const char *name) {
    for (int i = 0; i < sim->nwork; i++)
        if (strcmp(sim->work_name[i], name) == 0)
            return i;
    return -1;
}

static zw_status add_names(zw_sim *sim, const zw_equations *eq, zw_error *err) {
    zw_power *power;
    int n;
    ZW_TRY(zw_equations_powers(eq, &power, &n, err));
    const char **wider = ZW_NEW(&sim->arena, const char *, sim->nwork + n + 1);
    if (!wider)
        return zw_out_of_memory(err, "the result");
    for (int i = 0; i < sim->nwork; i++)
        wider[i] = sim->work_name[i];
    sim->work_name = wider;
    for (int i = 0; i < n; i++)
        if (zw_sim_standing_work(sim, eq->sys, &power[i]) < 0 && find_work(sim, power[i].name) < 0)
            sim->work_name[sim->nwork++] = power[i].name;
    return ZW_OK;
}

/* the works of a variant as it is, and with all constraints that can be active */
static zw_status add_world(zw_sim *sim, const zw_sim_variant_state *w, zw_error *err) {
    const zw_system *s = w->sys;
    const zw_active active = {.constraint = sim->want};
    zw_equations eq;
    const char *principle = sim->stage->eq.principle;
    bool more = false;
    for (int i = 0; i < s->nconstraint; i++)
        sim->want[i] = zw_sim_variant_state_holds(sim, w, i);
    ZW_TRY(zw_derive(&eq, s, &active, principle, err));
    ZW_TRY(add_names(sim, &eq, err));
    for (int i = 0; i < s->nconstraint; i++)
        if (!sim->want[i] && zw_sim_is_switched(sim, s, i))
            more = sim->want[i] = true;
    /* if they cannot be active together, zw_sim_work_map reports a missing work */
    zw_error ignored = {0};
    zw_status status = more ? zw_derive(&eq, s, &active, principle, &ignored) : ZW_OK;
    if (more && status >= 0)
        status = add_names(sim, &eq, err);
    else if (status != ZW_E_MEMORY)
        status = ZW_OK;
    else
        zw_fail(err, status, "%s", ignored.text);
    return status;
}

zw_status zw_sim_work_create(zw_sim *sim, zw_error *err) {
    if (!sim->options.energy)
        return ZW_OK;
    for (const zw_sim_variant_state *w = sim->worlds; w; w = w->next) {
        ZW_TRY(add_world(sim, w, err));
        for (int i = 0; i < w->sys->nevent; i++)
            sim->events_work = sim->events_work || w->sys->event[i].naction > 0;
    }
    sim->work = ZW_NEW(&sim->arena, double, sim->nwork + 1);
    if (!sim->work)
        return zw_out_of_memory(err, "the result");
    sim->energy_start = zw_sim_energy(sim);
    return zw_sim_work_map(sim, sim->stage, err);
}

void zw_sim_work_again(zw_sim *sim) {
    sim->event_work = 0;
    if (!sim->options.energy)
        return;
    memset(sim->work, 0, sizeof *sim->work * (size_t)sim->nwork);
    sim->energy_start = zw_sim_energy(sim);
}

zw_status zw_sim_work_map(zw_sim *sim, zw_sim_stage *stage, zw_error *err) {
    zw_power *power;
    int n;
    if (!sim->options.energy)
        return ZW_OK;
    ZW_TRY(zw_equations_powers(&stage->eq, &power, &n, err));
    stage->npower = n;
    stage->work = ZW_NEW(&sim->arena, int, n + 1);
    stage->power = ZW_NEW(&sim->arena, double, n + 1);
    stage->node = ZW_NEW(&sim->arena, double, stage->kernel->nx);
    if (!stage->work || !stage->power || !stage->node)
        return zw_out_of_memory(err, "the result");
    for (int i = 0; i < n; i++) {
        int contact = zw_sim_standing_work(sim, stage->eq.sys, &power[i]);
        stage->work[i] = contact >= 0 ? -1 - contact : find_work(sim, power[i].name);
        if (stage->work[i] < 0 && contact < 0)
            return zw_fail_at(err, ZW_E_MODEL, power[i].place,
                              "%s does work after a switch only: its work has no column",
                              power[i].name);
    }
    return ZW_OK;
}

/* ----------------------------------------------------------------------------- along the motion */

zw_status zw_sim_work_piece(zw_sim *sim, zw_run *run, double t0, double t1, zw_error *err) {
    const zw_sim_stage *stage = sim->stage;
    double half = (t1 - t0) / 2, middle = t0 + half;
    for (int k = 0; k < NODES; k++) {
        double t = middle + half * node[k];
        ZW_TRY(zw_run_dense(run, t, stage->node, err));
        ZW_TRY(zw_run_powers(run, t, stage->node, stage->power, err));
        for (int i = 0; i < stage->npower; i++) {
            int work = stage->work[i];
            *(work < 0 ? &sim->standing.work[-1 - work] : &sim->work[work]) +=
                half * weight[k] * stage->power[i];
        }
    }
    return ZW_OK;
}

zw_status zw_sim_work_columns(const zw_sim *sim, zw_table *t) {
    if (!sim->options.energy)
        return ZW_OK;
    for (int i = 0; i < sim->nwork; i++) {
        char name[160];
        snprintf(name, sizeof name, "work(%s)", sim->work_name[i]);
        ZW_TRY(zw_table_column(t, name, "J"));
    }
    if (sim->events_work)
        ZW_TRY(zw_table_column(t, "work(events)", "J"));
    return zw_table_column(t, "drift", "J");
}

void zw_sim_work_row(const zw_sim *sim, double *row) {
    if (!sim->options.energy)
        return;
    double sum = sim->event_work;
    int n = 0;
    for (int i = 0; i < 2 * sim->contacts.n; i++)
        sum += sim->contacts.work[i];
    sum += zw_sim_standing_works(sim);
    for (int i = 0; i < sim->nwork; i++)
        sum += row[n++] = sim->work[i];
    if (sim->events_work)
        row[n++] = sim->event_work;
    row[n] = zw_sim_energy(sim) - sim->energy_start - sum;
}
