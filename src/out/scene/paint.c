/* SPDX-License-Identifier: MIT */
/* Primitives on paper.
 *
 * A ball is the image M of the unit sphere. In the space of that sphere the eye is at e = M^-1 (E -
 * middle), and sees its points y with y . e >= 1: the edge is the circle about e/|e|^2 of radius
 * sqrt(1 - 1/|e|^2), whose image is the outline on paper. The darker octants are the sphere's
 * octants, cut by that circle, so their edges are exact too.
 *
 * Neighbouring faces are drawn slightly larger: otherwise the paper shines through between them.
 * Consecutive faces of one plane and colour are one shape. */
#include <math.h>
#include <string.h>

#include "scene.h"

#define TURN (2 * 3.14159265358979323846)

/* Distance relative to the scene: round-off of corners, far below a pixel. */
#define SAME_PLANE 1e-7
/* On the unit sphere: a point on the border of the octant belongs to it. */
#define OCTANT_SLACK 1e-9
#define SEAM 0.6 /* pixels: the least width of the pen around a face */

enum { OUTLINE = 72, ARC = 14, ENDS = 20 };

static void move_to(const zw_scene_sheet *s, const double x[3], bool first) {
    double X[3], px, py;
    zw_camera_see(&s->camera, x, X);
    zw_camera_paper(&s->camera, X, &px, &py);
    if (first)
        cairo_move_to(s->cr, px, py);
    else
        cairo_line_to(s->cr, px, py);
}

/* the colour of a primitive in this light, as pale as it is */
static zw_rgb lit_colour(const zw_scene_sheet *s, const zw_prim *p, double light) {
    const zw_rgb paper = s->theme.paper, c = p->colour;
    double pale = p->pale, own = 1 - pale;
    return (zw_rgb){own * fmin(c.r * light, 1) + pale * paper.r,
                    own * fmin(c.g * light, 1) + pale * paper.g,
                    own * fmin(c.b * light, 1) + pale * paper.b};
}

static void set_colour(const zw_scene_sheet *s, const zw_prim *p, double light, double alpha) {
    zw_rgb c = lit_colour(s, p, light);
    cairo_set_source_rgba(s->cr, c.r, c.g, c.b, alpha);
}

static void add_stop(const zw_scene_sheet *s, const zw_prim *p, cairo_pattern_t *g, double at,
                     double light) {
    zw_rgb c = lit_colour(s, p, light);
    cairo_pattern_add_color_stop_rgb(g, at, c.r, c.g, c.b);
}

static bool is_near(const zw_scene_sheet *s, const double x[3]) {
    double X[3];
    zw_camera_see(&s->camera, x, X);
    return X[2] <= s->camera.near;
}

/* --------------------------------------------------------------------------------------- faces */

/* the contours of a face; false if a part of it is too close to the eye */
static bool outline_face(const zw_scene_sheet *s, const zw_prim *p) {
    int at = 0;
    for (int k = 0; k < p->n; k++)
        if (is_near(s, p->p[k]))
            return false;
    for (int contour = 0; contour <= p->nhole; contour++) {
        int n = contour ? p->hole[contour - 1] : p->n;
        for (int k = 0; k < n; k++)
            move_to(s, p->p[at + k], k == 0);
        cairo_close_path(s->cr);
        at += n;
    }
    return true;
}

/* n faces of one plane and colour; those with holes are drawn alone */
static void paint_faces(const zw_scene_sheet *s, int n, const zw_prim *p) {
    bool any = false;
    cairo_new_path(s->cr);
    for (int i = 0; i < n; i++)
        any = outline_face(s, &p[i]) || any;
    if (!any)
        return;
    cairo_set_fill_rule(s->cr, p->nhole ? CAIRO_FILL_RULE_EVEN_ODD : CAIRO_FILL_RULE_WINDING);
    set_colour(s, p, 1, p->alpha);
    if (p->alpha < 1) {
        cairo_fill(s->cr);
    } else {
        cairo_fill_preserve(s->cr);
        cairo_set_line_width(s->cr, fmax(0.5 * s->line, SEAM * s->pixel));
        cairo_set_line_join(s->cr, CAIRO_LINE_JOIN_ROUND);
        cairo_stroke(s->cr);
    }
    cairo_set_fill_rule(s->cr, CAIRO_FILL_RULE_WINDING);
}

