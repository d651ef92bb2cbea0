/* SPDX-License-Identifier: MIT */
/* Restarts with other numbers: they give the bits of new simulations, in any order, and leave
 * nothing behind. */
#include <dirent.h>
#include <stdlib.h>

#include "support/failing_allocator.h"
#include "support/simulation.h"

/* Parameters that follow others, one of them set by an event, clocks made of parameters,
 * constraints that are switched, another variant: a bead on a wire that comes off, falls, bounces
 * and is caught. */
static const char BEAD[] =
    "model bead\n"
    "param m = 2 [kg], g = 10 [m/s^2], L = 1 [m], h = 2*L, e = 0.5, T = 0.375*h/L*1 [s]\n"
    "param w = sqrt(g/L), c = 0 [kg/s]\n"
    "coord x, y [m]\n"
    "particle P : m at (x, y)\n"
    "gravity g along -y\n"
    "constraint wire : x^2 + (y - h)^2 = L^2\n"
    "constraint rail off : y - x/8 = 0\n"
    "force drag at P = (-c*x', -c*y', 0)\n"
    "observe height = y/h, speed = w*L\n"
    "event free : every 90 [s] from T, switch off wire, set e = (3 + e)/4, set h = h + L\n"
    "event floor : y falling, set y' = -e*y'\n"
    "event catch : every 90 [s] from 4*T, set y = x/8, set y' = x'/8, switch on rail\n"
    "event swap : every 0.75 [s] from 6*T, variant heavy\n"
    "event back : every 0.75 [s] from 6.5*T, variant none\n"
    "start x = L, y = h\n"
    "variant heavy\n"
    "    param m = 5 [kg]\n"
    "end\n";

static zw_sim_number named(const char *name, double value) {
    return (zw_sim_number){.name = name, .value = value};
}

typedef struct point {
    zw_sim_number param[4], start[4];
    zw_sim_numbers numbers;
} point;

static void point_make(point *p, int nparam, int nstart) {
    p->numbers = (zw_sim_numbers){nparam, nstart, p->param, p->start};
}

/* a few values that are not short decimals */
static void bead_point(point *p, int k) {
    int n = 0, m = 0;
    if (k % 2)
        p->param[n++] = named("L", 1 + sin(k) / 3);
    if (k % 3)
        p->param[n++] = named("e", 0.25 + cos(k) / 5);
    if (k % 5 == 2)
        p->param[n++] = named("h", 2.5 + k / 7.0); /* does not follow L any more */
    if (k % 4 == 1)
        p->param[n++] = named("c", k / 9.0);
    if (k % 3 == 1)
        p->start[m++] = named("x'", 0); /* which the wire wants as well */
    if (k % 3 == 2)
        p->start[m++] = named("y'", sin(k));
    point_make(p, n, m);
}

static void assert_same_table(const zw_table *a, const zw_table *b) {
    assert_int_equal(zw_table_rows(a), zw_table_rows(b));
    assert_int_equal(zw_table_columns(a), zw_table_columns(b));
    assert_memory_equal(zw_table_data(a), zw_table_data(b),
                        sizeof(double) * (size_t)zw_table_rows(a) * (size_t)zw_table_columns(a));
    assert_int_equal(zw_table_notes(a), zw_table_notes(b));
    for (int i = 0; i < zw_table_notes(a); i++) {
        assert_string_equal(zw_table_note_key(a, i), zw_table_note_key(b, i));
        assert_string_equal(zw_table_note_value(a, i), zw_table_note_value(b, i));
    }
}

static void assert_same(const simulation *a, const simulation *b) {
    assert_int_equal(a->status, b->status);
    assert_int_equal(zw_table_rows(zw_sim_rows(a->sim)) > 0, 1);
    assert_same_table(zw_sim_rows(a->sim), zw_sim_rows(b->sim));
    if (zw_table_rows(zw_sim_events(a->sim)) > 0)
        assert_same_table(zw_sim_events(a->sim), zw_sim_events(b->sim));
    zw_sim_info x = zw_sim_statistics(a->sim), y = zw_sim_statistics(b->sim);
    assert_int_equal(x.ending, y.ending);
    assert_int_equal(x.events, y.events);
    assert_int_equal(x.run.steps, y.run.steps);
    assert_int_equal(x.run.rhs_calls, y.run.rhs_calls);
    assert_string_equal(x.method, y.method);
}

