/* SPDX-License-Identifier: MIT */
/* Times next to the instants of one space. A label may be placed where there is no ink and no other
 * label, inside the paper, closer to its own instant than to any other by a margin. Of such places
 * the one is taken that is close to its own and far from the others; if there is none for one of
 * them, no label is drawn, and all times are listed below the picture. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "out/plots/label.h"
#include "strobe.h"

enum { STRIDE = 2, AROUND = 12 };
#define TIME_ERROR 5e-3       /* of printed times, relative to the least time between instants */
#define INK_DISTANCE 1.5      /* points, from the letters to ink */
#define OWN_DISTANCE_MAX 16.0 /* points, from an instant to its label */
#define OTHERS_MARGIN 2.0     /* points that a label is closer to its own instant than to others */
#define LABEL_DISTANCE 3.0    /* points, between labels */
#define OTHERS_WEIGHT 0.5     /* of the distance from others, relative to that from its own */
#define OTHERS_ENOUGH 24.0    /* points: a larger distance from others is not better */

/* ---- texts ---- */

/* the least time between two neighbours; for one instant, the whole time */
static double least_spacing(const zw_strobe *w) {
    const zw_view *v = w->sheet.view;
    double least = w->n > 1 ? INFINITY : fmax(v->time[v->rows - 1] - v->time[0], fabs(w->t[0]));
    for (int k = 1; k < w->n; k++)
        least = fmin(least, w->t[k] - w->t[k - 1]);
    return least;
}

static int digits_of(const zw_strobe *w) {
    enum { MOST = 9 };
    double slack = TIME_ERROR * least_spacing(w);
    for (int d = 0; d < MOST; d++) {
        double power = pow(10, d), worst = 0;
        for (int k = 0; k < w->n; k++)
            worst = fmax(worst, fabs(round(w->t[k] * power) / power - w->t[k]));
        if (worst <= slack)
            return d;
    }
    return MOST;
}

static void format_number(double t, int digits, char *out, size_t size) {
    t = fabs(t) < 0.5 * pow(10, -digits) ? 0 : t;
    snprintf(out, size, "%s%.*f", t < 0 ? "\xe2\x88\x92" : "", digits, fabs(t));
}

static const char *unit_of(const zw_strobe *w) {
    return w->sheet.view->metres ? " {s}" : "";
}

static void write_caption(zw_strobe *w) {
    int digits = digits_of(w);
    size_t used = (size_t)snprintf(w->caption, sizeof w->caption, "t = ");
    for (int k = 0; k < w->n && used < sizeof w->caption; k++) {
        char text[48];
        format_number(w->t[k], digits, text, sizeof text);
        used += (size_t)snprintf(w->caption + used, sizeof w->caption - used, "%s%s", k ? ", " : "",
                                 text);
    }
    used = strlen(w->caption);
    snprintf(w->caption + used, sizeof w->caption - used, "%s", unit_of(w));
}

static void write_times(zw_strobe *w, const char *before) {
    int digits = digits_of(w);
    for (int k = 0; k < w->n; k++) {
        char text[48];
        format_number(w->t[k], digits, text, sizeof text);
        snprintf(w->label[k].text, sizeof w->label[k].text, "%s%s%s", before, text, unit_of(w));
    }
}

static bool are_too_wide(zw_strobe *w) {
    for (int k = 0; k < w->n; k++)
        if (zw_out_label_width(&w->canvas, w->label[k].text, ZW_OUT_NAME, w->o->font_size) >
            w->room.width)
            return true;
    return false;
}

void zw_strobe_times(zw_strobe *w) {
    bool many = w->layout == ZW_STROBE_OVERLAY && w->n > 1;
    write_times(w, many ? "" : "t = ");
    if (are_too_wide(w))
        write_times(w, "");
}

void zw_strobe_put(zw_strobe *w, const char *text, double size, double x, double y, double room) {
    const zw_rgb ink = w->sheet.theme.ink;
    zw_out_fit fit = zw_out_label_fit(&w->canvas, text, ZW_OUT_NAME, size, 0.6 * size, room);
    cairo_set_source_rgb(w->canvas.cr, ink.r, ink.g, ink.b);
    cairo_move_to(w->canvas.cr, x, y);
    zw_out_label_draw(&w->canvas, fit.text, ZW_OUT_NAME, fit.size, ZW_OUT_CENTRE);
}

/* ---- places ---- */

typedef struct search {
    const zw_strobe_map *map;
    int n;
    int *ink;      /* number of cells with ink above and to the left, (nx + 1) x (ny + 1) */
    float *others; /* distance from all instants except the one to be labelled */
    int nplaced;
    zw_strobe_rect placed[ZW_STROBE_MAX];
} search;

