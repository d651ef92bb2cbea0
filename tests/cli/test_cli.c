/* SPDX-License-Identifier: MIT */
/* The command as a user meets it: exit codes, messages, files. */
#include <jansson.h>
#include <signal.h>
#include <time.h>

#include "support/command.h"

static answer zwang(const char *arguments) {
    return *zwang_verb("", arguments);
}

/* two options of one name in a verb: the second one would never be heard */
static void test_cli__options_have_names_of_their_own(void **state) {
    (void)state;
    static const char *const verbs[] = {"basin",      "check",     "compare", "derive",   "diagram",
                                        "equilibria", "linearise", "orbit",   "response", "models",
                                        "plot",       "run",       "verify",  "view"};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        char words[64];
        snprintf(words, sizeof words, "help %s --all", verbs[i]);
        const answer a = zwang(words);
        assert_int_equal(a.code, 0);
        for (const char *at = strstr(a.out, "\n  --"); at; at = strstr(at + 1, "\n  --")) {
            size_t n = strcspn(at + 5, "= \n");
            for (const char *other = strstr(at + 1, "\n  --"); other;
                 other = strstr(other + 1, "\n  --"))
                if (strcspn(other + 5, "= \n") == n && strncmp(at + 5, other + 5, n) == 0)
                    fail_msg("zwang %s has --%.*s twice", verbs[i], (int)n, at + 5);
        }
    }
}

/* a model alone is answered with the calls that suit it, which work as they are printed */
static void test_cli__a_model_alone(void **state) {
    (void)state;
    answer a = zwang(MODEL("duffing"));
    assert_int_equal(a.code, 0);
    assert_has(a.out, "duffing: Duffing's oscillator\n");
    assert_has(a.out, "What repeats itself?\n  zwang response ");
    assert_has(a.out, "--over \"Omega=0.7:2.1 [rad/s]\"");
    assert_null(strstr(a.out, "zwang equilibria")); /* it is driven */
    assert_null(strstr(a.out, "zwang rest"));       /* and has no contacts */
    a = zwang(MODEL("woodpecker"));
    assert_int_equal(a.code, 0);
    assert_has(a.out, "  zwang rest ");
    assert_null(strstr(a.out, "zwang response"));
    a = zwang("no_such_model.zw");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "there is no verb 'no_such_model.zw'");
}

static void test_cli__help_and_version(void **state) {
    (void)state;
    answer a = zwang("");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "usage: zwang VERB MODEL");
    a = zwang("help");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "\nHow does it move?\n");
    assert_has(a.out, "\n  run ");
    a = zwang("help run");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "--until");
    assert_null(strstr(a.out, "--rtol"));
    assert_has(a.out, "zwang help run --all; ");
    a = zwang("run --help --all");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "--rtol");
    assert_has(a.out, "\nexamples\n");
    a = zwang("help pictures");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "--xlabel");
    a = zwang("help run");
    assert_has(a.out, "\nexample\n  $ zwang run ");
    a = zwang("version");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "zwang ");
    a = zwang("rnu x");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "did you mean run?");
    a = zwang("transmogrify x"); /* near to none of all verbs */
    assert_int_equal(a.code, 1);
    assert_has(a.err, "there is no verb 'transmogrify'");
    assert_has(zwang("'ab\033[31mcd'").err, "there is no verb 'ab?[31mcd'");
    a = zwang("simulate x.zw"); /* former names */
    assert_int_equal(a.code, 1);
    assert_has(a.err, "hint: it is now zwang run MODEL");
    a = zwang("run " MODEL("duffing") " --tend 3");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "it is now --until");
    a = zwang("version");
    assert_string_equal(zwang("-V").out, a.out);
    a = zwang("help plot");
    assert_string_equal(zwang("plot -h").out, a.out);
    a = zwang("run x.zw -q");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "has no option -q");
    a = zwang("version");
    assert_string_equal(zwang("run -V").out, a.out);
    assert_string_equal(zwang("derive x.zw --version").out, a.out);
    assert_int_equal(zwang("run -V").code, 0);
}

/* an option whose value was forgotten does not take the next option for it */
static void test_cli__forgotten_value(void **state) {
    (void)state;
    answer a = zwang("run " MODEL("duffing") " --set --out o.csv");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "--set needs a value");
    assert_has(a.err, "--out is the next option; if it is meant as the value: --set=--out");
    a = zwang("run " MODEL("duffing") " --until --quiet");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "--until needs a value");
    a = zwang("run " MODEL("duffing") " --until");
    assert_has(a.err, "--until needs a value");
    assert_false(strstr(a.err, "hint"));
    /* values that begin with one dash are values */
    a = zwang("run " MODEL("duffing") " --rtol -1e-3 --out -");
    assert_has(a.err, "--rtol -0.001 is out of range");
}

