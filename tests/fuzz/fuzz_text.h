/* SPDX-License-Identifier: MIT */
/* A model text on its way past the parser: contexts with bounded memory, failures that have words, kernels
 * whose tiers agree. What a target does beside is in its own file. */
#ifndef ZW_FUZZ_TEXT_H
#define ZW_FUZZ_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "zwang/zwang.h"

enum { FUZZ_MEMORY_MAX = 512 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
        abort(); /* a leak behind the sanitizer's back */
}

/* a failure has its status and a sentence */
static inline bool fuzz_well(zw_status status, const zw_error *err) {
    if (status < 0 && (!err->text[0] || err->status != status))
        abort();
    return status >= 0;
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

/* what an input chooses beside being a text: a number that follows from all its bytes */
static inline uint32_t fuzz_hash(const uint8_t *data, size_t size) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < size; i++)
        h = (h ^ data[i]) * 16777619u;
    return h ^ (h >> 15);
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

/* All functions of a kernel at one point, one behind the other. */
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

#endif
