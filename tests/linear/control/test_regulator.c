/* SPDX-License-Identifier: MIT */
/* Zero-order hold and the linear quadratic regulator against closed forms, series in more digits,
 * other formulas for the same, and equations that have no solution. */
#include "linear/control/control.h"
#include "num/linear/dense.h"
#include "num/linear/exponential.h"
#include "support/test.h"

enum { MOST = 8 };

static zw_arena arena;
static zw_error err;

static int setup(void **state) {
    (void)state;
    zw_arena_init(&arena, NULL);
    err = (zw_error){0};
    return 0;
}

static int teardown(void **state) {
    (void)state;
    zw_arena_clear(&arena);
    return 0;
}

static void must(zw_status status) {
    if (status < 0)
        fail_msg("%s", err.text);
}

static void expect(int n, const double *a, const double *b, double tol) {
    for (int i = 0; i < n; i++)
        assert_close(a[i], b[i], tol);
}

static unsigned seed = 1;
static double draw(void) {
    seed = seed * 1103515245u + 12345u;
    return (double)(seed >> 8 & 0xffff) / 32768 - 1;
}

/* -------------------------------------------------------------------------------- exponential */

/* exp(A) by its series in long double, for A/2^6, squared */
static void series(int n, const double *A, double *E) {
    long double X[MOST * MOST], T[MOST * MOST], S[MOST * MOST], next[MOST * MOST];
    for (int i = 0; i < n * n; i++) {
        X[i] = A[i] / 64.0L;
        S[i] = T[i] = i % (n + 1) == 0;
    }
    for (int k = 1; k < 60 + 6; k++) {
        bool power = k < 60;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                next[i * n + j] = 0;
                for (int l = 0; l < n; l++)
                    next[i * n + j] +=
                        power ? T[i * n + l] * X[l * n + j] / k : S[i * n + l] * S[l * n + j];
            }
        for (int i = 0; i < n * n; i++) {
            T[i] = next[i];
            S[i] = power ? S[i] + T[i] : next[i];
        }
    }
    for (int i = 0; i < n * n; i++)
        E[i] = (double)S[i];
}

static void test_exponential__series(void **state) {
    (void)state;
    static const double sizes[] = {1e-9, 0.3, 3, 20};
    double A[MOST * MOST], E[MOST * MOST], S[MOST * MOST];
    for (int trial = 0; trial < 40; trial++) {
        int n = 1 + trial % MOST;
        for (int i = 0; i < n * n; i++)
            A[i] = sizes[trial % 4] * draw();
        assert_true(zw_num_exponential(&arena, n, A, E));
        series(n, A, S);
        double size = zw_dense_norm(n * n, S);
        expect(n * n, E, S, 1e-13 * size);
    }
}

/* units of the states do not matter: S^-1 A S has the same digits in each entry */
static void test_exponential__units(void **state) {
    (void)state;
    const double A[] = {0, 1, -4, -0.3}, B[] = {0, 1e-8, -4e8, -0.3};
    double E[4], F[4];
    assert_true(zw_num_exponential(&arena, 2, A, E));
    assert_true(zw_num_exponential(&arena, 2, B, F));
    assert_close(F[0], E[0], 1e-14);
    assert_close(F[1] * 1e8, E[1], 1e-14);
    assert_close(F[2] * 1e-8, E[2], 1e-14);
    const double huge[] = {1e6}, none[] = {NAN};
    assert_false(zw_num_exponential(&arena, 1, huge, E));
    assert_false(zw_num_exponential(&arena, 1, none, E));
    const double fast[] = {-1e6};
    assert_true(zw_num_exponential(&arena, 1, fast, E));
    assert_close(E[0], 0, 0);
}

/* ---------------------------------------------------------------------------- zero-order hold */

static void test_sample__closed_forms(void **state) {
    (void)state;
    const double T = 0.3, w = 2.5, a = -1.7, b = 4;
    double Ad[4], Bd[2];
    const double chain[] = {0, 1, 0, 0}, in[] = {0, b};
    must(zw_control_sample(&arena, 2, 1, chain, in, T, Ad, Bd, &err));
    expect(4, Ad, (double[]){1, T, 0, 1}, 1e-16);
    expect(2, Bd, (double[]){b * T * T / 2, b * T}, 1e-15);
    const double swing[] = {0, 1, -w * w, 0};
    must(zw_control_sample(&arena, 2, 1, swing, in, T, Ad, Bd, &err));
    expect(4, Ad, (double[]){cos(w * T), sin(w * T) / w, -w * sin(w * T), cos(w * T)}, 1e-15);
    expect(2, Bd, (double[]){b * (1 - cos(w * T)) / (w * w), b * sin(w * T) / w}, 1e-15);
    must(zw_control_sample(&arena, 1, 1, &a, &b, T, Ad, Bd, &err));
    assert_close(Ad[0], exp(a * T), 1e-15);
    assert_close(Bd[0], b * expm1(a * T) / a, 1e-15);
}

