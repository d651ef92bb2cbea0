/* SPDX-License-Identifier: MIT */
/* The common part of the equations of Voronets and of Chaplygin: the constrained kinetic energy. */
#ifndef ZW_MECH_VORONETS_H
#define ZW_MECH_VORONETS_H

#include "forces.h"
#include "split.h"

typedef struct zw_voronets_reduced {
    zw_split split;
    zw_expr *free_v, *free_a; /* k */
    zw_expr *phi;             /* nc: the dependent rates D v_I + d */
    zw_expr T;                /* T with the dependent rates eliminated */
    zw_expr *theta;           /* nc: dT/dv_D, eliminated afterwards */
    zw_expr *rate;            /* nq: q' on the constraints */
    zw_expr *Q;               /* nv given forces, without those that depend on multipliers */
    const zw_expr *X;         /* nv x nc: the part that depends on multipliers; NULL if none */
    zw_expr *E; /* nc: d/dt theta_D - (dT/dq_D), eliminated afterwards; only if X is not NULL */
} zw_voronets_reduced;

/* The steps up to the constrained kinetic energy and its derivatives. */
void zw_reduced_report(const zw_voronets_reduced *r, const zw_equations *eq);
/* The steps of the forces, and of the equations of dependent coordinates if these are needed. */
void zw_reduced_report_forces(const zw_voronets_reduced *r, const zw_equations *eq);
/* sum_D s_Di E_D, s = D~ - D: the contribution of the equations of the dependent coordinates to
 * that of coordinate i if forces depend on multipliers (split.h), else 0. */
zw_expr zw_reduced_share(const zw_voronets_reduced *r, zw_context *ctx, int i);
/* Rejects quasi-velocities, rotations and constraints that are not affine. */
zw_status zw_voronets_reduce(zw_voronets_reduced *out, zw_equations *eq, const zw_system *s,
                             const zw_active *active, zw_error *err);

#endif
