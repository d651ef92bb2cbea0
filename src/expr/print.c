/* SPDX-License-Identifier: MIT */
/* Expressions in print: text that the model language reads back to the same node, LaTeX, and C.
 *
 * Terms and factors are ordered for the reader, not by index: numbers, then symbols in the order of
 * their creation (parameters come first in a model), then functions, then sums; so m*g*l*sin(theta).
 * Factors with a negative exponent go below one fraction line. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "name.h"
#include "store.h"

typedef enum precedence { P_OR, P_AND, P_COMPARE, P_SUM, P_PRODUCT, P_POWER, P_ATOM } precedence;

typedef struct printer {
    const zw_context *ctx;
    zw_text out;
    zw_format format;
    int depth;
    size_t
        most; /* characters; an expression is a graph, and what it shares is written out each time */
} printer;

enum { DEPTH_MAX = 400, LONGEST = 64 << 20 };

static void print(printer *p, zw_expr e, precedence outer);
static void print_arguments(printer *p, const zw_expr *args, int n);

/* the spellings of the operator table */
typedef struct spelling {
    const char *text, *latex, *c;
} spelling;

static const spelling spellings[] = {
#define ZW_OP_ROW(op, text, arity, latex, c, about) [ZW_OP_##op] = {text, latex, c},
#include "zwang/ops.def"
#undef ZW_OP_ROW
};

/* --------------------------------------------------------------------------------- ordering */

static int rank(const node *k) {
    switch (k->op) {
    case ZW_OP_RATIONAL:
    case ZW_OP_REAL:
        return 0;
    case ZW_OP_PI:
        return 1;
    case ZW_OP_SYMBOL:
        return 2;
    case ZW_OP_PRODUCT:
        return 4;
    case ZW_OP_SUM:
        return 5;
    default:
        return 3;
    }
}

/* the factor b^e of a product is looked at as b */
static int compare(const zw_context *ctx, zw_expr a, zw_expr b, int depth) {
    if (a == b || depth > 16)
        return 0;
    const node *x = node_of(ctx, a), *y = node_of(ctx, b);
    /* a product against anything: factor by factor */
    if (x->op == ZW_OP_PRODUCT || y->op == ZW_OP_PRODUCT) {
        int nx = x->op == ZW_OP_PRODUCT ? x->n : 2, ny = y->op == ZW_OP_PRODUCT ? y->n : 2;
        zw_expr lone_x[2] = {a, ZW_ONE}, lone_y[2] = {b, ZW_ONE};
        const zw_expr *ax = x->op == ZW_OP_PRODUCT ? x->args : lone_x;
        const zw_expr *ay = y->op == ZW_OP_PRODUCT ? y->args : lone_y;
        for (int i = 0; i < nx && i < ny; i += 2) {
            int c = compare(ctx, ax[i], ay[i], depth + 1);
            if (c)
                return c;
            if (ax[i + 1] != ay[i + 1])
                return ax[i + 1] == ZW_ONE ? 1 : ay[i + 1] == ZW_ONE ? -1 : 0;
        }
        return nx - ny;
    }
    if (rank(x) != rank(y))
        return rank(x) - rank(y);
    if (x->op == ZW_OP_SYMBOL && (x->flags ^ y->flags) & IS_COEFFICIENT)
        return x->flags & IS_COEFFICIENT ? -1 : 1; /* made last, but read as a coefficient */
    if (x->op == ZW_OP_SYMBOL)
        return x->n - y->n;
    if (x->op != y->op)
        return (int)x->op - (int)y->op;
    if (x->op > ZW_OP_PRODUCT)
        for (int i = 0; i < x->n && i < y->n; i++) {
            int c = compare(ctx, x->args[i], y->args[i], depth + 1);
            if (c)
                return c;
        }
    return 0;
}

typedef struct pair {
    zw_expr a, b; /* term and coefficient, or base and exponent */
} pair;

/* a stable insertion sort of argument pairs into reading order; sums can be long, so merge runs */
static void sort_pairs(const zw_context *ctx, pair *pairs, pair *spare, int n) {
    for (int width = 1; width < n; width *= 2) {
        for (int low = 0; low < n; low += 2 * width) {
            int middle = low + width < n ? low + width : n;
            int high = low + 2 * width < n ? low + 2 * width : n;
            for (int i = low, j = middle, k = low; k < high; k++) {
                bool left =
                    j >= high || (i < middle && compare(ctx, pairs[i].a, pairs[j].a, 0) <= 0);
                spare[k] = left ? pairs[i++] : pairs[j++];
            }
        }
        memcpy(pairs, spare, (size_t)n * sizeof *pairs);
    }
}

