/* SPDX-License-Identifier: MIT */
/* Curves of marks of orbits in two parameters (mark_curve.h), in pieces of some points, between which the mesh follows the orbit; and what happens on them: zeros of
 *
 *     on folds               prod (mu + 1): fold and flip;  prod (mu - 1) of the others: 1:1;  d^2a/ds^2 of the orbits at fixed b: a cusp
 *     on period doublings    prod (mu - 1): fold and flip;  prod (mu + 1) of the others: 1:2;  c: generalised period doubling
 *     on Neimark-Sacker      with the half-sum s of the pair, whose product is 1:  s - 1: 1:1,  s + 1: 1:2,  s + 1/2: 1:3,  s: 1:4;  Re d: Chenciner;  prod (mu -+ 1)
 *
 * At 1:1 and 1:2 the pair becomes real: what follows are no Neimark-Sacker points, and the curve ends (Yu. A. Kuznetsov, Elements of Applied Bifurcation Theory (2004), chapter
 * 9). Coefficients of normal forms are asked for where the orbit passes nothing that is not smooth. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mark_curve.h"
#include "orbits.h"
#include "passing.h"

enum { PIECE = 8, BOUND = 0 };
/* the functions after BOUND, by kind */
enum { FOLD_FLIP = 1, FOLD_ONE, FOLD_TORUS, FOLD_CUSP, FOLD_TESTS };
enum { FLIP_FOLD = 1, FLIP_TWO, FLIP_COEFFICIENT, FLIP_TORUS, FLIP_TESTS };
enum {
    TORUS_ONE = 1,
    TORUS_TWO,
    TORUS_THREE,
    TORUS_FOUR,
    TORUS_COEFFICIENT,
    TORUS_FOLD,
    TORUS_FLIP,
    TORUS_TESTS
};
#define RESOLVED 1e-3 /* of its terms: by how much a coefficient may be wrong */
#define NEAR 2e-3     /* of a range: two curves pass the same place */

typedef struct walk {
    zw_orbits *o;
    zw_mark_curve on;
    zw_forced_event kind;
    bool smooth, skip, over, special;
    double b;
    double *own;      /* n + 1: how motions change along their branch at the last mark */
    double tangent_b; /* of the tangent in o->tangent */
    int points;
} walk;

/* ----------------------------------------------------------------------------------------------------- surface */

static zw_status set_second(void *user, double b, zw_error *err) {
    zw_orbits *o = ((walk *)user)->o;
    if (o->p[o->second.parameter] == b)
        return ZW_OK;
    o->p[o->second.parameter] = b;
    o->last_known = false;
    return zw_system_param_follow(o->sys, o->given, o->p, err);
}

static zw_status multipliers(void *user, const double *x, double a, const zw_floquet **out,
                             zw_error *err) {
    ZW_TRY(zw_orbits_multipliers(((walk *)user)->o, x, a, out, err));
    if (*out && !zw_orbits_trusted(*out))
        *out = NULL;
    return ZW_OK;
}

/* prod (mu + shift)/(1 + |mu|) of all but the trivial one and the one that is nearest to -shift */
static double others(const zw_floquet *m, double shift) {
    int nearest = -1;
    double complex product = 1;
    for (int i = 0; i < m->n; i++)
        if (i != m->trivial && (nearest < 0 || hypot(m->re[i] + shift, m->im[i]) <
                                                   hypot(m->re[nearest] + shift, m->im[nearest])))
            nearest = i;
    for (int i = 0; i < m->n; i++)
        if (i != m->trivial && i != nearest)
            product *= (m->re[i] + shift + I * m->im[i]) / (1 + hypot(m->re[i], m->im[i]));
    return m->n > 1 + (m->trivial >= 0) ? creal(product) : (double)NAN;
}

/* the half-sum of the pair, conjugate or real, whose product is nearest to 1 */
static double half_sum(const zw_floquet *m, int *first, int *second) {
    double best = INFINITY, sum = NAN;
    *first = *second = -1;
    for (int i = 0; i < m->n; i++)
        for (int j = i + 1; j < m->n; j++) {
            double complex product = (m->re[i] + I * m->im[i]) * (m->re[j] + I * m->im[j]);
            if (i == m->trivial || j == m->trivial || m->im[i] != -m->im[j] ||
                cabs(product - 1) >= best)
                continue;
            best = cabs(product - 1);
            sum = 0.5 * (m->re[i] + m->re[j]);
            *first = i;
            *second = j;
        }
    return sum;
}

