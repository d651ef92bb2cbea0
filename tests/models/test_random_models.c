/* SPDX-License-Identifier: MIT */
/* Random models and what must be true of them (random_checks.h); `make fuzz` goes on where this
 * ends. With an argument the model of that seed is printed, with two the models of these seeds are
 * checked. */
#include "support/random_checks.h"
#include "support/test.h"

enum { MODELS = 16 };

static void test_random__models_keep_what_they_promise(void **state) {
    (void)state;
    int ran = 0, compared = 0, conservative = 0, nonholonomic = 0;
    for (unsigned seed = 0; seed < MODELS; seed++) {
        random_model m;
        random_checked c;
        random_model_of_seed(&m, seed);
        const char *bad = random_model_check(&c, &m, seed);
        if (bad)
            fail_msg("seed %u: %s\n%s", seed, bad, m.text);
        ran += c.ran;
        compared += c.compared;
        conservative += m.conservative && c.ran;
        nonholonomic += !m.holonomic && c.ran;
    }
    /* these are not all refused */
    assert_true(ran > MODELS * 3 / 4);
    assert_true(compared > 6 * MODELS);
    assert_true(conservative > MODELS / 4 && nonholonomic > MODELS / 6);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random__models_keep_what_they_promise),
    };
    random_model m;
    random_checked c;
    if (argc == 2) {
        random_model_of_seed(&m, strtoull(argv[1], NULL, 10));
        fputs(m.text, stdout);
        return 0;
    }
    for (unsigned seed = argc > 2 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
         argc > 2 && seed < strtoul(argv[2], NULL, 10); seed++) {
        random_model_of_seed(&m, seed);
        if (random_model_check(&c, &m, seed))
            printf("seed %u: %s\n", seed, c.what);
    }
    return argc > 2 ? 0 : cmocka_run_group_tests(tests, NULL, NULL);
}
