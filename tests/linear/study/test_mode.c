/* SPDX-License-Identifier: MIT */
/* Modes as motions against the true motion from the same start: the difference is of second order
 * in the amplitude, so that it falls by four when the amplitude is halved; and the constraints hold
 * exactly. */
#include "linear/study/mode.h"

#include <stdlib.h>

#include "support/failing_allocator.h"
#include "support/report.h"
#include "support/test.h"
#include "zwang/zwang.h"

typedef struct fixture {
    zw_context *ctx;
    zw_system *sys;
    zw_equilibria *e;
    zw_model_source source;
    zw_model_options model;
    char *text;
    zw_error err;
} fixture;

static char *read_text(const char *name) {
    char path[400];
    snprintf(path, sizeof path, "%s/models/%s.zw", ZW_SOURCE_DIR, name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *text = calloc(1, 100000);
    size_t n = fread(text, 1, 99999, f);
    fclose(f);
    assert_true(n > 0);
    return text;
}

static void check(const fixture *f, zw_status status) {
    if (status < 0)
        fail_msg("%s", f->err.text);
}

static void open_text(fixture *f, char *text, int nset, const char *const *set, int nhold,
                      const char *const *hold) {
    *f = (fixture){.ctx = zw_context_create(NULL), .text = text};
    f->model = (zw_model_options){.nset = nset, .set = set};
    f->source = (zw_model_source){f->text, strlen(f->text), "test.zw", &f->model};
    check(f,
          zw_model_parse(&f->sys, f->ctx, f->text, strlen(f->text), "test.zw", &f->model, &f->err));
    zw_equilibria_options options = zw_equilibria_options_default();
    options.nhold = nhold;
    options.hold = hold;
    zw_linear_options linear = zw_linear_options_default();
    check(f, zw_linear_prepare(f->sys, &linear, &options, &f->err));
    check(f, zw_equilibria_create(&f->e, f->sys, &options, &f->err));
    check(f, zw_equilibria_find(f->e, &f->err));
}

static void close_fixture(fixture *f) {
    zw_equilibria_destroy(f->e);
    zw_context_destroy(f->ctx);
    free(f->text);
}

/* the true motion from the first row of a table, at its last time */
static zw_table *run_from(fixture *f, const zw_table *t) {
    zw_sim_options options = zw_sim_options_default();
    zw_sim_number start[64];
    zw_sim *sim;
    int n = f->sys->nq + f->sys->nv;
    for (int i = 0; i < n; i++) {
        const char *name =
            i < f->sys->nq ? f->sys->coord[i].name : f->sys->velocity[i - f->sys->nq].name;
        start[i] = (zw_sim_number){.index = i, .value = zw_table_at(t, 0, zw_table_find(t, name))};
    }
    zw_sim_numbers numbers = {.nstart = n, .start = start};
    options.numbers = &numbers;
    options.start = zw_table_at(t, 0, 0);
    options.until = zw_table_at(t, zw_table_rows(t) - 1, 0);
    options.step_out = options.until - options.start;
    options.run.rtol = 1e-11;
    options.run.atol = 1e-12;
    check(f, zw_sim_create(&sim, f->sys, &f->source, &options, &f->err));
    check(f, zw_sim_run(sim, &f->err));
    zw_table *out;
    check(f, zw_table_thin(&out, zw_sim_rows(sim), 2, &f->err));
    zw_sim_destroy(sim);
    return out;
}

/* the largest difference of a coordinate or velocity at the end, relative to typical sizes */
static double difference(fixture *f, int mode, double amplitude, double duration,
                         zw_mode_info *info) {
    zw_mode_options o = zw_mode_options_default();
    zw_table *t;
    o.number = mode;
    o.amplitude = amplitude;
    o.duration = duration;
    o.rows = 20;
    check(f, zw_mode_motion(&t, f->e, &f->source, &o, info, &f->err));
    zw_table *truth = run_from(f, t);
    double most = 0;
    for (int i = 0; i < f->sys->nq + f->sys->nv; i++)
        most = fmax(most, fabs(zw_table_at(t, 19, 1 + i) - zw_table_at(truth, 1, 1 + i)) /
                              zw_equilibria_scale(f->e)[i]);
    zw_table_destroy(t);
    zw_table_destroy(truth);
    return most;
}

/* every mode of the motion; durations short enough that the second order is seen */
static void expect_second_order(fixture *f, double amplitude, double duration) {
    for (int mode = 1; mode <= zw_mode_count(f->e); mode++) {
        zw_mode_info info;
        double one = difference(f, mode, amplitude, duration, &info),
               half = difference(f, mode, amplitude / 2, duration, &info);
        assert_true(info.mismatch < 1e-8);
        /* symmetry may make the second order vanish: then it falls faster */
        if (!(half <= one / 3.4 + 2e-9))
            fail_msg("%s: %g, at half the amplitude %g", info.caption, one, half);
    }
}

static void test_mode__pendulum(void **state) {
    (void)state;
    fixture f;
    static const char text[] =
        "model pendulum\nparam l = 1 [m]\ncoord x, y [m]\nparticle P : 2 [kg] at (x, y)\n"
        "constraint rod : x^2 + y^2 = l^2\ngravity 9.81 [m/s^2] along -y\n"
        "start x = 0, y = -1 [m]\n";
    open_text(&f, strcpy(calloc(1, sizeof text), text), 0, NULL, 0, NULL);
    assert_int_equal(zw_mode_count(f.e), 1);
    expect_second_order(&f, 0.02, 0.7);
    close_fixture(&f);
}

static void test_mode__double_pendulum(void **state) {
    (void)state;
    fixture f;
    static const char *const set[] = {"phi_1=0.1", "phi_2=0"};
    open_text(&f, read_text("double_pendulum"), 2, set, 0, NULL);
    assert_int_equal(zw_mode_count(f.e), 2);
    expect_second_order(&f, 0.02, 0.8);
    close_fixture(&f);
}

/* rolls, leans and steers; yaw, path and the turning of the wheels go along */
static void test_mode__bicycle(void **state) {
    (void)state;
    fixture f;
    static const char *const hold[] = {"rear'", "yaw"};
    open_text(&f, read_text("bicycle"), 0, NULL, 2, hold);
    assert_int_equal(zw_mode_count(f.e), 4);
    expect_second_order(&f, 0.01, 0.5);
    close_fixture(&f);
}

/* in a circle: the frame turns */
static void test_mode__rolling_disc(void **state) {
    (void)state;
    fixture f;
    static const char *const set[] = {"alpha'=6 [rad/s]", "beta=70deg"};
    static const char *const hold[] = {"alpha'", "beta"};
    open_text(&f, read_text("rolling_disc"), 2, set, 2, hold);
    expect_second_order(&f, 0.01, 0.6);
    close_fixture(&f);
}

/* disturbances that grow, and others that die out in no time */
static void test_mode__tippedisk(void **state) {
    (void)state;
    fixture f;
    static const char *const set[] = {"alpha'=20 [rad/s]", "gamma=90deg"};
    static const char *const hold[] = {"alpha'"};
    open_text(&f, read_text("tippedisk"), 2, set, 1, hold);
    expect_second_order(&f, 0.004, 0.15);
    close_fixture(&f);
}

static void test_mode__top_in_a_quaternion(void **state) {
    (void)state;
    fixture f;
    open_text(&f, read_text("heavy_top"), 0, NULL, 0, NULL);
    assert_true(zw_mode_count(f.e) >= 2);
    expect_second_order(&f, 0.004, 0.4);
    /* its turns are linear in the quaternion: no steps are needed, however fast it spins */
    zw_arena arena;
    zw_allocator alloc = zw_allocator_default();
    zw_mode_group g;
    zw_arena_init(&arena, &alloc);
    check(&f, zw_mode_group_init(&g, f.e, &arena, &f.err));
    assert_true(g.affine);
    zw_arena_clear(&arena);
    close_fixture(&f);
}

/* affine constraints: the table turns under the ball */
static void test_mode__ball_on_a_turntable(void **state) {
    (void)state;
    fixture f;
    open_text(&f, read_text("turntable_ball"), 0, NULL, 0, NULL);
    expect_second_order(&f, 0.001, 0.3);
    close_fixture(&f);
}

/* ---- what is in the table ---- */

static void test_mode__rows_satisfy_the_constraints(void **state) {
    (void)state;
    fixture f;
    static const char *const hold[] = {"rear'", "yaw"};
    open_text(&f, read_text("bicycle"), 0, NULL, 2, hold);
    for (int mode = 1; mode <= 4; mode++) {
        zw_mode_options o = zw_mode_options_default();
        zw_mode_info info;
        zw_table *t;
        o.number = mode;
        check(&f, zw_mode_motion(&t, f.e, &f.source, &o, &info, &f.err));
        zw_flow *flow = zw_equilibria_flow(f.e);
        int nx = zw_flow_kernel(flow)->nx, ng = zw_flow_levels(flow);
        double *x = calloc((size_t)(nx + ng), sizeof *x), *g = x + nx, most = 0;
        for (long row = 0; row < zw_table_rows(t); row += 17) {
            for (int i = 0; i < nx; i++)
                x[i] = zw_table_at(t, row, 1 + i);
            check(&f, zw_flow_constraints(flow, 0, x, g, NULL, &f.err));
            for (int i = 0; i < ng; i++)
                most = fmax(most, fabs(g[i]));
        }
        assert_true(most < 1e-8);
        /* the leading entry has its amplitude, somewhere */
        int column = zw_table_find(t, info.entry);
        double reached = 0;
        for (long row = 0; row < zw_table_rows(t); row++)
            reached = fmax(reached, fabs(zw_table_at(t, row, column) -
                                         zw_equilibria_motion(f.e)->x[column - 1]));
        if (mode > 1) /* of coordinates; that of a family moves along */
            assert_true(reached > 0.9 * info.amplitude && reached < 1.3 * info.amplitude);
        free(x);
        zw_table_destroy(t);
    }
    close_fixture(&f);
}

/* the gravity in which the disc would roll like this is in the notes, so that drawings know it */
static void test_mode__parameters_that_are_solved_for(void **state) {
    (void)state;
    fixture f;
    zw_table *t;
    static const char *const set[] = {"alpha'=6 [rad/s]", "beta=70deg"}, *const solve[] = {"g"};
    static const char *const hold[] = {"alpha'", "beta", "norm((x', y'))=0.4 [m/s]"};
    zw_equilibria_options options = zw_equilibria_options_default();
    open_text(&f, read_text("rolling_disc"), 2, set, 0, NULL);
    zw_equilibria_destroy(f.e);
    options.nhold = 3;
    options.hold = hold;
    options.nsolve = 1;
    options.solve = solve;
    check(&f, zw_equilibria_create(&f.e, f.sys, &options, &f.err));
    check(&f, zw_equilibria_find(f.e, &f.err));
    check(&f, zw_mode_motion(&t, f.e, &f.source, NULL, NULL, &f.err));
    int g = 0;
    while (strcmp(f.sys->param[g].name, "g") != 0)
        g++;
    double solved = zw_flow_parameters(zw_equilibria_flow(f.e))[g];
    assert_true(fabs(solved - 9.81) > 0.1);
    assert_close(strtod(zw_table_get_note(t, "param g"), NULL), solved, 1e-14);
    zw_table_destroy(t);
    close_fixture(&f);
}

static void test_mode__says_what_it_is(void **state) {
    (void)state;
    fixture f;
    zw_mode_info info;
    zw_mode_options o = zw_mode_options_default();
    zw_table *t;
    static const char *const hold[] = {"rear'", "yaw"};
    open_text(&f, read_text("bicycle"), 0, NULL, 2, hold);
    o.number = 3;
    o.amplitude = 0.1;
    check(&f, zw_mode_motion(&t, f.e, &f.source, &o, &info, &f.err));
    assert_close(info.re, -0.7753418822, 1e-9);
    assert_close(info.im, 4.4648677138, 1e-9);
    assert_non_null(strstr(info.caption, "0.7106 Hz, damping 0.1711"));
    assert_non_null(strstr(info.caption, "amplitude 0.1 rad of steer"));
    assert_string_equal(zw_table_get_note(t, "caption"), info.caption);
    assert_string_equal(zw_table_get_note(t, "mode"), "3");
    assert_non_null(zw_table_get_note(t, "text"));
    zw_table_destroy(t);
    o.number = 5;
    assert_int_equal(zw_mode_motion(&t, f.e, &f.source, &o, NULL, &f.err), ZW_E_OPTION);
    assert_null(t);
    assert_non_null(strstr(f.err.text, "has 4"));
    close_fixture(&f);
}

/* a free particle: its position is along a symmetry, its velocity a neighbouring motion. A particle
 * on a line under a force that grows with nothing: two zeros of which one is a chain. */
static void test_mode__zeros_and_chains(void **state) {
    (void)state;
    fixture f;
    zw_mode_info info;
    zw_mode_options o = zw_mode_options_default();
    zw_table *t;
    /* a quartic valley: x = 0 is an equilibrium whose linear equations are x'' = 0 */
    static const char text[] = "model flat\nunits none\ncoord x\nparticle P : 1 at (x, 0)\n"
                               "potential x^4\nstart x = 0\n";
    open_text(&f, strcpy(calloc(1, sizeof text), text), 0, NULL, 0, NULL);
    assert_int_equal(zw_mode_count(f.e), 2);
    o.number = 1;
    o.amplitude = 0.01;
    check(&f, zw_mode_motion(&t, f.e, &f.source, &o, &info, &f.err));
    assert_true(info.zero && !info.chain);
    assert_non_null(strstr(info.caption, "where solutions meet or branch"));
    assert_close(zw_table_at(t, zw_table_rows(t) - 1, 1), zw_table_at(t, 0, 1), 1e-9);
    zw_table_destroy(t);
    o.number = 2;
    o.duration = 2;
    check(&f, zw_mode_motion(&t, f.e, &f.source, &o, &info, &f.err));
    assert_true(info.zero && info.chain);
    assert_string_equal(info.entry, "x'");
    /* linear in time */
    assert_close(fabs(zw_table_at(t, zw_table_rows(t) - 1, 1) - zw_table_at(t, 0, 1)), 0.02, 1e-9);
    zw_table_destroy(t);
    close_fixture(&f);
}

static void test_mode__comoving_stays(void **state) {
    (void)state;
    fixture f;
    zw_mode_options o = zw_mode_options_default();
    zw_table *t;
    static const char *const hold[] = {"rear'", "yaw"};
    open_text(&f, read_text("bicycle"), 0, NULL, 2, hold);
    o.number = 3;
    o.comoving = true;
    check(&f, zw_mode_motion(&t, f.e, &f.source, &o, NULL, &f.err));
    int x = zw_table_find(t, "x"), steer = zw_table_find(t, "steer");
    double far = 0, moved = 0;
    for (long i = 0; i < zw_table_rows(t); i++) {
        far = fmax(far, fabs(zw_table_at(t, i, x) - zw_table_at(t, 0, x)));
        moved = fmax(moved, fabs(zw_table_at(t, i, steer)));
    }
    assert_true(far < 0.1 && moved > 0.1);
    zw_table_destroy(t);
    close_fixture(&f);
}

/* ---- the group ---- */

/* turns of space in Euler angles are no affine field: integrated, they are the rotation all the
 * same */
static void test_group__turns_of_a_free_body(void **state) {
    (void)state;
    fixture f;
    static const char text[] =
        "model free\nunits none\ncoord a, b, c\nframe F : rotate z a rotate x b rotate z c\n"
        "body B : F, inertia(1, 1, 1, 1)\nstart b = 1, a' = 0.3\n";
    open_text(&f, strcpy(calloc(1, sizeof text), text), 0, NULL, 0, NULL);
    zw_arena arena;
    zw_allocator alloc = zw_allocator_default();
    zw_mode_group g;
    zw_arena_init(&arena, &alloc);
    check(&f, zw_mode_group_init(&g, f.e, &arena, &f.err));
    assert_true(g.n >= 3);
    assert_false(g.affine);
    /* there and back, and in two halves */
    double c[16] = {0}, x[6], y[6], before[6];
    for (int i = 0; i < g.n && i < 16; i++)
        c[i] = 0.2 + 0.1 * i;
    for (int i = 0; i < 6; i++)
        x[i] = y[i] = before[i] = zw_equilibria_motion(f.e)->x[i];
    check(&f, zw_mode_group_move(&g, false, c, 0, 0.8, x, &f.err));
    assert_true(fabs(x[0] - before[0]) + fabs(x[1] - before[1]) > 0.05);
    check(&f, zw_mode_group_move(&g, false, c, 0, 0.4, y, &f.err));
    check(&f, zw_mode_group_move(&g, false, c, 0, 0.4, y, &f.err));
    for (int i = 0; i < 6; i++)
        assert_close(x[i], y[i], 1e-7);
    check(&f, zw_mode_group_move(&g, false, c, 0, -0.8, x, &f.err));
    for (int i = 0; i < 6; i++)
        assert_close(x[i], before[i], 1e-7);
    zw_arena_clear(&arena);
    close_fixture(&f);
}

static void test_exponential__of_a_turn(void **state) {
    (void)state;
    double A[9] = {0, -20, 0, 20, 0, 0, 0, 0, -3}, E[9], work[36];
    zw_mode_exponential(3, A, E, work);
    assert_close(E[0], cos(20), 1e-12);
    assert_close(E[3], sin(20), 1e-12);
    assert_close(E[8], exp(-3), 1e-13);
}

/* what a context has left after a failure is not for use: each try has one of its own */
static bool fails_at(long n) {
    static const char text[] = "model pendulum\nunits none\ncoord x, y\nparticle P : 2 at (x, y)\n"
                               "constraint rod : x^2 + y^2 = 1\ngravity 9.81 along -y\n"
                               "start x = 0, y = -1\n";
    failing_allocator fa = failing_allocator_make(0);
    zw_allocator alloc = failing_allocator_of(&fa);
    zw_context *ctx = zw_context_create(&alloc);
    zw_model_source source = {text, strlen(text), "test.zw", NULL};
    zw_mode_options o = zw_mode_options_default();
    zw_system *sys;
    zw_equilibria *e;
    zw_table *t;
    o.rows = 5;
    assert_int_equal(zw_model_parse(&sys, ctx, text, strlen(text), "test.zw", NULL, NULL), ZW_OK);
    assert_int_equal(zw_equilibria_create(&e, sys, NULL, NULL), ZW_OK);
    assert_int_equal(zw_equilibria_find(e, NULL), ZW_OK);
    fa.fail_at = fa.requests + n;
    zw_status status = zw_mode_motion(&t, e, &source, &o, NULL, NULL);
    assert_true(status == ZW_OK || (status == ZW_E_MEMORY && fa.failed && !t));
    zw_table_destroy(t);
    zw_equilibria_destroy(e);
    zw_context_destroy(ctx);
    assert_int_equal(fa.blocks, 0);
    assert_int_equal(fa.bytes, 0);
    return fa.failed;
}

static void test_mode__survives_failing_allocations(void **state) {
    (void)state;
    for (long n = 1; fails_at(n); n++)
        ;
}

/* the line of an eigenvalue in a report */
static void expect_reported(const char *text, int number, const zw_mode_info *info) {
    char begin[20], value[80];
    snprintf(begin, sizeof begin, "\n  %3d ", number);
    if (info->im == 0)
        snprintf(value, sizeof value, "%.10g 1/s", info->re);
    else if (info->re == 0)
        snprintf(value, sizeof value, "+-%.10gi 1/s", info->im);
    else
        snprintf(value, sizeof value, "%.10g +- %.10gi 1/s", info->re, info->im);
    const char *line = strstr(strstr(text, "\n  eigenvalues"), begin);
    if (!line || strncmp(line + strlen(begin) + strspn(line + strlen(begin), " "), value,
                         strlen(value)) != 0)
        fail_msg("no mode %d with '%s' in\n%s", number, value, text);
}

/* the list of the equilibrium, that of the linear equations and the modes that are shown */
static void expect_one_numbering(fixture *f) {
    zw_linear_options options = zw_linear_options_default();
    zw_linear_equations *l = NULL;
    check(f, zw_linear_create(&l, f->e, &options, &f->err));
    zw_report *r = report_begin("model");
    zw_equilibria_report(f->e, r);
    char *one = report_take_text(r);
    r = report_begin("model");
    zw_linear_report(l, r);
    char *two = report_take_text(r);
    for (int mode = 1; mode <= zw_mode_count(f->e); mode++) {
        zw_mode_info info;
        zw_table *t;
        zw_mode_options o = zw_mode_options_default();
        o.number = mode;
        check(f, zw_mode_motion(&t, f->e, &f->source, &o, &info, &f->err));
        zw_table_destroy(t);
        expect_reported(one, mode, &info);
        expect_reported(two, mode, &info);
    }
    free(one);
    free(two);
    zw_linear_destroy(l);
}

static void test_mode__one_numbering(void **state) {
    (void)state;
    fixture f;
    static const char *const hold[] = {"rear'", "yaw"};
    open_text(&f, read_text("bicycle"), 0, NULL, 2, hold);
    expect_one_numbering(&f);
    close_fixture(&f);
    /* without damping, and with real parts that are all equal: rounding must not choose */
    for (int damped = 0; damped < 2; damped++) {
        char *text = calloc(1, 600);
        snprintf(text, 600,
                 "model chain\nparam m = 1.3 [kg], k = 7 [N/m], c = %d [kg/s]\n"
                 "coord x, y, z, u [m]\nkinetic 1/2*m*(x'^2 + y'^2 + z'^2 + u'^2)\n"
                 "potential 1/2*k*(x^2 + (x - y)^2 + (y - z)^2 + (z - u)^2)\n"
                 "dissipation 1/2*c*(x'^2 + y'^2 + z'^2 + u'^2)\n",
                 damped);
        open_text(&f, text, 0, NULL, 0, NULL);
        assert_int_equal(zw_mode_count(f.e), 4);
        expect_one_numbering(&f);
        close_fixture(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mode__pendulum),
        cmocka_unit_test(test_mode__double_pendulum),
        cmocka_unit_test(test_mode__bicycle),
        cmocka_unit_test(test_mode__rolling_disc),
        cmocka_unit_test(test_mode__tippedisk),
        cmocka_unit_test(test_mode__top_in_a_quaternion),
        cmocka_unit_test(test_mode__ball_on_a_turntable),
        cmocka_unit_test(test_mode__rows_satisfy_the_constraints),
        cmocka_unit_test(test_mode__parameters_that_are_solved_for),
        cmocka_unit_test(test_mode__says_what_it_is),
        cmocka_unit_test(test_mode__zeros_and_chains),
        cmocka_unit_test(test_mode__comoving_stays),
        cmocka_unit_test(test_mode__one_numbering),
        cmocka_unit_test(test_group__turns_of_a_free_body),
        cmocka_unit_test(test_exponential__of_a_turn),
        cmocka_unit_test(test_mode__survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
