/* SPDX-License-Identifier: MIT */
/* Steady motions over a parameter, or over what is held, against closed forms: where they bend,
 * fold, fork and meet others. */
#include "zwang/steady.h"

#include "support/steady_model.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

static steady_model m;
static zw_follow *f;
static int parameter; /* what the value sets: this one, or if none the first of what is held */

static zw_status set(void *user, double value, double *p, double *held, zw_error *err) {
    (void)user;
    (void)err;
    *(parameter >= 0 ? &p[parameter] : held) = value;
    return ZW_OK;
}

static int find_parameter(const char *name) {
    for (int i = 0; i < m.sys->np; i++)
        if (strcmp(m.sys->param[i].name, name) == 0)
            return i;
    return -1;
}

static void begin(const char *name, double from, double to) {
    zw_follow_options o = zw_follow_options_default();
    parameter = find_parameter(name);
    o.from = from;
    o.to = to;
    o.nhold = m.nhold;
    o.hold = m.hold;
    o.set = set;
    if (zw_follow_create(&f, m.flow, 0, m.x, m.scale, &o, &m.err) < 0 ||
        zw_follow_begin(f, from, m.x, &m.err) < 0)
        fail_msg("%s", m.err.text);
}

static void end(void) {
    zw_follow_destroy(f);
    steady_close(&m);
}

static double state(const char *name) {
    return zw_follow_motion(f)->x[steady_entry(&m, name)];
}

static const char hoop[] =
    "model hoop\nunits none\nparam w = 1, g = 1\ncoord phi\nkinetic phi'^2/2 + w^2*sin(phi)^2/2\n"
    "potential -g*cos(phi)\nforce (phi) = -0.3*phi'\n";

/* a bead on a hoop that turns: cos(phi) = g/w^2, at every value and in any order */
static void test_follow__bends(void **unused) {
    (void)unused;
    steady_open(&m, hoop, "lagrange");
    m.x[0] = acos(1 / 9.0);
    begin("w", 3, 1.1);
    static const double value[] = {2.9, 1.1, 1.5, 3, 1.2};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(zw_follow_to(f, value[i], &m.err), ZW_OK);
        assert_true(zw_follow_value(f) == value[i]);
        assert_close(state("phi"), acos(1 / (value[i] * value[i])), 1e-12);
        double w = value[i], slope = 2 / (w * w * w) / sqrt(1 - pow(w, -4));
        assert_close(zw_follow_slope(f)[0], slope, 1e-3);
        assert_true(zw_flow_parameters(m.flow)[find_parameter("w")] == w);
    }
    assert_true(zw_follow_information(f).steps < 60);
    end();
}

/* along the way that others leave at w = 1 to both sides, and back */
static void test_follow__goes_through_a_fork(void **unused) {
    (void)unused;
    steady_open(&m, hoop, "lagrange");
    begin("w", 0.5, 2);
    for (int i = 0; i <= 30; i++) {
        assert_int_equal(zw_follow_to(f, 0.5 + 0.05 * i, &m.err), ZW_OK);
        assert_close(state("phi"), 0, 1e-9);
    }
    assert_int_equal(zw_follow_to(f, 0.5, &m.err), ZW_OK);
    assert_close(state("phi"), 0, 1e-9);
    end();
}

/* along one that ends there with infinite slope: it does not go on along the other */
static void test_follow__ends_in_a_fork(void **unused) {
    (void)unused;
    steady_open(&m, hoop, "lagrange");
    m.x[0] = acos(1 / 4.0);
    begin("w", 2, 0.5);
    assert_int_equal(zw_follow_to(f, 0.5, &m.err), ZW_E_NUMERIC);
    zw_follow_info info = zw_follow_information(f);
    assert_int_equal(info.end, ZW_FOLLOW_FOLD);
    assert_close(info.end_value, 1, 1e-9);
    assert_non_null(strstr(m.err.text, "turns back at 1"));
    end();
}

/* x^2 = a, with another branch x = -3 that goes on beyond: the fold at 0 ends it */
static void test_follow__ends_at_a_fold(void **unused) {
    (void)unused;
    steady_open(&m,
                "model fold\nunits none\nparam a = 1\ncoord x\nkinetic x'^2/2\n"
                "force (x) = (a - x^2)*(x + 3) - 0.1*x'\nstart x = 1.1\n",
                "lagrange");
    begin("a", 1, -1);
    assert_int_equal(zw_follow_to(f, 0.25, &m.err), ZW_OK);
    assert_close(state("x"), 0.5, 1e-12);
    assert_int_equal(zw_follow_to(f, -1, &m.err), ZW_E_NUMERIC);
    zw_follow_info info = zw_follow_information(f);
    assert_int_equal(info.end, ZW_FOLLOW_FOLD);
    assert_close(info.end_value, 0, 1e-9);
    assert_true(fabs(info.end_beyond - info.end_value) < 1e-6);
    assert_true(state("x") > -1e-4 && state("x") < 0.01);
    assert_int_equal(zw_follow_to(f, 0.81, &m.err), ZW_OK); /* and the way back is open */
    assert_close(state("x"), 0.9, 1e-12);
    end();
}

/* the same branch with others at a distance of 0.02 all along: none of them is taken */
static void test_follow__stays_among_others(void **unused) {
    (void)unused;
    steady_open(&m,
                "model comb\nunits none\nparam a = 1\ncoord x\nkinetic x'^2/2\n"
                "force (x) = 0.02*sin(50*pi*(x - a^2)) - 0.1*x'\nstart x = 1\n",
                "lagrange");
    begin("a", 1, 3);
    assert_int_equal(zw_follow_to(f, 3, &m.err), ZW_OK);
    assert_close(state("x"), 9, 1e-11);
    end();
}

