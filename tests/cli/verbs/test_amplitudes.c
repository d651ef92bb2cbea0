/* SPDX-License-Identifier: MIT */
/* Equations of slowly varying amplitudes as formulas: Duffing's of every textbook, those of a
 * printed paper; folds of the curves of their stationary points, rates against those of the motion
 * itself, envelopes of runs, refusals. */
#include "expr/calculus/ratio.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

static zw_context *ctx;
static zw_system *sys;
static zw_error err;

static void open_model(const char *text, const char *set) {
    zw_model_options model = {.size = sizeof model, .nset = set ? 1 : 0, .set = &set};
    ctx = zw_context_create(NULL);
    err = (zw_error){0};
    zw_status status = text[0] == '/'
                           ? zw_model_read(&sys, ctx, text, &model, &err)
                           : zw_model_parse(&sys, ctx, text, strlen(text), "test", &model, &err);
    if (status < 0)
        fail_msg("%s", err.text);
}

static zw_amplitudes *formulas(int terms, bool pol) {
    zw_amplitudes_options o = zw_amplitudes_options_default();
    zw_amplitudes *a;
    o.terms = terms;
    o.van_der_pol = pol;
    if (zw_amplitudes_create(&a, sys, &o, &err) < 0)
        fail_msg("%s", err.text);
    return a;
}

/* an expression of the model's names, by its text: out of an observable of a model that is nothing
 * else */
static zw_expr s(const char *name) {
    return zw_symbol(ctx, name);
}

static zw_expr times(zw_expr a, zw_expr b) {
    return zw_mul(ctx, a, b);
}

static zw_expr plus(zw_expr a, zw_expr b) {
    return zw_add(ctx, a, b);
}

static zw_expr minus(zw_expr a, zw_expr b) {
    return zw_sub(ctx, a, b);
}

static zw_expr number(int p, int q) {
    return zw_rational(ctx, p, q);
}

static zw_expr square(zw_expr a) {
    return zw_mul(ctx, a, a);
}

static void assert_same(zw_expr a, zw_expr b) {
    if (!zw_ratio_is_zero(ctx, minus(a, b)))
        fail_msg("%s\nis not\n%s", zw_print(ctx, a, ZW_TEXT), zw_print(ctx, b, ZW_TEXT));
}

/* ---- Duffing ---- */

static void test_amplitudes__duffing_of_textbooks(void **state) {
    (void)state;
    open_model(MODEL("duffing"), NULL);
    zw_amplitudes *a = formulas(2, false);
    const zw_amplitudes_result *r = zw_amplitudes_get(a);
    assert_int_equal(r->n, 2);
    assert_false(r->means);
    zw_expr c = s("x_c"), d = s("x_s"), W = s("Omega"), A2 = plus(square(c), square(d)),
            cubic = times(number(3, 4), times(s("k_nl"), A2)),
            stiff = plus(minus(s("k"), times(s("m"), square(W))), cubic), loss = times(s("c"), W);
    assert_same(r->F[0], minus(plus(times(stiff, c), times(loss, d)), s("F")));
    assert_same(r->F[1], minus(times(stiff, d), times(loss, c)));
    zw_expr inert = times(ZW_TWO, times(s("m"), W));
    assert_same(r->M[0], s("c"));
    assert_same(r->M[1], inert);
    assert_same(r->M[2], zw_neg(ctx, inert));
    assert_same(r->M[3], s("c"));
    assert_true(r->error < 1e-12);
    zw_amplitudes_destroy(a);
    /* x = A cos(Omega t - phi): without damping in M, 2 m Omega A' = F sin(phi) - c Omega A and 2 m
     * Omega A phi' = F cos(phi) - (k - m Omega^2 + 3/4 k_nl A^2) A (A. H. Nayfeh, D. T. Mook,
     * Nonlinear Oscillations, 1979, ch. 4) */
    a = formulas(2, true);
    r = zw_amplitudes_get(a);
    double A = 1.3, phi = 0.7, value[16];
    zw_expr symbol[16];
    int n = sys->np;
    assert_int_equal(zw_system_param_values(sys, value, &err), ZW_OK);
    for (int i = 0; i < n; i++)
        symbol[i] = sys->param[i].sym;
    symbol[n] = c;
    symbol[n + 1] = d;
    value[n] = A * cos(phi);
    value[n + 1] = A * sin(phi);
    double F[2], w = 1.4, m = 1, k = 1, k_nl = 1, damping = 0.4, force = 2;
    zw_eval_all(ctx, 2, r->F, n + 2, symbol, value, F);
    double c_rate = F[1] / (m * w) / 2, s_rate = -F[0] / (m * w) / 2; /* half of those printed */
    assert_close(2 * m * w * (c_rate * cos(phi) + s_rate * sin(phi)),
                 force * sin(phi) - damping * w * A, 1e-13);
    assert_close(2 * m * w * (s_rate * cos(phi) - c_rate * sin(phi)),
                 force * cos(phi) - (k - m * w * w + 0.75 * k_nl * A * A) * A, 1e-13);
    zw_amplitudes_destroy(a);
    zw_context_destroy(ctx);
}

