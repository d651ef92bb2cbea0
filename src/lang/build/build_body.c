/* SPDX-License-Identifier: MIT */
/* Particles and rigid bodies. A body is a sum of solids s_i = +1 or -1 with mass m_i, inertia J_i
 * about the centre of solid i and offset d_i from the body's origin, all in the body's axes:
 *
 *   m = sum s_i m_i,   c = sum s_i m_i d_i / m,
 *   J = sum s_i [ J_i + m_i (|e_i|^2 1 - e_i e_i') ],   e_i = d_i - c        (parallel axes)
 *
 * J is about the centre of gravity c. The first argument of a solid is its mass, or a density,
 * which is recognised by its unit: per volume, area or length, according to the solid. */
#include <stdio.h>
#include <string.h>

#include "base/option.h"
#include "build_contact.h"
#include "lang/model.h"

enum { XX, YY, ZZ, XY, XZ, YZ };

typedef struct solid {
    zw_expr mass, offset[3], J[6];
} solid;

/* a * b * num/den */
static zw_expr scaled_product(zw_context *ctx, int64_t num, int64_t den, zw_expr a, zw_expr b) {
    return zw_mul(ctx, zw_rational(ctx, num, den), zw_mul(ctx, a, b));
}

static zw_expr square(zw_context *ctx, zw_expr a) {
    return zw_mul(ctx, a, a);
}

/* Inertia about the centre; a[] holds the lengths. J[XX..ZZ]; the rest is zero. */
static void sphere_inertia(zw_context *ctx, zw_expr m, const zw_expr *a, zw_expr *J) {
    J[XX] = J[YY] = J[ZZ] = scaled_product(ctx, 2, 5, m, square(ctx, a[0]));
}

static void shell_inertia(zw_context *ctx, zw_expr m, const zw_expr *a, zw_expr *J) {
    J[XX] = J[YY] = J[ZZ] = scaled_product(ctx, 2, 3, m, square(ctx, a[0]));
}

static void disk_inertia(zw_context *ctx, zw_expr m, const zw_expr *a, zw_expr *J) {
    J[XX] = J[YY] = scaled_product(ctx, 1, 4, m, square(ctx, a[0]));
    J[ZZ] = scaled_product(ctx, 1, 2, m, square(ctx, a[0]));
}

static void cylinder_inertia(zw_context *ctx, zw_expr m, const zw_expr *a, zw_expr *J) {
    disk_inertia(ctx, m, a, J);
    J[XX] = J[YY] = zw_add(ctx, J[XX], scaled_product(ctx, 1, 12, m, square(ctx, a[1])));
}

static void ring_inertia(zw_context *ctx, zw_expr m, const zw_expr *a, zw_expr *J) {
    J[XX] = J[YY] = scaled_product(ctx, 1, 2, m, square(ctx, a[0]));
    J[ZZ] = zw_mul(ctx, m, square(ctx, a[0]));
}

static void torus_inertia(zw_context *ctx, zw_expr m, const zw_expr *a, zw_expr *J) {
    ring_inertia(ctx, m, a, J);
    J[XX] = J[YY] = zw_add(ctx, J[XX], scaled_product(ctx, 5, 8, m, square(ctx, a[1])));
    J[ZZ] = zw_add(ctx, J[ZZ], scaled_product(ctx, 3, 4, m, square(ctx, a[1])));
}

static void rod_inertia(zw_context *ctx, zw_expr m, const zw_expr *a, zw_expr *J) {
    J[YY] = J[ZZ] = scaled_product(ctx, 1, 12, m, square(ctx, a[0]));
}

static void box_inertia(zw_context *ctx, zw_expr m, const zw_expr *a, zw_expr *J) {
    for (int i = 0; i < 3; i++)
        J[i] = scaled_product(
            ctx, 1, 12, m, zw_add(ctx, square(ctx, a[(i + 1) % 3]), square(ctx, a[(i + 2) % 3])));
}

