/* SPDX-License-Identifier: MIT */
/* Slips of two velocities that begin, from event to event: friction has no direction at rest, and
 * turns that of a slow slip in no time. */
#include <math.h>

#include "support/simulation.h"

/* ---- a particle that is pushed with F = (5t, sin 7t), by its speed s and direction phi ---- */

enum { MOTION = 4 };
static const double g = 9.81, mu = 0.3;

static double force(double t, double *direction) {
    double x = 5 * t, y = sin(7 * t);
    *direction = atan2(y, x);
    return hypot(x, y);
}

/* s' = F cos(psi - phi) - mu g, phi' = F sin(psi - phi)/s; then x, y */
static void rates(double t, const double *m, double *out) {
    double psi, F = force(t, &psi);
    out[0] = F * cos(psi - m[1]) - mu * g;
    out[1] = F * sin(psi - m[1]) / m[0];
    out[2] = m[0] * cos(m[1]);
    out[3] = m[0] * sin(m[1]);
}

static void runge_kutta(double t, double h, double *m) {
    static const double part[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
    double k[4][MOTION], sum[MOTION] = {0}, to[MOTION];
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < MOTION; j++)
            to[j] = m[j] + (i ? part[i] * h * k[i - 1][j] : 0);
        rates(t + part[i] * h, to, k[i]);
        for (int j = 0; j < MOTION; j++)
            sum[j] += h / 6 * weight[i] * k[i][j];
    }
    for (int j = 0; j < MOTION; j++)
        m[j] += sum[j];
}

/* where F = mu g, m = 1 kg */
static double begins_at(void) {
    double low = 0.4, high = 0.6, psi;
    for (int i = 0; i < 100; i++)
        *(force((low + high) / 2, &psi) < mu * g ? &low : &high) = (low + high) / 2;
    return low;
}

/* From eps behind the beginning on: there phi follows psi behind by s psi'/F, which changes s by
 * its square only, so that s is the integral of F - mu g. Steps resolve the time s/(mu g) in which
 * friction turns the slip. */
static void slide(double until, double *m) {
    enum { PARTS = 200 };
    const double eps = 1e-3;
    double t0 = begins_at(), t = t0, psi, before, behind;
    memset(m, 0, sizeof *m * MOTION);
    for (int i = 0; i < PARTS; i++) {
        double h = eps / PARTS, middle = force(t + h / 2, &psi) - mu * g;
        m[2] += (m[0] + middle * h / 4) * h * cos(psi);
        m[3] += (m[0] + middle * h / 4) * h * sin(psi);
        m[0] += middle * h;
        t += h;
    }
    force(t - 1e-6, &before);
    force(t + 1e-6, &behind);
    double F = force(t, &psi);
    m[1] = psi - m[0] * (behind - before) / 2e-6 / F;
    while (t < until) {
        double h = fmin(fmin(0.05 * m[0] / (mu * g), 1e-4), until - t);
        runge_kutta(t, h, m);
        t += h;
    }
}

/* ---- tables ---- */

/* 1 kg on two rows of four feet, `depth` below its centre, pushed at the height of its feet. At
 * that of its centre nothing tips or turns it, and all feet slide the same way. */
static void write_table(char *text, size_t size, double depth) {
    size_t used = (size_t)snprintf(
        text, size,
        "model table\nparam m = 1 [kg], a = 0.3 [m], d = %g [m], mu = 0.3, g = 9.81 [m/s^2]\n"
        "coord x, y, z [m]\nrotation B\nbody top : B at (x, y, z), box(m, 2*a, 2*a, 0.1 [m])\n"
        "gravity g along -z\n"
        "force push at top.origin + B(0, 0, -d) on top = "
        "(5 [N/s]*t, 1 [N]*sin(7 [1/s]*t), 0)\nstart z = d\n",
        depth);
    for (int i = 0; i < 8; i++)
        used += (size_t)snprintf(text + used, size - used,
                                 "point P%d : top.origin + B(%d*a/3, %d*a, -d)\n"
                                 "contact c%d : gap P%d.z, slip top.velocity(P%d), law "
                                 "coulomb(mu)\n",
                                 i, 2 * (i % 4) - 3, 2 * (i / 4) - 1, i, i, i);
}

static simulation push_table(double depth, const char *method, double rtol) {
    char text[3000];
    simulation s = simulation_make(1);
    s.options.contacts = ZW_SIM_CONTACTS_EVENTS;
    s.options.run.method = method;
    s.options.run.rtol = rtol;
    s.options.run.atol = rtol / 100;
    s.options.run.steps_max = 2000;
    write_table(text, sizeof text, depth);
    simulation_run(&s, text);
    assert_done(&s);
    return s;
}

