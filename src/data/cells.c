/* SPDX-License-Identifier: MIT */
/* Reads the three kinds of files in the head of cells.h: lines are cut into cells once, numbers are
 * read when they are requested. */
#include "cells.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/table.h"
#include "base/units.h"
#include "out/files/file.h"
#include "out/files/table_checksum.h"

enum {
    COLUMNS_MAX = 4096, /* of a file; more are a wrong separator */
    HEADER_LINES = 200  /* of a MOT file, in which the end of the header is searched */
};

typedef struct line {
    size_t at, length;
} line;

static zw_status no_memory(const zw_cells *c, zw_error *err) {
    return zw_fail(err, ZW_E_MEMORY, "out of memory for '%s'", c->path);
}

zw_status zw_cells_fail(const zw_cells *c, zw_status status, size_t at, zw_error *err,
                        const char *fmt, ...) {
    char what[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    return zw_out_fail_in(err, status, c->path, c->text.data, c->text.length, at, what);
}

size_t zw_cells_at(const zw_cells *c, long row, int column) {
    return c->cell[row * c->ncolumn + column].at;
}

int zw_cells_find(const zw_cells *c, const char *name) {
    for (int i = 0; i < c->ncolumn; i++)
        if (strcmp(c->name[i], name) == 0)
            return i;
    return -1;
}

/* The line that begins at *next, without its end; *next moves past it. */
static bool next_line(const zw_cells *c, size_t *next, line *out) {
    if (*next >= c->text.length)
        return false;
    const char *start = c->text.data + *next;
    const char *stop = memchr(start, '\n', c->text.length - *next);
    size_t n = stop ? (size_t)(stop - start) : c->text.length - *next;
    *out = (line){*next, n};
    *next += n + (stop ? 1 : 0);
    while (out->length && start[out->length - 1] == '\r')
        out->length--;
    return true;
}

static bool is_blank(const zw_cells *c, line l) {
    for (size_t i = 0; i < l.length; i++)
        if (!strchr(" \t,;", c->text.data[l.at + i]))
            return false;
    return true;
}

static bool has_prefix(const zw_cells *c, line l, const char *word) {
    return l.length >= strlen(word) && strncmp(c->text.data + l.at, word, strlen(word)) == 0;
}

/* Cells of a line into out, at most `most`; returns their number. Separator ' ': any number of
 * blanks and tabs. */
static int split_line(const zw_cells *c, line l, char separator, zw_cell *out, int most) {
    const char *s = c->text.data + l.at;
    size_t i = 0;
    int n = 0;
    while (i <= l.length) {
        if (separator == ' ')
            while (i < l.length && (s[i] == ' ' || s[i] == '\t'))
                i++;
        if (separator == ' ' && i == l.length)
            break;
        size_t start = i;
        bool quoted = i < l.length && s[i] == '"';
        for (; i < l.length; i++) {
            if (quoted && i > start && s[i] == '"')
                quoted = false;
            else if (!quoted && (s[i] == separator || (separator == ' ' && s[i] == '\t')))
                break;
        }
        if (out && n < most)
            out[n] = (zw_cell){l.at + start, (int)(i - start)};
        n++;
        i++;
    }
    return n;
}

/* Blanks around a cell do not belong to it. */
static zw_cell trim_cell(const zw_cells *c, zw_cell cell) {
    const char *s = c->text.data;
    while (cell.length && strchr(" \t", s[cell.at]))
        cell.at++, cell.length--;
    while (cell.length && strchr(" \t", s[cell.at + (size_t)cell.length - 1]))
        cell.length--;
    if (cell.length >= 2 && s[cell.at] == '"' && s[cell.at + (size_t)cell.length - 1] == '"')
        cell.at++, cell.length -= 2;
    return cell;
}

/* -------------------------------------------------------------------------------------- columns */

static zw_status new_columns(zw_cells *c, int n, zw_error *err) {
    c->ncolumn = 0;
    c->name = ZW_NEW(&c->arena, const char *, n);
    c->unit = ZW_NEW(&c->arena, const char *, n);
    c->header = ZW_NEW(&c->arena, size_t, n);
    c->factor = ZW_NEW(&c->arena, double, n);
    return c->arena.failed ? no_memory(c, err) : ZW_OK;
}

static zw_status add_column(zw_cells *c, const char *name, const char *unit, size_t at,
                            zw_error *err) {
    if (!name)
        return no_memory(c, err);
    if (!name[0])
        return zw_cells_fail(c, ZW_E_SYNTAX, at, err, "a column has no name");
    if (zw_cells_find(c, name) >= 0)
        return zw_cells_fail(c, ZW_E_NAME, at, err, "the column %s is given twice", name);
    int k = c->ncolumn++;
    c->name[k] = name, c->unit[k] = unit, c->header[k] = at, c->factor[k] = 1;
    return ZW_OK;
}

/* "beta[deg]". */
static zw_status add_named(zw_cells *c, zw_cell cell, zw_error *err) {
    cell = trim_cell(c, cell);
    const char *s = c->text.data + cell.at, *unit = NULL;
    size_t n = (size_t)cell.length, name = n;
    if (n && s[n - 1] == ']')
        for (size_t i = n; i-- > 0 && !unit;)
            if (s[i] == '[') {
                unit = zw_arena_copy(&c->arena, s + i + 1, n - i - 2);
                name = i;
            }
    return add_column(c, zw_arena_copy(&c->arena, s, name), unit, cell.at, err);
}

static zw_status many_columns(const zw_cells *c, size_t at, zw_error *err) {
    return zw_cells_fail(c, ZW_E_SYNTAX, at, err, "there are more than %d columns", COLUMNS_MAX);
}

/* Rows up to the end. After the last column, blank cells are allowed; before it they are needed if
 * a tab or a comma separates cells. */
static zw_status read_rows(zw_cells *c, size_t next, char separator, zw_error *err) {
    long most = 0;
    size_t from = next;
    line l;
    while (next_line(c, &next, &l))
        most++;
    zw_cell *row = ZW_NEW(&c->arena, zw_cell, c->ncolumn + 2);
    c->cell = ZW_NEW(&c->arena, zw_cell, (size_t)most * (size_t)c->ncolumn + 1);
    if (c->arena.failed)
        return no_memory(c, err);
    for (next = from; next_line(c, &next, &l);) {
        if (is_blank(c, l) || c->text.data[l.at] == '#')
            continue;
        int n = split_line(c, l, separator, row, c->ncolumn + 1);
        if (n == c->ncolumn + 1 && trim_cell(c, row[c->ncolumn]).length == 0)
            n--;
        if (n != c->ncolumn)
            return zw_cells_fail(c, ZW_E_SYNTAX, l.at, err,
                                 "the row has %d cells, the header names %d columns", n,
                                 c->ncolumn);
        for (int i = 0; i < n; i++)
            c->cell[c->nrow * c->ncolumn + i] = trim_cell(c, row[i]);
        c->nrow++;
    }
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------------- notes */

const char *zw_cells_get_note(const zw_cells *c, const char *key) {
    for (int i = 0; i < c->nnote; i++)
        if (strcmp(c->note[i].key, key) == 0)
            return c->note[i].value;
    return NULL;
}

/* Appends a line to the last note; the buffer doubles, so n lines cost about n copies. */
static bool continue_note(zw_cells *c, const char *s, size_t n) {
    struct zw_cells_note *last = &c->note[c->nnote - 1];
    if (c->value_length + n + 2 > c->value_capacity) {
        size_t capacity = 2 * (c->value_length + n + 2);
        char *wider = ZW_NEW(&c->arena, char, capacity);
        if (!wider)
            return false;
        memcpy(wider, last->value, c->value_length + 1);
        last->value = wider;
        c->value_capacity = capacity;
    }
    last->value[c->value_length] = '\n';
    memcpy(last->value + c->value_length + 1, s, n);
    c->value_length += n + 1;
    last->value[c->value_length] = '\0';
    return true;
}

/* A line that begins with #: "# key: value" is a note, "#| more" continues the last one, others are
 * remarks. */
static zw_status read_note(zw_cells *c, line l, zw_error *err) {
    const char *s = c->text.data + l.at;
    if (l.length >= 2 && s[1] == '|' && c->nnote) {
        size_t skip = l.length >= 3 && s[2] == ' ' ? 3 : 2;
        return continue_note(c, s + skip, l.length - skip) ? ZW_OK : no_memory(c, err);
    }
    const char *colon = memchr(s, ':', l.length);
    if (l.length < 4 || s[1] != ' ' || !colon || colon == s + 2)
        return ZW_OK;
    size_t from = (size_t)(colon - s) + 1;
    from += from < l.length && s[from] == ' ';
    if (!zw_arena_grow(&c->arena, (void **)&c->note, c->nnote, &c->note_capacity, sizeof *c->note))
        return no_memory(c, err);
    bool quoted = s[2] == '"' && colon > s + 4 && colon[-1] == '"';
    const char *key = s + 2 + quoted;
    c->note[c->nnote++] =
        (struct zw_cells_note){zw_arena_copy(&c->arena, key, (size_t)(colon - key) - quoted),
                               zw_arena_copy(&c->arena, s + from, l.length - from)};
    c->value_length = l.length - from;
    c->value_capacity = c->value_length + 1;
    return c->arena.failed ? no_memory(c, err) : ZW_OK;
}

/* Files written by Zwang end with a line end; others need not. */
static zw_status check_whole(const zw_cells *c, zw_error *err) {
    if (c->text.data[c->text.length - 1] == '\n' || !zw_cells_get_note(c, "zwang"))
        return ZW_OK;
    zw_cells_fail(c, ZW_E_SYNTAX, c->text.length, err, "the file ends in the middle of a line");
    zw_error_hint(err, "it was cut short: copy it or compute it again (if it is whole all the "
                       "same, end its last line)");
    return ZW_E_SYNTAX;
}

/* ------------------------------------------------------------------------------------------ CSV */

static char separator_of(const zw_cells *c, line l) {
    const char *s = c->text.data + l.at;
    if (memchr(s, ',', l.length))
        return ',';
    return memchr(s, '\t', l.length) ? '\t' : memchr(s, ';', l.length) ? ';' : ',';
}

static zw_status read_csv(zw_cells *c, zw_error *err) {
    size_t next = 0;
    line l = {0};
    bool found = false;
    if (strncmp(c->text.data, "\xef\xbb\xbf", 3) == 0) /* byte order mark of some editors */
        next = 3;
    while (!found && next_line(c, &next, &l)) {
        bool remark = l.length && c->text.data[l.at] == '#';
        found = !is_blank(c, l) && !remark;
        if (remark)
            ZW_TRY(read_note(c, l, err));
    }
    if (!found) {
        zw_cells_fail(c, ZW_E_SYNTAX, 0, err, "the file has no header line");
        zw_error_hint(err,
                      "the first line that does not begin with # names the columns: t[s],x[m]");
        return ZW_E_SYNTAX;
    }
    char separator = separator_of(c, l);
    int n = split_line(c, l, separator, NULL, 0);
    if (n > COLUMNS_MAX)
        return many_columns(c, l.at, err);
    zw_cell *name = ZW_NEW(&c->arena, zw_cell, n);
    if (!name)
        return no_memory(c, err);
    split_line(c, l, separator, name, n);
    ZW_TRY(new_columns(c, n, err));
    for (int i = 0; i < n; i++)
        ZW_TRY(add_named(c, name[i], err));
    ZW_TRY(check_whole(c, err));
    return read_rows(c, next, separator, err);
}

/* ------------------------------------------------------------------------------------------ TRC */

/* The value under a name in the third line of the header. */
static zw_status trc_value(const zw_cells *c, line names, line values, const char *name, char *out,
                           size_t size, zw_error *err) {
    zw_cell key[32], value[32];
    int n = split_line(c, names, '\t', key, 32), m = split_line(c, values, '\t', value, 32);
    for (int i = 0; i < n && i < m && i < 32; i++) {
        zw_cell k = trim_cell(c, key[i]), v = trim_cell(c, value[i]);
        if ((size_t)k.length == strlen(name) &&
            strncmp(c->text.data + k.at, name, (size_t)k.length) == 0) {
            snprintf(out, size, "%.*s", v.length, c->text.data + v.at);
            return ZW_OK;
        }
    }
    return zw_cells_fail(c, ZW_E_SYNTAX, names.at, err,
                         "the header of the TRC file does not say %s", name);
}

/* Reads "Frame# Time A (blank) (blank) B ...". */
static zw_status trc_markers(zw_cells *c, line l, const char *unit, zw_error *err) {
    int n = split_line(c, l, '\t', NULL, 0);
    if (n > COLUMNS_MAX)
        return many_columns(c, l.at, err);
    zw_cell *cell = ZW_NEW(&c->arena, zw_cell, n + 1);
    if (!cell)
        return no_memory(c, err);
    split_line(c, l, '\t', cell, n);
    ZW_TRY(new_columns(c, 2 + 3 * n, err));
    ZW_TRY(add_column(c, "frame", NULL, l.at, err));
    ZW_TRY(add_column(c, "t", "s", l.at, err));
    for (int i = 2; i < n; i++) {
        zw_cell name = trim_cell(c, cell[i]);
        if (name.length == 0)
            continue;
        for (int k = 0; k < 3; k++)
            ZW_TRY(add_column(c,
                              zw_arena_printf(&c->arena, "%.*s.%c", name.length,
                                              c->text.data + name.at, "xyz"[k]),
                              unit, name.at, err));
    }
    if (c->ncolumn == 2)
        return zw_cells_fail(c, ZW_E_SYNTAX, l.at, err, "the TRC file names no marker");
    return ZW_OK;
}

static zw_status read_trc(zw_cells *c, zw_error *err) {
    char unit[32], count[32];
    line l[5];
    size_t next = 0;
    for (int i = 0; i < 5; i++)
        if (!next_line(c, &next, &l[i]))
            return zw_cells_fail(c, ZW_E_SYNTAX, c->text.length, err,
                                 "the header of the TRC file has five lines");
    ZW_TRY(trc_value(c, l[1], l[2], "Units", unit, sizeof unit, err));
    ZW_TRY(trc_value(c, l[1], l[2], "NumMarkers", count, sizeof count, err));
    const char *kept = zw_arena_string(&c->arena, unit);
    if (!kept)
        return no_memory(c, err);
    ZW_TRY(trc_markers(c, l[3], kept, err));
    char found[32];
    snprintf(found, sizeof found, "%d", (c->ncolumn - 2) / 3);
    if (strcmp(found, count) != 0)
        return zw_cells_fail(c, ZW_E_SYNTAX, l[3].at, err,
                             "the header says %s markers, this line names %s", count, found);
    return read_rows(c, next, '\t', err);
}

/* ------------------------------------------------------------------------------------------ MOT */

static zw_status read_mot(zw_cells *c, zw_error *err) {
    size_t next = 0;
    line l;
    while (next_line(c, &next, &l) && !has_prefix(c, l, "endheader")) {
        if (has_prefix(c, l, "inDegrees=yes") || has_prefix(c, l, "inDegrees = yes"))
            c->degrees = true;
        else if (has_prefix(c, l, "inDegrees") && !has_prefix(c, l, "inDegrees=no") &&
                 !has_prefix(c, l, "inDegrees = no")) {
            zw_cells_fail(c, ZW_E_SYNTAX, l.at, err, "inDegrees is neither yes nor no");
            return ZW_E_SYNTAX;
        }
    }
    do
        if (!next_line(c, &next, &l))
            return zw_cells_fail(c, ZW_E_SYNTAX, c->text.length, err,
                                 "no line of names follows 'endheader'");
    while (is_blank(c, l));
    int n = split_line(c, l, ' ', NULL, 0);
    if (n > COLUMNS_MAX)
        return many_columns(c, l.at, err);
    zw_cell *name = ZW_NEW(&c->arena, zw_cell, n);
    if (!name)
        return no_memory(c, err);
    split_line(c, l, ' ', name, n);
    ZW_TRY(new_columns(c, n, err));
    for (int i = 0; i < n; i++) {
        const char *word =
            zw_arena_copy(&c->arena, c->text.data + name[i].at, (size_t)name[i].length);
        bool time = word && strcmp(word, "time") == 0;
        ZW_TRY(add_column(c, time ? "t" : word, time ? "s" : NULL, name[i].at, err));
    }
    return read_rows(c, next, ' ', err);
}

/* ---- the whole ---- */

static bool has_end_of_header(const zw_cells *c) {
    size_t next = 0;
    line l;
    for (int i = 0; i < HEADER_LINES && next_line(c, &next, &l); i++)
        if (has_prefix(c, l, "endheader"))
            return true;
    return false;
}

/* Does the checksum of a result match? */
static zw_status check_sum(zw_cells *c, zw_error *err) {
    zw_table *t;
    ZW_TRY(zw_table_read_bytes(&t, c->text.data, c->text.length, c->path, err));
    c->checked = true;
    zw_table_destroy(t);
    return ZW_OK;
}

zw_status zw_cells_parse(zw_cells *c, zw_error *err) {
    if (c->text.failed)
        return no_memory(c, err);
    if (c->text.length == 0)
        return zw_fail(err, ZW_E_SYNTAX, "'%s' is empty", c->path);
    const char *zero = memchr(c->text.data, '\0', c->text.length);
    if (zero)
        return zw_cells_fail(c, ZW_E_SYNTAX, (size_t)(zero - c->text.data), err, "this is no text");
    if (strncmp(c->text.data, "PathFileType", 12) == 0) {
        c->kind = ZW_CELLS_TRC;
        return read_trc(c, err);
    }
    c->kind = has_end_of_header(c) ? ZW_CELLS_MOT : ZW_CELLS_CSV;
    if (c->kind == ZW_CELLS_MOT)
        return read_mot(c, err);
    ZW_TRY(read_csv(c, err));
    return zw_cells_get_note(c, ZW_OUT_CHECKSUM) ? check_sum(c, err) : ZW_OK;
}

static void init_cells(zw_cells *c, const char *path, const zw_allocator *alloc) {
    *c = (zw_cells){.path = path};
    zw_arena_init(&c->arena, alloc);
    zw_text_init(&c->text, alloc);
}

zw_status zw_cells_load(zw_cells *c, const char *path, const zw_allocator *alloc, zw_error *err) {
    init_cells(c, path, alloc);
    return zw_out_slurp(&c->text, path, err);
}

zw_status zw_cells_read(zw_cells *c, const char *path, const zw_allocator *alloc, zw_error *err) {
    ZW_TRY(zw_cells_load(c, path, alloc, err));
    return zw_cells_parse(c, err);
}

void zw_cells_clear(zw_cells *c) {
    zw_text_clear(&c->text);
    zw_arena_clear(&c->arena);
}

/* --------------------------------------------------------------------------------------- values */

zw_status zw_cells_unit(zw_cells *c, int column, const char *si, bool bare, zw_error *err) {
    zw_unit wanted, said;
    char words[ZW_DIM_WORDS];
    size_t at = c->header[column];
    const char *unit = c->unit[column];
    wanted = (zw_unit){.dim = zw_dim_none(), .factor = 1};
    if (si[0])
        ZW_TRY(zw_unit_parse(&wanted, si, strlen(si), (zw_place){0}, err));
    if (!unit || !unit[0]) {
        if (bare || !si[0])
            return ZW_OK;
        zw_cells_fail(c, ZW_E_UNIT, at, err, "the column %s has no unit", c->name[column]);
        zw_error_hint(err, "say it in the header: %s[%s]", c->name[column], si);
        return ZW_E_UNIT;
    }
    zw_error own = {0};
    if (zw_unit_parse(&said, unit, strlen(unit), (zw_place){0}, &own) < 0)
        return zw_cells_fail(c, ZW_E_UNIT, at, err, "%s", own.text);
    if (!zw_dim_fits(&said.dim, &wanted.dim)) {
        zw_dim_words(&wanted.dim, words);
        return zw_cells_fail(c, ZW_E_UNIT, at, err, "the column %s is in %s and must be %s",
                             c->name[column], unit, words);
    }
    c->factor[column] = said.factor / wanted.factor;
    return ZW_OK;
}

zw_status zw_cells_number(const zw_cells *c, long row, int column, double *out, zw_error *err) {
    zw_cell cell = c->cell[row * c->ncolumn + column];
    *out = NAN;
    if (cell.length == 0)
        return ZW_OK;
    locale_t before = zw_plain_begin();
    bool good = zw_decimal_read(c->text.data + cell.at, (size_t)cell.length, out);
    zw_plain_end(before);
    if (!good) {
        zw_cells_fail(c, ZW_E_SYNTAX, cell.at, err, "'%.*s' in the column %s is no number",
                      cell.length > 40 ? 40 : cell.length, c->text.data + cell.at, c->name[column]);
        zw_error_hint(err, "numbers look like 0.1 or -2e-3; an empty cell was not measured");
        return ZW_E_SYNTAX;
    }
    *out *= c->factor[column];
    if (isinf(*out))
        return zw_cells_fail(c, ZW_E_DOMAIN, cell.at, err, "the value of %s is not finite",
                             c->name[column]);
    return ZW_OK;
}

const char *zw_cells_word(zw_cells *c, long row, int column) {
    zw_cell cell = c->cell[row * c->ncolumn + column];
    return zw_arena_copy(&c->arena, c->text.data + cell.at, (size_t)cell.length);
}

static zw_status fill_table(const zw_cells *c, zw_table *t, double *row, zw_error *err) {
    for (int i = 0; i < c->ncolumn; i++)
        if (zw_table_column(t, c->name[i], c->unit[i] ? c->unit[i] : "") < 0)
            return zw_table_out_of_memory(t, err);
    for (int i = 0; i < c->nnote; i++)
        if (zw_table_note(t, c->note[i].key, c->note[i].value) < 0)
            return zw_table_out_of_memory(t, err);
    if (c->checked) {
        zw_table_remove_note(t, ZW_OUT_CHECKSUM);
        zw_table_set_checked(t);
    }
    for (long r = 0; r < c->nrow; r++) {
        for (int i = 0; i < c->ncolumn; i++)
            ZW_TRY(zw_cells_number(c, r, i, &row[i], err));
        if (zw_table_row(t, row) < 0)
            return zw_table_out_of_memory(t, err);
    }
    return ZW_OK;
}

zw_status zw_cells_table(const zw_cells *c, zw_table **out, zw_error *err) {
    zw_allocator alloc = c->arena.alloc;
    size_t bytes = sizeof(double) * (size_t)(c->ncolumn + 1);
    double *row = zw_allocate(&alloc, bytes);
    *out = zw_table_create(&alloc);
    zw_status status = row && *out ? fill_table(c, *out, row, err) : no_memory(c, err);
    zw_release(&alloc, row, bytes);
    if (status < 0) {
        zw_table_destroy(*out);
        *out = NULL;
    }
    return status;
}
