/* SPDX-License-Identifier: MIT */
/* A Newton step with more harmonics than a motion has been solved with, without the matrix of all
 * of them: by the method of generalised minimal residuals (GMRES, Y. Saad, M. H. Schultz, SIAM J.
 * Sci. Stat. Comput. 7 (1986) 856). The product of the matrix and a vector is evaluated at the
 * points of the phases, where forces are derivatives times functions. The preconditioner has two
 * parts: the factored matrix of the known harmonics, and for every other harmonic the block of
 * constant derivatives, their mean values:
 *
 *     K(w) = <r_y> + i w <r_y'> - w^2 <r_y''>.
 *
 * For high harmonics and derivatives that vary moderately this is nearly the matrix itself. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/interrupt.h"
#include "harmonic.h"

enum { VECTORS = 120 };
/* relative to the first residual: the step estimates what further harmonics add, of which four
 * digits suffice */
#define RESIDUAL_REDUCTION 1e-4
/* relative to the largest entry of a block: its smallest pivot (4500 eps) */
#define BLOCK_SINGULAR 1e-12

typedef struct newton_step {
    zw_harmonic *coarse, *fine;
    int n, size; /* functions; coefficients and a */
    /* the harmonics of `fine` that `coarse` has, too: first_known .. first_unknown - 1 */
    int first_known, first_unknown;
    int at;                /* first coefficient of these */
    const double *row;     /* size: normal of the plane of the solution */
    double *column;        /* n x fine.n: derivative with respect to a */
    double *y[3];          /* S: a function and its derivatives */
    double complex *block; /* blocks of the further harmonics, n x n each, factored */
    int *pivot;            /* n for each block */
    double *coarse_vector; /* coefficients of `coarse`, and a */
} newton_step;

/* ----------------------------------------------------------------------------------- the matrix */

/* out = r_x u + r_a times the last entry of u; then the row */
static void multiply(const newton_step *s, const double *u, double *out) {
    zw_harmonic *h = s->fine;
    zw_period *p = &h->period;
    const zw_fourier *f = &p->fourier;
    int S = f->samples;
    memset(h->rows, 0, sizeof(double) * (size_t)(s->n * S));
    for (int j = 0; j < s->n; j++) {
        for (int order = 0; order < 3; order++) {
            zw_fourier_values(f, u + (size_t)(j * f->n), order, s->y[order]);
            double factor = order == 0 ? 1 : order == 1 ? h->w : h->w * h->w;
            for (int i = 0; i < S; i++)
                s->y[order][i] *= factor;
        }
        for (int k = 0; k < p->npair; k++) {
            const zw_period_pair *pair = &p->pair[k];
            double *to = h->rows + (size_t)(pair->row * S);
            for (int order = 0; order < 3 && pair->function == j; order++) {
                const zw_period_entry *e = &pair->entry[order];
                double value = zw_period_value(e);
                if (e->kind == ZW_SERIES_VARIES)
                    zw_period_gather(p, e, h->series);
                for (int i = 0; i < S && e->kind != ZW_SERIES_ZERO; i++)
                    to[i] += (e->kind == ZW_SERIES_VARIES ? h->series[i] : value) * s->y[order][i];
            }
        }
    }
    int all = s->size - 1;
    out[all] = s->row[all] * u[all];
    for (int i = 0; i < s->n; i++)
        zw_fourier_project(f, h->rows + (size_t)(i * S), out + (size_t)(i * f->n));
    for (int i = 0; i < all; i++) {
        out[i] += s->column[i] * u[all];
        out[all] += s->row[i] * u[i];
    }
}

/* --------------------------------------------------------------------------- the preconditioner */

static bool factor_block(int n, double complex *A, int *pivot) {
    double largest = 0;
    for (int i = 0; i < n * n; i++)
        largest = fmax(largest, cabs(A[i]));
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            best = cabs(A[i * n + k]) > cabs(A[best * n + k]) ? i : best;
        pivot[k] = best;
        if (!(cabs(A[best * n + k]) > BLOCK_SINGULAR * largest))
            return false;
        for (int j = 0; j < n && best != k; j++) {
            double complex swap = A[k * n + j];
            A[k * n + j] = A[best * n + j];
            A[best * n + j] = swap;
        }
        for (int i = k + 1; i < n; i++) {
            double complex factor = A[i * n + k] /= A[k * n + k];
            for (int j = k + 1; j < n; j++)
                A[i * n + j] -= factor * A[k * n + j];
        }
    }
    return true;
}

static void solve_block(int n, const double complex *A, const int *pivot, double complex *x) {
    for (int k = 0; k < n; k++) {
        double complex swap = x[k];
        x[k] = x[pivot[k]];
        x[pivot[k]] = swap;
        for (int i = k + 1; i < n; i++)
            x[i] -= A[i * n + k] * x[k];
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            x[k] -= A[k * n + j] * x[j];
        x[k] /= A[k * n + k];
    }
}

