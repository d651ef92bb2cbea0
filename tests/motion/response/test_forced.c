/* SPDX-License-Identifier: MIT */
/* Forced motions from text to curve: numbers of shooting programs, multipliers where the curve
 * turns, runs beside them, refusals. */
#include <math.h>

#include "support/forced_report.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

typedef struct forced {
    zw_context *ctx;
    zw_system *sys;
    zw_forced *study;
    zw_error err;
} forced;

static forced f;

static zw_status open_study(const char *path, const char *set, zw_forced_options options) {
    zw_model_options model = {.size = sizeof model, .nset = set ? 1 : 0, .set = &set};
    f = (forced){.ctx = zw_context_create(NULL)};
    zw_status status =
        path[0] == '/' ? zw_model_read(&f.sys, f.ctx, path, &model, &f.err)
                       : zw_model_parse(&f.sys, f.ctx, path, strlen(path), "test", &model, &f.err);
    if (status < 0)
        fail_msg("%s", f.err.text);
    return zw_forced_create(&f.study, f.sys, &options, &f.err);
}

static void close_study(void) {
    zw_forced_destroy(f.study);
    zw_context_destroy(f.ctx);
}

static zw_forced_options over(const char *text) {
    zw_forced_options o = zw_forced_options_default();
    o.over = text;
    return o;
}

/* a motion that the start leads to, against shooting; its period integrated closes */
static void test_forced__motions_as_by_shooting(void **state) {
    (void)state;
    static const struct {
        const char *model, *set;
        int quantity;
        double rms, mean, tolerance;
    } known[] = {{MODEL("duffing"), "Omega=0.5 [rad/s]", 0, .84714640, 0, 1e-7},
                 {MODEL("duffing"), "Omega=1.4 [rad/s]", 0, 1.14180765, 0, 1e-7},
                 {MODEL("duffing"), "Omega=3 [rad/s]", 0, .17581764, 0, 1e-7},
                 {MODEL("pendulum_polar"), NULL, 1, .48779523, 0, 1e-7},
                 {MODEL("piecewise_linear"), "Omega=2 [rad/s]", 0, .512311, -.079215, 1e-5},
                 {MODEL("piecewise_linear"), "Omega=1.6 [rad/s]", 0, 1.750396, -.794426, 1e-5}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        zw_table *rows;
        double gap;
        if (open_study(known[i].model, known[i].set, zw_forced_options_default()) < 0 ||
            zw_forced_find(f.study, NAN, NULL, &f.err) < 0)
            fail_msg("%s", f.err.text);
        const zw_forced_motion *m = zw_forced_motion_at(f.study, 0);
        assert_close(m->measure[known[i].quantity].rms, known[i].rms, known[i].tolerance);
        assert_close(m->measure[known[i].quantity].mean, known[i].mean, known[i].tolerance);
        assert_int_equal(m->verdict, ZW_FLOQUET_STABLE);
        assert_int_equal(zw_forced_motion_table(f.study, 0, 64, NULL, &rows, &gap, &f.err), ZW_OK);
        assert_true(gap < 1e-5);
        zw_table_destroy(rows);
        close_study();
    }
}

/* where a curve turns, a multiplier is 1; where a period doubles or a torus appears it is on the
 * circle as well */
static int check_events(int counts[6]) {
    int n = 0;
    for (int i = 0; i < 6; i++)
        counts[i] = 0;
    for (int i = 0; i < zw_forced_motions(f.study); i++) {
        const zw_forced_motion *m = zw_forced_motion_at(f.study, i);
        double one = INFINITY, minus = INFINITY, circle = INFINITY;
        counts[m->event]++;
        for (int k = 0; k < m->nmultiplier; k++) {
            one = fmin(one, hypot(m->re[k] - 1, m->im[k]));
            minus = fmin(minus, hypot(m->re[k] + 1, m->im[k]));
            if (m->im[k] != 0)
                circle = fmin(circle, fabs(hypot(m->re[k], m->im[k]) - 1));
        }
        double off = m->event == ZW_BIFURCATION_FOLD || m->event == ZW_BIFURCATION_BRANCH ? one
                     : m->event == ZW_BIFURCATION_FLIP                                    ? minus
                     : m->event == ZW_BIFURCATION_TORUS                                   ? circle
                                                                                          : 0;
        /* beside a branch point the matrix is nearly singular, and the absorber's multipliers there
         * change by 1000 for 1 rad/s */
        if (!(off < (m->event == ZW_BIFURCATION_BRANCH ? 3e-4 : 1e-5)))
            fail_msg("event %d at %.9g: a multiplier is off by %.1e", (int)m->event, m->value, off);
        n += off != 0;
    }
    return n;
}

