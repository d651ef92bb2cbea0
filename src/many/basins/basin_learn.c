/* SPDX-License-Identifier: MIT */
/* A motion ended at something that is not known. Is it something that lasts?
 *
 * What has closed is followed three times as long as it took to close: it must stay. Then starts
 * all around it are followed, at the distances r, 2r, 4r, ... as long as all of them come back;
 * half of the largest such r is its reach. If not even the nearest come back it is unstable: a
 * saddle, which only motions on its stable set approach.
 *
 * What returns without closing is followed `longer` times longer; if it then closes, it was a
 * transient, and from now on all motions are followed with more patience. Otherwise its cells are
 * stored, and a small disturbance decides what it is: the mean growth of its logarithm with the
 * standard error of the means over parts of the time. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/philox.h"
#include "basin.h"

/* times `close`: the same point. Chosen by trial between the error of the estimated arrival, a
 * factor of a few, and the distance of attractors */
#define SAME_POINT 20
/* of a cycle, for its exponent: with an error of 1/64 of the logarithm of the spread of
 * directions */
#define EXPONENT_TURNS 64
/* in scales: first distance of trials. Chosen by trial: small against the distance of attractors,
 * large against `close` */
#define FIRST_TRIAL 0.02
/* in scales: half of the range, beyond which trials leave the region of interest */
#define LARGEST_TRIAL 0.4
/* Extent of the last quarter of the time against that of the first: below, the motion still
 * converges. Chosen by trial: more than the spread of extents of an irregular motion. */
#define EXTENT_RATIO 0.9
/* fraction of further samples in the known cells at which these are complete. Chosen by trial: the
 * rest are cells that the motion visits rarely */
#define CELLS_COVERED 0.97
#define COARSEST_CELL 0.2 /* in scales: larger cells cannot separate attractors */
#define LEFT_AROUND 1.5   /* of the distance of the start: farther away it has left */
/* of the sum of all differences: if it has moved by less, the differences are round-off */
#define NO_DRIFT 0.1
enum {
    USE_TRIAL = 11,
    TRIALS_MOST = 64,     /* starts around an attractor */
    PARTS = 32,           /* of the time, whose spread gives the error of an exponent */
    SKIPPED = 8,          /* first parts, in which the disturbance turns into its direction */
    MANY_STARTS = 10000,  /* starts for which it pays to confirm a reach */
    CONFIRMED = 256,      /* starts anywhere in a reach */
    CONFIRMING = 1 << 20, /* first random number of these */
    STAY_FACTOR = 3       /* times that something closed is followed on */
};

/* ---- a further one ---- */

static zw_basin_limit_set *add_attractor(zw_basin *b, zw_basin_kind kind, int *label) {
    *label = -1;
    if (b->nfound == ZW_BASIN_ATTRACTORS) {
        b->too_many = true;
        return NULL;
    }
    zw_basin_limit_set *a = &b->found[b->nfound];
    *label = b->nfound++;
    *a = (zw_basin_limit_set){.closure = 1,
                              .closes_after = -1,
                              .is = {.kind = kind,
                                     .time = NAN,
                                     .exponent = NAN,
                                     .exponent_error = NAN,
                                     .circle = NAN,
                                     .compact = NAN}};
    return a;
}

static zw_status add_leaving(zw_basin *b, const zw_basin_outcome *f, int *label) {
    zw_basin_limit_set *a =
        add_attractor(b, f->end == BASIN_BEYOND ? ZW_BASIN_LEAVES : ZW_BASIN_STOPS, label);
    if (!a)
        return ZW_OK;
    a->is.side = f->side;
    a->event = f->which;
    snprintf(a->is.name, sizeof a->is.name, "%.63s",
             f->end == BASIN_BEYOND ? b->quantity[f->which].name : b->sys->event[f->which].name);
    return ZW_OK;
}

static bool is_rest(const zw_basin *b, const zw_basin_outcome *f) {
    return f->end == BASIN_CLOSED && (f->p == 0 || b->autonomous);
}

