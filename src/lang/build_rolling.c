/* SPDX-License-Identifier: MIT */
/* Rolling without slipping: discs and spheres on planes and spheres.
 *
 * c is the centre of the body, w its angular velocity, vs(C) the velocity of the support at the
 * point of contact C. Everything follows from the unit normal n of the support.
 *
 * Sphere of radius r on a plane n . (x - o) = h:
 *     gap n . (c - o) - h - r,    C = c - r n,    slip v(C) - vs(C), zero along two axes of the plane.
 *
 * Thin disc on a plane, a its axis, s = |n x a| the sine of its inclination:
 *     l = n x a / s   horizontal, the direction of rolling
 *     e = a x l       in the disc, as close to n as possible, n . e = s
 *     C = c - r e     the lowest point of the rim,   gap n . (c - o) - h - r s.
 * As e x l = -a and e x (n x l) = -s l, the velocity c' + w x (C - c) of the rim at C has the parts
 *     along l:       c' . l + r w . a
 *     along n x l:   c' . (n x l) + r w . (n x a).
 * Where the inclination is an angle, s is its sine and no root is needed; the angle is then taken
 * to lie where that sine is positive, which a note says.
 *
 * Sphere of radius r on a sphere about P of radius R, d = c - P, q = R - r inside, R + r outside:
 *     gap (q^2 - d . d)/(2 q) inside, its negative outside,    C = c + r d/q inside, c - r d/q outside.
 * No two directions are tangent to all of a sphere, so all three components of the slip are put to
 * zero; the normal one keeps the gap, which is asked for at the start only.
 *
 * The gap grows when the body lifts: its multiplier is the pressing force N, positive for a contact
 * that could open. On a sphere, with the three components F of the force as multipliers of the slip, it is
 * N = -F . d/q inside, F . d/q outside.
 *
 * A disc that lies flat has no lowest point: its equations are not those of a contact any more, though angles
 * may pass through s = 0 as if nothing were. So the statement has a meaning for s > 1/1000 only (s^2 > 1e-6 where s
 * is a root), a ball in a cavity where q > 0. */
#include <stdio.h>
#include <string.h>

#include "model.h"

static const char contact[] = "contact";
#define FLAT                                                                                       \
    zw_rational(ctx, 1, 1000) /* a disc whose axis leans less than this from the normal lies flat */

/* What the geometry is made of. */
typedef struct wheel {
    const zw_rolling *say;
    int frame, support; /* numbers of frames; support 0: at rest */
    zw_expr r, c[3];
    zw_expr own[3], n[3], o[3], height;     /* plane: normal in the support's axes, inertial */
    zw_expr d[3], q, centre[3];             /* sphere */
    zw_expr axis[3], sine, along[3], up[3]; /* disc: a, s, l, e, inertial */
    zw_expr level[3];                       /* n x a = s l */
    zw_expr lean;                           /* positive unless it lies flat */
} wheel;

/* multiplied out where that is shorter; behind a chain of joints it is not, and only takes time */
static void tidy(zw_context *ctx, int n, zw_expr *e) {
    enum { WORTH_IT = 60 };
    if (zw_count(ctx, n, e) <= WORTH_IT)
        zw_shorten(ctx, n, e);
}

static void cross(zw_context *ctx, const zw_expr a[3], const zw_expr b[3], zw_expr out[3]) {
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = zw_sub(ctx, zw_mul(ctx, a[j], b[k]), zw_mul(ctx, a[k], b[j]));
    }
    tidy(ctx, 3, out);
}

static zw_expr dot(zw_context *ctx, const zw_expr a[3], const zw_expr b[3]) {
    zw_expr e = zw_dot(ctx, 3, a, b);
    tidy(ctx, 1, &e);
    return e;
}

/* out = a + factor b */
static void along(zw_context *ctx, const zw_expr a[3], zw_expr factor, const zw_expr b[3],
                  zw_expr out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = zw_add(ctx, a[i], zw_mul(ctx, factor, b[i]));
}

