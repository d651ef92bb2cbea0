/* SPDX-License-Identifier: MIT */
#include "support/test.h"

#include "zwang/survey.h"

static void test_range__parts_have_no_gap_and_no_overlap(void **state) {
    (void)state;
    const uint64_t counts[] = {0, 1, 7, 16, 1000003, 1000000000, UINT64_MAX};
    for (int c = 0; c < 7; c++)
        for (int n = 1; n < 40; n++) {
            uint64_t next = 0, least = UINT64_MAX, most = 0;
            for (int i = 1; i <= n; i++) {
                char text[32];
                zw_plan_part r;
                snprintf(text, sizeof text, "%d/%d", i, n);
                assert_int_equal(zw_plan_part_read(&r, text, counts[c], NULL), ZW_OK);
                assert_true(r.first == next);
                next += r.count;
                least = r.count < least ? r.count : least, most = r.count > most ? r.count : most;
            }
            assert_true(next == counts[c]);
            assert_true(most - least <= 1);
        }
}

static void test_range__refuses_what_is_no_part(void **state) {
    (void)state;
    const char *bad[] = {"",
                         "3",
                         "0/4",
                         "5/4",
                         "1/0",
                         "-1/4",
                         "1/4x",
                         "1 /4",
                         "a/b",
                         "1/",
                         "1/99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        zw_error err = {0};
        zw_plan_part r;
        assert_int_equal(zw_plan_part_read(&r, bad[i], 100, &err), ZW_E_OPTION);
        assert_non_null(strstr(err.text, "--range"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_range__parts_have_no_gap_and_no_overlap),
        cmocka_unit_test(test_range__refuses_what_is_no_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
