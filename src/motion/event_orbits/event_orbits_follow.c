/* SPDX-License-Identifier: MIT */
/* Branches of orbits through events over a parameter, with the signature of their start. The
 * equations of the segments continue beyond the place where a surface is touched, so that it is
 * located as a zero like any other: of the slope with which an event is met, of the least distance
 * from an event that is not met, of the duration of the shortest segment. There the branch ends. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "branch/curve.h"
#include "event_orbits.h"
#include "motion/floquet/floquet_tests.h"
#include "motion/motion_words.h"
#include "motion/orbits/orbit_normal.h"
#include "motion/segments/periodic.h"

enum { BRANCH, FLIP, TORUS, CROSSING, CLEARANCE, SHORTEST, SLACK, TESTS };

/* A branch that contradicts itself is followed once more with steps shorter by this factor. */
#define RETRY_STEPS 0.25
/* Times the period of the start, with multipliers less accurate than SADDLE_ERROR: the orbit
 * approaches a saddle, near which disturbances grow too much to continue. */
#define PERIOD_GROWS 3
#define SADDLE_ERROR 1e-6
/* In arclength: a special point nearer to the beginning of a branch is the one where it begins. */
#define SAME_POINT 1e-4
/* In arclength: a start this far from a branch point has a regular matrix. */
#define OFF_BRANCH_POINT 1e-2
/* Relative to a step: a fold and a branch point at one place. */
#define SAME_PLACE 0.1
/* Relative to the period, per arclength: rate of a duration that passes through zero. One that
 * stays zero has a rate of round-off (ZW_SEGMENTED_NO_DURATION). */
#define DURATION_RATE_MIN 1e-6
/* In arclength: first step, 0.2 % of the range; the following ones are chosen by their errors. */
#define STEP_FIRST 0.02

typedef struct branch_state {
    zw_event_orbits *o;
    zw_cont_problem own;
    int branch, side, first; /* first: the orbit with which it begins */
    bool skip, ended;
    double period;         /* of its start */
    zw_bifurcation begins; /* special point at its beginning; ZW_BIFURCATION_POINT if none */
    /* multipliers outside of the unit circle: at the last evaluation of the tests, at the end of
     * the step, and at the point before it; -1 if unknown */
    int now, to, outside;
    double *split;         /* w of the previous point; NULL if its orbits do not have two rounds */
    double *split_now;     /* w of the present point */
    double slope, product; /* da/ds and prod (mu - 1) at the previous point */
    double s, fold_at, branch_at; /* its arclength, and those of special points after it */
    int known;                    /* number of orbits up to it */
} branch_state;

/* -------------------------------------------------------------------------------------- problem */

static zw_status evaluate_tests(void *self, const double *x, double a, double slope, double *value,
                                zw_error *err) {
    branch_state *w = self;
    const zw_floquet *f;
    const zw_segmented_margins *m;
    for (int i = 0; i < TESTS; i++)
        value[i] = NAN;
    w->now = -1;
    ZW_TRY(zw_segmented_evaluate(w->o, x, a, &f, &m, err));
    if (f && f->accuracy < ZW_MULTIPLIER_USABLE) {
        w->now = f->outside;
        value[BRANCH] = zw_floquet_test_branch(f, NULL, slope);
        value[FLIP] = zw_floquet_test_flip(f);
        value[TORUS] = zw_floquet_test_torus(f);
    }
    if (m) {
        value[CROSSING] = m->crossing;
        value[CLEARANCE] = m->clearance;
        value[SHORTEST] = m->shortest;
        value[SLACK] = m->slack;
    }
    return ZW_OK;
}

/* Where the segment between two events is empty, the branch meets another one along which it stays
 * empty: each of the two events acts at once on the state that the other one leaves. These are not
 * motions. A step that reaches them is repeated with a shorter length, as is one in which more
 * multipliers leave the unit circle than test functions explain: near grazing they are large. */
