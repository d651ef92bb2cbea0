/* SPDX-License-Identifier: MIT */
#include "step_polynomial.h"

void zw_num_poly_times(int n, int degree, double a, double b, double *c) {
    for (int i = 0; i < n; i++)
        c[(degree + 1) * n + i] = b * c[degree * n + i];
    for (int l = degree; l > 0; l--)
        for (int i = 0; i < n; i++)
            c[l * n + i] = a * c[l * n + i] + b * c[(l - 1) * n + i];
    for (int i = 0; i < n; i++)
        c[i] *= a;
}

void zw_num_poly_plus(int n, const double *r, double *c) {
    for (int i = 0; i < n; i++)
        c[i] += r[i];
}

void zw_num_poly_from_derivatives(int n, int degree, double half, double *c) {
    double factor = 1;
    for (int l = 1; l <= degree; l++) {
        factor *= half / l;
        for (int i = 0; i < n; i++)
            c[l * n + i] *= factor;
    }
}