static zw_status add_class(zw_basin *b, const zw_basin_outcome *f, int *label) {
    zw_basin_kind kind = f->end == BASIN_RECURRENT ? ZW_BASIN_IRREGULAR
                         : is_rest(b, f)           ? ZW_BASIN_REST
                                                   : ZW_BASIN_CYCLE;
    zw_basin_limit_set *a = add_attractor(b, kind, label);
    if (a)
        a->is.period = kind == ZW_BASIN_CYCLE && f->end == BASIN_CLOSED ? f->p : 0;
    return ZW_OK;
}

/* ---- following single motions ---- */

zw_basin_outcome *zw_basin_outcomes(zw_basin *b, int n) {
    zw_basin_outcome *f = ZW_NEW(&b->arena, zw_basin_outcome, n);
    double *x = ZW_NEW(&b->arena, double, (size_t)n *(size_t)b->nx);
    double *tail =
        ZW_NEW(&b->arena, double, (size_t)n *(size_t)b->options.period_max *(size_t)b->ny);
    for (int i = 0; i < n && !b->arena.failed; i++) {
        f[i].x = x + (size_t)i * (size_t)b->nx;
        f[i].tail = tail + (size_t)i * (size_t)b->options.period_max * (size_t)b->ny;
    }
    return b->arena.failed ? NULL : f;
}

static zw_status follow_one(zw_basin *b, const zw_basin_outcome *from, long least, long most,
                            zw_basin_outcome *out, zw_error *err) {
    zw_basin_job j = {.b = b,
                      .n = 1,
                      .outcome = out,
                      .x = from->x,
                      .at = from->u,
                      .step = from->step,
                      .least = least,
                      .most = most,
                      .patience = most + 1};
    return zw_basin_follow(&j, err);
}

/* ---- its points ---- */

/* The excitation may have no effect on it: it is at rest if it stays at the same point within a
 * period. */
static zw_status sample_within_period(zw_basin *b, zw_basin_limit_set *a, const zw_basin_outcome *f,
                                      zw_basin_outcome *scratch, zw_error *err) {
    enum { PLACES = 7 }; /* samples within a period of the excitation */
    double y[PLACES * ZW_BASIN_LOOKS];
    zw_basin_job j = {.b = b,
                      .n = 1,
                      .outcome = scratch,
                      .x = f->x,
                      .most = PLACES,
                      .record = y,
                      .at = f->u,
                      .step = f->step / (PLACES + 1),
                      .plain_step = f->step};
    ZW_TRY(zw_basin_follow(&j, err));
    for (int i = 0; i < PLACES; i++)
        if (zw_basin_distance(b, y + i * b->ny, a->point) > SAME_POINT * b->options.close)
            return ZW_OK;
    a->is.kind = ZW_BASIN_REST;
    a->is.period = 0;
    a->is.time = NAN;
    return ZW_OK;
}

/* Does the period contain several turns? Then the points of one turn are enough, and are recorded
 * again. */
static zw_status shorten_period(zw_basin *b, zw_basin_limit_set *a, const zw_basin_outcome *f,
                                zw_basin_outcome *scratch, zw_error *err) {
    int n = a->is.npoint;
    for (int turns = 16; turns > 1; turns--) {
        bool same = n % turns == 0;
        for (int i = 0; i < n && same; i++)
            same = zw_basin_distance(b, a->point + i * b->ny,
                                     a->point + (i + n / turns) % n * b->ny) <=
                   SAME_POINT * b->options.close;
        if (!same)
            continue;
        a->is.time /= turns;
        zw_basin_job j = {.b = b,
                          .n = 1,
                          .outcome = scratch,
                          .x = f->x,
                          .most = n,
                          .record = a->point,
                          .record_x = a->x,
                          .at = f->u,
                          .step = a->is.time / n,
                          .plain_step = f->step};
        return zw_basin_follow(&j, err);
    }
    return ZW_OK;
}

/* The distance of the curve from its chords: for an arc of length l of a circle of length L it is
 * pi l^2/(4 L). And blocks of the curve, with their sizes, so that most of it can be skipped. */
