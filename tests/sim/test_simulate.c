/* SPDX-License-Identifier: MIT */
/* The simulation as a C program sees it: closed forms, endings, faults by name, memory. */
#include "support/failing_allocator.h"
#include "support/simulation.h"

static const char OSCILLATOR[] = "model oscillator\n"
                                 "param m = 2 [kg], k = 8 [N/m]\n"
                                 "coord x [m]\n"
                                 "particle P : m at (x, 0)\n"
                                 "potential 1/2*k*x^2\n"
                                 "observe twice = 2*x\n"
                                 "event zero : x falling record\n"
                                 "event end : t - 3 [s] rising stop\n"
                                 "start x = 0.5 [m]\n";

/* what a run at a relative tolerance of 1e-11 may be off after some hundred steps */
#define GLOBAL 1e-8

/* x = 1/2 cos 2t */
static void test_simulate__closed_form(void **state) {
    (void)state;
    simulation s = simulation_make(2.5);
    s.options.step_out = 0.25;
    simulation_run(&s, OSCILLATOR);
    assert_done(&s);
    const zw_table *rows = zw_sim_rows(s.sim), *events = zw_sim_events(s.sim);
    assert_int_equal(zw_table_rows(rows), 11);
    for (long i = 0; i < 11; i++) {
        double t = 0.25 * (double)i;
        assert_close(at(rows, i, "t"), t, 1e-15);
        assert_close(at(rows, i, "x"), 0.5 * cos(2 * t), GLOBAL);
        assert_close(at(rows, i, "x'"), -sin(2 * t), GLOBAL);
        assert_close(at(rows, i, "twice"), cos(2 * t), GLOBAL);
        assert_close(at(rows, i, "energy"), 1, GLOBAL);
    }
    assert_int_equal(zw_table_rows(events), 1);
    assert_close(at(events, 0, "t"), acos(-1) / 4, 1e-10);
    zw_sim_info info = zw_sim_statistics(s.sim);
    assert_int_equal(info.ending, ZW_SIM_REACHED_END);
    assert_int_equal(info.events, 1);
    assert_int_equal(info.nstate, 2);
    assert_string_equal(note_of(rows, "ended"), "reached the end");
    assert_string_equal(note_of(rows, "param k"), "8 N/m");
    assert_string_equal(note_of(rows, "text"), OSCILLATOR);
    simulation_clear(&s);
}

static void test_simulate__event_ends_it(void **state) {
    (void)state;
    simulation s = simulation_make(10);
    simulation_run(&s, OSCILLATOR);
    assert_done(&s);
    assert_int_equal(zw_sim_statistics(s.sim).ending, ZW_SIM_EVENT);
    assert_close(at(zw_sim_rows(s.sim), -1, "t"), 3, 1e-12);
    assert_close(at(zw_sim_rows(s.sim), -1, "x"), 0.5 * cos(6), GLOBAL);
    simulation_clear(&s);
}

static void test_simulate__another_start_time(void **state) {
    (void)state;
    simulation s = simulation_make(1);
    s.options.start = -1;
    simulation_run(&s, OSCILLATOR);
    assert_done(&s);
    assert_close(at(zw_sim_rows(s.sim), 0, "t"), -1, 0);
    assert_close(at(zw_sim_rows(s.sim), -1, "x"), 0.5 * cos(4), GLOBAL);
    simulation_clear(&s);
}

/* asked after every step and every row: never goes back */
static bool stop_at_half(void *user, double done) {
    double *last = user;
    assert_true(done >= *last);
    *last = done;
    return done >= 0.5;
}

static void test_simulate__interrupt_keeps_the_rows(void **state) {
    (void)state;
    double last = 0;
    simulation s = simulation_make(2);
    s.options.stop = stop_at_half;
    s.options.user = &last;
    simulation_run(&s, OSCILLATOR);
    assert_int_equal(s.status, ZW_STOPPED);
    assert_in_range(zw_table_rows(zw_sim_rows(s.sim)), 501, 502); /* a step beyond may be there */
    assert_string_equal(note_of(zw_sim_rows(s.sim), "ended"), "stopped by the user");
    simulation_clear(&s);
}

