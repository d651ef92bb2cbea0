/* SPDX-License-Identifier: MIT */
/* The paths of a study of noise, and what is measured on each of them; noise_write.c makes tables
 * of it. */
#include "noise.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"

enum {
    /* for each frequency of the spectrum: twice the least number */
    SAMPLES_PER_FREQUENCY = 4
};

void zw_noise_options_init(zw_noise_options *options, size_t size) {
    const zw_noise_options fallback = {
        .size = sizeof fallback, .time = 100, .paths = 200, .seed = 1, .frequencies = 256};
    zw_options_begin(options, size, &fallback, sizeof fallback);
}

static zw_status check_options(const zw_noise_options *o, zw_error *err) {
    if (!(o->time > 0) || !isfinite(o->time) || !(o->transient >= 0) || !isfinite(o->transient))
        return zw_fail(err, ZW_E_OPTION,
                       "the time of measuring is positive, the transient not negative");
    if (o->paths < ZW_NOISE_PATHS_MIN || o->paths > 100000000)
        return zw_fail(err, ZW_E_OPTION, "the number of paths must be %d to 1e8",
                       ZW_NOISE_PATHS_MIN);
    if (o->frequencies < 2 || o->frequencies > 65536 || (o->frequencies & (o->frequencies - 1)))
        return zw_fail(err, ZW_E_OPTION, "the number of frequencies is a power of two, 2 to 65536");
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------- one path */

/* Memory of a motion: sums over the samples so far of the powers of the deviations from the first
 * sample, then the means over the intervals between samples, then the first samples. */
typedef struct path {
    int taken;
    double sums[];
} path;

static size_t sums_of(const zw_noise *n) {
    return (size_t)n->nof * 2 * ZW_NOISE_POWERS;
}

static void begin_path(void *user, zw_ensemble_motion *m, bool *given) {
    zw_noise *n = user;
    (void)given;
    m->next = n->o.transient > 0 ? n->o.transient : n->o.time / n->samples;
}

/* Adds the powers of the quantities. */
static zw_ensemble_reply sample_path(void *user, zw_ensemble_motion *m) {
    zw_noise *n = user;
    path *p = m->memory;
    double begin = n->o.transient, dt = n->o.time / n->samples;
    bool before = n->o.transient > 0 && p->taken == 0 && m->t < begin + dt / 2;
    if (!before) {
        int half = 2 * p->taken >= n->samples;
        double *means = p->sums + sums_of(n), *origin = means + n->nof * n->samples;
        for (int i = 0; i < n->nof; i++) {
            if (p->taken == 0)
                origin[i] = m->value[i];
            double *sum = p->sums + (size_t)(2 * i + half) * ZW_NOISE_POWERS, power = 1;
            for (int k = 0; k < ZW_NOISE_POWERS; k++)
                sum[k] += (power *= m->value[i] - origin[i]);
            means[i * n->samples + p->taken] = m->span[i].mean;
        }
        p->taken++;
    }
    m->next = begin + (p->taken + 1) * dt;
    return p->taken >= n->samples ? ZW_ENSEMBLE_DONE : ZW_ENSEMBLE_ON;
}

/* Spectral density of one path: its mean is subtracted, and Hann's window has the mean square
 * 3/8. */
static void add_spectrum(const zw_noise *n, const double *means, double *out) {
    int N = n->samples;
    double dt = n->o.time / N, mean = 0;
    double *re = malloc(sizeof *re * 2 * (size_t)N), *im = re + N;
    if (!re) {
        for (int k = 0; k < n->o.frequencies; k++)
            out[k] = NAN;
        return;
    }
    for (int i = 0; i < N; i++)
        mean += means[i] / N;
    for (int i = 0; i < N; i++) {
        re[i] = (means[i] - mean) * (1 - cos(2 * M_PI * (i + 0.5) / N)) / 2;
        im[i] = 0;
    }
    zw_noise_transform(N, re, im);
    for (int k = 1; k <= n->o.frequencies; k++) {
        double angle = M_PI * k / N, sinc = sin(angle) / angle;
        out[k - 1] = 2 * dt / (0.375 * N) * (re[k] * re[k] + im[k] * im[k]) / (sinc * sinc);
    }
    free(re);
}

static void end_path(void *user, zw_ensemble_motion *m) {
    zw_noise *n = user;
    zw_noise_slot *slot = &n->slot[m->number];
    const path *p = m->memory;
    slot->event = m->status == ZW_EVENT ? m->event : -1;
    slot->ended = m->status == ZW_EVENT;
    slot->failed = m->status < 0;
    slot->done = m->status != ZW_STOPPED;
    slot->t = m->t;
    if (slot->failed && !m->why)
        return;
    if (slot->failed) {
        pthread_mutex_lock(&n->lock);
        if (!n->why[0] || m->number < n->first_failed) {
            n->first_failed = m->number;
            snprintf(n->why, sizeof n->why, "path %llu: %s", (unsigned long long)m->number, m->why);
        }
        pthread_mutex_unlock(&n->lock);
        return;
    }
    if (m->status != ZW_OK)
        return;
    slot->measured = true;
    for (size_t i = 0; i < sums_of(n); i++)
        n->sums[m->number * sums_of(n) + i] = p->sums[i] / (0.5 * n->samples);
    memcpy(n->origin + m->number * (uint64_t)n->nof, p->sums + sums_of(n) + n->nof * n->samples,
           sizeof(double) * (size_t)n->nof);
    for (int i = 0; i < n->nof; i++)
        add_spectrum(n, p->sums + sums_of(n) + i * n->samples,
                     n->spectrum +
                         (m->number * (uint64_t)n->nof + (uint64_t)i) * (uint64_t)n->o.frequencies);
}

/* ------------------------------------------------------------------------------------ the study */

/* The columns that are measured if none are named. */
static zw_status choose_columns(zw_noise *n, zw_error *err) {
    const zw_system *s = n->sys;
    n->nof = n->o.nof > 0 ? n->o.nof : s->nq + s->nv;
    n->name = calloc((size_t)n->nof + 1, sizeof *n->name);
    n->unit = calloc((size_t)n->nof + 1, sizeof *n->unit);
    if (!n->name || !n->unit)
        return zw_out_of_memory(err, "a study of noise");
    for (int i = 0; i < n->nof; i++) {
        n->name[i] = zw_context_intern(n->ctx, n->o.nof > 0 ? n->o.of[i]
                                               : i < s->nq  ? s->coord[i].name
                                                            : s->velocity[i - s->nq].name);
        if (!n->name[i])
            return zw_out_of_memory(err, "a study of noise");
    }
    return ZW_OK;
}

/* Nothing is done yet while the step is chosen. */
static bool ask_stop(void *user, double done) {
    zw_noise *n = user;
    (void)done;
    n->stopped = n->stopped || n->o.stop(n->o.stop_user, 0);
    return n->stopped;
}

/* The step, and the units of the columns, from a simulation. */
static zw_status find_step(zw_noise *n, const zw_model_source *source, zw_error *err) {
    zw_sim *sim;
    zw_sim_options o = zw_sim_options_default();
    o.until = n->o.transient + n->o.time;
    o.seed = n->o.seed;
    o.noise_step = n->o.step;
    o.run = n->run;
    o.stop = n->o.stop ? ask_stop : NULL;
    o.user = n;
    ZW_TRY(zw_sim_create(&sim, n->sys, source, &o, err));
    zw_sim_info info = zw_sim_statistics(sim);
    n->step = info.noise_step;
    n->error = info.noise_error;
    zw_status status = zw_sim_noises_commute(sim, &n->commute, err);
    for (int i = 0; i < n->nof; i++) {
        int column = zw_table_find(zw_sim_rows(sim), n->name[i]);
        n->unit[i] =
            zw_context_intern(n->ctx, column < 0 ? "" : zw_table_unit(zw_sim_rows(sim), column));
    }
    zw_sim_destroy(sim);
    return status;
}

/* If samples are at the ends of cells of the noise, none are needed between them: the sampling
 * times become multiples of a fraction of its step. */
static void choose_samples(zw_noise *n) {
    n->samples = SAMPLES_PER_FREQUENCY * n->o.frequencies;
    double dt = n->o.time / n->samples, part = ldexp(1, (int)floor(log2(fmin(dt, n->step))) - 2);
    n->o.time = n->samples * part * floor(dt / part);
    n->o.transient = part * ceil(n->o.transient / part);
}

static zw_status allocate_slots(zw_noise *n, zw_error *err) {
    size_t paths = (size_t)n->o.paths, nof = (size_t)n->nof;
    n->slot = calloc(paths, sizeof *n->slot);
    n->sums = calloc(paths * sums_of(n) + 1, sizeof *n->sums);
    n->origin = calloc(paths * (size_t)n->nof + 1, sizeof *n->origin);
    n->spectrum = calloc(paths * nof * (size_t)n->o.frequencies + 1, sizeof *n->spectrum);
    return n->slot && n->sums && n->origin && n->spectrum
               ? ZW_OK
               : zw_out_of_memory(err, "a study of noise");
}

static zw_status compute_paths(zw_noise *n, const zw_model_source *source, zw_error *err) {
    zw_ensemble_options e = zw_ensemble_options_default();
    zw_sim_options shared = zw_sim_options_default();
    zw_ensemble *all;
    const zw_ensemble_client client = {
        .user = n, .begin = begin_path, .visit = sample_path, .end = end_path};
    shared.seed = n->o.seed;
    shared.noise_step = n->step;
    e.contacts = &shared;
    e.engine = ZW_ENSEMBLE_SINGLE;
    e.run = n->run;
    e.threads = n->o.threads;
    e.nvalue = n->nof;
    e.value = n->name;
    e.spans = true;
    e.memory =
        sizeof(path) + sizeof(double) * (sums_of(n) + (size_t)n->nof * ((size_t)n->samples + 1));
    e.stop = n->o.stop;
    e.stop_user = n->o.stop_user;
    ZW_TRY(zw_ensemble_create(&all, source, &e, err));
    zw_status status = zw_ensemble_run(all, &client, 0, n->o.paths, err);
    zw_ensemble_destroy(all);
    return status;
}

static zw_status build_noise(zw_noise *n, const zw_model_source *source, zw_error *err) {
    ZW_TRY(check_options(&n->o, err));
    n->run = n->o.run ? *n->o.run : zw_run_options_default();
    n->source = source;
    n->ctx = zw_context_create(NULL);
    if (!n->ctx)
        return zw_out_of_memory(err, "a study of noise");
    if (!source)
        return zw_fail(err, ZW_E_MODEL, "a study of noise needs the text of the model");
    ZW_TRY(zw_model_parse(&n->sys, n->ctx, source->text, source->length,
                          source->file ? source->file : "model", source->options, err));
    if (!zw_system_is_random(n->sys)) {
        zw_fail(err, ZW_E_MODEL, "the model %s has no noise", n->sys->name);
        zw_error_hint(err, "input w = noise(...)");
        return ZW_E_MODEL;
    }
    return choose_columns(n, err);
}

zw_status zw_noise_create(zw_noise **out, const zw_model_source *source,
                          const zw_noise_options *options, zw_error *err) {
    assert(out);
    *out = NULL;
    zw_noise *n = calloc(1, sizeof *n);
    if (!n)
        return zw_out_of_memory(err, "a study of noise");
    pthread_mutex_init(&n->lock, NULL);
    n->o = zw_noise_options_default();
    zw_status status =
        options ? zw_options_adopt(&n->o, sizeof n->o, options, "zw_noise_options", err) : ZW_OK;
    if (status >= 0)
        status = build_noise(n, source, err);
    if (status < 0)
        zw_noise_destroy(n);
    else
        *out = n;
    return status;
}

zw_status zw_noise_run(zw_noise *n, zw_error *err) {
    const char *why;
    assert(!n->slot);
    zw_error trouble = {0};
    zw_status found = find_step(n, n->source, &trouble);
    ZW_TRY(allocate_slots(n, err));
    if (n->stopped && found != ZW_E_MEMORY) {
        n->step = n->error = NAN;
        return ZW_STOPPED;
    }
    if (found < 0) {
        if (err)
            *err = trouble;
        return found;
    }
    choose_samples(n);
    zw_status status = compute_paths(n, n->source, err);
    for (uint64_t k = 0; k < n->o.paths; k++)
        n->measured += n->slot[k].measured;
    uint64_t failed = zw_noise_failed(n, &why);
    if (status >= 0 && failed > 0)
        return zw_fail(err, ZW_E_NUMERIC, "%llu of %llu paths failed, the first one: %s",
                       (unsigned long long)failed, (unsigned long long)zw_noise_paths(n), why);
    return status;
}

void zw_noise_destroy(zw_noise *n) {
    if (!n)
        return;
    pthread_mutex_destroy(&n->lock);
    free(n->name);
    free(n->unit);
    free(n->slot);
    free(n->sums);
    free(n->origin);
    free(n->spectrum);
    zw_context_destroy(n->ctx);
    free(n);
}
