/* SPDX-License-Identifier: MIT */
/* With p = dT/dv and Lagrange's equations p' = H + W' lambda, H = Gamma' p + F' dT/dq + Q, no
 * acceleration and no multiplier is needed for the rates of two kinds of quantities:
 *
 *   momentum along an allowed direction b(q, t), W b = 0:
 *       J = p . b              J' = b . H + p . b'
 *   energy in a frame that follows the drift, W (v - g) = 0:
 *       E = p . (v - g) - T + V
 *       E' = (v - g) . H - p . g' - dT/dt|q,v - (T_q - V_q) q' + dV/dt
 *
 * b runs through the basis of split.h: a plain cyclic coordinate whose direction is allowed, or a
 * nonholonomic momentum. g is rest if the constraints allow it; E is then the energy T + V, or
 * Jacobi's integral if the kinematics moves. Otherwise g is the drift v0 of the constraints:
 * Jacobi's integral of a rheonomic system, the moving energy of an affine one (Fasso and Sansonetto
 * 2015).
 *
 * A quantity is conserved if its rate vanishes at every tested state; that is proved if the rate,
 * with the dependent velocities eliminated, and perhaps without the parameters that are zero,
 * expands to zero. */
#include "conserved.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expr/core/rounding_size.h"
#include "formulas/hides.h"
#include "mech/principles/lagrange.h"
#include "mech/principles/split.h"

/* of the sum of absolute summands: round-off of a rate; a weaker effect is not resolved */
#define RATE_ROUNDOFF 1e-10
/* Of the possible size of the terms, and of what they consisted of before it was cancelled as
 * expressions: ten spacings of doubles. */
#define CANCELLED_ROUNDOFF 2e-15

typedef struct rate_balance {
    zw_equations *eq;
    const zw_system *s;
    zw_context *ctx;
    const zw_state_set *states;
    zw_split split;
    bool solved;                /* there is a split */
    zw_expr *p, *H;             /* nv */
    zw_expr *slope_T, *slope_V; /* nq */
    zw_expr *terms;             /* the summands of a rate, two factors each */
    int nterm;
    /* after them, also pairs: the terms from which the summands were made */
    int nsource;
    zw_expr *dependent, *solution; /* v_D and its formula */
} rate_balance;

zw_status zw_rest_velocities(const zw_system *s, zw_expr *rest, zw_error *err) {
    for (int k = 0; k < s->nv; k++)
        rest[k] = ZW_ZERO;
    for (int g = 0; g < s->store->ngroup; g++) {
        const quasi_group *group = &s->store->group[g];
        for (int i = 0; i < group->n; i++)
            for (int j = 0; j < group->n; j++) {
                zw_expr *to = &rest[group->velocity[i]];
                zw_expr a = zw_mul(s->ctx, group->A[i * group->n + j], s->f[group->coord[j]]);
                *to = zw_sub(s->ctx, *to, a);
            }
    }
    return zw_context_status(s->ctx, err);
}

