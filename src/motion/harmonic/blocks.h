/* SPDX-License-Identifier: MIT */
/* Linear equations whose matrix is made of dense blocks, few of which are not zero. */
#ifndef ZW_MOTION_HARMONIC_BLOCKS_H
#define ZW_MOTION_HARMONIC_BLOCKS_H

#include <stdbool.h>

#include "zwang/status.h"

typedef struct zw_blocks zw_blocks;

zw_blocks *zw_blocks_create(const zw_allocator *alloc); /* NULL: out of memory */
void zw_blocks_destroy(zw_blocks *b);
/* n + 1 blocks of rows and columns: n of `size`, and one of `border` behind them, which touches
 * all. touches (n x n): is the block there? Those of the diagonal are. Chooses the order of
 * elimination; the entries are zero afterwards. */
zw_status zw_blocks_shape(zw_blocks *b, int n, int size, int border, const bool *touches,
                          zw_error *err);
/* An order of elimination by minimum degree for a symmetric graph (n x n), which is filled up with
 * what elimination adds: order[k] is the k-th, and place[order[k]] = k. done (n) is false at first,
 * and true afterwards. */
void zw_blocks_order(int n, bool *graph, bool *done, int *order, int *place);
void zw_blocks_clear(zw_blocks *b);
/* Row-major, rows of block i by columns of block j, which are filled up with zeros to a multiple of
 * four; n is the border. NULL: it is not there. */
double *zw_blocks_at(zw_blocks *b, int i, int j);
/* From one row to the next, of blocks with the columns of block j. */
int zw_blocks_stride(const zw_blocks *b, int j);
/* Returns the smallest pivot of the diagonal blocks, each by the largest of its block; 0: singular,
 * NaN: not finite. */
double zw_blocks_factor(zw_blocks *b);
/* The sign of the determinant of the matrix that was factored. */
int zw_blocks_sign(const zw_blocks *b);
/* x (n size + border) in place. */
void zw_blocks_solve(const zw_blocks *b, double *x);

#endif
