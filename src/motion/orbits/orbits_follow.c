/* SPDX-License-Identifier: MIT */
/* Branches of orbits over a parameter: continuation in pieces of a few points, between which the
 * mesh is adapted to the orbit and the phase condition gets a new reference. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "branch/curve.h"
#include "motion/floquet/floquet_tests.h"
#include "motion/segments/periodic.h"
#include "orbits_family.h"
#include "orbits_pitchfork_end.h"
#include "orbits_stop.h"
#include "symmetric_orbit.h"

enum { BRANCH, FLIP, TORUS, STOP, TESTS, PIECE = 8, NO_CHANGE = 1 << 20, ROUNDS = 1 };

typedef struct branch_state {
    zw_orbits *o;
    zw_cont_problem own;
    int branch, points;
    bool stops; /* events of the model end motions */
    bool skip;  /* the first point is stored already */
    bool first; /* this piece is the one at the beginning of the branch */
    double value;
    double largest; /* size of the largest orbit */
    double *before; /* the previous orbit on the same mesh; NULL if none */
    bool shrinks, slows;
    char why[256];               /* why it ends; "" if interrupted */
    bool *counts;                /* nx: of a family, multipliers that are not always 1 */
    double passed, piece_length; /* arclength of the pieces before this one, and of this one */
    /* at the last point at which prod (mu - 1) is known; 0 if there is none */
    double s, slope, product;
    int known;
    double fold_at, branch_at; /* arclength of those since then; NaN if none */
    zw_orbits_turn turn;
    bool turned;     /* the branch may end at it */
    bool coarse;     /* the mesh is too coarse for the last orbit: the piece ends */
    int start, last; /* the first orbit of the branch, and the last one that is no special point */
    double away;     /* largest distance from the start */
    bool closed;
    /* multipliers outside the unit circle: at the last point, at the last evaluation of the tests,
     * and at the end of the step; -1 if unknown */
    int outside, now, to;
    int ones, pairs;           /* crossings since `outside` was known */
    int step_ones, step_pairs; /* crossings in this step */
    int change;                /* of the number outside in this step; NO_CHANGE if unknown */
} branch_state;

/* A branch that contradicts itself is followed once more with steps and a tolerance smaller by
 * these factors: two special points in one step then lie in different steps. */
#define RETRY_STEPS 0.25
#define RETRY_TOLERANCE 0.1
/* Times the tolerance: an orbit with a larger error gets a new mesh at once and not at the end of
 * the piece. Errors grow by less than that in a piece unless the period grows. */
#define REMESH_ERROR 3.0
/* In arclength: a special point nearer to the beginning of a branch is the one where it begins.
 * The first step is 200 times longer. */
#define SAME_POINT 1e-4
/* Relative to the range: values that differ by less stay the same on meshes with larger errors
 * (SLOWS_COARSE); the default tolerance of orbits. */
#define SAME_VALUE_COARSE 1e-6
/* Relative to the range of a coordinate: extreme values that stay the same while the period grows.
 * Those of canards change by their size. */
#define SAME_EXTREMES 1e-3
/* Growth of the period, while the value and the extremes stay, that counts as unbounded: over some
 * points at the same value, and over all points where values scatter by errors of the mesh. */
#define SLOWS 1.2
#define SLOWS_COARSE 3
/* In arclength: a start this far from a branch point has a regular matrix, and is nearer than the
 * first step. */
#define OFF_BRANCH_POINT 1e-2
/* Relative to the largest orbit of the branch: a smaller one has shrunk to a point. Orbits at Hopf
 * points begin at 0.02 of the width of a coordinate. */
#define POINT_SIZE 2e-3
/* Relative to the square of the step: largest square of the distance of the start from the chord of
 * a step that closes the branch. Curvature bends a step by less than a tenth of its length. */
#define CLOSING_DISTANCE 0.01
/* steps: how far a branch must have been from its start to close there */
#define CLOSING_AWAY 5.0
#define CLOSING_COSINE 0.9 /* of directions: a branch that closes arrives as it left */
/* Times the estimated error of a multiplier: it is then certainly off the unit circle. */
#define ERROR_SAFETY 10.0
/* Distance of a multiplier from 1 that is round-off, if its error is not larger, and the most that
 * its error may excuse: a branch point that is farther away leaves the direction defined. */
#define UNIT_MULTIPLIER ZW_ROUNDOFF_SUM
#define UNIT_MULTIPLIER_MAX 1e-8
/* Distance of a multiplier from the unit circle within which its side is left open: next to a
 * special point that is located, its number changes there anyway. */
#define ON_CIRCLE 1e-6
/* In arclength: steps that pass over several special points are not made shorter than that. */
#define SPLIT_MIN 1e-3
/* Relative to the arclength between the points around them: a turn and a multiplier that is 1 at
 * one place. */
#define SAME_PLACE 0.1
/* Relative to the mean of a coordinate, and to its width: the least size of a coordinate by which
 * distances between orbits are measured. */
