/* SPDX-License-Identifier: MIT */
#include "text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "arena.h"

void zw_text_init(zw_text *t, const zw_allocator *alloc) {
    *t = (zw_text){.alloc = alloc ? *alloc : zw_allocator_default()};
}

void zw_text_clear(zw_text *t) {
    zw_release(&t->alloc, t->data, t->capacity);
    zw_text_init(t, &t->alloc);
}

static bool reserve(zw_text *t, size_t more) {
    size_t need = t->length + more + 1;
    if (t->failed || need <= t->capacity)
        return !t->failed;
    size_t wider = t->capacity ? 2 * t->capacity : 64;
    if (wider < need)
        wider = need;
    char *data = zw_reallocate(&t->alloc, t->data, t->capacity, wider);
    if (!data) {
        t->failed = true;
        return false;
    }
    t->data = data;
    t->capacity = wider;
    return true;
}

void zw_text_put_n(zw_text *t, const char *s, size_t n) {
    if (!reserve(t, n))
        return;
    if (n > 0) /* s may be NULL then */
        memcpy(t->data + t->length, s, n);
    t->length += n;
    t->data[t->length] = '\0';
}

void zw_text_put(zw_text *t, const char *s) {
    zw_text_put_n(t, s, strlen(s));
}

void zw_text_printf(zw_text *t, const char *fmt, ...) {
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (n >= 0 && reserve(t, (size_t)n)) {
        vsnprintf(t->data + t->length, (size_t)n + 1, fmt, again);
        t->length += (size_t)n;
    }
    va_end(again);
}

void zw_text_json(zw_text *t, const char *s) {
    zw_text_put(t, "\"");
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            zw_text_printf(t, "\\%c", c);
        else if (c == '\n')
            zw_text_put(t, "\\n");
        else if (c < 0x20)
            zw_text_printf(t, "\\u%04x", c);
        else
            zw_text_put_n(t, s, 1);
    }
    zw_text_put(t, "\"");
}

void zw_text_json_number(zw_text *t, double value) {
    if (isfinite(value))
        zw_text_printf(t, "%.17g", value);
    else
        zw_text_put(t, "null");
}

const char *zw_text_get(const zw_text *t) {
    return t->data ? t->data : "";
}

char *zw_text_take(zw_text *t) {
    zw_text_put_n(t, "", 0);
    char *s = NULL;
    if (!t->failed) {
        s = zw_reallocate(&t->alloc, t->data, t->capacity, t->length + 1);
        if (s) {
            t->data = NULL;
            t->capacity = 0;
        }
    }
    zw_text_clear(t);
    return s;
}
