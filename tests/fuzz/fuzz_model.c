/* SPDX-License-Identifier: MIT */
/* Any bytes as a model text: it is read or refused with a message, never a crash, a leak or an
 * endless loop. Memory is bounded so that a model may fail for lack of it, but not the machine.
 *
 *   clang -fsanitize=fuzzer,address,undefined ... && ./fuzz_model tests/fuzz/corpus models */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "zwang/model.h"

enum { MEMORY_MAX = 256 << 20 };

static size_t in_use;

static void *bounded(void *ud, void *ptr, size_t old_size, size_t new_size) {
    (void)ud;
    if (new_size > old_size && in_use + (new_size - old_size) > MEMORY_MAX)
        return NULL;
    in_use = in_use - old_size + new_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, new_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    in_use = 0;
    zw_context *ctx = zw_context_create(&(zw_allocator){bounded, NULL});
    if (!ctx)
        return 0;
    zw_error err = {0};
    zw_system *system;
    zw_status status =
        zw_model_parse(&system, ctx, (const char *)data, size, "fuzz.zw", NULL, &err);
    if (status < 0 && (!err.text[0] || err.status != status))
        abort(); /* refused without a word */
    char message[2048];
    zw_error_format(&err, message, sizeof message);
    zw_context_destroy(ctx);
    if (in_use != 0)
        abort(); /* a leak behind the sanitizer's back */
    return 0;
}
