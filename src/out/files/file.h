/* SPDX-License-Identifier: MIT */
/* A file that appears complete or not at all: written next to its place under another name, synced
 * to the disk and renamed at the end (the remains of killed processes are removed). "-" is standard
 * output (input when reading); devices and pipes are written directly. Or a file in memory, which
 * is valid after the end. */
#ifndef ZW_OUT_FILE_H
#define ZW_OUT_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/text.h"
#include "zwang/status.h"

typedef struct zw_out_file {
    FILE *stream;
    const char *name;              /* as given by the caller, for messages */
    zw_bytes *bytes;               /* the destination, if it is memory; else NULL */
    int fault;                     /* errno of the first write that failed, 0 if none did */
    char path[PATH_MAX];           /* final path (links resolved), "" if written directly */
    char temporary[PATH_MAX + 16]; /* path until then */
} zw_out_file;

/* Writes to path, or to bytes if path is NULL; both must live until the end. */
zw_status zw_out_begin(zw_out_file *f, const char *path, zw_bytes *bytes, zw_error *err);
/* False once a write has failed, so that the caller can stop. Called row by row. */
bool zw_out_is_well(zw_out_file *f);
/* Completes it; on failure the old file is unchanged. */
zw_status zw_out_commit(zw_out_file *f, zw_error *err);
/* Discards it. */
void zw_out_abandon(zw_out_file *f);

/* The error of a file that cannot be written, from errno. */
zw_status zw_out_fail_write(const char *path, int code, zw_error *err);
/* Checks that a file can be created at path; called before the work, not after it. */
zw_status zw_out_check_place(const char *path, zw_error *err);
/* True if path is written directly: standard output, a device, a pipe. */
bool zw_out_is_direct(const char *path);

/* True if both paths lead to one file, whatever their spelling and links, even if it does not exist
 * yet. */
bool zw_out_is_same(const char *a, const char *b);

/* Where to save a result that cannot be written to path: a new name in the k-th of some folders
 * (that for temporary files, the current one, home); false if that is impossible. And the error of
 * writing with the name of the rescued file, NULL if there is none. */
enum { ZW_OUT_REFUGES = 4 };
bool zw_out_refuge(int k, const char *path, const char *ending, char where[PATH_MAX]);
void zw_out_report_refuge(zw_error *err, const zw_error *fault, const char *where);

/* Reads a whole file into an empty text. */
zw_status zw_out_slurp(zw_text *text, const char *path, zw_error *err);
/* An error at byte `at` of a text that was read from path: line, column and the line itself. */
zw_status zw_out_fail_in(zw_error *err, zw_status status, const char *path, const char *text,
                         size_t length, size_t at, const char *what);

#endif
