/* SPDX-License-Identifier: MIT */
/* Maps: z over x and y in colours, from a table with one row for each pair (x, y). The notes of the
 * table:
 *
 *     map              X Y Z: the default map
 *     Z K              the value K of column Z, such as `attractor 2`: values are classes, and the
 *                      words up to a semicolon are the name of this one in the legend. Further
 *                      lines NAME = VALUE, NAME = VALUE give its places (an attractor: a point, or
 *                      those of a cycle), which get markers
 *     Z K at           X Y; X Y; ...: the same as points in the plane of the note `map`
 *     Z                K words, K words, ...: the same for all values in one note
 *     curve K          NAME, and in the next line X Y; X Y; ...: a curve over the map, with gaps at
 *                      values that are not numbers (K = 0, 1, ...)
 *     specimen K       NAME, and in the next line X Y: a point of the plane with its name
 *
 * Contour lines are drawn over the colours, and across the strip that explains them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "internal.h"
#include "out/plots/grid.h"

#define CLASS_MAX 1e6 /* larger integers are not numbers of classes */
enum { CLASSES = 256, LEGEND = 12, WORDS = 200, PLACES = 400, KEY = 200, NAME = 100 };

typedef struct map_maker {
    zw_figure *f;
    const zw_figure_options *o;
    const zw_table *given; /* the result */
    zw_panel *p;
    zw_curve *curve; /* the first one is the map */
    zw_map *map;
    const zw_spec *spec;
    int panel;
} map_maker;

static double z_at(const map_maker *d, long row) {
    return zw_table_at(d->curve->table, row, d->curve->z);
}

/* the note for value k of the column; NULL: none. more: " at", or "" */
static const char *note_of(const zw_table *t, const char *column, long k, const char *more) {
    char key[KEY];
    snprintf(key, sizeof key, "%.100s %ld%s", column, k, more);
    return zw_table_get_note(t, key);
}

bool zw_figure_is_chart(const zw_table *t) {
    const char *kind = zw_table_get_note(t, "kind");
    return kind && strcmp(kind, "chart") == 0;
}

bool zw_figure_class_words(const zw_table *t, const char *column, long k, char *out, size_t size) {
    const char *said = note_of(t, column, k, "");
    if (said) {
        snprintf(out, size, "%.*s", (int)strcspn(said, ";\n"), said);
        return out[0];
    }
    said = zw_table_get_note(t, column);
    while (said && *said) {
        char *end;
        long which = strtol(said, &end, 10);
        size_t n = strcspn(end, ",\n");
        if (end == said || *end != ' ')
            return false;
        if (which == k) {
            snprintf(out, size, "%.*s", (int)(n - 1), end + 1);
            return out[0];
        }
        said = end + n + (end[n] != '\0');
        said += strspn(said, " ");
    }
    return false;
}

static bool words_of(const map_maker *d, long k, char out[WORDS]) {
    return zw_figure_class_words(d->given, d->spec->term[0].axis[2], k, out, WORDS);
}

/* ---- which colours ---- */

typedef struct value_counts {
    double low, high;
    bool whole; /* integers */
    bool gaps;
} value_counts;

static value_counts count_values(const map_maker *d) {
    value_counts c = {INFINITY, -INFINITY, true, false};
    for (long i = 0; i < zw_table_rows(d->curve->table); i++) {
        double z = z_at(d, i);
        if (!isfinite(z)) {
            c.gaps = true;
            continue;
        }
        c.low = fmin(c.low, z);
        c.high = fmax(c.high, z);
        c.whole = c.whole && z == rint(z) && fabs(z) < CLASS_MAX;
    }
    return c;
}

static bool has_names(const map_maker *d, const value_counts *c) {
    char words[WORDS];
    for (long k = (long)fmax(c->low, -9); (double)k <= c->high && k < CLASSES; k++)
        if (words_of(d, k, words))
            return true;
    return strcmp(d->spec->term[0].axis[2], "attractor") == 0;
}

