/* SPDX-License-Identifier: MIT */
/* Canonical sums, products and powers.
 *
 * Sums. The arguments are flattened into c0 + sum c_i t_i, sorted by t_i, equal t_i merged, zero
 * coefficients dropped. Then, as long as one of these applies to two terms,
 *     c R sin(u)^2 + c R cos(u)^2  ->  c R           c R cosh(u)^2 - c R sinh(u)^2  ->  c R
 *     c R - c R sin(u)^2  ->  c R cos(u)^2           c R - c R cos(u)^2  ->  c R sin(u)^2
 * (and the hyperbolic relatives). Each application makes the written-out sum shorter (R occurs once
 * instead of twice), so it ends. One pass over the sorted terms applies every rule it finds: new
 * terms are added to existing ones or appended for the next pass, so that n pairs cost n log n and
 * not n^2. A finished sum has no pair left to which a rule applies, and so has none of its partial
 * sums: building it again from its own terms, in any order, gives the same node.
 *
 * Products. The arguments are flattened into c * prod b_i^e_i, sorted by b_i, exponents of equal
 * bases added. A sum as base is divided by its content (the positive rational that makes its
 * coefficients coprime integers, with the sign of its first term if the exponent is an integer), so
 * that x (2y + 2z) and 2 x (y + z) are the same node. Adding exponents can turn (x y)^(1/2) into (x
 * y)^1, which is then flattened again: every such round removes one level of nesting, so it ends.
 * Numbers never stay in a product: a coefficient c makes it the sum {0, product, c}, and a single
 * sum times c is the sum with scaled coefficients. Products of sums are not multiplied out.
 *
 * Powers. a^b with a product or a multiple as base is distributed when b is an integer, or over
 * positive numbers. sqrt(x^2) is abs(x); otherwise fractional powers of products stay whole, since
 * the signs of the factors are unknown. As in every such system x/x is 1: folding may extend the
 * domain of an expression, but never changes a value inside it. */
#include <stdlib.h>
#include <string.h>

#include "store.h"

/* ------------------------------------------------------------------------------------- sums */

typedef struct term {
    zw_expr t;
    zw_number c;
} term;

typedef struct sum_builder {
    zw_context *ctx;
    zw_arena_mark mark;
    term *terms;
    int n, capacity;
    int sorted; /* number of terms that are sorted by t and merged; later ones were appended */
    zw_number constant;
    bool failed;
} sum_builder;

static const zw_number number_zero = {true, 0, 1, 0}, number_one = {true, 1, 1, 0};

static void sum_begin(sum_builder *b, zw_context *ctx) {
    *b = (sum_builder){.ctx = ctx, .constant = number_zero};
    b->mark = zw_arena_mark_now(&ctx->scratch);
}

static int find_term(const sum_builder *b, zw_expr t) {
    int low = 0, high = b->sorted;
    while (low < high) {
        int middle = (low + high) / 2;
        if (b->terms[middle].t < t)
            low = middle + 1;
        else
            high = middle;
    }
    return low < b->sorted && b->terms[low].t == t ? low : -1;
}

static void sum_push(sum_builder *b, zw_expr t, zw_number c) {
    int there = find_term(b, t);
    if (there >= 0) {
        b->terms[there].c = zw_number_add(b->terms[there].c, c);
        return;
    }
    if (!zw_arena_grow(&b->ctx->scratch, (void **)&b->terms, b->n, &b->capacity, sizeof(term))) {
        zw_store_fail(b->ctx, ZW_E_MEMORY, "out of memory for expressions");
        b->failed = true;
        return;
    }
    b->terms[b->n++] = (term){t, c};
}

