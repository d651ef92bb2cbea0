/* SPDX-License-Identifier: MIT */
/* One contact with Coulomb's law in the plane that is open or sticks, where this is certainly the
 * only solution (condition in one_contact_exact.c) or uniqueness is not asked for: most steps of
 * most motions. W and q unscaled, everything in registers, three divisions; W is positive definite
 * if S, its Schur complement, is. The residual is given as a square and its unit: a comparison
 * needs neither root nor quotient. */
#ifndef ZW_CONTACT_ONE_CONTACT_FAST_H
#define ZW_CONTACT_ONE_CONTACT_FAST_H

#include <float.h>

#include "kernels.h"
#include "solver.h"

typedef struct zw_trivial_impulse {
    double P[3];
    double square, unit; /* the residual is sqrt(square/unit) */
    bool alone;          /* it is the only solution */
} zw_trivial_impulse;

/* False: the solution is another one, or not certain. any_open: open is accepted without asking
 * whether it is the only solution. */
ZW_KERNEL bool zw_contact_trivial(const double *W, const double *q, double mu, bool any_open,
                                  double tolerance, zw_trivial_impulse *out) {
    double N = W[0], x = W[1], y = W[2], over = 1 / N, bx = x * over, by = y * over,
           a = W[4] - bx * x, b = W[5] - bx * y, d = W[8] - by * y, det = a * d - b * b,
           sum = a + d, trace = N + W[4] + W[8], size = q[0] * q[0] + q[1] * q[1] + q[2] * q[2],
           apart = fabs(W[3] - x) + fabs(W[6] - y) + fabs(W[7] - W[5]);
    bool regular = N > 0 && a > 0 && apart <= 4 * DBL_EPSILON * trace &&
                   det > ZW_CONTACT_SINGULAR * sum * sum && trace < HUGE_VAL && size > 0 &&
                   size < HUGE_VAL,
         alone = mu * mu * (x * x + y * y) * sum * sum < 4 * det * N * N;
    if (!regular || !(alone || (q[0] >= 0 && any_open)))
        return false;
    *out = (zw_trivial_impulse){.unit = 1, .alone = alone};
    if (q[0] >= 0)
        return true;
    double gx = q[1] - bx * q[0], gy = q[2] - by * q[0], part = 1 / det,
           P1 = (b * gy - d * gx) * part, P2 = (b * gx - a * gy) * part,
           P0 = -(q[0] + x * P1 + y * P2) * over;
    if (!(P0 > 0 && P1 * P1 + P2 * P2 <= mu * mu * P0 * P0))
        return false;
    double rho = 3 / trace, P[3] = {P0, P1, P2},
           u[3] = {rho * (q[0] + N * P0 + x * P1 + y * P2),
                   rho * (q[1] + x * P0 + W[4] * P1 + W[5] * P2),
                   rho * (q[2] + y * P0 + W[5] * P1 + W[8] * P2)};
    out->P[0] = P0;
    out->P[1] = P1;
    out->P[2] = P2;
    out->square = zw_contact_disc_residual(mu, P, u);
    out->unit = size * rho * rho;
    return out->square <= tolerance * tolerance * out->unit;
}

#endif
