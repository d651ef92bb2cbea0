/* SPDX-License-Identifier: MIT */
/* The run's engine: CVODE (Hindmarsh et al. 2005), variable order and step.
 *
 * BDF with Newton's method and the analytic Jacobian keeps constraints by projecting the solution of
 * every step (Eich 1993; CVODE offers it for BDF alone). The error estimate is not projected: it
 * lives in q while the projector lives in v, and an unprojected estimate is only more careful.
 *
 * Adams needs no Jacobian and takes two to four times fewer steps on smooth motion at tight
 * tolerances, but its steps are bound by the fastest decay, and it keeps no constraints. (Integrating
 * the rates of the projected state, x' = f(P(x)), would keep them at the outputs; tried on a
 * pendulum, x drifts off and after 100 periods the motion is 4e-5 off where BDF stays within 1e-6.)
 * So when the method may be chosen: BDF if there is anything to project; otherwise Adams, unless the
 * Jacobian at the start has an eigenvalue that decays STIFF_RATIO times faster than all that
 * oscillates or is slow.
 *
 * CVODE is asked for small bundles of steps, so that between bundles the kernel can be compiled
 * when that pays. Failures of a kernel function are recoverable for CVODE (it shortens the step);
 * when it gives up, the fault recorded last is what is told. */
#include <cvode/cvode.h>
#include <float.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "base/arena.h"
#include "internal.h"
#include "linalg.h"
#include "options.h"

enum { BUNDLE = 100 }; /* steps between two looks at the kernel */
#define STIFF_RATIO 50.0

struct zw_num_cvode {
    SUNContext context;
    void *memory;
    int lmm; /* CV_ADAMS or CV_BDF; 0 while there is no memory */
    N_Vector y;
    SUNMatrix matrix;
    SUNLinearSolver linear;
    SUNNonlinearSolver fixed_point;
    bool compile_refused;
    int direction; /* of time: 0 before the first step, then 1 or -1 */
};

/* ---- functions CVODE calls: 0 done, 1 shorten the step ---- */

/* zw_fail fills the rest anew */
static void forget_trouble(zw_run *run) {
    run->trouble.status = ZW_OK;
}

static int rhs(realtype t, N_Vector y, N_Vector ydot, void *user) {
    zw_run *run = user;
    double *rate = N_VGetArrayPointer(ydot);
    forget_trouble(run);
    if (zw_num_accel(run, t, N_VGetArrayPointer(y), rate, run->step_z, &run->trouble) < 0)
        return 1;
    memcpy(rate + run->k->nq, run->step_z, sizeof(double) * (size_t)run->k->nv);
    return 0;
}

static int jacobian(realtype t, N_Vector y, N_Vector fy, SUNMatrix J, void *user, N_Vector tmp1,
                    N_Vector tmp2, N_Vector tmp3) {
    zw_run *run = user;
    (void)fy, (void)tmp1, (void)tmp2, (void)tmp3;
    forget_trouble(run);
    return zw_num_jacobian(run, t, N_VGetArrayPointer(y), SUNDenseMatrix_Data(J), run->k->nx,
                           &run->trouble) < 0;
}

static int project(realtype t, N_Vector y, N_Vector correction, realtype epsilon, N_Vector err,
                   void *user) {
    zw_run *run = user;
    const double *from = N_VGetArrayPointer(y);
    double *to = N_VGetArrayPointer(correction);
    (void)epsilon, (void)err;
    forget_trouble(run);
    memcpy(to, from, sizeof(double) * (size_t)run->k->nx);
    if (zw_num_project(run, t, to, NULL, &run->trouble) < 0)
        return 1;
    for (int i = 0; i < run->k->nx; i++)
        to[i] -= from[i];
    return 0;
}

/* An event function that comes to rest at zero would fire for ever, and CVODE refuses to go on. It is
 * put to rest: held at a small value on the side it came from until it leaves zero again. */
#define AT_REST 1e-6 /* of the largest value it has had */

static double event_value(zw_run *run, int i, double g) {
    run->reach[i] = fmax(run->reach[i], fabs(g));
    double small = AT_REST * run->reach[i];
    if (run->resting[i] && fabs(g) > small)
        run->resting[i] = 0;
    return run->resting[i] ? run->resting[i] * small : g;
}

