/* SPDX-License-Identifier: MIT */
/* Both schemes for contacts on the same models: their orders, and that they mean the same. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/simulation.h"

typedef struct end {
    double x[8];
} end;

/* the last values of these columns */
static end run(const char *text, double until, zw_sim_scheme scheme, const char *method, int order,
               double step, int n, const char *const *column) {
    simulation s = simulation_make(until);
    end out = {{0}};
    s.options.contacts = scheme;
    s.options.step_out = until;
    s.options.run.method = method;
    s.options.run.order = order;
    s.options.run.step = step;
    simulation_run(&s, text);
    assert_done(&s);
    for (int i = 0; i < n; i++)
        out.x[i] = at(zw_sim_rows(s.sim), -1, column[i]);
    simulation_clear(&s);
    return out;
}

static double apart(const end *a, const end *b, int n) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(a->x[i] - b->x[i]));
    return most;
}

/* ---- orders ---- */

static const char oscillator[] = "model oscillator\n"
                                 "param m = 1 [kg], k = 1 [N/m], e = 0.8, d = 0.5 [m]\n"
                                 "coord x [m]\n"
                                 "particle P : m at (x, 0, 0)\n"
                                 "potential k*x^2/2\n"
                                 "contact wall : gap x + d, law newton(e)\n"
                                 "start x = 1 [m]\n";
static const char *const oscillator_columns[] = {"x", "x'"};

/* x = A cos(t - top) from impact to impact */
static end exact_oscillator(double t) {
    double A = 1, top = 0;
    for (;;) {
        double angle = acos(-0.5 / A), hit = top + angle;
        if (hit > t)
            return (end){{A * cos(t - top), -A * sin(t - top)}};
        A = hypot(0.5, 0.8 * A * sin(angle));
        top = hit + acos(-0.5 / A);
    }
}

static double oscillator_error(zw_sim_scheme scheme, const char *method, int order, double step) {
    end is = run(oscillator, 10, scheme, method, order, step, 2, oscillator_columns),
        be = exact_oscillator(10);
    return apart(&is, &be, 2);
}

/* by halving twice: the times of impacts fall differently into steps, so that single quotients mean
 * little */
static double order_of(zw_sim_scheme scheme, const char *method, int order, double step) {
    double first = oscillator_error(scheme, method, order, step),
           last = oscillator_error(scheme, method, order, step / 4);
    return log2(first / last) / 2;
}

static void test_time_steps__are_of_first_order(void **state) {
    (void)state;
    double first = oscillator_error(ZW_SIM_CONTACTS_MOREAU, NULL, 0, 1e-2),
           last = oscillator_error(ZW_SIM_CONTACTS_MOREAU, NULL, 0, 1e-2 / 64);
    double order = log2(first / last) / 6;
    assert_true(order > 0.8 && order < 1.3);
}

static void test_events__keep_the_order_of_the_method(void **state) {
    (void)state;
    static const int orders[] = {2, 3, 4, 5, 6};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        double measured = order_of(ZW_SIM_CONTACTS_EVENTS, "erk", orders[i], 0.1);
        if (!(measured > orders[i] - 0.3 && measured < orders[i] + 1.3))
            fail_msg("order %d: %g", orders[i], measured);
    }
    assert_true(order_of(ZW_SIM_CONTACTS_EVENTS, "rattle", 4, 0.1) > 3.8);
    assert_true(order_of(ZW_SIM_CONTACTS_EVENTS, "energy", 4, 0.1) > 3.7);
}

