/* SPDX-License-Identifier: MIT */
/* Multipliers of motions that are given as functions of time: against closed forms, and against
 * those that shooting has found along its own run. */
#include "motion/segments/periodic.h"
#include "support/orbit_model.h"

enum { SAMPLES = 256 };

static orbit_model m;
static zw_floquet f;

/* the trigonometric polynomial through the samples of the motion, found by shooting */
static zw_status interpolate(void *user, double t, double *x, zw_error *err) {
    const zw_shooting *s = user;
    double at = (t - s->start) / s->period * SAMPLES;
    (void)err;
    memset(x, 0, sizeof(double) * (size_t)s->nx);
    for (int k = 0; k < SAMPLES; k++) {
        double d = M_PI * (at - k) / SAMPLES, tangent = tan(d);
        double weight = fabs(sin(d)) < 1e-14 ? 1 : sin(M_PI * (at - k)) / (SAMPLES * tangent);
        for (int i = 0; i < s->nx; i++)
            x[i] += weight * s->sample[k * s->nx + i];
    }
    return ZW_OK;
}

static void expect_multiplier(double re, double im, double tolerance) {
    double least = INFINITY;
    for (int i = 0; i < f.n; i++)
        least = fmin(least, hypot(f.re[i] - re, f.im[i] - im));
    if (!(least <= tolerance * fmax(1, hypot(re, im))))
        fail_msg("no multiplier %.12g%+.12gi, the nearest one is %.3g away", re, im, least);
}

static void find(const zw_orbit *orbit, const zw_floquet_options *options) {
    if (zw_floquet_find(&f, m.flow, orbit, options, &m.err) < 0)
        fail_msg("%s", m.err.text);
}

/* M v = mu v: the vectors as disturbances of the state, in the basis T */
static void expect_vectors(void) {
    for (int j = 0; j < f.n; j++)
        for (int part = 0; part < 2; part++)
            for (int i = 0; i < f.n; i++) {
                double left = 0, re = 0, im = 0;
                for (int k = 0; k < f.n; k++)
                    for (int l = 0; l < f.nx; l++)
                        left += f.M[i * f.n + k] * f.T[l * f.n + k] *
                                (part ? f.vector_im : f.vector_re)[l * f.n + j];
                for (int l = 0; l < f.nx; l++) {
                    re += f.T[l * f.n + i] * f.vector_re[l * f.n + j];
                    im += f.T[l * f.n + i] * f.vector_im[l * f.n + j];
                }
                double right = part ? f.re[j] * im + f.im[j] * re : f.re[j] * re - f.im[j] * im;
                assert_close(left, right, 1e-9);
            }
}

static void expect_as_shooting(const char *model) {
    orbit_open(&m, model, NULL, "lagrange");
    orbit_period(&m);
    m.options.settle = 40;
    m.options.samples = SAMPLES;
    orbit_shoot(&m);
    const zw_orbit orbit = {
        .start = m.at.start, .period = m.at.period, .at = interpolate, .user = &m.at};
    find(&orbit, NULL);
    assert_int_equal(f.n, m.at.floquet.n);
    for (int i = 0; i < f.n; i++)
        expect_multiplier(m.at.floquet.re[i], m.at.floquet.im[i], 1e-9);
    assert_true(f.accuracy <= 1e-9);
    assert_true(f.liouville < 1e-9);
    assert_int_equal(f.verdict, ZW_FLOQUET_STABLE);
    expect_vectors();
    zw_floquet_clear(&f);
    orbit_close(&m);
}

static void test_as_shooting(void **state) {
    (void)state;
    expect_as_shooting(ORBIT_MODEL("duffing"));
    expect_as_shooting(ORBIT_MODEL("pendulum_polar"));
    expect_as_shooting(ORBIT_MODEL("pendulum_cartesian"));
    expect_as_shooting(ORBIT_MODEL("absorber_planar"));
}

static zw_status at_rest(void *user, double t, double *x, zw_error *err) {
    (void)user, (void)t, (void)err;
    memset(x, 0, sizeof(double) * (size_t)m.kernel->nx);
    return ZW_OK;
}

/* Two oscillators x'' + c x' + k x = 0: mu = exp(lambda T). One of them decays by 26 decades, the
 * other grows. */
static void test_linear__sizes_far_apart(void **state) {
    (void)state;
    orbit_open(&m,
               "model any \"Any\"\nunits none\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
               "potential (10*x^2 - y^2)/2\nforce damping (x) = -11*x'\n",
               NULL, "lagrange");
    double T = 6, lambda[] = {-1, -10, 1, -1};
    const zw_orbit orbit = {.period = T, .at = at_rest};
    zw_floquet_options options = zw_floquet_options_default();
    options.intervals = 128; /* the tolerance asks nothing of exp(-60) */
    find(&orbit, &options);
    assert_int_equal(f.n, 4);
    assert_int_equal(f.outside, 1);
    assert_close(f.exponent[0], 1, 1e-10);
    assert_close(f.exponent[1], -1, 1e-7);
    assert_close(f.exponent[2], -1, 1e-7);
    assert_close(f.exponent[3], -10, 1e-7);
    for (int i = 0; i < 4; i++)
        expect_multiplier(exp(lambda[i] * T), 0, 1e-9);
    assert_true(f.chunks > 3);
    assert_true(f.liouville < 1e-6);
    zw_floquet_clear(&f);
    orbit_close(&m);
}

