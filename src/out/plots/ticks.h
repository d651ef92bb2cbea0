/* SPDX-License-Identifier: MIT */
/* Positions of the marks of an axis, and their numbers. */
#ifndef ZW_OUT_TICKS_H
#define ZW_OUT_TICKS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct zw_out_ticks {
    double first, step; /* mark i is at first + i step */
    int n;
    double offset; /* subtracted from every number, 0 unless they would be too long */
    int exponent;  /* the numbers are written in units of 10^exponent */
    int decimals;
} zw_out_ticks;

/* Marks at multiples of 1, 2 or 5 times a power of ten inside [low, high], low < high, at most
 * `most` (>= 2) of them. */
zw_out_ticks zw_out_ticks_choose(double low, double high, int most);
/* The same in degrees: instead of steps of 50 or more, multiples of 45 degrees. */
zw_out_ticks zw_out_ticks_degrees(double low, double high, int most);
double zw_out_tick(const zw_out_ticks *t, int i);
/* The number of mark i with a minus sign. */
void zw_out_tick_text(const zw_out_ticks *t, int i, char *buffer, size_t size);

enum { ZW_OUT_MARKS = 160 };

/* The marks of an axis on either scale. */
typedef struct zw_out_marks {
    int n;
    struct {
        double value;
        bool minor;    /* short and without a number */
        char text[32]; /* in the markup of a name, see label.h */
    } mark[ZW_OUT_MARKS];
    char corner[96]; /* common factor and offset of all numbers, "×10^6 + 5", "" if none */
} zw_out_marks;

/* Even marks. */
void zw_out_marks_linear(zw_out_marks *m, double low, double high, int most, bool degrees);
/* Decades, at most `most` of them with numbers; 0 < low < high. */
void zw_out_marks_log(zw_out_marks *m, double low, double high, int most);

#endif
