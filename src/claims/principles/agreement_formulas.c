/* SPDX-License-Identifier: MIT */
/* The linear equations for the multipliers of zwang/claims.h as formulas, and their consequences.
 *
 *     E(x) mu = 0,    E = Z' R
 *
 * with the dependent velocities substituted; Z from their derivatives with respect to the
 * independent ones; this is solved for as many multipliers as it determines, mu_p = B(x) mu_f +
 * c(x). That must be true at all times: along the nonholonomic motion, with
 *
 *     mu' = lambda(x) - nu,     W_d' nu = (R mu)_d       on the dependent velocities d,
 *
 * the rates mu_p' - (B mu_f + c)' must vanish, which are affine equations for the remaining
 * multipliers, and so on. An equation without multipliers is a condition on the start. All of
 * this is valid in general: where a divisor vanishes, there may be further solutions.
 * Constraints on positions make coordinates depend on each other: then only E is reported. */
#include <string.h>

#include "agreement.h"
#include "base/arena.h"
#include "expr/calculus/ratio.h"

enum {
    MULTIPLIERS_MAX = 4, /* determinants by minors grow as the factorial */
    /* of differentiation; a longer chain gives formulas that nobody reads */
    LEVELS = 6,
    LONGEST = 20000 /* characters of a formula that is derived further */
};

typedef struct solver {
    zw_agreement *a;
    zw_context *ctx;
    const zw_elimination *e;
    zw_expr *mu;  /* n: symbols */
    zw_expr *Rmu; /* nv */
    int nreplaced;
    zw_expr *v, *velocity; /* dependent velocities and their formulas; parameters that are 0 */
    zw_expr *rate;         /* n: mu' */
    zw_expr *qdot, *vdot;  /* nq, nindependent */
    zw_expr *value;        /* n: of the solved ones, otherwise ZW_NULL */
    bool *fresh;           /* n: solved on this level */
    int nrow;
    zw_expr *row; /* affine in mu, must vanish */
} solver;

static zw_expr put_in(const solver *z, zw_expr e) {
    return zw_subst(z->ctx, e, z->nreplaced, z->v, z->velocity);
}

/* Determinant of the n x n matrix M, by its first row. */
static zw_expr expand_determinant(zw_context *ctx, int n, const zw_expr *M) {
    zw_expr minor[MULTIPLIERS_MAX * MULTIPLIERS_MAX], sum = ZW_ZERO;
    if (n == 0)
        return ZW_ONE;
    for (int c = 0; c < n; c++) {
        if (M[c] == ZW_ZERO)
            continue;
        for (int r = 1, k = 0; r < n; r++)
            for (int l = 0; l < n; l++)
                if (l != c)
                    minor[k++] = M[r * n + l];
        zw_expr part = zw_mul(ctx, M[c], expand_determinant(ctx, n - 1, minor));
        sum = c % 2 ? zw_sub(ctx, sum, part) : zw_add(ctx, sum, part);
    }
    return sum;
}

/* mu' = lambda - nu, nu by Cramer's rule. */
static void find_rates(solver *z) {
    const zw_agreement *a = z->a;
    int n = a->n;
    zw_expr M[MULTIPLIERS_MAX * MULTIPLIERS_MAX], by[MULTIPLIERS_MAX * MULTIPLIERS_MAX];
    for (int d = 0; d < n; d++)
        for (int c = 0; c < n; c++)
            M[d * n + c] = a->lag.W[c * a->nv + z->e->dependent[d]];
    zw_expr whole = expand_determinant(z->ctx, n, M);
    for (int c = 0; c < n; c++) {
        memcpy(by, M, sizeof *M * (size_t)(n * n));
        for (int d = 0; d < n; d++)
            by[d * n + c] = z->Rmu[z->e->dependent[d]];
        zw_expr nu = zw_div(z->ctx, expand_determinant(z->ctx, n, by), whole);
        z->rate[c] = put_in(z, zw_sub(z->ctx, z->rate[c], nu));
    }
}

/* Forces, accelerations and rates of coordinates as formulas of t, q and independent velocities;
 * false if there are none. */
