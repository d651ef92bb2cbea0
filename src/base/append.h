/* SPDX-License-Identifier: MIT */
#ifndef ZW_BASE_APPEND_H
#define ZW_BASE_APPEND_H

#include <stddef.h>

/* Adds what the format writes to a string in memory of `size` bytes; what does not fit is cut off. */
void zw_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
