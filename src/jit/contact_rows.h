/* SPDX-License-Identifier: MIT */
/* The contacts of equations as lists of expressions, and the structure of their derivatives. */
#ifndef ZW_JIT_CONTACT_ROWS_H
#define ZW_JIT_CONTACT_ROWS_H

#include "base/arena.h"
#include "zwang/equations.h"
#include "zwang/kernel.h"

typedef struct zw_touch_list {
    int ncontact, nrow, nlaw;
    zw_expr *gap;  /* ncontact */
    zw_expr *rate; /* nrow: of each contact the rate of its gap, then those of its blocks */
    zw_expr *G;    /* nrow x nv: d rate/dv */
    zw_expr *law;  /* nlaw */
} zw_touch_list;
/* As functions of t, q, v of the equations; the arrays are in the arena. */
zw_status zw_touch_expressions(const zw_equations *eq, zw_arena *arena, zw_touch_list *out,
                               zw_error *err);
/* The same with d rate/dt at v' = 0 in place of the rates, without G. */
zw_status zw_touch_rates(const zw_equations *eq, zw_arena *arena, zw_touch_list *out,
                         zw_error *err);
/* Sizes and tables of the contacts in a kernel whose other sizes are known; the tables are in the
 * arena. */
zw_status zw_touch_structure(zw_kernel *k, const zw_equations *eq, int unroll_max, zw_arena *arena,
                             zw_error *err);

#endif
