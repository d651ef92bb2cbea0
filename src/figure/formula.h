/* SPDX-License-Identifier: MIT */
/* What a curve is made of: a column of a table, or a formula of columns such as deg(theta) or
 * (x^2 + y^2)/2, with the unit that follows from it. */
#ifndef ZW_FIGURE_FORMULA_H
#define ZW_FIGURE_FORMULA_H

#include "zwang/table.h"

enum { ZW_FORMULA_TEXT = 160, ZW_FORMULA_CODE = 64 };

typedef struct zw_column_formula {
    char name[ZW_FORMULA_TEXT]; /* for labels */
    char unit[ZW_FORMULA_TEXT];
    int n;
    struct {
        int op;       /* what to do with the stack, see formula.c */
        int which;    /* column or function */
        double value; /* a number, or the factor that makes a column SI */
    } code[ZW_FORMULA_CODE];
} zw_column_formula;

/* Read the text as a formula of the columns of t. */
zw_status zw_formula_parse(zw_column_formula *f, const zw_table *t, const char *text,
                           zw_error *err);
/* Do a column of t or a function with its bracket stand at the beginning of the text? Their length,
 * 0 if not. */
size_t zw_formula_column_here(const zw_table *t, const char *text);
size_t zw_formula_function_here(const char *text);
/* The letters of a name at the beginning of the text. */
size_t zw_formula_name_here(const char *text);
double zw_formula_at(const zw_column_formula *f, const zw_table *t, long row);

/* All notes but orbits of a branch; an empty table with the columns and these notes of another,
 * NULL: out of memory. */
zw_status zw_formula_copy_notes(zw_table *to, const zw_table *from);
zw_table *zw_formula_like(const zw_table *t);

/* The formulas as columns of a new table, row by row with `from`, with these notes. *out is NULL
 * after a failure. */
zw_status zw_formula_table(zw_table **out, const zw_allocator *alloc, const zw_table *from, int n,
                           const char *const *text, zw_error *err);

#endif
