/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <stdlib.h>

#include "support/failing_allocator.h"
#include "support/test.h"
#include "zwang/table.h"

enum { MEMORY = 1 << 20 };

/* an allocator that has so much and moves nothing aside while it grows a block */
static void *bounded(void *ud, void *p, size_t old_size, size_t new_size) {
    size_t *in_use = ud;
    if (new_size > old_size && *in_use + (new_size - old_size) > MEMORY)
        return NULL;
    *in_use = *in_use - old_size + new_size;
    if (new_size == 0) {
        free(p);
        return NULL;
    }
    return realloc(p, new_size);
}

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

static void test_table__column_is_added_to_rows(void **state) {
    (void)state;
    zw_table *t = zw_table_create(NULL);
    double squares[100];
    zw_table_column(t, "i", "");
    for (int i = 0; i < 100; i++) {
        squares[i] = i * i;
        zw_table_row(t, (double[]){i});
    }
    assert_int_equal(zw_table_add_column(t, "i", "", squares), ZW_E_NAME);
    assert_int_equal(zw_table_add_column(t, "square", "1", squares), ZW_OK);
    assert_int_equal(zw_table_row(t, (double[]){100, 10000}), ZW_OK);
    assert_int_equal(zw_table_columns(t), 2);
    for (int i = 0; i <= 100; i++) {
        assert_close(zw_table_at(t, i, 0), i, 0);
        assert_close(zw_table_at(t, i, 1), i * i, 0);
        assert_close(zw_table_data(t)[2 * i + 1], i * i, 0);
    }
    assert_int_equal(zw_table_add_rows(t, 2), ZW_OK);
    assert_int_equal(zw_table_rows(t), 103);
    assert_close(zw_table_at(t, 102, 1), 0, 0);
    zw_table_set(t, 102, 1, 7);
    assert_close(zw_table_at(t, 102, 1), 7, 0);
    zw_table_destroy(t);
}

static void test_table__append_matches_columns(void **state) {
    (void)state;
    zw_table *a = zw_table_create(NULL), *b = zw_table_create(NULL), *c = zw_table_create(NULL);
    zw_error err = {0};
    zw_table_column(a, "t", "s");
    zw_table_column(a, "x", "m");
    zw_table_column(b, "x", "m"); /* another order */
    zw_table_column(b, "t", "s");
    zw_table_row(a, (double[]){0, 10});
    zw_table_row(b, (double[]){11, 1});
    zw_table_row(b, (double[]){12, 2});
    zw_table_note(a, "n", "a");
    zw_table_note(b, "n", "b");
    assert_int_equal(zw_table_append(a, b, &err), ZW_OK);
    assert_int_equal(zw_table_append(a, a, &err), ZW_OK); /* to itself */
    assert_int_equal(zw_table_rows(a), 6);
    for (int i = 0; i < 6; i++) {
        assert_close(zw_table_at(a, i, 0), i % 3, 0);
        assert_close(zw_table_at(a, i, 1), 10 + i % 3, 0);
    }
    assert_string_equal(zw_table_get_note(a, "n"), "a");
    /* a column that is missing, one that is new, one in another unit */
    zw_table_column(c, "t", "s");
    assert_int_equal(zw_table_append(a, c, &err), ZW_E_NAME);
    assert_non_null(strstr(err.text, "'x'"));
    assert_int_equal(zw_table_append(c, a, NULL), ZW_E_NAME);
    zw_table_column(c, "x", "mm");
    assert_int_equal(zw_table_append(a, c, NULL), ZW_E_UNIT);
    assert_int_equal(zw_table_rows(a), 6);
    zw_table_destroy(a);
    zw_table_destroy(b);
    zw_table_destroy(c);
}

static void test_table__notes_are_found_and_removed(void **state) {
    (void)state;
    zw_table *t = zw_table_create(NULL);
    zw_table_note(t, "a", "1");
    zw_table_note(t, "b", "2");
    zw_table_note(t, "c", "3");
    zw_table_remove_note(t, "b");
    zw_table_remove_note(t, "none");
    assert_int_equal(zw_table_notes(t), 2);
    assert_null(zw_table_get_note(t, "b"));
    assert_string_equal(zw_table_get_note(t, "c"), "3");
    assert_string_equal(zw_table_note_key(t, 1), "c");
    zw_table_destroy(t);
}

/* sizes that no memory has are refused without asking for something smaller by overflow */
static void test_table__absurd_sizes_are_refused(void **state) {
    (void)state;
    size_t in_use = 0;
    zw_allocator alloc = {bounded, &in_use};
    zw_table *t = zw_table_create(&alloc);
    zw_table_column(t, "t", "s");
    zw_table_column(t, "x", "m");
    zw_table_column(t, "y", "m");
    zw_table_row(t, (double[]){1, 2, 3});
    const long absurd[] = {LONG_MAX, LONG_MAX / 8, LONG_MAX / 24, LONG_MAX / 24 + 2, -1};
    for (size_t i = 0; i < sizeof absurd / sizeof *absurd; i++)
        assert_int_equal(zw_table_reserve(t, absurd[i]), ZW_E_MEMORY);
    assert_int_equal(zw_table_add_rows(t, LONG_MAX), ZW_E_MEMORY);
    assert_int_equal(zw_table_rows(t), 1);
    assert_close(zw_table_at(t, 0, 2), 3, 0);
    zw_error err = {0};
    assert_int_equal(zw_table_out_of_memory(t, &err), ZW_E_MEMORY);
    assert_non_null(strstr(err.text, "1 rows of 3 columns"));
    zw_table_destroy(t);
}

