/* SPDX-License-Identifier: MIT */
/* What is doubtful about a motion is told by name and time, noted, and kept where a run goes on. */
#include "support/simulation.h"
#include "zwang/run.h"

static const char SWING[] = "model swing\n"
                            "coord x [m]\n"
                            "particle P : 1 [kg] at (x, 0)\n"
                            "potential 1/2*1 [N/m]*x^2\n"
                            "observe near = 1/x, plain = x\n"
                            "start x' = 1 [m/s]\n";

/* a quotient at zero harms its column, not the motion */
static void test_doubt__observable_without_value(void **state) {
    (void)state;
    simulation s = simulation_make(2);
    simulation_run(&s, SWING);
    assert_done(&s);
    const zw_warnings *list = zw_sim_warnings(s.sim);
    assert_int_equal(zw_warnings_count(list), 1);
    const zw_warning *d = zw_warnings_at(list, 0);
    assert_text_has(d->text, "observable near");
    assert_true(d->first == 0 && d->last == 0 && d->line == 5);
    assert_text_has(note_of(zw_sim_rows(s.sim), "doubts"), "observable near");
    assert_text_has(note_of(zw_sim_events(s.sim), "doubts"), "observable near");

    /* a run that goes on knows them, and tells each once */
    zw_context *ctx = zw_context_create(NULL);
    zw_sim *more = NULL;
    zw_sim_options options = zw_sim_options_default();
    options.until = 3;
    assert_int_equal(zw_sim_resume(&more, ctx, zw_sim_rows(s.sim), NULL, &options, &s.err), ZW_OK);
    assert_int_equal(zw_sim_run(more, &s.err), ZW_OK);
    assert_int_equal(zw_warnings_count(zw_sim_warnings(more)), 1);
    assert_text_has(note_of(zw_sim_rows(more), "doubts"), "observable near");
    zw_sim_destroy(more);
    zw_context_destroy(ctx);

    /* from another start there is none */
    zw_sim_number x = {.name = "x", .value = 3}, v = {.name = "x'", .value = 0};
    const zw_sim_number start[] = {x, v};
    zw_sim_numbers numbers = {.nstart = 2, .start = start};
    assert_int_equal(zw_sim_restart(s.sim, &numbers, &s.err), ZW_OK);
    assert_int_equal(zw_warnings_count(zw_sim_warnings(s.sim)), 0);
    simulation_clear(&s);
}

/* ---- motions that are small beside the tolerances ---- */

static int doubts_of_size(const char *text, double until, double atol) {
    simulation s = simulation_make(until);
    s.options.run.rtol = 1e-8;
    s.options.run.atol = atol;
    simulation_run(&s, text);
    assert_done(&s);
    int n = 0;
    for (int i = 0; i < zw_warnings_count(zw_sim_warnings(s.sim)); i++)
        if (strstr(zw_warnings_at(zw_sim_warnings(s.sim), i)->key, "size of")) {
            assert_text_has(zw_warnings_at(zw_sim_warnings(s.sim), i)->text,
                            "which is small compared");
            assert_text_has(zw_warnings_at(zw_sim_warnings(s.sim), i)->hint, "--atol 1e-");
            n++;
        }
    simulation_clear(&s);
    return n;
}

