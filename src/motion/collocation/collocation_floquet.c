/* SPDX-License-Identifier: MIT */
/* Multipliers of an orbit by collocation, from the relation that remains after elimination
 * (collocation_solve.c) and the closing condition:
 *
 *     G u_0 + H u_N = 0,     mu u_0 = S u_N     =>     -G v = mu (H S^-1) v.
 *
 * Disturbances v lie in the tangent space of the constraints and do not move ignorable coordinates,
 * v = T y: the parts of S u_N in other directions are eliminated from the relation by reflections,
 * and a pencil of the size of y remains, -G y = mu H y. Its rows are orthonormal except for the
 * rows of intervals, so that neither large nor small multipliers make it large. With
 *
 *     nu = (mu - 1)/(mu + s):     -(G + H) y = nu (s H - G) y,
 *
 * zero and infinity become -1/s and 1, and the trivial multiplier 0; s is chosen so that s H - G is
 * regular. An error d of nu is one of d |mu + s|^2/(1 + s) of mu: multipliers beyond 1e8 or below
 * 1e-8 have lost half their digits. So the transfer matrices A_j of the intervals are applied one
 * by one, starting from the basis Q of Schur vectors found so far,
 *
 *     Q_j+1 R_j+1 = A_j Q_j,     Q_0' S Q_N = E,
 *
 * until E has no entries below its blocks of multipliers of about the same size: then they are the
 * eigenvalues of E R_N ... R_1 block by block, each with all the digits that it has in the A_j (A.
 * W. Bojanczyk, G. H. Golub, P. Van Dooren, Proc. SPIE 1770 (1992) 31-42).
 *
 * The error of the A_j themselves is that of the Pade approximation of exp z, (m!)^2/((2m)!
 * (2m+1)!) z^(2m+1), where z^m/(m-1)! is the highest coefficient of the polynomial of slopes,
 * between the directions of a block. Where multipliers are tiny, z is large. */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/option.h"
#include "base/tolerance.h"
#include "collocation.h"
#include "motion/floquet/floquet.h"
#include "motion/segments/periodic.h"
#include "num/linear/dense.h"
#include "num/linear/linalg.h"
#include "num/linear/spectrum.h"

enum { ROUNDS = 12 };
#define ERROR_SAFETY 4.0 /* times estimates of errors, which are those of the leading term */
/* Relative round-off of the operations of one interval, or of an eigenvalue with condition 1. */
#define INTERVAL_ROUNDOFF (32 * DBL_EPSILON)
/* Ratio of pivots: a shift with a larger one is accepted without trying others. */
#define SHIFT_PIVOT 0.05
/* Ratio of sizes of multipliers in different blocks: the iteration converges with this ratio. */
#define BLOCK_RATIO 3.0
/* Entries of E below its blocks, relative to 1: their effect on multipliers is below that of the
 * mesh. */
#define TRIANGULAR ZW_ROUNDOFF_SOLVED

typedef struct multiplier_search {
    zw_colloc *c;
    zw_arena work;
    int n;            /* multipliers */
    double *T;        /* nx x n: the basis at the start */
    double *G, *H;    /* n x n */
    double shift;     /* s */
    double *log_size; /* n: log |mu| */
    zw_error *err;
} multiplier_search;

/* ----------------------------------------------------------------------------------- the pencil */

static zw_status find_basis(multiplier_search *a, const double *x) {
    zw_colloc *c = a->c;
    int nx = c->nx;
    bool *essential = ZW_NEW(&a->work, bool, nx + 1);
    a->T = ZW_NEW(&a->work, double, nx *nx + 1);
    if (a->work.failed)
        return zw_out_of_memory(a->err, NULL);
    for (int i = 0; i < nx; i++) {
        essential[i] = !c->ignorable[i];
        a->n += essential[i];
    }
    if (c->has_manifold) {
        const zw_variation v = {.nx = nx, .essential = essential};
        return zw_variation_basis(&v, &a->work, c->flow, c->start, x, &a->n, a->T, a->err);
    }
    for (int i = 0, k = 0; i < nx; i++)
        if (essential[i])
            a->T[i * a->n + k++] = 1;
    return ZW_OK;
}

