/* SPDX-License-Identifier: MIT */
/* Friction of a round patch that slips with v and spins with w = R omega under a pressure (1 -
 * s^2)^nu, s = r/R. Integrating Coulomb's law over the patch gives the support function of a convex
 * body of revolution,
 *
 *     D(v, w) = |w| (u F + T),   u = v/|w|,   grad D = (F d, T sgn w),   d the direction of slip,
 *
 * with F and T by hypergeometric functions h of m = u^2 or n = 1/m (P. Contensou, 1962; integrals
 * by series):
 *
 *     u <= 1: F = c u h(1/2,-nu-1/2;2;m)   T = tau h(1/2,-nu-3/2;1;m)
 *             F' = c h(3/2,-nu-1/2;2;m)
 *     u >= 1: F = h(-1/2,1/2;nu+2;n)       u T = h(1/2,1/2;nu+3;n)/(2nu+4)
 *             u^3 F' = h(3/2,1/2;nu+3;n)/(2nu+4)
 *
 * Series for small arguments; elliptic integrals E and K (nu = -1, 0, 1) or elementary functions
 * (nu = 1/2) for others.
 *
 * ZW_NU_PRINTED: for Hertz's pressure the literature prints (R. I. Leine, C. Glocker, 2003; S.
 * Sailer, 2023) Taylor series of the boundary about its two tips, with x = F/F*, y = T/T*, F* = 9
 * pi/32 and T* = 9 pi/128,
 *
 *     9/64 y^2 + 9/8 x^2 - 243/1024 x^4 = 1  near the tip of spin,
 *     F^2 + 5 T^2 - 75/7 T^4 = 1             near the tip of slip,
 *
 * which do not meet. Here the boundary point with normal (u, 1) is that of the first curve for u <=
 * 1 and that of the second for u > 1. It jumps from (0.8275, 0.2607) to (0.8803, 0.2247), towards
 * more slip: the law dissipates and is monotone, and at u = 1 every point between the two is
 * allowed.
 *
 * The boundary is a curve over the angle of the normal, v = sin, w = cos, on which gauge and
 * projection are the zeros of monotone functions. */
#include "contensou.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "zwang/friction.h"

#define SERIES_MAX 0.36 /* m or n up to which 30 terms suffice: 0.36^30/30 = 2e-15 */
/* Difference of sine and cosine of the normal at which the search has ended at the jump of the
 * printed law. Its angle is exact to 2 eps; a zero outside the jump shows by signs in fill_jump. */
#define JUMP_REACHED 1e-12
enum { SERIES_TERMS = 30, AGM_STEPS = 12, NEWTON_STEPS = 20, SEARCH_STEPS = 60 };

static double sum_hypergeometric(double a, double b, double c, double x) {
    double term = 1, sum = 1;
    for (int k = 0; k < SERIES_TERMS && fabs(term) > DBL_EPSILON / 8; k++) {
        term *= (a + k) * (b + k) / ((c + k) * (k + 1)) * x;
        sum += term;
    }
    return sum;
}

