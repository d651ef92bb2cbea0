/* SPDX-License-Identifier: MIT */
/* Sets of cells of state space. A cell is known by a number of 64 bits that its whole coordinates
 * are scrambled into; that two cells share one has a probability of about n^2/2^64 for n cells and
 * is passed over. */
#include <string.h>

#include "basin.h"

static uint64_t mix_bits(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t basin_cell(const basin_look *look, int ny, double size, const double *y,
                    const int *offset) {
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (int i = 0; i < ny; i++) {
        double v = y[i], width = size * look[i].scale;
        int64_t k;
        if (look[i].period > 0) { /* a whole number of cells in the period */
            double cells = fmax(1, rint(look[i].period / width));
            v -= floor(v / look[i].period) * look[i].period;
            k = (int64_t)floor(v / look[i].period * cells) + (offset ? offset[i] : 0);
            k = (k % (int64_t)cells + (int64_t)cells) % (int64_t)cells;
        } else {
            double c = floor(v / width);
            k = fabs(c) < 9e15 ? (int64_t)c + (offset ? offset[i] : 0) : INT64_MAX;
        }
        h = mix_bits(h ^ mix_bits((uint64_t)k + 0x9e3779b97f4a7c15u * (uint64_t)(i + 1)));
    }
    return h ? h : 1;
}

bool basin_cells_has(const uint64_t *slot, size_t nslot, uint64_t key) {
    for (size_t i = key & (nslot - 1); slot[i]; i = (i + 1) & (nslot - 1))
        if (slot[i] == key)
            return true;
    return false;
}

bool basin_cells_insert(uint64_t *slot, size_t nslot, size_t *n, uint64_t key) {
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

bool basin_cells_near(const basin_cells *c, const basin_look *look, int ny, const double *y) {
    int offset[ZW_BASIN_LOOKS] = {0}, total = 1;
    if (c->n == 0)
        return false;
    if (basin_cells_has(c->slot, c->nslot, basin_cell(look, ny, c->size, y, NULL)))
        return true;
    if (ny > 4)
        return false;
    for (int i = 0; i < ny; i++)
        total *= 3;
    for (int k = 0; k < total; k++) {
        for (int i = 0, rest = k; i < ny; i++, rest /= 3)
            offset[i] = rest % 3 - 1;
        if (basin_cells_has(c->slot, c->nslot, basin_cell(look, ny, c->size, y, offset)))
            return true;
    }
    return false;
}
