/* SPDX-License-Identifier: MIT */
/* Events and their actions:
 *
 *     event  = name ":" ( sum [ "rising" | "falling" | "both" ] | "every" sum [ "from" sum ] )
 *              [ [ "," ] action { "," action } ]
 *     action = "stop" | "record" | "variant" name
 *            | "set" primary "=" sum { "," primary "=" sum }
 *            | "switch" ( "on" | "off" ) constraint { "," [ "on" | "off" ] constraint }
 *
 * The words of the actions are not reserved: a parameter may be called stop. Such a word begins an
 * action unless it is used as a variable, followed by =, a prime or a dot. */
#include <stdio.h>
#include <string.h>

#include "base/option.h"
#include "parser.h"

static const char *const words[] = {"stop",    "record", "set",     "switch",
                                    "variant", "rising", "falling", "both"};
enum { ACTIONS = 5, WORDS = sizeof words / sizeof *words };

static bool is_word(const zw_token *t, const char *word) {
    return t->kind == ZW_TK_NAME && (size_t)t->length == strlen(word) &&
           strncmp(t->text, word, strlen(word)) == 0;
}

/* true if an action begins at this token; a name is never the last token */
static bool begins_action(const zw_token *t) {
    const zw_token *next = t + 1;
    bool variable = next->kind == ZW_TK_PRIME || next->kind == ZW_TK_DOT ||
                    (next->kind == ZW_TK_CHAR && next->symbol == '=');
    for (int i = 0; i < ACTIONS; i++)
        if (is_word(t, words[i]))
            return !variable;
    return false;
}

/* a comma that continues the list of the same action */
static bool accept_more(zw_reader *r) {
    if (!zw_token_is(r, ',') || begins_action(zw_token_now(r) + 1))
        return false;
    r->at++;
    return true;
}

static zw_status add_action(zw_reader *r, zw_stmt *s, zw_action_kind kind, zw_action_text **out) {
    zw_action_text **end = &s->actions;
    while (*end)
        end = &(*end)->next;
    *out = *end = ZW_NEW(r->arena, zw_action_text, 1);
    if (!*end)
        return zw_no_memory(r);
    **end = (zw_action_text){.kind = kind, .place = zw_token_place(r, zw_token_now(r))};
    return ZW_OK;
}

static zw_status parse_set(zw_reader *r, zw_stmt *s) {
    do {
        zw_action_text *d;
        ZW_TRY(add_action(r, s, ZW_ACTION_SET, &d));
        ZW_TRY(zw_parse_primary(r, &d->what));
        ZW_TRY(zw_expect(r, '=', "and the new value"));
        ZW_TRY(zw_parse_sum(r, &d->value));
    } while (accept_more(r));
    return ZW_OK;
}

static zw_status parse_switch(zw_reader *r, zw_stmt *s) {
    zw_action_kind kind = ZW_ACTION_SET; /* neither on nor off has been given yet */
    do {
        zw_action_text *d;
        if (zw_accept_word(r, "on"))
            kind = ZW_ACTION_ON;
        else if (zw_accept_word(r, "off"))
            kind = ZW_ACTION_OFF;
        if (kind == ZW_ACTION_SET) {
            zw_unexpected(r, "'on' or 'off'");
            zw_error_hint(r->err, "switch off roll, on slide");
            return ZW_E_SYNTAX;
        }
        ZW_TRY(add_action(r, s, kind, &d));
        ZW_TRY(zw_expect_constraint(r, &d->name, &d->place));
    } while (accept_more(r));
    return ZW_OK;
}

static zw_status parse_variant_action(zw_reader *r, zw_stmt *s) {
    zw_action_text *d;
    ZW_TRY(add_action(r, s, ZW_ACTION_VARIANT, &d));
    return zw_expect_name(r, "the name of a variant, or none,", &d->name, &d->place);
}

/* the word that may have been intended */
static zw_status unknown_word(zw_reader *r, const char *expected, int n) {
    const zw_token *t = zw_token_now(r);
    char word[64];
    snprintf(word, sizeof word, "%.*s", t->length < 63 ? t->length : 63, t->text);
    zw_unexpected(r, expected);
    const char *near = t->kind == ZW_TK_NAME ? zw_nearest(word, n, words) : NULL;
    if (near)
        zw_error_hint(r->err, "did you mean %s?", near);
    return ZW_E_SYNTAX;
}

static zw_status parse_action(zw_reader *r, zw_stmt *s) {
    if (zw_accept_word(r, "stop")) {
        s->stop = true;
        return ZW_OK;
    }
    if (zw_accept_word(r, "record"))
        return ZW_OK;
    if (zw_accept_word(r, "set"))
        return parse_set(r, s);
    if (zw_accept_word(r, "switch"))
        return parse_switch(r, s);
    if (zw_accept_word(r, "variant"))
        return parse_variant_action(r, s);
    return unknown_word(r, "stop, record, set, switch or variant", ACTIONS);
}

