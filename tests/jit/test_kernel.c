/* SPDX-License-Identifier: MIT */
/* The functions of a kernel against direct evaluation of the equations and against each other. */
#include "support/failing_allocator.h"
#include "support/hand_system.h"

enum { NX = 6, NZ = 4, OUT_MAX = 1024, WORK_MAX = 8192 };

static const double p[HAND_NP] = {1.3, 0.8, 9.81};
static double cache[WORK_MAX], work[WORK_MAX];

static zw_kernel *make_kernel(const hand_system *s, int lanes, int jit, int unroll_max) {
    zw_kernel_options o = zw_kernel_options_default();
    zw_error err = {0};
    zw_kernel *k;
    o.lanes = lanes;
    o.jit = (zw_jit)jit;
    o.unroll_max = unroll_max;
    zw_status status = zw_kernel_create(&k, &s->eq, &o, &err);
    if (status == ZW_E_MISSING) {
        print_message("%s\n", err.text);
        skip();
    }
    assert_int_equal(status, ZW_OK);
    assert_true(k->nwork <= WORK_MAX && k->ncache * k->lanes <= WORK_MAX && k->nout <= OUT_MAX);
    return k;
}

/* p is the same in all lanes */
static void prepare(const zw_kernel *k) {
    double wide[HAND_NP * 8];
    for (int i = 0; i < HAND_NP * k->lanes; i++)
        wide[i] = p[i / k->lanes];
    zw_prepare(k, wide, cache, work);
}

typedef struct point {
    double t, x[NX], z[NZ];
} point;

static point random_point(test_random *r) {
    point at = {.t = test_random_real(r, -1, 5)};
    for (int i = 0; i < NX; i++)
        at.x[i] = test_random_real(r, -1, 1);
    for (int i = 0; i < NZ; i++)
        at.z[i] = test_random_real(r, -3, 3);
    return at;
}

static void call(const zw_func *f, const point *at, double *out) {
    zw_call(f, &(zw_args){.t = &at->t, .x = at->x, .z = at->z, .c = cache}, out, work);
}

/* value of an expression of the hand-made system at a point */
static double direct(const hand_system *s, zw_expr e, const point *at) {
    zw_expr symbol[1 + NX + NZ + HAND_NP];
    double value[1 + NX + NZ + HAND_NP];
    int n = 0;
    symbol[n] = s->sys.t;
    value[n++] = at->t;
    for (int i = 0; i < HAND_NV; i++) {
        symbol[n] = s->q[i];
        value[n++] = at->x[i];
        symbol[n] = s->v[i];
        value[n++] = at->x[HAND_NV + i];
        symbol[n] = s->a[i];
        value[n++] = at->z[i];
    }
    symbol[n] = s->lambda[0];
    value[n++] = at->z[HAND_NV];
    for (int i = 0; i < HAND_NP; i++, n++) {
        symbol[n] = s->param[i].sym;
        value[n] = p[i];
    }
    return zw_eval(s->sys.ctx, e, n, symbol, value);
}

static void check_values(const hand_system *s, const zw_func *f, const point *at, int n,
                         const zw_expr *const *part, const int *size) {
    double out[OUT_MAX];
    int k = 0;
    call(f, at, out);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < size[i]; j++)
            assert_close(out[k++], direct(s, part[i][j], at), 1e-14);
    assert_int_equal(f->nout, k);
}

