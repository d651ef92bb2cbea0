/* SPDX-License-Identifier: MIT */
/* Pictures of curves for print: a thin frame, round ticks, typeset names and units, lines that can
 * be distinguished without colour. This file has the public functions; the parts of a picture are
 * in plot_axis.c, plot_layout.c, plot_frame.c, plot_space.c, plot_curve.c, plot_points.c and
 * plot_legend.c, the file is written in plot_file.c.
 *
 * All lengths except the size of the paper are for labels of 9 points; for other letter sizes the
 * paper is scaled, so that lines and gaps scale with the letters. */
#include "plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"

#define MM (72 / 25.4)

#define FONT_DEFAULT ZW_OUT_LABEL_FONT /* points */
enum { LEGEND_ROUNDS = 3 };

zw_panel zw_panel_default(void) {
    const zw_span open = {NAN, NAN};
    return (zw_panel){.span = {open, open, open}};
}

zw_picture zw_picture_default(void) {
    return (zw_picture){.azimuth = -60, .elevation = 25};
}

/* ---- options ---- */

static zw_status format_of(const char *path, zw_plot_kind *out, zw_error *err) {
    static const struct {
        const char *text;
        zw_plot_kind kind;
    } ending[] = {{".svg", ZW_PLOT_SVG}, {".pdf", ZW_PLOT_PDF}, {".png", ZW_PLOT_PNG},
                  {".tex", ZW_PLOT_TEX}, {".pgf", ZW_PLOT_TEX}, {".tikz", ZW_PLOT_TEX}};
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        size_t length = strlen(ending[i].text);
        if (n > length && strcmp(path + n - length, ending[i].text) == 0) {
            *out = ending[i].kind;
            return ZW_OK;
        }
    }
    zw_fail(err, ZW_E_OPTION, "the kind of picture '%s' is not known", path);
    zw_error_hint(err,
                  "end the name with .svg, .pdf or .png, or with .tex, .pgf or .tikz for LaTeX");
    return ZW_E_OPTION;
}

zw_status zw_plot_check_path(const char *path, zw_error *err) {
    zw_plot_kind kind;
    return format_of(path, &kind, err);
}

/* a second y axis needs a first one, and a panel with a left and a right side */
static zw_status check_right(const zw_panel *p, zw_error *err) {
    int right = 0;
    for (int k = 0; k < p->n; k++)
        right += p->curve[k].right;
    if (right == 0)
        return ZW_OK;
    if (p->is_space)
        return zw_fail(err, ZW_E_OPTION, "a view of space has no axis on the right-hand side");
    if (p->scale == ZW_SCALE_EQUAL)
        return zw_fail(err, ZW_E_OPTION,
                       "axes of equal scale cannot have another one on the right-hand side");
    if (right == p->n)
        return zw_fail(err, ZW_E_OPTION, "all curves are on the right-hand side, none on the left");
    return ZW_OK;
}

static zw_status check_styles(const zw_panel *p, zw_error *err) {
    for (int k = 0; k < p->n; k++) {
        const zw_curve *c = &p->curve[k];
        if (c->like < 0 || c->like > k || c->style < 0)
            return zw_fail(err, ZW_E_OPTION, "curve %d is like one that does not come before it",
                           k + 1);
        if (c->solid < 0 || c->solid > zw_table_columns(c->table))
            return zw_fail(err, ZW_E_NAME,
                           "the dashes of curve %d go by a column that is not "
                           "in its table",
                           k + 1);
    }
    return ZW_OK;
}

static bool has_column(const zw_curve *c, int column) {
    return column >= 0 && column < zw_table_columns(c->table);
}

