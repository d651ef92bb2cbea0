/* SPDX-License-Identifier: MIT */
/* The store of a table: rows one after the other in one growing block, so that a row is appended by
 * one copy; columns and notes as arrays of strings, with a hash table once there are many. The
 * block doubles, so that n rows cost about n copies; near the end of memory it grows by an eighth,
 * to reach as far as it can. */
#include "table.h"

#include <assert.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "arena.h"
#include "intern.h"

typedef struct pair {
    char *key, *value; /* name and unit of a column, or key and value of a note */
} pair;

typedef struct pairs {
    pair *item;
    int n, capacity;
    /* NSLOT * capacity, open addressing by the hash of the key: index of an item + 1, 0 if empty;
     * NULL while there are few items */
    int *slot;
} pairs;

enum { FEW = 32, NSLOT = 2 }; /* capacities are powers of two */

struct zw_table {
    zw_allocator alloc;
    pairs columns, notes;
    double *data;    /* rows x columns.n */
    size_t capacity; /* of data, in numbers */
    long rows;
    bool checked;
    bool shared; /* data belongs to another table */
};

zw_table *zw_table_create(const zw_allocator *alloc) {
    zw_allocator chosen = alloc ? *alloc : zw_allocator_default();
    zw_table *t = zw_allocate(&chosen, sizeof *t);
    if (t)
        t->alloc = chosen;
    return t;
}

const zw_allocator *zw_table_allocator(const zw_table *t) {
    return &t->alloc;
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
    zw_release(&t->alloc, p->slot, p->slot ? sizeof *p->slot * NSLOT * (size_t)p->capacity : 0);
}

void zw_table_destroy(zw_table *t) {
    if (!t)
        return;
    free_pairs(t, &t->columns);
    free_pairs(t, &t->notes);
    if (!t->shared)
        zw_release(&t->alloc, t->data, sizeof(double) * t->capacity);
    zw_allocator alloc = t->alloc;
    zw_release(&alloc, t, sizeof *t);
}

/* The slot of a key, or the empty one where it would be inserted. */
static uint32_t find_slot(const pairs *p, const char *key) {
    uint32_t last = NSLOT * (uint32_t)p->capacity - 1, k = zw_hash_bytes(key, strlen(key)) & last;
    while (p->slot[k] && strcmp(p->item[p->slot[k] - 1].key, key) != 0)
        k = (k + 1) & last;
    return k;
}

static int find_pair(const pairs *p, const char *key) {
    if (p->slot)
        return p->slot[find_slot(p, key)] - 1;
    for (int i = 0; i < p->n; i++)
        if (strcmp(p->item[i].key, key) == 0)
            return i;
    return -1;
}

static void fill_slots(pairs *p) {
    memset(p->slot, 0, sizeof *p->slot * NSLOT * (size_t)p->capacity);
    for (int i = 0; i < p->n; i++)
        p->slot[find_slot(p, p->item[i].key)] = i + 1;
}

static zw_status grow_pairs(zw_table *t, pairs *p) {
    if (p->capacity > INT_MAX / 2 / NSLOT)
        return ZW_E_MEMORY;
    size_t before = (size_t)p->capacity, wider = before ? 2 * before : 8;
    int *slot = wider > FEW ? zw_allocate(&t->alloc, sizeof *slot * NSLOT * wider) : NULL;
    pair *item = wider > FEW && !slot ? NULL
                                      : zw_reallocate(&t->alloc, p->item, sizeof *item * before,
                                                      sizeof *item * wider);
    if (!item) {
        zw_release(&t->alloc, slot, slot ? sizeof *slot * NSLOT * wider : 0);
        return ZW_E_MEMORY;
    }
    zw_release(&t->alloc, p->slot, p->slot ? sizeof *p->slot * NSLOT * before : 0);
    p->item = item;
    p->slot = slot;
    p->capacity = (int)wider;
    if (slot)
        fill_slots(p);
    return ZW_OK;
}

static zw_status append_pair(zw_table *t, pairs *p, const char *key, const char *value) {
    if (p->n == p->capacity)
        ZW_TRY(grow_pairs(t, p));
    pair added = {copy_string(t, key), copy_string(t, value)};
    if (!added.key || !added.value) {
        free_string(t, added.key);
        free_string(t, added.value);
        return ZW_E_MEMORY;
    }
    if (p->slot)
        p->slot[find_slot(p, key)] = p->n + 1;
    p->item[p->n++] = added;
    return ZW_OK;
}

zw_status zw_table_column(zw_table *t, const char *name, const char *unit) {
    if (t->rows > 0)
        return ZW_E_OPTION; /* columns come before rows */
    if (find_pair(&t->columns, name) >= 0)
        return ZW_E_NAME;
    return append_pair(t, &t->columns, name, unit);
}

static bool resize_data(zw_table *t, size_t capacity) {
    double *data =
        zw_reallocate(&t->alloc, t->data, sizeof(double) * t->capacity, sizeof(double) * capacity);
    if (!data)
        return false;
    t->data = data;
    t->capacity = capacity;
    return true;
}

