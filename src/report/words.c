/* SPDX-License-Identifier: MIT */
/* Reports in words and in LaTeX: the sentences in their order, with the values put in.
 *
 * A template is read from left to right:
 *     template = { text | "{{" | "}}" | "{" key [ ":" width | ":+" | ":~" [ width ] | "|" one "|" many
 *                                     | "#" one "|" many
 *                                     | "?" template | "!" template | "*" template ] "}" }
 *     key = name | "." | "#"     (the entry of a vector and its number, inside of "*")
 * A key that no object around the sentence has is a mistake of the program (assert), and is shown
 * as it stands. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tree.h"

enum { COMPLEXES_SHOWN = 8 }; /* numbers of a list of complex ones that words show */

typedef struct writer {
    zw_text *out;
    bool latex;
    const zw_node *entry, *number; /* inside of {key*...} */
} writer;

/* ------------------------------------------------------------------------------------- values */

/* in the unit of the words; 0: unknown */
static double known_error(const zw_shown *how) {
    return how->error > 0 && isfinite(how->error) ? how->error / how->scale : 0;
}

static int error_digits(const zw_shown *how) {
    return how->error_digits > 0 ? how->error_digits : 1;
}

/* the unit of its last digit that is shown: next to an error, a value is shown to the same place */
static double last_place(const zw_shown *how, double error) {
    return error > 0 ? pow(10, floor(log10(error)) + 1 - error_digits(how)) : 0;
}

/* Digits up to the place of an error that words show; 0: there is none, or it lies below the last
 * digit that is shown and says nothing about it. */
static int digits_with_error(const zw_shown *how, double value) {
    double error = known_error(how);
    if (!(error > 0) || !how->with_error)
        return 0;
    int digits = value == 0 ? 1 : zw_text_digits(value, last_place(how, error), how->digits + 1);
    return digits <= how->digits ? digits : 0;
}

/* next to an error, a value below half of the last place is zero */
static double rounded(const zw_shown *how, double value) {
    return how->with_error && fabs(value) < last_place(how, known_error(how)) / 2 ? 0 : value;
}

/* with zeros at the end, which show the place of an error; "7." and "7.e-5" lose their point */
static const char *with_zeros(char *out, size_t size, int digits, double value) {
    snprintf(out, size, "%#.*g", digits, value);
    char *point = strchr(out, '.');
    if (point && (point[1] == '\0' || point[1] == 'e'))
        memmove(point, point + 1, strlen(point));
    return out;
}

static void put_plain_number(zw_text *out, const zw_node *node, double value) {
    const zw_shown *how = &node->shown;
    double error = known_error(how);
    if (isnan(value)) {
        zw_text_put(out, how->none);
        return;
    }
    value = rounded(how, value / how->scale);
    int digits = digits_with_error(how, value);
    if (digits > 0) {
        char text[64];
        zw_text_put(out, with_zeros(text, sizeof text, digits, value));
        zw_text_printf(out, " +- %s", with_zeros(text, sizeof text, error_digits(how), error));
    } else {
        zw_text_known(out, value, error, how->digits);
    }
    if (how->unit[0])
        zw_text_printf(out, " %s", how->unit);
}

/* ...e-07 of a number becomes a power of ten, all else is taken as it is */
static void put_typeset_number(zw_text *out, const char *text) {
    const char *e = strchr(text, 'e');
    if (!e || !strchr("+-0123456789", e[1])) {
        zw_text_put(out, text);
        return;
    }
    zw_text_put_n(out, text, (size_t)(e - text));
    zw_text_printf(out, " \\cdot 10^{%d}", atoi(e + 1));
}

