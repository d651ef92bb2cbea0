/* SPDX-License-Identifier: MIT */
/* Forced motions that are periodic but for a symmetry: the ball absorber itself against its
 * equations without orientation, which were written by hand, against collocation and against runs
 * of the full model; a sleigh that drifts against the classical Runge-Kutta method. */
#include <math.h>

#include "base/rotation.h"
#include "support/forced_report.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

static zw_context *ctx;
static zw_system *sys;
static zw_forced *study;
static zw_error err;

static void read_model(const char *path, const char *variant, int nset, const char *const *set) {
    zw_model_options model = {.size = sizeof model, .variant = variant, .nset = nset, .set = set};
    err = (zw_error){0};
    ctx = zw_context_create(NULL);
    study = NULL;
    if (zw_model_read(&sys, ctx, path, &model, &err) < 0)
        fail_msg("%s", err.text);
}

static void make(zw_forced_options options) {
    if (zw_forced_create(&study, sys, &options, &err) < 0)
        fail_msg("%s", err.text);
}

static void done(void) {
    zw_forced_destroy(study);
    zw_context_destroy(ctx);
}

static const zw_forced_motion *find(int settle) {
    zw_forced_options o = zw_forced_options_default();
    int number;
    o.settle = settle;
    o.tolerance = 1e-11;
    make(o);
    if (zw_forced_find(study, NAN, &number, &err) < 0)
        fail_msg("%s", err.text);
    return zw_forced_motion_at(study, number);
}

static int quantity(const char *name) {
    const char *unit;
    for (int i = 0; i < zw_forced_quantities(study); i++)
        if (strcmp(zw_forced_quantity(study, i, &unit), name) == 0)
            return i;
    fail_msg("no quantity %s", name);
    return -1;
}

/* every multiplier of the one is one of the other */
static void expect_multipliers(const zw_forced_motion *m, int n, const double *re, const double *im,
                               double tolerance) {
    assert_int_equal(m->nmultiplier, n);
    for (int i = 0; i < n; i++) {
        double least = INFINITY;
        for (int k = 0; k < n; k++)
            least = fmin(least, hypot(m->re[k] - re[i], m->im[k] - im[i]));
        assert_true(least < tolerance);
    }
}

/* ---------------------------------------------------------------------------- the ball absorber */

/* In the zone of figure 6 of the source the motion is spatial. The equations of
 * models/absorber_no_spin.zw have no orientation; the ball's turn in a period is that of a run. */
static void test_modulo__spatial_motion_of_the_absorber(void **state) {
    static const char *const set[] = {"omega=2.98 [rad/s]"};
    double re[4], im[4], C[2], turn[3], A[9], B[9], H[9], first[4], last[4];
    zw_table *rows;
    (void)state;
    read_model(MODEL("absorber_no_spin"), NULL, 1, set);
    const zw_forced_motion *m = find(400);
    assert_int_equal(m->nmultiplier, 4);
    memcpy(re, m->re, sizeof re);
    memcpy(im, m->im, sizeof im);
    C[0] = m->measure[quantity("C.x")].rms;
    C[1] = m->measure[quantity("C.y")].rms;
    assert_true(C[1] > 0.1);
    done();
    read_model(MODEL("absorber_spatial"), "zone", 1, set);
    m = find(400);
    assert_int_equal(m->verdict, ZW_FLOQUET_STABLE);
    expect_multipliers(m, 4, re, im, 1e-7);
    assert_close(m->measure[quantity("C.x")].rms, C[0], 1e-8);
    assert_close(m->measure[quantity("C.y")].rms, C[1], 1e-8);
    assert_close(m->measure[quantity("spin")].max, 0, 1e-9);
    assert_int_equal(zw_forced_attitudes(study), 1);
    assert_int_equal(zw_forced_motion_table(study, 0, 4, NULL, &rows, NULL, &err), ZW_OK);
    for (int i = 0; i < 4; i++) {
        char name[] = {'b', 'a', 'l', 'l', '.', 'p', (char)('0' + i), '\0'};
        int column = zw_table_find(rows, name);
        assert_true(column >= 0);
        first[i] = zw_table_at(rows, 0, column);
        last[i] = zw_table_at(rows, zw_table_rows(rows) - 1, column);
    }
    zw_rotation_matrix(first, A);
    zw_rotation_matrix(last, B);
    zw_rotation_product_right(B, A, H);
    zw_rotation_vector(H, turn);
    assert_true(fabs(turn[0]) > 0.1);
    for (int i = 0; i < 3; i++)
        assert_close(m->turned[i], turn[i], 1e-7);
    zw_table_destroy(rows);
    char *text = forced_text(study);
    zw_report *report = forced_report(study);
    assert_non_null(strstr(text, "ball comes back rotated by 1.5330920"));
    assert_non_null(
        strstr(text, "spin is conserved: these are the motions with its value at the start, 0 "));
    assert_string_equal(zw_report_get_word(report, "motions.0.rotations.0.frame"), "ball");
    assert_float_equal(zw_report_get_number(report, "motions.0.rotations.0.angle"), 1.533092, 1e-6);
    assert_string_equal(zw_report_get_word(report, "kept.0.name"), "spin");
    assert_float_equal(zw_report_get_number(report, "kept.0.value"), 0, 0);
    free(text);
    zw_report_destroy(report);
    done();
}