/* ---- (49)-(52) of J. Naprstek, C. Fischer, Appell-Gibbs approach in dynamics of non-holonomic
 * systems (2018) ---- */

/* the printed M (50) and F (51), of (alpha, beta, gamma, delta) = (phi_s, phi_c, u_s/q, u_c/q) */
static void print_50(zw_expr M[16]) {
    zw_expr al = s("phi_s"), be = s("phi_c"), w = s("omega"), ka = s("kappa"),
            mu = zw_div(ctx, s("m"), s("M")),
            A_a = minus(plus(times(number(3, 1), square(al)), square(be)), number(8, 1)),
            A_b = minus(plus(square(al), times(number(3, 1), square(be))), number(8, 1)),
            ab = times(number(1, 4), times(times(al, be), w)), mass = times(plus(mu, ZW_ONE), w),
            a8 = times(number(1, 8), times(w, A_a)), b8 = times(number(1, 8), times(w, A_b));
    const zw_expr printed[16] = {ZW_ZERO,
                                 zw_neg(ctx, w),
                                 zw_neg(ctx, times(ka, ab)),
                                 times(ka, a8),
                                 w,
                                 ZW_ZERO,
                                 zw_neg(ctx, times(ka, b8)),
                                 times(ka, ab),
                                 zw_neg(ctx, times(mu, b8)),
                                 times(mu, ab),
                                 mass,
                                 ZW_ZERO,
                                 zw_neg(ctx, times(mu, ab)),
                                 times(mu, a8),
                                 ZW_ZERO,
                                 zw_neg(ctx, mass)};
    memcpy(M, printed, sizeof printed);
}

static void print_51(zw_expr F[4]) {
    zw_expr al = s("phi_s"), be = s("phi_c"), ga = zw_div(ctx, s("u_s"), s("q")),
            de = zw_div(ctx, s("u_c"), s("q")), w = s("omega"), w2 = square(w), ka = s("kappa"),
            mu = zw_div(ctx, s("m"), s("M")),
            A_0 = minus(plus(square(al), square(be)), number(8, 1)),
            wm2 = zw_div(ctx, s("g"), s("q")), wM2 = zw_div(ctx, s("C"), s("M")),
            ab = times(al, be), loss = times(times(ka, w), s("b_phi")),
            six = times(number(6, 1), times(A_0, ka)), twelve = times(number(12, 1), w2),
            long_term = times(w2, times(times(A_0, plus(A_0, number(22, 1))), mu)),
            heavy = times(number(3, 1), plus(mu, ZW_ONE)), four_mu = times(number(4, 1), mu),
            sixteen = times(number(16, 1), w2), all = number(48, 1);
    F[0] =
        plus(times(six, minus(times(times(number(3, 1), ga), w2), times(al, wm2))),
             times(twelve,
                   minus(times(ka, plus(times(ab, de), times(minus(number(8, 1), square(be)), ga))),
                         times(number(4, 1), al))));
    F[0] = minus(F[0], times(all, times(be, loss)));
    F[1] =
        plus(times(six, minus(times(de, w2), times(be, wm2))),
             times(twelve,
                   times(minus(times(ka, plus(times(al, ga), times(be, de))), number(4, 1)), be)));
    F[1] = plus(F[1], times(all, times(al, loss)));
    F[2] = minus(times(long_term, be), times(sixteen, minus(times(heavy, de), times(four_mu, be))));
    F[2] = plus(F[2], times(all, plus(times(times(ga, w), s("b_u")), times(de, wM2))));
    F[3] = minus(times(long_term, al), times(sixteen, minus(times(heavy, ga), times(four_mu, al))));
    F[3] = minus(F[3],
                 times(all, plus(minus(times(times(de, w), s("b_u")), times(ga, wM2)), s("p_0"))));
    for (int i = 0; i < 4; i++)
        F[i] = times(number(1, 48), F[i]);
}