static void put_escaped(zw_text *out, const char *s, size_t n) {
    static const char special[] = "#$%&_{}";
    for (size_t i = 0; i < n; i++) {
        if (strchr(special, s[i]))
            zw_text_printf(out, "\\%c", s[i]);
        else if (s[i] == '\\')
            zw_text_put(out, "\\textbackslash{}");
        else if (s[i] == '~' || s[i] == '^')
            zw_text_printf(out, "\\%c{}", s[i]);
        else if (s[i] == '<' || s[i] == '>')
            zw_text_printf(out, "$%c$", s[i]);
        else
            zw_text_put_n(out, s + i, 1);
    }
}

static void put_literal(writer *w, const char *s, size_t n) {
    if (w->latex)
        put_escaped(w->out, s, n);
    else
        zw_text_put_n(w->out, s, n);
}

static void put_number(writer *w, const zw_node *node, double value) {
    if (!w->latex || isnan(value)) {
        put_plain_number(w->out, node, value);
        return;
    }
    const zw_shown *how = &node->shown;
    double error = known_error(how);
    char text[64];
    value = rounded(how, value / how->scale);
    int digits = digits_with_error(how, value);
    if (digits > 0)
        with_zeros(text, sizeof text, digits, value);
    else
        snprintf(text, sizeof text, "%.*g", zw_text_digits(value, error, how->digits), value);
    zw_text_put(w->out, "$");
    put_typeset_number(w->out, isinf(value) ? value > 0 ? "\\infty" : "-\\infty" : text);
    if (digits > 0) {
        zw_text_put(w->out, " \\pm ");
        put_typeset_number(w->out, with_zeros(text, sizeof text, error_digits(how), error));
    }
    zw_text_put(w->out, "$");
    if (how->unit[0]) {
        zw_text_put(w->out, "~");
        put_escaped(w->out, how->unit, strlen(how->unit));
    }
}

static void put_complex(writer *w, const zw_node *node, bool pair) {
    zw_node plain = *node;
    bool pure = pair && node->value == 0 && node->imaginary != 0; /* "+-2i" */
    plain.shown.unit = "";
    if (!pure)
        put_number(w, &plain, node->value);
    if (node->imaginary != 0) {
        if (pair)
            zw_text_put(w->out, pure       ? (w->latex ? "$\\pm$" : "+-")
                                : w->latex ? " $\\pm$ "
                                           : " +- ");
        else
            put_literal(w, node->imaginary < 0 ? " - " : " + ", 3);
        put_number(w, &plain, fabs(node->imaginary));
        put_literal(w, pair ? "i" : " i", pair ? 1 : 2);
    }
    if (node->shown.unit[0]) {
        put_literal(w, " ", 1);
        put_literal(w, node->shown.unit, strlen(node->shown.unit));
    }
}

/* an entry of a vector or a matrix with its own error */
static zw_node entry_of(const zw_node *list, int i) {
    zw_node entry = {.kind = ZW_NODE_NUMBER, .shown = list->shown, .value = list->v[i]};
    if (list->error)
        entry.shown.error = list->error[i];
    return entry;
}

static void put_list(writer *w, const zw_node *node) {
    int n = (node->rows > 0 ? node->rows : 1) * node->columns;
    for (int i = 0; i < n; i++) {
        put_literal(w, ", ", i > 0 ? 2 : 0);
        if (node->kind == ZW_NODE_WORDS) {
            put_literal(w, node->words[i], strlen(node->words[i]));
        } else {
            zw_node entry = entry_of(node, i);
            put_number(w, &entry, entry.value);
        }
    }
}

/* "0.5, 1 +- 2i", conjugate pairs once */
static void put_complexes(writer *w, const zw_node *node) {
    zw_node plain = *node;
    plain.shown.unit = "";
    for (int i = 0; i < node->rows && i < COMPLEXES_SHOWN; i++) {
        double re = node->v[2 * i], im = node->v[2 * i + 1];
        if (im < 0)
            continue;
        put_literal(w, ", ", i > 0 ? 2 : 0);
        plain.value = re;
        plain.imaginary = im;
        put_complex(w, &plain, true);
    }
    put_literal(w, ", ...", node->rows > COMPLEXES_SHOWN ? 5 : 0);
    if (node->shown.unit[0]) {
        put_literal(w, " ", 1);
        put_literal(w, node->shown.unit, strlen(node->shown.unit));
    }
}

