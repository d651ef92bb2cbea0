/* SPDX-License-Identifier: MIT */
/* IDA (Hindmarsh et al. 2005): BDF of variable order and step for R(t, Y, Y') = 0, here the
 * stabilised index-2 form of dae.c. Without constraints that is the implicit form of the equations
 * of motion.
 *
 * Consequences of index 2:
 * - The error test is for q and v only. The accuracy of the multipliers is not controlled, since
 *   output is computed from q and v anyway; the same applies to massless velocities that follow
 *   from positions (massless.c).
 * - The convergence of Newton's method is judged by the same entries: a change of lambda changes v
 *   by the step times it, so weights independent of the step would be much too strict, at small
 *   steps below round-off. The weights of the others are zero, and those of the tested entries are
 *   increased so that the mean over all is the mean over them.
 * - Rows of the Newton matrix differ by powers of the step and by units. They are scaled by their
 *   largest entry before the factorisation, for which partial pivoting needs it.
 *
 * IDA is started with the exact v' and lambda, so IDACalcIC is not needed.
 *
 * A kernel function that fails is recoverable for IDA (it shortens the step); when it gives up, the
 * last fault is reported. */
#include <float.h>
#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "base/arena.h"
#include "num/flow/dae.h"
#include "num/internal.h"
#include "num/linear/linalg.h"
#include "step_polynomial.h"
#include "sundials.h"

/* NEWTON_SHARE: fraction of the tolerance of a step for Newton's method; NEW_MATRIX_AT: relative
 * change of the leading coefficient that requires a new matrix. IDA's 0.33 and 0.25 leave noise in
 * the velocities that costs more steps than it saves iterations. */
#define NEWTON_SHARE 0.01
#define NEW_MATRIX_AT 0.1
/* A step is increased if it could grow by GROW_FROM (IDA requires 2), but not in the first steps
 * after one that failed (NEVER_GROW: a factor that is not reached): there IDA would fail again and
 * again. With both, the shipped models with constraints take 20 to 40 % fewer steps, and the
 * rolling disc 1009 in place of 5571. */
#define GROW_FROM 1.2
#define NEVER_GROW 1e30
enum { HELD_STEPS = 3 };

typedef struct ida {
    SUNContext context;
    void *memory;
    N_Vector Y, rate, dense, is_differential; /* views of the arrays below */
    SUNMatrix matrix; /* square, so its entries are stored by rows, as in linalg.h */
    SUNLinearSolver linear;
    zw_num_dae dae;
    long error_fails;  /* number so far */
    int held;          /* number of steps that must not grow */
    int ntested;       /* entries of Y that are differential */
    double *row_scale; /* n: row scales of the Newton matrix */
    int *pivot;        /* n */
    size_t bytes;      /* of the block */
    bool stops;        /* a stop time is set */
} ida;

/* ---- functions IDA calls: 0 done, 1 shorten the step ---- */

static int evaluate_residual(sunrealtype t, N_Vector Y, N_Vector rate, N_Vector R, void *user) {
    zw_run *run = user;
    const ida *s = run->stepper;
    zw_num_forget(run);
    return zw_num_dae_residual(run->flow, &s->dae, t, N_VGetArrayPointer(Y),
                               N_VGetArrayPointer(rate), N_VGetArrayPointer(R), &run->trouble) < 0;
}

static int evaluate_jacobian(sunrealtype t, sunrealtype c, N_Vector Y, N_Vector rate, N_Vector R,
                             SUNMatrix J, void *user, N_Vector tmp1, N_Vector tmp2, N_Vector tmp3) {
    zw_run *run = user;
    const ida *s = run->stepper;
    (void)R, (void)tmp1, (void)tmp2, (void)tmp3;
    zw_num_forget(run);
    zw_num_dae_jacobian(run->flow, &s->dae, t, c, N_VGetArrayPointer(Y), N_VGetArrayPointer(rate),
                        SUNDenseMatrix_Data(J));
    return 0;
}

