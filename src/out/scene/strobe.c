/* SPDX-License-Identifier: MIT */
/* A stroboscopic picture: the drawings of a scene at several instants on one sheet, in one space or
 * in panels.
 *
 * One space is chosen if at most HIDDEN_MAX of the moving parts is behind other instants. Panels
 * are as wide as the paper allows; more than a row of them becomes a grid, with a number of columns
 * that leaves few places empty. */
#include "strobe.h"

#include <math.h>
#include <string.h>

#include <cairo-svg.h>

#include "base/arena.h"
#include "out/files/file.h"
#include "out/plots/label.h"

#define MM (72 / 25.4)   /* points */
#define HIDDEN_MAX 0.25  /* of the moving parts: more hides one instant of four */
#define EXTENT_MIN 1e-9  /* on paper at distance 1: against division by 0 for a single point */
#define PRINT_DPI 300.0  /* of PNG files */
#define SCREEN_DPI 96.0  /* screen resolution at which vector files must show no seams */
#define MARGIN 5.0       /* points around everything */
#define GAP 7.0          /* between panels */
#define SPACE_WIDTH 120  /* [mm]; default width of one space */
#define PANELS_WIDTH 160 /* [mm]; default width of panels */
#define PANEL_REACH 0.75 /* of the ground, in widths of the space */
#define SPACE_REACH 0.7
#define SQUARE_FACTOR 2  /* of the squares of the ground in one space, relative to the default */
#define LINE_WIDTH 0.35  /* points, in panels */
#define PANELS_PER_ROW 5 /* default maximum */
#define SIZE_MAX_MM 1000
#define PANEL_MIN 24.0 /* points; smaller panels show nothing */

void zw_strobe_options_init(zw_strobe_options *options, size_t size) {
    zw_strobe_options o = {.size = size,
                           .azimuth = NAN,
                           .elevation = NAN,
                           .fade = 0.65,
                           .font_size = 9,
                           .forces = true};
    memset(options, 0, size);
    memcpy(options, &o, size < sizeof o ? size : sizeof o);
}

static zw_strobe_options options_of(const zw_strobe_options *given) {
    zw_strobe_options o = zw_strobe_options_default();
    if (given)
        memcpy(&o, given, given->size < sizeof o ? given->size : sizeof o);
    return o;
}

static zw_status check_options(const zw_strobe_options *o, zw_error *err) {
    if (!(o->fade >= 0 && o->fade <= 1))
        return zw_fail(err, ZW_E_OPTION,
                       "the first instant is paler than the last by %g: 0 to 1 are possible",
                       o->fade);
    if (!(o->width >= 0 && o->width <= SIZE_MAX_MM) ||
        !(o->height >= 0 && o->height <= SIZE_MAX_MM))
        return zw_fail(err, ZW_E_OPTION, "a picture of %g x %g mm: up to 1000 are possible",
                       o->width, o->height);
    if (o->columns < 0 || o->columns > ZW_STROBE_MAX)
        return zw_fail(err, ZW_E_OPTION, "%d columns: 1 to %d are possible", o->columns,
                       ZW_STROBE_MAX);
    if (!(o->font_size >= 4 && o->font_size <= 40))
        return zw_fail(err, ZW_E_OPTION, "letters of %g points: 4 to 40 are possible",
                       o->font_size);
    return o->font ? zw_out_fonts_check(o->font, err) : ZW_OK;
}

static zw_status check_instants(const zw_view *v, int n, const double *t, zw_error *err) {
    if (v->rows < 1)
        return zw_fail(err, ZW_E_OPTION, "there is no row to be shown");
    if (n < 1 || n > ZW_STROBE_MAX)
        return zw_fail(err, ZW_E_OPTION, "%d instants: 1 to %d are possible", n, ZW_STROBE_MAX);
    for (int k = 0; k < n; k++) {
        if (!(t[k] >= v->time[0] && t[k] <= v->time[v->rows - 1]))
            return zw_fail(err, ZW_E_OPTION, "the motion is from t = %g to %g; %g is outside",
                           v->time[0], v->time[v->rows - 1], t[k]);
        if (k > 0 && !(t[k] > t[k - 1]))
            return zw_fail(err, ZW_E_OPTION, "instants must ascend: %g is not after %g", t[k],
                           t[k - 1]);
    }
    return ZW_OK;
}

