/* SPDX-License-Identifier: MIT */
/* The definition of a curve: a column of a table, or a formula of columns such as deg(theta) or
 * (x^2 + y^2)/2, with its unit. */
#ifndef ZW_FIGURE_FORMULA_H
#define ZW_FIGURE_FORMULA_H

#include "zwang/table.h"

enum { ZW_FORMULA_TEXT = 160, ZW_FORMULA_CODE = 64 };

typedef struct zw_column_formula {
    char name[ZW_FORMULA_TEXT]; /* for labels */
    char unit[ZW_FORMULA_TEXT];
    int n;
    struct {
        int op;       /* stack operation, see formula.c */
        int which;    /* column or function */
        double value; /* a number, or the factor that converts a column to SI */
    } code[ZW_FORMULA_CODE];
} zw_column_formula;

/* Parses the text as a formula of the columns of t. */
zw_status zw_formula_parse(zw_column_formula *f, const zw_table *t, const char *text,
                           zw_error *err);
/* The length of a column of t, or of a function with its bracket, at the beginning of the text; 0
 * if there is none. */
size_t zw_formula_column_here(const zw_table *t, const char *text);
size_t zw_formula_function_here(const char *text);
/* The length of a name at the beginning of the text. */
size_t zw_formula_name_here(const char *text);
double zw_formula_at(const zw_column_formula *f, const zw_table *t, long row);

/* Copies all notes except orbits of a branch; an empty table with the columns and these notes of
 * another, NULL if out of memory. */
zw_status zw_formula_copy_notes(zw_table *to, const zw_table *from);
zw_table *zw_formula_like(const zw_table *t);

/* The formulas as columns of a new table with the rows of `from` and these notes. *out is NULL
 * after a failure. */
zw_status zw_formula_table(zw_table **out, const zw_allocator *alloc, const zw_table *from, int n,
                           const char *const *text, zw_error *err);

#endif
