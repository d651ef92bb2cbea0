/* SPDX-License-Identifier: MIT */
/* Normal forms of folds, period doublings and Neimark-Sacker bifurcations of periodic orbits, from
 * Taylor coefficients of the return map along curves. A curve of states x(s) = x0 + s x1 + s^2 x2 +
 * s^3 x3 moves by
 *
 *     x1' = J x1,     x2' = J x2 + B(x1, x1)/2,     x3' = J x3 + B(x1, x2) + C(x1, x1, x1)/6,
 *
 * B and C the exact second and third derivatives of the rates along the orbit. A step is Gauss
 * collocation: Runge-Kutta methods commute with derivatives, so these are the derivatives of the
 * discrete motion. On the manifold g = 0 of the constraints a curve begins with the terms that keep
 * it on the manifold, G x2 = -g_xx(x1, x1)/2 + ..., orthogonal to it; the motion keeps it there.
 *
 * The section is W, an orthonormal basis of the tangent space of the constraints at x0, for an
 * autonomous system without the direction of f. There the curve returns at the time P + tau(s), at
 * S x + tau f + tau^2/2 f' + tau^3/6 f'', the derivatives along the motion,
 *
 *     f(x(s)) = f0 + s f1 + s^2 f2 + ..,     f1 = J x1,     f2 = J x2 + B(x1, x1)/2,
 *     f' = J f0 + s (J f1 + B(f0, x1)) + ..,     f'' = J J f0 + B(f0, f0),
 *
 * with tau such that no component along f0 remains. In coordinates y = W'(x - x0) that is a map y1,
 * y2 -> Y1, Y2, Y3. All coefficients of normal forms follow from curves:
 *
 *     Y2(q) = B(q, q)/2,     h = (1 - A)^-1 Y2,
 *     curve s q + s^2 h:     Y3 = C(q, q, q)/6 + B(q, h),     b = p Y2(q),     c = p Y3,
 *
 * and with the phases psi of z = s e^(i psi), y1 = 2 Re(q e^(i psi)), y2 = Re(h20 e^(2 i psi)) +
 * h11, the first harmonic of Y3 over psi is the coefficient of z |z|^2 (p the left eigenvector, pq
 * = 1). */
#include "zwang/periodic.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "motion/collocation/collocation.h"
#include "num/linear/dense.h"
#include "num/linear/linalg.h"

enum { ORDERS = 3, PHASES = 4 };
/* distance of the critical multiplier from 1, from -1 or from the unit circle: a located
 * bifurcation has it far nearer; one farther away is not the multiplier meant */
#define MULTIPLIER_CRITICAL 1e-3
/* least distance from the critical multiplier to the next one: a double multiplier is split by
 * rounding by up to the root of 1e-10 */
#define MULTIPLIER_SIMPLE 1e-5
/* |mu^k - 1| up to which a resonance is reported; chosen by trial: beyond it the resonant term
 * z^-(k-1) turns fast enough to average out */
#define STRONG_RESONANCE 1e-2
/* singular value of dependent constraints, relative to the largest: well above round-off 1e-15, and
 * independent constraints have larger ones */
#define CONSTRAINT_DEPENDENT 1e-9

typedef struct mapper {
    zw_colloc *c;
    const double *x;
    double period;
    int nx, m, steps; /* unknowns of a state, stages, steps per interval of the mesh */
    int n, d;         /* dimensions of the tangent space and of the section */
    zw_arena work;
    double *x0;    /* nx */
    double *T, *W; /* nx x n, nx x d */
    int ng, rank;  /* constraints, independent ones */
    /* singular values and vectors of G: min(ng, nx), rows of nx, rows of ng */
    double *Gs, *Gv, *Gu;
    double *A;       /* d x d */
    double *f0, *J0; /* nx, nx x nx at x0 */
    /* working memory: U, K, S1, S2, F m nx; J m nx^2; LU (m nx)^2; g ng + nx */
    double *U, *J, *LU, *K, *S1, *S2, *F, *g;
    int *pivot;
    zw_error *err;
} mapper;

static void multiply_vector(int n, const double *J, const double *v, double *out) {
    for (int r = 0; r < n; r++) {
        out[r] = 0;
        for (int k = 0; k < n; k++)
            out[r] += J[r * n + k] * v[k];
    }
}