static void test_doubt__small_motion(void **state) {
    (void)state;
#define OSCILLATOR(start)                                                                          \
    "model small\ncoord x [m]\nparticle P : 1 [kg] at (x, 0)\npotential 1/2*1 [N/m]*x^2\n" start
    /* a nanometre, and a micrometre, with a tolerance of a tenth of one */
    assert_int_equal(doubts_of_size(OSCILLATOR("start x = 1e-9 [m]\n"), 20, 1e-10), 1);
    assert_int_equal(doubts_of_size(OSCILLATOR("start x = 1e-6 [m]\n"), 20, 1e-10), 1);
    assert_int_equal(doubts_of_size(OSCILLATOR("start x = 1e-9 [m]\n"), 20, 1e-18), 0);
    assert_int_equal(doubts_of_size(OSCILLATOR("start x = 1e-3 [m]\n"), 20, 1e-10), 0);
    /* at rest; a short run; slow, but not small; fast and small: its velocity is resolved */
    assert_int_equal(doubts_of_size(OSCILLATOR(""), 20, 1e-10), 0);
    assert_int_equal(doubts_of_size(OSCILLATOR("start x' = 1 [m/s]\n"), 1e-7, 1e-10), 0);
    assert_int_equal(doubts_of_size("model slow\ncoord x [m]\nparticle P : 1 [kg] at (x, 0)\n"
                                    "start x' = 1e-8 [m/s]\n",
                                    1e8, 1e-10),
                     0);
    assert_int_equal(doubts_of_size("model fast\ncoord x [m]\nparticle P : 1 [kg] at (x, 0)\n"
                                    "potential 1/2*1e12 [N/m]*x^2\nstart x = 1e-9 [m]\n",
                                    1e-5, 1e-10),
                     0);
    /* a state has no velocity */
    assert_int_equal(doubts_of_size("model state\nstate i [A] : i' = -i/1 [s]\n"
                                    "start i = 2e-9 [A]\n",
                                    5, 1e-10),
                     1);
    assert_int_equal(doubts_of_size("model state\nstate i [A] : i' = -i/1 [s]\n"
                                    "start i = 2 [A]\n",
                                    5, 1e-10),
                     0);
}

/* ---- a method that doubts its steps ---- */

static zw_status create(zw_run *run, zw_error *err) {
    (void)run;
    (void)err;
    return ZW_OK;
}

static void destroy(zw_run *run) {
    (void)run;
}

static zw_status step(zw_run *run, zw_error *err) {
    double t = zw_method_time(run) + zw_method_options(run)->step;
    (void)err;
    zw_method_warning(run, ZW_WARNING_STEP, -1, t, t);
    zw_method_moved(run, t);
    return ZW_OK;
}

static zw_status dense(zw_run *run, double t, double *y, zw_error *err) {
    (void)t;
    (void)err;
    memcpy(y, zw_method_state(run), sizeof *y * (size_t)zw_method_size(run));
    return ZW_OK;
}

static void statistics(const zw_run *run, zw_run_info *info) {
    (void)run;
    (void)info;
}

static void test_doubt__of_the_numerics(void **state) {
    (void)state;
    static const zw_method still = {.name = "still",
                                    .title = "standing still",
                                    .about = "",
                                    .traits = ZW_TRAIT_FIXED_STEP,
                                    .create = create,
                                    .destroy = destroy,
                                    .start = create,
                                    .step = step,
                                    .dense = dense,
                                    .statistics = statistics};
    simulation s = simulation_make(1);
    s.options.run.supplied = &still;
    s.options.run.step = 0.25;
    s.model.nset = 1;
    s.model.set = (const char *const[]){"x=1 [m]"};
    simulation_run(&s, SWING);
    assert_done(&s);
    assert_int_equal(zw_warnings_count(zw_sim_warnings(s.sim)), 1);
    const zw_warning *d = zw_warnings_at(zw_sim_warnings(s.sim), 0);
    assert_text_has(d->text, "the step of 0.25 s");
    assert_int_equal(d->count, 4);
    assert_true(d->first == 0.25 && d->last == 1);
    simulation_clear(&s);
}

/* an event function that neither bounds nor points resolve */
static void test_doubt__event_not_resolved(void **state) {
    (void)state;
    simulation s = simulation_make(1);
    simulation_run(&s, "model rotor\nunits none\ncoord phi\nkinetic phi'^2/2\n"
                       "event a : sin(1e9*phi'') - 2 + sin(1e7*phi'' + 1e7*phi) both\n"
                       "event b : phi - 5 rising\nstart phi' = 10\n");
    assert_done(&s);
    assert_int_equal(zw_warnings_count(zw_sim_warnings(s.sim)), 1);
    const zw_warning *d = zw_warnings_at(zw_sim_warnings(s.sim), 0);
    assert_text_has(d->text, "the event a may come at times that were not seen");
    assert_int_equal(d->line, 5);
    assert_int_equal(zw_table_rows(zw_sim_events(s.sim)), 1);
    simulation_clear(&s);
}

