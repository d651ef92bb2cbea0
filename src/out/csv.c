/* SPDX-License-Identifier: MIT */
/* Tables as text, for people, spreadsheets and every numerical environment:
 *
 *     # model: pendulum            notes first; further lines of a value start with "#| "
 *     t[s],x[m],"f(a,b)"           names with units; quoted where a comma or quote is in the name
 *     0,0.10000000000000001,1      17 significant digits: reading gives back the same bits
 *
 * A name that itself ends with "]" is written with an empty unit, "q[1][]". Lines may end as on
 * Windows, in the file and in notes; they are read as plain ones. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "file.h"
#include "zwang/table.h"

/* ---- writing ---- */

static void write_note(FILE *out, const char *key, const char *value) {
    fprintf(out, "# %s: ", key);
    for (const char *s = value; *s; s++) {
        size_t returns = strspn(s, "\r");
        if (returns && (s[returns] == '\n' || !s[returns])) { /* an end of line of Windows */
            s += returns - 1;
            continue;
        }
        fputc(*s, out);
        if (*s == '\n')
            fputs("#| ", out);
    }
    fputc('\n', out);
}

static void write_header_cell(FILE *out, const char *name, const char *unit) {
    size_t n = strlen(name);
    bool quoted = strpbrk(name, ",\"#") || strpbrk(unit, ",\"") || isspace((unsigned char)name[0]);
    bool bracket = unit[0] || (n > 0 && name[n - 1] == ']');
    if (quoted)
        fputc('"', out);
    for (const char *s = name; *s; s++) {
        if (*s == '"')
            fputc('"', out);
        fputc(*s, out);
    }
    if (bracket)
        fprintf(out, "[%s]", unit);
    if (quoted)
        fputc('"', out);
}

static void write_number(FILE *out, double v) {
    if (isnan(v))
        fputs("nan", out);
    else
        fprintf(out, "%.17g", v);
}

/* What the format cannot say is refused before anything is written. */
static zw_status check_names(const zw_table *t, const char *path, zw_error *err) {
    for (int i = 0; i < zw_table_notes(t); i++) {
        const char *key = zw_table_note_key(t, i);
        if (!key[0] || strpbrk(key, ":\n\r") || isspace((unsigned char)key[0]))
            return zw_fail(err, ZW_E_NAME, "cannot write '%s': '%s' is no key for a note", path,
                           key);
    }
    for (int j = 0; j < zw_table_columns(t); j++) {
        const char *name = zw_table_name(t, j), *unit = zw_table_unit(t, j);
        if (!name[0] || strpbrk(name, "\n\r") || strpbrk(unit, "\n\r[]\""))
            return zw_fail(err, ZW_E_NAME, "cannot write '%s': '%s[%s]' is no name for a column",
                           path, name, unit);
    }
    return ZW_OK;
}

zw_status zw_table_write_csv(const zw_table *t, const char *path, zw_error *err) {
    zw_out_file f;
    ZW_TRY(check_names(t, path, err));
    ZW_TRY(zw_out_begin(&f, path, err));
    locale_t before = zw_out_plain_begin();
    for (int i = 0; i < zw_table_notes(t); i++)
        write_note(f.stream, zw_table_note_key(t, i), zw_table_note_value(t, i));
    int n = zw_table_columns(t);
    for (int j = 0; j < n; j++) {
        if (j)
            fputc(',', f.stream);
        write_header_cell(f.stream, zw_table_name(t, j), zw_table_unit(t, j));
    }
    fputc('\n', f.stream);
    for (long i = 0; i < zw_table_rows(t); i++)
        for (int j = 0; j < n; j++) {
            write_number(f.stream, zw_table_at(t, i, j));
            fputc(j + 1 < n ? ',' : '\n', f.stream);
        }
    zw_out_plain_end(before);
    return zw_out_commit(&f, path, err);
}

/* ---- reading ---- */

typedef struct reader {
    const char *path;
    const char *next, *end; /* what is not yet read */
    int line;
    const char *at; /* this line, `length` bytes without its end */
    size_t length;
    zw_text key, value; /* the note that further lines may continue */
    zw_text cell;
    bool has_note;
    zw_allocator alloc;
    double *row; /* width */
    int width;
    zw_table *table;
    zw_error *err;
} reader;

