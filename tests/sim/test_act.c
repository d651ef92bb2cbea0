/* SPDX-License-Identifier: MIT */
/* What events do, against closed forms. */
#include "support/simulation.h"

#define TIMES 1e-10 /* what the times of events are asked to be good for */

static long count_events(const zw_table *events, double number) {
    long n = 0;
    for (long i = 0; i < zw_table_rows(events); i++)
        n += at(events, i, "event") == number;
    return n;
}

/* -------------------------------------------------------------------------------- bouncing ball */

#define BALL(e, more)                                                                              \
    "model ball\n"                                                                                 \
    "param e = " e ", g = 10 [m/s^2], h = 0 [m]\n"                                                 \
    "coord x, y [m]\n"                                                                             \
    "particle P : 2 [kg] at (x, y)\n"                                                              \
    "gravity g along -y\n"                                                                         \
    "event bounce : y - h falling, set y' = -e*y'\n"                                               \
    "start x' = 1 [m/s]\n" more

/* From 5 m the first impact comes at 1 s with 10 m/s; impact n + 1 comes 2 e^n s after impact n. */
static void test_act__bouncing_ball(void **state) {
    (void)state;
    simulation s = simulation_make(8);
    simulation_run(&s, BALL("0.9", "start y = 5 [m]\n"));
    assert_done(&s);
    const zw_table *events = zw_sim_events(s.sim);
    double t = 1, v = 10;
    assert_int_equal(zw_table_rows(events), 5);
    for (long n = 0; n < zw_table_rows(events); n++) {
        assert_close(at(events, n, "t"), t, TIMES);
        assert_close(at(events, n, "x"), t, TIMES);
        assert_close(at(events, n, "y'"), -v, 1e-9);
        assert_close(at(events, n, "jump"), v * v * (0.81 - 1), 1e-8);
        v *= 0.9;
        t += 2 * v / 10;
    }
    simulation_clear(&s);
}

/* the same by every method with a variable step */
static void test_act__bouncing_ball_by_every_method(void **state) {
    (void)state;
    const char *methods[] = {"adams", "bdf", "ida", "rk54", "rk87", "radau"};
    for (int k = 0; k < 6; k++) {
        simulation s = simulation_make(5);
        s.options.run.method = methods[k];
        s.options.run.rtol = s.options.run.atol = 1e-12;
        simulation_run(&s, BALL("0.9", "start y = 5 [m]\n"));
        assert_done(&s);
        const zw_table *events = zw_sim_events(s.sim);
        assert_int_equal(zw_table_rows(events), 3);
        assert_close(at(events, 0, "t"), 1, TIMES);
        assert_close(at(events, 1, "t"), 1 + 1.8, TIMES);
        assert_close(at(events, 2, "t"), 1 + 1.8 + 1.62, TIMES);
        simulation_clear(&s);
    }
}

/* two rows of one time around every jump, and the statistics of all pieces together */
static void test_act__rows_show_the_jump(void **state) {
    (void)state;
    simulation s = simulation_make(2);
    s.options.step_out = 0.5;
    simulation_run(&s, BALL("0.5", "start y = 5 [m]\n"));
    assert_done(&s);
    const zw_table *rows = zw_sim_rows(s.sim);
    int jumps = 0;
    for (long i = 1; i < zw_table_rows(rows); i++) {
        if (at(rows, i, "t") != at(rows, i - 1, "t")) {
            assert_true(at(rows, i, "t") > at(rows, i - 1, "t"));
            continue;
        }
        jumps++;
        assert_close(at(rows, i, "y'"), -0.5 * at(rows, i - 1, "y'"), 1e-12);
    }
    assert_true(jumps == 1 || jumps == 2); /* the second impact is at the very end, t = 2 */
    assert_close(at(rows, -1, "t"), 2, 1e-15);
    zw_sim_info info = zw_sim_statistics(s.sim);
    assert_close(info.run.energy_start, 101, 1e-12);
    assert_true(info.run.steps > 10);
    simulation_clear(&s);
}

