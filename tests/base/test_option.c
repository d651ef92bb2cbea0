/* SPDX-License-Identifier: MIT */
#include "base/option.h"

#include "support/test.h"

typedef struct sample {
    double number;
    int kind, count;
    long many;
    bool loud;
    const char *name, *way;
    zw_option_list set;
} sample;

static const zw_option table[] = {
    {"number", ZW_OPT_DOUBLE, offsetof(sample, number), 2.5, 0, 10, "s", NULL, "a number"},
    {"kind", ZW_OPT_CHOICE, offsetof(sample, kind), 1, 0, 0, "", "red|green|blue", "a colour"},
    {"count", ZW_OPT_INT, offsetof(sample, count), 3, -2, 9, "", NULL, "a whole number"},
    {"many", ZW_OPT_LONG, offsetof(sample, many), 1e7, 1, 1e15, "", NULL, "a large one"},
    {"way", ZW_OPT_NAME, offsetof(sample, way), 0, 0, 0, "", "auto|over|under", "a way"},
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
    assert_int_equal(s.kind, 1);
    assert_int_equal(s.count, 3);
    assert_int_equal(s.many, 10000000);
    assert_null(s.way);
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
    assert_int_equal(zw_options_set(table, &s, "count", "-2", NULL), ZW_OK);
    assert_int_equal(zw_options_set(table, &s, "many", "1e15", NULL), ZW_OK);
    assert_int_equal(zw_options_set(table, &s, "way", "under", NULL), ZW_OK);
    assert_int_equal(s.count, -2);
    assert_true(s.many == 1000000000000000);
    assert_string_equal(s.way, "under");
    assert_int_equal(zw_options_set(table, &s, "loud", NULL, NULL), ZW_OK);
    assert_int_equal(zw_options_set(table, &s, "name", "egon", NULL), ZW_OK);
    assert_int_equal(zw_options_set(table, &s, "set", "a=1", NULL), ZW_OK);
    assert_int_equal(zw_options_set(table, &s, "set", "b=2", NULL), ZW_OK);
    assert_close(s.number, 7.25, 0);
    assert_int_equal(s.kind, 2);
    assert_true(s.loud);
    assert_string_equal(s.name, "egon");
    assert_int_equal(s.set.n, 2);
    assert_string_equal(s.set.item[1], "b=2");
}

/* what is printed is read back, and a field is copied alone */
static void test_option__units(void **state) {
    (void)state;
    sample s;
    zw_error err = {0};
    zw_options_default(table, &s);
    assert_int_equal(zw_options_set(table, &s, "number", "1500ms", NULL), ZW_OK);
    assert_close(s.number, 1.5, 1e-15);
    assert_int_equal(zw_options_set(table, &s, "number", "0.1 min", NULL), ZW_OK);
    assert_close(s.number, 6, 1e-15);
    assert_int_equal(zw_options_set(table, &s, "number", "2 [s]", NULL), ZW_OK);
    assert_close(s.number, 2, 0);
    assert_int_equal(zw_options_set(table, &s, "number", "1min", &err), ZW_E_OPTION);
    assert_non_null(strstr(err.text, "out of range"));
    err = (zw_error){0};
    assert_int_equal(zw_options_set(table, &s, "number", "1kg", &err), ZW_E_OPTION);
    assert_non_null(strstr(err.text, "a number of s"));
    err = (zw_error){0};
    assert_int_equal(zw_options_set(table, &s, "number", "1,5", &err), ZW_E_OPTION);
    assert_non_null(strstr(err.hint, "1.5"));
    assert_int_equal(zw_options_set(table, &s, "count", "1s", NULL), ZW_E_OPTION);
    assert_int_equal(zw_options_set(table, &s, "number", "1 [s", NULL), ZW_E_OPTION);
    assert_close(s.number, 2, 0);
}

static void test_option__print_and_copy(void **state) {
    (void)state;
    sample s, back, copy;
    zw_options_default(table, &s);
    zw_options_default(table, &back);
    zw_options_default(table, &copy);
    s.number = 0.1;
    s.kind = 2;
    s.count = -1;
    s.many = 123456789012345;
    s.way = "over";
    for (const zw_option *row = table; row->type != ZW_OPT_FLAG; row++) {
        zw_text text;
        zw_text_init(&text, NULL);
        zw_options_print(row, &s, &text);
        assert_int_equal(zw_options_set(table, &back, row->key, zw_text_get(&text), NULL), ZW_OK);
        if (row->type == ZW_OPT_NAME)
            assert_string_equal(zw_text_get(&text), "over");
        zw_text_clear(&text);
        zw_options_copy(row, &copy, &s);
    }
    assert_close(back.number, 0.1, 0);
    assert_int_equal(back.kind, 2);
    assert_int_equal(back.count, -1);
    assert_true(back.many == 123456789012345);
    assert_close(copy.number, 0.1, 0);
    assert_int_equal(copy.kind, 2);
    assert_int_equal(copy.count, -1);
    assert_true(copy.many == 123456789012345);
    assert_string_equal(copy.way, "over");
}

