/* SPDX-License-Identifier: MIT */
/* From a state of the system to the state of a principle that has other velocities (momenta, or
 * multipliers beside the velocities). */
#include <math.h>

#include "mech/system/build.h"

/* the start value of a multiplier, 0 if the model says none */
static double multiplier_start(const zw_equations *eq, const double *p, zw_expr lambda) {
    const zw_system *s = eq->sys;
    zw_expr *sym = ZW_CONTEXT_NEW(s->ctx, zw_expr, s->np);
    for (int i = 0; sym && i < s->np; i++)
        sym[i] = s->param[i].sym;
    for (int i = 0; sym && i < eq->nstart; i++)
        if (s->start[i].what == lambda)
            return zw_eval(s->ctx, s->start[i].value, s->np, sym, p);
    return 0;
}

zw_status zw_equations_state(const zw_equations *eq, double t, const double *p, const double *x,
                             double *out, zw_error *err) {
    const zw_system *s = eq->sys;
    int n = 0, size = s->np + s->nq + s->nv + s->nconstraint + 1;
    zw_expr *sym = ZW_CONTEXT_NEW(s->ctx, zw_expr, size);
    double *value = ZW_CONTEXT_NEW(s->ctx, double, size);
    if (!sym || !value)
        return zw_context_status(s->ctx, err);
    for (int i = 0; i < s->np; i++, n++) {
        sym[n] = s->param[i].sym;
        value[n] = p[i];
    }
    zw_mech_symbols(s, sym + n, sym + n + s->nq, NULL);
    for (int i = 0; i < s->nq + s->nv; i++)
        value[n++] = x[i];
    for (int i = 0; i < s->nconstraint; i++, n++) {
        sym[n] = s->constraint[i].lambda;
        value[n] = multiplier_start(eq, p, sym[n]);
    }
    sym[n] = s->t;
    value[n++] = t;
    for (int i = 0; i < s->nq; i++)
        out[i] = x[i];
    for (int i = 0; i < eq->nv; i++) {
        out[s->nq + i] =
            eq->from_system ? zw_eval(s->ctx, eq->from_system[i], n, sym, value) : x[s->nq + i];
        if (!isfinite(out[s->nq + i]))
            return zw_fail(err, ZW_E_START, "the start has no finite %s",
                           zw_expr_name(s->ctx, eq->v[i]));
    }
    return zw_context_status(s->ctx, err);
}
