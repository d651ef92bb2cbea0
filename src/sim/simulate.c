/* SPDX-License-Identifier: MIT */
/* The life of a simulation: from a system to two tables. */
#include "zwang/simulate.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"
#include "num/options.h"

enum { ROWS_DEFAULT = 1000 };
#define ROWS_MAX 1e9

zw_sim_options zw_sim_options_default(void) {
    return (zw_sim_options){.until = 10, .jit = 1, .run = zw_run_options_default()};
}

/* ------------------------------------------------------------------------------------- lifecycle */

static double step_out(const zw_sim_options *o) {
    return o->step_out > 0 ? o->step_out : (o->until - o->start) / ROWS_DEFAULT;
}

/* how many rows there are after the first */
static double row_count(const zw_sim_options *o) {
    return o->until > o->start ? ceil((o->until - o->start) / step_out(o) - 1e-9) : 0;
}

static zw_status check_options(const zw_sim_options *o, zw_error *err) {
    if (!isfinite(o->start) || !isfinite(o->until) || !isfinite(o->step_out))
        return zw_fail(err, ZW_E_OPTION, "start, end and output step must be finite");
    if (o->until < o->start)
        return zw_fail(err, ZW_E_OPTION, "the run would end at t = %g s before it starts at %g s",
                       o->until, o->start);
    if (o->step_out < 0)
        return zw_fail(err, ZW_E_OPTION, "the output step %g s is negative", o->step_out);
    return zw_run_options_check(&o->run, err);
}

static double half_of_memory(void) {
    double pages = (double)sysconf(_SC_PHYS_PAGES), size = (double)sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? pages * size / 2 : INFINITY;
}

/* refuse before the work what could not be kept after it */
static zw_status check_size(const zw_sim *sim, zw_error *err) {
    const zw_sim_options *o = &sim->options;
    double rows = row_count(o) + 1, columns = zw_table_columns(sim->rows);
    double bytes = rows * columns * (double)sizeof(double);
    double most = o->memory_max > 0 ? o->memory_max : half_of_memory();
    if (rows <= ROWS_MAX && bytes <= most)
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "%.3g rows of %.0f columns need %.3g GB, %.3g GB are allowed", rows,
            columns, bytes * 1e-9, most * 1e-9);
    zw_error_hint(err, "a larger output step: %g s gives %d rows", (o->until - o->start) / 1e5,
                  100000);
    return ZW_E_OPTION;
}

static const char *const *copy_strings(zw_arena *a, int n, const char *const *from) {
    const char **to = ZW_NEW(a, const char *, n + 1);
    for (int i = 0; to && i < n; i++)
        to[i] = zw_arena_string(a, from[i]);
    return to;
}

static void copy_source(zw_sim *sim, const zw_sim_source *source) {
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
    sim->model = (zw_model_options){.variant = m->variant ? zw_arena_string(a, m->variant) : NULL,
                                    .nset = m->nset,
                                    .set = copy_strings(a, m->nset, m->set),
                                    .nwith = m->nwith,
                                    .with = copy_strings(a, m->nwith, m->with),
                                    .nwithout = m->nwithout,
                                    .without = copy_strings(a, m->nwithout, m->without)};
    sim->source.options = &sim->model;
}

static zw_status fill(zw_sim *sim, zw_system *sys, const zw_sim_source *source, zw_error *err) {
    copy_source(sim, source);
    if (sim->options.principle)
        sim->options.principle = zw_arena_string(&sim->arena, sim->options.principle);
    sim->world = (zw_sim_world){.sys = sys, .p = ZW_NEW(&sim->arena, double, sys->np + 1)};
    if (sim->arena.failed)
        return zw_fail(err, ZW_E_MEMORY, "out of memory for the simulation");
    ZW_TRY(zw_system_param_values(sys, sim->world.p, err));
    ZW_TRY(zw_sim_stage_create(sim, &sim->stage, &sim->world, err));
    ZW_TRY(zw_sim_stage_start(sim, sim->stage, sim->options.start, err));
    ZW_TRY(zw_sim_record_create(sim, err));
    return check_size(sim, err);
}

zw_status zw_sim_create(zw_sim **out, zw_system *sys, const zw_sim_source *source,
                        const zw_sim_options *options, zw_error *err) {
    *out = NULL;
    zw_sim_options chosen = options ? *options : zw_sim_options_default();
    ZW_TRY(check_options(&chosen, err));
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    zw_sim *sim = zw_allocate(&alloc, sizeof *sim);
    if (!sim)
        return zw_fail(err, ZW_E_MEMORY, "out of memory for the simulation");
    zw_arena_init(&sim->arena, &alloc);
    sim->options = chosen;
    zw_status status = fill(sim, sys, source, err);
    if (status < 0)
        zw_sim_destroy(sim);
    else
        *out = sim;
    return status;
}

