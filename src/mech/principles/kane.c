/* SPDX-License-Identifier: MIT */
/* Kane's equations (1961), Jourdain's principle of virtual power in coordinates: generalised active
 * and inertia forces are projected on the partial velocities of the independent speeds u = v_I,
 *
 *     V_i = dv/du_i,  Omega_i = dw/du_i      of every mass, with v_D = D v_I + d embedded,
 *     sum (m a . V_i + (J alpha + w x J w) . Omega_i) = sum_k Q_k dv_k/du_i.
 *
 * The accelerations are those of the masses, with v'_D = D v'_I + e. For constraints that are not
 * affine the partial velocities are V_i + sum_D V_D D_Di (virtual velocities by Chetaev's rule); if
 * forces depend on multipliers, they are those on which these and the constraint forces together do
 * no work, V_i + sum_D V_D D~_Di (split.h). */
#include "acceleration.h"
#include "forces.h"
#include "split.h"
#include "steps.h"

/* a velocity in the direction of the independent speed u_i, including the dependent speeds */
static zw_expr partial_velocity(zw_context *ctx, const zw_equations *eq, const zw_split *split,
                                zw_expr velocity, int i) {
    zw_expr partial = zw_diff(ctx, velocity, eq->v[split->indep[i]]);
    for (int r = 0; r < split->nc; r++)
        partial = zw_add(ctx, partial,
                         zw_mul(ctx, zw_diff(ctx, velocity, eq->v[split->dep[r]]),
                                split->weight[r * split->k + i]));
    return partial;
}

/* sum_k x_k d(vector_k)/du_i: a vector with three components projected on a partial velocity */
static zw_expr partial_power(zw_context *ctx, const zw_equations *eq, const zw_split *split,
                             const zw_expr force[3], const zw_expr velocity[3], int i) {
    zw_expr sum = ZW_ZERO;
    for (int k = 0; k < 3; k++)
        if (force[k] != ZW_ZERO)
            sum = zw_add(ctx, sum,
                         zw_mul(ctx, force[k], partial_velocity(ctx, eq, split, velocity[k], i)));
    return sum;
}

/* d(velocity of a mass)/du_i, where not zero */
static void report_partials(const zw_equations *eq, const zw_split *split, const char *kind,
                            int mass, const zw_expr velocity[3]) {
    zw_context *ctx = eq->sys->ctx;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < split->k; i++) {
            zw_expr partial = partial_velocity(ctx, eq, split, velocity[k], i);
            const char *name = zw_expr_name(ctx, zw_mass_component(eq, kind, mass, k));
            if (partial != ZW_ZERO)
                zw_step(eq, zw_step_partial(eq, name, eq->v[split->indep[i]]), partial);
        }
}

static void report_kinematics(const zw_equations *eq, const zw_split *split,
                              const zw_masses *masses, const zw_expr *Q, const zw_expr *X) {
    if (!zw_steps_wanted(eq))
        return;
    zw_masses_report(masses, eq);
    zw_step_constraint_rows(eq);
    zw_step_split(eq, split);
    zw_step_heading(
        eq, "Partial velocities, with the dependent velocities embedded (those that are not zero)");
    for (int m = 0; m < masses->n; m++) {
        report_partials(eq, split, "v", m, masses->point[m].v);
        report_partials(eq, split, "w", m, masses->point[m].w);
    }
    zw_step_separate_forces(eq, Q, X);
    zw_step_heading(
        eq,
        "Generalised active forces, {F_i = Q_i + sum_D D_Di Q_D|F_i = Q_i + \\sum_D D_{Di} Q_D}");
    for (int i = 0; i < split->k; i++)
        zw_step(eq, zw_step_of(eq, "F", eq->v[split->indep[i]]),
                zw_split_project(eq->sys->ctx, split, Q, i));
}

/* rows: inertia and active forces together */
static void report_inertia(const zw_equations *eq, const zw_split *split, const zw_expr *rows,
                           const zw_expr *Q) {
    zw_context *ctx = eq->sys->ctx;
    if (!zw_steps_wanted(eq))
        return;
    zw_step_heading(
        eq,
        "Generalised inertia forces, {I_i = -sum (m a.(dv/du_i) + (J alpha + w x J w).(dw/du_i))|"
        "I_i = -\\sum \\bigl(m\\, a \\cdot \\frac{\\partial v}{\\partial u_i} + (J \\alpha + "
        "\\omega "
        "\\times J \\omega) \\cdot \\frac{\\partial \\omega}{\\partial u_i}\\bigr)}");
    for (int i = 0; i < split->k; i++)
        zw_step(eq, zw_step_of(eq, "I", eq->v[split->indep[i]]),
                zw_neg(ctx, zw_add(ctx, rows[i], zw_split_project(ctx, split, Q, i))));
    zw_step_heading(eq, "The principle");
    zw_step_sentence(eq, "Kane, for every independent speed: {F_i + I_i = 0|F_i + I_i = 0}.");
}

zw_status zw_kane_derive(zw_equations *out, const zw_system *s, const zw_active *active,
                         zw_error *err) {
    zw_context *ctx = s->ctx;
    zw_split split;
    zw_masses masses;
    const zw_expr *X;
    ZW_TRY(zw_principle_begin(out, s, active, err));
    int nv = s->nv;
    zw_expr *Q = ZW_SCRATCH_NEW(ctx, zw_expr, nv), *rows = ZW_SCRATCH_NEW(ctx, zw_expr, nv),
            *inertia = ZW_SCRATCH_NEW(ctx, zw_expr, nv);
    if (!Q || !rows || !inertia)
        return zw_context_status(ctx, err);
    ZW_TRY(zw_split_velocities(&split, out, s, err));
    ZW_TRY(zw_masses_of(&masses, out, s, err));
    ZW_TRY(zw_split_forces(&split, out, s, Q, &X, err));
    report_kinematics(out, &split, &masses, Q, X);
    for (int i = 0; i < split.k; i++) {
        zw_expr sum = zw_neg(ctx, zw_split_project(ctx, &split, Q, i));
        for (int m = 0; m < masses.n; m++) {
            const zw_mass_point *p = &masses.point[m];
            zw_expr force[3], moment[3];
            for (int k = 0; k < 3; k++)
                force[k] = zw_add(ctx, zw_mul(ctx, p->mass, p->a[k]), p->drift[k]);
            sum = zw_add(ctx, sum, partial_power(ctx, out, &split, force, p->v, i));
            if (!p->turns)
                continue;
            zw_mass_moment(ctx, p, p->alpha, moment);
            for (int k = 0; k < 3; k++)
                moment[k] = zw_add(ctx, moment[k], p->gyro[k]);
            sum = zw_add(ctx, sum, partial_power(ctx, out, &split, moment, p->w, i));
        }
        rows[i] = sum;
    }
    if (masses.metric) {
        for (int k = 0; k < nv; k++)
            inertia[k] = zw_add(ctx, masses.bias[k],
                                zw_dot(ctx, nv, masses.metric + (size_t)k * (size_t)nv, out->a));
        for (int i = 0; i < split.k; i++)
            rows[i] = zw_add(ctx, rows[i], zw_split_project(ctx, &split, inertia, i));
    }
    report_inertia(out, &split, rows, Q);
    out->metric = zw_masses_metric(ctx, &masses, out);
    return zw_split_fill(out, s, &split, rows, err);
}
