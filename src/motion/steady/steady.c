/* SPDX-License-Identifier: MIT */
/* One steady motion near a state. On the manifold S of the constraints, with T a basis of its
 * tangent space at x, a step goes to the projection of x + T y, and
 *
 *     r = (f - X_0 - sum_i c_i X_i,  held - values) = 0,
 *     Dr = ((Df - DX_0 - sum_i c_i DX_i) T, -X;  Dh T, 0)                unknowns (y, c)
 *
 * is solved by the Levenberg-Marquardt method with mu proportional to |r|, rows and columns scaled.
 * Newton's method would do where solutions are isolated. But steady motions come in families (all
 * speeds of a disc), on which Dr is singular: there Newton's method creeps towards the end of the
 * family, while this method ends at a member near the start, quadratically (J. Fan, Y. Yuan,
 * Computing 74, 2005, 23-39). A parameter p that is solved for moves the manifold; its column of Dr
 * is
 *
 *     f_p + (Df - ...) x_p - X_0,p - sum_i c_i X_i,p;  h_p + Dh x_p,
 *
 * where x_p = -G+ g_p is the least motion that follows it.
 *
 * Where one rate is much faster than the others, a residual that is small relative to it says
 * nothing about the state: x' = v, v' = -x - c v with a large c is nearly at rest everywhere. So a
 * state is accepted by the remaining correction, with every row in its own size: -Ur_k/s_k along
 * each singular vector whose Ur_k is larger than the rounding of the terms added in r. Where that
 * is large, the steps are taken once more in these units.
 *
 * A solution where r is of second order (two equilibria meet) shows itself by steps that shrink
 * linearly: it is accepted by the step, as |r| ~ error^2 there, and reported as degenerate. */
#include "steady.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "num/linear/dense.h"

enum {
    STEPS_MAX = 200,
    SLOW_STEPS = 8, /* in a row that shrink linearly: the solution is degenerate */
    ROUNDS = 3      /* of further steps in rescaled units */
};
#define STEP_CONVERGED ZW_ROUNDOFF_VALUE   /* step relative to 1 + |c|, scaled */
#define RESIDUAL_SOLVED ZW_ROUNDOFF_SOLVED /* residual of a solution, relative to its terms */
/* ratio of steps: at a double root 1/2, in quadratic convergence far less */
#define STEP_LINEAR 0.3
#define RESIDUAL_ROUNDOFF (4 * DBL_EPSILON) /* of a sum of a few terms, relative to these */
/* Step at a double root, whose position is known to sqrt(eps) = 1.5e-8 times its condition. */
#define STEP_DEGENERATE 1e-6
#define SINGULAR_ZERO ZW_ROUNDOFF_VALUE /* singular values relative to the largest */
/* singular value of a symmetry that does not move the state: sqrt(eps) */
#define SYMMETRY_FIXES 1e-8
/* steps this small may be rounding, which need not reduce the residual */
#define STEP_ROUNDOFF 1e-10
#define RESIDUAL_SLACK 2 /* growth of the residual that such a step may cause */
/* Damping: mu = damping min(1, |r|). The least leaves singular values above 1e-4 undamped; the
 * largest makes steps of rounding. */
#define DAMPING_MIN 1e-8
#define DAMPING_MAX 1e12
#define STEP_PROMISE 0.75 /* of the predicted decrease: the linear equations are good, damp less */
/* Remaining corrections relative to the state and its entries: accepted; not worth further steps;
 * accepted at a degenerate solution, whose position is known to a root of rounding. */
#define CORRECTION_SMALL ZW_SAME_SOLUTION
#define CORRECTION_NONE ZW_ROUNDOFF_SUM
#define CORRECTION_DEGENERATE 1e-3
/* scaled residual above which rescaled steps are not tried: the first iteration has failed, not
 * been slow */
#define RESIDUAL_HOPELESS 1e-4

