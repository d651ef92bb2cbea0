/* SPDX-License-Identifier: MIT */
/* Counter-based random numbers: the numbers of point k of a study depend on the seed and on k
 * alone, not on who computes the point or what was computed before. Philox 4x32-10: ten rounds on a
 * counter of four words c with a key of two words k,
 *
 *   c <- (hi(B c2) ^ c1 ^ k0,  lo(B c2),  hi(A c0) ^ c3 ^ k1,  lo(A c0)),    k <- k + (w0, w1)
 *
 * each of them a bijection of the counters, so that no two counters have the same numbers under one
 * key.
 *
 * J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw: Parallel random numbers: as easy as 1, 2, 3,
 * SC 2011, doi 10.1145/2063384.2063405. */
#ifndef ZW_BASE_PHILOX_H
#define ZW_BASE_PHILOX_H

#include <stdint.h>

/* Four random words of a counter and a key. */
void zw_philox(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2]);
/* Number `index` in dimension `dimension` for a seed: uniform in (0, 1), an odd multiple of 2^-53,
 * so that neither 0 nor 1 comes out and the inverse of a distribution is finite. */
double zw_philox_unit(uint64_t seed, uint64_t index, uint32_t dimension);
/* 64 bits for another use (`use` > 0: shifts, permutations, bootstrap), independent of the
 * above. */
uint64_t zw_philox_bits(uint64_t seed, uint64_t index, uint32_t dimension, uint32_t use);

#endif