static void measure_curve(const zw_basin *b, zw_basin_limit_set *a) {
    int n = a->is.npoint;
    double longest = 0, length = 0;
    for (int i = 0; i < n; i++) {
        double l = zw_basin_distance(b, a->point + i * b->ny, a->point + (i + 1) % n * b->ny);
        longest = fmax(longest, l);
        length += l;
    }
    a->sagitta = M_PI * longest * longest / (4 * length);
    a->block = 0;
    for (int i = 0; i < n; i += ZW_BASIN_CURVE_BLOCK)
        for (int k = 1; k <= ZW_BASIN_CURVE_BLOCK; k++)
            a->block = fmax(a->block, zw_basin_distance(b, a->point + i * b->ny,
                                                        a->point + (i + k) % n * b->ny));
}

static zw_status record_points(zw_basin *b, zw_basin_limit_set *a, const zw_basin_outcome *f,
                               zw_basin_outcome *scratch, zw_error *err) {
    bool curve = f->end == BASIN_CYCLES;
    int n = curve ? ZW_BASIN_CURVE_POINTS : f->p > 1 ? f->p : 1;
    a->point = ZW_NEW(&b->arena, double, (size_t)n *(size_t)b->ny);
    a->x = ZW_NEW(&b->arena, double, (size_t)n *(size_t)b->nx);
    if (!a->point || !a->x)
        return zw_out_of_memory(err, "what was found");
    a->is.npoint = n;
    a->is.point = a->point;
    a->closed = true;
    if (is_rest(b, f)) {
        memcpy(a->point, f->tail + (size_t)(f->ntail - 1) * (size_t)b->ny,
               sizeof(double) * (size_t)b->ny);
        memcpy(a->x, f->x, sizeof(double) * (size_t)b->nx);
        return ZW_OK;
    }
    zw_basin_job j = {.b = b,
                      .n = 1,
                      .outcome = scratch,
                      .x = f->x,
                      .most = n,
                      .record = a->point,
                      .record_x = a->x,
                      .at = f->u,
                      .step = curve ? f->tau / n : f->step,
                      .plain_step = f->step};
    ZW_TRY(zw_basin_follow(&j, err));
    a->is.period = curve ? 0 : f->p;
    a->is.time = curve ? f->tau : b->section >= 0 ? scratch->time : f->p * f->step;
    if (!curve && n == 1 && b->section < 0 && !b->clocked)
        ZW_TRY(sample_within_period(b, a, f, scratch, err));
    if (curve && shorten_period(b, a, f, scratch, err) < 0)
        return ZW_E_MEMORY;
    if (curve)
        measure_curve(b, a);
    return ZW_OK;
}

/* ---- trials all around ---- */

/* States around its points, in random directions: at the distance r and at up to half of it, or, if
 * `all`, anywhere within r. */
static void scatter_states(const zw_basin *b, const zw_basin_limit_set *a, int n, double r,
                           bool all, uint64_t round, double *x) {
    for (int k = 0; k < n; k++) {
        double direction[ZW_BASIN_LOOKS], size = 0, *to = x + (size_t)k * (size_t)b->nx;
        int point = (int)((long)k * a->is.npoint / n);
        uint64_t index = round * TRIALS_MOST + (uint64_t)k;
        memcpy(to, a->x + (size_t)point * (size_t)b->nx, sizeof(double) * (size_t)b->nx);
        for (int i = 0; i < b->ny; i++) {
            direction[i] = 2 * zw_philox_unit(b->options.seed + USE_TRIAL, index, (uint32_t)i) - 1;
            size = fmax(size, fabs(direction[i]));
        }
        double far =
            r * (k % 2 ? 1 : 0.5 + 0.5 * zw_philox_unit(b->options.seed + USE_TRIAL, index, 99));
        if (all) /* fills the cube uniformly */
            size = 1, far = r;
        for (int i = 0; i < b->ny; i++)
            to[b->quantity[i].state] += far * b->quantity[i].scale * direction[i] / size;
    }
}

/* It has left now: it ended elsewhere, or is farther away than at its start. */
static bool has_left(const zw_basin *b, const zw_basin_limit_set *a, const zw_basin_outcome *f,
                     double r) {
    if (f->end == BASIN_FAILED)
        return f->failed_later; /* the integration failed on the way: it does not come back */
    if (f->end == BASIN_BEYOND || f->end == BASIN_STOPPED_BY)
        return true;
    return f->ntail > 0 &&
           zw_basin_limit_set_distance(b, a, f->tail + (size_t)(f->ntail - 1) * (size_t)b->ny) >
               LEFT_AROUND * r;
}

