/* SPDX-License-Identifier: MIT */
/* From a run to an orbit. In a driven model the events of the last period are the signature. In an
 * autonomous one the states after events are compared: the last one repeats the one n events
 * before, for the smallest n whose distance is not much larger than the least. Newton's method
 * (motion/segments/periodic.h) continues from there, and the orbit that it finds is confirmed by a run. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/append.h"
#include "base/arena.h"
#include "base/random.h"
#include "base/tolerance.h"
#include "branch/curve.h"
#include "event_orbits.h"
#include "motion/segments/periodic.h"

enum { PERIOD_MAX = 60, SEED = 14 };
/* Relative to the size of an orbit, and to the period: two solutions are the same. */
#define SAME_ORBIT ZW_SAME_SOLUTION
/* Relative to the size of the motion: largest distance of a state that repeats. */
#define DISTANCE_BACK 0.1
/* Times the least distance, and above it: distances that are about equal, of which the shortest
 * repetition is taken. */
#define DISTANCE_FACTOR 3
#define DISTANCE_ROUNDOFF 1e-9
/* Relative to the size of the coordinate in the model: the least scale of an entry (orbits.c). */
#define SCALE_MIN 1e-3
/* Relative to the size of the quantity: a smaller drift is zero. Newton's method leaves 1e-11. */
#define DRIFT_ZERO 1e-10
/* Relative to its size: an orbit farther away is not the one that the run approached. */
#define OTHER_ORBIT 0.3
/* Fraction of the period at which driven orbits with clocks begin: clocks tick at
 * simple fractions. */
#define CLOCK_START 0.382
/* [s] Times after which a run that meets no events is given up, with contacts and without: a
 * simulation of contacts costs more. */
#define CONTACT_TIME_MAX 1e5
#define EVENT_TIME_MAX 1e8

/* ----------------------------------------------------------------------------------- signatures */

static zw_status write_names(zw_event_orbits *o, zw_segmented_signature *s, zw_error *err) {
    size_t size = 1;
    for (int i = 0; i < s->n; i++)
        size += strlen(s->name[i]) + 2;
    char *text = ZW_NEW(&o->arena, char, size);
    if (!text)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < s->n; i++)
        if (s->event[i] >= 0)
            zw_append(text, size, "%s%s", text[0] ? ", " : "", s->name[i]);
    s->text = text;
    return ZW_OK;
}

zw_status zw_segmented_make_signature(zw_event_orbits *o, int n, const int *stage,
                                      const int *ending, const int *direction,
                                      zw_segmented_signature *s, zw_error *err) {
    zw_segmented_segment *segment = ZW_NEW(&o->arena, zw_segmented_segment, n + 1);
    int *event = ZW_NEW(&o->arena, int, n + 1);
    *s = (zw_segmented_signature){.n = n, .segment = segment, .event = event, .times = o->rounds};
    s->name = ZW_NEW(&o->arena, const char *, n + 1);
    s->touching = ZW_NEW(&o->arena, const bool *, n + 1);
    s->pattern = ZW_NEW(&o->arena, signed char *, n + 1);
    s->scale = ZW_NEW(&o->arena, double, o->nx + 1);
    s->memory_scale = ZW_NEW(&o->arena, double, o->nmemory + 1);
    s->turn = ZW_NEW(&o->arena, double, o->nx + 1);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int k = 0; k < n; k++) {
        segment[k] = (zw_segmented_segment){stage[k], ending[k], direction[k]};
        event[k] = ending[k];
        s->name[k] = zw_segmented_event_name(o, ending[k], stage[k], stage[(k + 1) % n]);
        if (!s->name[k])
            return zw_out_of_memory(err, NULL);
    }
    return write_names(o, s, err);
}

static void find_scale(const zw_event_orbits *o, const zw_segmented_walk *w,
                       zw_segmented_signature *s) {
    double rate = 2 * M_PI / s->duration;
    for (int i = 0; i < o->nx; i++) {
        int of = i < o->sys->nq ? i : i - o->sys->nq;
        double size = of < o->sys->nq ? o->width[of] * (i < o->sys->nq ? 1 : rate) : rate;
        s->scale[i] = fmax(0.5 * (w->high[i] - w->low[i]), SCALE_MIN * size);
        if (!(s->scale[i] > 0) || !isfinite(s->scale[i]))
            s->scale[i] = 1;
    }
    for (int i = 0; i < o->nmemory; i++) {
        s->memory_scale[i] = 0;
        for (int k = 0; k < w->nact; k++)
            s->memory_scale[i] = fmax(s->memory_scale[i], fabs(w->act[k].memory[i]));
        if (!(s->memory_scale[i] > 0))
            s->memory_scale[i] = 1;
    }
}

