/* SPDX-License-Identifier: MIT */
/* A step of Newton's method with more harmonics than those that a motion has been solved with,
 * without the matrix of all of them: by the method of generalised minimal residuals (GMRES, Y.
 * Saad, M. H. Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856). The product of the matrix and a
 * vector is evaluated at the points of the phases, where forces are derivatives times functions.
 * The matrix is preconditioned by two parts of it: that of the harmonics that are known, which
 * is factored, and of every other harmonic the block that constant derivatives would leave,
 * their mean values:
 *
 *     K(w) = <r_y> + i w <r_y'> - w^2 <r_y''>.
 *
 * For high harmonics and moderate changes of the derivatives this is nearly the matrix itself. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/interrupt.h"
#include "branch/curve.h"
#include "harmonic.h"
#include "motion/harmonic/balance.h"

enum { VECTORS = 120 };
#define SMALL 1e-4     /* of the first residual: an estimate needs no more */
#define SINGULAR 1e-12 /* of the largest entry of a block: its smallest pivot */

typedef struct step {
    zw_harmonic *coarse, *fine;
    int n, size;           /* functions; coefficients and a */
    int from, to;          /* harmonics of `fine` that are those of `coarse`: from .. to - 1 */
    int at;                /* the first coefficient of these */
    const double *row;     /* size: the plane */
    double *column;        /* n x fine: in a */
    double *y[3];          /* S: a function and its derivatives */
    double complex *block; /* of every further harmonic, n x n, factored */
    int *pivot;            /* n of each */
    double *part;          /* coarse */
} step;

/* ----------------------------------------------------------------------------------- the matrix */