static void put_value(writer *w, const zw_node *node) {
    switch (node->kind) {
    case ZW_NODE_NUMBER:
        put_number(w, node, node->value);
        break;
    case ZW_NODE_COMPLEX:
        put_complex(w, node, false);
        break;
    case ZW_NODE_COUNT:
        zw_text_printf(w->out, "%ld", node->count);
        break;
    case ZW_NODE_FLAG:
        zw_text_put(w->out, node->count ? "yes" : "no");
        break;
    case ZW_NODE_WORD:
    case ZW_NODE_FORMULA:
        if (w->latex && node->latex)
            zw_text_printf(w->out, "$%s$", node->latex);
        else if (node->word)
            put_literal(w, node->word, strlen(node->word));
        break;
    case ZW_NODE_MATRIX:
    case ZW_NODE_WORDS:
        if (node->complex)
            put_complexes(w, node);
        else
            put_list(w, node);
        break;
    default:
        assert(false && "a container in a sentence");
    }
}

/* ------------------------------------------------------------------------------------ matrices */

enum { COLUMNS_FIT = 6 }; /* of a typeset matrix on a page; a wider one is made smaller */

/* a typeset name, or the name itself with special characters escaped */
static void put_label(writer *w, const char *const *latex, const char *const *plain, int i) {
    if (latex && latex[i]) {
        zw_text_put(w->out, latex[i]);
    } else if (plain) {
        zw_text_put(w->out, "\\text{");
        put_escaped(w->out, plain[i], strlen(plain[i]));
        zw_text_put(w->out, "}");
    }
}

static void put_typeset_matrix(writer *w, const zw_node *m) {
    const zw_report_names *names = m->names;
    bool wide = m->columns > COLUMNS_FIT;
    char text[64];
    zw_text_printf(w->out, "\\begin{equation*}\n%s%s =\n\\begin{array}{r|*{%d}{r}}\n",
                   wide ? "\\resizebox{0.95\\linewidth}{!}{$" : "", names->title, m->columns);
    for (int j = 0; j < m->columns; j++) {
        zw_text_put(w->out, " & ");
        put_label(w, names->column_latex, names->column, j);
    }
    zw_text_put(w->out, " \\\\ \\hline\n");
    for (int i = 0; i < m->rows; i++) {
        put_label(w, names->row_latex, names->row, i);
        for (int j = 0; j < m->columns; j++) {
            snprintf(text, sizeof text, "%.6g", names->shown[i * m->columns + j]);
            zw_text_put(w->out, " & ");
            put_typeset_number(w->out, text);
        }
        zw_text_put(w->out, " \\\\\n");
    }
    zw_text_printf(w->out, "\\end{array}%s\n\\end{equation*}\n", wide ? "$}" : "");
}

/* the columns of a text; continuations of UTF-8 are none */
static int columns_of(const char *s) {
    int n = 0;
    for (; *s; s++)
        n += (*s & 0xc0) != 0x80;
    return n;
}

static void put_cell(zw_text *out, const char *s, int width) {
    int blanks = width - columns_of(s);
    zw_text_printf(out, " %*s%s", blanks > 0 ? blanks : 0, "", s);
}

static void put_matrix(writer *w, const zw_node *m, int width) {
    const zw_report_names *names = m->names;
    char text[64];
    int label = width > 3 ? width - 3 : 0;
    for (int i = 0; i < m->rows; i++)
        label = columns_of(names->row[i]) > label ? columns_of(names->row[i]) : label;
    zw_text_printf(w->out, "  %-*s", label + 3, names->title);
    for (int j = 0; j < m->columns; j++)
        put_cell(w->out, names->column[j], width);
    zw_text_put(w->out, "\n");
    for (int i = 0; i < m->rows; i++) {
        zw_text_printf(w->out, "  %s%*s", names->row[i], label + 3 - columns_of(names->row[i]), "");
        for (int j = 0; j < m->columns; j++) {
            int wide = columns_of(names->column[j]);
            snprintf(text, sizeof text, "%.*g", m->shown.digits, names->shown[i * m->columns + j]);
            put_cell(w->out, text, wide > width ? wide : width);
        }
        zw_text_put(w->out, "\n");
    }
}