/* p, H and the slopes of the energies. */
static zw_status prepare_balance(rate_balance *b, zw_error *err) {
    const zw_system *s = b->s;
    zw_context *ctx = b->ctx;
    int nv = s->nv, nq = s->nq, nc = b->eq->nc;
    zw_error ignored = {0};
    zw_expr *Q = ZW_CONTEXT_NEW(ctx, zw_expr, nv), *extra = ZW_CONTEXT_NEW(ctx, zw_expr, nv * nc);
    b->p = ZW_CONTEXT_NEW(ctx, zw_expr, nv);
    b->H = ZW_CONTEXT_NEW(ctx, zw_expr, nv);
    b->slope_T = ZW_CONTEXT_NEW(ctx, zw_expr, nq);
    b->slope_V = ZW_CONTEXT_NEW(ctx, zw_expr, nq);
    b->terms = ZW_CONTEXT_NEW(ctx, zw_expr, 2 * (3 * nv + 2 * nq + 2));
    b->dependent = ZW_CONTEXT_NEW(ctx, zw_expr, nv);
    b->solution = ZW_CONTEXT_NEW(ctx, zw_expr, nv);
    if (!Q || !extra || !b->p || !b->H || !b->slope_T || !b->slope_V || !b->terms ||
        !b->dependent || !b->solution)
        return zw_context_status(ctx, err);
    ZW_TRY(zw_given_forces(b->eq, s, Q, extra, NULL, err));
    zw_gradient(ctx, s->T, nv, b->eq->v, b->p);
    zw_gradient(ctx, s->T, nq, b->eq->q, b->slope_T);
    zw_gradient(ctx, s->potential, nq, b->eq->q, b->slope_V);
    for (int k = 0; k < nv; k++) {
        zw_expr sum = zw_add(ctx, Q[k], zw_lagrange_transposed(s, b->p, k));
        for (int i = 0; i < nq; i++)
            sum = zw_add(ctx, sum, zw_mul(ctx, s->F[i * nv + k], b->slope_T[i]));
        for (int c = 0; c < nc; c++)
            sum = zw_add(ctx, sum, zw_mul(ctx, extra[k * nc + c], b->eq->lambda[c]));
        b->H[k] = sum;
    }
    b->solved = zw_split_velocities(&b->split, b->eq, s, &ignored) >= 0;
    for (int r = 0; b->solved && b->split.d && r < b->split.nc; r++) {
        b->dependent[r] = b->eq->v[b->split.dep[r]];
        b->solution[r] = b->split.d[r];
        for (int i = 0; i < b->split.k; i++)
            b->solution[r] =
                zw_add(ctx, b->solution[r],
                       zw_mul(ctx, b->split.D[r * b->split.k + i], b->eq->v[b->split.indep[i]]));
    }
    return zw_context_status(ctx, err);
}

static void add_term(rate_balance *b, zw_expr a, zw_expr c) {
    b->terms[2 * b->nterm] = a;
    b->terms[2 * b->nterm++ + 1] = c;
}

/* The rate of a function of (q, t). */
static zw_expr rate_of(const rate_balance *b, zw_expr e) {
    return zw_add(b->ctx, zw_along(b->ctx, e, b->s->nq, b->eq->q, b->eq->qdot),
                  zw_diff(b->ctx, e, b->s->t));
}

static void momentum_rate(rate_balance *b, const zw_expr *direction) {
    b->nterm = 0;
    for (int k = 0; k < b->s->nv; k++) {
        add_term(b, direction[k], b->H[k]);
        add_term(b, b->p[k], rate_of(b, direction[k]));
    }
}

/* With d = q' - F (v - g), which is zero unless the frame violates the constraints, the rate is
 *     (v - g) . (H - F' (T_q - V_q)) - (T_q - V_q) . d - p . g' - dT/dt + dV/dt.
 * The terms of the energies themselves are removed from H as an expression: a weak force next to a
 * stiff potential is not lost in numbers that cancel. */
static void energy_rate(rate_balance *b, const zw_expr *g) {
    zw_context *ctx = b->ctx;
    int nv = b->s->nv, nq = b->s->nq;
    b->nterm = 0;
    for (int k = 0; k < nv; k++) {
        zw_expr rest = b->H[k];
        for (int i = 0; i < nq; i++) {
            rest = zw_add(ctx, rest, zw_mul(ctx, b->s->F[i * nv + k], b->slope_V[i]));
            rest = zw_sub(ctx, rest, zw_mul(ctx, b->s->F[i * nv + k], b->slope_T[i]));
        }
        add_term(b, zw_sub(ctx, b->eq->v[k], g[k]), rest);
        add_term(b, b->p[k], zw_neg(ctx, rate_of(b, g[k])));
    }
    for (int i = 0; i < nq; i++) {
        zw_expr d = b->eq->qdot[i];
        for (int k = 0; k < nv; k++) {
            d = zw_sub(ctx, d, zw_mul(ctx, b->s->F[i * nv + k], b->eq->v[k]));
            d = zw_add(ctx, d, zw_mul(ctx, b->s->F[i * nv + k], g[k]));
        }
        add_term(b, zw_neg(ctx, b->slope_T[i]), d);
        add_term(b, b->slope_V[i], d);
    }
    add_term(b, ZW_MINUS_ONE, zw_diff(ctx, b->s->T, b->s->t));
    add_term(b, ZW_ONE, zw_diff(ctx, b->s->potential, b->s->t));
}