/* makes the first columns of X (rows x width) zero below the diagonal by reflections */
static void apply_reflections(int rows, int width, int reduced, double *X) {
    for (int k = 0; k < reduced; k++) {
        double sum = 0;
        for (int r = k; r < rows; r++)
            sum += X[r * width + k] * X[r * width + k];
        double head = X[k * width + k], size = head > 0 ? -sqrt(sum) : sqrt(sum), v0 = head - size;
        if (v0 == 0)
            continue;
        for (int col = k + 1; col < width; col++) {
            double dot = v0 * X[k * width + col];
            for (int r = k + 1; r < rows; r++)
                dot += X[r * width + k] * X[r * width + col];
            dot /= size * v0; /* 1 + v v'/(size v0), v = (v0, ...) */
            X[k * width + col] += dot * v0;
            for (int r = k + 1; r < rows; r++)
                X[r * width + col] += dot * X[r * width + k];
        }
    }
}

/* G and H of y: other directions than T are eliminated */
static zw_status make_pencil(multiplier_search *a) {
    const zw_colloc *c = a->c;
    int nx = c->nx, n = a->n, reduced = nx - n, width = reduced + 2 * n;
    double *X = ZW_NEW(&a->work, double, nx *nx + 1), *S = ZW_NEW(&a->work, double, nx *nx + 1),
           *rows = ZW_NEW(&a->work, double, nx *nx + 1),
           *beside = ZW_NEW(&a->work, double, nx *nx + 1), *tau = ZW_NEW(&a->work, double, nx + 1),
           *all = ZW_NEW(&a->work, double, nx *width + 1);
    int *order = ZW_NEW(&a->work, int, nx + 1);
    a->G = ZW_NEW(&a->work, double, n *n + 1);
    a->H = ZW_NEW(&a->work, double, n *n + 1);
    if (a->work.failed)
        return zw_out_of_memory(a->err, NULL);
    memcpy(X, c->factors.H, sizeof(double) * (size_t)(nx * nx));
    memcpy(S, c->map, sizeof(double) * (size_t)(nx * nx));
    zw_dense_divide(nx, nx, S, X);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < nx; k++)
            rows[i * nx + k] = a->T[k * n + i];
    int rank = zw_num_rows_factor(n, nx, rows, 0, 0, tau, order);
    if (rank != n)
        return zw_fail(a->err, ZW_E_SINGULAR, "constraints are dependent where the orbit begins");
    zw_num_rows_complement(nx, rows, rank, tau, order, beside);
    for (int r = 0; r < nx; r++)
        for (int k = 0; k < nx; k++) {
            double *to = all + (size_t)(r * width), g = c->factors.G[r * nx + k], h = X[r * nx + k];
            for (int i = 0; i < reduced; i++)
                to[i] += h * beside[i * nx + k];
            for (int i = 0; i < n; i++) {
                to[reduced + i] += g * a->T[k * n + i];
                to[reduced + n + i] += h * a->T[k * n + i];
            }
        }
    apply_reflections(nx, width, reduced, all);
    for (int r = 0; r < n; r++)
        for (int i = 0; i < n; i++) {
            a->G[r * n + i] = all[(reduced + r) * width + reduced + i];
            a->H[r * n + i] = all[(reduced + r) * width + reduced + n + i];
        }
    return ZW_OK;
}

