/* SPDX-License-Identifier: MIT */
/* The shortest decimal that reads back as the same double. */
#ifndef ZW_BASE_DECIMAL_H
#define ZW_BASE_DECIMAL_H

enum { ZW_DECIMAL_MAX = 32 }; /* room for the longest, terminated: -2.2250738585072014e-308 */

/* Write v as printf("%.17g") would, with no more digits than needed: 0.1, -0, 1.5e+300, inf, nan.
 * Returns the length; the point is a point in every locale. */
int zw_decimal(char out[ZW_DECIMAL_MAX], double v);

#endif
