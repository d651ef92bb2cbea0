/* SPDX-License-Identifier: MIT */
/* Lyapunov's equation A P + P A' + Q = 0 as linear equations for the lower triangle of P, in states
 * for which the mass matrix is the identity. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "num/linear/linalg.h"
#include "zwang/statespace.h"

enum { STATES_MAX = 40 }; /* 820 unknowns: 5 MB, and 0.2e9 operations */

static int packed_index(int i, int j) {
    return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i;
}

/* out = X Y X', X n x m, Y m x m; `product` is n x m. */
static void multiply_congruence(int n, int m, const double *X, const double *Y, double *product,
                                double *out) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            product[i * m + j] = 0;
            for (int k = 0; k < m; k++)
                product[i * m + j] += X[i * m + k] * Y[k * m + j];
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            out[i * n + j] = 0;
            for (int k = 0; k < m; k++)
                out[i * n + j] += product[i * m + k] * X[j * m + k];
        }
}

static void fill_equations(int n, const double *A, const double *Q, double *K, double *b) {
    int size = n * (n + 1) / 2;
    memset(K, 0, sizeof *K * (size_t)size * (size_t)size);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double *row = K + (size_t)packed_index(i, j) * (size_t)size;
            for (int k = 0; k < n; k++) {
                row[packed_index(k, j)] += A[i * n + k];
                row[packed_index(i, k)] += A[j * n + k];
            }
            b[packed_index(i, j)] = -Q[i * n + j];
        }
}

zw_status zw_covariance(const zw_states *s, int nin, const double *B, const double *intensity,
                        double *P, zw_error *err) {
    int n = s->n, size = n * (n + 1) / 2;
    if (n > STATES_MAX)
        return zw_fail(err, ZW_E_OPTION, "a stationary covariance of %d states: at most %d", n,
                       STATES_MAX);
    zw_allocator alloc = zw_allocator_default();
    size_t squares = (size_t)n * (size_t)n, need = 3 * squares + (size_t)size * ((size_t)size + 1);
    double *Q = zw_allocate(&alloc, sizeof *Q * need);
    int *pivot = zw_allocate(&alloc, sizeof *pivot * (size_t)(size + 1));
    zw_status status = Q && pivot ? ZW_OK : zw_out_of_memory(err, NULL);
    if (status >= 0) {
        double *Qe = Q + squares, *product = Qe + squares, *b = product + squares, *K = b + size;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                Q[i * n + j] = 0;
                for (int k = 0; k < nin; k++)
                    Q[i * n + j] += B[i * nin + k] * B[j * nin + k] * intensity[k] * intensity[k];
            }
        multiply_congruence(n, n, s->inverse, Q, product, Qe);
        fill_equations(n, s->A_eta, Qe, K, b);
        if (zw_num_lu(size, K, pivot) > zw_num_pivot_floor(size)) {
            zw_num_lu_solve(size, K, pivot, 1, b);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    Qe[i * n + j] = b[packed_index(i, j)];
            multiply_congruence(n, n, s->H, Qe, product, P);
        } else {
            status = zw_fail(err, ZW_E_SINGULAR, "the linear equations are not stable");
        }
    }
    zw_release(&alloc, Q, sizeof *Q * need);
    zw_release(&alloc, pivot, sizeof *pivot * (size_t)(size + 1));
    return status;
}
