/* SPDX-License-Identifier: MIT */
/* The ground: a grid of 1, 2 or 5 times a power of ten that fades out, and the shadows on it; in
 * the margin the directions of the axes, the size of the squares, the time.
 *
 * Shadows fall along the sun's rays. All of them are one shape, filled once, so that overlaps are
 * not darker; their outlines must have the same orientation for that. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene.h"

#define TURN (2 * 3.14159265358979323846)
#define GROUND_OFFSET 1e-4 /* of the grid below the ground, relative to the scene: below a pixel */
#define UNDER_GROUND 1e-3  /* relative to the scene: what is lower casts no shadow on the ground */
#define SUN_DISTANCE 1e6   /* scenes: its rays are parallel up to 1e-6 rad */
#define FONT "DejaVu Sans"

enum { STOPS = 12, LINES_MAX = 400, CIRCLE = 24 };

/* ----------------------------------------------------------------------------------------- grid */

double zw_scene_grid_step(double length) {
    double raw = length / 10, power = pow(10, floor(log10(raw))), rest = raw / power;
    return (rest < 1.5 ? 1 : rest < 3.5 ? 2 : rest < 7.5 ? 5 : 10) * power;
}

static double square_of(const zw_scene_sheet *s) {
    return zw_scene_grid_step((s->coarse > 0 ? s->coarse : 1) * s->stage->scale);
}

typedef struct floor_plan {
    double o[3], x[3], y[3]; /* the point under the target, directions of the lines */
    double ox, oy;           /* its coordinates */
    double reach;
} floor_plan;

static void place_grid(const zw_scene_sheet *s, floor_plan *f) {
    const zw_camera *c = &s->camera;
    double off = s->stage->ground - GROUND_OFFSET * s->stage->size - zw_dot3(c->target, c->up);
    int first = fabs(c->up[0]) < 0.5 ? 0 : 1;
    for (int i = 0; i < 3; i++) {
        f->o[i] = c->target[i] + off * c->up[i];
        f->x[i] = (i == first) - c->up[first] * c->up[i];
    }
    zw_unit3(f->x);
    zw_cross3(c->up, f->x, f->y);
    f->ox = zw_dot3(f->o, f->x);
    f->oy = zw_dot3(f->o, f->y);
    f->reach = s->reach > 0 ? s->reach : 2.4 * s->stage->scale;
}

static double fade_factor(double far) {
    double x = fmin(fmax((far - 0.2) / 0.8, 0), 1);
    return 1 - x * x * (3 - 2 * x);
}

/* one line of the grid at the distance `at` from the middle, as long as the circle allows, fading
 * towards its ends */
static void grid_line(const zw_scene_sheet *s, const floor_plan *f, double at, bool along_x,
                      double strength) {
    double half = sqrt(fmax(f->reach * f->reach - at * at, 0)), x[2], y[2], e[2][3], X[3];
    for (int end = 0; end < 2; end++) {
        double l = end ? half : -half, u = along_x ? l : at, v = along_x ? at : l;
        for (int i = 0; i < 3; i++)
            e[end][i] = f->o[i] + u * f->x[i] + v * f->y[i];
    }
    double z[2];
    for (int end = 0; end < 2; end++) {
        zw_camera_see(&s->camera, e[end], X);
        z[end] = X[2];
    }
    double near = 0.05 * s->stage->scale, from = 0, to = 1;
    if (z[0] < near && z[1] < near)
        return;
    if (z[0] < near)
        from = (near - z[0]) / (z[1] - z[0]);
    if (z[1] < near)
        to = (near - z[0]) / (z[1] - z[0]);
    cairo_pattern_t *g;
    double p[2][3];
    for (int end = 0; end < 2; end++) {
        double part = end ? to : from;
        for (int i = 0; i < 3; i++)
            p[end][i] = e[0][i] + part * (e[1][i] - e[0][i]);
        zw_camera_see(&s->camera, p[end], X);
        z[end] = X[2];
        zw_camera_paper(&s->camera, X, &x[end], &y[end]);
    }
    g = cairo_pattern_create_linear(x[0], y[0], x[1], y[1]);
    for (int k = 0; k <= STOPS; k++) { /* evenly in space, on paper by perspective */
        double part = (double)k / STOPS, place = part * z[1] / (z[0] + part * (z[1] - z[0]));
        double l = half * (2 * (from + part * (to - from)) - 1);
        cairo_pattern_add_color_stop_rgba(g, place, s->theme.grid.r, s->theme.grid.g,
                                          s->theme.grid.b,
                                          strength * fade_factor(hypot(at, l) / f->reach));
    }
    cairo_move_to(s->cr, x[0], y[0]);
    cairo_line_to(s->cr, x[1], y[1]);
    cairo_set_source(s->cr, g);
    cairo_stroke(s->cr);
    cairo_pattern_destroy(g);
}