/* Do all admissible starts come back? tried: number of these. */
static zw_status try_around(zw_basin *b, const zw_basin_limit_set *a, double r, bool all,
                            uint64_t round, long patience, int n, double *x, zw_basin_outcome *f,
                            int *came, int *tried, int *away, zw_error *err) {
    scatter_states(b, a, n, r, all, round, x);
    zw_basin_job j = {.b = b,
                      .n = n,
                      .outcome = f,
                      .x = x,
                      .most = b->options.looks,
                      .patience = patience,
                      .target = a,
                      .target_size = fmin(0.5 * r, fmax(SAME_POINT * a->closure * b->options.close,
                                                        4 * a->sagitta))};
    *came = *tried = *away = 0;
    ZW_TRY(zw_basin_follow(&j, err));
    for (int i = 0; i < n; i++) {
        bool there =
            f[i].end == BASIN_REACHED || ((f[i].end == BASIN_CLOSED || f[i].end == BASIN_CYCLES) &&
                                          zw_basin_match(b, &f[i]) == (int)(a - b->found));
        *came += there;
        *tried += f[i].end != BASIN_FAILED || f[i].failed_later;
        *away += !there && has_left(b, a, &f[i], r);
    }
    return zw_basin_is_stopped(b) ? ZW_STOPPED : ZW_OK;
}

/* Mean growth rate and its error [1/s]. */
static void find_exponent(const zw_basin_job *j, zw_basin_attractor *a) {
    double mean = 0, square = 0, time = j->step * (double)j->most / PARTS;
    int n = PARTS - SKIPPED;
    for (int i = SKIPPED; i < PARTS; i++)
        mean += j->growth[i] / n;
    for (int i = SKIPPED; i < PARTS; i++)
        square += (j->growth[i] - mean) * (j->growth[i] - mean) / (n - 1);
    a->exponent = mean / time;
    a->exponent_time = j->step * (double)j->most;
    a->exponent_error = sqrt(square / n) / time;
}

static zw_status make_tangent(zw_basin *b) {
    zw_error why = {0};
    if (b->tangent || b->no_tangent)
        return ZW_OK;
    b->no_tangent = zw_basin_ensemble(b, 1, &b->tangent, &why) < 0;
    return ZW_OK;
}

/* The exponent of something that closes, from EXPONENT_TURNS turns near it. The basin of an
 * attracting cycle may be too thin for any trial; near a saddle neighbours separate although the
 * motion itself leaves late. */
static zw_status exponent_along(zw_basin *b, zw_basin_limit_set *a, zw_error *err) {
    long looks = (long)EXPONENT_TURNS * a->is.npoint;
    zw_basin_outcome *g = zw_basin_outcomes(b, 1);
    make_tangent(b);
    if (!g)
        return zw_out_of_memory(err, "what was found");
    if (b->no_tangent || a->is.period < 1 || !(a->is.time > 0) || a->is.exponent < 0)
        return ZW_OK;
    double *record = malloc(sizeof(double) * (size_t)looks * (size_t)(b->ny + b->nx));
    if (!record)
        return zw_out_of_memory(err, "what was found");
    zw_basin_job j = {.b = b,
                      .n = 1,
                      .outcome = g,
                      .x = a->x,
                      .step = a->is.time / a->is.npoint,
                      .most = looks,
                      .patience = looks + 1,
                      .record = record,
                      .record_x = record + looks * b->ny,
                      .tangent = true};
    zw_status status = zw_basin_follow(&j, err);
    if (status == ZW_OK && g->end == BASIN_LOST)
        find_exponent(&j, &a->is);
    free(record);
    return status;
}