static void test_forced__duffing_through_its_folds(void **state) {
    (void)state;
    int counts[6];
    double fold[2] = {0};
    int n = 0;
    zw_model_options model = {.size = sizeof model, .variant = "set_2"};
    f = (forced){.ctx = zw_context_create(NULL)};
    zw_forced_options o = over("Omega=0.1:5");
    if (zw_model_read(&f.sys, f.ctx, MODEL("duffing"), &model, &f.err) < 0 ||
        zw_forced_create(&f.study, f.sys, &o, &f.err) < 0 ||
        zw_forced_curves(f.study, 0, 0, &f.err) < 0)
        fail_msg("%s", f.err.text);
    assert_int_equal(zw_forced_curve_count(f.study), 1);
    check_events(counts);
    assert_int_equal(counts[ZW_BIFURCATION_FOLD], 2);
    assert_int_equal(counts[ZW_BIFURCATION_BRANCH] + counts[ZW_BIFURCATION_FLIP] +
                         counts[ZW_BIFURCATION_TORUS],
                     0);
    for (int i = 0; i < zw_forced_motions(f.study); i++) {
        const zw_forced_motion *m = zw_forced_motion_at(f.study, i);
        if (m->event == ZW_BIFURCATION_FOLD && n < 2)
            fold[n++] = m->value;
        assert_true(!(m->error > 1e-6));
    }
    for (int i = 0; i < zw_forced_motions(f.study);
         i++) { /* between the folds, and only there, unstable motions */
        const zw_forced_motion *m = zw_forced_motion_at(f.study, i);
        if (m->verdict == ZW_FLOQUET_UNSTABLE)
            assert_true(m->value > fmin(fold[0], fold[1]) && m->value < fmax(fold[0], fold[1]));
    }
    /* single harmonics have folds at 3.5252 and 3.3459: these are near, and forward and backward
     * marching must differ between them */
    assert_close(fold[0], 3.5252, 3e-3);
    assert_close(fold[1], 3.3459, 3e-4);
    zw_table *t;
    assert_int_equal(zw_forced_table(f.study, NULL, &t, &f.err), ZW_OK);
    assert_string_equal(zw_table_get_note(t, "kind"), "response");
    assert_int_equal(zw_table_find(t, "Omega"), 0);
    assert_true(zw_table_find(t, "rms(x)") > 0);
    assert_non_null(zw_table_get_note(t, "mark 1"));
    zw_table_destroy(t);
    close_study();
}

/* a strongly driven absorber: quasi-periodic windows, broken symmetry. The branch points of the
 * symmetric curve are where that of the motions without symmetry turns */
