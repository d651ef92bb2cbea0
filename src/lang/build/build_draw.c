/* SPDX-License-Identifier: MIT */
/* Pictures: `draw` and `trace`, as drawings of the system. */
#include <stdio.h>
#include <string.h>

#include "base/option.h"
#include "lang/model.h"

/* shapes with their numbers of lengths, including the solids of bodies */
static const struct {
    const char *name;
    int lengths, most;
} shapes[] = {
    {"sphere", 1, 1},   {"shell", 1, 1}, {"bowl", 1, 1},  {"disk", 1, 2},
    {"ring", 1, 1},     {"torus", 2, 2}, {"rod", 1, 1},   {"box", 3, 3},
    {"cylinder", 2, 2}, {"cone", 2, 2},  {"plane", 2, 2}, {"ellipsoid", 3, 3},
};
enum { SHAPES = sizeof shapes / sizeof *shapes, LENGTHS_MAX = 3 };

static const char *const colours[] = {"red",    "orange", "yellow", "green", "teal",  "blue",
                                      "violet", "brown",  "steel",  "grey",  "black", "white"};
enum { COLOURS = sizeof colours / sizeof *colours };

static zw_status check_colour(zw_model *m, const zw_stmt *s) {
    if (!s->colour)
        return ZW_OK;
    for (int i = 0; i < COLOURS; i++)
        if (strcmp(s->colour, colours[i]) == 0)
            return ZW_OK;
    zw_fail_at(m->err, ZW_E_NAME, s->colour_place, "there is no colour '%s'", s->colour);
    zw_error_hint(m->err, "colours are red, orange, yellow, green, teal, blue, violet, brown, "
                          "steel, grey, black and white");
    return ZW_E_NAME;
}

/* the drawing of a statement, with nothing but its style */
static zw_drawing drawing_of(const zw_stmt *s, const char *shape, const char *name) {
    return (zw_drawing){.shape = shape,
                        .name = name,
                        .colour = s->colour,
                        .clear = s->clear,
                        .frame = -1,
                        .at = {ZW_ZERO, ZW_ZERO, ZW_ZERO},
                        .place = s->place};
}

static zw_status draw_span(zw_model *m, const zw_stmt *s) {
    zw_drawing d = drawing_of(s, s->span, NULL);
    zw_expr numbers[4];
    zw_dim length = zw_model_dim(m, 0, 1, 0);
    char what[40];
    snprintf(what, sizeof what, "the end of the %s", s->span);
    ZW_TRY(zw_model_vector(m, s->at, what, &length, d.at, NULL));
    ZW_TRY(zw_model_vector(m, s->to, what, &length, numbers, NULL));
    if (s->what)
        ZW_TRY(zw_model_scalar(m, s->what, "the radius", &length, &numbers[3]));
    d.n = s->what ? 4 : 3;
    d.numbers = numbers;
    return zw_system_draw(m->sys, &d, m->err);
}

/* a solid of a body; one without extent is `bare` */
static zw_status solid_of(zw_model *m, const zw_entry *e, const zw_solid *p, const char *bare,
                          zw_drawing *d, char word[40], zw_expr *lengths) {
    const char *shape;
    d->name = e->name;
    d->frame = e->frame;
    d->numbers = lengths;
    ZW_TRY(zw_body_solid(m, p, &shape, d->at, &d->n, lengths));
    snprintf(word, 40, "%s%s", p->sign < 0 ? "hole " : "", shape ? shape : bare);
    d->shape = word;
    return ZW_OK;
}

/* every solid of the body as one drawing; a body without extent is drawn as its axes */
static zw_status draw_body(zw_model *m, const zw_stmt *s, const zw_entry *e) {
    for (const zw_solid *p = e->stmt->solids; p; p = p->next) {
        char word[40];
        zw_expr lengths[LENGTHS_MAX];
        zw_drawing d = drawing_of(s, NULL, e->name);
        ZW_TRY(solid_of(m, e, p, "axes", &d, word, lengths));
        ZW_TRY(zw_system_draw(m->sys, &d, m->err));
    }
    return ZW_OK;
}

/* a body, a particle, a point or a frame, by its name */
static zw_status draw_named(zw_model *m, const zw_stmt *s) {
    zw_entry *e = NULL;
    if (s->value->kind == ZW_ND_NAME && !zw_is_reserved(s->value->name))
        ZW_TRY(zw_model_resolve(m, s->value->name, s->value->place, &e));
    if (e && e->kind == ZW_ST_BODY)
        return draw_body(m, s, e);
    if (e && (e->kind == ZW_ST_PARTICLE || e->kind == ZW_ST_POINT)) {
        zw_drawing d = drawing_of(s, "point", e->name);
        memcpy(d.at, e->value.e, sizeof d.at);
        return zw_system_draw(m->sys, &d, m->err);
    }
    if (e && e->frame >= 0) {
        zw_drawing d = drawing_of(s, "axes", e->name);
        d.frame = e->frame;
        return zw_system_draw(m->sys, &d, m->err);
    }
    zw_fail_at(m->err, ZW_E_SYNTAX, s->value->place,
               "only bodies, particles, points and frames are drawn");
    zw_error_hint(m->err,
                  "draw ball; draw sphere(r) at P; draw box(a, b, c) on disk; draw line P to Q");
    return ZW_E_SYNTAX;
}

