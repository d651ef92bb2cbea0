/* SPDX-License-Identifier: MIT */
/* Short models of textbooks against their closed forms. */
#include "support/motion.h"

static const double g = 9.81;

/* ---- tennis racket: w_y by Jacobi's elliptic functions (Landau and Lifshitz, Mechanics, section
 * 37) ---- */

/* K(k), by the arithmetic and geometric mean */
static double elliptic(double k2) {
    double a = 1, b = sqrt(1 - k2);
    for (int i = 0; i < 40; i++) {
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return M_PI / (2 * a);
}

static void test_racket__twists(void **state) {
    (void)state;
    const double m_h = 0.17, r = 0.13, m_s = 0.15, l = 0.41;
    double c = m_s * (r + l / 2) / (m_h + m_s), d = c - r - l / 2, rod = m_s * (l * l / 12 + d * d),
           J[3] = {m_h * r * r / 2, m_h * (r * r / 2 + c * c) + rod, m_h * (r * r + c * c) + rod};
    static const struct { double n, aside; } start[] = {{12, 0.1}, {12, 1e-3}, {5, 2}};
    for (int i = 0; i < 3; i++) {
        double n = start[i].n, w = start[i].aside, energy = J[1] * n * n + J[2] * w * w,
               square = pow(J[1] * n, 2) + pow(J[2] * w, 2),
               rate = sqrt((J[2] - J[1]) * (square - energy * J[0]) / (J[0] * J[1] * J[2])),
               k2 = (J[1] - J[0]) * (energy * J[2] - square) /
                    ((J[2] - J[1]) * (square - energy * J[0]));
        char set[100];
        snprintf(set, sizeof set, "n=%.17g [rad/s];B.wz=%.17g [rad/s]", n, w);
        motion m;
        motion_open(&m, "tennis_racket", NULL, set, 1e-12);
        for (int k = 0; k < 3; k++)
            assert_close(motion_to_event(&m, 20), (2 * k + 1) * elliptic(k2) / rate, 1e-7);
        motion_close(&m);
    }
}

/* ---- pendulum with a shaken pivot: half the trace of its map over a period of the drive ---- */

static double half_trace(double th, double A, double Omega) {
    double sum = 0, small = 1e-5, period = 2 * M_PI / Omega;
    for (int k = 0; k < 2; k++)
        for (int side = -1; side <= 1; side += 2) {
            char set[200];
            snprintf(set, sizeof set,
                     "th=%.17g [rad];th'=%.17g [rad/s];A=%.17g [m];Omega=%.17g [rad/s]",
                     th + (k == 0 ? side * small : 0), k == 1 ? side * small : 0, A, Omega);
            motion m;
            motion_open(&m, "mathieu_pendulum", NULL, set, 1e-13);
            motion_to(&m, period);
            sum += side * (motion_state(&m, k == 0 ? "th" : "th'") - (k == 0 ? th : 0));
            motion_close(&m);
        }
    return sum / (4 * small);
}

/* characteristic values of Mathieu's equation at q = 1 (Abramowitz and Stegun, table 20.1) and
 * 0.2 */
static void test_mathieu__limits_of_stability(void **state) {
    (void)state;
    static const struct {
        double q, a, trace; /* a < 0: inverted */
    } known[] = {{1, -0.45513860, 1},   {1, -0.11024882, -1},  {1, 1.85910807, -1},
                 {0.2, -0.01991330, 1}, {0.2, 0.79512387, -1}, {0.2, 1.19487406, -1}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double a = known[i].a;
        assert_close(half_trace(a < 0 ? M_PI : 0, known[i].q / 2, 2 * sqrt(g / fabs(a))),
                     known[i].trace, 5e-6);
    }
    assert_true(fabs(half_trace(M_PI, 0.1, 44.6)) < 1 && fabs(half_trace(M_PI, 0.1, 44.2)) > 1);
}

/* ---- single-track car: yaw rate, critical and characteristic speed ---- */

static void test_car__steers(void **state) {
    (void)state;
    const double mass = 1500, a = 1.2, b = 1.4, delta = 1e-4;
    static const struct {
        const char *variant;
        double c_f, c_r, V;
    } car[] = {{NULL, 80e3, 90e3, 15},
               {NULL, 80e3, 90e3, 50},
               {"oversteer", 90e3, 65e3, 10},
               {"oversteer", 90e3, 65e3, 30}};
    for (int i = 0; i < 4; i++) {
        motion m;
        char set[100];
        double V = car[i].V, more = b * car[i].c_r - a * car[i].c_f, L = a + b;
        snprintf(set, sizeof set, "delta=%.17g [rad];V=%.17g [m/s];w=0", delta, V);
        motion_open(&m, "single_track", car[i].variant, set, 1e-11);
        motion_to(&m, 20);
        assert_close(
            motion_observable(&m, "yaw_rate"),
            V * delta / (L * (1 + mass * more * V * V / (car[i].c_f * car[i].c_r * L * L))), 1e-8);
        motion_close(&m);
    }
}

/* a part in a million beside its critical speed a car that oversteers goes straight on, or does
 * not; the other one always does */
static void test_car__critical_speed(void **state) {
    (void)state;
    double critical = 2.6 * sqrt(90e3 * 65e3 / (1500 * (1.2 * 90e3 - 1.4 * 65e3)));
    for (int i = 0; i < 3; i++) {
        double at = i == 0 ? 200 : critical * (1 + (i == 1 ? -1e-6 : 1e-6));
        char V[60];
        const char *set[2] = {V, "w=0"};
        snprintf(V, sizeof V, "V=%.17g [m/s]", at);
        zw_model_options read = {
            .size = sizeof read, .variant = i ? "oversteer" : NULL, .nset = 2, .set = set};
        zw_equilibria_options options = zw_equilibria_options_default();
        zw_context *ctx = zw_context_create(NULL);
        zw_system *sys;
        zw_equilibria *e;
        zw_error err = {0};
        if (zw_model_read(&sys, ctx, ZW_SOURCE_DIR "/models/single_track.zw", &read, &err) < 0 ||
            zw_equilibria_create(&e, sys, &options, &err) < 0 || zw_equilibria_find(e, &err) < 0)
            fail_msg("%s", err.text);
        assert_true((zw_equilibria_stability(e) == ZW_UNSTABLE) == (i == 2));
        zw_equilibria_destroy(e);
        zw_context_destroy(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_racket__twists),
        cmocka_unit_test(test_mathieu__limits_of_stability),
        cmocka_unit_test(test_car__steers),
        cmocka_unit_test(test_car__critical_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