/* prod (mu + shift) of all but the trivial one and the pair */
static double beside_pair(const zw_floquet *m, double shift, int first, int second) {
    double complex product = 1;
    int n = 0;
    for (int i = 0; i < m->n; i++)
        if (i != m->trivial && i != first && i != second) {
            product *= (m->re[i] + shift + I * m->im[i]) / (1 + hypot(m->re[i], m->im[i]));
            n++;
        }
    return n ? creal(product) : (double)NAN;
}

#define DOUBLE_ONE 1e-2 /* how far rounding moves the two multipliers 1 of a fold apart, at most */

/* |mu|^2 - 1 of the pair that is nearest to the circle; NaN: there is none. At a fold of an undriven model two multipliers are 1, which rounding makes a pair of:
 * `fold` leaves it out. */
static double nearest_pair(const zw_floquet *m, bool fold) {
    double best = NAN;
    for (int i = 0; i < m->n; i++) {
        double g = m->re[i] * m->re[i] + m->im[i] * m->im[i] - 1;
        bool own = fold && hypot(m->re[i] - 1, m->im[i]) < DOUBLE_ONE;
        if (m->im[i] > 0 && !own && !(fabs(g) >= fabs(best)))
            best = g;
    }
    return best;
}

static zw_status coefficient(walk *w, const double *X, bool judged, double *value, zw_error *err) {
    zw_cycle_normal n;
    zw_error trouble = {0};
    *value = NAN;
    if (!w->smooth || w->kind == ZW_FORCED_FOLD)
        return ZW_OK;
    zw_status status = zw_cycle_normal_find(
        &n, w->o->c, X, X[w->on.on.own.n],
        w->kind == ZW_FORCED_FLIP ? ZW_CYCLE_FLIP : ZW_CYCLE_TORUS, judged, NULL, NULL, &trouble);
    if (status == ZW_E_MEMORY)
        return zw_orbits_no_memory(err);
    if (status >= 0 && !(n.error > RESOLVED * n.size))
        *value = n.coefficient;
    return ZW_OK;
}

static zw_status tests(void *user, const double *X, double b, double *value, zw_error *err) {
    walk *w = user;
    zw_orbits *o = w->o;
    const zw_floquet *m;
    double a = X[w->on.on.own.n];
    int first, second;
    for (int i = 0; i < w->on.on.ntest; i++)
        value[i] = NAN;
    value[BOUND] = (a - fmin(o->over.from, o->over.to)) * (fmax(o->over.from, o->over.to) - a);
    ZW_TRY(set_second(w, b, err));
    ZW_TRY(multipliers(w, X, a, &m, err));
    if (!m)
        return ZW_OK;
    if (w->kind == ZW_FORCED_FOLD) {
        zw_status status = zw_mark_curve_bend(&w->on, X, b, &value[FOLD_CUSP], err);
        if (status < 0)
            return status;
        value[FOLD_FLIP] = zw_passing_flip(m);
        value[FOLD_ONE] = others(m, -1);
        value[FOLD_TORUS] = nearest_pair(m, true);
        return ZW_OK;
    }
    if (w->kind == ZW_FORCED_FLIP) {
        value[FLIP_FOLD] = zw_passing_branch(m, NULL, 1);
        value[FLIP_TWO] = others(m, 1);
        value[FLIP_TORUS] = nearest_pair(m, false);
        return coefficient(w, X, false, &value[FLIP_COEFFICIENT], err);
    }
    double s = half_sum(m, &first, &second);
    value[TORUS_ONE] = s - 1;
    value[TORUS_TWO] = s + 1;
    value[TORUS_THREE] = s + 0.5;
    value[TORUS_FOUR] = s;
    value[TORUS_FOLD] = beside_pair(m, -1, first, second);
    value[TORUS_FLIP] = beside_pair(m, 1, first, second);
    return coefficient(w, X, false, &value[TORUS_COEFFICIENT], err);
}

