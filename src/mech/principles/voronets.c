/* SPDX-License-Identifier: MIT */
/* Voronets (1901). The rates of some coordinates are eliminated, q'_D = sum D_Di q'_i + d_D =:
 * phi_D, from the kinetic energy, T^(q, q'_I, t) = T(q, q'_I, phi, t). With the operators
 *     D_i = d/dq_i + sum_D D_Di d/dq_D
 * the equations of the independent coordinates are
 *
 *     d/dt dT^/dq'_i - D_i T^ - sum_D theta_D (d/dt D_Di - D_i phi_D) = Q_i + sum_D D_Di Q_D,
 *
 * theta_D = dT/dq'_D. The last term on the left is Voronets' correction: it vanishes when the
 * constraints are integrable. It follows from Maggi's equations by collecting the terms of T^.
 *
 * If forces depend on multipliers, the equations of the dependent coordinates, theta'_D - dT/dq_D =
 * Q_D + lambda_D, are needed too: they are added with the weights s = D~ - D (split.h), and Q_D is
 * multiplied by D~. */
#include "voronets.h"

#include <stdio.h>

#include "steps.h"

/* d/dt on the constraints of an expression in q, q'_I, t */
static zw_expr rate_of(const zw_voronets_reduced *r, const zw_equations *eq, const zw_system *s,
                       zw_expr e) {
    zw_context *ctx = s->ctx;
    zw_expr sum = zw_along(ctx, e, s->nq, eq->q, r->rate);
    sum = zw_add(ctx, sum, zw_along(ctx, e, r->split.k, r->free_v, r->free_a));
    return zw_add(ctx, sum, zw_diff(ctx, e, s->t));
}

static zw_expr momentum_weight(const zw_voronets_reduced *r, zw_context *ctx, int d, int i) {
    int at = d * r->split.k + i;
    return zw_sub(ctx, r->split.weight[at], r->split.D[at]);
}

zw_expr zw_reduced_share(const zw_voronets_reduced *r, zw_context *ctx, int i) {
    zw_expr sum = ZW_ZERO;
    for (int d = 0; r->X && d < r->split.nc; d++)
        sum = zw_add(ctx, sum, zw_mul(ctx, momentum_weight(r, ctx, d, i), r->E[d]));
    return sum;
}

/* dep: the dependent rates */
static zw_status dependent_equations(zw_voronets_reduced *r, const zw_equations *eq,
                                     const zw_expr *dep, zw_error *err) {
    const zw_system *s = eq->sys;
    zw_context *ctx = s->ctx;
    int nc = r->split.nc;
    r->E = ZW_SCRATCH_NEW(ctx, zw_expr, nc);
    for (int d = 0; r->E && d < nc; d++) {
        zw_expr slope = zw_diff(ctx, s->T, s->coord[s->velocity[r->split.dep[d]].coord].sym);
        r->E[d] =
            zw_sub(ctx, rate_of(r, eq, s, r->theta[d]), zw_subst(ctx, slope, nc, dep, r->phi));
    }
    return zw_context_status(ctx, err);
}

zw_status zw_voronets_reduce(zw_voronets_reduced *r, zw_equations *eq, const zw_system *s,
                             const zw_active *active, zw_error *err) {
    zw_context *ctx = s->ctx;
    ZW_TRY(zw_principle_begin(eq, s, active, err));
    for (int i = 0; i < s->nv; i++)
        if (s->velocity[i].coord < 0) {
            zw_fail_at(err, ZW_E_MODEL, s->velocity[i].place,
                       "%s works with rates of coordinates, but %s is a quasi-velocity",
                       eq->principle, s->velocity[i].name);
            zw_error_hint(err, "use Euler angles for a rotation, or use --by boltzmann-hamel");
            return ZW_E_MODEL;
        }
    ZW_TRY(zw_split_velocities(&r->split, eq, s, err));
    if (!r->split.d)
        return zw_reject_not_affine(eq, s, err);
    int nv = s->nv, nc = r->split.nc, k = r->split.k;
    zw_expr *dep = ZW_SCRATCH_NEW(ctx, zw_expr, nc);
    r->free_v = ZW_SCRATCH_NEW(ctx, zw_expr, nv);
    r->free_a = ZW_SCRATCH_NEW(ctx, zw_expr, nv);
    r->phi = ZW_SCRATCH_NEW(ctx, zw_expr, nc);
    r->theta = ZW_SCRATCH_NEW(ctx, zw_expr, nc);
    r->rate = ZW_SCRATCH_NEW(ctx, zw_expr, s->nq);
    r->Q = ZW_SCRATCH_NEW(ctx, zw_expr, nv);
    eq->metric = ZW_EQUATIONS_NEW(eq, ctx, zw_expr, nv * nv);
    if (!dep || !r->free_v || !r->free_a || !r->phi || !r->theta || !r->rate || !r->Q ||
        !eq->metric)
        return zw_context_status(ctx, err);
    for (int i = 0; i < k; i++) {
        r->free_v[i] = eq->v[r->split.indep[i]];
        r->free_a[i] = eq->a[r->split.indep[i]];
    }
    for (int c = 0; c < nc; c++) {
        dep[c] = eq->v[r->split.dep[c]];
        r->phi[c] = zw_add(ctx, r->split.d[c],
                           zw_dot(ctx, k, r->split.D + (size_t)c * (size_t)k, r->free_v));
    }
    zw_gradient(ctx, s->T, nc, dep, r->theta);
    for (int c = 0; c < nc; c++)
        r->theta[c] = zw_subst(ctx, r->theta[c], nc, dep, r->phi);
    r->T = zw_subst(ctx, s->T, nc, dep, r->phi);
    for (int i = 0; i < s->nq; i++)
        r->rate[i] = zw_subst(ctx, eq->qdot[i], nc, dep, r->phi);
    zw_hessian(ctx, s->T, nv, eq->v, eq->metric);
    r->E = NULL;
    ZW_TRY(zw_split_forces(&r->split, eq, s, r->Q, &r->X, err));
    return r->X ? dependent_equations(r, eq, dep, err) : ZW_OK;
}

