/* SPDX-License-Identifier: MIT */
/* One file for two uses: in a document with PGF or TikZ, \input inserts the picture; compiled
 * alone, it is a document with a page of its size. \@nodocument decides which: it is an error of
 * LaTeX before \begin{document} and nothing after it.
 *
 * Lines are those of the other formats, to the point; letters are LaTeX's own, in the fonts of the
 * document, set at the place where the text begins, has its middle or ends. Their space is computed
 * with the default font, which is wider than those of TeX. The bounding box is the requested size,
 * whatever the letters.
 *
 * Paths of PGF are in TeX's memory until they are used, and their output until the page is
 * complete: the budget of nodes (plot_curve.c) and the bundles of a path keep both far below TeX's
 * limits. */
#include "tex.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"

/* short macros for frequent commands; local to the picture */
static const char words[] = "\\def\\zwm#1,#2;{\\pgfpathmoveto{\\pgfqpoint{#1bp}{#2bp}}}%\n"
                            "\\def\\zwl#1,#2;{\\pgfpathlineto{\\pgfqpoint{#1bp}{#2bp}}}%\n"
                            "\\def\\zwf#1{\\fontsize{#1}{#1}\\selectfont}%\n";

void zw_out_tex_begin(zw_out_tex *t, FILE *to, double width, double height) {
    *t = (zw_out_tex){.to = to, .height = height};
    fprintf(to,
            "%% A picture by Zwang. \\input it into a document with \\usepackage{tikz} or "
            "\\usepackage{pgf},\n"
            "%% or compile it alone.\n"
            "\\expandafter\\ifx\\csname @nodocument\\endcsname\\relax\n"
            "\\expandafter\\ifx\\csname pgfpicture\\endcsname\\relax\n"
            "\\errmessage{this picture needs \\string\\usepackage{pgf} in the preamble}\n"
            "\\fi\n"
            "\\def\\zwangend{}\n"
            "\\else\n"
            "\\documentclass{article}\n"
            "\\usepackage[paperwidth=%.3fbp,paperheight=%.3fbp,margin=0bp]{geometry}\n"
            "\\usepackage{pgf}\n"
            "\\pagestyle{empty}\n"
            "\\def\\zwangend{\\end{document}}\n"
            "\\begin{document}\\noindent\n"
            "\\fi\n"
            "\\begin{pgfpicture}\n%s"
            "\\pgfpathrectangle{\\pgfpointorigin}{\\pgfqpoint{%.3fbp}{%.3fbp}}%%\n"
            "\\pgfusepath{use as bounding box}\n",
            width, height, words, width, height);
}

zw_status zw_out_tex_end(zw_out_tex *t, zw_error *err) {
    fputs("\\end{pgfpicture}%\n\\zwangend\n", t->to);
    return t->failed ? zw_out_of_memory(err, "the labels") : ZW_OK;
}

/* ---- the pen ---- */

static void colour_of(cairo_t *cr, double rgb[3]) {
    double alpha;
    cairo_pattern_get_rgba(cairo_get_source(cr), &rgb[0], &rgb[1], &rgb[2], &alpha);
}

/* describes the pen; written only when it changes */
static void describe_pen(cairo_t *cr, bool stroke, char *out, size_t size) {
    double rgb[3], dash[8], phase, k = 1, zero = 0;
    int n = cairo_get_dash_count(cr) <= 8 ? cairo_get_dash_count(cr) : 0;
    colour_of(cr, rgb);
    cairo_user_to_device_distance(cr, &k, &zero);
    size_t used =
        (size_t)snprintf(out, size, "\\definecolor{zwang}{rgb}{%.3f,%.3f,%.3f}\\pgfsetcolor{zwang}",
                         rgb[0], rgb[1], rgb[2]);
    if (!stroke)
        return;
    used += (size_t)snprintf(
        out + used, size - used, "\\pgfsetlinewidth{%.2fbp}%s%s\\pgfsetdash{",
        k * cairo_get_line_width(cr),
        cairo_get_line_cap(cr) == CAIRO_LINE_CAP_ROUND ? "\\pgfsetroundcap" : "\\pgfsetbuttcap",
        cairo_get_line_join(cr) == CAIRO_LINE_JOIN_ROUND ? "\\pgfsetroundjoin"
                                                         : "\\pgfsetmiterjoin");
    if (n)
        cairo_get_dash(cr, dash, &phase);
    for (int i = 0; i < n; i++)
        used += (size_t)snprintf(out + used, size - used, "{%.2fbp}", k * dash[i]);
    snprintf(out + used, size - used, "}{%.2fbp}", n ? k * phase : 0);
}

