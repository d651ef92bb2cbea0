/* SPDX-License-Identifier: MIT */
/* Eigenvalues of the steady motions of shipped models against closed forms and published
 * numbers. */
#include <complex.h>

#include "support/test.h"
#include "zwang/equilibria.h"
#include "zwang/zwang.h"

enum { WORDS = 12 };

typedef struct steady {
    zw_context *ctx;
    zw_system *sys;
    zw_equilibria *e;
    const zw_linearisation *a;
} steady;

static steady s;

/* the words of a text, cut in a copy */
static int words(const char *text, const char *separator, char *copy, const char **word) {
    int n = 0;
    snprintf(copy, 512, "%s", text ? text : "");
    for (char *w = strtok(copy, separator); w && n < WORDS; w = strtok(NULL, separator))
        word[n++] = w;
    return n;
}

/* "a=1 [m];b=2", "cog,roll", "alpha';x" may be NULL */
static void find(const char *model, const char *variant, const char *set, const char *with,
                 const char *hold) {
    char path[512], copy[3][512];
    const char *setting[WORDS], *on[WORDS], *held[WORDS];
    zw_model_options read = {.size = sizeof read, .variant = variant, .set = setting, .with = on};
    zw_equilibria_options options = zw_equilibria_options_default();
    zw_error err = {0};
    read.nset = words(set, ";", copy[0], setting);
    read.nwith = words(with, ",", copy[1], on);
    options.nhold = words(hold, ";", copy[2], held);
    options.hold = held;
    snprintf(path, sizeof path, "%s/models/%s.zw", ZW_SOURCE_DIR, model);
    s = (steady){.ctx = zw_context_create(NULL)};
    if (zw_model_read(&s.sys, s.ctx, path, &read, &err) < 0 ||
        zw_equilibria_create(&s.e, s.sys, &options, &err) < 0 || zw_equilibria_find(s.e, &err) < 0)
        fail_msg("%s: %s", model, err.text);
    s.a = zw_equilibria_linear(s.e);
}

static void leave(void) {
    zw_equilibria_destroy(s.e);
    zw_context_destroy(s.ctx);
}

/* the distance of the nearest eigenvalue */
static double distance(double complex value) {
    double least = INFINITY;
    for (int i = 0; i < s.a->n; i++)
        least = fmin(least, cabs(s.a->re[i] + I * s.a->im[i] - value));
    return least;
}

static void expect(double complex value, double tolerance) {
    if (!(distance(value) <= tolerance))
        fail_msg("no eigenvalue %.12g%+.12gi, the nearest one is %.3g away", creal(value),
                 cimag(value), distance(value));
}

/* the largest real part of those that are not zero */
static double growth(void) {
    double most = -INFINITY;
    for (int i = 0; i < s.a->n; i++)
        if (hypot(s.a->re[i], s.a->im[i]) > 1e-6)
            most = fmax(most, s.a->re[i]);
    return most;
}

/* prod over the eigenvalues, but nzero zeros, of (at - value) */
static double complex product(double complex at, int nzero) {
    double complex p = 1;
    for (int i = 0; i < s.a->n; i++)
        p *= at - s.a->re[i] - I * s.a->im[i];
    return p / cpow(at, nzero);
}

/* ---- heavy top ---- */

static const double m_t = 0.1, l_t = 0.04, J_t = 50e-6, C_t = 40e-6, g = 9.81;

static void test_top__sleeping(void **state) {
    (void)state;
    double A = J_t + m_t * l_t * l_t, n_c = 2 * sqrt(A * m_t * g * l_t) / C_t;
    static const double spin[] = {90, 143, 150, 400};
    assert_close(n_c, 143.53, 5e-5);
    for (int i = 0; i < 4; i++) {
        char set[64];
        double n = spin[i];
        snprintf(set, sizeof set, "n=%.17g [rad/s]", n);
        find("heavy_top", NULL, set, NULL, "B.wz");
        double complex root = csqrt(C_t * C_t * n * n - 4 * A * m_t * g * l_t);
        expect(I * (C_t * n + root) / (2 * A), 1e-9);
        expect(I * (C_t * n - root) / (2 * A), 1e-9);
        assert_true((zw_equilibria_stability(s.e) == ZW_UNSTABLE) == (n < n_c));
        leave();
    }
    for (int side = -1; side <= 1;
         side += 2) { /* a part in a million on either side of the critical spin */
        char set[64];
        snprintf(set, sizeof set, "n=%.17g [rad/s]", n_c * (1 + side * 1e-6));
        find("heavy_top", NULL, set, NULL, "B.wz");
        assert_true((zw_equilibria_stability(s.e) == ZW_UNSTABLE) == (side < 0));
        leave();
    }
}