/* a value that is nearly one of the list */
static void test_cli__nearest_value(void **state) {
    (void)state;
    assert_has(zwang("run " MODEL("duffing") " --method rk45").err, "did you mean rk54?");
    assert_has(zwang("run " MODEL("duffing") " --method readau").err, "did you mean radau?");
    assert_has(zwang("run " MODEL("skate") " --constraints partitoin").err,
               "did you mean partition?");
    assert_has(zwang("derive " MODEL("duffing") " --by lagrang").err,
               "did you mean lagrange? the principles are lagrange, maggi");
    assert_has(zwang("run " MODEL("duffing") " --by gibbs_appell").err,
               "did you mean gibbs-appell?");
    assert_has(zwang("derive " MODEL("duffing") " --format latx").err, "did you mean latex?");
    answer a = zwang("run " MODEL("duffing") " --method verlet");
    assert_int_equal(a.code, 1);
    assert_false(strstr(a.err, "did you mean"));
}

/* numbers in results and in JSON have no more digits than they need */
static void test_cli__short_numbers(void **state) {
    (void)state;
    answer a = zwang("run " MODEL("duffing") " --until 0.1 --step-out 0.005 --out - --quiet");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "# step out: 0.005 s\n");
    assert_has(a.out, "# options: rtol=1e-08\n");
    a = zwang("derive " MODEL("duffing") " --format c");
    assert_has(a.out, "/* 0.4 */");
    assert_false(strstr(a.out, "00000000002"));
    a = zwang("check " MODEL("pendulum_polar") " --json");
    assert_has(a.out, "9.8");
    assert_false(strstr(a.out, "00000000000"));
    assert_false(strstr(a.out, "99999999999"));
}

/* what cannot be printed is told, by every verb */
static void test_cli__full_disk(void **state) {
    (void)state;
    static const char *const words[] = {"help",
                                        "help run",
                                        "version",
                                        "run -h",
                                        "--help",
                                        "check " MODEL("duffing"),
                                        "derive " MODEL("duffing"),
                                        "run " MODEL("duffing") " --until 1 --json --quiet"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char line[400];
        snprintf(line, sizeof line, "%s 2>err.txt >/dev/full #", words[i]);
        answer a = zwang(line);
        assert_int_equal(a.code, 1);
        assert_has(a.err, "cannot");
    }
}

static void test_cli__refuses_bad_words(void **state) {
    (void)state;
    answer a = zwang("run " MODEL("duffing") " --untill 3");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "has no option --untill");
    assert_has(a.err, "did you mean --until?");
    a = zwang("run " MODEL("duffing") " --until x");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "wants a number");
    a = zwang("run " MODEL("duffing") " --until -3");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "before it starts");
    a = zwang("run " MODEL("duffing") " --rtol 1e-30");
    assert_int_equal(a.code, 1);
    a = zwang("run " MODEL("duffing") " --plot speed:t");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "no column 'speed'");
    a = zwang("run " MODEL("duffing") " extra");
    assert_int_equal(a.code, 1);
    a = zwang("run nowhere.zw");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "nowhere.zw");
    a = zwang("derive " MODEL("duffing") " --by astrology");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "no principle astrology");
    a = zwang("check " MODEL("duffing") " --variant set_3");
    assert_int_equal(a.code, 1);
}

static void test_cli__check(void **state) {
    (void)state;
    answer a = zwang("check " MODEL("turntable_ball"));
    assert_int_equal(a.code, 0);
    assert_has(a.out, "2 affine");
    assert_has(a.out, "degrees of freedom: 3 (5 velocities, 2 independent constraints)\n");
    assert_has(
        a.out,
        "together     nonholonomic (proved); ranks of the closure under Lie brackets: 4 6 of 6");
    assert_has(a.out, "need not agree: the constraints are not integrable");
    assert_has(a.out, "conserved    moving energy = ");
    assert_has(a.out, "printed");
    a = zwang("check " MODEL("turntable_ball") " --json");
    json_t *j = json_loads(a.out, 0, NULL);
    assert_non_null(j);
    assert_int_equal(json_integer_value(json_object_get(j, "degrees_of_freedom")), 3);
    json_t *set = json_object_get(j, "set");
    assert_string_equal(json_string_value(json_object_get(set, "integrability")), "nonholonomic");
    assert_true(json_is_false(json_object_get(set, "nonholonomic_equals_vakonomic")));
    assert_int_equal(json_array_size(json_object_get(set, "growth")), 2);
    assert_int_equal(json_array_size(json_object_get(j, "conserved")), 4);
    json_decref(j);
    a = zwang("check " MODEL("pendulum_cartesian"));
    assert_has(a.out, "together     holonomic (by form)");
    assert_has(a.out, "nonholonomic and vakonomic motion agree");
}