enum { MARKS = 8 };

static int marks_of(zw_forced *f, double *value, zw_bifurcation *event) {
    int n = 0;
    for (int i = 0; i < zw_forced_motions(f); i++) {
        const zw_forced_motion *m = zw_forced_motion_at(f, i);
        if (m->curve < 0 || (m->event != ZW_BIFURCATION_FOLD && m->event != ZW_BIFURCATION_BRANCH &&
                             m->event != ZW_BIFURCATION_FLIP && m->event != ZW_BIFURCATION_TORUS))
            continue;
        assert_true(n < MARKS);
        value[n] = m->value;
        event[n++] = m->event;
    }
    return n;
}

/* Folds and the branch point at which motions in a plane give way to spatial ones. */
static void test_modulo__curve_of_the_absorber(void **state) {
    static const char *const set[] = {"y'=0"}; /* in the plane of the drive */
    double value[2][MARKS];
    zw_bifurcation event[2][MARKS];
    int n[2], unstable[2] = {0};
    (void)state;
    for (int k = 0; k < 2; k++) {
        zw_forced_options o = zw_forced_options_default();
        read_model(k ? MODEL("absorber_spatial") : MODEL("absorber_no_spin"), k ? "zone" : NULL, 1,
                   set);
        o.over = "omega=2.79:2.86";
        make(o);
        if (zw_forced_curves(study, 0, 0, &err) < 0)
            fail_msg("%s", err.text);
        n[k] = marks_of(study, value[k], event[k]);
        for (int i = 0; i < zw_forced_motions(study); i++)
            unstable[k] += zw_forced_motion_at(study, i)->verdict == ZW_FLOQUET_UNSTABLE;
        done();
    }
    assert_int_equal(n[0], 3);
    assert_int_equal(n[1], 3);
    for (int i = 0; i < 3; i++) {
        assert_close(value[0][i], value[1][i], 1e-8);
        assert_int_equal(event[0][i], event[1][i]);
    }
    assert_close(value[1][0], 2.843145623, 1e-8);
    assert_true(unstable[0] > 0 && unstable[1] > 0);
}

/* A spin that stays is that of the start, also where the start goes along with the parameter; with
 * damping of the spin nothing stays, and there is one more multiplier, exp(-kappa_s/J P). */
