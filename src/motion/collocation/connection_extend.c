/* SPDX-License-Identifier: MIT */
/* Continues a connecting orbit between places far from its ends to places near them, along the
 * linearised motions there,
 *
 *     dx(-t) = exp(-B_u t) dx(0),   dx(T + t) = exp(B_s t) dx(T),   B_u = P_u B, B_s = (1 - P_u) B,
 *
 * with dx the distance from the equilibrium and B the matrix of its linearised equations. The
 * result is a guess of the boundary value problem; Newton's method decides whether there is an
 * orbit so near the ends. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "connection.h"

enum { STEPS_MOST = 20000, TAIL_LEAST = 4, TAIL_MOST = 150 };
/* Over the largest eigenvalue of the space: step of fourth order, whose error is 1e-5/120
 * per step. */
#define LINEAR_STEP 0.1

/* out = P B dx, P onto the unstable space or the rest; B dx lies in the space of dx, up to
 * round-off */
static void project_direction(const zw_connection *c, int end, const double *dx, double *out) {
    const zw_connection_end *e = &c->end[end];
    for (int i = 0; i < c->nx; i++) {
        out[i] = 0;
        for (int k = 0; k < c->nx; k++)
            out[i] += (end == 0 ? e->grows[i * c->nx + k]
                                : e->all[i * c->nx + k] - e->grows[i * c->nx + k]) *
                      dx[k];
    }
}

static void evaluate_rate(const zw_connection *c, int end, const double *dx, double *work,
                          double *out) {
    const zw_connection_end *e = &c->end[end];
    for (int i = 0; i < c->nx; i++) {
        work[i] = 0;
        for (int k = 0; k < c->nx; k++)
            work[i] += e->rate[i * c->nx + k] * dx[k];
    }
    project_direction(c, end, work, out);
}

/* one step of the Runge-Kutta method of fourth order */
static void step_rk4(const zw_connection *c, int end, double h, double *dx, double *work) {
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    int nx = c->nx;
    double *k = work + nx, *here = k + nx, *sum = here + nx;
    memcpy(sum, dx, sizeof(double) * (size_t)nx);
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < nx; i++)
            here[i] = dx[i] + (s ? at[s] * h * k[i] : 0);
        evaluate_rate(c, end, here, work, k);
        for (int i = 0; i < nx; i++)
            sum[i] += weight[s] * h * k[i];
    }
    project_direction(c, end, sum, dx);
}

static double fastest_rate(const zw_connection_end *e, int end) {
    double most = 0;
    for (int i = 0; i < e->n; i++)
        if ((e->re[i] > 0) == (end == 0))
            most = fmax(most, hypot(e->re[i], e->im[i]));
    return most;
}

/* dx at time t, in steps that are short enough */
static void advance_direction(const zw_connection *c, int end, double t, double *dx, double *work) {
    int steps = 1 + (int)(fabs(t) * fastest_rate(&c->end[end], end) / LINEAR_STEP);
    for (int i = 0; i < steps; i++)
        step_rk4(c, end, t / steps, dx, work);
}

/* the time that the linearised motion takes from dx to a distance d; overwrites dx. 0: it never
 * gets there */
static double time_to(const zw_connection *c, int end, double d, double *dx, double *work) {
    double h = LINEAR_STEP / fastest_rate(&c->end[end], end), *x = work + 4 * (size_t)c->nx;
    for (int steps = 1; steps < STEPS_MOST; steps++) {
        step_rk4(c, end, end == 0 ? -h : h, dx, work);
        for (int i = 0; i < c->nx; i++)
            x[i] = c->end[end].motion.x[i] + dx[i];
        if (zw_connection_distance(c, c->size, x, c->end[end].motion.x) <= d)
            return steps * h;
    }
    return 0;
}

static int intervals_of(const zw_connection *c, int end, double time) {
    double n = ceil(time * fastest_rate(&c->end[end], end));
    return n < TAIL_LEAST ? TAIL_LEAST : n > TAIL_MOST ? TAIL_MOST : (int)n;
}

/* u = x_end + dx, with ignorable entries of the joint; on the constraints */
static zw_status place_state(zw_connection *c, int end, const double *joint, const double *dx,
                             double *u, zw_error *err) {
    for (int i = 0; i < c->nx; i++)
        u[i] = c->essential[i] ? c->end[end].motion.x[i] + dx[i] : joint[i];
    return c->has_manifold ? zw_flow_project(c->flow, 0, u, NULL, err) : ZW_OK;
}

/* Sets intervals `first` to first + n of c->x, of equal length, to a tail of this time, towards the
 * end. T: of the whole orbit. work: 8 nx */
