/* SPDX-License-Identifier: MIT */
/* From a run to a table: a column each for time, coordinates, velocities, multipliers, observables,
 * energies. The columns are settled before the first row, by names; every stage has a map from them
 * to the places of its own state, multipliers and observables. */
#include <math.h>
#include <string.h>

#include "internal.h"

/* The multipliers are among the velocities of the vakonomic principle. */
static const zw_constraint *constraint_of(const zw_equations *eq, zw_expr symbol) {
    for (int k = 0; k < eq->sys->nconstraint; k++)
        if (eq->sys->constraint[k].lambda == symbol)
            return &eq->sys->constraint[k];
    return NULL;
}

/* the unit of a velocity of the equations; "" where a principle has its own */
static const char *velocity_unit(const zw_equations *eq, zw_expr symbol) {
    for (int k = 0; k < eq->sys->nv; k++)
        if (eq->sys->velocity[k].sym == symbol)
            return eq->sys->velocity[k].unit;
    return "";
}

static const char *lambda_unit(const zw_system *s, const char *name) {
    for (int k = 0; k < s->nconstraint; k++)
        if (strcmp(zw_expr_name(s->ctx, s->constraint[k].lambda), name) == 0)
            return s->constraint[k].lambda_unit;
    return "";
}

/* ------------------------------------------------------------------------------------- the columns */

static zw_status name_columns(zw_sim *sim, zw_error *err) {
    const zw_equations *eq = &sim->stage->eq;
    const zw_system *s = eq->sys;
    zw_sim_columns *c = &sim->columns;
    c->nq = s->nq;
    c->velocity = ZW_NEW(&sim->arena, const char *, eq->nv + 1);
    c->lambda = ZW_NEW(&sim->arena, const char *, s->nconstraint + 1);
    c->observable = ZW_NEW(&sim->arena, const char *, s->nobservable + 1);
    if (!c->velocity || !c->lambda || !c->observable)
        return zw_fail(err, ZW_E_MEMORY, "out of memory for the result");
    for (int i = 0; i < eq->nv; i++)
        if (constraint_of(eq, eq->v[i]))
            c->lambda[c->nlambda++] = zw_expr_name(s->ctx, eq->v[i]);
        else
            c->velocity[c->nvelocity++] = zw_expr_name(s->ctx, eq->v[i]);
    for (int i = 0; i < eq->nc; i++)
        c->lambda[c->nlambda++] = zw_expr_name(s->ctx, eq->lambda[i]);
    for (int i = 0; i < s->nobservable; i++)
        c->observable[c->nobservable++] = s->observable[i].name;
    return ZW_OK;
}

static zw_status add_columns(const zw_sim *sim, zw_table *t) {
    const zw_equations *eq = &sim->stage->eq;
    const zw_system *s = eq->sys;
    const zw_sim_columns *c = &sim->columns;
    ZW_TRY(zw_table_column(t, "t", "s"));
    for (int i = 0; i < s->nq; i++)
        ZW_TRY(zw_table_column(t, s->coord[i].name, s->coord[i].unit));
    for (int i = 0; i < c->nvelocity; i++)
        ZW_TRY(zw_table_column(t, c->velocity[i],
                               velocity_unit(eq, zw_symbol(s->ctx, c->velocity[i]))));
    for (int i = 0; i < c->nlambda; i++)
        ZW_TRY(zw_table_column(t, c->lambda[i], lambda_unit(s, c->lambda[i])));
    for (int i = 0; i < s->nobservable; i++)
        ZW_TRY(zw_table_column(t, s->observable[i].name, s->observable[i].unit));
    ZW_TRY(zw_table_column(t, "kinetic", "J"));
    ZW_TRY(zw_table_column(t, "potential", "J"));
    return zw_table_column(t, "energy", "J");
}

/* ------------------------------------------------------------------------------------- the maps */

static int find_symbol(const zw_context *ctx, int n, const zw_expr *symbols, const char *name) {
    for (int i = 0; i < n; i++)
        if (strcmp(zw_expr_name(ctx, symbols[i]), name) == 0)
            return i;
    return -1;
}

static int find_observable(const zw_system *s, const char *name) {
    for (int i = 0; i < s->nobservable; i++)
        if (strcmp(s->observable[i].name, name) == 0)
            return i;
    return -1;
}