static void test_modulo__spin_of_the_start(void **state) {
    static const char *const set[] = {"omega=2.5 [rad/s]", "spin_0=0.5 [rad/s]", "y'=0"},
                             *const damped[] = {"omega=2.5 [rad/s]", "y'=0",
                                                "kappa_s=0.01 [N*m*s]"};
    zw_forced_options o = zw_forced_options_default();
    (void)state;
    read_model(MODEL("absorber_spatial"), "zone", 3, set);
    const zw_forced_motion *m = find(100);
    const zw_motion_measure *spin = &m->measure[quantity("spin")];
    double C = m->measure[quantity("C.x")].rms, re[4], im[4];
    assert_close(spin->max, 0.5, 1e-8);
    assert_close(spin->min, 0.5, 1e-8);
    assert_int_equal(m->nmultiplier, 4);
    memcpy(re, m->re, sizeof re);
    memcpy(im, m->im, sizeof im);
    zw_orbits_options of = zw_orbits_options_default();
    zw_orbits *orbits;
    int number;
    of.tolerance = 1e-9;
    of.steps = 20000;
    if (zw_orbits_create(&orbits, sys, &of, &err) < 0 ||
        zw_orbits_find(orbits, NAN, &number, &err) < 0)
        fail_msg("%s", err.text);
    const zw_orbit_motion *by = zw_orbits_at(orbits, number);
    const zw_forced_motion same = {.nmultiplier = by->nmultiplier, .re = by->re, .im = by->im};
    expect_multipliers(&same, 4, re, im, 1e-6);
    zw_orbits_destroy(orbits);
    done();
    read_model(MODEL("absorber_spatial"), "zone", 3, set);
    o.over = "spin_0=0:0.5";
    make(o);
    if (zw_forced_curves(study, 0, 0, &err) < 0)
        fail_msg("%s", err.text);
    for (int i = 0; i < zw_forced_motions(study); i++) {
        m = zw_forced_motion_at(study, i);
        assert_close(m->measure[quantity("spin")].mean, m->value, 1e-8);
        if (m->value == 0.5)
            assert_close(m->measure[quantity("C.x")].rms, C, 1e-8);
    }
    done();
    read_model(MODEL("absorber_spatial"), "zone", 3, damped);
    m = find(100);
    assert_int_equal(m->nmultiplier, 5);
    double least = INFINITY;
    for (int i = 0; i < 5; i++)
        least = fmin(least, hypot(m->re[i] - exp(-0.01 / (0.4 * 2 * 0.18 * 0.18) * 2 * M_PI / 2.5),
                                  m->im[i]));
    assert_true(least < 1e-7);
    done();
}

/* (57) of the source: its constraints keep the distance from the centre, which none of them says
 * everywhere. The rms by Runge-Kutta's method of s' = w x s and the balance of moments. */
static void test_modulo__integral_without_a_multiplier(void **state) {
    static const char *const set[] = {"kappa_r=0.05 [N*m*s]"};
    (void)state;
    read_model(MODEL("absorber_spatial"), "constraint57", 1, set);
    const zw_forced_motion *m = find(50);
    assert_close(m->measure[quantity("x")].rms, 0.0534099961, 1e-9);
    assert_close(m->measure[quantity("z")].rms, 0.849092213, 1e-9);
    assert_int_equal(m->nmultiplier, 4);
    done();
}

/* A ball on a shaken table in a constant wind: it keeps its spin, and x grows by 2 pi F/(c w) in a
 * period. */
static void test_modulo__wind(void **state) {
    static const char text[] =
        "model windy\nparam m = 1 [kg], r = 0.1 [m], F = 0.3 [N], c = 0.2 [kg/s], A = 0.1 [m], "
        "w = 2 [rad/s], g = 9.81 [m/s^2]\ninput X = harmonic(A, w)\ncoord x, y, z [m]\n"
        "body ball : sphere(m, r) at (x, y, z)\nframe S : at (X, 0, 0)\n"
        "rolling roll : sphere ball radius r on plane of S\ngravity g along -z\n"
        "force wind at ball.origin = (F - c*x', -c*y', 0)\nstart x = 0, y = 0, z = r\n";
    int found;
    (void)state;
    err = (zw_error){0};
    ctx = zw_context_create(NULL);
    study = NULL;
    assert_int_equal(zw_model_parse(&sys, ctx, text, strlen(text), "test", NULL, &err), ZW_OK);
    make(zw_forced_options_default());
    if (zw_forced_shoot(study, NAN, 1, 0, &found, &err) < 0)
        fail_msg("%s", err.text);
    const zw_forced_motion *m = zw_forced_motion_at(study, 0);
    assert_close(m->drift[0], 2 * M_PI * 0.3 / (0.2 * 2), 1e-8);
    assert_true(m->measure[quantity("x")].max - m->measure[quantity("x")].min < 0.1);
    assert_int_equal(m->nmultiplier, 2);
    done();
}