/* ---- steps that are too long ---- */

static void run_fixed(simulation *s, const char *text, const char *method, int order, double step,
                      double until) {
    *s = simulation_make(until);
    s->options.run.method = method;
    s->options.run.order = order;
    s->options.run.step = step;
    simulation_run(s, text);
}

/* A fixed step beyond the stability of its method: the run ends before its numbers are
 * astronomic. */
static void test_doubt__step_beyond_stability(void **state) {
    (void)state;
    static const char decay[] = "model decay\nstate a [1] : a' = -1000 [1/s]*(a - cos(t/1 [s]))\n"
                                "start a = 1\n";
    static const char spring[] = "model spring\ncoord x [m]\nparticle P : 1 [kg] at (x, 0)\n"
                                 "potential 1/2*100 [N/m]*x^2\nstart x = 1 [m]\n";
    for (int order = 2; order <= 8; order++) {
        simulation s;
        run_fixed(&s, decay, "erk", order, 0.1, 10);
        assert_int_equal(s.status, ZW_E_NUMERIC);
        assert_text_has(s.err.text, "blows up");
        assert_int_equal(zw_warnings_count(zw_sim_warnings(s.sim)), 1);
        assert_text_has(zw_warnings_at(zw_sim_warnings(s.sim), 0)->text, "the motion of a");
        simulation_clear(&s);
        run_fixed(&s, decay, "erk", order, 1e-3, 1); /* stable, and then it is right */
        assert_done(&s);
        assert_int_equal(zw_warnings_count(zw_sim_warnings(s.sim)), 0);
        assert_close(at(zw_sim_rows(s.sim), -1, "a"), cos(1) + 1e-3 * sin(1), 1e-5);
        simulation_clear(&s);
    }
    for (int order = 2; order <= 6; order += 2) { /* omega = 10 rad/s */
        simulation s;
        run_fixed(&s, spring, "rattle", order, 0.3, 30);
        assert_int_equal(s.status, ZW_E_NUMERIC);
        assert_text_has(s.err.text, "blows up");
        simulation_clear(&s);
        run_fixed(&s, spring, "rattle", order, 0.02, 30);
        assert_done(&s);
        assert_int_equal(zw_warnings_count(zw_sim_warnings(s.sim)), 0);
        simulation_clear(&s);
    }
    simulation s; /* stable, but a turn of the motion has four steps */
    run_fixed(&s, spring, "rattle", 2, 0.16, 10);
    assert_done(&s);
    assert_int_equal(zw_warnings_count(zw_sim_warnings(s.sim)), 1);
    assert_text_has(zw_warnings_at(zw_sim_warnings(s.sim), 0)->text,
                    "the step of 0.16 s is too long");
    simulation_clear(&s);
}

/* Growth and fast beginnings are no mistakes of a step. */
static void test_doubt__step_that_is_right(void **state) {
    (void)state;
    static const char *const text[] = {
        "model fall\ncoord y [m]\nparticle P : 1 [kg] at (0, y)\ngravity 10 [m/s^2] along -y\n",
        "model growth\nstate a [1] : a' = 3 [1/s]*a\nstart a = 1e-9\n",
        "model powers\nstate a, b, c, d, e [1] : a' = 1 [1/s], b' = a/1 [s], c' = b/1 [s],\n"
        "    d' = c/1 [s], e' = d/1 [s]\n",
        "model chain\nparam k = 1 [N/m]\ncoord a, b, c, d [m]\n"
        "kinetic 1/2*1 [kg]*(a'^2 + b'^2 + c'^2 + d'^2)\n"
        "potential 1/2*k*((a - b)^2 + (b - c)^2 + (c - d)^2)\nstart a = 1 [m]\n"};
    for (int i = 0; i < 4; i++)
        for (int order = 2; order <= 8; order += 2) {
            simulation s;
            run_fixed(&s, text[i], "erk", order, 0.05, 10);
            assert_done(&s);
            assert_int_equal(zw_warnings_count(zw_sim_warnings(s.sim)), 0);
            simulation_clear(&s);
        }
}