/* M Z' + F = 0 with the printed M and F: (49) says M Z' = F. With the printed sign rest, which
 * damping makes stable, would be unstable. */
static void test_amplitudes__absorber_as_printed_but_for_a_sign(void **state) {
    (void)state;
    open_model(MODEL("absorber_planar"), NULL);
    zw_amplitudes *a = formulas(2, true);
    const zw_amplitudes_result *r = zw_amplitudes_get(a);
    zw_expr M[16], F[4], rows[4], scale[4], q = s("q");
    const char *const names[] = {"u_c", "u_s", "phi_c", "phi_s"};
    assert_int_equal(r->n, 4);
    for (int i = 0; i < 4; i++)
        assert_string_equal(zw_expr_name(ctx, r->Z[i]), names[i]);
    /* printed rows: sin and cos of (46a), cos and sin of (46b); (46a) is that of phi times kappa/(m
     * q^2), (46b) that of u over M q */
    const int row[] = {3, 2, 0, 1}, column[] = {3, 2, 1, 0};
    scale[0] = scale[1] = zw_div(ctx, s("kappa"), times(s("m"), square(q)));
    scale[2] = scale[3] = zw_div(ctx, ZW_ONE, times(s("M"), q));
    print_50(M);
    print_51(F);
    for (int i = 0; i < 4; i++) {
        rows[i] = times(scale[i], r->F[row[i]]);
        assert_same(rows[i], F[i]);
        assert_false(zw_ratio_is_zero(ctx, plus(rows[i], F[i])));
        for (int j = 0; j < 4; j++) {
            zw_expr entry = times(scale[i], r->M[row[i] * 4 + column[j]]);
            assert_same(j < 2 ? entry : times(entry, q), M[i * 4 + j]);
        }
    }
    zw_amplitudes_destroy(a);
    /* first derivatives kept in velocities, too: other rates, the same stationary points */
    a = formulas(2, false);
    for (int i = 0; i < 4; i++)
        assert_same(times(scale[i], zw_amplitudes_get(a)->F[row[i]]), F[i]);
    assert_false(zw_ratio_is_zero(ctx, zw_amplitudes_get(a)->M[0]));
    zw_amplitudes_destroy(a);
    zw_context_destroy(ctx);
}

static void test_amplitudes__printed_sign_reverses_stability(void **state) {
    (void)state;
    zw_forced_options o = zw_forced_options_default();
    zw_forced *f;
    open_model(MODEL("absorber_planar"), "p_0=0.01 [1/s^2]");
    o.harmonics = 1;
    o.odd = o.slow = o.van_der_pol = true;
    o.taylor = 2;
    if (zw_forced_create(&f, sys, &o, &err) < 0 || zw_forced_find(f, NAN, NULL, &err) < 0)
        fail_msg("%s", err.text);
    const zw_forced_motion *m = zw_forced_motion_at(f, 0);
    assert_int_equal(m->nslow, 4);
    for (int i = 0; i < 4; i++)
        assert_true(m->slow_re[i] < 0); /* with the sign of (49) all would be positive */
    assert_int_equal(m->verdict, ZW_FLOQUET_STABLE);
    assert_true(m->floquet < 1);
    zw_forced_destroy(f);
    zw_context_destroy(ctx);
}

/* ---- curves ---- */

/* single harmonic of (51): omega, R, S at its folds, by another program: Newton's method for F = 0,
 * det F_Z = 0 of the printed F */
