/* SPDX-License-Identifier: MIT */
/* Elimination by blocks. With the blocks in the order of elimination, for k = 0, 1, ... n - 2:
 *
 *     A_kk = P L U,     A_kj <- A_kk^-1 A_kj  (j > k),     A_ij <- A_ij - A_ik A_kj  (i, j > k),
 *
 * with pivots from A_kk alone. The last two blocks, of which the second is the border, are one
 * dense matrix: the border makes a singular matrix regular, and a pivot of the last block may come
 * from its rows. The order is that of minimum degree on the graph of the blocks, whose pattern is
 * symmetric. Rows have the length of a multiple of four, padded with zeros, so that vectors of four
 * cover them. */
#include "blocks.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/interrupt.h"
#include "base/vector_targets.h"

enum {
    PANEL = 64, /* columns that are eliminated together, a multiple of four, */
    WIDE = 48,  /* and columns from which these are subtracted together, a multiple of sixteen, */
    LARGE = 192 /* in matrices of more rows */
};

struct zw_blocks {
    zw_allocator alloc;
    zw_arena arena; /* owns everything below */
    int n, size, border;
    /* n: the block that is k-th in the order, and the position of each block */
    int *order, *position;
    /* (n + 1)^2, by positions: offset of the entries of a block; -1: it is zero */
    int *at;
    /* neighbours of position k after it, the border last: list[first[k]] .. */
    int *first, *list;
    double *entry;
    int nentry;
    int *pivot;         /* pivot rows: n - 1 times size, then size + border */
    double *corner;     /* the last two blocks, factored */
    double *work;       /* (n + 1) size + border */
    double *row, *part; /* vectors with the length of a row of the corner */
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

/* ---------------------------------------------------------------------------------------- order */

static int node_degree(int n, const bool *graph, const bool *done, int i) {
    int d = 0;
    for (int j = 0; j < n; j++)
        d += j != i && !done[j] && graph[i * n + j];
    return d;
}

/* elimination adds entries to the graph */
static void eliminate_graph(int n, bool *graph, const bool *done, int k) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (!done[i] && !done[j] && graph[i * n + k] && graph[k * n + j])
                graph[i * n + j] = true;
}

void zw_blocks_order(int n, bool *graph, bool *done, int *order, int *position) {
    for (int k = 0; k < n; k++) {
        int best = -1, least = n + 1;
        for (int i = 0; i < n; i++) {
            int d = done[i] ? n + 1 : node_degree(n, graph, done, i);
            if (d < least) {
                least = d;
                best = i;
            }
        }
        order[k] = best;
        position[best] = k;
        done[best] = true;
        eliminate_graph(n, graph, done, best);
    }
}

static int block_rows(const zw_blocks *b, int k) {
    return k < b->n ? b->size : b->border;
}

/* distance from one row to the next */
static int block_stride(const zw_blocks *b, int k) {
    return zw_fours(block_rows(b, k));
}

int zw_blocks_stride(const zw_blocks *b, int j) {
    return block_stride(b, j);
}

static int *block_offset(const zw_blocks *b, int i, int j) {
    return &b->at[i * (b->n + 1) + j];
}

static void list_neighbours(zw_blocks *b) {
    int at = 0;
    for (int k = 0; k <= b->n; k++) {
        b->first[k] = at;
        for (int j = k + 1; j <= b->n; j++)
            if (*block_offset(b, k, j) >= 0)
                b->list[at++] = j;
    }
    b->first[b->n + 1] = at;
}

