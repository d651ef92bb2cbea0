/* SPDX-License-Identifier: MIT */
/* On a piece, with s = cos(theta) in (-1, 1), A is interpolated at s_j = cos(j pi/N), j = 0..N:
 *
 *     A(s) = sum_k c_k T_k(s),    c_k = 2/N sum''_j A(s_j) cos(j k pi/N)      ('': first and last halved, also c_0, c_N)
 *
 * N is doubled, which keeps all points, until the last coefficients are rounding, be it that of A,
 * and two points in between agree; otherwise the piece is halved. Coefficients of an analytic
 * function fall geometrically, so that few points do (L. N. Trefethen, Approximation Theory and
 * Approximation Practice, 2013). Where a piece has become tiny, A has a jump or a corner, and where
 * all are, it is noise; it is taken as it is, and told. */
#include "matrix_interpolant.h"
#include "base/arena.h"

#include <math.h>
#include <string.h>

enum { FIRST = 8, MOST = 32, TAIL = 3, PATIENCE = 4000 };
#define ROUNDING 2e-13 /* of the largest entry: coefficients that are none */
#define TRIM 1e-15     /* coefficients that are left away */
#define NOISE 1e-11    /* coefficients that do not fall any more, at the largest degree */
#define LEVEL 10       /* of coefficients to later ones */
#define SMALLEST 1e-5  /* piece, of the interval */
static const double between[] = {0.31830988618, -0.57721566490}; /* points that must agree */

typedef struct builder {
    zw_matrix_interpolant *out;
    zw_arena *arena;
    int n, nn;
    double range, unit;
    zw_matrix_interpolant_matrix matrix;
    void *user;
    double *at; /* (MOST + 1) x nn: values at the points, for j = 0..N in steps of MOST/N */
    double *c;  /* (MOST + 1) x nn */
    double *A;  /* nn */
    zw_error *err;
} builder;

static zw_status evaluate_matrix(builder *b, const zw_matrix_interpolant_piece *p, double s,
                                 double *A) {
    double middle = (p->low + p->high) / 2, value = middle + s * (p->high - p->low) / 2;
    b->out->calls++;
    if (s == 1)
        value = p->high;
    if (s == -1)
        value = p->low;
    return b->matrix(b->user, value, middle, A, b->err);
}

/* the points of degree N that those of N/2 did not have */
static zw_status add_points(builder *b, const zw_matrix_interpolant_piece *p, int N) {
    int step = MOST / N;
    for (int j = 0; j <= N; j++)
        if (N == FIRST || j % 2 == 1)
            ZW_TRY(evaluate_matrix(b, p, 2 * j == N ? 0 : cos(M_PI * j / N),
                                   b->at + (size_t)(j * step) * (size_t)b->nn));
    return ZW_OK;
}

static void find_coefficients(builder *b, int N) {
    int step = MOST / N;
    for (int k = 0; k <= N; k++) {
        double *c = b->c + (size_t)k * (size_t)b->nn;
        memset(c, 0, sizeof(double) * (size_t)b->nn);
        for (int j = 0; j <= N; j++) {
            const double *A = b->at + (size_t)(j * step) * (size_t)b->nn;
            double w = 2.0 / N * cos(M_PI * ((j * k) % (2 * N)) / N) *
                       (j == 0 || j == N ? 0.5 : 1) * (k == 0 || k == N ? 0.5 : 1);
            for (int i = 0; i < b->nn; i++)
                c[i] += w * A[i];
        }
    }
}

static double largest_entry(int n, const double *x) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fabs(x[i]) <= most ? most : fabs(x[i]); /* not a number stays */
    return most;
}

/* sum by Clenshaw's recurrence, and its derivative in s */
static void sum_series(int n, int degree, const double *c, double s, double *A, double *slope) {
    for (int i = 0; i < n; i++) {
        double b1 = 0, b2 = 0, d1 = 0, d2 = 0;
        for (int k = degree; k >= 1; k--) {
            double b0 = c[(size_t)k * (size_t)n + (size_t)i] + 2 * s * b1 - b2,
                   d0 = 2 * b1 + 2 * s * d1 - d2;
            b2 = b1;
            b1 = b0;
            d2 = d1;
            d1 = d0;
        }
        A[i] = c[i] + s * b1 - b2;
        if (slope)
            slope[i] = b1 + s * d1 - d2;
    }
}

/* Do the coefficients of the upper half not fall any more? Then they are what A itself has of
 * rounding. */
