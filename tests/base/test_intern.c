/* SPDX-License-Identifier: MIT */
#include "base/intern.h"

#include "base/checksum.h"

#include "support/failing_allocator.h"
#include "support/test.h"

static void test_intern__equal_strings_have_one_address(void **state) {
    (void)state;
    zw_arena a;
    zw_arena_init(&a, NULL);
    zw_intern in;
    zw_intern_init(&in, &a);
    const char *first[3000];
    char name[32];
    for (int i = 0; i < 3000; i++) {
        int n = snprintf(name, sizeof name, "n%d", i);
        first[i] = zw_intern_n(&in, name, (size_t)n);
        assert_string_equal(first[i], name);
    }
    assert_int_equal(in.count, 3000);
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof name, "n%d and more", i);
        assert_ptr_equal(zw_intern_n(&in, name, strcspn(name, " ")), first[i]);
    }
    assert_int_equal(in.count, 3000);
    /* a prefix is another string, and so is the empty one */
    assert_ptr_not_equal(zw_intern_n(&in, "n12", 2), first[12]);
    assert_string_equal(zw_intern_n(&in, "x", 0), "");
    zw_arena_clear(&a);
}

/* the published values of FNV-1a, 32 bit */
static void test_intern__hash_is_fnv1a(void **state) {
    (void)state;
    assert_int_equal(zw_hash_bytes("", 0), 0x811c9dc5u);
    assert_int_equal(zw_hash_bytes("a", 1), 0xe40c292cu);
    assert_int_equal(zw_hash_bytes("foobar", 6), 0xbf9cf968u);
}

/* the published values of FNV-1a, 64 bit (RFC 9923) */
static void test_checksum__is_fnv1a(void **state) {
    (void)state;
    assert_true(zw_checksum(ZW_CHECKSUM_START, "", 0) == UINT64_C(0xcbf29ce484222325));
    assert_true(zw_checksum(ZW_CHECKSUM_START, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(zw_checksum(ZW_CHECKSUM_START, "foobar", 6) == UINT64_C(0x85944171f73967e8));
    uint64_t h = zw_checksum(ZW_CHECKSUM_START, "foo", 3);
    assert_true(zw_checksum(h, "bar", 3) == UINT64_C(0x85944171f73967e8));
}

static void test_intern__survives_failing_allocations(void **state) {
    (void)state;
    long tried = 0;
    for (long n = 1;; n++, tried++) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_arena a;
        zw_arena_init(&a, &alloc);
        zw_intern in;
        zw_intern_init(&in, &a);
        bool ok = true;
        for (int i = 0; i < 500; i++) {
            char name[32];
            int length = snprintf(name, sizeof name, "name%d", i);
            ok = zw_intern_n(&in, name, (size_t)length) && ok;
        }
        assert_int_equal(ok, !f.failed);
        zw_arena_clear(&a);
        assert_int_equal(f.blocks, 0);
        if (!f.failed)
            break;
    }
    assert_true(tried >= 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_intern__equal_strings_have_one_address),
        cmocka_unit_test(test_intern__hash_is_fnv1a),
        cmocka_unit_test(test_checksum__is_fnv1a),
        cmocka_unit_test(test_intern__survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
