/* SPDX-License-Identifier: MIT */
#include "expr/print/latex.h"
#include "support/test.h"
#include "zwang/expr.h"

static zw_context *ctx;
static zw_expr m, g, l, theta, theta_dot, x, y;

static int setup(void **state) {
    (void)state;
    ctx = zw_context_create(NULL);
    m = zw_symbol(ctx, "m");
    g = zw_symbol(ctx, "g");
    l = zw_symbol(ctx, "l");
    theta = zw_symbol(ctx, "theta");
    theta_dot = zw_symbol(ctx, "theta'");
    x = zw_symbol(ctx, "x_1");
    y = zw_symbol(ctx, "y");
    return ctx ? 0 : 1;
}

static int teardown(void **state) {
    (void)state;
    zw_context_destroy(ctx);
    return 0;
}

static void assert_prints(zw_expr e, zw_format format, const char *want) {
    char *text = zw_print(ctx, e, format);
    assert_non_null(text);
    assert_string_equal(text, want);
    zw_string_free(ctx, text);
}

static void test_print__text(void **state) {
    (void)state;
    zw_expr weight = zw_product(ctx, 4, (zw_expr[]){zw_sin(ctx, theta), l, g, m});
    assert_prints(weight, ZW_TEXT, "m*g*l*sin(theta)");
    zw_expr kinetic = zw_mul(ctx, ZW_HALF, zw_mul(ctx, m, zw_pow(ctx, theta_dot, ZW_TWO)));
    assert_prints(zw_sub(ctx, kinetic, weight), ZW_TEXT, "1/2*m*theta'^2 - m*g*l*sin(theta)");
    assert_prints(zw_div(ctx, m, zw_mul(ctx, g, l)), ZW_TEXT, "m/(g*l)");
    assert_prints(zw_neg(ctx, x), ZW_TEXT, "-x_1");
    assert_prints(zw_mul(ctx, m, zw_add(ctx, x, zw_integer(ctx, -3))), ZW_TEXT, "m*(x_1 - 3)");
    assert_prints(zw_pow(ctx, zw_add(ctx, x, y), zw_rational(ctx, -1, 2)), ZW_TEXT,
                  "1/sqrt(x_1 + y)");
    assert_prints(zw_pow(ctx, x, zw_rational(ctx, 2, 3)), ZW_TEXT, "x_1^(2/3)");
    assert_prints(zw_pow(ctx, ZW_TWO, x), ZW_TEXT, "2^(x_1)");
    zw_expr test = zw_apply(ctx, ZW_OP_LT, 2, (zw_expr[]){x, y});
    assert_prints(zw_cond(ctx, test, x, zw_neg(ctx, y)), ZW_TEXT, "if(x_1 < y, x_1, -y)");
    zw_expr not_x = zw_apply(ctx, ZW_OP_NOT, 1, &x); /* of lower rank than sums and comparisons */
    assert_prints(zw_sub(ctx, not_x, y), ZW_TEXT, "(not(x_1)) - y");
    assert_prints(zw_mul(ctx, not_x, y), ZW_TEXT, "y*(not(x_1))");
    assert_prints(zw_apply(ctx, ZW_OP_LE, 2, (zw_expr[]){not_x, y}), ZW_TEXT, "(not(x_1)) <= y");
    assert_prints(zw_apply(ctx, ZW_OP_AND, 2, (zw_expr[]){not_x, test}), ZW_TEXT,
                  "x_1 < y and not(x_1)");
    assert_prints(zw_rational(ctx, -7, 3), ZW_TEXT, "-7/3");
    assert_prints(zw_real(ctx, 0.1), ZW_TEXT, "1.00000000000000006e-01");
}

