/* SPDX-License-Identifier: MIT */
/* Rolling without slipping: discs and rings on planes, spheres on planes and spheres.
 *
 * c is the centre of the body, w its angular velocity, vs(C) the velocity of the support at the
 * point of contact C. Everything follows from the unit normal n of the support.
 *
 * Sphere of radius r on a plane n . (x - o) = h:
 *     gap n . (c - o) - h - r,    C = c - r n,
 *     slip v(C) - vs(C), zero along two axes of the plane.
 *
 * Disc on a plane: r is the radius of its edge, p that of the rounding (0 if it is thin), a its
 * axis, s = |n x a| the sine of its inclination, l and e as in ground.c:
 *     C = c - r e - p n     its lowest point,   gap n . (c - o) - h - r s - p.
 * As e x l = -a and e x (n x l) = -s l, the velocity c' + w x (C - c) of the rim at C has the
 * components
 *     along l:       c' . l + r w . a - p w . (n x l)
 *     along n x l:   c' . (n x l) + r w . (n x a) + p w . l.
 *
 * Sphere of radius r on a sphere of radius R about P: d = c - P, q = R - r inside, R + r outside,
 *     gap (q^2 - d . d)/(2 q) inside, its negative outside,
 *     C = c + r d/q inside, c - r d/q outside.
 * No two directions are tangent to all of a sphere, so all three components of the slip are set to
 * zero, with the rates of the radii added along the normal n: n . slip is then the rate of the gap
 * where that is closed. The gap is their integral (zw_integral), a position constraint without a
 * multiplier.
 *
 * The gap grows when the body lifts off: its multiplier is the pressing force N, positive for a
 * contact that could open. On a sphere, where the three components F of the force are multipliers
 * of the slip, N = -F . d/q inside, F . d/q outside.
 *
 * The statement is valid for a disc that does not lie flat (ground.c), and for a ball in a cavity
 * with q > 0. */
#include <stdio.h>
#include <string.h>

#include "build_contact.h"
#include "lang/ground.h"
#include "lang/vector.h"
#include "mech/system/build.h"

static const char contact[] = "contact";

/* The geometry. */
typedef struct wheel {
    const zw_rolling *spec;
    int frame;
    zw_expr r, c[3];
    zw_ground on;
    zw_disc disc;
    zw_expr d[3], q; /* sphere on a sphere */
} wheel;

static zw_status between_spheres(zw_model *m, wheel *w) {
    zw_context *ctx = m->ctx;
    const zw_support *on = &w->spec->on;
    w->q = on->inside ? zw_sub(ctx, w->on.radius, w->r) : zw_add(ctx, w->on.radius, w->r);
    if (w->q == ZW_ZERO)
        return zw_fail_at(m->err, ZW_E_MODEL, on->radius->place,
                          "a ball as large as the cavity cannot roll in it");
    zw_vector_along(ctx, w->c, ZW_MINUS_ONE, w->on.centre, w->d);
    return ZW_OK;
}

static zw_status read_wheel(zw_model *m, const zw_rolling *spec, wheel *w) {
    *w = (wheel){.spec = spec};
    zw_dim length = zw_model_dim(m, 0, 1, 0);
    int support = 0;
    ZW_TRY(zw_model_frame(m, spec->body, spec->body_place, &w->frame));
    if (spec->on.frame[0])
        ZW_TRY(zw_model_frame(m, spec->on.frame, spec->on.frame_place, &support));
    if (w->frame == support)
        return zw_fail_at(m->err, ZW_E_MODEL, spec->body_place, "'%s' cannot roll on itself",
                          spec->body);
    ZW_TRY(zw_model_scalar(m, spec->radius, "the radius", &length, &w->r));
    if (w->r == ZW_ZERO) {
        zw_fail_at(m->err, ZW_E_MODEL, spec->radius->place, "the radius is zero");
        zw_error_hint(m->err, "a blade or a caster is a velocity constraint: constraint ...");
        return ZW_E_MODEL;
    }
    ZW_TRY(zw_contact_in_range(m, spec->radius, "the radius", ZW_POSITIVE, w->r));
    memcpy(w->c, m->sys->frame[w->frame].o, sizeof w->c);
    if (spec->disk && spec->on.sphere) {
        zw_fail_at(m->err, ZW_E_MODEL, spec->body_place, "a disc rolls on planes, not on spheres");
        zw_error_hint(m->err, "write its contact as a constraint of a point");
        return ZW_E_MODEL;
    }
    if (!spec->disk && spec->sideways)
        return zw_fail_at(m->err, ZW_E_MODEL, spec->body_place,
                          "a sphere has no sideways: only a disc slips sideways");
    if (spec->disk)
        ZW_TRY(zw_disc_read(m, spec->radius, &spec->rim, w->r, &w->disc));
    ZW_TRY(zw_ground_read(m, &spec->on, &w->on));
    return spec->on.sphere ? between_spheres(m, w) : ZW_OK;
}

