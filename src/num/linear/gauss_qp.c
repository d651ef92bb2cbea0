/* SPDX-License-Identifier: MIT */
/* The dual active-set method (Goldfarb and Idnani 1983). With M = L L' and y = L'a, n_k = L^-1 W_k'
 * the problem is to find the point of a polyhedron that is nearest to y0 = L^-1 h:
 *
 *     min |y - y0|^2/2  subject to  n_k.y >= b_k  (or =),  y = y0 + sum_k n_k u_k,  u_k >= 0.
 *
 * Start at y0 with no row active. Take the most violated row p. A step along the part z of n_p that
 * is orthogonal to the active rows keeps those satisfied; their multipliers fall at the rates r,
 * the coefficients of n_p in the active rows. The step ends where row p is satisfied (then it
 * becomes active) or where the multiplier of an active inequality is zero (then that one is
 * dropped, and the step continues). |y - y0| grows with every full step, so no active set recurs
 * and the method ends after finitely many.
 *
 * Rows are scaled to unit length and reversed so that they are violated from below; equations come
 * first and are never dropped. The orthonormal basis of the active rows is computed again by
 * Gram-Schmidt, twice, after each drop: sizes are small, and updating it is not faster. */
#include "gauss_qp.h"
#include "base/tolerance.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "linalg.h"

/* Sine of the angle below which a row is in the span of the active ones: its multiplier would be a
 * million times that of independent rows. */
#define DEPENDENT_ROW 1e-6
/* Violation relative to the longest of y0 and the bounds that is round-off. */
#define VIOLATION_ROUNDOFF ZW_ROUNDOFF_VALUE

typedef struct solver {
    const zw_num_gauss *p;
    double *L;      /* n x n */
    double *normal; /* m x n: unit rows, reversed */
    double *bound;  /* m */
    double *scale;  /* m: lambda = scale u; 0 for an empty row */
    double *u;      /* m */
    double *y;      /* n */
    double *Q;      /* n x n: orthonormal basis of the active rows, by rows */
    double *R;      /* n x n: active row i = sum_j R[i n + j] Q_j */
    double *z;      /* n */
    double *r;      /* n: coefficients in the active rows */
    int *set;       /* active rows in the order of R */
    int count;
    double rounding; /* round-off of n_k.y - b_k: all have the unit of y */
} solver;

int zw_num_gauss_work(int n, int m) {
    return 3 * n * n + m * n + 3 * m + 3 * n;
}

int zw_num_gauss_places(int m) {
    return m;
}

static void slice_arrays(solver *s, double *work, int *places) {
    int n = s->p->n, m = s->p->m;
    double **parts[] = {&s->L,     &s->Q, &s->R, &s->normal, &s->bound,
                        &s->scale, &s->u, &s->y, &s->z,      &s->r};
    const int sizes[] = {n * n, n * n, n * n, m * n, m, m, m, n, n, n};
    for (int i = 0; i < 10; i++) {
        *parts[i] = work;
        work += sizes[i];
    }
    s->set = places;
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void reverse_row(solver *s, int k) {
    for (int i = 0; i < s->p->n; i++)
        s->normal[k * s->p->n + i] = -s->normal[k * s->p->n + i];
    s->bound[k] = -s->bound[k];
    s->scale[k] = -s->scale[k];
}

/* y0 and unit rows; false if M is not positive definite */
static bool transform_problem(solver *s) {
    const zw_num_gauss *p = s->p;
    int n = p->n;
    memcpy(s->L, p->M, sizeof(double) * (size_t)(n * n));
    if (zw_num_metric(n, s->L) > 0)
        return false;
    memcpy(s->y, p->h, sizeof(double) * (size_t)n);
    zw_num_lower_solve(n, s->L, s->y);
    double longest = sqrt(dot(n, s->y, s->y));
    for (int k = 0; k < p->m; k++) {
        double *row = s->normal + k * n;
        memcpy(row, p->W + k * n, sizeof(double) * (size_t)n);
        zw_num_lower_solve(n, s->L, row);
        double length = sqrt(dot(n, row, row));
        s->u[k] = 0;
        s->scale[k] = length > 0 ? 1 / length : 0;
        s->bound[k] = length > 0 ? p->b[k] / length : p->b[k];
        for (int i = 0; i < n; i++)
            row[i] *= s->scale[k];
        if (p->kind[k] < 0)
            reverse_row(s, k);
        longest = fmax(longest, fabs(s->bound[k]));
    }
    s->rounding = VIOLATION_ROUNDOFF * longest + DBL_MIN;
    return true;
}

/* z = the part of normal k orthogonal to the active rows, r = its coefficients in them; |z| */
static double split_normal(solver *s, int k) {
    int n = s->p->n, count = s->count;
    memcpy(s->z, s->normal + k * n, sizeof(double) * (size_t)n);
    for (int i = 0; i < count; i++)
        s->r[i] = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < count; j++) {
            double c = dot(n, s->Q + j * n, s->z);
            s->r[j] += c;
            for (int i = 0; i < n; i++)
                s->z[i] -= c * s->Q[j * n + i];
        }
    return sqrt(dot(n, s->z, s->z));
}