static void test_print__latex(void **state) {
    (void)state;
    zw_expr e = zw_mul(
        ctx, ZW_HALF,
        zw_product(ctx, 3, (zw_expr[]){m, zw_pow(ctx, l, ZW_TWO), zw_pow(ctx, theta_dot, ZW_TWO)}));
    assert_prints(e, ZW_LATEX, "\\frac{1}{2} \\, m \\, l^{2} \\, \\dot{\\theta}^{2}");
    assert_prints(zw_symbol(ctx, "Omega"), ZW_LATEX, "\\Omega");
    assert_prints(zw_symbol(ctx, "phi1''"), ZW_LATEX, "\\ddot{\\phi}_{1}");
    assert_prints(zw_symbol(ctx, "mu_rot"), ZW_LATEX, "\\mu_{\\mathrm{rot}}");
    assert_prints(zw_symbol(ctx, "ball.wx"), ZW_LATEX, "\\omega_{x,\\mathrm{ball}}");
    assert_prints(zw_symbol(ctx, "lambda(roll_x)"), ZW_LATEX, "\\lambda_{\\mathrm{roll},x}");
    assert_prints(zw_symbol(ctx, "lambda(roll.1)"), ZW_LATEX, "\\lambda_{\\mathrm{roll},1}");
    assert_prints(zw_symbol(ctx, "lambda(roll_2.1)"), ZW_LATEX, "\\lambda_{\\mathrm{roll},2,1}");
    assert_prints(zw_symbol(ctx, "lambda(roll_2.contact)"), ZW_LATEX,
                  "\\lambda_{\\mathrm{roll},2,\\mathrm{contact}}");
    assert_prints(zw_symbol(ctx, "lambda'(roll_x)"), ZW_LATEX,
                  "\\dot{\\lambda}_{\\mathrm{roll},x}");
    assert_prints(zw_symbol(ctx, "p(phi_1')"), ZW_LATEX, "p_{\\phi_{1}}");
    assert_prints(zw_symbol(ctx, "p'(psi')"), ZW_LATEX, "\\dot{p}_{\\psi}");
    assert_prints(zw_symbol(ctx, "p'(ball.wx)"), ZW_LATEX, "\\dot{p}_{\\omega_{x,\\mathrm{ball}}}");
    assert_prints(zw_symbol(ctx, "B_xz"), ZW_LATEX, "B_{xz}");
    assert_prints(zw_symbol(ctx, "dT/dx_1'"), ZW_LATEX,
                  "\\frac{\\partial T}{\\partial \\dot{x}_{1}}");
    assert_prints(zw_symbol(ctx, "d/dt dL/dphi'"), ZW_LATEX,
                  "\\frac{\\mathrm{d}}{\\mathrm{d}t} \\frac{\\partial L}{\\partial \\dot{\\phi}}");
    assert_prints(zw_div(ctx, zw_mul(ctx, zw_rational(ctx, 3, 2), m), l), ZW_LATEX,
                  "\\frac{3 \\, m}{2 \\, l}");
    assert_prints(zw_pow(ctx, zw_sin(ctx, theta), ZW_TWO), ZW_LATEX, "\\sin^{2} \\theta");
    assert_prints(zw_cos(ctx, zw_sub(ctx, theta, x)), ZW_LATEX, "\\cos(\\theta - x_{1})");
    assert_prints(zw_mul(ctx, m, zw_sin(ctx, zw_div(ctx, theta, l))), ZW_LATEX,
                  "m \\, \\sin\\biggl(\\frac{\\theta}{l}\\biggr)");
    assert_prints(zw_sub(ctx, ZW_ONE, zw_pow(ctx, y, ZW_TWO)), ZW_LATEX, "1 - y^{2}");
    /* no bracket follows the argument of a sine */
    assert_prints(zw_mul(ctx, zw_sin(ctx, theta), zw_add(ctx, m, g)), ZW_LATEX,
                  "(m + g) \\, \\sin \\theta");
}

/* dots stand over letters and behind words, and however many there are they are not lost */
static void test_print__latex_dots(void **state) {
    (void)state;
    zw_expr lean = zw_symbol(ctx, "lean'");
    assert_prints(lean, ZW_LATEX, "\\mathrm{lean}^{\\boldsymbol{\\cdot}}");
    assert_prints(zw_symbol(ctx, "arm_2''"), ZW_LATEX,
                  "\\mathrm{arm}_{2}^{\\boldsymbol{\\cdot\\cdot}}");
    assert_prints(zw_pow(ctx, lean, ZW_TWO), ZW_LATEX,
                  "(\\mathrm{lean}^{\\boldsymbol{\\cdot}})^{2}");
    assert_prints(zw_symbol(ctx, "x''''"), ZW_LATEX, "\\ddddot{x}");
    assert_prints(zw_symbol(ctx, "x'''''"), ZW_LATEX, "x^{(5)}");
}

/* numbers as people write them: decimals where they are short, small fractions where they are not
 * decimals */