/* W with eigenvalues nu, with the shift that gives the largest pivots */
static zw_status make_matrix(multiplier_search *a, double *W) {
    static const double shifts[] = {1, 3, 1. / 3, 10, 0.1};
    int n = a->n, tried = (int)(sizeof shifts / sizeof *shifts);
    double best = -1, *M = ZW_NEW(&a->work, double, n *n + 1),
           *side = ZW_NEW(&a->work, double, n *n + 1);
    int *pivot = ZW_NEW(&a->work, int, n + 1);
    if (a->work.failed)
        return zw_out_of_memory(a->err, NULL);
    for (int i = 0; i < tried && best < SHIFT_PIVOT; i++) {
        double s = shifts[i];
        for (int k = 0; k < n * n; k++)
            M[k] = s * a->H[k] - a->G[k];
        double ratio = zw_num_lu(n, M, pivot);
        if (!(ratio > best))
            continue;
        best = ratio;
        a->shift = s;
        for (int k = 0; k < n; k++) /* columns one after the other */
            for (int r = 0; r < n; r++)
                side[k * n + r] = -(a->G[r * n + k] + a->H[r * n + k]);
        zw_num_lu_solve(n, M, pivot, n, side);
        for (int k = 0; k < n; k++)
            for (int r = 0; r < n; r++)
                W[r * n + k] = side[k * n + r];
    }
    return best > 0 ? ZW_OK
                    : zw_fail(a->err, ZW_E_NUMERIC,
                              "the multipliers of the orbit cannot be distinguished");
}

/* ----------------------------------------------------------------------------------- refinement */

/* orthonormalises the rows of Q (n of length nx); R (n x n, upper) if not NULL: old rows = R' new
 * rows */
static void orthonormalise_rows(int n, int nx, double *Q, double *R) {
    for (int k = 0; k < n; k++) {
        double *now = Q + (size_t)(k * nx);
        for (int i = 0; i < n && R; i++)
            R[i * n + k] = 0;
        for (int pass = 0; pass < 2; pass++)
            for (int i = 0; i < k; i++) {
                const double *other = Q + (size_t)(i * nx);
                double dot = 0;
                for (int r = 0; r < nx; r++)
                    dot += now[r] * other[r];
                for (int r = 0; r < nx; r++)
                    now[r] -= dot * other[r];
                if (R)
                    R[i * n + k] += dot;
            }
        double length = zw_dense_norm(nx, now);
        for (int r = 0; r < nx && length > 0; r++)
            now[r] /= length;
        if (R)
            R[k * n + k] = length;
    }
}

typedef struct schur_iteration {
    int n, nx;
    int *first;           /* of column k: the first one of its block */
    int *after;           /* and the first one of the next block */
    double *before, *top; /* n x nx, nx x nx */
    double *Q, *next;     /* n x nx: columns of the basis, stored as rows */
    double *R, *product;  /* n x n: of an interval; of the diagonal blocks */
    double *scale;        /* n: log of what the blocks were divided by, at their first column */
    double *work_matrix;  /* n x n */
    double *E;            /* n x n */
    double *error;        /* n: of the blocks, relative, at their first column */
    double constant, weight[ZW_GAUSS_MAX]; /* of the error; of the highest coefficient */
} schur_iteration;

static void put_blocks(schur_iteration *o, const double *log_size, const double *im) {
    int n = o->n;
    for (int k = 0; k < n; k++) {
        bool same = k > 0 && (log_size[k - 1] - log_size[k] < log(BLOCK_RATIO) ||
                              (im[k] < 0 && im[k - 1] == -im[k]));
        o->first[k] = same ? o->first[k - 1] : k;
    }
    for (int k = n - 1; k >= 0; k--)
        o->after[k] = k + 1 < n && o->first[k + 1] == o->first[k] ? o->after[k + 1] : k + 1;
}

