/* SPDX-License-Identifier: MIT */
/* The memory behind the structs of results: one arena that goes with them. */
#ifndef ZW_BASE_RESULT_ARENA_H
#define ZW_BASE_RESULT_ARENA_H

#include "arena.h"

typedef struct zw_result_arena {
    zw_arena arena;
} zw_result_arena;

/* An arena for a result; NULL if there is no memory. */
zw_result_arena *zw_result_arena_create(const zw_allocator *alloc);
void zw_result_arena_destroy(zw_result_arena *shelf); /* may be NULL */

#endif
