/* SPDX-License-Identifier: MIT */
/* Basins: chaos, contacts and events, boundaries, refinement, parameters, files, threads,
 * mistakes. */
#include "many/share_bound.h"
#include "support/basins.h"
#include "support/report.h"
#include "zwang/plot.h"

/* ----------------------------------------------------------------------- the same for everybody */

static void assert_same(const zw_basin *a, const zw_basin *b, bool bits) {
    assert_int_equal(zw_basin_attractors(a), zw_basin_attractors(b));
    assert_int_equal(info_of(a).starts, info_of(b).starts);
    for (uint64_t k = 0; k < info_of(a).starts; k++) {
        assert_int_equal(zw_basin_label(a, k), zw_basin_label(b, k));
        if (bits)
            assert_true(zw_basin_time(a, k) == zw_basin_time(b, k));
    }
    for (int i = 0; i < zw_basin_attractors(a) && bits; i++) {
        assert_true(at(a, i)->reach == at(b, i)->reach);
        assert_memory_equal(at(a, i)->point, at(b, i)->point,
                            sizeof(double) * 2 * (size_t)at(a, i)->npoint);
    }
}

static void test_basin__threads_and_engines(void **state) {
    (void)state;
    const char *axis[] = {"phi=-3:3:30", "phi'=-3:4:30"};
    zw_basin_options o = zw_basin_options_default();
    o.naxis = 2;
    o.axis = axis;
    o.threads = 1;
    zw_basin *one = study_with(PENDULUM, o);
    assert_sure_but_for_single_labels(one);
    for (int threads = 2; threads <= 5; threads += 3) {
        o.threads = threads;
        zw_basin *b = study_with(PENDULUM, o);
        assert_same(one, b, true);
        zw_basin_destroy(b);
    }
    zw_basin_destroy(one);
    /* away from fractal boundaries one by one is the same as side by side */
    const char *wells[] = {"x=-2:2:21", "x'=-2:2:20"};
    o.axis = wells;
    zw_basin *lanes = study_with(DOUBLE_WELL, o);
    o.engine = ZW_ENSEMBLE_SINGLE;
    zw_basin *single = study_with(DOUBLE_WELL, o);
    assert_same(lanes, single, false);
    zw_basin_destroy(lanes);
    zw_basin_destroy(single);
}

static void test_basin__samples(void **state) {
    (void)state;
    zw_basin_options o = zw_basin_options_default();
    o.naxis = 2;
    o.axis = (const char *const[]){"x=-3:3", "y=-3:3"};
    o.samples = 4000;
    zw_basin *b = study_with(RINGS, o);
    assert_sure(b);
    double p = M_PI * 4 / 36; /* inside of r = 2 */
    int inner = hypot(at(b, 0)->point[0], at(b, 0)->point[1]) < 2 ? 0 : 1;
    assert_close(at(b, inner)->error, sqrt(p * (1 - p) / 4000), 2e-4);
    assert_true(fabs(at(b, inner)->share - p) < 3.5 * at(b, inner)->error);
    zw_basin_destroy(b);
}

/* ------------------------------------------------------------------------------ chaos */

/* F = 0.3: one chaotic attractor around both wells (J. Guckenheimer, P. Holmes, section 2.2: delta
 * 0.25, gamma 0.30) */
static void test_basin__chaos(void **state) {
    (void)state;
    const char *text = DOUBLE_WELL "force (x) = 0.3*cos(t)\n",
               *axis[] = {"x=-1.5:1.5:12", "x'=-1:1:12"};
    zw_basin *b = study(text, 2, axis);
    assert_sure(b);
    assert_int_equal(zw_basin_attractors(b), 1);
    assert_int_equal(at(b, 0)->kind, ZW_BASIN_CHAOS);
    assert_true(at(b, 0)->exponent > 5 * at(b, 0)->exponent_error);
    assert_true(at(b, 0)->exponent < 0.25);
    zw_basin_destroy(b);
}

static void test_basin__torus(void **state) {
    (void)state;
    /* a van der Pol oscillator, driven weakly and away from resonance: its own frequency beside
     * that of the drive */
    const char *text =
        POINT "potential x^2/2\nforce (x) = 0.1*(1 - x^2)*x' + 0.1*cos(1.7320508*t)\n";
    const char *axis[] = {"x=-3:3:6", "x'=-3:3:6"};
    zw_basin *b = study(text, 2, axis);
    assert_sure(b);
    assert_int_equal(zw_basin_attractors(b), 1);
    assert_int_equal(at(b, 0)->kind, ZW_BASIN_TORUS);
    assert_int_equal(at(b, 0)->starts, 36);
    zw_basin_destroy(b);
}

/* -------------------------------------------------------------------------- events and contacts */

/* A driven mass and a wall far away: the linear answer, of amplitude F/sqrt((1 - w^2)^2 + (c w)^2)
 * < 1, never meets it; others do. The answer without impacts is known in closed form. */
static void test_basin__impacts(void **state) {
    (void)state;
    const char *text =
        POINT "param F = 1, w = 1.8, c = 0.02, d = 0.6\npotential x^2/2\n"
              "force (x) = F*cos(w*t) - c*x'\nevent hit : d - x falling, set x' = -0.9*x'\n";
    const char *axis[] = {"x=-0.9:0.5:10", "x'=-1:1:10"};
    zw_basin *b = study(text, 2, axis);
    zw_basin_info info = info_of(b);
    assert_int_equal(info.failed + info.check_differs, 0);
    double a = 1 - 1.8 * 1.8, c = 0.02 * 1.8, size = a * a + c * c;
    bool quiet = false;
    assert_true(zw_basin_attractors(b) >= 2);
    for (int i = 0; i < zw_basin_attractors(b); i++)
        if (at(b, i)->kind == ZW_BASIN_CYCLE && at(b, i)->period == 1 && at(b, i)->starts > 0 &&
            fabs(at(b, i)->point[0] - a / size) < 1e-4 &&
            fabs(at(b, i)->point[1] - c * 1.8 / size) < 1e-4)
            quiet = true;
    assert_true(quiet);
    zw_basin_destroy(b);
}