#define MEASURE_MIN_MEAN 1e-6
#define MEASURE_MIN_WIDTH ZW_ROUNDOFF_SOLVED
/* In arclength: first step, 0.2 % of the range; the following ones are chosen by their errors. */
#define STEP_FIRST 0.02

/* -------------------------------------------------------------------------------------- problem */

/* An orbit that passes strongly attracting and repelling regions may have multipliers without a
 * correct digit: then the signs of their test functions mean nothing. */
bool zw_orbits_multipliers_usable(const zw_floquet *m) {
    bool met =
        m->trivial < 0 || hypot(m->re[m->trivial] - 1, m->im[m->trivial]) <= ZW_MULTIPLIER_USABLE;
    return met && m->accuracy <= ZW_MULTIPLIER_USABLE;
}

/* multipliers outside the unit circle; -1 if some lie on it within their errors */
static int count_outside(const branch_state *w, const zw_floquet *m, bool some) {
    int n = 0;
    for (int i = 0; i < m->n; i++) {
        double off = hypot(m->re[i], m->im[i]) - 1;
        if (i == m->trivial || (some && !w->counts[i])) /* it is always 1 */
            continue;
        if (w->o->family.kind || fabs(off) <= fmax(ERROR_SAFETY * m->error[i], ON_CIRCLE))
            return -1;
        n += off > 0;
    }
    return n;
}

static zw_status evaluate_tests(void *self, const double *x, double a, double slope, double *value,
                                zw_error *err) {
    branch_state *w = self;
    const zw_floquet *m;
    int event;
    value[BRANCH] = value[FLIP] = value[TORUS] = value[STOP] = NAN;
    w->now = -1;
    if (w->stops)
        ZW_TRY(zw_orbits_stop_distance(w->o, x, a, &value[STOP], &event, err));
    if (!w->o->options.stability)
        return ZW_OK;
    ZW_TRY(zw_orbits_multipliers(w->o, x, a, &m, err));
    if (m && zw_orbits_multipliers_usable(m)) {
        int ones = zw_orbits_unit_multipliers(w->o);
        if (ones)
            zw_orbits_nontrivial(m, ones, w->counts);
        value[BRANCH] = zw_floquet_test_branch(m, ones ? w->counts : NULL, slope);
        w->now = count_outside(w, m, ones > 0);
        value[FLIP] = zw_floquet_test_flip(m);
        if (!w->o->family.kind) /* in a family all pairs are on the circle */
            value[TORUS] = zw_floquet_test_torus(m);
    }
    return ZW_OK;
}

/* One multiplier crosses the unit circle at folds, branch points and period doublings, a pair at
 * Neimark-Sacker points: a step in which more of them cross is too long. */
static zw_status accept_step(void *self, const zw_cont_point *from, const zw_cont_point *to,
                             bool *yes, zw_error *err) {
    branch_state *w = self;
    (void)err;
    w->to = w->now;
    w->step_ones = zw_cont_changes(from, to, ZW_CONT_FOLD);
    w->step_pairs = zw_cont_changes(from, to, TORUS);
    for (int i = BRANCH; i <= TORUS; i++) { /* the test functions of multipliers */
        if (isnan(from->test[i] + to->test[i]))
            w->outside = -1;
        w->step_ones += i != TORUS && zw_cont_changes(from, to, i);
    }
    w->change = w->outside >= 0 && w->to >= 0 ? w->to - w->outside : NO_CHANGE;
    if (w->change != NO_CHANGE)
        *yes = zw_cont_explains(w->change, w->ones + w->step_ones, w->pairs + w->step_pairs);
    return ZW_OK;
}

/* updates the counts at an accepted point */
static void update_count(branch_state *w) {
    int now = w->to == NO_CHANGE ? w->now : w->to;
    if (now >= 0 || w->outside < 0) {
        w->outside = now;
        w->ones = w->pairs = 0;
    } else {
        w->ones += w->step_ones;
        w->pairs += w->step_pairs;
    }
}

/* At two real multipliers whose product is 1 none crosses: then other special points must explain
 * the change of the number. */
static zw_status confirm_zero(void *self, const zw_cont_point *zero, bool *yes, zw_error *err) {
    branch_state *w = self;
    const zw_floquet *m;
    if (zero->what != TORUS || w->change == NO_CHANGE)
        return ZW_OK;
    ZW_TRY(zw_orbits_multipliers(w->o, zero->x, zero->a, &m, err));
    if (m && !zw_floquet_test_has_pair(m) && !zw_floquet_test_has_two(m, -1) &&
        !zw_floquet_test_has_two(m, 1)) {
        w->step_pairs -= w->step_pairs > 0;
        *yes = zw_cont_explains(w->change, w->ones + w->step_ones, w->pairs + w->step_pairs);
    }
    return ZW_OK;
}

