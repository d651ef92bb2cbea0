/* SPDX-License-Identifier: MIT */
/* Motions between two places: closed forms (oscillators, projectile, great circles, Lambert's
 * theorem, circles of the nonholonomic integrator), the pendulum in two sets of coordinates, the
 * penny against Hamilton's equations written here and against differences of its action; counts of
 * conditions, refusals, memory. */
#include <math.h>
#include <stdio.h>

#include "support/failing_allocator.h"
#include "support/report.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

static zw_context *ctx;
static zw_system *sys;
static zw_paths *study;
static zw_error err;

static const char oscillator[] = "model oscillator\nunits none\ncoord x\nkinetic 1/2*x'^2\n"
                                 "potential 1/2*x^2\nstart x = 0.3\n";
static const char plane[] = "model plane\nunits none\ncoord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                            "potential 1/2*(x^2 + y^2)\nstart x = 0.3, y = 0\n";
static const char projectile[] = "model projectile\nunits none\ncoord x, y\n"
                                 "kinetic x'^2 + y'^2\npotential 2*9.81*y\nstart x = 0, y = 0\n";
static const char sphere[] = "model sphere\nunits none\ncoord x, y, z\n"
                             "kinetic 1/2*(x'^2 + y'^2 + z'^2)\n"
                             "constraint ball : x^2 + y^2 + z^2 = 1\nstart x = 1, y = 0, z = 0\n";
static const char kepler[] = "model kepler\nunits none\ncoord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                             "potential -1/sqrt(x^2 + y^2)\nstart x = 1, y = 0\n";
static const char heisenberg[] =
    "model heisenberg\nunits none\ncoord x, y, z\n"
    "kinetic 1/2*(x'^2 + y'^2) + 1/2*(z' - 1/2*(x*y' - y*x'))^2\n"
    "constraint area : z' = 1/2*(x*y' - y*x')\nstart x = 0, y = 0, z = 0\n";
static const char polar[] = "model polar\nunits none\ncoord phi\nkinetic 1/2*phi'^2\n"
                            "potential -9.81*cos(phi)\nstart phi = 0\n";
static const char cartesian[] = "model cartesian\nunits none\ncoord x, y\n"
                                "kinetic 1/2*(x'^2 + y'^2)\npotential 9.81*y\n"
                                "constraint rod : x^2 + y^2 = 1\nstart x = 0, y = -1\n";

static zw_status open_study(const char *text, zw_paths_options o) {
    ctx = zw_context_create(NULL);
    err = (zw_error){0};
    study = NULL;
    zw_status status = text[0] == '/'
                           ? zw_model_read(&sys, ctx, text, NULL, &err)
                           : zw_model_parse(&sys, ctx, text, strlen(text), "test", NULL, &err);
    if (status < 0)
        fail_msg("%s", err.text);
    return zw_paths_create(&study, sys, &o, &err);
}

static void find(const char *text, zw_paths_options o) {
    if (open_study(text, o) < 0 || zw_paths_find(study, &err) < 0)
        fail_msg("%s", err.text);
    for (int i = 0; i < zw_paths_count(study); i++) {
        const zw_path_found *f = zw_paths_at(study, i);
        assert_true(f->missed < 1e-8);
        assert_true(f->error < 1e-8);
        assert_true(f->residual < 1e-10);
    }
}

static void close_study(void) {
    zw_paths_destroy(study);
    zw_context_destroy(ctx);
}

static zw_paths_options wish(const char *to, double time) {
    zw_paths_options o = zw_paths_options_default();
    o.to = to;
    o.time = time;
    return o;
}

/* the motion of this action */
static const zw_path_found *with_action(double action) {
    for (int i = 0; i < zw_paths_count(study); i++)
        if (fabs(zw_paths_at(study, i)->action - action) < 1e-8 * (1 + fabs(action)))
            return zw_paths_at(study, i);
    fail_msg("there is no motion of the action %.12g", action);
    return NULL;
}

