/* SPDX-License-Identifier: MIT */
/* `zwang run` as a user meets it: on a terminal, in a pipe, interrupted, continued, asked for the
 * impossible. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>

#include "support/command.h"
#include "zwang/table.h"

static const char BALL[] = "model ball\n"
                           "param e = 0.9\n"
                           "coord y [m], phi [rad]\n"
                           "periodic phi\n"
                           "particle P : 1 [kg] at (0, y)\n"
                           "kinetic 1/2*1 [kg*m^2]*phi'^2\n"
                           "gravity 10 [m/s^2] along -y\n"
                           "force air (y) = -0.1 [kg/s]*y'\n"
                           "event bounce : y falling, set y' = -e*y'\n"
                           "event strobe : every 0.5 [s]\n"
                           "start y = 5 [m], phi' = 5 [rad/s]\n";

static const answer *run(const char *arguments) {
    return zwang_verb("run", arguments);
}

static zw_table *read_table(const char *name) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    zw_table *t = NULL;
    zw_error err = {0};
    if (zw_table_read(&t, path, &err) < 0)
        fail_msg("%s", err.text);
    return t;
}

static double at(const zw_table *t, long row, const char *column) {
    int c = zw_table_find(t, column);
    assert_true(c >= 0);
    return zw_table_at(t, row < 0 ? row + zw_table_rows(t) : row, c);
}

static void test_run__sections(void **state) {
    (void)state;
    write_file("ball.zw", BALL);
    assert_int_equal(run("ball.zw --until 3 --events all.csv --quiet")->code, 0);
    assert_int_equal(run("ball.zw --until 3 --events s.csv --section strobe --quiet")->code, 0);
    assert_int_equal(run("ball.zw --until 3 --events w.csv --section strobe --wrap --quiet")->code,
                     0);
    zw_table *all = read_table("all.csv"), *s = read_table("s.csv"), *w = read_table("w.csv");
    assert_int_equal(zw_table_rows(s), 7);
    assert_true(zw_table_rows(all) > 7);
    for (long i = 0; i < 7; i++) {
        double phi = 2.5 * (double)i;
        assert_true(at(s, i, "t") == 0.5 * (double)i);
        assert_close(at(s, i, "phi"), phi, 1e-7);
        assert_close(at(w, i, "phi"), remainder(phi, 2 * acos(-1)), 1e-7);
    }
    zw_table_destroy(all);
    zw_table_destroy(s);
    zw_table_destroy(w);
    const answer *a = run("ball.zw --until 3 --events s.csv --section strope");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "did you mean strobe?");
    assert_int_equal(run("ball.zw --section strobe")->code, 1);
}

static void test_run__energy_is_told(void **state) {
    (void)state;
    write_file("ball.zw", BALL);
    const answer *a = run("ball.zw --until 3 --energy --out e.csv");
    assert_int_equal(a->code, 0);
    assert_has(a->out, "work(air) -");
    assert_has(a->out, "work(events) -");
    assert_has(a->out, "drift ");
    zw_table *t = read_table("e.csv");
    assert_close(at(t, -1, "energy") - at(t, 0, "energy"),
                 at(t, -1, "work(air)") + at(t, -1, "work(events)") + at(t, -1, "drift"), 1e-12);
    assert_close(at(t, -1, "drift"), 0, 1e-5);
    zw_table_destroy(t);
}

static void test_run__restart(void **state) {
    (void)state;
    write_file("ball.zw", BALL);
    const char *common = "--step-out 0.1 --rtol 1e-11 --atol 1e-13 --method rk87 --quiet";
    char line[256];
    snprintf(line, sizeof line, "ball.zw --until 6 --out whole.csv %s", common);
    assert_int_equal(run(line)->code, 0);
    snprintf(line, sizeof line, "ball.zw --until 3 --out half.csv %s", common);
    assert_int_equal(run(line)->code, 0);
    /* the model is in the file, and so are all options */
    assert_int_equal(run("half.csv --until 6 --out rest.json --quiet")->code, 0);
    assert_int_equal(run("half.csv --until 6 --out half.csv --quiet")->code, 0);
    zw_table *whole = read_table("whole.csv"), *rest = read_table("half.csv");
    assert_int_equal(zw_table_rows(whole), zw_table_rows(rest));
    for (long i = 0; i < zw_table_rows(whole); i++)
        assert_close(at(whole, i, "y"), at(rest, i, "y"), 1e-8);
    assert_string_equal(zw_table_get_note(rest, "method"), zw_table_get_note(whole, "method"));
    zw_table_destroy(whole);
    zw_table_destroy(rest);
    const answer *a = run("half.csv --until 5");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "before it starts at 6 s");
    assert_int_equal(run("nothing.csv --until 5")->code, 1);
    /* a branch has the states in its columns, but a parameter in place of the time */
    assert_int_equal(
        zwang_verb("equilibria", MODEL("lorenz") " --over rho=0:30 --out branch.csv")->code, 0);
    a = run("branch.csv --until 40");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "holds no motion: its first column is not t");
}

