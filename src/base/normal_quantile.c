/* SPDX-License-Identifier: MIT */
#include "normal_quantile.h"

#include <math.h>

/* The correction of x at which the iteration ends. */
#define STEP_RELATIVE 1e-15 /* 4.5 eps: the round-off of log(u / Phi) allows no smaller one */
#define STEP_ABSOLUTE 2e-16 /* near u = 1/2, where x tends to 0 and u is known up to eps/2 */

/* u <= 1/2. log Phi is increasing and concave, and Newton's method on it comes from the left
 * without overshooting: a start with Phi(x) <= u is x = -sqrt(-2 log u), because Phi(-s) <=
 * exp(-s^2/2)/2. */
static double lower_half(double u) {
    double x = -sqrt(-2 * log(u));
    for (int i = 0; i < 60; i++) {
        double Phi = erfc(-x * 0.70710678118654752440) / 2;
        double density = exp(-x * x / 2) * 0.39894228040143267794;
        double dx = log(u / Phi) * Phi / density;
        x += dx;
        if (fabs(dx) <= STEP_RELATIVE * fabs(x) + STEP_ABSOLUTE)
            break;
    }
    return x;
}

double zw_normal_quantile(double u) {
    if (!(u >= 0 && u <= 1))
        return NAN;
    if (u == 0 || u == 1)
        return u > 0 ? INFINITY : -INFINITY;
    if (u == 0.5)
        return 0;
    return u < 0.5 ? lower_half(u) : -lower_half(1 - u);
}
