/* SPDX-License-Identifier: MIT */
/* Moments at which events act: how often they come, in which order, and when they cannot settle.
 * Numbers of events, times and states are those of closed forms, by all methods and at several
 * tolerances. */
#include "support/failing_allocator.h"
#include "support/simulation.h"

static const char *const methods[] = {"adams", "bdf", "ida", "erk", "rk54", "rk87", "radau"};
enum { METHODS = sizeof methods / sizeof *methods };

/* a run by method k, its tolerances and what is set */
static simulation run_by(int k, double until, double rtol, const char *text, const char *set) {
    simulation s = simulation_make(until);
    s.options.run.method = methods[k];
    s.options.run.rtol = rtol;
    s.options.run.atol = rtol / 100;
    s.model.nset = set ? 1 : 0;
    s.model.set = &set;
    simulation_run(&s, text);
    return s;
}

static void assert_events(const simulation *s, int k, long n) {
    assert_done(s);
    long found = zw_table_rows(zw_sim_events(s->sim));
    if (found != n)
        fail_msg("%s: %ld events, not %ld", methods[k], found, n);
}

/* x = A cos t loses a tenth of its speed at every passage: one every pi, whatever A */
static void test_moment__passages_that_act(void **state) {
    (void)state;
    const char *amplitude[] = {"x=1", "x=1e6", "x=1e-6"};
    const double tolerance[] = {1e-6, 1e-8, 1e-12};
    for (int k = 0; k < METHODS * 9; k++) {
        int method = k / 9, a = k % 3, r = k / 3 % 3;
        if (a == 2 && r == 0)
            continue; /* A is no larger than the tolerance */
        simulation s = run_by(method, 20 * acos(-1), tolerance[r],
                              "model passages\nunits none\ncoord x\nkinetic x'^2/2\n"
                              "potential x^2/2\nstart x = 1\n"
                              "event pass : x both, set x' = 0.9*x'\n",
                              amplitude[a]);
        assert_events(&s, method, 20);
        simulation_clear(&s);
    }
}

/* impacts at t1 (1 + 2 e + ... + 2 e^n), t1 = 1 s */
static void test_moment__bouncing_ball(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        simulation s = run_by(k, 8.5, 1e-10,
                              "model ball\nunits none\ncoord y\nkinetic y'^2/2\npotential 10*y\n"
                              "start y = 5\nevent bounce : y falling, set y' = -0.8*y'\n",
                              NULL);
        const zw_table *events = zw_sim_events(s.sim);
        double t = 1, flight = 2;
        long n = 0;
        for (; t < 8.5; n++, flight *= 0.8, t += flight)
            assert_close(at(events, n, "t"), t, 1e-7);
        assert_true(n > 10);
        assert_events(&s, k, n);
        simulation_clear(&s);
    }
}

/* ------------------------------------------------------------------------------ several at once */

#define CRADLE(velocities)                                                                         \
    "model cradle\nunits none\ncoord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n"                    \
    "start x = -1, z = 1, " velocities "\n"                                                        \
    "event a : y - x - 1/4 falling, set (x', y') = (y', x')\n"                                     \
    "event b : z - y - 1/4 falling, set (y', z') = (z', y')\n"

/* equal balls exchange their velocities, pair by pair, also where two pairs meet at one moment */
static void test_moment__balls_in_a_row(void **state) {
    (void)state;
    const struct {
        const char *text;
        long events;
        double x, y, z; /* velocities at the end */
    } cases[] = {{CRADLE("x' = 1"), 2, 0, 0, 1},
                 {CRADLE("x' = 1, z' = -1"), 3, -1, 0, 1},
                 {CRADLE("x' = 2, y' = 1/2, z' = -1"), 3, -1, 0.5, 2}};
    for (int k = 0; k < METHODS * 3; k++) {
        simulation s = run_by(k / 3, 3, 1e-9, cases[k % 3].text, NULL);
        const zw_table *rows = zw_sim_rows(s.sim);
        assert_events(&s, k / 3, cases[k % 3].events);
        assert_close(at(rows, -1, "x'"), cases[k % 3].x, 1e-8);
        assert_close(at(rows, -1, "y'"), cases[k % 3].y, 1e-8);
        assert_close(at(rows, -1, "z'"), cases[k % 3].z, 1e-8);
        simulation_clear(&s);
    }
}

