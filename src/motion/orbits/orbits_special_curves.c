/* SPDX-License-Identifier: MIT */
/* Curves of special points of orbits by collocation in two parameters (special_point_curve.h), in
 * pieces of a few points, between which the mesh is adapted to the orbit; bifurcation_curves.h says
 * what happens along them. Coefficients of normal forms are evaluated where the rates along the
 * orbit are smooth.
 *
 * At branch points the curve has no unique tangent, and is not followed. Where a symmetry breaks,
 * the curve is that of a multiplier -1 of the half orbit (symmetric_orbit.c), which is as regular
 * as a period doubling. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "motion/special_point_curve.h"
#include "orbits.h"

enum { PIECE = 8 };

/* Relative to the size of its terms: zeros of a coefficient with a larger error are not located,
 * since they would be uncertain by the same fraction of the curve. */
#define COEFFICIENT_ERROR_MAX 1e-3
/* Corrections at which Newton's method on the curve ends, relative to the arclength: the default of
 * continuation for folds; functions of multipliers have a larger error. */
#define NEWTON_FOLD 1e-10
#define NEWTON_MULTIPLIER 1e-9
/* In arclength: first step, 0.2 % of the range; the following ones are chosen by their errors. */
#define STEP_FIRST 0.02

typedef struct curve_state {
    zw_orbits *o;
    zw_special_curve on;
    zw_bifurcation kind; /* by its multiplier */
    /* of half an orbit, a multiplier -1 is reported as a broken symmetry */
    zw_bifurcation reported;
    bool smooth, skip, over, special;
    double b;
    double *own;      /* n + 1: direction of the motions along their branch at the last point */
    double tangent_b; /* of the tangent in o->tangent */
    int points;
} curve_state;

/* -------------------------------------------------------------------------------------- surface */

static zw_status set_second(void *user, double b, zw_error *err) {
    zw_orbits *o = ((curve_state *)user)->o;
    if (o->p[o->marks.second.parameter] == b)
        return ZW_OK;
    o->p[o->marks.second.parameter] = b;
    o->last_known = false;
    return zw_system_param_follow(o->sys, o->given, o->p, err);
}

static zw_status find_multipliers(void *user, const double *x, double a, const zw_floquet **out,
                                  zw_error *err) {
    ZW_TRY(zw_orbits_multipliers(((curve_state *)user)->o, x, a, out, err));
    if (*out && !zw_orbits_multipliers_usable(*out))
        *out = NULL;
    return ZW_OK;
}

static zw_status find_coefficient(curve_state *w, const double *X, bool judged, double *value,
                                  zw_error *err) {
    zw_cycle_normal n;
    zw_error trouble = {0};
    *value = NAN;
    if (!w->smooth || w->kind == ZW_BIFURCATION_FOLD)
        return ZW_OK;
    zw_status status =
        zw_cycle_normal_find(&n, w->o->c, X, X[w->on.on.own.n],
                             w->kind == ZW_BIFURCATION_FLIP ? ZW_CYCLE_FLIP : ZW_CYCLE_TORUS,
                             judged, NULL, NULL, &trouble);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    if (status >= 0 && !(n.error > COEFFICIENT_ERROR_MAX * n.size))
        *value = n.coefficient;
    return ZW_OK;
}

static zw_status evaluate_tests(void *user, const double *X, double b, double *value,
                                zw_error *err) {
    curve_state *w = user;
    zw_orbits *o = w->o;
    const zw_floquet *m;
    double a = X[w->on.on.own.n];
    for (int i = 0; i < w->on.on.ntest; i++)
        value[i] = NAN;
    value[ZW_BIFURCATION_CURVES_BOUND] =
        (a - fmin(o->over.from, o->over.to)) * (fmax(o->over.from, o->over.to) - a);
    ZW_TRY(set_second(w, b, err));
    ZW_TRY(find_multipliers(w, X, a, &m, err));
    if (!m)
        return ZW_OK;
    if (w->kind == ZW_BIFURCATION_FOLD && !o->half.on)
        ZW_TRY(zw_special_curve_bend(&w->on, X, b, &value[ZW_BIFURCATION_CURVES_FOLD_CUSP], err));
    if (o->half.on) /* special points of the curve are reported for whole orbits only */
        return ZW_OK;
    zw_bifurcation_curves_values(w->kind, m, value);
    if (w->kind == ZW_BIFURCATION_FOLD)
        return ZW_OK;
    return find_coefficient(
        w, X, false,
        &value[w->kind == ZW_BIFURCATION_FLIP ? ZW_BIFURCATION_CURVES_FLIP_COEFFICIENT
                                              : ZW_BIFURCATION_CURVES_TORUS_COEFFICIENT],
        err);
}