/* velocity: place in x; lambda: place in (x, z), since it may be either; observable: in obs */
static zw_status map_stage(zw_sim *sim, zw_sim_stage *stage, zw_error *err) {
    const zw_equations *eq = &stage->eq;
    const zw_context *ctx = eq->sys->ctx;
    const zw_sim_columns *c = &sim->columns;
    int nx = eq->nq + eq->nv;
    stage->velocity = ZW_NEW(&sim->arena, int, c->nvelocity + 1);
    stage->lambda = ZW_NEW(&sim->arena, int, c->nlambda + 1);
    stage->observable = ZW_NEW(&sim->arena, int, c->nobservable + 1);
    if (!stage->velocity || !stage->lambda || !stage->observable)
        return zw_fail(err, ZW_E_MEMORY, "out of memory for the result");
    for (int i = 0; i < c->nvelocity; i++)
        stage->velocity[i] = eq->nq + find_symbol(ctx, eq->nv, eq->v, c->velocity[i]);
    for (int i = 0; i < c->nlambda; i++) {
        int force = find_symbol(ctx, eq->nc, eq->lambda, c->lambda[i]);
        int state = find_symbol(ctx, eq->nv, eq->v, c->lambda[i]);
        stage->lambda[i] = force >= 0 ? nx + eq->nv + force : state >= 0 ? eq->nq + state : -1;
    }
    for (int i = 0; i < c->nobservable; i++)
        stage->observable[i] = find_observable(eq->sys, c->observable[i]);
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------- the rows */

zw_status zw_sim_record_create(zw_sim *sim, zw_error *err) {
    zw_allocator alloc = sim->arena.alloc;
    ZW_TRY(name_columns(sim, err));
    ZW_TRY(map_stage(sim, sim->stage, err));
    sim->rows = zw_table_create(&alloc);
    sim->events = zw_table_create(&alloc);
    if (!sim->rows || !sim->events || zw_table_column(sim->events, "event", "") < 0 ||
        add_columns(sim, sim->events) < 0 || add_columns(sim, sim->rows) < 0 ||
        zw_sim_notes_begin(sim, sim->events) < 0 || zw_sim_notes_begin(sim, sim->rows) < 0)
        return zw_fail(err, ZW_E_MEMORY, "out of memory for the result");
    sim->row = ZW_NEW(&sim->arena, double, zw_table_columns(sim->events));
    return sim->row ? ZW_OK : zw_fail(err, ZW_E_MEMORY, "out of memory for the result");
}

void zw_sim_record_destroy(zw_sim *sim) {
    zw_table_destroy(sim->rows);
    zw_table_destroy(sim->events);
}

static void fill_row(zw_sim *sim, double *row) {
    const zw_sim_stage *stage = sim->stage;
    const zw_sim_columns *c = &sim->columns;
    const double *x = zw_run_state(stage->run), *z = zw_run_accel(stage->run);
    const double *obs = zw_run_observables(stage->run);
    int n = 0, nx = stage->kernel->nx, nobs = stage->kernel->nobs;
    row[n++] = zw_run_time(stage->run);
    for (int i = 0; i < c->nq; i++)
        row[n++] = x[i];
    for (int i = 0; i < c->nvelocity; i++)
        row[n++] = x[stage->velocity[i]];
    for (int i = 0; i < c->nlambda; i++) {
        int at = stage->lambda[i];
        row[n++] = at < 0 ? 0 : at < nx ? x[at] : z[at - nx]; /* 0: switched off */
    }
    for (int i = 0; i < c->nobservable; i++)
        row[n++] = stage->observable[i] < 0 ? NAN : obs[stage->observable[i]];
    row[n++] = obs[nobs];
    row[n++] = obs[nobs + 1];
    row[n] = obs[nobs] + obs[nobs + 1];
}

zw_status zw_sim_record_row(zw_sim *sim, zw_error *err) {
    fill_row(sim, sim->row + 1);
    return zw_table_row(sim->rows, sim->row + 1) < 0 ? zw_table_out_of_memory(sim->rows, err)
                                                     : ZW_OK;
}

zw_status zw_sim_record_event(zw_sim *sim, int event, zw_error *err) {
    sim->row[0] = event;
    fill_row(sim, sim->row + 1);
    return zw_table_row(sim->events, sim->row) < 0 ? zw_table_out_of_memory(sim->events, err)
                                                   : ZW_OK;
}
