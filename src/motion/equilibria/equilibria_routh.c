/* The potential at constant momenta (Routh) about a motion that rotates or translates.
 *
 * If the energy E and the momenta J_i of the symmetries are all conserved, a steady motion is a
 * critical point of
 *
 *     W = E - sum_i c_i J_i     on the manifold S of the constraints,
 *
 * and its second derivative H there is conserved by the linear equations: H A + A'H = 0. This tests
 * whether the assumption holds. On the directions that change no J_i the kinetic part of H is
 * positive, so that W falls in as many directions as the potential does after Routh's elimination
 * of the momenta; along orbits it is flat. If symmetries fix the motion, c is not unique, and W
 * with another c may have a minimum (a sleeping top): then only a minimum is reported. H comes from
 * differences of W on S, which is allowed at a critical point: the distance of a step from the
 * tangent space enters in the third order. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "equilibria.h"
#include "num/linear/dense.h"

/* In the sizes of the state. For second differences the best step is eps^(1/4) = 1.2e-4, with an
 * error of eps^(1/2). */
#define DIFFERENCE_STEP 1e-4
#define H_CONSERVED 1e-4 /* H A + A'H relative to its terms: above the error of the differences */
/* Curvature relative to the steepest: flat. The error of H is DIFFERENCE_STEP squared, and eps /
 * that, about 1e-8, times the spread of sizes. */
#define CURVATURE_FLAT 1e-5
/* singular values of gradients of length one: above the error of their differences, 1e-8 */
#define MOMENTUM_DEPENDENT 1e-6

/* Work on the potential at constant momenta. */
typedef struct routh_work {
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
} routh_work;

/* -------------------------------------------------------------------------------- W and momenta */

/* W and J at the point of S near x0 + sum of step_j T_j; false if there is none. */
static bool evaluate_potential(routh_work *r, const double *step) {
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

/* H and dJ by central differences; false if W has no value, or if the motion is no critical
 * point. */
static bool differentiate_potential(routh_work *r, double *step) {
    int d = r->d;
    double most = 0, slope = 0;
    for (int i = 0; i < d; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0, first = 0;
            for (int s = 0; s < 4; s++) {
                double a = s & 1 ? -DIFFERENCE_STEP : DIFFERENCE_STEP,
                       b = s & 2 ? -DIFFERENCE_STEP : DIFFERENCE_STEP;
                memset(step, 0, sizeof(double) * (size_t)d);
                step[i] += a;
                step[j] += b;
                if (!evaluate_potential(r, step))
                    return false;
                sum += (a > 0) == (b > 0) ? r->value[0] : -r->value[0];
                first += a > 0 ? r->value[0] : -r->value[0];
                for (int k = 0; j == 0 && k < r->ns; k++)
                    r->dJ[k * d + i] += (a > 0 ? 1 : -1) * r->value[1 + k] / (4 * DIFFERENCE_STEP);
            }
            r->H[i * d + j] = r->H[j * d + i] = sum / (4 * DIFFERENCE_STEP * DIFFERENCE_STEP);
            most = fmax(most, fabs(r->H[i * d + j]));
            slope = fmax(slope, fabs(first) / (4 * DIFFERENCE_STEP));
        }
    return slope <= DIFFERENCE_STEP * most /* of third derivatives */ && most > 0;
}

/* Is H A + A'H = 0? */
static bool is_conserved(const routh_work *r) {
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
    return worst <= H_CONSERVED * size;
}

/* ------------------------------------------------------------------------------------ signature */

/* Directions that change no momentum, as rows of Z (n x d); returns n, -1 if out of memory. */
static int find_constant_momenta(routh_work *r, double *Z) {
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
    while (rank < d && rank < r->ns && sv[rank] > MOMENTUM_DEPENDENT)
        rank++;
    memcpy(Z, V + (size_t)rank * (size_t)d, sizeof(double) * (size_t)((d - rank) * d));
    return d - rank;
}

static zw_status count_signs(routh_work *r, zw_curvature *out) {
    int d = r->d, n;
    double *Z = ZW_NEW(r->work, double, d *d + 1), *HZ = ZW_NEW(r->work, double, d *d + 1),
           *B = ZW_NEW(r->work, double, d *d + 1), most = 0;
    zw_dense_eigen e;
    if (r->work->failed || (n = find_constant_momenta(r, Z)) < 0)
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
        out->up += e.re[i] > CURVATURE_FLAT * most;
        out->down += e.re[i] < -CURVATURE_FLAT * most;
        out->flat += fabs(e.re[i]) <= CURVATURE_FLAT * most;
    }
    out->known = true;
    return ZW_OK;
}

/* ----------------------------------------------------------------------------------------- main */

/* T in the sizes of the state, and the linear equations on S in its coordinates. */
static zw_status prepare_basis(routh_work *r) {
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
    routh_work r = {.e = e, .nx = k->nx, .ns = e->symmetries.n, .err = err};
    *out = (zw_curvature){0};
    /* constraints on velocities conserve no momenta, and other principles have other velocities */
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