/* ---------------------------------------------------------------------------------- equations */

static void add_part(zw_entry *e, zw_touch *touch, const char *suffix, zw_expr residual, zw_dim d) {
    touch->suffix[e->value.n] = suffix;
    e->value.e[e->value.n] = residual;
    e->value.d[e->value.n++] = d;
}

/* A component of the slip, unless the choice of coordinates makes it zero: a wheel in a plane never
 * slips sideways. */
static void add_slip(zw_model *m, zw_entry *e, zw_touch *touch, int number, zw_expr residual) {
    static const char *const numbers[] = {"1", "2", "3"};
    zw_vector_tidy(m->ctx, 1, &residual);
    if (!zw_mech_is_zero(m->sys, residual))
        add_part(e, touch, numbers[number], residual, zw_model_dim(m, 0, 1, -1));
}

/* The gap, unless the choice of coordinates keeps it closed. */
static zw_status add_gap(zw_model *m, const wheel *w, zw_entry *e, zw_touch *touch, zw_expr gap) {
    bool closed = zw_expand(m->ctx, gap) == ZW_ZERO;
    zw_vector_tidy(m->ctx, 1, &gap);
    ZW_TRY(zw_model_check_expressions(m, e->place));
    if (closed)
        return ZW_OK;
    if (!zw_model_variable(m, gap)) {
        zw_fail_at(m->err, ZW_E_MODEL, w->spec->body_place,
                   "'%s' cannot touch: the height of its centre is fixed, and not at its radius",
                   w->spec->body);
        zw_error_hint(m->err, "give the centre the height of the radius, or a coordinate for it");
        return ZW_E_MODEL;
    }
    add_part(e, touch, contact, gap, zw_model_dim(m, 0, 1, 0));
    return ZW_OK;
}

static zw_expr plane_gap(zw_model *m, const wheel *w, zw_expr radius) {
    return zw_sub(m->ctx, zw_ground_above(m, &w->on, w->c), radius);
}

static zw_status sphere_on_plane(zw_model *m, wheel *w, zw_entry *e, zw_touch *touch) {
    zw_context *ctx = m->ctx;
    zw_expr t[2][3];
    ZW_TRY(add_gap(m, w, e, touch, plane_gap(m, w, w->r)));
    if (w->spec->slips)
        return ZW_OK;
    zw_ground_directions(m, &w->on, t);
    for (int k = 0; k < 2; k++)
        add_slip(m, e, touch, k, zw_dot(ctx, 3, touch->slip, t[k]));
    return ZW_OK;
}

static zw_status disc_on_plane(zw_model *m, wheel *w, zw_entry *e, zw_touch *touch) {
    zw_context *ctx = m->ctx;
    const zw_frame *f = &m->sys->frame[w->frame];
    zw_expr vs[3], v[3], aside[3], r = w->disc.radius, round = w->disc.round;
    ZW_TRY(
        add_gap(m, w, e, touch, plane_gap(m, w, zw_add(ctx, zw_mul(ctx, r, w->disc.sine), round))));
    if (w->spec->slips)
        return ZW_OK;
    zw_ground_velocity(m, &w->on, touch->point, vs);
    zw_vector_along(ctx, f->vo, ZW_MINUS_ONE, vs, v);
    zw_vector_cross(ctx, w->on.n, w->disc.along, aside);
    zw_expr pitch = zw_mul(ctx, round, zw_vector_dot(ctx, f->omega, aside));
    zw_expr roll = zw_mul(ctx, round, zw_vector_dot(ctx, f->omega, w->disc.along));
    zw_expr forward =
        zw_sub(ctx, zw_mul(ctx, r, f->w[2]), pitch); /* w . a, in the axes of the disc */
    zw_expr tilt = zw_add(ctx, zw_mul(ctx, r, zw_vector_dot(ctx, f->omega, w->disc.level)), roll);
    add_slip(m, e, touch, 0, zw_add(ctx, zw_vector_dot(ctx, v, w->disc.along), forward));
    if (!w->spec->sideways)
        add_slip(m, e, touch, 1, zw_add(ctx, zw_vector_dot(ctx, v, aside), tilt));
    return ZW_OK;
}

