/* SPDX-License-Identifier: MIT */
/* The store of a table: rows one after the other in one growing block, so that a row is appended by
 * one copy; columns and notes as short arrays of strings. */
#include "zwang/table.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "arena.h"

typedef struct pair {
    char *key, *value; /* a column's name and unit, or a note */
} pair;

typedef struct pairs {
    pair *item;
    int n, capacity;
} pairs;

struct zw_table {
    zw_allocator alloc;
    pairs columns, notes;
    double *data;        /* rows x columns.n */
    long rows, capacity; /* rows */
};

zw_table *zw_table_create(const zw_allocator *alloc) {
    zw_allocator chosen = alloc ? *alloc : zw_allocator_default();
    zw_table *t = zw_allocate(&chosen, sizeof *t);
    if (t)
        t->alloc = chosen;
    return t;
}

static char *copy_string(zw_table *t, const char *s) {
    size_t size = strlen(s) + 1;
    char *copy = zw_allocate(&t->alloc, size);
    if (copy)
        memcpy(copy, s, size);
    return copy;
}

static void free_string(zw_table *t, char *s) {
    if (s)
        zw_release(&t->alloc, s, strlen(s) + 1);
}

static void free_pairs(zw_table *t, pairs *p) {
    for (int i = 0; i < p->n; i++) {
        free_string(t, p->item[i].key);
        free_string(t, p->item[i].value);
    }
    zw_release(&t->alloc, p->item, sizeof *p->item * (size_t)p->capacity);
}

void zw_table_destroy(zw_table *t) {
    if (!t)
        return;
    free_pairs(t, &t->columns);
    free_pairs(t, &t->notes);
    zw_release(&t->alloc, t->data, sizeof(double) * (size_t)t->capacity * (size_t)t->columns.n);
    zw_allocator alloc = t->alloc;
    zw_release(&alloc, t, sizeof *t);
}

static int find(const pairs *p, const char *key) {
    for (int i = 0; i < p->n; i++)
        if (strcmp(p->item[i].key, key) == 0)
            return i;
    return -1;
}

static zw_status append(zw_table *t, pairs *p, const char *key, const char *value) {
    if (p->n == p->capacity) {
        int wider = p->capacity ? 2 * p->capacity : 8;
        pair *item = zw_reallocate(&t->alloc, p->item, sizeof *item * (size_t)p->capacity,
                                   sizeof *item * (size_t)wider);
        if (!item)
            return ZW_E_MEMORY;
        p->item = item;
        p->capacity = wider;
    }
    pair added = {copy_string(t, key), copy_string(t, value)};
    if (!added.key || !added.value) {
        free_string(t, added.key);
        free_string(t, added.value);
        return ZW_E_MEMORY;
    }
    p->item[p->n++] = added;
    return ZW_OK;
}

zw_status zw_table_column(zw_table *t, const char *name, const char *unit) {
    if (t->rows > 0)
        return ZW_E_OPTION; /* columns come before rows */
    if (find(&t->columns, name) >= 0)
        return ZW_E_NAME;
    return append(t, &t->columns, name, unit);
}

zw_status zw_table_row(zw_table *t, const double *values) {
    size_t width = sizeof(double) * (size_t)t->columns.n;
    if (width == 0)
        return ZW_E_OPTION; /* rows of nothing */
    if (t->rows == t->capacity) {
        long wider = t->capacity ? 2 * t->capacity : 64;
        if (t->capacity > LONG_MAX / 4 || (size_t)wider > SIZE_MAX / 2 / width)
            return ZW_E_MEMORY;
        double *data =
            zw_reallocate(&t->alloc, t->data, width * (size_t)t->capacity, width * (size_t)wider);
        if (!data)
            return ZW_E_MEMORY;
        t->data = data;
        t->capacity = wider;
    }
    memcpy(t->data + t->rows * t->columns.n, values, width);
    t->rows++;
    return ZW_OK;
}

zw_status zw_table_note(zw_table *t, const char *key, const char *value) {
    int i = find(&t->notes, key);
    if (i < 0)
        return append(t, &t->notes, key, value);
    char *copy = copy_string(t, value);
    if (!copy)
        return ZW_E_MEMORY;
    free_string(t, t->notes.item[i].value);
    t->notes.item[i].value = copy;
    return ZW_OK;
}

int zw_table_columns(const zw_table *t) {
    return t->columns.n;
}

long zw_table_rows(const zw_table *t) {
    return t->rows;
}

const char *zw_table_name(const zw_table *t, int column) {
    return t->columns.item[column].key;
}

const char *zw_table_unit(const zw_table *t, int column) {
    return t->columns.item[column].value;
}

int zw_table_find(const zw_table *t, const char *name) {
    return find(&t->columns, name);
}

double zw_table_at(const zw_table *t, long row, int column) {
    return t->data[row * t->columns.n + column];
}

int zw_table_notes(const zw_table *t) {
    return t->notes.n;
}

const char *zw_table_note_key(const zw_table *t, int i) {
    return t->notes.item[i].key;
}

const char *zw_table_note_value(const zw_table *t, int i) {
    return t->notes.item[i].value;
}
