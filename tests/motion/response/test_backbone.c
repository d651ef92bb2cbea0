/* SPDX-License-Identifier: MIT */
/* Families of free motions: elliptic functions, the arithmetic-geometric mean, symmetric pairs of
 * masses, the same system with a constraint, what is refused. */
#include <math.h>

#include "support/forced_report.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

typedef struct family {
    zw_context *ctx;
    zw_system *sys;
    zw_forced *study;
    zw_error err;
} family;

static family f;

static zw_status open_study(const char *path, int nset, const char *const *set, const char *over,
                            double tolerance) {
    zw_model_options model = {.size = sizeof model, .nset = nset, .set = set};
    zw_forced_options o = zw_forced_options_default();
    o.over = over;
    o.free = true;
    o.tolerance = tolerance;
    f = (family){.ctx = zw_context_create(NULL)};
    zw_status status =
        path[0] == '/' ? zw_model_read(&f.sys, f.ctx, path, &model, &f.err)
                       : zw_model_parse(&f.sys, f.ctx, path, strlen(path), "test", &model, &f.err);
    if (status < 0)
        fail_msg("%s", f.err.text);
    return zw_forced_create(&f.study, f.sys, &o, &f.err);
}

static void open_all(const char *path, int nset, const char *const *set, const char *over,
                     double tolerance) {
    if (open_study(path, nset, set, over, tolerance) < 0)
        fail_msg("%s", f.err.text);
    for (int i = 0; i < zw_forced_modes(f.study); i++)
        if (zw_forced_backbone(f.study, i, &f.err) < 0)
            fail_msg("mode %d: %s", i, f.err.text);
}

static void close_study(void) {
    zw_forced_destroy(f.study);
    zw_context_destroy(f.ctx);
}

/* Gauss's arithmetic-geometric mean: K(k) = pi/(2 agm(1, sqrt(1 - k^2))) */
static double agm(double a, double b) {
    for (int i = 0; i < 40 && fabs(a - b) > 1e-17 * a; i++) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return a;
}

/* x'' + k x + n x^3 = 0 from rest at A: x = A cn(W t, m), W^2 = k + n A^2, m = n A^2/(2 W^2), so
 * that w = pi W/(2 K(m)) */
static double duffing(double k, double n, double A) {
    double W2 = k + n * A * A, m = n * A * A / (2 * W2);
    return sqrt(W2) * agm(1, sqrt(1 - m));
}

static void test_backbone__duffing_is_elliptic(void **state) {
    (void)state;
    static const char *const set[] = {"F=0 [N]", "c=0 [N*s/m]"};
    open_all(MODEL("duffing"), 2, set, "max(x)=0:3", 1e-12);
    int n = zw_forced_motions(f.study);
    assert_true(n > 20);
    for (int i = 0; i < n; i++) {
        const zw_forced_motion *m = zw_forced_motion_at(f.study, i);
        double A = m->measure[0].max;
        assert_close(m->value, duffing(1, 1, A), 1e-10);
        assert_close(m->energy, 0.5 * A * A + 0.25 * A * A * A * A, 1e-9 * (1 + A * A));
        assert_true(fabs(m->damping) < 1e-10);
        assert_int_equal(m->outside, 0);
    }
    assert_close(zw_forced_motion_at(f.study, n - 1)->measure[0].max, 3, 1e-9);
    close_study();
}

/* a pendulum up to 2.3 rad, in its angle and in two coordinates with a constraint: w = agm(1,
 * cos(A/2)) sqrt(g/l) */
static void test_backbone__pendulum(void **state) {
    (void)state;
    static const char *const text[] = {
        "model p\nunits none\ncoord a\nkinetic 1/2*a'^2\npotential -cos(a)\nstart a = 0.3\n",
        "model p\nunits none\ncoord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential y\n"
        "constraint rod : x^2 + y^2 = 1\nstart x = 0.1, y = -0.99\n"};
    const double top = 2.3;
    for (int i = 0; i < 2; i++) {
        char over[80];
        snprintf(over, sizeof over, "energy=0:%.15g", 1 - cos(top));
        open_all(text[i], 0, NULL, over, 1e-9);
        int n = zw_forced_motions(f.study);
        assert_int_equal(zw_forced_modes(f.study), 1);
        assert_close(zw_forced_mode(f.study, 0), 1, 1e-9);
        for (int k = 0; k < n; k++) {
            const zw_forced_motion *m = zw_forced_motion_at(f.study, k);
            double A = acos(1 - m->energy);
            assert_close(m->value, agm(1, cos(0.5 * A)), 3e-9);
            if (i == 0)
                assert_close(m->measure[0].max, A, 1e-8);
            else
                assert_close(m->measure[0].max, k && A < M_PI / 2 ? sin(A) : m->measure[0].max,
                             1e-8);
        }
        assert_close(zw_forced_motion_at(f.study, n - 1)->energy, 1 - cos(top), 1e-9);
        close_study();
    }
}

