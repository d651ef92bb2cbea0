/* SPDX-License-Identifier: MIT */
/* Any text that is a model: its constraints are classified, its claims judged and repaired, its
 * principles compared, or it is said why not. An equation that was repaired holds. */
#include "fuzz.h"

enum { STATES = 12, CLAIMS = 8 };

static void check_claim(const zw_system *sys, const zw_claim *claim,
                        const zw_verify_options *options) {
    zw_trials trials;
    zw_verdict v;
    zw_error err = {0};
    if (!fuzz_well(zw_trials_for(&trials, sys, claim, NULL, options, &err), &err))
        return;
    err = (zw_error){0};
    if (!fuzz_well(zw_verify(&v, sys, claim, &trials, &err), &err))
        return;
    if (v.nrepair < 0 || v.nrepair > ZW_REPAIRS_MAX || (v.holds && v.nrepair) || v.states < 1)
        abort();
    for (int r = 0; r < v.nrepair; r++)
        if (!v.repair[r].words || !v.repair[r].words[0])
            abort();
}

static void check_claims(const zw_system *sys, uint64_t seed) {
    zw_verify_options options = zw_verify_options_default();
    options.states = STATES;
    options.seed = seed;
    for (int i = 0; i < sys->nclaim && i < CLAIMS; i++)
        check_claim(sys, &sys->claim[i], &options);
}

static void check_principles(const uint8_t *data, size_t size) {
    const zw_model_source source = {.text = (const char *)data, .length = size, .file = "fuzz.zw"};
    zw_compare_options options = zw_compare_options_default();
    zw_comparison *c;
    zw_error err = {0};
    const zw_allocator bounded = {fuzz_bounded, NULL};
    options.states = 2;
    options.allocator = &bounded;
    if (!fuzz_well(zw_compare(&c, &source, &options, &err), &err))
        return;
    fuzz_well(zw_comparison_judge(c, &err), &err);
    zw_comparison_destroy(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    zw_context *ctx = fuzz_context();
    zw_system *sys = fuzz_read(ctx, data, size);
    uint32_t hash = fuzz_hash(data, size);
    zw_classification is;
    zw_error err = {0};
    if (sys && fuzz_well(zw_classify(&is, sys, NULL, &err), &err))
        check_claims(sys, hash);
    bool read = sys != NULL;
    fuzz_close(ctx);
    if (read && hash % 4 == 0)
        check_principles(data, size);
    if (fuzz_in_use != 0)
        abort();
    return 0;
}
