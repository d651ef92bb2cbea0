/* SPDX-License-Identifier: MIT */
/* The tippedisk with its contact laws (models/tippedisk_contact.zw): numbers of independent
 * programs for S. Sailer's models of Table 3.3, what every step owes to its law, and one scheme,
 * solver and parametrisation against the other. */
#include "support/contact_run.h"

#define COULOMB "floor=coulomb(mu)"
#define CONTENSOU "floor=contensou(mu, R, hertz, mu_tau)"
#define SMOOTH "floor=smooth(mu, eps)"
#define COULOMB_ALL "floor=coulomb(mu) + pivoting(mu_tau, R) + contour(mu_R)"
#define SMOOTH_ALL "floor=smooth(mu, eps) + pivoting(mu_tau, R) + contour(mu_R)"

static const double mu = 0.3, mu_tau = 3e-3, eps = 0.1;

typedef struct disk_run {
    const char *law, *variant, *set, *also; /* also: a second --law or --bilateral */
    double until, step, every;
    zw_sim_scheme contacts;
    zw_contact_method solver;
    double prox;
    bool energy;
} disk_run;

static simulation disk_try(disk_run r) {
    simulation s = simulation_make(r.until);
    const char *law[] = {r.law, r.also}, *set[] = {r.set};
    s.options.run.step = r.step;
    s.options.step_out = r.every;
    s.options.contacts = r.contacts;
    s.options.solver = r.solver;
    s.options.prox = r.prox;
    s.options.energy = r.energy;
    s.options.run.rtol = 1e-9;
    s.options.run.atol = 1e-11;
    s.model = (zw_model_options){.size = sizeof s.model,
                                 .variant = r.variant,
                                 .nset = r.set ? 1 : 0,
                                 .set = set,
                                 .nlaw = r.also ? 2 : 1,
                                 .law = law};
    char *text = model_text("tippedisk_contact");
    simulation_run(&s, text);
    free(text);
    s.model = (zw_model_options){0};
    return s;
}

static simulation disk_do(disk_run r) {
    simulation s = disk_try(r);
    assert_done(&s);
    return s;
}

/* a column at a time; events have rows of their own */
static double when(const zw_table *rows, double t, const char *column) {
    long i = 0;
    while (at(rows, i, "t") < t - 1e-9)
        i++;
    return at(rows, i, column);
}

static double mean(const zw_table *rows, const char *column, double from) {
    double sum = 0;
    long n = 0;
    for (long i = 0; i < zw_table_rows(rows); i++)
        if (at(rows, i, "t") >= from - 1e-9) {
            sum += at(rows, i, column);
            n++;
        }
    return sum / (double)n;
}

static void extremes(const zw_table *rows, const char *column, double *low, double *high) {
    *low = INFINITY;
    *high = -INFINITY;
    for (long i = 0; i < zw_table_rows(rows); i++) {
        *low = fmin(*low, at(rows, i, column));
        *high = fmax(*high, at(rows, i, column));
    }
}

/* ---- numbers of other programs, at the step of the thesis ---- */

/* no inversion, energy is lost while it slips before 0.5 s, and nothing drifts in Euler angles:
 * rows A4 to A6 */
static void test_coulomb__rolls_and_does_not_invert(void **state) {
    (void)state;
    simulation s = disk_do(
        (disk_run){.law = COULOMB, .variant = "euler", .until = 5, .step = 1e-5, .every = 1e-3});
    const zw_table *rows = zw_sim_rows(s.sim);
    double low, high;
    assert_close(when(rows, 0, "energy"), 0.38026, 5e-6);
    assert_close(when(rows, 0.5, "energy"), 0.37227, 5e-6);
    assert_close(when(rows, 5, "energy"), 0.37227, 5e-6);
    assert_close(mean(rows, "height", 1), 43.93, 5e-3);
    extremes(rows, "gamma", &low, &high);
    assert_close(high - M_PI / 2, 2.00, 5e-3);
    extremes(rows, "gap(floor)", &low, &high);
    assert_close(low, -2e-9, 5e-10); /* to the digit that is printed */
    extremes(rows, "contact residual", &low, &high);
    assert_true(high <= 1e-10);
    simulation_clear(&s);
}

/* the velocity of a quaternion model is as good, its gap is not: row A7 */
static void test_coulomb__sinks_with_a_quaternion(void **state) {
    (void)state;
    simulation s = disk_do((disk_run){.law = COULOMB, .until = 5, .step = 1e-5, .every = 1e-2});
    const zw_table *rows = zw_sim_rows(s.sim);
    for (long i = 20; i < zw_table_rows(rows); i++)
        assert_true(at(rows, i, "gap(floor)") < at(rows, i - 10, "gap(floor)"));
    assert_close(at(rows, -1, "gap(floor)"), -1.11e-4, 5e-7);
    simulation_clear(&s);
}

