/* SPDX-License-Identifier: MIT */
/* Displacements that may be symmetries of the motion: vector fields X on the states.
 *
 * A field of displacements dq = F pi(q, t), in quasi-coordinates pi, changes the velocities by
 * Hamel's relation (2) of system.h,
 *
 *     X = (F pi, pi' + Gamma pi),
 *
 * and velocities u = P(t, q, v) of other equations by X_u = P_q F pi + P_v (pi' + Gamma pi). The
 * list contains
 *
 *     shifts of every coordinate and state,
 *     rotations of two coordinates of the same unit, x dy - y dx, that occur in one position (of
 *     all pairs, if there are few coordinates),
 *     rotations of every free rotation, and of every frame with three angles of its own, about axes
 *     of space (left) and of the body (right).
 *
 * Whether a combination of them commutes with the motion is found numerically
 * (src/motion/steady/symmetry.c), so a field that is not a symmetry does no harm here. */
#include <stdio.h>
#include <string.h>

#include "mech/system/build.h"

enum { PAIRS_OF_MAX = 12 }; /* coordinates of one unit, of which all pairs are tried */

typedef struct fields { /* while they are listed */
    const zw_equations *eq;
    const zw_system *s;
    zw_context *ctx;
    zw_expr *q, *v;     /* symbols of the system */
    zw_expr *pi;        /* nv */
    zw_expr *direction; /* nq + nv: change of q and v of the system */
    zw_expr *symbol;    /* nq + nv */
    zw_displacement *out;
    int n, size;
    zw_error *err;
} fields;

static void clear_field(fields *f) {
    for (int k = 0; k < f->s->nv; k++)
        f->pi[k] = ZW_ZERO;
}

/* pi of a displacement of coordinate j by value; false if no velocity produces it */
static bool displace_coordinate(fields *f, int j, zw_expr value) {
    const zw_system *s = f->s;
    for (int g = 0; g < s->store->ngroup; g++) {
        const quasi_group *group = &s->store->group[g];
        for (int c = 0; c < group->n; c++)
            if (group->coord[c] == j) {
                for (int i = 0; i < group->n; i++) {
                    zw_expr *to = &f->pi[group->velocity[i]];
                    *to = zw_add(f->ctx, *to, zw_mul(f->ctx, group->A[i * group->n + c], value));
                }
                return true;
            }
    }
    for (int k = 0; k < s->nv; k++)
        if (s->velocity[k].coord == j) {
            f->pi[k] = zw_add(f->ctx, f->pi[k], value);
            return true;
        }
    return false;
}

/* --------------------------------------------------------------------------------- from pi to X */

/* (F pi, pi' + Gamma pi) */
static void lift_field(fields *f) {
    const zw_system *s = f->s;
    int nv = s->nv;
    for (int i = 0; i < s->nq; i++)
        f->direction[i] = zw_dot(f->ctx, nv, s->F + (size_t)i * (size_t)nv, f->pi);
    for (int k = 0; k < nv; k++)
        f->direction[s->nq + k] =
            zw_add(f->ctx, zw_system_dt(s, f->pi[k]),
                   zw_dot(f->ctx, nv, s->Gamma + (size_t)k * (size_t)nv, f->pi));
}

/* the change of q and v of the equations */
static zw_status into_equations(fields *f, zw_expr *x) {
    const zw_equations *eq = f->eq;
    int n = f->s->nq + f->s->nv;
    for (int i = 0; i < eq->nq; i++)
        x[i] = f->direction[i];
    for (int k = 0; k < eq->nv; k++)
        x[eq->nq + k] = eq->from_system
                            ? zw_along(f->ctx, eq->from_system[k], n, f->symbol, f->direction)
                            : f->direction[eq->nq + k];
    return zw_equations_translate(eq, eq->nq + eq->nv, x, f->err);
}

static bool is_nothing(int n, const zw_expr *x) {
    for (int i = 0; i < n; i++)
        if (x[i] != ZW_ZERO)
            return false;
    return true;
}

/* an equal field that is listed already; NULL if there is none */
static zw_displacement *find_field(const fields *f, const zw_expr *x) {
    size_t size = sizeof *x * (size_t)(f->eq->nq + f->eq->nv);
    for (int i = 0; i < f->n; i++)
        if (memcmp(f->out[i].x, x, size) == 0)
            return &f->out[i];
    return NULL;
}

/* adds the field of f->direction unless it is listed already: the shift of a body's last angle is
 * also a rotation about its own axis */
