/* SPDX-License-Identifier: MIT */
/* Methods supplied from outside, through the public face alone. */
#include <stdlib.h>

#include "num/run_jumps.h"
#include "support/kernels.h"
#include "support/runs.h"
#include "zwang/run.h"

/* ---- the midpoint rule with fixed steps ---- */

typedef struct midpoint {
    double before, from[8], rate[8], half[8];
    long steps;
} midpoint;

static int alive;

static zw_status midpoint_create(zw_run *run, zw_error *err) {
    *zw_method_own(run) = calloc(1, sizeof(midpoint));
    alive++;
    return *zw_method_own(run) ? ZW_OK : zw_fail(err, ZW_E_MEMORY, "out of memory");
}

static void midpoint_destroy(zw_run *run) {
    free(*zw_method_own(run));
    *zw_method_own(run) = NULL;
    alive--;
}

static zw_status midpoint_start(zw_run *run, zw_error *err) {
    (void)err;
    midpoint *m = *zw_method_own(run);
    m->steps = 0;
    return ZW_OK;
}

static zw_status midpoint_to(zw_run *run, double t, double *y, zw_error *err) {
    midpoint *m = *zw_method_own(run);
    int n = zw_method_size(run);
    double h = t - m->before;
    ZW_TRY(zw_method_rate(run, m->before, m->from, m->rate, err));
    for (int i = 0; i < n; i++)
        m->half[i] = m->from[i] + h / 2 * m->rate[i];
    ZW_TRY(zw_method_rate(run, m->before + h / 2, m->half, m->rate, err));
    for (int i = 0; i < n; i++)
        y[i] = m->from[i] + h * m->rate[i];
    return ZW_OK;
}

static zw_status midpoint_step(zw_run *run, zw_error *err) {
    midpoint *m = *zw_method_own(run);
    double *y = zw_method_state(run);
    m->before = zw_method_time(run);
    memcpy(m->from, y, sizeof(double) * (size_t)zw_method_size(run));
    double now = m->before + zw_method_direction(run) * zw_method_options(run)->step;
    ZW_TRY(midpoint_to(run, now, y, err));
    ZW_TRY(zw_method_settle(run, now, y, err));
    zw_method_moved(run, now);
    m->steps++;
    return ZW_OK;
}

static void midpoint_statistics(const zw_run *run, zw_run_info *info) {
    info->rhs_calls += 2 * ((midpoint *)*zw_method_own((zw_run *)run))->steps;
}

static const zw_method midpoint_method = {.name = "midpoint",
                                          .title = "the midpoint rule",
                                          .about = "second order",
                                          .traits = ZW_TRAIT_FIXED_STEP,
                                          .create = midpoint_create,
                                          .destroy = midpoint_destroy,
                                          .start = midpoint_start,
                                          .step = midpoint_step,
                                          .dense = midpoint_to,
                                          .statistics = midpoint_statistics};

/* error of an oscillation after one period with n steps */
static double error_of(int n) {
    zw_kernel k = oscillator_kernel();
    const double p[] = {1, 1, 0}, x0[] = {1, 0}, period = 2 * acos(-1);
    zw_run_options options = zw_run_options_default();
    options.supplied = &midpoint_method;
    options.step = period / n;
    zw_run *run = begin_run(&k, p, &options, x0);
    go(run, period);
    double error = hypot(zw_run_state(run)[0] - 1, zw_run_state(run)[1]);
    zw_run_info info = zw_run_statistics(run);
    assert_string_equal(info.method, "the midpoint rule");
    assert_true(info.rhs_calls >= 2 * n);
    zw_run_destroy(run);
    return error;
}

static void test_method__supplied_from_outside(void **state) {
    (void)state;
    assert_close(log2(error_of(100) / error_of(200)), 2, 0.05);
    assert_int_equal(alive, 0);
}

static void test_method__keeps_constraints_like_any_other(void **state) {
    (void)state;
    zw_kernel k = pendulum_kernel();
    const double p[] = {1, 1, 9.81}, x0[] = {1, 0, 0, 0};
    zw_run_options options = zw_run_options_default();
    options.supplied = &midpoint_method;
    options.step = 1e-3;
    zw_run *run = begin_run(&k, p, &options, x0);
    go(run, 1);
    const double *x = zw_run_state(run);
    assert_close(x[0] * x[0] + x[1] * x[1], 1, 1e-14);
    assert_close(x[0] * x[2] + x[1] * x[3], 0, 1e-13);
    zw_run_destroy(run);
    options.step = 0; /* what it does not do is refused as for the others */
    assert_int_equal(zw_run_create(&run, &k, p, &options, NULL), ZW_E_OPTION);
}