static void test_amplitudes__folds_of_the_absorber(void **state) {
    (void)state;
    static const struct {
        const char *set;
        int n;
        double fold[4][3];
    } known[] = {{"p_0=0.5 [1/s^2]",
                  4,
                  {{2.7466108822, .89618664, .31967706},
                   {2.6895894400, 1.38426780, .26707835},
                   {3.8485765973, .59065494, .34547642},
                   {3.8426993427, .73043051, .48137265}}},
                 {"p_0=2.5 [1/s^2]",
                  2,
                  {{2.6236780194, 1.27581183, .65386078}, {1.9918460716, 2.18061456, .27216740}}}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        zw_forced_options o = zw_forced_options_default();
        zw_forced *f;
        int found = 0, tori = 0;
        open_model(MODEL("absorber_planar"), known[k].set);
        o.over = "omega=1.9:4.2";
        o.harmonics = 1;
        o.odd = o.slow = o.van_der_pol = true;
        o.taylor = 2;
        if (zw_forced_create(&f, sys, &o, &err) < 0 || zw_forced_curves(f, 0, 0, &err) < 0)
            fail_msg("%s", err.text);
        assert_int_equal(zw_forced_curve_count(f), 1);
        for (int i = 0; i < zw_forced_motions(f); i++) {
            const zw_forced_motion *m = zw_forced_motion_at(f, i);
            tori += m->event == ZW_BIFURCATION_TORUS;
            if (m->event != ZW_BIFURCATION_FOLD)
                continue;
            assert_true(found < known[k].n);
            assert_close(m->value, known[k].fold[found][0], 1e-9);
            assert_close(m->measure[1].first, known[k].fold[found][1], 1e-6);
            assert_close(m->measure[2].first, known[k].fold[found][2], 1e-6);
            found++;
        }
        assert_int_equal(found, known[k].n);
        assert_int_equal(tori, k == 1 ? 2 : 0); /* pairs that the determinant does not see */
        zw_forced_destroy(f);
        zw_context_destroy(ctx);
    }
}

/* a weakly driven, weakly damped oscillator: rates of its amplitudes are those of the motion
 * itself */
static void test_amplitudes__rates_against_floquet(void **state) {
    (void)state;
    zw_forced_options o = zw_forced_options_default();
    zw_forced *f;
    open_model("model weak\nparam m = 1 [kg], c = 0.01 [N*s/m], k = 1 [N/m], n = 0.02 [N/m^3], F = "
               "0.02 [N], W = 1.01 [rad/s]\ncoord x [m]\nparticle P : m at (x, 0)\npotential "
               "1/2*k*x^2 + 1/4*n*x^4\ndissipation 1/2*c*x'^2\nforce drive (x) = F*cos(W*t)\n",
               NULL);
    o.harmonics = 5;
    o.odd = o.slow = true;
    if (zw_forced_create(&f, sys, &o, &err) < 0 || zw_forced_find(f, NAN, NULL, &err) < 0)
        fail_msg("%s", err.text);
    const zw_forced_motion *m = zw_forced_motion_at(f, 0);
    assert_int_equal(m->nslow, 6);
    /* the pair of the first harmonic is slow, |s|/w = 0.014; second derivatives that are left out
     * change s by s^2/2w, and exp(s P) by pi |s|^2/w^2 */
    double nearest = INFINITY, estimate = 0;
    for (int i = 0; i < m->nslow; i++) {
        double size = hypot(m->slow_re[i], m->slow_im[i]);
        if (size > 0.1)
            continue;
        nearest = fmin(nearest, fabs(exp(m->slow_re[i] * 2 * M_PI / m->w) - m->floquet));
        estimate = M_PI * size * size / (m->w * m->w);
    }
    assert_true(nearest < 1.5 * estimate);
    zw_forced_destroy(f);
    zw_context_destroy(ctx);
}

/* ---- runs ---- */