/* with step control, the error is about the tolerance, whatever the method */
static void test_events__are_as_exact_as_the_tolerance(void **state) {
    (void)state;
    static const char *const methods[] = {"rk54", "rk87", "radau", "adams", "bdf"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        assert_true(oscillator_error(ZW_SIM_CONTACTS_EVENTS, methods[i], 0, 0) < 1e-8);
}

/* ---- the default, and what time steps know of their errors ---- */

/* the largest error of x in all rows, by the closed form */
static double largest_error(const simulation *s) {
    const zw_table *rows = zw_sim_rows(s->sim);
    double most = 0;
    for (long i = 0; i < zw_table_rows(rows); i++)
        most = fmax(most, fabs(at(rows, i, "x") - exact_oscillator(at(rows, i, "t")).x[0]));
    return most;
}

static bool is_doubted(const simulation *s, const char *part) {
    const zw_warnings *doubts = zw_sim_warnings(s->sim);
    for (int i = 0; i < zw_warnings_count(doubts); i++)
        if (strstr(zw_warnings_at(doubts, i)->text, part))
            return true;
    return false;
}

/* by events where nobody asks for something else, as exact as the tolerances */
static void test_default__goes_from_event_to_event(void **state) {
    (void)state;
    static const char *const methods[] = {NULL, "rk54"};
    for (int i = 0; i < 2; i++) {
        simulation s = simulation_make(10);
        s.options.run.method = methods[i];
        simulation_run(&s, oscillator);
        assert_done(&s);
        assert_string_equal(zw_sim_statistics(s.sim).contacts, "from event to event (chosen)");
        assert_string_equal(zw_table_get_note(zw_sim_rows(s.sim), "contacts treated"),
                            "from event to event (chosen)");
        assert_string_equal(zw_sim_statistics(s.sim).estimate, "");
        assert_true(largest_error(&s) < 1e-7);
        simulation_clear(&s);
    }
}

/* what events cannot begin with, time steps can; the reason is told */
static void test_default__takes_steps_where_bodies_overlap(void **state) {
    (void)state;
    simulation s = simulation_make(1);
    zw_sim_number start = {.name = "x", .value = -0.6};
    const zw_sim_numbers numbers = {.nstart = 1, .start = &start};
    s.options.numbers = &numbers;
    simulation_run(&s, oscillator);
    assert_done(&s);
    assert_non_null(strstr(zw_sim_statistics(s.sim).contacts,
                           "in time steps: the contact wall overlaps by 0.1 m"));
    assert_true(at(zw_sim_rows(s.sim), 0, "x") == -0.6);
    assert_true(is_doubted(&s, "overlaps at the start"));
    simulation_clear(&s);
}

/* The estimated error covers the true one, and is not much more; steps of a fixed length are poor,
 * and told so. */
static void test_time_steps__estimate_their_error(void **state) {
    (void)state;
    static const struct {
        double step, rtol;
    } how[] = {{1e-2, 1e-8}, {1e-3, 1e-8}, {1e-4, 1e-8}, {0, 1e-6}, {0, 1e-8}};
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        simulation s = simulation_make(10);
        bool fixed = how[i].step > 0;
        double estimate = 0;
        s.options.contacts = ZW_SIM_CONTACTS_MOREAU;
        s.options.run.step = how[i].step;
        s.options.run.rtol = how[i].rtol;
        simulation_run(&s, oscillator);
        assert_done(&s);
        const char *text = zw_sim_statistics(s.sim).estimate;
        assert_int_equal(sscanf(text, "estimated error of x: %lf m", &estimate), 1);
        double error = largest_error(&s);
        if (!(error < 10 * estimate && estimate < 100 * error))
            fail_msg("case %d: %g, estimated %g", (int)i, error, estimate);
        assert_true(is_doubted(&s, "the estimated error of x") == fixed);
        assert_true(fixed == !zw_table_get_note(zw_sim_rows(s.sim), "rtol"));
        assert_true(fixed || error < 100 * how[i].rtol);
        simulation_clear(&s);
    }
}

/* A ladder hops on one foot until its tip hits; in between a contact is switched on and a support
 * changes. Errors before these moments decide where the tip hits: the estimate of the error follows
 * them through. */
