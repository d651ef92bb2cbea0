/* SPDX-License-Identifier: MIT */
#include "table_checksum.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/checksum.h"
#include "base/table.h"
#include "utf8.h"

static uint64_t add_text(uint64_t h, const char *s) {
    while (*s) {
        size_t n = (size_t)zw_out_utf8_length(s);
        if (*s != '\r')
            h = n ? zw_checksum(h, s, n) : zw_checksum(h, "\xef\xbf\xbd", 3);
        s += n ? n : 1;
    }
    return zw_checksum(h, "", 1);
}

void zw_out_checksum_note(zw_out_checksum *c, const char *key, const char *value) {
    if (strcmp(key, ZW_OUT_CHECKSUM) != 0)
        c->notes += add_text(add_text(ZW_CHECKSUM_START, key), value);
}

static uint64_t add_number(uint64_t h, uint64_t bits) {
    unsigned char byte[8];
    for (int i = 0; i < 8; i++)
        byte[i] = (unsigned char)(bits >> 8 * i);
    return zw_checksum(h, byte, sizeof byte);
}

void zw_out_checksum_rows(zw_out_checksum *c, const double *data, size_t n) {
    for (size_t i = 0; i < n; i++) {
        double value = isnan(data[i]) ? (double)NAN : data[i];
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        c->rows = add_number(c->rows, bits);
    }
}

void zw_out_checksum_begin(zw_out_checksum *c, const zw_table *t) {
    *c = (zw_out_checksum){.columns = ZW_CHECKSUM_START, .rows = ZW_CHECKSUM_START};
    for (int j = 0; j < zw_table_columns(t); j++)
        c->columns = add_text(add_text(c->columns, zw_table_name(t, j)), zw_table_unit(t, j));
    for (int i = 0; i < zw_table_notes(t); i++)
        zw_out_checksum_note(c, zw_table_note_key(t, i), zw_table_note_value(t, i));
}

void zw_out_checksum_text(const zw_out_checksum *c, char out[ZW_OUT_CHECKSUM_LENGTH]) {
    uint64_t h =
        add_number(add_number(add_number(ZW_CHECKSUM_START, c->columns), c->rows), c->notes);
    snprintf(out, ZW_OUT_CHECKSUM_LENGTH, "%016llx", (unsigned long long)h);
}

static void put_sum(const zw_table *t, char out[ZW_OUT_CHECKSUM_LENGTH]) {
    zw_out_checksum c;
    zw_out_checksum_begin(&c, t);
    if (zw_table_rows(t) > 0)
        zw_out_checksum_rows(&c, zw_table_data(t),
                             (size_t)zw_table_rows(t) * (size_t)zw_table_columns(t));
    zw_out_checksum_text(&c, out);
}

void zw_out_checksum_of(const zw_table *t, char out[ZW_OUT_CHECKSUM_LENGTH]) {
    out[0] = '\0';
    if (zw_table_get_note(t, "zwang"))
        put_sum(t, out);
}

zw_status zw_out_checksum_fail(const char *path, zw_error *err) {
    zw_fail(err, ZW_E_FILE, "'%s' was damaged or changed: its checksum does not match", path);
    zw_error_hint(
        err,
        "copy it or compute it again; if you changed it on purpose, delete its note `checksum`");
    return ZW_E_FILE;
}

zw_status zw_out_checksum_check(zw_table *t, const char *path, zw_error *err) {
    char sum[ZW_OUT_CHECKSUM_LENGTH];
    const char *written = zw_table_get_note(t, ZW_OUT_CHECKSUM);
    if (!written)
        return ZW_OK;
    put_sum(t, sum);
    if (strcmp(sum, written) != 0)
        return zw_out_checksum_fail(path, err);
    zw_table_remove_note(t, ZW_OUT_CHECKSUM);
    zw_table_set_checked(t);
    return ZW_OK;
}
