/* SPDX-License-Identifier: MIT */
/* Sizes of the unknowns of a steady motion, of the rows of its equations, and of the entries of a
 * state, which are the units of all comparisons. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "base/tolerance.h"
#include "num/linear/dense.h"
#include "steady.h"

/* Of the state: distance of the neighbour at which a symmetry is measured that vanishes here. */
#define NEIGHBOUR_DISTANCE 0.01
#define ROW_ROUNDOFF ZW_ROUNDOFF_SUM /* size of a row relative to its terms, at least */
#define OPERATIONS 1e3               /* roundings in the terms of a residual */
/* Times the change of a residual by changes in the last digits of the state: larger residuals are
 * not rounding. The changes are random, 30 is far outside their distribution. */
#define REAL_RESIDUAL 30
enum { COPIES = 4 }; /* of the state with changed digits */
/* rate of an entry relative to the fastest, at least, for the unit of its row; chosen by trial:
 * separates slow rows, which get their own size later, from rounding */
#define ROW_SLOWEST 1e-3
/* of the fastest oscillation, as a rate of velocities at rest; chosen by trial: separates
 * oscillations that a search meets from stiff ones, whose velocities would be too large */
#define STIFFNESS_SHARE 0.1

/* --------------------------------------------------------------------------------------- scales */

/* The largest entry of a symmetry in the sizes of the state. */
static double largest_part(const zw_steady_solver *a, const double *X) {
    double most = 0;
    for (int i = 0; i < a->nx; i++)
        most = fmax(most, fabs(X[i]) / a->scale[i]);
    return most;
}

/* The unit of c_i: the rate that moves the state by its size in a second. Where a symmetry does not
 * move the state, rounding is no unit; its effect on a neighbouring state is. */
zw_status zw_steady_size_unknowns(zw_steady_solver *a) {
    zw_random random = zw_random_stream(21, 0);
    zw_arena_mark mark = zw_arena_mark_now(&a->arena);
    double *x = ZW_NEW(&a->arena, double, a->nx + 1),
           *X = ZW_NEW(&a->arena, double, a->nc * a->nx + 1);
    if (a->arena.failed)
        return zw_out_of_memory(a->err, NULL);
    for (int i = 0; i < a->nx; i++)
        x[i] = a->x[i] + NEIGHBOUR_DISTANCE * a->scale[i] * zw_random_real(&random, -1, 1);
    zw_error ignored = {0};
    bool known = zw_symmetries_at(a->s, a->flow, a->out->t, x, NULL, X, &ignored) >= 0;
    for (int j = 0; j < a->nc; j++) {
        double most = largest_part(a, a->X + (size_t)j * (size_t)a->nx);
        if (known)
            most = fmax(most, NEIGHBOUR_DISTANCE * largest_part(a, X + (size_t)j * (size_t)a->nx));
        a->c_unit[j] = most > 0 ? 1 / most : 1;
    }
    zw_arena_release(&a->arena, mark);
    return ZW_OK;
}

/* The effect of a change of the state by its size on held value i, constraints ignored. */
static double reach_of_hold(const zw_steady_solver *a, int i) {
    const zw_hold *h = &a->hold[i];
    double square = 0;
    if (!h->observable)
        return a->scale[h->index];
    for (int l = 0; l < a->nx; l++)
        square += pow(a->obs_dx[h->index * a->nx + l] * a->scale[l], 2);
    return sqrt(square);
}

/* Units of the rows: for rates the size of the entry times the rate of change of the motion, for
 * held values the effect of a change by the sizes along their gradients. Where constraints
 * determine a held value, its allowed change is rounding, which must not become the unit. The units
 * stay as they are at the start. */
void zw_steady_size_rows(zw_steady_solver *a) {
    double fastest = 0;
    for (int i = 0; i < a->m; i++) {
        a->row_unit[i] = zw_dense_norm(a->n, a->J + (size_t)i * (size_t)a->n);
        if (i < a->nx)
            fastest = fmax(fastest, a->row_unit[i] / a->scale[i]);
    }
    for (int i = 0; i < a->m; i++) {
        if (i < a->nx)
            a->row_unit[i] = fmax(a->row_unit[i], ROW_SLOWEST * fastest * a->scale[i]);
        else
            a->row_unit[i] = fmax(a->row_unit[i], ROW_SLOWEST * reach_of_hold(a, i - a->nx));
        if (a->row_unit[i] == 0)
            a->row_unit[i] = 1;
    }
}

/* c of the symmetries along which the motion moves, by least squares: without it the steps would
 * stop the motion rather than follow it. */
