/* SPDX-License-Identifier: MIT */
/* Helpers of all targets. A target is one function of a byte string. It calls abort() if one of
 * these invariants is violated:
 *   - a failure has a status and a message (fuzz_well)
 *   - memory is bounded, and all of it is freed (fuzz_context, fuzz_close)
 *   - writing and reading a table preserves it (fuzz_check)
 *   - both tiers of code give the same bits (fuzz_tiers) */
#ifndef ZW_FUZZ_H
#define ZW_FUZZ_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "zwang/zwang.h"

enum { FUZZ_MEMORY_MAX = 512 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- failures ---- */

static inline bool fuzz_well(zw_status status, const zw_error *err) {
    if (status < 0 && (!err->text[0] || err->status != status))
        abort();
    return status >= 0;
}

/* A report can be written in every way; it is destroyed. */
static inline void fuzz_report(zw_report *r) {
    zw_bytes bytes;
    if (zw_report_text(r, &bytes, NULL) < 0)
        abort();
    zw_bytes_clear(&bytes);
    if (zw_report_json(r, &bytes, NULL) < 0)
        abort();
    zw_bytes_clear(&bytes);
    zw_report_destroy(r);
}

/* ---- bytes, numbers, files ---- */

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

/* what an input chooses besides being a text: a number that follows from all its bytes */
static inline uint32_t fuzz_hash(const uint8_t *data, size_t size) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < size; i++)
        h = (h ^ data[i]) * 16777619u;
    return h ^ (h >> 15);
}

/* Bytes as decisions, one after the other; after the last one they are random, and the same for the
 * same input. */
typedef struct fuzz_bytes {
    const uint8_t *at, *end;
    uint32_t more;
} fuzz_bytes;

static inline fuzz_bytes fuzz_decisions(const uint8_t *data, size_t size) {
    return (fuzz_bytes){data, data + size, fuzz_hash(data, size)};
}

static inline unsigned fuzz_byte(fuzz_bytes *b) {
    if (b->at < b->end)
        return *b->at++;
    b->more = b->more * 1664525u + 1013904223u;
    return b->more >> 24;
}

static inline unsigned fuzz_pick(fuzz_bytes *b, unsigned n) { /* 0 .. n-1 */
    unsigned high = n > 256 ? fuzz_byte(b) : 0;
    return n ? (256 * high + fuzz_byte(b)) % n : 0;
}

/* One change to some bytes, in memory of `room` bytes. */
static inline void fuzz_damage(char *data, size_t *size, size_t room, fuzz_bytes *b) {
    unsigned kind = fuzz_pick(b, 6), value = fuzz_byte(b);
    size_t at = *size ? fuzz_pick(b, (unsigned)*size) : 0, n = fuzz_byte(b);
    if (kind == 0 && *size) { /* another byte */
        data[at] = (char)value;
    } else if (kind == 1) { /* cut off */
        *size = at;
    } else if (kind == 2) { /* bytes taken out */
        n = n < *size - at ? n : *size - at;
        memmove(data + at, data + at + n, *size - at - n);
        *size -= n;
    } else if (kind == 3 && *size + n <= room) { /* bytes put in */
        memmove(data + at + n, data + at, *size - at);
        memset(data + at, (int)value, n);
        *size += n;
    } else if (kind == 4) { /* nulls, as after a loss of power */
        memset(data + at, 0, *size - at);
    } else if (kind == 5) { /* another digit, where one stands */
        while (at < *size && (data[at] < '0' || data[at] > '9'))
            at++;
        if (at < *size)
            data[at] = (char)('0' + value % 10);
    }
}

/* numbers of moderate size, the same for the same seed */
static inline void fuzz_numbers(uint32_t seed, int n, double *out) {
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        out[i] = (double)(int32_t)seed * 0x1p-30;
    }
}

static inline double *fuzz_room(int n) {
    double *room = calloc((size_t)n + 1, sizeof *room);
    if (!room)
        abort();
    return room;
}

/* in memory, where there is such a place */
static inline const char *fuzz_folder(void) {
    return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}

/* a path of this process */
static inline const char *fuzz_path(const char *ending) {
    static char path[64];
    snprintf(path, sizeof path, "%s/zwang-fuzz-%d%s", fuzz_folder(), (int)getpid(), ending);
    return path;
}

static inline void fuzz_put(const char *path, const void *data, size_t size) {
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0)
        abort();
}

/* ---- contexts and models ---- */

static size_t fuzz_in_use;

static inline void *fuzz_bounded(void *ud, void *ptr, size_t old_size, size_t new_size) {
    (void)ud;
    if (new_size > old_size && fuzz_in_use + (new_size - old_size) > FUZZ_MEMORY_MAX)
        return NULL;
    fuzz_in_use = fuzz_in_use - old_size + new_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, new_size);
}

static inline zw_context *fuzz_context(void) {
    zw_context *ctx = zw_context_create(&(zw_allocator){fuzz_bounded, NULL});
    if (!ctx)
        abort();
    return ctx;
}

static inline void fuzz_close(zw_context *ctx) {
    zw_context_destroy(ctx);
    if (fuzz_in_use != 0)
        abort(); /* a leak that the sanitizer does not see */
}

