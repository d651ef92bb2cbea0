/* SPDX-License-Identifier: MIT */
/* Nonholonomic against vakonomic motion, and how constraints are realised: a large dissipation
 * leads to the first, a large inertia to the second, with an error that falls like the inverse of
 * it. */
#include "support/motion.h"

/* x, y and th at time t of a plan */
static void place_at(const motion_plan *plan, double t, double *out) {
    static const char *const names[3] = {"x", "y", "th"};
    motion m;
    motion_begin(&m, plan);
    motion_to(&m, t);
    for (int i = 0; i < 3; i++)
        out[i] = motion_state(&m, names[i]);
    motion_close(&m);
}

static double apart(const double *a, const double *b) {
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

/* the nonholonomic penny runs on a circle; so does the vakonomic one that starts with m v and 0 */
static void test_realisation__penny(void **state) {
    (void)state;
    const double v = 0.5, turn = 2, radius = v / turn;
    static const char *const principles[2] = {"lagrange", "vakonomic"};
    for (double t = 0.5; t < 5; t += 1.5) {
        double expected[3] = {radius * sin(turn * t), radius * (1 - cos(turn * t)), turn * t};
        double other[3];
        for (int k = 0; k < 2; k++) {
            double place[3];
            place_at(&(motion_plan){"rolling_penny", NULL, NULL, NULL, principles[k], 1e-11}, t,
                     place);
            assert_true(apart(place, expected) < 1e-7);
        }
        /* other multipliers, another motion */
        place_at(&(motion_plan){"rolling_penny", NULL, "lambda(roll.2)=0.05 [N*s]", NULL,
                                "vakonomic", 1e-11},
                 t, other);
        assert_true(apart(other, expected) > 1e-3);
        /* but they play no part in the others */
        place_at(
            &(motion_plan){"rolling_penny", NULL, "lambda(roll.2)=0.05 [N*s]", NULL, NULL, 1e-11},
            t, other);
        assert_true(apart(other, expected) < 1e-7);
    }
}

/* the nonholonomic skate: a cycloid across the slope, b = 2, w = 3 */
static void test_realisation__skate(void **state) {
    (void)state;
    const double b = 2, w = 3;
    for (double t = 0.4; t < 6; t += 0.9) {
        double expected[3] = {b / 2 * pow(sin(w * t) / w, 2),
                              b / 2 / (w * w) * (w * t - sin(2 * w * t) / 2), w * t};
        double place[3];
        place_at(&(motion_plan){"skate", NULL, NULL, NULL, NULL, 1e-11}, t, place);
        assert_true(apart(place, expected) < 1e-8);
    }
    /* downhill in the end, if the action is to be stationary */
    double free[3];
    place_at(&(motion_plan){"skate", NULL, NULL, NULL, "vakonomic", 1e-11}, 6, free);
    assert_true(free[0] > 1);
}

/* the error of a realisation at time 1 for N = 1e2, 1e3, 1e4: ten times smaller each */
static void converges(const char *model, const char *variant, const char *unit,
                      const double *limit) {
    double before = 0;
    for (int k = 2; k <= 5; k++) {
        char set[64];
        double place[3];
        snprintf(set, sizeof set, "N=%g [%s]", pow(10, k), unit);
        place_at(&(motion_plan){model, variant, set, NULL, NULL, 1e-11}, 1, place);
        double error = apart(place, limit);
        if (before > 0)
            assert_true(before / error > 9 && before / error < 11);
        before = error;
    }
    assert_true(before < 1e-3);
}

static void test_realisation__skate_limits(void **state) {
    (void)state;
    double nonholonomic[3], vakonomic[3];
    place_at(&(motion_plan){"skate", NULL, NULL, NULL, NULL, 1e-12}, 1, nonholonomic);
    place_at(&(motion_plan){"skate", NULL, NULL, NULL, "vakonomic", 1e-12}, 1, vakonomic);
    assert_true(apart(nonholonomic, vakonomic) > 0.05);
    converges("skate", "viscous", "kg/s", nonholonomic);
    converges("skate", "inertial", "kg", vakonomic);
}

/* mass and damper: y = 0.1 cos 2t in both limits, the error at a fixed time ten times smaller
 * each */
static void test_realisation__mass_or_damper(void **state) {
    (void)state;
    static const char *const settings[2] = {"M=%g [kg]", "c=%g [N*s/m]"};
    for (int way = 0; way < 2; way++) {
        double before = 0;
        for (int k = 2; k <= 5; k++) {
            motion m;
            char set[64];
            snprintf(set, sizeof set, settings[way], pow(10, k));
            motion_open(&m, "mass_damper", NULL, set, 1e-11);
            motion_to(&m, 2.7);
            double error = hypot(motion_state(&m, "x"), motion_state(&m, "y") - 0.1 * cos(2 * 2.7));
            if (before > 0)
                assert_true(before / error > 9 && before / error < 11);
            before = error;
            motion_close(&m);
        }
        assert_true(before < 1e-5);
    }
    /* and the constraint itself, by both principles, as it is holonomic */
    static const char *const principles[2] = {"lagrange", "vakonomic"};
    for (int k = 0; k < 2; k++) {
        motion m;
        motion_begin(&m, &(motion_plan){"mass_damper", NULL, NULL, "hold", principles[k], 1e-11});
        motion_to(&m, 2.7);
        assert_close(motion_state(&m, "x"), 0, 1e-10);
        assert_close(motion_state(&m, "y"), 0.1 * cos(2 * 2.7), 1e-9);
        motion_close(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_realisation__penny),
        cmocka_unit_test(test_realisation__skate),
        cmocka_unit_test(test_realisation__skate_limits),
        cmocka_unit_test(test_realisation__mass_or_damper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
