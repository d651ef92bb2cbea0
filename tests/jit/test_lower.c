/* SPDX-License-Identifier: MIT */
/* How many operations an expression costs: sharing, factoring, powers, one division, hoisting. The
 * values themselves are compared in test_interp.c. */
#include "jit/program.h"
#include "support/test.h"
#include "zwang/expr.h"

typedef struct fixture {
    zw_context *ctx;
    zw_program program;
    zw_expr x, y, z, a, b; /* x, y, z states, a, b parameters */
} fixture;

static int setup(void **state) {
    static fixture f;
    f.ctx = zw_context_create(NULL);
    f.x = zw_symbol(f.ctx, "x");
    f.y = zw_symbol(f.ctx, "y");
    f.z = zw_symbol(f.ctx, "z");
    f.a = zw_symbol(f.ctx, "a");
    f.b = zw_symbol(f.ctx, "b");
    const zw_expr states[3] = {f.x, f.y, f.z}, parameters[2] = {f.a, f.b};
    if (zw_program_init(&f.program, f.ctx, NULL) < 0)
        return -1;
    zw_program_input(&f.program, ZW_SPACE_X, 3, states, NULL);
    zw_program_input(&f.program, ZW_SPACE_P, 2, parameters, NULL);
    *state = &f;
    return 0;
}

static int teardown(void **state) {
    fixture *f = *state;
    zw_program_clear(&f->program);
    zw_context_destroy(f->ctx);
    return 0;
}

/* operations of a function with these outputs */
static int operations(fixture *f, int n, const zw_expr *e) {
    assert_int_equal(zw_context_status(f->ctx, NULL), ZW_OK);
    assert_int_equal(zw_program_function(&f->program, "f", n, e, NULL), ZW_OK);
    assert_int_equal(zw_program_finish(&f->program, NULL), ZW_OK);
    return f->program.code[f->program.nfunction - 1].nops;
}

static int count_of(const zw_code *code, zw_opcode op) {
    int n = 0;
    for (int i = 0; i < code->ninstruction; i++)
        n += code->instruction[i].op == op;
    return n;
}

static void test_lower__takes_out_common_factors(void **state) {
    fixture *f = *state;
    zw_context *c = f->ctx;
    /* z x^2 + z y^2 + 3 z = z (x^2 + y^2 + 3) */
    zw_expr square = zw_add(c, zw_mul(c, f->x, f->x), zw_mul(c, f->y, f->y));
    zw_expr e = zw_expand(c, zw_mul(c, f->z, zw_add(c, square, zw_integer(c, 3))));
    assert_int_equal(operations(f, 1, &e), 5);
    /* a x + a y = a (x + y) with a parameter */
    e = zw_add(c, zw_mul(c, f->a, f->x), zw_mul(c, f->a, f->y));
    assert_int_equal(operations(f, 1, &e), 2);
}

static void test_lower__differences_of_either_sign_are_one_value(void **state) {
    fixture *f = *state;
    zw_context *c = f->ctx;
    /* a (x - y) and b (y - x): one subtraction, two products, one sign */
    zw_expr e[2] = {zw_expand(c, zw_mul(c, f->a, zw_sub(c, f->x, f->y))),
                    zw_expand(c, zw_mul(c, f->b, zw_sub(c, f->y, f->x)))};
    assert_true(operations(f, 2, e) <= 4);
}

static void test_lower__flat_sums_and_products_share_parts(void **state) {
    fixture *f = *state;
    zw_context *c = f->ctx;
    zw_expr sine = zw_sin(c, f->x), two[2] = {f->y, f->z}, three[3] = {f->y, f->z, sine};
    zw_expr e[2] = {zw_sum(c, 2, two), zw_sum(c, 3, three)};
    assert_int_equal(operations(f, 2, e), 3); /* with the sine */
    e[0] = zw_product(c, 2, two);
    e[1] = zw_product(c, 3, three);
    assert_int_equal(operations(f, 2, e), 3);
    /* sin x + y - z and cos x + z - y have y - z in common */
    zw_expr difference = zw_sub(c, f->y, f->z);
    e[0] = zw_add(c, sine, difference);
    e[1] = zw_sub(c, zw_cos(c, f->x), difference);
    assert_int_equal(operations(f, 2, e), 5);
    /* (x y z)^2 and x y: three products */
    zw_expr all[3] = {f->x, f->y, f->z};
    e[0] = zw_pow(c, zw_product(c, 3, all), ZW_TWO);
    e[1] = zw_mul(c, f->x, f->y);
    assert_int_equal(operations(f, 2, e), 3);
}

/* n prefix sums of n terms take n - 1 additions, not n (n - 1) / 2 */
static void test_lower__partial_sums_cost_one_addition_each(void **state) {
    fixture *f = *state;
    enum { N = 20 };
    zw_expr term[N], sum[N];
    for (int i = 0; i < N; i++) {
        term[i] = zw_sin(f->ctx, zw_add(f->ctx, f->x, zw_integer(f->ctx, i)));
        sum[i] = zw_sum(f->ctx, i + 1, term);
    }
    /* N sines, N - 1 arguments, N - 1 sums */
    assert_int_equal(operations(f, N, sum), 3 * N - 2);
}