static zw_status check_map(const zw_panel *p, zw_error *err) {
    for (int k = 0; k < p->n; k++) {
        if (p->curve[k].mesh && (p->curve[k].mesh < 2 || !p->is_space))
            return zw_fail(err, ZW_E_OPTION,
                           "surface %d needs lines of two nodes or more, and a space", k + 1);
        if (p->curve[k].band && (!has_column(&p->curve[k], p->curve[k].band - 1) || p->is_space))
            return zw_fail(err, ZW_E_OPTION, "band %d needs a second column, and a plane", k + 1);
    }
    if (!p->map)
        return ZW_OK;
    if (p->is_space || p->is_points || p->bar)
        return zw_fail(err, ZW_E_OPTION, "a map is a plane of cells: no space, no other colours");
    if (!has_column(p->curve, p->curve->z) ||
        (p->map->shade && !has_column(p->curve, p->map->shade - 1)))
        return zw_fail(err, ZW_E_NAME, "the colours of a map go by a column that is not there");
    return ZW_OK;
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
    ZW_TRY(check_styles(p, err));
    ZW_TRY(check_map(p, err));
    if (p->is_space && (p->log[0] || p->log[1] || p->log[2]))
        return zw_fail(err, ZW_E_OPTION, "a view of space has no logarithmic axes");
    if (p->scale == ZW_SCALE_EQUAL && (p->log[0] || p->log[1]))
        return zw_fail(err, ZW_E_OPTION, "axes of equal scale cannot be logarithmic");
    return check_right(p, err);
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
    if (!(p->font_size >= 4 && p->font_size <= 40))
        return zw_fail(err, ZW_E_OPTION,
                       "the letters of a picture must be 4 to 40 points high, not %g",
                       p->font_size);
    ZW_TRY(check_size("width", p->width, err));
    return check_size("height", p->height, err);
}

