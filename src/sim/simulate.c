/* SPDX-License-Identifier: MIT */
/* A simulation from its creation to its two tables of rows and events. */
#include "zwang/simulate.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/interrupt.h"
#include "internal.h"
#include "num/run_jumps.h"

enum { ROWS_DEFAULT = 1000 }; /* for a smooth picture */
#define ROWS_MAX 1e9          /* rows of a run: 8 GB for each column */
#define STEP_ROUNDOFF 1e-9    /* of a step: a row that many after the end is the end */
#define GIGA 1e-9             /* bytes to GB */
#define ROWS_SUGGESTED 1e5    /* of the hint where there are too many: as many as a picture shows */

/* ------------------------------------------------------------------------------------ lifecycle */

static double step_out(const zw_sim_options *o) {
    return o->step_out > 0 ? o->step_out : (o->until - o->start) / (double)ROWS_DEFAULT;
}

/* number of rows after the first */
static double row_count(const zw_sim_options *o) {
    return o->until > o->start ? ceil((o->until - o->start) / step_out(o) - STEP_ROUNDOFF) : 0;
}

static double half_of_memory(void) {
    double pages = (double)sysconf(_SC_PHYS_PAGES), size = (double)sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? pages * size / 2 : INFINITY;
}

/* rejects a run whose rows would not fit into memory */
static zw_status check_size(const zw_sim *sim, zw_error *err) {
    const zw_sim_options *o = &sim->options;
    double rows = row_count(o) + 1, columns = zw_table_columns(sim->rows);
    double bytes = rows * columns * (double)sizeof(double);
    double most = o->memory_max > 0 ? o->memory_max : half_of_memory();
    if (rows <= ROWS_MAX && bytes <= most)
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "%.3g rows of %.0f columns need %.3g GB, %.3g GB are allowed", rows,
            columns, bytes * GIGA, most * GIGA);
    zw_error_hint(err, "a larger --step-out: %g s gives %d rows",
                  (o->until - o->start) / ROWS_SUGGESTED, 100000);
    return ZW_E_OPTION;
}

static const char *const *copy_strings(zw_arena *a, int n, const char *const *from) {
    const char **to = ZW_NEW(a, const char *, n + 1);
    for (int i = 0; to && i < n; i++)
        to[i] = zw_arena_string(a, from[i]);
    return to;
}

static void copy_source(zw_sim *sim, const zw_model_source *source) {
    if (!source)
        return;
    zw_arena *a = &sim->arena;
    sim->source.length = source->length;
    if (source->text)
        sim->source.text = zw_arena_copy(a, source->text, source->length);
    if (source->file)
        sim->source.file = zw_arena_string(a, source->file);
    if (!source->options)
        return;
    const zw_model_options *m = source->options;
    sim->model = (zw_model_options){.size = sizeof sim->model,
                                    .variant = m->variant ? zw_arena_string(a, m->variant) : NULL,
                                    .nset = m->nset,
                                    .set = copy_strings(a, m->nset, m->set),
                                    .nwith = m->nwith,
                                    .with = copy_strings(a, m->nwith, m->with),
                                    .nwithout = m->nwithout,
                                    .without = copy_strings(a, m->nwithout, m->without),
                                    .nlaw = m->nlaw,
                                    .law = copy_strings(a, m->nlaw, m->law)};
    sim->source.options = &sim->model;
}

