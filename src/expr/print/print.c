/* SPDX-License-Identifier: MIT */
/* Expressions in print: text that the model language reads back to the same node, and C; LaTeX is
 * in latex.c. Terms and factors are ordered for the reader, not by index (order.h). Factors with
 * negative exponents are written below one fraction line. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "expr/core/name.h"
#include "expr/core/order.h"
#include "latex.h"

typedef enum precedence { P_OR, P_AND, P_COMPARE, P_SUM, P_PRODUCT, P_POWER, P_ATOM } precedence;

typedef struct printer {
    const zw_context *ctx;
    zw_text out;
    zw_format format;
    int depth;
    /* limit of the length; an expression is a graph, and shared parts are written out each time */
    size_t most;
} printer;

enum { DEPTH_MAX = 400, LONGEST = 64 << 20 };

static void print_expression(printer *p, zw_expr e, precedence outer);
static void print_arguments(printer *p, const zw_expr *args, int n);

/* the spellings in the operator table */
typedef struct spelling {
    const char *text, *c;
} spelling;

static const spelling spellings[] = {
#define ZW_OP_ROW(op, text, arity, latex, c, about) [ZW_OP_##op] = {text, c},
#include "zwang/ops.def"
#undef ZW_OP_ROW
};

/* ---------------------------------------------------------------------------------- numbers */

static void put_text(printer *p, const char *s) {
    zw_text_put(&p->out, s);
}

/* |number|; the caller writes the sign */
static void print_magnitude(printer *p, zw_number x) {
    if (!x.exact) {
        /* 18 digits: the language reads that many as "the nearest double", not as a fraction */
        if (p->format == ZW_C)
            zw_text_number(&p->out, fabs(x.r));
        else
            zw_text_printf(&p->out, "%.17e", fabs(x.r));
        return;
    }
    char decimal[ZW_DECIMAL];
    long long top = llabs((long long)x.p), bottom = (long long)x.q;
    if (p->format == ZW_C)
        zw_text_printf(&p->out, bottom == 1 ? "%lld.0" : "%lld.0/%lld.0", top, bottom);
    else if (zw_number_decimal(x, decimal))
        put_text(p, decimal);
    else
        zw_text_printf(&p->out, bottom == 1 ? "%lld" : "%lld/%lld", top, bottom);
}

/* --------------------------------------------------------------------------------- products */

static void open_bracket(printer *p, bool when) {
    if (when)
        put_text(p, "(");
}

static void close_bracket(printer *p, bool when) {
    if (when)
        put_text(p, ")");
}

/* base^exponent, exponent not negative */
static void print_power(printer *p, zw_expr base, zw_number exponent, zw_expr symbolic) {
    bool half = !symbolic && exponent.exact && exponent.p == 1 && exponent.q == 2;
    if (!symbolic && zw_number_is_one(exponent)) {
        print_expression(p, base, P_PRODUCT);
    } else if (half) {
        put_text(p, "sqrt(");
        print_expression(p, base, P_OR);
        put_text(p, ")");
    } else if (p->format == ZW_C) {
        put_text(p, "pow(");
        print_expression(p, base, P_OR);
        put_text(p, ", ");
        if (symbolic)
            print_expression(p, symbolic, P_OR);
        else
            print_magnitude(p, exponent);
        put_text(p, ")");
    } else {
        bool plain = !symbolic && zw_number_is_integer(exponent);
        print_expression(p, base, P_ATOM);
        put_text(p, plain ? "^" : "^(");
        if (symbolic)
            print_expression(p, symbolic, P_OR);
        else
            print_magnitude(p, exponent);
        put_text(p, plain ? "" : ")");
    }
}

/* the factors with positive (sign 1) or negative (sign -1) numeric exponents, separated by *;
 * returns their number; prints nothing if `silent` */
static int print_factors(printer *p, const zw_pair *f, int n, int sign, bool silent, bool lead) {
    int count = 0;
    for (int i = 0; i < n; i++) {
        bool number = is_number_op(node_of(p->ctx, f[i].b)->op);
        zw_number e = number ? zw_store_number_of(p->ctx, f[i].b) : (zw_number){true, 1, 1, 0};
        int s = zw_number_sign(e);
        if (s != sign)
            continue;
        if (!silent) {
            if (count || lead)
                put_text(p, "*");
            print_power(p, f[i].a, s < 0 ? zw_number_neg(e) : e, number ? ZW_NULL : f[i].b);
        }
        count++;
    }
    return count;
}