static void test_forced__absorber_has_tori_and_broken_symmetry(void **state) {
    (void)state;
    int counts[6];
    double branch[2] = {0};
    int n = 0;
    if (open_study(MODEL("absorber_planar"), "p_0=2.5 [1/s^2]", over("omega=3:3.9")) < 0 ||
        zw_forced_find(f.study, 3.9, &n, &f.err) < 0 || zw_forced_follow(f.study, n, &f.err) < 0)
        fail_msg("%s", f.err.text);
    check_events(counts);
    assert_int_equal(counts[ZW_BIFURCATION_TORUS], 1);
    assert_int_equal(counts[ZW_BIFURCATION_BRANCH], 2);
    n = 0;
    for (int i = 0; i < zw_forced_motions(f.study); i++) {
        const zw_forced_motion *m = zw_forced_motion_at(f.study, i);
        if (m->event == ZW_BIFURCATION_BRANCH)
            branch[n++] = m->value;
        /* symmetric, about zero or a whole turn to which the start has led, but for rounding along
         * what is nearly singular at a branch point */
        if (!(fabs(remainder(m->measure[1].mean, 2 * M_PI)) <
              (m->event == ZW_BIFURCATION_BRANCH ? 1e-4 : 1e-8)))
            fail_msg("at %.9g (event %d, curve %d) the mean is %.2e", m->value, (int)m->event,
                     m->curve, m->measure[1].mean);
        if (m->event == ZW_BIFURCATION_TORUS)
            assert_close(m->value, 3.263,
                         0.02); /* of another program, by single harmonics, to its step */
    }
    close_study();
    zw_forced_options longer = over("omega=3.7:3.9");
    longer.settle = 100;
    if (open_study(MODEL("absorber_planar"), "p_0=2.5 [1/s^2]", longer) < 0 ||
        zw_forced_find(f.study, 3.76, &n, &f.err) < 0)
        fail_msg("%s", f.err.text);
    double turn = 0;
    assert_true(fabs(zw_forced_motion_at(f.study, n)->measure[1].mean) > 1e-3);
    assert_int_equal(zw_forced_follow(f.study, n, &f.err), ZW_OK);
    for (int k = 0; k < zw_forced_motions(f.study); k++)
        turn = fmax(turn, zw_forced_motion_at(f.study, k)->value);
    if (!(fabs(turn - fmax(branch[0], branch[1])) < 1e-4))
        fail_msg("it turns at %.9g, and branches at %.9g; %d motions", turn,
                 fmax(branch[0], branch[1]), n);
    close_study();
}

/* the same system in other units, and with its coordinate scaled: the same numbers */
static void test_forced__does_not_depend_on_units(void **state) {
    (void)state;
    static const char *const texts[] = {
        "model d\nparam m = 1 [kg], c = 0.1 [N*s/m], k = 10 [N/m], n = 0.1 [N/m^3], F = 2 [N], W = "
        "3 [rad/s]\n"
        "coord x [m]\nparticle P : m at (x, 0)\npotential 1/2*k*x^2 + 1/4*n*x^4\ndissipation "
        "1/2*c*x'^2\n"
        "force drive (x) = F*cos(W*t)\n",
        "model d\nparam m = 1 [kg], c = 0.1 [N*s/m], k = 10 [N/m], n = 0.1 [N/m^3], F = 2 [N], W = "
        "3 [rad/s]\n"
        "coord y [1]\nlet x = y*1e-6 [m]\nparticle P : m at (x, 0)\npotential 1/2*k*x^2 + "
        "1/4*n*x^4\ndissipation 1/2*c*x'^2\n"
        "force drive at P = (F*cos(W*t), 0, 0)\n"};
    double fold[2][2] = {{0}};
    for (int i = 0; i < 2; i++) {
        int n = 0;
        if (open_study(texts[i], NULL, over("W=2:5")) < 0 ||
            zw_forced_curves(f.study, 0, 0, &f.err) < 0)
            fail_msg("%s", f.err.text);
        for (int k = 0; k < zw_forced_motions(f.study); k++)
            if (zw_forced_motion_at(f.study, k)->event == ZW_BIFURCATION_FOLD && n < 2)
                fold[i][n++] = zw_forced_motion_at(f.study, k)->value;
        assert_int_equal(n, 2);
        close_study();
    }
    assert_close(fold[0][0], fold[1][0], 1e-8);
    assert_close(fold[0][1], fold[1][1], 1e-8);
}