static bool stop_when_asked_again(void *user, double done) {
    int *asked = user;
    (void)done;
    return ++*asked == 50;
}

/* a run with two rows is asked after its steps */
static void test_simulate__is_asked_between_rows(void **state) {
    (void)state;
    const char *methods[] = {"auto", "rk54", "radau", "bdf", "erk"};
    for (int i = 0; i < 5; i++) {
        int asked = 0;
        simulation s = simulation_make(2.9);
        s.options.step_out = 2.9;
        s.options.run.method = methods[i];
        s.options.run.step = i == 4 ? 1e-2 : 0;
        s.options.run.step_max = i == 4 ? 0 : 1e-2;
        s.options.stop = stop_when_asked_again;
        s.options.user = &asked;
        simulation_run(&s, OSCILLATOR);
        assert_int_equal(s.status, ZW_STOPPED);
        assert_int_equal(asked, 50);
        assert_in_range(zw_sim_statistics(s.sim).run.steps, 40, 60);
        simulation_clear(&s);
    }
}

/* x = 1/(1 - t) reaches infinity at t = 1: what was computed before is there */
static void test_simulate__failure_keeps_the_rows(void **state) {
    (void)state;
    simulation s = simulation_make(2);
    simulation_run(&s, "model pole\n"
                       "units none\n"
                       "coord x\n"
                       "kinetic x'^2/2\n"
                       "force (x) = 2*x^3\n"
                       "start x = 1, x' = 1\n");
    assert_true(s.status < 0);
    const zw_table *rows = zw_sim_rows(s.sim);
    assert_true(zw_table_rows(rows) >= 490);
    for (long i = 0; i < 450; i++)
        assert_close(at(rows, i, "x") * (1 - at(rows, i, "t")), 1, 1e-6);
    assert_string_equal(note_of(rows, "ended"), "failed");
    simulation_clear(&s);
}

static void test_simulate__faults_have_names(void **state) {
    (void)state;
    simulation s = simulation_make(1);
    simulation_run(&s, "model stuck\n"
                       "param l = 1 [m]\n"
                       "coord x, y [m]\n"
                       "particle P : 1 [kg] at (x, y)\n"
                       "constraint rod : x^2 + y^2 = l^2\n"
                       "start x = 2 [m], y = 0\n");
    assert_int_equal(s.status, ZW_E_START);
    assert_text_has(s.err.text, "constraint rod");
    assert_int_equal(s.err.line, 5);
    simulation_clear(&s);
}

/* time, state and the part of the model to blame */
static void test_simulate__infinite_values_have_a_place(void **state) {
    (void)state;
    simulation s = simulation_make(2);
    simulation_run(&s, "model edge\n"
                       "coord x [m]\n"
                       "particle P : 1 [kg] at (x, 0)\n"
                       "force push (x) = 1 [N]*sqrt(1 - x^2/1 [m^2])\n"
                       "start x = 0.5 [m]\n");
    assert_int_equal(s.status, ZW_E_NONFINITE);
    assert_text_has(s.err.text, "force push has no finite value at t = ");
    assert_text_has(s.err.text, "sqrt(-");
    assert_text_has(s.err.hint, "x = 1");
    assert_int_equal(s.err.line, 4);
    assert_close(at(zw_sim_rows(s.sim), -1, "x"), 1, 1e-6);
    simulation_clear(&s);
}

static void refuses(zw_sim_options options, const char *why) {
    simulation s = {.options = options};
    simulation_create(&s, OSCILLATOR);
    assert_int_equal(s.status, ZW_E_OPTION);
    assert_null(s.sim);
    assert_text_has(s.err.text, why);
    simulation_clear(&s);
}

static void test_simulate__refuses_absurd_options(void **state) {
    (void)state;
    zw_sim_options o = zw_sim_options_default();
    o.until = -1;
    refuses(o, "before it starts");
    o = zw_sim_options_default();
    o.step_out = -1;
    refuses(o, "negative");
    o = zw_sim_options_default();
    o.until = INFINITY;
    refuses(o, "finite");
    o = zw_sim_options_default();
    o.step_out = 1e-9;
    o.memory_max = 1e9;
    refuses(o, "GB are allowed");
    o = zw_sim_options_default();
    o.run.rtol = 1e-30;
    refuses(o, "rtol");
}