static zw_cont_problem problem_of(branch_state *w) {
    w->own = zw_orbits_problem(w->o);
    zw_cont_problem all = w->own;
    all.asks = w;
    all.ntest = w->o->options.stability || w->stops ? TESTS : 0;
    all.tests = evaluate_tests;
    all.accept = w->o->options.stability ? accept_step : NULL;
    all.confirm = w->o->options.stability ? confirm_zero : NULL;
    w->outside = -1;
    w->to = w->change = NO_CHANGE;
    return all;
}

/* --------------------------------------------------------------------------------------- points */

static zw_bifurcation event_of(branch_state *w, const zw_cont_point *point) {
    const zw_floquet *m;
    switch (point->what) {
    case ZW_CONT_FOLD:
        return ZW_BIFURCATION_FOLD;
    case ZW_CONT_BOUND:
        return ZW_BIFURCATION_END;
    case BRANCH:
        return ZW_BIFURCATION_BRANCH;
    case FLIP: /* of half an orbit: the symmetry breaks */
        return w->o->half.on ? ZW_BIFURCATION_BRANCH : ZW_BIFURCATION_FLIP;
    case TORUS:
        if (zw_orbits_multipliers(w->o, point->x, point->a, &m, NULL) < 0 || !m)
            return ZW_BIFURCATION_POINT;
        return zw_floquet_test_has_two(m, -1)  ? ZW_BIFURCATION_FLIP /* both cross it */
               : zw_floquet_test_has_two(m, 1) ? ZW_BIFURCATION_BRANCH
               : zw_floquet_test_has_pair(m)   ? ZW_BIFURCATION_TORUS
                                               : ZW_BIFURCATION_POINT;
    case STOP:
        return ZW_BIFURCATION_GRAZE;
    default:
        return ZW_BIFURCATION_POINT;
    }
}

/* the mean over the nodes of entry r */
static double mean_of(const zw_orbits *o, const double *x, int r) {
    int N = zw_colloc_intervals(o->c), stride = o->nx * (o->options.stages + 1);
    const double *mesh = zw_colloc_mesh(o->c);
    double sum = 0;
    for (int j = 0; j < N; j++)
        sum += 0.5 * (mesh[j + 1] - mesh[j] + (j ? mesh[j] - mesh[j - 1] : mesh[N] - mesh[N - 1])) *
               x[j * stride + r];
    return sum;
}

/* The product of two orbits, which may be the same, about their means, with coordinates scaled by
 * their widths in the model. Of orbits that close up to a symmetry only coordinates that the
 * symmetry does not move are used: near a relative equilibrium the others rotate for ever. */
static double orbit_product(const zw_orbits *o, const double *x, const double *y) {
    int N = zw_colloc_intervals(o->c), nq = o->sys->nq, stride = o->nx * (o->options.stages + 1);
    double sum = 0;
    for (int r = 0; r < nq; r++) {
        if (o->group.n && (o->group.moved[r] || !o->essential[r]))
            continue;
        double a = mean_of(o, x, r), b = mean_of(o, y, r), size = fmax(o->width[r], ZW_TINY);
        for (int j = 0; j < N; j++)
            sum += (x[j * stride + r] - a) * (y[j * stride + r] - b) / (size * size * N);
    }
    return sum;
}

/* Has the branch passed its end? Beyond the place where orbits shrink to a point, the equations
 * have the same orbits half a period later as solutions; beyond an infinite period, negative ones.
 * None of them is reported. */
static bool is_beyond_end(branch_state *w, const zw_cont_point *point) {
    zw_orbits *o = w->o;
    double size = sqrt(orbit_product(o, point->x, point->x));
    w->slows |= o->autonomous && !(zw_colloc_period(o->c, point->x) > 0);
    if (o->autonomous && (size < POINT_SIZE * w->largest ||
                          (w->before && orbit_product(o, point->x, w->before) < 0)))
        w->shrinks = true;
    w->largest = fmax(w->largest, size);
    return w->shrinks || w->slows;
}

static void forget_turn(branch_state *w) {
    w->fold_at = w->branch_at = NAN;
    w->turn.at = -1;
}

/* Between two points around a fold prod (mu - 1) changes its sign; if it does not, the turn is not
 * a fold (orbits_pitchfork_end.c), unless there is a branch point near it. `number` is the orbit at
 * the point. */
static bool is_turning(branch_state *w, const zw_cont_point *point, int number) {
    double slope = point->tangent[w->own.n], s = w->passed + point->s;
    if (!w->o->options.stability || w->o->nmotion == 0)
        return false;
    if (point->what == ZW_CONT_FOLD) {
        w->fold_at = s;
        w->turn.at = number;
    } else if (point->what == BRANCH) {
        w->branch_at = s;
    }
    double product = point->test[BRANCH] * slope;
    if (point->what != ZW_CONT_NOTHING || !(fabs(product) > 0) || slope == 0)
        return false;
    bool turned = w->slope * slope < 0 && w->product * product > 0 &&
                  !(fabs(w->fold_at - w->branch_at) > SAME_PLACE * (s - w->s));
    const zw_orbit_motion *u = &w->o->motion[w->known], *v = &w->o->motion[number];
    if (turned && (zw_orbits_has_near_one(w->o, u) || zw_orbits_has_near_one(w->o, v))) {
        w->turn.before = w->known;
        w->turn.after = number;
        /* a - a_0 is about proportional to the square of da/ds */
        double part = w->slope * w->slope / (w->slope * w->slope + slope * slope);
        w->turn.value = w->turn.at >= 0 ? w->o->motion[w->turn.at].value
                        : part > 0.5    ? v->value
                                        : u->value;
        return true;
    }
    w->s = s;
    w->slope = slope;
    w->product = product;
    w->known = number;
    forget_turn(w);
    return false;
}

