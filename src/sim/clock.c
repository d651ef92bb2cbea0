/* SPDX-License-Identifier: MIT */
/* Events by the clock: at t = phase + k period, k = 0, 1, ... Every tick is computed from its
 * number, so that round-off does not accumulate, and the run stops at exactly that time.
 *
 * A tick is rounded to a multiple of eps * max(|t|, |phase|, |end of the run|): a clock whose
 * period is not far above that has no reliable ticks, and one with more ticks than rows fit into
 * memory does not end. Both are rejected. */
#include <float.h>
#include <math.h>
#include <unistd.h>

#include "internal.h"

static double tick_time(const zw_sim_clock *c) {
    return c->phase + c->tick * c->period;
}

/* Largest round-off of a tick relative to the period: the time between two ticks is then exact to
 * six digits. */
#define TICK_ROUNDOFF 1e-6
#define TICKS_MAX 1e9 /* of a run: rows are written one by one, for minutes */
#define GIGA 1e-9     /* bytes to GB */

/* the memory [byte] that the rows of a run may take */
static double memory_of(const zw_sim_variant_state *world) {
    if (world->memory_max > 0)
        return world->memory_max;
    double pages = (double)sysconf(_SC_PHYS_PAGES), size = (double)sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? pages * size / 2 : INFINITY;
}

static zw_status check_clock(const zw_sim_variant_state *world, const zw_sim_clock *c, double t,
                             zw_error *err) {
    const zw_event *e = &world->sys->event[c->event];
    double largest = fmax(fabs(c->phase), fmax(fabs(t), fabs(world->until)));
    double ticks = (world->until - fmax(t, c->phase)) / c->period;
    double row =
        (double)sizeof(double) * (world->sys->nq + world->sys->nv + 2); /* t, which, state */
    if (c->phase > world->until)
        return ZW_OK;
    if (DBL_EPSILON * largest > TICK_ROUNDOFF * c->period) {
        zw_fail_at(err, ZW_E_DOMAIN, e->place,
                   "the event %s comes every %g s, which is lost in the rounding of t = %g s",
                   e->name, c->period, largest);
        zw_error_hint(err, "a longer period, or a time to count from that is nearer to the run");
        return ZW_E_DOMAIN;
    }
    double most = fmin(memory_of(world), TICKS_MAX * row);
    if (ticks * row <= most)
        return ZW_OK;
    zw_fail_at(err, ZW_E_DOMAIN, e->place,
               "the event %s comes every %g s: %.3g rows of it up to t = %g s need %.3g GB, "
               "%.3g GB are allowed",
               e->name, c->period, ticks, world->until, ticks * row * GIGA, most * GIGA);
    zw_error_hint(err, "a longer period, or an earlier end of the run");
    return ZW_E_DOMAIN;
}

zw_status zw_sim_clock_set(zw_sim_variant_state *world, double t, bool inclusive, zw_error *err) {
    for (int i = 0; i < world->nclock; i++) {
        zw_sim_clock *c = &world->clock[i];
        ZW_TRY(zw_system_event_clock(world->sys, c->event, world->p, &c->period, &c->phase, err));
        ZW_TRY(check_clock(world, c, t, err));
        c->tick = fmax(0, floor((t - c->phase) / c->period) - 1); /* not later, despite round-off */
        while (inclusive ? tick_time(c) < t : tick_time(c) <= t)
            c->tick++;
    }
    return ZW_OK;
}

double zw_sim_clock_next(const zw_sim_variant_state *world) {
    double next = INFINITY;
    for (int i = 0; i < world->nclock; i++)
        next = fmin(next, tick_time(&world->clock[i]));
    return next;
}

double zw_sim_clock_acts(const zw_sim_variant_state *world) {
    double next = INFINITY;
    for (int i = 0; i < world->nclock; i++)
        if (world->sys->event[world->clock[i].event].naction > 0)
            next = fmin(next, tick_time(&world->clock[i]));
    return next;
}

int zw_sim_clock_due(zw_sim_variant_state *world, double t, int *event) {
    int n = 0;
    for (int i = 0; i < world->nclock; i++) {
        zw_sim_clock *c = &world->clock[i];
        if (tick_time(c) > t)
            continue;
        event[n++] = c->event;
        c->tick++;
    }
    return n;
}
