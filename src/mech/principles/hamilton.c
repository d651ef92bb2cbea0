/* SPDX-License-Identifier: MIT */
/* Hamilton's canonical equations with constraint forces. Momenta p = dT/dv, and
 *     H(q, p, t) = p.v - T + V,        v = v(q, p, t) = M^-1 (p - a)
 * with T = v'Mv/2 + a.v + T0. In the velocities of the system (F, Gamma of zwang/system.h)
 *
 *     q' = F dH/dp + f,    p' = Gamma' p - F' dH/dq + Q + W' lambda,
 *
 * which for plain coordinates is q' = dH/dp, p' = -dH/dq + Q + W' lambda. The constraints on the
 * level of p' are d/dt psi(q, v(q, p), t) = 0. The velocities of these equations are the
 * momenta. */
#include "lagrange.h"
#include "steps.h"

/* M^-1 block by block, v(q, p, t) and H */
typedef struct legendre {
    zw_expr *p;       /* nv symbols */
    zw_expr *inverse; /* nv x nv */
    zw_expr *v;       /* nv */
    zw_expr H;
} legendre;

static zw_status legendre_transform(legendre *l, zw_equations *out, const zw_system *s,
                                    zw_error *err) {
    zw_context *ctx = s->ctx;
    int nv = s->nv;
    zw_expr *a = ZW_SCRATCH_NEW(ctx, zw_expr, nv), *gap = ZW_SCRATCH_NEW(ctx, zw_expr, nv), T0,
            *M = ZW_SCRATCH_NEW(ctx, zw_expr, nv * nv);
    l->p = ZW_EQUATIONS_NEW(out, ctx, zw_expr, nv);
    l->inverse = ZW_EQUATIONS_NEW(out, ctx, zw_expr, nv * nv);
    l->v = ZW_EQUATIONS_NEW(out, ctx, zw_expr, nv);
    if (!a || !gap || !M || !l->p || !l->inverse || !l->v)
        return zw_context_status(ctx, err);
    if (!zw_quadratic(ctx, s->T, nv, out->v, M, a, &T0)) {
        ZW_TRY(zw_context_status(ctx, err));
        return zw_fail(err, ZW_E_MODEL,
                       "the kinetic energy of %s is not quadratic in the velocities", s->name);
    }
    if (!zw_mech_inverse(ctx, nv, M, l->inverse)) {
        ZW_TRY(zw_context_status(ctx, err));
        zw_fail(err, ZW_E_SINGULAR,
                "the momenta of %s do not determine the velocities: the mass matrix is singular, "
                "or has "
                "a coupled block of more than 6",
                s->name);
        zw_error_hint(err, "use --by lagrange");
        return ZW_E_SINGULAR;
    }
    for (int i = 0; i < nv; i++) {
        l->p[i] = zw_mech_named(ctx, "p", s->velocity[i].name);
        gap[i] = zw_sub(ctx, l->p[i], a[i]);
    }
    for (int i = 0; i < nv; i++)
        l->v[i] = zw_dot(ctx, nv, l->inverse + (size_t)i * (size_t)nv, gap);
    l->H = zw_sub(ctx, zw_add(ctx, zw_mul(ctx, ZW_HALF, zw_dot(ctx, nv, gap, l->v)), s->potential),
                  T0);
    out->metric = l->inverse; /* the natural metric of momenta */
    return zw_context_status(ctx, err);
}