/* What is said beside --restart counts, also where it is the default; a new method has its own
 * step. */
static void test_run__restart_with_other_options(void **state) {
    (void)state;
    write_file("ball.zw", BALL);
    assert_int_equal(
        run("ball.zw --until 1 --rtol 1e-4 --method erk --step 0.01 --out a.csv")->code, 0);
    assert_int_equal(run("a.csv --until 2 --out kept.csv")->code, 0);
    assert_int_equal(run("a.csv --until 2 --rtol 1e-8 --method auto --out b.csv")->code, 0);
    zw_table *kept = read_table("kept.csv"), *b = read_table("b.csv");
    assert_has(zw_table_get_note(kept, "options"), "rtol=0.0001");
    assert_has(zw_table_get_note(kept, "options"), "\nstep=0.01");
    assert_string_equal(zw_table_get_note(b, "rtol"), "1e-08");
    assert_null(strstr(zw_table_get_note(b, "options"), "\nstep=0.01"));
    assert_has(zw_table_get_note(b, "method"), "Runge-Kutta 8(7)");
    zw_table_destroy(kept);
    zw_table_destroy(b);
    const answer *a = run("a.csv --until 2 --start 0");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "starts where the result ends");
    a = run("a.csv --until 2 --energy");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "not in the result");
}

static void test_run__summary(void **state) {
    (void)state;
    write_file("rod.zw", "model rod\n"
                         "coord x, y [m]\n"
                         "particle P : 2 [kg] at (x, y)\n"
                         "constraint rod : x^2 + y^2 = 1 [m^2]\n"
                         "gravity 10 [m/s^2] along -y\n"
                         "start x = 1 [m], y = 0\n");
    const answer *a = run("rod.zw --until 1");
    assert_int_equal(a->code, 0);
    assert_has(a->out, "Runge-Kutta 8(7) (chosen: ");
    assert_has(a->out, "constraints kept by projection, largest residuals: ");
    a = run("rod.zw --until 1 --constraints partition --method bdf");
    assert_has(a->out, "  BDF (CVODE), ");
    assert_has(a->out, "constraints kept by partition");
    a = run("rod.zw --until 1 --method ida");
    assert_has(a->out, "(GGL)");
    a = run("rod.zw --until 1 --method rattle --step 0.01 --out p.csv");
    assert_has(a->out, "constraints kept by the method itself");
    zw_table *t = read_table("p.csv");
    int p = zw_table_find(t, "p(x')");
    assert_true(p >= 0);
    assert_string_equal(zw_table_unit(t, p), "kg*m/s");
    zw_table_destroy(t);
}

/* The last state is complete, however many quantities the model has. */
static void test_run__last_state(void **state) {
    (void)state;
    const answer *a = run(MODEL("spinning_egg") " --until 0.01");
    assert_int_equal(a->code, 0);
    assert_has(a->out, "\n  x  ");
    assert_has(a->out, "\n  z'  ");
    a = run(MODEL("spinning_egg") " --until 0.01 --out egg.csv");
    assert_null(strstr(a->out, "\n  z'  "));
}

