/* SPDX-License-Identifier: MIT */
/* How time enters: by hand for small models, and what is refused by name. */
#include "support/test.h"
#include "zwang/zwang.h"

typedef struct fixture {
    zw_context *ctx;
    zw_system *sys;
    zw_equations eq;
    zw_forcing forcing;
    double p[32];
    zw_error err;
} fixture;

/* an oscillator with these lines added */
static void open_model(fixture *f, const char *lines) {
    char text[2000];
    snprintf(text, sizeof text,
             "model any \"Any\"\nunits none\nparam Omega = 2, Omega_2 = 3, k = 3*Omega\n%s\n",
             lines);
    *f = (fixture){.ctx = zw_context_create(NULL)};
    if (zw_model_parse(&f->sys, f->ctx, text, strlen(text), "test", NULL, &f->err) < 0 ||
        zw_derive(&f->eq, f->sys, NULL, "lagrange", &f->err) < 0 ||
        zw_system_param_values(f->sys, f->p, &f->err) < 0 ||
        zw_forcing_find(&f->forcing, &f->eq, &f->err) < 0)
        fail_msg("%s", f->err.text);
}

static void open_force(fixture *f, const char *force) {
    char lines[600];
    snprintf(lines, sizeof lines, "coord x\nkinetic x'^2/2\npotential x^2/2\nforce drive (x) = %s",
             force);
    open_model(f, lines);
}

static void close_model(fixture *f) {
    zw_context_destroy(f->ctx);
}

static void expect_base(const char *force, double base) {
    fixture f;
    double found = 0;
    open_force(&f, force);
    if (zw_forcing_base(&f.forcing, f.p, &found, NULL, &f.err) < 0)
        fail_msg("%s: %s", force, f.err.text);
    assert_close(found, base, 1e-14);
    close_model(&f);
}

static void expect_refusal(const char *force, const char *text) {
    fixture f;
    double base;
    open_force(&f, force);
    assert_int_equal(zw_forcing_base(&f.forcing, f.p, &base, NULL, &f.err), ZW_E_MODEL);
    assert_string_equal(f.err.text, text);
    close_model(&f);
}

static void test_base(void **state) {
    (void)state;
    expect_base("cos(Omega*t)", 2);
    expect_base("sin(0.3 - Omega*t)*x'", 2);
    expect_base("cos(Omega*t)^2 + sin(Omega*t + x)", 2);
    expect_base("cos(Omega*t) + sin(Omega_2*t)", 1);
    expect_base("cos(k*t) + sin(Omega*t)", 2);
    expect_base("cos(2/3*Omega*t) + sin(Omega*t)", 2.0 / 3);
    expect_base("cos(Omega*t + 0.3*sin(Omega_2*t))", 1);
    expect_base("max(cos(Omega*t), 0) + sign(sin(2*Omega*t))", 2);
    expect_base("if(sin(Omega*t) > 0.2, 1, x)", 2);
    expect_base("sin(0.5*cos(Omega_2*t))", 3);
}

static void test_refusals(void **state) {
    (void)state;
    expect_refusal("-x'",
                   "the model has no periodic excitation: time does not enter the equations");
    expect_refusal("exp(-t)*cos(Omega*t)",
                   "time enters otherwise than by functions of one period: exp(-t)");
    expect_refusal("sin(x*t)", "time enters otherwise than by functions of one period: t*x");
    expect_refusal(
        "cos(Omega*t) + cos(2.3*sqrt(2)*Omega_2*t)",
        "the excitations cos(t*Omega) and cos(2.3*sqrt(2)*t*Omega_2) have no common period at "
        "these values");
}

