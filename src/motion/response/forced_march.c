/* SPDX-License-Identifier: MIT */
/* Up a range and down again by integration: at each value the state continues from the end of the
 * value before. After the given number of periods the next PERIODS are measured. Time begins at
 * zero at every value: whole periods have passed, so that the phase of the excitation is
 * continuous.
 *
 * The result is what an experiment would show, jumps included: motions that are stable, if they had
 * time to settle. The closure error of the last period, relative to the size of the motion, is
 * reported as the error: it stays large where the motion is quasi-periodic. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "forced.h"
#include "zwang/run.h"

enum { PERIODS = 10, POINTS = 64 };
/* relative tolerance of the integration: the closure error of a settled motion is then far below
 * the 1e-3 that is reported */
#define MARCH_RTOL 1e-8
#define MARCH_ATOL 1e-10 /* absolute tolerance of the integration [SI] */

typedef struct march {
    zw_forced *f;
    zw_run *run;
    double *x;      /* nx: state at the end of the value before */
    double *sample; /* nquantity x (PERIODS POINTS + 1) */
    double *first;  /* nquantity: values at the beginning of the last period */
    int n;          /* samples per quantity */
} march;

static zw_status advance_run(march *m, double t, zw_error *err) {
    zw_status status;
    do
        status = zw_run_advance(m->run, t, NULL, err);
    while (status == ZW_EVENT);
    return status;
}

/* rotation of an angle since the measurement began, by its winding number */
static double rotation_since(const zw_forced *f, int k, int i) {
    return f->winding ? 2 * M_PI * f->winding[k] * i / POINTS : 0;
}

static void record_sample(march *m, int i) {
    zw_forced *f = m->f;
    const double *x = zw_run_state(m->run), *seen = zw_run_observables(m->run);
    for (int k = 0; k < f->nquantity; k++)
        m->sample[k * m->n + i] =
            k < f->sys->nq ? x[k] - rotation_since(f, k, i) : seen[k - f->sys->nq];
}

/* the maximum of the parabola through three neighbours */
static double parabola_maximum(double a, double b, double c) {
    double curvature = a - 2 * b + c;
    return curvature < 0 ? b - (a - c) * (a - c) / (8 * curvature) : fmax(b, fmax(a, c));
}

static void measure_motion(const double *v, int n, zw_motion_measure *out) {
    double c = 0, s = 0, mean = 0, square = 0;
    *out = (zw_motion_measure){.max = -INFINITY, .min = INFINITY};
    for (int i = 0; i < n; i++) {
        double tau = 2 * M_PI * i / POINTS, previous = v[i ? i - 1 : 0], next = v[i + 1];
        mean += v[i] / n;
        square += v[i] * v[i] / n;
        c += v[i] * cos(tau) * 2 / n;
        s += v[i] * sin(tau) * 2 / n;
        if (v[i] >= previous && v[i] >= next)
            out->max = fmax(out->max, i ? parabola_maximum(previous, v[i], next) : v[i]);
        if (v[i] <= previous && v[i] <= next)
            out->min = fmin(out->min, i ? -parabola_maximum(-previous, -v[i], -next) : v[i]);
        out->max = fmax(out->max, v[i]);
        out->min = fmin(out->min, v[i]);
    }
    out->mean = mean;
    out->rms = sqrt(square);
    out->first = hypot(c, s);
    out->phase = out->first > 0 ? atan2(-s, c) : 0;
}

/* the closure error of the last period, relative to the range of each coordinate */
static double closure_error(const march *m, const zw_motion_measure *measured) {
    double error = 0;
    for (int k = 0; k < m->f->sys->nq; k++) {
        const double *v = m->sample + (size_t)(k * m->n);
        double size = measured[k].max - measured[k].min;
        if (size > 0)
            error = fmax(error, fabs(v[m->n - 1] - v[m->n - 1 - POINTS]) / size);
    }
    return error;
}