zw_status zw_blocks_shape(zw_blocks *b, int n, int size, int border, const bool *touches,
                          zw_error *err) {
    zw_arena_clear(&b->arena);
    zw_arena_init(&b->arena, &b->alloc);
    b->n = n;
    b->size = size;
    b->border = border;
    b->order = ZW_NEW(&b->arena, int, n + 1);
    b->position = ZW_NEW(&b->arena, int, n + 1);
    b->at = ZW_NEW(&b->arena, int, (n + 1) * (n + 1));
    b->first = ZW_NEW(&b->arena, int, n + 2);
    b->list = ZW_NEW(&b->arena, int, (n + 1) * (n + 2));
    bool *graph = ZW_NEW(&b->arena, bool, n *n + 1), *done = ZW_NEW(&b->arena, bool, n + 1);
    if (b->arena.failed)
        return zw_out_of_memory(err, NULL);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            graph[i * n + j] = i == j || touches[i * n + j] || touches[j * n + i];
    zw_blocks_order(n, graph, done, b->order, b->position);
    b->nentry = 0;
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++) {
            bool is_nonzero = i == n || j == n || graph[b->order[i] * n + b->order[j]];
            *block_offset(b, i, j) = is_nonzero ? b->nentry : -1;
            b->nentry += is_nonzero ? block_rows(b, i) * block_stride(b, j) : 0;
        }
    list_neighbours(b);
    b->entry = ZW_NEW(&b->arena, double, b->nentry + 1);
    b->pivot = ZW_NEW(&b->arena, int, (n + 1) * size + border);
    b->corner = ZW_NEW(&b->arena, double, (size + border) * zw_fours(size + border));
    b->work = ZW_NEW(&b->arena, double, (n + 1) * size + border);
    b->row = ZW_NEW(&b->arena, double, zw_fours(size + border));
    b->part = ZW_NEW(&b->arena, double, zw_fours(size + border));
    return zw_arena_status(&b->arena, err);
}

void zw_blocks_clear(zw_blocks *b) {
    memset(b->entry, 0, sizeof(double) * (size_t)b->nentry);
}

static double *block_entries(const zw_blocks *b, int i, int j) {
    int at = *block_offset(b, i, j);
    return at < 0 ? NULL : b->entry + at;
}

double *zw_blocks_at(zw_blocks *b, int i, int j) {
    return block_entries(b, i < b->n ? b->position[i] : i, j < b->n ? b->position[j] : j);
}

/* ---------------------------------------------------------------------------------- elimination */

/* Exchanges row k with the row of the largest entry of column k from k on; false: that is zero or
 * not finite. */
ZW_KERNEL bool exchange(int n, int stride, int k, double *restrict A, int *pivot) {
    int best = k;
    double most = fabs(A[k * stride + k]);
    for (int i = k + 1; i < n; i++) {
        double size = fabs(A[i * stride + k]);
        best = size > most ? i : best;
        most = size > most ? size : most;
    }
    pivot[k] = best;
    double *row = A + (size_t)(k * stride), *other = A + (size_t)(best * stride);
    for (int j = 0; best != k && j < stride; j += ZW_FOUR) {
        zw_four swap = ZW_LOAD(row + j);
        ZW_STORE(row + j, ZW_LOAD(other + j));
        ZW_STORE(other + j, swap);
    }
    return most > 0 && isfinite(most);
}

/* Subtracts multiples of row k from the rows after it, from column `from` on. The row, `count`
 * vectors, stays in registers. */
#define BELOW(count, load, subtract)                                                               \
    case count: {                                                                                  \
        load;                                                                                      \
        for (int i = k + 1; i < n; i++) {                                                          \
            double *below = A + (size_t)(i * stride), l = below[k] * inverse, *to = below + from;  \
            subtract;                                                                              \
            below[k] = l;                                                                          \
        }                                                                                          \
        break;                                                                                     \
    }
#define ONE(i) ZW_STORE(to + 4 * (i), ZW_LOAD(to + 4 * (i)) - l * c##i)

/* A (n x n) = P L U in place, with the inverse of the diagonal of U; returns the ratio of the
 * smallest pivot to the largest. clean (stride) holds the pivot row without the entries left of the
 * diagonal. */
