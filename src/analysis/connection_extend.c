/* SPDX-License-Identifier: MIT */
/* A connecting orbit between places that are far from its ends, continued to places that are near: along the linear motions there,
 *
 *     dx(-t) = exp(-B_u t) dx(0),        dx(T + t) = exp(B_s t) dx(T),        B_u = P_u B, B_s = (1 - P_u) B,
 *
 * with dx the distance from the steady motion and B the matrix of its linear equations. Of the boundary value problem it is a guess; whether there is an orbit so near
 * the ends, Newton's method decides. */
#include <math.h>
#include <string.h>

#include "connection.h"

enum { PARTS = 3, STEPS_MOST = 20000 };
#define STEP 0.1 /* over the largest eigenvalue of the space */

/* out = P B dx, P onto what grows or onto the rest; B dx lies in the space of dx, but for rounding */
static void project(const zw_connection *c, int end, const double *dx, double *out) {
    const zw_connection_end *e = &c->end[end];
    for (int i = 0; i < c->nx; i++) {
        out[i] = 0;
        for (int k = 0; k < c->nx; k++)
            out[i] += (end == 0 ? e->grows[i * c->nx + k]
                                : e->all[i * c->nx + k] - e->grows[i * c->nx + k]) *
                      dx[k];
    }
}

static void rate(const zw_connection *c, int end, const double *dx, double *room, double *out) {
    const zw_connection_end *e = &c->end[end];
    for (int i = 0; i < c->nx; i++) {
        room[i] = 0;
        for (int k = 0; k < c->nx; k++)
            room[i] += e->rate[i * c->nx + k] * dx[k];
    }
    project(c, end, room, out);
}

/* one step of Runge and Kutta's method of fourth order */
static void step(const zw_connection *c, int end, double h, double *dx, double *room) {
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    int nx = c->nx;
    double *k = room + nx, *here = k + nx, *sum = here + nx;
    memcpy(sum, dx, sizeof(double) * (size_t)nx);
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < nx; i++)
            here[i] = dx[i] + (s ? at[s] * h * k[i] : 0);
        rate(c, end, here, room, k);
        for (int i = 0; i < nx; i++)
            sum[i] += weight[s] * h * k[i];
    }
    project(c, end, sum, dx);
}

static double fastest(const zw_connection_end *e, int end) {
    double most = 0;
    for (int i = 0; i < e->n; i++)
        if ((e->re[i] > 0) == (end == 0))
            most = fmax(most, hypot(e->re[i], e->im[i]));
    return most;
}

/* The linear motion from u towards an end, up to a distance from it, into the record; from time t on. room: 6 nx */
static zw_status add_tail(zw_connection *c, int end, const double *u, double t, double d,
                          double *room, zw_error *err) {
    const zw_connection_end *e = &c->end[end];
    double *dx = room + 4 * (size_t)c->nx, *x = dx + c->nx,
           h = (end == 0 ? -STEP : STEP) / fastest(e, end);
    for (int i = 0; i < c->nx; i++)
        x[i] = c->essential[i] ? u[i] - e->motion.x[i] : 0;
    project(c, end, x, dx);
    for (int steps = 1; steps < STEPS_MOST; steps++) {
        step(c, end, h, dx, room);
        for (int i = 0; i < c->nx; i++)
            x[i] = c->essential[i] ? e->motion.x[i] + dx[i] : u[i];
        if (c->has_manifold)
            ZW_TRY(zw_flow_project(c->flow, 0, x, NULL, err));
        ZW_TRY(zw_connection_note(c, t + steps * h, x, err));
        if (zw_connection_apart(c, c->size, x, e->motion.x) <= d)
            return ZW_OK;
    }
    return zw_fail(err, ZW_E_NUMERIC, "the linear motion does not come near the end");
}

/* those of the tail at the beginning were noted backwards */
static void reverse_record(zw_connection *c) {
    size_t n = (size_t)c->nx;
    for (int a = 0, b = c->nrecord - 1; a < b; a++, b--) {
        double t = c->record_t[a];
        c->record_t[a] = c->record_t[b];
        c->record_t[b] = t;
        for (size_t i = 0; i < n; i++) {
            double *x[2] = {c->record_x + (size_t)a * n + i, c->record_x + (size_t)b * n + i},
                   *f[2] = {c->record_rate + (size_t)a * n + i, c->record_rate + (size_t)b * n + i};
            double keep = *x[0], slope = *f[0];
            *x[0] = *x[1];
            *x[1] = keep;
            *f[0] = *f[1];
            *f[1] = slope;
        }
    }
}

zw_status zw_connection_extend(zw_connection *c, int n, zw_error *err) {
    double T = zw_connection_time(c, c->x), a = zw_connection_value(c, c->x),
           d = c->options.distance, *room = ZW_NEW(&c->meshes, double, 7 * c->nx + 1),
           *state = room + 6 * (size_t)c->nx;
    if (!room)
        return zw_fail(err, ZW_E_MEMORY, "out of memory");
    c->nrecord = 0;
    if (c->far[0] > d) {
        ZW_TRY(add_tail(c, 0, zw_connection_node(c, c->x, 0), 0, d, room, err));
        reverse_record(c);
    }
    for (int j = 0; j < c->N; j++)
        for (int i = 0; i < PARTS; i++) {
            double tau = c->mesh[j] + zw_connection_width(c, j) * i / PARTS;
            zw_connection_state_of(c, c->x, tau, state, NULL);
            ZW_TRY(zw_connection_note(c, T * tau, state, err));
        }
    memcpy(state, zw_connection_node(c, c->x, c->N), sizeof(double) * (size_t)c->nx);
    ZW_TRY(zw_connection_note(c, T, state, err));
    if (c->far[1] > d)
        ZW_TRY(add_tail(c, 1, state, T, d, room, err));
    c->cut[0] = 0;
    c->cut[1] = c->nrecord - 1;
    return zw_connection_take(c, a, n, err);
}
