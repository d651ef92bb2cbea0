/* SPDX-License-Identifier: MIT */
/* zwang linearise --c2d, --lqr: what is reported and written, and wrong options. */
#include <jansson.h>
#include <math.h>

#include "support/command.h"

static answer linearise(const char *arguments) {
    return *zwang_verb("linearise", arguments);
}

#define UP MODEL("cart_pole") " --steady up --states x,phi "

static double number(const json_t *root, const char *object, const char *key, int i, int j) {
    const json_t *row = json_array_get(json_object_get(json_object_get(root, object), key), i);
    const json_t *entry = j < 0 ? row : json_array_get(row, j);
    assert_true(json_is_number(entry));
    return json_number_value(entry);
}

static json_t *load(const char *arguments) {
    answer a = linearise(arguments);
    assert_int_equal(a.code, 0);
    json_t *root = json_loads(a.out, 0, NULL);
    assert_non_null(root);
    return root;
}

/* A_d(2 T) = A_d(T)^2, B_d(2 T) = (1 + A_d) B_d */
static void test_linearise_control__samples(void **state) {
    (void)state;
    json_t *one = load(UP "--c2d 20ms --format json"), *two = load(UP "--c2d 0.04 --format json");
    assert_close(json_number_value(json_object_get(json_object_get(one, "sampled"), "step")), 0.02,
                 1e-17);
    for (int i = 0; i < 4; i++) {
        double b = number(one, "sampled", "b_d", i, 0);
        for (int j = 0; j < 4; j++) {
            double sum = 0, a = number(one, "sampled", "a_d", i, j);
            for (int k = 0; k < 4; k++)
                sum += number(one, "sampled", "a_d", i, k) * number(one, "sampled", "a_d", k, j);
            assert_close(sum, number(two, "sampled", "a_d", i, j), 1e-14);
            b += a * number(one, "sampled", "b_d", j, 0);
        }
        assert_close(b, number(two, "sampled", "b_d", i, 0), 1e-14);
    }
    json_decref(one);
    json_decref(two);
}

/* In continuous time the gain of the place is -sqrt(q/r), whatever the plant; A - B K has the poles
 * that are reported. */
static void test_linearise_control__regulates(void **state) {
    (void)state;
    json_t *root = load(UP "--lqr \"x=10,phi=10,x'=1,phi'=1\" --lqr-r F=0.1 --format json");
    assert_close(number(root, "regulator", "k", 0, 0), -10, 1e-11);
    double trace = 0, poles = 0;
    for (int i = 0; i < 4; i++) {
        const json_t *a = json_array_get(json_array_get(json_object_get(root, "a"), i), i),
                     *b = json_array_get(json_array_get(json_object_get(root, "b"), i), 0),
                     *pole = json_array_get(
                         json_object_get(json_object_get(root, "regulator"), "poles"), i);
        trace += json_number_value(a) - json_number_value(b) * number(root, "regulator", "k", 0, i);
        poles += json_number_value(json_array_get(json_object_get(pole, "value"), 0));
        assert_true(json_number_value(json_array_get(json_object_get(pole, "value"), 0)) < 0);
    }
    assert_close(trace, poles, 1e-11);
    assert_true(json_number_value(json_object_get(json_object_get(root, "regulator"), "residual")) <
                1e-14);
    json_decref(root);
    answer a = linearise(UP "--lqr 10,10,1,1 --lqr-r 0.1");
    assert_has(a.out, "F                         -10     -57.817624     -10.292393      -11.58466");
    assert_has(a.out, "it minimises the integral of y' Q y + u' R u");
    a = linearise(UP "--lqr 10,10,1,1 --lqr-r 0.1 --c2d 10ms");
    assert_has(a.out, "it minimises the sum over all samples of y' Q y + u' R u");
}

static void test_linearise_control__writes(void **state) {
    (void)state;
    answer a = linearise(UP "--lqr x=1 --c2d 10ms --matrices m/");
    assert_int_equal(a.code, 0);
    char text[4096];
    read_file("m/A_d.csv", text, sizeof text);
    assert_has(text, "# rows: x[m],phi[rad],x'[m/s],phi'[rad/s]\n");
    read_file("m/B_d.csv", text, sizeof text);
    assert_has(text, "F[N]\n4.760437944");
    read_file("m/K.csv", text, sizeof text);
    assert_has(text, "# rows: F[N]\nx[m],phi[rad],x'[m/s],phi'[rad/s]\n-0.94298151");
    a = linearise(UP "--lqr x=1 --format csv");
    assert_has(a.out, "K,F,x,N/m,-1");
    a = linearise(UP "--c2d 10ms --format latex");
    assert_has(a.out, "A_d =");
}

static void expect_refused(const char *arguments, const char *text) {
    char line[400];
    snprintf(line, sizeof line, UP "%s", arguments);
    answer a = linearise(line);
    assert_int_equal(a.code, 1);
    assert_has(a.err, text);
    assert_string_equal(a.out, "");
}

static void test_linearise_control__wrong_options(void **state) {
    (void)state;
    expect_refused("--lqr y=1", "the weight 'y=1' of the states is for none of them");
    expect_refused("--lqr x=a", "the weight 'x=a' of the states is not a number");
    expect_refused("--lqr x=-1", "the weight 'x=-1' of the states is negative");
    expect_refused("--lqr x=1,2", "the weight '2' of the states has no name, but others have");
    expect_refused("--lqr 1,2", "2 weights for the 4 states");
    expect_refused("--lqr x=1 --lqr-r F=0", "R of the inputs is not positive definite");
    expect_refused("--lqr phi=1", "a mode on the border of stability has no weight: eigenvalue 0");
    expect_refused("--lqr-r 1", "add the weights of states, --lqr");
    expect_refused("--lqr x=1 --bode F:x", "--lqr is for the matrices at one motion");
    expect_refused("--c2d 1 --over F=0:1", "--c2d is for the matrices at one motion");
    expect_refused("--c2d 1 --symbolic", "--c2d is for numbers, not for formulas");
    expect_refused("--c2d=-1", "--c2d -1 is out of range");
    answer a = linearise(UP "--c2d 10000");
    assert_int_equal(a.code, 2);
    assert_has(a.err, "the sampling time of 10000 s is too long");
    a = linearise(MODEL("double_pendulum") " --set phi_1=0 --set phi_2=0 --lqr phi_1=1");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "a regulator needs an input");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linearise_control__samples),
        cmocka_unit_test(test_linearise_control__regulates),
        cmocka_unit_test(test_linearise_control__writes),
        cmocka_unit_test(test_linearise_control__wrong_options),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
