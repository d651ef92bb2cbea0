/* SPDX-License-Identifier: MIT */
/* Finds where a value stops being finite. All nodes are evaluated once, arguments first. From the
 * root, the search follows arguments that are not finite and that count (of a choice only the
 * branch taken), down to a node whose arguments are all finite. No recursion: graphs may be very
 * deep. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "expr/core/store.h"

enum { OPERAND_MAX = 60 }; /* characters of an operand that are readable */

typedef struct search {
    const zw_context *ctx;
    const memo *m;
    const double *value;
    zw_nonfinite_part *out;
    size_t length; /* of the text so far */
} search;

static double value_of(const search *s, zw_expr e) {
    return s->value[s->m->value[e]];
}

/* ---------------------------------------------------------------------------------------- text */

static void append_text(search *s, const char *fmt, ...) {
    size_t size = sizeof s->out->text;
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(s->out->text + s->length, size - s->length, fmt, args);
    va_end(args);
    s->length += n < 0 ? 0 : (size_t)n;
    if (s->length >= size)
        s->length = size - 1;
}

static void put_operand(search *s, zw_expr e) {
    bool readable = zw_print_length(s->ctx, e) <= (double)OPERAND_MAX &&
                    zw_context_status(s->ctx, NULL) == ZW_OK; /* else the length is not known */
    char *text = readable ? zw_print(s->ctx, e, ZW_TEXT) : NULL;
    append_text(s, "%s", text ? text : "...");
    zw_string_free(s->ctx, text);
}

/* an operand in brackets if it is a sum or a product */
static void put_factor(search *s, zw_expr e) {
    int op = node_of(s->ctx, e)->op;
    bool brackets = op == ZW_OP_SUM || op == ZW_OP_PRODUCT;
    append_text(s, brackets ? "(" : "");
    put_operand(s, e);
    append_text(s, brackets ? ")" : "");
}

static const char *operator_text(zw_op op) {
    static const char *const text[ZW_OP_COUNT] = {
#define ZW_OP_ROW(op, text, arity, tex, c, about) text,
#include "zwang/ops.def"
#undef ZW_OP_ROW
    };
    return text[op];
}

/* ------------------------------------------------------------------------------------- culprits */

static void blame_symbol(search *s, zw_expr e) {
    append_text(s, "%s = %g", zw_expr_name(s->ctx, e), value_of(s, e));
}

/* log(x): log(-1) */
static void blame_function(search *s, zw_expr e) {
    int n;
    const zw_expr *args = zw_expr_args(s->ctx, e, &n);
    const char *name = operator_text(zw_expr_op(s->ctx, e));
    append_text(s, "%s(", name);
    for (int i = 0; i < n; i++) {
        append_text(s, i ? ", " : "");
        put_operand(s, args[i]);
    }
    append_text(s, "): %s(", name);
    for (int i = 0; i < n; i++)
        append_text(s, "%s%.6g", i ? ", " : "", value_of(s, args[i]));
    append_text(s, "%s",
                isinf(value_of(s, e)) && fabs(value_of(s, args[0])) > 1 ? ") overflows" : ")");
}

/* x/y: 0/0, if the product has a factor 0 besides the divisor */
static bool blame_zero_by_zero(search *s, int n, const zw_expr *args, zw_expr below) {
    for (int i = 0; i < n; i += 2) {
        if (args[i] == below || value_of(s, args[i]) != 0 || value_of(s, args[i + 1]) <= 0)
            continue;
        put_factor(s, args[i]);
        append_text(s, "/");
        put_factor(s, below);
        append_text(s, ": 0/0");
        return true;
    }
    return false;
}

static void put_exponent(search *s, zw_expr e) {
    append_text(s, "^");
    put_factor(s, e);
}

/* base^exponent as people write it: 1/y, sqrt(y), 1/sqrt(y), 1/y^2, y^3 */
static void put_power(search *s, zw_expr base, zw_expr exponent) {
    int64_t p, q;
    bool rational = zw_expr_is_rational(s->ctx, exponent, &p, &q);
    bool root = rational && q == 2 && (p == 1 || p == -1);
    append_text(s, rational && p < 0 ? "1/" : "");
    if (root)
        append_text(s, "sqrt(");
    (root ? put_operand : put_factor)(s, base);
    if (root)
        append_text(s, ")");
    else if (!rational)
        put_exponent(s, exponent);
    else if (q != 1)
        append_text(s, "^(%lld/%lld)", (long long)(p < 0 ? -p : p), (long long)q);
    else if (p != 1 && p != -1)
        append_text(s, "^%lld", (long long)(p < 0 ? -p : p));
}

