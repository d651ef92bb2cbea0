/* SPDX-License-Identifier: MIT */
/* Tables with several parts: the note "parts" names columns, and rows with the same values in these
 * are a separate run, with a label from the values,
 *
 *     p_0 = 0.25 {1/s^2}        or the text of the note "part NAME VALUE".
 *
 * A word before that says what is drawn instead of a line: "points" circles, "up" and "down"
 * triangles, "dots" tiny dots for very many rows. For a whole table, the note "drawn" has one of
 * these words, "orbits" (thin lines with gaps at values that are not numbers, each with an
 * arrowhead), or "mesh N": the rows are the nodes of a surface, N along each line. Sweeps up and
 * down, and rows within their motions, need no such words.
 *
 * Rows in which one of the columns has no value are gaps in the run before. Special points of the
 * table belong to the run that has their row. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "internal.h"

enum { COLUMNS = 4, NAME = 80, LABEL = 300, KEY = 160, SIGNS = 500 };

typedef struct table_split {
    const zw_table *t;
    int ncolumn, column[COLUMNS];
    int n;
    double (*value)[COLUMNS]; /* n */
    zw_table **table;         /* n */
    long *row;                /* of the table: its row in its part */
    int *part;                /* of the row: its part; -1: none */
} table_split;

static bool find_columns(table_split *p) {
    const char *s = zw_table_get_note(p->t, "parts"), *kind = zw_table_get_note(p->t, "kind");
    if (!s && kind && strcmp(kind, "basin") == 0 && zw_table_find(p->t, "share") >= 0)
        s = "attractor"; /* shares of attractors over a parameter */
    char name[NAME];
    int used;
    for (p->ncolumn = 0; s && sscanf(s, " %79s%n", name, &used) == 1 && p->ncolumn < COLUMNS;
         s += used) {
        int column = zw_table_find(p->t, name);
        if (column < 0)
            return false;
        p->column[p->ncolumn++] = column;
    }
    return p->ncolumn > 0;
}

/* the part of a row: a known one, a new one (n), -1: it is a gap */
static int part_of(const table_split *p, long row, double *value) {
    for (int k = 0; k < p->ncolumn; k++)
        if (isnan(value[k] = zw_table_at(p->t, row, p->column[k])))
            return -1;
    for (int i = 0; i < p->n; i++) {
        bool same = true;
        for (int k = 0; k < p->ncolumn; k++)
            same &= p->value[i][k] == value[k];
        if (same)
            return i;
    }
    return p->n;
}

static bool is_mark(const char *key) {
    return strncmp(key, "mark ", 5) == 0 && isdigit((unsigned char)key[5]);
}

/* a table like the whole one, without its special points */
static zw_table *make_part(const zw_table *t) {
    zw_table *out = zw_formula_like(t);
    for (int i = 0; out && i < zw_table_notes(t); i++)
        if (is_mark(zw_table_note_key(t, i)))
            zw_table_remove_note(out, zw_table_note_key(t, i));
    if (out)
        zw_table_remove_note(out, "parts");
    return out;
}

static zw_status fill_parts(table_split *p, zw_arena *arena) {
    const double *data = zw_table_data(p->t);
    size_t width = (size_t)zw_table_columns(p->t);
    int last = -1;
    for (long i = 0; i < zw_table_rows(p->t); i++) {
        double value[COLUMNS] = {0};
        int part = part_of(p, i, value);
        if (part == p->n) {
            if (p->n == ZW_FIGURE_PARTS)
                return ZW_E_OPTION;
            memcpy(p->value[part], value, sizeof value);
            if (!(p->table[p->n] = make_part(p->t)))
                return ZW_E_MEMORY;
            p->n++;
        }
        p->part[i] = part < 0 ? last : part;
        if (part >= 0)
            last = part;
        if (p->part[i] < 0)
            continue;
        p->row[i] = zw_table_rows(p->table[p->part[i]]);
        ZW_TRY(zw_table_row(p->table[p->part[i]], data + (size_t)i * width));
    }
    return arena->failed ? ZW_E_MEMORY : ZW_OK;
}

/* moves "fold 3.52 #118; words" to the part of row 118 */
static zw_status move_marks(const table_split *p) {
    for (int i = 0; i < zw_table_notes(p->t); i++) {
        const char *key = zw_table_note_key(p->t, i), *text = zw_table_note_value(p->t, i),
                   *at = strchr(text, '#');
        if (!is_mark(key))
            continue;
        long row = at ? strtol(at + 1, NULL, 10) : -1;
        if (row < 0 || row >= zw_table_rows(p->t) || p->part[row] < 0)
            continue;
        char moved[KEY];
        const char *words = at + 1 + strspn(at + 1, "0123456789");
        snprintf(moved, sizeof moved, "%.*s#%ld%.60s", (int)(at - text), text, p->row[row], words);
        ZW_TRY(zw_table_note(p->table[p->part[row]], key, moved));
    }
    return ZW_OK;
}

static const struct {
    const char *word;
    zw_figure_style_of_run run_style;
} styles[] = {{"points", {.points = true}},
              {"dots", {.dots = true}},
              {"orbits", {.orbits = true}},
              {"up", {.points = true, .shape = 1 + ZW_MARK_TRIANGLE}},
              {"down", {.points = true, .shape = 1 + ZW_MARK_DOWN}}};

