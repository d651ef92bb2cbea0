/* SPDX-License-Identifier: MIT */
/* The linear equations of every Newton step. Each contact is linearised to dr = c - D du; with
 *
 *     du = H dw - rp,    dw = H'P dr - rd,    rp = u - H w - q,   rd = w - H'P r
 *
 * the velocities of the parts are the unknowns,
 *
 *     (1 + H'P D H) dw = H'P (c + D rp) - rd,
 *
 * one block per part and one per pair that touches (order.c). It is regular where W is singular. Pivots are exchanged
 * inside diagonal blocks only. */
#include <math.h>
#include <string.h>

#include "solver.h"

enum { REFINEMENTS = 2 };
#define ROUNDING 1e-14 /* of a correction beside what it corrects */

/* ------------------------------------------------------------------------------- small dense algebra */

/* C -= A B: n x m, m x k */
static inline __attribute__((always_inline)) void
subtract_product(int n, int m, int k, const double *A, const double *B, double *C) {
    for (int i = 0; i < n; i++)
        for (int l = 0; l < m; l++) {
            double a = A[i * m + l];
            for (int j = 0; j < k; j++)
                C[i * k + j] -= a * B[l * k + j];
        }
}

/* LU with rows exchanged; false: singular */
static inline __attribute__((always_inline)) bool factor_block(int n, double *A, int *pivot) {
    for (int j = 0; j < n; j++) {
        int p = j;
        for (int i = j + 1; i < n; i++)
            if (fabs(A[i * n + j]) > fabs(A[p * n + j]))
                p = i;
        pivot[j] = p;
        if (p != j)
            for (int k = 0; k < n; k++) {
                double t = A[j * n + k];
                A[j * n + k] = A[p * n + k];
                A[p * n + k] = t;
            }
        double d = A[j * n + j];
        if (!(fabs(d) > 0) || !isfinite(d))
            return false;
        for (int i = j + 1; i < n; i++) {
            double f = A[i * n + j] /= d;
            for (int k = j + 1; k < n; k++)
                A[i * n + k] -= f * A[j * n + k];
        }
    }
    return true;
}

/* B (n x k) becomes A^-1 B */
static inline __attribute__((always_inline)) void solve_block(int n, int k, const double *A,
                                                              const int *pivot, double *B) {
    for (int j = 0; j < n; j++)
        if (pivot[j] != j)
            for (int c = 0; c < k; c++) {
                double t = B[j * k + c];
                B[j * k + c] = B[pivot[j] * k + c];
                B[pivot[j] * k + c] = t;
            }
    for (int i = 1; i < n; i++)
        for (int l = 0; l < i; l++)
            for (int c = 0; c < k; c++)
                B[i * k + c] -= A[i * n + l] * B[l * k + c];
    for (int i = n - 1; i >= 0; i--) {
        for (int l = i + 1; l < n; l++)
            for (int c = 0; c < k; c++)
                B[i * k + c] -= A[i * n + l] * B[l * k + c];
        for (int c = 0; c < k; c++)
            B[i * k + c] /= A[i * n + i];
    }
}

/* ------------------------------------------------------------------------------------------ assembly */

/* K += H_a' (P D H_b) for all pairs of entries of a contact of m rows */
static inline __attribute__((always_inline)) void add_pair(int m, int na, int nb, const double *Ha,
                                                           const double *X, double *K) {
    for (int l = 0; l < m; l++)
        for (int i = 0; i < na; i++) {
            double h = Ha[l * na + i];
            for (int j = 0; j < nb; j++)
                K[i * nb + j] += h * X[l * nb + j];
        }
}

/* X = P D H */
static inline __attribute__((always_inline)) void
weigh_rows(int m, int n, const double *D, const double *pull, const double *H, double *X) {
    for (int a = 0; a < m; a++) {
        for (int j = 0; j < n; j++)
            X[a * n + j] = 0;
        for (int b = 0; b < m; b++) {
            double d = pull[a] * D[a * m + b];
            for (int j = 0; j < n; j++)
                X[a * n + j] += d * H[b * n + j];
        }
    }
}