/* -------------------------------------------------------------------------------- the support */

static zw_status read_plane(zw_model *m, wheel *w) {
    static const zw_expr up[3] = {ZW_ZERO, ZW_ZERO, ZW_ONE};
    zw_dim length = zw_model_dim(m, 0, 1, 0);
    memcpy(w->own, up, sizeof up);
    if (w->say->normal)
        ZW_TRY(zw_model_axis(m, w->say->normal, w->own));
    zw_frame_vector(m->sys, w->support, w->own, w->n);
    memcpy(w->o, m->sys->frame[w->support].o, sizeof w->o);
    w->height = ZW_ZERO;
    if (w->say->height)
        ZW_TRY(zw_model_scalar(m, w->say->height, "the height of the plane", &length, &w->height));
    return ZW_OK;
}

static zw_status read_sphere(zw_model *m, wheel *w) {
    zw_context *ctx = m->ctx;
    zw_dim length = zw_model_dim(m, 0, 1, 0);
    zw_expr R;
    memcpy(w->centre, m->sys->frame[w->support].o, sizeof w->centre);
    if (w->say->centre)
        ZW_TRY(zw_model_vector(m, w->say->centre, "the centre of the sphere", &length, w->centre,
                               NULL));
    ZW_TRY(zw_model_scalar(m, w->say->support_radius, "the radius of the sphere", &length, &R));
    w->q = w->say->inside ? zw_sub(ctx, R, w->r) : zw_add(ctx, R, w->r);
    if (w->q == ZW_ZERO)
        return zw_fail_at(m->err, ZW_E_MODEL, w->say->support_radius->place,
                          "a ball as large as the cavity cannot roll in it");
    along(ctx, w->c, ZW_MINUS_ONE, w->centre, w->d);
    return ZW_OK;
}

static zw_status read_wheel(zw_model *m, const zw_rolling *say, wheel *w) {
    *w = (wheel){.say = say};
    zw_dim length = zw_model_dim(m, 0, 1, 0);
    ZW_TRY(zw_model_frame(m, say->body, say->body_place, &w->frame));
    if (say->frame[0])
        ZW_TRY(zw_model_frame(m, say->frame, say->frame_place, &w->support));
    if (w->frame == w->support)
        return zw_fail_at(m->err, ZW_E_MODEL, say->body_place, "'%s' cannot roll on itself",
                          say->body);
    ZW_TRY(zw_model_scalar(m, say->radius, "the radius", &length, &w->r));
    if (w->r == ZW_ZERO) {
        zw_fail_at(m->err, ZW_E_MODEL, say->radius->place, "the radius is zero");
        zw_error_hint(m->err, "a blade or a caster is a velocity constraint: constraint ...");
        return ZW_E_MODEL;
    }
    memcpy(w->c, m->sys->frame[w->frame].o, sizeof w->c);
    if (say->disk && say->on_sphere) {
        zw_fail_at(m->err, ZW_E_MODEL, say->body_place, "a disc rolls on planes, not on spheres");
        zw_error_hint(m->err, "write its contact as a constraint of a point");
        return ZW_E_MODEL;
    }
    if (!say->disk && say->sideways)
        return zw_fail_at(m->err, ZW_E_MODEL, say->body_place,
                          "a sphere has no sideways: only a disc slips sideways");
    return say->on_sphere ? read_sphere(m, w) : read_plane(m, w);
}

/* velocity of the material of the support at x */
static void support_velocity(zw_model *m, const wheel *w, const zw_expr x[3], zw_expr out[3]) {
    if (w->say->frame[0])
        zw_frame_velocity_at(m->sys, w->support, x, out);
    else
        for (int i = 0; i < 3; i++) /* at rest, or carried along with the centre of the sphere */
            out[i] = w->say->centre ? zw_system_dt(m->sys, w->centre[i]) : ZW_ZERO;
}

