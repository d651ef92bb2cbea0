/* SPDX-License-Identifier: MIT */
/* Runs in tests: started and advanced, or the test fails with the message; and the exact period of
 * a pendulum, which half of them measure. */
#ifndef ZW_TEST_NUM_RUNS_H
#define ZW_TEST_NUM_RUNS_H

#include <math.h>

#include "support/test.h"
#include "zwang/run.h"

static inline zw_run *begin_run(zw_kernel *k, const double *p, const zw_run_options *options,
                                const double *x) {
    zw_error err = {0};
    zw_run *run;
    if (zw_run_create(&run, k, p, options, &err) < 0 || zw_run_start(run, 0, x, &err) < 0)
        fail_msg("%s", err.text);
    return run;
}

static inline void go(zw_run *run, double t) {
    zw_error err = {0};
    if (zw_run_advance(run, t, NULL, &err) != ZW_OK)
        fail_msg("%s", err.text);
    assert_close(zw_run_time(run), t, 0);
}

/* period of a pendulum of amplitude a: 2 pi sqrt(L/g) / agm(1, cos(a/2)) */
static inline double pendulum_period(double L, double g, double a) {
    double x = 1, y = cos(a / 2);
    for (int i = 0; i < 20; i++) {
        double mean = (x + y) / 2;
        y = sqrt(x * y);
        x = mean;
    }
    return 2 * acos(-1) * sqrt(L / g) / x;
}

#endif
