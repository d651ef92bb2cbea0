/* SPDX-License-Identifier: MIT */
/* Ticks at round numbers: the step is the smallest of 1, 2, 5 times a power of ten that gives no
 * more marks than there is room for. Numbers from 1e-3 to 99999 are written out; beyond, a power of
 * ten (a multiple of three, as units have prefixes) goes to the end of the axis. */
#include "ticks.h"

#include <math.h>
#include <stdio.h>

zw_out_ticks zw_out_ticks_choose(double low, double high, int most) {
    static const double round[] = {1, 2, 5, 10};
    double rough = (high - low) / most;
    double power = pow(10, floor(log10(rough)));
    zw_out_ticks t = {0};
    for (int k = 0; k < 4; k++) {
        t.step = round[k] * power;
        /* a mark on the very edge must not be lost to rounding */
        double slack = 1e-9 * t.step;
        double from = ceil((low - slack) / t.step), to = floor((high + slack) / t.step);
        t.first = from * t.step;
        t.n = (int)(to - from) + 1;
        if (t.n <= most)
            break;
    }
    double largest = fmax(fabs(low), fabs(high));
    if (largest >= 1e5 || largest < 1e-3)
        t.exponent = 3 * (int)floor(log10(largest) / 3);
    /* digits behind the point that the step needs */
    int magnitude = (int)floor(log10(t.step) + 1e-9) - t.exponent;
    t.decimals = magnitude < 0 ? -magnitude : 0;
    return t;
}

double zw_out_tick(const zw_out_ticks *t, int i) {
    double v = t->first + i * t->step;
    return fabs(v) < 1e-9 * t->step ? 0 : v;
}

void zw_out_tick_text(const zw_out_ticks *t, int i, char *buffer, size_t size) {
    double v = zw_out_tick(t, i) / pow(10, t->exponent);
    snprintf(buffer, size, "%s%.*f", v < 0 ? "\u2212" : "", t->decimals, fabs(v));
}