/* S = ((a^2 + b^2) cos T - 2 a b)/(2 sin T), and a conjugate point after every pi */
static void test_paths__oscillator(void **state) {
    static const double times[] = {1, 2.5, 4, 10};
    (void)state;
    for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
        double T = times[k], a = 0.3, b = 1;
        find(oscillator, wish("x=1", T));
        assert_int_equal(zw_paths_count(study), 1);
        const zw_path_found *f = zw_paths_at(study, 0);
        assert_true(fabs(f->action - ((a * a + b * b) * cos(T) - 2 * a * b) / (2 * sin(T))) < 1e-9);
        assert_true(fabs(f->momentum[0][0] - (b - a * cos(T)) / sin(T)) < 1e-9);
        assert_true(fabs(f->momentum[1][0] - (b * cos(T) - a) / sin(T)) < 1e-9);
        assert_int_equal(f->index, (int)(T / M_PI));
        assert_int_equal(f->kind, T < M_PI ? ZW_PATH_MINIMUM : ZW_PATH_SADDLE);
        if (T > M_PI)
            assert_true(f->conjugate > M_PI && f->conjugate < M_PI + 1);
        close_study();
    }
    find(plane, wish("x=1, y=0.2", 4)); /* all neighbours meet again: both directions at once */
    assert_int_equal(zw_paths_at(study, 0)->index, 2);
    close_study();
}

/* given time; given energy: two throws, y = x tan(a) - g x^2 (1 + tan(a)^2)/(2 v^2); a velocity as
 * condition; times that do not begin at 0 */
static void test_paths__projectile(void **state) {
    double g = 9.81, x = 3, y = 1, v2 = 60; /* m = 2 kg: E = v^2 */
    (void)state;
    find(projectile, wish("x=3, y=1", 2));
    assert_int_equal(zw_paths_count(study), 1);
    const zw_path_found *f = zw_paths_at(study, 0);
    assert_true(fabs(f->x[2] - 1.5) < 1e-10 && fabs(f->x[3] - (0.5 + g)) < 1e-10);
    assert_int_equal(f->kind, ZW_PATH_MINIMUM);
    close_study();
    zw_paths_options o = wish("x=3, y=1", NAN);
    o.energy = v2;
    find(projectile, o);
    assert_int_equal(zw_paths_count(study), 2);
    double q = g * x * x / (2 * v2), root = sqrt(x * x - 4 * q * (q + y));
    for (int i = 0; i < 2; i++) {
        double slope = (x + (i ? root : -root)) / (2 * q),
               time = x / sqrt(v2) * sqrt(1 + slope * slope);
        assert_true(fabs(zw_paths_at(study, i)->time - time) < 1e-9);
        assert_true(fabs(zw_paths_at(study, i)->energy[1] - v2) < 1e-8);
    }
    close_study();
    o = wish("y=1", 1);
    o.from = "x'=1";
    o.start = 5;
    find(projectile, o);
    f = zw_paths_at(study, 0);
    assert_true(fabs(f->x[3] - (1 + g / 2)) < 1e-10 && f->t[0] == 5 && f->t[f->rows - 1] == 6);
    close_study();
}

/* great circles of the lengths pi/2 and 3 pi/2; never the way to the other side of the sphere,
 * where x and y are the same. Antipodes: one of a family */
static void test_paths__great_circles(void **state) {
    (void)state;
    zw_paths_options o = wish("x=0, y=0, z=1", 1);
    o.starts = 20;
    find(sphere, o);
    for (int i = 0; i < zw_paths_count(study); i++) {
        const zw_path_found *f = zw_paths_at(study, i);
        double turns = (sqrt(2 * f->action) - M_PI / 2) / M_PI;
        assert_true(fabs(turns - round(turns)) < 1e-9);
        assert_true(fabs(f->x[(f->rows - 1) * 6 + 2] - 1) < 1e-9);
    }
    assert_int_equal(with_action(M_PI * M_PI / 8)->index, 0);
    assert_int_equal(with_action(9 * M_PI * M_PI / 8)->index, 1);
    close_study();
    o = wish("x=-1, y=0, z=0", 1);
    o.starts = 4;
    find(sphere, o);
    assert_int_equal(with_action(M_PI * M_PI / 2)->kind, ZW_PATH_DEGENERATE);
    zw_warnings *doubts = zw_warnings_create(NULL);
    zw_paths_warnings(study, doubts);
    assert_true(zw_warnings_count(doubts) > 0);
    zw_warnings_destroy(doubts);
    close_study();
}

/* Lambert: sqrt(1/a^3) T = alpha - sin(alpha) -+ (beta - sin(beta)), sin(alpha/2)^2 = s/(2a),
 * sin(beta/2)^2 = (s - c)/(2a) */