static zw_status march_value(march *m, double value, int direction, int curve, zw_error *err) {
    zw_forced *f = m->f;
    zw_forced_motion motion = {
        .value = value, .outside = -1, .curve = curve, .march = direction, .energy = NAN};
    double slope, period;
    zw_motion_measure *measured = ZW_NEW(&f->arena, zw_motion_measure, f->nquantity + 1);
    if (!measured || !zw_arena_grow(&f->arena, (void **)&f->motion, f->nmotion, &f->motion_capacity,
                                    sizeof *f->motion))
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_forced_set(f, value, f->now, &motion.w, &slope, err));
    period = 2 * M_PI / motion.w;
    ZW_TRY(zw_run_set_parameters(m->run, f->now, err));
    ZW_TRY(zw_run_project(m->run, 0, m->x, NULL, err));
    ZW_TRY(zw_run_start(m->run, 0, m->x, err));
    double t = f->options.settle * period;
    if (f->options.settle)
        ZW_TRY(advance_run(m, t, err));
    for (int i = 0; i < m->n; i++) {
        if (i || f->options.settle)
            ZW_TRY(advance_run(m, t + i * period / POINTS, err));
        record_sample(m, i);
    }
    memcpy(m->x, zw_run_state(m->run), sizeof(double) * (size_t)f->kernel->nx);
    for (int k = 0; k < f->nquantity; k++)
        measure_motion(m->sample + (size_t)(k * m->n), m->n - 1, &measured[k]);
    motion.measure = measured;
    motion.error = closure_error(m, measured);
    f->motion[f->nmotion++] = motion;
    return ZW_OK;
}

static zw_status begin_march(march *m, zw_error *err) {
    zw_forced *f = m->f;
    const zw_system *s = f->sys;
    zw_run_options o = zw_run_options_default();
    double slope, w, *start = ZW_NEW(&f->arena, double, s->nq + s->nv + 1);
    zw_said *said = ZW_NEW(&f->arena, zw_said, f->kernel->nx + s->nq + s->nv + 1);
    m->n = PERIODS * POINTS + 1;
    m->x = ZW_NEW(&f->arena, double, f->kernel->nx + 1);
    m->sample = ZW_NEW(&f->arena, double, f->nquantity * m->n + 1);
    if (f->arena.failed)
        return zw_out_of_memory(err, NULL);
    o.rtol = MARCH_RTOL;
    o.atol = MARCH_ATOL;
    ZW_TRY(zw_forced_set(f, f->over.from, f->now, &w, &slope, err));
    ZW_TRY(zw_run_create(&m->run, f->kernel, f->now, &o, err));
    zw_run_on_want(m->run, zw_kernel_serve, f->kernel);
    ZW_TRY(zw_system_start_said(s, f->now, start, said, f->width, err));
    memcpy(m->x, start, sizeof(double) * (size_t)f->kernel->nx);
    return zw_run_complete(m->run, 0, m->x, said, f->width, NULL, err);
}

static zw_status reject_actions(const zw_forced *f, zw_error *err) {
    for (int i = 0; i < f->kernel->nevt; i++)
        if ((f->kernel->event_acts && f->kernel->event_acts[i]) || f->kernel->event_stop[i])
            return zw_fail(err, ZW_E_OPTION,
                           "--march: an event of the model changes or ends the motion");
    return ZW_OK;
}

zw_status zw_forced_march(zw_forced *f, int steps, zw_error *err) {
    march m = {.f = f};
    if (!f->has_over || f->options.free || steps < 1)
        return zw_fail(err, ZW_E_OPTION, "a march needs a parameter and a number of steps");
    ZW_TRY(zw_forced_reject_cycles(f, "--march", err));
    ZW_TRY(zw_forced_tones_reject(f, "--march", err));
    ZW_TRY(reject_actions(f, err));
    zw_status status = begin_march(&m, err);
    for (int direction = 1; direction >= -1 && status >= 0 && !f->stopped; direction -= 2) {
        int curve;
        if ((status = zw_forced_new_curve(f, &curve, err)) < 0)
            break;
        f->curve[curve].march = direction;
        f->curve[curve].info[0].end = f->curve[curve].info[1].end = ZW_CONT_AT_BOUND;
        for (int i = 0; i <= steps && status >= 0 && !f->stopped; i++) {
            double part = (double)(direction > 0 ? i : steps - i) / steps;
            status = march_value(&m, f->over.from + part * (f->over.to - f->over.from), direction,
                                 curve, err);
            f->stopped = f->options.stop && f->options.stop(f->options.stop_user, part);
        }
        f->curve[curve].n = f->nmotion - f->curve[curve].first;
    }
    zw_run_destroy(m.run);
    return status;
}
