/* SPDX-License-Identifier: MIT */
/* Contacts that end: discs that fall flat, balls that leave what they roll on. */
#include "support/simulation.h"

#define COIN "model coin\nparam m = 0.1 [kg], r = 0.05 [m]\ncoord x, y, z [m]\n"
#define FALL "body coin : B at (x, y, z), disk(m, r)\ngravity 9.81 [m/s^2] along -z\n"

static const char angles[] = COIN "rotation B euler zxz (alpha, beta, gamma)\n" FALL
                                  "rolling roll : disk coin radius r on plane\n"
                                  "start beta = 45 [deg]\n";
static const char quaternion[] =
    COIN "rotation B\n" FALL "rolling roll : disk coin radius r on plane\n"
         "start B.p0 = cos(22.5 [deg]), B.p1 = sin(22.5 [deg])\n";

#define BALL                                                                                       \
    "model ball\nparam m = 1 [kg], r = 0.1 [m], R = 1 [m]\ncoord x, y, z [m]\n"                    \
    "body ball : sphere(m, r) at (x, y, z)\ngravity 9.81 [m/s^2] along -z\n"                       \
    "rolling roll : sphere ball radius r on sphere centre (0, 0, 0) radius R "
#define ON_HILL                                                                                    \
    "observe N = lambda(roll.contact)\n"                                                           \
    "start x = 0.05 [m], y = 0, z = sqrt((R + r)^2 - 0.0025 [m^2])\n"
#define IN_LOOP "observe N = lambda(roll.contact)\nstart x = 0, y = 0, z = -(R - r), x' = 5 [m/s]\n"

static simulation run_by(const char *text, const char *method, const char *principle, double until,
                         double step_out) {
    simulation s = simulation_make(until);
    s.options.run.method = method;
    s.options.run.rtol = 1e-9;
    s.options.run.atol = 1e-11;
    s.options.principle = principle;
    s.options.step_out = step_out;
    simulation_run(&s, text);
    return s;
}

/* The disc turns about its tangent on the ground, 5/8 m r^2 b'^2 = m g r (sin b0 - sin b): the time
 * from b0 to b, with b = b0 - w^2 by Simpson's rule. */
static double falling_time(double b0, double b, double r) {
    enum { N = 2000 };
    double end = sqrt(b0 - b), h = end / N, sum = 0;
    for (int i = 0; i <= N; i++) {
        double w = i * h, drop = sin(b0) - sin(b0 - w * w);
        double f = i ? 2 * w / sqrt(drop) : 2 / sqrt(cos(b0));
        sum += (i == 0 || i == N ? 1 : i % 2 ? 4 : 2) * f;
    }
    return sum * h / 3 / sqrt(8 * 9.81 / (5 * r));
}

static void check_flat(const char *text, const char *method, double step_out) {
    double want = falling_time(acos(-1) / 4, asin(1e-3), 0.05);
    simulation s = run_by(text, method, NULL, 0.3, step_out);
    if (s.status != ZW_E_NUMERIC)
        fail_msg("%s: status %d, %s", method ? method : "auto", (int)s.status, s.err.text);
    assert_text_has(s.err.text, "the disc coin lies flat at t = 0.11322");
    assert_int_equal(s.err.line, 7);
    const zw_table *rows = zw_sim_rows(s.sim);
    assert_close(at(rows, -1, "t"), want, 2e-7);
    assert_close(at(rows, -1, "z"), 0.05 * 1e-3, 1e-8); /* the last row is that moment */
    assert_true(at(rows, -1, "z") > 0);
    assert_int_equal(zw_table_rows(zw_sim_events(s.sim)), 0);
    simulation_clear(&s);
}

static void test_contact__disc_falls_flat(void **state) {
    (void)state;
    static const char *const methods[] = {NULL, "rk54", "rk87", "radau", "bdf", "ida", "erk"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        check_flat(angles, methods[i], 0);
        check_flat(quaternion, methods[i], 0);
        check_flat(angles, methods[i], 0.3);
        check_flat(quaternion, methods[i], 0.3);
    }
}

