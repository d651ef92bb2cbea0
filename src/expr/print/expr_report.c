/* SPDX-License-Identifier: MIT */
#include "expr_report.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

enum { LONGEST = 1 << 20, LONGEST_LATEX = 1 << 16, PLAIN_MOST = 1 << 25 }; /* characters */

/* both sides with " = " between them; false: too long */
static bool print_sides(zw_text *out, zw_context *ctx, const zw_expr *side, int n, zw_format format,
                        size_t most) {
    for (int i = 0; i < n; i++) {
        char *printed = zw_print_within(ctx, side[i], format, most);
        zw_text_put(out, i ? " = " : "");
        zw_text_put(out, printed ? printed : "");
        if (!printed)
            return false;
        zw_string_free(ctx, printed);
    }
    return !out->failed;
}

static bool report_sides(zw_report *r, const char *key, zw_context *ctx, const zw_expr *side, int n,
                         int most) {
    zw_text text, latex;
    char operations[80];
    zw_allocator alloc = zw_context_allocator(ctx);
    zw_text_init(&text, &alloc);
    zw_text_init(&latex, &alloc);
    bool printed = print_sides(&text, ctx, side, n, ZW_TEXT, LONGEST);
    bool typeset = printed && print_sides(&latex, ctx, side, n, ZW_LATEX, LONGEST_LATEX);
    bool shown = printed && text.length <= (size_t)most;
    zw_report_formula(r, key, printed ? zw_text_get(&text) : NULL,
                      typeset ? zw_text_get(&latex) : NULL);
    if (!shown) {
        snprintf(operations, sizeof operations, "%s_operations", key);
        zw_report_count(r, operations, zw_count(ctx, n, side));
    }
    if (text.failed || latex.failed || zw_context_status(ctx, NULL) < 0)
        zw_report_fail(r);
    zw_text_clear(&text);
    zw_text_clear(&latex);
    return shown;
}

bool zw_report_expr(zw_report *r, const char *key, zw_context *ctx, zw_expr e, int most) {
    return report_sides(r, key, ctx, &e, 1, most);
}

bool zw_report_equation(zw_report *r, const char *key, zw_context *ctx, zw_expr left, zw_expr right,
                        int most) {
    const zw_expr side[] = {left, right};
    return report_sides(r, key, ctx, side, 2, most);
}

void zw_report_plain(zw_report *r, const char *key, zw_context *ctx, zw_expr e) {
    bool endless = zw_print_length(ctx, e) > PLAIN_MOST;
    char *printed = endless ? NULL : zw_print(ctx, e, ZW_TEXT);
    zw_report_word(r, key, printed);
    if (!printed && !endless)
        zw_report_fail(r);
    zw_string_free(ctx, printed);
}

void zw_report_plain_list(zw_report *r, const char *key, zw_context *ctx, int n, const zw_expr *e) {
    zw_report_list(r, key);
    for (int i = 0; i < n; i++)
        zw_report_plain(r, NULL, ctx, e[i]);
    zw_report_close(r);
}

void zw_report_plain_matrix(zw_report *r, const char *key, zw_context *ctx, int rows, int columns,
                            const zw_expr *e) {
    zw_report_list(r, key);
    for (int i = 0; i < rows; i++)
        zw_report_plain_list(r, NULL, ctx, columns, e + (size_t)i * (size_t)columns);
    zw_report_close(r);
}
