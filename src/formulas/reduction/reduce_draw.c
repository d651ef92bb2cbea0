/* SPDX-License-Identifier: MIT */
/* Drawings of the reduced model, as statements. A drawing in a frame with the axes A is one in a
 * frame that is rotated about z, x, z by
 *
 *     al = atan2(A_xz, -A_yz),    be = atan2(sqrt(A_xz^2 + A_yz^2), A_zz),
 *     ga = atan2(-B_xy, B_xx),    B = R_z(-al) A,
 *
 * which is valid for be = 0 too, for any al there. */
#include <stdio.h>
#include <string.h>

#include "reduce.h"
#include "state_text.h"

enum { ANGLES = 3 }; /* of a rotation */

static bool is_one_of(const char *shape, const char *const *names) {
    for (; *names; names++)
        if (strcmp(shape, *names) == 0)
            return true;
    return false;
}

static bool is_span(const zw_drawing *d) {
    static const char *const names[] = {"line", "link", "spring", "damper", "arrow", NULL};
    return is_one_of(d->shape, names);
}

static bool is_place(const zw_drawing *d) {
    static const char *const names[] = {"point", "trace", NULL};
    return is_one_of(d->shape, names);
}

/* A point in the components of the frame, in space. */
static void place_of(const zw_system *s, const zw_drawing *d, const zw_expr at[3], zw_expr out[3]) {
    memcpy(out, at, 3 * sizeof *out);
    if (d->frame < 0)
        return;
    const zw_frame *f = &s->frame[d->frame];
    for (int i = 0; i < 3; i++)
        out[i] = zw_add(s->ctx, f->o[i], zw_dot(s->ctx, 3, f->A + 3 * (size_t)i, at));
}

static void axes_of(const zw_system *s, const zw_drawing *d, zw_expr A[9]) {
    static const zw_expr one[9] = {ZW_ONE,  ZW_ZERO, ZW_ZERO, ZW_ZERO, ZW_ONE,
                                   ZW_ZERO, ZW_ZERO, ZW_ZERO, ZW_ONE};
    const zw_expr *outer = d->frame >= 0 ? s->frame[d->frame].A : one,
                  *inner = d->axes ? d->axes : one;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            A[3 * i + j] = zw_dot(s->ctx, 3, outer + 3 * (size_t)i,
                                  (zw_expr[]){inner[j], inner[3 + j], inner[6 + j]});
}

static zw_expr angle_expression(zw_context *ctx, zw_expr y, zw_expr x) {
    int n;
    if (y == ZW_ZERO && x == ZW_ONE)
        return ZW_ZERO;
    if (zw_expr_op(ctx, y) == ZW_OP_SIN && zw_cos(ctx, zw_expr_args(ctx, y, &n)[0]) == x)
        return zw_expr_args(ctx, y, &n)[0];
    return zw_apply(ctx, ZW_OP_ATAN2, 2, (zw_expr[]){y, x});
}

static void angles_of(zw_context *ctx, const zw_expr A[9], zw_expr out[ANGLES]) {
    if (A[2] == ZW_ZERO) { /* about x and z only */
        out[0] = ZW_ZERO;
        out[1] = A[8] == ZW_ONE ? ZW_ZERO : angle_expression(ctx, zw_neg(ctx, A[5]), A[8]);
        out[2] = angle_expression(ctx, zw_neg(ctx, A[1]), A[0]);
        return;
    }
    zw_expr across = zw_add(ctx, zw_mul(ctx, A[2], A[2]), zw_mul(ctx, A[5], A[5]));
    out[0] = angle_expression(ctx, A[2], zw_neg(ctx, A[5]));
    out[1] = angle_expression(ctx, zw_sqrt(ctx, across), A[8]);
    zw_expr turn[2] = {zw_cos(ctx, out[0]), zw_sin(ctx, out[0])};
    out[2] = angle_expression(ctx, zw_neg(ctx, zw_dot(ctx, 2, turn, (zw_expr[]){A[1], A[4]})),
                              zw_dot(ctx, 2, turn, (zw_expr[]){A[0], A[3]}));
}

