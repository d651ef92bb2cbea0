/* SPDX-License-Identifier: MIT */
/* Contacts at a time, and the scale of their forces.
 *
 * A force that is a mean over the time since the row before is a step function between the rows:
 * F(t) = F_k for t_k-1 < t <= t_k. Its mean since another time s is
 *
 *     F = sum_k F_k |(t_k-1, t_k] and (s, t]| / (t - s),
 *
 * so that a film with fewer frames than rows shows every impulse once, over the time of one frame.
 * Impulses that a row has besides its force (impacts of event-driven runs) belong to the frame that
 * contains the row; without frames they are shown as if they took the mean time between rows, since
 * rows of events are at arbitrary distances from their neighbours. States and gaps are those of the
 * end.
 *
 * There is one scale for the whole motion. An impact is one row with a force that is the larger the
 * shorter the row is, next to which all others would be dots: the longest arrow has the largest
 * force, but at most CUT_MEDIANS times the median of all nonzero ones. Larger forces are cut there
 * and have two heads. A square of the ground is a round number of newtons. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

enum { CUT_MEDIANS = 3, SORTED_MAX = 100000, ROWS_MAX = 2000 };
#define ARROW_LENGTH 0.30     /* of the longest arrow, relative to the scene */
#define SIGN_RADIUS 0.0085    /* of a marker, relative to the scene */
#define GAP_SHOWN 2.5         /* radii: a gap that closes is shown from there on */
#define FORCE_NEGLIGIBLE 1e-6 /* relative to the largest: remainders of contacts that have opened */
#define STEP_SLACK 1e-12      /* relative: round-off of a product with a power of ten */
#define ARROW_SLACK 1e-9      /* relative: the arrow that sets the scale is not cut by round-off */
#define UNIT_SLACK 1e-9       /* relative: 999.9999999999 N is 1 kN */

const char *zw_scene_touch_colour(zw_view_touch touch) {
    static const char *const colours[] = {"steel", "stick", "slip", "touch", "steel"};
    return colours[touch];
}

/* ---- at a time ---- */

static double row_value(const zw_view *v, zw_view_value x, long row) {
    return x.column < 0 ? x.value : zw_table_at(v->motion, row, x.column);
}

static double interpolate_value(const zw_view *v, zw_view_value x, long row, long next,
                                double part) {
    double a = row_value(v, x, row);
    return part == 0 ? a : a + (row_value(v, x, next) - a) * part;
}

/* since < t; nothing is known of the time before the first row */
static void mean_force(const zw_view *v, const zw_view_contact *c, double since, double t,
                       long last, double F[3]) {
    double from = fmax(since, v->time[0]);
    memset(F, 0, 3 * sizeof *F);
    for (long k = last; k > 0 && v->time[k] > from; k--) {
        double part = fmin(v->time[k], t) - fmax(v->time[k - 1], from);
        for (int i = 0; i < 3 && part > 0; i++)
            F[i] += row_value(v, c->force[i], k) * part / (t - from);
        for (int i = 0; i < 3 && v->time[k] <= t; i++)
            F[i] += row_value(v, c->impulse[i], k) / (t - from);
    }
}

/* with its impulses, over the mean time of a row */
static void force_of_row(const zw_view *v, const zw_view_contact *c, long row, double F[3]) {
    double span = v->time[v->rows - 1] - v->time[0];
    for (int i = 0; i < 3; i++) {
        double J = row_value(v, c->impulse[i], row);
        F[i] = row_value(v, c->force[i], row) +
               (J != 0 && span > 0 ? J * (double)(v->rows - 1) / span : 0);
    }
}

