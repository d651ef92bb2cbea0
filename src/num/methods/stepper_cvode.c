/* SPDX-License-Identifier: MIT */
/* CVODE (Hindmarsh et al. 2005): multistep methods of variable order and step.
 *
 * BDF with Newton's method and the analytic Jacobian satisfies constraints by projecting the
 * solution of every step (Eich 1993; CVODE offers it only for BDF). The error estimate is not
 * projected: it is in q while the projector is in v, and an unprojected estimate is only more
 * cautious.
 *
 * Adams needs no Jacobian and takes two to four times fewer steps on smooth motion at tight
 * tolerances, but its steps are limited by the fastest decay, and it does not satisfy constraints.
 * (Integrating the rates of the projected state, x' = f(P(x)), would satisfy them at the outputs;
 * for a pendulum, x drifts off and after 100 periods the error is 4e-5, with BDF 1e-6.)
 *
 * Failures of a kernel function are recoverable for CVODE (it shortens the step); when it gives up,
 * the last fault is reported. */
#include <cvode/cvode.h>
#include <float.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "base/arena.h"
#include "num/internal.h"
#include "num/linear/linalg.h"
#include "num/options.h"
#include "step_polynomial.h"
#include "sundials.h"

typedef struct cvode {
    SUNContext context;
    void *memory;
    N_Vector y, dense; /* views of run->y and of the dense output */
    SUNMatrix matrix;
    SUNLinearSolver linear;
    SUNNonlinearSolver fixed_point;
    int ny;     /* entries these were made for */
    bool stops; /* a stop time is set */
} cvode;

/* ---- functions CVODE calls: 0 done, 1 shorten the step ---- */

static int rhs(sunrealtype t, N_Vector y, N_Vector ydot, void *user) {
    zw_run *run = user;
    zw_num_forget(run);
    return zw_num_rate(run, t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot), &run->trouble) < 0;
}

static int evaluate_jacobian(sunrealtype t, N_Vector y, N_Vector fy, SUNMatrix J, void *user,
                             N_Vector tmp1, N_Vector tmp2, N_Vector tmp3) {
    zw_run *run = user;
    (void)fy, (void)tmp1, (void)tmp2, (void)tmp3;
    zw_num_forget(run);
    return zw_num_rate_jacobian(run, t, N_VGetArrayPointer(y), SUNDenseMatrix_Data(J),
                                &run->trouble) < 0;
}

static int project_state(sunrealtype t, N_Vector y, N_Vector correction, sunrealtype epsilon,
                         N_Vector err, void *user) {
    zw_run *run = user;
    const double *from = N_VGetArrayPointer(y);
    double *to = N_VGetArrayPointer(correction);
    (void)epsilon, (void)err;
    zw_num_forget(run);
    memcpy(to, from, sizeof(double) * (size_t)run->ny);
    if (zw_num_settle(run, t, to, &run->trouble) < 0)
        return 1;
    for (int i = 0; i < run->ny; i++)
        to[i] -= from[i];
    return 0;
}

/* ---- lifecycle ---- */

static zw_status create_cvode(zw_run *run, zw_error *err) {
    run->stepper = zw_allocate(&run->alloc, sizeof(cvode));
    cvode *c = run->stepper;
    if (!c || !zw_sundials_context(&c->context))
        return zw_out_of_memory(err, "a run");
    return ZW_OK;
}

static void release_cvode(cvode *c) {
    CVodeFree(&c->memory);
    if (c->fixed_point)
        SUNNonlinSolFree(c->fixed_point);
    if (c->linear)
        SUNLinSolFree(c->linear);
    if (c->matrix)
        SUNMatDestroy(c->matrix);
    if (c->y)
        N_VDestroy(c->y);
    if (c->dense)
        N_VDestroy(c->dense);
    SUNContext context = c->context;
    *c = (cvode){.context = context};
}

static void destroy_cvode(zw_run *run) {
    cvode *c = run->stepper;
    run->stepper = NULL;
    if (!c)
        return;
    release_cvode(c);
    SUNContext_Free(&c->context);
    zw_release(&run->alloc, c, sizeof *c);
}