/* all: pairs with one factor that is zero as an expression count in the lengths, too. That is right
 * for W (v - g), which is small compared with v; in a rate they are unrelated forces. */
static bool vanishes_at(const rate_balance *b, const zw_sized *factor, bool all) {
    double sum = 0, sizes = 0, first = 0, second = 0;
    for (int k = 0; k < b->nterm; k++) {
        zw_sized u = factor[2 * k], v = factor[2 * k + 1];
        if (!all && (b->terms[2 * k] == ZW_ZERO || b->terms[2 * k + 1] == ZW_ZERO))
            continue;
        sum += u.value * v.value;
        sizes += u.size * v.size;
        first += u.value * u.value;
        second += v.value * v.value;
    }
    double most = fmax(RATE_ROUNDOFF * sizes, CANCELLED_ROUNDOFF * sqrt(first) * sqrt(second));
    return isfinite(most) && fabs(sum) <= most; /* an overflow decides nothing */
}

static bool is_vanishing(const rate_balance *b, bool all) {
    zw_arena_mark mark = zw_scratch_mark(b->ctx);
    zw_sized *factor = ZW_SCRATCH_NEW(b->ctx, zw_sized, 2 * b->nterm);
    bool is = factor != NULL;
    for (int i = 0; is && i < b->states->n; i++) {
        const zw_sample *at = &b->states->at[i];
        zw_eval_sizes(b->ctx, 2 * b->nterm, b->terms, at->n, at->sym, at->value, factor);
        is = vanishes_at(b, factor, all);
    }
    zw_scratch_release(b->ctx, mark);
    return is;
}

/* The expression without the parameters that are zero. */
static zw_expr without_zeros(const rate_balance *b, zw_expr e) {
    zw_expr zero = ZW_ZERO;
    for (int i = 0; i < b->s->np; i++)
        if (b->states->at[0].value[i] == 0)
            e = zw_subst(b->ctx, e, 1, &b->s->param[i].sym, &zero);
    return e;
}

/* Bounded: long expressions that are not obviously zero count as not proved. */
static bool expands_to_zero(const rate_balance *b, zw_expr e) {
    zw_shorten(b->ctx, 1, &e);
    return e == ZW_ZERO;
}

/* Is the sum of the terms zero, and how is that known? */
static bool is_zero(const rate_balance *b, zw_conserved *c) {
    if (!is_vanishing(b, false))
        return false;
    zw_expr sum = ZW_ZERO;
    for (int k = 0; k < b->nterm; k++)
        sum = zw_add(b->ctx, sum, zw_mul(b->ctx, b->terms[2 * k], b->terms[2 * k + 1]));
    if (!expands_to_zero(b, sum) && b->solved && b->split.d)
        sum = zw_subst(b->ctx, sum, b->split.nc, b->dependent, b->solution);
    bool zero = expands_to_zero(b, sum);
    c->given_zeros = !zero && expands_to_zero(b, without_zeros(b, sum));
    c->by = zero || c->given_zeros ? ZW_PROVED : ZW_AT_POINTS;
    return true;
}

static void add_conserved(zw_classification *out, const rate_balance *b, const char *name,
                          zw_expr value, zw_conserved *c) {
    zw_shorten(b->ctx, 1, &value);
    c->name = zw_context_intern(b->ctx, name);
    c->value = value;
    out->conserved[out->nconserved++] = *c;
}