static zw_status accept_step(void *self, const zw_cont_point *from, const zw_cont_point *to,
                             bool *yes, zw_error *err) {
    branch_state *w = self;
    (void)err;
    int ones = zw_cont_changes(from, to, ZW_CONT_FOLD) + zw_cont_changes(from, to, BRANCH) +
               zw_cont_changes(from, to, FLIP);
    w->to = w->now;
    *yes = !(fabs(to->test[SHORTEST]) < ZW_SEGMENTED_NO_DURATION) &&
           !(w->split && zw_segmented_split(w->o, &w->o->now_signature, to->x, w->split_now) <
                             ZW_SEGMENTED_SAME_ROUNDS);
    if (*yes && w->outside >= 0 && w->to >= 0)
        *yes = zw_cont_explains(w->to - w->outside, ones, zw_cont_changes(from, to, TORUS));
    return ZW_OK;
}

/* the same at a zero: does the duration pass through zero? */
static zw_status confirm_zero(void *self, const zw_cont_point *zero, bool *yes, zw_error *err) {
    branch_state *w = self;
    zw_event_orbits *o = w->o;
    const zw_floquet *f;
    const zw_segmented_margins *m;
    *yes = true;
    if (zero->what != SHORTEST)
        return ZW_OK;
    ZW_TRY(zw_segmented_evaluate(o, zero->x, zero->a, &f, &m, err));
    if (!m)
        return ZW_OK;
    ptrdiff_t at = zw_segmented_duration(o->h, o->unknown, m->shortest_segment) - o->unknown;
    *yes = fabs(zero->tangent[at]) > DURATION_RATE_MIN * w->period;
    return ZW_OK;
}

static zw_cont_problem problem_of(branch_state *w) {
    w->own = zw_segmented_problem(w->o->h);
    zw_cont_problem all = w->own;
    all.asks = w;
    all.ntest = TESTS;
    all.tests = evaluate_tests;
    all.accept = accept_step;
    all.confirm = confirm_zero;
    return all;
}

/* --------------------------------------------------------------------------------------- points */

static zw_bifurcation event_of(branch_state *w, const zw_cont_point *point) {
    const zw_floquet *f;
    const zw_segmented_margins *m;
    switch (point->what) {
    case ZW_CONT_FOLD:
        return ZW_BIFURCATION_FOLD;
    case ZW_CONT_BOUND:
        return ZW_BIFURCATION_END;
    case BRANCH:
        return ZW_BIFURCATION_BRANCH;
    case FLIP:
        return ZW_BIFURCATION_FLIP;
    case TORUS:
        return zw_segmented_evaluate(w->o, point->x, point->a, &f, &m, NULL) >= 0 && f &&
                       zw_floquet_test_has_pair(f)
                   ? ZW_BIFURCATION_TORUS
                   : ZW_BIFURCATION_POINT;
    case CROSSING:
    case CLEARANCE:
    case SHORTEST:
    case SLACK:
        return ZW_BIFURCATION_GRAZE;
    default:
        return ZW_BIFURCATION_POINT;
    }
}

static const char *event_name(const zw_event_orbits *o, int segment) {
    return o->now_signature.event[segment] < 0 ? "the period" : o->now_signature.name[segment];
}

/* why the branch ends here; `what` is the test function, or -1 if one was crossed without a zero */
static void describe_end(branch_state *w, int what, const zw_segmented_margins *m) {
    zw_event_orbits *o = w->o;
    char *out = o->branch[w->branch].why[w->side];
    size_t size = sizeof o->branch[w->branch].why[w->side];
    o->branch[w->branch].grazes[w->side] = what >= 0;
    int n = o->now_signature.n;
    if (what == SHORTEST || (what < 0 && m->shortest < ZW_SEGMENTED_NO_DURATION))
        snprintf(out, size, "the events %s and %s meet",
                 event_name(o, (m->shortest_segment + n - 1) % n),
                 event_name(o, m->shortest_segment));
    else if (what == CROSSING || (what < 0 && m->crossing <= 0))
        snprintf(out, size, "grazing: the event %s is met tangentially",
                 event_name(o, m->crossing_segment));
    else if (what == CLEARANCE || (what < 0 && m->clearance <= 0))
        snprintf(out, size, "grazing: the motion touches the event %s, which it did not meet",
                 zw_segmented_event_name(o, o->watched[m->clearance_event], -1, -1));
    else
        snprintf(out, size, "a change of the impact of %s: what slides, sticks or parts in it",
                 event_name(o, m->slack_segment));
    w->ended = true;
}

