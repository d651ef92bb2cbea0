/* SPDX-License-Identifier: MIT */
/* Claims about series: random systems whose Taylor polynomials are known from repeated derivatives,
 * coordinates that constraints tie, other principles, means and eigenvalues. What holds up to order
 * k and not up to k + 1 has to be told so, and one slip has to be found. */
#include <stdlib.h>

#include "support/failing_allocator.h"
#include "support/test.h"
#include "zwang/claims.h"
#include "zwang/model.h"

static const zw_place here = {0};

static zw_context *ctx;
static zw_system *sys;
static zw_error err;

static int setup(void **state) {
    (void)state;
    err = (zw_error){0};
    ctx = zw_context_create(NULL);
    return ctx ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    zw_context_destroy(ctx);
    return 0;
}

static zw_status judge(const zw_claim *claim, zw_verdict *v) {
    zw_verify_options options = zw_verify_options_default();
    zw_trials trials;
    options.states = 40;
    err = (zw_error){0};
    ZW_TRY(zw_trials_for(&trials, sys, claim, NULL, &options, &err));
    return zw_verify(v, sys, claim, &trials, &err);
}

static zw_verdict verdict(const zw_claim *claim) {
    zw_verdict v;
    if (judge(claim, &v) < 0)
        fail_msg("%s: %s", claim->name, err.text);
    return v;
}

static void read_model(const char *text) {
    if (zw_model_parse(&sys, ctx, text, strlen(text), "test.zw", NULL, &err) < 0)
        fail_msg("%s", err.text);
}

static const zw_claim *claim_of(const char *name) {
    for (int i = 0; i < sys->nclaim; i++)
        if (strcmp(sys->claim[i].name, name) == 0)
            return &sys->claim[i];
    fail_msg("no claim %s", name);
    return NULL;
}

static void expect_holds(const char *name) {
    zw_verdict v = verdict(claim_of(name));
    if (!v.holds)
        fail_msg("%s: residual %g at order %d", name, v.residual, v.order);
    if (!(v.residual < 1e-11))
        fail_msg("%s: residual %g", name, v.residual);
}

/* fails first at this order; words of the first repair, "": none */
static void expect_fails(const char *name, int order, const char *words) {
    zw_verdict v = verdict(claim_of(name));
    if (v.holds)
        fail_msg("%s holds", name);
    assert_true(v.residual > 1e-4);
    assert_int_equal(v.order, order);
    if (words[0] && (v.nrepair == 0 || !strstr(v.repair[0].words, words)))
        fail_msg("%s: expected %s, found %s", name, words, v.nrepair ? v.repair[0].words : "none");
    assert_int_equal(v.nrepair > 0, words[0] != '\0');
}

static void expect_refused(const char *name, zw_status status, const char *part) {
    zw_verdict v;
    assert_int_equal(judge(claim_of(name), &v), status);
    assert_true(err.line > 0 && err.column > 0);
    if (!strstr(err.text, part))
        fail_msg("%s: %s", name, err.text);
}

/* ------------------------------------------------------------------------------ random systems */

/* a sum of three products of functions of x and v, with parameters */
static zw_expr random_force(test_random *r, const zw_expr *p, zw_expr x, zw_expr v) {
    static const zw_op functions[] = {ZW_OP_SIN, ZW_OP_COS, ZW_OP_EXP, ZW_OP_TANH};
    zw_expr sum = ZW_ZERO;
    for (int i = 0; i < 3; i++) {
        zw_expr a = zw_add(ctx, zw_mul(ctx, p[i], x), zw_mul(ctx, p[(i + 1) % 3], v));
        zw_expr b = zw_add(ctx, zw_integer(ctx, 2), zw_mul(ctx, x, v));
        zw_expr f = zw_apply(ctx, functions[test_random_int(r, 4)], 1, &a);
        sum = zw_add(ctx, sum, zw_mul(ctx, f, zw_pow(ctx, b, zw_integer(ctx, -1 - i))));
    }
    return sum;
}

