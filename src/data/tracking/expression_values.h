/* SPDX-License-Identifier: MIT */
/* Expressions of t, q and parameters as one function on numbers. */
#ifndef ZW_DATA_TRACKING_EXPRESSION_VALUES_H
#define ZW_DATA_TRACKING_EXPRESSION_VALUES_H

#include "base/arena.h"
#include "zwang/system.h"

typedef struct zw_values zw_values;

/* In the arena, which with the system and p (np) must outlive it; destroy it in any case (NULL:
 * nothing). ZW_E_MODEL if an expression contains anything else; `what` names them. */
zw_status zw_values_create(zw_values **out, zw_arena *arena, const zw_system *sys, int n,
                           const zw_expr *e, const double *p, const char *what, zw_error *err);
void zw_values_destroy(zw_values *v);
/* All n values at t and q (nq); valid up to the next call. */
const double *zw_values_at(zw_values *v, double t, const double *q);

#endif
