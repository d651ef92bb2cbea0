/* SPDX-License-Identifier: MIT */
/* Expressions: nodes of the tree to scalars and tuples with dimensions. Sums need equal dimensions,
 * products multiply them, functions need plain numbers; the plain number 0 fits every dimension. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mech/system/build.h"
#include "model.h"

zw_quantity zw_quantity_scalar(zw_expr e, zw_dim d) {
    return (zw_quantity){.n = 1, .e = {e}, .d = {d}};
}

zw_quantity zw_vector_value(const zw_expr e[3], zw_dim d) {
    return (zw_quantity){.n = 3, .e = {e[0], e[1], e[2]}, .d = {d, d, d}};
}

zw_dim zw_model_dim(const zw_model *m, int kg, int metre, int second) {
    return m->tree.no_units ? zw_dim_none() : zw_dim_mechanical(kg, metre, second);
}

bool zw_model_fits(const zw_model *m, const zw_dim *a, const zw_dim *b) {
    return !m->check || zw_dim_fits(a, b);
}

zw_status zw_model_unit_mismatch(zw_model *m, zw_place place, const char *fmt, const zw_dim *a,
                                 const zw_dim *b) {
    char left[ZW_DIM_WORDS], right[ZW_DIM_WORDS], text[4 * ZW_DIM_TEXT];
    zw_dim_words(a, left);
    zw_dim_words(b, right);
    /* fmt comes from callers in this module and contains two %s */
    const char *first = strstr(fmt, "%s"), *second = strstr(first + 2, "%s");
    snprintf(text, sizeof text, "%.*s%s%.*s%s%s", (int)(first - fmt), fmt, left,
             (int)(second - first - 2), first + 2, right, second + 2);
    zw_fail_at(m->err, ZW_E_UNIT, place, "%s", text);
    /* a plain number may lack its unit; where a plain number is required, the caller has another
     * hint */
    bool forgotten = (zw_dim_is_none(a) && a->angle == 0 && !zw_dim_is_none(b)) ||
                     (zw_dim_is_none(b) && b->angle == 0 && strstr(fmt, "must be") == NULL);
    if (forgotten)
        zw_error_hint(m->err, "a number gets its unit in brackets, as in 9.81 [m/s^2]; a model "
                              "without any units says 'units none'");
    return ZW_E_UNIT;
}

/* ---------------------------------------------------------------------------------- numbers */

/* 9.81 is 981/100; if 64 bits are not sufficient, the nearest double */
zw_expr zw_number_expr(zw_context *ctx, const char *digits) {
    int64_t mantissa = 0;
    int exponent = 0, seen = 0;
    bool point = false;
    const char *p = digits;
    for (; isdigit((unsigned char)*p) || *p == '.'; p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        if (seen == 18)
            return zw_real(ctx, strtod(digits, NULL));
        mantissa = 10 * mantissa + (*p - '0');
        seen += mantissa > 0;
        exponent -= point;
    }
    if (*p) {
        long shift = strtol(p + 1, NULL, 10);
        if (shift > 18 || shift < -18)
            return zw_real(ctx, strtod(digits, NULL));
        exponent += (int)shift;
    }
    int64_t scale = 1;
    if (exponent > 18 || exponent < -18)
        return zw_real(ctx, strtod(digits, NULL));
    for (int i = abs(exponent); i > 0; i--)
        scale *= 10;
    if (exponent < 0)
        return zw_rational(ctx, mantissa, scale);
    return __builtin_mul_overflow(mantissa, scale, &mantissa) ? zw_real(ctx, strtod(digits, NULL))
                                                              : zw_integer(ctx, mantissa);
}

zw_expr zw_unit_expr(zw_context *ctx, const zw_unit *unit) {
    if (!unit->exact)
        return zw_real(ctx, unit->factor);
    return zw_mul(ctx, zw_rational(ctx, unit->num, unit->den),
                  zw_pow(ctx, ZW_PI, zw_integer(ctx, unit->pi_power)));
}

