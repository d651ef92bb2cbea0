/* SPDX-License-Identifier: MIT */
/* Contacts of bodies of a known shape. n is the unit normal of the support, t1 and t2 are
 * tangential, C is the point of contact, rho = C - c its position relative to the centre c of the
 * body, w and ws are the angular velocities of body and support. With these
 *
 *     V = c' - vs(C),   u = V + w x rho      velocity of the body relative to the support at C
 *     gap' = n . u,     slip u . t1, u . t2,
 *     spin n . (w - ws),     roll t1 . (w - ws), t2 . (w - ws),
 *     contour t . rho'                       rho' in the axes of the body: the point of contact
 *                                            moves over it.
 *
 * Sphere on a plane:   rho = -r n,   gap n . (c - o) - h - r,   rho' = r (w - ws) x n.
 *
 * Disc on a plane: a is its axis, s, l, e as in ground.c, k = n . a, r the radius of its edge, p
 * that of its rounding, 0 if it is thin. rho = -r e - p n, gap n . (c - o) - h - r s - p, and since
 * e x n = k l, e x l = -a, e x (n x l) = -s l,
 *
 *     u . n = V . n - r k w . l,
 *     u . l = V . l + r w . a - p w . (n x l),
 *     u . (n x l) = V . (n x l) + r w . (n x a) + p w . l.
 *
 * The point of contact moves around the rim and over the rounding:
 *
 *     rho' . l = -r ((w - ws) . a - (k/s) (w - ws) . e) + p (w - ws) . (n x l),
 *     rho' . (n x l) = -p (w - ws) . l.
 *
 * (Sailer 2023, (3.62), prints the second term with the other sign.)
 *
 * Three points of a disc: C1 is the lowest, rho1 = -r e - p n; the others are 120 degrees from it,
 * rho = r e/2 +- sqrt(3)/2 r l - p n. A flat disc has no direction l; to define one,
 *
 *     l = k/|k|,   k = n x a + eps (t1 - (t1 . a) a),   eps = 1e-6,
 *
 * which is n x a/s for inclinations above eps and t1 for the flat disc: still three points of the
 * rim. gap = n . (c + rho - o) - h. Its rate is here n . u, that of the three material points, not
 * of points that travel around the rim: when flat, the disc rests on these. The first point moves
 * along l by g = -r ((w - ws) . a s^2 - k s (w - ws) . e)/(s^2 + eps^2), 0 for the flat disc; its
 * contour is g for a thin disc, else t . (g l + p (w - ws) x n). The others have none.
 *
 * Sphere on a sphere: d = c - P, q = R + r outside, R - r inside, |d| = sqrt(d . d + (1e-9 q)^2)
 * inside, which is nonzero for a ball in the middle of its cavity, |d| = sqrt(d . d) outside:
 *
 *     n = d/|d|, gap |d| - q outside;   n = -d/|d|, gap q - |d| inside
 *     u = c' - P' - (r w +- R ws) x n,   rho = -r n,   rho' = -r (n' - w x n),
 *     n' = +- (d' - n (n . d'))/|d|.
 *
 * Ellipsoid on a plane: A its half axes, in its own axes nb = n, h = |A nb|: rho = -A^2 nb/h,
 *
 *     gap n . (c - o) - height - h,
 *     rho' = -(A^2/h) (nb' - nb (nb . A^2 nb')/h^2),   nb' = -(w - ws) x nb.
 *
 * Corners of a box, the two ends of a rod, or one point: C is fixed in the body;
 *
 *     plane: gap n . (C - o) - h;      sphere: n = +- (C - P)/|C - P|, gap +- (|C - P| - R).
 *
 * Corners with the same velocity in every motion (those across the plane of a plane motion) are
 * one.
 *
 * Point on a surface F(x, y, z) = 0 in the axes of a frame: gap F/|grad F|, n = grad F/|grad F|. */
#include "build_contact.h"

#include <string.h>

#include "lang/ground.h"
#include "lang/vector.h"
#include "mech/system/build.h"

/* The quantities in the formulas above. */
typedef struct geometry {
    zw_model *m;
    const zw_stmt *s;
    const zw_geometry *spec;
    int frame;           /* of the body; -1: a point without a body */
    zw_expr c[3], v[3];  /* centre and its velocity */
    zw_expr w[3], by[3]; /* w, w - ws */
    zw_expr r;
    zw_disc disc;
    zw_ground on;
    zw_expr n[3], t[2][3];
} geometry;

/* ------------------------------------------------------------------------------ common
 * functions */