static zw_orbit_special special_of(zw_forced_event kind, int what) {
    static const zw_orbit_special fold[] = {[FOLD_FLIP] = ZW_ORBIT_FOLD_FLIP,
                                            [FOLD_ONE] = ZW_ORBIT_RESONANCE_1,
                                            [FOLD_TORUS] = ZW_ORBIT_FOLD_TORUS,
                                            [FOLD_CUSP] = ZW_ORBIT_CUSP},
                                  flip[] = {[FLIP_FOLD] = ZW_ORBIT_FOLD_FLIP,
                                            [FLIP_TWO] = ZW_ORBIT_RESONANCE_2,
                                            [FLIP_COEFFICIENT] = ZW_ORBIT_FLIP_DEGENERATE,
                                            [FLIP_TORUS] = ZW_ORBIT_FLIP_TORUS},
                                  torus[] = {[TORUS_ONE] = ZW_ORBIT_RESONANCE_1,
                                             [TORUS_TWO] = ZW_ORBIT_RESONANCE_2,
                                             [TORUS_THREE] = ZW_ORBIT_RESONANCE_3,
                                             [TORUS_FOUR] = ZW_ORBIT_RESONANCE_4,
                                             [TORUS_COEFFICIENT] = ZW_ORBIT_TORUS_DEGENERATE,
                                             [TORUS_FOLD] = ZW_ORBIT_FOLD_TORUS,
                                             [TORUS_FLIP] = ZW_ORBIT_FLIP_TORUS};
    if (what <= BOUND)
        return ZW_ORBIT_USUAL;
    return kind == ZW_FORCED_FOLD ? fold[what] : kind == ZW_FORCED_FLIP ? flip[what] : torus[what];
}

/* ------------------------------------------------------------------------------------------------------ points */

static zw_status keep(walk *w, const double *X, double b, zw_orbit_special special, zw_error *err) {
    zw_orbits *o = w->o;
    int n = w->on.on.own.n, first, second;
    const zw_floquet *m;
    double slope = 0, angle = NAN, form, period = zw_colloc_period(o->c, X);
    const double *drift;
    zw_forced_measure *measured = ZW_NEW(&o->arena, zw_forced_measure, o->nquantity + 1);
    if (!measured ||
        !zw_arena_grow(&o->arena, (void **)&o->mark, o->nmark, &o->mark_capacity, sizeof *o->mark))
        return zw_orbits_no_memory(err);
    ZW_TRY(set_second(w, b, err));
    ZW_TRY(multipliers(w, X, X[n], &m, err));
    if (m && w->kind == ZW_FORCED_TORUS)
        angle = acos(fmin(fmax(half_sum(m, &first, &second), -1), 1));
    ZW_TRY(coefficient(w, X, true, &form, err));
    ZW_TRY(zw_orbits_set(o, X[n], o->now, &period, &slope, err));
    ZW_TRY(zw_flow_set_parameters(o->flow, o->now, err));
    ZW_TRY(zw_orbits_measure(o, period, measured, &drift, err));
    o->mark[o->nmark++] = (zw_orbit_mark){.value = X[n],
                                          .second = b,
                                          .event = w->kind,
                                          .special = special,
                                          .period = period,
                                          .angle = angle,
                                          .coefficient = form,
                                          .curve = o->nlocus,
                                          .measure = measured};
    return ZW_OK;
}

static zw_status take(void *user, const zw_cont_point *point, zw_error *err) {
    walk *w = user;
    zw_orbits *o = w->o;
    int n = w->on.on.own.n;
    zw_orbit_special special = special_of(w->kind, point->what);
    zw_status status = zw_mark_curve_turn(&w->on, point->x, point->a, err);
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
    ZW_TRY(keep(w, point->x, point->a, special, err));
    w->points++;
    w->over = point->what == BOUND;
    w->special = w->kind == ZW_FORCED_TORUS &&
                 (special == ZW_ORBIT_RESONANCE_1 || special == ZW_ORBIT_RESONANCE_2);
    double done = fabs(point->a - o->second.from) / fabs(o->second.to - o->second.from);
    o->stopped = o->options.stop && o->options.stop(o->options.stop_user, fmin(done, 1));
    return w->over || w->special || o->stopped ? ZW_STOPPED : ZW_OK;
}

/* ------------------------------------------------------------------------------------------------------ curves */

/* does a curve of this kind pass there? */
static bool is_known(const zw_orbits *o, const zw_orbit_motion *start, double b) {
    double range = fabs(o->over.to - o->over.from);
    for (int i = 0; i + 1 < o->nmark; i++) {
        const zw_orbit_mark *u = &o->mark[i], *v = &o->mark[i + 1];
        if (u->curve != v->curve || u->event != start->event ||
            (u->second - b) * (v->second - b) > 0)
            continue;
        double part = u->second == v->second ? 0 : (b - u->second) / (v->second - u->second),
               value = u->value + part * (v->value - u->value),
               period = u->period + part * (v->period - u->period);
        if (fabs(value - start->value) <= NEAR * range + 0.1 * fabs(v->value - u->value) &&
            fabs(period - start->period) <=
                0.02 * start->period + 0.2 * fabs(v->period - u->period))
            return true;
    }
    return false;
}

