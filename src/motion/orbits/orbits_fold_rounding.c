/* SPDX-License-Identifier: MIT */
/* Spurious folds caused by round-off. A branch turns back where da/ds changes its sign. On a part
 * with a single value of a, as at canard explosions (whose width is exp(-const/epsilon)), da/ds is
 * round-off and changes its sign many times. Points of a branch are known up to a fraction of the
 * unit of a; a fold at a_f counts if the nearest points on both sides that are farther from a_f
 * than that lie on the same side of it; of several at one place the outermost counts. The others
 * become ordinary points, and the place is reported as one warning. Where the mesh changes at a
 * fold, the branch is displaced by the error of its orbits, which exceeds round-off: so larger
 * distances are tried, too. A branch point at a fold is the multiplier 1 of the fold itself. */
#include <math.h>

#include "base/tolerance.h"
#include "motion/special_error.h"
#include "orbits.h"

enum { SCATTER = 3 };

/* Relative to the range of a: values that differ by less are equal. ZW_SAME_VALUE, for differences
 * of located points. */
#define VALUE_RESOLVED ZW_SAME_VALUE
/* Relative to the range of a: a branch point nearer to a fold is the multiplier 1 of the fold. Ten
 * times VALUE_RESOLVED, because multipliers are less accurate than values. */
#define FOLD_BRANCH_POINT 1e-8
/* Relative to the range of a: largest displacement of the branch by a change of the mesh, ten times
 * the default tolerance of orbits. */
#define MESH_DISPLACEMENT 1e-5
/* Relative to the range: a turn of the parameter that a fold must explain. Above VALUE_RESOLVED. */
#define TURN_MIN 1e-8
/* Ratio of periods on both sides of a fold from which the period may grow without bound, so that
 * all else is constant and values are errors of the mesh. */
#define PERIOD_GROWS 1.2

/* the next orbit in a direction whose value is different from that of the fold i; -1: none */
static int next_away(const zw_orbits *o, int first, int i, int direction, double least) {
    double own = FOLD_BRANCH_POINT * fabs(o->over.to - o->over.from);
    for (int k = i + direction; k >= first && k < o->nmotion; k += direction) {
        double away = fabs(o->motion[k].value - o->motion[i].value);
        if (away > (o->motion[k].event == ZW_BIFURCATION_BRANCH ? fmax(least, own) : least))
            return k;
    }
    return -1;
}

/* makes ordinary points of all folds between the orbits low and high but one (stays; -1: none) */
static int clear_folds(zw_orbits *o, int low, int high, int stays) {
    int n = 0;
    for (int k = low + 1; k < high; k++)
        if (o->motion[k].event == ZW_BIFURCATION_FOLD && k != stays) {
            o->motion[k].event = ZW_BIFURCATION_POINT;
            n++;
        }
    return n;
}

static void record_unresolved(zw_orbits *o, int low, int high) {
    double least = INFINITY, most = -INFINITY, shortest = INFINITY, longest = 0;
    for (int k = low + 1; k < high; k++) {
        least = fmin(least, o->motion[k].value);
        most = fmax(most, o->motion[k].value);
        shortest = fmin(shortest, o->motion[k].period);
        longest = fmax(longest, o->motion[k].period);
    }
    if (o->open.unresolved++ > 0)
        return;
    o->open.unresolved_value = 0.5 * (least + most);
    o->open.unresolved_by = fmax(most - least, VALUE_RESOLVED * fabs(o->over.to - o->over.from));
    o->open.unresolved_period[0] = shortest;
    o->open.unresolved_period[1] = longest;
}

/* the orbits around the fold i that are farther from it than `least`: does the branch turn between
 * them? */
static bool is_turning(const zw_orbits *o, int first, int i, double least, int *left, int *right,
                       double *sum) {
    *left = next_away(o, first, i, -1, least);
    *right = next_away(o, first, i, 1, least);
    double before = *left < 0 ? 0 : o->motion[*left].value - o->motion[i].value,
           after = *right < 0 ? 0 : o->motion[*right].value - o->motion[i].value;
    *sum = before + after;
    return before * after > 0;
}

