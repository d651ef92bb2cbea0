/* SPDX-License-Identifier: MIT */
/* Equations whose functions of coordinates and velocities are replaced by the first terms of their
 * series (zwang/expr.h), array by array. Observables stay exact. */
#include <string.h>

#include "zwang/equations.h"
#include "zwang/expr.h"

zw_status zw_equations_few_terms(zw_equations *out, const zw_equations *eq, int terms,
                                 zw_error *err) {
    zw_context *ctx = eq->sys->ctx;
    int nq = eq->nq, nv = eq->nv, nc = eq->nc;
    *out = *eq;
    zw_expr **array[] = {&out->qdot, &out->M,   &out->h,   &out->C,   &out->W,
                         &out->b,    &out->phi, &out->Phi, &out->psi, &out->Psi};
    const int size[] = {nq,       nv * nv,       nv,       nv * nc,      nc * nv, nc,
                        eq->npos, eq->npos * nv, eq->nvel, eq->nvel * nv};
    zw_expr *state = zw_context_alloc(ctx, sizeof(zw_expr) * (size_t)(nq + nv + 1));
    if (!state)
        return zw_context_status(ctx, err);
    memcpy(state, eq->q, sizeof(zw_expr) * (size_t)nq);
    memcpy(state + nq, eq->v, sizeof(zw_expr) * (size_t)nv);
    for (int i = 0; i < 10; i++) {
        if (size[i] == 0 || !*array[i])
            continue;
        zw_expr *now = zw_context_alloc(ctx, sizeof(zw_expr) * (size_t)size[i]);
        if (!now)
            return zw_context_status(ctx, err);
        ZW_TRY(zw_few_terms(ctx, size[i], *array[i], nq + nv, state, terms, now, err));
        *array[i] = now;
    }
    return zw_context_status(ctx, err);
}
