/* SPDX-License-Identifier: MIT */
#include "floquet_tests.h"

#include <math.h>

#include "base/tolerance.h"

/* least relative error of a multiplier: estimated errors below it are chance */
#define MULTIPLIER_ERROR_LEAST 1e-12
/* chosen by trial: distance to the critical value, at a located zero of a test function, of the
 * multipliers that cross there; separates them from those that stay */
#define CRITICAL_DISTANCE 1e-4
/* imaginary part of two equal real multipliers: each is known only to the root of the error 1e-10
 * of their product */
#define DOUBLE_REAL 1e-5
/* distance to the critical value, relative to 1 + |mu|, up to which a multiplier may cross soon:
 * the factors and errors of these are compared; those farther away have the sign they have */
#define MAY_CROSS 0.1
/* factor relative to its error from which on its sign is certain; estimated errors are exact to a
 * factor of a few */
#define ERRORS_FROM_ZERO 10

/* multipliers are of moderate size, so the squares do not overflow */
static double complex_modulus(double re, double im) {
    return im == 0 ? fabs(re) : sqrt(re * re + im * im);
}

static double real_factor(double value, double size, double error) {
    return fabs(value) > ERRORS_FROM_ZERO * fmax(error, MULTIPLIER_ERROR_LEAST * size)
               ? value / size
               : 0;
}

/* The product of (mu + shift). A pair contributes the modulus of its two factors, so that the
 * product is smooth where two real multipliers become a pair. There each of them is known only to
 * the root of the error of their product: so the errors of the multipliers near -shift are
 * multiplied, too, and compared with the product of their factors. */
static double distance_product(const zw_floquet *m, const bool *counts, double shift) {
    double far = 1, near = 1, error = 1;
    for (int i = 0; i < m->n; i++) {
        if (i == m->trivial || (counts && !counts[i]))
            continue;
        double size = 1 + complex_modulus(m->re[i], m->im[i]),
               distance = complex_modulus(m->re[i] + shift, m->im[i]),
               factor = (m->im[i] == 0 ? m->re[i] + shift : distance) / size;
        if (distance > MAY_CROSS * size) {
            far *= factor;
            continue;
        }
        near *= factor;
        error *= fmin(m->error[i] / size, MAY_CROSS);
    }
    return error == 1 || fabs(near) > ERRORS_FROM_ZERO * fmax(error, MULTIPLIER_ERROR_LEAST)
               ? near * far
               : 0;
}

double zw_floquet_test_branch(const zw_floquet *m, const bool *counts, double slope) {
    return distance_product(m, counts, -1) / slope;
}

double zw_floquet_test_flip(const zw_floquet *m) {
    return distance_product(m, NULL, 1);
}

double zw_floquet_test_torus(const zw_floquet *m) {
    double product = 1;
    int pairs = 0;
    for (int i = 0; i < m->n; i++)
        for (int j = i + 1; j < m->n; j++) {
            double re = m->re[i] * m->re[j] - m->im[i] * m->im[j],
                   im = m->re[i] * m->im[j] + m->im[i] * m->re[j],
                   size = 1 + complex_modulus(re, im);
            if (i == m->trivial || j == m->trivial || fabs(im) > ZW_ROUNDOFF_SUM * size)
                continue; /* products that are not real come in conjugate pairs */
            product *= real_factor(re - 1, size,
                                   m->error[i] * complex_modulus(m->re[j], m->im[j]) +
                                       m->error[j] * complex_modulus(m->re[i], m->im[i]));
            pairs++;
        }
    return pairs > 0 ? product : NAN;
}

bool zw_floquet_test_has_pair(const zw_floquet *m) {
    for (int i = 0; i < m->n; i++)
        if (m->im[i] > 0 && fabs(complex_modulus(m->re[i], m->im[i]) - 1) < CRITICAL_DISTANCE)
            return true;
    return false;
}

bool zw_floquet_test_has_two(const zw_floquet *m, double value) {
    int n = 0;
    for (int i = 0; i < m->n; i++)
        n += i != m->trivial && fabs(m->re[i] - value) < CRITICAL_DISTANCE &&
             fabs(m->im[i]) <= DOUBLE_REAL;
    return n >= 2;
}
