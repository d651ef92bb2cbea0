/* SPDX-License-Identifier: MIT */
#include "result_arena.h"

zw_result_arena *zw_result_arena_create(const zw_allocator *alloc) {
    zw_result_arena *result = zw_allocate(alloc, sizeof *result);
    if (result)
        zw_arena_init(&result->arena, alloc);
    return result;
}

void zw_result_arena_destroy(zw_result_arena *result) {
    if (!result)
        return;
    zw_allocator alloc = result->arena.alloc;
    zw_arena_clear(&result->arena);
    zw_release(&alloc, result, sizeof *result);
}
