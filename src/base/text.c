/* SPDX-License-Identifier: MIT */
#include "text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "decimal.h"

void zw_text_init(zw_text *t, const zw_allocator *alloc) {
    *t = (zw_text){.alloc = alloc ? *alloc : zw_allocator_default()};
}

void zw_text_clear(zw_text *t) {
    zw_release(&t->alloc, t->data, t->capacity);
    zw_text_init(t, &t->alloc);
}

static bool reserve_bytes(zw_text *t, size_t more) {
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
    if (!reserve_bytes(t, n))
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
    if (n >= 0 && reserve_bytes(t, (size_t)n)) {
        vsnprintf(t->data + t->length, (size_t)n + 1, fmt, again);
        t->length += (size_t)n;
    }
    va_end(again);
}

/* the line break that no wrapping removes, or the end */
static const char *hard_break(const char *s) {
    while (*s && !(*s == '\n' && (s[1] == '\n' || s[1] == ' ')))
        s++;
    return s;
}

/* the words up to `end` */
static void wrap_words(zw_text *t, const char *s, const char *end, size_t used, int indent) {
    size_t blanks = strspn(s, " ");
    zw_text_put_n(t, s, blanks); /* the line is indented itself */
    used += blanks;
    s += blanks;
    for (bool first = true; s < end; first = false) {
        size_t n = strcspn(s, " \n");
        if (!first && used + 1 + n > ZW_TEXT_WIDTH) {
            zw_text_printf(t, "\n%*s", indent, "");
            used = (size_t)indent;
        } else if (!first) {
            zw_text_put(t, " ");
            used++;
        }
        zw_text_put_n(t, s, n);
        used += n;
        s += n;
        while (s < end && (*s == ' ' || *s == '\n'))
            s++;
    }
}

void zw_text_wrap(zw_text *t, const char *s, size_t used, int indent) {
    for (;;) {
        const char *end = hard_break(s);
        wrap_words(t, s, end, used, indent);
        if (!*end)
            return;
        zw_text_printf(t, "\n%*s", indent, "");
        s = end + 1;
        used = (size_t)indent;
    }
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

void zw_text_number(zw_text *t, double value) {
    char text[ZW_DECIMAL_MAX];
    zw_text_put_n(t, text, (size_t)zw_decimal(text, value));
}

void zw_text_json_number(zw_text *t, double value) {
    if (isfinite(value))
        zw_text_number(t, value);
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

/* bytes of the UTF-8 character that starts with c */
static int utf8_length(unsigned char c) {
    return c < 0x80 ? 1 : c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
}

/* the code point, -1 if the bytes are not valid UTF-8 */
static long utf8_code(const unsigned char *s, int n) {
    long code = n == 1 ? s[0] : s[0] & (0x7f >> n);
    for (int i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return -1;
        code = code << 6 | (s[i] & 0x3f);
    }
    return code;
}

static bool is_control(long code) {
    return (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7f && code < 0xa0) ||
           code == 0x61c || (code >= 0x200e && code <= 0x200f) ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

void zw_text_tame(char *text) {
    for (unsigned char *s = (unsigned char *)text; s && *s;) {
        int n = utf8_length(*s);
        long code = n ? utf8_code(s, n) : -1;
        if (code < 0)
            n = 1;
        if (code < 0 || is_control(code))
            memset(s, '?', (size_t)n);
        s += n;
    }
}

int zw_text_digits(double value, double error, int most) {
    if (!(error > 0) || value == 0)
        return most;
    /* the last digit is of the size of the error or larger */
    double known = floor(log10(fabs(value))) - ceil(log10(error)) + 1;
    return known < 1 ? 1 : known < most ? (int)known : most;
}

void zw_text_known(zw_text *t, double value, double error, int most) {
    zw_text_printf(t, "%.*g", zw_text_digits(value, error, most), value);
}

zw_status zw_text_bytes(zw_text *t, zw_bytes *out, const char *what, zw_error *err) {
    zw_allocator alloc = t->alloc;
    size_t length = t->length;
    *out = (zw_bytes){0};
    char *data = zw_text_take(t);
    if (!data)
        return zw_out_of_memory(err, what);
    out->data = malloc(length + 1); /* bytes are released with free() */
    if (out->data) {
        memcpy(out->data, data, length + 1);
        out->size = length;
    }
    zw_release(&alloc, data, length + 1);
    return out->data ? ZW_OK : zw_out_of_memory(err, what);
}
