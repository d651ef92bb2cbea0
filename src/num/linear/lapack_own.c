/* SPDX-License-Identifier: MIT */
/* Without LAPACK: eigenvalues with vectors and singular values of small matrices, called as
 * LAPACK's functions are.
 *
 * Eigenvectors. With the real Schur form of the balanced matrix, A = Q T Q', each block of a pair
 * is made triangular by a unitary matrix, and of T with eigenvalue l = T_kk
 *
 *     (T - l) x = 0,    x_k = 1, x_i = -sum_(i<j<=k) T_ij x_j / (T_ii - l),
 *     y* (T - l) = 0    likewise from k on downwards,
 *
 * a divisor of zero is replaced by round-off: equal eigenvalues get independent vectors if they
 * have any.
 *
 * Singular values by rotations of pairs of columns until all are orthogonal (M. R. Hestenes 1958):
 * A V = U S. */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/tolerance.h"
#include "lapack.h"
#include "schur.h"

enum { SWEEPS = 60 };
#define ENTRY_LARGE 1e100 /* of a vector, which is scaled down before its squares overflow */
/* Difference of the sizes of entries, relative, that is a tie: the first one sets the phase, so
 * that it does not depend on round-off. */
#define SIZE_TIE ZW_ROUNDOFF_SUM

/* --------------------------------------------------------------------------------- eigenvectors */

/* rows and columns k, k + 1 of T (n x n) and columns of Z by the unitary matrix whose first column
 * is the eigenvector of the block */
static void split_pair(int n, int k, double complex l, double complex *T, double complex *Z) {
    double complex *b = T + k * n + k;
    double complex u = b[1], v = l - b[0];
    double norm = hypot(cabs(u), cabs(v));
    u /= norm;
    v /= norm;
    for (int j = 0; j < n; j++) {
        double complex *x = T + k * n + j, *y = x + n, p = *x, q = *y;
        *x = conj(u) * p + conj(v) * q;
        *y = u * q - v * p;
    }
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n; i++) {
            double complex *x = (pass ? Z : T) + i * n + k, p = x[0], q = x[1];
            x[0] = u * p + v * q;
            x[1] = conj(u) * q - conj(v) * p;
        }
    T[k * n + k] = l;
    T[(k + 1) * n + k + 1] = conj(l);
    T[(k + 1) * n + k] = 0;
}

static void scale_down(int n, double complex *x, int at) {
    double size = cabs(x[at]);
    for (int i = 0; i < n && size > ENTRY_LARGE; i++)
        x[i] /= size;
}

/* a right (or left) vector of T for its eigenvalue k, and Z times it into v */
static void find_vector(int n, int k, bool left, double least, const double complex *T,
                        const double complex *Z, double complex *x, double complex *v) {
    int by = left ? 1 : -1;
    memset(x, 0, sizeof *x * (size_t)n);
    x[k] = 1;
    for (int i = k + by; i >= 0 && i < n; i += by) {
        double complex sum = 0, off = T[i * n + i] - T[k * n + k];
        for (int j = k; j != i; j += by)
            sum += left ? conj(x[j]) * T[j * n + i] : T[i * n + j] * x[j];
        if (cabs(off) < least)
            off = least;
        x[i] = left ? conj(-sum / off) : -sum / off;
        scale_down(n, x, i);
    }
    for (int i = 0; i < n; i++) {
        v[i] = 0;
        for (int j = 0; j < n; j++)
            v[i] += Z[i * n + j] * x[j];
    }
}

/* scales to length one, with its largest entry real */
static void normalise_vector(int n, double complex *v) {
    double norm = 0, most = 0;
    double complex phase = 1;
    for (int i = 0; i < n; i++) {
        double size = cabs(v[i]);
        norm = hypot(norm, size);
        if (size > most * (1 + SIZE_TIE)) {
            most = size;
            phase = conj(v[i]) / size;
        }
    }
    for (int i = 0; i < n && norm > 0; i++)
        v[i] *= phase / norm;
}

/* back to the matrix before it was balanced */
static void undo_balance(int n, int low, int high, const double *scale, bool left,
                         double complex *v) {
    zw_num_unbalance(n, low, high, scale, left, 2, (double *)v); /* two columns: re, im */
    normalise_vector(n, v);
}

typedef struct eigen {
    int n, low, high;
    const double *scale, *re, *im;
    double complex *T, *Z, *x, *v[2]; /* n x n, n x n, n, n each */
    double least;
} eigen;

