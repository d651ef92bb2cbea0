/* SPDX-License-Identifier: MIT */
/* Generalised forces of everything that is given: potential, dissipation, forces. */
#ifndef ZW_MECH_FORCES_H
#define ZW_MECH_FORCES_H

#include "principles.h"

/* Q = forces - dR/dv - F' dV/dq, nv entries in the system's velocities, without multipliers. What
 * forces add to C by multipliers (nv x nc) goes to `extra`; if extra is NULL such a force is
 * refused in the name of the principle. *depends tells whether there was one (may be NULL). */
zw_status zw_given_forces(const zw_equations *eq, const zw_system *s, zw_expr *Q, zw_expr *extra,
                          bool *depends, zw_error *err);
/* What is given of the forces of constraints that are not ideal (zw_system_nonideal): C along
 * velocity k, for each constraint, where it is not zero. At most n entries; nforce nv of the system
 * are enough. Returns their number. */
typedef struct zw_given_entry {
    const char *constraint;
    int velocity;
    zw_expr value;
} zw_given_entry;
int zw_given_work(const zw_equations *eq, int n, zw_given_entry *out);
/* The name of a force; where it has none what it acts on, "force(x,y)", "torque(wheel)", else
 * "force(line 12)" or "force(3)". In power.c. */
void zw_force_label(const zw_system *s, const zw_force *f, char *out, size_t size);
/* A force that uses the multiplier of a constraint that is off: 0 where events switch the
 * constraint, for then the model means it so; otherwise most likely a slip, and refused. */
zw_status zw_force_without_idle(const zw_equations *eq, const zw_force *f, zw_expr *Q,
                                zw_error *err);
/* Does this force act? Friction of a contact by its stance, where there are stances; otherwise by
 * the constraints that hold. */
bool zw_force_acts(const zw_equations *eq, const zw_force *f);
/* The force of a row that is a share of others, of t, q, v and multipliers (zw_share). */
zw_expr zw_share_force(const zw_equations *eq, const zw_share *share);
/* The rate of this row of a contact, by the number of its constraint; ZW_NULL: it is of no
 * contact. */
zw_expr zw_share_rate(const zw_system *s, int constraint);
/* Friction of one velocity, whose sense the stance of its contact tells: along and Q_along take the
 * place of values and Q. */
zw_expr zw_force_sign(const zw_equations *eq, const zw_force *f); /* 1, -1 or 0, times that */
bool zw_force_goes_along(const zw_equations *eq, const zw_force *f);

#endif