static void test_lower__parameters_join_their_number(void **state) {
    fixture *f = *state;
    zw_context *c = f->ctx;
    /* 2 a b x + 3 b x + a: the coefficient of x and the rest are computed by prepare */
    zw_expr terms[3] = {
        zw_mul(c, zw_mul(c, ZW_TWO, zw_mul(c, f->a, f->b)), f->x),
        zw_mul(c, zw_mul(c, zw_integer(c, 3), f->b), f->x),
        f->a,
    };
    zw_expr e = zw_sum(c, 3, terms);
    assert_int_equal(operations(f, 1, &e), 2);
    assert_int_equal(f->program.prepare.nout, 2);
}

static void test_lower__powers_share_their_squares(void **state) {
    fixture *f = *state;
    zw_context *c = f->ctx;
    zw_expr e[2] = {zw_pow(c, f->x, zw_integer(c, 8)), zw_pow(c, f->x, zw_integer(c, 4))};
    assert_int_equal(operations(f, 2, e), 3);
    /* x^(3/2) = x sqrt(x); x^(-3/2) = (1/sqrt(x))^3 */
    zw_expr root = zw_pow(c, f->x, zw_rational(c, 3, 2));
    assert_int_equal(operations(f, 1, &root), 2);
    root = zw_pow(c, f->x, zw_rational(c, -3, 2));
    assert_int_equal(operations(f, 1, &root), 4);
    assert_int_equal(count_of(&f->program.code[f->program.nfunction - 1], ZW_CODE_POW), 0);
}

static void test_lower__divides_once(void **state) {
    fixture *f = *state;
    zw_context *c = f->ctx;
    /* x/(y z) is two operations, and no reciprocal stays if nothing else needs it */
    zw_expr e = zw_div(c, f->x, zw_mul(c, f->y, f->z));
    assert_int_equal(operations(f, 1, &e), 2);
    /* x/y and z/y share 1/y */
    zw_expr both[2] = {zw_div(c, f->x, f->y), zw_div(c, f->z, f->y)};
    assert_int_equal(operations(f, 2, both), 3);
    assert_int_equal(count_of(&f->program.code[f->program.nfunction - 1], ZW_CODE_DIV), 1);
    /* x/a: a is inverted by prepare */
    e = zw_div(c, f->x, f->a);
    assert_int_equal(operations(f, 1, &e), 1);
    assert_int_equal(count_of(&f->program.code[f->program.nfunction - 1], ZW_CODE_MUL), 1);
}

static void test_lower__work_is_reused(void **state) {
    fixture *f = *state;
    zw_context *c = f->ctx;
    /* a chain of 400 operations in which one value is alive at a time */
    zw_expr e = f->x;
    for (int i = 0; i < 200; i++)
        e = zw_add(c, zw_mul(c, e, e), f->y);
    e = zw_add(c, e, f->z);
    assert_true(operations(f, 1, &e) >= 400);
    assert_true(f->program.code[f->program.nfunction - 1].nwork <= 2);
}

static void test_lower__deep_expressions_need_no_stack(void **state) {
    fixture *f = *state;
    zw_context *c = f->ctx;
    zw_expr e = f->x;
    for (int i = 0; i < 200000; i++)
        e = zw_sin(c, zw_add(c, e, f->y));
    assert_int_equal(operations(f, 1, &e), 400000);
}

/* Code for more operands than the limit is an error at the place of the model: 3 for each x_i =
 * x_{i-1} + i sin(x_{i-1}) + y. */
static void test_lower__ends_at_the_limit(void **state) {
    fixture *f = *state;
    zw_context *c = f->ctx;
    zw_error err = {0};
    zw_expr e = f->x;
    for (int i = 1; i <= 1000; i++)
        e = zw_add(c, zw_add(c, e, zw_mul(c, zw_integer(c, i), zw_sin(c, e))), f->y);
    zw_context_set_place(c, (zw_place){"wide.zw", 7, 1});
    zw_context_set_limits(c, (zw_context_limits){.code = 2000});
    assert_int_equal(zw_program_function(&f->program, "f", 1, &e, &err), ZW_E_MODEL);
    assert_non_null(strstr(err.text, "too large"));
    assert_string_equal(err.file, "wide.zw");
    assert_int_equal(err.line, 7);
}

int main(void) {
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(test_lower__takes_out_common_factors),
        CASE(test_lower__differences_of_either_sign_are_one_value),
        CASE(test_lower__flat_sums_and_products_share_parts),
        CASE(test_lower__partial_sums_cost_one_addition_each),
        CASE(test_lower__parameters_join_their_number),
        CASE(test_lower__powers_share_their_squares),
        CASE(test_lower__divides_once),
        CASE(test_lower__work_is_reused),
        CASE(test_lower__deep_expressions_need_no_stack),
        CASE(test_lower__ends_at_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
