/* SPDX-License-Identifier: MIT */
/* Implemented in src/mech/equations. */
/* What constraints on velocities integrate to. x' = r th' keeps x - r th constant: a motion
 * stays on one leaf of the states, that of its start. Equilibria, orbits and their stability
 * are those on that leaf.
 *
 * A constraint, or a combination of several, is a differential form sum a_i(q,t) dq_i + a_0 dt. A function I(q,t) is
 * an integral if its differential is such a combination; src/mech/equations/integrals.c describes the search, src/claims/structure/system_on_leaf.c the leaf. */
#ifndef ZWANG_INTEGRALS_H
#define ZWANG_INTEGRALS_H

#include "doubt.h"
#include "equations.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Independent of each other and of all conditions on positions. The arrays live in the system's context. */
typedef struct zw_integrals {
    int n;
    zw_integral *integral; /* n: its value is I(q,t), not yet a condition */
    double *at;            /* n: I at the state of the search */
} zw_integrals;

/* Those of the constraints that hold (active NULL: as the model says) at parameters p (np) and a state x (nq + nv of the
 * system) on the constraints at time t. A held quantity (nheld) chooses a leaf: integrals that are
 * functions of held quantities are omitted. */
ZW_API zw_status zw_integrals_find(zw_integrals *out, const zw_system *s, const zw_active *active,
                                   double t, const double *p, const double *x, int nheld,
                                   const zw_expr *held, zw_error *err);

/* A copy of s (of its struct; what it points to is shared) with the integrals of the active constraints as conditions on positions
 * (zw_integral, of_start): a run keeps their values at its start. Included are integrals that exist for all values of the
 * parameters, because events and surveys change these, and whose formula is smooth or an angle (atan2). Those that grow with time
 * are omitted, as in zw_system_on_leaf. p (np): parameter values near which to search. *known (may be NULL): their number,
 * with those that grow with time. */
ZW_API zw_status zw_system_keep_integrals(zw_system *out, const zw_system *s,
                                          const zw_active *active, const double *p, int *known,
                                          zw_error *err);

/* A copy of s (of its struct; what it points to is shared) with the leaf of its start as conditions on positions:
 * I(q,t) = I at the start, completed at time t. Coordinates that the model gives a start are those expressions of
 * parameters, the others numbers. Integrals that grow with time (alpha - Omega t) are omitted, as their value is a phase; only
 * combinations stay in which time cancels. *missing (may be NULL): how many conditions there are, as brackets show
 * (zwang/classify.h), for which there is no formula; at least, if quantities are held; -1 where the constraints
 * are too long to ask. */
ZW_API zw_status zw_system_on_leaf(zw_system *out, const zw_system *s, const zw_active *active,
                                   double t, const double *p, int nheld, const zw_expr *held,
                                   int *missing, zw_error *err);

/* Only *missing of zw_system_on_leaf: conditions other than the integrals of s and `known` others. */
ZW_API zw_status zw_leaf_missing(const zw_system *s, const zw_active *active, int known,
                                 int *missing, zw_error *err);

/* The warning for *missing; what: the name of the result ("an orbit"). false: no warning. */
ZW_API bool zw_leaf_doubt(int missing, const char *what, zw_doubt *out);

/* Equations of s on the leaf of its start for motions that may drift: derived by Lagrange's principle, with *on_leaf as
 * their system. Integrals that contain a coordinate which nothing else depends on are omitted: they only give that
 * coordinate from the others, and it need not be periodic. */
ZW_API zw_status zw_derive_on_leaf(zw_equations *out, zw_system *on_leaf, const zw_system *s,
                                   const zw_active *active, const double *p, int *missing,
                                   zw_error *err);

/* The same on the leaf of a motion in closed form, by any principle: its coordinates are the expressions q (nq) in the parameters; x (nq + nv) are
 * its values at t = 0 and p. */
ZW_API zw_status zw_derive_on_leaf_of(zw_equations *out, zw_system *on_leaf, const zw_system *s,
                                      const zw_active *active, const char *by, const double *p,
                                      const double *x, const zw_expr *q, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