static zw_status allocate_solver(zw_steady_solver *a) {
    const zw_kernel *k = a->k;
    zw_arena *arena = &a->arena;
    int nx = a->nx, nc = a->nc, nobs = k->nobs + 2, n = nx + nc + a->nfree, m = nx + a->nhold;
    a->value = ZW_NEW(arena, double, a->nfree + 1);
    a->value_trial = ZW_NEW(arena, double, a->nfree + 1);
    a->x_p = ZW_NEW(arena, double, nx * a->nfree + 1);
    a->x = ZW_NEW(arena, double, nx + 1);
    a->c = ZW_NEW(arena, double, nc + 1);
    a->x_trial = ZW_NEW(arena, double, nx + 1);
    a->c_trial = ZW_NEW(arena, double, nc + 1);
    a->c_unit = ZW_NEW(arena, double, nc + 1);
    a->T = ZW_NEW(arena, double, nx *nx + 1);
    a->r = ZW_NEW(arena, double, m + 1);
    a->size = ZW_NEW(arena, double, m + 1);
    a->row_unit = ZW_NEW(arena, double, m + 1);
    a->terms = ZW_NEW(arena, double, m + 1);
    a->noise = ZW_NEW(arena, double, m + 1);
    a->J = ZW_NEW(arena, double, m *n + 1);
    a->f = ZW_NEW(arena, double, nx + 1);
    a->jac = ZW_NEW(arena, double, nx *nx + 1);
    a->X_0 = ZW_NEW(arena, double, nx + 1);
    a->X = ZW_NEW(arena, double, nc *nx + 1);
    a->obs = ZW_NEW(arena, double, nobs);
    a->obs_dx = ZW_NEW(arena, double, nobs *nx + 1);
    a->sv = ZW_NEW(arena, double, n + 1);
    a->V = ZW_NEW(arena, double, n *n + 1);
    a->U = ZW_NEW(arena, double, n *m + 1);
    a->Ur = ZW_NEW(arena, double, n + 1);
    a->step = ZW_NEW(arena, double, n + 1);
    a->work = ZW_NEW(arena, double, nx *nx + 1);
    return zw_arena_status(arena, a->err);
}

/* ---------------------------------------------------------------------------------------- steps */

/* Singular values of the scaled Dr, and the residual in its left vectors. */
zw_status zw_steady_decompose(zw_steady_solver *a) {
    int least = a->m < a->n ? a->m : a->n;
    for (int i = 0; i < a->m; i++)
        for (int j = 0; j < a->n; j++)
            a->J[i * a->n + j] /= a->row_unit[i];
    if (!zw_dense_svd(&a->arena, a->m, a->n, a->J, a->sv, a->V, a->U))
        return zw_dense_failure(&a->arena, a->err);
    for (int k = 0; k < least; k++) {
        a->Ur[k] = 0;
        for (int i = 0; i < a->m; i++)
            a->Ur[k] += a->U[k * a->m + i] * a->r[i] / a->row_unit[i];
    }
    return ZW_OK;
}

/* The trial for mu, not yet projected; returns the length of its step in the units of the
 * unknowns. */
static double make_trial(zw_steady_solver *a, double mu) {
    int least = a->m < a->n ? a->m : a->n;
    memset(a->step, 0, sizeof(double) * (size_t)a->n);
    for (int k = 0; k < least && a->sv[k] > SINGULAR_ZERO * a->sv[0]; k++) {
        double part = -a->sv[k] * a->Ur[k] / (a->sv[k] * a->sv[k] + mu);
        for (int j = 0; j < a->n; j++)
            a->step[j] += part * a->V[k * a->n + j];
    }
    for (int i = 0; i < a->nx; i++) {
        a->x_trial[i] = a->x[i];
        for (int j = 0; j < a->d; j++)
            a->x_trial[i] += a->T[i * a->d + j] * a->step[j];
    }
    for (int j = 0; j < a->nfree; j++) {
        double change = a->problem->value_scale[j] * a->step[a->d + a->nc + j];
        a->value_trial[j] = a->value[j] + change;
        for (int i = 0; i < a->nx; i++)
            a->x_trial[i] += a->x_p[i * a->nfree + j] * change;
    }
    for (int j = 0; j < a->nc; j++)
        a->c_trial[j] = a->c[j] + a->c_unit[j] * a->step[a->d + j];
    return zw_dense_norm(a->n, a->step);
}

