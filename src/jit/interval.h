/* SPDX-License-Identifier: MIT */
/* Bounds of linear code: from ranges of the inputs and of their slopes to ranges of the outputs and
 * of their slopes. */
#ifndef ZW_JIT_INTERVAL_H
#define ZW_JIT_INTERVAL_H

#include "base/arena.h"
#include "code.h"
#include "zwang/kernel.h"

/* The bounds of one operation (not CONST, INPUT, TABLE); same: a and b are the same value. */
zw_bound zw_interval_apply(zw_opcode op, zw_bound a, zw_bound b, zw_bound c, bool same);
/* The bounds of a table's derivative of this order. */
zw_bound zw_interval_table(const zw_spline *s, int order, zw_bound a);

/* Fill f with the bounds of code. The arena and the code must outlive f. */
zw_status zw_interval_func(zw_bound_func *f, const zw_code *code, zw_arena *arena);

#endif