static zw_status choose_colours(map_maker *d, const value_counts *c, zw_error *err) {
    bool rows = c->low <= c->high;
    switch (d->o->colours) {
    case ZW_FIGURE_COLOURS_EVEN:
        d->map->colours = ZW_COLOURS_EVEN;
        break;
    case ZW_FIGURE_COLOURS_DIVERGING:
        d->map->colours = ZW_COLOURS_DIVERGING;
        break;
    case ZW_FIGURE_COLOURS_CLASSES:
        d->map->colours = ZW_COLOURS_CLASSES;
        if (rows && !c->whole)
            return zw_fail(err, ZW_E_OPTION, "--colours classes: %s is not made of whole numbers",
                           d->spec->term[0].axis[2]);
        break;
    default:
        d->map->colours = rows && c->whole && has_names(d, c) ? ZW_COLOURS_CLASSES
                          : rows && c->low < 0 && c->high > 0 ? ZW_COLOURS_DIVERGING
                                                              : ZW_COLOURS_EVEN;
    }
    if (d->map->colours == ZW_COLOURS_DIVERGING && d->p->log[2])
        return zw_fail(err, ZW_E_OPTION,
                       "--logz: colours about zero have no decades (--colours even has)");
    return ZW_OK;
}

/* ---- classes ---- */

/* the words of a note in quotes: no part of them is a formula */
static const char *quote_words(map_maker *d, const char *words) {
    char out[WORDS];
    size_t n = 0;
    out[n++] = '"';
    for (; *words && n + 2 < sizeof out; words++)
        if (*words != '"')
            out[n++] = *words;
    out[n++] = '"';
    out[n] = '\0';
    return zw_arena_string(&d->f->arena, out);
}

static const char *name_class(map_maker *d, int k) {
    char own[WORDS];
    if (words_of(d, k, own))
        return quote_words(d, own);
    if (k == 0)
        return quote_words(d, "not decided");
    if (k < 0)
        return quote_words(d, "failed");
    snprintf(own, sizeof own, "%.100s %d", d->spec->term[0].axis[2], k);
    return quote_words(d, own);
}

/* number of rows of each class; NULL if out of memory */
static long *count_classes(map_maker *d, const value_counts *c) {
    long *n = ZW_NEW(&d->f->arena, long, CLASSES + 1);
    for (long i = 0; n && i < zw_table_rows(d->curve->table); i++) {
        double z = z_at(d, i);
        if (isfinite(z) && z >= -1 && z < CLASSES - 1)
            n[(int)z + 1]++;
    }
    (void)c;
    return n;
}

/* the classes in the legend: if there are many, those with the most rows */
static zw_status list_classes(map_maker *d, const value_counts *c, zw_error *err) {
    long *n = count_classes(d, c);
    zw_map_class *item = ZW_NEW(&d->f->arena, zw_map_class, CLASSES + 1);
    int found = 0, left = 0;
    if (!n || !item)
        return zw_out_of_memory(err, "the map");
    for (int k = 0; k < CLASSES; k++)
        found += n[k] > 0;
    for (; found > LEGEND; found--, left++) {
        int least = -1;
        for (int k = 0; k < CLASSES; k++)
            if (n[k] > 0 && (least < 0 || n[k] <= n[least]))
                least = k;
        n[least] = 0;
    }
    for (int k = 1; k < CLASSES; k++)
        if (n[k] > 0 && k != 1)
            item[d->map->nclass++] = (zw_map_class){k - 1, name_class(d, k - 1)};
    for (int k = 1; k >= 0; k--) /* rows without an attractor come last */
        if (n[k] > 0)
            item[d->map->nclass++] = (zw_map_class){k - 1, name_class(d, k - 1)};
    if (left > 0) {
        char more[WORDS];
        zw_map_class *last = &item[d->map->nclass - 1];
        snprintf(more, sizeof more, "%s \"and %d more\"", last->label ? last->label : "", left);
        last->label = zw_arena_string(&d->f->arena, more);
    }
    d->map->item = item;
    return ZW_OK;
}

