/* SPDX-License-Identifier: MIT */
#include "num/internal.h"

#include "support/kernels.h"
#include "support/test.h"

static zw_run *run_of(zw_kernel *k, const double *p) {
    zw_run *run;
    assert_int_equal(zw_run_create(&run, k, p, NULL, NULL), ZW_OK);
    return run;
}

/* d x'/dx against central differences of x' */
static void check_jacobian(zw_kernel *k, const double *p, uint64_t seed) {
    enum { MOST = 2 * CHAIN };
    test_random r = {seed};
    zw_run *run = run_of(k, p);
    double x[MOST], J[MOST * MOST], up[MOST], down[MOST], z[MOST];
    for (int i = 0; i < k->nx; i++)
        x[i] = test_random_real(&r, 0.3, 1.2);
    assert_int_equal(zw_num_jacobian(zw_run_flow(run), 0.7, x, J, k->nx, NULL), ZW_OK);
    for (int j = 0; j < k->nx; j++) {
        const double h = 1e-5, keep = x[j];
        x[j] = keep + h;
        assert_int_equal(zw_num_accel(zw_run_flow(run), 0.7, x, up, z, NULL), ZW_OK);
        memcpy(up + k->nq, z, sizeof(double) * (size_t)k->nv);
        x[j] = keep - h;
        assert_int_equal(zw_num_accel(zw_run_flow(run), 0.7, x, down, z, NULL), ZW_OK);
        memcpy(down + k->nq, z, sizeof(double) * (size_t)k->nv);
        x[j] = keep;
        for (int i = 0; i < k->nx; i++)
            assert_close(J[i + j * k->nx], (up[i] - down[i]) / (2 * h), 2e-8);
    }
    zw_run_destroy(run);
}

static void test_jacobian__is_the_derivative(void **state) {
    (void)state;
    const double p[] = {0.7, 1.3, 2.1};
    zw_kernel kernels[] = {oscillator_kernel(), pendulum_kernel(), top_kernel(), skate_kernel(),
                           chain_kernel()};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        check_jacobian(&kernels[i], p, i + 1);
}

/* our LU of the matrices against the equations solved by hand, in wild units */
static void test_accel__matrices_agree_with_unrolled_code(void **state) {
    (void)state;
    test_random r = {5};
    for (int trial = 0; trial < 100; trial++) {
        double mass = pow(10, test_random_real(&r, -9, 9));
        double size = pow(10, test_random_real(&r, -6, 6));
        const double p[] = {mass, size, 9.81};
        double x[4], q1[2], q2[2], z1[3], z2[3];
        for (int i = 0; i < 4; i++)
            x[i] = size * test_random_real(&r, 0.1, 1);
        zw_kernel k = pendulum_kernel();
        zw_run *run = run_of(&k, p);
        assert_int_equal(zw_num_accel(zw_run_flow(run), 0, x, q1, z1, NULL), ZW_OK);
        k.unrolled = true;
        assert_int_equal(zw_num_accel(zw_run_flow(run), 0, x, q2, z2, NULL), ZW_OK);
        for (int i = 0; i < 3; i++)
            assert_true(fabs(z1[i] - z2[i]) <= 1e-13 * (fabs(z1[0]) + fabs(z1[1]) + fabs(z1[i])));
        assert_memory_equal(q1, q2, sizeof q1);
        zw_run_destroy(run);
    }
}

static void test_accel__names_the_redundant_constraint(void **state) {
    (void)state;
    const double p[] = {1, 1, 9.81, 0}, x[] = {0.6, -0.8, 0, 0};
    zw_kernel k = twice_kernel();
    zw_run *run = run_of(&k, p);
    zw_error err = {0};
    double qdot[2], z[4];
    assert_int_equal(zw_num_accel(zw_run_flow(run), 2.5, x, qdot, z, &err), ZW_E_SINGULAR);
    zw_fault fault = zw_run_last_fault(run);
    assert_int_equal(fault.kind, ZW_FAULT_CONSTRAINT);
    assert_true(fault.index == 0 || fault.index == 1);
    assert_close(fault.t, 2.5, 0);
    assert_true(fault.value < 1e-14);
    assert_non_null(strstr(err.text, "constraints lost rank at t = 2.5"));
    zw_run_destroy(run);
}