/* Contensou's law with Hertz' pressure, 3.5 mm, mu_tau: gamma(0.25, 0.5, 1 s) and the spin at 1
 * s */
static void test_contensou__inverts(void **state) {
    (void)state;
    simulation s = disk_do(
        (disk_run){.law = CONTENSOU, .variant = "euler", .until = 1, .step = 1e-5, .every = 1e-2});
    const zw_table *rows = zw_sim_rows(s.sim);
    assert_close(when(rows, 0.25, "gamma"), -1.0311, 5e-5);
    assert_close(when(rows, 0.5, "gamma"), 1.5087, 5e-5);
    assert_close(when(rows, 1, "gamma"), 1.5746, 5e-5);
    assert_close(when(rows, 1, "alpha'"), 35.86, 5e-3);
    simulation_clear(&s);
}

/* The same with the printed series of Hertz's set, for two radii: gamma(0.5, 1 s) of a program with
 * a bilateral contact and Runge's and Kutta's method, from which a second one with time steps
 * differs by 6e-4 */
static void test_contensou__by_the_printed_series(void **state) {
    (void)state;
    static const struct {
        const char *radius;
        double gamma[2];
    } known[] = {{"R=3 [mm]", {1.5436, 1.4806}}, {"R=4 [mm]", {1.4602, 1.6782}}};
    for (int i = 0; i < 2; i++) {
        simulation s = disk_do((disk_run){.law = "floor=contensou(mu, R, printed, mu_tau)",
                                          .set = known[i].radius,
                                          .variant = "euler",
                                          .until = 1,
                                          .step = 1e-5,
                                          .every = 1e-2});
        for (int k = 0; k < 2; k++)
            assert_close(when(zw_sim_rows(s.sim), 0.5 * (k + 1), "gamma"), known[i].gamma[k], 6e-4);
        simulation_clear(&s);
    }
}

/* gamma at 0.25, 0.5, 0.75, 1 s: rows A3, A14; the gap: rows A11, A12 */
static void test_smooth__inverts(void **state) {
    (void)state;
    static const double gamma[] = {-1.0392, 1.2891, 2.2338, 1.8076};
    simulation s = disk_do(
        (disk_run){.law = SMOOTH, .variant = "euler", .until = 1, .step = 1e-5, .every = 1e-3});
    const zw_table *rows = zw_sim_rows(s.sim);
    double low, high;
    for (int i = 0; i < 4; i++)
        assert_close(when(rows, 0.25 * (i + 1), "gamma"), gamma[i], 1e-4);
    extremes(rows, "gap(floor)", &low, &high);
    assert_close(low, -1e-9, 5e-10);
    simulation_clear(&s);
    s = disk_do((disk_run){.law = SMOOTH, .until = 2, .step = 1e-5, .every = 1e-2});
    rows = zw_sim_rows(s.sim);
    assert_close(when(rows, 0.5, "gamma"), 1.2879, 5e-5);
    assert_close(at(rows, -1, "gap(floor)"), -7.48e-6, 5e-9);
    simulation_clear(&s);
}

/* ---- what a step owes to its law ---- */

/* Residuals of 1e-11 are parts of all velocities, of which the spin is 250 times what a normal
 * impulse of a step makes. */
static const double outside = 1e-8;

/* Friction of the slip lies in its disc. How far it is from the smooth law at the end of the step:
 * the law holds with the positions of the middle. */
static double check_cone(const zw_table *rows, long i) {
    double N = at(rows, i, "lambda(floor)");
    double F = hypot(at(rows, i, "lambda(floor.1)"), at(rows, i, "lambda(floor.2)"));
    double slip = hypot(at(rows, i, "slip(floor.1)"), at(rows, i, "slip(floor.2)"));
    if (N < 0 || F > mu * N * (1 + outside))
        fail_msg("row %ld: N = %g, F = %g", i, N, F);
    return N > 0 ? fabs(F / (mu * N) - slip / (slip + eps)) : 0;
}