void zw_scene_ground(const zw_scene_sheet *s) {
    floor_plan f;
    place_grid(s, &f);
    double step = square_of(s);
    cairo_set_line_width(s->cr, 0.8 * s->line);
    for (int along_x = 0; along_x < 2; along_x++) {
        double o = along_x ? f.oy : f.ox, first = ceil((o - f.reach) / step);
        for (int k = 0; k < LINES_MAX; k++) {
            double number = first + k, at = number * step - o;
            if (at > f.reach)
                break;
            grid_line(s, &f, at, along_x, fmod(number, 5) == 0 ? 0.6 : 0.3);
        }
    }
}

/* -------------------------------------------------------------------------------------- shadows */

typedef struct shade {
    const zw_scene_sheet *s;
    double x[3], y[3]; /* directions on the ground */
    double height;
    int n;
    double p[512][2];
} shade;

/* along the sun's rays to the ground */
static void drop_shadow(shade *d, const double x[3]) {
    const zw_camera *c = &d->s->camera;
    double above = zw_dot3(x, c->up) - d->height, slope = zw_dot3(c->sun, c->up), on[3];
    if (d->n == (int)(sizeof d->p / sizeof *d->p))
        return;
    for (int i = 0; i < 3; i++)
        on[i] = x[i] - above / slope * c->sun[i];
    d->p[d->n][0] = zw_dot3(on, d->x);
    d->p[d->n++][1] = zw_dot3(on, d->y);
}

/* adds the hull of the projected points to the path */
static void close_shade(shade *d) {
    const zw_camera *c = &d->s->camera;
    int n = zw_scene_hull(d->n, d->p);
    d->n = 0;
    for (int k = 0; k < n; k++) {
        double x[3], X[3], px, py;
        for (int i = 0; i < 3; i++)
            x[i] = d->p[k][0] * d->x[i] + d->p[k][1] * d->y[i] + d->height * c->up[i];
        zw_camera_see(c, x, X);
        if (X[2] <= 0.02 * d->s->stage->scale)
            return;
        zw_camera_paper(c, X, &px, &py);
        if (k == 0)
            cairo_new_sub_path(d->s->cr);
        cairo_line_to(d->s->cr, px, py);
    }
    cairo_close_path(d->s->cr);
}

/* a ball seen from the sun, from very far */
static void drop_ball(shade *d, const zw_prim *b) {
    double edge[CIRCLE * 2][3], far[3];
    for (int i = 0; i < 3; i++)
        far[i] = b->middle[i] + SUN_DISTANCE * d->s->stage->size * d->s->camera.sun[i];
    zw_scene_outline(b, far, CIRCLE * 2, edge);
    for (int k = 0; k < CIRCLE * 2; k++)
        drop_shadow(d, edge[k]);
    close_shade(d);
}

static void drop_tube(shade *d, const double a[3], const double b[3], double r) {
    double x[3], y[3];
    zw_across3(d->s->camera.sun, x, y);
    for (int end = 0; end < 2; end++)
        for (int k = 0; k < CIRCLE; k++) {
            double p[3];
            for (int i = 0; i < 3; i++)
                p[i] = (end ? b : a)[i] +
                       r * (cos(TURN * k / CIRCLE) * x[i] + sin(TURN * k / CIRCLE) * y[i]);
            drop_shadow(d, p);
        }
    close_shade(d);
}

static void drop_face(shade *d, const zw_prim *p) {
    for (int k = 0; k < p->n; k++)
        drop_shadow(d, p->p[k]);
    close_shade(d);
}

/* the shadow of a solid is that of its sides that face the sun */
static bool is_lit(const zw_scene_sheet *s, const zw_prim *p) {
    return p->thin || zw_dot3(p->normal, s->camera.sun) >= 0;
}

void zw_scene_shadows(const zw_scene_sheet *s, const zw_prims *list) {
    floor_plan f;
    shade d = {.s = s, .height = s->stage->ground};
    place_grid(s, &f);
    memcpy(d.x, f.x, sizeof d.x);
    memcpy(d.y, f.y, sizeof d.y);
    cairo_new_path(s->cr);
    for (int i = 0; i < list->n; i++) {
        const zw_prim *p = &list->item[i];
        if (p->alpha < 1 || zw_prim_is_sign(p->kind) ||
            zw_dot3(p->middle, s->camera.up) < s->stage->ground - UNDER_GROUND * s->stage->size)
            continue;
        if (p->kind == ZW_PRIM_BALL)
            drop_ball(&d, p);
        else if (p->kind == ZW_PRIM_TUBE)
            drop_tube(&d, p->p[0], p->p[1], p->radius);
        else if (p->kind == ZW_PRIM_FACE && is_lit(s, p))
            drop_face(&d, p);
        else if (p->kind == ZW_PRIM_LINE && p->radius > 0)
            for (int k = 0; k + 1 < p->n; k++)
                drop_tube(&d, p->p[k], p->p[k + 1], p->radius);
    }
    cairo_set_fill_rule(s->cr, CAIRO_FILL_RULE_WINDING);
    cairo_set_source_rgba(s->cr, 0, 0, 0, s->o->dark ? 0.35 : 0.13);
    cairo_fill(s->cr);
}

