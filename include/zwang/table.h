/* SPDX-License-Identifier: MIT */
/* Implemented in src/base. */
/* A result table: named columns of doubles with units, and notes on where it came from (model text,
 * parameters, method, tolerances, version). Every writer and every picture eats this one type. */
#ifndef ZWANG_TABLE_H
#define ZWANG_TABLE_H

#include <stdbool.h>

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct zw_table zw_table;

/* alloc may be NULL (malloc). */
ZW_API zw_table *zw_table_create(const zw_allocator *alloc);
ZW_API void zw_table_destroy(zw_table *t);
/* An empty table with the columns, the notes and the allocator of another; NULL if out of
 * memory. */
ZW_API zw_table *zw_table_create_like(const zw_table *t);
/* A table with the columns, the notes and the rows of another; the rows are not copied: they must
 * stay as they are, and outlive it. Further notes can be added, rows and columns cannot. */
ZW_API zw_status zw_table_share(zw_table **out, const zw_table *t, zw_error *err);
/* Where its memory comes from. */
ZW_API const zw_allocator *zw_table_allocator(const zw_table *t);
/* Columns first, then rows. unit "" if none. */
ZW_API zw_status zw_table_column(zw_table *t, const char *name, const char *unit);
ZW_API zw_status zw_table_row(zw_table *t, const double *values);
ZW_API zw_status zw_table_note(zw_table *t, const char *key, const char *value); /* replaces */
ZW_API void zw_table_remove_note(zw_table *t, const char *key);
/* No rows and no notes any more; the columns stay, and so does the memory for the rows. */
ZW_API void zw_table_clear(zw_table *t);
/* A further column after the others, one value per row; the rows may be there already. values
 * NULL: zeros, to be set. */
ZW_API zw_status zw_table_add_column(zw_table *t, const char *name, const char *unit,
                                     const double *values);
/* n further rows of zeros, to be set. */
ZW_API zw_status zw_table_add_rows(zw_table *t, long n);
ZW_API void zw_table_set(zw_table *t, long row, int column, double value);
/* The rows of `more` after those of t. The columns must be the same, in any order; the notes of t
 * stay. */
ZW_API zw_status zw_table_append(zw_table *t, const zw_table *more, zw_error *err);
/* A new table of at most `most` rows (2 or more) of another, evenly chosen, first and last among
 * them, with all notes. */
ZW_API zw_status zw_table_thin(zw_table **out, const zw_table *t, long most, zw_error *err);
/* Room for this many rows in all, if their number is known. */
ZW_API zw_status zw_table_reserve(zw_table *t, long rows);
/* ZW_E_MEMORY, with the size that the table has reached in the text. */
ZW_API zw_status zw_table_out_of_memory(const zw_table *t, zw_error *err);

ZW_API int zw_table_columns(const zw_table *t);
ZW_API long zw_table_rows(const zw_table *t);
ZW_API const char *zw_table_name(const zw_table *t, int column);
ZW_API const char *zw_table_unit(const zw_table *t, int column);
ZW_API int zw_table_find(const zw_table *t, const char *name); /* -1 if none */
ZW_API double zw_table_at(const zw_table *t, long row, int column);
/* All numbers, rows x columns, row after row: column j begins at j and has the stride
 * zw_table_columns. Valid until a row or column is added. */
ZW_API const double *zw_table_data(const zw_table *t);
ZW_API int zw_table_notes(const zw_table *t);
ZW_API const char *zw_table_note_key(const zw_table *t, int i);
ZW_API const char *zw_table_note_value(const zw_table *t, int i);
ZW_API const char *zw_table_get_note(const zw_table *t, const char *key); /* NULL if none */

/* Files. A written file is complete or the old one is left as it was. path "-" is standard output
 * (as CSV) or standard input; devices and pipes are written as CSV too. The kind follows the ending
 * when writing (.csv, .json, .h5, .hdf5; any other is rejected) and the content when reading. */
ZW_API zw_status zw_table_write(const zw_table *t, const char *path, zw_error *err);
ZW_API zw_status zw_table_read(zw_table **out, const char *path, zw_error *err);
/* Would zw_table_write find the ending known, its library there and the place writable? To be asked
 * before long work. */
ZW_API zw_status zw_table_can_write(const char *path, zw_error *err);
/* As zw_table_write; if that fails, the table is written into $TMPDIR, /tmp, the current folder or
 * home instead. The fault is returned all the same, and its text says where the result is. */
ZW_API zw_status zw_table_write_rescue(const zw_table *t, const char *path, zw_error *err);

/* Did the file of this table have a checksum? Files of results (tables with the note "zwang") have
 * it in the note "checksum"; readers verify it and remove the note from the table. */
ZW_API bool zw_table_is_checked(const zw_table *t);

/* One kind, whatever the ending. CSV: notes as "# key: value" lines (further lines of a value start
 * with "#| "), a header line name[unit],..., then rows of numbers that read back as the same
 * bits. */
ZW_API zw_status zw_table_write_csv(const zw_table *t, const char *path, zw_error *err);
ZW_API zw_status zw_table_write_json(const zw_table *t, const char *path, zw_error *err);
ZW_API zw_status zw_table_read_csv(zw_table **out, const char *path, zw_error *err);

/* The same files in memory. Reading goes by the content, as zw_table_read does (CSV or JSON); data
 * need not be terminated, name is for messages. */
ZW_API zw_status zw_table_csv_bytes(const zw_table *t, zw_bytes *out, zw_error *err);
ZW_API zw_status zw_table_json_bytes(const zw_table *t, zw_bytes *out, zw_error *err);
ZW_API zw_status zw_table_read_bytes(zw_table **out, const char *data, size_t size,
                                     const char *name, zw_error *err);

#ifdef __cplusplus
}
#endif
#endif
