/* SPDX-License-Identifier: MIT */
/* A simulation driven step by step: the bits of zw_sim_run, states that are saved and restored,
 * inputs that jump against closed forms, early returns, wrong use, memory. */
#include "support/failing_allocator.h"
#include "support/simulation.h"

static const char MASS[] = "model mass\n"
                           "param m = 2 [kg]\n"
                           "coord x [m]\n"
                           "particle P : m at (x, 0)\n"
                           "input u = signal [N]\n"
                           "force push (x) = u\n"
                           "start x = 1 [m], x' = 0\n";

/* an event that sets a velocity, a clock that switches a constraint and a parameter, a variant */
static const char BEAD[] =
    "model bead\n"
    "param m = 2 [kg], g = 10 [m/s^2], L = 1 [m], h = 2*L, e = 0.5\n"
    "coord x, y [m]\n"
    "particle P : m at (x, y)\n"
    "gravity g along -y\n"
    "constraint wire : x^2 + (y - h)^2 = L^2\n"
    "constraint rail off : y - x/8 = 0\n"
    "event free : every 90 [s] from 0.4 [s], switch off wire, set e = (3 + e)/4\n"
    "event floor : y falling, set y' = -e*y'\n"
    "event catch : every 90 [s] from 1.6 [s], set y = x/8, set y' = x'/8, switch on rail\n"
    "event swap : every 0.75 [s] from 2.1 [s], variant heavy\n"
    "event back : every 0.75 [s] from 2.4 [s], variant none\n"
    "start x = L, y = h\n"
    "variant heavy\n"
    "    param m = 5 [kg]\n"
    "end\n";

static const char STICK_SLIP[] = "model stick_slip\n"
                                 "units none\n"
                                 "param m = 1, k = 1, v = 0.2, F_s = 1, F_k = 0.5, slips = 0\n"
                                 "coord x\n"
                                 "particle block : m at (x, 0, 0)\n"
                                 "potential k*x^2/2\n"
                                 "constraint stick : x' = v\n"
                                 "force friction (x) = slips*F_k\n"
                                 "start x = 0\n"
                                 "event tear  : F_s - lambda(stick) falling, switch off stick, "
                                 "set slips = 1\n"
                                 "event catch : v - x' falling, switch on stick, set slips = 0\n"
                                 "observe grip = lambda(stick) + slips*F_k\n";

/* a block that is thrown onto a floor, bounces, slides and comes to rest */
static const char BLOCK[] = "model block\n"
                            "param m = 1 [kg], g = 10 [m/s^2], e = 0.4, mu = 0.3\n"
                            "coord x, y [m]\n"
                            "particle P : m at (x, y)\n"
                            "gravity g along -y\n"
                            "contact floor : gap y, slip (x'), law newton(e) + coulomb(mu)\n"
                            "start y = 0.5 [m], x' = 2 [m/s]\n";

static const char DUFFING[] = "model duffing\n"
                              "units none\n"
                              "coord x\n"
                              "particle P : 1 at (x, 0)\n"
                              "potential x^4/4 - x^2/2\n"
                              "force damping (x) = -0.2*x' + 0.3*cos(1.2*t)\n"
                              "observe square = x^2\n"
                              "start x = 1, x' = 0\n";

typedef struct plant {
    zw_context *ctx;
    zw_system *sys;
    zw_sim_options options;
    zw_drive *drive;
    zw_error err;
    zw_status status;
} plant;

static plant plant_make(const char *text, const zw_sim_options *options) {
    plant p = {.ctx = zw_context_create(NULL), .options = *options};
    zw_model_source source = {text, strlen(text), "test.zw", NULL};
    p.status = zw_model_parse(&p.sys, p.ctx, text, source.length, source.file, NULL, &p.err);
    if (p.status >= 0)
        p.status = zw_drive_create(&p.drive, p.sys, &source, options, &p.err);
    if (p.status < 0)
        fail_msg("%s", p.err.text);
    return p;
}

static void plant_clear(plant *p) {
    zw_drive_destroy(p->drive);
    zw_context_destroy(p->ctx);
}

static void plant_to(plant *p, double t) {
    p->status = zw_drive_to(p->drive, t, &p->err);
    if (p->status != ZW_OK)
        fail_msg("status %d: %s", (int)p->status, p->err.text);
}

