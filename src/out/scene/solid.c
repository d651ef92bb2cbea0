/* SPDX-License-Identifier: MIT */
/* Solids with plane and round faces. A round side, or band of a rounding, is a ring of narrow
 * faces; two tones in the quadrants about z make the rotation visible. Faces that face away from
 * the eye cast a shadow but are not painted, unless the solid is clear.
 *
 * A plane with one hole in it is a ring of convex faces between the rim and the hole, along the
 * rays from the middle of the hole, so that it is cut and sorted like everything else. */
#include <math.h>
#include <string.h>

#include "scene.h"

enum { AROUND = 64, QUARTER = AROUND / 4, ACROSS = 12, HOLES_MAX = 16 };
#define TURN (2 * 3.14159265358979323846)
#define DARK 0.72      /* brightness of the darker tone */
#define CLEAR 0.24     /* opacity of clear solids */
#define THICKNESS 0.03 /* of a disc, relative to its radius */

typedef struct solid {
    const zw_scene_sheet *s;
    const zw_placed *p;
    zw_prims *out;
    zw_rgb colour;
    double alpha;
} solid;

static zw_rgb toned_colour(zw_rgb c, double tone) {
    return (zw_rgb){c.r * tone, c.g * tone, c.b * tone};
}

static void to_space(const solid *o, double x, double y, double z, double out[3]) {
    double own[3] = {x, y, z};
    zw_apply3(o->p->turn, own, out);
    for (int i = 0; i < 3; i++)
        out[i] += o->p->at[i];
}

/* n corners in inertial coordinates, counterclockwise from outside; both: visible from both
 * sides */
static zw_prim *add_face(const solid *o, int n, double (*corner)[3], const double normal[3],
                         double tone, bool both) {
    double to_eye[3], unit[3] = {normal[0], normal[1], normal[2]};
    for (int i = 0; i < 3; i++)
        to_eye[i] = o->s->camera.eye[i] - corner[0][i];
    bool away = zw_dot3(to_eye, unit) <= 0;
    bool unseen = away && !both && o->alpha == 1;
    for (int i = 0; i < 3 && away && both; i++)
        unit[i] = -unit[i];
    zw_prim *f = zw_prims_add(o->out, ZW_PRIM_FACE, o->colour, o->alpha);
    if (!f)
        return NULL;
    f->colour = toned_colour(o->colour, tone * zw_camera_light(&o->s->camera, unit));
    f->unseen = unseen;
    f->thin = both;
    f->n = n;
    f->p = zw_prims_points(o->out, n);
    memcpy(f->normal, unit, sizeof unit);
    if (!f->p)
        return NULL;
    memcpy(f->p, corner, (size_t)n * sizeof *corner);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 3; i++)
            f->middle[i] += corner[k][i] / n;
    return f;
}

static void own_normal(const solid *o, double x, double y, double z, double out[3]) {
    zw_apply3(o->p->turn, (double[]){x, y, z}, out);
    zw_unit3(out);
}

static double quadrant_tone(int k) {
    return (k / QUARTER) % 2 ? DARK : 1;
}

/* ---- boxes and planes ---- */

