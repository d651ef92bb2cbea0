/* SPDX-License-Identifier: MIT */
/* Any bytes as a model text: it is read or refused with a message, never a crash, a leak or an
 * endless loop. Memory is bounded so that a model may fail for lack of it, but not the machine.
 *
 *   clang -fsanitize=fuzzer,address,undefined ... && ./fuzz_model tests/fuzz/corpus models */
#include <stdbool.h>
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

/* the faults come in the order of the text, each with words of its own */
typedef struct order {
    int n, line, column;
} order;

static void hear(void *user, const zw_error *fault) {
    order *o = user;
    bool text = strcmp(fault->file, "fuzz.zw") == 0;
    bool later = fault->line > o->line || (fault->line == o->line && fault->column > o->column);
    if (fault->status >= 0 || !fault->text[0] || (text && o->n && !later))
        abort();
    o->n++;
    o->line = fault->line;
    o->column = fault->column;
}

/* one reading of the text in a context of its own */
static void read_model(const char *text, size_t size, const char *variant) {
    in_use = 0;
    zw_context *ctx = zw_context_create(&(zw_allocator){bounded, NULL});
    if (!ctx)
        return;
    zw_error err = {0};
    zw_system *system;
    order heard = {0};
    const zw_model_options options = {.variant = variant, .fault = hear, .fault_user = &heard};
    zw_status status = zw_model_parse(&system, ctx, text, size, "fuzz.zw", &options, &err);
    if (status < 0 && (!err.text[0] || err.status != status))
        abort(); /* refused without a word */
    if ((status < 0 && status != ZW_E_MEMORY) != (heard.n > 0))
        abort(); /* refused without a fault, or read with one */
    char message[2048];
    zw_error_format(&err, message, sizeof message);
    zw_context_destroy(ctx);
    if (in_use != 0)
        abort(); /* a leak behind the sanitizer's back */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text = (const char *)data, *const * names;
    int n;
    read_model(text, size, NULL);
    zw_context *ctx = zw_context_create(NULL);
    if (ctx && zw_model_variants(ctx, text, size, "fuzz.zw", &names, &n, NULL) >= 0 && n > 0)
        read_model(text, size, names[0]);
    zw_context_destroy(ctx);
    return 0;
}
