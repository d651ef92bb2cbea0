/* SPDX-License-Identifier: MIT */
/* The statement parser: parser.c (model, definitions, run), parse_mech.c (mechanics),
 * parse_rolling.c, parse_contact.c, parse_event.c and parse_draw.c (pictures). */
#ifndef ZW_LANG_PARSER_H
#define ZW_LANG_PARSER_H

#include "syntax.h"

/* The target of the statement functions: the model, or a variant of it. */
typedef struct zw_parser {
    zw_reader *r;
    zw_tree *tree;
    zw_variant *variant; /* NULL outside variant ... end */
    zw_place keyword;
    bool unclosed; /* a variant was not ended before the next one, which has been reported */
} zw_parser;

/* A new statement at the end of the model or variant, without or with the name it declares. */
zw_status zw_parse_add(zw_parser *p, zw_stmt_kind kind, zw_stmt **out);
zw_status zw_parse_add_named(zw_parser *p, zw_stmt_kind kind, zw_stmt **out);
zw_status zw_parse_new_name(zw_parser *p, zw_stmt *s);

/* [ "[" unit "]" ] */
zw_status zw_parse_unit(zw_parser *p, zw_stmt *s);
/* [ "-" ] ( "x" | "y" | "z" ) | bracket; true if one is here. */
zw_status zw_parse_axis(zw_parser *p, zw_syntax **out);
bool zw_at_axis(const zw_reader *r);
/* The rim of a disc or a torus, after its radius. */
zw_status zw_parse_rim(zw_reader *r, zw_rim *rim);
/* "plane" ... | "sphere" ..., as after "on"; for a contact `sphere BODY radius R` is outside. */
zw_status zw_parse_support(zw_parser *p, zw_support *on, bool contact);
/* [ "of" frame ] */
zw_status zw_parse_of(zw_parser *p, zw_support *on);
/* sum relation sum { "," sum relation sum } */
zw_status zw_parse_equations(zw_reader *r, zw_stmt *s);

zw_status zw_parse_rotation(zw_parser *p);
zw_status zw_parse_frame(zw_parser *p);
zw_status zw_parse_point(zw_parser *p);
zw_status zw_parse_particle(zw_parser *p);
zw_status zw_parse_body(zw_parser *p);
zw_status zw_parse_gravity(zw_parser *p);
zw_status zw_parse_kinetic(zw_parser *p);
zw_status zw_parse_potential(zw_parser *p);
zw_status zw_parse_dissipation(zw_parser *p);
zw_status zw_parse_force(zw_parser *p);
zw_status zw_parse_torque(zw_parser *p);
zw_status zw_parse_spring(zw_parser *p);
zw_status zw_parse_damper(zw_parser *p);
zw_status zw_parse_constraint(zw_parser *p);
zw_status zw_parse_claim(zw_parser *p);
zw_status zw_parse_steady(zw_parser *p);
zw_status zw_parse_slow_fast(zw_parser *p);
zw_status zw_parse_rolling(zw_parser *p);
zw_status zw_parse_nonideal(zw_parser *p);
zw_status zw_parse_contact(zw_parser *p);
zw_status zw_parse_event(zw_parser *p);
zw_status zw_parse_draw(zw_parser *p);
zw_status zw_parse_trace(zw_parser *p);

#endif
