/* SPDX-License-Identifier: MIT */
/* zwang view, as far as it can be judged without a browser. */
#include "support/command.h"

#include <stdbool.h>
#include <sys/stat.h>

static const answer *view(const char *arguments) {
    return zwang_verb("view", arguments);
}

static long size_of(const char *name) {
    char path[128];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return stat(path, &st) == 0 ? (long)st.st_size : -1;
}

/* built without npm: every call is refused with what to do */
static bool is_missing(void) {
    const answer *a = view(MODEL("duffing") " --until 0.1 --out probe.html");
    if (a->code == 0)
        return false;
    assert_int_equal(a->code, 1);
    assert_has(a->err, "built without its viewer");
    assert_has(a->err, "tools/setup viewer");
    assert_int_equal(size_of("probe.html"), -1);
    return true;
}

static void test_view__a_model_and_its_result_make_the_same_page(void **state) {
    (void)state;
    if (is_missing())
        skip();
    const answer *a = view(MODEL("double_pendulum") " --until 2");
    assert_int_equal(a->code, 0);
    assert_has(a->err, "page double_pendulum.html: 1001 rows, 5 drawings");
    assert_int_equal(zwang_verb("run", MODEL("double_pendulum") " --until 2 --out a.csv")->code, 0);
    a = view("a.csv --out b.html --quiet");
    assert_int_equal(a->code, 0);
    assert_string_equal(a->err, "");
    a = view("a.csv --out - --rows 3");
    assert_int_equal(a->code, 0);
    char command[300];
    snprintf(command, sizeof command, "cmp -s %s/double_pendulum.html %s/b.html", folder, folder);
    assert_int_equal(system(command), 0);
    assert_true(size_of("b.html") > 500000);
}

static void test_view__modes(void **state) {
    (void)state;
    if (is_missing())
        skip();
    const answer *a = view(MODEL("bicycle") " --mode 3 --hold \"rear'\" --hold yaw --amplitude 0.1 "
                                            "--out weave.html");
    assert_int_equal(a->code, 0);
    assert_has(a->err, "0.7106 Hz, damping 0.1711");
    assert_has(a->err, "amplitude 0.1 rad of steer");
    assert_has(a->err, "page weave.html");
    assert_true(size_of("weave.html") > 500000);
    a = view(MODEL("double_pendulum") " --set phi_1=0 --set phi_2=0 --mode 2 --still mode.svg");
    assert_int_equal(a->code, 0);
    assert_true(size_of("mode.svg") > 1000);
    a = view(MODEL("bicycle") " --mode 7");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "there is no mode 7: the motion has 4");
    assert_has(a->err, "4.465i");
    a = view(MODEL("bicycle") " --amplitude 2");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "--amplitude is for modes");
    a = view(MODEL("bicycle") " --mode 1 --step-out 0.1");
    assert_int_equal(a->code, 1);
    /* steady motions that there are not are refused as zwang equilibria does */
    a = view(MODEL("duffing") " --mode 1");
    assert_true(a->code != 0);
    assert_has(a->err, "no equilibria");
}

/* contacts and what their arrows mean, in pages and in stills */
static void test_view__contacts(void **state) {
    (void)state;
    write_file("slide.zw", "model slide\nparam m = 1 [kg], mu = 0.5\ncoord x, z [m]\n"
                           "particle P : m at (x, 0, z)\ngravity 9.81 [m/s^2] along -z\n"
                           "contact floor : gap z, slip P', at P, law coulomb(mu)\n"
                           "contact wall : gap 5 [m] - x\nstart x' = 1 [m/s]\n");
    const answer *a = zwang_verb("run", "slide.zw --until 0.5 --out slide.csv --quiet");
    assert_int_equal(a->code, 0);
    a = view("slide.csv --still with.svg --at 0.1");
    assert_int_equal(a->code, 0);
    assert_has(a->err, "1 contact, forces ");
    assert_has(a->err, " N\n");
    assert_has(a->err, "not drawn: the model does not say where the contact wall is: at POINT");
    a = view("slide.csv --still without.svg --at 0.1 --forces off");
    assert_int_equal(a->code, 0);
    assert_null(strstr(a->err, "1 contact"));
    assert_true(size_of("without.svg") > 1000 && size_of("without.svg") < size_of("with.svg"));
    a = view("slide.csv --forces off");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "--forces is for stills and films");
    a = view("slide.csv --still x.svg --forces maybe");
    assert_int_equal(a->code, 1);
    a = zwang_verb("plot", "slide.csv --strobe 0.1,0.2,0.4 --picture strobe.svg");
    assert_int_equal(a->code, 0);
    assert_has(a->err, ", forces ");
    a = zwang_verb("plot", "slide.csv --strobe 0.1,0.2,0.4 --picture strobe.svg --forces off");
    assert_int_equal(a->code, 0);
    assert_null(strstr(a->err, ", forces "));
    if (is_missing())
        skip();
    a = view("slide.csv --out slide.html");
    assert_int_equal(a->code, 0);
    assert_has(a->err, "1 contact, forces ");
}