/* memory for jumps, for the largest variant */
static zw_status allocate_jump(zw_sim *sim, zw_error *err) {
    zw_arena *a = &sim->arena;
    const zw_system *s = sim->worlds->sys;
    int nconstraint = 0, nset = 0, ncontact = 0;
    for (const zw_sim_variant_state *w = sim->worlds; w; w = w->next) {
        int actions = 0;
        for (int i = 0; i < w->sys->nevent; i++)
            actions += w->sys->event[i].naction;
        nset = actions > nset ? actions : nset;
        nconstraint = w->sys->nconstraint > nconstraint ? w->sys->nconstraint : nconstraint;
        ncontact = w->sys->ncontact > ncontact ? w->sys->ncontact : ncontact;
    }
    int n = sim->nevent + sim->standing.nwatch;
    sim->x = ZW_NEW(a, double, s->nq + s->nv);
    sim->was = ZW_NEW(a, double, s->nq + s->nv);
    sim->fixed = ZW_NEW(a, bool, s->nq + s->nv);
    sim->said = ZW_NEW(a, zw_said, s->nq + s->nv);
    sim->width = ZW_NEW(a, double, s->nq);
    sim->completed = ZW_NEW(a, zw_completed, s->nq + s->nv);
    sim->others = ZW_NEW(a, double, ZW_SIM_OTHERS *(s->nq + s->nv));
    sim->start_given = ZW_NEW(a, bool, s->nq + s->nv);
    sim->start_value = ZW_NEW(a, double, s->nq + s->nv);
    sim->values = ZW_NEW(a, double, nset + 1);
    sim->held = ZW_NEW(a, bool, nconstraint + 1);
    sim->want = ZW_NEW(a, bool, nconstraint + 1);
    sim->absent = ZW_NEW(a, bool, ncontact + 1);
    sim->met = ZW_NEW(a, int, 2 * n + 1);
    sim->armed = ZW_NEW(a, zw_event_side, n + 1);
    sim->side = ZW_NEW(a, zw_event_side, n + 1);
    sim->best = ZW_NEW(a, bool, s->nv + 1);
    sim->node = ZW_NEW(a, double, s->nq + s->nv);
    sim->direction = ZW_NEW(a, int, n + 1);
    sim->repeat = ZW_NEW(a, double, n + 1);
    sim->passing = ZW_NEW(a, int, sim->nevent + 1);
    sim->acted = ZW_NEW(a, bool, sim->nevent + 1);
    sim->waiting = ZW_NEW(a, bool, sim->nevent + 1);
    sim->history = ZW_NEW(a, zw_sim_history, sim->nevent + 1);
    return a->failed ? zw_out_of_memory(err, "the simulation") : ZW_OK;
}

/* at the start of the model, or where a result ends */
zw_status zw_sim_begin(zw_sim *sim, const zw_resume *resume, zw_error *err) {
    zw_sim_variant_state *first = sim->worlds;
    double t = sim->options.start;
    if (resume)
        ZW_TRY(zw_sim_resume_world(first, resume, sim->want, err));
    zw_sim_contacts_idle(sim, first->sys);
    if (resume)
        ZW_TRY(zw_sim_contacts_recall(sim, first->sys, resume->result, err));
    for (int i = 0; i < first->sys->nconstraint && !resume; i++)
        sim->want[i] = first->sys->constraint[i].on &&
                       !(sim->contacts.steps && zw_sim_is_of_contact(first->sys, i));
    if (sim->standing.used && resume && !resume->change)
        ZW_TRY(zw_sim_standing_resume(sim, first->sys, resume->result, sim->want, err));
    else if (sim->standing.used)
        zw_sim_standing_begin(sim, first->sys, sim->want);
    ZW_TRY(zw_sim_noise_check(first, err));
    ZW_TRY(zw_sim_stage_get(sim, &sim->stage, first, sim->want, err));
    ZW_TRY(resume ? zw_sim_resume_state(sim->stage, resume, err) : zw_sim_stage_start(sim, t, err));
    ZW_TRY(zw_sim_noise_admit(sim, err));
    return zw_sim_clock_set(first, t, !resume, err);
}