/* the constraint rows on the level of p' */
static zw_status constraint_rows(zw_equations *out, const legendre *l, const zw_system *s,
                                 const zw_expr *v, zw_error *err) {
    zw_context *ctx = s->ctx;
    int nv = s->nv, nq = s->nq;
    zw_expr *W = ZW_EQUATIONS_NEW(out, ctx, zw_expr, out->nc * nv),
            *b = ZW_EQUATIONS_NEW(out, ctx, zw_expr, out->nc);
    if (!W || !b)
        return zw_context_status(ctx, err);
    for (int c = 0, level = 0; c < out->nc; c++) {
        zw_expr *row = W + (size_t)c * (size_t)nv;
        if (s->constraint[out->constraint[c]].level == ZW_ACCELERATION) {
            /* W v' = b with v' = v_p p' + v_q q' + v_t */
            zw_expr drift = ZW_ZERO;
            for (int k = 0; k < nv; k++) {
                zw_expr weight = zw_subst(ctx, out->W[c * nv + k], nv, v, l->v);
                zw_expr rest = zw_add(ctx, zw_along(ctx, l->v[k], nq, out->q, out->qdot),
                                      zw_diff(ctx, l->v[k], s->t));
                drift = zw_add(ctx, drift, zw_mul(ctx, weight, rest));
            }
            for (int j = 0; j < nv; j++) {
                row[j] = ZW_ZERO;
                for (int k = 0; k < nv; k++)
                    row[j] = zw_add(ctx, row[j],
                                    zw_mul(ctx, zw_subst(ctx, out->W[c * nv + k], nv, v, l->v),
                                           l->inverse[k * nv + j]));
            }
            b[c] = zw_sub(ctx, zw_subst(ctx, out->b[c], nv, v, l->v), drift);
            continue;
        }
        zw_expr psi = zw_subst(ctx, out->psi[level], nv, v, l->v);
        zw_jacobian(ctx, 1, &psi, nv, l->p, row);
        b[c] = zw_neg(
            ctx, zw_add(ctx, zw_along(ctx, psi, nq, out->q, out->qdot), zw_diff(ctx, psi, s->t)));
        level++;
    }
    out->W = W;
    out->b = b;
    return zw_context_status(ctx, err);
}

/* turns rows of gradients along velocities into rows along momenta: dv = M^-1 dp */
static zw_status along_momenta(int n, zw_expr *rows, const legendre *l, const zw_system *s,
                               zw_error *err) {
    int nv = s->nv;
    zw_expr *row = ZW_SCRATCH_NEW(s->ctx, zw_expr, nv);
    if (!row)
        return zw_context_status(s->ctx, err);
    for (int i = 0; i < n; i++) {
        zw_expr *r = rows + (size_t)i * (size_t)nv;
        for (int j = 0; j < nv; j++) {
            row[j] = ZW_ZERO;
            for (int k = 0; k < nv; k++)
                row[j] = zw_add(s->ctx, row[j], zw_mul(s->ctx, r[k], l->inverse[k * nv + j]));
        }
        for (int j = 0; j < nv; j++)
            r[j] = row[j];
    }
    return zw_context_status(s->ctx, err);
}

/* position and velocity levels in q and p, for projections */
static zw_status project_rows(zw_equations *out, const legendre *l, const zw_system *s,
                              const zw_expr *v, zw_error *err) {
    zw_context *ctx = s->ctx;
    int nv = s->nv;
    ZW_TRY(along_momenta(out->npos, out->Phi, l, s, err));
    ZW_TRY(along_momenta(out->nstart_pos, out->start_Phi, l, s, err));
    for (int i = 0; i < out->nvel; i++) {
        out->psi[i] = zw_subst(ctx, out->psi[i], nv, v, l->v);
        zw_jacobian(ctx, 1, &out->psi[i], nv, l->p, out->Psi + (size_t)i * (size_t)nv);
    }
    for (int i = 0; i < out->nstart_vel; i++) {
        out->start_psi[i] = zw_subst(ctx, out->start_psi[i], nv, v, l->v);
        zw_jacobian(ctx, 1, &out->start_psi[i], nv, l->p, out->start_Psi + (size_t)i * (size_t)nv);
    }
    return zw_context_status(ctx, err);
}

/* true if the velocities are the rates of the coordinates */
static bool has_plain_coordinates(const zw_system *s) {
    if (s->nq != s->nv)
        return false;
    for (int i = 0; i < s->nq; i++) {
        if (s->f[i] != ZW_ZERO)
            return false;
        for (int j = 0; j < s->nv; j++)
            if (s->F[i * s->nv + j] != (i == j ? ZW_ONE : ZW_ZERO))
                return false;
    }
    return true;
}

