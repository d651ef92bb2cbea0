/* SPDX-License-Identifier: MIT */
/* Reduction to Hessenberg form by reflections, then the implicit QR iteration with two shifts at a time (J. G. F. Francis 1961): from the lower right 2 x 2
 * block of the active part with trace s and determinant d, the first column of H^2 - s H + d begins a bulge of three rows that reflections chase down. Rows
 * and columns beyond the active part are left alone, since nobody asks for vectors. */
#include "spectrum.h"

#include <float.h>
#include <math.h>

#include "base/clones.h"

enum { ITERATIONS = 40 }; /* for one eigenvalue */

/* I - tau v v' makes (x_0, x_1, ...) a multiple of the first unit vector; v_0 = 1 stands in x; returns tau, 0: it is one already */
ZW_KERNEL double reflection(int n, double *x, double *first) {
    double tail = 0;
    for (int i = 1; i < n; i++)
        tail += x[i] * x[i];
    *first = x[0];
    if (tail == 0)
        return 0;
    double alpha = x[0], size = sqrt(alpha * alpha + tail), beta = alpha > 0 ? -size : size;
    double scale = 1 / (alpha - beta);
    for (int i = 1; i < n; i++)
        x[i] *= scale;
    x[0] = 1;
    *first = beta;
    return (beta - alpha) / beta;
}

/* v and row: n each */
ZW_CLONES static void reduce(int n, double *restrict A, double *restrict v, double *restrict sum) {
    for (int k = 0; k + 2 < n; k++) {
        double first;
        int m = n - k - 1;
        for (int i = 0; i < m; i++)
            v[i] = A[(k + 1 + i) * n + k];
        double tau = reflection(m, v, &first);
        if (tau == 0)
            continue;
        for (int j = k; j < n; j++)
            sum[j] = 0;
        for (int i = 0; i < m; i++) {
            const double *row = A + (k + 1 + i) * n;
            for (int j = k; j < n; j++)
                sum[j] += v[i] * row[j];
        }
        for (int i = 0; i < m; i++) {
            double *row = A + (k + 1 + i) * n, by = tau * v[i];
            for (int j = k; j < n; j++)
                row[j] -= by * sum[j];
        }
        for (int i = 0; i < n; i++) {
            double *row = A + i * n + k + 1, dot = 0;
            for (int j = 0; j < m; j++)
                dot += row[j] * v[j];
            dot *= tau;
            for (int j = 0; j < m; j++)
                row[j] -= dot * v[j];
        }
        A[(k + 1) * n + k] = first;
        for (int i = k + 2; i < n; i++)
            A[i * n + k] = 0;
    }
}

/* of (a b; c d) */
static void take_pair(double a, double b, double c, double d, double *re, double *im) {
    double half = 0.5 * (a - d), mean = d + half, disc = half * half + b * c;
    if (disc >= 0) {
        double far = half + copysign(sqrt(disc), half);
        re[0] = d + far;
        re[1] = far != 0 ? d - b * c / far : d;
        im[0] = im[1] = 0;
    } else {
        re[0] = re[1] = mean;
        im[0] = sqrt(-disc);
        im[1] = -im[0];
    }
}

/* rows r, r + 1 (and r + 2) from column `from` up to `to` */
ZW_KERNEL void turn_rows(int n, int width, double *restrict A, int r, int from, int to,
                         const double *v, double tau) {
    double *a = A + r * n, *b = a + n, *c = b + n, v1 = v[1], v2 = v[2], t1 = tau * v1,
           t2 = tau * v2;
    if (width == 3)
        for (int j = from; j < to; j++) {
            double dot = a[j] + v1 * b[j] + v2 * c[j];
            a[j] -= tau * dot;
            b[j] -= t1 * dot;
            c[j] -= t2 * dot;
        }
    else
        for (int j = from; j < to; j++) {
            double dot = a[j] + v1 * b[j];
            a[j] -= tau * dot;
            b[j] -= t1 * dot;
        }
}

