/* SPDX-License-Identifier: MIT */
/* Verbs that write texts (slow, reduce, chart): what goes to standard output, to standard error and
 * to files, and which option writes what. */
#include "support/command.h"

static void test_cmd_reduce__text_and_summary(void **state) {
    (void)state;
    char text[20000];
    answer a = *zwang_verb("reduce", MODEL("rolling_disc"));
    assert_int_equal(a.code, 0);
    assert_has(a.out, "model rolling_disc_reduced");
    assert_null(strstr(a.out, "equal to the full model"));
    assert_has(a.err, "rolling_disc: 4 states, equal to the full model within");
    a = *zwang_verb("reduce", MODEL("rolling_disc") " --quiet");
    assert_has(a.out, "model rolling_disc_reduced");
    assert_string_equal(a.err, "");
    a = *zwang_verb("reduce", MODEL("rolling_disc") " --out r.zw");
    assert_has(a.out, "4 states, equal to the full model within");
    assert_null(strstr(a.out, "model rolling_disc_reduced"));
    read_file("r.zw", text, sizeof text);
    assert_has(text, "model rolling_disc_reduced");
    a = *zwang_verb("reduce", MODEL("rolling_disc") " --json");
    assert_has(a.out, "\"study\": \"reduce\"");
    assert_has(a.out, "\"model_text\": \"");
}

static void test_cmd_slow__files_by_their_endings(void **state) {
    (void)state;
    char text[20000];
    answer a = *zwang_verb("slow", MODEL("stiff_pendulum") " --out s.zw");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "h_0 = -k*delta/c");
    read_file("s.zw", text, sizeof text);
    assert_has(text, "# ");
    assert_has(text, "state ");
    a = *zwang_verb("slow", MODEL("stiff_pendulum") " --out s.tex --format latex");
    assert_int_equal(a.code, 0);
    assert_null(strstr(a.out, "h_0"));
    read_file("s.tex", text, sizeof text);
    assert_has(text, "\\documentclass");
    a = *zwang_verb("slow", MODEL("stiff_pendulum") " --out s.csv");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "--out needs a run (--until) or the manifold over a --box");
    a = *zwang_verb("slow", MODEL("stiff_pendulum") " --until 0.1 --out s.csv");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "Distance from the manifold up to");
    read_file("s.csv", text, sizeof text);
    assert_has(text, "distance(");
}

/* nothing is left unwritten in silence */
static void test_cmd_slow__rejects_files_without_content(void **state) {
    (void)state;
    static const struct {
        const char *verb, *arguments, *words;
    } wrong[] = {
        {"slow", MODEL("towed_wheel") " --near roll --until 0.01 --out s.txt", "are rows"},
        {"slow", MODEL("towed_wheel") " --near roll --until 0.01 --out s.zw", "no formulas"},
        {"slow", MODEL("stiff_pendulum") " --propose --out s.csv", "no table and no picture"},
        {"slow", MODEL("stiff_pendulum") " --propose --until 1 --picture s.svg",
         "--picture: these"},
        {"slow", MODEL("stiff_pendulum") " --until 0.1 --formulas f.txt", "have no such text"},
        {"amplitudes", MODEL("duffing") " --odd --until 1 --out a.tex", "add --symbolic"},
        {"amplitudes", MODEL("duffing") " --odd --formulas a.txt", "have no such text"},
        {"chart", MODEL("pendulum_polar") " --tell \"g/l\" --out c.csv", "needs the parameters"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        answer a = *zwang_verb(wrong[i].verb, wrong[i].arguments);
        assert_int_equal(a.code, 1);
        assert_has(a.err, wrong[i].words);
    }
}

/* what else was asked for is there */
static void test_cmd_slow__one_missing_file_costs_no_other(void **state) {
    (void)state;
    char text[1 << 14];
    answer a = *zwang_verb("amplitudes",
                           MODEL("duffing") " --odd --until 1 --formulas no.txt --out yes.csv");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "--formulas no.txt: these results have no such text");
    assert_has(a.out, "at the end first(x) = ");
    read_file("yes.csv", text, sizeof text);
    assert_has(text, "# model: duffing");
}

static void test_cmd_slow__format_json_is_json(void **state) {
    (void)state;
    answer a = *zwang_verb("slow", MODEL("stiff_pendulum") " --json");
    char *before = strdup(a.out);
    assert_non_null(before);
    assert_has(before, "\"orders\": [\"-k*delta/c\"");
    a = *zwang_verb("slow", MODEL("stiff_pendulum") " --format json");
    assert_string_equal(a.out, before);
    free(before);
}

static void test_cmd_chart__scaled_model(void **state) {
    (void)state;
    answer a = *zwang_verb("chart", MODEL("pendulum_polar") " --nondim -");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "units none");
    assert_null(strstr(a.out, "Dimensionless groups"));
    assert_has(a.err, "Dimensionless groups");
    assert_has(a.err, "Scaled model: read again and compared");
    a = *zwang_verb("chart", MODEL("pendulum_polar") " --nondim n.zw");
    assert_has(a.out, "Scaled model: read again and compared");
    a = *zwang_verb("chart", MODEL("pendulum_polar"));
    assert_null(strstr(a.out, "Scaled model"));
    a = *zwang_verb("chart", MODEL("pendulum_polar") " --out c.csv");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "--out needs the parameters of the chart");
    a = *zwang_verb("chart", MODEL("pendulum_polar") " --tell \"g/l\" --nondim n.zw");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "--tell does not go with --over, --scale, --nondim");
}

/* three parameters: the default picture shows them in space, also from the file */
static void test_cmd_chart__surfaces(void **state) {
    (void)state;
    answer a = *zwang_verb(
        "chart",
        MODEL("tippedisk_normalised") " --over kappa=0.001:0.1:5 --over "
                                      "zeta=0.5:2:6 --over w=0.8:1.3:4 --curve \"w = 1 + kappa\" "
                                      "--picture s.svg --out s3.csv");
    assert_int_equal(a.code, 0);
    a = *zwang_verb("plot", "s3.csv --picture again.svg");
    assert_int_equal(a.code, 0);
    a = *zwang_verb("plot", "s3.csv --plot kappa,zeta,w --picture space.svg");
    assert_int_equal(a.code, 0);
    static char again[400000], space[400000];
    read_file("again.svg", again, sizeof again);
    read_file("space.svg", space, sizeof space);
    assert_has(again, "<svg");
    assert_string_equal(again, space);
    a = *zwang_verb(
        "chart",
        MODEL("tippedisk_normalised") " --over kappa=0.001:0.1:5 --over "
                                      "zeta=0.5:2:6 --over w=0.8:1.3:4 --curve \"w = 1 + kappa\"");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "three parameters give surfaces");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cmd_reduce__text_and_summary),
        cmocka_unit_test(test_cmd_slow__files_by_their_endings),
        cmocka_unit_test(test_cmd_slow__rejects_files_without_content),
        cmocka_unit_test(test_cmd_slow__one_missing_file_costs_no_other),
        cmocka_unit_test(test_cmd_slow__format_json_is_json),
        cmocka_unit_test(test_cmd_chart__scaled_model),
        cmocka_unit_test(test_cmd_chart__surfaces),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
