/* SPDX-License-Identifier: MIT */
/* Properties of the active constraints, in this order: can they be satisfied (states.c), which
 * depend on which, does everything that moves have inertia, are they integrable, separately and
 * together (frobenius.c), and what is conserved (conserved.c).
 *
 * Separately a constraint is judged at scattered states; the set is judged on its own positions,
 * where its fields are tangent. Nonlinear constraints are outside Frobenius' theorem, but a
 * function of (q, t) that they keep constant must have a differential that vanishes on all
 * allowed velocities: if these, at one (q, t), span as much as without the nonlinear
 * constraints, there is none.
 *
 * Consequence. If the closure shows all constraints to be derivatives, psi = N(q,t) dphi/dt with a
 * regular N, then mu . psi = nu . dphi/dt with nu = N' mu, and by parts -nu' . phi: the vakonomic
 * equations are those of Lagrange with lambda = nu' for any initial mu. For a drift inside the
 * distribution this is Proposition 2.8 of Lewis and Murray (1995). */
#include <math.h>
#include <string.h>

#include "base/tolerance.h"
#include "conserved.h"
#include "frobenius.h"
#include "mech/equations/subspace.h"
#include "mech/principles/lagrange.h"

enum {
    /* tested states: a coincidence at all of them has the probability zero, round-off at one may
     * occur */
    STATES = 5,
    /* states tested for observables, which need not have values everywhere */
    STATES_FOR_OBSERVABLES = 24
};
/* of its length: what remains of a row that depends on others is the error of the admissible state,
 * its square root at a double root */
#define ROW_DEPENDS 1e-8
/* relative scatter of factors that count as constant: they are solutions of equations with
 * ROW_DEPENDS */
#define CONSTANT_FACTOR 1e-6
#define SMALLEST_FACTOR 1e-6 /* of rows of unit length: added to factors, which may be zero */
/* of its length: a new direction, well above the error of admissible velocities */
#define DIRECTION_OUTSIDE 1e-6

typedef struct classification {
    zw_classification *out;
    const zw_system *s;
    zw_context *ctx;
    zw_equations all;            /* every active equality */
    zw_equations with_integrals; /* and the positions that velocity constraints are known to keep */
    zw_equations independent;    /* without those that depend on earlier ones */
    zw_state_set states;         /* on the constraints */
    zw_state_set anywhere;
    zw_expr *rest;   /* the velocities of rest */
    const double *p; /* np: values of the parameters; NULL: those of the model */
} classification;

static bool is_affine(const zw_constraint *c) {
    return c->level == ZW_POSITION || (c->level == ZW_VELOCITY && c->linear);
}

/* -------------------------------------------------------------------------- parts of the rows */

/* The rows of `from` whose constraints are kept (one flag for each of the system). */
static zw_status choose_rows(zw_equations *to, const zw_equations *from, const bool *keep,
                             zw_error *err) {
    zw_context *ctx = from->sys->ctx;
    int nv = from->nv, n = from->nc;
    size_t width = (size_t)nv * sizeof(zw_expr);
    int *constraint = ZW_CONTEXT_NEW(ctx, int, n), *pos = ZW_CONTEXT_NEW(ctx, int, n),
        *vel = ZW_CONTEXT_NEW(ctx, int, n);
    zw_expr *lambda = ZW_CONTEXT_NEW(ctx, zw_expr, n);
    *to = *from;
    to->nc = to->npos = to->nvel = 0;
    to->W = ZW_CONTEXT_NEW(ctx, zw_expr, n * nv);
    to->Phi = ZW_CONTEXT_NEW(ctx, zw_expr, n * nv);
    to->Psi = ZW_CONTEXT_NEW(ctx, zw_expr, n * nv);
    to->b = ZW_CONTEXT_NEW(ctx, zw_expr, n);
    to->phi = ZW_CONTEXT_NEW(ctx, zw_expr, n);
    to->psi = ZW_CONTEXT_NEW(ctx, zw_expr, n);
    if (!constraint || !pos || !vel || !lambda || !to->W || !to->Phi || !to->Psi || !to->b ||
        !to->phi || !to->psi)
        return zw_context_status(ctx, err);
    for (int c = 0; c < n; c++)
        if (keep[from->constraint[c]]) {
            memcpy(to->W + (size_t)to->nc * (size_t)nv, from->W + (size_t)c * (size_t)nv, width);
            to->b[to->nc] = from->b[c];
            lambda[to->nc] = from->lambda[c];
            constraint[to->nc++] = from->constraint[c];
        }
    for (int c = 0; c < from->npos; c++)
        if (from->pos_constraint[c] >= 0 && keep[from->pos_constraint[c]]) {
            memcpy(to->Phi + (size_t)to->npos * (size_t)nv, from->Phi + (size_t)c * (size_t)nv,
                   width);
            to->phi[to->npos] = from->phi[c];
            pos[to->npos++] = from->pos_constraint[c];
        }
    for (int c = 0; c < from->nvel; c++)
        if (keep[from->vel_constraint[c]]) {
            memcpy(to->Psi + (size_t)to->nvel * (size_t)nv, from->Psi + (size_t)c * (size_t)nv,
                   width);
            to->psi[to->nvel] = from->psi[c];
            vel[to->nvel++] = from->vel_constraint[c];
        }
    to->constraint = constraint;
    to->lambda = lambda;
    to->pos_constraint = pos;
    to->vel_constraint = vel;
    return ZW_OK;
}

