/* SPDX-License-Identifier: MIT */
/* Radau IIA of order 5 (Hairer and Wanner 1996, IV.8): three implicit stages, stiffly accurate and
 * L-stable: a step follows the slow motion while other components decay fast.
 *
 * The increments Z_i = Y_i - y0 of the stages satisfy Z_i = h sum_j a_ij f(t + c_j h, y0 + Z_j),
 * and y1 = y0 + Z_3. With W = T^-1 Z, T^-1 A^-1 T = diag(gamma, [alpha -beta; beta alpha]), a
 * Newton iteration with one Jacobian J for all stages decouples into a real and a complex system,
 *
 *     (gamma/h - J) dW_1 = T^-1 F |_1 - gamma/h W_1
 *     ((alpha + i beta)/h - J) (dW_2 + i dW_3) = (T^-1 F |_2 + i T^-1 F |_3)
 *                                                - (alpha + i beta)/h (W_2 + i W_3)
 *
 * The error estimate is (gamma/h - J)^-1 (f(t, y0) + sum_i e_i Z_i / h), of order 4 in h where the
 * error itself is of order 6. So that the error and not the estimate is proportional to the
 * tolerance, steps are controlled with rtol' = 0.1 rtol^(2/3) and atol' in the same ratio.
 *
 * The collocation polynomial through y0 and the stages is of order 3 only. It predicts the next
 * stages. States within a step are from the Hermite quintic through y0, the end of a step of half
 * the length, computed when the first state is requested, and y1: order 5, like the steps. Its
 * slopes are those of collocation polynomials at the end of a step, which are f(y1) up to the error
 * of the iteration, which a stiff f would amplify. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "num/internal.h"
#include "num/linear/linalg.h"
#include "onestep.h"
#include "radau_coefficients.h"
#include "step_polynomial.h"

enum { STAGES = 3, ITERATIONS = 7, HERMITE_ROWS = 5 };

/* Of the next step: factor against rejections, largest and least growth, as in RADAU5. */
#define SAFETY 0.9
#define GROW 8.0
#define SHRINK 0.2
/* Convergence rate with which J is kept; least errors in the control: an estimate of the remaining
 * Newton error and of a step that is too small must not make the next step arbitrarily long, and
 * the predictive controller compares with LAST_ERROR_MIN at least. All as in Hairer and Wanner's
 * code RADAU5. */
#define KEEP_JACOBIAN 1e-3
#define NEWTON_ERROR_MIN 1e-4
#define ERROR_MIN 1e-10
#define LAST_ERROR_MIN 1e-2
#define DEFECT_MAX 0.1 /* of the allowed error, by an old Jacobian */
#define KEEP_STEP 1.2  /* growth not worth a new factorisation */

/* the equations of one step and their solution */
typedef struct stages {
    double h;        /* step of the factors, with the sign of time; 0: there are none */
    double *real;    /* n x n */
    double *complex; /* n x n */
    int *real_pivot, *complex_pivot;
    double *Z; /* STAGES x n */
} stages;

typedef struct radau {
    size_t bytes;
    int n;
    double h; /* length of the next step */
    zw_num_tolerance tol;
    double newton_tolerance;
    double theta, eta;         /* of the last iteration: its convergence rate, theta/(1 - theta) */
    double last_h, last_error; /* of the last accepted step, for the controller; 0: none */
    bool rejected;
    bool moved;            /* y1 is the beginning of the next step */
    bool jacobian_is_here; /* J was evaluated at y0 */
    bool is_ahead;         /* J was evaluated at y1, because that at y0 is not valid at y1 */
    bool needs_jacobian;
    bool has_dense;
    stages step, side; /* the last step; a shorter one from its beginning */
    double old_h;      /* length of the previous step, 0: none */
    double *old_Z;     /* its increments, STAGES x n */
    double *y0, *y1, *f0, *f1;
    double *slope0, *slope1; /* of the motion at y0 and y1 */
    double *W, *F;           /* STAGES x n */
    double *pair;            /* n complex numbers */
    double *stage, *error;
    double *J, *J_end; /* n x n by columns; J_end: storage for another one */
    double *r;         /* HERMITE_ROWS x n: dense output */
    long rhs_calls, jac_calls, error_fails, newton_fails;
} radau;

