/* SPDX-License-Identifier: MIT */
/* exp(A) = exp(A/2^s)^(2^s), where exp(X) is its diagonal Padé approximant of degree q = 13,
 *
 *     r(X) = (V - U)^-1 (V + U),   V + U = sum c_k X^k,   c_k/c_(k-1) = (q + 1 - k)/(k (2q + 1 - k)),
 *
 * V with the even powers, U with the odd ones. Its backward error is below the rounding error for
 * |X|_1 <= 5.37 (N. J. Higham, The scaling and squaring method for the matrix exponential revisited,
 * SIAM J. Matrix Anal. Appl. 26, 2005). A is balanced before, so that its units do not matter. */
#include "exponential.h"

#include <math.h>
#include <string.h>

#include "dense.h"

enum { DEGREE = 13, HALVINGS_MAX = 1100 }; /* a double is at most 2^1024 */
#define NORM_MAX 5.371920351148152

/* the largest sum of a column */
static double column_norm(int n, const double *A) {
    double most = 0;
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += fabs(A[i * n + j]);
        most = sum > most || isnan(sum) ? sum : most;
    }
    return most;
}

static void add_diagonal(int n, double value, double *A) {
    for (int i = 0; i < n; i++)
        A[i * n + i] += value;
}

/* out = sum over k of c_(first + 2 k) S^k by Horner's rule; next is scratch */
static void sum_powers(int n, const double *S, const double *c, int first, double *next,
                       double *out) {
    memset(out, 0, sizeof *out * (size_t)n * (size_t)n);
    for (int k = DEGREE - 1 + first; k >= 0; k -= 2) {
        zw_dense_multiply(n, n, n, out, S, next);
        memcpy(out, next, sizeof *out * (size_t)n * (size_t)n);
        add_diagonal(n, c[k], out);
    }
}

/* E = r(X); four scratch matrices */
static void find_approximant(int n, const double *X, double *const scratch[4], double *E) {
    double c[DEGREE + 1] = {1}, *S = scratch[0], *V = scratch[1], *U = scratch[2],
                      *next = scratch[3];
    for (int k = 1; k <= DEGREE; k++)
        c[k] = c[k - 1] * (DEGREE + 1 - k) / (k * (2.0 * DEGREE + 1 - k));
    zw_dense_multiply(n, n, n, X, X, S);
    sum_powers(n, S, c, 0, next, V);
    sum_powers(n, S, c, 1, next, E);
    zw_dense_multiply(n, n, n, E, X, U);
    for (int i = 0; i < n * n; i++) {
        E[i] = V[i] + U[i];
        V[i] -= U[i];
    }
    zw_dense_divide(n, n, V, E); /* the two factors commute */
}

bool zw_num_exponential(zw_arena *work, int n, const double *A, double *E) {
    size_t bytes = sizeof *E * (size_t)n * (size_t)n;
    double *X = ZW_NEW(work, double, n *n + 1), *scale = ZW_NEW(work, double, n + 1), *scratch[4];
    int halvings = 0;
    for (int i = 0; i < 4; i++)
        scratch[i] = ZW_NEW(work, double, n *n + 1);
    if (work->failed || !isfinite(column_norm(n, A)))
        return false;
    memcpy(X, A, bytes);
    zw_dense_balance(n, X, scale);
    for (double norm = column_norm(n, X); norm > NORM_MAX && halvings < HALVINGS_MAX; norm /= 2)
        halvings++;
    for (int i = 0; i < n * n; i++)
        X[i] = ldexp(X[i], -halvings);
    find_approximant(n, X, scratch, E);
    for (int k = 0; k < halvings; k++) {
        zw_dense_multiply(n, n, n, E, E, X);
        memcpy(E, X, bytes);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            E[i * n + j] *= scale[i] / scale[j];
    return isfinite(column_norm(n, E));
}
