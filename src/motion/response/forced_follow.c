/* SPDX-License-Identifier: MIT */
/* Curves of forced motions over a parameter, with the functions of floquet_tests.h whose zeros are
 * reported as bifurcations. Where the highest harmonics or the estimate of the error are too large,
 * the curve continues with more harmonics. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "branch/curve.h"
#include "forced.h"
#include "motion/floquet/floquet_tests.h"
#include "motion/harmonic/balance.h"

/* motion of a coordinate relative to its size: beyond it the size is adapted, so that steps do not
 * become short */
#define SIZES_GROWN 8
/* relative to the motion of the largest coordinate with the same unit: size of a coordinate at
 * rest; smaller motions of it are no reason for short steps */
#define SIZE_OF_RESTING 1e-6
/* Highest harmonics, or error of the period, relative to the tolerance: with more a free motion
 * with the largest number of harmonics is no motion; the warning about harmonics begins at the same
 * factor. */
#define HARMONICS_TOO_FEW 10
/* steps relative to those before, of a curve that is followed again because it was inconsistent */
#define STEP_SHORTER 0.25
/* accuracy of multipliers that decides about stability: three digits */
#define ACCURACY_USABLE 1e-3
/* relative error of a period that does not belong to the energy at all */
#define PERIOD_WRONG 0.1
/* relative to the rms: a smaller oscillation of a quantity is rounding */
#define SWING_LEAST 1e-9
/* relative to the width of a coordinate: least size for steps, and difference of motions that are
 * the same */
#define WIDTH_LEAST 1e-6
/* relative to the rms: distance from a curve at which a motion lies on it, as interpolation between
 * two points is inexact */
#define RMS_SAME 0.002
/* relative to the unit of frequencies: free motions are not followed below it */
#define FREQUENCY_LEAST 1e-3
/* relative correction of free motions: near the equilibrium they differ from rest by little */
#define FAMILY_CORRECTED 1e-12
#define POINTS_LIMIT 1e9 /* largest number of points that fits into an int */
/* factor beyond SIZES_GROWN at which the size is adapted again, so that it does not change with
 * every step */
#define SCALE_AGAIN 1.5
/* relative to the width of a rotating angle: its size, if it rotates uniformly */
#define WINDING_SIZE 0.1
/* first step, in units of a tenth of the range: a short one, since the curvature is not known
 * yet */
#define STEP_FIRST 0.02

enum {
    BRANCH,
    FLIP,
    TORUS,
    TESTS,
    LOW = TESTS,
    HIGH,
    TESTS_FREE,
    CHECK_EVERY = 15,
    ROUNDS = 1,
    SHORT_STEPS = 600
};

typedef struct side_walk {
    zw_forced *f;
    int curve, points;
    bool skip;       /* the first point is known already */
    bool refine;     /* it ended because it needs more harmonics */
    bool again;      /* its last point is reported only with these */
    bool shrinks;    /* it ended where cycles shrink to rest, */
    bool halves;     /* or where they are cycles of half the period, */
    double born;     /* at this value */
    double value;    /* value of the last point */
    double *tangent; /* direction there: the coefficients of f->x, then a */
    int tangent_n;
} side_walk;

/* ---------------------------------------------------------------------------------------- tests */

/* free motions: without the two multipliers that are always 1, also at folds */
static double free_branch_test(const zw_floquet *m) {
    bool left[ZW_FORCED_FREE_MULTIPLIERS];
    if (m->n > ZW_FORCED_FREE_MULTIPLIERS)
        return NAN;
    zw_forced_free_outside(m, left);
    return zw_floquet_test_branch(m, left, 1);
}

/* A coordinate that has grown to many times its size is measured by a part of its motion: otherwise
 * steps would remain as short as where it was small. */
