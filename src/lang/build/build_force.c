/* SPDX-License-Identifier: MIT */
/* Energies, dissipation, gravity, forces, torques, springs, dampers. */
#include <stdio.h>

#include "lang/model.h"

zw_status zw_build_energy(zw_model *m, zw_stmt *s) {
    zw_expr e;
    zw_dim joule = zw_model_dim(m, 1, 2, -2), watt = zw_model_dim(m, 1, 2, -3);
    switch (s->kind) {
    case ZW_ST_KINETIC:
        ZW_TRY(zw_model_scalar(m, s->value, "the kinetic energy", &joule, &e));
        return zw_system_kinetic(m->sys, e, s->place, m->err);
    case ZW_ST_POTENTIAL:
        ZW_TRY(zw_model_scalar(m, s->value, "the potential energy", &joule, &e));
        return zw_system_potential(m->sys, e, s->place, m->err);
    default:
        ZW_TRY(zw_model_scalar(m, s->value, "the dissipation", &watt, &e));
        return zw_system_dissipation(m->sys, e, s->place, m->err);
    }
}

zw_status zw_build_gravity(zw_model *m, zw_stmt *s) {
    zw_context *ctx = m->ctx;
    zw_expr g, direction[3];
    zw_dim accel = zw_model_dim(m, 0, 1, -2);
    ZW_TRY(zw_model_scalar(m, s->value, "gravity", &accel, &g));
    ZW_TRY(zw_model_vector(m, s->what, "the direction of gravity", NULL, direction, NULL));
    zw_expr square = zw_dot(ctx, 3, direction, direction);
    if (square == ZW_ZERO)
        return zw_fail_at(m->err, ZW_E_MODEL, s->what->place,
                          "gravity has no direction: it is zero");
    if (square != ZW_ONE)
        g = zw_div(ctx, g, zw_sqrt(ctx, square));
    for (int i = 0; i < 3; i++)
        direction[i] = zw_mul(ctx, g, direction[i]);
    ZW_TRY(zw_model_check_expressions(m, s->place));
    return zw_system_gravity(m->sys, direction, s->place, m->err);
}

/* ------------------------------------------------------------------------------------ forces */

/* the velocity with which a generalised force works, and the dimension of the force */
static zw_status read_target(zw_model *m, const zw_syntax *node, zw_expr *rate, zw_dim *force) {
    zw_entry *e;
    ZW_TRY(zw_model_resolve(m, node->name, node->place, &e));
    zw_dim work;
    if (e->kind == ZW_ST_COORD) {
        *rate = zw_system_rate(m->sys, e->value.e[0]);
        work = zw_model_dim(m, 1, 2, -2);
    } else if (e->kind == ZW_ST_QUASI) {
        *rate = e->value.e[0];
        work = zw_model_dim(m, 1, 2, -3);
    } else if (e->kind == ZW_ST_STATE) {
        zw_fail_at(m->err, ZW_E_MODEL, node->place, "'%s' is a state: no force acts on it",
                   node->name);
        zw_error_hint(m->err, "what changes it stands in its equation, %s' = ...", node->name);
        return ZW_E_MODEL;
    } else {
        zw_fail_at(m->err, ZW_E_NAME, node->place,
                   "'%s' is neither a coordinate nor a quasi-velocity", node->name);
        zw_error_hint(m->err,
                      "forces on points: force F at P = ...; on bodies: torque T on body = ...");
        return ZW_E_NAME;
    }
    if (!zw_dim_combine(force, &work, &e->value.d[0], -1))
        return zw_fail_at(m->err, ZW_E_UNIT, node->place, "the unit is out of all proportion");
    return ZW_OK;
}

static const char *name_or_null(const zw_stmt *s) {
    return s->name[0] ? s->name : NULL;
}

static zw_status general_force(zw_model *m, const zw_stmt *s, zw_expr *rate, zw_expr *value) {
    zw_quantity v;
    ZW_TRY(zw_model_eval(m, s->value, &v));
    if (v.n != s->n) {
        zw_fail_at(m->err, ZW_E_SYNTAX, s->value->place,
                   "%d coordinate%s, but a force with %d component%s", s->n, s->n == 1 ? "" : "s",
                   v.n, v.n == 1 ? "" : "s");
        zw_error_hint(m->err, "force (x, y) = (fx, fy)");
        return ZW_E_SYNTAX;
    }
    for (int i = 0; i < s->n; i++) {
        zw_dim force;
        ZW_TRY(read_target(m, s->list[i], &rate[i], &force));
        if (!zw_model_fits(m, &v.d[i], &force)) {
            char fmt[160];
            snprintf(fmt, sizeof fmt, "the force on '%.60s' is %%s and must be %%s",
                     s->list[i]->name);
            return zw_model_unit_mismatch(m, s->value->place, fmt, &v.d[i], &force);
        }
        value[i] = v.e[i];
    }
    return ZW_OK;
}

static zw_status point_force(zw_model *m, const zw_stmt *s, zw_expr velocity[3], zw_expr force[3]) {
    zw_expr at[3];
    zw_dim length = zw_model_dim(m, 0, 1, 0), newton = zw_model_dim(m, 1, 1, -2);
    ZW_TRY(zw_model_vector(m, s->at, "the point", &length, at, NULL));
    ZW_TRY(zw_model_vector(m, s->value, "the force", &newton, force, NULL));
    if (s->word[0]) {
        int frame;
        ZW_TRY(zw_model_frame(m, s->word, s->word_place, &frame));
        zw_frame_velocity_at(m->sys, frame, at, velocity);
    } else {
        zw_quantity rate = zw_vector_value(at, length);
        ZW_TRY(zw_quantity_rate(m, s->at->place, 1, &rate));
        for (int i = 0; i < 3; i++)
            velocity[i] = rate.e[i];
    }
    return zw_model_check_expressions(m, s->place);
}