static zw_expr sphere_gap(zw_model *m, const wheel *w) {
    zw_context *ctx = m->ctx;
    zw_expr excess = zw_sub(ctx, zw_dot(ctx, 3, w->d, w->d), zw_mul(ctx, w->q, w->q));
    excess = zw_div(ctx, excess, zw_mul(ctx, ZW_TWO, w->q));
    return w->spec->on.inside ? zw_neg(ctx, excess) : excess;
}

static zw_status sphere_on_sphere(zw_model *m, wheel *w, zw_entry *e, zw_touch *touch) {
    if (zw_expand(m->ctx, sphere_gap(m, w)) == ZW_ZERO) {
        zw_fail_at(m->err, ZW_E_MODEL, w->spec->body_place,
                   "the coordinates of '%s' keep it on the sphere already", w->spec->body);
        zw_error_hint(m->err, "a ball on a sphere needs three free coordinates of its centre");
        return ZW_E_MODEL;
    }
    if (w->spec->slips)
        return add_gap(m, w, e, touch, sphere_gap(m, w));
    zw_expr grows = zw_div(m->ctx, zw_system_dt(m->sys, w->q), w->q), slip[3];
    zw_vector_along(m->ctx, touch->slip, zw_neg(m->ctx, grows), w->d, slip);
    for (int i = 0; i < 3; i++)
        add_slip(m, e, touch, i, slip[i]);
    return ZW_OK;
}

/* the point of contact, and the velocity of the body there relative to the support */
static void find_touch(zw_model *m, const wheel *w, zw_touch *touch) {
    zw_context *ctx = m->ctx;
    zw_expr body[3], support[3];
    if (w->spec->on.sphere) {
        zw_expr ratio = zw_div(ctx, w->r, w->q);
        zw_vector_along(ctx, w->c, w->spec->on.inside ? ratio : zw_neg(ctx, ratio), w->d,
                        touch->point);
    } else if (w->spec->disk) {
        zw_vector_along(ctx, w->c, zw_neg(ctx, w->disc.radius), w->disc.up, touch->point);
        zw_vector_along(ctx, touch->point, zw_neg(ctx, w->disc.round), w->on.n, touch->point);
    } else {
        zw_vector_along(ctx, w->c, zw_neg(ctx, w->r), w->on.n, touch->point);
    }
    zw_frame_velocity_at(m->sys, w->frame, touch->point, body);
    zw_ground_velocity(m, &w->on, touch->point, support);
    zw_vector_along(ctx, body, ZW_MINUS_ONE, support, touch->slip);
}

/* the pressing force, and the quantity that must be positive */
static void find_limits(zw_model *m, const wheel *w, const zw_entry *e, zw_touch *touch) {
    zw_context *ctx = m->ctx;
    char name[200];
    zw_expr force = ZW_ZERO;
    for (int k = 0; k < e->value.n; k++) {
        snprintf(name, sizeof name, "%.150s.%s", e->name, touch->suffix[k]);
        zw_expr lambda = zw_system_lambda(m->sys, name);
        if (strcmp(touch->suffix[k], contact) == 0)
            touch->press = lambda;
        else if (w->spec->on.sphere)
            force = zw_add(ctx, force,
                           zw_mul(ctx, lambda, zw_div(ctx, w->d[touch->suffix[k][0] - '1'], w->q)));
    }
    if (force != ZW_ZERO)
        touch->press = w->spec->on.inside ? zw_neg(ctx, force) : force;
    zw_expr valid = w->spec->disk                              ? w->disc.lean
                    : w->spec->on.sphere && w->spec->on.inside ? w->q
                                                               : ZW_NULL;
    touch->valid = valid && !zw_expr_is_number(ctx, valid) ? valid : ZW_NULL;
}

static zw_status reject_nothing(zw_model *m, const zw_rolling *spec) {
    ZW_TRY(zw_model_check_expressions(m, spec->body_place));
    zw_fail_at(m->err, ZW_E_MODEL, spec->body_place,
               "the coordinates of '%s' allow it only to %s, so there is nothing to constrain",
               spec->body, spec->slips ? "touch" : "roll");
    zw_error_hint(m->err, "remove the statement, or give the body another coordinate");
    return ZW_E_MODEL;
}

