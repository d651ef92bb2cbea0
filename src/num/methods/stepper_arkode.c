/* SPDX-License-Identifier: MIT */
/* ARKODE's explicit Runge-Kutta methods (Reynolds et al. 2023), one for each order:
 *
 *     2  Heun-Euler 2(1)             5  Dormand and Prince 5(4)
 *     3  Bogacki and Shampine 3(2)   6  Verner 6(5)
 *     4  Zonneveld 4(3)              7, 8  Fehlberg 7(8), continued with either
 *
 * y' = rate(t, y), and after every step y is projected onto the constraints (step post-processing).
 * With the option step the steps have that length and no error is estimated.
 *
 * Within steps: ARKODE interpolates by Hermite polynomials of degree 5 at most, which is less
 * accurate than a method of high order, and from degree 4 every value costs evaluations. So the
 * cubic, which needs none, is used for orders up to 4, with an error of the fourth order in the
 * step. For higher orders, states inside are computed by shorter steps with the same table, and the
 * polynomial through these states and their rates, together with those of both ends, is the dense
 * output: of degree 5 with one state in the middle (orders 5 and 6), of degree 7 with two at the
 * thirds. It is computed once per step, if requested, in Newton's form. Events land by steps for
 * every order. */
#include <arkode/arkode_erkstep.h>
#include <float.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>

#include "base/arena.h"
#include "num/internal.h"
#include "step_polynomial.h"
#include "sundials.h"

enum { ORDER_CHOSEN = 5, CUBIC = 3, ORDER_OF_CUBIC = 4, ORDER_OF_QUINTIC = 6, SHORTER = 20 };
enum { NODES = 4, CONDITIONS = 2 * NODES }; /* of a dense output, at most */
#define SHORTER_BY 0.25

typedef struct arkode {
    SUNContext context;
    void *memory;
    N_Vector y, dense; /* views of run->y and of the dense output */
    ARKodeButcherTable table;
    int ny;        /* entries these were made for */
    double *from;  /* nx: y at run->before */
    bool stops;    /* a stop time is set */
    double *stage; /* nx: state at which a rate is computed */
    double *rates; /* stages x nx */
    double *r;     /* CONDITIONS x nx: dense output, divided differences */
    bool has_dense;
    size_t bytes; /* of these arrays */
} arkode;

/* ---- functions ARKODE calls: 0 done, 1 shorten the step ---- */

static int rhs(sunrealtype t, N_Vector y, N_Vector ydot, void *user) {
    zw_run *run = user;
    zw_num_forget(run);
    return zw_num_rate(run, t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot), &run->trouble) < 0;
}

static int project_state(sunrealtype t, N_Vector y, void *user) {
    zw_run *run = user;
    zw_num_forget(run);
    return zw_num_settle(run, t, N_VGetArrayPointer(y), &run->trouble) < 0;
}

/* ---- lifecycle ---- */

static ARKodeButcherTable load_table(int order) {
    static const ARKODE_ERKTableID id[] = {
        [2] = ARKODE_HEUN_EULER_2_1_2, [3] = ARKODE_BOGACKI_SHAMPINE_4_2_3,
        [4] = ARKODE_ZONNEVELD_5_3_4,  [5] = ARKODE_DORMAND_PRINCE_7_4_5,
        [6] = ARKODE_VERNER_8_5_6,     [7] = ARKODE_FEHLBERG_13_7_8,
        [8] = ARKODE_FEHLBERG_13_7_8,
    };
    ARKodeButcherTable table = ARKodeButcherTable_LoadERK(id[order]);
    if (table && order < table->q) { /* continue with the embedded solution */
        sunrealtype *b = table->b;
        table->b = table->d;
        table->d = b;
        table->p = table->q;
        table->q = order;
    }
    return table;
}

