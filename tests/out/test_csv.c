/* SPDX-License-Identifier: MIT */
#include "support/test.h"

#include "support/files.h"
#include "zwang/table.h"

static uint64_t bits(double v) {
    uint64_t b;
    memcpy(&b, &v, sizeof b);
    return b;
}

static void test_csv__format_is_the_documented_one(void **state) {
    (void)state;
    zw_table *t = zw_table_create(NULL);
    zw_table_note(t, "model", "line one\nline two\n\nlast");
    zw_table_note(t, "empty", "");
    zw_table_note(t, "windows", "a\r\nb\rc\r");
    zw_table_column(t, "t", "s");
    zw_table_column(t, "theta'", "rad/s");
    zw_table_column(t, "f(a,b)", "");
    zw_table_column(t, "q[1]", "");
    zw_table_row(t, (double[]){0, 0.1, -1.5e300, NAN});
    zw_table_row(t, (double[]){1, -0.0, INFINITY, -INFINITY});
    const char *path = in_folder("a.csv");
    assert_int_equal(zw_table_write_csv(t, path, NULL), ZW_OK);
    char *text = read_whole(path, NULL);
    assert_string_equal(text, "# model: line one\n#| line two\n#| \n#| last\n# empty: \n"
                              "# windows: a\n#| b\rc\n"
                              "t[s],theta'[rad/s],\"f(a,b)\",q[1][]\n"
                              "0,0.1,-1.5e+300,nan\n"
                              "1,-0,inf,-inf\n");
    free(text);
    zw_table *back;
    assert_int_equal(zw_table_read_csv(&back, path, NULL), ZW_OK);
    assert_int_equal(zw_table_columns(back), 4);
    assert_int_equal(zw_table_rows(back), 2);
    for (int j = 0; j < 4; j++) {
        assert_string_equal(zw_table_name(back, j), zw_table_name(t, j));
        assert_string_equal(zw_table_unit(back, j), zw_table_unit(t, j));
    }
    assert_int_equal(zw_table_notes(back), 3);
    assert_string_equal(zw_table_note_value(back, 2), "a\nb\rc");
    assert_string_equal(zw_table_note_value(back, 0), "line one\nline two\n\nlast");
    assert_string_equal(zw_table_note_value(back, 1), "");
    assert_true(isnan(zw_table_at(back, 0, 3)));
    assert_true(signbit(zw_table_at(back, 1, 1)));
    assert_true(zw_table_at(back, 1, 3) == -INFINITY);
    zw_table_destroy(t);
    zw_table_destroy(back);
}

static void test_csv__round_trip_is_exact(void **state) {
    (void)state;
    test_random r = {11};
    zw_table *t = zw_table_create(NULL), *back;
    zw_table_column(t, "a \"quoted\" one", "kg*m^2");
    zw_table_column(t, "#first", "");
    zw_table_column(t, " blank", "m");
    for (int i = 0; i < 3000; i++) {
        double row[3];
        for (int j = 0; j < 3; j++) {
            uint64_t b = test_random_bits(&r); /* any double, subnormal ones too */
            if (i % 3 == 0)
                b &= 0x800fffffffffffffu;
            memcpy(&row[j], &b, sizeof b);
            if (isnan(row[j]))
                row[j] = 0.1 * i;
        }
        zw_table_row(t, row);
    }
    const char *path = in_folder("exact.csv");
    assert_int_equal(zw_table_write_csv(t, path, NULL), ZW_OK);
    assert_int_equal(zw_table_read_csv(&back, path, NULL), ZW_OK);
    assert_int_equal(zw_table_rows(back), 3000);
    for (int j = 0; j < 3; j++) {
        assert_string_equal(zw_table_name(back, j), zw_table_name(t, j));
        for (long i = 0; i < 3000; i++)
            assert_true(bits(zw_table_at(back, i, j)) == bits(zw_table_at(t, i, j)));
    }
    zw_table_destroy(t);
    zw_table_destroy(back);
}