/* --json prints the report, --out FILE.json has the table; with --out - the summary makes room */
static void test_run__json_and_standard_output(void **state) {
    (void)state;
    write_file("ball.zw", BALL);
    const answer *a = run("ball.zw --until 3 --json --out rows.json");
    assert_int_equal(a->code, 0);
    assert_true(a->out[0] == '{');
    assert_has(a->out, "\"study\": \"run\"");
    assert_has(a->out, "\"ending\": \"reached the end\"");
    assert_has(a->out, "\"name\": \"bounce\"");
    zw_table *t = read_table("rows.json");
    assert_int_equal(zw_table_rows(t) > 1000, 1);
    zw_table_destroy(t);
    a = run("ball.zw --until 3 --out -");
    assert_int_equal(a->code, 0);
    assert_true(a->out[0] == '#');
    assert_has(a->err, "reached the end at t = 3 s");
    a = run("ball.zw --until 3 --picture default.svg");
    assert_int_equal(a->code, 0);
    assert_has(a->err, "picture default.svg");
}

/* a changed text of the model continues a result */
static void test_run__restart_with_a_changed_model(void **state) {
    (void)state;
    write_file("ball.zw", BALL);
    write_file("calm.zw", "model ball\nparam e = 0.9\ncoord y [m], phi [rad]\nperiodic phi\n"
                          "particle P : 1 [kg] at (0, y)\nkinetic 1/2*1 [kg*m^2]*phi'^2\n"
                          "event bounce : y falling, set y' = -e*y'\n"
                          "start y = 5 [m], phi' = 5 [rad/s]\n");
    assert_int_equal(run("ball.zw --until 0.5 --out falls.csv --quiet")->code, 0);
    assert_int_equal(run("calm.zw --restart falls.csv --until 0.6 --out calm.csv --quiet")->code,
                     0);
    zw_table *falls = read_table("falls.csv"), *calm = read_table("calm.csv");
    assert_true(zw_table_rows(calm) > zw_table_rows(falls));
    assert_close(at(calm, -1, "y'"), at(falls, -1, "y'"), 1e-12); /* nothing pulls any more */
    zw_table_destroy(falls);
    zw_table_destroy(calm);
}

static void test_run__absurd_wishes(void **state) {
    (void)state;
    write_file("ball.zw", BALL);
    static const struct {
        const char *arguments, *told;
    } wish[] = {
        {"", "needs a file to work on"},
        {"--restart x.csv", "zwang run RESULT.csv"},
        {"ball.zw --until 1 --out b.csv --events -  --json", "standard output"},
        {"ball.zw --out - --events -", "standard output"},
        {"ball.zw --until -1", "before it starts"},
        {"ball.zw --start 5 --until 4", "before it starts"},
        {"ball.zw --step-out -1", "step-out"},
        {"ball.zw --step-out 1e-300", "rows"},
        {"ball.zw --until 1e9 --step-out 1e-3", "GB are allowed"},
        {"ball.zw --rtol 0", "rtol"},
        {"ball.zw --atol -1", "atol"},
        {"ball.zw --until nan", "number"},
        {"ball.zw --until inf", "until"},
        {"ball.zw --out nowhere/x.csv", "cannot write"},
        {"ball.zw --events nowhere/x.csv", "cannot write"},
        {"ball.zw --out x.doc", ".csv"},
        {"ball.zw --step 0.1", "rk87 chooses its steps automatically"},
        {"ball.zw --method bdf --order 3", "bdf has no choice of orders"},
        {"ball.zw --method rattle", "none is given"},
        {"ball.zw --method energy --step 0.1 --step-max 1", "--step-max 1 is not used"},
        {"ball.csv", "ball.csv'"},
        {"ball.zw --out same.csv --events same.csv", "same file"},
        {"ball.zw --json --out -", "standard output"},
        {"ball.zw --logx", "--logx is for pictures: add --plot y:x"},
    };
    for (size_t i = 0; i < sizeof wish / sizeof *wish; i++) {
        const answer *a = run(wish[i].arguments);
        if (a->code != 1)
            fail_msg("'%s' ends with %d: %s", wish[i].arguments, a->code, a->err);
        assert_has(a->err, wish[i].told);
    }
}

static void test_run__accumulation_keeps_the_rows(void **state) {
    (void)state;
    write_file("ball.zw", BALL);
    const answer *a = run("ball.zw --set e=0.3 --until 9 --out z.csv");
    assert_int_equal(a->code, 2);
    assert_has(a->err, "accumulates at t = ");
    zw_table *t = read_table("z.csv");
    assert_string_equal(zw_table_get_note(t, "ended"), "events accumulate");
    assert_true(at(t, -1, "t") > 1 && at(t, -1, "t") < 3);
    zw_table_destroy(t);
}