/* The sum of all flights: 1 + 2 e/(1 - e) = 3 s. Over a floor at 100 m the height is only known to
 * rtol 100 m = 1e-9 m, and a flight of that height takes 3e-5 s. */
static void test_act__accumulation(void **state) {
    (void)state;
    const char *text[] = {BALL("0.5", "start y = 5 [m]\n"),
                          BALL("0.5", "start y = 105 [m]\nvariant up\nparam h = 100 [m]\nend\n")};
    for (int k = 0; k < 2; k++) {
        simulation s = simulation_make(8);
        s.options.run.atol = k ? 1e-13 : 1e-18;
        s.model.variant = k ? "up" : NULL;
        simulation_run(&s, text[k]);
        assert_int_equal(s.status, ZW_E_NUMERIC);
        assert_text_has(s.err.text, "bounce accumulates at t = ");
        zw_sim_info info = zw_sim_statistics(s.sim);
        assert_int_equal(info.ending, ZW_SIM_ACCUMULATED);
        assert_close(info.accumulation, 3, k ? 1e-4 : TIMES);
        assert_close(at(zw_sim_rows(s.sim), -1, "t"), 3, 1e-4);
        assert_non_null(note_of(zw_sim_rows(s.sim), "accumulation"));
        simulation_clear(&s);
    }
}

/* without loss there is no accumulation */
static void test_act__elastic_ball_goes_on(void **state) {
    (void)state;
    simulation s = simulation_make(200);
    simulation_run(&s, BALL("1", "start y = 5 [m]\n"));
    assert_done(&s);
    const zw_table *events = zw_sim_events(s.sim);
    assert_int_equal(zw_table_rows(events), 100);
    assert_close(at(events, -1, "t"), 199, 1e-7);
    simulation_clear(&s);
}

/* ------------------------------------------------------------------------------------- switches */

/* A bowling ball slides with friction mu m g until x' = r phi': at t = 2 v0/(7 mu g), v = 5/7
 * v0. */
static const char BOWLING[] =
    "model bowling\n"
    "param m = 6 [kg], r = 0.1 [m], g = 9.81 [m/s^2], mu = 0.2, v0 = 7 [m/s]\n"
    "coord x [m], phi [rad]\n"
    "particle P : m at (x, 0)\n"
    "kinetic 1/2*(2/5*m*r^2)*phi'^2\n"
    "param rough = 1\n"
    "force friction (x, phi) = rough*mu*m*g*(-1, r)\n"
    "constraint roll off : x' = r*phi'\n"
    "event grip : x' - r*phi' falling, switch on roll, set rough = 0\n"
    "start x' = v0\n"
    "observe force = lambda(roll)\n";

static void test_act__sliding_turns_into_rolling(void **state) {
    (void)state;
    const char *principles[] = {"lagrange", "hamilton", "maggi", "gibbs-appell"};
    double t = 2 * 7 / (7 * 0.2 * 9.81), x = 7 * t - 0.2 * 9.81 * t * t / 2;
    for (int k = 0; k < 4; k++) {
        simulation s = simulation_make(2);
        s.options.principle = principles[k];
        simulation_run(&s, BOWLING);
        assert_done(&s);
        const zw_table *rows = zw_sim_rows(s.sim), *events = zw_sim_events(s.sim);
        assert_int_equal(zw_table_rows(events), 1);
        assert_close(at(events, 0, "t"), t, TIMES);
        assert_close(at(events, 0, "x"), x, 1e-9);
        assert_close(at(events, 0, "jump"), 0, 1e-9);
        assert_close(at(rows, -1, "x"), x + 5 * (2 - t), 1e-8);
        assert_close(at(rows, -1, "phi"), 0.5 * t * 2 * 25 + 50 * (2 - t), 1e-7);
        assert_close(at(rows, -1, "force"), 0, 1e-9);
        assert_string_equal(note_of(rows, "on"), "roll");
        /* multipliers are columns where the principle has them, although none held at the start */
        assert_int_equal(zw_table_find(rows, "lambda(roll)") >= 0, k < 2);
        simulation_clear(&s);
    }
}

