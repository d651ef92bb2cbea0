/* SPDX-License-Identifier: MIT */
/* The vakonomic principle: the action is made stationary among the paths that satisfy the
 * constraints,
 *     delta integral (T - V - mu . psi) dt = 0,
 * which for nonholonomic constraints is not d'Alembert's principle (Arnold, Kozlov, Neishtadt 1988;
 * Lewis and Murray 1995). With P = p - W' mu the central equation of lagrange.c gives
 *
 *     M v' - W' mu' = h + (W'' - Gamma' W' - F' psi_q') mu,         W v' = b,
 *
 * where h is that of Lagrange and W'' stands for the rate of W transposed. So mu' replaces
 * Lagrange's lambda; for holonomic constraints the bracket vanishes and the two principles agree.
 * The state is (q, v, mu), and the initial mu is part of the start. */
#include "lagrange.h"

#include <string.h>

#include "steps.h"

/* column c of the bracket: the term of mu_c in row k */
static zw_expr bracket_column(const zw_equations *out, const zw_system *s, int c, int k) {
    zw_context *ctx = s->ctx;
    int nv = s->nv;
    const zw_expr *row = out->W + (size_t)c * (size_t)nv;
    zw_expr sum =
        zw_add(ctx, zw_along(ctx, row[k], s->nq, out->q, out->qdot), zw_diff(ctx, row[k], s->t));
    for (int j = 0; j < nv; j++)
        sum = zw_sub(ctx, sum, zw_mul(ctx, s->Gamma[j * nv + k], row[j]));
    for (int i = 0; i < s->nq; i++)
        sum = zw_sub(ctx, sum, zw_mul(ctx, s->F[i * nv + k], zw_diff(ctx, out->psi[c], out->q[i])));
    zw_shorten(ctx, 1, &sum);
    return sum;
}

/* widens a matrix of rows by nc zero columns */
static zw_expr *widen_matrix(const zw_equations *out, zw_context *ctx, int rows, int nv, int nc,
                             const zw_expr *old) {
    zw_expr *wide = ZW_EQUATIONS_NEW(out, ctx, zw_expr, rows * (nv + nc));
    for (int i = 0; wide && i < rows; i++)
        for (int j = 0; j < nv + nc; j++)
            wide[i * (nv + nc) + j] = j < nv ? old[i * nv + j] : ZW_ZERO;
    return wide;
}

static const char PRINCIPLE[] =
    "The action is stationary among the paths that fulfil the constraints, with multipliers "
    "{lambda|\\lambda} that "
    "depend on time: {d/dt dT/dv - Gamma - dT/dpi = Q + K + B|\\frac{\\mathrm d}{\\mathrm dt} "
    "\\frac{\\partial "
    "T}{\\partial v} - \\Gamma - \\frac{\\partial T}{\\partial\\pi} = Q + K + B} (for plain "
    "coordinates {Gamma = 0|"
    "\\Gamma = 0} and {dT/dpi = dT/dq|\\partial T/\\partial\\pi = \\partial T/\\partial q}).";

/* a: v', then the rates of the multipliers; column: entry (c, k) of the bracket */
static void report_steps(const zw_equations *eq, const zw_expr *a, const zw_expr *column) {
    const zw_system *s = eq->sys;
    zw_context *ctx = s->ctx;
    int nv = s->nv, nc = eq->nc;
    zw_step_heading(eq, "The function whose integral is to be stationary, {L = T - V - "
                        "lambda.psi|L = T - V - \\lambda "
                        "\\cdot \\psi}, with the constraints as conditions on the velocities");
    zw_step(eq, zw_symbol(ctx, zw_step_name(eq, "L")),
            zw_sub(ctx, zw_sub(ctx, s->T, s->potential), zw_dot(ctx, nc, eq->lambda, eq->psi)));
    zw_step_constraint_rows(eq);
    zw_step_heading(eq, "Forces of the multipliers, {K = W^T lambda'|K = W^{\\mathsf T} "
                        "\\dot\\lambda} and {B = (W' - "
                        "W Gamma - psi_q F)^T lambda|B = (\\dot W - W \\Gamma - \\psi_q "
                        "F)^{\\mathsf T} \\lambda}, the "
                        "second zero for constraints that are integrable");
    for (int k = 0; k < nv; k++) {
        zw_expr K = ZW_ZERO, B = ZW_ZERO;
        for (int c = 0; c < nc; c++) {
            K = zw_add(ctx, K, zw_mul(ctx, eq->W[c * nv + k], a[nv + c]));
            B = zw_add(ctx, B, zw_mul(ctx, column[c * nv + k], eq->lambda[c]));
        }
        zw_step(eq, zw_step_of(eq, "K", eq->v[k]), K);
        zw_step(eq, zw_step_of(eq, "B", eq->v[k]), B);
    }
    zw_step_heading(eq, "The principle");
    zw_step_sentence(eq, PRINCIPLE);
    zw_step_no_constraints(eq);
}

/* The work of a constraint force on virtual displacements has no meaning for a principle that
 * varies whole paths: its multipliers are not such forces. */