/* |coefficient| * product (product may be any non-sum, non-number expression) */
static void print_monomial(printer *p, zw_number coefficient, zw_expr product) {
    const node *k = node_of(p->ctx, product);
    bool is_product = k->op == ZW_OP_PRODUCT;
    zw_expr lone[2] = {product, ZW_ONE};
    int n = is_product ? k->n / 2 : 1;
    zw_arena *scratch = &((zw_context *)p->ctx)->scratch;
    zw_arena_mark mark = zw_arena_mark_now(scratch);
    zw_pair *f = zw_order_factors(p->ctx, is_product ? k->args : lone, n, false);
    if (!f) {
        p->out.failed = true;
        return;
    }
    bool unit = coefficient.exact && coefficient.q == 1 && llabs((long long)coefficient.p) == 1;
    int above = print_factors(p, f, n, 1, true, false),
        below = print_factors(p, f, n, -1, true, false);
    if (!unit || !above)
        print_magnitude(p, unit ? (zw_number){true, 1, 1, 0} : coefficient);
    print_factors(p, f, n, 1, false, !unit);
    if (below) {
        put_text(p, below > 1 ? "/(" : "/");
        print_factors(p, f, n, -1, false, false);
        put_text(p, below > 1 ? ")" : "");
    }
    zw_arena_release(scratch, mark);
}

/* ------------------------------------------------------------------------------------- sums */

static zw_number divide_numbers(zw_number a, zw_number b) {
    return zw_number_is_one(b) ? a : zw_number_mul(a, zw_number_inverse(b));
}

/* sum / c */
static void print_terms(printer *p, zw_expr e, zw_number c) {
    const node *k = node_of(p->ctx, e);
    int n = (k->n - 1) / 2;
    zw_number constant = divide_numbers(zw_store_number_of(p->ctx, k->args[0]), c);
    zw_arena *scratch = &((zw_context *)p->ctx)->scratch;
    zw_arena_mark mark = zw_arena_mark_now(scratch);
    zw_pair *terms = zw_order_terms(p->ctx, k->args + 1, n, false);
    p->out.failed |= !terms;
    for (int i = 0; terms && i < n; i++) {
        zw_number x = divide_numbers(zw_store_number_of(p->ctx, terms[i].b), c);
        bool minus = zw_number_sign(x) < 0;
        put_text(p, i == 0 ? (minus ? "-" : "") : minus ? " - " : " + ");
        print_monomial(p, x, terms[i].a);
    }
    if (!zw_number_is_zero(constant)) {
        put_text(p, zw_number_sign(constant) < 0 ? " - " : " + ");
        print_magnitude(p, constant);
    }
    zw_arena_release(scratch, mark);
}

static void print_sum(printer *p, zw_expr e, precedence outer) {
    zw_number one = {true, 1, 1, 0}, c = p->format == ZW_C ? one : zw_order_common(p->ctx, e);
    bool scaled = !zw_number_is_one(c), bracket = outer > (scaled ? P_PRODUCT : P_SUM);
    open_bracket(p, bracket);
    if (scaled) {
        print_magnitude(p, c);
        put_text(p, "*");
    }
    open_bracket(p, scaled);
    print_terms(p, e, c);
    close_bracket(p, scaled);
    close_bracket(p, bracket);
}

/* ------------------------------------------------------------------------------------ others */

static void print_infix(printer *p, const zw_expr *args, const char *sign, precedence own,
                        precedence outer) {
    open_bracket(p, outer > own);
    print_expression(p, args[0], own + 1);
    zw_text_printf(&p->out, " %s ", sign);
    print_expression(p, args[1], own + 1);
    close_bracket(p, outer > own);
}

static void print_arguments(printer *p, const zw_expr *args, int n) {
    put_text(p, "(");
    for (int i = 0; i < n; i++) {
        if (i)
            put_text(p, ", ");
        print_expression(p, args[i], P_OR);
    }
    put_text(p, ")");
}

static void print_conditional(printer *p, const zw_expr *args) {
    if (p->format == ZW_TEXT) {
        put_text(p, "if");
        print_arguments(p, args, 3);
    } else {
        put_text(p, "(");
        print_expression(p, args[0], P_ATOM);
        put_text(p, " != 0 ? ");
        print_expression(p, args[1], P_SUM);
        put_text(p, " : ");
        print_expression(p, args[2], P_SUM);
        put_text(p, ")");
    }
}

static void print_table(printer *p, const zw_expr *args) {
    int table = (int)zw_expr_number(p->ctx, args[0]), order = (int)zw_expr_number(p->ctx, args[1]);
    zw_text_printf(&p->out, "table%d_%d", table, order);
    print_arguments(p, args + 2, 1);
}

