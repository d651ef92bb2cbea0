/* SPDX-License-Identifier: MIT */
/* The orders of the manifold at a slow point. The motion on the manifold is a series in t and eps,
 *
 *   q(t, eps), v(t, eps), gamma(t, eps) = eps g_1 + ..., which has the factor eps,
 *   (q, v - N gamma)(0, eps) = (q, u) given.
 *
 * It is computed by passes. With the rates of the present one,
 *
 *   q <- q_0 + int q' dt,
 *   gamma <- the solution of K (gamma - gamma_before)/eps = dgamma/dt - (A v' + dA/dt v + dw/dt),
 *   v <- u + N gamma(0, eps) + int v' dt, then along N until A v + w = gamma.
 *
 * N and K stay those of the point, so the error is multiplied by O(t) + O(eps), and every pass
 * gains a degree: after as many passes as degrees the terms are constant. Then the corrections
 * along N are zero, and so the held constraints are satisfied, too. g_k is the coefficient of
 * t^0 eps^k in gamma. */
#include <math.h>
#include <string.h>

#include "base/tolerance.h"
#include "slip.h"

/* relative change of the orders that is accepted after the last pass: round-off of high orders */
#define ORDERS_SETTLED 1e-7

/* Moves v along N until its gamma is the required one: each step gains a degree. */
static zw_status enforce_slips(zw_slip_manifold *n, zw_jet2_shape shape, zw_error *err) {
    zw_jet2 part;
    for (int i = 0; i <= shape.degree; i++) {
        ZW_TRY(zw_slip_manifold_gamma(n, shape, 0, n->point.t, err));
        for (int k = 0; k < n->nf; k++) {
            zw_jet2_add(shape, &n->target[k], -1, &n->gamma[k], &part);
            for (int j = 0; j < n->nv; j++)
                zw_jet2_add(shape, &n->v[j], n->point.N[j * n->nf + k], &part, &n->v[j]);
        }
    }
    return ZW_OK;
}

static zw_status begin_expansion(zw_slip_manifold *n, zw_jet2_shape shape, zw_error *err) {
    for (int k = 0; k < n->nf; k++) {
        n->target[k] = zw_jet2_number(shape, 0);
        n->target[k].c[zw_jet2_at(shape, 1, 1)] = n->point.g_1[k];
    }
    for (int i = 0; i < n->nq; i++)
        n->q[i] = zw_jet2_number(shape, n->point.q[i]);
    for (int j = 0; j < n->nv; j++) {
        n->v[j] = zw_jet2_number(shape, n->point.u[j]);
        for (int k = 0; k < n->nf; k++)
            zw_jet2_add(shape, &n->v[j], n->point.N[j * n->nf + k], &n->target[k], &n->v[j]);
    }
    return enforce_slips(n, shape, err); /* gamma may depend on time */
}

/* Solves K (gamma - before)/eps = dgamma/dt - gdot for gamma, gdot being that of `before`: eps d/dt
 * maps a term t^i eps^j to t^(i-1) eps^(j+1), of the same degree, so that as many steps as degrees
 * are exact. */
static void correct_gamma(zw_slip_manifold *n, zw_jet2_shape shape) {
    const zw_jet2 eps = zw_jet2_small(shape);
    zw_jet2 rest[ZW_SLIP_MANIFOLD_FAST_MOST];
    memcpy(n->before, n->target, (size_t)n->nf * sizeof *n->target);
    for (int step = 0; step < shape.degree; step++) {
        for (int k = 0; k < n->nf; k++) {
            zw_jet2_derive(shape, &n->target[k], &rest[k]);
            zw_jet2_add(shape, &rest[k], -1, &n->gdot[k], &rest[k]);
            zw_jet2_multiply(shape, &rest[k], &eps, &rest[k]);
            zw_jet2_regular(shape, &rest[k], NULL);
        }
        for (int k = 0; k < n->nf; k++) {
            n->target[k] = n->before[k];
            for (int l = 0; l < n->nf; l++)
                zw_jet2_add(shape, &n->target[k], n->point.K_inverse[k * n->nf + l], &rest[l],
                            &n->target[k]);
        }
    }
}

