/* SPDX-License-Identifier: MIT */
#include "base/text.h"

#include "base/arena.h"
#include "support/failing_allocator.h"
#include "support/test.h"

static void test_text__grows(void **state) {
    (void)state;
    zw_text t;
    zw_text_init(&t, NULL);
    assert_string_equal(zw_text_get(&t), "");
    char expected[4001] = "";
    for (int i = 0; i < 1000; i++) {
        zw_text_printf(&t, "%03d,", i);
        snprintf(expected + 4 * i, 5, "%03d,", i);
    }
    assert_string_equal(zw_text_get(&t), expected);
    assert_int_equal(t.length, 4000);
    zw_text_clear(&t);
    assert_string_equal(zw_text_get(&t), "");
    zw_text_put(&t, "abc");
    zw_text_put_n(&t, "defgh", 2);
    zw_text_put_n(&t, "", 0);
    assert_string_equal(zw_text_get(&t), "abcde");
    zw_text_clear(&t);
}

static void test_text__take_gives_the_string_away(void **state) {
    (void)state;
    failing_allocator f = failing_allocator_make(0);
    zw_allocator alloc = failing_allocator_of(&f);
    zw_text t;
    zw_text_init(&t, &alloc);
    zw_text_put(&t, "mine");
    char *s = zw_text_take(&t);
    assert_string_equal(s, "mine");
    assert_string_equal(zw_text_get(&t), "");
    assert_int_equal(f.bytes, 5);
    zw_release(&alloc, s, strlen(s) + 1);
    char *empty = zw_text_take(&t);
    assert_string_equal(empty, "");
    zw_release(&alloc, empty, 1);
    assert_int_equal(f.blocks, 0);
    assert_int_equal(f.bytes, 0);
}

static void test_text__failure_is_sticky(void **state) {
    (void)state;
    long tried = 0;
    for (long n = 1;; n++, tried++) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_text t;
        zw_text_init(&t, &alloc);
        for (int i = 0; i < 100; i++)
            zw_text_printf(&t, "%d ", i);
        bool failed_before = f.failed;
        assert_int_equal(t.failed, f.failed);
        char *s = zw_text_take(&t);
        if (failed_before)
            assert_null(s);
        if (s)
            zw_release(&alloc, s, strlen(s) + 1);
        assert_int_equal(f.blocks, 0);
        assert_int_equal(f.bytes, 0);
        if (!f.failed)
            break;
    }
    assert_true(tried >= 3);
}

/* what a terminal obeys becomes '?', everything else stays, letters of all languages too */
static void test_text__tame(void **state) {
    (void)state;
    static const struct {
        const char *wild, *tame;
    } cases[] = {
        {"a\tb\nc", "a\tb\nc"},
        {"\033]0;owned\007x\033[2J", "?]0;owned?x?[2J"},
        {"\r\b\177", "???"},
        {"caf\xc3\xa9 \xe2\x88\x82 \xe6\x97\xa5 \xf0\x9f\x99\x82",
         "caf\xc3\xa9 \xe2\x88\x82 \xe6\x97\xa5 \xf0\x9f\x99\x82"},
        {"\xc2\x9b"
         "2J",
         "??2J"}, /* CSI in eight bits, as UTF-8 */
        {"\x9b"
         "2J\xc3",
         "?2J?"}, /* and as it is; a character cut short */
        {"\xe2\x80\xae"
         "abc",
         "???abc"}, /* written backwards from here on */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        strcpy(text, cases[i].wild);
        zw_text_tame(text);
        assert_string_equal(text, cases[i].tame);
    }
    zw_text_tame(NULL);
}

/* no digit more than it takes to read the same number back */
static void test_text__numbers(void **state) {
    (void)state;
    zw_text t;
    zw_text_init(&t, NULL);
    zw_text_number(&t, 0.005);
    zw_text_put(&t, " ");
    zw_text_number(&t, 1.0 / 3);
    zw_text_put(&t, " ");
    zw_text_json_number(&t, 0.1);
    zw_text_put(&t, " ");
    zw_text_json_number(&t, INFINITY);
    assert_string_equal(zw_text_get(&t), "0.005 0.3333333333333333 0.1 null");
    zw_text_clear(&t);
}

static void test_text__known_digits(void **state) {
    zw_text t;
    (void)state;
    zw_text_init(&t, NULL);
    zw_text_known(&t, 0.1101131915, 2e-6, 10);
    zw_text_put(&t, " ");
    zw_text_known(&t, 0.1101131915, 0, 10);
    zw_text_put(&t, " ");
    zw_text_known(&t, -123.456, 200, 10);
    zw_text_put(&t, " ");
    zw_text_known(&t, 0, 1e-3, 10);
    assert_string_equal(zw_text_get(&t), "0.11011 0.1101131915 -1e+02 0");
    zw_text_clear(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text__grows),
        cmocka_unit_test(test_text__take_gives_the_string_away),
        cmocka_unit_test(test_text__failure_is_sticky),
        cmocka_unit_test(test_text__tame),
        cmocka_unit_test(test_text__numbers),
        cmocka_unit_test(test_text__known_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
