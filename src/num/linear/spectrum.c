/* SPDX-License-Identifier: MIT */
#include "spectrum.h"

#include <math.h>
#include <stddef.h>

#include "schur.h"

/* the largest first; the two of a pair remain adjacent */
static void sort_eigenvalues(int n, double *re, double *im, double *size) {
    for (int i = 0; i < n; i++)
        size[i] = hypot(re[i], im[i]);
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
    int low, high;
    for (int i = 0; i < n * n; i++)
        if (!isfinite(A[i]))
            return false;
    if (n == 0)
        return true;
    zw_num_balance(n, A, &low, &high, work + 2 * n);
    if (!zw_num_schur(n, A, low, high, NULL, re, im, work))
        return false;
    sort_eigenvalues(n, re, im, work);
    return true;
}
