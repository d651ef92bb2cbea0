/* SPDX-License-Identifier: MIT */
/* Curves x(s) of admissible states into a state where some variables have given values:
 *
 *   x_i = c_i + d_i s^k        the variables that a claim calls small
 *   phi(q(s), t) = 0           all others: constant, but for the effect of the constraints
 *   psi(q(s), v(s), t) = 0
 *   K(s) z(s) = r(s)           accelerations and multipliers, K = ((M, -C), (W, 0)), r = (h, b)
 *
 * each an equation of series. A residual whose coefficients below s^k vanish is linear in the
 * coefficients of s^k of the unknowns, with the matrix J of s = 0, so that x <- x - J+ r
 * corrects one more order each time; J+ is the step of least length, first without the small
 * variables, then, if constraints relate these to each other, with them. K needs no such step:
 * z_k = K_0^-1 (r_k - K_1 z_(k-1) - ...).
 *
 * On such a curve "equal up to order n in the small variables" is "equal up to s^n": a
 * difference that is small of order n + 1 in them is so along every curve, and one that is not
 * is visible along almost all of them. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "base/tolerance.h"
#include "claim_series.h"

enum {
    STEPS = 100, /* of Levenberg-Marquardt: a limit: a convergent iteration needs far fewer */
    DEPTH = 6    /* of expressions whose terms are measured separately */
};
/* of the size of a row: residual of a state that satisfies the constraints up to round-off */
#define CONSTRAINT_ERROR 1e-11
#define ROW_DEPENDS 1e-9 /* of its length: a row with less across the others depends on them */
/* of a row in the columns that may move: less is the square root of round-off, at an end of its
 * range */
#define TURNING_ROW 1e-4
/* first coefficients relative to those of s = 0: larger ones come from round-off of the
 * constraints */
#define SPURIOUS_COEFFICIENT 1e4
#define GIVEN_ROUNDOFF (64 * DBL_EPSILON) /* round-off of given values, and of solved ones */
/* of the coefficients of its order and the next: smaller solved ones are round-off */
#define SOLVED_ROUNDOFF 1e-12
#define LARGEST_DAMPING 1e3        /* of rows of size one: steps shorter by this are none */
#define DAMPING_AFTER_FAILURE 1e-4 /* least damping after a step without improvement */
/* of the sum of absolute terms: round-off of solved series is less */
#define DROPPED_ROW_ERROR 1e-7

bool zw_is_parameter(const zw_system *s, zw_expr sym) {
    for (int i = 0; i < s->np; i++)
        if (s->param[i].sym == sym)
            return true;
    return false;
}

/* --------------------------------------------------------------------------------------- set-up */

static zw_status init_constraints(zw_claim_curve *c, zw_error *err) {
    const zw_equations *eq = &c->sampler->eq;
    zw_context *ctx = c->sys->ctx;
    int nq = c->sys->nq;
    c->nphi = eq->npos + eq->nunit;
    c->npsi = eq->nvel;
    c->phi = ZW_CONTEXT_NEW(ctx, zw_expr, c->nphi);
    c->phi_q = ZW_CONTEXT_NEW(ctx, zw_expr, c->nphi * nq);
    c->psi = eq->psi;
    c->psi_v = eq->Psi;
    if (!c->phi || !c->phi_q)
        return zw_context_status(ctx, err);
    if (eq->npos)
        memcpy(c->phi, eq->phi, (size_t)eq->npos * sizeof *c->phi);
    for (int i = 0; i < eq->nunit; i++) {
        zw_expr length = ZW_MINUS_ONE;
        for (int k = 0; k < 4; k++)
            length = zw_add(ctx, length, zw_pow(ctx, eq->q[eq->unit[i] + k], ZW_TWO));
        c->phi[eq->npos + i] = length;
    }
    zw_jacobian(ctx, c->nphi, c->phi, nq, eq->q, c->phi_q);
    return zw_context_status(ctx, err);
}

static int put_roots(zw_expr *to, int at, int n, const zw_expr *from) {
    for (int i = 0; i < n; i++)
        to[at + i] = from[i];
    return at + n;
}

static zw_status init_equations(zw_claim_curve *c, zw_error *err) {
    const zw_equations *eq = &c->eq;
    zw_context *ctx = c->sys->ctx;
    int nv = eq->nv, nc = eq->nc, at = 0;
    c->nz = nv + nc;
    c->nroot = nv * nv + nv + 2 * nv * nc + nc;
    c->nvar = c->nsym + 2 * nv + nc + eq->nu;
    c->roots = ZW_CONTEXT_NEW(ctx, zw_expr, c->nroot);
    c->root = ZW_CONTEXT_NEW(ctx, zw_jet, c->nroot);
    c->var = ZW_CONTEXT_NEW(ctx, zw_expr, c->nvar);
    c->var_jet = ZW_CONTEXT_NEW(ctx, zw_jet, c->nvar);
    c->z = ZW_CONTEXT_NEW(ctx, zw_jet, c->nz);
    c->right_terms = ZW_CONTEXT_NEW(ctx, zw_jet, c->nz);
    c->bound = ZW_CONTEXT_NEW(ctx, double, c->nz *ZW_JET_MAX);
    c->group = ZW_CONTEXT_NEW(ctx, int, c->nz);
    c->dropped = ZW_CONTEXT_NEW(ctx, bool, nc);
    c->p = ZW_CONTEXT_NEW(ctx, double, c->sys->np);
    c->held = ZW_CONTEXT_NEW(ctx, bool, c->claim->nsmall);
    c->x = ZW_CONTEXT_NEW(ctx, zw_jet, c->nsym);
    c->reaction = ZW_CONTEXT_NEW(ctx, zw_expr, c->sys->nconstraint);
    int rows = c->nphi > c->npsi ? c->nphi : c->npsi, n = c->nz + rows + c->sys->nq + c->sys->nv;
    c->work = ZW_CONTEXT_NEW(ctx, double, 3 * n * n + 7 * n);
    if (!zw_subspace_init(&c->span, ctx, nv) || zw_context_status(ctx, NULL) < 0)
        return zw_context_status(ctx, err);
    zw_coupled(eq, c->group);
    for (int i = 0; i < c->claim->nsmall; i++)
        c->held[i] = true;
    at = put_roots(c->roots, at, nv * nv, eq->M);
    at = put_roots(c->roots, at, nv, eq->h);
    at = put_roots(c->roots, at, nv * nc, eq->C);
    at = put_roots(c->roots, at, nc * nv, eq->W);
    put_roots(c->roots, at, nc, eq->b);
    at = put_roots(c->var, 0, c->nsym, c->sym);
    at = put_roots(c->var, at, eq->nu, eq->u);
    at = put_roots(c->var, at, nv, eq->v);
    at = put_roots(c->var, at, nv, eq->a);
    put_roots(c->var, at, nc, eq->lambda);
    return ZW_OK;
}