static void test_tones(void **state) {
    (void)state;
    fixture f;
    zw_tones tones;
    zw_equations eq;
    double W[ZW_TONES_MAX], slope[ZW_TONES_MAX];
    /* a common period; a sum of two drives is none of its own; half of one divides it */
    open_force(&f, "cos(Omega*t) + sin(Omega_2*t)");
    assert_int_equal(zw_forcing_tones(&f.forcing, f.p, -1, &tones, &f.err), ZW_OK);
    assert_int_equal(tones.n, 1);
    /* but not where the parameter of one is followed */
    assert_int_equal(zw_forcing_tones(&f.forcing, f.p, 0, &tones, &f.err), ZW_OK);
    assert_int_equal(tones.n, 2);
    assert_int_equal(zw_forcing_tone_values(&f.forcing, &tones, f.p, 0, W, slope, &f.err), ZW_OK);
    assert_close(fabs(W[0] - W[1]), 1, 1e-14);
    assert_close(slope[0] + slope[1], 1, 1e-14);
    close_model(&f);
    open_force(&f, "cos(Omega*t)*sin(x - sqrt(2)*Omega*t) + cos((1 + sqrt(2))*Omega*t) + "
                   "cos(sqrt(2)/2*Omega*t + 0.1*sin(Omega*t))");
    assert_int_equal(zw_forcing_tones(&f.forcing, f.p, -1, &tones, &f.err), ZW_OK);
    assert_int_equal(tones.n, 2);
    assert_int_equal(zw_forcing_tone_values(&f.forcing, &tones, f.p, -1, W, NULL, &f.err), ZW_OK);
    for (int i = 0; i < f.forcing.n; i++) { /* every frequency is made of them */
        double w = fabs(tones.multiple[i][0] * W[0] + tones.multiple[i][1] * W[1]) / 2, away = 1;
        static const double known[] = {1, 1.4142135623730951, 2.4142135623730951,
                                       0.7071067811865476};
        for (int k = 0; k < 4; k++)
            away = fmin(away, fabs(w - known[k]));
        assert_true(away < 1e-14);
    }
    /* with phases that grow by W the force is the same */
    assert_int_equal(zw_forcing_phases(&f.forcing, &tones, &eq, &f.err), ZW_OK);
    assert_int_equal(eq.nu, 2);
    for (double t = 0; t < 10; t += 0.7) {
        zw_expr symbol[8] = {f.sys->t, f.eq.q[0], f.eq.v[0], eq.u[0], eq.u[1]};
        double value[8] = {t, 0.3, -0.2, W[0] * t, W[1] * t};
        for (int i = 0; i < f.sys->np; i++) {
            symbol[5 + i] = f.sys->param[i].sym;
            value[5 + i] = f.p[i];
        }
        assert_false(zw_depends(f.ctx, eq.h[0], f.sys->t));
        assert_close(zw_eval(f.ctx, eq.h[0], 5 + f.sys->np, symbol, value),
                     zw_eval(f.ctx, f.eq.h[0], 5 + f.sys->np, symbol, value), 1e-13);
    }
    close_model(&f);
    open_force(&f, "cos(Omega*t)*cos(sqrt(2)*t) + cos(sqrt(3)*t) + cos(sqrt(7)*t)");
    assert_int_equal(zw_forcing_tones(&f.forcing, f.p, -1, &tones, &f.err), ZW_E_MODEL);
    close_model(&f);
}

static void test_list__each_frequency_once_up_to_its_sign(void **state) {
    (void)state;
    fixture f;
    open_force(&f, "cos(Omega*t) + sin(x - Omega*t) + cos(Omega*t + 1) + sin(2*Omega*t)");
    assert_int_equal(f.forcing.n, 2);
    assert_false(f.forcing.autonomous);
    int multiple[2];
    double base;
    assert_int_equal(zw_forcing_base(&f.forcing, f.p, &base, multiple, &f.err), ZW_OK);
    assert_int_equal(multiple[0] * multiple[1], 2);
    close_model(&f);
    open_force(&f, "-x'");
    assert_true(f.forcing.autonomous);
    close_model(&f);
}

/* inputs by formula are in the equations, constraints are looked at, tables from outside are
 * named */
static void test_inputs(void **state) {
    (void)state;
    fixture f;
    double base;
    open_model(&f, "coord x\nkinetic x'^2/2\ninput p = harmonic(1, Omega)\nforce drive (x) = p");
    assert_int_equal(zw_forcing_base(&f.forcing, f.p, &base, NULL, &f.err), ZW_OK);
    assert_close(base, 2, 1e-14);
    close_model(&f);
    open_model(&f,
               "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint moved : x = y + cos(Omega_2*t)");
    assert_int_equal(zw_forcing_base(&f.forcing, f.p, &base, NULL, &f.err), ZW_OK);
    assert_close(base, 3, 1e-14);
    close_model(&f);
    open_model(&f, "coord x\nkinetic x'^2/2\ninput s = sweep(1, 1, 9, 60)\nforce drive (x) = s");
    assert_int_equal(zw_forcing_base(&f.forcing, f.p, &base, NULL, &f.err), ZW_E_MODEL);
    assert_true(f.forcing.nother > 0);
    close_model(&f);
    open_model(&f, "coord x\nkinetic x'^2/2\ninput u = signal\nforce drive (x) = u*cos(Omega*t)");
    assert_int_equal(zw_forcing_base(&f.forcing, f.p, &base, NULL, &f.err), ZW_OK);
    close_model(&f);
}

/* k = 3 Omega follows Omega; Omega_2 does not, and leaves the ratio */
static void test_slope(void **state) {
    (void)state;
    fixture f;
    double slope;
    open_force(&f, "cos(k*t)");
    assert_int_equal(zw_forcing_slope(&f.forcing, f.p, 0, &slope, &f.err), ZW_OK);
    assert_close(slope, 3, 1e-14);
    assert_int_equal(zw_forcing_slope(&f.forcing, f.p, 2, &slope, &f.err), ZW_OK);
    assert_close(slope, 1, 1e-14);
    assert_int_equal(zw_forcing_slope(&f.forcing, f.p, 1, &slope, &f.err), ZW_OK);
    assert_close(slope, 0, 0);
    close_model(&f);
    open_force(&f, "cos(-k*t) + cos(Omega*t)");
    assert_int_equal(zw_forcing_slope(&f.forcing, f.p, 0, &slope, &f.err), ZW_OK);
    assert_close(slope, 1, 1e-14);
    close_model(&f);
    open_force(&f, "cos(Omega*t) + cos(Omega_2*t)");
    assert_int_equal(zw_forcing_slope(&f.forcing, f.p, 0, &slope, &f.err), ZW_E_MODEL);
    close_model(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_base),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_tones),
        cmocka_unit_test(test_list__each_frequency_once_up_to_its_sign),
        cmocka_unit_test(test_inputs),
        cmocka_unit_test(test_slope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
