/* SPDX-License-Identifier: MIT */
/* A run in two parts is the run in one. */
#include <stdlib.h>
#include <unistd.h>

#include "support/simulation.h"

#define SAME 1e-8 /* the tolerances are 1e-11; the second part begins with new steps */

/* a result as it comes back from a file */
static zw_table *through_a_file(const zw_table *t) {
    char path[] = "/tmp/zwang-resume-XXXXXX.csv";
    int f = mkstemps(path, 4);
    assert_true(f >= 0);
    close(f);
    zw_error err = {0};
    zw_table *back = NULL;
    if (zw_table_write_csv(t, path, &err) < 0 || zw_table_read(&back, path, &err) < 0)
        fail_msg("%s", err.text);
    remove(path);
    return back;
}

static zw_status resume(simulation *s, const zw_table *result, const zw_model_source *change,
                        double until) {
    *s = (simulation){.ctx = zw_context_create(NULL)};
    s->status = zw_sim_options_of(&s->options, result, &s->err);
    s->options.until = until;
    if (s->status >= 0)
        s->status = zw_sim_resume(&s->sim, s->ctx, result, change, &s->options, &s->err);
    if (s->status >= 0)
        s->status = zw_sim_run(s->sim, &s->err);
    return s->status;
}

/* to `until` in one, and in two parts through a file; the same rows */
static void compare(const char *text, double until, const char *principle, bool energy) {
    simulation whole = simulation_make(until), half = simulation_make(until / 2), rest;
    whole.options.step_out = half.options.step_out = until / 100;
    whole.options.principle = half.options.principle = principle;
    whole.options.energy = half.options.energy = energy;
    simulation_run(&whole, text);
    assert_done(&whole);
    simulation_run(&half, text);
    assert_done(&half);
    zw_table *kept = through_a_file(zw_sim_rows(half.sim));
    resume(&rest, kept, NULL, until);
    assert_done(&rest);
    const zw_table *a = zw_sim_rows(whole.sim), *b = zw_sim_rows(rest.sim);
    assert_int_equal(zw_table_columns(a), zw_table_columns(b));
    assert_int_equal(zw_table_rows(a), zw_table_rows(b));
    for (long i = 0; i < zw_table_rows(a); i++)
        for (int k = 0; k < zw_table_columns(a); k++)
            if (i < zw_table_rows(kept))
                assert_true(zw_table_at(b, i, k) == zw_table_at(kept, i, k));
            else
                assert_close(zw_table_at(a, i, k), zw_table_at(b, i, k), SAME);
    assert_non_null(note_of(b, "restarted"));
    assert_string_equal(note_of(b, "options"), note_of(a, "options"));
    for (int i = 0; i < zw_table_notes(a); i++) /* at the start and at the end */
        if (strncmp(zw_table_note_key(a, i), "param ", 6) == 0)
            assert_string_equal(note_of(b, zw_table_note_key(a, i)), zw_table_note_value(a, i));
    zw_table_destroy(kept);
    simulation_clear(&whole);
    simulation_clear(&half);
    simulation_clear(&rest);
}

static const char PENDULUM[] = "model pendulum\n"
                               "param l = 1 [m]\n"
                               "coord x, y [m]\n"
                               "particle P : 2 [kg] at (x, y)\n"
                               "gravity 9.81 [m/s^2] along -y\n"
                               "constraint rod : x^2 + y^2 = l^2\n"
                               "force damper (x, y) = -0.1 [kg/s]*(x', y')\n"
                               "event tick : every 0.3 [s]\n"
                               "start x = 0.6 [m], y = -0.8 [m]\n";

static void test_resume__is_the_same_motion(void **state) {
    (void)state;
    compare(PENDULUM, 4, NULL, false);
    compare(PENDULUM, 4, "hamilton", false);
    compare(PENDULUM, 4, "vakonomic", false);
    compare(PENDULUM, 4, NULL, true);
}

/* parameters set, constraints switched and variants chosen by events are taken up again */
static void test_resume__knows_what_events_did(void **state) {
    (void)state;
    compare("model much\n"
            "param c = 0.1 [kg/s], d = 2*c, e = 1 [N]\n"
            "coord x, y [m]\n"
            "particle P : 2 [kg] at (x, y)\n"
            "force drag (x, y) = -d*(x', y')\n"
            "force pull (x, y) = (e, e/2)\n"
            "constraint rail off : y' = x'\n"
            "constraint stop : y' = 0\n"
            "event a : every 100 [s] from 0.5 [s], set c = 0.7 [kg/s]\n"
            "event b : every 100 [s] from 0.6 [s], switch off stop, on rail\n"
            "event c1 : every 100 [s] from 0.7 [s], variant other\n"
            "event d1 : every 100 [s] from 1.7 [s], variant none\n"
            "variant other\n"
            "    param e = 3 [N]\n"
            "end\n",
            2, NULL, false);
}