/* ------------------------------------------------------------------------------ closed branches */

/* The inner product of the difference b - a of two orbits with d - c, by what does not depend on
 * the phase: value, period, and the measures of coordinates, scaled by the orbit at which the
 * branch begins. */
static double difference_product(const branch_state *w, const zw_orbit_motion *a,
                                 const zw_orbit_motion *b, const zw_orbit_motion *c,
                                 const zw_orbit_motion *d) {
    const zw_orbits *o = w->o;
    const zw_orbit_motion *start = &o->motion[w->start];
    double range = fabs(o->over.to - o->over.from),
           sum =
               (b->value - a->value) * (d->value - c->value) / (range * range) +
               (b->period - a->period) * (d->period - c->period) / (start->period * start->period);
    for (int k = 0; k < o->sys->nq; k++) {
        const zw_motion_measure *p = &a->measure[k], *q = &b->measure[k], *r = &c->measure[k],
                                *t = &d->measure[k];
        double size = fmax(
            start->measure[k].max - start->measure[k].min,
            fmax(MEASURE_MIN_MEAN * fabs(start->measure[k].mean), MEASURE_MIN_WIDTH * o->width[k]));
        sum += ((q->max - p->max) * (t->max - r->max) + (q->min - p->min) * (t->min - r->min) +
                (q->mean - p->mean) * (t->mean - r->mean) + (q->rms - p->rms) * (t->rms - r->rms)) /
               (size * size);
    }
    return sum;
}

/* Is the branch closed: do its last two points enclose its start, in the direction in which it
 * left, after it was away from it? */
static bool is_back(branch_state *w, const zw_cont_point *point) {
    zw_orbits *o = w->o;
    if (point->what != ZW_CONT_NOTHING || w->start >= o->nmotion)
        return false;
    int now = o->nmotion - 1, last = w->last;
    w->last = now;
    if (now <= w->start)
        return false;
    const zw_orbit_motion *start = &o->motion[w->start], *a = &o->motion[last],
                          *b = &o->motion[now];
    w->away = fmax(w->away, sqrt(difference_product(w, start, b, start, b)));
    if (last <= w->start + 2)
        return false;
    double chord = difference_product(w, a, b, a, b), along = difference_product(w, a, start, a, b),
           whole = difference_product(w, a, start, a, start), aside = whole - along * along / chord;
    if (!(along >= 0 && along <= chord && aside <= CLOSING_DISTANCE * chord &&
          w->away > CLOSING_AWAY * sqrt(chord)))
        return false;
    const zw_orbit_motion *next = start + 1;
    double left = difference_product(w, start, next, a, b),
           size = difference_product(w, start, next, start, next);
    return left > CLOSING_COSINE * sqrt(size * chord);
}

/* Does the branch end with its last orbit, which touches an event that ends motions or has crossed
 * it? If the branch began with an orbit that touches, the first orbit that crosses is removed. */
static zw_status check_stop(branch_state *w, const zw_cont_point *point, bool *ends,
                            zw_error *err) {
    zw_orbits *o = w->o;
    double distance;
    int event;
    *ends = w->stops && point->what == STOP;
    if (*ends) {
        ZW_TRY(zw_orbits_stop_distance(o, point->x, point->a, &distance, &event, err));
        if (event >= 0)
            zw_orbits_stop_words(o, event, w->why, sizeof w->why);
        return ZW_OK;
    }
    bool touching = o->begins == ZW_BIFURCATION_GRAZE && w->first;
    if (!w->stops || (touching && point->s == 0))
        return ZW_OK;
    ZW_TRY(zw_orbits_crosses_stop(o, o->nmotion - 1, w->why, sizeof w->why, ends, err));
    if (*ends && touching && o->nmotion - 1 == w->start + 1)
        o->nmotion--;
    return ZW_OK;
}

/* Does the last orbit need a finer mesh, and may it have one? A period that grows does so within a
 * few steps. */
static bool is_coarse(const zw_orbits *o) {
    double error = o->motion[o->nmotion - 1].error;
    return error > REMESH_ERROR * o->options.tolerance &&
           zw_orbits_needed_intervals(o, error) > zw_colloc_intervals(o->c);
}