/* ---- layout ---- */

/* The number of columns near that for a grid half as wide again as high that leaves the fewest
 * places empty; rather wide than high. */
static int grid_columns(int n, double aspect) {
    int wanted = (int)fmin(fmax(round(sqrt(1.5 * n * aspect)), 2), n), best = wanted;
    int least = n;
    for (int c = wanted + 1; c >= wanted - 1 && c >= 2; c--) {
        int empty = (n + c - 1) / c * c - n;
        if (c <= n && empty < least) {
            least = empty;
            best = c;
        }
    }
    return best;
}

static double aspect_of(const zw_strobe *w) { /* height divided by width */
    return fmax(w->box[3] - w->box[1], EXTENT_MIN) / fmax(w->box[2] - w->box[0], EXTENT_MIN);
}

double zw_strobe_head(const zw_strobe *w) {
    return w->o->title ? 2 * w->o->font_size : 0;
}

double zw_strobe_foot(const zw_strobe *w) {
    return w->stage.touches & ~(1U << ZW_VIEW_OPEN) ? 1.7 * w->o->font_size : 0;
}

static zw_status reject_small(const zw_strobe *w, zw_error *err) {
    zw_fail(err, ZW_E_OPTION, "%d panels in %d %s do not fit into %.4g x %.4g mm", w->n, w->rows,
            w->rows > 1 ? "rows" : "row", w->width / MM, w->height / MM);
    zw_error_hint(
        err, w->rows > 1
                 ? "fewer instants, or a larger picture: --size 180x200"
                 : "--strobe-layout grid has several rows; or a larger picture: --size 300x60");
    return ZW_E_OPTION;
}

/* a length at the distance of the target, given in widths of the space on paper */
static double reach_of(const zw_strobe *w, double widths) {
    const zw_camera *c = &w->sheet.camera;
    double d[3] = {c->eye[0] - c->target[0], c->eye[1] - c->target[1], c->eye[2] - c->target[2]};
    return widths * w->room.width / c->f * zw_length3(d);
}

static zw_status lay_out_panels(zw_strobe *w, zw_error *err) {
    const zw_strobe_options *o = w->o;
    double strip = 1.7 * o->font_size, head = zw_strobe_head(w);
    ZW_TRY(zw_strobe_aim_panels(w, err));
    double aspect = fmin(fmax(aspect_of(w), 0.3), 3);
    if (w->layout == ZW_STROBE_AUTO)
        w->layout = o->columns               ? ZW_STROBE_GRID
                    : w->n <= PANELS_PER_ROW ? ZW_STROBE_ROW
                                             : ZW_STROBE_GRID;
    w->columns = w->layout == ZW_STROBE_ROW ? w->n
                 : o->columns               ? (int)fmin(o->columns, w->n)
                                            : grid_columns(w->n, aspect);
    w->rows = (w->n + w->columns - 1) / w->columns;
    w->width = (o->width > 0 ? o->width : PANELS_WIDTH) * MM;
    double width = (w->width - 2 * MARGIN - (w->columns - 1) * GAP) / w->columns;
    double above = 2 * MARGIN + head + zw_strobe_foot(w) + w->rows * strip + (w->rows - 1) * GAP;
    double height = o->height > 0 ? (o->height * MM - above) / w->rows : width * aspect;
    w->height = above + w->rows * height;
    if (width < PANEL_MIN || height < PANEL_MIN)
        return reject_small(w, err);
    w->room = (zw_strobe_rect){MARGIN, MARGIN + head, width, height};
    w->next_x = width + GAP;
    w->next_y = height + strip + GAP;
    return ZW_OK;
}