static zw_status eval_number(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    zw_expr e = zw_number_expr(m->ctx, node->name);
    if (!node->has_unit) {
        *out = zw_quantity_scalar(e, e == ZW_ZERO ? zw_dim_any() : zw_dim_none());
        return ZW_OK;
    }
    if (m->tree.no_units && !zw_dim_is_none(&node->unit.dim)) {
        zw_fail_at(m->err, ZW_E_UNIT, node->place, "a unit in a model that says 'units none'");
        zw_error_hint(m->err,
                      "angles in [deg] are allowed; otherwise drop the unit or 'units none'");
        return ZW_E_UNIT;
    }
    *out = zw_quantity_scalar(zw_mul(m->ctx, e, zw_unit_expr(m->ctx, &node->unit)), node->unit.dim);
    return ZW_OK;
}

/* ------------------------------------------------------------------------------- arithmetic */

static zw_status add_units(zw_model *m, zw_place place, bool minus, const zw_dim *dx,
                           const zw_dim *dy, zw_dim *d) {
    if (!zw_model_fits(m, dx, dy))
        return zw_model_unit_mismatch(
            m, place,
            minus ? "a difference needs equal units; its terms are %s and %s"
                  : "a sum needs equal units; its terms are %s and %s",
            dx, dy);
    *d = dx->any ? *dy : *dx;
    return ZW_OK;
}

static zw_status add_values(zw_model *m, zw_place place, bool minus, zw_expr x, const zw_dim *dx,
                            zw_expr y, const zw_dim *dy, zw_expr *e, zw_dim *d) {
    ZW_TRY(add_units(m, place, minus, dx, dy, d));
    *e = minus ? zw_sub(m->ctx, x, y) : zw_add(m->ctx, x, y);
    return ZW_OK;
}

static zw_status multiply_values(zw_model *m, zw_place place, bool over, zw_expr x,
                                 const zw_dim *dx, zw_expr y, const zw_dim *dy, zw_expr *e,
                                 zw_dim *d) {
    if (over && y == ZW_ZERO) {
        zw_fail_at(m->err, ZW_E_DOMAIN, place, "division by zero");
        zw_error_hint(m->err, "the denominator is zero for all parameter values");
        return ZW_E_DOMAIN;
    }
    if (!zw_dim_combine(d, dx, dy, over ? -1 : 1))
        return zw_fail_at(m->err, ZW_E_UNIT, place,
                          "the exponents of the unit are out of all proportion");
    *e = over ? zw_div(m->ctx, x, y) : zw_mul(m->ctx, x, y);
    return ZW_OK;
}

static zw_status combine_one(zw_model *m, zw_place place, char op, const zw_quantity *a, int i,
                             const zw_quantity *b, int j, zw_quantity *out, int k) {
    if (op == '+' || op == '-')
        return add_values(m, place, op == '-', a->e[i], &a->d[i], b->e[j], &b->d[j], &out->e[k],
                          &out->d[k]);
    return multiply_values(m, place, op == '/', a->e[i], &a->d[i], b->e[j], &b->d[j], &out->e[k],
                           &out->d[k]);
}

static zw_status scalar_product(zw_model *m, zw_place place, const zw_quantity *a,
                                const zw_quantity *b, zw_quantity *out) {
    int n = a->n < b->n ? a->n : b->n, most = a->n < b->n ? b->n : a->n;
    /* a pair and a triple: the pair has z = 0 */
    if (n < 2 || (n != most && !(n == 2 && most == 3))) {
        zw_fail_at(m->err, ZW_E_SYNTAX, place,
                   "a scalar product needs two vectors of equal length");
        zw_error_hint(m->err, "the sides have %d and %d components", a->n, b->n);
        return ZW_E_SYNTAX;
    }
    zw_quantity sum = zw_quantity_scalar(ZW_ZERO, zw_dim_any());
    for (int i = 0; i < n; i++) {
        zw_quantity term = {.n = 1}, total = {.n = 1};
        ZW_TRY(combine_one(m, place, '*', a, i, b, i, &term, 0));
        ZW_TRY(combine_one(m, place, '+', &sum, 0, &term, 0, &total, 0));
        sum = total;
    }
    *out = sum;
    return ZW_OK;
}

