/* SPDX-License-Identifier: MIT */
#include "result_arena.h"

zw_result_arena *zw_result_arena_create(const zw_allocator *alloc) {
    zw_result_arena *shelf = zw_allocate(alloc, sizeof *shelf);
    if (shelf)
        zw_arena_init(&shelf->arena, alloc);
    return shelf;
}

void zw_result_arena_destroy(zw_result_arena *shelf) {
    if (!shelf)
        return;
    zw_allocator alloc = shelf->arena.alloc;
    zw_arena_clear(&shelf->arena);
    zw_release(&alloc, shelf, sizeof *shelf);
}
