/* SPDX-License-Identifier: MIT */
/* A polynomial through the samples near a time, by weighted least squares: the filter of Savitzky
 * and Golay (Anal. Chem. 36 (1964) 1627-1639) for samples at any times. In u = (t_i - t)/half the
 * normal equations have plain numbers. */
#include <math.h>
#include <string.h>

#include "base/tolerance.h"
#include "num/linear/linalg.h"
#include "smooth.h"

enum { TERMS = 6 }; /* of a polynomial of degree 5 */

/* The first sample that is not before x. */
static long first_from(long n, const double *t, double x) {
    long low = 0, high = n;
    while (low < high) {
        long middle = low + (high - low) / 2;
        if (t[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool zw_local_fit(long n, const double *t, const double *y, const double *w, double at, double half,
                  int degree, double value[3], double sd[3], double *leverage) {
    double M[TERMS * TERMS] = {0}, rhs[4 * TERMS] = {0};
    int terms = degree + 1, pivot[TERMS];
    long used = 0, begin = first_from(n, t, at - half);
    double left = 0, right = 0;
    for (long i = begin; i < n && t[i] <= at + half; i++) {
        double u = (t[i] - at) / half, power[TERMS] = {1};
        if (w[i] <= 0)
            continue;
        used++;
        left = fmin(left, u), right = fmax(right, u);
        for (int k = 1; k < terms; k++)
            power[k] = power[k - 1] * u;
        for (int j = 0; j < terms; j++) {
            for (int k = 0; k < terms; k++)
                M[j * terms + k] += w[i] * power[j] * power[k];
            rhs[j] += w[i] * power[j] * y[i];
        }
    }
    if (used <= terms || right - left < 0.5)
        return false;
    for (int k = 0; k < 3 && k < terms; k++)
        rhs[(k + 1) * terms + k] = 1; /* columns of the covariance */
    if (!(zw_num_lu(terms, M, pivot) > ZW_ROUNDOFF_SUM))
        return false;
    zw_num_lu_solve(terms, M, pivot, 4, rhs);
    double scale = 1;
    for (int k = 0; k < 3; k++, scale *= k / half) {
        value[k] = k < terms ? rhs[k] * scale : 0;
        sd[k] = k < terms ? sqrt(fmax(rhs[(k + 1) * terms + k], 0)) * scale : 0;
    }
    if (leverage) /* of a sample at this time with weight 1 */
        *leverage = rhs[terms];
    return true;
}
