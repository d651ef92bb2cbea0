/* SPDX-License-Identifier: MIT */
/* Data of a page as JSON that stands in HTML: in it "<" is written so that no parser takes it for a
 * tag. What answers bool answers false where there was no memory. */
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

/* JSON as it is, but for "<". */
void zw_page_json(FILE *out, const char *json);
bool zw_page_string(FILE *out, const char *s);
/* "key":"value", without a comma; NULL is "". */
bool zw_page_member(FILE *out, const char *key, const char *value);
/* "key":[...], with a comma; of one number without brackets. */
void zw_page_numbers(FILE *out, const char *key, int n, const double *x);
/* The same with brackets, as many as there are, also one or none. */
void zw_page_list(FILE *out, const char *key, int n, const double *x);
/* A column as base64 of IEEE 754, of 8 bytes or 4. rows NULL: all. */
void zw_page_column(FILE *out, const zw_table *t, int column, bool wide, const zw_page_rows *rows);
/* n numbers that value(from, i) tells, of 4 bytes: whole ones up to 2^24 are exact. */
void zw_page_values(FILE *out, long n, double (*value)(const void *from, long i), const void *from);
/* {"name":..,"unit":..,"bytes":..,"data":..} of a column. */
bool zw_page_named_column(FILE *out, const zw_table *t, int column, bool wide,
                          const zw_page_rows *rows);

#endif
