/* SPDX-License-Identifier: MIT */
/* Functions of the operator table: folding on construction, values, partial derivatives.
 *
 * Folding: a REAL argument is evaluated; an exact one only where the result is exact (sin 0, exp 0,
 * sin of multiples of pi/2 and of pi/6 with rational value). Odd and even functions lose a leading
 * minus sign, sin and cos lose multiples of pi/2. Each rule makes the argument or the tree
 * smaller. */
#include <math.h>

#include "base/contensou.h"
#include "store.h"

double zw_function_value(zw_op op, const double *a) {
    switch (op) {
    case ZW_OP_PRODUCT: /* one factor: base and exponent */
        return pow(a[0], a[1]);
    case ZW_OP_SIN:
        return sin(a[0]);
    case ZW_OP_COS:
        return cos(a[0]);
    case ZW_OP_TAN:
        return tan(a[0]);
    case ZW_OP_ASIN:
        return asin(a[0]);
    case ZW_OP_ACOS:
        return acos(a[0]);
    case ZW_OP_ATAN:
        return atan(a[0]);
    case ZW_OP_SINH:
        return sinh(a[0]);
    case ZW_OP_COSH:
        return cosh(a[0]);
    case ZW_OP_TANH:
        return tanh(a[0]);
    case ZW_OP_ASINH:
        return asinh(a[0]);
    case ZW_OP_ACOSH:
        return acosh(a[0]);
    case ZW_OP_ATANH:
        return atanh(a[0]);
    case ZW_OP_EXP:
        return exp(a[0]);
    case ZW_OP_LOG:
        return log(a[0]);
    case ZW_OP_ABS:
        return fabs(a[0]);
    case ZW_OP_SIGN:
        return a[0] > 0 ? 1 : a[0] < 0 ? -1 : a[0]; /* keeps NaN */
    case ZW_OP_ATAN2:
        return atan2(a[0], a[1]);
    case ZW_OP_MIN:
        return a[1] < a[0] ? a[1] : a[0];
    case ZW_OP_MAX:
        return a[1] > a[0] ? a[1] : a[0];
    case ZW_OP_LT:
        return a[0] < a[1];
    case ZW_OP_LE:
        return a[0] <= a[1];
    case ZW_OP_NOT:
        return a[0] == 0;
    case ZW_OP_AND:
        return a[0] != 0 && a[1] != 0;
    case ZW_OP_OR:
        return a[0] != 0 || a[1] != 0;
    case ZW_OP_COND:
        return a[0] != 0 ? a[1] : a[2];
    case ZW_OP_PATCH:
        return zw_patch_value((int)a[0], a[1], a[2]);
    default:
        return NAN;
    }
}

static bool is_number(const zw_context *ctx, zw_expr e) {
    return is_number_op(node_of(ctx, e)->op);
}

/* true if the first coefficient of e is negative; -e is then the canonical form */
static bool has_minus(const zw_context *ctx, zw_expr e) {
    const node *k = node_of(ctx, e);
    if (is_number_op(k->op))
        return zw_number_sign(zw_store_number_of(ctx, e)) < 0;
    return k->op == ZW_OP_SUM && zw_number_sign(zw_store_number_of(ctx, k->args[2])) < 0;
}

static zw_expr apply_unary(zw_context *ctx, zw_op op, zw_expr a) {
    return zw_apply(ctx, op, 1, &a);
}

zw_expr zw_sin(zw_context *ctx, zw_expr a) {
    return apply_unary(ctx, ZW_OP_SIN, a);
}

zw_expr zw_cos(zw_context *ctx, zw_expr a) {
    return apply_unary(ctx, ZW_OP_COS, a);
}

zw_expr zw_cond(zw_context *ctx, zw_expr test, zw_expr then, zw_expr otherwise) {
    return zw_apply(ctx, ZW_OP_COND, 3, (zw_expr[]){test, then, otherwise});
}