static void test_cli__check_refuses_contradictions(void **state) {
    (void)state;
    write_file("against.zw",
               "model against\nparam m = 1 [kg]\ncoord x, y [m]\nparticle P : m at (x, y)\n"
               "constraint a : x' = 0\nconstraint b : x' = 1 [m/s]\n");
    answer a = zwang("check against.zw");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "against.zw:6:");
    assert_has(a.err, "a (line 5), b (line 6)");
    assert_has(a.err, "hint:");
    write_file("light.zw", "model light\nunits none\ncoord x, y\nkinetic (x' + y')^2\n");
    a = zwang("check light.zw");
    assert_int_equal(a.code, 2);
    assert_has(a.err, "the mass matrix is singular: x'");
}

/* every verb tells all faults of a model, twenty of them in full, and of its options */
static void test_cli__tells_all_faults(void **state) {
    (void)state;
    static const char *const verbs[] = {"check", "derive", "run",    "plot",
                                        "view",  "verify", "compare"};
    write_file("faults.zw", "model faults\nparam k = 1 [N/m]\ncoord x [m]\nlet a = (x + k\n"
                            "force (x) = q\nobserve b = x + k\n");
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        const answer *a = zwang_verb(verbs[i], "faults.zw --set k=2m");
        assert_int_equal(a->code, 1);
        assert_string_equal(a->err,
                            "faults.zw:5:1: error: ')' is expected here, not 'force'\n"
                            "  force (x) = q\n  ^\n"
                            "hint: the bracket opened in line 4, column 9 is not closed\n"
                            "faults.zw:5:13: error: there is no name 'q'\n"
                            "  force (x) = q\n              ^\n"
                            "hint: declare it with param, let, coord, ...\n"
                            "--set k:1:3: error: the parameter 'k' is in m here and must be "
                            "in N/m\n  k=2 [m]\n    ^\n");
    }
    char text[2048] = "model faults\n";
    for (int i = 0; i < 23; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "let a%d = q%d\n", i, i);
    write_file("faults.zw", text);
    const answer *a = zwang_verb("check", "faults.zw");
    assert_has(a->err, "faults.zw:21:11: error: there is no name 'q19'");
    assert_null(strstr(a->err, "q20"));
    assert_has(a->err, "\nand 3 more\n");
}

static void test_cli__check_lists_events(void **state) {
    (void)state;
    answer a = zwang("check " MODEL("pushed_ball"));
    assert_int_equal(a.code, 0);
    assert_has(a.out, "event slip switches it off; event stick switches it on");
    assert_has(a.out, "events       slip : mu*lambda(floor) - abs(lambda(roll)) falling, "
                      "switch off roll, set side = sign(lambda(roll))");
    assert_has(a.out, "let_go : t - release rising, set rate = 0");
    assert_has(a.out, "integrals    x - r*th = 0 by roll\n");
    a = zwang("check " MODEL("pushed_ball") " --json");
    json_t *j = json_loads(a.out, 0, NULL);
    assert_non_null(j);
    json_t *integral = json_array_get(json_object_get(j, "integrals"), 0);
    integral = json_object_get(integral, "integral");
    assert_string_equal(json_string_value(json_object_get(integral, "text")), "x - r*th");
    json_t *slip = json_array_get(json_object_get(j, "events"), 0);
    json_t *off = json_array_get(json_object_get(slip, "actions"), 0);
    assert_int_equal(json_integer_value(json_object_get(slip, "direction")), -1);
    assert_string_equal(json_string_value(json_object_get(off, "constraint")), "roll");
    json_decref(j);
    /* the emitted C computes what is set, and says who sets it */
    a = zwang("derive " MODEL("bouncing_ball") " --format c");
    assert_has(a.out, "evt[1] = land: if(1/2 < alive, 1, y) falling, switch on floor");
    assert_has(a.out, "zwang2_bouncing_ball_act(");
    assert_has(a.out, "/* bounce sets y' */");
    /* states that are no velocities of the system */
    a = zwang("derive " MODEL("skate") " --by vakonomic --format c");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "x[6] = lambda(edge)");
}

