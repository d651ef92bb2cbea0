/* SPDX-License-Identifier: MIT */
/* Radau IIA: its coefficients, its order, stiff problems with known solutions. */
#include "num/linear/linalg.h"
#include "num/methods/radau_coefficients.h"
#include "support/motions.h"

/* ---- coefficients ---- */

/* the stage matrix by collocation: sum_j a_ij c_j^(k-1) = c_i^k / k for k = 1, 2, 3 */
static void collocation_matrix(double A[3][3]) {
    const double *c = zw_radau_c;
    for (int i = 0; i < 3; i++) {
        double powers[9];
        int pivot[3];
        for (int k = 0; k < 3; k++) {
            A[i][k] = pow(c[i], k + 1) / (k + 1);
            for (int j = 0; j < 3; j++)
                powers[k * 3 + j] = pow(c[j], k);
        }
        zw_num_lu(3, powers, pivot);
        zw_num_lu_solve(3, powers, pivot, 1, A[i]);
    }
}

static void test_radau__transformation_is_that_of_the_method(void **state) {
    (void)state;
    const double g = zw_radau_gamma, a = zw_radau_alpha, b = zw_radau_beta;
    const double D[3][3] = {{g, 0, 0}, {0, a, -b}, {0, b, a}};
    double A[3][3];
    collocation_matrix(A);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double ATD = 0, TT = 0; /* A T D = T, T T^-1 = 1 */
            for (int k = 0; k < 3; k++) {
                TT += zw_radau_T[i][k] * zw_radau_T_inverse[k][j];
                for (int l = 0; l < 3; l++)
                    ATD += A[i][k] * zw_radau_T[k][l] * D[l][j];
            }
            assert_close(ATD, zw_radau_T[i][j], 1e-15);
            assert_close(TT, i == j, 1e-15);
        }
}

/* the nodes are those of the quadrature: exact for polynomials of degree 4, so order 5 */
static void test_radau__quadrature_is_of_order_5(void **state) {
    (void)state;
    double A[3][3];
    collocation_matrix(A);
    for (int k = 1; k <= 6; k++) {
        double sum = 0;
        for (int j = 0; j < 3; j++)
            sum += A[2][j] * pow(zw_radau_c[j], k - 1);
        if (k <= 5)
            assert_close(sum, 1.0 / k, 1e-15);
        else
            assert_true(fabs(sum - 1.0 / k) > 1e-4);
    }
}

/* the estimate must vanish for y' = t^k, k <= 2: there the stages are exact */
static void test_radau__error_estimate_is_of_order_4(void **state) {
    (void)state;
    for (int k = 0; k <= 3; k++) {
        double sum = k == 0; /* f(0) h */
        for (int j = 0; j < 3; j++)
            sum += zw_radau_e[j] * pow(zw_radau_c[j], k + 1) / (k + 1);
        if (k <= 2)
            assert_close(sum, 0, 1e-14);
        else
            assert_true(fabs(sum) > 1e-3);
    }
}

/* complex systems against the real ones of twice the size, below and above LAPACK's bound */
static void test_radau__complex_systems(void **state) {
    (void)state;
    static const int sizes[] = {1, 2, 7, 40, 41};
    static double A[2 * 41 * 41], B[4 * 41 * 41];
    test_random r = {7};
    for (int s = 0; s < 5; s++) {
        int n = sizes[s], pivot[82];
        double b[82], real[82];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double re = test_random_real(&r, -1, 1), im = test_random_real(&r, -1, 1);
                A[2 * (i * n + j)] = re;
                A[2 * (i * n + j) + 1] = im;
                B[(2 * i) * 2 * n + 2 * j] = B[(2 * i + 1) * 2 * n + 2 * j + 1] = re;
                B[(2 * i) * 2 * n + 2 * j + 1] = -im;
                B[(2 * i + 1) * 2 * n + 2 * j] = im;
            }
            b[2 * i] = test_random_real(&r, -1, 1);
            b[2 * i + 1] = test_random_real(&r, -1, 1);
        }
        memcpy(real, b, sizeof real);
        assert_true(zw_num_complex_lu(n, A, pivot) > 0);
        zw_num_complex_lu_solve(n, A, pivot, b);
        assert_true(zw_num_lu(2 * n, B, pivot) > 0);
        zw_num_lu_solve(2 * n, B, pivot, 1, real);
        for (int i = 0; i < 2 * n; i++)
            assert_close(b[i], real[i], 1e-11);
    }
    double singular[] = {1, 2, 2, 4, -2, 1, -4, 2}; /* second row is i times the first */
    int pivot[2];
    assert_true(zw_num_complex_lu(2, singular, pivot) < 1e-15);
}

