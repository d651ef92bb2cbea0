/* SPDX-License-Identifier: MIT */
/* Finds motions of a system between two places: the flow with observables for momenta, the ends,
 * the search. */
#include "paths.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/tolerance.h"
#include "motion/jumps.h"

enum { SAMPLES = 6, STAGES_MIN = 3, STAGES_MAX = 7, INTERVALS_LEAST = 10, TURNS_MAX = 1000000 };

/* Tolerances of runs from the same start: below the tolerance of paths, 1e-9. */
#define RUN_TOLERANCE 1e-11

void zw_paths_options_init(zw_paths_options *options, size_t size) {
    const zw_paths_options all = {.size = size,
                                  .by = "lagrange",
                                  .time = NAN,
                                  .energy = NAN,
                                  .starts = 12,
                                  .stages = 5,
                                  .tolerance = 1e-9,
                                  .intervals = 20,
                                  .intervals_max = 400,
                                  .seed = 1};
    zw_options_begin(options, size, &all, sizeof all);
}

/* --------------------------------------------------------------------------------------- set-up */

/* The system with observables dT/dv, and by the vakonomic principle the rows of the constraints,
 * W_ck row by row. */
static zw_status add_observables(zw_paths *s, zw_error *err) {
    const zw_system *y = s->sys;
    int nmu = 0;
    zw_equations eq = {0};
    if (s->is_vakonomic) {
        ZW_TRY(zw_derive(&eq, y, s->options.active, "vakonomic", err));
        nmu = eq.nv - y->nv;
    }
    int more = y->nv * (1 + nmu);
    zw_observable *all = ZW_NEW(&s->arena, zw_observable, y->nobservable + more + 1);
    if (!all)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < y->nobservable; i++)
        all[i] = y->observable[i];
    for (int i = 0; i < more; i++) {
        int k = i % y->nv, c = i / y->nv - 1;
        zw_expr value = c < 0 ? zw_diff(y->ctx, y->T, y->velocity[k].sym)
                              : zw_neg(y->ctx, eq.M[k * eq.nv + y->nv + c]);
        all[y->nobservable + i] =
            (zw_observable){.name = y->velocity[k].name, .unit = "", .value = value};
    }
    s->watched = *y;
    s->watched.observable = all;
    s->watched.nobservable += more;
    s->nobs = y->nobservable;
    s->nv = y->nv;
    s->nmu = nmu;
    return zw_context_status(y->ctx, err);
}

/* Does an expression vanish at a few random states, with the parameters as they are? */
static bool is_vanishing(zw_paths *s, zw_expr e, int n, const zw_expr *symbol, double *value) {
    const zw_system *y = s->sys;
    zw_random random = zw_random_stream(11, 0);
    for (int look = 0; look < SAMPLES && e != ZW_ZERO; look++) {
        for (int i = y->np; i < n; i++)
            value[i] = zw_random_real(&random, -1, 1);
        if (!(zw_eval(y->ctx, e, n, symbol, value) == 0))
            return false;
    }
    return true;
}

/* Is the motion that of a Lagrangian? Then all forces have a potential. */
static zw_status find_action(zw_paths *s, zw_error *err) {
    const zw_system *y = s->sys;
    int n = y->np;
    zw_expr *symbol =
        ZW_NEW(&s->arena, zw_expr, y->np + y->nq + 2 * y->nv + y->nsignal + y->nconstraint + 2);
    double *value =
        ZW_NEW(&s->arena, double, y->np + y->nq + 2 * y->nv + y->nsignal + y->nconstraint + 2);
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < y->np; i++) {
        symbol[i] = y->param[i].sym;
        value[i] = s->e->p[i];
    }
    symbol[n++] = y->t;
    for (int i = 0; i < y->nq; i++)
        symbol[n++] = y->coord[i].sym;
    for (int i = 0; i < y->nv; i++) {
        symbol[n++] = y->velocity[i].sym;
        symbol[n++] = y->velocity[i].accel;
    }
    for (int i = 0; i < y->nsignal; i++)
        symbol[n++] = y->signal[i].sym;
    for (int i = 0; i < y->nconstraint; i++)
        symbol[n++] = y->constraint[i].lambda;
    s->has_action = is_vanishing(s, y->dissipation, n, symbol, value);
    for (int i = 0; i < y->nq; i++)
        s->has_action &= !y->coord[i].state;
    for (int i = 0; i < y->nforce; i++)
        for (int k = 0; k < y->nv && y->force[i].Q; k++)
            s->has_action &= is_vanishing(s, y->force[i].Q[k], n, symbol, value);
    return ZW_OK;
}