static zw_sim_options options_until(double until, double step_out) {
    zw_sim_options o = zw_sim_options_default();
    o.until = until;
    o.step_out = step_out;
    o.run.rtol = 1e-9;
    o.run.atol = 1e-11;
    return o;
}

static void assert_bits(const double *a, const double *b, int n, double t) {
    for (int i = 0; i < n; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) != 0)
            fail_msg("entry %d at t = %g: %.17g and %.17g", i, t, a[i], b[i]);
}

/* ---- the same bits as a run ---- */

static void compare_with_run(const char *text, zw_sim_options o) {
    simulation s = simulation_make(0);
    plant p = plant_make(text, &o);
    s.options = o;
    simulation_run(&s, text);
    assert_done(&s);
    const zw_table *rows = zw_sim_rows(s.sim);
    int n = zw_table_columns(rows);
    assert_int_equal(n, zw_table_columns(zw_drive_columns(p.drive)));
    assert_string_equal(zw_table_name(rows, n - 1),
                        zw_table_name(zw_drive_columns(p.drive), n - 1));
    const double *data = zw_table_data(rows);
    long k = 1, last = zw_table_rows(rows);
    for (long i = 0;; i++, k++) {
        double t = o.start + (double)i * o.step_out;
        while (k < last && data[k * n] < t - 1e-9) /* rows of events */
            k++;
        if (i == 0)
            k = 0;
        if (t > o.until + 1e-9)
            break;
        if (i > 0)
            plant_to(&p, fmin(t, o.until));
        if (k + 1 < last && data[(k + 1) * n] == data[k * n])
            continue; /* an event at the time of a row: there are several */
        const double *row = zw_drive_row(p.drive);
        for (int c = 0; c < n;
             c++) /* impulses since the row before: a run has rows at events too */
            if (strncmp(zw_table_name(rows, c), "impulse", 7) != 0)
                assert_bits(data + k * n + c, row + c, 1, t);
    }
    assert_int_equal(zw_sim_statistics(s.sim).events,
                     zw_sim_statistics(zw_drive_sim(p.drive)).events);
    assert_int_equal(zw_sim_statistics(s.sim).run.steps,
                     zw_sim_statistics(zw_drive_sim(p.drive)).run.steps);
    simulation_clear(&s);
    plant_clear(&p);
}

static void test_drive__bits_of_a_run(void **state) {
    (void)state;
    const char *methods[] = {"auto", "rk54", "radau", "bdf", "adams"};
    for (int i = 0; i < 5; i++) {
        zw_sim_options o = options_until(10, 0.25);
        o.run.method = methods[i];
        compare_with_run(DUFFING, o);
    }
    compare_with_run(BEAD, options_until(3.5, 0.11));
    compare_with_run(STICK_SLIP, options_until(20, 0.3));
}

static void test_drive__bits_of_a_run_with_contacts(void **state) {
    (void)state;
    zw_sim_options o = options_until(2, 0.05);
    o.contacts = ZW_SIM_CONTACTS_EVENTS;
    compare_with_run(BLOCK, o);
    o.contacts = ZW_SIM_CONTACTS_MOREAU;
    o.run.step = 1e-3;
    compare_with_run(BLOCK, o);
}

/* ---- saving and restoring ---- */

/* To t1, on to t2, back, again to t2, with and without another motion between; n rows on the way
 * must be the same. The save itself must not change the motion where it says so. */
static void go_twice(const char *text, zw_sim_options o, double t1, double t2, bool untouched) {
    enum { ROWS = 8, COLUMNS = 64 };
    double first[ROWS][COLUMNS], t;
    zw_drive_saved *saved, *later;
    plant p = plant_make(text, &o), q = plant_make(text, &o);
    int n = zw_table_columns(zw_drive_columns(p.drive));
    assert_true(n <= COLUMNS);
    plant_to(&p, t1);
    assert_int_equal(zw_drive_save(p.drive, &saved, &p.err), ZW_OK);
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < ROWS; i++) {
            t = t1 + (t2 - t1) * (i + 1) / ROWS;
            plant_to(&p, t);
            const double *row = zw_drive_row(p.drive);
            if (round == 0)
                memcpy(first[i], row, sizeof *row * (size_t)n);
            assert_bits(first[i], row, n, t);
        }
        if (round == 1) { /* another motion between, which needs everything */
            assert_int_equal(zw_drive_save(p.drive, &later, &p.err), ZW_OK);
            assert_int_equal(zw_drive_start(p.drive, 0, NULL, &p.err), ZW_OK);
            plant_to(&p, t1);
            assert_int_equal(zw_drive_restore(p.drive, later, &p.err), ZW_OK);
            assert_bits(first[ROWS - 1], zw_drive_row(p.drive), n, t2);
            if (round == 1)
                zw_drive_forget(p.drive, later);
        }
        assert_int_equal(zw_drive_restore(p.drive, saved, &p.err), ZW_OK);
        assert_true(zw_drive_time(p.drive) == t1);
    }
    plant_to(&q, t1);
    for (int i = 0; i < ROWS && untouched; i++) {
        t = t1 + (t2 - t1) * (i + 1) / ROWS;
        plant_to(&q, t);
        assert_bits(first[i], zw_drive_row(q.drive), n, t);
    }
    plant_clear(&p); /* with what is saved */
    plant_clear(&q);
}