/* Room for `need` numbers. */
static zw_status grow_data(zw_table *t, size_t need) {
    const size_t most = PTRDIFF_MAX / sizeof(double);
    assert(!t->shared);
    if (need <= t->capacity)
        return ZW_OK;
    if (need > most)
        return ZW_E_MEMORY;
    size_t twice = t->capacity < most / 2 ? 2 * t->capacity : most;
    size_t eighth = t->capacity < most / 2 ? t->capacity + t->capacity / 8 : most;
    bool ok = (twice > need && resize_data(t, twice)) ||
              (eighth > need && resize_data(t, eighth)) || resize_data(t, need);
    return ok ? ZW_OK : ZW_E_MEMORY;
}

/* checks that rows x columns does not overflow */
static zw_status grow_to(zw_table *t, long rows, int columns) {
    if (rows < 0 || (columns > 0 && (size_t)rows > PTRDIFF_MAX / sizeof(double) / (size_t)columns))
        return ZW_E_MEMORY;
    return grow_data(t, (size_t)rows * (size_t)columns);
}

zw_status zw_table_reserve(zw_table *t, long rows) {
    return grow_to(t, rows, t->columns.n);
}

zw_status zw_table_row(zw_table *t, const double *values) {
    enum { FIRST = 64 }; /* rows */
    int n = t->columns.n;
    if (n == 0)
        return ZW_E_OPTION; /* a table without columns */
    if (t->rows == LONG_MAX)
        return ZW_E_MEMORY;
    ZW_TRY(grow_to(t, t->rows ? t->rows + 1 : FIRST, n));
    memcpy(t->data + t->rows * n, values, sizeof(double) * (size_t)n);
    t->rows++;
    return ZW_OK;
}

zw_status zw_table_add_rows(zw_table *t, long n) {
    if (t->columns.n == 0 || n < 0)
        return ZW_E_OPTION;
    if (n > LONG_MAX - t->rows)
        return ZW_E_MEMORY;
    if (n == 0) /* data may still be NULL */
        return ZW_OK;
    ZW_TRY(zw_table_reserve(t, t->rows + n));
    memset(t->data + t->rows * t->columns.n, 0, sizeof(double) * (size_t)n * (size_t)t->columns.n);
    t->rows += n;
    return ZW_OK;
}

zw_status zw_table_add_column(zw_table *t, const char *name, const char *unit,
                              const double *values) {
    int n = t->columns.n;
    if (find_pair(&t->columns, name) >= 0)
        return ZW_E_NAME;
    ZW_TRY(grow_to(t, t->rows, n + 1));
    ZW_TRY(append_pair(t, &t->columns, name, unit));
    for (long i = t->rows - 1; i >= 0; i--) {
        memmove(t->data + i * (n + 1), t->data + i * n, sizeof(double) * (size_t)n);
        t->data[i * (n + 1) + n] = values ? values[i] : 0;
    }
    return ZW_OK;
}

/* the column of t at which each column of the other table is; their orders may differ */
static zw_status match_columns(const zw_table *t, const zw_table *more, int *where, zw_error *err) {
    for (int j = 0; j < more->columns.n; j++)
        if (find_pair(&t->columns, more->columns.item[j].key) < 0)
            return zw_fail(err, ZW_E_NAME, "the first table has no column '%s'",
                           more->columns.item[j].key);
    for (int j = 0; j < t->columns.n; j++) {
        const pair *c = &t->columns.item[j];
        where[j] = find_pair(&more->columns, c->key);
        if (where[j] < 0)
            return zw_fail(err, ZW_E_NAME, "the second table has no column '%s'", c->key);
        const char *unit = more->columns.item[where[j]].value;
        if (strcmp(c->value, unit) != 0)
            return zw_fail(err, ZW_E_UNIT, "the column '%s' is in '%s' here, in '%s' there", c->key,
                           c->value, unit);
    }
    return ZW_OK;
}

static zw_status append_rows(zw_table *t, const zw_table *more, const int *where, zw_error *err) {
    long rows = more->rows;
    int n = t->columns.n;
    if (t->rows > LONG_MAX - rows || grow_to(t, t->rows + rows, n) < 0)
        return zw_table_out_of_memory(t, err);
    for (long i = 0; i < rows; i++, t->rows++)
        for (int j = 0; j < n; j++)
            t->data[t->rows * n + j] = more->data[i * n + where[j]];
    return ZW_OK;
}

zw_status zw_table_append(zw_table *t, const zw_table *more, zw_error *err) {
    size_t size = sizeof(int) * ((size_t)t->columns.n + 1);
    int *where = zw_allocate(&t->alloc, size);
    if (!where)
        return zw_table_out_of_memory(t, err);
    zw_status status = match_columns(t, more, where, err);
    if (status >= 0)
        status = append_rows(t, more, where, err);
    zw_release(&t->alloc, where, size);
    return status;
}

/* ---- tables from tables ---- */