/* complete elliptic integrals with squared modulus 1 - rest, 0 < rest <= 1 */
static void evaluate_elliptic(double rest, double *K, double *E) {
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

/* F/u or F, T or uT, F' or u^3 F', in this order */
typedef struct triple {
    double f, t, slope;
} triple;

static double weighted_sum(double factor, double p, double E, double k, double restK) {
    return factor * (p * E + k * restK);
}

static triple evaluate_uniform(double x, bool spins, double E, double restK) {
    const double a = 4 / (3 * M_PI);
    if (spins)
        return (triple){weighted_sum(a / x, 1 + x, E, -1, restK),
                        weighted_sum(a / 3, 4 - 2 * x, E, -1, restK),
                        weighted_sum(a / x, 2 * x - 1, E, 1, restK)};
    return (triple){weighted_sum(a / x, 1 + x, E, -1, restK),
                    weighted_sum(a / (3 * x * x), 4 * x - 2, E, 2 - 3 * x, restK),
                    weighted_sum(a / (x * x), 2 - x, E, -2, restK)};
}

static triple evaluate_parabolic(double x, bool spins, double E, double restK) {
    const double b = 16 / (45 * M_PI);
    if (spins)
        return (triple){weighted_sum(b / x, 3 + 7 * x - 2 * x * x, E, -3 - x, restK),
                        weighted_sum(b / 5, 23 - 23 * x + 8 * x * x, E, 4 * x - 8, restK),
                        weighted_sum(b / x, -3 + 13 * x - 8 * x * x, E, 3 - 4 * x, restK)};
    return (triple){weighted_sum(b / (x * x), -2 + 7 * x + 3 * x * x, E, 2 - 6 * x, restK),
                    weighted_sum(b / (5 * x * x * x), 8 - 23 * x + 23 * x * x, E,
                                 -8 + 19 * x - 15 * x * x, restK),
                    weighted_sum(b / (x * x * x), -8 + 13 * x - 3 * x * x, E, 8 - 9 * x, restK)};
}

static triple evaluate_ring(double x, bool spins, double K, double E, double restK) {
    double chord = 2 / (M_PI * x) * (E - restK), whole = 2 * E / M_PI,
           slope = 2 / (M_PI * x) * (K - E);
    return spins ? (triple){chord, whole, slope} : (triple){whole, chord, slope};
}

/* u <= 1: spins, x = m; else x = n; rest = 1 - x */
static triple evaluate_hertz(double x, double rest, bool spins) {
    const double c = 3 * M_PI / 32;
    if (spins)
        return (triple){c * (4 - x), c / 4 * (8 - 8 * x + 3 * x * x), c * (4 - 3 * x)};
    double m = 1 / x, u = sqrt(m), S = sqrt(rest / x), A = atan2(1, S);
    return (triple){3. / 16 * (u * (4 - m) * A + (m + 2) * S / u),
                    u * 3. / 64 * ((8 - 8 * m + 3 * m * m) * A + (6 - 3 * m) * S),
                    u * m * 3. / 16 * ((4 - 3 * m) * A + (3 - 2 * x) * S)};
}

/* The normal is (u, 1) where 2 x - 27/32 x^3 = u y(x); one zero, to the left of the point where the
 * slope changes its sign. */
static triple printed_spins(double u) {
    const double force = 9 * M_PI / 32, torque = 9 * M_PI / 128;
    double x = 0.9366 * u /* that of the point with normal (1, 1) */, y = 0, slope = 1;
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

/* the same for 5 T - 150/7 T^3 = s F(T), s = 1/u */
static triple printed_slips(double s) {
    double T = 0.2247 * s /* likewise */, F = 1, slope = 5;
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
        return (triple){c * sum_hypergeometric(0.5, -nu - 0.5, 2, x),
                        tau * sum_hypergeometric(0.5, -nu - 1.5, 1, x),
                        c * sum_hypergeometric(1.5, -nu - 0.5, 2, x)};
    }
    double part = 1 / (2 * nu + 4);
    return (triple){sum_hypergeometric(-0.5, 0.5, nu + 2, x),
                    part * sum_hypergeometric(0.5, 0.5, nu + 3, x),
                    part * sum_hypergeometric(1.5, 0.5, nu + 3, x)};
}

static triple evaluate_triple(double nu, double x, double rest, bool spins) {
    double K = 0, E = 1, restK = 0;
    if (nu == 0.5 && (spins || x > SERIES_MAX))
        return evaluate_hertz(x, rest, spins);
    if (x <= SERIES_MAX)
        return by_series(nu, x, spins);
    if (rest > 0) {
        evaluate_elliptic(rest, &K, &E);
        restK = rest * K;
    }
    return nu == 0   ? evaluate_uniform(x, spins, E, restK)
           : nu == 1 ? evaluate_parabolic(x, spins, E, restK)
                     : evaluate_ring(x, spins, rest > 0 ? K : 1 / DBL_EPSILON, E, restK);
}

zw_contensou zw_contensou_at(double nu, double v, double w) {
    bool spins = v <= w;
    double small = spins ? v : w, large = spins ? w : v, u = small / large;
    triple p = nu == ZW_NU_PRINTED
                   ? (spins ? printed_spins(u) : printed_slips(u))
                   : evaluate_triple(nu, u * u, (large - small) * (large + small) / (large * large),
                                     spins);
    if (spins) /* u = v/w */
        return (zw_contensou){p.f * u, p.t, p.f / w, p.t / w, p.slope / w, {1, -u}};
    return (zw_contensou){p.f, p.t * u, p.f / v, p.t / v, p.slope / v, {u, -1}};
}

/* ---- points of the boundary ---- */

/* The zero of a function of the angle that increases from below to above zero; a value_function
 * returns its value and slope at the current point. */
typedef struct search {
    double nu, X, Y;
    double across, along;   /* weights of slip and spin in distances */
    zw_contensou_point now; /* at the last angle */
} search;
typedef double value_function(const search *, double *slope);

/* d(F, T)/d(angle) = curvature (cosine, -sine) */
static double boundary_curvature(const zw_contensou_point *p) {
    double along = p->c.a[0] * p->cosine - p->c.a[1] * p->sine;
    return p->c.bend * along * along;
}

/* parallel to the boundary point: F Y - T X */
static double parallel_value(const search *s, double *slope) {
    const zw_contensou_point *p = &s->now;
    *slope = boundary_curvature(p) * (p->cosine * s->Y + p->sine * s->X);
    return p->c.F * s->Y - p->c.T * s->X;
}

/* zero where (X, Y) is on the normal: (Y - T) sin - (X - F) cos, each with its weight */
static double normal_value(const search *s, double *slope) {
    const zw_contensou_point *p = &s->now;
    double x = (s->X - p->c.F) * s->across, y = (s->Y - p->c.T) * s->along;
    *slope =
        boundary_curvature(p) * (s->along * p->sine * p->sine + s->across * p->cosine * p->cosine) +
        x * p->sine + y * p->cosine;
    return y * p->sine - x * p->cosine;
}

/* Where the printed law jumps and the zero is in the jump: interpolates between its two ends. */
static void fill_jump(search *s, value_function *value_at) {
    double slope, before, after;
    s->now.sine = s->now.cosine = M_SQRT1_2;
    zw_contensou spins = s->now.c = zw_contensou_at(s->nu, 1, 1);
    before = value_at(s, &slope);
    zw_contensou slips = s->now.c = zw_contensou_at(s->nu, 1, 1 - DBL_EPSILON);
    after = value_at(s, &slope);
    if (!(before < 0 && after > 0))
        return;
    double fraction = before / (before - after);
    s->now.c.F = spins.F + fraction * (slips.F - spins.F);
    s->now.c.T = spins.T + fraction * (slips.T - spins.T);
}

/* Newton's method with bisection, from the normal of the ellipsoid that touches the body at its
 * tips. */
static zw_contensou_point find_angle(search *s, value_function *value_at) {
    double tip = zw_contensou_tip(s->nu), low = 0, high = M_PI_2,
           angle = fmin(fmax(atan2(s->X, s->Y / (tip * tip)), low), high);
    for (int step = 0; step < SEARCH_STEPS; step++) {
        double slope;
        s->now.sine = sin(angle);
        s->now.cosine = angle == M_PI_2 ? 0 : cos(angle);
        s->now.c = zw_contensou_at(s->nu, s->now.sine, s->now.cosine);
        double value = value_at(s, &slope);
        if (value == 0)
            return s->now;
        *(value < 0 ? &low : &high) = angle;
        double next = angle - value / slope;
        if (!(next > low && next < high))
            next = 0.5 * (low + high);
        if (fabs(next - angle) <= 2 * DBL_EPSILON || next == angle)
            break;
        angle = next;
    }
    if (s->nu == ZW_NU_PRINTED && fabs(s->now.sine - s->now.cosine) <= JUMP_REACHED)
        fill_jump(s, value_at);
    return s->now;
}

zw_contensou_point zw_contensou_parallel(double nu, double X, double Y) {
    search s = {.nu = nu, .X = X, .Y = Y};
    return find_angle(&s, parallel_value);
}

zw_contensou_point zw_contensou_nearest(double nu, double X, double Y, double across,
                                        double along) {
    search s = {.nu = nu, .X = X, .Y = Y, .across = across, .along = along};
    return find_angle(&s, normal_value);
}

/* ---- functions of squares ---- */

static const double pressures[] = {-1, 0, 0.5, 1};

int zw_patch_code(double nu, zw_patch_function f) {
    for (int i = 0; i < (int)(sizeof pressures / sizeof *pressures); i++)
        if (pressures[i] == nu)
            return i * ZW_PATCH_COUNT + (int)f;
    return -1;
}

double zw_patch_nu(int code) {
    return pressures[code / ZW_PATCH_COUNT];
}

zw_patch_function zw_patch_which(int code) {
    return (zw_patch_function)(code % ZW_PATCH_COUNT);
}

/* P and Q are homogeneous of degree -1/2 in (a, b): a dP/da + b dP/db = -P/2. For small a the
 * series of P, c h(m)/w, is differentiated instead. */
static double slope_of_slip(double nu, double a, double b, double P, double PB) {
    if (a > SERIES_MAX * b)
        return -(P / 2 + b * PB) / a;
    double c = zw_contensou_tip(nu) * (nu + 1.5);
    return c * 0.5 * (-nu - 0.5) / 2 * sum_hypergeometric(1.5, 0.5 - nu, 3, a / b) / (b * sqrt(b));
}

/* the same for Q, h(n)/((2nu+4) v) */
static double slope_of_spin(double nu, double a, double b, double Q, double PB) {
    if (b > SERIES_MAX * a)
        return -(Q / 2 + a * PB) / b;
    return 0.25 / (nu + 3) * sum_hypergeometric(1.5, 1.5, nu + 4, b / a) /
           ((2 * nu + 4) * a * sqrt(a));
}

/* j^2 or its derivatives: with y = grad(j^2/2), which is j/D times the normal, d(j^2)/d(X^2) = y/X
 * and d(j^2)/d(Y^2) likewise. */
static double evaluate_gauge(double nu, zw_patch_function f, double a, double b) {
    double X = sqrt(a), Y = sqrt(b);
    if (!(X > 0 || Y > 0))
        return f == ZW_PATCH_GAUGE_B ? 1 / pow(zw_contensou_tip(nu), 2) : f == ZW_PATCH_GAUGE_A;
    zw_contensou_point p = zw_contensou_parallel(nu, X, Y);
    double D = p.c.F * p.sine + p.c.T * p.cosine, j = (X * p.sine + Y * p.cosine) / D;
    return f == ZW_PATCH_GAUGE     ? j * j
           : f == ZW_PATCH_GAUGE_A ? 1 / (D * p.c.chord)
                                   : 1 / (D * p.c.twist);
}

double zw_patch_value(int code, double a, double b) {
    double nu = zw_patch_nu(code);
    zw_patch_function f = zw_patch_which(code);
    if (f >= ZW_PATCH_GAUGE)
        return evaluate_gauge(nu, f, a, b);
    zw_contensou c = zw_contensou_at(nu, sqrt(a), sqrt(b));
    double PB = -c.bend / (2 * fmax(a, b));
    switch (f) {
    case ZW_PATCH_P:
        return c.chord;
    case ZW_PATCH_Q:
        return c.twist;
    case ZW_PATCH_PA:
        return slope_of_slip(nu, a, b, c.chord, PB);
    case ZW_PATCH_QB:
        return slope_of_spin(nu, a, b, c.twist, PB);
    default:
        return PB;
    }
}