/* Two equal masses, springs k x + n x^3 to the walls and between them: x = y moves as one
 * oscillator with k, n, and x = -y as one whose middle spring is stretched by 2x, 3k and n + 8n =
 * 9n. */
static void test_backbone__two_masses_in_and_out_of_phase(void **state) {
    (void)state;
    open_all("model t\nunits none\ncoord x, y\nkinetic 1/2*x'^2 + 1/2*y'^2\n"
             "potential 1/2*(x^2 + y^2 + (x - y)^2) + 1/4*(x^4 + y^4 + (x - y)^4)\n",
             0, NULL, "energy=0:2", 1e-11);
    int of_mode[2] = {0};
    assert_int_equal(zw_forced_modes(f.study), 2);
    assert_close(zw_forced_mode(f.study, 1), sqrt(3), 1e-10);
    for (int i = 0; i < zw_forced_motions(f.study); i++) {
        const zw_forced_motion *m = zw_forced_motion_at(f.study, i);
        double A = m->measure[0].max;
        assert_close(m->measure[1].max, A, 1e-9);
        assert_close(m->value, m->curve ? duffing(3, 9, A) : duffing(1, 1, A), 1e-9);
        assert_int_equal(m->nmultiplier, 4);
        of_mode[m->curve]++;
    }
    assert_true(of_mode[0] > 5 && of_mode[1] > 5);
    close_study();
}

/* a cart that may be anywhere, with a pendulum on it: its mean is not determined, and the momentum
 * stays zero */
static void test_backbone__free_cart(void **state) {
    (void)state;
    zw_table *rows;
    double gap;
    open_all("model c\nunits none\ncoord s, a\nkinetic 1/2*s'^2 + 1/2*((s' + a'*cos(a))^2 + "
             "(a'*sin(a))^2)\n"
             "potential -cos(a)\nstart a = 0.2\n",
             0, NULL, "max(a)=0:1.5", 1e-9);
    assert_int_equal(zw_forced_modes(f.study), 1);
    assert_close(zw_forced_mode(f.study, 0), sqrt(2), 1e-9);
    int last = zw_forced_motions(f.study) - 1;
    assert_close(zw_forced_motion_at(f.study, last)->measure[1].max, 1.5, 1e-8);
    assert_close(zw_forced_motion_at(f.study, last)->energy, 1 - cos(1.5), 1e-8);
    /* the run does not come from the balance */
    assert_int_equal(zw_forced_motion_table(f.study, last, 64, NULL, &rows, &gap, &f.err), ZW_OK);
    assert_true(gap < 1e-6);
    zw_table_destroy(rows);
    close_study();
}

/* the last motion of the family whose first one has these ratios of the rms of two quantities and
 * this sign of their product; NULL: there is none */
static const zw_forced_motion *last_of(double ratio, double within, int *curve) {
    *curve = -1;
    for (int i = 0; i < zw_forced_motions(f.study); i++) {
        const zw_forced_motion *m = zw_forced_motion_at(f.study, i);
        bool first = i == 0 || m[-1].curve != m->curve;
        int n = m->ncoefficient;
        double x = m->x[1], y = m->x[n + 1];
        if (first && fabs(y - ratio * x) <= within * hypot(x, y) && hypot(x, y) > 0)
            *curve = m->curve;
    }
    const zw_forced_motion *last = NULL;
    for (int i = 0; i < zw_forced_motions(f.study); i++)
        if (zw_forced_motion_at(f.study, i)->curve == *curve)
            last = zw_forced_motion_at(f.study, i);
    return *curve < 0 ? NULL : last;
}

/* Two masses with equal frequencies, V = (x^2 + y^2)/2 + (x^4 + y^4)/4 + K (x - y)^4/4: y = c x is
 * a motion for c = 1, -1 and K c^2 + (1 - 2 K) c + K = 0, with x'' = -x - (1 + K (1 - c)^3) x^3,
 * and by averaging there are no others. That with c = 1 has neighbours of its period to first
 * order. */
