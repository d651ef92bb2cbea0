/* SPDX-License-Identifier: MIT */
/* Where folds and multipliers of a curve contradict each other. At a fold of true motions a real
 * multiplier passes 1, and the number of real multipliers above 1 changes by one. The balance of a
 * few harmonics folds where its own equations are singular; multipliers are those of the model
 * along its motion, which is no motion of the model, and pass 1 somewhere else. From the fold to
 * there both cannot be right: nothing is said of the stability of these motions, and that a
 * multiplier passes 1 there is no branch point. The doubt has the multiplier at the fold. */
#include <math.h>

#include "forced.h"

#define MET 1e-7 /* from 1 to the nearest multiplier: a fold is where it must be */
/* of cycles it is the second one that is 1, and both are known to the root of their accuracy */
#define MET_TWICE 1e-4

/* the multiplier that is nearest to 1, but for one (-1: for none); -1: there are none */
static int nearest_multiplier(const zw_forced_motion *m, int but) {
    int best = -1;
    for (int i = 0; i < m->nmultiplier; i++)
        if (i != but &&
            (best < 0 || hypot(m->re[i] - 1, m->im[i]) < hypot(m->re[best] - 1, m->im[best])))
            best = i;
    return best;
}

/* that of cycles that is 1 anyway; -1: driven motions have none */
static int trivial_of(const zw_forced *f, const zw_forced_motion *m) {
    return f->cycles ? nearest_multiplier(m, -1) : -1;
}

/* real multipliers above 1; -1: not known */
static int count_above_one(const zw_forced *f, const zw_forced_motion *m) {
    int n = 0, trivial = trivial_of(f, m);
    for (int i = 0; i < m->nmultiplier; i++)
        n += i != trivial && m->im[i] == 0 && m->re[i] > 1;
    return m->nmultiplier ? n : -1;
}

static bool is_even(const zw_forced *f, const zw_forced_motion *a, const zw_forced_motion *b) {
    int before = count_above_one(f, a), behind = count_above_one(f, b);
    return before >= 0 && behind >= 0 && (before - behind) % 2 == 0;
}

/* The way from the fold `at`, to one side, on which the number does not change: how many motions,
 * and whether it ends where it does change. It goes to the next fold at most, or to the end of the
 * curve. */
static int way_to_change(const zw_forced *f, const zw_forced_curve *c, int at, int side,
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

/* how far the multiplier from 1 is that a fold needs there */
static double miss_of(const zw_forced *f, const zw_forced_motion *m) {
    int i = nearest_multiplier(m, trivial_of(f, m));
    return i < 0 ? INFINITY : hypot(m->re[i] - 1, m->im[i]);
}

static void retract_stability(zw_forced *f, int at, int side, int n) {
    for (int i = 0; i <= n; i++) {
        zw_forced_motion *m = &f->motion[at + side * i];
        m->verdict = ZW_FLOQUET_UNDECIDED;
        if (m->event == ZW_BIFURCATION_BRANCH)
            m->event = ZW_BIFURCATION_POINT;
    }
    double miss = miss_of(f, &f->motion[at]);
    f->conflicts += n;
    if (!(miss > f->conflict_miss))
        return;
    f->conflict_miss = miss;
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
        /* a multiplier is 1: that the number is the same on both sides has other reasons, as
         * another mark there */
        if (miss_of(f, &f->motion[i]) <= (f->cycles ? MET_TWICE : MET))
            continue;
        bool before, behind;
        int down = way_to_change(f, c, i, -1, &before), up = way_to_change(f, c, i, 1, &behind);
        if (before && (!behind || down <= up))
            retract_stability(f, i, -1, down);
        else if (behind)
            retract_stability(f, i, 1, up);
        else { /* no multiplier passes 1 between this fold and the next ones */
            retract_stability(f, i, -1, down);
            retract_stability(f, i, 1, up);
        }
    }
}

void zw_forced_conflict_warning(const zw_forced *f, zw_warnings *out) {
    if (!f->conflicts)
        return;
    const char *gap = f->over.unit[0] ? " " : "";
    zw_warning d =
        zw_warning_of("contrary", NAN,
                      "at the fold %s = %.9g%s%s a multiplier must be 1, and the nearest misses it "
                      "by %.2g: with harmonics up to %d "
                      "nothing is said of the stability from there to %.9g%s%s",
                      f->over.name, f->conflict_from / f->over.factor, gap, f->over.unit,
                      f->conflict_miss, f->top, f->conflict_to / f->over.factor, gap, f->over.unit);
    zw_warning_hint(&d,
                    "--harmonics %d has more; without it as many are taken as the tolerance asks "
                    "for",
                    2 * f->top + 1);
    zw_warnings_add(out, &d);
}
