/* SPDX-License-Identifier: MIT */
/* A model text in other units: token by token, statement by statement.
 *
 * The output is copied from the tokens, so that everything the language can express is preserved.
 * The tree, to which the variant has been applied, decides which statements are written: a
 * statement of the text corresponds to as many nodes of the tree as it declares names, found by the
 * places of its keyword and of the name. Only statements that are plain lists (param, let, start,
 * guess, observe) may lose some of their names. */
#include "zwang/model.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/text.h"
#include "model.h"

void zw_rewriting_init(zw_rewriting *how, size_t size) {
    const zw_rewriting all = {.size = size, .unit = {1, 1, 1, 1, 1, 1, 1}};
    zw_options_begin(how, size, &all, sizeof all);
}

/* the places of a statement of the tree */
typedef struct text_place {
    int line, column;           /* of the keyword, */
    int name_line, name_column; /* of the name */
} text_place;

typedef struct outline {
    zw_model *m;
    /* of the tree; with those of the variant; after the variant was applied */
    int ntree, nall, nleft;
    text_place *all, *left;
} outline;

/* tokens first .. end - 1 of one statement, without the end of the line */
typedef struct piece {
    int first, end;
} piece;

static text_place place_of(const zw_stmt *s) {
    return (text_place){s->place.line, s->place.column, s->name_place.line, s->name_place.column};
}

static int count_statements(const zw_stmt *s) {
    int n = 0;
    for (; s; s = s->next)
        n++;
    return n;
}

static const zw_variant *chosen_variant(const zw_model *m) {
    const char *name = m->options ? m->options->variant : NULL;
    const zw_variant *v = m->tree.variants;
    while (v && (!name || strcmp(v->name, name) != 0))
        v = v->next;
    return v;
}

static void copy_places(void *user, const zw_model *m) {
    outline *o = user;
    const zw_variant *v = chosen_variant(m);
    o->all = ZW_NEW(m->arena, text_place,
                    count_statements(m->tree.first) + (v ? count_statements(v->first) : 0) + 1);
    for (const zw_stmt *s = m->tree.first; s && o->all; s = s->next)
        o->all[o->nall++] = place_of(s);
    o->ntree = o->nall;
    for (const zw_stmt *s = v ? v->first : NULL; s && o->all; s = s->next)
        o->all[o->nall++] = place_of(s);
}

static zw_status reject_outside(const zw_model_options *o, zw_error *err) {
    if (!o || !(o->nlaw || o->nwith || o->nwithout))
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "a switch of the command line is not in the text of the model: --%s",
            o->nlaw    ? "law"
            : o->nwith ? "with"
                       : "without");
    zw_error_hint(err, "write it as a variant of the model, and choose that");
    return ZW_E_OPTION;
}

static zw_status open_outline(outline *o, zw_context *ctx, const zw_model_source *source,
                              zw_error *err) {
    *o = (outline){0};
    ZW_TRY(reject_outside(source->options, err));
    ZW_TRY(zw_model_outline(&o->m, ctx, source, copy_places, o, err));
    o->left = ZW_NEW(o->m->arena, text_place, count_statements(o->m->tree.first) + 1);
    if (!o->all || !o->left)
        return zw_fail(err, ZW_E_MEMORY, "out of memory while reading %s", source->file);
    for (const zw_stmt *s = o->m->tree.first; s; s = s->next)
        o->left[o->nleft++] = place_of(s);
    if (!o->m->tree.no_units)
        return ZW_OK;
    zw_fail_at(err, ZW_E_MODEL, o->m->tree.place, "the model has no units ('units none')");
    zw_error_hint(err, "dimensionless groups are made of parameters that have units");
    return ZW_E_MODEL;
}

/* ----------------------------------------------------------------------------------- statements */

static const zw_token *token_at(const outline *o, int i) {
    return &o->m->source.token[i];
}

static bool is_word(const zw_token *t, const char *word) {
    return t->kind == ZW_TK_NAME && (size_t)t->length == strlen(word) &&
           memcmp(t->text, word, (size_t)t->length) == 0;
}

static int count_matches(int n, const text_place *list, const zw_token *keyword) {
    int k = 0;
    for (int i = 0; i < n; i++)
        k += list[i].line == keyword->line && list[i].column == keyword->column;
    return k;
}

