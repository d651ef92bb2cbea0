/* SPDX-License-Identifier: MIT */
/* The choice of the noise step. A path is the same for every step, so halving the step shows its
 * error: the motion is computed repeatedly over the time of the run until its states no longer
 * change. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/tolerance.h"
#include "internal.h"
#include "num/flow/flow.h"

/* Rows at which motions are compared; log2 of the largest number of cells; level before the end of
 * the run is known: 8 ms. */
enum { ROWS_COMPARED = 64, CELLS_LOG_MOST = 20, LEVEL_UNKNOWN = -7 };

/* compares rows of the same time, since two motions may have different events */
static double largest_difference(const zw_table *a, const zw_table *b, int nstate) {
    double worst = 0;
    for (int column = 1; column <= nstate; column++) {
        double apart = 0, size = 0;
        long n = 0;
        for (long i = 0, k = 0; i < zw_table_rows(a) && k < zw_table_rows(b);) {
            double by = zw_table_at(a, i, 0) - zw_table_at(b, k, 0);
            if (by == 0) {
                double y = zw_table_at(b, k, column), d = zw_table_at(a, i, column) - y;
                apart += d * d;
                size += y * y;
                n++;
            }
            i += by <= 0;
            k += by >= 0;
        }
        if (n < 2)
            return INFINITY;
        if (apart > 0)
            worst = fmax(worst, sqrt(apart / size));
    }
    return worst;
}

typedef struct pilot {
    const zw_system *sys;
    const zw_model_source *source;
    zw_sim_options options;
    zw_sim *before; /* the motion with the previous step; NULL: none, or it has failed */
} pilot;

/* computes the motion with this step. *change: relative to the previous motion */
static zw_status run_trial(pilot *p, int level, double *change, zw_error *err) {
    zw_sim *sim = NULL;
    zw_error failed = {0};
    p->options.noise_step = ldexp(1, level);
    zw_status status = zw_sim_create(&sim, p->sys, p->source, &p->options, &failed);
    if (status >= 0) {
        sim->pilot = true;
        status = zw_sim_run(sim, &failed);
    }
    bool ended = status == ZW_STOPPED || failed.status == ZW_E_MEMORY || (status < 0 && !sim);
    if (ended && err)
        *err = failed;
    *change = INFINITY;
    if (status == ZW_OK && p->before)
        *change = largest_difference(zw_sim_rows(p->before), zw_sim_rows(sim),
                                     sim->columns.nq + sim->columns.nvelocity);
    zw_sim_destroy(p->before);
    p->before = status == ZW_OK ? sim : NULL;
    if (status != ZW_OK)
        zw_sim_destroy(sim);
    return ended ? (status < 0 ? status : ZW_E_NUMERIC) : ZW_OK;
}

/* halves the step until the motion changes by less than the tolerance */
static zw_status choose_level(pilot *p, int *level, double *error, zw_error *err) {
    double time = p->options.until - p->options.start;
    int first = (int)floor(log2(time / ROWS_COMPARED)),
        last = (int)ceil(log2(time)) - CELLS_LOG_MOST;
    if (first > ZW_BROWNIAN_TOP - 1)
        first = ZW_BROWNIAN_TOP - 1;
    if (last < ZW_BROWNIAN_BOTTOM)
        last = ZW_BROWNIAN_BOTTOM;
    *error = INFINITY;
    for (*level = first; *level >= last; --*level) {
        ZW_TRY(run_trial(p, *level, error, err));
        if (*error <= ZW_SIM_NOISE_TOLERANCE)
            return ZW_OK;
    }
    ++*level;
    return ZW_OK;
}

zw_status zw_sim_noise_step(zw_sim *sim, const zw_system *sys, const zw_model_source *source,
                            zw_error *err) {
    zw_sim_options *o = &sim->options;
    sim->noise_error = sim->noise_probe = NAN;
    if (!zw_system_is_random(sys))
        return ZW_OK;
    if (sys->ncontact > 0) {
        zw_fail(err, ZW_E_MODEL, "noise in a model with contacts is not possible");
        zw_error_hint(err,
                      "switch the contact off with --without NAME, or the noise with --set %s=0",
                      sys->signal[0].name);
        return ZW_E_MODEL;
    }
    if (o->noise_step > 0) {
        int level = (int)floor(log2(o->noise_step));
        sim->noise_level = level < ZW_BROWNIAN_BOTTOM ? ZW_BROWNIAN_BOTTOM : level;
    } else if (o->until > o->start) {
        pilot p = {.sys = sys, .source = source, .options = *o};
        p.options.step_out = ldexp(1, (int)floor(log2((o->until - o->start) / ROWS_COMPARED)));
        p.options.energy = false;
        p.options.event = NULL;
        zw_status status = choose_level(&p, &sim->noise_level, &sim->noise_error, err);
        zw_sim_destroy(p.before);
        ZW_TRY(status);
    } else {
        sim->noise_level = LEVEL_UNKNOWN;
    }
    o->noise_step = ldexp(1, sim->noise_level);
    return ZW_OK;
}

