/* SPDX-License-Identifier: MIT */
/* Signatures of orbits through events in the notes of a table (zwang/orbits.h): the segments that
 * the orbits of a branch share, as numbers. The reader checks each of them. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/base64.h"
#include "orbits.h"
#include "orbits_file.h"

enum { SEGMENTS_MAX = 100000, MOST = 10000, STANDS = 2 + ZW_FRICTION_BLOCKS_MAX };

/* the amount of numbers of a segment */
static size_t width_of(const zw_orbits_signature *s) {
    return 2 + (size_t)s->nconstraint + (size_t)s->ncontact * (STANDS + 1) + (size_t)s->nrow;
}

/* the amount of numbers of a signature */
static size_t size_of(const zw_orbits_signature *s, int nx, int nmemory) {
    return (size_t)s->n * width_of(s) + 2 * (size_t)nx + (size_t)nmemory + 1;
}

/* -------------------------------------------------------------------------------------- writing */

static double *put_segment(const zw_orbits_signature *s, int k, double *out) {
    *out++ = s->event[k];
    *out++ = s->direction[k];
    for (int i = 0; i < s->nconstraint; i++)
        *out++ = s->on[k * s->nconstraint + i];
    for (int i = 0; i < s->ncontact; i++) {
        const zw_contact_mode *stance = &s->stance[k * s->ncontact + i];
        *out++ = stance->closed;
        *out++ = stance->press;
        for (int b = 0; b < ZW_FRICTION_BLOCKS_MAX; b++)
            *out++ = stance->slide[b];
        *out++ = s->touching[k * s->ncontact + i];
    }
    for (int i = 0; i < s->nrow; i++)
        *out++ = s->pattern[k * s->nrow + i];
    return out;
}

zw_status zw_orbits_put_signature(const zw_orbits_head *head, const zw_orbits_signature *s,
                                  int number, zw_table *t) {
    zw_allocator alloc = *zw_table_allocator(t);
    size_t n = size_of(s, head->nx, head->nmemory);
    double *work = zw_allocate(&alloc, sizeof(double) * n), *at = work;
    zw_text text;
    char key[40];
    if (!work)
        return ZW_E_MEMORY;
    for (int k = 0; k < s->n; k++)
        at = put_segment(s, k, at);
    memcpy(at, s->scale, sizeof(double) * (size_t)head->nx);
    memcpy(at + head->nx, s->turn, sizeof(double) * (size_t)head->nx);
    memcpy(at + 2 * head->nx, s->memory_scale, sizeof(double) * (size_t)head->nmemory);
    at[2 * head->nx + head->nmemory] = s->duration;
    zw_text_init(&text, &alloc);
    zw_text_printf(&text, "segments %d first %d constraints %d contacts %d rows %d ", s->n,
                   s->first, s->nconstraint, s->ncontact, s->nrow);
    zw_base64_put(&text, work, n);
    zw_text_printf(&text, " %s", s->names[0] ? s->names : "none");
    snprintf(key, sizeof key, "events %d", number);
    zw_status status = text.failed ? ZW_E_MEMORY : zw_table_note(t, key, zw_text_get(&text));
    zw_text_clear(&text);
    zw_release(&alloc, work, sizeof(double) * n);
    return status;
}

/* -------------------------------------------------------------------------------------- reading */

/* reads the numbers of segment k, each within its bounds; NULL if one is not */
static const double *take_segment(zw_orbits_signature *s, int k, const double *v) {
    int *event = (int *)s->event, *direction = (int *)s->direction;
    bool *on = (bool *)s->on, *touching = (bool *)s->touching;
    zw_contact_mode *stance = (zw_contact_mode *)s->stance;
    signed char *pattern = (signed char *)s->pattern;
    bool well = zw_orbits_is_whole(v[0], s->n > 1 ? 0 : -1, MOST) && (v[1] == 1 || v[1] == -1);
    const double *at = v + 2;
    event[k] = well ? (int)v[0] : 0;
    direction[k] = well ? (int)v[1] : 0;
    for (int i = 0; i < s->nconstraint; i++, at++) {
        well &= zw_orbits_is_whole(*at, 0, 1);
        on[k * s->nconstraint + i] = *at == 1;
    }
    for (int i = 0; i < s->ncontact && well; i++) {
        zw_contact_mode *own = &stance[k * s->ncontact + i];
        well = zw_orbits_is_whole(at[0], 0, 1) && zw_orbits_is_whole(at[1], -1, 1);
        own->closed = at[0] == 1;
        own->press = well ? (signed char)at[1] : 0;
        at += 2;
        for (int b = 0; b < ZW_FRICTION_BLOCKS_MAX && well; b++, at++) {
            well = zw_orbits_is_whole(*at, -1, ZW_CARRIED);
            own->slide[b] = well ? (signed char)*at : 0;
        }
        well = well && zw_orbits_is_whole(*at, 0, 1);
        touching[k * s->ncontact + i] = *at++ == 1;
    }
    for (int i = 0; i < s->nrow && well; i++, at++) {
        well = zw_orbits_is_whole(*at, -1, 5);
        pattern[k * s->nrow + i] = well ? (signed char)*at : 0;
    }
    return well ? at : NULL;
}

