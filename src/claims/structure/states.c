/* SPDX-License-Identifier: MIT */
#include "states.h"

#include <math.h>
#include <string.h>

#include "mech/equations/subspace.h"

bool zw_states_values(const zw_sample *at, const zw_equations *eq, int n, const zw_expr *e,
                      double *out) {
    bool finite = true;
    zw_eval_all(eq->sys->ctx, n, e, at->n, at->sym, at->value, out);
    for (int i = 0; i < n; i++)
        finite &= isfinite(out[i]) != 0;
    return finite;
}

/* Allocates n states like that of the sampler, whose symbols they share. */
static zw_status init_states(zw_state_set *out, const zw_sampler *g, int n, zw_error *err) {
    zw_context *ctx = g->eq.sys->ctx;
    out->n = n;
    out->at = ZW_CONTEXT_NEW(ctx, zw_sample, n);
    for (int i = 0; out->at && i < n; i++) {
        zw_sample *at = &out->at[i];
        *at = (zw_sample){.n = g->at.n, .sym = g->at.sym};
        at->value = ZW_CONTEXT_NEW(ctx, double, at->n);
        if (!at->value)
            break;
        memcpy(at->value, g->at.value, (size_t)at->n * sizeof *at->value);
    }
    return zw_context_status(ctx, err);
}

zw_status zw_states_scatter(zw_state_set *out, const zw_equations *eq, int n, zw_error *err) {
    zw_sampler g;
    ZW_TRY(zw_sampler_init(&g, eq, NULL, err));
    ZW_TRY(init_states(out, &g, n, err));
    for (int i = 0; i < n; i++) {
        zw_sample_scatter(&out->at[i], eq->sys, (unsigned)i);
        for (int u = 0; u < eq->nunit; u++) {
            double *p = out->at[i].value + eq->sys->np + eq->unit[u], length = zw_length(4, p);
            for (int k = 0; k < 4; k++)
                p[k] /= length;
        }
    }
    return ZW_OK;
}

zw_status zw_states_admissible(zw_state_set *out, const zw_equations *eq, const double *p, int n,
                               zw_error *err) {
    zw_sampler g;
    ZW_TRY(zw_sampler_init(&g, eq, NULL, err));
    if (p)
        ZW_TRY(zw_sampler_set_parameters(&g, p, err));
    ZW_TRY(init_states(out, &g, n, err));
    for (int i = 0; i < n; i++) {
        zw_error trouble = {0};
        zw_status status = zw_sampler_draw(&g, i, &trouble);
        if (status < 0 && (i == 0 || status == ZW_E_MEMORY)) {
            if (err && err->status >= 0)
                *err = trouble;
            return status;
        }
        if (status < 0) { /* one is enough, if there are no more */
            out->n = i;
            break;
        }
        memcpy(out->at[i].value, g.at.value, (size_t)g.at.n * sizeof *g.at.value);
    }
    return ZW_OK;
}
