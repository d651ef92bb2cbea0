/* SPDX-License-Identifier: MIT */
/* Equations that are made of other equations, for the studies of this library. */
#ifndef ZW_MECH_EQUATIONS_VARIANTS_H
#define ZW_MECH_EQUATIONS_VARIANTS_H

#include "zwang/equations.h"

/* A copy of eq in which velocities without inertia have rates: where forces on them balance without
 * multipliers, the balance is a constraint (its pos_constraint, vel_constraint is -1) and its
 * derivative takes the place of the row of M v' = h. As it is if there are none. t, p (np), x (nq +
 * nv of eq): a state near which they are to be regular. */
zw_status zw_equations_with_rates(zw_equations *out, const zw_equations *eq, double t,
                                  const double *p, const double *x, zw_error *err);
/* A copy of eq whose functions of coordinates and velocities are the first `terms` terms of their
 * series about 0 (zw_few_terms in zwang/expr.h). */
zw_status zw_equations_few_terms(zw_equations *out, const zw_equations *eq, int terms,
                                 zw_error *err);
/* A copy of eq with modes in its arrays (in the context), and `modes` set; as it is if there are
 * none. Where contacts have stances, the kinks of their gaps and slips are among them, whether
 * these are constraints at present or not. */
zw_status zw_equations_lock(zw_equations *out, const zw_equations *eq, zw_error *err);
/* The same with the kinks of gaps and slips alone. */
zw_status zw_equations_lock_contacts(zw_equations *out, const zw_equations *eq, zw_error *err);
/* The same kinks in n other expressions of these equations (observables, powers). */
zw_status zw_equations_lock_also(const zw_equations *locked, int n, zw_expr *e, zw_error *err);
/* And n further expressions of them, as those of events. */
zw_status zw_forcing_find_with(zw_forcing *out, const zw_equations *eq, int n, const zw_expr *e,
                               zw_error *err);
int zw_forcing_of_contact(const zw_contact *c, zw_expr *e);
/* Half of the tones whose bits are set in `phases`, for motions with these frequencies. */
zw_status zw_forcing_tones_halve(const zw_forcing *f, zw_tones *tones, int phases, zw_error *err);
/* "Omega", "2/3*Omega": the tone as text, a string of the context. */
const char *zw_forcing_tone_name(const zw_forcing *f, const zw_tones *tones, int tone);
/* Only *missing of zw_system_on_leaf: conditions other than the integrals of s and `known`
 * others. */
zw_status zw_leaf_missing(const zw_system *s, const zw_active *active, int known, int *missing,
                          zw_error *err);
/* The warning for *missing; what: the name of the result ("an orbit"). false: no warning. */
bool zw_leaf_warning(int missing, const char *what, zw_warning *out);
/* Equations of s on the leaf of its start for motions that may drift: derived by Lagrange's
 * principle, with *on_leaf as their system. Integrals that contain a coordinate which nothing else
 * depends on are omitted: they only give that coordinate from the others, and it need not be
 * periodic. */
zw_status zw_derive_on_leaf(zw_equations *out, zw_system *on_leaf, const zw_system *s,
                            const zw_active *active, const double *p, int *missing, zw_error *err);
/* The same on the leaf of a motion in closed form, by any principle: its coordinates are the
 * expressions q (nq) in the parameters; x (nq + nv) are its values at t = 0 and p. */
zw_status zw_derive_on_leaf_of(zw_equations *out, zw_system *on_leaf, const zw_system *s,
                               const zw_active *active, const char *by, const double *p,
                               const double *x, const zw_expr *q, zw_error *err);
/* n expressions of the system's t, q, v, v', lambda, rewritten in the unknowns of these equations:
 * t, q, v, v', lambda of the struct. The multiplier of a constraint that is off is 0; multipliers
 * that the principle does not have are those of zw_equations_reactions, and those that it has as
 * impulses (vakonomic) are their rates, the forces. */
zw_status zw_equations_translate(const zw_equations *eq, int n, zw_expr *e, zw_error *err);

#endif
