/* SPDX-License-Identifier: MIT */
/* The formats of result files for zw_table_read and zw_table_write. A parser gets the whole file as
 * a terminated text; path is for messages only. */
#ifndef ZW_OUT_FORMATS_H
#define ZW_OUT_FORMATS_H

#include <stdio.h>

#include "zwang/table.h"

typedef zw_status zw_out_parser(zw_table **out, const char *text, size_t length, const char *path,
                                zw_error *err);

/* Neither checks the checksum, since a text may be only the beginning of a file. */
zw_out_parser zw_out_csv_parse;
zw_out_parser zw_out_json_parse;

/* Ends reading: returns the status, or an error without a table if the checksum does not match. */
zw_status zw_out_checked(zw_status status, zw_table **out, const char *path, zw_error *err);

/* Parts of a CSV file, for tables that are not in memory as a whole: notes (rejects names that the
 * format cannot represent), the line of names, one row. */
zw_status zw_out_csv_notes(FILE *out, const zw_table *t, const char *path, zw_error *err);
void zw_out_csv_note(FILE *out, const char *key, const char *value);
void zw_out_csv_header(FILE *out, const zw_table *t);
void zw_out_csv_row(FILE *out, const double *row, int n);

/* HDF5, which its library reads from the disk. Available: ZW_E_MISSING if the library is
 * missing. */
zw_status zw_out_hdf5_available(zw_error *err);
zw_status zw_out_hdf5_write(const zw_table *t, const char *path, zw_error *err);
zw_status zw_out_hdf5_read(zw_table **out, const char *path, zw_error *err);

#endif