static simulation bead_make(const char *method, bool energy) {
    simulation s = simulation_make(6);
    s.options.step_out = 0.125;
    s.options.run.rtol = 1e-8;
    s.options.run.atol = 1e-10;
    s.options.run.method = method;
    s.options.energy = energy;
    return s;
}

static void restart(simulation *s, const zw_sim_numbers *numbers) {
    s->err = (zw_error){0};
    s->status = zw_sim_restart(s->sim, numbers, &s->err);
    if (s->status >= 0)
        s->status = zw_sim_run(s->sim, &s->err);
}

/* every point of the sweep against a simulation of its own */
static void sweep(const char *text, simulation make(void), void fill(point *, int), int n,
                  const int *order) {
    simulation swept = make();
    simulation_run(&swept, text);
    assert_done(&swept);
    for (int i = 0; i < n; i++) {
        point p;
        fill(&p, order[i]);
        restart(&swept, &p.numbers);
        simulation fresh = make();
        fresh.options.numbers = &p.numbers;
        simulation_run(&fresh, text);
        assert_done(&fresh);
        assert_same(&swept, &fresh);
        simulation_clear(&fresh);
    }
    /* and none of all that is left */
    restart(&swept, NULL);
    simulation fresh = make();
    simulation_run(&fresh, text);
    assert_done(&fresh);
    assert_same(&swept, &fresh);
    simulation_clear(&fresh);
    simulation_clear(&swept);
}

static const int scattered[] = {7, 0, 13, 2, 2, 11, 5, 1, 8, 3};

static simulation bead_chosen(void) {
    return bead_make(NULL, false);
}

static simulation bead_energy(void) {
    return bead_make(NULL, true);
}

static void test_restart__gives_the_bits_of_new_simulations(void **state) {
    (void)state;
    sweep(BEAD, bead_chosen, bead_point, 10, scattered);
    sweep(BEAD, bead_energy, bead_point, 4, scattered);
}

static const char *method_now;

static simulation bead_by_method(void) {
    return bead_make(method_now, false);
}

static void test_restart__by_every_method(void **state) {
    (void)state;
    static const char *const methods[] = {"bdf", "ida", "erk", "rk54", "rk87", "radau"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        method_now = methods[i];
        sweep(BEAD, bead_by_method, bead_point, 3, scattered);
    }
}

static simulation bead_partition(void) {
    simulation s = bead_make("bdf", false);
    s.options.run.constraints = ZW_KEEP_PARTITION;
    return s;
}

static void test_restart__by_partition(void **state) {
    (void)state;
    sweep(BEAD, bead_partition, bead_point, 4, scattered);
}

/* The method that keeps the energy must see that a damping is there, or there no more. */
static const char SWING[] = "model swing\n"
                            "param m = 1 [kg], g = 10 [m/s^2], L = 1 [m], c = 0 [kg*m^2/s]\n"
                            "coord th [rad]\n"
                            "kinetic 1/2*m*L^2*th'^2\n"
                            "potential -m*g*L*cos(th)\n"
                            "force damping (th) = -c*th'\n"
                            "start th = 1 [rad]\n";

static simulation swing_make(void) {
    simulation s = simulation_make(2);
    s.options.run.method = method_now;
    s.options.run.step = 0.01;
    s.options.step_out = 0.1;
    return s;
}

static void swing_point(point *p, int k) {
    p->param[0] = named("c", k % 2 ? 0.3 : 0);
    p->start[0] = named("th", 0.1 * k);
    p->start[1] = (zw_sim_number){.index = 1, .value = 0.5}; /* th' by its place */
    point_make(p, 1, 2);
}

static void test_restart__structure_methods(void **state) {
    (void)state;
    method_now = "energy";
    sweep(SWING, swing_make, swing_point, 10, scattered);
    method_now = "rattle"; /* momenta, and a start in velocities */
    sweep(SWING, swing_make, swing_point, 4, (const int[]){2, 0, 8, 2});
}

/* states of first order beside mechanics, and external inputs of which one is a table with a
 * jump */
static const char MOTOR[] = "model motor\n"
                            "param J = 0.01 [kg*m^2], K = 0.2 [N*m], R = 2 [N*m*s], T = 0.5 [s]\n"
                            "coord th [rad]\n"
                            "kinetic 1/2*J*th'^2\n"
                            "input u = signal [N*m]\n"
                            "input v = signal [N*m]\n"
                            "state i [N*m] : i' = (u - i)/T - K*th'\n"
                            "force drive (th) = i + v - R*th'/100\n"
                            "event half : every 0.7 [s], set K = K/2\n"
                            "start i = K\n";

