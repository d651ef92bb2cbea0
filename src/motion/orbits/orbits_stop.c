/* SPDX-License-Identifier: MIT */
/* Events of the model that end motions (stop): a body falls, a contact opens. An orbit that crosses
 * one is not a motion of the model. The orbits of a branch begin on one side of the surface f = 0
 * of such an event, and the branch ends where they touch it,
 *
 *     g = min over the period of +- f = 0.
 *
 * The minimum is sought on the polynomials of collocation; where g is small, the state there is
 * integrated from the node before it, whose error is of twice the order. The error of the place
 * does not matter, since the slope of f vanishes there. */
#include "orbits_stop.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "symmetric_orbit.h"
#include "zwang/run.h"

enum { SAMPLES = 200, GOLDEN = 45 };

/* Relative to the largest value of f: below, polynomials of the mesh may have the wrong sign. */
#define INTEGRATE_BELOW 1e-3
/* Tolerances of this integration: those of shooting (orbits_shoot.c). */
#define STATE_RTOL 1e-12
#define STATE_ATOL 1e-14

typedef struct stop_search {
    zw_orbits *o;
    double period;
    double *x, *evt; /* nx, nevt */
    int event;
    double side, most; /* of f: its sign, and its largest size */
} stop_search;

static bool is_stop(const zw_system *s, int event) {
    return s->event[event].stop && !s->event[event].period;
}

bool zw_orbits_has_stops(const zw_orbits *o) {
    for (int i = 0; i < o->sys->nevent; i++)
        if (is_stop(o->sys, i))
            return true;
    return false;
}

/* f of the orbit in o->x; NaN if undefined there */
static double value_at(stop_search *l, double tau) {
    zw_error trouble = {0};
    zw_orbits_whole_state(l->o, tau, l->x);
    if (zw_flow_events(l->o->flow, l->period * tau, l->x, l->evt, &trouble) < 0)
        return NAN;
    return l->evt[l->event];
}

/* the place of the least value of side * f */
static double find_least(stop_search *l) {
    double best = INFINITY, at = 0, ratio = 0.6180339887498949;
    for (int k = 0; k < SAMPLES; k++) {
        double v = l->side * value_at(l, (double)k / SAMPLES);
        if (v < best) {
            best = v;
            at = (double)k / SAMPLES;
        }
    }
    double low = fmax(at - 1.0 / SAMPLES, 0), high = fmin(at + 1.0 / SAMPLES, 1),
           a = high - ratio * (high - low), b = low + ratio * (high - low),
           fa = l->side * value_at(l, a), fb = l->side * value_at(l, b);
    for (int k = 0; k < GOLDEN; k++) {
        bool left = fa < fb;
        *(left ? &high : &low) = left ? b : a;
        double c = left ? high - ratio * (high - low) : low + ratio * (high - low),
               fc = l->side * value_at(l, c);
        if (left) {
            b = a;
            fb = fa;
            a = c;
            fa = fc;
        } else {
            a = b;
            fa = fb;
            b = c;
            fb = fc;
        }
    }
    return 0.5 * (low + high);
}

/* f at a place of the period, integrated from the node before it */
static zw_status integrate_distance(stop_search *l, double tau, double *value, zw_error *err) {
    zw_orbits *o = l->o;
    zw_run_options options = zw_run_options_default();
    zw_run *run = NULL;
    const double *mesh = zw_colloc_mesh(o->c);
    double part = o->half.on ? 0.5 : 1, own = tau / part - floor(tau / part), first = tau;
    int j = 0, event;
    while (j + 1 < zw_colloc_intervals(o->c) && mesh[j + 1] <= own)
        j++;
    first = tau - part * (own - mesh[j]);
    options.method = "rk87";
    options.rtol = STATE_RTOL;
    options.atol = STATE_ATOL;
    ZW_TRY(zw_run_create(&run, o->kernel, o->now, &options, err));
    zw_run_on_want(run, zw_kernel_serve, o->kernel);
    zw_orbits_whole_state(o, first, l->x);
    zw_status status = zw_run_start(run, l->period * first, l->x, err);
    while (status >= 0 && l->period * (tau - first) > 0 &&
           (status = zw_run_advance(run, l->period * tau, &event, err)) == ZW_EVENT) {
    }
    if (status >= 0)
        memcpy(l->x, zw_run_state(run), sizeof(double) * (size_t)o->nx);
    zw_run_destroy(run);
    if (status >= 0)
        status = zw_flow_renew(o->flow, err);
    if (status >= 0)
        status = zw_flow_events(o->flow, l->period * tau, l->x, l->evt, err);
    *value = l->evt[l->event];
    return status;
}

