/* SPDX-License-Identifier: MIT */
/* Friction of a round patch that slips with v and spins with w = R omega under a pressure (1 - s^2)^nu, s = r/R. Coulomb's law
 * at every point of the patch, integrated, gives the support function of a convex body of revolution,
 *
 *     D(v, w) = |w| (u F + T),    u = v/|w|,    grad D = (F d, T sgn w),    d the direction of slip,
 *
 * with F and T by hypergeometric functions h of m = u^2 or n = 1/m (P. Contensou, 1962; integrals by series):
 *
 *     u <= 1: F = c u h(1/2,-nu-1/2;2;m)   T = tau h(1/2,-nu-3/2;1;m)       F' = c h(3/2,-nu-1/2;2;m)
 *     u >= 1: F = h(-1/2,1/2;nu+2;n)       u T = h(1/2,1/2;nu+3;n)/(2nu+4)  u^3 F' = h(3/2,1/2;nu+3;n)/(2nu+4)
 *
 * Series for small arguments; elliptic integrals E and K (nu = -1, 0, 1) or elementary functions (nu = 1/2) for others.
 *
 * ZW_NU_PRINTED: for Hertz's pressure the literature prints (R. I. Leine, C. Glocker, 2003; S. Sailer, 2023) Taylor series of the boundary
 * about its two tips, with x = F/F*, y = T/T*, F* = 9 pi/32, T* = 9 pi/128,
 *
 *     9/64 y^2 + 9/8 x^2 - 243/1024 x^4 = 1  near the tip of spin,      F^2 + 5 T^2 - 75/7 T^4 = 1  near that of slip,
 *
 * which do not meet. The rule here: the point with normal (u, 1) of the first one for u <= 1 and of the second one for u > 1. From one to the
 * other it jumps, (0.8275, 0.2607) to (0.8803, 0.2247), in the direction of more slip: the law dissipates and is monotone, and at
 * u = 1 everything between the two is allowed. */
#include "contensou.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "zwang/friction.h"

#define SERIES_MAX 0.36 /* m or n up to which 26 terms of the series are exact to rounding */
enum { SERIES_TERMS = 30, AGM_STEPS = 12, NEWTON_STEPS = 20 };

static double series(double a, double b, double c, double x) {
    double term = 1, sum = 1;
    for (int k = 0; k < SERIES_TERMS && fabs(term) > DBL_EPSILON / 8; k++) {
        term *= (a + k) * (b + k) / ((c + k) * (k + 1)) * x;
        sum += term;
    }
    return sum;
}

/* the complete elliptic integrals of squared modulus 1 - rest, 0 < rest <= 1 */
static void elliptic(double rest, double *K, double *E) {
    double a = 1, b = sqrt(rest), power = 0.5, sum = (1 - rest) * power;
    for (int i = 0; i < AGM_STEPS && fabs(a - b) > DBL_EPSILON * a; i++) {
        double c = 0.5 * (a - b), mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
        power *= 2;
        sum += power * c * c;
    }
    *K = M_PI_2 / a;
    *E = *K * (1 - sum);
}

/* Three values in the order F/u or F, T or uT, F' or u^3 F'. */
typedef struct triple {
    double f, t, slope;
} triple;

static double weigh(double factor, double p, double E, double k, double restK) {
    return factor * (p * E + k * restK);
}

static triple uniform(double x, bool spins, double E, double restK) {
    const double a = 4 / (3 * M_PI);
    if (spins)
        return (triple){weigh(a / x, 1 + x, E, -1, restK), weigh(a / 3, 4 - 2 * x, E, -1, restK),
                        weigh(a / x, 2 * x - 1, E, 1, restK)};
    return (triple){weigh(a / x, 1 + x, E, -1, restK),
                    weigh(a / (3 * x * x), 4 * x - 2, E, 2 - 3 * x, restK),
                    weigh(a / (x * x), 2 - x, E, -2, restK)};
}

static triple parabolic(double x, bool spins, double E, double restK) {
    const double b = 16 / (45 * M_PI);
    if (spins)
        return (triple){weigh(b / x, 3 + 7 * x - 2 * x * x, E, -3 - x, restK),
                        weigh(b / 5, 23 - 23 * x + 8 * x * x, E, 4 * x - 8, restK),
                        weigh(b / x, -3 + 13 * x - 8 * x * x, E, 3 - 4 * x, restK)};
    return (triple){
        weigh(b / (x * x), -2 + 7 * x + 3 * x * x, E, 2 - 6 * x, restK),
        weigh(b / (5 * x * x * x), 8 - 23 * x + 23 * x * x, E, -8 + 19 * x - 15 * x * x, restK),
        weigh(b / (x * x * x), -8 + 13 * x - 3 * x * x, E, 8 - 9 * x, restK)};
}

