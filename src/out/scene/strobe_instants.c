/* SPDX-License-Identifier: MIT */
/* The drawings of several instants, and their eyes.
 *
 * Fixed parts are drawn once in one space. For panels, the eye follows the motion if the moving
 * parts would become small otherwise: if a box around them at all instants is larger than
 * FOLLOW_EXTENT times the largest box at one instant. Its height above the ground is kept unless
 * the heights alone require a change; then no ground is shown. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "strobe.h"

#define EXTENT_MIN 1e-9   /* on paper at distance 1: against division by 0 for a single point */
#define FOLLOW_EXTENT 2.5 /* beyond, things are drawn at less than 40 % of the possible size */
#define LEVEL_EXTENT 1.5  /* relative to the largest height at one instant */
#define HALF_ANGLE (16 * 3.14159265358979323846 / 180)

static zw_strobe_part part_of(const zw_view *v, int i) {
    const zw_view_item *item = &v->item[i];
    if (zw_scene_is(item, "trace"))
        return ZW_STROBE_PATHS;
    return zw_scene_moves(item) ? ZW_STROBE_MOVING : ZW_STROBE_FIXED;
}

bool zw_strobe_add(zw_scene_sheet *s, double t, unsigned parts, double pale, zw_prims *out) {
    int first = out->n;
    s->t = t;
    for (int i = 0; i < s->view->n; i++) {
        zw_scene_place(s->view, i, t, &s->placed[i]);
        s->placed[i].elsewhere = !(parts & part_of(s->view, i));
    }
    bool well = zw_scene_shapes(s, out);
    if (parts & ZW_STROBE_MOVING)
        zw_scene_contacts(s, out);
    well = well && !out->failed;
    for (int i = first; i < out->n; i++)
        out->item[i].pale = pale;
    return well;
}

/* ---- boxes in space ---- */

typedef struct box {
    double low[3], high[3];
} box;

static void join_boxes(box *to, const box *b) {
    for (int i = 0; i < 3; i++) {
        to->low[i] = fmin(to->low[i], b->low[i]);
        to->high[i] = fmax(to->high[i], b->high[i]);
    }
}

static double box_extent(const box *b, const double along[3]) {
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += (b->high[i] - b->low[i]) * fabs(along[i]);
    return sum;
}

static double box_diagonal(const box *b) {
    double d[3] = {b->high[0] - b->low[0], b->high[1] - b->low[1], b->high[2] - b->low[2]};
    return zw_length3(d);
}

static void middle_of(const box *b, double out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = (b->low[i] + b->high[i]) / 2;
}

static const box nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static zw_status reject_nothing(zw_error *err) {
    return zw_fail(err, ZW_E_MODEL, "at these instants there is nothing to be seen");
}

/* around everything at all instants; `most`: the size of the largest of them */
static zw_status surround_instants(const zw_strobe *w, bool everything, box *whole, double *most,
                                   double *highest, zw_error *err) {
    *whole = nothing;
    *most = *highest = 0;
    for (int k = 0; k < w->n; k++) {
        box b;
        if (!zw_scene_box(w->sheet.view, w->t[k], everything, b.low, b.high))
            continue;
        join_boxes(whole, &b);
        *most = fmax(*most, box_diagonal(&b));
        *highest = fmax(*highest, box_extent(&b, w->sheet.view->up));
    }
    return whole->low[0] <= whole->high[0] ? ZW_OK : reject_nothing(err);
}

/* ---- eyes ---- */

/* The sun is high, so that shadows are short: there is little space between panels. */
static void raise_sun(zw_camera *c) {
    for (int i = 0; i < 3; i++)
        c->sun[i] = 3.4 * c->up[i] - 0.7 * c->r[i] + 0.6 * c->b[i];
    zw_unit3(c->sun);
}

void zw_strobe_fit(zw_camera *c, const double b[4], const zw_strobe_rect *room) {
    double width = fmax(b[2] - b[0], EXTENT_MIN), height = fmax(b[3] - b[1], EXTENT_MIN);
    c->f = fmin(room->width / width, room->height / height);
    c->cx = room->x + room->width / 2 - c->f * (b[0] + b[2]) / 2;
    c->cy = room->y + room->height / 2 - c->f * (b[1] + b[3]) / 2;
}