/* The length of the residual at the trial, moved onto the manifold; infinite where there is
 * none. */
static double trial_residual(zw_steady_solver *a) {
    zw_error trouble = {0};
    if (zw_steady_set_values(a, a->value_trial, &trouble) < 0 ||
        zw_flow_project(a->flow, a->out->t, a->x_trial, NULL, &trouble) < 0 ||
        zw_steady_residual(a, a->x_trial, a->c_trial, &trouble) < 0)
        return INFINITY;
    return zw_steady_scaled_length(a);
}

/* The square of the residual that the linear equations predict after the trial for mu. */
static double predicted_residual(const zw_steady_solver *a, double before, double mu) {
    int least = a->m < a->n ? a->m : a->n;
    double square = before * before;
    for (int k = 0; k < least && a->sv[k] > SINGULAR_ZERO * a->sv[0]; k++) {
        double stays = mu / (a->sv[k] * a->sv[k] + mu);
        square -= a->Ur[k] * a->Ur[k] * (1 - stays * stays);
    }
    return fmax(square, 0);
}

/* One step, damped until it helps; *moved is its length, 0 if none helps. Where it fulfils the
 * prediction, the next is damped less. */
static zw_status take_step(zw_steady_solver *a, double *moved) {
    ZW_TRY(zw_steady_residual(a, a->x, a->c, a->err));
    ZW_TRY(zw_steady_jacobian(a));
    double before = zw_steady_scaled_length(a);
    ZW_TRY(zw_steady_decompose(a));
    *moved = 0;
    for (; a->damping < DAMPING_MAX; a->damping *= 4) {
        double mu = a->damping * fmin(1, before), size = make_trial(a, mu),
               after = trial_residual(a);
        if (!(after < before || (after <= RESIDUAL_SLACK * before && size <= STEP_ROUNDOFF)))
            continue;
        memcpy(a->x, a->x_trial, sizeof(double) * (size_t)a->nx);
        memcpy(a->c, a->c_trial, sizeof(double) * (size_t)a->nc);
        memcpy(a->value, a->value_trial, sizeof(double) * (size_t)a->nfree);
        if (before * before - after * after >
            STEP_PROMISE * (before * before - predicted_residual(a, before, mu)))
            a->damping = fmax(a->damping / 4, DAMPING_MIN);
        *moved = size;
        break;
    }
    return zw_steady_set_values(a, a->value, a->err);
}

/* ------------------------------------------------------------------------ where c is not unique */

/* Combinations N of the symmetries that vanish at x leave c undetermined. For a sleeping top these
 * are rotations in space and about its own axis at the same time; an observer who does not rotate
 * in space sees its frequencies as one at rest does. So c + N'a is made least on the symmetries
 * that are not `own`, by least squares in a. */
static zw_status choose_rates(zw_steady_solver *a) {
    int nx = a->nx, nc = a->nc, rank = 0;
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < nc; j++)
            a->J[i * nc + j] = a->X[j * nx + i] * a->c_unit[j] / a->scale[i];
    if (!zw_dense_svd(&a->arena, nx, nc, a->J, a->sv, a->V, NULL))
        return zw_dense_failure(&a->arena, a->err);
    while (rank < nc && rank < nx && a->sv[rank] > SYMMETRY_FIXES)
        rank++;
    int free = nc - rank;
    a->out->nfixed = free;
    if (free == 0)
        return ZW_OK;
    const double *N = a->V + (size_t)rank * (size_t)nc; /* free x nc, in the units of c */
    /* nc x free: rows of symmetries that are not own */
    double *A = a->work, *s = a->Ur, *V = a->J, *U = a->U;
    for (int j = 0; j < nc; j++)
        for (int k = 0; k < free; k++)
            A[j * free + k] = a->s->own[j] ? 0 : N[k * nc + j];
    memcpy(a->step, a->c, sizeof(double) * (size_t)nc);
    if (!zw_dense_svd(&a->arena, nc, free, A, s, V, U))
        return zw_dense_failure(&a->arena, a->err);
    for (int i = 0; i < free && s[i] > ZW_STEADY_INDEPENDENT; i++) {
        double part = 0;
        for (int j = 0; j < nc; j++)
            part += a->s->own[j] ? 0 : U[i * nc + j] * a->step[j] / a->c_unit[j];
        for (int k = 0; k < free; k++)
            for (int j = 0; j < nc; j++)
                a->c[j] -= a->c_unit[j] * N[k * nc + j] * V[i * free + k] * part / s[i];
    }
    return ZW_OK;
}

