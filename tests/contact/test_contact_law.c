/* SPDX-License-Identifier: MIT */
/* The sets of friction against integrals over the patch, differences, and brute force. */
#include <math.h>

#include "base/random.h"
#include "contact/contensou.h"
#include "contact/law.h"
#include "test.h"

static const double pressures[] = {-1, 0, 0.5, 1};

static zw_friction contensou(double nu) {
    zw_friction f = zw_friction_block(ZW_FRICTION_CONTENSOU, 3, 1);
    f.nu = nu;
    return f;
}

/* The mean of |v + w s (turned)| over a patch with pressure (1 - s^2)^nu: 1 - s^2 = x^(1/(nu+1)) makes the pressure uniform in
 * x. Smooth for v > w. */
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contact_law__contensou_is_the_integral),
        cmocka_unit_test(test_contact_law__contensou_is_continuous),
        cmocka_unit_test(test_contact_law__derivatives),
        cmocka_unit_test(test_contact_law__gauge_undoes_support),
        cmocka_unit_test(test_contact_law__nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