static void aim_camera(zw_strobe *w, const double target[3], double size) {
    size = size > 0 ? size : w->stage.size;
    w->stage.scale = size;
    zw_scene_scale_forces(w->sheet.view, &w->stage);
    zw_camera_aim(&w->sheet.camera, w->sheet.view, &w->stage, &w->look, target,
                  0.5 * size / sin(HALF_ANGLE));
    raise_sun(&w->sheet.camera);
}

zw_status zw_strobe_aim_space(zw_strobe *w, zw_error *err) {
    box whole;
    double most, highest, target[3];
    const double last = w->t[w->n - 1];
    ZW_TRY(surround_instants(w, true, &whole, &most, &highest, err));
    middle_of(&whole, target);
    aim_camera(w, target, box_diagonal(&whole));
    memset(w->shift, 0, sizeof w->shift);
    w->all = (zw_prims){.arena = &w->arena};
    bool well = zw_strobe_add(&w->sheet, last, ZW_STROBE_FIXED | ZW_STROBE_PATHS, 0, &w->all);
    for (int k = 0; k < w->n && well; k++) {
        double pale = w->n > 1 ? w->o->fade * (w->n - 1 - k) / (w->n - 1) : 0;
        well = zw_strobe_add(&w->sheet, w->t[k], ZW_STROBE_MOVING, pale, &w->all);
    }
    memcpy(w->box, (double[]){INFINITY, INFINITY, -INFINITY, -INFINITY}, sizeof w->box);
    zw_scene_bounds(&w->sheet, &w->all, w->box);
    if (!well)
        return zw_out_of_memory(err, "the picture");
    return w->box[0] <= w->box[2] ? ZW_OK : reject_nothing(err);
}

zw_camera zw_strobe_camera(const zw_strobe *w, int k) {
    zw_camera c = w->sheet.camera;
    for (int i = 0; i < 3; i++) {
        c.eye[i] += w->shift[k][i];
        c.target[i] += w->shift[k][i];
    }
    return c;
}

/* The eye is as far from the centre of the moving parts at each instant as from the centre of all
 * instants; where nothing of them is visible, it stays. */
static void follow_motion(zw_strobe *w, const box *whole, double highest) {
    const double *up = w->sheet.view->up;
    bool level = box_extent(whole, up) <= LEVEL_EXTENT * highest;
    double now[3], middle[3];
    middle_of(whole, middle);
    for (int k = 0; k < w->n; k++) {
        box b = nothing;
        if (!zw_scene_box(w->sheet.view, w->t[k], false, b.low, b.high))
            continue;
        middle_of(&b, now);
        double rise = 0;
        for (int i = 0; i < 3; i++)
            rise += (middle[i] - now[i]) * up[i];
        for (int i = 0; i < 3; i++)
            w->shift[k][i] = now[i] + (level ? rise * up[i] : 0) - middle[i];
    }
    w->look.bare |= !level;
    aim_camera(w, middle, w->stage.scale);
}

zw_status zw_strobe_aim_panels(zw_strobe *w, zw_error *err) {
    box whole, moving;
    double most, highest, target[3];
    unsigned parts = ZW_STROBE_FIXED | ZW_STROBE_MOVING;
    ZW_TRY(surround_instants(w, true, &whole, &most, &highest, err));
    middle_of(&whole, target);
    aim_camera(w, target, box_diagonal(&whole));
    memset(w->shift, 0, sizeof w->shift);
    if (surround_instants(w, false, &moving, &most, &highest, NULL) >= 0 &&
        box_diagonal(&moving) > FOLLOW_EXTENT * most) {
        w->stage.scale = most;
        follow_motion(w, &moving, highest);
        w->report.follows = true;
        parts = ZW_STROBE_MOVING; /* the panels cut off fixed parts */
    }
    memcpy(w->box, (double[]){INFINITY, INFINITY, -INFINITY, -INFINITY}, sizeof w->box);
    for (int k = 0; k < w->n; k++) {
        zw_arena_mark mark = zw_arena_mark_now(&w->arena);
        zw_prims list = {.arena = &w->arena};
        zw_scene_sheet s = w->sheet;
        s.camera = zw_strobe_camera(w, k);
        bool well = zw_strobe_add(&s, w->t[k], parts, 0, &list);
        zw_scene_bounds(&s, &list, w->box);
        zw_arena_release(&w->arena, mark);
        if (!well)
            return zw_out_of_memory(err, "the picture");
    }
    return w->box[0] <= w->box[2] ? ZW_OK : reject_nothing(err);
}