static void add_contact(zw_contact_solver *s, int i, int *place) {
    const zw_contact_problem *p = s->problem;
    int m = zw_contact_rows(s, i), first = s->first[i], count = s->first[i + 1] - first;
    const double *D = s->D + s->square[i], *pull = s->pull + s->row[i];
    double *X = s->weighed;
    for (int f = 0; f < count; f++) {
        int nb = p->part[p->entry[first + f].part].n;
        const double *H = s->H + s->at[first + f];
        if (m == 3 && nb == 6)
            weigh_rows(3, 6, D, pull, H, X);
        else
            weigh_rows(m, nb, D, pull, H, X);
        for (int e = 0; e < count; e++) {
            int na = p->part[p->entry[first + e].part].n;
            double *K = s->matrix.block + place[e * count + f];
            const double *Ha = s->H + s->at[first + e];
            if (m == 3 && na == 6 && nb == 6)
                add_pair(3, 6, 6, Ha, X, K);
            else
                add_pair(m, na, nb, Ha, X, K);
        }
    }
}

static void assemble(zw_contact_solver *s) {
    const zw_contact_problem *p = s->problem;
    zw_contact_matrix *K = &s->matrix;
    int *place = K->place;
    memset(K->block, 0, sizeof *K->block * (size_t)K->size);
    for (int k = 0; k < K->npart; k++) {
        int n = p->part[K->order[k]].n;
        for (int i = 0; i < n; i++)
            K->block[K->diagonal[k] + i * n + i] = 1;
    }
    for (int i = 0; i < p->ncontact; i++) {
        int count = s->first[i + 1] - s->first[i];
        add_contact(s, i, place);
        place += count * count;
    }
}

/* ------------------------------------------------------------------------------------- factorisation */

/* all parts have n velocities, known to the compiler where it matters */
static inline __attribute__((always_inline)) bool factor_equal(zw_contact_matrix *K, int n) {
    for (int k = 0; k < K->npart; k++) {
        double *diagonal = K->block + K->diagonal[k];
        const int *target = K->target + K->targets[k];
        if (!factor_block(n, diagonal, K->pivot + k * n))
            return false;
        for (int b = K->first[k]; b < K->first[k + 1]; b++)
            solve_block(n, n, diagonal, K->pivot + k * n, K->block + K->upper[b]);
        for (int a = K->first[k]; a < K->first[k + 1]; a++)
            for (int b = K->first[k]; b < K->first[k + 1]; b++)
                subtract_product(n, n, n, K->block + K->lower[a], K->block + K->upper[b],
                                 K->block + *target++);
    }
    return true;
}

static int size_at(const zw_contact_solver *s, int pivot) {
    return s->problem->part[s->matrix.order[pivot]].n;
}

static bool factor_mixed(zw_contact_solver *s) {
    zw_contact_matrix *K = &s->matrix;
    int *pivot = K->pivot;
    for (int k = 0; k < K->npart; k++) {
        int n = size_at(s, k);
        double *diagonal = K->block + K->diagonal[k];
        const int *target = K->target + K->targets[k];
        if (!factor_block(n, diagonal, pivot))
            return false;
        for (int b = K->first[k]; b < K->first[k + 1]; b++)
            solve_block(n, size_at(s, K->later[b]), diagonal, pivot, K->block + K->upper[b]);
        for (int a = K->first[k]; a < K->first[k + 1]; a++)
            for (int b = K->first[k]; b < K->first[k + 1]; b++)
                subtract_product(size_at(s, K->later[a]), n, size_at(s, K->later[b]),
                                 K->block + K->lower[a], K->block + K->upper[b],
                                 K->block + *target++);
        pivot += n;
    }
    return true;
}

static int common_size(const zw_contact_problem *p) {
    for (int i = 1; i < p->npart; i++)
        if (p->part[i].n != p->part[0].n)
            return 0;
    return p->npart ? p->part[0].n : 0;
}

bool zw_contact_matrix_factor(zw_contact_solver *s) {
    int n = common_size(s->problem);
    assemble(s);
    return n == 6   ? factor_equal(&s->matrix, 6)
           : n == 3 ? factor_equal(&s->matrix, 3)
                    : factor_mixed(s);
}

