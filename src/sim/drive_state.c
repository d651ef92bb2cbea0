/* SPDX-License-Identifier: MIT */
/* The complete state of a drive. It lies in three places:
 *
 *   the struct of the simulation and its arena: time, clocks, what events have set and switched,
 *       histories, works, how contacts stand;
 *   the runs of the stages and of the equations without contacts: their methods' history, where
 *       event functions and kinks are, parameters (num/run_state.h);
 *   kernels and expressions, which only grow and are no state.
 *
 * The arena only grows too, so its bytes can be put back where they were. Stages that were made
 * after the state was saved stay, since making them costs much; they count as never used. */
#include <assert.h>
#include <string.h>

#include "drive.h"
#include "num/run_jumps.h"
#include "num/run_state.h"

typedef struct saved_run {
    zw_run *run;
    zw_ledger_copy *copy;
} saved_run;

struct zw_drive_saved {
    zw_drive_saved *next;
    size_t size; /* of this block */
    zw_sim sim;
    zw_arena_mark mark;
    char *arena; /* bytes */
    int nrun;
    saved_run *run; /* nrun */
    bool again;     /* the run of the present stage has to be started again from its x */
    bool ended;
};

/* ------------------------------------------------------------------------------------- the runs */

/* calls a function for every run of the simulation */
static zw_status for_runs(const zw_sim *sim, zw_status (*call)(void *user, zw_run *run, zw_error *),
                          void *user, zw_error *err) {
    for (const zw_sim_stage *s = sim->stages; s; s = s->next) {
        ZW_TRY(call(user, s->run, err));
        if (s->home != s->run)
            ZW_TRY(call(user, s->home, err));
    }
    for (const zw_sim_ground *g = sim->standing.grounds; g; g = g->next)
        if (g->run)
            ZW_TRY(call(user, g->run, err));
    return ZW_OK;
}

static zw_status count_run(void *user, zw_run *run, zw_error *err) {
    (void)run;
    (void)err;
    (*(int *)user)++;
    return ZW_OK;
}

static zw_status drop_foreign(void *user, zw_run *run, zw_error *err) {
    (void)user;
    (void)err;
    if (!zw_num_can_save(run))
        zw_num_drop_method(run);
    return ZW_OK;
}