static zw_status complain(reader *r, zw_status status, size_t offset, const char *what) {
    return zw_fail_at(r->err, status, (zw_place){r->path, r->line, (int)offset + 1}, "%s", what);
}

static zw_status out_of_memory(reader *r) {
    return complain(r, ZW_E_MEMORY, 0, "out of memory");
}

static bool next_line(reader *r) {
    if (r->next == r->end)
        return false;
    const char *stop = memchr(r->next, '\n', (size_t)(r->end - r->next));
    r->at = r->next;
    r->length = (size_t)((stop ? stop : r->end) - r->at);
    r->next = stop ? stop + 1 : r->end;
    r->line++;
    while (r->length > 0 && r->at[r->length - 1] == '\r')
        r->length--;
    return true;
}

static zw_status end_note(reader *r) {
    if (!r->has_note)
        return ZW_OK;
    r->has_note = false;
    if (r->key.failed || r->value.failed ||
        zw_table_note(r->table, zw_text_get(&r->key), zw_text_get(&r->value)) < 0)
        return out_of_memory(r);
    return ZW_OK;
}

/* "# key: value", "#| further line"; other lines that start with # are remarks of other programs */
static zw_status read_note(reader *r) {
    if (r->length >= 2 && r->at[1] == '|') {
        if (!r->has_note)
            return complain(r, ZW_E_SYNTAX, 0, "a line '#|' continues no note");
        size_t skip = r->length >= 3 && r->at[2] == ' ' ? 3 : 2;
        zw_text_put(&r->value, "\n");
        zw_text_put_n(&r->value, r->at + skip, r->length - skip);
        return ZW_OK;
    }
    ZW_TRY(end_note(r));
    const char *colon = memchr(r->at, ':', r->length);
    if (r->length < 2 || r->at[1] != ' ' || !colon || colon - r->at < 3)
        return ZW_OK;
    zw_text_clear(&r->key);
    zw_text_clear(&r->value);
    zw_text_put_n(&r->key, r->at + 2, (size_t)(colon - r->at) - 2);
    size_t skip = (size_t)(colon - r->at) + 1;
    if (skip < r->length && r->at[skip] == ' ')
        skip++;
    zw_text_put_n(&r->value, r->at + skip, r->length - skip);
    r->has_note = true;
    return ZW_OK;
}

/* The header cell at *i into r->cell; *i goes behind its comma. */
static zw_status read_cell(reader *r, size_t *i) {
    zw_text_clear(&r->cell);
    if (*i < r->length && r->at[*i] == '"') {
        size_t start = (*i)++;
        for (;; (*i)++) {
            if (*i >= r->length)
                return complain(r, ZW_E_SYNTAX, start, "the quote is not closed");
            if (r->at[*i] == '"') {
                if (*i + 1 >= r->length || r->at[*i + 1] != '"')
                    break;
                (*i)++;
            }
            zw_text_put_n(&r->cell, r->at + *i, 1);
        }
        (*i)++;
        if (*i < r->length && r->at[*i] != ',')
            return complain(r, ZW_E_SYNTAX, *i, "a comma must follow a quoted name");
    } else {
        size_t start = *i;
        while (*i < r->length && r->at[*i] != ',')
            (*i)++;
        zw_text_put_n(&r->cell, r->at + start, *i - start);
    }
    (*i)++;
    return r->cell.failed ? out_of_memory(r) : ZW_OK;
}

static zw_status add_column(reader *r, size_t offset) {
    char *name = r->cell.data, *unit = NULL;
    size_t n = r->cell.length;
    if (n == 0)
        return complain(r, ZW_E_SYNTAX, offset, "a column has no name");
    if (name[n - 1] == ']')
        unit = strrchr(name, '[');
    if (unit) {
        name[n - 1] = '\0';
        *unit++ = '\0';
    }
    if (!name[0])
        return complain(r, ZW_E_SYNTAX, offset, "a column has no name");
    switch (zw_table_column(r->table, name, unit ? unit : "")) {
    case ZW_OK:
        return ZW_OK;
    case ZW_E_NAME:
        return complain(r, ZW_E_NAME, offset, "the column is there twice");
    default:
        return out_of_memory(r);
    }
}