/* product = R product in every block, scaled to size one */
static void multiply_blocks(schur_iteration *o, const double *R) {
    int n = o->n;
    for (int b = 0; b < n; b = o->after[b]) {
        double most = 0;
        for (int i = b; i < o->after[b]; i++)
            for (int j = b; j < o->after[b]; j++) {
                double sum = 0;
                for (int k = b; k < o->after[b]; k++)
                    sum += R[i * n + k] * o->product[k * n + j];
                o->work_matrix[i * n + j] = sum;
                most = fmax(most, fabs(sum));
            }
        most = most > 0 ? most : 1;
        o->scale[b] += log(most);
        for (int i = b; i < o->after[b]; i++)
            for (int j = b; j < o->after[b]; j++)
                o->product[i * n + j] = o->work_matrix[i * n + j] / most;
    }
}

static void set_weights(schur_iteration *o, const zw_gauss *rule) {
    int m = rule->m;
    double factorial = 1;
    o->constant = 1;
    for (int i = 1; i <= m; i++)
        o->constant *= (double)i / (m + i);
    for (int i = 2; i <= 2 * m + 1; i++)
        o->constant /= i;
    for (int i = 2; i < m; i++)
        factorial *= i;
    for (int l = 0; l < m; l++) {
        o->weight[l] = factorial;
        for (int k = 0; k < m; k++)
            o->weight[l] /= k == l ? 1 : rule->c[l] - rule->c[k];
    }
}

/* Adds the errors of interval j, between the bases before and after it. */
static void add_errors(const zw_colloc *c, schur_iteration *o, int j, const double *before,
                       const double *after) {
    int n = o->n, nx = o->nx, m = c->m, size = m * nx;
    const double *D = c->factors.D + (size_t)j * (size_t)size * (size_t)(nx + c->nb);
    double h = zw_colloc_width(c, j), *top = o->top, *image = c->state;
    for (int r = 0; r < nx; r++)
        for (int k = 0; k < nx; k++) {
            double sum = 0;
            for (int l = 0; l < m; l++)
                sum += o->weight[l] * D[k * size + l * nx + r];
            top[r * nx + k] = h * sum;
        }
    for (int b = 0; b < n; b = o->after[b]) {
        double norm = 0, least = INFINITY;
        for (int k = b; k < o->after[b]; k++) {
            least = fmin(least, fabs(o->R[k * n + k]));
            for (int r = 0; r < nx; r++) {
                image[r] = 0;
                for (int l = 0; l < nx; l++)
                    image[r] += top[r * nx + l] * before[k * nx + l];
            }
            for (int i = b; i < o->after[b]; i++) {
                double dot = 0;
                for (int r = 0; r < nx; r++)
                    dot += after[i * nx + r] * image[r];
                norm += dot * dot;
            }
        }
        o->error[b] += o->constant * pow(norm, (2 * m + 1.) / (2 * m)) / fmax(least, DBL_MIN);
    }
}

