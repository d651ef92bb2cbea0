/* SPDX-License-Identifier: MIT */
/* How many equilibria there are, known from closed forms and from topology: on a closed surface,
 * wells minus saddles plus tops of a potential are its Euler characteristic (M. Morse), whatever
 * the potential is. */
#include "support/steady_model.h"
#include "zwang/steady.h"

static steady_model m;
static zw_search found;

static zw_status search_for(int nbox, const zw_search_box *box, int starts, double *period) {
    const zw_steady_problem problem = {.scale = m.scale, .nhold = m.nhold, .hold = m.hold};
    const zw_search_options o = {
        .x = m.x, .nbox = nbox, .box = box, .starts = starts, .period = period};
    if (period)
        assert_int_equal(zw_search_periods(m.flow, 0, m.x, m.scale, period, &m.err), ZW_OK);
    return zw_search_run(&found, m.flow, &m.symmetries, &problem, &o, &m.err);
}

static void close_search(void) {
    zw_search_clear(&found);
    steady_close(&m);
}

/* wells, saddles, tops: by the number of directions in which the potential falls */
static void count_kinds(int kind[4]) {
    for (int i = 0; i < 4; i++)
        kind[i] = 0;
    for (int i = 0; i < found.n; i++) {
        zw_curvature c;
        assert_int_equal(zw_steady_curvature(m.flow, &found.entry[i].motion, &c, &m.err), ZW_OK);
        assert_true(c.known);
        assert_int_equal(c.flat, 0);
        kind[c.down]++;
    }
}

/* ---- the sequence ---- */

/* every interval of a tenth gets its tenth of the points, up to a few, in each dimension */
static void test_search__points_are_even(void **state) {
    (void)state;
    for (int j = 0; j < 8; j++)
        for (int l = 0; l < j; l++) { /* and every square of a third gets its ninth */
            int bin[10] = {0}, square[9] = {0};
            for (int n = 0; n < 1000; n++) {
                double x = zw_search_point(j, n), y = zw_search_point(l, n);
                bin[(int)(10 * x)]++;
                square[3 * (int)(3 * x) + (int)(3 * y)]++;
            }
            for (int k = 0; k < 9; k++)
                assert_in_range(square[k], 96, 126);
            for (int k = 0; k < 10; k++)
                assert_in_range(bin[k], 92, 108);
        }
}

/* ---- pendulums ---- */

static void test_search__double_pendulum_has_four(void **state) {
    (void)state;
    int kind[4];
    const zw_search_box box[] = {{0, -M_PI, M_PI}, {1, -M_PI, M_PI}};
    double period[4] = {2 * M_PI, 2 * M_PI};
    steady_open(&m, ZW_SOURCE_DIR "/models/double_pendulum.zw", "lagrange");
    assert_int_equal(search_for(2, box, 40, period), ZW_OK);
    assert_int_equal(found.n, 4);
    assert_int_equal(found.found, 40);
    count_kinds(kind);
    assert_int_equal(kind[0], 1);
    assert_int_equal(kind[1], 2);
    assert_int_equal(kind[2], 1);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 2; k++)
            assert_close(sin(found.entry[i].motion.x[k]), 0, 1e-12);
    close_search();
}

static void test_search__double_pendulum_cartesian_with_a_row_twice(void **state) {
    (void)state;
    int kind[4];
    const zw_search_box box[] = {{0, -1.5, 1.5}, {1, -1.5, 1.5}, {2, -1.5, 1.5}, {3, -2, 2}};
    steady_open(&m,
                "model pendulums\nunits none\ncoord x, y, u, v\n"
                "particle A : 1 at (x, y)\nparticle B : 1 at (u, v)\n"
                "gravity 9.81 along -y\nconstraint a : x^2 + y^2 = 1\n"
                "constraint b : (u - x)^2 + (v - y)^2 = 1\n"
                "constraint again : 2*norm((u - x, v - y)) = 2\nguess y = -1, v = -2\n",
                "gauss");
    assert_int_equal(search_for(4, box, 60, NULL), ZW_OK);
    assert_int_equal(found.n, 4);
    count_kinds(kind);
    assert_int_equal(kind[0], 1);
    assert_int_equal(kind[1], 2);
    assert_int_equal(kind[2], 1);
    close_search();
}