static void test_paths__lambert(void **state) {
    double T = 2, c = sqrt(2), s = (2 + c) / 2;
    (void)state;
    find(kepler, wish("x=0, y=1", T));
    assert_int_equal(zw_paths_count(study), 2);
    for (int i = 0; i < 2; i++) {
        const zw_path_found *f = zw_paths_at(study, i);
        double a = -1 / (2 * f->energy[0]), alpha = 2 * asin(sqrt(s / (2 * a))),
               beta = 2 * asin(sqrt((s - c) / (2 * a))), best = INFINITY;
        for (int k = 0; k < 4; k++) {
            double A = k & 1 ? 2 * M_PI - alpha : alpha, B = k & 2 ? -beta : beta;
            best = fmin(best, fabs(pow(a, 1.5) * (A - sin(A) - (B - sin(B))) - T));
        }
        assert_true(best < 1e-8);
        assert_true((f->x[3] > 0) == (i == 0)); /* one each way round */
    }
    close_study();
}

/* Circles: the arc of the angle w over the chord r encloses z, z/r^2 = (w - sin w)/(8 sin(w/2)^2),
 * S = (w r/(2 sin(w/2)))^2/(2 T); w is the multiplier. Conjugate points at w = 2 pi, 8.9868
 * (tan(w/2) = w/2), 4 pi, ... */
static void test_paths__nonholonomic_integrator(void **state) {
    double r = 0.3, z = 0.2;
    zw_paths_options o = wish("x=0, y=0.3, z=0.2", 1);
    (void)state;
    o.by = "vakonomic";
    find(heisenberg, o);
    assert_true(zw_paths_count(study) >= 3);
    for (int i = 0; i < zw_paths_count(study); i++) {
        const zw_path_found *f = zw_paths_at(study, i);
        double w = fabs(f->x[6]), half = sin(w / 2);
        assert_true(fabs((w - sin(w)) / (8 * half * half) - z / (r * r)) < 1e-7);
        assert_true(fabs(f->action - 0.5 * pow(w * r / (2 * half), 2)) < 1e-8);
        int index = (w > 2 * M_PI) + (w > 8.986818916) + (w > 4 * M_PI) + (w > 15.45050368);
        assert_int_equal(f->index, index);
    }
    close_study();
}

/* Turns of a free ball with I = 1 kg m^2, about one axis by 1 rad and whole turns more: S =
 * angle^2/2, two conjugate points at each whole turn. Both signs of the quaternion are the same
 * attitude. */
static void test_paths__attitude(void **state) {
    static const char ball[] = "model ball\nparam r = 1 [m], m = 2.5 [kg]\n"
                               "body ball : sphere(m, r) at (0, 0, 0)\n";
    (void)state;
    find(ball, wish("ball.p0=cos(0.5), ball.p1=0, ball.p2=0, ball.p3=sin(0.5)", 1));
    assert_true(zw_paths_count(study) >= 2);
    for (int i = 0; i < zw_paths_count(study); i++) {
        const zw_path_found *f = zw_paths_at(study, i);
        double angle = f->x[6], turns = (angle - 1) / (2 * M_PI);
        assert_true(fabs(turns - round(turns)) < 1e-9);
        assert_true(fabs(f->action - 0.5 * angle * angle) < 1e-8);
        assert_int_equal(f->index, 2 * (int)(fabs(angle) / (2 * M_PI)));
    }
    close_study();
}

/* one pendulum in two sets of coordinates, and by two principles: the multiplier of a constraint on
 * positions may begin at any value */
static void test_paths__constraint_on_positions(void **state) {
    static const char *const by[] = {"lagrange", "vakonomic"};
    double action[40];
    int n = 0;
    (void)state;
    for (int k = 0; k < 2; k++) {
        zw_paths_options o = wish("x=1, y=0", 1.2);
        o.by = by[k];
        o.starts = 8;
        find(cartesian, o);
        assert_true(zw_paths_count(study) >= 1 && n + zw_paths_count(study) < 40);
        for (int i = 0; i < zw_paths_count(study); i++) {
            const zw_path_found *f = zw_paths_at(study, i);
            if (f->action < 30) /* no more than one turn */
                action[n++] = f->action;
            assert_true(f->kind == ZW_PATH_MINIMUM || f->kind == ZW_PATH_SADDLE);
        }
        close_study();
    }
    assert_true(n >= 3);
    zw_paths_options o = wish("phi=pi/2", 1.2);
    o.turns = 1;
    find(polar, o);
    for (int i = 0; i < n; i++)
        with_action(action[i]);
    close_study();
}