static zw_status create_arkode(zw_run *run, zw_error *err) {
    int order = run->options.order == 0 ? ORDER_CHOSEN : run->options.order;
    if (order < 2 || order > 8) {
        zw_fail(err, ZW_E_OPTION, "method erk has no order %d", order);
        zw_error_hint(err, "it has the orders 2 to 8");
        return ZW_E_OPTION;
    }
    arkode *s = run->stepper = zw_allocate(&run->alloc, sizeof *s);
    if (!s || !zw_sundials_context(&s->context))
        return zw_out_of_memory(err, "a run");
    s->table = load_table(order);
    if (!s->table)
        return zw_out_of_memory(err, "a run");
    size_t nx = (size_t)run->k->nx;
    size_t bytes = sizeof(double) * nx * (size_t)(2 + s->table->stages + CONDITIONS);
    s->from = zw_allocate(&run->alloc, bytes);
    if (!s->from)
        return zw_out_of_memory(err, "a run");
    s->bytes = bytes;
    s->stage = s->from + nx;
    s->rates = s->stage + nx;
    s->r = s->rates + (size_t)s->table->stages * nx;
    return ZW_OK;
}

/* releases the data that depend on the number of entries of y */
static void release_arkode(arkode *s) {
    ARKodeFree(&s->memory);
    if (s->y)
        N_VDestroy(s->y);
    if (s->dense)
        N_VDestroy(s->dense);
    s->y = s->dense = NULL;
    s->ny = 0;
}

static void destroy_arkode(zw_run *run) {
    arkode *s = run->stepper;
    run->stepper = NULL;
    if (!s)
        return;
    release_arkode(s);
    ARKodeButcherTable_Free(s->table);
    zw_release(&run->alloc, s->from, s->bytes);
    SUNContext_Free(&s->context);
    zw_release(&run->alloc, s, sizeof *s);
}

static bool init_arkode(zw_run *run) {
    arkode *s = run->stepper;
    release_arkode(s);
    s->y = N_VMake_Serial(run->ny, run->y, s->context);
    s->dense = N_VMake_Serial(run->ny, run->dense, s->context);
    if (!s->y || !s->dense)
        return false;
    s->memory = ERKStepCreate(rhs, run->now, s->y, s->context);
    bool ok = ZW_SUNDIALS_SILENT(ARKode, s->memory) && ARKodeSetUserData(s->memory, run) == 0 &&
              ERKStepSetTable(s->memory, s->table) == 0 &&
              ARKodeSetInterpolantDegree(s->memory, CUBIC) == 0 &&
              ARKodeSStolerances(s->memory, run->options.rtol, run->options.atol) == 0 &&
              ARKodeSetMaxStep(s->memory, run->options.step_max) == 0 &&
              ARKodeSetMaxHnilWarns(s->memory, -1) == 0 &&
              ARKodeSetPostprocessStepFn(s->memory, project_state) == 0;
    if (ok)
        s->ny = run->ny;
    return ok;
}

static zw_status start_arkode(zw_run *run, zw_error *err) {
    arkode *s = run->stepper;
    bool ok =
        s->ny == run->ny ? ERKStepReInit(s->memory, rhs, run->now, s->y) == 0 : init_arkode(run);
    s->has_dense = false;
    ok = ok && ARKodeSetFixedStep(s->memory, run->direction * run->options.step) == 0;
    return ok ? ZW_OK : zw_fail(err, ZW_E_MEMORY, "ARKODE cannot be set up");
}

/* ---- stepping ---- */

/* Explains ARKODE's flag in the words of mechanics. */
static zw_status explain_flag(zw_run *run, int flag, zw_error *err) {
    if (run->trouble.status < 0 || flag == ARK_ERR_FAILURE || flag == ARK_CONV_FAILURE)
        return zw_num_give_up(run, run->now, "the error test keeps failing", err);
    if (flag != ARK_TOO_MUCH_ACC)
        return zw_fail(err, ZW_E_NUMERIC, "ARKODE stopped at t = %.10g with flag %d", run->now,
                       flag);
    zw_fail(err, ZW_E_NUMERIC, "at t = %.10g rounding is larger than the tolerances ask for",
            run->now);
    zw_error_hint(err, "raise --atol or --rtol");
    return ZW_E_NUMERIC;
}

/* One step of ARKODE from run->y. */
static int evolve_arkode(zw_run *run, double *t) {
    arkode *s = run->stepper;
    double far = run->now + run->direction * (1 + fabs(run->now));
    *t = run->now;
    if (!(run->options.step > 0)) /* a fixed step goes beyond the stop and is cut */
        zw_sundials_stop(run, ARKodeSetStopTime, s->memory, &s->stops);
    return ARKodeEvolve(s->memory, far, s->y, t, ARK_ONE_STEP);
}

