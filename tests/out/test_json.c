/* SPDX-License-Identifier: MIT */
/* What is written is read by another reader, jansson; what others write is read; mistakes are
 * told. */
#include "support/test.h"

#include <jansson.h>

#include "support/files.h"
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

/* members in any order, unknown ones, escapes, no units: what other programs write */
static void test_json__reads_what_others_write(void **state) {
    (void)state;
    const char text[] =
        " {\"other\": [1, true, {\"a\": [null, \"\\\"]}\"]}], \"infinite\": [[0,0,-1]],\n"
        "\"rows\": [[null, 2E+0], [1, -0]],\r\n"
        "\"columns\": [{\"unit\": \"m\\/s\", \"name\": \"\\u03b8\\ud83d\\ude00\", \"x\": {}}, "
        "{\"name\": \"b\"}]}\n";
    const char *path = in_folder("other.json");
    write_file(path, text, sizeof text - 1);
    zw_table *t;
    assert_int_equal(zw_table_read(&t, path, NULL), ZW_OK);
    assert_string_equal(zw_table_name(t, 0), "θ😀");
    assert_string_equal(zw_table_unit(t, 0), "m/s");
    assert_string_equal(zw_table_unit(t, 1), "");
    assert_int_equal(zw_table_rows(t), 2);
    assert_true(zw_table_at(t, 0, 0) == -INFINITY);
    assert_true(zw_table_at(t, 0, 1) == 2);
    assert_true(signbit(zw_table_at(t, 1, 1)) && zw_table_at(t, 1, 1) == 0);
    zw_table_destroy(t);
}

static void test_json__mistakes_have_a_place(void **state) {
    (void)state;
    struct {
        const char *text;
        size_t length;
        int line, column;
    } cases[] = {
#define CASE(s, line, column) {s, sizeof s - 1, line, column}
        CASE("{", 1, 2),
        CASE("{}", 1, 1),
        CASE("{\"columns\": []} x", 1, 17),
        CASE("{\"columns\": [],}", 1, 16),
        CASE("{\"columns\": [1]}", 1, 14),
        CASE("{\"columns\": [{\"unit\": \"m\"}]}", 1, 14),
        CASE("{\"columns\": [{\"name\": \"a\"},\n{\"name\": \"a\"}]}", 2, 1),
        CASE("{\"columns\": [], \"columns\": []}", 1, 17),
        CASE("{\"columns\": [{\"name\": \"a\"}],\n\"rows\": [[1],\n[1,2]]}", 3, 4),
        CASE("{\"columns\": [{\"name\": \"a\"}],\n\"rows\": [[1],\n[]]}", 3, 2),
        CASE("{\"columns\": [{\"name\": \"a\"}],\n\"rows\": [[1],\n[NaN]]}", 3, 2),
        CASE("{\"columns\": [{\"name\": \"a\"}],\n\"rows\": [[1],\n[01]]}", 3, 2),
        CASE("{\"columns\": [{\"name\": \"a\"}],\n\"rows\": [[1],\n[1e999]]}", 3, 2),
        CASE("{\"columns\": [{\"name\": \"a\"}],\n\"rows\": [[1],\n[\"1\"]]}", 3, 2),
        CASE("{\"columns\": [], \"rows\": [[1]]}", 1, 26),
        CASE("{\"columns\": [], \"infinite\": [[0,0,1]]}", 1, 30),
        CASE("{\"notes\": {\"a\": 1}, \"columns\": []}", 1, 17),
        CASE("{\"notes\": {\"a\": \"\\x\"}, \"columns\": []}", 1, 18),
        CASE("{\"notes\": {\"a\": \"\\ud800\"}, \"columns\": []}", 1, 20),
        CASE("{\"notes\": {\"a\": \"\\u0000\"}, \"columns\": []}", 1, 20),
        CASE("{\"notes\": {\"a\": \"\n\"}, \"columns\": []}", 1, 18),
        CASE("{\"notes\": {\"a\": \"\xff\"}, \"columns\": []}", 1, 18),
        CASE("{\"columns\": []}\0", 1, 16),
#undef CASE
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = in_folder("bad.json");
        write_file(path, cases[i].text, cases[i].length);
        zw_table *t = (zw_table *)&cases;
        zw_error err = {0};
        assert_true(zw_table_read(&t, path, &err) < 0);
        assert_null(t);
        assert_string_equal(err.file, path);
        if (err.line != cases[i].line || err.column != cases[i].column)
            fail_msg("%s: %d:%d: %s", cases[i].text, err.line, err.column, err.text);
        assert_true(err.hint[0]);
    }
    /* deep nesting is no stack overflow */
    char deep[5000];
    memset(deep, '[', sizeof deep);
    memcpy(deep, "{\"a\":", 5);
    write_file(in_folder("deep.json"), deep, sizeof deep);
    zw_table *t;
    zw_error err = {0};
    assert_int_equal(zw_table_read(&t, in_folder("deep.json"), &err), ZW_E_SYNTAX);
    assert_non_null(strstr(err.text, "nested"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json__is_read_back_exactly),
        cmocka_unit_test(test_json__not_finite_is_null_and_told),
        cmocka_unit_test(test_json__bytes_that_are_no_text),
        cmocka_unit_test(test_json__empty_table),
        cmocka_unit_test(test_json__reads_what_others_write),
        cmocka_unit_test(test_json__mistakes_have_a_place),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