static void report_shares(const zw_voronets_reduced *r, const zw_equations *eq) {
    const zw_system *s = eq->sys;
    zw_step_heading(eq,
                    "Equations of the dependent coordinates, {E_D = d/dt theta_D - dT/dq_D|E_D = "
                    "\\frac{\\mathrm d}{\\mathrm dt} \\theta_D - \\frac{\\partial T}{\\partial "
                    "q_D}}: forces depend on multipliers");
    for (int d = 0; d < r->split.nc; d++)
        zw_step(eq, zw_step_of(eq, "E", eq->v[r->split.dep[d]]), r->E[d]);
    zw_step_heading(eq,
                    "What they count in those of the independent coordinates, {s(D,i)|s_{D,i}}, "
                    "the difference of {epsilon|\\epsilon} and {delta|\\delta} (where it is not "
                    "zero)");
    for (int d = 0; d < r->split.nc; d++)
        for (int i = 0; i < r->split.k; i++) {
            char pair[400];
            zw_expr share = momentum_weight(r, s->ctx, d, i);
            snprintf(pair, sizeof pair, "%.190s,%.190s",
                     s->coord[s->velocity[r->split.dep[d]].coord].name,
                     s->coord[s->velocity[r->split.indep[i]].coord].name);
            if (share != ZW_ZERO)
                zw_step(eq, zw_mech_named(s->ctx, "s", pair), share);
        }
}

void zw_reduced_report_forces(const zw_voronets_reduced *r, const zw_equations *eq) {
    if (zw_steps_wanted(eq) && r->X)
        report_shares(r, eq);
    zw_step_separate_forces(eq, r->Q, r->X);
    zw_step_projected_forces(eq, &r->split, r->Q);
}

void zw_reduced_report(const zw_voronets_reduced *r, const zw_equations *eq) {
    zw_context *ctx = eq->sys->ctx;
    if (!zw_steps_wanted(eq))
        return;
    zw_step_energies(eq, true);
    zw_step_constraint_rows(eq);
    zw_step_split(eq, &r->split);
    zw_step_heading(eq, "The kinetic energy with the dependent rates put in, {T_c|T_c}");
    zw_step(eq, zw_symbol(ctx, "T_c"), r->T);
    zw_step_heading(eq, "Momenta of the dependent rates, {theta_D = dT/dq'_D|\\theta_D = \\partial "
                        "T/\\partial \\dot "
                        "q_D}, with the dependent rates put in afterwards");
    for (int c = 0; c < r->split.nc; c++)
        zw_step(eq, zw_step_of(eq, "theta", eq->v[r->split.dep[c]]), r->theta[c]);
    zw_step_heading(eq, "Derivatives of the constrained kinetic energy");
    for (int i = 0; i < r->split.k; i++)
        zw_step(eq, zw_step_partial(eq, "T_c", r->free_v[i]), zw_diff(ctx, r->T, r->free_v[i]));
}

/* D_i e */
static zw_expr directional_derivative(const zw_voronets_reduced *r, const zw_system *s, zw_expr e,
                                      int i) {
    zw_context *ctx = s->ctx;
    zw_expr sum = zw_diff(ctx, e, s->coord[s->velocity[r->split.indep[i]].coord].sym);
    for (int c = 0; c < r->split.nc; c++) {
        zw_expr q = s->coord[s->velocity[r->split.dep[c]].coord].sym;
        sum = zw_add(ctx, sum, zw_mul(ctx, r->split.D[c * r->split.k + i], zw_diff(ctx, e, q)));
    }
    return sum;
}

