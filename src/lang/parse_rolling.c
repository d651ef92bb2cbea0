/* SPDX-License-Identifier: MIT */
/* The statement `rolling`, and the supports that it shares with contacts. */
#include "parser.h"

/* true at an axis, as zw_parse_axis reads it */
bool zw_at_axis(const zw_reader *r) {
    return zw_token_is(r, '(') || zw_token_is(r, '-') || zw_token_word(r, "x") ||
           zw_token_word(r, "y") || zw_token_word(r, "z");
}

/* [ "of" frame ] */
zw_status zw_parse_of(zw_parser *p, zw_support *on) {
    on->frame = "";
    if (!zw_accept_word(p->r, "of"))
        return ZW_OK;
    return zw_expect_name(p->r, "the name of a frame or body", &on->frame, &on->frame_place);
}

/* [ axis ] [ "height" sum ] [ "of" frame ] */
static zw_status parse_plane(zw_parser *p, zw_support *on) {
    if (zw_at_axis(p->r))
        ZW_TRY(zw_parse_axis(p, &on->normal));
    if (zw_accept_word(p->r, "height"))
        ZW_TRY(zw_parse_sum(p->r, &on->height));
    return zw_parse_of(p, on);
}

/* ( "centre" sum | "of" frame ) "radius" sum ( "inside" | "outside" ), for a contact also body
 * "radius" sum [ "inside" | "outside" ] */
static zw_status parse_ball(zw_parser *p, zw_support *on, bool contact) {
    zw_reader *r = p->r;
    on->sphere = true;
    on->frame = "";
    if (zw_accept_word(r, "centre") || zw_accept_word(r, "center"))
        ZW_TRY(zw_parse_sum(r, &on->centre));
    else if (zw_token_word(r, "of"))
        ZW_TRY(zw_parse_of(p, on));
    else if (contact && zw_token_now(r)->kind == ZW_TK_NAME && !zw_token_word(r, "radius"))
        ZW_TRY(zw_expect_name(r, "the name of a body", &on->frame, &on->frame_place));
    else
        return zw_unexpected(r, "'centre' and a point, or 'of' and a frame");
    if (!zw_accept_word(r, "radius"))
        return zw_unexpected(r, "'radius' and the radius of the fixed sphere");
    ZW_TRY(zw_parse_sum(r, &on->radius));
    bool inside = zw_accept_word(r, "inside");
    on->inside = on->inside || inside;
    if (!inside && !zw_accept_word(r, "outside") && !contact)
        return zw_unexpected(r, "'inside' or 'outside'");
    return ZW_OK;
}

zw_status zw_parse_support(zw_parser *p, zw_support *on, bool contact) {
    if (zw_accept_word(p->r, "plane"))
        return parse_plane(p, on);
    if (zw_accept_word(p->r, "sphere"))
        return parse_ball(p, on, contact);
    return zw_unexpected(p->r, "'plane' or 'sphere'");
}

/* "slipping" [ "sideways" ] | "may" "pull" | "stop" */
static zw_status parse_manner(zw_reader *r, zw_rolling *roll) {
    if (zw_accept_word(r, "slipping")) {
        roll->sideways = zw_accept_word(r, "sideways");
        roll->slips = !roll->sideways;
    } else if (zw_accept_word(r, "may")) {
        if (!zw_accept_word(r, "pull"))
            return zw_unexpected(r, "'may pull'");
        roll->may_pull = true;
    } else if (zw_accept_word(r, "stop")) {
        roll->stop = true;
    } else {
        return zw_unexpected(r, "'slipping', 'slipping sideways', 'may pull' or 'stop'");
    }
    return ZW_OK;
}

/* after the radius: "wire" sum of a torus, [ "fillet" sum ] of a disk */
zw_status zw_parse_rim(zw_reader *r, zw_rim *rim) {
    if (!zw_accept_word(r, rim->torus ? "wire" : "fillet"))
        return rim->torus ? zw_unexpected(r, "'wire' and the radius of the wire") : ZW_OK;
    return zw_parse_sum(r, &rim->round);
}

/* name [ "on" | "off" ] ":" ( "disk" | "torus" | "sphere" ) body "radius" sum rim
 * "on" ( "plane" plane | "sphere" sphere ) { "," manner } */
zw_status zw_parse_rolling(zw_parser *p) {
    zw_reader *r = p->r;
    zw_stmt *s;
    ZW_TRY(zw_parse_add_named(p, ZW_ST_ROLLING, &s));
    zw_rolling *roll = s->rolling = ZW_NEW(r->arena, zw_rolling, 1);
    if (!roll)
        return zw_no_memory(r);
    s->off = zw_accept_word(r, "off");
    if (!s->off)
        zw_accept_word(r, "on");
    ZW_TRY(zw_expect(r, ':', "after the name"));
    roll->rim.torus = zw_accept_word(r, "torus");
    roll->disk = roll->rim.torus || zw_accept_word(r, "disk");
    if (!roll->disk && !zw_accept_word(r, "sphere")) {
        zw_unexpected(r, "'disk', 'torus' or 'sphere'");
        zw_error_hint(r->err, "rolling NAME : disk BODY radius r on plane");
        return ZW_E_SYNTAX;
    }
    ZW_TRY(zw_expect_name(r, "the name of the body that rolls", &roll->body, &roll->body_place));
    if (!zw_accept_word(r, "radius"))
        return zw_unexpected(r, "'radius' and the radius of the body");
    ZW_TRY(zw_parse_sum(r, &roll->radius));
    if (roll->disk)
        ZW_TRY(zw_parse_rim(r, &roll->rim));
    if (!zw_accept_word(r, "on"))
        return zw_unexpected(r, "'on' and what the body rolls on");
    ZW_TRY(zw_parse_support(p, &roll->on, false));
    while (zw_accept(r, ','))
        ZW_TRY(parse_manner(r, roll));
    return ZW_OK;
}
