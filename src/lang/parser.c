/* SPDX-License-Identifier: MIT */
/* Statements. Each begins with its keyword; one function per statement, its grammar above it, all
 * in one table at the end of the file. A statement that declares several names becomes several.
 *
 * After a fault the reading continues with the next statement: after the line end that closes this
 * one or, if a bracket or an operator keeps it open, at the next line that begins like a statement.
 * Two words in a row, the first a keyword, never occur in an expression. */
#include <stdio.h>
#include <string.h>

#include "base/option.h"
#include "parser.h"

static const char *const reserved[] = {
    "t",     "pi",   "lambda", "if",    "and",   "or",   "not",    "dot",   "cross",
    "norm",  "sqrt", "sin",    "cos",   "tan",   "asin", "acos",   "atan",  "sinh",
    "cosh",  "tanh", "asinh",  "acosh", "atanh", "exp",  "log",    "abs",   "sign",
    "atan2", "min",  "max",    "at",    "on",    "to",   "rotate", "along", "inertial",
};
enum { GROUP_MAX = 64 }; /* coordinates or states that one statement declares */
enum { RESERVED = sizeof reserved / sizeof *reserved };

bool zw_is_reserved(const char *name) {
    for (int i = 0; i < RESERVED; i++)
        if (strcmp(reserved[i], name) == 0)
            return true;
    return false;
}

zw_status zw_parse_add(zw_parser *p, zw_stmt_kind kind, zw_stmt **out) {
    if (p->tree->count++ == ZW_STATEMENTS_MAX)
        return zw_fail_at(p->r->err, ZW_E_SYNTAX, p->keyword,
                          "the model has more than %d statements", ZW_STATEMENTS_MAX);
    zw_stmt *s = ZW_NEW(p->r->arena, zw_stmt, 1);
    if (!s)
        return zw_no_memory(p->r);
    *s = (zw_stmt){.kind = kind, .place = p->keyword, .name = "", .name_place = p->keyword};
    zw_stmt ***end = p->variant ? &p->variant->end : &p->tree->end;
    **end = s;
    *end = &s->next;
    *out = s;
    return ZW_OK;
}

/* the new name declared by a statement */
zw_status zw_parse_new_name(zw_parser *p, zw_stmt *s) {
    ZW_TRY(zw_expect_name(p->r, "a name", &s->name, &s->name_place));
    if (!zw_is_reserved(s->name))
        return ZW_OK;
    zw_fail_at(p->r->err, ZW_E_NAME, s->name_place, "'%s' is a word of the language", s->name);
    zw_error_hint(p->r->err, "choose another name, for example %s_1", s->name);
    return ZW_E_NAME;
}

zw_status zw_parse_add_named(zw_parser *p, zw_stmt_kind kind, zw_stmt **out) {
    ZW_TRY(zw_parse_add(p, kind, out));
    return zw_parse_new_name(p, *out);
}

/* the optional unit at the end of a statement */
zw_status zw_parse_unit(zw_parser *p, zw_stmt *s) {
    zw_reader *r = p->r;
    const zw_token *t = zw_token_now(r);
    if (t->kind != ZW_TK_UNIT)
        return ZW_OK;
    s->word_place = zw_token_place(r, t);
    zw_place inside = s->word_place;
    inside.column++;
    ZW_TRY(zw_unit_parse(&s->unit, t->text, (size_t)t->length, inside, r->err));
    s->unit_text = zw_arena_copy(r->arena, t->text, (size_t)t->length);
    if (!s->unit_text)
        return zw_no_memory(r);
    s->has_unit = true;
    r->at++;
    return ZW_OK;
}

/* name "=" node { "," name "=" node } */
static zw_status parse_definitions(zw_parser *p, zw_stmt_kind kind) {
    do {
        zw_stmt *s;
        ZW_TRY(zw_parse_add_named(p, kind, &s));
        ZW_TRY(zw_expect(p->r, '=', "after the name"));
        ZW_TRY(zw_parse_node(p->r, &s->value));
        if (kind == ZW_ST_QUASI || kind == ZW_ST_OBSERVE)
            ZW_TRY(zw_parse_unit(p, s));
    } while (zw_accept(p->r, ','));
    return ZW_OK;
}

static zw_status parse_param(zw_parser *p) {
    return parse_definitions(p, ZW_ST_PARAM);
}