static void test_drive__restores_every_method(void **state) {
    (void)state;
    const char *methods[] = {"auto", "rk54", "radau", "bdf", "adams", "ida"};
    for (int i = 0; i < 6; i++) {
        zw_sim_options o = options_until(10, 0.25);
        o.run.method = methods[i];
        go_twice(DUFFING, o, 3.3, 9, i < 3);
    }
    zw_sim_options fixed = options_until(10, 0.25);
    fixed.run.method = "erk";
    fixed.run.step = 0.01;
    go_twice(DUFFING, fixed, 3.3, 9, false);
    fixed.run.method = "rattle";
    go_twice(BEAD, fixed, 0.1, 0.35, true);
}

/* before the first event, between events, behind the last; all stages are new at the first save */
static void test_drive__restores_behind_events(void **state) {
    (void)state;
    const double at[] = {0.2, 0.4, 0.9, 1.7, 2.3, 2.4};
    for (int i = 0; i < 6; i++) {
        go_twice(BEAD, options_until(3.5, 0.1), at[i], 3.4, true);
        go_twice(STICK_SLIP, options_until(30, 0.1), 4 * at[i], 25, true);
    }
    zw_sim_options o = options_until(3.5, 0.1);
    o.energy = true;
    go_twice(BEAD, o, 0.9, 3.4, true);
    o.run.method = "bdf";
    go_twice(BEAD, o, 0.9, 3.4, false);
}

static void test_drive__restores_inside_contacts(void **state) {
    (void)state;
    const double at[] = {0.1, 0.35, 0.75, 0.85, 1.2};
    for (int i = 0; i < 5; i++) {
        zw_sim_options o = options_until(2, 0.05);
        o.contacts = ZW_SIM_CONTACTS_EVENTS;
        go_twice(BLOCK, o, at[i], 1.9, true);
        o.contacts = ZW_SIM_CONTACTS_MOREAU;
        o.run.step = 1e-3;
        go_twice(BLOCK, o, at[i], 1.9, true);
    }
}

/* What was changed after the save is taken back too: parameters, inputs, what follows them. */
static void test_drive__restores_parameters(void **state) {
    (void)state;
    zw_sim_options o = options_until(10, 0.1);
    const zw_sim_number heavy = {.name = "m", .value = 4};
    const zw_sim_numbers numbers = {.nparam = 1, .param = &heavy};
    double u = 2, x[2], y[2];
    zw_drive_saved *saved;
    plant p = plant_make(MASS, &o);
    assert_int_equal(zw_drive_change(p.drive, 0, NULL, &u, &p.err), ZW_OK);
    plant_to(&p, 1);
    assert_int_equal(zw_drive_save(p.drive, &saved, &p.err), ZW_OK);
    plant_to(&p, 2);
    assert_int_equal(zw_drive_state(p.drive, x, &p.err), ZW_OK);
    u = -7;
    assert_int_equal(zw_drive_change(p.drive, 2, &numbers, &u, &p.err), ZW_OK);
    assert_true(zw_drive_parameters(p.drive)[0] == 4);
    plant_to(&p, 3);
    assert_int_equal(zw_drive_restore(p.drive, saved, &p.err), ZW_OK);
    assert_true(zw_drive_parameters(p.drive)[0] == 2);
    plant_to(&p, 2);
    assert_int_equal(zw_drive_state(p.drive, y, &p.err), ZW_OK);
    assert_bits(x, y, 2, 2);
    assert_close(y[0], 1 + 2, 1e-12); /* u/(2 m) t^2 */
    plant_clear(&p);
}