/* ---- surfaces ---- */

/* cos m x + cos n y on the torus: m n wells, 2 m n saddles, m n tops */
static void test_search__wells_of_a_product_on_the_torus(void **state) {
    (void)state;
    for (int k = 1; k <= 3; k++) {
        char text[300];
        int kind[4];
        const zw_search_box box[] = {{0, 0, 2 * M_PI}, {1, 0, 2 * M_PI}};
        double period[4] = {2 * M_PI, 2 * M_PI};
        snprintf(text, sizeof text,
                 "model torus\nunits none\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                 "potential cos(%d*x) + 1.3*cos(2*y)\nstart x = 0.3\n",
                 k);
        steady_open(&m, text, "lagrange");
        assert_int_equal(search_for(2, box, 150 * k, period), ZW_OK);
        count_kinds(kind);
        assert_int_equal(kind[0], 2 * k);
        assert_int_equal(kind[1], 4 * k);
        assert_int_equal(kind[2], 2 * k);
        close_search();
    }
}

/* any potential on the torus: Euler characteristic 0, at least 1, 2 and 1 (Morse) */
static void test_search__any_potential_on_the_torus(void **state) {
    (void)state;
    test_random r = {7};
    for (int trial = 0; trial < 6; trial++) {
        char text[600];
        int kind[4], used = 0;
        const zw_search_box box[] = {{0, 0, 2 * M_PI}, {1, 0, 2 * M_PI}};
        double period[4] = {2 * M_PI, 2 * M_PI};
        used += snprintf(text, sizeof text,
                         "model torus\nunits none\ncoord x, y\n"
                         "kinetic ((2 + cos(y))*x'^2 + y'^2)/2\nstart x = 0.3\npotential 0");
        for (int i = 0; i < 4; i++)
            used +=
                snprintf(text + used, sizeof text - (size_t)used, " + %.6f*cos(%d*x + %d*y + %.6f)",
                         test_random_real(&r, 0.3, 1), test_random_int(&r, 3),
                         test_random_int(&r, 5) - 2, test_random_real(&r, 0, 6));
        snprintf(text + used, sizeof text - (size_t)used, " + 0.2*cos(x) + 0.3*cos(y)\n");
        steady_open(&m, text, "lagrange");
        assert_int_equal(search_for(2, box, 400, period), ZW_OK);
        count_kinds(kind);
        assert_int_equal(kind[0] - kind[1] + kind[2], 0);
        assert_true(kind[0] >= 1 && kind[1] >= 2 && kind[2] >= 1);
        close_search();
    }
}

/* a quadratic form on the sphere: two wells, two saddles, two tops; characteristic 2 */
static void test_search__quadratic_form_on_the_sphere(void **state) {
    (void)state;
    int kind[4];
    const zw_search_box box[] = {{0, -1, 1}, {1, -1, 1}, {2, -1, 1}};
    steady_open(&m,
                "model sphere\nunits none\ncoord x, y, z\nparticle P : 1 at (x, y, z)\n"
                "potential x^2 + 2*y^2 + 4*z^2\nconstraint s : x^2 + y^2 + z^2 = 1\nguess x = 1\n",
                "lagrange");
    assert_int_equal(search_for(3, box, 60, NULL), ZW_OK);
    count_kinds(kind);
    for (int i = 0; i < 3; i++)
        assert_int_equal(kind[i], 2);
    close_search();
}

/* a trace on the space of rotations: four places, the three half turns and none, one of each
 * kind */
