/* SPDX-License-Identifier: MIT */
/* The conserved observables and states of a model. With M v' = h + C lambda and W v' = b
 * the rate of O(q, v, t) is
 *
 *     O_q q' + O_v v' + O_t,
 *
 * and O is conserved if that vanishes at every tested state, numerically. It is proved if with
 * x = M^-1 O_v, M diagonal, both
 *
 *     O_q q' + x . h + O_t     and     C' x
 *
 * are zero as expressions. An open contact acts by forces that h does not contain: it does not
 * change O if x has no part in its velocities, and otherwise O is conserved while the contact is
 * open.
 *
 * What has the same value at all admissible states follows from the constraints, and what is a
 * multiple of a known quantity plus a constant is no further one: neither is reported. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/append.h"
#include "conserved.h"
#include "expr/calculus/ratio.h"
#include "expr/core/rounding_size.h"
#include "formulas/symbolic/symbolic.h"

enum {
    VELOCITIES_MOST = 300,  /* of a system whose accelerations are computed for this */
    OBSERVABLES_MOST = 200, /* tested observables */
    STATES_LEAST = 3        /* states at which an observable must have a value */
};
/* of the sum of absolute summands of a rate: round-off of accelerations that are solved for */
#define CONSERVED_RATE 1e-9
/* of the velocity of a contact: a smaller part along x is round-off */
#define CONTACT_UNAFFECTED 1e-9
/* of the spread of a quantity over the states: a smaller difference is round-off */
#define SAME_QUANTITY 1e-9

typedef struct observed {
    zw_classification *out;
    const zw_system *s;
    zw_context *ctx;
    const zw_state_set *states;
    zw_equations eq;
    int nc, *row;          /* independent constraints, as rows of eq */
    bool diagonal;         /* M is diagonal */
    zw_expr *Oq, *Ov, Ot;  /* nq, nv */
    double *accelerations; /* states x nv */
    double *x;             /* states x nv: M^-1 O_v */
    /* states: the accelerations are finite there, and so is the observable */
    bool *known, *has_value;
    double *q, *v, *A, *b; /* scratch */
} observed;

static bool evaluate_at_state(const observed *o, int state, int n, const zw_expr *e, double *out) {
    return zw_states_values(&o->states->at[state], &o->eq, n, e, out);
}

/* ----------------------------------------------------------------------------------- the motion */

/* Solves (M, -C; W, 0) (v', lambda) = (h, b) at a state, or with any vector instead of h, and b =
 * 0. */
static bool solve_at(observed *o, int state, bool own, double *right) {
    int nv = o->eq.nv, n = nv + o->nc;
    double *M = o->A, *part = o->b;
    memset(M, 0, sizeof *M * (size_t)(n * n));
    if (!evaluate_at_state(o, state, nv * nv, o->eq.M, part))
        return false;
    for (int i = 0; i < nv; i++)
        memcpy(M + (size_t)(i * n), part + (size_t)(i * nv), sizeof *M * (size_t)nv);
    if (!own) /* the mass matrix alone */
        for (int c = nv; c < n; c++)
            M[c * n + c] = 1;
    if (own && !evaluate_at_state(o, state, nv * o->eq.nc, o->eq.C, part))
        return false;
    for (int c = 0; own && c < o->nc; c++)
        for (int i = 0; i < nv; i++)
            M[i * n + nv + c] = -part[i * o->eq.nc + o->row[c]];
    if (own && !evaluate_at_state(o, state, nv * o->eq.nc, o->eq.W, part))
        return false;
    for (int c = 0; own && c < o->nc; c++)
        memcpy(M + (size_t)((nv + c) * n), part + (size_t)(o->row[c] * nv), sizeof *M * (size_t)nv);
    return zw_symbolic_solve_numbers(n, M, 1, right);
}

static bool solve_accelerations(observed *o, int state, double *right, double *b) {
    int nv = o->eq.nv;
    if (!evaluate_at_state(o, state, nv, o->eq.h, right) ||
        !evaluate_at_state(o, state, o->eq.nc, o->eq.b, b))
        return false;
    for (int c = 0; c < o->nc; c++)
        right[nv + c] = b[o->row[c]];
    if (nv > 0 && !solve_at(o, state, true, right))
        return false;
    memcpy(o->accelerations + (size_t)(state * nv), right, sizeof *right * (size_t)nv);
    return true;
}

