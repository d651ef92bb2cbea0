/* SPDX-License-Identifier: MIT */
/* The node store: nodes in one growing array, found again by an open hash table over (op, args), so
 * that equal expressions are one node. Hashes are computed from indices and names, never from
 * addresses: numbering is the same on every run. */
#include <stdlib.h>
#include <string.h>

#include "scratch.h"
#include "store.h"

/* Default limits of one context, for untrusted models. */
#define OPERANDS_MAX 3e9 /* visited by constructors: about three minutes */
#define BYTES_MAX 2e9    /* of expressions: 2 GB */
#define CODE_MAX 2e7     /* operands of the equations that become code */

static uint32_t mix_hash(uint32_t h, uint32_t v) {
    h ^= v + 0x9e3779b9u + (h << 6) + (h >> 2);
    return h * 0x85ebca6bu;
}

static uint32_t hash_bits(uint32_t h, uint64_t bits) {
    return mix_hash(mix_hash(h, (uint32_t)bits), (uint32_t)(bits >> 32));
}

zw_expr zw_store_fail(zw_context *ctx, zw_status status, const char *why) {
    if (ctx->status == ZW_OK) {
        ctx->status = status;
        size_t n = strlen(why);
        if (n >= sizeof ctx->why)
            n = sizeof ctx->why - 1;
        memcpy(ctx->why, why, n);
        ctx->why[n] = '\0';
    }
    return ZW_NULL;
}

static bool grow_nodes(zw_context *ctx) {
    uint32_t wider = ctx->capacity ? 2 * ctx->capacity : 256;
    node *nodes =
        zw_reallocate(&ctx->alloc, ctx->nodes, ctx->capacity * sizeof(node), wider * sizeof(node));
    if (!nodes) {
        zw_store_fail(ctx, ZW_E_MEMORY, "out of memory for expressions");
        return false;
    }
    ctx->nodes = nodes;
    ctx->capacity = wider;
    return true;
}

static bool grow_slots(zw_context *ctx) {
    uint32_t wider = ctx->slot_count ? 2 * ctx->slot_count : 1024;
    uint32_t *slots = zw_allocate(&ctx->alloc, wider * sizeof *slots);
    if (!slots) {
        zw_store_fail(ctx, ZW_E_MEMORY, "out of memory for expressions");
        return false;
    }
    for (uint32_t e = 1; e < ctx->count; e++) {
        uint32_t k = ctx->nodes[e].hash & (wider - 1);
        while (slots[k])
            k = (k + 1) & (wider - 1);
        slots[k] = e;
    }
    zw_release(&ctx->alloc, ctx->slots, ctx->slot_count * sizeof *slots);
    ctx->slots = slots;
    ctx->slot_count = wider;
    return true;
}

/* the slot of a node with this hash for which same() is true, or the empty slot for it */
static zw_expr *find_slot(zw_context *ctx, const node *want,
                          bool (*same)(const node *a, const node *b)) {
    if (2 * ctx->count >= ctx->slot_count && !grow_slots(ctx))
        return NULL;
    uint32_t k = want->hash & (ctx->slot_count - 1);
    for (; ctx->slots[k]; k = (k + 1) & (ctx->slot_count - 1)) {
        const node *have = &ctx->nodes[ctx->slots[k]];
        if (have->hash == want->hash && have->op == want->op && same(have, want))
            break;
    }
    return &ctx->slots[k];
}

static zw_expr append_node(zw_context *ctx, zw_expr *slot, const node *n) {
    if (ctx->count == ctx->capacity && !grow_nodes(ctx))
        return ZW_NULL;
    ctx->nodes[ctx->count] = *n;
    return *slot = ctx->count++;
}

static bool same_args(const node *a, const node *b) {
    return a->n == b->n && memcmp(a->args, b->args, (size_t)a->n * sizeof(zw_expr)) == 0;
}

static bool same_rational(const node *a, const node *b) {
    return a->p == b->p && a->q == b->q;
}