/* adds scale * e, flattening sums */
static void sum_add(sum_builder *b, zw_expr e, zw_number scale) {
    if (e == ZW_NULL) {
        b->failed = true;
        return;
    }
    const node *k = node_of(b->ctx, e);
    if (is_number_op(k->op)) {
        b->constant =
            zw_number_add(b->constant, zw_number_mul(scale, zw_store_number_of(b->ctx, e)));
    } else if (k->op == ZW_OP_SUM) {
        bool unscaled = zw_number_is_one(scale);
        b->constant = zw_number_add(b->constant,
                                    zw_number_mul(scale, zw_store_number_of(b->ctx, k->args[0])));
        for (int i = 1; i < k->n; i += 2) {
            zw_number c = zw_store_number_of(b->ctx, k->args[i + 1]);
            sum_push(b, k->args[i], unscaled ? c : zw_number_mul(scale, c));
        }
    } else {
        sum_push(b, e, scale);
    }
}

static int compare_terms(const void *a, const void *b) {
    zw_expr x = ((const term *)a)->t, y = ((const term *)b)->t;
    return x < y ? -1 : x > y;
}

static void sort_terms(term *terms, int n) {
    if (n > 24) {
        qsort(terms, (size_t)n, sizeof *terms, compare_terms);
        return;
    }
    for (int i = 1; i < n; i++) {
        term x = terms[i];
        int j = i;
        for (; j > 0 && terms[j - 1].t > x.t; j--)
            terms[j] = terms[j - 1];
        terms[j] = x;
    }
}

static void merge_terms(sum_builder *b) {
    sort_terms(b->terms, b->n);
    int n = 0;
    for (int i = 0; i < b->n;) {
        term x = b->terms[i++];
        while (i < b->n && b->terms[i].t == x.t)
            x.c = zw_number_add(x.c, b->terms[i++].c);
        if (!zw_number_is_zero(x.c))
            b->terms[n++] = x;
    }
    b->n = b->sorted = n;
}

/* product p with the exponent of its factor i lowered by two, times extra^2 (extra may be 0) */
static zw_expr trade_square(zw_context *ctx, zw_expr p, int i, zw_expr extra) {
    const node *k = node_of(ctx, p);
    const zw_expr *args = k->args;
    int n = k->n;
    zw_expr lowered = zw_pow(ctx, args[i], zw_sub(ctx, args[i + 1], ZW_TWO));
    if (extra)
        lowered = zw_mul(ctx, lowered, zw_pow(ctx, extra, ZW_TWO));
    for (int j = 0; j < n; j += 2)
        if (j != i)
            lowered = zw_mul(ctx, lowered, zw_pow(ctx, args[j], args[j + 1]));
    return lowered;
}

/* the products that fold_square needs for factor i of p, whose partner is the other function */
static zw_traded traded_products(zw_context *ctx, zw_expr p, int i, zw_op partner) {
    zw_traded *place = &ctx->traded[(p * 7u + (unsigned)i) % TRADED];
    if (place->product == p && place->factor == i)
        return *place;
    zw_expr u = node_of(ctx, node_of(ctx, p)->args[i])->args[0];
    zw_traded t = {.product = p, .factor = i};
    t.rest = trade_square(ctx, p, i, ZW_NULL);
    t.other = trade_square(ctx, p, i, zw_apply(ctx, partner, 1, &u));
    if (t.rest && t.other)
        *place = t;
    return t;
}

/* squares that add up to one: f^2 + sign * partner^2 = 1 * lead, e.g. sin^2 + cos^2 = 1, cosh^2 -
 * sinh^2 = 1 */
typedef struct square_rule {
    zw_op op, partner;
    int partner_sign; /* of partner^2 when op^2 has + */
    int one_sign;     /* op^2 + partner_sign partner^2 = one_sign */
} square_rule;

static const square_rule square_rules[] = {
    {ZW_OP_SIN, ZW_OP_COS, 1, 1},
    {ZW_OP_COS, ZW_OP_SIN, 1, 1},
    {ZW_OP_COSH, ZW_OP_SINH, -1, 1},
    {ZW_OP_SINH, ZW_OP_COSH, -1, -1},
};

/* with f = op(u): combines c R f^2 with the term of partner^2, or with the term of R; true if it
 * did */
