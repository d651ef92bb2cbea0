/* SPDX-License-Identifier: MIT */
/* The sets of friction against integrals over the patch, differences, and brute force. */
#include <math.h>

#include "base/contensou.h"
#include "base/random.h"
#include "contact/law.h"
#include "support/test.h"

static const double pressures[] = {-1, 0, 0.5, 1};

static zw_friction contensou(double nu) {
    zw_friction f = zw_friction_block(ZW_FRICTION_CONTENSOU, 3, 1);
    f.nu = nu;
    return f;
}

/* The mean of |v + w s (turned)| over a patch with pressure (1 - s^2)^nu: 1 - s^2 = x^(1/(nu+1))
 * makes the pressure uniform in x. Smooth for v > w. */
static double integral(double nu, double v, double w) {
    enum { RADII = 2000, ANGLES = 64 };
    double sum = 0;
    for (int i = 0; i < RADII; i++) {
        double x = (i + 0.5) / RADII, s = nu < 0 ? 1 : sqrt(1 - pow(x, 1 / (nu + 1)));
        for (int k = 0; k < ANGLES; k++) {
            double angle = 2 * M_PI * (k + 0.5) / ANGLES;
            sum += hypot(v - w * s * sin(angle), w * s * cos(angle));
        }
    }
    return sum / RADII / ANGLES;
}

static void test_contact_law__contensou_is_the_integral(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++)
        for (double v = 1.5; v < 100; v *= 3) {
            zw_contensou c = zw_contensou_at(pressures[i], v, 1);
            assert_close(v * c.F + c.T, integral(pressures[i], v, 1), 1e-6);
        }
    /* uniform: the largest torque is 2/3, the slope of small slip 1; both sides of u = 1 */
    assert_close(zw_contensou_at(0, 0, 1).T, 2. / 3, 1e-15);
    assert_close(zw_contensou_at(0, 0, 1).chord, 1, 1e-15);
    assert_close(zw_contensou_at(0, 1, 1).F, 8 / (3 * M_PI), 1e-15);
    assert_close(zw_contensou_at(0.5, 1, 1).F, 9 * M_PI / 32, 1e-15);
    assert_close(zw_contensou_at(0.5, 1, 1).T, 9 * M_PI / 128, 1e-15);
    assert_close(zw_contensou_at(0.5, 0, 1).T, 3 * M_PI / 16, 1e-15);
    assert_close(zw_contensou_at(1, 0, 1).T, 8. / 15, 1e-15);
    assert_close(zw_contensou_at(-1, 1, 1).F, 2 / M_PI, 1e-15);
}

/* series, elliptic integrals and elementary functions meet where one takes over from the other */
static void test_contact_law__contensou_is_continuous(void **state) {
    (void)state;
    const double seam[] = {0.6, 1, 1 / 0.6};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            zw_contensou a = zw_contensou_at(pressures[i], seam[k] * (1 - 1e-9), 1),
                         b = zw_contensou_at(pressures[i], seam[k] * (1 + 1e-9), 1);
            assert_close(a.F, b.F, 1e-7);
            assert_close(a.T, b.T, 1e-7);
            if (pressures[i] >= 0)
                assert_close(a.bend * a.a[0] * a.a[0], b.bend * b.a[0] * b.a[0], 1e-6);
        }
}

static void random_vector(zw_random *random, int n, double *x) {
    for (int i = 0; i < n; i++)
        x[i] = zw_random_real(random, -1, 1) * exp(zw_random_real(random, -2, 2));
}

