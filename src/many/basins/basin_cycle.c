/* SPDX-License-Identifier: MIT */
/* Cycles of models without drive, by looks at a motion alone.
 *
 * A look is kept as a place to come back to, anew at looks 8, 16, 32, ... When the motion, after
 * having been elsewhere, passes it within a part (`strict`) of the way between two looks, the time
 * between is a first period tau. Then the motion is looked at once in a period: y at s, and a
 * little later, which gives its speed f; and at s + tau. There e = y(s + tau) - y(s) is parted
 *
 *   e = delta f + e',   e' across f,     tau <- tau - delta
 *
 * so that tau becomes the time of return to the place across f. The motion is on a cycle if e' goes
 * to zero (basin_closing.c). If e' stays, the return was none (of a cycle of two turns, of chaos):
 * a nearer one is asked for next time. A motion that winds into a rest comes back too: there the
 * way of one turn shrinks with e'. */
#include <string.h>

#include "basin.h"

#define SHRINKS 0.5 /* the way of one turn, by then it is no cycle */
#define STRICTEST 1e-3
enum { ROUNDS = 32 };

static double squared_distance(const zw_basin *b, const double *y, const double *z) {
    double s = 0;
    for (int i = 0; i < b->ny; i++) {
        double d = basin_apart(&b->look[i], y[i], z[i]);
        s += d * d;
    }
    return s;
}

static void new_reference(const zw_basin *b, basin_track *t, basin_room *r, const double *y) {
    basin_lock *l = &t->lock;
    const double *before = r->ring + (size_t)((t->n - 1) % r->nring) * (size_t)b->ny;
    memcpy(r->ref, y, sizeof *y * (size_t)b->ny);
    l->ref_look = t->n;
    l->ref_step = sqrt(squared_distance(b, y, before));
    l->far = false;
    l->d[0] = l->d[1] = 0;
}

static bool is_power_of_two(long n) {
    return n > 0 && (n & (n - 1)) == 0;
}

/* the distance was least at the look before: a parabola through the three squares */
static bool is_return(const zw_basin *b, basin_lock *l, long n, double d) {
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
    l->tau = ((double)(n - 1 - l->ref_look) + at) * b->step;
    return l->tau > 2 * b->step;
}

bool basin_lock_look(const zw_basin *b, basin_track *t, basin_room *r, const double *y) {
    basin_lock *l = &t->lock;
    if (l->strict == 0)
        l->strict = 0.5;
    if (l->strict < STRICTEST || t->n - t->since < 2 || t->n < l->sleep)
        return false;
    if (!l->ref_look || is_power_of_two(t->n)) {
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
    l->h = 1e-3 * l->tau;
    l->round = 0;
    l->worst[0] = 0;
    l->worst[1] = INFINITY;
    basin_closing_begin(&l->closing, 1);
    memset(r->anchor, 0, sizeof *y * (size_t)b->ny);
    memcpy(r->place, y, sizeof *y * (size_t)b->ny);
    return true;
}

/* For as long as it has been followed it is left alone: a rest must have time to be seen. */
static bool give_up(basin_track *t, double factor) {
    basin_lock *l = &t->lock;
    l->phase = 0;
    l->strict *= factor;
    l->ref_look = 0;
    l->sleep = factor < 1 ? t->n + 50 : 2 * t->n;
    return false;
}

/* e' and delta of one turn; the largest entry of e' */
static double turn_error(const zw_basin *b, basin_room *r, const double *y, double *delta,
                         double *way) {
    double ef = 0, ff = 0, worst = 0;
    for (int i = 0; i < b->ny; i++) {
        ef += basin_apart(&b->look[i], y[i], r->place[i]) * r->speed[i];
        ff += r->speed[i] * r->speed[i];
    }
    *way = sqrt(ff);
    *delta = ff > 0 ? ef / ff : INFINITY;
    for (int i = 0; i < b->ny; i++)
        worst =
            fmax(worst, fabs(basin_apart(&b->look[i], y[i], r->place[i]) - *delta * r->speed[i]));
    return worst;
}

/* the sum of all e' since it seemed to rest: roundings go to and fro, a drift adds up */
static double largest_drift(const zw_basin *b, const basin_room *r) {
    double worst = 0;
    for (int i = 0; i < b->ny; i++)
        worst = fmax(worst, fabs(r->anchor[i]));
    return worst;
}

/* every ROUNDS turns: has it come nearer? */
static bool is_stuck(basin_lock *l, double d, double close) {
    l->worst[0] = fmax(l->worst[0], d);
    if (l->round % ROUNDS)
        return false;
    bool stuck = l->worst[0] > 1.02 * l->worst[1] && l->worst[0] > close;
    l->worst[1] = l->worst[0];
    l->worst[0] = 0;
    return stuck;
}

bool basin_lock_visit(const zw_basin *b, basin_track *t, basin_room *r, double now, const double *y,
                      double *next) {
    basin_lock *l = &t->lock;
    double delta, way, rest, close = b->options.close;
    if (l->phase == 2) {
        for (int i = 0; i < b->ny; i++)
            r->speed[i] = basin_apart(&b->look[i], y[i], r->place[i]) / l->h;
        *next = l->begin + l->tau;
        l->phase = 1;
        return false;
    }
    t->n++;
    l->round++;
    double d = turn_error(b, r, y, &delta, &way);
    *next = now + b->step;
    if (l->round == 1)
        l->ref_step = way * l->tau; /* the way of a turn, from now on */
    if (!(fabs(delta) < 0.2 * l->tau) || d > 1 || is_stuck(l, d, close))
        return give_up(t, 0.5);
    if (way * l->tau < SHRINKS * l->ref_step || way * l->tau < 1000 * close)
        return give_up(t, 1);
    l->tau -= delta;
    basin_closeness verdict = basin_closing_add(&l->closing, d, close, &rest);
    if (verdict == BASIN_STUCK && l->closing.count > 2 * ROUNDS)
        return give_up(t, 0.5);
    if (verdict == BASIN_RESTING && !l->closing.anchor) {
        l->closing.anchor = l->round;
        memset(r->anchor, 0, sizeof *y * (size_t)b->ny);
    }
    bool rests = verdict == BASIN_RESTING && l->round >= 2 * l->closing.anchor + 50 &&
                 largest_drift(b, r) <=
                     0.1 * (double)(l->round - l->closing.anchor) * basin_closing_size(&l->closing);
    if ((verdict == BASIN_ARRIVED || rests) && fabs(delta) <= 10 * close * l->tau)
        return true;
    memcpy(r->place, y, sizeof *y * (size_t)b->ny);
    l->begin = now;
    l->phase = 2;
    *next = now + l->h;
    return false;
}
