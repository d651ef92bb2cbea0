/* SPDX-License-Identifier: MIT */
/* Positions at a time, the size of the scene and its viewpoint.
 *
 * Default sizes (of dots, links, springs) depend on the size of the moving parts, not on how far
 * they move: a vehicle keeps its thin links on a long path. They are a fraction of the smallest of:
 * twice the diagonal of the box around the moving parts (its median over the motion), the size of
 * the whole scene, and SPANS median lengths of links and springs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

enum { SAMPLES = 500 };
#define DOT_RADIUS 0.016  /* in a scene of size 1 */
#define PLANE_MOTION 0.15 /* thickness relative to the extent below which a motion is a plane one */
#define FOLLOW_LENGTH 10  /* the eye follows if the path is longer than so many moving parts, */
#define FOLLOW_WIDTH 3    /* and not wider than so many */
#define GROUND_DIP 0.02   /* depth below the ground, relative to the scene */
#define GROUND_BELOW                                                                               \
    0.2 /* height above the origin's plane, relative to the scene, that still belongs to it */
#define SPANS 3.5 /* median lengths of links that are a size of the scene, too */
/* Relative to the scene: smaller moving parts have no size of their own. */
#define OWN_SIZE_MIN 0.02

bool zw_scene_is(const zw_view_item *item, const char *shape) {
    return strcmp(item->shape, shape) == 0;
}

bool zw_scene_is_span(const char *shape) {
    static const char *const spans[] = {"line", "link", "spring", "damper", "arrow"};
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
        if (strcmp(shape, spans[i]) == 0)
            return true;
    return false;
}

bool zw_scene_is_hole(const char *shape) {
    return strncmp(shape, "hole ", 5) == 0;
}

/* -------------------------------------------------------------------------------------- places */

void zw_scene_locate(const zw_view *v, double t, long *row, long *next, double *part) {
    long low = 0, high = v->rows - 1;
    while (low < high) {
        long middle = (low + high + 1) / 2;
        if (v->time[middle] <= t)
            low = middle;
        else
            high = middle - 1;
    }
    *row = low;
    *next = low + 1 < v->rows ? low + 1 : low;
    double span = v->time[*next] - v->time[low];
    *part = span > 0 ? fmin(fmax((t - v->time[low]) / span, 0), 1) : 0;
}

static double value_at(const zw_view *v, zw_view_value x, long row, long next, double part) {
    if (x.column < 0)
        return x.value;
    double a = zw_table_at(v->motion, row, x.column), b = zw_table_at(v->motion, next, x.column);
    return part == 0 ? a : a + (b - a) * part;
}

static void rotation_matrix(const double q[4], double A[9]) {
    double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), e[4];
    for (int i = 0; i < 4; i++)
        e[i] = size > 0 ? q[i] / size : i == 0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        A[4 * i] = 1 - 2 * (e[1 + j] * e[1 + j] + e[1 + k] * e[1 + k]);
        A[3 * j + i] = 2 * (e[1 + i] * e[1 + j] + e[0] * e[1 + k]);
        A[3 * k + i] = 2 * (e[1 + i] * e[1 + k] - e[0] * e[1 + j]);
    }
}

void zw_scene_place(const zw_view *v, int i, double t, zw_placed *out) {
    const zw_view_item *item = &v->item[i];
    long row, next;
    double part, q[4], sum = 0;
    zw_scene_locate(v, t, &row, &next, &part);
    *out = (zw_placed){.item = item};
    for (int k = 0; k < 3; k++)
        sum += out->at[k] = value_at(v, item->at[k], row, next, part);
    for (int k = 0; k < 4; k++)
        sum += q[k] = value_at(v, item->turn[k], row, next, part);
    for (int k = 0; k < item->n; k++)
        sum += out->number[k] = value_at(v, item->number[k], row, next, part);
    rotation_matrix(q, out->turn);
    out->seen = isfinite(sum);
}

static bool is_moving(int n, const zw_view_value *v) {
    for (int i = 0; i < n; i++)
        if (v[i].column >= 0)
            return true;
    return false;
}

bool zw_scene_moves(const zw_view_item *item) {
    return !zw_scene_is(item, "trace") &&
           (is_moving(3, item->at) || is_moving(4, item->turn) || is_moving(item->n, item->number));
}

/* ---------------------------------------------------------------------------------------- boxes */

typedef struct box {
    double low[3], high[3];
} box;

static const box empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void include_box(box *b, const double x[3], const double half[3]) {
    for (int i = 0; i < 3; i++) {
        b->low[i] = fmin(b->low[i], x[i] - half[i]);
        b->high[i] = fmax(b->high[i], x[i] + half[i]);
    }
}

static double box_diagonal(const box *b) {
    double d[3] = {b->high[0] - b->low[0], b->high[1] - b->low[1], b->high[2] - b->low[2]};
    return d[0] >= 0 ? zw_length3(d) : 0;
}

