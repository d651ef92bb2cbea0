/* SPDX-License-Identifier: MIT */
/* One study at work: its options by their rows, and report and tables with what all studies have
 * in common. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "form.h"
#include "registry.h"
#include "zwang/zwang.h"

struct zw_study {
    const zw_study_kind *kind;
    zw_study_input input;
    zw_arena arena; /* strings of options, and their keys: */
    const char **given;
    int given_room;
    zw_study_wanted *wanted;
    int wanted_room;
    zw_forms forms; /* the models that replaced the one that was given */
    void *options, *work;
    bool prepared, worked;
    zw_status status; /* of the work, or of the preparation if that failed */
    zw_report *report;
    zw_warnings *warnings;
};

void zw_study_begin(const zw_study_kind *kind, void *options) {
    if (kind->begin)
        kind->begin(options);
    for (const zw_option_group *g = kind->groups; g->table; g++)
        zw_options_default(g->table, (char *)options + g->offset);
}

zw_status zw_study_create(zw_study **out, const char *name, const zw_system *sys,
                          const zw_model_source *source, zw_error *err) {
    const zw_study_kind *kind = zw_study_find(name);
    zw_allocator alloc = zw_context_allocator(sys->ctx);
    *out = NULL;
    if (!kind)
        return zw_fail(err, ZW_E_NAME, "there is no study '%s'", name);
    zw_study *s = zw_allocate(&alloc, sizeof *s);
    if (!s)
        return zw_out_of_memory(err, NULL);
    *s = (zw_study){.kind = kind, .input = {.system = sys, .source = source}};
    zw_arena_init(&s->arena, &alloc);
    zw_forms_init(&s->forms, &alloc);
    s->options = zw_arena_alloc(&s->arena, kind->size);
    s->warnings = zw_warnings_create(&alloc);
    if (!s->options || !s->warnings) {
        zw_study_destroy(s);
        return zw_out_of_memory(err, NULL);
    }
    s->input.options = s->options;
    zw_study_begin(kind, s->options);
    *out = s;
    return ZW_OK;
}

void zw_study_destroy(zw_study *s) {
    if (!s)
        return;
    if (s->work)
        s->kind->destroy(s->work);
    zw_report_destroy(s->report);
    zw_warnings_destroy(s->warnings);
    zw_forms_clear(&s->forms);
    zw_allocator alloc = s->arena.alloc;
    zw_arena_clear(&s->arena);
    zw_release(&alloc, s, sizeof *s);
}

/* ------------------------------------------------------------------------------------- options */

/* the group that has this key, and its row; NULL: none */
static const zw_option_group *group_of(const zw_study *s, const char *key, const zw_option **row) {
    for (const zw_option_group *g = s->kind->groups; g->table; g++)
        if ((*row = zw_options_find(g->table, key, strlen(key))))
            return g;
    return NULL;
}

static zw_status unknown_key(const zw_study *s, const char *key, zw_error *err) {
    enum { KEYS = 128 };
    const char *keys[KEYS];
    int n = 0;
    for (const zw_option_group *g = s->kind->groups; g->table; g++)
        for (const zw_option *row = g->table; row->key && n < KEYS; row++)
            keys[n++] = row->key;
    const char *near = zw_nearest(key, n, keys);
    zw_fail(err, ZW_E_OPTION, "%s has no option '%s'", s->kind->name, key);
    if (near)
        zw_error_hint(err, "did you mean %s?", near);
    return ZW_E_OPTION;
}

zw_status zw_study_set(zw_study *s, const char *key, const char *value, zw_error *err) {
    const zw_option *row = NULL;
    const zw_option_group *g = group_of(s, key, &row);
    assert(!s->worked);
    if (!g)
        return unknown_key(s, key, err);
    const char *copy = value ? zw_arena_string(&s->arena, value) : NULL;
    ZW_TRY(zw_arena_status(&s->arena, err));
    zw_study_give(s, row->key);
    return zw_options_set(g->table, (char *)s->options + g->offset, key, copy, err);
}

