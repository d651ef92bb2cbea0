/* SPDX-License-Identifier: MIT */
/* Radau points are the zeros of P_n(z) - P_(n-1)(z), z = 2 s - 1: z = 1, and n - 1 inside, each
 * between two neighbouring zeros of P_n, by bisection. With the barycentric weights w_j = 1/prod
 * (s_j - s_k) of the n + 1 nodes, D_ij = w_j/(w_i (s_i - s_j)), the sums of its rows are 0, and the
 * highest coefficient of the polynomial is the sum of w_j u_j; that of P_n(2 s - 1) is (2 n choose
 * n). */
#include "radau.h"

#include <math.h>

#include "legendre.h"

enum { BISECTIONS = 60, POINTS_MAX = 64 };

/* P_n(z) - P_(n-1)(z) */
static double polynomial_difference(int n, double z) {
    double a = 1, b = z;
    for (int k = 2; k <= n; k++) {
        double c = ((2 * k - 1) * z * b - (k - 1) * a) / k;
        a = b;
        b = c;
    }
    return b - a;
}

void zw_radau_points(int n, double *x) {
    double zero[POINTS_MAX], weight[POINTS_MAX];
    zw_legendre_points(n, zero, weight);
    x[n - 1] = 1;
    for (int i = 0; i + 1 < n; i++) {
        double low = 2 * zero[i] - 1, high = 2 * zero[i + 1] - 1,
               sign = polynomial_difference(n, low);
        for (int k = 0; k < BISECTIONS; k++) {
            double middle = (low + high) / 2;
            *(polynomial_difference(n, middle) * sign > 0 ? &low : &high) = middle;
        }
        x[i] = (1 + (low + high) / 2) / 2;
    }
}

/* the nodes 0 and the Radau points, and their barycentric weights: n + 1 each */
static void nodes_and_weights(int n, double *s, double *w) {
    s[0] = 0;
    zw_radau_points(n, s + 1);
    for (int j = 0; j <= n; j++) {
        w[j] = 1;
        for (int k = 0; k <= n; k++)
            if (k != j)
                w[j] /= s[j] - s[k];
    }
}

void zw_radau_derivative(int n, double *D) {
    double s[POINTS_MAX + 1], w[POINTS_MAX + 1];
    nodes_and_weights(n, s, w);
    for (int i = 1; i <= n; i++) {
        double *row = D + (i - 1) * (n + 1), sum = 0;
        for (int j = 0; j <= n; j++)
            if (j != i)
                sum += row[j] = w[j] / (w[i] * (s[i] - s[j]));
        row[i] = -sum;
    }
}

void zw_radau_tail(int n, double *w) {
    double s[POINTS_MAX + 1];
    nodes_and_weights(n, s, w);
    for (int j = 0; j <= n; j++)
        for (int k = 1; k <= n; k++)
            w[j] *= (double)k / (n + k);
}
