/* SPDX-License-Identifier: MIT */
/* Native code against the interpreter: the same bits with one lane; with lanes every function
 * within an ulp of the exact value and arithmetic with the same bits, fused or not. */
#include "jit/interp.h"
#include "jit/native.h"
#include "jit/program.h"
#include "support/random_expr.h"

enum { OUTPUTS = 5, FUNCTIONS = 14, ROUNDS = 60, WORK_MAX = 1 << 15 };

static double work[WORK_MAX], cache[WORK_MAX];

/* a program of several functions, its interpreter and its native code */
typedef struct bench {
    zw_arena arena;
    zw_program program;
    zw_func interp[FUNCTIONS + 1], native[FUNCTIONS + 1]; /* prepare is the last one */
    zw_native *code;
    int n;
} bench;

static void bench_compile(bench *b, int n, int lanes) {
    zw_error err = {0};
    zw_allocator alloc = zw_allocator_default();
    zw_native_job job[FUNCTIONS + 1];
    zw_arena_init(&b->arena, NULL);
    assert_int_equal(zw_program_finish(&b->program, &err), ZW_OK);
    b->n = n;
    for (int i = 0; i <= n; i++) {
        const zw_code *code = i < n ? &b->program.code[i] : &b->program.prepare;
        assert_int_equal(zw_interp_func(&b->interp[i], code, lanes, NULL, &b->arena), ZW_OK);
        assert_true(b->interp[i].nwork * lanes <= WORK_MAX && code->nout * lanes <= WORK_MAX);
        b->native[i] = b->interp[i];
        job[i] = (zw_native_job){code, &b->native[i], i % 2 == 0};
    }
    zw_status s = zw_native_create(&b->code, n + 1, job, lanes, &alloc, &err);
    if (s == ZW_E_MISSING) {
        print_message("%s\n", err.text);
        skip();
    }
    assert_int_equal(s, ZW_OK);
    for (int i = 0; i <= n; i++)
        assert_true(b->native[i].call != b->interp[i].call);
}

static void bench_clear(bench *b) {
    zw_native_destroy(b->code);
    zw_program_clear(&b->program);
    zw_arena_clear(&b->arena);
}

static void add_inputs(zw_program *p, const random_source *r) {
    assert_int_equal(zw_program_init(p, r->ctx, NULL), ZW_OK);
    assert_int_equal(zw_program_input(p, ZW_SPACE_T, 1, r->symbol, NULL), ZW_OK);
    assert_int_equal(zw_program_input(p, ZW_SPACE_X, 4, r->symbol + 1, NULL), ZW_OK);
    assert_int_equal(zw_program_input(p, ZW_SPACE_Z, 3, r->symbol + 5, NULL), ZW_OK);
    assert_int_equal(zw_program_input(p, ZW_SPACE_P, 4, r->symbol + 8, NULL), ZW_OK);
}

static void call(const zw_func *prepare, const zw_func *f, int lanes, const double *point,
                 double *out) {
    zw_call(prepare, &(zw_args){.p = point + 8 * lanes}, cache, work);
    zw_call(f, &(zw_args){.t = point, .x = point + lanes, .z = point + 5 * lanes, .c = cache}, out,
            work);
}

static void test_native__has_the_bits_of_the_interpreter(void **state) {
    (void)state;
    int finite = 0;
    for (int round = 0; round < ROUNDS; round++) {
        zw_context *ctx = zw_context_create(NULL);
        random_source r;
        bench b;
        random_init(&r, (uint64_t)(50000 + round), ctx);
        add_inputs(&b.program, &r);
        for (int i = 0; i < FUNCTIONS; i++) {
            zw_expr e[OUTPUTS];
            random_expressions(&r, OUTPUTS, e);
            assert_int_equal(zw_program_function(&b.program, "f", OUTPUTS, e, NULL), ZW_OK);
        }
        bench_compile(&b, FUNCTIONS, 1);
        for (int trial = 0; trial < 20; trial++)
            for (int i = 0; i < FUNCTIONS; i++) {
                double point[RANDOM_SYMBOLS], out[OUTPUTS], want[OUTPUTS];
                random_point(&r, point);
                call(&b.interp[FUNCTIONS], &b.interp[i], 1, point, want);
                call(&b.native[FUNCTIONS], &b.native[i], 1, point, out);
                for (int k = 0; k < OUTPUTS; k++) {
                    finite += isfinite(want[k]) != 0;
                    if (!isnan(want[k]) || !isnan(out[k]))
                        assert_memory_equal(&want[k], &out[k], sizeof(double));
                }
            }
        bench_clear(&b);
        zw_context_destroy(ctx);
    }
    assert_true(finite > 20 * FUNCTIONS * ROUNDS);
}