/* for {key?...}: is there anything to say of it? */
static bool is_there(const zw_node *node) {
    if (!node)
        return false;
    switch (node->kind) {
    case ZW_NODE_NUMBER:
        return isfinite(node->value);
    case ZW_NODE_COMPLEX:
        return isfinite(node->value) && isfinite(node->imaginary);
    case ZW_NODE_COUNT:
    case ZW_NODE_FLAG:
        return node->count != 0;
    case ZW_NODE_WORD:
    case ZW_NODE_FORMULA:
        return node->word && node->word[0];
    case ZW_NODE_MATRIX:
    case ZW_NODE_WORDS:
        return node->columns > 0;
    default:
        return node->first != NULL;
    }
}

/* ---------------------------------------------------------------------------------- templates */

static const zw_node *look_up(const zw_node *object, const char *key, size_t length) {
    for (const zw_node *o = object; o; o = o->parent) {
        const zw_node *found = o->kind == ZW_NODE_OBJECT ? zw_node_find(o, key, length) : NULL;
        if (found)
            return found;
    }
    return NULL;
}

/* the brace that closes the one before s */
static const char *closing_brace(const char *s, const char *end) {
    int depth = 1;
    for (; s < end; s++) {
        if ((*s == '{' || *s == '}') && s + 1 < end && s[1] == *s && depth == 1 && *s == '{')
            s++; /* a literal brace */
        else if (*s == '{')
            depth++;
        else if (*s == '}' && --depth == 0)
            return s;
    }
    return end;
}

/* at `width` columns, to the left of them if it is negative */
static void put_padded(writer *w, const zw_node *node, int width, bool pair) {
    zw_text text;
    writer inner = *w;
    inner.out = &text;
    zw_text_init(&text, &w->out->alloc);
    if (pair && node->kind == ZW_NODE_COMPLEX)
        put_complex(&inner, node, true);
    else
        put_value(&inner, node);
    int blanks = abs(width) - (int)text.length;
    if (w->latex)
        blanks = 0;
    zw_text_printf(w->out, "%*s%s%*s", width > 0 && blanks > 0 ? blanks : 0, "", zw_text_get(&text),
                   width < 0 && blanks > 0 ? blanks : 0, "");
    if (text.failed)
        w->out->failed = true;
    zw_text_clear(&text);
}

/* "+ 3", "- 3": a term of a sum */
static void put_signed(writer *w, const zw_node *node) {
    zw_node size = *node;
    size.value = fabs(node->value);
    put_literal(w, node->value < 0 ? "- " : "+ ", 2);
    put_value(w, &size);
}

/* "orbit|orbits" for a count */
static void put_noun(writer *w, const zw_node *node, const char *words, const char *end) {
    const char *bar = memchr(words, '|', (size_t)(end - words));
    bool one = node->kind == ZW_NODE_COUNT ? node->count == 1 : node->value == 1;
    if (!bar)
        bar = end;
    if (one || bar == end)
        put_literal(w, words, (size_t)(bar - words));
    else
        put_literal(w, bar + 1, (size_t)(end - bar - 1));
}

static void put_template(writer *w, const zw_node *object, const char *s, const char *end);