double zw_segmented_turn(const zw_event_orbits *o, int coord, const double *p) {
    const zw_system *sys = o->sys;
    if (coord >= sys->nq || !sys->coord[coord].period)
        return 0;
    return fmax(0, zw_eval(sys->ctx, sys->coord[coord].period, sys->np, o->parameter, p));
}

/* whole turns of coordinates that the model declares periodic */
static void find_turns(zw_event_orbits *o, const double *begin, const double *end,
                       zw_segmented_signature *s) {
    for (int i = 0; i < o->sys->nq; i++) {
        double turn = zw_segmented_turn(o, i, o->now);
        s->turn[i] = turn > 0 ? turn * round((end[i] - begin[i]) / turn) : 0;
    }
}

/* moves turning coordinates into their first turn: earlier whole turns mean nothing */
static void turn_back(zw_event_orbits *o, const zw_segmented_signature *s) {
    const double *first = zw_segmented_state(o->h, o->unknown, 0);
    for (int i = 0; i < o->sys->nq; i++) {
        double turn = zw_segmented_turn(o, i, o->now), by = 0;
        if (s->turn[i] != 0 && o->essential[i])
            by = turn * round(first[i] / turn);
        for (int k = 0; k < s->n && by != 0; k++)
            zw_segmented_state(o->h, o->unknown, k)[i] -= by;
    }
}

/* ----------------------------------------------------------------------------------- from a run */

static zw_status does_not_come_back(const zw_segmented_walk *w, double best, zw_error *err) {
    const zw_segmented_act *last = &w->act[w->nact - 1];
    if (!isfinite(best)) {
        zw_fail(err, ZW_E_NUMERIC,
                "the motion from the start of the model does not come back to where it was: the "
                "last of %d events, %s at t = %.6g s, comes once",
                w->nact, zw_segmented_event_name(w->o, last->event, last->from, last->to), last->t);
        zw_error_hint(err, "it may have come to rest");
        return ZW_E_NUMERIC;
    }
    zw_fail(err, ZW_E_NUMERIC,
            "the motion from the start of the model does not come back to where it was: after %d "
            "events, at t = %.6g s, it is off by %.2g of its size at best",
            w->nact, w->t, best);
    zw_error_hint(err, "--steps runs longer; it may be quasi-periodic or chaotic");
    return ZW_E_NUMERIC;
}

static zw_status has_no_events(const zw_segmented_walk *w, zw_error *err) {
    zw_fail(err, ZW_E_NUMERIC,
            "the start of the model leads to no orbit through events: %d acted in %d steps, up to "
            "t = %.6g s",
            w->nact, w->steps, w->t);
    zw_error_hint(err, "another start (--set x=...), or a longer run (--steps)");
    return ZW_E_NUMERIC;
}

/* distance of the states after two events, relative to the ranges of all of them */
static double state_distance(const zw_segmented_walk *w, const double *low, const double *high,
                             int a, int b) {
    const zw_event_orbits *o = w->o;
    double most = 0;
    for (int i = 0; i < o->nx; i++) {
        double d = fabs(w->act[a].x[i] - w->act[b].x[i]), size = high[i] - low[i];
        if (i < o->sys->nq && o->sys->coord[i].period)
            continue; /* it may have turned */
        if (o->essential[i] && size > 0)
            most = fmax(most, d / size);
    }
    return most;
}

/* the number of events after which the motion repeats; 0 if it does not */
static int find_repetition(const zw_segmented_walk *w, double *best) {
    int last = w->nact - 1, n = w->nact / 2 < PERIOD_MAX ? w->nact / 2 : PERIOD_MAX;
    double d[PERIOD_MAX + 1];
    *best = INFINITY;
    for (int k = 1; k <= n; k++) {
        const zw_segmented_act *a = &w->act[last], *b = &w->act[last - k];
        d[k] = a->event == b->event && a->to == b->to && a->from == b->from
                   ? state_distance(w, w->low, w->high, last, last - k)
                   : INFINITY;
        *best = fmin(*best, d[k]);
    }
    for (int k = 1; k <= n; k++)
        if (d[k] <= DISTANCE_FACTOR * *best + DISTANCE_ROUNDOFF && d[k] < DISTANCE_BACK)
            return k;
    return 0;
}

/* the segments between the last n events, and the unknowns; begin: in driven models the state one
 * period before that of the walk */
