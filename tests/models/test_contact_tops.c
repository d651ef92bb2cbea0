/* SPDX-License-Identifier: MIT */
/* Bodies that spin on a plane: invariants, asymptotics, and the same motion by other means. */
#include "support/contact_run.h"

static const double g = 9.81;

/* ---- tippe-top ---- */

static double jellett_drift(const char *law, const char *tilt, double until, double step) {
    simulation s = contact_do(&(contact_run){
        .model = "tippe_top", .set = {tilt}, .law = {law}, .until = until, .step = step});
    const zw_table *rows = zw_sim_rows(s.sim);
    double first = at(rows, 0, "jellett"), worst = 0;
    for (long i = 0; i < zw_table_rows(rows); i++) {
        assert_true(at(rows, i, "lambda(stem)") == 0); /* the ball alone touches */
        worst = fmax(worst, fabs(at(rows, i, "jellett") / first - 1));
    }
    simulation_clear(&s);
    return worst;
}

/* Jellett's integral stays whatever the force at the contact is: Coulomb's that sticks after a
 * while, and one that lifts the top, for which energy is far from constant. The rule keeps it to
 * first order. */
static void test_tippe_top__jellett(void **state) {
    (void)state;
    static const char *const law[] = {"belly=coulomb(mu)", "belly=smooth(mu, 0.1 [m/s])"};
    static const char *const tilt[] = {"tilt_0=0.5", "tilt_0=0.3"};
    static const double until[] = {1, 1.2};
    for (int k = 0; k < 2; k++) {
        double h[3] = {8e-5, 4e-5, 2e-5}, drift[3];
        for (int i = 0; i < 3; i++)
            drift[i] = jellett_drift(law[k], tilt[k], until[k], h[i]);
        double order = order_of(3, h, drift);
        if (!(order > 0.8 && drift[2] < 2e-3))
            fail_msg("%s: order %g, drift %g to %g", law[k], order, drift[0], drift[2]);
    }
}

/* With Coulomb's friction at a point it soon rolls and stays upright; with friction that knows of
 * its spin (Contensou) it always slips, turns over, and stands on its stem. */
static void test_tippe_top__inverts_with_contensou(void **state) {
    (void)state;
    simulation s = contact_do(&(contact_run){.model = "tippe_top", .until = 2, .step = 4e-5});
    const zw_table *rows = zw_sim_rows(s.sim);
    assert_true(at(rows, -1, "tilt") < 6);
    assert_close(at(rows, -1, "status(belly)"), 1, 0);
    simulation_clear(&s);
    s = contact_do(
        &(contact_run){.model = "tippe_top",
                       .law = {"belly=contensou(mu, radius)", "stem=contensou(mu, radius)"},
                       .until = 2,
                       .step = 4e-5,
                       .energy = true});
    rows = zw_sim_rows(s.sim);
    assert_true(at(rows, -1, "tilt") > 170);
    assert_true(at(rows, -1, "height") > 20.5);
    assert_true(at(rows, -1, "lambda(belly)") == 0);
    assert_close(at(rows, -1, "lambda(stem)"), 0.006 * g, 0.002);
    for (long i = 1; i < zw_table_rows(rows); i++) {
        assert_true(at(rows, i, "work(belly.friction)") <= at(rows, i - 1, "work(belly.friction)"));
        assert_true(at(rows, i, "work(stem.friction)") <= at(rows, i - 1, "work(stem.friction)"));
        assert_true(at(rows, i, "contact residual") <= 1e-10);
    }
    simulation_clear(&s);
}

/* ---- Euler's disc ---- */

typedef struct line {
    double slope, offset;
} line;

static line line_through(int n, const double *x, const double *y) {
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < n; i++) {
        sx += x[i];
        sy += y[i];
        sxx += x[i] * x[i];
        sxy += x[i] * y[i];
    }
    double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
    return (line){slope, (sy - slope * sx) / n};
}

/* beta^(3/2) = 2 mu_R sqrt(g/r) (t_f - t), for small inclinations */
static void test_euler_disc__stops_in_finite_time(void **state) {
    (void)state;
    enum { MOST = 2000 };
    double t[MOST], power[MOST], log_left[MOST], log_beta[MOST];
    int n = 0;
    simulation s = contact_do(&(contact_run){
        .model = "euler_disc", .set = {"beta_0=0.1"}, .until = 3, .step = 5e-5, .every = 1e-3});
    const zw_table *rows = zw_sim_rows(s.sim);
    for (long i = 0; i < zw_table_rows(rows); i++) {
        double beta = at(rows, i, "beta");
        if (beta > 0.02 && beta < 0.08 && n < MOST) {
            t[n] = at(rows, i, "t");
            power[n++] = pow(beta, 1.5);
        }
    }
    line l = line_through(n, t, power);
    double rate = 2 * 1.24e-3 * sqrt(g / 0.0375), end = -l.offset / l.slope;
    assert_true(fabs(-l.slope / rate - 1) < 0.01); /* terms of order beta are left out */
    for (int i = 0; i < n; i++) {
        log_left[i] = log(end - t[i]);
        log_beta[i] = log(power[i]) / 1.5;
    }
    assert_close(line_through(n, log_left, log_beta).slope, 2.0 / 3, 3e-3);
    assert_int_equal(zw_sim_statistics(s.sim).ending, ZW_SIM_EVENT);
    assert_close(at(rows, -1, "t") + 1e-3 / rate, end, 2e-3);
    simulation_clear(&s);
}

