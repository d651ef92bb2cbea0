/* SPDX-License-Identifier: MIT */
/* The manifold without expansion, at one value of eps: on the fibre of a slow point, the slip
 * velocity c with
 *
 *   d^m gamma / dt^m = 0    along the motion of the whole model.
 *
 * A distance d from the manifold has the derivative (K/eps)^m d, and that of the slow motion is
 * of order eps, so that c is wrong by O(eps^(m+1)) (the principle of zero derivatives). The
 * derivatives are exact, by the series of the motion in time. The equation is nearly linear in
 * c, with the matrix (K/eps)^m/m! for the coefficient of t^m, which Broyden's updates improve.
 * The order m is raised until two of them agree up to round-off, or until they agree less again:
 * the series in eps does not converge. */
#include <math.h>
#include <string.h>

#include "base/tolerance.h"
#include "slip.h"

#define ITERATION_MARGIN 0.1 /* of ORDERS_AGREE: the iteration ends below what is compared */
#define NOT_FALLING 0.3      /* ratio of steps: above, Broyden's method is at round-off */

enum {
    HIGHEST = 16, /* order of the derivative that vanishes */
    STEPS = 24    /* of Broyden's method */
};
/* of the speed: round-off of the slip velocity; smaller differences of two orders cannot be
 * measured */
#define ORDERS_AGREE 1e-14

/* The coefficient of t^m of gamma (nf) along the motion from the slip velocity c. */
static zw_status slip_coefficient(zw_slip_manifold *n, double eps, int m, const double *c,
                                  double *z, zw_error *err) {
    const zw_jet2_shape whole = {m, false};
    double *x = n->x;
    zw_slip_manifold_state(n, c, x);
    for (int i = 0; i < n->nq; i++)
        n->q[i] = zw_jet2_number(whole, x[i]);
    for (int j = 0; j < n->nv; j++)
        n->v[j] = zw_jet2_number(whole, x[n->nq + j]);
    for (int d = 0; d < m; d++) { /* each pass adds a term */
        const zw_jet2_shape shape = {d, false}, next = {d + 1, false};
        for (int i = 0; i < n->nq; i++)
            n->q[i].degree = d;
        for (int j = 0; j < n->nv; j++)
            n->v[j].degree = d;
        ZW_TRY(zw_slip_manifold_rates(n, shape, eps, n->point.t, err));
        for (int i = 0; i < n->nq; i++) {
            zw_jet2_integrate(next, &n->rate[i], &n->q[i]);
            n->q[i].c[0] = x[i];
        }
        for (int j = 0; j < n->nv; j++) {
            zw_jet2_integrate(next, &n->accel[j], &n->v[j]);
            n->v[j].c[0] = x[n->nq + j];
        }
    }
    ZW_TRY(zw_slip_manifold_gamma(n, whole, eps, n->point.t, err));
    for (int k = 0; k < n->nf; k++)
        z[k] = n->gamma[k].c[m];
    return ZW_OK;
}

/* H = m! (eps K^-1)^m. */
static void guess_inverse(const zw_slip_manifold *n, double eps, int m, double *H) {
    int nf = n->nf;
    double part[ZW_SLIP_MANIFOLD_FAST_MOST * ZW_SLIP_MANIFOLD_FAST_MOST];
    for (int i = 0; i < nf * nf; i++)
        H[i] = i % (nf + 1) == 0;
    for (int e = 1; e <= m; e++) {
        memset(part, 0, sizeof part);
        for (int i = 0; i < nf; i++)
            for (int k = 0; k < nf; k++)
                for (int l = 0; l < nf; l++)
                    part[i * nf + k] += e * eps * H[i * nf + l] * n->point.K_inverse[l * nf + k];
        memcpy(H, part, (size_t)(nf * nf) * sizeof *H);
    }
}

/* H += (step - H y) step' H / (step' H y), y the change of z. */
static void update_inverse(int nf, double *H, const double *step, const double *y) {
    double Hy[ZW_SLIP_MANIFOLD_FAST_MOST] = {0}, row[ZW_SLIP_MANIFOLD_FAST_MOST] = {0}, scale = 0;
    for (int i = 0; i < nf; i++)
        for (int k = 0; k < nf; k++) {
            Hy[i] += H[i * nf + k] * y[k];
            row[k] += step[i] * H[i * nf + k];
        }
    for (int i = 0; i < nf; i++)
        scale += step[i] * Hy[i];
    for (int i = 0; scale != 0 && i < nf; i++)
        for (int k = 0; k < nf; k++)
            H[i * nf + k] += (step[i] - Hy[i]) * row[k] / scale;
}

