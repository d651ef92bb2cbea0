/* SPDX-License-Identifier: MIT */
/* From expressions to quotients of polynomials and back. Every node below e, arguments first,
 * becomes a quotient n/d of polynomials in the variables of a ring: symbols, pi, functions as they
 * are, and roots b^(1/q), whose q-th power is b. Sums and products of quotients are reduced to
 * lowest terms at once, so that nothing grows that cancels. */
#include "ratio.h"

#include "expr/core/store.h"
#include "poly.h"

enum { TERMS_MAX = 6000, WORK_MAX = 6000000, FACTORS_MAX = 32 };

typedef struct quotient {
    zw_poly n, d;
} quotient;

typedef struct conversion {
    zw_context *ctx;
    zw_ring ring;
    zw_arena temporary;
    zw_arena_mark mark;
    zw_expr variable[ZW_POLY_VARIABLES];
    memo *m;
    quotient *value;  /* by index of a node */
    bool independent; /* sines and cosines are treated as independent */
} conversion;

static int variable_of(conversion *c, zw_expr e) {
    for (int i = 0; i < c->ring.nvar; i++)
        if (c->variable[i] == e)
            return i;
    if (c->ring.nvar == ZW_POLY_VARIABLES) {
        c->ring.failed = true;
        return 0;
    }
    c->variable[c->ring.nvar] = e;
    return c->ring.nvar++;
}

static quotient whole_quotient(conversion *c, zw_poly n) {
    return (quotient){n, zw_poly_number(&c->ring, (zw_number){true, 1, 1, 0})};
}

/* n/d in lowest terms, the first coefficient of d 1 */
static quotient lowest_terms(conversion *c, zw_poly n, zw_poly d) {
    zw_ring *r = &c->ring;
    if (r->failed || n.n == 0)
        return whole_quotient(c, n);
    if (!zw_poly_is_number(&d)) {
        zw_poly g = zw_poly_gcd(r, n, d), x, y;
        if (!zw_poly_is_number(&g) && zw_poly_divide(r, n, g, &x) && zw_poly_divide(r, d, g, &y)) {
            n = x;
            d = y;
        }
    }
    if (r->failed || d.n == 0) {
        r->failed = true;
        return (quotient){{0}, {0}};
    }
    zw_number scale = zw_number_inverse(d.t[0].c);
    return (quotient){zw_poly_scale(r, n, scale), zw_poly_scale(r, d, scale)};
}

static quotient add_quotients(conversion *c, quotient a, quotient b) {
    zw_ring *r = &c->ring;
    zw_poly g = zw_poly_gcd(r, a.d, b.d), x = a.d, y = b.d;
    if (!zw_poly_is_number(&g) &&
        !(zw_poly_divide(r, a.d, g, &x) && zw_poly_divide(r, b.d, g, &y))) {
        x = a.d;
        y = b.d;
    }
    zw_poly n = zw_poly_add(r, zw_poly_mul(r, a.n, y), zw_poly_mul(r, b.n, x));
    return lowest_terms(c, n, zw_poly_mul(r, a.d, y));
}

static quotient multiply_quotients(conversion *c, quotient a, quotient b) {
    quotient x = lowest_terms(c, a.n, b.d), y = lowest_terms(c, b.n, a.d);
    return lowest_terms(c, zw_poly_mul(&c->ring, x.n, y.n), zw_poly_mul(&c->ring, x.d, y.d));
}

static quotient value_of(conversion *c, zw_expr e) {
    return c->value[c->m->value[e]];
}

/* the rules sin(u)^2 = 1 - cos(u)^2 and cosh(u)^2 = 1 + sinh(u)^2 */
static quotient function_of(conversion *c, zw_expr e) {
    zw_op op = zw_expr_op(c->ctx, e);
    int i = variable_of(c, e);
    if ((op == ZW_OP_SIN || op == ZW_OP_COSH) && !c->independent && !c->ring.order[i] &&
        !c->ring.failed) {
        int n;
        const zw_expr *args = zw_expr_args(c->ctx, e, &n);
        int j = variable_of(c, zw_apply(c->ctx, op == ZW_OP_SIN ? ZW_OP_COS : ZW_OP_SINH, 1, args));
        zw_poly x = zw_poly_variable(&c->ring, j),
                unit = zw_poly_number(&c->ring, (zw_number){true, 1, 1, 0});
        zw_poly square = zw_poly_mul(&c->ring, x, x);
        c->ring.rule[i] = op == ZW_OP_SIN ? zw_poly_sub(&c->ring, unit, square)
                                          : zw_poly_add(&c->ring, unit, square);
        c->ring.order[i] = 2;
    }
    return whole_quotient(c, zw_poly_variable(&c->ring, i));
}

