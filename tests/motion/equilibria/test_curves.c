/* SPDX-License-Identifier: MIT */
/* Beside the curves of a response: marches by integration, several values of a second parameter,
 * curves that leave at branch points and where the period doubles. */
#include <math.h>

#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"
#define WELLS                                                                                      \
    "model m\nunits none\nparam F = 0.2, W = 1.2\ncoord x\nkinetic 1/2*x'^2\n"                     \
    "potential -1/2*x^2 + 1/4*x^4\ndissipation 0.15*x'^2\nforce drive (x) = F*cos(W*t)\n"          \
    "start x = 1\n"

typedef struct forced {
    zw_context *ctx;
    zw_system *sys;
    zw_forced *study;
    zw_error err;
} forced;

static forced f;

static void open_study(const char *path, const char *variant, const char *set, const char *over,
                       int settle) {
    zw_model_options model = {
        .size = sizeof model, .nset = set ? 1 : 0, .set = &set, .variant = variant};
    zw_forced_options o = zw_forced_options_default();
    o.over = over;
    o.settle = settle;
    f = (forced){.ctx = zw_context_create(NULL)};
    zw_status status =
        path[0] == '/' ? zw_model_read(&f.sys, f.ctx, path, &model, &f.err)
                       : zw_model_parse(&f.sys, f.ctx, path, strlen(path), "test", &model, &f.err);
    if (status < 0 || zw_forced_create(&f.study, f.sys, &o, &f.err) < 0)
        fail_msg("%s", f.err.text);
}

static void close_study(void) {
    zw_forced_destroy(f.study);
    zw_context_destroy(f.ctx);
}

/* Duffing's oscillator, set 2 of the thesis: on the way up and on the way down the runs are on
 * different branches between the folds, 3.3460 and 3.5272, and nowhere else; where they settle they
 * are the motions of the balance */
static void test_curves__marches_differ_between_the_folds(void **state) {
    (void)state;
    enum { STEPS = 24 };
    open_study(MODEL("duffing"), "set_2", NULL, "Omega=3:3.6", 150);
    if (zw_forced_curves(f.study, 0, 0, &f.err) < 0)
        fail_msg("%s", f.err.text);
    int known = zw_forced_motions(f.study);
    if (zw_forced_march(f.study, STEPS, &f.err) < 0)
        fail_msg("%s", f.err.text);
    assert_int_equal(zw_forced_motions(f.study), known + 2 * (STEPS + 1));
    for (int i = 0; i <= STEPS; i++) {
        const zw_forced_motion *up = zw_forced_motion_at(f.study, known + i),
                               *down = zw_forced_motion_at(f.study, known + 2 * STEPS + 1 - i);
        assert_close(up->value, down->value, 1e-12);
        bool differ = fabs(up->measure[0].rms - down->measure[0].rms) > 0.01 * up->measure[0].rms;
        assert_int_equal(differ, up->value > 3.34598 && up->value < 3.5272);
        assert_int_equal(up->march, 1);
        assert_int_equal(down->march, -1);
        if (up->value < 3.3) { /* settled: against the balance at this value */
            int n;
            assert_int_equal(zw_forced_find(f.study, up->value, &n, &f.err), ZW_OK);
            up = zw_forced_motion_at(f.study, known + i);
            const zw_motion_measure *m = zw_forced_motion_at(f.study, n)->measure;
            assert_close(up->measure[0].rms, m->rms, 2e-3 * m->rms);
        }
    }
    zw_table *t;
    assert_int_equal(zw_forced_table(f.study, NULL, &t, &f.err), ZW_OK);
    assert_string_equal(zw_table_get_note(t, "parts"), "march");
    zw_figure *figure;
    const char *panel = "rms(x):Omega";
    assert_int_equal(
        zw_figure_create(&figure, 1, &panel, 1, &(zw_figure_run){.table = t}, NULL, &f.err), ZW_OK);
    const zw_picture *p = zw_figure_picture(figure);
    assert_int_equal(p->panel[0].n, 3);
    assert_int_equal(p->panel[0].nmark, 2);
    assert_false(p->panel[0].curve[0].points);
    assert_true(p->panel[0].curve[1].points && p->panel[0].curve[2].points);
    assert_string_equal(p->panel[0].curve[1].label, "\"run, upwards\"");
    zw_figure_destroy(figure);
    zw_table_destroy(t);
    close_study();
}

