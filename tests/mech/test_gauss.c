/* SPDX-License-Identifier: MIT */
/* Gauss's principle against Udwadia and Kalaba's formula with a pseudo-inverse made here, and as a
 * minimisation against closed forms of masses that rest, slide and leave. */
#include <stdlib.h>

#include "support/test.h"
#include "zwang/zwang.h"

enum { MAX = 8 };

/* a model text run by a principle */
typedef struct machine {
    zw_context *ctx;
    zw_system *sys;
    zw_equations eq;
    zw_kernel *kernel;
    zw_run *run;
    double p[16];
} machine;

static void open_machine(machine *m, const char *text, const char *principle) {
    zw_error err = {0};
    memset(m, 0, sizeof *m);
    m->ctx = zw_context_create(NULL);
    bool ok = zw_model_parse(&m->sys, m->ctx, text, strlen(text), "test", NULL, &err) >= 0 &&
              zw_derive(&m->eq, m->sys, NULL, principle, &err) >= 0 &&
              zw_system_param_values(m->sys, m->p, &err) >= 0 &&
              zw_kernel_create(&m->kernel, &m->eq, NULL, &err) >= 0 &&
              zw_run_create(&m->run, m->kernel, m->p, NULL, &err) >= 0;
    if (!ok)
        fail_msg("%s: %s", principle, err.text);
}

static void close_machine(machine *m) {
    zw_run_destroy(m->run);
    zw_kernel_destroy(m->kernel);
    zw_context_destroy(m->ctx);
}

/* v', lambda at a state */
static void accelerate(machine *m, double t, const double *x, double *z) {
    double rate[MAX];
    zw_error err = {0};
    if (zw_flow_rates(zw_run_flow(m->run), t, x, rate, z, &err) < 0)
        fail_msg("%s", err.text);
}

/* ---------------------------------------------------------------- Udwadia and Kalaba 1992, 2002 */

/* A = V diag(d) V', columns of V, by Jacobi's rotations */
static void eigen(int n, double *A, double *V, double *d) {
    for (int i = 0; i < n * n; i++)
        V[i] = i % (n + 1) == 0;
    for (int sweep = 0; sweep < 60; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                if (A[p * n + q] == 0)
                    continue;
                double theta = (A[q * n + q] - A[p * n + p]) / (2 * A[p * n + q]);
                double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(1 + theta * theta));
                double c = 1 / sqrt(1 + t * t), s = t * c;
                for (int k = 0; k < n; k++) {
                    double a = A[k * n + p], b = A[k * n + q];
                    A[k * n + p] = c * a - s * b;
                    A[k * n + q] = s * a + c * b;
                    a = V[k * n + p];
                    b = V[k * n + q];
                    V[k * n + p] = c * a - s * b;
                    V[k * n + q] = s * a + c * b;
                }
                for (int k = 0; k < n; k++) {
                    double a = A[p * n + k], b = A[q * n + k];
                    A[p * n + k] = c * a - s * b;
                    A[q * n + k] = s * a + c * b;
                }
            }
    for (int i = 0; i < n; i++)
        d[i] = A[i * n + i];
}

static void multiply(int m, int n, int k, const double *A, const double *B, double *out) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < k; j++) {
            out[i * k + j] = 0;
            for (int l = 0; l < n; l++)
                out[i * k + j] += A[i * n + l] * B[l * k + j];
        }
}

/* f(A) of a symmetric matrix: eigenvalues to the given power, those near zero to zero */
static void power(int n, const double *A, double exponent, double *out) {
    double copy[MAX * MAX], V[MAX * MAX], d[MAX], largest = 0;
    memcpy(copy, A, sizeof(double) * (size_t)(n * n));
    eigen(n, copy, V, d);
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(d[i]));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            out[i * n + j] = 0;
            for (int k = 0; k < n; k++)
                if (d[k] > 1e-10 * largest)
                    out[i * n + j] += V[i * n + k] * pow(d[k], exponent) * V[j * n + k];
        }
}

/* v' = a + M^-1/2 B^+ (b - W a) + M^-1/2 (1 - B^+ B) M^-1/2 c,   B = W M^-1/2,  a = M^-1 h */
static void udwadia_kalaba(int n, int m, const double *M, const double *h, const double *W,
                           const double *b, const double *c, double *accel) {
    double root[MAX * MAX], B[MAX * MAX], Bt[MAX * MAX], BBt[MAX * MAX], inverse[MAX * MAX],
        plus[MAX * MAX], inner[MAX * MAX], s[MAX], a[MAX], gap[MAX], y[MAX], x[MAX], back[MAX];
    power(n, M, -0.5, root);
    multiply(m, n, n, W, root, B);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            Bt[j * m + i] = B[i * n + j];
    multiply(m, n, m, B, Bt, BBt);
    power(m, BBt, -1, inverse);
    multiply(n, m, m, Bt, inverse, plus);
    multiply(n, m, n, plus, B, inner);
    multiply(n, n, 1, root, h, s);
    multiply(n, n, 1, root, s, a);
    multiply(m, n, 1, W, a, gap);
    for (int k = 0; k < m; k++)
        gap[k] = b[k] - gap[k];
    multiply(n, m, 1, plus, gap, y);
    multiply(n, n, 1, root, c, s);
    multiply(n, n, 1, inner, s, x);
    for (int i = 0; i < n; i++)
        y[i] += s[i] - x[i];
    multiply(n, n, 1, root, y, back);
    for (int i = 0; i < n; i++)
        accel[i] = a[i] + back[i];
}

