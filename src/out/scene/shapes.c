/* SPDX-License-Identifier: MIT */
/* Drawings as primitives. Long ones are cut into pieces that are small relative to the scene, so
 * that each has one distance from the eye. A tube that begins inside a ball begins at its
 * surface. */
#include <math.h>
#include <string.h>

#include "scene.h"

#define TURN (2 * 3.14159265358979323846)
#define CLEAR 0.24

enum { PIECES = 12, RING = 96, COILS = 9, COIL_STEPS = 540, COIL_CHUNK = 9, TRACE_CHUNK = 6 };

zw_prim *zw_prims_add(zw_prims *list, zw_prim_kind kind, zw_rgb colour, double alpha) {
    if (list->n == list->capacity) {
        int capacity = 2 * list->capacity + 256;
        zw_prim *more = ZW_NEW(list->arena, zw_prim, capacity);
        list->failed |= !more;
        if (!more)
            return NULL;
        if (list->n)
            memcpy(more, list->item, (size_t)list->n * sizeof *more);
        list->item = more;
        list->capacity = capacity;
    }
    zw_prim *p = &list->item[list->n];
    *p = (zw_prim){.kind = kind, .colour = colour, .alpha = alpha, .order = list->n++};
    return p;
}

double (*zw_prims_points(zw_prims *list, int n))[3] {
    double(*p)[3] = zw_arena_alloc(list->arena, (size_t)n * sizeof *p);
    list->failed |= !p;
    return p;
}

static double (*two_points(zw_prims *list, const double a[3], const double b[3]))[3] {
    double(*p)[3] = zw_prims_points(list, 2);
    if (p) {
        memcpy(p[0], a, sizeof p[0]);
        memcpy(p[1], b, sizeof p[1]);
    }
    return p;
}

static void interpolate_point(const double a[3], const double b[3], double part, double out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = a[i] + (b[i] - a[i]) * part;
}

static double point_distance(const double a[3], const double b[3]) {
    double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return zw_length3(d);
}

/* --------------------------------------------------------------------------------------- balls */

static void add_ball(zw_prims *out, zw_rgb colour, const double at[3], const double turn[9],
                     const double half[3], bool octants) {
    zw_prim *b = zw_prims_add(out, ZW_PRIM_BALL, colour, 1);
    if (!b)
        return;
    memcpy(b->middle, at, sizeof b->middle);
    for (int i = 0; i < 9; i++)
        b->M[i] = turn[i] * half[i % 3];
    b->octants = octants;
    /* primitives that end in its middle are hidden */
    b->depth = -0.5 * fmin(fmin(half[0], half[1]), half[2]);
}