static bool update_scale(void *self, const double *x, double a) {
    zw_forced *f = self;
    bool changed = false;
    (void)a;
    for (int i = 0; i < f->sys->nq; i++) {
        double mean, rms;
        zw_harmonic_mean(f->balance, x, i, &mean, &rms);
        double oscillation_rms = sqrt(fmax(rms * rms - mean * mean, 0));
        if (oscillation_rms <= SCALE_AGAIN * SIZES_GROWN * f->scale[i])
            continue;
        f->scale[i] = oscillation_rms / SIZES_GROWN;
        changed = true;
    }
    if (changed) {
        zw_harmonic_scale(f->balance, f->scale, zw_forced_unit(f));
        zw_harmonic_scale(f->finer, f->scale, zw_forced_unit(f));
    }
    return changed;
}

static zw_status evaluate_tests(void *self, const double *x, double a, double slope, double *value,
                                zw_error *err) {
    zw_forced *f = self;
    const zw_floquet *m;
    value[BRANCH] = value[FLIP] = value[TORUS] = NAN;
    if (zw_forced_has_tones(f)) {
        zw_status status = zw_harmonic_singular(f->balance, x, a, &value[BRANCH], err);
        value[BRANCH] /= slope;
        return status < 0 ? status : ZW_OK;
    }
    ZW_TRY(zw_forced_multipliers(f, x, a, &m, err));
    if (m) {
        value[BRANCH] =
            f->options.free ? free_branch_test(m) : zw_floquet_test_branch(m, NULL, slope);
        value[FLIP] =
            f->slow ? (double)NAN : zw_floquet_test_flip(m); /* amplitudes have no period */
        value[TORUS] = f->options.free ? (double)NAN : zw_floquet_test_torus(m);
    }
    if (f->options.free) {
        double bound;
        const zw_parameter_range *range = &f->family.range;
        ZW_TRY(zw_forced_family_measure(f, x, a, &bound, err));
        value[LOW] = bound - fmin(range->from, range->to);
        value[HIGH] = bound - fmax(range->from, range->to);
    }
    return ZW_OK;
}

static zw_cont_problem curve_problem(zw_forced *f) {
    zw_cont_problem all = zw_harmonic_problem(f->balance);
    all.asks = f;
    all.measure = f->options.free ? NULL : update_scale;
    all.ntest = f->options.free                                  ? TESTS_FREE
                : f->options.stability || zw_forced_has_tones(f) ? TESTS
                                                                 : 0;
    all.tests = evaluate_tests;
    return all;
}

/* --------------------------------------------------------------------------------------- points */

/* Is there a complex pair on the unit circle? */
static bool has_pair(const zw_forced *f, const double *x, double value) {
    const zw_floquet *m;
    return zw_forced_multipliers((zw_forced *)f, x, value, &m, NULL) >= 0 && m &&
           zw_floquet_test_has_pair(m);
}

static zw_bifurcation special_event(const side_walk *w, const zw_cont_point *point) {
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
        return has_pair(w->f, point->x, point->a) ? ZW_BIFURCATION_TORUS : ZW_BIFURCATION_POINT;
    case LOW:
    case HIGH:
        return ZW_BIFURCATION_END;
    default:
        return ZW_BIFURCATION_POINT;
    }
}

/* the relative size of the two highest harmonics of the motion */
static double highest_harmonics_part(const zw_forced *f, const double *x) {
    int n = zw_harmonic_coefficients(f->balance), nq = f->sys->nq, from = n > 4 ? n - 4 : 0;
    if (zw_forced_has_tones(f)) /* the last combinations are not the highest ones */
        return 0;
    double tail = 0, all = 0;
    for (int i = 0; i < nq; i++)
        for (int k = 0; k < n; k++) {
            double c = x[i * n + k] / f->scale[i];
            all += c * c;
            tail += k >= from ? c * c : 0;
        }
    return all > 0 ? sqrt(tail / all) : 0;
}