/* the style at the beginning of a text; returns the rest of the text */
static const char *read_style(const char *text, zw_figure_style_of_run *out) {
    if (text && strncmp(text, "mesh ", 5) == 0) {
        char *end;
        long n = strtol(text + 5, &end, 10);
        if (n >= 2 && n <= 1000000)
            *out = (zw_figure_style_of_run){.mesh = (int)n};
        return end + (*end == ' ');
    }
    for (size_t i = 0; text && i < sizeof styles / sizeof *styles; i++) {
        size_t n = strlen(styles[i].word);
        if (strncmp(text, styles[i].word, n) == 0 && (text[n] == ' ' || !text[n])) {
            *out = styles[i].run_style;
            return text + n + (text[n] == ' ');
        }
    }
    return text;
}

static bool is_sweep(const zw_table *t) {
    const char *kind = zw_table_get_note(t, "kind");
    return kind && strcmp(kind, "sweep") == 0;
}

/* Points over several axes, or random ones: neighbours in the table are not neighbours in the
 * picture. */
static bool is_scattered(const zw_table *t) {
    int axes = 0;
    bool chance = false;
    for (int i = 0; i < zw_table_notes(t); i++)
        if (strncmp(zw_table_note_key(t, i), "axis ", 5) == 0) {
            axes++;
            chance = chance || strncmp(zw_table_note_value(t, i), "drawn", 5) == 0;
        }
    return is_sweep(t) && (axes > 1 || chance);
}

/* rows within the motions of a sweep are not a curve, nor are its points over several axes */
zw_figure_style_of_run zw_figure_drawn_style(const zw_table *t) {
    bool within = is_sweep(t) && zw_table_find(t, "t") >= 0 && zw_table_find(t, "point") >= 0,
         few = zw_table_rows(t) <= SIGNS;
    zw_figure_style_of_run run_style = {.dots = within || (is_scattered(t) && !few),
                                        .points = !within && is_scattered(t) && few};
    read_style(zw_table_get_note(t, "drawn"), &run_style);
    return run_style;
}

/* sweeps up and down have their own markers, if these are not too many */
static zw_figure_style_of_run style_of_part(const table_split *p, int part) {
    zw_figure_style_of_run run_style = zw_figure_drawn_style(p->t);
    for (int k = 0; k < p->ncolumn && is_sweep(p->t) && !run_style.dots; k++)
        if (strcmp(zw_table_name(p->t, p->column[k]), "sweep") == 0 && p->value[part][k] != 0) {
            bool few = zw_table_rows(p->table[part]) <= SIGNS, up = p->value[part][k] > 0;
            run_style = (zw_figure_style_of_run){
                .points = few,
                .dots = !few,
                .shape = few ? 1 + (up ? ZW_MARK_TRIANGLE : ZW_MARK_DOWN) : 0};
        }
    return run_style;
}

static void label_part(const table_split *p, int part, char *label,
                       zw_figure_style_of_run *run_style) {
    size_t n = 0;
    label[0] = '\0';
    *run_style = style_of_part(p, part);
    for (int k = 0; k < p->ncolumn; k++) {
        const char *name = zw_table_name(p->t, p->column[k]),
                   *unit = zw_table_unit(p->t, p->column[k]);
        char key[KEY], own[KEY];
        snprintf(key, sizeof key, "part %.80s %.10g", name, p->value[part][k]);
        const char *said = zw_table_get_note(p->t, key);
        snprintf(own, sizeof own, "%.60s = %.6g%s%.30s%s", name, p->value[part][k],
                 unit[0] ? " {" : "", unit, unit[0] ? "}" : "");
        said = read_style(said, run_style);
        said = said ? said : own;
        if (said[0] && n < LABEL)
            n += (size_t)snprintf(label + n, LABEL - n, "%s%.140s", n ? ", " : "", said);
    }
}

zw_status zw_figure_part(zw_figure *f, const zw_table *t, zw_figure_run *run,
                         zw_figure_style_of_run *run_style, int *n, zw_error *err) {
    table_split p = {.t = t};
    long rows = zw_table_rows(t);
    if (!find_columns(&p) || rows == 0)
        return ZW_OK;
    p.value = zw_arena_alloc(&f->arena, sizeof *p.value * ZW_FIGURE_PARTS);
    p.table = ZW_NEW(&f->arena, zw_table *, ZW_FIGURE_PARTS);
    p.row = ZW_NEW(&f->arena, long, rows);
    p.part = ZW_NEW(&f->arena, int, rows);
    if (f->arena.failed)
        return zw_out_of_memory(err, "the picture");
    zw_status status = fill_parts(&p, &f->arena);
    if (status >= 0)
        status = move_marks(&p);
    for (int i = 0; i < p.n; i++) {
        char label[LABEL];
        label_part(&p, i, label, &run_style[*n]);
        f->part[f->npart++] = p.table[i];
        run[(*n)++] = (zw_figure_run){.table = p.table[i],
                                      .label = label[0] ? zw_arena_string(&f->arena, label) : NULL};
    }
    return status < 0
               ? zw_fail(err, status, "the parts of the table are more than %d", ZW_FIGURE_PARTS)
               : ZW_OK;
}
