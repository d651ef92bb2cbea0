/* SPDX-License-Identifier: MIT */
/* The exponents of smooth motions without constraints, eight motions in step (ensemble/frames.h).
 * The measured time of a motion is
 *
 *   a tenth in which the frame turns into its directions, and 64 blocks of R samples each,
 *
 * where R is even, so that the divergence is integrated over a block by Simpson's rule, and so
 * large that rows separate by a factor of e^SPREAD at most between samples. It is chosen in the
 * tenth and adapted from block to block.
 *
 * The allowed errors correspond to the tolerance (lyapunov_judge.c). Motions of a group that fail
 * in step are left to lyapunov_motions.c. Groups are formed by the numbers of the motions, for any
 * number of threads: so the results do not depend on it. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "ensemble/frames.h"
#include "lyapunov.h"

#define MORE_SAMPLES 1.1  /* ratio of numbers of samples above which the interval is changed, */
#define FEWER_SAMPLES 0.7 /* or below which */

enum {
    L = 8,
    BLOCKS = ZW_LYAPUNOV_BLOCKS,
    MOST_SAMPLES = 100000, /* of a block */
    GROWTHS_PER_LOG = 8,   /* factors up to 1e5: their product is at most 1e40 */
    DISTURBANCES = 32,     /* vectors of a frame */
    SAMPLES_PER_STOP = 256 /* samples between two checks of an interruption */
};
/* log of a factor of 1e5: eleven digits of the rows remain, more than their errors */
#define LARGEST_SPREAD 11.5
#define NEARLY_LOST 23. /* log of 1e10: six digits remain, the accuracy of exponents */
/* of the measured time: directions converge like exponentials of the differences of exponents, much
 * faster than exponents do */
#define ALIGNMENT_TIME 0.1
/* relative: smaller changes of the divergence are round-off of the Jacobian matrix */
#define CONSTANT_DIVERGENCE 1e-9
/* if the divergence changes: Simpson's rule misses 2e-3 of an oscillation of this period, */
#define SAMPLES_PER_SCALE 8
#define SAMPLES_PER_PERIOD 16  /* and in a period of the excitation */
#define STEPPER_TOLERANCE 1e-9 /* smaller tolerances are for methods of higher order */

typedef struct frames_job {
    zw_lyapunov *s;
    const zw_kernel *kernel;
    int count, groups;
    _Atomic int next;
    _Atomic double done; /* groups, with fractions */
    _Atomic bool stop;
} frames_job;

typedef struct group {
    frames_job *c;
    zw_lyapunov_thread *own;
    int thread;
    zw_arena arena;
    zw_frames f;
    int number, lanes, index[L];
    double width[L]; /* of a block [s] */
    int samples;     /* R */
    /* completed fraction of the motion before the present block */
    double part;
    double spread; /* largest in the present block */
    bool level;    /* the divergence is constant in it */
    /* products of growths, and the sum of their logarithms so far: k x L */
    double product[L * DISTURBANCES], *log;
} group;

/* -------------------------------------------------------------------------------- which motions */

bool zw_lyapunov_uses_frames(const zw_lyapunov *s) {
    bool asked = s->options.engine == ZW_LYAPUNOV_FRAMES;
    bool chosen = s->options.engine == ZW_LYAPUNOV_CHOSEN && s->run.rtol >= STEPPER_TOLERANCE &&
                  (!s->run.method || strcmp(s->run.method, "auto") == 0);
    return (asked || chosen) && !s->jumps && !s->hybrid && zw_frames_refuse(s->kernel) == NULL &&
           s->largest_rate > 0 && s->k <= DISTURBANCES && !(s->run.step_max > 0);
}

/* -------------------------------------------------------------------------------------- a group */

static int even_ceiling(double samples) {
    double up = 2 * ceil(0.5 * samples - ZW_SAME_VALUE);
    return up < 2 ? 2 : up > MOST_SAMPLES ? MOST_SAMPLES : (int)up;
}

/* Samples in a block: rows must not separate too far, judged by the last block, and the divergence
 * must be resolved. */
static int samples_for(const group *g, double spread_of_block, bool level) {
    const zw_lyapunov *s = g->c->s;
    double most = spread_of_block / LARGEST_SPREAD;
    for (int i = 0; i < g->lanes; i++) {
        double scales = g->width[i] / s->tau[g->index[i] / s->motions];
        int times = s->k < s->n || level                ? 1
                    : s->autonomous || s->has_no_period ? SAMPLES_PER_SCALE
                                                        : SAMPLES_PER_PERIOD;
        most = fmax(most, times * scales);
    }
    return even_ceiling(most);
}

static zw_status load_lane(group *g, int lane, zw_error *err) {
    zw_lyapunov *s = g->c->s;
    zw_flow *flow;
    int index = g->index[lane], point = index / s->motions;
    const double *kept = s->begin + (size_t)index * (size_t)(s->nx + 1);
    double *V = g->f.room; /* before the first sample */
    ZW_TRY(zw_lyapunov_flow(s, g->thread, point, &flow, err));
    ZW_TRY(zw_lyapunov_first_frame(s, flow, g->own, kept[0], kept + 1, (uint64_t)index, V, err));
    zw_frames_put(&g->f, lane, kept[0], kept + 1, s->point_p + (size_t)point * (size_t)s->sys->np,
                  V);
    g->width[lane] = zw_lyapunov_time(s, point) / BLOCKS;
    return ZW_OK;
}

