/* SPDX-License-Identifier: MIT */
/* Curves of special points of orbits through events in two parameters (special_point_curve.h,
 * bifurcation_curves.h): folds, period doublings, Neimark-Sacker points, and grazing. The function
 * of grazing is the distance by which it was located: the slope with which an event is met, the
 * least distance from an event that is not met, the shortest segment, or the slack of an impact. A
 * curve ends where another of these vanishes: beyond that place its orbits are not motions. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "branch/curve.h"
#include "event_orbits.h"
#include "motion/motion_words.h"
#include "motion/segments/periodic.h"
#include "motion/special_point_curve.h"

enum { CROSSING, CLEARANCE, SHORTEST, SLACK, DISTANCES };

/* Corrections at which Newton's method on the curve ends, relative to the arclength: the default of
 * continuation for folds; functions of multipliers have a larger error. */
#define NEWTON_FOLD 1e-10
#define NEWTON_MULTIPLIER 1e-9
/* In arclength: first step, 0.2 % of the range; the following ones are chosen by their errors. */
#define STEP_FIRST 0.02

typedef struct curve_state {
    zw_event_orbits *o;
    const zw_segmented_motion *start;
    const zw_segmented_signature *signature;
    zw_special_curve on;
    zw_bifurcation kind;
    int distance; /* the distance that vanishes at grazing; else -1 */
    bool skip, ends, special;
    double start_b;
} curve_state;

/* the function of the curve that is the distance from grazing, other than its own */
static int graze_of(zw_bifurcation kind) {
    return kind == ZW_BIFURCATION_TORUS ? ZW_BIFURCATION_CURVES_TORUS_COEFFICIENT
                                        : zw_bifurcation_curves_tests(kind);
}

/* -------------------------------------------------------------------------------------- surface */

static zw_status set_second(void *user, double b, zw_error *err) {
    zw_event_orbits *o = ((curve_state *)user)->o;
    if (o->p[o->marks.second.parameter] == b)
        return ZW_OK;
    o->p[o->marks.second.parameter] = b;
    o->set_known = o->last_known = false;
    if (o->h)
        zw_segmented_renew(o->h);
    return zw_system_param_follow(o->sys, o->given, o->p, err);
}

static zw_status find_multipliers(void *user, const double *x, double a, const zw_floquet **out,
                                  zw_error *err) {
    const zw_segmented_margins *m;
    ZW_TRY(zw_segmented_evaluate(((curve_state *)user)->o, x, a, out, &m, err));
    if (*out && !((*out)->accuracy < ZW_MULTIPLIER_USABLE))
        *out = NULL;
    return ZW_OK;
}

/* the distances; NaN for those that do not exist */
static void list_distances(const zw_segmented_margins *m, double *out) {
    out[CROSSING] = m->crossing;
    out[CLEARANCE] = m->clearance;
    out[SHORTEST] = m->shortest;
    out[SLACK] = m->slack;
}

static int touching_of(const zw_segmented_margins *m) {
    double d[DISTANCES];
    int best = -1;
    list_distances(m, d);
    for (int i = 0; i < DISTANCES; i++)
        if (!isnan(d[i]) && (best < 0 || fabs(d[i]) < fabs(d[best])))
            best = i;
    return best;
}

/* the least of all distances but the one that vanishes on the curve */
static double least_other_distance(const zw_segmented_margins *m, int distance) {
    double d[DISTANCES], least = NAN;
    list_distances(m, d);
    for (int i = 0; i < DISTANCES; i++)
        if (i != distance && !isnan(d[i]))
            least = isnan(least) ? d[i] : fmin(least, d[i]);
    return least;
}

static zw_status test_distance(void *user, const double *x, double a, double *g, zw_error *err) {
    curve_state *w = user;
    const zw_floquet *f;
    const zw_segmented_margins *m;
    double d[DISTANCES];
    *g = NAN;
    ZW_TRY(zw_segmented_evaluate(w->o, x, a, &f, &m, err));
    if (m) {
        list_distances(m, d);
        *g = d[w->distance];
    }
    return ZW_OK;
}

