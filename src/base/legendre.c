/* SPDX-License-Identifier: MIT */
/* Zeros of Legendre's polynomial P_n by Newton's method from -cos(pi (i + 3/4)/(n + 1/2)); the
 * weights are 2/((1 - z^2) P_n'(z)^2). */
#include "legendre.h"

#include <math.h>

enum { NEWTON = 8 };

/* P_n(z) and its derivative */
static void evaluate_legendre(int n, double z, double *p, double *slope) {
    double a = 1, b = z;
    for (int k = 2; k <= n; k++) {
        double c = ((2 * k - 1) * z * b - (k - 1) * a) / k;
        a = b;
        b = c;
    }
    *p = b;
    *slope = n * (a - z * b) / (1 - z * z);
}

void zw_legendre_points(int n, double *x, double *w) {
    for (int i = 0; i < n; i++) {
        double p, slope, z = -cos(M_PI * (i + 0.75) / (n + 0.5));
        for (int k = 0; k < NEWTON; k++) {
            evaluate_legendre(n, z, &p, &slope);
            z -= p / slope;
        }
        evaluate_legendre(n, z, &p, &slope);
        x[i] = (1 + z) / 2;
        w[i] = 1 / ((1 - z * z) * slope * slope);
    }
}
