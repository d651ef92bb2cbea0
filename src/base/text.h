/* SPDX-License-Identifier: MIT */
/* A growing string. Failure is sticky: check `failed` once, when the text is complete. */
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
/* Words in lines of at most ZW_TEXT_WIDTH columns, where a line break of s is a blank unless a blank
 * or another line break follows. The first line has `used` columns already, the next ones begin
 * with `indent` blanks. */
enum { ZW_TEXT_WIDTH = 88 };
void zw_text_wrap(zw_text *t, const char *s, size_t used, int indent);
/* s in double quotes with JSON's escapes. */
void zw_text_json(zw_text *t, const char *s);
/* The shortest decimal that reads back as the same double. */
void zw_text_number(zw_text *t, double value);
/* The known digits of a value with an error (0 or NaN: unknown error), at most `most` of them and
 * at least one: 0.11011 for 0.1101132 with error 2e-6. */
void zw_text_known(zw_text *t, double value, double error, int most);
int zw_text_digits(double value, double error, int most); /* the number of these digits */
/* The number for JSON: null if it is not finite. */
void zw_text_json_number(zw_text *t, double value);
/* Replaces what a terminal or a reader would interpret instead of showing it by '?', byte for byte:
 * control characters except line ends and tabs, those after 0x7f, bytes that are not UTF-8, and
 * characters that change the direction of writing. */
void zw_text_tame(char *s); /* NULL: nothing to do */
/* The string ("" if nothing was put), still owned by t. */
const char *zw_text_get(const zw_text *t);
/* Gives the string to the caller: its capacity is then exactly length + 1, so free it with
 * zw_release(alloc, s, strlen(s) + 1). NULL if the text failed; t is empty afterwards. */
char *zw_text_take(zw_text *t);

/* The text as bytes of the caller (malloc); t is empty afterwards, also after a failure. `what` is
 * named in the message. */
zw_status zw_text_bytes(zw_text *t, zw_bytes *out, const char *what, zw_error *err);

#endif