static double mean_of(zw_harmonic *h, const zw_period_entry *e) {
    double sum = 0;
    if (e->kind != ZW_SERIES_VARIES)
        return zw_period_value(e);
    zw_period_gather(&h->period, e, h->series);
    for (int i = 0; i < h->period.fourier.samples; i++)
        sum += h->series[i];
    return sum / h->period.fourier.samples;
}

/* K of every further harmonic; false: one of them is singular */
static bool make_blocks(newton_step *s) {
    zw_harmonic *h = s->fine;
    const zw_fourier *f = &h->period.fourier;
    int n = s->n;
    memset(s->block, 0, sizeof *s->block * (size_t)(f->nharmonic * n * n));
    for (int k = 0; k < h->period.npair; k++) {
        const zw_period_pair *pair = &h->period.pair[k];
        for (int order = 0; order < 3; order++) {
            double mean = mean_of(h, &pair->entry[order]);
            for (int i = 0; i < f->nharmonic && mean != 0; i++) {
                double w = f->rate[i] * h->w;
                s->block[(size_t)(i * n * n + pair->row * n + pair->function)] +=
                    mean * (order == 0   ? 1
                            : order == 1 ? I * w
                                         : -w * w);
            }
        }
    }
    for (int i = 0; i < f->nharmonic; i++)
        if ((i < s->first_known || i >= s->first_unknown) &&
            !factor_block(n, s->block + (size_t)(i * n * n), s->pivot + (size_t)(i * n)))
            return false;
    return true;
}

/* applies the preconditioner to u in place */
static void precondition(const newton_step *s, double complex *x, double *u) {
    const zw_fourier *f = &s->fine->period.fourier, *g = &s->coarse->period.fourier;
    int n = s->n;
    for (int i = 0; i < n; i++)
        memcpy(s->coarse_vector + (size_t)(i * g->n), u + (size_t)(i * f->n + s->at),
               sizeof(double) * (size_t)g->n);
    s->coarse_vector[n * g->n] = u[s->size - 1];
    zw_blocks_solve(s->coarse->blocks, s->coarse_vector);
    for (int i = 0; i < n; i++)
        memcpy(u + (size_t)(i * f->n + s->at), s->coarse_vector + (size_t)(i * g->n),
               sizeof(double) * (size_t)g->n);
    u[s->size - 1] = s->coarse_vector[n * g->n];
    for (int k = s->first_known > 0 ? 0 : s->first_unknown; k < f->nharmonic;
         k += k + 1 == s->first_known ? s->first_unknown : 1) {
        int at = zw_fourier_first(f, k);
        bool is_pair =
            f->harmonic[k] != 0; /* a cos + b sin is the real part of (a - i b) exp(i w t) */
        for (int i = 0; i < n; i++)
            x[i] = u[i * f->n + at] - (is_pair ? I * u[i * f->n + at + 1] : 0);
        solve_block(n, s->block + (size_t)(k * n * n), s->pivot + (size_t)(k * n), x);
        for (int i = 0; i < n; i++) {
            u[i * f->n + at] = creal(x[i]);
            if (is_pair)
                u[i * f->n + at + 1] = -cimag(x[i]);
        }
    }
}

/* ------------------------------------------------------------------------------------ iteration */

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* replaces b (size), preconditioned, by the solution; false: not found within VECTORS products */
static bool iterate_gmres(const newton_step *s, zw_arena *arena, double complex *x, double *b) {
    int size = s->size, m = 0;
    double *V[VECTORS + 1], H[VECTORS + 1][VECTORS], c[VECTORS], d[VECTORS], g[VECTORS + 1];
    double first = sqrt(dot(size, b, b));
    if (first == 0)
        return true;
    g[0] = first;
    for (V[0] = ZW_NEW(arena, double, size); m < VECTORS && fabs(g[m]) > RESIDUAL_REDUCTION * first;
         m++) {
        V[m + 1] = ZW_NEW(arena, double, size);
        if (arena->failed || zw_interrupted())
            return false;
        for (int i = 0; i < size && m == 0; i++)
            V[0][i] = b[i] / first;
        multiply(s, V[m], V[m + 1]);
        precondition(s, x, V[m + 1]);
        for (int i = 0; i <= m; i++) {
            H[i][m] = dot(size, V[i], V[m + 1]);
            for (int k = 0; k < size; k++)
                V[m + 1][k] -= H[i][m] * V[i][k];
        }
        double length = H[m + 1][m] = sqrt(dot(size, V[m + 1], V[m + 1]));
        if (!isfinite(length))
            return false;
        for (int k = 0; k < size && length > 0; k++)
            V[m + 1][k] /= length;
        for (int i = 0; i < m; i++) { /* rotations make H triangular */
            double u = H[i][m], v = H[i + 1][m];
            H[i][m] = c[i] * u + d[i] * v;
            H[i + 1][m] = c[i] * v - d[i] * u;
        }
        double r = hypot(H[m][m], H[m + 1][m]);
        if (!(r > 0))
            return false;
        c[m] = H[m][m] / r;
        d[m] = H[m + 1][m] / r;
        H[m][m] = r;
        g[m + 1] = -d[m] * g[m];
        g[m] *= c[m];
    }
    if (fabs(g[m]) > RESIDUAL_REDUCTION * first)
        return false;
    memset(b, 0, sizeof(double) * (size_t)size);
    for (int i = m - 1; i >= 0; i--) {
        for (int k = i + 1; k < m; k++)
            g[i] -= H[i][k] * g[k];
        g[i] /= H[i][i];
        for (int k = 0; k < size; k++)
            b[k] += g[i] * V[i][k];
    }
    return true;
}