/* ---- a method whose velocities jump: a ball on the floor, exact between impacts ---- */

static const double g = 10, restitution = 0.5;

FUNC(ball_mats) {
    UNUSED;
    out[0] = 1;
    out[1] = -g;
    out[2] = x[1];
}
FUNC(ball_events) { /* the speed, and a height that only the fall passes */
    UNUSED;
    out[0] = x[1];
    out[1] = x[0] - 0.8;
}

typedef struct flight {
    double before, x, v; /* the beginning of the step */
    int left;
} flight;

static zw_status flight_create(zw_run *run, zw_error *err) {
    *zw_method_own(run) = calloc(1, sizeof(flight));
    return *zw_method_own(run) ? ZW_OK : zw_fail(err, ZW_E_MEMORY, "out of memory");
}

static void flight_destroy(zw_run *run) {
    free(*zw_method_own(run));
    *zw_method_own(run) = NULL;
}

static zw_status flight_start(zw_run *run, zw_error *err) {
    (void)run;
    (void)err;
    return ZW_OK;
}

static zw_status flight_dense(zw_run *run, double t, double *y, zw_error *err) {
    (void)err;
    const flight *f = *zw_method_own(run);
    double s = t - f->before;
    y[0] = f->x + f->v * s - g / 2 * s * s;
    y[1] = f->v - g * s;
    return ZW_OK;
}

/* 0.3 s, or up to the impact, where the velocity is reversed */
static zw_status flight_step(zw_run *run, zw_error *err) {
    flight *f = *zw_method_own(run);
    double *y = zw_method_state(run);
    *f = (flight){zw_method_time(run), y[0], y[1], 0};
    double impact = (f->v + sqrt(f->v * f->v + 2 * g * f->x)) / g, h = fmin(0.3, impact);
    ZW_TRY(flight_dense(run, f->before + h, y, err));
    if (h == impact) {
        y[0] = 0;
        y[1] = -restitution * y[1];
    }
    zw_method_moved(run, f->before + h);
    return ZW_OK;
}

/* multipliers and accelerations that the method knows better */
static zw_status flight_leave(zw_run *run, double t, const double *y, double *x, double *z,
                              zw_error *err) {
    (void)run;
    (void)t;
    (void)err;
    x[0] = y[0];
    x[1] = y[1];
    z[0] = -g - 1000; /* to be seen */
    return ZW_OK;
}

static void flight_statistics(const zw_run *run, zw_run_info *info) {
    (void)run;
    (void)info;
}

static void test_method__velocities_that_jump(void **state) {
    (void)state;
    const zw_method flights = {.name = "flight",
                               .title = "exact flights",
                               .about = "",
                               .traits = ZW_TRAIT_JUMPS,
                               .create = flight_create,
                               .destroy = flight_destroy,
                               .start = flight_start,
                               .step = flight_step,
                               .dense = flight_dense,
                               .leave = flight_leave,
                               .statistics = flight_statistics};
    zw_kernel k = kernel_of(0, 1, 1, 0, 0, 0);
    k.fn[ZW_FN_MATS].call = ball_mats;
    k.fn[ZW_FN_EVT].call = ball_events;
    k.nevt = 2;
    k.event_direction = both_ways;
    k.event_stop = no_stop;
    k.evt_state_only = true;
    const double x0[] = {1, 0};
    zw_run_options options = zw_run_options_default();
    options.supplied = &flights;
    zw_run *run = begin_run(&k, NULL, &options, x0);
    /* it leaves with speed 0 and falls: height 0.8, impact (speed from - to +), the top, impact,
     * ... */
    const double first = sqrt(2 / g), speed = restitution * g * first;
    const struct {
        int event;
        double t, v; /* v: just after it */
    } expected[] = {{1, sqrt(2 * 0.2 / g), -g * sqrt(2 * 0.2 / g)},
                    {0, first, speed},
                    {0, first + speed / g, 0},
                    {0, first + 2 * speed / g, restitution * speed}};
    for (int i = 0; i < 4; i++) {
        int event;
        zw_error err = {0};
        assert_int_equal(zw_run_advance(run, 10, &event, &err), ZW_EVENT);
        assert_int_equal(event, expected[i].event);
        assert_close(zw_run_time(run), expected[i].t, 1e-13);
        assert_close(zw_run_state(run)[1], expected[i].v, 1e-11);
        assert_close(zw_run_accel(run)[0], -1010, 0);
    }
    zw_run_destroy(run);
}

