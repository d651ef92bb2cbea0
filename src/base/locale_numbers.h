/* SPDX-License-Identifier: MIT */
/* Numbers with a point, in every locale: a program that uses the library may have set one with a
 * comma, in which strtod stops at the point of 1.5 and printf writes 1,5. Every source of the
 * library includes this header before all others (CMakeLists.txt), which replaces the functions of
 * C that read and write numbers by those here. They read and write as in the locale "C", and do not
 * change that of the program and of other threads. Code that writes to files directly (fprintf) is
 * placed between zw_plain_begin and zw_plain_end. */
#ifndef ZW_BASE_LOCALE_NUMBERS_H
#define ZW_BASE_LOCALE_NUMBERS_H

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

double zw_strtod(const char *text, char **end);
int zw_snprintf(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int zw_vsnprintf(char *out, size_t size, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
int zw_sscanf(const char *text, const char *format, ...) __attribute__((format(scanf, 2, 3)));

/* Sets the locale "C" for this thread, and restores the one before. */
locale_t zw_plain_begin(void);
void zw_plain_end(locale_t before);

#define strtod zw_strtod
#define snprintf zw_snprintf
#define vsnprintf zw_vsnprintf
#define sscanf zw_sscanf

#endif
