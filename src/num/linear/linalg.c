/* SPDX-License-Identifier: MIT */
/* Mechanical systems have matrices of 2 to 20 rows. For these plain loops are two to three times
 * faster than a call of LAPACK; at 40 rows both take the same time, and for more LAPACK is used, if
 * available. LAPACK stores by columns, so it factorises the transpose of our matrices, and a system
 * with A is solved as its transposed system.
 *
 * The rank-revealing factorisation is always ours: LAPACK's dgeqp3 can put rows first, but does not
 * check their rank. */
#include "linalg.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

#include "lapack.h"

enum { LAPACK_FROM = 40 };

/* for matrices of this size; NULL: the loops below */
static const zw_lapack *lapack_for(int n) {
    return n > LAPACK_FROM ? zw_num_lapack() : NULL;
}

static double pivot_ratio(int n, const double *LU) {
    double smallest = INFINITY, largest = 0;
    for (int i = 0; i < n; i++) {
        double u = fabs(LU[i * n + i]);
        if (!isfinite(u))
            return NAN;
        smallest = fmin(smallest, u);
        largest = fmax(largest, u);
    }
    if (n == 0)
        return 1;
    return largest > 0 ? smallest / largest : 0;
}

static void swap_rows(int n, double *a, double *b) {
    for (int j = 0; j < n; j++) {
        double keep = a[j];
        a[j] = b[j];
        b[j] = keep;
    }
}

static void lu_small(int n, double *A, int *pivot) {
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[best * n + k]))
                best = i;
        pivot[k] = best;
        if (best != k)
            swap_rows(n, A + best * n, A + k * n);
        const double *restrict top = A + k * n;
        if (top[k] == 0)
            continue;
        for (int i = k + 1; i < n; i++) {
            double *restrict row = A + i * n;
            double factor = row[k] / top[k];
            row[k] = factor;
            if (factor != 0)
                for (int j = k + 1; j < n; j++)
                    row[j] -= factor * top[j];
        }
    }
}

double zw_num_lu(int n, double *A, int *pivot) {
    const zw_lapack *lapack = lapack_for(n);
    int info;
    if (lapack)
        lapack->dgetrf(&n, &n, A, &n, pivot, &info);
    else
        lu_small(n, A, pivot);
    return pivot_ratio(n, A);
}

/* Round-off of a pivot in n steps of elimination: 8 eps for each, and 45 eps at least. */
#define PIVOT_ROUNDOFF 1e-14
#define PIVOT_EPS 8

double zw_num_pivot_floor(int n) {
    return fmax(PIVOT_ROUNDOFF, PIVOT_EPS * n * DBL_EPSILON);
}

static void lu_solve_small(int n, const double *LU, const int *pivot, double *b) {
    for (int k = 0; k < n; k++) {
        double keep = b[k];
        b[k] = b[pivot[k]];
        b[pivot[k]] = keep;
    }
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++)
            b[i] -= LU[i * n + j] * b[j];
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            b[i] -= LU[i * n + j] * b[j];
        b[i] /= LU[i * n + i];
    }
}

void zw_num_lu_solve(int n, const double *LU, const int *pivot, int nrhs, double *B) {
    const zw_lapack *lapack = lapack_for(n);
    int info;
    if (lapack)
        lapack->dgetrs("T", &n, &nrhs, LU, &n, pivot, B, &n, &info, 1);
    else
        for (int k = 0; k < nrhs; k++)
            lu_solve_small(n, LU, pivot, B + k * n);
}

/* ---- complex: (a, b) stands for a + ib ---- */

/* x -= f y for n numbers */
static void complex_subtract(int n, double *restrict x, const double *f, const double *restrict y) {
    double re = f[0], im = f[1];
    for (int j = 0; j < n; j++) {
        x[2 * j] -= re * y[2 * j] - im * y[2 * j + 1];
        x[2 * j + 1] -= re * y[2 * j + 1] + im * y[2 * j];
    }
}

