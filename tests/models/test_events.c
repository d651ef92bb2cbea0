/* SPDX-License-Identifier: MIT */
/* Events of whole models: times of closed-form cases, and an event function that comes to rest. */
#include "support/text_model.h"

/* x = cos(2t): rising zeros at 3 pi/4 + k pi */
static void test_events__harmonic_oscillator(void **state) {
    (void)state;
    text_model m;
    zw_error err = {0};
    text_model_open(&m,
                    "model o\nunits none\ncoord x\nkinetic 1/2*x'^2\npotential 2*x^2\nstart x = 1\n"
                    "event zero : x rising record\n",
                    "lagrange", 1e-12);
    text_model_start(&m);
    for (int k = 0; k < 5; k++) {
        int event = -1;
        assert_int_equal(zw_run_advance(m.run, 100, &event, &err), ZW_EVENT);
        assert_int_equal(event, 0);
        assert_close(zw_run_time(m.run), 0.75 * M_PI + k * M_PI, 1e-10);
    }
    text_model_close(&m);
}

/* a damped oscillator dies out: its crossings become rounding noise, and the run must go on */
static void test_events__function_that_comes_to_rest(void **state) {
    (void)state;
    text_model m;
    zw_error err = {0};
    int event, count = 0;
    zw_status status;
    text_model_open(&m,
                    "model o\nunits none\ncoord x\nkinetic 1/2*x'^2\npotential 50*x^2\n"
                    "dissipation 15/2*x'^2\nstart x = 1\nevent zero : x both record\n",
                    "lagrange", 1e-8);
    text_model_start(&m);
    while ((status = zw_run_advance(m.run, 100, &event, &err)) == ZW_EVENT)
        count++;
    if (status < 0)
        fail_msg("after %d events: %s", count, err.text);
    assert_close(zw_run_time(m.run), 100, 0);
    assert_true(count >= 3);
    text_model_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events__harmonic_oscillator),
        cmocka_unit_test(test_events__function_that_comes_to_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