static zw_status iterate_expansion(zw_slip_manifold *n, zw_jet2_shape shape, zw_error *err) {
    ZW_TRY(zw_slip_manifold_rates(n, shape, 0, n->point.t, err));
    correct_gamma(n, shape);
    for (int i = 0; i < n->nq; i++) {
        zw_jet2_integrate(shape, &n->rate[i], &n->q[i]);
        n->q[i].c[0] += n->point.q[i];
    }
    for (int j = 0; j < n->nv; j++) {
        zw_jet2_integrate(shape, &n->accel[j], &n->v[j]);
        n->v[j].c[0] += n->point.u[j];
        for (int k = 0; k < n->nf; k++)
            for (int d = 1; d <= n->v[j].degree; d++)
                n->v[j].c[zw_jet2_at(shape, d, d)] +=
                    n->point.N[j * n->nf + k] * n->target[k].c[zw_jet2_at(shape, d, d)];
    }
    return enforce_slips(n, shape, err);
}

static void collect_terms(const zw_slip_manifold *n, zw_jet2_shape shape, int order, double *g) {
    for (int k = 0; k <= order; k++)
        for (int i = 0; i < n->nf; i++)
            g[k * n->nf + i] = k == 0 ? 0 : n->target[i].c[zw_jet2_at(shape, k, k)];
}

/* Of the size of an order expected from the time scales of slow and fast motion: the change of a
 * smaller one, which may be 0, is relative to this. */
#define SMALL_ORDER 1e-3

/* The largest change of an order relative to its size. */
static double relative_change(const zw_slip_manifold *n, int order, const double *a,
                              const double *b) {
    double worst = 0, K = 0, natural = n->point.speed;
    for (int i = 0; i < n->nf * n->nf; i++)
        K = fmax(K, fabs(n->point.K[i]));
    for (int k = 1; k <= order; k++) {
        double d[ZW_SLIP_MANIFOLD_FAST_MOST];
        natural *= n->pace / K;
        for (int i = 0; i < n->nf; i++)
            d[i] = a[k * n->nf + i] - b[k * n->nf + i];
        double size = fmax(zw_slip_manifold_measured(n, a + k * n->nf), SMALL_ORDER * natural),
               moved = zw_slip_manifold_measured(n, d);
        if (moved > 0)
            worst = fmax(worst, size > 0 ? moved / size : 1);
    }
    return worst;
}

/* Passes until the terms are constant. */
static zw_status iterate_to_rest(zw_slip_manifold *n, zw_jet2_shape shape, int order, double *g,
                                 zw_error *err) {
    double before[(ZW_MANIFOLD_ORDER_MOST + 1) * ZW_SLIP_MANIFOLD_FAST_MOST];
    ZW_TRY(begin_expansion(n, shape, err));
    for (int i = 0; i < 2 * order + 2; i++) {
        memcpy(before, g, (size_t)((order + 1) * n->nf) * sizeof *g);
        ZW_TRY(iterate_expansion(n, shape, err));
        collect_terms(n, shape, order, g);
        if (i >= order && relative_change(n, order, g, before) < ZW_ROUNDOFF_SUM)
            return ZW_OK;
    }
    if (relative_change(n, order, g, before) < ORDERS_SETTLED)
        return ZW_OK;
    return zw_fail(err, ZW_E_NUMERIC,
                   "the orders of the manifold do not converge at t = %.6g s (%.1e of their size)",
                   n->point.t, relative_change(n, order, g, before));
}

zw_status zw_slip_manifold_orders(zw_slip_manifold *n, int order, double *g, zw_error *err) {
    const zw_jet2_shape shape = {order, true};
    memset(g, 0, (size_t)((order + 1) * n->nf) * sizeof *g);
    if (order >= 1)
        memcpy(g + n->nf, n->point.g_1, (size_t)n->nf * sizeof *g);
    if (order < 2)
        return ZW_OK;
    n->ignore_singular =
        /* terms of held constraints whose forces have the order 1/eps vanish only after
         * convergence */
        true;
    zw_status status = iterate_to_rest(n, shape, order, g, err);
    n->ignore_singular = false;
    ZW_TRY(status);
    return zw_slip_manifold_rates(n, shape, 0, n->point.t,
                                  err); /* now there are none before 1/eps */
}