static zw_status reject_nonideal(const zw_equations *out, const zw_system *s, zw_error *err) {
    for (int i = 0; i < s->nforce; i++) {
        const zw_force *f = &s->force[i];
        if (!f->constraint || !zw_mech_force_acts(s, out->holds, f))
            continue;
        zw_fail_at(err, ZW_E_MODEL, f->place,
                   "the work of %s on virtual displacements is given, but vakonomic varies whole "
                   "paths",
                   f->constraint);
        zw_error_hint(err, "use --by lagrange; a force that is none of a constraint is a force");
        return ZW_E_MODEL;
    }
    return ZW_OK;
}

zw_status zw_vakonomic_derive(zw_equations *out, const zw_system *s, const zw_active *active,
                              zw_error *err) {
    zw_context *ctx = s->ctx;
    ZW_TRY(zw_principle_begin(out, s, active, err));
    int nv = s->nv, nc = out->nc, n = nv + nc;
    ZW_TRY(reject_nonideal(out, s, err));
    for (int c = 0; c < nc; c++) {
        const zw_constraint *k = &s->constraint[out->constraint[c]];
        if (k->level == ZW_ACCELERATION || !k->linear)
            return zw_reject_not_affine(out, s, err);
        const zw_coord *state = zw_mech_state_in(s, k->residual);
        if (state) {
            zw_fail_at(err, ZW_E_MODEL, k->place,
                       "vakonomic varies whole paths, but %s contains the state %s, whose "
                       "variation along a path is not defined",
                       k->name, state->name);
            zw_error_hint(err,
                          "use --by lagrange, whose virtual displacements do not change states");
            return ZW_E_MODEL;
        }
    }
    zw_expr *p = ZW_SCRATCH_NEW(ctx, zw_expr, nv), *Q = ZW_SCRATCH_NEW(ctx, zw_expr, nv),
            *v = ZW_EQUATIONS_NEW(out, ctx, zw_expr, n),
            *a = ZW_EQUATIONS_NEW(out, ctx, zw_expr, n),
            *M = ZW_EQUATIONS_NEW(out, ctx, zw_expr, n * n),
            *h = ZW_EQUATIONS_NEW(out, ctx, zw_expr, n);
    zw_expr *column = ZW_SCRATCH_NEW(ctx, zw_expr, nc * nv);
    int *row_constraint = ZW_EQUATIONS_NEW(out, ctx, int, n);
    out->metric = ZW_EQUATIONS_NEW(out, ctx, zw_expr, n * n);
    if (!p || !Q || !v || !a || !M || !h || !column || !row_constraint || !out->metric)
        return zw_context_status(ctx, err);
    ZW_TRY(zw_lagrange_mass_matrix(out, s, p, err));
    ZW_TRY(zw_lagrange_bias(out, s, p, err));
    ZW_TRY(zw_given_forces(out, s, Q, NULL, NULL, err));
    zw_step_forces(out, Q, NULL);
    for (int i = 0; i < n * n; i++)
        M[i] = out->metric[i] = ZW_ZERO;
    for (int k = 0; k < nv; k++) {
        h[k] = zw_add(ctx, out->h[k], Q[k]);
        for (int j = 0; j < nv; j++)
            M[k * n + j] = out->metric[k * n + j] = out->M[k * nv + j];
        for (int c = 0; c < nc; c++) {
            M[k * n + nv + c] = zw_neg(ctx, out->W[c * nv + k]);
            column[c * nv + k] = bracket_column(out, s, c, k);
            h[k] = zw_add(ctx, h[k], zw_mul(ctx, column[c * nv + k], out->lambda[c]));
        }
    }
    for (int c = 0; c < nc; c++) {
        memcpy(M + (size_t)(nv + c) * (size_t)n, out->W + (size_t)c * (size_t)nv,
               (size_t)nv * sizeof *M);
        h[nv + c] = out->b[c];
        out->metric[(nv + c) * n + nv + c] = ZW_ONE;
    }
    for (int i = 0; i < n; i++) {
        row_constraint[i] = i < nv ? -1 : out->constraint[i - nv];
        v[i] = i < nv ? out->v[i] : out->lambda[i - nv];
        a[i] = i < nv ? out->a[i]
                      : zw_mech_named(ctx, "lambda'", s->constraint[out->constraint[i - nv]].name);
    }
    if (zw_steps_wanted(out))
        report_steps(out, a, column);
    out->F = widen_matrix(out, ctx, s->nq, nv, nc, out->F);
    out->Phi = widen_matrix(out, ctx, out->npos, nv, nc, out->Phi);
    out->Psi = widen_matrix(out, ctx, out->nvel, nv, nc, out->Psi);
    out->start_Phi = widen_matrix(out, ctx, out->nstart_pos, nv, nc, out->start_Phi);
    out->start_Psi = widen_matrix(out, ctx, out->nstart_vel, nv, nc, out->start_Psi);
    out->from_system = v;
    out->M = M;
    out->h = h;
    out->v = v;
    out->a = a;
    out->row_constraint = row_constraint;
    out->nv = n;
    out->nc = 0;
    out->definite = nc == 0;
    out->symmetric = true;
    return zw_context_status(ctx, err);
}
