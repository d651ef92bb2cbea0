/* SPDX-License-Identifier: MIT */
/* A simulation that a program drives: what it may ask, and what it must not. */
#include "drive.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------- the caller's functions */

static void keep_event(zw_drive *d, const char *name, double t) {
    if (d->nmet == d->room) {
        int room = d->room ? 2 * d->room : 8;
        zw_drive_met *wider = zw_reallocate(&d->alloc, d->met, sizeof *wider * (size_t)d->room,
                                            sizeof *wider * (size_t)room);
        if (!wider) {
            d->lost = true;
            return;
        }
        d->met = wider;
        d->room = room;
    }
    zw_drive_met *m = &d->met[d->nmet++];
    snprintf(m->name, sizeof m->name, "%s", name);
    m->t = t;
}

static void meet_event(void *user, const char *name, double t) {
    zw_drive *d = user;
    keep_event(d, name, t);
    if (d->user.event)
        d->user.event(d->user.user, name, t);
}

static void give_inputs(void *user, double t, double *u) {
    const zw_drive *d = user;
    d->user.input(d->user.user, t, u);
}

static bool ask_stop(void *user, double done) {
    const zw_drive *d = user;
    return d->user.stop(d->user.user, done);
}

static void begin_again(void *user, double t) {
    const zw_drive *d = user;
    d->user.again(d->user.user, t);
}

/* ---------------------------------------------------------------------------------- its life */

/* the values that changes hold, by name in every world */
static zw_status allocate_inputs(zw_sim *sim, zw_error *err) {
    for (zw_sim_variant_state *w = sim->worlds; w; w = w->next) {
        w->held = ZW_NEW(&sim->arena, double, w->sys->nsignal + 1);
        for (int i = 0; i < w->sys->nsignal && w->held; i++)
            w->held[i] = NAN;
        ZW_TRY(zw_sim_input_prepare(sim, w, err)); /* what is made later is not restored */
    }
    return zw_arena_status(&sim->arena, err);
}

static zw_status allocate_change(zw_drive *d, zw_error *err) {
    zw_sim *sim = d->sim;
    const zw_system *s = sim->worlds->sys;
    d->nx = s->nq + s->nv;
    for (const zw_sim_variant_state *w = sim->worlds; w; w = w->next)
        d->np = w->sys->np > d->np ? w->sys->np : d->np;
    d->set = ZW_NEW(&sim->arena, bool, d->np + 1);
    d->own = ZW_NEW(&sim->arena, bool, d->np + 1);
    d->p = ZW_NEW(&sim->arena, double, d->np + 1);
    d->fixed = ZW_NEW(&sim->arena, bool, d->nx + 1);
    d->x = ZW_NEW(&sim->arena, double, d->nx + 1);
    return zw_arena_status(&sim->arena, err);
}

static zw_status fill_drive(zw_drive *d, const zw_system *sys, const zw_model_source *source,
                            const zw_sim_options *options, zw_error *err) {
    zw_sim_options own;
    const zw_sim_watch nobody = {0};
    ZW_TRY(zw_sim_options_adopt(&d->user, options, err));
    own = d->user;
    own.step_out = own.until - own.start; /* nothing is recorded */
    own.user = d;
    own.event = meet_event;
    own.input = own.input ? give_inputs : NULL;
    own.stop = own.stop ? ask_stop : NULL;
    own.again = own.again ? begin_again : NULL;
    ZW_TRY(zw_sim_create(&d->sim, sys, source, &own, err));
    ZW_TRY(zw_sim_drive(d->sim, &nobody, err));
    d->sim->horizon = own.until;
    ZW_TRY(allocate_inputs(d->sim, err));
    ZW_TRY(allocate_change(d, err));
    return zw_drive_start(d, own.start, own.numbers, err);
}

zw_status zw_drive_create(zw_drive **out, const zw_system *sys, const zw_model_source *source,
                          const zw_sim_options *options, zw_error *err) {
    assert(out && sys);
    *out = NULL;
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    zw_drive *d = zw_allocate(&alloc, sizeof *d);
    if (!d)
        return zw_out_of_memory(err, "the simulation");
    d->alloc = alloc;
    zw_status status = fill_drive(d, sys, source, options, err);
    if (status < 0)
        zw_drive_destroy(d);
    else
        *out = d;
    return status;
}