static const double unturned[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static void add_dot(zw_prims *out, zw_rgb colour, const double at[3], double r) {
    add_ball(out, colour, at, unturned, (double[]){r, r, r}, false);
}

/* a clear shell: its far half is behind everything in it, its near half in front */
static void add_shell(const zw_scene_sheet *s, zw_prims *out, zw_rgb colour, const zw_placed *p,
                      bool half) {
    double r = p->number[0], to_eye[3];
    for (int i = 0; i < 3; i++)
        to_eye[i] = s->camera.eye[i] - p->at[i];
    zw_unit3(to_eye);
    for (int sign = -1; sign <= 1; sign += 2) {
        zw_prim *b = zw_prims_add(out, ZW_PRIM_BALL, colour, sign < 0 ? CLEAR : 0.6 * CLEAR);
        if (!b)
            return;
        for (int i = 0; i < 3; i++)
            b->middle[i] = p->at[i];
        for (int i = 0; i < 9; i++)
            b->M[i] = p->turn[i] * r;
        b->film = true;
        b->half = half;
        b->depth = sign * r; /* to be added to that of the middle */
    }
}

/* --------------------------------------------------------------------------------------- tubes */

/* where the line from a to b leaves an opaque ball around a, 0 if there is none */
static double leaves_ball(const zw_scene_sheet *s, const double a[3], const double b[3]) {
    double most = 0, length = point_distance(a, b);
    for (int i = 0; i < s->view->n; i++) {
        const zw_placed *p = &s->placed[i];
        bool point = zw_scene_is(p->item, "point");
        if (!p->seen || p->item->clear || (!point && !zw_scene_is(p->item, "sphere")))
            continue;
        double r = point ? s->stage->small * (p->item->n ? p->number[0] : 1) : p->number[0];
        double away = point_distance(a, p->at), d[3], from[3];
        if (away >= r)
            continue;
        for (int k = 0; k < 3; k++) {
            d[k] = (b[k] - a[k]) / length;
            from[k] = a[k] - p->at[k];
        }
        double along = zw_dot3(d, from);
        most = fmax(most, -along + sqrt(along * along + r * r - away * away));
    }
    return fmin(most / length, 1);
}

static void add_tube(const zw_scene_sheet *s, zw_prims *out, zw_rgb colour, const double a[3],
                     const double b[3], double r, bool flat) {
    double length = point_distance(a, b), from[3], to[3];
    if (!(length > 0))
        return;
    double first = leaves_ball(s, a, b), last = 1 - leaves_ball(s, b, a);
    if (last <= first)
        return;
    for (int k = 0; k < PIECES; k++) {
        interpolate_point(a, b, first + (last - first) * k / PIECES, from);
        interpolate_point(a, b, first + (last - first) * (k + 1) / PIECES, to);
        zw_prim *p = zw_prims_add(out, ZW_PRIM_TUBE, colour, 1);
        if (!p)
            return;
        p->n = 2;
        p->p = two_points(out, from, to);
        interpolate_point(from, to, 0.5, p->middle);
        p->radius = r;
        p->flat = flat || (k > 0 && k < PIECES - 1);
    }
    if (flat)
        return;
    if (first == 0)
        add_dot(out, colour, a, r);
    if (last == 1)
        add_dot(out, colour, b, r);
}

/* a cone at the end of an arrow */
static void arrow_head(const zw_scene_sheet *s, zw_prims *out, zw_rgb colour, const double a[3],
                       const double b[3], double r) {
    double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, x[3], y[3];
    enum { SIDES = 28 };
    zw_unit3(d);
    zw_across3(d, x, y);
    for (int k = 0; k < SIDES; k++) {
        double n[3], corner[3][3], middle = TURN * (k + 0.5) / SIDES;
        for (int i = 0; i < 3; i++) {
            corner[0][i] = a[i] + r * (cos(TURN * k / SIDES) * x[i] + sin(TURN * k / SIDES) * y[i]);
            corner[1][i] = a[i] + r * (cos(TURN * (k + 1) / SIDES) * x[i] +
                                       sin(TURN * (k + 1) / SIDES) * y[i]);
            corner[2][i] = b[i];
            n[i] = cos(middle) * x[i] + sin(middle) * y[i] + r / point_distance(a, b) * d[i];
        }
        zw_unit3(n);
        zw_prim *f = zw_prims_add(out, ZW_PRIM_FACE, colour, 1);
        if (!f)
            return;
        double light = zw_camera_light(&s->camera, n);
        f->colour = (zw_rgb){colour.r * light, colour.g * light, colour.b * light};
        f->n = 3;
        f->p = zw_prims_points(out, 3);
        if (!f->p)
            return;
        memcpy(f->p, corner, sizeof corner);
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < 3; i++)
                f->middle[i] += corner[c][i] / 3;
    }
}

/* --------------------------------------------------------------------------------------- lines */

/* a polyline in chunks that overlap by a point */
static void add_polyline(zw_prims *out, zw_rgb colour, double alpha, int n, double (*p)[3],
                         double width, double radius, int chunk) {
    for (int k = 0; k + 1 < n; k += chunk) {
        int count = n - k > chunk ? chunk + 1 : n - k;
        zw_prim *l = zw_prims_add(out, ZW_PRIM_LINE, colour, alpha);
        if (!l)
            return;
        l->n = count;
        l->p = p + k;
        l->width = width;
        l->radius = radius;
        for (int c = 0; c < count; c++)
            for (int i = 0; i < 3; i++)
                l->middle[i] += p[k + c][i] / count;
    }
}

