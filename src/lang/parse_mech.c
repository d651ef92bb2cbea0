/* SPDX-License-Identifier: MIT */
/* The statements of mechanics: frames and bodies, forces and energies, constraints and claims. The
 * grammar of each is given above its function. */
#include <string.h>

#include "parser.h"

/* "euler" sequence "(" name "," name "," name ")" */
static zw_status parse_euler(zw_parser *p, zw_stmt *s) {
    zw_reader *r = p->r;
    ZW_TRY(zw_expect_name(r, "a sequence of axes such as zxz", &s->word, &s->word_place));
    bool valid = strlen(s->word) == 3 && strspn(s->word, "xyz") == 3 && s->word[0] != s->word[1] &&
                 s->word[1] != s->word[2];
    if (!valid) {
        zw_fail_at(r->err, ZW_E_SYNTAX, s->word_place, "'%s' is no sequence of Euler angles",
                   s->word);
        zw_error_hint(r->err, "three axes, neighbours different: zxz, zyx, xyz, ...");
        return ZW_E_SYNTAX;
    }
    ZW_TRY(zw_expect(r, '(', "before the three angles"));
    s->n = 3;
    s->list = ZW_NEW(r->arena, zw_syntax *, 3);
    if (!s->list)
        return zw_no_memory(r);
    for (int i = 0; i < 3; i++) {
        zw_syntax *angle = zw_syntax_new(r, ZW_ND_NAME, (zw_place){0}, 0);
        if (!angle)
            return zw_no_memory(r);
        if (i)
            ZW_TRY(zw_expect(r, ',', "between the three angles"));
        ZW_TRY(zw_expect_name(r, "the name of an angle", &angle->name, &angle->place));
        s->list[i] = angle;
    }
    return zw_expect(r, ')', "after the three angles");
}

/* name [ "space" | "body" | "euler" ... ] */
zw_status zw_parse_rotation(zw_parser *p) {
    zw_stmt *s;
    ZW_TRY(zw_parse_add_named(p, ZW_ST_ROTATION, &s));
    if (zw_accept_word(p->r, "euler"))
        return parse_euler(p, s);
    s->space = zw_accept_word(p->r, "space");
    if (!s->space)
        zw_accept_word(p->r, "body");
    return ZW_OK;
}

/* [ "-" ] ( "x" | "y" | "z" ) | bracket */
zw_status zw_parse_axis(zw_parser *p, zw_syntax **out) {
    zw_reader *r = p->r;
    if (zw_token_is(r, '('))
        return zw_parse_primary(r, out);
    zw_place place = zw_token_place(r, zw_token_now(r));
    int sign = zw_accept(r, '-') ? -1 : 1;
    int axis = zw_accept_word(r, "x")   ? 0
               : zw_accept_word(r, "y") ? 1
               : zw_accept_word(r, "z") ? 2
                                        : 3;
    if (axis == 3)
        return zw_unexpected(r, "an axis (x, y, z, -z or a vector in brackets)");
    zw_syntax *tuple = zw_syntax_new(r, ZW_ND_TUPLE, place, 3);
    if (!tuple)
        return zw_no_memory(r);
    for (int i = 0; i < 3; i++) {
        zw_syntax *one = zw_syntax_new(r, ZW_ND_NUMBER, place, 0), *minus = NULL;
        if (!one)
            return zw_no_memory(r);
        one->name = i == axis ? "1" : "0";
        if (i == axis && sign < 0) {
            minus = zw_syntax_new(r, ZW_ND_NEG, place, 1);
            if (!minus)
                return zw_no_memory(r);
            minus->arg[0] = one;
        }
        tuple->arg[i] = minus ? minus : one;
    }
    *out = tuple;
    return ZW_OK;
}

