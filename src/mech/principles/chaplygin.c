/* SPDX-License-Identifier: MIT */
/* Chaplygin (1897): the special case in which neither the kinetic energy, nor the potential, nor
 * the constraints contain the dependent coordinates, the constraints are homogeneous and contain
 * neither time nor states, q'_D = sum D_Di(q_I) q'_i, and the kinetic energy contains no states.
 * The equations of q_I are then closed,
 *
 *     d/dt dT^/dq'_i - dT^/dq_i - sum_D theta_D sum_j (dD_Di/dq_j - dD_Dj/dq_i) q'_j
 *         = Q_i + sum_D D_Di Q_D.
 *
 * Other systems are rejected with the reason. If forces depend on multipliers, the equations of the
 * dependent coordinates are added as in voronets.c. */
#include "voronets.h"

#include "steps.h"

/* a dependence on a state is a dependence on time */
static zw_status reject_states(const zw_voronets_reduced *r, const zw_system *s, zw_error *err) {
    const zw_coord *state = zw_mech_state_in(s, s->T);
    const char *where = "the kinetic energy";
    for (int i = 0; !state && i < r->split.nc * r->split.k; i++) {
        state = zw_mech_state_in(s, r->split.D[i]);
        where = "a constraint";
    }
    if (!state)
        return ZW_OK;
    zw_fail_at(err, ZW_E_MODEL, state->place,
               "not a system of Chaplygin's kind: %s contains the state %s", where, state->name);
    zw_error_hint(err, "use --by voronets, which allows that");
    return ZW_E_MODEL;
}

static zw_status check_kind(const zw_voronets_reduced *r, const zw_equations *eq,
                            const zw_system *s, zw_error *err) {
    zw_context *ctx = s->ctx;
    ZW_TRY(reject_states(r, s, err));
    for (int c = 0; c < r->split.nc; c++) {
        const zw_constraint *constraint = &s->constraint[eq->constraint[c]];
        const zw_coord *q = &s->coord[s->velocity[r->split.dep[c]].coord];
        const char *where = NULL;
        if (zw_depends(ctx, s->T, q->sym))
            where = "the kinetic energy";
        else if (zw_depends(ctx, s->potential, q->sym))
            where = "the potential energy";
        for (int i = 0; i < r->split.nc * r->split.k; i++)
            if (zw_depends(ctx, r->split.D[i], q->sym))
                where = "a constraint";
        if (where) {
            zw_fail_at(err, ZW_E_MODEL, q->place,
                       "not a system of Chaplygin's kind: %s contains the dependent coordinate %s",
                       where, q->name);
            zw_error_hint(err, "use --by voronets, which allows that");
            return ZW_E_MODEL;
        }
        bool moving = zw_expand(ctx, r->split.d[c]) != ZW_ZERO;
        for (int i = 0; i < r->split.nc * r->split.k; i++)
            moving |= zw_depends(ctx, r->split.D[i], s->t);
        if (moving) {
            zw_fail_at(
                err, ZW_E_MODEL, constraint->place,
                "not a system of Chaplygin's kind: the constraint %s is not homogeneous in the "
                "velocities or contains time",
                constraint->name);
            zw_error_hint(err, "use --by voronets, which allows that");
            return ZW_E_MODEL;
        }
    }
    return ZW_OK;
}

static zw_expr free_coordinate(const zw_voronets_reduced *r, const zw_system *s, int i) {
    return s->coord[s->velocity[r->split.indep[i]].coord].sym;
}

/* sum_D theta_D sum_j (dD_Di/dq_j - dD_Dj/dq_i) q'_j */
static zw_expr curl_force(const zw_voronets_reduced *r, const zw_system *s, int i) {
    zw_context *ctx = s->ctx;
    int k = r->split.k;
    zw_expr qi = free_coordinate(r, s, i), sum = ZW_ZERO;
    for (int j = 0; j < k; j++)
        for (int c = 0; c < r->split.nc; c++) {
            zw_expr curl =
                zw_sub(ctx, zw_diff(ctx, r->split.D[c * k + i], free_coordinate(r, s, j)),
                       zw_diff(ctx, r->split.D[c * k + j], qi));
            sum =
                zw_add(ctx, sum, zw_product(ctx, 3, (zw_expr[]){r->theta[c], curl, r->free_v[j]}));
        }
    return sum;
}