static bool fold_square(sum_builder *b, int i, int factor, const square_rule *rule) {
    zw_context *ctx = b->ctx;
    zw_expr product = b->terms[i].t;
    zw_number c = b->terms[i].c;
    const zw_traded traded = traded_products(ctx, product, factor, rule->partner);
    zw_expr rest = traded.rest, other = traded.other;
    if (!rest || !other) {
        b->failed = true;
        return false;
    }
    /* c R f^2 + s c R g^2 -> one c R */
    int j = find_term(b, other);
    zw_number want = rule->partner_sign > 0 ? c : zw_number_neg(c);
    if (j >= 0 && zw_number_equal(b->terms[j].c, want)) {
        zw_number result = rule->one_sign > 0 ? c : zw_number_neg(c);
        b->terms[i].c = b->terms[j].c = number_zero;
        sum_add(b, rest, result);
        return true;
    }
    /* c R f^2 - one c R -> - s c R g^2 */
    zw_number minus = rule->one_sign > 0 ? zw_number_neg(c) : c;
    zw_number result = rule->partner_sign > 0 ? zw_number_neg(c) : c;
    if (rest == ZW_ONE) {
        if (!zw_number_equal(b->constant, minus))
            return false;
        b->constant = number_zero;
    } else {
        j = find_term(b, rest);
        if (j < 0 || !zw_number_equal(b->terms[j].c, minus))
            return false;
        b->terms[j].c = number_zero;
    }
    b->terms[i].c = number_zero;
    sum_add(b, other, result);
    return true;
}

/* applies the first rule that matches term i */
static bool fold_term(sum_builder *b, int i) {
    const node *k = node_of(b->ctx, b->terms[i].t);
    if (k->op != ZW_OP_PRODUCT || !(k->flags & HAS_SQUARE) || zw_number_is_zero(b->terms[i].c))
        return false;
    const zw_expr *args = k->args;
    int n = k->n;
    for (int f = 0; f < n; f += 2) {
        int64_t p, q;
        if (!zw_expr_is_rational(b->ctx, args[f + 1], &p, &q) || q != 1 || p < 2)
            continue;
        for (size_t r = 0; r < sizeof square_rules / sizeof *square_rules; r++)
            if (zw_expr_op(b->ctx, args[f]) == square_rules[r].op &&
                fold_square(b, i, f, &square_rules[r]))
                return true;
    }
    return false;
}

/* one pass; true if it changed anything */
static bool fold_squares(sum_builder *b) {
    bool changed = false;
    for (int i = 0; i < b->sorted && !b->failed; i++)
        changed = fold_term(b, i) || changed;
    return changed;
}

static zw_expr sum_finish(sum_builder *b) {
    zw_context *ctx = b->ctx;
    zw_expr result = ZW_NULL;
    merge_terms(b);
    /* a sum of one term without a constant cannot be folded */
    while (!b->failed && b->n + !zw_number_is_zero(b->constant) > 1 && fold_squares(b))
        merge_terms(b);
    if (b->failed || zw_number_is_bad(b->constant)) {
        if (!b->failed)
            zw_store_fail(ctx, ZW_E_DOMAIN, "a constant expression has no finite value");
    } else if (b->n == 0) {
        result = zw_store_number(ctx, b->constant);
    } else if (b->n == 1 && zw_number_is_zero(b->constant) && zw_number_is_one(b->terms[0].c)) {
        result = b->terms[0].t;
    } else {
        int n = 2 * b->n + 1;
        zw_expr small[65], *args = n <= 65 ? small : ZW_NEW(&ctx->scratch, zw_expr, n);
        if (args) {
            args[0] = zw_store_number(ctx, b->constant);
            for (int i = 0; i < b->n; i++) {
                args[2 * i + 1] = b->terms[i].t;
                args[2 * i + 2] = zw_store_number(ctx, b->terms[i].c);
            }
            result = zw_store_node(ctx, ZW_OP_SUM, n, args);
        } else {
            zw_store_fail(ctx, ZW_E_MEMORY, "out of memory for expressions");
        }
    }
    zw_arena_release(&ctx->scratch, b->mark);
    return result;
}