static bool is_level(const builder *b, int N) {
    const double *half = b->c + (size_t)(N / 2 + 1) * (size_t)b->nn,
                 *last = b->c + (size_t)(3 * N / 4 + 1) * (size_t)b->nn;
    return largest_entry(N / 4 * b->nn, half) <= LEVEL * largest_entry(N / 4 * b->nn, last);
}

/* how far the series of degree N may be from A, relative to its largest entry */
static zw_status estimate_error(builder *b, const zw_matrix_interpolant_piece *p, int N,
                                double *error) {
    double size = b->unit;
    for (int j = 0; j <= N; j++)
        size = fmax(size, largest_entry(b->nn, b->at + (size_t)(j * (MOST / N)) * (size_t)b->nn));
    *error = largest_entry(TAIL * b->nn, b->c + (size_t)(N + 1 - TAIL) * (size_t)b->nn);
    for (int k = 0; k < 2 && *error <= NOISE * size; k++) {
        ZW_TRY(evaluate_matrix(b, p, between[k], b->A));
        double *sum = b->at + (size_t)(MOST + 1) * (size_t)b->nn;
        sum_series(b->nn, N, b->c, between[k], sum, NULL);
        for (int i = 0; i < b->nn; i++)
            *error = fmax(*error, fabs(sum[i] - b->A[i]));
    }
    if (size > 0)
        *error /= size;
    return ZW_OK;
}

static zw_status add_piece(builder *b, zw_matrix_interpolant_piece p, double error) {
    zw_matrix_interpolant *out = b->out;
    double least = TRIM * largest_entry(b->nn, b->c);
    while (p.degree > 0 && largest_entry(b->nn, b->c + (size_t)p.degree * (size_t)b->nn) <= least)
        p.degree--;
    size_t cells = (size_t)(p.degree + 1) * (size_t)b->nn;
    p.c = ZW_NEW(b->arena, double, cells + 1);
    if (!p.c || !zw_arena_grow(b->arena, (void **)&out->piece, out->npiece, &out->capacity,
                               sizeof *out->piece))
        return zw_out_of_memory(b->err, NULL);
    memcpy(p.c, b->c, sizeof(double) * cells);
    out->piece[out->npiece++] = p;
    if (!(error <= out->error)) {
        out->error = error;
        out->error_at = (p.low + p.high) / 2;
    }
    return ZW_OK;
}

static zw_status build_pieces(builder *b, double low, double high) {
    zw_matrix_interpolant_piece p = {.low = low, .high = high};
    double error = INFINITY;
    for (int N = FIRST; N <= MOST; N *= 2) {
        ZW_TRY(add_points(b, &p, N));
        find_coefficients(b, N);
        ZW_TRY(estimate_error(b, &p, N, &error));
        p.degree = N;
        if (error <= ROUNDING || (error <= NOISE && is_level(b, N)))
            return add_piece(b, p, error);
    }
    if (error <= NOISE || high - low <= SMALLEST * b->range || b->out->calls > PATIENCE)
        return add_piece(b, p, error);
    ZW_TRY(build_pieces(b, low, (low + high) / 2));
    return build_pieces(b, (low + high) / 2, high);
}

zw_status zw_matrix_interpolant_build(zw_matrix_interpolant *out, zw_arena *arena, int n,
                                      double unit, double low, double high,
                                      zw_matrix_interpolant_matrix matrix, void *user,
                                      zw_error *err) {
    builder b = {.out = out,
                 .arena = arena,
                 .n = n,
                 .nn = n * n,
                 .range = high - low,
                 .unit = unit,
                 .matrix = matrix,
                 .user = user,
                 .err = err};
    *out = (zw_matrix_interpolant){.n = n, .error_at = low};
    b.at = ZW_NEW(arena, double, (MOST + 2) * b.nn + 1);
    b.c = ZW_NEW(arena, double, (MOST + 1) * b.nn + 1);
    b.A = ZW_NEW(arena, double, b.nn + 1);
    if (arena->failed)
        return zw_out_of_memory(err, NULL);
    return build_pieces(&b, low, high);
}

void zw_matrix_interpolant_at(const zw_matrix_interpolant *p, int piece, double value, double *A,
                              double *slope) {
    const zw_matrix_interpolant_piece *at = &p->piece[piece];
    double half = (at->high - at->low) / 2, s = (value - (at->low + at->high) / 2) / half;
    sum_series(p->n * p->n, at->degree, at->c, s, A, slope);
    for (int i = 0; slope && i < p->n * p->n; i++)
        slope[i] /= half;
}
