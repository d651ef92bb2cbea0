/* SPDX-License-Identifier: MIT */
#include "graph.h"

#include <stdlib.h>
#include <string.h>

static uint64_t mix_hash(uint64_t h, uint64_t x) {
    h ^= x;
    h *= 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

static bool is_list(const zw_node *n) {
    return n->op == ZW_GRAPH_SUM || n->op == ZW_GRAPH_PRODUCT;
}

static uint64_t hash_node(const zw_graph *g, const zw_node *n) {
    uint64_t bits;
    memcpy(&bits, &n->k, sizeof bits);
    uint64_t h = mix_hash(n->op, bits);
    if (is_list(n)) {
        for (int i = 0; i < n->b; i++)
            h = mix_hash(h, 2 * (uint64_t)g->list[n->a + i].value + g->list[n->a + i].negative);
        return h;
    }
    h = mix_hash(h, (uint32_t)n->a);
    h = mix_hash(h, (uint32_t)n->b);
    return mix_hash(h, (uint32_t)n->c);
}

static bool same_node(const zw_graph *g, const zw_node *x, const zw_node *y) {
    if (is_list(x)) {
        bool same = x->op == y->op && x->b == y->b;
        for (int i = 0; same && i < x->b; i++) {
            zw_signed s = g->list[x->a + i], t = g->list[y->a + i];
            same = s.value == t.value && s.negative == t.negative;
        }
        return same;
    }
    return x->op == y->op && x->a == y->a && x->b == y->b && x->c == y->c &&
           memcmp(&x->k, &y->k, sizeof x->k) == 0;
}

static bool rehash_nodes(zw_graph *g, int nslot) {
    zw_value *slot = ZW_NEW(g->arena, zw_value, nslot);
    if (!slot)
        return false;
    for (int v = 1; v < g->n; v++) {
        uint64_t i = hash_node(g, &g->node[v]) & (uint64_t)(nslot - 1);
        while (slot[i])
            i = (i + 1) & (uint64_t)(nslot - 1);
        slot[i] = v;
    }
    g->slot = slot;
    g->nslot = nslot;
    return true;
}

/* the value of this node: the existing one, or a new one */
static zw_value intern_node(zw_graph *g, zw_node node) {
    if (2 * g->n >= g->nslot && !rehash_nodes(g, 2 * g->nslot))
        return 0;
    uint64_t i = hash_node(g, &node) & (uint64_t)(g->nslot - 1);
    for (; g->slot[i]; i = (i + 1) & (uint64_t)(g->nslot - 1))
        if (same_node(g, &g->node[g->slot[i]], &node))
            return g->slot[i];
    if (!zw_arena_grow(g->arena, (void **)&g->node, g->n, &g->capacity, sizeof node))
        return 0;
    g->node[g->n] = node;
    g->slot[i] = g->n;
    return g->n++;
}

bool zw_graph_init(zw_graph *g, zw_arena *arena) {
    *g = (zw_graph){.arena = arena};
    if (!rehash_nodes(g, 256) ||
        !zw_arena_grow(arena, (void **)&g->node, 0, &g->capacity, sizeof(zw_node)))
        return false;
    g->node[0] = (zw_node){0};
    g->n = 1;
    g->zero = zw_graph_const(g, 0.0);
    g->one = zw_graph_const(g, 1.0);
    return !arena->failed;
}

zw_value zw_graph_const(zw_graph *g, double k) {
    if (k == 0.0)
        k = 0.0; /* only one zero: a negative one would be another value */
    return intern_node(g, (zw_node){.op = ZW_CODE_CONST, .rate = ZW_RATE_CONST, .k = k});
}

zw_value zw_graph_input(zw_graph *g, zw_space space, int index) {
    zw_rate rate = space == ZW_SPACE_P ? ZW_RATE_PARAM : ZW_RATE_STATE;
    return intern_node(
        g, (zw_node){.op = ZW_CODE_INPUT, .rate = (uint8_t)rate, .a = space, .b = index});
}

zw_value zw_graph_table(zw_graph *g, int table, int order, zw_value x) {
    if (!x)
        return 0;
    uint8_t rate = g->node[x].rate == ZW_RATE_CONST ? ZW_RATE_PARAM : g->node[x].rate;
    return intern_node(g, (zw_node){.op = ZW_CODE_TABLE,
                                    .rate = rate,
                                    .need = g->node[x].need,
                                    .a = x,
                                    .b = table,
                                    .c = order});
}

/* Registers needed for evaluating operands one after the other, the one with the largest need
 * first. */
static uint16_t need_of(const zw_graph *g, const zw_node *n) {
    int need[3] = {g->node[n->a].need, g->node[n->b].need, g->node[n->c].need};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2 - i; j++)
            if (need[j] < need[j + 1]) {
                int t = need[j];
                need[j] = need[j + 1];
                need[j + 1] = t;
            }
    int most = 1;
    for (int i = 0; i < 3; i++)
        if (need[i] && need[i] + i > most)
            most = need[i] + i;
    return (uint16_t)(most < UINT16_MAX ? most : UINT16_MAX);
}