/* A plastic impact: two masses that are coupled go on with the common velocity of their
 * momentum. */
static void test_act__coupling_is_a_plastic_impact(void **state) {
    (void)state;
    simulation s = simulation_make(3);
    simulation_run(&s, "model train\n"
                       "param a = 3 [kg], b = 1 [kg]\n"
                       "coord x, y [m]\n"
                       "particle A : a at (x, 0)\n"
                       "particle B : b at (y, 0)\n"
                       "constraint coupled off : x = y - 1 [m]\n"
                       "event touch : y - x - 1 [m] falling, switch on coupled\n"
                       "start y = 3 [m], x' = 2 [m/s], y' = -2 [m/s]\n");
    assert_done(&s);
    const zw_table *rows = zw_sim_rows(s.sim), *events = zw_sim_events(s.sim);
    assert_close(at(events, 0, "t"), 0.5, TIMES); /* 3 - 4t = 1 */
    assert_close(at(events, 0, "jump"), -0.5 * (3 * 1 / 4.0) * 16, 1e-9);
    assert_close(at(rows, -1, "x'"), 1, 1e-9); /* (3*2 - 2)/4 */
    assert_close(at(rows, -1, "y'"), 1, 1e-9);
    assert_close(at(rows, -1, "x"), 1 + 2.5, 1e-8);
    assert_close(at(rows, -1, "y") - at(rows, -1, "x"), 1, 1e-14);
    simulation_clear(&s);
}

/* a pendulum that is let go flies on a parabola */
static void test_act__released_pendulum(void **state) {
    (void)state;
    simulation s = simulation_make(1.5);
    simulation_run(&s, "model sling\n"
                       "param l = 1 [m], g = 9.81 [m/s^2]\n"
                       "coord x, y [m]\n"
                       "particle P : 0.5 [kg] at (x, y)\n"
                       "gravity g along -y\n"
                       "constraint rod : x^2 + y^2 = l^2\n"
                       "event release : x rising, switch off rod\n"
                       "start x = -1 [m], y = 0\n");
    assert_done(&s);
    const zw_table *rows = zw_sim_rows(s.sim), *events = zw_sim_events(s.sim);
    double dt = 1.5 - at(events, 0, "t"), v = sqrt(2 * 9.81);
    assert_close(at(events, 0, "x'"), v, 1e-9);
    assert_close(at(rows, -1, "x"), v * dt, 1e-8);
    assert_close(at(rows, -1, "y"), -1 - 9.81 * dt * dt / 2, 1e-8);
    assert_close(at(rows, -1, "lambda(rod)"), 0, 0);
    assert_true(fabs(at(events, 0, "lambda(rod)")) > 1);
    assert_string_equal(note_of(rows, "off"), "rod");
    assert_false(zw_sim_holds(s.sim, 0));
    assert_true(s.sys->constraint[0].on); /* as the text says: the system does not change */
    simulation_clear(&s);
}

/* held and let go once per second by two clocks: 0.5 s of free fall each time */
static void test_act__switching_to_and_fro(void **state) {
    (void)state;
    simulation s = simulation_make(20);
    s.options.step_out = 0.25;
    simulation_run(&s, "model ratchet\n"
                       "coord x [m]\n"
                       "particle P : 2 [kg] at (x, 0)\n"
                       "force pull (x) = 6 [N]\n"
                       "constraint hold off : x' = 0\n"
                       "event catch : every 1 [s] from 0.5 [s], switch on hold\n"
                       "event free : every 1 [s] from 1 [s], switch off hold\n");
    assert_done(&s);
    const zw_table *rows = zw_sim_rows(s.sim);
    assert_close(at(rows, -1, "x"), 20 * 3 * 0.25 / 2, 1e-8);
    for (long i = 0; i < zw_table_rows(rows); i++) {
        double t = at(rows, i, "t"), part = t - floor(t), lambda = at(rows, i, "lambda(hold)");
        if (part == 0.25)
            assert_close(lambda, 0, 0);
        if (part == 0.75)
            assert_close(lambda, -6, 1e-12);
    }
    simulation_clear(&s);
}