/* files of other programs: line ends of Windows, blank lines, blanks, remarks, no last line end */
static void test_csv__reads_what_others_write(void **state) {
    (void)state;
    const char text[] = "#remark\r\n# key: a: b\r\n\r\nx[m] y,z\r\n 1 ,\t2\r\n\r\n#late\r\n3,4e1";
    const char *path = in_folder("other.csv");
    write_file(path, text, sizeof text - 1);
    zw_table *t;
    zw_error err = {0};
    assert_int_equal(zw_table_read_csv(&t, path, &err), ZW_OK);
    assert_string_equal(zw_table_name(t, 0), "x[m] y"); /* a unit stands at the end */
    assert_string_equal(zw_table_name(t, 1), "z");
    assert_int_equal(zw_table_notes(t), 1);
    assert_string_equal(zw_table_note_key(t, 0), "key");
    assert_string_equal(zw_table_note_value(t, 0), "a: b");
    assert_int_equal(zw_table_rows(t), 2);
    assert_close(zw_table_at(t, 0, 1), 2, 0);
    assert_close(zw_table_at(t, 1, 1), 40, 0);
    zw_table_destroy(t);
}

static void test_csv__mistakes_have_a_place(void **state) {
    (void)state;
    struct {
        const char *text;
        size_t length;
        int line, column;
        zw_status status;
    } cases[] = {
#define CASE(s, line, column, status) {s, sizeof s - 1, line, column, status}
        CASE("a,b\n1,2\n3\n", 3, 2, ZW_E_SYNTAX),
        CASE("a,b\n1,2,3\n", 2, 4, ZW_E_SYNTAX),
        CASE("a,b\n1,two\n", 2, 3, ZW_E_SYNTAX),
        CASE("a,b\n1,\n", 2, 3, ZW_E_SYNTAX),
        CASE("a,b\n1 2,3\n", 2, 1, ZW_E_SYNTAX),
        CASE("a,,b\n", 1, 3, ZW_E_SYNTAX),
        CASE("a,[m]\n", 1, 3, ZW_E_SYNTAX),
        CASE("a,b,a\n", 1, 5, ZW_E_NAME),
        CASE("a,\"b\n", 1, 3, ZW_E_SYNTAX),
        CASE("\"a\"b\n", 1, 4, ZW_E_SYNTAX),
        CASE("#| lost\na\n", 1, 1, ZW_E_SYNTAX),
        CASE("a\n1\0\n", 2, 1, ZW_E_SYNTAX),
        CASE("", 1, 1, ZW_E_SYNTAX),
        CASE("# zwang: 1\na,b\n1,2\n3,4.", 4, 5, ZW_E_SYNTAX),
        CASE("# only: notes\n", 1, 1, ZW_E_SYNTAX),
#undef CASE
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = in_folder("bad.csv");
        write_file(path, cases[i].text, cases[i].length);
        zw_table *t = (zw_table *)&cases;
        zw_error err = {0};
        assert_int_equal(zw_table_read_csv(&t, path, &err), cases[i].status);
        assert_null(t);
        assert_string_equal(err.file, path);
        assert_int_equal(err.line, cases[i].line);
        assert_int_equal(err.column, cases[i].column);
    }
    zw_table *t;
    zw_error err = {0};
    assert_int_equal(zw_table_read_csv(&t, in_folder("no such"), &err), ZW_E_FILE);
    assert_non_null(strstr(err.text, "no such"));
}

