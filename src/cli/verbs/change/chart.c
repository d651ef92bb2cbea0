/* SPDX-License-Identifier: MIT */
/* Dimensionless groups of a model, inverse design, and the plane of two parameters divided into
 * regions. */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "cli/derive.h"
#include "cli/job.h"
#include "cli/picture.h"
#include "cli/progress.h"
#include "cli/reduced.h"

#define AT(field) offsetof(cli_options, field)

static const zw_option table[] = {
    {"scale", ZW_OPT_LIST, AT(chart.scale), 0, 0, 0, "", "WORD=PRODUCT",
     "what takes the place of a unit: length=r, time=sqrt(r/g), mass=m; several times; without it "
     "parameters are chosen"},
    {"name", ZW_OPT_LIST, AT(chart.name), 0, 0, 0, "", "NAME=PRODUCT",
     "a product without dimension that shall be a parameter: \"kappa = e/r\"; several times"},
    {"nondim", ZW_OPT_STRING, AT(chart.nondim), 0, 0, 0, "", "FILE",
     "the scaled model as text, .zw; - writes it to standard output"},
    {0},
};

static const zw_option wanted_table[] = {
    {"want", ZW_OPT_LIST, AT(chart.want), 0, 0, 0, "", "EXPRESSION=VALUE,...",
     "values that expressions of parameters shall have: \"zeta = 1.09, kappa = 0.05\""},
    {"vary", ZW_OPT_LIST, AT(chart.vary), 0, 0, 0, "", "NAME[=FROM:TO]",
     "a parameter that may change for it, and its range (default: from a tenth to ten times its "
     "value); several times"},
    {"tell", ZW_OPT_LIST, AT(chart.tell), 0, 0, 0, "", "EXPRESSION,...",
     "expressions of parameters whose values are told, with --want at each solution"},
    {0},
};

static const zw_option region_table[] = {
    {"over", ZW_OPT_LIST, AT(chart.over), 0, 0, 0, "", "NAME=FROM:TO[:POINTS]",
     "a parameter, its range and how many values (41); twice: "
     "zeta=0.8:1.6:80; three times: surfaces of --curve, as nets of so many lines (11)"},
    {"search", ZW_OPT_LIST, AT(search), 0, 0, 0, "", "NAME[=LOW:HIGH]",
     "where equilibria are looked for; several times; without it near the start"},
    {"starts", ZW_OPT_INT, AT(starts), 64, 1, 100000, "", NULL,
     "of the search, at each of five points of the grid, or for wanted values"},
    {"fast", ZW_OPT_LIST, AT(slow.fast), 0, 0, 0, "", "NAME",
     "what is fast if --eps is small: the flow on the slow manifold is studied"},
    {"eps", ZW_OPT_STRING, AT(slow.eps), 0, 0, 0, "", "NAME",
     "with --fast: the small parameter, if not as the model says"},
    {"order", ZW_OPT_INT, AT(slow.order), 1, 0, ZW_MANIFOLD_ORDER_MOST, "", NULL,
     "with --fast: powers of eps"},
    {"section", ZW_OPT_STRING, AT(chart.section), 0, 0, 0, "", "NAME=VALUE",
     "the line that motions come back to: \"beta = pi/2\"; of states with two entries"},
    {"scan", ZW_OPT_STRING, AT(chart.scan), 0, 0, 0, "", "NAME=FROM:TO[:SAMPLES]",
     "starts on that line, from the equilibrium that cycles go around outwards: "
     "\"gamma=pi/2:3*pi/2\", 24 samples"},
    {"mirror", ZW_OPT_STRING, AT(chart.mirror), 0, 0, 0, "", "NAME=IMAGE,...",
     "a point symmetry of the motion, which is tested; half turns are enough then: \"beta = pi - "
     "beta, gamma = pi - gamma\""},
    {"until", ZW_OPT_DOUBLE, AT(chart.until), 0, 0, 1e12, "s", NULL,
     "a motion that has not come back by then has no sign; 0: 100 turns"},
    {"tolerance", ZW_OPT_DOUBLE, AT(chart.tolerance), 1e-8, 1e-12, 1e-3, "", NULL,
     "of motions; each is done again with a thirtieth of it, which bounds the error"},
    {"region", ZW_OPT_LIST, AT(chart.region), 0, 0, 0, "", "NAME: CONDITION",
     "a region in closed form, by a condition of parameters: \"v2: zeta < 1\", \"v1: elsewhere\"; "
     "several times; nothing is searched for then"},
    {"curve", ZW_OPT_LIST, AT(chart.curve), 0, 0, 0, "", "EQUATION",
     "a curve given by an equation, with an optional name: \"w = 1 + kappa\", \"Hopf: w = 1 + "
     "kappa\"; \"... for zeta = 0.5, 1\": one curve for each value; with three parameters a "
     "surface, \"... and EQUATION\": the curve where two meet; several times"},
    {"beside", ZW_OPT_LIST, AT(chart.with), 0, 0, 0, "", "RESULT",
     "curves of results over both parameters, as of zwang orbit --marks or zwang connect; "
     "several times"},
    {"mark", ZW_OPT_LIST, AT(chart.mark), 0, 0, 0, "", "NAME=VALUE,VALUE",
     "a point of the plane by its name: v1=1.2,1.03; several times"},
    {"by", ZW_OPT_STRING, AT(by), 0, 0, 0, "", "PRINCIPLE", "the principle (default lagrange)"},
    {"threads", ZW_OPT_INT, AT(chart.threads), 0, 0, 1024, "", NULL,
     "0: as many as there are cores"},
    {"picture", ZW_OPT_STRING, AT(picture), 0, 0, 0, "", "FILE",
     "the chart as a picture: .svg, .pdf, .png"},
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "all numbers as JSON"},
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE",
     "a row for each point: .csv, .json, .h5; zwang plot draws it"},
    {0},
};

