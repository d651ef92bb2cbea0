/* SPDX-License-Identifier: MIT */
#include "philox.h"

static void round_of(uint32_t c[4], const uint32_t k[2]) {
    uint64_t a = (uint64_t)0xd2511f53u * c[0], b = (uint64_t)0xcd9e8d57u * c[2];
    uint32_t c1 = c[1], c3 = c[3];
    c[0] = (uint32_t)(b >> 32) ^ c1 ^ k[0];
    c[1] = (uint32_t)b;
    c[2] = (uint32_t)(a >> 32) ^ c3 ^ k[1];
    c[3] = (uint32_t)a;
}

void zw_philox(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2]) {
    uint32_t k[2] = {key[0], key[1]};
    for (int i = 0; i < 4; i++)
        out[i] = counter[i];
    for (int r = 0; r < 10; r++) {
        round_of(out, k);
        k[0] += 0x9e3779b9u; /* 2^32 over the golden ratio */
        k[1] += 0xbb67ae85u; /* 2^32 times sqrt 3 - 1 */
    }
}

uint64_t zw_philox_bits(uint64_t seed, uint64_t index, uint32_t dimension, uint32_t use) {
    const uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), dimension, use};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t out[4];
    zw_philox(out, counter, key);
    return (uint64_t)out[1] << 32 | out[0];
}

double zw_philox_unit(uint64_t seed, uint64_t index, uint32_t dimension) {
    return ((double)(zw_philox_bits(seed, index, dimension, 0) >> 12) + 0.5) * 0x1p-52;
}