/* --------------------------------------------------------------------------------------- motion */

/* out += by B(u, v); u and v may be the same */
static zw_status add_second(mapper *a, double t, const double *x, const double *u, const double *v,
                            double factor, double *out) {
    double *B = a->g + a->ng;
    ZW_TRY(zw_flow_second(a->c->flow, t, x, u, v, B, NULL, a->err));
    for (int r = 0; r < a->nx; r++)
        out[r] += factor * B[r];
    return ZW_OK;
}

static zw_status add_third(mapper *a, double t, const double *x, const double *u, double *out) {
    double *C = a->g + a->ng;
    ZW_TRY(zw_flow_third(a->c->flow, t, x, u, u, u, C, NULL, a->err));
    for (int r = 0; r < a->nx; r++)
        out[r] += C[r] / 6;
    return ZW_OK;
}

/* stage values u + h sum a k from the slopes in K */
static void stage_values(const mapper *a, double h, const double *u, double *S) {
    const zw_gauss *g = &a->c->rule;
    for (int i = 0; i < a->m; i++)
        for (int r = 0; r < a->nx; r++) {
            double sum = u[r];
            for (int l = 0; l < a->m; l++)
                sum += h * g->a[i][l] * a->K[l * a->nx + r];
            S[i * a->nx + r] = sum;
        }
}

/* slopes of one order of one curve in a step: (1 - h P a J) k = P (J u + F) */
static void find_slopes(mapper *a, const double *u) {
    int nx = a->nx, size = a->m * nx;
    for (int i = 0; i < a->m; i++)
        for (int r = 0; r < nx; r++) {
            double sum = a->F[i * nx + r];
            for (int k = 0; k < nx; k++)
                sum += a->J[(i * nx + r) * nx + k] * u[k];
            a->K[i * nx + r] = a->period * sum;
        }
    zw_num_lu_solve(size, a->LU, a->pivot, 1, a->K);
}

/* u += h sum b k */
static void finish_order(const mapper *a, double h, double *u) {
    for (int i = 0; i < a->m; i++)
        for (int r = 0; r < a->nx; r++)
            u[r] += h * a->c->rule.b[i] * a->K[i * a->nx + r];
}

static zw_status factor_step(mapper *a, double tau, double h) {
    int nx = a->nx, m = a->m, size = m * nx;
    for (int i = 0; i < m; i++) {
        double at = tau + h * a->c->rule.c[i], *J = a->J + (size_t)(i * nx * nx);
        zw_colloc_state(a->c, a->x, at, a->U + (size_t)(i * nx), NULL);
        ZW_TRY(zw_flow_jacobian(a->c->flow, a->c->start + a->period * at, a->U + (size_t)(i * nx),
                                J, NULL, a->err));
        for (int r = 0; r < nx; r++)
            for (int l = 0; l < m; l++)
                for (int k = 0; k < nx; k++)
                    a->LU[(size_t)(i * nx + r) * (size_t)size + (size_t)(l * nx + k)] =
                        (i == l && r == k) - h * a->period * a->c->rule.a[i][l] * J[r * nx + k];
    }
    if (!(zw_num_lu(size, a->LU, a->pivot) > 0))
        return zw_fail(a->err, ZW_E_SINGULAR, "the mesh is too coarse");
    return ZW_OK;
}

static zw_status step_curve(mapper *a, double tau, double h, int orders, double *u) {
    int nx = a->nx, m = a->m;
    size_t bytes = sizeof(double) * (size_t)(m * nx);
    for (int order = 1; order <= orders; order++, u += nx) {
        memset(a->F, 0, bytes);
        for (int i = 0; i < m && order > 1; i++) {
            double t = a->c->start + a->period * (tau + h * a->c->rule.c[i]),
                   *F = a->F + (size_t)(i * nx);
            const double *x = a->U + (size_t)(i * nx), *s1 = a->S1 + (size_t)(i * nx),
                         *s2 = a->S2 + (size_t)(i * nx);
            ZW_TRY(add_second(a, t, x, s1, order == 2 ? s1 : s2, order == 2 ? 0.5 : 1, F));
            if (order == 3)
                ZW_TRY(add_third(a, t, x, s1, F));
        }
        find_slopes(a, u);
        if (order < ORDERS)
            stage_values(a, h, u, order == 1 ? a->S1 : a->S2);
        finish_order(a, h, u);
    }
    return ZW_OK;
}

