/* SPDX-License-Identifier: MIT */
/* The verb response: its tasks by their options, options that belong to another task, the files of
 * each, and the former name of a part of it. */
#include "support/command.h"

static answer response(const char *arguments) {
    return *zwang_verb("response", arguments);
}

/* each option is refused where it would be ignored */
static void test_cmd_response__refuses(void **state) {
    (void)state;
    static const struct {
        const char *arguments, *word;
    } wrong[] = {
        {" --switch 2", "--switch needs --over"},
        {" --for k=1,2", "--for needs --over"},
        {" --pick fold", "--pick needs --over"},
        {" --nodes 3", "--nodes belongs to --shooting"},
        {" --samples 30", "--samples belongs to --gauss"},
        {" --forces f.csv", "--forces belongs to --gauss"},
        {" --gauss --spectrum s.csv", "--spectrum does not go with --gauss"},
        {" --gauss --switch 2", "--switch does not go with --gauss"},
        {" --gauss --shooting", "choose one"},
        {" --gauss --picture a.svg", "--gauss lists minima"},
        {" --gauss --over Omega=1:2:3 --forces f.csv", "--forces is of one minimum"},
        {" --shooting --odd", "no harmonics to choose"},
        {" --shooting --over Omega=1:2", "--shooting is of motions at one value"},
        {" --over Omega=1:2 --number 1", "--number is of motions at one value"},
        {" --over Omega=1:2 --spectrum s.csv", "--spectrum is of motions at one value"},
        {" --over Omega=1:2 --motion m.csv", "--motion FILE needs --pick"},
        {" --over Omega=1:2 --marks F=1:2 --for k=1,2", "choose one"},
        {" --number 7 --out m.csv", "--number 7: there is 1 motion"},
        {" --number 7 --spectrum m.csv", "--number 7: there is 1 motion"},
        {" --over Omega=1:2 --pick 'fold 9' --motion m.csv",
         "--pick fold 9: the curves have fewer"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char words[200];
        snprintf(words, sizeof words, MODEL("duffing") "%s", wrong[i].arguments);
        answer a = response(words);
        assert_has(a.err, wrong[i].word);
        assert_int_equal(a.code, 1);
    }
}

static void test_cmd_response__former_name(void **state) {
    (void)state;
    answer a = *zwang_verb("steady", MODEL("duffing"));
    assert_int_equal(a.code, 1);
    assert_has(a.err, "it is now zwang response MODEL");
}

/* one motion: what is written to a file is checked, and the check is reported */
static void test_cmd_response__one_motion(void **state) {
    (void)state;
    char text[4000];
    answer a = response(MODEL("duffing") " --odd --out m.csv --spectrum s.csv --picture m.svg");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "duffing: 1 periodic motion\n");
    assert_has(a.out, "1.14180765");
    assert_has(a.out, "integrated over its period: closure error");
    read_file("m.csv", text, sizeof text);
    assert_has(text, "# step out: "); /* the result of a run */
    read_file("s.csv", text, sizeof text);
    assert_has(text, "amplitude(x)");
    a = response(MODEL("duffing") " --odd");
    assert_null(strstr(a.out, "integrated")); /* not asked for */
}

/* curves: one motion of them in words and as a file; those of several values as a list */
static void test_cmd_response__curves(void **state) {
    (void)state;
    char text[4000];
    answer a = response(MODEL("duffing") " --variant set_2 --over Omega=3:4 --pick 'fold 2'");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "3.345971748 rad/s  a fold");
    assert_has(a.out, "at Omega = 3.345971748 rad/s; period");
    a = response(
        MODEL("duffing") " --variant set_2 --over Omega=3:4 --pick 'fold 2' --motion f.csv");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "integrated over its period: closure error");
    read_file("f.csv", text, sizeof text);
    assert_has(text, "# step out: "); /* the result of a run */
    a = response(MODEL("duffing") " --variant set_2 --over Omega=3:4 --pick 'fold 9'");
    assert_int_equal(a.code, 1);
    assert_has(a.out, "3.345971748 rad/s  a fold"); /* the curves are reported all the same */
    assert_has(a.err, "--pick fold 9: the curves have fewer of them");
    a = response(MODEL("duffing") " --variant set_2 --over Omega=3:3.1 --for F=1,2 --json --quiet");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "\"studies\": [");
    assert_has(a.out, "\"for_value\": 2");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cmd_response__refuses),
        cmocka_unit_test(test_cmd_response__former_name),
        cmocka_unit_test(test_cmd_response__one_motion),
        cmocka_unit_test(test_cmd_response__curves),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