/* sizes and mesh for the orbit in o->x; its value is behind it, and moves with it */
static zw_status adapt(walk *w, zw_error *err) {
    zw_orbits *o = w->o;
    double *list[] = {o->x, o->tangent, w->own};
    ZW_TRY(zw_orbits_rescale(o, zw_colloc_period(o->c, o->x), err));
    ZW_TRY(zw_colloc_adapt(o->c, zw_orbits_wanted(o, zw_colloc_error(o->c, o->x)), 3, list, err));
    o->last_known = false;
    return zw_colloc_refer(o->c, o->x, o->x[zw_colloc_problem(o->c).n], err);
}

/* From the mark in o->x (with its value) at w->b in the direction of o->tangent, one piece after the other. */
static zw_status go(walk *w, int direction, zw_cont_info *info, zw_error *err) {
    zw_orbits *o = w->o;
    zw_cont_options c = zw_cont_options_default();
    zw_status status = ZW_OK;
    bool toward = false;
    c.low = fmin(o->second.from, o->second.to);
    c.high = fmax(o->second.from, o->second.to);
    c.step_max = o->options.step_max * 10;
    c.step = fmin(0.02, c.step_max);
    c.tolerance = w->kind == ZW_FORCED_FOLD ? 1e-10 : 1e-9; /* multipliers have an error */
    for (;;) {
        zw_arena work;
        zw_arena_init(&work, &o->arena.alloc);
        zw_mark_surface on = {.user = w,
                              .own = zw_colloc_problem(o->c),
                              .range = c.high - c.low,
                              .set_second = set_second,
                              .multipliers = multipliers,
                              .ntest = w->kind == ZW_FORCED_FOLD   ? FOLD_TESTS
                                       : w->kind == ZW_FORCED_FLIP ? FLIP_TESTS
                                                                   : TORUS_TESTS,
                              .tests = tests};
        int n = on.own.n, before = w->points;
        double *X = ZW_NEW(&work, double, n + 2), *way = ZW_NEW(&work, double, n + 3);
        if (!X || !way) {
            zw_arena_clear(&work);
            return zw_orbits_no_memory(err);
        }
        memcpy(X, o->x, sizeof(double) * (size_t)(n + 1));
        memcpy(way, o->tangent, sizeof(double) * (size_t)(n + 1));
        way[n + 1] = w->tangent_b;
        status = zw_mark_curve_make(&w->on, &work, &on, w->kind, X, w->b, w->own, err);
        if (status == ZW_RETRY)
            status = zw_fail(err, ZW_E_NUMERIC, "the mark has no neighbours");
        zw_cont_problem p = zw_mark_curve_problem(&w->on);
        c.toward = toward ? way : NULL;
        c.points_max = PIECE;
        if (status >= 0)
            status = zw_continue(&p, &c, X, w->b, direction, take, w, info, &o->arena.alloc, err);
        zw_arena_clear(&work);
        if (status < 0 || info->end != ZW_CONT_POINTS || w->points == before ||
            w->points >= o->options.points_max)
            return status;
        c.step = info->step;
        ZW_TRY(adapt(w, err));
        toward = w->skip = true;
    }
}

static zw_status begin(walk *w, const zw_orbit_motion *start, double b, zw_error *err) {
    zw_orbits *o = w->o;
    char why[200];
    ZW_TRY(set_second(w, b, err));
    ZW_TRY(zw_orbits_load(o, start, err));
    int n = zw_colloc_problem(o->c).n;
    w->own = ZW_NEW(&o->arena, double, o->room);
    if (!w->own)
        return zw_orbits_no_memory(err);
    memcpy(o->tangent, start->tangent, sizeof(double) * (size_t)(n + 1));
    memcpy(w->own, start->tangent, sizeof(double) * (size_t)(n + 1));
    o->x[n] = start->value;
    w->b = b;
    ZW_TRY(zw_flow_set_parameters(o->flow, o->now, err));
    ZW_TRY(zw_orbits_find_kink(o, start->period, why, sizeof why, err));
    w->smooth = o->options.normal && !why[0];
    return ZW_OK;
}