/* ------------------------------------------------------------------------- halves of pitchforks */

/* A branch that reaches a period doubling, or a broken symmetry, from the side of the orbits that
 * are born there turns back without a fold: prod (mu - 1) does not change its sign
 * (orbits_pitchfork_end.c). Beyond that place are the same orbits half a period later, or their
 * mirror images. */

static bool has_two_rounds(const zw_segmented_signature *s) {
    for (int k = 0; k < s->n / 2; k++)
        if (s->segment[k].stage != s->segment[k + s->n / 2].stage ||
            s->segment[k].event != s->segment[k + s->n / 2].event ||
            s->segment[k].direction != s->segment[k + s->n / 2].direction)
            return false;
    return s->n > 0 && s->n % 2 == 0;
}

static zw_status prepare_split(branch_state *w, const double *x, zw_error *err) {
    zw_event_orbits *o = w->o;
    int n = o->now_signature.n * (o->nx + o->nmemory + 1);
    if (o->ends || !has_two_rounds(&o->now_signature))
        return ZW_OK;
    w->split = ZW_NEW(&o->arena, double, n + 1);
    w->split_now = ZW_NEW(&o->arena, double, n + 1);
    if (!w->split || !w->split_now)
        return zw_out_of_memory(err, NULL);
    if (zw_segmented_split(o, &o->now_signature, x, w->split) < ZW_SEGMENTED_SAME_ROUNDS)
        w->split = NULL; /* one round, repeated */
    return ZW_OK;
}

/* have the two rounds been exchanged, or become equal? */
static bool is_halved(branch_state *w, const zw_cont_point *point) {
    zw_event_orbits *o = w->o;
    int n = o->now_signature.n / 2 * (o->nx + o->nmemory + 1);
    double product = 0;
    if (!w->split)
        return false;
    double size = zw_segmented_split(o, &o->now_signature, point->x, w->split_now);
    for (int i = 0; i < n; i++)
        product += w->split[i] * w->split_now[i];
    memcpy(w->split, w->split_now, sizeof(double) * (size_t)n);
    return product < 0 || size < ZW_SEGMENTED_SAME_ROUNDS;
}

static bool is_turned(branch_state *w, const zw_cont_point *point) {
    double slope = point->slope, product = point->test[BRANCH] * slope, step = point->s - w->s;
    bool turned = !w->o->ends && w->slope * slope < 0 && w->product * product > 0 &&
                  fabs(w->fold_at - w->branch_at) <= SAME_PLACE * step;
    w->slope = slope;
    w->product = product;
    w->s = point->s;
    w->fold_at = w->branch_at = NAN;
    return turned;
}

/* ends the branch at the special point that was located last, or at the orbit before */
static void end_at_pitchfork(branch_state *w, bool halved) {
    zw_event_orbits *o = w->o;
    char *out = o->branch[w->branch].why[w->side];
    for (int i = w->known + 1; i < o->nmotion; i++) {
        bool better = !halved && o->motion[i].event_here == ZW_BIFURCATION_BRANCH;
        if (!better)
            continue;
        zw_segmented_motion keep = o->motion[w->known];
        o->motion[w->known] = o->motion[i];
        o->motion[i] = keep;
    }
    if (o->nmotion > w->known) {
        zw_segmented_discard(o, w->known + 1);
        if (halved)
            o->motion[w->known].event_here = ZW_BIFURCATION_END;
    }
    snprintf(out, sizeof o->branch[w->branch].why[w->side], "%s",
             halved ? "a period doubling of orbits of half the period: beyond it the branch "
                      "repeats the same orbits, shifted by half a period"
                    : "a symmetry-breaking point: beyond it the branch consists of the symmetric "
                      "images of its orbits");
    w->ended = true;
}

/* has the branch passed its end at this point? */
static bool is_beyond_pitchfork(branch_state *w, const zw_cont_point *point) {
    if (point->what == ZW_CONT_FOLD)
        w->fold_at = point->s;
    else if (point->what == BRANCH)
        w->branch_at = point->s;
    if (point->what != ZW_CONT_NOTHING)
        return false;
    bool halved = is_halved(w, point), turned = is_turned(w, point);
    if (halved || turned)
        end_at_pitchfork(w, halved);
    return halved || turned;
}

