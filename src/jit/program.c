/* SPDX-License-Identifier: MIT */
#include "program.h"

#include <string.h>

#include "schedule.h"
#include "share.h"

zw_status zw_program_init(zw_program *p, const zw_context *ctx, zw_error *err) {
    zw_allocator alloc = zw_context_allocator(ctx);
    *p = (zw_program){.ctx = ctx};
    zw_arena_init(&p->arena, &alloc);
    zw_arena_init(&p->code_arena, &alloc);
    zw_arena_init(&p->scratch, &alloc);
    if (!zw_graph_init(&p->graph, &p->arena))
        return zw_fail(err, ZW_E_MEMORY, "out of memory");
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
                return zw_fail(err, ZW_E_MEMORY, "out of memory");
    return ZW_OK;
}

zw_status zw_program_lower(zw_program *p, zw_style style, int n, const zw_expr *e, zw_value *out,
                           zw_error *err) {
    return zw_lower(&p->lowering[style], n, e, out, err);
}

static long count_operations(zw_program *p, int n, const zw_value *v) {
    const zw_graph *g = &p->graph;
    bool *needed = ZW_NEW(&p->scratch, bool, g->n);
    if (!needed)
        return -1;
    for (int i = 0; i < n; i++)
        needed[v[i]] = true;
    long cost = 0;
    for (zw_value i = g->n - 1; i > 0; i--) {
        const zw_node *node = &g->node[i];
        if (!needed[i] || node->rate < ZW_RATE_STATE || node->op == ZW_CODE_INPUT)
            continue;
        cost++;
        zw_value operand[3] = {node->a, node->b, node->c};
        for (int k = 0; k < zw_code_arity(node->op); k++)
            needed[operand[k]] = true;
    }
    return cost;
}

long zw_program_cost(zw_program *p, int n, const zw_value *v) {
    zw_arena_mark mark = zw_arena_mark_now(&p->scratch);
    zw_value *shared = ZW_NEW(&p->scratch, zw_value, n + 1);
    long cost = -1;
    if (shared) {
        memcpy(shared, v, sizeof *v * (size_t)n);
        if (zw_share(&p->graph, &p->scratch, n, shared) == ZW_OK)
            cost = count_operations(p, n, shared);
    }
    zw_arena_release(&p->scratch, mark);
    return cost;
}

zw_status zw_program_function_of_values(zw_program *p, const char *name, int n, const zw_value *v,
                                        zw_error *err) {
    zw_value *out = ZW_NEW(&p->arena, zw_value, n + 1);
    if (!out)
        return zw_fail(err, ZW_E_MEMORY, "out of memory");
    if (n)
        memcpy(out, v, sizeof *out * (size_t)n);
    if (zw_share(&p->graph, &p->scratch, n, out) < 0)
        return zw_fail(err, ZW_E_MEMORY, "out of memory");
    if (!zw_arena_grow(&p->arena, (void **)&p->entry, p->nfunction, &p->capacity, sizeof *p->entry))
        return zw_fail(err, ZW_E_MEMORY, "out of memory");
    p->entry[p->nfunction++] = (zw_program_entry){name, n, out};
    return ZW_OK;
}

zw_status zw_program_function(zw_program *p, const char *name, int n, const zw_expr *e,
                              zw_error *err) {
    zw_value *out[ZW_STYLES];
    long cost[ZW_STYLES];
    zw_style best = 0;
    for (zw_style style = 0; style < ZW_STYLES; style++) {
        out[style] = ZW_NEW(&p->arena, zw_value, n + 1);
        if (!out[style])
            return zw_fail(err, ZW_E_MEMORY, "out of memory");
        ZW_TRY(zw_program_lower(p, style, n, e, out[style], err));
        cost[style] = zw_program_cost(p, n, out[style]);
        if (cost[style] < 0)
            return zw_fail(err, ZW_E_MEMORY, "out of memory");
        if (cost[style] < cost[best])
            best = style;
    }
    return zw_program_function_of_values(p, name, n, out[best], err);
}

zw_status zw_program_finish(zw_program *p, zw_error *err) {
    zw_schedule s;
    p->code = ZW_NEW(&p->code_arena, zw_code, p->nfunction + 1);
    zw_status status = !p->code ? ZW_E_MEMORY
                                : zw_schedule_init(&s, p->ctx, &p->graph, p->first_cached,
                                                   &p->code_arena, &p->scratch);
    for (int i = 0; status == ZW_OK && i < p->nfunction; i++)
        status = zw_schedule_function(&s, p->entry[i].name, p->entry[i].nout, p->entry[i].out,
                                      &p->code[i]);
    if (status == ZW_OK)
        status = zw_schedule_prepare(&s, &p->prepare);
    zw_arena_clear(&p->scratch);
    return status == ZW_OK ? ZW_OK : zw_fail(err, status, "%s", zw_status_text(status));
}
