/* SPDX-License-Identifier: MIT */
/* `zwang steady --gauss`: minima of the Gaussian over a period, under bounds, along a parameter,
 * over two coefficients. */
#include <math.h>
#include <stdio.h>

#include "cli/derive.h"
#include "cli/forced.h"
#include "cli/job.h"
#include "cli/picture.h"
#include "cli/progress.h"

#define AT(field) offsetof(cli_gauss_options, field)

const zw_option cli_gauss_table[] = {
    {"minimiser", ZW_OPT_CHOICE, AT(minimiser), 0, 0, 0, "", "gauss-newton|newton|bfgs|nelder-mead",
     "how; bfgs and nelder-mead are those of NLopt"},
    {"weight", ZW_OPT_CHOICE, AT(weight), 0, 0, 0, "", "mass|acceleration|force",
     "what is squared: accelerations weighted by masses (Gauss), without weights, or the residual "
     "of the equations"},
    {"samples", ZW_OPT_INT, AT(samples), 0, 0, 100000, "", NULL,
     "minimum number of points in the period; 0: enough for cubic forces and for a relative error "
     "of G below 1e-9"},
    {"iterations", ZW_OPT_INT, AT(iterations), 500, 1, 1000000, "", NULL, "of a minimisation"},
    {"start", ZW_OPT_LIST, AT(start), 0, 0, 0, "", "NAME=VALUE,..",
     "a start beside rest, by its coefficients: \"cos1(x)=2 [m], sin1(x)=2 [m]\""},
    {"grid", ZW_OPT_INT, AT(grid), 0, 0, 1000, "", NULL,
     "starts on a grid, so many values of each coefficient (--starts are scattered)"},
    {"box", ZW_OPT_DOUBLE, AT(box), 0, 0, 1e30, "", NULL,
     "they are between minus and plus this (SI); 0: twice the size that the model says"},
    {"bound", ZW_OPT_LIST, AT(bound), 0, 0, 0, "", "NAME<=VALUE",
     "hold a coordinate or an observable at one side: \"x <= 1.2 [m]\""},
    {"bound-points", ZW_OPT_INT, AT(bound_points), 30, 1, 100000, "", NULL,
     "points of the period at which bounds hold"},
    {"bound-whole", ZW_OPT_FLAG, AT(whole), 0, 0, 0, "", NULL,
     "points are added until bounds hold at all times"},
    {"bound-by", ZW_OPT_CHOICE, AT(bound_by), 0, 0, 0, "", "barrier|ipopt",
     "by a logarithmic barrier, or by Ipopt"},
    {"forces", ZW_OPT_STRING, AT(forces), 0, 0, 0, "", "FILE",
     "one period of minimum --number, with the forces that it would need beside those given, and "
     "those of bounds"},
    {"surface", ZW_OPT_STRING, AT(surface), 0, 0, 0, "", "NAME=A:B,NAME=A:B",
     "G over two coefficients, the others as in minimum --number: for --out and --picture"},
    {"surface-points", ZW_OPT_INT, AT(surface_points), 101, 2, 2000, "", NULL,
     "so many to each side"},
    {"sensitivity", ZW_OPT_LIST, AT(sensitivity), 0, 0, 0, "", "NAME,..",
     "derivatives of G and rms with respect to these parameters; those of --over and --for are "
     "always included"},
    {"fresh", ZW_OPT_FLAG, AT(fresh), 0, 0, 0, "", NULL,
     "with --over: from the starts at every value, not from the minimum before"},
    {0},
};

static const char *const ours[] = {
    "minimiser", "weight",         "samples",      "iterations",  "start",       "grid",
    "box",       "bound",          "bound-points", "bound-whole", "bound-by",    "forces",
    "surface",   "surface-points", "fresh",        "over",        "sensitivity", "for"};

zw_status cli_gauss_check(const cli_options *o, zw_error *err) {
    const cli_gauss_options *g = &o->gauss;
    for (size_t i = 0; !o->forced.gauss && i < sizeof ours / sizeof *ours; i++)
        if (cli_is_given(o, ours[i])) {
            zw_fail(err, ZW_E_OPTION, "--%s belongs to --gauss", ours[i]);
            if (o->over || o->forced.with)
                zw_error_hint(err, "zwang response follows motions over a parameter");
            return ZW_E_OPTION;
        }
    if (g->surface && o->over)
        return zw_fail(err, ZW_E_OPTION, "--surface is at one value: without --over");
    if (o->forced.gauss && o->picture && !g->surface && !o->over && !g->forces)
        return zw_fail(err, ZW_E_OPTION,
                       "--gauss lists minima: --picture is of --surface, --over or --forces");
    if (o->forced.with && !o->over) {
        zw_fail(err, ZW_E_OPTION, "--for needs --over");
        zw_error_hint(err, "use --set to change a parameter to one other value");
        return ZW_E_OPTION;
    }
    if (g->forces && o->over)
        return zw_fail(err, ZW_E_OPTION, "--forces is of one minimum: without --over");
    return cli_guard_write(o, g->forces, err);
}