/* ---- inputs and numbers ---- */

/* a delay is constant along a motion: a change of what it is made of is refused, others are not */
static void test_drive__no_change_of_a_lag(void **state) {
    (void)state;
    zw_sim_options o = options_until(10, 0.1);
    zw_sim_number change = {.name = "a", .value = 2};
    const zw_sim_numbers numbers = {.nparam = 1, .param = &change};
    plant p = plant_make("model m\nunits none\nparam c = 1, tau = 2*c, a = 1\n"
                         "state x : x' = -a*y\ndelay y = x by tau\nstart x = 1\n",
                         &o);
    plant_to(&p, 1);
    assert_int_equal(zw_drive_change(p.drive, 1, &numbers, NULL, &p.err), ZW_OK);
    plant_to(&p, 2);
    change = (zw_sim_number){.name = "c", .value = 2};
    assert_int_equal(zw_drive_change(p.drive, 2, &numbers, NULL, &p.err), ZW_E_MODEL);
    assert_non_null(strstr(p.err.text, "changes the delay of y from 2 to 4 s"));
    plant_clear(&p);
}

/* The oscillator x'' = -w^2 x + u, u = u_k held from k h on: the exact map of each piece. */
static void test_drive__steps_of_an_input(void **state) {
    (void)state;
    const char *text = "model oscillator\n"
                       "units none\n"
                       "coord x\n"
                       "particle P : 1 at (x, 0)\n"
                       "potential 2*x^2\n"
                       "input u = signal\n"
                       "force push (x) = u\n"
                       "start x = 0.3, x' = -0.2\n";
    const char *methods[] = {"auto", "rk54", "radau", "bdf", "ida"};
    for (int m = 0; m < 5; m++) {
        zw_sim_options o = options_until(20, 0.1);
        double x = 0.3, v = -0.2, y[2], w = 2, h = 0.37;
        o.run.method = methods[m];
        o.run.rtol = 1e-12;
        o.run.atol = 1e-13;
        plant p = plant_make(text, &o);
        for (int k = 0; k < 40; k++) {
            double u = k % 3 == 0 ? 5 : k % 3 == 1 ? -3.5 : 0.25, at = u / (w * w);
            assert_int_equal(zw_drive_change(p.drive, h * k, NULL, &u, &p.err), ZW_OK);
            plant_to(&p, h * (k + 1));
            double c = cos(w * (h * (k + 1) - h * k)), s = sin(w * (h * (k + 1) - h * k)),
                   from = x - at;
            x = at + from * c + v / w * s;
            v = -from * w * s + v * c;
        }
        assert_int_equal(zw_drive_state(p.drive, y, &p.err), ZW_OK);
        assert_close(y[0], x, 1e-9);
        assert_close(y[1], v, 1e-9);
        plant_clear(&p);
    }
}

/* NaN gives a signal back to the model; a start forgets what was held */
static void test_drive__inputs_are_held_until_the_next_change(void **state) {
    (void)state;
    zw_sim_options o = options_until(10, 0.1);
    double u = 4, x[2];
    plant p = plant_make(MASS, &o);
    assert_int_equal(zw_drive_change(p.drive, 0, NULL, &u, &p.err), ZW_OK);
    plant_to(&p, 1);
    assert_int_equal(zw_drive_change(p.drive, 1, NULL, NULL, &p.err), ZW_OK);
    plant_to(&p, 2);
    u = NAN;
    assert_int_equal(zw_drive_change(p.drive, 2, NULL, &u, &p.err), ZW_OK);
    plant_to(&p, 3);
    assert_int_equal(zw_drive_state(p.drive, x, &p.err), ZW_OK);
    assert_close(x[1], 4, 1e-12); /* u/m for two seconds, then nothing */
    assert_close(x[0], 1 + 4 + 4, 1e-12);
    assert_int_equal(zw_drive_start(p.drive, 5, NULL, &p.err), ZW_OK);
    plant_to(&p, 6);
    assert_int_equal(zw_drive_state(p.drive, x, &p.err), ZW_OK);
    assert_close(x[0], 1, 1e-15);
    plant_clear(&p);
}

