/* SPDX-License-Identifier: MIT */
/* Maggi's equations (1896). Virtual displacements that the constraints allow are dpi = B dpi_I with
 * the kinematic parameters v_I; the constraint forces W' lambda do no work on them, B' W' = 0. So
 * Lagrange's expressions, weighted with B, are free of multipliers:
 *
 *     B' (d/dt dT/dv - Gamma' dT/dv - F' dT/dq - Q) = 0,        W v' = b.
 *
 * k = nv - nc dynamic equations and the constraints determine the nv accelerations. */
#include "lagrange.h"
#include "split.h"

zw_status zw_maggi_derive(zw_equations *out, const zw_system *s, const zw_active *active,
                          zw_error *err) {
    zw_context *ctx = s->ctx;
    zw_split split;
    ZW_TRY(zw_principle_begin(out, s, active, err));
    int nv = s->nv;
    zw_expr *p = ZW_SCRATCH_NEW(ctx, zw_expr, nv), *Q = ZW_SCRATCH_NEW(ctx, zw_expr, nv),
            *lagrange = ZW_SCRATCH_NEW(ctx, zw_expr, nv), *rows = ZW_SCRATCH_NEW(ctx, zw_expr, nv);
    if (!p || !Q || !lagrange || !rows)
        return zw_context_status(ctx, err);
    ZW_TRY(zw_split_velocities(&split, out, s, err));
    ZW_TRY(zw_lagrange_mass_matrix(out, s, p, err));
    ZW_TRY(zw_lagrange_bias(out, s, p, err));
    ZW_TRY(zw_given_forces(out, s, Q, NULL, NULL, err));
    /* Lagrange's expressions, then weighted */
    for (int k = 0; k < nv; k++)
        lagrange[k] = zw_sub(ctx, zw_dot(ctx, nv, out->M + (size_t)k * (size_t)nv, out->a),
                             zw_add(ctx, out->h[k], Q[k]));
    for (int i = 0; i < split.k; i++)
        rows[i] = zw_split_project(ctx, &split, lagrange, i);
    out->metric = out->M;
    return zw_split_fill(out, s, &split, rows, err);
}