zw_status zw_steady_follow_motion(zw_steady_solver *a) {
    int nx = a->nx, nc = a->nc;
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < nc; j++)
            a->J[i * nc + j] = a->X[j * nx + i] * a->c_unit[j] / a->row_unit[i];
    if (!zw_dense_svd(&a->arena, nx, nc, a->J, a->sv, a->V, a->U))
        return zw_dense_failure(&a->arena, a->err);
    for (int k = 0; k < nc && k < nx && a->sv[k] > ZW_STEADY_INDEPENDENT * a->sv[0]; k++) {
        double part = 0;
        for (int i = 0; i < nx; i++)
            part += a->U[k * nx + i] * a->r[i] / a->row_unit[i];
        for (int j = 0; j < nc; j++)
            a->c[j] += a->c_unit[j] * a->V[k * nc + j] * part / a->sv[k];
    }
    return ZW_OK;
}

double zw_steady_scaled_length(const zw_steady_solver *a) {
    double sum = 0;
    for (int i = 0; i < a->m; i++)
        sum += pow(a->r[i] / a->row_unit[i], 2);
    return sqrt(sum);
}

/* -------------------------------------------------------------------------- remaining
 * correction */

/* The rows of velocities come from the same linear equations, and have the rounding of the largest
 * of them. */
static void share_among_velocities(const zw_steady_solver *a, double *of_row) {
    double most = 0;
    for (int i = a->k->nq; i < a->nx; i++)
        most = fmax(most, of_row[i] / a->scale[i]);
    for (int i = a->k->nq; i < a->nx; i++)
        of_row[i] = most * a->scale[i];
}

/* Each row in its own size at x, and the rounding of r there. */
zw_status zw_steady_rescale_rows(zw_steady_solver *a) {
    bool on_manifold = zw_flow_levels(a->flow) > 0;
    ZW_TRY(zw_steady_residual(a, a->x, a->c, a->err));
    ZW_TRY(zw_steady_jacobian(a));
    for (int i = 0; i < a->nx; i++) {
        a->terms[i] = 0;
        a->noise[i] = OPERATIONS * DBL_EPSILON * a->size[i];
        for (int l = 0; l < a->nx; l++) {
            double slope = fabs(a->jac[i * a->nx + l]);
            a->terms[i] += slope * a->scale[l];
            a->noise[i] += slope * (OPERATIONS * DBL_EPSILON * fabs(a->x[l]) +
                                    (on_manifold ? ROW_ROUNDOFF * a->scale[l] : 0));
        }
    }
    share_among_velocities(a, a->terms);
    share_among_velocities(a, a->noise);
    for (int i = 0; i < a->m; i++) {
        double own = zw_dense_norm(a->n, a->J + (size_t)i * (size_t)a->n);
        if (i < a->nx)
            own = fmax(own, ROW_ROUNDOFF * a->terms[i]);
        else
            own = fmax(own, ROW_SLOWEST * reach_of_hold(a, i - a->nx));
        a->row_unit[i] = own > 0 ? own : 1;
        a->noise[i] =
            (i < a->nx ? a->noise[i] : OPERATIONS * DBL_EPSILON * a->size[i]) / a->row_unit[i];
    }
    return zw_steady_decompose(a);
}

/* Rounding of Ur (n), measured: r at states and parameters that differ in their last digits. Such
 * states are not on a manifold of constraints; there the bound of each row is used. */
static zw_status measure_rounding(zw_steady_solver *a, double *rounding) {
    int least = a->m < a->n ? a->m : a->n, np = a->k->np;
    zw_random random = zw_random_stream(22, 0);
    double *p = ZW_NEW(&a->arena, double, np + 1), *shaken = ZW_NEW(&a->arena, double, np + 1);
    if (a->arena.failed)
        return zw_out_of_memory(a->err, NULL);
    for (int k = 0; k < least; k++) {
        rounding[k] = DBL_EPSILON * fabs(a->Ur[k]);
        for (int i = 0; i < a->m; i++)
            rounding[k] += fabs(a->U[k * a->m + i]) * ZW_SHAKE * a->size[i] / a->row_unit[i];
    }
    memcpy(p, zw_flow_parameters(a->flow), sizeof(double) * (size_t)np);
    zw_status status = ZW_OK;
    for (int copy = 0; copy < COPIES && status >= 0; copy++) {
        zw_random_shake(&random, a->nx, a->x, a->x_trial);
        zw_random_shake(&random, np, p, shaken);
        status = zw_flow_set_parameters(a->flow, shaken, a->err);
        if (status >= 0)
            status = zw_steady_residual(a, a->x_trial, a->c, a->err);
        for (int k = 0; k < least && status >= 0; k++) {
            double change = -a->Ur[k];
            for (int i = 0; i < a->m; i++)
                change += a->U[k * a->m + i] * a->r[i] / a->row_unit[i];
            rounding[k] = fmax(rounding[k], REAL_RESIDUAL * fabs(change));
        }
    }
    zw_status restored = zw_flow_set_parameters(a->flow, p, a->err);
    if (status >= 0 && restored >= 0)
        return zw_steady_residual(a, a->x, a->c, a->err);
    return status < 0 ? status : restored;
}

