/* SPDX-License-Identifier: MIT */
/* Orbits that close but for symmetries, and in families: Kepler's ellipses, a nutating top and a
 * spherical pendulum by elliptic integrals, a rolling disc by its reduced equations, two masses
 * that fly off together, and the tippedisk whose spin is held by a constraint against the model
 * without its angle. */
#include <math.h>
#include <stdlib.h>

#include "base/rotation.h"
#include "support/failing_allocator.h"
#include "support/orbits.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

static zw_context *ctx;
static zw_system *sys;
static zw_orbits *study;
static zw_error err;
static zw_orbits_options options;

static zw_status make(void) {
    return zw_orbits_create(&study, sys, &options, &err);
}

static void begin(double tolerance) {
    err = (zw_error){0};
    ctx = zw_context_create(NULL);
    study = NULL;
    options = zw_orbits_options_default();
    options.tolerance = tolerance;
}

static void done(void) {
    zw_orbits_destroy(study);
    zw_context_destroy(ctx);
}

static const zw_orbit_motion *find(void) {
    int number;
    if (make() < 0 || zw_orbits_find(study, NAN, &number, &err) < 0)
        fail_msg("%s", err.text);
    return zw_orbits_at(study, number);
}

static const zw_orbit_motion *find_text(const char *text, int nset, const char *const *set,
                                        double tolerance) {
    zw_model_options model = {.size = sizeof model, .nset = nset, .set = set};
    begin(tolerance);
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test", &model, &err) < 0)
        fail_msg("%s", err.text);
    return find();
}

static const zw_orbit_motion *find_file(const char *path, zw_model_options model,
                                        double tolerance) {
    model.size = sizeof model;
    begin(tolerance);
    if (zw_model_read(&sys, ctx, path, &model, &err) < 0)
        fail_msg("%s", err.text);
    return find();
}

/* all multipliers are 1, and none counts */
static void expect_ones(const zw_orbit_motion *m, double tolerance) {
    assert_int_equal(m->outside, 0);
    for (int i = 0; i < m->nmultiplier; i++) {
        assert_close(m->re[i], 1, tolerance);
        assert_close(m->im[i], 0, tolerance);
    }
}

/* --------------------------------------------------------------------------- elliptic integrals */

static double complete(double k2) {
    double a = 1, b = sqrt(1 - k2);
    for (int i = 0; i < 30; i++) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return M_PI / (2 * a);
}

/* The roots of c3 u^3 + c2 u^2 + c1 u + c0, of which one is known, ascending. */
static void roots(const double *c, double known, double *u) {
    double q1 = c[2] + c[3] * known, q0 = c[1] + q1 * known, d = sqrt(q1 * q1 - 4 * c[3] * q0);
    double r[3] = {(-q1 - d) / (2 * c[3]), (-q1 + d) / (2 * c[3]), known};
    for (int i = 0; i < 3; i++) {
        u[i] = r[i];
        for (int k = i; k > 0 && u[k] < u[k - 1]; k--) {
            double t = u[k];
            u[k] = u[k - 1];
            u[k - 1] = t;
        }
    }
}

/* ---------------------------------------------------------------------------------------- tests */

static const char kepler[] = "model kepler\nunits none\nparam e = 0.3\ncoord x, y\n"
                             "kinetic 1/2*(x'^2 + y'^2)\npotential -1/sqrt(x^2 + y^2)\n"
                             "start x = 1 - e, y = 0, x' = 0, y' = sqrt((1 + e)/(1 - e))\n";

/* All ellipses of one major axis take 2 pi a^(3/2): the orbit through the start itself is found.
 * Beside turns they form a family of two dimensions; the circle is moved by turns as it moves by
 * itself, and has three. */