ZW_CLONES static double factor_dense(int n, int stride, double *restrict A, int *restrict pivot,
                                     double *restrict clean) {
    double least = INFINITY, most = 0;
    for (int k = 0; k < n; k++) {
        if (zw_interrupted())
            return NAN;
        if (!exchange(n, stride, k, A, pivot))
            return A[k * stride + k] == 0 ? 0 : NAN;
        double *row = A + (size_t)(k * stride);
        int from = (k + 1) & ~(ZW_FOUR - 1);
        double size = fabs(row[k]), inverse = 1 / row[k];
        least = size < least ? size : least;
        most = size > most ? size : most;
        for (int j = from; j < stride; j += ZW_FOUR)
            ZW_STORE(clean + j, ZW_LOAD(row + j));
        for (int j = from; j <= k && j < stride; j++)
            clean[j] = 0;
        row[k] = inverse;
        const double *c = clean + from;
        switch ((stride - from) / ZW_FOUR) {
        case 0:
            for (int i = k + 1; i < n; i++)
                A[i * stride + k] *= inverse;
            break;
            BELOW(1, zw_four c0 = ZW_LOAD(c), ONE(0))
            BELOW(2, zw_four c0 = ZW_LOAD(c); zw_four c1 = ZW_LOAD(c + 4), ONE(0); ONE(1))
            BELOW(3, zw_four c0 = ZW_LOAD(c); zw_four c1 = ZW_LOAD(c + 4);
                  zw_four c2 = ZW_LOAD(c + 8), ONE(0); ONE(1); ONE(2))
            BELOW(4, zw_four c0 = ZW_LOAD(c); zw_four c1 = ZW_LOAD(c + 4);
                  zw_four c2 = ZW_LOAD(c + 8); zw_four c3 = ZW_LOAD(c + 12), ONE(0); ONE(1); ONE(2);
                  ONE(3))
        default:
            for (int i = k + 1; i < n; i++) {
                double *below = A + (size_t)(i * stride), l = below[k] * inverse;
                for (int j = from; j < stride; j += ZW_FOUR)
                    ZW_STORE(below + j, ZW_LOAD(below + j) - l * ZW_LOAD(clean + j));
                below[k] = l;
            }
        }
    }
    return least / most;
}

/* to (sixteen columns) -= sum over k of a[k] B[k]; B by rows of `stride` */
ZW_KERNEL void subtract_wide(int l, const double *restrict a, const double *restrict B, int stride,
                             double *restrict to) {
    zw_four x = ZW_LOAD(to), y = ZW_LOAD(to + 4), z = ZW_LOAD(to + 8), u = ZW_LOAD(to + 12);
    for (int k = 0; k < l; k++) {
        if (a[k] == 0)
            continue;
        const double *row = B + (size_t)(k * stride);
        double f = a[k];
        x -= f * ZW_LOAD(row);
        y -= f * ZW_LOAD(row + 4);
        z -= f * ZW_LOAD(row + 8);
        u -= f * ZW_LOAD(row + 12);
    }
    ZW_STORE(to, x);
    ZW_STORE(to + 4, y);
    ZW_STORE(to + 8, z);
    ZW_STORE(to + 12, u);
}

ZW_KERNEL void subtract_four(int l, const double *restrict a, const double *restrict B, int stride,
                             double *restrict to) {
    zw_four x = ZW_LOAD(to);
    for (int k = 0; k < l; k++)
        x -= a[k] * ZW_LOAD(B + (size_t)(k * stride));
    ZW_STORE(to, x);
}

/* the same for a multiple of four of columns */
ZW_KERNEL void subtract_columns(int l, const double *restrict a, const double *restrict B,
                                int stride, int columns, double *restrict to) {
    int j = 0;
    for (; j + 16 <= columns; j += 16)
        subtract_wide(l, a, B + j, stride, to + j);
    for (; j < columns; j += ZW_FOUR)
        subtract_four(l, a, B + j, stride, to + j);
}

ZW_KERNEL void subtract_row(int l, const double *restrict a, const double *restrict B, int stride,
                            double *restrict to) {
    subtract_columns(l, a, B, stride, stride, to);
}

/* Eliminates the columns from `from` to `to` one after another, in these columns alone; those
 * before are eliminated already. */