/* a mass on a floor, as a contact: the same wells along it */
static void test_basin__contact(void **state) {
    (void)state;
    const char *text =
        HEAD "param g = 1\ncoord x, y\nparticle p : 1 at (x, 0, y)\npotential g*y + x^4/4 - x^2/2\n"
             "contact floor : gap y, normal z, at (x, 0, y), law newton(0.5)\nforce (x) = -x'\n"
             "start x = 0, y = 0, x' = 0, y' = 0\n";
    zw_basin_options o = zw_basin_options_default();
    o.naxis = 2;
    o.axis = (const char *const[]){"x=-1.8:1.8:2", "x'=-0.3:0.3:2"};
    o.compare = "x,x'";
    o.step = 0.5;
    o.run.step = 0.02;
    o.check = 4;
    zw_basin *b = study_with(text, o);
    assert_sure(b);
    assert_int_equal(zw_basin_attractors(b), 2);
    assert_close(at(b, 0)->point[0], -1, 1e-4);
    assert_int_equal(at(b, 0)->starts, 2);
    zw_basin_destroy(b);
}

/* A mass on a profile with minima at x = -1 and 1 (h' = 4 x (x^2 - 1)/5 = 0): x enters by the gap
 * alone. */
static void test_basin__contact_gap(void **state) {
    (void)state;
    const char *text =
        HEAD "coord x, z\nparticle p : 1 at (x, 0, z)\ngravity 9.81 along -z\n"
             "force (x, z) = -2*(x', z')\n"
             "contact profile : gap z - (x^2 - 1)^2/5, law newton(0)\nstart x = 0.4, z = 0.5\n";
    zw_basin_options o = zw_basin_options_default();
    o.naxis = 1;
    o.axis = (const char *const[]){"x=-0.9:0.9:2"};
    o.check = 2;
    zw_basin *b = study_with(text, o);
    assert_int_equal(zw_basin_attractors(b), 2);
    assert_int_equal(info_of(b).unresolved + info_of(b).failed, 0);
    assert_close(at(b, 0)->point[0], -1, 1e-3);
    assert_close(at(b, 1)->point[0], 1, 1e-3);
    zw_basin_destroy(b);
}

/* A pendulum in spherical angles that swings in a plane comes to rest at th = 0, where ph has no
 * inertia. */
static void test_basin__singular_coordinates(void **state) {
    (void)state;
    zw_basin_options o = zw_basin_options_default();
    o.naxis = 1;
    o.axis = (const char *const[]){"th=0.3:0.9:3"};
    o.compare = "th,th'";
    zw_basin *b = study_with(
        HEAD "coord th, ph\nkinetic (th'^2 + sin(th)^2*ph'^2)/2\npotential -9.81*cos(th)\n"
             "force (th) = -th'\nstart th = 1\n",
        o);
    zw_warnings *doubts = zw_warnings_create(NULL);
    bool told = false;
    zw_basin_warnings(b, doubts);
    for (int i = 0; i < zw_warnings_count(doubts); i++)
        told |= strstr(zw_warnings_at(doubts, i)->text, "nearly singular at th = ") != NULL;
    assert_true(told);
    zw_warnings_destroy(doubts);
    zw_basin_destroy(b);
}

/* at a section: the rings at y = 0, upwards */
static void test_basin__section(void **state) {
    (void)state;
    zw_basin_options o = zw_basin_options_default();
    o.naxis = 2;
    o.axis = (const char *const[]){"x=-3:3:10", "y=-3:3:10"};
    o.section = "cut";
    zw_basin *b = study_with(RINGS "event cut : y rising record\n", o);
    assert_sure(b);
    assert_int_equal(zw_basin_attractors(b), 2);
    assert_int_equal(at(b, 0)->period, 1);
    assert_close(at(b, 0)->time, 2 * M_PI, 1e-5);
    assert_close(at(b, 0)->point[0], 1, 1e-4);
    assert_close(at(b, 1)->point[0], 3, 1e-4);
    for (int k = 0; k < 100; k++) {
        int row = k / 10;
        assert_int_equal(zw_basin_label(b, (uint64_t)k),
                         hypot(-3 + 6 * (k % 10) / 9.0, -3 + 6 * row / 9.0) < 2 ? 1 : 2);
    }
    zw_basin_destroy(b);
}

/* ------------------------------------------------------------------------------ boundaries */

static void test_basin__refinement(void **state) {
    (void)state;
    zw_basin_options o = zw_basin_options_default();
    o.naxis = 2;
    o.axis = (const char *const[]){"x=-2:2:150", "x'=-2:2:130"};
    zw_basin *all = study_with(DOUBLE_WELL, o);
    o.refine = true;
    zw_basin *some = study_with(DOUBLE_WELL, o);
    assert_sure(some);
    assert_same(all, some, false);
    assert_true(info_of(some).computed < info_of(all).computed / 2);
    assert_true(info_of(some).filled_checked > 100);
    assert_int_equal(info_of(some).filled_differs, 0);
    zw_basin_destroy(all);
    zw_basin_destroy(some);
}