static void test_option__bad_values_are_refused(void **state) {
    (void)state;
    static const char *const bad[][2] = {
        {"number", "11"}, {"number", "-1"},  {"number", "x"},  {"number", "1x"},
        {"number", ""},   {"number", "nan"}, {"number", NULL}, {"kind", "pink"},
        {"kind", "re"},   {"kind", "red|"},  {"count", "2.5"}, {"count", "-3"},
        {"count", "10"},  {"many", "0"},     {"many", "1e16"}, {"way", "through"},
        {"way", "ove"},   {"loud", "yes"},   {"name", NULL},   {"nothing", "here"}};
    sample s, before;
    zw_options_default(table, &s);
    before = s;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        zw_error err = {0};
        assert_int_equal(zw_options_set(table, &s, bad[i][0], bad[i][1], &err), ZW_E_OPTION);
        assert_non_null(strstr(err.text, bad[i][0]));
        assert_close(s.number, before.number, 0);
        assert_int_equal(s.kind, before.kind);
        assert_int_equal(s.count, before.count);
        assert_int_equal(s.many, before.many);
        assert_null(s.way);
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

/* a number that has no default: NaN until it is given */
static void test_option__numbers_without_default(void **state) {
    (void)state;
    static const zw_option time[] = {
        {"time", ZW_OPT_DOUBLE, offsetof(sample, number), NAN, 0, 10, "s", NULL, "duration"}, {0}};
    sample s;
    zw_text help;
    zw_options_default(time, &s);
    assert_true(isnan(s.number));
    assert_int_equal(zw_options_check(time, &s, NULL), ZW_OK);
    assert_int_equal(zw_options_set(time, &s, "time", "nan", NULL), ZW_E_OPTION);
    assert_int_equal(zw_options_set(time, &s, "time", "2s", NULL), ZW_OK);
    assert_close(s.number, 2, 0);
    s.number = 11;
    assert_int_equal(zw_options_check(time, &s, NULL), ZW_E_OPTION);
    zw_text_init(&help, NULL);
    zw_options_help(time, &help);
    assert_non_null(strstr(zw_text_get(&help), "duration (0 to 10 s)\n"));
    zw_text_clear(&help);
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
    const char *methods[] = {"rk87", "rk54"}; /* neighbours exchanged are one slip, not two */
    assert_string_equal(zw_nearest("rk45", 2, methods), "rk54");
    assert_null(zw_nearest("y", 3, names)); /* one letter for another is no likeness */
    char endless[200];
    memset(endless, 'a', sizeof endless - 1);
    endless[sizeof endless - 1] = '\0';
    assert_null(zw_nearest(endless, 3, names));
}

static void test_option__lists_of_names(void **state) {
    (void)state;
    static const char *const expect[] = {"a", "max(b, c)", "d e", "f"};
    const zw_option_list list = {.n = 3, .item = {" a , max(b, c),,", "", "d e,f"}};
    zw_list_place place = {0};
    const char *text;
    size_t length;
    int n = 0;
    for (; zw_option_list_next(&list, &place, &text, &length); n++) {
        assert_true(n < 4);
        assert_int_equal(length, strlen(expect[n]));
        assert_memory_equal(text, expect[n], length);
    }
    assert_int_equal(n, 4);
    /* all at once, as strings of an arena; an empty list has none */
    const zw_option_list none = {0};
    const char *const *entry;
    zw_arena arena;
    zw_arena_init(&arena, NULL);
    assert_int_equal(zw_option_list_split(&list, &arena, &entry, &n, NULL), ZW_OK);
    assert_int_equal(n, 4);
    for (int i = 0; i < n; i++)
        assert_string_equal(entry[i], expect[i]);
    assert_int_equal(zw_option_list_split(&none, &arena, &entry, &n, NULL), ZW_OK);
    assert_int_equal(n, 0);
    zw_arena_clear(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_option__defaults),
        cmocka_unit_test(test_option__set_from_text),
        cmocka_unit_test(test_option__units),
        cmocka_unit_test(test_option__print_and_copy),
        cmocka_unit_test(test_option__bad_values_are_refused),
        cmocka_unit_test(test_option__check_is_the_gate),
        cmocka_unit_test(test_option__numbers_without_default),
        cmocka_unit_test(test_option__help_names_every_option),
        cmocka_unit_test(test_option__find_and_nearest),
        cmocka_unit_test(test_option__lists_of_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
