/* SPDX-License-Identifier: MIT */
/* Elimination by blocks. With the blocks in the order of elimination, for k = 0, 1, ... n - 2:
 *
 *     A_kk = P L U,     A_kj <- A_kk^-1 A_kj  (j > k),     A_ij <- A_ij - A_ik A_kj  (i, j > k),
 *
 * pivots are looked for inside A_kk alone. The last two, of which the second is the border, are one dense matrix: the border is there to
 * make a singular matrix regular, and a pivot of the last block may come from its rows. Order: minimum degree on the graph of the
 * blocks, whose pattern is symmetric. */
#include "blocks.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"

struct zw_blocks {
    zw_allocator alloc;
    zw_arena arena; /* all below */
    int n, size, border;
    int *order, *place; /* n: the block that is k-th, and where a block is */
    int *at;            /* (n + 1)^2, in places: where its entries begin; -1: it is zero */
    double *entry;
    int nentry;
    int *pivot;     /* n - 1 times size, then size + border */
    double *corner; /* the last two, factored */
    double *work;   /* (n + 1) size + border */
};

zw_blocks *zw_blocks_create(const zw_allocator *alloc) {
    zw_allocator a = alloc ? *alloc : zw_allocator_default();
    zw_blocks *b = zw_allocate(&a, sizeof *b);
    if (b) {
        b->alloc = a;
        zw_arena_init(&b->arena, &a);
    }
    return b;
}

void zw_blocks_destroy(zw_blocks *b) {
    if (!b)
        return;
    zw_allocator alloc = b->alloc;
    zw_arena_clear(&b->arena);
    zw_release(&alloc, b, sizeof *b);
}

/* ---------------------------------------------------------------------------------------------------- order */

static int degree(int n, const bool *graph, const bool *done, int i) {
    int d = 0;
    for (int j = 0; j < n; j++)
        d += j != i && !done[j] && graph[i * n + j];
    return d;
}

/* graph fills in on the way */
static void eliminate_graph(int n, bool *graph, const bool *done, int k) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (!done[i] && !done[j] && graph[i * n + k] && graph[k * n + j])
                graph[i * n + j] = true;
}

static void choose_order(zw_blocks *b, bool *graph, bool *done) {
    int n = b->n;
    for (int k = 0; k < n; k++) {
        int best = -1, least = n + 1;
        for (int i = 0; i < n; i++) {
            int d = done[i] ? n + 1 : degree(n, graph, done, i);
            if (d < least) {
                least = d;
                best = i;
            }
        }
        b->order[k] = best;
        b->place[best] = k;
        done[best] = true;
        eliminate_graph(n, graph, done, best);
    }
}

static int rows_of(const zw_blocks *b, int k) {
    return k < b->n ? b->size : b->border;
}

static int *slot(const zw_blocks *b, int i, int j) {
    return &b->at[i * (b->n + 1) + j];
}

zw_status zw_blocks_shape(zw_blocks *b, int n, int size, int border, const bool *touches,
                          zw_error *err) {
    zw_arena_clear(&b->arena);
    zw_arena_init(&b->arena, &b->alloc);
    b->n = n;
    b->size = size;
    b->border = border;
    b->order = ZW_NEW(&b->arena, int, n + 1);
    b->place = ZW_NEW(&b->arena, int, n + 1);
    b->at = ZW_NEW(&b->arena, int, (n + 1) * (n + 1));
    bool *graph = ZW_NEW(&b->arena, bool, n *n + 1), *done = ZW_NEW(&b->arena, bool, n + 1);
    if (b->arena.failed)
        return zw_fail(err, ZW_E_MEMORY, "out of memory");
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            graph[i * n + j] = i == j || touches[i * n + j] || touches[j * n + i];
    choose_order(b, graph, done);
    b->nentry = 0;
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++) {
            bool there = i == n || j == n || graph[b->order[i] * n + b->order[j]];
            *slot(b, i, j) = there ? b->nentry : -1;
            b->nentry += there ? rows_of(b, i) * rows_of(b, j) : 0;
        }
    b->entry = ZW_NEW(&b->arena, double, b->nentry + 1);
    b->pivot = ZW_NEW(&b->arena, int, (n + 1) * size + border);
    b->corner = ZW_NEW(&b->arena, double, (size + border) * (size + border));
    b->work = ZW_NEW(&b->arena, double, (n + 1) * size + border);
    return b->arena.failed ? zw_fail(err, ZW_E_MEMORY, "out of memory") : ZW_OK;
}

void zw_blocks_clear(zw_blocks *b) {
    memset(b->entry, 0, sizeof(double) * (size_t)b->nentry);
}

static double *entries(const zw_blocks *b, int i, int j) {
    int at = *slot(b, i, j);
    return at < 0 ? NULL : b->entry + at;
}

double *zw_blocks_at(zw_blocks *b, int i, int j) {
    return entries(b, i < b->n ? b->place[i] : i, j < b->n ? b->place[j] : j);
}

/* ---------------------------------------------------------------------------------------------- elimination */