static zw_status fill_simulation(zw_sim *sim, const zw_system *sys, const zw_model_source *source,
                                 const zw_resume *resume, zw_error *err) {
    sim->doubts = zw_warnings_create(&sim->arena.alloc);
    if (!sim->doubts)
        return zw_out_of_memory(err, "the simulation");
    if (resume)
        zw_warnings_read(sim->doubts, resume->result);
    copy_source(sim, source);
    if (sim->options.principle)
        sim->options.principle = zw_arena_string(&sim->arena, sim->options.principle);
    if (sim->arena.failed)
        return zw_out_of_memory(err, "the simulation");
    ZW_TRY(zw_sim_variant_states_create(sim, sys, err));
    ZW_TRY(zw_sim_contacts_choose(sim, sys, err));
    ZW_TRY(allocate_jump(sim, err));
    if (sim->options.numbers) {
        if (resume)
            return zw_fail(
                err, ZW_E_OPTION,
                "a simulation that continues a result has the parameters and start of the result");
        ZW_TRY(zw_sim_numbers_check(sim, sim->options.numbers, err));
        ZW_TRY(zw_sim_numbers_apply(sim, sim->options.numbers, err));
        sim->options.numbers = NULL; /* owned by the caller */
    }
    sim->resumed = resume != NULL;
    ZW_TRY(zw_sim_warning_models(sim, err));
    ZW_TRY(zw_sim_begin(sim, resume, err));
    ZW_TRY(zw_sim_record_create(sim, err));
    ZW_TRY(zw_sim_contacts_start(sim, err));
    ZW_TRY(check_size(sim, err));
    return resume ? zw_sim_resume_record(sim, resume, err) : ZW_OK;
}

/* destroys all parts, but not the struct */
static void clear_simulation(zw_sim *sim) {
    zw_sim_record_destroy(sim);
    zw_sim_standing_destroy(sim);
    zw_warnings_destroy(sim->doubts);
    zw_sim_stages_destroy(sim);
    zw_sim_variant_states_destroy(sim);
    zw_arena_clear(&sim->arena);
}

/* Events were chosen by default and have failed: the simulation restarts in time steps and records
 * why. If these cannot start, nothing changes. */
static zw_status take_steps(zw_sim *sim, const char *why, zw_error *err) {
    zw_sim old = *sim;
    zw_sim_numbers numbers;
    *sim = (zw_sim){.options = old.options,
                    .motion = 1,
                    .noise_level = old.noise_level,
                    .noise_error = old.noise_error,
                    .noise_probe = NAN};
    zw_sim_input_begin(sim, old.options.start);
    zw_arena_init(&sim->arena, &old.arena.alloc);
    sim->options.contacts = ZW_SIM_CONTACTS_MOREAU;
    zw_status status = zw_sim_contacts_numbers(&old, &sim->arena, &numbers, err);
    sim->options.numbers = &numbers;
    if (status >= 0)
        status = fill_simulation(sim, old.worlds->sys, &old.source, NULL, err);
    snprintf(sim->contacts.why, sizeof sim->contacts.why, "%s", why);
    if (status < 0) {
        clear_simulation(sim);
        *sim = old;
    } else {
        clear_simulation(&old);
    }
    return status;
}

zw_status zw_sim_create(zw_sim **out, const zw_system *sys, const zw_model_source *source,
                        const zw_sim_options *options, zw_error *err) {
    assert(out && sys);
    return zw_sim_make(out, sys, source, options, NULL, err);
}

zw_status zw_sim_make(zw_sim **out, const zw_system *sys, const zw_model_source *source,
                      const zw_sim_options *options, const zw_resume *resume, zw_error *err) {
    *out = NULL;
    zw_sim_options chosen;
    ZW_TRY(zw_sim_options_adopt(&chosen, options, err));
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    zw_sim *sim = zw_allocate(&alloc, sizeof *sim);
    if (!sim)
        return zw_out_of_memory(err, "the simulation");
    zw_arena_init(&sim->arena, &alloc);
    sim->options = chosen;
    sim->options.step_out = step_out(&chosen);
    sim->motion = 1;
    zw_error failed = {0};
    zw_status status = zw_sim_noise_step(sim, sys, source, &failed);
    zw_sim_input_begin(sim, chosen.start);
    if (status >= 0)
        status = fill_simulation(sim, sys, source, resume, &failed);
    if (status < 0 && !resume && zw_sim_contacts_may_step(sim, status) &&
        take_steps(sim, failed.text, NULL) >= 0)
        status = ZW_OK;
    else if (status < 0 && err)
        *err = failed;
    if (status < 0)
        zw_sim_destroy(sim);
    else
        *out = sim;
    return status;
}

