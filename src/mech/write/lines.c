/* SPDX-License-Identifier: MIT */
/* Line breaking of a formula. Its breaks divide it into pieces. Of all ways to put the pieces 0..n
 * on lines that are wide enough, the one with the least cost is taken, where
 *     a line costs the square of its empty fraction (except the last one), plus a constant,
 *     a break costs more the deeper it is in brackets, and most between two factors.
 * The cost of the best layout from piece i on follows from that of the pieces after it, so the
 * layouts are found from the end. A piece that is wider than a line is set alone; zw_latex_print
 * avoids such pieces. */
#include "lines.h"

#include "base/arena.h"

enum { INDENT_MAX = 3 };
static const double LINE_COST = 0.3, DEPTH_COST = 0.25, FACTOR_COST = 1.5, TOO_WIDE_COST = 1000,
                    SIGN_WIDTH = 0.8;

typedef struct piece {
    size_t start, end;
    double width, cost; /* of the piece; of the best layout from here to the end */
    int depth, next;    /* of the break before it; first piece of the next line */
    zw_tex_kind kind;
} piece;

static int indent_of(const piece *p) {
    return p->depth < INDENT_MAX ? p->depth : INDENT_MAX;
}

static void split_pieces(const zw_tex *t, piece *pieces) {
    for (int i = 0; i <= t->n; i++) {
        piece *p = &pieces[i];
        p->start = i ? t->breaks[i - 1].at : 0;
        p->end = i < t->n ? t->breaks[i].at : t->text.length;
        p->depth = i ? t->breaks[i - 1].depth : 0;
        p->kind = i ? t->breaks[i - 1].kind : ZW_TEX_TERM;
        p->width = zw_tex_width(t->text.data + p->start, p->end - p->start);
    }
}

/* the best line that begins with piece i */
static void choose_line(piece *pieces, int n, int i, const zw_line_shape *shape) {
    double room = i ? shape->rest - indent_of(&pieces[i]) : shape->first, used = 0;
    used += i && pieces[i].kind == ZW_TEX_FACTOR ? SIGN_WIDTH : 0;
    pieces[i].cost = -1;
    for (int j = i; j < n; j++) {
        used += pieces[j].width;
        bool over = used > room, last = j + 1 == n;
        if (over && j > i)
            break;
        double empty = over ? 0 : (room - used) / room;
        double cost = LINE_COST + (over ? TOO_WIDE_COST : last ? 0 : empty * empty);
        if (!last)
            cost += pieces[j + 1].cost + DEPTH_COST * pieces[j + 1].depth +
                    (pieces[j + 1].kind == ZW_TEX_FACTOR ? FACTOR_COST : 0);
        if (pieces[i].cost < 0 || cost < pieces[i].cost) {
            pieces[i].cost = cost;
            pieces[i].next = j + 1;
        }
    }
}

static void put_line_start(zw_text *out, const piece *p, const zw_line_shape *shape) {
    zw_text_put(out, shape->next);
    for (int d = indent_of(p); d > 0; d--)
        zw_text_put(out, "\\quad ");
    if (p->kind == ZW_TEX_FACTOR)
        zw_text_put(out, "{} \\cdot");
}

int zw_lines_put(zw_text *out, const zw_tex *t, const zw_line_shape *shape) {
    int n = t->n + 1, lines = 0;
    piece *pieces = zw_allocate(&out->alloc, (size_t)n * sizeof *pieces);
    if (!pieces || t->text.failed || !t->text.data) {
        out->failed = true;
        zw_release(&out->alloc, pieces, (size_t)n * sizeof *pieces);
        return 0;
    }
    split_pieces(t, pieces);
    for (int i = n - 1; i >= 0; i--)
        choose_line(pieces, n, i, shape);
    for (int i = 0; i < n; i = pieces[i].next, lines++) {
        if (i)
            put_line_start(out, &pieces[i], shape);
        zw_text_put_n(out, t->text.data + pieces[i].start,
                      pieces[pieces[i].next - 1].end - pieces[i].start);
    }
    zw_release(&out->alloc, pieces, (size_t)n * sizeof *pieces);
    return lines;
}
