/* SPDX-License-Identifier: MIT */
/* Rates of a motion that is given as series in time and eps (src/expr/series/jet2.h): coordinates,
 * velocities, parameters and time are series, the expressions of the equations are evaluated with
 * them, and
 *
 *   [ M  -C ] [ v'     ]   [ h ]
 *   [ W   0 ] [ lambda ] = [ b ]
 *
 * is solved degree by degree: with A = A_0 + A_1 + ... by degree, A_0 x_d = b_d - sum A_e x_(d-e).
 * Dependent rows of W are left out: their forces are not determined, the motion is. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "num/linear/linalg.h"
#include "slip.h"

/* of its value elsewhere: the surface of a kink vanishes where the constraints are satisfied */
#define SURFACE_AT_ZERO 1e-9
#define POLE_ROUNDOFF 1e-9 /* of the scale: round-off of terms before 1/eps, which cancel */

zw_status zw_slip_manifold_memory(zw_error *err) {
    return zw_out_of_memory(err, NULL);
}

static zw_status no_series(const zw_slip_manifold *n, const zw_jet2_fault *fault, zw_error *err) {
    ZW_TRY(zw_context_status(n->ctx, err));
    char *text = fault->node ? zw_print_within(n->ctx, fault->node, ZW_TEXT, 120) : NULL;
    zw_fail(
        err, ZW_E_DOMAIN,
        "the equations have no series in time and %s where the constraints are satisfied: %s%s%s",
        n->sys->param[n->small].name, text ? text : "a part of them", ": ",
        fault->why ? fault->why : "no finite value");
    zw_error_hint(err, "use friction that is smooth where the slip is 0, such as -c*slip/eps");
    zw_string_free(n->ctx, text);
    return ZW_E_DOMAIN;
}

/* Parameters, time and state as series. */
static zw_status load_values(zw_slip_manifold *n, zw_jet2_shape shape, double eps, double t,
                             zw_error *err) {
    zw_jet2_fault fault = {0};
    for (int i = 0; i < n->np; i++)
        n->value[i] = zw_jet2_number(shape, n->p[i]);
    n->value[n->small] = shape.two ? zw_jet2_small(shape) : zw_jet2_number(shape, eps);
    for (int i = 0; i < n->np; i++)
        if (n->follows[i] && !zw_jet2_eval(n->ctx, shape, 1, &n->sys->param[i].value, n->np,
                                           n->symbol, n->value, &n->value[i], &fault))
            return no_series(n, &fault, err);
    zw_jet2 *time = &n->value[n->t_symbol];
    *time = zw_jet2_number(shape, t);
    if (shape.degree > 0 && !n->time_fixed)
        time->c[zw_jet2_at(shape, 1, 0)] = 1;
    memcpy(n->value + n->q_symbol, n->q, (size_t)n->nq * sizeof *n->q);
    memcpy(n->value + n->v_symbol, n->v, (size_t)n->nv * sizeof *n->v);
    for (int i = 0; i < n->eq.nu; i++)
        n->value[n->v_symbol + n->nv + i] = zw_jet2_number(shape, n->input[i]);
    return ZW_OK;
}

static zw_status evaluate_series(zw_slip_manifold *n, zw_jet2_shape shape, double eps, double t,
                                 int first, int count, zw_error *err) {
    zw_jet2_fault fault = {0};
    ZW_TRY(load_values(n, shape, eps, t, err));
    if (!zw_jet2_eval(n->ctx, shape, count, n->root + first, n->nsymbol, n->symbol, n->value,
                      n->out + first, &fault))
        return no_series(n, &fault, err);
    return ZW_OK;
}

