/* SPDX-License-Identifier: MIT */
/* Independent and dependent velocities. The constraint rows W v' = b are solved for nc dependent
 * accelerations; virtual displacements, velocities (affine constraints) and accelerations follow:
 *
 *   dpi_D = D dpi_I,     v_D = D v_I + d,     v'_D = D v'_I + e,
 *   D = -W_D^-1 W_I,     d = -W_D^-1 psi(v = 0),     e = W_D^-1 b.
 *
 * Which velocities are dependent is found by elimination at the start of the model and several random points at once: in each step
 * the simplest entry that is small at none of them becomes the pivot, velocities that the user named
 * independent come last. */
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
} zw_split;

/* Refuses redundant constraints by name. */
zw_status zw_split_velocities(zw_split *out, const zw_equations *eq, const zw_system *s,
                              zw_error *err);
/* Entry (row v, column i) of the basis B of virtual displacements, v_all = B v_I: 1, 0 or D. */
zw_expr zw_split_basis(const zw_split *split, int velocity, int column);
/* B' x for a vector over all velocities, column i. */
zw_expr zw_split_project(zw_context *ctx, const zw_split *split, const zw_expr *x, int column);

/* Turn k rows that are linear in the independent accelerations, row_i(v'_I) = 0, and the constraints
 * into M v' = h with nc = 0 multipliers: row_i stands at the place of its velocity, the constraint
 * rows at those of the dependent ones. */
zw_status zw_split_fill(zw_equations *out, const zw_system *s, const zw_split *split,
                        const zw_expr *rows, zw_error *err);

#endif