static void reverse(zw_orbits *o, int first) {
    for (int i = first, k = o->nmark - 1; i < k; i++, k--) {
        zw_orbit_mark keep = o->mark[i];
        o->mark[i] = o->mark[k];
        o->mark[k] = keep;
    }
}

static zw_status follow(zw_orbits *o, const zw_orbit_motion *start, double b, zw_error *err) {
    int first = o->nmark;
    double low = fmin(o->second.from, o->second.to), high = fmax(o->second.from, o->second.to);
    zw_status status = ZW_OK;
    if (!zw_arena_grow(&o->arena, (void **)&o->locus, o->nlocus, &o->locus_capacity,
                       sizeof *o->locus))
        return zw_orbits_no_memory(err);
    zw_orbits_locus *l = &o->locus[o->nlocus];
    *l = (zw_orbits_locus){.first = first};
    for (int side = 0; side < 2 && status >= 0 && !o->stopped; side++) {
        walk w = {.o = o, .kind = start->event, .skip = side == 1 && o->nmark > first};
        zw_cont_info info = {.end = ZW_CONT_AT_BOUND};
        status = begin(&w, start, b, err);
        if (status >= 0 && b != (side ? high : low))
            status = go(&w, side ? 1 : -1, &info, err);
        if (info.end == ZW_CONT_ASKED && !o->stopped)
            info.end = ZW_CONT_AT_BOUND;
        l->end[side] = info.end;
        l->special[side] = w.special;
        memcpy(l->why[side], info.why, sizeof info.why);
        if (side == 0)
            reverse(o, first);
        if (info.end == ZW_CONT_CLOSED)
            break;
    }
    l->n = o->nmark - first;
    if (l->n < 2)
        o->nmark = first;
    else
        o->nlocus++;
    return status;
}

zw_status zw_orbits_marks(zw_orbits *o, const char *second, zw_error *err) {
    if (o->half.on || o->family.kind)
        return zw_fail(err, ZW_E_OPTION, "marks are followed of whole orbits over a parameter");
    if (o->group.n)
        return zw_fail(
            err, ZW_E_OPTION,
            "--marks: they are not followed where orbits come back turned by a symmetry");
    if (!o->has_over)
        return zw_fail(err, ZW_E_OPTION,
                       "curves of marks begin with marks on a branch over a parameter");
    ZW_TRY(zw_mark_curve_second(&o->second, o->sys, second, &o->over, o->p, err));
    double b = o->p[o->second.parameter];
    bool given = o->given[o->second.parameter];
    int motions = o->nmotion;
    zw_status status = ZW_OK;
    o->given[o->second.parameter] = true;
    if (o->options.normal) {
        status = zw_kernel_require(o->kernel, ZW_SET(SECOND) | ZW_SET(THIRD), err);
        if (status >= 0)
            status = zw_flow_renew(o->flow, err);
    }
    for (int i = 0; i < motions && !o->stopped && status >= 0; i++) {
        zw_orbit_motion start = o->motion[i];
        zw_error trouble = {0};
        bool mark = start.curve >= 0 && start.tangent &&
                    (start.event == ZW_FORCED_FOLD || start.event == ZW_FORCED_FLIP ||
                     start.event == ZW_FORCED_TORUS);
        /* where branches cross there is no one tangent */
        o->crossings += start.curve >= 0 && start.event == ZW_FORCED_BRANCH;
        if (!mark || is_known(o, &start, b))
            continue;
        status = follow(o, &start, b, &trouble);
        if (status == ZW_E_NUMERIC || status == ZW_E_SINGULAR || status == ZW_E_NONFINITE) {
            if (o->unfollowed++ == 0)
                snprintf(o->unfollowed_why, sizeof o->unfollowed_why, "%.190s", trouble.text);
            status = ZW_OK;
        } else if (status < 0 && err && !err->status) {
            *err = trouble;
        }
    }
    walk w = {.o = o};
    zw_status back = set_second(&w, b, NULL);
    o->given[o->second.parameter] = given;
    return status < 0 ? status : back;
}

int zw_orbits_mark_count(const zw_orbits *o) {
    return o->nmark;
}

const zw_orbit_mark *zw_orbits_mark_at(const zw_orbits *o, int number) {
    return &o->mark[number];
}