static void add_spring(const zw_scene_sheet *s, zw_prims *out, zw_rgb colour, const double a[3],
                       const double b[3], double r) {
    double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, x[3], y[3], length = zw_length3(d);
    double(*p)[3] = zw_prims_points(out, COIL_STEPS + 1);
    if (!p || !zw_unit3(d))
        return;
    zw_across3(d, x, y);
    for (int k = 0; k <= COIL_STEPS; k++) {
        double part = (double)k / COIL_STEPS, inner = fmin(fmax((part - 0.1) / 0.8, 0), 1),
               wide = r * fmin(1, fmin(12 * inner, 12 * (1 - inner))), angle = TURN * COILS * inner;
        for (int i = 0; i < 3; i++)
            p[k][i] = a[i] + part * length * d[i] + wide * (cos(angle) * x[i] + sin(angle) * y[i]);
    }
    /* the wire is as thick as a line, limited by the distance of its turns */
    add_polyline(out, colour, 1, COIL_STEPS + 1, p, 2 * s->line, 0, COIL_CHUNK);
}

static void add_ring(zw_prims *out, zw_rgb colour, const zw_placed *p) {
    double R = p->number[0];
    for (int q = 0; q < 4; q++) {
        double(*point)[3] = zw_prims_points(out, RING / 4 + 1);
        double tone = q % 2 ? 0.72 : 1;
        if (!point)
            return;
        for (int k = 0; k <= RING / 4; k++) {
            int step = q * (RING / 4) + k;
            double angle = TURN * step / RING;
            zw_apply3(p->turn, (double[]){0.97 * R * cos(angle), 0.97 * R * sin(angle), 0},
                      point[k]);
            for (int i = 0; i < 3; i++)
                point[k][i] += p->at[i];
        }
        add_polyline(out, (zw_rgb){colour.r * tone, colour.g * tone, colour.b * tone}, 1,
                     RING / 4 + 1, point, 0, 0.03 * R, 2);
    }
}

/* the path: the part before t as a line, the rest as a pale one */
static void add_trace(const zw_scene_sheet *s, zw_prims *out, int item, zw_rgb colour) {
    const zw_view *v = s->view;
    long row, next;
    double part;
    zw_scene_locate(v, s->t, &row, &next, &part);
    double(*p)[3] = zw_prims_points(out, (int)v->rows + 2);
    if (!p)
        return;
    int n = 0, passed = 0;
    for (long k = 0; k < v->rows; k++) {
        zw_placed at;
        zw_scene_place(v, item, v->time[k], &at);
        if (!at.seen)
            continue;
        memcpy(p[n++], at.at, sizeof *p);
        if (k == row) {
            memcpy(p[n++], s->placed[item].at, sizeof *p);
            passed = n;
        }
    }
    int first = passed ? passed - 1 : 0;
    if (!s->passed)
        add_polyline(out, colour, 0.25, n - first, p + first, 1.2 * s->line, 0, TRACE_CHUNK);
    add_polyline(out, colour, 1, passed, p, 1.8 * s->line, 0, TRACE_CHUNK);
}

/* ---------------------------------------------------------------------------------- one of each */

static void add_arrow(const zw_scene_sheet *s, zw_prims *out, zw_rgb colour, const double a[3],
                      const double b[3], double r) {
    double length = point_distance(a, b), head = fmin(8 * r, 0.5 * length), neck[3];
    if (!(length > 0))
        return;
    interpolate_point(a, b, 1 - head / length, neck);
    add_tube(s, out, colour, a, neck, r, true);
    arrow_head(s, out, colour, neck, b, 3 * r);
}

