/* SPDX-License-Identifier: MIT */
/* Events: changes of sign of functions g_i(t, x, v', lambda) along the motion.
 *
 * Every step of the method is divided once into cells (event_cells.c), in each of which a function
 * changes its sign at most once. The meaning of a change depends on the state of the function:
 *
 *   FREE(side)  on one side of zero. It fires when it is found on the other side, in the required
 *                  direction, and is FREE there.
 *   LEAVING(side) close to zero at a start, and moving to this side: FREE when it has got there. If
 *                  it is found on the other side, an event that acts fires; any other is FREE
 *                  there.
 *   RESTING        close to zero and not moving: FREE where it is found beyond its band; an event
 *                  that acts fires if that is its direction.
 *
 * Close means within a band, the accuracy of g (event_values.c). A function that has just fired is
 * known more exactly, since a motion is exact where it begins: its band is JUST_FIRED of that, but
 * at least 8 times its value then. So an event that acts is not found again at the zero at which it
 * acted, and one that has not moved away yet is not lost. The other sign counts beyond BAND_ZERO
 * bands (event_cells.c): below that a pair of zeros is noise of the integration.
 *
 * A function may have a period (of a periodic coordinate in it): then all multiples of it count as
 * zeros. The side is relative to one of them, the level; half a period beyond it the next one
 * replaces it.
 *
 * Events that act or end the run and are due at the same instant, that is within their bands and
 * moving in their directions, fire together; the caller handles their interaction. Recorded ones
 * keep their own times.
 *
 * A function that has crossed zero and crosses it again, without having left its band in between,
 * touches it within the accuracy: the tolerances decide whether these events occur. That causes a
 * warning.
 *
 * If a motion is restarted (an event has acted, a signal has jumped), sides are passed on:
 * functions that did not fire keep their state, if they did not jump. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "event_cells.h"
#include "num/internal.h"
#include "zero.h"

#define JUST_FIRED 1e-2 /* bands; see above: chosen by trial, it separates the zero from the next */
#define EVENT_BACK 1e-3 /* fraction of a step before an event: where its functions were before it */

static int sign(double g) {
    return (g > 0) - (g < 0);
}

static bool is_acting(const zw_run *run, int i) {
    return run->k->event_acts && run->k->event_acts[i];
}

/* Does it change the motion, or end it? */
static bool is_decisive(const zw_run *run, int i) {
    return is_acting(run, i) || (run->k->event_stop && run->k->event_stop[i]);
}

static bool has_jumps(const zw_run *run) {
    return run->method->traits & ZW_TRAIT_JUMPS;
}

static size_t side_bytes(const zw_run *run) {
    return sizeof(zw_event_side) * (size_t)run->k->nevt;
}

/* The distance of a function from its nearest zero. */
static double zero_offset(const zw_run *run, int i, double g) {
    return g - zw_num_nearest_zero(run, i, g);
}

/* ------------------------------------------------------------------------------------- bands */

