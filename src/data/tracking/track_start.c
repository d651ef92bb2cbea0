/* SPDX-License-Identifier: MIT */
/* A start from measured values y with standard deviations D = diag(sd). Among all states that
 * satisfy the constraints g(t, x) = 0 of position and velocity it is the one with the least |u|,
 * u = D^-1 (x - y):
 *
 *   G D u = -g + G (x - y),    x = y + D u          shortest u, repeated                   (1)
 *
 * (Gauss-Newton). What was not measured starts at the values of the model, with so large a standard
 * deviation that it is changed first. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/tolerance.h"
#include "num/linear/linalg.h"
#include "tracking.h"
#include "zwang/equations.h"
#include "zwang/flow.h"
#include "zwang/kernel.h"

/* sd of what was not measured, over the largest of the others: large enough that measured values
 * move by 1e-8 of their share, small enough for the rank of G D */
#define UNMEASURED_SD 1e4
#define SMALLEST_SD 1e-12 /* in SI units: of values without noise, so that D is regular */
/* relative change of the last step: the next one would be its square */
#define CONSTRAINTS_SOLVED 1e-8
enum { STEPS = 30 }; /* of Gauss-Newton: a limit: a convergent iteration needs far fewer */

typedef struct plant {
    zw_equations eq;
    zw_kernel *kernel;
    zw_flow *flow;
} plant;

static zw_status make_plant(plant *m, const zw_tracking *t, zw_error *err) {
    zw_kernel_options o = zw_kernel_options_default();
    o.jit = ZW_JIT_NEVER;
    o.functions = ZW_FUNCTIONS_RUN | ZW_SET(GRAD);
    ZW_TRY(zw_derive(&m->eq, t->sys, NULL, "lagrange", err));
    ZW_TRY(zw_kernel_create(&m->kernel, &m->eq, &o, err));
    return zw_flow_create(&m->flow, m->kernel, t->p, err);
}

/* Rows around a time, for a cubic; two if there are no more. Returns their number, 0: it is not
 * measured. */
static int rows_about(const zw_tracking *t, const double *value, double at, long row[4]) {
    long k = 0;
    while (k + 2 < t->nrow && t->time[k + 1] <= at)
        k++;
    if (t->nrow < 2 || at < t->time[0] || at > t->time[t->nrow - 1] || !isfinite(value[k]) ||
        !isfinite(value[k + 1]))
        return 0;
    bool wide = k > 0 && k + 2 < t->nrow && isfinite(value[k - 1]) && isfinite(value[k + 2]);
    for (int i = 0; i < 4; i++)
        row[i] = wide ? k - 1 + i : k + i;
    return wide ? 4 : 2;
}

/* Lagrange's polynomial. */
static bool value_at(const zw_tracking *t, const double *value, double at, double *out) {
    long row[4];
    int n = value ? rows_about(t, value, at, row) : 0;
    *out = 0;
    for (int i = 0; i < n; i++) {
        double w = 1;
        for (int k = 0; k < n; k++)
            if (k != i)
                w *= (at - t->time[row[k]]) / (t->time[row[i]] - t->time[row[k]]);
        *out += w * value[row[i]];
    }
    return n > 0;
}

/* y and its standard deviations; 0 where nothing was measured. */
static zw_status measured_state(const zw_tracking *t, double at, double *x, double *sd,
                                zw_error *err) {
    int nq = t->sys->nq, nv = t->sys->nv, found = 0;
    bool *fixed = ZW_NEW((zw_arena *)&t->arena, bool, nq + nv + 1);
    if (!fixed)
        return zw_out_of_memory(err, "tracking data");
    ZW_TRY(zw_system_start_state(t->sys, t->p, x, fixed, err));
    for (int i = 0; i < nq + nv; i++) {
        const double *value = i < nq ? t->series[i].value[0] : t->velocity[i - nq],
                     *error = i < nq ? t->series[i].sd[0] : t->velocity_sd[i - nq];
        double y, s;
        sd[i] = 0;
        if (value && value_at(t, value, at, &y) && value_at(t, error, at, &s)) {
            x[i] = y;
            sd[i] = fmax(s, SMALLEST_SD);
            found++;
        }
    }
    if (found)
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "nothing was measured at t = %.9g s", at);
    zw_error_hint(err, "the data are from %.9g s to %.9g s, with gaps", t->time[0],
                  t->time[t->nrow - 1]);
    return ZW_E_OPTION;
}

