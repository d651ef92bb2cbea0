/* SPDX-License-Identifier: MIT */
/* Claims: their two sides, and the terms before the colon.
 *   by P             multipliers may have rates: under the vakonomic principle lambda(c) is an
 *                    impulse
 *   about (x = c)    the small variables, and the state from which they are measured
 *   along (x = f)    x, x' and x'' are replaced by f and its total time derivatives
 *   as printed       consistent units are part of the claim
 * Three functions exist in claims only. Their values are not functions of the state, so each
 * becomes a symbol of the claim (zw_claimed), whose values are found when the claim is tested. */
#include <stdio.h>
#include <string.h>

#include "base/option.h"
#include "lang/model.h"
#include "mech/system/build.h"
#include "zwang/equations.h"

enum { ORDER_MAX = 12, LIST_MAX = 64 };

/* The claim that is being built. */
typedef struct zw_claiming {
    zw_claim claim;
    bool impulses;
    int nsmall, nmoving; /* small variables; those of them that move */
    zw_small small[LIST_MAX];
    int nclaimed;
    zw_claimed claimed[LIST_MAX];
    int nimpulse;
    zw_expr impulse[LIST_MAX], impulse_rate[LIST_MAX];
    int nalong;
    zw_expr from[3 * LIST_MAX], to[3 * LIST_MAX];
} zw_claiming;

/* ---------------------------------------------------------------------------------- multipliers */

bool zw_has_impulses(const zw_model *m) {
    return m->claiming && m->claiming->impulses;
}

static zw_status too_many(zw_model *m, zw_place place, const char *what) {
    return zw_fail_at(m->err, ZW_E_MODEL, place, "more than %d %s in one claim", LIST_MAX, what);
}

zw_status zw_note_impulse(zw_model *m, const char *constraint, zw_expr symbol) {
    zw_claiming *c = m->claiming;
    if (!zw_has_impulses(m) || zw_is_impulse(m, symbol))
        return ZW_OK;
    if (c->nimpulse == LIST_MAX)
        return too_many(m, c->claim.place, "multipliers");
    c->impulse[c->nimpulse] = symbol;
    c->impulse_rate[c->nimpulse++] = zw_system_lambda_rate(m->sys, constraint);
    return ZW_OK;
}

bool zw_is_impulse(const zw_model *m, zw_expr symbol) {
    for (int i = 0; zw_has_impulses(m) && i < m->claiming->nimpulse; i++)
        if (m->claiming->impulse[i] == symbol)
            return true;
    return false;
}

zw_expr zw_impulse_rate(zw_model *m, zw_expr e) {
    const zw_claiming *c = m->claiming;
    return zw_has_impulses(m) ? zw_along(m->ctx, e, c->nimpulse, c->impulse, c->impulse_rate)
                              : ZW_ZERO;
}

/* ------------------------------------------------------------------------------------ functions */

typedef struct function_row {
    const char *name, *wants;
    zw_quality re, im;
} function_row;

static const function_row functions[] = {
    {"mean", "mean(f, T): the mean of f over the time T, its period", ZW_MEAN, ZW_MEAN},
    {"characteristic",
     "characteristic(z) or characteristic(re, im): the determinant of z - A, A the matrix of the "
     "linear "
     "equations about the state",
     ZW_CHARACTERISTIC_RE, ZW_CHARACTERISTIC_IM},
    {"eigenvalue",
     "eigenvalue(z) or eigenvalue(re, im): the one next to z of the linear equations about the "
     "state",
     ZW_EIGENVALUE_RE, ZW_EIGENVALUE_IM},
};

static const function_row *find_function(const char *name) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0)
            return &functions[i];
    return NULL;
}

/* a name of the model takes precedence */
bool zw_is_claimed(const zw_model *m, const char *name) {
    return find_function(name) && !zw_model_find(m, name);
}

/* its symbol in the claim; equal functions share it */
static zw_status claimed_symbol(zw_model *m, const zw_syntax *node, zw_quality kind,
                                const char *part, const zw_expr arg[2], zw_expr *out) {
    enum { SHORT = 100 };
    zw_claiming *c = m->claiming;
    char name[3 * SHORT];
    for (int i = 0; i < c->nclaimed; i++)
        if (c->claimed[i].kind == kind && memcmp(c->claimed[i].arg, arg, 2 * sizeof *arg) == 0) {
            *out = c->claimed[i].sym;
            return ZW_OK;
        }
    if (c->nclaimed == LIST_MAX)
        return too_many(m, node->place, "means and eigenvalues");
    char *first = zw_print_within(m->ctx, arg[0], ZW_TEXT, SHORT),
         *second = zw_print_within(m->ctx, arg[1], ZW_TEXT, SHORT);
    if (first && second && arg[1] != ZW_ZERO)
        snprintf(name, sizeof name, "%s(%s, %s)%s", node->name, first, second, part);
    else if (first && second)
        snprintf(name, sizeof name, "%s(%s)%s", node->name, first, part);
    else
        snprintf(name, sizeof name, "%s(line %d, column %d)%s", node->name, node->place.line,
                 node->place.column, part);
    zw_string_free(m->ctx, first);
    zw_string_free(m->ctx, second);
    *out = zw_symbol(m->ctx, name);
    c->claimed[c->nclaimed++] = (zw_claimed){kind, *out, {arg[0], arg[1]}, node->place};
    return zw_model_check_expressions(m, node->place);
}