/* ------------------------------------------------------------------------------------ terminals */

/* `zwang run ARGUMENTS` with a terminal as stderr; what it wrote there until it ended, with SIGINT
 * sent when the bar is seen */
static int run_on_terminal(char *const *arguments, char *seen, size_t size) {
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0)
        skip(); /* a system without pseudo-terminals, such as a bare container */
    const char *name = ptsname(terminal);
    assert_non_null(name);
    int other = open(name, O_RDWR | O_NOCTTY);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(other, 2);
        if (chdir(folder) == 0)
            execv(ZW_COMMAND, arguments);
        _exit(127);
    }
    close(other);
    size_t used = 0;
    bool sent = false;
    for (;;) {
        ssize_t n = read(terminal, seen + used, size - used - 1);
        if (n <= 0) /* the child has closed it */
            break;
        used += (size_t)n;
        seen[used] = '\0';
        if (!sent && strstr(seen, " left")) {
            kill(child, SIGINT);
            sent = true;
        }
        if (used > size / 2 && sent) /* keep reading, forget the middle */
            used = size / 2;
    }
    close(terminal);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void test_run__bar_and_interrupt_on_a_terminal(void **state) {
    (void)state;
    static char seen[1 << 16];
    char model[] = MODEL("double_pendulum");
    char *arguments[] = {"zwang",      "run", model,   "--until",  "1e6",
                         "--step-out", "10",  "--out", "long.csv", NULL};
    assert_int_equal(run_on_terminal(arguments, seen, sizeof seen), 128 + SIGINT);
    assert_has(seen, " %, ");
    assert_has(seen, " left");
    zw_table *t = read_table("long.csv");
    assert_string_equal(zw_table_get_note(t, "ended"), "stopped by the user");
    assert_true(zw_table_rows(t) > 2);
    zw_table_destroy(t);
}

/* a row that takes for ever can be interrupted too; SIGTERM works like Ctrl-C */
static void test_run__interrupt_within_a_row(void **state) {
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (chdir(folder) == 0)
            execl(ZW_COMMAND, "zwang", "run", MODEL("double_pendulum"), "--until", "1e9",
                  "--step-out", "1e9", "--steps-max", "1e15", "--quiet", "--out", "row.csv",
                  (char *)NULL);
        _exit(127);
    }
    wait_for_work(child, SIGTERM);
    kill(child, SIGTERM);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGTERM);
    zw_table *t = read_table("row.csv");
    assert_int_equal(zw_table_rows(t), 2);
    assert_true(at(t, 1, "t") > 0);
    zw_table_destroy(t);
}

/* A result that cannot be written is an error after an interruption as well: its message names the
 * place where the result was saved. */
static void test_run__interrupted_without_space(void **state) {
    (void)state;
    char seen[4096];
    if (access("/dev/full", W_OK) != 0)
        skip(); /* this system has no full disk to try */
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (setenv("TMPDIR", folder, 1) == 0 && chdir(folder) == 0 &&
            freopen("full.txt", "w", stderr))
            execl(ZW_COMMAND, "zwang", "run", MODEL("double_pendulum"), "--until", "1e9", "--quiet",
                  "--step-out", "1e3", "--steps-max", "1e15", "--out", "/dev/full", (char *)NULL);
        _exit(127);
    }
    wait_for_work(child, SIGTERM);
    kill(child, SIGTERM);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGTERM);
    read_file("full.txt", seen, sizeof seen);
    assert_has(seen, "cannot write '/dev/full'");
}

static void test_run__silent_in_a_pipe(void **state) {
    (void)state;
    const answer *a = run(MODEL("double_pendulum") " --until 100");
    assert_int_equal(a->code, 0);
    assert_null(strchr(a->err, '\r'));
    assert_null(strchr(a->err, '%'));
}