static void test_modulo__level_that_is_not_known(void **state) {
    static const char text[] =
        "model bowl\nparam m = 1 [kg], r = 0.1 [m], R = 0.9 [m], g = 9.81 [m/s^2], "
        "F = 0.4 [N], Om = 2 [rad/s], c = 0.5 [kg/s], s = 1\n"
        "coord x, y, z [m]\nbody ball : sphere(m, r) at (x, y, z)\n"
        "rolling roll : sphere ball radius r on sphere centre (0, 0, R) radius R inside\n"
        "gravity g along -z\nforce wind at ball.origin = (F*cos(Om*t), 0, 0)\n"
        "force drag at ball.origin = -c*(x', y', z')\n"
        "observe spin = (ball.wx*x + ball.wy*y + ball.wz*(z - R))/(R - r)\n"
        "start x = 0, y = 0, z = r, ball.wz = s^2*1 [rad/s]\n";
    zw_forced_options o = zw_forced_options_default();
    (void)state;
    err = (zw_error){0};
    ctx = zw_context_create(NULL);
    study = NULL;
    assert_int_equal(zw_model_parse(&sys, ctx, text, strlen(text), "test", NULL, &err), ZW_OK);
    o.over = "s=0:2";
    assert_int_equal(zw_forced_create(&study, sys, &o, &err), ZW_E_OPTION);
    assert_non_null(strstr(err.text, "spin is conserved, but"));
    done();
}

/* Branches of orbits of the absorber itself: the folds of its equations without orientation. */
static void test_modulo__branch_of_the_absorber(void **state) {
    static const char *const set[] = {"omega=2.83 [rad/s]", "y'=0"};
    zw_orbits_options o = zw_orbits_options_default();
    zw_orbits *orbits;
    int number, folds = 0;
    (void)state;
    read_model(MODEL("absorber_spatial"), "zone", 2, set);
    o.over = "omega=2.83:2.86";
    if (zw_orbits_create(&orbits, sys, &o, &err) < 0 ||
        zw_orbits_find(orbits, 2.83, &number, &err) < 0 ||
        zw_orbits_follow(orbits, number, &err) < 0)
        fail_msg("%s", err.text);
    for (int i = 0; i < zw_orbits_count(orbits); i++) {
        const zw_orbit_motion *m = zw_orbits_at(orbits, i);
        assert_int_equal(m->family, 0);
        if (m->event == ZW_BIFURCATION_FOLD) {
            assert_close(m->value, 2.843145623, 1e-7);
            folds++;
        }
    }
    assert_int_equal(folds, 1);
    zw_orbits_destroy(orbits);
    done();
}

/* ------------------------------------------------------------------------------------- a sleigh */

static const char sleigh[] =
    "model sleigh\n"
    "param m = 1 [kg], J = 0.1 [kg*m^2], a = 0.2 [m], c = 0.5 [kg/s], d = 0.1 [N*m*s], "
    "      M0 = 2 [N*m], Om = 3 [rad/s]\n"
    "coord x, y [m], th [rad]\n"
    "frame S : rotate z th at (x, y, 0)\n"
    "body B : S, inertia(m, J, J, J) at (a, 0, 0)\n"
    "constraint blade : -sin(th)*x' + cos(th)*y' = 0\n"
    "force drag (x, y) = -c*(x', y')\n"
    "force turn (th) = M0*cos(Om*t) - d*th'\n"
    "start th = 0, x' = 0.98 [m/s], y' = 0, th' = 0.76 [rad/s]\n";

/* How far it goes in a period by Runge and Kutta's method is in
 * tests/motion/orbits/test_orbits_modulo.c. */
static void test_modulo__sleigh(void **state) {
    zw_context *own = zw_context_create(NULL);
    zw_system *full;
    zw_reduction *r;
    (void)state;
    err = (zw_error){0};
    assert_int_equal(zw_model_parse(&full, own, sleigh, strlen(sleigh), "test", NULL, &err), ZW_OK);
    zw_forced_options o = zw_forced_options_default();
    zw_forced *whole;
    int number;
    assert_int_equal(zw_forced_create(&whole, full, &o, &err), ZW_OK);
    assert_int_equal(zw_forced_find(whole, NAN, &number, &err), ZW_E_NUMERIC);
    assert_true(zw_forced_drifts(whole));
    zw_forced_destroy(whole);
    err = (zw_error){0};
    assert_int_equal(zw_reduce(&r, full, NULL, &err), ZW_OK);
    char *text = zw_reduction_model(r, NULL, &err);
    assert_non_null(text);
    ctx = zw_context_create(NULL);
    study = NULL;
    assert_int_equal(zw_model_parse(&sys, ctx, text, strlen(text), "reduced", NULL, &err), ZW_OK);
    zw_string_free(own, text);
    o.tolerance = 1e-11;
    make(o);
    zw_forced_reduced_by(study, r);
    assert_int_equal(zw_forced_find(study, NAN, &number, &err), ZW_OK);
    assert_int_equal(zw_forced_find_drifts(study, &err), ZW_OK);
    const zw_forced_motion *m = zw_forced_motion_at(study, number);
    assert_close(hypot(m->left[0], m->left[1]), 3.070080090173, 1e-8);
    assert_close(m->left[2], 0, 1e-12);
    assert_int_equal(m->verdict, ZW_FLOQUET_STABLE);
    text = forced_text(study);
    assert_non_null(strstr(text, "model: 1 periodic motion"));
    assert_non_null(strstr(text, "x drifts by "));
    assert_non_null(strstr(text, "th comes back\n"));
    free(text);
    done();
    zw_reduction_destroy(r);
    zw_context_destroy(own);
}

