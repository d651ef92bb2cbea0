/* SPDX-License-Identifier: MIT */
/* Minimal coordinates by partitioning, on motions known in closed form that force new
 * partitions. */
#include "support/test.h"

#include "support/kernels.h"
#include "support/runs.h"

static const char *const multistep[] = {"adams", "bdf"};

static zw_run *start_run(zw_kernel *k, const double *p, double rtol, double atol,
                         const char *method, const double *x) {
    zw_run_options options = zw_run_options_default();
    options.rtol = rtol;
    options.atol = atol;
    options.method = method;
    options.constraints = ZW_KEEP_PARTITION;
    zw_run *run = begin_run(k, p, &options, x);
    assert_string_equal(zw_run_statistics(run).constraints, "partition");
    return run;
}

/* a pendulum that goes over the top: x and y take turns. Period by the arithmetic-geometric mean of
 * 1 and k' for the modulus k = 2 sqrt(g/L)/w of a full rotation with angular velocity w at the
 * bottom: T = 2 pi / (w agm(1, k')) */
static void test_partition__pendulum_over_the_top(void **state) {
    (void)state;
    const double L = 1.3, g = 9.81, w = 7, p[] = {0.7, L, g}, x0[] = {0, -L, w * L, 0};
    double a = 1, b = sqrt(1 - 4 * g / L / (w * w));
    for (int i = 0; i < 10; i++) {
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    double period = 2 * acos(-1) / (w * a);
    zw_kernel k = pendulum_kernel();
    for (int m = 0; m < 2; m++) {
        const char *method = multistep[m];
        double last = INFINITY;
        for (double rtol = 1e-7; rtol > 1e-12; rtol /= 100) {
            zw_run *run = start_run(&k, p, rtol, rtol / 10, method, x0);
            go(run, 40 * period);
            double error = fabs(zw_run_state(run)[0]);
            zw_run_info info = zw_run_statistics(run);
            assert_true(error < last / 10);
            assert_true(info.position_residual <= 1e-12);
            assert_true(info.velocity_residual <= 1e-12);
            /* y -> x -> y in every half turn */
            assert_true(info.repartitions >= 4 * 40 - 4 && info.repartitions <= 4 * 40 + 4);
            assert_true(info.rhs_calls >= info.steps); /* summed over the restarts */
            zw_run_destroy(run);
            last = error;
        }
        assert_true(last < 1e-6 * 40 * period * w * L); /* of the way it went */
    }
}

/* symmetric top: (w1, w2) turns at (C - A)/A w3, and the unit quaternion stays one */
static void test_partition__free_top_in_quaternions(void **state) {
    (void)state;
    const double p[] = {2, 2, 3}, x0[] = {0.5, 0.5, -0.5, 0.5, 0.3, 0, 4};
    zw_kernel k = top_kernel();
    zw_run *run = start_run(&k, p, 1e-11, 1e-13, "adams", x0);
    go(run, 20);
    const double *x = zw_run_state(run);
    double turn = (p[2] - p[0]) / p[0] * 4 * 20;
    assert_close(x[4], 0.3 * cos(turn), 1e-8);
    assert_close(x[5], 0.3 * sin(turn), 1e-8);
    assert_close(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3], 1, 4e-16);
    assert_true(zw_run_statistics(run).repartitions > 0);
    zw_run_destroy(run);
}

/* spin about an axis, from the rest position on: two entries of the quaternion are always 0 and
 * must never be the dependent ones, whose square root has no derivative there */
static void test_partition__quaternion_from_the_identity(void **state) {
    (void)state;
    const double p[] = {2, 2, 3}, x0[] = {1, 0, 0, 0, 0, 0, 4};
    zw_kernel k = top_kernel();
    for (int m = 0; m < 2; m++) {
        const char *method = multistep[m];
        zw_run *run = start_run(&k, p, 1e-11, 1e-13, method, x0);
        for (double t = 0.3; t < 6; t += 0.3) {
            go(run, t);
            const double *x = zw_run_state(run);
            assert_close(x[0], cos(2 * t), 1e-8);
            assert_close(x[1], 0, 1e-10);
            assert_close(x[2], 0, 1e-10);
            assert_close(x[3], sin(2 * t), 1e-8);
        }
        zw_run_info info = zw_run_statistics(run);
        assert_true(info.repartitions > 3);
        zw_run_destroy(run);
    }
}

/* a nonholonomic constraint: only velocities are partitioned. The skate of test_run.c */
static void test_partition__skate_on_an_incline(void **state) {
    (void)state;
    const double s = 3, w = 2, p[] = {1.5, 0.4, s}, x0[] = {0, 0, 0, 0, 0, w};
    zw_kernel k = skate_kernel();
    for (int m = 0; m < 2; m++) {
        const char *method = multistep[m];
        zw_run *run = start_run(&k, p, 1e-10, 1e-12, method, x0);
        for (int i = 1; i <= 40; i++) {
            double t = 0.5 * i;
            go(run, t);
            const double *x = zw_run_state(run);
            assert_close(x[0], s / (2 * w * w) * sin(w * t) * sin(w * t), 1e-7);
            assert_close(x[1], s / (2 * w * w) * (w * t - sin(2 * w * t) / 2), 1e-7);
        }
        zw_run_info info = zw_run_statistics(run);
        assert_true(info.velocity_residual <= 1e-12);
        assert_true(info.repartitions > 10);
        zw_run_destroy(run);
    }
}

/* the same constraint twice: one of the rows is left out, the motion is that of one rod */
static void test_partition__redundant_constraints(void **state) {
    (void)state;
    const double a = 1, L = 1, p[] = {1, L, 9.81, 0}, x0[] = {L * sin(a), -L * cos(a), 0, 0};
    zw_kernel k = twice_kernel();
    k.pseudo = true;
    zw_run *run = start_run(&k, p, 1e-11, 1e-12, "bdf", x0);
    go(run, 5 * pendulum_period(L, 9.81, a));
    assert_close(zw_run_state(run)[0], x0[0], 1e-6);
    assert_close(zw_run_state(run)[1], x0[1], 1e-6);
    assert_true(zw_run_statistics(run).position_residual <= 1e-12);
    zw_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_partition__pendulum_over_the_top),
        cmocka_unit_test(test_partition__free_top_in_quaternions),
        cmocka_unit_test(test_partition__quaternion_from_the_identity),
        cmocka_unit_test(test_partition__skate_on_an_incline),
        cmocka_unit_test(test_partition__redundant_constraints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