/* ---- lifecycle ---- */

static size_t doubles_for(int n) {
    size_t vectors = 8 + 2 + 5 * STAGES + HERMITE_ROWS;
    return (vectors + (2 + 2 * 3) * (size_t)n) * (size_t)n;
}

static zw_status create_radau(zw_run *run, zw_error *err) {
    size_t n = (size_t)run->k->nx;
    size_t bytes = sizeof(radau) + sizeof(double) * doubles_for(run->k->nx) + sizeof(int) * 4 * n;
    radau *s = run->stepper = zw_allocate(&run->alloc, bytes);
    if (!s)
        return zw_out_of_memory(err, "a run");
    s->bytes = bytes;
    return ZW_OK;
}

static void destroy_radau(zw_run *run) {
    radau *s = run->stepper;
    run->stepper = NULL;
    if (s)
        zw_release(&run->alloc, s, s->bytes);
}

static double *take_doubles(double **at, int n) {
    double *here = *at;
    *at += n;
    return here;
}

static void slice_stages(stages *m, int n, double **at, int **ints) {
    m->h = 0;
    m->real = take_doubles(at, n * n);
    m->complex = take_doubles(at, 2 * n * n);
    m->Z = take_doubles(at, STAGES * n);
    m->real_pivot = *ints, *ints += n;
    m->complex_pivot = *ints, *ints += n;
}

static void slice_arrays(radau *s, int n) {
    double *at = (double *)(s + 1);
    void *behind = at + doubles_for(n);
    int *ints = behind;
    s->n = n;
    slice_stages(&s->step, n, &at, &ints);
    slice_stages(&s->side, n, &at, &ints);
    s->J = take_doubles(&at, n * n);
    s->J_end = take_doubles(&at, n * n);
    s->y0 = take_doubles(&at, n);
    s->y1 = take_doubles(&at, n);
    s->f0 = take_doubles(&at, n);
    s->f1 = take_doubles(&at, n);
    s->slope0 = take_doubles(&at, n);
    s->slope1 = take_doubles(&at, n);
    s->stage = take_doubles(&at, n);
    s->error = take_doubles(&at, n);
    s->pair = take_doubles(&at, 2 * n);
    s->old_Z = take_doubles(&at, STAGES * n);
    s->W = take_doubles(&at, STAGES * n);
    s->F = take_doubles(&at, STAGES * n);
    s->r = take_doubles(&at, HERMITE_ROWS * n);
}

static zw_status begin_radau(zw_run *run, zw_error *err) {
    radau *s = run->stepper;
    slice_arrays(s, run->ny);
    size_t bytes = sizeof(double) * (size_t)s->n;
    s->tol.rtol = 0.1 * pow(run->options.rtol, 2.0 / 3);
    s->tol.atol = s->tol.rtol * (run->options.atol / run->options.rtol);
    s->newton_tolerance = fmax(10 * DBL_EPSILON / s->tol.rtol, fmin(0.03, sqrt(s->tol.rtol)));
    s->theta = s->eta = 1;
    s->last_h = s->last_error = s->old_h = 0;
    s->rejected = s->moved = s->has_dense = s->jacobian_is_here = false;
    s->needs_jacobian = true;
    s->rhs_calls = s->jac_calls = s->error_fails = s->newton_fails = 0;
    memcpy(s->y0, run->y, bytes);
    if (zw_num_onestep_rate(run, run->now, s->y0, s->f0, &s->rhs_calls) < 0)
        return zw_num_pass_on(&run->trouble, err);
    memcpy(s->slope0, s->f0, bytes);
    return ZW_OK;
}

static zw_status start_radau(zw_run *run, zw_error *err) {
    radau *s = run->stepper;
    ZW_TRY(begin_radau(run, err));
    s->h = zw_num_onestep_first(run, s->y0, s->f0, 4, s->tol, s->stage, s->error, &s->rhs_calls);
    return ZW_OK;
}