static void test_modulo__kepler(void **state) {
    static const char *const set[] = {"e=0", "e=0.1", "e=0.3", "e=0.6", "e=0.8"};
    (void)state;
    for (int i = 0; i < 5; i++) {
        const zw_orbit_motion *m = find_text(kepler, 1, &set[i], 1e-9);
        assert_close(m->period / (2 * M_PI), 1, 1e-11);
        assert_int_equal(m->family, i == 0 ? 3 : 2);
        assert_int_equal(m->nturned, i == 0 ? 0 : 1);
        if (i > 0)
            assert_close(m->turned[0], 0, 1e-10);
        assert_true(m->leftover < 1e-10);
        assert_int_equal(m->verdict, ZW_FLOQUET_STABLE);
        expect_ones(m, 1e-8);
        done();
    }
}

/* u = cos(lean) obeys u'^2 = (1 - u^2)(al - be u) - (b - a u)^2 (Goldstein, section 5-7): half of
 * its period is an elliptic integral, and the precession in it the integral of (b - a u)/(1 -
 * u^2). */
static void test_modulo__top(void **state) {
    static const char *const set[] = {"B.wz=180 [rad/s]", "B.wz=260 [rad/s]"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        const double m = 0.1, l = 0.04, g = 9.81, J = 50e-6, C = 40e-6, A = J + m * l * l,
                     lean = M_PI / 6, n = i ? 260 : 180,
                     rate = (C * 200 - sqrt(C * C * 200 * 200 - 4 * A * m * g * l * cos(lean))) /
                            (2 * A * cos(lean)),
                     a = C * n / A, b = rate * sin(lean) * sin(lean) + a * cos(lean),
                     be = 2 * m * g * l / A,
                     al = rate * rate * sin(lean) * sin(lean) + be * cos(lean),
                     c[4] = {al - b * b, 2 * a * b - be, -al - a * a, be};
        double u[3], precession = 0;
        enum { PARTS = 64 };
        roots(c, cos(lean), u);
        double period = 4 * complete((u[1] - u[0]) / (u[2] - u[0])) / sqrt(be * (u[2] - u[0]));
        for (int k = 0; k < PARTS;
             k++) { /* u = mean + half cos(psi): by the trapezium rule, exponentially good */
            double psi = M_PI * (k + 0.5) / PARTS,
                   at = 0.5 * (u[0] + u[1]) + 0.5 * (u[1] - u[0]) * cos(psi);
            precession += 2 * M_PI / PARTS * (b - a * at) / (1 - at * at) / sqrt(be * (u[2] - at));
        }
        zw_model_options model = {.variant = "precession", .nset = 1, .set = &set[i]};
        const zw_orbit_motion *o = find_file(MODEL("heavy_top"), model, 1e-9);
        assert_close(o->period / period, 1, 1e-11);
        assert_int_equal(o->nturned, 2);
        assert_int_equal(o->family, 3);
        assert_close(remainder(o->turned[0] - precession, 2 * M_PI), 0, 1e-9);
        expect_ones(o, 1e-6);
        done();
    }
}

/* h = z of a pendulum of length 1 in the weight 1: h'^2 = 2 (E - h)(1 - h^2) - L^2. On a
 * constraint. */
static void test_modulo__spherical_pendulum(void **state) {
    static const char text[] =
        "model spherical\nunits none\ncoord x, y, z\nkinetic 1/2*(x'^2 + y'^2 + z'^2)\n"
        "potential z\nconstraint rod : x^2 + y^2 + z^2 = 1\n"
        "start x = 0.6, y = 0, z = -0.8, x' = 0, y' = 0.3, z' = 0\n";
    const double L = 0.18, E = 0.045 - 0.8, c[4] = {2 * E - L * L, -2, -2 * E, 2};
    double u[3];
    (void)state;
    roots(c, -0.8, u);
    double period = 4 * complete((u[1] - u[0]) / (u[2] - u[0])) / sqrt(2 * (u[2] - u[0]));
    const zw_orbit_motion *m = find_text(text, 0, NULL, 1e-9);
    assert_close(m->period / period, 1, 1e-11);
    assert_int_equal(m->nturned, 1);
    assert_int_equal(m->family, 2);
    done();
}

/* The disc in beta, beta', alpha' and its axial rate w, by the method of Runge and Kutta: half a
 * period from its largest inclination to its least. */