/* checks the intensities of a variant at its parameters */
zw_status zw_sim_noise_check(const zw_sim_variant_state *w, zw_error *err) {
    for (int i = 0; i < w->sys->nsignal; i++) {
        const zw_signal *u = &w->sys->signal[i];
        double s = zw_system_noise_at(w->sys, i, w->p);
        if (!(s >= 0) || !isfinite(s))
            return zw_fail_at(
                err, ZW_E_DOMAIN, u->place,
                "the noise %s has the intensity %g: it must be finite and not negative", u->name,
                s);
    }
    return ZW_OK;
}

void zw_sim_noise_words(const zw_sim *sim, char *out, size_t size) {
    const zw_sim_options *o = &sim->options;
    out[0] = '\0';
    if (!zw_system_is_random(sim->worlds->sys))
        return;
    int n = snprintf(out, size, "path %ld of seed %ld in steps of 2^%d s", o->path, o->seed,
                     sim->noise_level);
    if (!isnan(sim->noise_error) && n > 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n,
                 "; twice the step changes the motion by %.2g of its rms", sim->noise_error);
}

zw_status zw_sim_noise_admit(const zw_sim *sim, zw_error *err) {
    const zw_sim_stage *stage = sim->stage;
    if (!zw_system_is_random(stage->world->sys) || !zw_run_flow(stage->run)->massless)
        return ZW_OK;
    zw_fail(err, ZW_E_MODEL,
            "noise in a model with velocities without inertia is not possible: they would be white "
            "noise themselves");
    zw_error_hint(err, "give them a mass, or make the coordinate a state: state y [m] : y' = ...");
    return ZW_E_MODEL;
}

/* the observables if all noises are `probe` times their intensities */
static zw_status observe_noise(zw_sim *sim, double probe, double *obs, zw_error *err) {
    const zw_run *run = sim->stage->run;
    sim->noise_probe = probe;
    sim->noise_alone = -1;
    zw_status status = zw_flow_observables(zw_run_flow((zw_run *)run), zw_run_time(run),
                                           zw_run_state(run), obs, err);
    sim->noise_probe = NAN;
    return status;
}

/* Warns of observables that contain the noise itself: accelerations, multipliers and functions of
 * them. */
static void warn_observables(zw_sim *sim) {
    const zw_sim_stage *stage = sim->stage;
    size_t n = (size_t)stage->kernel->nobs + 2;
    zw_error ignored = {0};
    double *without = zw_allocate(&sim->arena.alloc, 2 * sizeof *without * n);
    if (without && observe_noise(sim, 0, without, &ignored) >= 0 &&
        observe_noise(sim, 1, without + n, &ignored) >= 0)
        for (int i = 0; i < sim->columns.nobservable; i++) {
            int k = stage->observable[i];
            double a = k < 0 ? 0 : without[k], b = k < 0 ? 0 : without[n + (size_t)k];
            if (!(fabs(a - b) > ZW_ROUNDOFF_SOLVED * (fabs(a) + fabs(b))))
                continue;
            zw_warning d = zw_warning_of(
                "noise observed", NAN,
                "the observable %s contains white noise, through an acceleration or a multiplier: "
                "its values are means over steps of the noise and depend on the step size",
                sim->columns.observable[i]);
            zw_warning_hint(&d, "observe velocities, or excite the model by filtered noise");
            zw_warnings_add(sim->doubts, &d);
        }
    zw_release(&sim->arena.alloc, without, 2 * sizeof *without * n);
}

void zw_sim_noise_warning(zw_sim *sim) {
    bool commute = true;
    if (zw_system_is_random(sim->worlds->sys) && sim->ending != ZW_SIM_FAILED && !sim->pilot) {
        warn_observables(sim);
        zw_sim_noises_commute(sim, &commute, NULL);
    }
    if (!commute)
        zw_sim_noise_order_warning(sim->doubts);
    if (!(sim->noise_error > ZW_SIM_NOISE_TOLERANCE))
        return;
    zw_warning d = zw_warning_of(
        "noise step", NAN,
        "the motion on this path of the noise depends on the step of the noise: by %.2g of "
        "its rms where 2^%d s becomes 2^%d s",
        sim->noise_error, sim->noise_level + 1, sim->noise_level);
    zw_warning_hint(
        &d,
        "a shorter --until or --noise-step; where neighbouring motions part, only means over many "
        "paths (zwang sweep --samples) have a meaning");
    zw_warnings_add(sim->doubts, &d);
}