/* -------------------------------------------------------------------------------------- verdict */

/* Accept the solution or fail. Steps that have not become small are no solution, however small the
 * residual is: a weak force leaves little of it. out->residual is the largest residual, relative to
 * its terms and to the effect of a change of the state by its size. */
static zw_status check_convergence(zw_steady_solver *a, bool converged, double moved) {
    zw_steady *out = a->out;
    out->residual = 0;
    out->unmet = ZW_UNMET_NOTHING;
    ZW_TRY(zw_steady_residual(a, a->x, a->c, a->err));
    for (int i = 0; i < a->m; i++) {
        double part = fabs(a->r[i]) / fmax(fmax(a->row_unit[i], a->size[i]), DBL_MIN);
        if (part <= out->residual)
            continue;
        out->residual = part;
        out->unmet_by = a->r[i];
        out->unmet = i < a->nx ? ZW_UNMET_RATE : ZW_UNMET_HOLD;
        out->unmet_index = i < a->nx ? i : i - a->nx;
    }
    memcpy(out->x, a->x, sizeof(double) * (size_t)a->nx);
    memcpy(out->c, a->c, sizeof(double) * (size_t)a->nc);
    if (a->nfree)
        memcpy(a->problem->value, a->value, sizeof(double) * (size_t)a->nfree);
    if (!converged && out->residual <= RESIDUAL_ROUNDOFF && moved <= STEP_DEGENERATE) {
        /* a double root: steps of the size of its uncertainty never end */
        out->degenerate = true;
        converged = true;
    }
    if (out->residual > RESIDUAL_SOLVED || !converged)
        return zw_fail(a->err, ZW_E_NUMERIC,
                       "no steady motion was found near this state: the relative residual of the "
                       "equations is %.2g after %d steps",
                       out->residual, out->iterations);
    out->unmet = ZW_UNMET_NOTHING;
    return ZW_OK;
}

/* Report the rate with the largest residual, in the sizes of the rows alone. */
static void report_worst_rate(zw_steady_solver *a) {
    double most = 0;
    for (int i = 0; i < a->nx; i++) {
        double part = fabs(a->r[i]) / a->row_unit[i];
        if (part < most)
            continue;
        most = part;
        a->out->unmet = ZW_UNMET_RATE;
        a->out->unmet_index = i;
        a->out->unmet_by = a->r[i];
    }
}

/* Sizes of unknowns and rows, and c, at the start. */
zw_status zw_steady_begin(zw_steady_solver *a) {
    ZW_TRY(allocate_solver(a));
    memcpy(a->x, a->out->x, sizeof(double) * (size_t)a->nx);
    if (a->nfree)
        memcpy(a->value, a->problem->value, sizeof(double) * (size_t)a->nfree);
    ZW_TRY(zw_steady_set_values(a, a->value, a->err));
    ZW_TRY(zw_flow_project(a->flow, a->out->t, a->x, NULL, a->err));
    ZW_TRY(zw_steady_residual(a, a->x, a->c, a->err));
    ZW_TRY(zw_steady_size_unknowns(a));
    ZW_TRY(zw_steady_jacobian(a));
    zw_steady_size_rows(a);
    return zw_steady_follow_motion(a);
}

