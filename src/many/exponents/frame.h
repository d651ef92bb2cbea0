/* SPDX-License-Identifier: MIT */
/* Frames of small disturbances: k rows of nx numbers V, of which the entries that count are
 * measured in their sizes,
 *
 *     u_i = V_i/s      (0 where an entry does not count: nothing depends on ignorable coordinates).
 *
 * V = R Q: rows of Q are orthonormal in u, R is lower triangular, and log r_ii is what row i has
 * grown by beside those before it. Gram and Schmidt, each row twice, so that Q is orthonormal to
 * rounding also where rows were nearly parallel. */
#ifndef ZW_MANY_EXPONENTS_FRAME_H
#define ZW_MANY_EXPONENTS_FRAME_H

#include <stdbool.h>

/* V becomes Q, entries that do not count become 0; grown (k): log r_ii. False where a row is not
 * finite or depends on those before it to rounding. */
bool zw_frame_qr(int k, int nx, const double *scale, const bool *counts, double *V, double *grown);
/* The same where rows may be lost, by events that annihilate disturbances: those that are left come
 * first, how many is returned, and the others become 0. counts NULL: all entries do. -1: a row is
 * not finite. */
int zw_frame_qr_left(int k, int nx, const double *scale, const bool *counts, double *V,
                     double *grown);
/* Rows of length one, in plain numbers, of which some may depend on others or lie in entries that
 * do not count: an orthonormal basis, in plain numbers, of what they span in the others, at the
 * beginning of V. How many there are. */
int zw_frame_span(int rows, int nx, const bool *counts, double *V);
/* sum_i u_i' J u_i with J (nx x nx, row-major) in those sizes: the rate at which the volume of the
 * frame grows, if disturbances of it stay in its span. */
double zw_frame_trace(int k, int nx, const double *scale, const bool *counts, const double *Q,
                      const double *J);

#endif