/* all parts have n velocities, so that pivot k has its rows exchanged at k n */
static inline __attribute__((always_inline)) void solve_equal(const zw_contact_solver *s, int n,
                                                              double *x) {
    const zw_contact_matrix *K = &s->matrix;
    for (int k = 0; k < K->npart; k++) {
        double *own = x + K->order[k] * n;
        solve_block(n, 1, K->block + K->diagonal[k], K->pivot + k * n, own);
        for (int a = K->first[k]; a < K->first[k + 1]; a++)
            subtract_product(n, n, 1, K->block + K->lower[a], own, x + K->order[K->later[a]] * n);
    }
    for (int k = K->npart - 1; k >= 0; k--)
        for (int a = K->first[k]; a < K->first[k + 1]; a++)
            subtract_product(n, n, 1, K->block + K->upper[a], x + K->order[K->later[a]] * n,
                             x + K->order[k] * n);
}

static void solve_mixed(const zw_contact_solver *s, double *x) {
    const zw_contact_matrix *K = &s->matrix;
    const int *pivot = K->pivot;
    for (int k = 0; k < K->npart; k++) {
        int n = size_at(s, k);
        double *own = x + s->col[K->order[k]];
        solve_block(n, 1, K->block + K->diagonal[k], pivot, own);
        for (int a = K->first[k]; a < K->first[k + 1]; a++)
            subtract_product(size_at(s, K->later[a]), n, 1, K->block + K->lower[a], own,
                             x + s->col[K->order[K->later[a]]]);
        pivot += n;
    }
    for (int k = K->npart - 1; k >= 0; k--) {
        int n = size_at(s, k);
        for (int a = K->first[k]; a < K->first[k + 1]; a++)
            subtract_product(n, size_at(s, K->later[a]), 1, K->block + K->upper[a],
                             x + s->col[K->order[K->later[a]]], x + s->col[K->order[k]]);
    }
}

void zw_contact_matrix_solve(const zw_contact_solver *s, double *x) {
    int n = common_size(s->problem);
    if (n == 6)
        solve_equal(s, 6, x);
    else if (n == 3)
        solve_equal(s, 3, x);
    else
        solve_mixed(s, x);
}

/* ------------------------------------------------------------------------------------------ the step */

/* out = a + b D x, contact by contact */
static void add_weighed(const zw_contact_solver *s, const double *a, double b, const double *x,
                        double *out) {
    for (int i = 0; i < s->problem->ncontact; i++) {
        int m = zw_contact_rows(s, i), row = s->row[i];
        const double *D = s->D + s->square[i];
        for (int k = 0; k < m; k++) {
            double sum = 0;
            for (int l = 0; l < m; l++)
                sum += D[k * m + l] * x[row + l];
            out[row + k] = a[row + k] + b * sum;
        }
    }
}

/* false: it is rounding */
static bool add_correction(zw_contact_solver *s) {
    double size = 0, change = 0;
    for (int k = 0; k < s->ncol; k++) {
        size = fmax(size, fabs(s->dw[k]));
        change = fmax(change, fabs(s->rhs[k]));
        s->dw[k] += s->rhs[k];
    }
    return change > ROUNDING * size;
}

void zw_contact_matrix_step(zw_contact_solver *s) {
    add_weighed(s, s->c, 1, s->rp, s->trial);
    zw_contact_gather(s, s->trial, s->dw);
    for (int k = 0; k < s->ncol; k++)
        s->dw[k] -= s->rd[k];
    zw_contact_matrix_solve(s, s->dw);
    for (int refinement = 0;; refinement++) {
        zw_contact_spread(s, s->dw, false, s->du);
        for (int k = 0; k < s->nrow; k++)
            s->du[k] -= s->rp[k];
        add_weighed(s, s->c, -1, s->du, s->dr);
        if (refinement == REFINEMENTS)
            break;
        zw_contact_gather(s, s->dr, s->rhs); /* what dw should be is rhs - rd */
        for (int k = 0; k < s->ncol; k++)
            s->rhs[k] -= s->rd[k] + s->dw[k];
        zw_contact_matrix_solve(s, s->rhs);
        if (!add_correction(s))
            break;
    }
}
