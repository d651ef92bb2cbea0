/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/base64.h"
#include "support/test.h"

/* the text of some doubles, to be freed */
static char *text_of(const double *v, size_t n) {
    zw_text t;
    zw_allocator alloc = zw_allocator_default();
    zw_text_init(&t, &alloc);
    zw_base64_put(&t, v, n);
    char *copy = malloc(t.length + 1);
    memcpy(copy, zw_text_get(&t), t.length + 1);
    zw_text_clear(&t);
    return copy;
}

/* 1.0 is 00 00 00 00 00 00 f0 3f, which RFC 4648 makes AAAAAAAA8D8=; -2.5 ends with 04 c0 */
static void test_base64__is_that_of_others(void **state) {
    (void)state;
    char *one = text_of((double[]){1}, 1), *two = text_of((double[]){1, -2.5}, 2);
    assert_string_equal(one, "AAAAAAAA8D8=");
    assert_string_equal(two, "AAAAAAAA8D8AAAAAAAAEwA==");
    free(one);
    free(two);
}

static void test_base64__reads_the_same_bits(void **state) {
    (void)state;
    enum { MOST = 700 };
    double v[MOST], back[MOST];
    test_random r = {7};
    for (int n = 0; n < MOST; n += n < 8 ? 1 : 97) {
        for (int i = 0; i < n; i++) { /* any bits: also numbers that are none */
            uint64_t bits = test_random_bits(&r);
            memcpy(&v[i], &bits, sizeof bits);
        }
        char *text = text_of(v, (size_t)n);
        assert_int_equal(strlen(text), zw_base64_length(8 * (size_t)n));
        assert_true(zw_base64_read(text, strlen(text), back, (size_t)n));
        assert_memory_equal(v, back, sizeof(double) * (size_t)n);
        assert_false(zw_base64_read(text, strlen(text), back, (size_t)n + 1));
        free(text);
    }
}

static void test_base64__refuses(void **state) {
    (void)state;
    static const char *const bad[] = {"AAAAAAAA8D8",  "AAAAAAAA8D8-", "AAAAAAAA8D9=",
                                      "AAAAAAA=8D8=", "AAAA AAA8D8=", "AAAAAAAA8==="};
    double v;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(zw_base64_read(bad[i], strlen(bad[i]), &v, 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base64__is_that_of_others),
        cmocka_unit_test(test_base64__reads_the_same_bits),
        cmocka_unit_test(test_base64__refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