/* a ball in a corner meets both walls at once: they set different things and act together */
static void test_moment__corner(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        simulation s = run_by(k, 6, 1e-9,
                              "model corner\nunits none\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                              "start x = 0.1, y = 0.3, x' = 0.9/3, y' = 0.7/3\n"
                              "event right : 1 - x falling, set x' = -x'\n"
                              "event top : 1 - y falling, set y' = -y'\n",
                              NULL);
        const zw_table *events = zw_sim_events(s.sim);
        assert_events(&s, k, 2);
        assert_close(at(events, 0, "t"), 3, 1e-8);
        assert_close(at(events, 1, "t"), at(events, 0, "t"), 0);
        assert_close(at(zw_sim_rows(s.sim), -1, "x"), 0.1, 1e-8);
        assert_close(at(zw_sim_rows(s.sim), -1, "y"), 0.3, 1e-8);
        simulation_clear(&s);
    }
}

/* what cannot be both, and what never comes to an end, is said */
static void test_moment__contradictions(void **state) {
    (void)state;
    simulation s = simulation_make(2);
    simulation_run(&s, "model both\ncoord x, y [m]\nparticle P : 1 [kg] at (x, y)\n"
                       "constraint rail off : y = 0\nstart x' = 1 [m/s]\n"
                       "event a : x - 1 [m] rising, switch on rail\n"
                       "event b : 2*x - 2 [m] rising, switch off rail\n");
    assert_int_equal(s.status, ZW_E_NUMERIC);
    assert_text_has(s.err.text, "the events a and b come at the same moment, t = 1");
    assert_int_equal(s.err.line, 7);
    simulation_clear(&s);
    s = simulation_make(2);
    simulation_run(&s, "model wedge\nunits none\ncoord x\nkinetic x'^2/2\nstart x' = 1\n"
                       "event a : x - 1 rising, set x' = -x'\n"
                       "event b : x - 1 falling, set x' = -x'\n");
    assert_int_equal(s.status, ZW_E_NUMERIC);
    assert_text_has(s.err.text, "not settle");
    simulation_clear(&s);
}

/* ------------------------------------------------------------------------------------- at zero */

#define CONTACT(start)                                                                             \
    "model contact\nunits none\ncoord y\nkinetic y'^2/2\npotential 10*y\n" start                   \
    "\nevent bounce : y falling, set y' = -y'\n"

/* a ball that begins on the floor: moving down it bounces at once */
static void test_moment__starts_in_contact(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        simulation s = run_by(k, 0.9, 1e-9, CONTACT("start y' = -1"), NULL);
        assert_events(&s, k, 5);
        assert_close(at(zw_sim_events(s.sim), 0, "t"), 0, 0);
        assert_close(at(zw_sim_events(s.sim), 4, "t"), 0.8, 1e-8);
        simulation_clear(&s);
        s = run_by(k, 0.7, 1e-9, CONTACT("start y' = 1"), NULL);
        assert_events(&s, k, 3);
        assert_close(at(zw_sim_events(s.sim), 0, "t"), 0.2, 1e-8);
        simulation_clear(&s);
    }
}

/* one that lies there, or is stopped there, would fall through it */
static void test_moment__rests_at_zero(void **state) {
    (void)state;
    const char *text[] = {
        CONTACT("start y = 0"),
        "model stopped\nunits none\ncoord y\nkinetic y'^2/2\npotential 10*y\nstart y = 5\n"
        "event hit : y falling, set y' = 0\n"};
    for (int k = 0; k < METHODS * 2; k++) {
        simulation s = run_by(k / 2, 3, 1e-9, text[k % 2], NULL);
        assert_int_equal(s.status, ZW_E_NUMERIC);
        assert_text_has(s.err.text, k % 2 ? "the event hit has no lasting effect"
                                          : "the event bounce has no lasting effect");
        assert_true(at(zw_sim_rows(s.sim), -1, "y") > -1e-8);
        simulation_clear(&s);
    }
}