/* ---- places ---- */

static void clear_row(zw_table *row) {
    for (int i = 0; i < zw_table_columns(row); i++)
        zw_table_set(row, 0, i, NAN);
}

static void set_named(zw_table *row, const char *name, double value) {
    int column = zw_table_find(row, name);
    if (column >= 0)
        zw_table_set(row, 0, column, value);
}

/* reads "x = 1, x' = 0" up to the end of the line into the row of a table */
static void read_names(const char *line, zw_table *row) {
    const char *stop = line + strcspn(line, "\n");
    for (const char *at = line; at < stop;) {
        char name[KEY], *end;
        size_t n = strcspn(at, "=");
        if (at + n >= stop || n >= KEY)
            return;
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        while (n > 0 && name[n - 1] == ' ')
            name[--n] = '\0';
        double value = strtod(strchr(at, '=') + 1, &end);
        set_named(row, name, value);
        at = end + strspn(end, ", ");
    }
}

/* the places of value k one after the other, each as a row of the table */
typedef struct places {
    const char *pairs, *line; /* the remaining text */
    char axis[2][NAME];       /* of the pairs */
    zw_table *row;
} places;

static bool begin_places(places *p, const zw_table *t, const char *column, long k) {
    const char *map = zw_table_get_note(t, "map"), *said = note_of(t, column, k, "");
    *p = (places){.pairs = note_of(t, column, k, " at"), .line = said ? strchr(said, '\n') : NULL};
    if (!map || sscanf(map, " %99s %99s", p->axis[0], p->axis[1]) != 2)
        p->pairs = NULL;
    if (p->pairs)
        p->line = NULL;
    p->row = p->pairs || p->line ? zw_formula_like(t) : NULL;
    return p->row && zw_table_add_rows(p->row, 1) >= 0;
}

static bool next_place(places *p) {
    double v[2];
    int used;
    clear_row(p->row);
    if (p->line) {
        read_names(p->line + 1, p->row);
        p->line = strchr(p->line + 1, '\n');
        return true;
    }
    if (!p->pairs || sscanf(p->pairs, " %lf %lf%n", &v[0], &v[1], &used) != 2)
        return false;
    for (int a = 0; a < 2; a++)
        set_named(p->row, p->axis[a], v[a]);
    p->pairs += used;
    p->pairs += strspn(p->pairs, " ;");
    return true;
}

int zw_figure_class_places(const zw_table *t, const char *column, long k, const char *x,
                           const char *y, double (*at)[2], int most) {
    places p;
    int n = 0, a = zw_table_find(t, x), b = zw_table_find(t, y);
    if (begin_places(&p, t, column, k) && a >= 0 && b >= 0)
        while (n < most && next_place(&p)) {
            at[n][0] = zw_table_at(p.row, 0, a);
            at[n][1] = zw_table_at(p.row, 0, b);
            n += isfinite(at[n][0]) && isfinite(at[n][1]);
        }
    zw_table_destroy(p.row);
    return n;
}

/* the place of that row in the panel, whose axes may be formulas; false if it has none */
static bool place_mark(const map_maker *d, const zw_table *row, zw_mark *out) {
    double *to[2] = {&out->x, &out->y};
    zw_column_formula f;
    for (int a = 0; a < 2; a++) {
        if (zw_formula_parse(&f, row, d->spec->term[0].axis[a], NULL) < 0)
            return false;
        *to[a] = zw_formula_at(&f, row, 0);
    }
    return isfinite(out->x) && isfinite(out->y);
}