static void test_top__precession(void **state) {
    (void)state;
    double A = J_t + m_t * l_t * l_t, n = 200, theta = M_PI / 6, c = cos(theta);
    double Omega = (C_t * n - sqrt(C_t * C_t * n * n - 4 * A * m_t * g * l_t * c)) / (2 * A * c);
    find("heavy_top", "precession", NULL, NULL, NULL);
    expect(I * sqrt(pow(Omega * sin(theta), 2) + pow(C_t * n / A - 2 * Omega * c, 2)), 1e-9);
    assert_int_equal(s.a->nfamily, 2); /* inclination and spin */
    assert_close(zw_equilibria_motion(s.e)->c[0], Omega, 1e-12);
    leave();
}

/* ---- governor ---- */

static double hunting(bool engine) {
    double J = engine ? 2 : 2 + 2 * 0.36 * (1 + 3 * 0.25), w = sqrt(g / (0.3 * 0.5)) / 2;
    return 2 * 10 * 2 * 0.09 / (w * J);
}

static void test_governor__vyshnegradsky(void **state) {
    (void)state;
    static const double part[] = {0.5, 1, 1.5};
    for (int i = 0; i < 6; i++) {
        bool engine = i >= 3;
        double b = hunting(engine) * part[i % 3], w = sqrt(g / (0.3 * 0.5)) / 2, F = 10,
               J = 2 + (engine ? 0 : 2 * 0.36 * 0.75);
        double a_2 = b / (2 * 0.09),
               a_1 = 4 * w * w * 0.75 * (1 + (engine ? 0 : 4 * 2 * 0.36 * 0.25 / J)),
               a_0 = 2 * 4 * w * 0.75 * F / J;
        char set[64];
        snprintf(set, sizeof set, "b=%.17g [N*m*s]", b);
        find("governor", engine ? "engine" : NULL, set, NULL, NULL);
        assert_int_equal(s.a->n, 3);
        for (int k = 0; k < 4; k++) {
            double complex at = 5 * cexp(I * (0.2 + k)),
                           p = at * at * at + a_2 * at * at + a_1 * at + a_0;
            assert_true(cabs(product(at, 0) - p) <= 1e-10 * cabs(p));
        }
        if (part[i % 3] == 1)
            assert_true(fabs(growth()) < 1e-9);
        else
            assert_true((growth() > 0) == (part[i % 3] < 1));
        leave();
    }
}

/* ---- rattleback ---- */

/* coefficients of s^4 ... 1 */
static double rattle(double W, double delta, double c[5]) {
    double m = 1, x = 0.1, y = 0.022, z = 0.02, J_1 = (y * y + z * z) / 5,
           J_2 = (x * x + z * z) / 5, J_z = (x * x + y * y) / 5,
           D = (J_1 - J_2) * sin(2 * delta) / 2,
           A = J_1 * pow(cos(delta), 2) + J_2 * pow(sin(delta), 2) + m * z * z,
           B = J_1 * pow(sin(delta), 2) + J_2 * pow(cos(delta), 2) + m * z * z, p = x * x / z,
           q = y * y / z, P = A - J_z - m * z * p, Q = B - J_z - m * z * q;
    c[0] = A * B - D * D;
    c[1] = -m * z * (p - q) * D * W;
    c[2] = m * g * (A * (p - z) + B * (q - z)) + W * W * (c[0] + P * Q - D * D);
    c[3] = W * W * c[1];
    c[4] = (W * W * P - m * g * (p - z)) * (W * W * Q - m * g * (q - z)) - D * D * pow(W, 4);
    return sqrt(m * g * (p - z) * (q - z) /
                ((A + B - J_z) * (p + q - 2 * z) - m * z * (2 * p * q - z * (p + q))));
}