/* ---- the penny ---- */

static const double M = 1, R = 0.1;

/* Hamilton's equations of the vakonomic penny: (x, y, th, ph, P_th) with constant P_x, P_y, P_ph */
static void penny_rates(const double *P, const double *u, double *rate) {
    double h = P[0] * cos(u[2]) + P[1] * sin(u[2]) - P[3] / R, v = h / (1.5 * M);
    rate[0] = v * cos(u[2]);
    rate[1] = v * sin(u[2]);
    rate[2] = u[4] / (0.25 * M * R * R);
    rate[3] = -v / R;
    rate[4] = -v * (P[1] * cos(u[2]) - P[0] * sin(u[2]));
}

static void penny_flow(const double *P, double T, int steps, double *u) {
    double k[4][5], w[5], h = T / steps;
    static const double c[] = {0, 0.5, 0.5, 1};
    for (int i = 0; i < steps; i++) {
        for (int s = 0; s < 4; s++) {
            for (int r = 0; r < 5; r++)
                w[r] = u[r] + (s ? c[s] * h * k[s - 1][r] : 0);
            penny_rates(P, w, k[s]);
        }
        for (int r = 0; r < 5; r++)
            u[r] += h / 6 * (k[0][r] + 2 * k[1][r] + 2 * k[2][r] + k[3][r]);
    }
}

static void test_paths__vakonomic_penny(void **state) {
    zw_paths_options o = wish("x=0.3 [m], y=0.2 [m], th=1, ph=0", 1);
    (void)state;
    o.by = "vakonomic";
    o.starts = 8;
    find(MODEL("rolling_penny"), o);
    assert_true(zw_paths_count(study) >= 2);
    for (int i = 0; i < zw_paths_count(study); i++) {
        const zw_path_found *f = zw_paths_at(study, i);
        double u[5] = {0, 0, 0, 0, f->momentum[0][2]};
        penny_flow(f->momentum[0], 1, 20000, u);
        assert_true(fabs(u[0] - 0.3) < 1e-8 && fabs(u[1] - 0.2) < 1e-8);
        assert_true(fabs(u[2] - 1) < 1e-7 && fabs(u[3]) < 1e-7);
        assert_true(fabs(u[4] - f->momentum[1][2]) < 1e-8);
    }
    close_study();
}

/* the momentum at the end is the derivative of the action in its place, that at the beginning the
 * negative one */
static void test_paths__momenta(void **state) {
    static const char *const to[] = {"x=0, y=0.3, z=0.2", "x=0, y=0.3, z=0.2001",
                                     "x=0, y=0.3, z=0.1999", "x=0, y=0.3, z=0.2",
                                     "x=0, y=0.3, z=0.2"};
    static const char *const from[] = {NULL, NULL, NULL, "x=0.0001", "x=-0.0001"};
    double action[5], last = NAN, first = NAN;
    (void)state;
    for (int k = 0; k < 5; k++) {
        zw_paths_options o = wish(to[k], 1);
        o.by = "vakonomic";
        o.from = from[k];
        o.starts = 1;
        o.tolerance = 1e-11;
        find(heisenberg, o);
        action[k] = zw_paths_at(study, 0)->action;
        last = k ? last : zw_paths_at(study, 0)->momentum[1][2];
        first = k ? first : zw_paths_at(study, 0)->momentum[0][0];
        close_study();
    }
    assert_true(fabs((action[1] - action[2]) / 2e-4 - last) < 1e-6 * fabs(last));
    assert_true(fabs((action[3] - action[4]) / 2e-4 + first) < 1e-6 * fabs(first));
}

/* d'Alembert's penny runs on a circle through both points, tangent to its heading: with a = 2
 * atan(y/x) and the arc */
static void test_paths__nonholonomic_penny(void **state) {
    double a = 2 * atan2(0.2, 0.3), radius = 0.13 / (2 * 0.2);
    int first, last;
    (void)state;
    find(MODEL("rolling_penny"), wish("x=0.3 [m], y=0.2 [m]", 1));
    assert_int_equal(zw_paths_dimension(study, &first, &last), 6);
    assert_int_equal(first, 4);
    assert_int_equal(last, 2);
    const zw_path_found *f = zw_paths_at(study, 0);
    assert_int_equal(f->kind, ZW_PATH_NO_ACTION);
    bool known = false;
    for (int i = 0; i < zw_paths_count(study); i++) {
        f = zw_paths_at(study, i);
        known |= fabs(f->x[6] - a) < 1e-8 && fabs(f->x[4] - a * radius) < 1e-8;
    }
    assert_true(known);
    close_study();
}

