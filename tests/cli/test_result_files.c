/* SPDX-License-Identifier: MIT */
/* The result of a run as a file of every kind, and what becomes of it when it cannot be written. */
#include "out/files/formats.h"
#include "support/command.h"
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
    assert_has(a->err, "the result was saved in");
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

static int count(const char *text, const char *part) {
    int n = 0;
    for (const char *s = text; (s = strstr(s, part)); s += strlen(part))
        n++;
    return n;
}

/* every verb that reads a result says once that another version made it, and --strict does not take
 * it */
static void test_result__of_another_version_is_reported(void **state) {
    (void)state;
    char path[128];
    const char *make = MODEL("duffing") " --until 30 --step-out 0.1 --quiet --out new.csv";
    assert_int_equal(zwang_verb("run", make)->code, 0);
    zw_table *t = read_result("new.csv");
    zw_table_note(t, "zwang", "0.0.9");
    snprintf(path, sizeof path, "%s/old.csv", folder);
    assert_int_equal(zw_table_write(t, path, NULL), ZW_OK);
    zw_table_destroy(t);
    const struct {
        const char *verb, *arguments;
    } reader[] = {
        {"plot", "%s --plot x:t --picture p.svg"},
        {"plot", "%1$s %1$s --plot x:t --picture p.svg"},
        {"view", "%s --out p.html"},
        {"run", "%s --until 31 --out r.csv"},
        {"run", MODEL("duffing") " --start-from %s --until 1 --out r.csv"},
        {"orbit", MODEL("duffing") " --from %s"},
        {"fit", MODEL("duffing") " %s --fit c --use x --out f.csv"},
        {"sweep", MODEL("duffing") " --points points.csv --for 1 --out s.csv"},
    };
    write_file("points.csv", "# zwang: 0.0.9\nF\n1\n2\n");
    for (size_t i = 0; i < sizeof reader / sizeof *reader; i++) {
        char arguments[512];
        snprintf(arguments, sizeof arguments, reader[i].arguments, "new.csv");
        const answer *a = zwang_verb(reader[i].verb, arguments);
        bool points = strstr(reader[i].arguments, "points");
        bool fit = strcmp(reader[i].verb, "fit") == 0; /* it may warn of other things, too */
        if (!points && ((a->code != 0 && !fit) || strstr(a->err, "Zwang 0.0.9")))
            fail_msg("%s %s: %d, %s", reader[i].verb, arguments, a->code, a->err);
        snprintf(arguments, sizeof arguments, reader[i].arguments, "old.csv");
        a = zwang_verb(reader[i].verb, arguments);
        int n = count(a->err, "was written by Zwang 0.0.9, and this is Zwang ");
        if ((a->code != 0 && !fit) || n != 1)
            fail_msg("%s %s: %d, %d warnings: %s", reader[i].verb, arguments, a->code, n, a->err);
        strcat(arguments, " --strict");
        a = zwang_verb(reader[i].verb, arguments);
        if (a->code != 4 && !fit)
            fail_msg("%s %s: %d, %s", reader[i].verb, arguments, a->code, a->err);
    }
}

static void test_result__without_a_checksum_is_reported(void **state) {
    (void)state;
    assert_int_equal(run("--step-out 0.1 --out a.csv")->code, 0);
    char command[256];
    snprintf(command, sizeof command,
             "cd %s && grep -v '^# checksum: ' a.csv >b.csv && sed 's/^0.1,/0.2,/' a.csv >c.csv",
             folder);
    assert_int_equal(system(command), 0);
    const answer *a = zwang_verb("plot", "b.csv --plot x:t --picture p.svg");
    assert_int_equal(a->code, 0);
    assert_has(a->err, "'b.csv' has no checksum");
    a = zwang_verb("plot", "c.csv --plot x:t --picture p.svg");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "'c.csv' was damaged or changed");
    a = zwang_verb("fit", MODEL("duffing") " c.csv --fit c");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "'c.csv' was damaged or changed");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_result__is_the_same_in_every_kind),
        cmocka_unit_test(test_result__bad_names_are_refused_before_the_run),
        cmocka_unit_test(test_result__is_rescued),
        cmocka_unit_test(test_result__from_a_pipe),
        cmocka_unit_test(test_result__of_another_version_is_reported),
        cmocka_unit_test(test_result__without_a_checksum_is_reported),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