static bool is_of_one_shape(const zw_scene_sheet *s, const zw_prim *a, const zw_prim *b) {
    if (b->kind != ZW_PRIM_FACE || b->unseen || a->nhole || b->nhole || a->alpha != b->alpha ||
        a->pale != b->pale || memcmp(&a->colour, &b->colour, sizeof a->colour) != 0 ||
        memcmp(a->normal, b->normal, sizeof a->normal) != 0)
        return false;
    double d[3] = {b->p[0][0] - a->p[0][0], b->p[0][1] - a->p[0][1], b->p[0][2] - a->p[0][2]};
    return fabs(zw_dot3(d, a->normal)) < SAME_PLANE * s->stage->size;
}

/* --------------------------------------------------------------------------------------- balls */

static void to_space(const zw_prim *b, const double y[3], double out[3]) {
    zw_apply3(b->M, y, out);
    for (int i = 0; i < 3; i++)
        out[i] += b->middle[i];
}

/* e, in the space of the unit sphere: the columns of M are orthogonal */
static void eye_of(const zw_prim *b, const double eye[3], double e[3]) {
    for (int k = 0; k < 3; k++) {
        double square = 0;
        e[k] = 0;
        for (int i = 0; i < 3; i++) {
            e[k] += b->M[3 * i + k] * (eye[i] - b->middle[i]);
            square += b->M[3 * i + k] * b->M[3 * i + k];
        }
        e[k] = square > 0 ? e[k] / square : 0;
    }
}

typedef struct horizon {
    double centre[3], x[3], y[3]; /* of its circle; x, y with its radius */
    double n[3];                  /* to the eye */
    double height;                /* points with n . y >= height are visible */
} horizon;

static bool find_horizon(const double e[3], horizon *h) {
    double far = zw_length3(e);
    memcpy(h->n, e, sizeof h->n);
    if (!(far > 1) || !zw_unit3(h->n))
        return false; /* the eye is inside */
    h->height = 1 / far;
    double r = sqrt(1 - h->height * h->height);
    zw_across3(h->n, h->x, h->y);
    for (int i = 0; i < 3; i++) {
        h->centre[i] = h->n[i] * h->height;
        h->x[i] *= r;
        h->y[i] *= r;
    }
    return true;
}

static void on_horizon(const horizon *h, double angle, double out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = h->centre[i] + cos(angle) * h->x[i] + sin(angle) * h->y[i];
}

void zw_scene_outline(const zw_prim *b, const double eye[3], int n, double (*out)[3]) {
    double e[3], y[3];
    horizon h;
    eye_of(b, eye, e);
    if (!find_horizon(e, &h)) {
        for (int k = 0; k < n; k++)
            memcpy(out[k], b->middle, sizeof *out);
        return;
    }
    for (int k = 0; k < n; k++) {
        on_horizon(&h, TURN * k / n, y);
        to_space(b, y, out[k]);
    }
}

static double angle_on(const horizon *h, const double y[3]) {
    double d[3] = {y[0] - h->centre[0], y[1] - h->centre[1], y[2] - h->centre[2]};
    return atan2(zw_dot3(d, h->y), zw_dot3(d, h->x));
}

/* the closed curve around the octant with these signs, on the sphere */
static void octant_outline(const int sign[3], double (*out)[3]) {
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < ARC; j++) {
            double *y = out[k * ARC + j], angle = TURN / 4 * j / ARC;
            y[k] = sign[k] * cos(angle);
            y[(k + 1) % 3] = sign[(k + 1) % 3] * sin(angle);
            y[(k + 2) % 3] = 0;
        }
}

/* from one crossing of the horizon to the next along it, inside the octant */
static int follow_horizon(const horizon *h, const double from[3], const double to[3],
                          const int sign[3], double (*out)[3]) {
    double a = angle_on(h, from), b = angle_on(h, to), arc = b - a, middle[3];
    while (arc < 0)
        arc += TURN;
    on_horizon(h, a + arc / 2, middle);
    for (int i = 0; i < 3; i++)
        if (middle[i] * sign[i] < -OCTANT_SLACK) {
            arc -= TURN;
            break;
        }
    for (int k = 1; k < ARC; k++)
        on_horizon(h, a + arc * k / ARC, out[k - 1]);
    return ARC - 1;
}

