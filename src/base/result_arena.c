/* SPDX-License-Identifier: MIT */
#include "result_arena.h"

zw_shelf *zw_shelf_create(const zw_allocator *alloc) {
    zw_shelf *shelf = zw_allocate(alloc, sizeof *shelf);
    if (shelf)
        zw_arena_init(&shelf->arena, alloc);
    return shelf;
}

void zw_shelf_destroy(zw_shelf *shelf) {
    if (!shelf)
        return;
    zw_allocator alloc = shelf->arena.alloc;
    zw_arena_clear(&shelf->arena);
    zw_release(&alloc, shelf, sizeof *shelf);
}
