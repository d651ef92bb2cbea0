/* SPDX-License-Identifier: MIT */
/* The points of a curve of continuation.h one after another: its start, steps as long as
 * predictions are good, what lies between, and its end at a bound, at its own start or where no
 * step goes on. */
#include "continuation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "branch/curve.h"

#define GROWTH 2.0
#define SHORTER 0.5   /* of a step that is refused, */
#define BESIDE 0.7    /* since it ends on a zero: halves might do so again and again */
#define ROUNDED 1e-14 /* of a test function before */
#define CLOSE 0.5     /* of a step: the start is passed */

void zw_cont_options_init(zw_cont_options *options, size_t size) {
    const zw_cont_options all = {.size = size,
                                 .low = -INFINITY,
                                 .high = INFINITY,
                                 .step = 0.01,
                                 .step_min = 1e-9,
                                 .step_max = 1,
                                 .tolerance = 1e-10,
                                 .stray = 1e-3,
                                 .points_max = 10000,
                                 .order = 2,
                                 .locate = true,
                                 .split = 1e-6};
    zw_options_begin(options, size, &all, sizeof all);
}

/* --------------------------------------------------------------------------------------- memory */

static void make_place(zw_arena *arena, const zw_cont_problem *p, zw_cont_place *out) {
    out->x = ZW_NEW(arena, double, p->n + 1);
    out->tangent = ZW_NEW(arena, double, p->n + 1);
    out->test = ZW_NEW(arena, double, p->ntest + 1);
}

static zw_status make_walk(zw_cont_walk *w, zw_arena *arena, zw_error *err) {
    int n = w->p->n;
    make_place(arena, w->p, &w->start);
    make_place(arena, w->p, &w->here);
    make_place(arena, w->p, &w->next);
    make_place(arena, w->p, &w->trial);
    make_place(arena, w->p, &w->landed);
    make_place(arena, w->p, &w->sharp);
    for (int i = 0; i < ZW_CONT_NODES; i++)
        make_place(arena, w->p, &w->node[i]);
    w->told = ZW_NEW(arena, double, w->p->ntest + 1);
    w->from_test = ZW_NEW(arena, double, w->p->ntest + 1);
    for (int i = 0; w->told && i <= w->p->ntest; i++)
        w->told[i] = NAN;
    for (int i = 0; i < ZW_CONT_ORDER_MAX; i++)
        w->past[i] = ZW_NEW(arena, double, n + 1);
    w->row = ZW_NEW(arena, double, n + 1);
    w->b = ZW_NEW(arena, double, n + 1);
    w->r = ZW_NEW(arena, double, n + 1);
    w->predicted = ZW_NEW(arena, double, n + 1);
    return zw_arena_status(arena, err);
}

void zw_cont_copy_place(const zw_cont_walk *w, zw_cont_place *to, const zw_cont_place *from) {
    size_t n = (size_t)w->p->n;
    memcpy(to->x, from->x, sizeof(double) * n);
    memcpy(to->tangent, from->tangent, sizeof(double) * (n + 1));
    memcpy(to->test, from->test, sizeof(double) * (size_t)w->p->ntest);
    to->a = from->a;
    to->s = from->s;
    to->correction = from->correction;
    to->iterations = from->iterations;
}

static void swap_places(zw_cont_place *a, zw_cont_place *b) {
    zw_cont_place keep = *a;
    *a = *b;
    *b = keep;
}

zw_cont_point zw_cont_point_of(const zw_cont_walk *w, const zw_cont_place *at, int what,
                               double width) {
    return (zw_cont_point){.a = at->a,
                           .s = at->s,
                           .x = at->x,
                           .tangent = at->tangent,
                           .test = at->test,
                           .what = what,
                           .width = width,
                           .correction = at->correction,
                           .iterations = at->iterations,
                           .slope = at->tangent[w->p->n] / w->p->unit};
}

zw_status zw_cont_hand_over(zw_cont_walk *w, const zw_cont_place *at, int what, double width,
                            zw_error *err) {
    zw_cont_point point = zw_cont_point_of(w, at, what, width);
    if (what >= 0 || what == ZW_CONT_FOLD)
        w->info->located++;
    else
        w->info->points++;
    return w->take(w->user, &point, err);
}