static void test_kernel__functions_are_the_expressions(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    hand_system s;
    hand_make(&s, ctx, true);
    zw_kernel *k = make_kernel(&s, 1, 0, 12);
    test_random r = {5};
    prepare(k);
    for (int trial = 0; trial < 50; trial++) {
        point at = random_point(&r);
        check_values(&s, &k->fn[ZW_FN_MATS], &at, 6,
                     (const zw_expr *[]){s.M, s.h, s.C, s.W, s.b, s.qdot},
                     (int[]){9, 3, 3, 3, 1, 3});
        check_values(&s, &k->fn[ZW_FN_POS], &at, 3, (const zw_expr *[]){s.phi, s.Phi, s.F},
                     (int[]){1, 3, 9});
        check_values(&s, &k->fn[ZW_FN_VEL], &at, 2, (const zw_expr *[]){s.psi, s.Psi},
                     (int[]){1, 3});
        check_values(
            &s, &k->fn[ZW_FN_OBS], &at, 4,
            (const zw_expr *[]){&s.observable[0].value, &s.observable[1].value, &s.eq.T, &s.eq.V},
            (int[]){1, 1, 1, 1});
        check_values(&s, &k->fn[ZW_FN_EVT], &at, 1, (const zw_expr *[]){&s.event[0].value},
                     (int[]){1});
    }
    assert_int_equal(k->nobs, 2);
    assert_int_equal(k->nevt, 1);
    assert_int_equal(k->event_direction[0], -1);
    assert_true(k->event_stop[0]);
    zw_kernel_destroy(k);
    zw_context_destroy(ctx);
}

/* residual (M a - h - C lambda, W a - b) from the output of mats */
static void residual(const zw_kernel *k, const point *at, double *r) {
    double out[OUT_MAX];
    call(&k->fn[ZW_FN_MATS], at, out);
    const double *M = out, *h = M + 9, *C = h + 3, *W = C + 3, *b = W + 3;
    r[3] = -b[0];
    for (int i = 0; i < 3; i++) {
        r[i] = -h[i] - C[i] * at->z[3];
        for (int j = 0; j < 3; j++)
            r[i] += M[3 * i + j] * at->z[j];
        r[3] += W[i] * at->z[i];
    }
}

static void check_rhs(bool friction) {
    zw_context *ctx = zw_context_create(NULL);
    hand_system s;
    hand_make(&s, ctx, friction);
    zw_kernel *k = make_kernel(&s, 1, 0, 12);
    assert_true(k->unrolled);
    assert_int_equal(k->fn[ZW_FN_RHS].nout, 8);
    test_random r = {6};
    prepare(k);
    for (int trial = 0; trial < 50; trial++) {
        point at = random_point(&r);
        double out[8], left[4];
        call(&k->fn[ZW_FN_RHS], &at, out);
        memcpy(at.z, out + 3, sizeof at.z);
        residual(k, &at, left);
        double size = 1;
        for (int i = 0; i < NZ; i++)
            size = fmax(size, fabs(at.z[i]));
        for (int i = 0; i < 3; i++)
            assert_memory_equal(&out[i], &at.x[3 + i], sizeof(double)); /* q' = v */
        for (int i = 0; i < NZ; i++)
            assert_close(left[i] / size, 0.0, 1e-13);
        assert_true(out[7] > 0 && out[7] <= 1);
    }
    zw_kernel_destroy(k);
    zw_context_destroy(ctx);
}

static void test_kernel__rhs_solves_the_equations(void **state) {
    (void)state;
    check_rhs(false);
    check_rhs(true);
}

static void test_kernel__jac_is_the_derivative(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    hand_system s;
    hand_make(&s, ctx, true);
    zw_kernel *k = make_kernel(&s, 1, 0, 12);
    test_random r = {7};
    prepare(k);
    for (int trial = 0; trial < 20; trial++) {
        point at = random_point(&r);
        double jac[7 * NX];
        call(&k->fn[ZW_FN_JAC], &at, jac);
        for (int j = 0; j < NX; j++) {
            double step = 1e-5, up[4], down[4];
            point moved = at;
            moved.x[j] = at.x[j] + step;
            residual(k, &moved, up);
            moved.x[j] = at.x[j] - step;
            residual(k, &moved, down);
            for (int i = 0; i < 3; i++)
                assert_close(jac[i * NX + j], j == 3 + i, 1e-15); /* d q'/dx */
            for (int i = 0; i < 4; i++)
                assert_close(jac[(3 + i) * NX + j], (up[i] - down[i]) / (2 * step), 1e-8);
        }
    }
    zw_kernel_destroy(k);
    zw_context_destroy(ctx);
}

