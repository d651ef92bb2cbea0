/* SPDX-License-Identifier: MIT */
#include "zero_one.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/tolerance.h"

enum {
    LEAST = 50, /* values of a series */
    PART = 10,  /* n_cut = N/10, as in the reference */
    SEED = 2009 /* of the random c */
};
#define UNCORRELATED 0.1 /* of the autocorrelation: farther values are nearly independent */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double mean_of(int n, const double *x) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum / n;
}

/* Correlation of 1 .. n with y; 0 if y is constant. */
static double correlation_with_count(int n, const double *y) {
    double mean = mean_of(n, y), middle = 0.5 * (n + 1), xy = 0, xx = 0, yy = 0;
    for (int i = 0; i < n; i++) {
        double dx = i + 1 - middle, dy = y[i] - mean;
        xy += dx * dy;
        xx += dx * dx;
        yy += dy * dy;
    }
    return yy > 0 ? xy / sqrt(xx * yy) : 0;
}

/* K_c; p and q: n each, D: cut. */
static double growth_correlation(int n, const double *phi, double mean, double c, double *p,
                                 double *q, double *D) {
    int cut = n / PART;
    double a = 0, b = 0;
    for (int i = 0; i < n; i++) {
        p[i] = a += phi[i] * cos((i + 1) * c);
        q[i] = b += phi[i] * sin((i + 1) * c);
    }
    for (int k = 1; k <= cut; k++) {
        double sum = 0;
        for (int j = 0; j < n - cut; j++) {
            double dp = p[j + k] - p[j], dq = q[j + k] - q[j];
            sum += dp * dp + dq * dq;
        }
        D[k - 1] = sum / (n - cut) - mean * mean * (1 - cos(k * c)) / (1 - cos(c));
    }
    return correlation_with_count(cut, D);
}

double zw_zero_one(int n, const double *phi, int angles, double *scratch) {
    double *p = scratch, *q = p + n, *D = q + n, *K = D + n / PART;
    double mean = n > 0 ? mean_of(n, phi) : 0, most = 0;
    zw_random random = zw_random_stream(SEED, 0);
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(phi[i] - mean));
    if (n < LEAST || !(most > ZW_ROUNDOFF_SUM * fabs(mean)))
        return NAN;
    for (int i = 0; i < angles; i++)
        K[i] = growth_correlation(n, phi, mean, zw_random_real(&random, M_PI / 5, 4 * M_PI / 5), p,
                                  q, D);
    qsort(K, (size_t)angles, sizeof *K, by_size);
    return angles % 2 ? K[angles / 2] : 0.5 * (K[angles / 2 - 1] + K[angles / 2]);
}

int zw_series_stride(int n, const double *phi) {
    double mean = mean_of(n, phi), whole = 0, before = 1;
    int most = n / 8 > 1 ? n / 8 : 1;
    for (int i = 0; i < n - most; i++)
        whole += (phi[i] - mean) * (phi[i] - mean);
    for (int k = 1; k < most && whole > 0; k++) {
        double sum = 0;
        for (int i = 0; i < n - most; i++)
            sum += (phi[i] - mean) * (phi[i + k] - mean);
        double now = sum / whole;
        if (now < UNCORRELATED)
            return k;
        if (now > before)
            return k > 1 ? k - 1 : 1;
        before = now;
    }
    return most;
}
