/* SPDX-License-Identifier: MIT */
/* Every print function returns the height of its formula, in sizes of the brackets around it:
 *     0  (     letters, indices, exponents            3  \biggl(   fractions
 *     1  \bigl(   brackets in it                      4  \Biggl(   brackets round fractions in it
 *     2  \Bigl(   brackets in brackets
 * A formula that cannot be broken (in a fraction, a root, an exponent) is flat: its breaks are not
 * recorded. A formula that is too wide to be flat is written in another form: it is written,
 * measured, and removed again. */
#include "latex.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/core/name.h"
#include "expr/core/order.h"

typedef enum precedence { P_OR, P_AND, P_COMPARE, P_SUM, P_PRODUCT, P_POWER, P_ATOM } precedence;

enum { DEPTH_MAX = 400, TALL_FRACTION = 3, TALL_MAX = 4 };

typedef struct printer {
    const zw_context *ctx;
    zw_tex *out;
    double width; /* width of what cannot be broken [em]; 0: no limit */
    size_t most;
    int depth; /* recursion depth */
    int level; /* bracket level */
    int flat;  /* > 0 inside a part that is not broken */
} printer;

static const char *const commands[] = {
#define ZW_OP_ROW(op, text, arity, latex, c, about) [ZW_OP_##op] = latex,
#include "zwang/ops.def"
#undef ZW_OP_ROW
};

static const zw_number number_one = {true, 1, 1, 0};

static int print_expression(printer *p, zw_expr e, precedence outer);

static int max_height(int a, int b) {
    return a > b ? a : b;
}

static void put_text(printer *p, const char *s) {
    zw_text_put(&p->out->text, s);
}

/* ------------------------------------------------------------------------- breaks, taking back */

void zw_tex_init(zw_tex *t, const zw_allocator *alloc) {
    *t = (zw_tex){0};
    zw_text_init(&t->text, alloc);
}

void zw_tex_clear(zw_tex *t) {
    zw_release(&t->text.alloc, t->breaks, (size_t)t->capacity * sizeof *t->breaks);
    t->breaks = NULL;
    t->n = t->capacity = 0;
    zw_text_clear(&t->text);
}

static void may_break(printer *p, zw_tex_kind kind) {
    zw_tex *t = p->out;
    if (p->flat)
        return;
    if (t->n == t->capacity) {
        int more = t->capacity ? 2 * t->capacity : 16;
        void *grown =
            zw_reallocate(&t->text.alloc, t->breaks, (size_t)t->capacity * sizeof *t->breaks,
                          (size_t)more * sizeof *t->breaks);
        if (!grown) {
            t->text.failed = true;
            return;
        }
        t->breaks = grown;
        t->capacity = more;
    }
    t->breaks[t->n++] = (zw_tex_break){t->text.length, p->level, kind};
}

static bool is_too_wide(const printer *p, size_t start) {
    const zw_text *t = &p->out->text;
    return p->width > 0 && !t->failed &&
           zw_tex_width(t->data + start, t->length - start) > p->width;
}

static void take_back(printer *p, size_t start) {
    zw_text *t = &p->out->text;
    if (t->data)
        t->data[start] = '\0';
    t->length = start;
    while (p->out->n && p->out->breaks[p->out->n - 1].at > start)
        p->out->n--;
}

/* ----------------------------------------------------------------------------------- brackets */

/* puts s in front of the text that begins at `start`; moves its breaks */
static void put_before(printer *p, size_t start, const char *s) {
    zw_text *t = &p->out->text;
    size_t n = strlen(s), old = t->length;
    put_text(p, s);
    if (t->failed)
        return;
    memmove(t->data + start + n, t->data + start, old - start);
    memcpy(t->data + start, s, n);
    for (int i = p->out->n; i > 0 && p->out->breaks[i - 1].at >= start; i--)
        p->out->breaks[i - 1].at += n;
}

typedef struct bracket {
    const char *left, *right;
} bracket;

static const bracket round_bracket = {"(", ")"}, bar = {"\\lvert ", "\\rvert "};

/* puts the formula since `start`, of this height, in brackets */
static int put_brackets(printer *p, size_t start, int tall, bracket b) {
    static const char *const size[] = {"", "big", "Big", "bigg", "Bigg"};
    char left[32], right[32];
    snprintf(left, sizeof left, tall ? "\\%sl%s" : "%s%s", size[tall], b.left);
    snprintf(right, sizeof right, tall ? "\\%sr%s" : "%s%s", size[tall], b.right);
    put_before(p, start, left);
    put_text(p, right);
    return tall < TALL_MAX ? tall + 1 : TALL_MAX;
}