/* the visible part of an octant; 0 corners: none */
static int seen_octant(const horizon *h, const int sign[3], double (*out)[3]) {
    double edge[3 * ARC][3], cross[3 * ARC][3];
    int n = 0, ncross = 0, at[3 * ARC];
    bool leaving[3 * ARC];
    octant_outline(sign, edge);
    for (int k = 0; k < 3 * ARC; k++) {
        const double *a = edge[k], *b = edge[(k + 1) % (3 * ARC)];
        double u = zw_dot3(h->n, a) - h->height, v = zw_dot3(h->n, b) - h->height;
        if (u >= 0)
            memcpy(out[n++], a, sizeof *out);
        if ((u >= 0) == (v >= 0))
            continue;
        for (int i = 0; i < 3; i++)
            cross[ncross][i] = a[i] + (b[i] - a[i]) * u / (u - v);
        zw_unit3(cross[ncross]);
        memcpy(out[n], cross[ncross], sizeof *out);
        leaving[ncross] = u >= 0;
        at[ncross++] = n++;
    }
    if (ncross != 2) /* completely visible or invisible, except for slivers */
        return ncross == 0 ? n : 0;
    int out_at = leaving[0] ? 0 : 1;
    double arc[ARC][3];
    int m = follow_horizon(h, cross[out_at], cross[1 - out_at], sign, arc);
    int after = at[out_at] + 1;
    memmove(out + after + m, out + after, (size_t)(n - after) * sizeof *out);
    memcpy(out + after, arc, (size_t)m * sizeof *out);
    return n + m;
}

/* brighter towards the sun */
static cairo_pattern_t *ball_shade(const zw_scene_sheet *s, const zw_prim *b, double tone,
                                   double size) {
    double spot[3], X[3], x, y, mx, my;
    for (int i = 0; i < 3; i++)
        spot[i] = b->middle[i];
    zw_camera_see(&s->camera, spot, X);
    zw_camera_paper(&s->camera, X, &mx, &my);
    x = mx + 0.42 * size * zw_dot3(s->camera.sun, s->camera.r);
    y = my - 0.42 * size * zw_dot3(s->camera.sun, s->camera.u);
    cairo_pattern_t *g = cairo_pattern_create_radial(x, y, 0, mx, my, 1.04 * size);
    static const double stop[][2] = {{0, 1.22}, {0.35, 1.08}, {0.7, 0.88}, {1, 0.6}};
    for (size_t i = 0; i < sizeof stop / sizeof *stop; i++)
        add_stop(s, b, g, stop[i][0], stop[i][1] * tone);
    return g;
}

static void fill_with(const zw_scene_sheet *s, cairo_pattern_t *g) {
    cairo_set_source(s->cr, g);
    cairo_fill(s->cr);
    cairo_pattern_destroy(g);
}

static void close_path(const zw_scene_sheet *s, int n, double (*p)[3]) {
    cairo_new_path(s->cr);
    for (int k = 0; k < n; k++)
        move_to(s, p[k], k == 0);
    cairo_close_path(s->cr);
}

/* the largest distance of an outline from its middle on paper */
static double paper_size(const zw_scene_sheet *s, const zw_prim *b, int n, double (*p)[3]) {
    double X[3], mx, my, x, y, most = 0;
    zw_camera_see(&s->camera, b->middle, X);
    zw_camera_paper(&s->camera, X, &mx, &my);
    for (int k = 0; k < n; k++) {
        zw_camera_see(&s->camera, p[k], X);
        zw_camera_paper(&s->camera, X, &x, &y);
        most = fmax(most, hypot(x - mx, y - my));
    }
    return most;
}