/* one panel is 120 x 90 mm, several are smaller */
static void choose_size(zw_picture *p) {
    if (p->font_size == 0)
        p->font_size = FONT_DEFAULT;
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

/* insets before legends, which have more possible places */
static zw_status lay_out_frames(zw_out_sheet *s, zw_error *err) {
    ZW_TRY(zw_out_lay_out(s, err));
    for (int i = 0; i < s->picture->n; i++)
        ZW_TRY(zw_out_place_insets(s, &s->pane[i], err));
    return ZW_OK;
}

static zw_status lay_out(zw_out_sheet *s, zw_error *err) {
    bool again = true;
    ZW_TRY(lay_out_frames(s, err));
    for (int round = 0; again && round < LEGEND_ROUNDS; round++) {
        ZW_TRY(zw_out_place_legends(s, &again, err));
        if (again)
            ZW_TRY(lay_out_frames(s, err));
    }
    return ZW_OK;
}

zw_status zw_out_draw_pane(const zw_out_sheet *s, const zw_out_pane *p, zw_error *err) {
    const zw_out_box f = p->frame;
    if (p->panel->is_space)
        zw_out_space_draw_walls(s, p);
    else if (p->panel->grid)
        zw_out_draw_grid(s, p);
    if (!p->panel->is_space && !p->panel->map)
        zw_out_draw_zero(s, p);
    if (p->panel->map)
        ZW_TRY(zw_out_draw_map(s, p, err));
    cairo_rectangle(s->cr, f.left, f.top, f.right - f.left, f.bottom - f.top);
    zw_out_clip_begin(s->canvas);
    zw_status status =
        p->panel->is_points ? zw_out_draw_points(s, p, err) : zw_out_draw_lines(s, p, err);
    zw_out_clip_end(s->canvas);
    if (status < 0)
        return status;
    if (p->panel->is_space)
        zw_out_space_draw_axes(s, p);
    else
        zw_out_draw_frame(s, p);
    zw_out_draw_legend(s, p);
    zw_out_draw_bar(s, p);
    ZW_TRY(zw_out_draw_marks(s, p, err));
    return zw_out_draw_insets(s, p, err);
}

zw_status zw_out_draw_sheet(zw_out_sheet *s, zw_error *err) {
    if (!s->canvas->tex) { /* TeX's paper is white */
        cairo_set_source_rgb(s->cr, 1, 1, 1);
        cairo_paint(s->cr);
    }
    ZW_TRY(lay_out(s, err));
    for (int i = 0; i < s->picture->n; i++)
        ZW_TRY(zw_out_draw_pane(s, &s->pane[i], err));
    zw_out_draw_title(s);
    return ZW_OK;
}

/* ---- the whole picture ---- */

static zw_status prepare_pane(zw_out_pane *pane, zw_arena *arena, zw_plot_report *report,
                              zw_error *err) {
    ZW_TRY(zw_out_prepare_map(pane, arena, report, err));
    ZW_TRY(zw_out_find_ranges(pane, report, err));
    zw_out_label_axes(pane);
    zw_out_prepare_bar(pane);
    return zw_out_prepare_insets(pane, err);
}

zw_status zw_out_prepare(zw_out_pane **out, zw_picture *p, zw_arena *arena, zw_plot_report *report,
                         zw_error *err) {
    choose_size(p);
    ZW_TRY(check_picture(p, err));
    zw_out_pane *pane = ZW_NEW(arena, zw_out_pane, p->n);
    for (int i = 0; pane && i < p->n; i++) {
        pane[i].panel = &p->panel[i];
        pane[i].inset = ZW_NEW(arena, zw_out_inset, ZW_OUT_INSETS * (p->panel[i].ninset > 0) + 1);
    }
    if (arena->failed)
        return zw_out_of_memory(err, "the picture");
    for (int i = 0; i < p->n; i++)
        ZW_TRY(prepare_pane(&pane[i], arena, report, err));
    *out = pane;
    return ZW_OK;
}

/* commands of PGF have no pixels */
static zw_status reject_tex(const zw_picture *p, zw_plot_kind kind, zw_error *err) {
    for (int i = 0; i < p->n; i++)
        if (p->panel[i].map && kind == ZW_PLOT_TEX) {
            zw_fail(err, ZW_E_OPTION,
                    "a map is a picture of pixels, which a file for LaTeX has not");
            zw_error_hint(err, "draw .pdf, and \\includegraphics it");
            return ZW_E_OPTION;
        }
    return ZW_OK;
}

/* draws to path, or to bytes if path is NULL */
static zw_status draw_picture(const zw_picture *picture, zw_plot_kind kind, const char *path,
                              zw_bytes *bytes, zw_plot_report *report, zw_error *err) {
    zw_picture p = *picture;
    zw_plot_report unread = {0};
    report = report ? report : &unread;
    *report = (zw_plot_report){0};
    if (p.font && kind == ZW_PLOT_TEX) {
        zw_fail(err, ZW_E_OPTION,
                "LaTeX sets the letters of this picture in the font of the document");
        zw_error_hint(err, "leave out --font, or draw .svg, .pdf or .png");
        return ZW_E_OPTION;
    }
    ZW_TRY(reject_tex(&p, kind, err));
    zw_allocator alloc = zw_allocator_default();
    zw_arena arena;
    zw_arena_init(&arena, &alloc);
    zw_out_pane *pane;
    zw_status status = zw_out_prepare(&pane, &p, &arena, report, err);
    if (status >= 0) {
        int columns = p.columns ? p.columns : 1;
        double zoom = p.font_size / FONT_DEFAULT;
        zw_out_sheet s = {.zoom = zoom,
                          .width = p.width * MM / zoom,
                          .height = p.height * MM / zoom,
                          .picture = &p,
                          .columns = columns,
                          .rows = (p.n + columns - 1) / columns,
                          .pane = pane};
        status = zw_out_write_sheet(&s, kind, path, bytes, report, err);
    }
    zw_arena_clear(&arena);
    return status;
}

zw_status zw_plot_check_font(const char *font, zw_error *err) {
    return zw_out_fonts_check(font, err);
}

zw_status zw_plot_fonts(void (*each)(void *user, const char *name), void *user, zw_error *err) {
    return zw_out_fonts_each(each, user, err);
}

zw_status zw_plot(const zw_picture *picture, const char *path, zw_plot_report *report,
                  zw_error *err) {
    zw_plot_kind kind;
    ZW_TRY(format_of(path, &kind, err));
    return draw_picture(picture, kind, path, NULL, report, err);
}

zw_status zw_plot_bytes(const zw_picture *picture, zw_plot_kind kind, zw_bytes *out,
                        zw_plot_report *report, zw_error *err) {
    *out = (zw_bytes){0};
    return draw_picture(picture, kind, NULL, out, report, err);
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