/* the vectors of eigenvalue k into columns k (and k + 1) of right and left; returns |p*q| of the
 * balanced ones */
static double take_vectors(eigen *e, int k, double *right, double *left) {
    int n = e->n;
    double complex product = 0;
    for (int side = 0; side < 2; side++) {
        find_vector(n, k, side, e->least, e->T, e->Z, e->x, e->v[side]);
        normalise_vector(n, e->v[side]);
    }
    for (int i = 0; i < n; i++)
        product += conj(e->v[1][i]) * e->v[0][i];
    for (int side = 0; side < 2; side++) {
        double *out = side ? left : right;
        undo_balance(n, e->low, e->high, e->scale, side, e->v[side]);
        for (int i = 0; i < n; i++) {
            out[(size_t)(k * n + i)] = creal(e->v[side][i]);
            if (e->im[k] > 0)
                out[(size_t)((k + 1) * n + i)] = cimag(e->v[side][i]);
        }
    }
    return cabs(product);
}

static void find_vectors(eigen *e, const double *T, const double *Q, double *right, double *left,
                         double *reciprocal) {
    int n = e->n;
    double norm = 0;
    for (int i = 0; i < n * n; i++) {
        e->T[i] = i / n <= i % n + 1 ? T[i] : 0;
        e->Z[i] = Q[i];
        norm = fmax(norm, fabs(T[i]));
    }
    e->least = fmax(DBL_EPSILON * norm, DBL_MIN / DBL_EPSILON);
    for (int k = 0; k < n; k++)
        if (e->im[k] > 0)
            split_pair(n, k, e->re[k] + I * e->im[k], e->T, e->Z);
    for (int k = 0; k < n; k++)
        if (e->im[k] >= 0) {
            double own = take_vectors(e, k, right, left);
            reciprocal[k] = own;
            if (e->im[k] > 0)
                reciprocal[k + 1] = own;
        }
}

static void dgeevx(const char *balanc, const char *jobvl, const char *jobvr, const char *sense,
                   const int *n_, double *A, const int *lda, double *wr, double *wi, double *vl,
                   const int *ldvl, double *vr, const int *ldvr, int *ilo, int *ihi, double *scale,
                   double *abnrm, double *rconde, double *rcondv, double *work, const int *lwork,
                   int *iwork, int *info, long l1, long l2, long l3, long l4) {
    int n = *n_;
    size_t square = (size_t)n * (size_t)n;
    (void)balanc, (void)jobvr, (void)ldvl, (void)ldvr, (void)iwork, (void)l1, (void)l2, (void)l3,
        (void)l4, (void)lda;
    *info = 0;
    if (*lwork == -1) {
        work[0] = 6 * (double)square + 8 * (double)n;
        return;
    }
    double *B = work, *Q = B + square, *room = Q + square;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            B[i * n + j] = A[j * n + i];
            *info |= !isfinite(B[i * n + j]);
        }
    *abnrm = 0;
    if (*info || n == 0)
        return;
    bool vectors = *jobvl == 'V';
    zw_num_balance(n, B, ilo, ihi, scale);
    if (!zw_num_schur(n, B, *ilo, *ihi, vectors ? Q : NULL, wr, wi, room)) {
        *info = 1;
        return;
    }
    double complex *space = (double complex *)(room + 2 * n);
    eigen e = {.n = n,
               .low = *ilo,
               .high = *ihi,
               .scale = scale,
               .re = wr,
               .im = wi,
               .T = space,
               .Z = space + square,
               .x = space + 2 * square,
               .v = {space + 2 * square + n, space + 2 * square + 2 * n}};
    if (vectors)
        find_vectors(&e, B, Q, vr, vl, rconde);
    for (int i = 0; i < n && *sense == 'B'; i++)
        rcondv[i] = 0;
    ++*ilo; /* numbered as in Fortran */
    ++*ihi;
}

/* ------------------------------------------------------------------------------ singular values */

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void rotate_rows(int n, double *a, double *b, double c, double s) {
    for (int i = 0; i < n; i++) {
        double u = a[i];
        a[i] = c * u - s * b[i];
        b[i] = s * u + c * b[i];
    }
}

/* Rotates columns of W (rows x n), and of V with them, until all are orthogonal; columns that are
 * round-off of the largest count as zero. */