static zw_status project_start(const zw_tracking *t, zw_flow *flow, double at, const double *y,
                               const double *D, double *x, zw_arena *arena, zw_error *err) {
    int n = t->sys->nq + t->sys->nv, ng = zw_flow_levels(flow), most = ng < n ? ng : n;
    double *g = ZW_NEW(arena, double, ng + 1), *G = ZW_NEW(arena, double, ng *n + 1),
           *tau = ZW_NEW(arena, double, most + 1), *u = ZW_NEW(arena, double, n + 1);
    int *order = ZW_NEW(arena, int, ng + 1);
    double change = INFINITY;
    if (arena->failed)
        return zw_out_of_memory(err, "tracking data");
    for (int k = 0; ng > 0 && k < STEPS && change > ZW_ROUNDOFF_VALUE; k++) {
        ZW_TRY(zw_flow_constraints(flow, at, x, g, G, err));
        for (int i = 0; i < ng; i++) {
            g[i] = -g[i];
            for (int j = 0; j < n; j++) {
                g[i] += G[i * n + j] * (x[j] - y[j]);
                G[i * n + j] *= D[j];
            }
        }
        int rank = zw_num_rows_factor(ng, n, G, 0, ZW_ROUNDOFF_SOLVED, tau, order);
        zw_num_rows_solve(n, G, rank, tau, order, g, u);
        change = 0;
        for (int j = 0; j < n; j++) {
            double next = y[j] + D[j] * u[j];
            change = fmax(change, fabs(next - x[j]) / (1 + fabs(next)));
            x[j] = next;
        }
    }
    if (ng == 0 || change < CONSTRAINTS_SOLVED)
        return ZW_OK;
    zw_fail(err, ZW_E_START,
            "no state that satisfies the constraints was found near what was "
            "measured at t = %.9g s",
            at);
    return ZW_E_START;
}

static void check_start(const zw_tracking *t, double at, const double *x, const double *y,
                        const double *sd) {
    int nq = t->sys->nq;
    for (int i = 0; i < nq + t->sys->nv; i++) {
        double far = sd[i] > 0 ? fabs(x[i] - y[i]) / sd[i] : 0;
        const char *name = i < nq ? t->sys->coord[i].name : t->sys->velocity[i - nq].name;
        char key[96];
        if (far < 6)
            continue;
        snprintf(key, sizeof key, "start %.80s", name);
        zw_warning d =
            zw_warning_of(key, at,
                          "the constraints move %s by %.2g standard deviations from what was "
                          "measured",
                          name, far);
        zw_warning_hint(&d,
                        "the constraints of the model may not be those of the experiment, or its "
                        "lengths differ");
        zw_warnings_add(t->doubts, &d);
    }
}

zw_status zw_tracking_start(const zw_tracking *t, double at, double *x, double *sd, zw_error *err) {
    int n = t->sys->nq + t->sys->nv;
    plant m = {0};
    zw_arena arena;
    zw_arena_init(&arena, &t->arena.alloc);
    double *y = ZW_NEW(&arena, double, n + 1), *D = ZW_NEW(&arena, double, n + 1),
           *own = ZW_NEW(&arena, double, n + 1), largest = 0;
    zw_status status = arena.failed ? zw_out_of_memory(err, "tracking data") : ZW_OK;
    if (status >= 0 && !t->done)
        status = zw_fail(err, ZW_E_OPTION, "the tracking has not been run");
    if (status >= 0)
        status = measured_state(t, at, x, own, err);
    if (status >= 0)
        status = make_plant(&m, t, err);
    for (int i = 0; status >= 0 && i < n; i++)
        y[i] = x[i], largest = fmax(largest, own[i]);
    for (int i = 0; status >= 0 && i < n; i++)
        D[i] = own[i] > 0 ? own[i] : UNMEASURED_SD * largest;
    if (status >= 0)
        status = project_start(t, m.flow, at, y, D, x, &arena, err);
    if (status >= 0)
        check_start(t, at, x, y, own);
    if (status >= 0 && sd)
        memcpy(sd, own, (size_t)n * sizeof *sd);
    zw_flow_destroy(m.flow);
    zw_kernel_destroy(m.kernel);
    zw_arena_clear(&arena);
    return status;
}