/* a coupled mass matrix, a nonholonomic, a moving and a redundant constraint */
#define COUPLED                                                                                    \
    "model coupled\n"                                                                              \
    "param k = 3 [N/m], mu = 0.4 [N*s/m], L = 1 [m], s = 1 [m/s]\n"                                \
    "coord x, y, z [m]\n"                                                                          \
    "kinetic 1 [kg]*(x'^2 + 3/2*y'^2 + 5/2*z'^2 + 1/2*x'*y' - 4/5*y'*z')\n"                        \
    "potential k/2*(x^2 + 2*y^2 + x*z)\n"                                                          \
    "constraint blade : z' = y/L*x'\n"                                                             \
    "constraint moving : x' + y' = s*sin(t*1 [1/s])\n"                                             \
    "constraint again : 2*z' - 2*y/L*x' + x' + y' = s*sin(t*1 [1/s])\n"

static void test_gauss__is_udwadia_and_kalaba_with_a_non_ideal_force(void **state) {
    (void)state;
    machine ideal, rough, said;
    test_random r = {5};
    open_machine(&ideal, COUPLED, "gauss");
    open_machine(
        &said, COUPLED "nonideal blade : work (x, y, z) = -mu*(1 + x^2/L^2)*(x', 2*y', z' - x')\n",
        "gauss");
    /* friction that grows with the position does work on the constrained velocities */
    open_machine(&rough, COUPLED "force rough (x, y, z) = -mu*(1 + x^2/L^2)*(x', 2*y', z' - x')\n",
                 "gauss");
    for (int trial = 0; trial < 200; trial++) {
        double x[6], t = test_random_real(&r, 0, 5), z[MAX], want[3];
        for (int i = 0; i < 5; i++)
            x[i] = test_random_real(&r, -1, 1);
        /* admissible velocities */
        x[4] = sin(t) - x[3];
        x[5] = x[1] * x[3];
        /* the model, written down once more */
        double M[9] = {2, 0.5, 0, 0.5, 3, -0.8, 0, -0.8, 5};
        double h[3] = {-3 * (x[0] + x[2] / 2), -6 * x[1], -1.5 * x[0]};
        double W[9] = {-x[1], 0, 1, 1, 1, 0, 1 - 2 * x[1], 1, 2};
        double b[3] = {x[4] * x[3], cos(t), 2 * x[4] * x[3] + cos(t)};
        double none[3] = {0}, factor = -0.4 * (1 + x[0] * x[0]);
        double c[3] = {factor * x[3], factor * 2 * x[4], factor * (x[5] - x[3])};
        udwadia_kalaba(3, 3, M, h, W, b, none, want);
        accelerate(&ideal, t, x, z);
        for (int i = 0; i < 3; i++)
            assert_close(z[i], want[i], 1e-11);
        udwadia_kalaba(3, 3, M, h, W, b, c, want);
        accelerate(&rough, t, x, z);
        for (int i = 0; i < 3; i++)
            assert_close(z[i], want[i], 1e-11);
        accelerate(&said, t, x, z);
        for (int i = 0; i < 3; i++)
            assert_close(z[i], want[i], 1e-11);
    }
    close_machine(&ideal);
    close_machine(&said);
    close_machine(&rough);
}

/* v' = a + M^-1 C (W M^-1 C)^+ (b - W a), a = M^-1 h, with S^+ = (S'S)^+ S' */
static void oblique(int n, int m, const double *M, const double *h, const double *W,
                    const double *b, const double *C, double *accel) {
    double inverse[MAX * MAX], MC[MAX * MAX], S[MAX * MAX], St[MAX * MAX], SS[MAX * MAX],
        plus[MAX * MAX], a[MAX], gap[MAX], y[MAX], lambda[MAX], push[MAX];
    power(n, M, -1, inverse);
    multiply(n, n, 1, inverse, h, a);
    multiply(n, n, m, inverse, C, MC);
    multiply(m, n, m, W, MC, S);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            St[j * m + i] = S[i * m + j];
    multiply(m, m, m, St, S, SS);
    power(m, SS, -1, plus);
    multiply(m, n, 1, W, a, gap);
    for (int k = 0; k < m; k++)
        gap[k] = b[k] - gap[k];
    multiply(m, m, 1, St, gap, y);
    multiply(m, m, 1, plus, y, lambda);
    multiply(n, m, 1, MC, lambda, push);
    for (int i = 0; i < n; i++)
        accel[i] = a[i] + push[i];
}