static int events(realtype t, N_Vector y, realtype *g, void *user) {
    zw_run *run = user;
    const double *x = N_VGetArrayPointer(y);
    forget_trouble(run);
    if (zw_num_accel(run, t, x, run->qdot, run->step_z, &run->trouble) < 0)
        return 1;
    zw_call(&run->k->evt, &t, x, run->step_z, run->cache, run->out, run->work);
    for (int i = 0; i < run->k->nevt; i++)
        g[i] = event_value(run, i, run->out[i]);
    return 0;
}

/* the library never prints; return flags carry what matters */
static void keep_silent(int code, const char *module, const char *function, char *message,
                        void *user) {
    (void)code, (void)module, (void)function, (void)message, (void)user;
}

/* ---- lifecycle ---- */

static bool needs_projection(const zw_kernel *k) {
    return k->npos + k->nvel + k->nunit > 0;
}

zw_status zw_num_cvode_create(zw_run *run, zw_error *err) {
    if (run->options.method == ZW_METHOD_ADAMS && needs_projection(run->k)) {
        zw_fail(err, ZW_E_OPTION, "Adams' method cannot keep constraints and unit quaternions");
        zw_error_hint(err, "use method bdf or auto");
        return ZW_E_OPTION;
    }
    zw_num_cvode *c = zw_allocate(&run->alloc, sizeof *c);
    run->cvode = c;
    if (!c)
        return zw_fail(err, ZW_E_MEMORY, "out of memory for a run");
    if (SUNContext_Create(NULL, &c->context) != 0)
        return zw_fail(err, ZW_E_MEMORY, "out of memory for a run");
    int nx = run->k->nx;
    c->y = N_VMake_Serial(nx, run->y, c->context);
    c->matrix = SUNDenseMatrix(nx, nx, c->context);
    if (c->y && c->matrix) {
        c->linear = SUNLinSol_Dense(c->y, c->matrix, c->context);
        c->fixed_point = SUNNonlinSol_FixedPoint(c->y, 0, c->context);
    }
    if (!c->linear || !c->fixed_point)
        return zw_fail(err, ZW_E_MEMORY, "out of memory for a run");
    return ZW_OK;
}

void zw_num_cvode_destroy(zw_run *run) {
    zw_num_cvode *c = run->cvode;
    if (!c)
        return;
    CVodeFree(&c->memory);
    if (c->fixed_point)
        SUNNonlinSolFree(c->fixed_point);
    if (c->linear)
        SUNLinSolFree(c->linear);
    if (c->matrix)
        SUNMatDestroy(c->matrix);
    if (c->y)
        N_VDestroy(c->y);
    SUNContext_Free(&c->context);
    zw_release(&run->alloc, c, sizeof *c);
    run->cvode = NULL;
}

/* is there a mode that decays much faster than anything else happens? */
static bool is_stiff(zw_run *run) {
    int nx = run->k->nx;
    zw_error ignored = {0};
    if (zw_num_jacobian(run, run->t, run->x, run->jacobian, nx, &ignored) < 0)
        return false;
    for (int i = 0; i < nx * nx; i++)
        if (!isfinite(run->jacobian[i]))
            return false;
    if (!zw_num_eigenvalues(nx, run->jacobian, run->eigen_re, run->eigen_im, run->eigen_work))
        return false;
    double decay = 0, other = 0;
    for (int i = 0; i < nx; i++)
        decay = fmax(decay, -run->eigen_re[i]);
    for (int i = 0; i < nx; i++) {
        bool fast = -run->eigen_re[i] > decay / STIFF_RATIO;
        other =
            fmax(other, fast ? fabs(run->eigen_im[i]) : hypot(run->eigen_re[i], run->eigen_im[i]));
    }
    return decay > STIFF_RATIO * other;
}

static int choose_lmm(zw_run *run) {
    if (run->options.method == ZW_METHOD_ADAMS)
        return CV_ADAMS;
    if (run->options.method == ZW_METHOD_BDF || needs_projection(run->k))
        return CV_BDF;
    return is_stiff(run) ? CV_BDF : CV_ADAMS;
}

