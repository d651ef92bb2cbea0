/* SPDX-License-Identifier: MIT */
/* A model by its products without dimension: what they are, the model in their terms. */
#include <stdio.h>
#include <string.h>

#include "derive.h"
#include "job.h"

#define AT(field) offsetof(cli_options, field)

static const zw_option table[] = {
    {"scale", ZW_OPT_LIST, AT(chart.scale), 0, 0, 0, "", "WORD=PRODUCT",
     "what takes the place of a unit: length=r, time=sqrt(r/g), mass=m; several times; without it "
     "parameters are chosen"},
    {"name", ZW_OPT_LIST, AT(chart.name), 0, 0, 0, "", "NAME=PRODUCT",
     "a product without dimension that shall be a parameter: \"kappa = e/r\"; several times"},
    {"nondim", ZW_OPT_STRING, AT(chart.nondim), 0, 0, 0, "", "FILE",
     "the scaled model as text, .zw; - writes it to standard output"},
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "all numbers as JSON"},
    {0},
};

/* ---------------------------------------------------------------------------------------- products */

static zw_status write_scaled(const cli_options *o, zw_products *p, zw_error *err) {
    const char *text;
    double worst;
    bool out = strcmp(o->chart.nondim, "-") == 0;
    ZW_TRY(zw_products_model(p, &text, &worst, err));
    ZW_TRY(cli_write_text(out ? NULL : o->chart.nondim, text, err));
    if (o->quiet)
        return ZW_OK;
    if (!out)
        fprintf(stderr, "%s: the scaled model\n", o->chart.nondim);
    fprintf(stderr,
            "read again and compared: its rates at 64 random states are those of the model within "
            "%.1e\n",
            worst);
    for (int i = 0; i < zw_products_count(p); i++)
        if (zw_products_at(p, i)->idle)
            fprintf(stderr, "no rate depends on %s = %s\n", zw_products_at(p, i)->name,
                    zw_products_at(p, i)->formula);
    if (zw_products_literals(p))
        fprintf(stderr,
                "%d number%s of the text with a dimension and no name: right for these values of "
                "the scales only; give %s a name (param) to make a product of\n",
                zw_products_literals(p), zw_products_literals(p) == 1 ? "" : "s",
                zw_products_literals(p) == 1 ? "it" : "them");
    return ZW_OK;
}

static zw_status products(const cli_options *o, const zw_model_source *source, zw_error *err) {
    zw_products_options options = zw_products_options_default();
    zw_products *p;
    options.nscale = o->chart.scale.n;
    options.scale = o->chart.scale.item;
    options.nname = o->chart.name.n;
    options.name = o->chart.name.item;
    if (o->chart.nondim)
        ZW_TRY(cli_place_write(o, o->chart.nondim, err));
    ZW_TRY(zw_products_create(&p, source, &options, err));
    zw_status status = ZW_OK;
    if (!o->chart.nondim || strcmp(o->chart.nondim, "-") != 0) {
        const char *text = o->json ? zw_products_json(p) : zw_products_text(p);
        status =
            text ? cli_write_text(NULL, text, err) : zw_fail(err, ZW_E_MEMORY, "out of memory");
    }
    if (status >= 0 && o->chart.nondim)
        status = write_scaled(o, p, err);
    zw_products_destroy(p);
    return status;
}

static int run(const cli_options *o, const char *const *words, zw_error *err) {
    cli_model model = {0};
    cli_signals watched;
    cli_signals_begin(&watched);
    zw_status status = cli_model_open(&model, words[0], o, err);
    if (status >= 0) {
        zw_model_source source = cli_model_source(&model, words[0]);
        status = products(o, &source, err);
        status = cli_judge(o, model.doubts, status, err);
    }
    cli_model_close(&model);
    cli_signals_end(&watched);
    return cli_exit_code(status);
}

static const cli_group groups[] = {
    {"products without dimension", table, 0},
    {"what is told", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {0},
};

const cli_command cli_chart = {
    .name = "chart",
    .usage = "chart MODEL [--scale WORD=PRODUCT] [--name NAME=PRODUCT] [--nondim FILE]",
    .about = "products without dimension, the scaled model",
    .details =
        "Products without dimension that the units of the parameters make, and the model in their "
        "terms, as text.",
    .examples =
        "  zwang chart models/heavy_top.zw\n"
        "  zwang chart models/tippedisk_slow.zw --scale length=r --scale \"time=1/Omega\" \\\n"
        "      --name \"kappa = e/r\" --name \"zeta = J_1/J_2\" --nondim scaled.zw\n",
    .groups = groups,
    .arguments = 1,
    .run = run,
};
