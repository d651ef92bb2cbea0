/* SPDX-License-Identifier: MIT */
/* The command for identification: what it tells and writes, and every refusal of its options and
 * data, with the exit code and the words. */
#include "support/command.h"

#define SWING MODEL("swing") " " ZW_SOURCE_DIR "/models/data/swing.csv "
#define BALL MODEL("bouncing_ball") " bounces.csv "
#define SMALL MODEL("swing") " small.csv --fit l "

static answer fit(const char *arguments) {
    return *zwang_verb("fit", arguments);
}

typedef struct refusal {
    const char *arguments, *words;
} refusal;

static void refused(int n, const refusal *list) {
    for (int i = 0; i < n; i++) {
        answer a = fit(list[i].arguments);
        if (a.code != 1 || !strstr(a.err, list[i].words))
            fail_msg("fit %s: exit code %d, no '%s' in: %s", list[i].arguments, a.code,
                     list[i].words, a.err);
    }
}

static void test_cmd_fit__refuses_options(void **state) {
    (void)state;
    static const refusal list[] = {
        {SWING, ""},
        {MODEL("swing"), "there are no data"},
        {SWING "--fit z", "--fit: the model has no parameter 'z'"},
        {SWING "--fit l,l", "--fit: l is given twice"},
        {SWING "--fit \"l=1 [m]\"", "bounds are LOW:HIGH"},
        {SWING "--fit \"l=1:0.3 [m]\"", "the lower bound must be below the upper one"},
        {SWING "--fit \"l=0.3:1\"", "unit"},
        {SWING "--fit \"=1:2\"", "the name is missing"},
        {SWING "--fit l --own c", "--own c: it is not among the free parameters"},
        {SWING "--fit l --positive c", "--positive c: it is not among the free parameters"},
        {SWING "--fit q --positive q", "q is to be positive, but starts at 0"},
        {SWING "--fit l --prior \"c=1+-1 [1/s]\"", "--prior c: it is not among the free"},
        {SWING "--fit l --prior \"l=1 [m]\"", "there is no standard deviation"},
        {SWING "--fit l --prior \"l=1+-0 [m]\"", "the standard deviation must be positive"},
        {SWING "--fit l --prior \"l=1+-1 [m]\" --prior \"l=1+-1 [m]\"", "l is given twice"},
        {SWING "--fit l --start-free z", "the state has no entry 'z'"},
        {SWING "--start-free none", "nothing is free"},
        {SWING "--fit l --start 1", "before the start at 1 s"},
        {SWING "--fit l --column theta", "expected NAME=EXPRESSION"},
        {SWING "--fit l --column \"theta=sin(\"", "expected"},
        {SWING "--fit l --column phi=theta", "--column: the data have no column 'phi'"},
        {SWING "--fit l --use phi", "--use: the data have no column 'phi'"},
        {SWING "--fit l --noise phi=1", "--noise: the data have no column 'phi'"},
        {SWING "--fit l --noise theta", "there is no standard deviation"},
        {SWING "--fit l --noise \"theta=0 [deg]\"", "a standard deviation must be positive"},
        {SWING "--fit l --noise \"theta=1 [deg]\" --noise \"theta=1 [deg]\"",
         "theta is given twice"},
        {SWING "--fit l --loss cubes", "--loss"},
        {SWING "--fit l --loss-scale 0", "--loss-scale"},
        {SWING "--fit l --nodes -1", "--nodes"},
        {SWING "--fit l --steps 0", "--steps"},
        {SWING "--fit l --tolerance 0", "--tolerance"},
        {SWING "--fit l --multistart 3", "--multistart: l has no bounds to draw from"},
        {SWING "--fit l --profile c", "--profile c: it is not among the free parameters"},
        {SWING "--fit l --profile-points 2", "--profile-points"},
        {SWING "--fit l --by newton", "newton"},
        {SWING "--fit l --against shape=round", "'shape=round' is no change of a model"},
        {SWING "--fit l --against nowhere.zw", "nowhere.zw"},
        {SWING "--fit l --loss huber --against fit=l,c", "--against: information criteria"},
        {SWING "--fit l --out fitted.txt", "fitted.txt"},
        {SWING "--fit l --picture fitted.gif", "fitted.gif"},
    };
    /* without --fit the start alone is found: no mistake, but the data refute the parameters of the
     * model */
    assert_int_equal(fit(list[0].arguments).code, 2);
    refused((int)(sizeof list / sizeof *list) - 1, list + 1);
}