/* everything that allocates on the way: jumps, switches, variants, works */
static const char EVENTFUL[] = "model eventful\n"
                               "param c = 0.1 [kg/s], d = 2*c\n"
                               "coord x, y [m]\n"
                               "particle P : 2 [kg] at (x, y)\n"
                               "force drag (x, y) = -d*(x', y')\n"
                               "force pull (x, y) = (1 [N], 0.5 [N])\n"
                               "constraint rail off : y = x\n"
                               "observe r = x + y\n"
                               "event a : every 9 [s] from 0.2 [s], set c = 0.7 [kg/s], x' = 0\n"
                               "event b : every 9 [s] from 0.3 [s], set y = x, switch on rail\n"
                               "event v : every 9 [s] from 0.4 [s], variant other\n"
                               "event w : every 9 [s] from 0.6 [s], switch off rail, variant none\n"
                               "variant other\n"
                               "    remove pull\n"
                               "end\n";

static double *last_fraction;

static bool note_fraction(void *user, double fraction) {
    (void)user;
    *last_fraction = fraction;
    return false;
}

/* ---- programs compiled with another version of the header ---- */

/* an outer struct that ends earlier around an inner one that ends earlier */
typedef struct old_options {
    size_t size;
    double start, until, step_out, memory_max;
    zw_jit jit;
    bool energy;
    const char *principle;
    struct {
        size_t size;
        double rtol, atol;
    } run;
    bool (*stop)(void *user, double done);
} old_options;
typedef struct old_info {
    zw_sim_ending ending;
    double t;
    long events;
    double accumulation;
    const char *principle;
    char method[160];
    int nstate, nconstraint;
    struct {
        long steps;
    } run;
} old_info;

static void test_simulate__options_of_an_older_version(void **state) {
    (void)state;
    double fraction = 0;
    simulation now = simulation_make(1);
    now.options.step_out = 0.25;
    simulation_run(&now, OSCILLATOR);
    struct {
        old_options options;
        double guard;
    } old = {.guard = 77};
    zw_sim_options_init((zw_sim_options *)(void *)&old.options, sizeof old.options,
                        sizeof old.options.run);
    assert_close(old.guard, 77, 0);
    assert_int_equal(old.options.size, sizeof old.options);
    assert_int_equal(old.options.run.size, sizeof old.options.run);
    assert_close(old.options.run.rtol, 1e-8, 0);
    old.options.until = 1;
    old.options.step_out = 0.25;
    old.options.run.rtol = 1e-11;
    old.options.run.atol = 1e-13;
    old.options.stop = note_fraction;
    last_fraction = &fraction;
    zw_sim *sim;
    zw_error err = {0};
    zw_model_source source = {OSCILLATOR, sizeof OSCILLATOR - 1, "test.zw", NULL};
    assert_int_equal(zw_sim_create(&sim, now.sys, &source,
                                   (const zw_sim_options *)(const void *)&old.options, &err),
                     ZW_OK);
    assert_int_equal(zw_sim_run(sim, &err), ZW_OK);
    assert_close(fraction, 1, 1e-15); /* what lies behind the inner struct was found */
    assert_close(at(zw_sim_rows(sim), -1, "x"), at(zw_sim_rows(now.sim), -1, "x"), 0);
    assert_string_equal(note_of(zw_sim_rows(sim), "options"),
                        note_of(zw_sim_rows(now.sim), "options"));
    struct {
        old_info info;
        long guard;
    } told = {.guard = 77};
    zw_sim_fill_statistics(sim, (zw_sim_info *)(void *)&told.info, sizeof told.info,
                           sizeof told.info.run);
    assert_int_equal(told.guard, 77);
    assert_int_equal(told.info.nstate, 2);
    assert_int_equal(told.info.run.steps, zw_sim_statistics(sim).run.steps);
    old_options again;
    assert_int_equal(zw_sim_options_read((zw_sim_options *)(void *)&again, sizeof again,
                                         sizeof again.run, zw_sim_rows(sim), &err),
                     ZW_OK);
    assert_close(again.run.rtol, 1e-11, 0);
    assert_close(again.step_out, 0.25, 0);
    zw_sim_destroy(sim);
    simulation_clear(&now);
}