/* random bytes and random damage of a good file: an answer, never a crash */
static void test_csv__survives_garbage(void **state) {
    (void)state;
    test_random r = {12};
    const char good[] = "# k: v\n#| w\nt[s],\"x,y\"[m]\n1,2\n-3e-4,nan\n";
    const char alphabet[] = "#|:,\"[]\n\r \t0123456789.eE+-naif\xff\xc3";
    int read_well = 0, refused = 0;
    for (int trial = 0; trial < 600; trial++) {
        char data[300];
        size_t n = (size_t)test_random_int(&r, 250);
        for (size_t i = 0; i < n; i++)
            data[i] = trial % 2 ? (char)test_random_bits(&r)
                                : alphabet[test_random_int(&r, (int)sizeof alphabet - 1)];
        if (trial % 4 >= 2) {
            n = sizeof good - 1;
            memcpy(data, good, n);
            for (int k = 0; k < 2; k++)
                data[test_random_int(&r, (int)n)] = (char)test_random_bits(&r);
        }
        const char *path = in_folder("garbage.csv");
        write_file(path, data, n);
        zw_table *t;
        zw_error err = {0};
        zw_status s = zw_table_read_csv(&t, path, &err);
        if (s == ZW_OK) {
            read_well++;
            assert_true(zw_table_columns(t) > 0);
        } else {
            refused++;
            assert_null(t);
            assert_true(err.text[0] != '\0');
        }
        zw_table_destroy(t);
    }
    assert_true(read_well > 20 && refused > 20);
}

static void test_csv__names_the_format_cannot_say_are_refused(void **state) {
    (void)state;
    static const char *const bad[][2] = {{"", "m"}, {"a", "[m"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        zw_table *t = zw_table_create(NULL);
        zw_table_column(t, bad[i][0], bad[i][1]);
        assert_int_equal(zw_table_write_csv(t, in_folder("never.csv"), NULL), ZW_E_NAME);
        zw_table_destroy(t);
    }
    zw_table *t = zw_table_create(NULL);
    zw_table_column(t, "a", "");
    zw_table_note(t, "a\nb", "");
    assert_int_equal(zw_table_write_csv(t, in_folder("never.csv"), NULL), ZW_E_NAME);
    assert_int_not_equal(access(in_folder("never.csv"), F_OK), 0);
    zw_table_destroy(t);
}

/* complete or as it was: no leftovers, links and permissions as for any file */
static void test_csv__file_is_replaced_as_a_whole(void **state) {
    (void)state;
    zw_table *t = zw_table_create(NULL);
    zw_table_column(t, "a", "");
    zw_table_row(t, (double[]){1});
    const char *path = in_folder("whole.csv");
    write_file(path, "old", 3);
    int files = count_files();
    assert_int_equal(zw_table_write_csv(t, path, NULL), ZW_OK);
    assert_int_equal(count_files(), files);
    char *text = read_whole(path, NULL);
    assert_string_equal(text, "a\n1\n");
    free(text);
    struct stat st;
    mode_t mask = umask(0);
    umask(mask);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0666 & ~mask);
    /* a link stays a link */
    char link[PATH_MAX + 300];
    snprintf(link, sizeof link, "%s/link.csv", test_folder);
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(zw_table_write_csv(t, link, NULL), ZW_OK);
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    /* a device is written to, not replaced; one that is full is told */
    assert_int_equal(zw_table_write_csv(t, "/dev/null", NULL), ZW_OK);
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    zw_error err = {0};
    if (stat("/dev/full", &st) == 0) {
        assert_int_equal(zw_table_write_csv(t, "/dev/full", &err), ZW_E_FILE);
        assert_non_null(strstr(err.text, "/dev/full"));
    }
    err = (zw_error){0};
    assert_int_equal(zw_table_write_csv(t, in_folder("no/such/folder.csv"), &err), ZW_E_FILE);
    assert_non_null(strstr(err.text, "folder.csv"));
    zw_table_destroy(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv__format_is_the_documented_one),
        cmocka_unit_test(test_csv__round_trip_is_exact),
        cmocka_unit_test(test_csv__reads_what_others_write),
        cmocka_unit_test(test_csv__mistakes_have_a_place),
        cmocka_unit_test(test_csv__survives_garbage),
        cmocka_unit_test(test_csv__names_the_format_cannot_say_are_refused),
        cmocka_unit_test(test_csv__file_is_replaced_as_a_whole),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