/* Two steps of 3 s: an energy of 700 J for -5 J, and a driven oscillator at 1e100 m, are a warning;
 * a run that fails in a step beyond its end stays within it. */
static void test_doubt__first_steps(void **state) {
    (void)state;
    simulation s;
    run_fixed(
        &s,
        "model pendulum\ncoord th [rad]\nparticle P : 1 [kg] at (sin(th)*1 [m], -cos(th)*1 [m])\n"
        "gravity 9.81 [m/s^2] along -y\nstart th = 1 [rad]\n",
        "erk", 4, 3, 5);
    assert_true(zw_warnings_count(zw_sim_warnings(s.sim)) > 0);
    simulation_clear(&s);
    run_fixed(&s,
              "model duffing\nunits none\ncoord x\nkinetic 1/2*x'^2\npotential 1/4*x^4\n"
              "force (x) = 50*cos(t)\n",
              "erk", 4, 3, 5);
    assert_true(zw_warnings_count(zw_sim_warnings(s.sim)) > 0);
    assert_true(zw_sim_statistics(s.sim).t <= 5);
    simulation_clear(&s);
}

/* A pendulum in spherical angles that swings in a plane goes through th = 0 in its middle, where ph
 * has no inertia; a free particle passes the origin at 1e-9 m in polar coordinates, at t = 1 s;
 * with ph' = 1 rad/s neither comes near it. */
static void test_doubt__singular_coordinates(void **state) {
    (void)state;
    static const char sphere[] =
        "model sph\ncoord th, ph [rad]\n"
        "particle P : 1 [kg] at (sin(th)*cos(ph)*1 [m], sin(th)*sin(ph)*1 [m], -cos(th)*1 [m])\n"
        "gravity 9.81 [m/s^2] along -z\nstart th = 1 [rad]";
    static const char polar[] = "model pol\ncoord r [m], ph [rad]\n"
                                "particle P : 1 [kg] at (r*cos(ph), r*sin(ph))\n"
                                "start r = 1 [m], r' = -1 [m/s]";
    for (int k = 0; k < 4; k++) {
        char text[600];
        snprintf(text, sizeof text, "%s, ph' = %s\n", k < 2 ? sphere : polar,
                 k % 2 ? "1 [rad/s]" : "1e-9 [rad/s]");
        simulation s = simulation_make(3);
        simulation_run(&s, text);
        assert_done(&s);
        const zw_warnings *list = zw_sim_warnings(s.sim);
        assert_int_equal(zw_warnings_count(list), k % 2 == 0);
        if (k % 2 == 0) {
            assert_text_has(zw_warnings_at(list, 0)->text,
                            "the coordinates are nearly singular at ");
            assert_text_has(zw_warnings_at(list, 0)->text, "ph' has ");
        }
        if (k == 0) /* three passages: quarters of a period 2.139 s */
            assert_int_equal(zw_warnings_at(list, 0)->count, 3);
        if (k == 2)
            assert_close(zw_warnings_at(list, 0)->first, 1, 1e-3);
        simulation_clear(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_doubt__observable_without_value),
        cmocka_unit_test(test_doubt__small_motion),
        cmocka_unit_test(test_doubt__of_the_numerics),
        cmocka_unit_test(test_doubt__event_not_resolved),
        cmocka_unit_test(test_doubt__step_beyond_stability),
        cmocka_unit_test(test_doubt__step_that_is_right),
        cmocka_unit_test(test_doubt__first_steps),
        cmocka_unit_test(test_doubt__singular_coordinates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