static void test_search__both_signs_of_a_quaternion_are_one(void **state) {
    (void)state;
    int kind[4];
    const zw_search_box box[] = {{0, -1, 1}, {1, -1, 1}, {2, -1, 1}, {3, -1, 1}};
    steady_open(&m,
                "model turn\nunits none\nrotation B\nbody b : B, inertia(1, 1, 2, 3)\n"
                "potential B.x.x + 2*B.y.y + 4*B.z.z\nstart B.wx = 0\n",
                "lagrange");
    assert_int_equal(search_for(4, box, 60, NULL), ZW_OK);
    assert_int_equal(found.n, 4);
    count_kinds(kind);
    for (int i = 0; i < 4; i++)
        assert_int_equal(kind[i], 1);
    close_search();
}

/* ---- symmetries and families ---- */

/* wherever it is in the plane and however it is turned, a bar with two springs to its own mass is
 * one equilibrium */
static void test_search__orbits_are_one(void **state) {
    (void)state;
    const zw_search_box box[] = {{0, -1, 1}, {1, -1, 1}, {2, -1, 1}, {3, -1, 1}};
    steady_open(&m,
                "model pair\nunits none\ncoord x, y, u, v\nparticle P : 1 at (x, y)\n"
                "particle Q : 2 at (u, v)\npotential ((x - u)^2 + (y - v)^2 - 1)^2\n"
                "force (x, y, u, v) = -0.1*(x', y', u', v')\nstart x = 1\n",
                "lagrange");
    assert_int_equal(search_for(4, box, 60, NULL), ZW_OK);
    /* one apart by 1, and one in which they are at the same place */
    assert_int_equal(found.n, 2);
    for (int i = 0; i < 2; i++) {
        const double *x = found.entry[i].motion.x;
        double r = hypot(x[0] - x[2], x[1] - x[3]);
        assert_true(fabs(r) < 1e-8 || fabs(r - 1) < 1e-8);
        assert_int_equal(found.entry[i].norbit, r > 0.5 ? 3 : 2);
        assert_int_equal(found.entry[i].nfamily, 0);
    }
    zw_search_clear(&found);
    /* in a wide box some start ends turned by nearly a half, from where all ways are as long */
    const zw_search_box wide[] = {{0, -5, 5}, {1, -5, 5}, {2, -5, 5}, {3, -5, 5}};
    assert_int_equal(search_for(4, wide, 200, NULL), ZW_OK);
    assert_int_equal(found.n, 2);
    close_search();
}

/* conical pendulums: all that turn to the left are one family, all that turn to the right another;
 * below and above */
static void test_search__families_are_one_entry(void **state) {
    (void)state;
    const zw_search_box box[] = {{0, -1, 1}, {1, -1, 1}, {2, -1, 1}, {4, -4, 4}};
    int alone = 0, family = 0, members = 0;
    steady_open(&m,
                "model conical\nunits none\ncoord x, y, z\nparticle P : 1 at (x, y, z)\n"
                "gravity 9.81 along -z\nconstraint l : x^2 + y^2 + z^2 = 1\n"
                "guess x = 0.9, y' = 4.5, z = -0.4\n",
                "lagrange");
    assert_int_equal(search_for(4, box, 80, NULL), ZW_OK);
    for (int i = 0; i < found.n; i++) {
        const zw_search_entry *e = &found.entry[i];
        alone += e->nfamily == 0;
        family += e->nfamily == 1 && e->norbit == 1;
        members += e->nfamily == 1 ? e->nmember : 0;
        if (e->nfamily == 1) /* omega^2 z = -g */
            assert_close(pow(e->motion.c[0], 2) * e->motion.x[2], -9.81, 1e-9);
    }
    assert_int_equal(alone, 2);
    assert_int_equal(family, 2);
    assert_int_equal(found.n, 4);
    assert_true(members > 10);
    close_search();
}

