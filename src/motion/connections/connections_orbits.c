/* SPDX-License-Identifier: MIT */
/* Connections that shooting does not find, such as large loops near which motions leave: at a
 * homoclinic orbit a family of periodic orbits ends, with periods that grow without bound. The
 * families are those of a diagram over the range, born at Hopf points or reached by motions, and
 * those that motions from the saddle lead to. The last orbits of their branches, cut where they are
 * nearest to the saddle, are guesses of the boundary value problem. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "connections.h"
#include "motion/segments/periodic.h"

enum { VALUES = 3, SAMPLES = 4, STARTS = 12, BRANCHES = 6, POINTS = 300 };

/* Relative to the sizes of the state: distance from the saddle at which motions start. */
#define START_DISTANCE 1e-3
/* Relative to the range: two connections that are one, and the largest error of a value (as for
 * connections that are found by shooting). */
#define SAME_CONNECTION 1e-7
#define SOLUTION_NEAR 1e-4

/* ------------------------------------------------------------------------------- from one orbit */

typedef struct source {
    const zw_orbits *o;
    int number;
    double *shift; /* nx: whole turns to the image of the saddle */
} source;

static void state_at(void *user, double tau, double *x) {
    const source *s = user;
    zw_orbits_state(s->o, s->number, tau, x);
    for (int i = 0; i < s->o->nx; i++)
        x[i] += s->shift[i];
}

bool zw_connections_orbit_turn(const zw_orbits *o, int number, double *work, double *turn) {
    bool any = false;
    zw_orbits_state(o, number, 0, work);
    zw_orbits_state(o, number, 1, turn);
    for (int i = 0; i < o->nx; i++) {
        turn[i] = zw_orbits_whole(o, i, turn[i] - work[i]);
        any |= turn[i] != 0;
    }
    return any;
}

/* finds the image of the saddle to which the orbit comes nearest */
static void find_shift(const source *s, const double *saddle, double *x) {
    const zw_orbit_motion *m = &s->o->motion[s->number];
    double best = INFINITY;
    for (int k = 0; k < SAMPLES * m->intervals; k++) {
        int j = k / SAMPLES, nx = s->o->nx;
        double tau = m->mesh[j] + (m->mesh[j + 1] - m->mesh[j]) * (k % SAMPLES) / SAMPLES, away = 0;
        zw_orbits_state(s->o, s->number, tau, x);
        for (int i = 0; i < nx; i++) {
            double off = s->o->essential[i] ? zw_orbits_reduce_turns(s->o, i, x[i] - saddle[i]) : 0;
            away = hypot(away, off / s->o->scale[i]);
        }
        for (int i = 0; i < nx && away < best; i++)
            s->shift[i] = -zw_orbits_whole(s->o, i, x[i] - saddle[i]);
        best = fmin(best, away);
    }
}

zw_status zw_connections_solve_from(zw_connection *c, const zw_orbits *o, int number,
                                    double value[2], zw_connection_info *info, zw_error *err) {
    const zw_orbit_motion *m = &o->motion[number];
    zw_allocator alloc = zw_context_allocator(o->sys->ctx);
    size_t n = 2 * (size_t)o->nx + 1;
    double *work = zw_allocate(&alloc, sizeof(double) * n);
    if (!work)
        return zw_out_of_memory(err, NULL);
    memset(work, 0, sizeof(double) * n);
    source s = {.o = o, .number = number, .shift = work};
    zw_connection_orbit orbit = {
        .period = m->period, .n = m->intervals, .tau = m->mesh, .at = state_at, .user = &s};
    find_shift(&s, zw_connection_saddle(c, 0).x, work + o->nx);
    zw_status status = zw_connection_solve_orbit(c, value, &orbit, info, err);
    zw_release(&alloc, work, sizeof(double) * n);
    return status;
}

zw_status zw_connections_solve_orbit(zw_connections *s, int number, double value[2],
                                     zw_connection_info *info, zw_error *err) {
    const zw_orbits *o = s->diagram->orbits;
    bool there;
    value[0] = o->motion[number].value;
    ZW_TRY(zw_connections_walk(s, s->c, value[0], &there, err));
    if (!there)
        return zw_fail(err, ZW_E_NUMERIC, "the equilibrium could not be followed to this value");
    return zw_connections_solve_from(s->c, o, number, value, info, err);
}