static void report_transform(const zw_equations *eq, const legendre *l) {
    const zw_system *s = eq->sys;
    const char *H = zw_step_name(eq, "H");
    zw_step_energies(eq, true);
    zw_step_heading(eq, "Momenta, {p = dT/dv|p = \\partial T/\\partial v}");
    for (int k = 0; k < s->nv; k++)
        zw_step(eq, l->p[k], eq->from_system[k]);
    zw_step_heading(eq, "The velocities in terms of them");
    for (int k = 0; k < s->nv; k++)
        zw_step(eq, eq->v[k], l->v[k]);
    zw_step_heading(eq, "Hamilton's function, {H = p.v - T + V|H = p \\cdot v - T + V}");
    zw_step(eq, zw_symbol(s->ctx, H), l->H);
}

/* rates: dH/dp; slope: d(H - V)/dq, nq */
static void report_slopes(const zw_equations *eq, const legendre *l, const zw_expr *rates,
                          const zw_expr *slope) {
    const zw_system *s = eq->sys;
    zw_context *ctx = s->ctx;
    zw_step_heading(eq, "Its derivatives with respect to the momenta");
    for (int k = 0; k < s->nv; k++)
        zw_step(eq, zw_step_partial(eq, zw_step_name(eq, "H"), l->p[k]), rates[k]);
    zw_step_heading(eq, "Its derivatives with respect to the coordinates, without those of {V|V}, which are "
                        "among the given forces: "
                        "{H_T = H - V|H_T = H - V}");
    zw_step(eq, zw_symbol(ctx, "H_T"), zw_sub(ctx, l->H, s->potential));
    for (int k = 0; k < s->nv; k++) {
        zw_expr by = zw_step_plain(s, k), moved = ZW_ZERO;
        for (int i = 0; i < s->nq; i++)
            moved = zw_add(ctx, moved, zw_mul(ctx, s->F[i * s->nv + k], slope[i]));
        zw_step(eq, zw_step_partial(eq, "H_T", by ? by : zw_step_of(eq, "pi", eq->v[k])), moved);
        if (!by)
            zw_step(eq, zw_step_of(eq, "Gamma", eq->v[k]), zw_lagrange_transposed(s, l->p, k));
    }
}

static void report_principle(const zw_equations *eq) {
    zw_step_constraint_rows(eq);
    zw_step_constraint_forces(eq);
    zw_step_heading(eq, "The principle");
    zw_step_sentence(eq, zw_step_is_plain(eq->sys)
                             ? "Hamilton: {q' = dH/dp, p' = -dH_T/dq + Q + "
                               "K|\\dot q = \\frac{\\partial H}{\\partial p}, "
                               "\\quad \\dot p = -\\frac{\\partial H_T}{\\partial "
                               "q} + Q + K}, with the velocities put in."
                             : "Hamilton: {q' = F dH/dp + f, p' = Gamma - "
                               "dH_T/dpi + Q + K|\\dot q = F \\frac{\\partial "
                               "H}{\\partial p} + f, \\quad \\dot p = \\Gamma - "
                               "\\frac{\\partial H_T}{\\partial\\pi} + Q + "
                               "K}, with the velocities put in.");
    zw_step_no_constraints(eq);
}