/* ----------------------------------------------------------------------------------------- ends */

/* `next` lies beyond a bound: onto it, at fixed a, from the chord. Where curves cross on it, or it
 * is touched, there is no way at fixed a: along the curve. */
static zw_status land_on_bound(zw_cont_walk *w, double step, zw_error *err) {
    const zw_cont_problem *p = w->p;
    double found = -1, part = (w->bound - w->here.a) / (w->next.a - w->here.a);
    zw_error trouble = {0};
    zw_cont_copy_place(w, &w->trial, &w->next);
    for (int k = 0; k < p->n; k++)
        w->trial.x[k] = w->here.x[k] + part * (w->next.x[k] - w->here.x[k]);
    w->trial.a = w->bound;
    w->trial.s = w->here.s + part * (w->next.s - w->here.s);
    zw_cont_set_fixed(w);
    zw_status status = zw_cont_newton(w, &w->trial, ZW_CONT_NEWTON_START, true, &trouble);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    if (status != ZW_OK) {
        ZW_TRY(zw_cont_find_bound(w, step, &found, err));
        if (found < 0)
            return ZW_RETRY;
        zw_cont_copy_place(w, &w->trial, &w->sharp);
        w->trial.s = w->here.s + found;
    }
    w->trial.a = w->bound;
    zw_cont_copy_place(w, &w->landed, &w->trial);
    ZW_TRY(zw_cont_ask_tests(w, &w->landed, err));
    ZW_TRY(zw_cont_find_edge(w, step, err));
    swap_places(&w->next, &w->landed);
    return zw_cont_ask_tests(w, &w->next, err);
}

/* is the start between here and next, on the same curve in the same direction? */
static bool passes_start(const zw_cont_walk *w, double step) {
    const zw_cont_problem *p = w->p;
    if (w->info->points < 4 ||
        fabs(w->start.a - w->here.a) > (1 + CLOSE) * step * p->unit) /* too far off in any case */
        return false;
    double before, behind, off = 0;
    for (int k = 0; k <= p->n; k++)
        w->b[k] = (k < p->n ? w->start.x[k] : w->start.a) - (k < p->n ? w->here.x[k] : w->here.a);
    before = zw_cont_inner(p, w->b, w->here.tangent);
    off = zw_cont_length(p, w->b);
    for (int k = 0; k <= p->n; k++)
        w->b[k] = (k < p->n ? w->start.x[k] : w->start.a) - (k < p->n ? w->next.x[k] : w->next.a);
    behind = zw_cont_inner(p, w->b, w->next.tangent);
    return before > 0 && behind <= 0 && off <= (1 + CLOSE) * step &&
           off * off - before * before <= 0.01 * step * step &&
           zw_cont_inner(p, w->start.tangent, w->next.tangent) > ZW_CONT_TURN;
}

static double next_step(const zw_cont_walk *w, double h) {
    int order = w->used > 2 ? w->used : 2; /* a first step is short anyway */
    double factor = w->first > 0 ? pow(w->o.stray / w->first, 1. / (order + 1)) : GROWTH;
    h *= fmin(fmax(factor, 0.3), GROWTH);
    return fmin(fmax(h, w->o.step_min), w->o.step_max);
}

/* The same step has another length from here on, and tangents are as many times longer as it. */
static void rescale_step(zw_cont_walk *w, double *h) {
    const zw_cont_problem *p = w->p;
    double by = zw_cont_length(p, w->here.tangent), start = zw_cont_length(p, w->start.tangent);
    for (int k = 0; k <= p->n; k++) {
        w->here.tangent[k] /= by;
        w->start.tangent[k] /= start;
        for (int i = 0; i < w->npast; i++)
            w->past[i][k] /= by;
    }
    for (int i = 0; i < w->npast; i++)
        w->past_step[i] *= by;
    w->refused = NAN;
    *h = fmin(fmax(*h * by, w->o.step_min), w->o.step_max);
}