/* ------------------------------------------------------------------------- dimensionless groups */

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

static zw_status report_groups(const cli_options *o, const zw_model_source *source, zw_error *err) {
    zw_products_options options = zw_products_options_default();
    zw_products *p;
    options.nscale = o->chart.scale.n;
    options.scale = o->chart.scale.item;
    options.nname = o->chart.name.n;
    options.name = o->chart.name.item;
    if (o->chart.nondim)
        ZW_TRY(cli_guard_write(o, o->chart.nondim, err));
    ZW_TRY(zw_products_create(&p, source, &options, err));
    zw_status status = ZW_OK;
    if (!o->chart.nondim || strcmp(o->chart.nondim, "-") != 0) {
        const char *text = o->json ? zw_products_json(p) : zw_products_text(p);
        status = cli_write_text(NULL, text, err);
    }
    if (status >= 0 && o->chart.nondim)
        status = write_scaled(o, p, err);
    zw_products_destroy(p);
    return status;
}

/* -------------------------------------------------------------------------------- inverse
 * design */

static zw_status report_design(const cli_options *o, const zw_model_source *source, zw_error *err) {
    zw_inverse_design_options options = zw_inverse_design_options_default();
    zw_inverse_design *w;
    options.nwant = o->chart.want.n;
    options.want = o->chart.want.item;
    options.nvary = o->chart.vary.n;
    options.vary = o->chart.vary.item;
    options.nname = o->chart.name.n;
    options.name = o->chart.name.item;
    options.ntell = o->chart.tell.n;
    options.tell = o->chart.tell.item;
    options.starts = o->starts;
    ZW_TRY(zw_inverse_design_create(&w, source, &options, err));
    const char *text = o->json ? zw_inverse_design_json(w) : zw_inverse_design_text(w);
    zw_status status = cli_write_text(NULL, text, err);
    zw_inverse_design_destroy(w);
    return status;
}

/* -------------------------------------------------------------------------------------- regions */

static zw_status report_regions(const cli_options *o, const cli_model *model, zw_regions *r,
                                zw_error *err) {
    zw_table *t;
    zw_regions_warnings(r, model->warnings);
    cli_report_warnings(o, model->warnings, false);
    const char *text = o->json ? zw_regions_json(r) : zw_regions_text(r);
    if (!text)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(cli_write_text(NULL, text, err));
    if (!o->out && !o->picture)
        return ZW_OK;
    ZW_TRY(zw_regions_table(r, &t, err));
    return cli_picture_and_table(o, model->warnings, t, err);
}

static zw_status check_options(const cli_options *o, zw_error *err) {
    if (o->chart.over.n > 3)
        return zw_fail(err, ZW_E_OPTION, "--over %s: two parameters have regions, three surfaces",
                       o->chart.over.item[3]);
    if (o->picture)
        ZW_TRY(zw_plot_check_path(o->picture, err));
    if (o->out)
        ZW_TRY(zw_table_can_write(o->out, err));
    return cli_guard_write(o, o->out, err);
}

