/* SPDX-License-Identifier: MIT */
#include "paper.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "mech/system/build.h"

enum {
    LONG_EQUATION = 200,     /* characters: from here on what recurs is named */
    HUGE_EQUATION = 1000000, /* the same also where nothing is to be simplified */
    LONG_LINE = 140,         /* of LaTeX source: a right side is broken behind so many */
    WIDE_LINE = 480,         /* the same on a page without fixed width */
    NAME_FROM = 24,          /* characters a named subexpression has at least */
    NAMES_MAX = 5000
};

typedef enum item_kind { TITLE, WORDS, EQUATION } item_kind;

struct zw_paper_item {
    item_kind kind;
    const char *heading; /* of the block that begins here; NULL inside a block */
    const char
        *words; /* WORDS, TITLE: in the spelling of the format. EQUATION: the label, as said */
    zw_expr left, right;
    int relation; /* 0: =, 1: >=, -1: <= */
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

/* words as they are, with what TeX takes for commands escaped */
static void put_words(zw_text *out, bool latex, const char *s, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (latex && strchr("_&%#$", s[i]))
            zw_text_put(out, "\\");
        zw_text_put_n(out, s + i, 1);
    }
}

static void put_expr(zw_paper *p, zw_text *out, zw_expr e) {
    char *s = zw_print(p->ctx, e, p->kind == ZW_PAPER_TEXT ? ZW_TEXT : ZW_LATEX);
    zw_text_put(out, s ? s : "");
    out->failed |= s == NULL;
    zw_string_free(p->ctx, s);
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
        put_words(out, latex, words, strlen(words));
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
        zw_text_put(out, latex ? "$" : "");
        put_expr(p, out, va_arg(*list, zw_expr));
        zw_text_put(out, latex ? "$" : "");
        break;
    default:
        put_words(out, latex, s, 1);
    }
    return s + 1;
}