/* half the extent of a shape along the inertial axis i */
static double half_extent(const zw_placed *p, int i) {
    const double *A = p->turn + 3 * i, *n = p->number;
    double round = sqrt(fmax(1 - A[2] * A[2], 0));
    const zw_view_item *item = p->item;
    if (zw_scene_is(item, "torus"))
        return n[0] * round + n[1];
    if (zw_scene_is(item, "disk") && item->n > 1)
        return (n[0] - n[1]) * round + n[1];
    if (zw_scene_is(item, "disk") || zw_scene_is(item, "ring"))
        return n[0] * round;
    if (zw_scene_is(item, "cylinder") || zw_scene_is(item, "cone"))
        return n[0] * round + n[1] / 2 * fabs(A[2]);
    if (zw_scene_is(item, "rod"))
        return n[0] / 2 * fabs(A[0]);
    if (zw_scene_is(item, "box"))
        return (n[0] * fabs(A[0]) + n[1] * fabs(A[1]) + n[2] * fabs(A[2])) / 2;
    if (zw_scene_is(item, "plane"))
        return (n[0] * fabs(A[0]) + n[1] * fabs(A[1])) / 2;
    if (zw_scene_is(item, "ellipsoid"))
        return sqrt(pow(n[0] * A[0], 2) + pow(n[1] * A[1], 2) + pow(n[2] * A[2], 2));
    if (zw_scene_is(item, "sphere") || zw_scene_is(item, "shell") || zw_scene_is(item, "bowl"))
        return n[0];
    return 0;
}

static void box_around(const zw_placed *p, box *b) {
    static const double none[3] = {0, 0, 0};
    double half[3];
    for (int i = 0; i < 3; i++)
        half[i] = fabs(half_extent(p, i));
    box own = empty;
    include_box(&own, p->at, half);
    if (zw_scene_is(p->item, "bowl") && p->turn[8] > 0.999)
        own.high[2] = p->at[2];
    if (zw_scene_is_span(p->item->shape))
        include_box(&own, p->number, none);
    include_box(b, own.low, none);
    include_box(b, own.high, none);
}