/* ---- conditions and refusals ---- */

static void refused(const char *text, zw_paths_options o, zw_status status, const char *part) {
    assert_int_equal(open_study(text, o), status);
    if (!strstr(err.text, part) && !strstr(err.hint, part))
        fail_msg("'%s' (%s) does not say '%s'", err.text, err.hint, part);
    assert_null(study);
    zw_context_destroy(ctx);
}

static void test_paths__refusals(void **state) {
    (void)state;
    refused(MODEL("rolling_penny"), wish("x=0.3 [m], y=0.2 [m], th=1, ph=0", 1), ZW_E_OPTION,
            "--to needs 2, but gives 4");
    refused(MODEL("rolling_penny"), wish("x=0.3 [m]", 1), ZW_E_OPTION, "1 more");
    refused(cartesian, wish("x=2", 1), ZW_E_START, "do not admit this place");
    refused(oscillator, wish("z=2", 1), ZW_E_NAME, "'z'");
    refused(oscillator, wish("x=1, x=2", 1), ZW_E_OPTION, "x is given twice");
    refused(oscillator, wish(NULL, 1), ZW_E_OPTION, "where does the motion end");
    refused(oscillator, wish("x=1", NAN), ZW_E_OPTION, "is not given");
    refused(MODEL("bouncing_ball"), wish("z=1 [m]", 1), ZW_E_OPTION, "smooth motions");
    refused(MODEL("bouncing_ball"), wish("z=1 [m]", 1), ZW_E_OPTION, "the event ");
    zw_paths_options o = wish("x=1", 1);
    o.energy = 1;
    refused(oscillator, o, ZW_E_OPTION, "both given");
    o = wish("x=1", NAN);
    o.energy = 2;
    refused(
        "model carried\nunits none\ncoord x\nparticle P : 2 at (x + 1.5*t, 0)\npotential 5/2*x^2\n",
        o, ZW_E_OPTION, "not quadratic");
    o = wish("x=1, y=0.5", NAN);
    o.energy = 2;
    refused("model field\nunits none\ncoord x, y\nkinetic 1/2*(x'^2 + y'^2) + 3/2*(x*y' - y*x')\n"
            "potential 1/2*(x^2 + y^2)\n",
            o, ZW_E_OPTION, "not quadratic");
    o = wish("phi_1=1", NAN);
    o.energy = 1;
    refused("model damped\nunits none\ncoord phi_1\nkinetic 1/2*phi_1'^2\n"
            "force (phi_1) = -phi_1'\nstart phi_1 = 0\n",
            o, ZW_E_OPTION, "without a potential");
    /* places that no motion of this time connects: half a period leads from 0.3 to -0.3 alone */
    assert_int_equal(open_study(oscillator, wish("x=1", M_PI)), ZW_OK);
    assert_int_equal(zw_paths_find(study, &err), ZW_E_NUMERIC);
    assert_non_null(strstr(err.text, "none of 12 initial guesses"));
    close_study();
}

static void test_paths__as_a_result(void **state) {
    zw_table *t;
    (void)state;
    zw_paths_options o = wish("x=0.3 [m], y=0.2 [m], th=1, ph=0", 1);
    o.by = "vakonomic";
    o.starts = 4;
    find(MODEL("rolling_penny"), o);
    assert_int_equal(zw_paths_table(study, 0, NULL, &t, &err), ZW_OK);
    int n = (int)zw_table_rows(t);
    assert_true(n > 100);
    int width = zw_table_columns(t), x = zw_table_find(t, "x"),
        mu = zw_table_find(t, "lambda(roll.1)");
    const double *first = zw_table_data(t), *last = first + (size_t)(n - 1) * (size_t)width;
    assert_true(x > 0 && mu > 0);
    assert_true(fabs(first[x]) < 1e-12 && fabs(last[x] - 0.3) < 1e-9);
    assert_true(fabs(first[mu] - zw_paths_at(study, 0)->x[8]) < 1e-12);
    zw_table_destroy(t);
    close_study();
}

/* ---- the report, and the study of the table ---- */

static void expect_part(const char *text, const char *part) {
    if (!strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text);
}