/* forgets the last motion */
void zw_sim_forget(zw_sim *sim) {
    zw_sim_stages_forget(sim);
    zw_text_clear(&sim->set_at);
    zw_table_clear(sim->rows);
    zw_table_clear(sim->events);
    zw_warnings_clear(sim->doubts);
    memset(sim->history, 0, sizeof *sim->history * (size_t)(sim->nevent + 1));
    sim->motion++;
    sim->nstage = 0;
    sim->total = (zw_run_info){0};
    sim->methods[0] = '\0';
    sim->nmet = 0;
    sim->accumulation = sim->passed = 0;
    zw_sim_input_begin(sim, sim->options.start);
    sim->interrupted = sim->poor = false;
}

zw_status zw_sim_restart(zw_sim *sim, const zw_sim_numbers *numbers, zw_error *err) {
    if (sim->resumed) {
        zw_fail(err, ZW_E_OPTION, "the simulation continues a result, so it has no start");
        zw_error_hint(err, "make a new one from the model");
        return ZW_E_OPTION;
    }
    ZW_TRY(zw_sim_numbers_check(sim, numbers, err));
    zw_sim_forget(sim);
    sim->ending = ZW_SIM_FAILED; /* until it succeeds */
    ZW_TRY(zw_sim_numbers_apply(sim, numbers, err));
    ZW_TRY(zw_sim_warning_models(sim, err));
    ZW_TRY(zw_sim_begin(sim, NULL, err));
    ZW_TRY(zw_sim_record_again(sim, err));
    ZW_TRY(zw_sim_contacts_start(sim, err));
    sim->ending = ZW_SIM_NOT_RUN;
    return ZW_OK;
}

void zw_sim_destroy(zw_sim *sim) {
    if (!sim)
        return;
    zw_allocator alloc = sim->arena.alloc;
    clear_simulation(sim);
    zw_release(&alloc, sim, sizeof *sim);
}

/* ------------------------------------------------------------------------------------- the run */

/* The events of the run and of the clocks at this instant, in the order of the model. Whether a
 * clock ticks just before or just after an event is decided by round-off: they occur together. */
static zw_status gather_events(zw_sim *sim, int first, int *count, zw_error *err) {
    zw_sim_stage *stage = sim->stage;
    double t = zw_run_time(stage->run), length;
    int n = 0, event = first;
    while (event >= 0) { /* several clocks may tick at once */
        sim->met[n++] = event;
        if (zw_run_advance(stage->run, t, &event, NULL) != ZW_EVENT)
            break;
    }
    if (stage->world->nclock > 0) {
        ZW_TRY(zw_run_moment(stage->run, &length, err));
        int ticks = zw_sim_clock_due(stage->world, t + length, sim->met + n), more = 0;
        if (ticks > 0)
            ZW_TRY(zw_run_claim(stage->run, sim->met + n + ticks, &more, err));
        n += ticks + more;
    }
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && sim->met[k] < sim->met[k - 1]; k--) {
            int swap = sim->met[k];
            sim->met[k] = sim->met[k - 1];
            sim->met[k - 1] = swap;
        }
    *count = n;
    return ZW_OK;
}

static zw_status check_steps(const zw_sim *sim, zw_error *err) {
    if (zw_sim_total(sim).steps <= sim->options.run.steps_max)
        return ZW_OK;
    zw_fail(err, ZW_E_NUMERIC, "%ld steps were not enough: the run is at t = %.10g",
            sim->options.run.steps_max, zw_run_time(sim->stage->run));
    zw_error_hint(err, "raise --steps-max, or loosen the tolerances");
    return ZW_E_NUMERIC;
}

