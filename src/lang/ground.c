/* SPDX-License-Identifier: MIT */
/* Supports, and the disc over a plane n . (x - o) = h: a its axis, s = |n x a| the sine of its
 * inclination,
 *     l = n x a / s   horizontal, the direction of rolling
 *     e = a x l       in the disc, as close to n as possible, n . e = s.
 * If the inclination is an angle, s is its sine and no root is needed; the angle is then assumed to
 * be where that sine is positive, which a note reports. A disc that lies flat has no lowest point:
 * its equations are no longer those of a contact, although angles may pass through s = 0 without an
 * error. It is therefore valid for s > 1/1000 only (s^2 > 1e-6 where s is a root). */
#include "ground.h"

#include <stdio.h>
#include <string.h>

#include "lang/build/build_contact.h"
#include "vector.h"

/* Sine of the inclination below which a disc counts as flat. Chosen by trial: separates discs that
 * spin down from angles that pass through 0 between two steps of an integration. */
#define FLAT_SINE zw_rational(ctx, 1, 1000)

/* ------------------------------------------------------------------------------- supports */

static zw_status read_plane(zw_model *m, zw_ground *g) {
    static const zw_expr up[3] = {ZW_ZERO, ZW_ZERO, ZW_ONE};
    zw_dim length = zw_model_dim(m, 0, 1, 0);
    memcpy(g->own, up, sizeof up);
    if (g->spec->normal)
        ZW_TRY(zw_model_axis(m, g->spec->normal, g->own));
    zw_frame_vector(m->sys, g->frame, g->own, g->n);
    memcpy(g->o, m->sys->frame[g->frame].o, sizeof g->o);
    g->height = ZW_ZERO;
    if (!g->spec->height)
        return ZW_OK;
    return zw_model_scalar(m, g->spec->height, "the height of the plane", &length, &g->height);
}

static zw_status read_sphere(zw_model *m, zw_ground *g) {
    zw_dim length = zw_model_dim(m, 0, 1, 0);
    memcpy(g->centre, m->sys->frame[g->frame].o, sizeof g->centre);
    if (g->spec->centre)
        ZW_TRY(zw_model_vector(m, g->spec->centre, "the centre of the sphere", &length, g->centre,
                               NULL));
    return zw_model_scalar(m, g->spec->radius, "the radius of the sphere", &length, &g->radius);
}

zw_status zw_ground_read(zw_model *m, const zw_support *spec, zw_ground *g) {
    *g = (zw_ground){.spec = spec};
    if (spec->frame[0])
        ZW_TRY(zw_model_frame(m, spec->frame, spec->frame_place, &g->frame));
    return spec->sphere ? read_sphere(m, g) : read_plane(m, g);
}

void zw_ground_velocity(zw_model *m, const zw_ground *g, const zw_expr x[3], zw_expr out[3]) {
    if (g->spec->frame[0])
        zw_frame_velocity_at(m->sys, g->frame, x, out);
    else
        for (int i = 0; i < 3; i++) /* at rest, or moving with the centre of the sphere */
            out[i] = g->spec->centre ? zw_system_dt(m->sys, g->centre[i]) : ZW_ZERO;
}

void zw_ground_omega(zw_model *m, const zw_ground *g, zw_expr out[3]) {
    zw_frame_omega(m->sys, g->frame, out);
}

zw_expr zw_ground_above(zw_model *m, const zw_ground *g, const zw_expr x[3]) {
    zw_expr from[3];
    zw_vector_along(m->ctx, x, ZW_MINUS_ONE, g->o, from);
    return zw_sub(m->ctx, zw_dot(m->ctx, 3, g->n, from), g->height);
}

void zw_ground_directions(zw_model *m, const zw_ground *g, zw_expr t[2][3]) {
    zw_expr own[2][3];
    bool still = !zw_model_variable(m, g->n[0]) && !zw_model_variable(m, g->n[1]) &&
                 !zw_model_variable(m, g->n[2]);
    zw_vector_across(m->ctx, still ? g->n : g->own, own);
    for (int k = 0; k < 2; k++)
        zw_frame_vector(m->sys, still ? 0 : g->frame, own[k], t[k]);
}

/* ------------------------------------------------------------------------------- the disc */