static zw_status lay_out_space(zw_strobe *w, zw_error *err) {
    const zw_strobe_options *o = w->o;
    double head = zw_strobe_head(w), side = MARGIN + 2 * o->font_size;
    w->columns = w->rows = 1;
    w->width = (o->width > 0 ? o->width : SPACE_WIDTH) * MM;
    double width = w->width - 2 * side, above = 2 * side + head + zw_strobe_foot(w);
    double aspect = fmin(fmax(aspect_of(w), 0.15), 1.2);
    double height = o->height > 0 ? o->height * MM - above : width * aspect;
    w->height = above + height;
    if (width < PANEL_MIN || height < PANEL_MIN)
        return zw_fail(err, ZW_E_OPTION, "a picture of %.3g x %.3g mm leaves no room for the scene",
                       w->width / MM, w->height / MM);
    w->room = (zw_strobe_rect){side, side + head, width, height};
    zw_strobe_times(w);
    zw_strobe_fit(&w->sheet.camera, w->box, &w->room);
    w->sheet.reach = reach_of(w, SPACE_REACH);
    w->sheet.coarse = SQUARE_FACTOR;
    return zw_strobe_place_labels(w, err);
}

static zw_status lay_out(zw_strobe *w, zw_error *err) {
    w->layout = w->o->layout;
    if (w->layout == ZW_STROBE_AUTO && w->o->columns > 1)
        w->layout = ZW_STROBE_GRID;
    if (w->layout == ZW_STROBE_AUTO || w->layout == ZW_STROBE_OVERLAY) {
        ZW_TRY(zw_strobe_aim_space(w, err));
        ZW_TRY(zw_strobe_hidden(w, &w->report.hidden, err));
        if (w->layout == ZW_STROBE_OVERLAY || w->report.hidden <= HIDDEN_MAX) {
            w->layout = ZW_STROBE_OVERLAY;
            return lay_out_space(w, err);
        }
    }
    ZW_TRY(lay_out_panels(w, err));
    zw_strobe_times(w);
    zw_strobe_fit(&w->sheet.camera, w->box, &w->room);
    w->sheet.reach = reach_of(w, PANEL_REACH);
    w->sheet.line = LINE_WIDTH;
    return ZW_OK;
}

/* ---- drawing ---- */

static bool draw_list(zw_scene_sheet *s, zw_prims *list) {
    zw_prims all = *list;
    zw_scene_hide(list);
    if (!zw_scene_order(s, list))
        return false;
    if (!s->o->bare) {
        zw_scene_ground(s);
        zw_scene_shadows(s, &all);
    }
    zw_scene_paint(s, list);
    return true;
}

static bool draw_space(zw_strobe *w) {
    double size = w->o->font_size;
    if (!draw_list(&w->sheet, &w->all))
        return false;
    for (int k = 0; k < w->n && w->report.beside; k++)
        zw_strobe_put(w, w->label[k].text, size, w->label[k].at.x + w->label[k].at.width / 2,
                      w->label[k].at.y + w->label[k].at.height, w->width);
    if (w->caption[0])
        zw_strobe_put(w, w->caption, size, w->width / 2, w->height - MARGIN - zw_strobe_foot(w),
                      w->width - 2 * MARGIN);
    return true;
}

static double put_word(void *user, const char *text, double x, double y, bool draw) {
    zw_strobe *w = user;
    const zw_rgb ink = w->sheet.theme.ink;
    cairo_set_source_rgb(w->canvas.cr, ink.r, ink.g, ink.b);
    cairo_move_to(w->canvas.cr, x, y);
    if (draw)
        zw_out_label_draw(&w->canvas, text, ZW_OUT_PLAIN, w->legend, ZW_OUT_LEFT);
    return zw_out_label_width(&w->canvas, text, ZW_OUT_PLAIN, w->legend);
}

