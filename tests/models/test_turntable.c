/* SPDX-License-Identifier: MIT */
/* Ball on a rotating table (Lewis & Murray 1995): closed form without friction, Table 1 with
 * friction as stated in its section 3.2, and as it follows from the printed equation (3.6). */
#include "support/motion.h"

static const double Omega = 4.71238898038469; /* 45 rpm */

/* x and y on a circle at the rate 2 Omega/7; lambda = m v' */
static void test_turntable__circle(void **state) {
    (void)state;
    motion m;
    motion_open(&m, "turntable_ball", NULL, NULL, 1e-11);
    double rate = 2 * Omega / 7, radius = 0.05 / rate,
           mass = 7800 * 4.0 / 3 * M_PI * pow(0.0127, 3);
    assert_close(mass, 0.066926, 1e-5);
    for (double t = 0.37; t < 20; t += 1.37) {
        motion_to(&m, t);
        assert_close(motion_state(&m, "x"), 0.1 - radius + radius * cos(rate * t), 1e-9);
        assert_close(motion_state(&m, "y"), radius * sin(rate * t), 1e-9);
        /* the spin follows from rolling */
        assert_close(0.0127 * motion_state(&m, "ball.wy"),
                     motion_state(&m, "x'") + Omega * motion_state(&m, "y"), 1e-12);
        const double *z = zw_run_accel(m.run);
        assert_close(z[m.sys->nv], -mass * rate * motion_state(&m, "y'"), 1e-10);
        assert_close(z[m.sys->nv + 1], mass * rate * motion_state(&m, "x'"), 1e-10);
    }
    zw_run_info info = zw_run_statistics(m.run);
    assert_true(info.velocity_residual < 1e-12);
    motion_close(&m);
}

static void test_turntable__period(void **state) {
    (void)state;
    motion m;
    motion_open(&m, "turntable_ball", NULL, NULL, 1e-12);
    double period = 2 * M_PI * 7 / (2 * Omega);
    for (int k = 1; k <= 4; k++)
        assert_close(motion_to_event(&m, 30), k * period, 1e-10);
    motion_close(&m);
}

/* the x of successive crossings of the ray y = 0, rising, in centimetres */
static void crossings(const char *variant, const char *settings, int n, double *x) {
    motion m;
    motion_open(&m, "turntable_ball", variant, settings, 1e-10);
    for (int k = 0; k < n; k++) {
        motion_to_event(&m, 60);
        x[k] = 100 * motion_state(&m, "x");
    }
    motion_close(&m);
}

static void assert_differences(const char *variant, const char *settings, const double *want) {
    double x[5], before = 10;
    crossings(variant, settings, 5, x);
    for (int k = 0; k < 5; k++) {
        if (fabs(x[k] - before - want[k]) > 0.0051)
            fail_msg("%s %s: difference %d is %.4f cm, not %.2f", variant ? variant : "", settings,
                     k + 1, x[k] - before, want[k]);
        before = x[k];
    }
}

static void test_turntable__table_1_as_stated(void **state) {
    (void)state;
    assert_differences(NULL, "nu=5 [g/s]", (double[]){-.82, -.64, -.50, -.39, -.30});
    assert_differences(NULL, "mu_rot=6 [g*cm^2/s]", (double[]){-.71, 1.91, 4.59, 8.07, 13.12});
    double x[5], want[5] = {16.303, 27.533, 39.294, 51.222, 63.226};
    crossings(NULL, "delta=0.005", 5, x);
    for (int k = 0; k < 5; k++)
        if (fabs(x[k] - want[k]) > 0.00051)
            fail_msg("delta: crossing %d at %.4f cm, not %.3f", k + 1, x[k], want[k]);
}

static void test_turntable__table_1_as_printed(void **state) {
    (void)state;
    assert_differences("printed", "nu=5 [g/s]", (double[]){-.82, -.64, -.50, -.39, -.30});
    assert_differences("printed", "mu_rot=6 [g*cm^2/s]", (double[]){-.48, -.29, -.10, .07, .23});
    assert_differences("printed", "delta=0.005", (double[]){1.48, 1.61, 1.67, 1.72, 1.75});
    assert_differences("printed", "delta=0.005;mu_rot=6 [g*cm^2/s]",
                       (double[]){.77, .71, .65, .60, .55});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turntable__circle),
        cmocka_unit_test(test_turntable__period),
        cmocka_unit_test(test_turntable__table_1_as_stated),
        cmocka_unit_test(test_turntable__table_1_as_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
