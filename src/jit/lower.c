/* SPDX-License-Identifier: MIT */
/* The arguments of an expression have smaller indices than the expression. So one pass downwards
 * over the indices marks the expressions that the roots need, and one pass upwards computes values,
 * without recursion for deep expressions.
 *
 * Products are split into a coefficient (numbers and parameters, computed by `prepare`) and items
 * of the state. Integer powers are repeated items, x^(n/2) is made with sqrt(x), and a negative
 * power is one item, the reciprocal, computed once for all products with it. */
#include "lower.h"

#include "base/arena.h"
#include "zwang/expr.h"

enum {
    ITEM_POWER_MAX = 4, /* x^n up to here is n items, beyond it is one item x^n */
    POWER_MAX = 64      /* larger exponents are computed by pow */
};

void zw_lower_init(zw_lowering *l, const zw_context *ctx, zw_graph *graph, zw_style style,
                   zw_arena *arena, zw_arena *scratch) {
    *l = (zw_lowering){ctx, graph, arena, scratch, style, NULL, 0, 0};
}

/* reserves the memo for all present expressions */
static bool reserve_memo(zw_lowering *l) {
    uint32_t n = zw_context_node_count(l->ctx) + 1;
    if (n <= l->nvalue)
        return true;
    zw_value *wider = ZW_NEW(l->arena, zw_value, n);
    if (!wider)
        return false;
    for (uint32_t i = 0; i < l->nvalue; i++)
        wider[i] = l->value[i];
    l->value = wider;
    l->nvalue = n;
    return true;
}

zw_status zw_lower_input(zw_lowering *l, zw_expr symbol, zw_space space, int index) {
    if (!reserve_memo(l))
        return ZW_E_MEMORY;
    l->value[symbol] = zw_graph_input(l->graph, space, index);
    return l->value[symbol] ? ZW_OK : ZW_E_MEMORY;
}

/* appends n copies of v to the items of a term (or multiplies its coefficient by them) */
static void put_item(zw_lowering *l, zw_term *term, zw_value v, int n) {
    zw_graph *g = l->graph;
    if (g->node[v].op == ZW_CODE_NEG && zw_graph_rate(g, v) == ZW_RATE_STATE) {
        v = g->node[v].a;
        term->negative ^= n & 1;
    }
    if (zw_graph_rate(g, v) < ZW_RATE_STATE) {
        term->coefficient = zw_graph_mul(g, term->coefficient, zw_graph_power(g, v, n));
    } else if (n > ITEM_POWER_MAX) {
        term->item[term->n++] = zw_graph_power(g, v, n);
    } else {
        while (n-- > 0)
            term->item[term->n++] = v;
    }
}

/* base^(num/den) into the term, by multiplication and square roots; negative powers of the state
 * are collected in the denominator. False if pow is needed. */
static bool put_power(zw_lowering *l, zw_term *term, zw_term *denominator, zw_value base,
                      int64_t num, int64_t den) {
    zw_graph *g = l->graph;
    if (den > 2 || num > POWER_MAX || num < -POWER_MAX)
        return false;
    int n = (int)(num < 0 ? -num : num);
    zw_term *to = num < 0 ? denominator : term;
    if (den == 1) {
        put_item(l, to, base, n);
    } else if (num < 0) {
        put_item(l, to, zw_graph_op(g, ZW_CODE_SQRT, base, 0, 0), n);
    } else {
        if (n > 1)
            put_item(l, to, base, n / 2);
        put_item(l, to, zw_graph_op(g, ZW_CODE_SQRT, base, 0, 0), 1);
    }
    return true;
}

static bool same_items(const zw_term *t) {
    for (int i = 1; i < t->n; i++)
        if (t->item[i] != t->item[0])
            return false;
    return true;
}

/* The factors of a product expression as a term with coefficient 1 or of the parameters. */
static bool split_product(zw_lowering *l, zw_expr e, zw_term *term) {
    zw_graph *g = l->graph;
    int n;
    const zw_expr *arg = zw_expr_args(l->ctx, e, &n);
    zw_term denominator = {false, g->one, 0, NULL};
    *term = denominator;
    term->item = ZW_NEW(l->scratch, zw_value, 4 * n);
    denominator.item = ZW_NEW(l->scratch, zw_value, 2 * n);
    if (!term->item || !denominator.item)
        return false;
    for (int i = 0; i < n; i += 2) {
        int64_t num, den;
        zw_value base = l->value[arg[i]], exponent = l->value[arg[i + 1]];
        if (!zw_expr_is_rational(l->ctx, arg[i + 1], &num, &den) ||
            !put_power(l, term, &denominator, base, num, den))
            put_item(l, term, zw_graph_op(g, ZW_CODE_POW, base, exponent, 0), 1);
    }
    term->coefficient = zw_graph_div(g, term->coefficient, denominator.coefficient);
    term->negative ^= denominator.negative;
    if (denominator.n && same_items(&denominator)) {
        put_item(l, term, zw_graph_div(g, g->one, denominator.item[0]), denominator.n);
    } else if (denominator.n) {
        zw_value d = zw_polynomial_product(g, l->scratch, denominator.n, denominator.item);
        put_item(l, term, zw_graph_div(g, g->one, d), 1);
    }
    return !l->arena->failed;
}

/* e as a term: a product is split, anything else is one item or the coefficient */
static bool as_term(zw_lowering *l, zw_expr e, zw_term *term) {
    if (zw_expr_op(l->ctx, e) == ZW_OP_PRODUCT)
        return split_product(l, e, term);
    *term = (zw_term){false, l->graph->one, 0, ZW_NEW(l->scratch, zw_value, 1)};
    if (term->item)
        put_item(l, term, l->value[e], 1);
    return term->item != NULL;
}

