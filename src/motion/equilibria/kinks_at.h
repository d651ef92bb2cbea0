/* SPDX-License-Identifier: MIT */
/* Points where the equations are not smooth at a motion: abs, sign, min, max, if, roots, knots of
 * tables, by statement. */
#ifndef ZW_MOTION_EQUILIBRIA_KINKS_AT_H
#define ZW_MOTION_EQUILIBRIA_KINKS_AT_H

#include "equilibria.h"

/* The position of a surface (zw_kink) relative to a motion x0 + r Re(q e^(i theta)). */
typedef struct zw_kinks_at_place {
    bool here;  /* it vanishes at x0 */
    bool moves; /* it changes to first order in r (a root: to the order of its own argument) */
    /* r at which it vanishes, if it does not at x0; infinite if never to first order */
    double reach;
} zw_kinks_at_place;

/* All kinks of rates and constraints, and their positions; arrays of the context and of the arena
 * of e. q_re, q_im: nx, or NULL if only those at the motion itself matter. */
zw_status zw_kinks_at_motion(zw_equilibria *e, const zw_steady *at, const double *q_re,
                             const double *q_im, zw_smoothness **kink, zw_kinks_at_place **place,
                             int *n, zw_error *err);
/* "an absolute value, abs(x'), in force friction", and the place of that statement (file NULL:
 * unknown). */
zw_status zw_kinks_at_name(const zw_equilibria *e, const zw_kink *kink, char *out, size_t size,
                           zw_place *place, zw_error *err);
/* The same for all that vanish at the motion, and the place of the first; "" if there is none. */
zw_status zw_kinks_at_here(zw_equilibria *e, const zw_steady *at, char *out, size_t size,
                           zw_place *place, zw_error *err);

#endif