/* Does the claim contain multipliers? */
static bool wants_multipliers(const zw_claim_curve *c) {
    const zw_claim *claim = c->claim;
    for (int i = 0; i < c->sys->nconstraint; i++) {
        bool found = zw_depends(c->sys->ctx, claim->residual, c->sys->constraint[i].lambda);
        for (int k = 0; k < 2 * claim->nclaimed && !found; k++)
            found = zw_depends(c->sys->ctx, claim->claimed[k / 2].arg[k % 2],
                               c->sys->constraint[i].lambda);
        if (found)
            return true;
    }
    return false;
}

zw_status zw_curve_init(zw_claim_curve *c, const zw_system *s, const zw_claim *claim,
                        const zw_active *active, const zw_trials *ev, uint64_t seed, int terms,
                        zw_error *err) {
    zw_sampler_options options = zw_sampler_options_default();
    options.seed = seed;
    options.t_max = 2;
    *c = (zw_claim_curve){
        .sys = s, .claim = claim, .terms = terms, .nsym = ev->nsym, .sym = ev->sym};
    c->t = s->np;
    c->q = c->t + 1;
    c->v = c->q + s->nq;
    c->a = c->v + s->nv;
    c->lambda = c->a + s->nv;
    c->rate = c->lambda + s->nconstraint;
    c->claimed = ev->nsym - claim->nclaimed - claim->nsmall;
    c->impulses = c->claimed > c->rate;
    ZW_TRY(zw_derive(&c->eq, s, active, claim->principle ? claim->principle : "lagrange", err));
    ZW_TRY(zw_sampler_create(&c->sampler, s, active, &options, err));
    ZW_TRY(init_constraints(c, err));
    ZW_TRY(init_equations(c, err));
    if (c->eq.nc == 0 && !c->impulses && s->nconstraint > 0 && wants_multipliers(c))
        return zw_equations_reactions(&c->eq, c->reaction, err);
    c->reaction = NULL;
    return ZW_OK;
}

/* ---- models that are not supported ---- */

typedef struct suspect {
    const char *kind, *name;
    zw_expr e;
    zw_place place;
} suspect;

/* Does e contain this part, or, more broadly, one of its kind (another abs) that the equations have
 * transformed? */
static bool has_part(const zw_context *ctx, zw_expr e, zw_expr part, bool kind) {
    zw_op op = zw_expr_op(ctx, part);
    return kind ? op > ZW_OP_PRODUCT && zw_expr_has_op(ctx, e, op) : zw_expr_holds(ctx, e, part);
}

static bool is_responsible(const zw_claim_curve *c, const suspect *s, zw_expr part, bool kind,
                           char *out, size_t size) {
    if (!s->e || !has_part(c->sys->ctx, s->e, part, kind))
        return false;
    snprintf(out, size, s->place.line > 0 ? "%s%s%s (line %d)" : "%s%s%s", s->kind,
             s->name && s->name[0] ? " " : "", s->name ? s->name : "", s->place.line);
    return true;
}

static bool find_statement(const zw_claim_curve *c, zw_expr part, bool kind, char *out,
                           size_t size) {
    const zw_system *s = c->sys;
    const zw_claim *claim = c->claim;
    for (int i = 0; i < s->nforce; i++)
        for (int k = 0; k < s->nv && s->force[i].Q; k++)
            if (is_responsible(
                    c, &(suspect){"force", s->force[i].name, s->force[i].Q[k], s->force[i].place},
                    part, kind, out, size))
                return true;
    for (int i = 0; i < s->nconstraint; i++) {
        const zw_constraint *k = &s->constraint[i];
        if (is_responsible(c, &(suspect){"constraint", k->name, k->residual, k->place}, part, kind,
                           out, size))
            return true;
    }
    for (int i = 0; i < s->np; i++) {
        const zw_param *p = &s->param[i];
        if (is_responsible(c, &(suspect){"parameter", p->name, p->value, p->place}, part, kind, out,
                           size))
            return true;
    }
    const suspect rest[] = {{"the claim", claim->name, claim->residual, claim->place},
                            {"the potential", "", s->potential, {0}},
                            {"the dissipation", "", s->dissipation, {0}},
                            {"the kinetic energy", "", s->T, {0}}};
    for (int i = 0; i < 4; i++)
        if (is_responsible(c, &rest[i], part, kind, out, size))
            return true;
    for (int k = 0; k < claim->nclaimed; k++)
        if (is_responsible(
                c, &(suspect){"the claim", claim->name, claim->claimed[k].arg[0], claim->place},
                part, kind, out, size))
            return true;
    return false;
}

