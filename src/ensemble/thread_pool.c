/* SPDX-License-Identifier: MIT */
/* The threads of an ensemble. They take the numbers of motions from one counter, several at a time,
 * and write no other shared data. */
#include <pthread.h>
#include <time.h>

#include "base/interrupt.h"
#include "internal.h"

#define ASK_EVERY 0.02 /* [s]: while the first thread waits for the others */
#define NANO 1e-9      /* ns to s */
/* Portions of the remaining motions for each thread; most motions of a portion. */
enum { PORTIONS = 64, PORTION_MOST = 16 };

static double monotonic_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + NANO * (double)t.tv_nsec;
}

static uint64_t count_done(zw_ensemble *e) {
    uint64_t done = 0;
    for (int i = 0; i < e->nthread; i++)
        done += atomic_load_explicit(&e->worker[i].done, memory_order_relaxed);
    return done;
}

/* The caller is asked by his own thread, which is that of the first worker; the others look at the
 * answer. */
static void ask_caller(zw_ensemble *e) {
    const zw_ensemble_options *o = &e->options;
    double done = e->count > 0 ? (double)count_done(e) / (double)e->count : 0;
    if (o->stop && !atomic_load_explicit(&e->stopped, memory_order_relaxed) &&
        o->stop(o->stop_user, done))
        atomic_store(&e->stopped, true);
}

bool zw_thread_pool_is_interrupted(const zw_ensemble *e) {
    return atomic_load_explicit(&e->stopped, memory_order_relaxed) || zw_interrupted();
}

static bool is_interrupted(zw_worker *w) {
    zw_ensemble *e = w->e;
    if (w == e->worker)
        ask_caller(e);
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
    if (is_interrupted(w) || (w->from == w->upto && !take_portion(w)))
        return false;
    *number = w->from++;
    return true;
}

void zw_thread_pool_done(zw_worker *w) {
    atomic_fetch_add_explicit(&w->done, 1, memory_order_relaxed);
}

bool zw_thread_pool_watch(zw_worker *w) {
    if (w == w->e->worker)
        ask_caller(w->e);
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

/* one of the others */
static void *run_other(void *data) {
    zw_ensemble *e = ((zw_worker *)data)->e;
    run_worker(data);
    pthread_mutex_lock(&e->lock);
    e->running--;
    pthread_cond_signal(&e->ended);
    pthread_mutex_unlock(&e->lock);
    return NULL;
}

/* the caller is still asked while others finish their last motions */
static void wait_for_others(zw_ensemble *e) {
    pthread_mutex_lock(&e->lock);
    while (e->running > 0) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        t.tv_nsec += (long)(1e9 * ASK_EVERY);
        t.tv_sec += t.tv_nsec / 1000000000;
        t.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&e->ended, &e->lock, &t) == 0)
            continue;
        pthread_mutex_unlock(&e->lock);
        ask_caller(e);
        pthread_mutex_lock(&e->lock);
    }
    pthread_mutex_unlock(&e->lock);
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
        return zw_fail(err, ZW_E_OPTION, "the numbers of the motions exceed 2^64 - 1");
    double start = monotonic_seconds();
    int n = threads_for(e, count), started = 1;
    pthread_t thread[n];
    e->client = client;
    e->end = first + count;
    e->count = count;
    atomic_store(&e->next, first);
    for (int i = 0; i < e->nthread; i++) {
        e->worker[i].from = e->worker[i].upto = 0;
        atomic_store(&e->worker[i].done, 0);
    }
    atomic_store(&e->halt, false);
    atomic_store(&e->stopped, false);
    ask_caller(e);
    e->running = n - 1;
    while (started < n &&
           pthread_create(&thread[started], NULL, run_other, &e->worker[started]) == 0)
        started++; /* with fewer threads than requested the motions are the same */
    pthread_mutex_lock(&e->lock);
    e->running -= n - started;
    pthread_mutex_unlock(&e->lock);
    run_worker(&e->worker[0]);
    wait_for_others(e);
    for (int i = 1; i < started; i++)
        pthread_join(thread[i], NULL);
    add_up(e);
    e->seconds = monotonic_seconds() - start;
    if (e->options.stop)
        e->options.stop(e->options.stop_user,
                        count > 0 ? (double)count_done(e) / (double)count : 1);
    for (int i = 0; i < started; i++)
        if (e->worker[i].err.status < 0) {
            if (err)
                *err = e->worker[i].err;
            return e->worker[i].err.status;
        }
    return atomic_load(&e->stopped) ? ZW_STOPPED : ZW_OK;
}
