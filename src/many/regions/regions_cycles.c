/* SPDX-License-Identifier: MIT */
/* The return map at all points of the grid, by ensembles of motions: each start twice, with the
 * tolerance and with a thirtieth of it. Rounds: first the same samples everywhere, then those that
 * regions_judge.c requests.
 *
 * A motion into a singularity of the equations takes step after step while its time hardly grows:
 * a body that falls flat takes millions of steps, where one that returns takes fifty. So motions
 * begin with few steps; those that need more are repeated with ten times as many, as long as their
 * time still grows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "regions.h"

enum {
    ROUNDS = 9,      /* of requested samples */
    BATCH = 1 << 12, /* motions that are followed together */
    LEVELS = 5       /* numbers of steps that are tried */
};
static const long steps[LEVELS] = {1000, 10000, 100000, 1000000, 10000000}; /* of a motion */
/* Relative growth of the time of a motion by ten times the steps: below, it approaches a
 * singularity. Chosen by trial: a slow motion gains more. */
#define TIME_GROWTH 1e-3
/* times the difference of both results, as bound of the error of the finer one */
#define ERROR_FACTOR 2
/* of the distance of its start from a: the motion goes to a. Chosen by trial; a motion on a cycle
 * near a has not moved so far. */
#define ARRIVED_AT_A 1e-3
/* Lengths of the line, or sizes, from a: farther away a motion may fail because it grows
     * without bound. */
#define GROWING_AWAY 100
#define FAR_FROM_A 2 /* lengths of the line from a: a motion beyond has left */
#define TIMEOUTS 10  /* times in the duration at which a motion that does not return is checked */
/* Crossings beyond a, without one on the line: it has left. Chosen by trial. */
#define MOST_CROSSINGS 200

typedef enum fate { RETURNED, LEFT, ARRIVED, LATE, FAILED } fate;

typedef struct start {
    int point;
    double u;
} start;

typedef struct outcome {
    fate how;
    double s; /* position at which it returned, in lengths of the line */
    long steps;
    bool broken;                /* it could not be continued */
    double t, before;           /* time [s] that it reached; and with a tenth of the steps */
    double x[ZW_REGION_STATES]; /* state at which it failed */
} outcome;

typedef struct batch {
    zw_regions *r;
    const start *start;
    outcome *outcome;
    const long *which; /* motion k has start which[k] */
} batch;

typedef struct memory {
    int crossings;
} memory;

static void begin_motion(void *user, zw_ensemble_motion *m, bool *given) {
    const batch *b = user;
    const zw_regions *r = b->r;
    long k = b->which[m->number];
    const start *s = &b->start[k];
    const double *e = r->ends + 3 * s->point;
    memcpy(m->p, zw_region_parameters(r, s->point), sizeof *m->p * (size_t)r->sys->np);
    m->x[r->across] = e[0];
    m->x[r->along] = e[1] + s->u * (e[2] - e[1]);
    given[0] = given[1] = true;
    m->t = 0;
    m->next = r->until[s->point] / TIMEOUTS;
    b->outcome[k] = (outcome){.how = FAILED, .before = b->outcome[k].t};
}

/* Position on the line, relative to its length. */
static double line_position(const zw_regions *r, int point, const double *x) {
    const double *e = r->ends + 3 * point;
    double y = x[r->along];
    if (r->mirrored) {
        const double *A = r->affine[point * ZW_REGION_STATES + r->along];
        y = A[0] * x[0] + A[1] * x[1] + A[2];
    }
    return (y - e[1]) / (e[2] - e[1]);
}

static zw_ensemble_reply handle_crossing(void *user, zw_ensemble_motion *m, int event) {
    const batch *b = user;
    const zw_regions *r = b->r;
    memory *own = m->memory;
    long k = b->which[m->number];
    int point = b->start[k].point;
    if (event != r->event || m->t <= ZW_SAME_VALUE * r->until[point])
        return ZW_ENSEMBLE_ON;
    if (++own->crossings % 2 == 1 && !r->mirrored)
        return ZW_ENSEMBLE_ON;
    outcome *o = &b->outcome[k];
    o->s = line_position(r, point, m->x);
    /* Beyond a, the section may be crossed again and again within a turn. */
    if (o->s <= 0 && !r->mirrored && own->crossings < MOST_CROSSINGS)
        return ZW_ENSEMBLE_ON;
    o->how = o->s > 0 ? RETURNED : LEFT;
    return ZW_ENSEMBLE_DONE;
}

/* It has not returned for a tenth of its time: if it is far from a it has left, at the end a node
 * may have attracted it. */
