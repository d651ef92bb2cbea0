/* SPDX-License-Identifier: MIT */
/* Boltzmann (1902) and Hamel (1904): Lagrange's equations in quasi-velocities w that contain the
 * constraints, w_I = v_I and w_c = psi_c(q, v, t), so that the constraints are simply w_c = 0.
 *
 *     d/dt dTw/dw_r - sum_s Gamma_sr dTw/dw_s - sum_l (dq'_l/dw_r) dTw/dq_l = Q_r,    r in I,
 *
 * with Tw(q, w, t) the whole kinetic energy, differentiated before w_c = 0 is set. Gamma is Hamel's
 * transposition matrix of the quasi-velocities, whose entries are the three-index symbols times w:
 * with w = A v + alpha and v varied by dv = d(dpi)/dt + Gamma_v dpi,
 *
 *     Gamma = -A' A^-1 + A Gamma_v A^-1 + d(A v + alpha)/dq F A^-1.
 *
 * The equations of r in c have the constraint forces on the right, Q_c + lambda_c, and are omitted
 * unless forces depend on multipliers. Then they are added with the weights s = W_D (D~ - D), which
 * turn the directions that the constraints allow into those on which constraint forces and these
 * forces together do no work (split.h). */
#include <stdio.h>

#include "forces.h"
#include "split.h"
#include "steps.h"

/* column r of A^-1: for an independent velocity 1 in its row and D below, for a constraint a column
 * of W_D^-1 */
static void direction_of(const zw_split *split, int nv, int r, zw_expr *out) {
    for (int k = 0; k < nv; k++)
        out[k] = r < split->k ? zw_split_basis(split, k, r) : ZW_ZERO;
    for (int d = 0; r >= split->k && d < split->nc; d++)
        out[split->dep[d]] = split->inverse[d * split->nc + r - split->k];
}

/* Gamma_sr for row s given as v-row (A's row, its rate, the q-slopes of A v + alpha) and direction
 * r */
static zw_expr transposition_term(const zw_system *s, const zw_expr *A_row, const zw_expr *A_rate,
                                  const zw_expr *slope, const zw_expr *direction) {
    zw_context *ctx = s->ctx;
    zw_expr sum = ZW_ZERO;
    for (int k = 0; k < s->nv; k++) {
        zw_expr entry = zw_neg(ctx, A_rate[k]);
        for (int j = 0; j < s->nv; j++)
            entry = zw_add(ctx, entry, zw_mul(ctx, A_row[j], s->Gamma[j * s->nv + k]));
        for (int l = 0; l < s->nq; l++)
            entry = zw_add(ctx, entry, zw_mul(ctx, slope[l], s->F[l * s->nv + k]));
        sum = zw_add(ctx, sum, zw_mul(ctx, entry, direction[k]));
    }
    /* much of it cancels, all of it for an integrable constraint: simplify now rather than
     * numerically */
    zw_shorten(ctx, 1, &sum);
    return sum;
}

typedef struct hamel {
    zw_equations *out;
    const zw_system *s;
    zw_split split;
    zw_expr *w_c;    /* nc symbols of the constraint quasi-velocities */
    zw_expr *v_of_w; /* nv: v in q, w_I, w_c */
    zw_expr T;       /* Tw(q, v_I, w_c) */
    zw_expr *p;      /* dTw/dw at w_c = 0: k independent ones, then nc */
    zw_expr *rate;   /* q' on the constraints, nq */
    zw_expr *weight; /* nc x k: s; NULL where no force depends on multipliers */
    zw_expr *unit_row, *zero_v, *zero_q, *A_rate, *slope, *direction;
} hamel;

