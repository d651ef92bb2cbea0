/* SPDX-License-Identifier: MIT */
#include "paper.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "expr/core/role.h"
#include "expr/print/latex.h"
#include "expr/print/textbook.h"
#include "lines.h"
#include "mech/system/build.h"
#include "paper_words.h"

enum {
    LONG_EQUATION = 400,     /* characters; recurring parts of longer equations are named */
    HUGE_EQUATION = 1000000, /* the same if nothing is to be simplified */
    WIDE_LINE = 64,          /* em of one side on a page of the viewer */
    LENGTH_MAX = 64 << 20,   /* characters of a side */
    NAME_FROM = 24,          /* characters a named subexpression has at least */
    NAMES_MAX = 5000
};

void zw_paper_begin(zw_paper *p, zw_context *ctx, zw_paper_kind kind, zw_simplification simplify) {
    *p = (zw_paper){.ctx = ctx, .kind = kind, .simplify = simplify};
    zw_allocator alloc = zw_context_allocator(ctx);
    zw_arena_init(&p->arena, &alloc);
}

void zw_paper_variables(zw_paper *p, int n, const zw_expr *variables) {
    p->nvar = n;
    p->variables = variables;
}

/* ---------------------------------------------------------------------------------------- words */

static void put_expr(zw_paper *p, zw_text *out, zw_expr e) {
    char *s = zw_print(p->ctx, e, p->kind == ZW_PAPER_TEXT ? ZW_TEXT : ZW_LATEX);
    zw_text_put(out, s ? s : "");
    out->failed |= s == NULL;
    zw_string_free(p->ctx, s);
}

static void put_inline(zw_paper *p, zw_text *out, bool latex, zw_expr e) {
    zw_text_put(out, latex ? "$" : "");
    put_expr(p, out, e);
    zw_text_put(out, latex ? "$" : "");
}

/* the end of {text|LaTeX} whose opening brace is at s; *middle: its bar */
static const char *skip_choice(const char *s, const char **middle) {
    int depth = 0;
    for (*middle = NULL; *s; s++) {
        depth += (*s == '{') - (*s == '}');
        if (depth == 1 && *s == '|' && !*middle)
            *middle = s;
        if (depth == 0)
            break;
    }
    return s;
}

static const char *put_choice(zw_text *out, bool latex, const char *s) {
    const char *middle, *end = skip_choice(s, &middle);
    if (latex) {
        zw_text_put(out, "$");
        zw_text_put_n(out, middle + 1, (size_t)(end - middle) - 1);
        zw_text_put(out, "$");
    } else {
        zw_text_put_n(out, s + 1, (size_t)(middle - s) - 1);
    }
    return end + 1;
}

static const char *put_argument(zw_paper *p, zw_text *out, bool latex, const char *s,
                                va_list *list) {
    switch (*s) {
    case 's': {
        const char *words = va_arg(*list, const char *);
        zw_paper_put_words(out, latex, words, strlen(words));
        break;
    }
    case 'd':
        zw_text_printf(out, "%d", va_arg(*list, int));
        break;
    case 'l':
        zw_text_printf(out, "%ld", va_arg(*list, long));
        s++;
        break;
    case 'e':
        put_inline(p, out, latex, va_arg(*list, zw_expr));
        break;
    case 'v': {
        int n = va_arg(*list, int);
        const zw_expr *e = va_arg(*list, const zw_expr *);
        for (int i = 0; i < n; i++) {
            zw_text_put(out, i ? ", " : "");
            put_inline(p, out, latex, e[i]);
        }
        break;
    }
    default:
        zw_paper_put_words(out, latex, s, 1);
    }
    return s + 1;
}

/* the sentence in the arena, in the spelling of the format */
static const char *spell_sentence(zw_paper *p, const char *format, va_list *list) {
    bool latex = p->kind == ZW_PAPER_LATEX;
    zw_text out;
    zw_text_init(&out, &p->arena.alloc);
    for (const char *s = format; *s;) {
        size_t plain = strcspn(s, "%{");
        zw_paper_put_words(&out, latex, s, plain);
        s += plain;
        if (*s == '{')
            s = put_choice(&out, latex, s);
        else if (*s)
            s = put_argument(p, &out, latex, s + 1, list);
    }
    const char *kept = zw_arena_string(&p->arena, zw_text_get(&out));
    p->failed |= out.failed || !kept;
    zw_text_clear(&out);
    return kept;
}

/* --------------------------------------------------------------------------------------- saying */

static void add_item(zw_paper *p, zw_paper_item item) {
    if (!zw_arena_grow(&p->arena, (void **)&p->items, p->n, &p->capacity, sizeof item)) {
        p->failed = true;
        return;
    }
    item.heading = p->pending;
    p->items[p->n++] = item;
    p->pending = NULL;
}