/* two steps are one step of twice the length; a large B costs no digits */
static void test_sample__two_steps(void **state) {
    (void)state;
    for (int trial = 0; trial < 30; trial++) {
        int n = 1 + trial % 5, m = 1 + trial % 3;
        double A[25], B[15], Ad[25], Bd[15], A2[25], B2[15], AA[25], AB[15],
            scale = trial % 2 ? 1e9 : 1;
        for (int i = 0; i < n * n; i++)
            A[i] = 3 * draw();
        for (int i = 0; i < n * m; i++)
            B[i] = scale * draw();
        must(zw_control_sample(&arena, n, m, A, B, 0.2, Ad, Bd, &err));
        must(zw_control_sample(&arena, n, m, A, B, 0.4, A2, B2, &err));
        zw_dense_multiply(n, n, n, Ad, Ad, AA);
        zw_dense_multiply(n, n, m, Ad, Bd, AB);
        for (int i = 0; i < n * m; i++)
            AB[i] += Bd[i];
        expect(n * n, AA, A2, 1e-13 * zw_dense_norm(n * n, A2));
        expect(n * m, AB, B2, 1e-13 * zw_dense_norm(n * m, B2));
    }
    const double a = 2, b = 1;
    double Ad, Bd;
    assert_int_equal(zw_control_sample(&arena, 1, 1, &a, &b, 1e4, &Ad, &Bd, &err), ZW_E_NUMERIC);
}

/* --------------------------------------------------------------------------------- regulator */

static zw_status regulate(zw_regulator *r, int n, int m, const double *A, const double *B,
                          const double *Q, const double *R, bool discrete) {
    const zw_regulator_problem p = {n, m, A, B, Q, R, discrete};
    return zw_regulator_find(r, &arena, &p, &err);
}

/* The residual by its own formula, relative to the largest term. */
static double residual(const zw_regulator *r, int n, int m, const double *A, const double *B,
                       const double *Q, const double *R, bool discrete) {
    double most = 0, size = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            /* with the optimal K: closed' P closed + K' R K + Q - P, or P closed + closed' P + ... */
            double sum = Q[i * n + j] - (discrete ? r->P[i * n + j] : 0);
            for (int k = 0; k < m; k++)
                for (int l = 0; l < m; l++)
                    sum += r->K[k * n + i] * R[k * m + l] * r->K[l * n + j];
            double C[MOST][2];
            for (int k = 0; k < n; k++) {
                C[k][0] = A[k * n + i];
                C[k][1] = A[k * n + j];
                for (int l = 0; l < m; l++) {
                    C[k][0] -= B[k * m + l] * r->K[l * n + i];
                    C[k][1] -= B[k * m + l] * r->K[l * n + j];
                }
            }
            for (int k = 0; k < n; k++) {
                if (!discrete)
                    sum += r->P[i * n + k] * C[k][1] + C[k][0] * r->P[k * n + j];
                for (int l = 0; discrete && l < n; l++)
                    sum += C[k][0] * r->P[k * n + l] * C[l][1];
            }
            most = fmax(most, fabs(sum));
            size = fmax(size, fabs(r->P[i * n + j]) + fabs(Q[i * n + j]));
        }
    return most / size;
}