/* one iteration over the period; returns the largest entry of E below its blocks */
static double iterate_period(multiplier_search *a, schur_iteration *o) {
    const zw_colloc *c = a->c;
    int n = o->n, nx = o->nx;
    size_t square = (size_t)nx * (size_t)nx;
    memset(o->product, 0, sizeof(double) * (size_t)(n * n));
    for (int k = 0; k < n; k++) {
        o->product[k * n + k] = 1;
        o->scale[k] = o->error[k] = 0;
    }
    double *now = o->next;
    memcpy(now, o->Q, sizeof(double) * (size_t)(n * nx));
    for (int j = 0; j <= c->N; j++) {
        const double *A = j < c->N ? c->factors.A + (size_t)j * square : c->map;
        memcpy(o->before, now, sizeof(double) * (size_t)(n * nx));
        for (int k = 0; k < n; k++) {
            double *to = c->state;
            for (int r = 0; r < nx; r++) {
                to[r] = 0;
                for (int l = 0; l < nx; l++)
                    to[r] += A[r * nx + l] * now[k * nx + l];
            }
            for (int r = 0; r < nx; r++)
                now[k * nx + r] = c->ignorable[r] ? 0 : to[r];
        }
        if (j == c->N)
            break;
        orthonormalise_rows(n, nx, now, o->R);
        multiply_blocks(o, o->R);
        add_errors(c, o, j, o->before, now);
    }
    for (int i = 0; i < n; i++) /* E = Q_0' S Q_N, whose columns are stored in rows */
        for (int k = 0; k < n; k++) {
            double sum = 0;
            for (int r = 0; r < nx; r++)
                sum += o->Q[i * nx + r] * now[k * nx + r];
            o->E[k * n + i] = sum;
        }
    orthonormalise_rows(n, n, o->E, o->R);
    multiply_blocks(o, o->R);
    double below = 0;
    for (int k = 0; k < n; k++)
        for (int i = o->after[k]; i < n; i++)
            below = fmax(below, fabs(o->E[k * n + i]));
    for (int i = 0; i < n; i++) /* the blocks of E last */
        for (int k = 0; k < n; k++)
            o->R[i * n + k] = o->E[k * n + i];
    multiply_blocks(o, o->R);
    for (int k = 0; k < n; k++) /* Q_0 E is the next basis */
        for (int r = 0; r < nx; r++) {
            double sum = 0;
            for (int i = 0; i < n; i++)
                sum += o->Q[i * nx + r] * o->E[k * n + i];
            now[k * nx + r] = sum;
        }
    memcpy(o->Q, now, sizeof(double) * (size_t)(n * nx));
    orthonormalise_rows(n, nx, o->Q, NULL);
    return below;
}

/* eigenvalues of the blocks; false if they cannot be found */
static bool read_blocks(const multiplier_search *a, schur_iteration *o, double *re, double *im,
                        double *log_size, double *work) {
    int n = o->n;
    for (int b = 0; b < n; b = o->after[b]) {
        int size = o->after[b] - b;
        for (int i = 0; i < size; i++)
            for (int j = 0; j < size; j++)
                o->work_matrix[i * size + j] = o->product[(b + i) * n + b + j];
        if (!zw_spectrum(size, o->work_matrix, re + b, im + b, work))
            return false;
        for (int i = b; i < b + size; i++) {
            log_size[i] = log(fmax(hypot(re[i], im[i]), DBL_MIN)) + o->scale[b];
            double by = exp(o->scale[b]);
            re[i] *= by;
            im[i] *= by;
        }
    }
    (void)a;
    return true;
}

/* Improves multipliers by the A_j, starting from vectors that are approximately known, in the order
 * of their sizes. *done: the values are better than before. */
