/* SPDX-License-Identifier: MIT */
/* Families of conservative models: elliptic functions, harmonic balance, the same in redundant
 * coordinates, and what is known of parametric resonance. */
#include <math.h>
#include <stdlib.h>

#include "motion/orbits/orbits_family.h"
#include "support/failing_allocator.h"
#include "support/orbits.h"
#include "zwang/zwang.h"

static zw_context *ctx;
static zw_system *sys;
static zw_orbits *study;
static zw_error err;

static zw_status open_study(const char *text, const char *over) {
    zw_orbits_options o = zw_orbits_options_default();
    err = (zw_error){0};
    study = NULL;
    ctx = zw_context_create(NULL);
    o.over = over;
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test", NULL, &err) < 0)
        fail_msg("%s", err.text);
    return zw_orbits_create(&study, sys, &o, &err);
}

static void close_study(void) {
    zw_orbits_destroy(study);
    zw_context_destroy(ctx);
}

/* the family through the run (mode 0) or from a mode */
static void follow(const char *text, const char *over, int mode) {
    const zw_orbits_start start = {.from = mode ? ZW_ORBITS_FROM_MODE : ZW_ORBITS_FROM_RUN,
                                   .mode = mode};
    int number;
    if (open_study(text, over) < 0 || zw_orbits_find_from(study, &start, NAN, &number, &err) < 0 ||
        zw_orbits_follow(study, number, &err) < 0)
        fail_msg("%s", err.text);
}

static const zw_orbit_motion *last(void) {
    return zw_orbits_at(study, zw_orbits_count(study) - 1);
}

static const char pendulum[] = "model p\nunits none\ncoord phi\nkinetic phi'^2/2\n"
                               "potential 1 - cos(phi)\nstart phi = 1\n";
/* the same in a plane */
static const char cartesian[] = "model p\nunits none\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                                "potential 1 + y\nconstraint rod : x^2 + y^2 = 1\n"
                                "start x = sin(1), y = -cos(1)\n";

/* 4 K(k), k^2 = E/2, by the arithmetic-geometric mean */
static double period_of(double energy) {
    double a = 1, b = sqrt(1 - energy / 2);
    for (int i = 0; i < 40; i++) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 2 * M_PI / a;
}

/* largest values lie between nodes, where an orbit is known to 1e-6 of its size; energies are those
 * of nodes */
static void check_pendulum(int n, double (*energy)(const zw_orbit_motion *), double tolerance) {
    assert_true(n > 20);
    for (int i = 0; i < n; i++) {
        const zw_orbit_motion *m = zw_orbits_at(study, i);
        assert_close(m->period, period_of(energy(m)), tolerance);
        assert_true(fabs(m->damping) < 1e-8);
        assert_int_equal(m->nmultiplier, 2);
        assert_int_equal(m->verdict, ZW_FLOQUET_STABLE);
        assert_true(m->trivial < 1e-6);
    }
}

static double is_energy(const zw_orbit_motion *m) {
    return m->value;
}

static double from_amplitude(const zw_orbit_motion *m) {
    return 1 - cos(m->value);
}

static double from_measure(const zw_orbit_motion *m) {
    return 1 - cos(m->measure[0].max);
}

static void test_family__pendulum(void **state) {
    (void)state;
    follow(pendulum, "energy=0.05:1.9", 0);
    check_pendulum(zw_orbits_count(study), is_energy, 1e-8);
    assert_close(last()->value, 1.9, 1e-12);
    close_study();
    follow(cartesian, "energy=0.05:1.9", 0);
    check_pendulum(zw_orbits_count(study), is_energy, 1e-8);
    close_study();
    follow(pendulum, "max(phi)=0.2:2.9", 0);
    check_pendulum(zw_orbits_count(study), from_amplitude, 1e-5);
    assert_close(last()->value, 2.9, 1e-12);
    close_study();
    follow(pendulum, "period=6.5:14", 1);
    check_pendulum(zw_orbits_count(study), from_measure, 1e-5);
    assert_close(last()->period, 14, 1e-12);
    close_study();
}

static const char two[] = "model two\nunits none\ncoord a, b\n"
                          "particle p : 1 at (sin(a), 0, -cos(a))\n"
                          "particle q : 1 at (sin(a) + sin(b), 0, -cos(a) - cos(b))\n"
                          "gravity 1 along -z\nstart a = 0\n";