/* Where the period of free motions grows without bound, as near a homoclinic orbit, no number of
 * harmonics is sufficient, and harmonic balance continues with solutions that are no motions:
 * energies that do not exist, frequencies down to zero. Before that all periods have about the same
 * energy, so that the error of the period grows (forced_period_error.c). */
static bool is_runaway(const zw_forced *f, const double *x, double period_error) {
    if (f->options.harmonics) /* the given harmonics, with the error that they have */
        return period_error > PERIOD_WRONG;
    return f->options.free && f->top >= f->options.harmonics_max &&
           fmax(highest_harmonics_part(f, x), period_error) >
               HARMONICS_TOO_FEW * f->options.tolerance;
}

static void ask_for_harmonics(side_walk *w, const zw_cont_point *point) {
    int n = zw_harmonic_problem(w->f->balance).n;
    w->refine = true;
    w->value = point->a;
    memcpy(w->tangent, point->tangent, sizeof(double) * (size_t)(n + 1));
    w->tangent_n = zw_harmonic_coefficients(w->f->balance);
}

/* the bound of the range that a point is on */
static double event_bound(const zw_forced *f, const zw_cont_point *point) {
    const zw_parameter_range *r = &f->family.range;
    return point->what == LOW ? fmin(r->from, r->to) : fmax(r->from, r->to);
}

static zw_status accept_point(void *user, const zw_cont_point *point, zw_error *err) {
    side_walk *w = user;
    zw_forced *f = w->f;
    zw_cont_problem p = zw_harmonic_problem(f->balance);
    zw_bifurcation event = special_event(w, point);
    bool last = false;
    if (w->skip) {
        w->skip = false;
        return ZW_OK;
    }
    if (point->what == TORUS && event == ZW_BIFURCATION_POINT)
        return ZW_OK; /* two real multipliers with product one: no bifurcation */
    double value = point->a, period_error, error = NAN;
    memcpy(f->x, point->x, sizeof(double) * (size_t)p.n);
    ZW_TRY(zw_forced_period_error(f, w->curve, value, &period_error, err));
    if (is_runaway(f, point->x, period_error)) {
        f->curve[w->curve].runaway = f->top;
        return ZW_STOPPED;
    }
    if (period_error > f->options.tolerance && zw_forced_may_grow(f) &&
        event == ZW_BIFURCATION_POINT) {
        ask_for_harmonics(w, point);
        w->again = true;
        return ZW_STOPPED;
    }
    if (zw_forced_has_tones(f) && event == ZW_BIFURCATION_POINT) {
        ZW_TRY(zw_forced_error(f, value, point->tangent, &error, err));
        if (error > f->options.tolerance && zw_forced_may_grow(f)) {
            ask_for_harmonics(w, point);
            w->again = true;
            return ZW_STOPPED;
        }
    }
    if (f->options.free) {
        bool in_range =
            zw_forced_in_range(f, point->test[LOW] + fmin(f->family.range.from, f->family.range.to),
                               event == ZW_BIFURCATION_END, &last);
        if (!in_range)
            return last ? ZW_STOPPED : ZW_OK;
        if (event == ZW_BIFURCATION_END)
            value = zw_forced_move_to_bound(f, value, event_bound(f, point));
    }
    if (f->cycles && zw_forced_cycles_shrink(f, point->x, value, &w->born)) {
        w->shrinks = true;
        return ZW_STOPPED;
    }
    /* at a branch point the matrix of the estimate is singular */
    bool with_error =
        event != ZW_BIFURCATION_BRANCH &&
        (event != ZW_BIFURCATION_POINT || (isnan(error) && w->points % CHECK_EVERY == 0));
    ZW_TRY(zw_forced_add_motion(f, value, with_error, point->tangent, event, w->curve, err));
    zw_forced_record_period_error(f, period_error);
    if (!isnan(error))
        zw_forced_record_error(f, error);
    w->points++;
    if (last || (f->ends_at_last && f->ends_at_last(f)))
        return ZW_STOPPED;
    if (f->cycles && !f->ends_at_last && zw_forced_cycles_halve(f)) {
        w->halves = true;
        w->born = f->motion[f->nmotion - 1].value;
        return ZW_STOPPED;
    }
    bool more_harmonics =
        zw_forced_may_grow(f) &&
        (f->needs_harmonics || highest_harmonics_part(f, f->x) > f->options.tolerance);
    const zw_forced_motion *m = &f->motion[f->nmotion - 1];
    bool is_inexact = f->options.stability && !zw_forced_has_tones(f) &&
                      (m->outside < 0 || m->accuracy > ACCURACY_USABLE);
    if (zw_forced_needs_shooting(f, more_harmonics ? zw_forced_more_harmonics(f) : f->top,
                                 is_inexact || w->points > SHORT_STEPS ||
                                     (f->options.harmonics && f->needs_harmonics)))
        return ZW_STOPPED;
    if (more_harmonics && event == ZW_BIFURCATION_POINT) {
        ask_for_harmonics(w, point);
        return ZW_STOPPED;
    }
    double done = fabs(point->a - f->over.from) / fabs(f->over.to - f->over.from);
    if (f->options.free)
        done = 1 - fabs(point->test[HIGH] / (f->family.range.to - f->family.range.from));
    f->stopped = f->options.stop && f->options.stop(f->options.stop_user, fmin(done, 1));
    return f->stopped ? ZW_STOPPED : ZW_OK;
}

