/* SPDX-License-Identifier: MIT */
/* Minima of the Gaussian from text to table: names of coefficients, starts, bounds and their
 * forces, surfaces, minima along a parameter, ends without convergence, mistakes. */
#include <math.h>

#include "support/failing_allocator.h"
#include "support/forced_report.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

typedef struct gauss {
    zw_context *ctx;
    zw_system *sys;
    zw_forced *f;
    zw_forced_gauss *g;
    zw_error err;
} gauss;

static gauss t;

typedef struct setting {
    const char *model, *set, *without, *over;
    bool odd;
} setting;

static zw_status open_gauss(setting s, zw_forced_gauss_options o) {
    zw_model_options model = {.size = sizeof model,
                              .nset = s.set ? 1 : 0,
                              .set = &s.set,
                              .nwithout = s.without ? 1 : 0,
                              .without = &s.without};
    zw_forced_options forced = zw_forced_options_default();
    t = (gauss){.ctx = zw_context_create(NULL)};
    forced.odd = s.odd;
    forced.over = s.over;
    if (zw_model_read(&t.sys, t.ctx, s.model, &model, &t.err) < 0 ||
        zw_forced_create(&t.f, t.sys, &forced, &t.err) < 0)
        fail_msg("%s", t.err.text);
    return zw_forced_gauss_create(&t.g, t.f, &o, &t.err);
}

static void close_gauss(void) {
    zw_forced_gauss_destroy(t.g);
    zw_forced_destroy(t.f);
    zw_context_destroy(t.ctx);
}

static void must(zw_status status) {
    if (status < 0)
        fail_msg("%s", t.err.text);
}

static const setting duffing = {.model = MODEL("duffing"), .odd = true};
static const setting wall = {.model = MODEL("wall_oscillator"), .without = "wall"};

static void test_forced_gauss__coefficients_have_names(void **state) {
    (void)state;
    static const char *const odd[] = {"cos1(x)", "sin1(x)", "cos3(x)", "sin3(x)"};
    static const char *const all[] = {"mean(r)",     "cos1(r)",     "sin1(r)",
                                      "mean(theta)", "cos1(theta)", "sin1(theta)"};
    zw_forced_gauss_options o = zw_forced_gauss_options_default();
    const char *unit;
    o.harmonics = 3;
    must(open_gauss(duffing, o));
    assert_int_equal(zw_forced_gauss_coefficients(t.g), 4);
    for (int i = 0; i < 4; i++)
        assert_string_equal(zw_forced_gauss_coefficient(t.g, i, &unit), odd[i]);
    assert_string_equal(unit, "m");
    close_gauss();
    o.harmonics = 1;
    must(open_gauss((setting){.model = MODEL("pendulum_polar")}, o));
    assert_int_equal(zw_forced_gauss_coefficients(t.g), 6);
    for (int i = 0; i < 6; i++)
        assert_string_equal(zw_forced_gauss_coefficient(t.g, i, &unit), all[i]);
    close_gauss();
}

/* a start leads to the minimum beside it, in whatever unit it is said */
static void test_forced_gauss__starts(void **state) {
    (void)state;
    static const char *const start[] = {"cos1(x)=2 [m], sin1(x)=2 [m]",
                                        "sin1(x) = 200 [cm], cos1(x) = 2 [m]*sqrt(m/m)",
                                        "cos1(x)=2,sin1(x)=2"};
    for (int i = 0; i < 3; i++) {
        zw_forced_gauss_options o = zw_forced_gauss_options_default();
        o.nstart = 1;
        o.start = &start[i];
        must(open_gauss(duffing, o));
        must(zw_forced_gauss_find(t.g, NAN, &t.err));
        assert_int_equal(zw_forced_gauss_minima(t.g), 2);
        assert_close(zw_forced_gauss_minimum(t.g, 0)->result.value, 2.3647, 3e-5);
        assert_close(zw_forced_gauss_minimum(t.g, 1)->result.value, 4.4884, 3e-5);
        assert_int_equal(zw_forced_gauss_motions(t.g), 2);
        close_gauss();
    }
}

static double column_at(const zw_table *rows, long row, const char *name) {
    int column = zw_table_find(rows, name);
    if (column < 0)
        fail_msg("there is no column %s", name);
    return zw_table_at(rows, row, column);
}