/* the rod of length zero has no direction; unrolled code asks the matrices for the reason */
static void test_accel__unrolled_code_hands_over_when_singular(void **state) {
    (void)state;
    const double p[] = {1, 1, 9.81}, x[] = {0, 0, 1, 0};
    zw_kernel k = pendulum_kernel();
    k.unrolled = true;
    zw_run *run = run_of(&k, p);
    double qdot[2], z[3];
    assert_int_equal(zw_num_accel(zw_run_flow(run), 0, x, qdot, z, NULL), ZW_E_SINGULAR);
    assert_int_equal(zw_run_last_fault(run).kind, ZW_FAULT_CONSTRAINT);
    assert_int_equal(zw_run_last_fault(run).index, 0);
    zw_run_destroy(run);
}

/* M = diag(1, m) with velocity 2 held by a constraint if held */
FUNC(massless_mats) {
    UNUSED;
    const double all[] = {1, 0, 0, c[0], 1, 2, 0, 1, 0, 1, 7, x[2], x[3]};
    memcpy(out, all, sizeof all);
}
FUNC(massless_free_mats) {
    UNUSED;
    const double all[] = {1, 0, 0, c[0], 1, 2, x[2], x[3]};
    memcpy(out, all, sizeof all);
}

static void test_accel__names_the_velocity_without_inertia(void **state) {
    (void)state;
    const double p[] = {0}, x[] = {0, 0, 0, 0};
    zw_kernel k = kernel_of(1, 2, 2, 0, 0, 0);
    k.fn[ZW_FN_MATS].call = massless_free_mats;
    zw_run *run = run_of(&k, p);
    zw_error err = {0};
    double qdot[2], z[3];
    assert_int_equal(zw_num_accel(zw_run_flow(run), 0, x, qdot, z, &err), ZW_E_SINGULAR);
    assert_int_equal(zw_run_last_fault(run).kind, ZW_FAULT_MASS);
    assert_int_equal(zw_run_last_fault(run).index, 1);
    assert_non_null(strstr(err.text, "velocity 2"));
    assert_true(err.hint[0] != '\0');
    zw_run_destroy(run);
}

/* ... but a constraint that holds it makes the equations regular: v2' = 7, lambda = -2 */
static void test_accel__massless_but_constrained_is_regular(void **state) {
    (void)state;
    const double p[] = {0}, x[] = {0, 0, 0, 0};
    zw_kernel k = kernel_of(1, 2, 2, 1, 0, 0);
    k.fn[ZW_FN_MATS].call = massless_mats;
    zw_run *run = run_of(&k, p);
    double qdot[2], z[3];
    assert_int_equal(zw_num_accel(zw_run_flow(run), 0, x, qdot, z, NULL), ZW_OK);
    assert_close(z[0], 1, 1e-15);
    assert_close(z[1], 7, 1e-15);
    assert_close(z[2], -2, 1e-15);
    zw_run_destroy(run);
}

/* friction so strong that it cancels the constraint's own force: C = 0 while W is not */
FUNC(jammed_mats) {
    UNUSED;
    const double all[] = {1, 1, 0, 1, 0, x[1]};
    memcpy(out, all, sizeof all);
}

static void test_accel__forces_of_multipliers_may_be_singular(void **state) {
    (void)state;
    const double x[] = {0, 0};
    zw_kernel k = kernel_of(0, 1, 1, 1, 0, 0);
    k.fn[ZW_FN_MATS].call = jammed_mats;
    zw_run *run = run_of(&k, NULL);
    zw_error err = {0};
    double qdot[1], z[2];
    assert_int_equal(zw_num_accel(zw_run_flow(run), 0, x, qdot, z, &err), ZW_E_SINGULAR);
    assert_int_equal(zw_run_last_fault(run).kind, ZW_FAULT_CONSTRAINT);
    assert_non_null(strstr(err.text, "depend on constraint forces"));
    zw_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jacobian__is_the_derivative),
        cmocka_unit_test(test_accel__matrices_agree_with_unrolled_code),
        cmocka_unit_test(test_accel__names_the_redundant_constraint),
        cmocka_unit_test(test_accel__unrolled_code_hands_over_when_singular),
        cmocka_unit_test(test_accel__names_the_velocity_without_inertia),
        cmocka_unit_test(test_accel__massless_but_constrained_is_regular),
        cmocka_unit_test(test_accel__forces_of_multipliers_may_be_singular),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