static zw_friction any_law(int which) {
    zw_friction f = contensou(which < 4 ? pressures[which] : 0.5);
    if (which >= 4) {
        f = zw_friction_block(ZW_FRICTION_ELLIPSOID, which - 3, 1);
        for (int a = 0; a < f.nrow; a++)
            f.axis[a] = 1 / (1 + 0.7 * a);
    }
    return f;
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void test_contact_law__derivatives(void **state) {
    (void)state;
    zw_random random = zw_random_stream(1, 1);
    for (int which = 0; which < 7; which++)
        for (int trial = 0; trial < 40; trial++) {
            zw_friction f = any_law(which);
            zw_law_support s, ahead, behind;
            double y[3], d[3], x[3], step = 1e-6;
            int n = f.nrow;
            random_vector(&random, n, y);
            random_vector(&random, n, d);
            zw_law_support_at(&f, y, &s);
            assert_close(dot(n, s.gradient, y), s.D, 1e-13 * s.D);
            for (int i = 0; i < n; i++)
                x[i] = y[i] + step * d[i];
            zw_law_support_at(&f, x, &ahead);
            for (int i = 0; i < n; i++)
                x[i] = y[i] - step * d[i];
            zw_law_support_at(&f, x, &behind);
            double size = sqrt(dot(n, d, d) / dot(n, y, y));
            if (size > 20)
                continue;
            assert_close((ahead.D - behind.D) / (2 * step), dot(n, s.gradient, d),
                         1e-8 * (1 + size * s.D));
            for (int i = 0; i < n; i++)
                assert_close((ahead.gradient[i] - behind.gradient[i]) / (2 * step),
                             dot(n, s.hessian + i * n, d), 1e-6 * (1 + size * size));
        }
}

static void test_contact_law__gauge_undoes_support(void **state) {
    (void)state;
    zw_random random = zw_random_stream(2, 1);
    for (int which = 0; which < 7; which++)
        for (int trial = 0; trial < 40; trial++) {
            zw_friction f = any_law(which);
            zw_law_gauge g;
            zw_law_support s;
            double b[3];
            int n = f.nrow;
            random_vector(&random, n, b);
            zw_law_gauge_at(&f, b, &g);
            zw_law_support_at(&f, g.y, &s);
            assert_close(g.j, s.D, 1e-12 * s.D); /* j(b) = D(y) */
            for (int i = 0; i < n; i++) {
                assert_close(s.D * s.gradient[i], b[i], 1e-12 * g.j);
                assert_close(dot(n, g.B + i * n, g.y), b[i], 1e-11 * g.j);
            }
        }
}

/* no point of the boundary is nearer */
static void test_contact_law__nearest(void **state) {
    (void)state;
    zw_random random = zw_random_stream(3, 1);
    for (int which = 0; which < 7; which++)
        for (int trial = 0; trial < 20; trial++) {
            zw_friction f = any_law(which);
            double x[3], p[3], size = exp(zw_random_real(&random, -2, 2)), mine = 0;
            int n = f.nrow;
            random_vector(&random, n, x);
            bool out = zw_law_nearest(&f, size, x, p);
            assert_int_equal(out, zw_law_gauge_value(&f, x) > size);
            for (int i = 0; i < n; i++)
                mine += (x[i] - p[i]) * (x[i] - p[i]);
            if (!out) {
                assert_true(mine == 0);
                continue;
            }
            assert_close(zw_law_gauge_value(&f, p), size, 1e-12 * size);
            for (int k = 0; k < 500; k++) {
                zw_law_support s;
                double y[3], other = 0;
                random_vector(&random, n, y);
                zw_law_support_at(&f, y, &s);
                for (int i = 0; i < n; i++)
                    other += (x[i] - size * s.gradient[i]) * (x[i] - size * s.gradient[i]);
                assert_true(other >= mine * (1 - 1e-12) - 1e-15);
            }
        }
}

/* in a metric: no point of the boundary is nearer, and the way there is normal to it */
static void test_contact_law__nearest_in_a_metric(void **state) {
    (void)state;
    enum { POINTS = 2000 };
    zw_random random = zw_random_stream(4, 1);
    for (int which = 0; which < 7; which++)
        for (int trial = 0; trial < 60; trial++) {
            zw_friction f = any_law(which);
            double x[3], p[3], v[3], rho[3], mine = 0, size = exp(zw_random_real(&random, -2, 2));
            int n = f.nrow;
            random_vector(&random, n, x);
            for (int i = 0; i < n; i++)
                rho[i] = exp(zw_random_real(&random, -3.5, 3.5)); /* ratios to 1e3 */
            rho[1] = rho[0];                                      /* slips have one */
            if (!zw_law_nearest_in(&f, size, rho, x, p))
                continue;
            for (int i = 0; i < n; i++) {
                v[i] = (x[i] - p[i]) / rho[i];
                mine += (x[i] - p[i]) * v[i];
            }
            zw_law_support s;
            zw_law_support_at(&f, v, &s);
            for (int i = 0; i < n; i++)
                assert_close(size * s.gradient[i], p[i], 1e-9 * size);
            assert_close(dot(n, v, p), size * s.D, 1e-12 * size * s.D);
            for (int k = 0; k < POINTS; k++) {
                double y[3], other = 0;
                random_vector(&random, n, y);
                zw_law_support_at(&f, y, &s);
                for (int i = 0; i < n; i++)
                    other += (x[i] - size * s.gradient[i]) * (x[i] - size * s.gradient[i]) / rho[i];
                assert_true(other >= mine * (1 - 1e-12));
            }
        }
}

/* r = -mu N grad D D/(D + smooth) at the slip v for which r = x + rho v */
static void test_contact_law__resolves_smoothed_laws(void **state) {
    (void)state;
    zw_random random = zw_random_stream(5, 1);
    for (int which = 0; which < 7; which++)
        for (int trial = 0; trial < 40; trial++) {
            zw_friction f = any_law(which);
            double x[3], r[3], v[3], rho[3], smooth = exp(zw_random_real(&random, -6, 2)),
                                             whole = exp(zw_random_real(&random, -2, 2));
            int n = f.nrow;
            random_vector(&random, n, x);
            for (int i = 0; i < n; i++)
                rho[i] = exp(zw_random_real(&random, -2, 2));
            rho[1] = rho[0];
            zw_law_resolve(&f, whole, smooth, rho, x, r);
            for (int i = 0; i < n; i++)
                v[i] = (r[i] - x[i]) / rho[i];
            zw_law_support s;
            zw_law_support_at(&f, v, &s);
            for (int i = 0; i < n; i++)
                assert_close(r[i], -whole * s.gradient[i] * s.D / (s.D + smooth), 1e-8 * whole);
        }
}

/* the integrals of Contensou's law over the patch once more, by its gradient, to many digits where
 * they are smooth */
static void test_contact_law__contensou_forces(void **state) {
    (void)state;
    enum { RADII = 400, ANGLES = 400 };
    static const double node[] = {-0.8611363115940526, -0.3399810435848563, 0.3399810435848563,
                                  0.8611363115940526},
                        weight[] = {0.3478548451374538, 0.6521451548625461, 0.6521451548625461,
                                    0.3478548451374538};
    for (int which = 1; which < 4; which++) /* a ring is a circle: no radii */
        for (double v = 1.3; v < 40; v *= 2.7) {
            double F = 0, T = 0, nu = pressures[which], all = 0;
            for (int i = 0; i < RADII; i++) /* s = sin a, pressure s cos^(2 nu) cos da */
                for (int k = 0; k < 4; k++) {
                    double a = M_PI_2 * (i + 0.5 + 0.5 * node[k]) / RADII,
                           p = weight[k] * sin(a) * pow(cos(a), 2 * nu + 1);
                    all += p;
                    for (int j = 0; j < ANGLES; j++) {
                        double s = sin(a), c = cos(2 * M_PI * j / ANGLES),
                               speed = sqrt(v * v + s * s - 2 * v * s * c);
                        F += p * (v - s * c) / speed / ANGLES;
                        T += p * s * (s - v * c) / speed / ANGLES;
                    }
                }
            zw_contensou c = zw_contensou_at(nu, v, 1);
            assert_close(c.F, F / all, 1e-13);
            assert_close(c.T, T / all, 1e-13);
        }
}

/* Where it spins more than it slips: polar coordinates about the point that is at rest, at v from
 * the middle, where the speed is the distance; D = mean of the distance. Uniform and parabolic
 * pressures have the radial integral in closed form. */
static void test_contact_law__contensou_about_its_pole(void **state) {
    (void)state;
    enum { ANGLES = 4000 };
    for (double v = 0.05; v < 0.95; v += 0.15) {
        double uniform = 0, parabolic = 0;
        for (int k = 0; k < ANGLES; k++) {
            double c = cos(2 * M_PI * k / ANGLES), s2 = 1 - c * c,
                   R = -v * c + sqrt(1 - v * v * s2); /* the rim */
            uniform += R * R * R / 3;
            parabolic +=
                (1 - v * v) * R * R * R / 3 - 2 * v * c * R * R * R * R / 4 - R * R * R * R * R / 5;
        }
        uniform *= 2 * M_PI / ANGLES / M_PI;
        parabolic *= 2 * M_PI / ANGLES / (M_PI / 2);
        zw_contensou a = zw_contensou_at(0, v, 1), b = zw_contensou_at(1, v, 1);
        assert_close(v * a.F + a.T, uniform, 1e-14);
        assert_close(v * b.F + b.T, parabolic, 1e-14);
    }
}

/* sum of the hypergeometric series, slowly and with more digits */
static long double hypergeometric(long double a, long double b, long double c, long double x) {
    long double term = 1, sum = 1;
    for (int k = 0; k < 4000 && fabsl(term) > 1e-22L; k++) {
        term *= (a + k) * (b + k) / ((c + k) * (k + 1)) * x;
        sum += term;
    }
    return sum;
}

/* over twelve decades of slip by spin, all pressures */
static void test_contact_law__contensou_to_the_last_digits(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++)
        for (double u = 1e-6; u < 1e6; u *= 1.37) {
            long double nu = pressures[i], m = (long double)u * u, n = 1 / m, F, T, slope,
                        part = 1 / (2 * nu + 4),
                        tau = tgammal(1.5L) * tgammal(nu + 2) / tgammal(nu + 2.5L),
                        c = tau * (nu + 1.5L);
            if (fabs(u - 1) < 0.01)
                continue;
            if (u < 1) {
                F = c * u * hypergeometric(0.5L, -nu - 0.5L, 2, m);
                T = tau * hypergeometric(0.5L, -nu - 1.5L, 1, m);
                slope = c * hypergeometric(1.5L, -nu - 0.5L, 2, m);
            } else {
                F = hypergeometric(-0.5L, 0.5L, nu + 2, n);
                T = part * hypergeometric(0.5L, 0.5L, nu + 3, n) / u;
                slope = part * hypergeometric(1.5L, 0.5L, nu + 3, n) / (m * u);
            }
            zw_contensou k = zw_contensou_at(pressures[i], u, 1);
            double bend = u < 1 ? k.bend : k.bend / (u * u); /* with a = (u, -1) there */
            assert_true(fabsl(k.F - F) <= 4e-15L * F);
            assert_true(fabsl(k.T - T) <= 1e-14L * T);
            assert_true(fabsl(bend - slope) <= 2e-13L * slope);
        }
}

