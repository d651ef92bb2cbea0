/* SPDX-License-Identifier: MIT */
#include "faults.h"

#include <string.h>

void zw_faults_init(zw_faults *f, zw_arena *arena, const char *file) {
    *f = (zw_faults){.arena = arena, .file = file};
}

/* order: the text, then the settings in the order found, then faults without a place */
static int fault_rank(const zw_faults *f, const zw_error *e) {
    return strcmp(e->file, f->file) == 0 ? 0 : e->file[0] ? 1 : 2;
}

static bool is_before(const zw_faults *f, const zw_error *a, const zw_error *b) {
    int ra = fault_rank(f, a), rb = fault_rank(f, b);
    if (ra != rb)
        return ra < rb;
    if (ra > 0)
        return false;
    return a->line != b->line ? a->line < b->line : a->column < b->column;
}

/* text that is read again after an unclosed bracket shows its faults again */
static bool is_known(const zw_faults *f, const zw_error *e) {
    for (const zw_text_fault *k = f->first; k; k = k->next)
        if (k->error.line == e->line && k->error.column == e->column &&
            strcmp(k->error.file, e->file) == 0 &&
            (e->line > 0 || strcmp(k->error.text, e->text) == 0))
            return true;
    return false;
}

static zw_status insert_fault(zw_faults *f) {
    zw_text_fault *fault = ZW_NEW(f->arena, zw_text_fault, 1), **link = &f->first;
    if (!fault) {
        f->now = (zw_error){0};
        return zw_fail(&f->now, ZW_E_MEMORY, "out of memory while reading %s", f->file);
    }
    fault->error = f->now;
    while (*link && !is_before(f, &f->now, &(*link)->error))
        link = &(*link)->next;
    fault->next = *link;
    *link = fault;
    f->n++;
    return ZW_OK;
}

zw_status zw_faults_take(zw_faults *f, zw_status status) {
    if (status >= 0)
        return ZW_OK;
    if (status == ZW_E_MEMORY)
        return status;
    bool follows = f->now.status == ZW_OK || (f->units && f->now.status == ZW_E_UNIT);
    if (!follows && !is_known(f, &f->now))
        ZW_TRY(insert_fault(f));
    f->now = (zw_error){0};
    return f->n < ZW_FAULTS_MAX ? ZW_OK : status;
}

void zw_faults_suspect(zw_faults *f, const char *name) {
    void *array = f->suspect;
    if (f->nsuspect == ZW_SUSPECTS_MAX || zw_faults_is_suspect(f, name) ||
        !zw_arena_grow(f->arena, &array, f->nsuspect, &f->suspect_capacity, sizeof *f->suspect))
        return; /* the worst result is an extra message */
    f->suspect = array;
    f->suspect[f->nsuspect++] = name;
}

bool zw_faults_is_suspect(const zw_faults *f, const char *name) {
    for (int i = 0; i < f->nsuspect; i++)
        if (strcmp(f->suspect[i], name) == 0)
            return true;
    return false;
}
