/* SPDX-License-Identifier: MIT */
/* Derivatives, symbolic, on the shared graph.
 *
 * Forward: one sweep over the nodes below e, arguments first, carries de = sum_i (de/da_i) da_i
 * from given seeds ds. With the seed of one symbol 1 it is a partial derivative, with seeds s' the
 * total time derivative. Nodes whose symbol mask does not contain a seeded symbol are never
 * visited. Reverse: one sweep from e down collects at each node the list of its adjoint
 * contributions and adds them when the node is reached; one sweep gives all partial derivatives. In
 * both cases each node is differentiated once, so shared parts stay shared.
 *
 * Choices. The derivative of a choice is the same choice between the derivatives,
 *
 *     d if(c, a, b) = if(c, da, db),
 *     d min(a, b) = if(b < a, db, da),   d max(a, b) = if(a < b, db, da),
 *
 * and not 1 da + 0 db: the branch that is not taken may have no finite value, and 0 times that is
 * not 0. For the same reason a factor is moved into a choice that has 0 on one side, f if(c, d, 0)
 * = if(c, f d, 0): the slope of sqrt(max(x, 0)) is 0 where x < 0, not 0/0. An adjoint swept through
 * a choice would be such a product, so the reverse sweep ends at choices, and forward sweeps
 * continue below them. */
#include "expr/core/store.h"

static bool is_choice(const zw_context *ctx, zw_expr e) {
    int op = node_of(ctx, e)->op;
    return op == ZW_OP_COND || op == ZW_OP_MIN || op == ZW_OP_MAX;
}

enum { NESTED_MAX = 8 }; /* depth of choices inside each other that is searched */

/* true if one of the values that a choice selects from is 0 */
static bool may_vanish(const zw_context *ctx, zw_expr e, int depth) {
    const node *k = node_of(ctx, e);
    if (e == ZW_ZERO)
        return true;
    return k->op == ZW_OP_COND && depth < NESTED_MAX &&
           (may_vanish(ctx, k->args[1], depth + 1) || may_vanish(ctx, k->args[2], depth + 1));
}

/* slope d, moved inside the choices of d */
static zw_expr chain_inside(zw_context *ctx, zw_expr slope, zw_expr d, int depth) {
    if (!slope || !d)
        return ZW_NULL;
    const node *k = node_of(ctx, d);
    if (k->op != ZW_OP_COND || !may_vanish(ctx, d, depth))
        return zw_mul(ctx, slope, d);
    zw_expr test = k->args[0], then = k->args[1], otherwise = k->args[2];
    then = chain_inside(ctx, slope, then, depth + 1);
    return zw_cond(ctx, test, then, chain_inside(ctx, slope, otherwise, depth + 1));
}

static zw_expr apply_chain_rule(zw_context *ctx, zw_expr slope, zw_expr d) {
    return chain_inside(ctx, slope, d, 0);
}

/* the product without its factor i, times b_i^e_i replaced by `instead` */
static zw_expr product_with(zw_context *ctx, const zw_expr *args, int n, int i, zw_expr instead) {
    zw_expr small[33], *factors = small;
    zw_arena_mark mark = zw_arena_mark_now(&ctx->scratch);
    if (n / 2 + 1 > 33)
        factors = ZW_NEW(&ctx->scratch, zw_expr, n / 2 + 1);
    if (!factors)
        return zw_store_fail(ctx, ZW_E_MEMORY, "out of memory for expressions");
    int m = 0;
    for (int j = 0; j < n; j += 2)
        if (j != i)
            factors[m++] = zw_pow(ctx, args[j], args[j + 1]);
    factors[m++] = instead;
    zw_expr result = zw_product(ctx, m, factors);
    zw_arena_release(&ctx->scratch, mark);
    return result;
}

/* e b^(e-1), the derivative of b^e with respect to its base */
static zw_expr power_slope(zw_context *ctx, zw_expr base, zw_expr exponent) {
    return zw_mul(ctx, exponent, zw_pow(ctx, base, zw_sub(ctx, exponent, ZW_ONE)));
}

/* de/d(argument k), k as stored; 0 for coefficients */
static zw_expr partial_derivative(zw_context *ctx, zw_expr e, int k) {
    const node *f = node_of(ctx, e);
    const zw_expr *args = f->args;
    int n = f->n;
    if (f->op == ZW_OP_SUM)
        return k % 2 ? args[k + 1] : ZW_ZERO;
    if (f->op == ZW_OP_PRODUCT) {
        if (k % 2 == 0)
            return product_with(ctx, args, n, k, power_slope(ctx, args[k], args[k + 1]));
        /* b^e log(b), which tends to 0 with b */
        zw_expr base = args[k - 1];
        return zw_cond(ctx, base, zw_mul(ctx, e, zw_apply(ctx, ZW_OP_LOG, 1, &base)), ZW_ZERO);
    }
    return zw_function_partial(ctx, e, k);
}

/* the masks of the symbols as one mask */
static uint64_t mask_of(const zw_context *ctx, int n, const zw_expr *symbols) {
    uint64_t mask = 0;
    for (int i = 0; i < n; i++)
        mask |= symbols[i] ? node_of(ctx, symbols[i])->mask : 0;
    return mask;
}

