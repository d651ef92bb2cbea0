/* SPDX-License-Identifier: MIT */
/* Brownian paths W(t) by counter-based random numbers. A path is a function of a seed, of its
 * number and of its input: every cell [k h, (k + 1) h], h = 2^level seconds, of every level has an
 * increment and a mean deviation from the chord,
 *
 *   dW = W(t + h) - W(t),   H = 1/h integral over the cell of (W - chord),
 *   dW ~ N(0, h),   H ~ N(0, h/12),   independent,
 *
 * and the cells of all levels belong to one path: a cell is halved with two normal numbers Z, N by
 *
 *   dW_left = dW/2 + 3/2 H + Z,     dW_right = dW - dW_left,
 *   H_left  = H/4 - Z/2 + N/2,      H_right  = H/4 - Z/2 - N/2,
 *   Z ~ N(0, h/16),   N ~ N(0, h/12),
 *
 * which gives the halves their distribution and keeps dW and H of the whole cell. The same path can
 * therefore be sampled with any step.
 *
 * J. Foster, T. Lyons, H. Oberhauser: An optimal polynomial approximation of Brownian motion, SIAM
 * J. Numer. Anal. 58 (2020), doi 10.1137/19M1261912. */
#ifndef ZW_BASE_BROWNIAN_H
#define ZW_BASE_BROWNIAN_H

#include <stdint.h>

enum { ZW_BROWNIAN_TOP = 40, ZW_BROWNIAN_BOTTOM = -60 }; /* highest and lowest level */

typedef struct zw_brownian_node {
    int64_t index;
    double dW, H;
} zw_brownian_node;

/* A path and the cells that enclose the last one asked for; the next one is usually near. */
typedef struct zw_brownian {
    uint32_t key[2];
    int lowest; /* lowest level with a stored cell */
    /* by ZW_BROWNIAN_TOP - level */
    zw_brownian_node cells[ZW_BROWNIAN_TOP - ZW_BROWNIAN_BOTTOM + 1];
} zw_brownian;

void zw_brownian_begin(zw_brownian *b, uint64_t seed, uint64_t path, uint32_t input);
/* Cell k of a level: [k h, (k + 1) h]; |k| h < 2^ZW_BROWNIAN_TOP. */
void zw_brownian_cell(zw_brownian *b, int level, int64_t k, double *dW, double *H);
/* White noise of intensity 1 within the cell, at time t: the rate of the parabola that has dW and
 * H. */
double zw_brownian_rate(zw_brownian *b, int level, int64_t k, double t);
/* A standard normal number of the path that is independent of its cells, for its start. */
double zw_brownian_start(uint64_t seed, uint64_t path, uint32_t number);

#endif
