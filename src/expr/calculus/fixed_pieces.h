/* SPDX-License-Identifier: MIT */
/* Expressions with locked kinks: each kink takes the smooth piece that its mode selects, see
 * fixed_pieces.c. */
#ifndef ZW_EXPR_CALCULUS_FIXED_PIECES_H
#define ZW_EXPR_CALCULUS_FIXED_PIECES_H

#include "zwang/expr.h"
#include "zwang/switch.h"

/* A kink and the symbol of its mode: -1 or 1, the assumed sign of its surface, or the index of the
 * piece of a table (-1: before its first knot). */
typedef struct zw_lock {
    zw_expr part;
    zw_expr mode;
    int sign; /* 1; -1 if the mode is the sign of minus the surface */
} zw_lock;

/* Rewrites n expressions with the kinks of the list locked. */
void zw_lock_kinks(zw_context *ctx, int n, zw_expr *e, int nlock, const zw_lock *lock);

/* For every lock an expression (of modes, and of tests that are not comparisons) that is nonzero
 * where the kink affects one of the n expressions; a kink in a branch that is not taken does not.
 * Tests in it are locked. */
void zw_lock_live(zw_context *ctx, int n, const zw_expr *e, int nlock, const zw_lock *lock,
                  zw_expr *live);

#endif
