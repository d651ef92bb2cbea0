/* SPDX-License-Identifier: MIT */
/* From a run to a table: a column each for time, coordinates, velocities, multipliers, observables,
 * energies. The columns are fixed by names before the first row; every stage has a map from them to
 * indices of its own state, multipliers and observables. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/units.h"
#include "internal.h"

/* the unit of a velocity of the equations, or of the momentum p(NAME) that replaces it; else "" */
static void velocity_unit(const zw_system *s, const char *name, char text[ZW_DIM_TEXT]) {
    text[0] = '\0';
    for (int k = 0; k < s->nv; k++) {
        char momentum[160];
        snprintf(momentum, sizeof momentum, "p(%s)", s->velocity[k].name);
        if (strcmp(s->velocity[k].name, name) == 0)
            snprintf(text, ZW_DIM_TEXT, "%s", s->velocity[k].unit);
        else if (strcmp(momentum, name) == 0)
            zw_momentum_unit(s->velocity[k].unit, text);
    }
}

/* ---------------------------------------------------------------------------------- the columns */

static int find_name(int n, const char *const *names, const char *name) {
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

/* can this constraint be active at some time? */
static bool can_hold(const zw_sim *sim, const zw_sim_variant_state *w, int constraint) {
    bool own =
        sim->standing.used && zw_sim_is_of_contact(w->sys, constraint); /* has columns there */
    return !own && (zw_sim_variant_state_holds(sim, w, constraint) ||
                    zw_sim_is_switched(sim, w->sys, constraint));
}

/* the columns of all variants, in the order of the first variant with them */
static zw_status name_columns(zw_sim *sim, zw_error *err) {
    const zw_equations *eq = &sim->stage->eq;
    zw_sim_columns *c = &sim->columns;
    int nconstraint = 0, nobservable = eq->sys->nv;
    bool multipliers;
    ZW_TRY(zw_sim_has_multipliers(sim, &multipliers, err));
    for (const zw_sim_variant_state *w = sim->worlds; w; w = w->next) {
        nconstraint += w->sys->nconstraint;
        nobservable += w->sys->nobservable;
    }
    c->nq = eq->nq;
    c->velocity = ZW_NEW(&sim->arena, const char *, eq->nv + 1);
    c->lambda = ZW_NEW(&sim->arena, const char *, nconstraint + 1);
    c->observable = ZW_NEW(&sim->arena, const char *, nobservable + 1);
    if (!c->velocity || !c->lambda || !c->observable)
        return zw_out_of_memory(err, "the result");
    /* the vakonomic principle has multipliers among its velocities */
    for (int i = 0; i < eq->nv; i++)
        if (!zw_sim_constraint_of(eq->sys, eq->v[i]))
            c->velocity[c->nvelocity++] = zw_expr_name(eq->sys->ctx, eq->v[i]);
    for (const zw_sim_variant_state *w = sim->worlds; w; w = w->next) {
        const zw_system *s = w->sys;
        for (int i = 0; i < s->nconstraint && multipliers; i++) {
            const char *name = zw_expr_name(s->ctx, s->constraint[i].lambda);
            if (can_hold(sim, w, i) && find_name(c->nlambda, c->lambda, name) < 0)
                c->lambda[c->nlambda++] = name;
        }
        for (int i = 0; i < s->nobservable; i++)
            if (find_name(c->nobservable, c->observable, s->observable[i].name) < 0)
                c->observable[c->nobservable++] = s->observable[i].name;
    }
    /* with momenta the velocities are recorded like observables */
    for (int i = 0; eq->system_v && i < eq->sys->nv; i++)
        if (find_name(c->nobservable, c->observable, eq->sys->velocity[i].name) < 0)
            c->observable[c->nobservable++] = eq->sys->velocity[i].name;
    return ZW_OK;
}

/* A multiplier that is a state (vakonomic) is an impulse, whose rate is the force. */
static void impulse_unit(const char *force, char text[ZW_DIM_TEXT]) {
    const zw_dim second = zw_dim_mechanical(0, 0, 1);
    zw_unit unit;
    zw_dim impulse;
    text[0] = '\0';
    if (force[0] && !strchr(force, '/'))
        snprintf(text, ZW_DIM_TEXT, "%.100s*s", force);
    else if (force[0] && zw_unit_parse(&unit, force, strlen(force), (zw_place){0}, NULL) >= 0 &&
             zw_dim_combine(&impulse, &unit.dim, &second, 1))
        zw_dim_text(&impulse, text);
}

static void lambda_unit(const zw_sim *sim, const char *name, char text[ZW_DIM_TEXT]) {
    bool impulse = strcmp(sim->stage->eq.principle, "vakonomic") == 0;
    for (const zw_sim_variant_state *w = sim->worlds; w; w = w->next)
        for (int k = 0; k < w->sys->nconstraint; k++) {
            const zw_constraint *c = &w->sys->constraint[k];
            if (strcmp(zw_expr_name(w->sys->ctx, c->lambda), name) != 0)
                continue;
            if (impulse)
                impulse_unit(c->lambda_unit, text);
            else
                snprintf(text, ZW_DIM_TEXT, "%s", c->lambda_unit);
            return;
        }
    text[0] = '\0';
}

static const char *observable_unit(const zw_sim *sim, const char *name) {
    for (const zw_sim_variant_state *w = sim->worlds; w; w = w->next)
        for (int k = 0; k < w->sys->nobservable; k++)
            if (strcmp(w->sys->observable[k].name, name) == 0)
                return w->sys->observable[k].unit;
    for (int k = 0; k < sim->stage->eq.sys->nv; k++)
        if (strcmp(sim->stage->eq.sys->velocity[k].name, name) == 0)
            return sim->stage->eq.sys->velocity[k].unit;
    return "";
}

static zw_status add_columns(zw_sim *sim, zw_table *t) {
    const zw_system *s = sim->stage->eq.sys;
    const zw_sim_columns *c = &sim->columns;
    ZW_TRY(zw_table_column(t, "t", "s"));
    for (int i = 0; i < s->nq; i++)
        ZW_TRY(zw_table_column(t, s->coord[i].name, s->coord[i].unit));
    for (int i = 0; i < c->nvelocity; i++) {
        char unit[ZW_DIM_TEXT];
        velocity_unit(s, c->velocity[i], unit);
        ZW_TRY(zw_table_column(t, c->velocity[i], unit));
    }
    for (int i = 0; i < c->nlambda; i++) {
        char unit[ZW_DIM_TEXT];
        lambda_unit(sim, c->lambda[i], unit);
        ZW_TRY(zw_table_column(t, c->lambda[i], unit));
    }
    for (int i = 0; i < c->nobservable; i++)
        ZW_TRY(zw_table_column(t, c->observable[i], observable_unit(sim, c->observable[i])));
    ZW_TRY(zw_table_column(t, "kinetic", "J"));
    ZW_TRY(zw_table_column(t, "potential", "J"));
    ZW_TRY(zw_table_column(t, "energy", "J"));
    ZW_TRY(zw_sim_work_columns(sim, t));
    return zw_sim_contacts_columns(sim, t, t == sim->rows);
}

/* ------------------------------------------------------------------------------------- the maps */

static int find_symbol(const zw_context *ctx, int n, const zw_expr *symbols, const char *name) {
    for (int i = 0; i < n; i++)
        if (strcmp(zw_expr_name(ctx, symbols[i]), name) == 0)
            return i;
    return -1;
}

/* its index in obs: observables, then velocities */
static int find_observable(const zw_system *s, const char *name) {
    for (int i = 0; i < s->nobservable; i++)
        if (strcmp(s->observable[i].name, name) == 0)
            return i;
    for (int i = 0; i < s->nv; i++)
        if (strcmp(s->velocity[i].name, name) == 0)
            return s->nobservable + i;
    return -1;
}

/* velocity: index in x; lambda: index in (x, z), since it may be in either; observable: index in
 * obs */
zw_status zw_sim_record_map(zw_sim *sim, zw_sim_stage *stage, zw_error *err) {
    const zw_equations *eq = &stage->eq;
    const zw_context *ctx = eq->sys->ctx;
    const zw_sim_columns *c = &sim->columns;
    int nx = eq->nq + eq->nv;
    stage->velocity = ZW_NEW(&sim->arena, int, c->nvelocity + 1);
    stage->lambda = ZW_NEW(&sim->arena, int, c->nlambda + 1);
    stage->observable = ZW_NEW(&sim->arena, int, c->nobservable + 1);
    if (!stage->velocity || !stage->lambda || !stage->observable)
        return zw_out_of_memory(err, "the result");
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

/* An observable must not have the name of a standard column. */
static zw_status check_names(const zw_sim *sim, zw_error *err) {
    static const char *const taken[] = {"t",     "kinetic", "potential", "energy",
                                        "drift", "event",   "jump"};
    for (const zw_sim_variant_state *w = sim->worlds; w; w = w->next)
        for (int i = 0; i < w->sys->nobservable; i++)
            for (size_t k = 0; k < sizeof taken / sizeof *taken; k++) {
                const zw_observable *o = &w->sys->observable[i];
                if (strcmp(o->name, taken[k]) != 0)
                    continue;
                zw_fail_at(
                    err, ZW_E_NAME, o->place,
                    "an observable cannot be called '%s': results have a column of that name",
                    o->name);
                zw_error_hint(err, "choose another name, for instance %s_of_mine", o->name);
                return ZW_E_NAME;
            }
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------- the rows */

zw_status zw_sim_record_create(zw_sim *sim, zw_error *err) {
    zw_allocator alloc = sim->arena.alloc;
    ZW_TRY(check_names(sim, err));
    ZW_TRY(name_columns(sim, err));
    ZW_TRY(zw_sim_record_map(sim, sim->stage, err));
    ZW_TRY(zw_sim_work_create(sim, err));
    int np = 0;
    for (const zw_sim_variant_state *w = sim->worlds; w; w = w->next)
        np = w->sys->np > np ? w->sys->np : np;
    sim->p_before = ZW_NEW(&sim->arena, double, np + 1);
    zw_text_init(&sim->set_at, &alloc);
    sim->rows = zw_table_create(&alloc);
    sim->events = zw_table_create(&alloc);
    if (!sim->rows || !sim->events || !sim->p_before ||
        zw_table_column(sim->events, "event", "") < 0 || add_columns(sim, sim->events) < 0 ||
        zw_table_column(sim->events, "jump", "J") < 0 || add_columns(sim, sim->rows) < 0 ||
        zw_sim_notes_begin(sim, sim->events) < 0 || zw_sim_notes_begin(sim, sim->rows) < 0)
        return zw_out_of_memory(err, "the result");
    sim->row = ZW_NEW(&sim->arena, double, zw_table_columns(sim->rows));
    sim->event_row = ZW_NEW(&sim->arena, double, zw_table_columns(sim->events));
    return sim->row && sim->event_row ? ZW_OK : zw_out_of_memory(err, "the result");
}

zw_status zw_sim_record_again(zw_sim *sim, zw_error *err) {
    zw_sim_work_again(sim);
    sim->row_is_current = false;
    if (zw_sim_notes_begin(sim, sim->events) < 0 || zw_sim_notes_begin(sim, sim->rows) < 0)
        return zw_out_of_memory(err, "the result");
    return ZW_OK;
}

void zw_sim_record_destroy(zw_sim *sim) {
    zw_text_clear(&sim->set_at);
    zw_table_destroy(sim->rows);
    zw_table_destroy(sim->events);
}

int zw_sim_record_values(const zw_sim *sim, double *row, double t, const double *x, const double *z,
                         const double *obs) {
    const zw_sim_stage *stage = sim->stage;
    const zw_sim_columns *c = &sim->columns;
    int n = 0, nx = stage->kernel->nx, nobs = stage->kernel->nobs;
    row[n++] = t;
    for (int i = 0; i < c->nq; i++)
        row[n++] = x[i];
    for (int i = 0; i < c->nvelocity; i++)
        row[n++] = x[stage->velocity[i]];
    for (int i = 0; i < c->nlambda; i++) {
        int at = stage->lambda[i];
        row[n++] = at < 0 ? 0 : at < nx ? x[at] : z[at - nx]; /* 0: switched off */
    }
    for (int i = 0; i < c->nobservable; i++) /* a variant may lack it */
        row[n++] = stage->observable[i] < 0 ? NAN : obs[stage->observable[i]];
    row[n++] = obs[nobs];
    row[n++] = obs[nobs + 1];
    row[n++] = obs[nobs] + obs[nobs + 1];
    return n;
}

void zw_sim_record_fill(zw_sim *sim, double *row, bool over) {
    zw_run *run = sim->stage->run;
    int n = zw_sim_record_values(sim, row, zw_run_time(run), zw_run_state(run), zw_run_accel(run),
                                 zw_run_observables(run));
    zw_sim_contacts_gather(sim);
    zw_sim_work_row(sim, row + n);
    zw_sim_contacts_row(sim, row + sim->contacts.first, over);
}

double zw_sim_energy(const zw_sim *sim) {
    const double *energies = zw_run_observables(sim->stage->run) + sim->stage->kernel->nobs;
    return energies[0] + energies[1];
}

zw_status zw_sim_record_row(zw_sim *sim, zw_error *err) {
    if (sim->row_is_current || sim->driven)
        return ZW_OK;
    zw_sim_record_fill(sim, sim->row, true);
    zw_sim_warning_row(sim, sim->row);
    if (zw_table_row(sim->rows, sim->row) < 0)
        return zw_out_of_memory(err, "the result");
    sim->row_is_current = true;
    return ZW_OK;
}

void zw_sim_record_before(zw_sim *sim) {
    if (sim->driven)
        return;
    zw_sim_record_fill(sim, sim->event_row + 1, false);
    zw_sim_warning_row(sim, sim->event_row + 1);
}

zw_status zw_sim_record_events(zw_sim *sim, const zw_sim_variant_state *world, int n,
                               const int *event, double energy_jump, zw_error *err) {
    if (sim->driven)
        return ZW_OK;
    sim->event_row[zw_table_columns(sim->events) - 1] = energy_jump;
    for (int i = 0; i < n; i++) {
        sim->event_row[0] = world->number[event[i]];
        if (zw_table_row(sim->events, sim->event_row) < 0)
            return zw_out_of_memory(err, "the result");
    }
    return ZW_OK;
}
