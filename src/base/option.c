/* SPDX-License-Identifier: MIT */
#include "option.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(type, options, row) ((type *)(void *)((char *)(options) + (row)->offset))
#define CONST_FIELD(type, options, row)                                                            \
    ((const type *)(const void *)((const char *)(options) + (row)->offset))

void zw_options_default(const zw_option *table, void *options) {
    for (const zw_option *row = table; row->key; row++) {
        switch (row->type) {
        case ZW_OPT_DOUBLE:
        case ZW_OPT_CHOICE:
            *FIELD(double, options, row) = row->fallback;
            break;
        case ZW_OPT_FLAG:
            *FIELD(bool, options, row) = false;
            break;
        case ZW_OPT_STRING:
            *FIELD(const char *, options, row) = NULL;
            break;
        case ZW_OPT_LIST:
            FIELD(zw_option_list, options, row)->n = 0;
            break;
        }
    }
}

const zw_option *zw_options_find(const zw_option *table, const char *key, size_t length) {
    for (const zw_option *row = table; row->key; row++)
        if (strlen(row->key) == length && strncmp(row->key, key, length) == 0)
            return row;
    return NULL;
}

static zw_status check_range(const zw_option *row, double value, zw_error *err) {
    if (row->type == ZW_OPT_DOUBLE && !(value >= row->min && value <= row->max))
        return zw_fail(err, ZW_E_OPTION, "%s = %g is out of range: it must lie in [%g, %g]",
                       row->key, value, row->min, row->max);
    return ZW_OK;
}

zw_status zw_options_check(const zw_option *table, const void *options, zw_error *err) {
    for (const zw_option *row = table; row->key; row++)
        if (row->type == ZW_OPT_DOUBLE)
            ZW_TRY(check_range(row, *CONST_FIELD(double, options, row), err));
    return ZW_OK;
}

/* number of the name in "a|b|c", or -1 */
static int choice_number(const char *choices, const char *value) {
    size_t n = strlen(value);
    int k = 0;
    for (const char *p = choices;; k++) {
        size_t len = strcspn(p, "|");
        if (len == n && strncmp(p, value, n) == 0)
            return k;
        if (!p[len])
            return -1;
        p += len + 1;
    }
}

static zw_status unknown_key(const zw_option *table, const char *key, zw_error *err) {
    const char *keys[128];
    int n = 0;
    for (const zw_option *row = table; row->key && n < 128; row++)
        keys[n++] = row->key;
    const char *near = zw_nearest(key, n, keys);
    zw_fail(err, ZW_E_OPTION, "there is no option --%s", key);
    if (near)
        zw_error_hint(err, "did you mean --%s?", near);
    return ZW_E_OPTION;
}

zw_status zw_options_set(const zw_option *table, void *options, const char *key, const char *value,
                         zw_error *err) {
    const zw_option *row = zw_options_find(table, key, strlen(key));
    if (!row)
        return unknown_key(table, key, err);
    if (row->type == ZW_OPT_FLAG) {
        if (value)
            return zw_fail(err, ZW_E_OPTION, "--%s takes no value", key);
        *FIELD(bool, options, row) = true;
        return ZW_OK;
    }
    if (!value)
        return zw_fail(err, ZW_E_OPTION, "--%s needs a value: --%s=%s", key, key,
                       row->choices ? row->choices : "NUMBER");
    switch (row->type) {
    case ZW_OPT_DOUBLE: {
        char *end;
        double number = strtod(value, &end);
        if (end == value || *end || isnan(number))
            return zw_fail(err, ZW_E_OPTION, "--%s wants a number, not '%s'", key, value);
        ZW_TRY(check_range(row, number, err));
        *FIELD(double, options, row) = number;
        break;
    }
    case ZW_OPT_CHOICE: {
        int k = choice_number(row->choices, value);
        if (k < 0)
            return zw_fail(err, ZW_E_OPTION, "--%s is one of %s, not '%s'", key, row->choices,
                           value);
        *FIELD(double, options, row) = k;
        break;
    }
    case ZW_OPT_STRING:
        *FIELD(const char *, options, row) = value;
        break;
    case ZW_OPT_LIST: {
        zw_option_list *list = FIELD(zw_option_list, options, row);
        if (list->n == ZW_OPTION_LIST_MAX)
            return zw_fail(err, ZW_E_OPTION, "--%s is given more than %d times", key,
                           ZW_OPTION_LIST_MAX);
        list->item[list->n++] = value;
        break;
    }
    case ZW_OPT_FLAG:
        break;
    }
    return ZW_OK;
}

enum { HELP_COLUMN = 26 };

void zw_options_help(const zw_option *table, zw_text *out) {
    for (const zw_option *row = table; row->key; row++) {
        char left[96], note[160] = "";
        if (row->type == ZW_OPT_FLAG)
            snprintf(left, sizeof left, "--%s", row->key);
        else
            snprintf(left, sizeof left, "--%s=%s", row->key,
                     row->choices ? row->choices : "NUMBER");
        if (row->type == ZW_OPT_DOUBLE)
            snprintf(note, sizeof note, " (default %g%s%s, %g to %g)", row->fallback,
                     row->unit[0] ? " " : "", row->unit, row->min, row->max);
        else if (row->type == ZW_OPT_CHOICE) {
            const char *p = row->choices;
            for (int k = 0; k < (int)row->fallback; k++)
                p += strcspn(p, "|") + 1;
            snprintf(note, sizeof note, " (default %.*s)", (int)strcspn(p, "|"), p);
        }
        /* choices that are too long for their column have a line of their own */
        bool fits = strlen(left) <= HELP_COLUMN;
        zw_text_printf(out, "  %-*s%s", HELP_COLUMN, left, fits ? " " : "\n");
        zw_text_printf(out, "%*s%s%s\n", fits ? 0 : HELP_COLUMN + 3, "", row->help, note);
    }
}

/* Levenshtein distance, capped: more than `limit` counts as limit + 1 */
static int edit_distance(const char *a, const char *b, int limit) {
    size_t n = strlen(b);
    if (n > 63 || strlen(a) > 63)
        return limit + 1;
    int row[64];
    for (size_t j = 0; j <= n; j++)
        row[j] = (int)j;
    for (size_t i = 0; a[i]; i++) {
        int diagonal = row[0];
        row[0] = (int)i + 1;
        for (size_t j = 0; j < n; j++) {
            int best = diagonal + (a[i] != b[j]);
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j + 1] + 1 < best)
                best = row[j + 1] + 1;
            diagonal = row[j + 1];
            row[j + 1] = best;
        }
    }
    return row[n] > limit ? limit + 1 : row[n];
}

const char *zw_nearest(const char *name, int n, const char *const *candidates) {
    size_t length = strlen(name);
    int limit = length <= 2 ? 1 : length <= 5 ? 2 : 3, best = limit + 1;
    const char *nearest = NULL;
    for (int i = 0; i < n; i++) {
        int d = edit_distance(name, candidates[i], limit);
        if (d < best && d < (int)length) {
            best = d;
            nearest = candidates[i];
        }
    }
    return nearest;
}
