/* SPDX-License-Identifier: MIT */
/* Any bytes as a result file: read or refused with a message, never a crash or a leak; and what was read
 * is, once written, read as the same again. */
#ifndef ZW_FUZZ_TABLE_H
#define ZW_FUZZ_TABLE_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "zwang/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* a path of this process in memory, where there is such a place */
static inline const char *fuzz_path(const char *ending) {
    static char path[64];
    snprintf(path, sizeof path, "%s/zwang-fuzz-%d%s",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (int)getpid(), ending);
    return path;
}

static inline bool fuzz_is_same(const zw_table *a, const zw_table *b) {
    if (zw_table_columns(a) != zw_table_columns(b) || zw_table_rows(a) != zw_table_rows(b) ||
        zw_table_notes(a) != zw_table_notes(b))
        return false;
    for (int j = 0; j < zw_table_columns(a); j++)
        if (strcmp(zw_table_name(a, j), zw_table_name(b, j)) != 0 ||
            strcmp(zw_table_unit(a, j), zw_table_unit(b, j)) != 0)
            return false;
    for (int i = 0; i < zw_table_notes(a); i++)
        if (strcmp(zw_table_note_key(a, i), zw_table_note_key(b, i)) != 0 ||
            strcmp(zw_table_note_value(a, i), zw_table_note_value(b, i)) != 0)
            return false;
    for (long i = 0; i < zw_table_rows(a); i++)
        for (int j = 0; j < zw_table_columns(a); j++) {
            double x = zw_table_at(a, i, j), y = zw_table_at(b, i, j);
            if (memcmp(&x, &y, sizeof x) != 0 && !(isnan(x) && isnan(y)))
                return false;
        }
    return true;
}

/* t is destroyed */
static inline void fuzz_check(zw_status status, zw_table *t, const zw_error *err,
                              const char *ending) {
    char message[2048];
    zw_error_format(err, message, sizeof message);
    if (status < 0) {
        if (t || !err->text[0] || err->status != status)
            abort(); /* refused without a word */
        return;
    }
    const char *path = fuzz_path(ending);
    zw_table *back = NULL;
    /* some names can be read that the kind cannot write, like a column without a name from JSON */
    if (zw_table_write(t, path, NULL) >= 0 &&
        (zw_table_read(&back, path, NULL) < 0 || !fuzz_is_same(t, back)))
        abort();
    unlink(path);
    zw_table_destroy(back);
    zw_table_destroy(t);
}

/* a terminated copy, as the parsers want it; freed by the caller */
static inline char *fuzz_text(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    if (!text)
        abort();
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

#endif