static bool same_real(const node *a, const node *b) {
    return a->mark == b->mark && memcmp(&a->real, &b->real, sizeof a->real) == 0;
}

static bool same_name(const node *a, const node *b) {
    return a->name == b->name;
}

/* which foldable squares a product contains */
static uint16_t product_flags(const zw_context *ctx, int n, const zw_expr *args) {
    unsigned flags = 0;
    for (int i = 0; i < n; i += 2) {
        const node *exponent = node_of(ctx, args[i + 1]);
        if (exponent->op != ZW_OP_RATIONAL || exponent->q != 1 || exponent->p < 2)
            continue;
        switch (node_of(ctx, args[i])->op) {
        case ZW_OP_SIN:
            flags |= HAS_SIN_SQUARE;
            break;
        case ZW_OP_COS:
            flags |= HAS_COS_SQUARE;
            break;
        case ZW_OP_SINH:
            flags |= HAS_SINH_SQUARE;
            break;
        case ZW_OP_COSH:
            flags |= HAS_COSH_SQUARE;
            break;
        default:
            break;
        }
    }
    return (uint16_t)flags;
}

/* checks the limits for n operands, and for `bytes` of memory if they are stored */
static bool has_budget(zw_context *ctx, int n, size_t bytes) {
    ctx->used.operands += n + 1;
    ctx->used.bytes += (double)bytes;
    const zw_context_limits *most = &ctx->limits;
    if (most->operands > 0 && ctx->used.operands > most->operands)
        zw_store_fail(ctx, ZW_E_MODEL, "the model is too large: its expressions take too long");
    else if (most->bytes > 0 && ctx->used.bytes > most->bytes)
        zw_store_fail(ctx, ZW_E_MODEL,
                      "the model is too large: its expressions take too much memory");
    else
        return true;
    return false;
}

void zw_context_set_limits(zw_context *ctx, zw_context_limits limits) {
    ctx->limits = limits;
}

zw_context_limits zw_context_used(const zw_context *ctx) {
    return ctx->used;
}

void zw_context_set_place(zw_context *ctx, zw_place place) {
    ctx->place = place;
}

zw_expr zw_store_node(zw_context *ctx, zw_op op, int n, const zw_expr *args) {
    if (!has_budget(ctx, n, 0))
        return ZW_NULL;
    node want = {.op = (uint16_t)op, .n = n, .hash = mix_hash(17, (uint32_t)op)};
    for (int i = 0; i < n; i++) {
        if (args[i] == ZW_NULL)
            return ZW_NULL;
        want.hash = mix_hash(want.hash, args[i]);
        want.mask |= ctx->nodes[args[i]].mask;
    }
    want.args = args;
    zw_expr *slot = find_slot(ctx, &want, same_args);
    if (!slot || *slot)
        return slot ? *slot : ZW_NULL;
    zw_expr *copy = has_budget(ctx, 0, sizeof *copy * (size_t)n + sizeof(node))
                        ? ZW_NEW(&ctx->arena, zw_expr, n ? n : 1)
                        : NULL;
    if (!copy)
        return zw_store_fail(ctx, ZW_E_MEMORY, "out of memory for expressions");
    if (n)
        memcpy(copy, args, (size_t)n * sizeof *copy);
    want.args = copy;
    if (op == ZW_OP_PRODUCT)
        want.flags = product_flags(ctx, n, args);
    return append_node(ctx, slot, &want);
}

zw_expr zw_store_number(zw_context *ctx, zw_number value) {
    if (zw_number_is_bad(value))
        return zw_store_fail(ctx, ZW_E_DOMAIN, "a constant expression has no finite value");
    node want = {0};
    zw_expr *slot;
    if (value.exact) {
        want.op = ZW_OP_RATIONAL;
        want.p = value.p;
        want.q = value.q;
        want.hash = hash_bits(hash_bits(3, (uint64_t)value.p), (uint64_t)value.q);
        slot = find_slot(ctx, &want, same_rational);
    } else {
        uint64_t bits;
        memcpy(&bits, &value.r, sizeof bits);
        want.op = ZW_OP_REAL;
        want.real = value.r;
        want.mark = value.p;
        want.hash = hash_bits(hash_bits(5, bits), (uint64_t)value.p);
        slot = find_slot(ctx, &want, same_real);
    }
    if (!slot || *slot)
        return slot ? *slot : ZW_NULL;
    return append_node(ctx, slot, &want);
}