static void disc_rates(const double *s, double *f) {
    const double m = 0.1, r = 0.05, g = 9.81, A = m * r * r / 4, C = m * r * r / 2, R = m * r * r;
    f[0] = s[1];
    f[1] = (A * s[2] * s[2] * sin(s[0]) * cos(s[0]) - (C + R) * s[3] * s[2] * sin(s[0]) -
            m * g * r * cos(s[0])) /
           (A + R);
    f[2] = (C * s[3] * s[1] - 2 * A * s[2] * s[1] * cos(s[0])) / (A * sin(s[0]));
    f[3] = R * s[2] * s[1] * sin(s[0]) / (C + R);
}

static void disc_step(const double *s, double h, double *out) {
    double k[4][4], x[4];
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++)
            x[j] = s[j] + (i == 0 ? 0 : i == 3 ? h * k[2][j] : 0.5 * h * k[i - 1][j]);
        disc_rates(x, k[i]);
    }
    for (int j = 0; j < 4; j++)
        out[j] = s[j] + h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
}

static void test_modulo__rolling_disc(void **state) {
    static const char *const set[] = {"beta=1.1", "beta=1.16"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        const double A = 0.25, C = 0.5, g = 9.81 / 0.05, beta = 70 * M_PI / 180, rate = 6,
                     axial = (A * rate * rate * sin(beta) - g) * cos(beta) /
                             ((C + 1) * rate * sin(beta)),
                     h = 1e-4;
        double s[4] = {i ? 1.16 : 1.1, 0, rate, 0}, next[4], t = 0, low = 0, high = h;
        s[3] = axial - rate * cos(beta) + rate * cos(s[0]);
        for (disc_step(s, h, next); next[1] < 0; disc_step(s, h, next), t += h)
            memcpy(s, next, sizeof s);
        for (int k = 0; k < 60; k++) {
            double mid = 0.5 * (low + high);
            disc_step(s, mid, next);
            *(next[1] < 0 ? &low : &high) = mid;
        }
        zw_model_options model = {.nset = 1, .set = &set[i]};
        const zw_orbit_motion *m = find_file(MODEL("rolling_disc"), model, 1e-9);
        assert_close(m->period / (2 * (t + low)), 1, 1e-10);
        assert_int_equal(m->nturned, 1);
        assert_int_equal(m->family, 3);
        expect_ones(m, 1e-6);
        /* x and y gain something else in the next period, in another direction */
        assert_true(isnan(m->measure[0].first) && isnan(m->measure[1].first));
        assert_true(m->measure[2].first > 0);
        done();
    }
}

/* A disc that rolls in a circle at constant lean comes back after a turn, 2 pi/6 s, turned about
 * its own axis. */
static void test_modulo__steady_rolling(void **state) {
    (void)state;
    const zw_orbit_motion *m =
        find_file(MODEL("rolling_disc"), (zw_model_options){.nset = 0}, 1e-9);
    assert_close(m->period / (2 * M_PI / 6), 1, 1e-10);
    done();
}

/* Two masses on a spring that fly off together: what comes back is their distance, of period 2
 * pi/sqrt(2 k). */
static void test_modulo__masses_fly_off(void **state) {
    static const char text[] = "model chain\nunits none\ncoord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                               "potential (y - x)^2\n"
                               "start x = 0, y = 0.5, x' = 0.1, y' = 0.1\n";
    (void)state;
    const zw_orbit_motion *m = find_text(text, 0, NULL, 1e-9);
    assert_close(m->period, M_PI, 1e-10);
    assert_int_equal(m->nturned, 1);
    assert_close(m->turned[0], 0.1 * M_PI, 1e-10);
    done();
}

static bool has_multiplier(const zw_orbit_motion *m, double re, double im, double tolerance) {
    for (int i = 0; i < m->nmultiplier; i++)
        if (hypot(m->re[i] - re, m->im[i] - im) < tolerance)
            return true;
    return false;
}

/* alpha' = Omega is a constraint: alpha grows for ever, and places on the plane turn with it.
 * models/tippedisk_held.zw has neither. */
