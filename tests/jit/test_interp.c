/* SPDX-License-Identifier: MIT */
/* The interpreter against direct evaluation, its lanes against each other, the hoisting of what
 * depends on parameters, failing memory. */
#include "jit/interp.h"
#include "jit/program.h"
#include "support/failing_allocator.h"
#include "support/random_expr.h"

enum { OUTPUTS = 5, ROUNDS = 1500, WORK_MAX = 1 << 14 };

static double work[WORK_MAX], cache[WORK_MAX];

static void make_program(zw_program *p, random_source *r, int n, const zw_expr *e) {
    zw_error err = {0};
    assert_int_equal(zw_program_init(p, r->ctx, &err), ZW_OK);
    assert_int_equal(zw_program_input(p, ZW_SPACE_T, 1, r->symbol, &err), ZW_OK);
    assert_int_equal(zw_program_input(p, ZW_SPACE_X, 4, r->symbol + 1, &err), ZW_OK);
    assert_int_equal(zw_program_input(p, ZW_SPACE_Z, 3, r->symbol + 5, &err), ZW_OK);
    assert_int_equal(zw_program_input(p, ZW_SPACE_P, 4, r->symbol + 8, &err), ZW_OK);
    assert_int_equal(zw_program_function(p, "f", n, e, &err), ZW_OK);
    assert_int_equal(zw_program_finish(p, &err), ZW_OK);
    assert_true(p->prepare.nout * 8 <= WORK_MAX);
}

/* all outputs at one point (symbols in the order of random_source) for each lane */
static void call_program(zw_program *p, int lanes, const double *point, double *out) {
    zw_arena arena;
    zw_arena_init(&arena, NULL);
    zw_func f, prepare;
    assert_int_equal(zw_interp_func(&f, &p->code[0], lanes, NULL, &arena), ZW_OK);
    assert_int_equal(zw_interp_func(&prepare, &p->prepare, lanes, NULL, &arena), ZW_OK);
    assert_true(f.nwork * lanes <= WORK_MAX && prepare.nwork * lanes <= WORK_MAX);
    zw_call(&prepare, &(zw_args){.p = point + 8 * lanes}, cache, work);
    zw_call(&f, &(zw_args){.t = point, .x = point + lanes, .z = point + 5 * lanes, .c = cache}, out,
            work);
    zw_arena_clear(&arena);
}

/* How far the value moves when the inputs move in the last places: where an expression is badly
 * conditioned two correct evaluations differ by that much. */
static double sensitivity(random_source *r, zw_expr e, const double *point) {
    double at = zw_eval(r->ctx, e, RANDOM_SYMBOLS, r->symbol, point), most = 0;
    for (int i = 0; i < 2 * RANDOM_SYMBOLS; i++) {
        double moved[RANDOM_SYMBOLS];
        memcpy(moved, point, sizeof moved);
        moved[i / 2] *= i % 2 ? 1 + 0x1p-50 : 1 - 0x1p-50;
        most = fmax(most, fabs(zw_eval(r->ctx, e, RANDOM_SYMBOLS, r->symbol, moved) - at));
    }
    return most;
}

static void test_interp__agrees_with_direct_evaluation(void **state) {
    (void)state;
    int compared = 0, strict = 0;
    for (int round = 0; round < ROUNDS; round++) {
        zw_context *ctx = zw_context_create(NULL);
        random_source r;
        zw_expr e[OUTPUTS];
        zw_program p;
        random_init(&r, (uint64_t)round, ctx);
        random_expressions(&r, OUTPUTS, e);
        make_program(&p, &r, OUTPUTS, e);
        double point[RANDOM_SYMBOLS], out[OUTPUTS];
        random_point(&r, point);
        call_program(&p, 1, point, out);
        for (int i = 0; i < OUTPUTS; i++) {
            double want = zw_eval(ctx, e[i], RANDOM_SYMBOLS, r.symbol, point);
            if (!isfinite(want) || fabs(want) > 1e100)
                continue;
            double allowed = 1e-13 * fmax(1, fabs(want)), off = fabs(out[i] - want);
            compared++;
            strict += off <= allowed;
            if (!(off <= allowed + 100 * sensitivity(&r, e[i], point))) {
                char *text = zw_print(ctx, e[i], ZW_TEXT);
                print_error("round %d: %.17g against %.17g in %s\n", round, out[i], want, text);
                fail();
            }
        }
        zw_program_clear(&p);
        zw_context_destroy(ctx);
    }
    assert_true(compared > 3 * ROUNDS);
    assert_true(strict > compared * 97 / 100);
}

