/* SPDX-License-Identifier: MIT */
/* The command for sweeps: what it says, files, exit codes. */
#include <math.h>

#include "support/command.h"

static answer sweep(const char *arguments) {
    return *zwang_verb("sweep", arguments);
}

static void test_cmd_sweep__files_of_every_kind_hold_the_same(void **state) {
    (void)state;
    const char *plan = MODEL("duffing") " --over F=1:2:0.25 --for 5 --measure \"max(x)\"";
    char line[512], *csv = malloc(1 << 16), *again = malloc(1 << 16);
    snprintf(line, sizeof line, "%s --out a.csv", plan);
    answer a = sweep(line);
    assert_int_equal(a.code, 0);
    assert_has(a.err, "F: 5 values, 1 to 2 N");
    assert_has(a.out, "5 of 5 motions, 5 rows");
    read_file("a.csv", csv, 1 << 16);
    assert_has(csv, "# kind: sweep\n");
    assert_has(csv, "F[N],max(x)[m],point,end\n1,");
    snprintf(line, sizeof line, "%s --out -", plan);
    a = sweep(line);
    assert_string_equal(a.out, csv);
    assert_has(a.err, "5 of 5 motions, 5 rows");
    snprintf(line, sizeof line, "%s --json --out a.csv", plan);
    a = sweep(line);
    assert_has(a.out, "\"motions_planned\": 5,");
    assert_has(a.out, "\"joined\": true,");
    char *picture[3];
    for (int i = 0; i < 3; i++) { /* the same picture from each */
        static const char *const ending[] = {"csv", "json", "h5"};
        picture[i] = malloc(1 << 18);
        snprintf(line, sizeof line, "%s --out b.%s", plan, ending[i]);
        assert_int_equal(sweep(line).code, 0);
        snprintf(line, sizeof line, "b.%s --plot \"max(x):F\" --picture c.svg", ending[i]);
        assert_int_equal(zwang_verb("plot", line)->code, 0);
        read_file("c.svg", picture[i], 1 << 18);
        assert_true(strlen(picture[i]) > 1000);
        assert_string_equal(picture[i], picture[0]);
    }
    for (int i = 0; i < 3; i++)
        free(picture[i]);
    /* an interrupted or failed writer leaves the old file: here the place is wrong */
    snprintf(line, sizeof line, "%s --out nowhere/a.csv", plan);
    assert_int_equal(sweep(line).code, 1);
    read_file("a.csv", again, 1 << 16);
    assert_string_equal(csv, again);
    free(csv);
    free(again);
}

static void test_cmd_sweep__several_drives_have_a_common_period(void **state) {
    (void)state;
    write_file("two.zw", "model two \"Two drives\"\nunits none\nparam w = 1, c = 0.3\n"
                         "state x, v : x' = v, v' = -x - c*v + cos(2*w*t) + cos(3*w*t)\n"
                         "start x = 0, v = 0\n");
    answer a = sweep("two.zw --over c=0.1,0.2 --for \"2 periods\" --out -");
    assert_int_equal(a.code, 0);
    assert_has(a.err, "2 excitations: a period is their common one, 6.28319 s");
    assert_null(strstr(sweep("two.zw --over c=0.1,0.2 --for 3 --out -").err, "excitations"));
}

static void test_cmd_sweep__points_of_a_file(void **state) {
    (void)state;
    write_file("points.csv", "Omega[rpm],x,x'\n60,0.5,0\n120,0,1\n");
    answer a = sweep(MODEL("duffing") " --points points.csv --over F=1,2 --for 1 --out -");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "\n2,120,0,1,"); /* the last point */
    assert_has(a.err, "4 points");
}

static void test_cmd_sweep__failed_motions_are_told_with_their_start(void **state) {
    (void)state;
    write_file("blow.zw", "model blow \"up\"\nparam k = 1 [1/s]\nstate u [1] : u' = k*u^2\n"
                          "start u = 0.1\n");
    answer a = sweep("blow.zw --start u=0.1,0.5,2,0.2 --for 1 --measure \"last(u)\" --out b.csv");
    assert_int_equal(a.code, 2);
    assert_has(a.out, "failed: point 2 (u(0) = 2): ");
    assert_has(a.err, "1 of 4 motions failed");
    static char csv[1 << 16];
    read_file("b.csv", csv, sizeof csv);
    assert_has(csv, "\n2,nan,2,-1\n");
    assert_has(csv, "\n0.2,0.2"); /* 1/4 */
    assert_has(csv, "# failed: 1 ");
}