static zw_ensemble_reply handle_timeout(void *user, zw_ensemble_motion *m) {
    const batch *b = user;
    const zw_regions *r = b->r;
    long k = b->which[m->number];
    int point = b->start[k].point;
    const double *e = r->ends + 3 * point, *scale = zw_equilibria_scale(r->e);
    outcome *o = &b->outcome[k];
    double along = fabs(m->x[r->along] - e[1]) / fabs(e[2] - e[1]);
    double across = fabs(m->x[r->across] - e[0]) / scale[r->across];
    if (along > FAR_FROM_A) {
        o->how = LEFT;
        return ZW_ENSEMBLE_DONE;
    }
    if (m->t < r->until[point]) {
        m->next = fmin(m->t + r->until[point] / TIMEOUTS, r->until[point]);
        return ZW_ENSEMBLE_ON;
    }
    const memory *own = m->memory;
    o->how = fmax(along, across) < ARRIVED_AT_A * b->start[k].u ? ARRIVED
             : own->crossings > 1                               ? LEFT
                                                                : LATE;
    return ZW_ENSEMBLE_DONE;
}

static void finish_motion(void *user, zw_ensemble_motion *m) {
    const batch *b = user;
    outcome *o = &b->outcome[b->which[m->number]];
    o->steps = m->steps;
    o->t = m->t;
    o->broken = m->status < 0;
    memcpy(o->x, m->x, sizeof o->x);
    if (o->how == FAILED && m->status == ZW_EVENT && m->event != b->r->event)
        o->how = LEFT;
}

/* Did it fail far away, as motions do that grow without bound? */
static bool is_far(const zw_regions *r, int point, const outcome *o) {
    const double *e = r->ends + 3 * point, *scale = zw_equilibria_scale(r->e);
    double along = fabs(o->x[r->along] - e[1]) / fabs(e[2] - e[1]);
    double across = fabs(o->x[r->across] - e[0]) / scale[r->across];
    return o->how == FAILED && o->broken && !(along < GROWING_AWAY && across < GROWING_AWAY);
}

/* Motions with one tolerance. */
typedef struct follower {
    double tolerance;
    zw_ensemble *e[LEVELS]; /* each with ten times the steps of the one before; NULL until needed */
} follower;

static zw_status open_ensemble(zw_regions *r, follower *f, int level, zw_error *err) {
    zw_ensemble_options o = zw_ensemble_options_default();
    o.threads = r->options.threads;
    o.principle = r->options.principle;
    o.run.rtol = f->tolerance;
    o.run.atol = f->tolerance * r->size;
    o.run.steps_max = steps[level];
    o.nevent = 1;
    o.event = &r->event;
    o.memory = sizeof(memory);
    /* Lanes find zeros of the section from six samples within each step, and a motion with two
     * states does not turn more often than its steps resolve. A zero that is missed with one
     * tolerance would be found with the other. */
    zw_error refused = {0};
    o.engine = ZW_ENSEMBLE_LANES;
    if (zw_ensemble_create(&f->e[level], &r->source, &o, &refused) >= 0)
        return ZW_OK;
    o.engine = ZW_ENSEMBLE_CHOSEN;
    return zw_ensemble_create(&f->e[level], &r->source, &o, err);
}

static bool needs_more(int level, const outcome *o) {
    return o->how == FAILED && level + 1 < LEVELS && o->steps >= steps[level] &&
           o->t - o->before > TIME_GROWTH * o->t;
}

/* Follows the n motions of a batch; `list` has space for n. */
static zw_status follow(zw_regions *r, follower *f, batch *b, long n, long *list, zw_error *err) {
    zw_ensemble_client client = {b, begin_motion, handle_timeout, finish_motion, handle_crossing};
    memset(b->outcome, 0, (size_t)n * sizeof *b->outcome);
    b->which = list;
    for (long k = 0; k < n; k++)
        list[k] = k;
    for (int level = 0; level < LEVELS && n > 0; level++) {
        if (!f->e[level])
            ZW_TRY(open_ensemble(r, f, level, err));
        ZW_TRY(zw_ensemble_run(f->e[level], &client, 0, (uint64_t)n, err));
        r->motions += n;
        long open = 0;
        for (long k = 0; k < n; k++) {
            outcome *o = &b->outcome[list[k]];
            if (needs_more(level, o))
                list[open++] = list[k];
            else if (is_far(r, b->start[list[k]].point, o))
                o->how = LEFT;
        }
        n = open;
    }
    return ZW_OK;
}

static zw_region_sample classify_return(double u, const outcome *coarse, const outcome *fine) {
    zw_region_sample s = {.u = u, .d = NAN, .bound = INFINITY};
    if (coarse->how != fine->how)
        return s;
    if (fine->how == LEFT)
        return (zw_region_sample){u, INFINITY, 0, 1};
    if (fine->how == ARRIVED)
        return (zw_region_sample){u, -u, 0, -1};
    if (fine->how != RETURNED)
        return s;
    s.d = fine->s - u;
    s.bound = ERROR_FACTOR * fabs(fine->s - coarse->s) + ZW_ROUNDOFF_VALUE;
    s.sign = s.d > s.bound ? 1 : s.d < -s.bound ? -1 : 0;
    return s;
}

static void insert_sample(zw_regions *r, int point, zw_region_sample s) {
    zw_region_sample *list = r->sample + (size_t)point * ZW_REGION_SAMPLES;
    int k = r->nsample[point];
    if (k == ZW_REGION_SAMPLES)
        return;
    for (; k > 0 && list[k - 1].u > s.u; k--)
        list[k] = list[k - 1];
    list[k] = s;
    r->nsample[point]++;
}