static void add_span(const zw_scene_sheet *s, zw_prims *out, const zw_placed *p, zw_rgb colour) {
    static const struct {
        const char *shape;
        double radius;
    } usual[] = {{"line", 0.22}, {"link", 0.7}, {"spring", 1.6}, {"damper", 0.9}, {"arrow", 0.3}};
    double r = p->number[3], from[3], to[3];
    const double *b = p->number;
    for (size_t i = 0; i < sizeof usual / sizeof *usual && p->item->n < 4; i++)
        if (zw_scene_is(p->item, usual[i].shape))
            r = usual[i].radius * s->stage->small;
    if (zw_scene_is(p->item, "spring"))
        add_spring(s, out, colour, p->at, b, r);
    else if (zw_scene_is(p->item, "arrow"))
        add_arrow(s, out, colour, p->at, b, r);
    else if (zw_scene_is(p->item, "damper")) {
        interpolate_point(p->at, b, 0.25, from);
        interpolate_point(p->at, b, 0.65, to);
        add_tube(s, out, colour, p->at, from, 0.3 * r, true);
        add_tube(s, out, colour, from, to, r, true);
        add_tube(s, out, colour, to, b, 0.3 * r, true);
    } else
        add_tube(s, out, colour, p->at, b, r, zw_scene_is(p->item, "line"));
}

static void add_axes(const zw_scene_sheet *s, zw_prims *out, const zw_placed *p) {
    static const char *const names[] = {"red", "green", "blue"};
    double length = 8 * s->stage->small, end[3];
    for (int k = 0; k < 3; k++) {
        zw_rgb colour =
            zw_scene_colour(p->item->colour[0] ? p->item->colour : names[k], s->o->dark);
        for (int i = 0; i < 3; i++)
            end[i] = p->at[i] + length * p->turn[3 * i + k];
        add_arrow(s, out, colour, p->at, end, 0.02 * length);
    }
}

static void add_rod(const zw_scene_sheet *s, zw_prims *out, const zw_placed *p, zw_rgb colour) {
    double a[3], b[3], half = p->number[0] / 2, r = fmin(0.06 * p->number[0], s->stage->small) / 2;
    for (int i = 0; i < 3; i++) {
        a[i] = p->at[i] - half * p->turn[3 * i];
        b[i] = p->at[i] + half * p->turn[3 * i];
    }
    add_tube(s, out, colour, a, b, r, true);
}

static void add_shape(const zw_scene_sheet *s, int i, zw_prims *out) {
    const zw_placed *p = &s->placed[i];
    const zw_view_item *item = p->item;
    const double *n = p->number;
    zw_rgb colour = zw_scene_colour(zw_view_colour(s->view, i), s->o->dark);
    if (zw_scene_is(item, "trace"))
        add_trace(s, out, i, colour);
    else if (zw_scene_is_span(item->shape))
        add_span(s, out, p, colour);
    else if (zw_scene_is(item, "point"))
        add_dot(out, colour, p->at, s->stage->small * (item->n ? n[0] : 1));
    else if (zw_scene_is(item, "shell") || zw_scene_is(item, "bowl") ||
             (zw_scene_is(item, "sphere") && item->clear))
        add_shell(s, out, colour, p, zw_scene_is(item, "bowl"));
    else if (zw_scene_is(item, "sphere"))
        add_ball(out, colour, p->at, p->turn, (double[]){n[0], n[0], n[0]}, true);
    else if (zw_scene_is(item, "ellipsoid"))
        add_ball(out, colour, p->at, p->turn, n, true);
    else if (zw_scene_is(item, "ring"))
        add_ring(out, colour, p);
    else if (zw_scene_is(item, "rod"))
        add_rod(s, out, p, colour);
    else if (zw_scene_is(item, "axes"))
        add_axes(s, out, p);
    else
        zw_scene_solid(s, i, out);
}

