/* SPDX-License-Identifier: MIT */
/* Models with many contacts: what holds whatever the impacts do, and what is known of the
 * motion. */
#include "support/contact_run.h"

static const double g = 9.81;

/* ---- what every contact owes ---- */

/* In every row: problems are solved, forces push, friction stays in its cone (means of cones are in
 * the cone). The work of friction alone may be positive in an impact that turns the slip round:
 * what falls is the energy. */
static void check_contacts(const zw_table *rows, double mu, double residual) {
    for (int c = 0; c < zw_table_columns(rows); c++) {
        const char *name = zw_table_name(rows, c);
        char friction[128];
        if (strncmp(name, "lambda(", 7) != 0 || strchr(name, '.'))
            continue;
        int length = (int)strlen(name) - 8;
        snprintf(friction, sizeof friction, "lambda(%.*s.1)", length, name + 7);
        int f = zw_table_find(rows, friction);
        for (long i = 0; i < zw_table_rows(rows); i++) {
            double normal = zw_table_at(rows, i, c);
            assert_true(normal >= 0);
            if (f >= 0 && fabs(zw_table_at(rows, i, f)) > mu * normal * (1 + 1e-9) + 1e-9)
                fail_msg("%s leaves its cone in row %ld", friction, i);
        }
    }
    for (long i = 0; i < zw_table_rows(rows); i++)
        assert_true(at(rows, i, "contact residual") <= residual);
}

static void check_energy_falls(const zw_table *rows, const char *column, double rounding) {
    for (long i = 1; i < zw_table_rows(rows); i++)
        if (!(at(rows, i, column) <= at(rows, i - 1, column) + rounding))
            fail_msg("energy grows by %g in row %ld", at(rows, i, column) - at(rows, i - 1, column),
                     i);
}

/* ---- stack ---- */

static void test_stack__rests(void **state) {
    (void)state;
    simulation s = contact_do(
        &(contact_run){.model = "box_stack", .until = 0.5, .step = 1e-3, .energy = true});
    const zw_table *rows = zw_sim_rows(s.sim);
    check_contacts(rows, 0.3, 1e-10);
    for (int k = 1; k <= 10; k++) {
        char x[16], y[16], l[32], r[32];
        snprintf(x, sizeof x, "x%d", k);
        snprintf(y, sizeof y, "y%d", k);
        snprintf(l, sizeof l, "lambda(l%d)", k);
        snprintf(r, sizeof r, "lambda(r%d)", k);
        assert_close(at(rows, -1, x), 0, 1e-12);
        assert_close(at(rows, -1, y), (k - 0.5) * 0.1, 1e-12);
        assert_close(at(rows, -1, l) + at(rows, -1, r), (11 - k) * g, 1e-8);
        assert_close(at(rows, -1, l), at(rows, -1, r), 1e-6);
    }
    assert_close(at(rows, -1, "energy"), 49.05, 1e-11);
    simulation_clear(&s);
}

/* a push at the top holds up to mu m g, then the top box slides alone */
static void test_stack__is_pushed(void **state) {
    (void)state;
    contact_run r = {.model = "box_stack", .set = {"push=2.94 [N]"}, .until = 0.2, .step = 1e-3};
    assert_close(contact_end(&r, "x10"), 0, 1e-10);
    r.set[0] = "push=2.95 [N]";
    assert_close(contact_end(&r, "x10"), (2.95 - 0.3 * g) * 0.04 / 2, 1e-8);
    assert_close(contact_end(&r, "x9"), 0, 1e-10);
}

/* ---- tower ---- */