/* x /= y; the squares of the parts do not overflow for matrices of mechanics */
static void complex_divide(double *x, const double *y) {
    double square = y[0] * y[0] + y[1] * y[1];
    double re = (x[0] * y[0] + x[1] * y[1]) / square;
    x[1] = (x[1] * y[0] - x[0] * y[1]) / square;
    x[0] = re;
}

static double complex_size(const double *x) {
    return fabs(x[0]) + fabs(x[1]);
}

static double complex_pivot_ratio(int n, const double *LU) {
    double smallest = INFINITY, largest = 0;
    for (int i = 0; i < n; i++) {
        double u = complex_size(LU + 2 * (i * n + i));
        if (!isfinite(u))
            return NAN;
        smallest = fmin(smallest, u);
        largest = fmax(largest, u);
    }
    if (n == 0)
        return 1;
    return largest > 0 ? smallest / largest : 0;
}

static void complex_lu_small(int n, double *A, int *pivot) {
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (complex_size(A + 2 * (i * n + k)) > complex_size(A + 2 * (best * n + k)))
                best = i;
        pivot[k] = best;
        if (best != k)
            swap_rows(2 * n, A + 2 * best * n, A + 2 * k * n);
        const double *top = A + 2 * (k * n + k);
        if (complex_size(top) == 0)
            continue;
        for (int i = k + 1; i < n; i++) {
            double *row = A + 2 * (i * n + k);
            complex_divide(row, top);
            complex_subtract(n - k - 1, row + 2, row, top + 2);
        }
    }
}

double zw_num_complex_lu(int n, double *A, int *pivot) {
    const zw_lapack *lapack = lapack_for(n);
    int info;
    if (lapack)
        lapack->zgetrf(&n, &n, A, &n, pivot, &info);
    else
        complex_lu_small(n, A, pivot);
    return complex_pivot_ratio(n, A);
}

static void complex_lu_solve_small(int n, const double *LU, const int *pivot, double *b) {
    for (int k = 0; k < n; k++)
        swap_rows(2, b + 2 * k, b + 2 * pivot[k]);
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++)
            complex_subtract(1, b + 2 * i, LU + 2 * (i * n + j), b + 2 * j);
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            complex_subtract(1, b + 2 * i, LU + 2 * (i * n + j), b + 2 * j);
        complex_divide(b + 2 * i, LU + 2 * (i * n + i));
    }
}

void zw_num_complex_lu_solve(int n, const double *LU, const int *pivot, double *b) {
    const zw_lapack *lapack = lapack_for(n);
    int info, one = 1;
    if (lapack)
        lapack->zgetrs("T", &n, &one, LU, &n, pivot, b, &n, &info, 1);
    else
        complex_lu_solve_small(n, LU, pivot, b);
}

int zw_num_metric(int n, double *M) {
    int completed = 0;
    for (int j = 0; j < n; j++) {
        double *Lj = M + j * n;
        double whole = Lj[j], pivot = whole;
        for (int k = 0; k < j; k++)
            pivot -= Lj[k] * Lj[k];
        if (pivot > 4 * n * DBL_EPSILON * fabs(whole)) {
            Lj[j] = sqrt(pivot);
            for (int i = j + 1; i < n; i++) {
                double *Li = M + i * n, s = Li[j];
                for (int k = 0; k < j; k++)
                    s -= Li[k] * Lj[k];
                Li[j] = s / Lj[j];
            }
        } else {
            completed++;
            Lj[j] = 1;
            for (int i = j + 1; i < n; i++)
                M[i * n + j] = 0;
        }
    }
    return completed;
}

void zw_num_lower_solve(int n, const double *L, double *x) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++)
            x[i] -= L[i * n + j] * x[j];
        x[i] /= L[i * n + i];
    }
}

void zw_num_lower_solve_transposed(int n, const double *L, double *x) {
    for (int i = n - 1; i >= 0; i--) {
        x[i] /= L[i * n + i];
        for (int j = 0; j < i; j++)
            x[j] -= L[i * n + j] * x[i];
    }
}