/* ---- methods that are not what they should be ---- */

static int creations;

static zw_status create_at_the_second_time(zw_run *run, zw_error *err) {
    return ++creations == 1 ? zw_fail(err, ZW_E_MEMORY, "not yet") : midpoint_create(run, err);
}

static void destroy_if_there(zw_run *run) {
    if (*zw_method_own(run))
        midpoint_destroy(run);
}

static void test_method__creation_that_fails_is_tried_again(void **state) {
    (void)state;
    zw_kernel k = oscillator_kernel();
    const double p[] = {1, 1, 0}, x0[] = {1, 0};
    zw_method late = midpoint_method;
    late.create = create_at_the_second_time;
    late.destroy = destroy_if_there;
    zw_run_options options = zw_run_options_default();
    options.supplied = &late;
    options.step = 1e-3;
    zw_run *run;
    assert_int_equal(zw_run_create(&run, &k, p, &options, NULL), ZW_OK);
    assert_int_equal(zw_run_start(run, 0, x0, NULL), ZW_E_MEMORY);
    assert_int_equal(zw_run_start(run, 0, x0, NULL), ZW_OK);
    go(run, 1);
    assert_close(zw_run_state(run)[0], cos(1), 1e-6);
    zw_run_destroy(run);
    assert_int_equal(alive, 0);
}

static zw_status stand_still(zw_run *run, zw_error *err) {
    (void)err;
    zw_method_moved(run, zw_method_time(run));
    return ZW_OK;
}

static zw_status dense_of_nothing(zw_run *run, double t, double *y, zw_error *err) {
    (void)t;
    (void)err;
    y[0] = NAN;
    y[1] = zw_method_state(run)[1];
    return ZW_OK;
}

static zw_status advance_by(const zw_method *m, zw_error *err) {
    zw_kernel k = oscillator_kernel();
    const double p[] = {1, 0, 0}, x0[] = {1, 0}; /* no spring: the rates do not hold x */
    zw_run_options options = zw_run_options_default();
    options.supplied = m;
    options.step = 0.3;
    zw_run *run;
    zw_status status = zw_run_create(&run, &k, p, &options, err);
    if (status >= 0)
        status = zw_run_start(run, 0, x0, err);
    if (status >= 0)
        status = zw_run_advance(run, 1, NULL, err);
    zw_run_destroy(run);
    return status;
}

static void test_method__wrong_ones_are_found_out(void **state) {
    (void)state;
    zw_error err = {0};
    zw_method m = midpoint_method;
    m.step = stand_still;
    assert_int_equal(advance_by(&m, &err), ZW_E_NUMERIC);
    assert_non_null(strstr(err.text, "a step of method midpoint"));
    m = midpoint_method;
    m.dense = dense_of_nothing;
    assert_int_equal(advance_by(&m, NULL), ZW_E_NONFINITE);
    m = midpoint_method;
    m.dense = NULL;
    err = (zw_error){0};
    assert_int_equal(advance_by(&m, &err), ZW_E_OPTION);
    assert_non_null(strstr(err.text, "midpoint is not complete"));
}

/* a kernel without what a run calls */
static void test_method__functions_of_a_run(void **state) {
    (void)state;
    zw_kernel k = oscillator_kernel();
    const double p[] = {1, 1, 0}, x0[] = {1, 0};
    zw_run *run;
    zw_error err = {0};
    k.functions &= ~ZW_SET(OBS);
    assert_int_equal(zw_run_create(&run, &k, p, NULL, NULL), ZW_OK);
    assert_int_equal(zw_run_start(run, 0, x0, &err), ZW_E_MISSING);
    assert_non_null(strstr(err.text, "obs"));
    assert_null(zw_run_actions(run)); /* there are none */
    double power[1];
    assert_int_equal(zw_run_powers(run, 0, x0, power, NULL), ZW_E_MISSING);
    zw_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_method__supplied_from_outside),
        cmocka_unit_test(test_method__keeps_constraints_like_any_other),
        cmocka_unit_test(test_method__velocities_that_jump),
        cmocka_unit_test(test_method__creation_that_fails_is_tried_again),
        cmocka_unit_test(test_method__wrong_ones_are_found_out),
        cmocka_unit_test(test_method__functions_of_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