static zw_status wrong_shapes(zw_model *m, zw_place place, char op, const zw_quantity *a,
                              const zw_quantity *b) {
    if (op == '*' && a->n > 1 && b->n > 1) {
        zw_fail_at(m->err, ZW_E_SYNTAX, place, "'*' between two vectors");
        zw_error_hint(m->err, "write dot(a, b) or cross(a, b)");
    } else if (op == '/') {
        zw_fail_at(m->err, ZW_E_SYNTAX, place, "division by a vector");
        zw_error_hint(m->err, "divide by its length: norm(a)");
    } else {
        zw_fail_at(m->err, ZW_E_SYNTAX, place, "'%c' between %d components and %d", op, a->n, b->n);
        zw_error_hint(m->err, "both sides must be scalars, or vectors of equal length");
    }
    return ZW_E_SYNTAX;
}

zw_quantity zw_quantity_in_space(const zw_quantity *v, int n) {
    zw_quantity r = *v;
    if (v->n == 2 && n == 3) {
        r.n = 3;
        r.e[2] = ZW_ZERO;
        r.d[2] = zw_dim_any();
    }
    return r;
}

zw_status zw_quantity_combine(zw_model *m, zw_place place, char op, const zw_quantity *left,
                              const zw_quantity *right, zw_quantity *out) {
    if (op == '.')
        return scalar_product(m, place, left, right, out);
    bool sum = op == '+' || op == '-';
    const zw_quantity first = zw_quantity_in_space(left, sum ? right->n : 0),
                      second = zw_quantity_in_space(right, sum ? left->n : 0), *a = &first,
                      *b = &second;
    bool fits = sum ? a->n == b->n : op == '/' ? b->n == 1 : a->n == 1 || b->n == 1;
    if (!fits)
        return wrong_shapes(m, place, op, a, b);
    zw_quantity r = {.n = a->n > b->n ? a->n : b->n};
    for (int k = 0; k < r.n; k++)
        ZW_TRY(combine_one(m, place, op, a, a->n > 1 ? k : 0, b, b->n > 1 ? k : 0, &r, k));
    *out = r;
    return ZW_OK;
}

enum { SHORT_SUM_MAX = 2 }; /* for sums of up to so few terms nothing is gained */

/* A long sum of scalars: collects the terms, then adds all at once, because every partial sum would
 * be a node as long as its terms. *at counts the terms of the sum: a vector ends it, and is left to
 * the caller. */
static zw_status eval_terms(zw_model *m, const zw_syntax *node, zw_expr *term, int *at,
                            zw_quantity *out, zw_quantity *vector) {
    term[0] = out->e[0];
    for (*at = 1; *at < node->n; ++*at) {
        const zw_syntax *arg = node->arg[*at];
        bool minus = node->op[*at] == '-';
        ZW_TRY(zw_model_eval(m, arg, vector));
        if (vector->n > 1)
            break;
        ZW_TRY(add_units(m, arg->place, minus, &out->d[0], &vector->d[0], &out->d[0]));
        term[*at] = minus ? zw_neg(m->ctx, vector->e[0]) : vector->e[0];
    }
    out->e[0] = zw_sum(m->ctx, *at, term);
    return ZW_OK;
}

static zw_status eval_long_sum(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    zw_allocator alloc = zw_context_allocator(m->ctx);
    size_t size = (size_t)node->n * sizeof(zw_expr);
    zw_expr *term = zw_allocate(&alloc, size);
    if (!term)
        return zw_model_memory(m);
    zw_quantity vector;
    int at;
    zw_status status = eval_terms(m, node, term, &at, out, &vector);
    zw_release(&alloc, term, size);
    if (status >= 0 && at < node->n)
        return zw_quantity_combine(m, node->arg[at]->place, node->op[at], out, &vector, out);
    return status;
}

static zw_status eval_chain(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    ZW_TRY(zw_model_eval(m, node->arg[0], out));
    if (node->kind == ZW_ND_SUM && node->n > SHORT_SUM_MAX && out->n == 1)
        return eval_long_sum(m, node, out);
    for (int i = 1; i < node->n; i++) {
        zw_quantity term;
        ZW_TRY(zw_model_eval(m, node->arg[i], &term));
        ZW_TRY(zw_quantity_combine(m, node->arg[i]->place, node->op[i], out, &term, out));
    }
    return ZW_OK;
}

