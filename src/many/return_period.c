/* SPDX-License-Identifier: MIT */
#include "return_period.h"

#include <math.h>
#include <stdbool.h>

static bool is_same(int nx, const double *a, const double *b, const double *turn,
                    const double *size) {
    for (int i = 0; i < nx; i++) {
        double d = a[i] - b[i];
        if (turn[i] > 0)
            d -= turn[i] * nearbyint(d / turn[i]);
        if (!(fabs(d) <= size[i]))
            return false;
    }
    return true;
}

int zw_attractor_period(int n, int nx, const double *x, const double *turn, const double *size) {
    for (int p = 1; 3 * p <= n; p++) {
        int compared = n / 2 > 2 * p ? n / 2 : 2 * p;
        bool same = true;
        for (int j = n - compared < p ? 0 : n - compared - p; j < n - p && same; j++) {
            int last = n - p + (j - n % p + p) % p; /* the corresponding point among the last p */
            same = is_same(nx, x + j * nx, x + last * nx, turn, size);
        }
        if (same)
            return p;
    }
    return 0;
}