static zw_status accept_point(void *user, const zw_cont_point *point, zw_error *err) {
    branch_state *w = user;
    bool ends;
    zw_orbits *o = w->o;
    size_t n = (size_t)w->own.n;
    if (is_beyond_end(w, point))
        return ZW_STOPPED;
    if (point->what == ZW_CONT_NOTHING)
        update_count(w);
    if (w->before)
        memcpy(w->before, point->x, sizeof(double) * n);
    zw_bifurcation event = event_of(w, point);
    memcpy(o->x, point->x, sizeof(double) * n);
    memcpy(o->tangent, point->tangent, sizeof(double) * (n + 1));
    w->value = point->a;
    if (w->skip) {
        w->skip = false;
        is_turning(w, point, o->nmotion - 1);
        return ZW_OK;
    }
    if (event != ZW_BIFURCATION_POINT && event == o->begins && w->first && point->s < SAME_POINT)
        return ZW_OK; /* the special point where it begins, once more */
    if (point->what == TORUS && event == ZW_BIFURCATION_POINT)
        return ZW_OK; /* two real multipliers whose product is one: no bifurcation */
    ZW_TRY(zw_orbits_add(o, point->a, event, w->branch, err));
    w->points++;
    ZW_TRY(check_stop(w, point, &ends, err));
    if (ends || (o->ends && o->ends(o->ends_user)))
        return ZW_STOPPED;
    if (is_back(w, point)) {
        zw_orbit_motion start = o->motion[w->start];
        start.event = ZW_BIFURCATION_POINT;
        start.curve = w->branch;
        o->motion[o->nmotion - 1] = start;
        w->closed = true;
        return ZW_STOPPED;
    }
    w->turned = is_turning(w, point, o->nmotion - 1);
    w->piece_length = point->s;
    w->coarse = point->what == ZW_CONT_NOTHING && is_coarse(o);
    if (w->turned || w->coarse)
        return ZW_STOPPED;
    double done = fabs(point->a - o->over.from) / fabs(o->over.to - o->over.from);
    o->stopped = o->options.stop && o->options.stop(o->options.stop_user, fmin(done, 1));
    return o->stopped ? ZW_STOPPED : ZW_OK;
}

/* ------------------------------------------------------------------------------------- branches */

/* adapts scales and mesh to the orbit in o->x, with the direction of the branch */
static zw_status adapt_mesh(zw_orbits *o, double value, zw_error *err) {
    double *list[] = {o->x, o->tangent};
    ZW_TRY(zw_orbits_rescale(o, zw_colloc_period(o->c, o->x), err));
    int next = zw_orbits_needed_intervals(o, zw_colloc_error(o->c, o->x));
    ZW_TRY(zw_orbits_adapt(o, next, 2, list, err));
    o->last_known = false;
    return zw_colloc_refer(o->c, o->x, zw_orbits_inner_value(o, o->x, value), err);
}

/* has the last of n motions whose multipliers are known a second multiplier 1? Near a connecting
 * orbit some are not known: they are too large for doubles. */
static bool is_in_family(const zw_orbit_motion *m, int n) {
    int last = n - 1, near = 0;
    while (last >= 0 && m[last].nmultiplier == 0)
        last--;
    if (last < 0)
        return true;
    m += last;
    for (int i = 0; i < m->nmultiplier; i++)
        near += hypot(m->re[i] - 1, m->im[i]) <= ZW_MULTIPLIER_USABLE;
    return m->accuracy <= ZW_MULTIPLIER_USABLE && near > (isnan(m->trivial) ? 0 : 1);
}

/* Do orbits form a family at one value of the parameter, as in a conservative or a linear system? A
 * canard has as narrow a range of values, but other multipliers. */
static bool is_at_one_value(const zw_orbits *o, const branch_state *w) {
    if (w->points < 2 * PIECE || !is_in_family(&o->motion[o->nmotion - 2 * PIECE], 2 * PIECE))
        return false;
    double range = fabs(o->over.to - o->over.from), low = INFINITY, high = -INFINITY;
    for (int i = o->nmotion - 2 * PIECE; i < o->nmotion; i++) {
        low = fmin(low, o->motion[i].value);
        high = fmax(high, o->motion[i].value);
    }
    return high - low < ZW_SAME_VALUE * range;
}

/* Have two orbits the same extreme values? Cycles that explode at one value (canards) have not.
 * Coordinates that turn are measured without their mean rate, which changes with the period, and
 * are not compared. */
static bool go_as_far(const zw_orbits *o, const zw_orbit_motion *a, const zw_orbit_motion *b) {
    for (int k = 0; k < o->sys->nq; k++) {
        const zw_motion_measure *p = &a->measure[k], *q = &b->measure[k];
        double most = SAME_EXTREMES * (q->max - q->min);
        if (o->turn[k] != 0 || (b->drift && b->drift[k] != 0))
            continue;
        if (fabs(p->max - q->max) > most || fabs(p->min - q->min) > most)
            return false;
    }
    return true;
}

/* Does the period of the last orbits, whose values differ by at most a fraction of the range, grow
 * by this factor, while extreme values stay? */