/* The body of Contensou lies in the ellipse of its half axes 1 and 3 pi/16. */
static void check_spin(const zw_table *rows, long i, const char *law) {
    double N = at(rows, i, "lambda(floor)"), tau = at(rows, i, "lambda(floor.spin)");
    double F = hypot(at(rows, i, "lambda(floor.1)"), at(rows, i, "lambda(floor.2)"));
    if (strstr(law, "contensou")) {
        double a = F / (mu * N), b = tau / (mu_tau * N * 3 * M_PI / 16);
        assert_true(N == 0 || a * a + b * b <= 1 + outside);
    } else
        assert_true(fabs(tau) <= mu_tau * N * (1 + outside));
    assert_true(tau * at(rows, i, "slip(floor.spin)") <= 0);
}

/* Impulses in their cones, every problem solved, and friction takes energy, but for what rows in
 * the middle of a step see of the slip at its ends. What remains is of the order of the step: what
 * is missing in the balance of energy at the end, and how far friction is from the smooth law. */
typedef struct leftover {
    double drift, law;
} leftover;

static leftover check_steps(const char *law, const char *variant, double h) {
    simulation s = disk_do((disk_run){.law = law,
                                      .variant = variant,
                                      .set = "gamma_0=-0.5",
                                      .until = 0.15,
                                      .step = h,
                                      .every = h,
                                      .energy = true});
    const zw_table *rows = zw_sim_rows(s.sim);
    leftover left = {0};
    bool spin = strstr(law, "contensou") || strstr(law, "pivoting");
    for (long i = 1; i < zw_table_rows(rows); i++) {
        left.law = fmax(left.law, check_cone(rows, i));
        if (spin)
            check_spin(rows, i, law);
        assert_true(at(rows, i, "contact residual") <= 1e-10);
        double work = at(rows, i, "work(floor.friction)") - at(rows, i - 1, "work(floor.friction)");
        double near = hypot(at(rows, i, "slip(floor.1)"), at(rows, i, "slip(floor.2)")) +
                      hypot(at(rows, i - 1, "slip(floor.1)"), at(rows, i - 1, "slip(floor.2)"));
        assert_true(work <= mu * at(rows, i, "lambda(floor)") * h * near);
    }
    assert_true(at(rows, -1, "work(floor.friction)") < -1e-4);
    left.drift = at(rows, -1, "drift");
    simulation_clear(&s);
    return left;
}

static void test_every_step__obeys_its_law(void **state) {
    (void)state;
    static const char *const laws[] = {COULOMB, CONTENSOU, SMOOTH, COULOMB_ALL, SMOOTH_ALL};
    static const char *const variants[] = {"euler", NULL};
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++)
        for (int k = 0; k < 2; k++) {
            leftover coarse = check_steps(laws[i], variants[k], 6e-5);
            leftover fine = check_steps(laws[i], variants[k], 3e-5);
            assert_close(fine.drift / coarse.drift, 0.5, 0.03);
            if (strstr(laws[i], "smooth"))
                assert_close(fine.law / coarse.law, 0.5, 0.03);
        }
}

/* ---- schemes, solvers, parametrisations ---- */

static double gamma_at(disk_run r) {
    simulation s = disk_do(r);
    double value = at(zw_sim_rows(s.sim), -1, "gamma");
    simulation_clear(&s);
    return value;
}

/* the fixed point with the factor of the thesis, Gauss and Seidel, and what is chosen: one
 * answer */
static void test_solvers__agree(void **state) {
    (void)state;
    static const char *const laws[] = {COULOMB, CONTENSOU, SMOOTH, COULOMB_ALL, SMOOTH_ALL};
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        disk_run r = {.law = laws[i], .variant = "euler", .until = 0.06, .step = 1e-4};
        r.set = "gamma_0=-0.5";
        double chosen = gamma_at(r);
        r.solver = ZW_CONTACT_PROX;
        r.prox = 0.1;
        assert_close(gamma_at(r), chosen, 1e-8);
        r.solver = ZW_CONTACT_GAUSS_SEIDEL;
        r.prox = 0;
        assert_close(gamma_at(r), chosen, 1e-8);
    }
}

/* errors of gamma against a reference, for steps that are halved: first order */
static void check_order(disk_run r, double exact, double largest) {
    enum { N = 4 };
    double h[N], error[N];
    for (int i = 0; i < N; i++) {
        h[i] = r.step = 1e-4 * pow(0.5, i);
        error[i] = fabs(gamma_at(r) - exact);
    }
    double order = order_of(N, h, error);
    if (!(order > 0.85 && order < 1.15) || error[N - 1] > largest)
        fail_msg("%s: order %g, errors %g to %g", r.law, order, error[0], error[N - 1]);
}

/* Set-valued friction against the motion from event to event, which rolls, slips from 0.2902 s on
 * and rolls again from 0.4285 s on: both parametrisations come to it with the first order of the
 * rule. */