/* a free fall of 2 s with m = 2 kg from (0, 0) to (3, 1): v = (3/2, 1/2 + g) */
static const char ball[] = "model ball\nparam m = 2 [kg], g = 9.81 [m/s^2]\ncoord x, y [m]\n"
                           "kinetic 1/2*m*(x'^2 + y'^2)\npotential m*g*y\nstart x = 0, y = 0\n";

static void test_paths__report(void **state) {
    (void)state;
    find(ball, wish("x=3 [m], y=1 [m]", 2));
    zw_report *r = report_begin(sys->name);
    zw_paths_report(study, r);
    assert_string_equal(zw_report_get_word(r, "motions.0.kind"), "minimum");
    assert_string_equal(zw_report_get_word(r, "motions.0.start.3.name"), "y'");
    assert_true(fabs(zw_report_get_number(r, "motions.0.start.3.value") - 10.31) < 1e-9);
    assert_true(fabs(zw_report_get_number(r, "motions.0.end.0.value") - 3) < 1e-9);
    assert_true(fabs(zw_report_get_number(r, "motions.0.momenta_end.1.value") + 18.62) < 1e-9);
    assert_string_equal(zw_report_get_word(r, "motions.0.momenta_end.1.unit"), "kg*m/s");
    assert_true(zw_report_get_number(r, "conditions_end") == 2);
    char *text = report_take_text(r);
    expect_part(text, "ball: 1 motion by lagrange in 2 s\n  From x = 0 m, y = 0 m\n"
                      "  to   x = 3 m, y = 1 m.\n");
    expect_part(text, "action -78.7774 J s, a minimum (no conjugate points); found ");
    expect_part(text, "    It starts with x' = 1.5 m/s, y' = 10.31 m/s.\n");
    free(text);
    close_study();
    zw_paths_options o = wish("x=3 [m], y=1 [m]", NAN);
    o.energy = 60;
    find(ball, o);
    r = report_begin(sys->name);
    zw_paths_report(study, r);
    assert_true(zw_report_get_number(r, "motion_count") == 2);
    assert_true(isnan(zw_report_get_number(r, "time")));
    text = report_take_text(r);
    expect_part(text, "ball: 2 motions by lagrange at the energy 60 J\n");
    expect_part(text, "; time 0.4723377267 s;");
    free(text);
    close_study();
    find(heisenberg, wish("x=0, y=0.3", 1)); /* a straight line, and no units */
    r = report_begin(sys->name);
    zw_paths_report(study, r);
    text = report_take_text(r);
    expect_part(text, "Motion 0: not a stationary point of an action; found ");
    expect_part(text, "Energy: 0.045 at the beginning, 0.045 at the end.\n");
    free(text);
    close_study();
}

static void test_paths__study(void **state) {
    zw_study *s;
    zw_table *t;
    (void)state;
    ctx = zw_context_create(NULL);
    err = (zw_error){0};
    assert_int_equal(zw_model_parse(&sys, ctx, ball, strlen(ball), "test", NULL, &err), ZW_OK);
    /* neither time nor energy: they have no defaults */
    assert_int_equal(zw_study_create(&s, "path", sys, NULL, &err), ZW_OK);
    assert_int_equal(zw_study_set(s, "to", "x=3 [m], y=1 [m]", &err), ZW_OK);
    assert_int_equal(zw_study_work(s, &err), ZW_E_OPTION);
    expect_part(err.text, "the time of the motion is not given");
    zw_study_destroy(s);
    err = (zw_error){0};
    assert_int_equal(zw_study_create(&s, "path", sys, NULL, &err), ZW_OK);
    assert_int_equal(zw_study_set(s, "to", "x=3 [m], y=1 [m]", &err), ZW_OK);
    assert_int_equal(zw_study_set_number(s, "energy", 60, &err), ZW_OK);
    assert_int_equal(zw_study_set(s, "number", "1", &err), ZW_OK);
    assert_int_equal(zw_study_work(s, &err), ZW_OK);
    assert_true(zw_report_get_number(zw_study_report(s), "motion_count") == 2);
    assert_string_equal(zw_report_get_word(zw_study_report(s), "principle"), "lagrange");
    assert_int_equal(zw_study_table(s, "out", &t, &err), ZW_OK);
    double end = zw_table_at(t, (int)zw_table_rows(t) - 1, zw_table_find(t, "t"));
    assert_true(fabs(end - zw_report_get_number(zw_study_report(s), "motions.1.time")) < 1e-12);
    zw_table_destroy(t);
    zw_study_destroy(s);
    assert_int_equal(zw_study_create(&s, "path", sys, NULL, &err), ZW_OK);
    assert_int_equal(zw_study_set(s, "to", "x=3 [m], y=1 [m]", &err), ZW_OK);
    assert_int_equal(zw_study_set(s, "time", "2s", &err), ZW_OK);
    assert_int_equal(zw_study_set(s, "number", "1", &err), ZW_OK);
    assert_int_equal(zw_study_work(s, &err), ZW_OK);
    assert_int_equal(zw_study_table(s, "out", &t, &err), ZW_E_OPTION);
    assert_null(t);
    assert_string_equal(err.text, "--number 1: there is 1 motion");
    zw_study_destroy(s);
    zw_context_destroy(ctx);
}

