/* SPDX-License-Identifier: MIT */
/* Matrices of expressions. Every entry is a quotient in lowest terms, so that an entry that
 * vanishes is 0, and elimination needs no other test. The pivot is the entry with the least fill-in
 * (the fewest others in its row and column), the shortest of these: matrices of mechanics are
 * sparse, and at a steady motion even more so. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "expr/calculus/ratio.h"
#include "symbolic.h"
#include "zwang/expr.h"

/* of the measure `spent`: about a minute of work, after which formulas stay unsimplified */
#define MOST_WORK 3e7

zw_status zw_symbolic_memory(zw_error *err) {
    return zw_out_of_memory(err, NULL);
}

void zw_symbolic_progress(const zw_symbolic *s, const char *what, double part) {
    if (s->options.progress)
        s->options.progress(s->options.user, what, part);
}

zw_expr zw_symbolic_tidy(zw_symbolic *s, zw_expr e) {
    zw_expr num, den;
    int n;
    zw_expr_args(s->ctx, e, &n);
    if (!e || n == 0 || s->too_long) /* once it is too long, nothing more is tried */
        return e;
    double length = fmin(zw_print_length(s->ctx, e), ZW_LENGTH_MOST);
    s->spent += length * (1 + length / 1000);
    if (s->spent < MOST_WORK && zw_ratio_parts(s->ctx, e, &num, &den))
        return zw_div(s->ctx, num, den);
    s->too_long = true;
    return e;
}

double zw_symbolic_value(const zw_symbolic *s, int probe, zw_expr e) {
    return zw_eval(s->ctx, e, s->nsymbol, s->symbol, s->probe + (size_t)probe * (size_t)s->nsymbol);
}

/* The lengths of row and column of an entry, without it. */
static double pivot_cost(const zw_symbolic *s, int n, int width, const zw_expr *A, const bool *done,
                         int i, int j) {
    int row = 0, column = 0;
    for (int k = 0; k < width; k++)
        row += A[i * width + k] != ZW_ZERO;
    for (int k = 0; k < n; k++)
        column += !done[k] && A[k * width + j] != ZW_ZERO;
    double length = zw_print_length(s->ctx, A[i * width + j]);
    return (row - 1) * (column - 1) + fmin(length, 1000) / 1001;
}

static bool find_pivot(const zw_symbolic *s, int n, int width, const zw_expr *A,
                       const bool *row_done, const bool *column_done, int *row, int *column) {
    double best = INFINITY;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n && !row_done[i]; j++) {
            zw_expr e = A[i * width + j];
            if (column_done[j] || e == ZW_ZERO)
                continue;
            double value = zw_symbolic_value(s, 1, e),
                   price = pivot_cost(s, n, width, A, row_done, i, j);
            if (price < best && isfinite(value) && fabs(value) > 0) {
                best = price;
                *row = i;
                *column = j;
            }
        }
    return isfinite(best);
}

static void eliminate_column(zw_symbolic *s, int n, int width, zw_expr *A, int row, int column) {
    zw_context *ctx = s->ctx;
    zw_expr pivot = A[row * width + column];
    for (int k = 0; k < width; k++)
        A[row * width + k] = zw_symbolic_tidy(s, zw_div(ctx, A[row * width + k], pivot));
    for (int i = 0; i < n; i++) {
        zw_expr factor = A[i * width + column];
        if (i == row || factor == ZW_ZERO)
            continue;
        for (int k = 0; k < width; k++)
            if (A[row * width + k] != ZW_ZERO)
                A[i * width + k] = zw_symbolic_tidy(
                    s, zw_sub(ctx, A[i * width + k], zw_mul(ctx, factor, A[row * width + k])));
    }
}

zw_status zw_symbolic_solve(zw_symbolic *s, int n, int m, const zw_expr *A, const zw_expr *b,
                            zw_expr *x, int *singular, zw_error *err) {
    int width = n + m;
    zw_expr *B = ZW_SYMBOLIC_NEW(s, zw_expr, n * width);
    bool *row_done = ZW_SYMBOLIC_NEW(s, bool, n), *column_done = ZW_SYMBOLIC_NEW(s, bool, n);
    *singular = -1;
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            B[i * width + j] = A[i * n + j];
        for (int j = 0; j < m; j++)
            B[i * width + n + j] = b[i * m + j];
    }
    for (int k = 0; k < n && !s->too_long; k++) {
        int row, column = 0;
        if (!find_pivot(s, n, width, B, row_done, column_done, &row, &column)) {
            while (column_done[column])
                column++;
            *singular = column;
            return zw_context_status(s->ctx, err);
        }
        eliminate_column(s, n, width, B, row, column);
        row_done[row] = column_done[column] = true;
        for (int j = 0; j < m; j++)
            x[column * m + j] = ZW_NULL; /* filled below, when all rows are done */
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (B[i * width + j] != ZW_ZERO)
                for (int k = 0; k < m; k++)
                    x[j * m + k] = B[i * width + n + k];
    return zw_context_status(s->ctx, err);
}

zw_status zw_symbolic_linear(zw_symbolic *s, int m, const zw_expr *e, zw_expr *value,
                             zw_expr *slope, zw_error *err) {
    zw_expr *part = ZW_SYMBOLIC_NEW(s, zw_expr, 2 * m);
    if (s->arena.failed)
        return zw_symbolic_memory(err);
    ZW_TRY(zw_taylor(s->ctx, m, e, s->nx, s->entry, s->x, s->small, 1, part, err));
    for (int i = 0; i < m; i++) {
        if (value)
            value[i] = zw_symbolic_tidy(s, part[2 * i]);
        for (int j = 0; slope && j < s->nx; j++)
            slope[i * s->nx + j] =
                zw_symbolic_tidy(s, zw_diff(s->ctx, part[2 * i + 1], s->small[j]));
    }
    return zw_context_status(s->ctx, err);
}

void zw_symbolic_multiply(zw_symbolic *s, int m, int k, int n, const zw_expr *A, const zw_expr *B,
                          zw_expr *out) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            zw_expr sum = ZW_ZERO;
            for (int l = 0; l < k; l++)
                sum = zw_add(s->ctx, sum, zw_mul(s->ctx, A[i * k + l], B[l * n + j]));
            out[i * n + j] = zw_symbolic_tidy(s, sum);
        }
}

bool zw_symbolic_taken(const zw_symbolic *s, const char *name) {
    for (int i = 0; i < s->nsymbol; i++)
        if (strcmp(zw_expr_name(s->ctx, s->symbol[i]), name) == 0)
            return true;
    for (int i = 0; i < s->nx; i++)
        if (strcmp(zw_symbolic_entry(s, i), name) == 0)
            return true;
    return false;
}

zw_expr zw_symbolic_free_name(const zw_symbolic *s, const char *first, const char *second,
                              const char *third) {
    return zw_symbol(s->ctx, !zw_symbolic_taken(s, first)    ? first
                             : !zw_symbolic_taken(s, second) ? second
                                                             : third);
}

zw_expr zw_symbolic_entry_name(const zw_symbolic *s, const char *letter, int size, int i, int j) {
    char plain[48], apart[48], words[64];
    snprintf(plain, sizeof plain, "%s_%d%s%d", letter, i, size > 9 ? "_" : "", j);
    snprintf(apart, sizeof apart, "%s_%d_%d", letter, i, j);
    snprintf(words, sizeof words, "%s_entry_%d_%d", letter, i, j);
    return zw_symbolic_free_name(s, plain, apart, words);
}
