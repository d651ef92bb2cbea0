/* SPDX-License-Identifier: MIT */
/* States within a step (num/methods/rk_tableau.h): coefficients for all lanes at once, when
 * requested; values lane by lane. */
#include <string.h>

#include "lanes.h"
#include "vector.h"

enum { HERMITE = 3 };

ZW_CLONES static void hermite(zw_lanes *l, const double *h) {
    int L = l->L, n = l->n, size = n * L;
    const double *first = l->rate, *end = l->rate + l->table->stages * l->row;
    for (int i = 0; i < n; i++)
        for (int b = 0; b < L; b += ZW_FOUR) {
            int at = i * L + b;
            zw_four step = ZW_LOAD(h + b), r1 = ZW_LOAD(l->y1 + at) - ZW_LOAD(l->y0 + at),
                    r2 = step * ZW_LOAD(first + at) - r1;
            ZW_STORE(l->r + at, r1);
            ZW_STORE(l->r + size + at, r2);
            ZW_STORE(l->r + 2 * size + at, r1 - step * ZW_LOAD(end + at) - r2);
            for (int m = 0; m < l->table->ndense; m++) {
                const zw_lanes_terms *w = &l->d[m];
                zw_four sum = ZW_ALL(0.0);
                for (int j = 0; j < w->n; j++)
                    sum += w->weight[j] * ZW_LOAD(l->rate + w->offset[j] + at);
                ZW_STORE(l->r + (HERMITE + m) * size + at, step * sum);
            }
        }
}

void zw_lanes_make_dense(zw_lanes *l) {
    double h[8], kept[8], t[8];
    if (l->has_dense)
        return;
    l->has_dense = true;
    for (int i = 0; i < l->L; i++) {
        h[i] = l->t1[i] - l->t[i];
        kept[i] = l->h[i];
        l->h[i] = h[i];
    }
    for (int i = l->table->stages + 1; i < l->table->rows; i++) {
        for (int b = 0; b < l->L; b++)
            t[b] = l->t[b] + l->table->c[i] * h[b];
        zw_lanes_combine(l, l->y0, &l->a[i], l->stage);
        zw_lanes_rates(l, t, l->stage, l->rate + i * l->row);
    }
    hermite(l, h);
    memcpy(l->h, kept, sizeof(double) * (size_t)l->L);
}

/* n entries of y from `first` on */
static void evaluate_entries(zw_lanes *l, int lane, double t, int first, int n, double *out) {
    int L = l->L, size = l->n * L, last = HERMITE + l->table->ndense - 1;
    if (t == l->t1[lane]) {
        for (int i = 0; i < n; i++)
            out[i] = l->y1[(first + i) * L + lane];
        return;
    }
    zw_lanes_make_dense(l);
    double theta = (t - l->t[lane]) / (l->t1[lane] - l->t[lane]), factor[] = {theta, 1 - theta};
    for (int i = 0; i < n; i++) {
        int at = (first + i) * L + lane;
        double value = 0;
        for (int m = last; m >= 0; m--)
            value = factor[m % 2] * (l->r[m * size + at] + value);
        out[i] = l->y0[at] + value;
    }
}

void zw_lanes_dense(zw_lanes *l, int lane, double t, double *x) {
    evaluate_entries(l, lane, t, l->at, l->k->nx, x);
}

void zw_lanes_dense_variation(zw_lanes *l, int lane, double t, double *variation) {
    evaluate_entries(l, lane, t, 0, l->at, variation);
}

ZW_CLONES static void dense_all_clones(zw_lanes *l, const double *theta, double *x) {
    int L = l->L, size = l->n * L, last = HERMITE + l->table->ndense - 1;
    for (int b = 0; b < L; b += ZW_FOUR) {
        zw_four even = ZW_LOAD(theta + b), odd = 1.0 - even;
        for (int at = l->at * L + b; at < size; at += L) {
            zw_four value = ZW_ALL(0.0);
            for (int m = last; m >= 0; m--)
                value = (m % 2 ? odd : even) * (ZW_LOAD(l->r + m * size + at) + value);
            ZW_STORE(x + at - l->at * L, ZW_LOAD(l->y0 + at) + value);
        }
    }
}

void zw_lanes_dense_all(zw_lanes *l, const double *theta, double *x) {
    dense_all_clones(l, theta, x);
}