static zw_status refine_multipliers(multiplier_search *a, zw_floquet *f, double *roundoff,
                                    double *mesh_error, bool *done) {
    int n = a->n, nx = a->c->nx;
    schur_iteration o = {.n = n, .nx = nx};
    double *re = ZW_NEW(&a->work, double, n + 1), *im = ZW_NEW(&a->work, double, n + 1),
           *size = ZW_NEW(&a->work, double, n + 1), *work = ZW_NEW(&a->work, double, 3 * n + 9);
    o.first = ZW_NEW(&a->work, int, n + 1);
    o.after = ZW_NEW(&a->work, int, n + 1);
    o.Q = ZW_NEW(&a->work, double, n *nx + 1);
    o.next = ZW_NEW(&a->work, double, n *nx + 1);
    o.R = ZW_NEW(&a->work, double, n *n + 1);
    o.product = ZW_NEW(&a->work, double, n *n + 1);
    o.scale = ZW_NEW(&a->work, double, n + 1);
    o.work_matrix = ZW_NEW(&a->work, double, n *n + 1);
    o.E = ZW_NEW(&a->work, double, n *n + 1);
    o.error = ZW_NEW(&a->work, double, n + 1);
    o.before = ZW_NEW(&a->work, double, n *nx + 1);
    o.top = ZW_NEW(&a->work, double, nx *nx + 1);
    set_weights(&o, &a->c->rule);
    *done = false;
    if (a->work.failed)
        return zw_out_of_memory(a->err, NULL);
    for (int k = 0; k < n; k++) {
        bool second = f->im[k] < 0 && k > 0;
        for (int r = 0; r < nx; r++)
            o.Q[k * nx + r] = second ? f->vector_im[r * n + k] : f->vector_re[r * n + k];
    }
    orthonormalise_rows(n, nx, o.Q, NULL);
    memcpy(size, a->log_size, sizeof(double) * (size_t)n);
    memcpy(im, f->im, sizeof(double) * (size_t)n);
    for (int i = 0; i < ROUNDS; i++) {
        put_blocks(&o, size, im);
        double below = iterate_period(a, &o);
        if (!read_blocks(a, &o, re, im, size, work))
            return ZW_OK;
        if (i > 0 && below < TRIANGULAR) {
            *done = true;
            break;
        }
    }
    for (int k = 0; k < n; k++)
        mesh_error[k] =
            ERROR_SAFETY * o.error[o.first[k]] * (o.after[k] - o.first[k] > 1 ? f->error[k] : 1);
    if (!*done)
        return ZW_OK;
    for (int k = 0; k < n; k++) {
        f->re[k] = re[k];
        f->im[k] = im[k];
        a->log_size[k] = size[k];
        /* of the largest one of a block; within it the pencil gives their condition */
        roundoff[k] = INTERVAL_ROUNDOFF * a->c->N * exp(size[o.first[k]]);
    }
    return ZW_OK;
}

/* ----------------------------------------------------------------------------------- the result */

static int compare_sizes(const zw_dense_eigen *e, const double *size, int i, int j) {
    return size[i] != size[j] ? size[i] > size[j] : e->im[i] > e->im[j];
}