/* c (nf), from its present value; ZW_RETRY: the iteration does not converge. */
static zw_status solve_slips(zw_slip_manifold *n, double eps, int m, double *c, zw_error *err) {
    int nf = n->nf;
    double H[ZW_SLIP_MANIFOLD_FAST_MOST * ZW_SLIP_MANIFOLD_FAST_MOST],
        z[ZW_SLIP_MANIFOLD_FAST_MOST], y[ZW_SLIP_MANIFOLD_FAST_MOST],
        step[ZW_SLIP_MANIFOLD_FAST_MOST], before = INFINITY, speed = n->point.speed;
    guess_inverse(n, eps, m, H);
    ZW_TRY(slip_coefficient(n, eps, m, c, z, err));
    for (int i = 0; i < STEPS; i++) {
        for (int k = 0; k < nf; k++) {
            step[k] = 0;
            for (int l = 0; l < nf; l++)
                step[k] -= H[k * nf + l] * z[l];
        }
        double size = zw_slip_manifold_measured(n, step),
               whole = fmax(speed, zw_slip_manifold_measured(n, c));
        if (!isfinite(size))
            return ZW_RETRY;
        for (int k = 0; k < nf; k++)
            c[k] += step[k];
        if (size <= ITERATION_MARGIN * ORDERS_AGREE * whole ||
            (size < ZW_NEWTON * whole && size > NOT_FALLING * before))
            return ZW_OK;
        before = size;
        ZW_TRY(slip_coefficient(n, eps, m, c, y, err));
        for (int k = 0; k < nf; k++) {
            double now = y[k];
            y[k] -= z[k];
            z[k] = now;
        }
        update_inverse(nf, H, step, y);
    }
    return ZW_RETRY;
}

/* At n->point. */
static zw_status find_slips(zw_slip_manifold *n, double eps, double *gamma, double *uncertain,
                            zw_error *err) {
    int nf = n->nf;
    double c[ZW_SLIP_MANIFOLD_FAST_MOST], before[ZW_SLIP_MANIFOLD_FAST_MOST],
        difference[ZW_SLIP_MANIFOLD_FAST_MOST];
    for (int k = 0; k < nf; k++)
        c[k] = before[k] = gamma[k] = eps * n->point.g_1[k];
    *uncertain = INFINITY;
    for (int m = 1, worse = 0; m <= HIGHEST && worse < 2; m++) {
        zw_status status = solve_slips(n, eps, m, c, err);
        ZW_TRY(status);
        if (status != ZW_OK)
            break;
        for (int k = 0; k < nf; k++)
            difference[k] = c[k] - before[k];
        double apart = zw_slip_manifold_measured(n, difference);
        if (m > 1 && apart < *uncertain) {
            *uncertain = apart;
            memcpy(gamma, c, (size_t)nf * sizeof *gamma);
            worse = 0;
        } else if (m > 1) {
            worse++;
        }
        if (m > 1 && apart <= ORDERS_AGREE * n->point.speed)
            break;
        memcpy(before, c, (size_t)nf * sizeof *c);
    }
    if (isfinite(*uncertain))
        return ZW_OK;
    zw_fail(err, ZW_E_NUMERIC, "no slow manifold was found at %s = %.6g, t = %.6g s",
            n->result.small, eps, n->point.t);
    zw_error_hint(err,
                  "there is none where the slip velocities do not decay faster than the rest "
                  "moves: use a smaller value of %s",
                  n->result.small);
    return ZW_E_NUMERIC;
}

zw_status zw_slip_manifold_exact(zw_slip_manifold *n, double eps, double t, const double *x,
                                 double *gamma, double *uncertain, zw_error *err) {
    double rest;
    ZW_TRY(zw_slip_manifold_find_point(n, t, x, err));
    ZW_TRY(find_slips(n, eps, gamma, &rest, err));
    if (uncertain)
        *uncertain = rest;
    return ZW_OK;
}
