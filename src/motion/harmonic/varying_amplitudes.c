/* SPDX-License-Identifier: MIT */
/* M, F and F_Z of slowly varying amplitudes from the points of a period: with the derivatives k, c,
 * m of row i with respect to y_j, y_j', y_j'' and the functions e_b = cos(h tau), sin(h tau),
 *
 *     F_Z: <e_a, k e_b + c w e_b' + m w^2 e_b''>          M: <e_a, c e_b + 2 m w e_b'>
 *
 * for y' = sum Z_b w e_b' + Z_b' e_b, y'' = sum Z_b w^2 e_b'' + 2 Z_b' w e_b'; with van der Pol's
 * condition M is <e_a, m w e_b'>.
 *
 * M is singular where unknowns follow without delay: multipliers, means without damping. So the
 * eigenvalues s of F_Z z = -s M z are computed from those, theta, of (F_Z + sigma M)^-1 M, s =
 * sigma - 1/theta, where theta = 0 belongs to unknowns without delay. Holonomic constraints give
 * such zeros in chains of two, which rounding moves by its root: sizes below THETA_ZERO count as
 * zero. */
#include "zwang/harmonic.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "num/linear/dense.h"
#include "period.h"

/* sigma theta that counts as zero: the root of 1e-10, rounding of a double zero with condition
 * 5e5 */
#define THETA_ZERO 1e-5
#define SHIFT_RATIO 0.7391 /* sigma/w: a number that is unlikely to be an eigenvalue */
/* relative to the size of the matrix, times the condition number of the eigenvalue: 4.5 eps */
#define EIGENVALUE_ROUNDOFF 1e-15

struct zw_slow {
    zw_allocator alloc;
    zw_arena arena;
    zw_period period;
    bool van_der_pol;
    int n;        /* number of coefficients of all functions */
    double *rows; /* functions x S */
    /* coefficients x S: e_b and its derivatives with respect to tau */
    double *basis[3];
    double *series[3];                     /* S: k, c, m */
    double *value, *projection;            /* S; coefficients of one function */
    double *F, *M, *J, *work, *transposed; /* n, n x n */
    double *re, *im, *error;
};

void zw_slow_options_init(zw_slow_options *options, size_t size) {
    const zw_slow_options all = {.size = size};
    zw_options_begin(options, size, &all, sizeof all);
}

static zw_status build_slow(zw_slow *s, const zw_kernel *kernel, const zw_slow_options *o,
                            zw_error *err) {
    if (o->van_der_pol && o->nharmonic && o->harmonic[0] == 0)
        return zw_fail(err, ZW_E_OPTION, "by the condition of van der Pol a mean has no rate");
    ZW_TRY(
        zw_period_make(&s->period, &s->arena, kernel, o->nharmonic, o->harmonic, o->samples, err));
    ZW_TRY(zw_period_reject_levels(&s->period, "the study of slow amplitudes", err));
    const zw_fourier *f = &s->period.fourier;
    int S = f->samples, n = s->period.n * f->n;
    s->n = n;
    s->van_der_pol = o->van_der_pol;
    s->rows = ZW_NEW(&s->arena, double, s->period.n *S + 1);
    s->value = ZW_NEW(&s->arena, double, S);
    s->projection = ZW_NEW(&s->arena, double, f->n + 1);
    double **vector[] = {&s->F, &s->re, &s->im, &s->error},
           **matrix[] = {&s->M, &s->J, &s->work, &s->transposed};
    for (int i = 0; i < 4; i++) {
        *vector[i] = ZW_NEW(&s->arena, double, n + 1);
        *matrix[i] = ZW_NEW(&s->arena, double, n *n + 1);
    }
    for (int i = 0; i < 3; i++) {
        s->basis[i] = ZW_NEW(&s->arena, double, f->n *S + 1);
        s->series[i] = ZW_NEW(&s->arena, double, S);
    }
    if (s->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int b = 0; b < f->n; b++) {
        memset(s->projection, 0, sizeof(double) * (size_t)f->n);
        s->projection[b] = 1;
        for (int order = 0; order < 3; order++)
            zw_fourier_values(f, s->projection, order, s->basis[order] + (size_t)(b * S));
    }
    return ZW_OK;
}