static zw_status eval_mean(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    zw_quantity f;
    zw_expr arg[2];
    zw_dim second = zw_model_dim(m, 0, 0, 1);
    ZW_TRY(zw_model_eval(m, node->arg[0], &f));
    if (f.n > 1)
        return zw_fail_at(m->err, ZW_E_SYNTAX, node->place, "the mean of a vector");
    ZW_TRY(zw_model_scalar(m, node->arg[1], "the period", &second, &arg[1]));
    if (zw_model_variable(m, arg[1])) {
        zw_fail_at(m->err, ZW_E_MODEL, node->arg[1]->place, "the period of a mean changes with %s",
                   zw_expr_name(m->ctx, zw_model_variable(m, arg[1])));
        zw_error_hint(m->err, "it is made of parameters and numbers");
        return ZW_E_MODEL;
    }
    arg[0] = f.e[0];
    *out = f;
    return claimed_symbol(m, node, ZW_MEAN, "", arg, &out->e[0]);
}

static zw_status eval_spectral(zw_model *m, const zw_syntax *node, const function_row *row,
                               zw_quantity *out) {
    static const char *const part[] = {".re", ".im"};
    zw_dim rate = zw_model_dim(m, 0, 0, -1), value = rate;
    zw_expr arg[2] = {ZW_ZERO, ZW_ZERO};
    for (int i = 0; i < node->n; i++)
        ZW_TRY(zw_model_scalar(m, node->arg[i], "the number", &rate, &arg[i]));
    if (m->claiming->nmoving == 0) {
        zw_fail_at(m->err, ZW_E_MODEL, node->place, "%s(...) of which linear equations?",
                   node->name);
        zw_error_hint(m->err,
                      "give the state by all variables of the linear equations: claim %s about (x "
                      "= 0, x' = 0) : ...",
                      m->claiming->claim.name);
        return ZW_E_MODEL;
    }
    if (row->re == ZW_CHARACTERISTIC_RE) /* 1/s^n, where n also depends on the constraints */
        value = zw_dim_any();
    *out = (zw_quantity){.n = node->n, .d = {value, value}};
    for (int i = 0; i < node->n; i++) {
        bool alone = node->n == 1 && row->re == ZW_EIGENVALUE_RE; /* no argument for another part */
        zw_quality kind = alone ? ZW_EIGENVALUE_REAL : i ? row->im : row->re;
        ZW_TRY(claimed_symbol(m, node, kind, node->n > 1 ? part[i] : "", arg, &out->e[i]));
    }
    return ZW_OK;
}

zw_status zw_eval_claimed(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    const function_row *row = find_function(node->name);
    bool mean = row->re == ZW_MEAN;
    if (!m->claiming) {
        zw_fail_at(m->err, ZW_E_MODEL, node->place, "%s(...) is known in claims only", node->name);
        zw_error_hint(m->err, "write it into the claim itself: %s", row->wants);
        return ZW_E_MODEL;
    }
    if (node->n > 2 || (mean && node->n != 2)) {
        zw_fail_at(m->err, ZW_E_SYNTAX, node->place, "%s with %d arguments", node->name, node->n);
        zw_error_hint(m->err, "%s", row->wants);
        return ZW_E_SYNTAX;
    }
    return mean ? eval_mean(m, node, out) : eval_spectral(m, node, row, out);
}

/* ----------------------------------------------------------------------------- before the colon */

/* a parameter, t, a coordinate or a velocity; *moves: it is not a parameter */
static bool is_variable(const zw_system *s, zw_expr e, bool *moves) {
    *moves = false;
    for (int i = 0; i < s->np; i++)
        if (s->param[i].sym == e)
            return true;
    *moves = e != s->t;
    if (e == s->t)
        return true;
    for (int i = 0; i < s->nq; i++)
        if (s->coord[i].sym == e)
            return true;
    for (int i = 0; i < s->nv; i++)
        if (s->velocity[i].sym == e)
            return true;
    return false;
}