static int print_in_brackets(printer *p, zw_expr e, bracket b) {
    size_t start = p->out->text.length;
    p->level++;
    int tall = print_expression(p, e, P_OR);
    p->level--;
    return put_brackets(p, start, tall, b);
}

/* ------------------------------------------------------------------------------------- numbers */

/* the shortest decimal that gives the same double */
static void print_real(printer *p, double r) {
    char digits[40];
    for (int n = 1; n <= 17; n++) {
        snprintf(digits, sizeof digits, "%.*g", n, r);
        if (strtod(digits, NULL) == r)
            break;
    }
    char *e = strchr(digits, 'e');
    if (e)
        *e = '\0';
    put_text(p, digits);
    if (e)
        zw_text_printf(&p->out->text, " \\cdot 10^{%ld}", strtol(e + 1, NULL, 10));
}

/* |number|; the caller writes the sign */
static int print_magnitude(printer *p, zw_number x) {
    char decimal[ZW_DECIMAL];
    if (!x.exact) {
        print_real(p, fabs(x.r));
    } else if (zw_number_decimal(x, decimal)) {
        put_text(p, decimal);
    } else if (x.q == 1) {
        zw_text_printf(&p->out->text, "%lld", llabs((long long)x.p));
    } else {
        zw_text_printf(&p->out->text, "\\frac{%lld}{%lld}", llabs((long long)x.p), (long long)x.q);
        return TALL_FRACTION;
    }
    return 0;
}

static int print_number(printer *p, zw_number x, precedence outer) {
    bool minus = zw_number_sign(x) < 0;
    size_t start = p->out->text.length;
    put_text(p, minus ? "-" : "");
    int tall = print_magnitude(p, x);
    bool inner = outer == P_ATOM && (tall || !x.exact);
    return (minus && outer > P_SUM) || inner ? put_brackets(p, start, tall, round_bracket) : tall;
}

/* -------------------------------------------------------------------------------------- powers */

static bool is_named_function(zw_op op) {
    return op >= ZW_OP_SIN && op <= ZW_OP_LOG && op != ZW_OP_EXP;
}

/* sin(x), and sin x if x is a symbol; power: the exponent of the name, or 1 */
static int print_named_function(printer *p, zw_expr e, int64_t power) {
    const node *k = node_of(p->ctx, e);
    zw_expr x = k->args[0];
    put_text(p, commands[k->op]);
    if (power != 1)
        zw_text_printf(&p->out->text, "^{%lld}", (long long)power);
    if (node_of(p->ctx, x)->op != ZW_OP_SYMBOL)
        return print_in_brackets(p, x, round_bracket);
    put_text(p, " ");
    return print_expression(p, x, P_ATOM);
}

static int print_root(printer *p, zw_expr base) {
    size_t start = p->out->text.length;
    put_text(p, "\\sqrt{");
    p->flat++;
    int tall = print_expression(p, base, P_OR);
    p->flat--;
    put_text(p, "}");
    if (p->flat || !is_too_wide(p, start))
        return tall;
    take_back(p, start);
    tall = print_in_brackets(p, base, round_bracket);
    put_text(p, "^{1/2}");
    return tall;
}

static void print_exponent(printer *p, zw_number exponent, zw_expr symbolic) {
    put_text(p, "^{");
    p->flat++;
    if (symbolic)
        print_expression(p, symbolic, P_OR);
    else if (exponent.exact && exponent.q != 1)
        zw_text_printf(&p->out->text, "%lld/%lld", (long long)exponent.p, (long long)exponent.q);
    else
        print_number(p, exponent, P_OR);
    p->flat--;
    put_text(p, "}");
}

/* base^exponent */
static int print_power(printer *p, zw_expr base, zw_number exponent, zw_expr symbolic) {
    const node *k = node_of(p->ctx, base);
    if (!symbolic && zw_number_is_one(exponent))
        return print_expression(p, base, P_PRODUCT);
    if (!symbolic && zw_number_is_integer(exponent) && exponent.p > 0 &&
        is_named_function((zw_op)k->op))
        return print_named_function(p, base, exponent.p);
    if (!symbolic && exponent.exact && exponent.p == 1 && exponent.q == 2)
        return print_root(p, base);
    bool behind = k->op == ZW_OP_SYMBOL && zw_name_is_dotted_behind(k->name);
    int tall =
        behind ? print_in_brackets(p, base, round_bracket) : print_expression(p, base, P_ATOM);
    print_exponent(p, exponent, symbolic);
    return tall;
}

