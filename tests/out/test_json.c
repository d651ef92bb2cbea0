/* SPDX-License-Identifier: MIT */
/* What is written is read back by another program: jansson. */
#include "test.h"

#include <jansson.h>

#include "files.h"
#include "zwang/table.h"

static json_t *write_and_load(const zw_table *t) {
    const char *path = in_folder("a.json");
    assert_int_equal(zw_table_write_json(t, path, NULL), ZW_OK);
    json_error_t error;
    json_t *j = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!j)
        print_error("%d:%d: %s\n", error.line, error.column, error.text);
    assert_non_null(j);
    return j;
}

static void test_json__is_read_back_exactly(void **state) {
    (void)state;
    test_random r = {21};
    zw_table *t = zw_table_create(NULL);
    zw_table_note(t, "model", "a \"text\"\n\twith \\ all θ and \x01");
    zw_table_column(t, "theta'", "rad/s");
    zw_table_column(t, "b", "");
    for (int i = 0; i < 500; i++) {
        double scale = pow(10, test_random_real(&r, -300, 300));
        zw_table_row(t, (double[]){scale * test_random_real(&r, -1, 1), i});
    }
    json_t *j = write_and_load(t);
    assert_string_equal(json_string_value(json_object_get(json_object_get(j, "notes"), "model")),
                        "a \"text\"\n\twith \\ all θ and \x01");
    assert_null(json_object_get(j, "infinite"));
    json_t *column = json_array_get(json_object_get(j, "columns"), 0);
    assert_string_equal(json_string_value(json_object_get(column, "name")), "theta'");
    assert_string_equal(json_string_value(json_object_get(column, "unit")), "rad/s");
    json_t *rows = json_object_get(j, "rows");
    assert_int_equal(json_array_size(rows), 500);
    for (size_t i = 0; i < 500; i++) {
        json_t *row = json_array_get(rows, i);
        assert_int_equal(json_array_size(row), 2);
        assert_true(json_number_value(json_array_get(row, 0)) == zw_table_at(t, (long)i, 0));
        assert_true(json_number_value(json_array_get(row, 1)) == (double)i);
    }
    json_decref(j);
    zw_table_destroy(t);
}

static void test_json__not_finite_is_null_and_told(void **state) {
    (void)state;
    zw_table *t = zw_table_create(NULL);
    zw_table_column(t, "a", "");
    zw_table_row(t, (double[]){NAN});
    zw_table_row(t, (double[]){-INFINITY});
    zw_table_row(t, (double[]){-0.0});
    json_t *j = write_and_load(t);
    json_t *rows = json_object_get(j, "rows");
    assert_true(json_is_null(json_array_get(json_array_get(rows, 0), 0)));
    assert_true(json_is_null(json_array_get(json_array_get(rows, 1), 0)));
    assert_true(json_is_number(json_array_get(json_array_get(rows, 2), 0)));
    json_t *infinite = json_object_get(j, "infinite"), *entry = json_array_get(infinite, 0);
    assert_int_equal(json_array_size(infinite), 1);
    const int expected[] = {1, 0, -1};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(json_integer_value(json_array_get(entry, i)), expected[i]);
    json_decref(j);
    zw_table_destroy(t);
}

/* bytes that are no text become the replacement character; the file stays valid */
static void test_json__bytes_that_are_no_text(void **state) {
    (void)state;
    static const char *const bad[] = {"\xff",     "a\xc3",           "\xe2\x82",
                                      "\xc0\x80", "\xed\xa0\x80",    "\xf4\x90\x80\x80",
                                      "\x80z",    "\xf0\x8f\x80\x80"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        zw_table *t = zw_table_create(NULL);
        zw_table_note(t, "k", bad[i]);
        json_t *j = write_and_load(t);
        const char *value = json_string_value(json_object_get(json_object_get(j, "notes"), "k"));
        assert_non_null(strstr(value, "\xef\xbf\xbd"));
        json_decref(j);
        zw_table_destroy(t);
    }
}

static void test_json__empty_table(void **state) {
    (void)state;
    zw_table *t = zw_table_create(NULL);
    json_t *j = write_and_load(t);
    assert_int_equal(json_array_size(json_object_get(j, "rows")), 0);
    assert_int_equal(json_array_size(json_object_get(j, "columns")), 0);
    json_decref(j);
    zw_error err = {0};
    assert_int_equal(zw_table_write_json(t, in_folder("no/such.json"), &err), ZW_E_FILE);
    zw_table_destroy(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json__is_read_back_exactly),
        cmocka_unit_test(test_json__not_finite_is_null_and_told),
        cmocka_unit_test(test_json__bytes_that_are_no_text),
        cmocka_unit_test(test_json__empty_table),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