static zw_status check_options(const zw_paths *s, zw_error *err) {
    const zw_paths_options *o = &s->options;
    if (o->starts < 1 || o->turns < 0 || !(o->tolerance > 0) || o->stages < STAGES_MIN ||
        o->stages > STAGES_MAX || o->intervals < INTERVALS_LEAST || o->intervals_max < o->intervals)
        return zw_fail(err, ZW_E_OPTION,
                       "a search has one guess at least, %d to %d points in an interval, and %d "
                       "intervals at least; most of them are no fewer than those of guesses",
                       STAGES_MIN, STAGES_MAX, INTERVALS_LEAST);
    if (!isnan(o->time) && !isnan(o->energy)) {
        zw_fail(err, ZW_E_OPTION, "time and energy are both given: one follows from the other");
        zw_error_hint(err, "--time alone, or --energy alone, where the time is unknown");
        return ZW_E_OPTION;
    }
    if (isnan(o->energy) && !(o->time > 0)) {
        zw_fail(err, ZW_E_OPTION, "the time of the motion is not given");
        zw_error_hint(err, "--time 2s, or --energy 3J, where the time is unknown");
        return ZW_E_OPTION;
    }
    if (!o->to) {
        zw_fail(err, ZW_E_OPTION, "where does the motion end?");
        zw_error_hint(err, "--to \"x=1 [m], y=0\"");
        return ZW_E_OPTION;
    }
    return ZW_OK;
}

static zw_status check_supported(const zw_paths *s, zw_error *err) {
    ZW_TRY(zw_refuse_rough(s->e, "paths between places", 0, NULL, err));
    for (int i = 0; i < s->sys->nsignal; i++)
        if (s->sys->signal[i].table >= 0)
            return zw_fail_at(err, ZW_E_OPTION, s->sys->signal[i].place,
                              "the signal %s is a table over time, which is not smooth",
                              s->sys->signal[i].name);
    if (s->is_free && !s->e->symmetries.autonomous) {
        zw_fail(err, ZW_E_OPTION,
                "something moves as a given function of time: the energy is not conserved");
        zw_error_hint(err, "give the time instead: --time");
        return ZW_E_OPTION;
    }
    if (s->is_free && !s->has_action) {
        zw_fail(err, ZW_E_OPTION, "forces without a potential change the energy");
        zw_error_hint(err, "give the time instead: --time");
        return ZW_E_OPTION;
    }
    return ZW_OK;
}

/* sizes of the entries of the state, for the first guesses */
static void choose_scale(zw_paths *s) {
    const zw_system *y = s->sys;
    double T = s->is_free ? 1 : s->options.time;
    memcpy(s->scale, s->e->scale, sizeof(double) * (size_t)s->nx);
    for (int i = 0; i < s->nq; i++)
        s->scale[i] = fmax(s->scale[i], fabs(s->last.state[i] - s->first.state[i]));
    for (int k = 0; k < s->nv && !s->is_free && !s->e->eq.system_v; k++) {
        int coord = y->velocity[k].coord;
        s->scale[s->nq + k] = fmax(s->scale[s->nq + k], (coord >= 0 ? s->scale[coord] : 1) / T);
    }
}

/* units of all entries: multipliers of vakonomic motions are impulses */
static zw_status find_units(zw_paths *s, zw_error *err) {
    const zw_equations *eq = &s->e->eq;
    s->unit = ZW_NEW(&s->arena, const char *, s->nx + 1);
    for (int i = 0; s->unit && i < s->nx; i++) {
        int k = i - s->nq, c = k - s->nv;
        const char *of =
            c >= 0 && s->is_vakonomic ? s->sys->constraint[eq->row_constraint[k]].lambda_unit : "";
        zw_equilibria_entry(s->e, i, &s->unit[i]);
        if (k >= 0 && c < 0 && !eq->system_v)
            s->unit[i] = s->sys->velocity[k].unit;
        else if (of[0])
            s->unit[i] = zw_arena_printf(&s->arena, "%s*s", of);
    }
    return zw_arena_status(&s->arena, err);
}