static zw_status take_cycle(zw_event_orbits *o, zw_segmented_walk *w, int first, int n,
                            double period, double start, const double *begin, zw_error *err) {
    zw_segmented_signature s;
    int *stage = ZW_NEW(&o->arena, int, n), *ending = ZW_NEW(&o->arena, int, n),
        *direction = ZW_NEW(&o->arena, int, n);
    if (o->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int k = 0; k < n; k++) {
        const zw_segmented_act *next = &w->act[k + 1 < n || period == 0 ? first + k + 1 : first];
        stage[k] = w->act[first + k].to;
        ending[k] = next->event;
        direction[k] = next->direction;
    }
    ZW_TRY(zw_segmented_make_signature(o, n, stage, ending, direction, &s, err));
    for (int k = 0; k < n; k++) {
        s.touching[k] = w->act[k + 1 < n || period == 0 ? first + k + 1 : first].touching;
        if (s.touching[k] && !(s.pattern[k] = zw_segmented_new_pattern(o)))
            return zw_out_of_memory(err, NULL);
    }
    zw_segmented_find_essential(o);
    s.duration = period > 0 ? period : w->act[first + n].t - w->act[first].t;
    find_scale(o, w, &s);
    find_turns(o, begin ? begin : w->act[first].x, begin ? w->x : w->act[first + n].x, &s);
    ZW_TRY(zw_segmented_build(o, &s, err));
    for (int k = 0; k < n; k++) {
        const zw_segmented_act *a = &w->act[first + k];
        double later =
            k + 1 < n || period == 0 ? w->act[first + k + 1].t : w->act[first].t + period;
        memcpy(zw_segmented_state(o->h, o->unknown, k), a->x, sizeof(double) * (size_t)o->nx);
        memcpy(zw_segmented_memory(o->h, o->unknown, k), a->memory,
               sizeof(double) * (size_t)o->nmemory);
        *zw_segmented_duration(o->h, o->unknown, k) = later - a->t;
    }
    turn_back(o, &s);
    if (zw_segmented_start(o->h, o->unknown))
        *zw_segmented_start(o->h, o->unknown) = w->act[first].t - start;
    return ZW_OK;
}

/* a driven motion without events */
static zw_status take_plain(zw_event_orbits *o, const zw_segmented_walk *w, const double *x,
                            const double *memory, int stage, double period, zw_error *err) {
    zw_segmented_signature s;
    int ending = -1, direction = 1;
    ZW_TRY(zw_segmented_make_signature(o, 1, &stage, &ending, &direction, &s, err));
    s.duration = period;
    find_scale(o, w, &s);
    find_turns(o, x, w->x, &s);
    ZW_TRY(zw_segmented_build(o, &s, err));
    memcpy(zw_segmented_state(o->h, o->unknown, 0), x, sizeof(double) * (size_t)o->nx);
    memcpy(zw_segmented_memory(o->h, o->unknown, 0), memory, sizeof(double) * (size_t)o->nmemory);
    *zw_segmented_duration(o->h, o->unknown, 0) = period;
    turn_back(o, &s);
    return ZW_OK;
}

static zw_status from_driven_run(zw_event_orbits *o, zw_segmented_walk *w, zw_error *err) {
    double period, slope, *x = ZW_NEW(&o->arena, double, o->nx + 1),
                          *memory = ZW_NEW(&o->arena, double, o->nmemory + 1);
    if (!x || !memory)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_segmented_drive(o, w->value, &period, &slope, err));
    double start = o->options.settle * period,
           from = start + (o->clocks ? CLOCK_START * period : 0);
    w->steps_max = INT32_MAX; /* the periods limit the run */
    if (o->ground) {
        zw_status status = zw_segmented_contact_walk(w, !w->scattered, from + period, 0, from, err);
        if (status != ZW_OK)
            return status;
        return w->nact > 0 ? take_cycle(o, w, 0, w->nact, period, start, w->begin, err)
                           : take_plain(o, w, w->begin, w->memory, w->stage, period, err);
    }
    ZW_TRY(zw_segmented_walk_on(w, from, 0, err));
    if (o->stopped)
        return ZW_STOPPED;
    int stage = w->stage;
    memcpy(x, w->x, sizeof(double) * (size_t)o->nx);
    memcpy(memory, w->memory, sizeof(double) * (size_t)o->nmemory);
    w->keeps = w->measures = true;
    ZW_TRY(zw_segmented_walk_on(w, from + period, 0, err));
    if (o->stopped)
        return ZW_STOPPED;
    return w->nact > 0 ? take_cycle(o, w, 0, w->nact, period, start, x, err)
                       : take_plain(o, w, x, memory, stage, period, err);
}