static zw_status find_reach(zw_basin *b, zw_basin_limit_set *a, long looks, zw_error *err) {
    int n = 8 * b->ny, came, tried, away;
    n = n < 16 ? 16 : n > TRIALS_MOST ? TRIALS_MOST : n;
    n = n < a->is.npoint && a->is.npoint <= TRIALS_MOST ? a->is.npoint : n;
    double *x = ZW_NEW(&b->arena, double, (size_t)n *(size_t)b->nx);
    zw_basin_outcome *f = zw_basin_outcomes(b, n);
    long patience = 4 * looks > b->patience ? 4 * looks : b->patience;
    double r = FIRST_TRIAL, smallest = fmax(40 * a->closure * b->options.close, 10 * a->sagitta);
    bool up = true;
    uint64_t round = (uint64_t)(a - b->found) * 64;
    if (!x || !f)
        return zw_out_of_memory(err, "what was found");
    for (;; round++) {
        zw_status status =
            try_around(b, a, r, false, round, patience, n, x, f, &came, &tried, &away, err);
        if (status)
            return status;
        if (2 * tried < n)
            return ZW_OK; /* starts are impossible there: untried */
        if (came == tried) {
            a->is.trial = ZW_BASIN_STABLE;
            a->is.reach = r / 2;
            if (!up || r >= LARGEST_TRIAL)
                return ZW_OK;
            r *= 2;
        } else if (a->is.reach > 0 || r <= smallest) {
            break;
        } else {
            up = false;
            r = fmax(r / 4, smallest);
        }
    }
    if (a->is.reach > 0 || !away)
        return ZW_OK;
    ZW_TRY(exponent_along(b, a, err));
    if (!(a->is.exponent < 0)) /* otherwise its basin is smaller than the trials */
        a->is.trial = ZW_BASIN_UNSTABLE;
    return ZW_OK;
}

/* If very many starts follow, the reach is tested once more, by starts anywhere in it: if all of
 * CONFIRMED come back, a single sample within it is enough to end a motion. If not, it is halved. A
 * part f of the reach that belongs to another attractor remains undetected with the probability (1
 * - f)^CONFIRMED: 0.6 % for f = 2 %. */
static zw_status confirm_reach(zw_basin *b, zw_basin_limit_set *a, long looks, zw_error *err) {
    double *x = ZW_NEW(&b->arena, double, (size_t)CONFIRMED *(size_t)b->nx);
    zw_basin_outcome *f = zw_basin_outcomes(b, CONFIRMED);
    long patience = 4 * looks > b->patience ? 4 * looks : b->patience;
    uint64_t round = CONFIRMING + (uint64_t)(a - b->found) * 64;
    int came, tried, away;
    if (!x || !f)
        return zw_out_of_memory(err, "what was found");
    for (int turn = 0; turn < STAY_FACTOR; turn++, round += CONFIRMED / TRIALS_MOST) {
        zw_status status = try_around(b, a, a->is.reach, true, round, patience, CONFIRMED, x, f,
                                      &came, &tried, &away, err);
        if (status)
            return status;
        a->is.confirmed = came == tried && tried == CONFIRMED ? tried : 0;
        if (came == tried) /* or some starts are not admissible */
            return ZW_OK;
        a->is.reach /= 2;
    }
    return ZW_OK;
}

static zw_status find_reach_of_many(zw_basin *b, zw_basin_limit_set *a, long looks, zw_error *err) {
    zw_status status = find_reach(b, a, looks, err);
    if (status != ZW_OK || !(a->is.reach > 0) || b->n < MANY_STARTS)
        return status;
    return confirm_reach(b, a, looks, err);
}

/* ---- rests and cycles ---- */