static void test_modulo__held_spin(void **state) {
    static const char *const set[] = {"Omega=30.5 [rad/s]", "gamma=2"}, *const spin[] = {"spin"};
    zw_model_options model = {.nset = 2, .set = set};
    double period, re[8], im[8];
    (void)state;
    const zw_orbit_motion *m = find_file(MODEL("tippedisk_held"), model, 1e-8);
    period = m->period;
    int n = m->nmultiplier;
    memcpy(re, m->re, sizeof(double) * (size_t)n);
    memcpy(im, m->im, sizeof(double) * (size_t)n);
    done();
    model.nwith = 1;
    model.with = spin;
    m = find_file(MODEL("tippedisk"), model, 1e-8);
    assert_close(m->period / period, 1, 1e-9);
    assert_close(m->turned[0], 30.5 * m->period, 1e-9);
    assert_int_equal(m->nmultiplier, n + 1); /* that of the symmetry */
    assert_int_equal(m->verdict, ZW_FLOQUET_STABLE);
    for (int i = 0; i < n; i++)
        assert_true(has_multiplier(m, re[i], im[i], 1e-7));
    done();
}

/* With all constraints of the chain it is the differential equation of
 * models/tippedisk_reduced.zw. */
static void test_modulo__reduced_by_constraints(void **state) {
    static const char *const set[] = {"Omega=30.5 [rad/s]", "gamma=2"}, *const with[] = {
                                                                            "cog", "roll", "spin"};
    zw_model_options model = {.nset = 2, .set = set};
    (void)state;
    const zw_orbit_motion *m = find_file(MODEL("tippedisk_reduced"), model, 1e-7);
    double period = m->period, re = m->re[1], accuracy = m->accuracy;
    done();
    model =
        (zw_model_options){.nset = 2, .set = set, .variant = "weight", .nwith = 3, .with = with};
    m = find_file(MODEL("tippedisk"), model, 1e-7);
    assert_close(m->period / period, 1, 1e-7);
    assert_true(has_multiplier(m, re, 0, fmax(3 * (accuracy + m->accuracy), 1e-5)));
    done();
}

/* Over Omega: the constraint itself moves with it. */
static void test_modulo__branch(void **state) {
    static const char *const set[] = {"Omega=30.5 [rad/s]", "gamma=2"}, *const spin[] = {"spin"};
    double end[2][2];
    (void)state;
    for (int i = 0; i < 2; i++) {
        zw_model_options model = {
            .size = sizeof model, .nset = 2, .set = set, .nwith = i, .with = spin};
        int number;
        begin(1e-7);
        options.over = "Omega=30.45:30.55";
        if (zw_model_read(&sys, ctx, i ? MODEL("tippedisk") : MODEL("tippedisk_held"), &model,
                          &err) < 0 ||
            make() < 0 || zw_orbits_find(study, 30.5, &number, &err) < 0 ||
            zw_orbits_follow(study, number, &err) < 0)
            fail_msg("%s", err.text);
        for (int side = 0; side < 2; side++)
            assert_int_equal(zw_orbits_branch_end(study, 0, side), ZW_CONT_AT_BOUND);
        for (int k = 0; k < zw_orbits_count(study); k++) {
            const zw_orbit_motion *m = zw_orbits_at(study, k);
            if (fabs(m->value - 30.45) < 1e-12)
                end[i][0] = m->period;
            if (fabs(m->value - 30.55) < 1e-12)
                end[i][1] = m->period;
        }
        done();
    }
    for (int side = 0; side < 2; side++)
        assert_close(end[0][side], end[1][side], 1e-9);
}

/* The start of Henon's and Heiles's potential is on no orbit, families of more dimensions have no
 * way to go along, and other methods are for single orbits. */