static int evaluate_weights(N_Vector Y, N_Vector w, void *user) {
    const zw_run *run = user;
    const ida *s = run->stepper;
    int n = s->dae.n;
    const double *y = N_VGetArrayPointer(Y), *tested = N_VGetArrayPointer(s->is_differential);
    double *out = N_VGetArrayPointer(w), mean = sqrt((double)n / s->ntested);
    for (int i = 0; i < n; i++)
        out[i] = tested[i] != 0 ? mean / (run->options.rtol * fabs(y[i]) + run->options.atol) : 0;
    return 0;
}

/* ---- the linear solver ---- */

static SUNLinearSolver_Type is_direct(SUNLinearSolver solver) {
    (void)solver;
    return SUNLINEARSOLVER_DIRECT;
}

static int factorise_matrix(SUNLinearSolver solver, SUNMatrix matrix) {
    zw_run *run = solver->content;
    ida *s = run->stepper;
    int n = s->dae.n;
    double *J = SUNDenseMatrix_Data(matrix);
    for (int i = 0; i < n; i++) {
        double most = 0;
        for (int j = 0; j < n; j++)
            most = fmax(most, fabs(J[i * n + j]));
        double scale = s->row_scale[i] = most > 0 ? 1 / most : 1;
        for (int j = 0; j < n; j++)
            J[i * n + j] *= scale;
    }
    if (zw_num_lu(n, J, s->pivot) > 0)
        return 0;
    zw_num_forget(run);
    zw_fail(&run->trouble, ZW_E_SINGULAR,
            "the equations of a step are singular at t = %.10g: they do not determine all "
            "velocities and multipliers",
            run->now);
    return 1;
}

static int solve_linear(SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b,
                        sunrealtype eps) {
    const zw_run *run = solver->content;
    const ida *s = run->stepper;
    double *out = N_VGetArrayPointer(x);
    const double *right = N_VGetArrayPointer(b);
    (void)eps;
    for (int i = 0; i < s->dae.n; i++)
        out[i] = s->row_scale[i] * right[i];
    zw_num_lu_solve(s->dae.n, SUNDenseMatrix_Data(matrix), s->pivot, 1, out);
    return 0;
}

static int forget_solver(SUNLinearSolver solver) {
    solver->content = NULL; /* the run is not owned by the solver */
    SUNLinSolFreeEmpty(solver);
    return 0;
}

static SUNLinearSolver make_solver(zw_run *run, SUNContext context) {
    SUNLinearSolver solver = SUNLinSolNewEmpty(context);
    if (!solver)
        return NULL;
    solver->content = run;
    solver->ops->gettype = is_direct;
    solver->ops->setup = factorise_matrix;
    solver->ops->solve = solve_linear;
    solver->ops->free = forget_solver;
    return solver;
}

/* ---- lifecycle ---- */

enum { VECTORS = 5 }; /* Y, rate, dense, is_differential, row_scale */

static size_t block_bytes(const zw_kernel *k) {
    size_t n = (size_t)zw_num_dae_size(k);
    return sizeof(ida) + sizeof(double) * (VECTORS * n + 2 * (size_t)k->nv) +
           sizeof(int) * (n + (size_t)(k->nc + k->npos));
}

/* the arrays after the struct in its block, doubles first; false if memory is short */
static bool slice_arrays(zw_run *run, ida *s) {
    const zw_kernel *k = run->k;
    int n = s->dae.n = zw_num_dae_size(k);
    double *p = (double *)(s + 1);
    N_Vector *vector[] = {&s->Y, &s->rate, &s->dense, &s->is_differential};
    for (int i = 0; i < 4; i++, p += n)
        if (!(*vector[i] = N_VMake_Serial(n, p, s->context)))
            return false;
    s->row_scale = p;
    s->dae.S = p + n;
    s->dae.w = s->dae.S + k->nv;
    void *behind = s->dae.w + k->nv;
    s->pivot = behind;
    s->dae.skip_lambda = s->pivot + n;
    s->dae.skip_mu = s->dae.skip_lambda + k->nc;
    return true;
}

