/* SPDX-License-Identifier: MIT */
/* Vakonomic against nonholonomic motion, and redundant constraints by Gauss's principle. */
#include "support/text_model.h"

enum { MAX = TEXT_MODEL_MAX };

static const char turntable[] = "model table\n"
                                "param r = 0.0127 [m], m = 0.067 [kg], Omega = 4.7 [1/s]\n"
                                "coord x, y [m]\n"
                                "body ball : sphere(m, r) at (x, y, r)\n"
                                "constraint roll_x : x' - r*ball.w.y = -Omega*y\n"
                                "constraint roll_y : y' + r*ball.w.x =  Omega*x\n";

/* a state (x, y, quaternion; x', y', w) that rolls, with spin wz */
static void rolling_state(double wz, double *x) {
    const double r = 0.0127, Omega = 4.7;
    double state[] = {0.08, -0.03, 1, 0, 0, 0, 0.05, 0.11, 0, 0, wz, 0, 0};
    state[8] = (Omega * state[0] - state[7]) / r;
    state[9] = (state[6] + Omega * state[1]) / r;
    memcpy(x, state, sizeof state);
}

/* Lewis and Murray, Lemma 3.1: the accelerations of the vakonomic ball are those of the
 * nonholonomic one only if the multipliers vanish or the ball spins with the table */
static void test_vakonomic__ball_differs_by_multiplier_and_spin(void **state) {
    (void)state;
    text_model rolls, stationary;
    double x[MAX], a[MAX], b[MAX];
    text_model_open(&rolls, turntable, "lagrange", 1e-8);
    text_model_open(&stationary, turntable, "vakonomic", 1e-8);
    assert_int_equal(stationary.kernel->nx, 6 + 5 + 2);
    for (int k = 0; k < 4; k++) {
        bool with_table = k & 1, with_multipliers = k & 2;
        rolling_state(with_table ? 4.7 : 1.3, x);
        x[11] = with_multipliers ? 0.4 : 0;
        x[12] = with_multipliers ? -0.7 : 0;
        text_model_evaluate(&rolls, 0, x, a);
        text_model_evaluate(&stationary, 0, x, b);
        double difference = hypot(a[0] - b[0], a[1] - b[1]);
        if (with_table || !with_multipliers) {
            assert_true(difference < 1e-12 * hypot(a[0], a[1]));
            /* without multipliers mu' is the force of the table on the ball */
            for (int i = 5; !with_multipliers && i < 7; i++)
                assert_close(b[i], a[i], 1e-12);
        } else {
            assert_true(difference > 0.1);
        }
    }
    text_model_close(&rolls);
    text_model_close(&stationary);
}

/* a bead on a rotating ring, constraint as an equation of velocity that is integrable: no
 * difference whatever the multipliers */
static void test_vakonomic__integrable_constraint_makes_no_difference(void **state) {
    (void)state;
    static const char text[] = "model ring\nunits none\ncoord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                               "potential x^3 + 2*y\n"
                               "constraint ring : 2*x*x' + 2*y*y' = 0\n";
    text_model rolls, stationary;
    double x[MAX] = {0.6, 0.8, 0.4, -0.3, 0}, a[MAX], b[MAX];
    text_model_open(&rolls, text, "lagrange", 1e-8);
    text_model_open(&stationary, text, "vakonomic", 1e-8);
    for (int k = 0; k < 3; k++) {
        x[4] = k - 1.3;
        text_model_evaluate(&rolls, 0, x, a);
        text_model_evaluate(&stationary, 0, x, b);
        for (int i = 0; i < 3; i++)
            assert_close(a[i], b[i], 1e-13);
    }
    text_model_close(&rolls);
    text_model_close(&stationary);
}

/* three constraints of which one is the sum of the others: Gauss gives the motion of the two */
static void test_gauss__redundant_constraints(void **state) {
    (void)state;
    static const char two[] =
        "model two\nunits none\ncoord x, y, z\nkinetic x'^2 + 1/2*y'^2 + 2*z'^2 + x'*y'/3\n"
        "potential x*y + z^2\nconstraint a : x' + y*z' = 0\n"
        "constraint b : y^2 + z = 1\n";
    static const char three[] = "model three\nunits none\ncoord x, y, z\n"
                                "kinetic x'^2 + 1/2*y'^2 + 2*z'^2 + x'*y'/3\n"
                                "potential x*y + z^2\nconstraint a : x' + y*z' = 0\n"
                                "constraint b : y^2 + z = 1\n"
                                "constraint c : x' + y*z' + 2*(2*y*y' + z') = 0\n";
    text_model plain, redundant;
    double x[MAX] = {0.3, 0.6, 0.64, 0, 0.5, 0}, a[MAX], b[MAX];
    x[5] = -2 * x[1] * x[4];
    x[3] = -x[1] * x[5];
    text_model_open(&plain, two, "lagrange", 1e-8);
    text_model_open(&redundant, three, "gauss", 1e-8);
    text_model_evaluate(&plain, 0, x, a);
    text_model_evaluate(&redundant, 0, x, b);
    for (int i = 0; i < 3; i++)
        assert_close(a[i], b[i], 1e-12);
    /* along a whole run as well */
    zw_error err = {0};
    assert_int_equal(zw_run_start(plain.run, 0, x, &err), ZW_OK);
    assert_int_equal(zw_run_start(redundant.run, 0, x, &err), ZW_OK);
    assert_int_equal(zw_run_advance(plain.run, 2, NULL, &err), ZW_OK);
    if (zw_run_advance(redundant.run, 2, NULL, &err) < 0)
        fail_msg("%s", err.text);
    for (int i = 0; i < 6; i++)
        assert_close(zw_run_state(plain.run)[i], zw_run_state(redundant.run)[i], 1e-6);
    text_model_close(&plain);
    text_model_close(&redundant);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vakonomic__ball_differs_by_multiplier_and_spin),
        cmocka_unit_test(test_vakonomic__integrable_constraint_makes_no_difference),
        cmocka_unit_test(test_gauss__redundant_constraints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