static zw_status begin_group(group *g, int number, zw_error *err) {
    zw_lyapunov *s = g->c->s;
    double span[L], allowed[L];
    g->number = number;
    g->lanes = g->c->count - number * L < L ? g->c->count - number * L : L;
    g->f.active = 0;
    g->f.have = 0;
    for (int i = 0; i < g->lanes; i++) {
        g->index[i] = s->list[number * L + i];
        ZW_TRY(load_lane(g, i, err));
    }
    g->samples = samples_for(g, 2 * s->largest_rate * g->width[0], false);
    for (int i = 0; i < L; i++) {
        int of = i < g->lanes ? i : 0;
        span[i] = g->width[of] / g->samples;
        allowed[i] =
            ZW_LYAPUNOV_ALLOWED * s->run.rtol * span[i] / s->tau[g->index[of] / s->motions];
    }
    zw_frames_begin(&g->f, span, allowed, s->largest_rate);
    return ZW_OK;
}

/* Logarithms are taken of products of several growths. */
static void take_logs(group *g) {
    int n = g->c->s->k * L;
    for (int i = 0; i < n; i++) {
        g->log[i] += log(g->product[i]);
        g->product[i] = 1;
    }
}

static bool orthonormalise_lanes(group *g, int number) {
    const zw_lyapunov *s = g->c->s;
    if (!zw_frames_look(&g->f))
        return false;
    for (int i = 0; i < g->lanes; i++) {
        double low = 1, high = 1;
        for (int r = 0; r < s->k; r++) {
            double growth = g->f.grown[r * L + i];
            g->product[r * L + i] *= growth;
            low = fmin(low, growth);
            high = fmax(high, growth);
        }
        g->spread = fmax(g->spread, high / low);
    }
    if (number % GROWTHS_PER_LOG == GROWTHS_PER_LOG - 1)
        take_logs(g);
    return true;
}

/* True if it is to continue. */
static bool report_progress(group *g, double part) {
    frames_job *c = g->c;
    if (g->thread == 0 && zw_lyapunov_asked_to_stop(c->s, (c->done + part) / c->groups))
        c->stop = true;
    return !c->stop;
}

/* R samples; out: (k + 2) x L, in the layout of blocks; NULL if not needed. */
static bool pass_block(group *g, double *out) {
    const zw_lyapunov *s = g->c->s;
    double simpson[L] = {0}, apart[L] = {0}, before[3][L], least[L], largest[L];
    memset(g->log, 0, sizeof(double) * (size_t)(s->k * L));
    g->spread = 1;
    memcpy(before[0], g->f.trace, sizeof before[0]);
    memcpy(least, before[0], sizeof least);
    memcpy(largest, before[0], sizeof largest);
    for (int r = 0; r < g->samples; r++) {
        if (!orthonormalise_lanes(g, r))
            return false;
        /* a block may take hours */
        if (r % SAMPLES_PER_STOP == SAMPLES_PER_STOP - 1 && !report_progress(g, g->part))
            return false;
        memcpy(before[1 + r % 2], g->f.trace, sizeof before[0]);
        for (int i = 0; i < L; i++) {
            least[i] = fmin(least[i], g->f.trace[i]);
            largest[i] = fmax(largest[i], g->f.trace[i]);
            if (r % 2 == 0)
                continue;
            double ends = before[0][i] + before[2][i];
            simpson[i] += (ends + 4 * before[1][i]) / (3. * g->samples);
            apart[i] += (2 * before[1][i] - ends) / (6. * g->samples);
        }
        if (r % 2)
            memcpy(before[0], before[2], sizeof before[0]);
    }
    take_logs(g);
    g->spread = log(g->spread);
    g->level = true;
    for (int i = 0; i < g->lanes; i++)
        g->level &=
            largest[i] - least[i] <= CONSTANT_DIVERGENCE * fmax(fabs(least[i]), fabs(largest[i]));
    for (int i = 0; i < L && out; i++) {
        for (int r = 0; r < s->k; r++)
            out[r * L + i] = g->log[r * L + i] / g->width[i < g->lanes ? i : 0];
        out[s->k * L + i] = simpson[i];
        out[(s->k + 1) * L + i] = apart[i];
    }
    return true;
}

/* The number of samples in the next block. */
static void adapt_interval(group *g) {
    int samples = samples_for(g, g->spread * g->samples, g->level);
    if (samples > MORE_SAMPLES * g->samples || samples < FEWER_SAMPLES * g->samples) {
        double factor = (double)g->samples / samples;
        g->samples = samples;
        zw_frames_change(&g->f, factor);
    }
}