static zw_status reject_small(zw_model *m, const zw_syntax *left, const char *why) {
    zw_fail_at(m->err, ZW_E_MODEL, left->place, "a claim is not about this: %s", why);
    zw_error_hint(m->err, "about takes coordinates, states, velocities, parameters with a value of "
                          "their own and t, one by one: about (x = 0, x' = 0, eps = 0)");
    return ZW_E_MODEL;
}

/* a parameter defined by others follows them */
static bool is_made_of_others(const zw_model *m, zw_expr e) {
    for (int i = 0; i < m->sys->np; i++)
        if (m->sys->param[i].sym == e)
            return zw_foreign_symbol(m->ctx, m->sys->param[i].value, 0, NULL) != ZW_NULL;
    return false;
}

static zw_status build_small(zw_model *m, const zw_syntax *left, const zw_syntax *right) {
    zw_claiming *c = m->claiming;
    zw_quantity a, b;
    bool moves;
    ZW_TRY(zw_model_sides(m, left, right, &a, &b));
    for (int k = 0; k < a.n; k++) {
        if (zw_expr_op(m->ctx, a.e[k]) != ZW_OP_SYMBOL || !is_variable(m->sys, a.e[k], &moves))
            return reject_small(m, left, "it is no variable of the motion and no parameter");
        if (is_made_of_others(m, a.e[k]))
            return reject_small(m, left, "a parameter that is made of others follows them");
        for (int i = 0; i < c->nsmall; i++)
            if (c->small[i].sym == a.e[k])
                return zw_fail_at(m->err, ZW_E_MODEL, left->place, "%s is given twice",
                                  zw_expr_name(m->ctx, a.e[k]));
        zw_expr foreign = zw_model_variable(m, b.e[k]);
        if (foreign) {
            zw_fail_at(m->err, ZW_E_MODEL, right->place, "the value here depends on %s",
                       zw_expr_name(m->ctx, foreign));
            zw_error_hint(m->err, "it is made of parameters and numbers");
            return ZW_E_MODEL;
        }
        if (c->nsmall == LIST_MAX)
            return too_many(m, left->place, "variables");
        c->small[c->nsmall++] = (zw_small){.sym = a.e[k], .centre = b.e[k], .place = left->place};
        c->nmoving += moves;
    }
    return ZW_OK;
}

static zw_status build_order(zw_model *m, const zw_terms *t) {
    zw_dim none = zw_dim_none();
    zw_expr e;
    int64_t num, den;
    if (!t->order)
        return ZW_OK;
    ZW_TRY(zw_model_scalar(m, t->order, "the order", &none, &e));
    if (!zw_expr_is_rational(m->ctx, e, &num, &den) || den != 1 || num < 0 || num > ORDER_MAX)
        return zw_fail_at(m->err, ZW_E_MODEL, t->order->place,
                          "an order is a whole number from 0 to %d", ORDER_MAX);
    if (!t->nabout) {
        zw_fail_at(m->err, ZW_E_MODEL, t->order->place, "%s order %d in what?",
                   t->exact ? "of" : "up to", (int)num);
        zw_error_hint(m->err, "give the small variables and their values: about (x = 0, x' = 0)");
        return ZW_E_MODEL;
    }
    m->claiming->claim.order = (int)num;
    m->claiming->claim.exact = t->exact;
    return ZW_OK;
}

/* replaces x, x', x'' by f, f', f'' */
static zw_status build_along(zw_model *m, const zw_syntax *left, const zw_syntax *right) {
    zw_claiming *c = m->claiming;
    zw_quantity a, b;
    ZW_TRY(zw_model_sides(m, left, right, &a, &b));
    if (c->nalong + a.n > LIST_MAX)
        return too_many(m, left->place, "variables");
    for (int k = 0; k < a.n; k++) {
        zw_expr x[3] = {a.e[k], zw_system_rate(m->sys, a.e[k]), zw_system_accel(m->sys, a.e[k])};
        zw_quantity f = zw_quantity_scalar(b.e[k], b.d[k]);
        if (!x[1] || zw_expr_op(m->ctx, x[1]) != ZW_OP_SYMBOL) {
            zw_fail_at(m->err, ZW_E_MODEL, left->place, "a motion is given by coordinates");
            zw_error_hint(m->err,
                          "along (x = a*sin(w*t), ...), x being declared by coord or state, "
                          "its rate not replaced by quasi-velocities");
            return ZW_E_MODEL;
        }
        for (int i = 0; i < 3; i++) {
            if (i > 0)
                ZW_TRY(zw_quantity_rate(m, right->place, 1, &f));
            bool is_symbol = x[i] && zw_expr_op(m->ctx, x[i]) == ZW_OP_SYMBOL;
            c->from[c->nalong] = is_symbol ? x[i] : a.e[k];
            c->to[c->nalong++] = is_symbol ? f.e[0] : b.e[k];
        }
    }
    return ZW_OK;
}

