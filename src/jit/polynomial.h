/* SPDX-License-Identifier: MIT */
/* Sums of products as values, with few operations. */
#ifndef ZW_JIT_POLYNOMIAL_H
#define ZW_JIT_POLYNOMIAL_H

#include "graph.h"

/* sign * coefficient * item[0] * item[1] * ...: coefficient is constant or of the parameters,
 * items are of the state, a power is an item repeated. */
typedef struct zw_term {
    bool negative;
    zw_value coefficient;
    int n;
    zw_value *item;
} zw_term;

/* The product without its coefficient. Sorts the items. */
zw_value zw_polynomial_product(zw_graph *g, int n, zw_value *item);
/* coefficient times product, with sign. */
zw_value zw_polynomial_term(zw_graph *g, zw_term *term);
/* The sum of n terms; the terms are used up. With `factor`, common factors are taken out. scratch
 * holds working memory. */
zw_value zw_polynomial_sum(zw_graph *g, zw_arena *scratch, int n, zw_term *term, bool factor);

#endif