static bool is_left(const outline *o, const zw_token *keyword, const zw_token *name) {
    for (int i = 0; i < o->nleft; i++)
        if (o->left[i].line == keyword->line && o->left[i].column == keyword->column &&
            o->left[i].name_line == name->line && o->left[i].name_column == name->column)
            return true;
    return false;
}

static bool is_list(const zw_token *keyword) {
    return is_word(keyword, "param") || is_word(keyword, "let") || is_word(keyword, "start") ||
           is_word(keyword, "guess") || is_word(keyword, "observe");
}

static bool is_definition(const zw_token *keyword) {
    return is_word(keyword, "param") || is_word(keyword, "let");
}

/* The next statement of the text that belongs to the model or its variant; false at the end. */
static bool next_statement(const outline *o, int *at, piece *out) {
    for (;;) {
        while (token_at(o, *at)->kind == ZW_TK_LINE)
            ++*at;
        if (token_at(o, *at)->kind == ZW_TK_END)
            return false;
        out->first = *at;
        while (token_at(o, *at)->kind != ZW_TK_LINE && token_at(o, *at)->kind != ZW_TK_END)
            ++*at;
        out->end = *at;
        if (count_matches(o->nall, o->all, token_at(o, out->first)) > 0)
            return true;
    }
}

/* The rest of a statement after the variant: all, nothing, or (of a list) some names. */
typedef enum remains { GONE, WHOLE, PARTLY } remains;

static zw_status find_remains(const outline *o, const piece *p, remains *out, zw_error *err) {
    const zw_token *keyword = token_at(o, p->first);
    int before = count_matches(o->nall, o->all, keyword),
        after = count_matches(o->nleft, o->left, keyword);
    bool variant = count_matches(o->ntree, o->all, keyword) == 0;
    *out = after == 0 ? GONE : after == before ? WHOLE : PARTLY;
    if (variant && *out == GONE && !is_word(keyword, "remove")) {
        zw_fail_at(err, ZW_E_MODEL, zw_token_place(&o->m->source, keyword),
                   "the variant changes a part of a statement here");
        zw_error_hint(err, "write the whole statement in the variant");
        return ZW_E_MODEL;
    }
    if (*out == PARTLY && !is_list(keyword)) {
        zw_fail_at(err, ZW_E_MODEL, zw_token_place(&o->m->source, keyword),
                   "the variant replaces some names of this statement and not the others");
        zw_error_hint(err, "give each name a statement of its own");
        return ZW_E_MODEL;
    }
    return ZW_OK;
}

/* the next item of a list, up to a comma outside brackets */
static bool next_item(const outline *o, const piece *p, int *at, piece *out) {
    int depth = 0;
    if (*at >= p->end)
        return false;
    out->first = *at;
    for (; *at < p->end; ++*at) {
        const zw_token *t = token_at(o, *at);
        char c = t->kind == ZW_TK_CHAR ? t->symbol : 0;
        depth += (c == '(') - (c == ')');
        if (c == ',' && depth == 0)
            break;
    }
    out->end = (*at)++;
    return true;
}

static bool is_dropped(const zw_token *name, int n, const char *const *dropped) {
    for (int i = 0; i < n; i++)
        if (is_word(name, dropped[i]))
            return true;
    return false;
}

/* Calls `put` with every piece that stays: whole statements, and items of lists with `first` (of
 * their statement). */
typedef struct visitor {
    int ndropped;
    const char *const *dropped;
    zw_status (*put)(void *user, const outline *o, const zw_token *keyword, const piece *p,
                     bool item, zw_error *err);
    void *user;
} visitor;

static zw_status visit_list(const outline *o, const piece *p, const visitor *v, zw_error *err) {
    const zw_token *keyword = token_at(o, p->first);
    int at = p->first + 1;
    piece item;
    while (next_item(o, p, &at, &item)) {
        const zw_token *name = token_at(o, item.first);
        if (!is_left(o, keyword, name) ||
            (is_definition(keyword) && is_dropped(name, v->ndropped, v->dropped)))
            continue;
        ZW_TRY(v->put(v->user, o, keyword, &item, true, err));
    }
    return ZW_OK;
}