/* a fixed step cannot come nearer than its length */
static void test_contact__disc_falls_flat_in_fixed_steps(void **state) {
    (void)state;
    const char *const texts[] = {angles, quaternion};
    for (int i = 0; i < 2; i++) {
        simulation s = simulation_make(0.3);
        s.options.run.method = "energy";
        s.options.run.step = 1e-3;
        simulation_run(&s, texts[i]);
        assert_int_equal(s.status, ZW_E_NUMERIC);
        assert_text_has(s.err.text, "the disc coin lies flat at t = 0.113");
        assert_true(at(zw_sim_rows(s.sim), -1, "z") > 0);
        simulation_clear(&s);
    }
}

static void assert_refused(const char *text, const char *part) {
    simulation s = run_by(text, NULL, NULL, 1, 0);
    assert_true(s.status < 0);
    assert_text_has(s.err.text, part);
    simulation_clear(&s);
}

/* A disc that turns over in the air has a negative sine when it comes down: its contact does not
 * see the ground. */
static void test_contact__disc_turns_over_in_the_air(void **state) {
    (void)state;
    assert_refused(COIN "rotation B euler zxz (alpha, beta, gamma)\n" FALL
                        "contact c : disk coin radius r on plane, law newton(0.5)\n"
                        "start z = 1 [m], beta = 70 [deg], beta' = -7 [rad/s]\n",
                   "the disc coin lies flat at t = 0.4");
    assert_refused(COIN "rotation B euler zxz (alpha, beta, gamma)\n" FALL
                        "contact c : disk coin radius r on plane, law newton(0.5)\n"
                        "start z = r, beta = -70 [deg]\n",
                   "+ sin(beta) - 0.001 > 0, but this is ");
}

static void test_contact__start_without_meaning(void **state) {
    (void)state;
    static const char head[] = COIN "rotation B euler zxz (alpha, beta, gamma)\n" FALL
                                    "rolling roll : disk coin radius r on plane\n";
    char text[1000];
    snprintf(text, sizeof text, "%sstart beta = 0\n", head);
    assert_refused(text, "the disc coin lies flat at t = 0");
    snprintf(text, sizeof text, "%sstart beta = -0.5\n", head);
    assert_refused(text,
                   "roll is defined for sin(beta) - 0.001 > 0, but this is -0.4804 at t = 0 s");
    snprintf(text, sizeof text, "%s%srolling roll : disk coin radius r on plane\n",
             COIN "rotation B\n", FALL);
    assert_refused(text, "the disc coin lies flat at t = 0");
    assert_refused(
        "model ball\nparam m = 1 [kg], r = 2 [m], R = 1 [m]\ncoord x, y, z [m]\n"
        "body ball : sphere(m, r) at (x, y, z)\ngravity 9.81 [m/s^2] along -z\n"
        "rolling roll : sphere ball radius r on sphere centre (0, 0, 0) radius R inside\n"
        "start x = 0, y = 0, z = R - r\n",
        "the ball ball is larger than its cavity");
}

/* statements that are off ask for nothing */
static void test_contact__off(void **state) {
    (void)state;
    simulation s = run_by(COIN "rotation B euler zxz (alpha, beta, gamma)\n" FALL
                               "rolling roll off : disk coin radius r on plane\n"
                               "start beta = 45 [deg], beta' = -9 [rad/s], z = 1 [m]\n",
                          NULL, NULL, 0.4, 0);
    assert_done(&s);
    assert_true(at(zw_sim_rows(s.sim), -1, "beta") < -1);
    assert_int_equal(zw_warnings_count(zw_sim_warnings(s.sim)),
                     1); /* beta = 0: only alpha + gamma has a meaning */
    assert_non_null(strstr(zw_warnings_at(zw_sim_warnings(s.sim), 0)->text, "nearly singular"));
    simulation_clear(&s);
}