static void test_backbone__equal_frequencies(void **state) {
    (void)state;
    const double K = 0.1, c = (-(1 - 2 * K) + sqrt(1 - 4 * K)) / (2 * K),
                 ratio[] = {1, -1, c, 1 / c};
    static const char text[] =
        "model similar\nunits none\nparam K = 0.1\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
        "potential (x^2 + y^2)/2 + (x^4 + y^4)/4 + K*(x - y)^4/4\nstart x = 0, y = 0\n";
    int curve;
    open_all(text, 0, NULL, "energy=0:3", 1e-8);
    assert_int_equal(zw_forced_curve_count(f.study), 4);
    for (int i = 0; i < 4; i++) {
        const zw_forced_motion *m = last_of(ratio[i], 1e-4, &curve);
        assert_non_null(m);
        assert_close(m->energy, 3, 1e-8);
        double A = m->measure[0].max;
        assert_close(m->measure[1].max, fabs(ratio[i]) * A, 1e-7);
        assert_close(m->w, duffing(1, 1 + K * pow(1 - ratio[i], 3), A), 1e-7);
        assert_int_equal(m->verdict, ratio[i] == -1 ? ZW_FLOQUET_UNSTABLE : ZW_FLOQUET_STABLE);
    }
    char *words = forced_text(f.study);
    assert_non_null(strstr(words, "modes 1 and 2 (1:1 resonance), 1, x : y = 1 : -0.127017 when"));
    free(words);
    close_study();
}

/* V = (x^2 + y^2)/2 + a (x^4 + y^4)/4 + b x^2 y^2: along both axes and both diagonals, and an
 * ellipse x = A cos, y = A sin + ..., by one harmonic w^2 = 1 + (3 a/4 + b/2) A^2 */
static void test_backbone__elliptic_mode(void **state) {
    (void)state;
    static const char text[] =
        "model ell\nunits none\nparam a = 1, b = 0.2\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
        "potential (x^2 + y^2)/2 + a*(x^4 + y^4)/4 + b*x^2*y^2\nstart x = 0, y = 0\n";
    open_all(text, 0, NULL, "energy=0:0.05", 1e-8);
    assert_int_equal(zw_forced_curve_count(f.study), 5);
    int round = 0, axis = 0, diagonal = 0;
    for (int i = 0; i < zw_forced_motions(f.study); i++) {
        const zw_forced_motion *m = zw_forced_motion_at(f.study, i);
        if (i + 1 < zw_forced_motions(f.study) && m[1].curve == m->curve)
            continue;
        double x = m->measure[0].max, y = m->measure[1].max, A2 = x * x;
        double turn = fabs(remainder(m->measure[0].phase - m->measure[1].phase, M_PI));
        if (x < 1e-9 || y < 1e-9) {
            assert_close(m->w, duffing(1, 1, fmax(x, y)), 1e-8);
            axis++;
        } else if (turn < 1e-6) {
            /* y = x: x'' = -x - (a + 2 b) x^3 */
            assert_close(m->w, duffing(1, 1.4, x), 1e-8);
            diagonal++;
        } else {
            assert_close(turn, M_PI / 2, 1e-6);
            assert_close(m->w * m->w, 1 + 0.85 * A2, A2 * A2 * 0.1);
            round++;
        }
    }
    assert_int_equal(axis, 2);
    assert_int_equal(diagonal, 2);
    assert_int_equal(round, 1);
    close_study();
}

/* 1:2 and 1:3: the averaged energies c E_1 sqrt(E_2) cos and c E_1^(3/2) sqrt(E_2) cos have their
 * critical points with E_1 > 0 where the slow mode has 2/3 and 3/4 of the energy, with both signs;
 * the fast mode alone is a family, too */
static void test_backbone__commensurate(void **state) {
    (void)state;
    static const char *const text[] = {
        "model two\nunits none\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
        "potential x^2/2 + 2*y^2 + 0.1*x^2*y\nstart x = 0, y = 0\n",
        "model three\nunits none\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
        "potential x^2/2 + 4.5*y^2 + 0.3*x^3*y\nstart x = 0, y = 0\n"};
    for (int k = 0; k < 2; k++) {
        int times = k + 2, fast = 0, faster = 0, slower = 0;
        open_all(text[k], 0, NULL, "energy=0:1e-2", 1e-8);
        assert_int_equal(zw_forced_curve_count(f.study), 3);
        for (int i = 0; i < zw_forced_motions(f.study); i++) {
            const zw_forced_motion *m = zw_forced_motion_at(f.study, i);
            if (i > 0 && m[-1].curve == m->curve)
                continue;
            double one = 0.5 * pow(m->measure[0].rms, 2) * 2,
                   two = 0.5 * times * times * pow(m->measure[1].rms, 2) * 2;
            fast += one < 1e-9 * two;
            if (one < 1e-9 * two)
                continue;
            assert_close(one / (one + two), k ? 0.75 : 2. / 3, 2e-3);
            faster += m->w > 1;
            slower += m->w < 1;
        }
        assert_int_equal(fast, 1);
        assert_int_equal(faster, 1);
        assert_int_equal(slower, 1);
        char *words = forced_text(f.study);
        assert_non_null(strstr(words, k ? "(1:3 resonance)" : "(1:2 resonance)"));
        free(words);
        close_study();
    }
}

