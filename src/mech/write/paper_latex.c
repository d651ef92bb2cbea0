/* SPDX-License-Identifier: MIT */
/* A paper as a LaTeX document (A4, formulas flush left, set with amsmath), or its body alone.
 *
 * Equations under one heading are one display. If their left sides are narrow they are aligned at
 * the relation signs; otherwise all begin at the left. A left side that is too wide is then set
 * first, on as many lines as it needs, with the sign at the beginning of the next line. Definitions
 * are set in columns. */
#include <math.h>
#include <string.h>

#include "lines.h"
#include "paper.h"
#include "paper_words.h"

enum { LENGTH_MAX = 64 << 20, COLUMNS = 4 };

/* Widths of letters at 10 pt relative to normal ones: 9/10 and 8/10, with some space left. */
#define SMALL_SIZE 0.88
#define FOOTNOTE_SIZE 0.78

static const double PAGE_WIDTH = 46; /* em between the margins, slightly less than on the page */
/* relative to the page: left sides up to this width are aligned */
static const double NARROW_SIDE = 0.3;
static const double RELATION_WIDTH = 1.4, QUAD_WIDTH = 1;

typedef struct side {
    zw_tex tex;
    double width;
} side;

static const char *relation_of(const zw_paper_item *item) {
    static const char *const relation[] = {"\\leq", "=", "\\geq", ">"};
    return relation[item->relation + 1];
}

static void begin_side(zw_paper *p, side *s, zw_expr e) {
    zw_tex_init(&s->tex, &p->arena.alloc);
    zw_latex_print(p->ctx, e, 0.5 * PAGE_WIDTH, LENGTH_MAX, &s->tex);
    p->failed |= s->tex.text.failed;
    s->width = p->failed ? 0 : zw_tex_width(s->tex.text.data, s->tex.text.length);
}

static double width_of(zw_paper *p, zw_expr e) {
    side s;
    begin_side(p, &s, e);
    zw_tex_clear(&s.tex);
    return s.width;
}

/* ------------------------------------------------------------------------------------ equations */

/* with the relation sign at `left` em from the margin */
static int put_aligned(zw_paper *p, zw_text *out, const zw_paper_item *item, double left) {
    side s;
    begin_side(p, &s, item->left);
    zw_text_put(out, zw_text_get(&s.tex.text));
    zw_tex_clear(&s.tex);
    zw_text_printf(out, " &%s ", relation_of(item));
    begin_side(p, &s, item->right);
    double room = PAGE_WIDTH - left - RELATION_WIDTH;
    int lines =
        zw_lines_put(out, &s.tex, &(zw_line_shape){room, room - QUAD_WIDTH, " \\\\\n  &\\quad "});
    zw_tex_clear(&s.tex);
    return lines;
}

/* from the margin: both sides on one line, or the left one on its own lines unless it is short */
static int put_stacked(zw_paper *p, zw_text *out, const zw_paper_item *item) {
    side left, right;
    begin_side(p, &left, item->left);
    begin_side(p, &right, item->right);
    bool one = left.width + RELATION_WIDTH + right.width <= PAGE_WIDTH;
    bool same_line = one || left.width <= NARROW_SIDE * PAGE_WIDTH;
    double start = same_line ? left.width : QUAD_WIDTH;
    zw_text_put(out, "&");
    int lines = zw_lines_put(
        out, &left.tex, &(zw_line_shape){PAGE_WIDTH, PAGE_WIDTH - QUAD_WIDTH, " \\\\\n  &\\quad "});
    zw_text_printf(out, same_line ? " %s " : " \\\\\n  &\\quad %s ", relation_of(item));
    lines +=
        zw_lines_put(out, &right.tex,
                     &(zw_line_shape){one ? PAGE_WIDTH : PAGE_WIDTH - start - RELATION_WIDTH,
                                      PAGE_WIDTH - 3 * QUAD_WIDTH, " \\\\\n  &\\quad\\qquad "});
    zw_tex_clear(&left.tex);
    zw_tex_clear(&right.tex);
    return lines - same_line;
}

static void put_display(zw_paper *p, zw_text *out, int from, int to) {
    double left = 0;
    for (int i = from; i < to; i++)
        left = fmax(left, width_of(p, p->items[i].left));
    bool aligned = left <= NARROW_SIDE * PAGE_WIDTH;
    zw_text_put(out, "\\begin{align*}\n");
    for (int i = from; i < to; i++) {
        const zw_paper_item *item = &p->items[i];
        zw_text_put(out, "  ");
        int lines = aligned ? put_aligned(p, out, item, left) : put_stacked(p, out, item);
        if (item->words) {
            zw_text_put(out, " \\tag*{\\small ");
            zw_paper_put_words(out, true, item->words, strlen(item->words));
            zw_text_put(out, "}");
        }
        zw_text_put(out, i + 1 == to ? "\n" : lines > 1 ? " \\\\[1ex]\n" : " \\\\\n");
    }
    zw_text_put(out, "\\end{align*}\n");
}

/* ------------------------------------------------------------------------------------- matrices */