static void test_kernel__large_systems_are_not_unrolled(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    hand_system s;
    hand_make(&s, ctx, false);
    zw_kernel *k = make_kernel(&s, 1, 0, 3);
    assert_false(k->unrolled);
    assert_null(k->fn[ZW_FN_RHS].call);
    assert_int_equal(k->fn[ZW_FN_RHS].nout, 8);
    zw_kernel_destroy(k);
    s.M[0] = ZW_ZERO; /* a massless coordinate that nothing couples */
    k = make_kernel(&s, 1, 0, 12);
    assert_false(k->unrolled);
    assert_non_null(k->fn[ZW_FN_MATS].call);
    zw_kernel_destroy(k);
    zw_context_destroy(ctx);
}

static void test_kernel__force_of_an_inactive_constraint_is_zero(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    hand_system s;
    hand_make(&s, ctx, false);
    assert_false(s.holds[1]);
    s.sys.nobservable = s.eq.nobservable = 3;
    s.observable[2] =
        (zw_observable){.name = "push",
                        .unit = "N",
                        .value = zw_add(ctx, s.q[0], zw_mul(ctx, ZW_TWO, s.constraint[1].lambda))};
    zw_kernel *k = make_kernel(&s, 1, 0, 12);
    test_random r = {8};
    prepare(k);
    point at = random_point(&r);
    double out[OUT_MAX];
    call(&k->fn[ZW_FN_OBS], &at, out);
    assert_true(out[2] == at.x[0]);
    zw_kernel_destroy(k);
    zw_context_destroy(ctx);
}

static void test_kernel__wrong_options_are_refused(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    hand_system s;
    zw_kernel *k;
    hand_make(&s, ctx, false);
    zw_kernel_options o = zw_kernel_options_default();
    o.lanes = 3;
    assert_int_equal(zw_kernel_create(&k, &s.eq, &o, NULL), ZW_E_OPTION);
    o = zw_kernel_options_default();
    o.jit = (zw_jit)3;
    assert_int_equal(zw_kernel_create(&k, &s.eq, &o, NULL), ZW_E_OPTION);
    o = zw_kernel_options_default();
    o.nparameter = 1; /* which one? */
    assert_int_equal(zw_kernel_create(&k, &s.eq, &o, NULL), ZW_E_OPTION);
    o.nparameter = -2;
    assert_int_equal(zw_kernel_create(&k, &s.eq, &o, NULL), ZW_E_OPTION);
    zw_context_destroy(ctx);
}

/* every function, before and after compiling: the same bits */
static void test_kernel__compiling_changes_no_bit(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    hand_system s;
    hand_make(&s, ctx, true);
    zw_kernel *slow = make_kernel(&s, 1, 0, 12), *fast = make_kernel(&s, 1, 2, 12);
    assert_true(fast->native);
    assert_false(slow->native);
    const zw_func *f[7] = {&slow->fn[ZW_FN_RHS], &slow->fn[ZW_FN_MATS], &slow->fn[ZW_FN_JAC],
                           &slow->fn[ZW_FN_POS], &slow->fn[ZW_FN_VEL],  &slow->fn[ZW_FN_OBS],
                           &slow->fn[ZW_FN_EVT]};
    const zw_func *g[7] = {&fast->fn[ZW_FN_RHS], &fast->fn[ZW_FN_MATS], &fast->fn[ZW_FN_JAC],
                           &fast->fn[ZW_FN_POS], &fast->fn[ZW_FN_VEL],  &fast->fn[ZW_FN_OBS],
                           &fast->fn[ZW_FN_EVT]};
    test_random r = {8};
    for (int trial = 0; trial < 50; trial++) {
        point at = random_point(&r);
        double want[7][OUT_MAX], out[OUT_MAX];
        prepare(slow);
        for (int i = 0; i < 7; i++)
            call(f[i], &at, want[i]);
        prepare(fast);
        for (int i = 0; i < 7; i++) {
            call(g[i], &at, out);
            assert_memory_equal(want[i], out, sizeof(double) * (size_t)f[i]->nout);
        }
    }
    zw_kernel_destroy(slow);
    zw_kernel_destroy(fast);
    zw_context_destroy(ctx);
}