static triple ring(double x, bool spins, double K, double E, double restK) {
    double chord = 2 / (M_PI * x) * (E - restK), whole = 2 * E / M_PI,
           slope = 2 / (M_PI * x) * (K - E);
    return spins ? (triple){chord, whole, slope} : (triple){whole, chord, slope};
}

/* u <= 1: spins, x = m; else x = n; rest = 1 - x */
static triple hertz(double x, double rest, bool spins) {
    const double c = 3 * M_PI / 32;
    if (spins)
        return (triple){c * (4 - x), c / 4 * (8 - 8 * x + 3 * x * x), c * (4 - 3 * x)};
    double m = 1 / x, u = sqrt(m), S = sqrt(rest / x), A = atan2(1, S);
    return (triple){3. / 16 * (u * (4 - m) * A + (m + 2) * S / u),
                    u * 3. / 64 * ((8 - 8 * m + 3 * m * m) * A + (6 - 3 * m) * S),
                    u * m * 3. / 16 * ((4 - 3 * m) * A + (3 - 2 * x) * S)};
}

/* 2 x - 27/32 x^3 = u y(x) says that the normal is (u, 1); one zero, to the left of where the slope changes its sign */
static triple printed_spins(double u) {
    const double force = 9 * M_PI / 32, torque = 9 * M_PI / 128;
    double x = 0.9366 * u, y = 0, slope = 1;
    for (int step = 0; step < NEWTON_STEPS; step++) {
        double m = x * x, rest = sqrt(1 - 9. / 8 * m + 243. / 1024 * m * m);
        y = 8. / 3 * rest;
        slope = 2 - 81. / 32 * m + u * 8. / 3 * x * (9. / 8 - 243. / 512 * m) / rest;
        double change = (u * y - 2 * x + 27. / 32 * m * x) / slope;
        x += change;
        if (fabs(change) <= DBL_EPSILON)
            break;
    }
    return (triple){u > 0 ? force * x / u : force * 4 / 3, torque * y, force * y / slope};
}

/* the same of 5 T - 150/7 T^3 = s F(T), s = 1/u */
static triple printed_slips(double s) {
    double T = 0.2247 * s, F = 1, slope = 5;
    for (int step = 0; step < NEWTON_STEPS; step++) {
        double m = T * T;
        F = sqrt(1 - 5 * m + 75. / 7 * m * m);
        slope = 5 - 450. / 7 * m + s * T * (5 - 150. / 7 * m) / F;
        double change = (s * F - 5 * T + 150. / 7 * m * T) / slope;
        T += change;
        if (fabs(change) <= DBL_EPSILON)
            break;
    }
    return (triple){F, s > 0 ? T / s : 0.2, F / slope};
}

double zw_contensou_tip(double nu) {
    if (nu == ZW_NU_PRINTED)
        nu = 0.5;
    return tgamma(1.5) * tgamma(nu + 2) / tgamma(nu + 2.5);
}

static triple by_series(double nu, double x, bool spins) {
    if (spins) {
        double tau = zw_contensou_tip(nu), c = tau * (nu + 1.5);
        return (triple){c * series(0.5, -nu - 0.5, 2, x), tau * series(0.5, -nu - 1.5, 1, x),
                        c * series(1.5, -nu - 0.5, 2, x)};
    }
    double part = 1 / (2 * nu + 4);
    return (triple){series(-0.5, 0.5, nu + 2, x), part * series(0.5, 0.5, nu + 3, x),
                    part * series(1.5, 0.5, nu + 3, x)};
}

static triple values(double nu, double x, double rest, bool spins) {
    double K = 0, E = 1, restK = 0;
    if (nu == 0.5 && (spins || x > SERIES_MAX))
        return hertz(x, rest, spins);
    if (x <= SERIES_MAX)
        return by_series(nu, x, spins);
    if (rest > 0) {
        elliptic(rest, &K, &E);
        restK = rest * K;
    }
    return nu == 0   ? uniform(x, spins, E, restK)
           : nu == 1 ? parabolic(x, spins, E, restK)
                     : ring(x, spins, rest > 0 ? K : 1 / DBL_EPSILON, E, restK);
}

zw_contensou zw_contensou_at(double nu, double v, double w) {
    bool spins = v <= w;
    double small = spins ? v : w, large = spins ? w : v, u = small / large;
    triple p = nu == ZW_NU_PRINTED
                   ? (spins ? printed_spins(u) : printed_slips(u))
                   : values(nu, u * u, (large - small) * (large + small) / (large * large), spins);
    if (spins) /* u = v/w */
        return (zw_contensou){p.f * u, p.t, p.f / w, p.slope / w, {1, -u}};
    return (zw_contensou){p.f, p.t * u, p.f / v, p.slope / v, {u, -1}};
}