/* from coefficients in Q to coefficients in the active rows: R' x = r */
static void in_rows(solver *s) {
    for (int j = s->count - 1; j >= 0; j--) {
        for (int i = j + 1; i < s->count; i++)
            s->r[j] -= s->R[i * s->p->n + j] * s->r[i];
        s->r[j] /= s->R[j * s->p->n + j];
    }
}

/* row k becomes active; z, r (in Q) and |z| are those of split_normal */
static void append_active(solver *s, int k, double length) {
    int n = s->p->n, at = s->count++;
    s->set[at] = k;
    for (int j = 0; j < at; j++)
        s->R[at * n + j] = s->r[j];
    s->R[at * n + at] = length;
    for (int i = 0; i < n; i++)
        s->Q[at * n + i] = s->z[i] / length;
}

static void drop_active(solver *s, int at) {
    int old = s->count;
    s->u[s->set[at]] = 0;
    s->count = 0;
    for (int i = 0; i < old; i++)
        if (i != at) {
            int k = s->set[i];
            append_active(s, k, split_normal(s, k));
        }
}

/* the violation of row k */
static double row_violation(const solver *s, int k) {
    int n = s->p->n;
    return s->bound[k] - dot(n, s->normal + k * n, s->y);
}

/* Satisfies row k. False if the active rows do not allow it. */
static bool satisfy_row(solver *s, int k) {
    int n = s->p->n;
    bool equation = s->p->kind[k] == 0;
    if (equation && row_violation(s, k) < 0)
        reverse_row(s, k);
    /* each round drops a row, so there are no more than active ones */
    for (;;) {
        double length = split_normal(s, k);
        bool dependent = length <= DEPENDENT_ROW || s->count == n;
        in_rows(s);
        if (equation && dependent)
            return true;
        int leaving = -1;
        double full = dependent ? HUGE_VAL : row_violation(s, k) / (length * length),
               partial = HUGE_VAL;
        for (int i = 0; i < s->count; i++) {
            int row = s->set[i];
            if (s->p->kind[row] != 0 && s->r[i] > 0 && s->u[row] / s->r[i] < partial) {
                partial = s->u[row] / s->r[i];
                leaving = i;
            }
        }
        double step = fmin(full, partial);
        if (!isfinite(step))
            return false;
        for (int i = 0; i < s->count; i++)
            s->u[s->set[i]] -= step * s->r[i];
        s->u[k] += step;
        for (int i = 0; !dependent && i < n; i++)
            s->y[i] += step * s->z[i];
        if (full <= partial) {
            append_active(s, k, split_normal(s, k));
            return true;
        }
        drop_active(s, leaving);
    }
}

/* the most violated inequality that is not active, -1 if none */
static int most_violated(const solver *s) {
    int worst = -1;
    double most = s->rounding;
    for (int k = 0; k < s->p->m; k++) {
        bool active = s->p->kind[k] == 0;
        for (int i = 0; i < s->count; i++)
            active |= s->set[i] == k;
        double gap = active ? 0 : row_violation(s, k);
        if (gap > most) {
            most = gap;
            worst = k;
        }
    }
    return worst;
}

static bool write_solution(solver *s, double *a, double *lambda, int *active) {
    int n = s->p->n, m = s->p->m;
    bool finite = true;
    for (int k = 0; k < m; k++) {
        active[k] = 0;
        lambda[k] = s->scale[k] * s->u[k];
        finite &= isfinite(lambda[k]) != 0;
    }
    for (int i = 0; i < s->count; i++)
        active[s->set[i]] = 1;
    memcpy(a, s->y, sizeof(double) * (size_t)n);
    zw_num_lower_solve_transposed(n, s->L, a);
    for (int i = 0; i < n; i++)
        finite &= isfinite(a[i]) != 0;
    return finite;
}

zw_num_gauss_end zw_num_gauss_solve(const zw_num_gauss *p, double *a, double *lambda, int *active,
                                    int *row, double *work, int *places) {
    solver s = {.p = p};
    slice_arrays(&s, work, places);
    if (!transform_problem(&s))
        return ZW_GAUSS_MASS;
    for (int k = 0; k < p->m; k++)
        if (p->kind[k] == 0 && s.scale[k] != 0)
            satisfy_row(&s, k);
    /* more rounds than reasonable active sets are a cycle by round-off */
    for (int round = 0; round <= 20 * (p->m + 1); round++) {
        int k = most_violated(&s);
        if (k < 0)
            return write_solution(&s, a, lambda, active) ? ZW_GAUSS_SOLVED : ZW_GAUSS_LOST;
        if (!satisfy_row(&s, k)) {
            if (row)
                *row = k;
            return ZW_GAUSS_CONTRADICTION;
        }
    }
    return ZW_GAUSS_LOST;
}