/* The rate of the motion [1/s]: its coefficients of t^d are of the order of the power d of this. */
static double motion_pace(const zw_slip_manifold *n, zw_jet2_shape shape) {
    double w = 1, speed = n->point.speed;
    for (int i = 0; i < n->nq; i++)
        w = fmax(w, fabs(n->out[n->at.qdot + i].c[0]));
    for (int j = 0; speed > 0 && j < n->nv; j++)
        for (int d = 1; d <= n->v[j].degree; d++) {
            double c = sqrt(fabs(n->point.M[j * n->nv + j])) *
                       fabs(n->v[j].c[zw_jet2_at(shape, d, 0)]) / speed;
            w = fmax(w, pow(c, 1.0 / d));
        }
    return 2 * w;
}

/* Relative size of the terms before 1/eps; 1 if they are as large as the scale. */
static double relative_share(zw_jet2_shape shape, const zw_jet2 *a, double scale, double pace) {
    double most = 0;
    for (int d = 0; a->low < 0 && d <= a->degree; d++)
        most = fmax(most, fabs(a->c[zw_jet2_at(shape, d, 0)]) / pow(pace, d));
    return most > 0 ? most / scale : 0;
}

static double largest_term(const zw_slip_manifold *n, int first, int count) {
    double most = 0;
    for (int i = first; i < first + count; i++)
        most = fmax(most, fabs(n->out[i].c[0]));
    return most;
}

static zw_status report_growth(const zw_slip_manifold *n, const char *what, const char *name,
                               zw_error *err) {
    if (n->ignore_singular)
        return ZW_OK;
    zw_fail(err, ZW_E_DOMAIN, "%s %s grows with 1/%s where the constraints are satisfied", what,
            name, n->sys->param[n->small].name);
    zw_error_hint(err,
                  "--near needs all constraints that forces of order 1/%s enforce; such forces "
                  "vanish where the constraints are satisfied",
                  n->sys->param[n->small].name);
    return ZW_E_DOMAIN;
}

/* Removes negative powers of eps, which must be round-off. */
static zw_status make_regular(zw_slip_manifold *n, zw_jet2_shape shape, zw_error *err) {
    double w = n->pace = motion_pace(n, shape), speed = largest_term(n, n->at.qdot, n->nq);
    for (int i = 0; shape.two && i < n->at.W; i++) {
        const zw_jet2 *a = &n->out[i];
        if (i < n->at.M && relative_share(shape, a, speed, w) > POLE_ROUNDOFF)
            ZW_TRY(report_growth(n, "the rate of", n->sys->coord[i].name, err));
        if (i >= n->at.h && i < n->at.C &&
            relative_share(shape, a, n->force_scale, w) > POLE_ROUNDOFF)
            ZW_TRY(report_growth(n, "the force on", n->sys->velocity[i - n->at.h].name, err));
        if (i >= n->at.C && relative_share(shape, a, n->multiplier_scale, w) > POLE_ROUNDOFF)
            ZW_TRY(report_growth(n, "the force on", n->sys->velocity[(i - n->at.C) / n->nc].name,
                                 err));
    }
    for (int i = 0; i < n->at.n; i++)
        zw_jet2_regular(shape, &n->out[i], NULL);
    return ZW_OK;
}

static zw_status not_smooth(const zw_slip_manifold *n, zw_expr part, zw_error *err) {
    char *text = zw_print_within(n->ctx, part, ZW_TEXT, 80);
    zw_fail(err, ZW_E_DOMAIN,
            "%s is not smooth where the slips are 0%s%s: there is no series in %s",
            n->result.nforce ? n->result.force[0] : "a force", text ? ", by " : "",
            text ? text : "", n->result.small);
    zw_error_hint(err,
                  "friction -c*slip/%s is smooth and grows with 1/%s; slip/(|slip| + %s) is "
                  "bounded, and enforces a constraint only where a smaller force suffices",
                  n->result.small, n->result.small, n->result.small);
    zw_string_free(n->ctx, text);
    return ZW_E_DOMAIN;
}