static zw_status parse_let(zw_parser *p) {
    return parse_definitions(p, ZW_ST_LET);
}

static zw_status parse_quasi(zw_parser *p) {
    return parse_definitions(p, ZW_ST_QUASI);
}

static zw_status parse_observe(zw_parser *p) {
    return parse_definitions(p, ZW_ST_OBSERVE);
}

/* "units" "none" */
static zw_status parse_units(zw_parser *p) {
    if (p->variant)
        return zw_fail_at(p->r->err, ZW_E_SYNTAX, p->keyword,
                          "'units none' belongs to the model, not to a variant");
    if (!zw_accept_word(p->r, "none"))
        return zw_unexpected(p->r, "'none'");
    p->tree->no_units = true;
    return ZW_OK;
}

/* a prime of the name of a state, as in reduced models: beta' */
static zw_status parse_primed(zw_parser *p, const char **name) {
    zw_reader *r = p->r;
    char full[200];
    int n = snprintf(full, sizeof full, "%s'", *name);
    if (zw_token_now(r)->kind != ZW_TK_PRIME)
        return ZW_OK;
    if (n >= (int)sizeof full)
        return zw_fail_at(r->err, ZW_E_NAME, zw_token_place(r, zw_token_now(r)),
                          "the name is too long");
    r->at++;
    *name = zw_intern_n(r->names, full, (size_t)n);
    return *name ? ZW_OK : zw_no_memory(r);
}

/* names { "," names } with "[unit]" after the last name of each group */
static zw_status parse_names(zw_parser *p, zw_stmt_kind kind, zw_stmt *all[GROUP_MAX], int *count) {
    int waiting = 0;
    *count = 0;
    do {
        zw_stmt *s;
        ZW_TRY(zw_parse_add_named(p, kind, &s));
        if (kind == ZW_ST_STATE)
            ZW_TRY(parse_primed(p, &s->name));
        if (*count == GROUP_MAX)
            return zw_fail_at(p->r->err, ZW_E_SYNTAX, s->name_place,
                              "more than %d %s in one statement", GROUP_MAX,
                              kind == ZW_ST_STATE ? "states" : "coordinates");
        all[(*count)++] = s;
        waiting++;
        ZW_TRY(zw_parse_unit(p, s));
        for (; s->has_unit && waiting > 0; waiting--) {
            zw_stmt *one = all[*count - waiting];
            one->unit = s->unit;
            one->has_unit = true;
            one->unit_text = s->unit_text;
            one->word_place = s->word_place;
        }
    } while (zw_accept(p->r, ','));
    return ZW_OK;
}

static zw_status parse_coord(zw_parser *p) {
    zw_stmt *all[GROUP_MAX];
    int n;
    return parse_names(p, ZW_ST_COORD, all, &n);
}

static zw_stmt *find_state(int n, zw_stmt *const *all, const char *name) {
    for (int i = 0; i < n; i++)
        if (all[i]->name == name)
            return all[i];
    return NULL;
}

/* the state that the equation x'' = ... belongs to: x', if that is a state, whose name is then
 * taken */
static zw_status find_primed(zw_parser *p, int n, zw_stmt *const *all, const char *name,
                             zw_stmt **s) {
    zw_reader *r = p->r;
    int at = r->at;
    const char *primed = name;
    ZW_TRY(parse_primed(p, &primed));
    zw_stmt *other = primed != name ? find_state(n, all, primed) : NULL;
    if (other && zw_token_now(r)->kind == ZW_TK_PRIME)
        *s = other;
    else
        r->at = at;
    return ZW_OK;
}

