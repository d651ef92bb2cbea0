/* SPDX-License-Identifier: MIT */
#include "zwang/simulate.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* ------------------------------------------------------------------------------- lists in notes */

zw_status zw_names_split(zw_context *ctx, const char *text, char separator, int more, zw_names *out,
                         zw_error *err) {
    int n = 1;
    text = text ? text : "";
    size_t size = strlen(text) + 1;
    for (const char *c = text; *c; c++)
        n += *c == separator;
    *out = (zw_names){.item = zw_context_alloc(ctx, sizeof *out->item * (size_t)(n + more))};
    char *copy = zw_context_alloc(ctx, size);
    if (!out->item || !copy)
        return zw_context_status(ctx, err);
    memcpy(copy, text, size);
    for (char *next = copy; next && *copy;) {
        char *end = strchr(next, separator);
        if (end)
            *end++ = '\0';
        if (*next)
            out->item[out->n++] = next;
        next = end;
    }
    return ZW_OK;
}

/* the lines of a note, followed by further ones */
static zw_status join_notes(zw_context *ctx, const zw_table *result, const char *key, int more,
                            const char *const *item, zw_names *out, zw_error *err) {
    ZW_TRY(zw_names_split(ctx, zw_table_get_note(result, key), '\n', more, out, err));
    for (int i = 0; i < more; i++)
        out->item[out->n++] = item[i];
    return ZW_OK;
}

zw_status zw_result_model_options(zw_context *ctx, const zw_table *result,
                                  const zw_model_options *more, zw_model_options *out,
                                  zw_error *err) {
    static const zw_model_options none;
    zw_names set, with, without, law;
    more = more ? more : &none;
    ZW_TRY(join_notes(ctx, result, "set", more->nset, more->set, &set, err));
    ZW_TRY(join_notes(ctx, result, "with", more->nwith, more->with, &with, err));
    ZW_TRY(join_notes(ctx, result, "without", more->nwithout, more->without, &without, err));
    ZW_TRY(join_notes(ctx, result, "law", more->nlaw, more->law, &law, err));
    const char *variant = more->variant ? more->variant : zw_table_get_note(result, "variant");
    *out = (zw_model_options){.size = sizeof *out,
                              .variant = variant && *variant ? variant : NULL,
                              .nset = set.n,
                              .set = set.item,
                              .nwith = with.n,
                              .with = with.item,
                              .nwithout = without.n,
                              .without = without.item,
                              .nlaw = law.n,
                              .law = law.item,
                              .fault = more->fault,
                              .fault_user = more->fault_user};
    return ZW_OK;
}

/* ----------------------------------------------------------------------------------- the system */

zw_status zw_result_system(zw_system **out, zw_context *ctx, const zw_table *result,
                           zw_error *err) {
    assert(out);
    *out = NULL;
    const char *text = zw_table_get_note(result, "text"), *file = zw_table_get_note(result, "file");
    if (!text) {
        zw_fail(err, ZW_E_FILE, "the result does not contain the text of its model");
        zw_error_hint(err, "results of 'zwang run MODEL --out FILE' do");
        return ZW_E_FILE;
    }
    zw_model_options options;
    ZW_TRY(zw_result_model_options(ctx, result, NULL, &options, err));
    return zw_model_parse(out, ctx, text, strlen(text), file ? file : "the result", &options, err);
}

zw_status zw_result_params(const zw_table *result, const zw_system *s, double *p, zw_error *err) {
    ZW_TRY(zw_system_param_values(s, p, err));
    for (int i = 0; i < s->np; i++) {
        char key[256];
        snprintf(key, sizeof key, "param %.240s", s->param[i].name);
        const char *note = zw_table_get_note(result, key);
        if (note)
            p[i] = strtod(note, NULL);
    }
    return ZW_OK;
}
