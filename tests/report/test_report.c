/* SPDX-License-Identifier: MIT */
/* Reports against texts written by hand, and their JSON as another library reads it (jansson). */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "support/failing_allocator.h"
#include "support/test.h"
#include "zwang/report.h"

static char *text_of(const zw_report *r) {
    zw_bytes bytes;
    assert_int_equal(zw_report_text(r, &bytes, NULL), ZW_OK);
    return bytes.data;
}

static void expect_text(const zw_report *r, const char *expected) {
    char *text = text_of(r);
    assert_string_equal(text, expected);
    free(text);
}

static json_t *json_of(const zw_report *r) {
    zw_bytes bytes;
    json_error_t error;
    assert_int_equal(zw_report_json(r, &bytes, NULL), ZW_OK);
    json_t *json = json_loads(bytes.data, JSON_REJECT_DUPLICATES, &error);
    if (!json)
        fail_msg("line %d: %s in: %s", error.line, error.text, bytes.data);
    zw_bytes_clear(&bytes);
    return json;
}

/* conjugate pairs are one entry in words and two in JSON; errors of entries count in lists */
static void test_report__complexes(void **state) {
    const double re[] = {2, 0.5, 0.5, 0.25, 0, 0, 0, 0, 0},
                 im[] = {0, 0.125, -0.125, 0, 0, 0, 0, 0, 0};
    const double v[] = {0.123456, 0.123456}, error[] = {1e-3, 1e-5};
    zw_report *r = zw_report_create(NULL);
    (void)state;
    zw_report_complexes(r, "some", 4, re, im, &(zw_shown){.unit = "1/s"});
    zw_report_complexes(r, "many", 9, re, im, NULL);
    zw_report_complexes(r, "none", 0, re, im, NULL);
    zw_report_vector(r, "known", 2, v, error, NULL);
    zw_report_say(r, "{some}; {many}; {none?some}{none!none}; {known}");
    expect_text(r, "2, 0.5 +- 0.125i, 0.25 1/s; 2, 0.5 +- 0.125i, 0.25, 0, 0, 0, 0, ...; none; "
                   "0.123, 0.12346");
    json_t *json = json_of(r);
    json_t *pair = json_array_get(json_object_get(json, "some"), 2);
    assert_int_equal(json_array_size(json_object_get(json, "some")), 4);
    assert_float_equal(json_number_value(json_array_get(pair, 1)), -0.125, 0);
    assert_int_equal(json_array_size(json_object_get(json, "none")), 0);
    json_decref(json);
    zw_report_destroy(r);
}

/* two orbits, one without a period */
static void describe_orbits(zw_report *r) {
    const double matrix[] = {1, 2, 3, 4, 5, 6}, errors[] = {0.1, 0, 0.01};
    const char *const names[] = {"x", "B.wy"};
    zw_report_word(r, "model", "van_der_pol");
    zw_report_count(r, "orbit_count", 2);
    zw_report_say(r, "{model}: {orbit_count|orbit|orbits}\n");
    zw_report_list(r, "orbits");
    for (int i = 0; i < 2; i++) {
        zw_report_open(r, NULL);
        zw_report_say(r, "  {number:3}: {stable?stable}{stable!unstable}{period?, period "
                         "{period}}, {intervals|interval|intervals}\n");
        zw_report_count(r, "number", i);
        zw_report_flag(r, "stable", i == 0);
        zw_report_number(r, "period", i == 0 ? 6.663286859372768 : NAN,
                         &(zw_shown){.unit = "s", .error = 1e-6});
        zw_report_count(r, "intervals", i == 0 ? 53 : 1);
        zw_report_close(r);
    }
    zw_report_close(r);
    zw_report_complex(r, "multiplier", 0.5, -0.25, NULL);
    zw_report_matrix(r, "jacobian", 2, 3, matrix, &(zw_shown){.unit = "1/s"});
    zw_report_vector(r, "shape", 3, matrix, errors, NULL);
    zw_report_words(r, "names", 2, names);
    zw_report_formula(r, "rate", "2*x", "2 \\, x");
}

