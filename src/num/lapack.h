/* SPDX-License-Identifier: MIT */
/* The four functions of LAPACK that large matrices ask for, from OpenBLAS, which is loaded when the first of
 * them comes. Linking it would start its threads in every process, also in those that never see a large matrix;
 * they take 128 MB of addresses each, and where there are none they wait for them for ever. */
#ifndef ZW_NUM_LAPACK_H
#define ZW_NUM_LAPACK_H

typedef struct zw_lapack { /* by columns; all arguments are pointers, as in Fortran */
    void (*dgetrf)(const int *m, const int *n, double *A, const int *lda, int *pivot, int *info);
    void (*dgetrs)(const char *trans, const int *n, const int *nrhs, const double *LU,
                   const int *lda, const int *pivot, double *B, const int *ldb, int *info,
                   long trans_length);
    void (*zgetrf)(const int *m, const int *n, double *A, const int *lda, int *pivot, int *info);
    void (*zgetrs)(const char *trans, const int *n, const int *nrhs, const double *LU,
                   const int *lda, const int *pivot, double *B, const int *ldb, int *info,
                   long trans_length);
} zw_lapack;

/* The same answer for the whole life of the process: NULL if it is not installed, or if there is no room for
 * what it takes. */
const zw_lapack *zw_num_lapack(void);

#endif