/* A rod of the length l: two starts fit, above and below. What zwang run doubts a sweep doubts, by
 * parts and chunks too. */
static void test_cmd_sweep__doubts(void **state) {
    (void)state;
    write_file("rod.zw", "model rod\nunits none\nparam l = 1\ncoord x, y\n"
                         "particle P : 1 at (x, y)\ngravity 1 along -y\n"
                         "constraint rod : x^2 + y^2 = l^2\nstart x = 0.6\n");
    const char *plan = "rod.zw --over l=1,2,3 --for 1 --measure \"last(x)\"";
    static const char *const how[] = {"--out d.csv --engine lanes", "--out d.csv --engine single",
                                      "--journal doubts --chunk 1 --out d.csv"};
    static char csv[1 << 16];
    char line[256];
    for (int i = 0; i < 3; i++) {
        snprintf(line, sizeof line, "%s %s", plan, how[i]);
        answer a = sweep(line);
        assert_int_equal(a.code, 0);
        assert_has(a.err,
                   "warning: 3 of 3 motions have warnings, the first one point 0 (l = 1): the "
                   "start fits 2 solutions");
        read_file("d.csv", csv, sizeof csv);
        assert_has(csv, "# doubtful: 3 ");
        assert_null(strstr(csv, "# doubt: "));
    }
    for (int i = 1; i <= 2; i++) {
        snprintf(line, sizeof line, "%s --range %d/2 --out d%d.csv", plan, i, i);
        assert_int_equal(sweep(line).code, 0);
    }
    answer joined = sweep("--join d1.csv d2.csv --out d.csv");
    assert_has(joined.err, "3 of 3 motions have warnings\n");
    assert_int_equal(sweep("--join d1.csv d2.csv --out d.csv --strict").code, 4);
    snprintf(line, sizeof line, "%s --strict --out d.csv", plan);
    assert_int_equal(sweep(line).code, 4);
    answer a = sweep("rod.zw --over l=1,2 --start y=-0.8 --set x=0.6 --for 1 --out d.csv --strict");
    assert_int_equal(a.code, 2); /* no such start of the rod of 2 */
    write_file("turn.zw", "model turn\nunits none\nparam c = 1\ncoord phi\nperiodic phi\n"
                          "kinetic phi'^2/2\nforce (phi) = c\nevent half : sin(phi/2) both\n");
    a = sweep("turn.zw --over c=1,2 --for 1 --out d.csv"); /* of the model itself */
    assert_has(a.err, "turn.zw:8:7: warning: the function of the event half");
}

/* The same text with another table in the file that it names is another plan. */
static void test_cmd_sweep__tables_belong_to_the_plan(void **state) {
    (void)state;
    const char *plan = "push.zw --over c=1,2 --for 2 --measure \"last(u)\"";
    char line[256];
    write_file("push.zw", "model push\nunits none\nparam c = 1\n"
                          "input f = table \"push.csv\" [1] [1]\nstate u : u' = c*f\n");
    write_file("push.csv", "0,0\n1,1\n2,0\n");
    snprintf(line, sizeof line, "%s --range 1/2 --out push1.csv", plan);
    assert_int_equal(sweep(line).code, 0);
    snprintf(line, sizeof line, "%s --journal pushes --out push.out.csv", plan);
    assert_int_equal(sweep(line).code, 0);
    write_file("push.csv", "0,0\n1,5\n2,0\n");
    snprintf(line, sizeof line, "%s --range 2/2 --out push2.csv", plan);
    assert_int_equal(sweep(line).code, 0);
    answer a = sweep("--join push1.csv push2.csv --out push.out.csv");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "belongs to another plan");
    snprintf(line, sizeof line, "%s --journal pushes --resume --out push.out.csv", plan);
    assert_int_equal(sweep(line).code, 1);
}

static void test_cmd_sweep__absurd_work_needs_a_word(void **state) {
    (void)state;
    answer a = sweep(MODEL("duffing") " --over F=lin:1:2:1e6 --over Omega=lin:1:2:1e6 --for 1000 "
                                      "--out no.csv");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "1000000000000 motions need about ");
    assert_has(a.err, "years");
    assert_has(a.err, "--yes");
    static char csv[64];
    read_file("no.csv", csv, sizeof csv);
    assert_string_equal(csv, "");
    /* two motions, but of a thousand million rows */
    a = sweep(MODEL("duffing") " --over F=1,2 --for 1 --rows 1e-9s --measure x --out no.csv");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "2 motions need ");
    read_file("no.csv", csv, sizeof csv);
    assert_string_equal(csv, "");
}