static bool are_sizes(const double *v, int n) {
    for (int i = 0; i < n; i++)
        if (!(v[i] > 0) || !isfinite(v[i]))
            return false;
    return true;
}

static bool are_finite(const double *v, int n) {
    for (int i = 0; i < n; i++)
        if (!isfinite(v[i]))
            return false;
    return true;
}

static zw_status allocate_segments(zw_orbits_file *f, zw_orbits_signature *s, zw_error *err) {
    zw_arena *a = &f->memory->arena;
    size_t n = (size_t)s->n;
    s->event = ZW_NEW(a, int, n);
    s->direction = ZW_NEW(a, int, n);
    s->on = ZW_NEW(a, bool, n *(size_t)s->nconstraint + 1);
    s->stance = ZW_NEW(a, zw_contact_mode, n * (size_t)s->ncontact + 1);
    s->touching = ZW_NEW(a, bool, n *(size_t)s->ncontact + 1);
    s->pattern = ZW_NEW(a, signed char, n *(size_t)s->nrow + 1);
    return zw_arena_status(a, err);
}

static zw_status take_numbers(zw_orbits_file *f, zw_orbits_signature *s, const char *key,
                              const double *v, zw_error *err) {
    ZW_TRY(allocate_segments(f, s, err));
    for (int k = 0; k < s->n; k++) {
        v = take_segment(s, k, v);
        if (!v)
            return zw_orbits_damaged(key, "a segment has a number that is out of range", err);
    }
    s->scale = v;
    s->turn = v + f->nx;
    s->memory_scale = s->turn + f->nx;
    s->duration = s->memory_scale[f->nmemory];
    if (!are_sizes(s->scale, f->nx) || !are_sizes(s->memory_scale, f->nmemory) ||
        !are_finite(s->turn, f->nx) || !are_sizes(&s->duration, 1))
        return zw_orbits_damaged(key, "a size or a duration is none", err);
    if (s->event[0] < 0 && f->autonomous)
        return zw_orbits_damaged(key, "a segment needs an event or a periodic excitation to end",
                                 err);
    return ZW_OK;
}

static zw_status read_one(zw_orbits_file *f, zw_orbits_signature *s, const char *key,
                          const char *at, zw_error *err) {
    long n, first, constraints, contacts, rows;
    if (!zw_orbits_read_field(&at, "segments ", SEGMENTS_MAX, &n) || n < 1 ||
        !zw_orbits_read_field(&at, " first ", n - 1, &first) ||
        !zw_orbits_read_field(&at, " constraints ", MOST, &constraints) ||
        !zw_orbits_read_field(&at, " contacts ", MOST, &contacts) ||
        !zw_orbits_read_field(&at, " rows ", MOST, &rows) || *at++ != ' ')
        return zw_orbits_damaged(key, "a number is missing or out of range", err);
    s->n = (int)n;
    s->first = (int)first;
    s->nconstraint = (int)constraints;
    s->ncontact = (int)contacts;
    s->nrow = (int)rows;
    size_t size = size_of(s, f->nx, f->nmemory), length = strcspn(at, " ");
    if (size > SIZE_MAX / 16 || length != zw_base64_length(8 * size) || at[length] != ' ')
        return zw_orbits_damaged(key, "the number of its entries differs from the stated one", err);
    double *v = ZW_NEW(&f->memory->arena, double, size + 1);
    if (!v || !(s->names = zw_arena_string(&f->memory->arena, at + length + 1)))
        return zw_out_of_memory(err, NULL);
    if (!zw_base64_read(at, length, v, size))
        return zw_orbits_damaged(key, "its numbers cannot be read", err);
    return take_numbers(f, s, key, v, err);
}

zw_status zw_orbits_read_signatures(zw_orbits_file *f, const zw_table *t, zw_error *err) {
    char key[40];
    int n = 0;
    for (;; n++) {
        snprintf(key, sizeof key, "events %d", n);
        if (n == INT_MAX || !zw_table_get_note(t, key))
            break;
    }
    zw_orbits_signature *all = ZW_NEW(&f->memory->arena, zw_orbits_signature, n + 1);
    if (!all)
        return zw_out_of_memory(err, NULL);
    f->signature = all;
    for (int i = 0; i < n; i++) {
        snprintf(key, sizeof key, "events %d", i);
        ZW_TRY(read_one(f, &all[i], key, zw_table_get_note(t, key), err));
        f->nsignature++;
    }
    return ZW_OK;
}
