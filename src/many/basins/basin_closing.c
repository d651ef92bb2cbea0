/* SPDX-License-Identifier: MIT */
/* Does a sequence converge, and how far is it from its limit?
 *
 * Of y_n, with d_n = |y_n - y_(n-p)|, the largest values over blocks are kept; when there are too
 * many blocks, two become one, so that the whole past of n differences is seen through a bounded
 * number of maxima whatever n is. Three windows of a third of it each, a the last: if they fall by
 * the factor r = max(a/b, b/c) < 1 at least, the way that is left is at most
 *
 *   (differences of one phase in a window) a r / (1 - r)
 *
 * for geometric convergence, however slow, since the windows grow until it is seen to fall; and for
 * n^-k, k > 1, where the ratios grow and the factor r is left out, it is of the right size.
 * Differences that stay at the level of roundings do not fall; a sequence of which they are noise
 * stays where it is, one that drifts does not: for that the caller compares places over twice the
 * time (BASIN_RESTING). */
#include <string.h>

#include "basin.h"

#define FALLS 0.9 /* windows must fall by this at least */
#define SLOWS 1.5 /* ratios of windows: of geometric convergence they are the same */
enum { FEWEST = 12 };

void basin_closing_begin(basin_closing *c, int p) {
    *c = (basin_closing){.p = p, .length = p};
}

static void merge_blocks(basin_closing *c) {
    for (int i = 0; i < BASIN_BLOCKS / 2; i++)
        c->block[i] = fmax(c->block[2 * i], c->block[2 * i + 1]);
    c->n = BASIN_BLOCKS / 2;
    c->length *= 2;
}

static double largest_value(const double *v, int n) {
    double m = 0;
    for (int i = 0; i < n; i++)
        m = fmax(m, v[i]);
    return m;
}

double basin_closing_size(const basin_closing *c) {
    int k = c->n / 3;
    return k ? largest_value(c->block + c->n - k, k) : INFINITY;
}

static basin_closeness judge_closing(const basin_closing *c, double close, double *rest) {
    int k = c->n / 3;
    const double *end = c->block + c->n;
    double a = largest_value(end - k, k), b = largest_value(end - 2 * k, k),
           before = largest_value(end - 3 * k, k);
    *rest = 0;
    if (a == 0)
        return BASIN_ARRIVED;
    double now = a / b, then = before > 0 ? b / before : INFINITY, r = fmax(now, then);
    double turns = (double)k * (double)c->length / c->p;
    if (now < SLOWS * then) /* the last window is behind it */
        turns *= r;
    *rest = r < 1 ? turns * a / (1 - r) : INFINITY;
    if (r < FALLS)
        return *rest <= close ? BASIN_ARRIVED : BASIN_OPEN;
    return a <= 2 * close ? BASIN_RESTING : BASIN_STUCK;
}

basin_closeness basin_closing_add(basin_closing *c, double d, double close, double *rest) {
    c->count++;
    c->open = c->inside ? fmax(c->open, d) : d;
    if (++c->inside < c->length)
        return BASIN_OPEN;
    c->block[c->n++] = c->open;
    c->inside = 0;
    basin_closeness verdict = c->n >= FEWEST ? judge_closing(c, close, rest) : BASIN_OPEN;
    if (c->n == BASIN_BLOCKS)
        merge_blocks(c);
    return verdict;
}
