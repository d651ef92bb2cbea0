/* SPDX-License-Identifier: MIT */
/* The memory behind the structs of results: one arena that goes with them. */
#ifndef ZW_BASE_RESULT_ARENA_H
#define ZW_BASE_RESULT_ARENA_H

#include "arena.h"

typedef struct zw_shelf {
    zw_arena arena;
} zw_shelf;

/* An arena for a result; NULL if there is no memory. */
zw_shelf *zw_shelf_create(const zw_allocator *alloc);
void zw_shelf_destroy(zw_shelf *shelf); /* may be NULL */

#endif
