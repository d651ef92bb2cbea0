/* SPDX-License-Identifier: MIT */
/* Pictures:
 *   draw   item { "," item }      trace  sum [ look ] { "," sum [ look ] }
 *   item = ( span sum "to" sum [ "radius" sum ] | name "(" ... ")" place | name ) [ look ]
 *   span = "line" | "link" | "spring" | "damper" | "arrow"
 *   place = "at" sum | "on" name [ "at" sum ]
 *   look = "colour" name | "clear", in any order */
#include "parser.h"

static const char *const spans[] = {"line", "link", "spring", "damper", "arrow"};

/* The span at this word. One of these words may also be the name of a thing to draw, which is not
 * followed by a point. */
static const char *accept_span(zw_reader *r) {
    const zw_token *next = zw_token_now(r) + 1;
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
        if (!zw_token_word(r, spans[i]))
            continue;
        if (next->kind == ZW_TK_END || next->kind == ZW_TK_LINE ||
            (next->kind == ZW_TK_CHAR && next->symbol == ','))
            return NULL;
        zw_accept_word(r, spans[i]);
        return spans[i];
    }
    return NULL;
}

static zw_status parse_style(zw_reader *r, zw_stmt *s) {
    for (;;) {
        if (zw_accept_word(r, "clear"))
            s->clear = true;
        else if (zw_accept_word(r, "colour") || zw_accept_word(r, "color"))
            ZW_TRY(zw_expect_name(r, "the name of a colour", &s->colour, &s->colour_place));
        else
            return ZW_OK;
    }
}

static zw_status parse_span(zw_reader *r, zw_stmt *s) {
    ZW_TRY(zw_parse_sum(r, &s->at));
    if (!zw_accept_word(r, "to"))
        return zw_unexpected(r, "'to' and the other end");
    ZW_TRY(zw_parse_sum(r, &s->to));
    return zw_accept_word(r, "radius") ? zw_parse_sum(r, &s->what) : ZW_OK;
}

static zw_status parse_item(zw_reader *r, zw_stmt *s) {
    ZW_TRY(zw_parse_primary(r, &s->value));
    if (s->value->kind != ZW_ND_CALL)
        return ZW_OK;
    if (zw_accept_word(r, "on"))
        ZW_TRY(zw_expect_name(r, "the name of a body or frame", &s->word, &s->word_place));
    if (zw_accept_word(r, "at"))
        return zw_parse_sum(r, &s->at);
    return s->word[0] ? ZW_OK : zw_unexpected(r, "'at' and a point, or 'on' and a body");
}

zw_status zw_parse_draw(zw_parser *p) {
    zw_reader *r = p->r;
    do {
        zw_stmt *s;
        ZW_TRY(zw_parse_add(p, ZW_ST_DRAW, &s));
        s->word = "";
        s->span = accept_span(r);
        ZW_TRY(s->span ? parse_span(r, s) : parse_item(r, s));
        ZW_TRY(parse_style(r, s));
    } while (zw_accept(r, ','));
    return ZW_OK;
}

zw_status zw_parse_trace(zw_parser *p) {
    do {
        zw_stmt *s;
        ZW_TRY(zw_parse_add(p, ZW_ST_TRACE, &s));
        ZW_TRY(zw_parse_sum(p->r, &s->at));
        ZW_TRY(parse_style(p->r, s));
    } while (zw_accept(p->r, ','));
    return ZW_OK;
}
