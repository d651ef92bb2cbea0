/* SPDX-License-Identifier: MIT */
#include "program.h"

#include <string.h>

#include "base/arena.h"
#include "common_pairs.h"
#include "schedule.h"

/* The style with the fewest operations is known only after sharing, which is the slowest pass:
 * above this number of operations the count before sharing is used. */
enum { TRIED_OPERATIONS = 20000 };

zw_status zw_program_init(zw_program *p, const zw_context *ctx, zw_error *err) {
    zw_allocator alloc = zw_context_allocator(ctx);
    *p = (zw_program){.ctx = ctx};
    zw_arena_init(&p->arena, &alloc);
    zw_arena_init(&p->code_arena, &alloc);
    zw_arena_init(&p->scratch, &alloc);
    if (!zw_graph_init(&p->graph, &p->arena))
        return zw_out_of_memory(err, NULL);
    for (zw_style i = 0; i < ZW_STYLES; i++)
        zw_lower_init(&p->lowering[i], ctx, &p->graph, i, &p->arena, &p->scratch);
    return ZW_OK;
}

void zw_program_trim(zw_program *p) {
    zw_arena_clear(&p->scratch);
    zw_arena_clear(&p->arena);
}

void zw_program_clear(zw_program *p) {
    zw_program_trim(p);
    zw_arena_clear(&p->code_arena);
}

zw_status zw_program_input(zw_program *p, zw_space space, int n, const zw_expr *symbols,
                           zw_error *err) {
    for (int i = 0; i < n; i++)
        for (int style = 0; style < ZW_STYLES; style++)
            if (zw_lower_input(&p->lowering[style], symbols[i], space, i) < 0)
                return zw_out_of_memory(err, NULL);
    return ZW_OK;
}

zw_status zw_program_lower(zw_program *p, zw_style style, int n, const zw_expr *e, zw_value *out,
                           zw_error *err) {
    return zw_lower(&p->lowering[style], n, e, out, err);
}

/* operations of a function of these values; before sharing a sum of n counts as n - 1 */
static long count_operations(zw_program *p, int n, const zw_value *v) {
    const zw_graph *g = &p->graph;
    zw_arena_mark mark = zw_arena_mark_now(&p->scratch);
    bool *needed = ZW_NEW(&p->scratch, bool, g->n);
    long cost = 0;
    for (int i = 0; needed && i < n; i++)
        needed[v[i]] = true;
    for (zw_value i = g->n - 1; needed && i > 0; i--) {
        const zw_node *node = &g->node[i];
        if (!needed[i] || node->rate < ZW_RATE_STATE || node->op == ZW_CODE_INPUT)
            continue;
        if (node->op == ZW_GRAPH_SUM || node->op == ZW_GRAPH_PRODUCT) {
            cost += node->b - 1;
            for (int k = 0; k < node->b; k++)
                needed[g->list[node->a + k].value] = true;
            continue;
        }
        cost++;
        zw_value operand[3] = {node->a, node->b, node->c};
        for (int k = 0; k < zw_code_arity(node->op); k++)
            needed[operand[k]] = true;
    }
    zw_arena_release(&p->scratch, mark);
    return needed ? cost : -1;
}

/* the values as operations on two */
static zw_status share_values(zw_program *p, int n, zw_value *v, zw_error *err) {
    return zw_share(&p->graph, &p->scratch, n, v) < 0 ? zw_out_of_memory(err, NULL) : ZW_OK;
}

/* a function whose values have been shared */
static zw_status add_function(zw_program *p, const char *name, int n, zw_value *v, zw_error *err) {
    if (!zw_arena_grow(&p->arena, (void **)&p->entry, p->nfunction, &p->capacity, sizeof *p->entry))
        return zw_out_of_memory(err, NULL);
    p->entry[p->nfunction++] = (zw_program_entry){name, n, v};
    return ZW_OK;
}

zw_status zw_program_consider(zw_program *p, int n, zw_candidate *c, zw_error *err) {
    c->before = c->after = count_operations(p, n, c->v);
    c->shared = c->before <= TRIED_OPERATIONS;
    if (c->shared) {
        ZW_TRY(share_values(p, n, c->v, err));
        c->after = count_operations(p, n, c->v);
    }
    return c->before < 0 || c->after < 0 ? zw_out_of_memory(err, NULL) : ZW_OK;
}

zw_status zw_program_choose(zw_program *p, const char *name, int n, int ncandidate,
                            const zw_candidate *candidate, zw_error *err) {
    bool all_shared = true;
    int best = 0;
    for (int i = 0; i < ncandidate; i++)
        all_shared &= candidate[i].shared;
    for (int i = 0; i < ncandidate; i++) {
        const zw_candidate *c = &candidate[i], *b = &candidate[best];
        if (all_shared ? c->after < b->after : c->before < b->before)
            best = i;
    }
    if (!candidate[best].shared)
        ZW_TRY(share_values(p, n, candidate[best].v, err));
    return add_function(p, name, n, candidate[best].v, err);
}

zw_status zw_program_function(zw_program *p, const char *name, int n, const zw_expr *e,
                              zw_error *err) {
    zw_candidate candidate[ZW_STYLES];
    for (zw_style style = 0; style < ZW_STYLES; style++) {
        candidate[style].v = ZW_NEW(&p->arena, zw_value, n + 1);
        if (!candidate[style].v)
            return zw_out_of_memory(err, NULL);
        ZW_TRY(zw_program_lower(p, style, n, e, candidate[style].v, err));
        ZW_TRY(zw_program_consider(p, n, &candidate[style], err));
    }
    return zw_program_choose(p, name, n, ZW_STYLES, candidate, err);
}

zw_status zw_program_finish(zw_program *p, zw_error *err) {
    zw_schedule s;
    p->code = ZW_NEW(&p->code_arena, zw_code, p->nfunction + 1);
    zw_status status = !p->code ? ZW_E_MEMORY
                                : zw_schedule_init(&s, p->ctx, &p->graph, p->first_cached,
                                                   &p->code_arena, &p->scratch);
    s.fuses = status == ZW_OK && p->fuses;
    for (int i = 0; status == ZW_OK && i < p->nfunction; i++)
        status = zw_schedule_function(&s, p->entry[i].name, p->entry[i].nout, p->entry[i].out,
                                      &p->code[i]);
    if (status == ZW_OK)
        status = zw_schedule_prepare(&s, &p->prepare);
    zw_arena_clear(&p->scratch);
    return status == ZW_OK ? ZW_OK : zw_fail(err, status, "%s", zw_status_text(status));
}