static bool measure_group(group *g, double *blocks) {
    const zw_lyapunov *s = g->c->s;
    int turning = (int)ceil(ALIGNMENT_TIME * BLOCKS);
    size_t row = (size_t)(s->k + 2) * L;
    memset(g->f.trace, 0, sizeof(double) * L);
    for (int i = 0; i < s->k * L; i++)
        g->product[i] = 1;
    for (int b = -turning; b < BLOCKS; b++) {
        g->part = (double)(b + turning) / (BLOCKS + turning);
        if (!pass_block(g, b < 0 ? NULL : blocks + (size_t)b * row))
            return false;
        for (int i = 0; i < g->lanes && b >= 0; i++)
            s->motion[g->index[i]].nearly_lost |= g->spread > NEARLY_LOST;
        adapt_interval(g);
        if (!report_progress(g, g->part))
            return false;
    }
    return true;
}

static void hand_in(group *g, const double *blocks) {
    zw_lyapunov *s = g->c->s;
    int width = s->k + 2;
    for (int i = 0; i < g->lanes; i++) {
        double *to = s->block + (size_t)g->index[i] * (size_t)(BLOCKS * width);
        for (int b = 0; b < BLOCKS * width; b++)
            to[b] = blocks[b * L + i];
        double *kept = s->end + (size_t)g->index[i] * (size_t)(s->nx + 1);
        kept[0] = zw_frames_time(&g->f, i);
        zw_frames_state(&g->f, i, kept + 1);
        s->motion[g->index[i]].measured = true;
    }
}

/* -------------------------------------------------------------------------------------- threads */

typedef struct frames_thread {
    frames_job *c;
    int thread;
    zw_status status;
    zw_error err;
} frames_thread;

static zw_status work_through(frames_thread *w, group *g, zw_error *err) {
    zw_lyapunov *s = w->c->s;
    double *blocks = ZW_NEW(&g->arena, double, BLOCKS *(s->k + 2) * L);
    g->log = ZW_NEW(&g->arena, double, s->k *L);
    if (g->arena.failed)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_frames_init(&g->f, &g->arena, w->c->kernel, s->k, s->scale, s->essential, err));
    for (int n = w->c->next++; n < w->c->groups && !w->c->stop; n = w->c->next++) {
        zw_error trouble = {0};
        zw_status status = begin_group(g, n, &trouble);
        if (status == ZW_E_MEMORY)
            return zw_out_of_memory(err, NULL);
        if (status >= 0 && measure_group(g, blocks))
            hand_in(g, blocks);
        w->c->done = w->c->done + 1;
    }
    return ZW_OK;
}

static void *run_worker(void *data) {
    frames_thread *w = data;
    group g = {.c = w->c, .own = &w->c->s->thread[w->thread], .thread = w->thread};
    zw_arena_init(&g.arena, NULL);
    w->status = work_through(w, &g, &w->err);
    zw_arena_clear(&g.arena);
    return NULL;
}

static zw_status all_threads(frames_job *c, zw_error *err) {
    zw_lyapunov *s = c->s;
    int n = s->nthread < c->groups ? s->nthread : c->groups, started = 1;
    zw_arena_mark mark = zw_arena_mark_now(&s->arena);
    pthread_t *thread = ZW_NEW(&s->arena, pthread_t, n + 1);
    frames_thread *w = ZW_NEW(&s->arena, frames_thread, n + 1);
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < n; i++)
        w[i] = (frames_thread){.c = c, .thread = i};
    while (started < n && pthread_create(&thread[started], NULL, run_worker, &w[started]) == 0)
        started++; /* with fewer threads than requested the motions are the same */
    run_worker(&w[0]);
    for (int i = 1; i < started; i++)
        pthread_join(thread[i], NULL);
    zw_status status = ZW_OK;
    for (int i = 0; i < started && status >= 0; i++)
        if ((status = w[i].status) < 0 && err)
            *err = w[i].err;
    zw_arena_release(&s->arena, mark);
    snprintf(s->engine, sizeof s->engine, "motions in step, %d thread%s", started,
             started == 1 ? "" : "s");
    return status;
}

/* One kernel for all points. */
static zw_status make_kernel(zw_lyapunov *s, zw_error *err) {
    zw_kernel_options o = zw_kernel_options_default();
    zw_error missing = {0};
    o.functions = ZW_FRAMES_FUNCTIONS;
    o.lanes = L;
    o.jit = ZW_JIT_AT_ONCE;
    zw_status status = zw_kernel_create(&s->lanes, &s->eq, &o, &missing);
    if (status == ZW_E_MISSING) { /* the same numbers, slower */
        o.jit = ZW_JIT_NEVER;
        return zw_kernel_create(&s->lanes, &s->eq, &o, err);
    }
    if (status < 0 && err)
        *err = missing;
    return status;
}

zw_status zw_lyapunov_frames(zw_lyapunov *s, int count, zw_error *err) {
    if (!s->lanes)
        ZW_TRY(make_kernel(s, err));
    frames_job c = {.s = s, .kernel = s->lanes, .count = count, .groups = (count + L - 1) / L};
    return all_threads(&c, err);
}