/* the node without simplification, with sorted operands if the operation commutes, and folded
 * constants */
static zw_value plain_node(zw_graph *g, zw_opcode op, zw_value a, zw_value b, zw_value c) {
    bool commutes = op == ZW_CODE_ADD || op == ZW_CODE_MUL || op == ZW_CODE_AND || op == ZW_CODE_OR;
    if (commutes && a > b) {
        zw_value t = a;
        a = b;
        b = t;
    }
    zw_node node = {.op = (uint8_t)op, .a = a, .b = b, .c = c};
    zw_value operand[3] = {a, b, c};
    for (int i = 0; i < zw_code_arity(op); i++)
        if (g->node[operand[i]].rate > node.rate)
            node.rate = g->node[operand[i]].rate;
    if (node.rate == ZW_RATE_CONST)
        return zw_graph_const(g, zw_code_apply(op, g->node[a].k, g->node[b].k, g->node[c].k));
    node.need = need_of(g, &node);
    return intern_node(g, node);
}

static zw_value negate_value(zw_graph *g, zw_value a) {
    const zw_node n = g->node[a];
    if (n.op == ZW_CODE_NEG)
        return n.a;
    if (n.op == ZW_CODE_SUB)
        return plain_node(g, ZW_CODE_SUB, n.b, n.a, 0);
    return plain_node(g, ZW_CODE_NEG, a, 0, 0);
}

static zw_value add_values(zw_graph *g, zw_value a, zw_value b) {
    const zw_node na = g->node[a], nb = g->node[b];
    if (a == g->zero)
        return b;
    if (b == g->zero)
        return a;
    if (na.op == ZW_CODE_NEG && nb.op == ZW_CODE_NEG)
        return negate_value(g, add_values(g, na.a, nb.a));
    if (nb.op == ZW_CODE_NEG)
        return plain_node(g, ZW_CODE_SUB, a, nb.a, 0);
    if (na.op == ZW_CODE_NEG)
        return plain_node(g, ZW_CODE_SUB, b, na.a, 0);
    return plain_node(g, ZW_CODE_ADD, a, b, 0);
}

static zw_value subtract_values(zw_graph *g, zw_value a, zw_value b) {
    const zw_node na = g->node[a], nb = g->node[b];
    if (b == g->zero)
        return a;
    if (a == g->zero)
        return negate_value(g, b);
    if (a == b)
        return g->zero;
    if (nb.op == ZW_CODE_NEG)
        return add_values(g, a, nb.a);
    if (na.op == ZW_CODE_NEG)
        return negate_value(g, add_values(g, na.a, b));
    return plain_node(g, ZW_CODE_SUB, a, b, 0);
}

static zw_value multiply_values(zw_graph *g, zw_value a, zw_value b) {
    if (g->node[a].op == ZW_CODE_CONST && g->node[b].op != ZW_CODE_CONST) {
        zw_value t = a;
        a = b;
        b = t;
    }
    const zw_node na = g->node[a], nb = g->node[b];
    if (a == g->zero || b == g->zero)
        return g->zero;
    if (b == g->one)
        return a;
    if (nb.op == ZW_CODE_CONST && na.op != ZW_CODE_CONST && nb.k < 0)
        return negate_value(g, multiply_values(g, a, zw_graph_const(g, -nb.k)));
    if (na.op == ZW_CODE_NEG)
        return negate_value(g, multiply_values(g, na.a, b));
    if (nb.op == ZW_CODE_NEG)
        return negate_value(g, multiply_values(g, a, nb.a));
    return plain_node(g, ZW_CODE_MUL, a, b, 0);
}

