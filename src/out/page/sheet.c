/* SPDX-License-Identifier: MIT */
/* The picture of a page as data: the panels, curves and markers of a zw_picture and their numbers,
 * so that the viewer can draw the same at a larger scale. Ranges, labels, colours and dashes are
 * those of print (out/plots); the viewer chooses none.
 *
 * A label is a list of pieces [letters, "i_^." ...]: i is italic, _ lowered, ^ raised, one dot for
 * each dot above. Numbers of curves have 8 bytes, so that zooming has no limit; other numbers have
 * 4. Colours of a map are numbers, 65536 r + 256 g + b, which are exact in 4 bytes. */
#include "sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "json.h"
#include "out/plots/label.h"
#include "out/plots/plot.h"

enum { STRIP = 64 };

/* ---- preparation, which can fail ---- */

static const zw_page_source *source_of(const zw_page_figure *f, const zw_table *t) {
    for (int i = 0; i < f->nsource; i++)
        if (f->source[i].drawn == t)
            return &f->source[i];
    return NULL;
}

static int table_of(const zw_page_sheet *s, const zw_table *t) {
    for (int i = 0; i < s->ntable; i++)
        if (s->table[i].drawn == t)
            return i;
    return -1;
}

static zw_status find_tables(zw_page_sheet *s, const zw_page_figure *f, zw_error *err) {
    int room = 0;
    for (int i = 0; i < s->picture.n; i++)
        room += s->picture.panel[i].n;
    s->table = ZW_NEW(&s->arena, zw_page_source, room + 1);
    if (!s->table)
        return zw_out_of_memory(err, "the page");
    for (int i = 0; i < s->picture.n; i++)
        for (int k = 0; k < s->picture.panel[i].n; k++) {
            const zw_table *t = s->picture.panel[i].curve[k].table;
            const zw_page_source *given = source_of(f, t);
            if (table_of(s, t) < 0)
                s->table[s->ntable++] = given ? *given : (zw_page_source){.drawn = t};
        }
    return ZW_OK;
}

/* terminated by 0, to be written as a text */
static zw_status draw_sheet(zw_page_sheet *s, zw_error *err) {
    ZW_TRY(zw_plot_bytes(&s->picture, ZW_PLOT_SVG, &s->svg, NULL, err));
    char *longer = realloc(s->svg.data, s->svg.size + 1);
    if (!longer)
        return zw_out_of_memory(err, "the page");
    longer[s->svg.size] = '\0';
    s->svg.data = longer;
    return ZW_OK;
}

zw_status zw_page_sheet_init(zw_page_sheet *s, const zw_page_figure *f, zw_error *err) {
    zw_allocator alloc = zw_allocator_default();
    zw_plot_report unread = {0};
    *s = (zw_page_sheet){.picture = *f->picture};
    zw_arena_init(&s->arena, &alloc);
    zw_status status = draw_sheet(s, err);
    if (status >= 0)
        status = zw_out_prepare(&s->pane, &s->picture, &s->arena, &unread, err);
    if (status >= 0)
        status = find_tables(s, f, err);
    if (status < 0)
        zw_page_sheet_clear(s);
    return status;
}

void zw_page_sheet_clear(zw_page_sheet *s) {
    zw_bytes_clear(&s->svg);
    zw_arena_clear(&s->arena);
}

/* ---- labels ---- */

typedef struct pieces {
    FILE *out;
    int n;
    bool ok;
} pieces;

static void put_piece(void *to, const zw_out_piece *piece) {
    pieces *p = to;
    zw_text text;
    zw_allocator alloc = zw_allocator_default();
    zw_text_init(&text, &alloc);
    zw_text_put_n(&text, piece->text, piece->n);
    fputs(p->n++ ? ",[" : "[", p->out);
    p->ok &= zw_page_string(p->out, zw_text_get(&text)) && !text.failed;
    fprintf(p->out, ",\"%s%s%.*s\"]", piece->italic ? "i" : "",
            piece->level == ZW_OUT_LOWERED  ? "_"
            : piece->level == ZW_OUT_RAISED ? "^"
                                            : "",
            piece->dots, "...");
    zw_text_clear(&text);
}

