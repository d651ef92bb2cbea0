/* SPDX-License-Identifier: MIT */
/* The largest values of a function of several phases, which may not depend on some of them: there
 * its second derivatives are singular. */
#include <math.h>
#include <string.h>

#include "torus.h"

enum { STEPS = 60 };
#define TIE 1e-12   /* of the largest value: points of a grid are equally high */
#define LEAST 1e-10 /* of the second derivatives: what is added to them so that they are regular, */
#define FIRST 1e-3  /* and where a step goes down */
#define SETTLED 1e-9 /* a step, in radians */

/* Is point s of the grid exceeded by a neighbour along an axis? Of equally high points the last one
 * counts. */
static bool is_exceeded(int tones, const int *grid, const double *value, double sign, double tie,
                        int s) {
    for (int j = 0, stride = 1; j < tones; stride *= grid[j++]) {
        int i = s / stride % grid[j], last = grid[j] - 1;
        int beside[2] = {s + (i == last ? -last : 1) * stride, s + (i == 0 ? last : -1) * stride};
        for (int k = 0; k < 2; k++) {
            double higher = sign * (value[beside[k]] - value[s]);
            if (higher > tie || (higher >= -tie && beside[k] > s))
                return true;
        }
    }
    return false;
}

int zw_torus_peaks(int tones, const int *grid, const double *value, double sign,
                   int peak[ZW_TORUS_PEAKS]) {
    int samples = 1, n = 0;
    double tie = 0;
    for (int j = 0; j < tones; j++)
        samples *= grid[j];
    for (int s = 0; s < samples; s++)
        tie = fmax(tie, TIE * fabs(value[s]));
    for (int s = 0; s < samples; s++) {
        if (is_exceeded(tones, grid, value, sign, tie, s))
            continue;
        int at = n < ZW_TORUS_PEAKS ? n++ : ZW_TORUS_PEAKS; /* in their order, the lowest last */
        if (at == ZW_TORUS_PEAKS && !(sign * value[s] > sign * value[peak[--at]]))
            continue;
        for (; at > 0 && sign * value[s] > sign * value[peak[at - 1]]; at--)
            peak[at] = peak[at - 1];
        peak[at] = s;
    }
    return n;
}

/* Cholesky's factors of a, in its place; false: it is not positive definite */
static bool factor_cholesky(int n, double *a) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = a[i * n + j];
            for (int k = 0; k < j; k++)
                sum -= a[i * n + k] * a[j * n + k];
            if (i == j && !(sum > 0))
                return false;
            a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
        }
    return true;
}

static void solve_cholesky(int n, const double *a, double *b) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            b[i] -= a[i * n + k] * b[k];
        b[i] /= a[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            b[i] -= a[k * n + i] * b[k];
        b[i] /= a[i * n + i];
    }
}

/* Newton's step uphill, with *more times the size of the second derivatives added to them, more
 * where that is not enough; not beyond a point of the grid. Returns by how much the value should
 * rise. */
static double propose_step(int tones, const int *grid, double sign, const double *slope,
                           const double *bend, double *more, double *step) {
    double a[ZW_PHASES_MAX * ZW_PHASES_MAX], size = 0, rise = 0;
    for (int j = 0; j < tones * tones; j++)
        size = fmax(size, fabs(bend[j]));
    for (int j = 0; j < tones; j++)
        size = fmax(size, fabs(slope[j]));
    if (!(size > 0) || !isfinite(size))
        return 0;
    for (;; *more = fmax(FIRST, 4 * *more)) {
        for (int j = 0; j < tones * tones; j++)
            a[j] = -sign * bend[j] + (j % (tones + 1) == 0 ? *more * size : 0);
        if (factor_cholesky(tones, a))
            break;
    }
    for (int j = 0; j < tones; j++)
        step[j] = sign * slope[j];
    solve_cholesky(tones, a, step);
    for (int j = 0; j < tones; j++) {
        double most = M_PI / grid[j];
        step[j] = fmin(fmax(step[j], -most), most);
        rise += sign * slope[j] * step[j];
    }
    return rise;
}

zw_status zw_torus_climb(int tones, const int *grid, zw_torus_look *look, void *user, double sign,
                         int point, double *best, zw_error *err) {
    double theta[ZW_PHASES_MAX], beside[ZW_PHASES_MAX], step[ZW_PHASES_MAX], slope[ZW_PHASES_MAX],
        bend[ZW_PHASES_MAX * ZW_PHASES_MAX], more = LEAST, length = 1;
    for (int j = 0; j < tones; j++) {
        theta[j] = 2 * M_PI * (point % grid[j]) / grid[j];
        point /= grid[j];
    }
    ZW_TRY(look(user, theta, best, slope, bend, err));
    for (int i = 0; i < STEPS && length > SETTLED; i++) {
        double value, rise = propose_step(tones, grid, sign, slope, bend, &more, step);
        if (!(rise > 1e-16 * fabs(*best)))
            break;
        length = 0;
        for (int j = 0; j < tones; j++) {
            beside[j] = theta[j] + step[j];
            length = fmax(length, fabs(step[j]));
        }
        ZW_TRY(look(user, beside, &value, NULL, NULL, err));
        if (!(sign * value > sign * *best)) {
            more = fmax(FIRST, 4 * more);
            continue;
        }
        memcpy(theta, beside, sizeof theta);
        more = fmax(LEAST, more / 16);
        ZW_TRY(look(user, theta, best, slope, bend, err));
    }
    return ZW_OK;
}