static zw_status eval_negative(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    ZW_TRY(zw_model_eval(m, node->arg[0], out));
    for (int k = 0; k < out->n; k++)
        out->e[k] = zw_neg(m->ctx, out->e[k]);
    return ZW_OK;
}

static zw_status eval_power(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    zw_quantity base, exponent;
    ZW_TRY(zw_model_eval(m, node->arg[0], &base));
    ZW_TRY(zw_model_eval(m, node->arg[1], &exponent));
    if (base.n > 1 || exponent.n > 1) {
        zw_fail_at(m->err, ZW_E_SYNTAX, node->place, "'^' with a vector");
        zw_error_hint(m->err, "the square of a vector a is dot(a, a)");
        return ZW_E_SYNTAX;
    }
    zw_dim none = zw_dim_none(), d = base.d[0];
    if (!zw_model_fits(m, &exponent.d[0], &none))
        return zw_model_unit_mismatch(m, node->arg[1]->place, "an exponent is %s and must be %s",
                                      &exponent.d[0], &none);
    int64_t num = 0, den = 1;
    bool rational = zw_expr_is_rational(m->ctx, exponent.e[0], &num, &den);
    if (base.e[0] == ZW_ZERO && rational && num < 0)
        return zw_fail_at(m->err, ZW_E_DOMAIN, node->place, "division by zero");
    if (m->check && !rational && !zw_dim_is_none(&d) && !d.any) {
        zw_fail_at(m->err, ZW_E_UNIT, node->place,
                   "a quantity with a unit to a power that is no number");
        zw_error_hint(m->err, "divide it by a reference first: (x/x0)^n");
        return ZW_E_UNIT;
    }
    if (!rational || num == 0)
        d = none;
    else if (!zw_dim_power(&d, &base.d[0], num, den))
        return zw_fail_at(m->err, ZW_E_UNIT, node->place, "the exponent is out of all proportion");
    *out = zw_quantity_scalar(zw_pow(m->ctx, base.e[0], exponent.e[0]), d);
    return ZW_OK;
}

/* -------------------------------------------------------------------------- tests and tuples */

static zw_status eval_plain(zw_model *m, const zw_syntax *node, const char *what, zw_expr *out) {
    zw_dim none = zw_dim_none();
    return zw_model_scalar(m, node, what, &none, out);
}

static zw_status eval_compare(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    zw_quantity a, b;
    ZW_TRY(zw_model_eval(m, node->arg[0], &a));
    ZW_TRY(zw_model_eval(m, node->arg[1], &b));
    if (a.n > 1 || b.n > 1)
        return zw_fail_at(m->err, ZW_E_SYNTAX, node->place, "vectors cannot be compared");
    if (!zw_model_fits(m, &a.d[0], &b.d[0]))
        return zw_model_unit_mismatch(m, node->place,
                                      "a comparison needs equal units; its sides are %s and %s",
                                      &a.d[0], &b.d[0]);
    bool less = node->op[0] == '<' || node->op[0] == 'l';
    bool strict = node->op[0] == '<' || node->op[0] == '>';
    zw_expr args[2] = {less ? a.e[0] : b.e[0], less ? b.e[0] : a.e[0]};
    *out =
        zw_quantity_scalar(zw_apply(m->ctx, strict ? ZW_OP_LT : ZW_OP_LE, 2, args), zw_dim_none());
    return ZW_OK;
}

static zw_status eval_logic(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    zw_expr args[2] = {ZW_NULL, ZW_NULL};
    ZW_TRY(eval_plain(m, node->arg[0], "a condition", &args[0]));
    if (node->kind == ZW_ND_NOT)
        args[0] = zw_apply(m->ctx, ZW_OP_NOT, 1, args);
    for (int i = 1; i < node->n; i++) {
        ZW_TRY(eval_plain(m, node->arg[i], "a condition", &args[1]));
        args[0] = zw_apply(m->ctx, node->kind == ZW_ND_AND ? ZW_OP_AND : ZW_OP_OR, 2, args);
    }
    *out = zw_quantity_scalar(args[0], zw_dim_none());
    return ZW_OK;
}