/* a corner is no smooth way: refused rather than cut, unless it is met exactly */
static void test_follow__is_lost_where_there_is_nothing(void **unused) {
    (void)unused;
    steady_open(&m,
                "model gap\nunits none\nparam a = 1\ncoord x\nkinetic x'^2/2\n"
                "force (x) = if(a < 0.3, 1, a - x) - 0.1*x'\nstart x = 1\n",
                "lagrange");
    begin("a", 1, 0);
    assert_int_equal(zw_follow_to(f, 0, &m.err), ZW_E_NUMERIC);
    assert_int_equal(zw_follow_information(f).end, ZW_FOLLOW_LOST);
    assert_close(zw_follow_information(f).end_value, 0.3, 1e-7); /* the smallest step */
    assert_true(zw_follow_information(f).end_value >= 0.3);
    assert_true(zw_follow_information(f).end_beyond < 0.3);
    end();
}

/* the bicycle over what is held; at rest as at speed it has its five symmetries */
static void test_follow__what_is_held(void **unused) {
    (void)unused;
    steady_open(&m, MODEL("bicycle"), "lagrange");
    steady_hold(&m, "rear'", 0);
    steady_hold(&m, "yaw", 0);
    begin("", 0, -30);
    for (int i = 0; i <= 10; i++) {
        assert_int_equal(zw_follow_to(f, -3.0 * i, &m.err), ZW_OK);
        assert_close(state("rear'"), -3.0 * i, 1e-13);
        assert_close(state("x'"), 0.9 * i, 1e-11);
        assert_close(state("front'"), -3.0 * i * 0.3 / 0.35, 1e-11);
    }
    zw_follow_info info = zw_follow_information(f);
    assert_false(info.vary);
    assert_int_equal(info.nsymmetry, 5);
    assert_int_equal(info.nsymmetry_from, 5);
    assert_int_equal(info.nsymmetry_to, 5);
    end();
}

/* constraints that hold the parameter: a pendulum of length l in x and y, held apart by a force */
static void test_follow__constraints_move(void **unused) {
    (void)unused;
    steady_open(&m,
                "model pendulum\nunits none\nparam l = 1\ncoord x, y\nparticle P : 1 at (x, y)\n"
                "gravity 1 along -y\nforce (x) = 0.5\nconstraint rod : x^2 + y^2 = l^2\n"
                "start x = 0.4, y = -0.9\n",
                "lagrange");
    begin("l", 1, 4);
    for (int i = 0; i <= 5; i++) {
        double l = 1 + 0.6 * i;
        assert_int_equal(zw_follow_to(f, l, &m.err), ZW_OK);
        assert_close(state("x"), l * 0.5 / sqrt(1.25), 1e-12);
        assert_close(state("y"), -l / sqrt(1.25), 1e-12);
    }
    end();
}

/* a trap that turns with Om t: the displacement that goes along depends on Om, and more of them are
 * there without turning */
static void test_follow__symmetries_that_depend_on_the_value(void **unused) {
    (void)unused;
    steady_open(&m,
                "model trap\nunits none\nparam Om = 2, k = 1, e = 0.3\ncoord x, y\nparticle P : 1 "
                "at (x, y)\n"
                "let u = x*cos(Om*t) + y*sin(Om*t), v = y*cos(Om*t) - x*sin(Om*t)\n"
                "potential k/2*(u^2 + v^2) + e/2*(u^2 - v^2)\nstart x = 0.1\n",
                "lagrange");
    begin("Om", 2, 3);
    assert_true(zw_follow_information(f).vary);
    assert_int_equal(zw_follow_to(f, 3, &m.err), ZW_OK);
    zw_linearisation a;
    assert_int_equal(zw_linearise(&a, m.flow, zw_follow_symmetries(f), zw_follow_motion(f), &m.err),
                     ZW_OK);
    double b = 2 + 2 * 9, c = (1.3 - 9) * (0.7 - 9), D = sqrt(b * b / 4 - c), most = 0;
    for (int i = 0; i < a.n; i++)
        most = fmax(most, a.im[i]);
    assert_close(most, sqrt(b / 2 + D), 1e-10);
    zw_linearisation_clear(&a);
    end();
    steady_open(&m,
                "model trap\nunits none\nparam e = 0.3\ncoord x, y\nparticle P : 1 at (x, y)\n"
                "potential (x^2 + y^2)/2 + e/2*(x^2 - y^2)\nstart x = 0.1\n",
                "lagrange");
    begin("e", 0.5, 0);
    assert_int_equal(zw_follow_information(f).nsymmetry, 0);
    assert_int_equal(zw_follow_information(f).nsymmetry_from, 0);
    assert_int_equal(zw_follow_information(f).nsymmetry_to, 1);
    end();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_follow__bends),
        cmocka_unit_test(test_follow__goes_through_a_fork),
        cmocka_unit_test(test_follow__ends_in_a_fork),
        cmocka_unit_test(test_follow__ends_at_a_fold),
        cmocka_unit_test(test_follow__stays_among_others),
        cmocka_unit_test(test_follow__is_lost_where_there_is_nothing),
        cmocka_unit_test(test_follow__what_is_held),
        cmocka_unit_test(test_follow__constraints_move),
        cmocka_unit_test(test_follow__symmetries_that_depend_on_the_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