/* --------------------------------------------------------------------------------------- points */

static zw_status record_special(curve_state *w, const double *X, double b, zw_orbit_special special,
                                zw_error *err) {
    zw_orbits *o = w->o;
    int n = w->on.on.own.n;
    const zw_floquet *m;
    double slope = 0, angle = NAN, form, period = (o->half.on ? 2 : 1) * zw_colloc_period(o->c, X);
    const double *drift;
    zw_motion_measure *measured = ZW_NEW(&o->arena, zw_motion_measure, o->nquantity + 1);
    if (!measured)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(set_second(w, b, err));
    ZW_TRY(find_multipliers(w, X, X[n], &m, err));
    if (m && w->kind == ZW_BIFURCATION_TORUS)
        angle = zw_bifurcation_curves_angle(m);
    ZW_TRY(find_coefficient(w, X, true, &form, err));
    ZW_TRY(zw_orbits_set(o, X[n], o->now, &period, &slope, err));
    ZW_TRY(zw_flow_set_parameters(o->flow, o->now, err));
    ZW_TRY(zw_orbits_measure(o, period, measured, &drift, err));
    const zw_orbit_mark mark = {.value = X[n],
                                .second = b,
                                .event = w->reported,
                                .special = special,
                                .period = period,
                                .angle = angle,
                                .coefficient = form,
                                .measure = measured};
    return zw_bifurcation_curves_add(&o->marks, &o->arena, &mark, err);
}

static zw_status accept_point(void *user, const zw_cont_point *point, zw_error *err) {
    curve_state *w = user;
    zw_orbits *o = w->o;
    int n = w->on.on.own.n;
    zw_orbit_special special =
        w->o->half.on ? ZW_ORBIT_USUAL : zw_bifurcation_curves_special(w->kind, point->what);
    zw_status status = zw_special_curve_turn(&w->on, point->x, point->a, err);
    ZW_TRY(status);
    memcpy(o->x, point->x, sizeof(double) * (size_t)(n + 1));
    memcpy(o->tangent, point->tangent, sizeof(double) * (size_t)(n + 1));
    memcpy(w->own, w->on.t1, sizeof(double) * (size_t)(n + 1));
    w->tangent_b = point->tangent[n + 1];
    w->b = point->a;
    if (w->skip) {
        w->skip = false;
        return ZW_OK;
    }
    ZW_TRY(record_special(w, point->x, point->a, special, err));
    w->points++;
    w->over = point->what == ZW_BIFURCATION_CURVES_BOUND;
    w->special = w->kind == ZW_BIFURCATION_TORUS &&
                 (special == ZW_ORBIT_RESONANCE_1 || special == ZW_ORBIT_RESONANCE_2);
    double done =
        fabs(point->a - o->marks.second.from) / fabs(o->marks.second.to - o->marks.second.from);
    o->stopped = o->options.stop && o->options.stop(o->options.stop_user, fmin(done, 1));
    return w->over || w->special || o->stopped ? ZW_STOPPED : ZW_OK;
}

/* --------------------------------------------------------------------------------------- curves */

/* adapts scales and mesh to the orbit in o->x; its value is stored after it and moves with it */
static zw_status adapt_mesh(curve_state *w, zw_error *err) {
    zw_orbits *o = w->o;
    double *list[] = {o->x, o->tangent, w->own};
    ZW_TRY(zw_orbits_rescale(o, zw_colloc_period(o->c, o->x), err));
    ZW_TRY(zw_colloc_adapt(o->c, zw_orbits_needed_intervals(o, zw_colloc_error(o->c, o->x)), 3,
                           list, err));
    o->last_known = false;
    return zw_colloc_refer(o->c, o->x, o->x[zw_colloc_problem(o->c).n], err);
}

