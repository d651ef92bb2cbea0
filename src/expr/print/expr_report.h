/* SPDX-License-Identifier: MIT */
/* Expressions as values of reports. A failed allocation makes the report fail. */
#ifndef ZW_EXPR_PRINT_EXPR_REPORT_H
#define ZW_EXPR_PRINT_EXPR_REPORT_H

#include "zwang/expr.h"
#include "zwang/report.h"

/* The value `key` is the expression, or the equation left = right, as a formula. If it has more
 * than `most` characters, the count `<key>_operations` is added, which sentences show instead, and
 * the answer is false. Beyond a million characters the value is null. */
bool zw_report_expr(zw_report *r, const char *key, zw_context *ctx, zw_expr e, int most);
bool zw_report_equation(zw_report *r, const char *key, zw_context *ctx, zw_expr left, zw_expr right,
                        int most);
/* In the notation of models alone: a word (null beyond 32 Mi characters); a list of words; a list of
 * such lists. */
void zw_report_plain(zw_report *r, const char *key, zw_context *ctx, zw_expr e);
void zw_report_plain_list(zw_report *r, const char *key, zw_context *ctx, int n, const zw_expr *e);
void zw_report_plain_matrix(zw_report *r, const char *key, zw_context *ctx, int rows, int columns,
                            const zw_expr *e);

#endif
