/* SPDX-License-Identifier: MIT */
/* Tables as text, for people, spreadsheets and every numerical environment:
 *
 *     # model: pendulum            notes first; further lines of a value start with "#| "
 *     t[s],x[m],"f(a,b)"           names with units; quoted if they contain a comma, a quote or a
 *                                  line end
 *     0,0.1,1                      the fewest digits that read back as the same bits; nan, inf,
 *                                  -inf
 *
 * A name that ends with "]" is written with an empty unit, "q[1][]"; a key that contains a colon is
 * quoted like a name. Lines may end as on Windows, in the file and in notes; they are read as plain
 * ones. A file of Zwang that does not end with a line end was truncated and is an error; the last
 * note of a result is its checksum (table_checksum.h). */
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/decimal.h"
#include "base/text.h"
#include "file.h"
#include "formats.h"
#include "table_checksum.h"
#include "zwang/table.h"

/* ---- writing ---- */

static void write_quoted(FILE *out, const char *s) {
    for (; *s; s++) {
        if (*s == '"')
            fputc('"', out);
        fputc(*s, out);
    }
}

/* true for a key that would be read differently without quotes */
static bool needs_quotes(const char *key) {
    size_t n = strlen(key);
    return strpbrk(key, ":\"") || isspace((unsigned char)key[0]) ||
           (n > 0 && isspace((unsigned char)key[n - 1]));
}