/* name ":" [ parent ] { "rotate" axis sum | "at" sum } */
zw_status zw_parse_frame(zw_parser *p) {
    zw_reader *r = p->r;
    zw_stmt *s;
    ZW_TRY(zw_parse_add_named(p, ZW_ST_FRAME, &s));
    ZW_TRY(zw_expect(r, ':', "after the name of the frame"));
    s->word = "";
    if (!zw_token_word(r, "rotate") && !zw_token_word(r, "at"))
        ZW_TRY(zw_expect_name(r, "a frame, 'rotate' or 'at'", &s->word, &s->word_place));
    zw_move **end = &s->moves;
    for (;;) {
        bool turn = zw_accept_word(r, "rotate");
        if (!turn && !zw_accept_word(r, "at"))
            break;
        zw_move *move = *end = ZW_NEW(r->arena, zw_move, 1);
        if (!move)
            return zw_no_memory(r);
        if (turn)
            ZW_TRY(zw_parse_axis(p, &move->axis));
        ZW_TRY(zw_parse_sum(r, &move->value));
        end = &move->next;
    }
    if (!s->moves)
        return zw_unexpected(r, "'rotate' or 'at'");
    return ZW_OK;
}

/* name ":" sum */
zw_status zw_parse_point(zw_parser *p) {
    zw_stmt *s;
    ZW_TRY(zw_parse_add_named(p, ZW_ST_POINT, &s));
    ZW_TRY(zw_expect(p->r, ':', "after the name of the point"));
    return zw_parse_sum(p->r, &s->value);
}

/* name ":" sum "at" sum [ ( "exhaust" | "intake" ) sum ] */
zw_status zw_parse_particle(zw_parser *p) {
    zw_stmt *s;
    ZW_TRY(zw_parse_add_named(p, ZW_ST_PARTICLE, &s));
    ZW_TRY(zw_expect(p->r, ':', "after the name of the particle"));
    ZW_TRY(zw_parse_sum(p->r, &s->value));
    if (!zw_accept_word(p->r, "at"))
        return zw_unexpected(p->r, "'at' and the position");
    ZW_TRY(zw_parse_sum(p->r, &s->at));
    s->word_place = zw_token_place(p->r, zw_token_now(p->r));
    s->word = zw_accept_word(p->r, "exhaust")  ? "exhaust"
              : zw_accept_word(p->r, "intake") ? "intake"
                                               : "";
    return s->word[0] ? zw_parse_sum(p->r, &s->what) : ZW_OK;
}

/* shape "(" ... ")" | "hole" "(" shape "(" ... ")" ")" */
static zw_status parse_solid(zw_parser *p, int sign, zw_solid **out) {
    zw_reader *r = p->r;
    zw_solid *solid = ZW_NEW(r->arena, zw_solid, 1);
    if (!solid)
        return zw_no_memory(r);
    ZW_TRY(zw_parse_primary(r, &solid->shape));
    if (solid->shape->kind == ZW_ND_CALL && solid->shape->n == 1 &&
        strcmp(solid->shape->name, "hole") == 0) {
        solid->shape = solid->shape->arg[0];
        sign = -sign;
    }
    if (solid->shape->kind != ZW_ND_CALL) {
        zw_fail_at(r->err, ZW_E_SYNTAX, solid->shape->place, "a solid is expected here");
        zw_error_hint(r->err,
                      "for example sphere(m, r), cylinder(rho, r, h), inertia(m, Jx, Jy, Jz)");
        return ZW_E_SYNTAX;
    }
    solid->sign = sign;
    *out = solid;
    return ZW_OK;
}

/* true at "name (": a solid, not a frame */
static bool at_solid(const zw_reader *r) {
    const zw_token *t = zw_token_now(r);
    return t->kind == ZW_TK_NAME && t[1].kind == ZW_TK_CHAR && t[1].symbol == '(' &&
           !zw_token_word(r, "at");
}

/* "body b : solid at P" places the body at P; only a second solid could follow */
static zw_status one_solid_only(zw_parser *p) {
    if (!zw_token_is(p->r, '+') && !zw_token_is(p->r, '-') && !zw_token_is(p->r, ','))
        return ZW_OK;
    zw_unexpected(p->r, "the end of the statement");
    zw_error_hint(p->r->err, "a body of several solids needs its position first: body b : at (x, "
                             "y, z), sphere(m, r) + rod(m, l) at (a, 0, 0)");
    return ZW_E_SYNTAX;
}

