/* SPDX-License-Identifier: MIT */
/* What is not smooth where a motion passes: abs, sign, min, max, if, roots, knots of tables, by statement. */
#ifndef ZW_STUDY_ROUGH_H
#define ZW_STUDY_ROUGH_H

#include "equilibria.h"

/* Where a surface (zw_kink) lies relative to a motion x0 + r Re(q e^(i theta)). */
typedef struct zw_rough_place {
    bool here; /* it vanishes at x0 */
    bool
        moves; /* it does not stay zero to first order in r (a root: to the order of its own argument) */
    double
        reach; /* r at which it vanishes, where it does not at x0; infinite if never to first order */
} zw_rough_place;

/* All kinks of rates and constraints, and where they lie; arrays of the context and of the arena of e. q_re, q_im: nx. */
zw_status zw_rough_look(zw_equilibria *e, const zw_steady *at, const double *q_re,
                        const double *q_im, zw_smoothness **kink, zw_rough_place **place, int *n,
                        zw_error *err);
/* "abs(x') in force friction (m.zw:12)". */
zw_status zw_rough_name(const zw_equilibria *e, const zw_kink *kink, char *out, size_t size,
                        zw_error *err);

#endif