static zw_status store_tangent(branch_state *w, const double *tangent, zw_error *err) {
    size_t n = (size_t)w->own.n + 1;
    double *kept = ZW_NEW(&w->o->arena, double, n);
    if (!kept)
        return zw_out_of_memory(err, NULL);
    memcpy(kept, tangent, sizeof(double) * n);
    w->o->motion[w->o->nmotion - 1].tangent = kept;
    return ZW_OK;
}

static zw_status accept_point(void *user, const zw_cont_point *point, zw_error *err) {
    branch_state *w = user;
    zw_event_orbits *o = w->o;
    const zw_floquet *f;
    const zw_segmented_margins *m;
    zw_bifurcation event = event_of(w, point);
    if (point->what == ZW_CONT_NOTHING)
        w->outside = point->s == 0 ? w->now : w->to;
    if (is_beyond_pitchfork(w, point))
        return ZW_STOPPED;
    if (w->skip) {
        w->skip = false;
        w->known = o->nmotion;
        return ZW_OK;
    }
    if (point->what == TORUS && event == ZW_BIFURCATION_POINT)
        return ZW_OK; /* two real multipliers whose product is one */
    if (event != ZW_BIFURCATION_POINT && event == w->begins && point->s < SAME_POINT)
        return ZW_OK; /* the special point where it begins, once more */
    ZW_TRY(zw_segmented_evaluate(o, point->x, point->a, &f, &m, err));
    bool first = w->begins == ZW_BIFURCATION_GRAZE && point->s == 0; /* there the margin is zero */
    if (event != ZW_BIFURCATION_GRAZE && m && !first &&
        (m->crossing < 0 || m->clearance < 0 || m->shortest < ZW_SEGMENTED_NO_DURATION ||
         m->slack < 0)) {
        bool at_once = w->begins == ZW_BIFURCATION_GRAZE && o->nmotion - w->first <= 1;
        describe_end(w, -1, m);
        o->branch[w->branch].end[w->side] = at_once ? ZW_CONT_ASKED : ZW_CONT_STUCK;
        return ZW_STOPPED;
    }
    if (o->autonomous && f && !(f->accuracy < SADDLE_ERROR) &&
        zw_segmented_period(o->h, point->x) > PERIOD_GROWS * w->period) {
        snprintf(o->branch[w->branch].why[w->side], sizeof o->branch[w->branch].why[w->side],
                 "a period that grows without bound, near %.6g s: a saddle is approached",
                 zw_segmented_period(o->h, point->x));
        w->ended = true;
        return ZW_STOPPED;
    }
    memcpy(o->unknown, point->x, sizeof(double) * (size_t)w->own.n);
    ZW_TRY(zw_segmented_add(o, point->a, event, w->branch, NAN, err));
    if (point->what == ZW_CONT_NOTHING)
        w->known = o->nmotion; /* later special points lie after it */
    if (zw_motion_is_event(event))
        ZW_TRY(store_tangent(w, point->tangent, err));
    if (event == ZW_BIFURCATION_GRAZE && m) {
        describe_end(w, point->what, m);
        return ZW_STOPPED;
    }
    if (o->ends && o->ends(o->ends_user))
        return ZW_STOPPED;
    double done = fabs(point->a - o->over.from) / fabs(o->over.to - o->over.from);
    o->stopped = o->options.stop && o->options.stop(o->options.stop_user, fmin(done, 1));
    return o->stopped ? ZW_STOPPED : ZW_OK;
}

/* ------------------------------------------------------------------------------------- branches */

zw_status zw_segmented_load(zw_event_orbits *o, const zw_segmented_motion *m,
                            const zw_segmented_signature *s, zw_error *err) {
    ZW_TRY(zw_segmented_build(o, s, err));
    memcpy(o->unknown, m->unknown, sizeof(double) * (size_t)zw_segmented_problem(o->h).n);
    zw_segmented_refer(o->h, o->unknown);
    return ZW_OK;
}