/* the length of the steps is not changed */
static zw_status reverse_direction(zw_run *run, zw_error *err) {
    return begin_radau(run, err);
}

/* ---- the collocation polynomial ---- */

/* out_i = sum_j w_j Z_j */
static void weigh_stages(int n, const double *w, const double *Z, double *out) {
    for (int i = 0; i < n; i++)
        out[i] = w[0] * Z[i] + w[1] * Z[n + i] + w[2] * Z[2 * n + i];
}

/* Lagrange polynomials of the nodes c_1, c_2, c_3, and the node 0, where the increment is 0. */
static void lagrange_weights(double theta, double *w) {
    for (int i = 0; i < STAGES; i++) {
        w[i] = theta / zw_radau_c[i];
        for (int j = 0; j < STAGES; j++)
            if (j != i)
                w[i] *= (theta - zw_radau_c[j]) / (zw_radau_c[i] - zw_radau_c[j]);
    }
}

/* Its slope at the end times the step; in closed form, since c_3 = 1. */
static void end_slope(double *w) {
    double c1 = zw_radau_c[0], c2 = zw_radau_c[1];
    w[0] = (1 - c2) / (c1 * (c1 - c2) * (c1 - 1));
    w[1] = (1 - c1) / (c2 * (c2 - c1) * (c2 - 1));
    w[2] = 1 + 1 / (1 - c1) + 1 / (1 - c2);
}

/* ---- Newton's iteration ---- */

/* the factors for steps of length h; false if a matrix is singular */
static bool factorise_stages(radau *s, stages *m, double h) {
    int n = s->n;
    m->h = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double entry = -s->J[i + j * n], *z = m->complex + 2 * (i * n + j);
            m->real[i * n + j] = entry + (i == j ? zw_radau_gamma / h : 0);
            z[0] = entry + (i == j ? zw_radau_alpha / h : 0);
            z[1] = i == j ? zw_radau_beta / h : 0;
        }
    if (!(zw_num_lu(n, m->real, m->real_pivot) > 0) ||
        !(zw_num_complex_lu(n, m->complex, m->complex_pivot) > 0))
        return false;
    m->h = h;
    return true;
}

/* out = S in for the matrices T and T^-1 of the stages */
static void transform_stages(int n, const double S[STAGES][STAGES], const double *in, double *out) {
    for (int k = 0; k < STAGES; k++)
        weigh_stages(n, S[k], in, out + k * n);
}

static bool rates_of_stages(zw_run *run, double t, double h, const double *Z) {
    radau *s = run->stepper;
    for (int k = 0; k < STAGES; k++) {
        for (int i = 0; i < s->n; i++)
            s->stage[i] = s->y0[i] + Z[k * s->n + i];
        if (zw_num_onestep_rate(run, t + zw_radau_c[k] * h, s->stage, s->F + k * s->n,
                                &s->rhs_calls) < 0)
            return false;
    }
    return true;
}

/* One iteration: W and Z move; returns the size of the change of W, INFINITY without rates. */
static double iterate_stages(zw_run *run, double t, stages *m) {
    radau *s = run->stepper;
    int n = s->n;
    double h = m->h, alpha = zw_radau_alpha / h, beta = zw_radau_beta / h;
    if (!rates_of_stages(run, t, h, m->Z))
        return INFINITY;
    double *W = s->W, *change = m->Z; /* Z is computed from W below */
    transform_stages(n, zw_radau_T_inverse, s->F, change);
    for (int i = 0; i < n; i++) {
        double w2 = W[n + i], w3 = W[2 * n + i];
        change[i] -= zw_radau_gamma / h * W[i];
        s->pair[2 * i] = change[n + i] - alpha * w2 + beta * w3;
        s->pair[2 * i + 1] = change[2 * n + i] - beta * w2 - alpha * w3;
    }
    zw_num_lu_solve(n, m->real, m->real_pivot, 1, change);
    zw_num_complex_lu_solve(n, m->complex, m->complex_pivot, s->pair);
    for (int i = 0; i < n; i++) {
        change[n + i] = s->pair[2 * i];
        change[2 * n + i] = s->pair[2 * i + 1];
    }
    double sum = 0;
    for (int k = 0; k < STAGES; k++) {
        double size = zw_num_onestep_norm(n, change + k * n, s->y0, s->y0, s->tol);
        sum += size * size;
    }
    for (int i = 0; i < STAGES * n; i++)
        W[i] += change[i];
    transform_stages(n, zw_radau_T, W, m->Z);
    return sqrt(sum / (double)STAGES);
}

