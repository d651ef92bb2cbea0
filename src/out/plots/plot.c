/* SPDX-License-Identifier: MIT */
/* Pictures of curves for print: a thin frame, round ticks, names and units typeset, lines that can
 * be told apart without colour. This file takes the orders and makes the file; the parts of a picture
 * are in plot_axis.c, plot_layout.c, plot_frame.c, plot_space.c, plot_curve.c, plot_points.c and
 * plot_legend.c. */
#include "plot.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "out/files/file.h"

#define MM (72 / 25.4)

#define PNG_DPI 300.0
enum { LEGEND_ROUNDS = 3 };

zw_panel zw_panel_default(void) {
    const zw_span open = {NAN, NAN};
    return (zw_panel){.span = {open, open, open}};
}

zw_picture zw_picture_default(void) {
    return (zw_picture){.azimuth = -60, .elevation = 25};
}

/* ---- orders ---- */

static zw_status format_of(const char *path, zw_plot_kind *out, zw_error *err) {
    static const char *const ending[] = {".svg", ".pdf", ".png"};
    size_t n = strlen(path);
    for (int i = 0; i < 3; i++)
        if (n > 4 && strcmp(path + n - 4, ending[i]) == 0) {
            *out = (zw_plot_kind)i;
            return ZW_OK;
        }
    zw_fail(err, ZW_E_OPTION, "the kind of picture '%s' is not known", path);
    zw_error_hint(err, "end the name with .svg, .pdf or .png");
    return ZW_E_OPTION;
}

zw_status zw_plot_check_path(const char *path, zw_error *err) {
    zw_plot_kind kind;
    return format_of(path, &kind, err);
}

static zw_status check_panel(const zw_panel *p, zw_error *err) {
    if (p->n < 1)
        return zw_fail(err, ZW_E_OPTION, "there is nothing to draw: no curve is given");
    for (int k = 0; k < p->n; k++)
        for (int i = 0; i < (p->is_space ? 3 : 2); i++) {
            int column = zw_out_column_of(&p->curve[k], i);
            if (column < 0 || column >= zw_table_columns(p->curve[k].table))
                return zw_fail(err, ZW_E_NAME, "curve %d uses a column that is not in its table",
                               k + 1);
        }
    if (p->is_space && (p->log[0] || p->log[1] || p->log[2]))
        return zw_fail(err, ZW_E_OPTION, "a view of space has no logarithmic axes");
    if (p->scale == ZW_SCALE_EQUAL && (p->log[0] || p->log[1]))
        return zw_fail(err, ZW_E_OPTION, "axes of equal scale cannot be logarithmic");
    return ZW_OK;
}

static zw_status check_size(const char *what, double mm, zw_error *err) {
    if (mm >= 30 && mm <= 1000)
        return ZW_OK;
    return zw_fail(err, ZW_E_OPTION, "the %s of a picture must lie in [30, 1000] mm, not %g", what,
                   mm);
}

static zw_status check_picture(const zw_picture *p, zw_error *err) {
    if (p->n < 1 || p->n > ZW_OUT_PANELS)
        return zw_fail(err, ZW_E_OPTION, "a picture has 1 to %d panels, not %d", ZW_OUT_PANELS,
                       p->n);
    if (p->columns < 0 || p->columns > p->n)
        return zw_fail(err, ZW_E_OPTION, "%d panels cannot stand in %d columns", p->n, p->columns);
    for (int i = 0; i < p->n; i++)
        ZW_TRY(check_panel(&p->panel[i], err));
    if (!(p->elevation >= 0 && p->elevation <= 90))
        return zw_fail(err, ZW_E_OPTION, "the elevation must lie in [0, 90] degrees, not %g",
                       p->elevation);
    if (!isfinite(p->azimuth))
        return zw_fail(err, ZW_E_OPTION, "the azimuth is not a number");
    ZW_TRY(check_size("width", p->width, err));
    return check_size("height", p->height, err);
}

/* one panel is 120 x 90 mm, more of them are smaller */
static void choose_size(zw_picture *p) {
    int columns = p->columns ? p->columns : 1, rows = (p->n + columns - 1) / columns;
    if (p->width == 0)
        p->width = fmin(columns == 1 ? 120 : 85 * columns, 1000);
    if (p->height == 0)
        p->height = fmin(rows == 1 ? (columns == 1 ? 90 : 68) : 20 + 45 * rows, 1000);
}

/* ---- drawing ---- */

int zw_out_curves(const zw_out_sheet *s) {
    int n = 0;
    for (int i = 0; i < s->picture->n; i++)
        n += s->picture->panel[i].n;
    return n > 0 ? n : 1;
}

static zw_status lay_out(zw_out_sheet *s, zw_error *err) {
    bool again = true;
    ZW_TRY(zw_out_lay_out(s, err));
    for (int round = 0; again && round < LEGEND_ROUNDS; round++) {
        ZW_TRY(zw_out_place_legends(s, &again, err));
        if (again)
            ZW_TRY(zw_out_lay_out(s, err));
    }
    return ZW_OK;
}

static zw_status draw_pane(const zw_out_sheet *s, const zw_out_pane *p, zw_error *err) {
    const zw_out_box f = p->frame;
    if (p->panel->is_space)
        zw_out_space_draw_walls(s, p);
    else if (p->panel->grid)
        zw_out_draw_grid(s, p);
    cairo_save(s->cr);
    cairo_rectangle(s->cr, f.left, f.top, f.right - f.left, f.bottom - f.top);
    cairo_clip(s->cr);
    zw_status status =
        p->panel->is_points ? zw_out_draw_points(s, p, err) : zw_out_draw_lines(s, p, err);
    cairo_restore(s->cr);
    if (status < 0)
        return status;
    if (p->panel->is_space)
        zw_out_space_draw_axes(s, p);
    else
        zw_out_draw_frame(s, p);
    zw_out_draw_legend(s, p);
    return ZW_OK;
}