/* under x <= d: no motion, and the table says why; of one coordinate the force of the bound is what
 * the motion needs, with the sign turned */
static void test_forced_gauss__bounds(void **state) {
    (void)state;
    const char *bound = "x <= d";
    zw_forced_gauss_options o = zw_forced_gauss_options_default();
    zw_table *rows;
    double low = INFINITY, high = -INFINITY;
    o.harmonics = 10;
    o.nbound = 1;
    o.bound = &bound;
    must(open_gauss(wall, o));
    must(zw_forced_gauss_find(t.g, NAN, &t.err));
    assert_int_equal(zw_forced_gauss_minima(t.g), 1);
    const zw_forced_minimum *m = zw_forced_gauss_minimum(t.g, 0);
    assert_true(m->bounded && m->bound.broken && m->result.converged);
    assert_int_equal(m->verdict, ZW_GAUSS_GHOST);
    assert_close(m->result.value, 4.9116, 2e-5);
    must(zw_forced_gauss_period(t.g, 0, NULL, &rows, &t.err));
    assert_string_equal(zw_table_get_note(rows, "kind"), "trial motion");
    for (long i = 0; i < zw_table_rows(rows); i++) {
        double lambda = column_at(rows, i, "lambda(1)");
        assert_close(lambda, -column_at(rows, i, "force(x)"), 1e-9);
        assert_close(column_at(rows, i, "slack(1)"), 1.0414407 - column_at(rows, i, "x"), 1e-6);
        low = fmin(low, lambda);
        high = fmax(high, lambda);
    }
    assert_close(low, -.063, 1e-3);
    assert_close(high, .962, 1e-3);
    assert_close(column_at(rows, 0, "x"), column_at(rows, zw_table_rows(rows) - 1, "x"), 1e-12);
    zw_table_destroy(rows);
    close_gauss();
}

/* a bound that is not met changes nothing: the motion is one, and judged as such */
static void test_forced_gauss__bound_that_is_not_met(void **state) {
    (void)state;
    const char *bound[] = {"x <= 30 [m]", "x >= -30 [m]"};
    zw_forced_gauss_options o = zw_forced_gauss_options_default();
    o.nbound = 2;
    o.bound = bound;
    must(open_gauss(wall, o));
    must(zw_forced_gauss_find(t.g, NAN, &t.err));
    const zw_forced_minimum *m = zw_forced_gauss_minimum(t.g, 0);
    assert_false(m->bounded);
    assert_int_equal(m->verdict, ZW_GAUSS_MOTION);
    assert_close(zw_forced_gauss_rms(t.g, 0, 0), 2 * 1.0414407 / sqrt(2), 1e-5);
    close_gauss();
}

static void test_forced_gauss__surface_is_the_value(void **state) {
    (void)state;
    enum { POINTS = 41 };
    zw_forced_gauss_options o = zw_forced_gauss_options_default();
    zw_table *rows;
    long least = 0;
    o.starts = 20;
    must(open_gauss(duffing, o));
    must(zw_forced_gauss_find(t.g, NAN, &t.err));
    must(zw_forced_gauss_surface(t.g, 0, "cos1(x)=-2:2, sin1(x) = -200 [cm] : 2", POINTS, NULL,
                                 &rows, &t.err));
    assert_int_equal(zw_table_rows(rows), POINTS * POINTS);
    for (long i = 0; i < zw_table_rows(rows); i++) {
        assert_close(column_at(rows, i, "lnG"), log(column_at(rows, i, "G")), 1e-14);
        least = column_at(rows, i, "G") < column_at(rows, least, "G") ? i : least;
    }
    /* at rest: the drive alone, F^2 pi/Omega/m */
    assert_close(column_at(rows, POINTS * POINTS / 2, "G"), 4 * M_PI / 1.4, 1e-12);
    assert_close(column_at(rows, least, "cos1(x)"), 1.2968, 0.1);
    assert_close(column_at(rows, least, "sin1(x)"), .8549, 0.1);
    assert_non_null(zw_table_get_note(rows, "minimum 1"));
    zw_table_destroy(rows);
    close_gauss();
}

/* from rest at each value ghosts lie about 1.8 rad/s, and are told as a doubt; the orbits beside
 * the others are those of shooting */
