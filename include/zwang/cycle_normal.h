/* SPDX-License-Identifier: MIT */
/* Implemented in src/motion/normal_forms. */
/* Normal forms of periodic orbits at their bifurcations. The map of a section across the orbit (of a driven system: over a period) has, on the manifold of its
 * critical multiplier mu, in a coordinate xi or z of it
 *
 *     fold                mu = 1                xi -> xi + b xi^2 + ...
 *     period doubling     mu = -1               xi -> -xi + c xi^3 + ...                     c > 0: orbits of twice the period are stable (supercritical)
 *     Neimark-Sacker      mu = e^(i theta)      z -> z e^(i theta) (1 + d |z|^2) + ...       Re d < 0: the torus is stable (supercritical)
 *
 * as far as all other multipliers are within the unit circle; a disturbance is xi q, or z q + its conjugate. Behind a period doubling, where mu = -(1 + alpha),
 * the orbits of twice the period are at xi^2 = alpha/c; behind a Neimark-Sacker point, where |mu| = 1 + alpha, the torus is at |z|^2 = -alpha/Re d.
 *
 * Yu. A. Kuznetsov, Elements of Applied Bifurcation Theory (2004), sections 4.5, 4.7, 5.4; Yu. A. Kuznetsov, W. Govaerts, E. J. Doedel, A. Dhooge, SIAM J. Numer. Anal. 43
 * (2005) 1407-1435. */
#ifndef ZWANG_CYCLE_NORMAL_H
#define ZWANG_CYCLE_NORMAL_H

#include "collocation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum zw_cycle_kind { ZW_CYCLE_FOLD, ZW_CYCLE_FLIP, ZW_CYCLE_TORUS } zw_cycle_kind;

typedef struct zw_cycle_normal {
    zw_cycle_kind kind;
    double re, im;      /* mu */
    double coefficient; /* b, c or Re d */
    double imaginary;   /* Im d; 0 of others */
    double
        error; /* NaN: not asked for; of the coefficient: what a mesh of half as many intervals changes */
    double size;   /* of the terms that it is a sum of: below 1e-6 of it, it counts as zero */
    int resonance; /* of a Neimark-Sacker point: 1 to 4 if mu^k is nearly 1, else 0 */
} zw_cycle_normal;

/* Of the orbit x at a, at which a multiplier is critical; judged: with its error. q_re, q_im (nx, may be NULL): the disturbance at the beginning of the orbit. Its mean square over the orbit, across the motion, is 1 in the sizes of the state. The
 * kernel needs ZW_FN_SECOND and ZW_FN_THIRD beside what collocation needs. ZW_E_DOMAIN: no multiplier is near the one that was said, or others are so near that
 * there is no such normal form. */
ZW_API zw_status zw_cycle_normal_find(zw_cycle_normal *out, zw_colloc *c, const double *x, double a,
                                      zw_cycle_kind kind, bool judged, double *q_re, double *q_im,
                                      zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