/* vectors and solvers of this size; false if memory ends */
static bool create_solvers(zw_run *run, int lmm) {
    cvode *c = run->stepper;
    int ny = run->ny;
    release_cvode(c);
    c->y = N_VMake_Serial(ny, run->y, c->context);
    c->dense = N_VMake_Serial(ny, run->dense, c->context);
    c->memory = CVodeCreate(lmm, c->context);
    if (!c->y || !c->dense || !ZW_SUNDIALS_SILENT(CVode, c->memory))
        return false;
    if (lmm == CV_ADAMS) {
        c->fixed_point = SUNNonlinSol_FixedPoint(c->y, 0, c->context);
        return c->fixed_point != NULL;
    }
    c->matrix = SUNDenseMatrix(ny, ny, c->context);
    c->linear = c->matrix ? SUNLinSol_Dense(c->y, c->matrix, c->context) : NULL;
    return c->linear != NULL;
}

static bool init_cvode(zw_run *run, int lmm) {
    cvode *c = run->stepper;
    c->ny = 0;
    bool ok = create_solvers(run, lmm) && CVodeInit(c->memory, rhs, run->now, c->y) == 0 &&
              CVodeSetUserData(c->memory, run) == 0 &&
              CVodeSStolerances(c->memory, run->options.rtol, run->options.atol) == 0 &&
              CVodeSetMaxStep(c->memory, run->options.step_max) == 0 &&
              CVodeSetMaxHnilWarns(c->memory, -1) == 0;
    if (ok && lmm == CV_BDF)
        ok = CVodeSetLinearSolver(c->memory, c->linear, c->matrix) == 0 &&
             CVodeSetJacFn(c->memory, evaluate_jacobian) == 0;
    if (ok && lmm == CV_BDF &&
        run->k->ncontact >
            0) /* friction rotates a slow slip quickly: an old Jacobian hides its residual */
        ok = CVodeSetLSetupFrequency(c->memory, 1) == 0 &&
             CVodeSetJacEvalFrequency(c->memory, 1) == 0;
    if (ok && lmm == CV_ADAMS)
        ok = CVodeSetNonlinearSolver(c->memory, c->fixed_point) == 0;
    if (ok && zw_num_drifts(run))
        ok = CVodeSetProjFn(c->memory, project_state) == 0 &&
             CVodeSetProjErrEst(c->memory, SUNFALSE) == 0;
    if (ok)
        c->ny = run->ny;
    return ok;
}

static zw_status start_cvode(zw_run *run, int lmm, zw_error *err) {
    cvode *c = run->stepper;
    bool ok = c->ny == run->ny ? CVodeReInit(c->memory, run->now, c->y) == 0 : init_cvode(run, lmm);
    return ok ? ZW_OK : zw_fail(err, ZW_E_MEMORY, "CVODE cannot be set up");
}

static zw_status start_adams(zw_run *run, zw_error *err) {
    return start_cvode(run, CV_ADAMS, err);
}

static zw_status start_bdf(zw_run *run, zw_error *err) {
    return start_cvode(run, CV_BDF, err);
}

/* ---- stepping ---- */

/* Explains CVODE's flag in the words of mechanics. */
static zw_status explain_flag(zw_run *run, int flag, double t, zw_error *err) {
    if (flag == CV_TOO_MUCH_ACC && run->trouble.status >= 0) {
        zw_fail(err, ZW_E_NUMERIC, "at t = %.10g rounding is larger than the tolerances ask for",
                t);
        zw_error_hint(err, "raise --atol or --rtol");
        return ZW_E_NUMERIC;
    }
    if (flag == CV_ERR_FAILURE || flag == CV_CONV_FAILURE || run->trouble.status < 0)
        return zw_num_give_up(run, t,
                              flag == CV_ERR_FAILURE ? "the error test keeps failing"
                                                     : "the implicit equations do not converge",
                              err);
    return zw_fail(err, ZW_E_NUMERIC, "CVODE stopped at t = %.10g with flag %d", t, flag);
}

