/* SPDX-License-Identifier: MIT */
#include "sobol.h"

#include <assert.h>
#include <stddef.h>

#include "philox.h"

/* rows 2 to 52 of the table of Joe and Kuo (2008), "new-joe-kuo-6"; the first coordinate has the
 * bits of i reversed and needs no row */
static const zw_sobol_row table[ZW_SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
    {7, 50, {1, 3, 1, 3, 5, 53, 69}},
    {7, 55, {1, 1, 5, 5, 23, 33, 13}},
    {7, 56, {1, 1, 7, 7, 1, 61, 123}},
    {7, 59, {1, 1, 7, 9, 13, 61, 49}},
    {7, 62, {1, 3, 3, 5, 3, 55, 33}},
    {8, 14, {1, 3, 1, 15, 31, 13, 49, 245}},
    {8, 21, {1, 3, 5, 15, 31, 59, 63, 97}},
    {8, 22, {1, 3, 1, 11, 11, 11, 77, 249}},
    {8, 38, {1, 3, 1, 11, 27, 43, 71, 9}},
    {8, 47, {1, 1, 7, 15, 21, 11, 81, 45}},
    {8, 49, {1, 3, 7, 3, 25, 31, 65, 79}},
    {8, 50, {1, 3, 1, 1, 19, 11, 3, 205}},
    {8, 52, {1, 1, 5, 9, 19, 21, 29, 157}},
    {8, 56, {1, 3, 7, 11, 1, 33, 89, 185}},
    {8, 67, {1, 3, 3, 3, 15, 9, 79, 71}},
    {8, 70, {1, 3, 7, 11, 15, 39, 119, 27}},
    {8, 84, {1, 1, 3, 1, 11, 31, 97, 225}},
    {8, 97, {1, 1, 1, 3, 23, 43, 57, 177}},
    {8, 103, {1, 3, 7, 7, 17, 17, 37, 71}},
    {8, 115, {1, 3, 1, 5, 27, 63, 123, 213}},
};

const zw_sobol_row *zw_sobol_numbers(int dimension) {
    return dimension >= 1 && dimension < ZW_SOBOL_DIMENSIONS ? &table[dimension - 1] : NULL;
}

/* the next m from the ones before it, m[0] the newest */
static uint64_t next_m(const zw_sobol_row *r, const uint64_t *m) {
    uint64_t x = m[r->degree - 1] ^ (m[r->degree - 1] << r->degree);
    for (int k = 1; k < r->degree; k++)
        if (r->inner >> (r->degree - 1 - k) & 1)
            x ^= m[k - 1] << k;
    return x;
}

uint64_t zw_sobol(uint64_t i, int dimension) {
    assert(dimension >= 0 && dimension < ZW_SOBOL_DIMENSIONS && i >> ZW_SOBOL_BITS == 0);
    const zw_sobol_row *r = dimension ? &table[dimension - 1] : NULL;
    uint64_t before[8] = {0}, x = 0;
    for (int k = 0; k < ZW_SOBOL_BITS && i >> k; k++) {
        uint64_t m = !r ? 1 : k < r->degree ? r->m[k] : next_m(r, before);
        for (int j = 7; j > 0; j--)
            before[j] = before[j - 1];
        before[0] = m;
        if (i >> k & 1)
            x ^= m << (ZW_SOBOL_BITS - 1 - k);
    }
    return x;
}

double zw_sobol_unit(uint64_t seed, uint64_t i, int dimension) {
    uint64_t shift = seed ? zw_philox_bits(seed, 0, (uint32_t)dimension, 1) >> 12 : 0;
    return ((double)(zw_sobol(i, dimension) ^ shift) + 0.5) * 0x1p-52;
}
