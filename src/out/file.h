/* SPDX-License-Identifier: MIT */
/* A file that appears complete or not at all: written beside its place under another name, renamed
 * when it is done. "-" is standard output; devices and pipes are written directly. */
#ifndef ZW_OUT_FILE_H
#define ZW_OUT_FILE_H

#include <limits.h>
#include <locale.h>
#include <stdio.h>

#include "zwang/status.h"

typedef struct zw_out_file {
    FILE *stream;
    char path[PATH_MAX];          /* where it will be (links followed), "" if written directly */
    char temporary[PATH_MAX + 8]; /* where it is until then */
} zw_out_file;

zw_status zw_out_begin(zw_out_file *f, const char *path, zw_error *err);
/* Complete it; on failure the old file is as it was. */
zw_status zw_out_commit(zw_out_file *f, const char *path, zw_error *err);
/* Give it up. */
void zw_out_abandon(zw_out_file *f);

/* Numbers with a point, whatever the locale of the program; of this thread alone. */
locale_t zw_out_plain_begin(void);
void zw_out_plain_end(locale_t before);

#endif