/* the Taylor polynomial of f in x - c and v, by derivatives */
static zw_expr polynomial(zw_expr f, zw_expr x, zw_expr v, zw_expr c, int order) {
    zw_expr sum = ZW_ZERO, h = zw_sub(ctx, x, c), by_x = f;
    int64_t i_factorial = 1;
    for (int i = 0; i <= order; i++) {
        zw_expr by_v = by_x;
        int64_t factorial = i_factorial;
        for (int k = 0; i + k <= order; k++) {
            zw_expr value = zw_subst(ctx, by_v, 2, (zw_expr[]){x, v}, (zw_expr[]){c, ZW_ZERO});
            zw_expr term =
                zw_mul(ctx, zw_pow(ctx, h, zw_integer(ctx, i)), zw_pow(ctx, v, zw_integer(ctx, k)));
            sum = zw_add(ctx, sum,
                         zw_mul(ctx, zw_rational(ctx, 1, factorial), zw_mul(ctx, value, term)));
            by_v = zw_diff(ctx, by_v, v);
            factorial *= k + 1;
        }
        by_x = zw_diff(ctx, by_x, x);
        i_factorial *= i + 1;
    }
    return sum;
}

static void test_series__is_the_taylor_polynomial(void **state) {
    (void)state;
    test_random r = {7};
    for (int n = 0; n < 6; n++) {
        zw_expr p[3], m, x;
        static const char *const names[] = {"a", "b", "c"};
        assert_int_equal(zw_system_create(&sys, ctx, "random", "", &err), ZW_OK);
        for (int i = 0; i < 3; i++)
            zw_system_param(sys, names[i], "", zw_rational(ctx, 3 + 2 * i, 7), here, &p[i], &err);
        zw_system_param(sys, "m", "", zw_rational(ctx, 5, 4), here, &m, &err);
        zw_system_coord(sys, "x", "", here, &x, &err);
        zw_expr v = zw_system_rate(sys, x), half = zw_mul(ctx, ZW_HALF, m);
        zw_expr f = random_force(&r, p, x, v), centre = n % 2 ? p[0] : ZW_ZERO;
        zw_system_kinetic(sys, zw_mul(ctx, half, zw_pow(ctx, v, ZW_TWO)), here, &err);
        zw_system_force(sys, "f", 1, &v, &f, here, &err);
        zw_expr lhs = zw_mul(ctx, m, zw_system_accel(sys, x));
        int order = n % 3;
        const zw_small small[] = {{.sym = x, .centre = centre}, {.sym = v, .centre = ZW_ZERO}};
        zw_claim good = {.name = "good",
                         .lhs = lhs,
                         .rhs = polynomial(f, x, v, centre, order),
                         .nsmall = 2,
                         .small = small,
                         .order = order};
        zw_claim further = good, spoilt = good;
        further.name = "further";
        further.order = order + 1;
        spoilt.name = "spoilt";
        spoilt.rhs = zw_add(ctx, good.rhs, zw_mul(ctx, m, zw_pow(ctx, v, zw_integer(ctx, order))));
        assert_int_equal(zw_system_claim_full(sys, &good, &err), ZW_OK);
        assert_int_equal(zw_system_claim_full(sys, &further, &err), ZW_OK);
        assert_int_equal(zw_system_claim_full(sys, &spoilt, &err), ZW_OK);
        assert_int_equal(zw_system_finish(sys, &err), ZW_OK);
        expect_holds("good");
        zw_verdict beyond = verdict(claim_of("further"));
        assert_false(beyond.holds);
        assert_int_equal(beyond.order, order + 1);
        zw_verdict bad = verdict(claim_of("spoilt"));
        assert_false(bad.holds);
        assert_int_equal(bad.order, order);
        bool undone = false;
        for (int i = 0; i < bad.nrepair; i++)
            undone |=
                strstr(bad.repair[i].words, "too many") || strstr(bad.repair[i].words, "missing");
        if (!undone)
            fail_msg("order %d, %d repairs: %s", order, bad.nrepair,
                     bad.nrepair ? bad.repair[0].words : "");
    }
}

/* ---------------------------------------------------------------------------------- constraints */

