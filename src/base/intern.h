/* SPDX-License-Identifier: MIT */
/* Interning: one copy of every distinct string, so that names compare by address. */
#ifndef ZW_BASE_INTERN_H
#define ZW_BASE_INTERN_H

#include <stdint.h>

#include "arena.h"

typedef struct zw_intern {
    zw_arena *arena;   /* holds the strings and the slots */
    const char **slot; /* open addressing, power of two */
    int count, capacity;
} zw_intern;

void zw_intern_init(zw_intern *in, zw_arena *arena);
/* The one copy; NULL if out of memory. */
const char *zw_intern_n(zw_intern *in, const char *text, size_t n);
/* FNV-1a, the hash used by all tables of names. */
uint32_t zw_hash_bytes(const void *data, size_t n);

#endif