static zw_status visit_statements(const outline *o, const visitor *v, zw_error *err) {
    int at = 0;
    piece p;
    while (next_statement(o, &at, &p)) {
        remains r;
        ZW_TRY(find_remains(o, &p, &r, err));
        if (r == GONE)
            continue;
        const zw_token *keyword = token_at(o, p.first);
        ZW_TRY(is_list(keyword) ? visit_list(o, &p, v, err)
                                : v->put(v->user, o, keyword, &p, false, err));
    }
    return ZW_OK;
}

/* -------------------------------------------------------------------------------------- writing */

typedef struct writer {
    const zw_rewriting *how;
    zw_text text;
} writer;

/* the text between two tokens, without comments */
static void put_gap(writer *w, const char *from, const char *to) {
    while (from < to) {
        const char *hash = memchr(from, '#', (size_t)(to - from));
        const char *end = hash ? hash : to;
        zw_text_put_n(&w->text, from, (size_t)(end - from));
        from = hash ? memchr(hash, '\n', (size_t)(to - hash)) : to;
        if (!from)
            return;
    }
}

static bool is_enclosed(const zw_token *t) {
    return t->kind == ZW_TK_STRING || t->kind == ZW_TK_UNIT;
}

static const char *begin_of(const zw_token *t) {
    return t->text - is_enclosed(t);
}

static const char *end_of(const zw_token *t) {
    return t->text + t->length + is_enclosed(t);
}

/* a number as an exponent has no unit: a unit after it belongs to the whole */
static bool is_exponent(const zw_token *number, const zw_token *first) {
    const zw_token *t = number - 1;
    while (t > first && t->kind == ZW_TK_CHAR && (t->symbol == '-' || t->symbol == '+'))
        t--;
    return t > first && t->kind == ZW_TK_CHAR && t->symbol == '^';
}

static double factor_of(const zw_rewriting *how, const zw_unit *u) {
    double f = u->factor;
    for (int i = 0; i < ZW_BASE_UNITS; i++)
        f /= pow(how->unit[i], (double)u->dim.num[i] / u->dim.den);
    return f;
}

static zw_status put_number(writer *w, const outline *o, const zw_token *number,
                            const zw_token *unit, zw_error *err) {
    char digits[64], name[64];
    zw_unit u;
    zw_place place = zw_token_place(&o->m->source, number);
    ZW_TRY(zw_unit_parse(&u, unit->text, (size_t)unit->length, place, err));
    snprintf(digits, sizeof digits, "%.*s", number->length, number->text);
    snprintf(name, sizeof name, "%.*s", unit->length, unit->text);
    if (zw_dim_is_none(&u.dim) && strcmp(name, "deg") == 0) { /* also allowed without units */
        zw_text_printf(&w->text, "%s [%s]", digits, name);
        return ZW_OK;
    }
    double now = strtod(digits, NULL) * factor_of(w->how, &u);
    if (!isfinite(now))
        return zw_fail_at(err, ZW_E_NUMERIC, place, "%s [%s] is not finite in these units", digits,
                          name);
    zw_text_number(&w->text, now);
    if (w->how->units && !zw_dim_is_none(&u.dim)) {
        char si[ZW_DIM_TEXT];
        zw_dim_text(&u.dim, si);
        zw_text_printf(&w->text, " [%s]", si);
    }
    if (w->how->literal && !zw_dim_is_none(&u.dim))
        w->how->literal(w->how->literal_user, place, digits, name, now);
    return ZW_OK;
}

static zw_status reject_file(const outline *o, const zw_token *t, zw_error *err) {
    zw_fail_at(err, ZW_E_MODEL, zw_token_place(&o->m->source, t),
               "a table in a file has numbers that are not in the text");
    zw_error_hint(err, "write its points: table (0, 0), (1 [s], 2 [N])");
    return ZW_E_MODEL;
}