static zw_status draw(zw_out_sheet *s, zw_error *err) {
    cairo_set_source_rgb(s->cr, 1, 1, 1);
    cairo_paint(s->cr);
    ZW_TRY(lay_out(s, err));
    for (int i = 0; i < s->picture->n; i++)
        ZW_TRY(draw_pane(s, &s->pane[i], err));
    zw_out_draw_title(s);
    return ZW_OK;
}

/* ---- the file ---- */

static cairo_status_t write_bytes(void *stream, const unsigned char *data, unsigned int n) {
    return fwrite(data, 1, n, stream) == n ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static cairo_surface_t *create_surface(zw_plot_kind kind, FILE *stream, double width,
                                       double height) {
    switch (kind) {
    case ZW_PLOT_SVG:
        return cairo_svg_surface_create_for_stream(write_bytes, stream, width, height);
    case ZW_PLOT_PDF:
        return cairo_pdf_surface_create_for_stream(write_bytes, stream, width, height);
    default:
        return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(width * PNG_DPI / 72),
                                          (int)ceil(height * PNG_DPI / 72));
    }
}

static zw_status draw_file(zw_out_sheet *s, zw_plot_kind kind, const zw_out_file *f,
                           zw_error *err) {
    FILE *stream = f->stream;
    cairo_surface_t *surface = create_surface(kind, stream, s->width, s->height);
    s->cr = cairo_create(surface);
    if (kind == ZW_PLOT_PNG)
        cairo_scale(s->cr, PNG_DPI / 72, PNG_DPI / 72);
    zw_status status = draw(s, err);
    cairo_status_t drawn = cairo_status(s->cr);
    cairo_destroy(s->cr);
    if (kind == ZW_PLOT_PNG && drawn == CAIRO_STATUS_SUCCESS)
        drawn = cairo_surface_write_to_png_stream(surface, write_bytes, stream);
    cairo_surface_finish(surface);
    if (drawn == CAIRO_STATUS_SUCCESS)
        drawn = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (status < 0 || drawn == CAIRO_STATUS_SUCCESS)
        return status;
    return zw_fail(err, drawn == CAIRO_STATUS_NO_MEMORY ? ZW_E_MEMORY : ZW_E_FILE,
                   "cannot draw '%s': %s", f->name, cairo_status_to_string(drawn));
}

static zw_status write_file(zw_out_sheet *s, zw_plot_kind kind, const char *path, zw_bytes *bytes,
                            zw_error *err) {
    zw_out_file f;
    ZW_TRY(zw_out_begin(&f, path, bytes, err));
    locale_t before = zw_out_plain_begin();
    zw_status status = draw_file(s, kind, &f, err);
    zw_out_plain_end(before);
    if (status >= 0)
        return zw_out_commit(&f, err);
    zw_out_abandon(&f);
    return status;
}

static zw_status prepare(zw_out_sheet *s, zw_plot_report *report, zw_error *err) {
    for (int i = 0; i < s->picture->n; i++) {
        s->pane[i].panel = &s->picture->panel[i];
        ZW_TRY(zw_out_find_ranges(&s->pane[i], report, err));
        zw_out_label_axes(&s->pane[i]);
    }
    return ZW_OK;
}

/* to path, or into bytes where path is NULL */
static zw_status plot(const zw_picture *picture, zw_plot_kind kind, const char *path,
                      zw_bytes *bytes, zw_plot_report *report, zw_error *err) {
    zw_picture p = *picture;
    zw_plot_report unread = {0};
    report = report ? report : &unread;
    *report = (zw_plot_report){0};
    choose_size(&p);
    ZW_TRY(check_picture(&p, err));
    int columns = p.columns ? p.columns : 1;
    zw_out_sheet s = {.width = p.width * MM,
                      .height = p.height * MM,
                      .picture = &p,
                      .columns = columns,
                      .rows = (p.n + columns - 1) / columns};
    zw_allocator alloc = zw_allocator_default();
    size_t size = sizeof *s.pane * (size_t)p.n;
    s.pane = zw_allocate(&alloc, size);
    if (!s.pane)
        return zw_fail(err, ZW_E_MEMORY, "out of memory for the picture");
    zw_status status = prepare(&s, report, err);
    if (status >= 0)
        status = write_file(&s, kind, path, bytes, err);
    zw_release(&alloc, s.pane, size);
    return status;
}

zw_status zw_plot(const zw_picture *picture, const char *path, zw_plot_report *report,
                  zw_error *err) {
    zw_plot_kind kind;
    ZW_TRY(format_of(path, &kind, err));
    return plot(picture, kind, path, NULL, report, err);
}

zw_status zw_plot_bytes(const zw_picture *picture, zw_plot_kind kind, zw_bytes *out,
                        zw_plot_report *report, zw_error *err) {
    *out = (zw_bytes){0};
    return plot(picture, kind, NULL, out, report, err);
}

zw_status zw_plot_curves(int n, const zw_curve *curves, const zw_plot_options *options,
                         const char *path, zw_error *err) {
    zw_plot_options o = options ? *options : (zw_plot_options){0};
    zw_panel panel = zw_panel_default();
    zw_picture picture = zw_picture_default();
    panel.n = n;
    panel.curve = curves;
    panel.label[0] = o.xlabel;
    panel.label[1] = o.ylabel;
    panel.scale = o.equal_axes ? ZW_SCALE_EQUAL : ZW_SCALE_FREE;
    picture.n = 1;
    picture.panel = &panel;
    picture.title = o.title;
    picture.width = o.width;
    picture.height = o.height;
    return zw_plot(&picture, path, NULL, err);
}