static zw_status step_cvode(zw_run *run, zw_error *err) {
    cvode *c = run->stepper;
    /* steps below the resolution of t would continue for ever at a singularity */
    CVodeSetMinStep(c->memory, 4 * DBL_EPSILON * fabs(run->now));
    /* CVODE uses `ahead` before its first step only, which is a tenth of that at most */
    double t = run->now, ahead = 1 + fabs(run->now);
    if (run->info.steps == 0 && run->first_step > 0)
        ahead = fmin(ahead, 10 * run->first_step);
    double far = run->now + run->direction * ahead;
    zw_sundials_stop(run, CVodeSetStopTime, c->memory, &c->stops);
    int flag = CVode(c->memory, far, c->y, &t, CV_ONE_STEP);
    if (flag < 0)
        return explain_flag(run, flag, run->now, err);
    zw_method_moved(run, t);
    return ZW_OK;
}

static zw_status evaluate_dense(zw_run *run, double t, double *y, zw_error *err) {
    cvode *c = run->stepper;
    N_VSetArrayPointer(y, c->dense);
    if (CVodeGetDky(c->memory, t, 0, c->dense) != CV_SUCCESS)
        return zw_fail(err, ZW_E_NUMERIC, "CVODE has no state at t = %.10g", t);
    return ZW_OK;
}

static zw_status dense_polynomial(zw_run *run, int *degree, double *c, zw_error *err) {
    cvode *s = run->stepper;
    double half = (run->reached - run->before) / 2, middle = run->before + half;
    if (CVodeGetLastOrder(s->memory, degree) != CV_SUCCESS)
        return zw_fail(err, ZW_E_NUMERIC, "CVODE has no order at t = %.10g", run->now);
    for (int l = 0; l <= *degree; l++) {
        N_VSetArrayPointer(c + l * run->ny, s->dense);
        if (CVodeGetDky(s->memory, middle, l, s->dense) != CV_SUCCESS)
            return zw_fail(err, ZW_E_NUMERIC, "CVODE has no state at t = %.10g", middle);
    }
    zw_num_poly_from_derivatives(run->ny, *degree, half, c);
    return ZW_OK;
}

static void collect_statistics(const zw_run *run, zw_run_info *info) {
    const cvode *c = run->stepper;
    long rhs_calls = 0, error_fails = 0, newton_fails = 0, jac_calls = 0;
    CVodeGetNumRhsEvals(c->memory, &rhs_calls);
    CVodeGetNumErrTestFails(c->memory, &error_fails);
    CVodeGetNumNonlinSolvConvFails(c->memory, &newton_fails);
    if (c->linear)
        CVodeGetNumJacEvals(c->memory, &jac_calls);
    info->rhs_calls += rhs_calls;
    info->error_fails += error_fails;
    info->newton_fails += newton_fails;
    info->jac_calls += jac_calls;
}

const zw_method zw_num_adams = {
    .name = "adams",
    .title = "Adams (CVODE)",
    .about = "multistep, orders 1-12: smooth non-stiff motion without constraints",
    .traits = ZW_TRAIT_MULTISTEP,
    .create = create_cvode,
    .destroy = destroy_cvode,
    .start = start_adams,
    .step = step_cvode,
    .dense = evaluate_dense,
    .statistics = collect_statistics,
    .polynomial = dense_polynomial,
};

const zw_method zw_num_bdf = {
    .name = "bdf",
    .title = "BDF (CVODE)",
    .about = "multistep, orders 1-5: stiff motion, constraints by projection",
    .traits = ZW_TRAIT_MULTISTEP,
    .needs = ZW_SET(JAC),
    .create = create_cvode,
    .destroy = destroy_cvode,
    .start = start_bdf,
    .step = step_cvode,
    .dense = evaluate_dense,
    .statistics = collect_statistics,
    .polynomial = dense_polynomial,
};
