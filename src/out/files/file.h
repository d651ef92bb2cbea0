/* SPDX-License-Identifier: MIT */
/* A file that appears complete or not at all: written beside its place under another name, made
 * safe on the disk and renamed when it is done (what a killed process left there is removed). "-"
 * is standard output (input when reading); devices and pipes are written directly. Or a file in
 * memory, which is there when it is done. */
#ifndef ZW_OUT_FILE_H
#define ZW_OUT_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/text.h"
#include "zwang/status.h"

typedef struct zw_out_file {
    FILE *stream;
    const char *name;              /* as the caller said it, for messages */
    zw_bytes *bytes;               /* where it will be, if that is memory; else NULL */
    int fault;                     /* errno of the first write that failed, 0 if none did */
    char path[PATH_MAX];           /* where it will be (links followed), "" if written directly */
    char temporary[PATH_MAX + 16]; /* where it is until then */
} zw_out_file;

/* At path, or in bytes where path is NULL; both must live until the end. */
zw_status zw_out_begin(zw_out_file *f, const char *path, zw_bytes *bytes, zw_error *err);
/* False once a write has failed: there is no use in going on. Asked row by row. */
bool zw_out_is_well(zw_out_file *f);
/* Complete it; on failure the old file is as it was. */
zw_status zw_out_commit(zw_out_file *f, zw_error *err);
/* Give it up. */
void zw_out_abandon(zw_out_file *f);

/* The error of a file that cannot be written, from errno. */
zw_status zw_out_fail_write(const char *path, int code, zw_error *err);
/* Could a file be made at path? Asked before the work, not after it. */
zw_status zw_out_check_place(const char *path, zw_error *err);
/* Is path something that is written directly: standard output, a device, a pipe? */
bool zw_out_is_direct(const char *path);

/* Do both paths lead to one file, by whatever spelling and links, be it one that is still to be
 * made? */
bool zw_out_is_same(const char *a, const char *b);

/* Where a result goes that cannot be written to path: a new name in the k-th of some folders (that
 * for temporary files, the current one, home); false: not there. And the fault of writing with the
 * name of what was rescued, NULL if nothing was. */
enum { ZW_OUT_REFUGES = 4 };
bool zw_out_refuge(int k, const char *path, const char *ending, char where[PATH_MAX]);
void zw_out_report_refuge(zw_error *err, const zw_error *fault, const char *where);

/* All of a file into an empty text. */
zw_status zw_out_slurp(zw_text *text, const char *path, zw_error *err);
/* A fault at the byte `at` of a text that was read from path: line, column and the line itself. */
zw_status zw_out_fail_in(zw_error *err, zw_status status, const char *path, const char *text,
                         size_t length, size_t at, const char *what);

#endif