/* Mathieu's equation at a = 1, q = 0.2: in the tongue of period doubling, mu mu' = 1, both negative
 * over the period pi. The trace of M is twice the cosine of the characteristic exponent times pi,
 * here by an independent series: the Hill determinant 2 cos(pi nu) = 2 - 4 sin^2(pi sqrt(a)/2)
 * Delta(0). */
static double hill_determinant(double a, double q) {
    enum { N = 60 }; /* tridiagonal, entries xi_k = q/((2k)^2 - a) beside the ones */
    double before = 1, now = 1;
    for (int k = -N + 1; k <= N; k++) {
        double xi = q / (4.0 * k * k - a), last = q / (4.0 * (k - 1) * (k - 1) - a);
        double next = now - xi * last * before;
        before = now;
        now = next;
    }
    return now;
}

static void test_mathieu(void **state) {
    (void)state;
    orbit_open(&m,
               "model any \"Any\"\nunits none\ncoord x\nkinetic x'^2/2\n"
               "force spring (x) = -(1 - 2*0.2*cos(2*t))*x\n",
               NULL, "lagrange");
    const zw_orbit orbit = {.period = M_PI, .at = at_rest};
    find(&orbit, NULL);
    double s = sin(M_PI / 2), trace = 2 - 4 * s * s * hill_determinant(1 + 1e-13, 0.2);
    assert_close(f.re[0] + f.re[1], trace,
                 1e-6); /* a is moved off a pole of the determinant; N cuts it at 1e-8 */
    assert_close(f.re[0] * f.re[1], 1, 1e-9);
    assert_true(f.re[0] < -1 && f.im[0] == 0);
    assert_int_equal(f.verdict, ZW_FLOQUET_UNSTABLE);
    zw_floquet_clear(&f);
    /* x'' + x = 0 is neither */
    orbit_close(&m);
    orbit_open(&m, "model any \"Any\"\nunits none\ncoord x\nkinetic x'^2/2\npotential x^2/2\n",
               NULL, "lagrange");
    find(&orbit, NULL);
    assert_int_equal(f.verdict, ZW_FLOQUET_UNDECIDED);
    zw_floquet_clear(&f);
    orbit_close(&m);
}

/* entries of the state by their names */
static int entry(const char *name) {
    for (int i = 0; i < m.sys->nq; i++)
        if (strcmp(m.sys->coord[i].name, name) == 0)
            return i;
    for (int i = 0; i < m.sys->nv; i++)
        if (strcmp(m.sys->velocity[i].name, name) == 0)
            return m.sys->nq + i;
    fail_msg("there is no %s", name);
    return -1;
}

static zw_status spinning(void *user, double t, double *x, zw_error *err) {
    (void)user, (void)err;
    memset(x, 0, sizeof(double) * (size_t)m.kernel->nx);
    x[entry("B.p0")] = cos(t);
    x[entry("B.p3")] = sin(t);
    x[entry("B.wz")] = 2;
    return ZW_OK;
}

/* A ball that is kept spinning at the rate 2 by a drag against a medium that turns. After a turn
 * its quaternion has the other sign. Disturbances of its spin die out as exp(-c t/J), those of its
 * attitude stay: 1, and not -1. */
static void test_quaternion__comes_back_with_the_other_sign(void **state) {
    (void)state;
    orbit_open(&m,
               "model any \"Any\"\nunits none\nrotation B\n"
               "body K : B at (0, 0, 0), inertia(1, 2, 2, 2)\n"
               "torque drag on K = -0.5*(K.w - (0, 0, 2))\n",
               NULL, "lagrange");
    double sign[ORBIT_MAX];
    for (int i = 0; i < m.kernel->nx; i++)
        sign[i] = i < 4 ? -1 : 1;
    assert_int_equal(entry("B.p0"), 0);
    const zw_orbit orbit = {.period = M_PI, .at = spinning, .sign = sign};
    find(&orbit, NULL);
    assert_int_equal(f.n, 6);
    for (int i = 0; i < 6; i++) {
        assert_close(f.re[i], i < 3 ? 1 : exp(-0.25 * M_PI), 1e-8);
        assert_close(f.im[i], 0, 1e-8);
    }
    assert_true(f.liouville < 1e-9);
    zw_floquet_clear(&f);
    orbit_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_shooting),
        cmocka_unit_test(test_linear__sizes_far_apart),
        cmocka_unit_test(test_mathieu),
        cmocka_unit_test(test_quaternion__comes_back_with_the_other_sign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
