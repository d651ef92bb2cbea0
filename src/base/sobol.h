/* SPDX-License-Identifier: MIT */
/* Sobol's sequence: points that fill a cube more evenly than independent ones. Coordinate j of
 * point i is the sum modulo 2 (exclusive or) of direction numbers v_jk over the bits k of i that
 * are set. The v_j obey the recurrence of a primitive polynomial modulo 2 of degree s with inner
 * coefficients a,
 *
 *   m_k = 2 a_1 m_{k-1} ^ 4 a_2 m_{k-2} ^ ... ^ 2^{s-1} a_{s-1} m_{k-s+1} ^ 2^s m_{k-s} ^ m_{k-s},
 *   v_k = m_k / 2^k
 *
 * and the first m_1 .. m_s are chosen so that projections on two coordinates are good: those of S.
 * Joe and F. Y. Kuo, Constructing Sobol sequences with better two-dimensional projections, SIAM J.
 * Sci. Comput. 30 (2008) 2635, doi 10.1137/070709359. The first 2^n points are the same in any
 * order; here it is the natural one (bits of i), not that of Gray's code. Numbers have 52 bits, so
 * that they are exact doubles. */
#ifndef ZW_BASE_SOBOL_H
#define ZW_BASE_SOBOL_H

#include <stdint.h>

enum { ZW_SOBOL_DIMENSIONS = 52, ZW_SOBOL_BITS = 52 };

/* Coordinate `dimension` (0, 1, ...) of point i < 2^52, in units of 2^-52. */
uint64_t zw_sobol(uint64_t i, int dimension);
/* The same, shifted (exclusive or) by a number that depends on the seed, in (0, 1). Seed 0: not
 * shifted; the corner 0 becomes 2^-53. */
double zw_sobol_unit(uint64_t seed, uint64_t i, int dimension);

/* For dimension >= 1: the degree and inner coefficients of its polynomial, and its first numbers
 * m. */
typedef struct zw_sobol_row {
    uint8_t degree, inner;
    uint8_t m[8];
} zw_sobol_row;
const zw_sobol_row *zw_sobol_numbers(int dimension);

#endif