/* Double pendulum: both modes up to swings of 75 degrees, as the balance of harmonics has them,
 * with the place where the second one loses its stability. */
static void test_family__double_pendulum(void **state) {
    (void)state;
    for (int mode = 1; mode <= 2; mode++) {
        zw_forced *balance;
        zw_forced_options o = zw_forced_options_default();
        double branch[2] = {0, 0};
        o.free = true;
        o.over = "energy=0.01:2";
        follow(two, "energy=-3:-1", mode); /* absolute: -3 at rest */
        if (zw_forced_create(&balance, sys, &o, &err) < 0 ||
            zw_forced_backbone(balance, mode - 1, &err) < 0)
            fail_msg("%s", err.text);
        const zw_forced_motion *end = zw_forced_motion_at(balance, zw_forced_motions(balance) - 1);
        assert_close(end->energy, 2, 1e-9);
        assert_close(last()->value, -1, 1e-12);
        assert_close(last()->period, 2 * M_PI / end->w, 1e-6);
        assert_close(last()->measure[0].max, end->measure[0].max, 1e-5);
        for (int i = 0; i < zw_forced_motions(balance); i++)
            if (zw_forced_motion_at(balance, i)->event == ZW_BIFURCATION_BRANCH)
                branch[0] = 2 * M_PI / zw_forced_motion_at(balance, i)->w;
        for (int i = 0; i < zw_orbits_count(study); i++)
            if (zw_orbits_at(study, i)->event == ZW_BIFURCATION_BRANCH)
                branch[1] = zw_orbits_at(study, i)->period;
        assert_close(branch[0], branch[1], 1e-5);
        assert_true((mode == 2) == (branch[1] > 0));
        zw_forced_destroy(balance);
        close_study();
    }
}

/* A mass on a spring that swings: where it bounces twice as fast as it swings, bouncing is unstable
 * however small (parametric resonance), at other ratios it is not. */
static void test_family__spring_pendulum(void **state) {
    (void)state;
    static const char *const spring[] = {
        "model s\nunits none\nparam k = 3\ncoord r, phi\n"
        "kinetic (r'^2 + r^2*phi'^2)/2\npotential k*(r - 1 + 1/k)^2/2 - r*cos(phi)\n"
        "start r = 1.05\n",
        "model s\nunits none\nparam k = 8\ncoord r, phi\n"
        "kinetic (r'^2 + r^2*phi'^2)/2\npotential k*(r - 1 + 1/k)^2/2 - r*cos(phi)\n"
        "start r = 1.05\n"};
    /* at rest r = 1; frequencies sqrt(k) and 1: k = 4 is 2:1 */
    char resonant[300];
    snprintf(resonant, sizeof resonant, "%.*s4%s",
             (int)(strstr(spring[0], "k = 3") + 4 - spring[0]), spring[0],
             strstr(spring[0], "k = 3") + 5);
    for (int i = 0; i < 2; i++) {
        follow(i ? spring[1] : resonant, "max(r)=1.01:1.1", 0);
        int unstable = 0, n = zw_orbits_count(study);
        for (int k = 0; k < n; k++) {
            const zw_orbit_motion *m = zw_orbits_at(study, k);
            unstable += m->verdict == ZW_FLOQUET_UNSTABLE;
            assert_close(m->period, 2 * M_PI / sqrt(i ? 8 : 4), 1e-8); /* straight up and down */
        }
        assert_int_equal(unstable, i ? 0 : n);
        close_study();
    }
}

static void test_family__files(void **state) {
    (void)state;
    zw_table *t;
    zw_orbits_file f;
    int number, index;
    double value;
    follow(pendulum, "max(phi)=0.5:2", 0);
    assert_true(zw_orbits_table(study, NULL, &t, &err) >= 0);
    close_study();
    assert_true(zw_orbits_file_read(&f, t, &err) >= 0);
    assert_true(f.family);
    assert_true(zw_orbits_file_pick(&f, "1.5", &index, &value, &err) >= 0);
    assert_true(open_study(pendulum, "max(phi)=0.5:2.5") >= 0);
    if (zw_orbits_adopt(study, &f, index, value, &number, &err) < 0)
        fail_msg("%s", err.text);
    assert_close(zw_orbits_at(study, number)->period, period_of(1 - cos(1.5)), 1e-6);
    close_study();
    assert_true(open_study(pendulum, "energy=0.1:1.9") >= 0); /* the same over another number */
    if (zw_orbits_adopt(study, &f, f.n - 1, NAN, &number, &err) < 0)
        fail_msg("%s", err.text);
    assert_close(zw_orbits_at(study, number)->value, 1 - cos(2), 1e-6);
    close_study();
    zw_orbits_file_clear(&f);
    zw_table_destroy(t);
}