static void add_box(const solid *o, const double size[3]) {
    for (int axis = 0; axis < 3; axis++)
        for (int sign = -1; sign <= 1; sign += 2) {
            int j = (axis + 1) % 3, k = (axis + 2) % 3;
            double corner[4][3], n[3], own[3] = {0, 0, 0};
            static const int round[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
            for (int c = 0; c < 4; c++) {
                own[axis] = sign * size[axis] / 2;
                own[j] = round[c][0] * size[j] / 2;
                own[k] = round[c][1] * size[k] / 2;
                to_space(o, own[0], own[1], own[2], corner[c]);
            }
            own_normal(o, (axis == 0) * sign, (axis == 1) * sign, (axis == 2) * sign, n);
            zw_prim *f = add_face(o, 4, corner, n, 1, false);
            if (f)
                f->large = true;
        }
}

static void add_plane(const solid *o, double a, double b) {
    double corner[4][3], n[3];
    for (int c = 0; c < 4; c++)
        to_space(o, c == 0 || c == 3 ? -a / 2 : a / 2, c < 2 ? -b / 2 : b / 2, 0, corner[c]);
    own_normal(o, 0, 0, 1, n);
    zw_prim *f = add_face(o, 4, corner, n, 1, true);
    if (f)
        f->large = true;
}

/* ---- round ones ---- */

/* a disc at height z, facing along sign, in four sectors */
static void add_cap(const solid *o, double r, double z, int sign) {
    double n[3];
    own_normal(o, 0, 0, sign, n);
    for (int q = 0; q < 4; q++) {
        double corner[QUARTER + 2][3];
        to_space(o, 0, 0, z, corner[0]);
        for (int k = 0; k <= QUARTER; k++) {
            double angle = TURN * (q * QUARTER + (sign > 0 ? k : QUARTER - k)) / AROUND;
            to_space(o, r * cos(angle), r * sin(angle), z, corner[1 + k]);
        }
        zw_prim *f = add_face(o, QUARTER + 2, corner, n, q % 2 ? DARK : 1, false);
        if (f)
            f->large = true;
    }
}

/* the side between radius r at the bottom and top radius R, inwards for holes */
static void add_side(const solid *o, const double centre[2], double r, double R, double h,
                     bool inwards, bool tones) {
    for (int k = 0; k < AROUND; k++) {
        double a = TURN * k / AROUND, b = TURN * (k + 1) / AROUND, middle = (a + b) / 2, n[3];
        double corner[4][3], way = inwards ? -1 : 1;
        to_space(o, centre[0] + r * cos(a), centre[1] + r * sin(a), -h / 2, corner[0]);
        to_space(o, centre[0] + r * cos(b), centre[1] + r * sin(b), -h / 2, corner[1]);
        to_space(o, centre[0] + R * cos(b), centre[1] + R * sin(b), h / 2, corner[2]);
        to_space(o, centre[0] + R * cos(a), centre[1] + R * sin(a), h / 2, corner[3]);
        own_normal(o, way * h * cos(middle), way * h * sin(middle), way * (r - R), n);
        add_face(o, R > 0 ? 4 : 3, corner, n, tones ? quadrant_tone(k) : 1, false);
    }
}

/* the outer half, or all, of a tube of radius w about a circle of radius r */
static void add_rounding(const solid *o, double r, double w, bool all, bool tones) {
    int n = all ? 2 * ACROSS : ACROSS;
    for (int k = 0; k < AROUND; k++)
        for (int j = 0; j < n; j++) {
            double corner[4][3], normal[3], phi = TURN * (k + 0.5) / AROUND,
                                            t = TURN / 2 * ((j + 0.5) / ACROSS - 0.5);
            static const int round[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
            for (int c = 0; c < 4; c++) {
                double angle = TURN * (k + round[c][0]) / AROUND,
                       up = TURN / 2 * ((double)(j + round[c][1]) / ACROSS - 0.5),
                       out = r + w * cos(up);
                to_space(o, out * cos(angle), out * sin(angle), w * sin(up), corner[c]);
            }
            own_normal(o, cos(t) * cos(phi), cos(t) * sin(phi), sin(t), normal);
            add_face(o, 4, corner, normal, tones ? quadrant_tone(k) : 1, false);
        }
}

/* ---- with holes ---- */

typedef struct hole {
    double centre[2], r;
} hole;

/* the round holes that follow a drawing, in its axes */
static int find_holes(const zw_scene_sheet *s, int item, hole *out) {
    const zw_placed *p = &s->placed[item];
    int n = 0;
    for (int i = item + 1; i < s->view->n && zw_scene_is_hole(s->view->item[i].shape); i++) {
        const zw_placed *h = &s->placed[i];
        if (n == HOLES_MAX || !h->seen ||
            (!zw_scene_is(h->item, "hole cylinder") && !zw_scene_is(h->item, "hole disk")))
            continue;
        for (int c = 0; c < 2; c++) {
            out[n].centre[c] = 0;
            for (int j = 0; j < 3; j++)
                out[n].centre[c] += p->turn[3 * j + c] * (h->at[j] - p->at[j]);
        }
        out[n++].r = h->number[0];
    }
    return n;
}

static void pierced_cap(const solid *o, double r, double z, int sign, int nhole,
                        const hole *holes) {
    double corner[(HOLES_MAX + 1) * AROUND][3], n[3];
    for (int k = 0; k < AROUND; k++)
        to_space(o, r * cos(TURN * k / AROUND), r * sin(TURN * k / AROUND), z, corner[k]);
    for (int i = 0; i < nhole; i++)
        for (int k = 0; k < AROUND; k++)
            to_space(o, holes[i].centre[0] + holes[i].r * cos(TURN * k / AROUND),
                     holes[i].centre[1] + holes[i].r * sin(TURN * k / AROUND), z,
                     corner[(i + 1) * AROUND + k]);
    own_normal(o, 0, 0, sign, n);
    zw_prim *f = add_face(o, (nhole + 1) * AROUND, corner, n, 1, false);
    int *count = f ? ZW_NEW(o->out->arena, int, nhole) : NULL;
    if (!count)
        return;
    for (int i = 0; i < nhole; i++)
        count[i] = AROUND;
    f->n = AROUND;
    f->nhole = nhole;
    f->hole = count;
    to_space(o, 0, 0, z, f->middle);
}

/* corner k of a cap with one hole: on the rim, and on the edge of the hole on the line from its
 * middle */
static void ring_corner(const solid *o, double r, double z, const hole *h, int k, double rim[3],
                        double edge[3]) {
    double x = r * cos(TURN * k / AROUND), y = r * sin(TURN * k / AROUND);
    double dx = x - h->centre[0], dy = y - h->centre[1], far = hypot(dx, dy);
    to_space(o, x, y, z, rim);
    to_space(o, h->centre[0] + h->r * dx / far, h->centre[1] + h->r * dy / far, z, edge);
}

static void ring_cap(const solid *o, double r, double z, int sign, const hole *h) {
    double corner[4][3], n[3];
    own_normal(o, 0, 0, sign, n);
    for (int k = 0; k < AROUND; k++) {
        ring_corner(o, r, z, h, sign > 0 ? k : k + 1, corner[0], corner[3]);
        ring_corner(o, r, z, h, sign > 0 ? k + 1 : k, corner[1], corner[2]);
        zw_prim *f = add_face(o, 4, corner, n, 1, false);
        if (f)
            f->large = true;
    }
}

/* a cap with the holes in it */
static void cap_with(const solid *o, double r, double z, int sign, int nhole, const hole *holes) {
    if (nhole == 0)
        add_cap(o, r, z, sign);
    else if (nhole == 1 && hypot(holes->centre[0], holes->centre[1]) + holes->r < r)
        ring_cap(o, r, z, sign, holes);
    else
        pierced_cap(o, r, z, sign, nhole, holes);
}

/* with radius r and height h, its rim a half circle if it is rounded */
static void round_solid(const solid *o, double r, double h, bool rounded, int nhole,
                        const hole *holes) {
    static const double middle[2] = {0, 0};
    double edge = rounded ? r - h / 2 : r;
    for (int sign = -1; sign <= 1; sign += 2)
        cap_with(o, edge, sign * h / 2, sign, nhole, holes);
    if (rounded)
        add_rounding(o, edge, h / 2, false, nhole == 0);
    else
        add_side(o, middle, r, r, h, false, nhole == 0);
    for (int i = 0; i < nhole; i++)
        add_side(o, holes[i].centre, holes[i].r, holes[i].r, h, true, false);
}

void zw_scene_solid(const zw_scene_sheet *s, int item, zw_prims *out) {
    static const double middle[2] = {0, 0};
    const zw_placed *p = &s->placed[item];
    const double *n = p->number;
    hole holes[HOLES_MAX];
    solid o = {s, p, out, zw_scene_colour(zw_view_colour(s->view, item), s->o->dark),
               p->item->clear ? CLEAR : 1};
    if (zw_scene_is(p->item, "box"))
        add_box(&o, n);
    else if (zw_scene_is(p->item, "plane"))
        add_plane(&o, n[0], n[1]);
    else if (zw_scene_is(p->item, "torus"))
        add_rounding(&o, n[0], n[1], true, true);
    else if (zw_scene_is(p->item, "disk") && p->item->n > 1)
        round_solid(&o, n[0], 2 * fmin(n[1], n[0]), true, find_holes(s, item, holes), holes);
    else if (zw_scene_is(p->item, "disk"))
        round_solid(&o, n[0], THICKNESS * n[0], false, find_holes(s, item, holes), holes);
    else if (zw_scene_is(p->item, "cylinder"))
        round_solid(&o, n[0], n[1], false, find_holes(s, item, holes), holes);
    else if (zw_scene_is(p->item, "cone")) {
        add_cap(&o, n[0], -n[1] / 2, -1);
        add_side(&o, middle, n[0], 0, n[1], false, true);
    }
}
