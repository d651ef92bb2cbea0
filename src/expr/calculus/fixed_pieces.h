/* SPDX-License-Identifier: MIT */
/* Expressions whose kinks are locked: each takes the smooth piece that its mode says, see
 * fixed_pieces.c. */
#ifndef ZW_EXPR_CALCULUS_FIXED_PIECES_H
#define ZW_EXPR_CALCULUS_FIXED_PIECES_H

#include "zwang/expr.h"
#include "zwang/nonsmooth.h"

/* One kink and the symbol of its mode: -1 or 1, the side of zero on which its surface is taken to
 * be, or the number of the piece of a table (-1: before its first knot). */
typedef struct zw_lock {
    zw_expr part;
    zw_expr mode;
    int sign; /* 1, or -1 where the mode is the side of minus the surface */
} zw_lock;

/* Rewrite n expressions with the kinks of the list locked. */
void zw_lock_kinks(zw_context *ctx, int n, zw_expr *e, int nlock, const zw_lock *lock);

/* For every lock an expression (of modes, and of tests that are no comparisons) that is not 0 where
 * the kink decides on one of the n expressions: it does not in a branch that is not taken. In terms
 * of locked tests. */
void zw_lock_live(zw_context *ctx, int n, const zw_expr *e, int nlock, const zw_lock *lock,
                  zw_expr *live);

#endif