/* The series that are printed: the normal at their points, the jump of the rule, the two tips of
 * Hertz's set. */
static void test_contact_law__printed_series(void **state) {
    (void)state;
    const double force = 9 * M_PI / 32, torque = 9 * M_PI / 128;
    for (double u = 1e-3; u < 1e3; u *= 1.3) {
        zw_contensou c = zw_contensou_at(ZW_NU_PRINTED, u, 1),
                     next = zw_contensou_at(ZW_NU_PRINTED, u * (1 + 1e-6), 1);
        double x = c.F / force, y = c.T / torque, F = c.F, T = c.T, gx, gy;
        if (u <= 1) {
            assert_close(9. / 64 * y * y + 9. / 8 * x * x - 243. / 1024 * x * x * x * x, 1, 1e-14);
            gx = (9. / 4 * x - 243. / 256 * x * x * x) / force;
            gy = 9. / 32 * y / torque;
        } else {
            assert_close(F * F + 5 * T * T - 75. / 7 * T * T * T * T, 1, 1e-14);
            gx = 2 * F;
            gy = 10 * T - 300. / 7 * T * T * T;
        }
        assert_close(gx / gy, u, 1e-12 * u);
        double bend = u <= 1 ? c.bend : c.bend / (u * u);
        assert_close((next.F - F) / (1e-6 * u), bend, 1e-5 * bend + 1e-9 / u);
        assert_close(c.chord, F / u, 1e-14 * c.chord);
    }
    zw_contensou spins = zw_contensou_at(ZW_NU_PRINTED, 1, 1),
                 slips = zw_contensou_at(ZW_NU_PRINTED, 1 + 1e-12, 1);
    assert_close(spins.F, 0.8275, 5e-5);
    assert_close(spins.T, 0.2607, 5e-5);
    assert_close(slips.F, 0.8803, 5e-5);
    assert_close(slips.T, 0.2247, 5e-5);
    for (int i = 0; i < 2; i++) {
        zw_contensou exact = zw_contensou_at(0.5, i, 1 - i),
                     series = zw_contensou_at(ZW_NU_PRINTED, i, 1 - i);
        assert_close(series.F, exact.F, 1e-15);
        assert_close(series.T, exact.T, 1e-15);
        assert_close(series.chord, exact.chord, 1e-14);
        assert_close(series.bend, exact.bend, 1e-14);
    }
}