/* folds at several forces in one table: each as if it had been alone */
static void test_curves__several_values(void **state) {
    (void)state;
    zw_forced *all[2] = {NULL};
    zw_forced_values values;
    open_study(MODEL("duffing"), "set_2", NULL, "Omega=3:4.5", 50);
    zw_forced_options o = zw_forced_options_default();
    assert_int_equal(zw_forced_values_read(&values, f.sys, "F=1,3000 [mN]", &f.err), ZW_OK);
    assert_int_equal(values.n, 2);
    assert_close(values.value[0], 1e-3, 1e-15); /* all have the unit that is behind the last */
    assert_int_equal(zw_forced_values_read(&values, f.sys, "F=1,3", &f.err), ZW_OK);
    o.over = "Omega=3:4.5";
    o.with = &values;
    for (int i = 0; i < 2; i++) {
        o.member = i;
        if (zw_forced_create(&all[i], f.sys, &o, &f.err) < 0 ||
            zw_forced_curves(all[i], 0, 0, &f.err) < 0)
            fail_msg("%s", f.err.text);
    }
    zw_table *t;
    assert_int_equal(zw_forced_table_of(2, all, NULL, &t, &f.err), ZW_OK);
    int column = zw_table_find(t, "F"), curve = zw_table_find(t, "curve");
    assert_int_equal(column, 1);
    for (long i = 0; i < zw_table_rows(t); i++)
        if (!isnan(zw_table_at(t, i, 0)))
            assert_close(zw_table_at(t, i, column), zw_table_at(t, i, curve) > 0 ? 3 : 1, 0);
    assert_string_equal(zw_table_get_note(t, "parts"), "F");
    assert_null(zw_table_get_note(t, "param F"));
    /* single harmonics have folds at 3.2676, 3.2771 and 3.4064, 3.8241 */
    static const double known[2][2] = {{3.2771, 3.2676}, {3.8241, 3.4064}};
    for (int i = 0; i < 2; i++) {
        int n = 0;
        for (int k = 0; k < zw_forced_motions(all[i]); k++) {
            const zw_forced_motion *m = zw_forced_motion_at(all[i], k);
            if (m->event == ZW_BIFURCATION_FOLD && n < 2)
                assert_close(m->value, known[i][n++], 6e-3);
        }
        assert_int_equal(n, 2);
        zw_forced_destroy(all[i]);
    }
    zw_table_destroy(t);
    assert_int_equal(zw_forced_values_read(&values, f.sys, "Omega=1,3", &f.err), ZW_OK);
    assert_int_equal(zw_forced_create(&all[0], f.sys, &o, NULL), ZW_E_OPTION);
    assert_int_equal(zw_forced_values_read(&values, f.sys, "x=1,3", &f.err), ZW_E_OPTION);
    assert_true(zw_forced_values_read(&values, f.sys, "F=1,,3", NULL) < 0);
    assert_true(zw_forced_values_read(&values, f.sys, "F=1,3 [kg]", NULL) < 0);
    close_study();
}

/* the absorber, strongly driven: motions that are not the same to both sides leave the others at
 * 3.44470 and come back at 3.80445 */
static void test_curves__symmetry_breaks(void **state) {
    (void)state;
    open_study(MODEL("absorber_planar"), NULL, "p_0=2.5 [1/s^2]", "omega=3.35:3.9", 50);
    if (zw_forced_curves(f.study, 0, 0, &f.err) < 0)
        fail_msg("%s", f.err.text);
    assert_int_equal(zw_forced_curve_count(f.study), 1);
    if (zw_forced_switch(f.study, 1, &f.err) < 0)
        fail_msg("%s", f.err.text);
    assert_int_equal(zw_forced_curve_count(f.study), 2);
    double first = 0, last = 0, most = 0;
    int n = 0, which = -1;
    for (int i = 0; i < zw_forced_motions(f.study); i++) {
        const zw_forced_motion *m = zw_forced_motion_at(f.study, i);
        if (m->curve != 1)
            continue;
        first = n++ ? first : m->value;
        last = m->value;
        if (fabs(m->measure[1].mean) > most) {
            most = fabs(m->measure[1].mean);
            which = i;
        }
    }
    assert_close(first, 3.44470, 1e-5);
    assert_close(last, 3.80445, 1e-5);
    assert_true(most > 1);
    /* one of them by integration, which closes though the motion is unstable */
    zw_table *rows;
    double gap;
    assert_int_equal(zw_forced_motion_table(f.study, which, 64, NULL, &rows, &gap, &f.err), ZW_OK);
    assert_true(gap < 1e-3);
    zw_table_destroy(rows);
    close_study();
}