static zw_status mark_attractors(map_maker *d, const value_counts *c, zw_error *err) {
    zw_mark *mark = ZW_NEW(&d->f->arena, zw_mark, PLACES + 1);
    int n = 0;
    if (!mark)
        return zw_out_of_memory(err, "the map");
    for (long k = 1; (double)k <= c->high && k < CLASSES; k++) {
        places p;
        if (begin_places(&p, d->given, d->spec->term[0].axis[2], k))
            while (n < PLACES && next_place(&p)) {
                zw_mark m = {.shape = ZW_MARK_CROSS, .label = "\"attractor\""};
                if (place_mark(d, p.row, &m))
                    mark[n++] = m;
            }
        zw_table_destroy(p.row);
    }
    d->p->mark = mark;
    d->p->nmark = n;
    return ZW_OK;
}

/* ---- contour lines ---- */

static zw_status read_levels(const char *text, double level[ZW_FIGURE_LEVELS], int *n,
                             zw_error *err) {
    *n = 0;
    for (const char *at = text; *at;) {
        char *end;
        double v = strtod(at, &end);
        if (end == at || !isfinite(v) || (*end && *end != ',') || *n == ZW_FIGURE_LEVELS) {
            zw_fail(err, ZW_E_OPTION, "--levels %s: at which values?", text);
            zw_error_hint(err, "--levels auto, or at most %d numbers: --levels 0,0.1",
                          ZW_FIGURE_LEVELS);
            return ZW_E_OPTION;
        }
        level[(*n)++] = v;
        at = *end ? end + 1 : end;
    }
    return ZW_OK;
}

/* powers of ten, or round numbers */
static int own_levels(const map_maker *d, const zw_figure_surface *s, const value_counts *c,
                      double level[ZW_FIGURE_LEVELS]) {
    if (!d->p->log[2])
        return zw_figure_choose_levels(s, level);
    int n = 0, last = c->high > 0 ? (int)floor(log10(c->high)) : 0;
    for (int k = last; k > last - 20 && pow(10, k) > c->low && n < ZW_FIGURE_LEVELS; k--)
        level[n++] = pow(10, k);
    return n;
}

static zw_status draw_levels(map_maker *d, const value_counts *c, zw_error *err) {
    double *level = ZW_NEW(&d->f->arena, double, ZW_FIGURE_LEVELS);
    const zw_curve *m = d->curve;
    zw_out_grid g;
    int n = 0, style;
    if (!level)
        return zw_out_of_memory(err, "the map");
    if (d->map->colours == ZW_COLOURS_CLASSES)
        return zw_fail(err, ZW_E_OPTION, "--levels: classes have no contour lines");
    bool chosen = strcmp(d->o->levels, "auto") == 0;
    if (!chosen)
        ZW_TRY(read_levels(d->o->levels, level, &n, err));
    ZW_TRY(zw_out_grid_find(&g, &d->f->arena, m->table, m->x, m->y, err));
    if (zw_table_rows(m->table) == 0)
        return ZW_OK;
    if (g.nx == 0)
        return zw_fail(err, ZW_E_OPTION,
                       "--levels: the rows are no grid, there are no contour lines");
    const zw_figure_surface s = {m->table, m->x, m->y, m->z, g.nx, g.ny, g.row, d->p->log[2]};
    if (chosen)
        n = own_levels(d, &s, c, level);
    zw_table **lines = &d->f->lines[d->panel];
    ZW_TRY(zw_figure_lines(d->f, &s, n, level, lines, err));
    ZW_TRY(zw_plot_style("black solid", &style, err));
    for (int k = 0; k < n; k++)
        d->curve[d->p->n++] = (zw_curve){.table = *lines,
                                         .x = 2 * k,
                                         .y = 2 * k + 1,
                                         .style = style,
                                         .gaps = true,
                                         .fine = true};
    d->map->nlevel = n;
    d->map->level = level;
    return ZW_OK;
}

/* the axes have the names of the columns of the map, not of those of the lines on it */
static void name_axes(map_maker *d) {
    const zw_table *t = d->curve->table;
    for (int a = 0; a < 2; a++) {
        int column = a ? d->curve->y : d->curve->x;
        const char *unit = zw_table_unit(t, column);
        char label[WORDS];
        snprintf(label, sizeof label, "%.120s%s%.60s%s", zw_table_name(t, column),
                 unit[0] ? " [" : "", unit, unit[0] ? "]" : "");
        if (!d->p->label[a])
            d->p->label[a] = zw_arena_string(&d->f->arena, label);
    }
}