static void test_basin__circles(void **state) {
    (void)state;
    const char *axis[] = {"s=-1:1:81", "r=-1:1:81"};
    /* a disc of the radius 1/2 around the rest, outside all leaves: r' = r (r^2 - 1/4) */
    zw_basin *b = study(HEAD "state s : s' = s*(s^2 + r^2 - 1/4)\nstate r : r' = r*(s^2 + r^2 - "
                             "1/4)\nevent out : s^2 + r^2 - 4 rising stop\nstart s = 0, r = 0\n",
                        2, axis);
    const zw_basin_attractor *a = NULL; /* starts on the circle itself rest where they are */
    for (int i = 0; i < zw_basin_attractors(b); i++)
        if (at(b, i)->trial == ZW_BASIN_STABLE)
            a = at(b, i);
    assert_non_null(a);
    assert_close(a->circle, 0.25, 0.02); /* of the ranges, 2 */
    assert_close(a->compact, 0.25, 0.02);
    assert_close(a->share, M_PI / 16, 0.01);
    zw_basin_destroy(b);
}

static void test_basin__uncertainty(void **state) {
    (void)state;
    zw_basin_uncertainty u;
    zw_error err = {0};
    const char *wells[] = {"x=-2:2:10", "x'=-2:2:10"};
    zw_basin *b = study(DOUBLE_WELL, 2, wells);
    assert_int_equal(zw_basin_find_uncertainty(b, 3000, 0.02, 0.002, 4, &u, &err), ZW_OK);
    assert_true(fabs(u.alpha - 1) < 3 * u.error + 0.01); /* smooth */
    assert_true(u.verdict <= 0);
    zw_basin_destroy(b);
    /* a map, by a clock: alpha = 0.2, d = 1.8 (Grebogi, McDonald, Ott, Yorke 1983); its attractors
     * are (0, -J) and (pi, J) */
    const char *map[] = {"th=0:2*pi:8", "x=-0.5:0.5:8"};
    b = study(
        HEAD
        "param J = 0.3\nstate th : th' = 0\nstate x : x' = 0\nperiodic th\nstart th = 0, x = 0\n"
        "event tick : every 1, set th = th + 1.32*sin(2*th) - 0.9*sin(4*th) - x*sin(th), set x = "
        "-J*cos(th)\n",
        2, map);
    assert_sure(b);
    assert_int_equal(zw_basin_attractors(b), 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(at(b, i)->period, 1);
        assert_close(fabs(remainder(at(b, i)->point[0], 2 * M_PI)), i ? M_PI : 0, 1e-6);
        assert_close(at(b, i)->point[1], i ? 0.3 : -0.3, 1e-6);
    }
    assert_int_equal(zw_basin_find_uncertainty(b, 700, 0.03, 1e-4, 4, &u, &err), ZW_OK);
    assert_true(u.error < 0.025);
    assert_true(fabs(u.alpha - 0.2) < 2.5 * u.error);
    assert_close(u.dimension, 2 - u.alpha, 1e-12);
    assert_int_equal(u.verdict, 1);
    zw_basin_destroy(b);
}

/* the driven pendulum by hand: a strobe map of fixed steps, and the part of pairs that go to
 * different attractors */
