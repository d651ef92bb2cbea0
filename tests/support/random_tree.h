/* SPDX-License-Identifier: MIT */
/* Random expressions built twice: as a plain tree with a naive evaluator of its own, and through
 * the constructors of the library. */
#ifndef ZW_TEST_RANDOM_TREE_H
#define ZW_TEST_RANDOM_TREE_H

#include "support/test.h"
#include "zwang/expr.h"

enum { TREE_SYMBOLS = 4, TREE_MAX = 512 };

typedef enum tree_kind {
    TREE_NUMBER,
    TREE_SYMBOL,
    TREE_ADD,
    TREE_SUB,
    TREE_MUL,
    TREE_DIV,
    TREE_POWER, /* integer exponent */
    TREE_ROOT,  /* sqrt(1 + x^2) */
    TREE_FUNCTION
} tree_kind;

typedef struct tree {
    tree_kind kind;
    int symbol, exponent;
    int64_t p, q;
    zw_op op;
    struct tree *arg[3];
} tree;

typedef struct forest {
    test_random random;
    tree nodes[TREE_MAX];
    int count;
    bool smooth; /* no kinks: for derivatives */
} forest;

static inline tree *tree_random(forest *f, int depth) {
    static const zw_op smooth_ops[] = {ZW_OP_SIN, ZW_OP_COS,   ZW_OP_TANH, ZW_OP_ATAN,
                                       ZW_OP_EXP, ZW_OP_ASINH, ZW_OP_SINH, ZW_OP_COSH};
    static const zw_op kinked_ops[] = {ZW_OP_ABS, ZW_OP_SIGN, ZW_OP_MIN,  ZW_OP_MAX,
                                       ZW_OP_LT,  ZW_OP_LE,   ZW_OP_COND, ZW_OP_ATAN2};
    tree *t = &f->nodes[f->count++];
    memset(t, 0, sizeof *t);
    int pick = depth <= 0 || f->count > TREE_MAX - 16 ? test_random_int(&f->random, 2)
                                                      : 2 + test_random_int(&f->random, 10);
    int args = 2;
    switch (pick) {
    case 0:
        t->kind = TREE_NUMBER;
        t->p = test_random_int(&f->random, 9) - 4;
        t->q = 1 + test_random_int(&f->random, 3);
        return t;
    case 1:
        t->kind = TREE_SYMBOL;
        t->symbol = test_random_int(&f->random, TREE_SYMBOLS);
        return t;
    case 2:
    case 3:
        t->kind = TREE_ADD;
        break;
    case 4:
        t->kind = TREE_SUB;
        break;
    case 5:
    case 6:
        t->kind = TREE_MUL;
        break;
    case 7:
        t->kind = TREE_DIV;
        break;
    case 8:
        t->kind = TREE_POWER;
        t->exponent = test_random_int(&f->random, 5) - 1;
        args = 1;
        break;
    case 9:
        t->kind = TREE_ROOT;
        args = 1;
        break;
    default:
        t->kind = TREE_FUNCTION;
        args = 1;
        if (f->smooth || test_random_int(&f->random, 3)) {
            t->op = smooth_ops[test_random_int(&f->random, 8)];
        } else {
            t->op = kinked_ops[test_random_int(&f->random, 8)];
            args = t->op == ZW_OP_COND ? 3 : t->op == ZW_OP_ABS || t->op == ZW_OP_SIGN ? 1 : 2;
        }
        break;
    }
    for (int i = 0; i < args; i++)
        t->arg[i] = tree_random(f, depth - 1);
    return t;
}

static inline double tree_value(const tree *t, const double *x) {
    double a = t->arg[0] ? tree_value(t->arg[0], x) : 0,
           b = t->arg[1] ? tree_value(t->arg[1], x) : 0;
    switch (t->kind) {
    case TREE_NUMBER:
        return (double)t->p / (double)t->q;
    case TREE_SYMBOL:
        return x[t->symbol];
    case TREE_ADD:
        return a + b;
    case TREE_SUB:
        return a - b;
    case TREE_MUL:
        return a * b;
    case TREE_DIV:
        return a / (2 + b * b);
    case TREE_POWER:
        return pow(a, t->exponent);
    case TREE_ROOT:
        return sqrt(1 + a * a);
    case TREE_FUNCTION:
        break;
    }
    switch (t->op) {
    case ZW_OP_SIN:
        return sin(a);
    case ZW_OP_COS:
        return cos(a);
    case ZW_OP_TANH:
        return tanh(a);
    case ZW_OP_ATAN:
        return atan(a);
    case ZW_OP_EXP:
        return exp(a);
    case ZW_OP_ASINH:
        return asinh(a);
    case ZW_OP_SINH:
        return sinh(a);
    case ZW_OP_COSH:
        return cosh(a);
    case ZW_OP_ABS:
        return fabs(a);
    case ZW_OP_SIGN:
        return a > 0 ? 1 : a < 0 ? -1 : 0;
    case ZW_OP_MIN:
        return a < b ? a : b;
    case ZW_OP_MAX:
        return a > b ? a : b;
    case ZW_OP_LT:
        return a < b;
    case ZW_OP_LE:
        return a <= b;
    case ZW_OP_ATAN2:
        return atan2(a, b);
    case ZW_OP_COND:
        return a != 0 ? b : tree_value(t->arg[2], x);
    default:
        return NAN;
    }
}

/* the largest magnitude met on the way: the scale of round-off */
static inline double tree_scale(const tree *t, const double *x) {
    double s = fabs(tree_value(t, x));
    for (int i = 0; i < 3; i++)
        if (t->arg[i])
            s = fmax(s, tree_scale(t->arg[i], x));
    return s;
}

static inline zw_expr tree_build(zw_context *ctx, const tree *t, const zw_expr *symbols) {
    zw_expr arg[3] = {0};
    int n = 0;
    for (; n < 3 && t->arg[n]; n++)
        arg[n] = tree_build(ctx, t->arg[n], symbols);
    switch (t->kind) {
    case TREE_NUMBER:
        return zw_rational(ctx, t->p, t->q);
    case TREE_SYMBOL:
        return symbols[t->symbol];
    case TREE_ADD:
        return zw_add(ctx, arg[0], arg[1]);
    case TREE_SUB:
        return zw_sub(ctx, arg[0], arg[1]);
    case TREE_MUL:
        return zw_mul(ctx, arg[0], arg[1]);
    case TREE_DIV:
        return zw_div(ctx, arg[0], zw_add(ctx, ZW_TWO, zw_pow(ctx, arg[1], ZW_TWO)));
    case TREE_POWER:
        return zw_pow(ctx, arg[0], zw_integer(ctx, t->exponent));
    case TREE_ROOT:
        return zw_sqrt(ctx, zw_add(ctx, ZW_ONE, zw_pow(ctx, arg[0], ZW_TWO)));
    case TREE_FUNCTION:
        return zw_apply(ctx, t->op, n, arg);
    }
    return ZW_NULL;
}

#endif
