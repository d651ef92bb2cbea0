/* SPDX-License-Identifier: MIT */
/* Where files are written: never over what is read, whole or not at all, and nothing left
 * behind. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "support/command.h"

static const char model[] =
    "model swing\ncoord theta [rad]\nparam g = 9.81 [m/s^2]\nparam l = 1 [m]\n"
    "param m = 1 [kg]\nkinetic 1/2*m*l^2*theta'^2\n"
    "potential -m*g*l*cos(theta)\nstart theta = 0.1 [rad]\n";

static void assert_content(const char *name, const char *text) {
    char now[1 << 12];
    read_file(name, now, sizeof now);
    assert_string_equal(now, text);
}

static int count_files(void) {
    int n = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        n += strncmp(e->d_name, ".zwang-", 7) == 0;
    closedir(d);
    return n;
}

static void shell(const char *command) {
    char line[2048];
    snprintf(line, sizeof line, "cd %s && %s", folder, command);
    assert_int_equal(system(line), 0);
}

/* refused before anything happens, whatever the name of the model is */
static void test_places__input_stays(void **state) {
    (void)state;
    write_file("m.zw", model);
    shell("ln -s m.zw link.zw && ln m.zw hard.zw && mkdir -p sub");
    static const char *const spelling[] = {"m.zw", "./m.zw", "sub/../m.zw", "link.zw", "hard.zw"};
    for (size_t i = 0; i < sizeof spelling / sizeof *spelling; i++) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "m.zw --out %s", spelling[i]);
        const answer *a = zwang_verb("derive", arguments);
        assert_int_equal(a->code, 1);
        assert_has(a->err, "is read by this command");
        assert_content("m.zw", model);
    }
    write_file("page.html", model);
    assert_int_equal(zwang_verb("view", "page.html --until 1 --out ./page.html")->code, 1);
    assert_content("page.html", model);
    write_file("p.svg", model);
    assert_int_equal(zwang_verb("plot", "p.svg --until 1 --plot theta:t --picture ./p.svg")->code,
                     1);
    assert_content("p.svg", model);
}

static void test_places__results_stay(void **state) {
    (void)state;
    write_file("m.zw", model);
    assert_int_equal(
        zwang_verb("run", "m.zw --until 1 --step-out 0.5 --out a.svg.csv --quiet")->code, 0);
    char before[1 << 12];
    read_file("a.svg.csv", before, sizeof before);
    const answer *a = zwang_verb("plot", "a.svg.csv --plot theta:t --picture ./a.svg --keep");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "is read by this command");
    assert_content("a.svg.csv", before);
    a = zwang_verb("run", "a.svg.csv --until 2 --events ./a.svg.csv --quiet");
    assert_int_equal(a->code, 1);
    assert_content("a.svg.csv", before);
    /* what it goes on from is in it */
    assert_int_equal(
        zwang_verb("run", "a.svg.csv --until 2 --out ./a.svg.csv --quiet")->code, 0);
}

/* files that options name */
static void test_places__what_options_read_stays(void **state) {
    (void)state;
    static const char data[] = "t[s],theta[rad]\n0,0.1\n0.1,0.09\n0.2,0.08\n0.3,0.05\n";
    write_file("m.zw", model);
    write_file("data.csv", data);
    write_file("other.csv", model);
    const answer *a =
        zwang_verb("fit", "m.zw data.csv --fit l --against other.csv --out ./other.csv");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "is read by this command");
    assert_content("other.csv", model);
    write_file("curve.csv", data);
    a = zwang_verb("chart", "m.zw --over g=9:10:3 --over l=1:2:3 --beside curve.csv --out "
                            "./curve.csv");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "is read by this command");
    assert_content("curve.csv", data);
}

/* a place where no picture can be is told before the work, of every verb: nothing is computed */
static void test_places__of_pictures_before_the_work(void **state) {
    (void)state;
    static const char *const verb[][2] = {
        {"lyapunov", MODEL("lorenz") " --time 1e9 --picture missing/a.svg"},
        {"connect", MODEL("lorenz") " --over rho=10:20 --points 1000000 --picture missing/a.svg"},
        {"response", MODEL("duffing") " --over Omega=1:2 --picture missing/a.svg"}};
    for (size_t i = 0; i < sizeof verb / sizeof *verb; i++) {
        const answer *a = zwang_verb(verb[i][0], verb[i][1]);
        assert_int_equal(a->code, 1);
        assert_has(a->err, "cannot write 'missing/a.svg'");
        assert_string_equal(a->out, "");
    }
}

