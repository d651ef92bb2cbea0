/* SPDX-License-Identifier: MIT */
/* Rest states that are not isolated: if dry friction holds a body, or if it has no restoring force,
 * every rest state has other rest states near it.
 *
 * A rest belongs to a continuum if many starts near it come to rest near it but not at it: an
 * upper quantile of the distances of their rests decreases with the distance of the starts (from
 * r to r/SHORTER), and stays above what counts as the same point. The dimension of the continuum
 * is the number of independent directions from this rest to theirs. The same holds for cycles of
 * one period of the excitation.
 *
 * Two rests belong to the same continuum if a chain of rests leads from one to the other, each
 * within LINK_LENGTH of the next: the start in the middle of two rests comes to rest between
 * them, again and again. The rests of the chain are stored; what arrives within LINK_LENGTH of
 * one belongs to the continuum. How far each quantity extends on the continuum is found at the
 * end, by starts beyond the outermost rests. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/philox.h"
#include "basin.h"

/* Times `close`: the same point. Arrival is an estimate of the remaining distance, wrong by a
 * factor of a few; chosen by trial between that and LINK_LENGTH. */
#define SAME_POINT 20
/* In scales: neighbours in a continuum. Chosen by trial: larger, separate rests are joined by one
 * start; smaller, chains need more than CHAIN rests. */
#define LINK_LENGTH 0.02
/* Fraction of the distances below the one that is compared: leaves out the few starts that go
 * elsewhere. */
#define DISTANCE_QUANTILE 0.8
/* Largest ratio of the distances for trials shorter by SHORTER. On a continuum it is 1/SHORTER, for
 * an isolated rest that is approached inaccurately 1; chosen between them. */
#define SHORTER_RATIO 0.5
/* Of the distance of two rests: a rest between them is nearer than this to both, so that a chain
 * gets shorter links each time. */
#define MIDDLE_RATIO 0.8
/* Of the distance of two rests: spread of further starts in the middle, small against the gap. */
#define MIDDLE_SPREAD 0.2
/* Of the longest: a direction is independent if its part across the others is larger. Chosen by
 * trial: above the curvature of a continuum over LINK_LENGTH. */
#define INDEPENDENT_DIRECTION 0.03
#define END_ACCURACY 1e-6 /* Accuracy of the ends in scales: the default of `close`. */
#define NEW_MEMBER 0.25   /* of LINK_LENGTH: nearer rests need not be stored */
#define LEAST_GAIN 0.25 /* of the expected gain: a start whose rest gains less is beyond the end */
enum {
    USE_CONTINUUM = 31,
    TRIALS = 64,      /* starts around a rest */
    RESTS_NEEDED = 4, /* of the trials that must come to rest */
    SHORTER = 8,      /* ratio of the two distances of trials */
    MEMBERS = 1024,   /* stored rests of a continuum */
    CHAIN = 256,      /* rests from one to another, at most */
    MIDDLE_TRIES = 3, /* starts in the middle of two rests */
    END_STEPS = 60    /* beyond an outermost rest, at most */
};

/* Samples after which it closes; 0 for a rest, -1 if it does not close. */
static int period_of(const zw_basin *b, const zw_basin_outcome *f) {
    return f->end != BASIN_CLOSED ? -1 : f->p == 0 || b->autonomous ? 0 : f->p;
}

static const double *last_sample(const zw_basin *b, const zw_basin_outcome *f) {
    return f->tail + (size_t)(f->ntail - 1) * (size_t)b->ny;
}

static const double *member_state(const zw_basin *b, const zw_basin_limit_set *a, int k) {
    return a->member + (size_t)k * (size_t)(b->ny + b->nx);
}

/* Adds a rest: samples and state; periodic quantities in the same turn as those of the first. */
static void add_member(const zw_basin *b, zw_basin_limit_set *a, const double *y, const double *x) {
    if (a->nmember == MEMBERS)
        return;
    double *to = a->member + (size_t)a->nmember++ * (size_t)(b->ny + b->nx);
    memcpy(to, y, sizeof(double) * (size_t)b->ny);
    memcpy(to + b->ny, x, sizeof(double) * (size_t)b->nx);
    for (int i = 0; i < b->ny; i++)
        if (b->quantity[i].period > 0) {
            double first = member_state(b, a, 0)[i];
            to[i] = first + remainder(y[i] - first, b->quantity[i].period);
            to[b->ny + b->quantity[i].state] += to[i] - y[i];
        }
}

