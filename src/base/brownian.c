/* SPDX-License-Identifier: MIT */
#include "brownian.h"

#include <math.h>

#include "normal_quantile.h"
#include "philox.h"

/* fourth word of a counter: what the numbers are used for */
enum { FOR_KEY = 1, FOR_ROOT, FOR_HALVES, FOR_START };

static double uniform_number(uint32_t high, uint32_t low) {
    return ((double)(((uint64_t)high << 32 | low) >> 12) + 0.5) * 0x1p-52;
}

/* two independent standard normal numbers for a cell */
static void draw_normals(const uint32_t key[2], int64_t index, uint32_t level, uint32_t use,
                         double out[2]) {
    const uint32_t counter[4] = {(uint32_t)(uint64_t)index, (uint32_t)((uint64_t)index >> 32),
                                 level, use};
    uint32_t word[4];
    zw_philox(word, counter, key);
    out[0] = zw_normal_quantile(uniform_number(word[0], word[1]));
    out[1] = zw_normal_quantile(uniform_number(word[2], word[3]));
}

/* a separate key for every path and input */
static void make_key(uint64_t seed, uint64_t path, uint32_t input, uint32_t key[2]) {
    const uint32_t counter[4] = {(uint32_t)path, (uint32_t)(path >> 32), input, FOR_KEY};
    const uint32_t of_seed[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t word[4];
    zw_philox(word, counter, of_seed);
    key[0] = word[0];
    key[1] = word[1];
}

void zw_brownian_begin(zw_brownian *b, uint64_t seed, uint64_t path, uint32_t input) {
    make_key(seed, path, input, b->key);
    b->lowest = ZW_BROWNIAN_TOP + 1; /* no cell is stored */
}

static void make_root(zw_brownian *b, int64_t index) {
    double z[2];
    draw_normals(b->key, index, 0, FOR_ROOT, z);
    double length = ldexp(1, ZW_BROWNIAN_TOP);
    b->cells[0] = (zw_brownian_node){index, sqrt(length) * z[0], sqrt(length / 12) * z[1]};
}

/* the half `index` of the cell `whole`, which is on level `level` */
static zw_brownian_node half_cell(const zw_brownian *b, const zw_brownian_node *whole, int level,
                                  int64_t index) {
    double z[2], length = ldexp(1, level);
    draw_normals(b->key, whole->index, (uint32_t)(ZW_BROWNIAN_TOP - level), FOR_HALVES, z);
    double Z = sqrt(length / 16) * z[0], N = sqrt(length / 12) * z[1];
    double left = whole->dW / 2 + 1.5 * whole->H + Z, H = whole->H / 4 - Z / 2;
    return index == 2 * whole->index ? (zw_brownian_node){index, left, H + N / 2}
                                     : (zw_brownian_node){index, whole->dW - left, H - N / 2};
}

/* the cell that holds cell k of the level that is `levels` lower */
static int64_t enclosing_cell(int64_t k, int levels) {
    return levels > 62 ? (k < 0 ? -1 : 0) : k >= 0 ? k >> levels : -1 - ((-1 - k) >> levels);
}

void zw_brownian_cell(zw_brownian *b, int level, int64_t k, double *dW, double *H) {
    zw_brownian_node *cells = b->cells + ZW_BROWNIAN_TOP; /* cells[-level] */
    int at = level; /* the lowest stored level whose cell holds cell k */
    while (at <= ZW_BROWNIAN_TOP &&
           (at < b->lowest || cells[-at].index != enclosing_cell(k, at - level)))
        at++;
    if (at > level)
        b->lowest = level;
    if (at > ZW_BROWNIAN_TOP)
        make_root(b, enclosing_cell(k, --at - level));
    for (; at > level; at--)
        cells[1 - at] = half_cell(b, &cells[-at], at, enclosing_cell(k, at - 1 - level));
    *dW = cells[-level].dW;
    *H = cells[-level].H;
}

double zw_brownian_rate(zw_brownian *b, int level, int64_t k, double t) {
    double h = ldexp(1, level), dW, H;
    zw_brownian_cell(b, level, k, &dW, &H);
    return (dW + 6 * H * (1 - 2 * (t / h - (double)k))) / h;
}

double zw_brownian_start(uint64_t seed, uint64_t path, uint32_t number) {
    uint32_t key[2];
    double z[2];
    make_key(seed, path, number, key);
    draw_normals(key, 0, 0, FOR_START, z);
    return z[0];
}