static zw_status find_accelerations(observed *o, zw_error *err) {
    double *right = ZW_CONTEXT_NEW(o->ctx, double, o->eq.nv + o->nc + 1),
           *b = ZW_CONTEXT_NEW(o->ctx, double, o->eq.nc + 1);
    if (!right || !b)
        return zw_context_status(o->ctx, err);
    for (int i = 0; i < o->states->n; i++)
        o->known[i] = solve_accelerations(o, i, right, b);
    return ZW_OK;
}

static zw_status prepare_observed(observed *o, const zw_active *active, zw_error *err) {
    zw_context *ctx = o->ctx;
    ZW_TRY(zw_derive(&o->eq, o->s, active, "lagrange", err));
    int nq = o->eq.nq, nv = o->eq.nv, n = nv + o->eq.nc, most = n * n + nq + nv + 1;
    o->row = ZW_CONTEXT_NEW(ctx, int, o->eq.nc + 1);
    o->Oq = ZW_CONTEXT_NEW(ctx, zw_expr, nq + 1);
    o->Ov = ZW_CONTEXT_NEW(ctx, zw_expr, nv + 1);
    o->accelerations = ZW_CONTEXT_NEW(ctx, double, o->states->n *nv + 1);
    o->x = ZW_CONTEXT_NEW(ctx, double, o->states->n *nv + 1);
    o->known = ZW_CONTEXT_NEW(ctx, bool, o->states->n + 1);
    o->has_value = ZW_CONTEXT_NEW(ctx, bool, o->states->n + 1);
    o->q = ZW_CONTEXT_NEW(ctx, double, 2 * nq + 1);
    o->v = ZW_CONTEXT_NEW(ctx, double, 2 * n + 1);
    o->A = ZW_CONTEXT_NEW(ctx, double, most);
    o->b = ZW_CONTEXT_NEW(ctx, double, most);
    if (!o->row || !o->Oq || !o->Ov || !o->accelerations || !o->x || !o->known || !o->has_value ||
        !o->q || !o->v || !o->A || !o->b)
        return zw_context_status(ctx, err);
    for (int c = 0; c < o->eq.nc; c++) /* dependent ones have no rows */
        for (int i = 0; i < o->out->n; i++)
            if (o->out->constraint[i].constraint == o->eq.constraint[c] &&
                o->out->constraint[i].ndepends < 0)
                o->row[o->nc++] = c;
    o->diagonal = true;
    for (int i = 0; i < nv * nv; i++)
        o->diagonal &= i % (nv + 1) == 0 || o->eq.M[i] == ZW_ZERO;
    return ZW_OK;
}

/* -------------------------------------------------------------------------------- an observable */

/* Does it depend on positions, velocities, time and parameters only, and on the first two at
 * all? */
static bool is_of_state(const observed *o, zw_expr value) {
    const zw_sample *at = &o->states->at[0];
    int n = o->s->np + o->eq.nq + o->eq.nv + 1;
    return n <= at->n && zw_foreign_symbol(o->ctx, value, n, at->sym) == ZW_NULL &&
           (zw_depends_any(o->ctx, value, o->eq.nq, o->eq.q) ||
            zw_depends_any(o->ctx, value, o->eq.nv, o->eq.v));
}

/* Is it conserved at a state? Computes x. *moves: something in it changes. *has_value: it has a
 * value there. */
static bool stays_at(observed *o, int state, bool *moves, bool *has_value) {
    int nq = o->eq.nq, nv = o->eq.nv;
    double sum, *rate = o->q + nq, *slope = o->v, *a = o->accelerations + (size_t)(state * nv);
    *has_value = o->known[state] && evaluate_at_state(o, state, nq, o->Oq, o->q) &&
                 evaluate_at_state(o, state, nq, o->eq.qdot, rate) &&
                 evaluate_at_state(o, state, nv, o->Ov, slope) &&
                 evaluate_at_state(o, state, 1, &o->Ot, &sum);
    if (!*has_value)
        return true;
    double sizes = fabs(sum);
    for (int k = 0; k < nq; k++) {
        sum += o->q[k] * rate[k];
        sizes += fabs(o->q[k] * rate[k]);
    }
    for (int k = 0; k < nv; k++) {
        sum += slope[k] * a[k];
        sizes += fabs(slope[k] * a[k]);
    }
    *moves |= sizes > 0;
    if (!(fabs(sum) <= CONSERVED_RATE * sizes))
        return false;
    for (int c = 0; c < o->nc; c++)
        slope[nv + c] = 0;
    if (nv > 0 && !solve_at(o, state, false, slope))
        return false;
    memcpy(o->x + (size_t)(state * nv), slope, sizeof *slope * (size_t)nv);
    return true;
}

