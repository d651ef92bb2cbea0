/* SPDX-License-Identifier: MIT */
/* Computes the motions: by an ensemble (zwang/ensemble.h), or by runs one after the other
 * (lyapunov_single.c). Only the latter handle the jumps of disturbances where rates jump. Of the
 * two ensembles one is for motions with variations and one for motions without. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/flag.h"
#include "lyapunov.h"

enum { STEPS_PER_SCALE = 16 }; /* steps in a time scale with variations */
/* time scale of the motion to that of its fastest disturbance: an explicit method would take more
 * than 300 steps in a time scale */
#define STIFF_RATIO 1000.
#define STABILITY_LIMIT 3. /* over the rate: limit of stability of explicit methods */

/* Motions with contacts are computed one by one, and each may take long: the progress counts
 * fractions of them. */
static void report_progress(void *user, uint64_t done) {
    zw_lyapunov_progress *w = user;
    double all = (double)done;
    for (int i = 0; i < w->s->nthread && w->s->hybrid; i++)
        all += w->s->thread[i].part;
    w->done = fmax(w->done, fmin(all / (w->count > 0 ? w->count : 1), 1));
    if (zw_lyapunov_asked_to_stop(w->s, w->done))
        zw_flag_raise(&w->stop);
}

void zw_lyapunov_report_part(zw_lyapunov *s, const zw_ensemble_motion *m, double from,
                             double until) {
    zw_lyapunov_thread *own = &s->thread[m->thread];
    own->t = m->t;
    own->until = until;
    own->part = until > from ? fmax(0, fmin(1, (m->t - from) / (until - from))) : 0;
}

/* Stores the state of the stage in which it was stopped: the motion that has progressed least. */
static void note_stage(zw_lyapunov *s, int count) {
    const zw_lyapunov_thread *least = NULL;
    for (int i = 0; i < s->nthread; i++)
        if (s->thread[i].until > s->thread[i].t && (!least || s->thread[i].part < least->part))
            least = &s->thread[i];
    if (least)
        snprintf(s->stopped_stage, sizeof s->stopped_stage,
                 "stopped during %s of %d motion%s; one had reached t = %.6g of %.6g%s", s->stage,
                 count, count == 1 ? "" : "s", least->t, least->until,
                 s->sys->no_units ? "" : " s");
}

static bool is_stiff(const zw_lyapunov *s) {
    return s->largest_rate * s->tau[0] > STIFF_RATIO;
}

static bool is_chosen(const zw_run_options *o) {
    return !o->method || strcmp(o->method, "auto") == 0;
}

/* With variations, the steps must resolve what decays, also where the motion rests. Without, they
 * stay within the limit of stability of an explicit method, also where the motion rests; if that is
 * very short, an implicit method is used. */
zw_run_options zw_lyapunov_steps(const zw_lyapunov *s, bool disturbed) {
    zw_run_options o = s->run;
    double rate = s->largest_rate, most = rate > 0 ? 1 / rate : INFINITY;
    if (disturbed && s->k < s->n) /* the fastest decay is not requested */
        most = fmax(most, s->tau[0] / STEPS_PER_SCALE);
    if (!disturbed && is_stiff(s) && is_chosen(&o))
        o.method = "radau";
    if (!disturbed)
        most = is_stiff(s) ? s->tau[0] : fmin(STABILITY_LIMIT * most, s->tau[0]);
    if (isfinite(most))
        o.step_max = o.step_max > 0 ? fmin(o.step_max, most) : most;
    return o;
}

/* In an ensemble, variations are part of the error control; one by one they need short steps. */
static zw_status create_ensemble(zw_lyapunov *s, zw_ensemble_options *o, zw_ensemble **e,
                                 zw_error *err) {
    zw_ensemble_info info;
    o->run = o->variations > 0 ? s->run : zw_lyapunov_steps(s, false);
    if (o->variations > 0 && is_chosen(&s->run) && !is_stiff(s))
        o->run.method = "rk87"; /* efficient for several vectors at any tolerance */
    ZW_TRY(zw_ensemble_create(e, s->source, o, err));
    zw_ensemble_statistics(*e, &info, sizeof info);
    if (o->variations == 0 || info.lanes > 1)
        return ZW_OK;
    zw_ensemble_destroy(*e);
    *e = NULL;
    o->run = zw_lyapunov_steps(s, true);
    o->engine = ZW_ENSEMBLE_SINGLE;
    return zw_ensemble_create(e, s->source, o, err);
}

/* The ensemble of a stage, which the next points use again. */
static zw_status take_ensemble(zw_lyapunov *s, int variations, size_t memory, zw_ensemble **e,
                               zw_error *err) {
    zw_ensemble_options o = zw_ensemble_options_default();
    zw_lyapunov_stage_ensemble *k = s->kept;
    while (k->e && (k->variations != variations || k->memory != memory))
        k++; /* one for each stage, of which there are three */
    o.threads = s->nthread;
    o.principle = zw_lyapunov_principle(s);
    o.variations = variations;
    o.contacts = s->options.contacts;
    o.memory = memory;
    o.interrupt = &s->watch.stop;
    o.progress = report_progress;
    o.progress_user = &s->watch;
    if (!k->e) {
        ZW_TRY(create_ensemble(s, &o, &k->e, err));
        k->variations = variations;
        k->memory = memory;
    }
    *e = k->e;
    return ZW_OK;
}

static zw_status by_ensemble(zw_lyapunov *s, const zw_ensemble_client *client, int variations,
                             size_t memory, int count, zw_error *err) {
    zw_ensemble_info info;
    zw_ensemble *e;
    ZW_TRY(take_ensemble(s, variations, memory, &e, err));
    s->watch.s = s;
    s->watch.count = count;
    s->watch.done = 0;
    for (int i = 0; i < s->nthread; i++) {
        s->thread[i].t = s->thread[i].until = 0;
        s->thread[i].part = 0;
    }
    zw_status status = zw_ensemble_run(e, client, 0, (uint64_t)count, err);
    zw_ensemble_statistics(e, &info, sizeof info);
    if (variations)
        snprintf(s->engine, sizeof s->engine, "%s, %d thread%s",
                 info.lanes > 1 ? "motions side by side" : "one by one", info.threads,
                 info.threads == 1 ? "" : "s");
    if (status == ZW_STOPPED)
        note_stage(s, count);
    return status == ZW_STOPPED ? ZW_OK : status;
}

zw_status zw_lyapunov_motions(zw_lyapunov *s, const zw_ensemble_client *client, int variations,
                              size_t memory, int count, zw_error *err) {
    if (count == 0)
        return ZW_OK;
    bool alone = s->options.engine == ZW_LYAPUNOV_ALONE || !s->source ||
                 (s->options.engine == ZW_LYAPUNOV_CHOSEN && s->jumps);
    if (!alone || s->hybrid)
        return by_ensemble(s, client, variations, memory, count, err);
    snprintf(s->engine, sizeof s->engine, "one motion after the other");
    return zw_lyapunov_alone(s, client, variations, memory, count, err);
}