static void test_report__words_follow_the_templates(void **state) {
    (void)state;
    zw_report *r = zw_report_create(NULL);
    describe_orbits(r);
    zw_report_say(r, "multiplier {multiplier}; {names}; {shape}; x' = {rate}; {{set}}\n{shape*  "
                     "shape_{#:-3}{.}\n}{names*{#}: {.}; }\n");
    expect_text(r, "van_der_pol: 2 orbits\n"
                   "    0: stable, period 6.663287 s, 53 intervals\n"
                   "    1: unstable, 1 interval\n"
                   "multiplier 0.5 - 0.25 i; x, B.wy; 1, 2, 3; x' = 2*x; {set}\n"
                   "  shape_1  1\n  shape_2  2\n  shape_3  3\n1: x; 2: B.wy; \n");
    zw_report_destroy(r);
}

/* a pair of conjugate numbers, a real and an imaginary one, at the right of some columns */
static void test_report__pairs(void **state) {
    (void)state;
    zw_report *r = zw_report_create(NULL);
    zw_report_complex(r, "pair", -0.5, 2, &(zw_shown){.unit = "1/s"});
    zw_report_complex(r, "real", 3, 0, &(zw_shown){.unit = "1/s"});
    zw_report_complex(r, "pure", 0, -2, NULL);
    zw_report_say(r, "{pair:~}|{real:~}|{pure:~}|{pair:~16}|{pure:~-6}|{pure}");
    expect_text(r, "-0.5 +- 2i 1/s|3 1/s|+-2i|  -0.5 +- 2i 1/s|+-2i  |0 - 2 i");
    zw_report_destroy(r);
}

/* a matrix with names: sentences show rounding as zero, JSON has the numbers */
static void test_report__blocks(void **state) {
    (void)state;
    static const char *const row[] = {"x'", "long name"}, *const column[] = {"x", "y"},
                             *const latex[] = {"\\dot x", "z"};
    const double v[] = {1, -2.5, 1e-20, 4}, shown[] = {1, -2.5, 0, 4};
    const zw_report_names names = {
        .title = "A", .row = row, .column = column, .row_latex = latex, .shown = shown};
    zw_report *r = zw_report_create(NULL);
    zw_report_block(r, "a", 2, 2, v, &names, NULL);
    zw_report_say(r, "{a:6}");
    expect_text(r, "  A                 x      y\n"
                   "  x'                1   -2.5\n"
                   "  long name         0      4\n");
    json_t *json = json_of(r), *below = json_array_get(json_object_get(json, "a"), 1);
    assert_true(json_number_value(json_array_get(below, 0)) == 1e-20);
    json_decref(json);
    zw_bytes bytes;
    assert_int_equal(zw_report_latex(r, &bytes, NULL), ZW_OK);
    assert_non_null(strstr(bytes.data, "\\dot x & 1 & -2.5"));
    assert_non_null(strstr(bytes.data, "& \\text{x} & \\text{y}"));
    zw_bytes_clear(&bytes);
    zw_report_destroy(r);
}

/* what a report is about could not be computed for lack of memory: nothing is written */
static void test_report__a_failure_of_what_is_reported(void **state) {
    (void)state;
    zw_report *r = zw_report_create(NULL);
    zw_bytes bytes;
    zw_report_word(r, "model", "m");
    zw_report_fail(r);
    zw_report_word(r, "more", "m");
    assert_int_equal(zw_report_text(r, &bytes, NULL), ZW_E_MEMORY);
    assert_int_equal(zw_report_json(r, &bytes, NULL), ZW_E_MEMORY);
    zw_report_destroy(r);
}

/* sentences of a part that is muted stay out, whatever its parts do */
static void test_report__muted_parts(void **state) {
    (void)state;
    zw_report *r = zw_report_create(NULL);
    bool outer = zw_report_mute(r, true);
    assert_false(outer);
    bool inner = zw_report_mute(r, true);
    zw_report_mute(r, inner);
    zw_report_say(r, "hidden");
    zw_report_mute(r, outer);
    zw_report_say(r, "shown");
    expect_text(r, "shown");
    zw_report_destroy(r);
}