bool zw_scene_shapes(const zw_scene_sheet *s, zw_prims *out) {
    int first = out->n;
    for (int i = 0; i < s->view->n; i++)
        if (s->placed[i].seen && !s->placed[i].elsewhere &&
            !zw_scene_is_hole(s->view->item[i].shape))
            add_shape(s, i, out);
    for (int i = first; i < out->n; i++)
        out->item[i].depth += point_distance(s->camera.eye, out->item[i].middle);
    return !out->failed;
}

static bool is_inside(const zw_prim *ball, const double x[3]) {
    double square = 0;
    for (int k = 0; k < 3; k++) { /* the columns of M are orthogonal */
        double along = 0, size = 0;
        for (int i = 0; i < 3; i++) {
            along += ball->M[3 * i + k] * (x[i] - ball->middle[i]);
            size += ball->M[3 * i + k] * ball->M[3 * i + k];
        }
        square += size > 0 ? along * along / (size * size) : INFINITY;
    }
    return square < 1;
}

void zw_scene_hide(zw_prims *list) {
    for (int i = 0; i < list->n; i++)
        for (int k = 0; k < list->n && list->item[i].kind == ZW_PRIM_BALL && !list->item[i].film;
             k++)
            if (list->item[k].kind == ZW_PRIM_LINE && list->item[k].radius == 0)
                list->item[k].unseen |= is_inside(&list->item[i], list->item[k].middle);
}

/* --------------------------------------------------------------------------------------- bounds */

static void include_sphere(const zw_camera *c, const double x[3], double radius, double box[4]) {
    double X[3], px, py;
    zw_camera_see(c, x, X);
    if (X[2] <= c->near)
        return;
    zw_camera_paper(c, X, &px, &py);
    double around = c->f * radius / X[2];
    box[0] = fmin(box[0], px - around);
    box[1] = fmin(box[1], py - around);
    box[2] = fmax(box[2], px + around);
    box[3] = fmax(box[3], py + around);
}

/* a point and, on the ground, its shadow */
static void include_with_shadow(const zw_scene_sheet *s, const zw_prim *p, const double x[3],
                                double box[4]) {
    const zw_camera *c = &s->camera;
    double above = zw_dot3(x, c->up) - s->stage->ground, on[3];
    include_sphere(c, x, p->radius, box);
    if (s->o->bare || p->alpha < 1 || above <= 0 || zw_prim_is_sign(p->kind))
        return;
    for (int i = 0; i < 3; i++)
        on[i] = x[i] - above / zw_dot3(c->sun, c->up) * c->sun[i];
    include_sphere(c, on, p->radius, box);
}

enum { EDGE = 36 };

/* the outermost points of a ball; for a half ball, the lower part of its outline and its rim */
static int edge_of(const zw_camera *c, const zw_prim *b, double (*out)[3]) {
    int n = 0;
    double edge[EDGE][3], axis[3] = {b->M[2], b->M[5], b->M[8]}, at[3];
    zw_scene_outline(b, c->eye, EDGE, edge);
    for (int k = 0; k < EDGE; k++) {
        for (int i = 0; i < 3; i++)
            at[i] = edge[k][i] - b->middle[i];
        if (!b->half || zw_dot3(axis, at) <= 0)
            memcpy(out[n++], edge[k], sizeof *out);
    }
    for (int k = 0; k < EDGE && b->half; k++, n++) {
        zw_apply3(b->M, (double[]){cos(TURN * k / EDGE), sin(TURN * k / EDGE), 0}, out[n]);
        for (int i = 0; i < 3; i++)
            out[n][i] += b->middle[i];
    }
    return n;
}

void zw_scene_bounds(const zw_scene_sheet *s, const zw_prims *list, double box[4]) {
    double edge[2 * EDGE][3];
    for (int i = 0; i < list->n; i++) {
        const zw_prim *p = &list->item[i];
        bool ball = p->kind == ZW_PRIM_BALL;
        int n = ball ? edge_of(&s->camera, p, edge) : p->n;
        for (int k = 0; k < n; k++)
            include_with_shadow(s, p, ball ? edge[k] : p->p[k], box);
    }
}
