/* SPDX-License-Identifier: MIT */
/* One principle of a comparison: derived in a separate context, lowered and compiled, and evaluated
 * at states of the system. Its velocities may differ from those of the system (momenta), so a state
 * is converted by eq.from_system and accelerations are converted back by eq.accel. */
#include "compare.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "mech/system/build.h"
#include "num/flow/flow.h"
#include "num/linear/linalg.h"

#define SECONDS_PER_NS 1e-9 /* unit */

enum { STEPS_MAX = 10000 }; /* of a vakonomic run, whose motion may diverge */

/* Smallest pivot relative to the largest one. Nearer to singular equations (Euler angles aligned,
 * independent velocities that determine nothing) differences are round-off. */
static const double REGULAR = 0.01, SPLIT_REGULAR = 0.1;

double zw_compare_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + SECONDS_PER_NS * (double)t.tv_nsec;
}

zw_status zw_compare_pass_on(const zw_error *fault, zw_error *err) {
    if (err && err->status >= 0)
        *err = *fault;
    return fault->status;
}

/* --------------------------------------------------------------------------------------- set-up */

/* Every symbol that can be given a value: parameters, signals, t, q, v and multipliers of the
 * system, then v and v' of the equations. */
static zw_status list_symbols(zw_compare_row *row, const double *p, zw_error *err) {
    const zw_system *s = row->sys;
    const zw_equations *eq = &row->eq;
    int n = s->np + s->nsignal + 1 + s->nq + s->nv + s->nconstraint + 2 * eq->nv, k = 0;
    row->symbol = ZW_CONTEXT_NEW(s->ctx, zw_expr, n);
    row->value = ZW_CONTEXT_NEW(s->ctx, double, n);
    if (!row->symbol || !row->value)
        return zw_context_status(s->ctx, err);
    for (int i = 0; i < s->np; i++, k++) {
        row->symbol[k] = s->param[i].sym;
        row->value[k] = p[i];
    }
    for (int i = 0; i < s->nsignal; i++, k++) { /* any value except 0, which would hide much */
        row->symbol[k] = s->signal[i].sym;
        row->value[k] = 0.4 + 0.3 * i;
    }
    row->symbol[k++] = s->t;
    for (int i = 0; i < s->nq; i++)
        row->symbol[k++] = s->coord[i].sym;
    for (int i = 0; i < s->nv; i++)
        row->symbol[k++] = s->velocity[i].sym;
    for (int i = 0; i < s->nconstraint; i++)
        row->symbol[k++] = s->constraint[i].lambda;
    row->nsymbol = k;
    for (int i = 0; i < eq->nv; i++) {
        row->symbol[k] = eq->v[i];
        row->symbol[k++ + eq->nv] = eq->a[i];
    }
    return ZW_OK;
}

static zw_status allocate_row(zw_compare_row *row, zw_error *err) {
    zw_context *ctx = row->sys->ctx;
    const zw_kernel *k = row->kernel;
    row->x = ZW_CONTEXT_NEW(ctx, double, k->nx);
    row->z = ZW_CONTEXT_NEW(ctx, double, k->nz);
    row->rate = ZW_CONTEXT_NEW(ctx, double, k->nx);
    row->K = ZW_CONTEXT_NEW(ctx, double, k->nz * k->nz);
    row->pivot = ZW_CONTEXT_NEW(ctx, int, k->nz);
    row->unit = ZW_CONTEXT_NEW(ctx, double, row->sys->nv);
    return zw_context_status(ctx, err);
}

/* Lowered to code, and to native code if LLVM is available. */
static zw_status make_kernel(zw_comparison *c, zw_compare_row *row, zw_error *err) {
    zw_kernel_options options = zw_kernel_options_default();
    zw_error missing = {0};
    options.jit = ZW_JIT_NEVER; /* compiled below, separately from the lowering */
    double begin = zw_compare_now();
    ZW_TRY(zw_kernel_create(&row->kernel, &row->eq, &options, err));
    row->report.lower = zw_compare_now() - begin;
    begin = zw_compare_now();
    zw_status status = zw_kernel_compile(row->kernel, &missing);
    row->report.compile = zw_compare_now() - begin;
    if (status < 0 && status != ZW_E_MISSING)
        return zw_compare_pass_on(&missing, err);
    c->info.native = row->kernel->native;
    zw_run_options run_options = c->run;
    if (run_options.steps_max > STEPS_MAX)
        run_options.steps_max = STEPS_MAX;
    ZW_TRY(zw_run_create(&row->run, row->kernel, c->p, &run_options, err));
    ZW_TRY(allocate_row(row, err));
    ZW_TRY(list_symbols(row, c->p, err));
    row->flow = zw_run_flow(row->run);
    zw_flow_set_inputs(row->flow, row->value + row->sys->np);
    return ZW_OK;
}