/* The velocity-level residual of a constraint, 0 if it has none. */
static zw_expr psi_of(const zw_equations *eq, int constraint) {
    for (int c = 0; c < eq->nvel; c++)
        if (eq->vel_constraint[c] == constraint)
            return eq->psi[c];
    return ZW_NULL;
}

/* --------------------------------------------------------------------------------- dependence */

/* Row c of W at a state, scaled to unit length. */
static bool unit_row(const classification *y, int state, int c, double *row) {
    int nv = y->s->nv;
    if (!zw_states_values(&y->states.at[state], &y->all, nv, y->all.W + (size_t)c * (size_t)nv,
                          row))
        return false;
    double length = zw_length(nv, row);
    for (int k = 0; length > 0 && k < nv; k++)
        row[k] /= length;
    return true;
}

/* The factors of row c in the rows `on` at a state, by least squares. */
static bool factors_at(const classification *y, int state, int c, int n, const int *on,
                       double *factor) {
    int nv = y->s->nv;
    double *rows = ZW_CONTEXT_NEW(y->ctx, double, (n + 1) * nv),
           *square = ZW_CONTEXT_NEW(y->ctx, double, n *n);
    if (!rows || !square)
        return false;
    for (int i = 0; i <= n; i++)
        zw_states_values(&y->states.at[state], &y->all, nv,
                         y->all.W + (size_t)(i < n ? on[i] : c) * (size_t)nv, rows + i * nv);
    for (int i = 0; i < n; i++) {
        factor[i] = 0;
        for (int k = 0; k < nv; k++) {
            factor[i] += rows[i * nv + k] * rows[n * nv + k];
            for (int j = 0; j < n; j++)
                square[i * n + j] += rows[i * nv + k] * rows[j * nv + k];
        }
    }
    return zw_eliminate(n, 0, square, factor);
}

/* On which of the n independent rows `on` does row c depend, and with constant factors? */
static zw_status name_dependence(classification *y, zw_constraint_class *k, int c, int n,
                                 const int *on, zw_error *err) {
    double *first = ZW_CONTEXT_NEW(y->ctx, double, n), *other = ZW_CONTEXT_NEW(y->ctx, double, n),
           *largest = ZW_CONTEXT_NEW(y->ctx, double, n);
    int *depends = ZW_CONTEXT_NEW(y->ctx, int, n);
    if (!first || !other || !largest || !depends)
        return zw_context_status(y->ctx, err);
    bool constant = true;
    double size = 0;
    for (int i = 0; i < y->states.n; i++) {
        constant &= factors_at(y, i, c, n, on, i ? other : first);
        for (int j = 0; j < n; j++) {
            double now = i ? other[j] : first[j];
            constant &= fabs(now - first[j]) <=
                        CONSTANT_FACTOR * (fabs(now) + fabs(first[j]) + SMALLEST_FACTOR);
            largest[j] = fmax(largest[j], fabs(now));
            size = fmax(size, fabs(now));
        }
    }
    k->ndepends = 0;
    for (int j = 0; j < n; j++)
        if (largest[j] > CONSTANT_FACTOR * size) {
            first[k->ndepends] = first[j];
            depends[k->ndepends++] = y->all.constraint[on[j]];
        }
    k->depends = depends;
    k->factor = constant ? first : NULL;
    return ZW_OK;
}