/* Checks that the eliminated velocities are still well chosen. */
static zw_status check_choice(zw_sim *sim, zw_run *run, double t, zw_error *err) {
    const zw_sim_stage *stage = sim->stage;
    if (!stage->eq.dependent || stage->settled || run != stage->run)
        return ZW_OK;
    ZW_TRY(zw_run_dense(run, t, sim->node, err));
    sim->poor = !zw_sim_stage_suits(sim, stage, t, sim->node);
    if (sim->poor)
        zw_run_pause(run);
    return ZW_OK;
}

/* Continues from the present state with other eliminated velocities. */
static zw_status choose_again(zw_sim *sim, zw_error *err) {
    double t = zw_run_time(sim->stage->run);
    zw_sim_stage *next = sim->stage;
    sim->poor = false;
    ZW_TRY(zw_sim_stage_leave(sim->stage, sim->x, err));
    ZW_TRY(zw_sim_stage_suit(sim, &next, t, sim->x, err));
    if (next == sim->stage)
        return ZW_OK;
    memset(sim->acted, 0, sizeof *sim->acted * (size_t)sim->nevent);
    ZW_TRY(zw_sim_events_remember(sim, err));
    return zw_sim_change_stage(sim, next, t, sim->x, err);
}

bool zw_sim_asks_to_stop(const zw_sim *sim, double t) {
    const zw_sim_options *o = &sim->options;
    double done = o->until > o->start ? (t - o->start) / (o->until - o->start) : 1;
    return o->stop && o->stop(o->user, sim->pilot ? 0 : fmin(1, done));
}

zw_status zw_sim_piece(void *user, zw_run *run, double t0, double t1, zw_error *err) {
    zw_sim *sim = user;
    sim->passed = t1;
    if (sim->options.energy)
        ZW_TRY(zw_sim_work_piece(sim, run, t0, t1, err));
    if (sim->watch.piece)
        ZW_TRY(sim->watch.piece(sim->watch.user, run, t0, t1, err));
    ZW_TRY(check_choice(sim, run, t1, err));
    ZW_TRY(zw_sim_contacts_pace(sim, t1, err));
    if (zw_sim_asks_to_stop(sim, t1)) {
        sim->interrupted = true;
        zw_run_pause(run);
        return ZW_OK;
    }
    if (!zw_interrupted())
        return ZW_OK;
    sim->interrupted = true;
    return zw_fail(err, ZW_E_NUMERIC, "interrupted");
}

/* A stop in the middle of a row, perhaps by failing, is no error. The state is recorded, unless
 * there are events before it that have not been handled. */
static zw_status save_interrupted(zw_sim *sim, zw_error *err) {
    if (err)
        *err = (zw_error){0};
    if (zw_run_time(sim->stage->run) == sim->passed)
        ZW_TRY(zw_sim_record_row(sim, err));
    return ZW_STOPPED;
}

/* an output time that equals the time of an event up to round-off needs no second row */
static bool is_same_time(double a, double b) {
    return fabs(a - b) <= 4 * DBL_EPSILON * fmax(fabs(a), fabs(b));
}

/* has the run come to the end of a contact whose statement says `stop`? */
static bool stops_by_contact(const zw_sim *sim) {
    zw_fault f = zw_run_last_fault(sim->stage->run);
    return f.kind == ZW_FAULT_CONTACT && zw_sim_now(sim)->sys->footing[f.index].stop;
}

/* ends the run as an event does, without an error */
static zw_status stop_by_contact(zw_sim *sim, bool *stop, zw_error *err) {
    zw_fault f = zw_run_last_fault(sim->stage->run);
    char name[200];
    snprintf(name, sizeof name, "%.150s.%s", zw_sim_now(sim)->sys->footing[f.index].name,
             f.value > 0 ? "lift" : "flat");
    if (err)
        *err = (zw_error){0};
    *stop = true;
    sim->nmet++;
    if (sim->options.event)
        sim->options.event(sim->options.user, name, f.t);
    return ZW_OK;
}