void zw_drive_destroy(zw_drive *drive) {
    if (!drive)
        return;
    zw_allocator alloc = drive->alloc;
    if (drive->sim)
        zw_drive_forget_all(drive);
    zw_sim_destroy(drive->sim);
    zw_release(&alloc, drive->met, sizeof *drive->met * (size_t)drive->room);
    zw_release(&alloc, drive, sizeof *drive);
}

/* ------------------------------------------------------------------------------------ driving it */

static void begin_call(zw_drive *d) {
    d->nmet = 0;
    d->lost = false;
}

/* What a call has come to. Times are compared by the caller. */
static zw_status end_call(zw_drive *d, zw_status status, bool stop, zw_error *err) {
    if (status >= 0 && d->lost)
        status = zw_out_of_memory(err, "the names of events");
    d->failed = status < 0;
    d->ended = stop;
    if (status < 0 || status == ZW_STOPPED)
        return status;
    return stop ? ZW_EVENT : status;
}

zw_status zw_drive_start(zw_drive *drive, double t, const zw_sim_numbers *numbers, zw_error *err) {
    zw_sim *sim = drive->sim;
    bool stop = false;
    if (!isfinite(t))
        return zw_fail(err, ZW_E_OPTION, "the time of the start is not finite");
    ZW_TRY(zw_sim_numbers_check(sim, numbers, err));
    for (zw_sim_variant_state *w = sim->worlds; w; w = w->next)
        for (int i = 0; i < w->sys->nsignal; i++)
            w->held[i] = NAN;
    begin_call(drive);
    sim->early = false;
    zw_status status = zw_sim_drive_begin(sim, t, numbers, &stop, err);
    status = end_call(drive, status, stop, err);
    return status == ZW_EVENT ? ZW_OK : status;
}

static zw_status check_ready(const zw_drive *d, double t, zw_error *err) {
    if (d->failed) {
        zw_fail(err, ZW_E_OPTION, "the motion has failed before: it cannot continue");
        zw_error_hint(err, "start it again, or restore a state that was saved before");
        return ZW_E_OPTION;
    }
    if (!isfinite(t))
        return zw_fail(err, ZW_E_OPTION, "the time to go to is not finite");
    return ZW_OK;
}

static zw_status advance_drive(zw_drive *d, double t, bool early, zw_error *err) {
    bool stop = false;
    double now = zw_drive_time(d);
    ZW_TRY(check_ready(d, t, err));
    if (d->ended) {
        zw_fail(err, ZW_E_OPTION, "an event has ended the motion at t = %.10g s", now);
        zw_error_hint(err, "start it again, or restore a state that was saved before");
        return ZW_E_OPTION;
    }
    if (t < now) {
        zw_fail(err, ZW_E_OPTION, "the motion is at t = %.10g s and cannot go back to %.10g s", now,
                t);
        zw_error_hint(err, "restore a state that was saved there, or start again");
        return ZW_E_OPTION;
    }
    begin_call(d);
    d->sim->early = early;
    zw_status status = zw_sim_drive_to(d->sim, t, &stop, err);
    d->sim->early = false;
    return end_call(d, status, stop, err);
}

zw_status zw_drive_to(zw_drive *drive, double t, zw_error *err) {
    return advance_drive(drive, t, false, err);
}

zw_status zw_drive_to_event(zw_drive *drive, double t, zw_error *err) {
    return advance_drive(drive, t, true, err);
}

/* ---------------------------------------------------------------------------------- other numbers */

static int find_signal(const zw_system *s, const char *name) {
    for (int i = 0; i < s->nsignal; i++)
        if (strcmp(s->signal[i].name, name) == 0)
            return i;
    return -1;
}

static zw_status check_inputs(const zw_system *s, const double *input, zw_error *err) {
    for (int i = 0; input && i < s->nsignal; i++)
        if (isinf(input[i]))
            return zw_fail(err, ZW_E_NONFINITE, "the value of the signal '%s' is not finite",
                           s->signal[i].name);
    return ZW_OK;
}

