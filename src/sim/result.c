/* SPDX-License-Identifier: MIT */
#include "zwang/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "zwang/model.h"

enum { LINES_MAX = 256 };

/* the lines of a note, copied into the context */
static zw_status lines_of(zw_context *ctx, const zw_table *t, const char *key,
                          const char *const **lines, int *n, zw_error *err) {
    const char *note = zw_table_get_note(t, key);
    *n = 0;
    if (!note || !note[0])
        return ZW_OK;
    const char **list = zw_context_alloc(ctx, LINES_MAX * sizeof *list);
    size_t size = strlen(note) + 1;
    char *copy = zw_context_alloc(ctx, size);
    if (!list || !copy)
        return zw_context_status(ctx, err);
    memcpy(copy, note, size);
    for (char *line = copy, *end; line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        if (*n == LINES_MAX)
            return zw_fail(err, ZW_E_FILE, "the note '%s' of the result has more than %d lines",
                           key, LINES_MAX);
        list[(*n)++] = line;
    }
    *lines = list;
    return ZW_OK;
}

zw_status zw_result_system(zw_system **out, zw_context *ctx, const zw_table *result,
                           zw_error *err) {
    *out = NULL;
    const char *text = zw_table_get_note(result, "text"), *file = zw_table_get_note(result, "file"),
               *variant = zw_table_get_note(result, "variant");
    if (!text) {
        zw_fail(err, ZW_E_FILE, "the result does not hold the text of its model");
        zw_error_hint(err, "results of 'zwang run MODEL --out FILE' do");
        return ZW_E_FILE;
    }
    zw_model_options options = {.variant = variant && variant[0] ? variant : NULL};
    ZW_TRY(lines_of(ctx, result, "set", &options.set, &options.nset, err));
    ZW_TRY(lines_of(ctx, result, "with", &options.with, &options.nwith, err));
    ZW_TRY(lines_of(ctx, result, "without", &options.without, &options.nwithout, err));
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