static zw_status copy_pairs(zw_table *t, pairs *to, const pairs *from) {
    for (int i = 0; i < from->n; i++)
        ZW_TRY(append_pair(t, to, from->item[i].key, from->item[i].value));
    return ZW_OK;
}

zw_table *zw_table_create_like(const zw_table *t) {
    zw_table *to = zw_table_create(&t->alloc);
    if (to && copy_pairs(to, &to->columns, &t->columns) >= 0 &&
        copy_pairs(to, &to->notes, &t->notes) >= 0)
        return to;
    zw_table_destroy(to);
    return NULL;
}

zw_status zw_table_share(zw_table **out, const zw_table *t, zw_error *err) {
    zw_table *to = *out = zw_table_create_like(t);
    if (!to)
        return zw_out_of_memory(err, NULL);
    to->data = t->data;
    to->rows = t->rows;
    to->shared = true;
    return ZW_OK;
}

zw_status zw_table_thin(zw_table **out, const zw_table *t, long most, zw_error *err) {
    assert(out);
    long n = t->rows < most ? t->rows : most;
    *out = NULL;
    if (most < 2)
        return zw_fail(err, ZW_E_OPTION, "the first and the last row are 2, at most %ld are wanted",
                       most);
    zw_table *to = zw_table_create_like(t);
    zw_status status = to ? zw_table_reserve(to, n) : ZW_E_MEMORY;
    for (long i = 0; status >= 0 && i < n; i++) {
        double part =
            n == t->rows ? (double)i : (double)i * (double)(t->rows - 1) / (double)(n - 1);
        status = zw_table_row(to, t->data + (long)(part + 0.5) * t->columns.n);
    }
    if (status >= 0) {
        *out = to;
        return ZW_OK;
    }
    zw_table_destroy(to);
    return zw_fail(err, status, "out of memory for %ld rows", n);
}

zw_status zw_table_out_of_memory(const zw_table *t, zw_error *err) {
    double bytes = (double)sizeof(double) * (double)t->rows * t->columns.n;
    zw_fail(err, ZW_E_MEMORY, "out of memory: the table has %ld rows of %d columns, %.3g MB",
            t->rows, t->columns.n, bytes / 1e6);
    zw_error_hint(err, "record fewer rows or fewer columns");
    return ZW_E_MEMORY;
}

zw_status zw_table_note(zw_table *t, const char *key, const char *value) {
    int i = find_pair(&t->notes, key);
    if (i < 0)
        return append_pair(t, &t->notes, key, value);
    char *copy = copy_string(t, value);
    if (!copy)
        return ZW_E_MEMORY;
    free_string(t, t->notes.item[i].value);
    t->notes.item[i].value = copy;
    return ZW_OK;
}

void zw_table_remove_note(zw_table *t, const char *key) {
    int i = find_pair(&t->notes, key);
    if (i < 0)
        return;
    free_string(t, t->notes.item[i].key);
    free_string(t, t->notes.item[i].value);
    t->notes.n--;
    memmove(t->notes.item + i, t->notes.item + i + 1,
            sizeof *t->notes.item * (size_t)(t->notes.n - i));
    if (t->notes.slot)
        fill_slots(&t->notes);
}

void zw_table_set_checked(zw_table *t) {
    t->checked = true;
}

bool zw_table_is_checked(const zw_table *t) {
    return t->checked;
}

void zw_table_clear(zw_table *t) {
    free_pairs(t, &t->notes);
    t->notes = (pairs){0};
    t->rows = 0;
}

int zw_table_columns(const zw_table *t) {
    return t->columns.n;
}

long zw_table_rows(const zw_table *t) {
    return t->rows;
}

const char *zw_table_name(const zw_table *t, int column) {
    assert(column >= 0 && column < t->columns.n);
    return t->columns.item[column].key;
}

const char *zw_table_unit(const zw_table *t, int column) {
    assert(column >= 0 && column < t->columns.n);
    return t->columns.item[column].value;
}

int zw_table_find(const zw_table *t, const char *name) {
    return find_pair(&t->columns, name);
}

double zw_table_at(const zw_table *t, long row, int column) {
    assert(row >= 0 && row < t->rows && column >= 0 && column < t->columns.n);
    return t->data[row * t->columns.n + column];
}

void zw_table_set(zw_table *t, long row, int column, double value) {
    assert(row >= 0 && row < t->rows && column >= 0 && column < t->columns.n && !t->shared);
    t->data[row * t->columns.n + column] = value;
}

const double *zw_table_data(const zw_table *t) {
    return t->data;
}

const char *zw_table_get_note(const zw_table *t, const char *key) {
    int i = find_pair(&t->notes, key);
    return i < 0 ? NULL : t->notes.item[i].value;
}

int zw_table_notes(const zw_table *t) {
    return t->notes.n;
}

const char *zw_table_note_key(const zw_table *t, int i) {
    assert(i >= 0 && i < t->notes.n);
    return t->notes.item[i].key;
}

const char *zw_table_note_value(const zw_table *t, int i) {
    assert(i >= 0 && i < t->notes.n);
    return t->notes.item[i].value;
}