static void hold_inputs(zw_sim *sim, const double *input) {
    const zw_system *first = sim->worlds->sys;
    for (zw_sim_variant_state *w = sim->worlds; w && input; w = w->next)
        for (int i = 0; i < w->sys->nsignal; i++) {
            int from = w == sim->worlds ? i : find_signal(first, w->sys->signal[i].name);
            w->held[i] = from < 0 ? NAN : input[from];
        }
}

/* Do the parameters leave the lags of the delays as they are, with all that follows from them? */
static zw_status check_lags(zw_drive *d, zw_error *err) {
    const zw_sim_variant_state *w = zw_sim_now(d->sim);
    const zw_system *s = w->sys;
    if (s->ndelay == 0)
        return ZW_OK;
    for (int i = 0; i < s->np; i++)
        d->own[i] = d->set[i] || w->given[i] || w->numbered[i];
    ZW_TRY(zw_system_param_follow(s, d->own, d->p, err));
    return zw_sim_lags_stay(s, w->p, s, d->p, (zw_place){0}, "a parameter", err);
}

/* parameters of the present world, entries of its state */
static void take_numbers(zw_drive *d, const zw_sim_numbers *numbers) {
    const zw_sim *sim = d->sim;
    const zw_system *s = zw_sim_now(sim)->sys;
    memset(d->set, 0, sizeof *d->set * (size_t)d->np);
    memset(d->fixed, 0, sizeof *d->fixed * (size_t)d->nx);
    memcpy(d->p, zw_sim_now(sim)->p, sizeof *d->p * (size_t)s->np);
    for (int k = 0; numbers && k < numbers->nparam; k++) {
        int i = zw_sim_number_index(sim, s, &numbers->param[k], true);
        d->set[i] = true;
        d->p[i] = numbers->param[k].value;
    }
    for (int k = 0; numbers && k < numbers->nstart; k++) {
        int i = zw_sim_number_index(sim, s, &numbers->start[k], false);
        d->fixed[i] = true;
        d->x[i] = numbers->start[k].value;
    }
}

zw_status zw_drive_change(zw_drive *drive, double t, const zw_sim_numbers *numbers,
                          const double *input, zw_error *err) {
    zw_sim *sim = drive->sim;
    ZW_TRY(check_ready(drive, t, err));
    ZW_TRY(zw_sim_numbers_check(sim, numbers, err));
    ZW_TRY(check_inputs(sim->worlds->sys, input, err));
    begin_call(drive);
    drive->failed = true; /* unless all goes well */
    ZW_TRY(zw_sim_drive_state(sim, drive->x, err));
    take_numbers(drive, numbers);
    ZW_TRY(check_lags(drive, err));
    hold_inputs(sim, input);
    if (t != sim->moment)
        memset(sim->acted, 0, sizeof *sim->acted * (size_t)sim->nevent);
    ZW_TRY(zw_sim_drive_continue(sim, t, drive->set, drive->p, drive->fixed, drive->x, err));
    drive->failed = drive->ended = false;
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------- what there is */

double zw_drive_time(const zw_drive *drive) {
    return zw_sim_drive_time(drive->sim);
}

bool zw_drive_has_ended(const zw_drive *drive) {
    return drive->ended;
}

zw_status zw_drive_state(const zw_drive *drive, double *x, zw_error *err) {
    assert(x);
    return zw_sim_drive_state(drive->sim, x, err);
}

const double *zw_drive_parameters(const zw_drive *drive) {
    return zw_sim_drive_parameters(drive->sim);
}

const double *zw_drive_row(zw_drive *drive) {
    return drive->failed ? NULL : zw_sim_drive_row(drive->sim);
}

const zw_table *zw_drive_columns(const zw_drive *drive) {
    return zw_sim_rows(drive->sim);
}

int zw_drive_events(const zw_drive *drive) {
    return drive->nmet;
}

const char *zw_drive_event(const zw_drive *drive, int number, double *t) {
    assert(number >= 0 && number < drive->nmet);
    if (t)
        *t = drive->met[number].t;
    return drive->met[number].name;
}

const zw_sim *zw_drive_sim(const zw_drive *drive) {
    return drive->sim;
}