void zw_scene_touched(const zw_view *v, int i, double frame, double t, zw_touched *out) {
    const zw_view_contact *c = &v->contact[i];
    long row, next;
    double part, sum = 0, size = 0;
    zw_scene_locate(v, t, &row, &next, &part);
    long end = part > 0 ? next : row; /* of the interval that contains t */
    for (int k = 0; k < 3; k++) {
        out->at[k] = interpolate_value(v, c->at[k], row, next, part);
        out->force[k] = interpolate_value(v, c->force[k], row, next, part);
    }
    if (c->mean && frame > 0 && t > v->time[0])
        mean_force(v, c, t - frame, t, end, out->force);
    else if (c->mean)
        force_of_row(v, c, end, out->force);
    out->gap = interpolate_value(v, c->gap, row, next, part);
    double state = row_value(v, c->state, c->mean ? end : row);
    for (int k = 0; k < 3; k++) {
        sum += out->at[k] + out->force[k];
        size = fmax(size, fabs(out->force[k]));
    }
    out->seen = isfinite(sum + out->gap) && state >= ZW_VIEW_OPEN && state <= ZW_VIEW_CLOSED;
    out->touch = out->seen ? (zw_view_touch)state : ZW_VIEW_OPEN;
    if (out->touch == ZW_VIEW_OPEN && size > 0)
        out->touch = ZW_VIEW_MEANWHILE;
}

/* ---- the scale ---- */