static void test_regulator__closed_forms(void **state) {
    (void)state;
    zw_regulator r;
    /* double integrator: K = [1, sqrt 3] */
    const double chain[] = {0, 1, 0, 0}, in[] = {0, 1}, one = 1;
    must(regulate(&r, 2, 1, chain, in, (double[]){1, 0, 0, 1}, &one, false));
    expect(2, r.K, (double[]){1, sqrt(3)}, 1e-14);
    expect(4, r.P, (double[]){sqrt(3), 1, 1, sqrt(3)}, 1e-14);
    assert_close(r.re[0], -sqrt(3) / 2, 1e-14);
    assert_close(fabs(r.im[0]), 0.5, 1e-14);
    /* with the place alone weighted: K = [1, sqrt 2] */
    must(regulate(&r, 2, 1, chain, in, (double[]){1, 0, 0, 0}, &one, false));
    expect(2, r.K, (double[]){1, sqrt(2)}, 1e-14);
    /* with the speed weighted by 2 both poles are -1: defective */
    must(regulate(&r, 2, 1, chain, in, (double[]){1, 0, 0, 2}, &one, false));
    expect(2, r.K, (double[]){1, 2}, 1e-14);
    /* one state: a' p + p a - p^2 b^2/R + q = 0 */
    const double a = 0.7, b = -2, q = 3, R = 0.4, g = b * b / R;
    double p = (a + sqrt(a * a + g * q)) / g;
    must(regulate(&r, 1, 1, &a, &b, &q, &R, false));
    assert_close(r.P[0], p, 1e-15);
    assert_close(r.K[0], b * p / R, 1e-14);
    assert_close(r.re[0], -sqrt(a * a + g * q), 1e-14);
    /* one sampled state: b^2 p^2 + (R - a^2 R - q b^2) p - q R = 0 */
    double half = (R - a * a * R - q * b * b) / (2 * b * b);
    p = -half + sqrt(half * half + q * R / (b * b));
    must(regulate(&r, 1, 1, &a, &b, &q, &R, true));
    assert_close(r.P[0], p, 1e-14);
    assert_close(r.K[0], a * b * p / (R + b * b * p), 1e-14);
    /* A_d = 0, a pure delay of the input: P = Q, K = 0 */
    const double zero = 0;
    must(regulate(&r, 1, 1, &zero, &b, &q, &R, true));
    assert_close(r.P[0], q, 1e-14);
    assert_close(r.K[0], 0, 1e-15);
}

/* an unstable mode without a weight is mirrored, at the least cost */
static void test_regulator__without_weights(void **state) {
    (void)state;
    zw_regulator r;
    const double A[] = {2, 0, 0, -1}, B[] = {1, 1}, Q[4] = {0}, R = 1;
    must(regulate(&r, 2, 1, A, B, Q, &R, false));
    expect(2, r.K, (double[]){4, 0}, 1e-13);
    expect(4, r.P, (double[]){4, 0, 0, 0}, 1e-13);
    must(regulate(&r, 2, 1, (double[]){2, 0, 0, 0.5}, B, Q, &R, true));
    expect(2, r.K, (double[]){1.5, 0}, 1e-13);
}

static void test_regulator__random_equations(void **state) {
    (void)state;
    double worst = 0;
    for (int trial = 0; trial < 200; trial++) {
        int n = 1 + trial % MOST, m = 1 + trial % 3;
        bool discrete = trial % 2;
        double A[MOST * MOST], B[MOST * 3], Q[MOST * MOST], R[9], F[MOST * MOST];
        for (int i = 0; i < n * n; i++) {
            A[i] = 2 * draw();
            F[i] = draw();
        }
        for (int i = 0; i < n * m; i++)
            B[i] = draw();
        zw_dense_multiply_transposed(n, n, n, F, F, Q);
        for (int i = 0; i < m * m; i++)
            R[i] = i % (m + 1) == 0 ? pow(10, 3 * draw()) : 0;
        zw_regulator r;
        must(regulate(&r, n, m, A, B, Q, R, discrete));
        assert_true(r.residual < 1e-12);
        worst = fmax(worst, residual(&r, n, m, A, B, Q, R, discrete));
        for (int i = 0; i < n; i++) {
            assert_true(discrete ? hypot(r.re[i], r.im[i]) < 1 : r.re[i] < 0);
            assert_true(r.P[i * n + i] > 0);
        }
    }
    assert_true(worst < 1e-10);
}

/* a fast sampled regulator is the continuous one */
static void test_regulator__fast_samples(void **state) {
    (void)state;
    const double A[] = {0, 1, 3, -0.2}, B[] = {0, 2}, T = 1e-5, Q[] = {2, 0.1, 0.1, 1}, R = 0.3;
    double Ad[4], Bd[2], Qd[4], Rd = R * T;
    zw_regulator r, s;
    for (int i = 0; i < 4; i++)
        Qd[i] = T * Q[i];
    must(zw_control_sample(&arena, 2, 1, A, B, T, Ad, Bd, &err));
    must(regulate(&r, 2, 1, A, B, Q, &R, false));
    must(regulate(&s, 2, 1, Ad, Bd, Qd, &Rd, true));
    expect(2, s.K, r.K, 1e-4 * zw_dense_norm(2, r.K));
    for (int i = 0; i < 2; i++) /* poles exp(T s) */
        assert_close(hypot(s.re[i], s.im[i]), exp(T * r.re[i]), 1e-8);
}

