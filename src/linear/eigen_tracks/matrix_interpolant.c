/* SPDX-License-Identifier: MIT */
/* On a piece, with s = cos(theta) in (-1, 1), A is interpolated at s_j = cos(j pi/N), j = 0..N:
 *
 *     A(s) = sum_k c_k T_k(s),    c_k = 2/N sum''_j A(s_j) cos(j k pi/N)
 *
 * ('': first and last term halved, also c_0, c_N). N is doubled, which keeps all points, until the
 * last coefficients are rounding, that of A included, and two points in between agree; otherwise
 * the piece is halved. Coefficients of an analytic function fall geometrically, so that few points
 * suffice (L. N. Trefethen, Approximation Theory and Approximation Practice, 2013). Where a piece
 * has become tiny, A has a jump or a corner; where all are tiny, A is noise. The series is then
 * taken as it is, and its error is reported. */
#include "matrix_interpolant.h"
#include "base/arena.h"

#include <math.h>
#include <string.h>

enum {
    DEGREE_MIN = 8,
    DEGREE_MAX = 32, /* above, halving costs fewer points than doubling */
    /* last coefficients that must be small: symmetry makes every other one 0 */
    TAIL = 3,
    EVALUATIONS_MAX = 4000 /* of the matrix; A is noise if it takes more */
};
/* Errors relative to the largest entry of A on the piece: */
#define SERIES_ROUNDOFF 2e-13 /* 900 eps: what linear algebra leaves in A of a good model */
/* coefficients of the largest degree that do not fall any more: ten ZW_ROUNDOFF_SUM, for models
 * with long sums */
#define SERIES_NOISE 1e-11
#define COEFFICIENT_DROPPED 1e-15 /* coefficients left out of the stored series: a few eps */
/* Coefficients of the third quarter to those of the last one, at most, if they are noise: those of
 * an analytic function fall by more in N/4 degrees. */
#define LEVEL_RATIO 10
/* Piece, of the interval, that is not divided any more: a jump is thereby located to 1e-5. */
#define PIECE_MIN 1e-5
/* points s of a piece at which the series must agree with A: no nodes of any degree */
static const double between[] = {0.31830988618, -0.57721566490};

typedef struct builder {
    zw_matrix_interpolant *out;
    zw_arena *arena;
    int n, nn;
    double range, unit;
    zw_matrix_interpolant_matrix matrix;
    void *user;
    /* (DEGREE_MAX + 2) x nn: A at the points j = 0..N in steps of DEGREE_MAX/N, a sum */
    double *at;
    double *c; /* (DEGREE_MAX + 1) x nn */
    double *A; /* nn */
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

/* Evaluate A at the points of degree N that those of N/2 do not contain. */
static zw_status add_points(builder *b, const zw_matrix_interpolant_piece *p, int N) {
    int step = DEGREE_MAX / N;
    for (int j = 0; j <= N; j++)
        if (N == DEGREE_MIN || j % 2 == 1)
            ZW_TRY(evaluate_matrix(b, p, 2 * j == N ? 0 : cos(M_PI * j / N),
                                   b->at + (size_t)(j * step) * (size_t)b->nn));
    return ZW_OK;
}

static void find_coefficients(builder *b, int N) {
    int step = DEGREE_MAX / N;
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
        most = fabs(x[i]) <= most ? most : fabs(x[i]); /* NaN propagates */
    return most;
}

/* The sum by Clenshaw's recurrence, and its derivative with respect to s. */
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

/* Have the coefficients of the upper half stopped falling? Then they are the rounding of A
 * itself. */
static bool is_level(const builder *b, int N) {
    const double *half = b->c + (size_t)(N / 2 + 1) * (size_t)b->nn,
                 *last = b->c + (size_t)(3 * N / 4 + 1) * (size_t)b->nn;
    return largest_entry(N / 4 * b->nn, half) <= LEVEL_RATIO * largest_entry(N / 4 * b->nn, last);
}

/* The error of the series of degree N, relative to the largest entry of A. */
static zw_status estimate_error(builder *b, const zw_matrix_interpolant_piece *p, int N,
                                double *error) {
    double size = b->unit;
    for (int j = 0; j <= N; j++)
        size = fmax(size,
                    largest_entry(b->nn, b->at + (size_t)(j * (DEGREE_MAX / N)) * (size_t)b->nn));
    *error = largest_entry(TAIL * b->nn, b->c + (size_t)(N + 1 - TAIL) * (size_t)b->nn);
    for (int k = 0; k < 2 && *error <= SERIES_NOISE * size; k++) {
        ZW_TRY(evaluate_matrix(b, p, between[k], b->A));
        double *sum = b->at + (size_t)(DEGREE_MAX + 1) * (size_t)b->nn;
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
    double least = COEFFICIENT_DROPPED * largest_entry(b->nn, b->c);
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
    for (int N = DEGREE_MIN; N <= DEGREE_MAX; N *= 2) {
        ZW_TRY(add_points(b, &p, N));
        find_coefficients(b, N);
        ZW_TRY(estimate_error(b, &p, N, &error));
        p.degree = N;
        if (error <= SERIES_ROUNDOFF || (error <= SERIES_NOISE && is_level(b, N)))
            return add_piece(b, p, error);
    }
    if (error <= SERIES_NOISE || high - low <= PIECE_MIN * b->range ||
        b->out->calls > EVALUATIONS_MAX)
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
    b.at = ZW_NEW(arena, double, (DEGREE_MAX + 2) * b.nn + 1);
    b.c = ZW_NEW(arena, double, (DEGREE_MAX + 1) * b.nn + 1);
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