zw_expr zw_sum(zw_context *ctx, int n, const zw_expr *terms) {
    sum_builder b;
    sum_begin(&b, ctx);
    for (int i = 0; i < n; i++)
        sum_add(&b, terms[i], number_one);
    return sum_finish(&b);
}

zw_expr zw_add(zw_context *ctx, zw_expr a, zw_expr b) {
    if (a == ZW_ZERO)
        return b;
    if (b == ZW_ZERO)
        return a;
    return zw_sum(ctx, 2, (zw_expr[]){a, b});
}

static zw_expr scale_expression(zw_context *ctx, zw_expr a, zw_number c) {
    sum_builder s;
    sum_begin(&s, ctx);
    sum_add(&s, a, c);
    return sum_finish(&s);
}

zw_expr zw_sub(zw_context *ctx, zw_expr a, zw_expr b) {
    if (a && a == b)
        return ZW_ZERO;
    sum_builder s;
    sum_begin(&s, ctx);
    sum_add(&s, a, number_one);
    sum_add(&s, b, (zw_number){true, -1, 1, 0});
    return sum_finish(&s);
}

zw_expr zw_neg(zw_context *ctx, zw_expr a) {
    return scale_expression(ctx, a, (zw_number){true, -1, 1, 0});
}

/* --------------------------------------------------------------------------------- products */

typedef struct factor {
    zw_expr base, exponent;
} factor;

typedef struct product_builder {
    zw_context *ctx;
    zw_arena_mark mark;
    factor *factors;
    int n, capacity;
    zw_number coefficient;
    bool failed;
} product_builder;

static void product_begin(product_builder *b, zw_context *ctx) {
    *b = (product_builder){.ctx = ctx, .coefficient = number_one};
    b->mark = zw_arena_mark_now(&ctx->scratch);
}

static void product_push(product_builder *b, zw_expr base, zw_expr exponent) {
    if (!exponent || !zw_arena_grow(&b->ctx->scratch, (void **)&b->factors, b->n, &b->capacity,
                                    sizeof(factor))) {
        zw_store_fail(b->ctx, ZW_E_MEMORY, "out of memory for expressions");
        b->failed = true;
        return;
    }
    b->factors[b->n++] = (factor){base, exponent};
}

static void product_power(product_builder *b, zw_expr base, zw_expr exponent);

/* content of a sum; with_sign: it has the sign of the first term */
static zw_number sum_content(const zw_context *ctx, const node *k, bool with_sign) {
    zw_number content = zw_store_number_of(ctx, k->args[2]);
    int sign = zw_number_sign(content);
    if (content.exact)
        content = zw_number_content(content, content);
    else
        return with_sign && sign < 0 ? (zw_number){true, -1, 1, 0} : number_one;
    for (int i = 4; i < k->n; i += 2)
        content = zw_number_content(content, zw_store_number_of(ctx, k->args[i]));
    zw_number constant = zw_store_number_of(ctx, k->args[0]);
    if (!zw_number_is_zero(constant))
        content = zw_number_content(content, constant);
    return with_sign && sign < 0 ? zw_number_neg(content) : content;
}

static bool is_single_term(const node *sum) {
    return sum->n == 3 && sum->args[0] == ZW_ZERO;
}

/* puts number^exponent into the coefficient or the factors */
static void product_number_power(product_builder *b, zw_expr base, zw_expr exponent) {
    zw_context *ctx = b->ctx;
    zw_number a = zw_store_number_of(ctx, base);
    if (zw_number_is_one(a))
        return;
    if (!is_number_op(node_of(ctx, exponent)->op)) {
        product_push(b, base, exponent);
        return;
    }
    zw_number e = zw_store_number_of(ctx, exponent), root;
    if (zw_number_is_integer(e)) {
        b->coefficient = zw_number_mul(b->coefficient, zw_number_power(a, e.p));
    } else if (zw_number_sign(a) < 0) {
        zw_store_fail(ctx, ZW_E_DOMAIN, "a negative number to a fractional power");
        b->failed = true;
    } else if (e.exact && zw_number_exact_root(a, e.p, e.q, &root)) {
        b->coefficient = zw_number_mul(b->coefficient, root);
    } else if (!a.exact || !e.exact) {
        double args[2] = {zw_number_value(a), zw_number_value(e)};
        b->coefficient =
            zw_number_mul(b->coefficient, zw_number_computed(zw_function_value(ZW_OP_PRODUCT, args),
                                                             ZW_OP_PRODUCT, a, e));
    } else {
        product_push(b, base, exponent);
    }
}