#define SPELL(to)                                                                                  \
    va_list list;                                                                                  \
    va_start(list, format);                                                                        \
    to = spell_sentence(p, format, &list);                                                         \
    va_end(list)

void zw_paper_title(zw_paper *p, const char *format, ...) {
    const char *words;
    SPELL(words);
    add_item(p, (zw_paper_item){.kind = ZW_PAPER_TITLE, .words = words});
}

void zw_paper_heading(zw_paper *p, const char *format, ...) {
    SPELL(p->pending);
}

void zw_paper_say(zw_paper *p, const char *format, ...) {
    const char *words;
    SPELL(words);
    add_item(p, (zw_paper_item){.kind = ZW_PAPER_WORDS, .words = words});
}

void zw_paper_equation(zw_paper *p, zw_expr left, int relation, zw_expr right, const char *label) {
    const char *kept = label ? zw_arena_string(&p->arena, label) : NULL;
    add_item(p, (zw_paper_item){.kind = ZW_PAPER_EQUATION,
                                .words = kept,
                                .left = left,
                                .right = right,
                                .relation = relation});
}

void zw_paper_matrix(zw_paper *p, zw_expr left, int rows, int columns, const zw_expr *entries) {
    zw_expr *kept = ZW_NEW(&p->arena, zw_expr, rows * columns + 1);
    if (kept)
        memcpy(kept, entries, (size_t)(rows * columns) * sizeof *kept);
    p->failed |= !kept;
    add_item(p, (zw_paper_item){.kind = ZW_PAPER_MATRIX,
                                .left = left,
                                .rows = kept ? rows : 0,
                                .columns = columns,
                                .entries = kept});
}

zw_expr zw_paper_symbol(zw_paper *p, const char *name) {
    return zw_symbol(p->ctx, name);
}

static zw_expr simplify_expression(zw_paper *p, zw_expr e, bool inside) {
    if (p->simplify < ZW_SHORTENED)
        return e;
    zw_shorten(p->ctx, 1, &e);
    return zw_textbook(p->ctx, e, p->simplify >= ZW_TRIG_COMBINED, inside);
}

zw_expr zw_paper_simpler(zw_paper *p, zw_expr e) {
    return simplify_expression(p, e, false);
}

zw_expr zw_paper_coefficient(zw_paper *p, zw_expr e) {
    return simplify_expression(p, e, true);
}

/* --------------------------------------------------------------------------------------- naming */

static bool is_long(zw_paper *p) {
    double longest = 0, limit = p->simplify >= ZW_SHORTENED ? LONG_EQUATION : HUGE_EQUATION;
    for (int i = 0; i < p->n; i++)
        if (p->items[i].kind >= ZW_PAPER_EQUATION)
            longest = fmax(longest, zw_print_length(p->ctx, p->items[i].left) +
                                        zw_print_length(p->ctx, p->items[i].right));
    return longest > limit;
}

/* names for recurring parts, if an equation is long, and their definitions as a last block */
static void name_coefficients(zw_paper *p) {
    int n = p->n;
    zw_expr *sides = ZW_NEW(&p->arena, zw_expr, 2 * n + 1),
            *symbol = ZW_NEW(&p->arena, zw_expr, NAMES_MAX),
            *value = ZW_NEW(&p->arena, zw_expr, NAMES_MAX);
    if (!is_long(p) || !sides || !symbol || !value)
        return;
    for (int i = 0; i < n; i++) {
        bool equation = p->items[i].kind >= ZW_PAPER_EQUATION;
        sides[2 * i] = equation ? p->items[i].left : ZW_ZERO;
        sides[2 * i + 1] = equation ? p->items[i].right : ZW_ZERO;
    }
    int count = zw_name_common(p->ctx, 2 * n, sides, p->nvar, p->variables, NAME_FROM, NAMES_MAX,
                               symbol, value);
    for (int i = 0; i < n; i++)
        if (p->items[i].kind >= ZW_PAPER_EQUATION) {
            p->items[i].left = sides[2 * i];
            p->items[i].right = sides[2 * i + 1];
        }
    zw_paper_heading(p, "where");
    for (int i = 0; i < count; i++)
        add_item(
            p, (zw_paper_item){.kind = ZW_PAPER_DEFINITION, .left = symbol[i], .right = value[i]});
}

/* ------------------------------------------------------------------------------------- printing */

/* columns aligned */
static void put_text_matrix(zw_paper *p, zw_text *out, const zw_paper_item *item) {
    int n = item->rows * item->columns, *width = ZW_NEW(&p->arena, int, item->columns + 1);
    char **cell = ZW_NEW(&p->arena, char *, n + 1);
    zw_text_put(out, "    ");
    put_expr(p, out, item->left);
    zw_text_put(out, " =\n");
    for (int i = 0; cell && width && i < n; i++) {
        cell[i] = zw_print(p->ctx, item->entries[i], ZW_TEXT);
        int length = cell[i] ? (int)strlen(cell[i]) : 0;
        if (length > width[i % item->columns])
            width[i % item->columns] = length;
    }
    for (int i = 0; cell && width && i < n; i++) {
        int column = i % item->columns;
        bool last = column + 1 == item->columns;
        zw_text_printf(out, "%s%*s%s", column ? "   " : "      ", width[column],
                       cell[i] ? cell[i] : "", last ? "\n" : "");
        out->failed |= cell[i] == NULL;
        zw_string_free(p->ctx, cell[i]);
    }
    p->failed |= !cell || !width;
}