zw_number zw_store_number_of(const zw_context *ctx, zw_expr e) {
    const node *n = node_of(ctx, e);
    if (n->op == ZW_OP_RATIONAL)
        return (zw_number){true, n->p, n->q, 0};
    return (zw_number){false, n->mark, 1, n->real};
}

zw_expr zw_integer(zw_context *ctx, int64_t value) {
    return zw_rational(ctx, value, 1);
}

zw_expr zw_rational(zw_context *ctx, int64_t num, int64_t den) {
    if (den == 0)
        return zw_store_fail(ctx, ZW_E_DOMAIN, "division by zero");
    return zw_store_number(ctx, zw_number_rational(num, den));
}

zw_expr zw_real(zw_context *ctx, double value) {
    return zw_store_number(ctx, zw_number_real(value));
}

zw_expr zw_symbol(zw_context *ctx, const char *name) {
    node want = {.op = ZW_OP_SYMBOL};
    want.name = zw_context_intern(ctx, name);
    if (!want.name)
        return ZW_NULL;
    want.hash = mix_hash(7, zw_hash_bytes(name, strlen(name)));
    zw_expr *slot = find_slot(ctx, &want, same_name);
    if (!slot || *slot)
        return slot ? *slot : ZW_NULL;
    want.n = ctx->symbol_count;
    want.mask = UINT64_C(1) << (ctx->symbol_count & 63);
    zw_expr e = append_node(ctx, slot, &want);
    if (e)
        ctx->symbol_count++;
    return e;
}

zw_context *zw_context_create(const zw_allocator *alloc) {
    zw_allocator a = alloc ? *alloc : zw_allocator_default();
    zw_context *ctx = zw_allocate(&a, sizeof *ctx);
    if (!ctx)
        return NULL;
    ctx->alloc = a;
    ctx->limits =
        (zw_context_limits){.operands = OPERANDS_MAX, .bytes = BYTES_MAX, .code = CODE_MAX};
    zw_arena_init(&ctx->arena, &a);
    zw_arena_init(&ctx->scratch, &a);
    zw_intern_init(&ctx->names, &ctx->arena);
    ctx->traded = ZW_NEW(&ctx->arena, zw_traded, TRADED);
    bool ok = ctx->traded && grow_nodes(ctx);
    ctx->count = 1; /* index 0 is the null expression */
    if (ok) {
        memset(&ctx->nodes[0], 0, sizeof ctx->nodes[0]);
        /* the leaves with fixed indices, in the order of their enum */
        ok = zw_integer(ctx, 0) == ZW_ZERO && zw_integer(ctx, 1) == ZW_ONE &&
             zw_integer(ctx, -1) == ZW_MINUS_ONE && zw_integer(ctx, 2) == ZW_TWO &&
             zw_rational(ctx, 1, 2) == ZW_HALF && zw_store_node(ctx, ZW_OP_PI, 0, NULL) == ZW_PI;
    }
    if (!ok) {
        zw_context_destroy(ctx);
        return NULL;
    }
    return ctx;
}