static simulation motor_make(void) {
    static const char *const set[] = {
        "u=table (0, 0 [N*m]), (0.55 [s], 1 [N*m]), (1.31 [s], -1 [N*m]) hold", "v=2*K"};
    simulation s = simulation_make(2);
    s.model = (zw_model_options){.nset = 2, .set = set};
    s.options.step_out = 0.1;
    return s;
}

static void motor_point(point *p, int k) {
    p->param[0] = named("T", 0.5 + 0.01 * k);
    p->param[1] = named("K", 0.2 + sin(k) / 20);
    p->start[0] = named("i", 0.3 * k);
    p->start[1] = named("th'", cos(k));
    point_make(p, 1 + k % 2, k % 3);
}

static void test_restart__states_and_inputs(void **state) {
    (void)state;
    sweep(MOTOR, motor_make, motor_point, 10, scattered);
}

/* ---- the shipped models ---- */

/* all parameters a little off, in a different way each time; a number by its place */
static zw_sim_number *shifted(const zw_system *s, int k) {
    zw_sim_number *number = calloc((size_t)s->np + 1, sizeof *number);
    double *p = calloc((size_t)s->np + 1, sizeof *p);
    assert_non_null(number);
    assert_non_null(p);
    assert_int_equal(zw_system_param_values(s, p, NULL), ZW_OK);
    for (int i = 0; i < s->np; i++)
        number[i] = (zw_sim_number){.index = i, .value = p[i] * (1 + 0.01 * sin(k + 3 * i))};
    free(p);
    return number;
}

/* More contacts take minutes from event to event. */
enum { FEW = 4 };

static int count_contacts(const char *text) {
    int n = 0;
    while ((text = strstr(text, "\ncontact ")) != NULL) {
        text++;
        n++;
    }
    return n;
}

/* contacts from event to event, or in fixed time steps */
static void compare_model(const char *text, double step) {
    simulation swept = simulation_make(0.3);
    swept.options.step_out = 0.05;
    swept.options.run.step = step;
    simulation_run(&swept, text);
    assert_done(&swept);
    for (int k = 0; k < 2; k++) {
        zw_sim_number *number = shifted(swept.sys, k);
        zw_sim_numbers numbers = {.nparam = swept.sys->np, .param = number};
        simulation fresh = simulation_make(0.3);
        fresh.options.step_out = 0.05;
        fresh.options.run.step = step;
        fresh.options.numbers = &numbers;
        simulation_run(&fresh, text);
        restart(&swept, &numbers);
        assert_int_equal(swept.status, fresh.status);
        if (fresh.status >= 0)
            assert_same(&swept, &fresh);
        else
            assert_string_equal(swept.err.text, fresh.err.text);
        simulation_clear(&fresh);
        free(number);
    }
    simulation_clear(&swept);
}

static void test_restart__of_every_shipped_model(void **state) {
    (void)state;
    int count = 0;
    DIR *folder = opendir(ZW_SOURCE_DIR "/models");
    assert_non_null(folder);
    for (const struct dirent *d; (d = readdir(folder));) {
        size_t n = strlen(d->d_name);
        if (n < 4 || strcmp(d->d_name + n - 3, ".zw") != 0)
            continue;
        char path[512];
        snprintf(path, sizeof path, ZW_SOURCE_DIR "/models/%s", d->d_name);
        FILE *f = fopen(path, "rb");
        assert_non_null(f);
        char text[1 << 15];
        n = fread(text, 1, sizeof text - 1, f);
        text[n] = '\0';
        fclose(f);
        int contacts = count_contacts(text);
        if (contacts <= FEW)
            compare_model(text, 0);
        if (contacts > 0)
            compare_model(text, 1e-4);
        count++;
    }
    closedir(folder);
    assert_true(count >= 20);
}

/* ---- against texts ---- */

/* a number is what the same value set as text would be, and its result goes on alike */
static void test_restart__equals_settings(void **state) {
    (void)state;
    static const char *const set[] = {"L=1.25 [m]", "e=0.375", "x'=0 [m/s]"};
    simulation text = bead_make(NULL, false), swept = bead_make(NULL, false);
    text.model = (zw_model_options){.nset = 3, .set = set};
    simulation_run(&text, BEAD);
    assert_done(&text);
    point p = {.param = {named("L", 1.25), named("e", 0.375)}, .start = {named("x'", 0)}};
    point_make(&p, 2, 1);
    simulation_run(&swept, BEAD);
    restart(&swept, &p.numbers);
    assert_done(&swept);
    assert_string_equal(note_of(zw_sim_rows(swept.sim), "set"), "L=1.25 [m]\ne=0.375\nx'=0 [m/s]");
    assert_same(&text, &swept);
    simulation_clear(&text);
    simulation_clear(&swept);
}

