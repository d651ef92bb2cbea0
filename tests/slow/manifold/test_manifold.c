/* SPDX-License-Identifier: MIT */
/* Slow manifolds: the tippedisk's as printed, those of linear systems in closed form, canard values
 * of the literature; the expansion against the manifold by collocation and runs, orders measured;
 * the reduced flow as a model against one that was written by hand; rates of attraction;
 * refusals. */
#include "expr/calculus/ratio.h"
#include "support/failing_allocator.h"
#include "support/report.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

static zw_context *ctx;
static zw_system *sys;
static zw_manifold *m;
static const zw_manifold_result *r;
static zw_error err;
static zw_manifold_options options;
static zw_model_options reading;

static int setup(void **state) {
    (void)state;
    ctx = zw_context_create(NULL);
    err = (zw_error){0};
    m = NULL;
    options = zw_manifold_options_default();
    reading = (zw_model_options){.size = sizeof reading, .constants = true};
    return 0;
}

static int teardown(void **state) {
    (void)state;
    zw_manifold_destroy(m);
    zw_context_destroy(ctx);
    return 0;
}

static void open_model(const char *text) {
    zw_status status =
        text[0] == '/' ? zw_model_read(&sys, ctx, text, &reading, &err)
                       : zw_model_parse(&sys, ctx, text, strlen(text), "test.zw", &reading, &err);
    if (status < 0)
        fail_msg("%s", err.text);
}

static void expand(const char *text, int order) {
    open_model(text);
    options.order = order;
    if (zw_manifold_create(&m, sys, &options, &err) < 0)
        fail_msg("%s", err.text);
    r = zw_manifold_get(m);
}

static zw_expr said(const char *text) {
    zw_expr e;
    if (zw_model_expression(&e, sys, text, &err) < 0)
        fail_msg("%s: %s", text, err.text);
    return e;
}

static void assert_same(zw_expr got, zw_expr wanted) {
    if (zw_ratio_is_zero(ctx, zw_sub(ctx, got, wanted)))
        return;
    char *shown = zw_print(ctx, got, ZW_TEXT);
    print_error("got %s\n", shown);
    zw_string_free(ctx, shown);
    fail();
}

static void refused(const char *text, const char *why) {
    zw_status status;
    open_model(text);
    status = zw_manifold_create(&m, sys, &options, &err);
    assert_true(status < 0);
    if (!strstr(err.text, why))
        fail_msg("%s", err.text);
    assert_true(err.hint[0] != 0);
}

/* ---- formulas ---- */

/* (5.20), (5.23) of the thesis */
static void test_tippedisk__is_as_printed(void **state) {
    (void)state;
    static const char *const discs[] = {"linear", "linear_filled"};
    for (int i = 0; i < 2; i++) {
        reading.variant = discs[i];
        expand(MODEL("tippedisk_reduced"), 1);
        assert_true(r->closed);
        assert_int_equal(r->nx, 2);
        assert_string_equal(r->y[0].name, "beta'");
        assert_same(r->h[0], said("Omega*e*sin(beta)*cos(gamma)/(r + e*sin(gamma))"));
        assert_same(
            r->h[1],
            said("Omega^2*cos(beta)/(mu*m*g*sin(beta)*(r + e*sin(gamma))^4)*(J_1*cos(gamma)^2*(r^2 "
                 "- e*r*sin(gamma) - 2*e^2) + J_2*r*sin(gamma)*(r*sin(gamma) + e + e*cos(gamma)^2) "
                 "- m*g*(r + e*sin(gamma))^3/(Omega^2*sin(beta)))"));
        /* before (5.24): the slope, over the inertia (4.40) */
        assert_same(r->g_y[0], said("-mu*m*g*(r + e*sin(gamma))^2*sin(beta)^2/(J_1*cos(gamma)^2 + "
                                    "J_2*sin(gamma)^2 + m*(r + e*sin(gamma))^2*cos(beta)^2)"));
        zw_manifold_destroy(m);
        m = NULL;
    }
}

/* x' = a x + b y, eps y' = c x - d y: y = s x with eps s (a + b s) = c - d s */
static void test_linear__agrees_to_all_orders(void **state) {
    (void)state;
    expand("model l\nunits none\nparam eps = 0.01, a = -0.7, b = 1.3, c = 0.9, d = 1.1\n"
           "state x, y : x' = a*x + b*y, y' = (c*x - d*y)/eps\nslow-fast eps : fast y\n"
           "start x = 1, y = 0\n",
           ZW_MANIFOLD_ORDER_MOST);
    assert_true(r->linear);
    double eps = 0.01, a = -0.7, b = 1.3, c = 0.9, d = 1.1, sum = 0, power = 1;
    double q = d + eps * a, slope = 2 * c / (q + sqrt(q * q + 4 * eps * b * c));
    for (int k = 0; k <= r->norder; k++, power *= eps) {
        zw_expr one = zw_diff(ctx, r->h[k], r->x[0].sym);
        zw_expr symbols[] = {said("eps"), said("a"), said("b"), said("c"), said("d")};
        double values[] = {eps, a, b, c, d};
        assert_false(zw_depends(ctx, one, r->x[0].sym));
        sum += power * zw_eval(ctx, one, 5, symbols, values);
        if (k < 6)
            assert_true(fabs(sum - slope) > 1e-16 && fabs(sum - slope) < 5 * pow(2.5 * eps, k + 1));
    }
    assert_close(sum, slope, 1e-15);
}

/* two fast variables, coupled: the same as matrices, S(x) = s x with eps s a = A s + c + ... to
 * first order */
static void test_two_fast__are_solved_together(void **state) {
    (void)state;
    expand("model l\nunits none\nparam eps = 0.01, a = 2\n"
           "state x, y, z : x' = a*x, y' = (x - 2*y + z)/eps, z' = (y - 3*z)/eps\n"
           "slow-fast eps : fast y, z\nstart x = 1, y = 0, z = 0\n",
           2);
    assert_int_equal(r->ny, 2);
    /* y_0 = 3/5 x, z_0 = 1/5 x; A h_1 = a h_0: A = (-2 1; 1 -3), A^-1 = -(3 1; 1 2)/5 */
    assert_same(r->h[0], said("3/5*x"));
    assert_same(r->h[1], said("1/5*x"));
    assert_same(r->h[2], said("-10/25*a*x"));
    assert_same(r->h[3], said("-5/25*a*x"));
    assert_same(r->h[4], said("35/125*a^2*x"));
    assert_same(r->h[5], said("20/125*a^2*x"));
}

/* where g is not linear the parts are formulas of the point y_0 */
static void test_implicit__parts_are_formulas_of_the_point(void **state) {
    (void)state;
    expand(MODEL("van_der_pol_lienard"), 2);
    assert_false(r->closed);
    zw_expr x_0 = r->y_0[0], a = said("a"), left = zw_sub(ctx, zw_mul(ctx, x_0, x_0), ZW_ONE),
            rest = zw_sub(ctx, a, x_0);
    assert_same(r->h[1], zw_neg(ctx, zw_div(ctx, rest, zw_mul(ctx, left, left))));
    /* (1 - x^2) h_2 - x h_1^2 = (dh_1/dx) Dh_0 (a - x) - Dh_0 h_1, Dh_0 = 1/(x^2 - 1) */
    zw_expr h_1 = r->h[1], Dh = zw_div(ctx, ZW_ONE, left);
    zw_expr lhs = zw_sub(ctx, zw_neg(ctx, zw_mul(ctx, left, r->h[2])),
                         zw_mul(ctx, x_0, zw_mul(ctx, h_1, h_1))),
            rhs = zw_mul(ctx, Dh, zw_sub(ctx, zw_mul(ctx, zw_diff(ctx, h_1, x_0), rest), h_1));
    assert_same(lhs, rhs);
}