static void test_modulo__refuses(void **state) {
    static const char hh[] = "model hh\nunits none\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                             "potential (x^2 + y^2)/2 + x^2*y - y^3/3\nstart x = 0.3, y = 0.1\n";
    zw_orbits_shot shot;
    int number;
    (void)state;
    begin(1e-6);
    assert_int_equal(zw_model_parse(&sys, ctx, hh, strlen(hh), "test", NULL, &err), ZW_OK);
    assert_int_equal(make(), ZW_OK);
    assert_int_equal(zw_orbits_find(study, NAN, &number, &err), ZW_E_NUMERIC);
    assert_non_null(strstr(err.text, "is on no orbit"));
    done();
    begin(1e-6);
    options.over = "e=0.2:0.5";
    assert_int_equal(zw_model_parse(&sys, ctx, kepler, strlen(kepler), "test", NULL, &err), ZW_OK);
    assert_int_equal(make(), ZW_OK);
    assert_int_equal(zw_orbits_find(study, NAN, &number, &err), ZW_OK);
    assert_int_equal(zw_orbits_follow(study, number, &err), ZW_E_OPTION);
    assert_non_null(strstr(err.text, "family with 2 more dimensions"));
    err = (zw_error){0};
    assert_int_equal(zw_orbits_shoot(study, number, 1, NULL, &shot, &err), ZW_E_OPTION);
    done();
}

/* told in words and as JSON */
static void test_modulo__is_told(void **state) {
    (void)state;
    find_text(kepler, 0, NULL, 1e-9);
    char *text = orbits_text(study);
    zw_report *r = orbits_report(study);
    assert_non_null(strstr(text, "comes back turned: by "));
    assert_non_null(strstr(text, "of turn(x, y)"));
    assert_non_null(
        strstr(text, "lies in a family of 2 dimensions, besides those of its symmetries"));
    assert_string_equal(zw_report_get_word(r, "orbits.0.turned.0.symmetry"), "turn(x, y)");
    assert_true(isfinite(zw_report_get_number(r, "orbits.0.turned.0.by")));
    assert_int_equal((int)zw_report_get_number(r, "orbits.0.family"), 2);
    assert_true(isfinite(zw_report_get_number(r, "orbits.0.leftover")));
    zw_report_destroy(r);
    free(text);
    done();
}

/* --------------------------------------------------------------------------------------- driven */

static const char sleigh[] =
    "model sleigh\n"
    "param m = 1 [kg], J = 0.1 [kg*m^2], a = 0.2 [m], c = 0.5 [kg/s], d = 0.1 [N*m*s], "
    "      M0 = 2 [N*m], Om = 6 [rad/s]\n"
    "coord x, y [m], th [rad]\n"
    "frame S : rotate z th at (x, y, 0)\n"
    "body B : S, inertia(m, J, J, J) at (a, 0, 0)\n"
    "constraint blade : -sin(th)*x' + cos(th)*y' = 0\n"
    "force drag (x, y) = -c*(x', y')\n"
    "force turn (th) = M0*cos(Om*t) - d*th'\n"
    "start th = 0, x' = 0.98 [m/s], y' = 0, th' = 0.76 [rad/s]\n";

/* A driven sleigh may set out in any direction: one multiplier is 1, and Newton's method alone
 * finds no orbit. How far it goes in a period is from u' = a w^2 - c u/m, (J + m a^2) w' = M0
 * cos(Om t) - d w - m a u w after 60 periods by the classical Runge-Kutta method, 4000 steps
 * each. */
static void test_modulo__driven_sleigh(void **state) {
    (void)state;
    static const char *const fast[] = {"Om=3 [rad/s]"};
    const zw_orbit_motion *m = find_text(sleigh, 0, NULL, 1e-11);
    assert_close(hypot(m->drift[0], m->drift[1]), 1.02334961155, 1e-10);
    assert_int_equal(m->outside, 0);
    done();
    m = find_text(sleigh, 1, fast, 1e-11);
    assert_close(hypot(m->drift[0], m->drift[1]), 3.07008009017, 1e-10);
    done();
}

/* A mass on a spring to a point of a driven wheel. Its x and y come back turned: they are no
 * periodic functions, have no harmonics, and their least values in the period are those of its
 * beginning, where they grow and below which no node is. The distance from the centre comes back;
 * twice the angle drifts by twice as much as the angle. */