void zw_curve_statement(const zw_claim_curve *c, zw_expr part, char *out, size_t size) {
    if (!find_statement(c, part, false, out, size) && !find_statement(c, part, true, out, size))
        snprintf(out, size, "the equations of motion");
}

zw_status zw_curve_reject(const zw_claim_curve *c, const zw_jet_fault *fault, zw_error *err) {
    enum { PRINTED_LENGTH = 80 }; /* characters of an expression in a message */
    char where[120];
    ZW_TRY(zw_context_status(c->sys->ctx, err));
    if (!fault->node)
        return zw_fail_at(err, ZW_E_NONFINITE, c->claim->place,
                          "the claim %s: a quantity of the motion has no series there",
                          c->claim->name);
    char *part = zw_print_within(c->sys->ctx, fault->node, ZW_TEXT, PRINTED_LENGTH);
    zw_curve_statement(c, fault->node, where, sizeof where);
    zw_fail_at(err, ZW_E_NONFINITE, c->claim->place,
               c->claim->nsmall ? "the claim %s cannot be expanded there: %s in %s is %s"
                                : "the claim %s has no finite value: %s in %s is %s",
               c->claim->name, part ? part : "a part", where, fault->why);
    zw_error_hint(err,
                  "a claim needs a state at which what it holds and the equations of motion are "
                  "defined");
    zw_string_free(c->sys->ctx, part);
    return ZW_E_NONFINITE;
}

/* ----------------------------------------------------------------------------------- parameters */

static int small_of(const zw_claim *claim, zw_expr sym) {
    for (int i = 0; i < claim->nsmall; i++)
        if (claim->small[i].sym == sym)
            return i;
    return -1;
}

/* c + step s^power. */
static zw_jet power_jet(int terms, double centre, double step, int power) {
    zw_jet j = zw_jet_number(terms, centre);
    if (power < terms)
        j.c[power] += step;
    return j;
}

static bool value_of(const zw_claim_curve *c, zw_expr e, zw_jet *out, zw_jet_fault *fault) {
    return zw_jet_eval(c->sys->ctx, 1, &e, c->nsym, c->sym, c->x, c->terms, out, fault);
}

/* The reference value of a small variable. */
static zw_status centre_of(zw_claim_curve *c, int i, double *out, zw_error *err) {
    zw_jet value;
    zw_jet_fault fault = {0};
    if (!value_of(c, c->claim->small[i].centre, &value, &fault))
        return zw_curve_reject(c, &fault, err);
    *out = zw_jet_coefficient(&value, 0);
    return ZW_OK;
}

zw_status zw_curve_parameters(zw_claim_curve *c, const double *p, const zw_departure *d,
                              zw_error *err) {
    const zw_system *s = c->sys;
    bool some = false;
    for (int i = 0; i < s->np; i++) {
        c->p[i] = p[i];
        c->x[i] = zw_jet_number(c->terms, p[i]);
    }
    for (int i = 0; i < s->np; i++) {
        int small = small_of(c->claim, s->param[i].sym);
        double centre;
        if (small < 0)
            continue;
        some = true;
        ZW_TRY(centre_of(c, small, &centre, err));
        c->x[i] = power_jet(c->terms, centre, d->step[small], d->power[small]);
    }
    for (int i = 0; i < s->np && some; i++) {
        zw_jet_fault fault = {0};
        if (zw_foreign_symbol(s->ctx, s->param[i].value, 0, NULL) &&
            !value_of(c, s->param[i].value, &c->x[i], &fault))
            return zw_curve_reject(c, &fault, err);
    }
    return ZW_OK;
}

/* ---------------------------------------------------------------------------- admissible states */

/* One set of rows r(y) = 0 for n variables that begin at `at` in c->x. */
typedef struct level {
    int m, n, at;
    const zw_expr *r, *J;
    const char *what;
} level;

static level level_of(const zw_claim_curve *c, bool velocities) {
    return velocities ? (level){c->npsi, c->sys->nv, c->v, c->psi, c->psi_v, "velocity"}
                      : (level){c->nphi, c->sys->nq, c->q, c->phi, c->phi_q, "position"};
}

static bool is_held(const zw_claim_curve *c, int index) {
    int small = small_of(c->claim, c->sym[index]);
    return small >= 0 && c->held[small];
}

