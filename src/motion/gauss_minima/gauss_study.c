/* SPDX-License-Identifier: MIT */
#include "gauss_study.h"

#include <math.h>
#include <string.h>

#define AT(field) offsetof(zw_gauss_study_options, field)

const zw_option zw_gauss_study_table[] = {
    {"minimiser", ZW_OPT_CHOICE, AT(own.method), 0, 0, 0, "",
     "gauss-newton|newton|bfgs|nelder-mead",
     "minimisation method; bfgs and nelder-mead are from NLopt"},
    {"weight", ZW_OPT_CHOICE, AT(own.weight), 0, 0, 0, "", "mass|acceleration|force",
     "what is minimised: accelerations weighted by mass (Gauss), unweighted accelerations, or the "
     "residual of the equations"},
    {"samples", ZW_OPT_INT, AT(own.samples), 0, 0, 100000, "", NULL,
     "minimum number of points in the period; 0: enough for cubic forces and a relative error of G "
     "below 1e-9"},
    {"iterations", ZW_OPT_INT, AT(own.iterations), 500, 1, 1000000, "", NULL,
     "maximum number of iterations of a minimisation"},
    {"start", ZW_OPT_LIST, AT(start), 0, 0, 0, "", "NAME=VALUE,..",
     "start in addition to rest, by its coefficients: \"cos1(x)=2 [m], sin1(x)=2 [m]\""},
    {"start-grid", ZW_OPT_INT, AT(own.grid), 0, 0, 1000, "", NULL,
     "number of values of each coefficient in a grid of starts (those of --starts are scattered)"},
    {"box", ZW_OPT_DOUBLE, AT(own.box), 0, 0, 1e30, "", NULL,
     "half-width of the box of these starts in SI units; 0: twice the model's scale"},
    {"bound", ZW_OPT_LIST, AT(bound), 0, 0, 0, "", "NAME<=VALUE",
     "bound on a coordinate or observable: \"x <= 1.2 [m]\""},
    {"bound-points", ZW_OPT_INT, AT(own.points), 30, 1, 100000, "", NULL,
     "points of the period at which bounds are imposed"},
    {"bound-whole", ZW_OPT_FLAG, AT(own.whole), 0, 0, 0, "", NULL,
     "more such points, until the bounds hold at all times"},
    {"bound-by", ZW_OPT_CHOICE, AT(own.solver), 0, 0, 0, "", "barrier|ipopt",
     "method for bounds: logarithmic barrier, or Ipopt"},
    {"surface", ZW_OPT_STRING, AT(surface), 0, 0, 0, "", "NAME=A:B,NAME=A:B",
     "G over two coefficients, the others as in minimum --number, in --out and --picture"},
    {"surface-points", ZW_OPT_INT, AT(surface_points), 101, 2, 2000, "", NULL,
     "number of values of each coefficient"},
    {"sensitivity", ZW_OPT_LIST, AT(sensitivity), 0, 0, 0, "", "NAME,..",
     "parameters for derivatives of G and rms, in addition to those of --over and --for"},
    {"fresh", ZW_OPT_FLAG, AT(own.fresh), 0, 0, 0, "", NULL,
     "with --over: minimisation from the starts at every value, not from the previous minimum"},
    {0},
};

zw_status zw_gauss_study_check(const zw_gauss_study_options *o, const zw_study_input *input,
                               bool along, zw_error *err) {
    bool forces = zw_study_wants(input, "forces") != NULL;
    if (o->surface && along)
        return zw_fail(err, ZW_E_OPTION, "--surface is at one value: without --over");
    if (forces && along)
        return zw_fail(err, ZW_E_OPTION, "--forces is of one minimum: without --over");
    return ZW_OK;
}

zw_status zw_gauss_study_open(zw_gauss_study *s, zw_gauss_study_options *o,
                              const zw_study_input *input, int n, zw_forced *const *f,
                              zw_error *err) {
    *s = (zw_gauss_study){.options = o, .input = input, .along = zw_forced_over(f[0]) != NULL};
    o->own.nstart = o->start.n;
    o->own.start = o->start.item;
    o->own.nbound = o->bound.n;
    o->own.bound = o->bound.item;
    o->own.nsensitivity = o->sensitivity.n;
    o->own.sensitivity = o->sensitivity.item;
    for (int i = 0; i < n; i++) {
        ZW_TRY(zw_forced_gauss_create(&s->all[i], f[i], &o->own, err));
        s->n++;
    }
    return ZW_OK;
}

void zw_gauss_study_close(zw_gauss_study *s) {
    for (int i = 0; i < s->n; i++)
        zw_forced_gauss_destroy(s->all[i]);
    zw_table_destroy(s->rows);
}

static zw_status reject_ghosts(const zw_gauss_study *s, zw_error *err) {
    const zw_forced_gauss *g = s->all[0];
    if (zw_forced_gauss_motions(g) > 0 || s->options->surface)
        return ZW_OK;
    if (zw_forced_gauss_minima(g) == 0)
        return zw_fail(err, ZW_E_NUMERIC, "no minimum was found");
    zw_fail(err, ZW_E_NUMERIC, "none of the minima is a motion");
    zw_error_hint(err, s->options->bound.n
                           ? "what bounds hold back needs forces that only they have; a contact "
                             "of the model (zwang run) has the law of a wall"
                           : "more --starts, or without --gauss");
    return ZW_E_NUMERIC;
}

zw_status zw_gauss_study_work(zw_gauss_study *s, bool *found, zw_error *err) {
    if (s->along) {
        ZW_TRY(zw_forced_gauss_along_of(s->n, s->all, s->input->source, &s->rows, err));
        *found = true;
        return ZW_OK;
    }
    ZW_TRY(zw_forced_gauss_find(s->all[0], NAN, err));
    *found = true;
    return reject_ghosts(s, err);
}

void zw_gauss_study_report(const zw_gauss_study *s, zw_report *out) {
    if (s->along)
        zw_forced_gauss_report_along(s->all[0], s->rows, out);
    else
        zw_forced_gauss_report(s->all[0], out);
}

void zw_gauss_study_warnings(const zw_gauss_study *s, zw_warnings *out) {
    zw_forced_gauss_warnings(s->n, s->all, out);
}

zw_status zw_gauss_study_make(zw_gauss_study *s, const char *which, zw_table **out, zw_error *err) {
    zw_forced_gauss *g = s->all[0];
    const zw_gauss_study_options *o = s->options;
    const zw_model_source *source = s->input->source;
    if (strcmp(which, "forces") == 0)
        return zw_forced_gauss_period(g, o->number, source, out, err);
    if (s->along)
        return zw_table_thin(out, s->rows, zw_table_rows(s->rows), err);
    if (o->surface)
        return zw_forced_gauss_surface(g, zw_forced_gauss_minima(g) > 0 ? o->number : -1,
                                       o->surface, o->surface_points, source, out, err);
    return zw_forced_gauss_table(g, source, out, err);
}