static void measure_anew(zw_cont_walk *w, double *h) {
    const zw_cont_problem *p = w->p;
    if (p->measure && p->measure(zw_cont_asks(p), w->here.x, w->here.a))
        rescale_step(w, h);
}

/* The unknowns may get another meaning here. */
static zw_status adapt_unknowns(zw_cont_walk *w, double *h, zw_error *err) {
    const zw_cont_problem *p = w->p;
    double *list[ZW_CONT_ORDER_MAX + 3];
    int n = 0;
    bool moved = false;
    if (!p->adapt)
        return ZW_OK;
    list[n++] = w->here.x;
    list[n++] = w->here.tangent;
    for (int i = 0; i < w->npast; i++)
        list[n++] = w->past[i];
    list[n++] = w->start.x;
    list[n++] = w->start.tangent;
    w->here.x[p->n] = w->here.a;
    w->start.x[p->n] = w->start.a;
    ZW_TRY(p->adapt(p->self, w->here.a, n, list, &moved, err));
    if (moved)
        rescale_step(w, h);
    return ZW_OK;
}

/* `here` becomes the point before */
static void shift_points(zw_cont_walk *w, double step) {
    double *oldest = w->past[ZW_CONT_ORDER_MAX - 1];
    for (int i = ZW_CONT_ORDER_MAX - 1; i > 0; i--) {
        w->past[i] = w->past[i - 1];
        w->past_step[i] = w->past_step[i - 1];
    }
    w->past[0] = oldest;
    w->past_step[0] = step;
    memcpy(oldest, w->here.tangent, sizeof(double) * (size_t)(w->p->n + 1));
    w->npast += w->npast < ZW_CONT_ORDER_MAX - 1;
}

/* one step: the length it took, the one to try next */
static zw_status advance_step(zw_cont_walk *w, double *h, double *taken, zw_error *err) {
    zw_error said = {0};
    for (; *h >= w->o.step_min; *h *= 0.5) {
        said = (zw_error){0};
        zw_status status = zw_cont_step_to(w, *h, &w->next, false, &said);
        if (status == ZW_OK) {
            *taken = *h;
            *h = next_step(w, *h);
            zw_cont_choose_order(w, *taken);
            return ZW_OK;
        }
        if (status < 0 && status != ZW_E_NONFINITE && status != ZW_E_SINGULAR &&
            status != ZW_E_NUMERIC) {
            if (err && !err->status)
                *err = said;
            return status;
        }
        w->info->rejected++;
        w->order = 2;
    }
    snprintf(w->info->why, sizeof w->info->why, "%.250s", said.text);
    return ZW_RETRY;
}

static zw_status begin_walk(zw_cont_walk *w, double *x, double a, int direction, zw_error *err) {
    const zw_cont_problem *p = w->p;
    zw_cont_place *at = &w->here;
    memcpy(at->x, x, sizeof(double) * (size_t)p->n);
    at->a = a;
    zw_status status;
    if (w->o.toward) { /* at a fold there may be none at this a */
        zw_cont_set_plane(w, w->o.toward);
        status = zw_cont_newton(w, at, ZW_CONT_NEWTON_START, true, err);
    } else {
        status = zw_cont_find_at(w, at, err);
        at->a = a;
    }
    if (status == ZW_RETRY)
        return zw_fail(err, ZW_E_NUMERIC, "no solution was found near the start");
    ZW_TRY(status);
    status = zw_cont_find_tangent(w, at, true, err);
    if (status != ZW_OK)
        return zw_fail(err, ZW_E_NUMERIC, "the curve has no direction at its start");
    double along =
        w->o.toward ? zw_cont_inner(p, at->tangent, w->o.toward) : at->tangent[p->n] * direction;
    if (along < 0)
        for (int k = 0; k <= p->n; k++)
            at->tangent[k] = -at->tangent[k];
    /* of the plane across itself: the row in the metric */
    zw_cont_set_plane(w, at->tangent);
    ZW_TRY(zw_cont_ask_tests(w, at, err));
    zw_cont_copy_place(w, &w->start, at);
    return zw_cont_hand_over(w, at, ZW_CONT_NOTHING, 0, err);
}