static zw_constraint_class *class_of(const classification *y, int constraint) {
    for (int i = 0; i < y->out->n; i++)
        if (y->out->constraint[i].constraint == constraint)
            return &y->out->constraint[i];
    return NULL;
}

/* x^2 = 0 has the solution x = 0 by an equation that has no slope there and gives no force. */
static zw_status check_slopes(const classification *y, zw_error *err) {
    int nv = y->s->nv;
    double *row = ZW_CONTEXT_NEW(y->ctx, double, nv);
    for (int c = 0; row && c < y->all.nc; c++) {
        const zw_expr *W = y->all.W + (size_t)c * (size_t)nv;
        double here = 0, elsewhere = 0;
        for (int i = 0; i < y->states.n; i++) {
            if (zw_states_values(&y->states.at[i], &y->all, nv, W, row))
                here = fmax(here, zw_length(nv, row));
            if (zw_states_values(&y->anywhere.at[i], &y->all, nv, W, row))
                elsewhere = fmax(elsewhere, zw_length(nv, row));
        }
        const zw_constraint *k = &y->s->constraint[y->all.constraint[c]];
        if (here > CONSTANT_FACTOR * elsewhere)
            continue;
        zw_fail_at(err, ZW_E_SINGULAR, k->place,
                   "the constraint %s has no slope where it is met, so it cannot exert a force",
                   k->name);
        zw_error_hint(err, "write it so that its residual changes sign: x = 0 instead of x^2 = 0");
        return ZW_E_SINGULAR;
    }
    return zw_context_status(y->ctx, err);
}

static zw_status find_dependence(classification *y, zw_error *err) {
    int nv = y->s->nv, nc = y->all.nc, n = 0;
    zw_subspace *span = ZW_CONTEXT_NEW(y->ctx, zw_subspace, y->states.n);
    double *row = ZW_CONTEXT_NEW(y->ctx, double, nv);
    int *on = ZW_CONTEXT_NEW(y->ctx, int, nc);
    bool *keep = ZW_CONTEXT_NEW(y->ctx, bool, y->s->nconstraint);
    if (!span || !row || !on || !keep)
        return zw_context_status(y->ctx, err);
    for (int i = 0; i < y->states.n; i++)
        if (!zw_subspace_init(&span[i], y->ctx, nv))
            return zw_context_status(y->ctx, err);
    for (int c = 0; c < nc; c++) {
        int votes = 0;
        for (int i = 0; i < y->states.n; i++)
            votes += unit_row(y, i, c, row) && zw_subspace_add(&span[i], row, ROW_DEPENDS);
        keep[y->all.constraint[c]] = 2 * votes > y->states.n;
        if (keep[y->all.constraint[c]])
            on[n++] = c;
        else
            ZW_TRY(name_dependence(y, class_of(y, y->all.constraint[c]), c, n, on, err));
    }
    y->out->rank = n;
    y->out->freedom = nv - n;
    return choose_rows(&y->independent, &y->all, keep, err);
}

/* ------------------------------------------------------------------------------------- inertia */

/* A direction z with M z = 0 and W z = 0 moves without inertia; it needs at least a force. M is the
 * rows of the mass matrix. */
static zw_status check_inertia(classification *y, zw_error *err) {
    int nv = y->s->nv, worst = -1;
    double *row = ZW_CONTEXT_NEW(y->ctx, double, nv), farthest = ROW_DEPENDS;
    zw_subspace span;
    if (!row || !zw_subspace_init(&span, y->ctx, nv))
        return zw_context_status(y->ctx, err);
    for (int i = 0; i < nv; i++) {
        zw_states_values(&y->states.at[0], &y->all, nv, y->all.M + (size_t)i * (size_t)nv, row);
        zw_subspace_add(&span, row, ROW_DEPENDS);
    }
    y->out->mass_rank = span.rank;
    for (int c = 0; c < y->all.nc; c++)
        if (unit_row(y, 0, c, row))
            zw_subspace_add(&span, row, ROW_DEPENDS);
    for (int i = 0; span.rank < nv && i < nv; i++) {
        memset(row, 0, (size_t)nv * sizeof *row);
        row[i] = 1;
        double outside = zw_subspace_outside(&span, row);
        if (outside > farthest * (1 + ROW_DEPENDS)) {
            farthest = outside;
            worst = i;
        }
    }
    bool driven = worst < 0;
    if (!driven)
        ZW_TRY(zw_lagrange_has_force(&y->all, y->s, worst, &driven, err));
    if (driven)
        return zw_context_status(y->ctx, err);
    const zw_velocity *v = &y->s->velocity[worst];
    zw_fail_at(err, ZW_E_SINGULAR, v->place,
               "the mass matrix is singular: %s can change without inertia and no constraint holds "
               "it",
               v->name);
    zw_error_hint(err, "give it a mass, a spring or a damper, or tie it to the others by a "
                       "constraint");
    return ZW_E_SINGULAR;
}