/* ---- curves and points in notes ---- */

/* True if the axes of the panel are those of the note `map`; in other planes places of notes have
 * no meaning. */
static bool has_own_axes(const map_maker *d) {
    const char *map = zw_table_get_note(d->given, "map");
    char axis[2][NAME];
    if (!map || sscanf(map, " %99s %99s", axis[0], axis[1]) != 2)
        return false;
    return strcmp(d->spec->term[0].axis[0], axis[0]) == 0 &&
           strcmp(d->spec->term[0].axis[1], axis[1]) == 0;
}

/* note WORD K with a name in its first line and numbers after it; NULL if there is none */
static const char *numbered_note(const map_maker *d, const char *word, int k) {
    char key[KEY];
    snprintf(key, sizeof key, "%s %d", word, k);
    const char *said = zw_table_get_note(d->given, key);
    return said && strchr(said, '\n') ? said : NULL;
}

static const char *quoted_name(map_maker *d, const char *said) {
    char words[WORDS];
    snprintf(words, sizeof words, "%.*s", (int)strcspn(said, "\n"), said);
    return quote_words(d, words);
}

/* An equation is set as a formula, other names as words; a curve without a name has no entry. */
static const char *label_of(map_maker *d, const char *said) {
    char words[WORDS];
    size_t n = strcspn(said, "\n");
    snprintf(words, sizeof words, "%.*s", (int)n, said);
    return n == 0               ? NULL
           : strchr(words, '=') ? zw_arena_string(&d->f->arena, words)
                                : quote_words(d, words);
}

/* reads pairs of numbers into columns 2 k and 2 k + 1 of the table, row by row */
static zw_status read_pairs(zw_table *t, int k, const char *at, zw_error *err) {
    for (long row = 0;; row++) {
        char *end[2];
        double x = strtod(at, &end[0]), y = strtod(end[0], &end[1]);
        if (end[0] == at || end[1] == end[0])
            return ZW_OK;
        if (row == zw_table_rows(t)) {
            if (zw_table_add_rows(t, 1) < 0)
                return zw_out_of_memory(err, "the map");
            for (int c = 0; c < zw_table_columns(t); c++)
                zw_table_set(t, row, c, NAN);
        }
        zw_table_set(t, row, 2 * k, x);
        zw_table_set(t, row, 2 * k + 1, y);
        at = end[1] + strspn(end[1], " ;");
    }
}

static zw_status draw_curves(map_maker *d, zw_error *err) {
    static const char *const run_style[] = {"black solid", "black dashed", "red solid",
                                            "black dash-dot", "red dashed",
                                            /* visible on the pale colours of classes */
                                            "black dotted", "red dash-dot", "red dotted"};
    enum { LOOKS = sizeof run_style / sizeof *run_style };
    int n = 0, named = 0;
    while (n < ZW_FIGURE_LEVELS && numbered_note(d, "curve", n))
        n++;
    if (n == 0 || d->f->lines[d->panel])
        return ZW_OK;
    zw_table *t = d->f->lines[d->panel] = zw_table_create(NULL);
    name_axes(d);
    for (int k = 0; k < 2 * n; k++) {
        char name[KEY];
        snprintf(name, sizeof name, "%c %d", k % 2 ? 'y' : 'x', k / 2);
        if (!t || zw_table_column(t, name, "") < 0)
            return zw_out_of_memory(err, "the map");
    }
    for (int k = 0; k < n; k++) {
        const char *said = numbered_note(d, "curve", k);
        const char *label = label_of(d, said);
        const char *style_words = run_style[label ? named % LOOKS : 0];
        int style, shape = 0;
        if (label && named < d->o->style.n)
            style_words = d->o->style.item[named];
        named += label != NULL;
        ZW_TRY(read_pairs(t, k, strchr(said, '\n'), err));
        ZW_TRY(zw_figure_style(style_words, &style, &shape, err));
        d->curve[d->p->n++] = (zw_curve){.table = t,
                                         .x = 2 * k,
                                         .y = 2 * k + 1,
                                         .style = style,
                                         .points = shape != 0,
                                         .shape = shape,
                                         .label = label,
                                         .gaps = true,
                                         .fine = !label,
                                         .named = label};
    }
    return ZW_OK;
}

