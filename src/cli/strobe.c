/* SPDX-License-Identifier: MIT */
#include "strobe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "picture.h"
#include "provenance.h"

#define AT(field) offsetof(cli_strobe_options, field)

const zw_option cli_strobe_table[] = {
    {"strobe", ZW_OPT_STRING, AT(instants), 0, 0, 0, "", "T1,T2,...|A:B:STEP|N",
     "bodies at these instants, or at N instants, in one picture: .svg, .pdf, .png"},
    {"strobe-layout", ZW_OPT_CHOICE, AT(layout), 0, 0, 0, "", "auto|overlay|row|grid",
     "one space, or a panel for each instant; auto: one space unless the bodies hide each other"},
    {"strobe-fade", ZW_OPT_DOUBLE, AT(fade), 0.65, 0, 1, "", NULL,
     "fading of the first instant relative to the last, in one space"},
    {"bare", ZW_OPT_FLAG, AT(bare), 0, 0, 0, "", NULL, "no ground and shadows"},
    {"dark", ZW_OPT_FLAG, AT(dark), 0, 0, 0, "", NULL, "dark background"},
    {"forces", ZW_OPT_CHOICE, AT(forces), 1, 0, 0, "", "off|on",
     "contacts with their forces as arrows"},
    {0},
};

bool cli_strobe_is_wanted(const cli_options *o) {
    return o->strobe.instants != NULL;
}

/* ---- options ---- */

static bool is_for_both(const char *key) {
    static const char *const both[] = {"title",   "size",    "font",      "font-size",
                                       "columns", "azimuth", "elevation", "keep"};
    for (size_t i = 0; i < sizeof both / sizeof *both; i++)
        if (strcmp(key, both[i]) == 0)
            return true;
    return false;
}

zw_status cli_strobe_check_use(const cli_options *o, zw_error *err) {
    for (const zw_option *row = cli_strobe_table; row->key && !cli_strobe_is_wanted(o); row++)
        if (cli_is_given(o, row->key))
            return zw_fail(err, ZW_E_OPTION, "--%s is for instants: --strobe 8", row->key);
    for (const zw_option *row = cli_draw_table; row->key && cli_strobe_is_wanted(o) && !o->plot.n;
         row++)
        if (cli_is_given(o, row->key) && !is_for_both(row->key))
            return zw_fail(err, ZW_E_OPTION, "--%s is for curves, not for --strobe", row->key);
    return ZW_OK;
}

static zw_status read_style(const cli_options *o, zw_strobe_options *out, zw_error *err) {
    *out = zw_strobe_options_default();
    out->layout = (zw_strobe_layout)o->strobe.layout;
    out->fade = o->strobe.fade;
    out->bare = o->strobe.bare;
    out->dark = o->strobe.dark;
    out->forces = o->strobe.forces;
    out->azimuth = cli_is_given(o, "azimuth") ? o->draw.azimuth : NAN;
    out->elevation = cli_is_given(o, "elevation") ? o->draw.elevation : NAN;
    out->title = o->draw.title;
    out->font = o->draw.font;
    out->font_size = o->draw.font_size;
    out->columns = cli_is_given(o, "columns") ? o->draw.columns : 0;
    if (out->columns && (out->layout == ZW_STROBE_OVERLAY || out->layout == ZW_STROBE_ROW))
        return zw_fail(err, ZW_E_OPTION, "--columns is for --strobe-layout grid");
    return cli_picture_size(o->draw.size, &out->width, &out->height, err);
}

zw_status cli_strobe_check(const cli_options *o, const char *path, double first, double last,
                           zw_error *err) {
    zw_strobe_options stills;
    zw_figure_instants instants;
    ZW_TRY(read_style(o, &stills, err));
    ZW_TRY(zw_strobe_check(path, &stills, err));
    if (isfinite(first))
        ZW_TRY(zw_figure_instants_read(&instants, o->strobe.instants, fmin(first, last),
                                       fmax(first, last), NULL, err));
    ZW_TRY(cli_guard_write(o, path, err));
    return o->draw.keep ? cli_provenance_claim(o, path, err) : ZW_OK;
}