static bool slows_by(const zw_orbits *o, const branch_state *w, double part, double times) {
    const zw_orbit_motion *last = &o->motion[o->nmotion - 1], *first = last;
    double least = part * fabs(o->over.to - o->over.from);
    for (int i = 1; i < w->points && first[-1].period < first->period &&
                    fabs(first[-1].value - last->value) <= least;
         i++)
        first--;
    if (last - first < PIECE - 1 || last->period < o->options.period_max)
        return false;
    while (first < last - PIECE && last->period > times * first[1].period)
        first++;
    return last->period > times * first->period && go_as_far(o, first, last);
}

/* Does the period of an autonomous model grow without bound while all else stays? Then the branch
 * approaches a connecting orbit. On a coarse mesh values scatter by its error, and the period must
 * grow by more. */
static bool is_slowing(const zw_orbits *o, const branch_state *w) {
    return o->autonomous && w->points >= PIECE &&
           (slows_by(o, w, ZW_SAME_VALUE, SLOWS) ||
            slows_by(o, w, SAME_VALUE_COARSE, SLOWS_COARSE));
}

/* Decides a turn: either the branch ends there, or it continues, and the turn is counted as
 * unexplained. */
static zw_status settle_turn(branch_state *w, zw_cont_info *info, zw_error *err) {
    zw_orbits *o = w->o;
    bool ends;
    ZW_TRY(zw_orbits_end_at_turn(o, &w->turn, &ends, w->why, sizeof w->why, err));
    w->turned = false;
    if (ends)
        return ZW_OK;
    if (o->open.unclear++ == 0)
        o->open.unclear_value = w->turn.value;
    if (w->turn.at >= 0)
        o->motion[w->turn.at].event = ZW_BIFURCATION_POINT;
    ZW_TRY(zw_orbits_load(o, &o->motion[o->nmotion - 1], err)); /* its direction is still known */
    w->slope = w->product = 0;
    forget_turn(w);
    info->end = ZW_CONT_POINTS;
    return ZW_OK;
}

static zw_status follow_branch(zw_orbits *o, int branch, int side, double value, bool toward,
                               int direction, bool skip, zw_error *err) {
    zw_cont_options c = zw_cont_options_default();
    branch_state w = {.o = o, .branch = branch, .skip = skip, .first = true, .value = value};
    w.stops = zw_orbits_has_stops(o);
    if (!o->stop_side && !(o->stop_side = ZW_NEW(&o->arena, signed char, o->sys->nevent + 1)))
        return zw_out_of_memory(err, NULL);
    memset(o->stop_side, 0, (size_t)o->sys->nevent);
    c.low = fmin(o->over.from, o->over.to);
    c.high = fmax(o->over.from, o->over.to);
    if (o->family.kind) { /* the start may be outside: small oscillations */
        c.low = fmin(c.low, value);
        c.high = fmax(c.high, value);
    }
    if (!(w.counts = ZW_NEW(&o->work, bool, o->nx + 1)))
        return zw_out_of_memory(err, NULL);
    c.step_max = o->options.step_max * 10; /* the unit of a is a tenth of the range */
    c.step = fmin(STEP_FIRST, c.step_max);
    c.split = SPLIT_MIN;
    forget_turn(&w);
    w.start = w.last = skip ? o->nmotion - 1 : o->nmotion;
    zw_cont_end *end = &o->branch[branch].end[side];
    for (;;) {
        zw_cont_problem p = problem_of(&w);
        zw_cont_info info;
        int before = w.points;
        zw_arena_mark piece = zw_arena_mark_now(&o->work);
        double *x = ZW_NEW(&o->work, double, 3 * p.n + 6);
        if (!x)
            return zw_out_of_memory(err, NULL);
        double *direction_at = x + p.n + 1;
        w.before = direction_at + p.n + 2;
        memcpy(w.before, o->x, sizeof(double) * (size_t)p.n);
        memcpy(x, o->x, sizeof(double) * (size_t)p.n);
        memcpy(direction_at, o->tangent, sizeof(double) * (size_t)(p.n + 1));
        c.toward = toward ? direction_at : NULL;
        c.points_max = PIECE;
        zw_error trouble = {0};
        zw_status status = zw_continue(&p, &c, x, w.value, direction, accept_point, &w, &info,
                                       &o->arena.alloc, &trouble);
        if (status == ZW_E_NUMERIC && w.points > 0) { /* the points found so far stay */
            info.end = ZW_CONT_STUCK;
            snprintf(info.why, sizeof info.why, "%.250s", trouble.text);
        } else if (status < 0) {
            if (err && !err->status)
                *err = trouble;
            return status;
        }
        zw_unresolved_add(&o->branch[branch].open, &info);
        o->branch[branch].open.unsplit = 0; /* reported for all branches together */
        if (info.unsplit > 0 && o->open.unsplit++ == 0) {
            o->open.unsplit_value = info.unsplit_at;
            o->open.unsplit_by = info.unsplit_by;
        }
        o->branch[branch].shrinks[side] = w.shrinks;
        o->branch[branch].slows[side] = w.slows;
        if (w.coarse && info.end == ZW_CONT_ASKED && !w.turned)
            info.end = ZW_CONT_POINTS;
        if (w.turned)
            ZW_TRY(settle_turn(&w, &info, err));
        if (w.closed)
            info.end = ZW_CONT_CLOSED;
        *end = info.end;
        memcpy(o->branch[branch].why[side], w.why[0] ? w.why : info.why, sizeof info.why);
        if (info.end != ZW_CONT_POINTS || w.points == before)
            return ZW_OK;
        if (is_slowing(o, &w)) {
            *end = ZW_CONT_ASKED;
            o->branch[branch].slows[side] = true;
            return ZW_OK;
        }
        if (is_at_one_value(o, &w)) {
            *end = ZW_CONT_STUCK;
            snprintf(o->branch[branch].why[side], sizeof o->branch[branch].why[side],
                     "orbits form a family at this value of %s, or grow without bound",
                     o->over.name);
            return ZW_OK;
        }
        if (w.points >= o->options.points_max)
            return ZW_OK;
        c.step = info.step > 0 ? info.step : c.step;
        zw_arena_release(&o->work, piece);
        ZW_TRY(adapt_mesh(o, w.value, err));
        toward = w.skip = true;
        w.first = false;
        w.passed += w.piece_length;
    }
}