static void take_pen(zw_out_tex *t, cairo_t *cr, bool stroke) {
    char pen[sizeof t->pen];
    describe_pen(cr, stroke, pen, sizeof pen);
    if (strcmp(pen, t->pen) == 0)
        return;
    memcpy(t->pen, pen, sizeof pen);
    fprintf(t->to, "%s%%\n", pen);
}

/* ---- paths ---- */

static void put_point(const zw_out_tex *t, cairo_t *cr, const cairo_path_data_t *d,
                      const char *before, const char *between, const char *after) {
    double x = d->point.x, y = d->point.y;
    cairo_user_to_device(cr, &x, &y);
    fprintf(t->to, "%s%.2f%s%.2f%s", before, x, between, t->height - y, after);
}

static void put_curve(const zw_out_tex *t, cairo_t *cr, const cairo_path_data_t *d) {
    fputs("\\pgfpathcurveto", t->to);
    for (int i = 1; i <= 3; i++)
        put_point(t, cr, &d[i], "{\\pgfqpoint{", "bp}{", "bp}}");
    fputs("%\n", t->to);
}

static void put_path(const zw_out_tex *t, cairo_t *cr) {
    cairo_path_t *path = cairo_copy_path(cr);
    for (int i = 0; i < path->num_data; i += path->data[i].header.length) {
        const cairo_path_data_t *d = &path->data[i];
        switch (d->header.type) {
        case CAIRO_PATH_MOVE_TO:
            put_point(t, cr, &d[1], "\\zwm", ",", ";");
            break;
        case CAIRO_PATH_LINE_TO:
            put_point(t, cr, &d[1], "\\zwl", ",", ";%\n");
            break;
        case CAIRO_PATH_CURVE_TO:
            put_curve(t, cr, d);
            break;
        case CAIRO_PATH_CLOSE_PATH:
            fputs("\\pgfpathclose", t->to);
            break;
        }
    }
    cairo_path_destroy(path);
}

void zw_out_tex_path(zw_out_tex *t, cairo_t *cr, const char *what) {
    take_pen(t, cr, what[0] == 's');
    put_path(t, cr);
    fprintf(t->to, "\\pgfusepath{%s}%%\n", what);
    cairo_new_path(cr);
}

void zw_out_tex_clip_begin(zw_out_tex *t, cairo_t *cr) {
    fputs("\\begin{pgfscope}%\n", t->to);
    put_path(t, cr);
    fputs("\\pgfusepath{clip}%\n", t->to);
    cairo_new_path(cr);
    t->pen[0] = '\0';
}

void zw_out_tex_clip_end(zw_out_tex *t) {
    fputs("\\end{pgfscope}%\n", t->to);
    t->pen[0] = '\0';
}

/* ---- labels ---- */

#define ROTATION_PRINTED 0.01 /* [deg]; angles are written with two decimals */

/* TeX's own fonts exist in these sizes; the nearest of them */
static double font_size(double points) {
    static const double size[] = {5, 6, 7, 8, 9, 10, 10.95, 12, 14.4, 17.28, 20.74, 24.88};
    double best = size[0];
    for (size_t i = 0; i < sizeof size / sizeof *size; i++)
        if (fabs(size[i] - points) <= fabs(best - points))
            best = size[i];
    return best;
}

void zw_out_tex_label(zw_out_tex *t, cairo_t *cr, const char *text, zw_out_mode mode, double size,
                      zw_out_align align) {
    static const char *const side[] = {",left", "", ",right"};
    double x, y, dx = 1, dy = 0, rgb[3];
    cairo_get_current_point(cr, &x, &y);
    cairo_user_to_device(cr, &x, &y);
    cairo_user_to_device_distance(cr, &dx, &dy);
    double points = font_size(size * hypot(dx, dy));
    double turned = -atan2(dy, dx) * (180 / acos(-1));
    const zw_allocator alloc = zw_allocator_default();
    zw_text label;
    zw_text_init(&label, &alloc);
    zw_out_label_tex(&label, text, mode, points, &t->beyond);
    colour_of(cr, rgb);
    fprintf(t->to, "\\pgftext[base%s,x=%.2fbp,y=%.2fbp", side[align], x, t->height - y);
    if (fabs(turned) > ROTATION_PRINTED)
        fprintf(t->to, ",rotate=%.2f", turned);
    fprintf(t->to, "]{\\definecolor{zwang}{rgb}{%.3f,%.3f,%.3f}\\color{zwang}\\zwf{%g}%s}%%\n",
            rgb[0], rgb[1], rgb[2], points, zw_text_get(&label));
    t->failed = t->failed || label.failed;
    zw_text_clear(&label);
}