/* name ":" solid [ "at" sum ]
 * name ":" ( frame [ "at" sum ] | "at" sum ) "," solid { ("+" | "-") solid } */
zw_status zw_parse_body(zw_parser *p) {
    zw_reader *r = p->r;
    zw_stmt *s;
    ZW_TRY(zw_parse_add_named(p, ZW_ST_BODY, &s));
    ZW_TRY(zw_expect(r, ':', "after the name of the body"));
    s->word = "";
    if (at_solid(r)) {
        ZW_TRY(parse_solid(p, 1, &s->solids));
        if (zw_accept_word(r, "at"))
            ZW_TRY(zw_parse_sum(r, &s->at));
        return one_solid_only(p);
    }
    if (!zw_token_word(r, "at"))
        ZW_TRY(zw_expect_name(r, "a frame, 'at' or a solid", &s->word, &s->word_place));
    if (zw_accept_word(r, "at"))
        ZW_TRY(zw_parse_sum(r, &s->at));
    ZW_TRY(zw_expect(r, ',', "and the solids of the body"));
    int sign = 1;
    for (zw_solid **end = &s->solids;; end = &(*end)->next) {
        ZW_TRY(parse_solid(p, sign, end));
        if (zw_accept_word(r, "at"))
            ZW_TRY(zw_parse_primary(r, &(*end)->at));
        if (zw_token_is(r, '+') || zw_token_is(r, '-'))
            sign = zw_accept(r, '+') ? 1 : (r->at++, -1);
        else
            return ZW_OK;
    }
}

/* sum "along" axis-or-vector */
zw_status zw_parse_gravity(zw_parser *p) {
    zw_stmt *s;
    ZW_TRY(zw_parse_add(p, ZW_ST_GRAVITY, &s));
    ZW_TRY(zw_parse_sum(p->r, &s->value));
    if (!zw_accept_word(p->r, "along"))
        return zw_unexpected(p->r, "'along' and a direction such as -z");
    return zw_parse_axis(p, &s->what);
}

static zw_status parse_energy(zw_parser *p, zw_stmt_kind kind) {
    zw_stmt *s;
    ZW_TRY(zw_parse_add(p, kind, &s));
    return zw_parse_sum(p->r, &s->value);
}

zw_status zw_parse_kinetic(zw_parser *p) {
    return parse_energy(p, ZW_ST_KINETIC);
}

zw_status zw_parse_potential(zw_parser *p) {
    return parse_energy(p, ZW_ST_POTENTIAL);
}

zw_status zw_parse_dissipation(zw_parser *p) {
    return parse_energy(p, ZW_ST_DISSIPATION);
}

/* "on" body */
static zw_status parse_on(zw_parser *p, zw_stmt *s) {
    return zw_expect_name(p->r, "the name of a body or frame", &s->word, &s->word_place);
}

/* "(" name { "," name } ")": the coordinates of a generalised force */
static zw_status parse_targets(zw_parser *p, zw_stmt *s) {
    zw_reader *r = p->r;
    s->list = ZW_NEW(r->arena, zw_syntax *, ZW_TUPLE_MAX);
    if (!s->list)
        return zw_no_memory(r);
    do {
        if (s->n == ZW_TUPLE_MAX)
            return zw_fail_at(r->err, ZW_E_SYNTAX, s->place, "more than %d coordinates",
                              ZW_TUPLE_MAX);
        zw_syntax *target = zw_syntax_new(r, ZW_ND_NAME, (zw_place){0}, 0);
        if (!target)
            return zw_no_memory(r);
        ZW_TRY(zw_expect_name(r, "the name of a coordinate", &target->name, &target->place));
        s->list[s->n++] = target;
    } while (zw_accept(r, ','));
    return zw_expect(r, ')', "after the coordinates");
}