/* a result that ends just before an event, nearer than an event function is armed by itself */
static void test_resume__just_before_an_event(void **state) {
    (void)state;
    const char *text = "model saw\n"
                       "state a [1] : a' = 1 [1/s]\n"
                       "state n [1] : n' = 0\n"
                       "event hit : a - 1 rising, set a = 0, n = n + 1\n";
    const char *methods[] = {"adams", "bdf", "ida", "erk", "rk54", "rk87", "radau"};
    const double before[] = {1e-7, 1e-9, 1e-11, 1e-13, 1e-15};
    for (int k = 0; k < 7 * 5; k++) {
        simulation first = simulation_make(1 - before[k % 5]), rest;
        first.options.run.method = methods[k / 5];
        simulation_run(&first, text);
        assert_done(&first);
        zw_table *kept = through_a_file(zw_sim_rows(first.sim));
        resume(&rest, kept, NULL, 2.5);
        assert_done(&rest);
        assert_close(at(zw_sim_rows(rest.sim), -1, "a"), 0.5, SAME);
        assert_close(at(zw_sim_rows(rest.sim), -1, "n"), 2, 0);
        zw_table_destroy(kept);
        simulation_clear(&first);
        simulation_clear(&rest);
    }
}

/* A method with a fixed step that remembers nothing goes on as if it had never stopped. That which
 * keeps the energy remembers it, and takes that of the last row instead: the same up to
 * rounding. */
static void test_resume__is_exact_with_fixed_steps(void **state) {
    (void)state;
    const char text[] = "model oscillator\n"
                        "coord x [m]\n"
                        "particle P : 1 [kg] at (x, 0)\n"
                        "potential x^2*1 [N/m] + x^4*1 [N/m^3]\n"
                        "start x = 1 [m]\n";
    const char *methods[] = {"rattle", "energy"};
    for (int k = 0; k < 2; k++) {
        simulation whole = simulation_make(2), half = simulation_make(1), rest;
        whole.options.run.method = half.options.run.method = methods[k];
        whole.options.run.step = half.options.run.step = 1 / 64.0;
        whole.options.step_out = half.options.step_out = 1 / 16.0;
        simulation_run(&whole, text);
        assert_done(&whole);
        simulation_run(&half, text);
        assert_done(&half);
        zw_table *kept = through_a_file(zw_sim_rows(half.sim));
        resume(&rest, kept, NULL, 2);
        assert_done(&rest);
        const zw_table *a = zw_sim_rows(whole.sim), *b = zw_sim_rows(rest.sim);
        assert_int_equal(zw_table_rows(a), zw_table_rows(b));
        for (long i = 0; i < zw_table_rows(a); i++)
            assert_close(at(a, i, "x"), at(b, i, "x"), k ? 1e-13 : 0);
        zw_table_destroy(kept);
        simulation_clear(&whole);
        simulation_clear(&half);
        simulation_clear(&rest);
    }
}

static void test_resume__with_a_change(void **state) {
    (void)state;
    simulation first = simulation_make(1), rest;
    simulation_run(&first, "model free\n"
                           "param F = 0 [N], G = 2*F\n"
                           "coord x [m]\n"
                           "particle P : 1 [kg] at (x, 0)\n"
                           "force push (x) = G\n"
                           "start x' = 1 [m/s]\n");
    assert_done(&first);
    const char *set[] = {"F=3N"};
    zw_model_options more = {.nset = 1, .set = set};
    zw_model_source change = {.options = &more};
    resume(&rest, zw_sim_rows(first.sim), &change, 3);
    assert_done(&rest);
    assert_close(at(zw_sim_rows(rest.sim), -1, "x"), 1 + 2 + 6 * 4 / 2.0, SAME);
    simulation_clear(&first);
    simulation_clear(&rest);
}

static void test_resume__refuses(void **state) {
    (void)state;
    simulation first = simulation_make(1), rest;
    simulation_run(&first, PENDULUM);
    assert_done(&first);
    assert_int_equal(resume(&rest, zw_sim_rows(first.sim), NULL, 0.5), ZW_E_OPTION);
    assert_text_has(rest.err.text, "before it starts at 1 s");
    simulation_clear(&rest);
    assert_int_equal(resume(&rest, zw_sim_events(first.sim), NULL, 2), ZW_E_FILE);
    assert_text_has(rest.err.text, "table of events");
    simulation_clear(&rest);
    zw_table *bare = zw_table_create(NULL);
    assert_int_equal(zw_table_column(bare, "t", "s"), ZW_OK);
    assert_int_equal(resume(&rest, bare, NULL, 2), ZW_E_FILE);
    assert_text_has(rest.err.text, "text of its model");
    simulation_clear(&rest);
    zw_table_destroy(bare);
    simulation_clear(&first);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resume__is_the_same_motion),
        cmocka_unit_test(test_resume__knows_what_events_did),
        cmocka_unit_test(test_resume__just_before_an_event),
        cmocka_unit_test(test_resume__is_exact_with_fixed_steps),
        cmocka_unit_test(test_resume__with_a_change),
        cmocka_unit_test(test_resume__refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