/* Two wells: a cascade of period doublings, whose steps shrink by about Feigenbaum's 4.669. At the
 * first the doubled motion is stable, and a run of it closes after two periods and not after
 * one. */
static void test_curves__periods_double(void **state) {
    (void)state;
    double at[4] = {0};
    int n = 0;
    open_study(WELLS, NULL, NULL, "F=0.25:0.295", 50);
    if (zw_forced_curves(f.study, 0, 0, &f.err) < 0 || zw_forced_switch(f.study, 3, &f.err) < 0)
        fail_msg("%s", f.err.text);
    for (zw_forced *s = f.study; s && n < 4; n++) {
        for (int i = 0; i < zw_forced_motions(s); i++) {
            const zw_forced_motion *m = zw_forced_motion_at(s, i);
            if (m->curve >= 0 && m->event == ZW_BIFURCATION_FLIP)
                at[n] = m->value;
        }
        s = zw_forced_children(s) ? zw_forced_child(s, 0) : NULL;
    }
    assert_int_equal(n, 4);
    assert_close((at[1] - at[0]) / (at[2] - at[1]), 4.669, 0.2);
    assert_close((at[2] - at[1]) / (at[3] - at[2]), 4.669, 0.05);
    zw_forced *doubled = zw_forced_child(f.study, 0);
    bool seen = false;
    for (int i = 0; i < zw_forced_motions(doubled) && !seen; i++) {
        const zw_forced_motion *m = zw_forced_motion_at(doubled, i);
        if (m->curve < 0 || m->value < at[0] + 0.005 || m->value > at[1] - 0.002)
            continue;
        zw_table *rows;
        double gap;
        assert_int_equal(m->verdict, ZW_FLOQUET_STABLE);
        assert_int_equal(zw_forced_motion_table(doubled, i, 64, NULL, &rows, &gap, &f.err), ZW_OK);
        int x = zw_table_find(rows, "x");
        assert_true(gap < 1e-5);
        assert_close(zw_table_at(rows, 64, 0), 2 * 2 * M_PI / 1.2, 1e-9);
        assert_true(fabs(zw_table_at(rows, 32, x) - zw_table_at(rows, 0, x)) > 0.01);
        zw_table_destroy(rows);
        seen = true;
    }
    assert_true(seen);
    zw_table *t;
    assert_int_equal(zw_forced_table(f.study, NULL, &t, &f.err), ZW_OK);
    double highest = 0;
    for (long i = 0; i < zw_table_rows(t); i++)
        highest = fmax(highest, zw_table_at(t, i, zw_table_find(t, "order")));
    assert_close(highest, 8, 0);
    zw_table_destroy(t);
    close_study();
}

/* one motion out of a curve, and all of its coefficients: the first harmonic is what first and
 * phase say, and the sum at t = 0 where the run begins */