/* the coefficient of pi in a, if it is exact */
static bool pi_part(const zw_context *ctx, zw_expr a, zw_number *r) {
    const node *k = node_of(ctx, a);
    if (a == ZW_PI) {
        *r = (zw_number){true, 1, 1, 0};
        return true;
    }
    if (k->op != ZW_OP_SUM)
        return false;
    for (int i = 1; i < k->n; i += 2)
        if (k->args[i] == ZW_PI) {
            *r = zw_store_number_of(ctx, k->args[i + 1]);
            return r->exact;
        }
    return false;
}

/* sin or cos of rest + (quarter turns) pi/2 + remainder; 0 if nothing can be extracted */
static zw_expr fold_circular(zw_context *ctx, zw_op op, zw_expr a) {
    zw_number r;
    if (!pi_part(ctx, a, &r))
        return ZW_NULL;
    /* r = quarters / 2 + remainder with 0 <= remainder < 1/2 */
    zw_number twice = zw_number_mul(r, (zw_number){true, 2, 1, 0});
    if (!twice.exact)
        return ZW_NULL;
    int64_t quarters = twice.p / twice.q;
    if (twice.p < 0 && quarters * twice.q != twice.p)
        quarters--;
    zw_expr whole = zw_mul(ctx, zw_rational(ctx, quarters, 2), ZW_PI);
    zw_expr rest = quarters ? zw_sub(ctx, a, whole) : a;
    if (quarters) {
        /* sin(u + k pi/2): sin, cos, -sin, -cos for k = 0..3; cos is sin one quarter later */
        int k = (int)(((quarters + (op == ZW_OP_COS)) % 4 + 4) % 4);
        zw_expr f = apply_unary(ctx, k % 2 ? ZW_OP_COS : ZW_OP_SIN, rest);
        return k >= 2 ? zw_neg(ctx, f) : f;
    }
    /* only a remainder, with a rational value: sin(pi/6), cos(pi/3) */
    if (a == zw_mul(ctx, zw_rational(ctx, 1, op == ZW_OP_SIN ? 6 : 3), ZW_PI))
        return ZW_HALF;
    return ZW_NULL;
}

static bool is_odd(zw_op op) {
    switch (op) {
    case ZW_OP_SIN:
    case ZW_OP_TAN:
    case ZW_OP_ASIN:
    case ZW_OP_ATAN:
    case ZW_OP_SINH:
    case ZW_OP_TANH:
    case ZW_OP_ASINH:
    case ZW_OP_ATANH:
    case ZW_OP_SIGN:
        return true;
    default:
        return false;
    }
}

static bool is_even(zw_op op) {
    return op == ZW_OP_COS || op == ZW_OP_COSH || op == ZW_OP_ABS;
}

/* abs and sign ignore positive factors */
static zw_expr fold_magnitude(zw_context *ctx, zw_op op, zw_expr a) {
    const node *k = node_of(ctx, a);
    if (k->op == ZW_OP_SUM && k->n == 3 && k->args[0] == ZW_ZERO && k->args[2] != ZW_ONE) {
        zw_expr t = k->args[1], c = k->args[2];
        zw_expr f = apply_unary(ctx, op, t);
        return op == ZW_OP_ABS ? zw_mul(ctx, apply_unary(ctx, ZW_OP_ABS, c), f)
                               : zw_mul(ctx, apply_unary(ctx, ZW_OP_SIGN, c), f);
    }
    if (op == ZW_OP_ABS && (k->op == ZW_OP_ABS || k->op == ZW_OP_EXP))
        return a;
    if (op == ZW_OP_ABS && k->op == ZW_OP_PRODUCT && k->n == 2) {
        int64_t p, q;
        if (zw_expr_is_rational(ctx, k->args[1], &p, &q) && (p % 2 == 0 || q % 2 == 0))
            return a; /* even powers and even roots are not negative */
    }
    return ZW_NULL;
}

