/* SPDX-License-Identifier: MIT */
/* Cycles of the tippedisk: two and three states, both discs, the form without units, against
 * numbers of another program (shooting by Runge and Kutta's method) and Melnikov's integral over
 * the cycles of pure rolling; the full disc in velocities against the one in co-rotating
 * coordinates. */
#include <math.h>
#include <stdlib.h>

#include "support/orbits.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

static zw_context *ctx;
static zw_system *sys;
static zw_orbits *orbits;
static zw_error err;
static const char *symmetry; /* of the branches that are opened; NULL: none */
static double longest;       /* period of them */
static int most_points;      /* of a branch; 0: as many as by default */

static void open_branch(const char *path, const char *variant, int nset, const char *const *set,
                        const char *over, double tolerance) {
    zw_model_options model = {.size = sizeof model, .variant = variant, .nset = nset, .set = set};
    zw_orbits_options o = zw_orbits_options_default();
    int born;
    o.over = over;
    o.tolerance = tolerance;
    o.symmetry = symmetry;
    o.period_max = longest;
    if (most_points)
        o.points_max = most_points;
    err = (zw_error){0};
    ctx = zw_context_create(NULL);
    if (zw_model_read(&sys, ctx, path, &model, &err) < 0 ||
        zw_orbits_create(&orbits, sys, &o, &err) < 0 ||
        zw_orbits_from_hopf(orbits, &born, &err) < 0)
        fail_msg("%s: %s", path, err.text);
}

static void close_branch(void) {
    zw_orbits_destroy(orbits);
    zw_context_destroy(ctx);
}

static int quantity(const char *name) {
    const char *unit;
    for (int i = 0; i < zw_orbits_quantities(orbits); i++)
        if (strcmp(zw_orbits_quantity(orbits, i, &unit), name) == 0)
            return i;
    fail_msg("there is no %s", name);
    return -1;
}

/* amplitude of gamma about 90 degrees */
static double swing(const zw_orbit_motion *m) {
    const zw_motion_measure *gamma = &m->measure[quantity("gamma")];
    return 0.5 * (gamma->max - gamma->min);
}

/* the value of `of` where the branch has the swing s for the first time, by a cubic through the
 * four orbits around it */
static double at_swing(double s, double (*of)(const zw_orbit_motion *m)) {
    int n = zw_orbits_count(orbits);
    for (int i = 1; i + 2 < n; i++) {
        const zw_orbit_motion *m[4];
        for (int k = 0; k < 4; k++)
            m[k] = zw_orbits_at(orbits, i - 1 + k);
        if (m[0]->curve < 0 || (swing(m[1]) - s) * (swing(m[2]) - s) > 0)
            continue;
        double sum = 0;
        for (int k = 0; k < 4; k++) {
            double weight = 1;
            for (int l = 0; l < 4; l++)
                if (l != k)
                    weight *= (s - swing(m[l])) / (swing(m[k]) - swing(m[l]));
            sum += weight * of(m[k]);
        }
        return sum;
    }
    fail_msg("no cycle has the swing %g", s);
    return 0;
}

static double value_of(const zw_orbit_motion *m) {
    return m->value;
}

static double period_of(const zw_orbit_motion *m) {
    return m->period;
}

static double fold_of(double *period) {
    for (int i = 0; i < zw_orbits_count(orbits); i++)
        if (zw_orbits_at(orbits, i)->event == ZW_BIFURCATION_FOLD) {
            *period = zw_orbits_at(orbits, i)->period;
            return zw_orbits_at(orbits, i)->value;
        }
    fail_msg("there is no fold");
    return 0;
}

/* The swings of two and three states at 30.20, 30.40, 30.60, 30.80 rad/s, linear friction, and
 * their periods: notes to section 5.4 of the thesis. Tolerances: the last digit that is given,
 * times how fast what is compared changes with the swing. */
static void test_tippedisk__cycles_of_two_and_three_states(void **state) {
    (void)state;
    static const double value[] = {30.20, 30.40, 30.60, 30.80};
    static const double swings[2][4] = {{2.6643, 1.8295, 1.2663, 0.7081},
                                        {2.4793, 1.7782, 1.2534, 0.7063}};
    static const double periods[2][4] = {{1.6146, 1.1254, 0.9892, 0.9164},
                                         {1.4463, 1.1098, 0.9871, 0.9163}};
    static const char *const set[] = {"gamma=90deg", "Omega=30.5 [rad/s]"};
    for (int three = 0; three < 2; three++) {
        open_branch(three ? MODEL("tippedisk_reduced") : MODEL("tippedisk_slow"),
                    three ? "linear" : NULL, 2, set, "Omega=30.15:31", 1e-7);
        for (int i = 0; i < 4; i++) {
            assert_close(at_swing(swings[three][i], value_of), value[i], 4e-5);
            assert_close(at_swing(swings[three][i], period_of), periods[three][i], 2e-4);
        }
        close_branch();
    }
}