/* A (n x n) = P L U in place; the smallest pivot by the largest. Rows of the library's own factors may be LAPACK's columns. */
static double factor_dense(int n, double *restrict A, int *pivot) {
    double least = INFINITY, most = 0;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            best = fabs(A[i * n + k]) > fabs(A[best * n + k]) ? i : best;
        pivot[k] = best;
        double *row = A + (size_t)(k * n), *other = A + (size_t)(best * n), size;
        for (int j = 0; best != k && j < n; j++) {
            double keep = row[j];
            row[j] = other[j];
            other[j] = keep;
        }
        size = fabs(row[k]);
        if (!(size > 0) || !isfinite(size))
            return size > 0 || size == 0 ? 0 : NAN;
        least = fmin(least, size);
        most = fmax(most, size);
        double inverse = 1 / row[k];
        for (int i = k + 1; i < n; i++) {
            double *below = A + (size_t)(i * n), l = below[k] * inverse;
            below[k] = l;
            for (int j = k + 1; j < n; j++)
                below[j] -= l * row[j];
        }
    }
    return least / most;
}

/* B (n x m) <- A^-1 B with A = P L U, by rows of B */
static void divide(int n, const double *LU, const int *pivot, int m, double *restrict B) {
    for (int i = 0; i < n; i++)
        if (pivot[i] != i)
            for (int k = 0; k < m; k++) {
                double keep = B[i * m + k];
                B[i * m + k] = B[pivot[i] * m + k];
                B[pivot[i] * m + k] = keep;
            }
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++) {
            double l = LU[i * n + j];
            for (int k = 0; k < m; k++)
                B[i * m + k] -= l * B[j * m + k];
        }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) {
            double u = LU[i * n + j];
            for (int k = 0; k < m; k++)
                B[i * m + k] -= u * B[j * m + k];
        }
        double inverse = 1 / LU[i * n + i];
        for (int k = 0; k < m; k++)
            B[i * m + k] *= inverse;
    }
}

/* C (n x m) -= A (n x l) B (l x m) */
static void subtract_product(int n, int l, int m, const double *restrict A,
                             const double *restrict B, double *restrict C) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < l; j++) {
            double a = A[i * l + j];
            for (int k = 0; k < m; k++)
                C[i * m + k] -= a * B[j * m + k];
        }
}

static void eliminate(zw_blocks *b, int k) {
    const double *pivots = entries(b, k, k);
    for (int j = k + 1; j <= b->n; j++)
        if (entries(b, k, j))
            divide(b->size, pivots, b->pivot + (size_t)k * (size_t)b->size, rows_of(b, j),
                   entries(b, k, j));
    for (int i = k + 1; i <= b->n; i++) {
        const double *left = entries(b, i, k);
        for (int j = k + 1; left && j <= b->n; j++)
            if (entries(b, k, j))
                subtract_product(rows_of(b, i), b->size, rows_of(b, j), left, entries(b, k, j),
                                 entries(b, i, j));
    }
}

/* the last block and the border as one matrix */
static double factor_corner(zw_blocks *b) {
    int n = b->n, all = b->size + b->border;
    for (int i = n - 1; i <= n; i++)
        for (int j = n - 1; j <= n; j++) {
            int rows = rows_of(b, i), columns = rows_of(b, j);
            double *to = b->corner + (i == n ? b->size * all : 0) + (j == n ? b->size : 0);
            for (int r = 0; r < rows; r++)
                memcpy(to + (size_t)(r * all), entries(b, i, j) + (size_t)(r * columns),
                       sizeof(double) * (size_t)columns);
        }
    return factor_dense(all, b->corner, b->pivot + (size_t)((n - 1) * b->size));
}

double zw_blocks_factor(zw_blocks *b) {
    double least = 1;
    for (int k = 0; k < b->n - 1; k++) {
        double ratio = factor_dense(b->size, entries(b, k, k), b->pivot + (size_t)(k * b->size));
        if (!(ratio > 0))
            return ratio;
        least = fmin(least, ratio);
        eliminate(b, k);
    }
    double ratio = factor_corner(b);
    return ratio > 0 ? fmin(least, ratio) : ratio;
}

void zw_blocks_solve(const zw_blocks *b, double *x) {
    int n = b->n, size = b->size;
    double *y = b->work;
    for (int k = 0; k < n; k++)
        memcpy(y + (size_t)(k * size), x + (size_t)(b->order[k] * size),
               sizeof(double) * (size_t)size);
    memcpy(y + (size_t)(n * size), x + (size_t)(n * size), sizeof(double) * (size_t)b->border);
    for (int k = 0; k < n - 1; k++) {
        double *part = y + (size_t)(k * size);
        divide(size, entries(b, k, k), b->pivot + (size_t)(k * size), 1, part);
        for (int i = k + 1; i <= n; i++)
            if (entries(b, i, k))
                subtract_product(rows_of(b, i), size, 1, entries(b, i, k), part,
                                 y + (size_t)(i * size));
    }
    divide(size + b->border, b->corner, b->pivot + (size_t)((n - 1) * size), 1,
           y + (size_t)((n - 1) * size));
    for (int k = n - 2; k >= 0; k--)
        for (int j = k + 1; j <= n; j++)
            if (entries(b, k, j))
                subtract_product(size, rows_of(b, j), 1, entries(b, k, j), y + (size_t)(j * size),
                                 y + (size_t)(k * size));
    for (int k = 0; k < n; k++)
        memcpy(x + (size_t)(b->order[k] * size), y + (size_t)(k * size),
               sizeof(double) * (size_t)size);
    memcpy(x + (size_t)(n * size), y + (size_t)(n * size), sizeof(double) * (size_t)b->border);
}