/* "(" coordinates ")" | "at" sum [ "on" body ]; *found: one of them is here */
static zw_status parse_working(zw_parser *p, zw_stmt *s, bool *found) {
    zw_reader *r = p->r;
    s->word = "";
    *found = true;
    if (zw_accept(r, '('))
        return parse_targets(p, s);
    *found = zw_accept_word(r, "at");
    if (!*found)
        return ZW_OK;
    ZW_TRY(zw_parse_sum(r, &s->at));
    return zw_accept_word(r, "on") ? parse_on(p, s) : ZW_OK;
}

/* [ name ] ( "(" coordinates ")" | "at" sum [ "on" body ] ) "=" sum */
zw_status zw_parse_force(zw_parser *p) {
    zw_reader *r = p->r;
    zw_stmt *s;
    bool found;
    ZW_TRY(zw_parse_add(p, ZW_ST_FORCE, &s));
    if (zw_token_now(r)->kind == ZW_TK_NAME && !zw_token_word(r, "at"))
        ZW_TRY(zw_parse_new_name(p, s));
    ZW_TRY(parse_working(p, s, &found));
    if (!found) {
        zw_unexpected(r, "'(' or 'at'");
        zw_error_hint(r->err, "force (x, y) = ... works on coordinates, "
                              "force F at P = ... on a point");
        return ZW_E_SYNTAX;
    }
    ZW_TRY(zw_expect(r, '=', "and the force"));
    return zw_parse_sum(r, &s->value);
}

/* [ name ] "on" body "=" sum */
zw_status zw_parse_torque(zw_parser *p) {
    zw_stmt *s;
    ZW_TRY(zw_parse_add(p, ZW_ST_TORQUE, &s));
    if (!zw_token_word(p->r, "on"))
        ZW_TRY(zw_parse_new_name(p, s));
    if (!zw_accept_word(p->r, "on"))
        return zw_unexpected(p->r, "'on' and the name of a body or frame");
    ZW_TRY(parse_on(p, s));
    ZW_TRY(zw_expect(p->r, '=', "and the torque"));
    return zw_parse_sum(p->r, &s->value);
}

static zw_status no_work(zw_reader *r, const char *what) {
    zw_unexpected(r, what);
    zw_error_hint(r->err,
                  "nonideal wire : work (x, y) = -c*(x', y') on coordinates, work at P = ... "
                  "on a point, work on B = ... a torque on a body");
    return ZW_E_SYNTAX;
}

/* "work" ( "(" coordinates ")" | "at" sum [ "on" body ] | "on" body ) "=" sum */
static zw_status parse_work(zw_parser *p, zw_stmt **out) {
    zw_reader *r = p->r;
    bool found;
    zw_stmt *work = *out = ZW_NEW(r->arena, zw_stmt, 1);
    if (!work)
        return zw_no_memory(r);
    *work = (zw_stmt){.kind = ZW_ST_FORCE, .name = "", .place = zw_token_place(r, zw_token_now(r))};
    if (!zw_accept_word(r, "work"))
        return no_work(r, "'work'");
    ZW_TRY(parse_working(p, work, &found));
    if (!found) {
        if (!zw_accept_word(r, "on"))
            return no_work(r, "'(', 'at' or 'on'");
        work->kind = ZW_ST_TORQUE;
        ZW_TRY(parse_on(p, work));
    }
    ZW_TRY(zw_expect(r, '=', "and what works"));
    return zw_parse_sum(r, &work->value);
}

/* constraint ":" work { "," work } */
zw_status zw_parse_nonideal(zw_parser *p) {
    zw_stmt *s;
    ZW_TRY(zw_parse_add(p, ZW_ST_NONIDEAL, &s));
    ZW_TRY(zw_expect_constraint(p->r, &s->name, &s->name_place));
    ZW_TRY(zw_expect(p->r, ':', "after the name of the constraint"));
    zw_stmt **end = &s->works;
    do {
        ZW_TRY(parse_work(p, end));
        end = &(*end)->next;
    } while (zw_accept(p->r, ','));
    return ZW_OK;
}

