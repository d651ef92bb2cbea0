/* SPDX-License-Identifier: MIT */
#include "support/test.h"
#include "zwang/status.h"

static void test_error__first_fault_wins(void **state) {
    (void)state;
    zw_error err = {0};
    assert_int_equal(zw_fail(&err, ZW_E_UNIT, "first %d", 1), ZW_E_UNIT);
    assert_int_equal(zw_fail(&err, ZW_E_NAME, "second"), ZW_E_NAME);
    assert_int_equal(err.status, ZW_E_UNIT);
    assert_string_equal(err.text, "first 1");
    zw_error_hint(&err, "try %s", "this");
    zw_error_hint(&err, "or that");
    assert_string_equal(err.hint, "try this");
    assert_int_equal(zw_fail(NULL, ZW_E_FILE, "nobody listens"), ZW_E_FILE);
    zw_error_hint(NULL, "nobody listens");
}

static void test_error__format_with_place_caret_and_hint(void **state) {
    (void)state;
    zw_error err = {0};
    zw_fail_at(&err, ZW_E_SYNTAX, (zw_place){"a.zw", 3, 6}, "no such thing");
    snprintf(err.excerpt, sizeof err.excerpt, "\tlet x = 1");
    zw_error_hint(&err, "write another");
    char buf[400];
    size_t n = zw_error_format(&err, buf, sizeof buf);
    assert_string_equal(buf, "a.zw:3:6: error: no such thing\n"
                             "  \tlet x = 1\n"
                             "  \t    ^\n"
                             "hint: write another");
    assert_int_equal(n, strlen(buf));
    /* a short buffer is filled and terminated, and the length needed is told */
    char small[8];
    assert_int_equal(zw_error_format(&err, small, sizeof small), n);
    assert_string_equal(small, "a.zw:3:");
}

static void test_error__format_without_place(void **state) {
    (void)state;
    zw_error err = {0};
    char buf[200];
    zw_fail(&err, ZW_E_MEMORY, "%s", "");
    zw_error_format(&err, buf, sizeof buf);
    assert_string_equal(buf, "error: out of memory");
    zw_error file = {0};
    zw_fail_at(&file, ZW_E_FILE, (zw_place){"b.zw", 0, 0}, "gone");
    zw_error_format(&file, buf, sizeof buf);
    assert_string_equal(buf, "b.zw: error: gone");
}

static void test_error__long_texts_are_cut(void **state) {
    (void)state;
    zw_error err = {0};
    char name[600], buf[2000];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    zw_fail_at(&err, ZW_E_NAME, (zw_place){name, 1, 999}, "%s", name);
    zw_error_hint(&err, "%s", name);
    memcpy(err.excerpt, name, sizeof err.excerpt - 1);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_true(zw_error_format(&err, buf, sizeof buf) < sizeof buf);
    assert_non_null(strchr(buf, '^'));
}

static int tried;

static zw_status step(zw_status s) {
    tried++;
    return s;
}

static zw_status two_steps(zw_status a, zw_status b) {
    ZW_TRY(step(a));
    ZW_TRY(step(b));
    return ZW_OK;
}

static void test_error__try_stops_at_failures_only(void **state) {
    (void)state;
    tried = 0;
    assert_int_equal(two_steps(ZW_OK, ZW_OK), ZW_OK);
    assert_int_equal(two_steps(ZW_EVENT, ZW_OK), ZW_OK); /* news is no failure */
    assert_int_equal(tried, 4);
    assert_int_equal(two_steps(ZW_E_UNIT, ZW_E_NAME), ZW_E_UNIT);
    assert_int_equal(tried, 5);
}

static void test_error__every_status_has_a_text(void **state) {
    (void)state;
#define CHECK(name, value, text)                                                                   \
    assert_int_equal(name, value);                                                                 \
    assert_string_equal(zw_status_text(name), text);
    ZW_STATUS_LIST(CHECK)
#undef CHECK
    assert_string_equal(zw_status_text((zw_status)-99), "unknown status");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error__first_fault_wins),
        cmocka_unit_test(test_error__format_with_place_caret_and_hint),
        cmocka_unit_test(test_error__format_without_place),
        cmocka_unit_test(test_error__long_texts_are_cut),
        cmocka_unit_test(test_error__try_stops_at_failures_only),
        cmocka_unit_test(test_error__every_status_has_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
