/* SPDX-License-Identifier: MIT */
/* The study `run` from C: the undamped oscillator x'' = -x against cos t, its report, columns before
 * the work, rows after an interruption, and a result that is continued. */
#include <math.h>
#include <string.h>

#include "support/test.h"
#include "zwang/zwang.h"

static const char text[] = "model oscillator\nunits none\ncoord x\nkinetic 1/2*x'^2\n"
                           "potential 1/2*x^2\nevent mid : x falling\nstart x = 1\n";

static zw_context *ctx;
static zw_system *sys;
static zw_model_source source;
static zw_study *study;
static zw_error err;

static void check(zw_status status) {
    if (status < 0)
        fail_msg("%s", err.text);
}

static void open_study(void) {
    ctx = zw_context_create(NULL);
    err = (zw_error){0};
    source = (zw_model_source){.text = text, .length = strlen(text), .file = "oscillator.zw"};
    check(zw_model_parse(&sys, ctx, text, strlen(text), source.file, NULL, &err));
    check(zw_study_create(&study, "run", sys, &source, &err));
    check(zw_study_set_number(study, "rtol", 1e-11, &err));
    check(zw_study_set_number(study, "atol", 1e-13, &err));
}

static void close_study(void) {
    zw_study_destroy(study);
    zw_context_destroy(ctx);
}

static zw_table *take_table(const char *which) {
    zw_table *t;
    check(zw_study_table(study, which, &t, &err));
    return t;
}

static double last_value(const zw_table *t, const char *column) {
    return zw_table_at(t, zw_table_rows(t) - 1, zw_table_find(t, column));
}

static void test_run__report_and_tables(void **state) {
    (void)state;
    open_study();
    check(zw_study_set_number(study, "until", 10, &err));
    check(zw_study_work(study, &err));
    const zw_report *r = zw_study_report(study);
    assert_string_equal(zw_report_get_word(r, "ending"), "reached the end");
    assert_string_equal(zw_report_get_word(r, "events.0.name"), "mid");
    assert_true(zw_report_get_number(r, "events.0.count") == 2);
    assert_close(zw_report_get_number(r, "events.0.first"), acos(0), 1e-9);
    assert_close(zw_report_get_number(r, "energy.end"), 0.5, 1e-9);
    assert_string_equal(zw_report_get_word(r, "end.0.name"), "x");
    assert_close(zw_report_get_number(r, "end.0.value"), cos(10), 1e-8);
    zw_table *rows = take_table("out"), *events = take_table("events");
    assert_close(last_value(rows, "x"), cos(10), 1e-8);
    assert_string_equal(zw_table_get_note(rows, "doubts"), "none");
    assert_int_equal(zw_table_rows(events), 2);
    zw_table_destroy(rows);
    zw_table_destroy(events);
    close_study();
}

static void test_run__columns_before_the_work(void **state) {
    (void)state;
    open_study();
    check(zw_study_prepare(study, &err));
    zw_table *rows = take_table("out");
    assert_true(zw_table_find(rows, "x'") > 0 && zw_table_rows(rows) == 0);
    zw_table_destroy(rows);
    assert_false(zw_study_has_results(study));
    check(zw_study_work(study, &err));
    rows = take_table("out");
    assert_int_equal(zw_table_rows(rows), 1001);
    zw_table_destroy(rows);
    close_study();
}

static bool stop_in_the_middle(void *user, double done) {
    (void)user;
    return done > 0.5;
}

static void test_run__rows_are_kept_when_it_is_stopped(void **state) {
    (void)state;
    open_study();
    zw_study_watch(study, stop_in_the_middle, NULL);
    assert_int_equal(zw_study_work(study, &err), ZW_STOPPED);
    assert_true(zw_study_has_results(study));
    zw_table *rows = take_table("out");
    assert_in_range((unsigned long)zw_table_rows(rows), 400, 900);
    zw_table_destroy(rows);
    assert_string_equal(zw_report_get_word(zw_study_report(study), "ending"),
                        "stopped by the user");
    close_study();
}

static int notes;

static void count_notes(void *user, const char *line) {
    (void)user;
    notes += strstr(line, "event mid at t = ") != NULL;
}

static void test_run__events_are_noted(void **state) {
    (void)state;
    notes = 0;
    open_study();
    zw_study_messages(study, count_notes);
    check(zw_study_work(study, &err));
    assert_int_equal(notes, 2);
    close_study();
}

static void test_run__result_is_continued(void **state) {
    (void)state;
    open_study();
    check(zw_study_set_number(study, "until", 4, &err));
    check(zw_study_work(study, &err));
    zw_table *half = take_table("out"), *whole;
    zw_study *later;
    check(zw_study_create(&later, "run", sys, &source, &err));
    zw_study_result(later, half, "half.csv");
    check(zw_study_set_number(later, "until", 10, &err));
    check(zw_study_work(later, &err));
    check(zw_study_table(later, "out", &whole, &err));
    assert_true(zw_table_rows(whole) > zw_table_rows(half));
    assert_close(last_value(whole, "x"), cos(10), 1e-8);
    assert_string_equal(zw_table_get_note(whole, "rtol"), "1e-11"); /* of the result */
    zw_table_destroy(whole);
    zw_study_destroy(later);
    zw_table_destroy(half);
    close_study();
}

static void test_run__wrong_options(void **state) {
    (void)state;
    open_study();
    assert_int_equal(zw_study_set(study, "untill", "3", &err), ZW_E_OPTION);
    assert_non_null(strstr(err.hint, "until"));
    check(zw_study_set(study, "start-from", "none.csv@1:x", &err));
    assert_true(zw_study_work(study, &err) < 0);
    assert_false(zw_study_has_results(study));
    close_study();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run__report_and_tables),
        cmocka_unit_test(test_run__columns_before_the_work),
        cmocka_unit_test(test_run__rows_are_kept_when_it_is_stopped),
        cmocka_unit_test(test_run__events_are_noted),
        cmocka_unit_test(test_run__result_is_continued),
        cmocka_unit_test(test_run__wrong_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