static void paint_ball(const zw_scene_sheet *s, const zw_prim *b) {
    double edge[OUTLINE][3], e[3], part[5 * ARC][3];
    horizon h;
    eye_of(b, s->camera.eye, e);
    if (is_near(s, b->middle) || !find_horizon(e, &h))
        return;
    zw_scene_outline(b, s->camera.eye, OUTLINE, edge);
    double size = paper_size(s, b, OUTLINE, edge);
    close_path(s, OUTLINE, edge);
    fill_with(s, ball_shade(s, b, 1, size));
    if (!b->octants)
        return;
    for (int k = 0; k < 8; k++) {
        int sign[3] = {k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1};
        if (sign[0] * sign[1] * sign[2] > 0)
            continue;
        int n = seen_octant(&h, sign, part);
        if (n < 3)
            continue;
        for (int j = 0; j < n; j++) {
            double y[3];
            memcpy(y, part[j], sizeof y);
            to_space(b, y, part[j]);
        }
        close_path(s, n, part);
        fill_with(s, ball_shade(s, b, 0.68, size));
    }
}

/* a clear shell, or the lower half of one: the hull of its visible part, and its rim */
static void paint_film(const zw_scene_sheet *s, const zw_prim *b) {
    enum { RIM = 96 };
    double edge[OUTLINE][3], flat[OUTLINE + RIM][2], X[3], e[3], y[3], rim[3];
    int n = 0;
    horizon h;
    eye_of(b, s->camera.eye, e);
    if (!find_horizon(e, &h))
        return;
    for (int k = 0; k < OUTLINE; k++) {
        on_horizon(&h, TURN * k / OUTLINE, y);
        if (b->half && y[2] > 0)
            continue;
        to_space(b, y, edge[n]);
        zw_camera_see(&s->camera, edge[n], X);
        zw_camera_paper(&s->camera, X, &flat[n][0], &flat[n][1]);
        n++;
    }
    for (int k = 0; k < RIM && b->half; k++) {
        to_space(b, (double[]){cos(TURN * k / RIM), sin(TURN * k / RIM), 0}, rim);
        zw_camera_see(&s->camera, rim, X);
        zw_camera_paper(&s->camera, X, &flat[n][0], &flat[n][1]);
        n++;
    }
    n = zw_scene_hull(n, flat);
    cairo_new_path(s->cr);
    for (int k = 0; k < n; k++)
        cairo_line_to(s->cr, flat[k][0], flat[k][1]);
    cairo_close_path(s->cr);
    set_colour(s, b, 1, b->alpha);
    cairo_fill_preserve(s->cr);
    cairo_set_line_width(s->cr, 0.8 * s->line);
    set_colour(s, b, 0.9, 2 * b->alpha);
    cairo_stroke(s->cr);
    if (!b->half)
        return;
    for (int k = 0; k <= RIM; k++) {
        to_space(b, (double[]){cos(TURN * k / RIM), sin(TURN * k / RIM), 0}, rim);
        move_to(s, rim, k == 0);
    }
    cairo_set_line_width(s->cr, 1.4 * s->line);
    cairo_stroke(s->cr);
}

/* --------------------------------------------------------------------------------------- tubes */

static void disc_of(const double at[3], const double x[3], const double y[3], double r,
                    double (*out)[3]) {
    for (int k = 0; k < ENDS; k++)
        for (int i = 0; i < 3; i++)
            out[k][i] = at[i] + r * (cos(TURN * k / ENDS) * x[i] + sin(TURN * k / ENDS) * y[i]);
}

/* light across a tube: from the side that faces up to the other */
static cairo_pattern_t *tube_shade(const zw_scene_sheet *s, const zw_prim *p, const double d[3]) {
    double side[3], to_eye[3], a[3], b[3], X[3], x0, y0, x1, y1;
    for (int i = 0; i < 3; i++)
        to_eye[i] = s->camera.eye[i] - p->middle[i];
    zw_unit3(to_eye);
    zw_cross3(d, to_eye, side);
    if (!zw_unit3(side))
        memcpy(side, s->camera.r, sizeof side);
    for (int i = 0; i < 3; i++) {
        a[i] = p->middle[i] - p->radius * side[i];
        b[i] = p->middle[i] + p->radius * side[i];
    }
    zw_camera_see(&s->camera, a, X);
    zw_camera_paper(&s->camera, X, &x0, &y0);
    zw_camera_see(&s->camera, b, X);
    zw_camera_paper(&s->camera, X, &x1, &y1);
    cairo_pattern_t *g = cairo_pattern_create_linear(x0, y0, x1, y1);
    for (int k = 0; k <= 8; k++) {
        double across = -1 + k / 4.0, towards = sqrt(fmax(1 - across * across, 0)), n[3];
        for (int i = 0; i < 3; i++)
            n[i] = across * side[i] + towards * to_eye[i];
        add_stop(s, p, g, k / 8.0, zw_camera_light(&s->camera, n) * (0.80 + 0.22 * towards));
    }
    return g;
}

