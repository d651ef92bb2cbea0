/* SPDX-License-Identifier: MIT */
/* The shipped models whose events act, against their closed forms; by the principles that can
 * derive them. */
#include <stdlib.h>

#include "support/simulation.h"

static void run_model(simulation *s, const char *name, const char *by) {
    char path[400];
    static char text[1 << 14];
    snprintf(path, sizeof path, "%s/models/%s.zw", ZW_SOURCE_DIR, name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = '\0';
    s->options.principle = by;
    simulation_run(s, text);
    assert_done(s);
}

/* a velocity, or its momentum divided by what is inert there */
static double speed(const zw_table *t, long row, const char *name, double inertia) {
    char momentum[40];
    snprintf(momentum, sizeof momentum, "p(%s)", name);
    return zw_table_find(t, name) >= 0 ? at(t, row, name) : at(t, row, momentum) / inertia;
}

/* t_1 = sqrt(2 h/g), t_(n+1) = t_n + 2 e^n t_1; the 18th touch is the landing */
static void check_ball(const char *by) {
    simulation s = simulation_make(5);
    run_model(&s, "bouncing_ball", by);
    const zw_table *events = zw_sim_events(s.sim), *rows = zw_sim_rows(s.sim);
    double g = 9.81, e = 0.8, m = 0.2, fall = sqrt(2 / g), t = fall, v = g * fall;
    assert_int_equal(zw_table_rows(events), 18);
    for (long n = 0; n < 18; n++) {
        assert_close(at(events, n, "t"), t, 1e-9);
        assert_close(speed(events, n, "y'", m), -v, 1e-9);
        assert_close(at(events, n, "x"), 0.5 * t, 1e-9);
        assert_true(at(events, n, "event") == (n == 17));
        assert_true(at(events, n, "push") == 0);
        v *= e;
        t += 2 * v / g;
        assert_true(n > 15 || v > 0.1); /* the model's `least` */
    }
    assert_close(at(rows, -1, "y"), 0, 1e-12);
    assert_close(speed(rows, -1, "y'", m), 0, 1e-12);
    assert_close(at(rows, -1, "x"), 2.5, 1e-9);
    assert_close(at(rows, -1, "push"), m * g, 1e-12);
    simulation_clear(&s);
}

static void test_actions__bouncing_ball(void **state) {
    (void)state;
    check_ball("lagrange");
    check_ball("hamilton");
    check_ball("maggi");
}

/* rolling up to t_s, slipping up to the release and a while after it, rolling */
static void check_pushed(const char *by) {
    simulation s = simulation_make(8);
    run_model(&s, "pushed_ball", by);
    const zw_table *events = zw_sim_events(s.sim), *rows = zw_sim_rows(s.sim);
    const double m = 1, r = 0.1, g = 9.81, mu = 0.2, rate = 2, release = 5;
    double slip = 7 * mu * m * g / (2 * rate), v = 5 * rate * slip * slip / (14 * m);
    assert_int_equal(zw_table_rows(events), 3);
    assert_close(at(events, 0, "t"), slip, 1e-9);
    assert_close(speed(events, 0, "x'", m), v, 1e-8);
    assert_close(speed(events, 0, "th'", 0.4 * m * r * r), v / r, 1e-7);
    assert_close(at(events, 0, "grip"), -mu * m * g, 1e-8);
    double w = v / r + 2.5 * mu * g / r * (release - slip);
    v += rate * (release * release - slip * slip) / (2 * m) - mu * g * (release - slip);
    assert_close(at(events, 1, "t"), release, 1e-12);
    assert_close(speed(events, 1, "x'", m), v, 1e-8);
    assert_close(speed(events, 1, "th'", 0.4 * m * r * r), w, 1e-8);
    assert_true(at(events, 1, "lambda(roll)") == 0);
    double u = v - r * w, stick = release + 2 * u / (7 * mu * g);
    v -= mu * g * (stick - release);
    assert_close(at(events, 2, "t"), stick, 1e-9);
    assert_close(speed(rows, -1, "x'", m), v, 1e-8);
    assert_close(speed(rows, -1, "th'", 0.4 * m * r * r), v / r, 1e-7);
    assert_close(at(rows, -1, "grip"), 0, 1e-9);
    double roll = 5 * rate * slip * slip * slip / (42 * m); /* the way up to t_s */
    assert_close(at(events, 0, "x"), roll, 1e-8);
    simulation_clear(&s);
}

static void test_actions__rolling_turns_into_slipping(void **state) {
    (void)state;
    check_pushed("lagrange");
    check_pushed("hamilton");
}

#define BOWL                                                                                       \
    "model bowl\nparam m = 1 [kg], r = 0.1 [m], R = 0.9 [m], g = 9.81 [m/s^2], h = 0.3 [m]\n"      \
    "coord x, y, z [m]\nbody ball : sphere(m, r) at (x, y, z)\ngravity g along -z\n"
#define IN_IT ": sphere ball radius r on sphere centre (0, 0, 0.9 [m]) radius R inside\n"
#define GAP "observe gap = R - r - norm((x, y, z - 0.9 [m]))\n"

/* A ball in a bowl: what an event moves, or a bowl that it widens, is brought onto the surface; the
 * energy is that of the motion before and after, so that the motion goes on like one that begins
 * there. */
static void test_actions__stay_on_a_sphere(void **state) {
    (void)state;
    static const char *const events[] = {"set x = 0.1 [m]\n", "set R = 1.1 [m]\n",
                                         "set x = 0.1 [m], y = 0.2 [m], R = 1 [m]\n"};
    for (int k = 0; k < 3; k++) {
        char text[1000];
        simulation s = simulation_make(1);
        snprintf(text, sizeof text,
                 "%srolling roll %s%sstart x = 0.3 [m], y = 0\nguess z = r\n"
                 "event jump : t - 0.5 [s] rising, %s",
                 BOWL, IN_IT, GAP, events[k]);
        simulation_run(&s, text);
        assert_done(&s);
        const zw_table *rows = zw_sim_rows(s.sim);
        double energy = NAN;
        for (long i = 0; i < zw_table_rows(rows); i++) {
            assert_true(fabs(at(rows, i, "gap")) < 1e-12);
            if (at(rows, i, "t") <= 0.5) /* the second row at 0.5 is after the event */
                energy = at(rows, i, "energy");
            else
                assert_close(at(rows, i, "energy"), energy, 1e-8);
        }
        simulation_clear(&s);
    }
}

/* nothing is rolled on in mid-air, from above or from below, as on a plane */
static void test_actions__no_rolling_in_the_air(void **state) {
    (void)state;
    static const char *const starts[] = {"start x = 0.2 [m], y = 0, z = 0.6 [m]\n",
                                         "start x = 0.9 [m], y = 0, z = 0.6 [m]\n"};
    for (int k = 0; k < 2; k++) {
        char text[1000];
        simulation s = simulation_make(2);
        snprintf(text, sizeof text,
                 "%srolling roll off %s%s%sevent touch : z - h falling, switch on roll\n", BOWL,
                 IN_IT, GAP, starts[k]);
        simulation_run(&s, text);
        assert_int_equal(s.status, ZW_E_START);
        assert_text_has(s.err.text, "constraint roll.contact is violated where it is switched on");
        simulation_clear(&s);
    }
    simulation s = simulation_make(0.5); /* where it touches it rolls */
    simulation_run(&s, BOWL "rolling roll off " IN_IT GAP "start x = 0.2 [m], y = 0, z = 0.6 [m]\n"
                            "event touch : gap falling, switch on roll\n");
    assert_done(&s);
    assert_true(fabs(at(zw_sim_rows(s.sim), -1, "gap")) < 1e-12);
    simulation_clear(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_actions__stay_on_a_sphere),
        cmocka_unit_test(test_actions__no_rolling_in_the_air),
        cmocka_unit_test(test_actions__bouncing_ball),
        cmocka_unit_test(test_actions__rolling_turns_into_slipping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