static void test_forced_gauss__along(void **state) {
    (void)state;
    zw_forced_gauss_options o = zw_forced_gauss_options_default();
    setting s = duffing;
    zw_table *rows;
    zw_warnings *doubts = zw_warnings_create(NULL);
    s.over = "Omega=0.8:3:12";
    o.fresh = true;
    must(open_gauss(s, o));
    must(zw_forced_gauss_along(t.g, NULL, &rows, &t.err));
    assert_int_equal(zw_table_rows(rows), 12);
    for (long i = 0; i < 12; i++) {
        double Omega = column_at(rows, i, "Omega"), motion = column_at(rows, i, "motion");
        assert_close(Omega, 0.8 + 0.2 * (double)i, 1e-12);
        assert_true(motion == (fabs(Omega - 1.8) > 0.01 && fabs(Omega - 1.6) > 0.01));
    }
    assert_close(column_at(rows, 0, "orbit"), .85680666, 1e-8);
    assert_close(column_at(rows, 3, "orbit"), 1.14180765, 1e-8);
    assert_close(column_at(rows, 11, "orbit"), .17581764, 1e-8);
    zw_forced_gauss_warnings(1, &t.g, doubts);
    assert_int_equal(zw_warnings_count(doubts), 1);
    zw_warnings_destroy(doubts);
    zw_table_destroy(rows);
    close_gauss();
}

/* derivatives of G and rms in Omega and F, one by --over and one by name: against those of an
 * independent program (SciPy, implicit function theorem), and against differences of the rows */
static void test_forced_gauss__sensitivities(void **state) {
    (void)state;
    const char *name = "F, k_2";
    zw_forced_gauss_options o = zw_forced_gauss_options_default();
    zw_table *rows;
    o.harmonics = 3;
    o.nsensitivity = 1;
    o.sensitivity = &name;
    must(open_gauss((setting){.model = MODEL("piecewise_linear"), .over = "Omega=1.999:2.001:3"},
                    o));
    assert_int_equal(zw_forced_gauss_sensitivities(t.g), 3);
    must(zw_forced_gauss_along(t.g, NULL, &rows, &t.err));
    assert_close(column_at(rows, 1, "G"), 0.0139741943316, 1e-11);
    assert_close(column_at(rows, 1, "rms(x)"), 0.504614726596, 1e-10);
    assert_close(column_at(rows, 1, "dG_dOmega"), -0.11516171, 2e-8);
    assert_close(column_at(rows, 1, "drms_dOmega(x)"), -0.98232234, 2e-8);
    assert_close(column_at(rows, 1, "dG_dF"), 0.037759056, 2e-9);
    assert_close(column_at(rows, 1, "drms_dF(x)"), 0.35214268, 2e-8);
    assert_close(column_at(rows, 1, "dG_dOmega"),
                 (column_at(rows, 2, "G") - column_at(rows, 0, "G")) / 2e-3, 1e-5);
    assert_close(column_at(rows, 1, "drms_dOmega(x)"),
                 (column_at(rows, 2, "rms(x)") - column_at(rows, 0, "rms(x)")) / 2e-3, 1e-5);
    zw_table_destroy(rows);
    close_gauss();
}

/* accelerations without weights: of one coordinate G is that of Gauss over the mass, so that the
 * minima are the same and dG/dF is 1/m of it; the derivative in Omega is that of differences of
 * the rows */
static void test_forced_gauss__sensitivities_without_weights(void **state) {
    (void)state;
    const char *name = "F";
    double slope[2], rms[2];
    for (int weighed = 0; weighed < 2; weighed++) {
        zw_forced_gauss_options o = zw_forced_gauss_options_default();
        zw_table *rows;
        setting s = duffing;
        s.over = "Omega=1.399:1.401:3";
        s.set = "m = 1.2 [kg]";
        o.nsensitivity = 1;
        o.sensitivity = &name;
        o.weight = weighed ? ZW_GAUSS_MASS : ZW_GAUSS_ACCELERATION;
        must(open_gauss(s, o));
        must(zw_forced_gauss_along(t.g, NULL, &rows, &t.err));
        slope[weighed] = column_at(rows, 1, "dG_dF");
        rms[weighed] = column_at(rows, 1, "drms_dF(x)");
        assert_close(column_at(rows, 1, "dG_dOmega"),
                     (column_at(rows, 2, "G") - column_at(rows, 0, "G")) / 2e-3, 1e-5);
        assert_close(column_at(rows, 1, "drms_dOmega(x)"),
                     (column_at(rows, 2, "rms(x)") - column_at(rows, 0, "rms(x)")) / 2e-3, 1e-5);
        zw_table_destroy(rows);
        close_gauss();
    }
    assert_true(fabs(slope[1]) > 1e-3);
    assert_close(1.2 * slope[0], slope[1], 1e-7);
    assert_close(rms[0], rms[1], 1e-7);
}

