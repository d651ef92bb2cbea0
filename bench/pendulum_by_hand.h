/* SPDX-License-Identifier: MIT */
/* Six pendulums in a chain in the plane, absolute angles, equal masses and lengths, written by
 * hand: one sincos per angle, the products of the mass matrix shared, parameters combined
 * beforehand, L D L' in loops that the compiler unrolls. */
#ifndef ZW_BENCH_PENDULUM_BY_HAND_H
#define ZW_BENCH_PENDULUM_BY_HAND_H

#include <math.h>

enum { LINKS = 6 };

typedef struct pendulum_cache {
    double inertia[LINKS][LINKS], weight[LINKS];
} pendulum_cache;

static pendulum_cache pendulum_prepared;

static inline void pendulum_prepare(const double *p) {
    for (int i = 0; i < LINKS; i++) {
        pendulum_prepared.weight[i] = (LINKS - i) * p[0] * p[2] * p[1];
        for (int j = 0; j < LINKS; j++)
            pendulum_prepared.inertia[i][j] = (LINKS - (i > j ? i : j)) * p[0] * p[1] * p[1];
    }
}

static inline void pendulum_by_hand(const double *restrict x, double *restrict out) {
    const pendulum_cache *k = &pendulum_prepared;
    const double *v = x + LINKS;
    double s[LINKS], c[LINKS], M[LINKS][LINKS], d[LINKS], square[LINKS];
#pragma GCC unroll 8
    for (int i = 0; i < LINKS; i++) {
        sincos(x[i], &s[i], &c[i]);
        square[i] = v[i] * v[i];
        out[i] = -k->weight[i] * s[i];
    }
#pragma GCC unroll 8
    for (int i = 0; i < LINKS; i++) {
        M[i][i] = k->inertia[i][i];
#pragma GCC unroll 8
        for (int j = 0; j < i; j++) {
            double force = k->inertia[i][j] * (s[i] * c[j] - c[i] * s[j]);
            M[i][j] = k->inertia[i][j] * (c[i] * c[j] + s[i] * s[j]);
            out[i] -= force * square[j];
            out[j] += force * square[i];
        }
    }
#pragma GCC unroll 8
    for (int j = 0; j < LINKS; j++) { /* M = L D L', L below the diagonal, 1/D in d */
        d[j] = 1 / M[j][j];
#pragma GCC unroll 8
        for (int i = j + 1; i < LINKS; i++) {
            double l = M[i][j] * d[j];
#pragma GCC unroll 8
            for (int m = j + 1; m <= i; m++)
                M[i][m] -= l * M[m][j];
            out[i] -= l * out[j];
        }
#pragma GCC unroll 8
        for (int i = j + 1; i < LINKS; i++)
            M[i][j] *= d[j];
    }
#pragma GCC unroll 8
    for (int i = LINKS - 1; i >= 0; i--) {
        out[i] *= d[i];
#pragma GCC unroll 8
        for (int j = i + 1; j < LINKS; j++)
            out[i] -= M[j][i] * out[j];
    }
}

#endif
