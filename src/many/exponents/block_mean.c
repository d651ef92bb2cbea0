/* SPDX-License-Identifier: MIT */
#include "block_mean.h"

#include <math.h>
#include <stddef.h>

enum {
    AVERAGES_LEAST = 8,  /* averages of a series */
    AVERAGES_ENOUGH = 32 /* averages whose variance is known to a quarter */
};

double zw_block_mean(int m, int b, const double *x, int stride, double independent, double *error,
                     double *scratch) {
    double mean = 0, now = 0, before = 0;
    for (int i = 0; i < m * b; i++) {
        scratch[i] = x[(size_t)i * (size_t)stride];
        mean += scratch[i] / (m * b);
    }
    for (int n = b;; n /= 2) {
        double sum = 0;
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++)
                sum += (scratch[i * b + j] - mean) * (scratch[i * b + j] - mean);
        before = now;
        now = m * n > 1 ? sum / (m * n - 1) / (independent * n) : INFINITY;
        if (n < 2 * AVERAGES_LEAST) {
            now = m * n < AVERAGES_ENOUGH ? fmax(now, before) : now;
            break;
        }
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n / 2; j++)
                scratch[i * b + j] = 0.5 * (scratch[i * b + 2 * j] + scratch[i * b + 2 * j + 1]);
    }
    *error = sqrt(now);
    return mean;
}
