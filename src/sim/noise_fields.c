/* SPDX-License-Identifier: MIT */
/* White noise as vector fields: x' = f(x, t) + sum_i g_i(x, t) w_i, where g_i is the difference
 * of the rates with and without noise i at its intensity.
 *
 * Steps of events. Within a cell a parabola replaces the path, without its fluctuations: an event
 * function e that noise drives directly has an error of the order of sigma sqrt(h), sigma^2 = sum_i
 * (grad e . g_i)^2, and first passages are late. So cells are shorter near an event that stops the
 * run or sets what its function depends on: |e| >= NEAR_EVENT sigma sqrt(h), down to
 * 2^-LEVELS_FINER of the step of the noise. The cells belong to the same path, and their number
 * grows with the logarithm of the shortest.
 *
 * Order. Increments alone determine the motion to strong order 1 only if the fields commute,
 *
 *   [g_i, g_j] = Dg_j g_i - Dg_i g_j = 0;
 *
 * otherwise Levy areas matter, which cells do not contain, and the order is 1/2 (P. E. Kloeden, E.
 * Platen: Numerical Solution of Stochastic Differential Equations, 1992, section 10.3). The
 * brackets are computed from exact derivatives at some states along a motion. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "internal.h"
#include "num/flow/flow.h"

/* see above; states at which fields are compared */
enum { LEVELS_FINER = 16, NEAR_EVENT = 4, STATES = 8 };
/* Difference of fields or of the terms of a bracket that is 0: they are solved for
 * accelerations. */
#define FIELD_ROUNDOFF ZW_ROUNDOFF_SOLVED

static zw_flow *flow_of(const zw_sim *sim) {
    return zw_run_flow(sim->stage->run);
}

/* the rates at x if noise `signal` has its intensity and the others are 0; -1: all are 0 */
static bool rates(zw_sim *sim, int signal, const double *x, double *rate) {
    zw_error ignored = {0};
    sim->noise_probe = signal >= 0;
    sim->noise_alone = signal;
    zw_status status =
        zw_flow_rates(flow_of(sim), zw_run_time(sim->stage->run), x, rate, NULL, &ignored);
    sim->noise_probe = NAN;
    return status >= 0;
}

/* the same for their derivative in x */
static bool slopes(zw_sim *sim, int signal, const double *x, double *J) {
    zw_error ignored = {0};
    sim->noise_probe = signal >= 0;
    sim->noise_alone = signal;
    zw_status status =
        zw_flow_jacobian(flow_of(sim), zw_run_time(sim->stage->run), x, J, NULL, &ignored);
    sim->noise_probe = NAN;
    return status >= 0;
}

/* ------------------------------------------------------------------------------------- events */

static bool is_driven(const zw_system *s, zw_expr rate) {
    for (int i = 0; i < s->nsignal; i++)
        if (s->signal[i].noise && zw_depends(s->ctx, rate, s->signal[i].sym))
            return true;
    return false;
}

/* Does the event move the state away? If not (a relay), noise makes infinitely many events of
 * one. */
static bool is_passage(const zw_system *s, const zw_event *e) {
    for (int i = 0; i < e->naction; i++)
        if (e->action[i].kind == ZW_ACTION_SET && zw_depends(s->ctx, e->value, e->action[i].what))
            return true;
    return e->stop;
}

/* ... and may noise drive its function directly? */
static bool is_near(const zw_system *s, const zw_event *e) {
    if (e->period || !is_passage(s, e))
        return false;
    for (int i = 0; i < s->nv; i++)
        if (zw_depends(s->ctx, e->value, s->velocity[i].sym))
            return true;
    for (int i = 0; i < s->nq; i++)
        if (s->coord[i].state && zw_depends(s->ctx, e->value, s->coord[i].sym) &&
            is_driven(s, s->coord[i].rate))
            return true;
    return false;
}

static bool find_near(zw_sim *sim) {
    zw_sim_stage *stage = sim->stage;
    const zw_system *s = stage->world->sys;
    zw_sim_reach *r = &stage->reach;
    if (r->known)
        return r->event != NULL;
    r->known = true;
    bool any = false;
    for (int i = 0; i < s->nevent && !any; i++)
        any = is_near(s, &s->event[i]);
    if (!any)
        return false;
    int nx = stage->kernel->nx, nevt = stage->kernel->nevt;
    r->event = ZW_NEW(&sim->arena, bool, s->nevent);
    r->x = ZW_NEW(&sim->arena, double, 3 * nx + 3 * nevt);
    if (sim->arena.failed)
        return false;
    for (int i = 0; i < s->nevent; i++)
        r->event[i] = is_near(s, &s->event[i]);
    return true;
}