static zw_status read_body(geometry *k) {
    const zw_geometry *g = k->spec;
    zw_model *m = k->m;
    int support = 0;
    if (g->on.frame[0])
        ZW_TRY(zw_model_frame(m, g->on.frame, g->on.frame_place, &support));
    k->frame = -1;
    if (!g->body[0])
        return ZW_OK;
    ZW_TRY(zw_model_frame(m, g->body, g->place, &k->frame));
    if (k->frame == support)
        return zw_fail_at(m->err, ZW_E_MODEL, g->place, "'%s' cannot touch itself", g->body);
    const zw_frame *f = &m->sys->frame[k->frame];
    zw_expr ws[3];
    zw_frame_omega(m->sys, support, ws);
    memcpy(k->c, f->o, sizeof k->c);
    memcpy(k->v, f->vo, sizeof k->v);
    memcpy(k->w, f->omega, sizeof k->w);
    zw_vector_along(m->ctx, k->w, ZW_MINUS_ONE, ws, k->by);
    return ZW_OK;
}

/* V = v - vs(C), with the velocity of a height that changes */
static void against_ground(const geometry *k, const zw_expr at[3], zw_expr V[3]) {
    zw_expr vs[3], rise = zw_system_dt(k->m->sys, k->on.height);
    zw_ground_velocity(k->m, &k->on, at, vs);
    zw_vector_along(k->m->ctx, vs, rise, k->n, vs);
    zw_vector_along(k->m->ctx, k->v, ZW_MINUS_ONE, vs, V);
}

static zw_expr project_vector(const geometry *k, const zw_expr a[3], const zw_expr b[3]) {
    return zw_vector_dot(k->m->ctx, a, b);
}

/* Rows that are zero for any state, like those across the plane of a plane motion, are left out. */
static int copy_rows(const geometry *k, int n, zw_expr *rows, zw_expr (*direction)[3]) {
    int kept = 0;
    for (int i = 0; i < n; i++) {
        if (zw_mech_is_zero(k->m->sys, rows[i]))
            continue;
        rows[kept] = rows[i];
        if (direction)
            memmove(direction[kept], direction[i], sizeof *direction);
        kept++;
    }
    return kept;
}

static void copy_all(const geometry *k, zw_contact_kinematics *c) {
    c->nslip = copy_rows(k, c->nslip, c->slip, c->contact.tangent);
    c->nroll = copy_rows(k, c->nroll, c->roll, NULL);
    c->ncontour = copy_rows(k, c->ncontour, c->contour, NULL);
    if (c->spin && zw_mech_is_zero(k->m->sys, c->spin))
        c->spin = ZW_NULL;
}

/* sets the point of contact, and everything that follows from u, w - ws and rho'; over NULL: no
 * rho' */
static void place_contact(const geometry *k, const zw_expr at[3], const zw_expr u[3],
                          const zw_expr *over, zw_contact_kinematics *c) {
    memcpy(c->contact.point, at, sizeof c->contact.point);
    memcpy(c->contact.normal, k->n, sizeof k->n);
    memcpy(c->contact.tangent, k->t, sizeof k->t);
    c->contact.placed = true;
    c->nslip = 2;
    for (int i = 0; i < 2; i++)
        c->slip[i] = project_vector(k, u, k->t[i]);
    if (k->frame < 0)
        return;
    c->spin = project_vector(k, k->n, k->by);
    c->nroll = 2;
    c->ncontour = over ? 2 : 0;
    for (int i = 0; i < 2; i++) {
        c->roll[i] = project_vector(k, k->t[i], k->by);
        c->contour[i] = over ? project_vector(k, k->t[i], over) : ZW_NULL;
    }
}

/* ------------------------------------------------------------------------------- planes */

static zw_status read_plane(geometry *k) {
    const zw_geometry *g = k->spec;
    ZW_TRY(zw_ground_read(k->m, &g->on, &k->on));
    memcpy(k->n, k->on.n, sizeof k->n);
    zw_ground_directions(k->m, &k->on, k->t);
    return zw_ground_sketch(k->m, k->s, &k->on, g->body);
}

static zw_status read_radius(geometry *k) {
    return zw_contact_number(k->m, k->spec->size, "the radius", zw_model_dim(k->m, 0, 1, 0),
                             ZW_POSITIVE, &k->r);
}

static zw_status read_sphere(geometry *k) {
    ZW_TRY(read_radius(k));
    return zw_sketch_unless_shaped(k->m, k->s, "sphere", k->spec->body, k->spec->place, k->frame, 1,
                                   &k->r);
}

/* r is then the radius of the edge */
static zw_status read_disc(geometry *k) {
    const zw_geometry *g = k->spec;
    ZW_TRY(read_radius(k));
    ZW_TRY(zw_disc_read(k->m, g->size, &g->rim, k->r, &k->disc));
    ZW_TRY(zw_disc_sketch(k->m, k->s, g->body, g->place, k->frame, &g->rim, k->r, &k->disc));
    k->r = k->disc.radius;
    return ZW_OK;
}