/* --------------------------------------------------------------------------------------- curves */

/* half the range of a quantity, as the rms of a harmonic oscillation */
static double oscillation(const zw_motion_measure *m) {
    return fmax(M_SQRT1_2 * 0.5 * (m->max - m->min), SWING_LEAST * m->rms);
}

/* Does a position constraint contain both coordinates? Then one moves as far as the other, whether
 * it oscillates or not. */
static bool are_constrained_together(const zw_forced *f, int i, int k) {
    for (int r = 0; r < f->eq.npos; r++)
        if (zw_depends(f->sys->ctx, f->eq.phi[r], f->eq.q[i]) &&
            zw_depends(f->sys->ctx, f->eq.phi[r], f->eq.q[k]))
            return true;
    return false;
}

/* sizes by which steps are measured: those of the motion, and a part of the largest with the same
 * unit for coordinates at rest */
void zw_forced_scale_by(zw_forced *f, const zw_forced_motion *m) {
    int nq = f->sys->nq;
    double largest = 0; /* of all coordinates: sizes of those at rest are relative to it */
    for (int i = 0; i < nq; i++)
        largest = fmax(largest, oscillation(&m->measure[i]) / fmax(f->width[i], ZW_TINY));
    for (int i = 0; i < nq; i++) {
        double size = WIDTH_LEAST * f->width[i] * (largest > 0 ? fmin(largest, 1) : 1);
        for (int k = 0; k < nq; k++)
            if (strcmp(f->sys->coord[i].unit, f->sys->coord[k].unit) == 0)
                size =
                    fmax(size, (i == k || are_constrained_together(f, i, k) ? 1 : SIZE_OF_RESTING) *
                                   oscillation(&m->measure[k]));
        /* a rotating angle has the size of a turn, also if its rate is constant */
        if (f->winding && f->winding[i] != 0)
            size = fmax(size, WINDING_SIZE * f->width[i]);
        f->scale[i] = size;
    }
    zw_harmonic_scale(f->balance, f->scale, zw_forced_unit(f));
    zw_harmonic_scale(f->finer, f->scale, zw_forced_unit(f));
}

static zw_cont_options curve_options(const zw_forced *f) {
    zw_cont_options o = zw_cont_options_default();
    o.low = fmin(f->over.from, f->over.to);
    o.high = fmax(f->over.from, f->over.to);
    o.step_max = f->options.step_max * 10; /* the unit of a is a tenth of the range */
    o.step = fmin(STEP_FIRST, o.step_max);
    o.points_max = f->options.points_max;
    if (f->options.free) {
        o.low = FREQUENCY_LEAST * f->family.unit;
        o.high = INFINITY;
        o.step_max = f->options.step_max * 5;
        o.tolerance = FAMILY_CORRECTED;
    }
    return o;
}