static void test_restart__result_goes_on(void **state) {
    (void)state;
    simulation whole = bead_make(NULL, false);
    simulation_create(&whole, BEAD);
    point p;
    bead_point(&p, 7); /* no short decimals */
    restart(&whole, &p.numbers);
    assert_done(&whole);
    const zw_table *result = zw_sim_rows(whole.sim);
    zw_context *ctx = zw_context_create(NULL);
    zw_sim_options options;
    zw_sim *more;
    zw_error err = {0};
    assert_int_equal(zw_sim_options_of(&options, result, &err), ZW_OK);
    options.until = 7;
    assert_int_equal(zw_sim_resume(&more, ctx, result, NULL, &options, &err), ZW_OK);
    const zw_system *s = zw_sim_system(more);
    for (int i = 0; i < s->np; i++) { /* the same bits, those that follow too */
        char key[64];
        snprintf(key, sizeof key, "param %s", s->param[i].name);
        assert_string_equal(note_of(zw_sim_rows(more), key), note_of(result, key));
    }
    assert_int_equal(zw_sim_run(more, &err), ZW_OK);
    assert_close(at(zw_sim_rows(more), -1, "t"), 7, 1e-12);
    err = (zw_error){0};
    assert_int_equal(zw_sim_restart(more, NULL, &err), ZW_E_OPTION);
    assert_text_has(err.text, "continues a result");
    zw_sim_destroy(more);
    zw_context_destroy(ctx);
    simulation_clear(&whole);
}

/* ---- refusals ---- */

static void refused(simulation *s, const zw_sim_number *param, const zw_sim_number *start,
                    zw_status status, const char *text, const char *hint) {
    zw_sim_numbers numbers = {param != NULL, start != NULL, param, start};
    zw_error err = {0};
    assert_int_equal(zw_sim_restart(s->sim, &numbers, &err), status);
    assert_text_has(err.text, text);
    assert_text_has(err.hint, hint);
}

static void test_restart__refuses_and_changes_nothing(void **state) {
    (void)state;
    simulation s = bead_make(NULL, false), same = bead_make(NULL, false);
    simulation_run(&s, BEAD);
    simulation_run(&same, BEAD);
    zw_sim_number bad[] = {named("l", 1), named("L", NAN),       {.index = 8}, {.index = -1},
                           named("z", 0), named("y'", INFINITY), {.index = 4}};
    refused(&s, &bad[0], NULL, ZW_E_NAME, "no parameter 'l'", "");
    refused(&s, &bad[1], NULL, ZW_E_NONFINITE, "'L' is not finite", "");
    refused(&s, &bad[2], NULL, ZW_E_NAME, "no parameter number 8: the model has 8", "");
    refused(&s, &bad[3], NULL, ZW_E_NAME, "no parameter number -1", "");
    refused(&s, NULL, &bad[4], ZW_E_NAME, "no coordinate or velocity 'z'", "");
    refused(&s, NULL, &bad[5], ZW_E_NONFINITE, "'y'' is not finite", "");
    refused(&s, NULL, &bad[6], ZW_E_NAME, "no entry of the state number 4", "");
    const zw_sim_number twice[] = {named("L", 1), named("L", 2)};
    const zw_sim_numbers numbers = {.nparam = 2, .param = twice};
    zw_error err = {0};
    assert_int_equal(zw_sim_restart(s.sim, &numbers, &err), ZW_E_NAME);
    assert_text_has(err.text, "'L' is given twice");
    assert_same(&s, &same);
    simulation_clear(&s);
    simulation_clear(&same);
}

/* a start that cannot be is told, cannot be run, and the next one can */
static void test_restart__after_an_impossible_start(void **state) {
    (void)state;
    simulation s = bead_make(NULL, false), fresh = bead_make(NULL, false);
    simulation_run(&s, BEAD);
    point p = {.start = {named("x", 3), named("y", 3)}};
    point_make(&p, 0, 2);
    assert_int_equal(zw_sim_restart(s.sim, &p.numbers, &s.err), ZW_E_START);
    assert_text_has(s.err.text, "wire");
    assert_int_equal(zw_table_rows(zw_sim_rows(s.sim)), 0);
    assert_int_equal(zw_sim_run(s.sim, NULL), ZW_E_OPTION);
    restart(&s, NULL);
    simulation_run(&fresh, BEAD);
    assert_same(&s, &fresh);
    simulation_clear(&s);
    simulation_clear(&fresh);
}

