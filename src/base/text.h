/* SPDX-License-Identifier: MIT */
/* A growing string. Failure is sticky: ask once, with `failed`, when the text is done. */
#ifndef ZW_BASE_TEXT_H
#define ZW_BASE_TEXT_H

#include <stdbool.h>

#include "zwang/status.h"

typedef struct zw_text {
    zw_allocator alloc;
    char *data; /* terminated; NULL while empty */
    size_t length, capacity;
    bool failed;
} zw_text;

void zw_text_init(zw_text *t, const zw_allocator *alloc);
void zw_text_clear(zw_text *t);
void zw_text_put(zw_text *t, const char *s);
void zw_text_put_n(zw_text *t, const char *s, size_t n);
void zw_text_printf(zw_text *t, const char *fmt, ...) ZW_PRINTF(2, 3);
/* s in double quotes with JSON's escapes. */
void zw_text_json(zw_text *t, const char *s);
/* The shortest decimal that reads back as the same double. */
void zw_text_number(zw_text *t, double value);
/* The digits that are known of a value with an error (0 or NaN: none is known), at most `most` of
 * them and at least one: 0.11011 of 0.1101132 to 2e-6. */
void zw_text_known(zw_text *t, double value, double error, int most);
int zw_text_digits(double value, double error, int most); /* the number of these digits */
/* The same as JSON: null if it is not finite. */
void zw_text_json_number(zw_text *t, double value);
/* What a terminal or a reader would obey instead of showing it becomes '?', byte for byte: control
 * characters but line ends and tabs, those behind 0x7f, bytes that are no UTF-8, marks that turn
 * the direction of writing. */
void zw_text_tame(char *s); /* NULL: nothing to do */
/* The string ("" if nothing was put), still owned by t. */
const char *zw_text_get(const zw_text *t);
/* Give the string away: capacity is exactly length + 1 then, so free it with
 * zw_release(alloc, s, strlen(s) + 1). NULL if the text failed; t is empty afterwards. */
char *zw_text_take(zw_text *t);

#endif