/* name "'" "=" sum of one of the states */
static zw_status parse_state_equation(zw_parser *p, int n, zw_stmt *const *all) {
    zw_reader *r = p->r;
    zw_place place;
    const char *name;
    zw_stmt *s = NULL;
    ZW_TRY(zw_expect_name(r, "the rate of a state", &name, &place));
    s = find_state(n, all, name);
    ZW_TRY(find_primed(p, n, all, name, &s));
    if (!s) {
        zw_fail_at(r->err, ZW_E_NAME, place, "'%s' is not a state of this statement", name);
        zw_error_hint(r->err, "state %s : %s' = ...", all[0]->name, all[0]->name);
        return ZW_E_NAME;
    }
    if (s->value)
        return zw_fail_at(r->err, ZW_E_SYNTAX, place, "the state '%s' has two equations", name);
    if (zw_token_now(r)->kind != ZW_TK_PRIME) {
        zw_unexpected(r, "a prime");
        zw_error_hint(r->err, "the equation of a state gives its rate: %s' = ...", name);
        return ZW_E_SYNTAX;
    }
    r->at++;
    if (zw_token_now(r)->kind == ZW_TK_PRIME) {
        zw_unexpected(r, "'='");
        zw_error_hint(r->err,
                      "states are of first order: give %s' a name of its own, %s' = rate, "
                      "rate' = ...",
                      name, name);
        return ZW_E_SYNTAX;
    }
    ZW_TRY(zw_expect(r, '=', "and the rate"));
    return zw_parse_sum(r, &s->value);
}

/* names as of coord, ":" name "'" "=" sum { "," name "'" "=" sum } */
static zw_status parse_state(zw_parser *p) {
    zw_stmt *all[GROUP_MAX];
    int n;
    ZW_TRY(parse_names(p, ZW_ST_STATE, all, &n));
    for (int i = 1; i < n; i++)
        for (int k = 0; k < i; k++)
            if (all[i]->name == all[k]->name)
                return zw_fail_at(p->r->err, ZW_E_NAME, all[i]->name_place,
                                  "the state '%s' is declared twice", all[i]->name);
    ZW_TRY(zw_expect(p->r, ':', "before the equations of the states"));
    do
        ZW_TRY(parse_state_equation(p, n, all));
    while (zw_accept(p->r, ','));
    for (int i = 0; i < n; i++)
        if (!all[i]->value) {
            zw_fail_at(p->r->err, ZW_E_SYNTAX, all[i]->name_place, "the state '%s' has no equation",
                       all[i]->name);
            zw_error_hint(p->r->err, "give its rate in the same statement: %s' = ...",
                          all[i]->name);
            return ZW_E_SYNTAX;
        }
    return ZW_OK;
}

/* name "=" sum "by" sum [ "nodes" sum ] [ "history" sum ] { "," ... } */
static zw_status parse_delay(zw_parser *p) {
    zw_reader *r = p->r;
    do {
        zw_stmt *s;
        ZW_TRY(zw_parse_add_named(p, ZW_ST_DELAY, &s));
        ZW_TRY(zw_expect(r, '=', "after the name"));
        ZW_TRY(zw_parse_sum(r, &s->value));
        if (!zw_accept_word(r, "by")) {
            zw_unexpected(r, "'by' and the delay");
            zw_error_hint(r->err, "delay %s = x by tau is x at the time t - tau", s->name);
            return ZW_E_SYNTAX;
        }
        ZW_TRY(zw_parse_sum(r, &s->at));
        if (zw_accept_word(r, "nodes"))
            ZW_TRY(zw_parse_sum(r, &s->what));
        if (zw_accept_word(r, "history"))
            ZW_TRY(zw_parse_sum(r, &s->to));
    } while (zw_accept(r, ','));
    return ZW_OK;
}

/* name [ "period" sum ] { "," ... } */
static zw_status parse_periodic(zw_parser *p) {
    do {
        zw_stmt *s;
        ZW_TRY(zw_parse_add(p, ZW_ST_PERIODIC, &s));
        ZW_TRY(zw_expect_name(p->r, "the name of a coordinate", &s->name, &s->name_place));
        if (zw_accept_word(p->r, "period"))
            ZW_TRY(zw_parse_sum(p->r, &s->at));
    } while (zw_accept(p->r, ','));
    return ZW_OK;
}

/* name [ unit ] { "," ... } */
static zw_status parse_space(zw_parser *p) {
    do {
        zw_stmt *s;
        ZW_TRY(zw_parse_add_named(p, ZW_ST_SPACE, &s));
        ZW_TRY(zw_parse_unit(p, s));
    } while (zw_accept(p->r, ','));
    return ZW_OK;
}

/* sum { "," sum } */
static zw_status parse_independent(zw_parser *p) {
    do {
        zw_stmt *s;
        ZW_TRY(zw_parse_add(p, ZW_ST_INDEPENDENT, &s));
        ZW_TRY(zw_parse_sum(p->r, &s->value));
    } while (zw_accept(p->r, ','));
    return ZW_OK;
}