int zw_reduce_drawing(const zw_system *s, const zw_drawing *d, zw_expr out[ZW_REDUCE_DRAWN]) {
    int n = 3;
    place_of(s, d, d->at, out);
    if (is_place(d))
        return n;
    if (is_span(d)) {
        place_of(s, d, d->numbers, out + 3);
        if (d->n > 3)
            out[6] = d->numbers[3];
        return d->n > 3 ? 7 : 6;
    }
    axes_of(s, d, out + n);
    n += 9;
    for (int i = 0; i < d->n && n < ZW_REDUCE_DRAWN; i++)
        out[n++] = d->numbers[i];
    return n;
}

int zw_reduce_drawing_turns(zw_context *ctx, const zw_drawing *d, int n, zw_expr *e) {
    zw_expr turn[ANGLES];
    if (is_place(d) || is_span(d))
        return n;
    angles_of(ctx, e + 3, turn);
    memcpy(e + 3, turn, sizeof turn);
    memmove(e + 3 + ANGLES, e + 12, (size_t)(n - 12) * sizeof *e);
    return n - 9 + ANGLES;
}

/* ------------------------------------------------------------------------------------- text */

static void put_list(zw_state_text *t, int n, const zw_expr *e) {
    for (int i = 0; i < n; i++) {
        zw_text_put(t->out, i ? ", " : "(");
        zw_state_text_expr(t, e[i]);
    }
    zw_text_put(t->out, ")");
}

static void put_appearance(zw_state_text *t, const zw_drawing *d, bool hole) {
    const char *colour = d->colour && d->colour[0] ? d->colour : hole ? "black" : NULL;
    if (colour)
        zw_text_printf(t->out, " colour %s", colour);
    zw_text_put(t->out, d->clear ? " clear\n" : "\n");
}

/* A part that is cut out of a solid is drawn black, slightly larger. */
static void put_solid(zw_state_text *t, const zw_drawing *d, int number, int n, const zw_expr *e) {
    static const char axis[] = "zxz";
    bool hole = strncmp(d->shape, "hole ", 5) == 0;
    zw_text_printf(t->out, "frame drawn_%d :", number);
    for (int i = 0; i < ANGLES; i++)
        if (e[3 + i] != ZW_ZERO) {
            zw_text_printf(t->out, " rotate %c ", axis[i]);
            zw_state_text_expr(t, e[3 + i]);
        }
    zw_text_put(t->out, " at ");
    put_list(t, 3, e);
    if (strcmp(d->shape, "axes") == 0) {
        zw_text_printf(t->out, "\ndraw drawn_%d", number);
    } else {
        zw_expr size[3] = {ZW_ONE, ZW_ONE, ZW_ONE};
        for (int i = 0; i < 3 && 6 + i < n; i++)
            size[i] = hole ? zw_mul(t->ctx, zw_rational(t->ctx, 51, 50), e[6 + i]) : e[6 + i];
        if (hole)
            size[0] = e[6];
        zw_text_printf(t->out, "\ndraw %s", d->shape + (hole ? 5 : 0));
        put_list(t, n - 6, size);
        zw_text_printf(t->out, " on drawn_%d", number);
    }
    put_appearance(t, d, hole);
}

void zw_reduce_put_drawing(zw_state_text *t, const zw_drawing *d, int number, int n,
                           const zw_expr *e) {
    if (is_span(d)) {
        zw_text_printf(t->out, "draw %s ", d->shape);
        put_list(t, 3, e);
        zw_text_put(t->out, " to ");
        put_list(t, 3, e + 3);
        if (n > 6) {
            zw_text_put(t->out, " radius ");
            zw_state_text_expr(t, e[6]);
        }
        put_appearance(t, d, false);
    } else if (!is_place(d)) {
        put_solid(t, d, number, n, e);
    } else {
        bool trace = strcmp(d->shape, "trace") == 0;
        if (!trace)
            zw_text_printf(t->out, "point drawn_%d : ", number);
        else
            zw_text_put(t->out, "trace ");
        put_list(t, 3, e);
        if (!trace)
            zw_text_printf(t->out, "\ndraw drawn_%d", number);
        put_appearance(t, d, false);
    }
}