static void test_report__json_has_all_values_and_units(void **state) {
    (void)state;
    zw_report *r = zw_report_create(NULL);
    describe_orbits(r);
    json_t *json = json_of(r), *orbits = json_object_get(json, "orbits"),
           *first = json_array_get(orbits, 0), *second = json_array_get(orbits, 1);
    assert_string_equal(json_string_value(json_object_get(json, "model")), "van_der_pol");
    assert_int_equal(json_array_size(orbits), 2);
    assert_true(json_real_value(json_object_get(first, "period")) == 6.663286859372768);
    assert_true(json_real_value(json_object_get(first, "period_error")) == 1e-6);
    assert_true(json_is_null(json_object_get(second, "period")));
    assert_true(json_is_true(json_object_get(first, "stable")));
    json_t *jacobian = json_object_get(json, "jacobian");
    assert_int_equal(json_array_size(jacobian), 2);
    assert_int_equal(json_integer_value(json_array_get(json_array_get(jacobian, 1), 2)), 6);
    assert_true(json_real_value(json_array_get(json_object_get(json, "shape_error"), 2)) == 0.01);
    json_t *z = json_object_get(json, "multiplier");
    assert_true(json_number_value(json_array_get(z, 1)) == -0.25);
    json_t *units = json_object_get(json, "units");
    assert_string_equal(json_string_value(json_object_get(units, "orbits.period")), "s");
    assert_string_equal(json_string_value(json_object_get(units, "jacobian")), "1/s");
    assert_int_equal(json_object_size(units), 2);
    json_decref(json);
    zw_report_destroy(r);
}

/* where an entry of a list has another unit, its path has none */
static void test_report__units_that_differ_are_left_out(void **state) {
    (void)state;
    zw_report *r = zw_report_create(NULL);
    zw_report_list(r, "quantities");
    for (int i = 0; i < 2; i++) {
        zw_report_open(r, NULL);
        zw_report_number(r, "max", i, &(zw_shown){.unit = i ? "rad" : "m"});
        zw_report_close(r);
    }
    zw_report_close(r);
    json_t *json = json_of(r);
    assert_null(json_object_get(json, "units"));
    json_decref(json);
    zw_report_destroy(r);
}

static void test_report__latex_typesets_numbers_and_escapes_words(void **state) {
    (void)state;
    zw_bytes bytes;
    zw_report *r = zw_report_create(NULL);
    zw_report_word(r, "model", "van_der_pol");
    zw_report_number(r, "error", 1.5e-7, &(zw_shown){.unit = "m/s^2"});
    zw_report_formula(r, "rate", "2*x", "2 \\, x");
    zw_report_say(r, "{model}: {rate} to {error}, 5 %\n");
    assert_int_equal(zw_report_latex(r, &bytes, NULL), ZW_OK);
    assert_string_equal(bytes.data,
                        "van\\_der\\_pol: $2 \\, x$ to $1.5 \\cdot 10^{-7}$~m/s\\^{}2, 5 "
                        "\\%\\\\\n");
    zw_bytes_clear(&bytes);
    zw_report_destroy(r);
}

static void test_report__digits_follow_the_error(void **state) {
    (void)state;
    zw_report *r = zw_report_create(NULL);
    zw_report_number(r, "a", 0.1101132, &(zw_shown){.error = 2e-6});
    zw_report_number(r, "b", 0.1101132, &(zw_shown){.error = 2e-4, .with_error = true});
    zw_report_number(r, "e", 9.4, &(zw_shown){.error = 2e-4, .with_error = true});
    zw_report_number(r, "f", 1.0 / 3, &(zw_shown){.error = 1e-14, .with_error = true});
    zw_report_number(r, "g", 0, &(zw_shown){.error = 2e-3, .with_error = true});
    zw_report_number(r, "h", 345.2236,
                     &(zw_shown){.error = 0.7848, .with_error = true, .error_digits = 2});
    zw_report_number(r, "i", -7e-15,
                     &(zw_shown){.error = 0.7, .with_error = true, .error_digits = 2});
    zw_report_number(r, "c", M_PI, &(zw_shown){.digits = 4, .unit = "rad"});
    zw_report_number(r, "d", NAN, &(zw_shown){.none = "not computed", .unit = "rad"});
    zw_report_say(r, "{a} {b} {e} {f} {g} {h} {i} {c} {d}|{a:10}|{a:-10}|\n");
    expect_text(
        r, "0.11011 0.1101 +- 0.0002 9.4000 +- 0.0002 0.3333333333 0 +- 0.002 345.22 +- 0.78 0 "
           "+- 0.70 3.142 rad not computed|   "
           "0.11011|0.11011   |\n");
    zw_report_destroy(r);
}