/* the sorted argument pairs of a sum or product, 2n long in the scratch arena; NULL: no memory */
static pair *sorted_pairs(const zw_context *ctx, const zw_expr *args, int n) {
    zw_arena *scratch = &((zw_context *)ctx)->scratch;
    pair *pairs = ZW_NEW(scratch, pair, 2 * n);
    if (!pairs)
        return NULL;
    for (int i = 0; i < n; i++)
        pairs[i] = (pair){args[2 * i], args[2 * i + 1]};
    sort_pairs(ctx, pairs, pairs + n, n);
    return pairs;
}

/* ---------------------------------------------------------------------------------- numbers */

static void put(printer *p, const char *s) {
    zw_text_put(&p->out, s);
}

/* |number|; the sign is the caller's */
static void print_magnitude(printer *p, zw_number x) {
    if (!x.exact) {
        /* 18 digits: the language takes that many as "the nearest double", not as a fraction */
        if (p->format == ZW_C)
            zw_text_number(&p->out, fabs(x.r));
        else
            zw_text_printf(&p->out, "%.17e", fabs(x.r));
        return;
    }
    long long top = llabs((long long)x.p), bottom = (long long)x.q;
    if (p->format == ZW_C)
        zw_text_printf(&p->out, bottom == 1 ? "%lld.0" : "%lld.0/%lld.0", top, bottom);
    else if (bottom == 1)
        zw_text_printf(&p->out, "%lld", top);
    else
        zw_text_printf(&p->out, p->format == ZW_LATEX ? "\\frac{%lld}{%lld}" : "%lld/%lld", top,
                       bottom);
}

/* --------------------------------------------------------------------------------- products */

static void open_bracket(printer *p, bool when) {
    if (when)
        put(p, p->format == ZW_LATEX ? "\\left(" : "(");
}

static void close_bracket(printer *p, bool when) {
    if (when)
        put(p, p->format == ZW_LATEX ? "\\right)" : ")");
}

/* \sin^{2}(x): functions with a LaTeX name of their own carry the exponent at the name */
static bool print_latex_function_power(printer *p, zw_expr base, zw_number exponent) {
    const node *k = node_of(p->ctx, base);
    if (p->format != ZW_LATEX || !zw_number_is_integer(exponent) || k->op < ZW_OP_SIN ||
        k->op > ZW_OP_LOG || k->op == ZW_OP_EXP)
        return false;
    put(p, spellings[k->op].latex);
    zw_text_printf(&p->out, "^{%lld}", (long long)exponent.p);
    print_arguments(p, k->args, k->n);
    return true;
}

/* base^exponent with exponent not negative */
static void print_power(printer *p, zw_expr base, zw_number exponent, zw_expr symbolic) {
    bool half = !symbolic && exponent.exact && exponent.p == 1 && exponent.q == 2;
    if (!symbolic && zw_number_is_one(exponent)) {
        print(p, base, P_PRODUCT);
    } else if (!symbolic && print_latex_function_power(p, base, exponent)) {
        return;
    } else if (half) {
        put(p, p->format == ZW_LATEX ? "\\sqrt{" : "sqrt(");
        print(p, base, P_OR);
        put(p, p->format == ZW_LATEX ? "}" : ")");
    } else if (p->format == ZW_C) {
        put(p, "pow(");
        print(p, base, P_OR);
        put(p, ", ");
        if (symbolic)
            print(p, symbolic, P_OR);
        else
            print_magnitude(p, exponent);
        put(p, ")");
    } else {
        bool latex = p->format == ZW_LATEX;
        bool plain = !symbolic && zw_number_is_integer(exponent);
        /* a dotted or negative base reads better in brackets; print() sees to P_ATOM */
        print(p, base, P_ATOM);
        put(p, latex ? "^{" : plain ? "^" : "^(");
        if (symbolic)
            print(p, symbolic, P_OR);
        else if (latex && !zw_number_is_integer(exponent))
            zw_text_printf(&p->out, "%lld/%lld", (long long)exponent.p, (long long)exponent.q);
        else
            print_magnitude(p, exponent);
        put(p, latex ? "}" : plain ? "" : ")");
    }
}

/* the factors with positive (sign 1) or negative (sign -1) numeric exponents, separated by *;
 * returns how many there are; nothing is printed if `silent` */