static zw_status from_autonomous_run(zw_event_orbits *o, zw_segmented_walk *w, zw_error *err) {
    double best;
    bool half = false;
    for (double until = 1; o->ground && w->nact < o->options.events && until < CONTACT_TIME_MAX;
         until *= 4) {
        double *x = ZW_NEW(&o->arena, double, o->nx + 1);
        if (!x)
            return zw_out_of_memory(err, NULL);
        memcpy(x, w->x, sizeof(double) * (size_t)o->nx);
        w->nact = 0;
        zw_status status =
            zw_segmented_contact_walk(w, !w->scattered, until, o->options.events, 0, err);
        if (status != ZW_OK)
            return status;
        memcpy(w->x, x, sizeof(double) * (size_t)o->nx); /* longer, from the start */
        w->t = 0;
    }
    w->keeps = w->measures = true;
    for (double until = 1; !o->ground && w->nact < o->options.events && w->steps < w->steps_max &&
                           until < EVENT_TIME_MAX;
         until *= 2) {
        int most = half ? o->options.events : o->options.events / 2 + 1;
        ZW_TRY(zw_segmented_walk_on(w, until, most - w->nact, err));
        if (o->stopped)
            return ZW_STOPPED;
        if (!half && w->nact >= most) {
            half = true; /* ranges are those after the transients */
            until /= 2;
            for (int i = 0; i < o->nx; i++) {
                w->low[i] = INFINITY;
                w->high[i] = -INFINITY;
            }
        }
    }
    if (w->nact < 4)
        return has_no_events(w, err);
    int n = find_repetition(w, &best);
    return n ? take_cycle(o, w, w->nact - 1 - n, n, 0, 0, NULL, err)
             : does_not_come_back(w, best, err);
}

/* ----------------------------------------------------------------------------------- validation */

static zw_status reject_other(const zw_event_orbits *o, const double *guess, zw_error *err) {
    const zw_segmented_signature *s = &o->now_signature;
    for (int k = 0; k < s->n; k++)
        for (int i = 0; i < o->nx; i++) {
            double was = zw_segmented_state(o->h, (double *)guess, k)[i],
                   is = zw_segmented_state(o->h, o->unknown, k)[i];
            if (!o->essential[i] || fabs(is - was) <= 2 * OTHER_ORBIT * s->scale[i])
                continue;
            const char *name =
                i < o->sys->nq ? o->sys->coord[i].name : o->sys->velocity[i - o->sys->nq].name;
            bool any = s->text[0];
            zw_fail(err, ZW_E_NUMERIC,
                    "no orbit%s%.120s%s is near the motion from the start of the model: %s is %.6g "
                    "%s, and %.6g in the nearest orbit",
                    any ? " with its events (" : "", s->text, any ? ")" : "", name, was,
                    any ? "after an event there" : "after a period there", is);
            zw_error_hint(err, "it may be quasi-periodic or chaotic; another start, a longer run, "
                               "another --order");
            return ZW_E_NUMERIC;
        }
    return ZW_OK;
}

static const char *watched_name(zw_event_orbits *o, int i) {
    return zw_segmented_event_name(o, o->watched[i], -1, -1);
}

zw_status zw_segmented_reject_virtual(zw_event_orbits *o, double value, zw_error *err) {
    const zw_floquet *f;
    const zw_segmented_margins *m;
    ZW_TRY(zw_segmented_evaluate(o, o->unknown, value, &f, &m, err));
    if (!m)
        return zw_fail(err, ZW_E_NUMERIC, "what is near the orbit could not be found");
    if (m->crossing <= 0)
        return zw_fail(err, ZW_E_NUMERIC,
                       "what was found is no motion: it meets the event %s from the wrong side",
                       o->now_signature.name[m->crossing_segment]);
    if (m->slack <= 0)
        return zw_fail(err, ZW_E_NUMERIC,
                       "the solution found is not a motion: the impact of %s violates its law",
                       o->now_signature.name[m->slack_segment]);
    if (m->clearance <= 0)
        return zw_fail(err, ZW_E_NUMERIC,
                       "what was found is no motion: it passes the event %s without meeting it",
                       watched_name(o, m->clearance_event));
    if (m->shortest < ZW_SEGMENTED_NO_DURATION)
        return zw_fail(err, ZW_E_NUMERIC,
                       "what was found is no motion: nothing is between the event %s and the one "
                       "before it",
                       o->now_signature.name[m->shortest_segment]);
    return ZW_OK;
}

