/* SPDX-License-Identifier: MIT */
/* Implemented in src/base. */
/* Status and error: how every function of Zwang says how it went.
 *
 *   0          done
 *   positive   done, with news (an event, a shorter step wanted)
 *   negative   failed; the caller's zw_error, if there is one, says what, where and what to do
 *
 * The error struct belongs to the caller and may always be NULL. The first fault wins: a function
 * that fails because another one failed leaves the text of the first one alone. The library never
 * prints and never exits. */
#ifndef ZWANG_STATUS_H
#define ZWANG_STATUS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ZW_API __attribute__((visibility("default")))
#define ZW_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#else
#define ZW_API
#define ZW_PRINTF(fmt, first)
#endif

/* One list, expanded to the enum here and to texts in src/base/error.c. */
#define ZW_STATUS_LIST(X)                                                                          \
    X(ZW_STOPPED, 3, "stopped by the user")                                                        \
    X(ZW_EVENT, 2, "an event function crossed zero")                                               \
    X(ZW_RETRY, 1, "recoverable: shorten the step and retry")                                      \
    X(ZW_OK, 0, "ok")                                                                              \
    X(ZW_E_MEMORY, -1, "out of memory")                                                            \
    X(ZW_E_SYNTAX, -2, "the model text is not valid")                                              \
    X(ZW_E_OPTION, -3, "an option is unknown or out of range")                                     \
    X(ZW_E_UNIT, -4, "units do not fit")                                                           \
    X(ZW_E_NAME, -5, "a name is unknown or taken")                                                 \
    X(ZW_E_MODEL, -6, "the model is not a mechanical system Zwang can derive")                     \
    X(ZW_E_START, -7, "the start values contradict the constraints")                               \
    X(ZW_E_SINGULAR, -8, "the mass matrix or the constraints are singular")                        \
    X(ZW_E_NUMERIC, -9, "the integration failed")                                                  \
    X(ZW_E_NONFINITE, -10, "a value is not finite")                                                \
    X(ZW_E_FILE, -11, "a file cannot be read or written")                                          \
    X(ZW_E_MISSING, -12, "a part of Zwang is not available here")                                  \
    X(ZW_E_DOMAIN, -13, "an expression has no value")                                              \
    X(ZW_E_DOUBT, -14, "the result is doubtful")

typedef enum zw_status {
#define ZW_STATUS_ENUM(name, value, text) name = (value),
    ZW_STATUS_LIST(ZW_STATUS_ENUM)
#undef ZW_STATUS_ENUM
} zw_status;

/* A place in a text: file may be NULL (no source), line and column count from 1. */
typedef struct zw_place {
    const char *file;
    int line, column;
} zw_place;

typedef struct zw_error {
    zw_status status;
    int line, column;  /* 0 if the fault has no source position */
    char file[256];    /* empty if the fault has no source position */
    char text[512];    /* what is wrong, one sentence without a full stop */
    char hint[512];    /* what to do about it; may be empty */
    char excerpt[160]; /* the line of the source; may be empty */
} zw_error;

/* The sentence of a status. */
ZW_API const char *zw_status_text(zw_status status);

/* Fill err (unless it holds an earlier fault or is NULL) and return status. */
ZW_API zw_status zw_fail(zw_error *err, zw_status status, const char *fmt, ...) ZW_PRINTF(3, 4);
/* The same with a place in a source text. */
ZW_API zw_status zw_fail_at(zw_error *err, zw_status status, zw_place place, const char *fmt, ...)
    ZW_PRINTF(4, 5);
#ifdef __clang_analyzer__ /* it reads one file at a time and cannot see which status comes back */
#define zw_fail(err, status, ...) ((void)zw_fail((err), (status), __VA_ARGS__), (status))
#define zw_fail_at(err, status, ...) ((void)zw_fail_at((err), (status), __VA_ARGS__), (status))
#endif
/* Add the advice to a fault that has none yet. */
ZW_API void zw_error_hint(zw_error *err, const char *fmt, ...) ZW_PRINTF(2, 3);
/* Write "file:line:col: error: text" with excerpt, caret and hint into buf (always terminated);
 * returns the length that the whole message needs, as snprintf does. */
ZW_API size_t zw_error_format(const zw_error *err, char *buf, size_t size);

#define ZW_TRY(call)                                                                               \
    do {                                                                                           \
        zw_status zw_try_status_ = (call);                                                         \
        if (zw_try_status_ < 0)                                                                    \
            return zw_try_status_;                                                                 \
    } while (0)

/* What is said of a value that a motion starts with. */
typedef enum zw_said {
    ZW_UNSAID,  /* nothing: 0, unless it must be something else */
    ZW_GUESSED, /* about there */
    ZW_GIVEN
} zw_said;

/* The allocator of everything: realloc with the old size. new_size 0 frees and returns NULL. */
typedef struct zw_allocator {
    void *(*fn)(void *ud, void *ptr, size_t old_size, size_t new_size);
    void *ud;
} zw_allocator;

ZW_API zw_allocator zw_allocator_default(void);

/* A file in memory: what a function with this argument writes is the caller's afterwards, to be
 * freed with zw_bytes_clear. Nothing is in it after a failure. */
typedef struct zw_bytes {
    char *data;  /* size bytes and a zero after them */
    size_t size; /* without the zero */
} zw_bytes;

ZW_API void zw_bytes_clear(zw_bytes *bytes);

#ifdef __cplusplus
}
#endif
#endif