/* Are there so many folds around orbit i that they are due to errors of the mesh? */
static bool is_scatter(const zw_orbits *o, int first, int i, double least) {
    int n = 0;
    for (int direction = -1; direction <= 1; direction += 2)
        for (int k = i + direction;
             k >= first && k < o->nmotion && fabs(o->motion[k].value - o->motion[i].value) <= least;
             k += direction)
            n += o->motion[k].event == ZW_BIFURCATION_FOLD;
    return n >= SCATTER;
}

void zw_orbits_select_folds(zw_orbits *o, int first) {
    double range = fabs(o->over.to - o->over.from);
    for (int i = first; i < o->nmotion; i++) {
        if (o->motion[i].event != ZW_BIFURCATION_FOLD)
            continue;
        int left = -1, right = -1, stays = i;
        double sum = 0;
        bool counts = false;
        bool scatter = is_scatter(o, first, i, MESH_DISPLACEMENT * range);
        for (double least = scatter ? MESH_DISPLACEMENT : VALUE_RESOLVED;
             least <= 1.01 * MESH_DISPLACEMENT && !counts; least *= 10)
            counts = is_turning(o, first, i, least * range, &left, &right, &sum);
        /* near a connecting orbit only the period changes, and values change by errors of the
         * mesh */
        int from = left, to = right;
        if (counts && right >= 0 && o->motion[right].period > PERIOD_GROWS * o->motion[left].period)
            counts = is_turning(o, first, i, MESH_DISPLACEMENT * range, &left, &right, &sum);
        if (counts) {
            left = from;
            right = to;
        } else if (!scatter)
            is_turning(o, first, i, VALUE_RESOLVED * range, &left, &right, &sum);
        int low = left < 0 ? first - 1 : left, high = right < 0 ? o->nmotion : right;
        for (int k = low + 1; k < high && counts; k++) { /* the outermost */
            if (o->motion[k].event == ZW_BIFURCATION_FOLD &&
                (o->motion[k].value - o->motion[stays].value) * sum < 0)
                stays = k;
            if (o->motion[k].event == ZW_BIFURCATION_BRANCH)
                o->motion[k].event = ZW_BIFURCATION_POINT;
        }
        if (clear_folds(o, low, high, counts ? stays : -1) > 0)
            record_unresolved(o, low, high);
        i = high - 1;
    }
}

/* the orbit at which a branch leaves another one, or ends on it, is the special point of
 * that one */
static bool is_meeting(const zw_orbits *o, int i) {
    const zw_orbits_branch *b = &o->branch[o->motion[i].curve];
    return (b->parent >= 0 && i == b->first) || (b->meets >= 0 && i == b->first + b->n - 1);
}

static zw_check_point point_of(const void *self, int i) {
    const zw_orbits *o = self;
    const zw_orbit_motion *m = &o->motion[i];
    bool known = m->accuracy <= ZW_MULTIPLIER_USABLE && !(m->trivial > ZW_MULTIPLIER_USABLE) &&
                 m->verdict != ZW_FLOQUET_UNDECIDED && !is_meeting(o, i);
    return (zw_check_point){m->value, known ? m->outside : -1, m->event};
}

int zw_orbits_check(const zw_orbits *o, int first, int n, zw_contradiction *out) {
    zw_check_points p = {point_of, o, first, n};
    return zw_branch_check(&p, TURN_MIN * fabs(o->over.to - o->over.from), out);
}

static zw_special_point special_of(const void *self, int i) {
    const zw_orbits *o = self;
    const zw_orbit_motion *m = &o->motion[i];
    return (zw_special_point){.value = m->value,
                              .quantity = m->period,
                              .event = m->event,
                              .n = m->nmultiplier,
                              .re = m->re,
                              .im = m->im,
                              .trivial = o->autonomous && !o->half.on,
                              .accuracy = fmax(m->accuracy, isnan(m->trivial) ? 0 : m->trivial),
                              .error = m->error};
}

void zw_orbits_known(const zw_orbits *o, int i, double *value, double *period) {
    const zw_orbits_branch *b = &o->branch[o->motion[i].curve];
    double m = o->options.stages;
    zw_special_points p = {special_of,     o, b->first, b->n, fabs(o->over.to - o->over.from),
                           2 * m / (m + 1)};
    zw_special_error(&p, i, value, period);
}
