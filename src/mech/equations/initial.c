/* SPDX-License-Identifier: MIT */
/* From a state of the system to the state of a principle with other velocities (momenta, or
 * multipliers besides the velocities). */
#include <math.h>

#include "mech/system/build.h"

/* the start value of a multiplier, 0 if the model gives none; sym: the parameters */
static double multiplier_start(const zw_equations *eq, const zw_expr *sym, const double *p,
                               zw_expr lambda) {
    const zw_system *s = eq->sys;
    for (int i = 0; i < eq->nstart; i++)
        if (s->start[i].what == lambda)
            return zw_eval(s->ctx, s->start[i].value, s->np, sym, p);
    return 0;
}

static zw_status find_state(const zw_equations *eq, double t, const double *p, const double *x,
                            double *out, zw_error *err) {
    const zw_system *s = eq->sys;
    int n = 0, size = s->np + s->nq + s->nv + s->nconstraint + 1;
    zw_expr *sym = ZW_SCRATCH_NEW(s->ctx, zw_expr, size);
    double *value = ZW_SCRATCH_NEW(s->ctx, double, size);
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
        value[n] = multiplier_start(eq, sym, p, sym[n]);
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

zw_status zw_equations_state(const zw_equations *eq, double t, const double *p, const double *x,
                             double *out, zw_error *err) {
    zw_arena_mark mark = zw_scratch_mark(eq->sys->ctx);
    zw_status status = find_state(eq, t, p, x, out, err);
    zw_scratch_release(eq->sys->ctx, mark);
    return status;
}