static zw_status prepare_hamel(hamel *h, zw_error *err) {
    zw_context *ctx = h->s->ctx;
    int nv = h->s->nv, nq = h->s->nq, nc = h->split.nc, k = h->split.k;
    h->w_c = ZW_SCRATCH_NEW(ctx, zw_expr, nc);
    h->v_of_w = ZW_SCRATCH_NEW(ctx, zw_expr, nv);
    h->p = ZW_SCRATCH_NEW(ctx, zw_expr, nv);
    h->rate = ZW_SCRATCH_NEW(ctx, zw_expr, nq);
    h->unit_row = ZW_SCRATCH_NEW(ctx, zw_expr, nv);
    h->zero_v = ZW_SCRATCH_NEW(ctx, zw_expr, nv);
    h->zero_q = ZW_SCRATCH_NEW(ctx, zw_expr, nq);
    h->A_rate = ZW_SCRATCH_NEW(ctx, zw_expr, nv);
    h->slope = ZW_SCRATCH_NEW(ctx, zw_expr, nq);
    h->direction = ZW_SCRATCH_NEW(ctx, zw_expr, nv);
    zw_expr *free_v = ZW_SCRATCH_NEW(ctx, zw_expr, nv), *w = ZW_SCRATCH_NEW(ctx, zw_expr, nv);
    if (!h->w_c || !h->v_of_w || !h->p || !h->rate || !h->unit_row || !h->zero_v || !h->zero_q ||
        !h->A_rate || !h->slope || !h->direction || !free_v || !w)
        return zw_context_status(ctx, err);
    for (int i = 0; i < nv; i++)
        h->zero_v[i] = h->unit_row[i] = ZW_ZERO;
    for (int i = 0; i < nq; i++)
        h->zero_q[i] = ZW_ZERO;
    for (int i = 0; i < k; i++) {
        free_v[i] = w[i] = h->out->v[h->split.indep[i]];
        h->v_of_w[h->split.indep[i]] = free_v[i];
    }
    for (int c = 0; c < nc; c++) {
        const zw_constraint *constraint = &h->s->constraint[h->out->constraint[c]];
        h->w_c[c] = w[k + c] = zw_mech_named(ctx, "w", constraint->name);
    }
    /* v_D = D v_I + d + W_D^-1 w_c */
    for (int r = 0; r < nc; r++) {
        zw_expr sum =
            zw_add(ctx, h->split.d[r], zw_dot(ctx, k, h->split.D + (size_t)r * (size_t)k, free_v));
        h->v_of_w[h->split.dep[r]] =
            zw_add(ctx, sum, zw_dot(ctx, nc, h->split.inverse + (size_t)r * (size_t)nc, h->w_c));
    }
    h->T = zw_subst(ctx, h->s->T, nv, h->out->v, h->v_of_w);
    zw_gradient(ctx, h->T, nv, w, h->p);
    for (int i = 0; i < nv; i++)
        h->p[i] = zw_subst(ctx, h->p[i], nc, h->w_c, h->zero_v);
    for (int l = 0; l < nq; l++) {
        zw_expr q = zw_subst(ctx, h->out->qdot[l], nv, h->out->v, h->v_of_w);
        h->rate[l] = zw_subst(ctx, q, nc, h->w_c, h->zero_v);
    }
    return zw_context_status(ctx, err);
}

/* the index of a velocity in print: the coordinate whose rate it is */
static const char *index_name(const hamel *h, int velocity) {
    const zw_velocity *v = &h->s->velocity[velocity];
    return v->coord >= 0 ? h->s->coord[v->coord].name : v->name;
}

static const char *constraint_name(const hamel *h, int c) {
    return h->s->constraint[h->out->constraint[c]].name;
}

/* kind(w,r) */
static void report_pair(const hamel *h, const char *kind, const char *w, int r, zw_expr value) {
    zw_context *ctx = h->s->ctx;
    char pair[400];
    snprintf(pair, sizeof pair, "%.190s,%.190s", w,
             r < h->split.k ? index_name(h, h->split.indep[r])
                            : constraint_name(h, r - h->split.k));
    zw_step(h->out, zw_mech_named(ctx, kind, pair), value);
}