/* memory that ends at some size: the table reaches nine tenths of it, and what is there stays */
static void test_table__reaches_the_end_of_memory(void **state) {
    (void)state;
    size_t in_use = 0;
    zw_allocator alloc = {bounded, &in_use};
    zw_table *t = zw_table_create(&alloc);
    zw_table_column(t, "i", "");
    long n = 0;
    while (zw_table_row(t, (double[]){(double)n}) == ZW_OK)
        n++;
    assert_true((double)n * sizeof(double) > 0.85 * (double)MEMORY);
    assert_int_equal(zw_table_rows(t), n);
    for (long i = 0; i < n; i++)
        assert_close(zw_table_at(t, i, 0), (double)i, 0);
    zw_table_destroy(t);
    assert_int_equal(in_use, 0);
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
            if (ok && zw_table_rows(t) == 200) {
                double values[400] = {0};
                ok = zw_table_add_column(t, "late", "", values) == ZW_OK &&
                     zw_table_append(t, t, NULL) == ZW_OK;
            }
        }
        assert_true(ok || f.failed); /* a smaller block may do where the doubled one failed */
        if (ok)
            assert_int_equal(zw_table_rows(t), 400);
        zw_table_destroy(t);
        assert_int_equal(f.blocks, 0);
        assert_int_equal(f.bytes, 0);
        if (!f.failed)
            break;
    }
    assert_true(tried > 20);
}

static void test_table__shares_rows(void **state) {
    (void)state;
    zw_table *t = zw_table_create(NULL), *shared;
    assert_int_equal(zw_table_column(t, "x", "m"), ZW_OK);
    assert_int_equal(zw_table_row(t, (double[]){2}), ZW_OK);
    assert_int_equal(zw_table_share(&shared, t, NULL), ZW_OK);
    assert_ptr_equal(zw_table_data(shared), zw_table_data(t));
    assert_int_equal(zw_table_note(shared, "own", "yes"), ZW_OK);
    assert_null(zw_table_get_note(t, "own"));
    zw_table_destroy(shared);
    assert_true(zw_table_at(t, 0, 0) == 2);
    zw_table_destroy(t);
}

static void test_table__is_thinned(void **state) {
    (void)state;
    zw_table *t = zw_table_create(NULL), *thin;
    zw_error err = {0};
    zw_table_column(t, "t", "s");
    zw_table_note(t, "model", "m");
    for (int i = 0; i <= 100; i++)
        zw_table_row(t, (double[]){i});
    assert_int_equal(zw_table_thin(&thin, t, 5, NULL), ZW_OK);
    assert_int_equal(zw_table_rows(thin), 5);
    for (int i = 0; i < 5; i++)
        assert_close(zw_table_at(thin, i, 0), 25 * i, 0);
    assert_string_equal(zw_table_unit(thin, 0), "s");
    assert_string_equal(zw_table_get_note(thin, "model"), "m");
    zw_table_destroy(thin);
    assert_int_equal(zw_table_thin(&thin, t, 1000, NULL), ZW_OK);
    assert_int_equal(zw_table_rows(thin), 101);
    zw_table_destroy(thin);
    assert_int_equal(zw_table_thin(&thin, t, 1, &err), ZW_E_OPTION);
    assert_null(thin);
    zw_table_destroy(t);
}

/* Compared with one another they would take hours: 300 000 columns and as many notes are found by
 * their hashes. */
static void test_table__many_names_are_found(void **state) {
    (void)state;
    enum { MANY = 300000 };
    zw_table *t = zw_table_create(NULL);
    char name[32], value[32];
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "name %d", i);
        assert_int_equal(zw_table_column(t, name, "m"), ZW_OK);
        assert_int_equal(zw_table_note(t, name, "old"), ZW_OK);
        assert_int_equal(zw_table_note(t, name, name), ZW_OK);
    }
    assert_int_equal(zw_table_column(t, "name 77", ""), ZW_E_NAME);
    assert_int_equal(zw_table_notes(t), MANY);
    zw_table_remove_note(t, "name 5");
    zw_table_remove_note(t, "name 99999");
    for (int i = 0; i < MANY; i++) {
        snprintf(value, sizeof value, "name %d", i);
        assert_int_equal(zw_table_find(t, value), i);
        if (i == 5 || i == 99999)
            assert_null(zw_table_get_note(t, value));
        else
            assert_string_equal(zw_table_get_note(t, value), value);
    }
    assert_int_equal(zw_table_find(t, "name"), -1);
    zw_table_destroy(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table__columns_rows_notes),
        cmocka_unit_test(test_table__refusals),
        cmocka_unit_test(test_table__many_names_are_found),
        cmocka_unit_test(test_table__column_is_added_to_rows),
        cmocka_unit_test(test_table__append_matches_columns),
        cmocka_unit_test(test_table__notes_are_found_and_removed),
        cmocka_unit_test(test_table__absurd_sizes_are_refused),
        cmocka_unit_test(test_table__reaches_the_end_of_memory),
        cmocka_unit_test(test_table__shares_rows),
        cmocka_unit_test(test_table__is_thinned),
        cmocka_unit_test(test_table__survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