static zw_status sphere_on_plane(geometry *k, zw_contact_kinematics *c) {
    zw_context *ctx = k->m->ctx;
    zw_expr at[3], V[3], u[3], turn[3], over[3], minus = zw_neg(ctx, k->r);
    ZW_TRY(read_plane(k));
    zw_vector_along(ctx, k->c, minus, k->n, at);
    against_ground(k, at, V);
    zw_vector_cross(ctx, k->w, k->n, turn);
    zw_vector_along(ctx, V, minus, turn, u);
    zw_vector_cross(ctx, k->by, k->n, over);
    for (int i = 0; i < 3; i++)
        over[i] = zw_mul(ctx, k->r, over[i]);
    c->contact.gap = zw_sub(ctx, zw_ground_above(k->m, &k->on, k->c), k->r);
    c->contact.rate = project_vector(k, k->n, V);
    place_contact(k, at, u, over, c);
    return ZW_OK;
}

static void disc_velocities(const geometry *k, const zw_disc *d, const zw_expr V[3],
                            zw_contact_kinematics *c) {
    zw_context *ctx = k->m->ctx;
    zw_expr pitch = zw_mul(ctx, d->round, project_vector(k, k->w, k->t[1]));
    zw_expr roll = zw_mul(ctx, d->round, project_vector(k, k->w, k->t[0]));
    zw_expr forward = zw_sub(ctx, zw_mul(ctx, k->r, project_vector(k, k->w, d->axis)), pitch);
    zw_expr tilt = zw_add(ctx, zw_mul(ctx, k->r, project_vector(k, k->w, d->level)), roll);
    zw_expr sink =
        zw_product(ctx, 3, (zw_expr[]){k->r, d->cosine, project_vector(k, k->w, d->along)});
    c->slip[0] = zw_add(ctx, project_vector(k, V, k->t[0]), forward);
    c->slip[1] = zw_add(ctx, project_vector(k, V, k->t[1]), tilt);
    c->contact.rate = zw_sub(ctx, project_vector(k, V, k->n), sink);
    zw_expr slope = zw_div(ctx, d->cosine, d->sine);
    zw_expr phi = zw_sub(ctx, project_vector(k, k->by, d->axis),
                         zw_mul(ctx, slope, project_vector(k, k->by, d->up)));
    c->ncontour = 2;
    c->contour[0] = zw_sub(ctx, zw_mul(ctx, d->round, project_vector(k, k->by, k->t[1])),
                           zw_mul(ctx, k->r, phi));
    c->contour[1] = zw_neg(ctx, zw_mul(ctx, d->round, project_vector(k, k->by, k->t[0])));
    zw_vector_tidy(ctx, 2, c->slip);
    zw_vector_tidy(ctx, 1, &c->contact.rate);
    zw_vector_tidy(ctx, 2, c->contour);
}

/* valid where it does not lie flat, or lies flat in the air */
static zw_status limit_disc(const geometry *k, const zw_disc *d, zw_contact_kinematics *c) {
    zw_context *ctx = k->m->ctx;
    /* the gap where the sine may be negative: there the contact does not detect the ground */
    zw_expr sine = zw_apply(ctx, ZW_OP_ABS, 1, &d->sine);
    zw_expr reach = zw_add(ctx, zw_mul(ctx, k->r, sine), d->round);
    zw_expr gap = zw_sub(ctx, zw_ground_above(k->m, &k->on, k->c), reach);
    zw_expr air = zw_apply(ctx, ZW_OP_MAX, 2, (zw_expr[]){gap, ZW_ZERO});
    c->contact.valid = d->lean;
    c->watch = zw_add(ctx, d->lean, zw_div(ctx, air, k->r));
    c->contact.beyond = zw_arena_printf(k->m->arena, "the %s %s lies flat", d->word, k->spec->body);
    return c->contact.beyond ? ZW_OK : zw_model_memory(k->m);
}

static zw_status disc_on_plane(geometry *k, zw_contact_kinematics *c) {
    zw_context *ctx = k->m->ctx;
    zw_disc *d = &k->disc;
    zw_expr at[3], V[3];
    ZW_TRY(read_plane(k));
    ZW_TRY(zw_disc_over(k->m, &k->on, k->frame, k->spec->body, k->spec->place, k->s, d));
    memcpy(k->t[0], d->along, sizeof d->along);
    zw_vector_cross(ctx, k->n, d->along, k->t[1]);
    zw_vector_along(ctx, k->c, zw_neg(ctx, k->r), d->up, at);
    zw_vector_along(ctx, at, zw_neg(ctx, d->round), k->n, at);
    against_ground(k, at, V);
    zw_expr reach = zw_add(ctx, zw_mul(ctx, k->r, d->sine), d->round);
    c->contact.gap = zw_sub(ctx, zw_ground_above(k->m, &k->on, k->c), reach);
    place_contact(k, at, V, NULL, c);
    disc_velocities(k, d, V, c);
    return zw_expr_is_number(ctx, d->lean) ? ZW_OK : limit_disc(k, d, c);
}

/* ------------------------------------------------------------------------------- three points */