/* minima of the Gaussian over a period, and one of them that is no motion */
static void test_forced__ghosts_are_no_motions(void **state) {
    (void)state;
    static const struct {
        const char *set;
        int starts, motions;
        const char *says;
    } known[] = {{"Omega=1.4 [rad/s]", 30, 2, "2 minima"},
                 {"Omega=1.8 [rad/s]", 0, 0, "no motion; G = 0.3119"},
                 {"Omega=0.8 [rad/s]", 30, 1, "1 minimum"}};
    zw_forced_options o = zw_forced_options_default();
    o.odd = true;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        zw_forced_gauss_options how = zw_forced_gauss_options_default();
        zw_forced_gauss *g;
        how.starts = known[i].starts;
        if (open_study(MODEL("duffing"), known[i].set, o) < 0 ||
            zw_forced_gauss_create(&g, f.study, &how, &f.err) < 0 ||
            zw_forced_gauss_find(g, NAN, &f.err) < 0)
            fail_msg("%s", f.err.text);
        assert_int_equal(zw_forced_gauss_motions(g), known[i].motions);
        char *text = gauss_text(g);
        if (!strstr(text, known[i].says))
            fail_msg("%s: %s", known[i].set, text);
        zw_forced_gauss_destroy(g);
        free(text);
        close_study();
    }
}

#define OSCILLATOR                                                                                 \
    "model d\nunits none\nparam c = 0.1, n = 0, W = 1.3, F = 1, e = 0\ncoord x\n"                  \
    "kinetic 1/2*x'^2\npotential 1/2*x^2 + 1/4*n*x^4\ndissipation 1/2*c*x'^2\n"                    \
    "force drive (x) = F*cos(W*t + 0.7) + e*cos(2*W*t)\n"

/* a linear oscillator, known in closed form, however large, and however many periods are taken for
 * one */
static void test_forced__linear_as_known(void **state) {
    (void)state;
    static const struct {
        const char *set;
        int order, harmonics;
        double size;
    } cases[] = {{NULL, 1, 0, 1},
                 {NULL, 32, 0, 1},
                 {NULL, 1, 200, 1},
                 {"F=1e12", 1, 0, 1e12},
                 {"F=1e-12", 1, 0, 1e-12}};
    const double re = 1 - 1.3 * 1.3, im = 0.1 * 1.3, size = 1 / hypot(re, im);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        zw_forced_options o = zw_forced_options_default();
        o.order = cases[i].order;
        o.harmonics = cases[i].harmonics;
        if (open_study(OSCILLATOR, cases[i].set, o) < 0 ||
            zw_forced_find(f.study, NAN, NULL, &f.err) < 0)
            fail_msg("%zu: %s", i, f.err.text);
        const zw_motion_measure *m = zw_forced_motion_at(f.study, 0)->measure;
        assert_close(m->rms / cases[i].size, size / sqrt(2), 1e-9);
        assert_close(m->max / cases[i].size, size, 1e-9);
        assert_close(m->min / cases[i].size, -size, 1e-9);
        if (o.order == 1) {
            assert_close(m->first / cases[i].size, size, 1e-9);
            assert_close(m->phase, 0.7 - atan2(im, re), 1e-9);
        }
        close_study();
    }
}

/* a motion far below the sizes of the model is solved to the same digits: Duffing's, scaled by
 * 1e-13 */
static void test_forced__small_motions_keep_their_digits(void **state) {
    (void)state;
    static const char *const set[] = {"n=1e26", "F=2e-13", "W=1.4", "c=0.4"};
    zw_model_options model = {.size = sizeof model, .nset = 4, .set = set};
    f = (forced){.ctx = zw_context_create(NULL)};
    if (zw_model_parse(&f.sys, f.ctx, OSCILLATOR, strlen(OSCILLATOR), "test", &model, &f.err) < 0 ||
        zw_forced_create(&f.study, f.sys, NULL, &f.err) < 0 ||
        zw_forced_find(f.study, NAN, NULL, &f.err) < 0)
        fail_msg("%s", f.err.text);
    assert_close(zw_forced_motion_at(f.study, 0)->measure[0].rms / 1e-13, 1.14180765, 1e-7);
    close_study();
}

static int count_doubts(const char *name) {
    zw_warnings *doubts = zw_warnings_create(NULL);
    int n = 0;
    zw_forced_warnings(f.study, doubts);
    for (int i = 0; i < zw_warnings_count(doubts); i++)
        n += strcmp(zw_warnings_at(doubts, i)->key, name) == 0;
    zw_warnings_destroy(doubts);
    return n;
}

