/* SPDX-License-Identifier: MIT */
/* Any text that is a model: some steps of its motion by any principle and method end or fail with
 * words. The same run again gives the same bits, interpreted or not, and a result that has been
 * written is read as it was. */
#include "fuzz.h"

enum { STEPS = 30 };

/* the run of one simulation; its rows must be the same each time */
static zw_status run(zw_sim *sim, zw_error *err) {
    zw_status status = zw_sim_run(sim, err);
    fuzz_well(status, err);
    if (zw_table_rows(zw_sim_rows(sim)) == 0 && status >= 0)
        abort(); /* an end without a start */
    return status;
}

static void check_file(const zw_table *rows) {
    zw_bytes bytes;
    zw_table *back;
    zw_error err = {0};
    if (fuzz_well(zw_table_csv_bytes(rows, &bytes, &err), &err)) {
        if (zw_table_read_bytes(&back, bytes.data, bytes.size, "fuzz.csv", &err) < 0 ||
            !fuzz_is_same(rows, back))
            abort();
        zw_table_destroy(back);
        zw_bytes_clear(&bytes);
    }
    if (fuzz_well(zw_table_json_bytes(rows, &bytes, &err), &err)) {
        if (zw_table_read_bytes(&back, bytes.data, bytes.size, "fuzz.json", &err) < 0 ||
            !fuzz_is_same(rows, back))
            abort();
        zw_table_destroy(back);
        zw_bytes_clear(&bytes);
    }
}

static bool is_same_motion(const zw_table *a, const zw_table *b) {
    long n = zw_table_rows(a) * zw_table_columns(a);
    return zw_table_rows(a) == zw_table_rows(b) && zw_table_columns(a) == zw_table_columns(b) &&
           fuzz_same_bits((int)n, zw_table_data(a), zw_table_data(b));
}

static zw_sim_options choose(uint32_t hash) {
    zw_sim_options o = zw_sim_options_default();
    int methods = 1, principles = 1; /* there is one at least */
    const char *name, *about;
    while (zw_run_method(methods + 1, &name, &about))
        methods++;
    while (zw_principles()[principles].name)
        principles++;
    o.until = hash & 1 ? 1 : 0.01;
    o.step_out = o.until / 8;
    o.memory_max = 16e6;
    o.jit = ZW_JIT_NEVER;
    o.energy = hash & 2;
    o.run.steps_max = STEPS;
    if (hash & 4 && zw_run_method(1 + (int)(hash / 64 % (uint32_t)methods), &name, &about))
        o.run.method = name;
    if (hash & 8)
        o.principle = zw_principles()[hash / 1024 % (uint32_t)principles].name;
    if (o.run.method && (strcmp(name, "rattle") == 0 || strcmp(name, "energy") == 0))
        o.run.step = o.until / 10;
    return o;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    zw_context *ctx = fuzz_context();
    zw_system *sys = fuzz_read(ctx, data, size);
    uint32_t hash = fuzz_hash(data, size);
    zw_sim_options options = choose(hash);
    const zw_model_source source = {.text = (const char *)data, .length = size, .file = "fuzz.zw"};
    zw_sim *sim = NULL, *again = NULL;
    zw_error err = {0}, other = {0};
    if (sys && fuzz_well(zw_sim_create(&sim, sys, &source, &options, &err), &err)) {
        zw_status first = run(sim, &err);
        check_file(zw_sim_rows(sim));
        check_file(zw_sim_events(sim));
        options.jit = ZW_JIT_AT_ONCE;
        if (hash & 16 && first != ZW_E_MEMORY && zw_native_library(NULL, NULL) >= 0 &&
            zw_sim_create(&again, sys, &source, &options, &other) >= 0 &&
            (run(again, &other) != first ||
             !is_same_motion(zw_sim_rows(sim), zw_sim_rows(again))) &&
            other.status != ZW_E_MEMORY)
            abort();
        zw_sim_destroy(again);
    }
    zw_sim_destroy(sim);
    fuzz_close(ctx);
    return 0;
}