/* width of a matrix in em: its widest entries, column by column */
static double matrix_width(zw_paper *p, const zw_paper_item *item) {
    double sum = width_of(p, item->left) + RELATION_WIDTH + 2 * QUAD_WIDTH;
    for (int j = 0; j < item->columns; j++) {
        double most = 0;
        for (int i = 0; i < item->rows; i++)
            most = fmax(most, width_of(p, item->entries[i * item->columns + j]));
        sum += most + QUAD_WIDTH;
    }
    return sum;
}

static void put_matrix(zw_paper *p, zw_text *out, const zw_paper_item *item) {
    double fits = PAGE_WIDTH / matrix_width(p, item);
    side s;
    zw_text_printf(out, "{%s\n\\begin{align*}\n  ",
                   fits >= 1               ? ""
                   : fits >= SMALL_SIZE    ? "\\small"
                   : fits >= FOOTNOTE_SIZE ? "\\footnotesize"
                                           : "\\scriptsize");
    begin_side(p, &s, item->left);
    zw_text_printf(out, "%s &= \\left(\\begin{array}{@{}*{%d}{c}@{}}\n", zw_text_get(&s.tex.text),
                   item->columns);
    zw_tex_clear(&s.tex);
    for (int i = 0; i < item->rows * item->columns; i++) {
        bool last = (i + 1) % item->columns == 0;
        begin_side(p, &s, item->entries[i]);
        zw_text_printf(out, "%s%s", zw_text_get(&s.tex.text), last ? " \\\\\n" : " & ");
        zw_tex_clear(&s.tex);
    }
    zw_text_put(out, "\\end{array}\\right)\n\\end{align*}}\n");
}

/* ---------------------------------------------------------------------------------- definitions */

/* the number of columns that it needs; more than COLUMNS if it must be broken */
static int columns_of(zw_paper *p, const zw_paper_item *item) {
    double width = width_of(p, item->left) + RELATION_WIDTH + width_of(p, item->right) + QUAD_WIDTH;
    return width > PAGE_WIDTH ? COLUMNS + 1 : (int)ceil(width * COLUMNS / PAGE_WIDTH);
}

static void put_cell(zw_paper *p, zw_text *out, const zw_paper_item *item, int columns) {
    zw_text_printf(out, "\\makebox[%.2fem][l]{$\\displaystyle ", PAGE_WIDTH / COLUMNS * columns);
    side s;
    begin_side(p, &s, item->left);
    zw_text_printf(out, "%s %s ", zw_text_get(&s.tex.text), relation_of(item));
    zw_tex_clear(&s.tex);
    begin_side(p, &s, item->right);
    zw_text_printf(out, "%s$}", zw_text_get(&s.tex.text));
    zw_tex_clear(&s.tex);
}

static void put_definitions(zw_paper *p, zw_text *out, int from, int to) {
    int used = 0;
    zw_text_put(out, "\\begin{align*}\n");
    for (int i = from; i < to; i++) {
        int columns = columns_of(p, &p->items[i]);
        if (i > from && used + columns > COLUMNS) {
            zw_text_put(out, " \\\\\n");
            used = 0;
        }
        zw_text_put(out, used || columns > COLUMNS ? "  " : "  &");
        if (columns > COLUMNS)
            put_stacked(p, out, &p->items[i]);
        else
            put_cell(p, out, &p->items[i], columns);
        used += columns;
    }
    zw_text_put(out, "\n\\end{align*}\n");
}

/* --------------------------------------------------------------------------------- the document */

/* A4, formulas flush left */
static void put_preamble(zw_text *out) {
    zw_text_put(out, "\\documentclass[a4paper,fleqn]{article}\n\\usepackage{amsmath}\n"
                     "\\usepackage[margin=2cm]{geometry}\n\\setlength{\\mathindent}{1em}\n"
                     "\\setlength{\\parindent}{0pt}\n\\setlength{\\parskip}{1ex}\n"
                     "\\allowdisplaybreaks\n\\begin{document}\n"
                     "\\setlength{\\abovedisplayskip}{0pt plus 2pt}\n\\raggedright\n");
}

void zw_paper_put_latex(zw_paper *p, zw_text *out) {
    if (p->fragment)
        zw_text_put(out, "% needs \\usepackage{amsmath}\n");
    else
        put_preamble(out);
    for (int i = 0, next; i < p->n; i = next) {
        const zw_paper_item *item = &p->items[i];
        if (item->heading)
            zw_text_printf(out, "\\subsection*{%s}\n", item->heading);
        next = i + 1;
        if (item->kind == ZW_PAPER_TITLE)
            zw_text_printf(out, "\\section*{%s}\n", item->words);
        else if (item->kind == ZW_PAPER_WORDS)
            zw_text_printf(out, "%s\n\n", item->words);
        else if (item->kind == ZW_PAPER_MATRIX)
            put_matrix(p, out, item);
        else {
            while (next < p->n && p->items[next].kind == item->kind && !p->items[next].heading)
                next++;
            if (item->kind == ZW_PAPER_DEFINITION)
                put_definitions(p, out, i, next);
            else
                put_display(p, out, i, next);
        }
    }
    zw_text_put(out, p->fragment ? "" : "\\end{document}\n");
}
