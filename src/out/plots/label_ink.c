/* SPDX-License-Identifier: MIT */
/* Pieces of a label with fonts: letter by letter, each in the first font that has it, adjacent
 * letters of one font at once. A piece without an italic font is slanted by a fifth. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "label.h"
#include "out/files/utf8.h"
#include "tex.h"

#define WIDTH_SLACK 1e-9 /* relative: a text of exactly this width fits */
#define LOWER 0.22       /* relative to the size of the line */
#define RAISE 0.36
#define LEAN 0.2

enum { RUN = 512 }; /* bytes that are set at once */

typedef struct pen {
    zw_out_canvas *c;
    bool draw;
    double x, y, size;
} pen;

/* left and right end and height of the ink of a piece */
typedef struct ink {
    double left, right, top;
} ink;

/* ---- letters ---- */

static uint32_t decode_utf8(const char *text, int length) {
    const unsigned char *s = (const unsigned char *)text;
    switch (length) {
    case 1:
        return s[0];
    case 2:
        return (uint32_t)(s[0] & 0x1f) << 6 | (s[1] & 0x3f);
    case 3:
        return (uint32_t)(s[0] & 0x0f) << 12 | (uint32_t)(s[1] & 0x3f) << 6 | (s[2] & 0x3f);
    default:
        return (uint32_t)(s[0] & 0x07) << 18 | (uint32_t)(s[1] & 0x3f) << 12 |
               (uint32_t)(s[2] & 0x3f) << 6 | (s[3] & 0x3f);
    }
}

static int encode_utf8(uint32_t c, char out[4]) {
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    int n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (int i = n - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (c & 0x3f));
        c >>= 6;
    }
    out[0] = (char)((n == 2 ? 0xc0 : n == 3 ? 0xe0 : 0xf0) | c);
    return n;
}

/* the character at s and its length: invalid bytes become the replacement character, a line end a
 * blank */
static uint32_t letter_at(const char *s, size_t left, int *length) {
    *length = zw_out_utf8_length(s);
    if (*length == 0 || (size_t)*length > left) {
        *length = 1;
        return 0xfffd;
    }
    uint32_t c = decode_utf8(s, *length);
    return c == '\n' || c == '\t' || c == '\r' ? ' ' : c;
}

/* ---- runs of one face ---- */

static void use_face(cairo_t *cr, const zw_out_face *f, double size) {
    cairo_matrix_t m;
    cairo_matrix_init(&m, size, 0, f->leans ? -LEAN * size : 0, size, 0, 0);
    cairo_set_font_face(cr, f->face);
    cairo_set_font_matrix(cr, &m);
}

static void put_run(pen *p, const char *s, const zw_out_face *f, double size, double height,
                    ink *all) {
    cairo_text_extents_t e;
    cairo_t *cr = p->c->cr;
    use_face(cr, f, size);
    cairo_text_extents(cr, s, &e);
    if (p->draw) {
        cairo_move_to(cr, p->x, p->y - height);
        cairo_show_text(cr, s);
    }
    all->left = fmin(all->left, p->x + e.x_bearing);
    all->right = fmax(all->right, p->x + e.x_bearing + e.width);
    all->top = fmin(all->top, e.y_bearing);
    p->x += e.x_advance;
}

/* n dots centred above the letter; an italic letter leans to the right */
static void put_dots(pen *p, int n, const ink *letter) {
    cairo_t *cr = p->c->cr;
    double radius = 0.062 * p->size, gap = 0.23 * p->size;
    double y = p->y + fmin(letter->top, -0.54 * p->size) - 0.16 * p->size;
    double centre = (letter->left + letter->right) / 2 + 0.05 * p->size;
    for (int i = 0; i < n; i++) {
        cairo_new_sub_path(cr);
        cairo_arc(cr, centre + (i - 0.5 * (n - 1)) * gap, y, radius, 0, 2 * acos(-1));
    }
    zw_out_fill(p->c);
}