static zw_expr polynomial_expression(const conversion *c, const zw_poly *a);

/* base^(p/q). With base = N/D the variable is x = D base^(1/q), x^q = N D^(q-1), so that its rule
 * is a polynomial. */
static quotient root_of(conversion *c, zw_expr base, quotient b, int64_t p, int64_t q) {
    zw_ring *r = &c->ring;
    if (r->failed || q > 200)
        return whole_quotient(
            c,
            zw_poly_variable(r, variable_of(c, zw_pow(c->ctx, base, zw_rational(c->ctx, p, q)))));
    zw_expr root = zw_pow(c->ctx, base, zw_rational(c->ctx, 1, q));
    int i = variable_of(c, zw_mul(c->ctx, polynomial_expression(c, &b.d), root)),
        n = (int)(p < 0 ? -p : p);
    if (!r->order[i] && !r->failed) {
        r->rule[i] = zw_poly_mul(r, b.n, zw_poly_power(r, b.d, (int)q - 1));
        r->order[i] = (unsigned char)q;
    }
    zw_poly above = zw_poly_power(r, zw_poly_variable(r, i), n), below = zw_poly_power(r, b.d, n);
    return p < 0 ? lowest_terms(c, below, above) : lowest_terms(c, above, below);
}

/* sin and cos of asin(u), acos(u), atan(u) are u, sqrt(1 - u^2), u/sqrt(1 + u^2), 1/sqrt(1 +
 * u^2) */
static bool algebraic_of(conversion *c, zw_expr e, quotient *out) {
    zw_context *ctx = c->ctx;
    zw_op op = zw_expr_op(ctx, e);
    int n;
    zw_expr inner = zw_expr_args(ctx, e, &n)[0];
    zw_op of = n == 1 ? zw_expr_op(ctx, inner) : ZW_OP_NULL_;
    bool arc = of == ZW_OP_ASIN || of == ZW_OP_ACOS;
    if ((op != ZW_OP_SIN && op != ZW_OP_COS) || (!arc && of != ZW_OP_ATAN))
        return false;
    zw_expr u = zw_expr_args(ctx, inner, &n)[0], square = zw_pow(ctx, u, ZW_TWO);
    quotient v = value_of(c, u), vv = multiply_quotients(c, v, v);
    quotient unit = whole_quotient(c, zw_poly_number(&c->ring, (zw_number){true, 1, 1, 0}));
    if (arc && (op == ZW_OP_SIN) == (of == ZW_OP_ASIN)) {
        *out = v;
        return true;
    }
    if (arc) {
        vv.n = zw_poly_scale(&c->ring, vv.n, (zw_number){true, -1, 1, 0});
        *out = root_of(c, zw_sub(ctx, ZW_ONE, square), add_quotients(c, unit, vv), 1, 2);
        return true;
    }
    *out = root_of(c, zw_add(ctx, ZW_ONE, square), add_quotients(c, unit, vv), -1, 2);
    if (op == ZW_OP_SIN)
        *out = multiply_quotients(c, *out, v);
    return true;
}

static quotient power_of(conversion *c, zw_expr base, zw_expr exponent) {
    int64_t p, q;
    quotient b = value_of(c, base);
    if (!zw_expr_is_rational(c->ctx, exponent, &p, &q) || p > 60 || p < -60)
        return whole_quotient(
            c, zw_poly_variable(&c->ring, variable_of(c, zw_pow(c->ctx, base, exponent))));
    if (q != 1)
        return root_of(c, base, b, p, q);
    int n = (int)(p < 0 ? -p : p);
    quotient result = {zw_poly_power(&c->ring, b.n, n), zw_poly_power(&c->ring, b.d, n)};
    return p < 0 ? lowest_terms(c, result.d, result.n) : lowest_terms(c, result.n, result.d);
}