zw_status zw_study_set_number(zw_study *s, const char *key, double value, zw_error *err) {
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    return zw_study_set(s, key, text, err);
}

zw_status zw_study_set_range(zw_study *s, const char *key, const char *name, double from, double to,
                             int points, zw_error *err) {
    char text[200];
    int n = snprintf(text, sizeof text, "%.60s=%.17g:%.17g", name, from, to);
    if (points > 0)
        snprintf(text + n, sizeof text - (size_t)n, ":%d", points);
    return zw_study_set(s, key, text, err);
}

void zw_study_give(zw_study *s, const char *key) {
    if (zw_study_is_given(&s->input, key) ||
        !zw_arena_grow(&s->arena, (void **)&s->given, s->input.ngiven, &s->given_room,
                       sizeof *s->given))
        return;
    s->given[s->input.ngiven++] = key;
    s->input.given = s->given;
}

void zw_study_want(zw_study *s, const char *key, const char *path) {
    if (!zw_arena_grow(&s->arena, (void **)&s->wanted, s->input.nwanted, &s->wanted_room,
                       sizeof *s->wanted))
        return;
    s->wanted[s->input.nwanted++] = (zw_study_wanted){key, path};
    s->input.wanted = s->wanted;
}

zw_status zw_study_drawn(const zw_study *s, const char **key, zw_error *err) {
    const zw_study_kind *kind = s->kind;
    *key = kind->drawn ? kind->drawn : kind->outputs ? kind->outputs[0].key : NULL;
    return kind->choose_drawn ? kind->choose_drawn(s->options, &s->input, key, err) : ZW_OK;
}

void zw_study_files(zw_study *s, int n, const char *const *file) {
    s->input.nfile = n;
    s->input.file = file;
}

void zw_study_result(zw_study *s, const zw_table *result, const char *path) {
    s->input.result = result;
    s->input.result_path = path;
}

void *zw_study_options(zw_study *s) {
    return s->options;
}

void zw_study_change(zw_study *s, const zw_model_options *change) {
    s->input.change = change;
}

void zw_study_watch(zw_study *s, bool (*stop)(void *user, double done), void *user) {
    s->input.stop = stop;
    s->input.user = user;
}

void zw_study_messages(zw_study *s, void (*note)(void *user, const char *text)) {
    s->input.note = note;
}

/* ---------------------------------------------------------------------------------------- work */

/* the model in the form that the options ask for */
static zw_status form_model(zw_study *s, zw_error *err) {
    const zw_study_kind *kind = s->kind;
    zw_study_form form = {0};
    if (kind->form) {
        ZW_TRY(kind->form(s->options, &s->input, &form, err));
        ZW_TRY(zw_forms_apply(&s->forms, &s->input, &form, err));
    }
    if (!kind->reduce_before)
        return ZW_OK;
    zw_status status = zw_forms_reduce(&s->forms, &s->input, kind->reduce_before, s->options, err);
    return status == ZW_RETRY ? ZW_OK : status;
}

static zw_status create_and_work(zw_study *s, zw_error *err) {
    ZW_TRY(s->kind->create(&s->work, &s->input, s->options, err));
    return s->kind->work(s->work, &s->input, err);
}

/* What was found before is kept if there is no reduced model. */
static zw_status work_reduced(zw_study *s, zw_error *err) {
    zw_error again = {0};
    zw_status status = zw_forms_reduce(&s->forms, &s->input, NULL, NULL, &again);
    if (status != ZW_OK)
        return status == ZW_RETRY ? s->status : status;
    s->kind->destroy(s->work);
    s->work = NULL;
    status = create_and_work(s, &again);
    if (err)
        *err = again;
    return status;
}