/* a run from the beginning of a segment over one period: *same: it meets the events of the orbit */
static zw_status run_from_segment(zw_event_orbits *o, double value, int first, bool *same,
                                  double *miss, zw_error *err) {
    const zw_segmented_signature *s = &o->now_signature;
    zw_segmented_walk w;
    double period = zw_segmented_period(o->h, o->unknown),
           *t0 = zw_segmented_start(o->h, o->unknown), start = t0 ? *t0 : 0;
    const double *x = zw_segmented_state(o->h, o->unknown, first);
    bool plain = s->event[0] < 0;
    for (int k = 0; k < first; k++)
        start += *zw_segmented_duration(o->h, o->unknown, k);
    ZW_TRY(zw_segmented_walk_begin(&w, o, value, err));
    memcpy(w.x, x, sizeof(double) * (size_t)o->nx);
    memcpy(w.memory, zw_segmented_memory(o->h, o->unknown, first),
           sizeof(double) * (size_t)o->nmemory);
    w.t = start;
    w.stage = s->segment[first].stage;
    w.keeps = true;
    /* the last event may act slightly after the period */
    double until = w.t + period * (plain ? 1 : 1.01);
    zw_status status = o->ground
                           ? zw_segmented_contact_walk(&w, false, until, plain ? 0 : s->n, w.t, err)
                           : zw_segmented_walk_on(&w, until, plain ? 0 : s->n, err);
    if (status != ZW_OK)
        return status;
    if (o->ground && w.nact) {
        memcpy(w.x, w.act[w.nact - 1].x, sizeof(double) * (size_t)o->nx);
        w.t = w.act[w.nact - 1].t;
    }
    *same = w.nact == (plain ? 0 : s->n);
    for (int k = 0; *same && k < w.nact; k++)
        *same = w.act[k].event == s->event[(first + k) % s->n] &&
                w.act[k].to == s->segment[(first + k + 1) % s->n].stage;
    *miss = plain ? 0 : fabs(w.t - start - period) / period;
    for (int i = 0; i < o->nx; i++)
        if (o->essential[i])
            *miss = fmax(*miss, fabs(w.x[i] - s->turn[i] - x[i]) / s->scale[i]);
    return ZW_OK;
}

/* Contact modes are determined anew where a run begins: at the time of a change either mode may
 * result, so that other segments are tried. */
zw_status zw_segmented_confirm(zw_event_orbits *o, double value, double *miss, zw_error *err) {
    zw_segmented_signature *s = &o->now_signature;
    bool same = false;
    for (int k = 0; !same && k < (o->ground ? s->n : 1); k++) {
        zw_error why = {0};
        zw_status status = run_from_segment(o, value, k, &same, miss, &why);
        if (status != ZW_OK && (!o->ground || k + 1 == s->n || status == ZW_E_MEMORY)) {
            if (err)
                *err = why;
            return status;
        }
        same &= status == ZW_OK;
        s->first = same ? k : 0;
    }
    if (same)
        return ZW_OK;
    return zw_fail(err, ZW_E_NUMERIC,
                   "what was found is no motion of the model: a run from it does not meet its "
                   "events, %.150s",
                   s->text[0] ? s->text : "none");
}

/* ------------------------------------------------------------------------------------- measures */

zw_status zw_segmented_evaluate(zw_event_orbits *o, const double *unknown, double value,
                                const zw_floquet **out, const zw_segmented_margins **margins,
                                zw_error *err) {
    size_t bytes = sizeof(double) * (size_t)o->last_n;
    zw_error trouble = {0};
    bool same = o->last_known &&
                (o->last_value == value || (isnan(value) && isnan(o->last_value))) &&
                memcmp(o->last_x, unknown, bytes) == 0;
    if (!same) {
        zw_floquet_clear(&o->last);
        zw_status status = o->options.stability
                               ? zw_segmented_multipliers(o->h, unknown, value, &o->last, &trouble)
                               : ZW_RETRY;
        if (status == ZW_E_MEMORY)
            return zw_out_of_memory(err, NULL);
        o->last_failed = status != ZW_OK;
        trouble = (zw_error){0};
        status = zw_segmented_margin(o->h, unknown, value, &o->last_margins, &trouble);
        if (status == ZW_E_MEMORY)
            return zw_out_of_memory(err, NULL);
        o->margins_known = status == ZW_OK;
        memcpy(o->last_x, unknown, bytes);
        o->last_value = value;
        o->last_known = true;
    }
    *out = o->last_failed ? NULL : &o->last;
    *margins = o->margins_known ? &o->last_margins : NULL;
    return ZW_OK;
}

static zw_status add_multipliers(zw_event_orbits *o, double value, zw_segmented_motion *m,
                                 zw_error *err) {
    const zw_floquet *q;
    const zw_segmented_margins *margins;
    m->outside = -1;
    m->trivial = NAN;
    ZW_TRY(zw_segmented_evaluate(o, o->unknown, value, &q, &margins, err));
    m->margins = margins ? *margins
                         : (zw_segmented_margins){
                               .crossing = NAN, .clearance = NAN, .shortest = NAN, .slack = NAN};
    if (!q)
        return ZW_OK;
    double *re = ZW_NEW(&o->arena, double, q->n + 1), *im = ZW_NEW(&o->arena, double, q->n + 1);
    if (!re || !im)
        return zw_out_of_memory(err, NULL);
    memcpy(re, q->re, sizeof(double) * (size_t)q->n);
    memcpy(im, q->im, sizeof(double) * (size_t)q->n);
    m->nmultiplier = q->n;
    m->re = re;
    m->im = im;
    m->accuracy = q->accuracy;
    m->outside = q->outside;
    m->verdict = q->verdict;
    if (q->trivial >= 0)
        m->trivial = hypot(q->re[q->trivial] - 1, q->im[q->trivial]);
    return ZW_OK;
}