/* the derivative that a sweep found for e; nodes it never visited have derivative 0 */
static zw_expr swept_derivative(const memo *m, zw_expr e) {
    return memo_has(m, e) ? m->value[e] : ZW_ZERO;
}

/* the choice between the derivatives of the values that e selects from */
static zw_expr forward_choice(zw_context *ctx, const memo *m, zw_expr e) {
    const node *k = node_of(ctx, e);
    zw_op op = (zw_op)k->op;
    zw_expr a = k->args[0], b = k->args[1];
    if (op == ZW_OP_COND)
        return zw_cond(ctx, a, swept_derivative(m, b), swept_derivative(m, k->args[2]));
    zw_expr order[] = {op == ZW_OP_MIN ? b : a, op == ZW_OP_MIN ? a : b};
    zw_expr da = swept_derivative(m, a), db = swept_derivative(m, b);
    return zw_cond(ctx, zw_apply(ctx, ZW_OP_LT, 2, order), db, da);
}

/* de from the derivatives of its arguments in the memo */
static zw_expr forward_node(zw_context *ctx, const memo *m, zw_expr e) {
    int n, count = 0;
    const zw_expr *args = zw_expr_args(ctx, e, &n);
    if (is_choice(ctx, e))
        return forward_choice(ctx, m, e);
    zw_expr small[64], *terms = small;
    zw_arena_mark mark = zw_arena_mark_now(&ctx->scratch);
    if (n > 64)
        terms = ZW_NEW(&ctx->scratch, zw_expr, n);
    if (!terms)
        return zw_store_fail(ctx, ZW_E_MEMORY, "out of memory for expressions");
    for (int k = 0; k < n; k++) {
        zw_expr d = swept_derivative(m, args[k]);
        if (d != ZW_ZERO)
            terms[count++] = apply_chain_rule(ctx, partial_derivative(ctx, e, k), d);
    }
    zw_expr result = count == 0 ? ZW_ZERO : zw_sum(ctx, count, terms);
    zw_arena_release(&ctx->scratch, mark);
    return result;
}

/* sweeps over all roots, with seeds for the symbols; results stay in the memo */
static bool sweep_forward(zw_context *ctx, memo *m, int nroot, const zw_expr *roots, int n,
                          const zw_expr *symbols, const zw_expr *seeds) {
    if (!zw_memo_walk(ctx, m, nroot, roots, mask_of(ctx, n, symbols)))
        return false;
    for (int i = 0; i < m->count; i++) {
        zw_expr e = m->order[i], d = ZW_ZERO;
        if (node_of(ctx, e)->op == ZW_OP_SYMBOL) {
            for (int s = 0; s < n; s++)
                if (symbols[s] == e)
                    d = seeds[s];
        } else {
            d = forward_node(ctx, m, e);
        }
        if (!d)
            return false;
        memo_set(m, e, d);
    }
    return true;
}

zw_expr zw_along(zw_context *ctx, zw_expr e, int n, const zw_expr *symbols,
                 const zw_expr *directions) {
    if (!e)
        return ZW_NULL;
    memo *m = zw_memo_begin(ctx);
    if (!m)
        return ZW_NULL;
    zw_expr result =
        sweep_forward(ctx, m, 1, &e, n, symbols, directions) ? swept_derivative(m, e) : ZW_NULL;
    zw_memo_end(ctx);
    return result;
}

zw_expr zw_diff(zw_context *ctx, zw_expr e, zw_expr symbol) {
    zw_expr one = ZW_ONE;
    return zw_along(ctx, e, 1, &symbol, &one);
}

/* ---------------------------------------------------------------------------------- reverse */

typedef struct contribution {
    struct contribution *next;
    zw_expr value;
} contribution;

/* the sum of a list of contributions */
static zw_expr sum_contributions(zw_context *ctx, const contribution *list) {
    int n = 0, i = 0;
    for (const contribution *c = list; c; c = c->next)
        n++;
    if (n == 1)
        return list->value;
    zw_arena_mark mark = zw_arena_mark_now(&ctx->scratch);
    zw_expr small[64], *terms = n <= 64 ? small : ZW_NEW(&ctx->scratch, zw_expr, n);
    if (!terms)
        return zw_store_fail(ctx, ZW_E_MEMORY, "out of memory for expressions");
    for (const contribution *c = list; c; c = c->next)
        terms[i++] = c->value;
    zw_expr sum = zw_sum(ctx, n, terms);
    zw_arena_release(&ctx->scratch, mark);
    return sum;
}

typedef struct backward {
    zw_context *ctx;
    memo *m; /* index of a node in `adjoint`; its adjoint itself once the node is done */
    contribution **adjoint;
    int n;
    const zw_expr *symbols;
} backward;

static bool add_contribution(backward *b, zw_expr to, zw_expr value) {
    contribution *c = ZW_NEW(&b->ctx->scratch, contribution, 1);
    if (!c || !value)
        return false;
    contribution **list = &b->adjoint[b->m->value[to]];
    *c = (contribution){*list, value};
    *list = c;
    return true;
}