static void test_cli__derive(void **state) {
    (void)state;
    answer a = zwang("derive " MODEL("duffing"));
    assert_int_equal(a.code, 0);
    assert_has(a.out, "m*x'' = ");
    a = zwang("derive " MODEL("turntable_ball") " --format latex --out ball.tex");
    assert_int_equal(a.code, 0);
    char text[1 << 15];
    read_file("ball.tex", text, sizeof text);
    assert_has(text, "\\end{document}");
    /* a part of another document */
    a = zwang("derive " MODEL("duffing") " --format latex --fragment");
    assert_has(a.out, "\\begin{align*}\n");
    assert_null(strstr(a.out, "document"));
    a = zwang("derive " MODEL("duffing") " --fragment");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "add --format latex");
    a = zwang("derive " MODEL("pendulum_cartesian") " --format json");
    json_t *j = json_loads(a.out, 0, NULL);
    assert_non_null(j);
    assert_int_equal(json_array_size(json_object_get(j, "mass_matrix")), 2);
    json_decref(j);
    /* levels: sines and cosines as they are, what recurs named, combined */
    a = zwang("derive " MODEL("double_pendulum") " --simplify 0");
    assert_has(a.out, "sin(phi_1)*sin(phi_2)");
    assert_null(strstr(a.out, "where"));
    a = zwang("derive " MODEL("double_pendulum"));
    assert_has(a.out, "(m_1 + m_2)*l_1^2*phi_1'' + m_2*l_1*l_2*(sin(phi_1)*sin(phi_2) + ");
    assert_has(a.out,
               "    V = -m_2*l_2*g*cos(phi_2) - (m_1 + m_2)*l_1*g*cos(phi_1)\n    L = T - V\n");
    a = zwang("derive " MODEL("tippedisk"));
    assert_has(a.out, "\nwhere\n    c1 = ");
    a = zwang("derive " MODEL("double_pendulum") " --simplify=2");
    assert_has(a.out, "phi_1'^2*sin(phi_1 - phi_2)");
    assert_null(strstr(a.out, "sin(phi_1)*"));
    assert_int_equal(zwang("derive " MODEL("duffing") " --simplify 3").code, 1);
    /* rows of motion and of constraints apart, and what is independent */
    a = zwang("derive " MODEL("turntable_ball") " --by maggi");
    assert_has(a.out, "5 equations (3 of motion, 2 of constraints) for 5 accelerations;");
    assert_has(a.out, "Independent velocities: ball.wx, ball.wy, ball.wz; dependent: x', y'");
    a = zwang("derive " MODEL("pendulum_cartesian") " --steps");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "d/dt dT/dx' = m*x''");
    assert_has(a.out, "K(x') = 2*x*lambda(string)");
    assert_has(a.out, "\nEquations of motion\n");
    a = zwang("derive " MODEL("pendulum_cartesian") " --steps --json");
    j = json_loads(a.out, 0, NULL);
    assert_non_null(j);
    json_t *step = json_array_get(json_object_get(j, "steps"), 0);
    assert_string_equal(json_string_value(json_object_get(step, "heading")), "Energies");
    assert_string_equal(json_string_value(json_object_get(step, "left")), "T");
    json_decref(j);
    a = zwang("derive " MODEL("chaplygin_sleigh") " --eliminate --steps");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "    u' = a*w^2\n");
    a = zwang("derive " MODEL("chaplygin_sleigh") " --eliminate --json");
    j = json_loads(a.out, 0, NULL);
    assert_non_null(j);
    json_t *first =
        json_array_get(json_object_get(json_object_get(j, "elimination"), "explicit"), 0);
    assert_string_equal(json_string_value(json_object_get(first, "name")), "u'");
    assert_string_equal(json_string_value(json_object_get(first, "value")), "a*w^2");
    json_decref(j);
    a = zwang("derive " MODEL("chaplygin_sleigh") " --eliminate --format c");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "--eliminate: a C file has its own form");
    a = zwang("derive " MODEL("duffing") " --steps --format c");
    assert_int_equal(a.code, 1);
    a = zwang("derive " MODEL("duffing") " --format c --out duffing.c");
    assert_int_equal(a.code, 0);
    a = zwang("derive " MODEL("duffing") " --out nowhere/duffing.txt");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "cannot write");
}

static void test_cli__run_writes_results(void **state) {
    (void)state;
    answer a =
        zwang("run " MODEL("turntable_ball") " --until 2 --step-out 0.5 --out r.csv --events e.csv "
                                             "--plot x,y --plot x+y:t --set Omega=90rpm");
    assert_int_equal(a.code, 0);
    char text[1 << 15];
    read_file("r.csv", text, sizeof text);
    assert_has(text, "# model: turntable_ball");
    assert_has(text, "t[s],x[m],y[m]");
    assert_has(text, "lambda(roll_x)[N]");
    assert_has(text, "# param Omega: 9.42477796");
    read_file("turntable_ball_x_y.svg", text, sizeof text);
    assert_has(text, "<svg");
    read_file("turntable_ball_x_y_t.svg", text, sizeof text);
    assert_has(text, "<svg");
    a = zwang("run " MODEL("duffing") " --until 1 --step-out 0.25 --json --quiet");
    assert_int_equal(a.code, 0);
    assert_string_equal(a.err, "");
    json_t *j = json_loads(a.out, 0, NULL);
    assert_non_null(j);
    json_decref(j);
    a = zwang("run " MODEL("duffing") " --until 1 --out nowhere/r.csv");
    assert_int_equal(a.code, 1);
    a = zwang("run " MODEL("duffing") " --until 1 --plot x:t --picture p.gif");
    assert_int_equal(a.code, 1);
}

static void test_cli__start_against_a_constraint(void **state) {
    (void)state;
    write_file("bad.zw",
               "model bad\nparam l = 1 [m], m = 1 [kg]\ncoord x, y [m]\nparticle P : m at (x, y)\n"
               "constraint rod : x^2 + y^2 = l^2\nstart x = 2 [m], y = 0\n");
    answer a = zwang("run bad.zw");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "bad.zw:5:");
    assert_has(a.err, "constraint rod");
    assert_has(a.err, "hint:");
}