static zw_forced_gauss_options options_of(const cli_options *o) {
    zw_forced_gauss_options to = zw_forced_gauss_options_default();
    const cli_gauss_options *g = &o->gauss;
    to.harmonics = o->forced.harmonics ? o->forced.harmonics : 1;
    to.samples = g->samples;
    to.weight = (zw_gauss_weight)g->weight;
    to.method = (zw_gauss_method)g->minimiser;
    to.nstart = g->start.n;
    to.start = g->start.item;
    to.starts = o->forced.starts;
    to.grid = g->grid;
    to.box = g->box;
    to.nbound = g->bound.n;
    to.bound = g->bound.item;
    to.points = g->bound_points;
    to.whole = g->whole;
    to.solver = (zw_gauss_solver)g->bound_by;
    to.fresh = g->fresh;
    to.iterations = g->iterations;
    to.nsensitivity = g->sensitivity.n;
    to.sensitivity = g->sensitivity.item;
    return to;
}

static zw_status write_table(const cli_options *o, zw_table *t, const char *path,
                             const char *picture, zw_error *err) {
    zw_status status = path ? cli_write_table(t, path, err) : ZW_OK;
    if (status >= 0 && picture)
        status = cli_picture_result(o, t, err);
    zw_table_destroy(t);
    return status;
}

static zw_status print_warnings(const cli_options *o, cli_forced *s, zw_forced_gauss *g) {
    cli_end_progress();
    zw_forced_gauss_warnings(1, &g, s->model.warnings);
    cli_report_warnings(o, s->model.warnings, false);
    return ZW_OK;
}

static zw_status follow_values(const cli_options *o, cli_forced *s, zw_forced_gauss *const *g,
                               zw_error *err) {
    zw_model_source source = cli_model_source(&s->model, s->path);
    zw_table *t;
    ZW_TRY(zw_forced_gauss_along_of(s->n, g, &source, &t, err));
    cli_end_progress();
    zw_forced_gauss_warnings(s->n, g, s->model.warnings);
    cli_report_warnings(o, s->model.warnings, false);
    long rows = zw_table_rows(t), motions = 0;
    for (long i = 0; i < rows; i++)
        motions += zw_table_at(t, i, zw_table_find(t, "motion")) == 1;
    if (!o->out && !o->picture)
        return write_table(o, t, "-", NULL, err);
    if (!o->quiet)
        printf("%ld minima along %s, %ld of them motions\n", rows, zw_table_name(t, 0), motions);
    return write_table(o, t, o->out, o->picture, err);
}

static zw_status write_files(const cli_options *o, cli_forced *s, zw_forced_gauss *g,
                             zw_error *err) {
    zw_model_source source = cli_model_source(&s->model, s->path);
    bool surface = o->gauss.surface != NULL;
    zw_table *t;
    if (o->gauss.forces) {
        ZW_TRY(zw_forced_gauss_period(g, o->forced.number, &source, &t, err));
        ZW_TRY(write_table(o, t, o->gauss.forces, surface ? NULL : o->picture, err));
    }
    if (surface) {
        int number = zw_forced_gauss_minima(g) > 0 ? o->forced.number : -1;
        ZW_TRY(zw_forced_gauss_surface(g, number, o->gauss.surface, o->gauss.surface_points,
                                       &source, &t, err));
        return write_table(o, t, o->out, o->picture, err);
    }
    if (!o->out)
        return ZW_OK;
    ZW_TRY(zw_forced_gauss_table(g, &source, &t, err));
    return write_table(o, t, o->out, NULL, err);
}

static zw_status list_minima(const cli_options *o, cli_forced *s, zw_forced_gauss *g,
                             zw_error *err) {
    ZW_TRY(zw_forced_gauss_find(g, NAN, err));
    print_warnings(o, s, g);
    char *text = o->json ? zw_forced_gauss_json(g) : zw_forced_gauss_text(g);
    zw_status status = cli_write_text(NULL, text, err);
    zw_string_free(s->model.ctx, text);
    ZW_TRY(status);
    ZW_TRY(write_files(o, s, g, err));
    if (zw_forced_gauss_motions(g) > 0 || o->gauss.surface)
        return ZW_OK;
    if (zw_forced_gauss_minima(g) == 0)
        return zw_fail(err, ZW_E_NUMERIC, "no minimum was found");
    zw_fail(err, ZW_E_NUMERIC, "none of the minima is a motion");
    zw_error_hint(err, o->gauss.bound.n
                           ? "what bounds hold back needs forces that only they have; a contact "
                             "of the model (zwang run) has the law of a wall"
                           : "more --starts, or without --gauss");
    return ZW_E_NUMERIC;
}

zw_status cli_gauss_find(const cli_options *o, cli_forced *s, zw_error *err) {
    zw_forced_gauss_options options = options_of(o);
    zw_forced_gauss *g[ZW_FORCED_VALUES] = {0};
    zw_status status = ZW_OK;
    for (int i = 0; i < s->n && status >= 0; i++)
        status = zw_forced_gauss_create(&g[i], s->all[i], &options, err);
    if (status >= 0)
        status = o->over ? follow_values(o, s, g, err) : list_minima(o, s, g[0], err);
    for (int i = 0; i < s->n; i++)
        zw_forced_gauss_destroy(g[i]);
    return status;
}
