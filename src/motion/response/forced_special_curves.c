/* SPDX-License-Identifier: MIT */
/* Curves of special points of forced motions in two parameters: ../special_point_curve.h on
 * harmonic balance. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "branch/curve.h"
#include "forced.h"
#include "motion/harmonic/balance.h"
#include "motion/special_point_curve.h"

enum { LOW, HIGH, TESTS };
/* relative to a range: distance of two curves that pass the same point; steps of a hundredth of the
 * range are interpolated linearly */
#define CURVES_SAME 2e-3
/* relative to the width of a coordinate: difference of rms values that is rounding */
#define WIDTH_LEAST 1e-9
/* relative to the rms: difference of the same special point on two curves, by linear
 * interpolation */
#define RMS_SAME 0.02
/* relative correction of folds, whose equations contain the matrix of the motion */
#define FOLD_CORRECTED 1e-10
/* relative correction of points with a critical multiplier, which has an error of its own */
#define MULTIPLIER_CORRECTED 1e-8
/* first step, in units of a tenth of the range: a short one, since the curvature is not known
 * yet */
#define STEP_FIRST 0.02

typedef struct special_walk {
    zw_forced *f;
    zw_special_curve on;
    int curve;
    bool skip;
} special_walk;

/* ------------------------------------------------------------------------------- the second one */

static zw_status set_second(zw_forced *f, double b, zw_error *err) {
    if (f->p[f->second.parameter] == b)
        return ZW_OK;
    f->p[f->second.parameter] = b;
    ZW_TRY(zw_system_param_follow(f->sys, f->given, f->p, err));
    zw_harmonic_renew(f->balance);
    zw_harmonic_renew(f->finer);
    if (f->with_even)
        zw_harmonic_renew(f->with_even);
    f->last_known = false;
    return ZW_OK;
}

/* -------------------------------------------------------------------------------------- surface */

static zw_status surface_set(void *user, double b, zw_error *err) {
    return set_second(user, b, err);
}

static zw_status surface_multipliers(void *user, const double *x, double a, const zw_floquet **out,
                                     zw_error *err) {
    return zw_forced_multipliers(user, x, a, out, err);
}

static zw_status surface_tests(void *user, const double *X, double b, double *value,
                               zw_error *err) {
    zw_forced *f = user;
    double a = X[zw_harmonic_problem(f->balance).n];
    (void)b;
    (void)err;
    value[LOW] = a - fmin(f->over.from, f->over.to);
    value[HIGH] = a - fmax(f->over.from, f->over.to);
    return ZW_OK;
}

/* --------------------------------------------------------------------------------------- points */

static zw_status add_special_point(special_walk *m, const double *X, double b, bool cusp,
                                   zw_error *err) {
    zw_forced *f = m->f;
    int n = m->on.on.own.n;
    double w, slope, error;
    if (!zw_arena_grow(&f->arena, (void **)&f->special, f->nspecial, &f->special_capacity,
                       sizeof *f->special))
        return zw_out_of_memory(err, NULL);
    zw_motion_measure *measured = ZW_NEW(&f->arena, zw_motion_measure, f->nquantity + 1);
    if (!measured)
        return zw_out_of_memory(err, NULL);
    memcpy(f->x, X, sizeof(double) * (size_t)n);
    ZW_TRY(set_second(f, b, err));
    ZW_TRY(zw_forced_set(f, X[n], f->now, &w, &slope, err));
    ZW_TRY(zw_flow_set_parameters(f->flow, f->now, err));
    ZW_TRY(zw_forced_measure_all(f, zw_forced_frequency(f, f->x, w), measured, err));
    if (f->nspecial % 10 == 0 || cusp) {
        ZW_TRY(zw_forced_error(f, X[n], m->on.t1, &error, err));
        f->worst_error = fmax(f->worst_error, error);
    }
    f->special[f->nspecial++] = (zw_forced_mark){.value = X[n],
                                                 .second = b,
                                                 .event = m->on.kind,
                                                 .cusp = cusp,
                                                 .curve = m->curve,
                                                 .measure = measured};
    return ZW_OK;
}