/* Friction by what the blade carries, of which the redundant row may take any part: 2 of again
 * beside 1 of blade. The moving row, whose share of again is 1, is rubbed by its own force. */
static void test_gauss__takes_forces_that_depend_on_multipliers(void **state) {
    (void)state;
    machine m;
    test_random r = {8};
    open_machine(&m,
                 COUPLED
                 "let N = lambda(blade) + 2*lambda(again), F = lambda(moving) + lambda(again)\n"
                 "force rub (x, y) = -0.3/s*N*(x', 2*y')\n"
                 "nonideal moving : work (z) = 0.2*F\n",
                 "gauss");
    assert_false(m.eq.symmetric);
    for (int trial = 0; trial < 200; trial++) {
        double x[6], t = test_random_real(&r, 0, 5), z[MAX], want[3];
        for (int i = 0; i < 5; i++)
            x[i] = test_random_real(&r, -1, 1);
        x[4] = sin(t) - x[3];
        x[5] = x[1] * x[3];
        double M[9] = {2, 0.5, 0, 0.5, 3, -0.8, 0, -0.8, 5};
        double h[3] = {-3 * (x[0] + x[2] / 2), -6 * x[1], -1.5 * x[0]};
        double W[9] = {-x[1], 0, 1, 1, 1, 0, 1 - 2 * x[1], 1, 2};
        double b[3] = {x[4] * x[3], cos(t), 2 * x[4] * x[3] + cos(t)};
        double N[3] = {-0.3 * x[3], -0.6 * x[4], 0}, F[3] = {0, 0, 0.2}, C[9];
        for (int i = 0; i < 3; i++) {
            C[3 * i] = W[i] + N[i];
            C[3 * i + 1] = W[3 + i] + F[i];
            C[3 * i + 2] = W[6 + i] + 2 * N[i] + F[i];
        }
        oblique(3, 3, M, h, W, b, C, want);
        accelerate(&m, t, x, z);
        for (int i = 0; i < 3; i++)
            assert_close(z[i], want[i], 1e-10);
    }
    close_machine(&m);
}

/* --------------------------------------------------------------------------------- minimisation */

static void test_gauss__minimised_is_lagrange_when_all_rows_are_equations(void **state) {
    (void)state;
    static const char text[] =
        "model m\nparam L = 1 [m], g = 9.81 [m/s^2]\ncoord x, y, z [m]\n"
        "particle P : 2 [kg] at (x, y, z)\ngravity g along -z\n"
        "constraint blade : z' = y/L*x'\nconstraint wall : x^2 + y^2 = L^2\n";
    machine least, lagrange;
    test_random r = {6};
    open_machine(&least, text, "gauss-min");
    open_machine(&lagrange, text, "lagrange");
    for (int trial = 0; trial < 100; trial++) {
        double angle = test_random_real(&r, 0, 6), w = test_random_real(&r, -2, 2), a[MAX], b[MAX];
        double x[6] = {cos(angle),      sin(angle),     0.3,
                       -w * sin(angle), w * cos(angle), -w * sin(angle) * sin(angle)};
        accelerate(&least, 0, x, a);
        accelerate(&lagrange, 0, x, b);
        for (int i = 0; i < 5; i++)
            assert_close(a[i], b[i], 1e-11);
    }
    close_machine(&least);
    close_machine(&lagrange);
}

static void test_gauss__mass_on_a_floor_rests_and_leaves(void **state) {
    (void)state;
    static const char text[] =
        "model floor\nparam m = 2 [kg], g = 9.81 [m/s^2], k = 10 [N/s]\ncoord x, y [m]\n"
        "particle P : m at (x, y, 0)\ngravity g along -y\nforce pull (y) = k*t\n"
        "constraint contact : y'' >= 0\nstart x' = 1 [m/s]\n";
    machine m;
    zw_error err = {0};
    open_machine(&m, text, "gauss-min");
    double x[4] = {0, 0, 1, 0}, z[3], leaves = 2 * 9.81 / 10;
    /* at rest the floor carries what the pull leaves of the weight; afterwards nothing */
    for (double t = 0; t < 4; t += 0.1) {
        accelerate(&m, t, x, z);
        assert_close(z[0], 0, 1e-15);
        assert_close(z[1], t < leaves ? 0 : (10 * t - 2 * 9.81) / 2, 1e-14);
        assert_close(z[2], t < leaves ? 2 * 9.81 - 10 * t : 0, 1e-14);
    }
    assert_int_equal(zw_run_start(m.run, 0, x, &err), ZW_OK);
    for (double t = 0.5; t <= 4; t += 0.5) {
        assert_int_equal(zw_run_advance(m.run, t, NULL, &err), ZW_OK);
        double since = fmax(t - leaves, 0);
        assert_close(zw_run_state(m.run)[0], t, 1e-9);
        assert_close(zw_run_state(m.run)[1], 10.0 / 2 * pow(since, 3) / 6, 1e-7);
        assert_close(zw_run_state(m.run)[3], 10.0 / 2 * since * since / 2, 1e-7);
    }
    close_machine(&m);
}