/* Numbers of equations and unknowns, and their operations. */
static void count_equations(zw_compare_row *row) {
    const zw_system *s = row->sys;
    zw_compared *report = &row->report;
    report->applies = true;
    report->operations = zw_equations_count(&row->eq);
    for (int i = 0; i < s->nconstraint; i++)
        report->constraints += row->eq.holds[i];
    report->dynamic = row->eq.nv + row->eq.nc - report->constraints;
    report->accelerations = s->nv;
    report->multipliers = row->eq.nv + row->eq.nc - s->nv;
}

zw_status zw_compare_set_up(zw_comparison *c, zw_compare_row *row, zw_error *err) {
    const zw_active bare = {.bare = true};
    const char *principle = row->report.principle->name;
    row->ctx = zw_context_create(&c->alloc);
    if (!row->ctx)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(c->make(c->user, row->ctx, &row->sys, err));
    row->report.accel.value = row->report.lambda.value = row->report.evaluate = -1;
    row->vakonomic = strcmp(principle, "vakonomic") == 0;
    double begin = zw_compare_now();
    zw_status status = zw_derive(&row->eq, row->sys, &bare, principle, &row->report.refusal);
    row->report.derive = zw_compare_now() - begin;
    if (status < 0)
        return status == ZW_E_MEMORY ? zw_compare_pass_on(&row->report.refusal, err) : ZW_OK;
    count_equations(row);
    return make_kernel(c, row, err);
}

void zw_compare_clear(zw_compare_row *row) {
    zw_run_destroy(row->run);
    zw_kernel_destroy(row->kernel);
    zw_context_destroy(row->ctx);
}

/* --------------------------------------------------------------------------------- at one state */

void zw_compare_set_point(zw_compare_row *row, double t, const double *x, const double *mu) {
    const zw_system *s = row->sys;
    double *value = row->value + s->np + s->nsignal;
    *value++ = t;
    for (int i = 0; i < s->nq + s->nv; i++)
        *value++ = x[i];
    for (int i = 0; i < s->nconstraint; i++)
        *value++ = mu ? mu[i] : 0;
}

double zw_compare_value(const zw_compare_row *row, zw_expr e) {
    return zw_eval(row->sys->ctx, e, row->nsymbol, row->symbol, row->value);
}

void zw_compare_enter(zw_compare_row *row, double t, const double *x, const double *mu) {
    const zw_system *s = row->sys;
    const zw_equations *eq = &row->eq;
    memcpy(row->x, x, (size_t)s->nq * sizeof *x);
    zw_compare_set_point(row, t, x, mu);
    for (int i = 0; i < eq->nv; i++)
        row->x[s->nq + i] =
            eq->from_system ? zw_compare_value(row, eq->from_system[i]) : x[s->nq + i];
}

/* Accelerations of the system (nv) after the evaluation at row->x. */
static void system_accelerations(zw_compare_row *row, double *a) {
    const zw_system *s = row->sys;
    const zw_equations *eq = &row->eq;
    double *v = row->value + row->nsymbol;
    for (int i = 0; i < eq->nv; i++) {
        v[i] = row->x[s->nq + i];
        v[eq->nv + i] = row->z[i];
    }
    for (int i = 0; i < s->nv; i++)
        a[i] = eq->accel ? zw_eval(s->ctx, eq->accel[i], row->nsymbol + 2 * eq->nv, row->symbol,
                                   row->value)
                         : row->z[i];
}