/* what nobody gave is listed where it is not 0, with what else would do */
static void test_cli__completed_starts(void **state) {
    (void)state;
    write_file("ball.zw",
               "model ball\nparam m = 1 [kg]\ncoord x, y, z [m]\nparticle P : m at (x, y, z)\n"
               "gravity 9.81 [m/s^2] along -z\nconstraint s : x^2 + y^2 + z^2 = 4 [m^2]\n"
               "start x = 1 [m], y = 1 [m], x' = 2 [m/s], y' = 0\nguess z = 1 [m]\n");
    answer a = zwang("run ball.zw --until 0.1");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "completed: z = 1.41421 m (guess 1), z' = -1.41421 m/s\n");
    assert_has(a.out, "1 other start was found");
    assert_has(a.out, "\n    z = -1.41421 m\n");
    a = zwang("check ball.zw");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "completed    z = 1.41421 m (guess 1), z' = -1.41421 m/s\n");
    a = zwang("check ball.zw --json");
    json_t *j = json_loads(a.out, 0, NULL), *start = json_object_get(j, "start");
    assert_non_null(j);
    json_t *z = json_array_get(json_object_get(start, "completed"), 0);
    assert_string_equal(json_string_value(json_object_get(z, "name")), "z");
    assert_true(fabs(json_real_value(json_object_get(z, "value")) - sqrt(2)) < 1e-14);
    assert_int_equal(json_integer_value(json_object_get(start, "other_starts")), 1);
    assert_int_equal(json_array_size(json_object_get(start, "others")), 1);
    json_decref(j);
    /* a setting is given, not guessed */
    a = zwang("run ball.zw --until 0.1 --set z=1m");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "leave one of x, y, z free");
    a = zwang("check ball.zw --set z=1m");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "constraint s");
    a = zwang("run " MODEL("pendulum_polar") " --until 0.1");
    assert_int_equal(a.code, 0);
    assert_null(strstr(a.err, "completed"));
}

static void test_cli__singular_and_infinite(void **state) {
    (void)state;
    write_file("twice.zw",
               "model twice\nparam m = 1 [kg]\ncoord x, y [m]\nparticle P : m at (x, y)\n"
               "constraint a : x = 0\nconstraint b : 2*x = 0\n");
    answer a = zwang("run twice.zw --until 1");
    assert_int_equal(a.code, 2);
    assert_has(a.err, "constraint b");
    a = zwang("check twice.zw");
    assert_int_equal(a.code, 0);
    assert_has(a.err, "warning: the constraint b depends on those before it (b = 2*a)");
    a = zwang("check twice.zw --json");
    assert_has(a.out, "\"text\": \"the constraint b depends on those before it (b = 2*a)");
    assert_has(a.out, "\"file\": \"twice.zw\"");
    assert_int_equal(zwang("check twice.zw --strict").code, 4);
    /* x'' = x'^3 runs away in finite time; what was computed before is kept */
    write_file(
        "away.zw",
        "model away\nunits none\ncoord x\nkinetic 1/2*x'^2\nforce (x) = x'^3\nstart x' = 1\n");
    a = zwang("run away.zw --until 2 --step-out 0.1 --out away.csv");
    assert_int_equal(a.code, 2);
    char text[1 << 14];
    read_file("away.csv", text, sizeof text);
    assert_has(text, "# ended: failed");
    assert_has(text, "\n0.4");
}

/* A model whose expressions are short as graphs and endless as text: every verb takes it for what
 * it is. */
static void test_cli__endless_text(void **state) {
    (void)state;
    char text[1 << 13] = "model deep\nunits none\ncoord x\nlet l0 = x\n";
    for (int i = 0; i < 60; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "let l%d = sin(l%d)*cos(l%d)\n",
                 i + 1, i, i);
    strcat(text, "kinetic 1/2*x'^2\npotential l60\nobserve e = l60\nstart x = 0.5\nclaim c : l60 = "
                 "l59\n");
    write_file("deep.zw", text);
    answer a = zwang("check deep.zw");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "operations, see --json)");
    a = zwang("check deep.zw --json");
    assert_int_equal(a.code, 0);
    json_t *root = json_loads(a.out, 0, NULL);
    assert_non_null(root);
    json_decref(root);
    assert_int_equal(zwang("derive deep.zw").code, 0);
    a = zwang("verify deep.zw");
    assert_int_equal(a.code, 1);
    assert_has(a.out, "operations)");
    assert_int_equal(zwang("view deep.zw --until 0.1 --quiet --out deep.html").code, 0);
}

/* a model that speaks to the terminal: in an error, a title, the name of a file, a result's
 * header */
