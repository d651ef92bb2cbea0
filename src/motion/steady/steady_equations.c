/* SPDX-License-Identifier: MIT */
/* The equations of a steady motion, as the head of steady.c states them: residual, directions,
 * Jacobian, and the columns of parameters that are solved for. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "num/linear/dense.h"
#include "steady.h"

/* Singular values of G relative to the largest: redundant constraints; G is exact to about
 * ZW_ROUNDOFF_VALUE, and lengths in it differ by less than 1000. */
#define CONSTRAINT_DEPENDENT 1e-10
#define DIFFERENCE_STEP 1e-5 /* of a parameter's size: eps^(1/3) */

/* ------------------------------------------------------------------------------------- residual */

static bool holds_observables(const zw_steady_solver *a) {
    for (int i = 0; i < a->nhold; i++)
        if (a->hold[i].observable)
            return true;
    return false;
}

/* r at (x, c), and the sizes of its terms. */
zw_status zw_steady_residual(zw_steady_solver *a, const double *x, const double *c, zw_error *err) {
    double t = a->out->t;
    ZW_TRY(zw_flow_rates(a->flow, t, x, a->f, a->out->z, err));
    ZW_TRY(zw_symmetries_at(a->s, a->flow, t, x, a->X_0, a->X, err));
    for (int i = 0; i < a->nx; i++) {
        double sum = a->f[i] - a->X_0[i], size = fabs(a->f[i]) + fabs(a->X_0[i]);
        for (int j = 0; j < a->nc; j++) {
            sum -= c[j] * a->X[j * a->nx + i];
            size += fabs(c[j] * a->X[j * a->nx + i]);
        }
        a->r[i] = sum;
        a->size[i] = size;
    }
    if (holds_observables(a))
        ZW_TRY(zw_flow_observables(a->flow, t, x, a->obs, err));
    for (int i = 0; i < a->nhold; i++) {
        const zw_hold *h = &a->hold[i];
        double value = h->observable ? a->obs[h->index] : x[h->index];
        a->r[a->nx + i] = value - h->value;
        a->size[a->nx + i] = fabs(value) + fabs(h->value);
    }
    return ZW_OK;
}

/* T: the tangent directions in the units of the state, made orthonormal. */
static zw_status find_directions(zw_steady_solver *a) {
    int nx = a->nx;
    ZW_TRY(
        zw_flow_tangent(a->flow, a->out->t, a->x, ZW_METRIC_PLAIN, &a->d, a->work, NULL, a->err));
    for (int j = 0; j < a->d; j++) {
        for (int i = 0; i < nx; i++)
            a->T[i * a->d + j] = a->work[i * a->d + j] / a->scale[i];
        for (int pass = 0; pass < 2; pass++)
            for (int k = 0; k < j; k++) {
                double dot = 0;
                for (int i = 0; i < nx; i++)
                    dot += a->T[i * a->d + j] * a->T[i * a->d + k];
                for (int i = 0; i < nx; i++)
                    a->T[i * a->d + j] -= dot * a->T[i * a->d + k];
            }
        double length = 0;
        for (int i = 0; i < nx; i++)
            length += pow(a->T[i * a->d + j], 2);
        for (int i = 0; i < nx; i++)
            a->T[i * a->d + j] /= sqrt(length);
    }
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < a->d; j++)
            a->T[i * a->d + j] *= a->scale[i];
    a->n = a->d + a->nc + a->nfree;
    return ZW_OK;
}

/* ----------------------------------------------------------------------------------- parameters */

zw_status zw_steady_set_values(zw_steady_solver *a, const double *value, zw_error *err) {
    return a->nfree ? a->problem->set(a->problem->user, value, err) : ZW_OK;
}

/* x_p = -G+ g_p in the units of the state: the least motion that stays on the constraints as the
 * parameters change. */
static zw_status follow_parameters(zw_steady_solver *a) {
    int nx = a->nx, ng = zw_flow_levels(a->flow), npar = a->k->npar, least = ng < nx ? ng : nx;
    zw_arena_mark mark = zw_arena_mark_now(&a->arena);
    double *G = ZW_NEW(&a->arena, double, ng *nx + 1),
           *g_p = ZW_NEW(&a->arena, double, ng *npar + 1), *sv = ZW_NEW(&a->arena, double, nx + 1),
           *V = ZW_NEW(&a->arena, double, nx *nx + 1),
           *U = ZW_NEW(&a->arena, double, least *ng + 1);
    if (a->arena.failed)
        return zw_out_of_memory(a->err, NULL);
    memset(a->x_p, 0, sizeof(double) * (size_t)(nx * a->nfree));
    ZW_TRY(zw_flow_constraints(a->flow, a->out->t, a->x, NULL, G, a->err));
    ZW_TRY(zw_flow_constraints_in_parameters(a->flow, a->out->t, a->x, g_p, a->err));
    for (int i = 0; i < ng * nx; i++)
        G[i] *= a->scale[i % nx];
    if (!zw_dense_svd(&a->arena, ng, nx, G, sv, V, U))
        return zw_dense_failure(&a->arena, a->err);
    for (int k = 0; k < least && sv[k] > CONSTRAINT_DEPENDENT * sv[0]; k++)
        for (int j = 0; j < a->nfree; j++) {
            double part = 0;
            for (int i = 0; i < ng; i++)
                part -= U[k * ng + i] * g_p[i * npar + a->problem->column[j]];
            for (int l = 0; l < nx; l++)
                a->x_p[l * a->nfree + j] += a->scale[l] * V[k * nx + l] * part / sv[k];
        }
    zw_arena_release(&a->arena, mark);
    return ZW_OK;
}