static zw_status find_regions(const cli_options *o, const cli_model *model,
                              const zw_model_source *source, const zw_table *const *with,
                              zw_error *err) {
    zw_regions_options options = zw_regions_options_default();
    zw_regions *r;
    for (int i = 0; i < o->chart.over.n; i++)
        options.over[i] = o->chart.over.item[i];
    options.nsearch = o->search.n;
    options.search = o->search.item;
    options.starts = o->starts;
    options.section = o->chart.section;
    options.scan = o->chart.scan;
    options.mirror = o->chart.mirror;
    options.until = o->chart.until;
    options.tolerance = o->chart.tolerance;
    options.threads = o->chart.threads;
    options.nregion = o->chart.region.n;
    options.region = o->chart.region.item;
    options.ncurve = o->chart.curve.n;
    options.curve = o->chart.curve.item;
    options.nwith = o->chart.with.n;
    options.with = with;
    options.with_name = o->chart.with.item;
    options.nmark = o->chart.mark.n;
    options.mark = o->chart.mark.item;
    options.principle = o->by;
    options.stop = cli_watch;
    options.stop_user = (void *)o;
    zw_status status = zw_regions_create(&r, source, &options, err);
    cli_end_progress();
    ZW_TRY(status);
    bool stopped = zw_regions_is_stopped(r);
    status = report_regions(o, model, r, err);
    zw_regions_destroy(r);
    return status >= 0 && stopped ? ZW_STOPPED : status;
}

/* three parameters: surfaces in closed form */
static zw_status write_surfaces(const cli_options *o, const zw_model_source *source,
                                zw_error *err) {
    zw_surfaces_options options = zw_surfaces_options_default();
    zw_table *t;
    if (!o->chart.curve.n || o->chart.section || o->chart.region.n || o->chart.with.n ||
        !(o->out || o->picture)) {
        zw_fail(err, ZW_E_OPTION,
                "over three parameters surfaces are drawn: from --curve EQUATION, "
                "into --out or --picture, and nothing else");
        zw_error_hint(err, "regions are those of two parameters");
        return ZW_E_OPTION;
    }
    for (int i = 0; i < 3; i++)
        options.over[i] = o->chart.over.item[i];
    options.ncurve = o->chart.curve.n;
    options.curve = o->chart.curve.item;
    options.nmark = o->chart.mark.n;
    options.mark = o->chart.mark.item;
    ZW_TRY(zw_surfaces_table(source, &options, &t, err));
    zw_status status = o->out ? cli_write_table(t, o->out, err) : ZW_OK;
    if (status >= 0 && o->picture) {
        cli_options own = *o;
        char panel[300];
        snprintf(panel, sizeof panel, "%.90s,%.90s,%.90s", zw_table_name(t, 1), zw_table_name(t, 2),
                 zw_table_name(t, 3));
        if (own.plot.n == 0)
            own.plot.item[own.plot.n++] = panel;
        status = cli_picture_result(&own, t, err);
    }
    zw_table_destroy(t);
    return status;
}

static zw_status chart_regions(const cli_options *o, const cli_model *model,
                               const zw_model_source *source, zw_error *err) {
    zw_table *with[ZW_OPTION_LIST_MAX] = {0};
    cli_signals watched;
    for (int i = 0; i < o->chart.with.n; i++)
        ZW_TRY(cli_guard_read(o, o->chart.with.item[i], err));
    zw_status status = check_options(o, err);
    if (status >= 0 && o->chart.over.n == 3)
        return write_surfaces(o, source, err);
    for (int i = 0; i < o->chart.with.n && status >= 0; i++)
        status = cli_read_result(o, &with[i], o->chart.with.item[i], err);
    cli_signals_begin(&watched);
    if (status >= 0)
        status = find_regions(o, model, source, (const zw_table *const *)with, err);
    cli_signals_end(&watched);
    for (int i = 0; i < o->chart.with.n; i++)
        zw_table_destroy(with[i]);
    return status;
}

/* ------------------------------------------------------------------------------------------
 * verb */