static void pendulum_map(double *y) {
    enum { STEPS = 150 };
    double h = 2 * M_PI / STEPS;
    for (int n = 0; n < STEPS; n++) {
        double k[4][2], z[2];
        for (int s = 0; s < 4; s++) {
            double a = s == 0 ? 0 : s == 3 ? h : h / 2;
            for (int i = 0; i < 2; i++)
                z[i] = y[i] + (s ? a * k[s - 1][i] : 0);
            k[s][0] = z[1];
            k[s][1] = 2.1 * cos(n * h + a) - 0.1 * z[1] - sin(z[0]);
        }
        for (int i = 0; i < 2; i++)
            y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
}
static int pendulum_goes(double phi, double speed) {
    double y[2] = {phi, speed};
    for (int n = 0; n < 400; n++) {
        double before[2] = {y[0], y[1]};
        pendulum_map(y);
        if (hypot(y[0] - before[0], y[1] - before[1]) < 1e-4 ||
            fabs(fabs(y[0] - before[0]) - 2 * M_PI) < 1e-4)
            return y[1] > 0.5 ? 1 : 2;
    }
    return 0;
}

static void test_basin__fractal_boundary(void **state) {
    (void)state;
    enum { N = 600 };
    zw_basin_uncertainty u;
    zw_error err = {0};
    const char *axis[] = {"phi=-pi:pi:10", "phi'=-2:4:10"};
    zw_basin *b = study(PENDULUM, 2, axis);
    assert_sure_but_for_single_labels(b);
    assert_int_equal(zw_basin_find_uncertainty(b, 1000, 0.03, 3e-4, 3, &u, &err), ZW_OK);
    test_random r = {3};
    for (int i = 0; i < 3; i += 2) {
        int differ = 0;
        for (int k = 0; k < N; k++) {
            double phi = test_random_real(&r, -M_PI, M_PI), speed = test_random_real(&r, -2, 4);
            double a = test_random_real(&r, 0, 2 * M_PI), e = u.eps[i];
            differ += pendulum_goes(phi, speed) !=
                      pendulum_goes(phi + e * 2 * M_PI * cos(a), speed + e * 6 * sin(a));
        }
        double f = (double)differ / N, error = sqrt(f * (1 - f) / N + u.f[i] * (1 - u.f[i]) / 1000);
        assert_true(fabs(u.f[i] - f) < 3.5 * error);
        assert_true(f > 0.2);
    }
    zw_basin_destroy(b);
}

/* ------------------------------------------------------------------------------ parameters */

/* V = x^4/4 - x^2/2 + a x: the wells part the line at the root of x^3 - x + a */
static void test_basin__over(void **state) {
    (void)state;
    zw_basin_options o = zw_basin_options_default();
    zw_error err = {0};
    zw_table *t;
    o.naxis = 1;
    o.axis = (const char *const[]){"s=-2:2:201"};
    o.over = "a=0:0.3:4";
    zw_basin *b = study_with(HEAD "param a = 0\nstate s : s' = s - s^3 - a\nstart s = 0\n", o);
    assert_int_equal(zw_basin_table(b, NULL, &t, &err), ZW_OK);
    assert_int_equal(zw_table_rows(t), 8 + 1); /* the start s = 0 at a = 0 rests there */
    for (long k = 0; k < zw_table_rows(t); k++) {
        double a = zw_table_at(t, k, zw_table_find(t, "a")),
               s = zw_table_at(t, k, zw_table_find(t, "s"));
        double share = zw_table_at(t, k, zw_table_find(t, "share")), root = a;
        for (int i = 0; i < 400; i++)
            root = a + root * root * root;
        assert_true(fabs(s - s * s * s - a) < 1e-4);
        if (fabs(s) > 0.1)
            assert_true(fabs(share - (s < root ? root + 2 : 2 - root) / 4) < 0.006);
        if (fabs(s) > 0.1) /* the numbers go along */
            assert_true((zw_table_at(t, k, 1) == zw_table_at(t, 0, 1)) == (s < 0));
    }
    zw_table_destroy(t);
    zw_basin_destroy(b);
}

/* kinds over a parameter: s' = m s - s^3 has rests only; a cycle is born at 0 in x'' = m x' - x -
 * x^2 x' */
static void test_basin__kinds_over_parameters(void **state) {
    (void)state;
    zw_basin_options o = zw_basin_options_default();
    o.naxis = 2;
    o.axis = (const char *const[]){"m=-0.5:0.5:10", "x=0.5:1:2"};
    zw_basin *b = study_with(POINT "param m = 0\npotential x^2/2\nforce (x) = m*x' - x^2*x'\n", o);
    assert_int_equal(info_of(b).unresolved, 0);
    assert_int_equal(zw_basin_attractors(b), 2);
    assert_int_equal(at(b, 0)->kind, ZW_BASIN_REST);
    assert_int_equal(at(b, 1)->kind, ZW_BASIN_CYCLE);
    for (uint64_t k = 0; k < 20; k++)
        assert_int_equal(zw_basin_label(b, k), k % 10 < 5 ? 1 : 2);
    zw_basin_destroy(b);
}

/* ------------------------------------------------------------------------------ files */

static void test_basin__table(void **state) {
    (void)state;
    const char *axis[] = {"x=-2:2:7", "x'=-2:2:5"};
    zw_error err = {0};
    zw_table *t;
    zw_basin *b = study(DOUBLE_WELL, 2, axis);
    assert_int_equal(zw_basin_table(b, NULL, &t, &err), ZW_OK);
    assert_int_equal(zw_table_rows(t), 35);
    assert_string_equal(zw_table_get_note(t, "map"), "x x' attractor time");
    assert_string_equal(zw_table_get_note(t, "kind"), "basin");
    assert_non_null(strstr(zw_table_get_note(t, "attractor 1"), "rest"));
    double x, v;
    assert_int_equal(sscanf(zw_table_get_note(t, "attractor 1 at"), "%lf %lf", &x, &v), 2);
    assert_close(x, -1, 1e-5);
    for (long k = 0; k < 35; k++) { /* the first axis goes fastest */
        long row = k / 7;
        assert_close(zw_table_at(t, k, 0), -2 + 4 * (double)(k % 7) / 6, 1e-12);
        assert_close(zw_table_at(t, k, 1), -2 + (double)row, 1e-12);
        assert_int_equal((int)zw_table_at(t, k, 2), zw_basin_label(b, (uint64_t)k));
    }
    zw_table_destroy(t);
    zw_report *r = report_begin("test");
    zw_basin_report(b, r);
    assert_string_equal(zw_report_get_word(r, "attractors.0.what"), "rest");
    zw_report_destroy(r);
    zw_basin_destroy(b);
}

/* -------------------------------------------------------------------------- what was wrong once */

static bool doubts(const zw_basin *b, const char *key) {
    zw_warnings *list = zw_warnings_create(NULL);
    bool found = false;
    zw_basin_warnings(b, list);
    for (int i = 0; i < zw_warnings_count(list); i++)
        found |= strcmp(zw_warnings_at(list, i)->key, key) == 0;
    zw_warnings_destroy(list);
    return found;
}

/* Motions that keep their energy have no attractors: all of a pendulum are of one kind, if none
 * goes over the top, and few kinds in all. */
static void test_basin__conserved(void **state) {
    (void)state;
    const char *axis[] = {"x=-1:1:6", "x'=-1:1:6"};
    zw_basin *b = study(POINT "potential 1 - cos(x)\n", 2, axis);
    assert_true(doubts(b, "conserved"));
    assert_in_range(zw_basin_attractors(b), 1, 2);
    zw_report *r = report_begin("test");
    zw_basin_report(b, r);
    char *text = report_take_text(r);
    assert_non_null(strstr(text, "there are no attractors"));
    free(text);
    zw_basin_destroy(b);
    b = study(POINT "potential 1 - cos(x)\ndissipation 0.1*x'^2\n", 2, axis);
    assert_false(doubts(b, "conserved"));
    zw_basin_destroy(b);
}

/* Two wells of picometres: the absolute tolerance follows from the scales, whether a rough one is
 * given or none. */
static void test_basin__small_motions(void **state) {
    (void)state;
    static const char wells[] =
        HEAD "param l = 1e-12\nstate x, y : x' = x - x^3/l^2, y' = -y\nstart x = 0\n";
    zw_basin_options o = zw_basin_options_default();
    o.naxis = 2;
    o.axis = (const char *const[]){"x=-2e-12:2e-12:4", "y=-1e-12:1e-12:3"};
    for (int rough = 0; rough < 3; rough++) {
        zw_basin *b = study_with(wells, o);
        assert_false(doubts(b, "scales"));
        assert_int_equal(zw_basin_attractors(b), 2);
        for (uint64_t k = 0; k < 12; k++)
            assert_int_equal(zw_basin_label(b, k), k % 4 < 2 ? 1 : 2);
        assert_true(info_of(b).fine_checked > 0);
        zw_basin_destroy(b);
        o.run.atol = rough ? 1e-3 : 1e-20;
    }
}

/* Tolerances that are rougher than what is compared: the integrator had cycles of its own, and no
 * start arrived. By symmetry each rest has half of the starts. */
static void test_basin__rough_tolerances(void **state) {
    (void)state;
    zw_basin_options o = zw_basin_options_default();
    o.naxis = 2;
    o.axis = (const char *const[]){"x=-2:2:20", "x'=-2:2:20"};
    o.run.rtol = 1e-3;
    o.run.atol = 1e-3;
    zw_basin *b = study_with(POINT "potential x^4/4 - x^2/2\ndissipation 0.125*x'^2\n", o);
    assert_int_equal(zw_basin_attractors(b), 2);
    for (uint64_t k = 0; k < 400; k++)
        assert_int_equal(zw_basin_label(b, k) + zw_basin_label(b, 399 - k), 3);
    zw_basin_destroy(b);
}

/* mirrored starts are mirrored in every bit, for numbers of points that divide nothing */
static void test_basin__mirrored_grid(void **state) {
    (void)state;
    const char *axis[] = {"x=-0.7:0.7:38", "x'=-1.3:1.3:11"};
    zw_error err = {0};
    zw_table *t;
    zw_basin *b = study(DOUBLE_WELL, 2, axis);
    assert_int_equal(zw_basin_table(b, NULL, &t, &err), ZW_OK);
    for (long i = 0; i < 38; i++)
        assert_true(zw_table_at(t, i, 0) == -zw_table_at(t, 37 - i, 0));
    for (long i = 0; i < 11; i++)
        assert_true(zw_table_at(t, 38 * i, 1) == -zw_table_at(t, 38 * (10 - i), 1));
    zw_table_destroy(t);
    zw_basin_destroy(b);
}

/* x goes to 1, which is the edge of the box */
static void test_basin__rest_on_an_edge(void **state) {
    (void)state;
    zw_basin_options o = zw_basin_options_default();
    o.naxis = 1;
    o.axis = (const char *const[]){"x=1.1:3:20"};
    o.nbox = 1;
    o.box = (const char *const[]){"x=1:10"};
    zw_basin *b = study_with("model m \"m\"\nunits none\nstate x : x' = 1 - x\nstart x = 2\n", o);
    assert_int_equal(zw_basin_attractors(b), 1);
    assert_int_equal(at(b, 0)->kind, ZW_BASIN_REST);
    assert_int_equal(at(b, 0)->starts, 20);
    zw_basin_destroy(b);
}

static bool stop_at_once(void *user, double done) {
    (void)user;
    (void)done;
    return true;
}

/* the pilots hear it too: nothing is chosen any more */
static void test_basin__stopped_at_once(void **state) {
    (void)state;
    const char text[] = DOUBLE_WELL;
    zw_model_source source = {.text = text, .length = strlen(text), .file = "m.zw"};
    zw_error err = {0};
    zw_basin_options o = zw_basin_options_default();
    zw_basin *b;
    o.naxis = 1;
    o.axis = (const char *const[]){"x=-2:2:10"};
    o.stop = stop_at_once;
    assert_int_equal(zw_basin_create(&b, &source, &o, &err), ZW_OK);
    assert_int_equal(zw_basin_run(b, &err), ZW_STOPPED);
    assert_true(info_of(b).step == 0);
    for (uint64_t k = 0; k < 10; k++)
        assert_int_equal(zw_basin_label(b, k), 0);
    /* what was not followed has not failed to arrive after so many looks */
    zw_warnings *doubts = zw_warnings_create(NULL);
    zw_basin_warnings(b, doubts);
    assert_int_equal(zw_warnings_count(doubts), 1);
    assert_string_equal(zw_warnings_at(doubts, 0)->text,
                        "10 of 10 starts were unknown when the work was stopped");
    zw_warnings_destroy(doubts);
    zw_basin_destroy(b);
}

static bool after_half(void *user, double done) {
    (void)user;
    return done > 0.5;
}

/* A study that is stopped contains the starts that were followed, with the labels of a complete one
 * (here the sign of s), and no rows of the others: there may be millions of them. Circles would be
 * those of the stop. */
static void test_basin__stopped_on_the_way(void **state) {
    (void)state;
    const char text[] = HEAD "state s : s' = s - s^3\nstart s = 1\n";
    zw_model_source source = {.text = text, .length = strlen(text), .file = "m.zw"};
    zw_error err = {0};
    zw_basin_options o = zw_basin_options_default();
    zw_basin *b;
    zw_table *t;
    o.naxis = 1;
    o.axis = (const char *const[]){"s=2:-2:40000"};
    o.stop = after_half;
    assert_int_equal(zw_basin_create(&b, &source, &o, &err), ZW_OK);
    assert_int_equal(zw_basin_run(b, &err), ZW_STOPPED);
    assert_int_equal(zw_basin_table(b, NULL, &t, &err), ZW_OK);
    uint64_t rows = (uint64_t)zw_table_rows(t);
    assert_in_range(rows, 8192, 39999);
    assert_int_equal(rows, info_of(b).computed);
    assert_int_equal(rows, 40000 - info_of(b).unresolved);
    for (long k = 0; k < (long)rows; k++)
        assert_int_equal((int)zw_table_at(t, k, 1), zw_table_at(t, k, 0) < 0 ? 1 : 2);
    zw_table_destroy(t);
    zw_basin_destroy(b);
}

static void test_basin__a_stopped_map_has_no_circles(void **state) {
    (void)state;
    const char text[] = DOUBLE_WELL;
    zw_model_source source = {.text = text, .length = strlen(text), .file = "m.zw"};
    zw_error err = {0};
    zw_basin_options o = zw_basin_options_default();
    zw_basin *b;
    o.naxis = 2;
    o.axis = (const char *const[]){"x=-2:2:150", "x'=-2:2:150"};
    o.stop = after_half;
    assert_int_equal(zw_basin_create(&b, &source, &o, &err), ZW_OK);
    assert_int_equal(zw_basin_run(b, &err), ZW_STOPPED);
    assert_true(info_of(b).unresolved > 0);
    for (int i = 0; i < zw_basin_attractors(b); i++)
        assert_true(isnan(at(b, i)->circle) && isnan(at(b, i)->compact));
    zw_basin_destroy(b);
}

/* Many starts: the reach is tried by 256 starts within it, and one look there is enough. All that
 * were followed until they arrive by themselves go to the same. */
static void test_basin__confirmed_reach(void **state) {
    (void)state;
    zw_basin_options o = zw_basin_options_default();
    o.naxis = 2;
    o.axis = (const char *const[]){"x=-3:3:100", "x'=-3:3:100"};
    o.check = 1000;
    zw_basin *b = study_with(POINT "potential x^2/2 + x^4/4\n"
                                   "force (x) = 0.5*cos(1.6*t) - 0.1*x'\n",
                             o);
    assert_int_equal(zw_basin_attractors(b), 2);
    for (int i = 0; i < 2; i++)
        assert_int_equal(at(b, i)->confirmed, 256);
    assert_in_range(info_of(b).checked, 900, 1000);
    assert_int_equal(info_of(b).check_differs, 0);
    zw_basin_destroy(b);
}

/* The second check tells how many labels depend on the tolerance: as many as differ between two
 * studies of all starts. */
static void test_basin__labels_beside_fractal_boundaries(void **state) {
    (void)state;
    enum { N = 20 };
    static const char text[] = POINT "potential x^4/4 - x^2/2\n"
                                     "force (x) = 0.2*cos(t) - 0.1*x'\n";
    zw_basin_options o = zw_basin_options_default();
    o.naxis = 2;
    o.axis = (const char *const[]){"x=-2:2:20", "x'=-2:2:20"};
    o.check = N * N;
    o.run.rtol = 1e-6;
    o.run.atol = 1e-8;
    zw_basin *rough = study_with(text, o);
    zw_basin_info info = info_of(rough);
    assert_int_equal(info.check_differs, 0); /* with the same tolerance they are the same */
    o.run.rtol = 1e-8;
    o.run.atol = 1e-10;
    o.check = 0;
    zw_basin *fine = study_with(text, o);
    int differ = 0;
    for (uint64_t k = 0; k < N * N; k++)
        differ += zw_basin_label(rough, k) != zw_basin_label(fine, k);
    double all = (double)differ / (N * N),
           seen = (double)info.fine_differs / (double)info.fine_checked;
    assert_true(differ > 10);
    assert_true(fabs(seen - all) < 4 * sqrt(all * (1 - all) / (double)info.fine_checked));
    assert_int_equal(info_of(fine).fine_checked, 0);
    zw_basin_destroy(rough);
    zw_basin_destroy(fine);
}

/* closed forms: none of n, all but one of n; the sum of the binomial distribution at the bound, by
 * its recursion */
static void test_share__bounds(void **state) {
    (void)state;
    for (long n = 1; n < 500; n += 37) {
        assert_close(zw_share_at_most(0, n), 1 - pow(0.05, 1. / (double)n), 1e-12);
        assert_close(zw_share_at_most(n - 1, n), pow(0.95, 1. / (double)n), 1e-12);
        assert_close(zw_share_at_most(n, n), 1, 0);
    }
    assert_close(zw_share_at_most(0, 0), 1, 0);
    for (long k = 1; k < 60; k += 7) {
        double p = zw_share_at_most(k, 100), term = pow(1 - p, 100), sum = term;
        for (long i = 1; i <= k; i++)
            sum += term *= (double)(101 - i) / (double)i * p / (1 - p);
        assert_close(sum, 0.05, 1e-10);
        char text[20]; /* printed it is still a bound, and near to it */
        snprintf(text, sizeof text, "%.2g", zw_share_reported(k, 100));
        assert_true(strtod(text, NULL) >= p && strtod(text, NULL) <= 1.1 * p);
    }
}

/* ------------------------------------------------------------------------------ mistakes */

static void refuses(const char *text, zw_basin_options o, const char *words) {
    zw_model_source source = {.text = text, .length = strlen(text), .file = "m.zw"};
    zw_error err = {0};
    zw_basin *b;
    zw_status status = zw_basin_create(&b, &source, &o, &err);
    if (status >= 0)
        status = zw_basin_run(b, &err);
    assert_true(status < 0);
    if (!strstr(err.text, words))
        print_error("%s\n", err.text);
    assert_non_null(strstr(err.text, words));
    zw_basin_destroy(status < 0 ? b : NULL);
}

/* A cycle of ten periods whose basin is thinner than any trial: all starts next to it go there, so
 * it is no saddle. Found on several ways it is one cycle. */
#define THIN                                                                                       \
    HEAD "coord phi\nperiodic phi\nparticle p : 1 at (sin(phi), 0, -cos(phi))\n"                   \
         "potential 1 - cos(phi)\nforce (phi) = 1.7*cos(t) - phi'/4\nstart phi = 0, phi' = 0\n"
static void test_basin__thin_basin(void **state) {
    (void)state;
    static const char *const near[] = {"phi=-1.0557:-1.0555:4", "phi'=2.38823:2.38824:4"};
    zw_basin *b = study(THIN, 2, near);
    assert_int_equal(zw_basin_attractors(b), 1);
    const zw_basin_attractor *a = zw_basin_attractor_at(b, 0);
    assert_int_equal(a->period, 10);
    assert_int_equal(a->starts, 16);
    assert_true(a->trial != ZW_BASIN_UNSTABLE);
    assert_true(fabs(a->exponent + 0.0183) < 5 * a->exponent_error);
    zw_basin_destroy(b);
    /* its period is longer than those looked for: found by following it longer, again and again */
    static const char *const few[] = {"phi=-1.0557:-1.0555:2", "phi'=2.38823:2.38824:2"};
    zw_basin_options o = zw_basin_options_default();
    o.naxis = 2;
    o.axis = few;
    o.period_max = 8;
    o.looks = 4000;
    o.check = 0;
    b = study_with(THIN, o);
    assert_int_equal(zw_basin_attractors(b), 1);
    assert_int_equal(zw_basin_attractor_at(b, 0)->period, 10);
    zw_basin_destroy(b);
}

/* A block that dry friction holds anywhere where the force of the potential is less than mu: |x^3 -
 * x| <= mu, three intervals. As a contact, and as a force that jumps. */
static void test_basin__sticking_zones(void **state) {
    (void)state;
    static const char *const axis[] = {"x=-2:2:12", "x'=-1:1:12"};
    static const char *const model[] = {
        HEAD "param mu = 0.1\ncoord x, y\nkinetic 1/2*x'^2 + 1/2*y'^2\n"
             "potential y + x^4/4 - x^2/2\ncontact floor : gap y, slip x', law coulomb(mu)\n"
             "start x = 0, y = 0\n",
        HEAD "param mu = 0.1\ncoord x\nkinetic 1/2*x'^2\npotential x^4/4 - x^2/2\n"
             "force (x) = -mu*sign(x')\nstart x = 0\n"};
    /* roots of x^3 - x = +-0.1 */
    static const double end[3][2] = {{-1.0466805318046023, -0.9456492739235915},
                                     {-0.1010312578810113, 0.1010312578810113},
                                     {0.9456492739235915, 1.0466805318046023}};
    for (int m = 0; m < 2; m++) {
        zw_basin *b = study(model[m], 2, axis);
        assert_int_equal(zw_basin_attractors(b), 3);
        for (int i = 0; i < 3; i++) {
            const zw_basin_attractor *a = zw_basin_attractor_at(b, i);
            assert_int_equal(a->kind, ZW_BASIN_REST);
            assert_int_equal(a->continuum, 1);
            assert_true(a->beyond_low == 0 && a->beyond_high == 0 && a->starts > 0);
            assert_true(fabs(a->low[0] - end[i][0]) < 1e-5 && fabs(a->high[0] - end[i][1]) < 1e-5);
            assert_true(a->low[1] == a->high[1] && fabs(a->low[1]) < 1e-12);
        }
        assert_int_equal(info_of(b).unresolved, 0);
        zw_basin_destroy(b);
    }
}

/* Rests without friction: on a circle; on a line without ends. And the edge of friction in a plane:
 * a disc. */
static void test_basin__continua_of_rests(void **state) {
    (void)state;
    static const char *const axis[] = {"x=-2:2:9", "x'=-1:1:8"};
    zw_basin *b = study(HEAD "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
                             "potential 1/4*(x^2 + y^2 - 1)^2\n"
                             "dissipation 1/4*(x'^2 + y'^2)\nstart y = 0.1\n",
                        2, axis);
    const zw_basin_attractor *a = zw_basin_attractor_at(b, 0);
    assert_true(zw_basin_attractors(b) == 1 && a->continuum == 1 && a->starts == 72);
    for (int i = 0; i < 2; i++)
        assert_true(fabs(a->low[i] + 1) < 1e-4 && fabs(a->high[i] - 1) < 1e-4);
    zw_basin_destroy(b);
    b = study(HEAD "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential 1/2*(x - y)^2\n"
                   "dissipation 0.15*(x'^2 + y'^2)\nstart y = 0\n",
              2, axis);
    a = zw_basin_attractor_at(b, 0);
    assert_true(zw_basin_attractors(b) == 1 && a->continuum == 1 && a->starts == 72);
    assert_true((a->beyond_low & 3) == 3 && (a->beyond_high & 3) == 3);
    zw_basin_destroy(b);
    b = study(HEAD "coord x, y, z\nkinetic 1/2*(x'^2 + y'^2 + z'^2)\n"
                   "potential z + 1/2*(x^2 + y^2)\n"
                   "contact floor : gap z, slip (x', y'), law coulomb(0.3)\n"
                   "start y = 0.5, z = 0\n",
              2, axis);
    a = zw_basin_attractor_at(b, 0);
    assert_true(zw_basin_attractors(b) == 1 && a->continuum == 2 && a->starts == 72);
    assert_true(a->low[0] >= -0.3 - 1e-5 && a->high[0] <= 0.3 + 1e-5);
    zw_basin_destroy(b);
    b = study(HEAD "coord phi\nperiodic phi\nkinetic phi'^2/2\npotential -cos(phi)\n"
                   "force (phi) = -0.2*sign(phi')\nstart phi = 0\n",
              2, (const char *const[]){"phi=-3:3:13", "phi'=-2:2:8"}); /* |sin(phi)| <= 0.2 */
    assert_int_equal(zw_basin_attractors(b), 2);
    for (int i = 0; i < 2; i++) {
        a = zw_basin_attractor_at(b, i);
        double middle = fabs(a->low[0]) < 1 ? 0 : M_PI;
        assert_int_equal(a->continuum, 1);
        assert_true(fabs(fabs((a->low[0] + a->high[0]) / 2) - middle) < 2e-5);
        assert_true(fabs(a->high[0] - a->low[0] - 2 * asin(0.2)) < 2e-5);
    }
    zw_basin_destroy(b);
}

/* A rest that motions approach as a power of time, and one that is stable, are no continua. */
static void test_basin__isolated_rests(void **state) {
    (void)state;
    zw_basin_options o = zw_basin_options_default();
    o.naxis = 1;
    o.axis = (const char *const[]){"x=-2:2:3"};
    o.looks = 20000;
    zw_basin *b = study_with(HEAD "state x : x' = -x^3\nstart x = 1\n", o);
    for (int i = 0; i < zw_basin_attractors(b); i++)
        assert_int_equal(zw_basin_attractor_at(b, i)->continuum, 0);
    zw_basin_destroy(b);
    b = study(DOUBLE_WELL, 2, (const char *const[]){"x=-2:2:9", "x'=-1:1:9"});
    for (int i = 0; i < zw_basin_attractors(b); i++)
        assert_int_equal(zw_basin_attractor_at(b, i)->continuum, 0);
    zw_basin_destroy(b);
}

static void test_basin__mistakes(void **state) {
    (void)state;
    zw_basin_options o = zw_basin_options_default();
    refuses(DOUBLE_WELL, o, "no range of starts");
    o.naxis = 1;
    o.axis = (const char *const[]){"xx=-2:2:10"};
    refuses(DOUBLE_WELL, o, "--start xx");
    o.axis = (const char *const[]){"x=1:1:10"};
    refuses(DOUBLE_WELL, o, "--start");
    o.axis = (const char *const[]){"x=-2:2:1000001"};
    refuses(DOUBLE_WELL, o, "at most 1000000");
    o.axis = (const char *const[]){"x=-2:2:10"};
    o.section = "never";
    refuses(DOUBLE_WELL, o, "no event");
    o.section = NULL;
    o.compare = "zz";
    refuses(DOUBLE_WELL, o, "zz");
    o.compare = NULL;
    o.cell = 2;
    refuses(DOUBLE_WELL, o, "cells");
    o = zw_basin_options_default();
    o.naxis = 1;
    o.axis = (const char *const[]){"x=-2:2:10"};
    o.step = 1;
    refuses(DUFFING, o, "whole number of excitation periods");
    o.step = 0;
    o.over = "x=1:2:3";
    refuses(DUFFING, o, "not a parameter");
    o.over = NULL;
    refuses(POINT "force (x) = -x' - x + exp(-t)\n", o, "without a period");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_basin__threads_and_engines),
        cmocka_unit_test(test_basin__samples),
        cmocka_unit_test(test_basin__chaos),
        cmocka_unit_test(test_basin__torus),
        cmocka_unit_test(test_basin__impacts),
        cmocka_unit_test(test_basin__contact),
        cmocka_unit_test(test_basin__contact_gap),
        cmocka_unit_test(test_basin__section),
        cmocka_unit_test(test_basin__singular_coordinates),
        cmocka_unit_test(test_basin__refinement),
        cmocka_unit_test(test_basin__circles),
        cmocka_unit_test(test_basin__uncertainty),
        cmocka_unit_test(test_basin__fractal_boundary),
        cmocka_unit_test(test_basin__over),
        cmocka_unit_test(test_basin__kinds_over_parameters),
        cmocka_unit_test(test_basin__table),
        cmocka_unit_test(test_basin__conserved),
        cmocka_unit_test(test_basin__mirrored_grid),
        cmocka_unit_test(test_basin__small_motions),
        cmocka_unit_test(test_basin__rough_tolerances),
        cmocka_unit_test(test_basin__rest_on_an_edge),
        cmocka_unit_test(test_basin__stopped_at_once),
        cmocka_unit_test(test_basin__stopped_on_the_way),
        cmocka_unit_test(test_basin__a_stopped_map_has_no_circles),
        cmocka_unit_test(test_basin__confirmed_reach),
        cmocka_unit_test(test_basin__labels_beside_fractal_boundaries),
        cmocka_unit_test(test_share__bounds),
        cmocka_unit_test(test_basin__thin_basin),
        cmocka_unit_test(test_basin__sticking_zones),
        cmocka_unit_test(test_basin__continua_of_rests),
        cmocka_unit_test(test_basin__isolated_rests),
        cmocka_unit_test(test_basin__mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
