/* SPDX-License-Identifier: MIT */
/* The node store that implements include/zwang/expr.h, for src/expr only. */
#ifndef ZW_EXPR_CORE_STORE_H
#define ZW_EXPR_CORE_STORE_H

#include "base/arena.h"
#include "base/intern.h"
#include "number.h"
#include "zwang/expr.h"

typedef struct node {
    uint64_t mask; /* hashed set of the symbols below: bit (index mod 64) */
    uint32_t hash;
    uint16_t op;
    uint16_t flags;
    int n; /* number of args; for a symbol: its index in order of creation */
    union {
        const zw_expr *args;
        const char *name;
        struct {
            double real;
            int64_t mark; /* number.h */
        };
        struct {
            int64_t p, q;
        };
    };
} node;

enum {                     /* flags: by which rules a term of a sum may be folded */
       HAS_SIN_SQUARE = 1, /* product with sin(u)^k, k an integer >= 2 */
       HAS_COS_SQUARE = 2,
       HAS_SINH_SQUARE = 4,
       HAS_COSH_SQUARE = 8,
       HAS_SQUARE = 15,
       IS_COEFFICIENT = 16, /* a symbol created by zw_name_common */
       ROLES = 3 << 8       /* for a symbol: see role.h */
};

/* A map from nodes to values for one traversal, and the nodes in an order in which arguments come
 * before their users. Cleared in O(1) by its epoch. */
typedef struct memo {
    uint32_t *epoch, *value; /* by node */
    uint32_t capacity, now;
    zw_expr *order, *stack; /* result of the last zw_memo_walk */
    int count, order_capacity, stack_capacity;
} memo;

enum { MEMO_MAX = 4 };

/* A cache of what fold.c makes of a product with the square of a sine or the like: expanding asks
 * for the same again and again. A new entry replaces the one with the same index. */
typedef struct zw_traded {
    zw_expr product;     /* 0: empty */
    int factor;          /* the factor whose square was replaced */
    zw_expr rest, other; /* without the square; with that of the partner */
} zw_traded;
enum { TRADED = 1024 };

struct zw_context {
    zw_allocator alloc;
    zw_arena arena;   /* args, names, tables: freed with the context */
    zw_arena scratch; /* within one call */
    zw_intern names;
    node *nodes;
    uint32_t count, capacity;
    uint32_t *slots; /* open addressing on node hashes; 0 is empty */
    uint32_t slot_count;
    int symbol_count;
    bool marked; /* symbols have roles: see role.h */
    zw_context_limits limits, used;
    zw_place place;
    zw_status status;
    char why[128];
    zw_traded *traded; /* TRADED entries, in the arena */
    memo memos[MEMO_MAX];
    int memo_depth;
    zw_spline *splines;
    int spline_count, spline_capacity;
};

static inline const node *node_of(const zw_context *ctx, zw_expr e) {
    return &ctx->nodes[e];
}

static inline bool is_number_op(int op) {
    return op == ZW_OP_RATIONAL || op == ZW_OP_REAL;
}

/* Sticky failure; returns 0, the null expression. */
zw_expr zw_store_fail(zw_context *ctx, zw_status status, const char *why);
/* The node with these args, found or created. */
zw_expr zw_store_node(zw_context *ctx, zw_op op, int n, const zw_expr *args);
zw_expr zw_store_number(zw_context *ctx, zw_number value);
zw_number zw_store_number_of(const zw_context *ctx, zw_expr e);

/* Scratch maps for a traversal. begin and end nest (a traversal inside a traversal). NULL: out of
 * memory, status set. */
memo *zw_memo_begin(const zw_context *ctx);
void zw_memo_end(const zw_context *ctx);
/* Fills `order` with the nodes reachable from the roots whose mask meets `mask` (~0: all). Other
 * nodes are not visited, not even roots: memo_has is false for them afterwards. */
bool zw_memo_walk(const zw_context *ctx, memo *m, int n, const zw_expr *roots, uint64_t mask);
static inline void memo_set(memo *m, zw_expr e, uint32_t value) {
    m->epoch[e] = m->now;
    m->value[e] = value;
}
static inline bool memo_has(const memo *m, zw_expr e) {
    return m->epoch[e] == m->now;
}

/* The derivative of a function node with respect to its k-th argument (not sums, not products). */
zw_expr zw_function_partial(zw_context *ctx, zw_expr e, int k);
/* True if base^exponent is a root of a sum of squares without a constant part; see
 * vector_length.c. */
bool zw_is_length(const zw_context *ctx, zw_expr base, zw_expr exponent);
/* The node with its args replaced, built by the constructors; args in the form stored in the
 * node. */
zw_expr zw_store_rebuild(zw_context *ctx, zw_expr e, const zw_expr *args);
/* The node with its args replaced by the memo's values (node indices); args without a value
 * stay. */
zw_expr zw_store_rebuild_from(zw_context *ctx, const memo *m, zw_expr e);
/* The number of terms of e when multiplied out; an upper bound, a double so that it cannot
 * overflow. */
double zw_expanded_terms(zw_context *ctx, zw_expr e);
/* zw_expand, but keeps products with the root of a sum of squares. */
zw_expr zw_expand_keeping_lengths(zw_context *ctx, zw_expr e);
/* Value of one function application, as every evaluator computes it. */
double zw_function_value(zw_op op, const double *args);
/* b^e as computed everywhere in Zwang: integer powers by repeated multiplication. */
double zw_power_value(const zw_context *ctx, zw_expr exponent, double b, double e);
/* The values of all nodes of nroot expressions, in scratch memory of the context (the caller marks
 * and releases); value[m->value[node]] is that of a node. Symbols that are not given are NaN. NULL
 * if out of memory. */
double *zw_eval_walk(const zw_context *ctx, memo *m, int nroot, const zw_expr *roots, int n,
                     const zw_expr *symbols, const double *values);

#endif