/* name ":" sum "," sum "to" sum */
static zw_status parse_link(zw_parser *p, zw_stmt_kind kind, zw_stmt **out) {
    zw_stmt *s;
    ZW_TRY(zw_parse_add_named(p, kind, &s));
    *out = s;
    ZW_TRY(zw_expect(p->r, ':', "after the name"));
    ZW_TRY(zw_parse_sum(p->r, &s->value));
    ZW_TRY(zw_expect(p->r, ',', "and the two points"));
    ZW_TRY(zw_parse_sum(p->r, &s->at));
    if (!zw_accept_word(p->r, "to"))
        return zw_unexpected(p->r, "'to' and the second point");
    return zw_parse_sum(p->r, &s->to);
}

/* link [ "," "length" sum ] */
zw_status zw_parse_spring(zw_parser *p) {
    zw_stmt *s;
    ZW_TRY(parse_link(p, ZW_ST_SPRING, &s));
    if (!zw_accept(p->r, ','))
        return ZW_OK;
    if (!zw_accept_word(p->r, "length"))
        return zw_unexpected(p->r, "'length' and the length of the free spring");
    return zw_parse_sum(p->r, &s->what);
}

zw_status zw_parse_damper(zw_parser *p) {
    zw_stmt *s;
    return parse_link(p, ZW_ST_DAMPER, &s);
}

/* "=", or for all equations of a constraint ">=" or "<=" */
static zw_status parse_relation(zw_reader *r, zw_stmt *s) {
    const zw_token *t = zw_token_now(r);
    int inequality = t->kind == ZW_TK_GE ? 1 : t->kind == ZW_TK_LE ? -1 : 0;
    if (s->kind != ZW_ST_CONSTRAINT || !inequality)
        ZW_TRY(zw_expect(r, '=', "between the two sides of the equation"));
    else
        r->at++;
    if (s->kind == ZW_ST_CONSTRAINT && s->n > 0 && inequality != s->inequality)
        return zw_fail_at(r->err, ZW_E_SYNTAX, zw_token_place(r, t),
                          "the parts of a constraint have the same sign: all =, all >= or all <=");
    s->inequality = s->kind == ZW_ST_CONSTRAINT ? inequality : 0;
    return ZW_OK;
}

/* sum relation sum { "," sum relation sum } */
static zw_status parse_pairs(zw_reader *r, zw_stmt *s, int *n, zw_syntax ***pairs) {
    int capacity = 0;
    do {
        void *list = *pairs;
        /* sides come in pairs and the capacity is even: space for one is space for two */
        if (!zw_arena_grow(r->arena, &list, *n, &capacity, sizeof(zw_syntax *)))
            return zw_no_memory(r);
        *pairs = list;
        ZW_TRY(zw_parse_sum(r, &(*pairs)[*n]));
        ZW_TRY(parse_relation(r, s));
        ZW_TRY(zw_parse_sum(r, &(*pairs)[*n + 1]));
        *n += 2;
    } while (zw_accept(r, ','));
    return ZW_OK;
}

zw_status zw_parse_equations(zw_reader *r, zw_stmt *s) {
    return parse_pairs(r, s, &s->n, &s->list);
}

/* name [ "on" | "off" ] ":" equations */
zw_status zw_parse_constraint(zw_parser *p) {
    zw_reader *r = p->r;
    zw_stmt *s;
    ZW_TRY(zw_parse_add_named(p, ZW_ST_CONSTRAINT, &s));
    s->off = zw_accept_word(r, "off");
    if (!s->off)
        zw_accept_word(r, "on");
    ZW_TRY(zw_expect(r, ':', "after the name of the constraint"));
    return zw_parse_equations(r, s);
}

/* ------------------------------------------------------------------------------------- claims */