/* held by the constraint that the event switches on it may stay; so may what is at zero all the
 * time */
static void test_moment__held_at_zero(void **state) {
    (void)state;
    for (int k = 1; k < METHODS; k++) { /* adams keeps no constraints */
        simulation s = run_by(k, 3, 1e-9,
                              "model held\nunits none\ncoord y\nkinetic y'^2/2\npotential 10*y\n"
                              "start y = 5\nconstraint floor off : y = 0\n"
                              "event hit : y falling, switch on floor\n",
                              NULL);
        assert_events(&s, k, 1);
        assert_close(at(zw_sim_rows(s.sim), -1, "y"), 0, 1e-8);
        simulation_clear(&s);
        s = run_by(k, 20, 1e-9,
                   "model wire\nunits none\nparam n = 0\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                   "potential y\nstart x = 1\nconstraint wire : x^2 + y^2 = 1\n"
                   "event off : x^2 + y^2 - 1 both, set n = n + 1\n",
                   NULL);
        assert_events(&s, k, 0);
        simulation_clear(&s);
    }
    /* also where the motion between the steps leaves the wire by more than its accuracy, as it does
     * here at t = 50.6 */
    simulation s = simulation_make(55);
    s.options.run.method = "ida";
    s.options.run.rtol = s.options.run.atol = 1e-10;
    simulation_run(&s, "model wire\nunits none\ncoord x, y\nparticle P : 1 at (x, y)\n"
                       "gravity 1 along -y\nconstraint c : x^2 + y^2 = 1\nstart x = 1\n"
                       "event e : x^2 + y^2 - 1\n");
    assert_events(&s, 2, 0);
    simulation_clear(&s);
}

/* ------------------------------------------------------------------------------------- many */

/* between walls at -1 and 1 with the speed v: one of them every 2/v */
static void test_moment__walls(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        simulation s = run_by(k, 24.9, 1e-9,
                              "model walls\nunits none\ncoord x\nkinetic x'^2/2\nstart x' = 3\n"
                              "event right : 1 - x falling, set x' = -x'\n"
                              "event left : x + 1 falling, set x' = -x'\n",
                              NULL);
        assert_events(&s, k, 37); /* at (1 + 2 n)/3 */
        simulation_clear(&s);
    }
}

/* x'' = -u with u the sign of x by a relay: between zeros of x the time 2 v */
static void test_moment__relay(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        simulation s = run_by(k, 201, 1e-9,
                              "model relay\nunits none\nparam u = 1\ncoord x\nkinetic x'^2/2\n"
                              "force (x) = -u\nstart x' = 1\n"
                              "event down : x falling, set u = -1\n"
                              "event up : x rising, set u = 1\n",
                              NULL);
        assert_events(&s, k, 101); /* with that of the start, where x rises */
        assert_close(at(zw_sim_events(s.sim), -1, "t"), 200, 1e-5);
        simulation_clear(&s);
    }
}

/* ------------------------------------------------------------------------------------- periods */

/* a periodic angle grows on, and th = 1 comes again at 1 + 2 pi k: once per turn, and both ways in
 * a motion to and fro, 10 sin t, that meets k = -1, 0, 1 twice in every period */
static void test_moment__periodic_coordinates(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        simulation s = run_by(k, 20, 1e-9,
                              "model turn\nunits none\nparam n = 0\ncoord th\nperiodic th\n"
                              "kinetic th'^2/2\nstart th' = 1\nobserve count = n\n"
                              "event one : th - 1 rising, set n = n + 1\n"
                              "event never : th - 2 falling\n",
                              NULL);
        const zw_table *events = zw_sim_events(s.sim);
        assert_events(&s, k, 4);
        for (int i = 0; i < 4; i++)
            assert_close(at(events, i, "t"), 1 + 2 * acos(-1) * i, 1e-8);
        assert_close(at(zw_sim_rows(s.sim), -1, "count"), 4, 0);
        simulation_clear(&s);
        s = run_by(k, 8 * acos(-1), 1e-9,
                   "model swing\nunits none\ncoord th\nperiodic th\nkinetic th'^2/2\n"
                   "potential th^2/2\nstart th' = 10\nevent one : th - 1 both\n",
                   NULL);
        assert_events(&s, k, 24);
        simulation_clear(&s);
    }
}