/* what is held makes them single again */
static void test_search__holds_single_out(void **state) {
    (void)state;
    const zw_search_box box[] = {{0, -1, 1}, {1, -1, 1}, {4, -4, 4}};
    steady_open(&m,
                "model conical\nunits none\ncoord x, y, z\nparticle P : 1 at (x, y, z)\n"
                "gravity 9.81 along -z\nconstraint l : x^2 + y^2 + z^2 = 1\n"
                "guess x = 0.9, y' = 4.5, z = -0.4\n",
                "lagrange");
    steady_hold(&m, "z", -0.6);
    m.x[0] = 0.8;
    assert_int_equal(search_for(3, box, 40, NULL), ZW_OK);
    assert_int_equal(found.n, 2); /* to the left and to the right */
    for (int i = 0; i < 2; i++) {
        assert_int_equal(found.entry[i].nfamily, 0);
        assert_close(fabs(found.entry[i].motion.c[0]), sqrt(9.81 / 0.6), 1e-10);
    }
    close_search();
}

/* ---- periods ---- */

static void test_search__periods_are_tested(void **state) {
    (void)state;
    double period[6] = {2 * M_PI, 2 * M_PI, 2 * M_PI};
    steady_open(&m,
                "model m\nunits none\ncoord a, b, c\nkinetic a'^2 + b'^2 + c'^2 + 0.1*cos(a)*b'^2\n"
                "potential cos(a) + 0.1*b*sin(a) + cos(2*c)\n",
                "lagrange");
    assert_int_equal(zw_search_periods(m.flow, 0, m.x, m.scale, period, &m.err), ZW_OK);
    assert_true(period[0] > 0);
    assert_true(period[1] == 0); /* a wheel that winds up a rope is elsewhere after a turn */
    assert_true(period[2] > 0);
    steady_close(&m);
}

/* the same starts, the same answer; other boxes, the same solutions */
static void test_search__random_boxes_agree(void **state) {
    (void)state;
    test_random r = {3};
    for (int trial = 0; trial < 5; trial++) {
        double low = test_random_real(&r, -20, 20), high = low + 2 * M_PI,
               period[4] = {2 * M_PI, 2 * M_PI};
        const zw_search_box box[] = {{0, low, high}, {1, -high, -low}};
        steady_open(&m, ZW_SOURCE_DIR "/models/double_pendulum.zw", "lagrange");
        assert_int_equal(search_for(2, box, 40, period), ZW_OK);
        assert_int_equal(found.n, 4);
        for (int i = 0; i < 4; i++) { /* told inside the box */
            assert_true(found.entry[i].motion.x[0] >= low - 1e-6);
            assert_true(found.entry[i].motion.x[0] <= high + 1e-6);
        }
        close_search();
    }
}

static void test_search__nothing_is_no_failure(void **state) {
    (void)state;
    const zw_search_box box[] = {{0, -1, 1}};
    steady_open(
        &m, "model falls\nunits none\ncoord x\nparticle P : 1 at (x, 0)\npotential exp(-x) - 3*x\n",
        "lagrange");
    assert_int_equal(search_for(1, box, 5, NULL), ZW_OK);
    assert_int_equal(found.n, 0);
    assert_int_equal(found.starts, 5);
    assert_true(found.best.unmet == ZW_UNMET_RATE);
    close_search();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_search__points_are_even),
        cmocka_unit_test(test_search__double_pendulum_has_four),
        cmocka_unit_test(test_search__double_pendulum_cartesian_with_a_row_twice),
        cmocka_unit_test(test_search__wells_of_a_product_on_the_torus),
        cmocka_unit_test(test_search__any_potential_on_the_torus),
        cmocka_unit_test(test_search__quadratic_form_on_the_sphere),
        cmocka_unit_test(test_search__both_signs_of_a_quaternion_are_one),
        cmocka_unit_test(test_search__orbits_are_one),
        cmocka_unit_test(test_search__families_are_one_entry),
        cmocka_unit_test(test_search__holds_single_out),
        cmocka_unit_test(test_search__periods_are_tested),
        cmocka_unit_test(test_search__random_boxes_agree),
        cmocka_unit_test(test_search__nothing_is_no_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