static bool find_motion(solver *z) {
    const zw_agreement *a = z->a;
    const zw_elimination *e = z->e;
    zw_context *ctx = z->ctx;
    if (a->lag.npos > 0 || a->n > MULTIPLIERS_MAX || e->ndependent != a->n ||
        e->nmultiplier != a->n || e->nunknown != e->nindependent)
        return false;
    for (int j = 0; j < e->nunknown; j++) {
        if (e->reason[j] != ZW_EXPLICIT || e->unknown[j] != a->lag.a[e->independent[j]])
            return false;
        z->vdot[j] = put_in(z, zw_div(ctx, e->numerator[j], e->denominator[j]));
    }
    for (int c = 0; c < a->n; c++)
        for (int k = 0; k < e->nmultiplier; k++)
            if (e->lambda[k] == a->lag.lambda[c])
                z->rate[c] = put_in(z, zw_subst(ctx, put_in(z, e->multiplier[k]), e->nunknown,
                                                e->unknown, z->vdot));
    for (int i = 0; i < a->nq; i++)
        z->qdot[i] = put_in(z, a->lag.qdot[i]);
    find_rates(z);
    return true;
}

/* The rate of a formula along the motion. */
static zw_expr differentiate_along(const solver *z, zw_expr f) {
    const zw_agreement *a = z->a;
    zw_context *ctx = z->ctx;
    zw_expr sum = zw_diff(ctx, f, a->sys->t);
    for (int i = 0; i < a->nq; i++)
        sum = zw_add(ctx, sum, zw_mul(ctx, zw_diff(ctx, f, a->lag.q[i]), z->qdot[i]));
    for (int j = 0; j < z->e->nindependent; j++)
        sum = zw_add(ctx, sum,
                     zw_mul(ctx, zw_diff(ctx, f, a->lag.v[z->e->independent[j]]), z->vdot[j]));
    for (int c = 0; c < a->n; c++)
        sum = zw_add(ctx, sum, zw_mul(ctx, zw_diff(ctx, f, z->mu[c]), z->rate[c]));
    return sum;
}

static zw_expr put_solved(const solver *z, zw_expr f) {
    for (int c = 0; c < z->a->n; c++)
        if (z->value[c] != ZW_NULL)
            f = zw_subst(z->ctx, f, 1, &z->mu[c], &z->value[c]);
    return f;
}

static bool is_long(const solver *z, zw_expr f) {
    char *text = zw_print_within(z->ctx, f, ZW_TEXT, LONGEST);
    zw_string_free(z->ctx, text);
    return !text;
}

/* Solves an equation for a multiplier, or stores it as a condition on the start; false: too
 * long. */
static bool use_equation(solver *z, zw_expr row) {
    zw_agreement *a = z->a;
    zw_context *ctx = z->ctx;
    zw_expr coef[MULTIPLIERS_MAX], rest;
    row = zw_ratio(ctx, put_solved(z, row));
    if (is_long(z, row))
        return false;
    if (zw_ratio_is_zero(ctx, row))
        return true;
    if (!zw_linear(ctx, row, a->n, z->mu, coef, &rest))
        return false;
    for (int c = 0; c < a->n; c++) {
        if (zw_ratio_is_zero(ctx, coef[c]))
            continue;
        zw_expr others = rest;
        for (int k = 0; k < a->n; k++)
            if (k != c)
                others = zw_add(ctx, others, zw_mul(ctx, coef[k], z->mu[k]));
        zw_expr value = zw_ratio(ctx, zw_neg(ctx, zw_div(ctx, others, coef[c])));
        z->value[c] = value;
        z->fresh[c] = true;
        for (int k = 0; k < a->n; k++)
            if (k != c && z->value[k] != ZW_NULL)
                z->value[k] = zw_ratio(ctx, zw_subst(ctx, z->value[k], 1, &z->mu[c], &value));
        return true;
    }
    if (a->ncondition < a->n * LEVELS)
        a->condition[a->ncondition++] = zw_factored(ctx, rest);
    return true;
}

/* Level by level, until nothing new follows; false: it got too long, the result is incomplete. */
static bool collect_conditions(solver *z) {
    zw_agreement *a = z->a;
    for (int level = 0; level < LEVELS && z->nrow > 0 && !a->ncondition; level++) {
        for (int i = 0; i < z->nrow; i++)
            if (!use_equation(z, z->row[i]))
                return false;
        z->nrow = 0;
        for (int c = 0; c < a->n && !a->ncondition; c++)
            if (z->fresh[c]) {
                z->row[z->nrow++] = zw_sub(z->ctx, z->rate[c], differentiate_along(z, z->value[c]));
                z->fresh[c] = false;
            }
    }
    return z->nrow == 0 || a->ncondition > 0;
}

