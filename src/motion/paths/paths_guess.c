/* SPDX-License-Identifier: MIT */
/* First guesses of paths: the straight line in the coordinates, with random waves,
 *
 *     q = q0 + (q1 - q0) tau + sum a_k sin(k pi tau),    projected onto the constraints, v from q';
 *
 * and motions from the beginning with random velocities and multipliers, which satisfy everything
 * but the conditions at the end. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "motion/floquet/variation.h"
#include "num/linear/dense.h"
#include "paths.h"

enum { WAVES = 3, PARTS = 40 };
#define WAVE_AMPLITUDE 1.0 /* relative to the size of a coordinate: other paths are that far away */
/* Times the momenta: W' mu of random multipliers, which bends a motion within its own length. */
#define MULTIPLIER_SIZE 3.0
/* Relative to the energies: least kinetic energy on a line; where E < V the line is forbidden. */
#define KINETIC_MIN 1e-3

static double random_normal(zw_random *r) {
    double u = 1 - zw_random_unit(r), w = zw_random_unit(r);
    return sqrt(-2 * log(u)) * cos(2 * M_PI * w);
}

/* random numbers over many orders of magnitude */
static double random_wide(zw_random *r) {
    double size = exp(random_normal(r));
    return size * random_normal(r);
}

static double last_value(const zw_paths *s, int i) {
    return s->last.state[i] + s->turn[i];
}

/* q and dq/dtau */
static void straight_line(const zw_paths *s, const double *a, double tau, double *x,
                          double *slope) {
    for (int i = 0; i < s->nq; i++) {
        double step = last_value(s, i) - s->first.state[i];
        x[i] = s->first.state[i] + tau * step;
        slope[i] = step;
        for (int k = 0; a && k < WAVES; k++) {
            x[i] += a[k * s->nq + i] * sin((k + 1) * M_PI * tau);
            slope[i] += a[k * s->nq + i] * (k + 1) * M_PI * cos((k + 1) * M_PI * tau);
        }
    }
}

typedef struct guess {
    zw_paths *s;
    const double *a; /* waves; NULL: none */
    const double *multiplier;
    double time;
} guess;

/* the state at a time from the beginning */
static zw_status state_of(void *user, double t, double *x, zw_error *err) {
    guess *g = user;
    zw_paths *s = g->s;
    double *slope = s->work;
    straight_line(s, g->a, t / g->time, x, slope);
    for (int k = 0; k < s->e->eq.nv; k++) {
        int coord = k < s->nv && !s->e->eq.system_v ? s->sys->velocity[k].coord : -1;
        x[s->nq + k] = coord >= 0 ? slope[coord] / g->time : 0;
        if (k >= s->nv)
            x[s->nq + k] = g->multiplier[k - s->nv];
    }
    return zw_flow_project(s->flow, s->options.start + t, x, NULL, err);
}

/* Sizes of multipliers with which W' mu is MULTIPLIER_SIZE times as large as the momenta of the
 * velocities in x. */
static zw_status multiplier_sizes(zw_paths *s, const double *x, double *size, zw_error *err) {
    ZW_TRY(zw_flow_observables(s->flow, s->options.start, x, s->observed, err));
    const double *p = s->observed + s->nobs, *W = p + s->nv;
    for (int c = 0; c < s->nmu; c++) {
        double row = zw_dense_norm(s->nv, W + (size_t)(c * s->nv));
        size[c] = row > 0 ? MULTIPLIER_SIZE * zw_dense_norm(s->nv, p) / row : 1;
    }
    return ZW_OK;
}

/* The time on a line at the energy of the options: the integral of sqrt(T(dq/dtau)/(E - V)). */
static zw_status time_of_line(zw_paths *s, const double *a, double *out, zw_error *err) {
    double *x = s->work + s->nx, T, V, sum = 0;
    double zero[1] = {0};
    guess g = {s, a, s->nmu ? s->work + 2 * s->nx : zero, 1};
    memset(s->work + 2 * s->nx, 0, sizeof(double) * (size_t)s->nx);
    for (int k = 0; k < PARTS; k++) {
        ZW_TRY(state_of(&g, (k + 0.5) / PARTS, x, err));
        ZW_TRY(zw_paths_energies(s, s->options.start, x, &T, &V, err));
        sum += sqrt(T / fmax(s->options.energy - V,
                             KINETIC_MIN * (fabs(s->options.energy) + fabs(V)))) /
               PARTS;
    }
    *out = sum;
    return sum > 0 && isfinite(sum) ? ZW_OK : ZW_RETRY;
}

/* ------------------------------------------------------------------------------------- a motion */

/* scales velocities to the energy of the options */
static zw_status take_energy(zw_paths *s, double *x, zw_error *err) {
    double T, V;
    ZW_TRY(zw_paths_energies(s, s->options.start, x, &T, &V, err));
    if (!(T > 0) || !(s->options.energy > V))
        return ZW_RETRY;
    for (int k = 0; k < s->nv; k++)
        x[s->nq + k] *= sqrt((s->options.energy - V) / T);
    return zw_flow_project(s->flow, s->options.start, x, NULL, err);
}