/* ------------------------------------------------------------------------------- integrability */

/* A set that the brackets cannot handle is left undecided; other failures are failures. */
static bool is_unsupported(zw_status status) {
    return status == ZW_E_MODEL || status == ZW_E_SINGULAR;
}

/* Does the nonlinear set allow velocities in all directions that its affine part allows? */
static bool spans_affine_hull(const zw_equations *eq, const zw_sample *from, int naffine) {
    zw_context *ctx = eq->sys->ctx;
    int nv = eq->nv, np = eq->sys->np, nq = eq->nq;
    zw_sampler g;
    zw_subspace span;
    double *x = ZW_CONTEXT_NEW(ctx, double, nv + 1);
    if (!x || !zw_subspace_init(&span, ctx, nv + 1) || zw_sampler_init(&g, eq, NULL, NULL) < 0)
        return false;
    memcpy(g.at.value, from->value, (size_t)g.at.n * sizeof *x);
    for (int attempt = 0; attempt < 3 * (nv + 1); attempt++) {
        if (!zw_sampler_turn(&g, attempt))
            continue;
        memcpy(x, g.at.value + np + nq, (size_t)nv * sizeof *x);
        x[nv] = 1;
        zw_subspace_add(&span, x, DIRECTION_OUTSIDE);
    }
    return span.rank == nv + 1 - naffine;
}

static zw_status classify_alone(classification *y, zw_constraint_class *k, zw_error *err) {
    const zw_constraint *c = &y->s->constraint[k->constraint];
    bool *keep = ZW_CONTEXT_NEW(y->ctx, bool, y->s->nconstraint);
    zw_equations eq;
    zw_closure closure;
    zw_error refusal = {0};
    k->alone = c->level == ZW_POSITION ? ZW_HOLONOMIC : ZW_UNDECIDED;
    k->alone_by = ZW_BY_FORM;
    if (!keep)
        return zw_context_status(y->ctx, err);
    if (c->level != ZW_VELOCITY)
        return ZW_OK;
    keep[k->constraint] = true;
    ZW_TRY(choose_rows(&eq, &y->all, keep, err));
    if (!c->linear) {
        k->alone_by = ZW_AT_POINTS;
        if (spans_affine_hull(&eq, &y->anywhere.at[0], 0))
            k->alone = ZW_NONHOLONOMIC;
        return zw_context_status(y->ctx, err);
    }
    zw_status status = zw_closure_of(&closure, &eq, &y->anywhere, &refusal);
    ZW_TRY(zw_context_status(y->ctx, err));
    if (status < 0)
        return is_unsupported(status) ? ZW_OK : zw_fail(err, status, "%s", refusal.text);
    k->alone = closure.nfield == y->s->nv ? ZW_HOLONOMIC : ZW_NONHOLONOMIC;
    k->alone_by = closure.proved ? ZW_PROVED : ZW_AT_POINTS;
    return ZW_OK;
}