static void put_piece(void *to, const zw_out_piece *piece) {
    pen *p = to;
    double size = p->size * (piece->level == ZW_OUT_LINE ? 1 : ZW_OUT_SMALL);
    double height = piece->level == ZW_OUT_LOWERED  ? -LOWER * p->size
                    : piece->level == ZW_OUT_RAISED ? RAISE * p->size
                                                    : 0;
    char run[RUN + 8];
    size_t n = 0;
    zw_out_face last = {0};
    ink all = {INFINITY, -INFINITY, 0};
    for (size_t i = 0; i < piece->n;) {
        int length;
        uint32_t c = letter_at(piece->text + i, piece->n - i, &length);
        zw_out_face face = zw_out_fonts_face(p->c->fonts, &c, piece->italic);
        if (n > 0 && (n >= RUN || face.face != last.face)) {
            run[n] = '\0';
            put_run(p, run, &last, size, height, &all);
            n = 0;
        }
        last = face;
        n += (size_t)encode_utf8(c, run + n);
        i += (size_t)length;
    }
    run[n] = '\0';
    if (n > 0)
        put_run(p, run, &last, size, height, &all);
    if (piece->dots && p->draw)
        put_dots(p, piece->dots, &all);
}

/* ---- labels ---- */

double zw_out_label_width(zw_out_canvas *c, const char *text, zw_out_mode mode, double size) {
    pen p = {c, false, 0, 0, size};
    zw_out_label_read(text, mode, &(zw_out_sink){&p, put_piece});
    return p.x;
}

void zw_out_label_draw(zw_out_canvas *c, const char *text, zw_out_mode mode, double size,
                       zw_out_align align) {
    pen p = {c, !c->tex, 0, 0, size};
    if (!text[0])
        return;
    if (c->tex)
        zw_out_tex_label(c->tex, c->cr, text, mode, size, align);
    cairo_get_current_point(c->cr, &p.x, &p.y);
    if (align != ZW_OUT_LEFT)
        p.x -= zw_out_label_width(c, text, mode, size) * (align == ZW_OUT_RIGHT ? 1 : 0.5);
    zw_out_label_read(text, mode, &(zw_out_sink){&p, put_piece});
    cairo_move_to(c->cr, p.x, p.y);
}

/* ---- fitting ---- */

/* beginning of the end that is kept: a unit, or a word in quotes */
static size_t tail_at(const char *text, zw_out_mode mode) {
    size_t n = strlen(text);
    const char close = n > 0 ? text[n - 1] : '\0';
    const char *open = NULL;
    if (mode != ZW_OUT_NAME || n < 3 || (close != ']' && close != '"'))
        return n;
    for (const char *s = text; s + 1 < text + n - 1; s++)
        if (s[0] == ' ' && s[1] == (close == ']' ? '[' : '"'))
            open = s;
    return open ? (size_t)(open - text) : n;
}

/* the first n bytes, or slightly fewer so that no letter is cut, an ellipsis and the tail */
static void shorten_text(char *out, size_t size, const char *text, size_t n, const char *tail) {
    int quotes = 0;
    while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    for (size_t i = 0; i < n; i++)
        quotes += text[i] == '"';
    snprintf(out, size, "%.*s…%s%.200s", (int)n, text, quotes % 2 ? "\"" : "", tail);
}

zw_out_fit zw_out_label_fit(zw_out_canvas *c, const char *text, zw_out_mode mode, double size,
                            double smallest, double room) {
    zw_out_fit f = {.size = size, .width = zw_out_label_width(c, text, mode, size)};
    size_t most = sizeof f.text - 256, high = tail_at(text, mode), low = 0;
    const char *tail = text + high;
    bool whole = strlen(text) < sizeof f.text;
    snprintf(f.text, sizeof f.text, "%s", text);
    if (whole && f.width > room) {
        f.size = fmax(smallest, size * room / f.width);
        f.width = zw_out_label_width(c, text, mode, f.size);
    }
    if (whole && f.width <= room * (1 + WIDTH_SLACK))
        return f;
    c->shortened = true;
    f.size = smallest;
    high = high < most ? high : most;
    while (low < high) {
        size_t middle = (low + high + 1) / 2;
        shorten_text(f.text, sizeof f.text, text, middle, tail);
        if (zw_out_label_width(c, f.text, mode, f.size) <= room)
            low = middle;
        else
            high = middle - 1;
    }
    shorten_text(f.text, sizeof f.text, text, low, tail);
    f.width = zw_out_label_width(c, f.text, mode, f.size);
    return f;
}