/* The disc whose hole is overfilled: swing, spin and period of the notes to section 5.5, and the
 * fold, printed as 31.48 rad/s */
static void test_tippedisk__filled_disc_turns_back(void **state) {
    (void)state;
    static const double row[][3] = {
        {0.85, 30.9347, 1.0290},
        {1.45, 31.2391, 1.1148},
        {2.05, 31.4517, 1.2944},
        {2.35, 31.4768, 1.4532},
        {2.65, 31.4469, 1.7121}}; /* further on periods bend too much for a cubic */
    static const char *const set[] = {"gamma=90deg"};
    double period;
    open_branch(MODEL("tippedisk_slow"), "filled", 1, set, "Omega=30:32", 1e-7);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        assert_close(at_swing(row[i][0], value_of), row[i][1], 1e-4);
        assert_close(at_swing(row[i][0], period_of), row[i][2], 2e-4);
    }
    assert_close(fold_of(&period), 31.4770, 5e-5);
    assert_close(period, 1.438, 5e-4);
    close_branch();
}

/* By their halves cycles are followed to a minute, beside the connection of plain spinning with
 * itself that ends them. As whole orbits they could not: they pass the saddle twice, and how long
 * each time is below rounding. */
static void test_tippedisk__periods_of_a_minute(void **state) {
    (void)state;
    static const char *const set[] = {"gamma=90deg", "Omega=30.5 [rad/s]"};
    symmetry = "beta=pi-beta, gamma=pi-gamma";
    longest = 60;
    open_branch(MODEL("tippedisk_slow"), NULL, 2, set, "Omega=30:31", 1e-6);
    double most = 0, value = 0;
    for (int i = 0; i < zw_orbits_count(orbits); i++) {
        const zw_orbit_motion *m = zw_orbits_at(orbits, i);
        if (m->period > most) {
            most = m->period;
            value = m->value;
        }
    }
    symmetry = NULL;
    longest = 0;
    assert_true(most >= 60);
    assert_close(value, 30.1301228063, 1e-10); /* by bisection, zwang connect */
    close_branch();
}

/* In three states the mesh changes at the fold, and the branch goes on beside itself: the fold is
 * where a finer one has it, and no branch point is beside it. */
static void test_tippedisk__fold_at_a_change_of_the_mesh(void **state) {
    (void)state;
    static const char *const set[] = {"gamma=90deg", "Omega=30.5 [rad/s]"};
    double period, fold[2];
    most_points = 100; /* it would go on for long beside the connection that ends it */
    for (int fine = 0; fine < 2; fine++) {
        int marks = 0;
        open_branch(MODEL("tippedisk_reduced"), "linear_filled", 2, set, "Omega=30:32",
                    fine ? 1e-7 : 1e-6);
        fold[fine] = fold_of(&period);
        for (int i = 0; i < zw_orbits_count(orbits); i++) {
            zw_bifurcation event = zw_orbits_at(orbits, i)->event;
            marks += event == ZW_BIFURCATION_FOLD || event == ZW_BIFURCATION_BRANCH;
        }
        assert_int_equal(marks, 1);
        close_branch();
    }
    most_points = 0;
    assert_close(fold[0], fold[1], 1e-7);
}

/* Melnikov's integral over the cycle of pure rolling of the swing s, (1 + kappa sin gamma) sin beta
 * = 1 + kappa cos s, which gives w^2 as a quotient, and its period; gamma = pi/2 + s sin(u), so
 * that the ends are smooth, by the midpoint rule, which is exact there but for what falls faster
 * than any power */
static double melnikov(double kappa, double zeta, double s, double *period) {
    enum { POINTS = 400 };
    double level = 1 + kappa * cos(s), above = 0, below = 0, time = 0;
    for (int i = 0; i < POINTS; i++) {
        double u = M_PI * ((i + 0.5) / POINTS - 0.5), gamma = M_PI / 2 + s * sin(u),
               sg = sin(gamma), cg2 = 1 - sg * sg, arm = 1 + kappa * sg,
               cb = sqrt(fmax(1 - level * level / (arm * arm), 0)), step = s * cos(u);
        above += cb * arm * arm * step;
        below +=
            cb / (arm * arm) *
            (zeta * cg2 * (1 - kappa * sg - 2 * kappa * kappa) + sg * (sg + kappa + kappa * cg2)) *
            step;
        time += step / cb;
    }
    *period = 2 * time * M_PI / POINTS;
    return sqrt(above / (level * below));
}