/* a beating envelope: amplitudes in time against peaks of the motion itself */
static void test_amplitudes__envelope_of_a_run(void **state) {
    (void)state;
    zw_forced_options o = zw_forced_options_default();
    zw_sim_options run = zw_sim_options_default();
    zw_forced *f;
    zw_table *slow;
    zw_sim *sim;
    open_model("model beat\nparam m = 1 [kg], c = 0.02 [N*s/m], k = 1 [N/m], n = 0.05 [N/m^3], F = "
               "0.05 [N], W = 0.95 [rad/s]\ncoord x [m]\nparticle P : m at (x, 0)\npotential "
               "1/2*k*x^2 + 1/4*n*x^4\ndissipation 1/2*c*x'^2\nforce drive (x) = F*cos(W*t)\nstart "
               "x = 0, x' = 0\n",
               NULL);
    o.harmonics = 1;
    o.odd = o.slow = true;
    if (zw_forced_create(&f, sys, &o, &err) < 0 ||
        zw_forced_slow_run(f, 200, 0.5, NULL, &slow, &err) < 0)
        fail_msg("%s", err.text);
    run.until = 200;
    run.step_out = 0.5;
    if (zw_sim_create(&sim, sys, NULL, &run, &err) < 0 || zw_sim_run(sim, &err) < 0)
        fail_msg("%s", err.text);
    const zw_table *rows = zw_sim_rows(sim);
    int x = zw_table_find(rows, "x"), v = zw_table_find(rows, "x'"),
        first = zw_table_find(slow, "first(x)");
    assert_int_equal(zw_table_rows(rows), zw_table_rows(slow));
    double most = 0, apart = 0, W = 0.95;
    for (long i = 0; i < zw_table_rows(rows); i++) {
        double A = hypot(zw_table_at(rows, i, x), zw_table_at(rows, i, v) / W),
               Z = zw_table_at(slow, i, first);
        most = fmax(most, A);
        apart = fmax(apart, fabs(A - Z));
    }
    /* hypot(x, x'/W) wavers by the detuning, |w_0/W - 1| = 0.06 and less, about the amplitude */
    assert_true(most > 0.5);
    if (!(apart < 0.08 * most))
        fail_msg("the envelope is %.3g apart from %.3g", apart, most);
    zw_sim_destroy(sim);
    zw_table_destroy(slow);
    zw_forced_destroy(f);
    zw_context_destroy(ctx);
}

/* ---- means, refusals ---- */

static void test_amplitudes__means_where_they_are_driven(void **state) {
    (void)state;
    open_model("model odd\nparam m = 1 [kg], c = 0.1 [N*s/m], k = 1 [N/m], b = 0.3 [N/m^2], F = 1 "
               "[N], W = 1.3 [rad/s]\ncoord x [m]\nparticle P : m at (x, 0)\npotential 1/2*k*x^2 + "
               "1/3*b*x^3\ndissipation 1/2*c*x'^2\nforce drive (x) = F*cos(W*t)\n",
               NULL);
    zw_amplitudes *a = formulas(2, false);
    const zw_amplitudes_result *r = zw_amplitudes_get(a);
    assert_int_equal(r->n, 3);
    assert_true(r->means);
    zw_expr m = s("x_0"), c = s("x_c"), d = s("x_s");
    /* k x_0 + b (x_0^2 + (x_c^2 + x_s^2)/2) */
    assert_same(r->F[0],
                plus(times(s("k"), m),
                     times(s("b"), plus(square(m), times(ZW_HALF, plus(square(c), square(d)))))));
    assert_same(r->M[0], s("c"));
    zw_amplitudes_destroy(a);
    zw_amplitudes_options o = zw_amplitudes_options_default();
    o.van_der_pol = true;
    assert_int_equal(zw_amplitudes_create(&a, sys, &o, &err), ZW_E_MODEL);
    o.odd = true;
    assert_int_equal(zw_amplitudes_create(&a, sys, &o, NULL), ZW_OK);
    assert_true(zw_amplitudes_get(a)->forced_out);
    zw_amplitudes_destroy(a);
    zw_context_destroy(ctx);
}

static void test_amplitudes__refuses(void **state) {
    (void)state;
    static const struct {
        const char *model, *word;
    } wrong[] = {{MODEL("pendulum_cartesian"), "without constraints"},
                 {MODEL("double_pendulum"), "no periodic excitation"},
                 {MODEL("piecewise_linear"), "has no series of a few terms"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        zw_amplitudes *a;
        open_model(wrong[i].model, NULL);
        assert_true(zw_amplitudes_create(&a, sys, NULL, &err) < 0);
        assert_null(a);
        if (!strstr(err.text, wrong[i].word))
            fail_msg("%s", err.text);
        zw_context_destroy(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_amplitudes__duffing_of_textbooks),
        cmocka_unit_test(test_amplitudes__absorber_as_printed_but_for_a_sign),
        cmocka_unit_test(test_amplitudes__printed_sign_reverses_stability),
        cmocka_unit_test(test_amplitudes__folds_of_the_absorber),
        cmocka_unit_test(test_amplitudes__rates_against_floquet),
        cmocka_unit_test(test_amplitudes__envelope_of_a_run),
        cmocka_unit_test(test_amplitudes__means_where_they_are_driven),
        cmocka_unit_test(test_amplitudes__refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