/* "key":[pieces], with a comma; NULL is null */
static bool write_label(FILE *out, const char *key, const char *label) {
    pieces p = {.out = out, .ok = true};
    fprintf(out, "\"%s\":", key);
    if (label) {
        putc('[', out);
        zw_out_label_read(label, ZW_OUT_NAME, &(zw_out_sink){&p, put_piece});
        putc(']', out);
    } else
        fputs("null", out);
    putc(',', out);
    return p.ok;
}

/* ---- tables ---- */

/* true if this column of the table is drawn */
static bool is_drawn(const zw_page_sheet *s, const zw_table *t, int column) {
    for (int i = 0; i < s->picture.n; i++) {
        const zw_panel *p = &s->picture.panel[i];
        for (int k = 0; k < p->n; k++) {
            const zw_curve *c = &p->curve[k];
            bool deep = p->is_space || (p->map && k == 0);
            if (c->table == t && (c->x == column || c->y == column || (deep && c->z == column) ||
                                  c->solid == column + 1 || c->band == column + 1))
                return true;
        }
    }
    return false;
}

/* the index of a drawn column among those of the page */
static int place_of(const zw_page_sheet *s, const zw_table *t, int column) {
    int n = 0;
    for (int j = 0; j < column; j++)
        n += is_drawn(s, t, j);
    return n;
}

/* the column of `drawn` with the same name and unit as one of `whole`; -1 if none */
static int twin_of(const zw_page_sheet *s, const zw_page_source *t, int column) {
    int twin = zw_table_find(t->drawn, zw_table_name(t->whole, column));
    bool same = twin >= 0 && is_drawn(s, t->drawn, twin) &&
                strcmp(zw_table_unit(t->drawn, twin), zw_table_unit(t->whole, column)) == 0;
    return same ? twin : -1;
}

static bool shows_row(const zw_page_source *t) {
    return t->whole && zw_table_rows(t->whole) == zw_table_rows(t->drawn);
}

/* the columns that the reader is shown for a row, in the order of the file, then the columns
 * computed from them */
static void write_order(FILE *out, const zw_page_sheet *s, const zw_page_source *t, int drawn) {
    int more = drawn, n = 0;
    fputs("],\"order\":[", out);
    for (int j = 0; shows_row(t) && j < zw_table_columns(t->whole); j++) {
        int twin = twin_of(s, t, j);
        fprintf(out, "%s%d", n++ ? "," : "", twin >= 0 ? place_of(s, t->drawn, twin) : more++);
    }
    for (int j = 0; j < zw_table_columns(t->drawn); j++)
        if (is_drawn(s, t->drawn, j) &&
            !(shows_row(t) && zw_table_find(t->whole, zw_table_name(t->drawn, j)) >= 0 &&
              twin_of(s, t, zw_table_find(t->whole, zw_table_name(t->drawn, j))) == j))
            fprintf(out, "%s%d", n++ ? "," : "", place_of(s, t->drawn, j));
    /* computed columns that are drawn have internal names */
    fprintf(out, "],\"own\":%s}", t->whole ? "true" : "false");
}

static bool write_source(FILE *out, const zw_page_sheet *s, const zw_page_source *t) {
    const zw_page_rows kept = {t->n, t->kept};
    long all = zw_table_rows(t->drawn);
    bool ok = true;
    int n = 0;
    fprintf(out, "{\"rows\":%ld,\"of\":%ld,\"columns\":[", t->kept ? t->n : all, all);
    for (int j = 0; j < zw_table_columns(t->drawn); j++)
        if (is_drawn(s, t->drawn, j)) {
            fputs(n++ ? ",\n" : "\n", out);
            ok &= zw_page_named_column(out, t->drawn, j, true, &kept);
        }
    int drawn = n;
    for (int j = 0; shows_row(t) && j < zw_table_columns(t->whole); j++)
        if (twin_of(s, t, j) < 0) {
            fputs(n++ ? ",\n" : "\n", out);
            ok &= zw_page_named_column(out, t->whole, j, false, &kept);
        }
    write_order(out, s, t, drawn);
    return ok;
}