/* Klingel's wave, and how it grows */
static void test_wheelset__runs_in_waves_that_grow(void **state) {
    (void)state;
    expand(MODEL("wheelset"), 1);
    assert_int_equal(r->ny, 2);
    assert_same(r->h[0], said("V*psi"));
    assert_same(r->h[1], said("-V*c*y/(r*a)"));
    /* m y'' = -F (y' - V psi)/eps, J psi'' = -F a (a psi' + ...)/eps with the rates of the wave */
    assert_same(r->h[2], said("m*V^2*c*y/(r*a*F)"));
    assert_same(r->h[3], said("J*V^2*c*psi/(r*a^3*F)"));
}

/* two rods in line are one pendulum, whose joint bends under the moment that it carries */
static void test_stiff_pendulum__bends_as_one_rod_would(void **state) {
    (void)state;
    expand(MODEL("stiff_pendulum"), 1);
    assert_same(r->h[0], said("-k*delta/c"));
    zw_expr delta = said("delta"), u = said("u"), zero[] = {ZW_ZERO, ZW_ZERO}, both[] = {delta, u};
    zw_expr phi_2 = said("-g*(m_1*l_1 + m_2*(l_1 + l_2))*sin(phi)/(m_1*l_1^2 + m_2*(l_1 + l_2)^2)"),
            moment = zw_mul(ctx, said("m_2*l_2"),
                            zw_add(ctx, zw_mul(ctx, said("l_1 + l_2"), phi_2), said("g*sin(phi)")));
    assert_same(zw_subst(ctx, r->h[1], 2, both, zero), zw_neg(ctx, zw_div(ctx, moment, said("c"))));
}

/* the linear equations of the rolling wheel: J z^3 + b l^2 z^2 + (k l^2 + b l V) z + k l V, at V_c
 * on the axis */
static void test_towed_wheel__shimmies_at_the_speed_of_rolling(void **state) {
    (void)state;
    expand(MODEL("towed_wheel"), 0);
    assert_int_equal(r->nx, 3);
    assert_same(r->h[0], ZW_ZERO);
    zw_expr A[9], f[3], s = r->y[0].sym, z[3], at[3] = {ZW_ZERO, ZW_ZERO, ZW_ZERO};
    for (int i = 0; i < 3; i++) {
        z[i] = r->x[i].sym;
        f[i] = zw_subst(ctx, r->x[i].rate, 1, &s, &r->h[0]);
    }
    zw_jacobian(ctx, 3, f, 3, z, A);
    for (int i = 0; i < 9; i++)
        A[i] = zw_subst(ctx, A[i], 3, z, at);
    zw_expr trace = zw_add(ctx, A[0], zw_add(ctx, A[4], A[8])), minors = ZW_ZERO, det = ZW_ZERO;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        zw_expr minor = zw_sub(ctx, zw_mul(ctx, A[i * 4], A[j * 4]),
                               zw_mul(ctx, A[i * 3 + j], A[j * 3 + i])),
                other =
                    zw_sub(ctx, zw_mul(ctx, A[3 + j], A[6 + k]), zw_mul(ctx, A[3 + k], A[6 + j]));
        minors = zw_add(ctx, minors, minor);
        det = zw_add(ctx, det, zw_mul(ctx, A[i], other));
    }
    assert_same(trace, said("-b*l^2/J"));
    assert_same(minors, said("(k*l^2 + b*l*V)/J"));
    assert_same(det, said("-k*l*V/J"));
}

/* ---- the reduced flow as a model ---- */

/* Numerators and denominators of constrained equations share factors eps, and eps multiplies sums
 * with 1/eps in them: a common one cancels. The force vanishes where r beta' = e Omega
 * cos(gamma). */
static void test_common_eps__cancels(void **state) {
    (void)state;
    expand("model disc\nunits none\n"
           "param r = 1, e = 0.1, w = 0.07, m = 1.9, J_1 = 0.9, J_2 = 1, J_3 = 1.9, Omega = 1\n"
           "param mu = 0.25, eps = 0.05\ncoord beta, gamma\nlet arm = r + e*sin(gamma)\n"
           "let z_S = arm*sin(beta)\n"
           "kinetic 1/2*m*(z_S')^2 + 1/2*(J_1*(beta'*cos(gamma) + Omega*sin(beta)*sin(gamma))^2 + "
           "J_2*(beta'*sin(gamma) - Omega*sin(beta)*cos(gamma))^2 + J_3*(gamma' + "
           "Omega*cos(beta))^2)\n"
           "constraint roll : gamma'*(arm + w*sin(beta)) + Omega*arm*cos(beta) = 0\n"
           "force (beta) = -mu/eps*(beta'*r - e*Omega*cos(gamma))\n"
           "start beta = 1.5, gamma = -1.4, beta' = 0\nslow-fast eps : fast beta'\n",
           1);
    assert_same(r->h[0], said("e*Omega*cos(gamma)/r"));
}

/* y' = (eps (a + (x - y)/eps) - eps y)/eps is (x - y)/eps + a - y: h_0 = x, and h_1 = a - x - h_0'
 * x' = a - 2 x for x' = x. */
static void test_eps_in_sums__cancels(void **state) {
    (void)state;
    expand("model sums\nunits none\nparam eps = 0.01, a = 2\n"
           "state x, y : x' = x, y' = (eps*(a + (x - y)/eps) - eps*y)/eps\n"
           "slow-fast eps : fast y\nstart x = 1, y = 1\n",
           1);
    assert_same(r->h[0], said("x"));
    assert_same(r->h[1], said("a - 2*x"));
}

static zw_flow *flow_of(zw_context *c, const char *text, const char *path, zw_kernel **k,
                        zw_system **s, double **p) {
    zw_equations eq;
    zw_flow *flow;
    zw_kernel_options o = zw_kernel_options_default();
    zw_status status = path ? zw_model_read(s, c, path, NULL, &err)
                            : zw_model_parse(s, c, text, strlen(text), "reduced", NULL, &err);
    o.jit = ZW_JIT_NEVER;
    if (status < 0 || zw_derive(&eq, *s, NULL, "lagrange", &err) < 0 ||
        zw_kernel_create(k, &eq, &o, &err) < 0)
        fail_msg("%s", err.text);
    *p = zw_context_alloc(c, sizeof(double) * (size_t)((*s)->np + 1));
    if (zw_system_param_values(*s, *p, &err) < 0 || zw_flow_create(&flow, *k, *p, &err) < 0)
        fail_msg("%s", err.text);
    return flow;
}

