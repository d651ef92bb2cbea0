/* SPDX-License-Identifier: MIT */
/* zwang compare: the numbers it reports on the shipped models and its verdict. */
#include <glob.h>
#include <jansson.h>
#include <stdbool.h>

#include "support/command.h"

/* run "zwang compare ARGUMENTS"; the exit code, and both outputs in `out` and `messages` */
static const char *out, *messages;

static int compare(const char *arguments) {
    const answer *a = zwang_verb("compare", arguments);
    out = a->out;
    messages = a->err;
    return a->code;
}

static const char SLEIGH[] =
    "model sleigh\nparam m = 1 [kg], J = 0.1 [kg*m^2], a = 0.3 [m]\ncoord x, y [m], th [rad]\n"
    "let cog = (x + a*cos(th), y + a*sin(th))\n"
    "kinetic 1/2*m*dot(cog', cog') + 1/2*J*th'^2\n"
    "constraint blade : cos(th)*y' = sin(th)*x'\nstart x' = 1 [m/s], th' = 0.5 [rad/s]\n";

/* the answer as JSON */
static json_t *compare_json(const char *arguments, int code) {
    char all[1024];
    snprintf(all, sizeof all, "%s --json", arguments);
    int got = compare(all);
    if (got != code)
        fail_msg("%s: exit code %d: %s", arguments, got, messages);
    json_error_t error;
    json_t *j = json_loads(out, 0, &error);
    if (!j)
        fail_msg("%s: %s in %s", arguments, error.text, out);
    return j;
}

static json_t *principle(json_t *j, const char *name) {
    size_t i;
    json_t *row;
    json_array_foreach(json_object_get(j, "principles"), i, row) {
        if (strcmp(json_string_value(json_object_get(row, "principle")), name) == 0)
            return row;
    }
    fail_msg("no principle %s", name);
    return NULL;
}

static int integer(json_t *j, const char *key) {
    json_t *value = json_object_get(j, key);
    if (!json_is_integer(value))
        fail_msg("no integer %s", key);
    return (int)json_integer_value(value);
}

static double number(json_t *j, const char *key) {
    json_t *value = json_object_get(j, key);
    if (!json_is_number(value))
        fail_msg("no number %s", key);
    return json_number_value(value);
}

static bool truth(json_t *j, const char *key) {
    json_t *value = json_object_get(j, key);
    assert_true(json_is_boolean(value));
    return json_is_true(value);
}

/* how many principles apply, with every difference within 1e-11 */
static int count_agreeing(json_t *j, const char *model) {
    size_t i;
    json_t *row;
    int n = 0;
    json_array_foreach(json_object_get(j, "principles"), i, row) {
        const char *name = json_string_value(json_object_get(row, "principle"));
        static const char *const kinds[] = {"accelerations", "multipliers"};
        if (!truth(row, "applies")) {
            assert_true(strlen(json_string_value(json_object_get(row, "reason"))) > 10);
            continue;
        }
        n++;
        if (strcmp(name, "vakonomic") == 0 && !truth(json_object_get(j, "vakonomic"), "holonomic"))
            continue;
        for (int k = 0; k < 2; k++) {
            json_t *worst = json_object_get(row, kinds[k]);
            assert_true(json_is_object(worst));
            if (!json_is_null(json_object_get(worst, "difference")) &&
                !(number(worst, "difference") <= 1e-11))
                fail_msg("%s by %s: %s differ by %g", model, name, kinds[k],
                         number(worst, "difference"));
        }
    }
    return n;
}