/* told once, and only where native code would have paid; the motion is the same */
static void test_run__says_that_llvm_is_missing(void **state) {
    (void)state;
    const char *long_run = MODEL("double_pendulum") " --until 2000 --step-out 100 --out with.csv";
    assert_int_equal(run(long_run)->code, 0);
    setenv("ZWANG_LLVM", "libLLVM-none.so", 1);
    const answer *a =
        run(MODEL("double_pendulum") " --until 2000 --step-out 100 --out without.csv");
    assert_int_equal(a->code, 0);
    const char *told = strstr(a->out, "no native code: ZWANG_LLVM names 'libLLVM-none.so'");
    assert_non_null(told);
    assert_has(told, "install LLVM");
    assert_null(strstr(told + 1, "no native code"));
    assert_null(strstr(run(MODEL("double_pendulum") " --until 1")->out, "native"));
    assert_int_equal(run(MODEL("double_pendulum") " --until 1 --jit on")->code, 1);
    unsetenv("ZWANG_LLVM");
    zw_table *with = read_table("with.csv"), *without = read_table("without.csv");
    assert_int_equal(zw_table_rows(with), zw_table_rows(without));
    for (int c = 0; c < zw_table_columns(with); c++)
        assert_true(zw_table_at(with, zw_table_rows(with) - 1, c) ==
                    zw_table_at(without, zw_table_rows(with) - 1, c));
    zw_table_destroy(with);
    zw_table_destroy(without);
}

/* what is doubtful is the end of the summary, and an error if wanted */
static void test_run__doubts(void **state) {
    (void)state;
    static const char swing[] = "model swing\ncoord x [m]\nparticle P : 1 [kg] at (x, 0)\n"
                                "potential 1/2*1 [N/m]*x^2\nobserve near = 1/x\n";
    write_file("swing.zw", swing);
    static const char none[] = "  no warnings\n", one[] = "  1 warning\n";
    const answer *a = run("swing.zw --until 1 --set x=1m --strict");
    assert_int_equal(a->code, 0);
    assert_string_equal(a->out + strlen(a->out) - strlen(none), none);
    a = run("swing.zw --until 1");
    assert_int_equal(a->code, 0);
    assert_has(a->err, "swing.zw:5:9: warning: the observable near has no finite value (t = 0 s");
    assert_string_equal(a->out + strlen(a->out) - strlen(one), one);
    a = run("swing.zw --until 1 --quiet");
    assert_int_equal(a->code, 0);
    assert_string_equal(a->err, "");
    a = run("swing.zw --until 1 --quiet --strict --out swing.json");
    assert_int_equal(a->code, 4);
    assert_string_equal(a->err, "error: 1 warning, which --strict does not allow\n");
    zw_table *t = read_table("swing.json");
    assert_int_equal(zw_table_rows(t), 1001);
    assert_has(zw_table_get_note(t, "doubts"), "observable near");
    zw_table_destroy(t);
    a = run("swing.json --until 2 --set x=1m");
    assert_int_equal(a->code, 0);
    assert_string_equal(a->out + strlen(a->out) - strlen(one), one);
    a = zwang_verb("plot", "swing.json --plot x:t");
    assert_int_equal(a->code, 0);
    assert_has(a->err, "swing.json: warnings when it was made:\nswing.zw:5:9: warning");
    assert_int_equal(zwang_verb("plot", "swing.json --plot x:t --strict --quiet")->code, 4);
    assert_int_equal(zwang_verb("view", "swing.json --strict --quiet")->code, 4);
    assert_int_equal(zwang_verb("plot", "swing.zw --plot x:t --strict --quiet")->code, 4);
    assert_int_equal(zwang_verb("view", "swing.zw --strict --quiet")->code, 4);
    a = zwang_verb("view", "swing.zw");
    assert_int_equal(a->code, 0);
    assert_has(a->err, "observable near");
}

/* what only the end of a run shows has no time, and is printed as well: y = y' t = 1e-10 m is the
 * tolerance of a step */
static void test_run__doubts_found_at_the_end(void **state) {
    (void)state;
    write_file("small.zw", "model small\ncoord x, y [m]\nparticle P : 1 [kg] at (x, y)\n"
                           "start x' = 1 [m/s], y' = 1e-10 [m/s]\n");
    const answer *a = run("small.zw --until 1");
    assert_int_equal(a->code, 0);
    assert_has(a->out, "1 warning\n");
    const char *text = strstr(a->err, "y moves by only 1e-10 m");
    assert_non_null(text);
    assert_null(strstr(text + 1, "y moves by"));
    assert_has(zwang_verb("view", "small.zw --until 1")->err, "y moves by only 1e-10 m");
    assert_has(zwang_verb("plot", "small.zw --until 1 --plot x:t")->err, "y moves by only 1e-10 m");
}