/* the sum of the squared changes of the event functions by each noise in a cell of this length */
static bool spreads(zw_sim *sim, double h, const double *x, const double *at, double *spread) {
    const zw_sim_stage *stage = sim->stage;
    int nx = stage->kernel->nx, n = stage->world->sys->nevent;
    double *base = stage->reach.x, *moved = base + nx, *value = spread + stage->kernel->nevt;
    zw_error ignored = {0};
    memset(spread, 0, sizeof *spread * (size_t)n);
    if (!rates(sim, -1, x, base))
        return false;
    for (int i = 0; i < stage->world->sys->nsignal; i++) {
        if (!stage->world->sys->signal[i].noise)
            continue;
        if (!rates(sim, i, x, moved))
            return false;
        for (int k = 0; k < nx; k++)
            moved[k] = x[k] + sqrt(h) * (moved[k] - base[k]);
        if (zw_flow_events(flow_of(sim), zw_run_time(stage->run), moved, value, &ignored) < 0)
            return false;
        for (int k = 0; k < n; k++)
            spread[k] += (value[k] - at[k]) * (value[k] - at[k]);
    }
    return true;
}

int zw_sim_noise_level_near(zw_sim *sim) {
    const zw_sim_stage *stage = sim->stage;
    int most = sim->noise_level, least = most - LEVELS_FINER;
    if (!stage || !zw_system_is_random(stage->world->sys) || !find_near(sim))
        return most;
    int nx = stage->kernel->nx, nevt = stage->kernel->nevt;
    double *x = stage->reach.x + 2 * nx, *at = x + nx, *spread = at + nevt;
    double h = ldexp(1, sim->cell_level), reach = ldexp(1, most);
    zw_error ignored = {0};
    memcpy(x, zw_run_state(stage->run), sizeof *x * (size_t)nx);
    if (zw_flow_events(flow_of(sim), zw_run_time(stage->run), x, at, &ignored) < 0 ||
        !spreads(sim, h, x, at, spread))
        return most;
    for (int i = 0; i < stage->world->sys->nevent; i++) {
        double repeat = sim->repeat[i], far = repeat > 0 ? remainder(at[i], repeat) : at[i];
        if (stage->reach.event[i] && spread[i] > 0)
            reach = fmin(reach, h * far * far / (NEAR_EVENT * NEAR_EVENT * spread[i]));
    }
    int level = reach > 0 ? (int)floor(log2(reach)) : least;
    level = level < least ? least : level;
    return level < ZW_BROWNIAN_BOTTOM ? ZW_BROWNIAN_BOTTOM : level;
}

/* ------------------------------------------------------------------------------------- order */

typedef struct fields {
    zw_sim *sim;
    int nx, n;
    int *signal;           /* n: those that are noise */
    double *x, *f, *g;     /* nx, nx, n x nx */
    double *first, *slope; /* n x nx: g where the motion begins; nx x nx of f */
    double *along;         /* n x n x nx: Dg_i g_j */
} fields;

/* g at x; false: not finite there */
static bool evaluate_fields(fields *v) {
    bool there = rates(v->sim, -1, v->x, v->f);
    for (int i = 0; i < v->n && there; i++) {
        double *g = v->g + i * v->nx;
        there = rates(v->sim, v->signal[i], v->x, g);
        for (int k = 0; k < v->nx; k++)
            g[k] -= v->f[k];
    }
    return there;
}

/* Dg_i g_j = D(f + g_i) g_j - Df g_j of all pairs */
static bool differentiate(fields *v, int which, double sign) {
    int nx = v->nx;
    if (!slopes(v->sim, which < 0 ? -1 : v->signal[which], v->x, v->slope))
        return false;
    for (int i = 0; i < v->n; i++)
        for (int j = 0; j < v->n && (which < 0 || which == i); j++)
            for (int k = 0; k < nx; k++)
                for (int l = 0; l < nx; l++)
                    v->along[(i * v->n + j) * nx + k] +=
                        sign * v->slope[k * nx + l] * v->g[j * nx + l];
    return true;
}

