/* SPDX-License-Identifier: MIT */
/* Nothing grows by being asked: what a call needs on the way is given back at its end. */
#include "mech/equations/variants.h"
#include "support/failing_allocator.h"
#include "support/test.h"
#include "zwang/zwang.h"

/* a rotation with a quaternion, quasi-velocities, a start of an expression, a clock, a power: every
 * kind of scratch memory is used */
static const char text[] =
    "model everything\nparam m = 2 [kg], l = 1 [m], w = 6 [1/s], T = 1/w\n"
    "coord x, y, z [m]\nrotation R\nbody b : R at (x, y, z), sphere(m, l)\n"
    "gravity 9.81 [m/s^2] along -z\nforce drag (x) = -1 [N*s/m]*x'\n"
    "constraint rod : x^2 + y^2 = (l + 0.1 [m]*sin(w*t))^2\nconstraint blade : z' = l*R.wz\n"
    "start x = l/2, x' + y' = 0, R.wz = w\nobserve pull = lambda(rod)\n"
    "event tick : every T, record\nevent top : z, record\n";

static failing_allocator memory;
static zw_context *ctx;
static zw_system *s;
static zw_error err;

static int open_model(void **state) {
    (void)state;
    memory = failing_allocator_make(0);
    zw_allocator alloc = failing_allocator_of(&memory);
    err = (zw_error){0};
    ctx = zw_context_create(&alloc);
    if (zw_model_parse(&s, ctx, text, sizeof text - 1, "everything", NULL, &err) < 0)
        fail_msg("%d: %s", err.line, err.text);
    return 0;
}

static int close_model(void **state) {
    (void)state;
    zw_context_destroy(ctx);
    assert_int_equal(memory.bytes, 0);
    return 0;
}

/* one round of everything that evaluates behind const */
static void evaluate(const zw_equations *eq) {
    double p[8], x[24], out[32], period, phase;
    bool fixed[24];
    assert_int_equal(zw_system_param_values(s, p, &err), ZW_OK);
    assert_int_equal(zw_trials_params(s, 1, 1, p, &err), ZW_OK);
    assert_int_equal(zw_system_start_state(s, p, x, fixed, &err), ZW_OK);
    assert_int_equal(zw_system_event_clock(s, 0, p, &period, &phase, &err), ZW_OK);
    assert_int_equal(zw_equations_state(eq, 0, p, x, out, &err), ZW_OK);
    zw_expr sym[4] = {s->param[0].sym, s->param[1].sym, s->param[2].sym, s->t};
    double value[4] = {1, 2, 3, 4};
    assert_true(isnan(zw_eval(ctx, s->constraint[0].residual, 4, sym, value))); /* x is not given */
}

static void test_scratch__a_million_evaluations_leave_the_memory_where_it_was(void **state) {
    (void)state;
    zw_equations eq;
    assert_int_equal(zw_derive(&eq, s, NULL, "hamilton", &err), ZW_OK);
    evaluate(&eq);
    long before = memory.bytes;
    double p[8], x[24];
    bool fixed[24];
    for (int i = 0; i < 1000000; i++)
        zw_system_param_values(s, p, NULL);
    assert_int_equal(memory.bytes, before);
    for (int i = 0; i < 1000000; i++)
        zw_system_start_state(s, p, x, fixed, NULL);
    assert_int_equal(memory.bytes, before);
    for (int i = 0; i < 1000000; i++)
        zw_eval(ctx, s->param[3].value, 1, &s->param[2].sym, p + 2);
    assert_int_equal(memory.bytes, before);
    for (int i = 0; i < 1000; i++)
        evaluate(&eq);
    assert_int_equal(memory.bytes, before);
}

/* what is made of equations and thrown away again: text, translations, counts, blame */
static void test_scratch__asking_equations_leaves_the_memory_where_it_was(void **state) {
    (void)state;
    zw_equations eq;
    zw_census census;
    zw_blame blame;
    double p[8], x[24] = {0};
    assert_int_equal(zw_derive(&eq, s, NULL, "kane", &err), ZW_OK);
    assert_int_equal(zw_system_param_values(s, p, &err), ZW_OK);
    long before = 0;
    for (int i = 0; i < 40; i++) {
        zw_expr e = s->observable[0].value, lambda[2];
        assert_int_equal(zw_equations_translate(&eq, 1, &e, &err), ZW_OK);
        assert_int_equal(zw_equations_reactions(&eq, lambda, &err), ZW_OK);
        assert_int_equal(zw_system_census(s, NULL, &census, &err), ZW_OK);
        assert_int_equal(zw_equations_blame(&eq, 0, p, x, NULL, &blame, &err), ZW_OK);
        assert_true(zw_equations_count(&eq) > 0);
        for (int format = ZW_EQUATIONS_TEXT; format <= ZW_EQUATIONS_PAGE; format++)
            zw_string_free(ctx, zw_equations_write(&eq, (zw_equation_format)format, ZW_SHORTENED));
        if (i == 0)
            before = memory.bytes;
    }
    assert_int_equal(memory.bytes, before);
}

/* bytes of n entries in an arena: multiples of 16, and no array is empty */
static long array(long n, size_t size) {
    long bytes = (n > 0 ? n : 1) * (long)size;
    return (bytes + 15) / 16 * 16;
}

/* what the arrays of the struct take; those that a principle replaces (it begins with Lagrange's)
 * stay beside them, so twice of it at most */
static long size_of(const zw_equations *eq) {
    long nq = eq->nq, nv = eq->nv, n = s->nconstraint, ns = s->nstart;
    long e = 0;
    const long sizes[] = {nq,     nv,      nv,      n,       nq,     nq * nv, nv * nv, nv,
                          nv * n, n * nv,  n,       n,       n * nv, n,       n * nv,  ns,
                          ns,     ns * nv, ns * nv, nv * nv, nv,     nv,      nv};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        e += array(sizes[i], sizeof(zw_expr));
    return 2 * e + 2 * array(n + nv, sizeof(int)) * 8;
}

static void test_scratch__a_second_derivation_adds_its_result_only(void **state) {
    (void)state;
    enum { TIMES = 3000, CHUNK = 1 << 20 };
    for (const zw_principle *by = zw_principles(); by->name; by++) {
        zw_equations eq;
        if (zw_derive(&eq, s, NULL, by->name, NULL) < 0)
            continue;
        uint32_t nodes = zw_context_node_count(ctx);
        long before = memory.bytes;
        for (int i = 0; i < TIMES; i++)
            assert_int_equal(zw_derive(&eq, s, NULL, by->name, &err), ZW_OK);
        assert_int_equal(zw_context_node_count(ctx), nodes);
        /* memory comes in chunks of at most 1 MiB */
        assert_true(memory.bytes - before <= TIMES * size_of(&eq) + CHUNK);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            test_scratch__a_million_evaluations_leave_the_memory_where_it_was, open_model,
            close_model),
        cmocka_unit_test_setup_teardown(
            test_scratch__asking_equations_leaves_the_memory_where_it_was, open_model, close_model),
        cmocka_unit_test_setup_teardown(test_scratch__a_second_derivation_adds_its_result_only,
                                        open_model, close_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
