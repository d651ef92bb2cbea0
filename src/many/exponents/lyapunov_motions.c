/* SPDX-License-Identifier: MIT */
/* Who computes the motions: an ensemble (zwang/ensemble.h), or runs one after the other
 * (lyapunov_alone.c). Rates that jump need what a jump does to disturbances, which only the latter
 * know. Of the two ensembles one is for motions with disturbances and one for motions without. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/flag.h"
#include "lyapunov.h"

enum { RESOLVED = 16 };
#define STIFF 1000.
#define STABLE 3. /* over the rate */

/* Motions with contacts are computed one by one, and each may take long: the progress counts
 * fractions of them. */
static bool ask_stop(void *user, double done) {
    zw_lyapunov_watch *w = user;
    double all = done * w->count;
    for (int i = 0; i < w->s->nthread && w->s->hybrid; i++)
        all += w->s->thread[i].part;
    w->done = fmax(w->done, fmin(all / (w->count > 0 ? w->count : 1), 1));
    if (zw_lyapunov_asked_to_stop(w->s, w->done))
        zw_flag_raise(&w->stop);
    return zw_flag_is_up(&w->stop);
}

void zw_lyapunov_report_part(zw_lyapunov *s, const zw_ensemble_motion *m, double from,
                             double until) {
    zw_lyapunov_thread *own = &s->thread[m->thread];
    own->t = m->t;
    own->until = until;
    own->part = until > from ? fmax(0, fmin(1, (m->t - from) / (until - from))) : 0;
}

/* the state of the stage in which it was stopped: the motion that has progressed least */
static void tell_waited(zw_lyapunov *s, int count) {
    const zw_lyapunov_thread *least = NULL;
    for (int i = 0; i < s->nthread; i++)
        if (s->thread[i].until > s->thread[i].t && (!least || s->thread[i].part < least->part))
            least = &s->thread[i];
    if (least)
        snprintf(s->waited, sizeof s->waited,
                 "stopped during %s of %d motion%s; one had reached t = %.6g of %.6g%s", s->stage,
                 count, count == 1 ? "" : "s", least->t, least->until,
                 s->sys->no_units ? "" : " s");
}

static bool is_stiff(const zw_lyapunov *s) {
    return s->rate_most * s->tau[0] > STIFF;
}

static bool is_chosen(const zw_run_options *o) {
    return !o->method || strcmp(o->method, "auto") == 0;
}

/* Disturbances follow the steps of the motion, which may be long where it rests: they must resolve
 * what decays. Motions without disturbances have steps that stay inside of what an explicit method
 * stands, also where they rest; if that would be very short, an implicit one is taken. */
zw_run_options zw_lyapunov_steps(const zw_lyapunov *s, bool disturbed) {
    zw_run_options o = s->run;
    double rate = s->rate_most, most = rate > 0 ? 1 / rate : INFINITY;
    if (disturbed && s->k < s->n) /* what decays fastest is not asked for */
        most = fmax(most, s->tau[0] / RESOLVED);
    if (!disturbed && is_stiff(s) && is_chosen(&o))
        o.method = "radau";
    if (!disturbed)
        most = is_stiff(s) ? s->tau[0] : fmin(STABLE * most, s->tau[0]);
    if (isfinite(most))
        o.step_max = o.step_max > 0 ? fmin(o.step_max, most) : most;
    return o;
}

/* Side by side, disturbances are under the control of errors themselves; one by one they need steps
 * that are short enough. */
static zw_status create_ensemble(zw_lyapunov *s, zw_ensemble_options *o, zw_ensemble **e,
                                 zw_error *err) {
    zw_ensemble_info info;
    o->run = o->variations > 0 ? s->run : zw_lyapunov_steps(s, false);
    if (o->variations > 0 && is_chosen(&s->run) && !is_stiff(s))
        o->run.method = "rk87"; /* pays for several vectors at any tolerance */
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

/* the ensemble of a stage, which the next points have again */
static zw_status take_ensemble(zw_lyapunov *s, int variations, size_t memory, zw_ensemble **e,
                               zw_error *err) {
    zw_ensemble_options o = zw_ensemble_options_default();
    zw_lyapunov_kept *k = s->kept;
    while (k->e && (k->variations != variations || k->memory != memory))
        k++; /* one for each stage, of which there are three */
    o.threads = s->nthread;
    o.principle = zw_lyapunov_principle(s);
    o.variations = variations;
    o.contacts = s->options.contacts;
    o.memory = memory;
    o.stop = ask_stop;
    o.stop_user = &s->watch;
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
        tell_waited(s, count);
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