double cli_strobe_step(const cli_options *o, double first, double last) {
    zw_figure_instants instants;
    if (zw_figure_instants_read(&instants, o->strobe.instants, first, last, NULL, NULL) < 0)
        return 0;
    return zw_figure_instants_step(&instants, first, (last - first) / 1000);
}

/* ---- messages ---- */

static void report_far(const zw_figure_instants *in) {
    int n = 0;
    for (int k = 0; k < in->n; k++)
        if (in->far[k] && n++ < 4)
            fprintf(stderr, "note: the result has no row near t = %g s, the one at %g s is shown\n",
                    in->asked[k], in->t[k]);
    if (n > 4)
        fprintf(stderr, "note: and so it is at %d more instants\n", n - 4);
    if (n)
        fprintf(stderr, "  a smaller --step-out of the run has more rows\n");
}

static void report_strobe(const cli_options *o, const char *path, const zw_figure_strobe *s,
                          const zw_strobe_report *r) {
    const zw_figure_instants *in = zw_figure_strobe_instants(s);
    if (o->quiet || o->json)
        return;
    report_far(in);
    if (r->unseen)
        fprintf(stderr, "warning: %d of the drawings are left out, at places that are not finite\n",
                r->unseen);
    if (r->shortened)
        fprintf(stderr, "warning: a text is too long for the picture and is shortened; --size "
                        "gives more room\n");
    if (r->missing[0])
        fprintf(stderr, "warning: no font here has the characters %s; a sign stands for them\n",
                r->missing);
    fprintf(stderr, "%d %s from t = %.6g to %.6g", in->n, in->n == 1 ? "instant" : "instants",
            in->t[0], in->t[in->n - 1]);
    if (r->layout == ZW_STROBE_OVERLAY)
        fprintf(stderr, " in one space");
    else if (r->columns < in->n)
        fprintf(stderr, " in rows of %d", r->columns);
    else
        fprintf(stderr, " in a row");
    fprintf(stderr, "%s, %.4g x %.4g mm", r->follows ? ", the eye goes along" : "", r->width,
            r->height);
    if (r->square[0])
        fprintf(stderr, ", squares of the ground %s", r->square);
    if (r->forces[0])
        fprintf(stderr, ", forces %s", r->forces);
    if (zw_figure_strobe_scene(s)->sketched)
        fprintf(stderr, "; a sketch: the model draws nothing");
    fprintf(stderr, "\npicture %s\n", path);
}

static zw_status check_scene(const cli_options *o, const zw_scene *scene, zw_error *err) {
    for (int i = 0; i < scene->nmissing && !o->quiet && !o->json; i++)
        fprintf(stderr, "  not drawn: %s\n", scene->missing[i]);
    if (scene->nitem > 0)
        return ZW_OK;
    zw_fail(
        err, ZW_E_MODEL,
        "there is nothing to be drawn: the model has no particles or bodies that could be shown, "
        "and draws nothing");
    zw_error_hint(err, "say what is to be seen: draw sphere(0.1 [m]) at (x, 0, 0)");
    return ZW_E_MODEL;
}

zw_status cli_strobe_draw(const cli_options *o, const zw_table *result, const char *path,
                          zw_error *err) {
    zw_strobe_options stills;
    zw_strobe_report report;
    zw_figure_strobe *s;
    ZW_TRY(read_style(o, &stills, err));
    ZW_TRY(zw_figure_strobe_create(&s, result, o->strobe.instants, err));
    const zw_figure_instants *in = zw_figure_strobe_instants(s);
    zw_status status = check_scene(o, zw_figure_strobe_scene(s), err);
    if (status >= 0)
        status =
            zw_strobe_write(zw_figure_strobe_content(s), in->n, in->t, path, &stills, &report, err);
    if (status >= 0 && o->draw.keep)
        status = cli_provenance_of_rows(o, zw_figure_strobe_rows(s), path, err);
    if (status >= 0)
        report_strobe(o, path, s, &report);
    zw_figure_strobe_destroy(s);
    return status;
}