/* The rest nearest to y, except those nearer than `least`. */
static int nearest_member(const zw_basin *b, const zw_basin_limit_set *a, const double *y,
                          double least, double *distance) {
    int best = -1;
    *distance = INFINITY;
    for (int k = 0; k < a->nmember; k++) {
        double d = zw_basin_distance(b, y, member_state(b, a, k));
        if (d >= least && d < *distance) {
            *distance = d;
            best = k;
        }
    }
    return best;
}

bool zw_basin_continuum_has(const zw_basin *b, const zw_basin_limit_set *a,
                            const zw_basin_outcome *f) {
    double distance;
    if (!a->is.continuum || f->ntail == 0 || period_of(b, f) != a->closes_after)
        return false;
    nearest_member(b, a, last_sample(b, f), 0, &distance);
    return distance <= LINK_LENGTH;
}

/* ---- is it one? ---- */

/* Starts around a state, at the distance r in scales: in all quantities, in velocities, in single
 * quantities, since contacts may make some of them impossible. */
static void scatter_start(const zw_basin *b, const double *x, double r, double *to) {
    for (int k = 0; k < TRIALS; k++) {
        double *own = to + (size_t)k * (size_t)b->nx;
        memcpy(own, x, sizeof(double) * (size_t)b->nx);
        for (int i = 0; i < b->ny; i++) {
            bool moved = k % 3 == 0   ? true
                         : k % 3 == 1 ? b->quantity[i].state >= b->sys->nq
                                      : k / 3 % b->ny == i;
            if (moved)
                own[b->quantity[i].state] +=
                    r * b->quantity[i].scale *
                    (2 * zw_philox_unit(b->options.seed + USE_CONTINUUM, (uint64_t)k, (uint32_t)i) -
                     1);
        }
    }
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* An upper quantile of the distances of the rests of starts around `now`, NAN if too few come to
 * rest; f: their outcomes. */
static zw_status find_distance(zw_basin *b, const zw_basin_outcome *now, double r, double *x,
                               zw_basin_outcome *f, double *typical, zw_error *err) {
    double distance[TRIALS];
    int n = 0, tried = 0;
    scatter_start(b, now->x, r, x);
    zw_basin_job j = {.b = b,
                      .n = TRIALS,
                      .outcome = f,
                      .x = x,
                      .at = now->u,
                      .most = b->options.looks,
                      .patience = b->patience,
                      .trial = true};
    ZW_TRY(zw_basin_follow(&j, err));
    for (int k = 0; k < TRIALS; k++) {
        tried += f[k].end != BASIN_FAILED || f[k].failed_later;
        if (f[k].ntail > 0 && period_of(b, &f[k]) == period_of(b, now))
            distance[n++] = zw_basin_distance(b, last_sample(b, &f[k]), last_sample(b, now));
    }
    qsort(distance, (size_t)n, sizeof *distance, by_size);
    *typical =
        n < RESTS_NEEDED || 2 * n < tried ? (double)NAN : distance[(int)(DISTANCE_QUANTILE * n)];
    return zw_basin_is_stopped(b) ? ZW_STOPPED : ZW_OK;
}

/* Number of independent directions from `now` to the rests of the trials. */
static int count_directions(const zw_basin *b, const zw_basin_outcome *now,
                            const zw_basin_outcome *f, double *v) {
    int n = 0, rank = 0;
    double first = 0;
    for (int k = 0; k < TRIALS; k++)
        if (f[k].ntail > 0 && period_of(b, &f[k]) == period_of(b, now)) {
            for (int i = 0; i < b->ny; i++)
                v[n * b->ny + i] = zw_basin_difference(&b->quantity[i], last_sample(b, &f[k])[i],
                                                       last_sample(b, now)[i]);
            n++;
        }
    for (; rank < b->ny; rank++) {
        int longest = 0;
        double most = 0;
        for (int k = 0; k < n; k++) {
            double square = 0;
            for (int i = 0; i < b->ny; i++)
                square += v[k * b->ny + i] * v[k * b->ny + i];
            if (square > most) {
                most = square;
                longest = k;
            }
        }
        first = fmax(first, most);
        if (!(most > INDEPENDENT_DIRECTION * INDEPENDENT_DIRECTION * first))
            break;
        double unit[ZW_BASIN_LOOKS];
        for (int i = 0; i < b->ny; i++)
            unit[i] = v[longest * b->ny + i] / sqrt(most);
        for (int k = 0; k < n; k++) {
            double along = 0;
            for (int i = 0; i < b->ny; i++)
                along += unit[i] * v[k * b->ny + i];
            for (int i = 0; i < b->ny; i++)
                v[k * b->ny + i] -= along * unit[i];
        }
    }
    return rank;
}

zw_status zw_basin_continuum_test(zw_basin *b, zw_basin_limit_set *a, const zw_basin_outcome *now,
                                  zw_error *err) {
    if (!b->can_perturb_some || b->section >= 0 || period_of(b, now) < 0 || period_of(b, now) > 1 ||
        !zw_basin_trial_ensemble(b))
        return ZW_OK;
    a->closes_after = period_of(b, now);
    a->member = ZW_NEW(&b->arena, double, (size_t)MEMBERS *(size_t)(b->ny + b->nx));
    zw_arena_mark mark = zw_arena_mark_now(&b->arena);
    double *x = ZW_NEW(&b->arena, double, TRIALS *(b->nx + b->ny) + 1), far, near;
    zw_basin_outcome *f = zw_basin_outcomes(b, TRIALS);
    if (!a->member || !x || !f)
        return zw_out_of_memory(err, "what was found");
    zw_status status = find_distance(b, now, LINK_LENGTH, x, f, &far, err);
    if (status == ZW_OK && far > SAME_POINT * b->options.close)
        status = find_distance(b, now, LINK_LENGTH / SHORTER, x, f, &near, err);
    else
        near = NAN;
    int rank =
        status == ZW_OK && near > SAME_POINT * b->options.close && near <= SHORTER_RATIO * far
            ? count_directions(b, now, f, x + (size_t)TRIALS * (size_t)b->nx)
            : 0;
    if (status == ZW_OK && rank > 0) {
        a->is.continuum = rank;
        add_member(b, a, last_sample(b, now), now->x);
        for (int k = 0; k < TRIALS; k++)
            if (f[k].ntail > 0 && period_of(b, &f[k]) == a->closes_after &&
                zw_basin_distance(b, last_sample(b, &f[k]), last_sample(b, now)) <= LINK_LENGTH)
                add_member(b, a, last_sample(b, &f[k]), f[k].x);
    }
    zw_arena_release(&b->arena, mark);
    return status;
}

/* ---- chains ---- */

/* A rest of a chain: its samples, its state. */
typedef struct rest_point {
    double *y, *x;
} rest_point;

typedef struct chain {
    zw_basin *b;
    zw_basin_limit_set *a;
    const zw_basin_outcome *from; /* parameters, and the time between samples */
    zw_basin_outcome *f;          /* work space of one motion */
    double *storage, *start;      /* CHAIN x (ny + nx), nx */
    int n;                        /* number of rests in `storage` */
} chain;

static rest_point store_rest(chain *c, const zw_basin_outcome *f) {
    const zw_basin *b = c->b;
    double *to = c->storage + (size_t)c->n++ * (size_t)(b->ny + b->nx);
    memcpy(to, last_sample(b, f), sizeof(double) * (size_t)b->ny);
    memcpy(to + b->ny, f->x, sizeof(double) * (size_t)b->nx);
    return (rest_point){to, to + b->ny};
}

/* p + part (q - p), on the shorter arc for periodic quantities. */
static void interpolate_rests(const chain *c, rest_point p, rest_point q, double part) {
    const zw_basin *b = c->b;
    for (int i = 0; i < b->nx; i++)
        c->start[i] = p.x[i] + part * (q.x[i] - p.x[i]);
    for (int i = 0; i < b->ny; i++)
        if (b->quantity[i].period > 0) {
            int s = b->quantity[i].state;
            c->start[s] = p.x[s] + part * remainder(q.x[s] - p.x[s], b->quantity[i].period);
        }
}

/* Follows the motion from c->start; *rests is false if it does not come to rest. */
static zw_status find_rest(chain *c, bool *rests, zw_error *err) {
    zw_basin_job j = {.b = c->b,
                      .n = 1,
                      .outcome = c->f,
                      .x = c->start,
                      .at = c->from->u,
                      .step = c->from->step,
                      .most = c->b->options.looks,
                      .patience = c->b->options.looks + 1,
                      .trial = true};
    zw_status status = zw_basin_follow(&j, err);
    *rests = status == ZW_OK && c->f->ntail > 0 && period_of(c->b, c->f) == c->a->closes_after;
    return status;
}

/* Stores a rest between p and q that is nearer to both than they are to each other. */
static zw_status halve_gap(chain *c, rest_point p, rest_point q, double apart, bool *found,
                           zw_error *err) {
    const zw_basin *b = c->b;
    *found = false;
    for (int k = 0; k < MIDDLE_TRIES && !*found; k++) {
        bool rests;
        interpolate_rests(c, p, q, 0.5);
        /* the point in the middle may be a saddle */
        for (int i = 0; i < b->ny && k < MIDDLE_TRIES - 1; i++)
            c->start[b->quantity[i].state] +=
                MIDDLE_SPREAD * apart * b->quantity[i].scale *
                (2 * zw_philox_unit(b->options.seed + USE_CONTINUUM + 1,
                                    (uint64_t)(c->n * MIDDLE_TRIES + k), (uint32_t)i) -
                 1);
        zw_status status = find_rest(c, &rests, err);
        if (status)
            return status;
        if (!rests)
            continue;
        const double *y = last_sample(b, c->f);
        *found = fmax(zw_basin_distance(b, y, p.y), zw_basin_distance(b, y, q.y)) <=
                 MIDDLE_RATIO * apart;
    }
    return ZW_OK;
}

/* Connects two rests; the rests of the chain are in `storage`. */
static zw_status join_rests(chain *c, rest_point from, rest_point to, bool *joined, zw_error *err) {
    rest_point stack[CHAIN][2];
    int n = 1;
    stack[0][0] = from;
    stack[0][1] = to;
    *joined = true;
    while (n > 0 && *joined) {
        rest_point p = stack[n - 1][0], q = stack[n - 1][1];
        double apart = zw_basin_distance(c->b, p.y, q.y);
        if (apart <= LINK_LENGTH) {
            n--;
            continue;
        }
        *joined = c->n + 1 < CHAIN && n + 1 < CHAIN;
        if (*joined) {
            zw_status status = halve_gap(c, p, q, apart, joined, err);
            if (status)
                return status;
        }
        if (!*joined)
            break;
        rest_point middle = store_rest(c, c->f);
        stack[n - 1][1] = middle;
        stack[n][0] = middle;
        stack[n++][1] = q;
    }
    return ZW_OK;
}

static bool begin_chain(chain *c) {
    size_t row = (size_t)(c->b->ny + c->b->nx);
    c->storage = ZW_NEW(&c->b->arena, double, (CHAIN + 1) * row);
    c->start = ZW_NEW(&c->b->arena, double, c->b->nx + 1);
    c->f = zw_basin_outcomes(c->b, 1);
    return c->f && !c->b->arena.failed;
}

/* Adds the stored rests that are not known yet. */
static void take_chain(chain *c) {
    const zw_basin *b = c->b;
    size_t row = (size_t)(b->ny + b->nx);
    for (int k = 0; k < c->n; k++) {
        const double *from = c->storage + (size_t)k * row;
        double d;
        nearest_member(b, c->a, from, 0, &d);
        if (d > NEW_MEMBER * LINK_LENGTH)
            add_member(b, c->a, from, from + b->ny);
    }
}

zw_status zw_basin_continuum_join(zw_basin *b, const zw_basin_outcome *f, int *label,
                                  zw_error *err) {
    *label = -1;
    for (int i = 0; i < b->nfound && *label < 0 && f->ntail > 0; i++) {
        zw_basin_limit_set *a = &b->found[i];
        double d;
        bool joined = false;
        if (!a->is.continuum || period_of(b, f) != a->closes_after)
            continue;
        zw_arena_mark mark = zw_arena_mark_now(&b->arena);
        chain c = {.b = b, .a = a, .from = f};
        if (!begin_chain(&c))
            return zw_out_of_memory(err, "what was found");
        int k = nearest_member(b, a, last_sample(b, f), 0, &d);
        double *near = a->member + (size_t)k * (size_t)(b->ny + b->nx);
        zw_status status =
            join_rests(&c, store_rest(&c, f), (rest_point){near, near + b->ny}, &joined, err);
        if (status == ZW_OK && joined) {
            take_chain(&c);
            *label = i;
        }
        zw_arena_release(&b->arena, mark);
        if (status)
            return status;
    }
    return ZW_OK;
}

/* ---- how far it goes ---- */

static int outermost_member(const zw_basin *b, const zw_basin_limit_set *a, int i, int side) {
    int best = 0;
    for (int k = 1; k < a->nmember; k++)
        if (side * (member_state(b, a, k)[i] - member_state(b, a, best)[i]) > 0)
            best = k;
    return best;
}

/* Starts beyond the outermost rest in quantity i, away from its neighbour; shorter and shorter
 * steps find the end. *open: no end was found. */
static zw_status follow_outwards(chain *c, int i, int side, double *end, bool *open,
                                 zw_error *err) {
    const zw_basin *b = c->b;
    zw_basin_limit_set *a = c->a;
    double apart, h = LINK_LENGTH;
    int at = outermost_member(b, a, i, side), steps = 0;
    int before = nearest_member(b, a, member_state(b, a, at), END_ACCURACY, &apart);
    *end = member_state(b, a, at)[i];
    *open = false;
    if (before < 0)
        return ZW_OK;
    double *p = c->storage, *q = p + b->ny + b->nx; /* the last but one, and the outermost */
    memcpy(p, member_state(b, a, before), sizeof(double) * (size_t)(b->ny + b->nx));
    memcpy(q, member_state(b, a, at), sizeof(double) * (size_t)(b->ny + b->nx));
    while (h > END_ACCURACY && steps < END_STEPS && a->nmember < MEMBERS) {
        bool rests;
        double length = zw_basin_distance(b, p, q);
        interpolate_rests(c, (rest_point){p, p + b->ny}, (rest_point){q, q + b->ny},
                          1 + h / length);
        zw_status status = find_rest(c, &rests, err);
        if (status)
            return status;
        const double *y = rests ? last_sample(b, c->f) : q;
        double gain =
                   side * zw_basin_difference(&b->quantity[i], y[i], q[i]) * b->quantity[i].scale,
               expected_gain = h * fabs(q[i] - p[i]) / length;
        if (!rests || !(gain > LEAST_GAIN * expected_gain) || zw_basin_distance(b, y, q) > 2 * h) {
            h /= 2;
            continue;
        }
        steps++;
        memcpy(p, q, sizeof(double) * (size_t)(b->ny + b->nx));
        add_member(b, a, y, c->f->x);
        memcpy(q, member_state(b, a, a->nmember - 1), sizeof(double) * (size_t)(b->ny + b->nx));
        h = fmin(2 * h, LINK_LENGTH);
    }
    *end = q[i];
    *open = h > END_ACCURACY || a->is.continuum > 1; /* other paths may lead further */
    return ZW_OK;
}

static zw_status measure_continuum(zw_basin *b, zw_basin_limit_set *a, zw_error *err) {
    zw_basin_outcome from = {.x = a->x, .step = b->step};
    chain c = {.b = b, .a = a, .from = &from};
    a->is.low = a->range;
    a->is.high = a->range + b->ny;
    if (!begin_chain(&c))
        return zw_out_of_memory(err, "what was found");
    for (int n = 0; n < 2 * b->ny;
         n++) { /* twice: while one quantity is followed, others may begin to change */
        int i = n % b->ny;
        double *end[2] = {&a->range[i], &a->range[b->ny + i]};
        for (int k = 0; k < 2; k++)
            *end[k] = member_state(b, a, outermost_member(b, a, i, k ? 1 : -1))[i];
        if (*end[1] - *end[0] <= SAME_POINT * b->options.close * b->quantity[i].scale) {
            *end[0] = *end[1] = member_state(b, a, 0)[i];
            continue;
        }
        for (int k = 0; k < 2; k++) {
            bool open;
            zw_status status = follow_outwards(&c, i, k ? 1 : -1, end[k], &open, err);
            if (status)
                return status;
            uint32_t bit = UINT32_C(1) << i, *bits = k ? &a->is.beyond_high : &a->is.beyond_low;
            *bits = open ? *bits | bit : *bits & ~bit;
        }
    }
    return ZW_OK;
}

/* Do the two have rests next to each other? A rest that seems isolated may be an end of a
 * continuum, which motions approach slowly. */
static bool is_touching(const zw_basin *b, const zw_basin_limit_set *a,
                        const zw_basin_limit_set *c) {
    double d;
    if (!a->is.continuum || !c->closed || a->closes_after != c->closes_after)
        return false;
    if (!c->is.continuum)
        return c->is.npoint == 1 && c->is.trial != ZW_BASIN_STABLE &&
               c->is.kind <= ZW_BASIN_CYCLE && nearest_member(b, a, c->point, 0, &d) >= 0 &&
               d <= LINK_LENGTH;
    for (int k = 0; k < a->nmember && a->is.continuum == c->is.continuum; k++)
        if (nearest_member(b, c, member_state(b, a, k), 0, &d) >= 0 && d <= LINK_LENGTH)
            return true;
    return false;
}

static int renumber_label(int label, int gone) {
    return label > gone ? label - 1 : label;
}

/* Merges number j, which is a part of number i, into number i. */
static void join_attractors(zw_basin *b, int i, int j) {
    zw_basin_limit_set *a = &b->found[i], *c = &b->found[j];
    for (int q = 0; q < b->ny && c->is.continuum; q++) {
        double *low = &a->range[q], *high = &a->range[b->ny + q];
        uint32_t bit = UINT32_C(1) << q;
        if (c->range[q] < *low)
            a->is.beyond_low = (a->is.beyond_low & ~bit) | (c->is.beyond_low & bit);
        if (c->range[b->ny + q] > *high)
            a->is.beyond_high = (a->is.beyond_high & ~bit) | (c->is.beyond_high & bit);
        *low = fmin(*low, c->range[q]);
        *high = fmax(*high, c->range[b->ny + q]);
    }
    for (uint64_t k = 0; k < b->n; k++)
        b->label[k] = renumber_label(b->label[k] == j ? i : b->label[k], j);
    for (int k = j; k + 1 < b->nfound; k++)
        b->found[k] = b->found[k + 1];
    b->nfound--;
}

/* Puts periodic quantities into their first turn; what does not change gets one value. */
static void normalise_members(const zw_basin *b, zw_basin_limit_set *a) {
    for (int i = 0; i < b->ny; i++) {
        double *low = &a->range[i], *high = &a->range[b->ny + i], middle = (*low + *high) / 2;
        if (b->quantity[i].period > 0) {
            double turns = middle - remainder(middle, b->quantity[i].period);
            *low -= turns;
            *high -= turns;
        }
        if (*high - *low <= SAME_POINT * b->options.close * b->quantity[i].scale)
            *low = *high;
    }
}

zw_status zw_basin_continuum_measure(zw_basin *b, zw_error *err) {
    for (int i = 0; i < b->nfound; i++) {
        zw_basin_limit_set *a = &b->found[i];
        if (!a->is.continuum)
            continue;
        a->range = ZW_NEW(&b->arena, double, 2 * b->ny + 1);
        if (!a->range)
            return zw_out_of_memory(err, "what was found");
        zw_arena_mark mark = zw_arena_mark_now(&b->arena);
        zw_status status = measure_continuum(b, a, err);
        zw_arena_release(&b->arena, mark);
        if (status)
            return status;
    }
    for (int i = 0; i < b->nfound; i++)
        for (int j = b->nfound - 1; j >= 0; j--)
            if (j != i && is_touching(b, &b->found[i], &b->found[j])) {
                join_attractors(b, i, j);
                i -= j < i;
            }
    for (int i = 0; i < b->nfound; i++)
        if (b->found[i].is.continuum)
            normalise_members(b, &b->found[i]);
    return ZW_OK;
}