static int print_factors(printer *p, const pair *f, int n, int sign, bool silent, bool lead) {
    int count = 0;
    for (int i = 0; i < n; i++) {
        bool number = is_number_op(node_of(p->ctx, f[i].b)->op);
        zw_number e = number ? zw_store_number_of(p->ctx, f[i].b) : (zw_number){true, 1, 1, 0};
        int s = zw_number_sign(e);
        if (s != sign)
            continue;
        if (!silent) {
            if (count || lead)
                put(p, p->format == ZW_LATEX ? " \\, " : "*");
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
    pair *f = sorted_pairs(p->ctx, is_product ? k->args : lone, n);
    if (!f) {
        p->out.failed = true;
        return;
    }
    bool latex = p->format == ZW_LATEX;
    bool unit = coefficient.exact && coefficient.q == 1 && llabs((long long)coefficient.p) == 1;
    int above = print_factors(p, f, n, 1, true, false),
        below = print_factors(p, f, n, -1, true, false);
    /* in LaTeX an integer numerator and the denominator of the coefficient join the fraction */
    bool join = latex && below && coefficient.exact;
    zw_number top = join ? zw_number_rational(coefficient.p, 1) : coefficient;
    bool top_unit = join ? llabs((long long)top.p) == 1 : unit;
    if (latex && below)
        put(p, "\\frac{");
    if (!top_unit || !above)
        print_magnitude(p, top_unit ? (zw_number){true, 1, 1, 0} : top);
    print_factors(p, f, n, 1, false, !top_unit);
    if (below) {
        bool bracket = !latex && below > 1;
        put(p, latex ? "}{" : bracket ? "/(" : "/");
        bool bottom = join && coefficient.q != 1;
        if (bottom)
            print_magnitude(p, (zw_number){true, coefficient.q, 1, 0});
        print_factors(p, f, n, -1, false, bottom);
        put(p, latex ? "}" : bracket ? ")" : "");
    }
    zw_arena_release(scratch, mark);
}

/* ------------------------------------------------------------------------------------- sums */

/* a sum reads better when it does not start with a minus: the first positive term comes first */
static void lead_with_positive(const zw_context *ctx, pair *terms, int n) {
    int first = 0;
    while (first < n && zw_number_sign(zw_store_number_of(ctx, terms[first].b)) < 0)
        first++;
    if (first == n)
        return;
    pair lead = terms[first];
    memmove(terms + 1, terms, (size_t)first * sizeof *terms);
    terms[0] = lead;
}

static void print_sum(printer *p, zw_expr e, precedence outer) {
    const node *k = node_of(p->ctx, e);
    int n = (k->n - 1) / 2;
    zw_number constant = zw_store_number_of(p->ctx, k->args[0]);
    zw_arena *scratch = &((zw_context *)p->ctx)->scratch;
    zw_arena_mark mark = zw_arena_mark_now(scratch);
    pair *terms = sorted_pairs(p->ctx, k->args + 1, n);
    if (!terms) {
        p->out.failed = true;
        return;
    }
    lead_with_positive(p->ctx, terms, n);
    bool bracket = outer > P_SUM;
    open_bracket(p, bracket);
    for (int i = 0; i < n; i++) {
        zw_number c = zw_store_number_of(p->ctx, terms[i].b);
        bool minus = zw_number_sign(c) < 0;
        put(p, i == 0 ? (minus ? "-" : "") : minus ? " - " : " + ");
        print_monomial(p, c, terms[i].a);
    }
    if (!zw_number_is_zero(constant)) {
        put(p, zw_number_sign(constant) < 0 ? " - " : " + ");
        print_magnitude(p, constant);
    }
    close_bracket(p, bracket);
    zw_arena_release(scratch, mark);
}

/* ------------------------------------------------------------------------------------ others */

static void print_infix(printer *p, const zw_expr *args, const char *sign, precedence own,
                        precedence outer) {
    open_bracket(p, outer > own);
    print(p, args[0], own + 1);
    zw_text_printf(&p->out, " %s ", sign);
    print(p, args[1], own + 1);
    close_bracket(p, outer > own);
}

static void print_arguments(printer *p, const zw_expr *args, int n) {
    put(p, p->format == ZW_LATEX ? "\\left(" : "(");
    for (int i = 0; i < n; i++) {
        if (i)
            put(p, ", ");
        print(p, args[i], P_OR);
    }
    put(p, p->format == ZW_LATEX ? "\\right)" : ")");
}

static void print_conditional(printer *p, const zw_expr *args) {
    if (p->format == ZW_TEXT) {
        put(p, "if");
        print_arguments(p, args, 3);
    } else if (p->format == ZW_C) {
        put(p, "(");
        print(p, args[0], P_ATOM);
        put(p, " != 0 ? ");
        print(p, args[1], P_SUM);
        put(p, " : ");
        print(p, args[2], P_SUM);
        put(p, ")");
    } else {
        put(p, "\\begin{cases} ");
        print(p, args[1], P_OR);
        put(p, " & \\text{if } ");
        print(p, args[0], P_OR);
        put(p, " \\\\ ");
        print(p, args[2], P_OR);
        put(p, " & \\text{otherwise} \\end{cases}");
    }
}

static void print_table(printer *p, const zw_expr *args) {
    int table = (int)zw_expr_number(p->ctx, args[0]), order = (int)zw_expr_number(p->ctx, args[1]);
    if (p->format == ZW_LATEX)
        zw_text_printf(&p->out, "f_{%d}^{(%d)}", table, order);
    else
        zw_text_printf(&p->out, "table%d_%d", table, order);
    print_arguments(p, args + 2, 1);
}

/* functions spelled out in C where libm has none */
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
        put(p, "(");
        print(p, a[0], P_ATOM);
        put(p, " > 0 ? 1.0 : ");
        print(p, a[0], P_ATOM);
        put(p, " < 0 ? -1.0 : ");
        print(p, a[0], P_ATOM);
        put(p, ")");
        return true;
    case ZW_OP_NOT:
        put(p, "(");
        print(p, a[0], P_ATOM);
        put(p, " == 0)");
        return true;
    default:
        return false;
    }
    put(p, "(");
    print(p, a[1], P_ATOM);
    zw_text_printf(&p->out, " %s ", between);
    print(p, a[0], P_ATOM);
    put(p, " ? ");
    print(p, a[1], P_ATOM);
    put(p, " : ");
    print(p, a[0], P_ATOM);
    put(p, ")");
    return true;
}

