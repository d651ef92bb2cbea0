/* SPDX-License-Identifier: MIT */
#include "intern.h"

#include <string.h>

void zw_intern_init(zw_intern *in, zw_arena *arena) {
    *in = (zw_intern){.arena = arena};
}

uint32_t zw_hash_bytes(const void *data, size_t n) {
    const unsigned char *p = data;
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 16777619u;
    return h;
}

static bool grow_slots(zw_intern *in) {
    int capacity = in->capacity ? 2 * in->capacity : 64;
    const char **slot = ZW_NEW(in->arena, const char *, capacity);
    if (!slot)
        return false;
    for (int i = 0; i < in->capacity; i++) {
        const char *s = in->slot[i];
        if (!s)
            continue;
        uint32_t k = zw_hash_bytes(s, strlen(s)) & (uint32_t)(capacity - 1);
        while (slot[k])
            k = (k + 1) & (uint32_t)(capacity - 1);
        slot[k] = s;
    }
    in->slot = slot;
    in->capacity = capacity;
    return true;
}

const char *zw_intern_n(zw_intern *in, const char *text, size_t n) {
    if (2 * in->count >= in->capacity && !grow_slots(in))
        return NULL;
    uint32_t k = zw_hash_bytes(text, n) & (uint32_t)(in->capacity - 1);
    for (; in->slot[k]; k = (k + 1) & (uint32_t)(in->capacity - 1))
        if (strncmp(in->slot[k], text, n) == 0 && in->slot[k][n] == '\0')
            return in->slot[k];
    char *copy = zw_arena_copy(in->arena, text, n);
    if (!copy)
        return NULL;
    in->slot[k] = copy;
    in->count++;
    return copy;
}