/* memory with a fence behind it, which nobody may write to */
enum { FENCE = 64 };

static void check_fence(const unsigned char *p, size_t size) {
    for (int i = 0; i < FENCE; i++)
        assert_int_equal(p[size + (size_t)i], 0xa5);
}

static void *fenced(void *user, void *p, size_t old_size, size_t new_size) {
    (void)user;
    if (p)
        check_fence(p, old_size);
    if (new_size == 0) {
        free(p);
        return NULL;
    }
    unsigned char *q = realloc(p, new_size + FENCE);
    if (q)
        memset(q + new_size, 0xa5, FENCE);
    return q;
}

/* A mark of a family has a direction, with one number more than the orbit: its note once was a
 * number longer than its room. */
static void test_family__marks_on_file(void **state) {
    static const char text[] =
        "model soft\nunits none\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
        "potential 1 - cos(x) + 0.15*y^2 + 0.1*x^2*y^2\nstart x = pi/2, y = 0\n";
    const zw_orbits_start start = {.from = ZW_ORBITS_FROM_RUN};
    zw_allocator alloc = {fenced, NULL};
    zw_orbits_options o = zw_orbits_options_default();
    zw_table *table;
    zw_orbits_file file;
    int number, marks = 0;
    (void)state;
    ctx = zw_context_create(&alloc);
    o.over = "energy=1:1.1";
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test", NULL, &err) < 0 ||
        zw_orbits_create(&study, sys, &o, &err) < 0 ||
        zw_orbits_find_from(study, &start, NAN, &number, &err) < 0 ||
        zw_orbits_follow(study, number, &err) < 0 ||
        zw_orbits_table(study, NULL, &table, &err) < 0 ||
        zw_orbits_file_read(&file, table, &err) < 0)
        fail_msg("%s", err.text);
    for (int i = 0; i < file.n; i++) {
        const zw_orbit_motion *m = &file.orbit[i].motion;
        marks += m->event == ZW_BIFURCATION_BRANCH;
        if (m->event == ZW_BIFURCATION_BRANCH)
            assert_non_null(m->tangent);
    }
    assert_int_equal(marks, 1);
    zw_orbits_file_clear(&file);
    zw_table_destroy(table);
    close_study();
}

/* The start lies before the range: the family is told from the end of the range on. */
static void test_family__range(void **state) {
    (void)state;
    follow(pendulum, "energy=0.6:1", 0);
    int n = 0;
    double low = INFINITY;
    for (int i = 0; i < zw_orbits_count(study); i++) {
        const zw_orbit_motion *m = zw_orbits_at(study, i);
        if (m->curve < 0)
            continue;
        low = fmin(low, m->value);
        assert_close(m->period, period_of(m->value), 1e-8);
        n++;
    }
    assert_true(n > 20 && n < 100);
    assert_close(low, 0.6, 1e-12);
    assert_close(last()->value, 1, 1e-12);
    close_study();
}

/* all orbits of a linear oscillator have the same period */
static void test_family__isochronous(void **state) {
    static const char text[] = "model l\nunits none\ncoord x\nkinetic x'^2/2\n"
                               "potential x^2/2\nstart x = 1\n";
    static const char *const over[] = {"period=1:20", "period=7:20"};
    const zw_orbits_start start = {.from = ZW_ORBITS_FROM_RUN};
    int number;
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(open_study(text, over[i]), ZW_OK);
        assert_int_equal(zw_orbits_find_from(study, &start, NAN, &number, &err), ZW_OK);
        assert_int_equal(zw_orbits_follow(study, number, &err), ZW_E_NUMERIC);
        assert_non_null(strstr(err.text, "does not distinguish them"));
        char *told = orbits_text(study);
        assert_null(strstr(told, "inf"));
        free(told);
        close_study();
    }
}

/* An observable of states that stays: of V. Volterra's prey and predators the means are the
 * equilibrium whatever the orbit, and y = 1 where x is largest. Of a pendulum the same as its
 * energy. */
