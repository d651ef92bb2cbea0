/* SPDX-License-Identifier: MIT */
/* Data of a page as JSON within HTML; see page.c. */
#include "json.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

/* three bytes to four letters, from consecutive bytes */
typedef struct encoder {
    FILE *out;
    uint32_t bits;
    int n;
} encoder;

static void put_letters(encoder *e, int letters) {
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int i = 0; i < 4; i++)
        putc(i < letters ? alphabet[e->bits >> (18 - 6 * i) & 63] : '=', e->out);
    e->bits = 0;
    e->n = 0;
}

static void put_bytes(encoder *e, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) {
        e->bits |= (uint32_t)(value >> (8 * i) & 255) << (16 - 8 * e->n);
        if (++e->n == 3)
            put_letters(e, 4);
    }
}

static void end_bytes(encoder *e) {
    if (e->n)
        put_letters(e, e->n + 1);
}

static void put_number(encoder *e, double value, bool wide) {
    float narrow = (float)value;
    uint64_t bits = 0;
    uint32_t few;
    memcpy(&bits, &value, sizeof bits);
    memcpy(&few, &narrow, sizeof few);
    put_bytes(e, wide ? bits : few, wide ? 8 : 4);
}

void zw_page_column(FILE *out, const zw_table *t, int column, bool wide, const zw_page_rows *rows) {
    encoder e = {.out = out};
    bool all = !rows || !rows->row;
    long n = all ? zw_table_rows(t) : rows->n;
    for (long i = 0; i < n; i++)
        put_number(&e, zw_table_at(t, all ? i : rows->row[i], column), wide);
    end_bytes(&e);
}

void zw_page_values(FILE *out, long n, double (*value)(const void *from, long i),
                    const void *from) {
    encoder e = {.out = out};
    for (long i = 0; i < n; i++)
        put_number(&e, value(from, i), false);
    end_bytes(&e);
}

void zw_page_json(FILE *out, const char *json) {
    for (; *json; json++) {
        if (*json == '<')
            fputs("\\u003c", out);
        else
            putc(*json, out);
    }
}

bool zw_page_string(FILE *out, const char *s) {
    zw_text text;
    zw_allocator alloc = zw_allocator_default();
    zw_text_init(&text, &alloc);
    zw_text_json(&text, s);
    zw_page_json(out, zw_text_get(&text));
    bool ok = !text.failed;
    zw_text_clear(&text);
    return ok;
}

bool zw_page_member(FILE *out, const char *key, const char *value) {
    fprintf(out, "\"%s\":", key);
    return zw_page_string(out, value ? value : "");
}

void zw_page_numbers(FILE *out, const char *key, int n, const double *x) {
    fprintf(out, "\"%s\":%s", key, n > 1 ? "[" : "");
    for (int i = 0; i < n; i++)
        fprintf(out, isfinite(x[i]) ? "%s%.17g" : "%snull", i ? "," : "", x[i]);
    fputs(n > 1 ? "]," : ",", out);
}

void zw_page_list(FILE *out, const char *key, int n, const double *x) {
    fprintf(out, "\"%s\":[", key);
    for (int i = 0; i < n; i++)
        fprintf(out, isfinite(x[i]) ? "%s%.17g" : "%snull", i ? "," : "", x[i]);
    fputs("],", out);
}

bool zw_page_named_column(FILE *out, const zw_table *t, int column, bool wide,
                          const zw_page_rows *rows) {
    putc('{', out);
    bool ok = zw_page_member(out, "name", zw_table_name(t, column));
    putc(',', out);
    ok &= zw_page_member(out, "unit", zw_table_unit(t, column));
    fprintf(out, ",\"bytes\":%d,\"data\":\"", wide ? 8 : 4);
    zw_page_column(out, t, column, wide, rows);
    fputs("\"}", out);
    return ok;
}