ZW_KERNEL bool factor_panel(int n, int stride, int from, int to, double *restrict A,
                            int *restrict pivot, double *least, double *most) {
    for (int k = from; k < to; k++) {
        if (!exchange(n, stride, k, A, pivot)) {
            *least = A[(size_t)k * (size_t)stride + (size_t)k] == 0 ? 0 : NAN;
            *most = 1;
            return false;
        }
        double *row = A + (size_t)k * (size_t)stride, size = fabs(row[k]), inverse = 1 / row[k];
        *least = size < *least ? size : *least;
        *most = size > *most ? size : *most;
        row[k] = inverse;
        for (int i = k + 1; i < n; i++) {
            double *below = A + (size_t)i * (size_t)stride, l = below[k] * inverse;
            for (int j = k + 1; j < to; j++)
                below[j] -= l * row[j];
            below[k] = l;
        }
    }
    return true;
}

/* factor_dense for a matrix larger than the cache: PANEL columns are eliminated, then multiples of
 * their rows are subtracted from all other columns, WIDE of these at a time. */
ZW_CLONES static double factor_large(int n, int stride, double *restrict A, int *restrict pivot) {
    double least = INFINITY, most = 0;
    for (int k = 0; k < n; k += PANEL) {
        int end = k + PANEL < n ? k + PANEL : n;
        if (zw_interrupted())
            return NAN;
        if (!factor_panel(n, stride, k, end, A, pivot, &least, &most))
            return least;
        const double *above = A + (size_t)k * (size_t)stride;
        for (int j = end; j < stride && end < n; j += WIDE)
            for (int i = k + 1; i < n; i++) {
                double *row = A + (size_t)i * (size_t)stride;
                subtract_columns(i < end ? i - k : PANEL, row + k, above + j, stride,
                                 j + WIDE < stride ? WIDE : stride - j, row + j);
            }
    }
    return least / most;
}

/* B (n rows of `stride`) <- A^-1 B with A = P L U */
ZW_CLONES static void divide(int n, const double *restrict LU, int ld, const int *restrict pivot,
                             int stride, double *restrict B) {
    for (int i = 0; i < n; i++)
        if (pivot[i] != i)
            for (int k = 0; k < stride; k++) {
                double swap = B[i * stride + k];
                B[i * stride + k] = B[pivot[i] * stride + k];
                B[pivot[i] * stride + k] = swap;
            }
    for (int i = 1; i < n; i++)
        subtract_row(i, LU + (size_t)(i * ld), B, stride, B + (size_t)(i * stride));
    for (int i = n - 1; i >= 0; i--) {
        double *row = B + (size_t)(i * stride), inverse = LU[i * ld + i];
        subtract_row(n - 1 - i, LU + (size_t)(i * ld + i + 1), row + stride, stride, row);
        for (int k = 0; k < stride; k++)
            row[k] *= inverse;
    }
}

/* C (n rows of `stride`) -= A (n x l, rows of ld) B (l rows of `stride`) */
ZW_CLONES static void subtract_product(int n, int l, const double *restrict A, int ld, int stride,
                                       const double *restrict B, double *restrict C) {
    for (int i = 0; i < n; i++)
        subtract_row(l, A + (size_t)(i * ld), B, stride, C + (size_t)(i * stride));
}

static void eliminate_block(zw_blocks *b, int k) {
    const double *pivots = block_entries(b, k, k);
    const int *neighbour = b->list + b->first[k];
    int ld = block_stride(b, k), n = b->first[k + 1] - b->first[k];
    for (int j = 0; j < n; j++)
        divide(b->size, pivots, ld, b->pivot + (size_t)k * (size_t)b->size,
               block_stride(b, neighbour[j]), block_entries(b, k, neighbour[j]));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            subtract_product(block_rows(b, neighbour[i]), b->size,
                             block_entries(b, neighbour[i], k), ld, block_stride(b, neighbour[j]),
                             block_entries(b, k, neighbour[j]),
                             block_entries(b, neighbour[i], neighbour[j]));
}

/* the last block and the border as one matrix */
static double factor_corner(zw_blocks *b) {
    int n = b->n, all = b->size + b->border, ld = zw_fours(all);
    for (int i = n - 1; i <= n; i++)
        for (int j = n - 1; j <= n; j++) {
            int rows = block_rows(b, i), columns = block_rows(b, j), stride = block_stride(b, j);
            const double *from = block_entries(b, i, j);
            double *to = b->corner + (i == n ? b->size * ld : 0) + (j == n ? b->size : 0);
            for (int r = 0; r < rows; r++, from += stride, to += ld)
                for (int k = 0; k < columns; k++)
                    to[k] = from[k];
        }
    for (int r = 0; r < all; r++)
        for (int j = all; j < ld; j++)
            b->corner[r * ld + j] = 0;
    int *pivot = b->pivot + (size_t)((n - 1) * b->size);
    return all > LARGE ? factor_large(all, ld, b->corner, pivot)
                       : factor_dense(all, ld, b->corner, pivot, b->row);
}