/* Adds the square of the disturbance in S1 orthogonal to the motion, in units of the state,
 * integrated over the stages of a step. */
static zw_status add_square(mapper *a, double tau, double h, double *sum) {
    int nx = a->nx;
    const double *scale = a->c->scale;
    for (int i = 0; i < a->m; i++) {
        const double *u = a->S1 + (size_t)(i * nx), *x = a->U + (size_t)(i * nx);
        double *f = a->F, uu = 0, uf = 0, ff = 0,
               t = a->c->start + a->period * (tau + h * a->c->rule.c[i]);
        ZW_TRY(zw_flow_rates(a->c->flow, t, x, f, NULL, a->err));
        for (int r = 0; r < nx; r++) {
            if (a->c->ignorable[r])
                continue;
            uu += u[r] * u[r] / (scale[r] * scale[r]);
            uf += u[r] * f[r] / (scale[r] * scale[r]);
            ff += f[r] * f[r] / (scale[r] * scale[r]);
        }
        *sum += h * a->c->rule.b[i] * (a->c->free_period ? uu - uf * uf / ff : uu);
    }
    return ZW_OK;
}

/* Moves the curves (ncurve x ORDERS x nx) over the period and applies S. mean (may be NULL) is
 * increased by the mean of the sum of their squares, to first order. */
static zw_status move_curves(mapper *a, int ncurve, int orders, double *u, double *mean) {
    const double *mesh = zw_colloc_mesh(a->c);
    for (int j = 0; j < a->c->N * a->steps; j++) {
        double width = zw_colloc_width(a->c, j / a->steps) / a->steps,
               tau = mesh[j / a->steps] + width * (j % a->steps);
        ZW_TRY(factor_step(a, tau, width));
        for (int k = 0; k < ncurve; k++) {
            ZW_TRY(step_curve(a, tau, width, orders, u + (size_t)(k * ORDERS * a->nx)));
            if (mean)
                ZW_TRY(add_square(a, tau, width, mean));
        }
    }
    for (int k = 0; k < ncurve * ORDERS; k++) {
        double *v = u + (size_t)(k * a->nx);
        zw_colloc_turn(a->c, v, a->K);
        memcpy(v, a->K, sizeof(double) * (size_t)a->nx);
    }
    return ZW_OK;
}

/* -------------------------------------------------------------------------------------- section */

/* v -= w with G w = r, w orthogonal to the manifold */
static void subtract_normal(const mapper *a, const double *r, double *v) {
    for (int l = 0; l < a->rank; l++) {
        double part = 0;
        for (int i = 0; i < a->ng; i++)
            part += a->Gu[l * a->ng + i] * r[i];
        for (int i = 0; i < a->nx; i++)
            v[i] -= part / a->Gs[l] * a->Gv[l * a->nx + i];
    }
}

/* the curve on the manifold with the coordinates y1, y2 (NULL: none) */
static zw_status begin_curve(mapper *a, const double *y1, const double *y2, double *u) {
    int nx = a->nx, d = a->d, ng = a->ng;
    double *x1 = u, *x2 = u + nx, *x3 = u + 2 * nx, *g = a->g, *unused = a->g + ng, t = a->c->start;
    memset(u, 0, sizeof(double) * (size_t)(ORDERS * nx));
    for (int i = 0; i < nx; i++)
        for (int k = 0; k < d; k++) {
            x1[i] += a->W[i * d + k] * y1[k];
            x2[i] += y2 ? a->W[i * d + k] * y2[k] : 0;
        }
    if (a->rank == 0)
        return ZW_OK;
    ZW_TRY(zw_flow_second(a->c->flow, t, a->x0, x1, x1, unused, g, a->err));
    for (int i = 0; i < ng; i++)
        g[i] /= 2;
    subtract_normal(a, g, x2);
    ZW_TRY(zw_flow_second(a->c->flow, t, a->x0, x1, x2, unused, g, a->err));
    subtract_normal(a, g, x3);
    ZW_TRY(zw_flow_third(a->c->flow, t, a->x0, x1, x1, x1, unused, g, a->err));
    for (int i = 0; i < ng; i++)
        g[i] /= 6;
    subtract_normal(a, g, x3);
    return ZW_OK;
}

