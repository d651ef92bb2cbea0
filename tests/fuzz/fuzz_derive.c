/* SPDX-License-Identifier: MIT */
/* Any text that is a model: every principle derives or refuses with words; what one of them derived
 * can be written in every form, and the code of both tiers gives the same bits. */
#include "fuzz.h"

static void check_forms(const zw_equations *eq, zw_simplification how) {
    for (int f = ZW_EQUATIONS_TEXT; f <= ZW_EQUATIONS_PAGE; f++)
        zw_string_free(eq->sys->ctx, zw_equations_write(eq, (zw_equation_format)f, how));
    zw_error err = {0};
    zw_string_free(eq->sys->ctx, zw_emit_c(eq, &err));
}

static void check_code(const zw_equations *eq, uint32_t hash) {
    zw_kernel_options options = zw_kernel_options_default();
    zw_error err = {0};
    zw_kernel *k;
    options.jit = ZW_JIT_NEVER;
    options.modes = hash & 1;
    if (hash & 2)
        options.functions = ~(zw_functions)0 >> (8 * sizeof(zw_functions) - ZW_FN_COUNT);
    if (!fuzz_well(zw_kernel_create(&k, eq, &options, &err), &err))
        return;
    double *p = fuzz_room(k->np);
    if (zw_system_param_values(eq->sys, p, NULL) >= 0)
        fuzz_tiers(k, p, hash);
    free(p);
    zw_kernel_destroy(k);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    zw_context *ctx = fuzz_context();
    zw_system *sys = fuzz_read(ctx, data, size);
    uint32_t hash = fuzz_hash(data, size);
    int count = 1, chosen; /* there is one principle at least */
    while (zw_principles()[count].name)
        count++;
    chosen = (int)(hash % (uint32_t)count);
    for (int i = 0; sys && i < count; i++) {
        zw_equations eq;
        zw_error err = {0};
        if (!fuzz_well(zw_derive(&eq, sys, NULL, zw_principles()[i].name, &err), &err)) {
            if (err.status == ZW_E_MEMORY)
                break;
            continue;
        }
        if (i == chosen) {
            check_forms(&eq, (zw_simplification)(hash / 64 % 3));
            check_code(&eq, hash / 256);
        }
    }
    fuzz_close(ctx);
    return 0;
}