/* Stores the reason why a point is undecided; it names the first such motion. */
static void note_failure(zw_regions *r, int point, const outcome *o) {
    char where[200];
    if (r->failure[point])
        return;
    snprintf(where, sizeof where, "%.60s = %.6g%s%.20s, %.60s = %.6g%s%.20s", zw_region_entry(r, 0),
             o->x[0], zw_region_unit(r, 0)[0] ? " " : "", zw_region_unit(r, 0),
             zw_region_entry(r, 1), o->x[1], zw_region_unit(r, 1)[0] ? " " : "",
             zw_region_unit(r, 1));
    r->failure[point] = zw_arena_printf(
        &r->arena,
        "a motion cannot be followed beyond t = %.6g s, near %s; if the model ends there, add a "
        "stop event",
        o->t, where);
}

typedef struct runner {
    follower coarse, fine;
    start *start;
    outcome *rough, *good;
    long *list;
    long n, capacity;
} runner;

static zw_status run_batch(zw_regions *r, runner *w, zw_error *err) {
    batch rough = {r, w->start, w->rough, NULL}, good = {r, w->start, w->good, NULL};
    ZW_TRY(follow(r, &w->coarse, &rough, w->n, w->list, err));
    ZW_TRY(follow(r, &w->fine, &good, w->n, w->list, err));
    for (long k = 0; k < w->n; k++) {
        insert_sample(r, w->start[k].point,
                      classify_return(w->start[k].u, &w->rough[k], &w->good[k]));
        if (w->good[k].how == FAILED)
            note_failure(r, w->start[k].point, &w->good[k]);
    }
    w->n = 0;
    return zw_arena_status(&r->arena, err);
}

static zw_status add_start(zw_regions *r, runner *w, int point, double u, zw_error *err) {
    w->start[w->n++] = (start){point, u};
    return w->n == w->capacity ? run_batch(r, w, err) : ZW_OK;
}

static bool is_stopped(const zw_regions *r, int round, int point) {
    double done = 0.1 + 0.9 * (round == 0 ? 0.8 * point / r->npoint : 0.8 + 0.02 * round);
    return r->options.stop && r->options.stop(r->options.stop_user, done);
}

static zw_status run_round(zw_regions *r, runner *w, int round, zw_error *err) {
    for (int i = 0; i < r->npoint; i++) {
        double u[ZW_REGION_SAMPLES];
        int n = 0;
        if (round == 0) {
            n = r->nbase;
            memcpy(u, r->base, sizeof *u * (size_t)n);
        } else if (!zw_region_request_samples(r, i, u, &n)) {
            continue;
        }
        for (int k = 0; k < n; k++)
            ZW_TRY(add_start(r, w, i, u[k], err));
        if (i % 64 == 0 && is_stopped(r, round, i)) { /* the motions followed so far stay */
            r->stopped = true;
            w->n = 0;
            return ZW_OK;
        }
    }
    return w->n ? run_batch(r, w, err) : ZW_OK;
}

static zw_status run_rounds(zw_regions *r, runner *w, zw_error *err) {
    double all = (double)r->npoint * r->nbase;
    w->capacity = all < BATCH ? (long)all + 1 : BATCH;
    w->start = ZW_NEW(&r->arena, start, w->capacity);
    w->list = ZW_NEW(&r->arena, long, w->capacity);
    r->failure = ZW_NEW(&r->arena, const char *, r->npoint);
    w->rough = ZW_NEW(&r->arena, outcome, w->capacity);
    w->good = ZW_NEW(&r->arena, outcome, w->capacity);
    r->nsample = ZW_NEW(&r->arena, int, r->npoint);
    r->sample = ZW_NEW(&r->arena, zw_region_sample, (size_t)r->npoint * ZW_REGION_SAMPLES);
    if (r->arena.failed)
        return zw_out_of_memory(err, NULL);
    w->coarse.tolerance = r->options.tolerance;
    w->fine.tolerance = r->options.tolerance / ZW_REGION_FINER;
    for (int round = 0; round < ROUNDS && !r->stopped; round++)
        ZW_TRY(run_round(r, w, round, err));
    for (int i = 0; i < r->npoint; i++) {
        double u[ZW_REGION_SAMPLES];
        int n;
        bool open =
            r->stopped && (r->nsample[i] < r->nbase || zw_region_request_samples(r, i, u, &n));
        if (open && !r->point[i].why)
            r->point[i].why = ZW_REGION_STOPPED;
        zw_region_count_cycles(r, i);
    }
    return ZW_OK;
}

zw_status zw_region_map_returns(zw_regions *r, zw_error *err) {
    runner w = {0};
    zw_status status = run_rounds(r, &w, err);
    for (int level = 0; level < LEVELS; level++) {
        zw_ensemble_destroy(w.coarse.e[level]);
        zw_ensemble_destroy(w.fine.e[level]);
    }
    return status;
}