/* functions written out in C where libm has none */
static bool print_c_function(printer *p, zw_op op, const zw_expr *a) {
    const char *between = NULL;
    switch (op) {
    case ZW_OP_MIN:
        between = "<";
        break;
    case ZW_OP_MAX:
        between = ">";
        break;
    case ZW_OP_SIGN:
        put_text(p, "(");
        print_expression(p, a[0], P_ATOM);
        put_text(p, " > 0 ? 1.0 : ");
        print_expression(p, a[0], P_ATOM);
        put_text(p, " < 0 ? -1.0 : ");
        print_expression(p, a[0], P_ATOM);
        put_text(p, ")");
        return true;
    case ZW_OP_NOT:
        put_text(p, "(");
        print_expression(p, a[0], P_ATOM);
        put_text(p, " == 0)");
        return true;
    default:
        return false;
    }
    put_text(p, "(");
    print_expression(p, a[1], P_ATOM);
    zw_text_printf(&p->out, " %s ", between);
    print_expression(p, a[0], P_ATOM);
    put_text(p, " ? ");
    print_expression(p, a[1], P_ATOM);
    put_text(p, " : ");
    print_expression(p, a[0], P_ATOM);
    put_text(p, ")");
    return true;
}

static void print_function(printer *p, zw_expr e, precedence outer) {
    const node *k = node_of(p->ctx, e);
    zw_op op = (zw_op)k->op;
    bool c = p->format == ZW_C;
    switch (op) {
    case ZW_OP_COND:
        print_conditional(p, k->args);
        return;
    case ZW_OP_TABLE:
        print_table(p, k->args);
        return;
    case ZW_OP_LT:
    case ZW_OP_LE:
        print_infix(p, k->args, spellings[op].text, P_COMPARE, outer);
        return;
    case ZW_OP_AND:
        print_infix(p, k->args, c ? "&&" : "and", P_AND, outer);
        return;
    case ZW_OP_OR:
        print_infix(p, k->args, c ? "||" : "or", P_OR, outer);
        return;
    default:
        if (c && print_c_function(p, op, k->args))
            return;
    }
    bool bracket = op == ZW_OP_NOT && outer > P_COMPARE; /* not(x) + y is not not(x + y) */
    open_bracket(p, bracket);
    put_text(p, c && spellings[op].c[0] ? spellings[op].c : spellings[op].text);
    print_arguments(p, k->args, k->n);
    close_bracket(p, bracket);
}

static void print_expression(printer *p, zw_expr e, precedence outer) {
    if (p->depth >= DEPTH_MAX || p->out.length > p->most)
        p->out.failed = true;
    if (p->out.failed) /* going on would cost the work that the budget limits */
        return;
    p->depth++;
    const node *k = node_of(p->ctx, e);
    switch (k->op) {
    case ZW_OP_RATIONAL:
    case ZW_OP_REAL: {
        zw_number x = zw_store_number_of(p->ctx, e);
        bool minus = zw_number_sign(x) < 0;
        char decimal[ZW_DECIMAL];
        bool fraction =
            x.exact && x.q != 1 && (p->format == ZW_C || !zw_number_decimal(x, decimal));
        bool bracket = (minus && outer > P_SUM) || (fraction && outer > P_PRODUCT) ||
                       (fraction && outer == P_PRODUCT && p->format == ZW_C);
        open_bracket(p, bracket);
        put_text(p, minus ? "-" : "");
        print_magnitude(p, x);
        close_bracket(p, bracket);
        break;
    }
    case ZW_OP_PI:
        put_text(p, p->format == ZW_C ? "3.14159265358979323846" : "pi");
        break;
    case ZW_OP_SYMBOL:
        if (p->format == ZW_C)
            zw_name_c(&p->out, k->name);
        else
            put_text(p, k->name);
        break;
    case ZW_OP_SUM:
        print_sum(p, e, outer);
        break;
    case ZW_OP_PRODUCT: {
        bool bracket = outer > P_PRODUCT;
        open_bracket(p, bracket);
        print_monomial(p, (zw_number){true, 1, 1, 0}, e);
        close_bracket(p, bracket);
        break;
    }
    default:
        print_function(p, e, outer);
        break;
    }
    p->depth--;
}

static char *print_latex(const zw_context *ctx, zw_expr e, size_t most) {
    zw_tex out;
    zw_tex_init(&out, &ctx->alloc);
    zw_latex_print(ctx, e, 0, most, &out);
    char *text = zw_text_take(&out.text);
    zw_tex_clear(&out);
    return text;
}

char *zw_print_within(const zw_context *ctx, zw_expr e, zw_format format, size_t most) {
    if (format == ZW_LATEX)
        return print_latex(ctx, e, most);
    printer p = {.ctx = ctx, .format = format, .most = most};
    zw_text_init(&p.out, &ctx->alloc);
    if (e)
        print_expression(&p, e, P_OR);
    else
        put_text(&p, "(nothing)");
    p.out.failed |= p.out.length > most;
    return zw_text_take(&p.out);
}

char *zw_print(const zw_context *ctx, zw_expr e, zw_format format) {
    return zw_print_within(ctx, e, format, LONGEST);
}

void zw_string_free(const zw_context *ctx, char *s) {
    if (s)
        zw_release(&ctx->alloc, s, strlen(s) + 1);
}