void zw_context_destroy(zw_context *ctx) {
    if (!ctx)
        return;
    zw_allocator a = ctx->alloc;
    for (int i = 0; i < MEMO_MAX; i++) {
        memo *m = &ctx->memos[i];
        zw_release(&a, m->epoch, m->capacity * sizeof *m->epoch);
        zw_release(&a, m->value, m->capacity * sizeof *m->value);
        zw_release(&a, m->order, (size_t)m->order_capacity * sizeof *m->order);
        zw_release(&a, m->stack, (size_t)m->stack_capacity * sizeof *m->stack);
    }
    zw_release(&a, ctx->slots, ctx->slot_count * sizeof *ctx->slots);
    zw_release(&a, ctx->nodes, ctx->capacity * sizeof *ctx->nodes);
    zw_arena_clear(&ctx->scratch);
    zw_arena_clear(&ctx->arena);
    zw_release(&a, ctx, sizeof *ctx);
}

zw_status zw_context_code_fits(zw_context *ctx, double operands, zw_error *err) {
    if (ctx->limits.code <= 0 || operands <= ctx->limits.code)
        return ZW_OK;
    zw_store_fail(ctx, ZW_E_MODEL,
                  "the model is too large: the code of its equations takes too long");
    return zw_context_status(ctx, err);
}

zw_status zw_context_status(const zw_context *ctx, zw_error *err) {
    if (ctx->status == ZW_E_MODEL && ctx->place.file) {
        zw_fail_at(err, ctx->status, ctx->place, "%s", ctx->why);
        zw_error_hint(err, "introduce coordinates or states for large subexpressions; a C program "
                           "can raise the limits with zw_context_set_limits");
    }
    if (ctx->status < 0)
        return zw_fail(err, ctx->status, "%s", ctx->why);
    return ZW_OK;
}

void zw_context_reset_status(zw_context *ctx) {
    ctx->status = ZW_OK;
}

const char *zw_context_intern(zw_context *ctx, const char *text) {
    const char *s = zw_intern_n(&ctx->names, text, strlen(text));
    if (!s)
        zw_store_fail(ctx, ZW_E_MEMORY, "out of memory for names");
    return s;
}

zw_allocator zw_context_allocator(const zw_context *ctx) {
    return ctx->alloc;
}

void *zw_context_alloc(zw_context *ctx, size_t size) {
    void *p = zw_arena_alloc(&ctx->arena, size);
    if (!p)
        zw_store_fail(ctx, ZW_E_MEMORY, "out of memory for a system");
    return p;
}

zw_arena_mark zw_scratch_mark(const zw_context *ctx) {
    return zw_arena_mark_now(&ctx->scratch);
}

void zw_scratch_release(zw_context *ctx, zw_arena_mark mark) {
    zw_arena_release(&ctx->scratch, mark);
}

void *zw_scratch_alloc(zw_context *ctx, size_t size) {
    void *p = zw_arena_alloc(&ctx->scratch, size);
    if (!p)
        zw_store_fail(ctx, ZW_E_MEMORY, "out of memory for a system");
    return p;
}

uint32_t zw_context_node_count(const zw_context *ctx) {
    return ctx->count - 1;
}

/* looking inside */

zw_op zw_expr_op(const zw_context *ctx, zw_expr e) {
    return (zw_op)node_of(ctx, e)->op;
}

const zw_expr *zw_expr_args(const zw_context *ctx, zw_expr e, int *n) {
    const node *k = node_of(ctx, e);
    if (k->op <= ZW_OP_SYMBOL) {
        *n = 0;
        return NULL;
    }
    *n = k->n;
    return k->args;
}

const char *zw_expr_name(const zw_context *ctx, zw_expr symbol) {
    const node *k = node_of(ctx, symbol);
    return k->op == ZW_OP_SYMBOL ? k->name : NULL;
}

bool zw_expr_is_number(const zw_context *ctx, zw_expr e) {
    return is_number_op(node_of(ctx, e)->op);
}

bool zw_expr_is_rational(const zw_context *ctx, zw_expr e, int64_t *num, int64_t *den) {
    const node *k = node_of(ctx, e);
    if (k->op != ZW_OP_RATIONAL)
        return false;
    *num = k->p;
    *den = k->q;
    return true;
}