/* 1:2 with further terms, by which shapes of small motions depend on their size: each family once,
 * with the digits of its fold */
static void test_backbone__families_are_listed_once(void **state) {
    (void)state;
    open_all("model two\nunits none\nparam q = 0.1, a = 0.3, b = 0.5, d = 0.2\ncoord x, y\n"
             "kinetic (x'^2 + y'^2)/2\n"
             "potential (x^2 + 4*y^2)/2 + q*x^2*y + a*x^4/4 + b*y^4/4 + d*x^2*y^2/2\n",
             0, NULL, "energy=0:0.5", 1e-6);
    assert_int_equal(zw_forced_curve_count(f.study), 3);
    double end[3] = {0};
    for (int i = 0, k = 0; i < zw_forced_motions(f.study); i++) {
        const zw_forced_motion *m = zw_forced_motion_at(f.study, i);
        if (i + 1 == zw_forced_motions(f.study) || m[1].curve != m->curve) {
            assert_close(m->energy, 0.5, 1e-8);
            end[k++] = m->w;
        }
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < i; k++)
            assert_true(fabs(end[i] - end[k]) > 1e-2);
    char *words = forced_text(f.study);
    assert_non_null(strstr(words, "    0.998809034"));
    free(words);
    close_study();
}

/* Two oscillators that nothing couples: each alone, and a continuum of both together; a spring in
 * the plane: circles, and straight lines in all directions. */
static void test_backbone__continuum(void **state) {
    (void)state;
    static const char *const text[] = {
        "model free\nunits none\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
        "potential (x^2 + y^2)/2 + (x^4 + y^4)/4\nstart x = 0, y = 0\n",
        "model plane\nunits none\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
        "potential (x^2 + y^2)/2 + (x^2 + y^2)^2/4\nstart x = 0, y = 0\n"};
    for (int k = 0; k < 2; k++) {
        if (open_study(text[k], 0, NULL, "energy=0:0.1", 1e-6) < 0)
            fail_msg("%s", f.err.text);
        zw_status status = zw_forced_backbone(f.study, 0, &f.err);
        zw_warnings *doubts = zw_warnings_create(NULL);
        zw_forced_warnings(f.study, doubts);
        bool told = status < 0 && strstr(f.err.text, "continuum");
        for (int i = 0; i < zw_warnings_count(doubts); i++)
            told |= strstr(zw_warnings_at(doubts, i)->text, "continuum") != NULL;
        assert_true(told);
        zw_warnings_destroy(doubts);
        close_study();
    }
}

static void test_backbone__refusals(void **state) {
    (void)state;
    static const struct {
        const char *path, *over, *says, *hint;
    } cases[] = {
        {MODEL("duffing"), "energy=0:1", "the energy changes", "--set \"F=0\" --set \"c=0\""},
        {MODEL("duffing"), NULL, "needs a range", "--over energy"},
        {MODEL("duffing"), "F=0:1", "does not parametrise", "frequency, energy"},
        {"model p\nunits none\ncoord a\nkinetic 1/2*a'^2\npotential cos(a)\n", "energy=0:1",
         "nothing oscillates", "stable"},
        {"model p\nunits none\ncoord a\nkinetic 1/2*a'^2\npotential a\n", "energy=0:1",
         "no equilibrium", "equilibria"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(open_study(cases[i].path, 0, NULL, cases[i].over, 1e-6) < 0);
        if (!strstr(f.err.text, cases[i].says) || !strstr(f.err.hint, cases[i].hint))
            fail_msg("%zu: %s; %s", i, f.err.text, f.err.hint);
        close_study();
    }
    /* a family that is not there: a hardening spring has no motions below its frequency */
    if (open_study("model p\nunits none\ncoord x\nkinetic 1/2*x'^2\npotential 1/2*x^2 + 1/4*x^4\n",
                   0, NULL, "frequency=0.5:0.9", 1e-6) < 0)
        fail_msg("%s", f.err.text);
    assert_true(zw_forced_backbone(f.study, 0, &f.err) == ZW_E_NUMERIC);
    assert_true(zw_forced_backbone(f.study, 1, NULL) == ZW_E_OPTION);
    close_study();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_backbone__duffing_is_elliptic),
        cmocka_unit_test(test_backbone__pendulum),
        cmocka_unit_test(test_backbone__two_masses_in_and_out_of_phase),
        cmocka_unit_test(test_backbone__free_cart),
        cmocka_unit_test(test_backbone__equal_frequencies),
        cmocka_unit_test(test_backbone__elliptic_mode),
        cmocka_unit_test(test_backbone__commensurate),
        cmocka_unit_test(test_backbone__families_are_listed_once),
        cmocka_unit_test(test_backbone__continuum),
        cmocka_unit_test(test_backbone__refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