/* notes WORD 0, WORD 1, ...: a name and, in the next line, X Y */
static zw_status mark_places(map_maker *d, const char *word, zw_mark_shape shape, zw_error *err) {
    int n = 0, old = d->p->nmark;
    while (n < PLACES && numbered_note(d, word, n))
        n++;
    zw_mark *mark = ZW_NEW(&d->f->arena, zw_mark, old + n + 1);
    if (!mark)
        return zw_out_of_memory(err, "the map");
    if (old)
        memcpy(mark, d->p->mark, sizeof *mark * (size_t)old);
    for (int k = 0; k < n; k++) {
        const char *said = numbered_note(d, word, k);
        zw_mark m = {.shape = shape,
                     .text = shape == ZW_MARK_NONE ? label_of(d, said) : quoted_name(d, said)};
        if (sscanf(strchr(said, '\n'), " %lf %lf", &m.x, &m.y) == 2)
            mark[old++] = m;
    }
    d->p->mark = mark;
    d->p->nmark = old;
    return ZW_OK;
}

zw_status zw_figure_finish_map(zw_figure *f, const zw_figure_options *o, int panel,
                               const zw_figure_run *run, zw_curve *curve, zw_error *err) {
    int r = 0;
    while (r + 1 < f->nrun && !zw_figure_draws_run(f, panel, r))
        r++;
    map_maker d = {.f = f,
                   .o = o,
                   .given = run[r].table,
                   .p = &f->panel[panel],
                   .curve = curve,
                   .map = ZW_NEW(&f->arena, zw_map, 1),
                   .spec = &f->spec[panel],
                   .panel = panel};
    if (!d.map)
        return zw_out_of_memory(err, "the map");
    const value_counts c = count_values(&d);
    curve->label = NULL;
    curve->solid = 0;
    ZW_TRY(choose_colours(&d, &c, err));
    d.map->nothing = c.gaps ? "\"no value\"" : NULL;
    if (o->shade && d.map->colours != ZW_COLOURS_CLASSES)
        return zw_fail(err, ZW_E_OPTION, "--shade is for maps of classes, such as basins");
    if (o->shade) {
        for (int q = 0; q < f->nquantity; q++)
            if (strcmp(f->quantity[q], o->shade) == 0)
                d.map->shade = 1 + f->column[r * f->nquantity + q];
    }
    if (d.map->colours == ZW_COLOURS_CLASSES) {
        ZW_TRY(list_classes(&d, &c, err));
        d.map->pale = zw_figure_is_chart(d.given);
        ZW_TRY(mark_attractors(&d, &c, err));
    }
    if (o->levels) {
        name_axes(&d);
        ZW_TRY(draw_levels(&d, &c, err));
    }
    if (has_own_axes(&d)) {
        ZW_TRY(draw_curves(&d, err));
        ZW_TRY(mark_places(&d, "words", ZW_MARK_NONE, err));
        ZW_TRY(mark_places(&d, "specimen", ZW_MARK_DISC, err));
    }
    d.p->map = d.map;
    if (f->panel_run[panel] >= 0)
        d.p->title = f->given[r] < o->legend.n
                         ? zw_arena_string(&f->arena, o->legend.item[f->given[r]])
                         : f->run_label[r];
    return f->arena.failed ? zw_out_of_memory(err, "the map") : ZW_OK;
}