static void test_act__a_gap_does_not_close_by_itself(void **state) {
    (void)state;
    simulation s = simulation_make(3);
    simulation_run(&s, "model gap\n"
                       "coord x, y [m]\n"
                       "particle A : 1 [kg] at (x, y)\n"
                       "constraint wall off : y = 1 [m]\n"
                       "event touch : x - 1 [m] rising, switch on wall\n"
                       "start x' = 1 [m/s], y = 0.75 [m]\n");
    assert_int_equal(s.status, ZW_E_START);
    assert_text_has(s.err.text, "constraint wall is violated");
    assert_text_has(s.err.text, "-0.25 m");
    assert_text_has(s.err.text, "event touch, t = 1 s");
    assert_int_equal(s.err.line, 4);
    assert_close(at(zw_sim_rows(s.sim), -1, "t"), 1, TIMES); /* what was computed is there */
    assert_int_equal(zw_table_rows(zw_sim_events(s.sim)), 1);
    assert_string_equal(note_of(zw_sim_rows(s.sim), "off"), "wall");
    simulation_clear(&s);
}

/* ------------------------------------------------------------------------------------- values */

/* what is not set follows: the rod turns the velocity that a blow gives the bob */
static void test_act__set_keeps_the_constraints(void **state) {
    (void)state;
    simulation s = simulation_make(1);
    simulation_run(&s, "model blow\n"
                       "coord x, y [m]\n"
                       "particle P : 1 [kg] at (x, y)\n"
                       "constraint rod : x^2 + y^2 = 25 [m^2]\n"
                       "event blow : every 9 [s] from 0.5 [s], set x' = 2 [m/s]\n"
                       "start x = 3 [m], y = 4 [m]\n");
    assert_done(&s);
    const zw_table *rows = zw_sim_rows(s.sim);
    double speed = hypot(2, -1.5), turn = speed * 0.5 / 5; /* x x' + y y' = 0 */
    double angle = atan2(3, 4) + turn;
    assert_close(at(rows, -1, "x"), 5 * sin(angle), 1e-8);
    assert_close(at(rows, -1, "y"), 5 * cos(angle), 1e-8);
    simulation_clear(&s);
}

static void test_act__contradiction_is_told(void **state) {
    (void)state;
    simulation s = simulation_make(1);
    simulation_run(&s, "model blow\n"
                       "coord x, y [m]\n"
                       "particle P : 1 [kg] at (x, y)\n"
                       "constraint rail : x' = y'\n"
                       "event blow : every 9 [s] from 0.5 [s], set x' = 2 [m/s], y' = 0\n");
    assert_int_equal(s.status, ZW_E_START);
    assert_text_has(s.err.text, "residual 2");
    assert_text_has(s.err.text, "constraint rail");
    assert_text_has(s.err.text, "event blow");
    simulation_clear(&s);
}

/* all values are those of the moment before: two velocities change places */
static void test_act__values_of_the_moment_before(void **state) {
    (void)state;
    simulation s = simulation_make(2);
    simulation_run(&s, "model swap\n"
                       "coord x, y [m]\n"
                       "particle A : 1 [kg] at (x, 0)\n"
                       "particle B : 1 [kg] at (y, 0)\n"
                       "event meet : x - y rising, set (x', y') = (y', x')\n"
                       "start x' = 3 [m/s], y = 2 [m], y' = 1 [m/s]\n");
    assert_done(&s);
    assert_close(at(zw_sim_rows(s.sim), -1, "x"), 3 + 1, 1e-9);
    assert_close(at(zw_sim_rows(s.sim), -1, "y"), 3 + 3, 1e-9);
    simulation_clear(&s);
}

/* k = m w^2 grows from 4 to 16 at the first zero of x = cos 2t: then x' = -2, w = 4. w follows
 * k. */