static bool init_ida(zw_run *run, ida *s) {
    s->matrix = SUNDenseMatrix(s->dae.n, s->dae.n, s->context);
    s->linear = make_solver(run, s->context);
    s->memory = IDACreate(s->context);
    return s->matrix && s->linear && ZW_SUNDIALS_SILENT(IDA, s->memory) &&
           IDAInit(s->memory, evaluate_residual, run->now, s->Y, s->rate) == 0 &&
           IDASetUserData(s->memory, run) == 0 &&
           IDAWFtolerances(s->memory, evaluate_weights) == 0 &&
           IDASetLinearSolver(s->memory, s->linear, s->matrix) == 0 &&
           IDASetJacFn(s->memory, evaluate_jacobian) == 0 &&
           IDASetNonlinConvCoef(s->memory, NEWTON_SHARE) == 0 &&
           IDASetDeltaCjLSetup(s->memory, NEW_MATRIX_AT) == 0 &&
           IDASetMaxStep(s->memory, run->options.step_max) == 0;
}

static zw_status create_ida(zw_run *run, zw_error *err) {
    ZW_TRY(zw_num_dae_check(run->k, err));
    size_t bytes = block_bytes(run->k);
    ida *s = run->stepper = zw_allocate(&run->alloc, bytes);
    if (!s)
        return zw_out_of_memory(err, "a run");
    s->bytes = bytes;
    if (!zw_sundials_context(&s->context) || !slice_arrays(run, s) || !init_ida(run, s))
        return zw_fail(err, ZW_E_MEMORY, "IDA cannot be set up");
    return ZW_OK;
}

static void destroy_ida(zw_run *run) {
    ida *s = run->stepper;
    run->stepper = NULL;
    if (!s)
        return;
    IDAFree(&s->memory);
    if (s->linear)
        SUNLinSolFree(s->linear);
    if (s->matrix)
        SUNMatDestroy(s->matrix);
    N_Vector vector[] = {s->Y, s->rate, s->dense, s->is_differential};
    for (int i = 0; i < 4; i++)
        if (vector[i])
            N_VDestroy(vector[i]);
    SUNContext_Free(&s->context);
    zw_release(&run->alloc, s, s->bytes);
}

static zw_status start_ida(zw_run *run, zw_error *err) {
    ida *s = run->stepper;
    double *tested = N_VGetArrayPointer(s->is_differential);
    ZW_TRY(zw_num_dae_start(run->flow, &s->dae, run->now, run->y, N_VGetArrayPointer(s->Y),
                            N_VGetArrayPointer(s->rate), err));
    s->error_fails = s->held = s->ntested = 0;
    for (int i = 0; i < s->dae.n; i++) {
        int velocity = i - run->k->nq;
        tested[i] =
            i < run->k->nx && (velocity < 0 || !zw_num_massless_follows(run->flow, velocity));
        s->ntested += tested[i] != 0;
    }
    bool ok = IDAReInit(s->memory, run->now, s->Y, s->rate) == 0 &&
              IDASetId(s->memory, s->is_differential) == 0 &&
              IDASetSuppressAlg(s->memory, SUNTRUE) == 0 &&
              IDASetEtaFixedStepBounds(s->memory, 1, GROW_FROM) == 0;
    return ok ? ZW_OK : zw_fail(err, ZW_E_MEMORY, "IDA cannot be set up");
}

/* ---- stepping ---- */

/* Explains IDA's flag in the words of mechanics. */
static zw_status explain_flag(zw_run *run, int flag, zw_error *err) {
    if (run->trouble.status < 0 || flag == IDA_ERR_FAIL || flag == IDA_CONV_FAIL)
        return zw_num_give_up(run, run->now,
                              flag == IDA_ERR_FAIL ? "the error test keeps failing"
                                                   : "the implicit equations do not converge",
                              err);
    if (flag != IDA_TOO_MUCH_ACC)
        return zw_fail(err, ZW_E_NUMERIC, "IDA stopped at t = %.10g with flag %d", run->now, flag);
    zw_fail(err, ZW_E_NUMERIC, "at t = %.10g rounding is larger than the tolerances ask for",
            run->now);
    zw_error_hint(err, "raise --atol or --rtol");
    return ZW_E_NUMERIC;
}

