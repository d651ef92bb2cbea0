/* SPDX-License-Identifier: MIT */
/* Quantities of quasi-periodic motions as functions of the phases: a motion is dense on its torus,
 * so its mean and its largest value are those of the function of the phases. Coordinates are
 * series; observables are evaluated on a grid. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "forced_tones.h"
#include "motion/harmonic/balance.h"
#include "motion/harmonic/torus.h"
#include "num/flow/flow.h"

enum { LEAST = 24 }; /* least points of a phase at which quantities are evaluated */
/* phase [rad]: step of differences of an observable; second differences have the best step
 * eps^(1/4) = 1e-4, and the climb needs only three digits */
#define PHASE_STEP 1e-3

zw_status zw_forced_make_grid(zw_forced *f, zw_forced_grid *g, zw_error *err) {
    g->samples = 1;
    for (int j = 0; j < f->tones.n; j++) {
        int top = 0;
        for (int h = 0; h < zw_harmonic_count(f->balance); h++) {
            int k = zw_harmonic_vector(f->balance, h)[j];
            top = k > top ? k : -k > top ? -k : top;
        }
        g->per[j] = 4 * top + 1 > LEAST ? 4 * top + 1 : LEAST;
        g->samples *= g->per[j];
    }
    g->x = ZW_NEW(&f->arena, double, f->torus_kernel->nx + 1);
    g->seen = ZW_NEW(&f->arena, double, f->torus_kernel->nobs + 3);
    g->u = ZW_NEW(&f->arena, double, f->torus_kernel->nu + 1);
    return zw_arena_status(&f->arena, err);
}

void zw_forced_grid_state(zw_forced *f, zw_forced_grid *g, const double *theta) {
    memcpy(g->u + f->eq.nu, theta, sizeof(double) * (size_t)f->tones.n);
    zw_flow_set_inputs(f->torus_flow, g->u);
    zw_harmonic_state_at(f->balance, f->x, theta, g->x);
}

void zw_forced_grid_phases(const zw_forced *f, const zw_forced_grid *g, int s, double *theta) {
    for (int j = 0; j < f->tones.n; j++) {
        theta[j] = 2 * M_PI * (s % g->per[j]) / g->per[j];
        s /= g->per[j];
    }
}

/* The multiple of a phase at which `first` and so on are measured: that of the excitation, where
 * the phase is a fraction that excitations have in common; of half frequencies the half. */
static int drive_multiple(const zw_forced *f, int phase) {
    return f->tones.divisor[phase] / zw_forced_tones_scale(f, phase);
}

/* an observable as a function of the phases */
typedef struct observable_point {
    zw_forced *f;
    zw_forced_grid *g;
    int k;
} observable_point;

static zw_status value_at(const observable_point *s, const double *theta, double *value,
                          zw_error *err) {
    zw_forced_grid_state(s->f, s->g, theta);
    ZW_TRY(zw_flow_observables(s->f->torus_flow, 0, s->g->x, s->g->seen, err));
    *value = s->g->seen[s->k];
    return ZW_OK;
}

/* its derivatives as differences */
static zw_status slopes_at(void *user, const double *theta, double *value, double *slope,
                           double *hessian, zw_error *err) {
    const observable_point *s = user;
    int n = s->f->tones.n;
    double at[ZW_TONES_MAX], v[4];
    ZW_TRY(value_at(s, theta, value, err));
    memcpy(at, theta, sizeof(double) * (size_t)n);
    for (int i = 0; slope && i < n; i++)
        for (int j = i; j < n; j++) {
            for (int k = 0; k < (i == j ? 2 : 4); k++) {
                at[j] = theta[j] + (k & 2 ? -PHASE_STEP : PHASE_STEP);
                at[i] = theta[i] + (k & 1 ? -PHASE_STEP : PHASE_STEP);
                ZW_TRY(value_at(s, at, &v[k], err));
            }
            at[i] = theta[i];
            at[j] = theta[j];
            if (i == j)
                slope[i] = (v[0] - v[1]) / (2 * PHASE_STEP);
            double twice = i == j ? v[0] - 2 * *value + v[1] : (v[0] - v[1] - v[2] + v[3]) / 4;
            hessian[i * n + j] = hessian[j * n + i] = twice / (PHASE_STEP * PHASE_STEP);
        }
    return ZW_OK;
}

/* The largest value of an observable (sign -1: the smallest one), whose values on the grid are
 * known. */
