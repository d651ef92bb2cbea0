/* SPDX-License-Identifier: MIT */
/* Where the marks of an axis stand and how their numbers are written. */
#ifndef ZW_OUT_TICKS_H
#define ZW_OUT_TICKS_H

#include <stddef.h>

typedef struct zw_out_ticks {
    double first, step; /* mark i is at first + i step */
    int n;
    int exponent; /* the numbers are written in units of 10^exponent */
    int decimals;
} zw_out_ticks;

/* Marks at multiples of 1, 2 or 5 times a power of ten inside [low, high], low < high, at most
 * `most` (>= 2) of them. */
zw_out_ticks zw_out_ticks_choose(double low, double high, int most);
double zw_out_tick(const zw_out_ticks *t, int i);
/* The number of mark i with a true minus sign. */
void zw_out_tick_text(const zw_out_ticks *t, int i, char *buffer, size_t size);

#endif