/* ARKODE fails if a rate or a projection fails; a shorter step may succeed. */
static int evolve_shorter(zw_run *run, int flag, double *t) {
    arkode *s = run->stepper;
    double h = 0;
    ARKodeGetCurrentStep(s->memory, &h);
    bool fixed = run->options.step > 0;
    for (int i = 0; i < SHORTER && !fixed && flag < 0 && run->trouble.status < 0; i++) {
        h *= SHORTER_BY;
        memcpy(run->y, s->from, sizeof(double) * (size_t)run->ny);
        if (ARKodeReset(s->memory, run->now, s->y) != 0 || ARKodeSetInitStep(s->memory, h) != 0)
            return flag;
        flag = evolve_arkode(run, t);
    }
    return flag;
}

static zw_status step_arkode(zw_run *run, zw_error *err) {
    arkode *s = run->stepper;
    s->has_dense = false;
    memcpy(s->from, run->y, sizeof(double) * (size_t)run->ny);
    /* steps below the resolution of t would continue for ever at a singularity */
    ARKodeSetMinStep(s->memory, 4 * DBL_EPSILON * fabs(run->now));
    double t;
    int flag = evolve_arkode(run, &t);
    if (flag < 0)
        flag = evolve_shorter(run, flag, &t);
    if (flag < 0) {
        memcpy(run->y, s->from, sizeof(double) * (size_t)run->ny);
        return explain_flag(run, flag, err);
    }
    zw_method_moved(run, t);
    return ZW_OK;
}

/* a step from `before` to t */
static zw_status step_to_time(zw_run *run, double t, double *y, zw_error *err) {
    arkode *s = run->stepper;
    const ARKodeButcherTable T = s->table;
    int ny = run->ny;
    double h = t - run->before;
    for (int k = 0; k < T->stages; k++) {
        memcpy(s->stage, s->from, sizeof(double) * (size_t)ny);
        for (int j = 0; j < k; j++)
            for (int i = 0; i < ny && T->A[k][j] != 0; i++)
                s->stage[i] += h * T->A[k][j] * s->rates[j * ny + i];
        ZW_TRY(zw_num_rate(run, run->before + T->c[k] * h, s->stage, s->rates + k * ny, err));
    }
    memcpy(y, s->from, sizeof(double) * (size_t)ny);
    for (int k = 0; k < T->stages; k++)
        for (int i = 0; i < ny; i++)
            y[i] += h * T->b[k] * s->rates[k * ny + i];
    return ZW_OK;
}

/* ---- between the steps ---- */

/* the nodes of the dense output, as fractions of the step; returns their number */
static int place_nodes(const arkode *s, double theta[NODES]) {
    int n = s->table->q <= ORDER_OF_QUINTIC ? 3 : 4;
    for (int k = 0; k < n; k++)
        theta[k] = (double)k / (n - 1);
    return n;
}

/* state minus that at the beginning, and slope, at node k: rows 2 k and 2 k + 1 of r */
static zw_status meet_node(zw_run *run, int k, double theta, zw_error *err) {
    arkode *s = run->stepper;
    int ny = run->ny;
    double h = run->reached - run->before, t = theta == 1 ? run->reached : run->before + theta * h;
    double *state = s->r + 2 * k * ny, *slope = state + ny;
    if (theta == 0)
        memcpy(state, s->from, sizeof(double) * (size_t)ny);
    else if (theta == 1)
        memcpy(state, run->y, sizeof(double) * (size_t)ny);
    else
        ZW_TRY(step_to_time(run, t, state, err));
    ZW_TRY(zw_num_rate(run, t, state, slope, err));
    for (int i = 0; i < ny; i++) {
        state[i] -= s->from[i];
        slope[i] *= h;
    }
    return ZW_OK;
}

/* Divided differences with double nodes, from states and slopes; in place, row by row. */
static void divide_differences(int n, const double *theta, int nodes, double *r) {
    for (int i = 0; i < n; i++) {
        double d[CONDITIONS], slope[NODES];
        for (int k = 0; k < nodes; k++) {
            d[2 * k] = d[2 * k + 1] = r[2 * k * n + i];
            slope[k] = r[(2 * k + 1) * n + i];
        }
        for (int order = 1; order < 2 * nodes; order++)
            for (int k = 2 * nodes - 1; k >= order; k--)
                d[k] = order == 1 && k % 2
                           ? slope[k / 2]
                           : (d[k] - d[k - 1]) / (theta[k / 2] - theta[(k - order) / 2]);
        for (int k = 0; k < 2 * nodes; k++)
            r[k * n + i] = d[k];
    }
}

