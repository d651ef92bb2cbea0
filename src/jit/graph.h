/* SPDX-License-Identifier: MIT */
/* The value graph: every operation of a program once (value numbering), for all functions.
 *
 * A value has a rate: CONST is known when the code is generated, PARAM changes with the parameters
 * only, STATE with t, x or z. Operations on constants are folded with the same functions that the
 * code would call, so folding changes no bits. Constructors apply the identities of a ring (x + 0,
 * 1 x, 0 x, signs pulled outwards; the sign of a zero is not kept) and, like those of expressions,
 * are sticky: after a failed allocation they return 0, the null value. */
#ifndef ZW_JIT_GRAPH_H
#define ZW_JIT_GRAPH_H

#include "base/arena.h"
#include "code.h"

typedef int32_t zw_value;

/* Sums and products of any number of values exist in the graph only; common_pairs.c converts them
 * to operations when it is known which function needs them. */
enum { ZW_GRAPH_SUM = ZW_CODE_COUNT, ZW_GRAPH_PRODUCT };

typedef struct zw_signed {
    bool negative;
    zw_value value;
} zw_signed;

typedef enum zw_rate { ZW_RATE_CONST, ZW_RATE_PARAM, ZW_RATE_STATE } zw_rate;

typedef struct zw_node {
    uint8_t op;       /* zw_opcode, ZW_GRAPH_SUM or ZW_GRAPH_PRODUCT */
    uint8_t rate;     /* zw_rate */
    uint16_t need;    /* registers needed by a tree of this shape: the order of scheduling */
    zw_value a, b, c; /* operands; INPUT: a space, b index; TABLE: a operand, b number, c order;
                         SUM, PRODUCT: a first entry in list, b number of entries */
    double k;         /* CONST */
} zw_node;

typedef struct zw_graph {
    zw_arena *arena;
    zw_node *node; /* node[0] is the null value */
    int n, capacity;
    zw_signed *list; /* entries of the sums and products */
    int nlist, list_capacity;
    zw_value *slot; /* open addressing, power of two */
    int nslot;
    zw_value zero, one;
} zw_graph;

/* False if out of memory. The arena must outlive the graph. */
bool zw_graph_init(zw_graph *g, zw_arena *arena);

zw_value zw_graph_const(zw_graph *g, double k);
zw_value zw_graph_input(zw_graph *g, zw_space space, int index);
zw_value zw_graph_op(zw_graph *g, zw_opcode op, zw_value a, zw_value b, zw_value c);
zw_value zw_graph_table(zw_graph *g, int table, int order, zw_value x);

static inline zw_value zw_graph_neg(zw_graph *g, zw_value a) {
    return zw_graph_op(g, ZW_CODE_NEG, a, 0, 0);
}
static inline zw_value zw_graph_add(zw_graph *g, zw_value a, zw_value b) {
    return zw_graph_op(g, ZW_CODE_ADD, a, b, 0);
}
static inline zw_value zw_graph_sub(zw_graph *g, zw_value a, zw_value b) {
    return zw_graph_op(g, ZW_CODE_SUB, a, b, 0);
}
static inline zw_value zw_graph_mul(zw_graph *g, zw_value a, zw_value b) {
    return zw_graph_op(g, ZW_CODE_MUL, a, b, 0);
}
static inline zw_value zw_graph_div(zw_graph *g, zw_value a, zw_value b) {
    return zw_graph_op(g, ZW_CODE_DIV, a, b, 0);
}
/* base^n, n > 0, by repeated squaring: the partial powers are shared. */
zw_value zw_graph_power(zw_graph *g, zw_value base, int n);

/* The sum of n > 1 signed values or, unsigned and with repetitions, the product. Sorts the list. A
 * sum is stored with a leading plus. */
zw_value zw_graph_sum(zw_graph *g, int n, zw_signed *term);
zw_value zw_graph_product(zw_graph *g, int n, zw_signed *factor);

static inline zw_rate zw_graph_rate(const zw_graph *g, zw_value v) {
    return (zw_rate)g->node[v].rate;
}
static inline bool zw_graph_is_const(const zw_graph *g, zw_value v, double k) {
    return g->node[v].op == ZW_CODE_CONST && g->node[v].k == k;
}

#endif