static zw_expr fold_unary(zw_context *ctx, zw_op op, zw_expr a) {
    if (a == ZW_ZERO) {
        if (is_odd(op) || op == ZW_OP_ABS)
            return ZW_ZERO;
        if (op == ZW_OP_COS || op == ZW_OP_COSH || op == ZW_OP_EXP || op == ZW_OP_NOT)
            return ZW_ONE;
    }
    if (a == ZW_ONE && (op == ZW_OP_LOG || op == ZW_OP_ACOSH || op == ZW_OP_ACOS))
        return ZW_ZERO;
    if (is_number(ctx, a) && (op == ZW_OP_ABS || op == ZW_OP_SIGN || op == ZW_OP_NOT)) {
        zw_number x = zw_store_number_of(ctx, a);
        if (op == ZW_OP_ABS)
            return zw_store_number(ctx, zw_number_sign(x) < 0 ? zw_number_neg(x) : x);
        return op == ZW_OP_SIGN    ? zw_integer(ctx, zw_number_sign(x))
               : zw_number_sign(x) ? ZW_ZERO
                                   : ZW_ONE;
    }
    if (node_of(ctx, a)->op == ZW_OP_REAL) {
        double x = node_of(ctx, a)->real;
        zw_number from = zw_store_number_of(ctx, a);
        return zw_store_number(ctx,
                               zw_number_computed(zw_function_value(op, &x), (int)op, from, from));
    }
    if (op == ZW_OP_LOG && node_of(ctx, a)->op == ZW_OP_EXP)
        return node_of(ctx, a)->args[0];
    if (op == ZW_OP_SIN || op == ZW_OP_COS) {
        zw_expr f = fold_circular(ctx, op, a);
        if (f)
            return f;
    }
    if (op == ZW_OP_ABS || op == ZW_OP_SIGN) {
        zw_expr f = fold_magnitude(ctx, op, a);
        if (f)
            return f;
    }
    if ((is_odd(op) || is_even(op)) && has_minus(ctx, a)) {
        zw_expr f = apply_unary(ctx, op, zw_neg(ctx, a));
        return is_odd(op) ? zw_neg(ctx, f) : f;
    }
    return ZW_NULL;
}

static zw_expr fold_binary(zw_context *ctx, zw_op op, zw_expr a, zw_expr b) {
    bool numbers = is_number(ctx, a) && is_number(ctx, b);
    if (numbers && op != ZW_OP_ATAN2) {
        /* exact comparison; the chosen argument then stays exact */
        zw_number x = zw_store_number_of(ctx, a), y = zw_store_number_of(ctx, b);
        int order = zw_number_sign(zw_number_add(x, zw_number_neg(y)));
        switch (op) {
        case ZW_OP_MIN:
            return order > 0 ? b : a;
        case ZW_OP_MAX:
            return order < 0 ? b : a;
        case ZW_OP_LT:
            return order < 0 ? ZW_ONE : ZW_ZERO;
        case ZW_OP_LE:
            return order <= 0 ? ZW_ONE : ZW_ZERO;
        case ZW_OP_AND:
            return zw_number_sign(x) && zw_number_sign(y) ? ZW_ONE : ZW_ZERO;
        case ZW_OP_OR:
            return zw_number_sign(x) || zw_number_sign(y) ? ZW_ONE : ZW_ZERO;
        default:
            return ZW_NULL;
        }
    }
    if (numbers && (node_of(ctx, a)->op == ZW_OP_REAL || node_of(ctx, b)->op == ZW_OP_REAL))
        return zw_store_number(
            ctx, zw_number_computed(atan2(zw_expr_number(ctx, a), zw_expr_number(ctx, b)), (int)op,
                                    zw_store_number_of(ctx, a), zw_store_number_of(ctx, b)));
    if (op == ZW_OP_ATAN2 && a == ZW_ZERO && is_number(ctx, b) &&
        zw_number_sign(zw_store_number_of(ctx, b)) > 0)
        return ZW_ZERO;
    if (a == b && (op == ZW_OP_MIN || op == ZW_OP_MAX))
        return a;
    if (a == b && (op == ZW_OP_LT || op == ZW_OP_LE))
        return op == ZW_OP_LE ? ZW_ONE : ZW_ZERO;
    if (op == ZW_OP_AND && (a == ZW_ZERO || b == ZW_ZERO))
        return ZW_ZERO;
    if (op == ZW_OP_OR &&
        ((is_number(ctx, a) && a != ZW_ZERO) || (is_number(ctx, b) && b != ZW_ZERO)))
        return ZW_ONE;
    return ZW_NULL;
}