static quotient node_quotient(conversion *c, zw_expr e) {
    int n;
    const zw_expr *args = zw_expr_args(c->ctx, e, &n);
    switch (zw_expr_op(c->ctx, e)) {
    case ZW_OP_RATIONAL:
        return whole_quotient(c, zw_poly_number(&c->ring, zw_store_number_of(c->ctx, e)));
    case ZW_OP_REAL:
        c->ring.failed = true;
        return (quotient){{0}, {0}};
    case ZW_OP_SUM: {
        quotient sum = value_of(c, args[0]);
        for (int i = 1; i < n && !c->ring.failed; i += 2) {
            quotient t = value_of(c, args[i]);
            t.n = zw_poly_scale(&c->ring, t.n, zw_store_number_of(c->ctx, args[i + 1]));
            sum = add_quotients(c, sum, t);
        }
        return sum;
    }
    case ZW_OP_PRODUCT: {
        quotient product = power_of(c, args[0], args[1]);
        for (int i = 2; i < n && !c->ring.failed; i += 2)
            product = multiply_quotients(c, product, power_of(c, args[i], args[i + 1]));
        return product;
    }
    default: {
        quotient algebraic;
        return n && algebraic_of(c, e, &algebraic) ? algebraic : function_of(c, e);
    }
    }
}

/* results between begin and end live until end */
static void begin_conversion(conversion *c, zw_context *ctx) {
    *c = (conversion){.ctx = ctx, .mark = zw_arena_mark_now(&ctx->scratch)};
    zw_arena_init(&c->temporary, &ctx->alloc);
    c->ring = (zw_ring){
        .arena = &ctx->scratch, .temporary = &c->temporary, .most = TERMS_MAX, .work = WORK_MAX};
}

static void end_conversion(conversion *c) {
    if (c->temporary.failed || c->ctx->scratch.failed)
        zw_store_fail(c->ctx, ZW_E_MEMORY, "out of memory for expressions");
    zw_arena_release(&c->ctx->scratch, c->mark);
    zw_arena_clear(&c->temporary);
}

/* finds abs(x), whose rule is abs(x)^2 = x^2, before anything is multiplied */
static void find_magnitudes(conversion *c) {
    for (int i = 0; i < c->m->count; i++) {
        int n;
        zw_expr e = c->m->order[i];
        const zw_expr *args = zw_expr_args(c->ctx, e, &n);
        if (zw_expr_op(c->ctx, e) != ZW_OP_ABS || zw_expr_op(c->ctx, args[0]) != ZW_OP_SYMBOL)
            continue;
        int size = variable_of(c, e), x = variable_of(c, args[0]);
        zw_poly a = zw_poly_variable(&c->ring, size);
        c->ring.rule[x] = zw_poly_mul(&c->ring, a, a);
        c->ring.order[x] = 2;
    }
}

static bool convert_expression(conversion *c, zw_expr e, quotient *out) {
    c->m = zw_memo_begin(c->ctx);
    bool ok = c->m && zw_memo_walk(c->ctx, c->m, 1, &e, UINT64_MAX);
    c->value = ok ? ZW_NEW(&c->ctx->scratch, quotient, c->m->count + 1) : NULL;
    for (int i = 0; c->value && i < c->m->count; i++)
        memo_set(c->m, c->m->order[i], (uint32_t)i);
    if (c->value)
        find_magnitudes(c);
    for (int i = 0; c->value && i < c->m->count && !c->ring.failed; i++)
        c->value[i] = node_quotient(c, c->m->order[i]);
    ok = c->value && !c->ring.failed;
    if (ok)
        *out = value_of(c, e);
    if (c->m)
        zw_memo_end(c->ctx);
    return ok && c->ctx->status >= 0;
}