/* ---- curves and marks ---- */

static const char *bool_of(bool v) {
    return v ? "true" : "false";
}

static const char *const shape_name[ZW_MARK_SHAPES] = {"disc", "square", "diamond", "triangle",
                                                       "ring", "down",   "cross",   "none"};

static const char *kind_of(const zw_panel *p, int k) {
    const zw_curve *c = &p->curve[k];
    return p->map && k == 0        ? "map"
           : c->mesh               ? "mesh"
           : c->band               ? "band"
           : c->dots               ? "dots"
           : c->points && c->shape ? "signs"
           : c->points             ? "circles"
           : p->is_points          ? "points"
                                   : "line";
}

static void write_colour(FILE *out, const char *key, zw_out_rgb c) {
    fprintf(out, "\"%s\":[%ld,%ld,%ld],", key, lround(255 * c.r), lround(255 * c.g),
            lround(255 * c.b));
}

static void write_dash(FILE *out, const char *key, const zw_panel *p, int style, zw_out_part part) {
    const double *dash;
    int n = zw_out_dashes(p, style, part, &dash);
    zw_page_list(out, key, n, dash);
}

static bool write_curve(FILE *out, const zw_page_sheet *s, const zw_panel *p, int k) {
    const zw_curve *c = &p->curve[k];
    int table = table_of(s, c->table), style = zw_out_style(p, k), mesh = s->table[table].mesh;
    bool deep = p->is_space || (p->map && k == 0);
    fprintf(out, "\n{\"table\":%d,\"x\":%d,\"y\":%d,\"z\":%d,\"solid\":%d,\"band\":%d,", table,
            place_of(s, c->table, c->x), place_of(s, c->table, c->y),
            deep ? place_of(s, c->table, c->z) : -1,
            c->solid ? place_of(s, c->table, c->solid - 1) : -1,
            c->band ? place_of(s, c->table, c->band - 1) : -1);
    fprintf(out, "\"look\":\"%s\",\"shape\":\"%s\",\"like\":%d,\"mesh\":%d,", kind_of(p, k),
            shape_name[c->shape ? c->shape - 1 : 0], c->like - 1, mesh ? mesh : c->mesh);
    fprintf(out, "\"right\":%s,\"arrow\":%s,\"gaps\":%s,\"fine\":%s,\"named\":%s,",
            bool_of(c->right), bool_of(c->arrow), bool_of(c->gaps), bool_of(c->fine),
            bool_of(c->named));
    write_colour(out, "colour", zw_out_style_colour(style));
    write_dash(out, "dash", p, style, ZW_OUT_WHOLE);
    bool ok = write_label(out, "label", c->label);
    fprintf(out, "\"style\":%d}", style);
    return ok;
}

static bool write_mark(FILE *out, const zw_mark *m) {
    putc('{', out);
    zw_page_numbers(out, "x", 1, &m->x);
    zw_page_numbers(out, "y", 1, &m->y);
    zw_page_numbers(out, "z", 1, &m->z);
    bool ok = write_label(out, "label", m->label) && write_label(out, "text", m->text);
    fprintf(out, "\"right\":%s,\"shape\":\"%s\"}", bool_of(m->right), shape_name[m->shape]);
    return ok;
}