#define ARM                                                                                        \
    "model arm\nparam m = 2 [kg], l = 0.5 [m], g = 9.8 [m/s^2], z = 2 [1/s]\ncoord x, y [m]\n"     \
    "particle bob : m at (x, y)\ngravity g along -y\nconstraint arm : x^2 + y^2 = l^2\n"

static const char cartesian[] =
    ARM "claim cubic up to order 3 about (x = 0, y = -l, x' = 0) :\n"
        "    x'' = -g/l*x + g/(2*l^3)*x^3 - x*x'^2/l^2\n"
        "claim height up to order 2 about (x = 0, y = -l, x' = 0) : y'' = x'^2/l - g*x^2/l^2\n"
        "claim force up to order 2 about (x = 0, y = -l, x' = 0) :\n"
        "    2*l*lambda(arm) = -m*g - m*x'^2/l + 1/2*m*g*x^2/l^2\n"
        "claim slip up to order 2 about (x = 0, y = -l, x' = 0) :\n"
        "    2*l*lambda(arm) = -m*g - m*x'^2/l + 3/2*m*g*x^2/l^2\n"
        "claim steady about (x = 0, y = -l, x' = 0) : x'' = 0\n"
        "claim standing about (x = 0, y = l, x' = 0) : eigenvalue(4 [1/s]) = sqrt(g/l)\n"
        "claim hanging about (x = 0, y = -l, x' = 0) : eigenvalue(0 [1/s], sqrt(g/l)) = (0, "
        "sqrt(g/l))\n"
        "claim p about (x = 0, y = -l, x' = 0) : characteristic(z) = z^2 + g/l\n"
        "claim p_slip about (x = 0, y = -l, x' = 0) : characteristic(z) = z^2 - g/l\n"
        "claim above up to order 1 about (x = 0, x' = 0) : x'' = -g/l*x\n";

/* The place of the weight is tied to its height; both states, above and below, belong to x = 0
 * alone. */
static void test_series__follows_constraints(void **state) {
    (void)state;
    read_model(cartesian);
    const char *const good[] = {"cubic",    "height",    "force",     "steady",
                                "standing", "hanging.1", "hanging.2", "p"};
    for (int i = 0; i < 8; i++)
        expect_holds(good[i]);
    expect_fails("slip", 2, "3/2*m*g*x^2/l^2 should be 1/2*m*g*x^2/l^2");
    expect_fails("p_slip", 0, "wrong sign: -g/l should be g/l");
    expect_fails("above", 1, "-g*x/l must be multiplied by -y/l");
}

static void test_series__redundant_constraints_change_nothing(void **state) {
    (void)state;
    read_model(
        ARM "constraint again : 3*x^2 + 3*y^2 = 3*l^2\n"
            "claim cubic up to order 3 about (x = 0, y = -l, x' = 0) :\n"
            "    x'' = -g/l*x + g/(2*l^3)*x^3 - x*x'^2/l^2\n"
            "claim force up to order 1 about (x = 0, y = -l, x' = 0) : 2*l*lambda(arm) = -m*g\n");
    expect_holds("cubic");
    expect_refused("force", ZW_E_SINGULAR, "not unique");
}

/* Coefficients of high orders are small, and lengths may be long or short: neither makes rounding
 * of them. */