/* X_0 + sum_i c_i X_i (nx) for other values of the parameters. */
static zw_status symmetry_rates(zw_steady_solver *a, const double *value, double *sum) {
    ZW_TRY(zw_steady_set_values(a, value, a->err));
    ZW_TRY(zw_symmetries_at(a->s, a->flow, a->out->t, a->x, a->X_0, a->X, a->err));
    for (int i = 0; i < a->nx; i++) {
        sum[i] = a->X_0[i];
        for (int j = 0; j < a->nc; j++)
            sum[i] += a->c[j] * a->X[j * a->nx + i];
    }
    return ZW_OK;
}

/* The column of a parameter in the rows of rates. Symmetries seldom contain parameters (momenta
 * do), so differences suffice. */
static zw_status put_parameter(zw_steady_solver *a, int j, const double *f_p, double *side) {
    int nx = a->nx, npar = a->k->npar;
    double unit = a->problem->value_scale[j], h = DIFFERENCE_STEP * unit;
    memcpy(a->value_trial, a->value, sizeof(double) * (size_t)a->nfree);
    a->value_trial[j] += h;
    ZW_TRY(symmetry_rates(a, a->value_trial, side));
    a->value_trial[j] -= 2 * h;
    ZW_TRY(symmetry_rates(a, a->value_trial, side + nx));
    for (int i = 0; i < nx; i++) {
        double sum = f_p[i * npar + a->problem->column[j]] - (side[i] - side[nx + i]) / (2 * h);
        for (int l = 0; l < nx; l++)
            sum += a->jac[i * nx + l] * a->x_p[l * a->nfree + j];
        a->J[i * a->n + a->d + a->nc + j] = sum * unit;
    }
    return symmetry_rates(a, a->value, side);
}

/* The columns of the parameters in the rows of held values. */
static zw_status put_parameters_held(zw_steady_solver *a, bool observables) {
    int nx = a->nx, npar = a->k->npar, first = a->d + a->nc;
    zw_arena_mark mark = zw_arena_mark_now(&a->arena);
    double *o_p = ZW_NEW(&a->arena, double, (a->k->nobs + 2) * npar + 1);
    if (!o_p)
        return zw_out_of_memory(a->err, NULL);
    if (observables)
        ZW_TRY(zw_flow_observables_in_parameters(a->flow, a->out->t, a->x, o_p, a->err));
    for (int i = 0; i < a->nhold; i++)
        for (int j = 0; j < a->nfree; j++) {
            const zw_hold *h = &a->hold[i];
            double sum = h->observable ? o_p[h->index * npar + a->problem->column[j]]
                                       : a->x_p[h->index * a->nfree + j];
            for (int l = 0; h->observable && l < nx; l++)
                sum += a->obs_dx[h->index * nx + l] * a->x_p[l * a->nfree + j];
            a->J[(nx + i) * a->n + first + j] = sum * a->problem->value_scale[j];
        }
    zw_arena_release(&a->arena, mark);
    return ZW_OK;
}

static zw_status put_parameters(zw_steady_solver *a) {
    int npar = a->k->npar;
    zw_arena_mark mark = zw_arena_mark_now(&a->arena);
    double *f_p = ZW_NEW(&a->arena, double, a->nx *npar + 1),
           *side = ZW_NEW(&a->arena, double, 2 * a->nx + 1);
    if (a->arena.failed)
        return zw_out_of_memory(a->err, NULL);
    ZW_TRY(follow_parameters(a));
    ZW_TRY(zw_flow_in_parameters(a->flow, a->out->t, a->x, f_p, NULL, a->err));
    for (int j = 0; j < a->nfree; j++)
        ZW_TRY(put_parameter(a, j, f_p, side));
    zw_arena_release(&a->arena, mark);
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------- Jacobian */

static void put_row(zw_steady_solver *a, int row, const double *dx) {
    for (int j = 0; j < a->d; j++) {
        double sum = 0;
        for (int l = 0; l < a->nx; l++)
            sum += dx[l] * a->T[l * a->d + j];
        a->J[row * a->n + j] = sum;
    }
}

/* Dr at (x, c), for which the residual was evaluated last. */
zw_status zw_steady_jacobian(zw_steady_solver *a) {
    int nx = a->nx;
    double t = a->out->t;
    ZW_TRY(find_directions(a));
    memset(a->J, 0, sizeof(double) * (size_t)a->m * (size_t)a->n);
    ZW_TRY(zw_symmetries_operator(a->s, a->flow, t, a->x, a->c, a->jac, a->err));
    for (int i = 0; i < nx; i++) {
        put_row(a, i, a->jac + (size_t)i * (size_t)nx);
        for (int j = 0; j < a->nc; j++)
            a->J[i * a->n + a->d + j] = -a->X[j * nx + i] * a->c_unit[j];
    }
    if (a->nfree)
        ZW_TRY(put_parameters(a));
    if (holds_observables(a))
        ZW_TRY(zw_flow_observables_jacobian(a->flow, t, a->x, a->obs_dx, a->err));
    if (a->nfree)
        ZW_TRY(put_parameters_held(a, holds_observables(a)));
    for (int i = 0; i < a->nhold; i++) {
        const zw_hold *h = &a->hold[i];
        memset(a->work, 0, sizeof(double) * (size_t)nx);
        a->work[h->index < nx ? h->index : 0] = 1;
        put_row(a, nx + i, h->observable ? a->obs_dx + (size_t)h->index * (size_t)nx : a->work);
    }
    return ZW_OK;
}