static void test_rattleback__sense_of_spin(void **state) {
    (void)state;
    static const double rate[] = {0, 5, -5, 9, 12, -12, 30};
    double c[5], W_c = rattle(1, 0.1, c);
    assert_close(W_c, 10.189, 5e-4);
    for (int i = 0; i < 14; i++) {
        double W = rate[i % 7], delta = i < 7 ? M_PI / 36 : 0.02;
        char set[80];
        snprintf(set, sizeof set, "W=%.17g [rad/s];delta=%.17g", W, delta);
        find("rattleback", NULL, set, NULL, "K.wz");
        rattle(W, delta, c);
        for (int k = 0; k < 4; k++) {
            double complex at = 20 * cexp(I * (0.2 + k)), sum = 0;
            for (int j = 0; j < 5; j++)
                sum = sum * at + c[j] / c[0];
            assert_true(cabs(product(at, s.a->n - 4) - sum) <= 1e-9 * cabs(sum));
        }
        if (W != 0)
            assert_true((growth() < 0) == (W > W_c));
        leave();
    }
}

/* ---- absorber, ball on the turntable, pendulum of two ---- */

static void test_absorber__natural_frequencies(void **state) {
    (void)state;
    find("absorber_planar", "free", "phi=0;omega=0", NULL, NULL);
    expect(2.81040 * I, 5e-6);
    expect(4.06789 * I, 5e-6);
    /* (m/kappa)(m + M) w^4 - (C m/kappa + (m + M) m g/q) w^2 + C m g/q = m^2 w^4 */
    double m = 2, M = 10, k = 5.0 / 7, C = 140, r = g / 0.71, a = m / k * (m + M) - m * m,
           b = C * m / k + (m + M) * m * r, d = sqrt(b * b - 4 * a * C * m * r);
    expect(I * sqrt((b - d) / (2 * a)), 1e-10);
    expect(I * sqrt((b + d) / (2 * a)), 1e-10);
    leave();
}

/* z = x + i y: (I + m r^2) s^2 + (mu + nu r^2 - i I Omega) s - i mu Omega = 0, stable if and only
 * if mu m < nu I */
static void test_turntable__border(void **state) {
    (void)state;
    double r = 1.27, m = 7.8 * 4 / 3 * M_PI * pow(r, 3), J = 0.4 * m * r * r, Omega = 1.5 * M_PI;
    for (int i = 1; i <= 3; i++)
        for (int j = 0; j <= 4; j++) {
            double nu = 4.0 * i, border = nu * J / m, mu = border * 0.5 * j, M = J + m * r * r;
            double complex b = mu + nu * r * r - I * J * Omega,
                           d = csqrt(b * b + 4 * M * I * mu * Omega);
            char set[120];
            snprintf(set, sizeof set, "nu=%.17g [g/s];mu_rot=%.17g [g*cm^2/s];x=0;y=0;y'=0", nu,
                     mu);
            find("turntable_ball", NULL, set, NULL, "x;y");
            expect((-b + d) / (2 * M), 1e-10);
            expect((-b - d) / (2 * M), 1e-10);
            if (j == 2)
                assert_true(fabs(growth()) < 1e-9);
            else if (j > 0)
                assert_true((growth() > 0) == (j > 2));
            leave();
        }
}

/* ---- tippedisk ---- */

/* of the matrices (4.16), (4.17) of the source with the signs repaired, by another program */
typedef struct spectrum {
    double Omega;
    double complex value[5];
} spectrum;

/* in inertial and in co-rotating coordinates, friction by the pressing force or by the weight: to
 * first order the same */
static void expect_disk(const spectrum *row, const char *angle) {
    static const char *const model[] = {"tippedisk", "tippedisk_corotating"};
    static const char *const friction[] = {NULL, "weight"};
    for (int i = 0; i < 4; i++) {
        char set[80];
        snprintf(set, sizeof set, "Omega=%.17g [rad/s];gamma=%s [deg]", row->Omega, angle);
        find(model[i / 2], friction[i % 2], set, NULL, "alpha'");
        for (int k = 0; k < 5; k++) /* v_0 makes the friction 1e-8 weaker */
            if (row->value[k] != 0)
                expect(row->value[k], 5e-6 * sqrt(2) + 1e-8 * cabs(row->value[k]));
        leave();
    }
}

