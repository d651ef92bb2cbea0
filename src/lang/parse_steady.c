/* SPDX-License-Identifier: MIT */
/* Steady motions in closed form. */
#include "parser.h"

/* name [unit] { "," name [unit] } */
static zw_status parse_free(zw_parser *p, zw_stmt *s) {
    zw_stmt **end = &s->free;
    do {
        zw_stmt *one = ZW_NEW(p->r->arena, zw_stmt, 1);
        if (!one)
            return zw_no_memory(p->r);
        *one = (zw_stmt){.kind = ZW_ST_STEADY, .place = s->place};
        ZW_TRY(zw_parse_new_name(p, one));
        ZW_TRY(zw_parse_unit(p, one));
        *end = one;
        end = &one->next;
    } while (zw_accept(p->r, ','));
    return ZW_OK;
}

/* [ "with" names ] ":" equations */
static zw_status parse_body(zw_parser *p, zw_stmt *s) {
    if (zw_accept_word(p->r, "with"))
        ZW_TRY(parse_free(p, s));
    ZW_TRY(zw_expect(p->r, ':', "after the name of the steady motion and its symbols"));
    return zw_parse_equations(p->r, s);
}

/* name [ "with" names ] ":" equations */
zw_status zw_parse_steady(zw_parser *p) {
    zw_stmt *s;
    ZW_TRY(zw_parse_add_named(p, ZW_ST_STEADY, &s));
    return parse_body(p, s);
}

/* [ "with" names ":" ] equations */
zw_status zw_parse_motion(zw_reader *r, zw_stmt **out) {
    zw_tree tree = {.end = &tree.first};
    zw_parser p = {.r = r, .tree = &tree, .keyword = {r->file, 1, 1}};
    zw_stmt *s;
    ZW_TRY(zw_parse_add(&p, ZW_ST_STEADY, &s));
    s->name = zw_intern_n(r->names, "--at", 4);
    s->name_place = p.keyword;
    if (!s->name)
        return zw_no_memory(r);
    ZW_TRY(zw_token_word(r, "with") ? parse_body(&p, s) : zw_parse_equations(r, s));
    if (zw_token_now(r)->kind != ZW_TK_LINE || r->token[r->at + 1].kind != ZW_TK_END)
        return zw_unexpected(r, "the end of the motion");
    *out = s;
    return ZW_OK;
}