static zw_status fill_tail(zw_connection *c, int end, const double *joint, int first, int n,
                           double time, double T, double *work, zw_error *err) {
    size_t nx = (size_t)c->nx;
    double *dx = work + 5 * nx, *at = dx + nx, *u = at + nx, h = time / n;
    for (int i = 0; i < c->nx; i++)
        u[i] = c->essential[i] ? joint[i] - c->end[end].motion.x[i] : 0;
    project_direction(c, end, u, dx);
    for (int k = 0; k < n; k++) { /* dx at the node next to the joint */
        int j = end == 0 ? first + n - 1 - k : first + k;
        if (end == 0)
            advance_direction(c, end, -h, dx, work);
        double *node = (double *)zw_connection_node(c, c->x, j);
        ZW_TRY(place_state(c, end, joint, dx, node, err));
        for (int i = 0; i < c->m; i++) {
            memcpy(at, dx, sizeof(double) * nx);
            advance_direction(c, end, c->rule.c[i] * h, at, work);
            ZW_TRY(place_state(c, end, joint, at, u, err));
            double *slope = (double *)zw_connection_slope(c, c->x, j, i);
            ZW_TRY(zw_flow_rates(c->flow, 0, u, slope, NULL, err));
            for (size_t r = 0; r < nx; r++)
                slope[r] *= T;
        }
        if (end == 1)
            advance_direction(c, end, h, dx, work);
    }
    double *far = (double *)zw_connection_node(c, c->x, end == 0 ? first : first + n);
    return end == 1 ? place_state(c, end, joint, dx, far, err) : ZW_OK;
}

zw_status zw_connection_extend(zw_connection *c, zw_error *err) {
    size_t nx = (size_t)c->nx;
    int stride = c->nx * (c->m + 1), N = c->N, n[2] = {0, 0};
    double T = zw_connection_time(c, c->x), a = zw_connection_value(c, c->x),
           d = c->options.distance, time[2] = {0, 0};
    zw_arena work;
    zw_arena_init(&work, &c->arena.alloc);
    double *mesh = ZW_NEW(&work, double, N + 1), *x = ZW_NEW(&work, double, N *stride + c->nx + 1),
           *scratch = ZW_NEW(&work, double, 8 * nx + 1), *joint[2] = {x, x + (size_t)(N * stride)};
    zw_status status = zw_arena_status(&work, err);
    if (status >= 0) {
        memcpy(mesh, c->mesh, sizeof(double) * (size_t)(N + 1));
        memcpy(x, c->x, sizeof(double) * (size_t)(N * stride + c->nx));
    }
    for (int e = 0; e < 2 && status >= 0; e++) {
        double *dx = scratch + 5 * nx, *u = dx + nx;
        for (size_t i = 0; i < nx; i++)
            u[i] = c->essential[i] ? joint[e][i] - c->end[e].motion.x[i] : 0;
        project_direction(c, e, u, dx);
        time[e] = c->far[e] > d ? time_to(c, e, d, dx, scratch) : 0;
        n[e] = time[e] > 0 ? intervals_of(c, e, time[e]) : 0;
    }
    if (status >= 0)
        status = zw_connection_allocate(c, n[0] + N + n[1], err);
    if (status >= 0) {
        double all = time[0] + T + time[1];
        for (int j = 0; j <= c->N; j++) {
            double t = j < n[0]        ? time[0] * j / n[0]
                       : j <= n[0] + N ? time[0] + T * mesh[j - n[0]]
                                       : time[0] + T + time[1] * (j - n[0] - N) / n[1];
            c->mesh[j] = j < c->N ? t / all : 1;
        }
        memcpy(c->x + (size_t)(n[0] * stride), x, sizeof(double) * (size_t)(N * stride + c->nx));
        for (int j = n[0]; j < n[0] + N; j++)
            for (int r = 0; r < c->nx * c->m; r++)
                c->x[(size_t)(j * stride + c->nx + r)] *= all / T;
        c->x[zw_connection_size(c) - 2] = all;
        c->x[zw_connection_size(c) - 1] = a;
        for (int e = 0; e < 2 && status >= 0; e++)
            if (n[e] > 0)
                status =
                    fill_tail(c, e, joint[e], e ? n[0] + N : 0, n[e], time[e], all, scratch, err);
        /* the joints are those of the orbit */
        memcpy(c->x + (size_t)(n[0] * stride), joint[0], sizeof(double) * nx);
        memcpy(c->x + (size_t)((n[0] + N) * stride), joint[1], sizeof(double) * nx);
    }
    zw_arena_clear(&work);
    return status;
}
