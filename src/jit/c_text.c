/* SPDX-License-Identifier: MIT */
/* A value used once is written where it is used, as long as the line stays readable; every other
 * value gets a name, v1, v2, ... Parentheses keep the order of operations exactly as it is in the
 * code, so that the compiled text gives the same bits. */
#include "c_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"

enum { INLINE_MAX = 60 };       /* longest text that is put into another expression */
#define WHOLE_NUMBERS_BELOW 1e6 /* whole numbers below it are written in decimal, exactly */

enum precedence { SUM = 1, PRODUCT, UNARY, ATOM };

/* an expression as C text */
typedef struct fragment {
    const char *text;
    enum precedence binds;
} fragment;

typedef struct writer {
    zw_text *out;
    const zw_code *code;
    const zw_c_names *names;
    zw_arena *arena;
    int *uses;        /* by instruction: number of uses of its result */
    int *maker[2];    /* WORK, OUT: the instruction that computed the entry, -1 none */
    fragment *result; /* by instruction: text of its result */
    int nname;
} writer;

void zw_c_number(zw_text *out, double k) {
    if (isnan(k))
        zw_text_put(out, "(0.0 / 0.0)");
    else if (isinf(k))
        zw_text_put(out, k > 0 ? "(1.0 / 0.0)" : "(-1.0 / 0.0)");
    else if (fabs(k) < WHOLE_NUMBERS_BELOW && k == floor(k))
        zw_text_printf(out, k < 0 ? "(%.1f)" : "%.1f", k);
    else {
        char decimal[ZW_DECIMAL_MAX];
        zw_decimal(decimal, k);
        zw_text_printf(out, k < 0 ? "(%a /* %s */)" : "%a /* %s */", k, decimal);
    }
}

static int *maker_at(writer *w, zw_operand o) {
    return &w->maker[zw_operand_space(o) == ZW_SPACE_OUT][zw_operand_index(o)];
}

static bool is_computed(zw_operand o) {
    return zw_operand_space(o) == ZW_SPACE_WORK || zw_operand_space(o) == ZW_SPACE_OUT;
}

static void count_uses(writer *w) {
    const zw_code *code = w->code;
    for (int i = 0; i < code->ninstruction; i++) {
        const zw_instruction *in = &code->instruction[i];
        zw_operand o[3] = {in->a, in->b, in->c};
        for (int k = 0; k < zw_code_arity((zw_opcode)in->op); k++)
            if (is_computed(o[k]))
                w->uses[*maker_at(w, o[k])]++;
        *maker_at(w, in->to) = i;
    }
}

static fragment operand_text(writer *w, zw_operand o) {
    int index = zw_operand_index(o);
    zw_space space = zw_operand_space(o);
    if (is_computed(o))
        return w->result[*maker_at(w, o)];
    if (space == ZW_SPACE_CONST) {
        zw_text t;
        zw_text_init(&t, &w->arena->alloc);
        zw_c_number(&t, w->code->constant[index]);
        const char *text = t.failed ? NULL : zw_arena_string(w->arena, zw_text_get(&t));
        if (t.failed)
            w->arena->failed = true;
        zw_text_clear(&t);
        return (fragment){text, ATOM};
    }
    if (space == ZW_SPACE_T)
        return (fragment){w->names->space[space], ATOM};
    return (fragment){zw_arena_printf(w->arena, "%s[%d]", w->names->space[space], index), ATOM};
}

/* a op b; the right side needs parentheses already if it binds as much as op */
static fragment infix_text(writer *w, const char *op, enum precedence binds, fragment a,
                           fragment b) {
    bool left = a.binds < binds, right = b.binds <= binds;
    return (fragment){zw_arena_printf(w->arena, "%s%s%s %s %s%s%s", left ? "(" : "", a.text,
                                      left ? ")" : "", op, right ? "(" : "", b.text,
                                      right ? ")" : ""),
                      binds};
}

static fragment format_text(writer *w, const char *format, fragment a, fragment b, fragment c) {
    zw_text t;
    zw_text_init(&t, &w->arena->alloc);
    for (const char *p = format; *p; p++) {
        if (*p >= 'A' && *p <= 'C')
            zw_text_put(&t, (*p == 'A' ? a : *p == 'B' ? b : c).text);
        else
            zw_text_put_n(&t, p, 1);
    }
    const char *text = t.failed ? NULL : zw_arena_string(w->arena, zw_text_get(&t));
    if (t.failed)
        w->arena->failed = true;
    zw_text_clear(&t);
    return (fragment){text, ATOM};
}