static void test_tower__energy_momentum_cones(void **state) {
    (void)state;
    simulation s = contact_do(&(contact_run){
        .model = "tower", .until = 0.5, .step = 1e-4, .every = 1e-3, .energy = true});
    const zw_table *rows = zw_sim_rows(s.sim);
    check_contacts(rows, 0.4,
                   1e-9); /* twice in 5000 steps the solver ends above 1e-11, at 1.4e-10 */
    /* a corner that rocks: its row at the middle of a step is not that of the step before, which
     * works to order h^2 */
    check_energy_falls(rows, "energy", 1e-7);
    assert_true(at(rows, -1, "x5") > 0.1); /* the top block has been knocked off */
    /* momentum along x: only the ground takes it */
    for (long i = 1; i < zw_table_rows(rows); i++) {
        double friction = 0;
        for (int k = 1; k <= 5; k++)
            for (int c = 0; c < 4; c++) {
                char name[32];
                snprintf(name, sizeof name, "lambda(g%c%d.1)", "abcd"[c], k);
                friction += at(rows, i, name);
            }
        double change = at(rows, i, "p_x") - at(rows, i - 1, "p_x");
        assert_close(change, friction * 1e-3, 1e-11);
    }
    simulation_clear(&s);
}

/* another solver takes other forces where they are not determined, but finds the same motion */
static void test_tower__gauss_seidel_finds_the_same(void **state) {
    (void)state;
    contact_run r = {.model = "tower", .until = 0.07, .step = 1e-3};
    double path = contact_end(&r, "x5");
    r.gauss_seidel = true;
    assert_close(contact_end(&r, "x5"), path, 1e-6);
}

/* ---- billiard ---- */

static void test_billiard__momentum_and_energy(void **state) {
    (void)state;
    simulation s = contact_do(&(contact_run){.model = "billiard_break",
                                             .set = {"e=1", "e_c=1"},
                                             .until = 0.5,
                                             .step = 2e-5,
                                             .every = 2e-3});
    const zw_table *rows = zw_sim_rows(s.sim);
    check_contacts(rows, 0, 1e-10);
    bool cushions = false;
    for (long i = 0; i < zw_table_rows(rows); i++) {
        for (int b = 0; b < 16 && !cushions; b++)
            for (int c = 0; c < 4; c++) {
                char name[32];
                snprintf(name, sizeof name, "lambda(%c%d)", "lrdu"[c], b);
                cushions |= at(rows, i, name) > 0;
            }
        assert_close(at(rows, i, "E"), 3.06, 1e-12);
        if (!cushions) {
            assert_close(at(rows, i, "p_x"), 1.02, 1e-13);
            assert_close(at(rows, i, "p_y"), 0, 1e-13);
        }
    }
    assert_true(cushions && at(rows, -1, "x11") != at(rows, 0, "x11"));
    simulation_clear(&s);
    s = contact_do(
        &(contact_run){.model = "billiard_break", .until = 0.5, .step = 1e-4, .every = 1e-3});
    check_energy_falls(zw_sim_rows(s.sim), "E", 1e-13);
    simulation_clear(&s);
}

/* A shot along the axis of a tight rack: one impact of thirty contacts, and the picture stays
 * symmetric. */
static void test_billiard__symmetry(void **state) {
    (void)state;
    static const int pair[][2] = {{2, 3}, {4, 6}, {7, 10}, {8, 9}, {11, 15}, {12, 14}};
    simulation s = contact_do(&(contact_run){.model = "billiard_break",
                                             .set = {"off=0", "space=0"},
                                             .until = 0.3,
                                             .step = 1e-4,
                                             .every = 1e-3});
    const zw_table *rows = zw_sim_rows(s.sim);
    for (size_t k = 0; k < sizeof pair / sizeof *pair; k++) {
        char a[8], b[8];
        for (int i = 0; i < 2; i++) {
            snprintf(a, sizeof a, "%c%d", "xy"[i], pair[k][0]);
            snprintf(b, sizeof b, "%c%d", "xy"[i], pair[k][1]);
            assert_close(at(rows, -1, a), (i ? -1 : 1) * at(rows, -1, b), 1e-9);
        }
    }
    assert_true(at(rows, -1, "y15") > 0.13); /* the corners of the rack have left */
    assert_true(at(rows, -1, "x0'") < 0);    /* off one heavy body */
    assert_close(at(rows, -1, "p_x"), 1.02, 1e-12);
    simulation_clear(&s);
}

/* ---- chain and cradle ---- */