/* ---- measured order ---- */

typedef struct measured {
    double steps, at_steps, between;
} measured;

static measured measure(double rtol) {
    const double amplitude = 2, x0[] = {amplitude, 0};
    motion m = {.k = angle_kernel(), .method = "radau", .rtol = rtol, .atol = rtol};
    zw_run *run = start_motion(&m, NULL, 0, x0);
    measured result = {0};
    for (go_to(run, 1e-6); run->now < 20;) {
        assert_int_equal(run->method->step(run, NULL), ZW_OK);
        result.steps++;
        result.at_steps = fmax(result.at_steps, angle_error(amplitude, run->now, run->y));
        for (double theta = 0.125; theta < 1; theta += 0.125) {
            double t = run->before + theta * (run->now - run->before), y[2];
            assert_int_equal(run->method->dense(run, t, y, NULL), ZW_OK);
            result.between = fmax(result.between, angle_error(amplitude, t, y));
        }
    }
    zw_run_destroy(run);
    return result;
}

/* error over number of steps, as the tolerance makes it; between the steps it is as good */
static void test_radau__measured_order(void **state) {
    (void)state;
    measured coarse = measure(1e-7), fine = measure(1e-10);
    double more = log(fine.steps / coarse.steps);
    assert_true(fabs(log(coarse.at_steps / fine.at_steps) / more - 5) < 0.4);
    assert_true(fabs(log(coarse.between / fine.between) / more - 5) < 0.4);
    assert_true(fine.between < 2 * fine.at_steps);
}

/* ---- stiff problems; the states q and v are the unknowns of a first order system ---- */

/* van der Pol: q' = v, v' = ((1 - q^2) v - q) / p_0 */
FUNC(vdp_mats) {
    UNUSED;
    out[0] = 1;
    out[1] = ((1 - x[0] * x[0]) * x[1] - x[0]) / c[0];
    out[2] = x[1];
}
FUNC(vdp_jac) {
    UNUSED;
    const double rows[] = {0, 1, (2 * x[0] * x[1] + 1) / c[0], -(1 - x[0] * x[0]) / c[0]};
    memcpy(out, rows, sizeof rows);
}

/* reference: Mazzia and Magherini, Test Set for IVP Solvers 2.4 (2008), problem VDPOL */
static void test_radau__van_der_pol(void **state) {
    (void)state;
    const double p[] = {1e-6}, x0[] = {2, 0}, end[] = {1.706167732170483, -0.8928097010247975};
    motion m = {.k = kernel_of(1, 1, 1, 0, 0, 0), .method = "radau"};
    m.k.fn[ZW_FN_MATS].call = vdp_mats;
    m.k.fn[ZW_FN_JAC].call = vdp_jac;
    for (m.rtol = 1e-5; m.rtol > 1e-10; m.rtol /= 100) {
        m.atol = m.rtol;
        zw_run *run = start_motion(&m, p, 0, x0);
        go_to(run, 2);
        assert_close(zw_run_state(run)[0], end[0], 20 * m.rtol);
        assert_close(zw_run_state(run)[1], end[1], 20 * m.rtol);
        assert_true(zw_run_statistics(run).steps < 3000);
        zw_run_destroy(run);
    }
}

/* Robertson's reaction: q' = -0.04 q + 1e4 v_1 v_2, v_1' = 0.04 q - 1e4 v_1 v_2 - 3e7 v_1^2,
 * v_2' = 3e7 v_1^2 */
FUNC(robertson_mats) {
    UNUSED;
    double slow = 0.04 * x[0] - 1e4 * x[1] * x[2], fast = 3e7 * x[1] * x[1];
    const double all[] = {1, 0, 0, 1, slow - fast, fast, -slow};
    memcpy(out, all, sizeof all);
}
FUNC(robertson_jac) {
    UNUSED;
    const double rows[] = {-0.04,       1e4 * x[2],
                           1e4 * x[1], /* q' */
                           -0.04,       1e4 * x[2] + 6e7 * x[1],
                           1e4 * x[1],  0,
                           -6e7 * x[1], 0};
    memcpy(out, rows, sizeof rows);
}

