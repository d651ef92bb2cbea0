/* SPDX-License-Identifier: MIT */
#include <sys/stat.h>

#include "support/command.h"
#include "zwang/table.h"

static const answer *plot(const char *arguments) {
    return zwang_verb("plot", arguments);
}

static const answer *plot_well(const char *arguments) {
    const answer *a = plot(arguments);
    if (a->code != 0)
        fail_msg("plot %s: %s", arguments, a->err);
    return a;
}

static const char *path_of(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static long size_of(const char *name) {
    struct stat st;
    return stat(path_of(name), &st) == 0 ? (long)st.st_size : -1;
}

static zw_table *read_table(const char *name) {
    zw_table *t;
    zw_error err = {0};
    if (zw_table_read_csv(&t, path_of(name), &err) != ZW_OK)
        fail_msg("%s: %s", name, err.text);
    return t;
}

static void write_data(void) {
    write_file("a.csv", "# model: test\nt[s],x[m],y[m],z[m],theta[rad]\n"
                        "0,1,0,0,0\n1,0,1,1,0.5\n2,-1,0,2,1\n3,0,-1,3,1.5\n4,1,0,4,2\n");
    write_file("b.csv", "t[s],x[m],y[m],z[m],theta[rad]\n0,2,0,0,0\n1,0,2,1,0.5\n2,-2,0,2,1\n");
}

static void test_plot__files_of_every_kind(void **state) {
    (void)state;
    write_data();
    const answer *a = plot_well("a.csv --plot x,y");
    assert_has(a->err, "picture a_x_y.svg");
    assert_true(size_of("a_x_y.svg") > 1000);
    plot_well("a.csv b.csv --plot x,y,z --picture space.pdf --azimuth 30 --elevation 10");
    assert_true(size_of("space.pdf") > 1000);
    plot_well("a.csv --plot x+y:t --plot 'deg(theta):t' --grid --points --title T --size 90x120 "
              "--range t=1: --range x=-2:2 --xlabel 'time [s]' --quiet --picture p.png");
    assert_true(size_of("p.png") > 1000);
    assert_null(strstr(plot("a.csv --plot x:t --quiet")->err, "picture"));
}

/* files in different folders, or with longer endings, are told apart by as little of their paths as
 * that takes */
static void test_plot__names_of_files(void **state) {
    (void)state;
    write_data();
    write_file("a.truth.csv", "t[s],x[m]\n0,1\n1,2\n");
    char arguments[900];
    snprintf(arguments, sizeof arguments,
             "%s/a.csv %s/a.truth.csv --plot x:t --picture named.tex --quiet", folder, folder);
    plot_well(arguments);
    static char tex[400000];
    read_file("named.tex", tex, sizeof tex);
    assert_has(tex, "a.truth");
    assert_null(strstr(tex, folder));
}

/* pictures of results that are no motions, from the verbs that make them and from their files */
static void test_plot__of_steady_motions(void **state) {
    (void)state;
    write_file("hoop.zw",
               "model hoop\nparam R = 0.5 [m], Omega = 8 [rad/s]\ncoord phi [rad]\n"
               "particle bead : 1 [kg] at (R*sin(phi)*cos(Omega*t), R*sin(phi)*sin(Omega*t), "
               "-R*cos(phi))\ngravity 9.81 [m/s^2] along -z\ninput push = signal [N]\n"
               "force (phi) = -0.05 [N*m*s]*phi' + R*push\nstart phi = 1.2\n"
               "observe out = R*sin(phi)\n");
    const answer *a = zwang_verb("equilibria", "hoop.zw --over Omega=5:12rad/s:40 --picture "
                                               "branch.svg --out branch.csv");
    assert_int_equal(a->code, 0);
    assert_true(size_of("branch.svg") > 1000);
    plot_well("branch.csv --plot 'deg(phi):Omega' --picture again.svg");
    a = zwang_verb("linearise", "hoop.zw --over Omega=5:12rad/s:40 --picture locus.pdf");
    assert_int_equal(a->code, 0);
    assert_true(size_of("locus.pdf") > 1000);
    a = zwang_verb("linearise", "hoop.zw --bode push:out --out response.csv --picture bode.svg");
    assert_int_equal(a->code, 0);
    assert_true(size_of("bode.svg") > 1000);
    plot_well("response.csv --plot re,im --picture nyquist.svg");
    assert_true(size_of("nyquist.svg") > 1000);
    a = zwang_verb("equilibria", "hoop.zw --picture one.svg");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "has one row, which makes no curve");
    a = plot("branch.csv --plot phi:Omega --range 2:phi=0:1");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "the picture has 1 panel");
}