zw_status zw_disc_read(zw_model *m, const zw_syntax *node, const zw_rim *rim, zw_expr radius,
                       zw_disc *d) {
    d->word = rim->torus ? "ring" : "disc";
    d->radius = radius;
    d->round = ZW_ZERO;
    if (!rim->round)
        return ZW_OK;
    ZW_TRY(zw_contact_number(m, rim->round,
                             rim->torus ? "the radius of the wire" : "the radius of the fillet",
                             zw_model_dim(m, 0, 1, 0), ZW_NOT_NEGATIVE, &d->round));
    if (rim->torus)
        return ZW_OK;
    d->radius = zw_sub(m->ctx, radius, d->round);
    return zw_contact_in_range(m, node, "the radius less that of the fillet", ZW_POSITIVE,
                               d->radius);
}

/* the root of a perfect square, such as sin(b)^2; else sqrt */
static zw_expr square_root(zw_context *ctx, zw_expr square) {
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

/* notes the branch of the angle: where its sine is positive */
static zw_status note_branch(zw_model *m, const zw_stmt *s, const zw_disc *d) {
    char *text = zw_print_within(m->ctx, d->sine, ZW_TEXT, 2000), sentence[300];
    snprintf(sentence, sizeof sentence,
             "the lowest point of the %s in '%.60s' (line %d) is that for %.120s > 0", d->word,
             s->name, s->place.line, text ? text : "(a long expression)");
    zw_string_free(m->ctx, text);
    return zw_model_note(m, sentence);
}

zw_status zw_disc_over(zw_model *m, const zw_ground *g, int frame, const char *body, zw_place place,
                       const zw_stmt *s, zw_disc *d) {
    zw_context *ctx = m->ctx;
    for (int i = 0; i < 3; i++)
        d->axis[i] = m->sys->frame[frame].A[3 * i + 2];
    d->cosine = zw_vector_dot(ctx, g->n, d->axis);
    zw_expr square = zw_sub(ctx, ZW_ONE, zw_mul(ctx, d->cosine, d->cosine));
    zw_vector_tidy(ctx, 1, &square);
    if (square == ZW_ZERO) {
        zw_fail_at(m->err, ZW_E_MODEL, place, "the %s '%s' lies flat on the plane", d->word, body);
        zw_error_hint(m->err, "the axis of the %s is the z axis of its frame: turn that frame",
                      d->word);
        return ZW_E_MODEL;
    }
    d->sine = square_root(ctx, square);
    bool rooted = d->sine == zw_sqrt(ctx, square);
    d->lean = rooted ? zw_sub(ctx, square, zw_pow(ctx, FLAT_SINE, ZW_TWO))
                     : zw_sub(ctx, d->sine, FLAT_SINE);
    zw_vector_cross(ctx, g->n, d->axis, d->level);
    for (int i = 0; i < 3; i++)
        d->along[i] = zw_div(ctx, d->level[i], d->sine);
    zw_vector_tidy(ctx, 3, d->along);
    zw_vector_cross(ctx, d->axis, d->along, d->up);
    ZW_TRY(zw_model_check_expressions(m, place));
    return rooted || zw_expr_is_number(ctx, d->sine) ? ZW_OK : note_branch(m, s, d);
}

/* ------------------------------------------------------------------------------- pictures */

zw_status zw_sketch_unless_shaped(zw_model *m, const zw_stmt *s, const char *shape,
                                  const char *body, zw_place place, int frame, int n,
                                  const zw_expr *lengths) {
    zw_entry *e;
    ZW_TRY(zw_model_resolve(m, body, place, &e));
    if (e->kind == ZW_ST_BODY && zw_body_has_shape(e))
        return ZW_OK;
    return zw_sketch_shape(m, s, shape, body, frame, NULL, n, lengths);
}

zw_status zw_disc_sketch(zw_model *m, const zw_stmt *s, const char *body, zw_place place, int frame,
                         const zw_rim *rim, zw_expr radius, const zw_disc *d) {
    return zw_sketch_unless_shaped(m, s, rim->torus ? "torus" : "disk", body, place, frame,
                                   rim->round ? 2 : 1, (zw_expr[]){radius, d->round});
}

zw_status zw_ground_sketch(zw_model *m, const zw_stmt *s, const zw_ground *g, const char *body) {
    if (g->spec->sphere)
        return zw_sketch_shape(m, s, g->spec->inside ? "shell" : "sphere", s->name, -1, g->centre,
                               1, &g->radius);
    zw_expr plane[4] = {g->own[0], g->own[1], g->own[2], g->height};
    return zw_sketch_shape(m, s, "support", body, g->frame, NULL, 4, plane);
}
