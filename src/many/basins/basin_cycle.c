/* SPDX-License-Identifier: MIT */
/* Cycles of models without excitation, from samples of the motion.
 *
 * A sample is stored as a reference point, anew at samples 8, 16, 32, ... When the motion, after
 * having been elsewhere, passes it within a fraction (`strict`) of the distance between two
 * samples, the time between is a first period tau. Then the motion is sampled once in a period:
 * y at s, and a little later, which gives its velocity f; and at s + tau. There e = y(s + tau) -
 * y(s) is split
 *
 *   e = delta f + e',   e' across f,     tau <- tau - delta
 *
 * so that tau becomes the time of return to the section across f. The motion is on a cycle if e'
 * goes to zero (basin_closing.c). If e' stays, it was not a return (of a cycle of two turns, of
 * chaos): a closer one is required next time. A motion that spirals into a rest returns too:
 * there the length of one turn shrinks with e'. */
#include <string.h>

#include "basin.h"

/* Length of a turn against that of the first: below, the motion spirals into a rest. Chosen by
 * trial: a cycle that is being approached changes its length by less. */
#define TURN_LENGTH_RATIO 0.5
/* in distances between samples: closer returns are not required. Chosen by trial: chaos returns so
 * closely too rarely to be taken for a cycle */
#define CLOSEST_RETURN 1e-3
/* of a period: the difference quotient is wrong by this part, below which round-off of the samples
 * would begin to matter at `close` */
#define VELOCITY_INTERVAL 1e-3
/* ratio of the distances of successive checks: above, it does not decrease */
#define NOT_FALLING 1.02
#define LARGEST_CORRECTION 0.2 /* of the period: a larger one is no return */
/* of the sum of all differences: if it has moved by less, the differences are round-off */
#define NO_DRIFT 0.1
enum { TURNS_PER_CHECK = 32 }; /* turns that are compared with the previous ones */

static double squared_distance(const zw_basin *b, const double *y, const double *z) {
    double s = 0;
    for (int i = 0; i < b->ny; i++) {
        double d = zw_basin_difference(&b->quantity[i], y[i], z[i]);
        s += d * d;
    }
    return s;
}

static void new_reference(const zw_basin *b, zw_basin_track *t, zw_basin_storage *r,
                          const double *y) {
    zw_basin_period_search *l = &t->search;
    const double *before = r->ring + (size_t)((t->n - 1) % r->nring) * (size_t)b->ny;
    memcpy(r->ref, y, sizeof *y * (size_t)b->ny);
    l->ref_sample = t->n;
    l->ref_step = sqrt(squared_distance(b, y, before));
    l->far = false;
    l->d[0] = l->d[1] = 0;
}

static bool is_power_of_two(long n) {
    return n > 0 && (n & (n - 1)) == 0;
}

/* The distance was smallest at the previous sample: a parabola through the three squared
 * distances. */
static bool is_return(const zw_basin *b, zw_basin_period_search *l, long n, double d) {
    double before = l->d[0], middle = l->d[1], curve = before - 2 * middle + d;
    if (l->ref_step < 10 * b->options.close) /* it rests, or nearly */
        return false;
    if (!l->far || !(middle <= before && middle < d) || curve <= 0)
        return false;
    double at = 0.5 * (before - d) / curve,
           least = middle - 0.125 * (before - d) * (before - d) / curve;
    double limit = l->strict * l->ref_step;
    if (least > limit * limit)
        return false;
    l->tau = ((double)(n - 1 - l->ref_sample) + at) * b->step;
    return l->tau > 2 * b->step;
}

bool zw_basin_period_search_sample(const zw_basin *b, zw_basin_track *t, zw_basin_storage *r,
                                   const double *y) {
    zw_basin_period_search *l = &t->search;
    if (l->strict == 0)
        l->strict = 0.5;
    if (l->strict < CLOSEST_RETURN || t->n - t->since < 2 || t->n < l->search_from)
        return false;
    if (!l->ref_sample || is_power_of_two(t->n)) {
        new_reference(b, t, r, y);
        return false;
    }
    double d = squared_distance(b, y, r->ref), ring = 16 * l->ref_step * l->ref_step;
    bool back = is_return(b, l, t->n, d);
    l->far = l->far || d > ring;
    l->d[0] = l->d[1];
    l->d[1] = d;
    if (!back)
        return false;
    l->phase = 2;
    l->h = VELOCITY_INTERVAL * l->tau;
    l->round = 0;
    l->worst[0] = 0;
    l->worst[1] = INFINITY;
    zw_basin_closing_begin(&l->closing, 1);
    memset(r->anchor, 0, sizeof *y * (size_t)b->ny);
    memcpy(r->place, y, sizeof *y * (size_t)b->ny);
    return true;
}