/* with the second state in other units the gain is the same */
static void test_regulator__units(void **state) {
    (void)state;
    zw_regulator r, s;
    const double A[] = {0, 1, 28, -0.1}, B[] = {0, -2.4}, Q[] = {3, 0, 0, 1}, R = 0.1;
    must(regulate(&r, 2, 1, A, B, Q, &R, false));
    for (int k = -10; k <= 10; k += 5) {
        double u = pow(10, k);
        const double A_u[] = {0, 1 / u, 28 * u, -0.1}, B_u[] = {0, -2.4 * u},
                     Q_u[] = {3, 0, 0, 1 / (u * u)};
        must(regulate(&s, 2, 1, A_u, B_u, Q_u, &R, false));
        assert_close(s.K[0], r.K[0], 1e-12 * fabs(r.K[0]));
        assert_close(s.K[1] * u, r.K[1], 1e-12 * fabs(r.K[1]));
    }
}

/* A chain of n integrators has defective zeros; with weights 1 the product of its poles, the first
 * gain, is 1, and its poles are symmetric to the unit circle. */
static void test_regulator__chains(void **state) {
    (void)state;
    for (int n = 1; n <= MOST; n++) {
        double A[MOST * MOST] = {0}, B[MOST] = {0}, Q[MOST * MOST] = {0}, one = 1;
        for (int i = 0; i < n; i++) {
            Q[i * n + i] = 1;
            if (i + 1 < n)
                A[i * n + i + 1] = 1;
        }
        B[n - 1] = 1;
        zw_regulator r;
        must(regulate(&r, n, 1, A, B, Q, &one, false));
        assert_close(r.K[0], 1, 1e-12);
        for (int i = 0; i < n; i++) /* the spectral factor: K is a palindrome up to its last 1 */
            assert_close(r.K[i], i == 0 ? 1 : r.K[n - i], 1e-11 * r.K[i]);
    }
}

static void expect_failure(zw_status status, zw_status wanted, const char *part) {
    assert_int_equal(status, wanted);
    if (!strstr(err.text, part))
        fail_msg("not '%s' in: %s", part, err.text);
    err = (zw_error){0};
}

static void test_regulator__has_no_solution(void **state) {
    (void)state;
    zw_regulator r;
    const double A[] = {-1, 0, 0, 2}, B[] = {1, 0}, both[] = {1, 0, 0, 1}, one = 1;
    expect_failure(regulate(&r, 2, 1, A, B, both, &one, false), ZW_E_MODEL,
                   "no input reaches a mode that is not stable: eigenvalue 2 1/s");
    expect_failure(regulate(&r, 2, 1, A, B, both, &one, true), ZW_E_MODEL, "eigenvalue 2 of A_d");
    /* -1 is on the unit circle, and reached */
    const double C[] = {-1, 0, 0, 0.5};
    must(regulate(&r, 2, 1, C, B, both, &one, true));
    /* a stable mode need not be reached */
    const double D[] = {1, 0.3, 0, -2};
    must(regulate(&r, 2, 1, D, B, both, &one, false));
    assert_true(r.residual < 1e-12);
    /* a chain of two zeros whose place has no weight, turning without a weight */
    const double chain[] = {0, 1, 0, 0}, in[] = {0, 1}, speed[] = {0, 0, 0, 1}, none[4] = {0};
    expect_failure(regulate(&r, 2, 1, chain, in, speed, &one, false), ZW_E_MODEL,
                   "a mode on the border of stability has no weight: eigenvalue 0 1/s");
    const double swing[] = {0, 1, -9, 0};
    expect_failure(regulate(&r, 2, 1, swing, in, none, &one, false), ZW_E_MODEL,
                   "eigenvalue 0 +- 3i 1/s");
    const double minus[] = {1, 0, 0, -1}, skew[] = {1, 0.5, 0, 1}, zero = 0;
    expect_failure(regulate(&r, 2, 1, chain, in, minus, &one, false), ZW_E_OPTION,
                   "Q of the states is not positive semidefinite: its smallest eigenvalue is -1");
    expect_failure(regulate(&r, 2, 1, chain, in, skew, &one, false), ZW_E_OPTION,
                   "Q of the states is not symmetric");
    expect_failure(regulate(&r, 2, 1, chain, in, both, &zero, false), ZW_E_OPTION,
                   "R of the inputs is not positive definite");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_exponential__series, setup, teardown),
        cmocka_unit_test_setup_teardown(test_exponential__units, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sample__closed_forms, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sample__two_steps, setup, teardown),
        cmocka_unit_test_setup_teardown(test_regulator__closed_forms, setup, teardown),
        cmocka_unit_test_setup_teardown(test_regulator__without_weights, setup, teardown),
        cmocka_unit_test_setup_teardown(test_regulator__random_equations, setup, teardown),
        cmocka_unit_test_setup_teardown(test_regulator__fast_samples, setup, teardown),
        cmocka_unit_test_setup_teardown(test_regulator__units, setup, teardown),
        cmocka_unit_test_setup_teardown(test_regulator__chains, setup, teardown),
        cmocka_unit_test_setup_teardown(test_regulator__has_no_solution, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
