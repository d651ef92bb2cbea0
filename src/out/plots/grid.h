/* SPDX-License-Identifier: MIT */
/* Rows of a table that form a grid over two of its columns, in any order. */
#ifndef ZW_OUT_GRID_H
#define ZW_OUT_GRID_H

#include "base/arena.h"
#include "zwang/table.h"

typedef struct zw_out_grid {
    int nx, ny;    /* 0: the rows are not a grid, each has its own place */
    double *x, *y; /* values of the columns, ascending */
    long *row;     /* nx x ny, x runs fastest: the row there; -1: none, a hole */
    long holes;
} zw_out_grid;

/* Two rows at one place are an error, and so is a grid with a single value in a direction. A table
 * without rows has an empty grid. */
zw_status zw_out_grid_find(zw_out_grid *g, zw_arena *arena, const zw_table *t, int x, int y,
                           zw_error *err);
/* The border between cells i - 1 and i of n: halfway between their values, or between their
 * logarithms on a logarithmic axis; those of the ends are at the same distance outside. */
double zw_out_grid_border(const double *value, int n, int i, bool log);
/* The cell of n that contains v; -1 if it is outside. */
int zw_out_grid_cell(const double *value, int n, bool log, double v);

#endif