/* Friction is stiff across a slow slip, and less so the faster it gets: a method that keeps the
 * Jacobian of the first moment takes its own changes, which are small then, for convergence, and
 * slides on in the first direction. */
static void test_table__on_eight_feet_is_pushed_two_ways(void **state) {
    (void)state;
    static const char *const method[] = {NULL, NULL, NULL, "radau", "bdf", "ida"};
    static const double rtol[] = {1e-6, 1e-8, 1e-10, 1e-8, 1e-8, 1e-8};
    double m[MOTION];
    slide(1, m);
    for (int i = 0; i < 6; i++) {
        simulation s = push_table(0, method[i], rtol[i]);
        const zw_table *rows = zw_sim_rows(s.sim);
        double within = fmax(10 * rtol[i], 1e-8);
        assert_close(at(rows, -1, "x"), m[2], within);
        assert_close(at(rows, -1, "y"), m[3], within);
        assert_close(at(rows, -1, "x'"), m[0] * cos(m[1]), within);
        assert_close(at(rows, -1, "y'"), m[0] * sin(m[1]), within);
        assert_int_equal(zw_table_rows(zw_sim_events(s.sim)), 8);
        assert_close(at(zw_sim_events(s.sim), 0, "t"), begins_at(), 1e-6);
        assert_null(strstr(note_of(rows, "doubts"), "continues as before"));
        simulation_clear(&s);
    }
}

/* Feet below the centre: the table turns. Slips that begin with velocities as small as the
 * tolerances must not be ended by errors of the same size, again and again; the oracle is another
 * method. */
static void test_table__that_turns_begins_to_slide_once(void **state) {
    (void)state;
    static const char *const column[] = {"x", "y", "x'", "y'", "B.wz"};
    simulation s = push_table(0.05, NULL, 1e-8), other = push_table(0.05, "ida", 1e-9);
    for (int i = 0; i < 5; i++)
        assert_close(at(zw_sim_rows(s.sim), -1, column[i]),
                     at(zw_sim_rows(other.sim), -1, column[i]), 1e-7);
    assert_true(fabs(at(zw_sim_rows(s.sim), -1, "B.wz")) > 5e-3);
    assert_int_equal(zw_table_rows(zw_sim_events(s.sim)), 8);
    assert_null(strstr(note_of(zw_sim_rows(s.sim), "doubts"), "continues as before"));
    simulation_clear(&s);
    simulation_clear(&other);
}

/* ---- tolerances near rounding ---- */

/* The slip of the tippedisk begins with 1e-12 m/s of velocities of 2 m/s: its direction, and with
 * it the normal force, has four digits. No part of a step however short has more, and the force of
 * some N is far from zero. Time of slip: runs with tolerances of 1e-8 and 1e-10 agree in that to
 * 1e-11 s. */
static void test_tippedisk__slips_at_tolerances_near_rounding(void **state) {
    (void)state;
    static const double atol[] = {1e-12, 1e-14};
    double slips[3], sticks[3];
    for (int i = 0; i < 3; i++) {
        simulation s = simulation_make(0.45);
        s.options.contacts = ZW_SIM_CONTACTS_EVENTS;
        s.options.run.rtol = i ? 1e-12 : 1e-10;
        s.options.run.atol = i ? atol[i - 1] : 1e-10;
        s.options.run.steps_max = 5000;
        s.ctx = zw_context_create(NULL);
        const zw_model_source source = {.file = ZW_SOURCE_DIR "/models/tippedisk_contact.zw"};
        assert_int_equal(zw_model_read(&s.sys, s.ctx, source.file, NULL, &s.err), ZW_OK);
        assert_int_equal(zw_sim_create(&s.sim, s.sys, &source, &s.options, &s.err), ZW_OK);
        s.status = zw_sim_run(s.sim, &s.err);
        assert_done(&s);
        const zw_table *events = zw_sim_events(s.sim);
        assert_int_equal(zw_table_rows(events), 2);
        slips[i] = at(events, 0, "t");
        sticks[i] = at(events, 1, "t");
        assert_null(strstr(note_of(zw_sim_rows(s.sim), "doubts"), "not seen"));
        assert_int_equal(zw_sim_statistics(s.sim).run.undecided, 0);
        simulation_clear(&s);
    }
    for (int i = 1; i < 3; i++) {
        assert_close(slips[i], slips[0], 1e-10);
        assert_close(sticks[i], sticks[0], 1e-8);
    }
    assert_close(slips[2], slips[1], 1e-11);
    assert_close(sticks[2], sticks[1], 1e-10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table__on_eight_feet_is_pushed_two_ways),
        cmocka_unit_test(test_table__that_turns_begins_to_slide_once),
        cmocka_unit_test(test_tippedisk__slips_at_tolerances_near_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