/* ---- rattleback ---- */

/* with friction that always sticks it is the stone that rolls, integrated with its constraints */
static void test_rattleback__sticks_as_it_rolls(void **state) {
    (void)state;
    double want = contact_end(&(contact_run){.model = "rattleback",
                                             .set = {"W=-5 [rad/s]", "push=0.05 [rad/s]"},
                                             .until = 2.4},
                              "spin");
    double h[4], error[4];
    for (int i = 0; i < 4; i++) {
        h[i] = 2e-4 * pow(0.5, i);
        contact_run r = {
            .model = "rattleback_friction", .set = {"mu=3"}, .until = 2.4, .step = h[i]};
        error[i] = fabs(contact_end(&r, "spin") - want);
    }
    assert_true(want > 2.5); /* it has turned back */
    if (!(error[3] < 5e-4 && error[3] < 0.5 * error[0]))
        fail_msg("errors %g %g %g %g", error[0], error[1], error[2], error[3]);
}

/* where it slips it comes back slower */
static void test_rattleback__turns_back_with_friction(void **state) {
    (void)state;
    double rough = contact_end(
        &(contact_run){.model = "rattleback_friction", .until = 6, .step = 1e-4}, "spin");
    double slippery = contact_end(
        &(contact_run){.model = "rattleback_friction", .set = {"mu=0.1"}, .until = 6, .step = 1e-4},
        "spin");
    assert_true(rough > 4.5 && rough < 5);
    assert_true(slippery > 0.5 && slippery < 2);
}

/* ---- egg ---- */

/* held on the table, with smooth friction, it is a smooth motion: by a method of high order, and in
 * time steps */
static void test_egg__time_steps_converge_to_the_smooth_motion(void **state) {
    (void)state;
    contact_run r = {.model = "spinning_egg",
                     .law = {"table=smooth(mu, 0.05 [m/s])", "table=bilateral"},
                     .until = 0.5};
    double want = contact_end(&r, "E"), tilt = contact_end(&r, "tilt");
    double h[4], error[4];
    for (int i = 0; i < 4; i++) {
        h[i] = 2e-4 * pow(0.5, i);
        r.step = h[i];
        r.scheme = ZW_SIM_CONTACTS_MOREAU;
        error[i] = fabs(contact_end(&r, "E") - want);
    }
    assert_close(order_of(4, h, error), 1, 0.1);
    assert_close(contact_end(&r, "tilt"), tilt, 1e-3);
    simulation s = contact_do(&r);
    for (long i = 0; i < zw_table_rows(zw_sim_rows(s.sim)); i++)
        assert_true(fabs(at(zw_sim_rows(s.sim), i, "gap(table)")) < 1e-14);
    simulation_clear(&s);
}

/* it rises; spun faster, it leaves the table on its way */
static void test_egg__rises_and_jumps(void **state) {
    (void)state;
    static const char *const spin[] = {"Omega=150 [rad/s]", "Omega=250 [rad/s]"};
    for (int k = 0; k < 2; k++) {
        simulation s = contact_do(&(contact_run){.model = "spinning_egg",
                                                 .set = {spin[k]},
                                                 .until = 1.5,
                                                 .step = 2e-5,
                                                 .every = 1e-3,
                                                 .energy = true});
        const zw_table *rows = zw_sim_rows(s.sim);
        double highest = 0, least = 1;
        for (long i = 2; i < zw_table_rows(rows); i++) {
            highest = fmax(highest, at(rows, i, "gap(table)"));
            least = fmin(least, at(rows, i, "lambda(table)") / (0.06 * g));
            assert_true(at(rows, i, "work(table.friction)") <=
                        at(rows, i - 1, "work(table.friction)"));
        }
        assert_true(at(rows, -1, "tilt") < 70);
        if (k == 0)
            assert_true(highest < 1e-9 && least > 0.3);
        else
            assert_true(highest > 5e-5 && least == 0);
        simulation_clear(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tippe_top__jellett),
        cmocka_unit_test(test_tippe_top__inverts_with_contensou),
        cmocka_unit_test(test_euler_disc__stops_in_finite_time),
        cmocka_unit_test(test_rattleback__sticks_as_it_rolls),
        cmocka_unit_test(test_rattleback__turns_back_with_friction),
        cmocka_unit_test(test_egg__time_steps_converge_to_the_smooth_motion),
        cmocka_unit_test(test_egg__rises_and_jumps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