static void test_drive__starts_and_jumps_with_numbers(void **state) {
    (void)state;
    zw_sim_options o = options_until(10, 0.1);
    const zw_sim_number m = {.name = "m", .value = 8}, v = {.name = "x'", .value = -3},
                        place = {.index = 0, .value = 7};
    const zw_sim_numbers start = {.nparam = 1, .nstart = 1, .param = &m, .start = &v},
                         jump = {.nstart = 1, .start = &place};
    double x[2];
    plant p = plant_make(MASS, &o);
    assert_int_equal(zw_drive_start(p.drive, 1, &start, &p.err), ZW_OK);
    assert_true(zw_drive_parameters(p.drive)[0] == 8);
    plant_to(&p, 2);
    assert_int_equal(zw_drive_change(p.drive, 2, &jump, NULL, &p.err), ZW_OK);
    plant_to(&p, 3);
    assert_int_equal(zw_drive_state(p.drive, x, &p.err), ZW_OK);
    assert_close(x[0], 4, 1e-12);
    assert_close(x[1], -3, 1e-12);
    plant_clear(&p);
}

/* An entry that is given stays, the others follow onto the constraints. */
static void test_drive__a_jump_keeps_the_constraints(void **state) {
    (void)state;
    zw_sim_options o = options_until(3.5, 0.1);
    const zw_sim_number y = {.name = "y", .value = 1.5};
    const zw_sim_numbers jump = {.nstart = 1, .start = &y};
    double x[4];
    plant p = plant_make(BEAD, &o);
    plant_to(&p, 0.1);
    assert_int_equal(zw_drive_change(p.drive, 0.1, &jump, NULL, &p.err), ZW_OK);
    assert_int_equal(zw_drive_state(p.drive, x, &p.err), ZW_OK);
    assert_close(x[1], 1.5, 1e-15);
    assert_close(x[0], sqrt(0.75), 1e-12);
    assert_close(x[0] * x[2] + (x[1] - 2) * x[3], 0, 1e-12);
    plant_clear(&p);
}

/* ---- events ---- */

static void test_drive__returns_at_events(void **state) {
    (void)state;
    zw_sim_options o = options_until(3.5, 0.1);
    plant p = plant_make(BEAD, &o), q = plant_make(BEAD, &o);
    double t, x[4], y[4];
    int n = 0;
    bool free = false, heavy = false;
    while ((p.status = zw_drive_to_event(p.drive, 3.4, &p.err)) == ZW_EVENT) {
        assert_true(zw_drive_events(p.drive) > 0);
        const char *name = zw_drive_event(p.drive, 0, &t);
        assert_true(t == zw_drive_time(p.drive));
        free |= strcmp(name, "free") == 0 && t == 0.4;
        if (strcmp(name, "swap") == 0 && t == 2.1) /* it has acted */
            heavy = zw_drive_parameters(p.drive)[0] == 5 &&
                    strcmp(zw_sim_system(zw_drive_sim(p.drive))->variant, "heavy") == 0;
        n += zw_drive_events(p.drive);
        assert_false(zw_drive_has_ended(p.drive));
        assert_true(n < 100);
    }
    assert_int_equal(p.status, ZW_OK);
    assert_true(free && heavy);
    plant_to(&q, 3.4); /* the same motion, all events at once */
    assert_int_equal(zw_drive_events(q.drive), n);
    assert_int_equal(zw_drive_state(p.drive, x, &p.err), ZW_OK);
    assert_int_equal(zw_drive_state(q.drive, y, &q.err), ZW_OK);
    assert_bits(x, y, 4, 3.4);
    plant_clear(&p);
    plant_clear(&q);
}

/* an impact: sqrt(2 h/g), speed e sqrt(2 g h) behind it */
static void test_drive__returns_at_impacts(void **state) {
    (void)state;
    zw_sim_options o = options_until(2, 0.1);
    double x[4];
    o.contacts = ZW_SIM_CONTACTS_EVENTS;
    plant p = plant_make(BLOCK, &o);
    assert_int_equal(zw_drive_to_event(p.drive, 2, &p.err), ZW_EVENT);
    assert_close(zw_drive_time(p.drive), sqrt(0.1), 1e-9);
    assert_text_has(zw_drive_event(p.drive, 0, NULL), "floor");
    assert_int_equal(zw_drive_state(p.drive, x, &p.err), ZW_OK);
    assert_close(x[3], 0.4 * sqrt(10), 1e-8);
    plant_clear(&p);
}

