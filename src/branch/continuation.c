/* SPDX-License-Identifier: MIT */
/* Continuation of a curve of continuation.h, point after point: the start, the step length, the
 * zeros between two points, and the end at a bound, at the start or where no step succeeds. */
#include "continuation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"

/* The step grows at most by this: the error of the prediction is known at the shorter step only,
 * and has order 3 or more. */
#define STEP_GROWTH 2.0
/* The step shrinks at most to this after a step that succeeded: its error was acceptable, so that
 * less would waste steps. */
#define STEP_SHRINK_MAX 0.3
#define STEP_HALVED 0.5 /* a rejected step is taken again with this length */
/* A step rejected because it ends on a zero: not one half, which would meet the zero of a symmetric
 * curve again and again. */
#define STEP_OFF_ZERO 0.7
#define STEP_OFF_BOUND 0.25 /* a step whose bound could not be reached: a fold is near */
/* Relative to the test function at the point before: 45 eps, what rounding leaves of an exact zero.
 * A larger value would call a zero met that lies visibly after the point. */
#define TEST_ROUNDOFF 1e-14
/* The curve closes where it passes its start. The start lies within 1 + START_PASSED steps, and its
 * squared distance from the tangent is at most START_OFF_LINE steps squared: a tenth of a step, as
 * the curve turns by at most 30 degrees in one. Another branch nearby would be taken for the start
 * if these were larger. */
#define START_PASSED 0.5
#define START_OFF_LINE 0.01
#define POINTS_BEFORE_START 4 /* fewer cannot surround anything with turns of 30 degrees */

/* Defaults of zw_cont_options, in the arclength s, in which typical changes are 1. */
#define DEFAULT_STEP_MIN 1e-9   /* ten times the tolerance: shorter steps are noise */
#define DEFAULT_TOLERANCE 1e-10 /* 100 ZW_ROUNDOFF_SUM: reached with condition numbers up to 100 */
#define DEFAULT_STRAY 1e-3      /* its square, the error after one correction, is 1e-6 */
#define DEFAULT_SPLIT 1e-6      /* zeros closer than this are one: ZW_SAME_SOLUTION */

void zw_cont_options_init(zw_cont_options *options, size_t size) {
    const zw_cont_options all = {.size = size,
                                 .low = -INFINITY,
                                 .high = INFINITY,
                                 .step = 0.01,
                                 .step_min = DEFAULT_STEP_MIN,
                                 .step_max = 1,
                                 .tolerance = DEFAULT_TOLERANCE,
                                 .stray = DEFAULT_STRAY,
                                 .points_max = 10000,
                                 .order = 2,
                                 .locate = true,
                                 .split = DEFAULT_SPLIT};
    zw_options_begin(options, size, &all, sizeof all);
}

/* --------------------------------------------------------------------------------------- memory */

static void make_place(zw_arena *arena, const zw_cont_problem *p, zw_cont_place *out) {
    out->x = ZW_NEW(arena, double, p->n + 1);
    out->tangent = ZW_NEW(arena, double, p->n + 1);
    out->test = ZW_NEW(arena, double, p->ntest + 1);
}

static zw_status make_state(zw_cont_state *w, zw_arena *arena, zw_error *err) {
    int n = w->p->n;
    make_place(arena, w->p, &w->start);
    make_place(arena, w->p, &w->here);
    make_place(arena, w->p, &w->next);
    make_place(arena, w->p, &w->trial);
    make_place(arena, w->p, &w->on_bound);
    make_place(arena, w->p, &w->refined);
    for (int i = 0; i < ZW_CONT_NODES; i++)
        make_place(arena, w->p, &w->node[i]);
    w->last_test = ZW_NEW(arena, double, w->p->ntest + 1);
    w->from_test = ZW_NEW(arena, double, w->p->ntest + 1);
    for (int i = 0; w->last_test && i <= w->p->ntest; i++)
        w->last_test[i] = NAN;
    for (int i = 0; i < ZW_CONT_ORDER_MAX; i++)
        w->past[i] = ZW_NEW(arena, double, n + 1);
    w->row = ZW_NEW(arena, double, n + 1);
    w->b = ZW_NEW(arena, double, n + 1);
    w->r = ZW_NEW(arena, double, n + 1);
    w->predicted = ZW_NEW(arena, double, n + 1);
    return zw_arena_status(arena, err);
}