/* A point that lies on a zero says nothing of what is beside it. */
static bool meets_zero(const zw_cont_walk *w) {
    for (int i = 0; i < w->p->ntest; i++)
        if (w->next.test[i] == 0 && w->here.test[i] != 0)
            return true;
    return false;
}

/* May the step to `next` be taken, by who looks at it and by what lies between? */
static zw_status judge_step(zw_cont_walk *w, double step, bool force, bool *yes, zw_error *err) {
    const zw_cont_problem *p = w->p;
    zw_cont_info before = *w->info;
    w->nzero = 0;
    w->inside = NAN;
    *yes = true;
    if (!w->o.locate || w->o.natural)
        return ZW_OK;
    if (p->accept && !force && meets_zero(w)) {
        *yes = false;
        return ZW_OK;
    }
    if (p->accept && !force) {
        zw_cont_point from = zw_cont_point_of(w, &w->here, ZW_CONT_NOTHING, 0),
                      to = zw_cont_point_of(w, &w->next, ZW_CONT_NOTHING, 0);
        for (int i = 0; i < p->ntest; i++)
            w->from_test[i] = zw_cont_before(w, i);
        from.test = w->from_test;
        from.slope = zw_cont_before(w, ZW_CONT_FOLD);
        ZW_TRY(p->accept(zw_cont_asks(p), &from, &to, yes, err));
    }
    if (*yes && !force && p->returns)
        ZW_TRY(zw_cont_find_return(w, step, yes, err));
    zw_status status = *yes ? zw_cont_find_zeros(w, step, force, yes, err) : ZW_OK;
    if (!*yes) { /* what was found of it comes again */
        w->info->lost = before.lost;
        w->info->rough = before.rough;
    }
    return status;
}

/* A step may meet a zero exactly: what rounding leaves of it has no sign. */
static void clean_tests(zw_cont_walk *w) {
    for (int i = 0; i < w->p->ntest; i++)
        if (fabs(w->next.test[i]) <= ROUNDED * fabs(w->here.test[i]))
            w->next.test[i] = 0;
}

static void tell_unsplit(zw_cont_walk *w) {
    if (w->info->unsplit++ > 0)
        return;
    w->info->unsplit_at = 0.5 * (w->here.a + w->next.a);
    w->info->unsplit_by = fabs(w->next.a - w->here.a);
}

/* One accepted step to `next`, with the zeros between. *out: it ends on a bound. ZW_RETRY: there is
 * none. */
static zw_status find_next(zw_cont_walk *w, double *h, double *taken, bool *out, zw_error *err) {
    bool force = false, yes = false, refused = false;
    do {
        zw_status status = advance_step(w, h, taken, err);
        if (status == ZW_RETRY && w->refused > w->here.s && !force) {
            *h = w->refused - w->here.s; /* shorter ones do not exist: this one did */
            force = true;
            continue;
        }
        if (status != ZW_OK)
            return status;
        *out = w->next.a > w->o.high || w->next.a < w->o.low;
        w->bound = w->next.a > w->o.high ? w->o.high : w->o.low;
        w->nedge = 0;
        status = *out ? land_on_bound(w, *taken, err) : zw_cont_ask_tests(w, &w->next, err);
        ZW_TRY(status);
        if (status != ZW_OK) { /* a fold is near the bound: shorter */
            *h = 0.25 * *taken;
            if (*h >= w->o.step_min)
                continue;
            snprintf(w->info->why, sizeof w->info->why, /* on it there may be none, or a family */
                     "the bound of the range cannot be reached");
            return ZW_RETRY;
        }
        double step = *out ? w->next.s - w->here.s : *taken;
        clean_tests(w);
        ZW_TRY(judge_step(w, step, force, &yes, err));
        if (yes)
            continue;
        w->info->rejected++;
        w->refused = w->here.s + *taken;
        refused = force = SHORTER * step < w->o.split;
        *h = force ? *taken : w->inside > 0 ? w->inside : (meets_zero(w) ? BESIDE : SHORTER) * step;
    } while (!yes);
    if (refused || force)
        tell_unsplit(w);
    if (w->here.s + *taken >= w->refused)
        w->refused = NAN;
    return ZW_OK;
}