/* the sentence in the arena, in the spelling of the format */
static const char *spell(zw_paper *p, const char *format, va_list *list) {
    bool latex = p->kind == ZW_PAPER_LATEX;
    zw_text out;
    zw_text_init(&out, &p->arena.alloc);
    for (const char *s = format; *s;) {
        size_t plain = strcspn(s, "%{");
        put_words(&out, latex, s, plain);
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

static void add(zw_paper *p, zw_paper_item item) {
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
    to = spell(p, format, &list);                                                                  \
    va_end(list)

void zw_paper_title(zw_paper *p, const char *format, ...) {
    const char *words;
    SPELL(words);
    add(p, (zw_paper_item){.kind = TITLE, .words = words});
}

void zw_paper_heading(zw_paper *p, const char *format, ...) {
    SPELL(p->pending);
}

void zw_paper_say(zw_paper *p, const char *format, ...) {
    const char *words;
    SPELL(words);
    add(p, (zw_paper_item){.kind = WORDS, .words = words});
}

void zw_paper_equation(zw_paper *p, zw_expr left, int relation, zw_expr right, const char *label) {
    const char *kept = label ? zw_arena_string(&p->arena, label) : NULL;
    add(p, (zw_paper_item){EQUATION, NULL, kept, left, right, relation});
}

zw_expr zw_paper_symbol(zw_paper *p, const char *name) {
    return zw_symbol(p->ctx, name);
}

zw_expr zw_paper_simpler(zw_paper *p, zw_expr e) {
    if (p->simplify >= ZW_SHORTENED)
        zw_shorten(p->ctx, 1, &e);
    if (p->simplify >= ZW_TRIG_COMBINED)
        zw_trig_combine(p->ctx, 1, &e);
    return e;
}

/* --------------------------------------------------------------------------------------- naming */

static bool is_long(zw_paper *p) {
    double longest = 0, limit = p->simplify >= ZW_SHORTENED ? LONG_EQUATION : HUGE_EQUATION;
    for (int i = 0; i < p->n; i++)
        if (p->items[i].kind == EQUATION)
            longest = fmax(longest, zw_print_length(p->ctx, p->items[i].left) +
                                        zw_print_length(p->ctx, p->items[i].right));
    return longest > limit;
}

/* names for what recurs, if an equation is long, and their definitions as a last block */
static void name_coefficients(zw_paper *p) {
    int n = p->n;
    zw_expr *sides = ZW_NEW(&p->arena, zw_expr, 2 * n + 1),
            *symbol = ZW_NEW(&p->arena, zw_expr, NAMES_MAX),
            *value = ZW_NEW(&p->arena, zw_expr, NAMES_MAX);
    if (!is_long(p) || !sides || !symbol || !value)
        return;
    for (int i = 0; i < n; i++) {
        bool equation = p->items[i].kind == EQUATION;
        sides[2 * i] = equation ? p->items[i].left : ZW_ZERO;
        sides[2 * i + 1] = equation ? p->items[i].right : ZW_ZERO;
    }
    int count = zw_name_common(p->ctx, 2 * n, sides, p->nvar, p->variables, NAME_FROM, NAMES_MAX,
                               symbol, value);
    for (int i = 0; i < n; i++) {
        p->items[i].left = sides[2 * i];
        p->items[i].right = sides[2 * i + 1];
    }
    zw_paper_heading(p, "where");
    for (int i = 0; i < count; i++)
        zw_paper_equation(p, symbol[i], 0, value[i], NULL);
}

/* ------------------------------------------------------------------------------------- printing */

/* a long sum over several lines, each a part of its terms */
static void put_broken(zw_paper *p, zw_text *out, zw_expr e) {
    size_t line_length = p->kind == ZW_PAPER_PAGE ? WIDE_LINE : LONG_LINE;
    int n;
    const zw_expr *args = zw_expr_args(p->ctx, e, &n);
    if (zw_expr_op(p->ctx, e) != ZW_OP_SUM ||
        2 * zw_print_length(p->ctx, e) < (double)line_length) {
        put_expr(p, out, e);
        return;
    }
    size_t start = out->length;
    for (int i = 0; i < n; i += i == 0 ? 1 : 2) {
        zw_expr term = i == 0 ? args[0] : zw_mul(p->ctx, args[i], args[i + 1]);
        if (term == ZW_ZERO)
            continue;
        char *s = zw_print(p->ctx, term, ZW_LATEX);
        out->failed |= s == NULL;
        bool first = out->length == start, minus = s && s[0] == '-';
        if (s && !first && out->length - start + strlen(s) > line_length) {
            zw_text_put(out, " \\\\\n  &\\quad");
            start = out->length;
        }
        zw_text_put(out, first ? "" : minus ? " - " : " + ");
        zw_text_put(out, !s ? "" : minus && !first ? s + 1 : s);
        zw_string_free(p->ctx, s);
    }
}

static void put_text_item(zw_paper *p, zw_text *out, const zw_paper_item *item) {
    static const char *const relation[] = {" <= ", " = ", " >= "};
    if (item->heading)
        zw_text_printf(out, "\n%s\n", item->heading);
    if (item->kind != EQUATION) {
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
    for (int i = 0; i < p->n; i++)
        put_text_item(p, out, &p->items[i]);
}

/* equations that follow each other are one display */
static bool begins_display(const zw_paper *p, int i) {
    return i == 0 || p->items[i].heading || p->items[i - 1].kind != EQUATION;
}

static void put_latex_equation(zw_paper *p, zw_text *out, int i) {
    static const char *const relation[] = {" &\\leq ", " &= ", " &\\geq "};
    const zw_paper_item *item = &p->items[i];
    bool last = i + 1 == p->n || p->items[i + 1].kind != EQUATION || p->items[i + 1].heading;
    zw_text_put(out, begins_display(p, i) ? "\\begin{align*}\n  " : "  ");
    put_expr(p, out, item->left);
    zw_text_put(out, relation[item->relation + 1]);
    put_broken(p, out, item->right);
    if (item->words) {
        zw_text_put(out, " && \\text{");
        put_words(out, true, item->words, strlen(item->words));
        zw_text_put(out, "}");
    }
    zw_text_put(out, last ? "\n\\end{align*}\n" : " \\\\\n");
}

static void put_latex(zw_paper *p, zw_text *out) {
    zw_text_put(out, "\\documentclass{article}\n\\usepackage{amsmath}\n"
                     "\\usepackage[margin=2cm]{geometry}\n\\allowdisplaybreaks\n"
                     "\\begin{document}\n");
    for (int i = 0; i < p->n; i++) {
        const zw_paper_item *item = &p->items[i];
        if (item->heading)
            zw_text_printf(out, "\\paragraph{%s}\n", item->heading);
        if (item->kind == EQUATION)
            put_latex_equation(p, out, i);
        else
            zw_text_printf(out, item->kind == TITLE ? "\\section*{%s}\n" : "%s\n\n", item->words);
    }
    zw_text_put(out, "\\end{document}\n");
}

/* one side of an equation as a JSON string of LaTeX */
static void put_json_side(zw_paper *p, zw_text *out, zw_expr e) {
    zw_text side;
    zw_text_init(&side, &p->arena.alloc);
    put_broken(p, &side, e);
    out->failed |= side.failed;
    zw_text_json(out, zw_text_get(&side));
    zw_text_clear(&side);
}

/* { "heading": ..., "lines": [ { "left": LaTeX, "relation": LaTeX, "right": LaTeX, "label": text } ] }
 * for each block; breaks of long sides are those of the align environment */
static void put_blocks(zw_paper *p, zw_text *out) {
    static const char *const relation[] = {"\\\\leq", "=", "\\\\geq"};
    bool open = false;
    for (int i = 0; i < p->n; i++) {
        const zw_paper_item *item = &p->items[i];
        if (item->kind != EQUATION)
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
        put_latex(p, &out);
    else if (p->kind == ZW_PAPER_PAGE)
        put_page(p, &out);
    else
        put_text(p, &out);
    out.failed |= p->failed || p->arena.failed || zw_context_status(p->ctx, NULL) < 0;
    zw_arena_clear(&p->arena);
    return zw_text_take(&out);
}
