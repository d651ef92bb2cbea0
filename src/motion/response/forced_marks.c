/* SPDX-License-Identifier: MIT */
/* Curves of marks of forced motions in two parameters: special_point_curve.h on the balance of
 * harmonics. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "branch/curve.h"
#include "forced.h"
#include "motion/harmonic/balance.h"
#include "motion/special_point_curve.h"

enum { LOW, HIGH, TESTS };
#define NEAR 2e-3 /* of a range: two curves pass the same place */

typedef struct marks {
    zw_forced *f;
    zw_special_curve on;
    int curve;
    bool skip;
} marks;

/* ------------------------------------------------------------------------------- the second one */

static zw_status set_second(zw_forced *f, double b, zw_error *err) {
    if (f->p[f->second.parameter] == b)
        return ZW_OK;
    f->p[f->second.parameter] = b;
    ZW_TRY(zw_system_param_follow(f->sys, f->given, f->p, err));
    zw_harmonic_renew(f->balance);
    zw_harmonic_renew(f->finer);
    if (f->whole)
        zw_harmonic_renew(f->whole);
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

static zw_status add_mark(marks *m, const double *X, double b, bool cusp, zw_error *err) {
    zw_forced *f = m->f;
    int n = m->on.on.own.n;
    double w, slope, error;
    if (!zw_arena_grow(&f->arena, (void **)&f->mark, f->nmark, &f->mark_capacity, sizeof *f->mark))
        return zw_out_of_memory(err, NULL);
    zw_motion_measure *measured = ZW_NEW(&f->arena, zw_motion_measure, f->nquantity + 1);
    if (!measured)
        return zw_out_of_memory(err, NULL);
    memcpy(f->x, X, sizeof(double) * (size_t)n);
    ZW_TRY(set_second(f, b, err));
    ZW_TRY(zw_forced_set(f, X[n], f->now, &w, &slope, err));
    ZW_TRY(zw_flow_set_parameters(f->flow, f->now, err));
    ZW_TRY(zw_motion_measure_all(f, zw_forced_frequency(f, f->x, w), measured, err));
    if (f->nmark % 10 == 0 || cusp) {
        ZW_TRY(zw_forced_error(f, X[n], m->on.t1, &error, err));
        f->worst_error = fmax(f->worst_error, error);
    }
    f->mark[f->nmark++] = (zw_forced_mark){.value = X[n],
                                           .second = b,
                                           .event = m->on.kind,
                                           .cusp = cusp,
                                           .curve = m->curve,
                                           .measure = measured};
    return ZW_OK;
}

static zw_status accept_point(void *user, const zw_cont_point *point, zw_error *err) {
    marks *m = user;
    zw_forced *f = m->f;
    bool over = point->what == LOW || point->what == HIGH;
    double along = fabs(point->tangent[m->on.on.own.n]) / zw_forced_unit(f);
    if (m->skip) {
        m->skip = false;
        return ZW_OK;
    }
    zw_status status = zw_special_curve_turn(&m->on, point->x, point->a, err);
    ZW_TRY(status);
    bool cusp =
        point->what == ZW_CONT_FOLD && m->on.kind == ZW_BIFURCATION_FOLD && along < ZW_MARK_STILL;
    ZW_TRY(add_mark(m, point->x, point->a, cusp, err));
    double done = fabs(point->a - f->second.from) / fabs(f->second.to - f->second.from);
    f->stopped = f->options.stop && f->options.stop(f->options.stop_user, fmin(done, 1));
    return over || f->stopped ? ZW_STOPPED : ZW_OK;
}

/* --------------------------------------------------------------------------------------- curves */

/* X: room for the mark, with its value */
static zw_status create_curve(marks *m, const zw_forced_motion *start, double **X, zw_error *err) {
    zw_forced *f = m->f;
    ZW_TRY(zw_forced_load(f, start, err));
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
    memcpy(toward, f->x,
           sizeof(double) * (size_t)n); /* motions grow along their curve, as a rule */
    (*X)[n] = start->value;
    zw_status status = zw_special_curve_make(&m->on, &f->arena, &on, start->event, *X,
                                             f->p[f->second.parameter], toward, err);
    return status == ZW_RETRY ? zw_fail(err, ZW_E_NUMERIC, "the mark has no neighbours") : status;
}

/* does a curve of this kind pass there? */
static bool is_known(const zw_forced *f, const zw_forced_motion *start, double b) {
    double range = fabs(f->over.to - f->over.from);
    for (int i = 0; i + 1 < f->nmark; i++) {
        const zw_forced_mark *u = &f->mark[i], *v = &f->mark[i + 1];
        if (u->curve != v->curve || u->event != start->event ||
            (u->second - b) * (v->second - b) > 0)
            continue;
        double part = u->second == v->second ? 0 : (b - u->second) / (v->second - u->second);
        bool same = fabs(u->value + part * (v->value - u->value) - start->value) <=
                    NEAR * range + 0.1 * fabs(v->value - u->value);
        for (int k = 0; k < f->sys->nq && same; k++) {
            double rms = u->measure[k].rms + part * (v->measure[k].rms - u->measure[k].rms);
            same = fabs(rms - start->measure[k].rms) <=
                   0.02 * start->measure[k].rms + 1e-9 * f->width[k] +
                       0.2 * fabs(v->measure[k].rms - u->measure[k].rms);
        }
        if (same)
            return true;
    }
    return false;
}

static void reverse_marks(zw_forced *f, int first) {
    for (int i = first, k = f->nmark - 1; i < k; i++, k--) {
        zw_forced_mark keep = f->mark[i];
        f->mark[i] = f->mark[k];
        f->mark[k] = keep;
    }
}

static zw_status follow_curve(zw_forced *f, const zw_forced_motion *start, double b,
                              zw_error *err) {
    zw_cont_options o = zw_cont_options_default();
    o.low = fmin(f->second.from, f->second.to);
    o.high = fmax(f->second.from, f->second.to);
    o.step_max = f->options.step_max * 10;
    o.step = fmin(0.02, o.step_max);
    o.points_max = f->options.points_max;
    o.tolerance =
        start->event == ZW_BIFURCATION_FOLD ? 1e-10 : 1e-8; /* multipliers have an error */
    int first = f->nmark;
    if (!zw_arena_grow(&f->arena, (void **)&f->locus, f->nlocus, &f->locus_capacity,
                       sizeof *f->locus))
        return zw_out_of_memory(err, NULL);
    f->locus[f->nlocus] = (zw_forced_curve){.first = first};
    for (int side = 0; side < 2; side++) {
        marks m = {.f = f, .curve = f->nlocus, .skip = side == 1};
        double *X;
        zw_cont_info *info = &f->locus[f->nlocus].info[side];
        ZW_TRY(set_second(f, b, err));
        ZW_TRY(create_curve(&m, start, &X, err));
        zw_cont_problem p = zw_special_curve_problem(&m.on);
        if (b == (side ? o.high : o.low)) {
            *info = (zw_cont_info){.end = ZW_CONT_AT_BOUND};
            if (side == 0)
                ZW_TRY(add_mark(&m, X, b, false, err));
            continue;
        }
        ZW_TRY(
            zw_continue(&p, &o, X, b, side ? 1 : -1, accept_point, &m, info, &f->arena.alloc, err));
        if (info->end == ZW_CONT_ASKED && !f->stopped)
            info->end = ZW_CONT_AT_BOUND;
        if (side == 0)
            reverse_marks(f, first);
        if (info->end == ZW_CONT_CLOSED || f->stopped)
            break;
    }
    f->locus[f->nlocus++].n = f->nmark - first;
    return ZW_OK;
}

zw_status zw_forced_marks(zw_forced *f, const char *second, zw_error *err) {
    if (!f->has_over || f->options.free)
        return zw_fail(err, ZW_E_OPTION,
                       "curves of marks begin with marks on a curve over a parameter");
    ZW_TRY(zw_forced_tones_refuse(f, "--marks", err));
    ZW_TRY(zw_special_curve_second(&f->second, f->sys, second, &f->over, f->p, err));
    if (f->through)
        return zw_forced_kinks_marks(f, second, err);
    double b = f->p[f->second.parameter];
    bool given = f->given[f->second.parameter];
    f->given[f->second.parameter] = true;
    bool straight = f->straight; /* which it may not be for other values of the second */
    f->straight = false;
    zw_status status = ZW_OK;
    int motions = f->nmotion;
    for (int i = 0; i < motions && !f->stopped && status >= 0; i++) {
        zw_forced_motion start = f->motion[i];
        bool mark = start.curve >= 0 && start.event != ZW_BIFURCATION_POINT &&
                    start.event != ZW_BIFURCATION_END;
        /* where branches cross there is no one tangent, unless the other one breaks a symmetry that
         * is kept */
        bool crossing = start.event == ZW_BIFURCATION_BRANCH && !f->options.odd;
        f->crossings += mark && crossing;
        if (!mark || crossing || is_known(f, &start, b))
            continue;
        status = follow_curve(f, &start, b, err);
    }
    zw_status back = set_second(f, b, err);
    f->straight = straight;
    f->given[f->second.parameter] = given;
    return status < 0 ? status : back;
}

int zw_forced_mark_count(const zw_forced *f) {
    return f->nmark;
}

const zw_forced_mark *zw_forced_mark_at(const zw_forced *f, int number) {
    assert(number >= 0 && number < zw_forced_mark_count(f));
    return &f->mark[number];
}