/* r_x u and r_a times the last one; then the row */
static void multiply(const step *s, const double *u, double *out) {
    zw_harmonic *h = s->fine;
    zw_period *p = &h->period;
    const zw_fourier *f = &p->fourier;
    int S = f->samples;
    memset(h->rows, 0, sizeof(double) * (size_t)(s->n * S));
    for (int j = 0; j < s->n; j++) {
        for (int order = 0; order < 3; order++) {
            zw_fourier_values(f, u + (size_t)(j * f->n), order, s->y[order]);
            double by = order == 0 ? 1 : order == 1 ? h->w : h->w * h->w;
            for (int i = 0; i < S; i++)
                s->y[order][i] *= by;
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
        if (!(cabs(A[best * n + k]) > SINGULAR * largest))
            return false;
        for (int j = 0; j < n && best != k; j++) {
            double complex keep = A[k * n + j];
            A[k * n + j] = A[best * n + j];
            A[best * n + j] = keep;
        }
        for (int i = k + 1; i < n; i++) {
            double complex by = A[i * n + k] /= A[k * n + k];
            for (int j = k + 1; j < n; j++)
                A[i * n + j] -= by * A[k * n + j];
        }
    }
    return true;
}

static void solve_block(int n, const double complex *A, const int *pivot, double complex *x) {
    for (int k = 0; k < n; k++) {
        double complex keep = x[k];
        x[k] = x[pivot[k]];
        x[pivot[k]] = keep;
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
static bool make_blocks(step *s) {
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
        if ((i < s->from || i >= s->to) &&
            !factor_block(n, s->block + (size_t)(i * n * n), s->pivot + (size_t)(i * n)))
            return false;
    return true;
}

/* u in place */
static void precondition(const step *s, double complex *x, double *u) {
    const zw_fourier *f = &s->fine->period.fourier, *g = &s->coarse->period.fourier;
    int n = s->n;
    for (int i = 0; i < n; i++)
        memcpy(s->part + (size_t)(i * g->n), u + (size_t)(i * f->n + s->at),
               sizeof(double) * (size_t)g->n);
    s->part[n * g->n] = u[s->size - 1];
    zw_blocks_solve(s->coarse->blocks, s->part);
    for (int i = 0; i < n; i++)
        memcpy(u + (size_t)(i * f->n + s->at), s->part + (size_t)(i * g->n),
               sizeof(double) * (size_t)g->n);
    u[s->size - 1] = s->part[n * g->n];
    for (int k = s->from > 0 ? 0 : s->to; k < f->nharmonic; k += k + 1 == s->from ? s->to : 1) {
        int at = zw_fourier_first(f, k);
        bool both =
            f->harmonic[k] != 0; /* a cos + b sin is the real part of (a - i b) exp(i w t) */
        for (int i = 0; i < n; i++)
            x[i] = u[i * f->n + at] - (both ? I * u[i * f->n + at + 1] : 0);
        solve_block(n, s->block + (size_t)(k * n * n), s->pivot + (size_t)(k * n), x);
        for (int i = 0; i < n; i++) {
            u[i * f->n + at] = creal(x[i]);
            if (both)
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

/* b (size), preconditioned, is replaced by the solution; false: not within VECTORS products */
static bool iterate(const step *s, zw_arena *arena, double complex *x, double *b) {
    int size = s->size, m = 0;
    double *V[VECTORS + 1], H[VECTORS + 1][VECTORS], c[VECTORS], d[VECTORS], g[VECTORS + 1];
    double first = sqrt(dot(size, b, b));
    if (first == 0)
        return true;
    g[0] = first;
    for (V[0] = ZW_NEW(arena, double, size); m < VECTORS && fabs(g[m]) > SMALL * first; m++) {
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
        for (int i = 0; i < m; i++) { /* rotations that make H triangular */
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
    if (fabs(g[m]) > SMALL * first)
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

static zw_status make_room(step *s, zw_arena *arena, zw_error *err) {
    const zw_fourier *f = &s->fine->period.fourier;
    int all = f->nharmonic;
    s->column = ZW_NEW(arena, double, s->size);
    s->part = ZW_NEW(arena, double, s->n * s->coarse->period.fourier.n + 1);
    s->block = ZW_NEW(arena, double complex, all * s->n * s->n + 1);
    s->pivot = ZW_NEW(arena, int, all * s->n + 1);
    for (int i = 0; i < 3; i++)
        s->y[i] = ZW_NEW(arena, double, f->samples);
    return zw_arena_status(arena, err);
}

/* the matrix of the known harmonics at the first coefficients of x, in the same plane */
static zw_status factor_coarse(step *s, zw_arena *arena, const double *x, double a, zw_error *err) {
    const zw_fourier *f = &s->fine->period.fourier, *g = &s->coarse->period.fourier;
    zw_cont_problem p = zw_harmonic_problem(s->coarse);
    double *own = ZW_NEW(arena, double, p.n + 1), *row = ZW_NEW(arena, double, p.n + 1);
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < s->n; i++) {
        memcpy(own + (size_t)(i * g->n), x + (size_t)(i * f->n + s->at),
               sizeof(double) * (size_t)g->n);
        memcpy(row + (size_t)(i * g->n), s->row + (size_t)(i * f->n + s->at),
               sizeof(double) * (size_t)g->n);
    }
    row[p.n] = s->row[s->size - 1];
    zw_status status = p.residual(p.self, own, a, s->part, err);
    return status == ZW_OK ? p.factor(p.self, own, a, row, err) : status;
}

static zw_status solve(step *s, zw_arena *arena, const double *x, double a, double *b,
                       zw_error *err) {
    zw_harmonic *h = s->fine;
    const zw_fourier *f = &h->period.fourier;
    ZW_TRY(make_room(s, arena, err));
    double complex *room = ZW_NEW(arena, double complex, s->n + 1);
    zw_status status = factor_coarse(s, arena, x, a, err);
    if (status != ZW_OK || !room)
        return room ? status : zw_out_of_memory(err, NULL);
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
    precondition(s, room, b);
    bool done = iterate(s, arena, room, b);
    ZW_TRY(zw_interrupt_check(err));
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    return done ? ZW_OK : ZW_RETRY;
}

zw_status zw_harmonic_step(zw_harmonic *coarse, zw_harmonic *fine, const double *x, double a,
                           const double *row, double *b, zw_error *err) {
    const zw_fourier *f = &fine->period.fourier, *g = &coarse->period.fourier;
    int mean = f->harmonic[0] == 0 && g->harmonic[0] != 0; /* in `fine` alone */
    step s = {.coarse = coarse,
              .fine = fine,
              .n = fine->period.n,
              .from = mean,
              .to = mean + g->nharmonic,
              .at = mean,
              .size = zw_harmonic_problem(fine).n + 1,
              .row = row};
    if (fine->nfree || f->nharmonic < s.to)
        return ZW_RETRY;
    zw_arena_mark mark = zw_arena_mark_now(&fine->arena);
    zw_status status = solve(&s, &fine->arena, x, a, b, err);
    fine->arena.failed = false;
    zw_arena_release(&fine->arena, mark);
    return status;
}
