/* SPDX-License-Identifier: MIT */
/* Series and continued fractions (W. J. Lentz 1976 with the changes of I. J. Thompson and A. R.
 * Barnett 1986; NIST Digital Library of Mathematical Functions 8.7.1, 8.9.2, 8.17.22). The powers
 * in front of them are written relative to their largest values, with the remainder s of Stirling's
 * formula,
 *
 *     log Gamma(a) = (a - 1/2) log a - a + 1/2 log 2 pi + s(a),
 *
 *     x^a e^-x / Gamma(a + 1)     = exp(a (log1p(u) - u) - s(a)) / sqrt(2 pi a),     u = (x - a)/a,
 *     x^a (1 - x)^b / (a B(a, b)) = (x/c)^a ((1 - x)/(1 - c))^b exp(s(a + b) - s(a) - s(b))
 *                                   sqrt(b / (2 pi a (a + b))),     c = a/(a + b),
 *
 * so that large a and b cost no digits. Quantiles are found by bisection: the functions are
 * monotonic, and their tails have no scale that a derivative could use. */
#include "distribution_tails.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "base/tolerance.h"

enum { TERMS = 1000000, BISECTIONS = 1100 };

static double stirling_rest(double a) {
    double r = 1 / (a * a);
    if (a < 12)
        return lgamma(a) - ((a - 0.5) * log(a) - a + 0.5 * log(2 * M_PI));
    return (1. / 12 - r * (1. / 360 - r * (1. / 1260 - r * (1. / 1680 - r / 1188)))) / a;
}

double zw_gamma_tail(double a, double x) {
    if (!(a > 0) || isnan(x))
        return NAN;
    if (x <= 0)
        return 1;
    if (isinf(x))
        return 0;
    double u = (x - a) / a;
    double log_head = u > -0.5 ? a * (log1p(u) - u) : a * log(x / a) - (x - a);
    double head = exp(log_head - stirling_rest(a)) / sqrt(2 * M_PI * a), sum = 1, term = 1;
    if (x < a + 1) { /* P = head (1 + x/(a + 1) + ...) */
        for (int k = 1; k < TERMS && term > DBL_EPSILON / 8 * sum; k++)
            sum += term *= x / (a + k);
        return fmax(1 - head * sum, 0);
    }
    double b = x + 1 - a, c = 1 / ZW_TINY, d = 1 / b, h = d;
    for (int k = 1; k < TERMS; k++) {
        double an = -k * (k - a);
        b += 2;
        d = an * d + b;
        c = b + an / c;
        d = 1 / (fabs(d) < ZW_TINY ? ZW_TINY : d);
        c = fabs(c) < ZW_TINY ? ZW_TINY : c;
        h *= d * c;
        if (fabs(d * c - 1) < DBL_EPSILON)
            break;
    }
    return head * a * h;
}

/* the continued fraction of I_x(a, b), for x below the mean */
static double beta_fraction(double a, double b, double x) {
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < ZW_TINY ? ZW_TINY : d);
    double h = d;
    for (int m = 1; m < TERMS; m++) {
        double a2 = a + 2 * m, even = m * (b - m) * x / ((a2 - 1) * a2),
               odd = -(a + m) * (a + b + m) * x / (a2 * (a2 + 1));
        for (int k = 0; k < 2; k++) {
            double e = k ? odd : even;
            d = 1 + e * d;
            c = 1 + e / c;
            d = 1 / (fabs(d) < ZW_TINY ? ZW_TINY : d);
            c = fabs(c) < ZW_TINY ? ZW_TINY : c;
            h *= d * c;
        }
        if (fabs(d * c - 1) < DBL_EPSILON)
            break;
    }
    return h;
}

/* I_x(a, b), y = 1 - x, for x that is not much above the mean */
static double beta_head(double a, double b, double x, double y) {
    double c = a / (a + b), k = b / (a + b), off = x < y ? x - c : k - y;
    double rest = stirling_rest(a + b) - stirling_rest(a) - stirling_rest(b);
    double power = a * (off > -0.5 * c ? log1p(off / c) : log(x / c)) +
                   b * (y < 0.5 * k ? log(y / k) : log1p(-off / k));
    return exp(power + rest) * sqrt(b / (2 * M_PI * a * (a + b))) * beta_fraction(a, b, x);
}

/* I_x(a, b): the smaller one of it and its complement is computed, so it keeps all its digits. (x +
 * y may exceed one by round-off; both may then be above their means.) */
static double beta_below(double a, double b, double x, double y) {
    bool above = x > (a + 1) / (a + b + 2);
    return above ? fmax(1 - beta_head(b, a, y, x), 0) : beta_head(a, b, x, y);
}

double zw_beta_below(double a, double b, double x) {
    if (!(a > 0 && b > 0) || isnan(x))
        return NAN;
    return x <= 0 ? 0 : x >= 1 ? 1 : beta_below(a, b, x, 1 - x);
}

double zw_chi2_tail(double x, double n) {
    return zw_gamma_tail(n / 2, x / 2);
}

double zw_f_tail(double x, double m, double n) {
    if (isinf(n))
        return zw_chi2_tail(m * x, m);
    double all = n + m * x;
    return x <= 0 ? 1 : isinf(x) ? 0 : beta_below(n / 2, m / 2, n / all, m * x / all);
}

/* x > 0 at which a decreasing tail is p */
static double invert_tail(double p, double (*tail)(double x, double m, double n), double m,
                          double n) {
    double low = 0, high = 1;
    if (!(p >= 0 && p <= 1) || !(m > 0 && n > 0))
        return NAN;
    if (p == 0 || p == 1)
        return p == 0 ? INFINITY : 0;
    while (tail(high, m, n) > p && high < DBL_MAX / 4)
        high *= 2;
    for (int i = 0; i < BISECTIONS; i++) {
        double x = low + (high - low) / 2;
        if (!(low < x && x < high))
            break;
        *(tail(x, m, n) > p ? &low : &high) = x;
    }
    return high;
}

double zw_f_quantile(double p, double m, double n) {
    return invert_tail(p, zw_f_tail, m, n);
}

double zw_chi2_quantile(double p, double n) {
    return n * zw_f_quantile(p, n, INFINITY);
}

/* I_x(a, b) = p for x = u/(1 + u): u b/a has the F distribution with 2a and 2b degrees of freedom,
 * 1/F that with 2b and 2a */
double zw_beta_quantile(double p, double a, double b) {
    double u = a / (b * zw_f_quantile(p, 2 * b, 2 * a));
    return isinf(u) ? 1 : u / (1 + u);
}