/* A new CVODE memory for this method; false if something fails. */
static bool set_up(zw_run *run, int lmm) {
    zw_num_cvode *c = run->cvode;
    const zw_kernel *k = run->k;
    CVodeFree(&c->memory);
    c->lmm = 0;
    c->memory = CVodeCreate(lmm, c->context);
    if (!c->memory)
        return false;
    bool ok = CVodeSetErrHandlerFn(c->memory, keep_silent, NULL) == 0 &&
              CVodeInit(c->memory, rhs, run->t, c->y) == 0 &&
              CVodeSetUserData(c->memory, run) == 0 &&
              CVodeSStolerances(c->memory, run->options.rtol, run->options.atol) == 0 &&
              CVodeSetMaxStep(c->memory, run->options.step_max) == 0 &&
              CVodeSetMaxHnilWarns(c->memory, -1) == 0;
    if (ok && lmm == CV_BDF)
        ok = CVodeSetLinearSolver(c->memory, c->linear, c->matrix) == 0 &&
             CVodeSetJacFn(c->memory, jacobian) == 0;
    if (ok && lmm == CV_ADAMS)
        ok = CVodeSetNonlinearSolver(c->memory, c->fixed_point) == 0;
    if (ok && needs_projection(k))
        ok =
            CVodeSetProjFn(c->memory, project) == 0 && CVodeSetProjErrEst(c->memory, SUNFALSE) == 0;
    if (ok && k->nevt > 0) {
        /* CVODE copies the directions but takes no const pointer */
        ok = CVodeRootInit(c->memory, k->nevt, events) == 0 &&
             CVodeSetNoInactiveRootWarn(c->memory) == 0;
        memcpy(run->fired, k->event_direction, sizeof(int) * (size_t)k->nevt);
        ok = ok && CVodeSetRootDirection(c->memory, run->fired) == 0;
    }
    if (ok)
        c->lmm = lmm;
    return ok;
}

zw_status zw_num_cvode_start(zw_run *run, zw_error *err) {
    zw_num_cvode *c = run->cvode;
    memcpy(run->y, run->x, sizeof(double) * (size_t)run->k->nx);
    int lmm = choose_lmm(run);
    bool ok = lmm == c->lmm ? CVodeReInit(c->memory, run->t, c->y) == 0 : set_up(run, lmm);
    for (int i = 0; i < run->k->nevt; i++) {
        run->fired[i] = run->resting[i] = 0;
        run->reach[i] = 0;
    }
    c->direction = 0;
    run->info.method = lmm == CV_BDF ? "BDF" : "Adams";
    return ok ? ZW_OK : zw_fail(err, ZW_E_MEMORY, "CVODE cannot be set up");
}

/* ---- stepping ---- */

static void compile_if_it_pays(zw_run *run) {
    zw_num_cvode *c = run->cvode;
    if (c->compile_refused || !zw_kernel_wants_compile(run->k))
        return;
    zw_error ignored = {0};
    c->compile_refused = zw_kernel_compile(run->k, &ignored) < 0;
}

/* What CVODE's flag means, in the words of mechanics. */
static zw_status explain(zw_run *run, int flag, double t, zw_error *err) {
    /* a function that fails to the last is the reason, whatever CVODE makes of it */
    if (run->trouble.status < 0)
        return zw_num_pass_on(&run->trouble, err);
    switch (flag) {
    case CV_ERR_FAILURE:
    case CV_CONV_FAILURE:
        zw_fail(err, ZW_E_NUMERIC, "the step became too small at t = %.10g: %s", t,
                flag == CV_ERR_FAILURE ? "the error test keeps failing"
                                       : "the implicit equations do not converge");
        zw_error_hint(err, "if the motion has no jump or pole there, the tolerances may be below "
                           "the rounding error: raise atol or rtol");
        return ZW_E_NUMERIC;
    case CV_TOO_MUCH_ACC:
        zw_fail(err, ZW_E_NUMERIC, "at t = %.10g rounding is larger than the tolerances ask for",
                t);
        zw_error_hint(err, "raise atol or rtol");
        return ZW_E_NUMERIC;
    default:
        return zw_fail(err, ZW_E_NUMERIC, "CVODE stopped at t = %.10g with flag %d", t, flag);
    }
}

