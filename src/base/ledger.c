/* SPDX-License-Identifier: MIT */
/* Every block begins with a header in a doubly linked list. A block that copies hold and that was
 * given back stays in the list, marked as dead. */
#include "ledger.h"

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"

typedef struct block block;
struct block {
    block *next, *before;
    size_t size; /* bytes behind the header */
    int held;    /* copies that have it */
    bool dead;   /* given back */
    bool wanted; /* in the copy that is brought back */
};
enum { ALIGN = 16, HEADER = (sizeof(block) + ALIGN - 1) / ALIGN * ALIGN };

typedef struct kept_block {
    block *of;
    char *bytes;
} kept_block;

struct zw_ledger_copy {
    zw_ledger_copy *next;
    size_t size; /* of the copy */
    int n;
    kept_block *kept; /* n */
};

struct zw_ledger {
    zw_allocator alloc;
    block *first;
    zw_ledger_copy *copies;
};

static char *bytes_of(block *b) {
    return (char *)b + HEADER;
}

static void link_block(zw_ledger *l, block *b) {
    b->before = NULL;
    b->next = l->first;
    if (l->first)
        l->first->before = b;
    l->first = b;
}

static void unlink_block(zw_ledger *l, block *b) {
    if (b->before)
        b->before->next = b->next;
    else
        l->first = b->next;
    if (b->next)
        b->next->before = b->before;
}

static void free_block(zw_ledger *l, block *b) {
    unlink_block(l, b);
    zw_release(&l->alloc, b, HEADER + b->size);
}

static void give_back(zw_ledger *l, block *b) {
    if (b->held > 0)
        b->dead = true;
    else
        free_block(l, b);
}

static void *reallocate_block(void *ud, void *ptr, size_t old_size, size_t new_size) {
    zw_ledger *l = ud;
    block *old = ptr ? (block *)((char *)ptr - HEADER) : NULL;
    if (new_size == 0) {
        if (old)
            give_back(l, old);
        return NULL;
    }
    block *b = zw_reallocate(&l->alloc, NULL, 0, HEADER + new_size);
    if (!b)
        return NULL;
    *b = (block){.size = new_size};
    link_block(l, b);
    if (old) {
        memcpy(bytes_of(b), ptr, old_size < new_size ? old_size : new_size);
        give_back(l, old);
    }
    return bytes_of(b);
}

zw_ledger *zw_ledger_create(const zw_allocator *alloc) {
    zw_ledger *l = zw_allocate(alloc, sizeof *l);
    if (l)
        l->alloc = *alloc;
    return l;
}

zw_allocator zw_ledger_allocator(zw_ledger *ledger) {
    return (zw_allocator){reallocate_block, ledger};
}

void zw_ledger_destroy(zw_ledger *ledger) {
    if (!ledger)
        return;
    zw_allocator alloc = ledger->alloc;
    while (ledger->copies)
        zw_ledger_drop(ledger, ledger->copies);
    while (ledger->first)
        free_block(ledger, ledger->first);
    zw_release(&alloc, ledger, sizeof *ledger);
}

zw_ledger_copy *zw_ledger_save(zw_ledger *ledger) {
    size_t n = 0, bytes = 0;
    for (const block *b = ledger->first; b; b = b->next)
        if (!b->dead) {
            n++;
            bytes += b->size;
        }
    size_t size = sizeof(zw_ledger_copy) + n * sizeof(kept_block) + bytes;
    zw_ledger_copy *copy = zw_allocate(&ledger->alloc, size);
    if (!copy)
        return NULL;
    copy->size = size;
    copy->kept = (kept_block *)(copy + 1);
    char *to = (char *)(copy->kept + n);
    for (block *b = ledger->first; b; b = b->next) {
        if (b->dead)
            continue;
        b->held++;
        memcpy(to, bytes_of(b), b->size);
        copy->kept[copy->n++] = (kept_block){b, to};
        to += b->size;
    }
    copy->next = ledger->copies;
    ledger->copies = copy;
    return copy;
}

void zw_ledger_restore(zw_ledger *ledger, const zw_ledger_copy *copy) {
    for (block *b = ledger->first; b; b = b->next)
        b->wanted = false;
    for (int i = 0; i < copy->n; i++) {
        block *b = copy->kept[i].of;
        b->wanted = true;
        b->dead = false;
        memcpy(bytes_of(b), copy->kept[i].bytes, b->size);
    }
    for (block *b = ledger->first, *next; b; b = next) {
        next = b->next;
        if (!b->wanted && !b->dead)
            give_back(ledger, b);
    }
}

void zw_ledger_drop(zw_ledger *ledger, zw_ledger_copy *copy) {
    if (!copy)
        return;
    zw_ledger_copy **at = &ledger->copies;
    while (*at != copy)
        at = &(*at)->next;
    *at = copy->next;
    for (int i = 0; i < copy->n; i++) {
        block *b = copy->kept[i].of;
        if (--b->held == 0 && b->dead)
            free_block(ledger, b);
    }
    zw_release(&ledger->alloc, copy, copy->size);
}