static void test_coulomb__converges_to_the_motion_from_event_to_event(void **state) {
    (void)state;
    disk_run r = {.law = COULOMB, .variant = "euler", .until = 0.4, .every = 0.1};
    r.contacts = ZW_SIM_CONTACTS_EVENTS;
    double exact = gamma_at(r);
    r.variant = NULL;
    assert_close(gamma_at(r), exact, 1e-7);
    r.contacts = ZW_SIM_CONTACTS_MOREAU;
    check_order(r, exact, 2e-3);
    r.variant = "euler";
    check_order(r, exact, 2e-4);
}

/* smooth friction in a contact that never opens is an ordinary differential equation: row A14 */
static void test_smooth__converges_to_the_differential_equation(void **state) {
    (void)state;
    disk_run r = {.law = SMOOTH, .variant = "euler", .also = "floor=bilateral", .until = 0.5};
    r.every = 0.1;
    double exact = gamma_at(r);
    assert_close(exact, 1.2887, 5e-5);
    r.variant = NULL;
    assert_close(gamma_at(r), exact, 1e-7);
    r.also = NULL;
    check_order(r, exact, 2e-3);
    r.variant = "euler";
    check_order(r, exact, 1e-3);
}

/* ---- a disc that is spun so fast that it jumps ---- */

/* The force comes to zero at a finite rate, so that the gap begins with an acceleration of zero, of
 * either sign by rounding: the contact opens all the same, at every spin. It does from 113.675
 * rad/s on (another program). */
static void test_fast_spin__lifts(void **state) {
    (void)state;
    static const struct {
        const char *spin;
        bool lifts;
    } cases[] = {{"Omega=113.67 [rad/s]", false}, {"Omega=113.68 [rad/s]", true},
                 {"Omega=113.75 [rad/s]", true},  {"Omega=113.85 [rad/s]", true},
                 {"Omega=113.88 [rad/s]", true},  {"Omega=114 [rad/s]", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        disk_run r = {.law = SMOOTH, .variant = "euler", .set = cases[i].spin, .until = 0.5};
        r.every = 1e-4;
        r.contacts = ZW_SIM_CONTACTS_EVENTS;
        simulation s = disk_do(r);
        const zw_table *rows = zw_sim_rows(s.sim);
        double low, high;
        extremes(rows, "lambda(floor)", &low, &high);
        assert_true(low > -1e-9);
        extremes(rows, "status(floor)", &low, &high);
        assert_int_equal(low == 0, cases[i].lifts);
        simulation_clear(&s);
    }
}

/* ---- where the lowest point has no meaning ---- */

/* In Euler angles a disc that falls flat has no lowest point any more: the run ends there, with
 * time and place. */
static void check_flat(const char *also) {
    simulation s = simulation_make(1);
    const char *law[] = {SMOOTH, also}, *set[] = {"Omega=0 [rad/s]", "beta=0.3", "z=r*sin(0.3)"};
    s.options.run.step = also ? 0 : 1e-4;
    s.options.step_out = 1e-3;
    s.model = (zw_model_options){.size = sizeof s.model,
                                 .variant = "euler",
                                 .nset = 3,
                                 .set = set,
                                 .nlaw = also ? 2 : 1,
                                 .law = law};
    char *text = model_text("tippedisk_contact");
    simulation_run(&s, text);
    free(text);
    assert_true(s.status < 0);
    assert_text_has(s.err.text, "the disc disk lies flat at t = 0.0");
    assert_text_has(s.err.hint, "three points");
    assert_true(at(zw_sim_rows(s.sim), -1, "beta") > 0);
    assert_true(at(zw_sim_rows(s.sim), -1, "beta") < 0.1);
    simulation_clear(&s);
}

static void test_lowest_point__ends_where_the_disc_lies_flat(void **state) {
    (void)state;
    check_flat(NULL);
    check_flat("floor=bilateral");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coulomb__rolls_and_does_not_invert),
        cmocka_unit_test(test_coulomb__sinks_with_a_quaternion),
        cmocka_unit_test(test_contensou__inverts),
        cmocka_unit_test(test_contensou__by_the_printed_series),
        cmocka_unit_test(test_smooth__inverts),
        cmocka_unit_test(test_every_step__obeys_its_law),
        cmocka_unit_test(test_solvers__agree),
        cmocka_unit_test(test_coulomb__converges_to_the_motion_from_event_to_event),
        cmocka_unit_test(test_smooth__converges_to_the_differential_equation),
        cmocka_unit_test(test_fast_spin__lifts),
        cmocka_unit_test(test_lowest_point__ends_where_the_disc_lies_flat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
