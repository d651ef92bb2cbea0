/* SPDX-License-Identifier: MIT */
/* Generalised forces of everything given: potential, dissipation, forces. */
#ifndef ZW_MECH_FORCES_H
#define ZW_MECH_FORCES_H

#include "principles.h"

/* Q = forces - dR/dv - F' dV/dq, nv entries along the system's velocities, without multipliers. The
 * part of forces that depends on multipliers is added to C in `extra` (nv x nc); if extra is NULL
 * such a force is rejected in the name of the principle. *depends is true if there was one (may be
 * NULL). */
zw_status zw_given_forces(const zw_equations *eq, const zw_system *s, zw_expr *Q, zw_expr *extra,
                          bool *depends, zw_error *err);
/* The given parts of the forces of constraints that are not ideal (zw_system_nonideal): C along
 * velocity k, for each constraint, where it is not zero. At most n entries; nforce nv of the system
 * are enough. Returns their number. */
typedef struct zw_given_entry {
    const char *constraint;
    int velocity;
    zw_expr value;
} zw_given_entry;
int zw_given_work(const zw_equations *eq, int n, zw_given_entry *out);
/* The name of a force; if it has none, the thing it acts on, "force(x,y)", "torque(wheel)", else
 * "force(line 12)" or "force(3)". In power.c. */
void zw_force_label(const zw_system *s, const zw_force *f, char *out, size_t size);
/* A force that uses the multiplier of a constraint that is off: 0 where events switch the
 * constraint, since the model then intends it; otherwise most likely a mistake, and rejected. */
zw_status zw_force_without_idle(const zw_equations *eq, const zw_force *f, zw_expr *Q,
                                zw_error *err);
/* True if this force acts. Friction of a contact acts according to the contact mode, if there is
 * one; otherwise according to the active constraints. */
bool zw_force_acts(const zw_equations *eq, const zw_force *f);
/* The force of a row that is a share of others, as a function of t, q, v and multipliers
 * (zw_share). */
zw_expr zw_share_force(const zw_equations *eq, const zw_share *share);
/* The velocity of this row of a contact, by the number of its constraint; ZW_NULL if it belongs to
 * no contact. */
zw_expr zw_share_rate(const zw_system *s, int constraint);
/* Friction of one velocity, whose direction is given by the mode of its contact: along and Q_along
 * replace values and Q. */
zw_expr zw_force_sign(const zw_equations *eq, const zw_force *f); /* 1, -1 or 0, times that */
bool zw_force_has_sign(const zw_equations *eq, const zw_force *f);

#endif