/* Steps until they end. */
static zw_status run_iterations(zw_steady_solver *a, bool *converged, double *moved) {
    double before = INFINITY;
    int slow = 0;
    *converged = false;
    a->damping = 1;
    for (int k = 0; !*converged && k < STEPS_MAX; k++, a->out->iterations++) {
        ZW_TRY(take_step(a, moved));
        slow = *moved > STEP_LINEAR * before ? slow + 1 : 0;
        before = *moved;
        *converged = *moved <= STEP_CONVERGED * (1 + zw_dense_norm(a->nc, a->c));
    }
    a->out->degenerate = slow >= SLOW_STEPS;
    return ZW_OK;
}

/* Further steps with rescaled rows. If they do not converge, a state accepted before is
 * restored. */
static zw_status iterate_rescaled(zw_steady_solver *a, bool accepted, bool *converged,
                                  double *moved) {
    int n = a->nx + a->nc + a->nfree;
    bool degenerate = a->out->degenerate;
    double *before = ZW_NEW(&a->arena, double, n + 1), *part[] = {a->x, a->c, a->value};
    const int size[] = {a->nx, a->nc, a->nfree};
    if (!before)
        return zw_out_of_memory(a->err, NULL);
    for (int k = 0, at = 0; k < 3; at += size[k++])
        memcpy(before + at, part[k], sizeof(double) * (size_t)size[k]);
    ZW_TRY(run_iterations(a, converged, moved));
    if (*converged || !accepted)
        return ZW_OK;
    for (int k = 0, at = 0; k < 3; at += size[k++])
        memcpy(part[k], before + at, sizeof(double) * (size_t)size[k]);
    a->out->degenerate = degenerate;
    *converged = true;
    return zw_steady_set_values(a, a->value, a->err);
}

/* The remaining correction, and further steps with each row in its own size where it is large, and
 * once where it is small: a slow row may have had no effect on the steps so far. */
static zw_status correct_solution(zw_steady_solver *a, bool *converged, double *moved,
                                  double *left) {
    zw_arena_mark mark = zw_arena_mark_now(&a->arena);
    double *unit = ZW_NEW(&a->arena, double, a->m + 1);
    if (!unit)
        return zw_out_of_memory(a->err, NULL);
    *left = 0;
    ZW_TRY(zw_steady_residual(a, a->x, a->c, a->err));
    if (!(zw_steady_scaled_length(a) < RESIDUAL_HOPELESS))
        return ZW_OK;
    memcpy(unit, a->row_unit, sizeof(double) * (size_t)a->m);
    for (int round = 0;; round++) {
        ZW_TRY(zw_steady_rescale_rows(a));
        ZW_TRY(zw_steady_correction(a, left));
        bool accepted = *converged && *left <= CORRECTION_SMALL;
        if (round == ROUNDS || (round > 0 && *left <= CORRECTION_SMALL) ||
            (accepted && (*left <= CORRECTION_NONE || a->out->degenerate)))
            break;
        ZW_TRY(iterate_rescaled(a, accepted, converged, moved));
    }
    if (*left <= CORRECTION_SMALL) /* otherwise the worst row is reported in these sizes */
        memcpy(a->row_unit, unit, sizeof(double) * (size_t)a->m);
    zw_arena_release(&a->arena, mark);
    return ZW_OK;
}

/* Set entries first to last - 1 that are below the rounding of a state of typical size to zero, in
 * a->x_trial: is every row satisfied as well as by r, up to the rounding of its own terms? */
static bool can_drop(zw_steady_solver *a, int first, int last, const double *r) {
    memcpy(a->x_trial, a->x, sizeof(double) * (size_t)a->nx);
    for (int i = first; i < last; i++)
        a->x_trial[i] = fabs(a->x[i]) <= DBL_EPSILON * a->scale[i] ? 0 : a->x[i];
    memcpy(a->c_trial, a->c, sizeof(double) * (size_t)a->nc);
    memcpy(a->value_trial, a->value, sizeof(double) * (size_t)a->nfree);
    bool is_met = isfinite(trial_residual(a));
    for (int i = 0; i < a->m && is_met; i++)
        is_met = fabs(a->r[i]) <= fmax(fabs(r[i]), 4 * DBL_EPSILON * a->size[i]);
    return is_met;
}

