/* SPDX-License-Identifier: MIT */
/* Sets of cells of state space. The integer coordinates of a cell are hashed into a key of 64 bits.
 * Two of n cells have the same key with a probability of about n^2/2^64, which is neglected. */
#include <string.h>

#include "basin.h"

#define LARGEST_CELL 9e15 /* below 2^53 = 9.007e15: larger integers are not exact as doubles */

static uint64_t mix_bits(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t zw_basin_cell(const zw_basin_quantity *quantity, int ny, double size, const double *y,
                       const int *offset) {
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < ny; i++) {
        double v = y[i], width = size * quantity[i].scale;
        int64_t k;
        if (quantity[i].period > 0) { /* a whole number of cells in the period */
            double cells = fmax(1, rint(quantity[i].period / width));
            v -= floor(v / quantity[i].period) * quantity[i].period;
            k = (int64_t)floor(v / quantity[i].period * cells) + (offset ? offset[i] : 0);
            k = (k % (int64_t)cells + (int64_t)cells) % (int64_t)cells;
        } else {
            double c = floor(v / width);
            k = fabs(c) < LARGEST_CELL ? (int64_t)c + (offset ? offset[i] : 0) : INT64_MAX;
        }
        h = mix_bits(h ^ mix_bits((uint64_t)k + 0x9e3779b97f4a7c15u * (uint64_t)(i + 1)));
    }
    return h ? h : 1;
}

bool zw_basin_cells_has(const uint64_t *slot, size_t nslot, uint64_t key) {
    for (size_t i = key & (nslot - 1); slot[i]; i = (i + 1) & (nslot - 1))
        if (slot[i] == key)
            return true;
    return false;
}

bool zw_basin_cells_insert(uint64_t *slot, size_t nslot, size_t *n, uint64_t key) {
    size_t i = key & (nslot - 1);
    for (; slot[i]; i = (i + 1) & (nslot - 1))
        if (slot[i] == key)
            return false;
    if (4 * *n < 3 * nslot) {
        slot[i] = key;
        ++*n;
    }
    return true;
}

bool zw_basin_cells_near(const zw_basin_cells *c, const zw_basin_quantity *quantity, int ny,
                         const double *y) {
    int offset[ZW_BASIN_LOOKS] = {0}, total = 1;
    if (c->n == 0)
        return false;
    if (zw_basin_cells_has(c->slot, c->nslot, zw_basin_cell(quantity, ny, c->size, y, NULL)))
        return true;
    if (ny > 4)
        return false;
    for (int i = 0; i < ny; i++)
        total *= 3;
    for (int k = 0; k < total; k++) {
        for (int i = 0, rest = k; i < ny; i++, rest /= 3)
            offset[i] = rest % 3 - 1;
        if (zw_basin_cells_has(c->slot, c->nslot, zw_basin_cell(quantity, ny, c->size, y, offset)))
            return true;
    }
    return false;
}