static void test_act__parameters_follow(void **state) {
    (void)state;
    simulation s = simulation_make(2);
    simulation_run(&s, "model stiffer\n"
                       "param m = 1 [kg], k = 4 [N/m], w = sqrt(k/m)\n"
                       "coord x [m]\n"
                       "particle P : m at (x, 0)\n"
                       "potential 1/2*k*x^2\n"
                       "event zero : x falling, set k = 16 [N/m]\n"
                       "observe rate = w\n"
                       "start x = 1 [m]\n");
    assert_done(&s);
    const zw_table *rows = zw_sim_rows(s.sim);
    double t = 2 - acos(-1) / 4;
    assert_close(at(rows, 0, "rate"), 2, 1e-15);
    assert_close(at(rows, -1, "rate"), 4, 1e-15);
    assert_close(at(rows, -1, "x"), -0.5 * sin(4 * t), 1e-8);
    assert_string_equal(note_of(rows, "param k"), "4 N/m");
    assert_string_equal(note_of(rows, "param k at the end"), "16 N/m");
    assert_string_equal(note_of(rows, "param w at the end"), "4 1/s");
    assert_null(zw_table_get_note(rows, "param m at the end"));
    simulation_clear(&s);
}

/* ------------------------------------------------------------------------------------- variants */

#define MEDIA                                                                                      \
    "model media\n"                                                                                \
    "param m = 2 [kg], c = 1 [kg/s], boost = 1\n"                                                  \
    "coord x [m]\n"                                                                                \
    "particle P : m at (x, 0)\n"                                                                   \
    "force drag (x) = -c*x'\n"                                                                     \
    "event enter : x - 1 [m] rising, variant dense\n"                                              \
    "start x' = 2 [m/s]\n"

/* x' falls by c/m per length of way, so by 1/2 over the first metre and by 1/s over the next */
static void test_act__variant(void **state) {
    (void)state;
    simulation s = simulation_make(100);
    simulation_run(&s, MEDIA "variant dense\n"
                             "param c = 2 [kg/s]\n"
                             "event leave : x - 1.5 [m] rising, variant none\n"
                             "observe depth = x - 1 [m]\n"
                             "end\n");
    assert_done(&s);
    const zw_table *rows = zw_sim_rows(s.sim), *events = zw_sim_events(s.sim);
    assert_int_equal(zw_table_rows(events), 2);
    assert_close(at(events, 0, "x'"), 1.5, 1e-9);
    assert_close(at(events, 0, "t"), 2 * log(2 / 1.5), TIMES);
    assert_close(at(events, 1, "event"), 1, 0);
    assert_close(at(events, 1, "x'"), 1, 1e-9);
    assert_close(at(events, 1, "t"), 2 * log(2 / 1.5) + log(1.5 / 1), TIMES);
    assert_close(at(events, 1, "depth"), 0.5, 1e-9);
    assert_close(at(rows, -1, "x"), 1.5 + 2, 1e-8);
    assert_true(isnan(at(rows, -1, "depth"))); /* the model without variant has none */
    assert_string_equal(note_of(events, "event 1"), "leave");
    assert_string_equal(note_of(rows, "variant"), "");
    simulation_clear(&s);
}

/* what an event has set stays set in a variant that says nothing else about it */
static void test_act__variant_inherits(void **state) {
    (void)state;
    simulation s = simulation_make(10);
    simulation_run(&s, MEDIA "event push : every 100 [s] from 0, set boost = 3, c = 1.5 [kg/s]\n"
                             "observe b = boost, d = c\n"
                             "constraint glued off : x' = 0\n"
                             "variant dense\n"
                             "param c = 2 [kg/s]\n"
                             "event enter : x - 2 [m] rising, switch on glued\n"
                             "end\n"
                             "event halt : t - 9 [s] rising, stop\n");
    assert_done(&s);
    const zw_table *rows = zw_sim_rows(s.sim);
    assert_close(at(rows, -1, "b"), 3, 0);
    assert_close(at(rows, -1, "d"), 2, 0); /* the variant speaks of c itself */
    assert_close(at(rows, 2, "d"), 1.5, 0);
    assert_close(at(rows, -1, "x"), 2, 1e-9);
    assert_string_equal(note_of(rows, "on"), "glued");
    assert_string_equal(note_of(rows, "variant"), "dense");
    assert_close(at(rows, -1, "t"), 9, TIMES);
    simulation_clear(&s);
}