static zw_status find_extreme(zw_forced *f, zw_forced_grid *g, int k, double sign,
                              const double *value, double *extreme, zw_error *err) {
    observable_point s = {f, g, k};
    int peak[ZW_TORUS_PEAKS], n = zw_torus_peaks(f->tones.n, g->per, value, sign, peak);
    for (int i = 0; i < n; i++) {
        double there;
        ZW_TRY(zw_torus_climb(f->tones.n, g->per, slopes_at, &s, sign, peak[i], &there, err));
        *extreme = sign * fmax(sign * *extreme, sign * there);
    }
    return ZW_OK;
}

/* mean, rms and amplitudes at the excitation frequencies of observables on the grid */
static zw_status measure_observables(zw_forced *f, zw_forced_grid *g, zw_motion_measure *out,
                                     double *tone, zw_error *err) {
    int nq = f->sys->nq, n = f->sys->nobservable, tones = f->tones.n;
    double theta[ZW_TONES_MAX];
    double *c = ZW_NEW(&f->arena, double, n *tones + 1),
           *s = ZW_NEW(&f->arena, double, n *tones + 1);
    double *value = ZW_NEW(&f->arena, double, (size_t)n *(size_t)g->samples + 1);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int k = 0; k < n; k++)
        out[nq + k] = (zw_motion_measure){.max = -INFINITY, .min = INFINITY};
    for (int i = 0; i < g->samples; i++) {
        zw_forced_grid_phases(f, g, i, theta);
        zw_forced_grid_state(f, g, theta);
        ZW_TRY(zw_flow_observables(f->torus_flow, 0, g->x, g->seen, err));
        for (int k = 0; k < n; k++) {
            zw_motion_measure *m = &out[nq + k];
            double v = g->seen[k];
            m->mean += v / g->samples;
            m->rms += v * v / g->samples;
            value[(size_t)k * (size_t)g->samples + (size_t)i] = v;
            m->max = fmax(m->max, v);
            m->min = fmin(m->min, v);
            for (int j = 0; j < tones; j++) {
                double angle = drive_multiple(f, j) * theta[j];
                c[k * tones + j] += 2 * v * cos(angle) / g->samples;
                s[k * tones + j] += 2 * v * sin(angle) / g->samples;
            }
        }
    }
    for (int k = 0; k < n; k++) {
        zw_motion_measure *m = &out[nq + k];
        m->rms = sqrt(m->rms);
        for (int j = 0; j < tones; j++)
            tone[(nq + k) * tones + j] = hypot(c[k * tones + j], s[k * tones + j]);
        m->first = tone[(nq + k) * tones];
        m->phase = m->first > 0 ? atan2(-s[k * tones], c[k * tones]) : 0;
        const double *own = value + (size_t)k * (size_t)g->samples;
        ZW_TRY(find_extreme(f, g, k, 1, own, &m->max, err));
        ZW_TRY(find_extreme(f, g, k, -1, own, &m->min, err));
    }
    return ZW_OK;
}

zw_status zw_forced_tones_measure(zw_forced *f, zw_motion_measure *out, double *tone,
                                  zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(&f->arena);
    int tones = f->tones.n;
    zw_forced_grid g = {0};
    for (int i = 0; i < f->sys->nq; i++) {
        zw_motion_measure *m = &out[i];
        zw_harmonic_mean(f->balance, f->x, i, &m->mean, &m->rms);
        zw_harmonic_extremes(f->balance, f->x, i, &m->max, &m->min);
        for (int h = 0; h < zw_harmonic_count(f->balance); h++) {
            const int *k = zw_harmonic_vector(f->balance, h);
            int length = 0, last = 0, others = -1;
            for (int j = 0; j < tones; j++) {
                length += k[j] < 0 ? -k[j] : k[j];
                last = k[j] ? j : last;
                others += k[j] != 0;
            }
            double c, s;
            if (others || length != drive_multiple(f, last))
                continue;
            zw_harmonic_line(f->balance, f->x, i, h, &c, &s);
            tone[i * tones + last] = hypot(c, s);
            if (last == 0)
                m->phase = hypot(c, s) > 0 ? atan2(-s, c) : 0;
        }
        m->first = tone[i * tones];
    }
    if (!f->sys->nobservable)
        return ZW_OK;
    ZW_TRY(zw_flow_set_parameters(f->torus_flow, f->now, err));
    ZW_TRY(zw_forced_make_grid(f, &g, err));
    zw_status status = measure_observables(f, &g, out, tone, err);
    zw_arena_release(&f->arena, mark);
    return status;
}