static void test_drive__an_event_ends_it(void **state) {
    (void)state;
    const char *text = "model line\n"
                       "units none\n"
                       "state x : x' = 1\n"
                       "event end : x - 2 rising stop\n"
                       "start x = 0\n";
    zw_sim_options o = options_until(10, 0.1);
    zw_drive_saved *saved;
    plant p = plant_make(text, &o);
    plant_to(&p, 1);
    assert_int_equal(zw_drive_save(p.drive, &saved, &p.err), ZW_OK);
    assert_int_equal(zw_drive_to(p.drive, 5, &p.err), ZW_EVENT);
    assert_close(zw_drive_time(p.drive), 2, 1e-9);
    assert_true(zw_drive_has_ended(p.drive));
    assert_string_equal(zw_drive_event(p.drive, 0, NULL), "end");
    assert_int_equal(zw_drive_to(p.drive, 6, &p.err), ZW_E_OPTION);
    assert_text_has(p.err.text, "an event has ended the motion at t = 2");
    assert_int_equal(zw_drive_restore(p.drive, saved, &p.err), ZW_OK);
    assert_false(zw_drive_has_ended(p.drive));
    plant_to(&p, 1.5);
    plant_clear(&p);
}

/* ---- wrong use ---- */

static void test_drive__wrong_use_is_an_error(void **state) {
    (void)state;
    zw_sim_options o = options_until(10, 0.1);
    const zw_sim_number unknown = {.name = "mm", .value = 1}, bad = {.name = "m", .value = NAN};
    const zw_sim_numbers one = {.nparam = 1, .param = &unknown}, two = {.nparam = 1, .param = &bad};
    double u = INFINITY, x[2], y[2];
    zw_error err = {0};
    plant p = plant_make(MASS, &o);
    plant_to(&p, 1);
    zw_drive_state(p.drive, x, NULL);
    assert_int_equal(zw_drive_to(p.drive, 0.5, &err), ZW_E_OPTION);
    assert_text_has(err.text, "the motion is at t = 1 s and cannot go back to 0.5 s");
    err = (zw_error){0};
    assert_int_equal(zw_drive_to(p.drive, NAN, &err), ZW_E_OPTION);
    assert_text_has(err.text, "the time to go to is not finite");
    err = (zw_error){0};
    assert_int_equal(zw_drive_change(p.drive, 1, &one, NULL, &err), ZW_E_NAME);
    assert_text_has(err.text, "the model has no parameter 'mm'");
    assert_text_has(err.hint, "did you mean m?");
    err = (zw_error){0};
    assert_int_equal(zw_drive_change(p.drive, 1, &two, NULL, &err), ZW_E_NONFINITE);
    err = (zw_error){0};
    assert_int_equal(zw_drive_change(p.drive, 1, NULL, &u, &err), ZW_E_NONFINITE);
    assert_text_has(err.text, "the value of the signal 'u' is not finite");
    err = (zw_error){0};
    assert_int_equal(zw_drive_start(p.drive, INFINITY, NULL, &err), ZW_E_OPTION);
    assert_text_has(err.text, "the time of the start is not finite");
    zw_drive_state(p.drive, y, NULL); /* nothing has changed */
    assert_bits(x, y, 2, 1);
    plant_to(&p, 2);
    plant_clear(&p);
}

/* x = 1/(1 - t) reaches infinity: after that only another start is possible */
static void test_drive__a_failed_motion_must_start_again(void **state) {
    (void)state;
    const char *text = "model pole\n"
                       "units none\n"
                       "state x : x' = x^2\n"
                       "start x = 1\n";
    zw_sim_options o = options_until(10, 0.1);
    zw_drive_saved *saved, *none;
    zw_error err = {0};
    plant p = plant_make(text, &o);
    plant_to(&p, 0.5);
    assert_int_equal(zw_drive_save(p.drive, &saved, &err), ZW_OK);
    assert_true(zw_drive_to(p.drive, 2, &err) < 0);
    assert_null(zw_drive_row(p.drive));
    err = (zw_error){0};
    assert_int_equal(zw_drive_to(p.drive, 3, &err), ZW_E_OPTION);
    assert_text_has(err.text, "the motion has failed before");
    err = (zw_error){0};
    assert_int_equal(zw_drive_save(p.drive, &none, &err), ZW_E_OPTION);
    assert_null(none);
    assert_int_equal(zw_drive_restore(p.drive, saved, &err), ZW_OK);
    plant_to(&p, 0.75);
    assert_close(zw_drive_row(p.drive)[1], 4, 1e-7);
    assert_true(zw_drive_to(p.drive, 2, NULL) < 0);
    assert_int_equal(zw_drive_start(p.drive, 0, NULL, &err), ZW_OK);
    plant_to(&p, 0.5);
    plant_clear(&p);
}