zw_status zw_slip_manifold_kinks(zw_slip_manifold *n, double t, bool off, zw_error *err) {
    const zw_jet2_shape shape = {0, false};
    zw_jet2_fault fault = {0};
    ZW_TRY(load_values(n, shape, n->result.eps, t, err));
    for (int i = 0; i < n->nkink; i++) {
        zw_jet2 value;
        if (!zw_jet2_eval(n->ctx, shape, 1, &n->kink[i], n->nsymbol, n->symbol, n->value, &value,
                          &fault)) {
            ZW_TRY(zw_context_status(n->ctx, err));
            /* of multipliers or of accelerations: checked when it is evaluated */
            n->surface[i] = NAN;
            continue;
        }
        if (!off)
            n->surface[i] = value.c[0];
        else if (fabs(n->surface[i]) < SURFACE_AT_ZERO * fabs(value.c[0]))
            return not_smooth(n, n->kink_part[i], err);
    }
    return ZW_OK;
}

zw_status zw_slip_manifold_check_balance(zw_slip_manifold *n, double t, zw_error *err) {
    const zw_jet2_shape shape = {0, true};
    ZW_TRY(evaluate_series(n, shape, 0, t, 0, n->at.n, err));
    return make_regular(n, shape, err);
}

/* The terms before 1/eps for the velocities of n: the scale of their round-off where the
 * constraints are satisfied. */
void zw_slip_manifold_find_scale(zw_slip_manifold *n, double t) {
    zw_jet2_shape shape = {0, true};
    zw_error why = {0};
    n->force_scale = n->multiplier_scale = 0;
    if (evaluate_series(n, shape, 0, t, 0, n->at.W, &why) < 0)
        return;
    for (int i = n->at.h; i < n->at.W; i++)
        if (n->out[i].low < 0) {
            double *force_scale = i < n->at.C ? &n->force_scale : &n->multiplier_scale;
            *force_scale = fmax(*force_scale, fabs(n->out[i].c[0]));
        }
}

/* ----------------------------------------------------------------------------- linear equations */

zw_status zw_slip_manifold_solve(zw_slip_manifold *n, zw_jet2_shape shape, int count,
                                 const zw_jet2 *A, zw_jet2 *b, zw_error *err) {
    int degree = shape.degree, *pivot = n->pivot;
    double *LU = n->lu, *x = n->scratch;
    for (int i = 0; i < count * count; i++) {
        LU[i] = A[i].c[0];
        degree = A[i].degree < degree ? A[i].degree : degree;
    }
    for (int i = 0; i < count; i++)
        degree = b[i].degree < degree ? b[i].degree : degree;
    if (!(zw_num_lu(count, LU, pivot) > 0))
        return zw_fail(err, ZW_E_SINGULAR, "the mass matrix or the constraints are singular");
    for (int d = 0; d <= degree; d++) {
        for (int i = 0; i < count; i++)
            for (int j = 0; j < count; j++)
                for (int e = 1; e <= d; e++)
                    zw_jet2_parts(shape, A[i * count + j].c, e, b[j].c, d, -1, b[i].c);
        for (int k = 0; k <= (shape.two ? d : 0); k++) {
            int at = zw_jet2_at(shape, d, k);
            for (int i = 0; i < count; i++)
                x[i] = b[i].c[at];
            zw_num_lu_solve(count, LU, pivot, 1, x);
            for (int i = 0; i < count; i++)
                b[i].c[at] = x[i];
        }
    }
    for (int i = 0; i < count; i++)
        b[i].degree = degree;
    return ZW_OK;
}

/* M x = h + C lambda, W x = b with the independent rows. */
static zw_status solve_motion(zw_slip_manifold *n, zw_jet2_shape shape, zw_error *err) {
    int nv = n->nv, rank = n->point.rank, size = nv + rank;
    const zw_jet2 zero = zw_jet2_number(shape, 0), *out = n->out;
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) {
            zw_jet2 *a = &n->matrix[i * size + j];
            if (i < nv && j < nv)
                *a = out[n->at.M + i * nv + j];
            else if (i < nv)
                zw_jet2_add(shape, &zero, -1, &out[n->at.C + i * n->nc + n->point.row[j - nv]], a);
            else
                *a = j < nv ? out[n->at.W + n->point.row[i - nv] * nv + j] : zero;
        }
    for (int i = 0; i < nv; i++)
        n->side[i] = out[n->at.h + i];
    for (int i = 0; i < rank; i++)
        n->side[nv + i] = out[n->at.b + n->point.row[i]];
    return zw_slip_manifold_solve(n, shape, size, n->matrix, n->side, err);
}