static double dot(int n, const double *u, const double *v) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += u[i] * v[i];
    return sum;
}

static void add_scaled(int n, double factor, const double *u, double *to) {
    for (int i = 0; i < n; i++)
        to[i] += factor * u[i];
}

/* An autonomous system: from the time P to the section across f0, in place. Components along f0
 * that remain drop out in the product with W. */
static zw_status return_to_section(mapper *a, double *u) {
    int nx = a->nx;
    double *x1 = u, *x2 = u + nx, *x3 = u + 2 * nx, t = a->c->start,
           *f1 = ZW_NEW(&a->work, double, 5 * nx + 1), size = dot(nx, a->f0, a->f0);
    if (!f1)
        return zw_out_of_memory(a->err, NULL);
    double *f2 = f1 + nx, *g0 = f2 + nx, *g1 = g0 + nx, *h0 = g1 + nx;
    multiply_vector(nx, a->J0, x1, f1);
    multiply_vector(nx, a->J0, x2, f2);
    ZW_TRY(add_second(a, t, a->x0, x1, x1, 0.5, f2));
    multiply_vector(nx, a->J0, a->f0, g0);
    multiply_vector(nx, a->J0, f1, g1);
    ZW_TRY(add_second(a, t, a->x0, a->f0, x1, 1, g1));
    multiply_vector(nx, a->J0, g0, h0);
    ZW_TRY(add_second(a, t, a->x0, a->f0, a->f0, 1, h0));
    double tau1 = -dot(nx, a->f0, x1) / size;
    add_scaled(nx, tau1, a->f0, x1);
    add_scaled(nx, tau1, f1, x2);
    add_scaled(nx, tau1 * tau1 / 2, g0, x2);
    double tau2 = -dot(nx, a->f0, x2) / size;
    add_scaled(nx, tau2, a->f0, x2);
    add_scaled(nx, tau1, f2, x3);
    add_scaled(nx, tau2, f1, x3);
    add_scaled(nx, tau1 * tau2, g0, x3);
    add_scaled(nx, tau1 * tau1 / 2, g1, x3);
    add_scaled(nx, tau1 * tau1 * tau1 / 6, h0, x3);
    return ZW_OK;
}

/* The map: Y (ncurve x d) is the coefficient of one order of the images of ncurve curves with y1,
 * y2 (ncurve x d; y2 may be NULL). */
static zw_status map_curves(mapper *a, int ncurve, int order, const double *y1, const double *y2,
                            double *Y) {
    int nx = a->nx, d = a->d;
    zw_arena_mark mark = zw_arena_mark_now(&a->work);
    double *u = ZW_NEW(&a->work, double, ncurve *ORDERS *nx + 1);
    if (!u)
        return zw_out_of_memory(a->err, NULL);
    for (int k = 0; k < ncurve; k++)
        ZW_TRY(begin_curve(a, y1 + (size_t)(k * d), y2 ? y2 + (size_t)(k * d) : NULL,
                           u + (size_t)(k * ORDERS * nx)));
    ZW_TRY(move_curves(a, ncurve, order, u, NULL));
    for (int k = 0; k < ncurve; k++) {
        double *curve = u + (size_t)(k * ORDERS * nx), *out = Y + (size_t)(k * d);
        if (a->c->free_period)
            ZW_TRY(return_to_section(a, curve));
        for (int r = 0; r < d; r++) {
            out[r] = 0;
            for (int i = 0; i < nx; i++)
                out[r] += a->W[i * d + r] * curve[(order - 1) * nx + i];
        }
    }
    zw_arena_release(&a->work, mark);
    return ZW_OK;
}

/* W: T, or the part of it orthogonal to f0, by the Gram-Schmidt process with the largest remainder
 * first */
