/* SPDX-License-Identifier: MIT */
/* Linear equations with a matrix of dense blocks, most of which are zero. */
#ifndef ZW_MOTION_HARMONIC_BLOCKS_H
#define ZW_MOTION_HARMONIC_BLOCKS_H

#include <stdbool.h>

#include "zwang/status.h"

typedef struct zw_blocks zw_blocks;

zw_blocks *zw_blocks_create(const zw_allocator *alloc); /* NULL: out of memory */
void zw_blocks_destroy(zw_blocks *b);
/* n + 1 blocks of rows and columns: n of `size`, and one of `border` last, coupled to all others.
 * touches (n x n): is the block nonzero? Those of the diagonal are. Chooses the order of
 * elimination. The entries are zero afterwards. */
zw_status zw_blocks_shape(zw_blocks *b, int n, int size, int border, const bool *touches,
                          zw_error *err);
/* An order of elimination by minimum degree for a symmetric graph (n x n), to which the entries
 * that elimination adds are added: order[k] is the k-th, and position[order[k]] = k. done (n) is
 * false at first, and true afterwards. */
void zw_blocks_order(int n, bool *graph, bool *done, int *order, int *position);
void zw_blocks_clear(zw_blocks *b);
/* Entries of a block, row-major, rows of block i by columns of block j, which are padded with zeros
 * to a multiple of four; n is the border. NULL: the block is zero. */
double *zw_blocks_at(zw_blocks *b, int i, int j);
/* Distance from one row to the next in blocks with the columns of block j. */
int zw_blocks_stride(const zw_blocks *b, int j);
/* Factors the matrix. Returns the smallest ratio of pivots within a diagonal block; 0: singular,
 * NaN: not finite. */
double zw_blocks_factor(zw_blocks *b);
/* The sign of the determinant of the factored matrix. */
int zw_blocks_sign(const zw_blocks *b);
/* Solves for the right side x (n size + border), in place. */
void zw_blocks_solve(const zw_blocks *b, double *x);

#endif