static zw_expr polynomial_expression(const conversion *c, const zw_poly *a) {
    zw_arena_mark mark = zw_arena_mark_now(&c->ctx->scratch);
    zw_expr *terms = ZW_NEW(&c->ctx->scratch, zw_expr, a->n + 1), result = ZW_NULL;
    for (int i = 0; terms && i < a->n; i++) {
        zw_expr factor[ZW_POLY_VARIABLES + 1] = {zw_store_number(c->ctx, a->t[i].c)};
        int n = 1;
        for (int v = 0; v < c->ring.nvar; v++)
            if (a->t[i].e[v])
                factor[n++] = zw_pow(c->ctx, c->variable[v], zw_integer(c->ctx, a->t[i].e[v]));
        terms[i] = zw_product(c->ctx, n, factor);
    }
    if (terms)
        result = zw_sum(c->ctx, a->n, terms);
    else
        zw_store_fail(c->ctx, ZW_E_MEMORY, "out of memory for expressions");
    zw_arena_release(&c->ctx->scratch, mark);
    return result;
}

bool zw_ratio_parts(zw_context *ctx, zw_expr e, zw_expr *num, zw_expr *den) {
    conversion c;
    quotient q;
    begin_conversion(&c, ctx);
    bool ok = e && convert_expression(&c, e, &q);
    if (ok) {
        /* coprime integers in the denominator, too */
        zw_number content = {true, 1, 1, 0};
        for (int i = 0; i < q.n.n; i++)
            content = zw_number_content(i ? content : q.n.t[i].c, q.n.t[i].c);
        for (int i = 0; i < q.d.n; i++)
            content = zw_number_content(content, q.d.t[i].c);
        zw_number scale = zw_number_inverse(content);
        zw_poly n = zw_poly_scale(&c.ring, q.n, scale), d = zw_poly_scale(&c.ring, q.d, scale);
        *num = polynomial_expression(&c, &n);
        *den = polynomial_expression(&c, &d);
        ok = !c.ring.failed && *num && *den;
    }
    end_conversion(&c);
    return ok;
}

zw_expr zw_ratio(zw_context *ctx, zw_expr e) {
    zw_expr num, den;
    return zw_ratio_parts(ctx, e, &num, &den) ? zw_div(ctx, num, den) : e;
}

bool zw_ratio_is_zero(zw_context *ctx, zw_expr e) {
    zw_expr num, den;
    return e == ZW_ZERO || (zw_ratio_parts(ctx, e, &num, &den) && num == ZW_ZERO);
}

static bool factors_of(conversion *c, zw_poly a, int sign, zw_number *number, int max,
                       zw_factor *out, int *n) {
    zw_poly_factor part[FACTORS_MAX];
    int count = zw_poly_factors(&c->ring, a, number, FACTORS_MAX, part);
    if (c->ring.failed || *n + count > max || count == FACTORS_MAX)
        return false;
    for (int i = 0; i < count; i++)
        out[(*n)++] = (zw_factor){polynomial_expression(c, &part[i].base), sign * part[i].power};
    return true;
}

static bool find_factors(zw_context *ctx, zw_expr e, bool independent, zw_expr *number, int max,
                         zw_factor *out, int *n) {
    conversion c;
    quotient q;
    zw_number above = {0}, below = {0};
    begin_conversion(&c, ctx);
    c.independent = independent;
    *n = 0;
    bool ok = e && convert_expression(&c, e, &q) && factors_of(&c, q.n, 1, &above, max, out, n) &&
              factors_of(&c, q.d, -1, &below, max, out, n);
    if (ok)
        *number = zw_store_number(ctx, zw_number_mul(above, zw_number_inverse(below)));
    end_conversion(&c);
    return ok && *number;
}

bool zw_ratio_factors(zw_context *ctx, zw_expr e, zw_expr *number, int max, zw_factor *out,
                      int *n) {
    return find_factors(ctx, e, false, number, max, out, n);
}

static zw_expr as_product(zw_context *ctx, zw_expr e, bool independent) {
    zw_factor part[FACTORS_MAX];
    zw_expr product;
    int n;
    if (!find_factors(ctx, e, independent, &product, FACTORS_MAX, part, &n))
        return e;
    for (int i = 0; i < n; i++)
        product = zw_mul(ctx, product, zw_pow(ctx, part[i].base, zw_integer(ctx, part[i].power)));
    return product;
}

zw_expr zw_factored(zw_context *ctx, zw_expr e) {
    return as_product(ctx, e, false);
}

zw_expr zw_factored_apart(zw_context *ctx, zw_expr e) {
    return as_product(ctx, e, true);
}
