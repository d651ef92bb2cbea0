/* SPDX-License-Identifier: MIT */
/* Eigenvalues of the linear equations, the states that participate in them, and their
 * controllability and observability.
 *
 * Everything is computed from A_eta, in the metric of the masses, so that neither units nor the
 * choice of states matter: A_eta q = lambda q, p* A_eta = lambda p*; the condition of lambda is
 * |p||q|/|p*q|. In the states the vectors are H q and p* H^-1; the participation of state i is |(p*
 * H^-1)_i (H q)_i| divided by the sum over all states. An eigenvector is a motion of the whole
 * system; its part along the orbits is a = (lambda - orbit_A)^-1 drift (H q).
 *
 * Hautus: lambda is controllable if (A - lambda, B) has full rank, observable if (A', C') is
 * controllable. The measure is the smallest singular value after balancing, with A and each column
 * of B scaled to length one. The controllable space is the smallest one that contains B and is
 * invariant under A, built from orthonormal directions. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/result_arena.h"
#include "base/tolerance.h"
#include "num/linear/dense.h"
#include "zwang/statespace.h"

/* Least singular value of (A - lambda, B), both of size one: rounding below a hundred
 * ZW_ROUNDOFF_SUM, as the columns of B are products with solutions. */
#define HAUTUS_ROUNDOFF 1e-10
/* Error of A relative to its size: 45 eps. Eigenvalues have the error EIGEN_ROUNDOFF times their
 * condition. */
#define EIGEN_ROUNDOFF 1e-14
/* Distance of eigenvalues, of the size of A, that may form a chain: an m-fold one splits by
 * EIGEN_ROUNDOFF^(1/m), 1e-3 for four or five. */
#define CHAIN_DISTANCE 1e-3
/* part of a direction outside those before; below it is rounding */
#define NEW_DIRECTION ZW_ROUNDOFF_SOLVED
/* Distance of an eigenvalue from one of the orbits, relative to the rates: equal; sqrt(eps), as
 * both may be double. */
#define ORBIT_RESONANCE 1e-8
#define PACE_MIN 1e-3 /* 1/s: slower systems are compared with 1/s, as before rest has no rate */

/* Work on a spectrum. */
typedef struct spectrum {
    zw_spectrum *out;
    const zw_states *states;
    int n;
    zw_dense_eigen e;
    int *order;          /* n: eigenvalue j of out is order[j] of e */
    double *A;           /* n x n: balanced, of size one */
    double pace;         /* 1/s: the size of the rates, those along the orbits included */
    double *scale, size; /* n: eta = scale * balanced; size: A was divided by it */
    zw_arena work, *result;
    zw_error *err;
} spectrum;

static double *allocate_doubles(spectrum *s, int n) {
    return ZW_NEW(&s->work, double, n + 1);
}

/* ---------------------------------------------------------------------------------------- order */

/* The nzero smallest eigenvalues are zero. */
static zw_status set_zeros(spectrum *s) {
    double *re = s->e.re, *im = s->e.im;
    bool *zero = ZW_NEW(&s->work, bool, s->n + 1);
    if (!zero)
        return zw_out_of_memory(s->err, NULL);
    for (int k = 0; k < s->out->nzero; k++) {
        int least = -1;
        for (int i = 0; i < s->n; i++)
            if (!zero[i] && (least < 0 || hypot(re[i], im[i]) < hypot(re[least], im[least])))
                least = i;
        zero[least] = true;
        re[least] = im[least] = 0;
    }
    return ZW_OK;
}

/* -------------------------------------------------------------------------------------- vectors */

static void fill_vectors(spectrum *s, int j) {
    zw_spectrum *out = s->out;
    const zw_states *st = s->states;
    int n = s->n, k = s->order[j];
    double sum = 0;
    double complex product = 0;
    out->re[j] = s->e.re[k];
    out->im[j] = s->e.im[k];
    out->condition[j] = s->e.condition[k];
    for (int i = 0; i < n; i++)
        product += (s->e.left_re[i * n + k] - I * s->e.left_im[i * n + k]) *
                   (s->e.right_re[i * n + k] + I * s->e.right_im[i * n + k]);
    for (int i = 0; i < n; i++) {
        double complex right = 0, left = 0;
        for (int l = 0; l < n; l++) {
            right += st->H[i * n + l] * (s->e.right_re[l * n + k] + I * s->e.right_im[l * n + k]);
            left +=
                st->inverse[l * n + i] * (s->e.left_re[l * n + k] + I * s->e.left_im[l * n + k]);
        }
        left /= conj(product); /* p*q = 1 */
        out->right_re[i * n + j] = creal(right);
        out->right_im[i * n + j] = cimag(right);
        out->left_re[i * n + j] = creal(left);
        out->left_im[i * n + j] = cimag(left);
        out->participation[i * n + j] = cabs(left * right);
        sum += cabs(left * right);
    }
    /* p and q orthogonal up to rounding: participations are unknown */
    for (int i = 0; i < n; i++)
        out->participation[i * n + j] /= EIGEN_ROUNDOFF * out->condition[j] < 1 ? sum : NAN;
}