/* sin and cos of one argument become sincos: must not change a bit anywhere */
static void test_native__sincos_has_the_bits_of_both(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    random_source r;
    bench b;
    random_init(&r, 3, ctx);
    add_inputs(&b.program, &r);
    zw_expr e[2] = {zw_sin(ctx, r.symbol[1]), zw_cos(ctx, r.symbol[1])};
    assert_int_equal(zw_program_function(&b.program, "f", 2, e, NULL), ZW_OK);
    bench_compile(&b, 1, 1);
    for (int i = 0; i < 1000000; i++) {
        double point[RANDOM_SYMBOLS] = {0}, out[2], want[2];
        double size = exp(test_random_real(&r.random, -40, 40));
        point[1] = test_random_real(&r.random, -size, size);
        call(&b.native[1], &b.native[0], 1, point, out);
        want[0] = sin(point[1]);
        want[1] = cos(point[1]);
        assert_memory_equal(want, out, sizeof want);
    }
    bench_clear(&b);
    zw_context_destroy(ctx);
}

typedef struct function_case {
    zw_op op;
    long double (*exact)(long double);
    double low, high;
    bool logarithmic; /* sizes evenly spread on a logarithmic scale */
} function_case;

/* ulps between a double and the value in extended precision */
static double ulps(double got, long double exact) {
    double rounded = (double)exact;
    if (!isfinite(rounded) || fabs(rounded) < 0x1p-1022) /* SLEEF flushes the subnormal range */
        return got == rounded || isfinite(rounded) ? 0 : INFINITY;
    double ulp = nextafter(fabs(rounded), INFINITY) - fabs(rounded);
    return (double)(fabsl(got - exact) / ulp);
}

/* the bits of a lane are those that it has among its like */
static void check_alone(const bench *b, int lanes, const double *point, const double *out) {
    for (int l = 0; l < lanes; l++) {
        double alike[RANDOM_SYMBOLS * 8] = {0}, again[8];
        for (int k = 0; k < lanes; k++)
            alike[lanes + k] = point[lanes + l];
        call(&b->native[1], &b->native[0], lanes, alike, again);
        assert_memory_equal(&again[l], &out[l], sizeof(double));
    }
}

static void check_lanes_of_function(const function_case *f, int lanes) {
    zw_context *ctx = zw_context_create(NULL);
    random_source r;
    bench b;
    random_init(&r, 9, ctx);
    add_inputs(&b.program, &r);
    zw_expr e = zw_apply(ctx, f->op, 1, &r.symbol[1]);
    assert_int_equal(zw_program_function(&b.program, "f", 1, &e, NULL), ZW_OK);
    bench_compile(&b, 1, lanes);
    double worst = 0, at = 0;
    for (int i = 0; i < 20000; i++) {
        double point[RANDOM_SYMBOLS * 8] = {0}, out[8], libm[8];
        for (int l = 0; l < lanes; l++)
            point[lanes + l] = f->logarithmic
                                   ? exp(test_random_real(&r.random, log(f->low), log(f->high)))
                                   : test_random_real(&r.random, f->low, f->high);
        call(&b.interp[1], &b.interp[0], lanes, point, libm);
        call(&b.native[1], &b.native[0], lanes, point, out);
        if (i < 200) /* whatever the other lanes are, also where they need another way */
            check_alone(&b, lanes, point, out);
        for (int l = 0; l < lanes; l++) {
            /* without SLEEF it is libm that is called, which promises no ulp */
            double off = out[l] == libm[l] ? 0 : ulps(out[l], f->exact(point[lanes + l]));
            if (!(off <= worst)) {
                worst = off;
                at = point[lanes + l];
            }
        }
    }
    if (!(worst <= 1.0)) {
        print_error("operator %d, %d lanes: %.3f ulp at %.17g\n", (int)f->op, lanes, worst, at);
        fail();
    }
    bench_clear(&b);
    zw_context_destroy(ctx);
}

