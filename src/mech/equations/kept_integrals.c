/* SPDX-License-Identifier: MIT */
/* The integrals that are kept constant during runs. */
#include "kept_integrals.h"

#include <string.h>

#include "base/random.h"
#include "mech/system/build.h"

bool zw_mech_has_velocities(const zw_system *s, const zw_active *active) {
    for (int i = 0; i < s->nconstraint; i++)
        if (s->constraint[i].level == ZW_VELOCITY && zw_mech_holds(s, active, i))
            return true;
    return false;
}

/* the rate at which I grows with time at rest, if it depends on parameters only; else 0 */
static zw_expr growth_rate(const zw_system *s, const zw_expr *q, zw_expr I) {
    zw_expr rate = zw_diff(s->ctx, I, s->t);
    return zw_depends(s->ctx, rate, s->t) || zw_depends_any(s->ctx, rate, s->nq, q) ? ZW_ZERO
                                                                                    : rate;
}

/* The constraints of both, replacing those of a. */
static zw_status join_rows(zw_context *ctx, zw_integral *a, const zw_integral *b, zw_error *err) {
    int *of = ZW_CONTEXT_NEW(ctx, int, a->n + b->n);
    if (!of)
        return zw_context_status(ctx, err);
    memcpy(of, a->of, sizeof *of * (size_t)a->n);
    memcpy(of + a->n, b->of, sizeof *of * (size_t)b->n);
    a->of = of;
    a->n += b->n;
    return ZW_OK;
}

zw_status zw_integrals_cancel_time(const zw_system *s, const zw_expr *q, zw_integrals *found,
                                   zw_error *err) {
    zw_integral first = {0};
    zw_expr rate = ZW_ZERO;
    int n = 0;
    for (int i = 0; i < found->n; i++) {
        zw_integral now = found->integral[i];
        zw_expr grows = growth_rate(s, q, now.value);
        if (grows != ZW_ZERO && rate == ZW_ZERO) {
            first = now;
            rate = grows;
            continue;
        }
        if (grows != ZW_ZERO && (now.turns || first.turns))
            continue;
        if (grows != ZW_ZERO) {
            now.value =
                zw_sub(s->ctx, zw_mul(s->ctx, rate, now.value), zw_mul(s->ctx, grows, first.value));
            now.value = zw_expand(s->ctx, now.value);
            ZW_TRY(join_rows(s->ctx, &now, &first, err));
        }
        found->integral[n++] = now;
    }
    found->n = n;
    return zw_context_status(s->ctx, err);
}

/* generic parameter values near p */
static double *nearby_values(const zw_system *s, const double *p) {
    double *out = ZW_CONTEXT_NEW(s->ctx, double, s->np + 1);
    zw_random random = zw_random_stream(1, 0);
    for (int i = 0; out && i < s->np; i++)
        out[i] = p[i] * zw_random_real(&random, 1.01, 1.1) +
                 (p[i] == 0 ? zw_random_real(&random, 0.01, 0.1) : 0);
    return out;
}

zw_status zw_system_keep_integrals(zw_system *out, const zw_system *s, const zw_active *active,
                                   const double *p, int *known, zw_error *err) {
    zw_integrals found;
    zw_error why = {0};
    *out = *s;
    if (known)
        *known = 0;
    if (!zw_mech_has_velocities(s, active))
        return ZW_OK;
    double *beside = nearby_values(s, p);
    zw_expr *q = ZW_CONTEXT_NEW(s->ctx, zw_expr, s->nq + 1);
    if (!beside || !q || zw_integrals_smooth(&found, s, active, beside, &why) < 0)
        return zw_context_status(s->ctx, err); /* only velocities are constrained */
    if (known)
        *known = found.n;
    zw_mech_symbols(s, q, NULL, NULL);
    ZW_TRY(zw_integrals_cancel_time(s, q, &found, err));
    zw_integral *all = ZW_CONTEXT_NEW(s->ctx, zw_integral, s->nintegral + found.n);
    if (!all)
        return zw_context_status(s->ctx, err);
    for (int i = 0; i < s->nintegral; i++)
        all[i] = s->integral[i];
    for (int i = 0; i < found.n; i++) {
        all[s->nintegral + i] = found.integral[i];
        all[s->nintegral + i].of_start = true;
    }
    out->integral = all;
    out->nintegral += found.n;
    return zw_context_status(s->ctx, err);
}
