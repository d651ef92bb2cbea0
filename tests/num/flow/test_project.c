/* SPDX-License-Identifier: MIT */
/* Consistent starts: what is free moves, what is fixed stays, what cannot be is refused. */
#include "support/kernels.h"
#include "support/test.h"

static zw_run *run_of(zw_kernel *k, const double *p) {
    zw_run *run;
    assert_int_equal(zw_run_create(&run, k, p, NULL, NULL), ZW_OK);
    return run;
}

static void test_consistent__all_free_moves_along_the_rod(void **state) {
    (void)state;
    const double p[] = {2, 1.5, 9.81};
    zw_kernel k = pendulum_kernel();
    zw_run *run = run_of(&k, p);
    double x[] = {0.9, -1.6, 0.3, 0.4};
    const double before[] = {x[0], x[1], x[2], x[3]};
    assert_int_equal(zw_run_consistent(run, 0, x, NULL, NULL, NULL), ZW_OK);
    assert_close(hypot(x[0], x[1]), 1.5, 1e-15);
    assert_close(x[0] * before[1], x[1] * before[0], 1e-14); /* equal masses: radial */
    assert_close(x[0] * x[2] + x[1] * x[3], 0, 1e-15);
    /* the velocity along the circle is kept */
    assert_close(-x[1] * x[2] + x[0] * x[3], -x[1] * before[2] + x[0] * before[3], 1e-14);
    zw_run_destroy(run);
}

static void test_consistent__fixed_entries_stay(void **state) {
    (void)state;
    const double p[] = {2, 1.5, 9.81};
    zw_kernel k = pendulum_kernel();
    zw_run *run = run_of(&k, p);
    double x[] = {0.9, -1, 2, 0};
    const bool fixed[] = {true, false, true, false};
    int worst = 7;
    assert_int_equal(zw_run_consistent(run, 0, x, fixed, &worst, NULL), ZW_OK);
    assert_int_equal(worst, -1);
    assert_true(x[0] == 0.9 && x[2] == 2);
    assert_close(x[1], -1.2, 1e-15);
    assert_close(x[3], 1.5, 1e-15); /* x x' + y y' = 0 */
    zw_run_destroy(run);
}

static void test_consistent__contradiction_is_refused(void **state) {
    (void)state;
    const double p[] = {2, 1.5, 9.81};
    zw_kernel k = pendulum_kernel();
    zw_run *run = run_of(&k, p);
    struct {
        double x[4];
        bool fixed[4];
        int worst;
        zw_fault_kind kind;
    } cases[] = {
        {{2, -1, 0, 0}, {true, false, true, true}, 0, ZW_FAULT_POSITION}, /* longer than the rod */
        {{1, -1, 0, 0}, {true, true, true, true}, 0, ZW_FAULT_POSITION},
        {{1.5, 0, 1, 0}, {true, true, true, false}, 1, ZW_FAULT_VELOCITY},  /* along the rod */
        {{0, 0, 0, 0}, {false, false, false, false}, 0, ZW_FAULT_POSITION}, /* no direction */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double x[4];
        memcpy(x, cases[i].x, sizeof x);
        int worst = 7;
        zw_error err = {0};
        assert_int_equal(zw_run_consistent(run, 0, x, cases[i].fixed, &worst, &err), ZW_E_START);
        assert_int_equal(worst, cases[i].worst);
        assert_int_equal(zw_run_last_fault(run).kind, cases[i].kind);
        assert_true(fabs(zw_run_last_fault(run).value) > 1e-3);
        assert_non_null(strstr(err.text, "residual"));
        assert_memory_equal(x, cases[i].x, sizeof x); /* untouched */
    }
    const double bad[] = {NAN, 0, 0, 0};
    double x[4];
    memcpy(x, bad, sizeof x);
    assert_int_equal(zw_run_consistent(run, 0, x, NULL, NULL, NULL), ZW_E_NONFINITE);
    zw_run_destroy(run);
}

