/* SPDX-License-Identifier: MIT */
/* Events by the clock: at t = phase + k period, k = 0, 1, ... Every tick is computed from its number,
 * so that nothing adds up, and the run is led to exactly that time. */
#include <math.h>

#include "internal.h"

static double tick_time(const zw_sim_clock *c) {
    return c->phase + c->tick * c->period;
}

zw_status zw_sim_clock_set(zw_sim_world *world, double t, bool inclusive, zw_error *err) {
    for (int i = 0; i < world->nclock; i++) {
        zw_sim_clock *c = &world->clock[i];
        ZW_TRY(zw_system_event_clock(world->sys, c->event, world->p, &c->period, &c->phase, err));
        c->tick = fmax(0, floor((t - c->phase) / c->period) - 1); /* not beyond, despite rounding */
        while (inclusive ? tick_time(c) < t : tick_time(c) <= t)
            c->tick++;
    }
    return ZW_OK;
}

double zw_sim_clock_next(const zw_sim_world *world) {
    double next = INFINITY;
    for (int i = 0; i < world->nclock; i++)
        next = fmin(next, tick_time(&world->clock[i]));
    return next;
}

double zw_sim_clock_acts(const zw_sim_world *world) {
    double next = INFINITY;
    for (int i = 0; i < world->nclock; i++)
        if (world->sys->event[world->clock[i].event].naction > 0)
            next = fmin(next, tick_time(&world->clock[i]));
    return next;
}

int zw_sim_clock_due(zw_sim_world *world, double t, int *event) {
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