void zw_cont_copy_place(const zw_cont_state *w, zw_cont_place *to, const zw_cont_place *from) {
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

zw_cont_point zw_cont_point_of(const zw_cont_state *w, const zw_cont_place *at, int what,
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

zw_status zw_cont_report(zw_cont_state *w, const zw_cont_place *at, int what, double width,
                         zw_error *err) {
    zw_cont_point point = zw_cont_point_of(w, at, what, width);
    if (what >= 0 || what == ZW_CONT_FOLD)
        w->info->located++;
    else
        w->info->points++;
    return w->take(w->user, &point, err);
}

/* ----------------------------------------------------------------------------------------- ends */

/* `next` lies beyond a bound: find the solution on the bound at fixed a, from the chord. Where
 * curves cross on the bound or touch it, there is no solution at fixed a nearby: find it along the
 * curve. */
static zw_status land_on_bound(zw_cont_state *w, double step, zw_error *err) {
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
        zw_cont_copy_place(w, &w->trial, &w->refined);
        w->trial.s = w->here.s + found;
    }
    w->trial.a = w->bound;
    zw_cont_copy_place(w, &w->on_bound, &w->trial);
    ZW_TRY(zw_cont_evaluate_tests(w, &w->on_bound, err));
    ZW_TRY(zw_cont_find_edge(w, step, err));
    swap_places(&w->next, &w->on_bound);
    return zw_cont_evaluate_tests(w, &w->next, err);
}

/* Does the start lie between `here` and `next`, on the same curve in the same direction? */
static bool passes_start(const zw_cont_state *w, double step) {
    const zw_cont_problem *p = w->p;
    if (w->info->points < POINTS_BEFORE_START ||
        /* too far away in any case */
        fabs(w->start.a - w->here.a) > (1 + START_PASSED) * step * p->unit)
        return false;
    double before, after, off = 0;
    for (int k = 0; k <= p->n; k++)
        w->b[k] = (k < p->n ? w->start.x[k] : w->start.a) - (k < p->n ? w->here.x[k] : w->here.a);
    before = zw_cont_inner(p, w->b, w->here.tangent);
    off = zw_cont_length(p, w->b);
    for (int k = 0; k <= p->n; k++)
        w->b[k] = (k < p->n ? w->start.x[k] : w->start.a) - (k < p->n ? w->next.x[k] : w->next.a);
    after = zw_cont_inner(p, w->b, w->next.tangent);
    return before > 0 && after <= 0 && off <= (1 + START_PASSED) * step &&
           off * off - before * before <= START_OFF_LINE * step * step &&
           zw_cont_inner(p, w->start.tangent, w->next.tangent) > ZW_CONT_TURN;
}

static double next_step(const zw_cont_state *w, double h) {
    int order = w->used > 2 ? w->used : 2; /* the first step is short anyway */
    double factor = w->first > 0 ? pow(w->o.stray / w->first, 1. / (order + 1)) : STEP_GROWTH;
    h *= fmin(fmax(factor, STEP_SHRINK_MAX), STEP_GROWTH);
    return fmin(fmax(h, w->o.step_min), w->o.step_max);
}

/* The metric has changed at `here`: unit tangents and the step are rescaled by the new length. */
static void rescale_step(zw_cont_state *w, double *h) {
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
    w->rejected_s = NAN;
    *h = fmin(fmax(*h * by, w->o.step_min), w->o.step_max);
}

static void update_metric(zw_cont_state *w, double *h) {
    const zw_cont_problem *p = w->p;
    if (p->measure && p->measure(zw_cont_tests_self(p), w->here.x, w->here.a))
        rescale_step(w, h);
}

/* Let the problem redefine its unknowns here (a new mesh, say). */
static zw_status adapt_unknowns(zw_cont_state *w, double *h, zw_error *err) {
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

/* Record `here` as the previous point. */
static void shift_points(zw_cont_state *w, double step) {
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

/* One step: *taken is its length, *h the length to try next. */
static zw_status advance_step(zw_cont_state *w, double *h, double *taken, zw_error *err) {
    zw_error trouble = {0};
    for (; *h >= w->o.step_min; *h *= 0.5) {
        trouble = (zw_error){0};
        zw_status status = zw_cont_step_to(w, *h, &w->next, false, &trouble);
        if (status == ZW_OK) {
            *taken = *h;
            *h = next_step(w, *h);
            zw_cont_choose_order(w, *taken);
            return ZW_OK;
        }
        if (status < 0 && status != ZW_E_NONFINITE && status != ZW_E_SINGULAR &&
            status != ZW_E_NUMERIC) {
            if (err && !err->status)
                *err = trouble;
            return status;
        }
        w->info->rejected++;
        w->order = 2;
    }
    snprintf(w->info->why, sizeof w->info->why, "%.250s", trouble.text);
    return ZW_RETRY;
}

static zw_status start_curve(zw_cont_state *w, double *x, double a, int direction, zw_error *err) {
    const zw_cont_problem *p = w->p;
    zw_cont_place *at = &w->here;
    memcpy(at->x, x, sizeof(double) * (size_t)p->n);
    at->a = a;
    zw_status status;
    if (w->o.toward) { /* at a fold there may be no solution at this a */
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
    /* The plane through the start, perpendicular to its tangent in the metric. */
    zw_cont_set_plane(w, at->tangent);
    ZW_TRY(zw_cont_evaluate_tests(w, at, err));
    zw_cont_copy_place(w, &w->start, at);
    return zw_cont_report(w, at, ZW_CONT_NOTHING, 0, err);
}

/* Does `next` lie exactly on a zero? Then the signs there decide nothing about the interval. */
static bool ends_on_zero(const zw_cont_state *w) {
    for (int i = 0; i < w->p->ntest; i++)
        if (w->next.test[i] == 0 && w->here.test[i] != 0)
            return true;
    return false;
}

/* May the step to `next` be accepted, by the problem and by the zeros between? */
static zw_status check_step(zw_cont_state *w, double step, bool force, bool *yes, zw_error *err) {
    const zw_cont_problem *p = w->p;
    zw_cont_info before = *w->info;
    w->nzero = 0;
    w->sign_inside = NAN;
    *yes = true;
    if (!w->o.locate || w->o.natural)
        return ZW_OK;
    if (p->accept && !force && ends_on_zero(w)) {
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
        ZW_TRY(p->accept(zw_cont_tests_self(p), &from, &to, yes, err));
    }
    if (*yes && !force && p->returns)
        ZW_TRY(zw_cont_find_return(w, step, yes, err));
    zw_status status = *yes ? zw_cont_find_zeros(w, step, force, yes, err) : ZW_OK;
    if (!*yes) { /* the shorter step counts these again */
        w->info->lost = before.lost;
        w->info->rough = before.rough;
    }
    return status;
}

/* A step may end exactly on a zero: the sign of the rounding error is then no sign. */
static void clean_tests(zw_cont_state *w) {
    for (int i = 0; i < w->p->ntest; i++)
        if (fabs(w->next.test[i]) <= TEST_ROUNDOFF * fabs(w->here.test[i]))
            w->next.test[i] = 0;
}

static void note_unsplit(zw_cont_state *w) {
    if (w->info->unsplit++ > 0)
        return;
    w->info->unsplit_at = 0.5 * (w->here.a + w->next.a);
    w->info->unsplit_by = fabs(w->next.a - w->here.a);
}

/* One accepted step to `next`, with the zeros between. *out: it ends on a bound. ZW_RETRY: there is
 * no next point. */
static zw_status find_next(zw_cont_state *w, double *h, double *taken, bool *out, zw_error *err) {
    bool force = false, yes = false, rejected = false;
    do {
        zw_status status = advance_step(w, h, taken, err);
        if (status == ZW_RETRY && w->rejected_s > w->here.s && !force) {
            *h = w->rejected_s - w->here.s; /* no shorter step succeeds, but this one did */
            force = true;
            continue;
        }
        if (status != ZW_OK)
            return status;
        *out = w->next.a > w->o.high || w->next.a < w->o.low;
        w->bound = w->next.a > w->o.high ? w->o.high : w->o.low;
        w->nedge = 0;
        status = *out ? land_on_bound(w, *taken, err) : zw_cont_evaluate_tests(w, &w->next, err);
        ZW_TRY(status);
        if (status != ZW_OK) { /* a fold is near the bound: a shorter step */
            *h = STEP_OFF_BOUND * *taken;
            if (*h >= w->o.step_min)
                continue;
            /* on the bound there may be no solution, or a family of them */
            snprintf(w->info->why, sizeof w->info->why, "the bound of the range cannot be reached");
            return ZW_RETRY;
        }
        double step = *out ? w->next.s - w->here.s : *taken;
        clean_tests(w);
        ZW_TRY(check_step(w, step, force, &yes, err));
        if (yes)
            continue;
        w->info->rejected++;
        w->rejected_s = w->here.s + *taken;
        rejected = force = STEP_HALVED * step < w->o.split;
        *h = force                ? *taken
             : w->sign_inside > 0 ? w->sign_inside
                                  : (ends_on_zero(w) ? STEP_OFF_ZERO : STEP_HALVED) * step;
    } while (!yes);
    if (rejected || force)
        note_unsplit(w);
    if (w->here.s + *taken >= w->rejected_s)
        w->rejected_s = NAN;
    return ZW_OK;
}

static zw_status follow_curve(zw_cont_state *w, zw_error *err) {
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
        status = zw_cont_report(w, &w->here, out ? ZW_CONT_BOUND : ZW_CONT_NOTHING, 0, err);
        ZW_TRY(status);
        if (closed || out || status == ZW_STOPPED) {
            w->info->end = closed ? ZW_CONT_CLOSED : out ? ZW_CONT_AT_BOUND : ZW_CONT_ASKED;
            return ZW_OK;
        }
        update_metric(w, &h);
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
    zw_cont_state w = {.p = problem,
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
    zw_status status = make_state(&w, &arena, err);
    if (status >= 0)
        status = start_curve(&w, x, a, direction, err);
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
    zw_cont_state w = {.p = problem, .o = zw_cont_options_default(), .info = &info};
    w.o.tolerance = tolerance;
    zw_arena_init(&arena, alloc);
    zw_status status = make_state(&w, &arena, err);
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