static void test_modulo__turned_entries(void **state) {
    (void)state;
    static const char wheel[] = "model wheel\nunits none\nparam c = 0.2, F = 0.5, w = 1.5\n"
                                "coord x, y, th\nperiodic th\n"
                                "kinetic (x'^2 + y'^2 + th'^2)/2\n"
                                "potential ((x - cos(th))^2 + (y - sin(th))^2)/2\n"
                                "dissipation c*(x'^2 + y'^2)/2\n"
                                "force (th) = F*cos(w*t) - 0.1*th' + 0.2\n"
                                "observe side = y\nobserve away = x^2 + y^2\n"
                                "observe twice = 2*th\nstart x = 1, y = 0\n";
    const zw_orbit_motion *m = find_text(wheel, 0, NULL, 1e-9);
    int stride = 6 * (4 + 1);
    for (int i = 0; i < 2; i++) {
        const zw_motion_measure *q = &m->measure[i];
        assert_true(m->x[3 + i] > 0);
        for (int j = 1; j < m->intervals; j++)
            assert_true(m->x[j * stride + i] > m->x[i]);
        assert_close(q->min, m->x[i], 1e-9);
        assert_true(isnan(q->first) && isnan(q->phase));
    }
    assert_close(m->measure[3].min, m->x[1], 1e-9);
    assert_true(isnan(m->measure[3].first));
    const zw_motion_measure *x = &m->measure[0], *y = &m->measure[1], *away = &m->measure[4];
    assert_close(away->mean, x->rms * x->rms + y->rms * y->rms, 1e-7);
    assert_true(away->first > 0 && m->drift[4] == 0);
    assert_close(m->drift[2], m->turned[0], 1e-9);
    assert_close(m->drift[5], 2 * m->drift[2], 1e-9);
    assert_close(m->measure[5].first, 2 * m->measure[2].first, 1e-7);
    char *text = orbits_text(study), *json = orbits_json(study);
    assert_non_null(strstr(text, "over this period only: x, y, side\n"));
    assert_non_null(strstr(json, "\"first\": null"));
    free(text);
    free(json);
    done();
}

/* A ball in a bowl keeps its spin about the normal whatever drives it: its orbits form a family
 * without being conservative. In the plane of the drive 7/5 L ph'' = -g sin(ph) + F/m cos(Om t)
 * cos(ph) - c/m L ph', L = R - r; its state after 100 periods by Runge and Kutta's method. */
static void test_modulo__driven_ball_in_a_bowl(void **state) {
    (void)state;
    static const char bowl[] =
        "model bowl\n"
        "param m = 1 [kg], r = 0.1 [m], R = 0.9 [m], g = 9.81 [m/s^2], F = 0.4 [N], "
        "      Om = 2 [rad/s], c = 0.5 [kg/s]\n"
        "coord x, y, z [m]\n"
        "body ball : sphere(m, r) at (x, y, z)\n"
        "rolling roll : sphere ball radius r on sphere centre (0, 0, R) radius R inside\n"
        "gravity g along -z\n"
        "force wind at ball.origin = (F*cos(Om*t), 0, 0)\n"
        "force drag at ball.origin = -c*(x', y', z')\n"
        "start x = 0, y = 0, z = r\n";
    const zw_orbit_motion *m = find_text(bowl, 0, NULL, 1e-9);
    assert_int_equal(m->family, 1);
    assert_close(m->x[0], 0.0586186126217, 1e-9);
    assert_close(m->x[7], 0.0175621679112, 1e-9);
    done();
}

/* In a plane through the bottom, where a turn about the vertical moves nothing: after half a period
 * of the pendulum, 2 sqrt(7 L/(5 g)) K, it is back turned by half a turn. */
static void test_modulo__ball_through_the_bottom(void **state) {
    (void)state;
    static const char bowl[] =
        "model bowl\nparam m = 1 [kg], r = 0.1 [m], R = 0.9 [m], g = 9.81 [m/s^2]\n"
        "coord x, y, z [m]\nbody ball : sphere(m, r) at (x, y, z)\ngravity g along -z\n"
        "rolling roll : sphere ball radius r on sphere centre (0, 0, R) radius R inside\n"
        "start x = 0.1 [m], y = 0\nguess z = r\n";
    const zw_orbit_motion *m = find_text(bowl, 0, NULL, 1e-9);
    double half = sin(asin(0.1 / 0.8) / 2);
    assert_close(m->period, 2 * sqrt(7 * 0.8 / (5 * 9.81)) * complete(half * half), 1e-9);
    assert_close(fabs(m->turned[0]), M_PI, 1e-9);
    done();
}