static void test_act__variant_of_another_motion_is_refused(void **state) {
    (void)state;
    simulation s = simulation_make(10);
    simulation_create(&s, MEDIA "variant dense\n"
                                "coord y [m]\n"
                                "particle Q : m at (y, 0)\n"
                                "end\n");
    assert_int_equal(s.status, ZW_E_MODEL);
    assert_text_has(s.err.text, "has other coordinates");
    assert_int_equal(s.err.line, 6);
    simulation_clear(&s);
}

/* --------------------------------------------------------------------------- clocks and moments */

static const char CLOCKS[] = "model clocks\n"
                             "param T = 0.1 [s]\n"
                             "coord x [m]\n"
                             "particle P : 1 [kg] at (x, 0)\n"
                             "event strobe : every T\n"
                             "event late : every 0.7 [s] from 0.3 [s]\n"
                             "event half : x - 0.5 [m] rising\n"
                             "event start : x rising\n"
                             "event end : x - 2 [m] rising\n"
                             "start x' = 1 [m/s]\n";

/* exact times, at the start and at the end too; a zero at the start is none, one at the end is */
static void test_act__clocks(void **state) {
    (void)state;
    simulation s = simulation_make(2);
    simulation_run(&s, CLOCKS);
    assert_done(&s);
    const zw_table *events = zw_sim_events(s.sim);
    long strobe = 0, late = 0;
    double before = 0;
    for (long i = 0; i < zw_table_rows(events); i++) {
        double t = at(events, i, "t");
        assert_true(t >= before);
        before = t;
        if (at(events, i, "event") == 0)
            assert_true(t == (double)strobe++ * 0.1);
        if (at(events, i, "event") == 1)
            assert_true(t == 0.3 + (double)late++ * 0.7);
    }
    assert_int_equal(strobe, 21);
    assert_int_equal(late, 3);
    assert_int_equal(count_events(events, 2), 1);
    assert_int_equal(count_events(events, 3), 0);
    assert_int_equal(zw_sim_statistics(s.sim).events, zw_table_rows(events));
    simulation_clear(&s);
}

/* a clock whose period an event changes ticks in the new rhythm from its phase on */
static void test_act__clock_changes(void **state) {
    (void)state;
    simulation s = simulation_make(4);
    simulation_run(&s, "model clocks\n"
                       "param T = 0.5 [s]\n"
                       "coord x [m]\n"
                       "particle P : 1 [kg] at (x, 0)\n"
                       "event tick : every T from 0.25 [s]\n"
                       "event slow : every 100 [s] from 1 [s], set T = 2 [s]\n"
                       "start x' = 1 [m/s]\n");
    assert_done(&s);
    const zw_table *events = zw_sim_events(s.sim);
    const double times[] = {0.25, 0.75, 1, 2.25};
    assert_int_equal(zw_table_rows(events), 4);
    for (long i = 0; i < 4; i++)
        assert_true(at(events, i, "t") == times[i]);
    simulation_clear(&s);
}

/* an event that acts at the very start, and one that stops there */
static void test_act__at_the_start(void **state) {
    (void)state;
    simulation s = simulation_make(2);
    simulation_run(&s, "model kick\n"
                       "coord x [m]\n"
                       "particle P : 1 [kg] at (x, 0)\n"
                       "event kick : every 10 [s], set x' = 3 [m/s]\n"
                       "event halt : every 10 [s] from 1 [s], set x' = 0, stop\n");
    assert_done(&s);
    const zw_table *rows = zw_sim_rows(s.sim);
    assert_close(at(rows, 0, "x'"), 0, 0);
    assert_close(at(rows, 1, "x'"), 3, 0);
    assert_close(at(rows, 1, "t"), 0, 0);
    assert_close(at(rows, -1, "x"), 3, 1e-9);
    assert_close(at(rows, -1, "x'"), 0, 0); /* stop comes after the action */
    assert_close(at(rows, -2, "x'"), 3, 1e-9);
    assert_int_equal(zw_sim_statistics(s.sim).ending, ZW_SIM_EVENT);
    simulation_clear(&s);
}

