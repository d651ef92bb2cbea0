/* SPDX-License-Identifier: MIT */
/* Tables as JSON:
 *
 *     { "notes": {"model": "..."}, "columns": [{"name": "t", "unit": "s"}, ...],
 *       "rows": [[0, 1], ...] }
 *
 * with the fewest digits that read back as the same bits. JSON has no infinities and no NaN: they
 * become null, and a member "infinite": [[row, column, sign], ...] (counted from 0, sign 1 or -1)
 * lists those that are infinite. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/decimal.h"
#include "file.h"
#include "table_checksum.h"
#include "utf8.h"
#include "zwang/table.h"

static void write_string(FILE *out, const char *text) {
    fputc('"', out);
    for (const char *s = text; *s;) {
        int n = zw_out_utf8_length(s);
        if (n == 0)
            fputs("\\ufffd", out); /* the replacement character */
        else if (*s == '"' || *s == '\\')
            fprintf(out, "\\%c", *s);
        else if (*s == '\n')
            fputs("\\n", out);
        else if ((unsigned char)*s < 0x20)
            fprintf(out, "\\u%04x", (unsigned)*s);
        else
            fwrite(s, 1, (size_t)n, out);
        s += n ? n : 1;
    }
    fputc('"', out);
}

static void write_note(FILE *out, const char *key, const char *value, const char **separator) {
    fputs(*separator, out);
    write_string(out, key);
    fputs(": ", out);
    write_string(out, value);
    *separator = ",\n";
}

static void write_notes(FILE *out, const zw_table *t) {
    const char *separator = "\n";
    char sum[ZW_OUT_CHECKSUM_LENGTH];
    fputs("{\n\"notes\": {", out);
    for (int i = 0; i < zw_table_notes(t); i++)
        if (strcmp(zw_table_note_key(t, i), ZW_OUT_CHECKSUM) != 0)
            write_note(out, zw_table_note_key(t, i), zw_table_note_value(t, i), &separator);
    zw_out_checksum_of(t, sum);
    if (sum[0])
        write_note(out, ZW_OUT_CHECKSUM, sum, &separator);
    fputs("\n},\n", out);
}

static void write_columns(FILE *out, const zw_table *t) {
    fputs("\"columns\": [", out);
    for (int j = 0; j < zw_table_columns(t); j++) {
        fputs(j ? ",\n{\"name\": " : "\n{\"name\": ", out);
        write_string(out, zw_table_name(t, j));
        fputs(", \"unit\": ", out);
        write_string(out, zw_table_unit(t, j));
        fputc('}', out);
    }
    fputs("\n],\n", out);
}

static void write_row(FILE *out, const double *row, int n) {
    char text[ZW_DECIMAL_MAX + 1];
    for (int j = 0; j < n; j++) {
        int length = 4;
        text[0] = j ? ',' : '[';
        if (isfinite(row[j]))
            length = zw_decimal(text + 1, row[j]);
        else
            memcpy(text + 1, "null", 4);
        fwrite_unlocked(text, 1, (size_t)length + 1, out);
    }
    fputc(']', out);
}

static void write_rows(zw_out_file *f, const zw_table *t) {
    int n = zw_table_columns(t);
    fputs("\"rows\": [", f->stream);
    for (long i = 0; i < zw_table_rows(t) && zw_out_is_well(f); i++) {
        fputs(i ? ",\n" : "\n", f->stream);
        write_row(f->stream, zw_table_data(t) + i * n, n);
    }
    fputs("\n]", f->stream);
}

static void write_infinities(FILE *out, const zw_table *t) {
    bool any = false;
    for (long i = 0; i < zw_table_rows(t); i++)
        for (int j = 0; j < zw_table_columns(t); j++) {
            double v = zw_table_at(t, i, j);
            if (!isinf(v))
                continue;
            fputs(any ? ",\n" : ",\n\"infinite\": [\n", out);
            fprintf(out, "[%ld,%d,%d]", i, j, v > 0 ? 1 : -1);
            any = true;
        }
    fputs(any ? "\n]\n}\n" : "\n}\n", out);
}

/* writes to path, or to bytes if path is NULL */
static zw_status write_table(const zw_table *t, const char *path, zw_bytes *bytes, zw_error *err) {
    zw_out_file f;
    ZW_TRY(zw_out_begin(&f, path, bytes, err));
    write_notes(f.stream, t);
    write_columns(f.stream, t);
    write_rows(&f, t);
    write_infinities(f.stream, t);
    return zw_out_commit(&f, err);
}

zw_status zw_table_write_json(const zw_table *t, const char *path, zw_error *err) {
    return write_table(t, path, NULL, err);
}

zw_status zw_table_json_bytes(const zw_table *t, zw_bytes *out, zw_error *err) {
    *out = (zw_bytes){0};
    return write_table(t, NULL, out, err);
}