/* ----------------------------------------------------------------------------------- the disc */

/* the root of a perfect square, such as sin(b)^2; else sqrt */
static zw_expr root(zw_context *ctx, zw_expr square) {
    int n;
    if (zw_expr_op(ctx, square) == ZW_OP_PRODUCT) {
        const zw_expr *args = zw_expr_args(ctx, square, &n);
        zw_expr e = ZW_ONE;
        int64_t num, den;
        for (int i = 0; i < n; i += 2) {
            if (!zw_expr_is_rational(ctx, args[i + 1], &num, &den) || den != 1 || num % 2 != 0)
                return zw_sqrt(ctx, square);
            e = zw_mul(ctx, e, zw_pow(ctx, args[i], zw_integer(ctx, num / 2)));
        }
        return e;
    }
    return zw_sqrt(ctx, square);
}

static zw_status lay_out_disc(zw_model *m, wheel *w, const zw_stmt *s) {
    zw_context *ctx = m->ctx;
    const zw_frame *f = &m->sys->frame[w->frame];
    for (int i = 0; i < 3; i++)
        w->axis[i] = f->A[3 * i + 2];
    zw_expr cosine = dot(ctx, w->n, w->axis);
    zw_expr square = zw_sub(ctx, ZW_ONE, zw_mul(ctx, cosine, cosine));
    tidy(ctx, 1, &square);
    if (square == ZW_ZERO) {
        zw_fail_at(m->err, ZW_E_MODEL, w->say->body_place, "the disc '%s' lies flat on the plane",
                   w->say->body);
        zw_error_hint(m->err, "the axis of the disc is the z axis of its frame: turn that frame");
        return ZW_E_MODEL;
    }
    w->sine = root(ctx, square);
    w->lean = w->sine == zw_sqrt(ctx, square) ? zw_sub(ctx, square, zw_pow(ctx, FLAT, ZW_TWO))
                                              : zw_sub(ctx, w->sine, FLAT);
    cross(ctx, w->n, w->axis, w->level);
    for (int i = 0; i < 3; i++)
        w->along[i] = zw_div(ctx, w->level[i], w->sine);
    tidy(ctx, 3, w->along);
    cross(ctx, w->axis, w->along, w->up);
    ZW_TRY(zw_model_sound(m, w->say->body_place));
    if (zw_expr_is_number(ctx, w->sine) || w->sine == zw_sqrt(ctx, square))
        return ZW_OK;
    char *text = zw_print_within(ctx, w->sine, ZW_TEXT, 2000), sentence[300];
    snprintf(sentence, sizeof sentence,
             "the lowest point of the disc in '%.60s' (line %d) is that for %.120s > 0", s->name,
             s->place.line, text ? text : "(a long expression)");
    zw_string_free(ctx, text);
    return zw_model_note(m, sentence);
}

/* ---------------------------------------------------------------------------------- equations */

static void add_part(zw_entry *e, zw_touch *touch, const char *suffix, zw_expr residual, zw_dim d) {
    touch->suffix[e->value.n] = suffix;
    e->value.e[e->value.n] = residual;
    e->value.d[e->value.n++] = d;
}

static void add_slip(zw_model *m, zw_entry *e, zw_touch *touch, int number, zw_expr residual) {
    static const char *const numbers[] = {"1", "2", "3"};
    tidy(m->ctx, 1, &residual);
    add_part(e, touch, numbers[number], residual, zw_model_dim(m, 0, 1, -1));
}