/* does a bracket differ from 0 at x? */
static bool is_bracket(fields *v) {
    int n = v->n, nx = v->nx;
    memset(v->along, 0, sizeof *v->along * (size_t)(n * n * nx));
    bool there = differentiate(v, -1, -1);
    for (int i = 0; i < n && there; i++)
        there = differentiate(v, i, 1);
    for (int i = 0; i < n && there; i++)
        for (int j = 0; j < i; j++)
            for (int k = 0; k < nx; k++) {
                double a = v->along[(i * n + j) * nx + k], b = v->along[(j * n + i) * nx + k];
                double size = fabs(a) + fabs(b);
                for (int l = 0; l < nx; l++) /* terms that have cancelled in a and b */
                    size += fabs(v->slope[k * nx + l]) *
                            (fabs(v->g[i * nx + l]) + fabs(v->g[j * nx + l]));
                if (fabs(a - b) > FIELD_ROUNDOFF * size)
                    return true;
            }
    return false;
}

/* one step along the motion, every noise up or down */
static void step(fields *v, double h, unsigned number) {
    zw_error ignored = {0};
    for (int k = 0; k < v->nx; k++) {
        v->x[k] += h * v->f[k];
        for (int i = 0; i < v->n; i++)
            v->x[k] += (number >> i % 8 & 1 ? 1 : -1) * sqrt(h) * v->g[i * v->nx + k];
    }
    zw_flow_project(flow_of(v->sim), zw_run_time(v->sim->stage->run), v->x, NULL, &ignored);
}

/* compares states along a motion from the present state; constant fields need no derivatives */
static zw_status explore(fields *v, bool *commute, zw_error *err) {
    zw_sim *sim = v->sim;
    zw_sim_stage *stage = sim->stage;
    double h = ldexp(1, sim->noise_level);
    bool constant = true;
    memcpy(v->x, zw_run_state(stage->run), sizeof *v->x * (size_t)v->nx);
    for (unsigned pass = 0; pass < 2 && *commute && !(pass && constant); pass++) {
        if (pass) {
            ZW_TRY(zw_kernel_require(stage->kernel, ZW_SET(JAC) | ZW_SET(GRAD), err));
            ZW_TRY(zw_flow_renew(flow_of(sim), err));
            memcpy(v->x, zw_run_state(stage->run), sizeof *v->x * (size_t)v->nx);
        }
        for (unsigned k = 0; k < STATES && evaluate_fields(v) && *commute; k++) {
            if (k == 0)
                memcpy(v->first, v->g, sizeof *v->g * (size_t)(v->n * v->nx));
            for (int i = 0; i < v->n * v->nx; i++)
                constant =
                    constant && fabs(v->g[i] - v->first[i]) <=
                                    FIELD_ROUNDOFF * (fabs(v->first[i]) + fabs(v->f[i % v->nx]));
            *commute = !pass || !is_bracket(v);
            step(v, h, 5 * k + 3);
        }
    }
    return ZW_OK;
}

zw_status zw_sim_noises_commute(zw_sim *sim, bool *commute, zw_error *err) {
    const zw_system *s = sim->stage->world->sys;
    size_t nx = (size_t)sim->stage->kernel->nx, n = 0;
    *commute = true;
    for (int i = 0; i < s->nsignal; i++)
        n += s->signal[i].noise != ZW_NULL;
    if (n < 2)
        return ZW_OK;
    size_t room = sizeof(double) * (2 * nx + (2 + n) * n * nx + nx * nx) + sizeof(int) * n;
    double *memory = zw_allocate(&sim->arena.alloc, room);
    if (!memory)
        return zw_out_of_memory(err, "the simulation");
    fields v = {.sim = sim, .nx = (int)nx, .x = memory, .f = memory + nx, .g = memory + 2 * nx};
    v.first = v.g + n * nx;
    v.along = v.first + n * nx;
    v.slope = v.along + n * n * nx;
    v.signal = (int *)(v.slope + nx * nx);
    for (int i = 0; i < s->nsignal; i++)
        if (s->signal[i].noise)
            v.signal[v.n++] = i;
    zw_status status = explore(&v, commute, err);
    zw_release(&sim->arena.alloc, memory, room);
    return status;
}

void zw_sim_noise_order_warning(zw_warnings *doubts) {
    zw_warning d = zw_warning_of(
        "noise order", NAN,
        "the factors of the noises do not commute: the motion on a path converges with the square "
        "root of the step of the noise only (strong order 1/2)");
    zw_warning_hint(&d, "moments over many paths converge with the step itself; compare with a "
                        "shorter --noise-step");
    zw_warnings_add(doubts, &d);
}