static bool write_axis(FILE *out, const zw_out_axis *a) {
    putc('{', out);
    zw_page_numbers(out, "low", 1, &a->data.low);
    zw_page_numbers(out, "high", 1, &a->data.high);
    bool ok = write_label(out, "label", a->label);
    fprintf(out, "\"log\":%s,\"degrees\":%s}", bool_of(a->log), bool_of(a->degrees));
    return ok;
}

/* ---- maps ---- */

/* cells of the rows of the page: their places and colours */
typedef struct cells {
    const zw_out_pane *p;
    const long *row; /* rows of the table that are in the page; NULL: all */
    const int *i, *j;
    int nx;
    const long *place; /* index in the page of a row of the table; -1: not in the page */
} cells;

static double ink_of(const void *from, long k) {
    const cells *c = from;
    zw_out_rgb v = zw_out_map_colour(c->p, c->row ? c->row[k] : k);
    return 65536 * round(255 * v.r) + 256 * round(255 * v.g) + round(255 * v.b);
}

static double cell_of(const void *from, long k) {
    const cells *c = from;
    const zw_out_grid *g = &c->p->grid;
    long row = g->row[(long)c->j[k / c->nx] * g->nx + c->i[k % c->nx]];
    return row >= 0 ? (double)c->place[row] : -1;
}

/* the values of a grid that occur in some row of the page; a thinned grid has every n-th */
static int find_values(const zw_out_grid *g, const long *place, bool y, int *out) {
    int n = 0;
    for (int a = 0; a < (y ? g->ny : g->nx); a++) {
        bool seen = false;
        for (int b = 0; b < (y ? g->nx : g->ny) && !seen; b++) {
            long row = y ? g->row[(long)a * g->nx + b] : g->row[(long)b * g->nx + a];
            seen = row >= 0 && place[row] >= 0;
        }
        if (seen)
            out[n++] = a;
    }
    return n;
}

static void write_values(FILE *out, const char *key, int n, const int *which, const double *v) {
    fprintf(out, "\"%s\":[", key);
    for (int i = 0; i < n; i++)
        fprintf(out, "%s%.17g", i ? "," : "", v[which[i]]);
    fputs("],", out);
}

static bool write_grid(FILE *out, const zw_out_pane *p, const zw_page_source *t) {
    const zw_out_grid *g = &p->grid;
    long all = zw_table_rows(t->drawn), n = t->kept ? t->n : all;
    long *place = malloc(sizeof *place * (size_t)(all + 1));
    int *i = malloc(sizeof *i * (size_t)(g->nx + g->ny + 1));
    bool ok = place && i;
    if (ok) {
        for (long k = 0; k < all; k++)
            place[k] = t->kept ? -1 : k;
        for (long k = 0; t->kept && k < n; k++)
            place[t->kept[k]] = k;
        int *j = i + g->nx, nx = find_values(g, place, false, i),
            ny = find_values(g, place, true, j);
        const cells c = {.p = p, .i = i, .j = j, .nx = nx, .place = place};
        write_values(out, "x", nx, i, g->x);
        write_values(out, "y", ny, j, g->y);
        fputs("\"cells\":\"", out);
        zw_page_values(out, (long)nx * ny, cell_of, &c);
        fputs("\",", out);
    }
    free(place);
    free(i);
    return ok;
}

static bool write_map(FILE *out, const zw_page_sheet *s, const zw_out_pane *p) {
    const zw_map *m = p->panel->map;
    const zw_page_source *t = &s->table[table_of(s, p->panel->curve[0].table)];
    const cells c = {.p = p, .row = t->kept};
    bool ok = true;
    fputs("\"map\":{", out);
    if (p->grid.nx)
        ok &= write_grid(out, p, t);
    fputs("\"ink\":\"", out);
    zw_page_values(out, t->kept ? t->n : zw_table_rows(t->drawn), ink_of, &c);
    fputs("\",\"classes\":[", out);
    for (int k = 0; k < m->nclass; k++) {
        fputs(k ? ",{" : "{", out);
        write_colour(out, "colour", zw_out_class_colour(m, m->item[k].value));
        ok &= write_label(out, "label", m->item[k].label);
        fprintf(out, "\"value\":%d}", m->item[k].value);
    }
    fputs("],", out);
    write_colour(out, "grey", zw_out_nothing());
    ok &= write_label(out, "nothing", m->nothing);
    fprintf(out, "\"grid\":%s},", bool_of(p->grid.nx > 0));
    return ok;
}