/* E mu, one row for each independent velocity. */
static void find_rows(solver *z) {
    const zw_elimination *e = z->e;
    zw_agreement *a = z->a;
    zw_context *ctx = z->ctx;
    for (int j = 0; j < e->nindependent; j++) {
        zw_expr row = z->Rmu[e->independent[j]];
        for (int d = 0; d < e->ndependent; d++)
            row = zw_add(ctx, row,
                         zw_mul(ctx, zw_diff(ctx, e->velocity[d], a->lag.v[e->independent[j]]),
                                z->Rmu[e->dependent[d]]));
        row = put_in(z, row);
        zw_shorten(ctx, 1, &row);
        if (zw_ratio_is_zero(ctx, row))
            continue;
        z->row[z->nrow++] = row;
        a->equation[a->nequation++] = zw_factored(ctx, row);
    }
}

/* Terms that are 0 by the model, as friction that is switched off, are not reported. Zeros first:
 * the replacements of velocities do not contain them. */
static void put_zeros(solver *z) {
    const zw_system *s = z->a->sys;
    for (int i = 0; i < s->np; i++)
        if (z->a->p[i] == 0) {
            z->v[z->nreplaced] = s->param[i].sym;
            z->velocity[z->nreplaced++] = ZW_ZERO;
        }
    int zeros = z->nreplaced;
    for (int d = 0; d < z->e->ndependent; d++) {
        z->v[z->nreplaced] = z->a->lag.v[z->e->dependent[d]];
        z->velocity[z->nreplaced++] = zw_subst(z->ctx, z->e->velocity[d], zeros, z->v, z->velocity);
    }
}

static bool derive_conditions(solver *z) {
    zw_agreement *a = z->a;
    zw_arena *m = &a->arena;
    int nv = a->nv, n = a->n;
    z->mu = ZW_NEW(m, zw_expr, n + 1);
    z->Rmu = ZW_NEW(m, zw_expr, nv + 1);
    z->v = ZW_NEW(m, zw_expr, nv + a->sys->np + 1);
    z->velocity = ZW_NEW(m, zw_expr, nv + a->sys->np + 1);
    z->rate = ZW_NEW(m, zw_expr, n + 1);
    z->qdot = ZW_NEW(m, zw_expr, a->nq + 1);
    z->vdot = ZW_NEW(m, zw_expr, nv + 1);
    z->value = ZW_NEW(m, zw_expr, n + 1);
    z->fresh = ZW_NEW(m, bool, n + 1);
    z->row = ZW_NEW(m, zw_expr, nv + n + 1);
    a->equation = ZW_NEW(m, zw_expr, nv + 1);
    a->condition = ZW_NEW(m, zw_expr, n * LEVELS + 1);
    return !m->failed;
}

zw_status zw_agreement_formulas(zw_agreement *a, zw_error *err) {
    zw_equations solved;
    zw_error none = {0};
    int nv = a->nv;
    solver z = {.a = a, .ctx = a->sys->ctx};
    if (zw_equations_eliminate(&solved, &a->lag, &none) < 0 || !solved.elimination->velocity)
        return none.status == ZW_E_MEMORY ? zw_out_of_memory(err, NULL) : ZW_OK;
    z.e = solved.elimination;
    if (!derive_conditions(&z))
        return zw_out_of_memory(err, NULL);
    for (int c = 0; c < a->n; c++) {
        z.mu[c] = a->vak.v[nv + c];
        z.value[c] = ZW_NULL;
    }
    put_zeros(&z);
    for (int k = 0; k < nv; k++) {
        z.Rmu[k] = ZW_ZERO;
        for (int c = 0; c < a->n; c++)
            z.Rmu[k] = zw_add(z.ctx, z.Rmu[k],
                              zw_mul(z.ctx, zw_diff(z.ctx, a->vak.h[k], z.mu[c]), z.mu[c]));
    }
    find_rows(&z);
    if (find_motion(&z) && collect_conditions(&z))
        a->value = z.value;
    else
        a->ncondition = 0;
    return zw_context_status(z.ctx, err);
}