/* Such numbers are left over from the steps: 1e-51 instead of 0 would appear in the linear
 * equations as couplings of 1e-51 and 1e-120, and balancing would treat them as such. They become
 * 0, all at once or one by one; a charge of 1e-18 C that its equation needs stays. */
static zw_status drop_remainders(zw_steady_solver *a) {
    zw_arena_mark mark = zw_arena_mark_now(&a->arena);
    double *r = ZW_NEW(&a->arena, double, a->m + 1);
    if (!r)
        return zw_out_of_memory(a->err, NULL);
    ZW_TRY(zw_steady_residual(a, a->x, a->c, a->err));
    memcpy(r, a->r, sizeof(double) * (size_t)a->m);
    bool all = can_drop(a, 0, a->nx, r);
    if (all)
        memcpy(a->x, a->x_trial, sizeof(double) * (size_t)a->nx);
    for (int i = 0; i < a->nx && !all; i++)
        if (a->x[i] != 0 && fabs(a->x[i]) <= DBL_EPSILON * a->scale[i] && can_drop(a, i, i + 1, r))
            memcpy(a->x, a->x_trial, sizeof(double) * (size_t)a->nx);
    zw_arena_release(&a->arena, mark);
    return ZW_OK;
}

static zw_status solve_steady(zw_steady_solver *a) {
    zw_steady *out = a->out;
    double moved = 0, left = 0;
    bool converged = false;
    ZW_TRY(zw_steady_begin(a));
    out->iterations = 0;
    ZW_TRY(run_iterations(a, &converged, &moved));
    ZW_TRY(correct_solution(a, &converged, &moved, &left));
    ZW_TRY(drop_remainders(a));
    ZW_TRY(zw_steady_residual(a, a->x, a->c, a->err));
    ZW_TRY(choose_rates(a));
    ZW_TRY(check_convergence(a, converged, moved));
    if (left <= (out->degenerate ? CORRECTION_DEGENERATE : CORRECTION_SMALL))
        return ZW_OK;
    report_worst_rate(a);
    return zw_fail(
        a->err, ZW_E_NUMERIC,
        "no steady motion was found near this state: rates are small next to the fastest "
        "ones, but the correction is %.2g of the state after %d steps",
        left, out->iterations);
}

zw_steady_solver zw_steady_solver_of(zw_steady *out, zw_flow *flow, const zw_symmetries *s,
                                     const zw_steady_problem *problem, zw_error *err) {
    const zw_kernel *k = zw_flow_kernel(flow);
    zw_steady_solver a = {.flow = flow, .s = s, .k = k, .out = out, .problem = problem, .err = err};
    a.scale = problem->scale;
    a.nx = k->nx;
    a.nc = s->n;
    a.nhold = problem->nhold;
    a.hold = problem->hold;
    a.nfree = problem->nfree;
    a.m = a.nx + a.nhold;
    zw_arena_init(&a.arena, &k->alloc);
    return a;
}

zw_status zw_steady_check_still(const zw_symmetries *s, zw_error *err) {
    if (s->autonomous || s->still)
        return ZW_OK;
    zw_fail(err, ZW_E_MODEL,
            "the model is driven (time enters its equations), so it has no equilibria");
    zw_error_hint(err, "zwang orbit finds its periodic motion, zwang response follows it over a "
                       "parameter");
    return ZW_E_MODEL;
}

zw_status zw_steady_solve(zw_steady *out, zw_flow *flow, const zw_symmetries *s,
                          const zw_steady_problem *problem, zw_error *err) {
    ZW_TRY(zw_steady_check_still(s, err));
    out->scale = problem->scale;
    zw_steady_solver a = zw_steady_solver_of(out, flow, s, problem, err);
    zw_status status = solve_steady(&a);
    zw_arena_clear(&a.arena);
    return status;
}

zw_status zw_steady_find(zw_steady *out, zw_flow *flow, const zw_symmetries *s, const double *scale,
                         int nhold, const zw_hold *hold, zw_error *err) {
    const zw_steady_problem problem = {.scale = scale, .nhold = nhold, .hold = hold};
    return zw_steady_solve(out, flow, s, &problem, err);
}
