/* SPDX-License-Identifier: MIT */
/* Chebyshev series by the Clenshaw-Curtis points (1960):
 *
 *     c_k = 2/n sum'' f_j cos(pi j k / n),   j = 0 .. n,
 *
 * where '' halves the first and the last term, and c_0 and c_n once more. |T_k| <= 1, so that a
 * series differs from c_0 by at most the sum of the absolute values of the others. The derivative
 * has the coefficients d_(k-1) = d_(k+1) + 2 k c_k, d_0 halved. The truncation error changes the
 * derivative by at most n^2 times itself, if it is a polynomial of that degree (Markov). */
#include "chebyshev.h"

#include <math.h>

/* cos(pi q / 32) */
static const double cosine[] = {1,
                                0.99518472667219688624,
                                0.98078528040323044913,
                                0.95694033573220886494,
                                0.92387953251128675613,
                                0.88192126434835502971,
                                0.83146961230254523708,
                                0.77301045336273696081,
                                0.70710678118654752440,
                                0.63439328416364549822,
                                0.55557023301960222474,
                                0.47139673682599764856,
                                0.38268343236508977173,
                                0.29028467725446236764,
                                0.19509032201612826785,
                                0.09801714032956060199,
                                0};

/* cos(pi q / 32) for any q */
static double cosine_of(int q) {
    q %= 64;
    if (q > 32)
        q = 64 - q;
    return q <= 16 ? cosine[q] : -cosine[32 - q];
}

double zw_num_series_point(int n, int j) {
    return cosine_of(j * (ZW_SERIES_MAX / n));
}

static void find_coefficients(int n, const double *f, int stride, double *c) {
    int step = ZW_SERIES_MAX / n;
    for (int k = 0; k <= n; k++) {
        double sum = (f[0] + (k % 2 ? -1 : 1) * f[n * stride]) / 2;
        for (int j = 1; j < n; j++)
            sum += f[j * stride] * cosine_of(j * k * step);
        c[k] = sum * (k == 0 || k == n ? 1.0 : 2.0) / n;
    }
}

void zw_num_series_fit(zw_num_series *s, int n, const double *f, int stride) {
    s->n = n;
    find_coefficients(n, f, stride, s->c);
    s->error = 2 * (fabs(s->c[n]) + fabs(s->c[n - 1]) + fabs(s->c[n - 2]));
    s->slope_error = s->error * n * n;
}

/* Clenshaw's recurrence */
static double value_at(const zw_num_series *s, double x) {
    double b1 = 0, b2 = 0;
    for (int k = s->n; k > 0; k--) {
        double b = s->c[k] + 2 * x * b1 - b2;
        b2 = b1;
        b1 = b;
    }
    return s->c[0] + x * b1 - b2;
}

void zw_num_series_part(const zw_num_series *s, double from, double to, zw_num_series *out) {
    double f[ZW_SERIES_MAX + 1], middle = (from + to) / 2, half = (to - from) / 2;
    for (int j = 0; j <= s->n; j++)
        f[j] = value_at(s, middle + half * zw_num_series_point(s->n, j));
    find_coefficients(s->n, f, 1, out->c);
    out->n = s->n;
    out->error = s->error;
    out->slope_error = s->slope_error * half;
}

double zw_num_series_spread(const zw_num_series *s) {
    double sum = s->error;
    for (int k = 1; k <= s->n; k++)
        sum += fabs(s->c[k]);
    return sum;
}

bool zw_num_series_is_monotone(const zw_num_series *s) {
    double rest = s->slope_error, later = 0, next = 0;
    for (int k = s->n; k > 1; k--) { /* next is d_k, later d_(k+1) */
        double d = later + 2 * k * s->c[k];
        later = next;
        next = d; /* d_(k-1) */
        rest += fabs(d);
    }
    return fabs(later / 2 + s->c[1]) > rest;
}
