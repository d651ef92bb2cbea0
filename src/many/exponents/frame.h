/* SPDX-License-Identifier: MIT */
/* Frames of small disturbances: k rows V of nx numbers, of which the essential entries are measured
 * in their sizes,
 *
 *   u_i = V_i/s      (0 where an entry does not count: nothing depends on ignorable coordinates).
 *
 * V = R Q: rows of Q are orthonormal in u, R is lower triangular, and log r_ii is the growth of
 * row i orthogonal to the rows before it. Gram-Schmidt, each row twice, so that Q is orthonormal
 * up to round-off even where rows were nearly parallel. */
#ifndef ZW_MANY_EXPONENTS_FRAME_H
#define ZW_MANY_EXPONENTS_FRAME_H

#include <stdbool.h>

/* V becomes Q, entries that do not count become 0; grown (k): log r_ii. False if a row is not
 * finite, or depends on those before it up to round-off. */
bool zw_frame_qr(int k, int nx, const double *scale, const bool *counts, double *V, double *grown);
/* The same if events may annihilate rows: the remaining rows come first, their number is returned,
 * and the others become 0. counts NULL: all entries count. -1: a row is not finite. */
int zw_frame_qr_left(int k, int nx, const double *scale, const bool *counts, double *V,
                     double *grown);
/* Rows of length one, in plain numbers, some of which may depend on others or lie in entries that
 * do not count. V begins with an orthonormal basis of what they span in the other entries; returns
 * its dimension. */
int zw_frame_span(int rows, int nx, const bool *counts, double *V);
/* sum_i u_i' J u_i with J (nx x nx, row-major) in those sizes: the growth rate of the volume of the
 * frame, if J maps its span into itself. */
double zw_frame_trace(int k, int nx, const double *scale, const bool *counts, const double *Q,
                      const double *J);

#endif