static zw_status save_run(void *user, zw_run *run, zw_error *err) {
    zw_drive_saved *saved = user;
    saved_run *to = &saved->run[saved->nrun];
    *to = (saved_run){.run = run};
    ZW_TRY(zw_num_save(run, &to->copy, err));
    saved->nrun++;
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------ starting again */

/* what a method of a library remembers is left behind: before ... */
static zw_status leave_method(zw_sim *sim, zw_error *err) {
    zw_sim_stage *stage = sim->stage;
    memcpy(stage->x, zw_run_state(stage->run), sizeof *stage->x * (size_t)stage->kernel->nx);
    if (zw_run_time(stage->run) > sim->moment)
        memset(sim->acted, 0, sizeof *sim->acted * (size_t)sim->nevent);
    ZW_TRY(zw_sim_events_remember(sim, err));
    zw_sim_total_over(sim);
    return ZW_OK;
}

/* ... and after */
static zw_status enter_method(zw_sim *sim, zw_error *err) {
    ZW_TRY(zw_sim_stage_again(sim->stage, zw_run_time(sim->stage->run), err));
    zw_sim_events_arm(sim, false);
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- saving it */

static zw_drive_saved *allocate_saved(zw_drive *d) {
    const zw_sim *sim = d->sim;
    int nrun = 0;
    for_runs(sim, count_run, &nrun, NULL);
    size_t runs = sizeof(saved_run) * (size_t)nrun, bytes = zw_arena_used(&sim->arena),
           size = sizeof(zw_drive_saved) + runs + bytes;
    zw_drive_saved *saved = zw_allocate(&d->alloc, size);
    if (!saved)
        return NULL;
    saved->size = size;
    saved->run = (saved_run *)(saved + 1);
    saved->arena = (char *)saved->run + runs;
    saved->next = d->saved;
    return d->saved = saved;
}

static zw_status fill_saved(zw_drive *d, zw_drive_saved *saved, zw_error *err) {
    zw_sim *sim = d->sim;
    saved->again = !zw_num_can_save(sim->stage->run);
    if (saved->again)
        ZW_TRY(leave_method(sim, err));
    for_runs(sim, drop_foreign, NULL, NULL);
    ZW_TRY(for_runs(sim, save_run, saved, err));
    saved->sim = *sim;
    saved->mark = zw_arena_mark_now(&sim->arena);
    saved->ended = d->ended;
    zw_arena_save(&sim->arena, saved->arena);
    return ZW_OK;
}

zw_status zw_drive_save(zw_drive *drive, zw_drive_saved **out, zw_error *err) {
    assert(out);
    *out = NULL;
    if (drive->failed)
        return zw_fail(err, ZW_E_OPTION, "the motion has failed: there is no state to be saved");
    zw_drive_saved *saved = allocate_saved(drive);
    if (!saved)
        return zw_out_of_memory(err, "the state of a simulation");
    zw_status status = fill_saved(drive, saved, err);
    if (saved->again) { /* the motion continues whatever has become of the copy */
        zw_status started = enter_method(drive->sim, status < 0 ? NULL : err);
        drive->failed = started < 0;
        status = status < 0 ? status : started;
    }
    if (status < 0)
        zw_drive_forget(drive, saved);
    else
        *out = saved;
    return status;
}

/* ----------------------------------------------------------------------------------- bringing it back */

/* What was made since then has never been used, and does not know the parameters. */
static void forget_younger(zw_sim *sim, const zw_drive_saved *saved) {
    for (zw_sim_stage *s = sim->stages; s != saved->sim.stages; s = s->next) {
        s->motion = 0;
        s->version = -1;
        zw_run_first_step(s->run, 0);
    }
    for (zw_sim_ground *g = sim->standing.grounds; g != saved->sim.standing.grounds; g = g->next)
        g->version = -1;
}

static void restore_bytes(zw_sim *sim, const zw_drive_saved *saved) {
    const zw_sim now = *sim;
    *sim = saved->sim;
    sim->arena = now.arena;
    sim->stages = now.stages;
    sim->standing.grounds = now.standing.grounds;
    sim->set_at = now.set_at;
    if (!sim->contacts.gap) /* made when it was needed first */
        sim->contacts.gap = now.contacts.gap;
    zw_arena_restore(&sim->arena, saved->mark, saved->arena);
    for (int i = 0; i < saved->nrun; i++)
        zw_num_restore(saved->run[i].run, saved->run[i].copy);
    for (const zw_sim_stage *s = saved->sim.stages; s; s = s->next)
        s->kernel->conservative = s->conserves && !sim->contacts.steps;
}

/* kernels may have got more functions since */
static zw_status renew_run(void *user, zw_run *run, zw_error *err) {
    (void)user;
    return zw_flow_renew(zw_run_flow(run), err);
}

zw_status zw_drive_restore(zw_drive *drive, const zw_drive_saved *saved, zw_error *err) {
    zw_sim *sim = drive->sim;
    assert(saved);
    restore_bytes(sim, saved);
    forget_younger(sim, saved);
    drive->nmet = 0;
    drive->ended = saved->ended;
    drive->failed = true; /* unless all goes well */
    ZW_TRY(for_runs(sim, renew_run, NULL, err));
    if (saved->again)
        ZW_TRY(enter_method(sim, err));
    drive->failed = false;
    return ZW_OK;
}

void zw_drive_forget(zw_drive *drive, zw_drive_saved *saved) {
    if (!saved)
        return;
    zw_drive_saved **at = &drive->saved;
    while (*at != saved) {
        assert(*at);
        at = &(*at)->next;
    }
    *at = saved->next;
    for (int i = 0; i < saved->nrun; i++)
        zw_num_forget_copy(saved->run[i].run, saved->run[i].copy);
    zw_release(&drive->alloc, saved, saved->size);
}

void zw_drive_forget_all(zw_drive *drive) {
    while (drive->saved)
        zw_drive_forget(drive, drive->saved);
}