/* of a sum over a set of values of a second parameter, G scales with F^2 and rms with F where the
 * spring is linear: rows of all values in one table */
static void test_forced_gauss__family(void **state) {
    (void)state;
    zw_forced_values with;
    zw_forced *study[2];
    zw_forced_gauss *g[2];
    zw_table *rows;
    zw_error err = {0};
    const char *set = "k_2 = 0 [N/m]";
    zw_model_options model = {.size = sizeof model, .nset = 1, .set = &set};
    zw_forced_options o = zw_forced_options_default();
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys;
    assert_int_equal(zw_model_read(&sys, ctx, MODEL("piecewise_linear"), &model, &err), ZW_OK);
    assert_int_equal(zw_forced_values_read(&with, sys, "F=1,3", &err), ZW_OK);
    o.over = "Omega=0.5:2:4";
    o.with = &with;
    for (o.member = 0; o.member < 2; o.member++) {
        assert_int_equal(zw_forced_create(&study[o.member], sys, &o, &err), ZW_OK);
        assert_int_equal(zw_forced_gauss_create(&g[o.member], study[o.member], NULL, &err), ZW_OK);
    }
    assert_int_equal(zw_forced_gauss_along_of(2, g, NULL, &rows, &err), ZW_OK);
    assert_int_equal(zw_table_rows(rows), 8);
    assert_string_equal(zw_table_get_note(rows, "parts"), "F");
    for (long i = 0; i < 8; i++) {
        double Omega = column_at(rows, i, "Omega"), F = i < 4 ? 1 : 3;
        double rms = F / sqrt(2) / hypot(1 - Omega * Omega, 0.1 * Omega);
        assert_close(Omega, 0.5 + 0.5 * (double)(i % 4), 1e-12);
        assert_close(column_at(rows, i, "F"), F, 0);
        assert_close(column_at(rows, i, "rms(x)"), rms, 1e-9);
        assert_close(column_at(rows, i, "drms_dF(x)"), rms / F, 1e-8);
        assert_true(column_at(rows, i, "motion") == 1);
    }
    zw_table_destroy(rows);
    for (int i = 0; i < 2; i++) {
        zw_forced_gauss_destroy(g[i]);
        zw_forced_destroy(study[i]);
    }
    zw_context_destroy(ctx);
}

/* too few steps: the best point is kept, told as such, and doubted */
static void test_forced_gauss__no_end(void **state) {
    (void)state;
    zw_forced_gauss_options o = zw_forced_gauss_options_default();
    zw_warnings *doubts = zw_warnings_create(NULL);
    o.iterations = 1;
    must(open_gauss(duffing, o));
    must(zw_forced_gauss_find(t.g, NAN, &t.err));
    assert_int_equal(zw_forced_gauss_minima(t.g), 1);
    const zw_forced_minimum *m = zw_forced_gauss_minimum(t.g, 0);
    assert_false(m->result.converged);
    assert_true(m->result.value < 4 * M_PI / 1.4 && m->result.value > 4.4884);
    char *text = gauss_text(t.g);
    assert_non_null(strstr(text, "did not converge, this is the best point found"));
    free(text);
    zw_forced_gauss_warnings(1, &t.g, doubts);
    assert_int_equal(zw_warnings_count(doubts), 1);
    zw_warnings_destroy(doubts);
    close_gauss();
}

static void refused(setting s, const char *start, const char *bound, const char *surface,
                    const char *says) {
    zw_forced_gauss_options o = zw_forced_gauss_options_default();
    zw_table *rows = NULL;
    o.nstart = start ? 1 : 0;
    o.start = &start;
    o.nbound = bound ? 1 : 0;
    o.bound = &bound;
    zw_status status = open_gauss(s, o);
    if (status >= 0 && surface)
        status = zw_forced_gauss_surface(t.g, -1, surface, 11, NULL, &rows, &t.err);
    assert_true(status < 0);
    if (!strstr(t.err.text, says))
        fail_msg("says: %s", t.err.text);
    close_gauss();
}