static bool write_bar(FILE *out, const zw_out_pane *p) {
    fputs("\"bar\":{", out);
    zw_page_numbers(out, "low", 1, &p->bar.seen.low);
    zw_page_numbers(out, "high", 1, &p->bar.seen.high);
    bool ok = write_label(out, "label", p->bar.label);
    fprintf(out, "\"log\":%s,\"strip\":[", bool_of(p->bar.log));
    for (int i = 0; i < STRIP; i++) {
        zw_out_rgb c = zw_out_strip_colour(p, (i + 0.5) / STRIP);
        fprintf(out, "%s[%ld,%ld,%ld]", i ? "," : "", lround(255 * c.r), lround(255 * c.g),
                lround(255 * c.b));
    }
    fputs("]},", out);
    return ok;
}

/* ---- the whole picture ---- */

static bool write_panel(FILE *out, const zw_page_sheet *s, const zw_out_pane *p) {
    const zw_panel *panel = p->panel;
    bool ok = true;
    fputs("{\"axes\":[", out);
    for (int i = 0; i < (panel->is_space || p->has_right ? 3 : 2); i++) {
        fputs(i ? "," : "", out);
        ok &= write_axis(out, &p->axis[i]);
    }
    fprintf(out, "],\"space\":%s,\"equal\":%s,\"zero\":[%s,%s],", bool_of(panel->is_space),
            bool_of(panel->scale == ZW_SCALE_EQUAL), bool_of(panel->zero[0]),
            bool_of(panel->zero[1]));
    ok &= write_label(out, "title", panel->title);
    ok &= write_label(out, "dashed", panel->dashed);
    ok &= write_label(out, "undecided", panel->undecided);
    write_dash(out, "dashes", panel, 0, ZW_OUT_DASHED);
    write_dash(out, "dots", panel, 0, ZW_OUT_DOTTED);
    if (panel->map)
        ok &= write_map(out, s, p);
    if (p->bar_of != ZW_OUT_NO_BAR)
        ok &= write_bar(out, p);
    fputs("\"curves\":[", out);
    for (int k = 0; k < panel->n; k++) {
        fputs(k ? "," : "", out);
        ok &= write_curve(out, s, panel, k);
    }
    fputs("],\"marks\":[", out);
    for (int k = 0; k < panel->nmark; k++) {
        fputs(k ? ",\n" : "\n", out);
        ok &= write_mark(out, &panel->mark[k]);
    }
    fputs("]}", out);
    return ok;
}

bool zw_page_sheet_write(FILE *out, const zw_page_sheet *s) {
    const zw_picture *p = &s->picture;
    putc('{', out);
    zw_page_numbers(out, "azimuth", 1, &p->azimuth);
    zw_page_numbers(out, "elevation", 1, &p->elevation);
    bool ok = write_label(out, "title", p->title);
    fprintf(out, "\"columns\":%d,\"panels\":[", p->columns ? p->columns : 1);
    for (int i = 0; i < p->n; i++) {
        fputs(i ? ",\n" : "\n", out);
        ok &= write_panel(out, s, &s->pane[i]);
    }
    fputs("],\n\"tables\":[", out);
    for (int i = 0; i < s->ntable; i++) {
        fputs(i ? ",\n" : "\n", out);
        ok &= write_source(out, s, &s->table[i]);
    }
    fputs("],\n", out);
    ok &= zw_page_member(out, "svg", s->svg.data);
    putc('}', out);
    return ok;
}