/* The whole motion of eigenvalue j, with its part along the orbits where that is determined. */
static zw_status fill_mode(spectrum *s, int j) {
    zw_spectrum *out = s->out;
    const zw_states *st = s->states;
    int n = s->n, r = st->norbit;
    double complex lambda = out->re[j] + I * out->im[j],
                   *a = ZW_NEW(&s->work, double complex, r + 1),
                   *M = ZW_NEW(&s->work, double complex, r *r + 1);
    if (s->work.failed)
        return zw_out_of_memory(s->err, NULL);
    for (int i = 0; i < r; i++)
        for (int l = 0; l < n; l++)
            a[i] +=
                st->drift[i * n + l] * (out->right_re[l * n + j] + I * out->right_im[l * n + j]);
    out->open[j] =
        r > 0 && !zw_dense_solve_shifted(r, st->orbit_A, lambda, ORBIT_RESONANCE * s->pace, M, a);
    for (int i = 0; i < st->nx; i++) {
        double complex x = 0;
        for (int l = 0; l < n; l++)
            x += st->Y[i * n + l] * (out->right_re[l * n + j] + I * out->right_im[l * n + j]);
        for (int l = 0; l < r && !out->open[j]; l++)
            x += st->orbit[i * r + l] * a[l];
        out->mode_re[i * n + j] = creal(x);
        out->mode_im[i * n + j] = cimag(x);
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------ balancing */

/* Scale rows and columns of A to about the same length by powers of two (Parlett, Reinsch), and A
 * to size one. */
static void balance_matrix(spectrum *s) {
    int n = s->n;
    memcpy(s->A, s->states->A_eta, sizeof(double) * (size_t)(n * n));
    zw_dense_balance(n, s->A, s->scale);
    s->size = zw_dense_norm(n * n, s->A);
    for (int i = 0; i < n * n && s->size > 0; i++)
        s->A[i] /= s->size;
}

/* --------------------------------------------------------------------------------- reachability */

/* Columns of B (n x m), or of C' for observability, in balanced coordinates, of length one. */
static void balanced_columns(const spectrum *s, bool observe, const zw_inout *b, double *out) {
    const zw_states *st = s->states;
    int n = s->n, m = observe ? b->nout : b->nin;
    for (int j = 0; j < m; j++) {
        double length = 0;
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int l = 0; l < n; l++)
                sum += observe ? b->C[j * n + l] * st->H[l * n + i]
                               : st->inverse[i * n + l] * b->B[l * m + j];
            out[i * m + j] = observe ? sum * s->scale[i] : sum / s->scale[i];
            length += out[i * m + j] * out[i * m + j];
        }
        for (int i = 0; i < n && length > 0; i++)
            out[i * m + j] /= sqrt(length);
    }
}

/* The smallest singular value of (A - lambda, B), as that of the real matrix of twice the size. */
static zw_status hautus_distance(spectrum *s, bool observe, int m, const double *columns, int j,
                                 double *least) {
    int n = s->n, wide = n + m, rows = 2 * n, cols = 2 * wide;
    double scale = s->size > 0 ? s->size : 1, re = s->out->re[j] / scale,
           im = s->out->im[j] / scale;
    zw_arena_mark mark = zw_arena_mark_now(&s->work);
    double *M = allocate_doubles(s, rows * cols), *sv = allocate_doubles(s, cols),
           *V = allocate_doubles(s, cols * cols);
    if (s->work.failed)
        return zw_out_of_memory(s->err, NULL);
    for (int i = 0; i < n; i++)
        for (int l = 0; l < wide; l++) {
            double entry = l >= n ? columns[i * m + l - n]
                                  : (observe ? s->A[l * n + i] : s->A[i * n + l]) - (i == l) * re;
            M[i * cols + l] = M[(n + i) * cols + wide + l] = entry;
            M[i * cols + wide + l] = i == l ? im : 0;
            M[(n + i) * cols + l] = i == l ? -im : 0;
        }
    bool done = zw_dense_svd(&s->work, rows, cols, M, sv, V, NULL);
    *least = rows > 0 ? sv[rows - 1] : 0;
    zw_arena_release(&s->work, mark);
    return done ? ZW_OK : zw_dense_failure(&s->work, s->err);
}