/* a model that cannot start as its text says may start with numbers */
static void test_restart__numbers_of_the_first_run(void **state) {
    (void)state;
    static const char text[] =
        "model m\nparam L = 1 [m]\ncoord x, y [m]\nparticle P : 1 [kg] at (x, y)\n"
        "constraint rod : x^2 + y^2 = L^2\nstart x = 2 [m], y = 0 [m]\n";
    simulation s = simulation_make(1);
    simulation_create(&s, text);
    assert_int_equal(s.status, ZW_E_START);
    simulation_clear(&s);
    point p = {.param = {named("L", 2)}};
    point_make(&p, 1, 0);
    s = simulation_make(1);
    s.options.numbers = &p.numbers;
    simulation_run(&s, text);
    assert_done(&s);
    assert_string_equal(note_of(zw_sim_rows(s.sim), "param L"), "2 m");
    simulation_clear(&s);
}

/* ---- memory ---- */

/* restarts and runs of a simulation that has been everywhere need no more memory */
static void test_restart__leaves_nothing_behind(void **state) {
    (void)state;
    failing_allocator f = failing_allocator_make(0);
    zw_allocator alloc = failing_allocator_of(&f);
    zw_context *ctx = zw_context_create(&alloc);
    zw_system *sys;
    zw_sim *sim;
    zw_error err = {0};
    zw_model_source source = {BEAD, sizeof BEAD - 1, "test.zw", NULL};
    zw_sim_options options = bead_chosen().options;
    options.jit = ZW_JIT_NEVER;
    assert_int_equal(zw_model_parse(&sys, ctx, BEAD, source.length, "test.zw", NULL, &err), ZW_OK);
    assert_int_equal(zw_sim_create(&sim, sys, &source, &options, &err), ZW_OK);
    long settled = 0;
    for (int i = 0; i < 200; i++) {
        point p;
        bead_point(&p, i % 20);
        zw_status status = zw_sim_restart(sim, &p.numbers, &err);
        if (status >= 0)
            zw_sim_run(sim, &err);
        zw_sim_restart(sim, NULL, NULL); /* tables as large as notes of the model make them */
        if (i == 40)
            settled = f.bytes;
    }
    assert_int_equal(f.bytes, settled);
    zw_sim_destroy(sim);
    zw_context_destroy(ctx);
    assert_int_equal(f.bytes, 0);
}

static void test_restart__survives_lack_of_memory(void **state) {
    (void)state;
    for (long n = 1;; n++) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_context *ctx = zw_context_create(&alloc);
        zw_system *sys = NULL;
        zw_sim *sim = NULL;
        zw_model_source source = {BEAD, sizeof BEAD - 1, "test.zw", NULL};
        zw_sim_options options = bead_energy().options;
        options.until = 1;
        options.jit = ZW_JIT_NEVER;
        point p;
        bead_point(&p, 7);
        zw_status status =
            ctx ? zw_model_parse(&sys, ctx, BEAD, source.length, "test.zw", NULL, NULL)
                : ZW_E_MEMORY;
        if (status >= 0)
            status = zw_sim_create(&sim, sys, &source, &options, NULL);
        if (status >= 0)
            status = zw_sim_restart(sim, &p.numbers, NULL);
        if (status >= 0)
            status = zw_sim_run(sim, NULL);
        zw_sim_destroy(sim);
        zw_context_destroy(ctx);
        assert_int_equal(f.blocks, 0);
        assert_int_equal(f.bytes, 0);
        if (!f.failed) {
            assert_int_equal(status, ZW_OK);
            break;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_restart__gives_the_bits_of_new_simulations),
        cmocka_unit_test(test_restart__by_every_method),
        cmocka_unit_test(test_restart__by_partition),
        cmocka_unit_test(test_restart__structure_methods),
        cmocka_unit_test(test_restart__states_and_inputs),
        cmocka_unit_test(test_restart__of_every_shipped_model),
        cmocka_unit_test(test_restart__equals_settings),
        cmocka_unit_test(test_restart__result_goes_on),
        cmocka_unit_test(test_restart__refuses_and_changes_nothing),
        cmocka_unit_test(test_restart__after_an_impossible_start),
        cmocka_unit_test(test_restart__numbers_of_the_first_run),
        cmocka_unit_test(test_restart__leaves_nothing_behind),
        cmocka_unit_test(test_restart__survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
