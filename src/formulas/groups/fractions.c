/* SPDX-License-Identifier: MIT */
/* Elimination row by row, with the first nonzero entry as the pivot. An unknown entry is neither
 * zero nor a pivot: then there is no answer. */
#include "fractions.h"

#include <math.h>

#include "expr/core/number.h"

static zw_number number_of(zw_fraction a) {
    return a.den ? (zw_number){true, a.num, a.den, 0} : (zw_number){false, 1, 1, NAN};
}

static zw_fraction fraction_of(zw_number a) {
    return a.exact ? (zw_fraction){a.p, a.q} : (zw_fraction){0, 0};
}

zw_fraction zw_fraction_of(int64_t num, int64_t den) {
    return den ? fraction_of(zw_number_rational(num, den)) : (zw_fraction){0, 0};
}

zw_fraction zw_fraction_add(zw_fraction a, zw_fraction b) {
    return fraction_of(zw_number_add(number_of(a), number_of(b)));
}

zw_fraction zw_fraction_mul(zw_fraction a, zw_fraction b) {
    return fraction_of(zw_number_mul(number_of(a), number_of(b)));
}

zw_fraction zw_fraction_neg(zw_fraction a) {
    return (zw_fraction){-a.num, a.den};
}

zw_fraction zw_fraction_inverse(zw_fraction a) {
    return fraction_of(zw_number_inverse(number_of(a)));
}

double zw_fraction_value(zw_fraction a) {
    return (double)a.num / (double)a.den;
}

void zw_fraction_axpy(int n, zw_fraction f, const zw_fraction *x, zw_fraction *y) {
    for (int i = 0; i < n; i++)
        if (x[i].num || !x[i].den)
            y[i] = zw_fraction_add(y[i], zw_fraction_mul(f, x[i]));
}

static bool is_known(int n, const zw_fraction *a) {
    for (int i = 0; i < n; i++)
        if (!a[i].den)
            return false;
    return true;
}

int zw_fraction_rank(int n, int m, zw_fraction *A) {
    int rank = 0;
    for (int column = 0; column < m && rank < n; column++) {
        if (!is_known(n * m, A))
            return -1;
        int p = rank;
        while (p < n && A[p * m + column].num == 0)
            p++;
        if (p == n)
            continue;
        for (int j = 0; j < m; j++) {
            zw_fraction swap = A[p * m + j];
            A[p * m + j] = A[rank * m + j];
            A[rank * m + j] = swap;
        }
        for (int i = rank + 1; i < n; i++) {
            zw_fraction f =
                zw_fraction_mul(A[i * m + column], zw_fraction_inverse(A[rank * m + column]));
            zw_fraction_axpy(m, zw_fraction_neg(f), &A[rank * m], &A[i * m]);
        }
        rank++;
    }
    return rank;
}

/* The transposed system, rows^T c = v: m equations for n unknowns, in work as m x (n + 1). */
bool zw_fraction_express(int n, int m, const zw_fraction *rows, const zw_fraction *v,
                         zw_fraction *c, zw_fraction *work) {
    int w = n + 1;
    for (int j = 0; j < m; j++) {
        for (int i = 0; i < n; i++)
            work[j * w + i] = rows[i * m + j];
        work[j * w + n] = v[j];
    }
    int row = 0;
    for (int column = 0; column < n && is_known(m * w, work); column++) {
        int p = row;
        while (p < m && work[p * w + column].num == 0)
            p++;
        if (p == m)
            return false;
        for (int j = 0; j < w; j++) {
            zw_fraction swap = work[p * w + j];
            work[p * w + j] = work[row * w + j];
            work[row * w + j] = swap;
        }
        zw_fraction inverse = zw_fraction_inverse(work[row * w + column]);
        for (int j = 0; j < w; j++)
            work[row * w + j] = zw_fraction_mul(work[row * w + j], inverse);
        for (int i = 0; i < m; i++)
            if (i != row && work[i * w + column].num)
                zw_fraction_axpy(w, zw_fraction_neg(work[i * w + column]), &work[row * w],
                                 &work[i * w]);
        row++;
    }
    if (row < n || !is_known(m * w, work))
        return false;
    for (int i = 0; i < n; i++)
        c[i] = work[i * w + n];
    for (int j = n; j < m; j++)
        if (work[j * w + n].num)
            return false;
    return true;
}