/* --------------------------------------------------------------------------------------- margin */

static void set_font(const zw_scene_sheet *s, double size, bool italic) {
    cairo_select_font_face(s->cr, italic ? "DejaVu Serif" : FONT,
                           italic ? CAIRO_FONT_SLANT_ITALIC : CAIRO_FONT_SLANT_NORMAL,
                           CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(s->cr, size * s->line);
}

static void draw_compass(const zw_scene_sheet *s) {
    static const char *const names[] = {"x", "y", "z"};
    double unit = 26 * s->line, cx = 44 * s->line, cy = s->o->height - 62 * s->line;
    set_font(s, 13, true);
    cairo_set_line_width(s->cr, 1.2 * s->line);
    cairo_set_line_cap(s->cr, CAIRO_LINE_CAP_ROUND);
    for (int k = 0; k < 3; k++) {
        double x = unit * s->camera.r[k], y = -unit * s->camera.u[k];
        cairo_text_extents_t box;
        cairo_move_to(s->cr, cx, cy);
        cairo_line_to(s->cr, cx + x, cy + y);
        cairo_stroke(s->cr);
        if (hypot(x, y) < 0.2 * unit)
            continue; /* it points towards the reader */
        cairo_text_extents(s->cr, names[k], &box);
        cairo_move_to(s->cr, cx + 1.36 * x - box.width / 2 - box.x_bearing,
                      cy + 1.36 * y - box.height / 2 - box.y_bearing);
        cairo_show_text(s->cr, names[k]);
    }
    cairo_set_line_cap(s->cr, CAIRO_LINE_CAP_BUTT);
}

void zw_scene_length(const zw_view *view, double length, char *out, size_t size) {
    if (!view->metres)
        snprintf(out, size, "%.3g", length);
    else if (length >= 1000)
        snprintf(out, size, "%.3g km", length / 1000);
    else if (length >= 1)
        snprintf(out, size, "%.3g m", length);
    else if (length >= 0.01)
        snprintf(out, size, "%.3g cm", 100 * length);
    else
        snprintf(out, size, "%.3g mm", 1000 * length);
}

void zw_scene_square(const zw_scene_sheet *s, char *out, size_t size) {
    zw_scene_length(s->view, square_of(s), out, size);
}

/* as many digits as frames need */
static void clock_text(const zw_scene_sheet *s, char *out, size_t size) {
    const zw_view *v = s->view;
    double span = v->time[v->rows - 1] - v->time[0];
    int digits = span > 0 ? (int)fmin(fmax(ceil(2.3 - log10(span)), 0), 9) : 3;
    double t = s->t == 0 ? 0 : s->t;
    snprintf(out, size, " = %s%.*f s", t < 0 ? "\xe2\x88\x92" : "", digits, fabs(t));
}

static void clock_face(const zw_scene_sheet *s) {
    char text[80];
    cairo_text_extents_t t, rest;
    clock_text(s, text, sizeof text);
    set_font(s, 15, true);
    cairo_text_extents(s->cr, "t", &t);
    set_font(s, 14, false);
    cairo_text_extents(s->cr, text, &rest);
    double x = s->o->width - 18 * s->line - rest.x_advance, y = s->o->height - 18 * s->line;
    cairo_move_to(s->cr, x, y);
    cairo_show_text(s->cr, text);
    set_font(s, 15, true);
    cairo_move_to(s->cr, x - t.x_advance, y);
    cairo_show_text(s->cr, "t");
}

static double put_word(void *user, const char *text, double x, double y, bool draw) {
    const zw_scene_sheet *s = user;
    cairo_text_extents_t box;
    set_font(s, 12, false);
    cairo_text_extents(s->cr, text, &box);
    cairo_set_source_rgb(s->cr, s->theme.muted.r, s->theme.muted.g, s->theme.muted.b);
    cairo_move_to(s->cr, x, y);
    if (draw)
        cairo_show_text(s->cr, text);
    return box.x_advance;
}

void zw_scene_margin(const zw_scene_sheet *s) {
    char square[64], text[80];
    cairo_text_extents_t box;
    zw_scene_pen pen = {12 * s->line, true, put_word, (void *)(size_t)s}; /* only read */
    cairo_set_source_rgb(s->cr, s->theme.muted.r, s->theme.muted.g, s->theme.muted.b);
    draw_compass(s);
    zw_scene_square(s, square, sizeof square);
    snprintf(text, sizeof text, "grid %s", square);
    set_font(s, 12, false);
    cairo_move_to(s->cr, 18 * s->line, s->o->height - 18 * s->line);
    cairo_show_text(s->cr, text);
    cairo_text_extents(s->cr, text, &box);
    clock_face(s);
    zw_scene_legend(s, &pen, 18 * s->line + box.x_advance + 26 * s->line,
                    s->o->height - 18 * s->line);
}