/* the front of the wave: speeds exactly, times to a step for each impact */
static void test_chain__wave(void **state) {
    (void)state;
    static const char *const e[] = {"e=0.98", "e=0.7", "e=1"};
    static const double value[] = {0.98, 0.7, 1};
    for (int k = 0; k < 3; k++) {
        double part = (1 + value[k]) / 2, h = 1e-5, t = 0, v = 1;
        contact_run r = {
            .model = "bead_chain", .set = {e[k]}, .until = 0.12, .step = h, .every = h};
        simulation s = contact_do(&r);
        const zw_table *rows = zw_sim_rows(s.sim);
        for (int bead = 2; bead <= 20; bead++) {
            char name[16];
            snprintf(name, sizeof name, "x%d'", bead);
            t += 2e-3 / v;
            v *= part;
            if (t + 20 * h > 0.12)
                break;
            long i = (long)(t / h) - 1;
            while (at(rows, i, name) == 0)
                i++;
            assert_close(at(rows, i, name), v, 1e-13);
            assert_true(at(rows, i, "t") >= t - h && at(rows, i, "t") < t + bead * h);
        }
        assert_close(at(rows, -1, "momentum"), 5e-3, 1e-16);
        simulation_clear(&s);
    }
    /* without loss the last bead alone flies */
    simulation s = contact_do(
        &(contact_run){.model = "bead_chain", .set = {"e=1"}, .until = 0.12, .step = 1e-5});
    assert_close(at(zw_sim_rows(s.sim), -1, "x50'"), 1, 1e-13);
    assert_close(at(zw_sim_rows(s.sim), -1, "x49'"), 0, 1e-13);
    simulation_clear(&s);
}

/* Beads that touch: Newton's law in one impact of all. The first bounces off one body of 49
 * beads. */
static void test_chain__that_touches(void **state) {
    (void)state;
    simulation s = contact_do(&(contact_run){
        .model = "bead_chain", .set = {"e=1", "s=0"}, .until = 0.002, .step = 1e-4, .every = 1e-4});
    const zw_table *rows = zw_sim_rows(s.sim);
    assert_close(at(rows, -1, "x1'"), -48.0 / 50, 1e-10);
    assert_close(at(rows, -1, "x2'"), 2.0 / 50, 1e-10);
    assert_close(at(rows, -1, "x50'"), 2.0 / 50, 1e-10);
    assert_true(at(rows, 1, "contact residual") <= 1e-10);
    simulation_clear(&s);
}

static void test_cradle__with_and_without_space(void **state) {
    (void)state;
    /* the speed at the bottom, from the height of 15 degrees */
    double v = sqrt(2 * g / 0.15 * (1 - cos(acos(-1) / 12))), turned = 0.22;
    contact_run r = {.model = "newtons_cradle", .until = turned, .step = 1e-5};
    simulation s = contact_do(&r);
    const zw_table *rows = zw_sim_rows(s.sim);
    assert_true(fabs(at(rows, -1, "th1'")) < 0.01 * v);
    assert_true(fabs(at(rows, -1, "th4'")) < 0.01 * v);
    assert_true(at(rows, -1, "th5'") > 0.95 * v);
    simulation_clear(&s);
    r.set[0] = "space=0";
    s = contact_do(&r);
    rows = zw_sim_rows(s.sim);
    /* after the impact all swing alike, at the rate of their kind */
    assert_close(at(rows, -1, "th1'") / at(rows, -1, "th2'"), -0.6 / 0.4, 1e-3);
    assert_close(at(rows, -1, "th2'"), at(rows, -1, "th5'"), 1e-12);
    assert_true(at(rows, -1, "th5'") > 0.35 * v && at(rows, -1, "th5'") < 0.4 * v);
    assert_close(at(rows, -1, "energy"), at(rows, 0, "energy"), 1e-10);
    simulation_clear(&s);
}

/* ---- machines ---- */