/* W (v - g) = 0 at every state: the constraint forces do no work in the balance. */
static bool does_no_work(rate_balance *b, const zw_expr *g) {
    int nv = b->s->nv;
    for (int c = 0; c < b->eq->nc; c++) {
        b->nterm = 0;
        for (int k = 0; k < nv; k++)
            add_term(b, b->eq->W[c * nv + k], zw_sub(b->ctx, b->eq->v[k], g[k]));
        if (!is_vanishing(b, true))
            return false;
    }
    return true;
}

/* p . (v - g) = 2 T: the kinetic energy is homogeneous in the velocities relative to rest. */
static bool is_twice_kinetic(rate_balance *b, const zw_expr *g) {
    b->nterm = 0;
    add_term(b, zw_integer(b->ctx, -2), b->s->T);
    for (int k = 0; k < b->s->nv; k++)
        add_term(b, b->p[k], zw_sub(b->ctx, b->eq->v[k], g[k]));
    return is_vanishing(b, true);
}

/* The theorem itself, if expanding a long rate would not end: nothing contains time, T and the
 * constraints are homogeneous in the velocities, no force but those of the potential. */
static bool is_conservative_by_form(const rate_balance *b) {
    const zw_system *s = b->s;
    zw_context *ctx = b->ctx;
    zw_expr *M = ZW_CONTEXT_NEW(ctx, zw_expr, s->nv * s->nv), rest = ZW_ZERO;
    zw_expr *zero = ZW_CONTEXT_NEW(ctx, zw_expr, s->nv),
            *linear = ZW_CONTEXT_NEW(ctx, zw_expr, s->nv);
    if (!M || !zero || !linear || !zw_quadratic(ctx, s->T, s->nv, b->eq->v, M, linear, &rest))
        return false;
    bool is = rest == ZW_ZERO && s->dissipation == ZW_ZERO && !zw_depends(ctx, s->T, s->t) &&
              !zw_depends(ctx, s->potential, s->t) && b->eq->nvel == b->eq->nc;
    for (int k = 0; k < s->nv; k++) {
        is &= linear[k] == ZW_ZERO;
        zero[k] = ZW_ZERO;
        for (int i = 0; i < s->nforce; i++)
            is &= s->force[i].Q[k] == ZW_ZERO || !zw_mech_force_acts(s, b->eq->holds, &s->force[i]);
    }
    for (int i = 0; i < s->nq; i++)
        is &= s->f[i] == ZW_ZERO && !zw_depends(ctx, b->eq->qdot[i], s->t);
    for (int c = 0; c < b->eq->nvel; c++)
        is &= s->constraint[b->eq->vel_constraint[c]].linear &&
              zw_subst(ctx, b->eq->psi[c], s->nv, b->eq->v, zero) == ZW_ZERO;
    return is;
}

/* Contacts act by forces and impulses that H does not contain. They act along a direction b if the
 * derivative of one of their velocities along it is not zero; the gap of a bilateral one is a
 * constraint. */
static bool contacts_push(const rate_balance *b, const zw_expr *direction) {
    const zw_system *s = b->s;
    zw_context *ctx = b->ctx;
    for (int i = 0; i < s->ncontact; i++) {
        const zw_contact *c = &s->contact[i];
        if (c->off)
            continue;
        for (int k = -1; k < c->nblock; k++)
            for (int r = 0; r < (k < 0 ? !c->bilateral : c->block[k].nrow); r++) {
                zw_expr rate = k < 0 ? c->rate : c->block[k].rate[r], along = ZW_ZERO;
                for (int v = 0; v < s->nv; v++)
                    along = zw_add(ctx, along,
                                   zw_mul(ctx, zw_diff(ctx, rate, b->eq->v[v]), direction[v]));
                if (zw_expand(ctx, along) != ZW_ZERO)
                    return true;
            }
    }
    return false;
}

/* Friction, and impacts that may dissipate. */
static bool contacts_work(const zw_system *s) {
    for (int i = 0; i < s->ncontact; i++)
        if (!s->contact[i].off && (!s->contact[i].bilateral || s->contact[i].nblock > 0))
            return true;
    return false;
}