static fragment function_call(writer *w, const zw_instruction *in, fragment a, fragment b,
                              fragment c) {
    switch ((zw_opcode)in->op) {
    case ZW_CODE_NEG:
        return a.binds <= UNARY ? (fragment){zw_arena_printf(w->arena, "-(%s)", a.text), UNARY}
                                : (fragment){zw_arena_printf(w->arena, "-%s", a.text), UNARY};
    case ZW_CODE_SIGN:
        return format_text(w, "zw_sign(A)", a, b, c);
    case ZW_CODE_MIN:
        return format_text(w, "zw_min(A, B)", a, b, c);
    case ZW_CODE_MAX:
        return format_text(w, "zw_max(A, B)", a, b, c);
    case ZW_CODE_LT:
        return format_text(w, "(double)((A) < (B))", a, b, c);
    case ZW_CODE_LE:
        return format_text(w, "(double)((A) <= (B))", a, b, c);
    case ZW_CODE_NOT:
        return format_text(w, "(double)((A) == 0)", a, b, c);
    case ZW_CODE_AND:
        return format_text(w, "(double)((A) != 0 && (B) != 0)", a, b, c);
    case ZW_CODE_OR:
        return format_text(w, "(double)((A) != 0 || (B) != 0)", a, b, c);
    case ZW_CODE_MULADD:
        return format_text(w, "fma(A, B, C)", a, b, c);
    case ZW_CODE_MULSUB:
        return format_text(w, "fma(A, B, -(C))", a, b, c);
    case ZW_CODE_SUBMUL:
        return format_text(w, "fma(-(A), B, C)", a, b, c);
    case ZW_CODE_SELECT:
        return format_text(w, "((A) != 0 ? (B) : (C))", a, b, c);
    case ZW_CODE_PATCH:
        return format_text(w, "zw_patch(A, B, C)", a, b, c);
    case ZW_CODE_TABLE:
        return (fragment){zw_arena_printf(w->arena, "zw_spline(&zw_table_%d, %d, %s)",
                                          w->code->table_number[in->b], (int)in->c, a.text),
                          ATOM};
    default:
        return (fragment){
            zw_arena_printf(w->arena,
                            zw_code_arity((zw_opcode)in->op) == 2 ? "%s(%s, %s)" : "%s(%s)",
                            zw_code_c_name((zw_opcode)in->op), a.text, b.text),
            ATOM};
    }
}

static fragment instruction_text(writer *w, const zw_instruction *in) {
    int arity = zw_code_arity((zw_opcode)in->op);
    fragment none = {"", ATOM}, a = operand_text(w, in->a);
    fragment b = arity > 1 ? operand_text(w, in->b) : none,
             c = arity > 2 ? operand_text(w, in->c) : none;
    if (w->arena->failed)
        return none;
    switch ((zw_opcode)in->op) {
    case ZW_CODE_MOVE:
        return a;
    case ZW_CODE_ADD:
        return infix_text(w, "+", SUM, a, b);
    case ZW_CODE_SUB:
        return infix_text(w, "-", SUM, a, b);
    case ZW_CODE_MUL:
        return infix_text(w, "*", PRODUCT, a, b);
    case ZW_CODE_DIV:
        return infix_text(w, "/", PRODUCT, a, b);
    default:
        return function_call(w, in, a, b, c);
    }
}

static void write_output(writer *w, int index, const char *text) {
    zw_text_printf(w->out, "    %s[%d] = %s;", w->names->space[ZW_SPACE_OUT], index, text);
    if (w->names->output) {
        zw_text_put(w->out, " /* ");
        w->names->output(w->names->ud, index, w->out);
        zw_text_put(w->out, " */");
    }
    zw_text_put(w->out, "\n");
}

/* writes the instruction as a statement, or stores its text for the place where its value is
 * used */
static void write_instruction(writer *w, int i) {
    const zw_instruction *in = &w->code->instruction[i];
    fragment f = instruction_text(w, in);
    if (w->arena->failed)
        return;
    bool output = zw_operand_space(in->to) == ZW_SPACE_OUT;
    *maker_at(w, in->to) = i;
    w->result[i] = f;
    if (output && w->uses[i] == 0) {
        write_output(w, zw_operand_index(in->to), f.text);
    } else if (output || w->uses[i] > 1 || strlen(f.text) > INLINE_MAX) {
        const char *name = zw_arena_printf(w->arena, "v%d", ++w->nname);
        w->result[i] = (fragment){name, ATOM};
        if (!name)
            return;
        zw_text_printf(w->out, "    const double %s = %s;\n", name, f.text);
        if (output)
            write_output(w, zw_operand_index(in->to), name);
    }
}