static zw_status eval_tuple(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    *out = (zw_quantity){.n = node->n};
    for (int k = 0; k < node->n; k++) {
        zw_quantity component;
        ZW_TRY(zw_model_eval(m, node->arg[k], &component));
        if (component.n > 1)
            return zw_fail_at(m->err, ZW_E_SYNTAX, node->arg[k]->place,
                              "a vector as component of a vector");
        out->e[k] = component.e[0];
        out->d[k] = component.d[0];
    }
    return ZW_OK;
}

/* ----------------------------------------------------------------------------- time derivative */

/* The allowed symbols: the parameters, and for the total time derivative also t, the coordinates
 * and the velocities. The array belongs to the model and is reused. NULL if out of memory. */
static const zw_expr *known_symbols(zw_model *m, bool parameters_only, int *n) {
    const zw_system *s = m->sys;
    int most = s->np + 2 * s->nq + s->nv + m->nentry + 1;
    if (most > m->known_capacity) {
        m->known = ZW_NEW(m->arena, zw_expr, 2 * most);
        m->known_capacity = m->known ? 2 * most : 0;
        if (!m->known)
            return NULL;
    }
    *n = 0;
    for (int i = 0; i < s->np; i++)
        m->known[(*n)++] = s->param[i].sym;
    if (parameters_only)
        return m->known;
    m->known[(*n)++] = s->t;
    for (int i = 0; i < s->nq; i++) {
        m->known[(*n)++] = s->coord[i].sym;
        if (s->coord[i].state && !s->finished) /* the symbol of its rate */
            m->known[(*n)++] = s->coord[i].rate;
    }
    for (int i = 0; i < s->nv; i++)
        m->known[(*n)++] = s->velocity[i].sym;
    for (int i = 0; i < m->nentry; i++) /* places do not depend on time */
        if (m->entry[i].kind == ZW_ST_SPACE && m->entry[i].progress == ZW_BUILT)
            m->known[(*n)++] = m->entry[i].value.e[0];
    return m->known;
}

zw_expr zw_model_variable(zw_model *m, zw_expr e) {
    int n = 0;
    const zw_expr *known = known_symbols(m, true, &n);
    return known ? zw_foreign_symbol(m->ctx, e, n, known) : ZW_NULL;
}

static zw_status check_rate(zw_model *m, zw_place place, zw_expr e) {
    int n = 0;
    const zw_expr *known = known_symbols(m, false, &n);
    if (!known)
        return zw_model_memory(m);
    zw_expr foreign = zw_foreign_symbol(m->ctx, e, n, known);
    if (!foreign || (m->higher && zw_is_higher(m, foreign)) || zw_is_impulse(m, foreign))
        return ZW_OK;
    for (int i = 0; i < m->sys->nsignal; i++)
        if (foreign == m->sys->signal[i].sym)
            return zw_mech_reject_signal("a rate", &m->sys->signal[i], place, m->err);
    zw_fail_at(m->err, ZW_E_MODEL, place, "the rate of an expression that holds %s",
               zw_expr_name(m->ctx, foreign));
    zw_error_hint(m->err, "accelerations and multipliers cannot be differentiated in time");
    return ZW_E_MODEL;
}

zw_status zw_quantity_rate(zw_model *m, zw_place place, int count, zw_quantity *v) {
    if (count > 2 && !m->higher) {
        zw_fail_at(m->err, ZW_E_SYNTAX, place, "more than two primes");
        zw_error_hint(m->err, "x' is a rate, x'' an acceleration; higher derivatives stand in "
                              "constraints, and what they make states of in start and set");
        return ZW_E_SYNTAX;
    }
    if (count > ZW_PRIMES_MAX)
        return zw_fail_at(m->err, ZW_E_SYNTAX, place, "more than %d primes", ZW_PRIMES_MAX);
    zw_dim second = zw_model_dim(m, 0, 0, 1);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < v->n; k++) {
            ZW_TRY(check_rate(m, place, v->e[k]));
            zw_expr impulses = zw_impulse_rate(m, v->e[k]);
            v->e[k] = m->higher ? zw_higher_rate(m, v->e[k]) : zw_system_dt(m->sys, v->e[k]);
            v->e[k] = zw_add(m->ctx, v->e[k], impulses);
            if (!zw_dim_combine(&v->d[k], &v->d[k], &second, -1))
                return zw_fail_at(m->err, ZW_E_UNIT, place, "the unit is out of all proportion");
        }
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------- names */