static zw_status find_energy(zw_classification *out, rate_balance *b, zw_error *err) {
    zw_context *ctx = b->ctx;
    const zw_system *s = b->s;
    if (contacts_work(s))
        return ZW_OK;
    zw_conserved c = {0};
    zw_expr *g = ZW_CONTEXT_NEW(ctx, zw_expr, s->nv), value = zw_sub(ctx, s->potential, s->T);
    if (!g)
        return zw_context_status(ctx, err);
    ZW_TRY(zw_rest_velocities(s, g, err));
    bool rest = does_no_work(b, g);
    if (!rest) {
        if (!b->solved || !b->split.d)
            return zw_context_status(ctx, err);
        for (int k = 0; k < s->nv; k++)
            g[k] = ZW_ZERO;
        for (int r = 0; r < b->split.nc; r++)
            g[b->split.dep[r]] = b->split.d[r];
    }
    energy_rate(b, g);
    if (!is_zero(b, &c))
        return zw_context_status(ctx, err);
    for (int k = 0; k < s->nv; k++)
        value = zw_add(ctx, value, zw_mul(ctx, b->p[k], zw_sub(ctx, b->eq->v[k], g[k])));
    zw_expr energy = zw_add(ctx, s->T, s->potential);
    bool same = rest && is_twice_kinetic(b, g);
    if (c.by == ZW_AT_POINTS && is_conservative_by_form(b))
        c.by = ZW_PROVED;
    const char *name = same                               ? "energy"
                       : rest || out->set == ZW_HOLONOMIC ? "Jacobi integral"
                                                          : "moving energy";
    add_conserved(out, b, name, same ? energy : value, &c);
    return zw_context_status(ctx, err);
}

/* "momentum of phi", or along it if others must follow. */
static void momentum_name(const rate_balance *b, int at, bool alone, char *text, size_t size) {
    const zw_velocity *v = &b->s->velocity[at];
    const char *name = v->coord >= 0 ? b->s->coord[v->coord].name : v->name;
    snprintf(text, size, "momentum %s %s", alone ? "of" : "along", name);
}

static zw_status find_momenta(zw_classification *out, rate_balance *b, zw_error *err) {
    zw_context *ctx = b->ctx;
    int nv = b->s->nv;
    zw_expr *direction = ZW_CONTEXT_NEW(ctx, zw_expr, nv);
    if (!direction)
        return zw_context_status(ctx, err);
    for (int i = 0; b->solved && i < b->split.k; i++) {
        char name[128];
        zw_conserved c = {0};
        bool alone = true, of_position = true;
        for (int k = 0; k < nv; k++) {
            direction[k] = zw_split_basis(&b->split, k, i);
            alone &= k == b->split.indep[i] || direction[k] == ZW_ZERO;
            of_position &= !zw_depends_any(ctx, direction[k], nv, b->eq->v);
        }
        momentum_rate(b, direction);
        zw_expr value = zw_dot(ctx, nv, b->p, direction);
        if (!of_position || value == ZW_ZERO || !is_zero(b, &c) || contacts_push(b, direction) ||
            (c.by == ZW_AT_POINTS &&
             zw_hides(ctx, 2 * b->nterm, b->terms, b->eq->nq, b->eq->q, true)))
            continue;
        momentum_name(b, b->split.indep[i], alone, name, sizeof name);
        add_conserved(out, b, name, value, &c);
    }
    return zw_context_status(ctx, err);
}

zw_status zw_conserved_of(zw_classification *out, zw_equations *eq, const zw_state_set *states,
                          zw_error *err) {
    rate_balance b = {.eq = eq, .s = eq->sys, .ctx = eq->sys->ctx, .states = states};
    out->conserved = ZW_CONTEXT_NEW(b.ctx, zw_conserved, eq->nv + 1);
    if (!out->conserved)
        return zw_context_status(b.ctx, err);
    ZW_TRY(prepare_balance(&b, err));
    ZW_TRY(find_energy(out, &b, err));
    return find_momenta(out, &b, err);
}