static zw_status build_principle(zw_model *m, const zw_terms *t) {
    const char *names[20];
    int n = 0;
    if (!t->principle)
        return ZW_OK;
    const zw_principle *found = zw_principle_find(t->principle);
    for (const zw_principle *p = zw_principles(); p->name && n < 20; p++)
        names[n++] = p->name;
    if (!found) {
        const char *near = zw_nearest(t->principle, n, names);
        zw_fail_at(m->err, ZW_E_NAME, t->principle_place, "there is no principle '%s'",
                   t->principle);
        zw_error_hint(m->err, near ? "did you mean %s?" : "see docs/principles: %s, ...",
                      near ? near : names[0]);
        return ZW_E_NAME;
    }
    m->claiming->claim.principle = found->name;
    m->claiming->impulses = strcmp(found->name, "vakonomic") == 0;
    return ZW_OK;
}

static zw_status build_terms(zw_model *m, const zw_terms *t) {
    ZW_TRY(build_principle(m, t));
    for (int i = 0; i < t->nabout; i += 2)
        ZW_TRY(build_small(m, t->about[i], t->about[i + 1]));
    for (int i = 0; i < t->nalong; i += 2)
        ZW_TRY(build_along(m, t->along[i], t->along[i + 1]));
    return build_order(m, t);
}

/* ------------------------------------------------------------------------------------ the claim */

static zw_expr substitute_motion(const zw_claiming *c, zw_context *ctx, zw_expr e) {
    return c->nalong ? zw_subst(ctx, e, c->nalong, c->from, c->to) : e;
}

static zw_status add_claim(zw_model *m, const char *name, zw_expr lhs, zw_expr rhs,
                           zw_place place) {
    zw_claiming *c = m->claiming;
    zw_claim claim = c->claim;
    claim.name = name;
    claim.lhs = substitute_motion(c, m->ctx, lhs);
    claim.rhs = substitute_motion(c, m->ctx, rhs);
    claim.place = place;
    claim.nsmall = c->nsmall;
    claim.small = c->small;
    claim.nclaimed = c->nclaimed;
    claim.claimed = c->claimed;
    return zw_system_claim_full(m->sys, &claim, m->err);
}

/* Both sides. If the units of an equation claimed as printed are inconsistent, it is built without
 * units, in SI, so that its numbers can still be tested. */
static zw_status build_sides(zw_model *m, const zw_stmt *s, int i, zw_quantity *left,
                             zw_quantity *right) {
    zw_claiming *c = m->claiming;
    zw_error *err = m->err, clash = {0};
    bool printed = s->terms && s->terms->printed, check = m->check;
    c->claim.units = NULL;
    c->nclaimed = 0;
    if (printed)
        m->err = &clash;
    zw_status status = zw_model_sides(m, s->list[i], s->list[i + 1], left, right);
    m->err = err;
    if (printed && status < 0 && status != ZW_E_UNIT)
        *m->err = clash;
    if (!printed || status != ZW_E_UNIT)
        return status;
    c->claim.units = zw_context_intern(m->ctx, clash.text);
    m->check = false;
    c->nclaimed = 0;
    status = zw_model_sides(m, s->list[i], s->list[i + 1], left, right);
    m->check = check;
    return status;
}

/* one equation, which may be a vector equation */
static zw_status build_equation(zw_model *m, const zw_stmt *s, int i, int *count) {
    zw_claiming *c = m->claiming;
    zw_quantity left, right;
    ZW_TRY(build_sides(m, s, i, &left, &right));
    ZW_TRY(zw_model_check_expressions(m, s->list[i]->place));
    for (int k = 0; k < 2 * c->nclaimed; k++)
        c->claimed[k / 2].arg[k % 2] = substitute_motion(c, m->ctx, c->claimed[k / 2].arg[k % 2]);
    for (int k = 0; k < left.n; k++) {
        const char *name = zw_equation_name(m, s, s->n > 2 || left.n > 1, ++*count);
        if (!name)
            return zw_model_memory(m);
        ZW_TRY(add_claim(m, name, left.e[k], right.e[k], s->list[i]->place));
    }
    return ZW_OK;
}

zw_status zw_build_claim(zw_model *m, zw_stmt *s) {
    zw_claiming claiming = {.claim = {.name = s->name, .place = s->place}};
    zw_status status = ZW_OK;
    int count = 0;
    m->claiming = &claiming;
    if (s->terms)
        status = build_terms(m, s->terms);
    for (int i = 0; i < s->n && status >= 0; i += 2)
        status = build_equation(m, s, i, &count);
    m->claiming = NULL;
    return status;
}