/* ------------------------------------------------------------------------------------- products */

typedef struct factors {
    int n;
    zw_pair *pair; /* base and exponent; sorted */
    zw_number coefficient;
} factors;

static zw_number exponent_of(const printer *p, const zw_pair *f) {
    bool number = is_number_op(node_of(p->ctx, f->b)->op);
    return number ? zw_store_number_of(p->ctx, f->b) : number_one;
}

static int count_factors(const printer *p, const factors *f, int sign) {
    int count = 0;
    for (int i = 0; i < f->n; i++)
        count += zw_number_sign(exponent_of(p, &f->pair[i])) == sign;
    return count;
}

/* the factors with positive (sign 1) or negative exponents; `raised`: negative exponents are
 * written as such */
static int print_factors(printer *p, const factors *f, int sign, bool lead, bool raised) {
    int tall = 0;
    for (int i = 0; i < f->n; i++) {
        zw_number e = exponent_of(p, &f->pair[i]);
        if (zw_number_sign(e) != sign)
            continue;
        if (lead) {
            may_break(p, ZW_TEX_FACTOR);
            put_text(p, " \\, ");
        }
        bool symbolic = !is_number_op(node_of(p->ctx, f->pair[i].b)->op);
        zw_number shown = sign < 0 && !raised ? zw_number_neg(e) : e;
        tall = max_height(tall,
                          print_power(p, f->pair[i].a, shown, symbolic ? f->pair[i].b : ZW_NULL));
        lead = true;
    }
    return tall;
}

/* the number in front of the factors, if it must be written; true if it was */
static bool print_lead(printer *p, zw_number c, bool alone, int *tall) {
    bool unit = c.exact && c.q == 1 && llabs((long long)c.p) == 1;
    if (unit && !alone)
        return false;
    *tall = max_height(*tall, print_magnitude(p, c));
    return true;
}

/* numerator and denominator of the coefficient; a decimal number stays in the numerator */
static void split_coefficient(zw_number c, zw_number *top, zw_number *bottom) {
    char decimal[ZW_DECIMAL];
    bool split = c.exact && !zw_number_decimal(c, decimal);
    *top = split ? (zw_number){true, c.p, 1, 0} : c;
    *bottom = split ? (zw_number){true, c.q, 1, 0} : number_one;
}

/* numerator or denominator: a number and factors, or a single sum without brackets */
static void print_half(printer *p, const factors *f, int sign, zw_number number, bool empty) {
    int ignored = 0, count = empty ? 0 : count_factors(p, f, sign);
    bool lead = print_lead(p, number, sign > 0 && !count, &ignored);
    for (int i = 0; i < f->n && count == 1 && !lead; i++)
        if (f->pair[i].b == (sign > 0 ? ZW_ONE : ZW_MINUS_ONE)) {
            print_expression(p, f->pair[i].a, P_OR);
            return;
        }
    if (count)
        print_factors(p, f, sign, lead, false);
}

/* \frac{c factors}{factors}; `hollow`: without the factors of the numerator */
static int print_fraction(printer *p, const factors *f, bool hollow) {
    zw_number top, bottom;
    split_coefficient(f->coefficient, &top, &bottom);
    p->flat++;
    put_text(p, "\\frac{");
    print_half(p, f, 1, top, hollow);
    put_text(p, "}{");
    print_half(p, f, -1, bottom, false);
    put_text(p, "}");
    p->flat--;
    return TALL_FRACTION;
}

/* c factors factors^{-1}: no fraction line */
static int print_raised(printer *p, const factors *f) {
    int tall = 0;
    bool above = count_factors(p, f, 1) > 0, lead = print_lead(p, f->coefficient, false, &tall);
    tall = max_height(tall, print_factors(p, f, 1, lead, true));
    return max_height(tall, print_factors(p, f, -1, lead || above, true));
}

/* a fraction that is too wide: its numerator after it, or no fraction */
static int print_wide_fraction(printer *p, const factors *f, size_t start) {
    take_back(p, start);
    if (count_factors(p, f, 1)) {
        print_fraction(p, f, true);
        if (!is_too_wide(p, start))
            return max_height(TALL_FRACTION, print_factors(p, f, 1, true, false));
        take_back(p, start);
    }
    return print_raised(p, f);
}