static zw_status unknown_shape(zw_model *m, const zw_syntax *shape) {
    const char *names[SHAPES];
    for (int i = 0; i < SHAPES; i++)
        names[i] = shapes[i].name;
    zw_fail_at(m->err, ZW_E_NAME, shape->place, "there is no shape '%s' to draw", shape->name);
    const char *near = zw_nearest(shape->name, SHAPES, names);
    if (near)
        zw_error_hint(m->err, "did you mean '%s'?", near);
    else
        zw_error_hint(
            m->err, "shapes are sphere, shell, bowl, disk, ring, torus, cylinder, cone, rod, box, "
                    "ellipsoid, plane; spans are line, link, spring, damper, arrow");
    return ZW_E_NAME;
}

static zw_status draw_shape(zw_model *m, const zw_stmt *s) {
    const zw_syntax *shape = s->value;
    int k = 0;
    while (k < SHAPES && strcmp(shapes[k].name, shape->name) != 0)
        k++;
    if (k == SHAPES)
        return unknown_shape(m, shape);
    int n = shape->n == shapes[k].most ? shapes[k].most : shapes[k].lengths;
    if (shape->n != n)
        return zw_fail_at(m->err, ZW_E_SYNTAX, shape->place, "%s is drawn with %d length%s, not %d",
                          shape->name, n, n == 1 ? "" : "s", shape->n);
    zw_drawing d = drawing_of(s, shape->name, s->word);
    zw_expr lengths[LENGTHS_MAX];
    zw_dim length = zw_model_dim(m, 0, 1, 0);
    for (int i = 0; i < n; i++)
        ZW_TRY(zw_model_scalar(m, shape->arg[i], "a length", &length, &lengths[i]));
    if (s->word[0])
        ZW_TRY(zw_model_frame(m, s->word, s->word_place, &d.frame));
    if (s->at)
        ZW_TRY(zw_model_vector(m, s->at, "the place of the drawing", &length, d.at, NULL));
    d.n = n;
    d.numbers = lengths;
    return zw_system_draw(m->sys, &d, m->err);
}

zw_status zw_build_draw(zw_model *m, zw_stmt *s) {
    ZW_TRY(check_colour(m, s));
    if (s->span)
        return draw_span(m, s);
    return s->value->kind == ZW_ND_CALL ? draw_shape(m, s) : draw_named(m, s);
}

zw_status zw_build_trace(zw_model *m, zw_stmt *s) {
    zw_drawing d = drawing_of(s, "trace", s->at->kind == ZW_ND_NAME ? s->at->name : NULL);
    zw_dim length = zw_model_dim(m, 0, 1, 0);
    ZW_TRY(check_colour(m, s));
    ZW_TRY(zw_model_vector(m, s->at, "a trace", &length, d.at, NULL));
    return zw_system_draw(m->sys, &d, m->err);
}

/* ---------------------------------------------------------------------------------- sketches */

bool zw_body_has_shape(const zw_entry *e) {
    for (const zw_solid *p = e->stmt->solids; p; p = p->next)
        if (strcmp(p->shape->name, "inertia") != 0 && strcmp(p->shape->name, "mass") != 0)
            return true;
    return false;
}

/* the solids that have a shape, and the points of a body that has one */
zw_status zw_sketch_body(zw_model *m, const zw_entry *e) {
    for (const zw_solid *p = e->stmt->solids; p && zw_body_has_shape(e); p = p->next) {
        char word[40];
        zw_expr lengths[LENGTHS_MAX];
        zw_drawing d = drawing_of(e->stmt, NULL, e->name);
        if (strcmp(p->shape->name, "inertia") == 0)
            continue;
        ZW_TRY(solid_of(m, e, p, "point", &d, word, lengths));
        if (p->sign < 0 && d.n == 0)
            continue; /* a mass that is subtracted is not visible */
        ZW_TRY(zw_system_sketch(m->sys, &d, m->err));
    }
    return ZW_OK;
}

zw_status zw_sketch_node(zw_model *m, const zw_stmt *s, const char *name, const zw_expr at[3]) {
    zw_drawing d = drawing_of(s, "node", name);
    memcpy(d.at, at, sizeof d.at);
    return zw_system_sketch(m->sys, &d, m->err);
}

zw_status zw_sketch_span(zw_model *m, const zw_stmt *s, const char *shape, const zw_expr from[3],
                         const zw_expr to[3]) {
    zw_drawing d = drawing_of(s, shape, s->name);
    memcpy(d.at, from, sizeof d.at);
    d.n = 3;
    d.numbers = to;
    return zw_system_sketch(m->sys, &d, m->err);
}

zw_status zw_sketch_shape(zw_model *m, const zw_stmt *s, const char *shape, const char *name,
                          int frame, const zw_expr at[3], int n, const zw_expr *numbers) {
    zw_drawing d = drawing_of(s, shape, name);
    if (at)
        memcpy(d.at, at, sizeof d.at);
    d.frame = frame;
    d.n = n;
    d.numbers = numbers;
    return zw_system_sketch(m->sys, &d, m->err);
}