static void test_print__numbers(void **state) {
    (void)state;
    zw_expr weight = zw_mul(ctx, zw_rational(ctx, 981, 100), m);
    assert_prints(weight, ZW_LATEX, "9.81 \\, m");
    assert_prints(weight, ZW_TEXT, "9.81*m");
    assert_prints(zw_div(ctx, weight, l), ZW_LATEX, "\\frac{9.81 \\, m}{l}");
    assert_prints(zw_rational(ctx, 1, 2), ZW_LATEX, "\\frac{1}{2}");
    assert_prints(zw_rational(ctx, 7, 5), ZW_TEXT, "7/5");
    assert_prints(zw_rational(ctx, 1, 12), ZW_TEXT, "1/12");
    assert_prints(zw_rational(ctx, -1, 1000), ZW_TEXT, "-0.001");
    assert_prints(zw_rational(ctx, 1, 10000000), ZW_TEXT, "1/10000000");
    assert_prints(zw_real(ctx, 0.1), ZW_LATEX, "0.1");
    assert_prints(zw_real(ctx, 1.5e-7), ZW_LATEX, "1.5 \\cdot 10^{-7}");
}

/* a fraction or a root wider than it may be is written in another way; breaks are noted outside of
 * fractions only */
static void test_print__latex_of_limited_width(void **state) {
    (void)state;
    zw_expr sum = zw_sum(ctx, 4, (zw_expr[]){m, g, l, y});
    zw_allocator alloc = zw_context_allocator(ctx);
    struct {
        zw_expr e;
        double width;
        const char *text;
        int breaks;
    } cases[] = {
        {zw_div(ctx, x, sum), 0, "\\frac{x_{1}}{m + g + l + y}", 0},
        {zw_div(ctx, sum, x), 3, "\\frac{1}{x_{1}} \\, (m + g + l + y)", 4},
        {zw_div(ctx, x, sum), 3, "x_{1} \\, (m + g + l + y)^{-1}", 4},
        {zw_sqrt(ctx, sum), 3, "(m + g + l + y)^{1/2}", 3},
        {zw_sqrt(ctx, sum), 30, "\\sqrt{m + g + l + y}", 0},
        {zw_neg(ctx, sum), 3, "-m - g - l - y", 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        zw_tex t;
        zw_tex_init(&t, &alloc);
        zw_latex_print(ctx, cases[i].e, cases[i].width, 1000, &t);
        assert_string_equal(zw_text_get(&t.text), cases[i].text);
        assert_int_equal(t.n, cases[i].breaks);
        zw_tex_clear(&t);
    }
}

static void test_print__c(void **state) {
    (void)state;
    zw_expr e = zw_mul(ctx, zw_rational(ctx, 2, 3), zw_pow(ctx, theta_dot, ZW_TWO));
    assert_prints(e, ZW_C, "2.0/3.0*pow(theta_dot, 2.0)");
    assert_prints(zw_apply(ctx, ZW_OP_MIN, 2, (zw_expr[]){x, y}), ZW_C, "(y < x_1 ? y : x_1)");
    assert_prints(zw_mul(ctx, m, zw_apply(ctx, ZW_OP_ABS, 1, &x)), ZW_C, "m*fabs(x_1)");
}

/* 60 levels of a graph that doubles with each: written out it is longer than any disk. The work
 * ends with the budget, not with the expression. */
static void test_print__budget(void **state) {
    (void)state;
    zw_expr e = x;
    for (int i = 0; i < 60; i++)
        e = zw_mul(ctx, zw_sin(ctx, e), zw_cos(ctx, e));
    assert_null(zw_print_within(ctx, e, ZW_TEXT, 400));
    assert_null(zw_print_within(ctx, e, ZW_LATEX, 1 << 16));
    assert_null(zw_print_within(ctx, e, ZW_C, 0));
    zw_expr sum = zw_add(ctx, m, zw_sin(ctx, y)); /* m + sin(y) */
    char *text = zw_print_within(ctx, sum, ZW_TEXT, 10);
    assert_string_equal(text, "m + sin(y)");
    zw_string_free(ctx, text);
    assert_null(zw_print_within(ctx, sum, ZW_TEXT, 9));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_print__text),
        cmocka_unit_test(test_print__latex),
        cmocka_unit_test(test_print__latex_dots),
        cmocka_unit_test(test_print__numbers),
        cmocka_unit_test(test_print__latex_of_limited_width),
        cmocka_unit_test(test_print__c),
        cmocka_unit_test(test_print__budget),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