bool zw_scene_box(const zw_view *v, double t, bool everything, double low[3], double high[3]) {
    box b = empty;
    for (int i = 0; i < v->n; i++) {
        const zw_view_item *item = &v->item[i];
        zw_placed p;
        if (zw_scene_is_hole(item->shape) || zw_scene_is(item, "trace") ||
            (!everything && !zw_scene_moves(item)))
            continue;
        zw_scene_place(v, i, t, &p);
        if (p.seen)
            box_around(&p, &b);
    }
    memcpy(low, b.low, sizeof b.low);
    memcpy(high, b.high, sizeof b.high);
    return b.low[0] <= b.high[0];
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct extents {
    box whole, body;
    double median; /* the median size of the moving parts over the motion */
} extents;

static void measure_extents(const zw_view *v, extents *e) {
    double size[SAMPLES + 1] = {0};
    int n = 0;
    e->whole = e->body = empty;
    long step = v->rows > SAMPLES ? (v->rows + SAMPLES - 1) / SAMPLES : 1;
    for (long row = 0; row < v->rows; row += step) {
        box now = empty;
        for (int i = 0; i < v->n; i++) {
            const zw_view_item *item = &v->item[i];
            bool still = !is_moving(3, item->at) && !is_moving(item->n, item->number);
            zw_placed p;
            if (zw_scene_is_hole(item->shape) || (still && row > 0))
                continue;
            zw_scene_place(v, i, v->time[row], &p);
            if (!p.seen)
                continue;
            box_around(&p, &e->whole);
            if (!still && !zw_scene_is(item, "trace"))
                box_around(&p, &now);
        }
        if (row == 0)
            e->body = now;
        size[n++] = box_diagonal(&now);
    }
    qsort(size, (size_t)n, sizeof *size, by_size);
    e->median = n ? size[n / 2] : 0;
    if (!(e->whole.low[0] <= e->whole.high[0]))
        e->whole = (box){{-1, -1, -1}, {1, 1, 1}};
    if (!(e->body.low[0] <= e->body.high[0]))
        e->body = e->whole;
}

/* -------------------------------------------------------------------------------------- the eye */

static void add_scaled(double a[3], double factor, const double b[3]) {
    for (int i = 0; i < 3; i++)
        a[i] += factor * b[i];
}

/* the inertial axes perpendicular to up, in their order */
static int level_axes(const double up[3], int axis[3]) {
    int n = 0;
    for (int i = 0; i < 3; i++)
        if (fabs(up[i]) < 0.5)
            axis[n++] = i;
    return n;
}

/* a plane motion from the front, else from above */
static void find_direction(const box *b, const double up[3], double out[3]) {
    double size[3], most = 0, along = 0, e[3] = {0, 0, 0}, side[3];
    int axis[3], n = level_axes(up, axis), flat = -1;
    for (int i = 0; i < 3; i++) {
        size[i] = b->high[i] - b->low[i];
        most = fmax(most, size[i]);
        along += size[i] * fabs(up[i]);
    }
    bool low = along < PLANE_MOTION * most;
    for (int i = n - 1; i >= 0; i--)
        if (size[axis[i]] < PLANE_MOTION * most)
            flat = axis[i];
    for (int i = 0; i < 3; i++)
        out[i] = 0;
    if (flat >= 0 && !low) {
        e[flat] = 1;
        zw_cross3(up, e, side);
        add_scaled(out, side[0] + side[1] + side[2] < 0 ? -1 : 1, e);
        add_scaled(out, 0.14, up);
        add_scaled(out, 0.16, side);
    } else {
        e[n ? axis[0] : 0] = 1;
        zw_cross3(up, e, side);
        add_scaled(out, 0.45, e);
        add_scaled(out, -1, side);
        add_scaled(out, low ? 0.85 : 0.5, up);
    }
    zw_unit3(out);
}

/* The plane through the origin if everything is above it or only slightly below, else a plane under
 * everything; a thick disc that rolls as a thin one dips into the ground. */
static double find_ground(const zw_view *v, const zw_view_stage *s) {
    double lowest = INFINITY;
    for (int k = 0; k < 8; k++) {
        double corner[3] = {k & 1 ? s->high[0] : s->low[0], k & 2 ? s->high[1] : s->low[1],
                            k & 4 ? s->high[2] : s->low[2]};
        lowest = fmin(lowest, zw_dot3(corner, v->up));
    }
    return lowest > -GROUND_DIP * s->scale && lowest < GROUND_BELOW * s->scale ? 0 : lowest;
}

/* the median length of links, springs and dampers at the beginning, 0 if there are none */
static double median_span(const zw_view *v) {
    double length[SAMPLES] = {0};
    int n = 0;
    for (int i = 0; i < v->n && n < SAMPLES; i++) {
        zw_placed p;
        const zw_view_item *item = &v->item[i];
        if (!zw_scene_is(item, "link") && !zw_scene_is(item, "spring") &&
            !zw_scene_is(item, "damper"))
            continue;
        zw_scene_place(v, i, v->time[0], &p);
        double d[3] = {p.number[0] - p.at[0], p.number[1] - p.at[1], p.number[2] - p.at[2]};
        if (p.seen && zw_length3(d) > 0)
            length[n++] = zw_length3(d);
    }
    qsort(length, (size_t)n, sizeof *length, by_size);
    return n ? length[n / 2] : 0;
}

void zw_view_measure(const zw_view *v, zw_view_stage *s) {
    extents e;
    double width[3];
    measure_extents(v, &e);
    *s = (zw_view_stage){.size = box_diagonal(&e.whole), .body_size = box_diagonal(&e.body)};
    s->size = s->size > 0 ? s->size : 1;
    s->body_size = s->body_size > 0 ? s->body_size : s->size;
    for (int i = 0; i < 3; i++) {
        s->low[i] = e.whole.low[i];
        s->high[i] = e.whole.high[i];
        s->body_low[i] = e.body.low[i];
        s->body_high[i] = e.body.high[i];
        width[i] = s->high[i] - s->low[i];
    }
    qsort(width, 3, sizeof *width, by_size);
    s->follows = s->size > FOLLOW_LENGTH * s->body_size && width[1] < FOLLOW_WIDTH * s->body_size;
    s->scale = s->follows ? 4 * s->body_size : s->size;
    double own = e.median > OWN_SIZE_MIN * s->size ? 2 * e.median : s->size, span = median_span(v);
    if (span > 0)
        own = fmin(own, SPANS * span);
    s->small = DOT_RADIUS * fmin(own, s->size);
    find_direction(s->follows ? &e.body : &e.whole, v->up, s->direction);
    s->ground = find_ground(v, s);
    zw_scene_scale_forces(v, s);
    zw_scene_include_arrows(v, s);
}

void zw_scene_centre(const zw_view *v, const zw_view_stage *s, double t, double centre[3]) {
    int n = 0;
    double sum[3] = {0, 0, 0};
    for (int i = 0; i < v->n; i++) {
        zw_placed p;
        const zw_view_item *item = &v->item[i];
        if (!is_moving(3, item->at) || zw_scene_is(item, "trace") || zw_scene_is_hole(item->shape))
            continue;
        zw_scene_place(v, i, t, &p);
        if (!p.seen)
            continue;
        add_scaled(sum, 1, p.at);
        n++;
    }
    for (int i = 0; i < 3; i++)
        centre[i] = n ? sum[i] / n : (s->low[i] + s->high[i]) / 2;
}