static void test_series__sizes_do_not_matter(void **state) {
    static const char *const length[] = {"1e6", "1", "1e-5"};
    for (int i = 0; i < 3; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "model arm\nparam m = 1 [kg], g = 9.81 [m/s^2], l = %s [m]\ncoord x, y [m]\n"
                 "particle P : m at (x, y)\ngravity g along -y\n"
                 "constraint arm : x^2 + y^2 = l^2\n"
                 "claim cubic up to order 3 about (x = 0, y = -l, x' = 0) :\n"
                 "    x'' = -g/l*x + g/(2*l^3)*x^3 - x*x'^2/l^2\n"
                 "claim slip up to order 3 about (x = 0, y = -l, x' = 0) :\n"
                 "    x'' = -g/l*x + g/(3*l^3)*x^3 - x*x'^2/l^2\n",
                 length[i]);
        if (i) {
            teardown(state);
            setup(state);
        }
        read_model(text);
        expect_holds("cubic");
        expect_fails("slip", 3, "should be 1/2*g*x^3/l^3");
    }
    teardown(state);
    setup(state);
    read_model("model p\nparam m = 1 [kg], l = 0.5 [m], g = 9.8 [m/s^2]\ncoord th [rad]\n"
               "particle P : m at (l*sin(th), -l*cos(th))\ngravity g along -y\n"
               "claim high up to order 12 about (th = 0, th' = 0) : th'' = -g/l*sin(th)\n"
               "claim slip up to order 12 about (th = 0, th' = 0) :\n"
               "    th'' = -g/l*(sin(th) + th^11/39916800)\n");
    expect_holds("high");
    zw_verdict v = verdict(claim_of("slip"));
    assert_false(v.holds);
    assert_int_equal(v.order, 11);
}

/* what is fast makes no rounding of what is slow and has nothing to do with it */
static void test_series__fast_and_slow(void **state) {
    (void)state;
    read_model("model two\nparam m = 9e-31 [kg], F = 1e-14 [N], M = 1 [kg], f = 0.1 [N]\n"
               "coord x, y [m]\nkinetic 1/2*m*x'^2 + 1/2*M*y'^2\nforce (x, y) = (F, f)\n"
               "claim right : M*y'' = f\nclaim still : y'' = 0\n"
               "claim right_at about (x = 0, y = 0) : M*y'' = f\n"
               "claim still_at about (x = 0, y = 0) : y'' = 0\n");
    expect_holds("right");
    expect_holds("right_at");
    assert_false(verdict(claim_of("still")).holds);
    assert_false(verdict(claim_of("still_at")).holds);
}

static void test_series__what_contradicts_the_constraints(void **state) {
    (void)state;
    read_model("model two\nunits none\ncoord a, b\nkinetic a'^2 + b'^2\nconstraint same : a = b\n"
               "claim c about (a = 0, b = 1) : a'' = 0\n");
    expect_refused("c", ZW_E_MODEL, "no position that the constraints admit was found");
}

/* a number is no pair, and none of two that are equally near */
static void test_series__which_eigenvalue(void **state) {
    (void)state;
    read_model("model p\nparam m = 1 [kg], l = 0.5 [m], g = 9.8 [m/s^2]\ncoord th [rad]\n"
               "particle P : m at (l*sin(th), -l*cos(th))\ngravity g along -y\n"
               "claim real about (th = 0, th' = 0) : eigenvalue(1 [1/s]) = 0\n"
               "claim tie about (th = pi, th' = 0) : eigenvalue(0 [1/s]) = sqrt(g/l)\n"
               "claim right about (th = pi, th' = 0) : eigenvalue(1 [1/s]) = sqrt(g/l)\n");
    expect_refused("real", ZW_E_MODEL, "the eigenvalue next to this number is complex");
    expect_refused("tie", ZW_E_MODEL, "two eigenvalues are equally near");
    expect_holds("right");
}

/* a body that turns freely about its middle axis, in body components */
static void test_series__rotations(void **state) {
    (void)state;
    read_model("model body\nparam A = 1 [kg*m^2], B = 2 [kg*m^2], C = 2.5 [kg*m^2], n = 3 [rad/s]\n"
               "body top : at (0, 0, 0), inertia(1 [kg], A, B, C)\n"
               "claim euler up to order 1 about (top.wx = 0, top.wz = 0, top.wy = n) :\n"
               "    A*top.wx' = (B - C)*n*top.wz, top.wy' = 0\n"
               "claim growth about (top.wx = 0, top.wz = 0, top.wy = n) :\n"
               "    eigenvalue(n) = n*sqrt((C - B)*(B - A)/(A*C))\n");
    expect_holds("euler.1");
    expect_holds("euler.2");
    expect_holds("growth");
}

/* --------------------------------------------------------------------------------- parameters */

