/* SPDX-License-Identifier: MIT */
/* The functions of LAPACK for large matrices and analyses, from OpenBLAS or another LAPACK, which
 * is loaded when first needed. Linking it would start its threads in every process, even without a
 * large matrix; they take 128 MB of addresses each, and wait for ever if there are none. */
#ifndef ZW_NUM_LINEAR_LAPACK_H
#define ZW_NUM_LINEAR_LAPACK_H

typedef struct zw_lapack { /* by columns; all arguments are pointers, as in Fortran */
    void (*dgetrf)(const int *m, const int *n, double *A, const int *lda, int *pivot, int *info);
    void (*dgetrs)(const char *trans, const int *n, const int *nrhs, const double *LU,
                   const int *lda, const int *pivot, double *B, const int *ldb, int *info,
                   long trans_length);
    void (*zgetrf)(const int *m, const int *n, double *A, const int *lda, int *pivot, int *info);
    void (*zgetrs)(const char *trans, const int *n, const int *nrhs, const double *LU,
                   const int *lda, const int *pivot, double *B, const int *ldb, int *info,
                   long trans_length);
    void (*dgesvd)(const char *jobu, const char *jobvt, const int *m, const int *n, double *A,
                   const int *lda, double *s, double *U, const int *ldu, double *Vt,
                   const int *ldvt, double *work, const int *lwork, int *info, long jobu_length,
                   long jobvt_length);
    void (*dgeevx)(const char *balanc, const char *jobvl, const char *jobvr, const char *sense,
                   const int *n, double *A, const int *lda, double *wr, double *wi, double *vl,
                   const int *ldvl, double *vr, const int *ldvr, int *ilo, int *ihi, double *scale,
                   double *abnrm, double *rconde, double *rcondv, double *work, const int *lwork,
                   int *iwork, int *info, long balanc_length, long jobvl_length, long jobvr_length,
                   long sense_length);
} zw_lapack;

/* The same result for the whole process: NULL if it is not installed, or if there is not enough
 * memory. */
const zw_lapack *zw_num_lapack(void);
/* For eigenvalues (dgeevx, with vectors of both kinds or none) and singular values (dgesvd, jobvt
 * "A") of matrices with n columns: LAPACK, or without it built-in code where n is at most
 * ZW_LAPACK_OWN. NULL: neither. */
enum { ZW_LAPACK_OWN = 40 };
const zw_lapack *zw_num_lapack_for(int n);
/* The built-in code, which has dgeevx and dgesvd only. */
const zw_lapack *zw_num_lapack_own(void);

#endif