/* sum over s of Gamma_sr p_s; record: also records the entries as steps */
static zw_expr transposed_momentum(hamel *h, int r, bool record) {
    zw_context *ctx = h->s->ctx;
    const zw_equations *eq = h->out;
    int nv = h->s->nv, nq = h->s->nq, k = h->split.k;
    zw_expr sum = ZW_ZERO;
    direction_of(&h->split, nv, r, h->direction);
    for (int i = 0; i < k; i++) {
        int at = h->split.indep[i];
        h->unit_row[at] = ZW_ONE;
        zw_expr gamma = transposition_term(h->s, h->unit_row, h->zero_v, h->zero_q, h->direction);
        h->unit_row[at] = ZW_ZERO;
        if (record && gamma != ZW_ZERO)
            report_pair(h, "gamma", index_name(h, at), r, gamma);
        sum = zw_add(ctx, sum, zw_mul(ctx, gamma, h->p[i]));
    }
    for (int c = 0; c < h->split.nc; c++) {
        const zw_expr *row = eq->W + (size_t)c * (size_t)nv;
        for (int j = 0; j < nv; j++)
            h->A_rate[j] = zw_add(ctx, zw_along(ctx, row[j], nq, eq->q, eq->qdot),
                                  zw_diff(ctx, row[j], h->s->t));
        zw_jacobian(ctx, 1, &eq->psi[c], nq, eq->q, h->slope);
        zw_expr gamma = transposition_term(h->s, row, h->A_rate, h->slope, h->direction);
        if (record && gamma != ZW_ZERO)
            report_pair(h, "gamma", constraint_name(h, c), r, gamma);
        sum = zw_add(ctx, sum, zw_mul(ctx, gamma, h->p[k + c]));
    }
    return sum;
}

/* d/dt dTw/dw_r along q', w_I' and t, on the constraints */
static zw_expr momentum_rate(const hamel *h, int r, const zw_expr *free_v, const zw_expr *free_a) {
    zw_context *ctx = h->s->ctx;
    int nq = h->s->nq;
    zw_expr momentum = zw_along(ctx, h->p[r], nq, h->out->q, h->rate);
    momentum = zw_add(ctx, momentum, zw_along(ctx, h->p[r], h->split.k, free_v, free_a));
    return zw_add(ctx, momentum, zw_diff(ctx, h->p[r], h->s->t));
}

/* dTw/dq along direction r; then w_c = 0 */
static zw_expr slope_along(hamel *h, int r) {
    zw_context *ctx = h->s->ctx;
    int nq = h->s->nq;
    zw_jacobian(ctx, 1, &h->T, nq, h->out->q, h->slope);
    direction_of(&h->split, h->s->nv, r, h->direction);
    zw_expr force = ZW_ZERO;
    for (int l = 0; l < nq; l++) {
        zw_expr toward = ZW_ZERO;
        for (int k = 0; k < h->s->nv; k++)
            toward = zw_add(ctx, toward, zw_mul(ctx, h->s->F[l * h->s->nv + k], h->direction[k]));
        force = zw_add(ctx, force, zw_mul(ctx, toward, h->slope[l]));
    }
    return zw_subst(ctx, force, h->split.nc, h->w_c, h->zero_v);
}

/* the left side of equation r, linear in the independent accelerations */
static zw_expr left_side(hamel *h, int r, const zw_expr *free_v, const zw_expr *free_a) {
    zw_context *ctx = h->s->ctx;
    zw_expr momentum = momentum_rate(h, r, free_v, free_a), force = slope_along(h, r);
    return zw_sub(ctx, zw_sub(ctx, momentum, force), transposed_momentum(h, r, false));
}

/* s = W_D (D~ - D) */
static zw_status find_weights(hamel *h, zw_error *err) {
    zw_context *ctx = h->s->ctx;
    const zw_split *split = &h->split;
    int nc = split->nc, k = split->k;
    h->weight = ZW_SCRATCH_NEW(ctx, zw_expr, nc * k);
    for (int c = 0; h->weight && c < nc; c++)
        for (int i = 0; i < k; i++) {
            zw_expr sum = ZW_ZERO;
            for (int d = 0; d < nc; d++)
                sum = zw_add(ctx, sum,
                             zw_mul(ctx, h->out->W[c * h->s->nv + split->dep[d]],
                                    zw_sub(ctx, split->weight[d * k + i], split->D[d * k + i])));
            h->weight[c * k + i] = sum;
        }
    return zw_context_status(ctx, err);
}