/* Follows the curve from the special point in o->x (with its value) at w->b in the direction of
 * o->tangent, piece by piece. */
static zw_status follow_curve(curve_state *w, int direction, zw_cont_info *info, zw_error *err) {
    zw_orbits *o = w->o;
    zw_cont_options c = zw_cont_options_default();
    zw_status status = ZW_OK;
    bool toward = false;
    c.low = fmin(o->marks.second.from, o->marks.second.to);
    c.high = fmax(o->marks.second.from, o->marks.second.to);
    c.step_max = o->options.step_max * 10;
    c.step = fmin(STEP_FIRST, c.step_max);
    c.tolerance = w->kind == ZW_BIFURCATION_FOLD ? NEWTON_FOLD : NEWTON_MULTIPLIER;
    for (;;) {
        zw_arena work;
        zw_arena_init(&work, &o->arena.alloc);
        zw_mark_surface on = {.user = w,
                              .own = zw_colloc_problem(o->c),
                              .range = c.high - c.low,
                              .set_second = set_second,
                              .multipliers = find_multipliers,
                              .ntest = o->half.on ? 1 : zw_bifurcation_curves_tests(w->kind),
                              .tests = evaluate_tests};
        int n = on.own.n, before = w->points;
        double *X = ZW_NEW(&work, double, n + 2), *direction_at = ZW_NEW(&work, double, n + 3);
        if (!X || !direction_at) {
            zw_arena_clear(&work);
            return zw_out_of_memory(err, NULL);
        }
        memcpy(X, o->x, sizeof(double) * (size_t)(n + 1));
        memcpy(direction_at, o->tangent, sizeof(double) * (size_t)(n + 1));
        direction_at[n + 1] = w->tangent_b;
        status = zw_special_curve_make(&w->on, &work, &on, w->kind, X, w->b, w->own, err);
        if (status == ZW_RETRY)
            status = zw_fail(err, ZW_E_NUMERIC, "the mark has no neighbours");
        zw_cont_problem p = zw_special_curve_problem(&w->on);
        c.toward = toward ? direction_at : NULL;
        c.points_max = PIECE;
        if (status >= 0)
            status = zw_continue(&p, &c, X, w->b, direction, accept_point, w, info, &o->arena.alloc,
                                 err);
        zw_arena_clear(&work);
        if (status < 0 || info->end != ZW_CONT_POINTS || w->points == before ||
            w->points >= o->options.points_max)
            return status;
        c.step = info->step;
        ZW_TRY(adapt_mesh(w, err));
        toward = w->skip = true;
    }
}

static zw_status begin_curve(curve_state *w, const zw_orbit_motion *start, double b,
                             zw_error *err) {
    zw_orbits *o = w->o;
    char why[200];
    ZW_TRY(set_second(w, b, err));
    ZW_TRY(zw_orbits_load(o, start, err));
    int n = zw_colloc_problem(o->c).n;
    w->own = ZW_NEW(&o->arena, double, o->x_capacity);
    if (!w->own)
        return zw_out_of_memory(err, NULL);
    zw_orbits_set_direction(o, start->tangent, 1);
    memcpy(w->own, o->tangent, sizeof(double) * (size_t)(n + 1));
    o->x[n] = start->value;
    w->b = b;
    ZW_TRY(zw_flow_set_parameters(o->flow, o->now, err));
    ZW_TRY(zw_orbits_find_kink(o, start->period, why, sizeof why, err));
    w->smooth = o->options.normal && !why[0] && !o->half.on;
    return ZW_OK;
}

/* the start of a curve */
typedef struct start {
    zw_orbits *o;
    const zw_orbit_motion *motion;
    double b;
} start;