static void test_cli__terminal_hears_nothing(void **state) {
    (void)state;
    write_file("loud.zw", "model loud \"\033]0;owned\007\"\ncoord x [m]\nkinetic 1 [kg]*x'^2\n");
    answer a = zwang("check loud.zw");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "?]0;owned?");
    assert_null(strchr(a.out, '\033'));
    write_file("wrong.zw", "model wrong\ncoord x [m] # \033[2J\nkinetic 1 [kg]*y'^2 # \033[2J\n");
    a = zwang("check wrong.zw");
    assert_int_equal(a.code, 1);
    assert_null(strchr(a.err, '\033'));
    a = zwang("check '\033[2J.zw'");
    assert_int_equal(a.code, 1);
    assert_null(strchr(a.err, '\033'));
    write_file("loud.csv", "t[s],\"\033[2J\"\n0,1\n");
    a = zwang("plot loud.csv --plot y:t");
    assert_int_equal(a.code, 1);
    assert_null(strchr(a.err, '\033'));
}

/* Ctrl-C, kill and the end of a connection end the run and keep what there is */
static void assert_keeps(int signal_number) {
    char out[128];
    snprintf(out, sizeof out, "%s/long.csv", folder);
    unlink(out);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execl(ZW_COMMAND, "zwang", "run", MODEL("double_pendulum"), "--until", "1e7", "--step-out",
              "1", "--quiet", "--out", out, (char *)NULL);
        _exit(127);
    }
    wait_for_work(child, signal_number);
    kill(child, signal_number);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 128 + signal_number);
    char text[1 << 13];
    read_file("long.csv", text, sizeof text);
    assert_has(text, "stopped by the user");
}

/* before anything was found: the old file stays, and that it was stopped is no mistake of the
 * user */
static void test_cli__signals_before_anything_is_found(void **state) {
    (void)state;
    char out[128], err[128];
    int status;
    write_file("connection.csv", "old\n");
    snprintf(out, sizeof out, "%s/connection.csv", folder);
    snprintf(err, sizeof err, "%s/told.txt", folder);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout) || !freopen(err, "w", stderr))
            _exit(126);
        execl(ZW_COMMAND, "zwang", "connect", MODEL("lorenz"), "--at", "x=0, y=0, z=0", "--over",
              "rho=10:20", "--points", "1000000", "--out", out, (char *)NULL);
        _exit(127);
    }
    wait_for_work(child, SIGINT);
    kill(child, SIGINT);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 128 + SIGINT);
    char text[1 << 10];
    read_file("connection.csv", text, sizeof text);
    assert_string_equal(text, "old\n");
    read_file("told.txt", text, sizeof text);
    assert_string_equal(text, "stopped before anything was found\n");
}

static void test_cli__signals_keep_results(void **state) {
    (void)state;
    assert_keeps(SIGINT);
    assert_keeps(SIGTERM);
    assert_keeps(SIGHUP);
}

/* as nohup asks for it: what is ignored at the start goes on */
static void test_cli__nohup_goes_on(void **state) {
    (void)state;
    char command[512];
    snprintf(
        command, sizeof command,
        "trap '' HUP; cd %s; %s run %s --until 2000 --quiet --out on.csv & sleep 0.3; kill -HUP "
        "$!; wait $!",
        folder, ZW_COMMAND, MODEL("double_pendulum"));
    assert_int_equal(system(command), 0);
}

/* behind "--" a word is the name of a file, whatever it begins with */
static void test_cli__dashes_end_the_options(void **state) {
    (void)state;
    static const char still[] = "model odd\nunits none\ncoord x\nkinetic x'^2\n";
    write_file("--odd.zw", still);
    write_file("-h", still);
    assert_int_equal(zwang("check --odd.zw").code, 1);
    answer a = zwang("check -- --odd.zw");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "odd");
    a = zwang("check --json -- -h");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "\"odd\"");
    assert_int_equal(zwang("run --until 1 --quiet -- --odd.zw").code, 0);
    assert_int_equal(zwang("run --quiet -- --odd.zw --until").code, 1);
}

/* clocks without an end: more ticks than memory, or ticks that rounding swallows */
static void test_cli__endless_clocks(void **state) {
    (void)state;
    static const struct {
        const char *every, *says;
    } cases[] = {
        {"1e-300", "lost in the rounding"},
        {"0.1 from -1e15", "lost in the rounding"},
        {"5e-9", "GB are allowed"},
        {"0.1", NULL},
        {"0.1 from -1e8", NULL},
        {"1e-300 from 1e6", NULL}, /* not within the run */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "model clock\nunits none\ncoord x\nkinetic x'^2\nevent tick : every %s\n",
                 cases[i].every);
        write_file("clock.zw", text);
        answer a = zwang("run clock.zw --until 10 --quiet");
        assert_int_equal(a.code, cases[i].says ? 1 : 0);
        if (cases[i].says) {
            assert_has(a.err, cases[i].says);
            assert_has(a.err, "clock.zw:5:");
        }
    }
    /* a period that an event makes so short */
    write_file("clock.zw", "model clock\nunits none\ncoord x\nparam T = 1\nkinetic x'^2\n"
                           "event tick : every T, set T = T*1e-9\n");
    assert_has(zwang("run clock.zw --until 10 --quiet").err, "event tick");
}