/* odd harmonics of a motion that has even ones are told as doubtful, of others not */
static void test_forced__odd_harmonics_miss_even_ones(void **state) {
    (void)state;
    for (int even = 0; even < 2; even++) {
        zw_forced_options o = zw_forced_options_default();
        o.odd = true;
        if (open_study(OSCILLATOR, even ? "e=0.5" : "n=1", o) < 0 ||
            zw_forced_find(f.study, NAN, NULL, &f.err) < 0)
            fail_msg("%s", f.err.text);
        assert_int_equal(count_doubts("even"), even);
        assert_true(even ? zw_forced_motion_at(f.study, 0)->error > 0.01
                         : zw_forced_motion_at(f.study, 0)->error < 1e-6);
        close_study();
    }
}

/* without damping multipliers stay on the circle: they pass it nowhere, and resonance has no
 * motion */
static void test_forced__undamped(void **state) {
    (void)state;
    int counts[6];
    zw_forced_options o = over("W=0.5:0.95");
    o.settle = 0;
    if (open_study(OSCILLATOR, "c=0", o) < 0 || zw_forced_curves(f.study, 0, 0, &f.err) < 0)
        fail_msg("%s", f.err.text);
    check_events(counts);
    assert_int_equal(counts[ZW_BIFURCATION_TORUS] + counts[ZW_BIFURCATION_FLIP] +
                         counts[ZW_BIFURCATION_BRANCH],
                     0);
    assert_int_equal(count_doubts("end"), 1); /* half the resonance: its second harmonic is free */
    assert_true(zw_forced_find(f.study, 1, NULL, &f.err) < 0);
    close_study();
}

/* a parametric drive: rest is one motion, not as many as there are starts; beside it the
 * subharmonic one */
static void test_forced__rest_is_one_motion(void **state) {
    (void)state;
    zw_forced_options o = zw_forced_options_default();
    int rest = 0, found;
    o.order = 2;
    if (open_study("model m\nunits none\nparam W = 2\ncoord x\nkinetic 1/2*x'^2\n"
                   "potential 1/2*(1 + 0.3*cos(W*t))*x^2 + 1/4*x^4\ndissipation 0.025*x'^2\n"
                   "start x = 0.1\n",
                   NULL, o) < 0 ||
        zw_forced_find(f.study, NAN, NULL, &f.err) < 0 ||
        zw_forced_search(f.study, NAN, 20, &found, &f.err) < 0)
        fail_msg("%s", f.err.text);
    for (int i = 0; i < zw_forced_motions(f.study); i++) {
        const zw_forced_motion *m = zw_forced_motion_at(f.study, i);
        rest += m->measure[0].rms == 0;
        if (m->measure[0].rms > 0)
            assert_close(m->measure[0].rms, 0.306888963, 1e-8);
    }
    assert_int_equal(rest, 1);
    assert_int_equal(count_doubts("harmonics"), 0);
    close_study();
}

/* states that act on nothing but themselves have multipliers as well */
static void test_forced__states_alone(void **state) {
    (void)state;
    for (int grows = 0; grows < 2; grows++) {
        zw_forced_options o = zw_forced_options_default();
        o.settle = 0;
        if (open_study(
                "model m\nunits none\nparam W = 1.3, a = -0.5\nstate i : i' = cos(W*t) + a*i\n",
                grows ? "a=0.5" : NULL, o) < 0 ||
            zw_forced_find(f.study, NAN, NULL, &f.err) < 0)
            fail_msg("%s", f.err.text);
        const zw_forced_motion *m = zw_forced_motion_at(f.study, 0);
        assert_close(m->measure[0].first, 1 / hypot(0.5, 1.3), 1e-10);
        assert_int_equal(m->nmultiplier, 1);
        assert_close(m->re[0], exp((grows ? 0.5 : -0.5) * 2 * M_PI / 1.3), 1e-8);
        assert_int_equal(m->verdict, grows ? ZW_FLOQUET_UNSTABLE : ZW_FLOQUET_STABLE);
        close_study();
    }
}

/* an oscillator with two wells doubles its period; two of them that are the same do it at once,
 * which no product of multipliers shows */