static void print_function(printer *p, zw_expr e, precedence outer) {
    const node *k = node_of(p->ctx, e);
    zw_op op = (zw_op)k->op;
    bool latex = p->format == ZW_LATEX, c = p->format == ZW_C;
    switch (op) {
    case ZW_OP_COND:
        print_conditional(p, k->args);
        return;
    case ZW_OP_TABLE:
        print_table(p, k->args);
        return;
    case ZW_OP_LT:
    case ZW_OP_LE:
        print_infix(p, k->args, latex ? spellings[op].latex : spellings[op].text, P_COMPARE, outer);
        return;
    case ZW_OP_AND:
        print_infix(p, k->args, latex ? spellings[op].latex : c ? "&&" : "and", P_AND, outer);
        return;
    case ZW_OP_OR:
        print_infix(p, k->args, latex ? spellings[op].latex : c ? "||" : "or", P_OR, outer);
        return;
    case ZW_OP_ABS:
        if (latex) {
            put(p, "\\left|");
            print(p, k->args[0], P_OR);
            put(p, "\\right|");
            return;
        }
        break;
    default:
        if (c && print_c_function(p, op, k->args))
            return;
        break;
    }
    bool bracket = latex && outer == P_ATOM; /* (sin x)^2 */
    open_bracket(p, bracket);
    put(p, latex                     ? spellings[op].latex
           : c && spellings[op].c[0] ? spellings[op].c
                                     : spellings[op].text);
    print_arguments(p, k->args, k->n);
    close_bracket(p, bracket);
}

static void print(printer *p, zw_expr e, precedence outer) {
    if (p->depth >= DEPTH_MAX || p->out.length > p->most)
        p->out.failed = true;
    if (p->out.failed) /* going on would cost what the budget is there to save */
        return;
    p->depth++;
    const node *k = node_of(p->ctx, e);
    switch (k->op) {
    case ZW_OP_RATIONAL:
    case ZW_OP_REAL: {
        zw_number x = zw_store_number_of(p->ctx, e);
        bool minus = zw_number_sign(x) < 0;
        bool fraction = x.exact && x.q != 1 && p->format != ZW_LATEX;
        bool bracket = (minus && outer > P_SUM) || (fraction && outer > P_PRODUCT) ||
                       (fraction && outer == P_PRODUCT && p->format == ZW_C);
        open_bracket(p, bracket);
        put(p, minus ? "-" : "");
        print_magnitude(p, x);
        close_bracket(p, bracket);
        break;
    }
    case ZW_OP_PI:
        put(p, p->format == ZW_LATEX ? "\\pi"
               : p->format == ZW_C   ? "3.14159265358979323846"
                                     : "pi");
        break;
    case ZW_OP_SYMBOL:
        if (p->format == ZW_LATEX)
            zw_name_latex(&p->out, k->name);
        else if (p->format == ZW_C)
            zw_name_c(&p->out, k->name);
        else
            put(p, k->name);
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

char *zw_print_within(const zw_context *ctx, zw_expr e, zw_format format, size_t most) {
    printer p = {.ctx = ctx, .format = format, .most = most};
    zw_text_init(&p.out, &ctx->alloc);
    if (e)
        print(&p, e, P_OR);
    else
        put(&p, "(nothing)");
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