static zw_status continue_side(zw_event_orbits *o, int branch, int side, double value,
                               const double *toward, zw_bifurcation begins, bool skip,
                               double step_max, zw_error *err) {
    zw_cont_options c = zw_cont_options_default();
    branch_state w = {.o = o,
                      .branch = branch,
                      .side = side,
                      .skip = skip,
                      .begins = begins,
                      .now = -1,
                      .slope = NAN,
                      .fold_at = NAN,
                      .branch_at = NAN,
                      .to = -1,
                      .outside = -1,
                      .first = skip ? o->nmotion - 1 : o->nmotion};
    zw_cont_info info;
    zw_cont_problem p = problem_of(&w);
    double *x = ZW_NEW(&o->arena, double, p.n + 1);
    if (!x)
        return zw_out_of_memory(err, NULL);
    memcpy(x, o->unknown, sizeof(double) * (size_t)p.n);
    w.period = zw_segmented_period(o->h, x);
    w.known = o->nmotion;
    ZW_TRY(prepare_split(&w, x, err));
    c.low = fmin(o->over.from, o->over.to);
    c.high = fmax(o->over.from, o->over.to);
    c.step_max = step_max * 10; /* the unit of a is a tenth of the range */
    c.step = fmin(STEP_FIRST, c.step_max);
    c.points_max = o->options.points_max;
    c.toward = toward;
    zw_status status =
        zw_continue(&p, &c, x, value, side ? 1 : -1, accept_point, &w, &info, &o->arena.alloc, err);
    zw_segmented_branch *b = &o->branch[branch];
    if (status < 0)
        return status;
    if (b->end[side] != ZW_CONT_STUCK)
        b->end[side] = info.end;
    if (!w.ended)
        snprintf(b->why[side], sizeof b->why[side], "%s", info.why);
    b->open[side] = (zw_unresolved){0};
    zw_unresolved_add(&b->open[side], &info);
    return ZW_OK;
}

/* Follows the branch; if it contradicts itself, once more in shorter steps. What remains then is
 * reported. */
zw_status zw_segmented_follow(zw_event_orbits *o, int branch, int side, double value,
                              const double *toward, zw_bifurcation begins, bool skip,
                              zw_error *err) {
    int first = o->nmotion, from = skip ? first - 1 : first, n = zw_segmented_problem(o->h).n;
    double *start = ZW_NEW(&o->arena, double, n + 1);
    zw_segmented_branch before = o->branch[branch];
    zw_contradiction ignored;
    if (!start)
        return zw_out_of_memory(err, NULL);
    memcpy(start, o->unknown, sizeof(double) * (size_t)n);
    ZW_TRY(continue_side(o, branch, side, value, toward, begins, skip, o->options.step_max, err));
    if (o->stopped || zw_segmented_check(o, from, o->nmotion - from, &ignored) == 0)
        return ZW_OK;
    zw_segmented_discard(o, first);
    o->branch[branch] = before;
    memcpy(o->unknown, start, sizeof(double) * (size_t)n);
    return continue_side(o, branch, side, value, toward, begins, skip,
                         RETRY_STEPS * o->options.step_max, err);
}

int zw_segmented_new_branch(zw_event_orbits *o) {
    if (!zw_arena_grow(&o->arena, (void **)&o->branch, o->nbranch, &o->branch_capacity,
                       sizeof *o->branch))
        return -1;
    o->branch[o->nbranch] = (zw_segmented_branch){.first = o->nmotion, .parent = -1, .meets = -1};
    return o->nbranch++;
}

void zw_segmented_discard(zw_event_orbits *o, int first) {
    while (o->nmotion > first)
        zw_shooting_clear((zw_shooting *)o->motion[--o->nmotion].record);
}

static void reverse_motions(zw_event_orbits *o, int first, int n) {
    for (int i = 0; i < n / 2; i++) {
        zw_segmented_motion keep = o->motion[first + i];
        zw_segmented_signature also = o->signature[first + i];
        o->motion[first + i] = o->motion[first + n - 1 - i];
        o->signature[first + i] = o->signature[first + n - 1 - i];
        o->motion[first + n - 1 - i] = keep;
        o->signature[first + n - 1 - i] = also;
    }
}

/* One side of the branch through an orbit. At a fold nothing can be corrected at a fixed value, at
 * a branch point nothing at all. */