/* The stages of a step of length m->h from (t, y0), from the guess in m->Z. 0: done; otherwise the
 * factor for a shorter step with which it may converge. *used iterations. */
static double solve_stages(zw_run *run, double t, stages *m, int *used) {
    radau *s = run->stepper;
    double change_before = 0, rate_before = 0;
    s->eta = pow(fmax(s->eta, DBL_EPSILON), 0.8);
    transform_stages(s->n, zw_radau_T_inverse, m->Z, s->W);
    for (int k = 1; k <= ITERATIONS; k++) {
        *used = k;
        double change = iterate_stages(run, t, m);
        if (!isfinite(change))
            return 0.5;
        if (k > 1) {
            double rate = change / change_before;
            s->theta = k == 2 ? rate : sqrt(rate * rate_before);
            rate_before = rate;
            if (s->theta >= 0.99)
                return 0.5;
            s->eta = s->theta / (1 - s->theta);
            int left = ITERATIONS - k;
            double in_the_end = s->eta * change * pow(s->theta, left) / s->newton_tolerance;
            if (in_the_end >= 1)
                return 0.8 * pow(fmin(fmax(in_the_end, NEWTON_ERROR_MIN), 20), -1.0 / (4 + left));
        }
        if (s->eta * change <= s->newton_tolerance)
            return 0;
        change_before = fmax(change, DBL_EPSILON);
    }
    return 0.5;
}

/* ---- a step ---- */

/* predicts the stages of a step of length h by extrapolating the last collocation polynomial */
static void guess_stages(radau *s, double h) {
    int n = s->n;
    double *Z = s->step.Z;
    if (s->old_h == 0) {
        memset(Z, 0, sizeof(double) * STAGES * (size_t)n);
        return;
    }
    for (int k = 0; k < STAGES; k++) {
        double w[STAGES];
        lagrange_weights(1 + zw_radau_c[k] * h / s->old_h, w);
        w[2] -= 1;
        weigh_stages(n, w, s->old_Z, Z + k * n);
    }
}

/* (gamma/h - J)^-1 (f + sum_i e_i Z_i / h) into s->error; its norm */
static double estimate_error(radau *s, const double *f) {
    stages *m = &s->step;
    weigh_stages(s->n, zw_radau_e, m->Z, s->error);
    for (int i = 0; i < s->n; i++)
        s->error[i] = s->error[i] / m->h + f[i];
    zw_num_lu_solve(s->n, m->real, m->real_pivot, 1, s->error);
    return zw_num_onestep_norm(s->n, s->error, s->y0, s->y1, s->tol);
}

/* The difference between the collocation polynomial and the Hermite cubic in the middle of the
 * step. Both have errors of order h^4, like the estimate. If stiff equations bind y to a given
 * motion, the ends of steps of any length are exact and the estimate is 0; this difference shows
 * that the motion between them is not resolved. The factor makes it equal to the estimate for
 * smooth motion. */
static double interpolation_error(radau *s) {
    int n = s->n;
    double h = s->step.h, w[STAGES];
    const double *Z = s->step.Z;
    end_slope(w);
    weigh_stages(n, w, Z, s->slope1);
    lagrange_weights(0.5, w);
    weigh_stages(n, w, Z, s->error);
    for (int i = 0; i < n; i++) {
        s->slope1[i] /= h;
        s->error[i] -= Z[2 * n + i] / 2 + h * (s->slope0[i] - s->slope1[i]) / 8;
    }
    return 0.4 * zw_num_onestep_norm(n, s->error, s->y0, s->y1, s->tol);
}

/* The error of the step just solved. If it is too large, the reason may be the stiff part of f(y0):
 * then it is estimated again with the rate at y0 plus the estimate, which damps it as the method
 * does (Hairer and Wanner, IV.8.20). */