/* what zwang plot draws is opened, whatever its kind; what does not move has no stills */
static void test_view__opens_other_kinds(void **state) {
    (void)state;
    if (is_missing())
        skip();
    static const char *const kinds[] = {"eigenvalues", "frequency response", "surface",
                                        "marks",       "melnikov zeros",     "level curves",
                                        "no such kind"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "# kind: %s\nomega[rad/s],gain,phase[deg],x,y,re(1),im(1)\n1,2,3,1,1,1,1\n"
                 "2,3,1,1,2,2,1\n3,2,1,2,1,3,1\n4,1,1,2,2,1,2\n",
                 kinds[i]);
        write_file("kind.csv", text);
        const answer *plotted = zwang_verb("plot", "kind.csv --picture kind.svg");
        int drawn = plotted->code;
        const answer *a = view("kind.csv");
        if (drawn == 0) {
            assert_int_equal(a->code, 0);
            assert_has(a->err, "page kind.html: ");
            assert_has(a->err, " rows");
        } else
            assert_int_equal(a->code, drawn);
    }
    write_file("values.csv", "# kind: eigenvalues\np[N],re(1)[1/s],im(1)[rad/s]\n0,1,0\n1,2,1\n");
    const answer *a = view("values.csv");
    assert_int_equal(a->code, 0);
    assert_has(a->err, "page values.html: 3 panels, 2 rows");
    a = view("values.csv --still x.svg");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "of the kind 'eigenvalues'");
    assert_has(a->err, "nothing moves in it");
    a = view("values.csv --plot \"re(1):p\" --out one.html");
    assert_int_equal(a->code, 0);
    assert_has(a->err, "page one.html: 1 panel, 2 rows");
    assert_int_equal(zwang_verb("run", MODEL("duffing") " --until 1 --out run.csv")->code, 0);
    a = view("run.csv --plot \"x,x'\" --out both.html");
    assert_int_equal(a->code, 0);
    assert_has(a->err, " drawings");
    a = view("run.csv --plot x:t --still x.svg");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "--plot is for the page");
    write_file("long.csv", "p,y\n0,1\n1,2\n2,1\n3,2\n4,1\n5,2\n6,3\n7,3\n8,3\n9,3\n10,3\n");
    a = view("long.csv --rows 2 --out long.html");
    assert_int_equal(a->code, 0);
    assert_has(a->err, "of its rows are in the page");
    a = view("values.csv --plot \"re(2):p\" --out two.html");
    assert_int_equal(a->code, 1);
    assert_int_equal(size_of("two.html"), -1);
    /* a name from a file is no place */
    write_file("bad.csv", "# model: ../bad\np,y\n0,1\n1,2\n");
    a = view("bad.csv");
    assert_int_equal(a->code, 0);
    assert_has(a->err, "page bad.html: 1 panel, 2 rows");
    a = view("values.csv --mode 1");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "zwang view MODEL --mode 1");
    a = zwang_verb("equilibria", MODEL("double_pendulum") " --json");
    assert_int_equal(a->code, 0);
    write_file("steady.json", a->out);
    for (int i = 0; i < 2; i++) {
        a = zwang_verb(i ? "plot" : "view", "steady.json");
        assert_int_equal(a->code, 1);
        assert_has(a->err, "steady.json is a report of an equilibrium");
        assert_has(a->err, "--mode 1");
    }
}

static void test_view__settings_and_switches_reach_the_page(void **state) {
    (void)state;
    if (is_missing())
        skip();
    const answer *a = view(MODEL("snakeboard") " --with gait --set l=0.3m --until 1 --out s.html");
    assert_int_equal(a->code, 0);
    assert_has(a->err, "page s.html");
    a = view(MODEL("turntable_ball") " --variant printed --by hamilton --until 1 --out t.html");
    assert_int_equal(a->code, 0);
    assert_has(a->err, "3 drawings");
}

/* what was computed before a pole is shown, and the pole is told */
static void test_view__a_failed_run_has_a_page(void **state) {
    (void)state;
    if (is_missing())
        skip();
    write_file("pole.zw", "model pole\ncoord x [m]\nparticle P : 1 [kg] at (x, 0)\n"
                          "force (x) = 1 [N]/(1 - t*1 [1/s])^2\nstart x = 0\ndraw P\n");
    const answer *a = view("pole.zw --until 3");
    assert_int_equal(a->code, 2);
    assert_has(a->err, "page pole.html: 33"); /* 3 s are 1000 steps, and the pole is at 1 s */
    assert_has(a->err, "at t = 1");
    assert_true(size_of("pole.html") > 500000);
}

static void test_view__mistakes_are_told(void **state) {
    (void)state;
    if (is_missing())
        skip();
    zwang_verb("run", MODEL("duffing") " --until 1 --out d.csv");
    const answer *a = view("d.csv --set m=2");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "is a result, which cannot be changed");
    a = view("d.csv --until 20");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "--until: d.csv is a result");
    write_file("bare.csv", "t[s],x\n0,1\n1,2\n");
    a = view("bare.csv --still bare.svg");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "does not contain the text of its model");
    a = view("bare.csv"); /* it can be drawn all the same */
    assert_int_equal(a->code, 0);
    assert_has(a->err, "page bare.html: 1 panel, 2 rows");
    write_file("empty.csv", "# text: model a\nt[s],x\n");
    a = view("empty.csv");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "no rows");
    a = view("nothing.csv");
    assert_int_equal(a->code, 1);
    a = view("d.csv --out d.pdf");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "the ending must be .html");
    a = view("d.csv --out /dev/full");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "cannot write");
    a = view(MODEL("duffing") " --out no/where.html");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "cannot write");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_view__a_model_and_its_result_make_the_same_page),
        cmocka_unit_test(test_view__modes),
        cmocka_unit_test(test_view__contacts),
        cmocka_unit_test(test_view__opens_other_kinds),
        cmocka_unit_test(test_view__settings_and_switches_reach_the_page),
        cmocka_unit_test(test_view__a_failed_run_has_a_page),
        cmocka_unit_test(test_view__mistakes_are_told),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