/* one file for two outputs, which is there or not */
static void test_places__outputs_differ(void **state) {
    (void)state;
    write_file("m.zw", model);
    const answer *a = zwang_verb("run", "m.zw --until 1 --quiet --out two.csv --events ./two.csv");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "name the same file");
    a = zwang_verb("run", "m.zw --until 1 --quiet --plot \"theta,theta'\" --plot \"theta:theta'\"");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "name the same file");
}

static void test_places__tables_of_models_stay(void **state) {
    (void)state;
    static const char numbers[] = "0 0\n1 1\n2 0\n";
    write_file("drive.csv", numbers);
    write_file("driven.zw",
               "model driven\nunits none\ncoord x\ninput u = table \"drive.csv\" [s] [1]\n"
               "kinetic 1/2*x'^2\nforce (x) = u\n");
    assert_int_equal(zwang_verb("run", "driven.zw --until 1 --quiet --out fine.csv")->code, 0);
    const answer *a = zwang_verb("run", "driven.zw --until 1 --quiet --out ./drive.csv");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "is read by this command");
    assert_content("drive.csv", numbers);
}

/* at the limit of a file's size nothing is lost, and no stump is left */
static void test_places__full_disk_keeps_the_old_file(void **state) {
    (void)state;
    write_file("old.tex", "what was there\n");
    write_file("old.html", "what was there\n");
    write_file("old.svg", "what was there\n");
    char command[1900];
    snprintf(command, sizeof command,
             "ulimit -f 1; for all in 'derive %s --format latex --out old.tex' "
             "'plot %s --until 1 --plot x:t --picture old.svg' 'view %s --until 1 --out old.html'; "
             "do " ZW_COMMAND " $all 2>err.txt; test $? = 1 || exit 1; done",
             MODEL("bicycle"), MODEL("duffing"), MODEL("duffing"));
    shell(command);
    assert_content("old.tex", "what was there\n");
    assert_content("old.html", "what was there\n");
    assert_content("old.svg", "what was there\n");
    assert_int_equal(count_files(), 0);
}

/* what a killed process left goes; what a living one writes stays, and so do files of other
 * names */
static void test_places__orphans_are_removed(void **state) {
    (void)state;
    char busy[128];
    write_file("m.zw", model);
    write_file(".zwang-abc123", "left");
    write_file(".zwang-def456", "being written");
    write_file("m.txt.backup", "of somebody");
    snprintf(busy, sizeof busy, "%s/.zwang-def456", folder);
    int fd = open(busy, O_RDWR);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_int_equal(zwang_verb("derive", "m.zw --out m.txt")->code, 0);
    assert_int_equal(count_files(), 1);
    assert_content("m.txt.backup", "of somebody");
    close(fd);
    assert_int_equal(zwang_verb("derive", "m.zw --out m.txt")->code, 0);
    assert_int_equal(count_files(), 0);
}

static void test_places__mode_is_kept(void **state) {
    (void)state;
    char path[128];
    struct stat st;
    write_file("m.zw", model);
    write_file("private.txt", "");
    snprintf(path, sizeof path, "%s/private.txt", folder);
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(zwang_verb("derive", "m.zw --out private.txt")->code, 0);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

/* the command that --keep writes runs nothing but zwang, whatever the picture is called */
static void test_places__kept_command_is_safe(void **state) {
    (void)state;
    static const char script[] = "a\ntouch stolen\n#.svg.sh";
    char text[1 << 12], path[160];
    write_file("m.zw", model);
    assert_int_equal(zwang_verb("plot", "m.zw --until 1 --plot theta:t --keep --picture 'a\n"
                                        "touch stolen\n#.svg'")
                         ->code,
                     0);
    read_file(script, text, sizeof text);
    assert_has(text, "zwang plot m.zw");
    assert_null(strstr(strstr(text, "\n# ") + 3, "\n#.svg,"));
    snprintf(path, sizeof path,
             "PATH=/bin:/usr/bin sh 'a\ntouch stolen\n#.svg.sh' 2>/dev/null; test ! "
             "-e stolen");
    shell(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places__input_stays),
        cmocka_unit_test(test_places__results_stay),
        cmocka_unit_test(test_places__what_options_read_stays),
        cmocka_unit_test(test_places__of_pictures_before_the_work),
        cmocka_unit_test(test_places__outputs_differ),
        cmocka_unit_test(test_places__tables_of_models_stay),
        cmocka_unit_test(test_places__full_disk_keeps_the_old_file),
        cmocka_unit_test(test_places__orphans_are_removed),
        cmocka_unit_test(test_places__mode_is_kept),
        cmocka_unit_test(test_places__kept_command_is_safe),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
