/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text.h"
#include "zwang/status.h"

#ifdef __clang_analyzer__
#undef zw_fail
#undef zw_fail_at
#endif

const char *zw_status_text(zw_status status) {
    switch (status) {
#define ZW_STATUS_CASE(name, value, text)                                                          \
    case name:                                                                                     \
        return text;
        ZW_STATUS_LIST(ZW_STATUS_CASE)
#undef ZW_STATUS_CASE
    }
    return "unknown status";
}

static zw_status set_error(zw_error *err, zw_status status, zw_place place, const char *fmt,
                           va_list args) {
    if (!err || err->status < 0)
        return status;
    *err = (zw_error){.status = status, .line = place.line, .column = place.column};
    if (place.file)
        snprintf(err->file, sizeof err->file, "%s", place.file);
    vsnprintf(err->text, sizeof err->text, fmt, args);
    return status;
}

zw_status zw_fail(zw_error *err, zw_status status, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    set_error(err, status, (zw_place){NULL, 0, 0}, fmt, args);
    va_end(args);
    return status;
}

zw_status zw_fail_at(zw_error *err, zw_status status, zw_place place, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    set_error(err, status, place, fmt, args);
    va_end(args);
    return status;
}

void zw_error_hint(zw_error *err, const char *fmt, ...) {
    if (!err || err->hint[0])
        return;
    va_list args;
    va_start(args, fmt);
    vsnprintf(err->hint, sizeof err->hint, fmt, args);
    va_end(args);
}

size_t zw_error_format(const zw_error *err, char *buf, size_t size) {
    char where[320] = "", source[sizeof err->excerpt * 2 + 32] = "", advice[600] = "";
    if (err->file[0] && err->line > 0)
        snprintf(where, sizeof where, "%s:%d:%d: ", err->file, err->line, err->column);
    else if (err->file[0])
        snprintf(where, sizeof where, "%s: ", err->file);
    if (err->excerpt[0]) {
        /* the caret stands under the column; tabs are kept so that it lines up */
        char pad[sizeof err->excerpt] = "";
        size_t n = err->column > 0 ? (size_t)err->column - 1 : 0, i = 0;
        for (; i < n && i < sizeof pad - 1 && err->excerpt[i]; i++)
            pad[i] = err->excerpt[i] == '\t' ? '\t' : ' ';
        pad[i] = '\0';
        snprintf(source, sizeof source, "\n  %s\n  %s^", err->excerpt, pad);
    }
    if (err->hint[0])
        snprintf(advice, sizeof advice, "\nhint: %s", err->hint);
    int n = snprintf(buf, size, "%serror: %s%s%s", where,
                     err->text[0] ? err->text : zw_status_text(err->status), source, advice);
    if (size > 0)
        zw_text_tame(buf); /* parts of it are text from outside */
    return n < 0 ? 0 : (size_t)n;
}