static double estimated_error(zw_run *run) {
    radau *s = run->stepper;
    double error = estimate_error(s, s->f0);
    if (error < 1 || !(s->rejected || s->last_h == 0))
        return error;
    for (int i = 0; i < s->n; i++)
        s->stage[i] = s->y0[i] + s->error[i];
    if (zw_num_onestep_rate(run, run->now, s->stage, s->F, &s->rhs_calls) < 0)
        return error;
    return estimate_error(s, s->F);
}

static double step_error(zw_run *run) {
    radau *s = run->stepper;
    for (int i = 0; i < s->n; i++)
        s->y1[i] = s->y0[i] + s->step.Z[2 * s->n + i];
    double error = estimated_error(run), between = interpolation_error(s);
    return between > error ? between : error; /* NaN stays NaN */
}

/* The factor for the next step after an error, order 4 in h. */
static double factor_for(double error, int used) {
    double safety = fmin(SAFETY, SAFETY * (1 + 2 * ITERATIONS) / (used + 2 * ITERATIONS));
    return fmin(GROW, fmax(SHRINK, safety * pow(error, -0.25)));
}

/* Gustafsson's (1994) predictive controller: extrapolates the change of the error from step to
 * step. */
static double predicted_factor(const radau *s, double h, double error) {
    if (s->last_h == 0)
        return GROW;
    double trend = pow(s->last_error / (error * error), 0.25) * (h / s->last_h);
    return fmin(GROW, fmax(SHRINK, SAFETY * trend));
}

static bool evaluate_jacobian(zw_run *run, double t, const double *y) {
    radau *s = run->stepper;
    zw_num_forget(run);
    s->jac_calls++;
    return zw_num_rate_jacobian(run, t, y, s->J, &run->trouble) >= 0;
}

/* Jacobian and factors for a step of length h (with sign); false if they do not exist. */
static bool prepare_factors(zw_run *run, double h) {
    radau *s = run->stepper;
    if (s->needs_jacobian && !s->jacobian_is_here && !evaluate_jacobian(run, run->now, s->y0))
        return false;
    if (s->needs_jacobian)
        s->step.h = s->side.h = 0;
    s->jacobian_is_here |= s->needs_jacobian;
    s->needs_jacobian = false;
    return s->step.h == h || factorise_stages(s, &s->step, h);
}

/* projects the end of the step, and computes its rate; y1 is the beginning of the next step */
static bool finish_step(zw_run *run, double t1) {
    radau *s = run->stepper;
    zw_num_forget(run);
    return zw_num_settle(run, t1, s->y1, &run->trouble) >= 0 &&
           zw_num_onestep_rate(run, t1, s->y1, s->f1, &s->rhs_calls) >= 0;
}

static void swap_jacobians(radau *s) {
    double *J = s->J;
    s->J = s->J_end;
    s->J_end = J;
}

/* The error that remains if the slope of the polynomial at the end of a step of length h differs
 * from the rate there. If the Jacobian at y0 is much too stiff for the end, all changes of the
 * iteration are small, converged or not, and so is the error estimate: friction changes the
 * direction of a slow slip very fast. So the Jacobian at the end is used, if the difference can
 * matter. */
static double dense_defect(zw_run *run, double h) {
    radau *s = run->stepper;
    for (int i = 0; i < s->n; i++)
        s->error[i] = s->f1[i] - s->slope1[i];
    double most = fabs(h) * zw_num_onestep_norm(s->n, s->error, s->y0, s->y1, s->tol);
    if (most <= 1)
        return most;
    swap_jacobians(s);
    double left = INFINITY;
    if (evaluate_jacobian(run, run->now + h, s->y1) && factorise_stages(s, &s->side, h)) {
        zw_num_lu_solve(s->n, s->side.real, s->side.real_pivot, 1, s->error);
        left = zw_num_onestep_norm(s->n, s->error, s->y0, s->y1, s->tol);
    }
    s->side.h = 0;
    s->is_ahead = left > DEFECT_MAX && left < 1;
    if (!s->is_ahead)
        swap_jacobians(s);
    return left;
}

