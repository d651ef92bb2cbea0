/* SPDX-License-Identifier: MIT */
/* The statement `contact`: the touching bodies, in parts in any order, and its laws. */
#include <string.h>

#include "parser.h"

/* law { "+" law }, where a law is a name with or without arguments: its meaning is not checked by
 * the grammar */
static zw_status parse_laws(zw_reader *r, zw_contact_text *t) {
    do {
        if (t->nlaw == ZW_LAWS_MAX)
            return zw_fail_at(r->err, ZW_E_SYNTAX, zw_token_place(r, zw_token_now(r)),
                              "more than %d laws for one contact", ZW_LAWS_MAX);
        zw_syntax *law;
        ZW_TRY(zw_parse_primary(r, &law));
        if (law->kind != ZW_ND_NAME && law->kind != ZW_ND_CALL) {
            zw_fail_at(r->err, ZW_E_SYNTAX, law->place, "a law is expected here");
            zw_error_hint(r->err, "for example law coulomb(mu), or law newton(e) + coulomb(mu)");
            return ZW_E_SYNTAX;
        }
        t->law[t->nlaw++] = law;
    } while (zw_accept(r, '+'));
    return ZW_OK;
}

/* an axis, or any vector */
static zw_status parse_normal(zw_parser *p, zw_syntax **out) {
    return zw_at_axis(p->r) ? zw_parse_axis(p, out) : zw_parse_sum(p->r, out);
}

static bool accept_sides(zw_reader *r, zw_contact_text *t) {
    int sides = zw_accept_word(r, "bilateral") ? 2 : zw_accept_word(r, "unilateral") ? 1 : 0;
    t->sides = sides ? sides : t->sides;
    return sides != 0;
}

/* ----------------------------------------------------------------------------------- geometry */

/* "sphere" body "radius" sum, "disk" body disk, "torus" body torus, "ellipsoid" body axes, "box"
 * body edges, "rod" body "length" sum, "point" sum [ "of" body ] */
static zw_status parse_toucher(zw_parser *p, zw_geometry *g) {
    zw_reader *r = p->r;
    if (g->shape == ZW_SHAPE_POINT) {
        g->place = zw_token_place(r, zw_token_now(r));
        ZW_TRY(zw_parse_sum(r, &g->point));
        g->body = "";
        return zw_accept_word(r, "of")
                   ? zw_expect_name(r, "the name of a body", &g->body, &g->place)
                   : ZW_OK;
    }
    ZW_TRY(zw_expect_name(r, "the name of the body that touches", &g->body, &g->place));
    if (g->shape == ZW_SHAPE_ELLIPSOID || g->shape == ZW_SHAPE_BOX)
        return zw_token_is(r, '(')        ? zw_parse_primary(r, &g->size)
               : g->shape == ZW_SHAPE_BOX ? zw_unexpected(r, "'(' and the edges of the box")
                                          : zw_unexpected(r, "'(' and the half axes");
    if (g->shape == ZW_SHAPE_ROD && !zw_accept_word(r, "length"))
        return zw_unexpected(r, "'length' and the length of the rod");
    if (g->shape != ZW_SHAPE_ROD && !zw_accept_word(r, "radius"))
        return zw_unexpected(r, "'radius' and the radius of the body");
    ZW_TRY(zw_parse_sum(r, &g->size));
    return g->shape == ZW_SHAPE_DISK ? zw_parse_rim(r, &g->rim) : ZW_OK;
}

/* "on" ( support | "surface" sum [ "of" frame ] ) */
static zw_status parse_surface(zw_parser *p, zw_geometry *g) {
    bool on = zw_accept_word(p->r, "on");
    if (on && (zw_token_word(p->r, "plane") || zw_token_word(p->r, "sphere")))
        return zw_parse_support(p, &g->on, true);
    if (!on || !zw_accept_word(p->r, "surface")) {
        zw_unexpected(
            p->r, "'on plane', 'on sphere', or 'on surface' and an expression that is zero there");
        zw_error_hint(p->r->err, "contact c : point P on surface z - a*x^2");
        return ZW_E_SYNTAX;
    }
    ZW_TRY(zw_parse_sum(p->r, &g->surface));
    return zw_parse_of(p, &g->on);
}

/* toucher ( "on" support | "inside" sphere ), for a point also on a surface */
static zw_status parse_geometry(zw_parser *p, zw_contact_text *t, zw_shape shape, bool torus) {
    zw_reader *r = p->r;
    zw_geometry *g = t->geometry = ZW_NEW(r->arena, zw_geometry, 1);
    if (!g)
        return zw_no_memory(r);
    g->shape = shape;
    g->rim.torus = torus;
    ZW_TRY(parse_toucher(p, g));
    if (shape == ZW_SHAPE_POINT)
        return parse_surface(p, g);
    bool fits = shape != ZW_SHAPE_DISK && shape != ZW_SHAPE_ELLIPSOID;
    g->on.inside = fits && zw_accept_word(r, "inside");
    if (g->on.inside && !zw_token_word(r, "sphere"))
        return zw_unexpected(r, "'sphere': a body is inside a sphere");
    if (!g->on.inside && !zw_accept_word(r, "on"))
        return zw_unexpected(r, "'on' and what the body touches");
    return zw_parse_support(p, &g->on, true);
}