/* name, text, words */
static void test_cmd_fit__refuses_data(void **state) {
    (void)state;
    static const struct {
        const char *text, *arguments, *words;
    } list[] = {
        {"", "", "small.csv"},
        {"theta[rad]\n1\n", "", "small.csv:1:1: error: there is no column t"},
        {"t,theta[rad]\n0,1\n1,2\n", "", "the column has no unit, in the model it is in s"},
        {"t[m],theta[rad]\n0,1\n1,2\n", "", "the column is in m, in the model it is in s"},
        {"t[s],theta\n0,1\n1,2\n", "", "small.csv:1:6: error: the column has no unit"},
        {"t[s],theta[m]\n0,1\n1,2\n", "", "the column is in m, in the model it is in rad"},
        {"t[s],theta[foo]\n0,1\n1,2\n", "", "foo"},
        {"t[s],phi[rad]\n0,1\n1,2\n", "", "the model has no quantity 'phi'"},
        {"t[s],theta[rad]\n0,1\n", "", "fewer than two rows"},
        {"t[s],theta[rad]\n0,1\n0,2\n1,1\n", "", "small.csv:3:1: error: this time is given twice"},
        {"t[s],theta[rad]\n1,1\n0,2\n", "", "times must grow from row to row"},
        {"t[s],theta[rad]\n,1\n1,2\n", "", "this row has no time"},
        {"t[s],theta[rad]\n0,inf\n1,2\n", "", "small.csv:2:3: error: "},
        {"t[s],theta[rad]\n0,one\n1,2\n", "", "small.csv:2:3: error: "},
        {"t[s],theta[rad]\n0\n1,2\n", "", "small.csv:2:"},
        {"t[s],theta[rad],theta[rad]\n0,1,1\n1,2,2\n", "", "twice"},
        {"t[s],theta[rad],sd(theta)[rad]\n0,1,0\n1,2,1\n", "",
         "small.csv:2:5: error: a standard deviation must be positive"},
        {"t[s],theta[rad],sd(theta)[rad]\n0,1,1\n1,2,\n", "",
         "some values of theta have a standard deviation and some have none"},
        {"t[s],theta[rad],sd(theta)[rad]\n0,1,1\n1,2,1\n", "--noise \"theta=1 [rad]\"",
         "all its values have their own standard deviations"},
        {"t[s],theta[rad],sd(phi)[rad]\n0,1,1\n1,2,1\n", "",
         "there is no column that these are the deviations of"},
        {"t[s],theta[rad]\n0,1\n1,2\n", "--column theta=", "no column that is a quantity"},
        {"# set: l\nt[s],theta[rad]\n0,1\n1,2\n", "", "note 'set': 'l' is not NAME=VALUE"},
        {"# set: k=1\nt[s],theta[rad]\n0,1\n1,2\n", "", "no parameter and no coordinate 'k'"},
        {"# set: c=1 [m]\nt[s],theta[rad]\n0,1\n1,2\n", "", "note 'set', c"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char arguments[400];
        write_file("small.csv", list[i].text);
        snprintf(arguments, sizeof arguments, SMALL "%s", list[i].arguments);
        refused(1, &(refusal){arguments, list[i].words});
    }
    refused(1, &(refusal){MODEL("swing") " nowhere.csv --fit l", "nowhere.csv"});
}

static void test_cmd_fit__refuses_models(void **state) {
    (void)state;
    write_file("small.csv", "t[s],y[m]\n0,1\n0.1,0.9\n0.2,0.8\n");
    write_file("signal.zw",
               "model pushed\nparam m = 1 [kg]\nsignal u [N]\ncoord y [m]\nparticle p : m "
               "at (0, y)\nforce (y) = u\nstart y = 1 [m]\n");
    write_file(
        "variant.zw",
        "model ball\nparam m = 1 [kg], g = 9.81 [m/s^2]\ncoord y [m]\nparticle p : m at (0, y)\n"
        "gravity g along -y\nstart y = 1 [m]\nvariant light\n    param g = 1 [m/s^2]\nend\n"
        "event hit : y falling, variant light\n");
    write_file(
        "made.zw",
        "model ball\nparam m = 1 [kg], b = 2, a = 3*b\ncoord y [m]\nparticle p : m at (0, y)\n"
        "force (y) = -m*a*1 [m/s^2]\nstart y = 1 [m]\nevent hit : y falling, set a = 1\n");
    static const refusal list[] = {
        {"signal.zw small.csv --fit m", "signal.zw:3:"},
        {"variant.zw small.csv --fit m", "cannot switch to another variant, as the event hit"},
        {"made.zw small.csv --fit b", "--fit b: a depends on it, and an event sets that"},
        {"made.zw small.csv --fit a", "--fit a: the event hit sets it"},
        {"made.zw small.csv --fit m --nodes 2", "--nodes 2: events set parameters"},
        {MODEL("zeno_ball") " small.csv --column y=z --fit e --contacts moreau",
         "from event to event, not in time steps"},
    };
    refused((int)(sizeof list / sizeof *list), list);
}

static void test_cmd_fit__goes_through_events(void **state) {
    char text[1 << 16];
    (void)state;
    answer a =
        *zwang_verb("run", MODEL("bouncing_ball") " --until 2 --step-out 0.02 --out bounces.csv");
    assert_int_equal(a.code, 0);
    a = fit(BALL "--fit e,g --set e=0.78 --use y --start-free \"y,y'\" --noise \"y=5 [mm]\" --out "
                 "fitted.csv --picture fitted.svg");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "    e  0.80000 +- 0.0006");
    assert_has(a.out, "    g  9.810 +- 0.016 m/s^2");
    read_file("fitted.csv", text, sizeof text);
    assert_has(text, "# fitted e: 0.8 +- 0.0006");
    assert_int_equal(zwang_verb("plot", "fitted.csv --picture again.svg")->code, 0);
    a = fit(BALL "--fit e --use y --start-free \"y,y'\" --noise \"y=5 [mm]\" --strict");
    assert_int_equal(a.code, 4);
    a = fit(BALL "--fit e --use y --start-free \"y,y'\" --noise \"y=5 [mm]\" --json --quiet");
    assert_has(a.out, "\"effective_unknowns\": 3");
    /* all bounces would be over before the data end, and no event lets the ball rest */
    write_file("ball.zw",
               "model ball\nparam m = 1 [kg], g = 9.81 [m/s^2], e = 0.3\ncoord y [m]\nparticle "
               "p : m at (0, y)\ngravity g along -y\nstart y = 1 [m]\nevent hit : y falling, "
               "set y' = -e*y'\n");
    a = fit("ball.zw bounces.csv --fit e --use y --nodes 1");
    assert_int_equal(a.code, 2);
    assert_has(a.err, "ball.zw:7:7: error: the event hit accumulates at t = ");
}