static void blame_power(search *s, zw_expr base, zw_expr exponent) {
    double b = value_of(s, base), e = value_of(s, exponent);
    put_power(s, base, exponent);
    if (b == 0 && e < 0)
        append_text(s, ": division by 0");
    else if (b < 0 && fabs(e) == 0.5)
        append_text(s, ": sqrt(%.6g)", b);
    else if (b < 0 && e != floor(e))
        append_text(s, ": (%.6g)^%.6g", b, e);
    else
        append_text(s, ": (%.6g)^%.6g overflows", b, e);
}

/* one factor, or all of them together */
static void blame_product(search *s, zw_expr e) {
    int n;
    const zw_expr *args = zw_expr_args(s->ctx, e, &n);
    for (int i = 0; i < n; i += 2) {
        double b = value_of(s, args[i]), exponent = value_of(s, args[i + 1]);
        if (isfinite(zw_power_value(s->ctx, args[i + 1], b, exponent)))
            continue;
        if (b != 0 || !blame_zero_by_zero(s, n, args, args[i]))
            blame_power(s, args[i], args[i + 1]);
        return;
    }
    put_operand(s, e);
    append_text(s, ": ");
    for (int i = 0; i < n; i += 2)
        append_text(
            s, "%s%.6g", i ? "*" : "",
            zw_power_value(s->ctx, args[i + 1], value_of(s, args[i]), value_of(s, args[i + 1])));
    append_text(s, " overflows");
}

static void blame_sum(search *s, zw_expr e) {
    int n;
    const zw_expr *args = zw_expr_args(s->ctx, e, &n);
    put_operand(s, e);
    append_text(s, ": ");
    if (args[0] != ZW_ZERO)
        append_text(s, "%.6g", value_of(s, args[0]));
    for (int i = 1; i < n; i += 2)
        append_text(s, "%s%.6g", i > 1 || args[0] != ZW_ZERO ? " + " : "",
                    value_of(s, args[i]) * value_of(s, args[i + 1]));
    append_text(s, " overflows");
}

static void blame_node(search *s, zw_expr e) {
    s->out->node = e;
    switch (zw_expr_op(s->ctx, e)) {
    case ZW_OP_SYMBOL:
        blame_symbol(s, e);
        break;
    case ZW_OP_SUM:
        blame_sum(s, e);
        break;
    case ZW_OP_PRODUCT:
        blame_product(s, e);
        break;
    default:
        blame_function(s, e);
    }
}

/* ------------------------------------------------------------------------------------- the way */

/* an argument that is not finite and that the value depends on; 0 if there is none */
static zw_expr next_down(const search *s, zw_expr e) {
    int n;
    const zw_expr *args = zw_expr_args(s->ctx, e, &n);
    bool choice = zw_expr_op(s->ctx, e) == ZW_OP_COND;
    int left_out = choice ? (value_of(s, args[0]) != 0 ? 2 : 1) : -1;
    for (int i = 0; i < n; i++)
        if (i != left_out && !isfinite(value_of(s, args[i])))
            return args[i];
    return ZW_NULL;
}

bool zw_find_nonfinite_part(const zw_context *ctx, zw_expr e, int n, const zw_expr *symbols,
                            const double *values, zw_nonfinite_part *out) {
    memo *m = e ? zw_memo_begin(ctx) : NULL;
    if (!m)
        return false;
    zw_arena *scratch = &((zw_context *)ctx)->scratch;
    zw_arena_mark mark = zw_arena_mark_now(scratch);
    search s = {.ctx = ctx, .m = m, .out = out};
    s.value = zw_eval_walk(ctx, m, 1, &e, n, symbols, values);
    *out = (zw_nonfinite_part){0};
    out->value = s.value ? s.value[m->count - 1] : 0;
    bool found = s.value && !isfinite(out->value);
    if (found) {
        for (zw_expr below; (below = next_down(&s, e));)
            e = below;
        blame_node(&s, e);
    }
    zw_arena_release(scratch, mark);
    zw_memo_end(ctx);
    return found;
}
