/* SPDX-License-Identifier: MIT */
#include "append.h"

#include <string.h>

void zw_append(char *text, size_t size, const char *format, ...) {
    size_t length = strlen(text);
    va_list args;
    va_start(args, format);
    if (length < size)
        vsnprintf(text + length, size - length, format, args);
    va_end(args);
}