static zw_status accept_point(void *user, const zw_cont_point *point, zw_error *err) {
    special_walk *m = user;
    zw_forced *f = m->f;
    bool at_bound = point->what == LOW || point->what == HIGH;
    double along = fabs(point->tangent[m->on.on.own.n]) / zw_forced_unit(f);
    if (m->skip) {
        m->skip = false;
        return ZW_OK;
    }
    zw_status status = zw_special_curve_turn(&m->on, point->x, point->a, err);
    ZW_TRY(status);
    bool cusp =
        point->what == ZW_CONT_FOLD && m->on.kind == ZW_BIFURCATION_FOLD && along < ZW_MARK_STILL;
    ZW_TRY(add_special_point(m, point->x, point->a, cusp, err));
    double done = fabs(point->a - f->second.from) / fabs(f->second.to - f->second.from);
    f->stopped = f->options.stop && f->options.stop(f->options.stop_user, fmin(done, 1));
    return at_bound || f->stopped ? ZW_STOPPED : ZW_OK;
}

/* --------------------------------------------------------------------------------------- curves */

/* X: memory for the special point, with its value */
static zw_status create_curve(special_walk *m, const zw_forced_motion *start, double **X,
                              zw_error *err) {
    zw_forced *f = m->f;
    ZW_TRY(zw_forced_load_motion(f, start, err));
    zw_forced_scale_by(f, start);
    zw_mark_surface on = {.user = f,
                          .own = zw_harmonic_problem(f->balance),
                          .range = fabs(f->second.to - f->second.from),
                          .set_second = surface_set,
                          .multipliers = surface_multipliers,
                          .ntest = TESTS,
                          .tests = surface_tests};
    int n = on.own.n;
    double *toward = ZW_NEW(&f->arena, double, n + 2);
    *X = ZW_NEW(&f->arena, double, n + 2);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    memcpy(*X, f->x, sizeof(double) * (size_t)n);
    memcpy(toward, f->x, sizeof(double) * (size_t)n); /* motions usually grow along their curve */
    (*X)[n] = start->value;
    zw_status status = zw_special_curve_make(&m->on, &f->arena, &on, start->event, *X,
                                             f->p[f->second.parameter], toward, err);
    return status == ZW_RETRY ? zw_fail(err, ZW_E_NUMERIC, "the mark has no neighbours") : status;
}

/* Does a curve of this kind pass the special point? */
static bool is_known(const zw_forced *f, const zw_forced_motion *start, double b) {
    double range = fabs(f->over.to - f->over.from);
    for (int i = 0; i + 1 < f->nspecial; i++) {
        const zw_forced_mark *u = &f->special[i], *v = &f->special[i + 1];
        if (u->curve != v->curve || u->event != start->event ||
            (u->second - b) * (v->second - b) > 0)
            continue;
        double fraction = u->second == v->second ? 0 : (b - u->second) / (v->second - u->second);
        bool same = fabs(u->value + fraction * (v->value - u->value) - start->value) <=
                    CURVES_SAME * range + 0.1 * fabs(v->value - u->value);
        for (int k = 0; k < f->sys->nq && same; k++) {
            double rms = u->measure[k].rms + fraction * (v->measure[k].rms - u->measure[k].rms);
            same = fabs(rms - start->measure[k].rms) <=
                   RMS_SAME * start->measure[k].rms + WIDTH_LEAST * f->width[k] +
                       0.2 * fabs(v->measure[k].rms - u->measure[k].rms);
        }
        if (same)
            return true;
    }
    return false;
}

static void reverse_points(zw_forced *f, int first) {
    for (int i = first, k = f->nspecial - 1; i < k; i++, k--) {
        zw_forced_mark swap = f->special[i];
        f->special[i] = f->special[k];
        f->special[k] = swap;
    }
}