zw_expr zw_apply(zw_context *ctx, zw_op op, int n, const zw_expr *args) {
    for (int i = 0; i < n; i++)
        if (args[i] == ZW_NULL)
            return ZW_NULL;
    zw_expr folded = ZW_NULL;
    if (n == 1)
        folded = fold_unary(ctx, op, args[0]);
    else if (n == 2)
        folded = fold_binary(ctx, op, args[0], args[1]);
    else if (op == ZW_OP_COND && is_number(ctx, args[0]))
        folded = args[0] == ZW_ZERO ? args[2] : args[1];
    else if (op == ZW_OP_COND && args[1] == args[2])
        folded = args[1];
    if (folded || ctx->status < 0)
        return folded;
    if ((op == ZW_OP_MIN || op == ZW_OP_MAX || op == ZW_OP_AND || op == ZW_OP_OR) &&
        args[0] > args[1])
        return zw_store_node(ctx, op, 2, (zw_expr[]){args[1], args[0]});
    return zw_store_node(ctx, op, n, args);
}

/* 1 / sqrt(x) */
static zw_expr inverse_root(zw_context *ctx, zw_expr x) {
    return zw_pow(ctx, x, zw_rational(ctx, -1, 2));
}

static zw_expr apply_patch(zw_context *ctx, double nu, zw_patch_function f, zw_expr a, zw_expr b) {
    return zw_apply(ctx, ZW_OP_PATCH, 3, (zw_expr[]){zw_integer(ctx, zw_patch_code(nu, f)), a, b});
}

/* -(3/2 first + a second)/b: the derivative with respect to b of a function of degree -3/2, from
 * that with respect to a */
static zw_expr patch_in_b(zw_context *ctx, zw_expr first, zw_expr second, zw_expr a, zw_expr b) {
    zw_expr sum = zw_add(ctx, zw_mul(ctx, zw_rational(ctx, 3, 2), first), zw_mul(ctx, a, second));
    return zw_neg(ctx, zw_div(ctx, sum, b));
}

/* The second derivatives of P and Q (src/base/contensou.h). By the hypergeometric equation of P, a
 * (b - a) P_aa = -(nu + 1/2)/2 P - (2b - (1 - nu) a) P_a; the others follow from their degree. They
 * are infinite at a = b. */
static zw_expr patch_second(zw_context *ctx, double nu, int order_b, zw_expr a, zw_expr b) {
    zw_expr PA = apply_patch(ctx, nu, ZW_PATCH_PA, a, b),
            P = zw_mul(ctx, zw_real(ctx, (nu + 0.5) / 2), apply_patch(ctx, nu, ZW_PATCH_P, a, b)),
            factor = zw_sub(ctx, zw_mul(ctx, ZW_TWO, b), zw_mul(ctx, zw_real(ctx, 1 - nu), a)),
            sum = zw_neg(ctx, zw_add(ctx, P, zw_mul(ctx, factor, PA))),
            out = zw_div(ctx, sum, zw_mul(ctx, a, zw_sub(ctx, b, a)));
    const zw_patch_function first[] = {ZW_PATCH_PA, ZW_PATCH_PB, ZW_PATCH_QB};
    for (int i = 0; i < order_b; i++)
        out = patch_in_b(ctx, apply_patch(ctx, nu, first[i], a, b), out, a, b);
    return out;
}