/* A run whose event sets a parameter, fitted with the value that it begins with. The data have no
 * noise, which is no correlated noise. A second copy of them is no second experiment. */
static void test_cmd_fit__data_of_a_run(void **state) {
    (void)state;
    write_file("stiffer.zw",
               "model stiffer\nparam m = 1 [kg], k = 4 [N/m], w = sqrt(k/m), d = 0.2 [kg/s]\n"
               "coord x [m]\nparticle P : m at (x, 0)\npotential 1/2*k*x^2\n"
               "dissipation 1/2*d*x'^2\nevent zero : x falling, set k = 16 [N/m]\n"
               "start x = 1 [m]\n");
    assert_int_equal(
        zwang_verb("run", "stiffer.zw --until 4 --step-out 0.05 --out stiffer.csv")->code, 0);
    answer a = fit("stiffer.zw stiffer.csv --fit d --use x --start-free none");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "d 0.20000000 +- 1.3e-07");
    assert_null(strstr(a.err, "was made with"));
    assert_null(strstr(a.err, "not independent noise"));
    a = fit("stiffer.zw stiffer.csv --fit d --use x --start-free none --set \"k=16 [N/m]\"");
    assert_has(a.err, "stiffer.csv was made with k = 4 N/m, and the fit holds it at 16");
    a = fit("stiffer.zw stiffer.csv stiffer.csv --fit d --use x --start-free none");
    assert_int_equal(a.code, 1);
    assert_has(a.err, "stiffer.csv is given twice");
    char text[1 << 16];
    read_file("stiffer.csv", text, sizeof text);
    write_file("copy.csv", text);
    a = fit("stiffer.zw stiffer.csv copy.csv --fit d --use x --start-free none");
    assert_has(a.err, "stiffer.csv and copy.csv have the same times and numbers");
}

/* A curve y = f(t; b): an observable of time alone. BoxBOD and MGH10 of NIST's sets
 * (tests/support/nist.h) from their far starts, with the certified values; noise about rest is not
 * trusted. */