/* lanes of rhs against one lane: a few ulps of the functions, amplified by the solution */
static void test_kernel__lanes_agree_with_one_lane(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    hand_system s;
    hand_make(&s, ctx, true);
    zw_kernel *one = make_kernel(&s, 1, 0, 12);
    test_random r = {9};
    for (int round = 0; round < 4; round++) {
        int lanes = round % 2 ? 4 : 8;
        zw_kernel *wide = make_kernel(&s, lanes, round < 2 ? 0 : 2, 12);
        point at[8];
        double t[8], x[NX * 8], z[NZ * 8], out[OUT_MAX], want[OUT_MAX];
        for (int l = 0; l < lanes; l++) {
            at[l] = random_point(&r);
            t[l] = at[l].t;
            for (int i = 0; i < NX; i++)
                x[i * lanes + l] = at[l].x[i];
            for (int i = 0; i < NZ; i++)
                z[i * lanes + l] = at[l].z[i];
        }
        prepare(wide);
        zw_call(&wide->fn[ZW_FN_RHS], &(zw_args){.t = t, .x = x, .z = z, .c = cache}, out, work);
        prepare(one);
        for (int l = 0; l < lanes; l++) {
            call(&one->fn[ZW_FN_RHS], &at[l], want);
            for (int i = 0; i < one->fn[ZW_FN_RHS].nout; i++)
                assert_close(out[i * lanes + l], want[i], 1e-12);
        }
        zw_kernel_destroy(wide);
    }
    zw_kernel_destroy(one);
    zw_context_destroy(ctx);
}

static void test_kernel__asks_for_compiling_when_it_pays(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    hand_system s;
    hand_make(&s, ctx, false);
    zw_kernel *never = make_kernel(&s, 1, 0, 12), *k = make_kernel(&s, 1, 1, 12);
    prepare(k);
    point at = {.t = 1, .x = {0.3, -0.7, 0.1, 0.2, 0.1, 0.4}};
    double out[OUT_MAX];
    assert_false(zw_kernel_wants_compile(k));
    bool wanted = false;
    for (int i = 0; i < 5000000 && !wanted; i++) {
        call(&k->fn[ZW_FN_RHS], &at, out);
        call(&never->fn[ZW_FN_RHS], &at, out);
        wanted = zw_kernel_wants_compile(k);
    }
    assert_true(wanted);
    assert_false(zw_kernel_wants_compile(never));
    if (zw_kernel_compile(k, NULL) != ZW_E_MISSING)
        assert_true(k->native);
    assert_false(zw_kernel_wants_compile(k));
    zw_kernel_destroy(k);
    zw_kernel_destroy(never);
    zw_context_destroy(ctx);
}

/* what to do with little memory: a kernel, or its C text */
static zw_status create_and_destroy(const zw_equations *eq, zw_error *err) {
    zw_kernel *k;
    zw_kernel_options o = zw_kernel_options_default();
    o.jit = ZW_JIT_NEVER;
    zw_status status = zw_kernel_create(&k, eq, &o, err);
    zw_kernel_destroy(k);
    return status;
}

static zw_status emit_and_free(const zw_equations *eq, zw_error *err) {
    char *text = zw_emit_c(eq, err);
    zw_string_free(eq->sys->ctx, text);
    return text ? ZW_OK : err->status;
}

/* the memory of compiling alone: the kernel stays as it was */
static void test_kernel__stays_interpreted_if_compiling_fails(void **state) {
    (void)state;
    bool finished = false;
    for (long n = 1; !finished; n++) {
        failing_allocator memory = failing_allocator_make(0);
        zw_allocator alloc = failing_allocator_of(&memory);
        zw_context *ctx = zw_context_create(&alloc);
        hand_system s;
        zw_error err = {0};
        hand_make(&s, ctx, true);
        zw_kernel *k = make_kernel(&s, 1, 1, 12);
        memory.fail_at = memory.requests + n;
        zw_status status = zw_kernel_compile(k, &err);
        finished = !memory.failed;
        if (status != ZW_E_MISSING)
            assert_int_equal(status, memory.failed ? ZW_E_MEMORY : ZW_OK);
        assert_int_equal(err.status, status);
        assert_int_equal(k->native, status == ZW_OK);
        point at = {.t = 1, .x = {0.3, -0.7, 0.1, 0.2, 0.1, 0.4}};
        double out[OUT_MAX];
        prepare(k);
        call(&k->fn[ZW_FN_RHS], &at, out);
        assert_true(out[7] > 0);
        zw_kernel_destroy(k);
        zw_context_destroy(ctx);
        assert_int_equal(memory.blocks, 0);
    }
}