#define CRANK                                                                                      \
    "model crank\nparam l_1 = 0.153 [m], l_2 = 0.306 [m], g = 9.81 [m/s^2]\n"                      \
    "param m_1 = 0.038 [kg], m_2 = 0.038 [kg], m_3 = 0.076 [kg]\n"                                 \
    "param J_1 = 7.4e-5 [kg*m^2], J_2 = 5.9e-4 [kg*m^2]\n"                                         \
    "coord th_1, th_2 [rad]\nframe A : rotate z th_1\nframe B : rotate z th_2\n"                   \
    "point pin : l_1*A.x\nbody crank : A at l_1/2*A.x, inertia(m_1, J_1, J_1, J_1)\n"              \
    "body rod : B at pin + l_2/2*B.x, inertia(m_2, J_2, J_2, J_2)\n"                               \
    "point end : pin + l_2*B.x\nparticle slider : m_3 at end\ngravity g along -y\n"                \
    "constraint guide : end.y = 0\nstart th_1' = 150 [rad/s]\nobserve x = end.x\n"

/* the play bounds height and tilt; where it vanishes the guide is a perfect joint */
static void test_slider_crank__clearance(void **state) {
    (void)state;
    simulation s = contact_do(&(contact_run){.model = "slider_crank_clearance",
                                             .until = 0.08,
                                             .step = 2e-6,
                                             .every = 1e-4,
                                             .energy = true});
    const zw_table *rows = zw_sim_rows(s.sim);
    check_contacts(rows, 0.01, 1e-10);
    double hits = 0;
    for (long i = 1; i < zw_table_rows(rows); i++) {
        assert_true(fabs(at(rows, i, "y")) < 1.02); /* mm; the overlap of a step more */
        assert_true(fabs(at(rows, i, "th_3")) < 1.05e-3 / 0.05);
        hits += at(rows, i, "lambda(rear_top)") > 0;
    }
    assert_true(hits > 0);
    simulation_clear(&s);
    double want = contact_end(&(contact_run){.model = CRANK, .until = 0.05}, "th_1");
    contact_run r = {.model = "slider_crank_clearance",
                     .set = {"c=0.02 [mm]", "mu=0", "e=0"},
                     .until = 0.05,
                     .step = 1e-6};
    assert_close(contact_end(&r, "th_1") / want, 1, 2e-3);
}

/* the same period and drop again and again; the sources print 0.1462 s */
static void test_woodpecker__period(void **state) {
    (void)state;
    enum { MOST = 40 };
    double hit[MOST], y[MOST];
    int n = 0;
    simulation s = contact_do(&(contact_run){
        .model = "woodpecker", .until = 2, .step = 1e-5, .every = 1e-5, .energy = true});
    const zw_table *rows = zw_sim_rows(s.sim);
    check_contacts(rows, 0.3, 1e-10);
    check_energy_falls(rows, "energy", 1e-10);
    int beak = zw_table_find(rows, "lambda(beak)");
    for (long i = 1; i < zw_table_rows(rows) && n < MOST; i++)
        if (zw_table_at(rows, i, beak) > 0 && (n == 0 || at(rows, i, "t") > hit[n - 1] + 0.03)) {
            hit[n] = at(rows, i, "t");
            y[n++] = at(rows, i, "y");
        }
    assert_true(n >= 12);
    for (int k = 6; k < n - 1; k++) {
        assert_close(hit[k + 1] - hit[k], 0.1462, 4e-4);
        assert_close(y[k + 1] - y[k], -0.0194, 2e-4);
    }
    simulation_clear(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stack__rests),
        cmocka_unit_test(test_stack__is_pushed),
        cmocka_unit_test(test_tower__energy_momentum_cones),
        cmocka_unit_test(test_tower__gauss_seidel_finds_the_same),
        cmocka_unit_test(test_billiard__momentum_and_energy),
        cmocka_unit_test(test_billiard__symmetry),
        cmocka_unit_test(test_chain__wave),
        cmocka_unit_test(test_chain__that_touches),
        cmocka_unit_test(test_cradle__with_and_without_space),
        cmocka_unit_test(test_slider_crank__clearance),
        cmocka_unit_test(test_woodpecker__period),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