/* The gap, where it is not closed by the choice of coordinates. */
static zw_status add_gap(zw_model *m, const wheel *w, zw_entry *e, zw_touch *touch, zw_expr gap) {
    bool closed = zw_expand(m->ctx, gap) == ZW_ZERO;
    tidy(m->ctx, 1, &gap);
    ZW_TRY(zw_model_sound(m, e->place));
    if (closed)
        return ZW_OK;
    if (!zw_model_variable(m, gap)) {
        zw_fail_at(m->err, ZW_E_MODEL, w->say->body_place,
                   "'%s' cannot touch: the height of its centre is fixed, and not at its radius",
                   w->say->body);
        zw_error_hint(m->err, "give the centre the height of the radius, or a coordinate for it");
        return ZW_E_MODEL;
    }
    add_part(e, touch, contact, gap, zw_model_dim(m, 0, 1, 0));
    return ZW_OK;
}

static zw_expr plane_gap(zw_model *m, const wheel *w, zw_expr radius) {
    zw_context *ctx = m->ctx;
    zw_expr from[3];
    along(ctx, w->c, ZW_MINUS_ONE, w->o, from);
    return zw_sub(ctx, zw_sub(ctx, zw_dot(ctx, 3, w->n, from), w->height), radius);
}

/* two unit vectors across the unit vector n, from an axis that is not along it */
static void across(zw_context *ctx, const zw_expr n[3], zw_expr t[2][3]) {
    int axis = 0;
    while (axis < 2 && n[axis] != ZW_ZERO)
        axis++;
    zw_expr e[3] = {ZW_ZERO, ZW_ZERO, ZW_ZERO};
    e[axis] = ZW_ONE;
    along(ctx, e, zw_neg(ctx, n[axis]), n, t[0]);
    zw_expr size = zw_sqrt(ctx, zw_dot(ctx, 3, t[0], t[0]));
    for (int i = 0; i < 3; i++)
        t[0][i] = zw_div(ctx, t[0][i], size);
    cross(ctx, n, t[0], t[1]);
}

static zw_status sphere_on_plane(zw_model *m, wheel *w, zw_entry *e, zw_touch *touch) {
    zw_context *ctx = m->ctx;
    zw_expr own[2][3], t[3];
    ZW_TRY(add_gap(m, w, e, touch, plane_gap(m, w, w->r)));
    if (w->say->slips)
        return ZW_OK;
    /* a plane that turns in itself has fixed directions, which are simpler than its own */
    bool still = !zw_model_variable(m, w->n[0]) && !zw_model_variable(m, w->n[1]) &&
                 !zw_model_variable(m, w->n[2]);
    across(ctx, still ? w->n : w->own, own);
    for (int k = 0; k < 2; k++) {
        zw_frame_vector(m->sys, still ? 0 : w->support, own[k], t);
        add_slip(m, e, touch, k, zw_dot(ctx, 3, touch->slip, t));
    }
    return ZW_OK;
}

static zw_status disc_on_plane(zw_model *m, wheel *w, zw_entry *e, zw_touch *touch) {
    zw_context *ctx = m->ctx;
    const zw_frame *f = &m->sys->frame[w->frame];
    zw_expr vs[3], v[3], aside[3], r = w->r;
    ZW_TRY(add_gap(m, w, e, touch, plane_gap(m, w, zw_mul(ctx, r, w->sine))));
    if (w->say->slips)
        return ZW_OK;
    support_velocity(m, w, touch->point, vs);
    along(ctx, f->vo, ZW_MINUS_ONE, vs, v);
    cross(ctx, w->n, w->along, aside);
    zw_expr forward = zw_mul(ctx, r, f->w[2]); /* w . a, in the axes of the disc */
    zw_expr tilt = zw_mul(ctx, r, dot(ctx, f->omega, w->level));
    add_slip(m, e, touch, 0, zw_add(ctx, dot(ctx, v, w->along), forward));
    if (!w->say->sideways)
        add_slip(m, e, touch, 1, zw_add(ctx, dot(ctx, v, aside), tilt));
    return ZW_OK;
}