static zw_expr patch_partial(zw_context *ctx, int code, zw_expr a, zw_expr b, bool in_b) {
    double nu = zw_patch_nu(code);
    switch (zw_patch_which(code)) {
    case ZW_PATCH_P:
        return apply_patch(ctx, nu, in_b ? ZW_PATCH_PB : ZW_PATCH_PA, a, b);
    case ZW_PATCH_Q:
        return apply_patch(ctx, nu, in_b ? ZW_PATCH_QB : ZW_PATCH_PB, a, b);
    case ZW_PATCH_PA:
        return patch_second(ctx, nu, in_b, a, b);
    case ZW_PATCH_PB:
        return patch_second(ctx, nu, 1 + in_b, a, b);
    case ZW_PATCH_QB:
        return patch_second(ctx, nu, 2 + in_b, a, b);
    case ZW_PATCH_GAUGE:
        return apply_patch(ctx, nu, in_b ? ZW_PATCH_GAUGE_B : ZW_PATCH_GAUGE_A, a, b);
    default:
        zw_store_fail(ctx, ZW_E_DOMAIN, "the gauge of a patch can be differentiated only once");
        return ZW_NULL;
    }
}

zw_expr zw_function_partial(zw_context *ctx, zw_expr e, int k) {
    const node *f = node_of(ctx, e);
    zw_op op = (zw_op)f->op;
    zw_expr a = f->args[0], b = f->n > 1 ? f->args[1] : ZW_NULL,
            c = f->n > 2 ? f->args[2] : ZW_NULL;
    zw_expr square = f->n == 1 ? zw_pow(ctx, a, ZW_TWO) : ZW_NULL;
    switch (op) {
    case ZW_OP_SIN:
        return zw_cos(ctx, a);
    case ZW_OP_COS:
        return zw_neg(ctx, zw_sin(ctx, a));
    case ZW_OP_TAN:
        return zw_add(ctx, ZW_ONE, zw_pow(ctx, e, ZW_TWO));
    case ZW_OP_ASIN:
        return inverse_root(ctx, zw_sub(ctx, ZW_ONE, square));
    case ZW_OP_ACOS:
        return zw_neg(ctx, inverse_root(ctx, zw_sub(ctx, ZW_ONE, square)));
    case ZW_OP_ATAN:
        return zw_pow(ctx, zw_add(ctx, ZW_ONE, square), ZW_MINUS_ONE);
    case ZW_OP_SINH:
        return apply_unary(ctx, ZW_OP_COSH, a);
    case ZW_OP_COSH:
        return apply_unary(ctx, ZW_OP_SINH, a);
    case ZW_OP_TANH:
        return zw_sub(ctx, ZW_ONE, zw_pow(ctx, e, ZW_TWO));
    case ZW_OP_ASINH:
        return inverse_root(ctx, zw_add(ctx, square, ZW_ONE));
    case ZW_OP_ACOSH:
        /* acosh requires a >= 1, where this root has the right sign */
        return inverse_root(ctx, zw_sub(ctx, square, ZW_ONE));
    case ZW_OP_ATANH:
        return zw_pow(ctx, zw_sub(ctx, ZW_ONE, square), ZW_MINUS_ONE);
    case ZW_OP_EXP:
        return e;
    case ZW_OP_LOG:
        return zw_pow(ctx, a, ZW_MINUS_ONE);
    case ZW_OP_ABS:
        return apply_unary(ctx, ZW_OP_SIGN, a);
    case ZW_OP_ATAN2: {
        zw_expr r2 = zw_add(ctx, zw_pow(ctx, a, ZW_TWO), zw_pow(ctx, b, ZW_TWO));
        return k == 0 ? zw_div(ctx, b, r2) : zw_neg(ctx, zw_div(ctx, a, r2));
    }
    case ZW_OP_TABLE: {
        int64_t table, order, one;
        if (k < 2)
            return ZW_ZERO;
        zw_expr_is_rational(ctx, a, &table, &one);
        zw_expr_is_rational(ctx, b, &order, &one);
        return zw_lookup(ctx, (int)table, (int)order + 1, c);
    }
    case ZW_OP_PATCH:
        return k == 0 ? ZW_ZERO : patch_partial(ctx, (int)zw_expr_number(ctx, a), b, c, k == 2);
    default: /* sign and comparisons are piecewise constant; choices are differentiated in diff.c */
        return ZW_ZERO;
    }
}
