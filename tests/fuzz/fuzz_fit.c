/* SPDX-License-Identifier: MIT */
/* Any bytes as measured data of a small model: rejected with words, or a few steps of a fit: then
 * its report and its table are there, times of the table grow, and what was measured is finite or
 * missing. */
#include "fuzz.h"

static const char model[] =
    "model m \"pushed\"\nparam a = 2 [m/s^2], d = 0.5 [1/s]\n"
    "coord x [m], phi [rad]\nkinetic 1/2*1[kg]*x'^2 + 1/2*1[kg*m^2]*phi'^2\n"
    "force (x) = 1[kg]*(a - d*x')\nforce (phi) = -1[N*m]*sin(phi)\n"
    "observe height = 2*x\nstart phi = 1\n";

static void look(zw_fit *f, const zw_model_source *source) {
    zw_table *t;
    zw_report *r = zw_report_create(NULL);
    if (!r || zw_fit_table(f, source, &t, NULL) < 0)
        abort();
    zw_report_word(r, "model", "m");
    zw_fit_report(f, r);
    fuzz_report(r);
    int time = zw_table_find(t, "t");
    for (long i = 0; i < zw_table_rows(t); i++)
        if (!isfinite(zw_table_at(t, i, time)) ||
            (i > 0 && zw_table_at(t, i, time) < zw_table_at(t, i - 1, time)))
            abort();
    for (int j = 0; j < zw_table_columns(t); j++)
        for (long i = 0; strncmp(zw_table_name(t, j), "data(", 5) == 0 && i < zw_table_rows(t); i++)
            if (isinf(zw_table_at(t, i, j)))
                abort();
    zw_table_destroy(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {"a", "d=0.01:10 [1/s]"}, *const column[] = {"y=2*x"};
    zw_fit_options o = zw_fit_options_default();
    zw_run_options run = zw_run_options_default();
    zw_model_source source = {.text = model, .length = strlen(model), .file = "model"};
    zw_fit *f = NULL;
    zw_error err = {0};
    if (size > 20000)
        return 0;
    const char *path = fuzz_path(size && data[0] == '{' ? "-data.json" : "-data.csv");
    fuzz_put(path, data, size);
    run.steps_max = 2000; /* times may be years */
    run.rtol = run.atol = 1e-4;
    o.run = &run;
    o.nfit = 2;
    o.fit = names;
    o.ncolumn = 1;
    o.column = column;
    o.iterations = 2;
    o.nodes = 2;
    zw_context *ctx = fuzz_context();
    zw_system *sys = fuzz_model(ctx, model);
    zw_fit_data d = {.name = path};
    if (fuzz_well(zw_fit_create(&f, sys, &source, 1, &d, &o, &err), &err) &&
        fuzz_well(zw_fit_run(f, &err), &err))
        look(f, &source);
    zw_fit_destroy(f);
    fuzz_close(ctx);
    unlink(path);
    return 0;
}