/* The affine constraints of the independent ones, together. */
static zw_status classify_affine_part(classification *y, zw_equations *affine, zw_error *err) {
    zw_classification *out = y->out;
    zw_closure closure;
    zw_error refusal = {0};
    zw_status status = zw_closure_of(&closure, affine, &y->states, &refusal);
    ZW_TRY(zw_context_status(y->ctx, err));
    if (status < 0) {
        out->set = ZW_UNDECIDED;
        out->holonomic = out->hidden = -1;
        return is_unsupported(status) ? ZW_OK : zw_fail(err, status, "%s", refusal.text);
    }
    out->holonomic = y->s->nv + 1 - closure.nfield;
    out->set = out->holonomic == affine->nc ? ZW_HOLONOMIC : ZW_NONHOLONOMIC;
    out->set_by = closure.proved ? ZW_PROVED : ZW_AT_POINTS;
    out->ngrowth = closure.ngrowth;
    out->growth = closure.growth;
    for (int i = 0; i < out->n; i++) {
        zw_constraint_class *k = &out->constraint[i];
        if (is_affine(&y->s->constraint[k->constraint]))
            k->holonomic_here = zw_closure_annihilates(&closure, affine, &y->states,
                                                       psi_of(&y->all, k->constraint));
    }
    return zw_context_status(y->ctx, err);
}

static zw_status classify_set(classification *y, zw_error *err) {
    zw_classification *out = y->out;
    bool *keep = ZW_CONTEXT_NEW(y->ctx, bool, y->s->nconstraint);
    int positions = 0, velocities = 0, nonlinear = 0, accelerations = 0;
    zw_equations affine, moving;
    if (!keep)
        return zw_context_status(y->ctx, err);
    for (int c = 0; c < y->independent.nc; c++) {
        const zw_constraint *k = &y->s->constraint[y->independent.constraint[c]];
        positions += k->level == ZW_POSITION;
        velocities += k->level == ZW_VELOCITY && k->linear;
        nonlinear += k->level == ZW_VELOCITY && !k->linear;
        accelerations += k->level == ZW_ACCELERATION;
        keep[y->independent.constraint[c]] = is_affine(k);
    }
    out->set = ZW_HOLONOMIC;
    out->set_by = ZW_BY_FORM;
    out->holonomic = positions;
    /* a redundant velocity constraint depends on positions then */
    for (int i = 0; i < out->n; i++) {
        const zw_constraint *k = &y->s->constraint[out->constraint[i].constraint];
        out->constraint[i].holonomic_here =
            k->level == ZW_POSITION || (!velocities && is_affine(k));
    }
    ZW_TRY(choose_rows(&affine, &y->independent, keep, err));
    if (velocities)
        ZW_TRY(classify_affine_part(y, &affine, err));
    out->hidden = out->holonomic < 0 ? -1 : out->holonomic - positions;
    if (nonlinear && out->set != ZW_UNDECIDED) {
        for (int c = 0; c < y->independent.nc; c++)
            keep[y->independent.constraint[c]] =
                y->s->constraint[y->independent.constraint[c]].level != ZW_ACCELERATION;
        ZW_TRY(choose_rows(&moving, &y->independent, keep, err));
        bool fills = spans_affine_hull(&moving, &y->states.at[0], affine.nc);
        out->set = fills || out->set == ZW_NONHOLONOMIC ? ZW_NONHOLONOMIC : ZW_UNDECIDED;
        out->set_by = ZW_AT_POINTS;
    }
    if ((accelerations || y->all.nc < out->n) && out->set == ZW_HOLONOMIC)
        out->set = ZW_UNDECIDED;
    return zw_context_status(y->ctx, err);
}

/* --------------------------------------------------------------------------------- single facts */

static bool carries_friction(const classification *y, const zw_constraint *c) {
    const zw_system *s = y->s;
    for (int f = 0; f < s->nforce; f++)
        for (int k = 0; zw_mech_force_acts(s, y->all.holds, &s->force[f]) && k < s->nv; k++)
            if (zw_depends(s->ctx, s->force[f].Q[k], c->lambda))
                return true;
    return false;
}

static bool has_given_work(const classification *y, const zw_constraint *c) {
    for (int i = 0; i < y->s->nforce; i++) {
        const zw_force *f = &y->s->force[i];
        if (f->constraint && zw_mech_is_part(c->name, f->constraint) &&
            zw_mech_force_acts(y->s, y->all.holds, f))
            return true;
    }
    return false;
}

/* The given work of a constraint along the velocities at a state; false if it has no value
 * there. */
static bool given_at(const classification *y, int state, const zw_constraint *c, double *sum) {
    int nv = y->s->nv;
    double *one = ZW_CONTEXT_NEW(y->ctx, double, nv);
    bool good = one != NULL;
    memset(sum, 0, sizeof *sum * (size_t)nv);
    for (int i = 0; good && i < y->s->nforce; i++) {
        const zw_force *f = &y->s->force[i];
        if (!f->constraint || !zw_mech_is_part(c->name, f->constraint))
            continue;
        good = zw_states_values(&y->states.at[state], &y->all, nv, f->Q, one);
        for (int k = 0; k < nv; k++)
            sum[k] += one[k];
    }
    return good;
}