bool zw_c_body(zw_text *out, const zw_code *code, const zw_c_names *names, zw_arena *scratch) {
    zw_arena_mark mark = zw_arena_mark_now(scratch);
    writer w = {.out = out, .code = code, .names = names, .arena = scratch};
    w.uses = ZW_NEW(scratch, int, code->ninstruction + 1);
    w.result = ZW_NEW(scratch, fragment, code->ninstruction + 1);
    w.maker[0] = ZW_NEW(scratch, int, code->nwork + 1);
    w.maker[1] = ZW_NEW(scratch, int, code->nout + 1);
    if (!scratch->failed)
        count_uses(&w);
    for (int i = 0; !scratch->failed && i < code->ninstruction; i++)
        write_instruction(&w, i);
    bool done = !scratch->failed && !out->failed;
    zw_arena_release(scratch, mark);
    return done;
}

static bool any_uses(int n, const zw_code *const *code, zw_opcode op) {
    for (int k = 0; k < n; k++)
        for (int i = 0; i < code[k]->ninstruction; i++)
            if (code[k]->instruction[i].op == op)
                return true;
    return false;
}

static void write_numbers(zw_text *out, const char *type, int number, int n, const double *k) {
    zw_text_printf(out, "static const double zw_table_%d_%s[%d] = {\n", number, type, n);
    for (int i = 0; i < n; i++) {
        char decimal[ZW_DECIMAL_MAX];
        zw_decimal(decimal, k[i]);
        zw_text_printf(out, "    %a, /* %s */\n", k[i], decimal);
    }
    zw_text_put(out, "};\n");
}

static void write_table(zw_text *out, int number, const zw_spline *s) {
    write_numbers(out, "x", number, s->n, s->x);
    write_numbers(out, "coef", number, 4 * (s->n - 1), s->coef);
    zw_text_printf(out,
                   "static const zw_spline_data zw_table_%d = {%d, zw_table_%d_x, "
                   "zw_table_%d_coef, %a, %a};\n\n",
                   number, s->n, number, number, s->first, s->last);
}

static const char *const spline_text =
    "/* tabulated functions: on [x_i, x_i+1] a cubic in s = x - x_i, constant beyond the ends */\n"
    "typedef struct zw_spline_data {\n"
    "    int n;\n"
    "    const double *x, *coef;\n"
    "    double first, last;\n"
    "} zw_spline_data;\n"
    "\n"
    "static double zw_spline(const zw_spline_data *f, int order, double x) {\n"
    "    if (x != x)\n"
    "        return x;\n"
    "    if (x < f->x[0] || x > f->x[f->n - 1])\n"
    "        return order > 0 ? 0 : x < f->x[0] ? f->first : f->last;\n"
    "    int low = 0, high = f->n - 1;\n"
    "    while (high - low > 1) {\n"
    "        int middle = (low + high) / 2;\n"
    "        if (x < f->x[middle])\n"
    "            high = middle;\n"
    "        else\n"
    "            low = middle;\n"
    "    }\n"
    "    const double *c = f->coef + 4 * low;\n"
    "    double s = x - f->x[low];\n"
    "    switch (order) {\n"
    "    case 0:\n"
    "        return ((c[3] * s + c[2]) * s + c[1]) * s + c[0];\n"
    "    case 1:\n"
    "        return (3 * c[3] * s + 2 * c[2]) * s + c[1];\n"
    "    case 2:\n"
    "        return 6 * c[3] * s + 2 * c[2];\n"
    "    case 3:\n"
    "        return 6 * c[3];\n"
    "    default:\n"
    "        return 0;\n"
    "    }\n"
    "}\n"
    "\n";

void zw_c_helpers(zw_text *out, int n, const zw_code *const *code) {
    if (any_uses(n, code, ZW_CODE_SIGN))
        zw_text_put(out, "static double zw_sign(double a) {\n"
                         "    return a > 0 ? 1 : a < 0 ? -1 : a;\n}\n\n");
    if (any_uses(n, code, ZW_CODE_MIN))
        zw_text_put(out, "static double zw_min(double a, double b) {\n"
                         "    return b < a ? b : a;\n}\n\n");
    if (any_uses(n, code, ZW_CODE_MAX))
        zw_text_put(out, "static double zw_max(double a, double b) {\n"
                         "    return b > a ? b : a;\n}\n\n");
    if (!any_uses(n, code, ZW_CODE_TABLE))
        return;
    zw_text_put(out, spline_text);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < code[k]->ntable; i++) {
            bool written = false;
            for (int m = 0; m < k; m++)
                for (int j = 0; j < code[m]->ntable; j++)
                    written |= code[m]->table_number[j] == code[k]->table_number[i];
            if (!written)
                write_table(out, code[k]->table_number[i], code[k]->table[i]);
        }
}