/* The error of eigenvalue j by rounding: bounded by its condition, and for m in a chain, whose
 * condition is infinite, by the m-th root. */
static double eigenvalue_uncertainty(const spectrum *s, int j) {
    const zw_spectrum *out = s->out;
    int m = 0;
    for (int i = 0; i < s->n; i++)
        m += hypot(out->re[i] - out->re[j], out->im[i] - out->im[j]) <= CHAIN_DISTANCE * s->size;
    return fmin(EIGEN_ROUNDOFF * out->condition[j], pow(EIGEN_ROUNDOFF, 1.0 / m));
}

static zw_status measure_reach(spectrum *s, bool observe, const zw_inout *b, double **value,
                               bool **reached, int *dimension) {
    int n = s->n, m = observe ? b->nout : b->nin;
    if (m == 0)
        return ZW_OK;
    double *columns = allocate_doubles(s, n * m);
    *value = ZW_NEW(s->result, double, n + 1);
    *reached = ZW_NEW(s->result, bool, n + 1);
    if (s->work.failed || s->result->failed)
        return zw_out_of_memory(s->err, NULL);
    balanced_columns(s, observe, b, columns);
    for (int j = 0; j < n; j++) {
        ZW_TRY(hautus_distance(s, observe, m, columns, j, *value + j));
        (*reached)[j] = (*value)[j] > fmax(HAUTUS_ROUNDOFF, eigenvalue_uncertainty(s, j));
    }
    double *V = allocate_doubles(s, n * n);
    if (!V)
        return zw_out_of_memory(s->err, NULL);
    *dimension = zw_dense_reach(n, s->A, observe, m, columns, NEW_DIRECTION, V);
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------------
 * main */

static zw_status allocate_spectrum(spectrum *s) {
    zw_spectrum *out = s->out;
    int n = s->n, nx = s->states->nx;
    double **square[] = {&out->right_re, &out->right_im, &out->left_re, &out->left_im,
                         &out->participation},
           **line[] = {&out->re, &out->im, &out->condition};
    for (int i = 0; i < 5; i++)
        *square[i] = ZW_NEW(s->result, double, n *n + 1);
    for (int i = 0; i < 3; i++)
        *line[i] = ZW_NEW(s->result, double, n + 1);
    out->mode_re = ZW_NEW(s->result, double, nx *n + 1);
    out->mode_im = ZW_NEW(s->result, double, nx *n + 1);
    out->open = ZW_NEW(s->result, bool, n + 1);
    s->order = ZW_NEW(&s->work, int, n + 1);
    s->A = allocate_doubles(s, n * n);
    s->scale = allocate_doubles(s, n);
    return s->work.failed || zw_arena_status(s->result, s->err);
}

static zw_status find_participation(spectrum *s, const zw_inout *b) {
    zw_spectrum *out = s->out;
    ZW_TRY(allocate_spectrum(s));
    if (!zw_dense_eigenvalues(&s->work, s->n, s->states->A_eta, &s->e))
        return zw_dense_failure(&s->work, s->err);
    out->nzero = s->states->nzero;
    ZW_TRY(set_zeros(s));
    zw_dense_order(s->n, s->e.re, s->e.im, s->order);
    s->pace = fmax(zw_dense_norm(s->states->norbit * s->states->norbit, s->states->orbit_A),
                   zw_dense_norm(s->n * s->n, s->states->A_eta));
    s->pace = s->pace > PACE_MIN ? s->pace : 1;
    for (int j = 0; j < s->n; j++) {
        fill_vectors(s, j);
        ZW_TRY(fill_mode(s, j));
    }
    balance_matrix(s);
    if (!b)
        return ZW_OK;
    ZW_TRY(
        measure_reach(s, false, b, &out->controllable, &out->is_controllable, &out->ncontrollable));
    return measure_reach(s, true, b, &out->observable, &out->is_observable, &out->nobservable);
}

zw_status zw_spectrum_find(zw_spectrum *out, const zw_states *states, const zw_inout *b,
                           zw_error *err) {
    zw_allocator alloc = states->memory->arena.alloc;
    spectrum s = {.out = out, .states = states, .n = states->n, .err = err};
    *out = (zw_spectrum){.n = states->n};
    out->memory = zw_result_arena_create(&alloc);
    if (!out->memory)
        return zw_out_of_memory(err, NULL);
    zw_arena_init(&s.work, &alloc);
    s.result = &out->memory->arena;
    zw_status status = find_participation(&s, b);
    zw_arena_clear(&s.work);
    if (status < 0)
        zw_spectrum_clear(out);
    return status;
}

void zw_spectrum_clear(zw_spectrum *s) {
    zw_result_arena_destroy(s->memory);
    *s = (zw_spectrum){0};
}