/* Volume, area or length: the mass for a density of 1. */
static zw_expr sphere_size(zw_context *ctx, const zw_expr *a) {
    return scaled_product(ctx, 4, 3, ZW_PI, zw_pow(ctx, a[0], zw_integer(ctx, 3)));
}

static zw_expr shell_size(zw_context *ctx, const zw_expr *a) {
    return scaled_product(ctx, 4, 1, ZW_PI, square(ctx, a[0]));
}

static zw_expr disk_size(zw_context *ctx, const zw_expr *a) {
    return zw_mul(ctx, ZW_PI, square(ctx, a[0]));
}

static zw_expr cylinder_size(zw_context *ctx, const zw_expr *a) {
    return zw_mul(ctx, disk_size(ctx, a), a[1]);
}

static zw_expr ring_size(zw_context *ctx, const zw_expr *a) {
    return scaled_product(ctx, 2, 1, ZW_PI, a[0]);
}

static zw_expr torus_size(zw_context *ctx, const zw_expr *a) {
    return zw_product(ctx, 3, (zw_expr[]){ring_size(ctx, a), ZW_PI, square(ctx, a[1])});
}

static zw_expr rod_size(zw_context *ctx, const zw_expr *a) {
    (void)ctx;
    return a[0];
}

static zw_expr box_size(zw_context *ctx, const zw_expr *a) {
    return zw_product(ctx, 3, a);
}

typedef struct shape_row {
    const char *name, *arguments;
    int lengths;   /* arguments after the mass or density */
    int dimension; /* of its density: kg/m^dimension; 0: mass only */
    /* NULL: given as entries */
    void (*inertia)(zw_context *ctx, zw_expr m, const zw_expr *a, zw_expr *J);
    zw_expr (*size)(zw_context *ctx, const zw_expr *a);
} shape_row;