/* Are the given works combinations of the rows of the constraints at all states? Then they do not
 * affect the motion. */
static bool never_works(const classification *y, const zw_constraint *c) {
    int nv = y->s->nv, nc = y->independent.nc;
    double *rows = ZW_CONTEXT_NEW(y->ctx, double, (nc + 1) * nv);
    bool nowhere = rows && y->states.n > 0;
    for (int i = 0; nowhere && i < y->states.n; i++) {
        double *C = rows + nc * nv;
        if (!given_at(y, i, c, C) ||
            !zw_states_values(&y->states.at[i], &y->all, nc * nv, y->independent.W, rows))
            return false;
        double whole = zw_length(nv, C);
        for (int pass = 0; pass < 2; pass++)
            for (int r = 0; r <= nc; r++) /* orthonormal rows, then the part of C across them */
                for (int j = 0; j < r; j++) {
                    double along = 0, length = zw_length(nv, rows + j * nv);
                    for (int k = 0; k < nv; k++)
                        along += rows[j * nv + k] * rows[r * nv + k];
                    for (int k = 0; length > 0 && k < nv; k++)
                        rows[r * nv + k] -= along / (length * length) * rows[j * nv + k];
                }
        nowhere = zw_length(nv, C) <= ZW_ROUNDOFF_SOLVED * whole;
    }
    return nowhere;
}

/* Is psi at rest zero, as an expression or at the states? */
static bool allows_rest(const classification *y, int constraint) {
    zw_expr psi = psi_of(&y->all, constraint);
    if (!psi)
        return true;
    zw_expr drift = zw_subst(y->ctx, psi, y->s->nv, y->all.v, y->rest);
    zw_shorten(y->ctx, 1, &drift);
    if (drift == ZW_ZERO)
        return true;
    zw_expr *row = ZW_CONTEXT_NEW(y->ctx, zw_expr, y->s->nv);
    double *slope = ZW_CONTEXT_NEW(y->ctx, double, y->s->nv);
    if (!row || !slope)
        return false;
    zw_gradient(y->ctx, psi, y->s->nv, y->all.v, row);
    for (int i = 0; i < y->states.n; i++) {
        const zw_sample *at = &y->states.at[i];
        zw_states_values(at, &y->all, y->s->nv, row, slope);
        if (!(fabs(zw_sample_value(at, y->s, drift)) <= ROW_DEPENDS * zw_length(y->s->nv, slope)))
            return false;
    }
    return true;
}

static void note_facts(classification *y) {
    zw_classification *out = y->out;
    bool with_state = false;
    out->homogeneous = out->ideal = true;
    for (int i = 0; i < out->n; i++) {
        zw_constraint_class *k = &out->constraint[i];
        const zw_constraint *c = &y->s->constraint[k->constraint];
        k->rheonomic =
            zw_depends(y->ctx, c->residual, y->s->t) || zw_mech_state_in(y->s, c->residual) != NULL;
        with_state |= zw_mech_state_in(y->s, c->residual) != NULL;
        k->homogeneous = allows_rest(y, k->constraint);
        k->given = has_given_work(y, c);
        k->idle = k->given && never_works(y, c);
        k->ideal = !k->given && !carries_friction(y, c);
        out->rheonomic |= k->rheonomic;
        out->homogeneous &= k->homogeneous;
        out->ideal &= k->ideal;
    }
    out->agree = out->set == ZW_HOLONOMIC && out->ideal && !with_state;
}

/* ---------------------------------------------------------------------------------------- all */

static zw_status reject_too_many(const classification *y, zw_error *err) {
    const zw_constraint *c = &y->s->constraint[y->all.constraint[y->s->nv]];
    zw_fail_at(err, ZW_E_MODEL, c->place,
               "%d constraints are more than the %d velocities of %s: %s is one too many",
               y->all.nc, y->s->nv, y->s->name, c->name);
    zw_error_hint(err, "switch off what the others imply (--without %s)", c->name);
    return ZW_E_MODEL;
}

