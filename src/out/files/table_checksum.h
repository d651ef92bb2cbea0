/* SPDX-License-Identifier: MIT */
/* The note "checksum" of a result: a sum over the contents of the table, not the bytes of its file,
 * so it is the same in CSV and JSON and with the line ends of any system.
 *
 *   columns   FNV-1a of all names and units, in their order
 *   rows      FNV-1a of all numbers, row after row, as 64 bits with the lowest byte first; every
 *             NaN is one number
 *   notes     sum over all notes of FNV-1a of key and value; their order is free, so that a writer
 *             may add some at the end
 *   checksum  FNV-1a of these three
 *
 * Each text ends with a zero byte; carriage returns are omitted and invalid UTF-8 counts as U+FFFD,
 * because writing to a file changes both. */
#ifndef ZW_OUT_FILES_TABLE_CHECKSUM_H
#define ZW_OUT_FILES_TABLE_CHECKSUM_H

#include "zwang/table.h"

#define ZW_OUT_CHECKSUM "checksum" /* key of the note */
enum { ZW_OUT_CHECKSUM_LENGTH = 24 };

typedef struct zw_out_checksum {
    unsigned long long columns, rows, notes;
} zw_out_checksum;

/* Starts with the columns and notes of a table; rows and further notes follow. */
void zw_out_checksum_begin(zw_out_checksum *c, const zw_table *t);
void zw_out_checksum_note(zw_out_checksum *c, const char *key, const char *value);
void zw_out_checksum_rows(zw_out_checksum *c, const double *data, size_t n);
/* The value of the note. */
void zw_out_checksum_text(const zw_out_checksum *c, char out[ZW_OUT_CHECKSUM_LENGTH]);

/* The value for a whole table; "" for tables that are not results of Zwang, which have the note
 * "zwang". */
void zw_out_checksum_of(const zw_table *t, char out[ZW_OUT_CHECKSUM_LENGTH]);
/* Compares the checksum of a table that was read and removes the note; a table without one
 * passes. */
zw_status zw_out_checksum_check(zw_table *t, const char *path, zw_error *err);
/* The error of a checksum that differs. */
zw_status zw_out_checksum_fail(const char *path, zw_error *err);

#endif