zw_status zw_slip_manifold_rates(zw_slip_manifold *n, zw_jet2_shape shape, double eps, double t,
                                 zw_error *err) {
    int nv = n->nv;
    zw_jet2 part;
    ZW_TRY(evaluate_series(n, shape, eps, t, 0, n->at.n, err));
    ZW_TRY(make_regular(n, shape, err));
    ZW_TRY(solve_motion(n, shape, err));
    memcpy(n->rate, n->out + n->at.qdot, (size_t)n->nq * sizeof *n->rate);
    memcpy(n->accel, n->side, (size_t)nv * sizeof *n->accel);
    for (int i = 0; i < n->nf; i++) {
        n->gamma[i] = n->out[n->at.gamma + i];
        n->gdot[i] = n->out[n->at.beta + i];
        for (int j = 0; j < nv; j++) {
            zw_jet2_multiply(shape, &n->out[n->at.A + i * nv + j], &n->accel[j], &part);
            zw_jet2_add(shape, &n->gdot[i], 1, &part, &n->gdot[i]);
        }
    }
    return ZW_OK;
}

zw_status zw_slip_manifold_gamma(zw_slip_manifold *n, zw_jet2_shape shape, double eps, double t,
                                 zw_error *err) {
    ZW_TRY(evaluate_series(n, shape, eps, t, n->at.gamma, n->nf, err));
    for (int i = 0; i < n->nf; i++) {
        n->gamma[i] = n->out[n->at.gamma + i];
        zw_jet2_regular(shape, &n->gamma[i], NULL);
    }
    return ZW_OK;
}

zw_status zw_slip_manifold_geometry(zw_slip_manifold *n, zw_jet2_shape shape, double eps, double t,
                                    zw_error *err) {
    ZW_TRY(evaluate_series(n, shape, eps, t, n->at.M, n->nv * n->nv, err));
    ZW_TRY(evaluate_series(n, shape, eps, t, n->at.W, n->nc * n->nv, err));
    ZW_TRY(evaluate_series(n, shape, eps, t, n->at.gamma, n->at.beta - n->at.gamma, err));
    for (int i = n->at.M; i < n->at.beta; i++)
        if (i < n->at.h || i >= n->at.W)
            zw_jet2_regular(shape, &n->out[i], NULL);
    return ZW_OK;
}

/* M w = W' a + A' c. */
zw_status zw_slip_manifold_least_velocity(zw_slip_manifold *n, zw_jet2_shape shape,
                                          const double *held, zw_error *err) {
    int nv = n->nv, rank = n->point.rank, m = rank + n->nf, size = nv + m;
    const zw_jet2 zero = zw_jet2_number(shape, 0);
    for (int i = 0; i < size * size; i++)
        n->matrix[i] = zero;
    for (int i = 0; i < nv; i++) {
        memcpy(n->matrix + i * size, n->out + n->at.M + i * nv, (size_t)nv * sizeof *n->matrix);
        n->side[i] = zero;
    }
    for (int k = 0; k < m; k++) {
        const zw_jet2 *row =
            k < rank ? n->out + n->at.W + n->point.row[k] * nv : n->out + n->at.A + (k - rank) * nv;
        n->side[nv + k] = k < rank ? zw_jet2_number(shape, held ? held[n->point.row[k]] : 0)
                                   : n->out[n->at.gamma + k - rank];
        for (int j = 0; j < nv; j++)
            n->matrix[(nv + k) * size + j] = n->matrix[j * size + nv + k] = row[j];
    }
    return zw_slip_manifold_solve(n, shape, size, n->matrix, n->side, err);
}