static void test_time_steps__estimate_their_error_through_events(void **state) {
    (void)state;
    static const char *const columns[] = {"y1"};
    static const char ladder[] =
        "model ladder\nunits none\nparam v8 = -0.525061, v9 = -0.443673\ncoord x1, y1, th1\n"
        "kinetic 1/2*2.42644*x1'^2 + 1/2*2.42644*y1'^2 + 1/2*0.49084*th1'^2\n"
        "potential 2.42644*9.81*y1\n"
        "state s1 : s1' = (if(t < 0.307822, 0, if(t < 0.59087, 0.00450704, -0.0117005)) - "
        "s1)/0.0271755\n"
        "state s3 : s3' = (if(t < 0.424406, 0, if(t < 0.538842, 0.0104898, 0.000358095)) - "
        "s3)/0.258704\n"
        "input s6 = harmonic(0.0201614, 18.2592)\n"
        "contact foot : gap y1 - 0.779015*sin(th1) - s1, slip (x1 - 0.779015*cos(th1))', law "
        "newton(1) + coulomb(0.35262)\n"
        "contact tip : gap y1 + 0.779015*sin(th1) - s3, slip (x1 + 0.779015*cos(th1))', law "
        "newton(0) + coulomb(0.137464)\n"
        "contact wall off : gap -(x1 + 0.779015*cos(th1)) + 0.877208 - max(0, "
        "0.031738*sin(8.05088*t)), "
        "slip (y1 + 0.779015*sin(th1))' - v8, law newton(0) + coulomb(0.373251)\n"
        "contact back : gap x1 - 0.779015*cos(th1) + 1.07902 - s6, slip -(y1 - 0.779015*sin(th1))' "
        "- v9, "
        "law newton(0) + coulomb(0.245366)\n"
        "event late : t - 0.692628 rising, switch on wall\nevent early : t - 0.259974 rising, "
        "switch on wall\n"
        "start y1 = 0.342475, th1 = 0.455168\n";
    end exact = run(ladder, 0.825, ZW_SIM_CONTACTS_EVENTS, NULL, 0, 0, 1, columns);
    simulation s = simulation_make(0.825);
    double estimate = 0;
    s.options.contacts = ZW_SIM_CONTACTS_MOREAU;
    s.options.run.rtol = 1e-8;
    s.options.run.atol = 1e-10;
    simulation_run(&s, ladder);
    assert_done(&s);
    const zw_table *rows = zw_sim_rows(s.sim);
    double error = fabs(at(rows, -1, "y1") - exact.x[0]);
    assert_int_equal(
        sscanf(zw_sim_statistics(s.sim).estimate, "estimated error of y1: %lf", &estimate), 1);
    if (!(error < 3 * estimate && estimate < 10 * error))
        fail_msg("%g, estimated %g", error, estimate);
    assert_true(is_doubted(&s, "the estimated error of y1"));
    simulation_clear(&s);
}

/* ---- agreement ---- */

/* time steps of an eighth are nearer to event-driven integration by five at least */
static void assert_limit(const char *text, double until, double step, int n,
                         const char *const *column) {
    end exact = run(text, until, ZW_SIM_CONTACTS_EVENTS, NULL, 0, 0, n, column);
    end coarse = run(text, until, ZW_SIM_CONTACTS_MOREAU, NULL, 0, step, n, column),
        fine = run(text, until, ZW_SIM_CONTACTS_MOREAU, NULL, 0, step / 8, n, column);
    double first = apart(&coarse, &exact, n), last = apart(&fine, &exact, n);
    if (!(last < first / 5))
        fail_msg("%g, then %g", first, last);
}