/* a harmonic balance of 2001 unknowns: one factorisation takes seconds, and Ctrl-C is answered
 * inside of it */
static void test_cli__signals_reach_long_work(void **state) {
    (void)state;
    static const char *const work[][7] = {
        {"response", "--harmonics", "1000"},
        {"response", "--harmonics", "500", "--over", "Omega=0.5:2"},
    };
    for (size_t k = 0; k < sizeof work / sizeof *work; k++) {
        struct timespec from, to;
        int status;
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
                _exit(126);
            execl(ZW_COMMAND, "zwang", work[k][0], MODEL("duffing"), work[k][1], work[k][2],
                  work[k][3], work[k][4], (char *)NULL);
            _exit(127);
        }
        usleep(1500000);
        kill(child, SIGINT);
        clock_gettime(CLOCK_MONOTONIC, &from);
        assert_int_equal(waitpid(child, &status, 0), child);
        clock_gettime(CLOCK_MONOTONIC, &to);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 128 + SIGINT);
        double delay =
            (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
        if (delay > 2) /* 0.1 s on a quiet machine; it was half a minute */
            fail_msg("%s: answered after %.2f s", work[k][0], delay);
    }
}

/* the time limit ends work that calls back, and work that does not */
static void test_cli__budget(void **state) {
    (void)state;
    answer a = zwang("response " MODEL("duffing") " --harmonics 1000 --budget 0.5");
    assert_int_equal(a.code, 2);
    assert_non_null(strstr(a.err, "budget"));
    a = zwang("compare " MODEL("bicycle") " --budget 0.3");
    assert_int_equal(a.code, 2);
    assert_non_null(strstr(a.err, "budget"));
}

static void test_cli__options_that_mean_nothing(void **state) {
    (void)state;
    answer a = zwang("run " MODEL("lorenz") " --until 1 --until 2");
    assert_int_equal(a.code, 1);
    assert_non_null(strstr(a.err, "--until is given twice"));
    a = zwang("run " MODEL("lorenz") " --until 1 --solver prox");
    assert_int_equal(a.code, 1);
    assert_non_null(strstr(a.err, "--solver is for contacts"));
    a = zwang("run " MODEL("lorenz") " --until 1 --set x=1 --set y=2 --quiet --quiet");
    assert_int_equal(a.code, 0);
    a = zwang("run " MODEL("lorenz") " --until 1 --constraints ggl");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "--constraints: the model has no constraints");
    assert_int_equal(zwang("run " MODEL("lorenz") " --until 0.1 --out lorenz.csv").code, 0);
    a = zwang("run lorenz.csv --until 0.2 --constraints ggl");
    assert_int_equal(a.code, 1);
    /* unit quaternions are constraints */
    assert_int_equal(zwang("run " MODEL("heavy_top") " --until 0.1 --constraints partition").code,
                     0);
}

/* the left sides of all settings, in whatever way they are written; commas within values are none
 * between settings */
static void test_cli__settings_are_made_once(void **state) {
    (void)state;
    static const char *const twice[][2] = {
        {"run " MODEL("swing") " --until 1 --set \"l=1 [m]\" --set \"l = 2 [m]\"",
         "l is given twice"},
        {"check " MODEL("swing") " --set \"l=1 [m]\" --set l=1m", "l is given twice"},
        {"fit " MODEL("swing") " x.csv --set \"l=1 [m]\" --set l=1m", "l is given twice"},
        {"run " MODEL("swing") " --until 1 --set \"theta=0, theta' = 0\" --set \"theta'=1 [1/s]\"",
         "theta' is given twice"},
        {"run " MODEL("swing") " --until 1 --set \"theta=0, theta=1\"", "theta is given twice"},
    };
    for (size_t i = 0; i < sizeof twice / sizeof *twice; i++) {
        answer a = zwang(twice[i][0]);
        assert_int_equal(a.code, 1);
        assert_has(a.err, twice[i][1]);
    }
    answer a = zwang("run " MODEL("swing") " --until 1 --set \"theta=max(0.1, 0.2), theta'=0\" "
                                           "--set \"l = 1 [m]\"");
    assert_int_equal(a.code, 0);
    /* a change of what a result was made with */
    assert_int_equal(zwang("run " MODEL("swing") " --until 1 --set l=1m --out once.csv").code, 0);
    assert_int_equal(zwang("run once.csv --until 2 --set l=2m").code, 0);
}

/* x' = -x^3: the exponent over (t1, t2) is -3/2 log(t2/t1)/(t2 - t1), which has no time scale */
static void test_cli__exponents_of_powers_of_time(void **state) {
    (void)state;
    write_file("cube.zw", "model cube\nunits none\nstate x : x' = -x^3\nstart x = 1\n");
    answer a = zwang("lyapunov cube.zw");
    assert_int_equal(a.code, 0);
    assert_non_null(strstr(a.err, "slows down as a power of time"));
}

