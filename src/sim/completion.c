/* SPDX-License-Identifier: MIT */
/* The completion of a start by names: the changes of the entries that were not given, and the
 * reason of a failure. */
#include "base/tolerance.h"
#include "zwang/simulate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "internal.h"

/* A zeroed array in the context. */
#define NEW(ctx, type, n) ((type *)zw_context_alloc((ctx), sizeof(type) * (size_t)((n) + 1)))

/* Least change of an entry, relative to 1 + its value, that is reported: ZW_ROUNDOFF_SUM, since the
 * completion solves sums. */
#define ENTRY_MOVED ZW_ROUNDOFF_SUM

static const char *name_of(const zw_system *s, int i) {
    return i < s->nq ? s->coord[i].name : s->velocity[i - s->nq].name;
}

static const char *unit_of(const zw_system *s, int i) {
    return i < s->nq ? s->coord[i].unit : s->velocity[i - s->nq].unit;
}

static zw_place place_of(const zw_system *s, int i) {
    return i < s->nq ? s->coord[i].place : s->velocity[i - s->nq].place;
}

/* ---- failures ---- */

/* "; there y = 0.5 m, z = 1 m" appended to the text, for the level (positions or velocities) that
 * failed */
static void add_place(const zw_equations *eq, const zw_run *run, const zw_said *said,
                      zw_error *err) {
    const zw_system *s = eq->sys;
    const double *x = zw_run_fault_state(run);
    bool position = zw_run_last_fault(run).kind == ZW_FAULT_POSITION;
    int told = 0;
    if (!err || !x || eq->from_system)
        return;
    for (int i = position ? 0 : s->nq; i < (position ? s->nq : s->nq + s->nv); i++) {
        if (said[i] == ZW_GIVEN)
            continue;
        if (strlen(err->text) + 80 > sizeof err->text) {
            zw_sim_add_text(err, ", ...");
            return;
        }
        zw_sim_add_text(err, "%s%.40s = %.6g%s%s", told++ ? ", " : "; there ", name_of(s, i), x[i],
                        unit_of(s, i)[0] ? " " : "", unit_of(s, i));
    }
}

/* the given starts, for the hint: one of them is too many */
static void add_given(const zw_equations *eq, const zw_said *said, bool position, zw_error *err) {
    const zw_system *s = eq->sys;
    char list[200] = "";
    for (int i = position ? 0 : s->nq; i < (position ? s->nq : s->nq + s->nv); i++) {
        size_t used = strlen(list);
        if (said[i] == ZW_GIVEN && used + 50 < sizeof list)
            snprintf(list + used, sizeof list - used, "%s%.40s", used ? ", " : "", name_of(s, i));
    }
    if (!err)
        return;
    if (list[0])
        snprintf(err->hint, sizeof err->hint,
                 "omit one of %s, or give a starting point: guess NAME = VALUE", list);
    else
        snprintf(err->hint, sizeof err->hint,
                 "none of these variables is given: check the lengths, or give a starting point: "
                 "guess NAME = VALUE");
}

static void explain_failure(const zw_equations *eq, const zw_run *run, const double *p,
                            const zw_said *said, zw_error *err) {
    zw_fault_kind kind = zw_run_last_fault(run).kind;
    zw_sim_explain(eq, run, p, err);
    if (kind != ZW_FAULT_POSITION && kind != ZW_FAULT_VELOCITY)
        return;
    add_place(eq, run, said, err);
    add_given(eq, said, kind == ZW_FAULT_POSITION, err);
}

/* ---- successes ---- */

/* "y = -0.5 m, z = 1 m" of the first few positions, velocities or both; returns how many */
static int write_entries(const zw_completion *c, bool positions, bool velocities,
                         const zw_completed **first, char *out, size_t size) {
    enum { SHOWN = 4 };
    size_t used = 0;
    int shown = 0;
    for (int i = 0; i < c->n && used + 1 < size; i++) {
        const zw_completed *e = &c->entry[i];
        if (!(e->is_velocity ? velocities : positions))
            continue;
        if (shown == SHOWN) {
            snprintf(out + used, size - used, " ...");
            break;
        }
        int n = snprintf(out + used, size - used, "%s%.40s = %.6g%s%s", shown ? ", " : "", e->name,
                         e->value, e->unit[0] ? " " : "", e->unit);
        used += n > 0 ? (size_t)n : 0;
        *first = shown ? *first : e;
        shown++;
    }
    return shown;
}

