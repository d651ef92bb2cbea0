/* SPDX-License-Identifier: MIT */
#include "passing.h"

#include <math.h>

#define NOISE 1e-10 /* of a multiplier, at least */
#define ON_CIRCLE 1e-4

static double factor_of(double value, double size, double error) {
    return fabs(value) > 10 * fmax(error, NOISE * size) ? value / size : 0;
}

static double product_of(const zw_floquet *m, double shift) {
    double product = 1;
    for (int i = 0; i < m->n; i++)
        if (m->im[i] == 0 && i != m->trivial)
            product *= factor_of(m->re[i] + shift, 1 + fabs(m->re[i]), m->error[i]);
    return product;
}

double zw_passing_branch(const zw_floquet *m, double slope) {
    return product_of(m, -1) / slope;
}

double zw_passing_flip(const zw_floquet *m) {
    return product_of(m, 1);
}

double zw_passing_torus(const zw_floquet *m) {
    double product = 1;
    int pairs = 0;
    for (int i = 0; i < m->n; i++)
        for (int j = i + 1; j < m->n; j++) {
            double re = m->re[i] * m->re[j] - m->im[i] * m->im[j],
                   im = m->re[i] * m->im[j] + m->im[i] * m->re[j], size = 1 + hypot(re, im);
            if (i == m->trivial || j == m->trivial || fabs(im) > 1e-12 * size)
                continue; /* the others come in conjugate pairs */
            product *= factor_of(re - 1, size,
                                 m->error[i] * hypot(m->re[j], m->im[j]) +
                                     m->error[j] * hypot(m->re[i], m->im[i]));
            pairs++;
        }
    return pairs > 0 ? product : NAN;
}

bool zw_passing_has_pair(const zw_floquet *m) {
    for (int i = 0; i < m->n; i++)
        if (m->im[i] > 0 && fabs(hypot(m->re[i], m->im[i]) - 1) < ON_CIRCLE)
            return true;
    return false;
}