/* events of one moment that set the same thing act one after the other, in the order of the model,
 * each on what the last one left */
static void test_act__several_at_once(void **state) {
    (void)state;
    simulation s = simulation_make(2);
    simulation_run(&s, "model together\n"
                       "coord x, y [m]\n"
                       "particle P : 1 [kg] at (x, y)\n"
                       "event a : every 10 [s] from 1 [s], set x' = 2 [m/s], y' = x'\n"
                       "event b : every 10 [s] from 1 [s], set x' = 5*x'\n"
                       "start x' = 1 [m/s]\n");
    assert_done(&s);
    const zw_table *rows = zw_sim_rows(s.sim);
    assert_int_equal(zw_table_rows(zw_sim_events(s.sim)), 2);
    assert_close(at(rows, -1, "x'"), 10, 1e-12);
    assert_close(at(rows, -1, "y'"), 1, 1e-12);
    simulation_clear(&s);
}

/* What one event sets does not make another one late: two balls that touch the floor nearly at
 * once. */
static void test_act__events_close_together(void **state) {
    (void)state;
    const char *methods[] = {"adams", "bdf", "ida", "erk", "rk54", "rk87", "radau"};
    const char *higher[] = {"d=1e-7m", "d=1e-9m", "d=1e-11m", "d=1e-12m", "d=1e-13m", "d=1e-15m"};
    const char *text = "model balls\n"
                       "param h = 1 [m], d = 0 [m]\n"
                       "coord y, z [m]\n"
                       "particle A : 1 [kg] at (0, y)\n"
                       "particle B : 1 [kg] at (1 [m], z)\n"
                       "gravity 10 [m/s^2] along -y\n"
                       "start y = h, z = h + d\n"
                       "event a : y falling, set y' = -y'\n"
                       "event b : z falling, set z' = -z'\n";
    for (int k = 0; k < 7 * 6; k++) {
        simulation s = simulation_make(1);
        s.options.run.method = methods[k / 6];
        s.model.nset = 1;
        s.model.set = &higher[k % 6];
        simulation_run(&s, text);
        assert_done(&s);
        assert_int_equal(zw_table_rows(zw_sim_events(s.sim)), 2);
        double fall = sqrt(0.2), t = 1 - fall; /* since the impact */
        assert_close(at(zw_sim_rows(s.sim), -1, "y"), 10 * fall * t - 5 * t * t, 1e-8);
        assert_close(at(zw_sim_rows(s.sim), -1, "z"), 10 * fall * t - 5 * t * t, 2e-7);
        simulation_clear(&s);
    }
}

/* nor does a clock that ticks at the moment another event comes, but for rounding */
static void test_act__events_at_a_tick(void **state) {
    (void)state;
    const char *methods[] = {"adams", "bdf", "ida", "erk", "rk54", "rk87", "radau"};
    for (int k = 0; k < 7; k++) {
        simulation s = simulation_make(3.25);
        s.options.run.method = methods[k];
        s.options.run.rtol = 1e-8;
        s.options.run.atol = 1e-10;
        simulation_run(&s, "model ticks\n"
                           "units none\n"
                           "param hits = 0, ticks = 0\n"
                           "coord a\n"
                           "kinetic a'^2/2\n"
                           "state b : b' = 1\n"
                           "start a' = 1\n"
                           "observe n = hits, k = ticks\n"
                           "event hit : a - 1 rising, set a = 0, hits = hits + 1\n"
                           "event full : b - 1 both, set b = 0\n"
                           "event tick : every 0.5, set ticks = ticks + 1\n");
        assert_done(&s);
        assert_close(at(zw_sim_rows(s.sim), -1, "a"), 0.25, 1e-12);
        assert_close(at(zw_sim_rows(s.sim), -1, "b"), 0.25, 1e-12);
        assert_close(at(zw_sim_rows(s.sim), -1, "n"), 3, 0);
        assert_close(at(zw_sim_rows(s.sim), -1, "k"), 7, 0);
        simulation_clear(&s);
    }
}