/* drift per period of coordinates that need not be periodic, and of observables */
static zw_status store_drift(zw_event_orbits *o, zw_segmented_motion *m, zw_error *err) {
    const zw_shooting *s = m->record;
    double *drift = ZW_NEW(&o->arena, double, o->nquantity + 1);
    bool any = false;
    if (!drift)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < o->nquantity; i++) {
        bool coordinate = i < o->sys->nq;
        int k = coordinate ? i : s->nx + i - o->sys->nq;
        double size =
            coordinate ? o->now_signature.scale[i] : fmax(fabs(s->max[k]), fabs(s->min[k]));
        bool counts = !(coordinate && o->essential[i]);
        if (counts && fabs(s->drift[k]) > DRIFT_ZERO * size)
            drift[i] = s->drift[k];
        any |= coordinate ? counts : drift[i] != 0;
    }
    m->drift = any ? drift : NULL;
    return ZW_OK;
}

/* sets whether coordinates are checked for singularities: only while an orbit is measured */
static void set_singular_quiet(zw_event_orbits *o, bool begins) {
    for (int i = 0; i < o->nstage; i++) {
        o->stage[i]->singular.quiet = !begins;
        if (begins)
            o->stage[i]->singular.text[0] = '\0';
    }
}

/* counts the orbit that was measured last once, however many of its segments reach a singularity */
static void count_singular(zw_event_orbits *o, double value) {
    const char *text = "";
    for (int i = 0; i < o->nstage && !text[0]; i++)
        text = o->stage[i]->singular.text;
    zw_singular_take(&o->singular, text, value);
}

zw_status zw_segmented_measures(zw_event_orbits *o, double value, zw_segmented_motion *m,
                                zw_error *err) {
    zw_motion_measure *out = ZW_NEW(&o->arena, zw_motion_measure, o->nquantity + 1);
    zw_shooting *s = ZW_NEW(&o->arena, zw_shooting, 1);
    int order = o->autonomous ? 1 : o->options.order * o->rounds;
    if (!out || !s)
        return zw_out_of_memory(err, NULL);
    set_singular_quiet(o, true);
    zw_status status =
        zw_segmented_measure(o->h, o->unknown, value, o->options.harmonics * order, s, err);
    set_singular_quiet(o, false);
    ZW_TRY(status);
    m->record = s;
    m->measure = out;
    for (int i = 0; i < o->nquantity; i++) {
        int k = i < o->sys->nq ? i : s->nx + i - o->sys->nq, at = k * (s->harmonics + 1) + order;
        out[i] = (zw_motion_measure){.mean = s->mean[k],
                                     .rms = s->rms[k],
                                     .max = s->max[k],
                                     .min = s->min[k],
                                     .first = hypot(s->cosine[at], s->sine[at])};
        out[i].phase = out[i].first > 0 ? atan2(-s->sine[at], s->cosine[at]) : 0;
    }
    return store_drift(o, m, err);
}

/* the state at t = 0 of a driven motion, else that of its first segment */
static zw_status find_state(zw_event_orbits *o, double value, zw_segmented_motion *m,
                            zw_error *err) {
    double *x = ZW_NEW(&o->arena, double, o->nx + 1), *start = zw_segmented_start(o->h, o->unknown);
    int stage;
    if (!x)
        return zw_out_of_memory(err, NULL);
    m->x = x;
    m->start = start ? *start : 0;
    if (!start) {
        memcpy(x, zw_segmented_state(o->h, o->unknown, 0), sizeof(double) * (size_t)o->nx);
        return ZW_OK;
    }
    double at = m->period * ceil(m->start / m->period);
    return zw_segmented_state_at(o->h, o->unknown, value, at, x, NULL, &stage, err);
}

