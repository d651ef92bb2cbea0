/* SPDX-License-Identifier: MIT */
/* The largest values of a function of several phases, which may not depend on some of them: there
 * its second derivatives are singular. */
#include <math.h>
#include <string.h>

#include "torus.h"

#include "base/tolerance.h"

enum { STEPS = 60 };
/* relative to the largest value: difference of grid points that are equally high, such as those
 * along a phase without influence (round-off of a series, ZW_ROUNDOFF_SUM) */
/* relative to the second derivatives: what is always added to their diagonal, so that they are
 * regular; it slows convergence by as little */
#define DAMPING_LEAST 1e-10
/* the same after a step that leads down, or an indefinite matrix; it grows fourfold from there */
#define DAMPING_FIRST 1e-3
/* step [rad] that ends the search: the value is then exact to its square */
#define STEP_SETTLED 1e-9
#define RISE_ROUNDOFF 1e-16 /* relative: expected rise that is rounding, below eps */

/* Is point s of the grid exceeded by a neighbour along an axis? Of equally high points the last one
 * counts. */
static bool is_exceeded(int tones, const int *grid, const double *value, double sign, double tie,
                        int s) {
    for (int j = 0, stride = 1; j < tones; stride *= grid[j++]) {
        int i = s / stride % grid[j], last = grid[j] - 1;
        int neighbour[2] = {s + (i == last ? -last : 1) * stride,
                            s + (i == 0 ? last : -1) * stride};
        for (int k = 0; k < 2; k++) {
            double higher = sign * (value[neighbour[k]] - value[s]);
            if (higher > tie || (higher >= -tie && neighbour[k] > s))
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
        tie = fmax(tie, ZW_ROUNDOFF_SUM * fabs(value[s]));
    for (int s = 0; s < samples; s++) {
        if (is_exceeded(tones, grid, value, sign, tie, s))
            continue;
        int at = n < ZW_TORUS_PEAKS ? n++ : ZW_TORUS_PEAKS; /* sorted, the lowest last */
        if (at == ZW_TORUS_PEAKS && !(sign * value[s] > sign * value[peak[--at]]))
            continue;
        for (; at > 0 && sign * value[s] > sign * value[peak[at - 1]]; at--)
            peak[at] = peak[at - 1];
        peak[at] = s;
    }
    return n;
}

/* the Cholesky factor of a, in its place; false: a is not positive definite */
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

/* A Newton step uphill, with *damping times the size of the second derivatives added to their
 * diagonal; the damping grows until the matrix is positive. No longer than half a grid spacing.
 * Returns the expected rise of the value. */
static double propose_step(int tones, const int *grid, double sign, const double *slope,
                           const double *hessian, double *damping, double *step) {
    double a[ZW_PHASES_MAX * ZW_PHASES_MAX], size = 0, rise = 0;
    for (int j = 0; j < tones * tones; j++)
        size = fmax(size, fabs(hessian[j]));
    for (int j = 0; j < tones; j++)
        size = fmax(size, fabs(slope[j]));
    if (!(size > 0) || !isfinite(size))
        return 0;
    for (;; *damping = fmax(DAMPING_FIRST, 4 * *damping)) {
        for (int j = 0; j < tones * tones; j++)
            a[j] = -sign * hessian[j] + (j % (tones + 1) == 0 ? *damping * size : 0);
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

zw_status zw_torus_climb(int tones, const int *grid, zw_torus_function *function, void *user,
                         double sign, int point, double *best, zw_error *err) {
    double theta[ZW_PHASES_MAX], trial[ZW_PHASES_MAX], step[ZW_PHASES_MAX], slope[ZW_PHASES_MAX],
        hessian[ZW_PHASES_MAX * ZW_PHASES_MAX], damping = DAMPING_LEAST, length = 1;
    for (int j = 0; j < tones; j++) {
        theta[j] = 2 * M_PI * (point % grid[j]) / grid[j];
        point /= grid[j];
    }
    ZW_TRY(function(user, theta, best, slope, hessian, err));
    for (int i = 0; i < STEPS && length > STEP_SETTLED; i++) {
        double value, rise = propose_step(tones, grid, sign, slope, hessian, &damping, step);
        if (!(rise > RISE_ROUNDOFF * fabs(*best)))
            break;
        length = 0;
        for (int j = 0; j < tones; j++) {
            trial[j] = theta[j] + step[j];
            length = fmax(length, fabs(step[j]));
        }
        ZW_TRY(function(user, trial, &value, NULL, NULL, err));
        if (!(sign * value > sign * *best)) {
            damping = fmax(DAMPING_FIRST, 4 * damping);
            continue;
        }
        memcpy(theta, trial, sizeof theta);
        damping = fmax(DAMPING_LEAST, damping / 16);
        ZW_TRY(function(user, theta, best, slope, hessian, err));
    }
    return ZW_OK;
}