static zw_status add_field(fields *f, zw_displacement_kind kind, int index, int axis) {
    int nx = f->eq->nq + f->eq->nv;
    zw_expr *x = ZW_CONTEXT_NEW(f->ctx, zw_expr, nx);
    if (!x || !zw_mech_grow(f->ctx, (void **)&f->out, f->n, &f->size, sizeof *f->out))
        return zw_context_status(f->ctx, f->err);
    ZW_TRY(into_equations(f, x));
    if (is_nothing(nx, x))
        return zw_context_status(f->ctx, f->err);
    zw_displacement *same = find_field(f, x);
    if (!same) {
        same = &f->out[f->n++];
        *same = (zw_displacement){.kind = kind, .index = index, .axis = axis, .x = x};
    }
    same->own |= kind == ZW_DISPLACE_TURN_OWN;
    return zw_context_status(f->ctx, f->err);
}

/* --------------------------------------------------------------------------------------- shifts */

static bool is_quaternion(const zw_system *s, int coord) {
    for (int j = 0; j < s->nframe; j++)
        if (s->frame[j].quaternion >= 0 && coord >= s->frame[j].quaternion &&
            coord < s->frame[j].quaternion + 4)
            return true;
    return false;
}

static zw_status put_shifts(fields *f) {
    const zw_system *s = f->s;
    for (int j = 0; j < s->nq; j++) {
        if (is_quaternion(s, j))
            continue;
        clear_field(f);
        bool moves = displace_coordinate(f, j, ZW_ONE);
        lift_field(f);
        if (!moves) /* a state: velocities do not change */
            f->direction[j] = ZW_ONE;
        ZW_TRY(add_field(f, ZW_DISPLACE_SHIFT, j, -1));
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------- turns of coordinates */

static bool has_coordinate(const fields *f, const zw_expr r[3], int j) {
    return zw_depends(f->ctx, r[0], f->q[j]) || zw_depends(f->ctx, r[1], f->q[j]) ||
           zw_depends(f->ctx, r[2], f->q[j]);
}

/* true if both occur in one position */
static bool are_together(const fields *f, int i, int j) {
    const zw_system *s = f->s;
    for (int k = 0; k < s->nparticle; k++)
        if (has_coordinate(f, s->particle[k].r, i) && has_coordinate(f, s->particle[k].r, j))
            return true;
    for (int k = 0; k < s->nbody; k++)
        if (has_coordinate(f, s->body[k].r, i) && has_coordinate(f, s->body[k].r, j))
            return true;
    return false;
}

static int count_like(const zw_system *s, int j) {
    int n = 0;
    for (int i = 0; i < s->nq; i++)
        n += strcmp(s->coord[i].unit, s->coord[j].unit) == 0;
    return n;
}

static bool may_turn(const fields *f, int i, int j) {
    const zw_system *s = f->s;
    const zw_coord *a = &s->coord[i], *b = &s->coord[j];
    if (strcmp(a->unit, b->unit) != 0 || strcmp(a->unit, "rad") == 0 || a->state != b->state)
        return false;
    if (a->period || b->period || is_quaternion(s, i) || is_quaternion(s, j))
        return false;
    return count_like(s, i) <= PAIRS_OF_MAX || are_together(f, i, j);
}

static zw_status put_turn(fields *f, int i, int j) {
    zw_expr minus = zw_neg(f->ctx, f->q[j]);
    clear_field(f);
    bool moves = displace_coordinate(f, i, minus) && displace_coordinate(f, j, f->q[i]);
    lift_field(f);
    if (!moves) {
        f->direction[i] = minus;
        f->direction[j] = f->q[i];
    }
    return add_field(f, ZW_DISPLACE_TURN, i, j);
}

static zw_status put_turns(fields *f) {
    for (int i = 0; i < f->s->nq; i++)
        for (int j = i + 1; j < f->s->nq; j++)
            if (may_turn(f, i, j))
                ZW_TRY(put_turn(f, i, j));
    return ZW_OK;
}

/* ------------------------------------------------------------------------------ turns of frames */

/* true if the angular velocity in inertial components is E v[column], with three columns */
static bool three_columns(const fields *f, const zw_frame *frame, int column[3], zw_expr E[9]) {
    int n = 0;
    for (int k = 0; k < f->s->nv; k++) {
        zw_expr e[3];
        for (int i = 0; i < 3; i++)
            e[i] = zw_diff(f->ctx, frame->omega[i], f->v[k]);
        if (is_nothing(3, e))
            continue;
        if (n == 3)
            return false;
        for (int i = 0; i < 3; i++)
            E[3 * i + n] = e[i];
        column[n++] = k;
    }
    return n == 3;
}

/* pi[column] = E^-1 w by Cramer's rule */
static void solve_three(fields *f, const int column[3], const zw_expr E[9], const zw_expr w[3]) {
    zw_context *ctx = f->ctx;
    zw_expr cross[9], determinant = ZW_ZERO; /* rows: cross products of the other two columns */
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 3; i++) {
            int a = (c + 1) % 3, b = (c + 2) % 3, j = (i + 1) % 3, k = (i + 2) % 3;
            cross[3 * c + i] = zw_sub(ctx, zw_mul(ctx, E[3 * j + a], E[3 * k + b]),
                                      zw_mul(ctx, E[3 * k + a], E[3 * j + b]));
        }
    for (int i = 0; i < 3; i++)
        determinant = zw_add(ctx, determinant, zw_mul(ctx, E[3 * i], cross[i]));
    zw_shorten(ctx, 1, &determinant);
    clear_field(f);
    for (int c = 0; c < 3 && determinant != ZW_ZERO; c++)
        f->pi[column[c]] = zw_div(ctx, zw_dot(ctx, 3, cross + 3 * (size_t)c, w), determinant);
    zw_shorten(ctx, f->s->nv, f->pi);
}

static int first_velocity(const fields *f, const zw_frame *frame) {
    const zw_expr *w = frame->in_space ? frame->omega : frame->w;
    int first = 0;
    while (f->v[first] != w[0])
        first++;
    return first;
}

/* the same for a free rotation, whose velocities are components in space or in the body */
static void turn_freely(fields *f, const zw_frame *frame, int axis, bool own) {
    int first = first_velocity(f, frame);
    clear_field(f);
    for (int i = 0; i < 3; i++)
        f->pi[first + i] = own != frame->in_space ? (i == axis ? ZW_ONE : ZW_ZERO)
                                                  : frame->A[own ? 3 * i + axis : 3 * axis + i];
}

/* a rotation of the frame with unit angular velocity about an axis of space or its own */
static zw_status put_frame_turn(fields *f, int j, int axis, bool own) {
    const zw_frame *frame = &f->s->frame[j];
    int column[3];
    zw_expr E[9], w[3]; /* inertial components */
    for (int i = 0; i < 3; i++)
        w[i] = own ? frame->A[3 * i + axis] : i == axis ? ZW_ONE : ZW_ZERO;
    if (frame->quaternion >= 0)
        turn_freely(f, frame, axis, own);
    else if (three_columns(f, frame, column, E))
        solve_three(f, column, E, w);
    else
        return ZW_OK;
    lift_field(f);
    return add_field(f, own ? ZW_DISPLACE_TURN_OWN : ZW_DISPLACE_TURN_SPACE, j, axis);
}

static zw_status put_frames(fields *f) {
    for (int j = 1; j < f->s->nframe; j++)
        for (int k = 0; k < 6; k++)
            ZW_TRY(put_frame_turn(f, j, k % 3, k >= 3));
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------------ all */

zw_status zw_equations_displacements(const zw_equations *eq, zw_displacement **out, int *n,
                                     zw_error *err) {
    const zw_system *s = eq->sys;
    int nx = s->nq + s->nv;
    fields f = {.eq = eq, .s = s, .ctx = s->ctx, .err = err};
    f.symbol = ZW_CONTEXT_NEW(s->ctx, zw_expr, nx);
    f.direction = ZW_CONTEXT_NEW(s->ctx, zw_expr, nx);
    f.pi = ZW_CONTEXT_NEW(s->ctx, zw_expr, s->nv);
    if (!f.symbol || !f.direction || !f.pi)
        return zw_context_status(s->ctx, err);
    f.q = f.symbol;
    f.v = f.symbol + s->nq;
    zw_mech_symbols(s, f.q, f.v, NULL);
    ZW_TRY(put_shifts(&f));
    ZW_TRY(put_turns(&f));
    ZW_TRY(put_frames(&f));
    *out = f.out;
    *n = f.n;
    return zw_context_status(s->ctx, err);
}

void zw_displacement_name(const zw_system *s, const zw_displacement *field, char *out,
                          size_t size) {
    static const char axis[] = "xyz";
    switch (field->kind) {
    case ZW_DISPLACE_SHIFT:
        snprintf(out, size, "%s", s->coord[field->index].name);
        break;
    case ZW_DISPLACE_TURN:
        snprintf(out, size, "turn(%s, %s)", s->coord[field->index].name,
                 s->coord[field->axis].name);
        break;
    case ZW_DISPLACE_TURN_SPACE:
        snprintf(out, size, "turn(%s, %c)", s->frame[field->index].name, axis[field->axis]);
        break;
    case ZW_DISPLACE_TURN_OWN:
        snprintf(out, size, "turn(%s, own %c)", s->frame[field->index].name, axis[field->axis]);
        break;
    }
}