/* amplitudes that are 0 drive nothing; M = -d 4/3, the integral of x'^2 along the separatrix of
 * x^4/4 - x^2/2 */
static void test_cli__idle_amplitudes(void **state) {
    (void)state;
    write_file("idle.zw", "model idle\nunits none\nparam eps = 0.1, F = 0, w = 1, d = 0.5\n"
                          "coord x\nkinetic x'^2/2\npotential x^4/4 - x^2/2\n"
                          "force (x) = F*cos(w*t) - eps*d*x'\nstart x = 0.1\n");
    answer a = zwang("melnikov idle.zw --eps eps");
    assert_int_equal(a.code, 0);
    assert_non_null(strstr(a.out, "M = -0.66666666666"));
}

/* neutral directions have no time scale, and are no slow ones; the hint of a driven model names the
 * verbs that serve */
static void test_cli__answers_or_reasons(void **state) {
    (void)state;
    answer a = zwang("slow " MODEL("unicycle"));
    assert_int_equal(a.code, 0);
    assert_null(strstr(a.out, "nan"));
    assert_non_null(strstr(a.out, "no split"));
    a = zwang("equilibria " MODEL("duffing"));
    assert_int_equal(a.code, 1);
    assert_non_null(strstr(a.err, "zwang orbit"));
}

/* m = 1 is pushed by 3 from t = 1 to 2: x = 3/2 + 3 at t = 3 */
static void test_cli__held_table(void **state) {
    (void)state;
    write_file("held.zw", "model held\nunits none\ncoord x\nkinetic x'^2/2\n"
                          "input u = table (0, 0), (1, 3), (2, 0) hold\nforce (x) = u\n");
    answer a = zwang("run held.zw --until 3");
    assert_int_equal(a.code, 0);
    assert_non_null(strstr(a.out, "x            4.5"));
}

/* Matrices of models are small, and need no LAPACK: sqrt((2 -+ sqrt(2)) 9.81) rad/s of two rods,
 * and a pitchfork. */
static void test_cli__without_lapack(void **state) {
    (void)state;
    write_file("fork.zw", "model fork\nunits none\nparam mu = -1\nstate x : x' = mu*x - x^3\n");
    setenv("ZWANG_LAPACK", "none", 1);
    answer a = zwang("linearise " MODEL("double_pendulum") " --steady hanging");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "2.397199398i");
    assert_has(a.out, "5.787351298i");
    a = zwang("equilibria " MODEL("double_pendulum") " --steady hanging");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "2.397199398i");
    a = zwang("diagram fork.zw --over mu=-1:1");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "mu = 0: branch point (pitchfork)");
    assert_has(a.out, "0 to 1: 2 stable steady motions; unstable: 1 steady motion");
    a = zwang("orbit " MODEL("van_der_pol") " --over mu=0.5:2");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "0 of them unstable");
    unsetenv("ZWANG_LAPACK");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cli__without_lapack),
        cmocka_unit_test(test_cli__options_have_names_of_their_own),
        cmocka_unit_test(test_cli__a_model_alone),
        cmocka_unit_test(test_cli__help_and_version),
        cmocka_unit_test(test_cli__forgotten_value),
        cmocka_unit_test(test_cli__nearest_value),
        cmocka_unit_test(test_cli__short_numbers),
        cmocka_unit_test(test_cli__full_disk),
        cmocka_unit_test(test_cli__refuses_bad_words),
        cmocka_unit_test(test_cli__check),
        cmocka_unit_test(test_cli__check_refuses_contradictions),
        cmocka_unit_test(test_cli__tells_all_faults),
        cmocka_unit_test(test_cli__check_lists_events),
        cmocka_unit_test(test_cli__derive),
        cmocka_unit_test(test_cli__run_writes_results),
        cmocka_unit_test(test_cli__start_against_a_constraint),
        cmocka_unit_test(test_cli__completed_starts),
        cmocka_unit_test(test_cli__singular_and_infinite),
        cmocka_unit_test(test_cli__endless_text),
        cmocka_unit_test(test_cli__terminal_hears_nothing),
        cmocka_unit_test(test_cli__signals_keep_results),
        cmocka_unit_test(test_cli__signals_before_anything_is_found),
        cmocka_unit_test(test_cli__nohup_goes_on),
        cmocka_unit_test(test_cli__dashes_end_the_options),
        cmocka_unit_test(test_cli__endless_clocks),
        cmocka_unit_test(test_cli__signals_reach_long_work),
        cmocka_unit_test(test_cli__budget),
        cmocka_unit_test(test_cli__options_that_mean_nothing),
        cmocka_unit_test(test_cli__settings_are_made_once),
        cmocka_unit_test(test_cli__exponents_of_powers_of_time),
        cmocka_unit_test(test_cli__idle_amplitudes),
        cmocka_unit_test(test_cli__answers_or_reasons),
        cmocka_unit_test(test_cli__held_table),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