/* y = -J' (J J' + mu)^-1 r, for the columns that may move; repeated to remove the effect of mu. */
static bool least_step(const level *l, const double *J, const bool *moves, const double *r,
                       double mu, double *work, double *step) {
    int m = l->m, n = l->n;
    double *square = work, *factor = square + m * m, *left = factor + m, trace = 0;
    for (int k = 0; k < n; k++)
        step[k] = 0;
    for (int i = 0; i < m; i++) {
        left[i] = -r[i];
        for (int k = 0; k < n; k++)
            trace += moves[k] ? J[i * n + k] * J[i * n + k] : 0;
    }
    for (int pass = 0; pass < 3; pass++) {
        for (int i = 0; i < m; i++) {
            factor[i] = left[i];
            for (int j = 0; j < m; j++) {
                double sum = i == j ? mu * trace + DBL_MIN : 0;
                for (int k = 0; k < n; k++)
                    sum += moves[k] ? J[i * n + k] * J[j * n + k] : 0;
                square[i * m + j] = sum;
            }
        }
        if (!zw_eliminate(m, 0, square, factor))
            return false;
        for (int i = 0; i < m; i++)
            for (int k = 0; k < n; k++)
                if (moves[k])
                    step[k] += J[i * n + k] * factor[i];
        for (int k = 0; k < n; k++)
            if (!isfinite(step[k]))
                return false;
        for (int i = 0; i < m; i++) {
            left[i] = -r[i];
            for (int k = 0; k < n; k++)
                left[i] -= J[i * n + k] * step[k];
        }
    }
    return true;
}

/* Rows and, unless NULL, their matrix at s = 0; r_k in residual[k * m + i]. */
static bool rows_at(zw_claim_curve *c, const level *l, int orders, double *residual, double *J) {
    zw_context *ctx = c->sys->ctx;
    zw_arena_mark mark = zw_scratch_mark(ctx);
    zw_jet *value = ZW_SCRATCH_NEW(ctx, zw_jet, l->m * (1 + l->n));
    bool sound =
        value && zw_jet_eval(ctx, l->m, l->r, c->nsym, c->sym, c->x, orders, value, &c->fault);
    if (sound && J)
        sound =
            zw_jet_eval(ctx, l->m * l->n, l->J, c->nsym, c->sym, c->x, 1, value + l->m, &c->fault);
    for (int i = 0; sound && i < l->m; i++) {
        sound = value[i].low + zw_jet_first(&value[i]) >= 0;
        for (int k = 0; k < orders; k++)
            residual[k * l->m + i] = zw_jet_coefficient(&value[i], k);
        for (int k = 0; J && k < l->n; k++)
            J[i * l->n + k] = zw_jet_coefficient(&value[l->m + i * l->n + k], 0);
    }
    zw_scratch_release(ctx, mark);
    return sound;
}

/* The size of row i: its terms, and the variables times its slopes, for any units. */
static double row_size(const zw_claim_curve *c, const level *l, int i, const double *J) {
    zw_jet terms;
    double size = 0;
    if (zw_jet_terms(c->sys->ctx, l->r[i], DEPTH, c->nsym, c->sym, c->x, c->terms, &terms))
        for (int k = 0; k < terms.terms; k++)
            size = fmax(size, isfinite(terms.c[k]) ? fabs(terms.c[k]) : 0);
    for (int j = 0; j < l->n; j++) {
        double largest = 0;
        for (int k = 0; k < c->x[l->at + j].terms; k++)
            largest = fmax(largest, fabs(c->x[l->at + j].c[k]));
        size += fabs(J[i * l->n + j]) * largest;
    }
    return size;
}

/* Rows with positions that differ by their round-off: cos(pi/2) is not 0. */
static bool rows_with_roundoff(zw_claim_curve *c, const level *l, int orders, double *residual) {
    zw_context *ctx = c->sys->ctx;
    zw_arena_mark mark = zw_scratch_mark(ctx);
    const zw_jet_fault fault = c->fault;
    double *given = ZW_SCRATCH_NEW(ctx, double, c->sys->nq);
    for (int k = 0; given && k < c->sys->nq; k++) {
        given[k] = c->x[c->q + k].c[0];
        c->x[c->q + k].c[0] *= 1 + GIVEN_ROUNDOFF;
    }
    bool sound = given && rows_at(c, l, orders, residual, NULL);
    for (int k = 0; given && k < c->sys->nq; k++)
        c->x[c->q + k].c[0] = given[k];
    c->fault = fault;
    zw_scratch_release(ctx, mark);
    return sound;
}

/* Residuals of these orders compared with the sizes of the rows, and with the effect of the last
 * digits of positions. */
static bool is_met(zw_claim_curve *c, const level *l, int orders, const double *residual,
                   const double *J) {
    zw_context *ctx = c->sys->ctx;
    zw_arena_mark mark = zw_scratch_mark(ctx);
    double *rounded = ZW_SCRATCH_NEW(ctx, double, l->m *orders);
    bool met = rounded != NULL, is_known = met && rows_with_roundoff(c, l, orders, rounded);
    for (int i = 0; i < l->m && met; i++) {
        double size = row_size(c, l, i, J);
        for (int k = 0; k < orders; k++) {
            double here = residual[k * l->m + i],
                   last = is_known ? fabs(rounded[k * l->m + i] - here) : 0;
            met &= fabs(here) <= CONSTRAINT_ERROR * size + last;
        }
    }
    zw_scratch_release(ctx, mark);
    return met;
}

/* Have the variables that may move brought a row to an end of its range? y is at one where x^2 +
 * y^2 = l^2 and x = l: it is known to half of the digits only, and is no series in x. */
static bool is_turning(const level *l, const double *J, const bool *moves) {
    for (int i = 0; i < l->m; i++) {
        double all = 0, free = 0;
        bool ties = false; /* can anything move? otherwise the given values contradict it */
        for (int k = 0; k < l->n; k++) {
            ties |= moves[k] && l->J[i * l->n + k] != ZW_ZERO;
            double square = J[i * l->n + k] * J[i * l->n + k];
            all += square;
            free += moves[k] ? square : 0;
        }
        if (ties && free < TURNING_ROW * TURNING_ROW * all)
            return true;
    }
    return false;
}

