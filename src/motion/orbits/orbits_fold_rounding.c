/* SPDX-License-Identifier: MIT */
/* Folds that are none. A branch turns back where da/ds changes its sign. Where it goes on at one
 * value of a, as cycles do that explode between two shapes (canards: the width of the explosion is
 * exp(-const/epsilon)), da/ds is rounding, and its signs are told many times. Points of a branch
 * are known to a part of the unit of a; a fold at a_f counts if the nearest points on both sides
 * that are farther from a_f than that are on the same side of it; of several at one place the
 * outermost counts. The others are points like all others, and the place is told as one doubt.
 * Where the mesh changes at a fold, the branch goes on beside itself, by the error of its orbits,
 * which is more than rounding: so the question is asked of larger distances, too. That a multiplier
 * passes 1 there is the fold. */
#include <math.h>

#include "motion/special_error.h"
#include "orbits.h"

enum { SCATTER = 3 };
#define RESOLVED 1e-9 /* of the range of a: what its values are different by, */
#define ITS_OWN 1e-8  /* and a branch point of a fold: it is the multiplier 1 of the fold */
#define BESIDE 1e-5   /* and by what a change of the mesh may set them off, at most */
#define TURNED 1e-8   /* of the range: a turn of the parameter that a fold must explain */
#define LONGER 1.2    /* times, from one side of a fold to the other: the period runs away */

/* the next orbit in a direction whose value is different from that of the fold i; -1: none */
static int next_away(const zw_orbits *o, int first, int i, int way, double least) {
    double own = ITS_OWN * fabs(o->over.to - o->over.from);
    for (int k = i + way; k >= first && k < o->nmotion; k += way) {
        double away = fabs(o->motion[k].value - o->motion[i].value);
        if (away > (o->motion[k].event == ZW_BIFURCATION_BRANCH ? fmax(least, own) : least))
            return k;
    }
    return -1;
}

/* between the orbits low and high: the marks of all folds but that which is to stay (-1: none) */
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
    o->open.unresolved_by = fmax(most - least, RESOLVED * fabs(o->over.to - o->over.from));
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
           behind = *right < 0 ? 0 : o->motion[*right].value - o->motion[i].value;
    *sum = before + behind;
    return before * behind > 0;
}

/* Are there so many folds around orbit i that their values are errors of the mesh? */
static bool is_scatter(const zw_orbits *o, int first, int i, double least) {
    int n = 0;
    for (int way = -1; way <= 1; way += 2)
        for (int k = i + way;
             k >= first && k < o->nmotion && fabs(o->motion[k].value - o->motion[i].value) <= least;
             k += way)
            n += o->motion[k].event == ZW_BIFURCATION_FOLD;
    return n >= SCATTER;
}

void zw_orbits_settle_folds(zw_orbits *o, int first) {
    double range = fabs(o->over.to - o->over.from);
    for (int i = first; i < o->nmotion; i++) {
        if (o->motion[i].event != ZW_BIFURCATION_FOLD)
            continue;
        int left = -1, right = -1, stays = i;
        double sum = 0;
        bool counts = false;
        bool scatter = is_scatter(o, first, i, BESIDE * range);
        for (double least = scatter ? BESIDE : RESOLVED; least <= 1.01 * BESIDE && !counts;
             least *= 10)
            counts = is_turning(o, first, i, least * range, &left, &right, &sum);
        /* beside a connecting orbit nothing changes but the period, and values by errors of the
         * mesh */
        int from = left, to = right;
        if (counts && right >= 0 && o->motion[right].period > LONGER * o->motion[left].period)
            counts = is_turning(o, first, i, BESIDE * range, &left, &right, &sum);
        if (counts) {
            left = from;
            right = to;
        } else if (!scatter)
            is_turning(o, first, i, RESOLVED * range, &left, &right, &sum);
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

/* the orbit at which a branch leaves another one, or ends on it, is a special point of that one */
static bool is_meeting(const zw_orbits *o, int i) {
    const zw_orbits_branch *b = &o->branch[o->motion[i].curve];
    return (b->parent >= 0 && i == b->first) || (b->meets >= 0 && i == b->first + b->n - 1);
}

static zw_check_point point_of(const void *self, int i) {
    const zw_orbits *o = self;
    const zw_orbit_motion *m = &o->motion[i];
    bool known = m->accuracy <= ZW_ORBITS_UNTRUE && !(m->trivial > ZW_ORBITS_UNTRUE) &&
                 m->verdict != ZW_FLOQUET_UNDECIDED && !is_meeting(o, i);
    return (zw_check_point){m->value, known ? m->outside : -1, m->event};
}

int zw_orbits_check(const zw_orbits *o, int first, int n, zw_contradiction *out) {
    zw_check_points p = {point_of, o, first, n};
    return zw_branch_check(&p, TURNED * fabs(o->over.to - o->over.from), out);
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