/* The three types of chapter 6: spin and period at given swings tend to Melnikov's with eps; T_c =
 * 28.7932; folds 0, 1, 1 */
static void test_tippedisk__types_of_discs(void **state) {
    (void)state;
    static const char *const zeta[] = {"zeta=1.2", "zeta=0.9", "zeta=1.5"};
    static const double of[] = {1.2, 0.9, 1.5}, swings[] = {1, 1.5, 2, 2.5, 2.9};
    for (int k = 0; k < 3; k++) {
        const char *const set[] = {zeta[k], "eps=0.001", "gamma=pi/2"};
        double period;
        int folds = 0;
        open_branch(MODEL("tippedisk_normalised"), NULL, 3, set, "w=0.9:1.15", 1e-8);
        for (int i = 0; i < zw_orbits_count(orbits); i++)
            folds += zw_orbits_at(orbits, i)->event == ZW_BIFURCATION_FOLD;
        assert_int_equal(folds, k > 0);
        for (size_t i = 0; i < sizeof swings / sizeof *swings; i++) {
            double w = melnikov(0.05, of[k], swings[i], &period);
            assert_close(at_swing(swings[i], value_of), w, 2e-6);
            assert_close(at_swing(swings[i], period_of), period, 1e-3 * period);
        }
        close_branch();
    }
}

/* Folds of cycles over kappa and zeta at w = 1.0861: everywhere on the curve the largest w of
 * Melnikov's branch is that. In two states no pair of multipliers leaves the circle, though the two
 * that are 1 look like one. */
static void test_tippedisk__folds_over_two_numbers(void **state) {
    (void)state;
    static const char *const set[] = {"w=1.0861", "zeta=0.9", "eps=0.001", "gamma=pi/2"};
    open_branch(MODEL("tippedisk_normalised"), NULL, 4, set, "kappa=0.03:0.1", 1e-7);
    if (zw_orbits_marks(orbits, "zeta=0.75:0.95", &err) < 0)
        fail_msg("%s", err.text);
    int n = zw_orbits_mark_count(orbits);
    assert_true(n > 10);
    for (int i = 0; i < n; i++) {
        const zw_orbit_mark *m = zw_orbits_mark_at(orbits, i);
        double most = 0, period;
        assert_int_equal(m->event, ZW_BIFURCATION_FOLD);
        assert_int_equal(m->special, 0);
        for (double s = 2; s < 2.9 && i % 8 == 0; s += 0.002)
            most = fmax(most, melnikov(m->value, m->second, s, &period));
        if (i % 8 == 0)
            assert_close(most, 1.0861, 5e-6);
    }
    close_branch();
}

static int eigenvalues(const char *path, const char *const *set, double *re, double *im) {
    zw_model_options model = {.size = sizeof model, .nset = 1, .set = set};
    zw_equilibria_options o = zw_equilibria_options_default();
    zw_equilibria *e;
    err = (zw_error){0};
    ctx = zw_context_create(NULL);
    if (zw_model_read(&sys, ctx, path, &model, &err) < 0)
        fail_msg("%s", err.text);
    if (zw_equilibria_create(&e, sys, &o, &err) < 0 || zw_equilibria_find(e, &err) < 0)
        fail_msg("%s", err.text);
    const zw_linearisation *a = zw_equilibria_linear(e);
    int n = a->n;
    for (int i = 0; i < n; i++) {
        re[i] = a->re[i];
        im[i] = a->im[i];
    }
    zw_equilibria_destroy(e);
    zw_context_destroy(ctx);
    return n;
}

/* spectra of inverted spinning of the full disc in co-rotating coordinates without the pair +-i
 * Omega of the places: notes to section 4.1 */
static void test_tippedisk__held_disc_has_the_spectrum_of_the_full_one(void **state) {
    (void)state;
    static const struct {
        const char *spin;
        double re[4], im[4];
    } row[] = {{"Omega=20 [rad/s]", {2.573, -1.177, -92.643, -160.179}, {5.958, 13.993, 0, 0}},
               {"Omega=30 [rad/s]", {0.0193, 0.145, -93.940, -156.418}, {5.751, 26.276, 0, 0}},
               {"Omega=40 [rad/s]", {-1.931, 0.316, -96.148, -150.651}, {5.651, 37.204, 0, 0}}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        double re[32], im[32];
        int n = eigenvalues(MODEL("tippedisk_held"), &row[i].spin, re, im);
        assert_int_equal(n, 6);
        for (int k = 0; k < 4; k++) {
            double least = INFINITY;
            for (int l = 0; l < n; l++)
                least = fmin(least, hypot(re[l] - row[i].re[k], fabs(im[l]) - row[i].im[k]));
            assert_true(least < 8e-4);
        }
    }
}