zw_status zw_slow_create(zw_slow **out, const zw_kernel *kernel, const zw_slow_options *options,
                         zw_error *err) {
    zw_slow_options o = zw_slow_options_default();
    zw_allocator alloc = kernel->alloc.fn ? kernel->alloc : zw_allocator_default();
    *out = NULL;
    ZW_TRY(zw_options_adopt(&o, sizeof o, options, "zw_slow_options", err));
    zw_slow *s = zw_allocate(&alloc, sizeof *s);
    if (!s)
        return zw_out_of_memory(err, NULL);
    *s = (zw_slow){.alloc = alloc};
    zw_arena_init(&s->arena, &alloc);
    zw_status status = build_slow(s, kernel, &o, err);
    if (status < 0)
        zw_slow_destroy(s);
    else
        *out = s;
    return status;
}

void zw_slow_destroy(zw_slow *s) {
    if (!s)
        return;
    zw_allocator alloc = s->alloc;
    zw_arena_clear(&s->arena);
    zw_release(&alloc, s, sizeof *s);
}

int zw_slow_size(const zw_slow *s) {
    return s->n;
}

int zw_slow_coefficients(const zw_slow *s) {
    return s->period.fourier.n;
}

void zw_slow_set(zw_slow *s, const double *p, double w) {
    zw_period_set(&s->period, p, w);
}

/* ------------------------------------------------------------------------------------ F, M, F_Z */

/* puts the harmonics of s->value into column b of block (i, j) of a matrix */
static void put_column(zw_slow *s, int i, int j, int b, double *matrix) {
    const zw_fourier *f = &s->period.fourier;
    zw_fourier_project(f, s->value, s->projection);
    for (int a = 0; a < f->n; a++)
        matrix[(size_t)(i * f->n + a) * (size_t)s->n + (size_t)(j * f->n + b)] = s->projection[a];
}

static void fill_block(zw_slow *s, int i, int j, const zw_period_kind kind[3], double *M,
                       double *J) {
    const zw_fourier *f = &s->period.fourier;
    int S = f->samples;
    double w = s->period.w;
    const double *k = s->series[0], *c = s->series[1], *m = s->series[2];
    for (int b = 0; b < f->n; b++) {
        const double *e = s->basis[0] + (size_t)(b * S), *e1 = s->basis[1] + (size_t)(b * S),
                     *e2 = s->basis[2] + (size_t)(b * S);
        if (J) {
            for (int t = 0; t < S; t++)
                s->value[t] = k[t] * e[t] + c[t] * w * e1[t] + m[t] * w * w * e2[t];
            put_column(s, i, j, b, J);
        }
        if (!M || (kind[1] == ZW_SERIES_ZERO && kind[2] == ZW_SERIES_ZERO))
            continue;
        for (int t = 0; t < S; t++)
            s->value[t] = s->van_der_pol ? m[t] * w * e1[t] : c[t] * e[t] + 2 * m[t] * w * e1[t];
        put_column(s, i, j, b, M);
    }
}

void zw_slow_at(zw_slow *s, const double *Z, double *F, double *M, double *F_Z) {
    const zw_fourier *f = &s->period.fourier;
    size_t square = sizeof(double) * (size_t)s->n * (size_t)s->n;
    zw_period_move(&s->period, Z);
    if (F) {
        zw_period_rows(&s->period, s->rows);
        for (int i = 0; i < s->period.n; i++)
            zw_fourier_project(f, s->rows + (size_t)(i * f->samples), F + (size_t)(i * f->n));
    }
    if (!M && !F_Z)
        return;
    zw_period_derive(&s->period);
    if (M)
        memset(M, 0, square);
    if (F_Z)
        memset(F_Z, 0, square);
    for (int i = 0; i < s->period.n; i++)
        for (int j = 0; j < s->period.n; j++) {
            zw_period_kind kind[3];
            for (int order = 0; order < 3; order++)
                kind[order] = zw_period_series(&s->period, i, j, order, s->series[order]);
            if (kind[0] != ZW_SERIES_ZERO || kind[1] != ZW_SERIES_ZERO || kind[2] != ZW_SERIES_ZERO)
                fill_block(s, i, j, kind, M, F_Z);
        }
}

