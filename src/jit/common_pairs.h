/* SPDX-License-Identifier: MIT */
/* Sums and products of many values as operations on two, with common parts computed once. */
#ifndef ZW_JIT_COMMON_PAIRS_H
#define ZW_JIT_COMMON_PAIRS_H

#include "graph.h"

/* Replaces each v[i] by an equal value made without ZW_GRAPH_SUM and ZW_GRAPH_PRODUCT. All v are
 * treated together: they should be the outputs of one function. */
zw_status zw_share(zw_graph *g, zw_arena *scratch, int n, zw_value *v);

#endif