static void add_info(zw_cont_info *all, const zw_cont_info *side_info) {
    all->points += side_info->points;
    all->located += side_info->located;
    all->rejected += side_info->rejected;
    all->lost += side_info->lost;
    if (side_info->rough && !all->rough) {
        all->rough_at = side_info->rough_at;
        all->rough_by = side_info->rough_by;
    }
    all->rough += side_info->rough;
    if (side_info->unsplit && !all->unsplit) {
        all->unsplit_at = side_info->unsplit_at;
        all->unsplit_by = side_info->unsplit_by;
    }
    all->unsplit += side_info->unsplit;
    all->factored += side_info->factored;
    all->end = side_info->end;
    memcpy(all->why, side_info->why, sizeof all->why);
}

/* adds harmonics, and embeds the direction of the curve */
static zw_status add_harmonics(side_walk *w, const double **toward, zw_error *err) {
    zw_forced *f = w->f;
    const double *old = w->tangent;
    ZW_TRY(zw_forced_set_harmonics(f, zw_forced_more_harmonics(f), err));
    zw_harmonic_scale(f->balance, f->scale, zw_forced_unit(f));
    zw_harmonic_scale(f->finer, f->scale, zw_forced_unit(f));
    int n = zw_harmonic_problem(f->balance).n;
    double *direction = ZW_NEW(&f->arena, double, n + 2);
    if (!direction)
        return zw_out_of_memory(err, NULL);
    zw_forced_copy_coefficients(f, f->nfunction, w->tangent_n, old, direction);
    direction[n] = old[f->nfunction * w->tangent_n + zw_harmonic_unfoldings(f->balance)];
    *toward = direction;
    return ZW_OK;
}

/* Follows one side, with more harmonics whenever it needs them. f->x is its first point, and its
 * last one each time. */
static zw_status follow_side(side_walk *w, double value, int direction, const double *toward,
                             zw_cont_info *info, zw_error *err) {
    zw_forced *f = w->f;
    zw_cont_options o = curve_options(f);
    o.toward = toward;
    bool again = false;
    *info = (zw_cont_info){0};
    w->value = value;
    for (;;) {
        zw_cont_problem all = curve_problem(f);
        zw_cont_info side_info;
        double *x = ZW_NEW(&f->arena, double, all.n + 1);
        w->tangent = ZW_NEW(&f->arena, double, all.n + 2);
        if (f->arena.failed)
            return zw_out_of_memory(err, NULL);
        memcpy(x, f->x, sizeof(double) * (size_t)all.n);
        w->refine = false;
        zw_error trouble = {0};
        zw_status status = zw_continue(&all, &o, x, w->value, direction, accept_point, w,
                                       &side_info, &f->arena.alloc, &trouble);
        if (status == ZW_E_NUMERIC && again) { /* more harmonics do not help either */
            side_info.end = ZW_CONT_ASKED;
            side_info.why[0] = '\0';
            f->curve[w->curve].runaway = f->top;
        } else if (status == ZW_E_NUMERIC && w->points > 0) { /* the part that was found remains */
            side_info.end = ZW_CONT_STUCK;
            memcpy(side_info.why, trouble.text, sizeof side_info.why - 1);
            side_info.why[sizeof side_info.why - 1] = '\0';
        } else if (status < 0) {
            if (err && !err->status)
                *err = trouble;
            return status;
        }
        add_info(info, &side_info);
        if (!w->refine)
            return ZW_OK;
        ZW_TRY(add_harmonics(w, &o.toward, err));
        again = w->again;
        w->skip = !again;
        w->again = false;
    }
}