/* a model that says what it hardly means is warned of once, by every verb */
static void test_run__warnings(void **state) {
    (void)state;
    write_file("p.zw", "model p\nparam l = 1 [m]\ncoord ph [rad]\n"
                       "particle P : 1 [kg] at (l*sin(ph), -l*cos(ph))\n"
                       "gravity 9.81 [m/s^2] along -y\nstart ph = 30\n");
    static const char warning[] = "p.zw:6:12: warning: the angle ph starts at 30";
    static const char *const verb[] = {"run", "check", "view", "compare", "derive"};
    for (int i = 0; i < 5; i++) {
        const answer *a = zwang_verb(verb[i], "p.zw");
        assert_int_equal(a->code, 0);
        const char *where = strstr(a->err, warning);
        if (!where)
            fail_msg("%s: %s", verb[i], a->err);
        assert_null(strstr(where + 1, warning));
        a = zwang_verb(verb[i], "p.zw --quiet");
        assert_int_equal(a->code, 0);
        assert_null(strstr(a->err, "warning"));
        assert_null(strstr(a->out, "warning"));
        assert_int_equal(zwang_verb(verb[i], "p.zw --strict")->code, 4);
    }
    const answer *several = zwang_verb("plot", "p.zw --set l=1,2,3m --plot ph:t");
    assert_int_equal(several->code, 0);
    const char *first = strstr(several->err, warning);
    assert_true(first && !strstr(first + 1, warning));
    const answer *a = run("p.zw --set ph=1 --strict");
    assert_int_equal(a->code, 0);
    assert_has(a->out, "no warnings");
}

/* numbers whose squares are no numbers */
static void test_run__energy_without_value(void **state) {
    (void)state;
    write_file("p.zw", "model p\nparam l = 1 [m]\ncoord ph [rad]\n"
                       "particle P : 1 [kg] at (l*sin(ph), -l*cos(ph))\n"
                       "gravity 9.81 [m/s^2] along -y\nstart ph = 1\n");
    const answer *a = run("p.zw --set l=1e300m");
    assert_int_equal(a->code, 2);
    assert_has(a->err, "warning: the parameter l is 1e+300 m");
    assert_has(a->err, "the kinetic energy has no finite value at t = 0 s");
}

/* what the prey and its predators conserve is an observable; x + y is not */
static void test_run__observables_that_stay(void **state) {
    (void)state;
    write_file("prey.zw", "model prey\nunits none\n"
                          "state x, y : x' = x*(1 - y), y' = y*(x - 1)\nstart x = 3, y = 1\n"
                          "observe h = x - log(x) + y - log(y)\nobserve sum = x + y\n");
    const answer *a = run("prey.zw --until 30");
    assert_int_equal(a->code, 0);
    assert_has(a->out, "h is constant up to ");
    assert_has(a->out, "no warnings");
    assert_null(strstr(a->out, "sum is"));
    a = run("prey.zw --until 300 --method rk54 --rtol 1e-2 --atol 1e-2 --strict");
    assert_int_equal(a->code, 4);
    assert_has(a->err, "h is constant by the model, but has changed by ");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run__says_that_llvm_is_missing),
        cmocka_unit_test(test_run__doubts),
        cmocka_unit_test(test_run__doubts_found_at_the_end),
        cmocka_unit_test(test_run__warnings),
        cmocka_unit_test(test_run__energy_without_value),
        cmocka_unit_test(test_run__sections),
        cmocka_unit_test(test_run__energy_is_told),
        cmocka_unit_test(test_run__restart),
        cmocka_unit_test(test_run__restart_with_other_options),
        cmocka_unit_test(test_run__summary),
        cmocka_unit_test(test_run__last_state),
        cmocka_unit_test(test_run__json_and_standard_output),
        cmocka_unit_test(test_run__restart_with_a_changed_model),
        cmocka_unit_test(test_run__absurd_wishes),
        cmocka_unit_test(test_run__accumulation_keeps_the_rows),
        cmocka_unit_test(test_run__bar_and_interrupt_on_a_terminal),
        cmocka_unit_test(test_run__interrupt_within_a_row),
        cmocka_unit_test(test_run__interrupted_without_space),
        cmocka_unit_test(test_run__observables_that_stay),
        cmocka_unit_test(test_run__silent_in_a_pipe),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