static bool is_constant(observed *o, zw_expr value) {
    bool moves = false;
    int has_value = 0;
    zw_gradient(o->ctx, value, o->eq.nq, o->eq.q, o->Oq);
    zw_gradient(o->ctx, value, o->eq.nv, o->eq.v, o->Ov);
    o->Ot = zw_diff(o->ctx, value, o->s->t);
    for (int i = 0; i < o->states->n; i++) {
        if (!stays_at(o, i, &moves, &o->has_value[i]))
            return false;
        has_value += o->has_value[i];
    }
    return moves && has_value >= STATES_LEAST;
}

/* Is it a multiple of the other one, plus a constant? other ZW_NULL: is it a constant? */
static bool is_multiple(const observed *o, zw_expr value, zw_expr other) {
    double spread = 0, most = 0, uu = 0, uw = 0, ww = 0;
    zw_expr both[2] = {value, other ? other : ZW_ZERO};
    zw_sized first[2] = {{0}}, at[2];
    bool begun = false;
    for (int i = 0; i < o->states->n; i++) {
        const zw_sample *state = &o->states->at[i];
        if (!o->has_value[i])
            continue;
        zw_eval_sizes(o->ctx, 2, both, state->n, state->sym, state->value, at);
        if (!isfinite(at[0].value) || !isfinite(at[1].value))
            continue;
        if (!begun)
            memcpy(first, at, sizeof first);
        begun = true;
        double u = at[0].value - first[0].value, w = at[1].value - first[1].value;
        uu += u * u;
        uw += u * w;
        ww += w * w;
        most = fmax(most, at[0].size);
        spread = fmax(spread, fabs(u));
    }
    if (!(spread > SAME_QUANTITY * most))
        return true;
    return other && ww > 0 && uu - uw * uw / ww <= SAME_QUANTITY * uu;
}

static bool is_known(const observed *o, zw_expr value) {
    if (is_multiple(o, value, ZW_NULL))
        return true;
    for (int i = 0; i < o->out->nconserved; i++)
        if (is_multiple(o, value, o->out->conserved[i].value))
            return true;
    return false;
}

/* Does x change the velocity of a contact? */
static bool is_pushed(const observed *o, zw_expr rate) {
    int nv = o->eq.nv;
    zw_expr *slope = ZW_CONTEXT_NEW(o->ctx, zw_expr, nv + 1);
    if (!slope)
        return true;
    zw_gradient(o->ctx, rate, nv, o->eq.v, slope);
    for (int i = 0; i < o->states->n; i++) {
        double sum = 0, sizes = 0;
        if (!o->has_value[i])
            continue;
        if (!evaluate_at_state(o, i, nv, slope, o->v))
            return true;
        for (int k = 0; k < nv; k++) {
            sum += o->v[k] * o->x[i * nv + k];
            sizes += fabs(o->v[k] * o->x[i * nv + k]);
        }
        if (fabs(sum) > CONTACT_UNAFFECTED * sizes)
            return true;
    }
    return false;
}

/* The names of the contacts that change it. *free: some do not, or there is none at all. */
static const char *list_pushing_contacts(const observed *o, bool *free) {
    char names[400] = "";
    *free = o->s->ncontact == 0;
    for (int i = 0; i < o->s->ncontact; i++) {
        const zw_contact *c = &o->s->contact[i];
        bool pushed = false;
        if (c->off)
            continue;
        for (int k = -1; k < c->nblock && !pushed; k++)
            for (int r = 0; r < (k < 0 ? !c->bilateral : c->block[k].nrow) && !pushed; r++)
                pushed = is_pushed(o, k < 0 ? c->rate : c->block[k].rate[r]);
        *free |= !pushed;
        if (pushed) {
            zw_append(names, sizeof names, names[0] ? ", " : "");
            zw_append(names, sizeof names, "%s", c->name);
        }
    }
    return names[0] ? zw_context_intern(o->ctx, names) : NULL;
}