static void test_cmd_sweep__statistics_and_sensitivity(void **state) {
    (void)state;
    answer a =
        sweep(MODEL("duffing") " --over F=uniform:1:2 --over c=uniform:0.3:0.5 --samples 40 "
                               "--sensitivity sobol --for 10 --measure \"max(x)\" --out s.csv "
                               "--statistics t.csv");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "max(x) (40 samples)");
    assert_has(a.err, "160 points");
    static char csv[1 << 16];
    read_file("t.csv", csv, sizeof csv);
    assert_has(csv, "mean(max(x))[m],sd(max(x))[m],error(max(x))[m],q05(max(x))[m]");
    a = sweep(MODEL("duffing") " --over F=uniform:1:2 --samples 9 --sensitivity morris --for 1 "
                               "--out s.csv --range 1/2");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "--range: --sensitivity");
    a = sweep(MODEL("duffing") " --over F=1,2 --for 1 --out s.csv --statistics t.csv");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "drawn");
}

/* one of several processes, as a launcher says: it shares a journal beside the result and does what
 * the others leave */
static void test_cmd_sweep__under_a_launcher(void **state) {
    (void)state;
    assert_int_equal(setenv("PMI_RANK", "1", 1) | setenv("PMI_SIZE", "2", 1), 0);
    answer a = sweep(MODEL("duffing") " --over F=1:2:0.1 --for 1 --out m.csv");
    answer b = sweep(MODEL("duffing") " --over F=1:2:0.1 --for 1 --out -");
    unsetenv("PMI_RANK"), unsetenv("PMI_SIZE");
    assert_int_equal(a.code, 0);
    assert_int_equal(b.code, 1);
    assert_has(b.err, "PMI_RANK");
    static char csv[1 << 16], plain[1 << 16], plan[1 << 12];
    read_file("m.csv", csv, sizeof csv);
    read_file("m.csv.journal/plan", plan, sizeof plan);
    assert_has(plan, "zwang journal 2\n");
    assert_int_equal(sweep(MODEL("duffing") " --over F=1:2:0.1 --for 1 --out p.csv").code, 0);
    read_file("p.csv", plain, sizeof plain);
    assert_string_equal(csv, plain);
}

static void test_cmd_sweep__a_joined_result_replaces_none_of_its_parts(void **state) {
    (void)state;
    char before[1 << 14], after[1 << 14];
    const char *part[] = {"p1.csv", "p2.csv"};
    for (int i = 0; i < 2; i++) {
        char line[256];
        snprintf(line, sizeof line, MODEL("duffing") " --over F=1,2 --for 1 --range %d/2 --out %s",
                 i + 1, part[i]);
        assert_int_equal(sweep(line).code, 0);
    }
    read_file("p1.csv", before, sizeof before);
    answer a = sweep("--join p1.csv p2.csv --out p1.csv");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "'p1.csv' is read by this command");
    read_file("p1.csv", after, sizeof after);
    assert_string_equal(before, after);
    assert_int_equal(sweep("--join p1.csv p2.csv --out p.csv").code, 0);
}