static void test_forced__twins_double_their_period(void **state) {
    (void)state;
    static const char *const text[] = {
        "model m\nunits none\nparam F = 0.2\ncoord x\nkinetic 1/2*x'^2\n"
        "potential -1/2*x^2 + 1/4*x^4\ndissipation 0.15*x'^2\n"
        "force drive (x) = F*cos(1.2*t)\nstart x = 1\n",
        "model m\nunits none\nparam F = 0.2\ncoord x, y\nkinetic 1/2*x'^2 + 1/2*y'^2\n"
        "potential -1/2*x^2 + 1/4*x^4 - 1/2*y^2 + 1/4*y^4\ndissipation 0.15*(x'^2 + y'^2)\n"
        "force drive (x, y) = F*cos(1.2*t)*(1, 1)\nstart x = 1, y = 1\n"};
    for (int twins = 0; twins < 2; twins++) {
        int counts[6];
        if (open_study(text[twins], NULL, over("F=0.1:0.3")) < 0 ||
            zw_forced_curves(f.study, 0, 0, &f.err) < 0)
            fail_msg("%s", f.err.text);
        check_events(counts);
        assert_int_equal(counts[ZW_BIFURCATION_FLIP], !twins);
        assert_int_equal(count_doubts("mark"), twins);
        close_study();
    }
}

/* a drive far above the first harmonics belongs to the motion; if it is left out, that is told */
static void test_forced__drives_of_high_harmonics(void **state) {
    (void)state;
    for (int few = 0; few < 2; few++) {
        zw_forced_options o = zw_forced_options_default();
        o.harmonics = few ? 3 : 0;
        if (open_study("model d\nunits none\nparam W = 1.3\ncoord x\nkinetic 1/2*x'^2\n"
                       "potential 1/2*x^2\ndissipation 0.05*x'^2\n"
                       "force drive (x) = cos(W*t) + 100*cos(20*W*t)\n",
                       NULL, o) < 0 ||
            zw_forced_find(f.study, NAN, NULL, &f.err) < 0)
            fail_msg("%s", f.err.text);
        double one = 1 / hypot(1 - 1.69, 0.13), other = 100 / hypot(1 - 676, 2.6);
        assert_close(zw_forced_motion_at(f.study, 0)->measure[0].rms,
                     sqrt(0.5 * (one * one + (few ? 0 : other * other))), 1e-9);
        assert_int_equal(count_doubts("harmonics"), few);
        close_study();
    }
}

/* Duffing's oscillator 1e-4 times as large as one beside it, and one far away from zero: the folds
 * are those of it alone */
static void test_forced__folds_of_a_small_coordinate(void **state) {
    (void)state;
    static const char *const text[] = {
        "model m\nunits none\nparam W = 1.3\ncoord x, y\nkinetic 1/2*x'^2 + 1/2*y'^2\n"
        "potential 1/2*x^2 + 1/2*y^2 + 1/4*1e8*y^4\ndissipation 0.2*(x'^2 + y'^2)\n"
        "force drive (x, y) = cos(W*t)*(1, 2e-4)\n",
        "model m\nunits none\nparam W = 1.3\ncoord y\nkinetic 1/2*y'^2\nlet z = y - 1000\n"
        "potential 1/2*z^2 + 1/4*z^4\ndissipation 0.2*y'^2\n"
        "force drive (y) = 2*cos(W*t)\nstart y = 1000\n"};
    for (int i = 0; i < 2; i++) {
        double low = INFINITY, high = 0;
        int counts[6];
        if (open_study(text[i], NULL, over("W=0.5:3")) < 0 ||
            zw_forced_curves(f.study, 0, 0, &f.err) < 0)
            fail_msg("%s", f.err.text);
        check_events(counts);
        assert_int_equal(counts[ZW_BIFURCATION_FOLD], 2);
        for (int k = 0; k < zw_forced_motions(f.study); k++) {
            const zw_forced_motion *m = zw_forced_motion_at(f.study, k);
            low = m->event == ZW_BIFURCATION_FOLD ? fmin(low, m->value) : low;
            high = m->event == ZW_BIFURCATION_FOLD ? fmax(high, m->value) : high;
        }
        assert_close(low, 1.889032773, 1e-6);
        assert_close(high, 2.218204136, 1e-6);
        close_study();
    }
}

