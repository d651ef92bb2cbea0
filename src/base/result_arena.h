/* SPDX-License-Identifier: MIT */
/* The memory that the structs of results are allocated in: one arena that is freed with them. */
#ifndef ZW_BASE_RESULT_ARENA_H
#define ZW_BASE_RESULT_ARENA_H

#include "arena.h"

typedef struct zw_result_arena {
    zw_arena arena;
} zw_result_arena;

/* NULL if out of memory. */
zw_result_arena *zw_result_arena_create(const zw_allocator *alloc);
void zw_result_arena_destroy(zw_result_arena *result); /* may be NULL */

#endif