/* "every" is not reserved: it is a keyword if a value follows */
static bool at_clock(const zw_reader *r) {
    const zw_token *t = zw_token_now(r), *next = t + 1;
    return is_word(t, "every") && (next->kind == ZW_TK_NAME || next->kind == ZW_TK_NUMBER ||
                                   (next->kind == ZW_TK_CHAR && next->symbol == '('));
}

static zw_status parse_clock(zw_reader *r, zw_stmt *s) {
    r->at++;
    s->clock = true;
    ZW_TRY(zw_parse_sum(r, &s->value));
    return zw_accept_word(r, "from") ? zw_parse_sum(r, &s->at) : ZW_OK;
}

static zw_status parse_zero(zw_reader *r, zw_stmt *s) {
    ZW_TRY(zw_parse_sum(r, &s->value));
    if (zw_accept_word(r, "rising"))
        s->direction = 1;
    else if (zw_accept_word(r, "falling"))
        s->direction = -1;
    else
        zw_accept_word(r, "both");
    return ZW_OK;
}

/* length of the text of the tokens from..to; 0 if it is too long for a line of advice */
static int text_length(const zw_reader *r, int from, int to) {
    const zw_token *first = &r->token[from], *last = &r->token[to - 1];
    ptrdiff_t length = last->text + last->length - first->text + (last->kind == ZW_TK_UNIT);
    return first->line == last->line && length < 60 ? (int)length : 0;
}

/* x > 1 [m]: the difference crosses zero, and the advice names it */
static zw_status reject_comparison(zw_reader *r, int start) {
    const zw_token *t = zw_token_now(r), *left = &r->token[start], *right = t + 1;
    bool rising = t->kind == ZW_TK_GE || (t->kind == ZW_TK_CHAR && t->symbol == '>');
    int at = r->at, nesting = r->nesting, nleft = text_length(r, start, at), nright = 0;
    zw_error unheard = {0}, *err = r->err;
    zw_syntax *bound;
    r->err = &unheard;
    r->at++;
    bool sum = true;
    if (zw_parse_sum(r, &bound) >= 0) {
        sum = bound->kind == ZW_ND_SUM || bound->kind == ZW_ND_NEG;
        nright = text_length(r, at + 1, r->at);
    }
    r->err = err;
    r->at = at;
    r->nesting = nesting;
    zw_unexpected(r, "rising, falling, both or an action");
    if (nleft == 0 || nright == 0) {
        static const zw_token x = {.text = "x"}, bound_of_x = {.text = "a"};
        nleft = nright = 1;
        left = &x;
        right = &bound_of_x;
        sum = false;
    }
    zw_error_hint(r->err, "an event is where an expression crosses zero: %.*s - %s%.*s%s %s", nleft,
                  left->text, sum ? "(" : "", nright, right->text, sum ? ")" : "",
                  rising ? "rising" : "falling");
    return ZW_E_SYNTAX;
}

static bool at_comparison(const zw_reader *r) {
    const zw_token *t = zw_token_now(r);
    return t->kind == ZW_TK_LE || t->kind == ZW_TK_GE ||
           (t->kind == ZW_TK_CHAR && (t->symbol == '<' || t->symbol == '>'));
}

zw_status zw_parse_event(zw_parser *p) {
    zw_reader *r = p->r;
    zw_stmt *s;
    ZW_TRY(zw_parse_add_named(p, ZW_ST_EVENT, &s));
    ZW_TRY(zw_expect(r, ':', "after the name of the event"));
    int start = r->at;
    ZW_TRY(at_clock(r) ? parse_clock(r, s) : parse_zero(r, s));
    if (at_comparison(r))
        return reject_comparison(r, start);
    if (zw_token_is(r, '=')) {
        zw_unexpected(r, "rising, falling, both or an action");
        zw_error_hint(r->err, "an event is where an expression is zero: x - 1 [m] instead of "
                              "x = 1 [m]");
        return ZW_E_SYNTAX;
    }
    if (zw_token_now(r)->kind == ZW_TK_NAME && !begins_action(zw_token_now(r)))
        return unknown_word(r, "rising, falling, both or an action", WORDS);
    if (!zw_accept(r, ',') && zw_token_now(r)->kind != ZW_TK_NAME)
        return ZW_OK;
    do
        ZW_TRY(parse_action(r, s));
    while (zw_accept(r, ','));
    return ZW_OK;
}