static void test_reduced_model__is_the_one_written_by_hand(void **state) {
    (void)state;
    const char *set = "Omega=30.5 [rad/s]";
    reading.variant = "linear";
    reading.nset = 1;
    reading.set = &set;
    expand(MODEL("tippedisk_reduced"), 1);
    char *text = zw_manifold_model(m, 1, "disc.zw", &err);
    assert_non_null(text);
    assert_non_null(strstr(text, "steady plain_spin : "));
    assert_non_null(strstr(text, "observe height = "));
    zw_context *c[2] = {zw_context_create(NULL), zw_context_create(NULL)};
    zw_kernel *k[2];
    zw_system *s[2];
    double *p[2], rate[2][2], x[2];
    zw_flow *a = flow_of(c[0], text, NULL, &k[0], &s[0], &p[0]),
            *b = flow_of(c[1], NULL, MODEL("tippedisk_slow"), &k[1], &s[1], &p[1]);
    test_random random = {7};
    for (int i = 0; i < 50; i++) {
        x[0] = test_random_real(&random, 0.3, 2.8);
        x[1] = test_random_real(&random, -2, 5);
        assert_int_equal(zw_flow_rates(a, 0, x, rate[0], NULL, &err), ZW_OK);
        assert_int_equal(zw_flow_rates(b, 0, x, rate[1], NULL, &err), ZW_OK);
        assert_close(rate[0][0], rate[1][0], 1e-12);
        assert_close(rate[0][1], rate[1][1], 1e-12);
    }
    /* and what is observed has its unit */
    double height[2][8]; /* with energies */
    assert_int_equal(zw_flow_observables(a, 0, x, height[0], &err), ZW_OK);
    assert_int_equal(s[0]->nobservable, 2);
    assert_string_equal(s[0]->observable[1].unit, "mm");
    assert_int_equal(zw_flow_observables(b, 0, x, height[1], &err), ZW_OK);
    assert_close(height[0][1], height[1][0], 1e-12);
    zw_flow_destroy(a);
    zw_flow_destroy(b);
    for (int i = 0; i < 2; i++) {
        zw_kernel_destroy(k[i]);
        zw_context_destroy(c[i]);
    }
    zw_string_free(ctx, text);
}

/* ---- numbers ---- */

static zw_manifold_box box_of(int n, const zw_manifold_range *range, int points) {
    return (zw_manifold_box){sizeof(zw_manifold_box), n, range, points};
}

static void assert_orders(const zw_manifold_errors *e, const double *slope, double tolerance) {
    for (int k = 0; k <= r->norder; k++) {
        if (!(fabs(slope[k] - (k + 1)) < tolerance))
            print_error("order %d: power %g\n", k, slope[k]);
        assert_true(fabs(slope[k] - (k + 1)) < tolerance);
    }
    assert_true(e->nlevel > 0);
}