/* Those at a time of the last step; valid until another time is requested. */
zw_status zw_num_bands_at(zw_run *run, double t, zw_error *err) {
    if (run->band_time == t)
        return ZW_OK;
    ZW_TRY(run->method->dense(run, run->before, run->dense, err));
    ZW_TRY(zw_num_expand(run, run->before, run->dense, run->scale, err));
    ZW_TRY(zw_num_watch_dense(run, t, run->present, err));
    memcpy(run->probe, run->candidate, sizeof(double) * (size_t)run->k->nx);
    for (int j = 0; j < run->k->nx; j++)
        run->scale[j] = fabs(run->scale[j]);
    zw_num_watch_bands(run, t, run->probe, run->present, run->scale, run->band);
    run->band_time = t;
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------- sides */

/* Sets the side of a function near zero that moves in direction `way`. */
static void near_zero(zw_event_side *s, int way) {
    s->phase = way ? ZW_EVENT_LEAVING : ZW_EVENT_RESTING;
    s->side = (way > 0) - (way < 0);
}

static bool is_near(double g, double band) {
    return fabs(g) <= band;
}

/* The band after a start of a function whose state was passed on, and that has the band `own`
 * otherwise. */
static double band_after(const zw_event_side *given, double own) {
    double band = fmax(own, given->band);
    if (!given->fired || given->escaped)
        return given->escaped ? fmax(band, 2 * fabs(given->value - given->level)) : band;
    return fmax(JUST_FIRED * band, given->jumped ? 0 : 8 * fabs(given->value - given->level));
}

/* The sides at run->now, with those passed on. */
static zw_status begin_sides(zw_run *run, const double *g, zw_error *err) {
    int nevt = run->k->nevt;
    bool near = false;
    for (int i = 0; i < nevt; i++) {
        const zw_event_side *given = &run->given[i];
        bool known = given->phase != ZW_EVENT_UNKNOWN;
        double band = known ? band_after(given, run->band[i]) : run->band[i];
        if (known && !given->fired && (run->jumps_count || fabs(g[i] - given->value) <= band)) {
            run->watch[i] = *given;
            continue;
        }
        double off = zero_offset(run, i, g[i]);
        run->watch[i] =
            (zw_event_side){.phase = is_near(off, band) ? ZW_EVENT_UNKNOWN : ZW_EVENT_FREE,
                            .side = sign(off),
                            .band = band,
                            .level = zw_num_nearest_zero(run, i, g[i])};
        near |= is_near(off, band);
    }
    if (!near)
        return ZW_OK;
    ZW_TRY(zw_num_expand(run, run->now, run->y, run->probe, err));
    ZW_TRY(zw_num_event_directions(run, run->now, run->probe, run->way, err));
    for (int i = 0; i < nevt; i++)
        if (run->watch[i].phase == ZW_EVENT_UNKNOWN)
            near_zero(&run->watch[i], run->way[i] * run->direction);
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------- touches */

/* Function i crosses zero at t: compares its largest value since the last crossing with its band
 * (run->band, at about t) */
static void record_crossing(zw_run *run, int i, double t) {
    if (run->peak[i] >= 0 && run->peak[i] < run->band[i])
        zw_num_warning(run->flow, ZW_WARNING_GRAZE, i, t, run->peak[i]);
    run->peak[i] = 0;
}

/* updates the largest value since the last crossing, if there was one */
static void raise_peak(zw_run *run, int i, double value) {
    if (run->peak[i] >= 0)
        run->peak[i] = fmax(run->peak[i], fabs(value - run->watch[i].level));
}

zw_status zw_num_events_start(zw_run *run, zw_error *err) {
    int nevt = run->k->nevt;
    run->searched = run->now;
    run->event_time = run->direction * (double)INFINITY;
    run->cells.n = 0;
    run->cell = 0;
    run->band_time = NAN;
    run->reported_at = NAN;
    if (nevt == 0)
        return ZW_OK;
    for (int i = 0; i < nevt; i++) {
        run->last_time[i] = NAN;
        run->peak[i] = run->given[i].phase != ZW_EVENT_UNKNOWN && run->given[i].fired ? 0 : -1;
    }
    ZW_TRY(zw_num_cells_create(run, err));
    zw_num_search_forget(run->search);
    ZW_TRY(zw_num_watch(run, run->now, run->y, run->cells.g, err));
    memcpy(run->probe, run->candidate, sizeof(double) * (size_t)run->k->nx);
    zw_num_watch_bands(run, run->now, run->probe, run->cells.g, NULL, run->band);
    ZW_TRY(begin_sides(run, run->cells.g, err));
    for (int i = 0; i < nevt; i++)
        raise_peak(run, i, run->cells.g[i]);
    memcpy(run->watch_before, run->watch, side_bytes(run));
    return ZW_OK;
}

/* Would function i fire if it crossed zero from this side? */
static bool fires_from(const zw_run *run, int i, int side) {
    int wanted = run->k->event_direction[i];
    return side != 0 && (wanted == 0 || wanted == -side * run->direction);
}

/* Does a function with this side fire at this value? */
static bool is_firing(const zw_run *run, int i, const zw_event_side *s, double value) {
    double g = value - s->level;
    switch (s->phase) {
    case ZW_EVENT_FREE:
        return g * s->side < 0 && fires_from(run, i, s->side);
    case ZW_EVENT_LEAVING:
        return is_acting(run, i) && g * s->side < -s->band && fires_from(run, i, s->side);
    case ZW_EVENT_RESTING:
        return is_acting(run, i) && fabs(g) > s->band && run->k->event_direction[i] != 0 &&
               fires_from(run, i, -sign(g));
    case ZW_EVENT_UNKNOWN:
        break;
    }
    return false;
}

/* The side after a value that did not fire. */
static void follow_side(zw_event_side *s, double value) {
    double g = value - s->level;
    switch (s->phase) {
    case ZW_EVENT_FREE:
        if (g * s->side < 0)
            s->side = -s->side;
        return;
    case ZW_EVENT_LEAVING:
    case ZW_EVENT_RESTING:
        if (fabs(g) <= s->band)
            return;
        s->phase = ZW_EVENT_FREE;
        s->side = sign(g);
        return;
    case ZW_EVENT_UNKNOWN:
        return;
    }
}

/* Half a period beyond its level, a function gets the next level. */
static bool shift_level(zw_event_side *s, double value, double period) {
    double g = (value - s->level) * s->side;
    if (!(period > 0) || s->phase != ZW_EVENT_FREE || !(g > period / 2))
        return false;
    s->level = period * (round(s->level / period) + s->side);
    s->side = -s->side;
    return true;
}

/* --------------------------------------------------------------------------------- passing sides
 * on */

zw_status zw_run_armed(zw_run *run, zw_event_side *out, zw_error *err) {
    int nevt = run->k->nevt;
    if (nevt == 0)
        return ZW_OK;
    if (run->fresh) { /* nothing has been searched since the start */
        memcpy(out, run->given, side_bytes(run));
        return ZW_OK;
    }
    ZW_TRY(zw_num_watch_state(run, run->t, run->x, run->z, run->present, err));
    if (run->now != run->before)
        ZW_TRY(zw_num_bands_at(run, run->t, err));
    ZW_TRY(zw_num_watch_state(run, run->t, run->x, run->z, run->present, err));
    int cells = 0; /* number of cells that end before the present time */
    while (cells < run->cells.n && (run->t - run->cells.t[cells + 1]) * run->direction >= 0)
        cells++;
    double cell = run->cells.n > 0 ? run->cells.t[cells] : run->t;
    for (int i = 0; i < nevt; i++) {
        zw_event_side s = run->watch_before[i];
        for (int j = 1; j <= cells; j++) {
            double g = run->cells.g[j * nevt + i];
            do
                follow_side(&s, g);
            while (shift_level(&s, g, run->period[i]));
        }
        if (run->cells.n > 0 && (run->last_time[i] - cell) * run->direction > 0)
            s = (zw_event_side){.phase = ZW_EVENT_FREE,
                                .side = run->last_side[i],
                                .band = s.band,
                                .level = run->last_level[i]};
        s.value = run->present[i];
        s.fired = run->reported_at == run->t && run->reported[i];
        s.band = fmax(s.phase == ZW_EVENT_FREE ? 0 : s.band, run->band[i]);
        s.escaped = s.fired && run->escaped[i];
        s.jumped = s.fired && run->jumped[i];
        out[i] = s;
    }
    return ZW_OK;
}

/* jumps by the method (of velocities, at the end of its steps) are no fault of the function */
static bool is_doubtful(const zw_run *run, int i) {
    return run->jumped[i] && !(has_jumps(run) && run->event_time == run->now);
}

void zw_num_events_report(zw_run *run) {
    int nevt = run->k->nevt;
    memcpy(run->pending, run->fired, sizeof(int) * (size_t)nevt);
    memcpy(run->reported, run->fired, sizeof(int) * (size_t)nevt);
    run->reported_at = run->event_time;
    for (int i = 0; i < nevt; i++)
        if (run->fired[i]) {
            run->last_time[i] = run->event_time;
            run->last_side[i] = run->watch[i].side;
            run->last_level[i] = run->watch[i].level;
            if (is_doubtful(run, i))
                zw_num_warning(run->flow, ZW_WARNING_JUMP, i, run->event_time, NAN);
        }
}

void zw_run_event_periods(zw_run *run, const double *period) {
    for (int i = 0; i < run->k->nevt; i++)
        run->period[i] = period ? fabs(period[i]) : 0;
}

/* ----------------------------------------------------------------------------------- one
 * instant */

/* Is the event at zero, about to act, and not reported yet? */
static bool can_be_claimed(const zw_run *run, int i) {
    const zw_event_side *s = &run->here[i];
    return is_decisive(run, i) && !s->fired && s->phase == ZW_EVENT_FREE &&
           is_near(s->value - s->level, s->band) && fires_from(run, i, s->side);
}

zw_status zw_run_claim(zw_run *run, int *event, int *n, zw_error *err) {
    int nevt = run->k->nevt;
    *n = 0;
    if (nevt == 0 || run->fresh)
        return ZW_OK;
    ZW_TRY(zw_run_armed(run, run->here, err));
    bool near = false;
    for (int i = 0; i < nevt; i++)
        near |= can_be_claimed(run, i);
    if (!near)
        return ZW_OK;
    ZW_TRY(zw_num_event_directions(run, run->t, run->x, run->way, err));
    if (run->reported_at != run->t)
        memset(run->reported, 0, sizeof(int) * (size_t)nevt);
    run->reported_at = run->t;
    for (int i = 0; i < nevt; i++) {
        if (!can_be_claimed(run, i) || run->way[i] * run->direction * run->here[i].side >= 0)
            continue;
        run->reported[i] = 1;
        run->jumped[i] = run->escaped[i] = 0;
        event[(*n)++] = i;
    }
    return ZW_OK;
}

zw_status zw_run_moment(zw_run *run, double *length, zw_error *err) {
    int nevt = run->k->nevt;
    *length = 0;
    if (nevt == 0 || run->fresh || run->reported_at != run->t)
        return ZW_OK;
    ZW_TRY(zw_num_bands_at(run, run->t, err));
    double back = run->t - EVENT_BACK * (run->now - run->before);
    if ((back - run->before) * run->direction <= 0)
        return ZW_OK;
    ZW_TRY(zw_num_watch_dense(run, back, run->one, err));
    ZW_TRY(zw_num_watch_dense(run, run->t, run->close, err));
    for (int i = 0; i < nevt; i++) {
        double change = fabs(run->close[i] - run->one[i]);
        if (run->reported[i] && !run->jumped[i] && change > run->band[i])
            *length = fmax(*length, run->band[i] / change * fabs(run->t - back));
    }
    return ZW_OK;
}

void zw_run_arm(zw_run *run, const zw_event_side *side, bool jumps_count) {
    if (run->k->nevt > 0)
        memcpy(run->given, side, side_bytes(run));
    run->jumps_count = jumps_count;
}

zw_status zw_run_event_ways(zw_run *run, int *way, zw_error *err) {
    int nevt = run->k->nevt;
    if (nevt == 0)
        return ZW_OK;
    bool in_step = !run->fresh && run->now != run->before;
    ZW_TRY(zw_num_event_directions(run, run->t, run->x, way, err));
    memcpy(run->one, run->present, sizeof(double) * (size_t)nevt);
    zw_num_watch_bands(run, run->t, run->x, run->one, NULL, run->ahead_band);
    if (in_step)
        ZW_TRY(zw_num_bands_at(run, run->t, err));
    for (int i = 0; i < nevt; i++) {
        double band = run->ahead_band[i];
        if (run->fresh && run->given[i].phase != ZW_EVENT_UNKNOWN)
            band = fmax(fmax(band, run->given[i].band), band_after(&run->given[i], band));
        if (in_step)
            band = fmax(band, run->band[i]);
        if (!is_near(zero_offset(run, i, run->one[i]), band))
            way[i] = ZW_WAY_NONE;
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------- firing */

/* Function i has been close to zero since the start, and in cell j it is beyond its band on the
 * wrong side: finds the zero by which it got there, or where it left the band if it never was on
 * the right side. */
static zw_status find_escape(zw_run *run, int i, int j, zw_num_bracket *s, zw_num_zero *kind,
                             zw_error *err) {
    int nevt = run->k->nevt, from = j - 1;
    const double *t = run->cells.t, *g = run->cells.g;
    const zw_event_side *w = &run->watch[i];
    int side = sign(g[j * nevt + i] - w->level);
    while (from > 0 && (g[from * nevt + i] - w->level) * side >= 0)
        from--;
    *kind = ZW_NUM_CROSSING;
    if ((g[from * nevt + i] - w->level) * side < 0) {
        *s = (zw_num_bracket){t[from], g[from * nevt + i], t[from + 1], g[(from + 1) * nevt + i]};
        return zw_num_zero_find(run, i, s, w->level, run->band[i], kind, err);
    }
    *s = (zw_num_bracket){t[j - 1], g[(j - 1) * nevt + i], t[j], g[j * nevt + i]};
    run->escaped[i] = 1;
    return zw_num_zero_find(run, i, s, w->level + side * w->band, run->band[i], kind, err);
}

/* The zeros in cell j of the functions that fire there, and the first of them; -1: only poles. */
static zw_status find_zeros(zw_run *run, int j, int *first, zw_error *err) {
    int nevt = run->k->nevt;
    const double *t = run->cells.t, *g = run->cells.g;
    *first = -1;
    for (int i = 0; i < nevt; i++) {
        if (!run->fired[i])
            continue;
        zw_num_bracket s = {t[j - 1], g[(j - 1) * nevt + i], t[j], g[j * nevt + i]};
        zw_num_zero kind = ZW_NUM_CROSSING;
        run->escaped[i] = 0;
        if (run->watch[i].phase == ZW_EVENT_FREE)
            ZW_TRY(zw_num_zero_find(run, i, &s, run->watch[i].level, run->band[i], &kind, err));
        else
            ZW_TRY(find_escape(run, i, j, &s, &kind, err));
        run->zero[i] = (s.b - run->searched) * run->direction > 0 ? s.b : run->searched;
        run->jumped[i] = kind == ZW_NUM_JUMP;
        if (kind == ZW_NUM_POLE) {
            run->fired[i] = 0;
            run->watch[i].side = -run->watch[i].side;
        } else if (*first < 0 || (run->zero[i] - run->zero[*first]) * run->direction < 0) {
            *first = i;
        }
    }
    return ZW_OK;
}

/* The events at event_time: the first one, those whose zero cannot be distinguished from its, and,
 * if it acts, all others that act, are within their bands and move in their directions. */
static zw_status gather_events(zw_run *run, int first, zw_error *err) {
    int nevt = run->k->nevt;
    double t = run->event_time;
    double together = 16 * DBL_EPSILON * fmax(fabs(t), fabs(run->now - run->before));
    bool others = false;
    for (int i = 0; i < nevt; i++) {
        if (run->fired[i] && fabs(run->zero[i] - run->zero[first]) > together)
            run->fired[i] = 0; /* later: found again when this one has been reported */
        others |= !run->fired[i] && is_decisive(run, i);
    }
    if (!is_acting(run, first) || !others)
        return ZW_OK;
    ZW_TRY(zw_num_watch(run, t, run->event_state, run->one, err));
    bool close = false;
    for (int i = 0; i < nevt; i++)
        close |= !run->fired[i] && is_decisive(run, i) &&
                 is_near(zero_offset(run, i, run->one[i]), run->band[i]);
    if (!close)
        return ZW_OK;
    memcpy(run->probe, run->candidate, sizeof(double) * (size_t)run->k->nx);
    memcpy(run->close, run->one, sizeof(double) * (size_t)nevt);
    ZW_TRY(zw_num_event_directions(run, t, run->probe, run->way, err));
    for (int i = 0; i < nevt; i++) {
        const zw_event_side *s = &run->watch[i];
        if (run->fired[i] || !is_decisive(run, i) ||
            !is_near(run->close[i] - s->level, run->band[i]) || s->phase != ZW_EVENT_FREE ||
            !fires_from(run, i, s->side))
            continue;
        run->fired[i] = run->way[i] * run->direction * s->side < 0;
        run->jumped[i] = run->escaped[i] = 0;
    }
    return ZW_OK;
}

/* the earliest event in cell j among the functions that fire there; *found is false for poles */
static zw_status find_earliest(zw_run *run, int j, bool *found, zw_error *err) {
    int first;
    ZW_TRY(zw_num_bands_at(run, run->cells.t[j], err));
    ZW_TRY(find_zeros(run, j, &first, err));
    *found = first >= 0;
    if (!*found)
        return ZW_OK;
    double t = run->zero[first];
    if (!run->method->land || t == run->before)
        ZW_TRY(run->method->dense(run, t, run->event_state, err));
    else if (run->jumped[first] || run->escaped[first])
        ZW_TRY(run->method->land(run, t, run->event_state, err));
    else
        ZW_TRY(zw_num_zero_land(run, first, run->watch[first].level,
                                run->cells.t[j] - run->cells.t[j - 1], &t, err));
    run->event_time = t;
    ZW_TRY(zw_num_bands_at(run, t, err));
    ZW_TRY(gather_events(run, first, err));
    for (int i = 0; i < run->k->nevt; i++) {
        if (!run->fired[i])
            continue;
        zw_event_side *s = &run->watch[i];
        if (s->phase == ZW_EVENT_FREE && !run->jumped[i])
            record_crossing(run, i, t);
        s->side = s->phase == ZW_EVENT_FREE ? -s->side
                                            : sign(run->cells.g[j * run->k->nevt + i] - s->level);
        s->phase = ZW_EVENT_FREE;
    }
    run->searched = t;
    return ZW_OK;
}

/* Function i rests at zero, and within a step it is beyond its band at t. Is it still at zero for
 * the projected state? Then the constraints keep it there, and its value was an error of the dense
 * output. */
static bool is_held(zw_run *run, int i, double t) {
    zw_error ignored = {0};
    zw_fault fault = run->flow->fault;
    const zw_event_side *s = &run->watch[i];
    bool held =
        zw_num_has_constraints(run->k) && zw_num_watch_dense(run, t, run->one, &ignored) >= 0 &&
        zw_num_project(run->flow, t, run->candidate, NULL, &ignored) >= 0 &&
        (run->k->evt_state_only || zw_num_accel(run->flow, t, run->candidate, run->flow->qdot,
                                                run->flow->z, &ignored) >= 0) &&
        zw_num_watch_state(run, t, run->candidate, run->flow->z, run->one, &ignored) >= 0 &&
        fabs(run->one[i] - s->level) <= JUST_FIRED * s->band;
    run->flow->fault = fault;
    return held;
}

static bool is_held_off(zw_run *run, int i, double t, double g) {
    const zw_event_side *s = &run->watch[i];
    return s->phase == ZW_EVENT_RESTING && fabs(g - s->level) > s->band && is_held(run, i, t);
}

/* Functions that fire with these values */
static bool which_fire(zw_run *run, double t, const double *g) {
    bool any = false;
    for (int i = 0; i < run->k->nevt; i++) {
        run->fired[i] = is_firing(run, i, &run->watch[i], g[i]) && !is_held_off(run, i, t, g[i]);
        any |= run->fired[i];
    }
    return any;
}

/* Updates the functions that did not fire; *again: one has another level now, at which it may
 * fire. */
static zw_status follow_all(zw_run *run, double t, const double *g, bool *again, zw_error *err) {
    *again = false;
    for (int i = 0; i < run->k->nevt; i++) {
        zw_event_side *s = &run->watch[i];
        if (s->phase == ZW_EVENT_FREE && (g[i] - s->level) * s->side < 0) {
            ZW_TRY(zw_num_bands_at(run, t, err));
            record_crossing(run, i, t);
        }
        if (is_held_off(run, i, t, g[i]))
            continue;
        raise_peak(run, i, g[i]);
        follow_side(s, g[i]);
        *again |= shift_level(s, g[i], run->period[i]);
    }
    return ZW_OK;
}

/* Functions that change their sign in the jump at the end of the step fire there, after it. */
static zw_status search_jump(zw_run *run, zw_error *err) {
    int nevt = run->k->nevt;
    ZW_TRY(zw_num_watch(run, run->now, run->y, run->after, err));
    bool any = which_fire(run, run->now, run->after);
    for (int i = 0; i < nevt; i++) {
        run->jumped[i] = run->fired[i];
        run->escaped[i] = 0;
        if (!run->fired[i])
            continue;
        run->watch[i].phase = ZW_EVENT_FREE;
        run->watch[i].side = sign(run->after[i] - run->watch[i].level);
    }
    bool again;
    ZW_TRY(follow_all(run, run->now, run->after, &again, err));
    if (!any)
        return ZW_OK;
    run->event_time = run->now;
    memcpy(run->event_state, run->y, sizeof(double) * (size_t)run->ny);
    return ZW_OK;
}

zw_status zw_num_events_search(zw_run *run, zw_error *err) {
    int nevt = run->k->nevt;
    run->event_time = run->direction * (double)INFINITY;
    if (nevt == 0 || (run->cell == 0 && run->searched == run->now))
        return ZW_OK;
    if (run->cell == 0) { /* a step that has not been searched */
        memcpy(run->watch_before, run->watch, side_bytes(run));
        run->band_time = NAN;
        ZW_TRY(zw_num_cells_find(run, run->searched, run->now, err));
        run->cell = 1;
    }
    while (run->cell <= run->cells.n) {
        const double *g = run->cells.g + run->cell * nevt;
        bool found = false;
        if (which_fire(run, run->cells.t[run->cell], g))
            ZW_TRY(find_earliest(run, run->cell, &found, err));
        if (found)
            return ZW_OK;
        bool again;
        ZW_TRY(follow_all(run, run->cells.t[run->cell], g, &again, err));
        run->cell += !again;
    }
    run->cell = 0;
    run->searched = run->now;
    return has_jumps(run) ? search_jump(run, err) : ZW_OK;
}