/* the sign of f where |f| is largest */
static void find_side(stop_search *l, signed char *side) {
    double most = 0;
    for (int k = 0; k < SAMPLES; k++) {
        double v = value_at(l, (double)k / SAMPLES);
        if (fabs(v) > fabs(most))
            most = v;
    }
    l->most = fabs(most);
    if (*side == 0)
        *side = most < 0 ? -1 : 1;
    l->side = *side;
}

static zw_status allocate_arrays(zw_orbits *o, stop_search *l, zw_error *err) {
    l->o = o;
    l->x = ZW_NEW(&o->arena, double, o->nx + 1);
    l->evt = ZW_NEW(&o->arena, double, o->kernel->nevt + 1);
    return zw_arena_status(&o->arena, err);
}

/* the least distance of the orbit in o->x from an event, and that event */
static zw_status find_distance(zw_orbits *o, double value, double *distance, int *event,
                               zw_error *err) {
    stop_search l = {0};
    double slope;
    ZW_TRY(allocate_arrays(o, &l, err));
    l.period = (o->half.on ? 2 : 1) * zw_colloc_period(o->c, o->x);
    ZW_TRY(zw_orbits_set(o, value, o->now, &l.period, &slope, err));
    ZW_TRY(zw_flow_set_parameters(o->flow, o->now, err));
    for (l.event = 0; l.event < o->sys->nevent; l.event++) {
        if (!is_stop(o->sys, l.event))
            continue;
        find_side(&l, &o->stop_side[l.event]);
        double tau = find_least(&l), g = value_at(&l, tau);
        if (!(l.most > 0))
            continue;
        if (fabs(g) < INTEGRATE_BELOW * l.most)
            ZW_TRY(integrate_distance(&l, tau, &g, err));
        g *= l.side / l.most;
        if (!(g >= *distance)) {
            *distance = g;
            *event = l.event;
        }
    }
    return ZW_OK;
}

zw_status zw_orbits_stop_distance(zw_orbits *o, const double *x, double value, double *distance,
                                  int *event, zw_error *err) {
    size_t n = (size_t)zw_orbits_problem(o).n;
    zw_arena_mark mark = zw_arena_mark_now(&o->arena);
    double *keep = ZW_NEW(&o->arena, double, n + 1);
    zw_error trouble = {0};
    *distance = NAN;
    *event = -1;
    if (!keep)
        return zw_out_of_memory(err, NULL);
    memcpy(keep, o->x, sizeof(double) * n);
    memcpy(o->x, x, sizeof(double) * n);
    zw_status status = find_distance(o, value, distance, event, &trouble);
    memcpy(o->x, keep, sizeof(double) * n);
    zw_arena_release(&o->arena, mark);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    if (status < 0)
        *distance = NAN; /* undefined here: the test is skipped */
    return ZW_OK;
}

void zw_orbits_stop_words(const zw_orbits *o, int event, char *why, size_t size) {
    snprintf(why, size, "the event %.60s: motions end there", o->sys->event[event].name);
}

zw_status zw_orbits_crosses_stop(zw_orbits *o, int number, char *why, size_t size, bool *met,
                                 zw_error *err) {
    stop_search l = {.period = o->motion[number].period};
    zw_arena_mark mark = zw_arena_mark_now(&o->arena);
    *met = false;
    if (!zw_orbits_has_stops(o))
        return ZW_OK;
    ZW_TRY(allocate_arrays(o, &l, err));
    for (l.event = 0; l.event < o->sys->nevent && !*met; l.event++) {
        int direction = o->sys->event[l.event].direction;
        double last = NAN;
        for (int k = 0; is_stop(o->sys, l.event) && k <= SAMPLES && !*met; k++) {
            double now = value_at(&l, (double)k / SAMPLES);
            int goes = last < 0 && now >= 0 ? 1 : last > 0 && now <= 0 ? -1 : 0;
            *met = goes && (!direction || direction == goes);
            last = now;
        }
        if (*met)
            zw_orbits_stop_words(o, l.event, why, size);
    }
    zw_arena_release(&o->arena, mark);
    return ZW_OK;
}