/* eps of the head: inclination [rad] below which the lowest point of a disc is fixed in space.
 * Chosen by trial: the rim is then within eps of the radius of its place, and l turns slowly enough
 * for the steps of an integration. */
#define FLAT_INCLINATION 1e-6
/* Square of the length, relative to that of q, that keeps |d| from zero in the middle of a cavity:
 * (1e-9 q)^2 changes |d| elsewhere by less than eps. */
#define CENTRE_SQUARE 1e-18

/* a; l and e of a disc that may lie flat; s = |n x a|, k = n . a */
static void place_disc(const geometry *k, zw_disc *d) {
    zw_context *ctx = k->m->ctx;
    zw_expr across[3], blurred[3];
    for (int i = 0; i < 3; i++)
        d->axis[i] = k->m->sys->frame[k->frame].A[3 * i + 2];
    d->cosine = project_vector(k, k->n, d->axis);
    zw_vector_cross(ctx, k->n, d->axis, d->level);
    d->sine = zw_sqrt(ctx, project_vector(k, d->level, d->level));
    zw_vector_along(ctx, k->t[0], zw_neg(ctx, project_vector(k, k->t[0], d->axis)), d->axis,
                    across);
    zw_vector_along(ctx, d->level, zw_real(ctx, FLAT_INCLINATION), across, blurred);
    zw_expr size = zw_sqrt(ctx, zw_dot(ctx, 3, blurred, blurred));
    for (int i = 0; i < 3; i++)
        d->along[i] = zw_div(ctx, blurred[i], size);
    zw_vector_cross(ctx, d->axis, d->along, d->up);
}

static void blurred_contour(const geometry *k, const zw_disc *d, zw_contact_kinematics *c) {
    zw_context *ctx = k->m->ctx;
    zw_expr square = zw_mul(ctx, d->sine, d->sine);
    zw_expr about = zw_mul(ctx, project_vector(k, k->by, d->axis), square);
    zw_expr up =
        zw_product(ctx, 3, (zw_expr[]){d->cosine, d->sine, project_vector(k, k->by, d->up)});
    zw_expr below =
                zw_add(ctx, square,
                       zw_mul(ctx, zw_real(ctx, FLAT_INCLINATION), zw_real(ctx, FLAT_INCLINATION))),
            over[3];
    zw_expr round = zw_neg(ctx, zw_div(ctx, zw_mul(ctx, k->r, zw_sub(ctx, about, up)), below));
    c->ncontour = d->round == ZW_ZERO ? 1 : 2;
    c->contour[0] = round;
    if (c->ncontour == 1)
        return;
    zw_vector_cross(ctx, k->by, k->n, over);
    for (int i = 0; i < 2; i++)
        c->contour[i] = zw_add(ctx, zw_mul(ctx, round, project_vector(k, d->along, k->t[i])),
                               zw_mul(ctx, d->round, project_vector(k, over, k->t[i])));
}

/* point `number` of the three */
static void rim_point(const geometry *k, const zw_disc *d, int number, zw_contact_kinematics *c) {
    zw_context *ctx = k->m->ctx;
    zw_expr rho[3], at[3], V[3], u[3], turn[3];
    zw_expr side = zw_mul(ctx, ZW_HALF, zw_mul(ctx, k->r, zw_sqrt(ctx, zw_integer(ctx, 3))));
    zw_expr up = number == 0 ? zw_neg(ctx, k->r) : zw_mul(ctx, ZW_HALF, k->r);
    for (int i = 0; i < 3; i++) {
        rho[i] = zw_mul(ctx, up, d->up[i]);
        if (number > 0)
            rho[i] = zw_add(ctx, rho[i],
                            zw_mul(ctx, number == 1 ? side : zw_neg(ctx, side), d->along[i]));
        rho[i] = zw_sub(ctx, rho[i], zw_mul(ctx, d->round, k->n[i]));
    }
    zw_vector_along(ctx, k->c, ZW_ONE, rho, at);
    against_ground(k, at, V);
    zw_vector_cross(ctx, k->w, rho, turn);
    zw_vector_along(ctx, V, ZW_ONE, turn, u);
    c->contact.gap = zw_ground_above(k->m, &k->on, at);
    c->contact.rate = project_vector(k, k->n, u);
    place_contact(k, at, u, NULL, c);
    c->aside = number > 0;
    if (number == 0)
        blurred_contour(k, d, c);
}