void zw_sim_destroy(zw_sim *sim) {
    if (!sim)
        return;
    zw_sim_record_destroy(sim);
    zw_sim_stage_destroy(sim->stage);
    zw_allocator alloc = sim->arena.alloc;
    zw_arena_clear(&sim->arena);
    zw_release(&alloc, sim, sizeof *sim);
}

/* ------------------------------------------------------------------------------------- the run */

/* what happens at an event: it is recorded and told; true if it ends the run */
static zw_status meet(zw_sim *sim, int event, bool *stop, zw_error *err) {
    const zw_event *e = &sim->world.sys->event[event];
    ZW_TRY(zw_sim_record_event(sim, event, err));
    sim->nevent++;
    if (sim->options.event)
        sim->options.event(sim->options.user, event, zw_run_time(sim->stage->run));
    *stop = e->stop;
    return ZW_OK;
}

/* to t, meeting the events on the way */
static zw_status advance_to(zw_sim *sim, double t, bool *stop, zw_error *err) {
    while (!*stop) {
        int event = -1;
        zw_status status = zw_run_advance(sim->stage->run, t, &event, err);
        if (status < 0)
            zw_sim_explain(&sim->stage->eq, sim->stage->run, err);
        if (status != ZW_EVENT)
            return status;
        ZW_TRY(meet(sim, event, stop, err));
    }
    return ZW_OK;
}

static zw_status integrate(zw_sim *sim, zw_error *err) {
    const zw_sim_options *o = &sim->options;
    long rows = (long)row_count(o);
    double step = step_out(o);
    bool stop = false;
    ZW_TRY(zw_sim_record_row(sim, err));
    for (long k = 1; k <= rows && !stop; k++) {
        double t = k == rows ? o->until : o->start + (double)k * step;
        ZW_TRY(advance_to(sim, t, &stop, err));
        ZW_TRY(zw_sim_record_row(sim, err));
        if (o->progress)
            o->progress(o->user, stop ? 1 : (t - o->start) / (o->until - o->start));
        if (o->interrupt && *o->interrupt && !stop && k < rows) {
            sim->ending = ZW_SIM_INTERRUPTED;
            return ZW_STOPPED;
        }
    }
    sim->ending = stop ? ZW_SIM_EVENT : ZW_SIM_REACHED_END;
    return ZW_OK;
}

/* the state a failed run got to is worth a row, unless there is one already */
static zw_status keep_last(zw_sim *sim, zw_error *err) {
    long n = zw_table_rows(sim->rows);
    if (n > 0 && zw_table_at(sim->rows, n - 1, 0) == zw_run_time(sim->stage->run))
        return ZW_OK;
    return zw_sim_record_row(sim, err);
}

zw_status zw_sim_run(zw_sim *sim, zw_error *err) {
    if (sim->ending != ZW_SIM_NOT_RUN)
        return zw_fail(err, ZW_E_OPTION, "the simulation has been run already");
    zw_status status = integrate(sim, err);
    if (status < 0) {
        sim->ending = ZW_SIM_FAILED;
        keep_last(sim, NULL); /* why the run failed is told already */
    }
    zw_error later = {0};
    if (zw_sim_notes_end(sim, sim->rows) < 0 || zw_sim_notes_end(sim, sim->events) < 0)
        zw_fail(&later, ZW_E_MEMORY, "out of memory for the result");
    if (status >= 0 && later.status < 0) {
        if (err)
            *err = later;
        return later.status;
    }
    return status;
}

/* ------------------------------------------------------------------------------------- what there is */

const zw_table *zw_sim_rows(const zw_sim *sim) {
    return sim->rows;
}

const zw_table *zw_sim_events(const zw_sim *sim) {
    return sim->events;
}

const char *zw_sim_ending_text(zw_sim_ending ending) {
    static const char *const text[] = {"not run", "reached the end", "stopped by an event",
                                       "stopped by the user", "failed"};
    return text[ending];
}

zw_sim_info zw_sim_statistics(const zw_sim *sim) {
    const zw_sim_stage *stage = sim->stage;
    zw_sim_info info = {.ending = sim->ending,
                        .t = zw_run_time(stage->run),
                        .events = sim->nevent,
                        .principle = stage->eq.principle,
                        .nstate = sim->columns.nq + sim->columns.nvelocity,
                        .run = zw_run_statistics(stage->run)};
    for (int i = 0; i < sim->world.sys->nconstraint; i++)
        info.nconstraint += sim->world.sys->constraint[i].on;
    info.method = info.run.method;
    return info;
}
