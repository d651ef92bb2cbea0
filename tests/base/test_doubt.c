/* SPDX-License-Identifier: MIT */
/* The list of doubts: one entry for a key however often, and the way through the notes of a
 * table. */
#include "zwang/doubt.h"

#include "support/failing_allocator.h"
#include "support/test.h"

static void test_doubts__merge_by_key(void **state) {
    (void)state;
    zw_warnings *list = zw_warnings_create(NULL);
    assert_non_null(list);
    zw_warning d = zw_warning_of("contact roll", 2, "the contact %s pulls", "roll");
    d.worst = -3;
    zw_warnings_add(list, &d);
    for (int i = 0; i < 1000000; i++)
        assert_true(zw_warnings_again(list, "contact roll", 3 + 1e-6 * i, i == 500 ? -38 : -1));
    assert_false(zw_warnings_again(list, "contact slide", 5, 0));
    d.first = d.last = 1;
    zw_warnings_add(list, &d);
    assert_int_equal(zw_warnings_count(list), 1);
    const zw_warning *e = zw_warnings_at(list, 0);
    assert_int_equal(e->count, 1000002);
    assert_true(e->first == 1 && e->worst == -38);
    assert_close(e->last, 3.999999, 1e-15);
    zw_warnings_clear(list);
    assert_int_equal(zw_warnings_count(list), 0);
    zw_warnings_destroy(list);
}

static void test_doubts__are_told(void **state) {
    (void)state;
    char text[300];
    zw_warning d = zw_warning_of("force", 1.5, "the force of %s\tis large", "c");
    zw_warning_format(&d, text, sizeof text);
    assert_string_equal(text, "warning: the force of c is large (t = 1.5 s)");
    d.last = 2;
    d.count = 3;
    d.worst = -4;
    strcpy(d.unit, "N");
    zw_warning_place(&d, (zw_place){"m.zw", 3, 7});
    zw_warning_hint(&d, "hold it by %d", 2);
    size_t n = zw_warning_format(&d, text, sizeof text);
    assert_string_equal(text,
                        "m.zw:3:7: warning: the force of c is large (t = 1.5 s to 2 s, 3 times, "
                        "at worst -4 N)\nhint: hold it by 2");
    assert_int_equal(n, strlen(text));
    assert_int_equal(zw_warning_format(&d, text, 8), n);
    assert_string_equal(text, "m.zw:3:");
    d = zw_warning_of("angle", NAN, "phi = 30 rad");
    zw_warning_format(&d, text, sizeof text);
    assert_string_equal(text, "warning: phi = 30 rad");
}

static void test_doubts__come_back_from_notes(void **state) {
    (void)state;
    zw_warnings *list = zw_warnings_create(NULL), *back = zw_warnings_create(NULL);
    zw_table *t = zw_table_create(NULL);
    assert_true(zw_warnings_note(list, t) >= 0);
    assert_string_equal(zw_table_get_note(t, "doubts"), "none");
    zw_warnings_read(back, t);
    assert_int_equal(zw_warnings_count(back), 0);
    zw_warning d = zw_warning_of("a", 0.1, "first"), e = zw_warning_of("b", NAN, "second\nline");
    d.last = 1.0 / 3;
    d.count = 17;
    d.worst = 1e300;
    strcpy(d.unit, "N m");
    zw_warning_place(&e, (zw_place){"m.zw", 12, 3});
    zw_warning_hint(&e, "an advice");
    zw_warnings_add(list, &d);
    zw_warnings_add(list, &e);
    assert_true(zw_warnings_note(list, t) >= 0);
    zw_warnings_read(back, t);
    assert_int_equal(zw_warnings_count(back), 2);
    for (int i = 0; i < 2; i++) {
        const zw_warning *was = zw_warnings_at(list, i), *is = zw_warnings_at(back, i);
        assert_string_equal(was->key, is->key);
        assert_string_equal(was->text, is->text);
        assert_string_equal(was->hint, is->hint);
        assert_string_equal(was->file, is->file);
        assert_string_equal(was->unit, is->unit);
        assert_int_equal(was->line, is->line);
        assert_int_equal(was->column, is->column);
        assert_int_equal(was->count, is->count);
        assert_true(was->first == is->first || (isnan(was->first) && isnan(is->first)));
        assert_true(was->last == is->last || (isnan(was->last) && isnan(is->last)));
        assert_true(was->worst == is->worst || (isnan(was->worst) && isnan(is->worst)));
    }
    zw_warnings_read(back, t); /* the same again is no other entry */
    assert_int_equal(zw_warnings_count(back), 2);
    assert_int_equal(zw_warnings_at(back, 0)->count, 34);
    zw_table_destroy(t);
    zw_warnings_destroy(list);
    zw_warnings_destroy(back);
}

/* a list that is full, or has no memory, still knows that there are doubts */
static void test_doubts__none_is_forgotten(void **state) {
    (void)state;
    zw_warnings *list = zw_warnings_create(NULL);
    for (int i = 0; i < 1000; i++) {
        char key[32];
        snprintf(key, sizeof key, "thing %d", i);
        zw_warning d = zw_warning_of(key, 0, "a");
        zw_warnings_add(list, &d);
    }
    assert_int_equal(zw_warnings_count(list) + zw_warnings_lost(list), 1000);
    assert_true(zw_warnings_lost(list) > 0);
    zw_warnings_destroy(list);

    failing_allocator f = {.fail_at = 2};
    zw_allocator alloc = failing_allocator_of(&f);
    list = zw_warnings_create(&alloc);
    zw_warning d = zw_warning_of("key", 0, "a");
    zw_warnings_add(list, &d);
    assert_int_equal(zw_warnings_count(list), 0);
    assert_int_equal(zw_warnings_lost(list), 1);
    zw_warnings_destroy(list);
    assert_int_equal(f.blocks, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_doubts__merge_by_key),
        cmocka_unit_test(test_doubts__are_told),
        cmocka_unit_test(test_doubts__come_back_from_notes),
        cmocka_unit_test(test_doubts__none_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