/* |coefficient| * product (product may be any non-sum, non-number expression) */
static int print_monomial(printer *p, zw_number coefficient, zw_expr product) {
    const node *k = node_of(p->ctx, product);
    bool is_product = k->op == ZW_OP_PRODUCT;
    zw_expr lone[2] = {product, ZW_ONE};
    factors f = {is_product ? k->n / 2 : 1, NULL, coefficient};
    zw_arena *scratch = &((zw_context *)p->ctx)->scratch;
    zw_arena_mark mark = zw_arena_mark_now(scratch);
    f.pair = zw_order_factors(p->ctx, is_product ? k->args : lone, f.n, true);
    int tall = 0;
    size_t start = p->out->text.length;
    if (!f.pair) {
        p->out->text.failed = true;
    } else if (count_factors(p, &f, -1)) {
        tall = print_fraction(p, &f, false);
        if (!p->flat && is_too_wide(p, start))
            tall = print_wide_fraction(p, &f, start);
    } else {
        bool lead = print_lead(p, coefficient, false, &tall);
        tall = max_height(tall, print_factors(p, &f, 1, lead, false));
    }
    zw_arena_release(scratch, mark);
    return tall;
}

/* ---------------------------------------------------------------------------------------- sums */

static zw_number divide_numbers(zw_number a, zw_number b) {
    return zw_number_is_one(b) ? a : zw_number_mul(a, zw_number_inverse(b));
}

/* sum / c */
static int print_terms(printer *p, zw_expr e, zw_number c) {
    const node *k = node_of(p->ctx, e);
    int n = (k->n - 1) / 2, tall = 0;
    zw_number constant = divide_numbers(zw_store_number_of(p->ctx, k->args[0]), c);
    zw_arena *scratch = &((zw_context *)p->ctx)->scratch;
    zw_arena_mark mark = zw_arena_mark_now(scratch);
    zw_pair *terms = zw_order_terms(p->ctx, k->args + 1, n, true);
    p->out->text.failed |= !terms;
    /* 1 - x^2, not -x^2 + 1 */
    bool lead = terms && zw_number_sign(constant) > 0 &&
                zw_number_sign(zw_store_number_of(p->ctx, terms[0].b)) < 0;
    if (lead)
        tall = print_magnitude(p, constant);
    for (int i = 0; terms && i < n; i++) {
        zw_number x = divide_numbers(zw_store_number_of(p->ctx, terms[i].b), c);
        bool minus = zw_number_sign(x) < 0, first = i == 0 && !lead;
        if (!first)
            may_break(p, ZW_TEX_TERM);
        put_text(p, first ? (minus ? "-" : "") : minus ? " - " : " + ");
        tall = max_height(tall, print_monomial(p, x, terms[i].a));
    }
    if (!lead && !zw_number_is_zero(constant)) {
        may_break(p, ZW_TEX_TERM);
        put_text(p, zw_number_sign(constant) < 0 ? " - " : " + ");
        tall = max_height(tall, print_magnitude(p, constant));
    }
    zw_arena_release(scratch, mark);
    return tall;
}

static int print_sum(printer *p, zw_expr e) {
    zw_number c = zw_order_common(p->ctx, e);
    if (zw_number_is_one(c))
        return print_terms(p, e, c);
    int tall = print_magnitude(p, c);
    put_text(p, " \\, ");
    size_t start = p->out->text.length;
    p->level++;
    int inner = print_terms(p, e, c);
    p->level--;
    return max_height(tall, put_brackets(p, start, inner, round_bracket));
}

/* --------------------------------------------------------------------------------------- others */

static int print_infix(printer *p, const zw_expr *args, const char *sign, precedence own) {
    int tall = print_expression(p, args[0], own + 1);
    zw_text_printf(&p->out->text, " %s ", sign);
    return max_height(tall, print_expression(p, args[1], own + 1));
}

static int print_arguments(printer *p, const zw_expr *args, int n) {
    size_t start = p->out->text.length;
    int tall = 0;
    p->level++;
    for (int i = 0; i < n; i++) {
        if (i) {
            put_text(p, ", ");
            may_break(p, ZW_TEX_TERM);
        }
        tall = max_height(tall, print_expression(p, args[i], P_OR));
    }
    p->level--;
    return put_brackets(p, start, tall, round_bracket);
}

/* cases, which cannot be broken; if they are too wide, if(test, a, b) as in the language */
static int print_conditional(printer *p, const zw_expr *args) {
    size_t start = p->out->text.length;
    p->flat++;
    put_text(p, "\\begin{cases} ");
    print_expression(p, args[1], P_OR);
    put_text(p, " & \\text{if } ");
    print_expression(p, args[0], P_OR);
    put_text(p, " \\\\ ");
    print_expression(p, args[2], P_OR);
    put_text(p, " & \\text{otherwise} \\end{cases}");
    p->flat--;
    if (p->flat || !is_too_wide(p, start))
        return TALL_FRACTION;
    take_back(p, start);
    put_text(p, "\\operatorname{if}");
    return print_arguments(p, args, 3);
}

