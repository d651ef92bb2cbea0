/* SPDX-License-Identifier: MIT */
#include "failing_allocator.h"
#include "test.h"
#include "zwang/table.h"

static void test_table__columns_rows_notes(void **state) {
    (void)state;
    zw_table *t = zw_table_create(NULL);
    assert_int_equal(zw_table_columns(t), 0);
    assert_int_equal(zw_table_column(t, "t", "s"), ZW_OK);
    assert_int_equal(zw_table_column(t, "x'", "m/s"), ZW_OK);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(zw_table_row(t, (double[]){i, i * i}), ZW_OK);
    assert_int_equal(zw_table_columns(t), 2);
    assert_int_equal(zw_table_rows(t), 1000);
    assert_string_equal(zw_table_name(t, 1), "x'");
    assert_string_equal(zw_table_unit(t, 1), "m/s");
    assert_int_equal(zw_table_find(t, "x'"), 1);
    assert_int_equal(zw_table_find(t, "x"), -1);
    for (int i = 0; i < 1000; i++)
        assert_close(zw_table_at(t, i, 1), i * i, 0);
    assert_int_equal(zw_table_note(t, "model", "old"), ZW_OK);
    assert_int_equal(zw_table_note(t, "version", "1"), ZW_OK);
    assert_int_equal(zw_table_note(t, "model", "new and longer"), ZW_OK);
    assert_int_equal(zw_table_notes(t), 2);
    assert_string_equal(zw_table_note_key(t, 0), "model");
    assert_string_equal(zw_table_note_value(t, 0), "new and longer");
    zw_table_destroy(t);
    zw_table_destroy(NULL);
}

static void test_table__refusals(void **state) {
    (void)state;
    zw_table *t = zw_table_create(NULL);
    assert_int_equal(zw_table_row(t, NULL), ZW_E_OPTION); /* no columns yet */
    zw_table_column(t, "t", "s");
    assert_int_equal(zw_table_column(t, "t", "ms"), ZW_E_NAME);
    zw_table_row(t, (double[]){1});
    assert_int_equal(zw_table_column(t, "late", ""), ZW_E_OPTION);
    assert_int_equal(zw_table_columns(t), 1);
    zw_table_destroy(t);
}

static void test_table__survives_failing_allocations(void **state) {
    (void)state;
    long tried = 0;
    for (long n = 1;; n++, tried++) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_table *t = zw_table_create(&alloc);
        bool ok = t != NULL;
        if (t) {
            char name[16];
            for (int i = 0; i < 10; i++) {
                snprintf(name, sizeof name, "c%d", i);
                ok = zw_table_column(t, name, "m") == ZW_OK && ok;
            }
            double row[10] = {0};
            for (int i = 0; i < 200; i++)
                ok = zw_table_row(t, row) == ZW_OK && ok;
            ok = zw_table_note(t, "a", "b") == ZW_OK && ok;
            ok = zw_table_note(t, "a", "c") == ZW_OK && ok;
        }
        assert_true(ok || f.failed); /* a smaller block may do where the doubled one failed */
        if (ok)
            assert_int_equal(zw_table_rows(t), 200);
        zw_table_destroy(t);
        assert_int_equal(f.blocks, 0);
        assert_int_equal(f.bytes, 0);
        if (!f.failed)
            break;
    }
    assert_true(tried > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table__columns_rows_notes),
        cmocka_unit_test(test_table__refusals),
        cmocka_unit_test(test_table__survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