static void test_simulate__options_of_a_newer_version(void **state) {
    (void)state;
    simulation s = simulation_make(1);
    struct {
        zw_sim_options known;
        double more;
    } newer;
    memset(&newer, 0x55, sizeof newer);
    zw_sim_options_init(&newer.known, sizeof newer, sizeof newer.known.run);
    assert_close(newer.more, 0, 0);
    simulation_create(&s, OSCILLATOR);
    zw_sim *sim;
    assert_int_equal(zw_sim_create(&sim, s.sys, NULL, &newer.known, NULL), ZW_OK);
    zw_sim_destroy(sim);
    newer.more = 1;
    assert_int_equal(zw_sim_create(&sim, s.sys, NULL, &newer.known, &s.err), ZW_E_OPTION);
    assert_text_has(s.err.text, "zw_sim_options: an option that this version");
    simulation_clear(&s);
}

/* ---- memory ---- */

static zw_status go_on(const zw_table *result, const zw_allocator *alloc) {
    zw_context *ctx = zw_context_create(alloc);
    zw_sim *sim = NULL;
    zw_sim_options options;
    zw_status status = ctx ? zw_sim_options_of(&options, result, NULL) : ZW_E_MEMORY;
    options.until = 1.2;
    options.jit = ZW_JIT_NEVER;
    if (status >= 0)
        status = zw_sim_resume(&sim, ctx, result, NULL, &options, NULL);
    if (status >= 0)
        status = zw_sim_run(sim, NULL);
    zw_sim_destroy(sim);
    zw_context_destroy(ctx);
    return status;
}

static zw_status whole_life(const zw_allocator *alloc, long *rows) {
    zw_context *ctx = zw_context_create(alloc);
    zw_system *sys = NULL;
    zw_sim *sim = NULL;
    zw_sim_options options = zw_sim_options_default();
    options.until = 1;
    options.step_out = 0.1;
    options.jit = ZW_JIT_NEVER;
    options.energy = true;
    zw_model_source source = {EVENTFUL, sizeof EVENTFUL - 1, "test.zw", NULL};
    zw_error err = {0};
    zw_status status =
        ctx ? zw_model_parse(&sys, ctx, EVENTFUL, source.length, "test.zw", NULL, &err)
            : ZW_E_MEMORY;
    if (status >= 0)
        status = zw_sim_create(&sim, sys, &source, &options, &err);
    if (status >= 0)
        status = zw_sim_run(sim, &err);
    if (status >= 0)
        status = go_on(zw_sim_rows(sim), alloc);
    *rows = status >= 0 ? zw_table_rows(zw_sim_rows(sim)) : 0;
    zw_sim_destroy(sim);
    zw_context_destroy(ctx);
    return status;
}

static void test_simulate__survives_lack_of_memory(void **state) {
    (void)state;
    for (long n = 1;; n = failing_allocator_next(n)) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        long rows;
        zw_status status = whole_life(&alloc, &rows);
        assert_int_equal(f.blocks, 0);
        assert_int_equal(f.bytes, 0);
        if (!f.failed) {
            assert_int_equal(status, ZW_OK);
            break;
        }
        if (status >= 0) /* a table that cannot double its room may do with less */
            assert_int_equal(rows, 11 + 4); /* 4 of them before and after a jump */
    }
}

/* A pulse of a table is not stepped over: neither one of the model nor one of a signal, at the
 * start or later. */