static int print_table(printer *p, const zw_expr *args) {
    int table = (int)zw_expr_number(p->ctx, args[0]), order = (int)zw_expr_number(p->ctx, args[1]);
    zw_text_printf(&p->out->text, order ? "f_{%d}^{(%d)}" : "f_{%d}", table, order);
    return print_arguments(p, args + 2, 1);
}

/* e^x where x is short, else exp(x) */
static int print_exponential(printer *p, zw_expr x) {
    enum { SHORT = 4 };
    size_t start = p->out->text.length;
    put_text(p, "\\mathrm{e}^{");
    p->flat++;
    int tall = print_expression(p, x, P_OR);
    p->flat--;
    put_text(p, "}");
    if (!tall && !p->out->text.failed &&
        zw_tex_width(p->out->text.data + start, p->out->text.length - start) < SHORT)
        return 0;
    take_back(p, start);
    put_text(p, "\\exp");
    return print_in_brackets(p, x, round_bracket);
}

static precedence function_precedence(zw_op op) {
    switch (op) {
    case ZW_OP_LT:
    case ZW_OP_LE:
        return P_COMPARE;
    case ZW_OP_AND:
    case ZW_OP_COND: /* its end is not visible */
        return P_AND;
    case ZW_OP_OR:
        return P_OR;
    case ZW_OP_ABS:
        return P_ATOM;
    default:
        return P_POWER; /* (sin x)^n */
    }
}

static int print_function(printer *p, zw_expr e) {
    const node *k = node_of(p->ctx, e);
    zw_op op = (zw_op)k->op;
    switch (op) {
    case ZW_OP_COND:
        return print_conditional(p, k->args);
    case ZW_OP_TABLE:
        return print_table(p, k->args);
    case ZW_OP_LT:
    case ZW_OP_LE:
    case ZW_OP_AND:
    case ZW_OP_OR:
        return print_infix(p, k->args, commands[op], function_precedence(op));
    case ZW_OP_ABS:
        return print_in_brackets(p, k->args[0], bar);
    case ZW_OP_EXP:
        return print_exponential(p, k->args[0]);
    default:
        if (is_named_function(op))
            return print_named_function(p, e, 1);
        put_text(p, commands[op]);
        return print_arguments(p, k->args, k->n);
    }
}

static precedence own_precedence(const printer *p, zw_expr e) {
    zw_op op = (zw_op)node_of(p->ctx, e)->op;
    switch (op) {
    case ZW_OP_SUM:
        return P_SUM;
    case ZW_OP_PRODUCT:
        return P_PRODUCT;
    case ZW_OP_PI:
    case ZW_OP_SYMBOL:
        return P_ATOM;
    default:
        return function_precedence(op);
    }
}

static int print_node(printer *p, zw_expr e) {
    const node *k = node_of(p->ctx, e);
    switch (k->op) {
    case ZW_OP_PI:
        put_text(p, "\\pi");
        return 0;
    case ZW_OP_SYMBOL:
        zw_name_latex(&p->out->text, k->name);
        return 0;
    case ZW_OP_SUM:
        return print_sum(p, e);
    case ZW_OP_PRODUCT:
        return print_monomial(p, number_one, e);
    default:
        return print_function(p, e);
    }
}

static int print_expression(printer *p, zw_expr e, precedence outer) {
    if (p->depth >= DEPTH_MAX || p->out->text.length > p->most)
        p->out->text.failed = true;
    if (p->out->text.failed) /* going on would cost the work that the budget limits */
        return 0;
    if (is_number_op(node_of(p->ctx, e)->op))
        return print_number(p, zw_store_number_of(p->ctx, e), outer);
    p->depth++;
    bool inside = outer > own_precedence(p, e);
    size_t start = p->out->text.length;
    p->level += inside;
    int tall = print_node(p, e);
    p->level -= inside;
    p->depth--;
    return inside ? put_brackets(p, start, tall, round_bracket) : tall;
}

void zw_latex_print(const zw_context *ctx, zw_expr e, double width, size_t most, zw_tex *out) {
    printer p = {.ctx = ctx, .out = out, .width = width, .most = most};
    if (e)
        print_expression(&p, e, P_OR);
    else
        put_text(&p, "(nothing)");
    out->text.failed |= out->text.length > most;
}
