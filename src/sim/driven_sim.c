/* SPDX-License-Identifier: MIT */
#include "driven_sim.h"
#include "base/arena.h"
#include "num/run_jumps.h"

#include <string.h>

zw_status zw_sim_drive(zw_sim *sim, const zw_sim_watch *watch, zw_error *err) {
    const zw_system *s = sim->worlds->sys;
    sim->driven_number = ZW_NEW(&sim->arena, zw_sim_number, s->np + s->nq + s->nv + 1);
    if (!sim->driven_number)
        return zw_out_of_memory(err, "the simulation");
    sim->driven = true;
    sim->watch = *watch;
    for (const zw_sim_stage *stage = sim->stages; stage && watch->piece; stage = stage->next) {
        zw_run_on_piece(stage->run, zw_sim_piece, sim);
        zw_run_coarse(stage->run, false);
    }
    return ZW_OK;
}

/* the numbers that are there, by index */
static int gather_numbers(zw_sim_number *number, int n, const bool *there, const double *value) {
    int count = 0;
    for (int i = 0; i < n; i++)
        if (there[i])
            number[count++] = (zw_sim_number){.index = i, .value = value[i]};
    return count;
}

/* the time up to which the motion is known to be wanted */
static void want_until(zw_sim *sim, double t) {
    sim->options.until = sim->horizon > t ? sim->horizon : t;
}

/* what is left of an earlier motion goes, numbers come */
static zw_status prepare_run(zw_sim *sim, double t, const zw_sim_numbers *numbers, zw_error *err) {
    sim->options.start = t;
    want_until(sim, t);
    for (zw_sim_variant_state *w = sim->worlds; w; w = w->next)
        w->until = t; /* nothing is recorded: clocks may tick as long as they like */
    zw_sim_forget(sim);
    sim->row_is_current = false;
    sim->ending = ZW_SIM_NOT_RUN;
    return zw_sim_numbers_apply(sim, numbers, err);
}

zw_status zw_sim_drive_start(zw_sim *sim, double t, const bool *set, const double *p,
                             const bool *given, const double *x, bool *stop, zw_error *err) {
    const zw_system *s = sim->worlds->sys;
    zw_sim_number *param = sim->driven_number, *start = param + s->np;
    const zw_sim_numbers numbers = {.nparam = gather_numbers(param, s->np, set, p),
                                    .nstart = gather_numbers(start, s->nq + s->nv, given, x),
                                    .param = param,
                                    .start = start};
    return zw_sim_drive_begin(sim, t, &numbers, stop, err);
}

zw_status zw_sim_drive_begin(zw_sim *sim, double t, const zw_sim_numbers *numbers, bool *stop,
                             zw_error *err) {
    *stop = false;
    ZW_TRY(prepare_run(sim, t, numbers, err));
    ZW_TRY(zw_sim_begin(sim, NULL, err));
    if (sim->options.energy)
        zw_sim_work_again(sim);
    ZW_TRY(zw_sim_contacts_start(sim, err));
    ZW_TRY(zw_sim_meet_start(sim, stop, err));
    return zw_sim_advance_to(sim, t, stop, err); /* clocks that tick at the start */
}

zw_status zw_sim_drive_enter(zw_sim *sim, double t, const bool *set, const double *p,
                             const double *x, zw_error *err) {
    zw_sim_variant_state *w = sim->worlds;
    const zw_system *s = w->sys;
    zw_sim_number *param = sim->driven_number;
    const zw_sim_numbers numbers = {.nparam = gather_numbers(param, s->np, set, p), .param = param};
    ZW_TRY(prepare_run(sim, t, &numbers, err));
    for (int i = 0; i < s->nconstraint; i++)
        sim->want[i] = s->constraint[i].on;
    zw_sim_contacts_idle(sim, s);
    if (sim->standing.used)
        zw_sim_standing_begin(sim, s, sim->want);
    ZW_TRY(zw_sim_stage_get(sim, &sim->stage, w, sim->want, err));
    memcpy(sim->x, x, sizeof *x * (size_t)(s->nq + s->nv));
    memset(sim->fixed, 0, sizeof *sim->fixed * (size_t)(s->nq + s->nv));
    ZW_TRY(zw_sim_settle(sim, sim->stage, t, true, err));
    ZW_TRY(zw_sim_stage_enter(sim->stage, sim->stage, t, sim->x, err));
    ZW_TRY(zw_sim_clock_set(w, t, false, err));
    return zw_sim_contacts_start(sim, err);
}

zw_status zw_sim_drive_to(zw_sim *sim, double t, bool *stop, zw_error *err) {
    *stop = false;
    want_until(sim, t);
    sim->interrupted = false;
    return zw_sim_advance_to(sim, t, stop, err);
}