/* forces with a kink: the curve goes on through the resonance, and has the motion of shooting on
 * its way */
static void test_forced__curve_of_a_kink(void **state) {
    (void)state;
    zw_forced_options o = over("Omega=1.2:1.8");
    double away = INFINITY;
    o.harmonics = 9;
    if (open_study(MODEL("piecewise_linear"), NULL, o) < 0 ||
        zw_forced_curves(f.study, 0, 0, &f.err) < 0)
        fail_msg("%s", f.err.text);
    assert_int_equal(zw_forced_curve_count(f.study), 1);
    for (int side = 0; side < 2; side++)
        assert_true(zw_forced_curve_end(f.study, 0, side).end != ZW_CONT_STUCK);
    for (int i = 0; i + 1 < zw_forced_motions(f.study); i++) {
        const zw_forced_motion *a = zw_forced_motion_at(f.study, i), *b = a + 1;
        if (a->curve < 0 || b->curve < 0 || (a->value - 1.3) * (b->value - 1.3) > 0)
            continue;
        double part = (1.3 - a->value) / (b->value - a->value);
        away = fmin(away, fabs(a->measure[0].rms + part * (b->measure[0].rms - a->measure[0].rms) -
                               7.63541));
    }
    assert_true(away < 0.02); /* nine harmonics, and a line between two points */
    close_study();
}

static void refused(const char *text, const char *over_text, const char *says) {
    zw_status status = open_study(text, NULL, over(over_text));
    if (status >= 0)
        status = zw_forced_find(f.study, NAN, NULL, &f.err);
    assert_true(status < 0);
    if (!strstr(f.err.text, says))
        fail_msg("says: %s", f.err.text);
    close_study();
}

static void test_forced__refuses(void **state) {
    (void)state;
#define HEAD                                                                                       \
    "model d\nparam m = 1 [kg], k = 1 [N/m], F = 1 [N], W = 2 [rad/s], V = 3.1 [rad/s]\ncoord x "  \
    "[m]\nparticle P : m at (x, 0)\n"
    refused(HEAD "potential 1/2*k*x^2\n", NULL, "no periodic excitation");
    refused(HEAD "potential 1/2*k*x^2\nforce a (x) = F*(cos(W*t) + cos(sqrt(2)*W*t))\n"
                 "force b (x) = F*(sin(sqrt(3)*W*t) + sin(sqrt(7)*W*t))\n",
            NULL, "more than 3 frequencies without a common period");
    refused(HEAD "potential 1/2*k*x^2\nforce a (x) = F*cos(W*t)*exp(-t/1 [s])\n", NULL, "t");
    refused(HEAD "force a (x) = F*cos(W*t)\ncontact wall : gap x + 1 [m]\n", NULL,
            "no series of harmonics");
    refused(MODEL("duffing"), "x=0:1", "over a parameter");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forced__motions_as_by_shooting),
        cmocka_unit_test(test_forced__duffing_through_its_folds),
        cmocka_unit_test(test_forced__absorber_has_tori_and_broken_symmetry),
        cmocka_unit_test(test_forced__does_not_depend_on_units),
        cmocka_unit_test(test_forced__ghosts_are_no_motions),
        cmocka_unit_test(test_forced__linear_as_known),
        cmocka_unit_test(test_forced__small_motions_keep_their_digits),
        cmocka_unit_test(test_forced__odd_harmonics_miss_even_ones),
        cmocka_unit_test(test_forced__undamped),
        cmocka_unit_test(test_forced__rest_is_one_motion),
        cmocka_unit_test(test_forced__states_alone),
        cmocka_unit_test(test_forced__folds_of_a_small_coordinate),
        cmocka_unit_test(test_forced__drives_of_high_harmonics),
        cmocka_unit_test(test_forced__twins_double_their_period),
        cmocka_unit_test(test_forced__curve_of_a_kink),
        cmocka_unit_test(test_forced__refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