/* words for each entry of a vector or a list of words */
static void put_entries(writer *w, const zw_node *object, const zw_node *list, const char *s,
                        const char *end) {
    writer inner = *w;
    for (int i = 0; list && i < list->columns; i++) {
        zw_node entry = list->kind == ZW_NODE_WORDS
                            ? (zw_node){.kind = ZW_NODE_WORD, .word = list->words[i]}
                            : entry_of(list, i),
                number = {.kind = ZW_NODE_COUNT, .count = i + 1};
        inner.entry = &entry;
        inner.number = &number;
        put_template(&inner, object, s, end);
    }
}

/* the value that a key of a template means; NULL: none */
static const zw_node *node_of(const writer *w, const zw_node *object, const char *key,
                              size_t length) {
    if (length == 1 && *key == '.')
        return w->entry;
    return length == 0 && *key == '#' ? w->number : look_up(object, key, length);
}

/* what stands between braces */
static void put_placeholder(writer *w, const zw_node *object, const char *s, const char *end) {
    size_t length = strcspn(s, ":|#?!*}");
    if (s + length > end)
        length = (size_t)(end - s);
    const zw_node *node = node_of(w, object, s, length);
    if (length == 0 && *s == '#')
        length = 1;
    const char *rest = s + length + 1;
    char what = s + length < end ? s[length] : '\0';
    if (what == '?' || what == '!') {
        if (is_there(node) == (what == '?'))
            put_template(w, object, rest, end);
        return;
    }
    if (what == '*') {
        put_entries(w, object, node, rest, end);
        return;
    }
    if (!node) {
        assert(false && "a key that the report does not have");
        put_literal(w, s - 1, (size_t)(end - s) + 2);
        return;
    }
    if (what == ':') {
        if (*rest == '+')
            put_signed(w, node);
        else if (node->names && w->latex)
            put_typeset_matrix(w, node);
        else if (node->names)
            put_matrix(w, node, atoi(rest));
        else
            put_padded(w, node, atoi(rest + (*rest == '~')), *rest == '~');
        return;
    }
    if (what != '#')
        put_value(w, node);
    if (what == '|')
        put_literal(w, " ", 1);
    if (what == '|' || what == '#')
        put_noun(w, node, rest, end);
}

static void put_template(writer *w, const zw_node *object, const char *s, const char *end) {
    while (s < end) {
        const char *stop = s;
        while (stop < end && *stop != '{' && *stop != '}' && !(w->latex && *stop == '\n'))
            stop++;
        put_literal(w, s, (size_t)(stop - s));
        if (stop == end)
            return;
        if (*stop == '\n') {
            size_t n = w->out->length; /* after a line end: a new paragraph */
            zw_text_put(w->out, n == 0 || w->out->data[n - 1] == '\n' ? "\n" : "\\\\\n");
            s = stop + 1;
        } else if (stop + 1 < end && stop[1] == *stop) {
            put_literal(w, stop, 1);
            s = stop + 2;
        } else if (*stop == '{') {
            const char *close = closing_brace(stop + 1, end);
            put_placeholder(w, object, stop + 1, close);
            s = close < end ? close + 1 : end;
        } else {
            assert(false && "a brace that was not opened");
            s = stop + 1;
        }
    }
}

static void put_sentences(writer *w, const zw_node *object) {
    for (const zw_node *n = object->first; n; n = n->next)
        if (n->kind == ZW_NODE_SENTENCE)
            put_template(w, object, n->word, n->word + strlen(n->word));
        else if (n->kind == ZW_NODE_OBJECT || n->kind == ZW_NODE_LIST)
            put_sentences(w, n);
}

static zw_status write_words(const zw_report *r, bool latex, zw_bytes *out, zw_error *err) {
    zw_text text;
    writer w = {.out = &text, .latex = latex};
    zw_text_init(&text, &r->arena.alloc);
    put_sentences(&w, &r->root);
    return zw_report_take(r, &text, out, err);
}

zw_status zw_report_text(const zw_report *r, zw_bytes *out, zw_error *err) {
    return write_words(r, false, out, err);
}

zw_status zw_report_latex(const zw_report *r, zw_bytes *out, zw_error *err) {
    return write_words(r, true, out, err);
}
