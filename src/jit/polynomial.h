/* SPDX-License-Identifier: MIT */
/* Sums of products as values, with few operations. */
#ifndef ZW_JIT_POLYNOMIAL_H
#define ZW_JIT_POLYNOMIAL_H

#include "graph.h"

/* How to sum: with unchanged products, which other sums may share, or with common factors taken
 * out; if several factors are in equally many terms, the first or the last one. None is always the
 * shortest: a program tries them all. */
typedef enum zw_style {
    ZW_STYLE_PLAIN,
    ZW_STYLE_FACTOR_FIRST,
    ZW_STYLE_FACTOR_LAST,
    ZW_STYLES
} zw_style;

/* sign * coefficient * item[0] * item[1] * ...: coefficient is constant or of the parameters,
 * items are of the state, a power is an item repeated. */
typedef struct zw_term {
    bool negative;
    zw_value coefficient;
    int n;
    zw_value *item;
} zw_term;

/* The product of items. scratch holds working memory, here and below. */
zw_value zw_polynomial_product(zw_graph *g, zw_arena *scratch, int n, const zw_value *item);
/* coefficient times product, with sign. */
zw_value zw_polynomial_term(zw_graph *g, zw_arena *scratch, const zw_term *term);
/* The sum of n terms and of `slow`, which does not depend on the state; the terms are destroyed. */
zw_value zw_polynomial_sum(zw_graph *g, zw_arena *scratch, int n, zw_term *term, zw_value slow,
                           zw_style style);

#endif