static zw_expr sphere_gap(zw_model *m, const wheel *w) {
    zw_context *ctx = m->ctx;
    zw_expr excess = zw_sub(ctx, zw_dot(ctx, 3, w->d, w->d), zw_mul(ctx, w->q, w->q));
    excess = zw_div(ctx, excess, zw_mul(ctx, ZW_TWO, w->q));
    return w->say->inside ? zw_neg(ctx, excess) : excess;
}

static zw_status sphere_on_sphere(zw_model *m, wheel *w, zw_entry *e, zw_touch *touch) {
    if (zw_expand(m->ctx, sphere_gap(m, w)) == ZW_ZERO) {
        zw_fail_at(m->err, ZW_E_MODEL, w->say->body_place,
                   "the coordinates of '%s' keep it on the sphere already", w->say->body);
        zw_error_hint(m->err, "a ball on a sphere needs three free coordinates of its centre");
        return ZW_E_MODEL;
    }
    if (w->say->slips)
        return add_gap(m, w, e, touch, sphere_gap(m, w));
    for (int i = 0; i < 3; i++)
        add_slip(m, e, touch, i, touch->slip[i]);
    return ZW_OK;
}

/* where it touches, and the velocity of the body there against the support */
static void find_touch(zw_model *m, const wheel *w, zw_touch *touch) {
    zw_context *ctx = m->ctx;
    zw_expr body[3], support[3], arm = zw_neg(ctx, w->r);
    if (w->say->on_sphere) {
        zw_expr ratio = zw_div(ctx, w->r, w->q);
        along(ctx, w->c, w->say->inside ? ratio : zw_neg(ctx, ratio), w->d, touch->point);
    } else {
        along(ctx, w->c, arm, w->say->disk ? w->up : w->n, touch->point);
    }
    zw_frame_velocity_at(m->sys, w->frame, touch->point, body);
    support_velocity(m, w, touch->point, support);
    along(ctx, body, ZW_MINUS_ONE, support, touch->slip);
}

/* its pressing force, and what must be positive */
static void find_limits(zw_model *m, const wheel *w, const zw_entry *e, zw_touch *touch) {
    zw_context *ctx = m->ctx;
    char name[200];
    zw_expr force = ZW_ZERO;
    for (int k = 0; k < e->value.n; k++) {
        snprintf(name, sizeof name, "%.150s.%s", e->name, touch->suffix[k]);
        zw_expr lambda = zw_system_lambda(m->sys, name);
        if (strcmp(touch->suffix[k], contact) == 0)
            touch->press = lambda;
        else if (w->say->on_sphere)
            force = zw_add(ctx, force, zw_mul(ctx, lambda, zw_div(ctx, w->d[k], w->q)));
    }
    if (force != ZW_ZERO)
        touch->press = w->say->inside ? zw_neg(ctx, force) : force;
    zw_expr valid = w->say->disk ? w->lean : w->say->on_sphere && w->say->inside ? w->q : ZW_NULL;
    touch->valid = valid && !zw_expr_is_number(ctx, valid) ? valid : ZW_NULL;
}

zw_status zw_build_rolling_value(zw_model *m, zw_entry *e) {
    wheel w;
    zw_touch *touch = ZW_NEW(m->arena, zw_touch, 1);
    if (!touch)
        return zw_model_memory(m);
    ZW_TRY(read_wheel(m, e->stmt->rolling, &w));
    if (w.say->disk)
        ZW_TRY(lay_out_disc(m, &w, e->stmt));
    find_touch(m, &w, touch);
    e->value.n = 0;
    if (w.say->on_sphere)
        ZW_TRY(sphere_on_sphere(m, &w, e, touch));
    else if (w.say->disk)
        ZW_TRY(disc_on_plane(m, &w, e, touch));
    else
        ZW_TRY(sphere_on_plane(m, &w, e, touch));
    find_limits(m, &w, e, touch);
    e->touch = touch;
    return zw_model_sound(m, e->place);
}