static zw_status learn_place(zw_basin *b, const zw_basin_outcome *f, int *label, zw_error *err) {
    zw_basin_outcome *g = zw_basin_outcomes(b, 2);
    const zw_basin_outcome *now = f;
    *label = -1;
    if (!g)
        return zw_out_of_memory(err, "what was found");
    for (int turn = 0;; turn++) {
        long least = 3 * now->looks + 20;
        least = least < b->options.looks / 2 ? least : b->options.looks / 2;
        zw_status status = follow_one(b, now, least, b->options.looks, &g[turn % 2], err);
        if (status)
            return status;
        const zw_basin_outcome *next = &g[turn % 2];
        if (next->end != BASIN_CLOSED && next->end != BASIN_CYCLES)
            return ZW_OK;
        *label = zw_basin_match(b, next);
        if (*label < 0 && turn == 0)
            ZW_TRY(zw_basin_continuum_join(b, next, label, err));
        if (*label >= 0)
            return ZW_OK;
        bool same = next->end == now->end && next->p == now->p && now->ntail > 0;
        double *y = next->tail + (size_t)(next->ntail - 1) * (size_t)b->ny, best = INFINITY;
        for (int i = 0; i < now->ntail && i < (now->p > 1 ? now->p : 1); i++)
            best = fmin(best, zw_basin_distance(
                                  b, y, now->tail + (size_t)(now->ntail - 1 - i) * (size_t)b->ny));
        now = next;
        if (same && (now->end == BASIN_CYCLES || best <= SAME_POINT * b->options.close))
            break;
        if (turn == 3)
            return ZW_OK;
    }
    zw_basin_limit_set *a =
        add_attractor(b, is_rest(b, now) ? ZW_BASIN_REST : ZW_BASIN_CYCLE, label);
    if (!a)
        return ZW_OK;
    ZW_TRY(record_points(b, a, now, now == &g[0] ? &g[1] : &g[0], err));
    zw_status status = zw_basin_continuum_test(b, a, now, err);
    if (status || a->is.continuum)
        return status;
    return b->can_perturb ? find_reach_of_many(b, a, f->looks, err) : ZW_OK;
}

/* ---- what does not close ---- */

static zw_status store_cells(zw_basin *b, zw_basin_cells *c, const double *y, long n,
                             zw_error *err) {
    long known = n - n / 10, inside = 0;
    c->nslot = 1024;
    while (c->nslot < 2 * (size_t)n)
        c->nslot *= 2;
    c->slot = ZW_NEW(&b->arena, uint64_t, c->nslot);
    if (!c->slot)
        return zw_out_of_memory(err, "what was found");
    for (c->size = b->options.cell;; c->size *= 2) {
        memset(c->slot, 0, sizeof *c->slot * c->nslot);
        c->n = 0;
        for (long i = 0; i < known; i++)
            zw_basin_cells_insert(c->slot, c->nslot, &c->n,
                                  zw_basin_cell(b->quantity, b->ny, c->size, y + i * b->ny, NULL));
        inside = 0;
        for (long i = known; i < n; i++)
            inside += zw_basin_cells_near(c, b->quantity, b->ny, y + i * b->ny);
        if ((double)inside >= CELLS_COVERED * (double)(n - known) || c->size >= COARSEST_CELL)
            break;
    }
    for (long i = known; i < n; i++)
        zw_basin_cells_insert(c->slot, c->nslot, &c->n,
                              zw_basin_cell(b->quantity, b->ny, c->size, y + i * b->ny, NULL));
    return ZW_OK;
}

/* On a torus the logarithm of a disturbance grows by a few units in all, for any duration. */
static zw_basin_kind kind_of(const zw_basin_attractor *a, double time) {
    double whole = a->exponent * time;
    if (isnan(a->exponent))
        return ZW_BASIN_IRREGULAR;
    if (a->exponent > 4 * a->exponent_error && whole > 15)
        return ZW_BASIN_CHAOS;
    return whole < 15 ? ZW_BASIN_TORUS : ZW_BASIN_IRREGULAR;
}

/* Does the second half of a record close with period p, up to `close`? */
static bool closes_with(const zw_basin *b, const double *y, long n, int p, double close) {
    zw_basin_closing c;
    zw_basin_closeness verdict = BASIN_OPEN, now;
    double rest;
    zw_basin_closing_begin(&c, p);
    for (long i = n / 2; i < n; i++) {
        now = zw_basin_closing_add(&c, zw_basin_distance(b, y + i * b->ny, y + (i - p) * b->ny),
                                   close, &rest);
        verdict = now != BASIN_OPEN || c.inside == 0 ? now : verdict;
    }
    long turns = n / 2 / p;
    double drift = zw_basin_distance(b, y + (n - 1) * b->ny, y + (n - 1 - turns * p) * b->ny);
    return verdict == BASIN_ARRIVED ||
           (verdict == BASIN_RESTING && drift <= 4 * close &&
            drift <= NO_DRIFT * (double)turns * zw_basin_closing_size(&c));
}

