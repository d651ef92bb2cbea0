/* SPDX-License-Identifier: MIT */
/* The threads of an ensemble. They take the numbers of motions from one counter, several at a time,
 * and write no other shared data. */
#include <pthread.h>
#include <time.h>

#include "base/interrupt.h"
#include "internal.h"

#define REPORT_INTERVAL 0.1 /* [s]; between two reports of progress */
#define NANO 1e-9           /* ns to s */
/* Portions of the remaining motions for each thread; most motions of a portion; calls of
 * zw_thread_pool_watch per report of progress. */
enum { PORTIONS = 64, PORTION_MOST = 16, WATCHED = 256 };

static double monotonic_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + NANO * (double)t.tv_nsec;
}

bool zw_thread_pool_is_interrupted(const zw_ensemble *e) {
    return zw_flag_is_up(e->options.interrupt) || zw_interrupted();
}

static bool is_interrupted(zw_ensemble *e) {
    if (zw_thread_pool_is_interrupted(e))
        atomic_store(&e->stopped, true);
    return atomic_load(&e->stopped) || atomic_load(&e->halt);
}

/* the number of motions that a worker takes at once: few enough that all workers end together, one
 * when few are left */
static uint64_t portion_size(const zw_ensemble *e, uint64_t left) {
    uint64_t n = left / (PORTIONS * (uint64_t)e->nthread);
    return n < 1 ? 1 : n > PORTION_MOST ? PORTION_MOST : n;
}

static bool take_portion(zw_worker *w) {
    zw_ensemble *e = w->e;
    uint64_t k = atomic_load_explicit(&e->next, memory_order_relaxed);
    while (k < e->end) {
        uint64_t n = portion_size(e, e->end - k);
        if (atomic_compare_exchange_weak(&e->next, &k, k + n)) {
            w->from = k;
            w->upto = k + n;
            return true;
        }
    }
    return false;
}

bool zw_thread_pool_take(zw_worker *w, uint64_t *number) {
    if (is_interrupted(w->e) || (w->from == w->upto && !take_portion(w)))
        return false;
    *number = w->from++;
    return true;
}

static uint64_t count_done(zw_ensemble *e) {
    uint64_t done = 0;
    for (int i = 0; i < e->nthread; i++)
        done += atomic_load_explicit(&e->worker[i].done, memory_order_relaxed);
    return done;
}

static void report_progress(zw_ensemble *e) {
    if (!e->options.progress)
        return;
    double t = monotonic_seconds();
    if (t - atomic_load(&e->reported_at) < REPORT_INTERVAL || atomic_exchange(&e->reporting, true))
        return;
    atomic_store(&e->reported_at, t);
    e->options.progress(e->options.progress_user, count_done(e));
    atomic_store(&e->reporting, false);
}

void zw_thread_pool_done(zw_worker *w) {
    atomic_fetch_add_explicit(&w->done, 1, memory_order_relaxed);
    report_progress(w->e);
}

bool zw_thread_pool_watch(zw_worker *w) {
    if (++w->watched % WATCHED == 0)
        report_progress(w->e);
    return zw_thread_pool_is_interrupted(w->e);
}

static void *run_worker(void *data) {
    zw_worker *w = data;
    uint64_t number;
    w->client = w->e->client;
    w->err = (zw_error){0};
    if (!w->ready && zw_worker_create(w, &w->err) < 0)
        atomic_store(&w->e->halt, true);
    if (w->ready && w->e->lane_group.lanes > 0)
        zw_lane_worker_work(w);
    while (w->ready && zw_thread_pool_take(w, &number)) {
        zw_worker_single(w, number);
        zw_thread_pool_done(w);
    }
    return NULL;
}

static void add_up(zw_ensemble *e) {
    e->doubtful = e->motions = e->failed = e->steps = e->rejected = e->handed_over = 0;
    e->in_steps = 0;
    e->doubt = NULL;
    uint64_t first = 0, first_doubtful = 0;
    for (int i = 0; i < e->nthread; i++) {
        const zw_worker *w = &e->worker[i];
        e->motions += w->motions;
        e->failed += w->failed;
        e->steps += w->steps;
        e->rejected += w->rejected;
        e->handed_over += w->handed_over;
        e->doubtful += w->doubtful;
        if (w->in_steps > 0 && (e->in_steps == 0 || w->first_in_steps < first)) {
            first = w->first_in_steps;
            e->in_steps_why = w->first_why;
        }
        e->in_steps += w->in_steps;
        if (w->first_doubt[0] && (!e->doubt || w->first_doubtful < first_doubtful)) {
            first_doubtful = w->first_doubtful;
            e->doubt = w->first_doubt;
        }
    }
}

/* at least one, at most the number of motions */
static int threads_for(const zw_ensemble *e, uint64_t count) {
    int n = count < (uint64_t)e->nthread ? (int)count : e->nthread;
    return n > 1 ? n : 1;
}

zw_status zw_ensemble_run(zw_ensemble *e, const zw_ensemble_client *client, uint64_t first,
                          uint64_t count, zw_error *err) {
    if (!client || !client->begin)
        return zw_fail(err, ZW_E_OPTION, "an ensemble needs a client with the function begin");
    if (count > UINT64_MAX - first)
        return zw_fail(err, ZW_E_OPTION, "there are no motions behind number 2^64 - 1");
    double start = monotonic_seconds();
    int n = threads_for(e, count), started = 1;
    pthread_t thread[n];
    e->client = client;
    e->end = first + count;
    atomic_store(&e->next, first);
    for (int i = 0; i < e->nthread; i++) {
        e->worker[i].from = e->worker[i].upto = 0;
        atomic_store(&e->worker[i].done, 0);
    }
    atomic_store(&e->halt, false);
    atomic_store(&e->stopped, false);
    atomic_store(&e->reporting, false);
    atomic_store(&e->reported_at, start);
    while (started < n &&
           pthread_create(&thread[started], NULL, run_worker, &e->worker[started]) == 0)
        started++; /* with fewer threads than requested the motions are the same */
    run_worker(&e->worker[0]);
    for (int i = 1; i < started; i++)
        pthread_join(thread[i], NULL);
    add_up(e);
    e->seconds = monotonic_seconds() - start;
    if (e->options.progress)
        e->options.progress(e->options.progress_user, count_done(e));
    for (int i = 0; i < started; i++)
        if (e->worker[i].err.status < 0) {
            if (err)
                *err = e->worker[i].err;
            return e->worker[i].err.status;
        }
    return atomic_load(&e->stopped) ? ZW_STOPPED : ZW_OK;
}