/* adds the adjoint `sum` of x to the adjoints of its arguments */
static bool add_to_arguments(backward *b, zw_expr x, zw_expr sum) {
    int n;
    const zw_expr *args = zw_expr_args(b->ctx, x, &n);
    for (int k = 0; k < n; k++) {
        if (!memo_has(b->m, args[k]))
            continue;
        zw_expr slope = partial_derivative(b->ctx, x, k);
        if (slope != ZW_ZERO && !add_contribution(b, args[k], apply_chain_rule(b->ctx, sum, slope)))
            return false;
    }
    return true;
}

static bool is_repeated(const backward *b, int i) {
    for (int k = 0; k < i; k++)
        if (b->symbols[k] == b->symbols[i])
            return true;
    return false;
}

/* adds the adjoint of a choice directly to the symbols */
static bool add_to_symbols(backward *b, zw_expr x, zw_expr sum) {
    for (int i = 0; i < b->n; i++) {
        if (!memo_has(b->m, b->symbols[i]) || is_repeated(b, i))
            continue;
        zw_expr slope = zw_diff(b->ctx, x, b->symbols[i]);
        if (slope != ZW_ZERO &&
            !add_contribution(b, b->symbols[i], apply_chain_rule(b->ctx, sum, slope)))
            return false;
    }
    return true;
}

static bool sweep_backward(zw_context *ctx, memo *m, zw_expr e, int n, const zw_expr *symbols) {
    if (!zw_memo_walk(ctx, m, 1, &e, mask_of(ctx, n, symbols)))
        return false;
    if (m->count == 0)
        return true; /* e contains none of the symbols */
    backward b = {ctx, m, ZW_NEW(&ctx->scratch, contribution *, m->count + 1), n, symbols};
    if (!b.adjoint)
        return false;
    for (int i = 0; i < m->count; i++)
        memo_set(m, m->order[i], (uint32_t)i);
    contribution seed = {NULL, ZW_ONE};
    b.adjoint[m->count - 1] = &seed;
    for (int i = m->count - 1; i >= 0; i--) {
        zw_expr x = m->order[i];
        zw_expr sum = b.adjoint[i] ? sum_contributions(ctx, b.adjoint[i]) : ZW_ZERO;
        if (!sum)
            return false;
        if (sum != ZW_ZERO &&
            !(is_choice(ctx, x) ? add_to_symbols(&b, x, sum) : add_to_arguments(&b, x, sum)))
            return false;
        /* the node is done: from here on the memo holds its adjoint */
        memo_set(m, x, sum);
    }
    return true;
}

void zw_gradient(zw_context *ctx, zw_expr e, int n, const zw_expr *symbols, zw_expr *out) {
    memo *m = e ? zw_memo_begin(ctx) : NULL;
    zw_arena_mark mark = zw_arena_mark_now(&ctx->scratch);
    bool ok = m && sweep_backward(ctx, m, e, n, symbols);
    if (m && !ok && ctx->status == ZW_OK)
        zw_store_fail(ctx, ZW_E_MEMORY, "out of memory for expressions");
    for (int i = 0; i < n; i++)
        out[i] = ok ? swept_derivative(m, symbols[i]) : ZW_NULL;
    zw_arena_release(&ctx->scratch, mark);
    if (m)
        zw_memo_end(ctx);
}

void zw_jacobian(zw_context *ctx, int rows, const zw_expr *e, int n, const zw_expr *symbols,
                 zw_expr *out) {
    for (int j = 0; j < n; j++) {
        zw_expr one = ZW_ONE;
        memo *m = zw_memo_begin(ctx);
        bool ok = m && sweep_forward(ctx, m, rows, e, 1, &symbols[j], &one);
        for (int i = 0; i < rows; i++)
            out[i * n + j] = ok && e[i] ? swept_derivative(m, e[i]) : ZW_NULL;
        if (m)
            zw_memo_end(ctx);
    }
}

void zw_hessian(zw_context *ctx, zw_expr e, int n, const zw_expr *symbols, zw_expr *out) {
    zw_arena_mark mark = zw_arena_mark_now(&ctx->scratch);
    zw_expr *gradient = ZW_NEW(&ctx->scratch, zw_expr, n ? n : 1);
    if (!gradient) {
        zw_store_fail(ctx, ZW_E_MEMORY, "out of memory for expressions");
        for (int i = 0; i < n * n; i++)
            out[i] = ZW_NULL;
        return;
    }
    zw_gradient(ctx, e, n, symbols, gradient);
    /* row i from column i on, then mirrored */
    for (int j = 0; j < n; j++) {
        zw_expr one = ZW_ONE;
        memo *m = zw_memo_begin(ctx);
        bool ok = m && sweep_forward(ctx, m, j + 1, gradient, 1, &symbols[j], &one);
        for (int i = 0; i <= j; i++)
            out[i * n + j] = out[j * n + i] =
                ok && gradient[i] ? swept_derivative(m, gradient[i]) : ZW_NULL;
        if (m)
            zw_memo_end(ctx);
    }
    zw_arena_release(&ctx->scratch, mark);
}
