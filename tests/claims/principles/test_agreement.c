/* SPDX-License-Identifier: MIT */
/* Which nonholonomic motions are vakonomic: the penny (all, with the momentum of its centre as
 * multiplier: Bloch & Crouch), the ball on a rotating table (none but rest: Lemma 3.1 of Lewis &
 * Murray), a skate, holonomic constraints (all, with any multipliers). */
#include <math.h>

#include "expr/calculus/ratio.h"
#include "support/failing_allocator.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"

static zw_context *ctx;
static zw_system *sys;
static zw_agreement *a;
static zw_error err;

static void find(const char *path, const char *set) {
    const char *list[] = {set};
    zw_model_options model = {
        .size = sizeof model, .nset = set ? 1 : 0, .set = list, .constants = true, .bodies = true};
    ctx = zw_context_create(NULL);
    err = (zw_error){0};
    if (zw_model_read(&sys, ctx, path, &model, &err) < 0 ||
        zw_agreement_find(&a, sys, NULL, &err) < 0)
        fail_msg("%s", err.text);
}

static void close_study(void) {
    zw_agreement_destroy(a);
    zw_context_destroy(ctx);
}

static zw_expr expression(const char *text) {
    zw_expr e;
    if (zw_model_expression(&e, sys, text, &err) < 0)
        fail_msg("%s", err.text);
    return e;
}

static int count(zw_agreement_verdict verdict) {
    int n = 0;
    for (int i = 1; i < zw_agreement_count(a); i++)
        n += zw_agreement_at(a, i)->verdict == verdict;
    return n;
}

/* mu = (m v, 0) in the axes of the penny, v = -r ph', for every start */
static void test_agreement__penny(void **state) {
    (void)state;
    find(MODEL("rolling_penny"), NULL);
    assert_int_equal(count(ZW_AGREES), 20);
    for (int i = 0; i < zw_agreement_count(a); i++) {
        const zw_agreement_motion *m = zw_agreement_at(a, i);
        double v = -0.1 * m->x[7]; /* m = 1 kg, r = 0.1 m */
        assert_int_equal(m->nfree, 0);
        assert_true(fabs(m->mu[0] - v) < 1e-8 * (1 + fabs(v)) && fabs(m->mu[1]) < 1e-8);
        assert_true(m->apart < 1e-7);
    }
    assert_true(
        zw_ratio_is_zero(ctx, zw_sub(ctx, zw_agreement_formula(a, 0), expression("-m*r*ph'"))));
    assert_true(zw_agreement_formula(a, 1) == ZW_ZERO);
    int n;
    zw_agreement_conditions(a, &n);
    assert_int_equal(n, 0);
    close_study();
}

/* lambda (wz - Omega) = 0, and where wz differs from Omega x' = y' = 0: r wx = Omega x - y', r wy =
 * Omega y + x' */
static void test_agreement__lemma_of_the_ball(void **state) {
    int n;
    (void)state;
    find(MODEL("turntable_ball"), NULL);
    assert_int_equal(zw_agreement_at(a, 0)->verdict, ZW_DISAGREES);
    assert_int_equal(count(ZW_DISAGREES), 20);
    const zw_expr *e = zw_agreement_equations(a, &n);
    assert_int_equal(n, 3);
    for (int i = 0; i < 2; i++) {
        zw_expr mu = zw_symbol(ctx, zw_agreement_name(a, i));
        zw_expr lemma = zw_mul(ctx, expression("r*(Omega - ball.wz)"), mu);
        assert_true(zw_ratio_is_zero(ctx, zw_sub(ctx, e[i], lemma)));
        assert_true(zw_agreement_formula(a, i) == ZW_ZERO);
    }
    e = zw_agreement_conditions(a, &n);
    assert_int_equal(n, 2);
    assert_true(
        zw_ratio_is_zero(ctx, zw_sub(ctx, e[0], expression("2/7*Omega*m*(r*ball.wx - Omega*x)"))));
    assert_true(
        zw_ratio_is_zero(ctx, zw_sub(ctx, e[1], expression("2/7*Omega*m*(r*ball.wy - Omega*y)"))));
    close_study();
    find(MODEL("turntable_ball"), "y'=0"); /* the centre at rest, the ball rolls on its place */
    assert_int_equal(zw_agreement_at(a, 0)->verdict, ZW_AGREES);
    assert_true(zw_agreement_at(a, 0)->apart < 1e-9);
    close_study();
    /* a ball that turns with the table: the third equation, which the lemma does not use, excludes
     * it too */
    find(MODEL("turntable_ball"), "ball.w.z=45 [rpm]");
    assert_int_equal(zw_agreement_at(a, 0)->verdict, ZW_DISAGREES);
    close_study();
}

/* its edge must bear no force: m (x' th' + b sin th cos th)/cos th = 0 */
static void test_agreement__skate(void **state) {
    int n;
    (void)state;
    find(MODEL("skate"), NULL);
    assert_int_equal(count(ZW_DISAGREES), 20);
    const zw_expr *e = zw_agreement_conditions(a, &n);
    assert_int_equal(n, 1);
    assert_true(zw_ratio_is_zero(
        ctx, zw_sub(ctx, e[0], expression("m*(x'*th' + b*sin(th)*cos(th))/cos(th)"))));
    close_study();
}

static void test_agreement__holonomic(void **state) {
    int n;
    (void)state;
    find(MODEL("pendulum_cartesian"), NULL);
    assert_int_equal(count(ZW_AGREES), 20);
    for (int i = 0; i < zw_agreement_count(a); i++)
        assert_int_equal(zw_agreement_at(a, i)->nfree, 1);
    zw_agreement_equations(a, &n);
    assert_int_equal(n, 0);
    close_study();
}

static zw_status work(const zw_allocator *alloc) {
    zw_agreement_options o = zw_agreement_options_default();
    err = (zw_error){0};
    a = NULL;
    o.states = 1;
    ctx = zw_context_create(alloc);
    if (!ctx)
        return ZW_E_MEMORY;
    zw_status status = zw_model_read(&sys, ctx, MODEL("skate"), NULL, &err);
    if (status >= 0)
        status = zw_agreement_find(&a, sys, &o, &err);
    zw_report *r = status >= 0 ? zw_report_create(alloc) : NULL;
    zw_bytes words = {0};
    if (status >= 0 && !r)
        status = ZW_E_MEMORY;
    if (r) {
        zw_report_word(r, "model", sys->name);
        zw_agreement_report(a, r);
        status = zw_report_text(r, &words, &err);
        zw_bytes_clear(&words);
        zw_report_destroy(r);
    }
    zw_agreement_destroy(a);
    zw_context_destroy(ctx);
    return status;
}

static void test_agreement__memory(void **state) {
    long all;
    (void)state;
    failing_allocator none = failing_allocator_make(0);
    zw_allocator plain = failing_allocator_of(&none);
    assert_true(work(&plain) >= 0);
    all = none.requests;
    for (long n = 1; n <= all; n += 1 + n / 8) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_status status = work(&alloc);
        if (f.failed ? status != ZW_E_MEMORY : status < 0)
            fail_msg("request %ld of %ld: %d, %s", n, all, status, err.text);
        assert_int_equal(f.blocks, 0);
        assert_int_equal(f.bytes, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agreement__penny),
        cmocka_unit_test(test_agreement__lemma_of_the_ball),
        cmocka_unit_test(test_agreement__skate),
        cmocka_unit_test(test_agreement__holonomic),
        cmocka_unit_test(test_agreement__memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