static void test_consistent__redundant_constraints_are_handled(void **state) {
    (void)state;
    const double agreeing[] = {2, 1.5, 9.81, 0}, contradictory[] = {2, 1.5, 9.81, 0.25};
    zw_kernel k = twice_kernel();
    zw_run *run = run_of(&k, agreeing);
    double x[] = {0.9, -1, 2, 1};
    const bool fixed[] = {true, false, true, false};
    assert_int_equal(zw_run_consistent(run, 0, x, fixed, NULL, NULL), ZW_OK);
    assert_close(x[1], -1.2, 1e-15);
    assert_close(x[3], 1.5, 1e-15);
    zw_run_destroy(run);
    run = run_of(&k, contradictory);
    int worst = -1;
    assert_int_equal(zw_run_consistent(run, 0, x, NULL, &worst, NULL), ZW_E_START);
    assert_true(worst == 0 || worst == 1);
    zw_run_destroy(run);
}

/* the heavier of two masses on a common rail moves less: q1 + q2 = 1 with masses 3 and 1 */
FUNC(pair_mats) {
    UNUSED;
    const double all[] = {c[0], 0, 0, c[1], 0, 0, 1, 1, 1, 1, 0, x[2], x[3]};
    memcpy(out, all, sizeof all);
}
FUNC(pair_pos) {
    UNUSED;
    const double all[] = {x[0] + x[1] - 1, 1, 1, 1, 0, 0, 1};
    memcpy(out, all, sizeof all);
}
FUNC(pair_vel) {
    UNUSED;
    const double all[] = {x[2] + x[3], 1, 1};
    memcpy(out, all, sizeof all);
}

static void test_consistent__least_change_in_the_mass_metric(void **state) {
    (void)state;
    zw_kernel k = kernel_of(2, 2, 2, 1, 1, 1);
    k.fn[ZW_FN_MATS].call = pair_mats;
    k.fn[ZW_FN_POS].call = pair_pos;
    k.fn[ZW_FN_VEL].call = pair_vel;
    k.functions = ZW_FUNCTIONS_RUN; /* no Jacobian: where there is no mass nothing more is asked */
    const double heavy[] = {3, 1}, massless[] = {0, 0};
    zw_run *run = run_of(&k, heavy);
    double x[] = {0, 0, 2, 2};
    assert_int_equal(zw_run_consistent(run, 0, x, NULL, NULL, NULL), ZW_OK);
    assert_close(x[0], 0.25, 1e-15);
    assert_close(x[1], 0.75, 1e-15);
    assert_close(x[2], 1, 1e-15);
    assert_close(x[3], -1, 1e-14);
    zw_run_destroy(run);
    /* without masses the identity is the metric */
    run = run_of(&k, massless);
    double y[] = {0, 0, 2, 2};
    assert_int_equal(zw_run_consistent(run, 0, y, NULL, NULL, NULL), ZW_OK);
    assert_close(y[0], 0.5, 1e-15);
    assert_close(y[1], 0.5, 1e-15);
    zw_run_destroy(run);
}