/* random velocities and multipliers, except for those that are given */
static zw_status random_start(zw_paths *s, zw_random *random, double time, double *x,
                              zw_error *err) {
    double part = zw_random_unit(random); /* sizes from distance over time to those of the forces */
    memcpy(x, s->first.state, sizeof(double) * (size_t)s->nx);
    for (int i = 0; i < s->nq; i++)
        if (s->first.free[i])
            x[i] += s->scale[i] * random_normal(random);
    for (int k = 0; k < s->nv; k++) {
        int coord = s->e->eq.system_v ? -1 : s->sys->velocity[k].coord;
        double mean = coord >= 0 ? (last_value(s, coord) - s->first.state[coord]) / time : 0,
               slow = coord >= 0 ? s->scale[coord] / time : s->scale[s->nq + k];
        x[s->nq + k] = mean + slow * pow(s->scale[s->nq + k] / slow, part) * random_wide(random);
    }
    ZW_TRY(zw_flow_project(s->flow, s->options.start, x, NULL, err));
    if (s->nmu) {
        double *size = s->work;
        ZW_TRY(multiplier_sizes(s, x, size, err));
        for (int c = 0; c < s->nmu; c++)
            x[s->nq + s->nv + c] = size[c] * random_wide(random);
    }
    for (int k = 0; k < s->first.ngiven; k++)
        x[s->first.entry[k]] = s->first.value[k];
    ZW_TRY(zw_flow_project(s->flow, s->options.start, x, NULL, err));
    return s->is_free ? take_energy(s, x, err) : ZW_OK;
}

/* integrates the motion from a state, at the nodes and points of the mesh */
static zw_status integrate_guess(zw_paths *s, double time, const double *start, zw_path_motion *m,
                                 zw_error *err) {
    int nx = s->nx, N = zw_colloc_intervals(m->c), stages = s->options.stages;
    const double *mesh = zw_colloc_mesh(m->c);
    zw_gauss rule;
    double *to = m->x, *x = s->work;
    zw_gauss_init(&rule, stages);
    ZW_TRY(zw_run_start(s->run, s->options.start, start, err));
    for (int j = 0; j < N; j++)
        for (int i = -1; i < stages; i++, to += nx) {
            double tau = mesh[j] + (i < 0 ? 0 : rule.c[i] * (mesh[j + 1] - mesh[j])),
                   t = s->options.start + time * tau;
            zw_status status = ZW_EVENT;
            while (tau > 0 && status == ZW_EVENT)
                status = zw_run_advance(s->run, t, NULL, err);
            if (status < 0)
                return status;
            memcpy(i < 0 ? to : x, zw_run_state(s->run), sizeof(double) * (size_t)nx);
            if (i < 0)
                continue;
            ZW_TRY(zw_flow_rates(s->flow, t, x, to, NULL, err));
            for (int r = 0; r < nx; r++)
                to[r] *= time;
        }
    if (s->is_free)
        *to = time;
    return ZW_OK;
}

zw_status zw_paths_guess(zw_paths *s, int k, zw_path_motion *m, bool *moves, zw_error *err) {
    zw_random random = zw_random_stream((uint64_t)s->options.seed, (uint64_t)k);
    zw_arena_mark mark = zw_arena_mark_now(&s->arena);
    double *a = ZW_NEW(&s->arena, double, WAVES * s->nq + 1),
           *start = ZW_NEW(&s->arena, double, s->nx + 1),
           *multiplier = ZW_NEW(&s->arena, double, s->nmu + 1), time = s->options.time;
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    *moves = s->nmu ? k % 4 != 0 : k % 2 == 1;
    for (int i = 0; i < WAVES * s->nq && k > 0; i++)
        a[i] = WAVE_AMPLITUDE * s->scale[i % s->nq] * random_normal(&random) / (1 + i / s->nq);
    zw_status status =
        s->is_free ? time_of_line(s, k > 0 && !*moves ? a : NULL, &time, err) : ZW_OK;
    if (s->is_free && k > 1)
        time *= exp(0.7 * random_normal(&random));
    if (status == ZW_OK && *moves) {
        status = random_start(s, &random, time, start, err);
        if (status >= 0)
            status = integrate_guess(s, time, start, m, err);
    } else if (status == ZW_OK) {
        guess g = {s, k > 0 ? a : NULL, multiplier, time};
        status = state_of(&g, 0.5 * time, start, err);
        if (status >= 0 && k > 0 && s->nmu)
            status = multiplier_sizes(s, start, multiplier, err);
        for (int c = 0; c < s->nmu && k > 0; c++)
            multiplier[c] *= random_normal(&random);
        zw_orbit orbit = {.period = time, .at = state_of, .user = &g};
        if (status >= 0)
            status = zw_colloc_take(m->c, &orbit, m->x, err);
    }
    zw_arena_release(&s->arena, mark);
    m->time = time;
    return status < 0 && status != ZW_E_MEMORY ? ZW_RETRY : status;
}
