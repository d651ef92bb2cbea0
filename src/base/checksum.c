/* SPDX-License-Identifier: MIT */
#include "checksum.h"

uint64_t zw_checksum(uint64_t h, const void *data, size_t n) {
    const unsigned char *p = data;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return h;
}
