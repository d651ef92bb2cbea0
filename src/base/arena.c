/* SPDX-License-Identifier: MIT */
/* Chunks in a linked list, newest first; a new chunk is twice the last one, up to 1 MiB. */
#include "arena.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct zw_arena_chunk {
    zw_arena_chunk *next;
    size_t size, used; /* bytes after this header */
};

enum { CHUNK_FIRST = 1 << 12, CHUNK_LAST = 1 << 20, ALIGN = 16 };
#define HEADER ((sizeof(zw_arena_chunk) + ALIGN - 1) & ~(size_t)(ALIGN - 1))

static _Atomic bool ran_out;

bool zw_memory_ran_out(void) {
    return atomic_load_explicit(&ran_out, memory_order_relaxed);
}

static void *default_allocate(void *ud, void *ptr, size_t old_size, size_t new_size) {
    (void)ud;
    (void)old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    void *p = realloc(ptr, new_size);
    if (!p)
        atomic_store_explicit(&ran_out, true, memory_order_relaxed);
    return p;
}

void zw_bytes_clear(zw_bytes *bytes) {
    free(bytes->data);
    *bytes = (zw_bytes){0};
}

zw_allocator zw_allocator_default(void) {
    return (zw_allocator){default_allocate, NULL};
}

void *zw_reallocate(const zw_allocator *alloc, void *p, size_t old_size, size_t new_size) {
    return alloc->fn(alloc->ud, p, old_size, new_size);
}

void *zw_allocate(const zw_allocator *alloc, size_t size) {
    void *p = alloc->fn(alloc->ud, NULL, 0, size);
    if (p)
        memset(p, 0, size);
    return p;
}

void zw_release(const zw_allocator *alloc, void *p, size_t size) {
    if (p)
        (void)alloc->fn(alloc->ud, p, size, 0);
}

void zw_arena_init(zw_arena *a, const zw_allocator *alloc) {
    *a = (zw_arena){alloc ? *alloc : zw_allocator_default(), NULL, false};
}

void zw_arena_clear(zw_arena *a) {
    zw_arena_release(a, (zw_arena_mark){NULL, 0});
    a->failed = false;
}

static zw_arena_chunk *new_chunk(zw_arena *a, size_t need) {
    size_t size = CHUNK_FIRST;
    if (a->head)
        size = a->head->size < CHUNK_LAST ? 2 * a->head->size : CHUNK_LAST;
    if (size < need)
        size = need;
    zw_arena_chunk *c = a->alloc.fn(a->alloc.ud, NULL, 0, HEADER + size);
    if (!c)
        return NULL;
    *c = (zw_arena_chunk){a->head, size, 0};
    a->head = c;
    return c;
}

void *zw_arena_alloc(zw_arena *a, size_t size) {
    if (size > SIZE_MAX / 2) {
        a->failed = true;
        return NULL;
    }
    size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    zw_arena_chunk *c = a->head;
    if (!c || c->size - c->used < size)
        c = new_chunk(a, size);
    if (!c) {
        a->failed = true;
        return NULL;
    }
    void *p = (char *)c + HEADER + c->used;
    c->used += size;
    memset(p, 0, size);
    return p;
}

char *zw_arena_copy(zw_arena *a, const char *text, size_t n) {
    char *s = zw_arena_alloc(a, n + 1);
    if (s && n)
        memcpy(s, text, n);
    return s;
}

char *zw_arena_string(zw_arena *a, const char *text) {
    return zw_arena_copy(a, text, strlen(text));
}

char *zw_arena_printf(zw_arena *a, const char *fmt, ...) {
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    char *s = zw_arena_alloc(a, (size_t)n + 1);
    if (s)
        vsnprintf(s, (size_t)n + 1, fmt, again);
    va_end(again);
    return s;
}

zw_arena_mark zw_arena_mark_now(const zw_arena *a) {
    return (zw_arena_mark){a->head, a->head ? a->head->used : 0};
}

void zw_arena_release(zw_arena *a, zw_arena_mark mark) {
    while (a->head && a->head != mark.chunk) {
        zw_arena_chunk *c = a->head;
        a->head = c->next;
        zw_release(&a->alloc, c, HEADER + c->size);
    }
    if (a->head)
        a->head->used = mark.used;
}

bool zw_arena_grow(zw_arena *a, void **array, int n, int *capacity, size_t element) {
    if (n < *capacity)
        return true;
    int wider = *capacity ? 2 * *capacity : 8;
    void *copy = zw_arena_alloc(a, (size_t)wider * element);
    if (!copy)
        return false;
    if (n)
        memcpy(copy, *array, (size_t)n * element);
    *array = copy;
    *capacity = wider;
    return true;
}

zw_status zw_out_of_memory(zw_error *err, const char *what) {
    return zw_fail(err, ZW_E_MEMORY, "out of memory%s%s", what ? " for " : "", what ? what : "");
}

zw_status zw_arena_status(const zw_arena *a, zw_error *err) {
    return a->failed ? zw_out_of_memory(err, NULL) : ZW_OK;
}