/* The smallest divisor of p that is a period too, up to `same`. */
static int least_part(const zw_basin *b, const double *y, long n, int p, double same) {
    for (int q = 1; q < p; q++) {
        bool is = p % q == 0;
        for (long i = n - p; i < n && is; i++)
            is = zw_basin_distance(b, y + i * b->ny, y + (i - q) * b->ny) <= same;
        if (is)
            return q;
    }
    return p;
}

/* The period of a record whose neighbours converge, 0 if none. Amplified round-off may keep it from
 * closing; then a larger error is accepted. Samples without excitation have no period. */
static int blurred_period(const zw_basin *b, const double *y, long n, double *closure) {
    for (*closure = 1; *closure <= 1000 && !b->autonomous; *closure *= 10)
        for (int p = 1; p <= n / 32; p++)
            if (zw_basin_distance(b, y + (n - 1) * b->ny, y + (n - 1 - p) * b->ny) <=
                    4 * *closure * b->options.close &&
                closes_with(b, y, n, p, *closure * b->options.close))
                return least_part(b, y, n, p, SAME_POINT * *closure * b->options.close);
    return 0;
}

/* Is it one whose cells are known, for more samples? */
static int same_cells(const zw_basin *b, const double *y, long n) {
    for (int i = 0; i < b->nfound; i++) {
        long inside = 0;
        for (long k = n / 2; k < n && b->found[i].cells.n; k++)
            inside += zw_basin_cells_near(&b->found[i].cells, b->quantity, b->ny, y + k * b->ny);
        if (2 * inside > n - n / 2)
            return i;
    }
    return -1;
}

/* Is it a cycle whose points are known? The last p samples are compared, up to the round-off of
 * either. */
static int same_points(const zw_basin *b, const double *y, long n, int p, double closure) {
    for (int i = 0; i < b->nfound; i++) {
        const zw_basin_limit_set *a = &b->found[i];
        double worst = 0;
        if (!a->closed || a->is.kind != ZW_BASIN_CYCLE || a->is.period != p)
            continue;
        for (long k = n - p; k < n; k++)
            worst = fmax(worst, zw_basin_limit_set_distance(b, a, y + k * b->ny));
        if (worst <= SAME_POINT * fmax(closure, a->closure) * b->options.close)
            return i;
    }
    return -1;
}

/* Range of the samples from .. to - 1, in scales. */
static double range_extent(const zw_basin *b, const double *y, int i, long from, long to) {
    double low = INFINITY, high = -INFINITY;
    for (long k = from; k < to; k++) {
        low = fmin(low, y[k * b->ny + i]);
        high = fmax(high, y[k * b->ny + i]);
    }
    return (high - low) / b->quantity[i].scale;
}

/* Neighbours converge, or the extent decreases, and it does not close: it is still approaching
 * something, and needs more time. */
static bool is_converging(const zw_basin_job *j) {
    zw_basin_attractor a = {0};
    const zw_basin *b = j->b;
    double first = 0, last = 0;
    for (int i = 0; i < b->ny; i++) {
        first = fmax(first, range_extent(b, j->record, i, 0, j->most / 4));
        last = fmax(last, range_extent(b, j->record, i, j->most - j->most / 4, j->most));
    }
    if (last < EXTENT_RATIO * first)
        return true;
    if (!j->tangent)
        return false;
    find_exponent(j, &a);
    return a.exponent < -4 * a.exponent_error && a.exponent * j->step * (double)j->most < -1;
}

