/* SPDX-License-Identifier: MIT */
/* Lowering: expressions to values. */
#ifndef ZW_JIT_LOWER_H
#define ZW_JIT_LOWER_H

#include "graph.h"
#include "polynomial.h"

typedef struct zw_lowering {
    const zw_context *ctx;
    zw_graph *graph;
    zw_arena *arena;   /* memory of the memo, with the lifetime of the graph */
    zw_arena *scratch; /* empty between calls */
    zw_style style;
    zw_value *value; /* by expression; 0: not lowered yet */
    uint32_t nvalue;
    double noperand; /* number of operands of all lowered expressions */
} zw_lowering;

void zw_lower_init(zw_lowering *l, const zw_context *ctx, zw_graph *graph, zw_style style,
                   zw_arena *arena, zw_arena *scratch);
/* Declares a symbol as an input. */
zw_status zw_lower_input(zw_lowering *l, zw_expr symbol, zw_space space, int index);
/* out[i] = the value of e[i]. ZW_E_NAME names a symbol that is no input; ZW_E_MODEL: too large
 * (limits.h). */
zw_status zw_lower(zw_lowering *l, int n, const zw_expr *e, zw_value *out, zw_error *err);

#endif