/* Follows a branch; if it contradicts itself, once more in shorter steps on finer meshes. What
 * remains then is reported. */
static zw_status follow_and_check(zw_orbits *o, int branch, int side, double value, bool toward,
                                  int direction, bool skip, zw_error *err) {
    int first = o->nmotion, from = skip ? first - 1 : first;
    zw_orbits_options as_asked = o->options;
    zw_orbits_open open = o->open;
    zw_unresolved walked = o->branch[branch].open;
    zw_orbits_saved_state start;
    zw_contradiction ignored;
    ZW_TRY(zw_orbits_save_state(o, value, &start, err));
    for (int round = 0;; round++) {
        zw_status status = follow_branch(o, branch, side, value, toward, direction, skip, err);
        o->options = as_asked;
        zw_orbits_select_folds(o, first);
        if (status < 0 || round == ROUNDS || o->stopped || o->family.kind || o->ends ||
            zw_orbits_check(o, from, o->nmotion - from, &ignored) == 0)
            return status;
        o->nmotion = first;
        o->open = open;
        o->branch[branch].open = walked;
        ZW_TRY(zw_orbits_restore_state(o, &start, err));
        for (int k = 0; k <= round; k++) {
            o->options.step_max *= RETRY_STEPS;
            o->options.tolerance *= RETRY_TOLERANCE;
        }
    }
}

zw_status zw_orbits_follow_side(zw_orbits *o, int branch, int side, double value, bool toward,
                                int direction, bool skip, zw_error *err) {
    int first = o->nmotion;
    zw_arena_mark mark = zw_arena_mark_now(&o->work);
    zw_status status = follow_and_check(o, branch, side, value, toward, direction, skip, err);
    zw_arena_release(&o->work, mark);
    if (o->options.stability)
        zw_orbits_check_pairs(o, first);
    if (status >= 0 && !o->family.kind)
        ZW_TRY(zw_orbits_normal(o, first, err));
    if (status >= 0)
        ZW_TRY(zw_orbits_refine_multipliers(o, first, err));
    if (status >= 0)
        ZW_TRY(zw_orbits_check_symmetry(o, first, err));
    return status;
}

int zw_orbits_new_branch(zw_orbits *o) {
    if (!zw_arena_grow(&o->arena, (void **)&o->branch, o->nbranch, &o->branch_capacity,
                       sizeof *o->branch))
        return -1;
    o->branch[o->nbranch] = (zw_orbits_branch){
        .first = o->nmotion, .hopf = NAN, .times = o->times, .parent = -1, .meets = -1};
    return o->nbranch++;
}

static void reverse_orbits(zw_orbits *o, int first, int n) {
    for (int i = 0; i < n / 2; i++) {
        zw_orbit_motion keep = o->motion[first + i];
        o->motion[first + i] = o->motion[first + n - 1 - i];
        o->motion[first + n - 1 - i] = keep;
    }
}

void zw_orbits_set_direction(zw_orbits *o, const double *tangent, int side) {
    int n = zw_orbits_problem(o).n, N = zw_colloc_intervals(o->c),
        stride = o->nx * (o->options.stages + 1), rest = n + 1 - N * stride;
    const double *tail = tangent + (o->half.on ? 2 : 1) * N * stride;
    double sign = (tail[rest - 1] < 0) == (side == 1) ? -1 : 1;
    for (int k = 0; k < N * stride; k++) /* of half an orbit: the first half of it */
        o->tangent[k] = sign * (o->half.on && k % stride >= o->nx ? 0.5 : 1) * tangent[k];
    for (int k = 0; k < rest; k++)
        o->tangent[N * stride + k] =
            sign * (o->half.on && k == 0 && o->autonomous ? 0.5 : 1) * tail[k];
}