/* number "," number pairs in brackets, or a file with two units */
static zw_status parse_table(zw_parser *p, zw_stmt *s) {
    zw_reader *r = p->r;
    const zw_token *t = zw_token_now(r);
    if (t->kind == ZW_TK_STRING) {
        s->word_place = zw_token_place(r, t);
        s->word = zw_arena_copy(r->arena, t->text, (size_t)t->length);
        if (!s->word)
            return zw_no_memory(r);
        r->at++;
        for (int i = 0; i < 2; i++) {
            zw_stmt column = {0};
            ZW_TRY(zw_parse_unit(p, &column));
            if (!column.has_unit)
                return zw_unexpected(r, "the unit of a column, as in table \"road.csv\" [s] [m]");
            s->column_unit[i] = column.unit;
        }
    } else {
        int capacity = 0;
        do {
            void *list = s->list;
            if (!zw_arena_grow(r->arena, &list, s->n, &capacity, sizeof(zw_syntax *)))
                return zw_no_memory(r);
            s->list = list;
            ZW_TRY(zw_parse_primary(r, &s->list[s->n++]));
        } while (zw_accept(r, ','));
    }
    s->table = true;
    s->cubic = zw_accept_word(r, "cubic");
    s->hold = !s->cubic && zw_accept_word(r, "hold");
    if (!s->cubic && !s->hold)
        zw_accept_word(r, "linear");
    return ZW_OK;
}

/* name "=" ( "harmonic" "(" ... ")" | "sweep" "(" ... ")" | "noise" "(" ... ")" | "table" ... |
 * "signal" [ unit ] ) */
static zw_status parse_input(zw_parser *p) {
    zw_stmt *s;
    ZW_TRY(zw_parse_add_named(p, ZW_ST_INPUT, &s));
    ZW_TRY(zw_expect(p->r, '=', "after the name"));
    if (zw_accept_word(p->r, "signal")) {
        s->signal = true;
        return zw_parse_unit(p, s);
    }
    if (zw_accept_word(p->r, "table"))
        return parse_table(p, s);
    ZW_TRY(zw_parse_primary(p->r, &s->value));
    const zw_syntax *v = s->value;
    s->signal = v->kind == ZW_ND_CALL && strcmp(v->name, "noise") == 0;
    if (v->kind == ZW_ND_CALL &&
        (s->signal || strcmp(v->name, "harmonic") == 0 || strcmp(v->name, "sweep") == 0))
        return ZW_OK;
    zw_fail_at(p->r->err, ZW_E_SYNTAX, v->place,
               "an input is harmonic(...), sweep(...), noise(...), table ... or signal");
    zw_error_hint(p->r->err, "any other function of time is a let: let %s = ...", s->name);
    return ZW_E_SYNTAX;
}

/* the source of the tokens from..to without blanks: "ball.w.z", by which starts are compared */
static zw_status join_tokens(zw_reader *r, int from, int to, const char **out) {
    const char *a = r->token[from].text, *b = r->token[to].text;
    char *copy = zw_arena_copy(r->arena, a, (size_t)(b - a));
    if (!copy)
        return zw_no_memory(r);
    size_t n = 0;
    for (const char *c = a; c < b; c++)
        if (*c != ' ' && *c != '\t' && *c != '\n' && *c != '\r')
            copy[n++] = *c;
    *out = zw_intern_n(r->names, copy, n);
    return *out ? ZW_OK : zw_no_memory(r);
}

/* sum "=" sum, or from outside: name "=" "table" ... */
static zw_status parse_one_start(zw_parser *p, zw_stmt_kind kind, bool outside) {
    zw_stmt *s;
    ZW_TRY(zw_parse_add(p, kind, &s));
    int from = p->r->at;
    s->name_place = zw_token_place(p->r, zw_token_now(p->r));
    ZW_TRY(zw_parse_sum(p->r, &s->what));
    ZW_TRY(join_tokens(p->r, from, p->r->at, &s->name));
    ZW_TRY(zw_expect(p->r, '=', kind == ZW_ST_GUESS ? "and the guess" : "and the start value"));
    if (outside && zw_accept_word(p->r, "table"))
        return parse_table(p, s);
    return zw_parse_sum(p->r, &s->value);
}