/* what was computed for coordinate i, in the order of the equation */
static void report_steps(const zw_voronets_reduced *r, const zw_equations *eq) {
    const zw_system *s = eq->sys;
    zw_context *ctx = s->ctx;
    if (!zw_steps_wanted(eq))
        return;
    zw_reduced_report(r, eq);
    for (int i = 0; i < r->split.k; i++)
        zw_step(eq, zw_step_rate(eq, zw_step_partial(eq, "T_c", r->free_v[i])),
                rate_of(r, eq, s, zw_diff(ctx, r->T, r->free_v[i])));
    zw_step_heading(
        eq, "Derivatives in the allowed directions, {D_i = d/dq_i + sum_D D_Di d/dq_D|D_i = "
            "\\frac{\\partial}"
            "{\\partial q_i} + \\sum_D D_{Di} \\frac{\\partial}{\\partial q_D}}, of {T_c|T_c}");
    for (int i = 0; i < r->split.k; i++)
        zw_step(eq, zw_step_of(eq, "D", r->free_v[i]), directional_derivative(r, s, r->T, i));
    zw_step_heading(
        eq, "Voronets' correction, {sum_D theta_D (d/dt D_Di - D_i q'_D)|\\sum_D \\theta_D "
            "(\\frac{\\mathrm "
            "d}{\\mathrm dt} D_{Di} - D_i \\dot q_D)}: zero where the constraints are integrable");
    for (int i = 0; i < r->split.k; i++) {
        zw_expr sum = ZW_ZERO;
        for (int c = 0; c < r->split.nc; c++)
            sum = zw_add(ctx, sum,
                         zw_mul(ctx, r->theta[c],
                                zw_sub(ctx, rate_of(r, eq, s, r->split.D[c * r->split.k + i]),
                                       directional_derivative(r, s, r->phi[c], i))));
        zw_step(eq, zw_step_of(eq, "A", r->free_v[i]), sum);
    }
    zw_reduced_report_forces(r, eq);
    zw_step_heading(eq, "The principle");
    if (r->X)
        zw_step_sentence(
            eq, "Voronets, for every independent coordinate: {d/dt dT_c/dq'_i - D_i T_c - A_i + "
                "sum_D s(D,i) E_D = Q_i + sum_D D_Di Q_D|\\frac{\\mathrm d}{\\mathrm dt} "
                "\\frac{\\partial T_c}{\\partial \\dot q_i} - D_i T_c - A_i + \\sum_D s_{D,i} "
                "E_D = Q_i + \\sum_D D_{Di} Q_D}.");
    else
        zw_step_sentence(
            eq, "Voronets, for every independent coordinate: {d/dt dT_c/dq'_i - D_i T_c - A_i "
                "= Q_i + sum_D D_Di Q_D|"
                "\\frac{\\mathrm d}{\\mathrm dt} \\frac{\\partial T_c}{\\partial \\dot q_i} - "
                "D_i T_c - A_i = Q_i + "
                "\\sum_D D_{Di} Q_D}.");
}

zw_status zw_voronets_derive(zw_equations *out, const zw_system *s, const zw_active *active,
                             zw_error *err) {
    zw_context *ctx = s->ctx;
    zw_voronets_reduced r;
    ZW_TRY(zw_voronets_reduce(&r, out, s, active, err));
    zw_expr *rows = ZW_SCRATCH_NEW(ctx, zw_expr, s->nv);
    if (!rows)
        return zw_context_status(ctx, err);
    report_steps(&r, out);
    for (int i = 0; i < r.split.k; i++) {
        zw_expr sum = rate_of(&r, out, s, zw_diff(ctx, r.T, r.free_v[i]));
        sum = zw_sub(ctx, sum, directional_derivative(&r, s, r.T, i));
        for (int c = 0; c < r.split.nc; c++) {
            zw_expr correction = zw_sub(ctx, rate_of(&r, out, s, r.split.D[c * r.split.k + i]),
                                        directional_derivative(&r, s, r.phi[c], i));
            sum = zw_sub(ctx, sum, zw_mul(ctx, r.theta[c], correction));
        }
        sum = zw_add(ctx, sum, zw_reduced_share(&r, ctx, i));
        rows[i] = zw_sub(ctx, sum, zw_split_project(ctx, &r.split, r.Q, i));
    }
    out->substituted = true;
    return zw_split_fill(out, s, &r.split, rows, err);
}