/* in the middle of the last line, smaller if it is too long for it */
static void draw_legend(zw_strobe *w) {
    double room = w->width - 2 * MARGIN;
    w->legend = 0.9 * w->o->font_size;
    zw_scene_pen pen = {w->legend, false, put_word, w};
    double length = zw_scene_legend(&w->sheet, &pen, 0, 0), shrink = fmin(room / length, 1);
    pen.size = w->legend *= shrink;
    pen.draw = true;
    zw_scene_legend(&w->sheet, &pen, (w->width - shrink * length) / 2, w->height - MARGIN);
}

static bool draw_panel(zw_strobe *w, int k) {
    int column = k % w->columns, row = k / w->columns;
    double x = column * w->next_x, y = row * w->next_y;
    const zw_strobe_rect *first = &w->room,
                         room = {first->x + x, first->y + y, first->width, first->height};
    zw_arena_mark mark = zw_arena_mark_now(&w->arena);
    zw_scene_sheet s = w->sheet;
    zw_prims list = {.arena = &w->arena};
    s.camera = zw_strobe_camera(w, k);
    s.camera.cx += x;
    s.camera.cy += y;
    cairo_save(s.cr);
    cairo_rectangle(s.cr, room.x - GAP / 2, room.y - GAP / 2, room.width + GAP, room.height + GAP);
    cairo_clip(s.cr);
    bool well = zw_strobe_add(&s, w->t[k], ZW_STROBE_FIXED | ZW_STROBE_MOVING | ZW_STROBE_PATHS, 0,
                              &list) &&
                draw_list(&s, &list);
    cairo_restore(s.cr);
    zw_arena_release(&w->arena, mark);
    zw_strobe_put(w, w->label[k].text, w->o->font_size, room.x + room.width / 2,
                  room.y + room.height + 1.35 * w->o->font_size, room.width + GAP / 2);
    return well;
}

bool zw_strobe_draw(cairo_t *cr, void *user) {
    zw_strobe *w = user;
    const zw_rgb paper = w->sheet.theme.paper;
    w->sheet.cr = w->canvas.cr = cr;
    cairo_set_source_rgb(cr, paper.r, paper.g, paper.b);
    cairo_paint(cr);
    bool well = true;
    if (w->layout == ZW_STROBE_OVERLAY)
        well = draw_space(w);
    for (int k = 0; k < w->n && well && w->layout != ZW_STROBE_OVERLAY; k++)
        well = draw_panel(w, k);
    if (zw_strobe_foot(w) > 0)
        draw_legend(w);
    if (w->o->title)
        zw_strobe_put(w, w->o->title, 1.1 * w->o->font_size, w->width / 2, MARGIN + w->o->font_size,
                      w->width - 2 * MARGIN);
    return well;
}

static void count_unseen(zw_strobe *w) {
    for (int k = 0; k < w->n; k++)
        for (int i = 0; i < w->sheet.view->n; i++) {
            zw_placed p;
            zw_scene_place(w->sheet.view, i, w->t[k], &p);
            w->report.unseen += !p.seen;
        }
}

static void fill_report(zw_strobe *w) {
    zw_strobe_report *r = &w->report;
    r->layout = w->layout;
    r->columns = w->columns;
    r->width = w->width / MM;
    r->height = w->height / MM;
    if (!w->look.bare)
        zw_scene_square(&w->sheet, r->square, sizeof r->square);
    zw_view_force_key(w->sheet.view, &w->stage, r->forces, sizeof r->forces);
    memcpy(r->missing, zw_out_fonts_missing(w->canvas.fonts),
           strnlen(zw_out_fonts_missing(w->canvas.fonts), sizeof r->missing - 1));
    r->misset = zw_out_fonts_misset(w->canvas.fonts);
    r->shortened = w->canvas.shortened;
}

static zw_view_options view_options_of(const zw_strobe_options *o) {
    zw_view_options look = zw_view_options_default();
    look.azimuth = o->azimuth;
    look.elevation = o->elevation;
    look.bare = o->bare;
    look.dark = o->dark;
    return look;
}