/* equation i with the equations of constraints that it needs; left: all left sides that are
 * needed */
static zw_expr build_equation(const hamel *h, const zw_expr *left, int i) {
    zw_expr sum = left[i];
    for (int c = 0; h->weight && c < h->split.nc; c++)
        sum = zw_add(h->s->ctx, sum,
                     zw_mul(h->s->ctx, h->weight[c * h->split.k + i], left[h->split.k + c]));
    return sum;
}

static void report_energy(const hamel *h) {
    const zw_equations *eq = h->out;
    int k = h->split.k, nc = h->split.nc;
    zw_step_energies(eq, true);
    zw_step_constraint_rows(eq);
    zw_step_split(eq, &h->split);
    zw_step_heading(eq, "Quasi-velocities that vanish with the constraints, {w|w}, and the "
                        "velocities in terms of them");
    for (int c = 0; c < nc; c++)
        zw_step(eq, h->w_c[c], eq->psi[c]);
    for (int r = 0; r < nc; r++)
        zw_step_labelled(eq, eq->v[h->split.dep[r]], 0, h->v_of_w[h->split.dep[r]], "before w = 0");
    zw_step_heading(eq, "The kinetic energy in these velocities, {T_w|T_w}");
    zw_step(eq, zw_symbol(h->s->ctx, "T_w"), h->T);
    zw_step_heading(eq, "Its derivatives; {w = 0|w = 0} is substituted afterwards");
    for (int i = 0; i < k; i++)
        zw_step(eq, zw_step_partial(eq, "T_w", eq->v[h->split.indep[i]]), h->p[i]);
    for (int c = 0; c < nc; c++)
        zw_step(eq, zw_step_partial(eq, "T_w", h->w_c[c]), h->p[k + c]);
}

static const char PRINCIPLE[] = "Boltzmann and Hamel, for every independent velocity: {d/dt "
                                "dT_w/dw_r - Gamma_r - dT_w/dpi_r = Q_r + sum_D D_Dr Q_D|"
                                "\\frac{\\mathrm d}{\\mathrm dt} \\frac{\\partial T_w}{\\partial "
                                "w_r} - \\Gamma_r - \\frac{\\partial "
                                "T_w}{\\partial\\pi_r} = Q_r + \\sum_D D_{Dr} Q_D}.";

static const char TILTED[] =
    "Boltzmann and Hamel for every velocity: {E_r = d/dt dT_w/dw_r - Gamma_r - dT_w/dpi_r|E_r = "
    "\\frac{\\mathrm d}{\\mathrm dt} \\frac{\\partial T_w}{\\partial w_r} - \\Gamma_r - "
    "\\frac{\\partial T_w}{\\partial\\pi_r}}. Forces depend on multipliers: for every independent "
    "one {E_r + sum_c s(c,r) E_c = Q_r + sum_D D_Dr Q_D|E_r + \\sum_c s_{c,r} E_c = Q_r + \\sum_D "
    "D_{Dr} Q_D}.";

static void report_weights(const hamel *h) {
    int k = h->split.k;
    if (!h->weight)
        return;
    zw_step_heading(h->out,
                    "Weights of the constraint equations in those of the independent "
                    "velocities, {s(c,r)|s_{c,r}} (where it is not zero)");
    for (int c = 0; c < h->split.nc; c++)
        for (int r = 0; r < k; r++)
            if (h->weight[c * k + r] != ZW_ZERO)
                report_pair(h, "s", constraint_name(h, c), r, h->weight[c * k + r]);
}