/* `stop` ends it there, and that is no error */
static void test_contact__flat_and_stop(void **state) {
    (void)state;
    simulation s = run_by(COIN "rotation B euler zxz (alpha, beta, gamma)\n" FALL
                               "rolling roll : disk coin radius r on plane, stop\n"
                               "start beta = 45 [deg]\n",
                          NULL, NULL, 0.3, 0);
    assert_done(&s);
    assert_int_equal(zw_sim_statistics(s.sim).ending, ZW_SIM_EVENT);
    assert_close(at(zw_sim_rows(s.sim), -1, "t"), falling_time(acos(-1) / 4, asin(1e-3), 0.05),
                 1e-8);
    assert_int_equal(zw_warnings_count(zw_sim_warnings(s.sim)), 0);
    simulation_clear(&s);
}

/* A ball rolls off a hill where cos = 10/17 of the cosine of its start. */
static void check_hill(const char *method, const char *principle, double step_out) {
    simulation s = run_by(BALL "outside, stop\n" ON_HILL, method, principle, 3, step_out);
    assert_done(&s);
    const zw_table *rows = zw_sim_rows(s.sim);
    double height = 10.0 / 17 * sqrt(1.1 * 1.1 - 0.0025), t = at(rows, -1, "t");
    assert_close(at(rows, -1, "z"), height, 1e-6);
    assert_close(at(rows, -1, "N"), 0, 1e-5);
    simulation_clear(&s);
    s = run_by(BALL "outside\n" ON_HILL, method, principle, 3, step_out);
    assert_done(&s);
    assert_int_equal(zw_warnings_count(zw_sim_warnings(s.sim)), 1);
    const zw_warning *d = zw_warnings_at(zw_sim_warnings(s.sim), 0);
    assert_text_has(d->text, "roll is held by a force that pulls");
    assert_int_equal(d->line, 6);
    assert_close(d->first, t, 1e-6);
    /* N = m g (17 cos - 10 cos(start))/7 is least at the lowest point; where states leave the run
     * does not matter */
    double g = 9.81, m = 1, least = -m * g * (17 + 10 * sqrt(1.1 * 1.1 - 0.0025) / 1.1) / 7;
    assert_true(d->last > t + 0.4);
    assert_close(d->worst, least, 1e-6 * -least);
    assert_int_equal(d->count, 1);
    simulation_clear(&s);
}

