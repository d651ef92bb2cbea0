/* SPDX-License-Identifier: MIT */
/* Blocks whose contents are saved and brought back: at the same addresses, whatever became of them
 * since. */
#include "base/arena.h"
#include "base/ledger.h"
#include "support/failing_allocator.h"

static void test_ledger__brings_bytes_back(void **state) {
    (void)state;
    failing_allocator f = failing_allocator_make(0);
    zw_allocator below = failing_allocator_of(&f);
    zw_ledger *l = zw_ledger_create(&below);
    zw_allocator a = zw_ledger_allocator(l);
    char *x = zw_allocate(&a, 5), *y = zw_allocate(&a, 7);
    strcpy(x, "four");
    strcpy(y, "sixsix");
    zw_ledger_copy *copy = zw_ledger_save(l);
    for (int round = 0; round < 3; round++) {
        x[0] = 'p';
        zw_release(&a, y, 7); /* kept, since the copy has it */
        char *z = zw_allocate(&a, 100);
        assert_true(z != y);
        if (round == 1)
            zw_release(&a, z, 100);
        zw_ledger_restore(l, copy);
        assert_string_equal(x, "four");
        assert_string_equal(y, "sixsix");
        assert_int_equal(f.blocks, 4); /* ledger, copy, x, y: z is gone */
    }
    zw_release(&a, y, 7);
    assert_int_equal(f.blocks, 4);
    zw_ledger_drop(l, copy);
    assert_int_equal(f.blocks, 2); /* and now y */
    zw_ledger_destroy(l);          /* with x */
    assert_int_equal(f.blocks, 0);
    assert_int_equal(f.bytes, 0);
}

/* a block that two copies hold */
static void test_ledger__copies_of_different_times(void **state) {
    (void)state;
    failing_allocator f = failing_allocator_make(0);
    zw_allocator below = failing_allocator_of(&f);
    zw_ledger *l = zw_ledger_create(&below);
    zw_allocator a = zw_ledger_allocator(l);
    int *x = zw_allocate(&a, sizeof *x);
    *x = 1;
    zw_ledger_copy *early = zw_ledger_save(l);
    *x = 2;
    int *y = zw_allocate(&a, sizeof *y);
    *y = 3;
    zw_ledger_copy *late = zw_ledger_save(l);
    zw_ledger_restore(l, early);
    assert_int_equal(*x, 1);
    assert_int_equal(f.blocks, 5); /* y is kept for the late copy */
    zw_ledger_restore(l, late);
    assert_int_equal(*x, 2);
    assert_int_equal(*y, 3);
    zw_ledger_drop(l, early);
    zw_ledger_restore(l, late);
    assert_int_equal(*y, 3);
    zw_ledger_destroy(l); /* with its copy */
    assert_int_equal(f.blocks, 0);
    assert_int_equal(f.bytes, 0);
}

static void test_ledger__says_that_memory_is_short(void **state) {
    (void)state;
    for (long n = 1; n <= 3; n++) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator below = failing_allocator_of(&f);
        zw_ledger *l = zw_ledger_create(&below);
        assert_int_equal(l != NULL, n > 1);
        if (l) {
            zw_allocator a = zw_ledger_allocator(l);
            assert_int_equal(zw_allocate(&a, 8) != NULL, n > 2);
            assert_int_equal(zw_ledger_save(l) != NULL, n < 3);
        }
        zw_ledger_destroy(l);
        assert_int_equal(f.blocks, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ledger__brings_bytes_back),
        cmocka_unit_test(test_ledger__copies_of_different_times),
        cmocka_unit_test(test_ledger__says_that_memory_is_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