zw_status zw_segmented_add(zw_event_orbits *o, double value, zw_bifurcation event, int branch,
                           double confirmed, zw_error *err) {
    zw_cont_problem p = zw_segmented_problem(o->h);
    double *unknown = ZW_NEW(&o->arena, double, p.n + 1), *r = ZW_NEW(&o->arena, double, p.n + 1);
    if (o->arena.failed ||
        !zw_arena_grow(&o->arena, (void **)&o->motion, o->nmotion, &o->capacity,
                       sizeof *o->motion) ||
        !zw_arena_grow(&o->arena, (void **)&o->signature, o->nmotion, &o->signature_capacity,
                       sizeof *o->signature))
        return zw_out_of_memory(err, NULL);
    memcpy(unknown, o->unknown, sizeof(double) * (size_t)p.n);
    zw_segmented_motion m = {.value = value,
                             .period = zw_segmented_period(o->h, o->unknown),
                             .nsegment = o->now_signature.n,
                             .event = o->now_signature.event,
                             .name = o->now_signature.name,
                             .signature = o->now_signature.text,
                             .unknown = unknown,
                             .confirmed = confirmed,
                             .event_here = event,
                             .curve = branch,
                             .residual = NAN};
    m.jumps = m.event[0] < 0 ? 0 : m.nsegment;
    ZW_TRY(add_multipliers(o, value, &m, err));
    ZW_TRY(zw_segmented_measures(o, value, &m, err));
    count_singular(o, value);
    o->motion[o->nmotion] = m; /* its arrays belong to the object now */
    o->signature[o->nmotion] = o->now_signature;
    o->nmotion++;
    zw_segmented_motion *kept = &o->motion[o->nmotion - 1];
    zw_status status = p.residual(p.self, o->unknown, value, r, err);
    ZW_TRY(status);
    if (status == ZW_OK)
        kept->residual = sqrt(p.inner(p.self, r, r));
    return find_state(o, value, kept, err);
}

/* positions and velocities at distances from the start of 0.01 to 10 times the sizes of
 * the model */
static zw_status scatter_start(zw_segmented_walk *w, int number, zw_error *err) {
    zw_event_orbits *o = w->o;
    zw_random random = zw_random_stream(SEED, (uint64_t)number);
    zw_run *run = o->stage[w->stage]->run;
    double size = pow(10, zw_random_real(&random, -2, 1)), rate = 1, slope;
    if (!o->autonomous)
        ZW_TRY(zw_segmented_drive(o, w->value, &rate, &slope, err));
    rate = o->autonomous ? 1 : 2 * M_PI / rate;
    for (int i = 0; i < o->nx; i++) {
        int of = i < o->sys->nq ? i : i - o->sys->nq;
        double own = of < o->sys->nq ? o->width[of] * (i < o->sys->nq ? 1 : rate) : rate;
        w->x[i] += size * own * zw_random_real(&random, -1, 1);
    }
    return zw_run_project(run, 0, w->x, NULL, err);
}

/* Does the orbit in o->unknown repeat after m of its segments? */
static bool is_repeating(const zw_event_orbits *o, int m) {
    const zw_segmented_signature *s = &o->now_signature;
    int stride = o->nx + o->nmemory + 1;
    if (s->n % m)
        return false;
    for (int k = 0; k < s->n; k++) {
        const double *a = o->unknown + (size_t)(k * stride),
                     *b = o->unknown + (size_t)((k + m) % s->n * stride);
        if (s->segment[k].stage != s->segment[(k + m) % s->n].stage ||
            s->event[k] != s->event[(k + m) % s->n])
            return false;
        for (int i = 0; i < stride; i++) {
            double size = i < o->nx        ? s->scale[i]
                          : i + 1 < stride ? s->memory_scale[i - o->nx]
                                           : s->duration;
            if ((i >= o->nx || (o->essential[i] && s->turn[i] == 0)) &&
                fabs(a[i] - b[i]) > SAME_ORBIT * size)
                return false;
        }
    }
    return true;
}

/* A run may come back more closely after several periods than after one: finds the shortest one. */
static zw_status shorten_period(zw_event_orbits *o, double value, zw_error *err) {
    zw_segmented_signature s = o->now_signature;
    const double *whole = o->unknown;
    int m = 1;
    while (m < s.n && !is_repeating(o, m))
        m++;
    if (!o->autonomous || m == s.n)
        return ZW_OK;
    s.duration *= (double)m / s.n;
    s.n = m;
    ZW_TRY(write_names(o, &s, err));
    ZW_TRY(zw_segmented_build(o, &s, err));
    zw_cont_problem p = zw_segmented_problem(o->h);
    memcpy(o->unknown, whole, sizeof(double) * (size_t)p.n);
    zw_segmented_refer(o->h, o->unknown);
    return zw_cont_correct(&p, ZW_NEWTON, o->unknown, value, NULL, &o->arena.alloc, err);
}

zw_status zw_segmented_find_width(zw_event_orbits *o, double value, zw_error *err) {
    double *x = ZW_NEW(&o->arena, double, o->nx + 1);
    zw_said *said = ZW_NEW(&o->arena, zw_said, o->nx + 1);
    if (!x || !said)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(zw_segmented_set(o, NULL, value, o->now, err));
    return zw_system_start_said(o->sys, o->now, x, said, o->width, err);
}

