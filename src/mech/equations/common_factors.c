/* SPDX-License-Identifier: MIT */
#include "common_factors.h"

static int find_base(const zw_content *c, zw_expr base) {
    for (int i = 0; i < c->n; i++)
        if (c->base[i] == base)
            return i;
    return -1;
}

/* the powers in a term; those with symbols in the exponent are skipped. False if there are too
 * many */
static bool factor_term(zw_content *out, zw_context *ctx, zw_expr term) {
    int n;
    const zw_expr *args = zw_expr_args(ctx, term, &n);
    *out = (zw_content){0};
    if (zw_expr_is_number(ctx, term))
        return true;
    if (zw_expr_op(ctx, term) != ZW_OP_PRODUCT) {
        out->base[0] = term;
        out->power[0] = ZW_ONE;
        out->n = 1;
        return true;
    }
    for (int i = 0; i + 1 < n; i += 2) {
        if (!zw_expr_is_number(ctx, args[i + 1]))
            continue;
        if (out->n == ZW_CONTENT_MAX)
            return false;
        out->base[out->n] = args[i];
        out->power[out->n++] = args[i + 1];
    }
    return true;
}

static zw_expr power_in(const zw_content *c, zw_expr base) {
    int i = find_base(c, base);
    return i < 0 ? ZW_ZERO : c->power[i];
}

/* the smaller power of each base; a base that is missing in one of them has the power 0 */
static void intersect_contents(zw_content *c, zw_context *ctx, const zw_content *other) {
    int kept = 0;
    for (int i = 0; i < other->n && c->n < ZW_CONTENT_MAX; i++)
        if (find_base(c, other->base[i]) < 0) {
            c->base[c->n] = other->base[i];
            c->power[c->n++] = ZW_ZERO;
        }
    for (int i = 0; i < c->n; i++) {
        zw_expr there = power_in(other, c->base[i]);
        if (zw_expr_number(ctx, there) < zw_expr_number(ctx, c->power[i]))
            c->power[i] = there;
        c->base[kept] = c->base[i];
        c->power[kept] = c->power[i];
        kept += c->power[i] != ZW_ZERO;
    }
    c->n = kept;
}

/* intersects with another term; the first one is copied */
static void add_term(zw_content *c, zw_context *ctx, zw_expr term, bool *first) {
    zw_content other;
    if (!factor_term(&other, ctx, term))
        other.n = 0;
    if (*first)
        *c = other;
    else
        intersect_contents(c, ctx, &other);
    *first = false;
}

void zw_content_of(zw_content *out, zw_context *ctx, int n, const zw_expr *e) {
    bool first = true;
    *out = (zw_content){0};
    for (int k = 0; k < n; k++) {
        int m;
        const zw_expr *args = zw_expr_args(ctx, e[k], &m);
        if (e[k] == ZW_ZERO)
            continue;
        if (zw_expr_op(ctx, e[k]) != ZW_OP_SUM) {
            add_term(out, ctx, e[k], &first);
            continue;
        }
        if (args[0] != ZW_ZERO)
            add_term(out, ctx, args[0], &first);
        for (int i = 1; i + 1 < m; i += 2)
            add_term(out, ctx, args[i], &first);
    }
}

zw_expr zw_content_product(const zw_content *c, zw_context *ctx) {
    zw_expr product = ZW_ONE;
    for (int i = 0; i < c->n; i++)
        product = zw_mul(ctx, product, zw_pow(ctx, c->base[i], c->power[i]));
    return product;
}

zw_expr zw_content_divide(const zw_content *c, zw_context *ctx, zw_expr e) {
    zw_expr inverse = ZW_ONE;
    for (int i = 0; i < c->n; i++)
        inverse = zw_mul(ctx, inverse, zw_pow(ctx, c->base[i], zw_neg(ctx, c->power[i])));
    if (inverse == ZW_ONE)
        return e;
    if (zw_expr_op(ctx, e) != ZW_OP_SUM)
        return zw_mul(ctx, e, inverse);
    int n;
    const zw_expr *args = zw_expr_args(ctx, e, &n);
    zw_expr sum = zw_mul(ctx, args[0], inverse);
    for (int i = 1; i + 1 < n; i += 2)
        sum = zw_add(ctx, sum, zw_mul(ctx, args[i + 1], zw_mul(ctx, args[i], inverse)));
    return sum;
}