/* (product)^exponent: distributed if the exponent is an integer; sqrt(x^2) = abs(x), and its odd
 * powers */
static void product_product_power(product_builder *b, zw_expr base, zw_expr exponent,
                                  bool integer) {
    zw_context *ctx = b->ctx;
    const node *k = node_of(ctx, base);
    const zw_expr *args = k->args;
    int n = k->n;
    if (integer) {
        for (int i = 0; i < n; i += 2)
            product_power(b, args[i],
                          exponent == ZW_ONE ? args[i + 1] : zw_mul(ctx, args[i + 1], exponent));
    } else if (n == 2 && args[1] == ZW_TWO && node_of(ctx, exponent)->op == ZW_OP_RATIONAL &&
               node_of(ctx, exponent)->q == 2) {
        product_power(b, zw_apply(ctx, ZW_OP_ABS, 1, args),
                      zw_integer(ctx, node_of(ctx, exponent)->p));
    } else {
        product_push(b, base, exponent);
    }
}

/* (sum)^exponent: its content becomes a factor */
static void product_sum_power(product_builder *b, zw_expr base, zw_expr exponent, bool integer) {
    zw_context *ctx = b->ctx;
    const node *k = node_of(ctx, base);
    if (is_single_term(k)) {
        zw_expr t = k->args[1], c = k->args[2];
        if (integer || zw_number_sign(zw_store_number_of(ctx, c)) > 0) {
            product_number_power(b, c, exponent);
            product_power(b, t, exponent);
            return;
        }
    }
    zw_number content = sum_content(ctx, k, integer);
    if (zw_number_is_one(content)) {
        product_push(b, base, exponent);
        return;
    }
    product_number_power(b, zw_store_number(ctx, content), exponent);
    product_push(b, scale_expression(ctx, base, zw_number_inverse(content)), exponent);
}

static void product_power(product_builder *b, zw_expr base, zw_expr exponent) {
    if (!base || !exponent || b->failed) {
        b->failed = true;
        return;
    }
    const node *k = node_of(b->ctx, base), *e = node_of(b->ctx, exponent);
    bool integer = e->op == ZW_OP_RATIONAL && e->q == 1;
    if (exponent == ZW_ZERO)
        return;
    if (is_number_op(k->op))
        product_number_power(b, base, exponent);
    else if (k->op == ZW_OP_PRODUCT)
        product_product_power(b, base, exponent, integer);
    else if (k->op == ZW_OP_SUM)
        product_sum_power(b, base, exponent, integer);
    else
        product_push(b, base, exponent);
}

/* merges equal bases; true if a merged factor has to be flattened again */
static bool merge_factors(product_builder *b) {
    for (int i = 1; i < b->n; i++) {
        factor x = b->factors[i];
        int j = i;
        for (; j > 0 && b->factors[j - 1].base > x.base; j--)
            b->factors[j] = b->factors[j - 1];
        b->factors[j] = x;
    }
    bool again = false;
    int n = 0;
    for (int i = 0; i < b->n;) {
        factor x = b->factors[i++];
        bool merged = false;
        while (i < b->n && b->factors[i].base == x.base) {
            x.exponent = zw_add(b->ctx, x.exponent, b->factors[i++].exponent);
            merged = true;
        }
        if (!x.exponent)
            b->failed = true;
        else if (x.exponent == ZW_ZERO)
            continue;
        int op = node_of(b->ctx, x.base)->op;
        if (merged && (is_number_op(op) || op == ZW_OP_PRODUCT || op == ZW_OP_SUM))
            again = true;
        b->factors[n++] = x;
    }
    b->n = n;
    return again && !b->failed;
}