/* A driven pendulum in spherical angles that swings in a plane: ph has no inertia at th = 0. In one
 * angle it is the same orbit without a warning. */
static void test_modulo__singular_coordinates(void **state) {
    (void)state;
    double most[2];
    for (int k = 0; k < 2; k++) {
        char text[400];
        snprintf(text, sizeof text,
                 "model sph\nunits none\ncoord th%s\nkinetic (th'^2%s)/2\n"
                 "potential -9.81*cos(th)\nforce (th) = -0.3*th' + 3*cos(2*t)\nstart th = 1\n",
                 k ? "" : ", ph", k ? "" : " + sin(th)^2*ph'^2");
        most[k] = find_text(text, 0, NULL, 1e-7)->measure[0].max;
        zw_warnings *doubts = zw_warnings_create(NULL);
        bool told = false;
        zw_orbits_warnings(study, doubts);
        for (int i = 0; i < zw_warnings_count(doubts); i++)
            told |= strstr(zw_warnings_at(doubts, i)->text, "nearly singular at th = ") != NULL;
        assert_true(told == (k == 0));
        zw_warnings_destroy(doubts);
        done();
    }
    assert_close(most[0], most[1], 1e-5);
}

/* In the plane of the drive the spin about the normal is zero but for rounding, which is no
 * drift. */
static void test_modulo__rounding_is_no_drift(void **state) {
    (void)state;
    static const char *const set[] = {"omega=2.5 [rad/s]", "y'=0"};
    const zw_orbit_motion *m =
        find_file(ZW_SOURCE_DIR "/models/absorber_spatial.zw",
                  (zw_model_options){.variant = "zone", .nset = 2, .set = set}, 1e-6);
    assert_close(m->period, 2 * M_PI / 2.5, 1e-12);
    assert_null(m->drift);
    done();
}

/* A ball on a turntable runs round in circles of any centre and radius at 2/7 of its rate, with any
 * spin about the vertical: four numbers beside the phase, of which the turn about the axis makes
 * one. Its attitude does not come back; the turn of a period is that of a run. */
static void test_modulo__circles_on_a_turntable(void **state) {
    double turn[3], A[9], B[9], H[9], e[2][4];
    char words[80];
    zw_table *rows;
    (void)state;
    const zw_orbit_motion *m = find_file(MODEL("turntable_ball"), (zw_model_options){0}, 1e-10);
    assert_close(m->period, 2 * M_PI / (2. / 7 * 1.5 * M_PI), 1e-10);
    assert_int_equal(m->family, 3);
    assert_int_equal(m->nmultiplier, 5);
    expect_ones(m, 1e-8);
    assert_close(m->measure[0].first, m->measure[1].first, 1e-9); /* a circle */
    for (int i = 2; i < 6; i++)
        assert_true(isnan(m->measure[i].first));
    assert_null(m->drift);
    assert_int_equal(zw_orbits_motion_table(study, 0, 4, NULL, &rows, NULL, &err), ZW_OK);
    for (int i = 0; i < 8; i++) {
        char name[] = {'b', 'a', 'l', 'l', '.', 'p', (char)('0' + i % 4), '\0'};
        e[i / 4][i % 4] =
            zw_table_at(rows, i / 4 ? zw_table_rows(rows) - 1 : 0, zw_table_find(rows, name));
    }
    zw_rotation_matrix(e[0], A);
    zw_rotation_matrix(e[1], B);
    zw_rotation_product_right(B, A, H);
    zw_rotation_vector(H, turn);
    snprintf(words, sizeof words, "ball comes back rotated by %.6g",
             sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]));
    char *text = orbits_text(study);
    assert_non_null(strstr(text, words));
    free(text);
    zw_table_destroy(rows);
    done();
}

