/* SPDX-License-Identifier: MIT */
/* Any bytes as a model text: it is read or rejected with a message, never a crash, a leak or an
 * endless loop. */
#include "fuzz.h"

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
    zw_context *ctx = fuzz_context();
    zw_error err = {0};
    zw_system *system;
    order heard = {0};
    const zw_model_options options = {.variant = variant, .fault = hear, .fault_user = &heard};
    zw_status status = zw_model_parse(&system, ctx, text, size, "fuzz.zw", &options, &err);
    fuzz_well(status, &err);
    if ((status < 0 && status != ZW_E_MEMORY) != (heard.n > 0))
        abort(); /* rejected without a fault, or read with one */
    char message[2048];
    zw_error_format(&err, message, sizeof message);
    fuzz_close(ctx);
}

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
