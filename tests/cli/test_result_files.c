/* SPDX-License-Identifier: MIT */
/* The result of a run as a file of every kind, and what becomes of it when it cannot be written. */
#include "command.h"
#include "out/files/formats.h"
#include "zwang/table.h"

static const answer *run(const char *options) {
    char arguments[512];
    snprintf(arguments, sizeof arguments, MODEL("duffing") " --until 1 --quiet %s", options);
    return zwang_verb("run", arguments);
}

static zw_table *read_result(const char *name) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    zw_table *t;
    zw_error err = {0};
    if (zw_table_read(&t, path, &err) < 0)
        fail_msg("%s", err.text);
    return t;
}

static void test_result__is_the_same_in_every_kind(void **state) {
    (void)state;
    assert_int_equal(run("--step-out 0.1 --out a.csv")->code, 0);
    zw_table *csv = read_result("a.csv");
    assert_int_equal(zw_table_rows(csv), 11);
    assert_non_null(strstr(zw_table_get_note(csv, "text"), "model duffing"));
    const char *const others[] = {"a.json", "a.h5"};
    for (int k = 0; k < 2; k++) {
        if (k == 1 && zw_out_hdf5_available(NULL) < 0)
            continue;
        char options[64];
        snprintf(options, sizeof options, "--step-out 0.1 --out %s", others[k]);
        assert_int_equal(run(options)->code, 0);
        zw_table *t = read_result(others[k]);
        assert_int_equal(zw_table_columns(t), zw_table_columns(csv));
        assert_int_equal(zw_table_notes(t), zw_table_notes(csv));
        assert_memory_equal(zw_table_data(t), zw_table_data(csv),
                            sizeof(double) * 11 * (size_t)zw_table_columns(csv));
        assert_string_equal(zw_table_get_note(t, "text"), zw_table_get_note(csv, "text"));
        zw_table_destroy(t);
    }
    zw_table_destroy(csv);
}

static void test_result__bad_names_are_refused_before_the_run(void **state) {
    (void)state;
    const answer *a = run("--out result.txt");
    assert_int_equal(a->code, 1);
    assert_has(a->err, ".csv, .json, .h5 or .hdf5");
    a = run("--out nowhere/a.csv");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "hint:");
    a = run("--out /tmp");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "this is a folder");
}

/* the disk is full at the end: the result is in the folder for temporary files, and that is said */
static void test_result__is_rescued(void **state) {
    (void)state;
    char other[80], path[160];
    snprintf(other, sizeof other, "%s/tmp", folder);
    snprintf(path, sizeof path, "mkdir %s", other);
    assert_int_equal(system(path), 0);
    setenv("TMPDIR", other, 1);
    const answer *a = run("--out /dev/full");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "No space left");
    assert_has(a->err, "the result is kept in");
    zw_table *t = read_result("tmp/result-rescued.csv");
    assert_int_equal(zw_table_rows(t), 1001);
    zw_table_destroy(t);
    unsetenv("TMPDIR");
}

/* a pipe is read if somebody writes into it, and not waited for if nobody does */
static void test_result__from_a_pipe(void **state) {
    (void)state;
    char command[256];
    snprintf(command, sizeof command, "cd %s && mkfifo pipe.csv", folder);
    assert_int_equal(system(command), 0);
    const answer *a = zwang_verb("plot", "pipe.csv --plot x:t");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "nobody writes into it");
    assert_int_equal(run("--step-out 0.1 --out plain.csv")->code, 0);
    snprintf(command, sizeof command, "cd %s && (cat plain.csv >pipe.csv &) && sleep 0.2", folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(zwang_verb("plot", "pipe.csv --plot x:t --picture piped.svg")->code, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_result__is_the_same_in_every_kind),
        cmocka_unit_test(test_result__bad_names_are_refused_before_the_run),
        cmocka_unit_test(test_result__is_rescued),
        cmocka_unit_test(test_result__from_a_pipe),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
