/* SPDX-License-Identifier: MIT */
#include "frame.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/tolerance.h"
#include "num/linear/linalg.h"

static double dot(int nx, const double *scale, const bool *counts, const double *a,
                  const double *b) {
    double sum = 0;
    for (int i = 0; i < nx; i++)
        if (!counts || counts[i])
            sum += a[i] / scale[i] * (b[i] / scale[i]);
    return sum;
}

/* Makes the row orthogonal to n others. *length: its length before; returns its length now. */
static double clear_row(int n, int nx, const double *scale, const bool *counts, const double *Q,
                        double *row, double *length) {
    for (int i = 0; i < nx; i++)
        row[i] = !counts || counts[i] ? row[i] : 0;
    *length = sqrt(dot(nx, scale, counts, row, row));
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < n; k++) {
            const double *other = Q + (size_t)k * (size_t)nx;
            double along = dot(nx, scale, counts, row, other);
            for (int i = 0; i < nx; i++)
                row[i] -= along * other[i];
        }
    return sqrt(dot(nx, scale, counts, row, row));
}

bool zw_frame_qr(int k, int nx, const double *scale, const bool *counts, double *V, double *grown) {
    for (int r = 0; r < k; r++) {
        double *row = V + (size_t)r * (size_t)nx, whole;
        double left = clear_row(r, nx, scale, counts, V, row, &whole);
        if (!isfinite(left) || !(left > ZW_ROUNDOFF_VALUE * whole))
            return false;
        grown[r] = log(left);
        for (int i = 0; i < nx; i++)
            row[i] /= left;
    }
    return true;
}

/* Length of a row in all entries. */
static double length_of(int nx, const double *scale, const double *row) {
    double sum = 0;
    for (int i = 0; i < nx; i++)
        sum += row[i] / scale[i] * (row[i] / scale[i]);
    return sqrt(sum);
}

int zw_frame_qr_left(int k, int nx, const double *scale, const bool *counts, double *V,
                     double *grown) {
    int n = 0;
    for (int r = 0; r < k; r++) {
        double *row = V + (size_t)n * (size_t)nx, whole;
        if (r > n)
            memcpy(row, V + (size_t)r * (size_t)nx, sizeof(double) * (size_t)nx);
        double all = length_of(nx, scale, row);
        double left = clear_row(n, nx, scale, counts, V, row, &whole);
        if (!isfinite(left))
            return -1;
        if (!(left > ZW_ROUNDOFF_VALUE * all))
            continue;
        grown[n] = log(left);
        for (int i = 0; i < nx; i++)
            row[i] /= left;
        n++;
    }
    memset(V + (size_t)n * (size_t)nx, 0, sizeof(double) * (size_t)((k - n) * nx));
    return n;
}

int zw_frame_span(int rows, int nx, const bool *counts, double *V) {
    for (int k = 0; k < rows * nx; k++)
        V[k] = counts[k % nx] ? V[k] : 0;
    return zw_num_rows_span(rows, nx, V, ZW_ROUNDOFF_SOLVED);
}

double zw_frame_trace(int k, int nx, const double *scale, const bool *counts, const double *Q,
                      const double *J) {
    double sum = 0;
    for (int r = 0; r < k; r++) {
        const double *row = Q + (size_t)r * (size_t)nx;
        for (int i = 0; i < nx; i++) {
            double rate = 0;
            for (int j = 0; j < nx && counts[i]; j++)
                rate += J[(size_t)i * (size_t)nx + (size_t)j] * row[j];
            sum += counts[i] ? row[i] / (scale[i] * scale[i]) * rate : 0;
        }
    }
    return sum;
}
