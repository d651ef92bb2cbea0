/* SPDX-License-Identifier: MIT */
/* Frames. A rotated frame turns by angle phi about a unit axis a of its parent (Rodrigues):
 *     R = cos(phi) 1 + (1 - cos(phi)) a a' + sin(phi) a~,   A = A_parent R,
 *     w = R' w_parent + a phi'                    (own components; the axis is the same in both).
 * A moved frame has its parent's axes and another origin. Points of the frame's body move with
 *     v = v_origin + omega x (r - r_origin)          (inertial components). */
#include <string.h>

#include "build.h"

static zw_status new_frame(zw_system *s, const char *name, int parent, zw_place place,
                           zw_frame **out, zw_error *err) {
    if (s->finished)
        return zw_fail_at(err, ZW_E_MODEL, place, "the system is finished: nothing can be added");
    if (parent < 0 || parent >= s->nframe)
        return zw_fail_at(err, ZW_E_MODEL, place, "the frame %s has no parent", name);
    if (!zw_mech_grow(s->ctx, (void **)&s->frame, s->nframe, &s->store->frame_capacity,
                      sizeof *s->frame))
        return zw_mech_status(s, place, err);
    zw_frame *f = &s->frame[s->nframe];
    *f = s->frame[parent];
    f->name = zw_context_intern(s->ctx, name);
    f->quaternion = -1;
    f->in_space = false;
    f->place = place;
    *out = f;
    return zw_mech_status(s, place, err);
}

zw_status zw_system_frame_rotated(zw_system *s, const char *name, int parent, const zw_expr axis[3],
                                  zw_expr angle, zw_place place, int *frame, zw_error *err) {
    zw_context *ctx = s->ctx;
    zw_frame *f = NULL;
    ZW_TRY(zw_mech_check_symbols(s, angle, WITH_TIME | WITH_Q, "the angle of a frame", place, err));
    ZW_TRY(new_frame(s, name, parent, place, &f, err));
    zw_expr c = zw_cos(ctx, angle), sn = zw_sin(ctx, angle), R[9], A[9];
    zw_expr versine = zw_sub(ctx, ZW_ONE, c);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            zw_expr entry = zw_product(ctx, 3, (zw_expr[]){versine, axis[i], axis[j]});
            if (i == j) {
                entry = zw_add(ctx, entry, c);
            } else {
                /* a~ has -a_k above and a_k below the diagonal, cyclically */
                zw_expr turn = zw_mul(ctx, sn, axis[3 - i - j]);
                entry = (j - i + 3) % 3 == 1 ? zw_sub(ctx, entry, turn) : zw_add(ctx, entry, turn);
            }
            R[3 * i + j] = entry;
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            A[3 * i + j] =
                zw_dot(ctx, 3, f->A + 3 * (size_t)i, (zw_expr[]){R[j], R[j + 3], R[j + 6]});
    zw_expr rate = zw_system_dt(s, angle);
    zw_expr inertial_axis[3];
    zw_rotate(ctx, f->A, axis, inertial_axis);
    zw_rotate_back(ctx, R, f->w, f->w);
    for (int i = 0; i < 3; i++) {
        f->w[i] = zw_add(ctx, f->w[i], zw_mul(ctx, axis[i], rate));
        f->omega[i] = zw_add(ctx, f->omega[i], zw_mul(ctx, inertial_axis[i], rate));
    }
    memcpy(f->A, A, sizeof A);
    *frame = s->nframe++;
    return zw_mech_status(s, place, err);
}

zw_status zw_system_frame_moved(zw_system *s, const char *name, int parent, const zw_expr origin[3],
                                zw_place place, int *frame, zw_error *err) {
    zw_frame *f = NULL;
    ZW_TRY(new_frame(s, name, parent, place, &f, err));
    for (int i = 0; i < 3; i++) {
        f->o[i] = origin[i];
        f->vo[i] = zw_system_dt(s, origin[i]);
    }
    *frame = s->nframe++;
    return zw_mech_status(s, place, err);
}

int zw_system_find_frame(const zw_system *s, const char *name) {
    for (int i = 0; i < s->nframe; i++)
        if (strcmp(s->frame[i].name, name) == 0)
            return i;
    return -1;
}

void zw_frame_vector(const zw_system *s, int frame, const zw_expr own[3], zw_expr out[3]) {
    zw_rotate(s->ctx, s->frame[frame].A, own, out);
}

void zw_frame_omega(const zw_system *s, int frame, zw_expr out[3]) {
    memcpy(out, s->frame[frame].omega, sizeof s->frame[frame].omega);
}

void zw_frame_velocity_at(const zw_system *s, int frame, const zw_expr r[3], zw_expr out[3]) {
    zw_context *ctx = s->ctx;
    const zw_frame *f = &s->frame[frame];
    zw_expr arm[3];
    for (int i = 0; i < 3; i++)
        arm[i] = zw_sub(ctx, r[i], f->o[i]);
    zw_cross(ctx, f->omega, arm, out);
    for (int i = 0; i < 3; i++)
        out[i] = zw_add(ctx, f->vo[i], out[i]);
}