static zw_value lower_sum(zw_lowering *l, zw_expr e) {
    zw_graph *g = l->graph;
    int n, nterm = 0;
    const zw_expr *arg = zw_expr_args(l->ctx, e, &n);
    zw_term *term = ZW_NEW(l->scratch, zw_term, n);
    if (!term)
        return 0;
    zw_value slow = l->value[arg[0]]; /* the part that does not depend on the state */
    for (int i = 1; i + 1 < n; i += 2) {
        zw_term t;
        if (!as_term(l, arg[i], &t))
            return 0;
        t.coefficient = zw_graph_mul(g, l->value[arg[i + 1]], t.coefficient);
        if (t.n)
            term[nterm++] = t;
        else
            slow = zw_graph_add(g, slow, t.coefficient);
    }
    return zw_polynomial_sum(g, l->scratch, nterm, term, slow, l->style);
}

static zw_value lower_product(zw_lowering *l, zw_expr e) {
    zw_term term;
    return split_product(l, e, &term) ? zw_polynomial_term(l->graph, l->scratch, &term) : 0;
}

static zw_opcode opcode_of(zw_op op) {
    switch (op) {
#define FUNCTION(name)                                                                             \
    case ZW_OP_##name:                                                                             \
        return ZW_CODE_##name
        FUNCTION(SIN);
        FUNCTION(COS);
        FUNCTION(TAN);
        FUNCTION(ASIN);
        FUNCTION(ACOS);
        FUNCTION(ATAN);
        FUNCTION(SINH);
        FUNCTION(COSH);
        FUNCTION(TANH);
        FUNCTION(ASINH);
        FUNCTION(ACOSH);
        FUNCTION(ATANH);
        FUNCTION(EXP);
        FUNCTION(LOG);
        FUNCTION(ABS);
        FUNCTION(SIGN);
        FUNCTION(ATAN2);
        FUNCTION(MIN);
        FUNCTION(MAX);
        FUNCTION(LT);
        FUNCTION(LE);
        FUNCTION(NOT);
        FUNCTION(AND);
        FUNCTION(OR);
        FUNCTION(PATCH);
#undef FUNCTION
    case ZW_OP_COND:
        return ZW_CODE_SELECT;
    default:
        return ZW_CODE_COUNT;
    }
}

static zw_value lower_function(zw_lowering *l, zw_expr e, zw_op op) {
    int n;
    const zw_expr *arg = zw_expr_args(l->ctx, e, &n);
    zw_value a[3] = {0, 0, 0};
    for (int i = 0; i < n && i < 3; i++)
        a[i] = l->value[arg[i]];
    return zw_graph_op(l->graph, opcode_of(op), a[0], a[1], a[2]);
}

static zw_value lower_one(zw_lowering *l, zw_expr e) {
    zw_op op = zw_expr_op(l->ctx, e);
    switch (op) {
    case ZW_OP_RATIONAL:
    case ZW_OP_REAL:
    case ZW_OP_PI:
        return zw_graph_const(l->graph, zw_expr_number(l->ctx, e));
    case ZW_OP_SUM:
        return lower_sum(l, e);
    case ZW_OP_PRODUCT:
        return lower_product(l, e);
    case ZW_OP_TABLE: {
        int n;
        const zw_expr *arg = zw_expr_args(l->ctx, e, &n);
        return zw_graph_table(l->graph, (int)zw_expr_number(l->ctx, arg[0]),
                              (int)zw_expr_number(l->ctx, arg[1]), l->value[arg[2]]);
    }
    default:
        return lower_function(l, e, op);
    }
}

/* Marks the expressions that the roots need and that are not lowered yet; the highest marked index
 * in *top. */
static zw_status mark_needed(zw_lowering *l, int n, const zw_expr *e, bool *needed, zw_expr *top,
                             zw_error *err) {
    *top = 0;
    for (int i = 0; i < n; i++) {
        if (e[i] == ZW_NULL)
            return zw_fail(err, ZW_E_DOMAIN,
                           "an expression that code is to be made of has no value");
        needed[e[i]] = true;
        if (e[i] > *top)
            *top = e[i];
    }
    for (zw_expr i = *top; i > 0; i--) {
        if (!needed[i])
            continue;
        needed[i] = !l->value[i];
        if (!needed[i])
            continue;
        if (zw_expr_op(l->ctx, i) == ZW_OP_SYMBOL)
            return zw_fail(err, ZW_E_NAME, "'%s' is neither a state nor a parameter",
                           zw_expr_name(l->ctx, i));
        int m;
        const zw_expr *arg = zw_expr_args(l->ctx, i, &m);
        for (int j = 0; j < m; j++)
            needed[arg[j]] = true;
        l->noperand += m;
    }
    return zw_context_code_fits((zw_context *)l->ctx, l->noperand, err);
}

zw_status zw_lower(zw_lowering *l, int n, const zw_expr *e, zw_value *out, zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(l->scratch);
    bool *needed = reserve_memo(l) ? ZW_NEW(l->scratch, bool, l->nvalue) : NULL;
    zw_expr top;
    if (!needed)
        return zw_out_of_memory(err, NULL);
    zw_status status = mark_needed(l, n, e, needed, &top, err);
    for (zw_expr i = 1; status == ZW_OK && i <= top; i++)
        if (needed[i]) {
            zw_arena_mark inner = zw_arena_mark_now(l->scratch);
            l->value[i] = lower_one(l, i);
            zw_arena_release(l->scratch, inner);
            if (!l->value[i])
                status = zw_out_of_memory(err, NULL);
        }
    for (int i = 0; status == ZW_OK && i < n; i++)
        out[i] = l->value[e[i]];
    zw_arena_release(l->scratch, mark);
    return status;
}