static void test_cmd_sweep__mistakes(void **state) {
    (void)state;
    const struct {
        const char *arguments, *say;
    } bad[] = {
        {MODEL("duffing") " --out a.csv", "something that is varied"},
        {MODEL("duffing") " --over F=1,2 --for 1", "a place for its result"},
        {MODEL("duffing") " --over F=1,2 --out a.xyz", "xyz"},
        {MODEL("duffing") " --over G=1,2 --out a.csv", "no parameter"},
        {MODEL("duffing") " --over F=2:1:0.1 --out a.csv", "lead"},
        {MODEL("duffing") " --over F=1,2 --range 3/2 --out a.csv", "--range"},
        {MODEL("duffing") " --over F=1,2 --range 1/2 --journal j --out a.csv", "take one"},
        {MODEL("duffing") " --over F=1,2 --range 1/2 --out a.json", ".csv"},
        {MODEL("duffing") " --over F=1,2 --resume --out a.csv", "--journal"},
        {MODEL("duffing") " --over F=1,2 --jump 0.2 --out a.csv", "--carry"},
        {MODEL("duffing") " --over F=1,2 --points none.csv --out a.csv", "none.csv"},
        {MODEL("duffing") " " MODEL("lorenz") " --over F=1,2 --out a.csv", "one word too many"},
        {"--join " MODEL("duffing") " --out a.csv", "no part of a sweep"},
        {"--join " MODEL("duffing") " --out a.csv --statistics b.csv",
         "--statistics has no effect with --join"},
        {"--join " MODEL("duffing") " --out a.csv --over F=1,2",
         "--over has no effect with --join"},
        {MODEL("duffing") " --over F=1,2 --chunk 5 --out a.csv", "--chunk needs --journal"},
        {MODEL("duffing") " --over F=1,2 --workers 2 --worker 2 --out a.csv", "are 0 to 1"},
        {"--join " MODEL("duffing"), "a place for the result"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        answer a = sweep(bad[i].arguments);
        if (a.code != 1 || !strstr(a.err, bad[i].say))
            fail_msg("%s: code %d, no '%s' in: %s", bad[i].arguments, a.code, bad[i].say, a.err);
    }
}

/* A motion that events cannot follow, here since it begins with an overlap, is repeated in time
 * steps, as run does it, and reported; the others are not. Inside the wall nothing but the spring
 * acts: x = x0 cos t. */
static void test_cmd_sweep__repeats_in_time_steps(void **state) {
    (void)state;
    write_file("wall.zw", "model wall \"w\"\nunits none\nparam e = 0.5, d = 0.5\ncoord x\n"
                          "kinetic 1/2*x'^2\npotential 1/2*x^2\n"
                          "contact wall : gap x + d, law newton(e)\nstart x = 1\n");
    answer a = sweep("wall.zw --start x=-0.7,-0.2,-0.6 --for 2 --measure \"last(x)\" --out r.csv");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "2 of these motions were repeated in time steps");
    assert_has(a.err, "2 of 3 motions have warnings");
    assert_has(a.err, "contacts in time steps: the contact wall overlaps by 0.2");
    char csv[4096];
    read_file("r.csv", csv, sizeof csv);
    static const double start[] = {-0.7, -0.2, -0.6};
    for (int i = 0; i < 3; i++) {
        char head[32];
        double x = 0;
        snprintf(head, sizeof head, "\n%g,", start[i]);
        const char *row = strstr(csv, head);
        assert_non_null(row);
        assert_int_equal(sscanf(row + strlen(head), "%lf", &x), 1);
        assert_true(fabs(x - start[i] * cos(2)) < 1e-6);
    }
}

/* Contacts by the default of run: the bounce is exact, and the scheme is told; --contacts asks for
 * the other one. */
static void test_cmd_sweep__contacts(void **state) {
    (void)state;
    const char *plan = MODEL("zeno_ball") " --over e=0.4,0.6 --for 0.6 --measure \"last(z)\" "
                                          "--out c.csv";
    char line[512], *csv = malloc(1 << 16);
    answer a = sweep(plan);
    assert_int_equal(a.code, 0);
    assert_has(a.out, "contacts from event to event (chosen)");
    read_file("c.csv", csv, 1 << 16);
    assert_has(csv, "# contacts treated: from event to event (chosen)\n");
    double z = 0;
    const char *row = strstr(csv, "\n0.6,");
    assert_non_null(row);
    assert_int_equal(sscanf(row, "\n0.6,%lf", &z), 1);
    double hit = sqrt(2 / 9.81), d = 0.6 - hit; /* falls by 1 m, bounces once */
    assert_true(fabs(z - (0.05 + 0.6 * 9.81 * hit * d - 9.81 / 2 * d * d)) < 1e-12);
    snprintf(line, sizeof line, "%s --contacts moreau --step 1e-3", plan);
    a = sweep(line);
    assert_int_equal(a.code, 0);
    assert_has(a.out, "contacts in time steps");
    assert_has(a.err, "2 of 2 motions have warnings");
    free(csv);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cmd_sweep__files_of_every_kind_hold_the_same),
        cmocka_unit_test(test_cmd_sweep__several_drives_have_a_common_period),
        cmocka_unit_test(test_cmd_sweep__points_of_a_file),
        cmocka_unit_test(test_cmd_sweep__failed_motions_are_told_with_their_start),
        cmocka_unit_test(test_cmd_sweep__doubts),
        cmocka_unit_test(test_cmd_sweep__tables_belong_to_the_plan),
        cmocka_unit_test(test_cmd_sweep__absurd_work_needs_a_word),
        cmocka_unit_test(test_cmd_sweep__statistics_and_sensitivity),
        cmocka_unit_test(test_cmd_sweep__under_a_launcher),
        cmocka_unit_test(test_cmd_sweep__a_joined_result_replaces_none_of_its_parts),
        cmocka_unit_test(test_cmd_sweep__contacts),
        cmocka_unit_test(test_cmd_sweep__repeats_in_time_steps),
        cmocka_unit_test(test_cmd_sweep__mistakes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