/* a signal that jumps through zero is an event, at the jump; so is what comes to zero just there */
static void test_act__events_of_signals(void **state) {
    (void)state;
    const char *methods[] = {"adams", "bdf", "ida", "erk", "rk54", "rk87", "radau"};
    const char *set[] = {"u=table (0, 0), (1 [s], 1), (2 [s], 0) hold"};
    for (int k = 0; k < 7; k++) {
        simulation s = simulation_make(3);
        s.options.run.method = methods[k];
        s.model.nset = 1;
        s.model.set = set;
        simulation_run(&s, "model jumps\n"
                           "param run = 0\n"
                           "input u = signal [1]\n"
                           "state r [1] : r' = u/1 [s]\n"
                           "state c [1] : c' = 1 [1/s]\n"
                           "state w [1] : w' = run/1 [s]\n"
                           "event up : u - 0.5 rising, set run = 1\n"
                           "event down : u - 0.5 falling, set run = 0\n"
                           "event second : c - 2 rising\n");
        assert_done(&s);
        const zw_table *events = zw_sim_events(s.sim);
        assert_int_equal(zw_table_rows(events), 3);
        assert_close(at(events, 0, "t"), 1, 1e-12);
        assert_close(at(events, 1, "t"), 2, 1e-9);
        assert_close(at(events, 2, "t"), 2, 1e-9);
        assert_close(at(zw_sim_rows(s.sim), -1, "r"), 1, 1e-9);
        assert_close(at(zw_sim_rows(s.sim), -1, "w"), 1, 1e-9);
        simulation_clear(&s);
    }
}

/* an event that comes again without time going on ends the run instead of hanging */
static void test_act__standing_events_end(void **state) {
    (void)state;
    simulation s = simulation_make(2);
    simulation_run(&s, "model stuck\n"
                       "coord x [m]\n"
                       "particle P : 1 [kg] at (x, 0)\n"
                       "force (x) = -1 [N]\n"
                       "event again : x falling, set x = 0.5 [m], x' = -1e12 [m/s]\n"
                       "start x = 0.5 [m]\n");
    assert_int_equal(s.status, ZW_E_NUMERIC);
    assert_true(zw_sim_statistics(s.sim).events < 200000);
    assert_true(at(zw_sim_rows(s.sim), -1, "t") >= 1 - 1e-9);
    simulation_clear(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_act__bouncing_ball),
        cmocka_unit_test(test_act__bouncing_ball_by_every_method),
        cmocka_unit_test(test_act__rows_show_the_jump),
        cmocka_unit_test(test_act__accumulation),
        cmocka_unit_test(test_act__elastic_ball_goes_on),
        cmocka_unit_test(test_act__sliding_turns_into_rolling),
        cmocka_unit_test(test_act__coupling_is_a_plastic_impact),
        cmocka_unit_test(test_act__released_pendulum),
        cmocka_unit_test(test_act__switching_to_and_fro),
        cmocka_unit_test(test_act__a_gap_does_not_close_by_itself),
        cmocka_unit_test(test_act__set_keeps_the_constraints),
        cmocka_unit_test(test_act__contradiction_is_told),
        cmocka_unit_test(test_act__values_of_the_moment_before),
        cmocka_unit_test(test_act__parameters_follow),
        cmocka_unit_test(test_act__variant),
        cmocka_unit_test(test_act__variant_inherits),
        cmocka_unit_test(test_act__variant_of_another_motion_is_refused),
        cmocka_unit_test(test_act__clocks),
        cmocka_unit_test(test_act__clock_changes),
        cmocka_unit_test(test_act__at_the_start),
        cmocka_unit_test(test_act__several_at_once),
        cmocka_unit_test(test_act__events_close_together),
        cmocka_unit_test(test_act__events_at_a_tick),
        cmocka_unit_test(test_act__events_of_signals),
        cmocka_unit_test(test_act__standing_events_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