static void test_native__lanes_of_functions_are_within_an_ulp(void **state) {
    (void)state;
    static const function_case cases[] = {
        {ZW_OP_SIN, sinl, -10, 10, false},      {ZW_OP_SIN, sinl, 1e-8, 1e12, true},
        {ZW_OP_COS, cosl, -10, 10, false},      {ZW_OP_COS, cosl, 1e-8, 1e12, true},
        {ZW_OP_TAN, tanl, -10, 10, false},      {ZW_OP_TAN, tanl, 1e-8, 1e12, true},
        {ZW_OP_ASIN, asinl, -1, 1, false},      {ZW_OP_ASIN, asinl, 1e-12, 1, true},
        {ZW_OP_ACOS, acosl, -1, 1, false},      {ZW_OP_ATAN, atanl, -20, 20, false},
        {ZW_OP_ATAN, atanl, 1e-12, 1e12, true}, {ZW_OP_SINH, sinhl, -20, 20, false},
        {ZW_OP_SINH, sinhl, 1e-9, 700, true},   {ZW_OP_COSH, coshl, -20, 20, false},
        {ZW_OP_TANH, tanhl, -5, 5, false},      {ZW_OP_TANH, tanhl, 1e-9, 100, true},
        {ZW_OP_ASINH, asinhl, -20, 20, false},  {ZW_OP_ASINH, asinhl, 1e-9, 1e9, true},
        {ZW_OP_ACOSH, acoshl, 1, 20, false},    {ZW_OP_ATANH, atanhl, -1, 1, false},
        {ZW_OP_EXP, expl, -20, 20, false},      {ZW_OP_EXP, expl, -700, 700, false},
        {ZW_OP_LOG, logl, 1e-3, 10, false},     {ZW_OP_LOG, logl, 1e-300, 1e300, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_lanes_of_function(&cases[i], 4);
        check_lanes_of_function(&cases[i], 8);
    }
}

static void test_native__lanes_of_two_arguments_are_within_an_ulp(void **state) {
    (void)state;
    for (int lanes = 4; lanes <= 8; lanes += 4) {
        zw_context *ctx = zw_context_create(NULL);
        random_source r;
        bench b;
        random_init(&r, 10, ctx);
        add_inputs(&b.program, &r);
        zw_expr e[2] = {zw_apply(ctx, ZW_OP_ATAN2, 2, &r.symbol[1]),
                        zw_pow(ctx, r.symbol[3], r.symbol[2])};
        assert_int_equal(zw_program_function(&b.program, "f", 2, e, NULL), ZW_OK);
        bench_compile(&b, 1, lanes);
        for (int i = 0; i < 20000; i++) {
            double point[RANDOM_SYMBOLS * 8] = {0}, out[16];
            const double *x = point + lanes;
            for (int l = 0; l < 3 * lanes; l++)
                point[lanes + l] = test_random_real(&r.random, l < 2 * lanes ? -20 : 0, 20);
            call(&b.native[1], &b.native[0], lanes, point, out);
            for (int l = 0; l < lanes; l++) {
                assert_true(ulps(out[l], atan2l(x[l], x[lanes + l])) <= 1.0);
                assert_true(ulps(out[lanes + l], powl(x[2 * lanes + l], x[lanes + l])) <= 1.0);
            }
        }
        bench_clear(&b);
        zw_context_destroy(ctx);
    }
}

/* everything but calls of functions: the same bits in every lane */
static zw_expr without_functions(random_source *r) {
    zw_context *ctx = r->ctx;
    zw_expr a = random_sum(r), b = random_sum(r), lt[2] = {a, b};
    zw_expr test = zw_apply(ctx, ZW_OP_LT, 2, lt), least = zw_apply(ctx, ZW_OP_MIN, 2, lt);
    zw_expr root = zw_sqrt(ctx, zw_add(ctx, ZW_ONE, zw_mul(ctx, a, a)));
    zw_expr steps = zw_lookup(ctx, r->table[0], 0, zw_apply(ctx, ZW_OP_ABS, 1, &b));
    zw_expr sum = zw_add(ctx, zw_div(ctx, least, root), zw_apply(ctx, ZW_OP_SIGN, 1, &a));
    return zw_cond(ctx, test, sum, zw_mul(ctx, steps, random_sum(r)));
}

static void test_native__lanes_of_arithmetic_have_the_same_bits(void **state) {
    (void)state;
    int fused = 0;
    for (int round = 0; round < 40; round++) {
        int lanes = round % 2 ? 4 : 8;
        zw_context *ctx = zw_context_create(NULL);
        random_source r;
        bench b;
        random_init(&r, (uint64_t)(700 + round), ctx);
        add_inputs(&b.program, &r);
        zw_expr e[OUTPUTS];
        for (int i = 0; i < OUTPUTS; i++) {
            e[i] = without_functions(&r);
            r.pool[r.npool++] = e[i];
        }
        assert_int_equal(zw_program_function(&b.program, "f", OUTPUTS, e, NULL), ZW_OK);
        b.program.fuses = round >= 20;
        bench_compile(&b, 1, lanes);
        for (int i = 0; i < b.program.code[0].ninstruction; i++) {
            uint32_t op = b.program.code[0].instruction[i].op;
            fused += op == ZW_CODE_MULADD || op == ZW_CODE_MULSUB || op == ZW_CODE_SUBMUL;
            assert_true(fused == 0 || b.program.fuses);
        }
        for (int trial = 0; trial < 50; trial++) {
            double point[RANDOM_SYMBOLS * 8], out[OUTPUTS * 8], want[OUTPUTS * 8];
            for (int i = 0; i < RANDOM_SYMBOLS * lanes; i++)
                point[i] = test_random_real(&r.random, -2, 2);
            call(&b.interp[1], &b.interp[0], lanes, point, want);
            call(&b.native[1], &b.native[0], lanes, point, out);
            assert_memory_equal(want, out, sizeof(double) * (size_t)(OUTPUTS * lanes));
        }
        bench_clear(&b);
        zw_context_destroy(ctx);
    }
    assert_true(fused > 200);
}

/* x y + z, x y - z, z - x y where the exact value is the last bit of the product, which two
 * roundings lose; and two products, of which one is rounded */
static void test_native__a_fused_product_is_rounded_once(void **state) {
    (void)state;
    for (int lanes = 4; lanes <= 8; lanes += 4) {
        zw_context *ctx = zw_context_create(NULL);
        random_source r;
        bench b;
        random_init(&r, 5, ctx);
        add_inputs(&b.program, &r);
        zw_expr x = r.symbol[1], y = r.symbol[2], z = r.symbol[3], w = r.symbol[4];
        zw_expr xy = zw_mul(ctx, x, y);
        zw_expr e[] = {zw_add(ctx, xy, z), zw_sub(ctx, xy, w), zw_sub(ctx, w, xy)};
        assert_int_equal(zw_program_function(&b.program, "f", 3, e, NULL), ZW_OK);
        b.program.fuses = true;
        bench_compile(&b, 1, lanes);
        double point[RANDOM_SYMBOLS * 8] = {0}, out[3 * 8], again[3 * 8];
        for (int l = 0; l < lanes; l++) {
            double bit = ldexp(1, -27 - l);
            point[lanes + l] = 1 + bit;
            point[2 * lanes + l] = 1 - bit;
            point[3 * lanes + l] = -1;
            point[4 * lanes + l] = 1;
        }
        call(&b.native[1], &b.native[0], lanes, point, out);
        call(&b.interp[1], &b.interp[0], lanes, point, again);
        assert_memory_equal(out, again, sizeof(double) * 3 * (size_t)lanes);
        for (int l = 0; l < lanes; l++) {
            double square = ldexp(1, -54 - 2 * l);
            assert_true(out[l] == -square && out[lanes + l] == -square &&
                        out[2 * lanes + l] == square);
        }
        bench_clear(&b);
        zw_context_destroy(ctx);
    }
}

/* a hot function has sines in place, a cold one calls them; where a lane is too large for the
 * first, all go the way of the second */
static void test_native__sines_in_place_have_the_bits_of_calls(void **state) {
    (void)state;
    for (int lanes = 4; lanes <= 8; lanes += 4) {
        zw_context *ctx = zw_context_create(NULL);
        random_source r;
        bench b;
        random_init(&r, 6, ctx);
        add_inputs(&b.program, &r);
        zw_expr e[4] = {zw_sin(ctx, r.symbol[1]), zw_cos(ctx, r.symbol[1]),
                        zw_sin(ctx, r.symbol[2]), zw_cos(ctx, r.symbol[3])};
        for (int i = 0; i < 2; i++)
            assert_int_equal(zw_program_function(&b.program, "f", 4, e, NULL), ZW_OK);
        bench_compile(&b, 2, lanes);
        for (int trial = 0; trial < 20000; trial++) {
            double point[RANDOM_SYMBOLS * 8] = {0}, hot[4 * 8], cold[4 * 8];
            double size = exp(test_random_real(&r.random, -30, trial % 3 ? 20 : 40));
            for (int i = lanes; i < 4 * lanes; i++)
                point[i] = test_random_real(&r.random, -size, size);
            if (trial % 50 == 0)
                point[lanes + trial / 50 % lanes] = trial % 100 ? INFINITY : NAN;
            call(&b.native[2], &b.native[0], lanes, point, hot);
            call(&b.native[2], &b.native[1], lanes, point, cold);
            for (int i = 0; i < 4 * lanes; i++)
                if (!isnan(hot[i]) || !isnan(cold[i]))
                    assert_memory_equal(&hot[i], &cold[i], sizeof(double));
        }
        bench_clear(&b);
        zw_context_destroy(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_native__has_the_bits_of_the_interpreter),
        cmocka_unit_test(test_native__sincos_has_the_bits_of_both),
        cmocka_unit_test(test_native__lanes_of_functions_are_within_an_ulp),
        cmocka_unit_test(test_native__lanes_of_two_arguments_are_within_an_ulp),
        cmocka_unit_test(test_native__lanes_of_arithmetic_have_the_same_bits),
        cmocka_unit_test(test_native__a_fused_product_is_rounded_once),
        cmocka_unit_test(test_native__sines_in_place_have_the_bits_of_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