/* what neither comes back nor grows by a constant is told */
static void test_moment__functions_without_period(void **state) {
    (void)state;
    simulation s = simulation_make(1);
    simulation_run(&s, "model odd\nunits none\ncoord th\nperiodic th\nkinetic th'^2/2\n"
                       "event fine : sin(th) + cos(3*th) rising\nevent odd : th^2 - 30 rising\n");
    assert_done(&s);
    assert_int_equal(zw_warnings_count(zw_sim_warnings(s.sim)), 1);
    const zw_warning *d = zw_warnings_at(zw_sim_warnings(s.sim), 0);
    assert_text_has(d->text, "event odd does not come back when th");
    assert_int_equal(d->line, 7);
    simulation_clear(&s);
}

/* An event that ends the run is due with what acts at its moment, by a clock or by a zero,
 * whichever way it leads. */
static void test_moment__stops_with_others(void **state) {
    (void)state;
    const char *other[] = {"every 1 from 1", "t - 1 rising", "x - 1 rising"};
    for (int k = 0; k < METHODS * 3; k++) {
        char text[300];
        snprintf(text, sizeof text,
                 "model stop\nunits none\ncoord x\nkinetic x'^2/2\nstart x' = 1\n"
                 "event turn : %s, set x' = -x'\nevent end : 2*x - 2 rising, stop\n",
                 other[k % 3]);
        simulation s = run_by(k / 3, 5, 1e-9, text, NULL);
        assert_events(&s, k / 3, 2);
        assert_close(at(zw_sim_rows(s.sim), -1, "t"), 1, 1e-9);
        simulation_clear(&s);
    }
    for (int k = 0; k < METHODS; k++) { /* a start at its zero is no end */
        simulation s = run_by(k, 20, 1e-9,
                              "model turn\nunits none\ncoord x\nkinetic x'^2/2\npotential x^2/2\n"
                              "start x' = 1\nevent end : x rising, stop\n",
                              NULL);
        assert_events(&s, k, 1);
        assert_close(at(zw_sim_rows(s.sim), -1, "t"), 2 * acos(-1), 1e-6);
        simulation_clear(&s);
    }
}

/* functions that have no value on one side of where the motion starts or is */
static void test_moment__edges_of_functions(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        simulation s = run_by(k, 10, 1e-9,
                              "model edges\nunits none\ncoord x\nkinetic x'^2/2\nstart x' = 1\n"
                              "event root : x^(1/3) - 1.5\nevent edge : sqrt(x)\n"
                              "event act : x^(1/3) - 2 rising, set x' = 2*x'\n",
                              NULL);
        assert_events(&s, k, 2);
        assert_close(at(zw_sim_events(s.sim), 0, "t"), 3.375, 1e-7);
        assert_close(at(zw_sim_rows(s.sim), -1, "x"), 12, 1e-7);
        simulation_clear(&s);
    }
}

/* What comes and goes within the accuracy is told; what is farther away is not. */
static void test_moment__touches(void **state) {
    (void)state;
    const struct {
        double least;
        int doubts;
    } depth[] = {{1e-13, 1}, {1e-10, 1}, {1e-6, 0}};
    for (int k = 0; k < 3 * METHODS; k++) {
        char text[300];
        snprintf(text, sizeof text,
                 "model touch\nunits none\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                 "potential x + y\nstart x' = 1, y' = 1\nevent top : x + y - 1 + %g both\n",
                 depth[k % 3].least);
        simulation s = run_by(k / 3, 1.7, 1e-8, text, NULL);
        assert_done(&s);
        if (zw_table_rows(zw_sim_events(s.sim)) == 2)
            assert_int_equal(zw_warnings_count(zw_sim_warnings(s.sim)), depth[k % 3].doubts);
        else
            assert_true(k % 3 < 2);
        if (zw_warnings_count(zw_sim_warnings(s.sim)) > 0)
            assert_text_has(zw_warnings_at(zw_sim_warnings(s.sim), 0)->text,
                            "event top only touches");
        simulation_clear(&s);
    }
    /* one that is set away from zero, and falls again, does not touch it */
    for (int k = 0; k < METHODS; k++) {
        simulation s = run_by(k, 3.5, 1e-9,
                              "model set\nunits none\ncoord x\nkinetic x'^2/2\npotential x\n"
                              "event slow : x' + 1 falling, set x' = 0\n",
                              NULL);
        assert_events(&s, k, 3);
        assert_int_equal(zw_warnings_count(zw_sim_warnings(s.sim)), 0);
        simulation_clear(&s);
    }
}