static zw_status allocate_step(newton_step *s, zw_arena *arena, zw_error *err) {
    const zw_fourier *f = &s->fine->period.fourier;
    int all = f->nharmonic;
    s->column = ZW_NEW(arena, double, s->size);
    s->coarse_vector = ZW_NEW(arena, double, s->n * s->coarse->period.fourier.n + 1);
    s->block = ZW_NEW(arena, double complex, all * s->n * s->n + 1);
    s->pivot = ZW_NEW(arena, int, all * s->n + 1);
    for (int i = 0; i < 3; i++)
        s->y[i] = ZW_NEW(arena, double, f->samples);
    return zw_arena_status(arena, err);
}

/* factors the matrix of the known harmonics at their coefficients in x, in the same plane */
static zw_status factor_coarse(newton_step *s, zw_arena *arena, const double *x, double a,
                               zw_error *err) {
    const zw_fourier *f = &s->fine->period.fourier, *g = &s->coarse->period.fourier;
    zw_cont_problem p = zw_harmonic_problem(s->coarse);
    double *coarse_x = ZW_NEW(arena, double, p.n + 1), *row = ZW_NEW(arena, double, p.n + 1);
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < s->n; i++) {
        memcpy(coarse_x + (size_t)(i * g->n), x + (size_t)(i * f->n + s->at),
               sizeof(double) * (size_t)g->n);
        memcpy(row + (size_t)(i * g->n), s->row + (size_t)(i * f->n + s->at),
               sizeof(double) * (size_t)g->n);
    }
    row[p.n] = s->row[s->size - 1];
    zw_status status = p.residual(p.self, coarse_x, a, s->coarse_vector, err);
    return status == ZW_OK ? p.factor(p.self, coarse_x, a, row, err) : status;
}

static zw_status solve(newton_step *s, zw_arena *arena, const double *x, double a, double *b,
                       zw_error *err) {
    zw_harmonic *h = s->fine;
    const zw_fourier *f = &h->period.fourier;
    ZW_TRY(allocate_step(s, arena, err));
    double complex *x_block = ZW_NEW(arena, double complex, s->n + 1);
    zw_status status = factor_coarse(s, arena, x, a, err);
    if (status != ZW_OK || !x_block)
        return x_block ? status : zw_out_of_memory(err, NULL);
    status = zw_harmonic_problem(h).residual(h, x, a, b, err);
    if (status != ZW_OK)
        return status;
    zw_period_derive(&h->period);
    zw_period_slope(&h->period, h->w_slope, h->rows);
    for (int i = 0; i < s->n; i++)
        zw_fourier_project(f, h->rows + (size_t)(i * f->samples), s->column + (size_t)(i * f->n));
    b[s->size - 1] = 0;
    if (!make_blocks(s))
        return ZW_RETRY;
    precondition(s, x_block, b);
    bool done = iterate_gmres(s, arena, x_block, b);
    ZW_TRY(zw_interrupt_check(err));
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    return done ? ZW_OK : ZW_RETRY;
}

zw_status zw_harmonic_step(zw_harmonic *coarse, zw_harmonic *fine, const double *x, double a,
                           const double *row, double *b, zw_error *err) {
    const zw_fourier *f = &fine->period.fourier, *g = &coarse->period.fourier;
    int mean = f->harmonic[0] == 0 && g->harmonic[0] != 0; /* the mean is in `fine` alone */
    newton_step s = {.coarse = coarse,
                     .fine = fine,
                     .n = fine->period.n,
                     .first_known = mean,
                     .first_unknown = mean + g->nharmonic,
                     .at = mean,
                     .size = zw_harmonic_problem(fine).n + 1,
                     .row = row};
    if (fine->nfree || f->nharmonic < s.first_unknown)
        return ZW_RETRY;
    zw_arena_mark mark = zw_arena_mark_now(&fine->arena);
    zw_status status = solve(&s, &fine->arena, x, a, b, err);
    fine->arena.failed = false;
    zw_arena_release(&fine->arena, mark);
    return status;
}