/* the gap of a ball on a sphere is closed at the start, t = 0, and kept by the slip */
static zw_status start_closed(zw_model *m, const zw_stmt *s) {
    wheel w;
    ZW_TRY(read_wheel(m, s->rolling, &w));
    const char *text = zw_arena_printf(m->arena, "%s.%s", s->name, contact);
    if (!text)
        return zw_model_memory(m);
    zw_expr gap = zw_subst(m->ctx, sphere_gap(m, &w), 1, &m->sys->t, (zw_expr[]){ZW_ZERO});
    return zw_system_start(m->sys, gap, ZW_ZERO, text, s->place, m->err);
}

/* Where the coordinates keep the gap closed there is no constraint whose force would press. */
static zw_status note_unknown_press(zw_model *m, const zw_stmt *s) {
    const char *sentence = zw_arena_printf(
        m->arena,
        "%s has no %s.%s: the coordinates of %s keep the gap closed, so the pressing "
        "force is not known, and a run does not see it pull",
        s->name, s->name, contact, s->rolling->body);
    return sentence ? zw_model_note(m, sentence) : zw_model_memory(m);
}

/* what a run looks at */
static zw_status watch(zw_model *m, const zw_stmt *s, const zw_touch *touch) {
    const zw_rolling *say = s->rolling;
    zw_footing c = {.name = s->name,
                    .press = say->may_pull ? ZW_NULL : touch->press,
                    .valid = touch->valid,
                    .stop = say->stop,
                    .place = s->name_place};
    if (!touch->press && !say->may_pull)
        ZW_TRY(note_unknown_press(m, s));
    if (!touch->press && !touch->valid)
        return ZW_OK;
    c.beyond = zw_arena_printf(
        m->arena, say->disk ? "the disc %s lies flat" : "the ball %s is larger than its cavity",
        say->body);
    if (!c.beyond)
        return zw_model_memory(m);
    return zw_system_footing(m->sys, &c, m->err);
}

/* what it rolls on, and itself if only its inertia is known */
static zw_status sketch(zw_model *m, const zw_stmt *s) {
    wheel w;
    zw_entry *body;
    const zw_rolling *say = s->rolling;
    ZW_TRY(read_wheel(m, say, &w));
    ZW_TRY(zw_model_resolve(m, say->body, say->body_place, &body));
    if (body->kind != ZW_ST_BODY || !zw_body_has_shape(body))
        ZW_TRY(zw_sketch_shape(m, s, say->disk ? "disk" : "sphere", say->body, w.frame, NULL, 1,
                               &w.r));
    if (!say->on_sphere) {
        zw_expr plane[4] = {w.own[0], w.own[1], w.own[2], w.height};
        return zw_sketch_shape(m, s, "support", say->body, w.support, NULL, 4, plane);
    }
    zw_expr R = say->inside ? zw_add(m->ctx, w.q, w.r) : zw_sub(m->ctx, w.q, w.r);
    return zw_sketch_shape(m, s, say->inside ? "shell" : "sphere", s->name, -1, w.centre, 1, &R);
}

zw_status zw_build_rolling(zw_model *m, zw_stmt *s) {
    zw_entry *e;
    ZW_TRY(sketch(m, s));
    ZW_TRY(zw_model_resolve(m, s->name, s->name_place, &e));
    for (int k = 0; k < e->value.n; k++) {
        char full[200];
        snprintf(full, sizeof full, "%.150s.%s", s->name, e->touch->suffix[k]);
        const char *name = zw_context_intern(m->ctx, full);
        if (!name)
            return zw_model_memory(m);
        ZW_TRY(zw_add_constraint(m, s, name, e->value.e[k], &e->value.d[k], s->name_place));
    }
    ZW_TRY(watch(m, s, e->touch));
    bool closes = s->rolling->on_sphere && !s->rolling->slips && zw_constraint_on(m, s, s->name);
    return closes ? start_closed(m, s) : ZW_OK;
}