static zw_status follow_side(zw_event_orbits *o, int branch, int side,
                             const zw_segmented_motion *start, zw_error *err) {
    int n = zw_segmented_problem(o->h).n;
    double value = start->value, *toward = NULL;
    bool crosses = start->tangent && start->event_here == ZW_BIFURCATION_BRANCH;
    if (start->tangent) {
        double sign = (start->tangent[n] < 0) == (side == 1) ? -1 : 1;
        toward = ZW_NEW(&o->arena, double, n + 1);
        if (!toward)
            return zw_out_of_memory(err, NULL);
        for (int i = 0; i <= n; i++)
            toward[i] = sign * start->tangent[i];
    }
    for (int i = 0; i <= n && crosses; i++)
        *(i < n ? &o->unknown[i] : &value) += OFF_BRANCH_POINT * toward[i];
    ZW_TRY(zw_segmented_follow(o, branch, side, value, toward,
                               start->tangent ? start->event_here : ZW_BIFURCATION_POINT,
                               side == 1 && !crosses, err));
    if (side == 1)
        return ZW_OK;
    reverse_motions(o, o->branch[branch].first, o->nmotion - o->branch[branch].first);
    if (crosses) {
        memcpy(o->unknown, start->unknown, sizeof(double) * (size_t)n);
        ZW_TRY(
            zw_segmented_add(o, start->value, ZW_BIFURCATION_POINT, branch, start->confirmed, err));
    }
    if (start->tangent &&
        o->nmotion > o->branch[branch].first) { /* it remains the special point that it was */
        o->motion[o->nmotion - 1].event_here = start->event_here;
        o->motion[o->nmotion - 1].tangent = start->tangent;
    }
    return ZW_OK;
}

zw_status zw_event_orbits_follow(zw_event_orbits *o, int number, zw_error *err) {
    if (!o->has_over)
        return zw_fail(err, ZW_E_OPTION, "a branch needs a parameter (--over)");
    zw_segmented_motion start = o->motion[number];
    zw_segmented_signature signature = o->signature[number];
    int branch = zw_segmented_new_branch(o);
    if (branch < 0)
        return zw_out_of_memory(err, NULL);
    zw_status status = ZW_OK;
    for (int side = 0; side < 2 && status >= 0 && !o->stopped; side++) {
        double bound = side ? fmax(o->over.from, o->over.to) : fmin(o->over.from, o->over.to);
        ZW_TRY(zw_segmented_load(o, &start, &signature, err));
        if (start.value == bound && !(start.tangent && start.event_here == ZW_BIFURCATION_FOLD)) {
            o->branch[branch].end[side] = ZW_CONT_AT_BOUND;
            if (side == 0)
                status = zw_segmented_add(o, start.value, ZW_BIFURCATION_END, branch,
                                          start.confirmed, err);
            continue;
        }
        status = follow_side(o, branch, side, &start, err);
        if (o->branch[branch].end[0] == ZW_CONT_CLOSED)
            break;
    }
    o->branch[branch].n = o->nmotion - o->branch[branch].first;
    if (status >= 0)
        status = zw_segmented_find_normals(o, o->branch[branch].first, err);
    return zw_segmented_judge_memory(o, status, err);
}

/* --------------------------------------------------------------------------------- normal forms */

/* Relative to the size of its terms: largest change of a coefficient by another step of the
 * differences. A coefficient of the size of its terms then has one to two correct digits. */
#define COEFFICIENT_ERROR_MAX 0.02

static zw_status find_normal(zw_event_orbits *o, int number, zw_error *err) {
    zw_segmented_motion *m = &o->motion[number];
    zw_error trouble = {0};
    zw_orbit_normal *n = ZW_NEW(&o->arena, zw_orbit_normal, 1);
    double *q = ZW_NEW(&o->arena, double, o->nx + 1);
    if (!n || !q)
        return zw_out_of_memory(err, NULL);
    *n = (zw_orbit_normal){.q_re = q};
    m->normal = n;
    ZW_TRY(zw_segmented_load(o, m, &o->signature[number], err));
    zw_status status =
        zw_segmented_normal(o->h, m->unknown, m->value,
                            m->event_here == ZW_BIFURCATION_FOLD ? ZW_CYCLE_FOLD : ZW_CYCLE_FLIP,
                            &n->form, q, &trouble);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    if (status != ZW_OK)
        snprintf(n->why, sizeof n->why, "%.200s", trouble.text[0] ? trouble.text : "not found");
    else if (!(n->form.error <= COEFFICIENT_ERROR_MAX * n->form.size))
        snprintf(n->why, sizeof n->why, "differences of two steps disagree: %.3g to %.1g",
                 n->form.coefficient, n->form.error);
    else
        n->criticality = zw_orbits_criticality(&n->form);
    return ZW_OK;
}