bool zw_completion_warning(const zw_completion *c, zw_warning *doubt) {
    char values[260];
    const zw_completed *first = NULL;
    int freedom = c->freedom_position + c->freedom_velocity, shown = 0;
    if (!c->freedom_guided)
        shown = write_entries(c, c->freedom_position > 0, c->freedom_velocity > 0, &first, values,
                              sizeof values);
    if (shown > 0)
        *doubt = zw_warning_of(
            "start", NAN, "the start leaves %d degree%s of freedom undetermined: %s %s chosen",
            freedom, freedom == 1 ? "" : "s", values, shown == 1 ? "was" : "were");
    else if (c->other_guided || write_entries(c, true, false, &first, values, sizeof values) == 0)
        return false;
    else
        *doubt =
            zw_warning_of("start", NAN, "the start fits %d solutions: the nearest, %s, is taken",
                          c->nother + 1, values);
    zw_warning_place(doubt, first->place);
    zw_warning_hint(doubt, "give more start values, or a guess: guess %s = ...", first->name);
    return true;
}

static bool has_moved(double from, double to) {
    return fabs(to - from) > ENTRY_MOVED * (1 + fabs(to));
}

/* entries that moved, with where they began (before) */
static void list_entries(const zw_system *s, const zw_said *said, const double *before,
                         const double *x, zw_completed *entry, zw_completion *out) {
    out->n = 0;
    out->entry = entry;
    for (int i = 0; i < s->nq + s->nv; i++)
        if (said[i] != ZW_GIVEN && has_moved(before[i], x[i]) && !zw_system_delay_of(s, i))
            entry[out->n++] = (zw_completed){.index = i,
                                             .name = name_of(s, i),
                                             .unit = unit_of(s, i),
                                             .from = before[i],
                                             .value = x[i],
                                             .guessed = said[i] == ZW_GUESSED,
                                             .is_velocity = i >= s->nq,
                                             .place = place_of(s, i)};
}

/* keeps only the values of these entries, row by row, in place */
static void compact_entries(const zw_completion *c, const zw_system *s, const double *x,
                            double *other) {
    int nx = s->nq + s->nv;
    for (int k = 0; k < c->nkept; k++) {
        bool elsewhere = false;
        for (int i = 0; i < s->nq; i++)
            elsewhere = elsewhere || has_moved(x[i], other[k * nx + i]);
        for (int i = 0; i < c->n; i++) {
            int from = c->entry[i].index;
            other[k * c->n + i] = from >= s->nq && elsewhere ? NAN : other[k * nx + from];
        }
    }
}

/* Has a guess decided? Where degrees of freedom are left, an entry of their level must have been
 * guessed; */
static bool is_freedom_guided(const zw_system *s, const zw_said *said, const zw_completion *c) {
    bool position = c->freedom_position == 0, velocity = c->freedom_velocity == 0;
    for (int i = 0; i < s->nq + s->nv; i++)
        if (said[i] == ZW_GUESSED)
            *(i < s->nq ? &position : &velocity) = true;
    return position && velocity;
}

/* other solutions must differ from x in one of the guesses. */
static bool is_other_guided(const zw_system *s, const zw_said *said, const zw_completion *c,
                            const double *x, const double *other) {
    int nx = s->nq + s->nv;
    for (int k = 0; k < c->nkept; k++) {
        bool differs = false;
        for (int i = 0; i < nx; i++)
            differs = differs || (said[i] == ZW_GUESSED && has_moved(x[i], other[k * nx + i]));
        if (!differs)
            return false;
    }
    return true;
}