/* two rods, four coordinates, two joints; the end is thrown against a wall and scrapes along it */
static void test_joints_and_a_wall__agree(void **state) {
    (void)state;
    static const char *const columns[] = {"x", "y", "u", "v", "u'", "v'"};
    assert_limit("model joints\n"
                 "param g = 9.81 [m/s^2], m = 1 [kg], l = 1 [m], mu = 0.2, e = 0.5, w = 0.2 [m]\n"
                 "coord x, y, u, v [m]\n"
                 "particle A : m at (x, y, 0)\n"
                 "particle B : m at (u, v, 0)\n"
                 "gravity g along -y\n"
                 "constraint one : x^2 + y^2 = l^2\n"
                 "constraint two : (u - x)^2 + (v - y)^2 = l^2\n"
                 "contact wall : gap u + w, slip v', law newton(e) + coulomb(mu)\n"
                 "start x = l, y = 0, u = l, v = -l\n",
                 1.5, 8e-4, 6, columns);
}

/* a sphere that is thrown with backspin: free rotation, slip of two velocities, from slipping to
 * rolling */
static void test_sphere__agrees(void **state) {
    (void)state;
    static const char *const columns[] = {"x", "y", "x'", "y'", "ball.wx", "ball.wy"};
    assert_limit(
        "model thrown\n"
        "param m = 0.2 [kg], r = 0.03 [m], mu = 0.2, g = 9.81 [m/s^2]\n"
        "coord x, y, z [m]\n"
        "body ball : sphere(m, r) at (x, y, z)\n"
        "gravity g along -z\n"
        "contact floor : sphere ball radius r on plane, law coulomb(mu)\n"
        "start z = r, x' = 1 [m/s], y' = 0.2 [m/s], ball.wy = -30 [rad/s], ball.wx = 5 [rad/s]\n",
        0.6, 8e-4, 6, columns);
}

/* anisotropic friction and a pivot, on a slope: three blocks of one contact come to rest one after
 * the other */
static void test_puck__agrees(void **state) {
    (void)state;
    static const char *const columns[] = {"x", "y", "phi"};
    assert_limit(
        "model puck\n"
        "param m = 0.2 [kg], J = 2e-4 [kg*m^2], g = 9.81 [m/s^2], mu = 0.3, nu = 0.5, al = 8 "
        "[deg], R = 0.02 [m]\n"
        "coord x, y, z [m]\n"
        "coord phi [rad]\n"
        "kinetic m*(x'^2 + y'^2 + z'^2)/2 + J*phi'^2/2\n"
        "force (x, z) = m*g*(-sin(al), -cos(al))\n"
        "contact ice : gap z, slip (x', y'), spin phi', law coulomb(mu, nu) + pivoting(mu, R)\n"
        "start x' = 1 [m/s], y' = 1 [m/s], phi' = 20 [rad/s]\n",
        1, 8e-4, 3, columns);
}

/* smooth friction is a force while it slides, and takes part in impacts */
static void test_smooth_friction__agrees(void **state) {
    (void)state;
    static const char *const columns[] = {"x", "y"};
    assert_limit("model smooth\n"
                 "param m = 1 [kg], g = 9.81 [m/s^2], mu = 0.3, eps = 0.05 [m/s], e = 0.5\n"
                 "coord x, y [m]\n"
                 "particle P : m at (x, y, 0)\n"
                 "gravity g along -y\n"
                 "contact floor : gap y, slip x', law newton(e) + smooth(mu, eps)\n"
                 "start x' = 1 [m/s], y = 0.1 [m]\n",
                 1, 8e-4, 2, columns);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time_steps__are_of_first_order),
        cmocka_unit_test(test_events__keep_the_order_of_the_method),
        cmocka_unit_test(test_events__are_as_exact_as_the_tolerance),
        cmocka_unit_test(test_default__goes_from_event_to_event),
        cmocka_unit_test(test_default__takes_steps_where_bodies_overlap),
        cmocka_unit_test(test_time_steps__estimate_their_error),
        cmocka_unit_test(test_time_steps__estimate_their_error_through_events),
        cmocka_unit_test(test_joints_and_a_wall__agree),
        cmocka_unit_test(test_sphere__agrees),
        cmocka_unit_test(test_puck__agrees),
        cmocka_unit_test(test_smooth_friction__agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