static void test_report__signs_are_operators(void **state) {
    (void)state;
    zw_report *r = zw_report_create(NULL);
    zw_report_number(r, "cos", -0.25, &(zw_shown){.unit = "J"});
    zw_report_number(r, "sin", 3, NULL);
    zw_report_say(r, "1 {cos:+} cos(t) {sin:+} sin(t)\n");
    expect_text(r, "1 - 0.25 J cos(t) + 3 sin(t)\n");
    zw_report_destroy(r);
}

static void test_report__a_sentence_sees_the_objects_around_it(void **state) {
    (void)state;
    zw_report *r = zw_report_create(NULL);
    zw_report_word(r, "parameter", "Omega");
    zw_report_open(r, "branch");
    zw_report_say(r, "{parameter} = {value}{second? and {second}}{third!, no third}\n");
    zw_report_number(r, "value", 3, NULL);
    zw_report_close(r);
    expect_text(r, "Omega = 3, no third\n");
    zw_report_destroy(r);
}

static void test_report__rows_are_a_table(void **state) {
    (void)state;
    zw_table *t;
    zw_error err = {0};
    zw_report *r = zw_report_create(NULL);
    describe_orbits(r);
    assert_int_equal(zw_report_rows(r, "orbits", &t, NULL), ZW_OK);
    assert_int_equal(zw_table_rows(t), 2);
    assert_true(zw_table_at(t, 0, zw_table_find(t, "period")) == 6.663286859372768);
    assert_true(isnan(zw_table_at(t, 1, zw_table_find(t, "period"))));
    assert_string_equal(zw_table_unit(t, zw_table_find(t, "period")), "s");
    assert_true(zw_table_at(t, 1, zw_table_find(t, "stable")) == 0);
    zw_table_destroy(t);
    assert_int_equal(zw_report_rows(r, "model", &t, &err), ZW_E_NAME);
    assert_null(t);
    assert_string_equal(err.text, "the report has no list 'model'");
    zw_report_destroy(r);
}

static void test_report__values_are_found_by_their_path(void **state) {
    (void)state;
    zw_report *r = zw_report_create(NULL);
    describe_orbits(r);
    assert_true(zw_report_get_number(r, "orbits.1.intervals") == 1);
    assert_true(zw_report_get_number(r, "orbits.0.stable") == 1);
    assert_string_equal(zw_report_get_word(r, "model"), "van_der_pol");
    assert_true(isnan(zw_report_get_number(r, "orbits.2.period")));
    assert_true(isnan(zw_report_get_number(r, "model")));
    assert_null(zw_report_get_word(r, "orbits"));
    zw_report_destroy(r);
}

/* every n-th allocation fails */
static void test_report__memory_that_runs_out_is_an_error(void **state) {
    (void)state;
    for (long n = 1;; n = failing_allocator_next(n)) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_bytes text = {0}, json = {0};
        zw_table *t = NULL;
        zw_report *r = zw_report_create(&alloc);
        zw_status a = ZW_E_MEMORY, b = ZW_E_MEMORY, c = ZW_E_MEMORY;
        if (r) {
            describe_orbits(r);
            a = zw_report_text(r, &text, NULL);
            b = zw_report_json(r, &json, NULL);
            c = zw_report_rows(r, "orbits", &t, NULL);
        }
        bool failed = a < 0 || b < 0 || c < 0;
        assert_int_equal(failed, f.failed);
        zw_bytes_clear(&text);
        zw_bytes_clear(&json);
        zw_table_destroy(t);
        zw_report_destroy(r);
        assert_int_equal(f.blocks, 0);
        assert_int_equal(f.bytes, 0);
        if (!f.failed)
            break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_report__complexes),
        cmocka_unit_test(test_report__words_follow_the_templates),
        cmocka_unit_test(test_report__pairs),
        cmocka_unit_test(test_report__blocks),
        cmocka_unit_test(test_report__a_failure_of_what_is_reported),
        cmocka_unit_test(test_report__muted_parts),
        cmocka_unit_test(test_report__json_has_all_values_and_units),
        cmocka_unit_test(test_report__units_that_differ_are_left_out),
        cmocka_unit_test(test_report__latex_typesets_numbers_and_escapes_words),
        cmocka_unit_test(test_report__digits_follow_the_error),
        cmocka_unit_test(test_report__signs_are_operators),
        cmocka_unit_test(test_report__a_sentence_sees_the_objects_around_it),
        cmocka_unit_test(test_report__rows_are_a_table),
        cmocka_unit_test(test_report__values_are_found_by_their_path),
        cmocka_unit_test(test_report__memory_that_runs_out_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