static void paint_tube(const zw_scene_sheet *s, const zw_prim *p) {
    double d[3], x[3], y[3], end[2][ENDS][3], flat[2 * ENDS][2], X[3];
    for (int i = 0; i < 3; i++)
        d[i] = p->p[1][i] - p->p[0][i];
    if (!zw_unit3(d) || is_near(s, p->p[0]) || is_near(s, p->p[1]))
        return;
    zw_across3(d, x, y);
    for (int k = 0; k < 2; k++)
        disc_of(p->p[k], x, y, p->radius, end[k]);
    for (int k = 0; k < 2 * ENDS; k++) {
        zw_camera_see(&s->camera, end[k / ENDS][k % ENDS], X);
        zw_camera_paper(&s->camera, X, &flat[k][0], &flat[k][1]);
    }
    int n = zw_scene_hull(2 * ENDS, flat);
    cairo_new_path(s->cr);
    for (int k = 0; k < n; k++)
        cairo_line_to(s->cr, flat[k][0], flat[k][1]);
    cairo_close_path(s->cr);
    cairo_pattern_t *shade = tube_shade(s, p, d);
    cairo_set_source(s->cr, shade);
    cairo_fill_preserve(s->cr);
    cairo_set_line_width(s->cr, 0.6 * s->line);
    cairo_stroke(s->cr);
    cairo_pattern_destroy(shade);
    /* the end that faces the eye */
    double to_eye[3];
    for (int i = 0; i < 3; i++)
        to_eye[i] = s->camera.eye[i] - p->middle[i];
    int k = zw_dot3(d, to_eye) > 0;
    for (int i = 0; i < 3 && !k; i++)
        d[i] = -d[i];
    if (!p->flat)
        return;
    close_path(s, ENDS, end[k]);
    set_colour(s, p, zw_camera_light(&s->camera, d), 1);
    cairo_fill(s->cr);
}

/* --------------------------------------------------------------------------------------- lines */

static void paint_line(const zw_scene_sheet *s, const zw_prim *p) {
    double X[3];
    zw_camera_see(&s->camera, p->middle, X);
    for (int k = 0; k < p->n; k++)
        if (is_near(s, p->p[k]))
            return;
    cairo_new_path(s->cr);
    for (int k = 0; k < p->n; k++)
        move_to(s, p->p[k], k == 0);
    double width = p->radius > 0 ? 2 * p->radius * s->camera.f / X[2] : p->width;
    cairo_set_line_join(s->cr, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(s->cr, p->alpha < 1 ? CAIRO_LINE_CAP_BUTT : CAIRO_LINE_CAP_ROUND);
    cairo_set_line_width(s->cr, width);
    set_colour(s, p, p->radius > 0 ? 0.9 : 1, p->alpha);
    cairo_stroke(s->cr);
    cairo_set_line_cap(s->cr, CAIRO_LINE_CAP_BUTT);
}

/* a primitive that is not a face */
static void paint_one(const zw_scene_sheet *s, const zw_prim *p) {
    if (p->kind == ZW_PRIM_TUBE)
        paint_tube(s, p);
    else if (p->kind == ZW_PRIM_LINE)
        paint_line(s, p);
    else if (zw_prim_is_sign(p->kind))
        zw_scene_sign(s, p);
    else if (p->film)
        paint_film(s, p);
    else
        paint_ball(s, p);
}

void zw_scene_paint(const zw_scene_sheet *s, const zw_prims *list) {
    for (int i = 0, n; i < list->n; i += n) {
        const zw_prim *p = &list->item[i];
        n = 1;
        if (p->unseen)
            continue;
        if (p->kind != ZW_PRIM_FACE) {
            paint_one(s, p);
            continue;
        }
        while (i + n < list->n && is_of_one_shape(s, p, p + n))
            n++;
        paint_faces(s, n, p);
    }
}