/* ---- stopping ---- */

static bool stop_when_asked_again(void *user, double done) {
    int *left = user;
    assert_true(done >= 0 && done <= 1);
    return --*left == 0;
}

/* Where the caller stops it, it can go on, and nothing has happened. */
static void test_drive__goes_on_after_a_stop(void **state) {
    (void)state;
    zw_sim_options o = options_until(10, 0.1);
    int left = 25;
    o.stop = stop_when_asked_again;
    o.user = &left;
    plant p = plant_make(DUFFING, &o), q = plant_make(DUFFING, &o);
    left = 25;
    assert_int_equal(zw_drive_to(p.drive, 9, &p.err), ZW_STOPPED);
    assert_int_equal(left, 0);
    double t = zw_drive_time(p.drive);
    assert_true(t > 0 && t < 9);
    plant_to(&p, 9);
    plant_to(&q, 9);
    assert_bits(zw_drive_row(p.drive), zw_drive_row(q.drive), 4, 9);
    plant_clear(&p);
    plant_clear(&q);
}

/* ---- memory ---- */

static zw_status whole_life(const zw_allocator *alloc, const char *text, zw_sim_options o) {
    zw_context *ctx = zw_context_create(alloc);
    zw_system *sys = NULL;
    zw_drive *d = NULL;
    zw_drive_saved *saved = NULL;
    zw_model_source source = {text, strlen(text), "test.zw", NULL};
    zw_status status =
        ctx ? zw_model_parse(&sys, ctx, text, source.length, "test.zw", NULL, NULL) : ZW_E_MEMORY;
    o.jit = ZW_JIT_NEVER;
    if (status >= 0)
        status = zw_drive_create(&d, sys, &source, &o, NULL);
    if (status >= 0)
        status = zw_drive_to(d, 0.6, NULL);
    if (status >= 0)
        status = zw_drive_save(d, &saved, NULL);
    if (status >= 0)
        status = zw_drive_to_event(d, 1, NULL);
    if (status >= 0)
        status = zw_drive_restore(d, saved, NULL);
    if (status >= 0)
        status = zw_drive_to(d, 0.9, NULL);
    zw_drive_destroy(d);
    zw_context_destroy(ctx);
    return status;
}

static void lack_memory(const char *text, zw_sim_options o) {
    for (long n = 1;; n = failing_allocator_next(n)) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_status status = whole_life(&alloc, text, o);
        assert_int_equal(f.blocks, 0);
        assert_int_equal(f.bytes, 0);
        if (!f.failed) {
            assert_int_equal(status, ZW_OK);
            break;
        }
    }
}

static void test_drive__survives_lack_of_memory(void **state) {
    (void)state;
    zw_sim_options o = options_until(1, 0.1);
    lack_memory(BEAD, o);
    o.run.method = "bdf";
    lack_memory(DUFFING, o);
    o = options_until(1, 0.1);
    o.contacts = ZW_SIM_CONTACTS_EVENTS;
    lack_memory(BLOCK, o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drive__bits_of_a_run),
        cmocka_unit_test(test_drive__bits_of_a_run_with_contacts),
        cmocka_unit_test(test_drive__restores_every_method),
        cmocka_unit_test(test_drive__restores_behind_events),
        cmocka_unit_test(test_drive__restores_inside_contacts),
        cmocka_unit_test(test_drive__restores_parameters),
        cmocka_unit_test(test_drive__no_change_of_a_lag),
        cmocka_unit_test(test_drive__steps_of_an_input),
        cmocka_unit_test(test_drive__inputs_are_held_until_the_next_change),
        cmocka_unit_test(test_drive__starts_and_jumps_with_numbers),
        cmocka_unit_test(test_drive__a_jump_keeps_the_constraints),
        cmocka_unit_test(test_drive__returns_at_events),
        cmocka_unit_test(test_drive__returns_at_impacts),
        cmocka_unit_test(test_drive__an_event_ends_it),
        cmocka_unit_test(test_drive__wrong_use_is_an_error),
        cmocka_unit_test(test_drive__a_failed_motion_must_start_again),
        cmocka_unit_test(test_drive__goes_on_after_a_stop),
        cmocka_unit_test(test_drive__survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