const double *zw_compare_multipliers(const zw_compare_row *row) {
    return row->vakonomic ? row->z + row->sys->nv : row->eq.nc ? row->z + row->eq.nv : NULL;
}

void zw_compare_forces(const zw_compare_row *row, double t, const double *mass, double *out) {
    int nv = row->eq.nv, nc = row->eq.nc;
    const double *C = zw_flow_matrices(row->flow, t, row->x).C, *lambda = row->z + nv;
    for (int i = 0; i < nv; i++) {
        out[i] = 0;
        for (int k = 0; k < nc; k++)
            out[i] += C[i * nc + k] * lambda[k] / mass[i];
    }
}

zw_status zw_compare_evaluate(zw_compare_row *row, double t, const double *x, const double *mu,
                              double *a, zw_error *err) {
    zw_compare_enter(row, t, x, mu);
    ZW_TRY(zw_flow_rates(row->flow, t, row->x, row->rate, row->z, err));
    system_accelerations(row, a);
    return ZW_OK;
}

/* Divides a row (or column) of K by its length over n entries; zero rows stay. */
static void normalise_length(double *K, int n, int step, int all) {
    double length = 0;
    for (int j = 0; j < n; j++)
        length += K[j * step] * K[j * step];
    for (int j = 0; j < all && length > 0; j++)
        K[j * step] /= sqrt(length);
}

/* Is the linear system [M -C; W 0] of a row far from singular at row->x? Its entries have units.
 * Velocities are scaled by their kinetic energies, v_i sqrt(M_ii); then an equation by its
 * coefficients of the velocities, and a multiplier by its whole column: light bodies are no reason
 * to call it singular. Redundant rows are handled by the pseudo-inverse. */
bool zw_compare_is_regular(zw_compare_row *row, double t) {
    int nv = row->eq.nv, nc = row->eq.nc, n = nv + nc, moving = row->sys->nv;
    double *K = row->K, *unit = row->unit;
    if (row->eq.pseudo)
        return true;
    const double *mass = zw_num_mass(row->flow, t, row->x);
    for (int i = 0; i < moving; i++)
        unit[i] = mass[i * nv + i] > 0 ? 1 / sqrt(mass[i * nv + i]) : 1;
    zw_mats_parts m = zw_flow_matrices(row->flow, t, row->x);
    memset(K, 0, (size_t)(n * n) * sizeof *K);
    for (int i = 0; i < nv; i++) {
        memcpy(K + i * n, m.M + i * nv, (size_t)nv * sizeof *K);
        for (int k = 0; k < nc; k++) {
            K[i * n + nv + k] = -m.C[i * nc + k];
            K[(nv + k) * n + i] = m.W[k * nv + i];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < moving; j++)
            K[i * n + j] *= unit[j];
        normalise_length(K + i * n, moving, 1, n);
    }
    for (int j = moving; j < n; j++)
        normalise_length(K + j, n, n, n);
    return zw_num_lu(n, K, row->pivot) > REGULAR;
}

/* Do the constraints determine the dependent velocities well, if a row has such? The square block
 * of the constraint rows and dependent columns, rows scaled to length one in the weights of the
 * masses. */
bool zw_compare_has_regular_split(zw_compare_row *row, double t, const double *mass) {
    const int *constraint = row->eq.row_constraint;
    int nv = row->eq.nv, n = 0, at = 0;
    for (int i = 0; i < nv && constraint && !row->vakonomic; i++)
        n += constraint[i] >= 0;
    if (n == 0)
        return true;
    const double *M = zw_flow_matrices(row->flow, t, row->x).M;
    for (int i = 0; i < nv; i++) {
        const double *W = M + (size_t)i * (size_t)nv;
        double length = 0;
        if (constraint[i] < 0)
            continue;
        for (int j = 0; j < nv; j++)
            length += W[j] * W[j] / (mass[j] * mass[j]);
        for (int j = 0; j < nv; j++)
            if (constraint[j] >= 0)
                row->K[at++] = W[j] / (mass[j] * sqrt(length));
    }
    zw_num_lu(n, row->K, row->pivot);
    for (int i = 0; i < n; i++)
        if (!(fabs(row->K[i * n + i]) > SPLIT_REGULAR))
            return false;
    return true;
}