static bool stop_after_first(void *user, double done) {
    (void)done;
    return (*(int *)user)-- <= 0;
}

/* what was found before is there */
static void test_paths__stopped(void **state) {
    int count = 1;
    (void)state;
    zw_paths_options o = wish("x=3 [m], y=1 [m]", 2);
    o.stop = stop_after_first;
    o.stop_user = &count;
    assert_int_equal(open_study(ball, o), ZW_OK);
    assert_int_equal(zw_paths_find(study, &err), ZW_STOPPED);
    assert_int_equal(zw_paths_count(study), 1);
    close_study();
    count = 0;
    assert_int_equal(open_study(ball, o), ZW_OK);
    assert_int_equal(zw_paths_find(study, &err), ZW_E_NUMERIC);
    assert_string_equal(err.text, "stopped before a motion was found");
    close_study();
}

static zw_status work(const zw_allocator *alloc) {
    zw_paths_options o = wish("x=1, y=0", 1.2);
    err = (zw_error){0};
    study = NULL;
    o.starts = 2;
    ctx = zw_context_create(alloc);
    if (!ctx)
        return ZW_E_MEMORY;
    zw_status status = zw_model_parse(&sys, ctx, cartesian, strlen(cartesian), "test", NULL, &err);
    if (status >= 0)
        status = zw_paths_create(&study, sys, &o, &err);
    if (status >= 0)
        status = zw_paths_find(study, &err);
    zw_report *report = status >= 0 ? zw_report_create(alloc) : NULL;
    zw_bytes text = {0}, json = {0};
    if (status >= 0 && !report)
        status = ZW_E_MEMORY;
    if (status >= 0) {
        zw_report_word(report, "model", sys->name);
        zw_paths_report(study, report);
        status = zw_report_text(report, &text, &err);
    }
    if (status >= 0)
        status = zw_report_json(report, &json, &err);
    zw_bytes_clear(&text);
    zw_bytes_clear(&json);
    zw_report_destroy(report);
    zw_paths_destroy(study);
    zw_context_destroy(ctx);
    return status;
}

static void test_paths__memory(void **state) {
    long all;
    (void)state;
    failing_allocator none = failing_allocator_make(0);
    zw_allocator a = failing_allocator_of(&none);
    assert_true(work(&a) >= 0);
    all = none.requests;
    for (long n = 1; n <= all; n += 1 + n / 8) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_status status = work(&alloc);
        if (f.failed ? status != ZW_E_MEMORY : status < 0)
            fail_msg("request %ld of %ld: %d, %s", n, all, status, err.text);
        assert_int_equal(f.blocks, 0);
        assert_int_equal(f.bytes, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths__oscillator),
        cmocka_unit_test(test_paths__projectile),
        cmocka_unit_test(test_paths__great_circles),
        cmocka_unit_test(test_paths__lambert),
        cmocka_unit_test(test_paths__nonholonomic_integrator),
        cmocka_unit_test(test_paths__constraint_on_positions),
        cmocka_unit_test(test_paths__attitude),
        cmocka_unit_test(test_paths__momenta),
        cmocka_unit_test(test_paths__vakonomic_penny),
        cmocka_unit_test(test_paths__nonholonomic_penny),
        cmocka_unit_test(test_paths__refusals),
        cmocka_unit_test(test_paths__as_a_result),
        cmocka_unit_test(test_paths__report),
        cmocka_unit_test(test_paths__study),
        cmocka_unit_test(test_paths__stopped),
        cmocka_unit_test(test_paths__memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
