/* SPDX-License-Identifier: MIT */
/* The faults of a text. A step of reading puts its fault into `now`; a caller that can continue
 * takes it from there. Two rules prevent ten messages for one mistake: a statement reports its
 * first fault only, and the use of a name from a statement with a fault fails without a message. */
#ifndef ZW_LANG_FAULTS_H
#define ZW_LANG_FAULTS_H

#include "base/arena.h"

enum {
    ZW_FAULTS_MAX = 100, /* nobody reads more; the reading ends there */
    ZW_SUSPECTS_MAX = 2000
};

typedef struct zw_text_fault {
    zw_error error;
    struct zw_text_fault *next;
} zw_text_fault;

typedef struct zw_faults {
    zw_arena *arena;
    const char *file; /* faults of this file come first, in the order of the text */
    zw_error now;
    zw_text_fault *first;
    int n;
    /* interned names in statements with a syntax fault, which may have declared them */
    const char **suspect;
    int nsuspect, suspect_capacity;
    bool units; /* "units none" may have been intended: faults of units are consequences */
} zw_faults;

void zw_faults_init(zw_faults *f, zw_arena *arena, const char *file);
/* Keeps the fault of a step that failed with this status, if there is one. ZW_OK: continue; else
 * the reading ends (no memory, too many faults). A status that is not a failure gives ZW_OK. */
zw_status zw_faults_take(zw_faults *f, zw_status status);
/* Marks a name that may be declared in a statement with a fault; asks whether it is marked. */
void zw_faults_suspect(zw_faults *f, const char *name /* interned */);
bool zw_faults_is_suspect(const zw_faults *f, const char *name);

#endif