static void flatten_again(product_builder *b) {
    factor *old = b->factors;
    int n = b->n;
    b->factors = NULL;
    b->n = b->capacity = 0;
    for (int i = 0; i < n; i++)
        product_power(b, old[i].base, old[i].exponent);
}

static zw_expr product_finish(product_builder *b) {
    zw_context *ctx = b->ctx;
    zw_expr result = ZW_NULL;
    while (merge_factors(b))
        flatten_again(b);
    if (!b->failed && zw_number_is_bad(b->coefficient)) {
        zw_store_fail(ctx, ZW_E_DOMAIN, "a constant expression has no finite value");
        b->failed = true;
    }
    if (b->failed) {
        result = ZW_NULL;
    } else if (zw_number_is_zero(b->coefficient)) {
        result = ZW_ZERO;
    } else if (b->n == 0) {
        result = zw_store_number(ctx, b->coefficient);
    } else if (b->n == 1 && b->factors[0].exponent == ZW_ONE) {
        result = scale_expression(ctx, b->factors[0].base, b->coefficient);
    } else {
        _Static_assert(sizeof(factor) == 2 * sizeof(zw_expr), "factors are argument pairs");
        result = zw_store_node(ctx, ZW_OP_PRODUCT, 2 * b->n, &b->factors[0].base);
        if (result && !zw_number_is_one(b->coefficient))
            result = scale_expression(ctx, result, b->coefficient);
    }
    zw_arena_release(&ctx->scratch, b->mark);
    return result;
}

zw_expr zw_product(zw_context *ctx, int n, const zw_expr *factors) {
    product_builder b;
    product_begin(&b, ctx);
    for (int i = 0; i < n; i++)
        product_power(&b, factors[i], ZW_ONE);
    return product_finish(&b);
}

zw_expr zw_mul(zw_context *ctx, zw_expr a, zw_expr b) {
    if (!a || !b)
        return ZW_NULL;
    if (a == ZW_ONE)
        return b;
    if (b == ZW_ONE)
        return a;
    if (a == ZW_ZERO || b == ZW_ZERO)
        return ZW_ZERO;
    const node *x = node_of(ctx, a), *y = node_of(ctx, b);
    if (is_number_op(x->op))
        return scale_expression(ctx, b, zw_store_number_of(ctx, a));
    if (is_number_op(y->op))
        return scale_expression(ctx, a, zw_store_number_of(ctx, b));
    return zw_product(ctx, 2, (zw_expr[]){a, b});
}

zw_expr zw_div(zw_context *ctx, zw_expr a, zw_expr b) {
    if (b == ZW_ZERO)
        return zw_store_fail(ctx, ZW_E_DOMAIN, "division by zero");
    product_builder p;
    product_begin(&p, ctx);
    product_power(&p, a, ZW_ONE);
    product_power(&p, b, ZW_MINUS_ONE);
    return product_finish(&p);
}

zw_expr zw_pow(zw_context *ctx, zw_expr a, zw_expr b) {
    if (!a || !b)
        return ZW_NULL;
    if (b == ZW_ZERO)
        return ZW_ONE;
    if (b == ZW_ONE)
        return a;
    if (a == ZW_ZERO && is_number_op(node_of(ctx, b)->op)) {
        if (zw_number_sign(zw_store_number_of(ctx, b)) < 0)
            return zw_store_fail(ctx, ZW_E_DOMAIN, "division by zero");
        return ZW_ZERO;
    }
    product_builder p;
    product_begin(&p, ctx);
    product_power(&p, a, b);
    return product_finish(&p);
}

zw_expr zw_sqrt(zw_context *ctx, zw_expr a) {
    return zw_pow(ctx, a, ZW_HALF);
}

zw_expr zw_dot(zw_context *ctx, int n, const zw_expr *a, const zw_expr *b) {
    sum_builder s;
    sum_begin(&s, ctx);
    for (int i = 0; i < n; i++)
        sum_add(&s, zw_mul(ctx, a[i], b[i]), number_one);
    return sum_finish(&s);
}