double zw_expr_number(const zw_context *ctx, zw_expr e) {
    if (node_of(ctx, e)->op == ZW_OP_PI)
        return 3.14159265358979323846;
    return zw_number_value(zw_store_number_of(ctx, e));
}

/* traversals: the scratch maps are the only part of a context that changes under a const pointer */

memo *zw_memo_begin(const zw_context *const_ctx) {
    zw_context *ctx = (zw_context *)const_ctx;
    if (ctx->memo_depth == MEMO_MAX) {
        zw_store_fail(ctx, ZW_E_MEMORY, "traversals nest too deeply");
        return NULL;
    }
    memo *m = &ctx->memos[ctx->memo_depth];
    if (m->capacity < ctx->count) {
        uint32_t wider = ctx->capacity;
        uint32_t *epoch = zw_allocate(&ctx->alloc, wider * sizeof *epoch);
        uint32_t *value = zw_allocate(&ctx->alloc, wider * sizeof *value);
        if (!epoch || !value) {
            zw_release(&ctx->alloc, epoch, wider * sizeof *epoch);
            zw_release(&ctx->alloc, value, wider * sizeof *value);
            zw_store_fail(ctx, ZW_E_MEMORY, "out of memory for expressions");
            return NULL;
        }
        zw_release(&ctx->alloc, m->epoch, m->capacity * sizeof *epoch);
        zw_release(&ctx->alloc, m->value, m->capacity * sizeof *value);
        m->epoch = epoch;
        m->value = value;
        m->capacity = wider;
        m->now = 0;
    }
    if (++m->now == 0) { /* after 2^32 traversals the epochs start again */
        memset(m->epoch, 0, m->capacity * sizeof *m->epoch);
        m->now = 1;
    }
    m->count = 0;
    ctx->memo_depth++;
    return m;
}

void zw_memo_end(const zw_context *const_ctx) {
    ((zw_context *)const_ctx)->memo_depth--;
}

static bool push_expression(zw_context *ctx, zw_expr **array, int *n, int *capacity, zw_expr e) {
    if (*n == *capacity) {
        int wider = *capacity ? 2 * *capacity : 256;
        zw_expr *a = zw_reallocate(&ctx->alloc, *array, (size_t)*capacity * sizeof e,
                                   (size_t)wider * sizeof e);
        if (!a) {
            zw_store_fail(ctx, ZW_E_MEMORY, "out of memory for expressions");
            return false;
        }
        *array = a;
        *capacity = wider;
    }
    (*array)[(*n)++] = e;
    return true;
}

bool zw_memo_walk(const zw_context *const_ctx, memo *m, int n, const zw_expr *roots,
                  uint64_t mask) {
    zw_context *ctx = (zw_context *)const_ctx;
    enum { OPEN = 1, DONE = 2 };
    int depth = 0;
    m->count = 0;
    for (int r = 0; r < n; r++) {
        if (roots[r] == ZW_NULL || memo_has(m, roots[r]) ||
            (mask != UINT64_MAX && !(node_of(ctx, roots[r])->mask & mask)))
            continue;
        if (!push_expression(ctx, &m->stack, &depth, &m->stack_capacity, roots[r]))
            return false;
        while (depth) {
            zw_expr e = m->stack[depth - 1];
            if (memo_has(m, e)) {
                /* second visit: its arguments are done now */
                depth--;
                if (m->value[e] == OPEN) {
                    m->value[e] = DONE;
                    if (!push_expression(ctx, &m->order, &m->count, &m->order_capacity, e))
                        return false;
                }
                continue;
            }
            memo_set(m, e, OPEN);
            int k;
            const zw_expr *args = zw_expr_args(ctx, e, &k);
            for (int i = k - 1; i >= 0; i--)
                if (!memo_has(m, args[i]) &&
                    (mask == UINT64_MAX || (node_of(ctx, args[i])->mask & mask)))
                    if (!push_expression(ctx, &m->stack, &depth, &m->stack_capacity, args[i]))
                        return false;
        }
    }
    return true;
}