static zw_status put_tokens(writer *w, const outline *o, const piece *p, zw_error *err) {
    const zw_token *first = token_at(o, p->first), *last = token_at(o, p->end - 1);
    const char *done = begin_of(first);
    for (const zw_token *t = first; t <= last; t++) {
        put_gap(w, done, begin_of(t));
        done = end_of(t);
        bool file = t->kind == ZW_TK_STRING && t < last && t[1].kind == ZW_TK_UNIT;
        if (file)
            return reject_file(o, t, err);
        if (t->kind == ZW_TK_NUMBER && t < last && t[1].kind == ZW_TK_UNIT &&
            !is_exponent(t, first)) {
            ZW_TRY(put_number(w, o, t, t + 1, err));
            done = end_of(++t);
        } else if (t->kind != ZW_TK_UNIT || w->how->units) {
            zw_text_put_n(&w->text, begin_of(t), (size_t)(done - begin_of(t)));
        } else { /* the unit of a declaration, with the blanks before it */
            while (w->text.length && w->text.data[w->text.length - 1] == ' ')
                w->text.data[--w->text.length] = '\0';
        }
    }
    return ZW_OK;
}

static zw_status put_piece(void *user, const outline *o, const zw_token *keyword, const piece *p,
                           bool item, zw_error *err) {
    writer *w = user;
    if (item)
        zw_text_printf(&w->text, "%.*s ", keyword->length, keyword->text);
    ZW_TRY(put_tokens(w, o, p, err));
    zw_text_put(&w->text, "\n");
    return ZW_OK;
}

static void put_model(writer *w, const zw_model *m) {
    const zw_rewriting *how = w->how;
    if (how->comment)
        zw_text_put(&w->text, how->comment);
    zw_text_printf(&w->text, "model %s_scaled", m->tree.name);
    if (m->tree.title && m->tree.title[0])
        zw_text_printf(&w->text, " \"%s\"", m->tree.title);
    zw_text_put(&w->text, how->units ? "\n\n" : "\nunits none\n\n");
    if (how->head)
        zw_text_printf(&w->text, "%s\n", how->head);
}

zw_status zw_model_rewrite(char **out, zw_context *ctx, const zw_model_source *source,
                           const zw_rewriting *how, zw_error *err) {
    assert(out);
    zw_rewriting own;
    outline o;
    *out = NULL;
    ZW_TRY(zw_options_adopt(&own, sizeof own, how, "zw_rewriting", err));
    ZW_TRY(open_outline(&o, ctx, source, err));
    writer w = {.how = &own};
    zw_allocator alloc = zw_context_allocator(ctx);
    zw_text_init(&w.text, &alloc);
    put_model(&w, o.m);
    visitor v = {own.ndropped, own.dropped, put_piece, &w};
    zw_status status = visit_statements(&o, &v, err);
    if (status < 0) {
        zw_text_clear(&w.text);
        return status;
    }
    *out = zw_text_take(&w.text);
    return *out ? ZW_OK : zw_out_of_memory(err, NULL);
}

/* -------------------------------------------------------------------------------------- queries */

typedef struct search {
    int n;
    const char *const *names;
    bool *found;
} search;

static zw_status find_names(void *user, const outline *o, const zw_token *keyword, const piece *p,
                            bool item, zw_error *err) {
    const search *s = user;
    (void)err;
    const zw_token *name = item && is_definition(keyword) ? token_at(o, p->first) : NULL;
    for (int i = p->first; i < p->end; i++)
        for (int k = 0; k < s->n; k++)
            if (!s->found[k] && is_word(token_at(o, i), s->names[k]))
                s->found[k] = !name || !is_word(name, s->names[k]);
    return ZW_OK;
}

zw_status zw_model_mentions(zw_context *ctx, const zw_model_source *source, int ndropped,
                            const char *const *dropped, int n, const char *const *names,
                            bool *found, zw_error *err) {
    outline o;
    search s = {n, names, found};
    for (int i = 0; i < n; i++)
        found[i] = false;
    ZW_TRY(open_outline(&o, ctx, source, err));
    visitor v = {ndropped, dropped, find_names, &s};
    return visit_statements(&o, &v, err);
}

zw_status zw_model_has_solids(zw_context *ctx, const zw_model_source *source, bool *has,
                              zw_error *err) {
    outline o;
    *has = false;
    ZW_TRY(open_outline(&o, ctx, source, err));
    for (const zw_stmt *s = o.m->tree.first; s; s = s->next)
        for (const zw_solid *p = s->kind == ZW_ST_BODY ? s->solids : NULL; p; p = p->next)
            *has = *has ||
                   (strcmp(p->shape->name, "inertia") != 0 && strcmp(p->shape->name, "mass") != 0);
    return ZW_OK;
}