zw_status zw_study_prepare(zw_study *s, zw_error *err) {
    assert(!s->prepared);
    s->prepared = true;
    for (const zw_option_group *g = s->kind->groups; g->table; g++)
        ZW_TRY(s->status = zw_options_check(g->table, (char *)s->options + g->offset, err));
    ZW_TRY(s->status = form_model(s, err));
    return s->status = s->kind->create(&s->work, &s->input, s->options, err);
}

zw_status zw_study_work(zw_study *s, zw_error *err) {
    zw_error why = {0};
    assert(!s->worked);
    s->worked = true;
    if (!s->prepared)
        s->status = zw_study_prepare(s, &why);
    if (s->status >= 0 && s->work)
        s->status = s->kind->work(s->work, &s->input, &why);
    if (s->work && s->kind->reduce_after && s->kind->reduce_after(s->work, s->status))
        s->status = work_reduced(s, &why);
    if (s->status < 0 && err)
        *err = why;
    return s->status;
}

bool zw_study_has_results(const zw_study *s) {
    return s->work && s->worked &&
           (s->status >= 0 || (s->kind->has_results && s->kind->has_results(s->work, s->status)));
}

const zw_warnings *zw_study_warnings(zw_study *s) {
    zw_warnings_clear(s->warnings);
    if (s->work && s->kind->warnings)
        s->kind->warnings(s->work, s->warnings);
    return s->warnings;
}

/* their sentences are printed by the face, with the warnings of the model */
static void report_warnings(zw_report *r, const zw_warnings *list) {
    zw_report_list(r, "warnings");
    for (int i = 0; i < zw_warnings_count(list); i++) {
        const zw_warning *w = zw_warnings_at(list, i);
        zw_report_open(r, NULL);
        zw_report_word(r, "about", w->key);
        zw_report_word(r, "text", w->text);
        zw_report_word(r, "hint", w->hint[0] ? w->hint : NULL);
        zw_report_word(r, "file", w->file[0] ? w->file : NULL);
        zw_report_count(r, "line", w->line);
        zw_report_count(r, "column", w->column);
        zw_report_count(r, "count", w->count);
        zw_report_number(r, "first", w->first, &(zw_shown){.unit = "s"});
        zw_report_number(r, "last", w->last, &(zw_shown){.unit = "s"});
        zw_report_number(r, "worst", w->worst, NULL);
        zw_report_close(r);
    }
    zw_report_close(r);
}

const zw_report *zw_study_report(zw_study *s) {
    if (s->report || !zw_study_has_results(s))
        return s->report;
    if (!(s->report = zw_report_create(&s->arena.alloc)))
        return NULL;
    zw_report_word(s->report, "model", s->input.full ? s->input.full->name : s->input.system->name);
    zw_report_word(s->report, "study", s->kind->name);
    zw_report_word(s->report, "version", zw_version());
    zw_report_flag(s->report, "stopped", s->status == ZW_STOPPED);
    zw_forms_report(&s->forms, s->report);
    s->kind->report(s->work, s->report);
    report_warnings(s->report, zw_study_warnings(s));
    return s->report;
}

zw_status zw_study_table(zw_study *s, const char *which, zw_table **out, zw_error *err) {
    *out = NULL;
    assert(zw_study_has_results(s) || (s->kind->motion && s->work));
    zw_status status = s->kind->table(s->work, &s->input, which, out, err);
    if (status < 0 || !*out)
        return status;
    status = zw_warnings_note(zw_study_warnings(s), *out);
    if (status < 0) {
        zw_table_destroy(*out);
        *out = NULL;
        return zw_out_of_memory(err, NULL);
    }
    return ZW_OK;
}

const char *zw_study_part(const zw_study *s, const char *which, int i) {
    assert(zw_study_has_results(s));
    return s->kind->part ? s->kind->part(s->work, which, i) : NULL;
}

zw_status zw_study_text(zw_study *s, const char *which, zw_bytes *out, zw_error *err) {
    *out = (zw_bytes){0};
    assert(zw_study_has_results(s));
    return s->kind->text(s->work, &s->input, which, out, err);
}