static zw_status find_section(mapper *a) {
    int nx = a->nx, n = a->n;
    double *f = ZW_NEW(&a->work, double, nx + 1), *left = ZW_NEW(&a->work, double, nx *n + 1);
    a->W = ZW_NEW(&a->work, double, nx *n + 1);
    if (a->work.failed)
        return zw_out_of_memory(a->err, NULL);
    a->d = n;
    memcpy(a->W, a->T, sizeof(double) * (size_t)(nx * n));
    if (!a->c->free_period)
        return ZW_OK;
    for (int i = 0; i < nx; i++) /* ignorable entries do not count */
        a->f0[i] = a->c->ignorable[i] ? 0 : a->f0[i];
    double size = sqrt(dot(nx, a->f0, a->f0));
    if (!(size > 0))
        return zw_fail(a->err, ZW_E_DOMAIN, "the orbit begins at rest");
    for (int i = 0; i < nx; i++)
        f[i] = a->f0[i] / size;
    for (int k = 0; k < n; k++) /* columns as rows */
        for (int i = 0; i < nx; i++)
            left[k * nx + i] = a->T[i * n + k];
    for (int k = 0; k < n; k++)
        add_scaled(nx, -dot(nx, f, left + (size_t)(k * nx)), f, left + (size_t)(k * nx));
    a->d = n - 1;
    for (int r = 0; r < a->d; r++) {
        int best = 0;
        for (int k = 1; k < n; k++)
            if (dot(nx, left + (size_t)(k * nx), left + (size_t)(k * nx)) >
                dot(nx, left + (size_t)(best * nx), left + (size_t)(best * nx)))
                best = k;
        double *v = left + (size_t)(best * nx), length = sqrt(dot(nx, v, v));
        for (int i = 0; i < nx; i++)
            f[i] = a->W[i * a->d + r] = v[i] / length;
        for (int round = 0; round < 2; round++)
            for (int k = 0; k < n; k++)
                add_scaled(nx, -dot(nx, f, left + (size_t)(k * nx)), f, left + (size_t)(k * nx));
    }
    return ZW_OK;
}

static zw_status find_tangent(mapper *a) {
    zw_colloc *c = a->c;
    int nx = a->nx;
    bool *essential = ZW_NEW(&a->work, bool, nx + 1);
    a->T = ZW_NEW(&a->work, double, nx *nx + 1);
    if (a->work.failed)
        return zw_out_of_memory(a->err, NULL);
    for (int i = 0; i < nx; i++) {
        essential[i] = !c->ignorable[i];
        a->n += essential[i];
    }
    for (int i = 0, k = 0; i < nx; i++)
        if (essential[i])
            a->T[i * a->n + k++] = 1;
    if (!c->has_manifold)
        return ZW_OK;
    const zw_variation v = {.nx = nx, .essential = essential};
    a->n = 0;
    ZW_TRY(zw_variation_basis(&v, &a->work, c->flow, c->start, a->x0, &a->n, a->T, a->err));
    int least = a->ng < nx ? a->ng : nx;
    double *G = ZW_NEW(&a->work, double, a->ng *nx + 1);
    a->Gs = ZW_NEW(&a->work, double, nx + 1);
    a->Gv = ZW_NEW(&a->work, double, nx *nx + 1);
    a->Gu = ZW_NEW(&a->work, double, (a->ng + 1) * (a->ng + nx) + 1);
    if (a->work.failed)
        return zw_out_of_memory(a->err, NULL);
    ZW_TRY(zw_flow_constraints(c->flow, c->start, a->x0, NULL, G, a->err));
    if (!zw_dense_svd(&a->work, a->ng, nx, G, a->Gs, a->Gv, a->Gu))
        return zw_dense_failure(&a->work, a->err);
    while (a->rank < least && a->Gs[a->rank] > CONSTRAINT_DEPENDENT * a->Gs[0])
        a->rank++;
    return ZW_OK;
}

