/* SPDX-License-Identifier: MIT */
/* An impact as a differentiable function of time and state. The impact laws are linear equations as
 * long as the same contacts separate, slide and stick. The solution of the contact problem gives
 * this pattern once; after that, the equations of the pattern are solved,
 *
 *     gamma_N+ = -e gamma_N-   (active),     gamma_F+ = 0   (sticks),     P_F = +-mu P_N   (slides),
 *
 * also where an impact becomes tangential. The slack says by how much the pattern satisfies the
 * laws. Impacts of laws that are not linear (friction of several velocities, smooth friction,
 * bilateral contacts) are solutions of the contact problem at every state. */
#ifndef ZW_CONTACT_IMPACT_MAP_H
#define ZW_CONTACT_IMPACT_MAP_H

#include "base/arena.h"
#include "contact_mode.h"

typedef struct zw_strike {
    const zw_kernel *k; /* without contacts, as of stances */
    zw_flow *flow;      /* of that kernel; with the parameters of the impact */
    zw_contact_modes *stances;
    const bool *plastic;      /* ncontact: without restitution, while an impact is solved */
    double *reach, *size, *P; /* nv, nv, ntouch */
    double *before, *sum;     /* ntouch */
    double *x, *tried, *move; /* nx, nx, rows x nv */
} zw_strike;

/* Memory is from the arena; the caller keeps k, flow and stances. */
zw_status zw_strike_init(zw_strike *s, zw_arena *arena, const zw_kernel *k, zw_flow *flow,
                         zw_contact_modes *stances, zw_error *err);
/* A pattern (ntouch + 1) that is not known yet. */
void zw_strike_forget(const zw_kernel *k, signed char *pattern);
/* x = (q, v) after the impact of the contacts that touch (ncontact); plastic (ncontact): those
 * without restitution, NULL: none. The pattern is found where it is not known. slack: by how much
 * it satisfies the laws, relative; negative: it does not; NaN: no rows. */
zw_status zw_strike_at(zw_strike *s, const bool *touching, const bool *plastic,
                       signed char *pattern, double t, double *x, double *slack, zw_error *err);

#endif
