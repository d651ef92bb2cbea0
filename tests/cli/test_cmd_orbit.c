/* SPDX-License-Identifier: MIT */
/* The command for periodic orbits: one orbit, a branch over a parameter, going on from its file;
 * calls that are errors, with the call that is meant. */
#include "support/command.h"

#define CYCLE MODEL("van_der_pol") " "
#define DOUBLING MODEL("roessler") " --over c=2.5:3 "

static answer orbit(const char *arguments) {
    return *zwang_verb("orbit", arguments);
}

static answer go_on(const char *arguments) {
    return *zwang_verb("continue", arguments);
}

static void test_cmd_orbit__one(void **state) {
    (void)state;
    answer a = orbit(CYCLE);
    assert_int_equal(a.code, 0);
    assert_has(a.out, "period 6.663286859 s");
    assert_has(a.out, "symmetric under a shift by half a period: --symmetry \"x = -x\"");
    assert_null(strstr(a.out, "has a closure error of")); /* nothing was integrated */
    a = orbit(CYCLE "--out cycle.csv --json");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "\"study\": \"orbit\"");
    assert_has(a.out, "\"closure_error\": ");
    a = orbit(CYCLE "--shooting");
    assert_has(a.out, "by shooting: period 6.66328685932 s");
}

/* the branch, its special point and the file from which it goes on */
static void test_cmd_orbit__branch_and_file(void **state) {
    (void)state;
    answer a = orbit(DOUBLING "--out branch.csv --json");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "\"special_points\": [");
    assert_has(a.out, "\"label\": \"PD1\",");
    assert_has(a.out, "\"bifurcation\": \"period-doubling\",");
    assert_has(a.out, "\"criticality\": \"supercritical\"");
    a = orbit("branch.csv --point PD1");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "stability undecided: a multiplier is on the unit circle");
    a = go_on("branch.csv --point PD1 --over a=0.19:0.21");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "orbits over a");
    a = go_on("branch.csv --point PD1 --over a=0.19:0.21 --out branch.csv");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "is read by this command");
}

static void test_cmd_orbit__errors(void **state) {
    const struct {
        bool continues;
        const char *arguments, *text;
    } call[] = {
        {true, CYCLE "--over mu=1:2", "zwang orbit MODEL --over NAME=FROM:TO"},
        {false, "branch.csv --point PD1 --over a=0.1:0.3", "zwang continue FILE --point WHICH"},
        {true, "branch.csv --point PD1", "needs a parameter to follow"},
        {true, "branch.csv --over a=0.1:0.3", "--point selects one of its orbits"},
        {false, "branch.csv --point PD1 --period 3", "holds its model and its orbits"},
        {false, "branch.csv --point PD1 --set a=0.1", "holds its model"},
        {false, CYCLE "--point PD1", "--point is for branch files"},
        {false, CYCLE "--switch 2", "--switch is for branches"},
        {false, CYCLE "--title Cycle", "--title is for pictures: add --picture FILE"},
        {false, CYCLE "--plot x:y", "--plot: --picture FILE names the picture"},
        {false, CYCLE "--over mu=1:2 --shooting", "--shooting is for one orbit"},
        {false, CYCLE "--nodes 3", "--nodes are those of --shooting"},
        {false, CYCLE "--from hopf", "--from hopf: branches begin there"},
        {false, CYCLE "--section x", "belong to --from section"},
        {false, MODEL("stick_slip") " --stages 3", "--stages is for smooth motions"},
        {false, MODEL("stick_slip") " --from start", "begin at the run of the model"},
    };
    (void)state;
    assert_int_equal(orbit(DOUBLING "--out branch.csv").code, 0);
    for (size_t i = 0; i < sizeof call / sizeof *call; i++) {
        answer a = call[i].continues ? go_on(call[i].arguments) : orbit(call[i].arguments);
        if (a.code != 1 || !strstr(a.err, call[i].text))
            fail_msg("%s: %d, %s", call[i].arguments, a.code, a.err);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cmd_orbit__one),
        cmocka_unit_test(test_cmd_orbit__branch_and_file),
        cmocka_unit_test(test_cmd_orbit__errors),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
