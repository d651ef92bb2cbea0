/* SPDX-License-Identifier: MIT */
#include "named_values.h"
#include "base/arena.h"

#include <ctype.h>
#include <string.h>

static char *trim_blanks(char *text) {
    while (isspace((unsigned char)*text))
        text++;
    size_t n = strlen(text);
    while (n > 0 && isspace((unsigned char)text[n - 1]))
        text[--n] = '\0';
    return text;
}

zw_status zw_study_items(zw_arena *arena, const char *option, const char *list, const char *hint,
                         zw_study_item each, void *user, zw_error *err) {
    char *text = zw_arena_string(arena, list), *at = text;
    if (!text)
        return zw_out_of_memory(err, NULL);
    while (at) {
        int depth = 0;
        char *end = at;
        for (; *end && (depth > 0 || *end != ','); end++)
            depth += (*end == '(') - (*end == ')');
        char *next = *end ? end + 1 : NULL;
        *end = '\0';
        char *equals = strchr(at, '=');
        if (!equals) {
            zw_fail(err, ZW_E_OPTION, "%s %s: there is no NAME=VALUE in it", option, list);
            zw_error_hint(err, "%s", hint);
            return ZW_E_OPTION;
        }
        *equals = '\0';
        ZW_TRY(each(user, option, trim_blanks(at), trim_blanks(equals + 1), err));
        at = next;
    }
    return ZW_OK;
}