static void test_tippedisk__spectra(void **state) {
    (void)state;
    static const spectrum inverted[] = {
        {10, {11.27042, 4.12078, -5.57422 + 4.82939 * I, -91.94889, -162.32310}},
        {20, {2.57340 + 5.95823 * I, -1.17718 + 13.99246 * I, -92.64249, -160.17920}},
        {30, {0.14498 + 26.27577 * I, 0.01931 + 5.75112 * I, -93.93952, -156.41827}},
        {40, {-1.93133 + 5.65090 * I, 0.31629 + 37.20444 * I, -96.14793, -150.65122}},
        {50, {-4.35614 + 4.22176 * I, 0.34679 + 47.71121 * I, -100.11311, -141.89741}}};
    static const spectrum hanging[] = {
        {10, {13.31312, -7.97211, -0.74181 + 6.15331 * I, -79.34592, -136.41276}},
        {30, {9.08179, -10.80133, 0.35870 + 27.29744 * I, -83.04940, -127.84975}},
        {50, {10.22367, -22.40511, 0.42137 + 48.14826 * I, -100.28130 + 13.56843 * I}}};
    for (int i = 0; i < 5; i++)
        expect_disk(&inverted[i], "90");
    for (int i = 0; i < 3; i++)
        expect_disk(&hanging[i], "-90");
}

/* Model 1.4, of three states: s^3 - A33 s^2 - A31 s - A32 Omega = 0, (4.47); and the equation typed
 * by hand */
static void test_tippedisk__three_states(void **state) {
    (void)state;
    static const char *const model[] = {"tippedisk_reduced", "tippedisk", "tippedisk_corotating"};
    double r = 0.045, a = 0.015, b = 0.02, h = 0.01, rho = 7700, e = 2.5e-3,
           m = rho * M_PI * (r * r - a * a) * h,
           J = rho * M_PI * h / 12 *
                   (3 * pow(r, 4) + r * r * h * h - a * a * h * h - 3 * pow(a, 4) -
                    12 * a * a * b * b) -
               m * e * e;
    double Omega_c = sqrt((r + e) * (r + e) * m * g / (r * J));
    assert_close(Omega_c, 30.91676, 5e-6 / 30);
    for (int i = 0; i <= 8; i++) {
        double Omega = i == 8 ? Omega_c : 10 + 5 * i, eps = i % 2 ? 0.1 : 0.03, mu = 0.3,
               d = mu * m * g / (eps * J), A31 = m * g * (r + e) / J - Omega * Omega,
               A32 = -d * e * (r + e) * Omega, A33 = -d * (r + e) * (r + e);
        char set[120];
        snprintf(set, sizeof set, "Omega=%.17g [rad/s];gamma=90 [deg];eps=%.17g [m/s]", Omega, eps);
        for (int k = 0; k < 3; k++) {
            find(model[k], k == 0 ? NULL : "weight", set, k == 0 ? NULL : "cog,roll,spin", NULL);
            assert_int_equal(s.a->n, 3);
            for (int j = 0; j < 4; j++) {
                double complex at = 30 * cexp(I * (0.2 + j)),
                               p = at * at * at - A33 * at * at - A31 * at - A32 * Omega;
                /* v_0 makes the friction 1e-8 weaker */
                assert_true(cabs(product(at, 0) - p) <= 1e-6 * cabs(p));
            }
            if (i == 8)
                assert_true(fabs(growth()) < 1e-6);
            leave();
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_top__sleeping),
        cmocka_unit_test(test_top__precession),
        cmocka_unit_test(test_governor__vyshnegradsky),
        cmocka_unit_test(test_rattleback__sense_of_spin),
        cmocka_unit_test(test_absorber__natural_frequencies),
        cmocka_unit_test(test_turntable__border),
        cmocka_unit_test(test_tippedisk__spectra),
        cmocka_unit_test(test_tippedisk__three_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