/* Levenberg-Marquardt at s = 0, with constant small variables. */
static bool meet_first(zw_claim_curve *c, const level *l, double *work, bool *moves) {
    double *J = work, *r = J + l->m * l->n, *step = r + l->m, *rest = step + l->n,
           mu = ZW_ROUNDOFF_VALUE;
    bool done = false;
    if (!rows_at(c, l, 1, r, J))
        return false;
    bool given = is_met(c, l, 1, r, J);
    for (int k = 0; k < l->n; k++)
        moves[k] = small_of(c->claim, c->sym[l->at + k]) < 0;
    for (int i = 0; i < STEPS && mu < LARGEST_DAMPING; i++) {
        double length = zw_length(l->m, r);
        done = is_met(c, l, 1, r, J);
        if (!least_step(l, J, moves, r, mu, rest, step))
            break;
        for (int k = 0; k < l->n; k++)
            c->x[l->at + k].c[0] += step[k];
        bool better = rows_at(c, l, 1, r, J) && zw_length(l->m, r) < length;
        if (!better) {
            for (int k = 0; k < l->n; k++)
                c->x[l->at + k].c[0] -= step[k];
            if (!rows_at(c, l, 1, r, J) || done)
                break;
            mu = fmax(30 * mu, DAMPING_AFTER_FAILURE);
        } else {
            mu = fmax(mu / 30, ZW_ROUNDOFF_VALUE);
        }
    }
    c->turning = !given && is_turning(l, J, moves);
    return !c->turning && is_met(c, l, 1, r, J);
}

/* A state of the sampler, with the small variables at their reference values. */
static zw_status draw_state(zw_claim_curve *c, int k, double *x, zw_error *err) {
    const zw_system *s = c->sys;
    double t;
    ZW_TRY(zw_sampler_set_parameters(c->sampler, c->p, err));
    ZW_TRY(zw_sampler_state(c->sampler, k, &t, x, err));
    c->x[c->t] = zw_jet_number(c->terms, t);
    for (int i = 0; i < s->nq + s->nv; i++)
        c->x[c->q + i] = zw_jet_number(c->terms, x[i]);
    for (int i = 0; i < c->claim->nsmall; i++)
        for (int j = c->t; j < c->a; j++)
            if (c->sym[j] == c->claim->small[i].sym)
                ZW_TRY(centre_of(c, i, &c->x[j].c[0], err));
    return ZW_OK;
}

static zw_status begin_curve(zw_claim_curve *c, int k, double *x, bool *moves, zw_error *err) {
    ZW_TRY(draw_state(c, k, x, err));
    for (int velocities = 0; velocities < 2; velocities++) {
        level l = level_of(c, velocities);
        c->fault = (zw_jet_fault){.kink = c->fault.kink};
        if (l.m == 0 || meet_first(c, &l, c->work, moves))
            continue;
        if (c->fault.node)
            return zw_curve_reject(c, &c->fault, err);
        if (c->turning) {
            zw_fail_at(
                err, ZW_E_MODEL, c->claim->place,
                "the claim %s: a %s that about (...) does not name is at a turning point there",
                c->claim->name, l.what);
            zw_error_hint(err,
                          "name all that the constraints tie there, each with its value: about "
                          "(x = l, y = 0)");
            return ZW_E_MODEL;
        }
        zw_fail_at(err, ZW_E_MODEL, c->claim->place,
                   "the claim %s: no %s that the constraints admit was found where it is about",
                   c->claim->name, l.what);
        zw_error_hint(err, "what stands in about (...) has to agree with the constraints");
        return ZW_E_MODEL;
    }
    return ZW_OK;
}

zw_status zw_curve_begin(zw_claim_curve *c, int k, zw_error *err) {
    zw_context *ctx = c->sys->ctx;
    zw_arena_mark mark = zw_scratch_mark(ctx);
    int n = c->sys->nq + c->sys->nv;
    double *x = ZW_SCRATCH_NEW(ctx, double, n);
    bool *moves = ZW_SCRATCH_NEW(ctx, bool, n);
    zw_status status = x && moves ? begin_curve(c, k, x, moves, err) : zw_context_status(ctx, err);
    zw_scratch_release(ctx, mark);
    return status;
}

/* A departure that only the round-off of the constraints admits. */
static bool is_spurious(const zw_claim_curve *c, const level *l) {
    double size = 1, largest = 0;
    for (int i = 0; i < l->n; i++) {
        size = fmax(size, fabs(c->x[l->at + i].c[0]));
        if (c->terms > 1)
            largest = fmax(largest, fabs(c->x[l->at + i].c[1]));
    }
    return !(largest <= SPURIOUS_COEFFICIENT * size);
}

/* The orders above 0 of one level, one after the other. */
static bool meet_rest(zw_claim_curve *c, const level *l, const bool *moves, double *work) {
    double *J = work, *step = J + l->m * l->n, *rest = step + l->n;
    zw_context *ctx = c->sys->ctx;
    zw_arena_mark mark = zw_scratch_mark(ctx);
    double *r = ZW_SCRATCH_NEW(ctx, double, l->m * c->terms);
    bool met = false;
    /* Each time one more order is correct up to round-off, even if it is small compared with the
     * first ones. */
    for (int i = 0; r && i <= c->terms; i++) {
        if (!rows_at(c, l, c->terms, r, i ? NULL : J))
            break;
        met = i == c->terms && is_met(c, l, c->terms, r, J);
        for (int k = 1; k < c->terms && i < c->terms; k++) {
            if (!least_step(l, J, moves, r + k * l->m, ZW_ROUNDOFF_VALUE, rest, step))
                break;
            for (int j = 0; j < l->n; j++)
                c->x[l->at + j].c[k] += step[j];
        }
    }
    zw_scratch_release(ctx, mark);
    return met && !is_spurious(c, l);
}