/* a / b; a divisor of slower rate is inverted once, outside of the state code */
static zw_value divide_values(zw_graph *g, zw_value a, zw_value b) {
    const zw_node na = g->node[a], nb = g->node[b];
    if (a == g->zero || b == g->one)
        return a;
    if (na.op == ZW_CODE_NEG)
        return negate_value(g, divide_values(g, na.a, b));
    if (nb.op == ZW_CODE_NEG)
        return negate_value(g, divide_values(g, a, nb.a));
    if (na.rate == ZW_RATE_STATE && nb.rate < ZW_RATE_STATE)
        return multiply_values(g, a, plain_node(g, ZW_CODE_DIV, g->one, b, 0));
    return plain_node(g, ZW_CODE_DIV, a, b, 0);
}

zw_value zw_graph_op(zw_graph *g, zw_opcode op, zw_value a, zw_value b, zw_value c) {
    int arity = zw_code_arity(op);
    if (!a || (arity > 1 && !b) || (arity > 2 && !c))
        return 0;
    switch (op) {
    case ZW_CODE_NEG:
        return negate_value(g, a);
    case ZW_CODE_ADD:
        return add_values(g, a, b);
    case ZW_CODE_SUB:
        return subtract_values(g, a, b);
    case ZW_CODE_MUL:
        return multiply_values(g, a, b);
    case ZW_CODE_DIV:
        return divide_values(g, a, b);
    case ZW_CODE_SELECT:
        if (g->node[a].op == ZW_CODE_CONST)
            return g->node[a].k != 0 ? b : c;
        return b == c ? b : plain_node(g, op, a, b, c);
    default:
        return plain_node(g, op, a, b, c);
    }
}

zw_value zw_graph_power(zw_graph *g, zw_value base, int n) {
    zw_value result = 0;
    for (zw_value square = base;; square = zw_graph_mul(g, square, square)) {
        if (n & 1)
            result = result ? zw_graph_mul(g, result, square) : square;
        n >>= 1;
        if (!n || !square)
            return square ? result : 0;
    }
}

static int compare_signed(const void *a, const void *b) {
    const zw_signed *x = a, *y = b;
    return x->value != y->value ? (x->value > y->value) - (x->value < y->value)
                                : x->negative - y->negative;
}

/* appends the list to the graph's lists, and drops it if it exists already */
static zw_value intern_list(zw_graph *g, int op, int n, const zw_signed *list) {
    zw_node node = {.op = (uint8_t)op, .a = g->nlist, .b = n};
    for (int i = 0; i < n; i++) {
        if (!list[i].value ||
            !zw_arena_grow(g->arena, (void **)&g->list, g->nlist, &g->list_capacity, sizeof *list))
            return 0;
        g->list[g->nlist++] = list[i];
        if (g->node[list[i].value].rate > node.rate)
            node.rate = g->node[list[i].value].rate;
        if (g->node[list[i].value].need > node.need)
            node.need = g->node[list[i].value].need;
    }
    int before = g->n;
    zw_value v = intern_node(g, node);
    if (g->n == before)
        g->nlist = node.a;
    return v;
}

zw_value zw_graph_sum(zw_graph *g, int n, zw_signed *term) {
    qsort(term, (size_t)n, sizeof *term, compare_signed);
    bool flip = term[0].negative;
    for (int i = 0; i < n; i++)
        term[i].negative ^= flip;
    zw_value v = intern_list(g, ZW_GRAPH_SUM, n, term);
    return flip ? zw_graph_neg(g, v) : v;
}

zw_value zw_graph_product(zw_graph *g, int n, zw_signed *factor) {
    qsort(factor, (size_t)n, sizeof *factor, compare_signed);
    return intern_list(g, ZW_GRAPH_PRODUCT, n, factor);
}