static void test_modulo__survives_a_lack_of_memory(void **state) {
    (void)state;
    for (long n = 1;; n += 1 + n / 8) {
        failing_allocator fail = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&fail);
        zw_orbits_options o = zw_orbits_options_default();
        zw_orbits *s = NULL;
        zw_system *model;
        int number;
        o.steps = 300;
        err = (zw_error){0};
        zw_context *own = zw_context_create(&alloc);
        zw_status status = own ? ZW_OK : ZW_E_MEMORY;
        if (status >= 0)
            status = zw_model_parse(&model, own, kepler, strlen(kepler), "test", NULL, &err);
        if (status >= 0)
            status = zw_orbits_create(&s, model, &o, &err);
        if (status >= 0)
            status = zw_orbits_find(s, NAN, &number, &err);
        if (status >= 0) {
            assert_int_equal(zw_orbits_at(s, number)->family, 2);
            orbits_are_reported(s, &alloc);
        } else {
            assert_int_equal(status, ZW_E_MEMORY);
        }
        zw_orbits_destroy(s);
        zw_context_destroy(own);
        assert_int_equal(fail.blocks, 0);
        assert_int_equal(fail.bytes, 0);
        if (!fail.failed)
            break;
    }
}

/* A motor that is caught at resonance: the rotor turns, and two coordinates and its angle drift.
 * The fold, where it gets through, is that of the map of half a turn by a Runge-Kutta method of
 * order 8 over the angle, solved in a program of its own; between the folds the speeds are
 * unstable. The speed changes by many times its ripple: steps are measured by the speed. */
static void test_modulo__sommerfeld(void **state) {
    (void)state;
    zw_model_options model = {.size = sizeof model, .variant = "one_motor"};
    begin(1e-7);
    options.over = "M_r=0.6:0.75 [N*m]";
    if (zw_model_read(&sys, ctx, MODEL("hydropulsator"), &model, &err) < 0)
        fail_msg("%s", err.text);
    int number, folds = 0, unstable = 0;
    if (make() < 0 || zw_orbits_find(study, 0.6, &number, &err) < 0 ||
        zw_orbits_follow(study, number, &err) < 0)
        fail_msg("%s", err.text);
    int n = zw_orbits_count(study);
    for (int i = 0; i < n; i++) {
        const zw_orbit_motion *m = zw_orbits_at(study, i);
        assert_int_not_equal(m->event, ZW_BIFURCATION_BRANCH);
        unstable += m->verdict == ZW_FLOQUET_UNSTABLE;
        if (m->event != ZW_BIFURCATION_FOLD)
            continue;
        folds++;
        assert_close(m->value, 0.71134469096, 2e-10);
        assert_close(2 * M_PI / m->period, 10.2086421, 1e-5);
    }
    assert_int_equal(folds, 1);
    assert_true(unstable > 5);
    assert_true(n < 200);
    done();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modulo__kepler),
        cmocka_unit_test(test_modulo__top),
        cmocka_unit_test(test_modulo__spherical_pendulum),
        cmocka_unit_test(test_modulo__rolling_disc),
        cmocka_unit_test(test_modulo__steady_rolling),
        cmocka_unit_test(test_modulo__masses_fly_off),
        cmocka_unit_test(test_modulo__held_spin),
        cmocka_unit_test(test_modulo__reduced_by_constraints),
        cmocka_unit_test(test_modulo__branch),
        cmocka_unit_test(test_modulo__refuses),
        cmocka_unit_test(test_modulo__is_told),
        cmocka_unit_test(test_modulo__driven_sleigh),
        cmocka_unit_test(test_modulo__turned_entries),
        cmocka_unit_test(test_modulo__ball_through_the_bottom),
        cmocka_unit_test(test_modulo__singular_coordinates),
        cmocka_unit_test(test_modulo__rounding_is_no_drift),
        cmocka_unit_test(test_modulo__driven_ball_in_a_bowl),
        cmocka_unit_test(test_modulo__circles_on_a_turntable),
        cmocka_unit_test(test_modulo__sommerfeld),
        cmocka_unit_test(test_modulo__survives_a_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