/* moves o->x a short distance along o->tangent, and returns the value there */
static double step_aside(zw_orbits *o, double value) {
    int n = zw_orbits_problem(o).n;
    for (int k = 0; k < n; k++)
        o->x[k] += OFF_BRANCH_POINT * o->tangent[k];
    return value + OFF_BRANCH_POINT * o->tangent[n];
}

/* Fails where a multiplier is 1, because the direction of the branch is undefined there: orbits
 * form a family, or branches intersect. */
static zw_status reject_undirected(zw_orbits *o, const zw_orbit_motion *start, zw_error *err) {
    const zw_floquet *m;
    bool *counts = ZW_NEW(&o->arena, bool, o->nx + 1);
    if (!counts)
        return zw_out_of_memory(err, NULL);
    if (start->tangent || o->family.kind || !o->options.stability)
        return ZW_OK;
    ZW_TRY(zw_orbits_load(o, start, err));
    ZW_TRY(zw_orbits_multipliers(o, o->x, start->value, &m, err));
    if (!m || !zw_orbits_multipliers_usable(m))
        return ZW_OK;
    zw_orbits_nontrivial(m, zw_orbits_unit_multipliers(o), counts);
    for (int i = 0; i < m->n; i++) {
        if (i == m->trivial || !counts[i] ||
            !(hypot(m->re[i] - 1, m->im[i]) <=
              fmin(fmax(m->error[i], UNIT_MULTIPLIER), UNIT_MULTIPLIER_MAX)))
            continue;
        zw_fail(err, ZW_E_OPTION,
                "--over %s: at %.10g%s%s a multiplier is 1: the orbits form a family there, or "
                "branches meet, so the direction is not determined",
                o->over.name, start->value / o->over.factor, o->over.unit[0] ? " " : "",
                o->over.unit);
        zw_error_hint(err, "start at another value in the range: --set %s=...", o->over.name);
        return ZW_E_OPTION;
    }
    return ZW_OK;
}

zw_status zw_orbits_follow(zw_orbits *o, int number, zw_error *err) {
    if (!o->has_over)
        return zw_fail(err, ZW_E_OPTION, "a branch needs a parameter (--over)");
    ZW_TRY(zw_orbits_reject_free(o, err));
    ZW_TRY(zw_orbits_enter_range(o, number, err));
    zw_orbit_motion start = o->motion[number];
    ZW_TRY(reject_undirected(o, &start, err));
    bool crosses = start.tangent && start.event == ZW_BIFURCATION_BRANCH;
    o->times = start.curve >= 0 ? o->branch[start.curve].times : 1;
    int branch = zw_orbits_new_branch(o);
    if (branch < 0)
        return zw_out_of_memory(err, NULL);
    zw_status status = ZW_OK;
    for (int side = 0; side < 2 && status >= 0 && !o->stopped; side++) {
        double bound = side ? fmax(o->over.from, o->over.to) : fmin(o->over.from, o->over.to);
        ZW_TRY(zw_orbits_load(o, &start, err));
        if (o->family.kind && (side ? start.value >= bound : start.value <= bound)) {
            bound = start.value; /* away from the range */
        }
        if (start.value == bound && !(start.tangent && start.event == ZW_BIFURCATION_FOLD)) {
            o->branch[branch].end[side] = ZW_CONT_AT_BOUND;
            if (side == 0)
                status = zw_orbits_add(o, start.value, ZW_BIFURCATION_END, branch, err);
            continue;
        }
        double value = start.value;
        o->begins = start.tangent ? start.event : ZW_BIFURCATION_POINT;
        if (start.tangent) /* at a fold nothing can be corrected at a fixed value */
            zw_orbits_set_direction(o, start.tangent, side);
        if (crosses) /* at a branch point nothing can be corrected at all */
            value = step_aside(o, value);
        status = zw_orbits_follow_side(o, branch, side, value, start.tangent != NULL, side ? 1 : -1,
                                       side == 1 && !crosses, err);
        o->begins = ZW_BIFURCATION_POINT;
        if (side == 0 && o->nmotion > o->branch[branch].first) {
            reverse_orbits(o, o->branch[branch].first, o->nmotion - o->branch[branch].first);
            if (crosses) {
                ZW_TRY(zw_orbits_load(o, &start, err));
                ZW_TRY(zw_orbits_add(o, start.value, ZW_BIFURCATION_POINT, branch, err));
            }
            if (start.tangent) { /* it remains the special point that it was */
                o->motion[o->nmotion - 1].event = start.event;
                o->motion[o->nmotion - 1].tangent = start.tangent;
            }
        }
        if (o->branch[branch].end[0] == ZW_CONT_CLOSED)
            break;
    }
    o->branch[branch].n = o->nmotion - o->branch[branch].first;
    if (status == ZW_E_NUMERIC)
        zw_orbits_explain_family(o, branch, err);
    if (status >= 0 && !o->family.kind) /* of the special point at which it began */
        status = zw_orbits_normal(o, o->branch[branch].first, err);
    return status;
}