/* sum "=" sum { "," sum "=" sum } */
static zw_status parse_start(zw_parser *p) {
    do
        ZW_TRY(parse_one_start(p, ZW_ST_START, false));
    while (zw_accept(p->r, ','));
    return ZW_OK;
}

/* sum "=" sum { "," sum "=" sum } */
static zw_status parse_guess(zw_parser *p) {
    do
        ZW_TRY(parse_one_start(p, ZW_ST_GUESS, false));
    while (zw_accept(p->r, ','));
    return ZW_OK;
}

/* name { "," name } */
static zw_status parse_remove(zw_parser *p) {
    if (!p->variant) {
        zw_fail_at(p->r->err, ZW_E_SYNTAX, p->keyword, "'remove' stands in a variant only");
        zw_error_hint(p->r->err, "variant NAME ... remove ... end");
        return ZW_E_SYNTAX;
    }
    do {
        zw_stmt *s;
        ZW_TRY(zw_parse_add(p, ZW_ST_REMOVE, &s));
        ZW_TRY(zw_expect_name(p->r, "what to remove", &s->name, &s->name_place));
    } while (zw_accept(p->r, ','));
    return ZW_OK;
}

static zw_status parse_variant(zw_parser *p);

static zw_status parse_model_again(zw_parser *p) {
    return zw_fail_at(p->r->err, ZW_E_SYNTAX, p->keyword, "a text holds one model only");
}

typedef struct statement_row {
    const char *keyword;
    zw_status (*parse)(zw_parser *p);
} statement_row;

static const statement_row statements[] = {
    {"model", parse_model_again},
    {"units", parse_units},
    {"param", parse_param},
    {"let", parse_let},
    {"input", parse_input},
    {"coord", parse_coord},
    {"state", parse_state},
    {"delay", parse_delay},
    {"periodic", parse_periodic},
    {"quasi", parse_quasi},
    {"space", parse_space},
    {"independent", parse_independent},
    {"rotation", zw_parse_rotation},
    {"frame", zw_parse_frame},
    {"point", zw_parse_point},
    {"particle", zw_parse_particle},
    {"body", zw_parse_body},
    {"kinetic", zw_parse_kinetic},
    {"potential", zw_parse_potential},
    {"dissipation", zw_parse_dissipation},
    {"gravity", zw_parse_gravity},
    {"force", zw_parse_force},
    {"torque", zw_parse_torque},
    {"spring", zw_parse_spring},
    {"damper", zw_parse_damper},
    {"constraint", zw_parse_constraint},
    {"claim", zw_parse_claim},
    {"steady", zw_parse_steady},
    {"slow", zw_parse_slow_fast},
    {"rolling", zw_parse_rolling},
    {"nonideal", zw_parse_nonideal},
    {"contact", zw_parse_contact},
    {"start", parse_start},
    {"guess", parse_guess},
    {"observe", parse_observe},
    {"event", zw_parse_event},
    {"draw", zw_parse_draw},
    {"trace", zw_parse_trace},
    {"variant", parse_variant},
    {"remove", parse_remove},
};
enum { STATEMENTS = sizeof statements / sizeof *statements };

static zw_status unknown_statement(zw_reader *r, const zw_token *t) {
    const char *names[STATEMENTS];
    for (int i = 0; i < STATEMENTS; i++)
        names[i] = statements[i].keyword;
    char word[64];
    snprintf(word, sizeof word, "%.*s", t->length < 63 ? t->length : 63, t->text);
    zw_place place = zw_token_place(r, t);
    if (strcmp(word, "end") == 0) {
        zw_fail_at(r->err, ZW_E_SYNTAX, place, "'end' without a variant to end");
    } else {
        zw_fail_at(r->err, ZW_E_SYNTAX, place, "there is no statement '%s'", word);
        const char *near = zw_nearest(word, STATEMENTS, names);
        if (near)
            zw_error_hint(r->err, "did you mean %s?", near);
        else
            zw_error_hint(r->err, "a statement begins with a keyword: param, coord, body, force, "
                                  "constraint, ... (docs/language.md)");
    }
    return ZW_E_SYNTAX;
}

