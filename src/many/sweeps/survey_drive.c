/* SPDX-License-Identifier: MIT */
/* The period of the excitation at a point. If one of the varied parameters is its angular
 * frequency, or if it depends on none of them, no expression is evaluated; otherwise the evaluation
 * is done by one thread at a time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "motion/event_orbits/event_orbits.h"
#include "survey.h"

/* Does e depend on parameter k, directly or by way of parameters that are defined by it? */
static bool is_dependent(const zw_system *s, zw_expr e, int k, int depth) {
    if (zw_depends(s->ctx, e, s->param[k].sym))
        return true;
    for (int i = 0; i < s->np && depth < 16; i++)
        if (i != k && zw_depends(s->ctx, e, s->param[i].sym) &&
            is_dependent(s, s->param[i].value, k, depth + 1))
            return true;
    return false;
}

static bool is_varied(const zw_survey *s, zw_expr e) {
    for (int i = 0; i < s->naxis; i++) {
        const zw_axis *a = zw_plan_axis(s->plan, i);
        if (!a->start && is_dependent(s->sys, e, a->index, 0))
            return true;
    }
    return false;
}

static int axis_of(const zw_survey *s, zw_expr e) {
    for (int i = 0; i < s->naxis; i++) {
        const zw_axis *a = zw_plan_axis(s->plan, i);
        if (!a->start && s->sys->param[a->index].sym == e)
            return i;
    }
    return -1;
}

static double evaluate_period(zw_survey *s, const double *axis, zw_error *err) {
    double base = NAN;
    memset(s->given, 0, sizeof(bool) * (size_t)s->sys->np);
    for (int i = 0; i < s->naxis; i++) {
        const zw_axis *a = zw_plan_axis(s->plan, i);
        if (a->start)
            continue;
        s->given[a->index] = true;
        s->p[a->index] = axis[i];
    }
    if (zw_system_param_follow(s->sys, s->given, s->p, err) < 0 ||
        zw_forcing_base(&s->forcing, s->p, &base, NULL, err) < 0)
        return NAN;
    return 2 * acos(-1) / base;
}

double zw_survey_period(zw_survey *s, const double *axis, zw_error *err) {
    if (!s->carries_phase)
        return NAN;
    if (s->period > 0)
        return s->period;
    if (s->frequency >= 0 && axis[s->frequency] != 0)
        return 2 * acos(-1) / fabs(axis[s->frequency]);
    pthread_mutex_lock(&s->lock);
    double period = evaluate_period(s, axis, err);
    pthread_mutex_unlock(&s->lock);
    return period;
}

/* Time may enter by contacts and events alone: a table that vibrates. */
static zw_status find_forcing(zw_survey *s, zw_error *err) {
    zw_allocator alloc = zw_context_allocator(s->sys->ctx);
    zw_arena arena;
    bool clocks = false;
    zw_arena_init(&arena, &alloc);
    zw_status status = zw_segmented_forcing(&s->forcing, s->sys, &s->eq, &arena, &clocks, err);
    zw_arena_clear(&arena);
    return status;
}

zw_status zw_survey_find_drive(zw_survey *s, const char *principle, zw_error *err) {
    double axis[ZW_PLAN_AXES], T = NAN;
    zw_error why = {0};
    s->frequency = -1;
    s->p = calloc((size_t)s->sys->np + 1, sizeof *s->p);
    s->given = calloc((size_t)s->sys->np + 1, sizeof *s->given);
    if (!s->p || !s->given)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_system_param_values(s->sys, s->p, err));
    zw_status status = zw_derive(&s->eq, s->sys, NULL, principle ? principle : "lagrange", &why);
    if (status >= 0)
        status = find_forcing(s, &why);
    s->carries_phase = status >= 0 && s->forcing.n > 0 && s->forcing.nother == 0;
    zw_plan_point(s->plan, 0, axis);
    if (status >= 0)
        T = evaluate_period(s, axis, &why);
    if (s->driven && (!s->carries_phase || !(T > 0))) {
        zw_fail(err, ZW_E_MODEL, "times in periods of the excitation: %s",
                why.text[0] ? why.text : "time enters the equations otherwise");
        zw_error_hint(err, "give times in seconds, and rows at an event of the model");
        return ZW_E_MODEL;
    }
    if (!s->carries_phase)
        return ZW_OK;
    s->first_period = T;
    bool varied = false;
    for (int i = 0; i < s->forcing.n; i++)
        varied = varied || is_varied(s, s->forcing.frequency[i]);
    s->period = varied ? 0 : T;
    if (s->forcing.n == 1)
        s->frequency = axis_of(s, s->forcing.frequency[0]);
    return ZW_OK;
}

int zw_survey_drives(const zw_survey *s, double *period) {
    *period = s->first_period;
    return s->driven && s->carries_phase ? s->forcing.n : 0;
}