/* one run for each value; the kept data hold every run, and agree with single runs */
static void test_plot__series_of_a_model(void **state) {
    (void)state;
    plot_well(MODEL("turntable_ball") " --until 2 --step-out 0.5 --set nu=0,5,10g/s --plot x,y "
                                      "--picture s.svg --keep");
    zw_table *t = read_table("s.svg.csv");
    assert_int_equal(zw_table_columns(t), 6);
    assert_int_equal(zw_table_rows(t), 5);
    assert_string_equal(zw_table_get_note(t, "run#2"), "nu = 5 {g/s}");
    assert_string_equal(zw_table_get_note(t, "model"), "turntable_ball");
    assert_non_null(zw_table_get_note(t, "text"));
    assert_non_null(strstr(zw_table_get_note(t, "param nu#3"), "kg/s"));
    zwang_verb("run",
               MODEL("turntable_ball") " --until 2 --step-out 0.5 --set nu=5g/s --out r.csv");
    zw_table *single = read_table("r.csv");
    for (int i = 0; i < 5; i++) {
        assert_true(zw_table_at(t, i, zw_table_find(t, "x#2")) ==
                    zw_table_at(single, i, zw_table_find(single, "x")));
        assert_true(zw_table_at(t, i, zw_table_find(t, "y#2")) ==
                    zw_table_at(single, i, zw_table_find(single, "y")));
    }
    assert_true(zw_table_at(t, 4, 0) != zw_table_at(t, 4, 2));
    zw_table_destroy(single);
    zw_table_destroy(t);
    /* a list without units is in SI units; two lists are all pairs */
    plot_well(MODEL("turntable_ball") " --until 1 --step-out 0.5 --set nu=0,0.005 --set "
                                      "'Omega=30,45 [rpm]' --plot x:t --picture s.svg --keep");
    t = read_table("s.svg.csv");
    assert_string_equal(zw_table_get_note(t, "run#4"), "nu = 0.005 {kg/s}, Omega = 45 {rpm}");
    assert_int_equal(zw_table_columns(t), 8);
    zw_table_destroy(t);
}

/* the script draws the same picture again; the data are those inside the range alone */
static void test_plot__kept_script_and_data(void **state) {
    (void)state;
    write_data();
    plot_well("a.csv --plot 'deg(theta):t' --range t=1:3 --title \"it's\" --picture k.svg --keep");
    static char first[1 << 18], again[1 << 18];
    read_file("k.svg", first, sizeof first);
    zw_table *t = read_table("k.svg.csv");
    assert_int_equal(zw_table_rows(t), 3);
    assert_close(zw_table_at(t, 1, zw_table_find(t, "theta")), 180 / acos(-1), 1e-15);
    assert_string_equal(zw_table_unit(t, zw_table_find(t, "theta")), "deg");
    zw_table_destroy(t);
    char command[512];
    snprintf(command, sizeof command,
             "cd %s && rm k.svg && PATH=$(dirname %s):$PATH ./k.svg.sh 2>err", folder, ZW_COMMAND);
    assert_int_equal(system(command), 0);
    read_file("k.svg", again, sizeof again);
    assert_string_equal(first, again);
}

/* the states at an event, of a model and of its file */
static void test_plot__at_an_event(void **state) {
    (void)state;
    plot_well(
        MODEL("turntable_ball") " --until 20 --at crossing --plot x:t --points --picture e.svg "
                                "--keep");
    zw_table *t = read_table("e.svg.csv");
    assert_int_equal(zw_table_rows(t), 4);
    assert_close(zw_table_at(t, 0, zw_table_find(t, "t")), 14 / 3.0, 1e-6);
    zw_table_destroy(t);
    zwang_verb("run", MODEL("turntable_ball") " --until 20 --events ev.csv --quiet");
    plot_well("ev.csv --at crossing --plot x:t --points --picture f.svg");
    assert_has(plot(MODEL("turntable_ball") " --at crosing --plot x:t")->err, "crossing");
    assert_has(plot("a.csv --at crossing --plot x:t")->err, "does not hold events");
}

static void test_plot__says_what_it_left_out(void **state) {
    (void)state;
    write_file("l.csv", "t,x\n1,1\n2,-1\n3,nan\n4,100\n5,0\n");
    const answer *a = plot_well("l.csv --plot x:t --logy");
    assert_has(a->err, "2 points are left out: a logarithmic axis");
    assert_has(a->err, "1 point is left out, with values that are not finite");
}