static const char relaxation[] =
    "model relaxation\nunits none\nparam eps = 0.01, k = 2, z = 3, a = 0.2, w = 2\n"
    "coord x\nkinetic 1/2*eps*x'^2\nforce (x) = -x' - k*sin(x)\n"
    /* eps z^2 + z + k = 0: z = -k - eps k^2 + ..., -1/eps + k + ... */
    "claim slow up to order 1 about (x = 0, x' = 0, w = 0) : characteristic(z) = z^2 + z/eps + "
    "k/eps\n"
    "claim big up to order 2 about (w = 0) : 1/w*sin(w) = 1 - w^2/6\n"
    "claim big_slip up to order 2 about (w = 0) : 1/w*sin(w) = 1 + w^2/6\n"
    "claim pole up to order 0 about (w = 0) : 1/w = 0\n"
    "claim made up to order 3 about (a = 0) : exp(a*k) = 1 + a*k + a^2*k^2/2 + a^3*k^3/6\n";

static void test_series__parameters_may_be_small(void **state) {
    (void)state;
    read_model(relaxation);
    expect_holds("slow");
    expect_holds("big");
    expect_fails("big_slip", 2, "wrong sign");
    expect_fails("pole", -1, "");
    expect_holds("made");
}

/* with the mass eps in the denominators the matrix itself is a series that begins with 1/eps */
static void test_series__matrices_may_have_poles(void **state) {
    (void)state;
    read_model(
        "model stiff\nunits none\nparam m = 2, eps = 0.1, c = 3, k = 5, z = 1.5\ncoord x, y\n"
        "kinetic 1/2*m*(x'^2 + y'^2)\nforce (x, y) = (-c/eps*x' - k*y, -k*y)\n"
        "claim fast up to order 0 about (x = 0, x' = 0, y = 0, y' = 0, eps = 0) :\n"
        "    eps*characteristic(z) = eps*(z^2 + k/m)*z^2 + z*c/m*(z^2 + k/m)\n"
        "claim cut up to order 0 about (x = 0, x' = 0, y = 0, y' = 0, eps = 0) :\n"
        "    eps*characteristic(z) = z*c/m*(z^2 + k/m)\n"
        "claim cut_more up to order 1 about (x = 0, x' = 0, y = 0, y' = 0, eps = 0) :\n"
        "    eps*characteristic(z) = z*c/m*(z^2 + k/m)\n");
    expect_holds("fast");
    expect_holds("cut");
    zw_verdict v = verdict(claim_of("cut_more"));
    assert_false(v.holds);
    assert_int_equal(v.order, 1);
}

/* --------------------------------------------------------------------------------------- kinks */

static void test_series__kinks_are_named(void **state) {
    (void)state;
    read_model(
        "model kink\nunits none\nparam m = 2, c = 3, e = 0.5\ncoord x\nkinetic 1/2*m*x'^2\n"
        "force brake (x) = -c*x'/(abs(x') + e)\n"
        "claim first up to order 1 about (x = 0, x' = 0) : m*x'' = -c/e*x'\n"
        "claim second up to order 2 about (x = 0, x' = 0) : m*x'' = -c/e*x'\n"
        "claim bent up to order 2 about (x = 0, x' = 0) : m*x'' = -c/e*x' + c/e^2*x'*abs(x')\n");
    expect_holds("first");
    expect_holds("bent");
    zw_verdict v = verdict(claim_of("second"));
    assert_false(v.holds);
    assert_int_equal(v.order, 2);
    assert_non_null(v.kink);
    assert_non_null(strstr(v.kink, "abs(x') in force brake (line 6)"));
}

/* ---------------------------------------------------------------------------------- principles */

#define SKATE                                                                                      \
    "model skate\nparam m = 1 [kg], J = 0.1 [kg*m^2], b = 2 [m/s^2]\ncoord x, y [m], th [rad]\n"   \
    "kinetic 1/2*m*(x'^2 + y'^2) + 1/2*J*th'^2\npotential -m*b*x\n"                                \
    "constraint edge : y'*cos(th) - x'*sin(th) = 0\n"