static void check_failing_memory(zw_status (*act)(const zw_equations *, zw_error *)) {
    bool finished = false;
    for (long n = 1; !finished; n++) {
        failing_allocator memory = failing_allocator_make(0);
        zw_allocator alloc = failing_allocator_of(&memory);
        zw_context *ctx = zw_context_create(&alloc);
        hand_system s;
        zw_error err = {0};
        hand_make(&s, ctx, true);
        memory.fail_at = memory.requests + n;
        zw_status status = act(&s.eq, &err);
        assert_int_equal(status, memory.failed ? ZW_E_MEMORY : ZW_OK);
        assert_int_equal(err.status, status);
        finished = !memory.failed;
        zw_context_destroy(ctx);
        assert_int_equal(memory.blocks, 0);
        assert_int_equal(memory.bytes, 0);
    }
}

/* further functions without memory for them: the kernel is as it was, native or not */
static void test_kernel__functions_that_fail_leave_no_trace(void **state) {
    (void)state;
    bool finished = false;
    for (long n = 1; !finished; n++) {
        failing_allocator memory = failing_allocator_make(0);
        zw_allocator alloc = failing_allocator_of(&memory);
        zw_context *ctx = zw_context_create(&alloc);
        hand_system s;
        hand_make(&s, ctx, true);
        zw_kernel *k = make_kernel(&s, 1, 0, 12);
        const zw_functions before = k->functions, more = ZW_SET(SECOND) | ZW_SET(JAC_P);
        int cached = k->ncache, version = k->version;
        memory.fail_at = memory.requests + n;
        zw_status status = zw_kernel_require(k, more, NULL);
        finished = !memory.failed;
        assert_int_equal(status, memory.failed ? ZW_E_MEMORY : ZW_OK);
        assert_int_equal(k->functions, memory.failed ? before : before | more);
        if (status < 0) {
            assert_int_equal(k->ncache, cached);
            assert_int_equal(k->version, version);
            assert_null(k->fn[ZW_FN_SECOND].call);
            if (n % 20 == 0) /* nothing is half there */
                status = zw_kernel_compile(k, NULL);
            assert_true(n % 20 != 0 || status == ZW_OK || status == ZW_E_MISSING);
        }
        zw_kernel_destroy(k);
        zw_context_destroy(ctx);
        assert_int_equal(memory.blocks, 0);
    }
}

static void test_kernel__survives_failing_memory(void **state) {
    (void)state;
    check_failing_memory(create_and_destroy);
    check_failing_memory(emit_and_free);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernel__functions_are_the_expressions),
        cmocka_unit_test(test_kernel__rhs_solves_the_equations),
        cmocka_unit_test(test_kernel__jac_is_the_derivative),
        cmocka_unit_test(test_kernel__large_systems_are_not_unrolled),
        cmocka_unit_test(test_kernel__force_of_an_inactive_constraint_is_zero),
        cmocka_unit_test(test_kernel__wrong_options_are_refused),
        cmocka_unit_test(test_kernel__compiling_changes_no_bit),
        cmocka_unit_test(test_kernel__lanes_agree_with_one_lane),
        cmocka_unit_test(test_kernel__asks_for_compiling_when_it_pays),
        cmocka_unit_test(test_kernel__stays_interpreted_if_compiling_fails),
        cmocka_unit_test(test_kernel__functions_that_fail_leave_no_trace),
        cmocka_unit_test(test_kernel__survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