static double size_of(const zw_view *v, const zw_view_contact *c, long row) {
    double F[3];
    force_of_row(v, c, row, F);
    double size = zw_length3(F);
    return c->has_force && isfinite(size) ? size : 0;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* the median of all nonzero forces, from some rows if there are many */
static double median_force(const zw_view *v, double most) {
    double *size = malloc(SORTED_MAX * sizeof *size);
    int n = 0;
    long stride = v->rows * v->ncontact / SORTED_MAX + 1;
    for (long row = 0; row < v->rows && size; row += stride)
        for (int i = 0; i < v->ncontact && n < SORTED_MAX; i++) {
            double one = size_of(v, &v->contact[i], row);
            if (one > FORCE_NEGLIGIBLE * most)
                size[n++] = one;
        }
    if (n)
        qsort(size, (size_t)n, sizeof *size, by_size);
    double middle = n ? size[n / 2] : most;
    free(size);
    return middle;
}

/* the next round number */
static double round_up(double x) {
    static const double steps[] = {1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10};
    double power = pow(10, floor(log10(x)));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (x <= steps[i] * power * (1 + STEP_SLACK))
            return steps[i] * power;
    return 10 * power;
}

/* records what occurs, also between the rows: a force that has just ended is one of the frame that
 * begins before */
static void record_contact(const zw_view *v, const zw_view_contact *c, zw_view_stage *s) {
    double before = 0;
    for (long row = 0; row < v->rows; row++) {
        double size = size_of(v, c, row), state = row_value(v, c->state, row);
        s->most = fmax(s->most, size);
        if (state >= ZW_VIEW_OPEN && state <= ZW_VIEW_CLOSED)
            s->touches |= 1U << (int)state;
        if (state == ZW_VIEW_OPEN && (size > 0 || before > 0))
            s->touches |= 1U << ZW_VIEW_MEANWHILE;
        before = size;
    }
}

void zw_scene_scale_forces(const zw_view *v, zw_view_stage *s) {
    s->per_newton = s->longest = s->most = 0;
    s->touches = 0;
    s->sign = SIGN_RADIUS * s->scale;
    for (int i = 0; i < v->ncontact; i++)
        record_contact(v, &v->contact[i], s);
    if (!(s->most > 0))
        return;
    double full = fmin(s->most, round_up(CUT_MEDIANS * median_force(v, s->most)));
    double square = zw_scene_grid_step(s->scale);
    s->per_newton = square / round_up(full * square / (ARROW_LENGTH * s->scale));
    s->longest = s->per_newton * full;
}

bool zw_scene_arrow(const zw_view_stage *s, const zw_touched *c, double end[3], bool *cut) {
    double size = zw_length3(c->force), length = size * s->per_newton;
    *cut = length > s->longest * (1 + ARROW_SLACK);
    if (!c->seen || length < 0.5 * s->sign)
        return false;
    for (int i = 0; i < 3; i++)
        end[i] = c->at[i] + c->force[i] / size * fmin(length, s->longest);
    return true;
}

void zw_scene_include_arrows(const zw_view *v, zw_view_stage *s) {
    long stride = v->rows * v->ncontact / SORTED_MAX + v->rows / ROWS_MAX + 1;
    for (int i = 0; i < v->ncontact; i++)
        for (long row = 0; row < v->rows; row += stride) {
            zw_touched c;
            double end[3];
            bool cut;
            zw_scene_touched(v, i, 0, v->time[row], &c);
            for (int k = 0; zw_scene_arrow(s, &c, end, &cut) && k < 3; k++) {
                s->low[k] = fmin(s->low[k], end[k]);
                s->high[k] = fmax(s->high[k], end[k]);
            }
        }
}

/* ---- words ---- */

static void force_text(const zw_view *v, double F, char *out, size_t size) {
    static const struct {
        double least, size;
        const char *name;
    } unit[] = {{1e6, 1e6, "MN"},
                {1e3, 1e3, "kN"},
                {0.1, 1, "N"},
                {1e-4, 1e-3, "mN"},
                {0, 1e-6, "\xc2\xb5N"}};
    size_t i = 0;
    while (F < unit[i].least * (1 - UNIT_SLACK))
        i++;
    if (v->metres)
        snprintf(out, size, "%.3g %s", F / unit[i].size, unit[i].name);
    else
        snprintf(out, size, "%.3g", F);
}

void zw_view_force_key(const zw_view *v, const zw_view_stage *s, char *out, size_t size) {
    char length[40], force[40];
    double square = zw_scene_grid_step(s->scale);
    if (size)
        out[0] = '\0';
    if (!(s->per_newton > 0))
        return;
    zw_scene_length(v, square, length, sizeof length);
    force_text(v, square / s->per_newton, force, sizeof force);
    snprintf(out, size, "%s = %s", length, force);
}

void zw_view_force_cut(const zw_view *v, const zw_view_stage *s, char *out, size_t size) {
    char force[40];
    if (size)
        out[0] = '\0';
    if (!(s->per_newton > 0) || s->most * s->per_newton <= s->longest * (1 + ARROW_SLACK))
        return;
    force_text(v, s->longest / s->per_newton, force, sizeof force);
    snprintf(out, size, "more than %s", force);
}

/* ---- primitives ---- */

static zw_prim *add_sign(const zw_scene_sheet *s, zw_prims *out, zw_prim_kind kind,
                         const zw_touched *c, int n) {
    zw_rgb colour = zw_scene_colour(zw_scene_touch_colour(c->touch), s->o->dark);
    zw_prim *p = zw_prims_add(out, kind, colour, 1);
    double d[3];
    if (!p)
        return NULL;
    for (int i = 0; i < 3; i++)
        d[i] = c->at[i] - s->camera.eye[i];
    p->depth = zw_length3(d);
    memcpy(p->middle, c->at, sizeof p->middle);
    p->n = n;
    p->p = zw_prims_points(out, n);
    if (!p->p)
        return NULL;
    memcpy(p->p[0], c->at, sizeof p->p[0]);
    return p;
}

static void add_mark(const zw_scene_sheet *s, zw_prims *out, const zw_touched *c) {
    bool open = c->touch == ZW_VIEW_OPEN || c->touch == ZW_VIEW_MEANWHILE;
    if (open && c->gap > GAP_SHOWN * s->stage->sign)
        return;
    zw_prim *p = add_sign(s, out, ZW_PRIM_MARK, c, 1);
    if (!p)
        return;
    p->radius = s->stage->sign;
    p->ring = open || c->touch == ZW_VIEW_SLIPS;
    p->alpha = open ? 0.5 : 1;
}

static void add_arrow(const zw_scene_sheet *s, zw_prims *out, const zw_touched *c) {
    double end[3];
    bool cut;
    if (!zw_scene_arrow(s->stage, c, end, &cut))
        return;
    zw_prim *p = add_sign(s, out, ZW_PRIM_FORCE, c, 2);
    if (!p)
        return;
    memcpy(p->p[1], end, sizeof end);
    p->radius = 0.3 * s->stage->sign;
    p->cut = cut;
}

void zw_scene_contacts(const zw_scene_sheet *s, zw_prims *out) {
    for (int i = 0; i < s->view->ncontact; i++) {
        zw_touched c;
        zw_scene_touched(s->view, i, s->frame, s->t, &c);
        if (!c.seen)
            continue;
        add_arrow(s, out, &c);
        add_mark(s, out, &c);
    }
}