/* -------------------------------------------------------------------------------- accelerations */

static zw_jet *root_entry(const zw_claim_curve *c, int matrix, int i, int k) {
    int nv = c->eq.nv, nc = c->eq.nc;
    const int first[] = {0, nv * nv, nv * nv + nv, nv * nv + nv + nv * nc,
                         nv * nv + nv + 2 * nv * nc};
    const int width[] = {nv, 1, nc, nv, 1};
    return &c->root[first[matrix] + i * width[matrix] + k];
}

/* K(i, k): coefficient of s^order. */
static double matrix_entry(const zw_claim_curve *c, int i, int k, int order) {
    int nv = c->eq.nv;
    if (i < nv)
        return k < nv ? zw_jet_coefficient(root_entry(c, 0, i, k), order)
                      : -zw_jet_coefficient(root_entry(c, 2, i, k - nv), order);
    if (c->dropped[i - nv])
        return i == k && order == 0;
    return k < nv ? zw_jet_coefficient(root_entry(c, 3, i - nv, k), order) : 0;
}

static const zw_jet *right_side(const zw_claim_curve *c, int i) {
    return i < c->eq.nv ? root_entry(c, 1, i, 0) : root_entry(c, 4, i - c->eq.nv, 0);
}

/* Rows of W that depend on the others at s = 0. */
static void choose_rows(zw_claim_curve *c) {
    int nv = c->eq.nv;
    c->span.rank = 0;
    for (int i = 0; i < c->eq.nc; i++) {
        for (int k = 0; k < nv; k++)
            c->work[k] = zw_jet_coefficient(root_entry(c, 3, i, k), 0);
        c->dropped[i] = !zw_subspace_add(&c->span, c->work, ROW_DEPENDS);
    }
}

/* Known orders: K and r up to `top`, r from `low` on; false if K has none at s = 0. */
static bool known_orders(const zw_claim_curve *c, int *low, int *top) {
    int matrix = c->terms;
    *low = 0;
    *top = c->terms;
    for (int i = 0; i < c->nroot; i++) {
        const zw_jet *j = &c->root[i];
        int first = j->low + zw_jet_first(j), end = j->low + j->terms;
        bool right = (i >= c->eq.nv * c->eq.nv && i < c->eq.nv * c->eq.nv + c->eq.nv) ||
                     i >= c->nroot - c->eq.nc;
        if (!right && first < 0 && zw_jet_first(j) < j->terms)
            return false;
        if (right && first < *low && zw_jet_first(j) < j->terms)
            *low = first;
        if (right && end < *top)
            *top = end;
        if (!right && end < matrix)
            matrix = end;
    }
    *top = *top < *low + matrix ? *top : *low + matrix;
    return *top > *low;
}

/* z_k for one order: K_0 z_k = r_k - K_1 z_(k-1) - ..., rows scaled, corrected once. */
static bool solve_order(zw_claim_curve *c, int k, int low) {
    int n = c->nz;
    double *A = c->work, *b = A + n * n, *right = b + n, *scale = right + n, *size = scale + n;
    for (int i = 0; i < n; i++) {
        bool idle = i >= c->eq.nv && c->dropped[i - c->eq.nv];
        right[i] = idle ? 0 : zw_jet_coefficient(right_side(c, i), k);
        size[i] = idle ? 0 : zw_jet_coefficient(&c->right_terms[i], k);
        for (int j = 1; j <= k - low; j++)
            for (int col = 0; col < n; col++) {
                double part = matrix_entry(c, i, col, j) * zw_jet_coefficient(&c->z[col], k - j);
                right[i] -= part;
                size[i] += fabs(part);
            }
        scale[i] = 0;
        for (int col = 0; col < n; col++)
            scale[i] = fmax(scale[i], fabs(matrix_entry(c, i, col, 0)));
        if (!(scale[i] > 0))
            return false;
        c->bound[i * ZW_JET_MAX + k - low] = isfinite(size[i]) ? size[i] / scale[i] : 0;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < n; i++) {
            b[i] = right[i];
            for (int col = 0; col < n; col++) {
                double entry_of = matrix_entry(c, i, col, 0);
                A[i * n + col] = entry_of / scale[i];
                if (pass > 0)
                    b[i] -= entry_of * c->z[col].c[k - low];
            }
            b[i] /= scale[i];
        }
        if (!zw_eliminate(n, 0, A, b))
            return false;
        for (int i = 0; i < n; i++) {
            c->z[i].c[k - low] += b[i];
            if (!isfinite(b[i]))
                return false;
        }
    }
    return true;
}

/* Are the omitted rows satisfied too? If not they are dependent only at s = 0. */
static bool dropped_rows_hold(const zw_claim_curve *c, int low, int top) {
    for (int i = 0; i < c->eq.nc; i++)
        for (int k = low; k < top && c->dropped[i]; k++) {
            double sum = -zw_jet_coefficient(root_entry(c, 4, i, 0), k), size = fabs(sum);
            for (int col = 0; col < c->eq.nv; col++)
                for (int j = 0; j <= k - low; j++) {
                    double part = zw_jet_coefficient(root_entry(c, 3, i, col), j) *
                                  zw_jet_coefficient(&c->z[col], k - j);
                    sum += part;
                    size += fabs(part);
                }
            if (fabs(sum) > DROPPED_ROW_ERROR * size)
                return false;
        }
    return true;
}

