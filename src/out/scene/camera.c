/* SPDX-License-Identifier: MIT */
/* The camera: so close that the corners of the box around everything touch a border of the paper;
 * if it follows, at a distance that belongs to the moving parts. */
#include "scene.h"

#include <math.h>
#include <string.h>

#define HALF_ANGLE (16 * 3.14159265358979323846 / 180)
#define NEAR_PLANE 1e-4 /* relative to the scene: what is closer to the eye is not drawn */
#define BORDER 0.86     /* fraction of the paper's half width that the box fills */

double zw_length3(const double a[3]) {
    return sqrt(zw_dot3(a, a));
}

bool zw_unit3(double a[3]) {
    double size = zw_length3(a);
    if (!(size > 0) || !isfinite(size))
        return false;
    for (int i = 0; i < 3; i++)
        a[i] /= size;
    return true;
}

void zw_across3(const double n[3], double a[3], double b[3]) {
    int least = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(n[i]) < fabs(n[least]))
            least = i;
    for (int i = 0; i < 3; i++)
        a[i] = (i == least) - n[least] * n[i];
    zw_unit3(a);
    zw_cross3(n, a, b);
}

/* r, u from b and up */
static void orient_camera(zw_camera *c) {
    zw_cross3(c->up, c->b, c->r);
    if (!zw_unit3(c->r)) { /* straight from above */
        double other[3];
        zw_across3(c->b, c->r, other);
    }
    zw_cross3(c->b, c->r, c->u);
}

static void place_eye(zw_camera *c, double distance) {
    for (int i = 0; i < 3; i++)
        c->eye[i] = c->target[i] + distance * c->b[i];
}

void zw_camera_see(const zw_camera *c, const double x[3], double X[3]) {
    double d[3] = {x[0] - c->eye[0], x[1] - c->eye[1], x[2] - c->eye[2]};
    X[0] = zw_dot3(c->r, d);
    X[1] = zw_dot3(c->u, d);
    X[2] = -zw_dot3(c->b, d);
}

void zw_camera_paper(const zw_camera *c, const double X[3], double *x, double *y) {
    double z = fmax(X[2], c->near);
    *x = c->cx + c->f * X[0] / z;
    *y = c->cy - c->f * X[1] / z;
}

/* how far out the farthest corner is; 1: at the border */
static double corner_spread(const zw_camera *c, const zw_view_stage *s) {
    double most = 0;
    for (int k = 0; k < 8; k++) {
        double corner[3] = {k & 1 ? s->high[0] : s->low[0], k & 2 ? s->high[1] : s->low[1],
                            k & 4 ? s->high[2] : s->low[2]},
               X[3], x, y;
        zw_camera_see(c, corner, X);
        if (X[2] <= c->near)
            return 3;
        zw_camera_paper(c, X, &x, &y);
        most = fmax(most, fmax(fabs(x - c->cx) / c->cx, fabs(y - c->cy) / c->cy));
    }
    return most;
}

static void by_angles(zw_camera *c, double azimuth, double elevation) {
    double a[3], b[3], rad = 3.14159265358979323846 / 180;
    /* azimuth 0 looks along the first level axis: x if up is z */
    int first = fabs(c->up[0]) < 0.5 ? 0 : 1;
    for (int i = 0; i < 3; i++)
        a[i] = (i == first) - c->up[first] * c->up[i];
    zw_unit3(a);
    zw_cross3(c->up, a, b);
    for (int i = 0; i < 3; i++)
        c->b[i] = cos(elevation * rad) * (cos(azimuth * rad) * a[i] + sin(azimuth * rad) * b[i]) +
                  sin(elevation * rad) * c->up[i];
}

static void choose_direction(zw_camera *c, const zw_view_stage *s, const zw_view_options *o) {
    memcpy(c->b, s->direction, sizeof c->b);
    if (!isfinite(o->azimuth) && !isfinite(o->elevation))
        return;
    /* an angle that is not given keeps its default */
    double rad = 3.14159265358979323846 / 180, a[3], b[3];
    double elevation = asin(fmax(-1, fmin(1, zw_dot3(c->b, c->up)))) / rad;
    int first = fabs(c->up[0]) < 0.5 ? 0 : 1;
    for (int i = 0; i < 3; i++)
        a[i] = (i == first) - c->up[first] * c->up[i];
    zw_unit3(a);
    zw_cross3(c->up, a, b);
    double azimuth = atan2(zw_dot3(c->b, b), zw_dot3(c->b, a)) / rad;
    by_angles(c, isfinite(o->azimuth) ? o->azimuth : azimuth,
              isfinite(o->elevation) ? o->elevation : elevation);
}

/* high, to the left of the reader, slightly in front of the scene */
static void put_sun(zw_camera *c) {
    for (int i = 0; i < 3; i++)
        c->sun[i] = 2 * c->up[i] - 0.7 * c->r[i] + 0.6 * c->b[i];
    zw_unit3(c->sun);
}

void zw_camera_set(zw_camera *c, const zw_view *view, const zw_view_stage *s,
                   const zw_view_options *o, double t) {
    *c = (zw_camera){.cx = o->width / 2.0, .cy = o->height / 2.0, .near = NEAR_PLANE * s->scale};
    c->f = c->cy / tan(HALF_ANGLE);
    memcpy(c->up, view->up, sizeof c->up);
    choose_direction(c, s, o);
    orient_camera(c);
    put_sun(c);
    double aspect = c->cx / c->cy, half = atan(tan(HALF_ANGLE) * fmin(aspect, 1));
    if (s->follows) {
        zw_scene_centre(view, s, t, c->target);
        place_eye(c, 1.3 * s->body_size / sin(half) / o->zoom);
        return;
    }
    for (int i = 0; i < 3; i++)
        c->target[i] = (s->low[i] + s->high[i]) / 2;
    double distance = 0.5 * s->size / sin(half);
    place_eye(c, distance);
    for (int pass = 0; pass < 6; pass++) {
        distance *= fmin(fmax(corner_spread(c, s) / BORDER, 0.3), 3);
        place_eye(c, distance);
    }
    place_eye(c, distance / o->zoom);
}

void zw_camera_aim(zw_camera *c, const zw_view *view, const zw_view_stage *s,
                   const zw_view_options *o, const double target[3], double distance) {
    *c = (zw_camera){.f = 1, .near = NEAR_PLANE * s->scale};
    memcpy(c->up, view->up, sizeof c->up);
    memcpy(c->target, target, sizeof c->target);
    choose_direction(c, s, o);
    orient_camera(c);
    put_sun(c);
    place_eye(c, distance);
}

double zw_camera_light(const zw_camera *c, const double n[3]) {
    return 0.62 + 0.10 * zw_dot3(n, c->up) + 0.30 * fmax(zw_dot3(n, c->sun), 0) +
           0.12 * fmax(zw_dot3(n, c->b), 0);
}