/* opens the reduced model with this line added, and finds a motion of it, at a value */
static void find_reduced(const char *text, const zw_reduce_options *reduce, const char *line,
                         const char *over, double value, zw_context *own, zw_reduction **r) {
    zw_system *full;
    zw_forced_options o = zw_forced_options_default();
    int number;
    char more[4000];
    err = (zw_error){0};
    if (zw_model_parse(&full, own, text, strlen(text), "test", NULL, &err) < 0 ||
        zw_reduce(r, full, reduce, &err) < 0)
        fail_msg("%s", err.text);
    char *reduced = zw_reduction_model(*r, NULL, &err);
    assert_non_null(reduced);
    snprintf(more, sizeof more, "%s\n%s\n", reduced, line);
    zw_string_free(own, reduced);
    ctx = zw_context_create(NULL);
    study = NULL;
    if (zw_model_parse(&sys, ctx, more, strlen(more), "reduced", NULL, &err) < 0)
        fail_msg("%s", err.text);
    o.over = over;
    make(o);
    zw_forced_reduced_by(study, *r);
    if (zw_forced_find(study, value, &number, &err) < 0)
        fail_msg("%s", err.text);
}

/* a parameter of the study that the model does not have, and a momentum that replaces a velocity */
static void test_modulo__parameters_of_the_reduced_model_alone(void **state) {
    static const char turning[] =
        "model turning\n"
        "param m = 1 [kg], k = 20 [N/m], c = 0.5 [kg/s], F = 0.1 [N], Om = 3 [rad/s], l = 1 [m]\n"
        "coord r [m], phi [rad]\nparticle P : m at (r*cos(phi), r*sin(phi))\n"
        "potential 1/2*k*(r - l)^2\ndissipation 1/2*c*r'^2\nforce drive (r) = F*cos(Om*t)\n"
        "start r = 1 [m], phi' = 0.5 [rad/s]\n";
    (void)state;
    zw_context *own = zw_context_create(NULL);
    zw_reduction *r;
    find_reduced(sleigh, NULL, "param other = 1 [m]", "other=1:2 [m]", 1.5, own, &r);
    assert_int_equal(zw_forced_find_drifts(study, &err), ZW_E_NAME);
    assert_non_null(strstr(err.text, "sleigh has no parameter other"));
    done();
    zw_reduction_destroy(r);

    zw_reduce_options o = zw_reduce_options_default();
    o.nmomenta = 1;
    o.momenta = (const char *const[]){"phi"};
    find_reduced(turning, &o, "", NULL, NAN, own, &r);
    assert_int_equal(zw_forced_find_drifts(study, &err), ZW_E_OPTION);
    assert_non_null(strstr(err.text, "turning is reduced with p_phi as a parameter"));
    done();
    zw_reduction_destroy(r);
    zw_context_destroy(own);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modulo__spatial_motion_of_the_absorber),
        cmocka_unit_test(test_modulo__curve_of_the_absorber),
        cmocka_unit_test(test_modulo__spin_of_the_start),
        cmocka_unit_test(test_modulo__integral_without_a_multiplier),
        cmocka_unit_test(test_modulo__wind),
        cmocka_unit_test(test_modulo__level_that_is_not_known),
        cmocka_unit_test(test_modulo__branch_of_the_absorber),
        cmocka_unit_test(test_modulo__sleigh),
        cmocka_unit_test(test_modulo__parameters_of_the_reduced_model_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