/* The system of a text, or NULL. */
static inline zw_system *fuzz_read(zw_context *ctx, const uint8_t *data, size_t size) {
    zw_system *sys;
    zw_error err = {0};
    return fuzz_well(zw_model_parse(&sys, ctx, (const char *)data, size, "fuzz.zw", NULL, &err),
                     &err)
               ? sys
               : NULL;
}

/* The system of a text of the target itself. */
static inline zw_system *fuzz_model(zw_context *ctx, const char *text) {
    zw_system *sys;
    zw_error err = {0};
    if (zw_model_parse(&sys, ctx, text, strlen(text), "model", NULL, &err) < 0) {
        fprintf(stderr, "%d: %s\n", err.line, err.text);
        abort();
    }
    return sys;
}

/* ---- kernels ---- */

/* All functions of a kernel at one point, one after the other. */
static inline double *fuzz_values(const zw_kernel *k, const double *p, uint32_t seed, int *n) {
    int many = k->nx + k->nz + k->nu + k->nmode;
    double *in = fuzz_room(1 + 4 * many), *cache = fuzz_room(k->ncache),
           *work = fuzz_room(k->nwork);
    *n = 0;
    for (int f = 0; f < ZW_FN_COUNT; f++)
        *n += k->fn[f].call ? k->fn[f].nout : 0;
    double *out = fuzz_room(*n + k->nout), *at = out;
    fuzz_numbers(seed, 1 + 4 * many, in);
    for (int i = 0; i < k->nmode; i++) /* modes are pieces: -1, 0, 1 */
        in[1 + k->nx + k->nz + k->nu + i] = (double)((int)((seed >> (i % 16)) % 3) - 1);
    zw_prepare(k, p, cache, work);
    double *x = in + 1, *z = x + k->nx, *u = z + k->nz, *d = x + many;
    const zw_args args = {
        .t = in, .x = x, .z = z, .u = u, .d1 = d, .d2 = d + many, .d3 = d + 2 * many, .c = cache};
    for (int f = 0; f < ZW_FN_COUNT; f++)
        if (k->fn[f].call) {
            zw_kernel_call(k, (zw_function_name)f, &args, at, work);
            at += k->fn[f].nout;
        }
    free(in);
    free(cache);
    free(work);
    return out;
}

static inline bool fuzz_same_bits(int n, const double *a, const double *b) {
    for (int i = 0; i < n; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) != 0 && !(a[i] != a[i] && b[i] != b[i]))
            return false;
    return true;
}

/* Interpreter and native code give the same bits at any point. */
static inline void fuzz_tiers(zw_kernel *k, const double *p, uint32_t seed) {
    enum { POINTS = 3 };
    double *before[POINTS];
    int n = 0;
    for (int i = 0; i < POINTS; i++)
        before[i] = fuzz_values(k, p, seed + (uint32_t)i, &n);
    if (zw_kernel_compile(k, NULL) >= 0)
        for (int i = 0; i < POINTS; i++) {
            double *after = fuzz_values(k, p, seed + (uint32_t)i, &n);
            if (!fuzz_same_bits(n, before[i], after))
                abort();
            free(after);
        }
    for (int i = 0; i < POINTS; i++)
        free(before[i]);
}

/* ---- tables ---- */

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
            if (!fuzz_same_bits(1, &x, &y))
                return false;
        }
    return true;
}

/* A note or a number of a table changed: what a checksum of the file would not let pass is seen by
 * what comes after. */
static inline void fuzz_damage_table(zw_table *t, fuzz_bytes *b) {
    static const double odd[] = {NAN, INFINITY, -INFINITY, 0, -1, 1e300, 5e-324, 0.5};
    if (fuzz_byte(b) & 1 && zw_table_rows(t) > 0) {
        long row = zw_table_rows(t) - 1 - (long)fuzz_pick(b, (unsigned)zw_table_rows(t));
        int column = (int)fuzz_pick(b, (unsigned)zw_table_columns(t));
        zw_table_set(t, row, column, odd[fuzz_pick(b, sizeof odd / sizeof *odd)]);
    } else if (zw_table_notes(t) > 0) {
        int i = (int)fuzz_pick(b, (unsigned)zw_table_notes(t));
        char *key = strdup(zw_table_note_key(t, i));
        size_t size = strlen(zw_table_note_value(t, i)), room = 2 * size + 300;
        char *value = calloc(room + 1, 1);
        if (!key || !value)
            abort();
        memcpy(value, zw_table_note_value(t, i), size);
        fuzz_damage(value, &size, room, b);
        value[size] = '\0';
        if (fuzz_byte(b) % 8 == 0)
            zw_table_remove_note(t, key);
        else if (zw_table_note(t, key, value) < 0)
            abort();
        free(key);
        free(value);
    }
}

/* What a reader gave back. t is destroyed. */
static inline void fuzz_check(zw_status status, zw_table *t, const zw_error *err,
                              const char *ending) {
    char message[2048];
    zw_error_format(err, message, sizeof message);
    if (!fuzz_well(status, err)) {
        if (t)
            abort();
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

#endif