static zw_status reject_rates(const zw_claim_curve *c, const char *why, zw_error *err) {
    ZW_TRY(zw_context_status(c->sys->ctx, err));
    zw_fail_at(err, ZW_E_SINGULAR, c->claim->place,
               "the claim %s: at the state it is about the accelerations do not follow from the "
               "equations: %s",
               c->claim->name, why);
    return ZW_E_SINGULAR;
}

/* The variables of the equations along the curve: those of the system, inputs, their own
 * velocities. */
static zw_status put_variables(zw_claim_curve *c, zw_error *err) {
    const zw_equations *eq = &c->eq;
    double t = c->x[c->t].c[0];
    int at = c->nsym;
    memcpy(c->var_jet, c->x, (size_t)c->nsym * sizeof *c->x);
    for (int i = 0; i < eq->nu; i++)
        c->var_jet[at++] = zw_jet_number(c->terms, zw_system_signal_at(c->sys, i, c->p, t, t));
    if (!eq->from_system) {
        memcpy(c->var_jet + at, c->x + c->v, (size_t)eq->nv * sizeof *c->x);
        return ZW_OK;
    }
    if (!zw_jet_eval(c->sys->ctx, eq->nv, eq->from_system, at, c->var, c->var_jet, c->terms,
                     c->var_jet + at, &c->fault))
        return zw_curve_reject(c, &c->fault, err);
    return ZW_OK;
}

static zw_status solve_rates(zw_claim_curve *c, zw_error *err) {
    int low, top, nz = c->nz, known = c->nsym + c->eq.nu + c->eq.nv;
    ZW_TRY(put_variables(c, err));
    if (!zw_jet_eval(c->sys->ctx, c->nroot, c->roots, known, c->var, c->var_jet, c->terms, c->root,
                     &c->fault))
        return zw_curve_reject(c, &c->fault, err);
    if (!known_orders(c, &low, &top))
        return reject_rates(c, "a mass or a constraint has no finite value there", err);
    choose_rows(c);
    for (int i = 0; i < nz; i++) {
        zw_expr right = i < c->eq.nv ? c->eq.h[i] : c->eq.b[i - c->eq.nv];
        c->z[i] = (zw_jet){.low = low, .terms = top - low};
        if (!zw_jet_terms(c->sys->ctx, right, DEPTH, known, c->var, c->var_jet, c->terms,
                          &c->right_terms[i]))
            c->right_terms[i] = zw_jet_number(c->terms, 0);
    }
    c->bound_low = low;
    memset(c->bound, 0, (size_t)(nz * ZW_JET_MAX) * sizeof *c->bound);
    for (int k = low; k < top; k++)
        if (!solve_order(c, k, low))
            return reject_rates(c, "a coordinate has no inertia, or the mass matrix is singular",
                                err);
    if (!dropped_rows_hold(c, low, top))
        return reject_rates(c, "the constraints are dependent there, but independent nearby", err);
    for (int i = 0; i < c->eq.nc; i++)
        if (c->dropped[i] && wants_multipliers(c))
            return reject_rates(
                c, "the constraints are dependent, so their multipliers are not unique", err);
    return ZW_OK;
}

/* Sets coefficients to zero that are only round-off of the others. */
static void drop_rounding(double rounding, int n, zw_jet *x) {
    double largest = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < x[i].terms; k++)
            largest = fmax(largest, fabs(x[i].c[k]));
    for (int i = 0; i < n; i++)
        for (int k = 0; k < x[i].terms; k++)
            if (fabs(x[i].c[k]) <= rounding * largest)
                x[i].c[k] = 0;
}

/* The coefficient of an order that is known, otherwise NULL. */
static double *known_at(zw_jet *x, int order) {
    return order >= x->low && order - x->low < x->terms ? &x->c[order - x->low] : NULL;
}

/* The same for solved values, each order separately, since high ones are small: a coefficient may
 * be round-off compared with the others of its order, with the terms of its sum, and with the next
 * order, which a value that is given only up to its last digit (pi) leaks into it. */
static void drop_solved(const zw_claim_curve *c, int n, const int *group, zw_jet *x) {
    for (int i = 0; i < n; i++) {
        int of = group ? group[i] : ZW_COUPLED_ALL;
        double largest[ZW_JET_MAX + 1] = {0};
        for (int k = 0; k < ZW_JET_MAX; k++) {
            for (int j = 0; j < n; j++) {
                const double *at = known_at(&x[j], c->bound_low + k);
                if (at && (of == ZW_COUPLED_ALL || (group && group[j] == of)))
                    largest[k] = fmax(largest[k], fabs(*at));
            }
            for (int j = 0; j < c->nz; j++)
                if (of == ZW_COUPLED_ALL || c->group[j] == of)
                    largest[k] = fmax(largest[k], c->bound[j * ZW_JET_MAX + k]);
        }
        for (int k = 0; k < ZW_JET_MAX; k++) {
            double *at = known_at(&x[i], c->bound_low + k);
            if (at && fabs(*at) <= SOLVED_ROUNDOFF * fmax(largest[k], largest[k + 1]))
                *at = 0;
        }
    }
}

/* The distance of a small variable from its reference value. */
static bool put_distance(zw_claim_curve *c, int i) {
    const zw_small *small = &c->claim->small[i];
    zw_jet *out = &c->x[c->nsym - c->claim->nsmall + i], of[2];
    const zw_expr roots[] = {small->sym, small->centre};
    if (!zw_jet_eval(c->sys->ctx, 2, roots, c->a, c->sym, c->x, c->terms, of, &c->fault))
        return false;
    zw_jet_add(&of[0], -1, &of[1], out);
    return true;
}

