/* SPDX-License-Identifier: MIT */
/* The faults of a text. A step of reading puts its fault into `now`; who can go on after it takes
 * it from there. Two rules keep one mistake from giving ten messages: a statement tells its first
 * fault only, and what uses a name of a statement with a fault fails without a word. */
#ifndef ZW_LANG_FAULTS_H
#define ZW_LANG_FAULTS_H

#include "base/arena.h"

enum {
    ZW_FAULTS_MAX = 100, /* nobody reads more; the reading ends there */
    ZW_WARNINGS_MAX = 2000
};

typedef struct zw_text_fault {
    zw_error error;
    struct zw_text_fault *next;
} zw_text_fault;

typedef struct zw_faults {
    zw_arena *arena;
    const char *file; /* whose faults come first, in the order of the text */
    zw_error now;
    zw_text_fault *first;
    int n;
    const char **doubt; /* interned names that stand in statements with a syntax fault */
    int ndoubt, doubt_capacity;
    bool units; /* "units none" may have been meant: faults of units are follow-ups */
} zw_faults;

void zw_faults_init(zw_faults *f, zw_arena *arena, const char *file);
/* Keep what a step that failed with this status said, if it said anything. ZW_OK: go on; else the
 * reading ends (no memory, too many faults). A status that is no failure is ZW_OK. */
zw_status zw_faults_take(zw_faults *f, zw_status status);
/* This name may be declared in a statement with a fault. */
void zw_faults_warning(zw_faults *f, const char *name /* interned */);
bool zw_faults_warnings(const zw_faults *f, const char *name);

#endif