static void put_text_item(zw_paper *p, zw_text *out, const zw_paper_item *item) {
    static const char *const relation[] = {" <= ", " = ", " >= ", " > "};
    if (item->heading)
        zw_text_printf(out, "\n%s\n", item->heading);
    if (item->kind == ZW_PAPER_MATRIX) {
        put_text_matrix(p, out, item);
        return;
    }
    if (item->kind < ZW_PAPER_EQUATION) {
        zw_text_printf(out, "%s\n", item->words);
        return;
    }
    zw_text_put(out, "    ");
    put_expr(p, out, item->left);
    zw_text_put(out, relation[item->relation + 1]);
    put_expr(p, out, item->right);
    if (item->words)
        zw_text_printf(out, "        [%s]", item->words);
    zw_text_put(out, "\n");
}

static void put_text(zw_paper *p, zw_text *out) {
    for (int i = 0; i < p->n; i++) {
        const zw_paper_item *item = &p->items[i];
        bool after_equations = i > 0 && p->items[i - 1].kind >= ZW_PAPER_MATRIX;
        if (item->kind == ZW_PAPER_WORDS && after_equations && !item->heading)
            zw_text_put(out, "\n");
        put_text_item(p, out, item);
    }
}

/* one side of an equation as a JSON string of LaTeX */
static void put_json_side(zw_paper *p, zw_text *out, zw_expr e) {
    zw_text side;
    zw_tex tex;
    zw_text_init(&side, &p->arena.alloc);
    zw_tex_init(&tex, &p->arena.alloc);
    zw_latex_print(p->ctx, e, WIDE_LINE, LENGTH_MAX, &tex);
    zw_lines_put(&side, &tex, &(zw_line_shape){WIDE_LINE, WIDE_LINE, " \\\\\n  &\\quad "});
    out->failed |= side.failed;
    zw_text_json(out, zw_text_get(&side));
    zw_text_clear(&side);
    zw_tex_clear(&tex);
}

/* { "heading": ..., "lines": [ { "left": LaTeX, "relation": LaTeX, "right": LaTeX, "label": text }
 * ] } for each block; breaks of long sides are those of the align environment */
static void put_blocks(zw_paper *p, zw_text *out) {
    static const char *const relation[] = {"\\\\leq", "=", "\\\\geq", ">"};
    bool open = false;
    for (int i = 0; i < p->n; i++) {
        const zw_paper_item *item = &p->items[i];
        if (item->kind < ZW_PAPER_EQUATION)
            continue;
        if (!open || item->heading) {
            zw_text_put(out, open ? "\n]},\n{\"heading\":" : "\n{\"heading\":");
            zw_text_json(out, item->heading ? item->heading : "");
            zw_text_put(out, ",\"lines\":[\n{\"left\":");
            open = true;
        } else {
            zw_text_put(out, ",\n{\"left\":");
        }
        put_json_side(p, out, item->left);
        zw_text_printf(out, ",\"relation\":\"%s\",\"right\":", relation[item->relation + 1]);
        put_json_side(p, out, item->right);
        zw_text_put(out, ",\"label\":");
        zw_text_json(out, item->words ? item->words : "");
        zw_text_put(out, "}");
    }
    zw_text_put(out, open ? "\n]}" : "");
}

static void put_page(zw_paper *p, zw_text *out) {
    zw_text_put(out, "{\"principle\":");
    zw_text_json(out, p->principle ? p->principle : "");
    zw_text_put(out, ",\"about\":");
    zw_text_json(out, p->about ? p->about : "");
    zw_text_put(out, ",\"blocks\":[");
    put_blocks(p, out);
    zw_text_put(out, "]}\n");
}

char *zw_paper_end(zw_paper *p) {
    zw_text out;
    zw_text_init(&out, &p->arena.alloc);
    p->pending = NULL;
    name_coefficients(p);
    if (p->kind == ZW_PAPER_LATEX)
        zw_paper_put_latex(p, &out);
    else if (p->kind == ZW_PAPER_PAGE)
        put_page(p, &out);
    else
        put_text(p, &out);
    out.failed |= p->failed || p->arena.failed || zw_context_status(p->ctx, NULL) < 0;
    zw_role_clear(p->ctx);
    zw_arena_clear(&p->arena);
    return zw_text_take(&out);
}