static zw_status end_statement(zw_reader *r) {
    const zw_token *t = zw_token_now(r);
    if (t->kind == ZW_TK_LINE) {
        r->at++;
        return ZW_OK;
    }
    zw_unexpected(r, "the end of the statement");
    if (t->kind == ZW_TK_UNIT)
        zw_error_hint(
            r->err,
            "write a unit directly after a number, as in 3 [m]; otherwise multiply: a * 1 [%.*s]",
            t->length, t->text);
    else if (t->kind == ZW_TK_CHAR && t->symbol == ')')
        zw_error_hint(r->err, "this bracket was never opened");
    else
        zw_product_hint(r);
    return ZW_E_SYNTAX;
}

/* ---------------------------------------------------------------------------------- recovery */

static bool is_word(const zw_token *t, const char *word) {
    return t->kind == ZW_TK_NAME && (size_t)t->length == strlen(word) &&
           memcmp(t->text, word, (size_t)t->length) == 0;
}

static bool is_keyword(const zw_token *t) {
    for (int i = 0; i < STATEMENTS; i++)
        if (is_word(t, statements[i].keyword))
            return true;
    return false;
}

/* true if a line begins at this token that can only be a new statement */
static bool begins_statement(const zw_reader *r, int i) {
    const zw_token *t = &r->token[i], *next = t + 1;
    if (t->kind != ZW_TK_NAME || t->line == r->token[i - 1].line)
        return false;
    if (is_word(t, "end"))
        return next->kind == ZW_TK_LINE || next->line > t->line;
    if (!is_keyword(t) || next->line > t->line || is_word(next, "and") || is_word(next, "or"))
        return false;
    bool apart = next->text > t->text + t->length;
    return next->kind == ZW_TK_NAME || next->kind == ZW_TK_NUMBER ||
           (next->kind == ZW_TK_CHAR && next->symbol == '(' && apart);
}

/* the names of a statement with a fault, which may have declared some of them */
static zw_status suspect_names(zw_reader *r, int from, int to) {
    for (int i = from; i < to; i++) {
        const zw_token *t = &r->token[i];
        if (t->kind != ZW_TK_NAME)
            continue;
        const char *name = zw_intern_n(r->names, t->text, (size_t)t->length);
        if (!name)
            return zw_no_memory(r);
        zw_faults_suspect(r->faults, name);
        if (i == from + 1 && strcmp(name, "none") == 0)
            r->faults->units = true;
    }
    return ZW_OK;
}

