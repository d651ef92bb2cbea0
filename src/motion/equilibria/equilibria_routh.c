/* SPDX-License-Identifier: MIT */
/* The potential that a motion sees which turns or travels, at constant momenta (Routh).
 *
 * With the energy E and the momenta J_i of the symmetries, all of them conserved, a steady motion
 * is a critical point of
 *
 *     W = E - sum_i c_i J_i     on the manifold S of the constraints,
 *
 * and its second derivative H there is conserved by the linear equations: H A + A'H = 0, by which
 * it is tested whether all this holds for the system. On the directions that change no J_i its
 * kinetic part is positive, so that it falls in as many directions as the potential does after
 * Routh has eliminated the momenta; along orbits it is flat. Where symmetries leave the motion as
 * it is, c is not unique, and W with another c may have a minimum (a top that sleeps): then only a
 * minimum is told. H comes from differences of W on S, as a critical point allows: by how much a
 * step leaves the tangent space counts in the third order. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "equilibria.h"
#include "num/linear/dense.h"

#define STEP 1e-4      /* in the sizes of the state */
#define CONSERVED 1e-4 /* of the sizes of H and A: what differences leave of zero */
#define FLAT 1e-5      /* of the curvature of the steepest direction, each in its own size */
#define DEPENDENT 1e-6 /* a gradient of a momentum beside the others */

typedef struct router {
    zw_equilibria *e;
    int nx, d, ns;
    double *T, *D;     /* nx x d in the sizes of the state, d x nx */
    double *A, *H;     /* d x d */
    double *dJ;        /* ns x d */
    double *x, *value; /* nx; ns + 1: W, J */
    double *observed;  /* nobs + 2 */
    bool *known;       /* ns */
    zw_arena *work;
    zw_error *err;
} router;

/* -------------------------------------------------------------------------------- W and momenta */

/* W and J at the point of S near x0 + sum of step_j T_j; false where there is none */
static bool evaluate_potential(router *r, const double *step) {
    zw_equilibria *e = r->e;
    double t = e->options.t;
    zw_error ignored = {0};
    for (int i = 0; i < r->nx; i++) {
        r->x[i] = e->motion.x[i];
        for (int j = 0; j < r->d; j++)
            r->x[i] += step[j] * r->T[i * r->d + j];
    }
    if (zw_flow_project(e->flow, t, r->x, NULL, &ignored) < 0 ||
        zw_flow_observables(e->flow, t, r->x, r->observed, &ignored) < 0 ||
        zw_symmetries_momenta(&e->symmetries, e->flow, t, r->x, NULL, r->value + 1, r->known,
                              &ignored) < 0)
        return false;
    r->value[0] = r->observed[e->kernel->nobs] + r->observed[e->kernel->nobs + 1];
    for (int i = 0; i < r->ns; i++) {
        if (!r->known[i])
            return false;
        r->value[0] -= e->motion.c[i] * r->value[1 + i];
    }
    return true;
}

/* ---------------------------------------------------------------------------------- derivatives */

/* H and dJ by central differences; false where W has no value, or where the motion is no critical
 * point of it */
static bool differentiate_potential(router *r, double *step) {
    int d = r->d;
    double most = 0, slope = 0;
    for (int i = 0; i < d; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0, first = 0;
            for (int s = 0; s < 4; s++) {
                double a = s & 1 ? -STEP : STEP, b = s & 2 ? -STEP : STEP;
                memset(step, 0, sizeof(double) * (size_t)d);
                step[i] += a;
                step[j] += b;
                if (!evaluate_potential(r, step))
                    return false;
                sum += (a > 0) == (b > 0) ? r->value[0] : -r->value[0];
                first += a > 0 ? r->value[0] : -r->value[0];
                for (int k = 0; j == 0 && k < r->ns; k++)
                    r->dJ[k * d + i] += (a > 0 ? 1 : -1) * r->value[1 + k] / (4 * STEP);
            }
            r->H[i * d + j] = r->H[j * d + i] = sum / (4 * STEP * STEP);
            most = fmax(most, fabs(r->H[i * d + j]));
            slope = fmax(slope, fabs(first) / (4 * STEP));
        }
    return slope <= STEP * most /* of third derivatives */ && most > 0;
}

/* is H A + A'H = 0? */
static bool is_conserved(const router *r) {
    int d = r->d;
    double worst = 0, size = 0;
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) {
            double sum = 0, terms = 0;
            for (int k = 0; k < d; k++) {
                double a = r->H[i * d + k] * r->A[k * d + j], b = r->H[j * d + k] * r->A[k * d + i];
                sum += a + b;
                terms = fmax(terms, fmax(fabs(a), fabs(b)));
            }
            worst = fmax(worst, fabs(sum));
            size = fmax(size, terms);
        }
    return worst <= CONSERVED * size;
}

/* ------------------------------------------------------------------------------------ signature */