/* Accelerations, multipliers and their rates in the variables of the system. */
static zw_status put_rates(zw_claim_curve *c, zw_error *err) {
    const zw_equations *eq = &c->eq;
    const zw_system *s = c->sys;
    int known = c->nsym + eq->nu + eq->nv + c->nz;
    drop_solved(c, eq->nv, c->group, c->z);
    drop_solved(c, eq->nc, c->group + eq->nv, c->z + eq->nv);
    for (int i = 0; i < c->nz; i++)
        c->var_jet[known - c->nz + i] = c->z[i];
    if (eq->accel) {
        if (!zw_jet_eval(s->ctx, s->nv, eq->accel, known, c->var, c->var_jet, c->terms, c->x + c->a,
                         &c->fault))
            return zw_curve_reject(c, &c->fault, err);
        drop_solved(c, s->nv, NULL, c->x + c->a);
    } else {
        memcpy(c->x + c->a, c->z, (size_t)s->nv * sizeof *c->z);
    }
    for (int i = 0; i < eq->nc; i++)
        c->x[c->lambda + eq->constraint[i]] = c->z[eq->nv + i];
    for (int i = s->nv; c->impulses && i < eq->nv; i++)
        for (int k = 0; k < s->nconstraint; k++)
            if (eq->v[i] == s->constraint[k].lambda)
                c->x[c->rate + k] = c->z[i];
    if (c->reaction && !zw_jet_eval(s->ctx, s->nconstraint, c->reaction, c->nsym, c->sym, c->x,
                                    c->terms, c->x + c->lambda, &c->fault))
        return zw_curve_reject(c, &c->fault, err);
    if (c->reaction)
        drop_solved(c, s->nconstraint, NULL, c->x + c->lambda);
    for (int i = 0; i < c->claim->nsmall; i++)
        if (!put_distance(c, i))
            return zw_curve_reject(c, &c->fault, err);
    return ZW_OK;
}

/* ----------------------------------------------------------------------------------- the curve */

static void choose_departure(zw_claim_curve *c, const zw_departure *d, zw_random *random) {
    const zw_system *s = c->sys;
    for (int j = c->t; j < c->a; j++) {
        int small = small_of(c->claim, c->sym[j]);
        double first = c->x[j].c[0], width = j == c->t ? 1 : c->sampler->width[j - c->q];
        c->x[j] = zw_jet_number(c->terms, first);
        if (small >= 0)
            c->x[j] = power_jet(c->terms, first, d->step[small], d->power[small]);
        else if (d->others_move && j > c->t && c->terms > 1)
            c->x[j].c[1] = width * zw_random_real(random, -1, 1);
    }
    for (int i = 0; i < s->nconstraint; i++)
        c->x[c->lambda + i] = zw_jet_number(
            c->terms, c->impulses && c->eq.holds[i] ? zw_random_real(random, -1, 1) : 0);
    for (int j = c->rate; j < c->nsym; j++)
        c->x[j] = zw_jet_number(c->terms, 0);
    for (int j = c->a; j < c->lambda; j++)
        c->x[j] = zw_jet_number(c->terms, 0);
}

static bool meet_all(zw_claim_curve *c, bool with_small) {
    zw_context *ctx = c->sys->ctx;
    zw_arena_mark mark = zw_scratch_mark(ctx);
    bool *moves = ZW_SCRATCH_NEW(ctx, bool, c->sys->nq + c->sys->nv), met = moves != NULL;
    for (int velocities = 0; velocities < 2 && met; velocities++) {
        level l = level_of(c, velocities);
        for (int k = 0; k < l.n; k++)
            moves[k] = with_small || !is_held(c, l.at + k);
        met = l.m == 0 || meet_rest(c, &l, moves, c->work);
    }
    zw_scratch_release(ctx, mark);
    return met;
}

bool zw_curve_admits(zw_claim_curve *c, const zw_departure *d) {
    zw_random random = zw_random_stream(~d->seed, 1);
    choose_departure(c, d, &random);
    return meet_all(c, false);
}

zw_status zw_curve_follow(zw_claim_curve *c, const zw_departure *d, zw_error *err) {
    bool met = false;
    for (int with_small = 0; with_small < 2 && !met; with_small++) {
        zw_random random = zw_random_stream(~d->seed, 1);
        c->fault = (zw_jet_fault){.kink = c->fault.kink};
        choose_departure(c, d, &random);
        met = meet_all(c, with_small);
    }
    if (!met) {
        if (c->fault.node)
            return zw_curve_reject(c, &c->fault, err);
        ZW_TRY(zw_context_status(c->sys->ctx, err));
        zw_fail_at(err, ZW_E_MODEL, c->claim->place,
                   "the claim %s: the constraints leave no way from the state it is about in its "
                   "variables",
                   c->claim->name);
        zw_error_hint(err, "the constraints are singular there, or hold these variables");
        return ZW_E_MODEL;
    }
    drop_rounding(GIVEN_ROUNDOFF, c->sys->nq, c->x + c->q);
    drop_rounding(GIVEN_ROUNDOFF, c->sys->nv, c->x + c->v);
    c->fault = (zw_jet_fault){.kink = c->fault.kink};
    ZW_TRY(solve_rates(c, err));
    return put_rates(c, err);
}
