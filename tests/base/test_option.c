/* SPDX-License-Identifier: MIT */
#include "base/option.h"

#include "test.h"

typedef struct sample {
    double number, kind;
    bool loud;
    const char *name;
    zw_option_list set;
} sample;

static const zw_option table[] = {
    {"number", ZW_OPT_DOUBLE, offsetof(sample, number), 2.5, 0, 10, "s", NULL, "a number"},
    {"kind", ZW_OPT_CHOICE, offsetof(sample, kind), 1, 0, 0, "", "red|green|blue", "a colour"},
    {"loud", ZW_OPT_FLAG, offsetof(sample, loud), 0, 0, 0, "", NULL, "speak up"},
    {"name", ZW_OPT_STRING, offsetof(sample, name), 0, 0, 0, "", "NAME", "a name"},
    {"set", ZW_OPT_LIST, offsetof(sample, set), 0, 0, 0, "", "A=1", "several"},
    {0},
};

static void test_option__defaults(void **state) {
    (void)state;
    sample s;
    memset(&s, 0x55, sizeof s);
    zw_options_default(table, &s);
    assert_close(s.number, 2.5, 0);
    assert_close(s.kind, 1, 0);
    assert_false(s.loud);
    assert_null(s.name);
    assert_int_equal(s.set.n, 0);
    assert_int_equal(zw_options_check(table, &s, NULL), ZW_OK);
}

static void test_option__set_from_text(void **state) {
    (void)state;
    sample s;
    zw_options_default(table, &s);
    assert_int_equal(zw_options_set(table, &s, "number", "7.25", NULL), ZW_OK);
    assert_int_equal(zw_options_set(table, &s, "kind", "blue", NULL), ZW_OK);
    assert_int_equal(zw_options_set(table, &s, "loud", NULL, NULL), ZW_OK);
    assert_int_equal(zw_options_set(table, &s, "name", "egon", NULL), ZW_OK);
    assert_int_equal(zw_options_set(table, &s, "set", "a=1", NULL), ZW_OK);
    assert_int_equal(zw_options_set(table, &s, "set", "b=2", NULL), ZW_OK);
    assert_close(s.number, 7.25, 0);
    assert_close(s.kind, 2, 0);
    assert_true(s.loud);
    assert_string_equal(s.name, "egon");
    assert_int_equal(s.set.n, 2);
    assert_string_equal(s.set.item[1], "b=2");
}

static void test_option__bad_values_are_refused(void **state) {
    (void)state;
    static const char *const bad[][2] = {
        {"number", "11"},  {"number", "-1"}, {"number", "x"},    {"number", "1x"}, {"number", ""},
        {"number", "nan"}, {"number", NULL}, {"kind", "pink"},   {"kind", "re"},   {"kind", "red|"},
        {"loud", "yes"},   {"name", NULL},   {"nothing", "here"}};
    sample s, before;
    zw_options_default(table, &s);
    before = s;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        zw_error err = {0};
        assert_int_equal(zw_options_set(table, &s, bad[i][0], bad[i][1], &err), ZW_E_OPTION);
        assert_non_null(strstr(err.text, bad[i][0]));
        assert_close(s.number, before.number, 0);
        assert_close(s.kind, before.kind, 0);
    }
    zw_error err = {0};
    zw_options_set(table, &s, "nmae", "x", &err);
    assert_non_null(strstr(err.hint, "--name"));
    for (int i = 0; i < ZW_OPTION_LIST_MAX; i++)
        assert_int_equal(zw_options_set(table, &s, "set", "a", NULL), ZW_OK);
    assert_int_equal(zw_options_set(table, &s, "set", "a", NULL), ZW_E_OPTION);
}

static void test_option__check_is_the_gate(void **state) {
    (void)state;
    const double bad[] = {-0.1, 10.1, NAN, INFINITY};
    sample s;
    zw_options_default(table, &s);
    for (size_t i = 0; i < 4; i++) {
        zw_error err = {0};
        s.number = bad[i];
        assert_int_equal(zw_options_check(table, &s, &err), ZW_E_OPTION);
        assert_non_null(strstr(err.text, "number"));
    }
}

static void test_option__help_names_every_option(void **state) {
    (void)state;
    zw_text help;
    zw_text_init(&help, NULL);
    zw_options_help(table, &help);
    const char *s = zw_text_get(&help);
    assert_non_null(strstr(s, "--number=NUMBER"));
    assert_non_null(strstr(s, "default 2.5 s"));
    assert_non_null(strstr(s, "--kind=red|green|blue"));
    assert_non_null(strstr(s, "default green"));
    assert_non_null(strstr(s, "--loud "));
    assert_non_null(strstr(s, "--name=NAME"));
    zw_text_clear(&help);
}

static void test_option__find_and_nearest(void **state) {
    (void)state;
    assert_ptr_equal(zw_options_find(table, "kind=blue", 4), &table[1]);
    assert_null(zw_options_find(table, "kin", 3));
    const char *names[] = {"theta", "omega", "x"};
    assert_null(zw_nearest("theta", 0, names));
    assert_string_equal(zw_nearest("tehta", 3, names), "theta");
    assert_string_equal(zw_nearest("omga", 3, names), "omega");
    assert_null(zw_nearest("lambda", 3, names));
    assert_null(zw_nearest("y", 3, names)); /* one letter for another is no likeness */
    char endless[200];
    memset(endless, 'a', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    assert_null(zw_nearest(endless, 3, names));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_option__defaults),
        cmocka_unit_test(test_option__set_from_text),
        cmocka_unit_test(test_option__bad_values_are_refused),
        cmocka_unit_test(test_option__check_is_the_gate),
        cmocka_unit_test(test_option__help_names_every_option),
        cmocka_unit_test(test_option__find_and_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
