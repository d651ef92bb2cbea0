/* SPDX-License-Identifier: MIT */
#include "out/plots/cover.h"

#include "support/test.h"

/* a line marks the cells it runs through, once; a box sees them and nothing else */
static void test_cover__line_and_box(void **state) {
    (void)state;
    zw_out_cover c;
    assert_int_equal(zw_out_cover_init(&c, 10, 20, 110, 80, 2, NULL), ZW_OK);
    assert_true(zw_out_cover_line(&c, 15, 25, 95, 25));
    assert_false(zw_out_cover_line(&c, 95, 25, 15, 25)); /* nothing new on the way back */
    assert_true(zw_out_cover_line(&c, 15, 25, 97.5, 25));
    assert_true(zw_out_cover_touches(&c, 50, 24, 60, 30));
    assert_false(zw_out_cover_touches(&c, 50, 27, 60, 79));
    assert_false(zw_out_cover_touches(&c, 99, 20, 110, 80));
    int inked = 0;
    for (int y = 0; y < c.ny; y++)
        for (int x = 0; x < c.nx; x++)
            inked += zw_out_cover_has(&c, x, y);
    assert_int_equal(inked, 42); /* cells 2 .. 43 of one row */
    zw_out_cover_wipe(&c);
    assert_false(zw_out_cover_touches(&c, 10, 20, 110, 80));
    zw_out_cover_clear(&c);
}

static void test_cover__outside_is_passed_over(void **state) {
    (void)state;
    zw_out_cover c;
    assert_int_equal(zw_out_cover_init(&c, 0, 0, 10, 10, 1, NULL), ZW_OK);
    assert_false(zw_out_cover_point(&c, -1, 5));
    assert_false(zw_out_cover_point(&c, 5, 1e300));
    assert_false(zw_out_cover_point(&c, NAN, 5));
    assert_true(zw_out_cover_line(&c, -5, 5, 15, 5));
    assert_true(zw_out_cover_touches(&c, 0, 4, 1, 6));
    zw_out_cover_clear(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cover__line_and_box),
        cmocka_unit_test(test_cover__outside_is_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