static void reverse_motions(zw_forced *f, int first, int n) {
    for (int i = 0; i < n / 2; i++) {
        zw_forced_motion swap = f->motion[first + i];
        f->motion[first + i] = f->motion[first + n - 1 - i];
        f->motion[first + n - 1 - i] = swap;
    }
}

zw_status zw_forced_follow_side(zw_forced *f, int curve, double value, int direction,
                                const double *toward, bool skip, zw_cont_info *info,
                                zw_error *err) {
    side_walk w = {.f = f, .curve = curve, .skip = skip};
    return follow_side(&w, value, direction, toward, info, err);
}

zw_status zw_forced_new_curve(zw_forced *f, int *index, zw_error *err) {
    if (!zw_arena_grow(&f->arena, (void **)&f->curve, f->ncurve, &f->curve_capacity,
                       sizeof *f->curve))
        return zw_out_of_memory(err, NULL);
    *index = f->ncurve++;
    f->curve[*index] = (zw_forced_curve){.first = f->nmotion};
    return ZW_OK;
}

/* follows both sides of the curve through a motion */
static zw_status follow_both(zw_forced *f, int index, const zw_forced_motion *start,
                             zw_error *err) {
    f->curve[index] = (zw_forced_curve){.first = f->nmotion};
    for (int side = 0; side < 2; side++) {
        side_walk w = {.f = f, .curve = index, .skip = side == 1};
        bool at_end = start->value ==
                      (side ? fmax(f->over.from, f->over.to) : fmin(f->over.from, f->over.to));
        ZW_TRY(zw_forced_load_motion(f, start, err));
        zw_forced_scale_by(f, start);
        if (at_end && side == 1) {
            f->curve[index].info[side] = (zw_cont_info){.end = ZW_CONT_AT_BOUND};
            break;
        }
        if (at_end) { /* only the start */
            ZW_TRY(
                zw_forced_add_motion(f, start->value, true, NULL, ZW_BIFURCATION_END, index, err));
            f->curve[index].info[side] = (zw_cont_info){.end = ZW_CONT_AT_BOUND};
            continue;
        }
        if (f->curve[index].info[0].end == ZW_CONT_CLOSED)
            break;
        f->cycle_last_x = NULL;
        f->cycle_largest_square = 0;
        ZW_TRY(
            follow_side(&w, start->value, side ? 1 : -1, NULL, &f->curve[index].info[side], err));
        if (w.shrinks || w.halves) {
            f->curve[index].shrinks[side] = w.shrinks;
            f->curve[index].halves[side] = w.halves;
            f->curve[index].born[side] = w.born;
            f->curve[index].info[side].end = ZW_CONT_AT_BOUND;
        }
        if (side == 0)
            reverse_motions(f, f->curve[index].first, f->nmotion - f->curve[index].first);
        if (f->stopped || f->needs_shooting)
            break;
    }
    f->curve[index].n = f->nmotion - f->curve[index].first;
    zw_forced_remove_false_folds(f, index);
    return zw_forced_exponents_locate(f, index, err);
}

/* Follows the curve, and again with shorter steps if it is inconsistent. Remaining inconsistencies
 * give warnings. */
zw_status zw_forced_follow(zw_forced *f, int number, zw_error *err) {
    if (!f->has_over)
        return zw_fail(err, ZW_E_OPTION, "a curve needs a parameter to follow");
    if (f->motion[number].state)
        return zw_forced_kinks_follow(f, number, err);
    zw_forced_motion start = f->motion[number];
    double step = f->options.step_max, conflict_miss = f->conflict_miss, from = f->conflict_from,
           to = f->conflict_to;
    int index, conflicts = f->conflicts, points = f->options.points_max;
    ZW_TRY(zw_forced_new_curve(f, &index, err));
    for (int round = 0;; round++) {
        zw_status status = follow_both(f, index, &start, err);
        f->options.step_max = step;
        f->options.points_max = points;
        ZW_TRY(status);
        zw_forced_find_conflicts(f, index);
        if (round == ROUNDS || f->stopped || f->needs_shooting || f->options.free ||
            zw_forced_check(f, index) == 0)
            return ZW_OK;
        f->nmotion = f->curve[index].first;
        f->conflicts = conflicts;
        f->conflict_miss = conflict_miss;
        f->conflict_from = from;
        f->conflict_to = to;
        f->options.step_max *= STEP_SHORTER;
        f->options.points_max = (int)fmin(points / STEP_SHORTER, POINTS_LIMIT);
    }
}