/* Suspends the search for as long as the motion has been followed: a rest must have time to be
 * recognised. */
static bool give_up(zw_basin_track *t, double factor) {
    zw_basin_period_search *l = &t->search;
    l->phase = 0;
    l->strict *= factor;
    l->ref_sample = 0;
    l->search_from = factor < 1 ? t->n + 50 : 2 * t->n;
    return false;
}

/* e' and delta of one turn; returns the largest entry of e'. */
static double turn_error(const zw_basin *b, zw_basin_storage *r, const double *y, double *delta,
                         double *speed) {
    double ef = 0, ff = 0, worst = 0;
    for (int i = 0; i < b->ny; i++) {
        ef += zw_basin_difference(&b->quantity[i], y[i], r->place[i]) * r->speed[i];
        ff += r->speed[i] * r->speed[i];
    }
    *speed = sqrt(ff);
    *delta = ff > 0 ? ef / ff : INFINITY;
    for (int i = 0; i < b->ny; i++)
        worst = fmax(worst, fabs(zw_basin_difference(&b->quantity[i], y[i], r->place[i]) -
                                 *delta * r->speed[i]));
    return worst;
}

/* Largest entry of the sum of all e' since the motion seemed to rest: round-off cancels, a drift
 * adds up. */
static double largest_drift(const zw_basin *b, const zw_basin_storage *r) {
    double worst = 0;
    for (int i = 0; i < b->ny; i++)
        worst = fmax(worst, fabs(r->anchor[i]));
    return worst;
}

/* Every TURNS_PER_CHECK turns: has the distance stopped to decrease? */
static bool is_stuck(zw_basin_period_search *l, double d, double close) {
    l->worst[0] = fmax(l->worst[0], d);
    if (l->round % TURNS_PER_CHECK)
        return false;
    bool stuck = l->worst[0] > NOT_FALLING * l->worst[1] && l->worst[0] > close;
    l->worst[1] = l->worst[0];
    l->worst[0] = 0;
    return stuck;
}

bool zw_basin_period_search_visit(const zw_basin *b, zw_basin_track *t, zw_basin_storage *r,
                                  double now, const double *y, double *next) {
    zw_basin_period_search *l = &t->search;
    double delta, speed, rest, close = b->options.close;
    if (l->phase == 2) {
        for (int i = 0; i < b->ny; i++)
            r->speed[i] = zw_basin_difference(&b->quantity[i], y[i], r->place[i]) / l->h;
        *next = l->begin + l->tau;
        l->phase = 1;
        return false;
    }
    t->n++;
    l->round++;
    double d = turn_error(b, r, y, &delta, &speed);
    *next = now + b->step;
    if (l->round == 1)
        l->ref_step = speed * l->tau; /* from now on the length of a turn */
    if (!(fabs(delta) < LARGEST_CORRECTION * l->tau) || d > 1 || is_stuck(l, d, close))
        return give_up(t, 0.5);
    if (speed * l->tau < TURN_LENGTH_RATIO * l->ref_step || speed * l->tau < 1000 * close)
        return give_up(t, 1);
    l->tau -= delta;
    zw_basin_closeness verdict = zw_basin_closing_add(&l->closing, d, close, &rest);
    if (verdict == BASIN_STUCK && l->closing.count > 2 * TURNS_PER_CHECK)
        return give_up(t, 0.5);
    if (verdict == BASIN_RESTING && !l->closing.anchor) {
        l->closing.anchor = l->round;
        memset(r->anchor, 0, sizeof *y * (size_t)b->ny);
    }
    bool rests = verdict == BASIN_RESTING && l->round >= 2 * l->closing.anchor + 50 &&
                 largest_drift(b, r) <= NO_DRIFT * (double)(l->round - l->closing.anchor) *
                                            zw_basin_closing_size(&l->closing);
    if ((verdict == BASIN_ARRIVED || rests) && fabs(delta) <= 10 * close * l->tau)
        return true;
    memcpy(r->place, y, sizeof *y * (size_t)b->ny);
    l->begin = now;
    l->phase = 2;
    *next = now + l->h;
    return false;
}