zw_status zw_sim_complete(zw_run *run, const zw_equations *eq, double t, const double *p,
                          const zw_said *said, const double *width, double *x, zw_completed *entry,
                          double *other, zw_completion *out, zw_error *err) {
    const zw_system *s = eq->sys;
    int nx = s->nq + s->nv;
    zw_allocator alloc = zw_context_allocator(s->ctx);
    double *before = zw_allocate(&alloc, sizeof *before * (size_t)(nx + 1));
    if (!before)
        return zw_out_of_memory(err, "the completion of a start");
    memcpy(before, x, sizeof *before * (size_t)nx);
    zw_run_completion done = {.size = sizeof done, .other_most = ZW_SIM_OTHERS, .other = other};
    *out = (zw_completion){0};
    zw_status status = zw_run_complete(run, t, x, said, width, &done, err);
    if (status < 0) {
        explain_failure(eq, run, p, said, err);
    } else {
        list_entries(s, said, before, x, entry, out);
        out->freedom_position = done.freedom_position;
        out->freedom_velocity = done.freedom_velocity;
        out->nother = done.nother;
        out->nkept = done.nother < ZW_SIM_OTHERS ? done.nother : ZW_SIM_OTHERS;
        out->other = other;
        out->freedom_guided = is_freedom_guided(s, said, out);
        out->other_guided = is_other_guided(s, said, out, x, other);
        compact_entries(out, s, x, other);
    }
    zw_release(&alloc, before, sizeof *before * (size_t)(nx + 1));
    return status;
}

/* ---- without a simulation ---- */

static zw_status derive_equations(zw_equations *eq, const zw_system *sys, const zw_active *active,
                                  zw_error *err) {
    zw_error first = {0};
    if (zw_derive(eq, sys, active, "lagrange", &first) >= 0)
        return ZW_OK;
    zw_error ignored = {0};
    zw_status status = zw_derive(eq, sys, active, "gauss-min", &ignored); /* has inequalities */
    if (status < 0 && err)
        *err = first;
    return status;
}

static zw_status complete_start(const zw_system *s, const zw_equations *eq, double t,
                                const double *p, double *x, zw_completion *out, zw_error *err) {
    int nx = s->nq + s->nv;
    zw_kernel *kernel = NULL;
    zw_run *run = NULL;
    zw_kernel_options options = zw_kernel_options_default();
    options.jit = ZW_JIT_NEVER;
    options.functions = ZW_FUNCTIONS_RUN;
    zw_said *said = NEW(s->ctx, zw_said, nx);
    double *width = NEW(s->ctx, double, s->nq);
    double *other = NEW(s->ctx, double, ZW_SIM_OTHERS *nx);
    zw_completed *entry = NEW(s->ctx, zw_completed, nx);
    if (!said || !width || !other || !entry)
        return zw_context_status(s->ctx, err);
    ZW_TRY(zw_system_start_said(s, p, x, said, width, err));
    zw_status status = zw_kernel_create(&kernel, eq, &options, err);
    if (status >= 0)
        status = zw_run_create(&run, kernel, p, NULL, err);
    if (status >= 0) {
        zw_run_on_want(run, zw_kernel_serve, kernel);
        status = zw_sim_complete(run, eq, t, p, said, width, x, entry, other, out, err);
    }
    zw_run_destroy(run);
    zw_kernel_destroy(kernel);
    return status;
}

zw_status zw_system_complete(const zw_system *s, const zw_active *active, double t, const double *p,
                             double *x, zw_completion *completion, zw_error *err) {
    zw_equations eq;
    zw_completion own;
    double *values = NEW(s->ctx, double, s->np + 1),
           *state = x ? x : NEW(s->ctx, double, s->nq + s->nv + 1);
    if (!values || !state)
        return zw_context_status(s->ctx, err);
    if (!p)
        ZW_TRY(zw_system_param_values(s, values, err));
    ZW_TRY(derive_equations(&eq, s, active, err));
    return complete_start(s, &eq, t, p ? p : values, state, completion ? completion : &own, err);
}
