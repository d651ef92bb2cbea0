/* SPDX-License-Identifier: MIT */
/* The completion of starts on kernels made by hand: without widths, names or a language. */
#include "support/kernels.h"
#include "support/test.h"

static const double pendulum[] = {2, 1.5, 9.81};

static void test_complete__what_is_not_said(void **state) {
    (void)state;
    zw_kernel k = pendulum_kernel();
    zw_run *run;
    assert_int_equal(zw_run_create(&run, &k, pendulum, NULL, NULL), ZW_OK);
    /* y is tried from 0, where it has no gradient */
    double x[] = {0.9, 0, 2, 0}, other[2 * 4];
    const zw_said said[] = {ZW_GIVEN, ZW_UNSAID, ZW_GIVEN, ZW_UNSAID};
    zw_run_completion done = {.size = sizeof done, .other_most = 2, .other = other};
    assert_int_equal(zw_run_complete(run, 0, x, said, NULL, &done, NULL), ZW_OK);
    assert_true(x[0] == 0.9 && x[2] == 2);
    assert_close(fabs(x[1]), 1.2, 1e-14);
    assert_close(x[0] * x[2] + x[1] * x[3], 0, 1e-14);
    assert_int_equal(done.nother, 1);
    assert_close(other[1], -x[1], 1e-13);
    assert_true(done.freedom_position == 0 && done.freedom_velocity == 0);
    /* a guess on the other side, and nobody who wants to hear of it */
    double y[] = {0.9, -x[1] / 8, 2, 0};
    const zw_said about[] = {ZW_GIVEN, ZW_GUESSED, ZW_GIVEN, ZW_UNSAID};
    assert_int_equal(zw_run_complete(run, 0, y, about, NULL, NULL, NULL), ZW_OK);
    assert_close(y[1], -x[1], 1e-14);
    /* what holds is left alone, bit for bit */
    double z[4];
    memcpy(z, y, sizeof z);
    const zw_said nothing[4] = {ZW_UNSAID};
    assert_int_equal(zw_run_complete(run, 0, z, nothing, NULL, NULL, NULL), ZW_OK);
    assert_memory_equal(z, y, sizeof z);
    zw_run_destroy(run);
}

/* it differs from zw_run_consistent, which moves all that is free */
static void test_complete__moves_one_where_one_will_do(void **state) {
    (void)state;
    zw_kernel k = pendulum_kernel();
    zw_run *run;
    assert_int_equal(zw_run_create(&run, &k, pendulum, NULL, NULL), ZW_OK);
    double x[] = {0, -1.4, 0, 0}, y[] = {0.1, -1.4, 0, 0};
    const zw_said said[] = {ZW_UNSAID, ZW_GUESSED, ZW_UNSAID, ZW_UNSAID};
    /* the guess stays, x moves though it has no gradient at 0 */
    assert_int_equal(zw_run_complete(run, 0, x, said, NULL, NULL, NULL), ZW_OK);
    assert_true(x[1] == -1.4);
    assert_close(fabs(x[0]), sqrt(1.5 * 1.5 - 1.4 * 1.4), 1e-14);
    assert_int_equal(zw_run_consistent(run, 0, y, NULL, NULL, NULL), ZW_OK);
    assert_true(y[0] != 0.1 && y[1] != -1.4);
    zw_run_destroy(run);
}

static void test_complete__refuses_with_the_nearest_place(void **state) {
    (void)state;
    zw_kernel k = pendulum_kernel();
    zw_run *run;
    assert_int_equal(zw_run_create(&run, &k, pendulum, NULL, NULL), ZW_OK);
    const double before[] = {2, 0.3, 0, 0}; /* longer than the rod */
    double x[4];
    memcpy(x, before, sizeof x);
    const zw_said said[] = {ZW_GIVEN, ZW_UNSAID, ZW_UNSAID, ZW_UNSAID};
    zw_error err = {0};
    assert_int_equal(zw_run_complete(run, 0, x, said, NULL, NULL, &err), ZW_E_START);
    assert_memory_equal(x, before, sizeof x); /* untouched */
    assert_non_null(strstr(err.text, "residual"));
    zw_fault fault = zw_run_last_fault(run);
    assert_true(fault.kind == ZW_FAULT_POSITION && fault.index == 0);
    const double *nearest = zw_run_fault_state(run);
    assert_non_null(nearest);
    assert_true(nearest[0] == 2 && fabs(nearest[1]) < 1e-3);
    const zw_said all[] = {ZW_GIVEN, ZW_GIVEN, ZW_GIVEN, ZW_GIVEN};
    double along[] = {1.5, 0, 1, 0}; /* a velocity along the rod */
    assert_int_equal(zw_run_complete(run, 0, along, all, NULL, NULL, NULL), ZW_E_START);
    assert_int_equal(zw_run_last_fault(run).kind, ZW_FAULT_VELOCITY);
    double bad[] = {NAN, 0, 0, 0};
    assert_int_equal(zw_run_complete(run, 0, bad, said, NULL, NULL, NULL), ZW_E_NONFINITE);
    zw_run_destroy(run);
}

static void test_complete__redundant_and_contradictory_rows(void **state) {
    (void)state;
    const double agreeing[] = {2, 1.5, 9.81, 0}, contradictory[] = {2, 1.5, 9.81, 0.25};
    zw_kernel k = twice_kernel();
    zw_run *run;
    double x[] = {0.9, 0, 2, 0};
    const zw_said said[] = {ZW_GIVEN, ZW_UNSAID, ZW_GIVEN, ZW_UNSAID};
    assert_int_equal(zw_run_create(&run, &k, agreeing, NULL, NULL), ZW_OK);
    assert_int_equal(zw_run_complete(run, 0, x, said, NULL, NULL, NULL), ZW_OK);
    assert_close(fabs(x[1]), 1.2, 1e-14);
    zw_run_destroy(run);
    assert_int_equal(zw_run_create(&run, &k, contradictory, NULL, NULL), ZW_OK);
    assert_int_equal(zw_run_complete(run, 0, x, said, NULL, NULL, NULL), ZW_E_START);
    zw_run_destroy(run);
}

static void test_complete__quaternions(void **state) {
    (void)state;
    const double p[] = {1, 2, 3};
    zw_kernel k = top_kernel();
    zw_run *run;
    assert_int_equal(zw_run_create(&run, &k, p, NULL, NULL), ZW_OK);
    double x[] = {1, 0.6, 0, 0, 1, 2, 3};
    zw_said said[7] = {ZW_UNSAID, ZW_GIVEN};
    assert_int_equal(zw_run_complete(run, 0, x, said, NULL, NULL, NULL), ZW_OK);
    assert_close(x[0], 0.8, 1e-15);
    assert_true(x[1] == 0.6 && x[4] == 1 && x[5] == 2 && x[6] == 3);
    double bad[] = {1, 1.2, 0, 0, 0, 0, 0};
    assert_int_equal(zw_run_complete(run, 0, bad, said, NULL, NULL, NULL), ZW_E_START);
    assert_int_equal(zw_run_last_fault(run).kind, ZW_FAULT_UNIT);
    zw_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_complete__what_is_not_said),
        cmocka_unit_test(test_complete__moves_one_where_one_will_do),
        cmocka_unit_test(test_complete__refuses_with_the_nearest_place),
        cmocka_unit_test(test_complete__redundant_and_contradictory_rows),
        cmocka_unit_test(test_complete__quaternions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