/* Does a curve contain a motion at the value near this motion? */
static bool is_on_curve(const zw_forced *f, const zw_forced_motion *m) {
    for (int i = 0; i + 1 < f->nmotion; i++) {
        const zw_forced_motion *a = &f->motion[i], *b = &f->motion[i + 1];
        if (a->curve < 0 || a->curve != b->curve || a->march ||
            (a->value - m->value) * (b->value - m->value) > 0)
            continue;
        double s = a->value == b->value ? 0 : (m->value - a->value) / (b->value - a->value);
        bool same = true;
        for (int k = 0; k < f->sys->nq && same; k++) {
            const zw_motion_measure *u = &a->measure[k], *v = &b->measure[k], *w = &m->measure[k];
            double size = fmax(fmax(u->rms, v->rms), w->rms) + WIDTH_LEAST * f->width[k],
                   step = fabs(u->rms - v->rms) + RMS_SAME * size;
            same = fabs(u->rms + s * (v->rms - u->rms) - w->rms) <= step &&
                   fabs(u->mean + s * (v->mean - u->mean) - w->mean) <= step &&
                   fabs(u->max + s * (v->max - u->max) - w->max) <= 2 * step;
        }
        if (same)
            return true;
    }
    return false;
}

static zw_status follow_new(zw_forced *f, int from, zw_error *err) {
    int to = f->nmotion;
    for (int i = from; i < to && !f->stopped && !f->needs_shooting; i++)
        if (f->motion[i].curve < 0 && !is_on_curve(f, &f->motion[i]))
            ZW_TRY(zw_forced_follow(f, i, err));
    return ZW_OK;
}

zw_status zw_forced_curves(zw_forced *f, int values, int starts, zw_error *err) {
    zw_error trouble = {0};
    if (!f->has_over)
        return zw_fail(err, ZW_E_OPTION, "curves need a parameter: --over");
    for (int i = 0; i < values + 2 && !f->stopped && !f->needs_shooting; i++) {
        /* both ends first, then values between them */
        double fraction = i < 2 ? i : (double)(i - 1) / (values + 1);
        double value = i == 1 ? f->over.to : f->over.from + fraction * (f->over.to - f->over.from);
        int from = f->nmotion;
        trouble = (zw_error){0};
        zw_status status = zw_forced_find(f, value, NULL, &trouble);
        if (status < 0 && status != ZW_E_NUMERIC) {
            if (err)
                *err = trouble;
            return status;
        }
        int more = 0;
        if (starts > 0)
            ZW_TRY(zw_forced_search(f, value, starts, &more, err));
        if (i < 2 && status < 0 && more == 0) {
            f->empty_values++;
            f->empty_value = value;
        }
        ZW_TRY(follow_new(f, from, err));
    }
    bool nothing = !f->ncurve && !f->stopped && f->shoots;
    if (f->needs_shooting || nothing) {
        if (f->needs_shooting)
            zw_forced_kinks_begin(f);
        else
            zw_forced_kinks_give_up(f);
        return zw_forced_curves(f, values, starts, err);
    }
    if (!f->ncurve && !f->stopped) {
        if (err)
            *err = trouble;
        return trouble.status ? trouble.status
                              : zw_fail(err, ZW_E_NUMERIC, "no periodic motion was found");
    }
    return ZW_OK;
}