static const shape_row shapes[] = {
    {"sphere", "mass, radius", 1, 3, sphere_inertia, sphere_size},
    {"shell", "mass, radius", 1, 2, shell_inertia, shell_size},
    {"disk", "mass, radius", 1, 2, disk_inertia, disk_size},
    {"cylinder", "mass, radius, height", 2, 3, cylinder_inertia, cylinder_size},
    {"ring", "mass, radius", 1, 1, ring_inertia, ring_size},
    {"torus", "mass, radius, radius of the wire", 2, 3, torus_inertia, torus_size},
    {"rod", "mass, length", 1, 1, rod_inertia, rod_size},
    {"box", "mass, a, b, c", 3, 3, box_inertia, box_size},
    {"mass", "mass", 0, 0, NULL, NULL},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static const shape_row *find_shape(const char *name) {
    for (int i = 0; i < SHAPES; i++)
        if (strcmp(shapes[i].name, name) == 0)
            return &shapes[i];
    return NULL;
}

static zw_status unknown_shape(zw_model *m, const zw_syntax *shape) {
    const char *names[SHAPES + 2];
    for (int i = 0; i < SHAPES; i++)
        names[i] = shapes[i].name;
    names[SHAPES] = "inertia";
    names[SHAPES + 1] = "hole";
    zw_fail_at(m->err, ZW_E_NAME, shape->place, "there is no solid '%s'", shape->name);
    const char *near = zw_nearest(shape->name, SHAPES + 2, names);
    if (near)
        zw_error_hint(m->err, "did you mean %s?", near);
    else
        zw_error_hint(
            m->err,
            "solids are sphere, shell, disk, cylinder, ring, torus, rod, box, mass, inertia");
    return ZW_E_NAME;
}

/* inertia(m, Jx, Jy, Jz [, Jxy, Jxz, Jyz]): entries of the inertia matrix */
static zw_status explicit_inertia(zw_model *m, const zw_syntax *shape, solid *out) {
    if (shape->n != 4 && shape->n != 7) {
        zw_fail_at(m->err, ZW_E_SYNTAX, shape->place, "inertia takes 4 or 7 arguments, not %d",
                   shape->n);
        zw_error_hint(m->err, "inertia(m, Jx, Jy, Jz) or inertia(m, Jx, Jy, Jz, Jxy, Jxz, Jyz)");
        return ZW_E_SYNTAX;
    }
    zw_dim kg = zw_model_dim(m, 1, 0, 0), moment = zw_model_dim(m, 1, 2, 0);
    ZW_TRY(zw_model_scalar(m, shape->arg[0], "the mass", &kg, &out->mass));
    for (int i = 1; i < shape->n; i++)
        ZW_TRY(zw_model_scalar(m, shape->arg[i], "a moment of inertia", &moment, &out->J[i - 1]));
    return ZW_OK;
}

static zw_status shape_mass(zw_model *m, const zw_syntax *shape, const shape_row *row,
                            const zw_expr *lengths, zw_expr *mass) {
    zw_quantity v;
    ZW_TRY(zw_model_eval(m, shape->arg[0], &v));
    if (v.n > 1)
        return zw_fail_at(m->err, ZW_E_SYNTAX, shape->arg[0]->place,
                          "the mass must be a scalar, not a vector");
    zw_dim kg = zw_model_dim(m, 1, 0, 0), density = zw_model_dim(m, 1, -row->dimension, 0);
    *mass = v.e[0];
    if (zw_model_fits(m, &v.d[0], &kg))
        return ZW_OK;
    if (!row->size || !zw_dim_fits(&v.d[0], &density)) {
        char fmt[256], per[ZW_DIM_TEXT];
        zw_dim_text(&density, per);
        if (row->size)
            snprintf(fmt, sizeof fmt, "the mass of a %s is %%s and must be %%s, or a density in %s",
                     row->name, per);
        else
            snprintf(fmt, sizeof fmt, "the mass is %%s and must be %%s");
        return zw_model_unit_mismatch(m, shape->arg[0]->place, fmt, &v.d[0], &kg);
    }
    *mass = zw_mul(m->ctx, v.e[0], row->size(m->ctx, lengths));
    return ZW_OK;
}

static zw_status build_shape(zw_model *m, const zw_syntax *shape, solid *out) {
    *out = (solid){.mass = ZW_ZERO};
    for (int i = 0; i < 6; i++)
        out->J[i] = ZW_ZERO;
    if (strcmp(shape->name, "inertia") == 0)
        return explicit_inertia(m, shape, out);
    const shape_row *row = find_shape(shape->name);
    if (!row)
        return unknown_shape(m, shape);
    if (shape->n != row->lengths + 1) {
        zw_fail_at(m->err, ZW_E_SYNTAX, shape->place, "%s takes %d arguments, not %d", row->name,
                   row->lengths + 1, shape->n);
        zw_error_hint(m->err, "%s(%s)", row->name, row->arguments);
        return ZW_E_SYNTAX;
    }
    zw_expr a[3];
    zw_dim length = zw_model_dim(m, 0, 1, 0);
    for (int i = 0; i < row->lengths; i++)
        ZW_TRY(zw_model_scalar(m, shape->arg[i + 1], "a length", &length, &a[i]));
    ZW_TRY(shape_mass(m, shape, row, a, &out->mass));
    if (row->inertia == torus_inertia) /* a thicker wire would overlap itself in the middle */
        ZW_TRY(zw_contact_in_range(m, shape->arg[2],
                                   "the radius of the torus less that of its wire", ZW_NOT_NEGATIVE,
                                   zw_sub(m->ctx, a[0], a[1])));
    if (row->inertia)
        row->inertia(m->ctx, out->mass, a, out->J);
    return ZW_OK;
}

static zw_status build_solid(zw_model *m, const zw_solid *s, solid *out) {
    ZW_TRY(build_shape(m, s->shape, out));
    zw_dim length = zw_model_dim(m, 0, 1, 0);
    for (int i = 0; i < 3; i++)
        out->offset[i] = ZW_ZERO;
    if (s->at)
        ZW_TRY(zw_model_vector(m, s->at, "the place of the solid", &length, out->offset, NULL));
    if (s->sign < 0) {
        out->mass = zw_neg(m->ctx, out->mass);
        for (int i = 0; i < 6; i++)
            out->J[i] = zw_neg(m->ctx, out->J[i]);
    }
    return ZW_OK;
}

/* the sum of the solids, with J about the common centre of gravity */
static zw_status compose_solids(zw_model *m, int n, const solid *part, solid *sum, zw_place place) {
    zw_context *ctx = m->ctx;
    *sum = part[0];
    if (n == 1)
        return ZW_OK;
    zw_expr moment[3] = {ZW_ZERO, ZW_ZERO, ZW_ZERO};
    sum->mass = ZW_ZERO;
    for (int k = 0; k < n; k++) {
        sum->mass = zw_add(ctx, sum->mass, part[k].mass);
        for (int i = 0; i < 3; i++)
            moment[i] = zw_add(ctx, moment[i], zw_mul(ctx, part[k].mass, part[k].offset[i]));
    }
    if (sum->mass == ZW_ZERO)
        return zw_fail_at(m->err, ZW_E_MODEL, place,
                          "the solids of this body have no mass in total");
    for (int i = 0; i < 3; i++)
        sum->offset[i] = moment[i] == ZW_ZERO ? ZW_ZERO : zw_div(ctx, moment[i], sum->mass);
    for (int i = 0; i < 6; i++)
        sum->J[i] = ZW_ZERO;
    static const int row_of[6] = {0, 1, 2, 0, 0, 1}, column_of[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < n; k++) {
        zw_expr e[3];
        for (int i = 0; i < 3; i++)
            e[i] = zw_sub(ctx, part[k].offset[i], sum->offset[i]);
        zw_expr distance = zw_dot(ctx, 3, e, e);
        for (int i = 0; i < 6; i++) {
            zw_expr product = zw_mul(ctx, e[row_of[i]], e[column_of[i]]);
            zw_expr steiner = i < 3 ? zw_sub(ctx, distance, product) : zw_neg(ctx, product);
            sum->J[i] = zw_sum(
                ctx, 3, (zw_expr[]){sum->J[i], part[k].J[i], zw_mul(ctx, part[k].mass, steiner)});
        }
    }
    return ZW_OK;
}

static zw_status build_solids(zw_model *m, const zw_stmt *s, solid *sum) {
    int n = 0, k = 0;
    for (const zw_solid *p = s->solids; p; p = p->next)
        n++;
    solid *part = ZW_NEW(m->arena, solid, n);
    if (!part)
        return zw_model_memory(m);
    for (const zw_solid *p = s->solids; p; p = p->next)
        ZW_TRY(build_solid(m, p, &part[k++]));
    ZW_TRY(compose_solids(m, n, part, sum, s->name_place));
    return zw_model_check_expressions(m, s->name_place);
}

/* true if the inertia is the same about every axis through the origin: space components of the
 * angular velocity are then simpler, and J' = 0 in them */
static bool is_isotropic(const solid *s) {
    bool centred = true, diagonal = true;
    for (int i = 0; i < 3; i++) {
        centred = centred && s->offset[i] == ZW_ZERO;
        diagonal = diagonal && s->J[i + 3] == ZW_ZERO;
    }
    return centred && diagonal && s->J[XX] == s->J[YY] && s->J[YY] == s->J[ZZ];
}

/* `at` after a frame is a position in space, after a solid one in the body: a pendulum whose rod is
 * placed in its frame by the former rotates about its own centre, which does not swing. A wheel is
 * meant to do that, so this is only a note. */
static zw_status note_resting_centre(zw_model *m, const zw_entry *e, const solid *whole,
                                     const zw_expr origin[3], int frame) {
    bool turns = false, away = false;
    for (int i = 0; i < 3; i++) {
        turns = turns || m->sys->frame[frame].w[i] != ZW_ZERO;
        away = away || origin[i] != ZW_ZERO;
        if (whole->offset[i] != ZW_ZERO || zw_model_variable(m, origin[i]))
            return ZW_OK;
    }
    if (!turns || !away)
        return ZW_OK;
    char sentence[400];
    snprintf(sentence, sizeof sentence,
             "the body '%.80s' (line %d) rotates about its centre, which is at rest: the point "
             "after the frame %.80s is a point in space; write a point in the body after the solid",
             e->name, e->place.line, e->stmt->word);
    return zw_model_note(m, sentence);
}

/* Products of powers stay as they are: they combine with others. */
static bool holds_sum(const zw_model *m, zw_expr e) {
    int n;
    const zw_expr *arg = zw_expr_args(m->ctx, e, &n);
    if (zw_expr_op(m->ctx, e) == ZW_OP_SUM && (n > 3 || arg[0] != ZW_ZERO)) /* not 0 + 1/4*term */
        return true;
    for (int i = 0; i < n; i++)
        if (holds_sum(m, arg[i]))
            return true;
    return false;
}

/* makes NAME_part a parameter, if that name is free */
static zw_status name_property(zw_model *m, const zw_entry *e, const char *part, zw_dim d,
                               zw_expr *value) {
    const char *name = zw_arena_printf(m->arena, "%s_%s", e->name, part);
    const char *kept = name ? zw_context_intern(m->ctx, name) : NULL;
    if (!kept)
        return zw_model_memory(m);
    if (zw_model_find(m, kept) || !holds_sum(m, *value))
        return ZW_OK;
    for (int i = 0; i < m->sys->np; i++)
        if (m->sys->param[i].value == *value) { /* equal moments of inertia stay equal */
            *value = m->sys->param[i].sym;
            return ZW_OK;
        }
    return zw_model_keep_constant(m, kept, &d, e->place, value);
}

/* gives names to mass, centre and moments of inertia that are formulas */
static zw_status name_properties(zw_model *m, const zw_entry *e, solid *whole) {
    static const char *const centre[] = {"x", "y", "z"}, *const moment[] = {"Jxx", "Jyy", "Jzz",
                                                                            "Jxy", "Jxz", "Jyz"};
    if (!m->options || !m->options->bodies)
        return ZW_OK;
    ZW_TRY(name_property(m, e, "m", zw_model_dim(m, 1, 0, 0), &whole->mass));
    for (int i = 0; i < 3; i++)
        ZW_TRY(name_property(m, e, centre[i], zw_model_dim(m, 0, 1, 0), &whole->offset[i]));
    for (int i = 0; i < 6; i++)
        ZW_TRY(name_property(m, e, moment[i], zw_model_dim(m, 1, 2, 0), &whole->J[i]));
    return ZW_OK;
}

zw_status zw_build_body(zw_model *m, zw_entry *e) {
    const zw_stmt *s = e->stmt;
    solid whole;
    zw_expr origin[3] = {ZW_ZERO, ZW_ZERO, ZW_ZERO};
    zw_dim length = zw_model_dim(m, 0, 1, 0);
    int frame = 0;
    ZW_TRY(build_solids(m, s, &whole));
    if (s->at)
        ZW_TRY(zw_model_vector(m, s->at, "the position of the body", &length, origin, NULL));
    ZW_TRY(zw_reject_places(m, 3, origin, "the position of the body", e->place));
    if (s->word[0]) {
        ZW_TRY(zw_model_frame(m, s->word, s->word_place, &frame));
        if (s->at) {
            ZW_TRY(note_resting_centre(m, e, &whole, origin, frame));
            ZW_TRY(zw_system_frame_moved(m->sys, e->name, frame, origin, e->place, &frame, m->err));
        }
    } else {
        ZW_TRY(zw_system_frame_free(m->sys, e->name, origin, is_isotropic(&whole), e->place, &frame,
                                    m->err));
    }
    ZW_TRY(name_properties(m, e, &whole));
    ZW_TRY(zw_system_body(m->sys, e->name, frame, whole.mass, whole.offset, whole.J, e->place,
                          m->err));
    e->frame = frame;
    e->body = m->sys->nbody - 1;
    e->mass = whole.mass;
    return zw_sketch_body(m, e);
}

/* A changing mass m and its velocity v obey d(m v)/dt = F + m' w, where w is the velocity of the
 * matter that is added or lost (Meshchersky): w itself for an intake, w = v + u for an exhaust,
 * whose velocity u is relative to the particle. */
static zw_status build_transfer(zw_model *m, const zw_entry *e) {
    const zw_stmt *s = e->stmt;
    bool exhaust = strcmp(s->word, "exhaust") == 0;
    zw_particle *p = &m->sys->particle[m->sys->nparticle - 1];
    zw_dim speed = zw_model_dim(m, 0, 1, -1);
    zw_expr w[3], force[3], rate = zw_system_dt(m->sys, e->mass);
    char name[80];
    ZW_TRY(zw_model_vector(m, s->what,
                           exhaust ? "the velocity of the exhaust" : "the velocity of the intake",
                           &speed, w, NULL));
    ZW_TRY(zw_reject_places(m, 3, w, "this velocity", s->what->place));
    if (rate == ZW_ZERO) {
        zw_fail_at(m->err, ZW_E_MODEL, s->word_place, "the mass of '%s' does not change", e->name);
        zw_error_hint(m->err, "particle %s : m_0 - flow*t at ... %s ...", e->name, s->word);
        return ZW_E_MODEL;
    }
    for (int i = 0; i < 3; i++)
        force[i] = zw_mul(m->ctx, rate, exhaust ? zw_add(m->ctx, p->v[i], w[i]) : w[i]);
    p->transfer = true;
    snprintf(name, sizeof name, "%.60s.%s", e->name, s->word);
    return zw_system_force_at(m->sys, name, p->v, force, s->word_place, m->err);
}

zw_status zw_build_particle(zw_model *m, zw_entry *e) {
    zw_expr at[3];
    zw_dim kg = zw_model_dim(m, 1, 0, 0), length = zw_model_dim(m, 0, 1, 0);
    ZW_TRY(zw_model_scalar(m, e->stmt->value, "the mass", &kg, &e->mass));
    ZW_TRY(zw_model_vector(m, e->stmt->at, "the position of the particle", &length, at, NULL));
    ZW_TRY(zw_reject_places(m, 3, at, "the position of the particle", e->stmt->at->place));
    ZW_TRY(zw_reject_places(m, 1, &e->mass, "the mass", e->stmt->value->place));
    ZW_TRY(zw_system_particle(m->sys, e->name, e->mass, at, e->place, m->err));
    e->value = zw_vector_value(at, length);
    return e->stmt->word[0] ? build_transfer(m, e) : ZW_OK;
}

zw_status zw_body_solid(zw_model *m, const zw_solid *p, const char **shape, zw_expr offset[3],
                        int *n, zw_expr lengths[3]) {
    const shape_row *row = find_shape(p->shape->name);
    zw_dim length = zw_model_dim(m, 0, 1, 0);
    for (int i = 0; i < 3; i++)
        offset[i] = ZW_ZERO;
    if (p->at)
        ZW_TRY(zw_model_vector(m, p->at, "the place of the solid", &length, offset, NULL));
    *n = row ? row->lengths : 0;
    for (int i = 0; i < *n; i++)
        ZW_TRY(zw_model_scalar(m, p->shape->arg[i + 1], "a length", &length, &lengths[i]));
    *shape = *n ? row->name : NULL;
    return ZW_OK;
}