/* after a step: the next ones must not grow if it failed before it succeeded */
static void hold_after_failure(ida *s) {
    long fails = s->error_fails;
    IDAGetNumErrTestFails(s->memory, &fails);
    if (fails > s->error_fails) {
        s->held = HELD_STEPS;
        IDASetEtaFixedStepBounds(s->memory, 1, NEVER_GROW);
    } else if (s->held > 0 && --s->held == 0) {
        IDASetEtaFixedStepBounds(s->memory, 1, GROW_FROM);
    }
    s->error_fails = fails;
}

static zw_status step_ida(zw_run *run, zw_error *err) {
    ida *s = run->stepper;
    /* steps below the resolution of t would continue for ever at a singularity */
    IDASetMinStep(s->memory, 4 * DBL_EPSILON * fabs(run->now));
    /* IDA uses `ahead` before its first step only, which is a thousandth of that at most */
    double t = run->now, ahead = 1 + fabs(run->now);
    if (run->info.steps == 0 && run->first_step > 0)
        ahead = fmin(ahead, 1000 * run->first_step);
    double far = run->now + run->direction * ahead;
    zw_sundials_stop(run, IDASetStopTime, s->memory, &s->stops);
    int flag = IDASolve(s->memory, far, &t, s->Y, s->rate, IDA_ONE_STEP);
    if (flag < 0)
        return explain_flag(run, flag, err);
    hold_after_failure(s);
    zw_method_moved(run, t);
    memcpy(run->y, N_VGetArrayPointer(s->Y), sizeof(double) * (size_t)run->k->nx);
    return ZW_OK;
}

static zw_status evaluate_dense(zw_run *run, double t, double *y, zw_error *err) {
    ida *s = run->stepper;
    if (IDAGetDky(s->memory, t, 0, s->dense) != IDA_SUCCESS)
        return zw_fail(err, ZW_E_NUMERIC, "IDA has no state at t = %.10g", t);
    memcpy(y, N_VGetArrayPointer(s->dense), sizeof(double) * (size_t)run->k->nx);
    return ZW_OK;
}

static zw_status dense_polynomial(zw_run *run, int *degree, double *c, zw_error *err) {
    ida *s = run->stepper;
    int nx = run->k->nx;
    double half = (run->reached - run->before) / 2, middle = run->before + half;
    if (IDAGetLastOrder(s->memory, degree) != IDA_SUCCESS)
        return zw_fail(err, ZW_E_NUMERIC, "IDA has no order at t = %.10g", run->now);
    for (int l = 0; l <= *degree; l++) {
        if (IDAGetDky(s->memory, middle, l, s->dense) != IDA_SUCCESS)
            return zw_fail(err, ZW_E_NUMERIC, "IDA has no state at t = %.10g", middle);
        memcpy(c + l * nx, N_VGetArrayPointer(s->dense), sizeof(double) * (size_t)nx);
    }
    zw_num_poly_from_derivatives(nx, *degree, half, c);
    return ZW_OK;
}

static void collect_statistics(const zw_run *run, zw_run_info *info) {
    const ida *s = run->stepper;
    long rhs_calls = 0, jac_calls = 0, error_fails = 0, newton_fails = 0;
    IDAGetNumResEvals(s->memory, &rhs_calls);
    IDAGetNumJacEvals(s->memory, &jac_calls);
    IDAGetNumErrTestFails(s->memory, &error_fails);
    IDAGetNumNonlinSolvConvFails(s->memory, &newton_fails);
    info->rhs_calls += rhs_calls;
    info->jac_calls += jac_calls;
    info->error_fails += error_fails;
    info->newton_fails += newton_fails;
}

const zw_method zw_num_ida = {
    .name = "ida",
    .title = "BDF (IDA)",
    .about =
        "multistep for implicit equations, orders 1-5: constraints by GGL, massless coordinates",
    .traits = ZW_TRAIT_MULTISTEP | ZW_TRAIT_CONSTRAINTS,
    .needs = ZW_NUM_DAE_NEEDS,
    .create = create_ida,
    .destroy = destroy_ida,
    .start = start_ida,
    .step = step_ida,
    .dense = evaluate_dense,
    .statistics = collect_statistics,
    .polynomial = dense_polynomial,
};
