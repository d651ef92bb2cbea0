/* SPDX-License-Identifier: MIT */
/* The reduced flow: the slow point (q, u) moves by
 *
 *   q' = qdot(t, q, v),    u' = v' - d(N gamma)/dt,        v = u + N (eps g_1 + ... + eps^k g_k),
 *
 * the derivative of N gamma along the motion of the whole model at that state, by a series of
 * degree 1. For k = 0 that is the model with the constraints. Integrated by extrapolation of the
 * midpoint rule with 2, 4, 6, ... substeps, whose error has only even powers of the step (W. B.
 * Gragg, SIAM J. Numer. Anal. 2 (1965) 384-403); after each step the point is projected onto the
 * constraints. */
#include <math.h>
#include <string.h>

#include "base/tolerance.h"
#include "slip.h"

enum {
    COLUMNS = 7,      /* of the extrapolation: order 14 */
    STEPS_MOST = 4000 /* of a run */
};
/* relative error of a step: above the round-off of the expansion, below the orders that are
 * compared */
#define STEP_TOLERANCE 1e-11

/* The rates (nx) at a slow point x, which need not be exactly on the constraints. */
static zw_status evaluate_rates(zw_slip_manifold *n, int order, double eps, double t,
                                const double *x, double *out, zw_error *err) {
    const zw_jet2_shape shape = {1, false};
    double g[(ZW_MANIFOLD_ORDER_MOST + 1) * ZW_SLIP_MANIFOLD_FAST_MOST],
        gamma[ZW_SLIP_MANIFOLD_FAST_MOST] = {0}, power = 1;
    if (order > 0) {
        ZW_TRY(zw_slip_manifold_find_point(n, t, x, err));
        ZW_TRY(zw_slip_manifold_orders(n, order, g, err));
    } else {
        ZW_TRY(zw_slip_manifold_project(n, t, x, err));
    }
    for (int k = 1; k <= order; k++) {
        power *= eps;
        for (int i = 0; i < n->nf; i++)
            gamma[i] += power * g[k * n->nf + i];
    }
    zw_slip_manifold_state(n, gamma, n->x);
    for (int i = 0; i < n->nq; i++)
        n->q[i] = zw_jet2_number(shape, n->x[i]);
    for (int j = 0; j < n->nv; j++)
        n->v[j] = zw_jet2_number(shape, n->x[n->nq + j]);
    ZW_TRY(zw_slip_manifold_rates(n, (zw_jet2_shape){0, false}, eps, t, err));
    for (int i = 0; i < n->nq; i++)
        out[i] = n->q[i].c[1] = n->rate[i].c[0];
    for (int j = 0; j < n->nv; j++)
        out[n->nq + j] = n->v[j].c[1] = n->accel[j].c[0];
    ZW_TRY(zw_slip_manifold_geometry(n, shape, eps, t, err));
    ZW_TRY(zw_slip_manifold_least_velocity(n, shape, NULL, err));
    for (int j = 0; j < n->nv; j++)
        out[n->nq + j] -= n->side[j].c[1];
    return ZW_OK;
}

typedef struct stepper {
    zw_slip_manifold *n;
    int order, nx;
    double eps, *rate, *a, *b, *T; /* T: COLUMNS x nx */
} stepper;

static zw_status midpoint_rule(stepper *s, double t, double H, int count, const double *x,
                               double *out, zw_error *err) {
    double h = H / count;
    memcpy(s->a, x, (size_t)s->nx * sizeof *x);
    ZW_TRY(evaluate_rates(s->n, s->order, s->eps, t, x, s->rate, err));
    for (int i = 0; i < s->nx; i++)
        s->b[i] = x[i] + h * s->rate[i];
    for (int k = 1; k < count; k++) {
        ZW_TRY(evaluate_rates(s->n, s->order, s->eps, t + k * h, s->b, s->rate, err));
        for (int i = 0; i < s->nx; i++) {
            double next = s->a[i] + 2 * h * s->rate[i];
            s->a[i] = s->b[i];
            s->b[i] = next;
        }
    }
    memcpy(out, s->b, (size_t)s->nx * sizeof *out);
    return ZW_OK;
}