static double euclidean_norm(int n, const double *a) {
    double largest = 0, sum = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(a[i]));
    if (largest == 0)
        return 0;
    for (int i = 0; i < n; i++)
        sum += (a[i] / largest) * (a[i] / largest);
    return largest * sqrt(sum);
}

/* a := (I - tau u u') a with u = (1, reflector...) acting on n entries */
static void apply_reflector(int n, const double *reflector, double tau, double *a) {
    double s = a[0];
    for (int i = 1; i < n; i++)
        s += reflector[i] * a[i];
    s *= tau;
    a[0] -= s;
    for (int i = 1; i < n; i++)
        a[i] -= s * reflector[i];
}

/* replaces a by (beta, reflector...) with (I - tau u u') a = beta e1 */
static double make_reflector(int n, double *a) {
    double norm = euclidean_norm(n, a);
    if (norm == 0)
        return 0;
    double beta = a[0] > 0 ? -norm : norm;
    double tau = (beta - a[0]) / beta;
    for (int i = 1; i < n; i++)
        a[i] /= a[0] - beta;
    a[0] = beta;
    return tau;
}

/* The index in `order` of the row of this stage with the longest remainder after the `rank` entries
 * already eliminated, -1 if all are below the tolerance. Reflections preserve the length of a
 * row. */
static int longest_part(int m, int n, const double *A, int nfirst, int stage, int rank,
                        double tolerance, const double *size, const int *order) {
    int best = -1;
    double longest = 0;
    for (int k = rank; k < m && rank < n; k++) {
        if ((order[k] < nfirst) != (stage == 0))
            continue;
        const double *row = A + order[k] * n;
        double part = euclidean_norm(n - rank, row + rank);
        double whole = size ? fmax(size[order[k]], euclidean_norm(n, row)) : euclidean_norm(n, row);
        if (part > tolerance * whole && part > longest) {
            longest = part;
            best = k;
        }
    }
    return best;
}

/* Storage: row `order[k]` of A holds, for a taken row, R above and the reflector from entry k on
 * (its first entry is R's diagonal). Rows stay where they are; only `order` is permuted. */
int zw_num_rows_factor(int m, int n, double *A, int nfirst, double tolerance, double *tau,
                       int *order) {
    return zw_num_rows_factor_sized(m, n, A, nfirst, tolerance, NULL, tau, order);
}

int zw_num_rows_factor_sized(int m, int n, double *A, int nfirst, double tolerance,
                             const double *size, double *tau, int *order) {
    int rank = 0;
    for (int k = 0; k < m; k++)
        order[k] = k;
    /* stage 0 takes the first rows, stage 1 the others */
    for (int stage = 0; stage < 2; stage++) {
        int next;
        while ((next = longest_part(m, n, A, nfirst, stage, rank, tolerance, size, order)) >= 0) {
            int taken = order[next];
            order[next] = order[rank];
            order[rank] = taken;
            tau[rank] = make_reflector(n - rank, A + taken * n + rank);
            for (int k = rank + 1; k < m; k++)
                apply_reflector(n - rank, A + taken * n + rank, tau[rank], A + order[k] * n + rank);
            rank++;
        }
    }
    return rank;
}

void zw_num_rows_solve(int n, const double *A, int rank, const double *tau, const int *order,
                       const double *b, double *x) {
    /* R' y = b on the taken rows: row k of A holds column k of R in its first k + 1 entries */
    for (int k = 0; k < n; k++)
        x[k] = 0;
    for (int k = 0; k < rank; k++) {
        const double *row = A + order[k] * n;
        double s = b[order[k]];
        for (int i = 0; i < k; i++)
            s -= row[i] * x[i];
        x[k] = s / row[k];
    }
    /* x = Q y */
    for (int k = rank - 1; k >= 0; k--)
        apply_reflector(n - k, A + order[k] * n + k, tau[k], x + k);
}

void zw_num_rows_complement(int n, const double *A, int rank, const double *tau, const int *order,
                            double *basis) {
    for (int j = rank; j < n; j++, basis += n) {
        for (int i = 0; i < n; i++)
            basis[i] = i == j;
        for (int k = rank - 1; k >= 0; k--)
            apply_reflector(n - k, A + order[k] * n + k, tau[k], basis + k);
    }
}

