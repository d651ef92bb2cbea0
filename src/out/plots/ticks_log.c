/* SPDX-License-Identifier: MIT */
/* Marks of a logarithmic axis. Three cases, by the decades 10^k inside [low, high]:
 *
 *   two or more     numbers at every d-th decade, d the smallest of 1, 2, 3, 5, 10, 20, ... that
 *                   fits; short marks at 2..9 times each decade (d = 1) or at decades between
 *   fewer, but a    numbers at 1, 2, 5 times the decades, short marks at the other digits
 *   wide range
 *   narrow          even marks as on a linear axis: over less than a factor of WIDE_RANGE the
 *                   logarithm is hardly visible */
#include "ticks.h"

#include <math.h>
#include <stdio.h>

#define WIDE_RANGE 4.0 /* factor from which on marks at 1, 2, 5 are at least two */
/* Of a value, and of its logarithm: a mark at the very end must not be lost by round-off. */
#define DECADE_SLACK 1e-9
enum { DECADES_FINE = 12 }; /* number of decades up to which the digits in between are marked */

static void add_tick(zw_out_marks *m, double value, double low, double high, bool minor) {
    if (m->n == ZW_OUT_MARKS || value < low * (1 - DECADE_SLACK) ||
        value > high * (1 + DECADE_SLACK))
        return;
    m->mark[m->n].value = value;
    m->mark[m->n].minor = minor;
    m->mark[m->n++].text[0] = '\0';
}

/* digit * 10^k, without the error of a product where the power is exact */
static double value_of(int digit, int k) {
    return k >= 0 ? digit * pow(10, k) : digit / pow(10, -k);
}

/* decades between numbers, and between short marks */
typedef struct stride {
    int number, mark;
} stride;

static stride choose_stride(int decades, int most) {
    static const stride s[] = {{1, 1},  {2, 1},   {3, 1},    {5, 1},   {10, 2},
                               {20, 5}, {50, 10}, {100, 20}, {200, 50}};
    int i = 0;
    while (i < 8 && decades / s[i].number + 1 > most)
        i++;
    return s[i];
}

static bool is_multiple(int k, int of) {
    return (k % of + of) % of == 0;
}

static void mark_decades(zw_out_marks *m, double low, double high, int from, int to, int most) {
    stride step = choose_stride(to - from, most);
    bool digits = step.number == 1 && to - from <= DECADES_FINE;
    for (int k = from - 1; k <= to; k++) {
        /* 10^0 always has a number */
        bool minor = !is_multiple(k, step.number);
        int before = m->n;
        if (!is_multiple(k, step.mark) && minor)
            continue;
        add_tick(m, value_of(1, k), low, high, minor);
        if (m->n > before && !minor)
            snprintf(m->mark[before].text, sizeof m->mark[before].text, "10^%d", k);
        for (int digit = 2; digits && digit <= 9; digit++)
            add_tick(m, value_of(digit, k), low, high, true);
    }
}

/* 0.02, 500, but 2*10^-7 */
static void write_digit(char *buffer, size_t size, int digit, int k) {
    if (k >= -3 && k <= 4)
        snprintf(buffer, size, "%.*f", k < 0 ? -k : 0, value_of(digit, k));
    else if (digit == 1)
        snprintf(buffer, size, "10^%d", k);
    else
        snprintf(buffer, size, "%d*10^%d", digit, k);
}

static void mark_digits(zw_out_marks *m, double low, double high, int from, int to) {
    for (int k = from; k <= to; k++)
        for (int digit = 1; digit <= 9; digit++) {
            bool minor = digit != 1 && digit != 2 && digit != 5;
            int before = m->n;
            add_tick(m, value_of(digit, k), low, high, minor);
            if (m->n > before && !minor)
                write_digit(m->mark[before].text, sizeof m->mark[before].text, digit, k);
        }
}

void zw_out_marks_log(zw_out_marks *m, double low, double high, int most) {
    int from = (int)ceil(log10(low) - DECADE_SLACK), to = (int)floor(log10(high) + DECADE_SLACK);
    m->n = 0;
    m->corner[0] = '\0';
    if (to > from)
        mark_decades(m, low, high, from, to, most < 2 ? 2 : most);
    else if (high >= WIDE_RANGE * low)
        mark_digits(m, low, high, from - 1, to);
    else
        zw_out_marks_linear(m, low, high, most, false);
}