/* Computes row `last` of T from the previous ones; *error: of the last but one column. */
static zw_status extrapolate_row(stepper *s, double t, double H, const double *x, double *error,
                                 zw_error *err) {
    for (int j = 0; j < COLUMNS; j++) {
        double *row = s->T + j * s->nx, largest = 0, size = 0;
        ZW_TRY(midpoint_rule(s, t, H, 2 * (j + 1), x, row, err));
        for (int k = j - 1; k >= 0; k--) { /* row k contains column j - 1 - k of the previous row */
            double ratio = (double)(j + 1) / (k + 1);
            largest = 0;
            for (int i = 0; i < s->nx; i++) {
                double *below = s->T + k * s->nx, *above = s->T + (k + 1) * s->nx;
                double better = above[i] + (above[i] - below[i]) / (ratio * ratio - 1);
                largest = fmax(largest, fabs(better - above[i]));
                size = fmax(size, fabs(x[i]));
                below[i] = better;
            }
        }
        *error = size > 0 ? largest / size : largest;
        if (j >= 3 && *error < STEP_TOLERANCE)
            break;
    }
    return ZW_OK;
}

static zw_status integrate_flow(stepper *s, double t, double until, double *x, zw_error *err) {
    double H, error;
    ZW_TRY(evaluate_rates(s->n, s->order, s->eps, t, x, s->rate, err)); /* for the time scale */
    H = fmin(until - t, 3 / s->n->pace);
    for (int i = 0; i < STEPS_MOST; i++) {
        bool last = t + H >= until - ZW_ROUNDOFF_SUM * fabs(until - t);
        ZW_TRY(extrapolate_row(s, t, last ? until - t : H, x, &error, err));
        if (!isfinite(error))
            return zw_fail(err, ZW_E_NONFINITE, "the reduced flow is not finite at t = %.6g s", t);
        if (error > STEP_TOLERANCE) {
            H = (last ? until - t : H) *
                fmax(0.2, 0.8 * pow(STEP_TOLERANCE / error, 1.0 / (2 * COLUMNS - 1)));
            continue;
        }
        t = last ? until : t + H;
        ZW_TRY(zw_slip_manifold_project(s->n, t, s->T, err));
        zw_slip_manifold_state(s->n, NULL, x);
        ZW_TRY(zw_flow_project(s->n->rigid, t, x, NULL, err));
        if (last)
            return ZW_OK;
    }
    return zw_fail(err, ZW_E_NUMERIC, "the reduced flow cannot be continued beyond t = %.6g s", t);
}

zw_status zw_slip_manifold_flow(zw_slip_manifold *n, int order, double eps, double t, double until,
                                double *x, zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(&n->arena);
    stepper s = {.n = n, .order = order, .nx = n->nx, .eps = eps};
    if (order < 0 || order > ZW_MANIFOLD_ORDER_MOST)
        return zw_fail(err, ZW_E_OPTION, "--order: 0 to %d", (int)ZW_MANIFOLD_ORDER_MOST);
    s.rate = ZW_SLIP_MANIFOLD_NEW(n, double, n->nx);
    s.a = ZW_SLIP_MANIFOLD_NEW(n, double, n->nx);
    s.b = ZW_SLIP_MANIFOLD_NEW(n, double, n->nx);
    s.T = ZW_SLIP_MANIFOLD_NEW(n, double, COLUMNS * n->nx);
    zw_status status =
        n->arena.failed ? zw_slip_manifold_memory(err) : zw_slip_manifold_move(n, t, x, NULL, err);
    if (status >= 0 && until > t)
        status = integrate_flow(&s, t, until, x, err);
    zw_arena_release(&n->arena, mark);
    return status;
}