zw_status zw_build_rolling_value(zw_model *m, zw_entry *e) {
    wheel w;
    zw_touch *touch = ZW_NEW(m->arena, zw_touch, 1);
    if (!touch)
        return zw_model_memory(m);
    ZW_TRY(read_wheel(m, e->stmt->rolling, &w));
    if (w.spec->disk)
        ZW_TRY(zw_disc_over(m, &w.on, w.frame, w.spec->body, w.spec->body_place, e->stmt, &w.disc));
    find_touch(m, &w, touch);
    e->value.n = 0;
    if (w.spec->on.sphere)
        ZW_TRY(sphere_on_sphere(m, &w, e, touch));
    else if (w.spec->disk)
        ZW_TRY(disc_on_plane(m, &w, e, touch));
    else
        ZW_TRY(sphere_on_plane(m, &w, e, touch));
    if (e->value.n == 0)
        return reject_nothing(m, w.spec);
    find_limits(m, &w, e, touch);
    e->touch = touch;
    return zw_model_check_expressions(m, e->place);
}

/* the three components of the slip of a ball on a sphere keep the gap closed */
static zw_status keep_closed(zw_model *m, const zw_stmt *s, int first) {
    wheel w;
    zw_dim length = zw_model_dim(m, 0, 1, 0);
    int n = m->sys->nconstraint - first, *of = ZW_NEW(m->arena, int, n);
    if (!of)
        return zw_model_memory(m);
    for (int k = 0; k < n; k++)
        of[k] = first + k;
    ZW_TRY(read_wheel(m, s->rolling, &w));
    zw_integral gap = {.name = zw_arena_printf(m->arena, "%s.%s", s->name, contact),
                       .value = sphere_gap(m, &w),
                       .unit = zw_model_unit(m, &length),
                       .n = n,
                       .of = of,
                       .follows = -1,
                       .place = s->name_place};
    if (!gap.name || !gap.unit)
        return zw_model_memory(m);
    return zw_system_integral(m->sys, &gap, m->err);
}

/* If the coordinates keep the gap closed, there is no constraint with a pressing force. */
static zw_status note_unknown_press(zw_model *m, const zw_stmt *s) {
    const char *sentence = zw_arena_printf(
        m->arena,
        "%s has no %s.%s: the coordinates of %s keep the gap closed, so the pressing "
        "force is not known, and a run does not see it pull",
        s->name, s->name, contact, s->rolling->body);
    return sentence ? zw_model_note(m, sentence) : zw_model_memory(m);
}

/* the conditions that a run checks */
static zw_status add_validity(zw_model *m, const zw_stmt *s, const zw_touch *touch) {
    const zw_rolling *spec = s->rolling;
    zw_contact_validity c = {.name = s->name,
                             .press = spec->may_pull ? ZW_NULL : touch->press,
                             .valid = touch->valid,
                             .stop = spec->stop,
                             .place = s->name_place};
    if (!touch->press && !spec->may_pull)
        ZW_TRY(note_unknown_press(m, s));
    if (!touch->press && !touch->valid)
        return ZW_OK;
    const char *beyond = !spec->disk       ? "the ball %s is larger than its cavity"
                         : spec->rim.torus ? "the ring %s lies flat"
                                           : "the disc %s lies flat";
    c.beyond = zw_arena_printf(m->arena, beyond, spec->body);
    if (!c.beyond)
        return zw_model_memory(m);
    return zw_system_footing(m->sys, &c, m->err);
}

/* a sketch of the support, and of the body if only its inertia is known */
static zw_status sketch_rolling(zw_model *m, const zw_stmt *s) {
    wheel w;
    const zw_rolling *spec = s->rolling;
    ZW_TRY(read_wheel(m, spec, &w));
    if (spec->disk)
        ZW_TRY(
            zw_disc_sketch(m, s, spec->body, spec->body_place, w.frame, &spec->rim, w.r, &w.disc));
    else
        ZW_TRY(zw_sketch_unless_shaped(m, s, "sphere", spec->body, spec->body_place, w.frame, 1,
                                       &w.r));
    return zw_ground_sketch(m, s, &w.on, spec->body);
}

zw_status zw_build_rolling(zw_model *m, zw_stmt *s) {
    zw_entry *e;
    int first = m->sys->nconstraint;
    ZW_TRY(sketch_rolling(m, s));
    ZW_TRY(zw_model_resolve(m, s->name, s->name_place, &e));
    for (int k = 0; k < e->value.n; k++) {
        char full[200];
        snprintf(full, sizeof full, "%.150s.%s", s->name, e->touch->suffix[k]);
        const char *name = zw_context_intern(m->ctx, full);
        if (!name)
            return zw_model_memory(m);
        ZW_TRY(zw_add_constraint(m, s, name, e->value.e[k], &e->value.d[k], s->name_place));
    }
    ZW_TRY(add_validity(m, s, e->touch));
    return s->rolling->on.sphere && !s->rolling->slips ? keep_closed(m, s, first) : ZW_OK;
}