double zw_blocks_factor(zw_blocks *b) {
    double least = 1;
    for (int k = 0; k < b->n - 1; k++) {
        double ratio = factor_dense(b->size, block_stride(b, k), block_entries(b, k, k),
                                    b->pivot + (size_t)(k * b->size), b->row);
        if (!(ratio > 0))
            return ratio;
        least = fmin(least, ratio);
        eliminate_block(b, k);
    }
    double ratio = factor_corner(b);
    return ratio > 0 ? fmin(least, ratio) : ratio;
}

/* ------------------------------------------------------------------------------------- solution */

/* four sums in parallel, in an order that does not depend on the compiler */
ZW_KERNEL double dot(int n, const double *restrict a, const double *restrict x) {
    zw_four sum = {0};
    int k = 0;
    double remaining = 0;
    for (; k + ZW_FOUR <= n; k += ZW_FOUR)
        sum += ZW_LOAD(a + k) * ZW_LOAD(x + k);
    for (; k < n; k++)
        remaining += a[k] * x[k];
    return ((sum[0] + sum[2]) + (sum[1] + sum[3])) + remaining;
}

/* Sums of products of four rows with x, k from `from` to `to`, multiples of four. The result is one
 * vector, so that stores and later loads have the same width. */
#define FOUR_ROWS(sum, LU, ld, from, to, x)                                                        \
    do {                                                                                           \
        zw_four s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};                                            \
        for (int k = (from); k < (to); k += ZW_FOUR) {                                             \
            zw_four v = ZW_LOAD((x) + k);                                                          \
            s0 += ZW_LOAD((LU) + k) * v;                                                           \
            s1 += ZW_LOAD((LU) + (ld) + k) * v;                                                    \
            s2 += ZW_LOAD((LU) + 2 * (ld) + k) * v;                                                \
            s3 += ZW_LOAD((LU) + 3 * (ld) + k) * v;                                                \
        }                                                                                          \
        zw_four a = __builtin_shufflevector(s0, s1, 0, 4, 2, 6) +                                  \
                    __builtin_shufflevector(s0, s1, 1, 5, 3, 7),                                   \
                b = __builtin_shufflevector(s2, s3, 0, 4, 2, 6) +                                  \
                    __builtin_shufflevector(s2, s3, 1, 5, 3, 7);                                   \
        sum =                                                                                      \
            __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7); \
    } while (0)

/* x (n, memory for a multiple of four) <- A^-1 x with A = P L U, whose rows are padded with zeros:
 * four rows at a time, whose triangle remains */
ZW_CLONES static void divide_vector(int n, const double *restrict LU, int ld,
                                    const int *restrict pivot, double *restrict x) {
    int whole = n & ~(ZW_FOUR - 1);
    for (int i = 0; i < n; i++) {
        double swap = x[i];
        x[i] = x[pivot[i]];
        x[pivot[i]] = swap;
    }
    for (int i = 0; i < whole; i += ZW_FOUR) {
        const double *L = LU + (size_t)(i * ld);
        zw_four sum;
        FOUR_ROWS(sum, L, ld, 0, i, x);
        sum = ZW_LOAD(x + i) - sum;
        L += i;
        double a = sum[0], b = sum[1] - L[ld] * a, c = sum[2] - (L[2 * ld] * a + L[2 * ld + 1] * b),
               d = sum[3] - (L[3 * ld] * a + L[3 * ld + 1] * b + L[3 * ld + 2] * c);
        ZW_STORE(x + i, ((zw_four){a, b, c, d}));
    }
    for (int i = whole; i < n; i++)
        x[i] -= dot(i, LU + (size_t)(i * ld), x);
    for (int i = n - 1; i >= whole; i--)
        x[i] = (x[i] - dot(n - 1 - i, LU + (size_t)(i * ld + i + 1), x + i + 1)) * LU[i * ld + i];
    for (int i = n; i < zw_fours(n); i++)
        x[i] = 0;
    for (int i = whole - ZW_FOUR; i >= 0; i -= ZW_FOUR) {
        const double *U = LU + (size_t)(i * ld);
        zw_four sum;
        FOUR_ROWS(sum, U, ld, i + ZW_FOUR, zw_fours(n), x);
        sum = ZW_LOAD(x + i) - sum;
        U += i;
        double d = sum[3] * U[3 * ld + 3], c = (sum[2] - U[2 * ld + 3] * d) * U[2 * ld + 2],
               b = (sum[1] - (U[ld + 2] * c + U[ld + 3] * d)) * U[ld + 1],
               a = (sum[0] - (U[1] * b + U[2] * c + U[3] * d)) * U[0];
        ZW_STORE(x + i, ((zw_four){a, b, c, d}));
    }
}

