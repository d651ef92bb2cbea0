/* SPDX-License-Identifier: MIT */
/* Expressions of a system along a result. Known are its columns (coordinates, velocities,
 * multipliers, t) and the parameters, with the values that events gave them. */
#ifndef ZW_SIM_ROWS_H
#define ZW_SIM_ROWS_H

#include "zwang/system.h"
#include "zwang/table.h"

typedef struct zw_rows {
    const zw_system *s;
    zw_context *ctx;
    const zw_table *result;
    const double *p; /* values of the parameters */
    zw_expr *psym;
    int time; /* column of t */
    int ninput;
    zw_expr *input;
    int *column;     /* column of the result; -1: zero; -2 - i: parameter i, which events set */
    const char *set; /* values that events set: lines "TIME NAME VALUE"; NULL: none */
} zw_rows;

/* Memory of the context; all arguments must outlive it. */
zw_status zw_rows_init(zw_rows *r, const zw_system *s, const double *p, const zw_table *result,
                       zw_error *err);
/* The symbol of any column of the result, 0 if it has none of that name; at most ZW_ROWS_COLUMNS
 * more for each contact than the system has symbols for. */
enum { ZW_ROWS_COLUMNS = 8 };
zw_expr zw_rows_column(zw_rows *r, const char *name);
/* The first symbol that is neither a column nor a parameter, 0 if there is none. */
zw_expr zw_rows_unknown(const zw_rows *r, int n, const zw_expr *e);
/* Does it change along the result? */
bool zw_rows_move(const zw_rows *r, zw_expr e);
/* The value of an expression that does not change. */
double zw_rows_at_rest(const zw_rows *r, zw_expr e);

/* Called with the n values of a row; a failure ends the evaluation. */
typedef zw_status (*zw_row_taker)(void *user, long row, const double *value, zw_error *err);
/* n expressions at nrow rows of the result (row NULL: at all of them), evaluated by the
 * interpreter; common subexpressions are computed once. */
zw_status zw_rows_walk(const zw_rows *r, int n, const zw_expr *e, long nrow, const long *row,
                       zw_row_taker take, void *user, zw_error *err);

#endif