/* integrates to t and handles the events before it */
zw_status zw_sim_advance_to(zw_sim *sim, double t, bool *stop, zw_error *err) {
    while (!*stop) {
        zw_run *run = sim->stage->run;
        long met = sim->nmet;
        double tick = zw_sim_clock_next(zw_sim_now(sim)), before = zw_run_time(run),
               turn = zw_sim_input_next(sim);
        int event = -1;
        double last =
            /* no search beyond the end */
            sim->stage->kernel->nswitch > 0 ? sim->options.until : INFINITY;
        zw_run_limit(run, sim->options.until);
        zw_run_lead_to(run, fmin(last, fmin(turn, zw_sim_clock_acts(zw_sim_now(sim)))));
        double target = fmin(t, fmin(tick, fmin(turn, zw_sim_standing_next(sim))));
        zw_status status = zw_run_advance(run, target, &event, err);
        sim->row_is_current = sim->row_is_current && is_same_time(zw_run_time(run), before);
        if (status < 0 && (sim->interrupted || zw_interrupted()))
            return save_interrupted(sim, err);
        if (status < 0) {
            zw_sim_explain(&sim->stage->eq, run, zw_sim_now(sim)->p, err);
            return stops_by_contact(sim) ? stop_by_contact(sim, stop, err) : status;
        }
        int n;
        ZW_TRY(gather_events(sim, event, &n, err));
        ZW_TRY(n > 0 ? zw_sim_meet(sim, n, sim->met, stop, err) : zw_sim_standing_switch(sim, err));
        double reached = zw_run_time(sim->stage->run);
        if (n == 0 && sim->poor)
            ZW_TRY(choose_again(sim, err));
        bool rest = reached >= zw_sim_standing_next(sim);
        if (rest)
            ZW_TRY(zw_sim_standing_due(sim, err));
        if (reached >= turn && (reached < t || !zw_sim_input_waits(sim, turn)))
            ZW_TRY(zw_sim_input_turn(sim, turn, fmin(t, tick), err));
        else if (n == 0 && reached >= target && !(rest && target < t))
            return sim->interrupted ? save_interrupted(sim, err) : ZW_OK;
        if (sim->interrupted)
            return save_interrupted(sim, err);
        ZW_TRY(check_steps(sim, err));
        if (sim->early && sim->nmet > met && !*stop)
            return ZW_EVENT;
    }
    return ZW_OK;
}

static zw_status integrate_run(zw_sim *sim, zw_error *err) {
    const zw_sim_options *o = &sim->options;
    long rows = (long)row_count(o);
    bool stop = false;
    ZW_TRY(zw_sim_record_row(sim, err));
    if (!sim->resumed)
        ZW_TRY(zw_sim_meet_start(sim, &stop, err));
    ZW_TRY(zw_sim_advance_to(sim, o->start, &stop, err)); /* clocks that tick at the start */
    for (long k = 1; k <= rows && !stop; k++) {
        double t = k == rows ? o->until : o->start + (double)k * o->step_out;
        zw_status status = zw_sim_advance_to(sim, t, &stop, err);
        if (status == ZW_STOPPED)
            sim->ending = ZW_SIM_INTERRUPTED;
        if (status != ZW_OK)
            return status;
        ZW_TRY(zw_sim_record_row(sim, err));
        if (zw_sim_asks_to_stop(sim, stop ? o->until : t) && !stop && k < rows) {
            sim->ending = ZW_SIM_INTERRUPTED;
            return ZW_STOPPED;
        }
    }
    sim->ending = stop ? ZW_SIM_EVENT : ZW_SIM_REACHED_END;
    return ZW_OK;
}