/* Rounding of Ur (n), by the bounds of the rows and by measurement. */
static zw_status bound_rounding(zw_steady_solver *a, double *rounding) {
    int least = a->m < a->n ? a->m : a->n;
    bool measured = zw_flow_levels(a->flow) == 0;
    if (measured)
        ZW_TRY(measure_rounding(a, rounding));
    for (int k = 0; k < least; k++) {
        double bound = DBL_EPSILON * fabs(a->Ur[k]);
        for (int i = 0; i < a->m; i++)
            bound += fabs(a->U[k * a->m + i]) * a->noise[i];
        rounding[k] = measured ? fmin(rounding[k], bound) : bound;
    }
    return ZW_OK;
}

/* The largest part of the correction in the sizes of the state and its entries; parts that are
 * rounding do not count. */
zw_status zw_steady_correction(zw_steady_solver *a, double *most) {
    int least = a->m < a->n ? a->m : a->n;
    zw_arena_mark mark = zw_arena_mark_now(&a->arena);
    double *rounding = ZW_NEW(&a->arena, double, least + 1);
    if (!rounding)
        return zw_out_of_memory(a->err, NULL);
    ZW_TRY(bound_rounding(a, rounding));
    *most = 0;
    for (int k = 0; k < least && a->sv[k] > 0; k++) {
        if (fabs(a->Ur[k]) <= rounding[k])
            continue;
        for (int i = 0; i < a->nx; i++) {
            double change = 0;
            for (int j = 0; j < a->d; j++)
                change += a->T[i * a->d + j] * a->V[k * a->n + j];
            *most = fmax(*most,
                         fabs(change) * fabs(a->Ur[k]) / a->sv[k] / (a->scale[i] + fabs(a->x[i])));
        }
    }
    zw_arena_release(&a->arena, mark);
    return ZW_OK;
}

/* -------------------------------------------------------------------------------- typical sizes */

/* The least width of a coordinate over its rate of change by velocity v. */
static double reach_of(const zw_kernel *k, const double *J, const double *width, int v) {
    double least = INFINITY;
    for (int i = 0; i < k->nq; i++) {
        double slope = fabs(J[i * k->nx + k->nq + v]);
        if (slope > 0)
            least = fmin(least, width[i] / slope);
    }
    return isfinite(least) ? least : 1;
}

zw_status zw_steady_scale(zw_flow *flow, double t, const double *x, const double *width,
                          double *scale, zw_error *err) {
    const zw_kernel *k = zw_flow_kernel(flow);
    int nx = k->nx, nq = k->nq;
    double *J = zw_allocate(&k->alloc, sizeof(double) * (size_t)(nx * nx + nx + 1)), *f, rate = 0,
           stiff = 0;
    if (!J)
        return zw_out_of_memory(err, NULL);
    f = J + (size_t)nx * (size_t)nx;
    zw_status status = zw_flow_rates(flow, t, x, f, NULL, err);
    if (status >= 0)
        status = zw_flow_jacobian(flow, t, x, J, NULL, err);
    for (int i = 0; status >= 0 && i < nx; i++) {
        scale[i] = i < nq ? width[i] : reach_of(k, J, width, i - nq);
        rate = fmax(rate, i < nq ? fabs(f[i]) / scale[i] : sqrt(fabs(f[i]) / scale[i]));
        for (int l = 0; i >= nq && l < nq; l++)
            stiff = fmax(stiff, sqrt(fabs(J[i * nx + l]) * scale[l] / scale[i]));
    }
    rate = fmax(rate, STIFFNESS_SHARE * stiff);
    for (int i = nq; status >= 0 && i < nx; i++)
        scale[i] *= rate > 0 ? rate : 1;
    zw_release(&k->alloc, J, sizeof(double) * (size_t)(nx * nx + nx + 1));
    return status;
}