static void test_simulate__pulses_of_tables(void **state) {
    (void)state;
    const char *methods[] = {"adams", "bdf", "ida", "erk", "rk54", "rk87", "radau"};
    const char *text = "model pulses\n"
                       "input a = table (0, 0), (10 [s], 0), (10.001 [s], 1), (10.002 [s], 0)\n"
                       "input b = table (0, 0), (0.001 [s], 1), (0.002 [s], 0)\n"
                       "input c = signal [1]\n"
                       "state r, s, u [s] : r' = a, s' = b, u' = c\n";
    const char *set[] = {"c=table (0, 0), (15 [s], 0), (15.001 [s], 1), (15.002 [s], 0)"};
    for (int k = 0; k < 7; k++) {
        simulation s = simulation_make(20);
        s.options.run.method = methods[k];
        s.options.step_out = 20;
        s.model.nset = 1;
        s.model.set = set;
        simulation_run(&s, text);
        assert_done(&s);
        assert_close(at(zw_sim_rows(s.sim), -1, "r"), 1e-3, 1e-8);
        assert_close(at(zw_sim_rows(s.sim), -1, "s"), 1e-3, 1e-8);
        assert_close(at(zw_sim_rows(s.sim), -1, "u"), 1e-3, 1e-8);
        assert_true(zw_sim_statistics(s.sim).run.steps >
                    8); /* of all pieces, not of the last one */
        simulation_clear(&s);
    }
}

/* By the vakonomic principle the multiplier is an impulse and its column says so; lambda in
 * expressions is the force, as it is by every principle. */
static void test_simulate__vakonomic_multipliers(void **state) {
    (void)state;
    const char *text = "model ramp\n"
                       "coord x, y [m], ph [rad]\n"
                       "particle P : 2 [kg] at (x, y)\n"
                       "kinetic 1/2*1 [kg*m^2]*ph'^2\n"
                       "gravity 10 [m/s^2] along -y\n"
                       "constraint ramp : y = 0.75*x\n"
                       "constraint turn : ph = 2 [1/m]*x\n"
                       "observe push = lambda(ramp)\n"
                       "event strong : lambda(ramp) - 100 [N] rising\n"
                       "start x' = 1 [m/s]\n";
    simulation s = simulation_make(1), v = simulation_make(1);
    v.options.principle = "vakonomic";
    s.options.step_out = v.options.step_out = 0.25;
    simulation_run(&s, text);
    simulation_run(&v, text);
    assert_done(&s);
    assert_done(&v);
    const zw_table *a = zw_sim_rows(s.sim), *b = zw_sim_rows(v.sim);
    assert_string_equal(zw_table_unit(a, zw_table_find(a, "lambda(ramp)")), "N");
    assert_string_equal(zw_table_unit(b, zw_table_find(b, "lambda(ramp)")), "N*s");
    assert_string_equal(zw_table_unit(a, zw_table_find(a, "lambda(turn)")), "J");
    assert_string_equal(zw_table_unit(b, zw_table_find(b, "lambda(turn)")), "J*s");
    for (int i = 0; i < 5; i++) {
        double force = at(a, i, "lambda(ramp)");
        assert_close(at(b, i, "push"), force, 1e-9);
        assert_close(at(b, i, "lambda(ramp)"), 0.25 * i * force, 1e-9); /* it is constant */
    }
    assert_int_equal(zw_table_rows(zw_sim_events(v.sim)), 0);
    simulation_clear(&s);
    simulation_clear(&v);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simulate__closed_form),
        cmocka_unit_test(test_simulate__event_ends_it),
        cmocka_unit_test(test_simulate__another_start_time),
        cmocka_unit_test(test_simulate__interrupt_keeps_the_rows),
        cmocka_unit_test(test_simulate__is_asked_between_rows),
        cmocka_unit_test(test_simulate__failure_keeps_the_rows),
        cmocka_unit_test(test_simulate__faults_have_names),
        cmocka_unit_test(test_simulate__infinite_values_have_a_place),
        cmocka_unit_test(test_simulate__refuses_absurd_options),
        cmocka_unit_test(test_simulate__options_of_an_older_version),
        cmocka_unit_test(test_simulate__options_of_a_newer_version),
        cmocka_unit_test(test_simulate__pulses_of_tables),
        cmocka_unit_test(test_simulate__vakonomic_multipliers),
        cmocka_unit_test(test_simulate__survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