static zw_status prepare_strobe(zw_strobe *w, const zw_view *view, zw_error *err) {
    w->look = view_options_of(w->o);
    zw_view_measure(view, &w->stage);
    w->sheet = (zw_scene_sheet){.view = view,
                                .stage = &w->stage,
                                .o = &w->look,
                                .theme = zw_scene_theme_of(w->o->dark),
                                .arena = &w->arena,
                                .line = 0.5,
                                .passed = true};
    w->sheet.placed = ZW_NEW(&w->arena, zw_placed, view->n + 1);
    if (!w->sheet.placed)
        return zw_out_of_memory(err, "the picture");
    count_unseen(w);
    return lay_out(w, err);
}

/* letters are measured on a dummy surface before there is a page */
zw_status zw_strobe_begin(zw_strobe *w, const zw_view *view, int n, const double *t,
                          const zw_strobe_options *o, zw_error *err) {
    *w = (zw_strobe){.n = n, .t = t, .o = o};
    zw_arena_init(&w->arena, NULL);
    ZW_TRY(check_options(o, err));
    ZW_TRY(check_instants(view, n, t, err));
    ZW_TRY(zw_out_fonts_create(&w->canvas.fonts, o->font, err));
    cairo_surface_t *scrap = cairo_svg_surface_create_for_stream(NULL, NULL, 100, 100);
    w->canvas.cr = cairo_create(scrap);
    locale_t before = zw_plain_begin();
    zw_status status = prepare_strobe(w, view, err);
    zw_plain_end(before);
    cairo_destroy(w->canvas.cr);
    cairo_surface_destroy(scrap);
    return status;
}

void zw_strobe_end(zw_strobe *w) {
    zw_out_fonts_destroy(w->canvas.fonts);
    zw_arena_clear(&w->arena);
}

static zw_status write_strobe(const zw_view *view, int n, const double *t, zw_scene_kind kind,
                              const char *path, zw_bytes *bytes, const zw_strobe_options *options,
                              zw_strobe_report *report, zw_error *err) {
    zw_strobe_options o = options_of(options);
    const zw_view seen = zw_scene_seen(view, o.forces);
    zw_strobe w;
    zw_status status = zw_strobe_begin(&w, &seen, n, t, &o, err);
    w.sheet.pixel = 72 / (kind == ZW_SCENE_PNG ? PRINT_DPI : SCREEN_DPI);
    zw_scene_page page = {w.width, w.height, 1, PRINT_DPI / 72, zw_strobe_draw, &w};
    if (status >= 0)
        status = zw_scene_write(&page, kind, path, bytes, err);
    if (status >= 0) {
        fill_report(&w);
        if (report)
            *report = w.report;
    }
    zw_strobe_end(&w);
    return status;
}

zw_status zw_strobe_check(const char *path, const zw_strobe_options *options, zw_error *err) {
    zw_scene_kind kind;
    zw_strobe_options o = options_of(options);
    ZW_TRY(zw_scene_kind_of_path(path, &kind, err));
    ZW_TRY(check_options(&o, err));
    return zw_out_check_place(path, err);
}

zw_status zw_strobe_write(const zw_view *view, int n, const double *t, const char *path,
                          const zw_strobe_options *options, zw_strobe_report *report,
                          zw_error *err) {
    zw_scene_kind kind;
    ZW_TRY(zw_scene_kind_of_path(path, &kind, err));
    return write_strobe(view, n, t, kind, path, NULL, options, report, err);
}

zw_status zw_strobe_bytes(const zw_view *view, int n, const double *t, const char *ending,
                          zw_bytes *out, const zw_strobe_options *options, zw_strobe_report *report,
                          zw_error *err) {
    zw_scene_kind kind;
    *out = (zw_bytes){0};
    ZW_TRY(zw_scene_kind_of(ending, ending, &kind, err));
    return write_strobe(view, n, t, kind, NULL, out, options, report, err);
}
