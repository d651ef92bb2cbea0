/* SPDX-License-Identifier: MIT */
/* A function on [-1, 1] as a Chebyshev series sum c_k T_k, k = 0 .. n, through its values at the n
 * + 1 points cos(pi j / n). */
#ifndef ZW_NUM_LINEAR_CHEBYSHEV_H
#define ZW_NUM_LINEAR_CHEBYSHEV_H

#include <stdbool.h>

enum { ZW_SERIES_MAX = 32 };

typedef struct zw_num_series {
    int n;              /* 8, 16 or 32 */
    double error;       /* estimate of the truncation error, by the last three coefficients */
    double slope_error; /* error of its slope */
    double c[ZW_SERIES_MAX + 1];
} zw_num_series;

/* Point j of n: cos(pi j / n), exact at both ends and in the middle. */
double zw_num_series_point(int n, int j);
/* From the values at the points; f[j * stride] belongs to point j. */
void zw_num_series_fit(zw_num_series *s, int n, const double *f, int stride);
/* The same function on the part [from, to], as a series on [-1, 1]. */
void zw_num_series_part(const zw_num_series *s, double from, double to, zw_num_series *out);
/* Bound of |f - c_0|. */
double zw_num_series_spread(const zw_num_series *s);
bool zw_num_series_is_monotone(const zw_num_series *s);

#endif
