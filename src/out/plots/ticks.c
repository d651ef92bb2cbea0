/* SPDX-License-Identifier: MIT */
/* Even marks at round numbers: the step is the smallest of 1, 2, 5 times a power of ten that gives
 * no more marks than there is space for.
 *
 * Numbers from 1e-3 to 99999 are written out; beyond, a power of ten (a multiple of three, like
 * unit prefixes) is written at the end of the axis. If the marks differ only after many equal
 * digits (an energy that is constant up to 1e-10), the roundest number near them is subtracted and
 * written at the end of the axis too. */
#include "ticks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS_MAX = 6, FEWEST = 2 }; /* digits of one number, marks of an axis */
/* Distance of an offset from the range, in ranges: about two digits saved. */
#define OFFSET_REACH 20.0
/* Decades: log10 of a power of ten may be below its integer by eps. */
#define DECADE_SLACK 1e-9
/* Of a step: round-off of low/step; an axis has at most some hundred marks. */
#define STEP_SLACK 1e-9
/* The same after subtraction of an offset of up to some 1e9 steps. */
#define OFFSET_SLACK 1e-6

static int magnitude_of(double v) {
    return (int)floor(log10(v) + DECADE_SLACK);
}

/* The format of the numbers after subtraction of `offset`; returns the digits of the longest
 * number. */
static int choose_digits(zw_out_ticks *t, double low, double high, double offset) {
    double largest = fmax(fabs(low - offset), fabs(high - offset));
    t->offset = offset;
    t->exponent = largest >= 1e5 || largest < 1e-3 ? 3 * (int)floor(log10(largest) / 3) : 0;
    int behind = t->exponent - magnitude_of(t->step), before = magnitude_of(largest) - t->exponent;
    t->decimals = behind > 0 ? behind : 0;
    return (before > 0 ? before : 0) + 1 + t->decimals;
}

/* The number with the fewest digits that is near the range. */
static double roundest_near(double low, double high) {
    double middle = low + (high - low) / 2, range = high - low;
    for (int power = magnitude_of(fabs(middle)) + 1;; power--) {
        double unit = pow(10, power), offset = round(middle / unit) * unit;
        if (fabs(middle - offset) <= OFFSET_REACH * range || unit < range)
            return offset;
    }
}

/* marks with the smallest step that gives no more than `most` */
static zw_out_ticks try_steps(double low, double high, int most, int n, const double *step,
                              double unit) {
    zw_out_ticks t = {0};
    for (int k = 0; k < n; k++) {
        t.step = step[k] * unit;
        /* a mark on the very edge must not be lost by round-off */
        double slack = STEP_SLACK * t.step;
        double from = ceil((low - slack) / t.step), to = floor((high + slack) / t.step);
        t.first = from * t.step;
        t.n = (int)(to - from) + 1;
        if (t.n <= most)
            break;
    }
    return t;
}

zw_out_ticks zw_out_ticks_choose(double low, double high, int most) {
    static const double round_step[] = {1, 2, 5, 10};
    double rough = (high - low) / most;
    double power = pow(10, floor(log10(rough)));
    zw_out_ticks t = try_steps(low, high, most, 4, round_step, power);
    if (choose_digits(&t, low, high, 0) > DIGITS_MAX)
        choose_digits(&t, low, high, roundest_near(low, high));
    return t;
}

zw_out_ticks zw_out_ticks_degrees(double low, double high, int most) {
    static const double angle[] = {45, 90, 180, 360};
    zw_out_ticks t = zw_out_ticks_choose(low, high, most);
    if (t.step < 49 || t.step > 501)
        return t;
    zw_out_ticks turn = try_steps(low, high, most, 4, angle, 1);
    return turn.n >= FEWEST ? turn : t;
}

double zw_out_tick(const zw_out_ticks *t, int i) {
    double v = t->first + i * t->step;
    return fabs(v) < STEP_SLACK * t->step ? 0 : v;
}

void zw_out_tick_text(const zw_out_ticks *t, int i, char *buffer, size_t size) {
    double shown = (t->first - t->offset) + i * t->step;
    if (fabs(shown) < OFFSET_SLACK * t->step)
        shown = 0;
    shown /= pow(10, t->exponent);
    char digits[28];
    snprintf(digits, sizeof digits, "%.*f", t->decimals, fabs(shown));
    /* numbers that round to zero have no sign: after a large offset the marks are not exact */
    bool is_negative = shown < 0 && digits[strspn(digits, "0.")];
    snprintf(buffer, size, "%s%s", is_negative ? "\u2212" : "", digits);
}

/* 1234.5 or 1.2345*10^9 */
static void write_offset(double offset, char *buffer, size_t size) {
    double v = fabs(offset);
    if (v >= 1e-3 && v < 1e7) {
        snprintf(buffer, size, "%.15g", v);
        return;
    }
    char text[48];
    snprintf(text, sizeof text, "%.14e", v);
    char *e = strchr(text, 'e');
    long exponent = magnitude_of(v);
    *e = '\0';
    while (e[-1] == '0')
        *--e = '\0';
    if (e[-1] == '.')
        *--e = '\0';
    if (strcmp(text, "1") == 0)
        snprintf(buffer, size, "10^%ld", exponent);
    else
        snprintf(buffer, size, "%s*10^%ld", text, exponent);
}

void zw_out_marks_linear(zw_out_marks *m, double low, double high, int most, bool degrees) {
    most = most < 2 ? 2 : most > ZW_OUT_MARKS ? ZW_OUT_MARKS : most;
    zw_out_ticks t =
        degrees ? zw_out_ticks_degrees(low, high, most) : zw_out_ticks_choose(low, high, most);
    m->n = t.n;
    for (int i = 0; i < t.n; i++) {
        m->mark[i].value = zw_out_tick(&t, i);
        m->mark[i].minor = false;
        zw_out_tick_text(&t, i, m->mark[i].text, sizeof m->mark[i].text);
    }
    char power[16] = "", offset[64] = "";
    if (t.exponent)
        snprintf(power, sizeof power, "×10^%d", t.exponent);
    if (t.offset != 0)
        write_offset(t.offset, offset, sizeof offset);
    const char *sign = !offset[0] ? "" : t.offset < 0 ? "- " : "+ ";
    snprintf(m->corner, sizeof m->corner, "%s%s%s%s", power, power[0] && offset[0] ? " " : "", sign,
             offset);
}