/* options of one study are errors in another */
static zw_status reject_mixture(const cli_options *o, zw_error *err) {
    const cli_chart_options *c = &o->chart;
    const char *products_only = c->scale.n  ? "scale"
                                : c->name.n ? "name"
                                : c->nondim ? "nondim"
                                            : NULL;
    const char *regions_only = c->section       ? "section"
                               : o->slow.fast.n ? "fast"
                               : c->scan        ? "scan"
                               : c->mirror      ? "mirror"
                               : c->region.n    ? "region"
                               : c->curve.n     ? "curve"
                               : c->with.n      ? "beside"
                               : c->mark.n      ? "mark"
                               : o->search.n    ? "search"
                               : o->out         ? "out"
                               : o->picture     ? "picture"
                                                : NULL;
    bool wishes = c->want.n || c->tell.n;
    if (c->vary.n && !c->want.n) {
        zw_fail(err, ZW_E_OPTION, "--vary: for which wanted values?");
        zw_error_hint(err, "--want \"EXPRESSION = VALUE\"");
        return ZW_E_OPTION;
    }
    if (wishes && (c->over.n || c->scale.n || c->nondim)) {
        zw_fail(err, ZW_E_OPTION,
                "--%s is a question of its own: without --over, --scale, --nondim",
                c->want.n ? "want" : "tell");
        zw_error_hint(err, "--set NAME=VALUE takes its answer to the next command");
        return ZW_E_OPTION;
    }
    if (c->over.n && products_only) {
        zw_fail(err, ZW_E_OPTION, "--%s speaks of products, --over of regions", products_only);
        zw_error_hint(err, "write the scaled model first (--nondim FILE), and chart that");
        return ZW_E_OPTION;
    }
    if (!c->over.n && regions_only) {
        zw_fail(err, ZW_E_OPTION, "--%s: over which parameters?", regions_only);
        zw_error_hint(err, "--over NAME=FROM:TO, twice");
        return ZW_E_OPTION;
    }
    return ZW_OK;
}

static zw_status run_study(const cli_options *o, const cli_model *model,
                           const zw_model_source *source, zw_error *err) {
    ZW_TRY(reject_mixture(o, err));
    if (o->chart.want.n || o->chart.tell.n)
        return report_design(o, source, err);
    return o->chart.over.n ? chart_regions(o, model, source, err) : report_groups(o, source, err);
}

/* cycles are counted in a plane: constraints and fast variables are eliminated for that */
static zw_status open_model(const cli_options *o, const char *path, cli_model *model,
                            zw_error *err) {
    cli_options reading = *o;
    bool fast = o->slow.fast.n > 0;
    reading.model.constants = reading.model.bodies = fast;
    ZW_TRY(cli_model_open(model, path, &reading, err));
    if (o->chart.over.n == 2 && (fast || o->chart.section))
        ZW_TRY(cli_model_reduce(model, path, &reading, CLI_REDUCE_STATES, err));
    return fast ? cli_model_slow(model, path, o, o->slow.eps, o->slow.order, err) : ZW_OK;
}

static int run_chart(const cli_options *o, const char *const *words, zw_error *err) {
    cli_model model = {0};
    zw_status status = open_model(o, words[0], &model, err);
    if (status >= 0) {
        zw_model_source source = cli_model_source(&model, words[0]);
        status = run_study(o, &model, &source, err);
        status = cli_judge(o, model.warnings, status, err);
    }
    cli_model_close(&model);
    return cli_exit_code(status);
}

static const cli_group groups[] = {
    {"products without dimension", table, 0},
    {"wanted values", wanted_table, 0},
    {"regions of two parameters", region_table, 0},
    {"picture", cli_draw_table, offsetof(cli_options, draw)},
    {"messages and limits", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {0},
};

const cli_command cli_chart = {
    .name = "chart",
    .usage = "chart MODEL [--scale WORD=PRODUCT] [--name NAME=PRODUCT] [--nondim FILE] | "
             "--want EXPRESSION=VALUE --vary NAME=FROM:TO [--tell EXPRESSION] | "
             "--over NAME=FROM:TO[:POINTS] --over ... [--section NAME=VALUE --scan NAME=FROM:TO]",
    .about = "products without dimension, the scaled model; parameters for wanted values; regions",
    .details =
        "Products without dimension that the units of the parameters make, and the model in their "
        "terms, as text.\n"
        "With --want: parameters for which expressions of them have wanted values.\n"
        "With --over, twice: the plane of two parameters, parted by the equilibria and cycles that "
        "exist there.",
    .examples =
        "  zwang chart models/heavy_top.zw\n"
        "  zwang chart models/tippedisk_slow.zw --scale length=r --scale \"time=1/Omega\" "
        "--name \"kappa = e/r\" --name \"zeta = J_1/J_2\" --nondim scaled.zw\n"
        "  zwang chart models/tippedisk_drawn.zw --want \"zeta = 1.09, kappa = 0.05\" "
        "--vary a=5:20mm --vary b=10:30mm --tell Omega_c\n"
        "  zwang chart models/tippedisk_normalised.zw --over zeta=0.8:1.6:9 --over w=0.9:1.12:10 "
        "--section \"beta = pi/2\" --scan \"gamma=pi/2:3*pi/2\" --curve \"w = 1 + kappa\" "
        "--picture chart.png\n",
    .groups = groups,
    .arguments = 1,
    .endless = true,
    .run = run_chart,
};