zw_status zw_hamilton_derive(zw_equations *out, const zw_system *s, const zw_active *active,
                             zw_error *err) {
    zw_context *ctx = s->ctx;
    legendre l = {0};
    ZW_TRY(zw_principle_begin(out, s, active, err));
    ZW_TRY(legendre_transform(&l, out, s, err));
    int nv = s->nv, nq = s->nq, nc = out->nc;
    const zw_expr *v = out->v;
    zw_expr *Q = ZW_SCRATCH_NEW(ctx, zw_expr, nv), *rates = ZW_SCRATCH_NEW(ctx, zw_expr, nv),
            *slope = ZW_SCRATCH_NEW(ctx, zw_expr, nq),
            *momentum_rates = ZW_EQUATIONS_NEW(out, ctx, zw_expr, nv);
    out->M = ZW_EQUATIONS_NEW(out, ctx, zw_expr, nv * nv);
    out->h = ZW_EQUATIONS_NEW(out, ctx, zw_expr, nv);
    out->C = ZW_EQUATIONS_NEW(out, ctx, zw_expr, nv * nc);
    out->from_system = ZW_EQUATIONS_NEW(out, ctx, zw_expr, nv);
    out->accel = ZW_EQUATIONS_NEW(out, ctx, zw_expr, nv);
    zw_expr *qdot = ZW_EQUATIONS_NEW(out, ctx, zw_expr, nq),
            *F = ZW_EQUATIONS_NEW(out, ctx, zw_expr, nq * nv);
    if (!Q || !rates || !slope || !momentum_rates || !out->M || !out->h || !out->C ||
        !out->from_system || !out->accel || !qdot || !F)
        return zw_context_status(ctx, err);
    bool depends = false;
    ZW_TRY(zw_given_forces(out, s, Q, out->C, &depends, err));
    zw_gradient(ctx, s->T, nv, v, out->from_system);
    zw_gradient(ctx, zw_sub(ctx, l.H, s->potential), nq, out->q, slope);
    /* q' = F dH/dp + f */
    zw_gradient(ctx, l.H, nv, l.p, rates);
    if (zw_steps_wanted(out)) {
        report_transform(out, &l);
        report_slopes(out, &l, rates, slope);
        zw_step_forces(out, Q, out->C);
        report_principle(out);
    }
    for (int i = 0; i < nq; i++) {
        zw_expr f =
            zw_subst(ctx, s->f[i], nv, v, l.v); /* the rate of a state may contain velocities */
        qdot[i] = zw_add(ctx, f, zw_dot(ctx, nv, s->F + (size_t)i * (size_t)nv, rates));
        for (int j = 0; j < nv; j++)
            F[i * nv + j] = s->coord[i].state ? ZW_ZERO : zw_diff(ctx, qdot[i], l.p[j]);
    }
    out->qdot = qdot;
    out->F = F;
    for (int k = 0; k < nv; k++) {
        zw_expr sum = zw_add(ctx, zw_lagrange_transposed(s, l.p, k), Q[k]);
        for (int i = 0; i < nq; i++)
            sum = zw_sub(ctx, sum, zw_mul(ctx, s->F[i * nv + k], slope[i]));
        out->h[k] = zw_subst(ctx, sum, nv, v, l.v);
        for (int c = 0; c < nc; c++)
            out->C[k * nc + c] =
                zw_subst(ctx, zw_add(ctx, out->C[k * nc + c], out->W[c * nv + k]), nv, v, l.v);
        for (int j = 0; j < nv; j++)
            out->M[k * nv + j] = j == k ? ZW_ONE : ZW_ZERO;
        momentum_rates[k] = zw_mech_named(ctx, "p'", s->velocity[k].name);
    }
    ZW_TRY(constraint_rows(out, &l, s, v, err));
    ZW_TRY(project_rows(out, &l, s, v, err));
    for (int k = 0; k < nv; k++) {
        zw_expr sum =
            zw_add(ctx, zw_along(ctx, l.v[k], nq, out->q, qdot), zw_diff(ctx, l.v[k], s->t));
        out->accel[k] = zw_add(ctx, sum, zw_along(ctx, l.v[k], nv, l.p, momentum_rates));
    }
    out->T = zw_subst(ctx, s->T, nv, v, l.v);
    out->function = l.H;
    out->function_name = "H";
    out->system_v = l.v;
    out->v = l.p;
    out->a = momentum_rates;
    out->definite = false;
    out->canonical = has_plain_coordinates(s);
    out->symmetric = false;
    return zw_context_status(ctx, err);
}
