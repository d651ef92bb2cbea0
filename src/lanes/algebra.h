/* SPDX-License-Identifier: MIT */
/* Small linear algebra of four lanes at a time: entry (i, j) of an n x m matrix at [(i*m + j)*L],
 * from the first of the four lanes on. No rows are exchanged and pivots are not tested: if a matrix
 * is singular, the lane becomes NaN, which the caller detects. */
#ifndef ZW_LANES_ALGEBRA_H
#define ZW_LANES_ALGEBRA_H

#include "vector.h"

/* four square roots: the compiler makes one instruction of them */
#define ZW_ROOT(v)                                                                                 \
    ((zw_four){__builtin_sqrt((v)[0]), __builtin_sqrt((v)[1]), __builtin_sqrt((v)[2]),             \
               __builtin_sqrt((v)[3])})

/* A = L L' in place, of the lower triangle; the diagonal becomes its inverse. */
ZW_KERNEL void zw_lanes_cholesky(int n, int L, double *A) {
    for (int j = 0; j < n; j++) {
        zw_four d = ZW_LOAD(A + (j * n + j) * L);
        for (int k = 0; k < j; k++) {
            zw_four l = ZW_LOAD(A + (j * n + k) * L);
            d -= l * l;
        }
        d = 1.0 / ZW_ROOT(d);
        ZW_STORE(A + (j * n + j) * L, d);
        for (int i = j + 1; i < n; i++) {
            zw_four s = ZW_LOAD(A + (i * n + j) * L);
            for (int k = 0; k < j; k++)
                s -= ZW_LOAD(A + (i * n + k) * L) * ZW_LOAD(A + (j * n + k) * L);
            ZW_STORE(A + (i * n + j) * L, s * d);
        }
    }
}

/* b <- L^-1 b, and b <- L'^-1 b; entries of b are `step` doubles apart */
ZW_KERNEL void zw_lanes_lower(int n, int L, const double *A, double *b, int step) {
    for (int i = 0; i < n; i++) {
        zw_four s = ZW_LOAD(b + i * step);
        for (int k = 0; k < i; k++)
            s -= ZW_LOAD(A + (i * n + k) * L) * ZW_LOAD(b + k * step);
        ZW_STORE(b + i * step, s * ZW_LOAD(A + (i * n + i) * L));
    }
}
ZW_KERNEL void zw_lanes_lower_transposed(int n, int L, const double *A, double *b, int step) {
    for (int i = n - 1; i >= 0; i--) {
        zw_four s = ZW_LOAD(b + i * step);
        for (int k = i + 1; k < n; k++)
            s -= ZW_LOAD(A + (k * n + i) * L) * ZW_LOAD(b + k * step);
        ZW_STORE(b + i * step, s * ZW_LOAD(A + (i * n + i) * L));
    }
}

#endif