static void test_contact__ball_on_a_hill(void **state) {
    (void)state;
    static const char *const methods[] = {NULL, "rk54", "radau", "bdf", "ida", "erk"};
    static const char *const principles[] = {"gauss", "maggi", "hamilton", "gibbs-appell"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        check_hill(methods[i], NULL, 0);
    for (size_t i = 0; i < sizeof principles / sizeof *principles; i++)
        check_hill(NULL, principles[i], 0);
    check_hill("rk87", NULL, 1.25);
}

/* In a loop: v^2 = v0^2 - 10/7 g q (1 + c) and m v^2/q = m g c there, c = z/q. */
static void test_contact__ball_in_a_loop(void **state) {
    (void)state;
    simulation s = run_by(BALL "inside, stop\n" IN_LOOP, NULL, NULL, 3, 0);
    assert_done(&s);
    double q = 0.9, g = 9.81, c = (25 - 10 * g * q / 7) / (17 * g * q / 7);
    assert_close(at(zw_sim_rows(s.sim), -1, "z") / q, c, 1e-7);
    assert_close(at(zw_sim_rows(s.sim), 0, "N"), 9.81 + 25 / q, 1e-9); /* pressed at the bottom */
    simulation_clear(&s);
}

static void test_contact__that_may_pull(void **state) {
    (void)state;
    simulation s = run_by(BALL "outside, may pull\n" ON_HILL, NULL, NULL, 3, 0);
    assert_done(&s);
    assert_int_equal(zw_warnings_count(zw_sim_warnings(s.sim)), 0);
    assert_true(at(zw_sim_rows(s.sim), 660, "N") < 0); /* t = 1.98 s */
    simulation_clear(&s);
}

/* the ball flies once its constraints are switched off, and nothing is doubtful */
static void test_contact__that_opens(void **state) {
    (void)state;
    simulation s = run_by(BALL "outside\n" ON_HILL "observe a = z''\n"
                               "event leaves : lambda(roll.contact) falling, switch off roll\n",
                          NULL, NULL, 1.8, 0);
    assert_done(&s);
    assert_int_equal(zw_table_rows(zw_sim_events(s.sim)), 1);
    assert_int_equal(zw_warnings_count(zw_sim_warnings(s.sim)), 0);
    assert_close(at(zw_sim_rows(s.sim), -1, "a"), -9.81, 1e-9);
    simulation_clear(&s);
}

/* no gravity: the force of the contact is 0 but for rounding, which is no pull */
static void test_contact__without_force(void **state) {
    (void)state;
    simulation s =
        run_by("model free\nparam m = 1 [kg], r = 0.1 [m]\ncoord x, y, z [m]\n"
               "body ball : sphere(m, r) at (x, y, z)\n"
               "rolling roll : sphere ball radius r on plane (1, 2, 3)\n"
               "start x = 0, y = 0, x' = 0.3 [m/s], y' = 0.7 [m/s], ball.w.z = 3 [rad/s]\n",
               NULL, NULL, 5, 0);
    assert_done(&s);
    assert_int_equal(zw_warnings_count(zw_sim_warnings(s.sim)), 0);
    simulation_clear(&s);
}

/* a disc without weight is pulled and pushed, and that is told from its start on */
static void test_contact__pulls_at_the_start(void **state) {
    (void)state;
    static const char head[] = COIN "rotation B euler zxz (alpha, beta, gamma)\n"
                                    "body coin : B at (x, y, z), disk(m, r)\n"
                                    "gravity 9.81 [m/s^2] along z\n";
    char text[1000];
    snprintf(text, sizeof text, "%srolling roll : disk coin radius r on plane\nstart beta = 1\n",
             head);
    simulation s = run_by(text, NULL, NULL, 0.02, 0);
    assert_done(&s);
    assert_int_equal(zw_warnings_count(zw_sim_warnings(s.sim)), 1);
    assert_close(zw_warnings_at(zw_sim_warnings(s.sim), 0)->first, 0, 0);
    simulation_clear(&s);
    snprintf(text, sizeof text,
             "%srolling roll : disk coin radius r on plane, stop\nstart beta = 1\n", head);
    assert_refused(text, "roll lifts off at t = 0 s");
}

/* a ball whose height is no coordinate has no pressing force: that is noted, unless it may pull or
 * is known */
static void test_contact__unknown_force_is_noted(void **state) {
    (void)state;
    const char *const text[] = {"x, y [m]\nbody ball : sphere(m, r) at (x, y, r)\n%s\n",
                                "x, y, z [m]\nbody ball : sphere(m, r) at (x, y, z)\n%s\n"};
    for (int k = 0; k < 3; k++) {
        char body[200], model[400];
        snprintf(body, sizeof body, text[k == 1],
                 k == 2 ? "rolling roll : sphere ball radius r on plane, may pull"
                        : "rolling roll : sphere ball radius r on plane");
        snprintf(model, sizeof model, "model c\nparam m = 1 [kg], r = 0.1 [m]\ncoord %s", body);
        simulation s = simulation_make(1);
        simulation_create(&s, model);
        assert_done(&s);
        const char *const *sentence;
        int n = zw_model_unused(s.sys, &sentence);
        assert_int_equal(n, k == 0);
        if (n > 0)
            assert_text_has(sentence[0], "roll has no roll.contact");
        simulation_clear(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contact__disc_falls_flat),
        cmocka_unit_test(test_contact__disc_falls_flat_in_fixed_steps),
        cmocka_unit_test(test_contact__disc_turns_over_in_the_air),
        cmocka_unit_test(test_contact__start_without_meaning),
        cmocka_unit_test(test_contact__off),
        cmocka_unit_test(test_contact__flat_and_stop),
        cmocka_unit_test(test_contact__ball_on_a_hill),
        cmocka_unit_test(test_contact__ball_in_a_loop),
        cmocka_unit_test(test_contact__that_may_pull),
        cmocka_unit_test(test_contact__that_opens),
        cmocka_unit_test(test_contact__without_force),
        cmocka_unit_test(test_contact__pulls_at_the_start),
        cmocka_unit_test(test_contact__unknown_force_is_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