static zw_status three_points(geometry *k, int *n, zw_contact_kinematics *c) {
    zw_disc *d = &k->disc;
    ZW_TRY(read_plane(k));
    place_disc(k, d);
    *n = 3;
    for (int i = 0; i < 3; i++) {
        if (i)
            c[i] = (zw_contact_kinematics){.contact = c[0].contact};
        rim_point(k, d, i, &c[i]);
        c[i].contact.name = zw_arena_printf(k->m->arena, "%s.%c", k->s->name, "abc"[i]);
        if (!c[i].contact.name)
            return zw_model_memory(k->m);
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------------- ellipsoid */

/* d in the axes of the body */
static void to_body(const geometry *k, const zw_expr d[3], zw_expr out[3]) {
    const zw_expr *A = k->m->sys->frame[k->frame].A;
    for (int i = 0; i < 3; i++)
        out[i] = zw_dot(k->m->ctx, 3, (zw_expr[]){A[i], A[3 + i], A[6 + i]}, d);
    zw_vector_tidy(k->m->ctx, 3, out);
}

/* rho', own axes */
static void over_ellipsoid(const geometry *k, const zw_expr nb[3], const zw_expr square[3],
                           zw_expr h, zw_expr out[3]) {
    zw_context *ctx = k->m->ctx;
    zw_expr by[3], rate[3], stretched[3];
    to_body(k, k->by, by);
    zw_vector_cross(ctx, nb, by, rate);
    for (int i = 0; i < 3; i++)
        stretched[i] = zw_mul(ctx, square[i], rate[i]);
    zw_expr part = zw_div(ctx, zw_dot(ctx, 3, nb, stretched), zw_mul(ctx, h, h));
    for (int i = 0; i < 3; i++) {
        zw_expr across = zw_sub(ctx, rate[i], zw_mul(ctx, part, nb[i]));
        out[i] = zw_neg(ctx, zw_div(ctx, zw_mul(ctx, square[i], across), h));
    }
}

static zw_status ellipsoid_on_plane(geometry *k, zw_contact_kinematics *c) {
    zw_model *m = k->m;
    zw_context *ctx = m->ctx;
    zw_expr axis[3], square[3], nb[3], rho_b[3], rho[3], at[3], V[3], spin[3], turn[3], u[3],
        over_b[3], over[3];
    zw_dim length = zw_model_dim(m, 0, 1, 0);
    ZW_TRY(zw_model_vector(m, k->spec->size, "the half axes", &length, axis, NULL));
    for (int i = 0; i < 3; i++)
        ZW_TRY(zw_contact_in_range(m, k->spec->size, "a half axis", ZW_POSITIVE, axis[i]));
    ZW_TRY(zw_sketch_unless_shaped(m, k->s, "ellipsoid", k->spec->body, k->spec->place, k->frame, 3,
                                   axis));
    ZW_TRY(read_plane(k));
    to_body(k, k->n, nb);
    for (int i = 0; i < 3; i++)
        square[i] = zw_mul(ctx, axis[i], axis[i]);
    zw_expr part[3] = {zw_mul(ctx, axis[0], nb[0]), zw_mul(ctx, axis[1], nb[1]),
                       zw_mul(ctx, axis[2], nb[2])};
    zw_expr h = zw_sqrt(ctx, zw_dot(ctx, 3, part, part));
    for (int i = 0; i < 3; i++)
        rho_b[i] = zw_neg(ctx, zw_div(ctx, zw_mul(ctx, square[i], nb[i]), h));
    zw_frame_vector(m->sys, k->frame, rho_b, rho);
    zw_vector_along(ctx, k->c, ZW_ONE, rho, at);
    against_ground(k, at, V);
    zw_vector_cross(ctx, m->sys->frame[k->frame].w, rho_b, spin);
    zw_frame_vector(m->sys, k->frame, spin, turn);
    zw_vector_along(ctx, V, ZW_ONE, turn, u);
    over_ellipsoid(k, nb, square, h, over_b);
    zw_frame_vector(m->sys, k->frame, over_b, over);
    c->contact.gap = zw_sub(ctx, zw_ground_above(m, &k->on, k->c), h);
    c->contact.rate = zw_add(ctx, project_vector(k, k->n, V), project_vector(k, nb, spin));
    place_contact(k, at, u, over, c);
    return ZW_OK;
}

/* ------------------------------------------------------------------------------- spheres */

static zw_status limit_cavity(geometry *k, zw_expr q, zw_contact_kinematics *c) {
    if (!k->spec->on.inside || zw_expr_is_number(k->m->ctx, q))
        return ZW_OK;
    c->contact.valid = c->watch = q;
    c->contact.beyond =
        zw_arena_printf(k->m->arena, "the ball %s is larger than its cavity", k->spec->body);
    return c->contact.beyond ? ZW_OK : zw_model_memory(k->m);
}

/* u and rho' from n and its rate */
static void sphere_velocities(const geometry *k, zw_expr size, zw_contact_kinematics *c) {
    zw_model *m = k->m;
    zw_context *ctx = m->ctx;
    zw_expr vs[3], ws[3], V[3], sum[3], turn[3], u[3], over[3], own[3], at[3];
    zw_expr R = k->spec->on.inside ? zw_neg(ctx, k->on.radius) : k->on.radius;
    zw_ground_velocity(m, &k->on, k->on.centre, vs);
    zw_ground_omega(m, &k->on, ws);
    zw_vector_along(ctx, k->v, ZW_MINUS_ONE, vs, V);
    for (int i = 0; i < 3; i++)
        sum[i] = zw_add(ctx, zw_mul(ctx, k->r, k->w[i]), zw_mul(ctx, R, ws[i]));
    zw_vector_cross(ctx, sum, k->n, turn);
    zw_vector_along(ctx, V, ZW_MINUS_ONE, turn, u);
    zw_expr along = zw_dot(ctx, 3, k->n, V);
    zw_vector_cross(ctx, k->w, k->n, own);
    for (int i = 0; i < 3; i++) {
        zw_expr swing = zw_div(ctx, zw_sub(ctx, V[i], zw_mul(ctx, along, k->n[i])), size);
        zw_expr rate = k->spec->on.inside ? zw_neg(ctx, swing) : swing;
        over[i] = zw_neg(ctx, zw_mul(ctx, k->r, zw_sub(ctx, rate, own[i])));
    }
    zw_vector_along(ctx, k->c, zw_neg(ctx, k->r), k->n, at);
    c->contact.rate = along;
    place_contact(k, at, u, over, c);
}

static zw_status sphere_on_sphere(geometry *k, zw_contact_kinematics *c) {
    zw_model *m = k->m;
    zw_context *ctx = m->ctx;
    zw_expr d[3];
    bool inside = k->spec->on.inside;
    ZW_TRY(zw_ground_read(m, &k->spec->on, &k->on));
    ZW_TRY(zw_contact_in_range(m, k->spec->on.radius, "the radius", ZW_POSITIVE, k->on.radius));
    ZW_TRY(zw_ground_sketch(m, k->s, &k->on, k->spec->body));
    zw_expr q = inside ? zw_sub(ctx, k->on.radius, k->r) : zw_add(ctx, k->on.radius, k->r);
    ZW_TRY(zw_contact_in_range(m, k->spec->size, "the radius of the cavity less that of the ball",
                               ZW_POSITIVE, q));
    zw_vector_along(ctx, k->c, ZW_MINUS_ONE, k->on.centre, d);
    zw_expr square = zw_vector_dot(ctx, d, d);
    if (inside) /* nonzero in the middle of the cavity */
        square =
            zw_add(ctx, square, zw_product(ctx, 3, (zw_expr[]){zw_real(ctx, CENTRE_SQUARE), q, q}));
    zw_expr size = zw_sqrt(ctx, square);
    for (int i = 0; i < 3; i++) {
        k->n[i] = zw_div(ctx, d[i], size);
        k->n[i] = inside ? zw_neg(ctx, k->n[i]) : k->n[i];
    }
    zw_vector_basis(ctx, k->n, k->t);
    c->contact.gap = inside ? zw_sub(ctx, q, size) : zw_sub(ctx, size, q);
    sphere_velocities(k, size, c);
    return limit_cavity(k, q, c);
}

/* ------------------------------------------------------------------------------- corners */

/* n, t and the gap of a point on a sphere */
static void turn_to_sphere(geometry *k, const zw_expr at[3], zw_contact_kinematics *c) {
    zw_context *ctx = k->m->ctx;
    zw_expr d[3], sign = k->on.spec->inside ? ZW_MINUS_ONE : ZW_ONE;
    zw_vector_along(ctx, at, ZW_MINUS_ONE, k->on.centre, d);
    zw_expr size = zw_sqrt(ctx, zw_vector_dot(ctx, d, d));
    for (int i = 0; i < 3; i++)
        k->n[i] = zw_mul(ctx, sign, zw_div(ctx, d[i], size));
    zw_vector_basis(ctx, k->n, k->t);
    c->contact.gap = zw_mul(ctx, sign, zw_sub(ctx, size, k->on.radius));
}

/* a point that moves with k->v */
static void place_corner(geometry *k, const zw_expr at[3], zw_contact_kinematics *c) {
    zw_expr u[3];
    if (k->on.spec->sphere) {
        turn_to_sphere(k, at, c);
        zw_ground_velocity(k->m, &k->on, at, u);
        zw_vector_along(k->m->ctx, k->v, ZW_MINUS_ONE, u, u);
    } else {
        c->contact.gap = zw_ground_above(k->m, &k->on, at);
        against_ground(k, at, u);
    }
    c->contact.rate = project_vector(k, k->n, u);
    c->fixed = true;
    place_contact(k, at, u, NULL, c);
}

static zw_status read_support(geometry *k) {
    if (!k->spec->on.sphere)
        return read_plane(k);
    ZW_TRY(zw_ground_read(k->m, &k->spec->on, &k->on));
    ZW_TRY(zw_contact_in_range(k->m, k->spec->on.radius, "the radius", ZW_POSITIVE, k->on.radius));
    return zw_ground_sketch(k->m, k->s, &k->on, k->spec->body);
}

/* true if points on both sides along this axis of the body have the same velocity */
static bool is_across(const geometry *k, int axis) {
    const zw_expr *A = k->m->sys->frame[k->frame].A;
    zw_expr e[3] = {A[axis], A[3 + axis], A[6 + axis]}, turn[3];
    zw_vector_cross(k->m->ctx, k->by, e, turn);
    bool alike = !k->spec->on.sphere && zw_mech_is_zero(k->m->sys, project_vector(k, k->n, e));
    for (int i = 0; i < 3; i++)
        alike = alike && zw_mech_is_zero(k->m->sys, turn[i]);
    return alike;
}

/* NAME.1, NAME.2, ...: the corners with edges along the axes of the body, - before +, x first */
static zw_status place_corners(geometry *k, const zw_expr edge[3], int *n,
                               zw_contact_kinematics *c) {
    zw_model *m = k->m;
    bool both[3];
    *n = 1;
    for (int i = 0; i < 3; i++) {
        both[i] = edge[i] != ZW_ZERO && !is_across(k, i);
        *n *= both[i] ? 2 : 1;
    }
    for (int number = 0; number < *n; number++) {
        zw_expr own[3], arm[3], at[3];
        for (int i = 0, rest = number; i < 3; i++) {
            zw_expr half = zw_mul(m->ctx, rest % 2 ? ZW_HALF : zw_rational(m->ctx, -1, 2), edge[i]);
            own[i] = both[i] ? half : ZW_ZERO;
            rest /= both[i] ? 2 : 1;
        }
        if (number)
            c[number] = (zw_contact_kinematics){.contact = c[0].contact};
        zw_frame_vector(m->sys, k->frame, own, arm);
        zw_vector_along(m->ctx, k->c, ZW_ONE, arm, at);
        zw_frame_velocity_at(m->sys, k->frame, at, k->v);
        place_corner(k, at, &c[number]);
        c[number].contact.name = zw_arena_printf(m->arena, "%s.%d", k->s->name, number + 1);
        if (!c[number].contact.name)
            return zw_model_memory(m);
    }
    return ZW_OK;
}

static zw_status box_corners(geometry *k, int *n, zw_contact_kinematics *c) {
    zw_model *m = k->m;
    zw_expr edge[3];
    zw_dim length = zw_model_dim(m, 0, 1, 0);
    ZW_TRY(zw_model_vector(m, k->spec->size, "the edges", &length, edge, NULL));
    for (int i = 0; i < 3; i++)
        if (i < 2 || edge[i] != ZW_ZERO)
            ZW_TRY(zw_contact_in_range(m, k->spec->size, "an edge", ZW_POSITIVE, edge[i]));
    ZW_TRY(
        zw_sketch_unless_shaped(m, k->s, "box", k->spec->body, k->spec->place, k->frame, 3, edge));
    ZW_TRY(read_support(k));
    return place_corners(k, edge, n, c);
}

static zw_status rod_ends(geometry *k, int *n, zw_contact_kinematics *c) {
    zw_model *m = k->m;
    zw_expr edge[3] = {ZW_ZERO, ZW_ZERO, ZW_ZERO};
    ZW_TRY(zw_contact_number(m, k->spec->size, "the length", zw_model_dim(m, 0, 1, 0), ZW_POSITIVE,
                             &edge[0]));
    ZW_TRY(
        zw_sketch_unless_shaped(m, k->s, "rod", k->spec->body, k->spec->place, k->frame, 1, edge));
    ZW_TRY(read_support(k));
    return place_corners(k, edge, n, c);
}

/* ------------------------------------------------------------------------------- surfaces */

/* F and its gradient at p, all in the axes of the frame */
static zw_status read_surface(geometry *k, const zw_expr p[3], zw_expr *F, zw_expr slope[3]) {
    zw_model *m = k->m;
    const zw_syntax *node = k->spec->surface;
    zw_expr space[3] = {zw_symbol(m->ctx, "x of a surface"), zw_symbol(m->ctx, "y of a surface"),
                        zw_symbol(m->ctx, "z of a surface")};
    m->space = space;
    zw_status status = zw_model_scalar(m, node, "the surface", NULL, F);
    m->space = NULL;
    if (status < 0)
        return status;
    bool anywhere = true;
    for (int i = 0; i < 3; i++) {
        slope[i] = zw_diff(m->ctx, *F, space[i]);
        anywhere = anywhere && slope[i] == ZW_ZERO;
    }
    if (anywhere) {
        zw_fail_at(m->err, ZW_E_MODEL, node->place, "the surface depends on no place");
        zw_error_hint(m->err, "a surface is where an expression of x, y, z is zero, as in "
                              "surface z - a*x^2");
        return ZW_E_MODEL;
    }
    for (int i = 0; i < 3; i++)
        slope[i] = zw_subst(m->ctx, slope[i], 3, space, p);
    *F = zw_subst(m->ctx, *F, 3, space, p);
    return zw_model_check_expressions(m, node->place);
}

static zw_status velocity_of(geometry *k, const zw_expr P[3], zw_expr v[3]) {
    zw_quantity rate = zw_vector_value(P, zw_model_dim(k->m, 0, 1, 0));
    if (k->frame >= 0) {
        zw_frame_velocity_at(k->m->sys, k->frame, P, v);
        return ZW_OK;
    }
    ZW_TRY(zw_quantity_rate(k->m, k->spec->point->place, 1, &rate));
    memcpy(v, rate.e, 3 * sizeof *v);
    return ZW_OK;
}

static zw_status point_alone(geometry *k, zw_contact_kinematics *c) {
    zw_expr P[3];
    zw_dim length = zw_model_dim(k->m, 0, 1, 0);
    ZW_TRY(zw_model_vector(k->m, k->spec->point, "the point", &length, P, NULL));
    ZW_TRY(velocity_of(k, P, k->v));
    ZW_TRY(read_support(k));
    place_corner(k, P, c);
    return ZW_OK;
}

static zw_status point_on_surface(geometry *k, zw_contact_kinematics *c) {
    zw_model *m = k->m;
    zw_context *ctx = m->ctx;
    zw_dim length = zw_model_dim(m, 0, 1, 0);
    zw_expr P[3], from[3], p[3], F, slope[3], own[3], basis[2][3], v[3], vs[3], u[3];
    int support = 0;
    if (k->spec->on.frame[0])
        ZW_TRY(zw_model_frame(m, k->spec->on.frame, k->spec->on.frame_place, &support));
    const zw_frame *f = &m->sys->frame[support];
    ZW_TRY(zw_model_vector(m, k->spec->point, "the point", &length, P, NULL));
    zw_vector_along(ctx, P, ZW_MINUS_ONE, f->o, from);
    for (int i = 0; i < 3; i++)
        p[i] = zw_dot(ctx, 3, (zw_expr[]){f->A[i], f->A[3 + i], f->A[6 + i]}, from);
    zw_vector_tidy(ctx, 3, p);
    ZW_TRY(read_surface(k, p, &F, slope));
    zw_expr steep = zw_sqrt(ctx, zw_vector_dot(ctx, slope, slope));
    for (int i = 0; i < 3; i++)
        own[i] = zw_div(ctx, slope[i], steep);
    zw_vector_basis(ctx, own, basis);
    zw_frame_vector(m->sys, support, own, k->n);
    for (int i = 0; i < 2; i++)
        zw_frame_vector(m->sys, support, basis[i], k->t[i]);
    ZW_TRY(velocity_of(k, P, v));
    zw_frame_velocity_at(m->sys, support, P, vs);
    zw_vector_along(ctx, v, ZW_MINUS_ONE, vs, u);
    c->contact.gap = zw_div(ctx, F, steep);
    place_contact(k, P, u, NULL, c);
    return zw_contact_check(m, &c->contact, u, k->spec->point->place);
}

/* ------------------------------------------------------------------------------- all geometries */

static zw_status reject_support(const geometry *k, const char *shape) {
    zw_fail_at(k->m->err, ZW_E_MODEL, k->spec->place, "%s touches planes, not spheres", shape);
    zw_error_hint(k->m->err, "write its gap and slip: contact %s : gap ..., slip ...", k->s->name);
    return ZW_E_MODEL;
}

static zw_status build_touch(geometry *k, int *n, zw_contact_kinematics *c) {
    const zw_geometry *g = k->spec;
    switch (g->shape) {
    case ZW_SHAPE_SPHERE:
        ZW_TRY(read_sphere(k));
        return g->on.sphere ? sphere_on_sphere(k, c) : sphere_on_plane(k, c);
    case ZW_SHAPE_DISK:
        if (g->on.sphere)
            return reject_support(k, g->rim.torus ? "a torus" : "a disk");
        ZW_TRY(read_disc(k));
        return g->three ? three_points(k, n, c) : disc_on_plane(k, c);
    case ZW_SHAPE_ELLIPSOID:
        return g->on.sphere ? reject_support(k, "an ellipsoid") : ellipsoid_on_plane(k, c);
    case ZW_SHAPE_BOX:
        return box_corners(k, n, c);
    case ZW_SHAPE_ROD:
        return rod_ends(k, n, c);
    default:
        return g->surface ? point_on_surface(k, c) : point_alone(k, c);
    }
}

zw_status zw_contact_geometry(zw_model *m, const zw_stmt *s, int *n,
                              zw_contact_kinematics *kinematics) {
    geometry k = {.m = m, .s = s, .spec = s->touching->geometry};
    *n = 1;
    ZW_TRY(read_body(&k));
    ZW_TRY(build_touch(&k, n, kinematics));
    for (int i = 0; i < *n; i++) {
        zw_vector_tidy(m->ctx, 1, &kinematics[i].contact.gap);
        copy_all(&k, &kinematics[i]);
    }
    return zw_model_check_expressions(m, s->name_place);
}