zw_status zw_build_force(zw_model *m, zw_stmt *s) {
    zw_expr rate[ZW_TUPLE_MAX], value[ZW_TUPLE_MAX];
    if (s->n) {
        ZW_TRY(general_force(m, s, rate, value));
        return zw_system_force(m->sys, name_or_null(s), s->n, rate, value, s->place, m->err);
    }
    ZW_TRY(point_force(m, s, rate, value));
    return zw_system_force_at(m->sys, name_or_null(s), rate, value, s->place, m->err);
}

static zw_status frame_torque(zw_model *m, const zw_stmt *s, int *frame, zw_expr torque[3]) {
    zw_dim newton_metre = zw_model_dim(m, 1, 2, -2);
    ZW_TRY(zw_model_frame(m, s->word, s->word_place, frame));
    return zw_model_vector(m, s->value, "the torque", &newton_metre, torque, NULL);
}

zw_status zw_build_torque(zw_model *m, zw_stmt *s) {
    int frame;
    zw_expr torque[3];
    ZW_TRY(frame_torque(m, s, &frame, torque));
    return zw_system_torque(m->sys, name_or_null(s), frame, torque, s->place, m->err);
}

zw_status zw_force_work(zw_model *m, const zw_stmt *s, zw_expr *rate, zw_expr *value, int *n) {
    int frame;
    *n = s->n ? s->n : 3;
    if (s->n)
        return general_force(m, s, rate, value);
    if (s->kind == ZW_ST_FORCE)
        return point_force(m, s, rate, value);
    ZW_TRY(frame_torque(m, s, &frame, value));
    zw_frame_omega(m->sys, frame, rate);
    return zw_model_check_expressions(m, s->place);
}

/* ------------------------------------------------------------------------ springs and dampers */

/* d = Q - P and its rate; a `shape` is drawn between the points */
static zw_status build_link(zw_model *m, const zw_stmt *s, const char *shape, zw_expr d[3],
                            zw_expr rate[3]) {
    zw_expr p[3], q[3];
    zw_dim length = zw_model_dim(m, 0, 1, 0);
    ZW_TRY(zw_model_vector(m, s->at, "the first point", &length, p, NULL));
    ZW_TRY(zw_model_vector(m, s->to, "the second point", &length, q, NULL));
    for (int i = 0; i < 3; i++)
        d[i] = zw_sub(m->ctx, q[i], p[i]);
    zw_quantity v = zw_vector_value(d, length);
    if (zw_dot(m->ctx, 3, d, d) == ZW_ZERO)
        return zw_fail_at(m->err, ZW_E_MODEL, s->place, "the two points of '%s' are the same",
                          s->name);
    ZW_TRY(zw_quantity_rate(m, s->place, 1, &v));
    for (int i = 0; i < 3; i++)
        rate[i] = v.e[i];
    ZW_TRY(zw_sketch_span(m, s, shape, p, q));
    return zw_model_check_expressions(m, s->place);
}

/* V = k/2 (|d| - l0)^2 */
zw_status zw_build_spring(zw_model *m, zw_stmt *s) {
    zw_context *ctx = m->ctx;
    zw_expr k, rest = ZW_ZERO, d[3], rate[3];
    zw_dim stiffness = zw_model_dim(m, 1, 0, -2), length = zw_model_dim(m, 0, 1, 0);
    ZW_TRY(zw_model_scalar(m, s->value, "the stiffness", &stiffness, &k));
    if (s->what)
        ZW_TRY(zw_model_scalar(m, s->what, "the length", &length, &rest));
    ZW_TRY(build_link(m, s, "spring", d, rate));
    zw_expr square = zw_dot(ctx, 3, d, d);
    if (rest != ZW_ZERO) { /* without a free length there is no root that is singular at d = 0 */
        zw_expr stretch = zw_sub(ctx, zw_sqrt(ctx, square), rest);
        square = zw_mul(ctx, stretch, stretch);
    }
    zw_expr V = zw_mul(ctx, ZW_HALF, zw_mul(ctx, k, square));
    ZW_TRY(zw_model_check_expressions(m, s->place));
    return zw_system_potential(m->sys, V, s->place, m->err);
}

/* R = c/2 (d|d|/dt)^2 = c/2 (d . d')^2 / |d|^2 */
zw_status zw_build_damper(zw_model *m, zw_stmt *s) {
    zw_context *ctx = m->ctx;
    zw_expr c, d[3], rate[3];
    zw_dim damping = zw_model_dim(m, 1, 0, -1);
    ZW_TRY(zw_model_scalar(m, s->value, "the damping", &damping, &c));
    ZW_TRY(build_link(m, s, "damper", d, rate));
    zw_expr along = zw_dot(ctx, 3, d, rate);
    zw_expr R = zw_div(ctx, zw_mul(ctx, zw_mul(ctx, ZW_HALF, c), zw_mul(ctx, along, along)),
                       zw_dot(ctx, 3, d, d));
    ZW_TRY(zw_model_check_expressions(m, s->place));
    return zw_system_dissipation(m->sys, R, s->place, m->err);
}