static void test_curves__picks_and_coefficients(void **state) {
    (void)state;
    static const struct {
        const char *which;
        double value, rms;
    } known[] = {{"fold", 3.527235199, 3.99648}, {"fold 2", 3.345971748, 1.72663}, {"3.4", 3.4, 0}};
    zw_model_options model = {.size = sizeof model, .variant = "set_2"};
    zw_forced_options o = zw_forced_options_default();
    o.over = "Omega=3:4";
    o.coefficients = true;
    f = (forced){.ctx = zw_context_create(NULL)};
    if (zw_model_read(&f.sys, f.ctx, MODEL("duffing"), &model, &f.err) < 0 ||
        zw_forced_create(&f.study, f.sys, &o, &f.err) < 0 ||
        zw_forced_curves(f.study, 0, 0, &f.err) < 0)
        fail_msg("%s", f.err.text);
    for (int i = 0; i < 3; i++) {
        zw_forced *study;
        int n;
        if (zw_forced_pick(f.study, known[i].which, &study, &n, &f.err) < 0)
            fail_msg("%s", f.err.text);
        const zw_forced_motion *m = zw_forced_motion_at(study, n);
        assert_close(m->value, known[i].value, 1e-8);
        if (i < 2)
            assert_close(m->measure[0].rms, known[i].rms, 1e-5);
    }
    zw_forced *study;
    int second, third;
    assert_int_equal(zw_forced_pick(f.study, "3.4 2", &study, &second, &f.err), ZW_OK);
    assert_int_equal(zw_forced_motion_at(study, second)->verdict, ZW_FLOQUET_UNSTABLE);
    assert_int_equal(zw_forced_pick(f.study, "3.4 3", &study, &third, &f.err), ZW_OK);
    assert_int_equal(zw_forced_motion_at(study, third)->verdict, ZW_FLOQUET_STABLE);
    assert_int_equal(zw_forced_pick(f.study, "3.4 4", &study, &third, &f.err), ZW_E_OPTION);
    assert_int_equal(zw_forced_pick(f.study, "branch", &study, &third, NULL), ZW_E_OPTION);
    static const char *const wrong[] = {"3.4 [N]", "3.4 0",  "3.4 banana",
                                        "fold -1", "fold x", "3.4 2 3"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(zw_forced_pick(f.study, wrong[i], &study, &third, NULL), ZW_E_OPTION);
    assert_int_equal(zw_forced_pick(f.study, "3.4 [rad/s] 2", &study, &third, &f.err), ZW_OK);
    assert_int_equal(zw_forced_motion_at(study, third)->verdict, ZW_FLOQUET_UNSTABLE);
    zw_table *t;
    assert_int_equal(zw_forced_table(f.study, NULL, &t, &f.err), ZW_OK);
    int c = zw_table_find(t, "cos1(x)"), s = zw_table_find(t, "sin1(x)");
    assert_true(c > 0 && s == c + 1 && zw_table_find(t, "sin7(x)") > 0);
    for (long i = 0; i < zw_table_rows(t); i++) {
        double first = zw_table_at(t, i, zw_table_find(t, "first(x)")),
               phase = zw_table_at(t, i, zw_table_find(t, "phase(x)"));
        assert_close(zw_table_at(t, i, c), first * cos(phase), 1e-9);
        assert_close(zw_table_at(t, i, s), -first * sin(phase), 1e-9);
    }
    zw_table_destroy(t);
    close_study();
}

/* a motion of three periods is one, whichever of them it begins with */
static void test_curves__subharmonics_are_told_once(void **state) {
    (void)state;
    zw_forced_options o = zw_forced_options_default();
    int found, longer = 0;
    o.order = 3;
    const char *text = "model d\nunits none\nparam F = 5, W = 6\ncoord x\nkinetic 1/2*x'^2\n"
                       "potential 1/2*x^2 + 1/4*x^4\ndissipation 0.01*x'^2\n"
                       "force drive (x) = F*cos(W*t)\n";
    f = (forced){.ctx = zw_context_create(NULL)};
    if (zw_model_parse(&f.sys, f.ctx, text, strlen(text), "test", NULL, &f.err) < 0 ||
        zw_forced_create(&f.study, f.sys, &o, &f.err) < 0 ||
        zw_forced_search(f.study, NAN, 60, &found, &f.err) < 0)
        fail_msg("%s", f.err.text);
    for (int i = 0; i < zw_forced_motions(f.study); i++) {
        const zw_forced_motion *m = zw_forced_motion_at(f.study, i);
        longer += m->measure[0].first > 1e-6 && m->verdict == ZW_FLOQUET_STABLE;
    }
    /* of period 3 there is a stable and an unstable one, born together at a fold */
    assert_int_equal(longer, 1);
    close_study();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curves__marches_differ_between_the_folds),
        cmocka_unit_test(test_curves__several_values),
        cmocka_unit_test(test_curves__symmetry_breaks),
        cmocka_unit_test(test_curves__periods_double),
        cmocka_unit_test(test_curves__picks_and_coefficients),
        cmocka_unit_test(test_curves__subharmonics_are_told_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