void zw_num_rows_dependence(int m, int n, const double *A, int rank, const int *order, double *c) {
    for (int k = 0; k < m; k++)
        c[k] = 0;
    const double *left_out = A + order[rank] * n;
    c[order[rank]] = 1;
    for (int k = rank - 1; k >= 0; k--) {
        double s = -left_out[k];
        for (int j = k + 1; j < rank; j++)
            s -= A[order[j] * n + k] * c[order[j]];
        c[order[k]] = s / A[order[k] * n + k];
    }
}

/* moves the largest entry from row and column k on to (k, k); returns its absolute value */
static double pivot_completely(int m, int n, double *A, int k, int *columns) {
    int row = k, column = k;
    for (int i = k; i < m; i++)
        for (int j = k; j < n; j++)
            if (fabs(A[i * n + j]) > fabs(A[row * n + column])) {
                row = i;
                column = j;
            }
    if (row != k)
        swap_rows(n, A + row * n, A + k * n);
    for (int i = 0; column != k && i < m; i++) {
        double keep = A[i * n + k];
        A[i * n + k] = A[i * n + column];
        A[i * n + column] = keep;
    }
    int keep = columns[k];
    columns[k] = columns[column];
    columns[column] = keep;
    return fabs(A[k * n + k]);
}

/* by Gauss-Jordan elimination: A becomes (1 B) up to the order of columns, and x = (-B e, e) */
int zw_num_null_basis(int m, int n, double *A, double tolerance, double *basis, int *columns) {
    int rank = 0;
    for (int j = 0; j < n; j++)
        columns[j] = j;
    while (rank < m && rank < n && pivot_completely(m, n, A, rank, columns) > tolerance) {
        double *top = A + rank * n, pivot = top[rank];
        for (int j = rank; j < n; j++)
            top[j] /= pivot;
        for (int i = 0; i < m; i++) {
            double factor = A[i * n + rank];
            for (int j = rank; i != rank && factor != 0 && j < n; j++)
                A[i * n + j] -= factor * top[j];
        }
        rank++;
    }
    for (int f = 0; f < n - rank; f++) {
        double *x = basis + f * n, largest = 1;
        for (int j = 0; j < n; j++)
            x[j] = 0;
        x[columns[rank + f]] = 1;
        for (int i = 0; i < rank; i++) {
            x[columns[i]] = -A[i * n + rank + f];
            largest = fmax(largest, fabs(A[i * n + rank + f]));
        }
        for (int j = 0; j < n; j++)
            x[j] /= largest;
    }
    return n - rank;
}

/* subtracts the part of a row along a unit row */
static void clear_along(int n, const double *unit, double *row) {
    double along = 0;
    for (int i = 0; i < n; i++)
        along += row[i] * unit[i];
    for (int i = 0; i < n; i++)
        row[i] -= along * unit[i];
}

static double row_length(int n, const double *row) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += row[i] * row[i];
    return sqrt(sum);
}

int zw_num_rows_span(int m, int n, double *V, double tolerance) {
    for (int rank = 0; rank < m; rank++) {
        double most = 0, length, *row = V + (size_t)rank * (size_t)n;
        int next = rank;
        for (int r = rank; r < m; r++)
            most = fmax(most, row_length(n, V + (size_t)r * (size_t)n));
        while (next + 1 < m && !(row_length(n, V + (size_t)next * (size_t)n) >= most / 2))
            next++;
        swap_rows(n, row, V + (size_t)next * (size_t)n);
        for (int k = 0; k < rank; k++) /* twice, against round-off */
            clear_along(n, V + (size_t)k * (size_t)n, row);
        length = row_length(n, row);
        if (!(length > tolerance))
            return rank;
        for (int i = 0; i < n; i++)
            row[i] /= length;
        for (int r = rank + 1; r < m; r++)
            clear_along(n, row, V + (size_t)r * (size_t)n);
    }
    return m;
}