/* parameters are built before anything that moves */
static zw_status reject_moving(zw_model *m, const zw_syntax *node, const zw_entry *e) {
    zw_fail_at(m->err, ZW_E_MODEL, node->place, "a parameter cannot depend on the %s '%s'",
               zw_stmt_word(e->kind), e->name);
    zw_error_hint(m->err, "parameters and numbers only; a let may depend on anything");
    return ZW_E_MODEL;
}

static zw_status eval_name(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    if (m->space && node->name[0] >= 'x' && node->name[0] <= 'z' && !node->name[1]) {
        *out = zw_quantity_scalar(m->space[node->name[0] - 'x'], zw_model_dim(m, 0, 1, 0));
        return ZW_OK;
    }
    if (strcmp(node->name, "t") == 0) {
        *out = zw_quantity_scalar(m->sys->t, zw_model_dim(m, 0, 0, 1));
        return ZW_OK;
    }
    if (strcmp(node->name, "pi") == 0) {
        *out = zw_quantity_scalar(ZW_PI, zw_dim_none());
        return ZW_OK;
    }
    zw_entry *e = zw_model_find(m, node->name);
    if (e && e->kind == ZW_ST_DELAY && !m->moving)
        return reject_moving(m, node, e);
    ZW_TRY(zw_model_resolve(m, node->name, node->place, &e));
    e->used = true;
    if (m->rates_only && e->kind == ZW_ST_QUASI)
        return zw_fail_at(m->err, ZW_E_MODEL, node->place,
                          "a quasi-velocity is defined with another one, '%s'", e->name);
    bool moves = e->kind == ZW_ST_COORD || e->kind == ZW_ST_QUASI || e->kind == ZW_ST_STATE ||
                 (e->kind == ZW_ST_INPUT && e->stmt && e->stmt->signal);
    if (moves && e->value.n == 0)
        return reject_moving(m, node, e);
    if (e->value.n > 0 && !zw_stmt_constrains(e->kind)) {
        *out = e->value;
        return ZW_OK;
    }
    zw_fail_at(m->err, ZW_E_SYNTAX, node->place, "the %s '%s' has no value of its own",
               zw_stmt_word(e->kind), node->name);
    if (e->frame >= 0)
        zw_error_hint(m->err, "use its members: %s.origin, %s.w, %s.x, ...", e->name, e->name,
                      e->name);
    else if (e->kind == ZW_ST_CONSTRAINT || e->kind == ZW_ST_CONTACT)
        zw_error_hint(m->err, "its multiplier is lambda(%s)", e->name);
    else if (e->kind == ZW_ST_ROLLING)
        zw_error_hint(m->err, "use %s.point, %s.slip or the multiplier lambda(%s.1)", e->name,
                      e->name, e->name);
    return ZW_E_SYNTAX;
}

/* a state with the name of a rate, x' */
static zw_entry *primed_state(zw_model *m, const zw_syntax *of) {
    char name[200];
    if (of->kind != ZW_ND_NAME || snprintf(name, sizeof name, "%s'", of->name) >= (int)sizeof name)
        return NULL;
    for (int i = 0; i < m->nentry; i++)
        if (m->entry[i].kind == ZW_ST_STATE && strcmp(m->entry[i].name, name) == 0)
            return &m->entry[i];
    return NULL;
}

