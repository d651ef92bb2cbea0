/* SPDX-License-Identifier: MIT */
/* Units and dimensions. A dimension is a product of powers of the seven SI base units with rational
 * exponents; a unit is a dimension and the factor that turns its numbers into SI ones. */
#ifndef ZW_BASE_UNITS_H
#define ZW_BASE_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "zwang/status.h"

enum { ZW_DIM_KG, ZW_DIM_M, ZW_DIM_S, ZW_DIM_A, ZW_DIM_K, ZW_DIM_MOL, ZW_DIM_CD, ZW_NDIM };
enum { ZW_DIM_TEXT = 128, ZW_DIM_WORDS = ZW_DIM_TEXT + 16 }; /* enough for any dimension */

typedef struct zw_dim {
    int16_t num[ZW_NDIM]; /* exponents over the common denominator */
    int16_t angle;        /* exponent of rad: for output only, never compared */
    int16_t den;          /* > 0 */
    bool any;             /* the number 0, which fits every dimension */
} zw_dim;

typedef struct zw_unit {
    zw_dim dim;
    bool exact;       /* factor = num/den pi^pi_power */
    int64_t num, den; /* lowest terms */
    int pi_power;
    double factor; /* SI value of one unit, always set */
} zw_unit;

zw_dim zw_dim_none(void);
zw_dim zw_dim_any(void);
/* kg^kg m^m s^s */
zw_dim zw_dim_mechanical(int kg, int m, int s);
bool zw_dim_is_none(const zw_dim *d);
/* Equal, or one of them fits any. */
bool zw_dim_fits(const zw_dim *a, const zw_dim *b);
/* out = a * b^sign, sign +1 or -1; false if an exponent becomes too large. */
bool zw_dim_combine(zw_dim *out, const zw_dim *a, const zw_dim *b, int sign);
/* out = a^(num/den) */
bool zw_dim_power(zw_dim *out, const zw_dim *a, int64_t num, int64_t den);
/* The SI unit of a dimension: "m/s^2", "N", "rad/s"; "" for pure numbers. */
void zw_dim_text(const zw_dim *d, char text[ZW_DIM_TEXT]);
/* The same for messages: "in m/s", "a plain number". */
void zw_dim_words(const zw_dim *d, char text[ZW_DIM_WORDS]);

/* The SI unit of the momentum of a velocity with this unit (their product is an energy); "" if it
 * has none. */
void zw_momentum_unit(const char *velocity, char text[ZW_DIM_TEXT]);

/* Reads n characters of unit text, "kg*m^2/s^2"; place is where they stand. */
zw_status zw_unit_parse(zw_unit *out, const char *text, size_t n, zw_place place, zw_error *err);

#endif
