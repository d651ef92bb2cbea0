/* SPDX-License-Identifier: MIT */
#include "option.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "units.h"

#define FIELD(type, options, row) ((type *)(void *)((char *)(options) + (row)->offset))
#define CONST_FIELD(type, options, row)                                                            \
    ((const type *)(const void *)((const char *)(options) + (row)->offset))

_Static_assert(sizeof(enum zw_option_type) == sizeof(int), "a choice is kept as an int");

static bool is_number(const zw_option *row) {
    return row->type == ZW_OPT_DOUBLE || row->type == ZW_OPT_INT || row->type == ZW_OPT_LONG;
}

static void put_number(const zw_option *row, void *options, double value) {
    if (row->type == ZW_OPT_DOUBLE)
        *FIELD(double, options, row) = value;
    else if (row->type == ZW_OPT_LONG)
        *FIELD(long, options, row) = (long)value;
    else
        *FIELD(int, options, row) = (int)value;
}

static double get_number(const zw_option *row, const void *options) {
    return row->type == ZW_OPT_DOUBLE ? *CONST_FIELD(double, options, row)
           : row->type == ZW_OPT_LONG ? (double)*CONST_FIELD(long, options, row)
                                      : *CONST_FIELD(int, options, row);
}

void zw_options_default(const zw_option *table, void *options) {
    for (const zw_option *row = table; row->key; row++) {
        switch (row->type) {
        case ZW_OPT_DOUBLE:
        case ZW_OPT_INT:
        case ZW_OPT_LONG:
        case ZW_OPT_CHOICE:
            put_number(row, options, row->fallback);
            break;
        case ZW_OPT_FLAG:
            *FIELD(bool, options, row) = false;
            break;
        case ZW_OPT_NAME:
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

/* ------------------------------------------------------------------------------------- checks */

static zw_status check_range(const zw_option *row, double value, zw_error *err) {
    if (!(value >= row->min && value <= row->max))
        return zw_fail(err, ZW_E_OPTION, "--%s %g is out of range: it must lie in [%g, %g]",
                       row->key, value, row->min, row->max);
    return ZW_OK;
}

/* A number whose default is NaN need not be given. */
static bool is_left_out(const zw_option *row, double value) {
    return isnan(value) && isnan(row->fallback);
}

static int choice_count(const char *choices) {
    int n = 1;
    for (; *choices; choices++)
        n += *choices == '|';
    return n;
}

static zw_status check_choice(const zw_option *row, int value, zw_error *err) {
    if (value >= 0 && value < choice_count(row->choices))
        return ZW_OK;
    return zw_fail(err, ZW_E_OPTION, "%s = %d is the number of none of %s", row->key, value,
                   row->choices);
}

/* index of the name in "a|b|c", or -1 */
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

static zw_status check_name(const zw_option *row, const char *name, zw_error *err) {
    if (choice_number(row->choices, name) >= 0)
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "--%s is one of %s, not '%s'", row->key, row->choices, name);
    char all[512], *choice[64];
    int n = 0;
    snprintf(all, sizeof all, "%s", row->choices);
    for (char *p = all; p && n < 64; n++) {
        choice[n] = p;
        p = strchr(p, '|');
        if (p)
            *p++ = '\0';
    }
    const char *near = zw_nearest(name, n, (const char *const *)choice);
    if (near)
        zw_error_hint(err, "did you mean %s?", near);
    return ZW_E_OPTION;
}

zw_status zw_options_check(const zw_option *table, const void *options, zw_error *err) {
    for (const zw_option *row = table; row->key; row++) {
        double value = is_number(row) ? get_number(row, options) : 0;
        if (is_number(row) && !is_left_out(row, value))
            ZW_TRY(check_range(row, value, err));
        else if (row->type == ZW_OPT_CHOICE)
            ZW_TRY(check_choice(row, *CONST_FIELD(int, options, row), err));
        else if (row->type == ZW_OPT_NAME) {
            const char *name = *CONST_FIELD(char *const, options, row);
            if (name)
                ZW_TRY(check_name(row, name, err));
        }
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------ from text */

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

/* true if a value such as 1,5 was meant as 1.5 */
static bool has_decimal_comma(const char *value) {
    const char *comma = strchr(value, ',');
    return comma && comma > value && isdigit((unsigned char)comma[-1]) &&
           isdigit((unsigned char)comma[1]) && !strchr(comma + 1, ',') &&
           !memchr(value, '.', (size_t)(comma - value));
}

static zw_status reject_number(const zw_option *row, const char *value, zw_error *err) {
    zw_fail(err, ZW_E_OPTION, "--%s wants a number, not '%s'", row->key, value);
    if (has_decimal_comma(value))
        zw_error_hint(err, "did you mean %.*s.%s?", (int)strcspn(value, ","), value,
                      strchr(value, ',') + 1);
    else if (row->unit[0])
        zw_error_hint(err, "a number in %s, or with a unit of its own: --%s 2.5%s", row->unit,
                      row->key, row->unit);
    return ZW_E_OPTION;
}

/* "10s", "1 ms", "1 [ms]": the factor from the unit in the text to that of the option */
static zw_status unit_factor(const zw_option *row, const char *value, const char *text,
                             double *factor, zw_error *err) {
    zw_unit given, own;
    text += strspn(text, " \t");
    size_t n = strlen(text);
    if (n > 1 && text[0] == '[' && text[n - 1] == ']') {
        text++;
        n -= 2;
    }
    if (!row->unit[0] || !isalpha((unsigned char)text[0]))
        return reject_number(row, value, err);
    zw_error why = {0};
    if (zw_unit_parse(&given, text, n, (zw_place){0}, &why) < 0) {
        zw_fail(err, ZW_E_OPTION, "--%s %s: %s", row->key, value, why.text);
        if (why.hint[0])
            zw_error_hint(err, "%s", why.hint);
        return ZW_E_OPTION;
    }
    ZW_TRY(zw_unit_parse(&own, row->unit, strlen(row->unit), (zw_place){0}, err));
    if (!zw_dim_fits(&given.dim, &own.dim))
        return zw_fail(err, ZW_E_OPTION, "--%s %s: it is a number of %s", row->key, value,
                       row->unit);
    *factor = given.factor / own.factor;
    return ZW_OK;
}

static zw_status set_number(const zw_option *row, void *options, const char *value, zw_error *err) {
    char *end;
    double number = strtod(value, &end), factor = 1;
    if (end == value || isnan(number))
        return reject_number(row, value, err);
    if (*end)
        ZW_TRY(unit_factor(row, value, end, &factor, err));
    number *= factor;
    if (row->type != ZW_OPT_DOUBLE && number != floor(number))
        return zw_fail(err, ZW_E_OPTION, "--%s wants a whole number, not '%s'", row->key, value);
    ZW_TRY(check_range(row, number, err));
    put_number(row, options, number);
    return ZW_OK;
}

static zw_status add_item(const zw_option *row, void *options, const char *value, zw_error *err) {
    zw_option_list *list = FIELD(zw_option_list, options, row);
    if (list->n == ZW_OPTION_LIST_MAX)
        return zw_fail(err, ZW_E_OPTION, "--%s is given more than %d times", row->key,
                       ZW_OPTION_LIST_MAX);
    list->item[list->n++] = value;
    return ZW_OK;
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
    case ZW_OPT_DOUBLE:
    case ZW_OPT_INT:
    case ZW_OPT_LONG:
        return set_number(row, options, value, err);
    case ZW_OPT_CHOICE:
        ZW_TRY(check_name(row, value, err));
        *FIELD(int, options, row) = choice_number(row->choices, value);
        break;
    case ZW_OPT_NAME:
        ZW_TRY(check_name(row, value, err));
        *FIELD(const char *, options, row) = value;
        break;
    case ZW_OPT_STRING:
        *FIELD(const char *, options, row) = value;
        break;
    case ZW_OPT_LIST:
        return add_item(row, options, value, err);
    case ZW_OPT_FLAG:
        break;
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------- to text */

static void print_choice(const char *choices, int k, zw_text *out) {
    for (; k > 0; k--)
        choices += strcspn(choices, "|") + 1;
    zw_text_put_n(out, choices, strcspn(choices, "|"));
}

void zw_options_print(const zw_option *row, const void *options, zw_text *out) {
    if (row->type == ZW_OPT_CHOICE) {
        print_choice(row->choices, *CONST_FIELD(int, options, row), out);
    } else if (row->type == ZW_OPT_NAME) {
        const char *name = *CONST_FIELD(char *const, options, row);
        if (name)
            zw_text_put(out, name);
        else
            print_choice(row->choices, 0, out);
    } else if (is_number(row)) {
        zw_text_number(out, get_number(row, options));
    }
}

void zw_options_copy(const zw_option *row, void *to, const void *from) {
    static const size_t size[] = {
        [ZW_OPT_DOUBLE] = sizeof(double),       [ZW_OPT_INT] = sizeof(int),
        [ZW_OPT_LONG] = sizeof(long),           [ZW_OPT_CHOICE] = sizeof(int),
        [ZW_OPT_NAME] = sizeof(const char *),   [ZW_OPT_FLAG] = sizeof(bool),
        [ZW_OPT_STRING] = sizeof(const char *), [ZW_OPT_LIST] = sizeof(zw_option_list)};
    memcpy((char *)to + row->offset, (const char *)from + row->offset, size[row->type]);
}

/* --------------------------------------------------------------------------------------- lists */

/* up to a comma outside of parentheses and brackets */
static size_t entry_length(const char *text) {
    size_t n = 0;
    for (int depth = 0; text[n] && (text[n] != ',' || depth > 0); n++)
        depth += (text[n] == '(' || text[n] == '[') - (text[n] == ')' || text[n] == ']');
    return n;
}

bool zw_option_list_next(const zw_option_list *list, zw_list_place *place, const char **text,
                         size_t *length) {
    for (; place->item < list->n; place->item++, place->at = 0)
        for (const char *p; *(p = list->item[place->item] + place->at);) {
            size_t whole = entry_length(p), first = strspn(p, " "), end = whole;
            while (end > first && p[end - 1] == ' ')
                end--;
            place->at += whole + (p[whole] == ',');
            if (first < end) {
                *text = p + first;
                *length = end - first;
                return true;
            }
        }
    return false;
}

zw_status zw_option_list_split(const zw_option_list *list, zw_arena *arena,
                               const char *const **entries, int *n, zw_error *err) {
    zw_list_place count = {0}, place = {0};
    const char *text;
    size_t length;
    int most = 0;
    while (zw_option_list_next(list, &count, &text, &length))
        most++;
    const char **entry = ZW_NEW(arena, const char *, most + 1);
    for (*n = 0; entry && zw_option_list_next(list, &place, &text, &length); ++*n)
        entry[*n] = zw_arena_copy(arena, text, length);
    *entries = entry;
    return zw_arena_status(arena, err);
}

/* ------------------------------------------------------------------------------------- growth */

enum { SIZE_MAX_SANE = 1 << 14 }; /* a larger size is uninitialised memory */

void zw_options_begin(void *options, size_t size, const void *defaults, size_t known) {
    memset(options, 0, size);
    memcpy(options, defaults, size < known ? size : known);
    memcpy(options, &size, sizeof size);
}

zw_status zw_options_adopt(void *own, size_t known, const void *given, const char *what,
                           zw_error *err) {
    size_t size;
    memcpy(&size, given, sizeof size);
    if (size < sizeof size || size > SIZE_MAX_SANE) {
        zw_fail(err, ZW_E_OPTION, "%s: the struct was not begun with its defaults", what);
        zw_error_hint(err, "%s o = %s_default();", what, what);
        return ZW_E_OPTION;
    }
    for (size_t i = known; i < size; i++)
        if (((const char *)given)[i]) {
            zw_fail(err, ZW_E_OPTION, "%s: an option that this version of the library lacks", what);
            zw_error_hint(err, "the program was compiled for a newer one");
            return ZW_E_OPTION;
        }
    memcpy(own, given, size < known ? size : known);
    memcpy(own, &known, sizeof known);
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------- help */

enum { HELP_COLUMN = 26 };

const char *zw_options_label(const zw_option *row) {
    return row->type == ZW_OPT_FLAG ? NULL : row->choices ? row->choices : "NUMBER";
}

/* beyond it a bound only excludes nonsense */
#define BOUND_SHOWN 1e9

static bool has_range(const zw_option *row) {
    return row->min > -BOUND_SHOWN || row->max < BOUND_SHOWN;
}

/* "0 to 10", "at least 0", "at most 0", or nothing */
static void print_range(const zw_option *row, zw_text *out) {
    bool low = row->min > -BOUND_SHOWN, high = row->max < BOUND_SHOWN;
    if (low && high)
        zw_text_printf(out, "%g to %g", row->min, row->max);
    else if (low || high)
        zw_text_printf(out, "%s %g", low ? "at least" : "at most", low ? row->min : row->max);
}

/* " (at least 0 s)", " (s)", or nothing: the default is none, or the help itself names it */
static void put_range(const zw_option *row, zw_text *out) {
    if (!has_range(row) && !row->unit[0])
        return;
    zw_text_put(out, " (");
    print_range(row, out);
    zw_text_printf(out, "%s%s)", has_range(row) && row->unit[0] ? " " : "", row->unit);
}

static void put_default(const zw_option *row, zw_text *out) {
    zw_text_printf(out, " (default %g%s%s%s", row->fallback, row->unit[0] ? " " : "", row->unit,
                   has_range(row) ? ", " : "");
    print_range(row, out);
    zw_text_put(out, ")");
}

void zw_options_note(const zw_option *row, zw_text *out) {
    if (is_number(row) && (isnan(row->fallback) || strstr(row->help, "(default"))) {
        put_range(row, out);
    } else if (is_number(row)) {
        put_default(row, out);
    } else if (row->type == ZW_OPT_CHOICE || row->type == ZW_OPT_NAME) {
        zw_text_put(out, " (default ");
        print_choice(row->choices, (int)row->fallback, out);
        zw_text_put(out, ")");
    }
}

void zw_options_help(const zw_option *table, zw_text *out) {
    for (const zw_option *row = table; row->key; row++) {
        char left[160];
        const char *label = zw_options_label(row);
        zw_text words;
        snprintf(left, sizeof left, "--%s%s%s", row->key, label ? "=" : "", label ? label : "");
        zw_text_init(&words, &out->alloc);
        zw_text_put(&words, row->help);
        zw_options_note(row, &words);
        out->failed |= words.failed;
        /* choices that are too long for their column get a line of their own */
        bool fits = strlen(left) <= HELP_COLUMN;
        zw_text_printf(out, "  %-*s%s", HELP_COLUMN, left, fits ? " " : "\n");
        zw_text_printf(out, "%*s", fits ? 0 : HELP_COLUMN + 3, "");
        zw_text_wrap(out, zw_text_get(&words), HELP_COLUMN + 3, HELP_COLUMN + 3);
        zw_text_put(out, "\n");
        zw_text_clear(&words);
    }
}

/* Edit distance: the number of letters to replace, insert, delete or exchange with their neighbour;
 * more than `limit` counts as limit + 1. Keeps the rows of the table for letters i, i - 1 and i - 2
 * of a. */
static int edit_distance(const char *a, const char *b, int limit) {
    enum { LONGEST = 63 };
    size_t n = strlen(b);
    if (n > LONGEST || strlen(a) > LONGEST)
        return limit + 1;
    int table[3][LONGEST + 1], *before = table[0], *last = table[1], *row = table[2];
    for (size_t j = 0; j <= n; j++)
        row[j] = (int)j;
    for (size_t i = 1; a[i - 1]; i++) {
        int *oldest = before;
        before = last;
        last = row;
        row = oldest;
        row[0] = (int)i;
        for (size_t j = 1; j <= n; j++) {
            int best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            row[j] = best;
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