static void test_cmd_fit__curves_and_noise(void **state) {
    (void)state;
    write_file("box.zw",
               "model box\nunits none\nparam b1 = 1, b2 = 1\nstate z : z' = 0\nstart z = 0\n"
               "observe y = b1*(1 - exp(-b2*t))\n");
    write_file("box.csv", "t,y\n1,109\n2,149\n3,149\n5,191\n7,213\n10,224\n");
    answer a = fit("box.zw box.csv --start-free none --fit b1,b2 --tolerance 1e-8");
    assert_int_equal(a.code, 0);
    assert_non_null(strstr(a.out, "214 +- 12"));            /* 213.80940889 +- 12.354515176 */
    assert_non_null(strstr(a.out, "0.55 +- 0.1"));          /* 0.54723748542 +- 0.10455993237 */
    assert_non_null(strstr(a.out, "2.78 standard errors")); /* t with 4 degrees of freedom: 2.776 */
    write_file("meyer.zw", "model meyer\nunits none\nparam b1 = 2, b2 = 400000, b3 = 25000\n"
                           "state z : z' = 0\nstart z = 0\nobserve y = b1*exp(b2/(t + b3))\n");
    write_file("meyer.csv", "t,y\n50,34780\n55,28610\n60,23650\n65,19630\n70,16370\n75,13720\n"
                            "80,11540\n85,9744\n90,8261\n95,7030\n100,6005\n105,5147\n"
                            "110,4427\n115,3820\n120,3307\n125,2872\n");
    a = fit("meyer.zw meyer.csv --start-free none --fit b1,b2,b3");
    assert_int_equal(a.code, 0);
    assert_non_null(strstr(a.out, "0.00561 +- 0.00016")); /* 5.6096364710e-3 +- 1.5687892471e-4 */
    assert_non_null(strstr(a.out, "6181 +- 23"));         /* 6181.3463463 +- 23.309021107 */
    assert_non_null(strstr(a.out, "345.22 +- 0.78"));     /* 345.22363462 +- 0.78486103508 */
    char text[8000];
    int n = snprintf(text, sizeof text, "t[s],theta[rad]\n");
    test_random r = {9};
    for (int i = 0; i < 300; i++) { /* the sum of twelve uniform numbers: nearly normal */
        double sum = -6;
        for (int k = 0; k < 12; k++)
            sum += test_random_real(&r, 0, 1);
        n += snprintf(text + n, sizeof text - (size_t)n, "%.2f,%.6f\n", 0.02 * i, 0.01 * sum);
    }
    write_file("rest.csv", text);
    a = fit(MODEL("swing") " rest.csv --fit l,c");
    assert_int_equal(a.code, 2);
    assert_non_null(strstr(a.out, "NOT to be trusted"));
}

/* The models of --against are one part of the report; each has its own warnings there, and those are
 * not warnings about the first one. */
static void test_cmd_fit__compares_models(void **state) {
    (void)state;
    answer a = fit(SWING "--fit l,q --set \"c=0 [1/s]\" --against fit=l --strict --out fitted.csv");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "Which model? Differences to the best one, by AIC and BIC");
    assert_has(a.out, "  fit=l                            4 unknowns  AIC ");
    assert_has(a.out, "    warning: the residuals of theta in ");
    assert_has(a.out, "    hint: look at --picture; other initial values ");
    assert_null(strstr(a.err, "residuals"));
    char text[1 << 16];
    read_file("fitted.csv", text, sizeof text);
    assert_has(text, "# doubts: none");
    a = fit(SWING "--fit l,q --set \"c=0 [1/s]\" --against fit=l --json");
    assert_int_equal(a.code, 0);
    assert_has(a.out, "\"comparison\": {\n    \"criterion\": \"AIC\"");
    assert_has(a.out, "\"candidate\": \"fit=l\"");
    assert_has(a.out, "\"support\": \"not supported by these data\"");
}

/* A driven pendulum in spherical angles that swings in a plane: ph has no inertia at th = 0. In one
 * angle the same data give the same damping without a warning. */
static void test_cmd_fit__tells_singular_coordinates(void **state) {
    (void)state;
    static const char *const kinetic[] = {"coord th, ph\nkinetic (th'^2 + sin(th)^2*ph'^2)/2\n",
                                          "coord th\nkinetic th'^2/2\n"};
    for (int k = 0; k < 2; k++) {
        char text[400];
        snprintf(text, sizeof text,
                 "model sph\nunits none\nparam d = 0.3\n%spotential -9.81*cos(th)\n"
                 "force (th) = -d*th' + 3*cos(2*t)\nstart th = 1\n",
                 kinetic[k]);
        write_file("sph.zw", text);
        assert_int_equal(
            zwang_verb("run", "sph.zw --until 5 --step-out 0.05 --quiet --out sph.csv")->code, 0);
        answer a = fit("sph.zw sph.csv --use th --fit d --set d=0.25 --start-free none "
                       "--noise th=0.01");
        assert_int_equal(a.code, 0);
        assert_non_null(strstr(a.out, "d 0.3"));
        assert_true((strstr(a.err, "nearly singular at th = ") != NULL) == (k == 0));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cmd_fit__curves_and_noise),
        cmocka_unit_test(test_cmd_fit__refuses_options),
        cmocka_unit_test(test_cmd_fit__refuses_data),
        cmocka_unit_test(test_cmd_fit__refuses_models),
        cmocka_unit_test(test_cmd_fit__goes_through_events),
        cmocka_unit_test(test_cmd_fit__compares_models),
        cmocka_unit_test(test_cmd_fit__tells_singular_coordinates),
        cmocka_unit_test(test_cmd_fit__data_of_a_run),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