static zw_status make_dense(zw_run *run, zw_error *err) {
    arkode *s = run->stepper;
    double theta[NODES];
    int nodes = place_nodes(s, theta);
    for (int k = 0; k < nodes; k++)
        ZW_TRY(meet_node(run, k, theta[k], err));
    divide_differences(run->ny, theta, nodes, s->r);
    s->has_dense = true;
    return ZW_OK;
}

static zw_status evaluate_dense(zw_run *run, double t, double *y, zw_error *err) {
    arkode *s = run->stepper;
    if (s->table->q > ORDER_OF_CUBIC && t != run->reached) {
        double theta[NODES], at = (t - run->before) / (run->reached - run->before);
        int nodes = place_nodes(s, theta);
        if (!s->has_dense)
            ZW_TRY(make_dense(run, err));
        for (int i = 0; i < run->ny; i++) {
            double value = 0;
            for (int k = 2 * nodes - 1; k >= 0; k--)
                value = s->r[k * run->ny + i] + (at - theta[k / 2]) * value;
            y[i] = s->from[i] + value;
        }
        return ZW_OK;
    }
    N_VSetArrayPointer(y, s->dense);
    if (ARKodeGetDky(s->memory, t, 0, s->dense) != ARK_SUCCESS)
        return zw_fail(err, ZW_E_NUMERIC, "ARKODE has no state at t = %.10g", t);
    return ZW_OK;
}

static zw_status cubic_coefficients(zw_run *run, int *degree, double *c, zw_error *err) {
    arkode *s = run->stepper;
    double half = (run->reached - run->before) / 2, middle = run->before + half;
    *degree = CUBIC;
    for (int l = 0; l <= CUBIC; l++) {
        N_VSetArrayPointer(c + l * run->ny, s->dense);
        if (ARKodeGetDky(s->memory, middle, l, s->dense) != ARK_SUCCESS)
            return zw_fail(err, ZW_E_NUMERIC, "ARKODE has no state at t = %.10g", middle);
    }
    zw_num_poly_from_derivatives(run->ny, CUBIC, half, c);
    return ZW_OK;
}

static zw_status dense_polynomial(zw_run *run, int *degree, double *c, zw_error *err) {
    arkode *s = run->stepper;
    int ny = run->ny;
    double theta[NODES];
    if (s->table->q <= ORDER_OF_CUBIC)
        return cubic_coefficients(run, degree, c, err);
    if (!s->has_dense)
        ZW_TRY(make_dense(run, err));
    int last = *degree = 2 * place_nodes(s, theta) - 1;
    memcpy(c, s->r + last * ny, sizeof(double) * (size_t)ny);
    for (int k = last - 1; k >= 0; k--) {
        zw_num_poly_times(ny, last - 1 - k, 0.5 - theta[k / 2], 0.5, c);
        zw_num_poly_plus(ny, s->r + k * ny, c);
    }
    zw_num_poly_plus(ny, s->from, c);
    return ZW_OK;
}

static void collect_statistics(const zw_run *run, zw_run_info *info) {
    const arkode *s = run->stepper;
    long rhs_calls = 0, error_fails = 0;
    ERKStepGetNumRhsEvals(s->memory, &rhs_calls);
    ARKodeGetNumErrTestFails(s->memory, &error_fails);
    info->rhs_calls += rhs_calls;
    info->error_fails += error_fails;
}

const zw_method zw_num_erk = {
    .name = "erk",
    .title = "explicit Runge-Kutta (ARKODE)",
    .about = "one-step (Runge-Kutta), of order 2-8 (--order): non-stiff motion",
    .traits = ZW_TRAIT_CAN_FIX_STEP | ZW_TRAIT_ORDERS,
    .create = create_arkode,
    .destroy = destroy_arkode,
    .start = start_arkode,
    .step = step_arkode,
    .dense = evaluate_dense,
    .land = step_to_time,
    .statistics = collect_statistics,
    .polynomial = dense_polynomial,
};
