/* SPDX-License-Identifier: MIT */
/* Events of whole models: times of closed-form cases, and an event function that comes to rest. */
#include "test.h"
#include "zwang/zwang.h"

typedef struct mechanism {
    zw_context *ctx;
    zw_system *sys;
    zw_equations eq;
    zw_kernel *kernel;
    zw_run *run;
} mechanism;

static void start_text(mechanism *m, const char *text, double rtol) {
    zw_error err = {0};
    zw_run_options options = zw_run_options_default();
    double p[16], x[16];
    bool fixed[16];
    options.rtol = rtol;
    options.atol = rtol * 1e-2;
    *m = (mechanism){.ctx = zw_context_create(NULL)};
    if (zw_model_parse(&m->sys, m->ctx, text, strlen(text), "test", NULL, &err) < 0 ||
        zw_derive(&m->eq, m->sys, "lagrange", &err) < 0 ||
        zw_kernel_create(&m->kernel, &m->eq, NULL, &err) < 0 ||
        zw_system_param_values(m->sys, p, &err) < 0 ||
        zw_system_start_state(m->sys, p, x, fixed, &err) < 0 ||
        zw_run_create(&m->run, m->kernel, p, &options, &err) < 0 ||
        zw_run_consistent(m->run, 0, x, fixed, NULL, &err) < 0 ||
        zw_run_start(m->run, 0, x, &err) < 0)
        fail_msg("%s", err.text);
}

static void close_all(mechanism *m) {
    zw_run_destroy(m->run);
    zw_kernel_destroy(m->kernel);
    zw_context_destroy(m->ctx);
}

/* x = cos(2t): rising zeros at 3 pi/4 + k pi */
static void test_events__harmonic_oscillator(void **state) {
    (void)state;
    mechanism m;
    zw_error err = {0};
    start_text(&m,
               "model o\nunits none\ncoord x\nkinetic 1/2*x'^2\npotential 2*x^2\nstart x = 1\n"
               "event zero : x rising record\n",
               1e-12);
    for (int k = 0; k < 5; k++) {
        int event = -1;
        assert_int_equal(zw_run_advance(m.run, 100, &event, &err), ZW_EVENT);
        assert_int_equal(event, 0);
        assert_close(zw_run_time(m.run), 0.75 * M_PI + k * M_PI, 1e-10);
    }
    close_all(&m);
}

/* a damped oscillator dies out: its crossings become rounding noise, and the run must go on */
static void test_events__function_that_comes_to_rest(void **state) {
    (void)state;
    mechanism m;
    zw_error err = {0};
    int event, count = 0;
    zw_status status;
    start_text(&m,
               "model o\nunits none\ncoord x\nkinetic 1/2*x'^2\npotential 50*x^2\n"
               "dissipation 15/2*x'^2\nstart x = 1\nevent zero : x both record\n",
               1e-8);
    while ((status = zw_run_advance(m.run, 100, &event, &err)) == ZW_EVENT)
        count++;
    if (status < 0)
        fail_msg("after %d events: %s", count, err.text);
    assert_close(zw_run_time(m.run), 100, 0);
    assert_true(count >= 3);
    close_all(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events__harmonic_oscillator),
        cmocka_unit_test(test_events__function_that_comes_to_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