/* the orbit to which a walk leads from its start */
static zw_status find_by(zw_event_orbits *o, zw_segmented_walk *w, zw_error *err) {
    double miss, value = w->value;
    zw_status status = o->autonomous ? from_autonomous_run(o, w, err) : from_driven_run(o, w, err);
    if (status != ZW_OK)
        return status;
    zw_cont_problem p = zw_segmented_problem(o->h);
    double *guess = ZW_NEW(&o->arena, double, p.n + 1);
    if (!guess)
        return zw_out_of_memory(err, NULL);
    memcpy(guess, o->unknown, sizeof(double) * (size_t)p.n);
    zw_segmented_refer(o->h, o->unknown);
    status = zw_cont_correct(&p, ZW_NEWTON, o->unknown, value, NULL, &o->arena.alloc, err);
    if (status < 0) {
        if (o->now_signature.text[0])
            zw_error_hint(err, "the events of the run were: %.200s", o->now_signature.text);
        return status;
    }
    ZW_TRY(reject_other(o, guess, err));
    ZW_TRY(shorten_period(o, value, err));
    ZW_TRY(zw_segmented_reject_virtual(o, value, err));
    ZW_TRY(zw_segmented_confirm(o, value, &miss, err));
    return zw_segmented_add(o, value, ZW_BIFURCATION_POINT, -1, miss, err);
}

/* from an orbit that is known at another value */
zw_status zw_segmented_find_near(zw_event_orbits *o, int number, double value, zw_error *err) {
    const zw_segmented_motion m = o->motion[number];
    zw_segmented_walk w;
    o->rounds = o->signature[number].times;
    ZW_TRY(zw_segmented_walk_begin(&w, o, value, err));
    ZW_TRY(zw_segmented_find_width(o, value, err));
    memcpy(w.x, m.unknown, sizeof(double) * (size_t)o->nx);
    memcpy(w.memory, m.unknown + o->nx, sizeof(double) * (size_t)o->nmemory);
    w.stage = o->signature[number].segment[0].stage;
    w.t = o->autonomous ? 0 : m.start;
    w.scattered = true;
    return find_by(o, &w, err);
}

/* start -1: that of the model */
static zw_status find_from(zw_event_orbits *o, double value, int start, zw_error *err) {
    zw_segmented_walk w;
    o->rounds = 1;
    ZW_TRY(zw_segmented_walk_begin(&w, o, value, err));
    if (o->ground)
        ZW_TRY(zw_segmented_find_width(o, value, err));
    else
        ZW_TRY(zw_segmented_walk_start(&w, err));
    if (start >= 0 && o->ground)
        return zw_fail(err, ZW_E_OPTION, "contacts: orbits are found from the start of the model");
    if (start >= 0)
        ZW_TRY(scatter_start(&w, start, err));
    w.scattered = start >= 0;
    return find_by(o, &w, err);
}

zw_status zw_event_orbits_find(zw_event_orbits *o, double value, int *number, zw_error *err) {
    if (!o->autonomous && o->options.period > 0)
        return zw_fail(err, ZW_E_OPTION,
                       "the model is driven: its excitation determines the period");
    zw_status status = zw_segmented_judge_memory(o, find_from(o, value, -1, err), err);
    if (status == ZW_OK && number)
        *number = o->nmotion - 1;
    return o->stopped && status == ZW_E_NUMERIC ? ZW_STOPPED : status;
}

/* is the last motion one of those before, possibly beginning with another of its events? */
static bool is_known(const zw_event_orbits *o) {
    const zw_segmented_motion *m = &o->motion[o->nmotion - 1];
    const double *scale = o->signature[o->nmotion - 1].scale;
    int stride = o->nx + o->nmemory + 1;
    for (int i = 0; i < o->nmotion - 1; i++) {
        const zw_segmented_motion *other = &o->motion[i];
        if (other->nsegment != m->nsegment || (other->event[0] < 0) != (m->event[0] < 0) ||
            other->curve >= 0 || fabs(other->period - m->period) > SAME_ORBIT * m->period)
            continue;
        for (int k = 0; k < m->nsegment; k++) {
            double away = other->event[k] == m->event[0] ? 0 : INFINITY;
            for (int j = 0; j < o->nx; j++)
                if (o->essential[j])
                    away =
                        fmax(away, fabs(other->unknown[k * stride + j] - m->unknown[j]) / scale[j]);
            if (away <= SAME_ORBIT)
                return true;
        }
    }
    return false;
}

zw_status zw_event_orbits_search(zw_event_orbits *o, double value, int starts, int *found,
                                 zw_error *err) {
    int before = o->nmotion;
    for (int i = 0; i < starts && !o->stopped; i++) {
        zw_error why = {0};
        zw_status status = zw_segmented_judge_memory(o, find_from(o, value, i, &why), &why);
        if (status == ZW_E_MEMORY)
            return zw_out_of_memory(err, NULL);
        if (status == ZW_OK && is_known(o))
            zw_segmented_discard(o, o->nmotion - 1);
        o->stopped |=
            o->options.stop && o->options.stop(o->options.stop_user, (double)(i + 1) / starts);
    }
    if (found)
        *found = o->nmotion - before;
    return ZW_OK;
}