/* without --plot, and with everything that has been given by hand */
static void test_plot__its_own_choice(void **state) {
    (void)state;
    write_data();
    const answer *a = plot_well("a.csv");
    assert_has(a->err, "picture a.svg");
    assert_has(a->err, "the columns are t, x, y, z, theta");
    assert_true(size_of("a.svg") > 1000);
}

/* Names, units and notes of a result that try to be elements of a page, commands of TeX or codes of
 * a terminal are shown as they stand. */
static void test_plot__obeys_no_data(void **state) {
    (void)state;
    static char text[1 << 22];
    write_file("bad.json",
               "{\"notes\": {\"model\": \"</script><script>stolen()</script>\\u001b[2J\", "
               "\"doubts\": \"\\u001b]0;owned\\u0007<img src=x onerror=stolen()>\"},\n"
               "\"columns\": [{\"name\": \"t\", \"unit\": \"s\"}, "
               "{\"name\": \"y\", \"unit\": \"\\\\input{stolen}\\u001b[2J\"}, "
               "{\"name\": \"<script>stolen()</script>\", \"unit\": \"m\"}, "
               "{\"name\": \"^^5cwrite18{stolen}\\u001b[2J\", \"unit\": \"<script>\"}],\n"
               "\"rows\": [[0, 1, 2, 0], [1, 2, 1, 0], [2, 0, 3, 0]]}\n");
    static const char *const pictures[] = {"bad.svg", "bad.tex", "bad.pdf"};
    for (int i = 0; i < 3; i++) {
        char arguments[200];
        snprintf(arguments, sizeof arguments,
                 "bad.json --plot y:t --legend '^^5cinput' --title "
                 "'<script>\\input{stolen}^^5cwrite18' --picture %s",
                 pictures[i]);
        const answer *a = plot_well(arguments);
        assert_null(strchr(a->err, '\033'));
        read_file(pictures[i], text, sizeof text);
        assert_null(strstr(text, "<script"));
        assert_null(strstr(text, "\\input{"));
        assert_null(strstr(text, "\\write"));
        assert_null(strstr(text, "^^"));
        if (i < 2) /* a PDF holds any bytes */
            assert_null(strchr(text, '\033'));
    }
    const answer *a = zwang_verb("view", "bad.json --out bad.html");
    assert_int_equal(a->code, 0);
    assert_null(strchr(a->err, '\033'));
    read_file("bad.html", text, sizeof text);
    assert_null(strstr(text, "<script>stolen"));
    assert_null(strstr(text, "<img src=x"));
    assert_null(strchr(text, '\033'));
    assert_has(text, "stolen()"); /* it is there, as text */
}

static void test_plot__letters_that_no_font_has(void **state) {
    (void)state;
    write_data();
    const answer *a = plot_well("a.csv --plot x:t --title \"\xf4\x8f\xbf\xbd\" --picture m.pdf");
    assert_has(a->err, "no font here has the characters U+10FFFD");
    a = plot_well("a.csv --plot x:t --title \"\xd7\xa9\xd7\x9c\" --picture m.svg");
    assert_has(a->err, "from right to left");
    a = plot_well("a.csv --plot x:t --title \"\xe6\x97\xa5\" --picture m.tex");
    assert_has(a->err, "LuaLaTeX");
}

