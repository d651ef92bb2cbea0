/* SPDX-License-Identifier: MIT */
/* Independent and dependent velocities. The constraint rows W v' = b are solved for nc dependent
 * accelerations; virtual displacements, velocities (affine constraints) and accelerations follow:
 *
 *   dpi_D = D dpi_I,     v_D = D v_I + d,     v'_D = D v'_I + e,
 *   D = -W_D^-1 W_I,     d = -W_D^-1 psi(v = 0),     e = W_D^-1 b.
 *
 * The dependent velocities are found by elimination at the start of the model and several random
 * points at once: in each step the simplest entry that is not small at any of them becomes the
 * pivot; velocities that the user named independent come last.
 *
 * If forces depend on multipliers, Q + X lambda, the constraint forces and these forces together
 * are C lambda, C = W' + X. They do no work on displacements y with y'C = 0, which are not those
 * that the constraints allow:
 *
 *   y_D = D~ y_I,     D~ = -P_D^-1 P_I,     P = C' = W + X'.
 *
 * In these directions equations of motion contain no multipliers, as they do along B for ideal
 * constraints, where D~ = D. The multipliers are (P_D^-1)' E_D, with E_D the residuals of the
 * equations of the dependent velocities. */
#ifndef ZW_MECH_SPLIT_H
#define ZW_MECH_SPLIT_H

#include "principles.h"

typedef struct zw_split {
    int nc, k;        /* dependent, independent */
    int *dep, *indep; /* indices of velocities, ascending */
    zw_expr *inverse; /* W_D^-1, nc x nc: rows dep, columns constraints */
    zw_expr *D;       /* nc x k */
    zw_expr *d;       /* nc; NULL if a constraint is not affine in the velocities */
    zw_expr *e;       /* nc */
    zw_expr *weight;  /* nc x k: D~, which is D unless tilted */
    /* nc x nc: P_D^-1, which is W_D^-1 unless tilted; rows dep, columns constraints */
    zw_expr *reach;
} zw_split;

/* Rejects redundant constraints by name. */
zw_status zw_split_velocities(zw_split *out, const zw_equations *eq, const zw_system *s,
                              zw_error *err);
/* Forces add X (nv x nc) to the columns of W': computes weight and reach. */
zw_status zw_split_tilt(zw_split *split, const zw_equations *eq, const zw_system *s,
                        const zw_expr *X, zw_error *err);
/* The given forces Q (nv), without multipliers. If forces depend on these, the split is tilted and
 * *X (nv x nc) is the part that depends on them; else *X is NULL. */
zw_status zw_split_forces(zw_split *split, const zw_equations *eq, const zw_system *s, zw_expr *Q,
                          const zw_expr **X, zw_error *err);
bool zw_split_is_tilted(const zw_split *split);
/* Entry (row v, column i) of the basis B of virtual displacements, v_all = B v_I: 1, 0 or D. */
zw_expr zw_split_basis(const zw_split *split, int velocity, int column);
/* x_i + sum_D D~_Di x_D for a vector over all velocities; for forces, the part without
 * multipliers. */
zw_expr zw_split_project(zw_context *ctx, const zw_split *split, const zw_expr *x, int column);

/* Turns k rows that are linear in the independent accelerations, row_i(v'_I) = 0, and the
 * constraints into M v' = h with nc = 0 multipliers: row_i gets the index of its velocity, the
 * constraint rows those of the dependent ones. */
zw_status zw_split_fill(zw_equations *out, const zw_system *s, const zw_split *split,
                        const zw_expr *rows, zw_error *err);

#endif