/* Where the slip vanishes friction has nearly a kink, which the multipliers see more than the
 * orbit: they are found on finer meshes than that. Against orbits that are a thousand times
 * finer. */
static void test_tippedisk__multipliers_beside_kinks(void **state) {
    enum { N = 4 };
    static const char *const set[] = {"Omega=30.4 [rad/s]", "gamma=2.2"};
    double value[2][N], accuracy = 0;
    (void)state;
    for (int fine = 0; fine < 2; fine++) {
        zw_model_options model = {.size = sizeof model, .nset = 2, .set = set};
        zw_orbits_options o = zw_orbits_options_default();
        int number, n;
        o.values = "Omega=30.35, 30.3, 30.25, 30.2";
        o.tolerance = fine ? 1e-9 : 1e-6;
        o.intervals_max = 1000;
        err = (zw_error){0};
        ctx = zw_context_create(NULL);
        if (zw_model_read(&sys, ctx, MODEL("tippedisk_reduced"), &model, &err) < 0 ||
            zw_orbits_create(&orbits, sys, &o, &err) < 0 ||
            zw_orbits_find(orbits, 30.4, &number, &err) < 0)
            fail_msg("%s", err.text);
        const double *at = zw_orbits_given(orbits, &n);
        assert_int_equal(n, N);
        if (zw_orbits_sequence(orbits, number, n, at, &err) < 0)
            fail_msg("%s", err.text);
        for (int i = 0; i < N; i++) {
            const zw_orbit_motion *m = zw_orbits_at(orbits, zw_orbits_count(orbits) - N + i);
            value[fine][i] = m->re[1];
            accuracy = fmax(accuracy, fmax(m->accuracy, m->trivial));
        }
        close_branch();
    }
    assert_true(accuracy < 6e-4); /* it was 2.4e-3 on the meshes of the orbits */
    for (int i = 0; i < N; i++)
        assert_close(value[0][i], value[1][i], 6e-4);
}

/* The full disc with the constraints of the reduced one comes back turned about the vertical axis,
 * 27 rad in a period. Its cycles end at the Hopf point of the reduced equations, where what the
 * turning leaves alone stands still: no fold, and no more steps than the change of the cycle
 * needs. */
static void test_tippedisk__full_disc_ends_at_the_hopf_point(void **state) {
    static const char *const set[] = {"Omega=30.85 [rad/s]", "gamma=2.4"};
    static const char *const with[] = {"cog", "roll", "spin"};
    zw_model_options model = {.size = sizeof model,
                              .variant = "viscous",
                              .nset = 2,
                              .set = set,
                              .nwith = 3,
                              .with = with};
    zw_orbits_options o = zw_orbits_options_default();
    double most = 0, hopf;
    int number;
    (void)state;
    err = (zw_error){0};
    ctx = zw_context_create(NULL);
    o.over = "Omega=30.84:30.95";
    if (zw_model_read(&sys, ctx, MODEL("tippedisk"), &model, &err) < 0 ||
        zw_orbits_create(&orbits, sys, &o, &err) < 0 ||
        zw_orbits_find(orbits, 30.85, &number, &err) < 0 ||
        zw_orbits_follow(orbits, number, &err) < 0)
        fail_msg("%s", err.text);
    for (int i = 0; i < zw_orbits_count(orbits); i++) {
        const zw_orbit_motion *m = zw_orbits_at(orbits, i);
        assert_true(m->event == ZW_BIFURCATION_POINT || m->event == ZW_BIFURCATION_END);
        most = fmax(most, m->value);
    }
    assert_true(zw_orbits_count(orbits) < 150);
    hopf = 30.9167617; /* of tippedisk_slow and tippedisk_reduced, by their normal form */
    assert_close(most, hopf, 1e-5);
    char *text = orbits_text(orbits);
    assert_non_null(strstr(text, "ends upwards at a Hopf point"));
    free(text);
    close_branch();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tippedisk__cycles_of_two_and_three_states),
        cmocka_unit_test(test_tippedisk__filled_disc_turns_back),
        cmocka_unit_test(test_tippedisk__periods_of_a_minute),
        cmocka_unit_test(test_tippedisk__fold_at_a_change_of_the_mesh),
        cmocka_unit_test(test_tippedisk__types_of_discs),
        cmocka_unit_test(test_tippedisk__folds_over_two_numbers),
        cmocka_unit_test(test_tippedisk__held_disc_has_the_spectrum_of_the_full_one),
        cmocka_unit_test(test_tippedisk__multipliers_beside_kinks),
        cmocka_unit_test(test_tippedisk__full_disc_ends_at_the_hopf_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
