/* SPDX-License-Identifier: MIT */
/* Contradictions between folds and multipliers of a curve. At a fold of true motions a real
 * multiplier crosses 1, and the number of real multipliers above 1 changes by one. Harmonic balance
 * with few harmonics folds where its own equations are singular; multipliers are those of the model
 * along its motion, which is no motion of the model, and cross 1 somewhere else. Between the fold
 * and that point one of both must be wrong: the stability of these motions is undecided, and the
 * point where a multiplier crosses 1 is no branch point. The warning has the multiplier at the
 * fold. */
#include <math.h>

#include "forced.h"

/* chosen by trial: distance of the nearest multiplier from 1 at a fold; separates folds of true
 * motions, where it is the error of their location, from those that only harmonic balance has */
#define MULTIPLIER_AT_FOLD 1e-7
/* of cycles it is the second */
/* the same for cycles, whose second multiplier must be 1: both are known to the root of their
 * error */
#define MULTIPLIER_AT_FOLD_CYCLES 1e-4

/* index of the multiplier nearest to 1, except one (-1: none is excepted); -1: there are none */
static int nearest_multiplier(const zw_forced_motion *m, int excluded) {
    int best = -1;
    for (int i = 0; i < m->nmultiplier; i++)
        if (i != excluded &&
            (best < 0 || hypot(m->re[i] - 1, m->im[i]) < hypot(m->re[best] - 1, m->im[best])))
            best = i;
    return best;
}

/* the multiplier of cycles that is always 1; -1: driven motions have none */
static int trivial_index(const zw_forced *f, const zw_forced_motion *m) {
    return f->cycles ? nearest_multiplier(m, -1) : -1;
}

/* number of real multipliers above 1; -1: not known */
static int count_above_one(const zw_forced *f, const zw_forced_motion *m) {
    int n = 0, trivial = trivial_index(f, m);
    for (int i = 0; i < m->nmultiplier; i++)
        n += i != trivial && m->im[i] == 0 && m->re[i] > 1;
    return m->nmultiplier ? n : -1;
}

static bool is_even(const zw_forced *f, const zw_forced_motion *a, const zw_forced_motion *b) {
    int before = count_above_one(f, a), after = count_above_one(f, b);
    return before >= 0 && after >= 0 && (before - after) % 2 == 0;
}

/* The motions from the fold `at`, to one side, along which the number does not change: how many,
 * and whether the interval ends where it does change. It extends at most to the next fold, or to
 * the end of the curve. */
static int interval_to_change(const zw_forced *f, const zw_forced_curve *c, int at, int side,
                              bool *changes) {
    int n = 0;
    *changes = false;
    for (int i = at + side;; i += side) {
        int next = i + side;
        if (next < c->first || next >= c->first + c->n)
            return n;
        const zw_forced_motion *m = &f->motion[i], *other = &f->motion[next];
        if (m->event == ZW_BIFURCATION_FOLD || count_above_one(f, m) < 0 ||
            count_above_one(f, other) < 0)
            return n;
        n++;
        if (m->event == ZW_BIFURCATION_BRANCH || !is_even(f, m, other)) {
            *changes = true;
            return n + (m->event != ZW_BIFURCATION_BRANCH && other->event == ZW_BIFURCATION_BRANCH);
        }
    }
}

/* the distance from 1 of the multiplier that must be 1 at a fold */
static double distance_at_fold(const zw_forced *f, const zw_forced_motion *m) {
    int i = nearest_multiplier(m, trivial_index(f, m));
    return i < 0 ? INFINITY : hypot(m->re[i] - 1, m->im[i]);
}

static void retract_stability(zw_forced *f, int at, int side, int n) {
    for (int i = 0; i <= n; i++) {
        zw_forced_motion *m = &f->motion[at + side * i];
        m->verdict = ZW_FLOQUET_UNDECIDED;
        if (m->event == ZW_BIFURCATION_BRANCH)
            m->event = ZW_BIFURCATION_POINT;
    }
    double distance = distance_at_fold(f, &f->motion[at]);
    f->conflicts += n;
    if (!(distance > f->conflict_miss))
        return;
    f->conflict_miss = distance;
    f->conflict_from = f->motion[at].value;
    f->conflict_to = f->motion[at + side * n].value;
}

void zw_forced_find_conflicts(zw_forced *f, int curve) {
    const zw_forced_curve *c = &f->curve[curve];
    if (f->options.free || f->slow || !f->options.stability || zw_forced_has_tones(f))
        return;
    for (int i = c->first + 1; i + 1 < c->first + c->n; i++) {
        if (f->motion[i].event != ZW_BIFURCATION_FOLD ||
            !is_even(f, &f->motion[i - 1], &f->motion[i + 1]))
            continue;
        /* a multiplier is 1: then the number is the same on both sides for another reason, such as
         * another special point there */
        if (distance_at_fold(f, &f->motion[i]) <=
            (f->cycles ? MULTIPLIER_AT_FOLD_CYCLES : MULTIPLIER_AT_FOLD))
            continue;
        bool before, after;
        int down = interval_to_change(f, c, i, -1, &before),
            up = interval_to_change(f, c, i, 1, &after);
        if (before && (!after || down <= up))
            retract_stability(f, i, -1, down);
        else if (after)
            retract_stability(f, i, 1, up);
        else { /* no multiplier crosses 1 between this fold and the next ones */
            retract_stability(f, i, -1, down);
            retract_stability(f, i, 1, up);
        }
    }
}

void zw_forced_conflict_warning(const zw_forced *f, zw_warnings *out) {
    if (!f->conflicts)
        return;
    const char *gap = f->over.unit[0] ? " " : "";
    zw_warning d = zw_warning_of(
        "contrary", NAN,
        "at the fold %s = %.9g%s%s a multiplier must be 1, and the nearest misses it "
        "by %.2g: with harmonics up to %d the stability from there to %.9g%s%s is not known",
        f->over.name, f->conflict_from / f->over.factor, gap, f->over.unit, f->conflict_miss,
        f->top, f->conflict_to / f->over.factor, gap, f->over.unit);
    zw_warning_hint(&d,
                    "--harmonics %d has more; without it as many are taken as the tolerance asks "
                    "for",
                    2 * f->top + 1);
    zw_warnings_add(out, &d);
}
