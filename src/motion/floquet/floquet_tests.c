/* SPDX-License-Identifier: MIT */
#include "floquet_tests.h"

#include <math.h>

#define NOISE 1e-12 /* of a multiplier, at least */
#define ON_CIRCLE 1e-4
#define REAL 1e-5 /* the imaginary part of two real ones that are the same */
#define NEAR 0.1  /* of a multiplier: one that may pass */

/* multipliers are of moderate size: nothing overflows */
static double complex_modulus(double re, double im) {
    return im == 0 ? fabs(re) : sqrt(re * re + im * im);
}

static double factor_of(double value, double size, double error) {
    return fabs(value) > 10 * fmax(error, NOISE * size) ? value / size : 0;
}

/* Pairs have the square of a distance: where two real ones become a pair, the product is smooth.
 * There each of them is known only to the root of what their product is known to: errors of those
 * that are near are multiplied, too. */
static double product_of(const zw_floquet *m, const bool *counts, double shift) {
    double far = 1, near = 1, error = 1;
    for (int i = 0; i < m->n; i++) {
        if (i == m->trivial || (counts && !counts[i]))
            continue;
        double size = 1 + complex_modulus(m->re[i], m->im[i]),
               away = complex_modulus(m->re[i] + shift, m->im[i]),
               factor = (m->im[i] == 0 ? m->re[i] + shift : away) / size;
        if (away > NEAR * size) {
            far *= factor;
            continue;
        }
        near *= factor;
        error *= fmin(m->error[i] / size, NEAR);
    }
    return error == 1 || fabs(near) > 10 * fmax(error, NOISE) ? near * far : 0;
}

double zw_floquet_test_branch(const zw_floquet *m, const bool *counts, double slope) {
    return product_of(m, counts, -1) / slope;
}

double zw_floquet_test_flip(const zw_floquet *m) {
    return product_of(m, NULL, 1);
}

double zw_floquet_test_torus(const zw_floquet *m) {
    double product = 1;
    int pairs = 0;
    for (int i = 0; i < m->n; i++)
        for (int j = i + 1; j < m->n; j++) {
            double re = m->re[i] * m->re[j] - m->im[i] * m->im[j],
                   im = m->re[i] * m->im[j] + m->im[i] * m->re[j],
                   size = 1 + complex_modulus(re, im);
            if (i == m->trivial || j == m->trivial || fabs(im) > 1e-12 * size)
                continue; /* the others come in conjugate pairs */
            product *= factor_of(re - 1, size,
                                 m->error[i] * complex_modulus(m->re[j], m->im[j]) +
                                     m->error[j] * complex_modulus(m->re[i], m->im[i]));
            pairs++;
        }
    return pairs > 0 ? product : NAN;
}

bool zw_floquet_test_has_pair(const zw_floquet *m) {
    for (int i = 0; i < m->n; i++)
        if (m->im[i] > 0 && fabs(complex_modulus(m->re[i], m->im[i]) - 1) < ON_CIRCLE)
            return true;
    return false;
}

bool zw_floquet_test_has_two(const zw_floquet *m, double value) {
    int n = 0;
    for (int i = 0; i < m->n; i++)
        n += i != m->trivial && fabs(m->re[i] - value) < ON_CIRCLE && fabs(m->im[i]) <= REAL;
    return n >= 2;
}