static bool rotate_all(int rows, int n, double *W, double *V) {
    double least = DBL_EPSILON * rows, all = 0; /* round-off of sums of `rows` products */
    for (int j = 0; j < n; j++)
        all = fmax(all, dot(rows, W + (size_t)j * (size_t)rows, W + (size_t)j * (size_t)rows));
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        bool done = true;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                double *a = W + (size_t)p * (size_t)rows, *b = W + (size_t)q * (size_t)rows,
                       aa = dot(rows, a, a), bb = dot(rows, b, b), ab = dot(rows, a, b);
                if (!(fabs(ab) > least * sqrt(aa) * sqrt(bb)) ||
                    fmin(aa, bb) <= DBL_EPSILON * DBL_EPSILON * all)
                    continue;
                done = false;
                double zeta = (bb - aa) / (2 * ab),
                       t = copysign(1, zeta) / (fabs(zeta) + hypot(1, zeta)), c = 1 / hypot(1, t);
                rotate_rows(rows, a, b, c, c * t);
                rotate_rows(n, V + (size_t)p * (size_t)n, V + (size_t)q * (size_t)n, c, c * t);
            }
        if (done)
            return true;
    }
    return false;
}

/* makes column k of U (m rows each) orthogonal to those before it and of length one: from its own
 * direction, or from a unit vector if it is 0 */
static void complete_column(int m, int k, double *U) {
    double *u = U + (size_t)k * (size_t)m;
    for (int trial = -1; trial < m; trial++) {
        if (trial >= 0)
            for (int i = 0; i < m; i++)
                u[i] = i == trial;
        double before = sqrt(dot(m, u, u));
        for (int pass = 0; pass < 2; pass++)
            for (int j = 0; j < k; j++) {
                const double *v = U + (size_t)j * (size_t)m;
                double along = dot(m, u, v);
                for (int i = 0; i < m; i++)
                    u[i] -= along * v[i];
            }
        double norm = sqrt(dot(m, u, u));
        if (norm > 0.1 * before && norm > 0) {
            for (int i = 0; i < m; i++)
                u[i] /= norm;
            return;
        }
    }
}

static void dgesvd(const char *jobu, const char *jobvt, const int *m_, const int *n_, double *A,
                   const int *lda, double *s, double *U, const int *ldu, double *Vt,
                   const int *ldvt, double *work, const int *lwork, int *info, long l1, long l2) {
    int m = *m_, n = *n_, rows = m > n ? m : n, least = m < n ? m : n, power = 0;
    size_t all = (size_t)rows * (size_t)n, square = (size_t)n * (size_t)n;
    double *W = work, *V = W + all, *size = V + square, most = 0;
    (void)jobvt, (void)lda, (void)ldu, (void)ldvt, (void)l1, (void)l2;
    *info = 0;
    if (*lwork == -1) {
        work[0] = (double)(all + square) + n;
        return;
    }
    for (size_t i = 0; i < (size_t)m * (size_t)n; i++) {
        most = fmax(most, fabs(A[i]));
        *info |= !isfinite(A[i]);
    }
    if (*info)
        return;
    if (most > 0)
        frexp(most, &power);
    for (int j = 0; j < n;
         j++) { /* with rows of zeros if there are fewer rows than columns: V is complete */
        for (int i = 0; i < rows; i++)
            W[(size_t)j * (size_t)rows + (size_t)i] = i < m ? ldexp(A[j * m + i], -power) : 0;
        for (int i = 0; i < n; i++)
            V[j * n + i] = i == j;
    }
    if (!rotate_all(rows, n, W, V))
        *info = 1;
    for (int j = 0; j < n; j++)
        size[j] = sqrt(dot(rows, W + (size_t)j * (size_t)rows, W + (size_t)j * (size_t)rows));
    for (int k = 0; k < n; k++) { /* the largest first */
        int best = 0;
        for (int j = 0; j < n; j++)
            best = size[j] > size[best] ? j : best;
        for (int i = 0; i < n; i++)
            Vt[i * n + k] = V[best * n + i];
        if (k < least)
            s[k] = ldexp(size[best], power);
        for (int i = 0; k < least && *jobu == 'S' && i < m; i++)
            U[k * m + i] =
                size[best] > 0 ? W[(size_t)best * (size_t)rows + (size_t)i] / size[best] : 0;
        if (k < least && *jobu == 'S')
            complete_column(m, k, U);
        size[best] = -1;
    }
}

const zw_lapack *zw_num_lapack_own(void) {
    static const zw_lapack own = {.dgesvd = dgesvd, .dgeevx = dgeevx};
    return &own;
}
