/* SPDX-License-Identifier: MIT */
/* Where expressions are not smooth. Every operator is smooth inside its domain except
 *
 *     abs(a)            a = 0       kink                sign(a)        a = 0       jump
 *     min, max(a, b)    a = b       kink                a < b, a <= b  a = b       jump
 *     if(test, a, b)    comparisons in the test are reported themselves; any other test: test = 0
 *     a^e, e no integer a = 0       infinite slope (or e-th derivative), a pole if e < 0;
 *                                   none if a is obviously positive (bounds.c), as 1 + x^2
 *     atan2(y, x)       y = 0       jump by 2 pi where x < 0
 *     a table           its knots   as many derivatives as the interpolation and the order of the
 *                                   derivative leave; beyond its ends it is constant, which makes a
 *                                   kink
 *
 * The continuity is that of the operator: a conditional may be smoother than its test. */
#include "expr/core/store.h"

typedef struct finder {
    zw_context *ctx;
    int nvar;
    const zw_expr *variables;
    int n, max;
    zw_kink *out;
} finder;

static void add_kink(finder *f, zw_op op, zw_expr part, zw_expr surface, int smooth, int table) {
    if (!zw_depends_any(f->ctx, surface, f->nvar, f->variables))
        return;
    if (f->n < f->max)
        f->out[f->n] = (zw_kink){op, part, surface, smooth, table};
    f->n++;
}

static bool is_comparison(const zw_context *ctx, zw_expr e) {
    switch (zw_expr_op(ctx, e)) {
    case ZW_OP_LT:
    case ZW_OP_LE:
    case ZW_OP_NOT:
    case ZW_OP_AND:
    case ZW_OP_OR:
        return true;
    default:
        return false;
    }
}

/* factors with exponents that are not integers */
static void put_roots(finder *f, zw_expr part) {
    int n;
    const zw_expr *args = zw_expr_args(f->ctx, part, &n);
    for (int i = 0; i < n; i += 2) {
        int64_t num, den;
        if (zw_expr_is_rational(f->ctx, args[i + 1], &num, &den) && den == 1)
            continue;
        if (zw_expr_least(f->ctx, args[i], 0, NULL, NULL, NULL) > 0)
            continue;
        bool bounded =
            zw_expr_is_number(f->ctx, args[i + 1]) && zw_expr_number(f->ctx, args[i + 1]) > 0;
        add_kink(f, ZW_OP_PRODUCT, part, args[i], bounded ? 0 : -1, -1);
    }
}

static void put_table(finder *f, zw_expr part, const zw_expr *args) {
    int number = (int)zw_expr_number(f->ctx, args[0]);
    int order = (int)zw_expr_number(f->ctx, args[1]);
    add_kink(f, ZW_OP_TABLE, part, args[2], -order, number);
}

static void add_kinks_of(finder *f, zw_expr e) {
    int n;
    zw_op op = zw_expr_op(f->ctx, e);
    const zw_expr *a = zw_expr_args(f->ctx, e, &n);
    switch (op) {
    case ZW_OP_ABS:
        add_kink(f, op, e, a[0], 0, -1);
        break;
    case ZW_OP_SIGN:
    case ZW_OP_ATAN2: /* (y, x) */
        add_kink(f, op, e, a[0], -1, -1);
        break;
    case ZW_OP_MIN:
    case ZW_OP_MAX:
        add_kink(f, op, e, zw_sub(f->ctx, a[0], a[1]), 0, -1);
        break;
    case ZW_OP_LT:
    case ZW_OP_LE:
        add_kink(f, op, e, zw_sub(f->ctx, a[0], a[1]), -1, -1);
        break;
    case ZW_OP_COND:
        if (!is_comparison(f->ctx, a[0]))
            add_kink(f, op, e, a[0], -1, -1);
        break;
    case ZW_OP_TABLE:
        put_table(f, e, a);
        break;
    case ZW_OP_PRODUCT:
        put_roots(f, e);
        break;
    default:
        break;
    }
}

int zw_find_kinks(zw_context *ctx, int n, const zw_expr *e, int nvar, const zw_expr *variables,
                  int max, zw_kink *out) {
    finder f = {.ctx = ctx, .nvar = nvar, .variables = variables, .max = max, .out = out};
    memo *m = zw_memo_begin(ctx);
    if (!m)
        return -1;
    bool enough = zw_memo_walk(ctx, m, n, e, UINT64_MAX);
    for (int i = 0; enough && i < m->count; i++)
        add_kinks_of(&f, m->order[i]);
    zw_memo_end(ctx);
    return enough && ctx->status >= 0 ? f.n : -1;
}
