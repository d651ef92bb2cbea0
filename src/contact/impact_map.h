/* SPDX-License-Identifier: MIT */
/* An impact as a differentiable function of time and state. The impact laws are linear equations as
 * long as the same contacts separate, slide and stick. The solution of the contact problem gives
 * this pattern once; after that the equations of the pattern are solved,
 *
 *     gamma_N+ = -e gamma_N-  (active),  gamma_F+ = 0  (sticks),  P_F = +-mu P_N  (slides),
 *
 * also where an impact becomes tangential. The slack is the margin by which the pattern satisfies
 * the laws. Impacts of laws that are not linear (friction of several velocities, smooth friction,
 * bilateral contacts) are solutions of the contact problem at every state. */
#ifndef ZW_CONTACT_IMPACT_MAP_H
#define ZW_CONTACT_IMPACT_MAP_H

#include "base/arena.h"
#include "contact_mode.h"

typedef struct zw_strike {
    const zw_kernel *k; /* without contacts, the one of `modes` */
    zw_flow *flow;      /* of that kernel; with the parameters of the impact */
    zw_contact_modes *modes;
    /* ncontact: contacts without restitution, set while an impact is solved */
    const bool *plastic;
    double *reach, *size, *P; /* nv, nv, ntouch */
    double *before, *sum;     /* ntouch */
    double *x, *tried, *move; /* nx, nx, rows x nv */
} zw_strike;

/* Memory is from the arena; the caller keeps k, flow and modes. */
zw_status zw_strike_init(zw_strike *s, zw_arena *arena, const zw_kernel *k, zw_flow *flow,
                         zw_contact_modes *modes, zw_error *err);
/* Marks a pattern (ntouch + 1) as unknown. */
void zw_strike_forget(const zw_kernel *k, signed char *pattern);
/* x = (q, v) after the impact of the contacts that touch (ncontact); plastic (ncontact): those
 * without restitution, NULL: none. An unknown pattern is found and stored. slack: relative margin
 * by which it satisfies the laws; negative if it violates them, NaN without rows. */
zw_status zw_strike_at(zw_strike *s, const bool *touching, const bool *plastic,
                       signed char *pattern, double t, double *x, double *slack, zw_error *err);

#endif
