/* SPDX-License-Identifier: MIT */
#ifndef ZW_BASE_APPEND_H
#define ZW_BASE_APPEND_H

#include <stddef.h>

/* Appends formatted text to a string in a buffer of `size` bytes; the text is truncated if it does
 * not fit. */
void zw_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