static zw_status go_side(void *user, int side, bool skip, zw_cont_info *info, bool *special,
                         zw_error *err) {
    const start *from = user;
    curve_state w = {.o = from->o,
                     .kind = from->motion->event == ZW_BIFURCATION_BRANCH ? ZW_BIFURCATION_FLIP
                                                                          : from->motion->event,
                     .reported = from->motion->event,
                     .skip = skip};
    ZW_TRY(begin_curve(&w, from->motion, from->b, err));
    zw_status status = follow_curve(&w, side ? 1 : -1, info, err);
    *special = w.special;
    return status;
}

zw_status zw_orbits_marks(zw_orbits *o, const char *second, zw_error *err) {
    if (o->family.kind)
        return zw_fail(err, ZW_E_OPTION, "marks are followed of orbits over a parameter");
    if (o->group.n)
        return zw_fail(
            err, ZW_E_OPTION,
            "--marks: they are not followed where orbits come back turned by a symmetry");
    if (!o->has_over)
        return zw_fail(err, ZW_E_OPTION,
                       "curves of marks begin with marks on a branch over a parameter");
    ZW_TRY(zw_special_curve_second(&o->marks.second, o->sys, second, &o->over, o->p, err));
    double b = o->p[o->marks.second.parameter];
    bool given = o->given[o->marks.second.parameter];
    int motions = o->nmotion;
    zw_status status = ZW_OK;
    o->given[o->marks.second.parameter] = true;
    if (o->options.normal) {
        status = zw_kernel_require(o->kernel, ZW_SET(SECOND) | ZW_SET(THIRD), err);
        if (status >= 0)
            status = zw_flow_renew(o->flow, err);
    }
    for (int i = 0; i < motions && !o->stopped && status >= 0; i++) {
        zw_orbit_motion m = o->motion[i];
        start from = {o, &m, b};
        zw_error trouble = {0};
        /* for half orbits at a broken symmetry; otherwise a curve of branch points has no unique
         * tangent */
        bool breaks = m.event == ZW_BIFURCATION_BRANCH && o->half.on,
             pair = m.event == ZW_BIFURCATION_TORUS && !o->half.on,
             mark = m.curve >= 0 && m.tangent &&
                    (m.event == ZW_BIFURCATION_FOLD || m.event == ZW_BIFURCATION_FLIP || pair ||
                     breaks);
        o->marks.crossings += m.curve >= 0 && m.event == ZW_BIFURCATION_BRANCH && !breaks;
        if (m.curve >= 0 && m.event == ZW_BIFURCATION_TORUS && !pair && o->marks.unfollowed++ == 0)
            snprintf(o->marks.unfollowed_why, sizeof o->marks.unfollowed_why,
                     "Neimark-Sacker points are followed of whole orbits, without --symmetry");
        if (!mark || zw_bifurcation_curves_has(&o->marks, fabs(o->over.to - o->over.from), m.event,
                                               m.value, b, m.period))
            continue;
        status = zw_bifurcation_curves_follow(&o->marks, &o->arena, b, go_side, &from, &o->stopped,
                                              &trouble);
        if (status == ZW_E_NUMERIC || status == ZW_E_SINGULAR || status == ZW_E_NONFINITE) {
            if (o->marks.unfollowed++ == 0)
                snprintf(o->marks.unfollowed_why, sizeof o->marks.unfollowed_why, "%.190s",
                         trouble.text);
            status = ZW_OK;
        } else if (status < 0 && err && !err->status) {
            *err = trouble;
        }
    }
    curve_state w = {.o = o};
    zw_status back = set_second(&w, b, NULL);
    o->given[o->marks.second.parameter] = given;
    return status < 0 ? status : back;
}

int zw_orbits_mark_count(const zw_orbits *o) {
    return o->marks.n;
}

const zw_orbit_mark *zw_orbits_mark_at(const zw_orbits *o, int number) {
    return &o->marks.mark[number];
}

zw_status zw_orbits_marks_table(const zw_orbits *o, const zw_model_source *source, zw_table **out,
                                zw_error *err) {
    const zw_bifurcation_curves_origin of = {o->sys,   o->eq.principle, o->p, o->options.active,
                                             &o->over, o->nquantity};
    return zw_bifurcation_curves_table(&o->marks, &of, source, out, err);
}