/* w: the n quasi-velocities whose equations are needed */
static void report_steps(hamel *h, const zw_expr *Q, const zw_expr *X, int n, const zw_expr *w,
                         const zw_expr *free_a) {
    const zw_equations *eq = h->out;
    if (!zw_steps_wanted(eq))
        return;
    report_energy(h);
    zw_step_heading(eq, "Their time derivatives, on the constraints");
    for (int r = 0; r < n; r++)
        zw_step(eq, zw_step_rate(eq, zw_step_partial(eq, "T_w", w[r])),
                momentum_rate(h, r, w, free_a));
    zw_step_heading(eq, "Derivatives along the allowed directions, {dT_w/dpi_r = sum_l dT_w/dq_l "
                        "dq'_l/dw_r|\\frac{\\partial "
                        "T_w}{\\partial\\pi_r} = \\sum_l \\frac{\\partial T_w}{\\partial q_l} "
                        "\\frac{\\partial \\dot "
                        "q_l}{\\partial w_r}}");
    for (int r = 0; r < n; r++)
        zw_step(eq, zw_step_partial(eq, "T_w", zw_step_of(eq, "pi", w[r])), slope_along(h, r));
    zw_step_heading(
        eq, "Hamel's three-index symbols times the velocities, {gamma(s,r)|\\gamma_{s,r}} (those "
            "that are not "
            "zero), and {Gamma_r = sum_s gamma(s,r) dT_w/dw_s|\\Gamma_r = \\sum_s \\gamma_{s,r} "
            "\\frac{\\partial T_w}{\\partial w_s}}");
    for (int r = 0; r < n; r++) {
        zw_expr sum = transposed_momentum(h, r, true);
        zw_step(eq, zw_step_of(eq, "Gamma", w[r]), sum);
    }
    report_weights(h);
    zw_step_separate_forces(eq, Q, X);
    zw_step_projected_forces(eq, &h->split, Q);
    zw_step_heading(eq, "The principle");
    zw_step_sentence(eq, X ? TILTED : PRINCIPLE);
}

zw_status zw_boltzmann_hamel_derive(zw_equations *out, const zw_system *s, const zw_active *active,
                                    zw_error *err) {
    zw_context *ctx = s->ctx;
    hamel h = {.out = out, .s = s};
    ZW_TRY(zw_principle_begin(out, s, active, err));
    ZW_TRY(zw_split_velocities(&h.split, out, s, err));
    if (!h.split.d)
        return zw_reject_not_affine(out, s, err);
    ZW_TRY(prepare_hamel(&h, err));
    int nv = s->nv, k = h.split.k;
    const zw_expr *X;
    zw_expr *Q = ZW_SCRATCH_NEW(ctx, zw_expr, nv), *rows = ZW_SCRATCH_NEW(ctx, zw_expr, nv),
            *left = ZW_SCRATCH_NEW(ctx, zw_expr, nv), *w = ZW_SCRATCH_NEW(ctx, zw_expr, nv),
            *free_a = ZW_SCRATCH_NEW(ctx, zw_expr, nv);
    out->metric = ZW_EQUATIONS_NEW(out, ctx, zw_expr, nv * nv);
    if (!Q || !rows || !left || !w || !free_a || !out->metric)
        return zw_context_status(ctx, err);
    ZW_TRY(zw_split_forces(&h.split, out, s, Q, &X, err));
    if (X)
        ZW_TRY(find_weights(&h, err));
    for (int i = 0; i < k; i++) {
        w[i] = out->v[h.split.indep[i]];
        free_a[i] = out->a[h.split.indep[i]];
    }
    for (int c = 0; c < h.split.nc; c++)
        w[k + c] = h.w_c[c];
    int n = X ? nv : k;
    report_steps(&h, Q, X, n, w, free_a);
    for (int r = k; r < n; r++)
        left[r] = left_side(&h, r, w, free_a);
    for (int i = 0; i < k; i++) {
        left[i] = left_side(&h, i, w, free_a);
        rows[i] = zw_sub(ctx, build_equation(&h, left, i), zw_split_project(ctx, &h.split, Q, i));
    }
    zw_hessian(ctx, s->T, nv, out->v, out->metric);
    out->substituted = true;
    return zw_split_fill(out, s, &h.split, rows, err);
}