zw_status zw_sim_drive_change(zw_sim *sim, double t, const bool *set, const double *p,
                              const double *x, zw_error *err) {
    memset(sim->acted, 0, sizeof *sim->acted * (size_t)sim->nevent);
    return zw_sim_drive_continue(sim, t, set, p, NULL, x, err);
}

zw_status zw_sim_drive_continue(zw_sim *sim, double t, const bool *set, const double *p,
                                const bool *fixed, const double *x, zw_error *err) {
    zw_sim_variant_state *w = sim->stage->world;
    const zw_system *s = w->sys;
    zw_sim_stage *next = NULL;
    ZW_TRY(zw_sim_events_remember(sim, err));
    if (memcmp(w->p, p, sizeof *p * (size_t)s->np) != 0) {
        memcpy(w->p, p, sizeof *p * (size_t)s->np);
        for (int i = 0; i < s->np; i++)
            w->given[i] = w->given[i] || set[i];
        ZW_TRY(zw_sim_variant_state_follow(w, err));
    }
    if (t != zw_run_time(sim->stage->run))
        zw_sim_input_begin(sim, t);
    memcpy(sim->x, x, sizeof *x * (size_t)(s->nq + s->nv));
    for (int i = 0; i < s->nq + s->nv; i++)
        sim->fixed[i] = fixed && fixed[i];
    memcpy(sim->want, sim->stage->on, sizeof *sim->want * (size_t)s->nconstraint);
    if (sim->standing.used)
        zw_sim_standing_begin(sim, s, sim->want);
    ZW_TRY(zw_sim_stage_get(sim, &next, w, sim->want, err));
    ZW_TRY(zw_sim_settle(sim, next, t, true, err));
    ZW_TRY(zw_sim_stage_suit(sim, &next, t, sim->x, err));
    ZW_TRY(zw_sim_change_stage(sim, next, t, sim->x, err));
    ZW_TRY(zw_sim_clock_set(w, t, false, err));
    return sim->standing.used ? zw_sim_standing_after(sim, err) : ZW_OK;
}

/* -------------------------------------------------------------------------------- what there is */

zw_status zw_sim_drive_state(const zw_sim *sim, double *x, zw_error *err) {
    return zw_sim_stage_leave(sim->stage, x, err);
}

const double *zw_sim_drive_parameters(const zw_sim *sim) {
    return sim->stage->world->p;
}

const double *zw_sim_drive_row(zw_sim *sim) {
    zw_sim_record_fill(sim, sim->row, true);
    return sim->row;
}

double zw_sim_drive_time(const zw_sim *sim) {
    return zw_run_time(sim->stage->run);
}

zw_run *zw_sim_drive_run(const zw_sim *sim) {
    return sim->stage->run;
}

zw_kernel *zw_sim_drive_kernel(const zw_sim *sim) {
    return sim->stage->kernel;
}

int zw_sim_drive_columns(const zw_sim *sim) {
    const zw_sim_columns *c = &sim->columns;
    return 1 + c->nq + c->nvelocity + c->nlambda + c->nobservable + 3;
}

void zw_sim_drive_values(const zw_sim *sim, double t, const double *x, const double *z,
                         const double *obs, double *row) {
    zw_sim_record_values(sim, row, t, x, z, obs);
}

zw_drive_kind zw_sim_drive_column(const zw_sim *sim, int column, int *index) {
    const zw_sim_stage *stage = sim->stage;
    const zw_sim_columns *c = &sim->columns;
    int i = column - 1, nx = stage->kernel->nx;
    *index = i;
    if (i < 0)
        return ZW_DRIVE_TIME;
    if (i < c->nq)
        return ZW_DRIVE_STATE;
    if ((i -= c->nq) < c->nvelocity) {
        *index = stage->velocity[i];
        return ZW_DRIVE_STATE;
    }
    if ((i -= c->nvelocity) < c->nlambda) {
        int at = *index = stage->lambda[i];
        *index = at < nx ? at : at - nx;
        return at < 0 ? ZW_DRIVE_ZERO : at < nx ? ZW_DRIVE_STATE : ZW_DRIVE_RATE;
    }
    if ((i -= c->nlambda) < c->nobservable) {
        *index = stage->observable[i];
        return ZW_DRIVE_OBSERVABLE;
    }
    i -= c->nobservable;
    *index = stage->kernel->nobs + i;
    return i < 2 ? ZW_DRIVE_OBSERVABLE : ZW_DRIVE_ENERGY;
}

const char *zw_sim_drive_jumps(const zw_sim *sim) {
    if (sim->contacts.steps || sim->standing.used)
        return "the model has contacts that open, close or slip";
    for (const zw_sim_variant_state *w = sim->worlds; w; w = w->next)
        for (int i = 0; i < w->sys->nevent; i++)
            if (w->sys->event[i].naction > 0)
                return "the model has events that act";
    return NULL;
}
