/* SPDX-License-Identifier: MIT */
/* Does a sequence converge, and how far is it from its limit?
 *
 * For a sequence y_n, with d_n = |y_n - y_(n-p)|, the largest values over blocks are stored.
 * When there are too many blocks, pairs are merged, so that the whole past of n differences is
 * represented by a bounded number of maxima for any n. Three windows of a third of them each
 * have the maxima a (the last), b and c: if they fall by the factor r = max(a/b, b/c) < 1 at
 * least, the remaining distance is at most
 *
 *   (differences of one phase in a window) a r / (1 - r)
 *
 * for geometric convergence, however slow, since the windows grow until the fall is visible; for
 * n^-k, k > 1, where the ratios grow and the factor r is left out, it has the right order.
 * Differences at the level of round-off do not fall. A sequence that only fluctuates by
 * round-off stays where it is, one that drifts does not: the caller compares samples over twice
 * the time to separate the two (BASIN_RESTING). */
#include <string.h>

#include "basin.h"

/* Ratio of the maxima of successive windows below which a sequence falls. Nearer to 1, the factor
 * 1/(1 - r) of the remaining distance has a large error; a slower sequence is decided later, by
 * longer windows. */
#define WINDOW_RATIO 0.9
/* Growth of the ratio of successive windows that separates n^-k from geometric convergence (1).
 * Chosen by trial: between 1 and the ratio b/c : a/b of 1/n^2. */
#define RATIO_GROWTH 1.5
enum { BLOCKS_FOR_VERDICT = 12 }; /* three windows of four */

void zw_basin_closing_begin(zw_basin_closing *c, int p) {
    *c = (zw_basin_closing){.p = p, .length = p};
}

static void merge_blocks(zw_basin_closing *c) {
    for (int i = 0; i < ZW_BASIN_BLOCKS / 2; i++)
        c->block[i] = fmax(c->block[2 * i], c->block[2 * i + 1]);
    c->n = ZW_BASIN_BLOCKS / 2;
    c->length *= 2;
}

static double largest_value(const double *v, int n) {
    double m = 0;
    for (int i = 0; i < n; i++)
        m = fmax(m, v[i]);
    return m;
}

double zw_basin_closing_size(const zw_basin_closing *c) {
    int k = c->n / 3;
    return k ? largest_value(c->block + c->n - k, k) : INFINITY;
}

static zw_basin_closeness judge_closing(const zw_basin_closing *c, double close, double *rest) {
    int k = c->n / 3;
    const double *end = c->block + c->n;
    double a = largest_value(end - k, k), b = largest_value(end - 2 * k, k),
           before = largest_value(end - 3 * k, k);
    *rest = 0;
    if (a == 0)
        return BASIN_ARRIVED;
    double now = a / b, then = before > 0 ? b / before : INFINITY, r = fmax(now, then);
    double turns = (double)k * (double)c->length / c->p;
    if (now < RATIO_GROWTH * then) /* geometric: the last window is already past */
        turns *= r;
    *rest = r < 1 ? turns * a / (1 - r) : INFINITY;
    if (r < WINDOW_RATIO)
        return *rest <= close ? BASIN_ARRIVED : BASIN_OPEN;
    return a <= 2 * close ? BASIN_RESTING : BASIN_STUCK;
}

zw_basin_closeness zw_basin_closing_add(zw_basin_closing *c, double d, double close, double *rest) {
    c->count++;
    c->open = c->inside ? fmax(c->open, d) : d;
    if (++c->inside < c->length)
        return BASIN_OPEN;
    c->block[c->n++] = c->open;
    c->inside = 0;
    zw_basin_closeness verdict =
        c->n >= BLOCKS_FOR_VERDICT ? judge_closing(c, close, rest) : BASIN_OPEN;
    if (c->n == ZW_BASIN_BLOCKS)
        merge_blocks(c);
    return verdict;
}
