/* SPDX-License-Identifier: MIT */
/* The limit cycles of simulated motions near a Hopf point have the amplitude and the frequency that
 * its normal form says: r^2 = -sigma/a to first order in sigma, so that two distances from it are
 * extrapolated to none. */
#include "motion/equilibria/equilibria.h"
#include "support/test.h"
#include "zwang/equilibria.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"
enum { TEXT = 8000, SAMPLES = 400, STATE = 64 };

static zw_context *ctx;
static zw_system *sys;
static zw_equilibria *e;
static zw_criticality c;
static zw_error err;

typedef struct plan {
    const char *text, *hold, *parameter, *amplitude;
    double critical,
        step;    /* of the parameter: cycles are at critical + step and at critical + 2 step */
    double time; /* of the first run, in growth times */
} plan;

static void find_motion(const plan *p, double value) {
    char setting[100];
    const char *set[] = {setting};
    zw_model_options m = {.nset = 1, .set = set};
    zw_equilibria_options o = zw_equilibria_options_default();
    o.nhold = p->hold != NULL;
    o.hold = &p->hold;
    snprintf(setting, sizeof setting, p->parameter, value);
    ctx = zw_context_create(NULL);
    if (zw_model_parse(&sys, ctx, p->text, strlen(p->text), "test.zw", &m, &err) < 0 ||
        zw_equilibria_create(&e, sys, &o, &err) < 0 || zw_equilibria_find(e, &err) < 0)
        fail_msg("%s", err.text);
}

static void forget_motion(void) {
    zw_equilibria_destroy(e);
    zw_context_destroy(ctx);
}

static double growth(double *omega) {
    const zw_linearisation *a = zw_equilibria_linear(e);
    int best = -1;
    for (int i = 0; i < a->n; i++)
        if (a->im[i] > 1e-3 && (best < 0 || fabs(a->re[i]) < fabs(a->re[best])))
            best = i;
    *omega = a->im[best];
    return a->re[best];
}

/* amplitude and frequency of an entry after a while, from its extremes and its ways through the
 * mean */
static void measure(zw_run *run, int entry, double from, double omega, double *r, double *w) {
    double least = INFINITY, most = -INFINITY, mean = zw_equilibria_motion(e)->x[entry], first = 0,
           last = 0, t = from, before = 0;
    int event, ways = 0;
    for (int k = 0; k <= 10 * SAMPLES; k++) {
        double next = from + k * 2 * M_PI / omega / SAMPLES;
        zw_status status;
        do
            status = zw_run_advance(run, next, &event, &err);
        while (status == ZW_EVENT);
        if (status < 0)
            fail_msg("%s", err.text);
        double x = zw_run_state(run)[entry] - mean;
        least = fmin(least, x);
        most = fmax(most, x);
        if (k > 0 && before < 0 && x >= 0) {
            last = t + (next - t) * before / (before - x);
            first = ways++ ? first : last;
        }
        before = x;
        t = next;
    }
    *r = (most - least) / 2;
    *w = 2 * M_PI * (ways - 1) / (last - first);
}

/* r^2/sigma and (w - omega)/sigma of the cycle at a distance from the Hopf point */
static void cycle(const plan *p, double distance, double *size, double *shift) {
    zw_run_options o = zw_run_options_default();
    zw_run *run;
    double omega, x[STATE], r, w;
    find_motion(p, p->critical + distance);
    double sigma = growth(&omega), guess = sqrt(-sigma / c.hopf.a);
    assert_true(-sigma / c.hopf.a > 0);
    int nx = e->kernel->nx, entry = -1;
    const char *unit;
    for (int i = 0; i < nx; i++) {
        x[i] = e->motion.x[i] + guess * c.hopf.q_re[i] +
               guess * guess * (c.hopf.mean[i] + c.hopf.second_re[i]);
        if (strcmp(zw_equilibria_entry(e, i, &unit), p->amplitude) == 0)
            entry = i;
    }
    o.rtol = 1e-9;
    o.atol = 1e-11;
    if (zw_flow_project(e->flow, 0, x, NULL, &err) < 0 ||
        zw_kernel_require(e->kernel, ZW_FUNCTIONS_ALL_METHODS, &err) < 0 ||
        zw_run_create(&run, e->kernel, e->p, &o, &err) < 0 || zw_run_start(run, 0, x, &err) < 0)
        fail_msg("%s", err.text);
    measure(run, entry, p->time / fabs(sigma), omega, &r, &w);
    *size = r * r / sigma;
    *shift = (w - omega) / sigma;
    print_message("sigma %.6f: r = %.6f, cubic terms %.6f\n", sigma, r, guess);
    zw_run_destroy(run);
    forget_motion();
}