static void test_plot__refusals(void **state) {
    (void)state;
    write_data();
    write_file("only.csv", "t\n1\n2\n");
    const char *const cases[][2] = {
        {"only.csv", "nothing is drawn by default here"},
        {"a.csv --plot \"x,y;z\"", "only curves over one quantity have two axes"},
        {"a.csv --plot \"x;y;z:t\"", "two sides, not three"},
        {"a.csv --plot x:t --logy2", "no panel has an axis on the right-hand side"},
        {"a.csv --plot x:t --y2label F", "no panel has an axis on the right-hand side"},
        {"a.csv --plot x:t --font \"DejaVu Sanz\"", "DejaVu Sans"},
        {"a.csv --plot x:t --font \"DejaVu Sans\" --picture p.tex", "the font of the document"},
        {"a.csv --plot x:t --font-size 1", "font-size"},
        {"a.csv --plot x:t --style purple", "is no style of a curve"},
        {"a.csv --plot x:t --style \"black wavy\"", "is no style of a curve"},
        {"a.csv --plot thta:t", "did you mean theta?"},
        {"a.csv --plot x", "does not name a quantity"},
        {"a.csv --plot x:t --picture p.gif", ".svg, .pdf or .png"},
        {"a.csv --plot x:t --picture no/p.svg", "cannot write"},
        {"a.csv --plot x:t --size 120", "120x90"},
        {"a.csv --plot x:t --size 3x3", "[30, 1000]"},
        {"a.csv --plot x:t --range y=0:1", "'y' is not drawn"},
        {"a.csv --plot x:t --range t=1:0", "empty"},
        {"a.csv --plot x:t --range t=abc", "what does the axis show"},
        {"a.csv --plot x:t --range t=8:9", "no point lies in the range"},
        {"a.csv --plot x,y --logx --axes equal", "cannot be logarithmic"},
        {"missing.csv --plot x:t", "missing.csv"},
        {"missing.zw --plot x:t", "missing.zw"},
        {"--plot x:t", "needs"},
        {"a.csv --plot x:t --until 3", "--until: a.csv is a result"},
        {MODEL("duffing") " --plot x:t --set nonsense=1,2", "nonsense"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const answer *a = plot(cases[i][0]);
        assert_int_equal(a->code, 1);
        assert_has(a->err, cases[i][1]);
    }
}

/* run draws by the same code: one picture for each --plot, or one for all with --picture */
static void test_run__draws_panels(void **state) {
    (void)state;
    const answer *a = zwang_verb("run", MODEL("duffing") " --until 3 --plot x:t --plot \"x,x'\"");
    assert_int_equal(a->code, 0);
    assert_true(size_of("duffing_x_t.svg") > 1000 && size_of("duffing_x_xp.svg") > 1000);
    a = zwang_verb("run", MODEL("duffing") " --until 3 --plot x:t --plot \"x':t\" --grid --keep "
                                           "--picture both.pdf");
    assert_int_equal(a->code, 0);
    assert_true(size_of("both.pdf") > 1000 && size_of("both.pdf.csv") > 1000);
}

/* ---- several instants ---- */

static void write_spinner(void) {
    write_file("spinner.zw", "model spinner\ncoord x [m], phi [rad]\nframe B : rotate z phi\n"
                             "body P : B at (x, 0, 0), box(1 [kg], 0.3 [m], 0.2 [m], 0.1 [m])\n"
                             "start x' = 0.1 [m/s], phi' = 3 [rad/s]\ndraw P ; trace P.centre\n");
}

static void test_plot__instants_of_a_model_and_of_a_result(void **state) {
    (void)state;
    write_spinner();
    const answer *a = plot_well("spinner.zw --until 2 --strobe 0.1,0.35,0.9");
    assert_has(a->err, "3 instants from t = 0.1 to 0.9 in a row, 160 x");
    assert_has(a->err, "picture spinner_strobe.svg");
    assert_null(strstr(a->err, "note:")); /* the run has rows at these times */
    assert_true(size_of("spinner_strobe.svg") > 1000);
    assert_int_equal(zwang_verb("run", "spinner.zw --until 2 --step-out 0.02 --out s.csv")->code,
                     0);
    plot_well("s.csv --strobe 8 --picture s.pdf --strobe-layout grid --columns 3 --bare --title T");
    assert_true(size_of("s.pdf") > 1000);
    a = plot_well("s.csv --strobe 0:2:0.5s --strobe-layout overlay --strobe-fade 0.3 --dark "
                  "--azimuth 20 --elevation 60 --size 100x80 --font-size 8 --picture o.png");
    assert_has(a->err, "5 instants from t = 0 to 2 in one space, 100 x 80 mm");
    assert_true(size_of("o.png") > 1000);
    a = plot_well("s.csv --strobe 8 --quiet --picture q.svg");
    assert_string_equal(a->err, "");
    a = zwang_verb("run", "spinner.zw --until 2 --strobe 4 --picture r.svg");
    assert_int_equal(a->code, 0);
    assert_has(a->err, "picture r.svg");
    a = zwang_verb("run", "spinner.zw --until 2 --strobe 4 --plot x:t");
    assert_int_equal(a->code, 0);
    assert_has(a->err, "picture spinner_x_t.svg");
    assert_has(a->err, "picture spinner_strobe.svg");
}

/* what is shown is a row of the result, and its time is told where it is another one */
static void test_plot__instants_between_rows(void **state) {
    (void)state;
    write_spinner();
    assert_int_equal(zwang_verb("run", "spinner.zw --until 2 --step-out 0.1 --out c.csv")->code, 0);
    const answer *a = plot_well("c.csv --strobe 0.53,0.945,1.5 --keep --picture c.svg");
    assert_has(a->err, "note: the result has no row near t = 0.945 s, the one at 0.9 s is shown");
    assert_null(strstr(a->err, "0.53"));
    assert_has(a->err, "--step-out");
    zw_table *t = read_table("c.svg.csv");
    assert_int_equal(zw_table_rows(t), 3);
    assert_close(zw_table_at(t, 0, zw_table_find(t, "t")), 0.5, 1e-12);
    assert_close(zw_table_at(t, 1, zw_table_find(t, "phi")), 2.7, 1e-6);
    assert_non_null(zw_table_get_note(t, "command"));
    zw_table_destroy(t);
    assert_true(size_of("c.svg.sh") > 20);
}

static void test_plot__instants_that_are_mistakes(void **state) {
    (void)state;
    write_data();
    write_spinner();
    zwang_verb("run", "spinner.zw --until 2 --step-out 0.1 --out c.csv");
    write_file("values.csv", "# kind: eigenvalues\np[N],re(1)[1/s],im(1)[rad/s]\n0,1,0\n1,2,0\n");
    write_file("states.zw", "model states\nunits none\nstate x : x' = -x\nstart x = 1\n");
    static const struct {
        const char *arguments, *says;
    } cases[] = {
        {"c.csv --strobe 0.5,3", "3 s is outside, the motion is from t = 0 s to 2 s"},
        {"spinner.zw --until 2 --strobe 0.5,3", "3 s is outside"},
        {"c.csv --strobe 0.5,0.3", "must ascend"},
        {"c.csv --strobe 0.5,0.51", "the row at t = 0.5 s is the nearest to both"},
        {"c.csv --strobe 200", "at most 64"},
        {"c.csv --strobe what", "no number"},
        {"c.csv --strobe 1", "the instant is 1.0 or 1s"},
        {"a.csv --strobe 3", "does not contain the text of its model"},
        {"values.csv --strobe 3", "is no motion but of the kind 'eigenvalues'"},
        {"states.zw --strobe 3", "nothing to be drawn"},
        {"c.csv c.csv --strobe 3", "--strobe shows one run, these are 2"},
        {"spinner.zw --set x=0,1m --strobe 3", "--strobe shows one run"},
        {"c.csv --strobe 3 --plot x:t", "two pictures"},
        {"c.csv --strobe 3 --at level", "--at is for curves"},
        {"c.csv --strobe 3 --grid", "--grid is for curves, not for --strobe"},
        {"c.csv --strobe 3 --picture a.tex", "SVG, PDF or PNG"},
        {"c.csv --strobe 3 --columns 2 --strobe-layout row",
         "--columns is for --strobe-layout grid"},
        {"c.csv --strobe 3 --strobe-layout heap", "strobe-layout"},
        {"c.csv --strobe 3 --strobe-fade 2", "strobe-fade"},
        {"c.csv --strobe 3 --size 8x8", "3 panels in 1 row do not fit into 8 x 8 mm"},
        {"c.csv --strobe 3 --size 8", "is not a size"},
        {"c.csv --strobe 3 --until 5", "is a result"},
        {"c.csv --plot x:t --strobe-layout row", "--strobe-layout is for instants: --strobe 8"},
        {"c.csv --plot x:t --bare", "--bare is for instants"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const answer *a = plot(cases[i].arguments);
        if (a->code != 1 || !strstr(a->err, cases[i].says))
            fail_msg("plot %s: %d, %s", cases[i].arguments, a->code, a->err);
    }
    const answer *a =
        zwang_verb("run", "spinner.zw --until 2 --strobe 3 --plot x:t --picture a.svg");
    assert_int_equal(a->code, 1);
    assert_has(a->err, "two pictures");
    a = zwang_verb("run", "spinner.zw --until 2 --bare");
    assert_int_equal(a->code, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plot__files_of_every_kind),
        cmocka_unit_test(test_plot__names_of_files),
        cmocka_unit_test(test_plot__of_steady_motions),
        cmocka_unit_test(test_plot__series_of_a_model),
        cmocka_unit_test(test_plot__kept_script_and_data),
        cmocka_unit_test(test_plot__at_an_event),
        cmocka_unit_test(test_plot__says_what_it_left_out),
        cmocka_unit_test(test_plot__its_own_choice),
        cmocka_unit_test(test_plot__letters_that_no_font_has),
        cmocka_unit_test(test_plot__obeys_no_data),
        cmocka_unit_test(test_plot__refusals),
        cmocka_unit_test(test_run__draws_panels),
        cmocka_unit_test(test_plot__instants_of_a_model_and_of_a_result),
        cmocka_unit_test(test_plot__instants_between_rows),
        cmocka_unit_test(test_plot__instants_that_are_mistakes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