static zw_status allocate_arrays(zw_paths *s, zw_error *err) {
    int nx = s->nx, nobs = s->e->kernel->nobs + 2;
    s->scale = ZW_NEW(&s->arena, double, nx + 1);
    s->period = ZW_NEW(&s->arena, double, nx + 1);
    s->turns = ZW_NEW(&s->arena, double, nx + 1);
    s->turn = ZW_NEW(&s->arena, double, nx + 1);
    s->offset = ZW_NEW(&s->arena, double, nx + 1);
    s->observed = ZW_NEW(&s->arena, double, nobs + 1);
    s->observed_by = ZW_NEW(&s->arena, double, nobs *nx + 1);
    s->work = ZW_NEW(&s->arena, double, 4 * nx + 1);
    s->first.state = ZW_NEW(&s->arena, double, nx + 1);
    s->last.state = ZW_NEW(&s->arena, double, nx + 1);
    return zw_arena_status(&s->arena, err);
}

/* T + V is conserved if T is quadratic in the velocities: T(2 v) = 4 T(v), T(-v) = T(v) */
static zw_status check_quadratic(zw_paths *s, zw_error *err) {
    double T, twice, back, V, *x = s->work;
    if (!s->is_free)
        return ZW_OK;
    memcpy(x, s->first.state, sizeof(double) * (size_t)s->nx);
    for (int k = 0; k < s->nq; k++) /* away from states where such terms vanish */
        x[k] += s->scale[k] * (0.3 + 0.1 * k);
    for (int k = 0; k < s->nv; k++)
        x[s->nq + k] = s->scale[s->nq + k] * (1 + 0.3 * k);
    ZW_TRY(zw_paths_energies(s, s->options.start, x, &T, &V, err));
    for (int k = 0; k < s->nv; k++)
        x[s->nq + k] *= 2;
    ZW_TRY(zw_paths_energies(s, s->options.start, x, &twice, &V, err));
    for (int k = 0; k < s->nv; k++)
        x[s->nq + k] *= -0.5;
    ZW_TRY(zw_paths_energies(s, s->options.start, x, &back, &V, err));
    if (fabs(twice - 4 * T) <= ZW_ROUNDOFF_SOLVED * fabs(twice) &&
        fabs(back - T) <= ZW_ROUNDOFF_SOLVED * fabs(T))
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION,
            "the kinetic energy has terms that are not quadratic in the velocities: T + V is not "
            "conserved");
    zw_error_hint(err, "give the time instead: --time");
    return ZW_E_OPTION;
}

static zw_status build_paths(zw_paths *s, zw_error *err) {
    zw_equilibria_options o = zw_equilibria_options_default();
    zw_run_options run = zw_run_options_default();
    ZW_TRY(check_options(s, err));
    s->is_free = isnan(s->options.time);
    s->is_vakonomic = strcmp(s->options.by, "vakonomic") == 0;
    ZW_TRY(add_observables(s, err));
    o.by = s->options.by;
    o.active = s->options.active;
    o.t = s->options.start;
    o.functions = ZW_SET(OBS) | ZW_SET(OBS_JAC);
    ZW_TRY(zw_equilibria_create(&s->e, &s->watched, &o, err));
    s->flow = s->e->flow;
    s->nx = s->e->kernel->nx;
    s->nq = s->e->eq.nq;
    ZW_TRY(find_action(s, err));
    ZW_TRY(check_supported(s, err));
    ZW_TRY(allocate_arrays(s, err));
    ZW_TRY(find_units(s, err));
    ZW_TRY(zw_equilibria_periods(s->e, s->period, err));
    run.rtol = run.atol = RUN_TOLERANCE;
    ZW_TRY(zw_run_create(&s->run, s->e->kernel, s->e->p, &run, err));
    memcpy(s->first.state, s->e->start, sizeof(double) * (size_t)s->nx);
    ZW_TRY(zw_paths_read_ends(s, err));
    choose_scale(s);
    return check_quadratic(s, err);
}