static zw_status follow_curve(zw_forced *f, const zw_forced_motion *start, double b,
                              zw_error *err) {
    zw_cont_options o = zw_cont_options_default();
    o.low = fmin(f->second.from, f->second.to);
    o.high = fmax(f->second.from, f->second.to);
    o.step_max = f->options.step_max * 10;
    o.step = fmin(STEP_FIRST, o.step_max);
    o.points_max = f->options.points_max;
    /* multipliers have an error */
    o.tolerance = start->event == ZW_BIFURCATION_FOLD ? FOLD_CORRECTED : MULTIPLIER_CORRECTED;
    int first = f->nspecial;
    if (!zw_arena_grow(&f->arena, (void **)&f->special_curve, f->nspecial_curve,
                       &f->special_curve_capacity, sizeof *f->special_curve))
        return zw_out_of_memory(err, NULL);
    f->special_curve[f->nspecial_curve] = (zw_forced_curve){.first = first};
    for (int side = 0; side < 2; side++) {
        special_walk m = {.f = f, .curve = f->nspecial_curve, .skip = side == 1};
        double *X;
        zw_cont_info *info = &f->special_curve[f->nspecial_curve].info[side];
        ZW_TRY(set_second(f, b, err));
        ZW_TRY(create_curve(&m, start, &X, err));
        zw_cont_problem p = zw_special_curve_problem(&m.on);
        if (b == (side ? o.high : o.low)) {
            *info = (zw_cont_info){.end = ZW_CONT_AT_BOUND};
            if (side == 0)
                ZW_TRY(add_special_point(&m, X, b, false, err));
            continue;
        }
        ZW_TRY(
            zw_continue(&p, &o, X, b, side ? 1 : -1, accept_point, &m, info, &f->arena.alloc, err));
        if (info->end == ZW_CONT_ASKED && !f->stopped)
            info->end = ZW_CONT_AT_BOUND;
        if (side == 0)
            reverse_points(f, first);
        if (info->end == ZW_CONT_CLOSED || f->stopped)
            break;
    }
    f->special_curve[f->nspecial_curve++].n = f->nspecial - first;
    return ZW_OK;
}

zw_status zw_forced_marks(zw_forced *f, const char *second, zw_error *err) {
    if (!f->has_over || f->options.free)
        return zw_fail(
            err, ZW_E_OPTION,
            "curves of special points begin at special points of a curve over a parameter");
    ZW_TRY(zw_forced_tones_reject(f, "--marks", err));
    ZW_TRY(zw_special_curve_second(&f->second, f->sys, second, &f->over, f->p, err));
    if (f->event_orbits)
        return zw_forced_kinks_special_curves(f, second, err);
    double b = f->p[f->second.parameter];
    bool given = f->given[f->second.parameter];
    f->given[f->second.parameter] = true;
    /* the frequency may not be affine for other values of the second parameter */
    bool straight = f->affine;
    f->affine = false;
    zw_status status = ZW_OK;
    int motions = f->nmotion;
    for (int i = 0; i < motions && !f->stopped && status >= 0; i++) {
        zw_forced_motion start = f->motion[i];
        bool is_special = start.curve >= 0 && start.event != ZW_BIFURCATION_POINT &&
                          start.event != ZW_BIFURCATION_END;
        /* at a branch point there is no unique tangent, unless the other branch breaks a symmetry
         * that --odd keeps */
        bool crossing = start.event == ZW_BIFURCATION_BRANCH && !f->options.odd;
        f->crossings += is_special && crossing;
        if (!is_special || crossing || is_known(f, &start, b))
            continue;
        status = follow_curve(f, &start, b, err);
    }
    zw_status back = set_second(f, b, err);
    f->affine = straight;
    f->given[f->second.parameter] = given;
    return status < 0 ? status : back;
}

int zw_forced_mark_count(const zw_forced *f) {
    return f->nspecial;
}

const zw_forced_mark *zw_forced_mark_at(const zw_forced *f, int number) {
    assert(number >= 0 && number < zw_forced_mark_count(f));
    return &f->special[number];
}