static void test_family__over_an_observable(void **state) {
    (void)state;
    follow("model prey\nunits none\nparam a = 1.5\nstate x, y : x' = x*(1 - y), y' = a*y*(x - 1)\n"
           "observe h = a*(x - log(x)) + y - log(y)\nstart x = 1.5, y = 1\n",
           "h=2.6:4", 0);
    assert_true(zw_orbits_count(study) > 10);
    for (int i = 0; i < zw_orbits_count(study); i++) {
        const zw_orbit_motion *m = zw_orbits_at(study, i);
        double x = m->measure[0].max;
        assert_close(m->measure[0].mean, 1, 1e-7);
        assert_close(m->measure[1].mean, 1, 1e-7);
        assert_close(1.5 * (x - log(x)) + 1, m->value, 1e-6);
    }
    assert_close(last()->value, 4, 1e-12);
    close_study();
    follow("model p\nunits none\ncoord phi\nkinetic phi'^2/2\npotential 1 - cos(phi)\n"
           "observe twice = phi'^2 + 2*(1 - cos(phi))\nstart phi = 1\n",
           "twice=1:3", 0);
    assert_close(last()->period, period_of(1.5), 1e-7);
    close_study();
    int number;
    if (open_study("model prey\nunits none\nstate x, y : x' = x*(1 - y), y' = y*(x - 1)\n"
                   "observe h = x + y\nstart x = 1.5, y = 1\n",
                   "h=2.6:4") < 0)
        fail_msg("%s", err.text);
    assert_int_equal(zw_orbits_find(study, NAN, &number, &err), ZW_E_MODEL);
    assert_non_null(strstr(err.text, "h does not stay"));
    close_study();
}

static void test_family__refuses(void **state) {
    (void)state;
    static const char damped[] = "model d\nunits none\ncoord x\nkinetic x'^2/2\npotential x^2/2\n"
                                 "force (x) = (1 - x^2)*x'\nstart x = 0.5\n",
                      states[] = "model s\nunits none\nstate x, y : x' = y, y' = -x\nstart x = 1\n";
    assert_true(open_study(damped, "energy=0.1:1") >= 0);
    assert_int_equal(zw_orbits_find(study, NAN, NULL, &err), ZW_E_MODEL);
    assert_non_null(strstr(err.text, "energy does not stay"));
    close_study();
    assert_int_equal(open_study(states, "energy=0.1:1"), ZW_E_OPTION);
    close_study();
    assert_true(open_study(pendulum, "max(q)=0.1:1") < 0);
    close_study();
}

/* Four multipliers that are 1 but for rounding, among 296 in pairs, or six: however many there are,
 * the four become their mean. */
static void test_family__cluster_of_many_multipliers(void **state) {
    enum { MOST = 300 };
    static double re[MOST], im[MOST], error[MOST];
    (void)state;
    for (int n = 10; n <= MOST; n += MOST - 10) {
        failing_allocator f = failing_allocator_make(0);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_floquet m = {.n = n, .re = re, .im = im, .error = error, .trivial = 0};
        for (int i = 0; i < n; i++) {
            double angle = 0.3 + 2.5 * i / n;
            re[i] =
                i < 4 ? 1 + (i % 2 ? 1e-6 : -1e-6) * (i < 2 ? 1 : 3) : cos(angle - i % 2 * 2.5 / n);
            im[i] = i < 4 ? 0 : (i % 2 ? -1 : 1) * sin(angle - i % 2 * 2.5 / n);
            error[i] = 1e-3;
        }
        assert_int_equal(zw_orbits_clean_multipliers(&m, 3, true, &alloc, NULL), ZW_OK);
        assert_int_equal(f.blocks, 0);
        for (int i = 0; i < 4; i++) {
            assert_true(fabs(re[i] - 1) < 1e-12);
            assert_true(error[i] < 1e-12);
        }
        assert_true(m.accuracy < 1e-12);
        f = failing_allocator_make(1);
        assert_int_equal(zw_orbits_clean_multipliers(&m, 3, true, &alloc, NULL), ZW_E_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_family__pendulum),
        cmocka_unit_test(test_family__double_pendulum),
        cmocka_unit_test(test_family__spring_pendulum),
        cmocka_unit_test(test_family__files),
        cmocka_unit_test(test_family__marks_on_file),
        cmocka_unit_test(test_family__range),
        cmocka_unit_test(test_family__over_an_observable),
        cmocka_unit_test(test_family__isochronous),
        cmocka_unit_test(test_family__refuses),
        cmocka_unit_test(test_family__cluster_of_many_multipliers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