/* Repeats the whole run in time steps if events were chosen by default and fail during the run. */
static zw_status integrate_by_any(zw_sim *sim, zw_error *err) {
    zw_error failed = {0};
    zw_status status = integrate_run(sim, &failed);
    if (status < 0 && zw_sim_contacts_may_step(sim, status)) {
        char why[sizeof sim->contacts.why];
        double t = zw_run_time(sim->stage->run);
        snprintf(why, sizeof why, "the run from event to event fails at t = %.6g s (%.320s)", t,
                 failed.text);
        if (take_steps(sim, why, NULL) >= 0) {
            if (sim->options.again)
                sim->options.again(sim->options.user, t);
            failed = (zw_error){0};
            status = integrate_run(sim, &failed);
        }
    }
    if (status < 0 && err)
        *err = failed;
    return status;
}

zw_status zw_sim_run(zw_sim *sim, zw_error *err) {
    if (sim->ending != ZW_SIM_NOT_RUN)
        return zw_fail(err, ZW_E_OPTION, "the simulation has been run already");
    zw_status status = integrate_by_any(sim, err);
    if (status < 0) {
        if (sim->ending == ZW_SIM_NOT_RUN)
            sim->ending = ZW_SIM_FAILED;
        zw_sim_record_row(sim, NULL); /* the last state reached; the error is reported already */
    }
    zw_sim_warning_small(sim);
    zw_sim_noise_warning(sim);
    zw_sim_contacts_end(sim);
    zw_error later = {0};
    if (zw_sim_notes_end(sim, sim->rows) < 0 || zw_sim_notes_end(sim, sim->events) < 0)
        zw_out_of_memory(&later, "the result");
    if (status >= 0 && later.status < 0) {
        if (err)
            *err = later;
        return later.status;
    }
    return status;
}

/* -------------------------------------------------------------------------------- queries */

const zw_table *zw_sim_rows(const zw_sim *sim) {
    return sim->rows;
}

const zw_table *zw_sim_events(const zw_sim *sim) {
    return sim->events;
}

const zw_system *zw_sim_system(const zw_sim *sim) {
    return zw_sim_now(sim)->sys;
}

const zw_completion *zw_sim_completion(const zw_sim *sim) {
    return &sim->completion;
}

bool zw_sim_holds(const zw_sim *sim, int constraint) {
    assert(constraint >= 0 && constraint < zw_sim_system(sim)->nconstraint);
    return sim->stage->on[constraint];
}

const char *zw_sim_ending_text(zw_sim_ending ending) {
    static const char *const text[] = {
        "not run",           "reached the end", "stopped by an event", "stopped by the user",
        "events accumulate", "failed"};
    return text[ending];
}

void zw_sim_fill_statistics(const zw_sim *sim, zw_sim_info *out, size_t size, size_t run_size) {
    const zw_sim_stage *stage = sim->stage;
    zw_sim_info info = {.ending = sim->ending,
                        .t = zw_run_time(stage->run),
                        .events = sim->nmet,
                        .accumulation = sim->accumulation,
                        .principle = stage->eq.principle,
                        .nstate = sim->columns.nq + sim->columns.nvelocity,
                        .run = zw_sim_total(sim)};
    for (int i = 0; i < stage->world->sys->nconstraint; i++)
        info.nconstraint += stage->on[i];
    zw_sim_contacts_words(sim, info.contacts, sizeof info.contacts);
    zw_sim_noise_words(sim, info.noise, sizeof info.noise);
    info.noise_step = info.noise[0] ? sim->options.noise_step : 0;
    info.noise_error = sim->noise_error;
    memcpy(info.estimate, sim->contacts.estimate, sizeof info.estimate);
    memcpy(info.method, sim->methods, sizeof info.method);
    zw_sim_add_method(info.method, sizeof info.method, info.run.method);
    zw_sim_hand_out(out, size, run_size, &info, sizeof info, offsetof(zw_sim_info, run),
                    sizeof info.run);
}
