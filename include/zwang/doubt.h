/* SPDX-License-Identifier: MIT */
/* Implemented in src/base. */
/* Warnings: what makes a result less trustworthy without being an error. A model that says
 * something which is likely meant otherwise (a warning, with its place in the text), or numbers on
 * the way that need not be right (with their times). They are collected, not printed; who has none
 * may trust the numbers.
 *
 * Warnings of one key are one entry: its text is that of the first occurrence, after it are counted
 * the others, with the time of the last one and the worst value. */
#ifndef ZWANG_DOUBT_H
#define ZWANG_DOUBT_H

#include <stdbool.h>

#include "status.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Begin with zw_warning_of. */
typedef struct zw_warning {
    char key[96];       /* what it is about, the same for all its occurrences: "observable q" */
    char text[400];     /* one sentence without a full stop, with names */
    char hint[320];     /* what to do about it; may be empty */
    char file[200];     /* empty if it has no place in a text */
    int line, column;   /* 0 if it has none */
    double first, last; /* times, s; NaN: it is no matter of time (a warning of the model) */
    long count;
    double worst;  /* the value of largest magnitude; NaN if there is no value to tell */
    char unit[32]; /* of the value */
} zw_warning;

typedef struct zw_warnings zw_warnings;

/* An empty list. NULL if out of memory; alloc NULL: malloc. */
ZW_API zw_warnings *zw_warnings_create(const zw_allocator *alloc);
ZW_API void zw_warnings_destroy(zw_warnings *list);
/* No entries any more. */
ZW_API void zw_warnings_clear(zw_warnings *list);

/* A doubt at time t (NaN: none) with the key and the sentence, without place, hint and value. */
ZW_API zw_warning zw_warning_of(const char *key, double t, const char *fmt, ...) ZW_PRINTF(3, 4);
/* The place in the text that it speaks of; its advice. */
ZW_API void zw_warning_place(zw_warning *doubt, zw_place place);
ZW_API void zw_warning_hint(zw_warning *doubt, const char *fmt, ...) ZW_PRINTF(2, 3);
/* Is there an entry of this key? Then it has occurred once more, at t with this value (NaN: none):
 * no text needs to be made. */
ZW_API bool zw_warnings_again(zw_warnings *list, const char *key, double t, double value);
/* The same without counting: updates what has occurred, e.g. it lasted until t or had this
 * value. */
ZW_API bool zw_warnings_extend(zw_warnings *list, const char *key, double t, double value);
/* Add a warning, or merge it with the entry of its key. Where memory is short it is only counted.
 * */
ZW_API void zw_warnings_add(zw_warnings *list, const zw_warning *doubt);
ZW_API void zw_warnings_add_all(zw_warnings *list, const zw_warnings *more);

/* Entries, and entry k in the order of their first occurrence. */
ZW_API int zw_warnings_count(const zw_warnings *list);
ZW_API const zw_warning *zw_warnings_at(const zw_warnings *list, int k);
/* Those for which there was no memory or no room (a list has at most some hundred entries). */
ZW_API long zw_warnings_lost(const zw_warnings *list);

/* "file:line:column: warning: text (t = 1 s to 2 s, 3 times, at worst 4 N)" and the hint on a
 * second line into buf, always terminated. Returns the length that the whole needs, as snprintf
 * does. */
ZW_API size_t zw_warning_format(const zw_warning *doubt, char *buf, size_t size);
/* As the note "doubts" of a result: "none", or a line for each entry (its fields, separated by
 * tabs); and such a note, of a table that may lack it, read into a list. */
ZW_API zw_status zw_warnings_note(const zw_warnings *list, zw_table *table);
ZW_API void zw_warnings_read(zw_warnings *list, const zw_table *table);
/* Warnings about a table that was read from a file: it was written by another version of Zwang, or
 * it has no checksum, so damage to the file cannot be detected. */
ZW_API void zw_warnings_of_file(zw_warnings *list, const zw_table *table, const char *path);

#ifdef __cplusplus
}
#endif
#endif