ZW_KERNEL void turn_columns(int n, int width, double *restrict A, int c, int from, int to,
                            const double *v, double tau) {
    double v1 = v[1], v2 = v[2], t1 = tau * v1, t2 = tau * v2;
    if (width == 3)
        for (int i = from; i < to; i++) {
            double *x = A + i * n + c, dot = x[0] + v1 * x[1] + v2 * x[2];
            x[0] -= tau * dot;
            x[1] -= t1 * dot;
            x[2] -= t2 * dot;
        }
    else
        for (int i = from; i < to; i++) {
            double *x = A + i * n + c, dot = x[0] + v1 * x[1];
            x[0] -= tau * dot;
            x[1] -= t1 * dot;
        }
}

/* one chase through rows low .. high (included) with shifts of the given trace and determinant */
ZW_CLONES static void chase(int n, double *restrict A, int low, int high, double s, double d) {
    const double *h = A + low * n + low;
    double v[3] = {h[0] * (h[0] - s) + h[1] * h[n] + d, h[n] * (h[0] + h[n + 1] - s),
                   h[n] * h[2 * n + 1]};
    for (int k = low; k < high; k++) {
        int width = k + 2 <= high ? 3 : 2;
        double first, tau = reflection(width, v, &first);
        if (k > low) {
            A[k * n + k - 1] = first;
            A[(k + 1) * n + k - 1] = 0;
            if (width == 3)
                A[(k + 2) * n + k - 1] = 0;
        }
        if (tau != 0) {
            int last = k + 3 < high ? k + 3 : high;
            turn_rows(n, width, A, k, k, high + 1, v, tau);
            turn_columns(n, width, A, k, low, last + 1, v, tau);
        }
        v[0] = A[(k + 1) * n + k];
        v[1] = k + 2 <= high ? A[(k + 2) * n + k] : 0;
        v[2] = k + 3 <= high ? A[(k + 3) * n + k] : 0;
    }
}

static bool iterate(int n, double *A, double *re, double *im) {
    int high = n - 1, tries = 0;
    while (high >= 0) {
        int low = high;
        for (; low > 0; low--) { /* where it falls apart */
            double size = fabs(A[(low - 1) * n + low - 1]) + fabs(A[low * n + low]),
                   below = fabs(A[low * n + low - 1]);
            if (below <= DBL_EPSILON * size || below < DBL_MIN)
                break;
        }
        if (low == high) {
            re[high] = A[high * n + high];
            im[high--] = 0;
            tries = 0;
        } else if (low == high - 1) {
            const double *h = A + low * n + low;
            take_pair(h[0], h[1], h[n], h[n + 1], re + low, im + low);
            high -= 2;
            tries = 0;
        } else {
            if (++tries > ITERATIONS)
                return false;
            const double *h = A + (high - 1) * n + high - 1;
            double s = h[0] + h[n + 1], d = h[0] * h[n + 1] - h[1] * h[n];
            if (tries % 10 == 0) { /* it goes round in circles */
                double off = fabs(A[high * n + high - 1]) + fabs(A[(high - 1) * n + high - 2]);
                s = 1.5 * off;
                d = off * off;
            }
            chase(n, A, low, high, s, d);
        }
    }
    return true;
}

/* the largest first; the two of a pair stay neighbours */
static void sort(int n, double *re, double *im, double *size) {
    for (int i = 0; i < n; i++)
        size[i] = re[i] * re[i] + im[i] * im[i];
    for (int i = 0; i < n; i++)
        if (im[i] > 0 && i + 1 < n)
            size[i + 1] = size[i];
    for (int i = 1; i < n; i++) {
        double r = re[i], m = im[i], s = size[i];
        int j = i;
        for (; j > 0 && size[j - 1] < s; j--) {
            re[j] = re[j - 1];
            im[j] = im[j - 1];
            size[j] = size[j - 1];
        }
        re[j] = r;
        im[j] = m;
        size[j] = s;
    }
}

bool zw_spectrum(int n, double *A, double *re, double *im, double *work) {
    double sum = 0;
    for (int i = 0; i < n * n; i++)
        sum += A[i];
    if (!isfinite(sum))
        return false;
    reduce(n, A, work, work + n);
    if (!iterate(n, A, re, im))
        return false;
    sort(n, re, im, work);
    return true;
}
