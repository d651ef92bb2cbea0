/* SPDX-License-Identifier: MIT */
/* From back to front. The plane of a large face separates all others into those behind and those in
 * front of it, seen from the eye; what it cuts is split. So large faces are right relative to
 * everything. Between small primitives their distances from the eye decide. Lines on the ground
 * come first: seen from above, everything on the line of sight to a point of the ground is in front
 * of it. Signs come last: arrows of forces, then markers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

#define DEPTH_SLACK 1e-7   /* relative to the scene: round-off of corners, far below a pixel */
#define FILM_OFFSET 1e-3   /* of that: decides for a clear shell about its own plane */
#define GROUND_HEIGHT 1e-3 /* relative to the scene: a path on the ground, below a pixel */
enum { CORNERS_MAX = 96, LEVELS_MAX = 200 };

typedef struct sorter {
    const zw_scene_sheet *s;
    zw_prims *out;
    double slack; /* a negligible length */
} sorter;

static double side_of(const double n[3], const double o[3], const double x[3]) {
    return n[0] * (x[0] - o[0]) + n[1] * (x[1] - o[1]) + n[2] * (x[2] - o[2]);
}

static void update_depth(const sorter *w, zw_prim *p) {
    for (int i = 0; i < 3; i++) {
        p->middle[i] = 0;
        for (int k = 0; k < p->n; k++)
            p->middle[i] += p->p[k][i] / p->n;
    }
    double d[3];
    for (int i = 0; i < 3; i++)
        d[i] = p->middle[i] - w->s->camera.eye[i];
    p->depth = zw_length3(d);
}

/* the part of a polygon on one side of a plane */
static int cut_polygon(int n, double (*p)[3], const double normal[3], const double o[3],
                       double sign, double (*out)[3]) {
    int count = 0;
    for (int k = 0; k < n; k++) {
        const double *a = p[k], *b = p[(k + 1) % n];
        double u = sign * side_of(normal, o, a), v = sign * side_of(normal, o, b);
        if (u >= 0)
            memcpy(out[count++], a, sizeof *out);
        if ((u > 0 && v < 0) || (u < 0 && v > 0)) {
            for (int i = 0; i < 3; i++)
                out[count][i] = a[i] + (b[i] - a[i]) * u / (u - v);
            count++;
        }
    }
    return count;
}

/* the two parts of a primitive cut by a plane; false if it cannot be cut */
static bool split_primitive(const sorter *w, const zw_prim *p, const double n[3], const double o[3],
                            zw_prim *front, zw_prim *back) {
    if (p->nhole || p->n > CORNERS_MAX || (p->kind != ZW_PRIM_FACE && p->kind != ZW_PRIM_TUBE))
        return false;
    for (int sign = -1; sign <= 1; sign += 2) {
        zw_prim *part = sign > 0 ? front : back;
        double corner[2 * CORNERS_MAX][3];
        *part = *p;
        if (p->kind == ZW_PRIM_FACE) {
            part->n = cut_polygon(p->n, p->p, n, o, sign, corner);
        } else {
            double u = side_of(n, o, p->p[0]), v = side_of(n, o, p->p[1]);
            memcpy(corner, p->p, 2 * sizeof *corner);
            for (int i = 0; i < 3; i++)
                corner[u * sign > 0 ? 1 : 0][i] =
                    p->p[0][i] + (p->p[1][i] - p->p[0][i]) * u / (u - v);
        }
        part->p = part->n >= 2 ? zw_prims_points(w->out, part->n) : NULL;
        if (!part->p)
            return false;
        memcpy(part->p, corner, (size_t)part->n * sizeof *corner);
        update_depth(w, part);
    }
    return true;
}

typedef enum place { BEHIND, WITHIN, IN_FRONT, ACROSS } place;

static place classify_side(const sorter *w, const zw_prim *p, const double n[3],
                           const double o[3]) {
    double low = 0, high = 0;
    if (p->kind == ZW_PRIM_BALL || p->kind == ZW_PRIM_LINE || p->nhole) {
        double at = side_of(n, o, p->middle);
        if (p->film)
            at += side_of(n, o, w->s->camera.eye) > 0 ? FILM_OFFSET * w->slack : 0;
        return at < 0 ? BEHIND : IN_FRONT;
    }
    for (int k = 0; k < p->n; k++) {
        double at = side_of(n, o, p->p[k]);
        low = fmin(low, at);
        high = fmax(high, at);
    }
    if (low >= -w->slack && high <= w->slack)
        return p->kind == ZW_PRIM_FACE ? WITHIN : IN_FRONT;
    if (low >= -w->slack)
        return IN_FRONT;
    return high <= w->slack ? BEHIND : ACROSS;
}

static int by_depth(const void *a, const void *b) {
    const zw_prim *p = a, *q = b;
    if (p->depth != q->depth)
        return p->depth > q->depth ? -1 : 1;
    return (p->order > q->order) - (p->order < q->order);
}