/* directions that change no momentum, as rows of Z (n x d); -1: no memory */
static int keep_momenta(router *r, double *Z) {
    int d = r->d, rank = 0;
    double *sv = ZW_NEW(r->work, double, d + 1), *rows = ZW_NEW(r->work, double, r->ns *d + 1);
    for (int i = 0; rows && i < r->ns; i++) {
        double length = zw_dense_norm(d, r->dJ + (size_t)i * (size_t)d);
        for (int k = 0; k < d && length > 0; k++)
            rows[i * d + k] = r->dJ[i * d + k] / length;
    }
    double *V = ZW_NEW(r->work, double, d *d + 1);
    if (r->work->failed || !zw_dense_svd(r->work, r->ns, d, rows, sv, V, NULL))
        return -1;
    while (rank < d && rank < r->ns && sv[rank] > DEPENDENT)
        rank++;
    memcpy(Z, V + (size_t)rank * (size_t)d, sizeof(double) * (size_t)((d - rank) * d));
    return d - rank;
}

static zw_status count_signs(router *r, zw_curvature *out) {
    int d = r->d, n;
    double *Z = ZW_NEW(r->work, double, d *d + 1), *HZ = ZW_NEW(r->work, double, d *d + 1),
           *B = ZW_NEW(r->work, double, d *d + 1), most = 0;
    zw_dense_eigen e;
    if (r->work->failed || (n = keep_momenta(r, Z)) < 0)
        return zw_dense_failure(r->work, r->err);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < d; k++)
            for (int l = 0; l < d; l++)
                HZ[i * d + k] += Z[i * d + l] * r->H[l * d + k];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < d; k++)
                B[i * n + j] += HZ[i * d + k] * Z[j * d + k];
    if (!zw_dense_eigenvalues(r->work, n, B, &e))
        return zw_dense_failure(r->work, r->err);
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(e.re[i]));
    for (int i = 0; i < n; i++) {
        out->up += e.re[i] > FLAT * most;
        out->down += e.re[i] < -FLAT * most;
        out->flat += fabs(e.re[i]) <= FLAT * most;
    }
    out->known = true;
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------------- whole */

/* T in the sizes of the state, and the linear equations on S in its coordinates */
static zw_status prepare_basis(router *r) {
    zw_equilibria *e = r->e;
    int nx = r->nx;
    double *J = ZW_NEW(r->work, double, nx *nx + 1), *JT, t = e->options.t;
    r->T = ZW_NEW(r->work, double, nx *nx + 1);
    r->D = ZW_NEW(r->work, double, nx *nx + 1);
    if (r->work->failed)
        return zw_out_of_memory(r->err, NULL);
    ZW_TRY(zw_flow_tangent(e->flow, t, e->motion.x, ZW_METRIC_MASS, &r->d, r->T, r->D, r->err));
    for (int j = 0; j < r->d; j++) {
        double size = 0;
        for (int i = 0; i < nx; i++)
            size = fmax(size, fabs(r->T[i * r->d + j]) / e->scale[i]);
        for (int i = 0; i < nx; i++) {
            r->T[i * r->d + j] /= size;
            r->D[j * nx + i] *= size;
        }
    }
    ZW_TRY(zw_symmetries_operator(&e->symmetries, e->flow, t, e->motion.x, e->motion.c, J, r->err));
    JT = ZW_NEW(r->work, double, nx * r->d + 1);
    r->A = ZW_NEW(r->work, double, r->d * r->d + 1);
    r->H = ZW_NEW(r->work, double, r->d * r->d + 1);
    r->dJ = ZW_NEW(r->work, double, r->ns * r->d + 1);
    r->x = ZW_NEW(r->work, double, nx + 1);
    r->value = ZW_NEW(r->work, double, r->ns + 1);
    r->observed = ZW_NEW(r->work, double, e->kernel->nobs + 3);
    r->known = ZW_NEW(r->work, bool, r->ns + 1);
    if (r->work->failed)
        return zw_out_of_memory(r->err, NULL);
    zw_dense_multiply(nx, nx, r->d, J, r->T, JT);
    zw_dense_multiply(r->d, nx, r->d, r->D, JT, r->A);
    return ZW_OK;
}

zw_status zw_equilibria_amended(zw_equilibria *e, zw_curvature *out, zw_error *err) {
    const zw_kernel *k = e->kernel;
    zw_arena work;
    router r = {.e = e, .nx = k->nx, .ns = e->symmetries.n, .err = err};
    *out = (zw_curvature){0};
    /* constraints on velocities conserve no momenta, and a principle of its own has other
     * velocities */
    if (k->own_metric || k->unsymmetric || k->canonical || !e->symmetries.autonomous ||
        k->nvel > k->npos)
        return ZW_OK;
    if (!zw_kernel_has(k, ZW_SET(OBS))) {
        ZW_TRY(zw_kernel_require(e->kernel, ZW_SET(OBS), err));
        ZW_TRY(zw_flow_renew(e->flow, err));
    }
    r.work = &work;
    zw_arena_init(&work, &k->alloc);
    zw_status status = prepare_basis(&r);
    double *step = status >= 0 ? ZW_NEW(&work, double, r.d + 1) : NULL;
    if (status >= 0 && !step)
        status = zw_out_of_memory(err, NULL);
    if (status >= 0 && differentiate_potential(&r, step) && is_conserved(&r))
        status = count_signs(&r, out);
    if (e->motion.nfixed > 0 && out->down > 0)
        *out = (zw_curvature){0};
    zw_arena_clear(&work);
    return status;
}