/* y (n) -= A (n x l) x */
ZW_CLONES static void subtract_times(int n, int l, const double *restrict A, int ld,
                                     const double *restrict x, double *restrict y) {
    for (int i = 0; i < n; i++)
        y[i] -= dot(l, A + (size_t)(i * ld), x);
}

void zw_blocks_solve(const zw_blocks *b, double *x) {
    int n = b->n, size = b->size, ld = zw_fours(size);
    double *y = b->work;
    for (int k = 0; k < n; k++)
        memcpy(y + (size_t)(k * size), x + (size_t)(b->order[k] * size),
               sizeof(double) * (size_t)size);
    memcpy(y + (size_t)(n * size), x + (size_t)(n * size), sizeof(double) * (size_t)b->border);
    for (int k = 0; k < n - 1; k++) {
        double *segment = y + (size_t)(k * size);
        memcpy(b->part, segment, sizeof(double) * (size_t)size);
        divide_vector(size, block_entries(b, k, k), ld, b->pivot + (size_t)(k * size), b->part);
        memcpy(segment, b->part, sizeof(double) * (size_t)size);
        for (int at = b->first[k]; at < b->first[k + 1]; at++) {
            int i = b->list[at];
            subtract_times(block_rows(b, i), size, block_entries(b, i, k), ld, segment,
                           y + (size_t)(i * size));
        }
    }
    int all = size + b->border;
    double *end = y + (size_t)((n - 1) * size);
    memcpy(b->part, end, sizeof(double) * (size_t)all);
    divide_vector(all, b->corner, zw_fours(all), b->pivot + (size_t)((n - 1) * size), b->part);
    memcpy(end, b->part, sizeof(double) * (size_t)all);
    for (int k = n - 2; k >= 0; k--)
        for (int at = b->first[k]; at < b->first[k + 1]; at++) {
            int j = b->list[at];
            subtract_times(size, block_rows(b, j), block_entries(b, k, j), block_stride(b, j),
                           y + (size_t)(j * size), y + (size_t)(k * size));
        }
    for (int k = 0; k < n; k++)
        memcpy(x + (size_t)(b->order[k] * size), y + (size_t)(k * size),
               sizeof(double) * (size_t)size);
    memcpy(x + (size_t)(n * size), y + (size_t)(n * size), sizeof(double) * (size_t)b->border);
}

static int sign_of(int n, const double *LU, int ld, const int *pivot) {
    int sign = 1;
    for (int i = 0; i < n; i++)
        sign *= (LU[(size_t)i * (size_t)ld + (size_t)i] < 0) == (pivot[i] == i) ? -1 : 1;
    return sign;
}

int zw_blocks_sign(const zw_blocks *b) {
    int last = b->n - 1, all = b->size + b->border,
        sign = sign_of(all, b->corner, zw_fours(all), b->pivot + (size_t)(last * b->size));
    for (int k = 0; k < last; k++)
        sign *= sign_of(b->size, block_entries(b, k, k), block_stride(b, k),
                        b->pivot + (size_t)(k * b->size));
    return sign;
}
