/* SPDX-License-Identifier: MIT */
/* Tables as JSON:
 *
 *     { "notes": {"model": "..."}, "columns": [{"name": "t", "unit": "s"}, ...],
 *       "rows": [[0, 1], ...] }
 *
 * with 17 significant digits. JSON has no infinities and no NaN: they become null, and a note
 * "not_finite" says so. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "file.h"
#include "utf8.h"
#include "zwang/table.h"

static void write_string(FILE *out, const char *text) {
    fputc('"', out);
    for (const char *s = text; *s;) {
        int n = zw_out_utf8_length(s);
        if (n == 0)
            fputs("\\ufffd", out); /* the sign for what is no character */
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

static bool is_all_finite(const zw_table *t) {
    for (long i = 0; i < zw_table_rows(t); i++)
        for (int j = 0; j < zw_table_columns(t); j++)
            if (!isfinite(zw_table_at(t, i, j)))
                return false;
    return true;
}

static void write_notes(FILE *out, const zw_table *t) {
    const char *separator = "\n";
    fputs("{\n\"notes\": {", out);
    for (int i = 0; i < zw_table_notes(t); i++) {
        fputs(separator, out);
        write_string(out, zw_table_note_key(t, i));
        fputs(": ", out);
        write_string(out, zw_table_note_value(t, i));
        separator = ",\n";
    }
    if (!is_all_finite(t))
        fprintf(out, "%s\"not_finite\": \"null stands for a value that is not finite\"", separator);
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

static void write_rows(FILE *out, const zw_table *t) {
    fputs("\"rows\": [", out);
    for (long i = 0; i < zw_table_rows(t); i++) {
        fputs(i ? ",\n[" : "\n[", out);
        for (int j = 0; j < zw_table_columns(t); j++) {
            double v = zw_table_at(t, i, j);
            if (j)
                fputs(", ", out);
            if (isfinite(v))
                fprintf(out, "%.17g", v);
            else
                fputs("null", out);
        }
        fputc(']', out);
    }
    fputs("\n]\n}\n", out);
}

zw_status zw_table_write_json(const zw_table *t, const char *path, zw_error *err) {
    zw_out_file f;
    ZW_TRY(zw_out_begin(&f, path, err));
    locale_t before = zw_out_plain_begin();
    write_notes(f.stream, t);
    write_columns(f.stream, t);
    write_rows(f.stream, t);
    zw_out_plain_end(before);
    return zw_out_commit(&f, path, err);
}