/* a name with hyphens: gibbs-appell */
static zw_status parse_principle(zw_reader *r, zw_terms *t) {
    const zw_token *first = zw_token_now(r), *last = first;
    const char *part;
    ZW_TRY(zw_expect_name(r, "the name of a principle", &part, &t->principle_place));
    while (zw_token_is(r, '-') && r->token[r->at + 1].kind == ZW_TK_NAME) {
        last = &r->token[r->at + 1];
        r->at += 2;
    }
    t->principle =
        zw_intern_n(r->names, first->text, (size_t)(last->text + last->length - first->text));
    return t->principle ? ZW_OK : zw_no_memory(r);
}

/* "(" equations ")" */
static zw_status parse_in_brackets(zw_reader *r, zw_stmt *s, const char *where, int *n,
                                   zw_syntax ***pairs) {
    ZW_TRY(zw_expect(r, '(', where));
    ZW_TRY(parse_pairs(r, s, n, pairs));
    return zw_expect(r, ')', "after the last of these equations");
}

static zw_status parse_number_of_order(zw_reader *r, zw_terms *t, const char *wanted) {
    if (!zw_accept_word(r, "order"))
        return zw_unexpected(r, wanted);
    return zw_parse_sum(r, &t->order);
}

/* the terms before the colon, each at most once */
static zw_status parse_terms(zw_reader *r, zw_stmt *s, zw_terms *t) {
    while (!zw_token_is(r, ':')) {
        const zw_token *word = zw_token_now(r);
        bool again;
        if (zw_accept_word(r, "by")) {
            again = t->principle != NULL;
            ZW_TRY(parse_principle(r, t));
        } else if (zw_accept_word(r, "up")) {
            again = t->order != NULL;
            const char *wanted = "'to order' and a number (up to order 3)";
            if (!zw_accept_word(r, "to"))
                return zw_unexpected(r, wanted);
            ZW_TRY(parse_number_of_order(r, t, wanted));
        } else if (zw_accept_word(r, "of")) {
            again = t->order != NULL;
            t->exact = true;
            ZW_TRY(parse_number_of_order(r, t, "'order' and a number (of order 2)"));
        } else if (zw_accept_word(r, "as")) {
            again = t->printed;
            t->printed = zw_accept_word(r, "printed");
            if (!t->printed)
                return zw_unexpected(r, "'printed' (as printed)");
        } else if (zw_accept_word(r, "about")) {
            again = t->nabout > 0;
            ZW_TRY(parse_in_brackets(r, s, "and the state: about (x = 0, x' = 0)", &t->nabout,
                                     &t->about));
        } else if (zw_accept_word(r, "along")) {
            again = t->nalong > 0;
            ZW_TRY(parse_in_brackets(r, s, "and a motion: along (x = a*sin(w*t))", &t->nalong,
                                     &t->along));
        } else {
            zw_unexpected(r, "':' after the name of the claim");
            zw_error_hint(r->err, "before the colon may stand by PRINCIPLE, up to order NUMBER, "
                                  "of order NUMBER, about (x = 0, ...), along (x = "
                                  "a*sin(w*t), ...), as printed");
            return ZW_E_SYNTAX;
        }
        if (again)
            return zw_fail_at(r->err, ZW_E_SYNTAX, zw_token_place(r, word),
                              "'%.*s' is given twice in one claim", word->length, word->text);
    }
    return ZW_OK;
}

/* name terms ":" equations */
zw_status zw_parse_claim(zw_parser *p) {
    zw_reader *r = p->r;
    zw_stmt *s;
    ZW_TRY(zw_parse_add_named(p, ZW_ST_CLAIM, &s));
    if (!zw_token_is(r, ':')) {
        s->terms = ZW_NEW(r->arena, zw_terms, 1);
        if (!s->terms)
            return zw_no_memory(r);
        ZW_TRY(parse_terms(r, s, s->terms));
    }
    ZW_TRY(zw_expect(r, ':', "after the name of the claim"));
    return zw_parse_equations(r, s);
}