static void test_measure__errors_go_as_the_next_power(void **state) {
    (void)state;
    const zw_manifold_range y = {"y", 0, 2}, disc[] = {{"beta", 1.2, 1.95}, {"gamma", 0.5, 2.6}};
    zw_manifold_errors e;
    zw_manifold_box box = box_of(1, &y, 24);
    expand(MODEL("van_der_pol_lienard"), 3);
    if (zw_manifold_measure(m, &box, 4, 0.3, &e, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(e.residual[0] < 1e-12);
    assert_orders(&e, e.slope, 0.05);
    assert_orders(&e, e.flow_slope, 0.05);
    zw_manifold_destroy(m);
    /* two slow variables */
    const char *set = "eps=0.005 [m/s]";
    reading.variant = "linear";
    reading.nset = 1;
    reading.set = &set;
    expand(MODEL("tippedisk_reduced"), 3);
    box = box_of(2, disc, 12);
    if (zw_manifold_measure(m, &box, 3, 0, &e, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(e.residual[2] < 1e-9);
    assert_orders(&e, e.slope, 0.05);
}

/* the invariant line of a linear system is met by collocation to rounding */
static void test_collocation__has_the_closed_form(void **state) {
    (void)state;
    const zw_manifold_range x = {"x", -1, 2};
    zw_manifold_box box = box_of(1, &x, 6);
    zw_table *t;
    zw_manifold_trust trust;
    expand("model l\nunits none\nparam eps = 0.2\nstate x, y : x' = -x + y, y' = (x - 2*y)/eps\n"
           "slow-fast eps : fast y\nstart x = 1, y = 0\n",
           1);
    if (zw_manifold_surface(m, &box, NULL, &trust, &t, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(trust.solved && trust.change < 1e-9);
    double q = 2 - 0.2, slope = 2 / (q + sqrt(q * q + 0.8));
    for (long k = 0; k < zw_table_rows(t); k++)
        assert_close(zw_table_at(t, k, 1), slope * zw_table_at(t, k, 0), 1e-13);
    zw_table_destroy(t);
}

/* y' = (y_0(x) - y)/eps along x' = 1 has the smooth solution y and y + c exp(-x/eps) beside it.
 * Where eps is small against the box these are no polynomials; where it is as large as the box
 * they are, and the one that is found is a matter of the points. */
static void test_collocation__knows_when_there_are_others(void **state) {
    (void)state;
    const zw_manifold_range x = {"x", -1, 1};
    for (int k = 0; k < 2; k++) {
        zw_manifold_box box = box_of(1, &x, 14);
        zw_manifold_trust trust;
        zw_table *t;
        const char *set = k ? "eps=0.2" : "eps=0.01";
        reading.nset = 1;
        reading.set = &set;
        expand("model l\nunits none\nparam eps = 0.2\nstate x, y : x' = 1, y' = "
               "(1/(2 + x) - y)/eps\nslow-fast eps : fast y\nstart x = 0, y = 1\n",
               1);
        if (zw_manifold_surface(m, &box, NULL, &trust, &t, &err) < 0)
            fail_msg("%s", err.text);
        assert_true(trust.solved);
        assert_true(k ? trust.change > ZW_MANIFOLD_CHANGE : trust.change < 1e-5);
        zw_table_destroy(t);
    }
}

/* a run that has long been attracted lies on the manifold by collocation */
static void test_collocation__is_where_runs_go(void **state) {
    (void)state;
    const zw_manifold_range y = {"y", 0, 3};
    zw_manifold_box box = box_of(1, &y, 24);
    zw_manifold_approach a;
    zw_table *t, *run;
    zw_manifold_trust trust;
    const char *set = "y=2.5";
    reading.nset = 1;
    reading.set = &set;
    expand(MODEL("van_der_pol_lienard"), 3);
    if (zw_manifold_surface(m, &box, NULL, &trust, &t, &err) < 0 ||
        zw_manifold_follow(m, 3, 1, 0.01, NULL, &a, &run, &err) < 0)
        fail_msg("%s", err.text);
    long last = zw_table_rows(run) - 1, k = 0;
    double at = zw_table_at(run, last, zw_table_find(run, "y")),
           x = zw_table_at(run, last, zw_table_find(run, "x"));
    while (zw_table_at(t, k + 1, 0) < at)
        k++;
    /* cubic interpolation of a fine grid */
    double sum = 0;
    for (long i = k - 1; i <= k + 2; i++) {
        double part = 1;
        for (long j = k - 1; j <= k + 2; j++)
            if (j != i)
                part *= (at - zw_table_at(t, j, 0)) / (zw_table_at(t, i, 0) - zw_table_at(t, j, 0));
        sum += part * zw_table_at(t, i, 1);
    }
    assert_close(x, sum, 1e-7);
    zw_table_destroy(t);
    zw_table_destroy(run);
}

/* (5.35): rolling keeps the height of the centre of gravity; the first correction does not */
static void test_portrait__rolling_keeps_the_height(void **state) {
    (void)state;
    const zw_manifold_range disc[] = {{"beta", 0.9, 2.2}, {"gamma", -1.6, 4.7}};
    zw_manifold_box box = box_of(2, disc, 0);
    double e = 2.5e-3, r_ = 45e-3;
    reading.variant = "linear";
    expand(MODEL("tippedisk_reduced"), 1);
    for (int order = 0; order < 2; order++) {
        zw_table *t;
        double height = NAN, drift = 0;
        int motions = 0;
        if (zw_manifold_portrait(m, order, &box, 3, 0.3, NULL, &t, &err) < 0)
            fail_msg("%s", err.text);
        for (long k = 0; k < zw_table_rows(t); k++) {
            double now = (r_ + e * sin(zw_table_at(t, k, 1))) * sin(zw_table_at(t, k, 0));
            if (isnan(height) && !isnan(now))
                motions++;
            drift = isnan(height) || isnan(now) ? drift : fmax(drift, fabs(now - height));
            height = isnan(now) ? NAN : isnan(height) ? now : height;
        }
        assert_int_equal(motions, 9);
        assert_true(order ? drift > 1e-4 : drift < 1e-9);
        assert_string_equal(zw_table_get_note(t, "drawn"), "orbits");
        zw_table_destroy(t);
    }
}

/* item 18 of the list: 103.30 and 129.04 1/s, by 5 % */
static void test_follow__rates_of_the_tippedisk(void **state) {
    (void)state;
    static const char *const start[2][3] = {
        {"beta'=2 [rad/s]", "gamma=-90 [deg]", "Omega=30 [rad/s]"},
        {"beta'=0.5 [rad/s]", "gamma=90 [deg]", "Omega=30 [rad/s]"}};
    static const double rate[] = {103.30, 129.04};
    reading.variant = "linear";
    reading.nset = 3;
    for (int i = 0; i < 2; i++) {
        zw_manifold_approach a;
        reading.set = start[i];
        expand(MODEL("tippedisk_reduced"), 1);
        if (zw_manifold_follow(m, 1, 0.1, 0, NULL, &a, NULL, &err) < 0)
            fail_msg("%s", err.text);
        assert_true(fabs(a.rate / rate[i] - 1) < 0.05);
        assert_true(fabs(a.predicted / rate[i] - 1) < 0.01);
        assert_true(a.until < 0.1);
        zw_manifold_summary found = {.has_run = true, .approach = a};
        zw_report *described = report_begin("m");
        zw_manifold_report(m, &found, described);
        assert_true(zw_report_get_number(described, "run.distance_start") == a.start);
        assert_true(zw_report_get_number(described, "run.decay_rate") == a.rate);
        zw_report_destroy(described);
        /* a run that is too short tells none */
        if (zw_manifold_follow(m, 1, 1e-9, 0, NULL, &a, NULL, &err) < 0)
            fail_msg("%s", err.text);
        assert_true(isnan(a.rate));
        found.approach = a;
        described = report_begin("m");
        zw_manifold_report(m, &found, described);
        char *json = report_take_json(described);
        assert_non_null(strstr(json, "\"decay_rate\": null"));
        free(json);
        zw_manifold_destroy(m);
        m = NULL;
    }
}

static void test_judge__folds_of_van_der_pol(void **state) {
    (void)state;
    const zw_manifold_range box[] = {{"y", -2, 2}, {"x", -3, 3}};
    zw_manifold_box b = box_of(2, box, 0);
    zw_manifold_nature n;
    const char *set = "a=1";
    reading.nset = 1;
    reading.set = &set;
    expand(MODEL("van_der_pol_lienard"), 1);
    assert_int_equal(zw_manifold_judge(m, &b, &n, &err), ZW_OK);
    assert_int_equal(n.nfold, 2);
    assert_true(n.missing > 0 && n.attracting > 0 && n.repelling == 0);
    for (int i = 0; i < 2; i++) {
        double x = n.fold[i].y[0];
        assert_close(fabs(x), 1, 1e-12);
        assert_close(n.fold[i].x[0], -2 * x / 3, 1e-12);
        assert_int_equal(n.fold[i].canard, x > 0); /* a = 1: the point of rest is there */
        assert_int_equal(n.fold[i].jump, x < 0);
    }
}

/* two slow variables: the folds of the cusp y^3 + b y + a = 0 lie on 4 b^3 + 27 a^2 = 0 */
static void test_judge__folds_of_the_cusp(void **state) {
    (void)state;
    const zw_manifold_range box[] = {{"a", -3, 3}, {"b", -3, 3}, {"y", -3, 3}};
    zw_manifold_box two = box_of(3, box, 8);
    zw_manifold_nature n;
    expand("model cusp\nunits none\nparam eps = 0.1\nstate a, b, y : a' = 1, b' = y, "
           "y' = -(y^3 + b*y + a)/eps\nslow-fast eps : fast y\nstart a = 1, b = 1, y = 0\n",
           1);
    assert_int_equal(zw_manifold_judge(m, &two, &n, &err), ZW_OK);
    int below = 0;
    for (int i = 0; i < n.nfold; i++) {
        double a = n.fold[i].x[0], b = n.fold[i].x[1], y = n.fold[i].y[0];
        assert_close(4 * b * b * b + 27 * a * a, 0, 1e-9);
        assert_close(3 * y * y + b, 0, 1e-9);
        below += b < -0.1;
    }
    /* four of the eight lines b = const are below 0, and |a| = 2 (-b/3)^(3/2) <= 2 is in the box:
     * two folds on each */
    assert_int_equal(below, 8);
}

#define FAST "model m\nunits none\nparam eps = 0.01, w = 3\n"

/* dg/dy is singular at x = y = 0 of y (x - y), where two branches cross, and of x - y^3, which goes
 * on: no folds */
static void test_judge__no_folds(void **state) {
    (void)state;
    const zw_manifold_range box[] = {{"x", -1, 1.1}};
    zw_manifold_box b = box_of(1, box, 0);
    zw_manifold_nature n;
    expand(FAST "state x, y : x' = 1, y' = y*(x - y)/eps\nslow-fast eps : fast y\nstart x = -1\n",
           1);
    assert_int_equal(zw_manifold_judge(m, &b, &n, &err), ZW_OK);
    assert_int_equal(n.nfold, 1);
    assert_true(n.fold[0].crossing && !n.fold[0].flat && !n.fold[0].jump && !n.fold[0].canard);
    zw_manifold_destroy(m);
    expand(
        FAST
        "state x, y : x' = 1, y' = (x - y^3)/eps\nslow-fast eps : fast y\nstart x = -1, y = -1\n",
        1);
    assert_int_equal(zw_manifold_judge(m, &b, &n, &err), ZW_OK);
    assert_int_equal(n.nfold, 1);
    assert_true(n.fold[0].flat && !n.fold[0].crossing && !n.fold[0].jump && !n.fold[0].canard);
}

/* eigenvalues of dg/dy: x +- 3 i, so that it repels for x > 0; of a rotation alone they are on the
 * axis; -1 and 1; and -1 with eps < 0 */
static void test_judge__what_does_not_attract(void **state) {
    (void)state;
    const zw_manifold_range range[] = {{"x", 0.3, 1}};
    zw_manifold_box box = box_of(1, range, 0);
    zw_manifold_nature n, start;
    zw_manifold_errors e;
    expand(FAST "state x, y, z : x' = 1 + y, y' = (x*y + w*z + x^2)/eps, z' = (x*z - w*y)/eps\n"
                "slow-fast eps : fast y, z\nstart x = 1\n",
           1);
    assert_int_equal(zw_manifold_judge(m, &box, &n, &err), ZW_OK);
    assert_int_equal(n.repelling, n.npoint);
    assert_close(n.weakest.rate, 100, 1e-9);
    assert_close(n.strongest.rate, 30, 1e-9);
    assert_int_equal(zw_manifold_judge_start(m, &start, &err), ZW_OK);
    assert_int_equal(start.repelling, 1);
    assert_int_equal(zw_manifold_measure(m, &box, 1, 0, &e, &err), ZW_OK);
    assert_int_equal(zw_manifold_measure(m, &box, 1, 0.1, &e, &err), ZW_E_NUMERIC);
    assert_non_null(strstr(err.text, "does not attract"));
    err = (zw_error){0};
    zw_manifold_destroy(m);
    expand(FAST "state x, y, z : x' = -x, y' = w*z/eps, z' = -w*(y - x)/eps\n"
                "slow-fast eps : fast y, z\nstart x = 1\n",
           1);
    assert_int_equal(zw_manifold_judge_start(m, &start, &err), ZW_OK);
    assert_int_equal(start.neutral, 1);
    assert_int_equal(start.attracting + start.repelling + start.saddle, 0);
    zw_manifold_destroy(m);
    expand(FAST "state x, y, z : x' = -x, y' = (x - y)/eps, z' = (z - x)/eps\n"
                "slow-fast eps : fast y, z\nstart x = 1\n",
           1);
    assert_int_equal(zw_manifold_judge_start(m, &start, &err), ZW_OK);
    assert_int_equal(start.saddle, 1);
    zw_manifold_destroy(m);
    expand("model m\nunits none\nparam eps = -0.01\nstate x, y : x' = -x, y' = (x - y)/eps\n"
           "slow-fast eps : fast y\nstart x = 1\n",
           1);
    assert_int_equal(zw_manifold_judge(m, &box, &n, &err), ZW_OK);
    assert_int_equal(n.repelling, n.npoint);
}

/* in the middle of the box the model rests: both flows stay there, and rounding is not compared
 * with rounding */
/* x' = -a x, eps y' = x - y: 1/eps against a. Van der Pol's: (x^2 - 1)/eps against 1/(x^2 - 1) */
static void test_judge__is_it_much_faster(void **state) {
    (void)state;
    zw_manifold_nature n;
    static const struct {
        const char *eps;
        double gap;
        int mixed;
    } linear[] = {{"eps=0.25", 2, 1}, {"eps=0.125", 4, 0}, {"eps=-0.25", 2, 1}};
    for (int i = 0; i < 3; i++) {
        reading.nset = 1;
        reading.set = &linear[i].eps;
        expand("model l\nunits none\nparam eps = 1, a = 2\nstate x, y : x' = -a*x, y' = (x - "
               "y)/eps\nslow-fast eps : fast y\nstart x = 1, y = 1\n",
               0);
        assert_int_equal(zw_manifold_judge_start(m, &n, &err), ZW_OK);
        assert_close(n.gap, linear[i].gap, 1e-14);
        assert_int_equal(n.mixed, linear[i].mixed);
        zw_manifold_destroy(m);
        m = NULL;
    }
    const zw_manifold_range over[] = {{"y", -2, 2}, {"x", -3, 3}};
    zw_manifold_box box = box_of(2, over, 0);
    const char *eps[] = {"eps=10", "eps=0.05"};
    for (int i = 0; i < 2; i++) {
        reading.set = &eps[i];
        expand(MODEL("van_der_pol_lienard"), 0);
        assert_int_equal(zw_manifold_judge(m, &box, &n, &err), ZW_OK);
        assert_int_equal(n.nfold, 2);
        double fast = n.closest.y[0] * n.closest.y[0] - 1;
        assert_close(n.gap, fast * fast / r->eps, 1e-12);
        assert_close(n.closest.rate, fast / r->eps, 1e-12);
        /* 2.7/100 and 5.4 where it is least, at the points next to the folds */
        assert_int_equal(n.mixed, i == 0 ? n.npoint - n.missing : 0);
        zw_manifold_destroy(m);
        m = NULL;
    }
}

/* dg/dy vanishes all along beta = 0 and pi: no folds, and more of them than are kept */
static void test_judge__lines_without_folds(void **state) {
    (void)state;
    const zw_manifold_range over[] = {{"beta", 0, 3.1415926535}, {"gamma", -2, 2}};
    zw_manifold_box box = box_of(2, over, 0);
    zw_manifold_nature n;
    reading.variant = "linear";
    expand(MODEL("tippedisk_reduced"), 0);
    assert_int_equal(zw_manifold_judge(m, &box, &n, &err), ZW_OK);
    assert_true(n.more);
    for (int i = 0; i < n.nfold; i++)
        assert_true(n.fold[i].flat || n.fold[i].crossing);
}

/* u = h(x) attracts, v = s x repels: eps s (2 s - 1) = s - 1 */
static void test_measure__of_a_saddle(void **state) {
    (void)state;
    const zw_manifold_range x = {"x", 0.2, 1};
    zw_manifold_box box = box_of(1, &x, 10);
    zw_manifold_errors e;
    zw_manifold_nature n;
    expand("model s\nunits none\nparam eps = 0.01\nstate x, u, v : x' = 2*v - x, u' = (sin(x) - "
           "u)/eps, v' = (v - x)/eps\nslow-fast eps : fast u, v\nstart x = 0.5, u = 0.5, v = 0.5\n",
           2);
    assert_int_equal(zw_manifold_judge(m, &box, &n, &err), ZW_OK);
    assert_int_equal(n.saddle, n.npoint);
    assert_int_equal(zw_manifold_measure(m, &box, 3, 0, &e, &err), ZW_OK);
    for (int k = 0; k <= 2; k++)
        assert_true(fabs(e.slope[k] - (k + 1)) < 0.05);
    assert_int_equal(zw_manifold_measure(m, &box, 3, 0.1, &e, &err), ZW_E_NUMERIC);
    assert_non_null(strstr(err.text, "does not attract"));
    zw_table *t;
    zw_manifold_trust trust;
    err = (zw_error){0};
    if (zw_manifold_surface(m, &box, NULL, &trust, &t, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(trust.solved && trust.change < 1e-9);
    double s = ((1 + r->eps) - sqrt((1 + r->eps) * (1 + r->eps) - 8 * r->eps)) / (4 * r->eps);
    int at = zw_table_find(t, "x"), v = zw_table_find(t, "v");
    for (long k = 0; k < zw_table_rows(t); k++)
        assert_close(zw_table_at(t, k, v), s * zw_table_at(t, k, at), 1e-11);
    zw_table_destroy(t);
}

static void test_measure__at_rest(void **state) {
    (void)state;
    const zw_manifold_range range[] = {{"x", -1, 1}, {"u", -1, 1}};
    zw_manifold_box box = box_of(2, range, 0);
    zw_manifold_errors e;
    expand(
        "model m\nunits none\nparam eps = 0.02\nstate x, u, y : x' = u, u' = -x - 3*eps*y + eps*u, "
        "y' = (u - y + 3*eps*x - y^3)/eps\nslow-fast eps : fast y\nstart x = 1, y = 0.5\n",
        1);
    if (zw_manifold_measure(m, &box, 2, 1, &e, &err) < 0)
        fail_msg("%s", err.text);
    for (int l = 0; l < 2; l++)
        for (int k = 0; k <= 1; k++)
            assert_true(e.flow[l][k] < 1e-9);
    assert_true(isnan(e.flow_slope[0]) && isnan(e.flow_slope[1]));
}

/* Zvonkin and Shubin: 1 - eps/8 - 3 eps^2/32 - 173 eps^3/1024 */
static void test_canard__value_of_van_der_pol(void **state) {
    (void)state;
    const zw_manifold_range box[] = {{"y", -2, 2}, {"x", 0, 3}};
    zw_manifold_box b = box_of(2, box, 0);
    zw_manifold_canard c[4];
    int n;
    expand(MODEL("van_der_pol_lienard"), 1);
    if (zw_manifold_find_canard(m, "a", 5, &b, 4, c, &n, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(n, 1);
    assert_int_equal(c[0].value[0], ZW_ONE);
    assert_int_equal(c[0].value[1], zw_rational(ctx, -1, 8));
    assert_int_equal(c[0].value[2], zw_rational(ctx, -3, 32));
    assert_int_equal(c[0].value[3], zw_rational(ctx, -173, 1024));
    /* along the fast variable instead, y = F(x) + eps y_1(x) + ..., (y - F) dy/dx = eps (a - x):
     * y_k = (a_(k-1) - sum_(0<i<k) y_i' y_(k-i))/F' are rational functions of x without a pole at
     * 1, which gives a_(k-1); by exact algebra of such functions */
    assert_int_equal(c[0].value[4], zw_rational(ctx, -7593, 16384));
    assert_int_equal(c[0].value[5], zw_rational(ctx, -436777, 262144));
}

/* first order by hand, for eps v' = v - v^3/3 - w + I, w' = v + a - b w, u = v + 1 */
static void test_canard__value_of_fitzhugh_nagumo(void **state) {
    (void)state;
    const zw_manifold_range box[] = {{"w", -2, 2}, {"v", -3, 0}};
    zw_manifold_box b = box_of(2, box, 0);
    zw_manifold_canard c[4];
    int n;
    expand(MODEL("fitzhugh_nagumo"), 1);
    if (zw_manifold_find_canard(m, "I_0", 2, &b, 4, c, &n, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(n, 1);
    double a = 0.7, beta = 0.8;
    assert_close(c[0].y, -1, 1e-12);
    assert_close(zw_expr_number(ctx, c[0].value[0]), 2.0 / 3 - (1 - a) / beta, 1e-12);
    /* by hand: w = W_0(v) + eps W_1, W_1 (1 - v^2) ... : with u = v + 1, W_0' = u (2 - u), the next
     * order at u = 0 */
    double k = zw_expr_number(ctx, c[0].value[1]);
    double g1_0 = 1.0 / 2, slope; /* N/W_0' = (u - b (W_0 - w_c))/(u (2 - u)) at 0 and its slope */
    slope = (1.0 / 4) - beta / 2; /* (1 - b u ...)/(2 - u): 1/2 + u/4 - b u/2 */
    /* g_1 = I_1 - W_1; condition: f_1 = W_1' g_1, f_1 = -b W_1 = -b (I_1 - g_1), W_1' = -g_1' */
    assert_close(k, g1_0 + slope * g1_0 / beta, 1e-12);
}

/* ---- proposals ---- */

static void test_propose__finds_what_was_made_fast(void **state) {
    (void)state;
    zw_split_proposal p;
    open_model("model l\nunits none\nparam tau = 0.002, k = 1.5\n"
               "state u, v, w : u' = -k*u + w, v' = -u, w' = (u*v - w)/tau\n"
               "start u = 1, v = 2, w = 0\n");
    if (zw_manifold_propose(sys, 2, &p, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(p.nfast, 1);
    assert_true(p.attracting);
    assert_true(p.gap > 30 && p.share[2] > 0.95 && p.share[0] < 0.05);
    assert_int_equal(p.nsmall, 1);
    assert_string_equal(p.small[0], "tau");
    assert_close(p.fast_rate, 500, 0.01);
}

/* ---- advice ---- */

/* a mass that another one is tied to swings slower; a tie along the motion costs nothing; one that
 * the start contradicts cannot be */
static void test_advice__costs_in_closed_form(void **state) {
    (void)state;
    static const char text[] =
        "model a\nunits none\nparam m = 1, k = 4, M = 0.5\ncoord x, y, z\n"
        "kinetic 1/2*m*(x'^2 + y'^2) + 1/2*M*z'^2\npotential 1/2*k*(x^2 + y^2)\n"
        "constraint still off : y = 0\nconstraint tied off : z' = x'\nconstraint never off : x = "
        "2\n"
        "start x = 1, y = 0, x' = 0, y' = 0, z = 0\n";
    static const char *const constraints[] = {"tied", "never", "still"}, *const x[] = {"x"};
    zw_model_source source = {text, sizeof text - 1, "a.zw", NULL};
    zw_advice a;
    if (zw_advise(ctx, &source, 3, constraints, 1, x, 3, &a, &err) < 0)
        fail_msg("%s", err.text);
    double most = 0, low = 1;
    for (int i = 0; i <= 400; i++) {
        double t = 3 * i / 400.0;
        most = fmax(most, fabs(cos(2 * t) - cos(2 * sqrt(1 / 1.5) * t)));
        low = fmin(low, cos(2 * t));
    }
    assert_int_equal(a.nstep, 3);
    assert_int_equal(a.trial[0][0].constraint, 2);
    assert_true(a.trial[0][0].cost < 1e-6);
    assert_int_equal(a.trial[0][1].constraint, 0);
    assert_close(a.trial[0][1].cost, most / (1 - low), 1e-5);
    assert_string_equal(a.trial[0][1].worst, "x");
    assert_true(isinf(a.trial[0][2].cost) && a.trial[0][2].why[0]);
    assert_int_equal(a.trial[1][0].constraint, 0);
    assert_int_equal(a.ntrial[2], 1);
    assert_int_equal(zw_advise(ctx, &source, 3, constraints, 1, x, 0, &a, &err), ZW_E_OPTION);
}

/* constants of a model with quasi-velocities are parameters once, not twice */
static void test_constants__stand_beside_quasi_velocities(void **state) {
    (void)state;
    expand("model q\nunits none\nparam a = 2, eps = 0.1\nlet b = a^2\ncoord x\nlet v = b*x'\n"
           "quasi w = 2*v\nkinetic 1/2*b*x'^2\npotential 1/2*x^2\nforce (x) = -x'/eps\n"
           "slow-fast eps : fast w\nstart x = 1, w = 0\n",
           1);
    assert_int_equal(sys->np, 3);
    assert_same(r->h[0], ZW_ZERO);
    /* b x'' = -x - x'/eps, w = 2 b x': w = -2 b eps x + ... */
    assert_same(r->h[1], said("-2*b*x"));
}

/* ---- what is held ---- */

#define OSCILLATOR                                                                                 \
    "model o\nunits none\nparam eps = 0.1\nstate x, p, y : x' = p, p' = y - x, y' = -(y + "        \
    "eps*p)/eps\nslow-fast eps : fast y\nobserve both = (x^2 + p^2)/2\n"

static void hold(const char *name, const char *formula, const char *instead) {
    if (zw_manifold_hold(m, name, formula, instead, &err) < 0)
        fail_msg("%s", err.text);
}

static double value_of(zw_expr e, int n, const zw_expr *symbols, const double *values) {
    return zw_eval(ctx, e, n, symbols, values);
}

/* y = -eps p - eps^2 x + ..., and so E' = -eps p^2 - eps^2 x p + ... */
static void test_held__oscillator_has_its_closed_form(void **state) {
    (void)state;
    for (int side = -1; side <= 1; side += 2) {
        expand(side > 0 ? OSCILLATOR "start x = 3, p = 4, y = 0\n"
                        : OSCILLATOR "start x = 3, p = -4, y = 0\n",
               2);
        hold("E", "both", "p");
        const zw_manifold_held *e = zw_manifold_get_held(m);
        zw_expr s[3] = {r->x[0].sym, r->x[1].sym, e->symbol};
        const double at[3] = {1, 2, 8.5};
        assert_true(e->proved);
        assert_close(e->start, 12.5, 1e-15);
        assert_close(value_of(e->value, 3, s, at), side * 4.0, 1e-15); /* sqrt(17 - 1) */
        assert_true(zw_ratio_is_zero(ctx, e->rate[0]));
        assert_same(e->rate[1], said("-p^2"));
        assert_same(e->rate[2], said("-x*p"));
        char *text = zw_manifold_model(m, 2, NULL, &err), *formulas;
        assert_non_null(text);
        assert_non_null(strstr(text, "param E = 12.5\n"));
        assert_non_null(strstr(text, "observe E_rate = "));
        /* x = 5 sin(t + ...) turns where p is 0: runs with one sign of p end before it */
        assert_close(e->half_start, side * 4.0, 1e-15);
        assert_non_null(
            strstr(text, side > 0 ? " - 0.0004 falling stop" : " + 0.0004 rising stop"));
        assert_null(strstr(text, "state p"));
        assert_null(strstr(text, "start p"));
        zw_report *described = report_begin("m");
        zw_manifold_report(m, NULL, described);
        formulas = report_take_json(described);
        assert_non_null(strstr(formulas, "\"rates\": [\"0\", \"-p^2\", \"-x*p\"]"));
        zw_string_free(ctx, text);
        free(formulas);
        zw_manifold_destroy(m);
        m = NULL;
    }
}

/* a + b stays where a' + b' = y, y = eps h_1; the observable is told in mm */
static void test_held__linear_quantity_and_its_unit(void **state) {
    (void)state;
    expand(
        "model l\nparam eps = 0.1 [s], k = 2 [1/s]\nstate a, b [m] : a' = k*(b - a) + y, b' = "
        "k*(a - b)\nstate y [m/s] : y' = -(y + eps*k^2*a)/eps\nslow-fast eps : fast y\nstart a = 1 "
        "[m], b = 2 [m], y = 0 [m/s]\nobserve sum = a + b [mm]\n",
        1);
    hold("S", "sum", "a");
    const zw_manifold_held *e = zw_manifold_get_held(m);
    assert_close(e->start, 3, 1e-15);
    assert_string_equal(e->unit, "m");
    zw_expr S = e->symbol;
    assert_same(e->value, zw_sub(ctx, S, said("b")));
    assert_same(e->rate[1], said("-k^2*a"));
    char *text = zw_manifold_model(m, 1, NULL, &err);
    assert_non_null(strstr(text, "param S = 3 [m]\n"));
    assert_null(strstr(text, "event")); /* one value alone */
    assert_non_null(strstr(text, "state b [m]"));
    zw_string_free(ctx, text);
}

/* With its spin free: s = eps h_1 is minus the force of rolling over mu m g, and friction takes the
 * power -mu m g s^2/eps. Both energies of spinning are those of a top, and what the energy gives is
 * what the spin was. */
static void test_held__energy_of_the_tippedisk(void **state) {
    (void)state;
    expand(MODEL("tippedisk_spinning"), 1);
    hold("E", "total", "spin");
    const zw_manifold_held *e = zw_manifold_get_held(m);
    int n = sys->np;
    zw_expr *s = zw_context_alloc(ctx, sizeof *s * (size_t)(n + 4));
    double *v = zw_context_alloc(ctx, sizeof *v * (size_t)(n + 4));
    test_random random = {5};
    assert_true(e->proved);
    assert_same(e->quantity,
                said("(J_1*(e + r*sin(gamma))^2 + J_2*r^2*cos(gamma)^2)*(sin(beta)*spin/"
                     "(r + e*sin(gamma)))^2/2 + m*g*(r + e*sin(gamma))*sin(beta)"));
    assert_same(r->h[1], said("cos(beta)/(mu*m*g)*(J_1*J_2*r*spin^2/(J_1*(e + r*sin(gamma))^2 + "
                              "J_2*r^2*cos(gamma)^2) - m*g/sin(beta))"));
    for (int i = 0; i < n; i++)
        s[i] = sys->param[i].sym;
    assert_int_equal(zw_system_param_values(sys, v, &err), ZW_OK);
    for (int i = 0; i < 3; i++)
        s[n + i] = r->x[i].sym;
    s[n + 3] = e->symbol;
    zw_expr loss = zw_mul(ctx, said("-mu*m*g"), zw_mul(ctx, r->h[1], r->h[1]));
    for (int i = 0; i < 50; i++) {
        v[n] = test_random_real(&random, 0.3, 2.8);
        v[n + 1] = test_random_real(&random, -2, 5);
        v[n + 2] = test_random_real(&random, 20, 50);
        v[n + 3] = value_of(e->quantity, n + 3, s, v);
        double size = fabs(value_of(loss, n + 3, s, v));
        assert_close(value_of(e->value, n + 4, s, v), v[n + 2], 1e-12);
        assert_true(fabs(value_of(e->rate[1], n + 3, s, v) + size) <= 1e-9 * (size + 1e-3));
    }
}

static void test_held__refusals(void **state) {
    (void)state;
    static const struct {
        const char *name, *formula, *instead, *why;
        zw_status status;
    } bad[] = {{"E", "x", "p", "for eps = 0 its rate is p, not 0", ZW_E_DOMAIN},
               {"E", "both", "y", "no slow variable 'y'", ZW_E_NAME},
               {"E", "both", NULL, "needs --for, the slow variable", ZW_E_OPTION},
               {"eps", "both", "p", "is a name of the model", ZW_E_NAME},
               {"E", "both^2", "p", "neither linear nor quadratic in p", ZW_E_MODEL},
               {"E", "both + z", "p", "z", ZW_E_NAME}};
    expand(OSCILLATOR "start x = 3, p = 4, y = 0\n", 1);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        err = (zw_error){0};
        assert_int_equal(zw_manifold_hold(m, bad[i].name, bad[i].formula, bad[i].instead, &err),
                         bad[i].status);
        if (!strstr(err.text, bad[i].why))
            fail_msg("%s", err.text);
        assert_null(zw_manifold_get_held(m));
    }
    zw_manifold_destroy(m);
    m = NULL;
    err = (zw_error){0};
    expand(OSCILLATOR "start x = 3, p = 0, y = 0\n", 1);
    assert_int_equal(zw_manifold_hold(m, "E", "both", "p", &err), ZW_E_NUMERIC);
    assert_non_null(strstr(err.text, "both values of p meet"));
    zw_manifold_destroy(m);
    m = NULL;
    err = (zw_error){0};
    expand(MODEL("van_der_pol_lienard"), 1);
    assert_int_equal(zw_manifold_hold(m, "E", "y", "y", &err), ZW_E_MODEL);
    assert_non_null(strstr(err.text, "no formula"));
}

/* ---- refusals ---- */

#define HEAD "model l\nunits none\nparam eps = 0.01\n"

static void test_refusals(void **state) {
    (void)state;
    refused(HEAD "state x, y : x' = y, y' = (x - y)/eps\nstart x = 1, y = 0\n",
            "does not declare its fast variables");
    err = (zw_error){0};
    refused(HEAD "state x, y : x' = -y, y' = (x - y)/eps\nslow-fast eps : fast y\n"
                 "event reset : x - 0.5 falling, set x = 2\nstart x = 1\n",
            "the event reset acts on the motion");
    err = (zw_error){0};
    refused(HEAD
            "coord x\nstate y : y' = (x - y)/eps\nkinetic 1/2*x'^2\nforce (x) = -x - y\n"
            "contact wall : gap 0.8 - x, law newton(0.7)\nslow-fast eps : fast y\nstart x = 0.5\n",
            "the contact wall may open, stick and slip");
    err = (zw_error){0};
    refused(HEAD "state x, y : x' = y, y' = (x - y)/eps^2\nslow-fast eps : fast y\nstart x = 1\n",
            "not regular at eps = 0");
    err = (zw_error){0};
    refused(HEAD "state x, y : x' = y/eps, y' = (x - y)/eps\nslow-fast eps : fast y\nstart x = 1\n",
            "the rate of x is not regular");
    err = (zw_error){0};
    refused(HEAD "state x, y : x' = y, y' = eps*(x - y)\nslow-fast eps : fast y\nstart x = 1\n",
            "y is not fast");
    err = (zw_error){0};
    refused(HEAD "state x, y : x' = y, y' = x/eps\nslow-fast eps : fast y\nstart x = 1\n",
            "nowhere normally hyperbolic");
    err = (zw_error){0};
    refused(HEAD
            "state x, y : x' = y*sin(t), y' = (x - y)/eps\nslow-fast eps : fast y\nstart x = 1\n",
            "depends on time");
    err = (zw_error){0};
    refused(HEAD
            "state x, y : x' = y/eps, y' = (x - y)/eps\nslow-fast eps : fast x, y\nstart x = 1\n",
            "all variables are fast");
    err = (zw_error){0};
    options.fast = (const char *const[]){"z"};
    options.nfast = 1;
    refused(HEAD
            "state x, yz : x' = yz, yz' = (x - yz)/eps\nslow-fast eps : fast yz\nstart x = 1\n",
            "'z'");
    err = (zw_error){0};
    options.small = "epd";
    refused(HEAD "state x, yz : x' = yz, yz' = (x - yz)/eps\nstart x = 1\n", "no parameter 'epd'");
}

static void test_refusals__of_boxes(void **state) {
    (void)state;
    const zw_manifold_range over[] = {{"y", -2, 2}}, other[] = {{"z", 0, 1}};
    zw_manifold_box box = box_of(1, over, 0);
    zw_manifold_errors e;
    zw_manifold_nature n;
    expand(MODEL("van_der_pol_lienard"), 1);
    assert_int_equal(zw_manifold_measure(m, &box, 1, 0, &e, &err), ZW_E_NUMERIC);
    assert_non_null(strstr(err.text, "beyond the manifold"));
    err = (zw_error){0};
    box = box_of(1, other, 0);
    assert_int_equal(zw_manifold_judge(m, &box, &n, &err), ZW_E_NAME);
    err = (zw_error){0};
    const zw_manifold_range twice[] = {{"y", -2, 2}, {"y", 0, 1}};
    box = box_of(2, twice, 0);
    assert_int_equal(zw_manifold_judge(m, &box, &n, &err), ZW_E_OPTION);
    assert_non_null(strstr(err.text, "y has two ranges"));
    err = (zw_error){0};
    box = box_of(0, other, 0);
    assert_int_equal(zw_manifold_judge(m, &box, &n, &err), ZW_E_OPTION);
    assert_non_null(strstr(err.text, "has no range"));
}

static void test_memory__runs_out(void **state) {
    (void)state;
    static const char text[] =
        HEAD "state x, y : x' = -y, y' = (x - y - y^3)/eps\nslow-fast eps : fast y\n"
             "start x = 1, y = 0\n",
                      held[] = OSCILLATOR "start x = 3, p = 4, y = 0\n";
    for (long n = 1;; n++) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_context *c = zw_context_create(&alloc);
        zw_system *s = NULL;
        zw_manifold *one = NULL;
        zw_error why = {0};
        if (c && zw_model_parse(&s, c, text, strlen(text), "test.zw", NULL, &why) >= 0 &&
            zw_manifold_create(&one, s, NULL, &why) >= 0)
            zw_string_free(c, zw_manifold_model(one, 1, NULL, &why));
        zw_manifold_destroy(one);
        one = NULL;
        if (c && zw_model_parse(&s, c, held, strlen(held), "held.zw", NULL, &why) >= 0 &&
            zw_manifold_create(&one, s, NULL, &why) >= 0 &&
            zw_manifold_hold(one, "E", "both", "p", &why) >= 0)
            zw_string_free(c, zw_manifold_model(one, 1, NULL, &why));
        zw_manifold_destroy(one);
        zw_context_destroy(c);
        assert_int_equal(f.blocks, 0);
        assert_int_equal(f.bytes, 0);
        if (!f.failed)
            break;
    }
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_tippedisk__is_as_printed),
        TEST(test_common_eps__cancels),
        TEST(test_eps_in_sums__cancels),
        TEST(test_linear__agrees_to_all_orders),
        TEST(test_two_fast__are_solved_together),
        TEST(test_implicit__parts_are_formulas_of_the_point),
        TEST(test_wheelset__runs_in_waves_that_grow),
        TEST(test_stiff_pendulum__bends_as_one_rod_would),
        TEST(test_towed_wheel__shimmies_at_the_speed_of_rolling),
        TEST(test_reduced_model__is_the_one_written_by_hand),
        TEST(test_measure__errors_go_as_the_next_power),
        TEST(test_collocation__has_the_closed_form),
        TEST(test_collocation__knows_when_there_are_others),
        TEST(test_collocation__is_where_runs_go),
        TEST(test_portrait__rolling_keeps_the_height),
        TEST(test_follow__rates_of_the_tippedisk),
        TEST(test_judge__folds_of_van_der_pol),
        TEST(test_judge__folds_of_the_cusp),
        TEST(test_judge__no_folds),
        TEST(test_measure__at_rest),
        TEST(test_measure__of_a_saddle),
        TEST(test_judge__is_it_much_faster),
        TEST(test_judge__lines_without_folds),
        TEST(test_judge__what_does_not_attract),
        TEST(test_canard__value_of_van_der_pol),
        TEST(test_canard__value_of_fitzhugh_nagumo),
        TEST(test_propose__finds_what_was_made_fast),
        TEST(test_advice__costs_in_closed_form),
        TEST(test_constants__stand_beside_quasi_velocities),
        TEST(test_held__oscillator_has_its_closed_form),
        TEST(test_held__linear_quantity_and_its_unit),
        TEST(test_held__energy_of_the_tippedisk),
        TEST(test_held__refusals),
        TEST(test_refusals),
        TEST(test_refusals__of_boxes),
        TEST(test_memory__runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