static void test_interp__lanes_have_the_bits_of_one_lane(void **state) {
    (void)state;
    static const int width[2] = {4, 8};
    for (int round = 0; round < ROUNDS / 3; round++) {
        zw_context *ctx = zw_context_create(NULL);
        random_source r;
        zw_expr e[OUTPUTS];
        zw_program p;
        random_init(&r, (uint64_t)(10000 + round), ctx);
        random_expressions(&r, OUTPUTS, e);
        make_program(&p, &r, OUTPUTS, e);
        int lanes = width[round % 2];
        double wide[RANDOM_SYMBOLS * 8], one[RANDOM_SYMBOLS], out[OUTPUTS * 8], want[OUTPUTS];
        for (int i = 0; i < RANDOM_SYMBOLS * lanes; i++)
            wide[i] = test_random_real(&r.random, -2, 2);
        call_program(&p, lanes, wide, out);
        for (int l = 0; l < lanes; l++) {
            for (int i = 0; i < RANDOM_SYMBOLS; i++)
                one[i] = wide[i * lanes + l];
            call_program(&p, 1, one, want);
            for (int i = 0; i < OUTPUTS; i++)
                if (!isnan(want[i]) || !isnan(out[i * lanes + l]))
                    assert_memory_equal(&want[i], &out[i * lanes + l], sizeof(double));
        }
        zw_program_clear(&p);
        zw_context_destroy(ctx);
    }
}

/* (a sin(b) + c) x + c y^2: everything of a, b, c is computed by prepare alone */
static void test_interp__parameters_are_hoisted(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    random_source r;
    random_init(&r, 1, ctx);
    zw_expr x = r.symbol[1], y = r.symbol[2], a = r.symbol[8], b = r.symbol[9], c = r.symbol[10];
    zw_expr k = zw_add(ctx, zw_mul(ctx, a, zw_sin(ctx, b)), c);
    zw_expr e = zw_add(ctx, zw_mul(ctx, k, x), zw_mul(ctx, c, zw_pow(ctx, y, ZW_TWO)));
    zw_program p;
    make_program(&p, &r, 1, &e);
    assert_int_equal(p.prepare.nout, 2);
    assert_int_equal(p.prepare.nops, 3);
    assert_int_equal(p.code[0].nops, 4);
    double point[RANDOM_SYMBOLS] = {0}, out;
    for (int i = 0; i < 20; i++) {
        random_point(&r, point);
        call_program(&p, 1, point, &out);
        double want =
            (point[8] * sin(point[9]) + point[10]) * point[1] + point[10] * point[2] * point[2];
        assert_close(out, want, 1e-15);
    }
    zw_program_clear(&p);
    zw_context_destroy(ctx);
}

static void test_interp__unknown_symbol_is_named(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    zw_program p;
    zw_error err = {0};
    zw_expr e = zw_sin(ctx, zw_symbol(ctx, "stranger"));
    assert_int_equal(zw_program_init(&p, ctx, &err), ZW_OK);
    assert_int_equal(zw_program_function(&p, "f", 1, &e, &err), ZW_E_NAME);
    assert_non_null(strstr(err.text, "stranger"));
    zw_program_clear(&p);
    zw_context_destroy(ctx);
}

static void test_program__survives_failing_memory(void **state) {
    (void)state;
    bool finished = false;
    for (long n = 1; !finished; n++) {
        failing_allocator memory = failing_allocator_make(0);
        zw_allocator alloc = failing_allocator_of(&memory);
        zw_context *ctx = zw_context_create(&alloc);
        random_source r;
        zw_expr e[OUTPUTS];
        random_init(&r, 77, ctx);
        random_expressions(&r, OUTPUTS, e);
        memory.fail_at = memory.requests + n;
        zw_program p;
        zw_func f;
        zw_error err = {0};
        zw_status s = zw_program_init(&p, ctx, &err);
        if (s == ZW_OK)
            s = zw_program_input(&p, ZW_SPACE_X, RANDOM_SYMBOLS, r.symbol, &err);
        if (s == ZW_OK)
            s = zw_program_function(&p, "f", OUTPUTS, e, &err);
        if (s == ZW_OK)
            s = zw_program_finish(&p, &err);
        assert_int_equal(err.status, s);
        if (s == ZW_OK)
            s = zw_interp_func(&f, &p.code[0], 4, NULL, &p.arena);
        assert_int_equal(s, memory.failed ? ZW_E_MEMORY : ZW_OK);
        finished = !memory.failed;
        zw_program_clear(&p);
        zw_context_destroy(ctx);
        assert_int_equal(memory.blocks, 0);
        assert_int_equal(memory.bytes, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interp__agrees_with_direct_evaluation),
        cmocka_unit_test(test_interp__lanes_have_the_bits_of_one_lane),
        cmocka_unit_test(test_interp__parameters_are_hoisted),
        cmocka_unit_test(test_interp__unknown_symbol_is_named),
        cmocka_unit_test(test_program__survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