/* --------------------------------------------------------------------------------------- search */

static bool is_known(const zw_connections *s, double value) {
    for (int i = 0; i < s->nfound; i++)
        if (fabs(s->found[i].value - value) <
            SAME_CONNECTION * fabs(s->over[0].to - s->over[0].from))
            return true;
    return false;
}

static bool turns_alike(const zw_connections *s, int number, double *work) {
    zw_connections_orbit_turn(s->diagram->orbits, number, work, work + s->nx);
    for (int i = 0; i < s->nx; i++)
        if (fabs(work[s->nx + i] - s->turn[i]) > 1)
            return false;
    return true;
}

static zw_status try_orbit(zw_connections *s, int number, double *work, zw_error *err) {
    const zw_orbit_motion *m = &s->diagram->orbits->motion[number];
    double value[2] = {m->value, s->begin[1]}, range = fabs(s->over[0].to - s->over[0].from),
           low = fmin(s->over[0].from, s->over[0].to);
    zw_connection_found f = {.orbit = number,
                             .orbit_value = m->value,
                             .orbit_period = m->period,
                             .bisected = {NAN, NAN},
                             .nearest = {NAN, NAN},
                             .solved = true};
    zw_error trouble = {0};
    if (!turns_alike(s, number, work))
        return ZW_OK;
    zw_status status = zw_connections_solve_orbit(s, number, value, &f.info, &trouble);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    f.uncertain = status >= 0 ? zw_connections_error(value[0], &f.info) : (double)INFINITY;
    f.value = value[0];
    if (!(f.uncertain <= SOLUTION_NEAR * range) || f.value < low || f.value > low + range ||
        is_known(s, f.value))
        return ZW_OK;
    f.way = zw_connection_way(s->c);
    f.launch = zw_connection_side(s->c);
    if (s->options.side && f.launch != s->options.side)
        return ZW_OK;
    return zw_connections_add(s, &f, err);
}

/* finds orbits to which motions from the saddle lead */
static zw_status follow_from_saddle(zw_connections *s, double *x, zw_error *err) {
    for (int k = 0; k < 2 * VALUES && !s->stopped; k++) {
        int i = (s->options.points - 1) * (k / 2) / (VALUES - 1), side = k % 2 ? -1 : 1;
        bool there = s->has_saddle[i] && (!s->options.side || s->options.side == side);
        if (there)
            ZW_TRY(zw_connections_walk(s, s->c, s->at[i], &there, err));
        if (there && zw_connection_leave(s->c, side, START_DISTANCE, x))
            ZW_TRY(zw_diagram_follow_from(s->diagram, x, s->at[i], err));
        s->stopped |= zw_diagram_stopped(s->diagram);
    }
    return ZW_OK;
}

zw_status zw_connections_from_orbits(zw_connections *s, zw_error *err) {
    zw_diagram_options o = zw_diagram_options_default();
    zw_error trouble = {0};
    double *work = ZW_NEW(&s->arena, double, 2 * s->nx + 1);
    if (!work)
        return zw_out_of_memory(err, NULL);
    o.over = s->options.over;
    o.motion = &s->motion;
    o.starts = STARTS;
    o.orbits = BRANCHES;
    o.points_max = POINTS;
    o.stop = s->options.stop;
    o.stop_user = s->options.stop_user;
    if (s->has_other)
        return ZW_OK;
    zw_status status = zw_diagram_create(&s->diagram, s->sys, &o, &trouble);
    if (status == ZW_E_MEMORY)
        return zw_out_of_memory(err, NULL);
    if (status < 0 || !s->diagram->orbits)
        return ZW_OK;
    ZW_TRY(follow_from_saddle(s, work, err));
    const zw_orbits *all = s->diagram->orbits;
    for (int k = 0; k < all->nbranch && !s->stopped; k++)
        for (int side = 0; side < 2 && all->branch[k].n > 0; side++)
            ZW_TRY(try_orbit(
                s, side ? all->branch[k].first + all->branch[k].n - 1 : all->branch[k].first, work,
                err));
    return ZW_OK;
}