static zw_status eval_primes(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    zw_entry *state = primed_state(m, node->arg[0]);
    if (state) {
        zw_syntax named = *node->arg[0];
        named.name = state->name;
        ZW_TRY(zw_model_eval(m, &named, out));
    } else
        ZW_TRY(zw_model_eval(m, node->arg[0], out));
    return zw_quantity_rate(m, node->place, node->count - (state ? 1 : 0), out);
}

static zw_status eval_kind(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    switch (node->kind) {
    case ZW_ND_NUMBER:
        return eval_number(m, node, out);
    case ZW_ND_NAME:
        return eval_name(m, node, out);
    case ZW_ND_MEMBER:
        return zw_eval_member(m, node, out);
    case ZW_ND_CALL:
        return zw_eval_call(m, node, out);
    case ZW_ND_METHOD:
        return zw_eval_method(m, node, out);
    case ZW_ND_LAMBDA:
        return zw_eval_lambda(m, node, out);
    case ZW_ND_TUPLE:
        return eval_tuple(m, node, out);
    case ZW_ND_NEG:
        return eval_negative(m, node, out);
    case ZW_ND_SUM:
    case ZW_ND_PRODUCT:
        return eval_chain(m, node, out);
    case ZW_ND_POWER:
        return eval_power(m, node, out);
    case ZW_ND_COMPARE:
        return eval_compare(m, node, out);
    case ZW_ND_NOT:
    case ZW_ND_AND:
    case ZW_ND_OR:
        return eval_logic(m, node, out);
    case ZW_ND_PRIME:
        return eval_primes(m, node, out);
    }
    return ZW_OK;
}

zw_status zw_model_eval(zw_model *m, const zw_syntax *node, zw_quantity *out) {
    if (m->depth >= ZW_DEPTH_MAX) {
        zw_fail_at(m->err, ZW_E_MODEL, node->place, "definitions within definitions, %d deep",
                   ZW_DEPTH_MAX);
        zw_error_hint(m->err, "is there a chain of lets that could be shorter?");
        return ZW_E_MODEL;
    }
    m->depth++;
    zw_status status = eval_kind(m, node, out);
    m->depth--;
    return status < 0 ? status : zw_model_check_expressions(m, node->place);
}

zw_status zw_model_scalar(zw_model *m, const zw_syntax *node, const char *what, const zw_dim *dim,
                          zw_expr *out) {
    zw_quantity v;
    ZW_TRY(zw_model_eval(m, node, &v));
    if (v.n > 1) {
        zw_fail_at(m->err, ZW_E_SYNTAX, node->place, "%s must be a scalar, not a vector", what);
        zw_error_hint(m->err, "take a component, a.x, or its length, norm(a)");
        return ZW_E_SYNTAX;
    }
    if (dim && !zw_model_fits(m, &v.d[0], dim)) {
        char fmt[160];
        snprintf(fmt, sizeof fmt, "%s is %%s and must be %%s", what);
        return zw_model_unit_mismatch(m, node->place, fmt, &v.d[0], dim);
    }
    *out = v.e[0];
    return ZW_OK;
}

zw_status zw_model_vector(zw_model *m, const zw_syntax *node, const char *what, const zw_dim *dim,
                          zw_expr out[3], zw_dim *found) {
    zw_quantity v;
    ZW_TRY(zw_model_eval(m, node, &v));
    if (v.n != 2 && v.n != 3) {
        zw_fail_at(m->err, ZW_E_SYNTAX, node->place,
                   "%s must be a vector of two or three components", what);
        zw_error_hint(m->err, "for example (x, y) or (x, y, z)");
        return ZW_E_SYNTAX;
    }
    zw_dim common = dim ? *dim : zw_dim_any();
    for (int k = 0; k < v.n; k++) {
        if (!zw_model_fits(m, &v.d[k], &common)) {
            char fmt[160];
            snprintf(fmt, sizeof fmt, "component %d of %s is %%s and must be %%s", k + 1, what);
            return zw_model_unit_mismatch(m, node->place, fmt, &v.d[k], &common);
        }
        if (common.any)
            common = v.d[k];
        out[k] = v.e[k];
    }
    if (v.n == 2)
        out[2] = ZW_ZERO;
    if (found)
        *found = common;
    return ZW_OK;
}
