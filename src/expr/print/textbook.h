/* SPDX-License-Identifier: MIT */
/* Expressions in the form in which people write them: see the head of collect.c. */
#ifndef ZW_EXPR_PRINT_TEXTBOOK_H
#define ZW_EXPR_PRINT_TEXTBOOK_H

#include "zwang/expr.h"

/* An equal expression, the shortest in print of several forms: unchanged, multiplied out, with
 * sines and cosines combined (trig), and each of these with its terms collected by rates,
 * coordinates and parameters. inside: it will be in brackets, with common factors in front of
 * them. */
zw_expr zw_textbook(zw_context *ctx, zw_expr e, bool trig, bool inside);

#endif