zw_status zw_segmented_find_normals(zw_event_orbits *o, int first, zw_error *err) {
    for (int i = first; i < o->nmotion && o->options.normal && !o->stopped; i++)
        if (!o->motion[i].normal && (o->motion[i].event_here == ZW_BIFURCATION_FOLD ||
                                     o->motion[i].event_here == ZW_BIFURCATION_FLIP))
            ZW_TRY(find_normal(o, i, err));
    return ZW_OK;
}

/* ------------------------------------------------------------------------------- beyond grazing */

/* Relative to the range: where a run is made beyond the end of a branch; well above the error of
 * the end, and below a step of the default length. */
#define BEYOND_STEP 1e-3

/* is the last motion on a branch that has its events? */
static bool is_followed(const zw_event_orbits *o) {
    const zw_segmented_motion *m = &o->motion[o->nmotion - 1];
    for (int i = 0; i < o->nbranch; i++) {
        const zw_segmented_branch *b = &o->branch[i];
        double low = INFINITY, high = -INFINITY;
        for (int k = b->first; k < b->first + b->n; k++) {
            low = fmin(low, o->motion[k].value);
            high = fmax(high, o->motion[k].value);
        }
        if (b->n && strcmp(o->motion[b->first].signature, m->signature) == 0 && m->value >= low &&
            m->value <= high)
            return true;
    }
    return false;
}

static void add_why(zw_segmented_branch *b, int side, const char *text, const char *what) {
    size_t used = strlen(b->why[side]);
    snprintf(b->why[side] + used, sizeof b->why[side] - used, text, what);
}

/* the motion of a run beyond the end of a branch; *number -1 if it is known */
static zw_status run_beyond_end(zw_event_orbits *o, int branch, int side, int *number,
                                zw_error *err) {
    const zw_segmented_branch *b = &o->branch[branch];
    int at = side ? b->first + b->n - 1 : b->first, before = side ? at - 1 : at + 1;
    double range = fabs(o->over.to - o->over.from), end = o->motion[at].value,
           value = end + (end > o->motion[before].value ? 1 : -1) * BEYOND_STEP * range;
    zw_error why = {0};
    *number = -1;
    if (b->n < 2 || value < fmin(o->over.from, o->over.to) ||
        value > fmax(o->over.from, o->over.to))
        return ZW_OK;
    zw_status status =
        zw_segmented_judge_memory(o, zw_segmented_find_near(o, at, value, &why), &why);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    zw_segmented_branch *now = &o->branch[branch];
    if (status != ZW_OK) {
        add_why(now, side, "%s", "; beyond it a run leads to no orbit");
        return ZW_OK;
    }
    const char *events = o->motion[o->nmotion - 1].signature;
    add_why(now, side, "; beyond it a run leads to the events %.100s", events[0] ? events : "none");
    if (!is_followed(o))
        *number = o->nmotion - 1;
    return ZW_OK;
}

zw_status zw_event_orbits_beyond(zw_event_orbits *o, int most, zw_error *err) {
    for (int i = 0; i < o->nbranch && !o->stopped; i++)
        for (int side = 0; side < 2 && !o->stopped; side++) {
            int number = -1;
            if (!o->branch[i].grazes[side] || o->branch[i].run_beyond[side])
                continue;
            o->branch[i].run_beyond[side] = true;
            ZW_TRY(run_beyond_end(o, i, side, &number, err));
            if (number >= 0 && o->nbranch <= most)
                ZW_TRY(zw_event_orbits_follow(o, number, err));
        }
    return ZW_OK;
}
