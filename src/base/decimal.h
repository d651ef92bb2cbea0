/* SPDX-License-Identifier: MIT */
/* Doubles as the shortest decimals that read back as the same bits, and back. */
#ifndef ZW_BASE_DECIMAL_H
#define ZW_BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

enum { ZW_DECIMAL_MAX = 32 }; /* bytes for the longest, terminated: -2.2250738585072014e-308 */

/* Writes v as printf("%.17g") would, with no more digits than needed: 0.1, -0, 1.5e+300, inf, nan.
 * Returns the length. The decimal separator is a point in every locale. */
int zw_decimal(char out[ZW_DECIMAL_MAX], double v);

/* The double nearest to the decimal in the n bytes at s; false if these are not a number. Accepts
 * what strtod accepts, infinities and NaN too. The byte after the text must end a number; a
 * terminating zero does. */
bool zw_decimal_read(const char *s, size_t n, double *out);

#endif
