/* SPDX-License-Identifier: MIT */
/* Zero-order hold. With a constant input (y, u) obeys a linear equation without input, so
 *
 *     exp(T [A B; 0 0]) = [A_d B_d; 0 1],   A_d = exp(T A),   B_d = int_0^T exp(s A) B ds.
 *
 * B_d is linear in B, whose columns are scaled by powers of two to the size of A before: a large B
 * shall not cost digits of A_d. */
#include <math.h>

#include "control.h"
#include "num/linear/exponential.h"

/* The power of two by which column j of B is multiplied. */
static double column_scale(int n, int m, const double *A, const double *B, int j) {
    double all = 0, column = 0;
    int to, from;
    for (int i = 0; i < n * n; i++)
        all = fmax(all, fabs(A[i]));
    for (int i = 0; i < n; i++)
        column = fmax(column, fabs(B[i * m + j]));
    if (!(all > 0 && column > 0))
        return 1;
    frexp(all, &to);
    frexp(column, &from);
    return ldexp(1, to - from);
}

zw_status zw_control_sample(zw_arena *work, int n, int m, const double *A, const double *B,
                            double step, double *Ad, double *Bd, zw_error *err) {
    int size = n + m;
    double *M = ZW_NEW(work, double, size *size + 1), *E = ZW_NEW(work, double, size *size + 1),
           *scale = ZW_NEW(work, double, m + 1);
    ZW_TRY(zw_arena_status(work, err));
    for (int j = 0; j < m; j++)
        scale[j] = column_scale(n, m, A, B, j);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < size; j++)
            M[i * size + j] = step * (j < n ? A[i * n + j] : B[i * m + j - n] * scale[j - n]);
    bool found = zw_num_exponential(work, size, M, E);
    ZW_TRY(zw_arena_status(work, err));
    if (!found)
        return zw_fail(err, ZW_E_NUMERIC,
                       "the sampling time of %.6g s is too long: growing modes exceed all numbers "
                       "between two samples",
                       step);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < size; j++)
            if (j < n)
                Ad[i * n + j] = E[i * size + j];
            else
                Bd[i * m + j - n] = E[i * size + j] / scale[j - n];
    return ZW_OK;
}