static zw_status follow_curve(zw_cont_walk *w, zw_error *err) {
    double h = w->o.step, taken = 0;
    while (w->info->points < w->o.points_max) {
        bool out = false;
        zw_status status = find_next(w, &h, &taken, &out, err);
        w->info->step = taken;
        if (status == ZW_RETRY) {
            w->info->end = ZW_CONT_STUCK;
            return ZW_OK;
        }
        ZW_TRY(status);
        if (w->o.locate && !w->o.natural) {
            status = zw_cont_report_here(w, err);
            if (status == ZW_OK)
                status = zw_cont_report_zeros(w, out ? w->next.s - w->here.s : taken, err);
            if (status == ZW_STOPPED)
                break;
            ZW_TRY(status);
        }
        bool closed = !out && passes_start(w, taken);
        shift_points(w, taken);
        swap_places(&w->here, closed ? &w->start : &w->next);
        if (closed)
            w->here.s = w->next.s;
        status = zw_cont_hand_over(w, &w->here, out ? ZW_CONT_BOUND : ZW_CONT_NOTHING, 0, err);
        ZW_TRY(status);
        if (closed || out || status == ZW_STOPPED) {
            w->info->end = closed ? ZW_CONT_CLOSED : out ? ZW_CONT_AT_BOUND : ZW_CONT_ASKED;
            return ZW_OK;
        }
        measure_anew(w, &h);
        ZW_TRY(adapt_unknowns(w, &h, err));
    }
    w->info->end = w->info->points < w->o.points_max ? ZW_CONT_ASKED : ZW_CONT_POINTS;
    return ZW_OK;
}

zw_status zw_continue(const zw_cont_problem *problem, const zw_cont_options *options, double *x,
                      double a, int direction, zw_cont_take take, void *user, zw_cont_info *info,
                      const zw_allocator *alloc, zw_error *err) {
    zw_arena arena;
    zw_cont_info own = {0};
    zw_cont_walk w = {.p = problem,
                      .o = zw_cont_options_default(),
                      .take = take,
                      .user = user,
                      .info = info ? info : &own};
    *w.info = (zw_cont_info){0};
    if (options)
        ZW_TRY(zw_options_adopt(&w.o, sizeof w.o, options, "zw_cont_options", err));
    if (w.o.order < 2 || w.o.order > ZW_CONT_ORDER_MAX)
        return zw_fail(err, ZW_E_OPTION, "predictions have an order of 2 to %d", ZW_CONT_ORDER_MAX);
    w.order = w.o.order;
    zw_arena_init(&arena, alloc);
    zw_status status = make_walk(&w, &arena, err);
    if (status >= 0)
        status = begin_walk(&w, x, a, direction, err);
    if (status == ZW_STOPPED)
        w.info->end = ZW_CONT_ASKED;
    else if (status >= 0)
        status = follow_curve(&w, err);
    if (w.here.x)
        memcpy(x, w.here.x, sizeof(double) * (size_t)problem->n);
    zw_arena_clear(&arena);
    return status < 0 ? status : ZW_OK;
}

zw_status zw_cont_correct(const zw_cont_problem *problem, double tolerance, double *x, double a,
                          int *iterations, const zw_allocator *alloc, zw_error *err) {
    zw_arena arena;
    zw_cont_info info = {0};
    zw_cont_walk w = {.p = problem, .o = zw_cont_options_default(), .info = &info};
    w.o.tolerance = tolerance;
    zw_arena_init(&arena, alloc);
    zw_status status = make_walk(&w, &arena, err);
    if (status >= 0) {
        memcpy(w.here.x, x, sizeof(double) * (size_t)problem->n);
        w.here.a = a;
        status = zw_cont_find_at(&w, &w.here, err);
        memcpy(x, w.here.x, sizeof(double) * (size_t)problem->n);
        if (iterations)
            *iterations = w.here.iterations;
        if (status == ZW_RETRY)
            status = zw_fail(err, ZW_E_NUMERIC, "no solution was found near the start");
    }
    zw_arena_clear(&arena);
    return status < 0 ? status : ZW_OK;
}