static zw_status read_header(reader *r) {
    size_t i = 0;
    do {
        size_t start = i;
        ZW_TRY(read_cell(r, &i));
        ZW_TRY(add_column(r, start));
    } while (i <= r->length);
    r->width = zw_table_columns(r->table);
    r->row = zw_allocate(&r->alloc, sizeof(double) * (size_t)r->width);
    return r->row ? ZW_OK : out_of_memory(r);
}

/* One number; text of more than 63 characters is none that a writer makes. */
static bool read_number(const char *s, size_t n, double *out) {
    char copy[64], *end;
    while (n > 0 && (s[0] == ' ' || s[0] == '\t'))
        s++, n--;
    while (n > 0 && (s[n - 1] == ' ' || s[n - 1] == '\t'))
        n--;
    if (n == 0 || n >= sizeof copy)
        return false;
    memcpy(copy, s, n);
    copy[n] = '\0';
    *out = strtod(copy, &end);
    return end == copy + n;
}

static zw_status read_row(reader *r) {
    size_t i = 0;
    for (int j = 0; j < r->width; j++) {
        const char *comma = i <= r->length ? memchr(r->at + i, ',', r->length - i) : NULL;
        size_t stop = comma ? (size_t)(comma - r->at) : r->length;
        if (i > r->length)
            return complain(r, ZW_E_SYNTAX, r->length, "the row has too few numbers");
        if (!read_number(r->at + i, stop - i, &r->row[j]))
            return complain(r, ZW_E_SYNTAX, i, "this is no number");
        i = stop + 1;
    }
    if (i <= r->length)
        return complain(r, ZW_E_SYNTAX, i - 1, "the row has too many numbers");
    return zw_table_row(r->table, r->row) < 0 ? out_of_memory(r) : ZW_OK;
}

static zw_status read_all(reader *r) {
    while (next_line(r)) {
        if (memchr(r->at, '\0', r->length))
            return complain(r, ZW_E_SYNTAX, 0, "this is no text file");
        if (r->length > 0 && r->at[0] == '#') {
            ZW_TRY(read_note(r));
            continue;
        }
        ZW_TRY(end_note(r));
        if (r->length == 0)
            continue;
        ZW_TRY(r->width == 0 ? read_header(r) : read_row(r));
    }
    ZW_TRY(end_note(r));
    return r->width > 0 ? ZW_OK : complain(r, ZW_E_SYNTAX, 0, "the file has no header line");
}

static zw_status slurp(zw_text *text, const char *path, zw_error *err) {
    FILE *in = fopen(path, "rb");
    if (!in)
        return zw_fail(err, ZW_E_FILE, "cannot read '%s': %s", path, strerror(errno));
    char buffer[1 << 14];
    size_t n;
    while ((n = fread(buffer, 1, sizeof buffer, in)) > 0)
        zw_text_put_n(text, buffer, n);
    int code = ferror(in) ? errno : 0;
    fclose(in);
    if (code)
        return zw_fail(err, ZW_E_FILE, "cannot read '%s': %s", path, strerror(code));
    return text->failed ? zw_fail(err, ZW_E_MEMORY, "out of memory for '%s'", path) : ZW_OK;
}

zw_status zw_table_read_csv(zw_table **out, const char *path, zw_error *err) {
    *out = NULL;
    zw_text text;
    zw_text_init(&text, NULL);
    zw_status status = slurp(&text, path, err);
    if (status == ZW_OK) {
        const char *start = zw_text_get(&text);
        reader r = {.path = path, .next = start, .end = start + text.length, .err = err};
        r.alloc = zw_allocator_default();
        zw_text_init(&r.key, NULL);
        zw_text_init(&r.value, NULL);
        zw_text_init(&r.cell, NULL);
        r.table = zw_table_create(NULL);
        locale_t before = zw_out_plain_begin();
        status = r.table ? read_all(&r) : out_of_memory(&r);
        zw_out_plain_end(before);
        zw_text_clear(&r.key);
        zw_text_clear(&r.value);
        zw_text_clear(&r.cell);
        zw_release(&r.alloc, r.row, sizeof(double) * (size_t)r.width);
        if (status == ZW_OK)
            *out = r.table;
        else
            zw_table_destroy(r.table);
    }
    zw_text_clear(&text);
    return status;
}