static zw_status check_state(zw_run *run, double t, zw_error *err) {
    for (int i = 0; i < run->k->nx; i++) {
        if (isfinite(run->y[i]))
            continue;
        zw_num_fault(run, ZW_FAULT_STATE, i, t, run->y[i]);
        return zw_fail(err, ZW_E_NONFINITE, "state %d is not finite at t = %.10g", i + 1, t);
    }
    return ZW_OK;
}

/* the events that keep CVODE from going on at (t, y); false if there is none new */
static bool put_to_rest(zw_run *run, double t) {
    zw_num_cvode *c = run->cvode;
    bool any = false;
    if (run->k->nevt == 0 || CVodeGetRootInfo(c->memory, run->fired) != CV_SUCCESS)
        return false;
    zw_error ignored = {0};
    if (zw_num_accel(run, t, run->y, run->qdot, run->step_z, &ignored) < 0)
        return false;
    zw_call(&run->k->evt, &t, run->y, run->step_z, run->cache, run->out, run->work);
    for (int i = 0; i < run->k->nevt; i++) {
        if (!run->resting[i] && fabs(run->out[i]) <= AT_REST * run->reach[i]) {
            run->resting[i] = run->fired[i] < 0 ? -1 : 1;
            any = true;
        }
        run->fired[i] = 0;
    }
    return any;
}

zw_status zw_num_cvode_advance(zw_run *run, double t_out, double *t, zw_error *err) {
    zw_num_cvode *c = run->cvode;
    int direction = t_out > run->t ? 1 : -1;
    if (c->direction && direction != c->direction)
        return zw_fail(err, ZW_E_OPTION,
                       "a run that has moved on cannot turn back from t = %.10g "
                       "to %.10g; start it again there",
                       run->t, t_out);
    c->direction = direction;
    for (;;) {
        long steps = 0;
        double now = run->t; /* the end of the last step, which may lie beyond t_out */
        CVodeGetNumSteps(c->memory, &steps);
        CVodeGetCurrentTime(c->memory, &now);
        double left = run->options.steps_max - (double)steps;
        if (left < 1 && (t_out - now) * direction > 0) {
            zw_fail(err, ZW_E_NUMERIC, "%.0f steps were not enough: the run is at t = %.10g",
                    run->options.steps_max, *t);
            zw_error_hint(err, "raise steps_max, or loosen the tolerances");
            return ZW_E_NUMERIC;
        }
        /* steps below the resolution of t would go on for ever in front of a barrier */
        CVodeSetMinStep(c->memory, 4 * DBL_EPSILON * fabs(now));
        CVodeSetMaxNumSteps(c->memory, left < 1 ? 1 : left < BUNDLE ? (long)left : BUNDLE);
        int flag = CVode(c->memory, t_out, c->y, t, CV_NORMAL);
        compile_if_it_pays(run);
        if (flag == CV_TOO_MUCH_WORK || (flag == CV_ILL_INPUT && put_to_rest(run, run->t)))
            continue;
        if (flag < 0)
            return explain(run, flag, *t, err);
        ZW_TRY(check_state(run, *t, err));
        if (flag != CV_ROOT_RETURN)
            return ZW_OK;
        CVodeGetRootInfo(c->memory, run->fired);
        return ZW_EVENT;
    }
}

void zw_num_cvode_statistics(const zw_run *run, zw_run_info *info) {
    const zw_num_cvode *c = run->cvode;
    if (!c->memory)
        return;
    CVodeGetNumSteps(c->memory, &info->steps);
    CVodeGetNumRhsEvals(c->memory, &info->rhs_calls);
    CVodeGetNumErrTestFails(c->memory, &info->error_fails);
    CVodeGetNumNonlinSolvConvFails(c->memory, &info->newton_fails);
    if (c->lmm == CV_BDF)
        CVodeGetNumJacEvals(c->memory, &info->jac_calls);
}