/* Skips the rest of the statement that began at token `from` and failed. */
static zw_status skip_statement(zw_reader *r, int from, zw_status status) {
    if (!r->faults)
        return status;
    int i = from;
    bool told = false;
    while (r->token[i].kind != ZW_TK_LINE && r->token[i].kind != ZW_TK_END &&
           (i == from || !begins_statement(r, i)))
        told = r->token[i++].kind == ZW_TK_BAD || told;
    if (told && status != ZW_E_MEMORY)
        *r->err = (zw_error){0};
    ZW_TRY(zw_faults_take(r->faults, status));
    ZW_TRY(suspect_names(r, from, i));
    r->nesting = 0;
    r->exponent = false;
    r->at = i;
    if (r->token[i].kind == ZW_TK_LINE)
        r->at++;
    else if (r->token[i].kind != ZW_TK_END)
        return zw_lex_again(r, i);
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------- the text */

static zw_status parse_statement(zw_parser *p) {
    zw_reader *r = p->r;
    const zw_token *t = zw_token_now(r);
    if (t->kind != ZW_TK_NAME)
        return zw_unexpected(r, "a statement");
    for (int i = 0; i < STATEMENTS; i++)
        if (zw_accept_word(r, statements[i].keyword)) {
            p->keyword = zw_token_place(r, t);
            ZW_TRY(statements[i].parse(p));
            return end_statement(r);
        }
    return unknown_statement(r, t);
}

/* the next statement; one with a fault is skipped, and nothing of it is kept */
static zw_status next_statement(zw_parser *p) {
    int from = p->r->at;
    zw_variant *variant = p->variant;
    zw_stmt **end = variant ? variant->end : p->tree->end;
    zw_status status = parse_statement(p);
    if (status >= 0)
        return ZW_OK;
    *end = NULL;
    *(variant ? &variant->end : &p->tree->end) = end;
    return skip_statement(p->r, from, status);
}

/* "variant" name, which must be new */
static zw_status variant_head(zw_parser *p, zw_variant *v) {
    zw_reader *r = p->r;
    zw_variant **end = &p->tree->variants;
    if (p->variant) {
        p->unclosed = true;
        zw_fail_at(r->err, ZW_E_SYNTAX, p->keyword, "a variant inside the variant '%s'",
                   p->variant->name);
        zw_error_hint(r->err, "close it with 'end' first");
        return ZW_E_SYNTAX;
    }
    ZW_TRY(zw_expect_name(r, "the name of the variant", &v->name, &v->place));
    for (; *end; end = &(*end)->next)
        if ((*end)->name == v->name)
            return zw_fail_at(r->err, ZW_E_NAME, v->place, "there are two variants '%s'", v->name);
    *end = v;
    return end_statement(r);
}

/* The text ends in a variant: it is unknown which of its statements belong to the model. */
static zw_status variant_open(zw_parser *p, const zw_variant *v, zw_place keyword) {
    zw_reader *r = p->r;
    r->at--; /* at the line end before it */
    if (p->unclosed)
        return ZW_OK;
    p->tree->partial = true;
    zw_fail_at(r->err, ZW_E_SYNTAX, keyword, "the variant '%s' does not end", v->name);
    zw_error_hint(r->err, "close it with a line 'end'");
    return r->faults ? zw_faults_take(r->faults, ZW_E_SYNTAX) : ZW_E_SYNTAX;
}

/* a head, then statements up to "end" */
static zw_status parse_variant(zw_parser *p) {
    zw_reader *r = p->r;
    zw_place keyword = p->keyword;
    zw_variant *v = ZW_NEW(r->arena, zw_variant, 1);
    if (!v)
        return zw_no_memory(r);
    *v = (zw_variant){.name = "", .end = &v->first};
    int from = r->at;
    zw_status status = variant_head(p, v);
    if (status < 0)
        ZW_TRY(skip_statement(r, from, status));
    p->variant = v;
    while (!zw_accept_word(r, "end")) {
        if (zw_token_now(r)->kind == ZW_TK_END)
            return variant_open(p, v, keyword);
        ZW_TRY(next_statement(p));
    }
    p->variant = NULL;
    return ZW_OK;
}

/* "model" name [ "title" ] */
static zw_status parse_head(zw_reader *r, zw_tree *tree) {
    if (!zw_accept_word(r, "model")) {
        zw_fail_at(r->err, ZW_E_SYNTAX, zw_token_place(r, zw_token_now(r)),
                   "the first statement must name the model");
        zw_error_hint(r->err, "begin with: model NAME \"title\"");
        return ZW_E_SYNTAX;
    }
    ZW_TRY(zw_expect_name(r, "the name of the model", &tree->name, &tree->place));
    tree->title = "";
    const zw_token *t = zw_token_now(r);
    if (t->kind == ZW_TK_STRING) {
        tree->title = zw_arena_copy(r->arena, t->text, (size_t)t->length);
        if (!tree->title)
            return zw_no_memory(r);
        r->at++;
    }
    return end_statement(r);
}

zw_status zw_parse_model(zw_reader *r, zw_tree *tree) {
    *tree = (zw_tree){.name = "", .title = "", .end = &tree->first};
    zw_status status = parse_head(r, tree);
    if (status < 0 && r->at == 0 && r->faults && is_keyword(zw_token_now(r)))
        ZW_TRY(zw_faults_take(r->faults, status)); /* continue without it */
    else if (status < 0)
        ZW_TRY(skip_statement(r, 0, status));
    zw_parser p = {.r = r, .tree = tree};
    while (zw_token_now(r)->kind != ZW_TK_END)
        ZW_TRY(next_statement(&p));
    if (r->faults && r->faults->units)
        tree->no_units = true;
    return ZW_OK;
}

zw_status zw_parse_setting(zw_reader *r, zw_stmt **out) {
    zw_tree tree = {.end = &tree.first};
    zw_parser p = {.r = r, .tree = &tree, .keyword = {r->file, 1, 1}};
    do
        ZW_TRY(parse_one_start(&p, ZW_ST_START, true));
    while (zw_accept(r, ','));
    if (zw_token_now(r)->kind != ZW_TK_LINE || r->token[r->at + 1].kind != ZW_TK_END)
        return zw_unexpected(r, "the end of the setting");
    *out = tree.first;
    return ZW_OK;
}