static void report_steps(const zw_voronets_reduced *r, const zw_equations *eq) {
    const zw_system *s = eq->sys;
    zw_context *ctx = s->ctx;
    int k = r->split.k;
    if (!zw_steps_wanted(eq))
        return;
    zw_reduced_report(r, eq);
    for (int i = 0; i < k; i++) {
        zw_expr p = zw_diff(ctx, r->T, r->free_v[i]), sum = zw_diff(ctx, p, s->t);
        sum = zw_add(ctx, sum, zw_along(ctx, p, k, r->free_v, r->free_a));
        for (int j = 0; j < k; j++)
            sum = zw_add(ctx, sum,
                         zw_mul(ctx, zw_diff(ctx, p, free_coordinate(r, s, j)), r->free_v[j]));
        zw_step(eq, zw_step_rate(eq, zw_step_partial(eq, "T_c", r->free_v[i])), sum);
    }
    zw_step_heading(eq, "Derivatives with respect to the independent coordinates");
    for (int i = 0; i < k; i++)
        zw_step(eq, zw_step_partial(eq, "T_c", free_coordinate(r, s, i)),
                zw_diff(ctx, r->T, free_coordinate(r, s, i)));
    zw_step_heading(eq, "Chaplygin's terms, {A_i = sum_D theta_D sum_j (dD_Di/dq_j - dD_Dj/dq_i) "
                        "q'_j|A_i = \\sum_D "
                        "\\theta_D \\sum_j (\\frac{\\partial D_{Di}}{\\partial q_j} - "
                        "\\frac{\\partial D_{Dj}}{\\partial "
                        "q_i}) \\dot q_j}: zero where the constraints are integrable");
    for (int i = 0; i < k; i++)
        zw_step(eq, zw_step_of(eq, "A", r->free_v[i]), curl_force(r, s, i));
    zw_reduced_report_forces(r, eq);
    zw_step_heading(eq, "The principle");
    if (r->X)
        zw_step_sentence(
            eq, "Chaplygin, for every independent coordinate: {d/dt dT_c/dq'_i - dT_c/dq_i - A_i + "
                "sum_D s(D,i) E_D = Q_i + sum_D D_Di Q_D|\\frac{\\mathrm d}{\\mathrm dt} "
                "\\frac{\\partial T_c}{\\partial \\dot q_i} - \\frac{\\partial "
                "T_c}{\\partial q_i} - A_i + \\sum_D s_{D,i} E_D = Q_i + \\sum_D D_{Di} Q_D}.");
    else
        zw_step_sentence(
            eq, "Chaplygin, for every independent coordinate: {d/dt dT_c/dq'_i - dT_c/dq_i - "
                "A_i = Q_i + sum_D D_Di "
                "Q_D|\\frac{\\mathrm d}{\\mathrm dt} \\frac{\\partial T_c}{\\partial \\dot "
                "q_i} - \\frac{\\partial "
                "T_c}{\\partial q_i} - A_i = Q_i + \\sum_D D_{Di} Q_D}.");
}

zw_status zw_chaplygin_derive(zw_equations *out, const zw_system *s, const zw_active *active,
                              zw_error *err) {
    zw_context *ctx = s->ctx;
    zw_voronets_reduced r;
    ZW_TRY(zw_voronets_reduce(&r, out, s, active, err));
    ZW_TRY(check_kind(&r, out, s, err));
    int k = r.split.k;
    zw_expr *rows = ZW_SCRATCH_NEW(ctx, zw_expr, s->nv);
    if (!rows)
        return zw_context_status(ctx, err);
    report_steps(&r, out);
    for (int i = 0; i < k; i++) {
        zw_expr p = zw_diff(ctx, r.T, r.free_v[i]), qi = free_coordinate(&r, s, i);
        zw_expr sum = zw_sub(ctx, zw_along(ctx, p, k, r.free_v, r.free_a), zw_diff(ctx, r.T, qi));
        sum = zw_add(ctx, sum, zw_diff(ctx, p, s->t));
        for (int j = 0; j < k; j++) {
            zw_expr qj = free_coordinate(&r, s, j);
            sum = zw_add(ctx, sum, zw_mul(ctx, zw_diff(ctx, p, qj), r.free_v[j]));
            for (int c = 0; c < r.split.nc; c++) {
                zw_expr curl = zw_sub(ctx, zw_diff(ctx, r.split.D[c * k + i], qj),
                                      zw_diff(ctx, r.split.D[c * k + j], qi));
                sum = zw_sub(ctx, sum,
                             zw_product(ctx, 3, (zw_expr[]){r.theta[c], curl, r.free_v[j]}));
            }
        }
        sum = zw_add(ctx, sum, zw_reduced_share(&r, ctx, i));
        rows[i] = zw_sub(ctx, sum, zw_split_project(ctx, &r.split, r.Q, i));
    }
    out->substituted = true;
    return zw_split_fill(out, s, &r.split, rows, err);
}