/* a run with events, a hundred in a step, and kinks; fail: the request that fails, counted from the
 * beginning of the run */
static zw_status run_short_of_memory(failing_allocator *f, long fail) {
    static const char TEXT[] = "model m\nunits none\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                               "force (y) = -y - abs(y)/2 - sign(y')/9\n"
                               "start x' = 10, y = 1\nevent turn : sin(9*x) rising\n"
                               "event act : y falling, set y' = 0.9*y'\n";
    zw_allocator alloc = failing_allocator_of(f);
    zw_context *ctx = zw_context_create(&alloc);
    zw_system *sys;
    zw_sim *sim;
    zw_error err = {0};
    zw_model_source source = {TEXT, sizeof TEXT - 1, "test.zw", NULL};
    zw_sim_options options = zw_sim_options_default();
    options.until = 4;
    options.step_out = 1;
    options.jit = ZW_JIT_NEVER;
    assert_int_equal(zw_model_parse(&sys, ctx, TEXT, source.length, "test.zw", NULL, &err), ZW_OK);
    assert_int_equal(zw_sim_create(&sim, sys, &source, &options, &err), ZW_OK);
    f->fail_at = fail > 0 ? f->requests + fail : 0;
    zw_status status = zw_sim_run(sim, &err);
    if (status < 0)
        assert_text_has(err.text, "out of memory");
    zw_sim_destroy(sim);
    zw_context_destroy(ctx);
    assert_int_equal(f->blocks, 0);
    assert_int_equal(f->bytes, 0);
    return status;
}

static void test_moment__lack_of_memory_on_the_way(void **state) {
    (void)state;
    for (long fail = 1;; fail++) {
        failing_allocator f = failing_allocator_make(0);
        zw_status status = run_short_of_memory(&f, fail);
        if (!f.failed) {
            assert_int_equal(status, ZW_OK);
            assert_true(fail > 4);
            break;
        }
    }
}

/* a conserved energy that is zero from the start on, beside another event: nothing to be found, in
 * no time */
static void test_moment__energy_at_zero(void **state) {
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        simulation s = run_by(k, 10, 1e-8,
                              "model energy\nunits none\ncoord x\nkinetic x'^2/2\n"
                              "potential x^2/2\nstart x = 1\nevent a : x*x' rising\n"
                              "event b : x'^2/2 + x^2/2 - 0.5\n",
                              NULL);
        assert_done(&s);
        const zw_table *events = zw_sim_events(s.sim);
        long n = 0; /* of a; b comes where the error of the energy is beyond its accuracy */
        for (long row = 0; row < zw_table_rows(events); row++)
            n += at(events, row, "event") == 0;
        assert_int_equal(n, 3);
        simulation_clear(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moment__passages_that_act),
        cmocka_unit_test(test_moment__bouncing_ball),
        cmocka_unit_test(test_moment__balls_in_a_row),
        cmocka_unit_test(test_moment__corner),
        cmocka_unit_test(test_moment__contradictions),
        cmocka_unit_test(test_moment__starts_in_contact),
        cmocka_unit_test(test_moment__rests_at_zero),
        cmocka_unit_test(test_moment__held_at_zero),
        cmocka_unit_test(test_moment__walls),
        cmocka_unit_test(test_moment__relay),
        cmocka_unit_test(test_moment__periodic_coordinates),
        cmocka_unit_test(test_moment__functions_without_period),
        cmocka_unit_test(test_moment__stops_with_others),
        cmocka_unit_test(test_moment__edges_of_functions),
        cmocka_unit_test(test_moment__touches),
        cmocka_unit_test(test_moment__energy_at_zero),
        cmocka_unit_test(test_moment__lack_of_memory_on_the_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