static zw_status begin_study(classification *y, const zw_active *active, zw_error *err) {
    const zw_system *s = y->s;
    zw_equations eq = {.principle = "check"};
    bool *keep = ZW_CONTEXT_NEW(y->ctx, bool, s->nconstraint);
    zw_expr *p = ZW_CONTEXT_NEW(y->ctx, zw_expr, s->nv);
    y->rest = ZW_CONTEXT_NEW(y->ctx, zw_expr, s->nv);
    y->out->constraint = ZW_CONTEXT_NEW(y->ctx, zw_constraint_class, s->nconstraint);
    if (!keep || !p || !y->rest || !y->out->constraint)
        return zw_context_status(y->ctx, err);
    ZW_TRY(zw_principle_begin(&eq, s, active, err));
    ZW_TRY(zw_rest_velocities(s, y->rest, err));
    for (int i = 0; i < s->nconstraint; i++)
        if (eq.holds[i]) {
            keep[i] = s->constraint[i].inequality == 0;
            y->out->constraint[y->out->n++] =
                (zw_constraint_class){.constraint = i, .alone = ZW_UNDECIDED, .ndepends = -1};
        }
    y->with_integrals = eq;
    ZW_TRY(choose_rows(&y->all, &eq, keep, err));
    ZW_TRY(zw_lagrange_mass_matrix(&y->all, s, p, err));
    return y->all.nc > s->nv ? reject_too_many(y, err) : ZW_OK;
}

/* At more states: observables need not have values everywhere. */
static zw_status find_observed(classification *y, const zw_active *active, zw_error *err) {
    zw_state_set many;
    ZW_TRY(zw_states_admissible(&many, &y->with_integrals, y->p, STATES_FOR_OBSERVABLES, err));
    return zw_conserved_observed(y->out, y->s, active, &many, err);
}

static zw_status classify_constraints(zw_classification *out, const zw_system *s,
                                      const zw_active *active, zw_error *err) {
    classification y = {.out = out, .s = s, .ctx = s->ctx};
    *out = (zw_classification){.dimension = s->nv + 1};
    if (!s->finished)
        return zw_fail(err, ZW_E_MODEL, "the system %s is not finished", s->name);
    ZW_TRY(begin_study(&y, active, err));
    ZW_TRY(zw_states_scatter(&y.anywhere, &y.all, STATES, err));
    ZW_TRY(zw_states_admissible(&y.states, &y.all, y.p, STATES, err));
    out->points = y.states.n;
    ZW_TRY(check_slopes(&y, err));
    ZW_TRY(find_dependence(&y, err));
    ZW_TRY(check_inertia(&y, err));
    for (int i = 0; i < out->n; i++)
        if (s->constraint[out->constraint[i].constraint].inequality == 0)
            ZW_TRY(classify_alone(&y, &out->constraint[i], err));
    ZW_TRY(classify_set(&y, err));
    note_facts(&y);
    /* An inequality may be active at some times and not at others: then nothing is concluded. */
    if (y.all.nc < out->n)
        return ZW_OK;
    if (s->nv > 0) /* with states alone there is neither energy nor momentum */
        ZW_TRY(zw_conserved_of(out, &y.independent, &y.states, err));
    return find_observed(&y, active, err);
}

zw_status zw_observables_that_stay(zw_classification *out, const zw_system *s,
                                   const zw_active *active, const double *p, bool by_form,
                                   zw_error *err) {
    classification y = {.out = out, .s = s, .ctx = s->ctx, .p = p};
    *out = (zw_classification){.dimension = s->nv + 1};
    ZW_TRY(begin_study(&y, active, err));
    if (y.all.nc < out->n)
        return ZW_OK;
    ZW_TRY(zw_states_admissible(&y.states, &y.all, y.p, STATES, err));
    ZW_TRY(find_dependence(&y, err));
    if (by_form && s->nv > 0)
        ZW_TRY(zw_conserved_of(out, &y.independent, &y.states, err));
    return find_observed(&y, active, err);
}

zw_status zw_classify(zw_classification *out, const zw_system *s, const zw_active *active,
                      zw_error *err) {
    zw_arena_mark mark = zw_scratch_mark(s->ctx);
    zw_status status = classify_constraints(out, s, active, err);
    zw_scratch_release(s->ctx, mark);
    return status;
}