static zw_status begin_cycle(mapper *a, double value) {
    zw_colloc *c = a->c;
    int nx = a->nx, m = a->m, size = m * nx;
    a->ng = zw_flow_levels(c->flow);
    a->x0 = ZW_NEW(&a->work, double, nx + 1);
    a->f0 = ZW_NEW(&a->work, double, nx + 1);
    a->J0 = ZW_NEW(&a->work, double, nx *nx + 1);
    a->U = ZW_NEW(&a->work, double, size + 1);
    a->J = ZW_NEW(&a->work, double, size *nx + 1);
    a->LU = ZW_NEW(&a->work, double, (size_t)size *(size_t)size + 1);
    a->K = ZW_NEW(&a->work, double, size + 1);
    a->S1 = ZW_NEW(&a->work, double, size + 1);
    a->S2 = ZW_NEW(&a->work, double, size + 1);
    a->F = ZW_NEW(&a->work, double, size + 1);
    a->g = ZW_NEW(&a->work, double, a->ng + nx + 1);
    a->pivot = ZW_NEW(&a->work, int, size + 1);
    if (a->work.failed)
        return zw_out_of_memory(a->err, NULL);
    ZW_TRY(zw_colloc_set_value(c, value, a->err));
    a->period = zw_colloc_period(c, a->x);
    memcpy(a->x0, a->x, sizeof(double) * (size_t)nx);
    ZW_TRY(zw_flow_rates(c->flow, c->start, a->x0, a->f0, NULL, a->err));
    ZW_TRY(zw_flow_jacobian(c->flow, c->start, a->x0, a->J0, NULL, a->err));
    ZW_TRY(find_tangent(a));
    ZW_TRY(find_section(a));
    int d = a->d;
    double *unit = ZW_NEW(&a->work, double, d *d + 1), *Y = ZW_NEW(&a->work, double, d *d + 1);
    a->A = ZW_NEW(&a->work, double, d *d + 1);
    if (a->work.failed)
        return zw_out_of_memory(a->err, NULL);
    for (int k = 0; k < d; k++)
        unit[k * d + k] = 1;
    ZW_TRY(map_curves(a, d, 1, unit, NULL, Y));
    for (int k = 0; k < d; k++)
        for (int r = 0; r < d; r++)
            a->A[r * d + k] = Y[k * d + r];
    return ZW_OK;
}

/* --------------------------------------------------------------------------------- normal forms */

typedef struct critical {
    double complex mu, *q, *p; /* d */
    double complex *M, *h;     /* working memory: d x d, d */
} critical;

static double critical_distance(zw_cycle_kind kind, double complex mu) {
    return kind == ZW_CYCLE_FOLD   ? cabs(mu - 1)
           : kind == ZW_CYCLE_FLIP ? cabs(mu + 1)
           : cimag(mu) > 0         ? fabs(cabs(mu) - 1)
                                   : INFINITY;
}

/* mean square of the disturbance q over the orbit, orthogonal to the motion: it does not depend on
 * the state where the orbit begins */
static zw_status mean_square(mapper *a, const double complex *q, double *mean) {
    int d = a->d;
    double *y = ZW_NEW(&a->work, double, 2 * d + 1),
           *u = ZW_NEW(&a->work, double, 2 * ORDERS * a->nx + 1);
    if (a->work.failed)
        return zw_out_of_memory(a->err, NULL);
    for (int r = 0; r < d; r++) {
        y[r] = creal(q[r]);
        y[d + r] = cimag(q[r]);
    }
    for (int k = 0; k < 2; k++)
        ZW_TRY(begin_curve(a, y + (size_t)(k * d), NULL, u + (size_t)(k * ORDERS * a->nx)));
    *mean = 0;
    ZW_TRY(move_curves(a, 2, 1, u, mean));
    return *mean > 0 ? ZW_OK : zw_fail(a->err, ZW_E_DOMAIN, "the disturbance is along the motion");
}

static zw_status find_critical(mapper *a, zw_cycle_kind kind, critical *k) {
    int d = a->d, best = -1;
    zw_dense_eigen e;
    if (!zw_dense_eigenvalues(&a->work, d, a->A, &e))
        return zw_dense_failure(&a->work, a->err);
    for (int i = 0; i < d; i++)
        if (best < 0 || critical_distance(kind, e.re[i] + I * e.im[i]) <
                            critical_distance(kind, e.re[best] + I * e.im[best]))
            best = i;
    k->mu = best < 0 ? 0 : e.re[best] + I * e.im[best];
    if (best < 0 || !(critical_distance(kind, k->mu) < MULTIPLIER_CRITICAL))
        return zw_fail(a->err, ZW_E_DOMAIN, "no multiplier is critical");
    for (int i = 0; i < d; i++)
        if (i != best && cabs(e.re[i] + I * e.im[i] - k->mu) < MULTIPLIER_SIMPLE)
            return zw_fail(a->err, ZW_E_DOMAIN, "two multipliers are critical");
    k->q = ZW_NEW(&a->work, double complex, d + 1);
    k->p = ZW_NEW(&a->work, double complex, d + 1);
    k->M = ZW_NEW(&a->work, double complex, d *d + 1);
    k->h = ZW_NEW(&a->work, double complex, d + 1);
    if (a->work.failed)
        return zw_out_of_memory(a->err, NULL);
    double complex product = 0;
    double size;
    for (int r = 0; r < d; r++) {
        k->q[r] = e.right_re[r * d + best] + I * e.right_im[r * d + best];
        k->p[r] = conj(e.left_re[r * d + best] + I * e.left_im[r * d + best]);
    }
    ZW_TRY(mean_square(a, k->q, &size));
    for (int r = 0; r < d; r++)
        k->q[r] /= sqrt(size);
    for (int r = 0; r < d; r++)
        product += k->p[r] * k->q[r];
    for (int r = 0; r < d; r++)
        k->p[r] /= product;
    return ZW_OK;
}

