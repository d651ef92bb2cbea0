/* SPDX-License-Identifier: MIT */
/* The one random generator of Zwang: splitmix64. A counter s goes through all 64-bit numbers by
 * steps of an odd constant, 2^64 over the golden ratio, and each is scrambled by a bijection:
 *
 *   s <- s + g,   z = s,   z <- (z ^ z >> 30) a,   z <- (z ^ z >> 27) b,   z ^ z >> 31
 *
 * so that every number comes once in a period of 2^64. The same seed gives the same numbers on
 * every machine. Good for random states and directions and for samples of ensembles; not for
 * secrets.
 *
 * G. L. Steele, D. Lea, C. H. Flood: Fast splittable pseudorandom number generators, OOPSLA 2014,
 * doi 10.1145/2660193.2660195; a and b are variant 13 of D. Stafford's mixing functions. */
#ifndef ZW_BASE_RANDOM_H
#define ZW_BASE_RANDOM_H

#include <float.h>
#include <stdint.h>

typedef struct zw_random {
    uint64_t state; /* the seed, at first: any number */
} zw_random;

/* A generator for number `index` of a family with one seed: the numbers for an index (an attempt, a
 * set of parameters) do not depend on what came before. n streams of m numbers each overlap
 * somewhere with a probability of about n^2 m / 2^64. */
zw_random zw_random_stream(uint64_t seed, uint64_t index);

/* 64 random bits. */
uint64_t zw_random_bits(zw_random *r);
/* Uniform in [0, 1), a multiple of 2^-53. */
double zw_random_unit(zw_random *r);
/* Uniform in [low, high), up to the rounding of the end. */
double zw_random_real(zw_random *r, double low, double high);
/* Changes each of n numbers by a few units of its last place (at most ZW_SHAKE relative): a value
 * that is only round-off changes completely, a real value does not. */
#define ZW_SHAKE (16 * DBL_EPSILON)
void zw_random_shake(zw_random *r, int n, const double *from, double *to);

#endif
