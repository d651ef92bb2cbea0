/* SPDX-License-Identifier: MIT */
/* From values to linear code: order of the operations, places of the values. */
#ifndef ZW_JIT_SCHEDULE_H
#define ZW_JIT_SCHEDULE_H

#include "graph.h"

typedef struct zw_schedule {
    const zw_context *ctx;
    const zw_graph *graph;
    zw_arena *arena;   /* receives the code */
    zw_arena *scratch; /* working memory of all functions */
    int *cache_slot;   /* by value: 1 + its index in the cache, 0 if it has none */
    zw_value *cached;  /* the values of the cache */
    int first_cached;  /* entry of the cache that `prepare` fills first */
    bool fuses;        /* products are fused with the sums they are in; false unless set */
    int ncached, cached_capacity;
} zw_schedule;

zw_status zw_schedule_init(zw_schedule *s, const zw_context *ctx, const zw_graph *graph,
                           int first_cached, zw_arena *arena, zw_arena *scratch);
zw_status zw_schedule_function(zw_schedule *s, const char *name, int nout, const zw_value *out,
                               zw_code *code);
/* The function that fills the cache for all functions scheduled before. */
zw_status zw_schedule_prepare(zw_schedule *s, zw_code *code);

#endif