/* true at a geometry */
static bool accept_shape(zw_reader *r, zw_shape *shape, bool *torus) {
    *torus = zw_token_word(r, "torus");
    static const struct {
        const char *word;
        zw_shape shape;
    } shapes[] = {{"sphere", ZW_SHAPE_SPHERE}, {"disk", ZW_SHAPE_DISK},
                  {"torus", ZW_SHAPE_DISK},    {"ellipsoid", ZW_SHAPE_ELLIPSOID},
                  {"box", ZW_SHAPE_BOX},       {"rod", ZW_SHAPE_ROD},
                  {"point", ZW_SHAPE_POINT}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (zw_accept_word(r, shapes[i].word)) {
            *shape = shapes[i].shape;
            return true;
        }
    return false;
}

/* "three" "points" */
static zw_status parse_three(zw_reader *r, zw_contact_text *t) {
    const zw_token *word = zw_token_now(r);
    if (!zw_accept_word(r, "three") || !zw_accept_word(r, "points"))
        return zw_unexpected(r, "'three points'");
    if (!t->geometry || t->geometry->shape != ZW_SHAPE_DISK)
        return zw_fail_at(r->err, ZW_E_SYNTAX, zw_token_place(r, word),
                          "three points need a disk or a torus");
    t->geometry->three = true;
    return ZW_OK;
}

/* ----------------------------------------------------------------------------------- parts */

/* the field for a part with this keyword; NULL if it is not an expression */
static zw_syntax **place_of(zw_reader *r, zw_contact_text *t) {
    return zw_accept_word(r, "gap")    ? &t->gap
           : zw_accept_word(r, "slip") ? &t->slip
           : zw_accept_word(r, "spin") ? &t->spin
           : zw_accept_word(r, "roll") ? &t->roll
           : zw_accept_word(r, "at")   ? &t->at
                                       : NULL;
}

/* geometry | "three" "points" | "gap" sum | "slip" sum | "spin" sum | "roll" sum | "at" sum |
 * "normal" axis | "law" laws | "bilateral" | "unilateral" | "stop" */
static zw_status parse_part(zw_parser *p, zw_contact_text *t) {
    zw_reader *r = p->r;
    const zw_token *word = zw_token_now(r);
    zw_syntax **part = place_of(r, t);
    bool again = part && *part;
    zw_shape shape;
    bool torus;
    if (part) {
        ZW_TRY(zw_parse_sum(r, part));
    } else if (accept_shape(r, &shape, &torus)) {
        again = t->geometry != NULL;
        ZW_TRY(parse_geometry(p, t, shape, torus));
    } else if (zw_token_word(r, "three")) {
        again = t->geometry && t->geometry->three;
        ZW_TRY(parse_three(r, t));
    } else if (zw_accept_word(r, "normal")) {
        again = t->normal != NULL;
        ZW_TRY(parse_normal(p, &t->normal));
    } else if (zw_accept_word(r, "law")) {
        again = t->nlaw > 0;
        ZW_TRY(parse_laws(r, t));
    } else if (zw_accept_word(r, "stop")) {
        again = t->stop;
        t->stop = true;
    } else if (zw_token_word(r, "bilateral") || zw_token_word(r, "unilateral")) {
        again = t->sides != 0;
        accept_sides(r, t);
    } else {
        zw_unexpected(r, "a part of the contact");
        zw_error_hint(r->err,
                      "its parts are gap, slip, normal, spin, roll, at, law, bilateral, or sphere, "
                      "disk, torus, ellipsoid, box, rod, point in place of the gap");
        return ZW_E_SYNTAX;
    }
    if (again)
        return zw_fail_at(r->err, ZW_E_SYNTAX, zw_token_place(r, word),
                          "'%.*s' is given twice in one contact", word->length, word->text);
    return ZW_OK;
}

static zw_status add_contact(zw_parser *p, zw_stmt **out) {
    ZW_TRY(zw_parse_add_named(p, ZW_ST_CONTACT, out));
    (*out)->touching = ZW_NEW(p->r->arena, zw_contact_text, 1);
    return (*out)->touching ? ZW_OK : zw_no_memory(p->r);
}

/* name [ "on" | "off" ] ":" part { "," part } */
zw_status zw_parse_contact(zw_parser *p) {
    zw_reader *r = p->r;
    zw_stmt *s;
    ZW_TRY(add_contact(p, &s));
    s->off = zw_accept_word(r, "off");
    if (!s->off)
        zw_accept_word(r, "on");
    ZW_TRY(zw_expect(r, ':', "after the name of the contact"));
    do
        ZW_TRY(parse_part(p, s->touching));
    while (zw_accept(r, ','));
    return ZW_OK;
}

zw_status zw_parse_law(zw_reader *r, zw_stmt **out) {
    zw_tree tree = {.end = &tree.first};
    zw_parser p = {.r = r, .tree = &tree, .keyword = {r->file, 1, 1}};
    ZW_TRY(add_contact(&p, out));
    ZW_TRY(zw_expect(r, '=', "and the law"));
    if (!accept_sides(r, (*out)->touching))
        ZW_TRY(parse_laws(r, (*out)->touching));
    if (zw_token_now(r)->kind != ZW_TK_LINE || r->token[r->at + 1].kind != ZW_TK_END)
        return zw_unexpected(r, "the end of the law");
    return ZW_OK;
}