static zw_status evaluate_tests(void *user, const double *X, double b, double *value,
                                zw_error *err) {
    curve_state *w = user;
    zw_event_orbits *o = w->o;
    const zw_floquet *f;
    const zw_segmented_margins *m;
    double a = X[w->on.on.own.n];
    for (int i = 0; i < w->on.on.ntest; i++)
        value[i] = NAN;
    value[ZW_BIFURCATION_CURVES_BOUND] =
        (a - fmin(o->over.from, o->over.to)) * (fmax(o->over.from, o->over.to) - a);
    if (w->kind == ZW_BIFURCATION_FOLD)
        ZW_TRY(zw_special_curve_bend(&w->on, X, b, &value[ZW_BIFURCATION_CURVES_FOLD_CUSP], err));
    ZW_TRY(set_second(w, b, err));
    ZW_TRY(zw_segmented_evaluate(o, X, a, &f, &m, err));
    if (f && f->accuracy < ZW_MULTIPLIER_USABLE)
        zw_bifurcation_curves_values(w->kind, f, value);
    if (m)
        value[graze_of(w->kind)] = least_other_distance(m, w->distance);
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- points */

static zw_status add_point(curve_state *w, const double *X, double b, zw_orbit_special special,
                           zw_error *err) {
    zw_event_orbits *o = w->o;
    int n = w->on.on.own.n;
    const zw_floquet *f;
    zw_segmented_motion m = {0};
    double angle = NAN;
    ZW_TRY(set_second(w, b, err));
    ZW_TRY(find_multipliers(w, X, X[n], &f, err));
    if (f && w->kind == ZW_BIFURCATION_TORUS)
        angle = zw_bifurcation_curves_angle(f);
    memcpy(o->unknown, X, sizeof(double) * (size_t)n);
    zw_status status = zw_segmented_measures(o, X[n], &m, err);
    if (m.record)
        zw_shooting_clear((zw_shooting *)m.record);
    ZW_TRY(status);
    const zw_orbit_mark mark = {.value = X[n],
                                .second = b,
                                .event = w->kind,
                                .special = special,
                                .period = zw_segmented_period(o->h, X),
                                .angle = angle,
                                .coefficient = NAN,
                                .measure = m.measure};
    return zw_bifurcation_curves_add(&o->marks, &o->arena, &mark, err);
}

static zw_status accept_point(void *user, const zw_cont_point *point, zw_error *err) {
    curve_state *w = user;
    zw_event_orbits *o = w->o;
    bool grazes = point->what == graze_of(w->kind);
    zw_orbit_special special =
        grazes ? ZW_ORBIT_GRAZING : zw_bifurcation_curves_special(w->kind, point->what);
    zw_status status = zw_special_curve_turn(&w->on, point->x, point->a, err);
    ZW_TRY(status);
    if (w->skip) {
        w->skip = false;
        return ZW_OK;
    }
    ZW_TRY(add_point(w, point->x, point->a, special, err));
    w->special = grazes || (w->kind == ZW_BIFURCATION_TORUS &&
                            (special == ZW_ORBIT_RESONANCE_1 || special == ZW_ORBIT_RESONANCE_2));
    w->ends = w->special || point->what == ZW_BIFURCATION_CURVES_BOUND;
    double done =
        fabs(point->a - o->marks.second.from) / fabs(o->marks.second.to - o->marks.second.from);
    o->stopped = o->options.stop && o->options.stop(o->options.stop_user, fmin(done, 1));
    return w->ends || o->stopped ? ZW_STOPPED : ZW_OK;
}

/* --------------------------------------------------------------------------------------- curves */

static zw_status follow_curve(curve_state *w, zw_arena *work, int side, zw_cont_info *info,
                              zw_error *err) {
    zw_event_orbits *o = w->o;
    zw_cont_options c = zw_cont_options_default();
    c.low = fmin(o->marks.second.from, o->marks.second.to);
    c.high = fmax(o->marks.second.from, o->marks.second.to);
    c.step_max = o->options.step_max * 10;
    c.step = fmin(STEP_FIRST, c.step_max);
    c.points_max = o->options.points_max;
    c.tolerance = w->kind == ZW_BIFURCATION_FOLD ? NEWTON_FOLD : NEWTON_MULTIPLIER;
    zw_mark_surface on = {.user = w,
                          .own = zw_segmented_problem(o->h),
                          .range = c.high - c.low,
                          .set_second = set_second,
                          .multipliers = find_multipliers,
                          .function = w->kind == ZW_BIFURCATION_GRAZE ? test_distance : NULL,
                          .ntest = zw_bifurcation_curves_tests(w->kind) +
                                   (w->kind != ZW_BIFURCATION_TORUS),
                          .tests = evaluate_tests};
    int n = on.own.n;
    double *X = ZW_NEW(work, double, n + 2);
    if (!X)
        return zw_out_of_memory(err, NULL);
    memcpy(X, w->start->unknown, sizeof(double) * (size_t)n);
    X[n] = w->start->value;
    zw_status status =
        zw_special_curve_make(&w->on, work, &on, w->kind, X, w->start_b, w->start->tangent, err);
    if (status == ZW_RETRY)
        return zw_fail(err, ZW_E_NUMERIC, "the mark has no neighbours");
    ZW_TRY(status);
    zw_cont_problem p = zw_special_curve_problem(&w->on);
    return zw_continue(&p, &c, X, w->start_b, side ? 1 : -1, accept_point, w, info, &o->arena.alloc,
                       err);
}

static zw_status go_side(void *user, int side, bool skip, zw_cont_info *info, bool *special,
                         zw_error *err) {
    curve_state w = *(const curve_state *)user;
    zw_arena work;
    w.skip = skip;
    ZW_TRY(set_second(&w, w.start_b, err));
    ZW_TRY(zw_segmented_load(w.o, w.start, w.signature, err));
    zw_arena_init(&work, &w.o->arena.alloc);
    zw_status status = follow_curve(&w, &work, side, info, err);
    zw_arena_clear(&work);
    *special = w.special;
    return status;
}

static zw_status check_second(const zw_event_orbits *o, zw_error *err) {
    for (int i = 0; i < o->nmemory; i++)
        if (o->memory[i] == o->marks.second.parameter)
            return zw_fail(err, ZW_E_OPTION, "--marks %s: an event of the model sets it",
                           o->marks.second.name);
    return ZW_OK;
}

/* follows the curve through one special point; counts those that cannot be followed */
static zw_status follow_point(zw_event_orbits *o, int number, double b, zw_error *err) {
    zw_segmented_motion m = o->motion[number];
    zw_segmented_signature s = o->signature[number];
    curve_state w = {.o = o,
                     .start = &m,
                     .signature = &s,
                     .kind = m.event_here,
                     .distance =
                         m.event_here == ZW_BIFURCATION_GRAZE ? touching_of(&m.margins) : -1,
                     .start_b = b};
    zw_error trouble = {0};
    if (zw_bifurcation_curves_has(&o->marks, fabs(o->over.to - o->over.from), w.kind, m.value, b,
                                  m.period))
        return ZW_OK;
    zw_status status =
        zw_bifurcation_curves_follow(&o->marks, &o->arena, b, go_side, &w, &o->stopped, &trouble);
    status = zw_segmented_judge_memory(o, status, &trouble);
    if (status == ZW_E_NUMERIC || status == ZW_E_SINGULAR || status == ZW_E_NONFINITE) {
        if (o->marks.unfollowed++ == 0)
            snprintf(o->marks.unfollowed_why, sizeof o->marks.unfollowed_why, "%.190s",
                     trouble.text);
        return ZW_OK;
    }
    if (status < 0 && err && !err->status)
        *err = trouble;
    return status;
}

zw_status zw_event_orbits_marks(zw_event_orbits *o, const char *second, zw_error *err) {
    if (!o->has_over)
        return zw_fail(err, ZW_E_OPTION,
                       "curves of marks begin with marks on a branch over a parameter");
    ZW_TRY(zw_special_curve_second(&o->marks.second, o->sys, second, &o->over, o->p, err));
    ZW_TRY(check_second(o, err));
    int at = o->marks.second.parameter, motions = o->nmotion;
    double b = o->p[at];
    bool given = o->given[at], kept = o->kept[at];
    zw_status status = ZW_OK;
    o->given[at] = o->kept[at] = true;
    for (int i = 0; i < motions && !o->stopped && status >= 0; i++) {
        const zw_segmented_motion *m = &o->motion[i];
        if (m->curve < 0 || !m->tangent)
            continue;
        /* at branch points the curve has no unique tangent */
        o->marks.crossings += m->event_here == ZW_BIFURCATION_BRANCH;
        if (m->event_here == ZW_BIFURCATION_FOLD || m->event_here == ZW_BIFURCATION_FLIP ||
            m->event_here == ZW_BIFURCATION_TORUS || m->event_here == ZW_BIFURCATION_GRAZE)
            status = follow_point(o, i, b, err);
    }
    curve_state w = {.o = o};
    zw_status back = set_second(&w, b, NULL);
    o->given[at] = given;
    o->kept[at] = kept;
    o->set_known = false;
    return status < 0 ? status : back;
}

int zw_event_orbits_mark_count(const zw_event_orbits *o) {
    return o->marks.n;
}

const zw_orbit_mark *zw_event_orbits_mark_at(const zw_event_orbits *o, int number) {
    assert(number >= 0 && number < zw_event_orbits_mark_count(o));
    return &o->marks.mark[number];
}

zw_status zw_event_orbits_marks_table(const zw_event_orbits *o, const zw_model_source *source,
                                      zw_table **out, zw_error *err) {
    assert(out);
    const zw_bifurcation_curves_origin of = {
        o->sys, o->stage[0]->eq.principle, o->p, o->options.active, &o->over, o->nquantity};
    return zw_bifurcation_curves_table(&o->marks, &of, source, out, err);
}