static void write_note(FILE *out, const char *key, const char *value) {
    if (needs_quotes(key)) {
        fputs("# \"", out);
        write_quoted(out, key);
        fputs("\": ", out);
    } else {
        fprintf(out, "# %s: ", key);
    }
    for (const char *s = value; *s; s++) {
        size_t returns = strspn(s, "\r");
        if (returns && (s[returns] == '\n' || !s[returns])) { /* a line end of Windows */
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
    /* at the start, a brace would be read as JSON, 0xef as the byte order mark */
    bool quoted = strpbrk(name, ",\"#\n\r") || strpbrk(unit, ",\"\n\r") ||
                  isspace((unsigned char)name[0]) || name[0] == '{' || name[0] == '\xef';
    bool bracket = unit[0] || name[n - 1] == ']';
    if (quoted)
        fputc('"', out);
    write_quoted(out, name);
    if (bracket)
        fputc('[', out);
    write_quoted(out, unit);
    if (bracket)
        fputc(']', out);
    if (quoted)
        fputc('"', out);
}

void zw_out_csv_row(FILE *out, const double *row, int n) {
    char text[ZW_DECIMAL_MAX + 1];
    for (int j = 0; j < n; j++) {
        int length = zw_decimal(text, row[j]);
        text[length] = j + 1 < n ? ',' : '\n';
        fwrite_unlocked(text, 1, (size_t)length + 1, out);
    }
}

/* Names that the format cannot represent are rejected before anything is written. */
static zw_status check_names(const zw_table *t, const char *path, zw_error *err) {
    zw_status status = ZW_OK;
    for (int i = 0; i < zw_table_notes(t); i++) {
        const char *key = zw_table_note_key(t, i);
        if (!key[0] || strpbrk(key, "\n\r"))
            status =
                zw_fail(err, ZW_E_NAME, "cannot write '%s': '%s' is no key for a note", path, key);
    }
    for (int j = 0; j < zw_table_columns(t); j++) {
        const char *name = zw_table_name(t, j), *unit = zw_table_unit(t, j);
        if (!name[0] || strchr(unit, '['))
            status = zw_fail(err, ZW_E_NAME,
                             "cannot write '%s': '%s[%s]' is no name for a column in CSV", path,
                             name, unit);
    }
    if (zw_table_columns(t) == 0)
        status = zw_fail(err, ZW_E_NAME, "cannot write '%s': the table has no columns", path);
    if (status < 0)
        zw_error_hint(err, "JSON can say it: end the name of the file with .json");
    return status;
}

zw_status zw_out_csv_notes(FILE *out, const zw_table *t, const char *path, zw_error *err) {
    ZW_TRY(check_names(t, path, err));
    for (int i = 0; i < zw_table_notes(t); i++)
        if (strcmp(zw_table_note_key(t, i), ZW_OUT_CHECKSUM) != 0)
            write_note(out, zw_table_note_key(t, i), zw_table_note_value(t, i));
    return ZW_OK;
}

void zw_out_csv_note(FILE *out, const char *key, const char *value) {
    write_note(out, key, value);
}

void zw_out_csv_header(FILE *out, const zw_table *t) {
    int n = zw_table_columns(t);
    for (int j = 0; j < n; j++) {
        if (j)
            fputc(',', out);
        write_header_cell(out, zw_table_name(t, j), zw_table_unit(t, j));
    }
    fputc('\n', out);
}

/* writes to path, or to bytes if path is NULL */
static zw_status write_table(const zw_table *t, const char *path, zw_bytes *bytes, zw_error *err) {
    zw_out_file f;
    const char *name = path ? path : "a file in memory";
    ZW_TRY(check_names(t, name, err));
    ZW_TRY(zw_out_begin(&f, path, bytes, err));
    char sum[ZW_OUT_CHECKSUM_LENGTH];
    zw_out_checksum_of(t, sum);
    zw_out_csv_notes(f.stream, t, name, NULL); /* the names have been checked */
    if (sum[0])
        write_note(f.stream, ZW_OUT_CHECKSUM, sum);
    zw_out_csv_header(f.stream, t);
    int n = zw_table_columns(t);
    for (long i = 0; i < zw_table_rows(t) && zw_out_is_well(&f); i++)
        zw_out_csv_row(f.stream, zw_table_data(t) + i * n, n);
    return zw_out_commit(&f, err);
}

zw_status zw_table_write_csv(const zw_table *t, const char *path, zw_error *err) {
    return write_table(t, path, NULL, err);
}

zw_status zw_table_csv_bytes(const zw_table *t, zw_bytes *out, zw_error *err) {
    *out = (zw_bytes){0};
    return write_table(t, NULL, out, err);
}

/* ---- reading ---- */

typedef struct reader {
    const char *path;
    const char *start, *next, *end; /* the text, terminated; the part not yet read */
    const char *at;                 /* the current line, `length` bytes without its end */
    size_t length;
    zw_text key, value; /* the current note, which further lines may continue */
    zw_text cell;
    bool has_note;
    zw_allocator alloc;
    double *row; /* width */
    int width;
    zw_table *table;
    zw_error *err;
} reader;

static zw_status report_error(reader *r, zw_status status, size_t offset, const char *what) {
    return zw_out_fail_in(r->err, status, r->path, r->start, (size_t)(r->end - r->start),
                          (size_t)(r->at - r->start) + offset, what);
}

static zw_status out_of_memory(reader *r) {
    return report_error(r, ZW_E_MEMORY, 0, "out of memory");
}

/* Extends the line to the next line end. */
static bool extend_line(reader *r) {
    if (r->next == r->end)
        return false;
    const char *stop = memchr(r->next, '\n', (size_t)(r->end - r->next));
    r->length = (size_t)((stop ? stop : r->end) - r->at);
    r->next = stop ? stop + 1 : r->end;
    return true;
}

static bool next_line(reader *r) {
    if (r->next == r->end)
        return false;
    r->at = r->next;
    extend_line(r);
    while (r->length > 0 && r->at[r->length - 1] == '\r')
        r->length--;
    return true;
}

/* Text without a last line end is accepted from other programs; what Zwang writes has one. */
static zw_status check_whole(reader *r) {
    if (r->next != r->end || r->end[-1] == '\n' || !zw_table_get_note(r->table, "zwang"))
        return ZW_OK;
    zw_status status =
        report_error(r, ZW_E_SYNTAX, r->length, "the file ends in the middle of a line");
    zw_error_hint(r->err, "it was cut short: copy it or compute it again (if it is whole all the "
                          "same, end its last line)");
    return status;
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

/* Reads the quoted text at *i of this line and moves *i after the closing quote. False if there is
 * none. */
static bool read_quoted(reader *r, size_t *i, zw_text *out) {
    for (size_t k = *i + 1; k < r->length; k++) {
        if (r->at[k] == '"') {
            if (k + 1 >= r->length || r->at[k + 1] != '"') {
                *i = k + 1;
                return true;
            }
            k++;
        }
        zw_text_put_n(out, r->at + k, 1);
    }
    return false;
}

/* "# key: value", "#| further line"; other lines that start with # are comments of other
 * programs */
static zw_status read_note(reader *r) {
    if (r->length >= 2 && r->at[1] == '|') {
        if (!r->has_note)
            return report_error(r, ZW_E_SYNTAX, 0, "a line '#|' continues no note");
        size_t skip = r->length >= 3 && r->at[2] == ' ' ? 3 : 2;
        zw_text_put(&r->value, "\n");
        zw_text_put_n(&r->value, r->at + skip, r->length - skip);
        return ZW_OK;
    }
    ZW_TRY(end_note(r));
    if (r->length < 3 || r->at[1] != ' ')
        return ZW_OK;
    zw_text_clear(&r->key);
    zw_text_clear(&r->value);
    size_t i = 2;
    if (r->at[i] == '"') {
        if (!read_quoted(r, &i, &r->key))
            return ZW_OK;
    } else {
        while (i < r->length && r->at[i] != ':')
            i++;
        zw_text_put_n(&r->key, r->at + 2, i - 2);
    }
    if (i >= r->length || r->at[i] != ':' || r->key.length == 0)
        return ZW_OK;
    i++;
    if (i < r->length && r->at[i] == ' ')
        i++;
    zw_text_put_n(&r->value, r->at + i, r->length - i);
    r->has_note = true;
    return ZW_OK;
}

/* Reads the header cell at *i into r->cell and moves *i after its comma. */
static zw_status read_cell(reader *r, size_t *i) {
    zw_text_clear(&r->cell);
    if (*i < r->length && r->at[*i] == '"') {
        while (!read_quoted(r, i, &r->cell)) {
            zw_text_clear(&r->cell);
            if (!extend_line(r))
                return report_error(r, ZW_E_SYNTAX, *i, "the quote is not closed");
        }
        if (*i < r->length && r->at[*i] == '\r')
            *i = r->length; /* the line end of Windows after the last name */
        if (*i < r->length && r->at[*i] != ',')
            return report_error(r, ZW_E_SYNTAX, *i, "a comma must follow a quoted name");
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
        return report_error(r, ZW_E_SYNTAX, offset, "a column has no name");
    if (name[n - 1] == ']')
        unit = strrchr(name, '[');
    if (unit) {
        name[n - 1] = '\0';
        *unit++ = '\0';
    }
    if (!name[0])
        return report_error(r, ZW_E_SYNTAX, offset, "a column has no name");
    switch (zw_table_column(r->table, name, unit ? unit : "")) {
    case ZW_OK:
        return ZW_OK;
    case ZW_E_NAME:
        return report_error(r, ZW_E_NAME, offset, "the column is there twice");
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
    ZW_TRY(check_whole(r)); /* again: a quoted name may have extended the line to the end */
    r->width = zw_table_columns(r->table);
    r->row = zw_allocate(&r->alloc, sizeof(double) * (size_t)r->width);
    return r->row ? ZW_OK : out_of_memory(r);
}

/* One number, which takes all of the n bytes at s except blanks. */
static bool read_number(const char *s, size_t n, double *out) {
    while (n > 0 && (s[0] == ' ' || s[0] == '\t'))
        s++, n--;
    while (n > 0 && (s[n - 1] == ' ' || s[n - 1] == '\t'))
        n--;
    return zw_decimal_read(s, n, out);
}

static zw_status no_number(reader *r, size_t offset) {
    zw_status status = report_error(r, ZW_E_SYNTAX, offset, "this is no number");
    zw_error_hint(r->err, "numbers look like 0.1, -2e-3, nan or inf, with a comma between them");
    return status;
}

static zw_status read_row(reader *r) {
    size_t i = 0;
    for (int j = 0; j < r->width; j++) {
        if (i > r->length)
            return report_error(r, ZW_E_SYNTAX, r->length, "the row has too few numbers");
        const char *comma = memchr(r->at + i, ',', r->length - i);
        size_t stop = comma ? (size_t)(comma - r->at) : r->length;
        if (!read_number(r->at + i, stop - i, &r->row[j]))
            return no_number(r, i);
        i = stop + 1;
    }
    if (i <= r->length)
        return report_error(r, ZW_E_SYNTAX, i - 1, "the row has too many numbers");
    return zw_table_row(r->table, r->row) < 0 ? zw_table_out_of_memory(r->table, r->err) : ZW_OK;
}

static zw_status read_all(reader *r) {
    while (next_line(r)) {
        if (memchr(r->at, '\0', r->length))
            return report_error(r, ZW_E_SYNTAX, 0, "this is no text, and no HDF5 file either");
        if (r->length > 0 && r->at[0] == '#') {
            ZW_TRY(read_note(r));
            continue;
        }
        ZW_TRY(end_note(r));
        if (r->length == 0)
            continue;
        ZW_TRY(check_whole(r));
        ZW_TRY(r->width == 0 ? read_header(r) : read_row(r));
    }
    ZW_TRY(end_note(r));
    if (r->width > 0)
        return ZW_OK;
    report_error(r, ZW_E_SYNTAX, 0, "the file has no header line");
    zw_error_hint(r->err, "the first line that does not begin with # names the columns: t[s],x[m]");
    return ZW_E_SYNTAX;
}

zw_status zw_out_csv_parse(zw_table **out, const char *text, size_t length, const char *path,
                           zw_error *err) {
    *out = NULL;
    reader r = {.path = path, .start = text, .at = text, .next = text, .end = text + length};
    r.err = err;
    r.alloc = zw_allocator_default();
    zw_text_init(&r.key, NULL);
    zw_text_init(&r.value, NULL);
    zw_text_init(&r.cell, NULL);
    r.table = zw_table_create(NULL);
    locale_t before = zw_plain_begin();
    zw_status status = r.table ? read_all(&r) : out_of_memory(&r);
    zw_plain_end(before);
    zw_text_clear(&r.key);
    zw_text_clear(&r.value);
    zw_text_clear(&r.cell);
    zw_release(&r.alloc, r.row, sizeof(double) * (size_t)r.width);
    if (status == ZW_OK)
        *out = r.table;
    else
        zw_table_destroy(r.table);
    return status;
}

zw_status zw_table_read_csv(zw_table **out, const char *path, zw_error *err) {
    *out = NULL;
    zw_text text;
    zw_text_init(&text, NULL);
    zw_status status = zw_out_slurp(&text, path, err);
    if (status == ZW_OK)
        status = zw_out_csv_parse(out, zw_text_get(&text), text.length, path, err);
    zw_text_clear(&text);
    return zw_out_checked(status, out, path, err);
}