/* nu to mu, the largest first */
static zw_status put_values(multiplier_search *a, zw_floquet *f, double *roundoff) {
    int n = a->n, nx = f->nx;
    double *W = ZW_NEW(&a->work, double, n *n + 1), *size = ZW_NEW(&a->work, double, n + 1),
           norm = 0;
    double complex *mu = ZW_NEW(&a->work, double complex, n + 1);
    int *order = ZW_NEW(&a->work, int, n + 1);
    zw_dense_eigen e;
    if (a->work.failed)
        return zw_out_of_memory(a->err, NULL);
    ZW_TRY(make_matrix(a, W));
    if (!zw_dense_eigenvalues(&a->work, n, W, &e))
        return zw_dense_failure(&a->work, a->err);
    double s = a->shift;
    for (int i = 0; i < n; i++) {
        double complex nu = e.re[i] + I * e.im[i];
        mu[i] = (1 + s * nu) / (1 - nu);
        size[i] = cabs(mu[i]);
        norm = fmax(norm, cabs(nu));
        if (!isfinite(size[i]))
            return zw_fail(a->err, ZW_E_NUMERIC, "a multiplier of the orbit has no finite value");
        int at = i;
        for (; at > 0 && compare_sizes(&e, size, i, order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (int k = 0; k < n; k++) {
        int i = order[k];
        double length = 0;
        f->re[k] = creal(mu[i]);
        f->im[k] = e.im[i] == 0 ? 0 : cimag(mu[i]);
        a->log_size[k] = log(fmax(size[i], DBL_MIN));
        double complex from = mu[i] + s;
        roundoff[k] =
            INTERVAL_ROUNDOFF * fmax(1, norm) * e.condition[i] * creal(from * conj(from)) / (1 + s);
        int lead = 0;
        for (int r = 0; r < n; r++)
            if (hypot(e.right_re[r * n + i], e.right_im[r * n + i]) >
                hypot(e.right_re[lead * n + i], e.right_im[lead * n + i]))
                lead = r;
        double complex by = e.right_re[lead * n + i] - I * e.right_im[lead * n + i];
        by /= fmax(cabs(by), DBL_MIN);
        for (int r = 0; r < nx; r++) {
            double complex z = 0;
            for (int l = 0; l < n; l++)
                z += a->T[r * n + l] * (e.right_re[l * n + i] + I * e.right_im[l * n + i]) * by;
            f->vector_re[r * n + k] = creal(z);
            f->vector_im[r * n + k] = e.im[i] == 0 ? 0 : cimag(z);
            length += creal(z * conj(z));
        }
        for (int r = 0; r < nx && length > 0; r++) {
            f->vector_re[r * n + k] /= sqrt(length);
            f->vector_im[r * n + k] /= sqrt(length);
        }
        f->error[k] = e.condition[i]; /* the condition, until refined */
    }
    return ZW_OK;
}

/* M = -H^-1 G without a shift */
static zw_status put_product(multiplier_search *a, zw_floquet *f) {
    int n = a->n;
    double *LU = ZW_NEW(&a->work, double, n *n + 1), *side = ZW_NEW(&a->work, double, n *n + 1);
    int *pivot = ZW_NEW(&a->work, int, n + 1);
    if (a->work.failed)
        return zw_out_of_memory(a->err, NULL);
    memcpy(LU, a->H, sizeof(double) * (size_t)(n * n));
    zw_num_lu(n, LU, pivot);
    for (int k = 0; k < n; k++)
        for (int r = 0; r < n; r++)
            side[k * n + r] = -a->G[r * n + k];
    zw_num_lu_solve(n, LU, pivot, n, side);
    for (int k = 0; k < n; k++)
        for (int r = 0; r < n; r++)
            f->M[r * n + k] = side[k * n + r];
    return ZW_OK;
}

/* log |det S| */
static double log_determinant(multiplier_search *a) {
    int nx = a->c->nx;
    double *S = ZW_NEW(&a->work, double, nx *nx + 1), sum = 0;
    int *pivot = ZW_NEW(&a->work, int, nx + 1);
    if (a->work.failed)
        return NAN;
    memcpy(S, a->c->map, sizeof(double) * (size_t)(nx * nx));
    zw_num_lu(nx, S, pivot);
    for (int i = 0; i < nx; i++)
        sum += log(fabs(S[i * nx + i]));
    return sum;
}

static zw_status find_multipliers(multiplier_search *a, const double *x,
                                  const zw_floquet_options *o, zw_floquet *f) {
    zw_colloc *c = a->c;
    ZW_TRY(find_basis(a, x));
    int n = a->n;
    a->log_size = ZW_NEW(&a->work, double, n + 1);
    double *roundoff = ZW_NEW(&a->work, double, n + 1),
           *mesh_error = ZW_NEW(&a->work, double, n + 1), sum = 0, spread = log_determinant(a);
    if (a->work.failed)
        return zw_out_of_memory(a->err, NULL);
    ZW_TRY(zw_floquet_make(f, &c->arena.alloc, c->nx, n, a->err));
    f->period = zw_colloc_period(c, x);
    f->intervals = c->N;
    f->chunks = 1;
    memcpy(f->T, a->T, sizeof(double) * (size_t)(c->nx * n));
    ZW_TRY(make_pencil(a));
    ZW_TRY(put_values(a, f, roundoff));
    ZW_TRY(put_product(a, f));
    bool done;
    ZW_TRY(refine_multipliers(a, f, roundoff, mesh_error, &done));
    f->chunks = done ? c->N : 1;
    for (int k = 0; k < n; k++)
        sum += a->log_size[k];
    f->liouville = fabs(sum - c->factors.trace - spread);
    f->trivial = o->autonomous ? zw_floquet_nearest(f) : -1;
    double off = f->trivial >= 0 ? hypot(f->re[f->trivial] - 1, f->im[f->trivial]) : 0;
    for (int k = 0; k < n; k++) {
        double size = hypot(f->re[k], f->im[k]);
        f->exponent[k] = a->log_size[k] / f->period;
        f->angle[k] = atan2(f->im[k], f->re[k]) / f->period;
        f->error[k] = roundoff[k] + (mesh_error[k] + off) * size;
    }
    zw_floquet_judge(f, o->margin);
    return ZW_OK;
}

/* condenses at the orbit itself, with its own projectors and not those of the reference */
static zw_status condense_orbit(multiplier_search *a, const double *x) {
    zw_colloc *c = a->c;
    double *kept = c->projector;
    zw_status status = ZW_OK;
    if (c->has_manifold) {
        double *here = ZW_NEW(&a->work, double, (size_t)c->N *(size_t)(c->nx * c->nx) + 1);
        if (!here)
            return zw_out_of_memory(a->err, NULL);
        ZW_TRY(zw_colloc_project_at(c, x, here, a->err));
        c->projector = here;
    }
    status = zw_colloc_rates(c, x, a->err);
    if (status == ZW_OK)
        status = zw_colloc_condense(c, x, a->err);
    if (status == ZW_OK && c->chained)
        zw_colloc_lanes_spread(c);
    c->projector = kept;
    return status == ZW_RETRY ? zw_fail(a->err, ZW_E_NUMERIC,
                                        "the linear equations along the orbit have no solution")
                              : status;
}

zw_status zw_colloc_multipliers(zw_colloc *c, const double *x, double a,
                                const zw_floquet_options *options, zw_floquet *out, zw_error *err) {
    zw_floquet_options o = zw_floquet_options_default();
    *out = (zw_floquet){0};
    if (options)
        ZW_TRY(zw_options_adopt(&o, sizeof o, options, "zw_floquet_options", err));
    o.autonomous = c->free_period;
    ZW_TRY(zw_colloc_set_value(c, a, err));
    ZW_TRY(zw_colloc_update_closing(c, x, err));
    multiplier_search f = {.c = c, .err = err};
    zw_arena_init(&f.work, &c->arena.alloc);
    zw_status status = condense_orbit(&f, x);
    if (status >= 0)
        status = find_multipliers(&f, x, &o, out);
    zw_arena_clear(&f.work);
    if (status < 0)
        zw_floquet_clear(out);
    return status;
}

zw_status zw_colloc_spectrum(zw_colloc *c, const double *x, double a, bool anew, int *n, double *re,
                             double *im, zw_error *err) {
    int nx = c->nx, all = nx + c->nb, size = 0;
    *n = 0;
    if (anew && c->lanes.kernel) {
        ZW_TRY(zw_colloc_set_value(c, a, err));
        if (zw_colloc_rates(c, x, err) != ZW_OK || zw_colloc_condense(c, x, err) != ZW_OK)
            c->chained = false;
    }
    if (c->chained) {
        const double *M = c->lanes.M + (size_t)(ZW_LANES * nx * all);
        double *W = c->work, *work = c->factors.stack;
        for (int r = 0; r < nx; r++) {
            if (c->ignorable[r])
                continue;
            for (int k = 0; k < nx; k++) {
                double sum = 0;
                for (int l = 0; l < nx && !c->ignorable[k]; l++)
                    sum += c->map[r * nx + l] * M[l * all + k];
                if (!c->ignorable[k])
                    W[size++] = sum * c->scale[k] * c->inverse[r];
            }
            (*n)++;
        }
        if (zw_spectrum(*n, W, re, im, work))
            return ZW_OK;
    }
    zw_floquet q = {0};
    ZW_TRY(zw_colloc_multipliers(c, x, a, NULL, &q, err));
    *n = q.n;
    memcpy(re, q.re, sizeof(double) * (size_t)q.n);
    memcpy(im, q.im, sizeof(double) * (size_t)q.n);
    zw_floquet_clear(&q);
    return ZW_OK;
}