static const zw_prim *find_large(int n, const zw_prim *p) {
    for (int i = 0; i < n; i++)
        if (p[i].large && p[i].kind == ZW_PRIM_FACE && !p[i].nhole)
            return &p[i];
    return NULL;
}

static void put_primitive(const sorter *w, const zw_prim *p) {
    zw_prim *to = zw_prims_add(w->out, p->kind, p->colour, p->alpha);
    if (to)
        *to = *p;
}

/* primitives behind a plane, in it and in front of it */
typedef struct sides {
    int n[3];
    zw_prim *list[3];
} sides;

static bool divide_list(const sorter *w, int n, const zw_prim *p, const double normal[3],
                        const double o[3], sides *out) {
    int most[3] = {0, 0, 0};
    for (int i = 0; i < n; i++) {
        place where = classify_side(w, &p[i], normal, o);
        most[BEHIND] += where == BEHIND || where == ACROSS;
        most[WITHIN] += where == WITHIN;
        most[IN_FRONT] += where == IN_FRONT || where == ACROSS;
    }
    for (int k = 0; k < 3; k++) {
        out->list[k] = ZW_NEW(w->out->arena, zw_prim, most[k] + 1);
        w->out->failed |= !out->list[k];
    }
    for (int i = 0; i < n && !w->out->failed; i++) {
        place where = classify_side(w, &p[i], normal, o);
        zw_prim front, back;
        if (where == ACROSS && split_primitive(w, &p[i], normal, o, &front, &back)) {
            out->list[BEHIND][out->n[BEHIND]++] = back;
            out->list[IN_FRONT][out->n[IN_FRONT]++] = front;
            continue;
        }
        if (where == ACROSS)
            where = side_of(normal, o, p[i].middle) < 0 ? BEHIND : IN_FRONT;
        out->list[where][out->n[where]] = p[i];
        out->list[where][out->n[where]++].large &= where != WITHIN;
    }
    return !w->out->failed;
}

static void sort_primitives(const sorter *w, int n, zw_prim *p, int level) {
    const zw_prim *large = level < LEVELS_MAX ? find_large(n, p) : NULL;
    if (!large) {
        qsort(p, (size_t)n, sizeof *p, by_depth);
        for (int i = 0; i < n; i++)
            put_primitive(w, &p[i]);
        return;
    }
    double normal[3], o[3];
    memcpy(normal, large->normal, sizeof normal);
    memcpy(o, large->p[0], sizeof o);
    sides part = {.n = {0}};
    if (!divide_list(w, n, p, normal, o, &part))
        return;
    bool before = side_of(normal, o, w->s->camera.eye) > 0;
    int first = before ? BEHIND : IN_FRONT, last = before ? IN_FRONT : BEHIND;
    sort_primitives(w, part.n[first], part.list[first], level + 1);
    for (int i = 0; i < part.n[WITHIN]; i++)
        put_primitive(w, &part.list[WITHIN][i]);
    sort_primitives(w, part.n[last], part.list[last], level + 1);
}

/* a path on the ground, seen from above */
static bool is_on_ground(const zw_scene_sheet *s, const zw_prim *p) {
    double ground = s->stage->ground, slack = GROUND_HEIGHT * s->stage->scale;
    if (p->kind != ZW_PRIM_LINE || zw_dot3(s->camera.eye, s->camera.up) <= ground)
        return false;
    for (int k = 0; k < p->n; k++)
        if (fabs(zw_dot3(p->p[k], s->camera.up) - ground) > slack)
            return false;
    return true;
}

/* arrows before markers, each from back to front */
static void put_signs(const sorter *w, int n, zw_prim *sign) {
    qsort(sign, (size_t)n, sizeof *sign, by_depth);
    for (int kind = ZW_PRIM_FORCE; kind <= ZW_PRIM_MARK; kind++)
        for (int i = 0; i < n; i++)
            if ((int)sign[i].kind == kind)
                put_primitive(w, &sign[i]);
}

bool zw_scene_order(const zw_scene_sheet *s, zw_prims *list) {
    zw_prims from = *list;
    sorter w = {s, list, DEPTH_SLACK * s->stage->size};
    *list = (zw_prims){.arena = from.arena};
    zw_prim *seen = ZW_NEW(from.arena, zw_prim, from.n + 1),
            *sign = ZW_NEW(from.arena, zw_prim, from.n + 1);
    int n = 0, nsign = 0;
    if (!seen || !sign)
        return false;
    for (int i = 0; i < from.n; i++)
        if (from.item[i].unseen)
            continue;
        else if (zw_prim_is_sign(from.item[i].kind))
            sign[nsign++] = from.item[i];
        else if (is_on_ground(s, &from.item[i]))
            put_primitive(&w, &from.item[i]);
        else
            seen[n++] = from.item[i];
    sort_primitives(&w, n, seen, 0);
    put_signs(&w, nsign, sign);
    return !list->failed;
}