static void compare(const plan *p, double tolerance) {
    zw_criticality_options o = zw_criticality_options_default();
    double one[2], two[2];
    o.amplitude = p->amplitude;
    find_motion(p, p->critical);
    if (zw_criticality_find(&c, e, NULL, NULL, &o, &err) < 0 || c.refused)
        fail_msg("%s%s", err.text, c.reason);
    forget_motion();
    cycle(p, p->step, &one[0], &one[1]);
    cycle(p, 2 * p->step, &two[0], &two[1]);
    assert_close(-(2 * one[0] - two[0]) * c.hopf.a, 1, tolerance);
    assert_close(-(2 * one[1] - two[1]) * c.hopf.a / c.hopf.b, 1, 3 * tolerance);
    zw_criticality_clear(&c);
}

static char *edited(const char *path, int n, const char *const *words) {
    static char text[2][TEXT];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t length = fread(text[0], 1, TEXT - 1, f);
    fclose(f);
    text[0][length] = '\0';
    for (int i = 0; i < n; i++) {
        const char *at = strstr(text[0], words[2 * i]);
        assert_non_null(at);
        snprintf(text[1], TEXT, "%.*s%s%s", (int)(at - text[0]), text[0], words[2 * i + 1],
                 at + strlen(words[2 * i]));
        memcpy(text[0], text[1], TEXT);
    }
    return text[0];
}

static void test_cycles__pendulum(void **state) {
    (void)state;
    compare(&(plan){"model pendulum\nparam k = 3 [kg/m^2/s], l = 1.3 [m], m = 0.7 [kg], "
                    "g = 9.81 [m/s^2], mu = 0 [kg/s]\n"
                    "coord x, y [m]\nparticle P : m at (x, y)\ngravity g along -y\n"
                    "constraint rod : x^2 + y^2 = l^2\n"
                    "force (x, y) = (mu - k*x^2)*(x', y')\nstart x = 0, y = -1.3 [m]\n",
                    NULL, "mu=%.12g [kg/s]", "x", 0, 0.02, 4},
            2e-3);
}

static void test_cycles__tippedisk(void **state) {
    (void)state;
    const char *const words[] = {"gamma = -90 [deg] + 0.1", "gamma = 90 [deg]",
                                 "(sqrt(slip^2 + v_0^2) + eps)", "eps"};
    compare(&(plan){edited(MODEL("tippedisk_reduced"), 2, words), NULL, "Omega=%.12g [rad/s]",
                    "beta", 30.916761697276, -0.02, 4},
            5e-3);
}

/* on levels of constant energy: with the speed held instead, a would be another */
static void test_cycles__bicycle(void **state) {
    (void)state;
    const char *const words[] = {"lean' = 0.01 [rad/s]", "lean' = 0"};
    compare(&(plan){edited(MODEL("bicycle"), 1, words), "x'", "speed=%.12g [m/s]", "lean",
                    4.292382536341, -0.01, 3},
            2e-2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cycles__pendulum),
        cmocka_unit_test(test_cycles__tippedisk),
        cmocka_unit_test(test_cycles__bicycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
