/* SPDX-License-Identifier: MIT */
/* The statement `slow-fast`: the fast variables and the small parameter. */
#include "parser.h"

/* "-" "fast" name ":" "fast" sum { "," sum }, after "slow" */
zw_status zw_parse_slow_fast(zw_parser *p) {
    zw_reader *r = p->r;
    zw_stmt *s;
    int capacity = 0;
    ZW_TRY(zw_parse_add(p, ZW_ST_SLOW_FAST, &s));
    if (!zw_accept(r, '-') || !zw_accept_word(r, "fast"))
        return zw_unexpected(r, "slow-fast EPS : fast ...");
    ZW_TRY(zw_expect_name(r, "the small parameter", &s->word, &s->word_place));
    ZW_TRY(zw_expect(r, ':', "after the small parameter"));
    if (!zw_accept_word(r, "fast"))
        return zw_unexpected(r, "'fast' and what is fast");
    do {
        void *list = s->list;
        if (!zw_arena_grow(r->arena, &list, s->n, &capacity, sizeof(zw_syntax *)))
            return zw_no_memory(r);
        s->list = list;
        ZW_TRY(zw_parse_sum(r, &s->list[s->n++]));
    } while (zw_accept(r, ','));
    return ZW_OK;
}