static void test_forced_gauss__mistakes(void **state) {
    (void)state;
    refused(duffing, "cos2(x)=1", NULL, NULL, "no coefficient cos2(x)");
    refused(duffing, "cos1(x)", NULL, NULL, "what is it?");
    refused(duffing, "cos1(x)=1 [s]", NULL, NULL, "s");
    refused(duffing, "cos1(x)=1,,", NULL, NULL, "a coefficient is expected");
    refused(duffing, NULL, "x < 1", NULL, "neither an upper nor a lower bound");
    refused(duffing, NULL, "z <= 1", NULL, "no coordinate and no observable z");
    refused(duffing, NULL, "x <= 1 [kg]", NULL, "kg");
    refused(duffing, NULL, NULL, "cos1(x)=-2:2", "two coefficients");
    refused(duffing, NULL, NULL, "cos1(x)=-2:2, cos1(x)=-2:2", "two coefficients");
    refused(duffing, NULL, NULL, "cos1(x)=2:-2, sin1(x)=-2:2", "is empty");
    refused(duffing, NULL, NULL, "cos1(x)=-2:2, sin1(y)=-2:2", "no coefficient sin1(y)");
}

static void test_forced_gauss__unknown_sensitivity(void **state) {
    (void)state;
    const char *name = "k, kk";
    zw_forced_gauss_options o = zw_forced_gauss_options_default();
    o.nsensitivity = 1;
    o.sensitivity = &name;
    assert_int_equal(open_gauss(duffing, o), ZW_E_NAME);
    assert_non_null(strstr(t.err.text, "no parameter kk"));
    close_gauss();
}

/* the model and its study are there; what the minima need may not be */
static void test_forced_gauss__memory_may_run_out(void **state) {
    (void)state;
    const char *bound = "x <= d", *without = "wall";
    bool done = false;
    for (long n = 200; !done; n += 97) {
        failing_allocator fa = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&fa);
        zw_context *ctx = zw_context_create(&alloc);
        zw_model_options model = {.size = sizeof model, .nwithout = 1, .without = &without};
        zw_forced_gauss_options o = zw_forced_gauss_options_default();
        zw_system *sys;
        zw_forced *f = NULL;
        zw_forced_gauss *g = NULL;
        zw_table *rows = NULL;
        zw_status status = ctx ? zw_model_read(&sys, ctx, wall.model, &model, NULL) : ZW_E_MEMORY;
        o.nbound = 1;
        o.bound = &bound;
        if (status >= 0)
            status = zw_forced_create(&f, sys, NULL, NULL);
        if (status >= 0)
            status = zw_forced_gauss_create(&g, f, &o, NULL);
        if (status >= 0)
            status = zw_forced_gauss_find(g, NAN, NULL);
        if (status >= 0)
            status = zw_forced_gauss_period(g, 0, NULL, &rows, NULL);
        done = !fa.failed;
        assert_true(status >= 0 || (status == ZW_E_MEMORY && fa.failed));
        zw_table_destroy(rows);
        zw_forced_gauss_destroy(g);
        zw_forced_destroy(f);
        zw_context_destroy(ctx);
        assert_int_equal(fa.blocks, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forced_gauss__coefficients_have_names),
        cmocka_unit_test(test_forced_gauss__starts),
        cmocka_unit_test(test_forced_gauss__bounds),
        cmocka_unit_test(test_forced_gauss__bound_that_is_not_met),
        cmocka_unit_test(test_forced_gauss__surface_is_the_value),
        cmocka_unit_test(test_forced_gauss__along),
        cmocka_unit_test(test_forced_gauss__sensitivities),
        cmocka_unit_test(test_forced_gauss__sensitivities_without_weights),
        cmocka_unit_test(test_forced_gauss__family),
        cmocka_unit_test(test_forced_gauss__no_end),
        cmocka_unit_test(test_forced_gauss__mistakes),
        cmocka_unit_test(test_forced_gauss__unknown_sensitivity),
        cmocka_unit_test(test_forced_gauss__memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