static void move_on(radau *s) {
    size_t bytes = sizeof(double) * (size_t)s->n;
    memcpy(s->y0, s->y1, bytes);
    memcpy(s->f0, s->f1, bytes);
    memcpy(s->slope0, s->slope1, bytes);
    memcpy(s->old_Z, s->step.Z, STAGES * bytes);
    s->old_h = s->step.h;
    s->jacobian_is_here = s->is_ahead;
    s->moved = s->has_dense = s->is_ahead = false;
}

/* Sets the length of the next step and whether the Jacobian is kept, after an accepted step. */
static void plan_next_step(radau *s, double h, double error, int used) {
    error = fmax(error, ERROR_MIN);
    double factor = fmin(factor_for(error, used), predicted_factor(s, h, error));
    if (s->rejected)
        factor = fmin(factor, 1);
    s->needs_jacobian = s->theta > KEEP_JACOBIAN || s->is_ahead;
    bool keep = !s->needs_jacobian && factor >= 1 && factor <= KEEP_STEP;
    s->h = keep ? h : h * factor;
    s->last_h = h;
    s->last_error = fmax(error, LAST_ERROR_MIN);
    s->rejected = false;
}

/* A step of length h (with sign), accepted or not; *shorter is the factor for the next attempt. */
static bool attempt_step(zw_run *run, double h, double *shorter) {
    radau *s = run->stepper;
    int used = 0;
    *shorter = prepare_factors(run, h) ? 0 : 0.5;
    if (*shorter == 0) {
        guess_stages(s, h);
        *shorter = solve_stages(run, run->now, &s->step, &used);
    }
    if (*shorter > 0) {
        s->newton_fails++;
        s->needs_jacobian = true;
        s->eta = s->theta = 1;
        return false;
    }
    double error = step_error(run), left = 0;
    if (error < 1 && !finish_step(run, run->now + h))
        error = INFINITY;
    s->is_ahead = false;
    if (error < 1)
        left = dense_defect(run, h);
    if (error < 1 && left < 1) {
        plan_next_step(s, fabs(h), error, used);
        return true;
    }
    s->error_fails++;
    s->needs_jacobian = true;
    *shorter = s->last_h == 0 ? 0.1 : fmin(factor_for(fmax(error, left), used), SAFETY);
    return false;
}

static zw_status step_radau(zw_run *run, zw_error *err) {
    radau *s = run->stepper;
    if (s->moved)
        move_on(s);
    for (;;) {
        if (run->options.step_max > 0)
            s->h = fmin(s->h, run->options.step_max);
        double wanted = s->h, end = zw_num_onestep_end(run, wanted), shorter;
        bool stops = end == zw_method_stop(run);
        double h = stops ? end - run->now : run->direction * wanted;
        if (zw_num_onestep_vanishes(run->now, h))
            return zw_num_give_up(run, run->now, "the implicit equations cannot be solved", err);
        if (attempt_step(run, h, &shorter)) {
            s->moved = true;
            zw_method_moved(run, stops ? end : run->now + h);
            if (stops)
                s->h = fmax(s->h, wanted);
            memcpy(run->y, s->y1, sizeof(double) * (size_t)s->n);
            return ZW_OK;
        }
        s->rejected = true;
        s->h = fabs(h) * shorter;
    }
}

/* ---- states within the last step ---- */

/* the stages of a step of length h from the beginning of the last one, by its polynomial */
static void guess_side(radau *s, double h) {
    for (int k = 0; k < STAGES; k++) {
        double w[STAGES];
        lagrange_weights(zw_radau_c[k] * h / s->step.h, w);
        weigh_stages(s->n, w, s->step.Z, s->side.Z + k * s->n);
    }
}

/* The stages of that step into s->side. If they are not found, although a longer step succeeded and
 * the prediction is close, the prediction is kept. */
static void solve_side(zw_run *run, double h) {
    radau *s = run->stepper;
    /* values of the steps, not to be replaced by those of this one */
    double theta = s->theta, eta = s->eta;
    int used;
    guess_side(s, h);
    if ((s->side.h != h && !factorise_stages(s, &s->side, h)) ||
        solve_stages(run, run->before, &s->side, &used) > 0)
        guess_side(s, h);
    s->theta = theta;
    s->eta = eta;
}