static void test_consistent__quaternions(void **state) {
    (void)state;
    const double p[] = {1, 2, 3};
    zw_kernel k = top_kernel();
    zw_run *run = run_of(&k, p);
    double x[] = {3, 0, 4, 0, 1, 2, 3};
    assert_int_equal(zw_run_consistent(run, 0, x, NULL, NULL, NULL), ZW_OK);
    assert_close(x[0], 0.6, 1e-15);
    assert_close(x[2], 0.8, 1e-15);
    assert_true(x[4] == 1 && x[5] == 2 && x[6] == 3);
    /* a fixed entry leaves the rest of the length to the free ones */
    double y[] = {1, 0.6, 0, 0, 0, 0, 0};
    const bool second[] = {false, true, false, false, false, false, false};
    assert_int_equal(zw_run_consistent(run, 0, y, second, NULL, NULL), ZW_OK);
    assert_close(y[0], 0.8, 1e-15);
    assert_true(y[1] == 0.6);
    /* too long, nothing to scale, all fixed and not of length one */
    const bool all[] = {true, true, true, true, false, false, false};
    double bad[][7] = {{1, 1.2}, {0, 0.6}, {0, 0}};
    for (int i = 0; i < 3; i++) {
        zw_error err = {0};
        assert_int_equal(zw_run_consistent(run, 0, bad[i], second, NULL, &err), ZW_E_START);
        assert_int_equal(zw_run_last_fault(run).kind, ZW_FAULT_UNIT);
        assert_int_equal(zw_run_last_fault(run).index, 0);
    }
    double off[] = {0.9, 0, 0, 0, 0, 0, 0};
    assert_int_equal(zw_run_consistent(run, 0, off, all, NULL, NULL), ZW_E_START);
    double exact[] = {0.6, 0, 0.8, 0, 0, 0, 0};
    assert_int_equal(zw_run_consistent(run, 0, exact, all, NULL, NULL), ZW_OK);
    assert_true(exact[0] == 0.6 && exact[2] == 0.8);
    zw_run_destroy(run);
}

/* a body whose third axis must point along (0, 0, 1) in space: phi = R13, R23 = 0 */
FUNC(upright_pos) {
    UNUSED;
    const double *q = x;
    double R13 = 2 * (q[1] * q[3] + q[0] * q[2]), R23 = 2 * (q[2] * q[3] - q[0] * q[1]);
    /* R' = R w~: the third column moves by w2 R(:,1) - w1 R(:,2) */
    double R11 = 1 - 2 * (q[2] * q[2] + q[3] * q[3]), R12 = 2 * (q[1] * q[2] - q[0] * q[3]);
    double R21 = 2 * (q[1] * q[2] + q[0] * q[3]), R22 = 1 - 2 * (q[1] * q[1] + q[3] * q[3]);
    const double all[] = {R13, R23, -R12, R11, 0, -R22, R21, 0};
    memcpy(out, all, sizeof all);
    top_F(x, out + 8);
}
FUNC(upright_vel) {
    UNUSED;
    double pos[20];
    upright_pos_body(self, t, x, z, c, pos, work);
    for (int k = 0; k < 2; k++) {
        out[k] = 0;
        for (int j = 0; j < 3; j++) {
            out[2 + 3 * k + j] = pos[2 + 3 * k + j];
            out[k] += pos[2 + 3 * k + j] * x[4 + j];
        }
    }
}

static void test_consistent__constraints_on_a_quaternion(void **state) {
    (void)state;
    const double p[] = {1, 2, 3};
    zw_kernel k = top_kernel();
    k.npos = k.nvel = 2;
    k.nout += 40;
    k.fn[ZW_FN_POS].call = upright_pos;
    k.fn[ZW_FN_VEL].call = upright_vel;
    zw_run *run = run_of(&k, p);
    double x[] = {0.8, 0.3, -0.2, 0.4, 1, 2, 3};
    assert_int_equal(zw_run_consistent(run, 0, x, NULL, NULL, NULL), ZW_OK);
    /* upright: q1 = q2 = 0, and no spin but about the axis */
    assert_close(x[1], 0, 1e-15);
    assert_close(x[2], 0, 1e-15);
    assert_close(x[0] * x[0] + x[3] * x[3], 1, 1e-15);
    assert_close(x[4], 0, 1e-15);
    assert_close(x[5], 0, 1e-15);
    assert_close(x[6], 3, 1e-15);
    zw_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_consistent__all_free_moves_along_the_rod),
        cmocka_unit_test(test_consistent__fixed_entries_stay),
        cmocka_unit_test(test_consistent__contradiction_is_refused),
        cmocka_unit_test(test_consistent__redundant_constraints_are_handled),
        cmocka_unit_test(test_consistent__least_change_in_the_mass_metric),
        cmocka_unit_test(test_consistent__quaternions),
        cmocka_unit_test(test_consistent__constraints_on_a_quaternion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