static zw_status learn_set(zw_basin *b, const zw_basin_outcome *from, const double *record,
                           const double *record_x, long looks, const zw_basin_job *j, int *label,
                           zw_error *err) {
    double closure = 1;
    bool nears = is_converging(j);
    int p = nears || !j->tangent ? blurred_period(b, record, looks, &closure) : 0;
    *label = p ? same_points(b, record, looks, p, closure) : same_cells(b, record, looks);
    if (*label >= 0 || (!p && nears))
        return ZW_OK;
    zw_basin_limit_set *a = add_attractor(b, p ? ZW_BASIN_CYCLE : ZW_BASIN_IRREGULAR, label);
    if (!a)
        return ZW_OK;
    long keep = p ? p : looks < 512 ? looks : 512;
    a->is.npoint = (int)keep;
    a->point = ZW_NEW(&b->arena, double, (size_t)keep *(size_t)b->ny);
    a->x = ZW_NEW(&b->arena, double, (size_t)keep *(size_t)b->nx);
    if (!a->point || !a->x)
        return zw_out_of_memory(err, "what was found");
    memcpy(a->point, record + (looks - keep) * b->ny, sizeof(double) * (size_t)(keep * b->ny));
    memcpy(a->x, record_x + (looks - keep) * b->nx, sizeof(double) * (size_t)(keep * b->nx));
    a->is.point = a->point;
    if (j->tangent)
        find_exponent(j, &a->is);
    if (p) {
        a->is.period = p;
        a->is.time = b->section >= 0 ? NAN : p * j->step;
        a->closed = true;
        a->closure = closure;
        return b->can_perturb ? find_reach_of_many(b, a, from->looks, err) : ZW_OK;
    }
    a->is.kind = kind_of(&a->is, j->step * (double)looks);
    if (b->autonomous &&
        /* without excitation, a cycle whose period was not found looks the same */
        a->is.kind == ZW_BASIN_TORUS)
        a->is.kind = ZW_BASIN_IRREGULAR;
    return store_cells(b, &a->cells, record + looks / 4 * b->ny, looks - looks / 4, err);
}

static zw_status learn_irregular(zw_basin *b, const zw_basin_outcome *f, int *label,
                                 zw_error *err) {
    long looks = (long)(b->options.longer * (double)b->patience);
    looks = looks < b->options.looks || b->options.looks < 1000 ? looks : b->options.looks;
    zw_basin_outcome *g = zw_basin_outcomes(b, 2);
    *label = -1;
    if (!g)
        return zw_out_of_memory(err, "what was found");
    zw_status status = follow_one(b, f, 0, looks, &g[0], err);
    if (status)
        return status;
    if (g[0].end == BASIN_CLOSED || g[0].end == BASIN_CYCLES) {
        b->patience = 4 * b->patience < b->options.looks ? 4 * b->patience : b->options.looks;
        *label = zw_basin_match(b, &g[0]);
        return *label >= 0 ? ZW_OK : learn_place(b, &g[0], label, err);
    }
    if (g[0].end != BASIN_LOST)
        return g[0].end == BASIN_BEYOND || g[0].end == BASIN_STOPPED_BY
                   ? zw_basin_learn(b, &g[0], label, err)
                   : ZW_OK;
    make_tangent(b);
    double *record = malloc(sizeof(double) * (size_t)looks * (size_t)(b->ny + b->nx));
    if (!record)
        return zw_out_of_memory(err, "what was found");
    zw_basin_job j = {.b = b,
                      .n = 1,
                      .outcome = &g[1],
                      .x = g[0].x,
                      .at = g[0].u,
                      .step = g[0].step,
                      .most = looks,
                      .patience = looks + 1,
                      .record = record,
                      .record_x = record + looks * b->ny,
                      .tangent = !b->no_tangent};
    status = zw_basin_follow(&j, err);
    if (status == ZW_OK && g[1].end == BASIN_LOST)
        status = learn_set(b, f, record, j.record_x, looks, &j, label, err);
    bool more = status == ZW_OK && *label < 0 && g[1].end == BASIN_LOST && is_converging(&j);
    free(record);
    if (!more)
        return status;
    b->patience = b->options.looks;
    status = follow_one(b, &g[1], 0, b->options.looks, &g[0], err);
    if (status != ZW_OK || (g[0].end != BASIN_CLOSED && g[0].end != BASIN_CYCLES))
        return status;
    return zw_basin_learn(b, &g[0], label, err);
}

zw_status zw_basin_learn(zw_basin *b, const zw_basin_outcome *f, int *label, zw_error *err) {
    *label = zw_basin_match(b, f);
    if (*label >= 0)
        return ZW_OK;
    switch (f->end) {
    case BASIN_BEYOND:
    case BASIN_STOPPED_BY:
        return add_leaving(b, f, label);
    case BASIN_CLOSED:
    case BASIN_CYCLES:
        return b->by_kind ? add_class(b, f, label) : learn_place(b, f, label, err);
    case BASIN_RECURRENT:
        return b->by_kind ? add_class(b, f, label) : learn_irregular(b, f, label, err);
    default:
        return ZW_OK;
    }
}
