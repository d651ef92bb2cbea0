/* SPDX-License-Identifier: MIT */
#include "random.h"

uint64_t zw_random_bits(zw_random *r) {
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* both arguments are scrambled first: neighbouring arguments must not be one step apart on the
 * cycle */
zw_random zw_random_stream(uint64_t seed, uint64_t index) {
    zw_random family = {seed}, member = {index};
    zw_random both = {zw_random_bits(&family)};
    both.state = zw_random_bits(&both) ^ zw_random_bits(&member);
    return (zw_random){zw_random_bits(&both)};
}

double zw_random_unit(zw_random *r) {
    return (double)(zw_random_bits(r) >> 11) * 0x1p-53;
}

double zw_random_real(zw_random *r, double low, double high) {
    return low + (high - low) * zw_random_unit(r);
}

void zw_random_shake(zw_random *r, int n, const double *from, double *to) {
    for (int i = 0; i < n; i++)
        to[i] = from[i] * (1 + ZW_SHAKE * zw_random_real(r, -1, 1));
}
