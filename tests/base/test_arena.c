/* SPDX-License-Identifier: MIT */
#include "base/arena.h"

#include "support/failing_allocator.h"
#include "support/test.h"

static void test_arena__memory_is_zeroed_aligned_and_apart(void **state) {
    (void)state;
    zw_arena a;
    zw_arena_init(&a, NULL);
    unsigned char *block[200];
    for (int i = 0; i < 200; i++) {
        size_t size = (size_t)(i * 37 % 900);
        block[i] = zw_arena_alloc(&a, size);
        assert_non_null(block[i]);
        assert_int_equal((uintptr_t)block[i] % 16, 0);
        for (size_t k = 0; k < size; k++)
            assert_int_equal(block[i][k], 0);
        memset(block[i], i, size);
    }
    for (int i = 0; i < 200; i++)
        for (size_t k = 0; k < (size_t)(i * 37 % 900); k++)
            assert_int_equal(block[i][k], i);
    zw_arena_clear(&a);
}

static void test_arena__strings(void **state) {
    (void)state;
    zw_arena a;
    zw_arena_init(&a, NULL);
    assert_string_equal(zw_arena_copy(&a, "abcdef", 3), "abc");
    assert_string_equal(zw_arena_copy(&a, NULL, 0), "");
    assert_string_equal(zw_arena_string(&a, "whole"), "whole");
    assert_string_equal(zw_arena_printf(&a, "%s-%d", "x", 12), "x-12");
    char *wide = zw_arena_printf(&a, "%5000d", 7);
    assert_int_equal(strlen(wide), 5000);
    zw_arena_clear(&a);
}

/* release gives back exactly what came after the mark, also whole chunks */
static void test_arena__mark_and_release(void **state) {
    (void)state;
    failing_allocator f = failing_allocator_make(0);
    zw_allocator alloc = failing_allocator_of(&f);
    zw_arena a;
    zw_arena_init(&a, &alloc);
    char *kept = zw_arena_string(&a, "kept");
    zw_arena_mark mark = zw_arena_mark_now(&a);
    long bytes = f.bytes;
    char *first = zw_arena_alloc(&a, 8);
    for (int i = 0; i < 100; i++)
        assert_non_null(zw_arena_alloc(&a, 1000));
    assert_true(f.bytes > bytes);
    zw_arena_release(&a, mark);
    assert_int_equal(f.bytes, bytes);
    assert_string_equal(kept, "kept");
    assert_ptr_equal(zw_arena_alloc(&a, 8), first);
    zw_arena_clear(&a);
    assert_int_equal(f.blocks, 0);
    assert_int_equal(f.bytes, 0);
}

static void test_arena__absurd_size_fails(void **state) {
    (void)state;
    zw_arena a;
    zw_arena_init(&a, NULL);
    assert_null(zw_arena_alloc(&a, SIZE_MAX - 4));
    assert_true(a.failed);
    zw_arena_clear(&a);
    assert_false(a.failed);
    assert_non_null(zw_arena_alloc(&a, 1));
    zw_arena_clear(&a);
}

static void test_arena__array_grows(void **state) {
    (void)state;
    zw_arena a;
    zw_arena_init(&a, NULL);
    int *array = NULL, n = 0, capacity = 0;
    for (; n < 1000; n++) {
        assert_true(zw_arena_grow(&a, (void **)&array, n, &capacity, sizeof *array));
        array[n] = 3 * n;
    }
    for (int i = 0; i < 1000; i++)
        assert_int_equal(array[i], 3 * i);
    zw_arena_clear(&a);
}

static void test_arena__survives_failing_allocations(void **state) {
    (void)state;
    long tried = 0;
    for (long n = 1;; n++, tried++) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_arena a;
        zw_arena_init(&a, &alloc);
        bool ok = true;
        for (int i = 0; i < 50; i++)
            ok = zw_arena_alloc(&a, 700) && ok;
        ok = zw_arena_printf(&a, "%9000d", 1) && ok;
        assert_int_equal(ok, !f.failed);
        assert_int_equal(a.failed, f.failed);
        zw_arena_clear(&a);
        assert_int_equal(f.blocks, 0);
        assert_int_equal(f.bytes, 0);
        if (!f.failed)
            break;
    }
    assert_true(tried >= 4);
}

static void test_allocator__default_and_plain_functions(void **state) {
    (void)state;
    zw_allocator alloc = zw_allocator_default();
    char *p = zw_allocate(&alloc, 10);
    for (int i = 0; i < 10; i++)
        assert_int_equal(p[i], 0);
    p[9] = 'z';
    p = zw_reallocate(&alloc, p, 10, 1000);
    assert_int_equal(p[9], 'z');
    zw_release(&alloc, p, 1000);
    zw_release(&alloc, NULL, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena__memory_is_zeroed_aligned_and_apart),
        cmocka_unit_test(test_arena__strings),
        cmocka_unit_test(test_arena__mark_and_release),
        cmocka_unit_test(test_arena__absurd_size_fails),
        cmocka_unit_test(test_arena__array_grows),
        cmocka_unit_test(test_arena__survives_failing_allocations),
        cmocka_unit_test(test_allocator__default_and_plain_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