static bool is_proved(const observed *o) {
    zw_context *ctx = o->ctx;
    int nq = o->eq.nq, nv = o->eq.nv, nc = o->eq.nc;
    zw_expr sum = zw_add(ctx, o->Ot, zw_dot(ctx, nq, o->Oq, o->eq.qdot));
    if (!o->diagonal)
        return false;
    for (int k = 0; k < nv; k++)
        if (o->Ov[k] != ZW_ZERO)
            sum = zw_add(ctx, sum,
                         zw_div(ctx, zw_mul(ctx, o->Ov[k], o->eq.h[k]), o->eq.M[k * nv + k]));
    if (!zw_ratio_is_zero(ctx, sum))
        return false;
    for (int c = 0; c < nc; c++) {
        zw_expr push = ZW_ZERO;
        for (int k = 0; k < nv; k++)
            if (o->Ov[k] != ZW_ZERO)
                push = zw_add(
                    ctx, push,
                    zw_div(ctx, zw_mul(ctx, o->Ov[k], o->eq.C[k * nc + c]), o->eq.M[k * nv + k]));
        if (!zw_ratio_is_zero(ctx, push))
            return false;
    }
    return true;
}

static bool accept_quantity(observed *o, const char *name, zw_expr value, zw_conserved *out) {
    bool free;
    if (is_known(o, value))
        return false;
    const char *open = list_pushing_contacts(o, &free);
    if (!free)
        return false; /* constant in flight: not worth reporting */
    *out = (zw_conserved){.name = name,
                          .value = value,
                          .by = o->s->ncontact == 0 && is_proved(o) ? ZW_PROVED : ZW_AT_POINTS,
                          .observed = true,
                          .while_open = open};
    return true;
}

/* A state has a value everywhere. */
static void mark_everywhere(observed *o) {
    for (int i = 0; i < o->states->n; i++)
        o->has_value[i] = true;
}

static zw_status find_quantities(observed *o, zw_conserved *list) {
    const zw_system *s = o->s;
    int *n = &o->out->nconserved;
    for (int i = 0; i < s->nobservable && i < OBSERVABLES_MOST; i++)
        if (is_of_state(o, s->observable[i].value) && is_constant(o, s->observable[i].value))
            *n += accept_quantity(o, s->observable[i].name, s->observable[i].value, &list[*n]);
    for (int i = 0; i < o->eq.nq && i < OBSERVABLES_MOST && s->ncontact == 0; i++)
        if (o->eq.qdot[i] == ZW_ZERO) {
            mark_everywhere(o);
            if (accept_quantity(o, s->coord[i].name, o->eq.q[i], &list[*n]))
                list[(*n)++].by = ZW_PROVED;
        }
    return zw_context_status(o->ctx, NULL);
}

zw_status zw_conserved_observed(zw_classification *out, const zw_system *s, const zw_active *active,
                                const zw_state_set *states, zw_error *err) {
    observed o = {.out = out, .s = s, .ctx = s->ctx, .states = states};
    zw_error trouble = {0};
    if (states->n < STATES_LEAST || s->nv > VELOCITIES_MOST)
        return ZW_OK;
    zw_conserved *list =
        ZW_CONTEXT_NEW(s->ctx, zw_conserved, out->nconserved + s->nobservable + s->nq + 1);
    if (!list)
        return zw_context_status(s->ctx, err);
    if (out->nconserved)
        memcpy(list, out->conserved, sizeof *list * (size_t)out->nconserved);
    out->conserved = list;
    zw_status status = prepare_observed(&o, active, &trouble);
    if (status >= 0)
        status = find_accelerations(&o, &trouble);
    if (status >= 0)
        status = find_quantities(&o, list);
    return status == ZW_E_MEMORY ? zw_context_status(s->ctx, err) : ZW_OK;
}