zw_status zw_paths_create(zw_paths **out, const zw_system *sys, const zw_paths_options *options,
                          zw_error *err) {
    assert(out && sys);
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    zw_paths *s = zw_allocate(&alloc, sizeof *s);
    *out = NULL;
    if (!s)
        return zw_out_of_memory(err, NULL);
    *s = (zw_paths){.sys = sys, .options = zw_paths_options_default()};
    zw_arena_init(&s->arena, &alloc);
    zw_status status = ZW_OK;
    if (options)
        status = zw_options_adopt(&s->options, sizeof s->options, options, "zw_paths_options", err);
    if (status >= 0)
        status = build_paths(s, err);
    if (status < 0)
        zw_paths_destroy(s);
    else
        *out = s;
    return status;
}

void zw_paths_destroy(zw_paths *s) {
    if (!s)
        return;
    zw_allocator alloc = s->arena.alloc;
    zw_run_destroy(s->run);
    zw_equilibria_destroy(s->e);
    zw_arena_clear(&s->arena);
    zw_release(&alloc, s, sizeof *s);
}

/* --------------------------------------------------------------------------------------- search */

static bool asked_to_stop(zw_paths *s, double done) {
    s->stopped |= s->options.stop && s->options.stop(s->options.stop_user, done);
    return s->stopped;
}

/* the next numbers of turns, from none to the most, in both senses; false after the last */
static bool next_turns(zw_paths *s) {
    int most = s->options.turns;
    for (int i = 0; i < s->nq; i++) {
        if (!(s->period[i] > 0))
            continue;
        s->turns[i] = s->turns[i] > 0 ? -s->turns[i] : 1 - s->turns[i];
        s->turn[i] = s->turns[i] * s->period[i];
        if (s->turns[i] <= most)
            return true;
        s->turns[i] = s->turn[i] = 0;
    }
    return false;
}

static int count_turns(const zw_paths *s) {
    double n = 1;
    for (int i = 0; i < s->nq; i++)
        n *= s->period[i] > 0 ? 2 * s->options.turns + 1 : 1;
    return n < TURNS_MAX ? (int)n : TURNS_MAX;
}

static void sort_paths(zw_paths *s) {
    for (int i = 1; i < s->nfound; i++)
        for (int k = i; k > 0 && s->found[k].action < s->found[k - 1].action; k--) {
            zw_path_found swap = s->found[k];
            s->found[k] = s->found[k - 1];
            s->found[k - 1] = swap;
        }
}

zw_status zw_paths_find(zw_paths *s, zw_error *err) {
    int all = count_turns(s) * s->options.starts;
    do
        for (int k = 0; k < s->options.starts; k++) {
            if (asked_to_stop(s, (double)s->tried / all))
                break;
            ZW_TRY(zw_paths_solve(s, k, err));
            s->tried++;
        }
    while (!s->stopped && next_turns(s));
    sort_paths(s);
    if (s->nfound)
        return s->stopped ? ZW_STOPPED : ZW_OK;
    if (s->stopped)
        return zw_fail(err, ZW_E_NUMERIC, "stopped before a motion was found");
    zw_fail(err, ZW_E_NUMERIC,
            "none of %d initial guesses led to a motion between the ends; the last one: %.160s",
            s->tried, s->trouble);
    zw_error_hint(err, "more guesses (--starts), more intervals for motions that turn often "
                       "(--intervals), another time, or a place nearer by");
    return ZW_E_NUMERIC;
}

int zw_paths_count(const zw_paths *s) {
    return s->nfound;
}

const zw_path_found *zw_paths_at(const zw_paths *s, int i) {
    assert(i >= 0 && i < zw_paths_count(s));
    return &s->found[i];
}

int zw_paths_dimension(const zw_paths *s, int *first, int *last) {
    *first = s->first.n;
    *last = s->last.n;
    return s->dimension;
}

int zw_paths_entries(const zw_paths *s) {
    return s->nx;
}

const char *zw_paths_entry(const zw_paths *s, int i, const char **unit) {
    assert(i >= 0 && i < zw_paths_entries(s));
    const char *name = zw_equilibria_entry(s->e, i, unit);
    *unit = s->unit[i];
    return name;
}
