/* SPDX-License-Identifier: MIT */
/* Models by their names: which file a name means, what is told of it, what is listed. */
#include <sys/stat.h>

#include "support/command.h"

#define OSCILLATOR(title)                                                                          \
    "model own \"" title "\"\nparam m = 1 [kg], k = 4 [N/m]\ncoord x [m]\n"                        \
    "particle P : m at (x, 0)\npotential 1/2*k*x^2\nstart x = 1 [m]\n"

static void make_subfolder(const char *name) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(mkdir(path, 0755), 0);
}

static void set_models(const char *list) {
    if (list)
        setenv("ZWANG_MODELS", list, 1);
    else
        unsetenv("ZWANG_MODELS");
}

static void test_folders__by_name(void **state) {
    (void)state;
    static const char *const words[] = {"turntable_ball", "turntable_ball.zw",
                                        "models/turntable_ball.zw"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const answer *a = zwang_verb("check", words[i]);
        assert_int_equal(a->code, 0);
        assert_has(a->out, "turntable_ball: Ball rolling on a turntable");
        assert_has(a->err, words[i]);
        assert_has(a->err, " is " ZW_SOURCE_DIR "/models/turntable_ball.zw\n");
    }
    const answer *a = zwang_verb("check", "turntable_ball --quiet");
    assert_int_equal(a->code, 0);
    assert_string_equal(a->err, "");
    assert_int_equal(zwang_verb("check", "claims/turntable_ball_printed")->code, 0);
    /* what is written is written here */
    a = zwang_verb("run", "duffing --until 1 --out run.csv --plot x:t --quiet");
    assert_int_equal(a->code, 0);
    char text[4096];
    read_file("duffing_x_t.svg", text, sizeof text);
    assert_has(text, "<svg");
    assert_int_equal(zwang_verb("plot", "run.csv skate --until 1 --plot x:t --quiet")->code, 0);
}

static void test_folders__order(void **state) {
    (void)state;
    make_subfolder("first");
    make_subfolder("second");
    write_file("second/skate.zw", OSCILLATOR("second"));
    set_models("first::nowhere:second");
    assert_has(zwang_verb("check", "skate")->out, "own: second");
    write_file("first/skate.zw", OSCILLATOR("first"));
    assert_has(zwang_verb("check", "skate")->out, "own: first");
    make_subfolder("skate"); /* a folder is no model */
    assert_has(zwang_verb("check", "skate")->out, "own: first");
    write_file("skate.zw", OSCILLATOR("here"));
    const answer *a = zwang_verb("check", "skate");
    assert_has(a->out, "own: here");
    assert_has(a->err, "skate is skate.zw\n");
    write_file("rink", OSCILLATOR("as it is"));
    write_file("rink.zw", OSCILLATOR("not this one"));
    assert_has(zwang_verb("check", "rink")->out, "own: as it is");
    assert_string_equal(zwang_verb("check", "./skate.zw")->err, "");
    /* a file that was found is read, so it is not written over */
    a = zwang_verb("derive", "second/skate --out ./second/skate.zw");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "is read by this command");
    set_models(NULL);
}

static void test_folders__not_found(void **state) {
    (void)state;
    const answer *a = zwang_verb("run", "turntable_bal");
    assert_int_equal(a->code, 1);
    assert_string_equal(
        a->err, "error: there is no model turntable_bal: no such file here nor in " ZW_SOURCE_DIR
                "/models\n"
                "hint: did you mean turntable_ball? zwang models lists them\n");
    set_models("attic:cellar");
    a = zwang_verb("run", "turntable_bal.zw");
    assert_has(a->err, "nor in attic, cellar, " ZW_SOURCE_DIR "/models\n");
    assert_has(a->err, "did you mean turntable_ball?");
    set_models(NULL);
    /* a path is a path, a result is a result */
    assert_has(zwang_verb("run", "./turntable_ball")->err, "./turntable_ball cannot be read");
    assert_has(zwang_verb("view", "turntable_ball.csv")->err, "turntable_ball.csv");
    assert_null(strstr(zwang_verb("view", "turntable_ball.csv")->err, "no model"));
}

static void test_folders__listed(void **state) {
    (void)state;
    const answer *a = zwang_verb("models", "");
    assert_int_equal(a->code, 0);
    assert_has(a->out, ZW_SOURCE_DIR "/models\n");
    assert_has(a->out, "\n  turntable_ball                   Ball rolling on a turntable");
    assert_has(a->out, "\n  claims/turntable_ball_printed    Printed equations");
    make_subfolder("mine");
    write_file("mine/lorenz.zw", OSCILLATOR("another"));
    write_file("mine/odd.zw", "model odd\ncoord x [m\n");
    write_file("mine/red.zw", OSCILLATOR("\033[31mred"));
    set_models("mine:gone");
    a = zwang_verb("models", "");
    assert_int_equal(a->code, 0);
    assert_has(a->out, "mine\n  lorenz                           another\n");
    assert_has(a->out, "(cannot be read: line 2: ");
    assert_has(a->out, "gone\n  (there is no such folder, or it cannot be read)\n");
    assert_has(a->out, "Convection by Lorenz (hidden by the one above)\n");
    assert_null(strchr(a->out, '\033'));
    a = zwang_verb("models", "--json");
    assert_has(a->out, "          \"name\": \"lorenz\",\n          \"title\": \"another\",\n"
                       "          \"file\": \"mine/lorenz.zw\",\n          \"hidden\": false\n");
    set_models(NULL);
}

int main(void) {
    set_models(NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_folders__by_name),
        cmocka_unit_test(test_folders__order),
        cmocka_unit_test(test_folders__not_found),
        cmocka_unit_test(test_folders__listed),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