/* projections go through the jump without one: the points between its ends belong to the law */
static void test_contact_law__printed_jump_is_filled(void **state) {
    (void)state;
    zw_friction f = contensou(ZW_NU_PRINTED);
    double before[3] = {0}, x[3] = {0}, r[3];
    int between = 0;
    for (int i = 0; i <= 4000; i++) {
        double angle = 0.3 + 1.0 * i / 4000;
        x[0] = 3 * sin(angle);
        x[2] = 3 * cos(angle);
        assert_true(zw_law_nearest(&f, 1, x, r));
        double v = x[0] - r[0], w = x[2] - r[2];
        if (i > 0)
            assert_true(hypot(r[0] - before[0], r[2] - before[2]) < 4e-3);
        if (r[0] > 0.8276 && r[0] < 0.8802) { /* on the way the slip equals the spin */
            assert_close(v / w, 1, 1e-9);
            between++;
        }
        memcpy(before, r, sizeof r);
    }
    assert_true(between > 20);
}

/* P = F/v and Q = T/w of the squares of v and w, their derivatives and those of the squared gauge
 * by differences; on both sides of u = 1 and of the places where series take over, and where one of
 * the two velocities is 0 */
static void test_contact_law__functions_of_squares(void **state) {
    (void)state;
    static const struct {
        zw_patch_function f, in_a, in_b;
    } slopes[] = {{ZW_PATCH_P, ZW_PATCH_PA, ZW_PATCH_PB},
                  {ZW_PATCH_Q, ZW_PATCH_PB, ZW_PATCH_QB},
                  {ZW_PATCH_GAUGE, ZW_PATCH_GAUGE_A, ZW_PATCH_GAUGE_B}};
    static const double places[] = {0, 1e-8, 0.1, 0.35, 0.37, 0.8, 1.2, 2.6, 2.9, 40, 1e8};
    for (int i = 0; i < 4; i++)
        for (size_t j = 0; j < sizeof places / sizeof *places; j++) {
            double a = places[j], b = 1;
            zw_contensou c = zw_contensou_at(pressures[i], sqrt(a), 1);
            assert_close(zw_patch_value(zw_patch_code(pressures[i], ZW_PATCH_P), a, b), c.chord, 0);
            assert_close(zw_patch_value(zw_patch_code(pressures[i], ZW_PATCH_Q), a, b), c.T, 1e-15);
            for (int k = 0; k < 3; k++) {
                int f = zw_patch_code(pressures[i], slopes[k].f);
                double h = 1e-5 * fmax(a, 1), low = fmax(a - h, 0), up = a + h,
                       in_a = (zw_patch_value(f, up, b) - zw_patch_value(f, low, b)) / (up - low),
                       in_b =
                           (zw_patch_value(f, a, b + 1e-5) - zw_patch_value(f, a, b - 1e-5)) / 2e-5,
                       size = zw_patch_value(f, a, b), within = a > 1e-4 ? 1e-8 : 1e-4;
                assert_close(zw_patch_value(zw_patch_code(pressures[i], slopes[k].in_a), a, b) *
                                 fmax(a, 1),
                             in_a * fmax(a, 1), within * (1 + size));
                assert_close(zw_patch_value(zw_patch_code(pressures[i], slopes[k].in_b), a, b),
                             in_b, 1e-8 * (1 + size));
            }
        }
    assert_int_equal(zw_patch_code(ZW_NU_PRINTED, ZW_PATCH_P), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contact_law__functions_of_squares),
        cmocka_unit_test(test_contact_law__contensou_is_the_integral),
        cmocka_unit_test(test_contact_law__contensou_is_continuous),
        cmocka_unit_test(test_contact_law__derivatives),
        cmocka_unit_test(test_contact_law__gauge_undoes_support),
        cmocka_unit_test(test_contact_law__nearest),
        cmocka_unit_test(test_contact_law__nearest_in_a_metric),
        cmocka_unit_test(test_contact_law__resolves_smoothed_laws),
        cmocka_unit_test(test_contact_law__contensou_forces),
        cmocka_unit_test(test_contact_law__contensou_about_its_pole),
        cmocka_unit_test(test_contact_law__contensou_to_the_last_digits),
        cmocka_unit_test(test_contact_law__printed_series),
        cmocka_unit_test(test_contact_law__printed_jump_is_filled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