static bool add_up(search *s, zw_arena *arena) {
    int nx = s->map->nx, ny = s->map->ny;
    s->ink = ZW_NEW(arena, int, (nx + 1) * (ny + 1));
    s->others = ZW_NEW(arena, float, nx *ny);
    if (!s->ink || !s->others)
        return false;
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++) {
            int *at = &s->ink[(y + 1) * (nx + 1) + x + 1];
            *at = s->map->ink[y * nx + x] + at[-1] + at[-(nx + 1)] - at[-(nx + 2)];
        }
    return true;
}

static void find_others(search *s, int k) {
    int size = s->map->nx * s->map->ny;
    for (int i = 0; i < size; i++) {
        s->others[i] = (float)size;
        for (int j = 0; j < s->n; j++)
            if (j != k)
                s->others[i] =
                    fminf(s->others[i], s->map->own[(size_t)j * (size_t)size + (size_t)i]);
    }
}

static bool has_ink(const search *s, const zw_strobe_rect *r) {
    int nx = s->map->nx, ny = s->map->ny;
    double cell = s->map->cell;
    int x0 = (int)fmax((r->x - INK_DISTANCE) / cell, 0),
        y0 = (int)fmax((r->y - INK_DISTANCE) / cell, 0);
    int x1 = (int)fmin(ceil((r->x + r->width + INK_DISTANCE) / cell), nx);
    int y1 = (int)fmin(ceil((r->y + r->height + INK_DISTANCE) / cell), ny);
    const int *i = s->ink;
    return i[y1 * (nx + 1) + x1] - i[y0 * (nx + 1) + x1] - i[y1 * (nx + 1) + x0] +
               i[y0 * (nx + 1) + x0] >
           0;
}

static bool meets_label(const search *s, const zw_strobe_rect *r) {
    for (int i = 0; i < s->nplaced; i++) {
        const zw_strobe_rect *p = &s->placed[i];
        if (r->x < p->x + p->width + LABEL_DISTANCE && p->x < r->x + r->width + LABEL_DISTANCE &&
            r->y < p->y + p->height + LABEL_DISTANCE && p->y < r->y + r->height + LABEL_DISTANCE)
            return true;
    }
    return false;
}

/* the least value of a map around a label */
static double least_around(const search *s, const float *map, const zw_strobe_rect *r) {
    double least = INFINITY;
    for (int k = 0; k <= AROUND; k++)
        for (int side = 0; side < 4; side++) {
            double part = (double)k / AROUND;
            double x = r->x + r->width * (side == 0 ? 0 : side == 1 ? 1 : part);
            double y = r->y + r->height * (side == 2 ? 0 : side == 3 ? 1 : part);
            int ix = (int)fmin(fmax(x / s->map->cell, 0), s->map->nx - 1);
            int iy = (int)fmin(fmax(y / s->map->cell, 0), s->map->ny - 1);
            least = fmin(least, map[iy * s->map->nx + ix]);
        }
    return least;
}

/* the best place for a label of this size; false if there is none */
static bool find_place(search *s, int k, const zw_strobe_rect *page, zw_strobe_rect *r) {
    const float *own = s->map->own + (size_t)k * (size_t)(s->map->nx * s->map->ny);
    double best = INFINITY;
    zw_strobe_rect at = *r;
    find_others(s, k);
    for (at.y = page->y; at.y + at.height <= page->y + page->height; at.y += STRIDE)
        for (at.x = page->x; at.x + at.width <= page->x + page->width; at.x += STRIDE) {
            if (has_ink(s, &at) || meets_label(s, &at))
                continue;
            double near = least_around(s, own, &at);
            if (near > OWN_DISTANCE_MAX)
                continue;
            double far = least_around(s, s->others, &at);
            double cost = near - OTHERS_WEIGHT * fmin(far, OTHERS_ENOUGH);
            if (far < near + OTHERS_MARGIN || cost >= best)
                continue;
            best = cost;
            *r = at;
        }
    return isfinite(best);
}

static bool place_all(zw_strobe *w, const zw_strobe_map *map) {
    double size = w->o->font_size, border = 2;
    search s = {.map = map, .n = w->n};
    double head = zw_strobe_head(w);
    zw_strobe_rect page = {border, border + head, w->width - 2 * border,
                           w->height - 2 * border - head - zw_strobe_foot(w)};
    if (!add_up(&s, &w->arena))
        return false;
    for (int k = 0; k < w->n; k++) {
        zw_strobe_rect r = {.width =
                                zw_out_label_width(&w->canvas, w->label[k].text, ZW_OUT_NAME, size),
                            .height = 0.72 * size};
        if (!find_place(&s, k, &page, &r))
            return false;
        s.placed[s.nplaced++] = w->label[k].at = r;
    }
    return true;
}

zw_status zw_strobe_place_labels(zw_strobe *w, zw_error *err) {
    zw_arena_mark mark = zw_arena_mark_now(&w->arena);
    zw_strobe_map map;
    zw_status status = zw_strobe_map_create(w, &map, err);
    w->report.beside = status >= 0 && place_all(w, &map);
    zw_arena_release(&w->arena, mark);
    if (status >= 0 && !w->report.beside)
        write_caption(w);
    return status;
}