static void test_compare__agrees_on_shipped_models(void **state) {
    (void)state;
    glob_t files;
    assert_int_equal(glob(ZW_SOURCE_DIR "/models/*.zw", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        if (!test_takes(3, "agree", strrchr(files.gl_pathv[i], '/'), ""))
            continue;
        bool formulas =
            strstr(files.gl_pathv[i], "lorenz") || strstr(files.gl_pathv[i], "roessler") ||
            strstr(files.gl_pathv[i], "nagumo") || strstr(files.gl_pathv[i], "bogdanov_takens") ||
            strstr(files.gl_pathv[i], "tippedisk_slow") ||
            strstr(files.gl_pathv[i], "tippedisk_spinning") ||
            strstr(files.gl_pathv[i], "final_state_map") ||
            strstr(files.gl_pathv[i], "tippedisk_normalised") ||
            strstr(files.gl_pathv[i], "tippedisk_balance");
        if (formulas && compare(files.gl_pathv[i]) == 1) { /* a model without mechanics says so */
            assert_has(messages, "has states alone: there is nothing to compare");
            continue;
        }
        json_t *j = compare_json(files.gl_pathv[i], 0);
        assert_true(truth(j, "agree"));
        assert_int_equal(integer(j, "random_states"), 20);
        if (count_agreeing(j, files.gl_pathv[i]) < 2)
            fail_msg("%s: nothing was compared", files.gl_pathv[i]);
        json_decref(j);
    }
    globfree(&files);
}

static void assert_counts(json_t *j, const char *name, int dynamic, int constraints,
                          int accelerations, int multipliers) {
    json_t *row = principle(j, name);
    assert_int_equal(integer(row, "dynamic"), dynamic);
    assert_int_equal(integer(row, "constraints"), constraints);
    assert_int_equal(integer(row, "equations"), dynamic + constraints);
    assert_int_equal(integer(row, "unknown_accelerations"), accelerations);
    assert_int_equal(integer(row, "unknown_multipliers"), multipliers);
    assert_int_equal(integer(row, "unknowns"), accelerations + multipliers);
    assert_true(integer(row, "operations") > 0);
    assert_true(number(row, "derive_time") > 0);
    assert_true(number(row, "lower_time") > 0);
    assert_true(number(row, "evaluate_time") > 0);
}

static void test_compare__counts(void **state) {
    (void)state;
    /* the ball has 5 velocities and 2 constraints */
    json_t *j = compare_json(MODEL("turntable_ball") " --states 5", 0);
    assert_counts(j, "lagrange", 5, 2, 5, 2);
    assert_counts(j, "gauss", 5, 2, 5, 2);
    assert_counts(j, "hamilton", 5, 2, 5, 2);
    assert_counts(j, "vakonomic", 5, 2, 5, 2);
    assert_counts(j, "maggi", 3, 2, 5, 0);
    assert_counts(j, "boltzmann-hamel", 3, 2, 5, 0);
    assert_counts(j, "gibbs-appell", 3, 2, 5, 0);
    assert_counts(j, "kane", 3, 2, 5, 0);
    assert_false(truth(principle(j, "voronets"), "applies"));
    assert_has(json_string_value(json_object_get(principle(j, "voronets"), "reason")),
               "quasi-velocity");
    json_decref(j);
    j = compare_json(MODEL("double_pendulum") " --states 5", 0);
    assert_counts(j, "lagrange", 2, 0, 2, 0);
    assert_counts(j, "chaplygin", 2, 0, 2, 0);
    assert_int_equal(integer(j, "run_states"), 0);
    json_decref(j);
}

static void test_compare__vakonomic(void **state) {
    (void)state;
    json_t *j = compare_json(MODEL("turntable_ball") " --until 2", 0);
    json_t *v = json_object_get(j, "vakonomic");
    assert_false(truth(v, "holonomic"));
    assert_true(number(v, "random_multipliers") > 0.1);
    /* with multipliers 0 the bracket of src/mech/vakonomic.c vanishes; then they grow */
    assert_true(number(v, "start_multipliers") <= 1e-11);
    assert_true(number(v, "own_run") > 0.1);
    assert_has(json_string_value(json_object_get(v, "reason")), "roll_x, roll_y are not");
    assert_int_equal(integer(j, "run_states"), 51);
    json_decref(j);
    j = compare_json(MODEL("pendulum_cartesian") " --until 2", 0);
    v = json_object_get(j, "vakonomic");
    assert_true(truth(v, "holonomic"));
    assert_true(number(v, "random_multipliers") <= 1e-11);
    assert_true(number(v, "own_run") <= 1e-9);
    json_decref(j);
    assert_int_equal(compare(MODEL("turntable_ball")), 0);
    assert_has(out, "vakonomic: a different principle here");
}

static void test_compare__is_reproducible(void **state) {
    (void)state;
    static const char *const names[] = {"maggi", "voronets", "hamilton"};
    json_t *a = compare_json(MODEL("pendulum_cartesian"), 0);
    json_t *b = compare_json(MODEL("pendulum_cartesian"), 0);
    for (int i = 0; i < 3; i++) {
        json_t *x = json_object_get(principle(a, names[i]), "accelerations");
        assert_true(json_equal(x, json_object_get(principle(b, names[i]), "accelerations")));
        assert_true(number(x, "difference") > 0);
    }
    json_decref(a);
    json_decref(b);
}

/* no two roundings are the same: with tolerance 0 they disagree, and it is said where */
static void test_compare__names_the_worst_place(void **state) {
    (void)state;
    json_t *j = compare_json(MODEL("pendulum_cartesian") " --tolerance 0", 2);
    assert_false(truth(j, "agree"));
    json_decref(j);
    assert_has(messages, "differs from lagrange by");
    assert_has(messages, "random state");
    assert_int_equal(compare(MODEL("pendulum_cartesian") " --tolerance 0"), 2);
    assert_has(out, "largest difference");
    assert_int_equal(compare(MODEL("duffing") " --states 0"), 1);
    assert_int_equal(compare("nowhere.zw"), 1);
}

static void test_compare__redundant_constraints(void **state) {
    (void)state;
    write_file("twice.zw", "model twice\nparam m = 1 [kg], g = 9.81 [m/s^2]\ncoord x, y [m]\n"
                           "particle P : m at (x, y)\ngravity g along -y\n"
                           "constraint a : x = 0.3*y\nconstraint b : 2*x = 0.6*y\n");
    json_t *j = compare_json("twice.zw", 0);
    assert_string_equal(json_string_value(json_object_get(j, "reference")), "gauss");
    assert_int_equal(integer(principle(j, "lagrange"), "singular_states"), 20);
    assert_false(truth(principle(j, "maggi"), "applies"));
    json_decref(j);
    write_file("never.zw", "model never\nparam m = 1 [kg]\ncoord x [m]\nparticle P : m at (x, 0)\n"
                           "constraint a : x = 0\nconstraint b : x = 1 [m]\n");
    assert_int_equal(compare("never.zw"), 1);
    assert_has(messages, "no admissible state");
}

/* ------------------------------------------------------------------------------ least curvature */

static void assert_hertz(const char *model, const char *line) {
    assert_int_equal(compare(model), 0);
    assert_has(out, line);
}

static void test_compare__hertz_applies_or_says_why(void **state) {
    (void)state;
    write_file("sleigh.zw", SLEIGH);
    assert_hertz("sleigh.zw", "Hertz: least curvature holds at 20 states");
    assert_hertz(MODEL("turntable_ball") " --set Omega=0 --states 7",
                 "Hertz: least curvature holds at 7 states");
    assert_hertz(MODEL("turntable_ball"), "not applicable: the constraint roll_x moves");
    assert_hertz(MODEL("duffing"), "not applicable: forces act");
    write_file("lift.zw", "model lift\nparam m = 1 [kg], v = 1 [m/s]\ncoord x, y [m]\n"
                          "particle P : m at (x, y)\nconstraint floor : y = v*t\n");
    assert_hertz("lift.zw", "not applicable: the constraint floor contains time");
    /* centrifugal terms: T holds a part without velocities */
    write_file("hoop.zw", "model hoop\nparam m = 1 [kg], w = 2 [rad/s]\ncoord x [m]\n"
                          "particle P : m at (x*cos(w*t), x*sin(w*t))\n");
    assert_hertz("hoop.zw", "not applicable: the kinetic energy");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compare__agrees_on_shipped_models),
        cmocka_unit_test(test_compare__counts),
        cmocka_unit_test(test_compare__vakonomic),
        cmocka_unit_test(test_compare__is_reproducible),
        cmocka_unit_test(test_compare__names_the_worst_place),
        cmocka_unit_test(test_compare__redundant_constraints),
        cmocka_unit_test(test_compare__hertz_applies_or_says_why),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
