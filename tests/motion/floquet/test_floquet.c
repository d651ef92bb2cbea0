/* SPDX-License-Identifier: MIT */
/* In inertial coordinates a steady motion that turns is periodic, and the linear equations of its
 * disturbances,
 *
 *     Phi' = Df(x(t)) Phi,     x' = f(x) = sum c_i X_i(x),
 *
 * are so, too. (The path is followed along the symmetries: by f it would be lost on the way back,
 * where what dies out grows by up to 14 decades.) Floquet's multipliers, the eigenvalues of Phi
 * over a period within the constraints, are exp(lambda T) of the eigenvalues that moving along
 * gives, without any integration. Multipliers that are very small are those of the way back. */
#include <complex.h>

#include "num/linear/dense.h"
#include "support/steady_model.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

static steady_model m;

/* the rates of (x, Phi), Phi of d columns */
static void rates(int d, const double *y, double *dy) {
    static double J[STEADY_MAX * STEADY_MAX], X[STEADY_MAX * STEADY_MAX];
    int nx = m.kernel->nx;
    if (zw_symmetries_at(&m.symmetries, m.flow, 0, y, NULL, X, &m.err) < 0 ||
        zw_flow_jacobian(m.flow, 0, y, J, NULL, &m.err) < 0)
        fail_msg("%s", m.err.text);
    zw_dense_multiply(1, m.symmetries.n, nx, m.at.c, X, dy);
    zw_dense_multiply(nx, nx, d, J, y + nx, dy + nx);
}

/* at the end of the path its rate is still that of the motion */
static void expect_on_path(const double *x) {
    double f[STEADY_MAX], dx[STEADY_MAX];
    int nx = m.kernel->nx;
    assert_true(zw_flow_rates(m.flow, 0, x, f, NULL, &m.err) >= 0);
    rates(0, x, dx);
    for (int i = 0; i < nx; i++)
        assert_true(fabs(f[i] - dx[i]) <= 1e-9 * m.scale[i] * fabs(m.at.c[m.symmetries.n - 1]));
}

/* over a time, by steps of the classical method of Runge and Kutta of fourth order */
static void integrate(int d, double time, int steps, double *y) {
    static double k[4][STEADY_MAX * STEADY_MAX], z[STEADY_MAX * STEADY_MAX];
    static const double at[] = {0, 0.5, 0.5, 1}, weight[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    int n = m.kernel->nx * (d + 1);
    double h = time / steps;
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < n; j++)
                z[j] = y[j] + (i ? h * at[i] * k[i - 1][j] : 0);
            rates(d, z, k[i]);
        }
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < n; j++)
                y[j] += h * weight[i] * k[i][j];
    }
}

/* the multipliers of a time (negative: of the way back), d of them */
static int multipliers(double time, int steps, double complex *out) {
    static double T[STEADY_MAX * STEADY_MAX], D[STEADY_MAX * STEADY_MAX],
        y[STEADY_MAX * STEADY_MAX], M[STEADY_MAX * STEADY_MAX];
    int nx = m.kernel->nx, d;
    zw_arena arena;
    zw_dense_eigen e;
    assert_true(zw_flow_tangent(m.flow, 0, m.at.x, ZW_METRIC_MASS, &d, T, D, &m.err) >= 0);
    memcpy(y, m.at.x, sizeof(double) * (size_t)nx);
    memcpy(y + nx, T, sizeof(double) * (size_t)(nx * d));
    integrate(d, time, steps, y);
    expect_on_path(y);
    zw_dense_multiply(d, nx, d, D, y + nx, M);
    zw_arena_init(&arena, NULL);
    assert_true(zw_dense_eigenvalues(&arena, d, M, &e));
    for (int i = 0; i < d; i++)
        out[i] = e.re[i] + e.im[i] * I;
    zw_arena_clear(&arena);
    return d;
}

/* every eigenvalue but zeros is an exponent, up to a multiple of i Omega, to so many 1/s */
static void expect_exponents(double period, int steps, double tolerance) {
    double complex there[STEADY_MAX], back[STEADY_MAX];
    int d = multipliers(period, steps, there), compared = 0;
    assert_int_equal(multipliers(-period, steps, back), d);
    for (int i = 0; i < m.linear.n; i++) {
        double complex lambda = m.linear.re[i] + m.linear.im[i] * I, mu = cexp(lambda * period);
        bool small = cabs(mu) < 1e-4;
        double least = INFINITY;
        if (cabs(lambda) < 1e-4)
            continue;
        for (int k = 0; k < d; k++)
            least = fmin(least, cabs(small ? back[k] * mu - 1 : there[k] / mu - 1));
        if (!(least / period <= tolerance * cabs(lambda)))
            fail_msg("the exponent nearest to %.12g%+.12gi is %.3g away", m.linear.re[i],
                     m.linear.im[i], least / period);
        compared++;
    }
    assert_int_equal(compared, m.linear.n - m.linear.nzero);
}

/* the spinning tippedisk, x y z and Euler angles in space; from growing modes to one that is gone
 * after a tenth of a turn */
static void test_floquet__tippedisk(void **state) {
    (void)state;
    static const double Omega[] = {30.104878352, 40, 50};
    for (int i = 0; i < 3; i++) {
        steady_open(&m, MODEL("tippedisk"), "lagrange");
        steady_hold(&m, "alpha'", Omega[i]);
        m.x[steady_entry(&m, "gamma")] = M_PI / 2;
        steady_solve(&m);
        assert_int_equal(m.linear.n, 7);
        expect_exponents(2 * M_PI / Omega[i], 6000, 1e-9);
        steady_close(&m);
    }
}

/* a disc that rolls in a circle */
static void test_floquet__rolling_disc(void **state) {
    (void)state;
    steady_open(&m, MODEL("rolling_disc"), "lagrange");
    steady_hold(&m, "alpha'", 6);
    steady_hold(&m, "beta", 70 * M_PI / 180);
    steady_solve(&m);
    assert_int_equal(m.linear.n, 4);
    expect_exponents(2 * M_PI / 6, 2000, 1e-9);
    steady_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_floquet__tippedisk),
        cmocka_unit_test(test_floquet__rolling_disc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
