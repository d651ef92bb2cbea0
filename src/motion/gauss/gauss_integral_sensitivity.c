/* SPDX-License-Identifier: MIT */
/* Derivatives of minima with respect to a number s on which parameters and the frequency depend.
 * The gradient g(x, s) vanishes along the minima, so that with the second derivatives H = dg/dx
 *
 *     H dx/ds = -dg/ds,        dG/ds = (G(x + dx, s + ds) - G(x - dx, s - ds)) / (2 ds),
 *
 * the latter along the tangent, because with constraints only the sum of G and the defect is
 * stationary. The derivatives in s are central differences of fourth order, whose rounding errors
 * are about 1e-11 of the largest value; H is that of zw_gauss_slopes. */
#include <math.h>
#include <string.h>

#include "gauss_integral_parts.h"

enum { STENCIL = 4 };
static const int offset[STENCIL] = {-2, -1, 1, 2};
static const double weight[STENCIL] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};

typedef struct displaced {
    zw_gauss_integral *g;
    double a, step;
    zw_gauss_displace displace;
    void *user;
} displaced;

static zw_status set_displacement(const displaced *d, double s, zw_error *err) {
    d->displace(d->user, s);
    d->g->at_a = false;
    return zw_gauss_set_value(d->g, d->a, err);
}

/* dg/ds and dG/ds along x + s dx, or at x if dx is NULL; gradient may be NULL */
static zw_status difference_along(const displaced *d, const double *x, const double *dx,
                                  double *gradient, double *G, zw_error *err) {
    zw_gauss_integral *g = d->g;
    int n = g->gaussian.unknowns;
    zw_gaussian_value value;
    *G = 0;
    for (int k = 0; k < STENCIL; k++) {
        double s = offset[k] * d->step, factor = weight[k] / d->step;
        ZW_TRY(set_displacement(d, s, err));
        for (int i = 0; i < n; i++)
            g->trial[i] = x[i] + (dx ? s * dx[i] : 0);
        if (!isfinite(zw_gauss_total(g, g->trial, &value)))
            return zw_fail(err, ZW_E_NUMERIC, "the Gaussian has no value next to the minimum");
        *G += factor * value.G;
        zw_gaussian_derive(&g->gaussian, false, g->gradient, NULL);
        for (int i = 0; i < n && gradient; i++)
            gradient[i] += factor * g->gradient[i];
    }
    return ZW_OK;
}

static zw_status solve_sensitivity(const displaced *d, const double *x, zw_gauss_sensitivity *out,
                                   zw_error *err) {
    zw_gauss_integral *g = d->g;
    zw_gaussian_value value;
    size_t size = sizeof(double) * (size_t)g->gaussian.unknowns;
    memset(out->x, 0, size);
    ZW_TRY(difference_along(d, x, NULL, out->x, &out->G, err));
    ZW_TRY(set_displacement(d, 0, err));
    if (!isfinite(zw_gauss_total(g, x, &value)))
        return zw_fail(err, ZW_E_NUMERIC, "the Gaussian has no value at the minimum");
    zw_gauss_slopes(g, x, true);
    if (!zw_gauss_solve(g, g->H, out->x, 0, g->step))
        return zw_fail(err, ZW_E_NUMERIC, "the minimum is degenerate: it has no derivatives");
    memcpy(out->x, g->step, size);
    return difference_along(d, x, out->x, NULL, &out->G, err);
}

zw_status zw_gauss_integral_sensitivity(zw_gauss_integral *g, const double *x, double a,
                                        zw_gauss_displace displace, void *user, double step,
                                        zw_gauss_sensitivity *out, zw_error *err) {
    displaced d = {.g = g, .a = a, .step = step, .displace = displace, .user = user};
    zw_status status = solve_sensitivity(&d, x, out, err);
    zw_status back = set_displacement(&d, 0, status < 0 ? NULL : err);
    return status < 0 ? status : back;
}

double zw_gauss_integral_rms_slope(const zw_gauss_integral *g, const double *x, const double *dx,
                                   int function) {
    const zw_fourier *f = &g->gaussian.period.fourier;
    const double *own = x + (size_t)(function * f->n), *slope = dx + (size_t)(function * f->n);
    double sum = 0;
    for (int i = 0; i < f->n; i++)
        sum += own[i] * slope[i] * (i == 0 && f->harmonic[0] == 0 ? 1 : 0.5);
    return sum / zw_gauss_integral_rms(g, x, function);
}
