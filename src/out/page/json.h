/* SPDX-License-Identifier: MIT */
/* Data of a page as JSON within HTML: "<" is escaped so that no parser reads it as a tag. Functions
 * that return bool return false if out of memory. */
#ifndef ZW_OUT_PAGE_JSON_H
#define ZW_OUT_PAGE_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "zwang/table.h"

/* Rows of a table, in this order; row NULL: all of them. */
typedef struct zw_page_rows {
    long n;
    const long *row;
} zw_page_rows;

/* JSON unchanged, except for "<". */
void zw_page_json(FILE *out, const char *json);
bool zw_page_string(FILE *out, const char *s);
/* "key":"value", without a comma; NULL is "". */
bool zw_page_member(FILE *out, const char *key, const char *value);
/* "key":[...], with a comma; a single number has no brackets. */
void zw_page_numbers(FILE *out, const char *key, int n, const double *x);
/* The same, always with brackets, also for one number or none. */
void zw_page_list(FILE *out, const char *key, int n, const double *x);
/* A column as base64 of IEEE 754, with 8 bytes or 4. rows NULL: all. */
void zw_page_column(FILE *out, const zw_table *t, int column, bool wide, const zw_page_rows *rows);
/* The n numbers value(from, i), with 4 bytes: integers up to 2^24 are exact. */
void zw_page_values(FILE *out, long n, double (*value)(const void *from, long i), const void *from);
/* {"name":..,"unit":..,"bytes":..,"data":..} for a column. */
bool zw_page_named_column(FILE *out, const zw_table *t, int column, bool wide,
                          const zw_page_rows *rows);

#endif