/* reference: the same test set, problem ROBER */
static void test_radau__robertson(void **state) {
    (void)state;
    const double x0[] = {1, 0, 0},
                 end[] = {0.2083340149701255e-07, 0.8333360770334713e-13, 0.9999999791665050};
    motion m = {.k = kernel_of(0, 1, 2, 0, 0, 0), .method = "radau", .rtol = 1e-9};
    m.atol = 1e-20;
    m.k.fn[ZW_FN_MATS].call = robertson_mats;
    m.k.fn[ZW_FN_JAC].call = robertson_jac;
    zw_run *run = start_motion(&m, NULL, 0, x0);
    go_to(run, 1e11);
    for (int i = 0; i < 3; i++)
        assert_close(zw_run_state(run)[i] / end[i], 1, 1e-6);
    assert_true(zw_run_statistics(run).steps < 1500);
    zw_run_destroy(run);
}

/* Prothero and Robinson: y' = -s (y - sin t) + cos t, y = sin t; q with s = p_0, v with s = p_1 */
FUNC(prothero_mats) {
    UNUSED;
    out[0] = 1;
    out[1] = -c[1] * (x[1] - sin(*t)) + cos(*t);
    out[2] = -c[0] * (x[0] - sin(*t)) + cos(*t);
}
FUNC(prothero_jac) {
    UNUSED;
    const double rows[] = {-c[0], 0, 0, c[1]};
    memcpy(out, rows, sizeof rows);
}

/* Such a motion reduces the order to that of the stages, so that errors are not smaller than what
 * the steps are controlled by: the polynomials between the steps may differ by 1/0.4 times the
 * tolerance of the control, in the root mean square of two states, with weights of up to 1 + |y| =
 * 2. That must hold at any stiffness. */
static void test_radau__prothero_robinson(void **state) {
    (void)state;
    const double x0[] = {0, 0};
    for (double stiffness = 1e2; stiffness < 1e13; stiffness *= 1e2) {
        const double p[] = {stiffness, stiffness / 10};
        motion m = {.k = kernel_of(2, 1, 1, 0, 0, 0), .method = "radau", .rtol = 1e-8};
        m.atol = 1e-8;
        m.k.fn[ZW_FN_MATS].call = prothero_mats;
        m.k.fn[ZW_FN_JAC].call = prothero_jac;
        zw_run *run = start_motion(&m, p, 0, x0);
        double worst = 0;
        for (int i = 1; i <= 100; i++) {
            go_to(run, i * 0.1);
            worst = fmax(worst, fabs(zw_run_state(run)[0] - sin(i * 0.1)));
            worst = fmax(worst, fabs(zw_run_state(run)[1] - sin(i * 0.1)));
        }
        assert_true(worst < 0.1 * pow(m.rtol, 2.0 / 3) * 2 * sqrt(2) / 0.4);
        assert_true(zw_run_statistics(run).steps < 1000);
        zw_run_destroy(run);
    }
}

/* x - 1/2 */
FUNC(half_evt) {
    UNUSED;
    out[0] = x[0] - 0.5;
}

/* a light mass on a damper, which forgets its start in a microsecond and creeps for seconds */
static void test_radau__events_of_a_stiff_motion(void **state) {
    (void)state;
    const double p[] = {1e-6, 1, 1}, x0[] = {1, -1};
    double root = sqrt(1 - 4e-6), slow = (-1 + root) / 2e-6, fast = (-1 - root) / 2e-6;
    double share = (fast + 1) / (fast - slow); /* of the slow root in x */
    motion m = {.k = oscillator_kernel(), .method = "radau", .rtol = 1e-11, .atol = 1e-13};
    m.k.nevt = 1;
    m.k.fn[ZW_FN_EVT].call = half_evt;
    m.k.event_direction = both_ways;
    m.k.event_stop = no_stop;
    zw_run *run = start_motion(&m, p, 0, x0);
    assert_int_equal(zw_run_advance(run, 5, NULL, NULL), ZW_EVENT);
    assert_close(zw_run_time(run), log(0.5 / share) / slow, 1e-10);
    assert_int_equal(zw_run_advance(run, 5, NULL, NULL), ZW_OK);
    assert_close(zw_run_state(run)[0], share * exp(slow * 5), 1e-11);
    assert_true(zw_run_statistics(run).steps < 2000);
    zw_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_radau__transformation_is_that_of_the_method),
        cmocka_unit_test(test_radau__quadrature_is_of_order_5),
        cmocka_unit_test(test_radau__error_estimate_is_of_order_4),
        cmocka_unit_test(test_radau__complex_systems),
        cmocka_unit_test(test_radau__measured_order),
        cmocka_unit_test(test_radau__van_der_pol),
        cmocka_unit_test(test_radau__robertson),
        cmocka_unit_test(test_radau__prothero_robinson),
        cmocka_unit_test(test_radau__events_of_a_stiff_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