static void test_series__other_principles(void **state) {
    (void)state;
    read_model(SKATE
               "claim d : m*x'' = m*b - lambda(edge)*sin(th)\n"
               "claim h by hamilton : m*x'' = m*b - lambda(edge)*sin(th)\n"
               "claim k by kane : m*x'' = m*b - lambda(edge)*sin(th)\n"
               "claim vx by vakonomic : (m*x' + lambda(edge)*sin(th))' = m*b\n"
               "claim vt by vakonomic : J*th'' = (x'*cos(th) + y'*sin(th))*lambda(edge)\n"
               "claim wrong by vakonomic : m*x'' + lambda(edge)'*sin(th) = m*b\n"
               "claim lagrange by vakonomic : th'' = 0\n"
               "claim small by vakonomic up to order 1 about (th = 0, x' = 0, y' = 0, th' = 0) :\n"
               "    J*th'' = lambda(edge)*x'\n");
    const char *const good[] = {"d", "h", "k", "vx", "vt", "small"};
    for (int i = 0; i < 6; i++)
        expect_holds(good[i]);
    expect_fails("wrong", 0, "missing term: -th'*lambda(edge)*cos(th) on the right side");
    zw_verdict v = verdict(claim_of("lagrange"));
    assert_false(v.holds);
}

/* --------------------------------------------------------------------------------------- means */

#define SWING                                                                                      \
    "model swing\nparam m = 1 [kg], l = 0.5 [m], g = 9.8 [m/s^2], c = 0.1 [1/s], a = 0.2, w = 3 "  \
    "[rad/s]\n"                                                                                    \
    "coord th, ph [rad]\nkinetic 1/2*m*l^2*(th'^2 + ph'^2)\n"                                      \
    "let row = th'' + c*th' + g/l*sin(th)\n"

static void test_series__means(void **state) {
    (void)state;
    read_model(SWING "claim sine along (th = a*sin(w*t)) up to order 4 about (a = 0) :\n"
                     "    2*mean(row*sin(w*t), 2*pi/w) = (g/l - w^2)*a - g/l*a^3/8\n"
                     "claim slip along (th = a*sin(w*t)) up to order 4 about (a = 0) :\n"
                     "    2*mean(row*sin(w*t), 2*pi/w) = (g/l - w^2)*a - g/l*a^3/6\n"
                     "claim more along (th = a*sin(w*t)) up to order 5 about (a = 0) :\n"
                     "    2*mean(row*sin(w*t), 2*pi/w) = (g/l - w^2)*a - g/l*a^3/8\n"
                     "claim cosine along (th = a*sin(w*t)) : 2*mean(row*cos(w*t), 2*pi/w) = c*w*a\n"
                     "claim slow along (th = ph*sin(w*t)) : 2*mean(th'*sin(w*t), 2*pi/w) = ph'\n"
                     "claim motion along (th = a*sin(w*t)) : th'' = -w^2*th\n"
                     "claim long along (th = a*sin(w*t)) : mean(th, 3/w) = 0\n");
    const char *const good[] = {"sine", "cosine", "slow", "motion"};
    for (int i = 0; i < 4; i++)
        expect_holds(good[i]);
    expect_fails("slip", 3, "-1/6*g*a^3/l should be -1/8*g*a^3/l");
    expect_fails("more", 5, ""); /* a^5 has more factors than are tried */
    expect_refused("long", ZW_E_NUMERIC, "does not settle");
}

/* ------------------------------------------------------------------------------------ refusals */