/* The coefficients of y0 + theta (r1 + (1 - theta) (r2 + theta (r3 + (1 - theta) (r4 + (theta -
 * 1/2) r5)))): the Hermite cubic, then the terms by the state and the slope in the middle. */
static void make_dense(zw_run *run) {
    radau *s = run->stepper;
    int n = s->n;
    double *r1 = s->r, *r2 = r1 + n, *r3 = r2 + n, *r4 = r3 + n, *r5 = r4 + n, w[STAGES];
    double h = s->step.h;
    const double *half = s->side.Z + 2 * n;
    solve_side(run, h / 2);
    end_slope(w);
    weigh_stages(n, w, s->side.Z, s->stage);
    for (int i = 0; i < n; i++) {
        r1[i] = s->y1[i] - s->y0[i];
        r2[i] = h * s->slope0[i] - r1[i];
        r3[i] = r1[i] - h * s->slope1[i] - r2[i];
        r4[i] = 16 * (half[i] - r1[i] / 2 - r2[i] / 4 - r3[i] / 8);
        r5[i] = 16 * (2 * s->stage[i] - r1[i] - r3[i] / 4);
    }
    s->has_dense = true;
}

static zw_status evaluate_dense(zw_run *run, double t, double *y, zw_error *err) {
    radau *s = run->stepper;
    int n = s->n;
    (void)err;
    if (!s->moved) { /* no step yet */
        memcpy(y, s->y0, sizeof(double) * (size_t)n);
        return ZW_OK;
    }
    if (!s->has_dense)
        make_dense(run);
    double a = (t - run->before) / (run->reached - run->before), b = 1 - a;
    const double *r1 = s->r, *r2 = r1 + n, *r3 = r2 + n, *r4 = r3 + n, *r5 = r4 + n;
    for (int i = 0; i < n; i++)
        y[i] = s->y0[i] + a * (r1[i] + b * (r2[i] + a * (r3[i] + b * (r4[i] + (a - 0.5) * r5[i]))));
    return ZW_OK;
}

static zw_status dense_polynomial(zw_run *run, int *degree, double *c, zw_error *err) {
    radau *s = run->stepper;
    int n = s->n;
    (void)err;
    if (!s->has_dense)
        make_dense(run);
    memcpy(c, s->r + 4 * n, sizeof(double) * (size_t)n);
    zw_num_poly_times(n, 0, 0, 0.5, c); /* theta - 1/2 */
    for (int m = 3; m >= 0; m--) {
        zw_num_poly_plus(n, s->r + m * n, c);
        zw_num_poly_times(n, 4 - m, 0.5, m % 2 ? -0.5 : 0.5, c);
    }
    zw_num_poly_plus(n, s->y0, c);
    *degree = 5;
    return ZW_OK;
}

static zw_status step_to_time(zw_run *run, double t, double *y, zw_error *err) {
    radau *s = run->stepper;
    solve_side(run, t - run->before);
    for (int i = 0; i < s->n; i++)
        y[i] = s->y0[i] + s->side.Z[2 * s->n + i];
    return zw_num_settle(run, t, y, err);
}

static void collect_statistics(const zw_run *run, zw_run_info *info) {
    const radau *s = run->stepper;
    info->rhs_calls += s->rhs_calls;
    info->jac_calls += s->jac_calls;
    info->error_fails += s->error_fails;
    info->newton_fails += s->newton_fails;
}

const zw_method zw_num_radau = {
    .name = "radau",
    .title = "Radau IIA",
    .about = "implicit, order 5 (Hairer and Wanner): stiff motion, also with many events",
    .traits = ZW_TRAIT_PLAIN_MEMORY,
    .needs = ZW_SET(JAC),
    .create = create_radau,
    .destroy = destroy_radau,
    .start = start_radau,
    .turn = reverse_direction,
    .step = step_radau,
    .dense = evaluate_dense,
    .land = step_to_time,
    .statistics = collect_statistics,
    .polynomial = dense_polynomial,
};