static double complex project_left(const critical *k, int d, const double *Y) {
    double complex sum = 0;
    for (int r = 0; r < d; r++)
        sum += k->p[r] * Y[r];
    return sum;
}

/* the sum of the sizes of the terms of p Y: rounding is relative to it */
static double projection_size(const critical *k, int d, const double *Y) {
    double sum = 0;
    for (int r = 0; r < d; r++)
        sum += cabs(k->p[r] * Y[r]);
    return sum;
}

/* k->h = (lambda - A)^-1 k->h */
static zw_status solve_shifted(mapper *a, critical *k, double complex lambda) {
    if (!zw_dense_solve_shifted(a->d, a->A, lambda, MULTIPLIER_SIMPLE, k->M, k->h))
        return zw_fail(a->err, ZW_E_DOMAIN, "two multipliers are critical");
    return ZW_OK;
}

static zw_status real_normal_form(mapper *a, critical *k, zw_cycle_normal *out) {
    int d = a->d;
    double *q = ZW_NEW(&a->work, double, d + 1), *h = ZW_NEW(&a->work, double, d + 1),
           *Y = ZW_NEW(&a->work, double, d + 1);
    if (a->work.failed)
        return zw_out_of_memory(a->err, NULL);
    for (int r = 0; r < d; r++)
        q[r] = creal(k->q[r]);
    ZW_TRY(map_curves(a, 1, 2, q, NULL, Y));
    out->coefficient = creal(project_left(k, d, Y));
    out->size = projection_size(k, d, Y);
    if (out->kind == ZW_CYCLE_FOLD)
        return ZW_OK;
    for (int r = 0; r < d; r++)
        k->h[r] = Y[r];
    ZW_TRY(solve_shifted(a, k, 1));
    for (int r = 0; r < d; r++)
        h[r] = creal(k->h[r]);
    ZW_TRY(map_curves(a, 1, 3, q, NULL, Y)); /* without h: the size of each of the two terms */
    double cubic = creal(project_left(k, d, Y));
    ZW_TRY(map_curves(a, 1, 3, q, h, Y));
    out->coefficient = creal(project_left(k, d, Y));
    out->size = fabs(cubic) + fabs(out->coefficient - cubic);
    return ZW_OK;
}

/* y1 and y2 (d) at a phase; h20 and h11 may be NULL */
static void put_phase(int d, double psi, const double complex *q, const double complex *h20,
                      const double *h11, double *y1, double *y2) {
    double complex e = cexp(I * psi);
    for (int r = 0; r < d; r++) {
        y1[r] = 2 * creal(q[r] * e);
        y2[r] = h20 ? creal(h20[r] * e * e) + h11[r] : 0;
    }
}