/* an incline of angle a: along it g sin a, pressed by m g cos a */
static void test_gauss__mass_on_an_incline_slides(void **state) {
    (void)state;
    static const char text[] =
        "model incline\nparam a = 30 [deg], g = 9.81 [m/s^2]\ncoord x, y [m]\n"
        "particle P : 2 [kg] at (x, y, 0)\ngravity g along -y\n"
        "constraint contact : cos(a)*y'' + sin(a)*x'' >= 0\n";
    machine m;
    open_machine(&m, text, "gauss-min");
    double x[4] = {0}, z[3], s = sin(M_PI / 6), c = cos(M_PI / 6), g = 9.81;
    accelerate(&m, 0, x, z);
    assert_close(z[0], g * s * c, 1e-14);
    assert_close(z[1], -g * s * s, 1e-14);
    assert_close(z[2], 2 * g * c, 1e-14);
    close_machine(&m);
}

/* Two blocks side by side, the left one pushed: they go together only while the push is to the
 * right. The bound is written from above, so its force is negative. */
static void test_gauss__pushed_blocks_part(void **state) {
    (void)state;
    static const char text[] =
        "model blocks\nparam m = 1 [kg], M = 3 [kg], F = 8 [N], s = 1 [1/s]\ncoord x, y [m]\n"
        "particle P : m at (x, 0, 0)\nparticle Q : M at (y, 0, 0)\n"
        "force push (x) = F*cos(s*t)\nconstraint touch : x'' <= y''\n";
    machine m;
    open_machine(&m, text, "gauss-min");
    double x[4] = {0}, z[3];
    for (double t = 0; t < 6; t += 0.25) {
        double F = 8 * cos(t);
        accelerate(&m, t, x, z);
        assert_close(z[0], F > 0 ? F / 4 : F, 1e-14);
        assert_close(z[1], F > 0 ? F / 4 : 0, 1e-14);
        assert_close(z[2], F > 0 ? -3 * F / 4 : 0, 1e-14);
    }
    close_machine(&m);
}

static void assert_refused(const char *text, const char *principle, zw_status want,
                           const char *message) {
    zw_error err = {0};
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys = NULL;
    zw_equations eq;
    zw_status status = zw_model_parse(&sys, ctx, text, strlen(text), "test", NULL, &err);
    if (status >= 0)
        status = zw_derive(&eq, sys, NULL, principle, &err);
    assert_int_equal(status, want);
    if (!strstr(err.text, message))
        fail_msg("%s: '%s' lacks '%s'", principle, err.text, message);
    assert_int_equal(err.line, 4);
    zw_context_destroy(ctx);
}

static void test_gauss__inequalities_are_refused_where_they_make_no_sense(void **state) {
    (void)state;
#define MASS "model m\ncoord x, y [m]\nparticle P : 2 [kg] at (x, y, 0)\n"
    int refused = 0;
    for (const zw_principle *p = zw_principles(); p->name; p++)
        if (strcmp(p->name, "gauss-min") != 0) {
            assert_refused(MASS "constraint c : y'' >= 0\n", p->name, ZW_E_MODEL,
                           "c is an inequality");
            refused++;
        }
    assert_true(refused >= 10);
    assert_refused(MASS "constraint c : y >= 0\n", "gauss-min", ZW_E_MODEL, "positions");
    assert_refused(MASS "constraint c : y' <= 0\n", "gauss-min", ZW_E_MODEL, "velocities");
    assert_refused(MASS "constraint c : y'' >= 0, x'' = 0\n", "gauss-min", ZW_E_SYNTAX,
                   "same sign");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gauss__is_udwadia_and_kalaba_with_a_non_ideal_force),
        cmocka_unit_test(test_gauss__takes_forces_that_depend_on_multipliers),
        cmocka_unit_test(test_gauss__minimised_is_lagrange_when_all_rows_are_equations),
        cmocka_unit_test(test_gauss__mass_on_a_floor_rests_and_leaves),
        cmocka_unit_test(test_gauss__mass_on_an_incline_slides),
        cmocka_unit_test(test_gauss__pushed_blocks_part),
        cmocka_unit_test(test_gauss__inequalities_are_refused_where_they_make_no_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