static void test_series__refuses(void **state) {
    (void)state;
    read_model(SWING "claim root up to order 2 about (th = 0) : sqrt(th) = 0\n"
                     "claim away about (th = 1, th' = 0) : eigenvalue(0 [1/s]) = 0\n"
                     "claim open about (th = 0, th' = 0) : eigenvalue(0 [1/s]) = 0\n"
                     "claim series up to order 1 about (th = 0, th' = 0, ph = 0, ph' = 0) :\n"
                     "    eigenvalue(0 [1/s]) = 0\n"
                     "force (th) = -m*g*l*sin(th) - m*l^2*1 [1/s^2]*sin(ph)\n");
    expect_refused("root", ZW_E_NONFINITE, "sqrt(th)");
    expect_refused("away", ZW_E_MODEL, "is not an equilibrium: th' changes at the rate");
    expect_refused("open", ZW_E_MODEL, "th'");
    expect_refused("series", ZW_E_MODEL, "an eigenvalue as a series");
    read_model(ARM "claim off about (x = 2*l) : y' = 0\n");
    expect_refused("off", ZW_E_MODEL, "no position that the constraints admit");
    /* x is at its largest, and y only the root of what is left of l^2: no series in x */
    read_model(ARM "claim side about (x = l) : x = 0\n"
                   "claim low up to order 3 about (y = -l) : x'' = 0\n"
                   "claim told about (x = l, y = 0) : x = 0\n");
    expect_refused("side", ZW_E_MODEL, "at a turning point there");
    expect_refused("low", ZW_E_MODEL, "at a turning point there");
    expect_fails("told", 0, "");
    read_model("model m\nunits none\nparam m = 1\ncoord x, y\nkinetic 1/2*m*x'^2\n"
               "potential x^2 + y^2\nclaim c up to order 1 about (x = 0) : x'' = 0\n");
    expect_refused("c", ZW_E_SINGULAR, "has no inertia");
    /* samples of another claim */
    zw_trials trials;
    zw_verdict v;
    read_model(ARM "claim a about (x = 0) : x = 0\nclaim b : x'' = 0\n");
    assert_int_equal(zw_trials_for(&trials, sys, claim_of("a"), NULL, NULL, &err), ZW_OK);
    assert_int_equal(zw_verify(&v, sys, claim_of("b"), &trials, &err), ZW_E_OPTION);
    assert_int_equal(zw_trials_for(&trials, sys, claim_of("b"), NULL, NULL, &err), ZW_OK);
    assert_int_equal(zw_verify(&v, sys, claim_of("a"), &trials, &err), ZW_E_OPTION);
}

static zw_status with_allocator(const zw_allocator *alloc, int *good) {
    static const char text[] =
        "model m\nunits none\nparam m = 1, k = 2\ncoord x\nkinetic 1/2*m*x'^2\npotential k*x^2/2\n"
        "claim c up to order 1 about (x = 0, x' = 0) : m*x'' = -k*x\n"
        "claim e about (x = 0, x' = 0) : eigenvalue(0, 1) = (0, sqrt(k/m))\n";
    zw_verify_options options = zw_verify_options_default();
    zw_system *s;
    zw_trials trials;
    zw_verdict v;
    zw_context *own = zw_context_create(alloc);
    if (!own)
        return ZW_E_MEMORY;
    options.states = 4;
    zw_status status = zw_model_parse(&s, own, text, strlen(text), "m.zw", NULL, NULL);
    for (int i = 0; status >= 0 && i < s->nclaim; i++) {
        status = zw_trials_for(&trials, s, &s->claim[i], NULL, &options, NULL);
        if (status >= 0)
            status = zw_verify(&v, s, &s->claim[i], &trials, NULL);
        *good += status >= 0 && v.holds;
    }
    zw_context_destroy(own);
    return status;
}

static void test_series__survives_no_memory(void **state) {
    (void)state;
    for (long n = 1;; n += 1 + n / 20) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        int good = 0;
        zw_status status = with_allocator(&alloc, &good);
        assert_int_equal(f.blocks, 0);
        if (!f.failed) {
            assert_int_equal(status, ZW_OK);
            assert_int_equal(good, 3);
            break;
        }
        assert_true(status < 0 || good == 3); /* names may be lost, verdicts not */
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_series__##name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(is_the_taylor_polynomial),
        TEST(follows_constraints),
        TEST(redundant_constraints_change_nothing),
        TEST(sizes_do_not_matter),
        TEST(fast_and_slow),
        TEST(what_contradicts_the_constraints),
        TEST(which_eigenvalue),
        TEST(rotations),
        TEST(parameters_may_be_small),
        TEST(matrices_may_have_poles),
        TEST(kinks_are_named),
        TEST(other_principles),
        TEST(means),
        TEST(refuses),
        TEST(survives_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