static zw_status pair_normal_form(mapper *a, critical *k, zw_cycle_normal *out) {
    int d = a->d;
    size_t cells = (size_t)(PHASES * d + 1);
    double *y1 = ZW_NEW(&a->work, double, cells), *y2 = ZW_NEW(&a->work, double, cells),
           *Y = ZW_NEW(&a->work, double, cells), *without_h = ZW_NEW(&a->work, double, cells),
           *h11 = ZW_NEW(&a->work, double, d + 1);
    double complex *h20 = ZW_NEW(&a->work, double complex, d + 1), sum = 0, cubic = 0,
                   rotation = k->mu / cabs(k->mu);
    if (a->work.failed)
        return zw_out_of_memory(a->err, NULL);
    for (int s = 0; s < PHASES; s++)
        put_phase(d, s * M_PI / PHASES, k->q, NULL, NULL, y1 + (size_t)(s * d),
                  y2 + (size_t)(s * d));
    ZW_TRY(map_curves(a, PHASES, 2, y1, NULL, Y));
    for (int r = 0; r < d; r++) { /* phases 0, pi/4, pi/2 */
        double mean = 0.5 * (Y[r] + Y[2 * d + r]);
        h20[r] = 0.5 * (Y[r] - Y[2 * d + r]) + I * (mean - Y[d + r]);
        k->h[r] = mean;
    }
    ZW_TRY(solve_shifted(a, k, 1));
    for (int r = 0; r < d; r++) {
        h11[r] = creal(k->h[r]);
        k->h[r] = h20[r];
    }
    ZW_TRY(solve_shifted(a, k, rotation * rotation));
    memcpy(h20, k->h, sizeof *h20 * (size_t)d);
    ZW_TRY(map_curves(a, PHASES, 3, y1, NULL, without_h));
    for (int s = 0; s < PHASES; s++)
        put_phase(d, s * M_PI / PHASES, k->q, h20, h11, y1 + (size_t)(s * d), y2 + (size_t)(s * d));
    ZW_TRY(map_curves(a, PHASES, 3, y1, y2, Y));
    for (int s = 0; s < PHASES; s++) {
        double complex back = cexp(-I * (s * M_PI / PHASES)) / PHASES;
        sum += back * project_left(k, d, Y + (size_t)(s * d));
        cubic += back * project_left(k, d, without_h + (size_t)(s * d));
    }
    sum /= rotation;
    cubic /= rotation;
    out->coefficient = creal(sum);
    out->imaginary = cimag(sum);
    out->size = cabs(cubic) + cabs(sum - cubic);
    return ZW_OK;
}

static int resonance_of(double complex mu) {
    double complex power = 1;
    for (int k = 1; k <= 4; k++) {
        power *= mu;
        if (cabs(power - 1) < STRONG_RESONANCE)
            return k;
    }
    return 0;
}

static zw_status find_normal_form(mapper *a, double value, zw_cycle_normal *out, double *q_re,
                                  double *q_im) {
    critical k = {0};
    ZW_TRY(begin_cycle(a, value));
    ZW_TRY(find_critical(a, out->kind, &k));
    out->re = creal(k.mu);
    out->im = cimag(k.mu);
    out->resonance = out->kind == ZW_CYCLE_TORUS ? resonance_of(k.mu) : 0;
    for (int i = 0; i < a->nx; i++) {
        double complex entry = 0;
        for (int r = 0; r < a->d; r++)
            entry += a->W[i * a->d + r] * k.q[r];
        if (q_re)
            q_re[i] = creal(entry);
        if (q_im)
            q_im[i] = cimag(entry);
    }
    return out->kind == ZW_CYCLE_TORUS ? pair_normal_form(a, &k, out)
                                       : real_normal_form(a, &k, out);
}

zw_status zw_cycle_normal_find(zw_cycle_normal *out, zw_colloc *c, const double *x, double a,
                               zw_cycle_kind kind, bool judged, double *q_re, double *q_im,
                               zw_error *err) {
    double coarse = (double)NAN;
    *out = (zw_cycle_normal){.kind = kind};
    for (int steps = 1; steps <= (judged ? 2 : 1); steps++) {
        mapper m = {.c = c, .x = x, .nx = c->nx, .m = c->m, .steps = steps, .err = err};
        zw_arena_init(&m.work, &c->arena.alloc);
        *out = (zw_cycle_normal){.kind = kind};
        zw_status status = find_normal_form(&m, a, out, q_re, q_im);
        zw_arena_clear(&m.work);
        ZW_TRY(status);
        out->error = fabs(out->coefficient - coarse);
        coarse = out->coefficient;
    }
    return isfinite(out->coefficient)
               ? ZW_OK
               : zw_fail(err, ZW_E_NONFINITE, "derivatives are not finite along the orbit");
}
