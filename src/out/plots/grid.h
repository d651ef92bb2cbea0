/* SPDX-License-Identifier: MIT */
/* Rows of a table that are a grid of two of its columns, in any order. */
#ifndef ZW_OUT_GRID_H
#define ZW_OUT_GRID_H

#include "base/arena.h"
#include "zwang/table.h"

typedef struct zw_out_grid {
    int nx, ny;    /* 0: the rows are no grid, each has a place of its own */
    double *x, *y; /* values of the columns, ascending */
    long *row;     /* nx x ny, x runs fastest: the row there; -1: none, a hole */
    long holes;
} zw_out_grid;

/* Two rows at one place are refused, as is a grid with one value only in a direction. A table
 * without rows has a grid of none. */
zw_status zw_out_grid_find(zw_out_grid *g, zw_arena *arena, const zw_table *t, int x, int y,
                           zw_error *err);
/* The border between cells i - 1 and i of n: halfway between their values, on a logarithmic axis of
 * their logarithms; those of the ends are as far outside. */
double zw_out_grid_border(const double *value, int n, int i, bool log);
/* The cell of n that has v, -1: it is outside. */
int zw_out_grid_cell(const double *value, int n, bool log, double v);

#endif