/* ---------------------------------------------------------------------------------- eigenvalues */

static void transpose_matrix(int n, const double *a, double *out) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[j * n + i] = a[i * n + j];
}

/* scales the rows to equal size, which changes no solution */
static void balance_rows(int n, double *a, double *b) {
    for (int i = 0; i < n; i++) {
        double most = 0;
        for (int j = 0; j < n; j++)
            most = fmax(most, fabs(a[i * n + j]));
        for (int j = 0; j < n && most > 0; j++) {
            a[i * n + j] /= most;
            b[i * n + j] /= most;
        }
    }
}

/* B <- A^-1 B (n x n); A is overwritten. zw_dense_divide solves X A' = B'. */
static void solve_left(int n, double *A, double *B, double *work) {
    transpose_matrix(n, A, work);
    memcpy(A, work, sizeof(double) * (size_t)n * (size_t)n);
    transpose_matrix(n, B, work);
    zw_dense_divide(n, n, A, work);
    transpose_matrix(n, work, B);
}

static void sort_spectrum(zw_slow_spectrum *out) {
    for (int i = 1; i < out->n; i++) {
        double re = out->re[i], im = out->im[i], error = out->error[i];
        int k = i;
        for (; k > 0 && (out->re[k - 1] < re || (out->re[k - 1] == re && out->im[k - 1] < im));
             k--) {
            out->re[k] = out->re[k - 1];
            out->im[k] = out->im[k - 1];
            out->error[k] = out->error[k - 1];
        }
        out->re[k] = re;
        out->im[k] = im;
        out->error[k] = error;
    }
}

zw_status zw_slow_eigenvalues(zw_slow *s, const double *Z, zw_slow_spectrum *out, zw_error *err) {
    int n = s->n;
    double sigma = SHIFT_RATIO * s->period.w;
    zw_dense_eigen e;
    *out = (zw_slow_spectrum){.re = s->re, .im = s->im, .error = s->error};
    zw_slow_at(s, Z, NULL, s->M, s->J);
    for (int i = 0; i < n * n; i++)
        s->J[i] += sigma * s->M[i];
    balance_rows(n, s->J, s->M);
    solve_left(n, s->J, s->M, s->transposed);
    for (int i = 0; i < n * n; i++)
        if (!isfinite(s->M[i]))
            return zw_fail(err, ZW_E_SINGULAR, "the equations of the amplitudes are singular");
    zw_arena_mark mark = zw_arena_mark_now(&s->arena);
    if (!zw_dense_eigenvalues(&s->arena, n, s->M, &e))
        return zw_dense_failure(&s->arena, err);
    double size = zw_dense_norm(n * n, s->M);
    for (int i = 0; i < n; i++) {
        double square = e.re[i] * e.re[i] + e.im[i] * e.im[i];
        if (sqrt(square) * sigma < THETA_ZERO)
            continue;
        out->re[out->n] = sigma - e.re[i] / square;
        out->im[out->n] = e.im[i] / square;
        out->error[out->n++] = EIGENVALUE_ROUNDOFF * size * e.condition[i] / square;
    }
    zw_arena_release(&s->arena, mark);
    sort_spectrum(out);
    return ZW_OK;
}

zw_status zw_slow_rates(zw_slow *s, const double *Z, double *rate, zw_error *err) {
    int n = s->n;
    zw_slow_at(s, Z, rate, s->M, NULL);
    for (int i = 0; i < n; i++) {
        double most = 0;
        for (int j = 0; j < n; j++)
            most = fmax(most, fabs(s->M[i * n + j]));
        if (!(most > 0))
            return zw_fail(err, ZW_E_SINGULAR,
                           "some amplitudes have no rates: multipliers of constraints, or means of "
                           "what has no damping");
        for (int j = 0; j < n; j++)
            s->M[i * n + j] /= most;
        rate[i] /= -most;
    }
    transpose_matrix(n, s->M, s->transposed);
    zw_dense_divide(1, n, s->transposed, rate);
    for (int i = 0; i < n; i++)
        if (!isfinite(rate[i]))
            return zw_fail(err, ZW_E_SINGULAR,
                           "the rates of the amplitudes are not determined here");
    return ZW_OK;
}
