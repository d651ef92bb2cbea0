/* SPDX-License-Identifier: MIT */
/* Arena memory: many small allocations with one lifetime, freed together.
 * A failed allocation returns NULL and sets `failed`, so that a caller may ask once at the end. */
#ifndef ZW_BASE_ARENA_H
#define ZW_BASE_ARENA_H

#include <stdbool.h>

#include "zwang/status.h"

typedef struct zw_arena_chunk zw_arena_chunk;

typedef struct zw_arena {
    zw_allocator alloc;
    zw_arena_chunk *head;
    bool failed;
} zw_arena;

typedef struct zw_arena_mark {
    zw_arena_chunk *chunk;
    size_t used;
} zw_arena_mark;

/* True if the default allocator has failed in this process. Searches for formulas treat a failed
 * allocation as "not found" and continue; a program that prints their results checks here. */
bool zw_memory_ran_out(void);

/* alloc may be NULL (malloc). */
void zw_arena_init(zw_arena *a, const zw_allocator *alloc);
void zw_arena_clear(zw_arena *a);
/* size zeroed bytes, aligned to 16; NULL if out of memory. */
void *zw_arena_alloc(zw_arena *a, size_t size);
/* A terminated copy of n bytes. */
char *zw_arena_copy(zw_arena *a, const char *text, size_t n);
/* A copy of a zero-terminated string. */
char *zw_arena_string(zw_arena *a, const char *text);
char *zw_arena_printf(zw_arena *a, const char *fmt, ...) ZW_PRINTF(2, 3);
/* A mark for scratch memory; release frees everything that was allocated after the mark. */
zw_arena_mark zw_arena_mark_now(const zw_arena *a);
void zw_arena_release(zw_arena *a, zw_arena_mark mark);

#define ZW_NEW(arena, type, n) ((type *)zw_arena_alloc((arena), sizeof(type) * (size_t)(n)))

/* Makes room for one more element in an array of an arena, doubling its capacity (the old copy
 * stays in the arena until that is cleared). False if out of memory. */
bool zw_arena_grow(zw_arena *a, void **array, int n, int *capacity, size_t element);

/* ZW_E_MEMORY with "out of memory", or "out of memory for WHAT" if what is not NULL. */
zw_status zw_out_of_memory(zw_error *err, const char *what);
/* ZW_E_MEMORY if an allocation of the arena has failed, else ZW_OK. */
zw_status zw_arena_status(const zw_arena *a, zw_error *err);

/* Plain allocation through an allocator. */
void *zw_allocate(const zw_allocator *alloc, size_t size); /* zeroed */
void *zw_reallocate(const zw_allocator *alloc, void *p, size_t old_size, size_t new_size);
void zw_release(const zw_allocator *alloc, void *p, size_t size);

#endif
