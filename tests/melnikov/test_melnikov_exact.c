/* SPDX-License-Identifier: MIT */
/* Exact numbers of Melnikov's integrals: the ring of trigonometric polynomials against floating
 * point and Beta functions, integrals against those that are known in closed form. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "melnikov/trig_ring.h"
#include "support/failing_allocator.h"
#include "support/test.h"
#include "zwang/zwang.h"

#define MODEL(name) ZW_SOURCE_DIR "/models/" name ".zw"
#define HEAD "model m \"m\"\nunits none\nparam eps = 0.01, a = 1, b = 0\n"

/* ------------------------------------------------------------------------------------- the ring */

static zw_trig random_element(zw_trig_ring *r, zw_random *random, int degree) {
    zw_trig sum = {0}, power = zw_trig_constant(r, zw_surd_of(1, 1));
    for (int k = 0; k <= degree; k++) {
        for (int i = 0; i < 2; i++) {
            zw_surd c = {zw_number_rational((int64_t)zw_random_real(random, -5, 5),
                                            1 + (int64_t)zw_random_real(random, 0, 4)),
                         zw_number_rational((int64_t)zw_random_real(random, -3, 3), 1)};
            zw_trig term = i ? zw_trig_mul(r, power, zw_trig_cosine(r)) : power;
            sum = zw_trig_add(r, sum, c, term);
        }
        power = zw_trig_mul(r, power, zw_trig_sine(r));
    }
    return sum;
}

/* products are those of values; a product over a factor is the other one; the root of a square is
 * it or its negative */
static void test_ring__is_what_its_values_are(void **state) {
    (void)state;
    zw_arena arena;
    zw_random random = {3};
    zw_arena_init(&arena, NULL);
    for (int k = 0; k < 30; k++) {
        zw_trig_ring r = {.arena = &arena, .root = 3};
        zw_trig a = random_element(&r, &random, 3), b = random_element(&r, &random, 2),
                ab = zw_trig_mul(&r, a, b);
        double phi = zw_random_real(&random, -3, 3);
        assert_close(zw_trig_value(&r, &ab, phi),
                     zw_trig_value(&r, &a, phi) * zw_trig_value(&r, &b, phi), 1e-12);
        zw_trig back = zw_trig_div(&r, ab, b), rest = zw_trig_add(&r, back, zw_surd_of(-1, 1), a);
        assert_false(r.failed);
        assert_true(zw_trig_is_zero(&rest));
    }
    zw_trig_ring r = {.arena = &arena};
    zw_trig S = zw_trig_sine(&r), C = zw_trig_cosine(&r),
            q = zw_trig_mul(&r, zw_trig_mul(&r, S, C),
                            zw_trig_add(&r, zw_trig_constant(&r, zw_surd_of(1, 1)),
                                        zw_surd_of(2, 3), zw_trig_mul(&r, S, S))),
            square = zw_trig_add(&r, (zw_trig){0}, zw_surd_of(8, 25), zw_trig_mul(&r, q, q)),
            root = zw_trig_sqrt(&r, square);
    assert_false(r.failed);
    assert_int_equal(r.root, 2);
    assert_close(fabs(zw_trig_value(&r, &root, 0.7)),
                 sqrt(8.0) / 5 * fabs(zw_trig_value(&r, &q, 0.7)), 1e-14);
    zw_arena_clear(&arena);
}

/* what is no polynomial is not told: S/C, sqrt(1 + S), a second root, a fraction beyond 64 bits */
static void test_ring__fails_where_it_is_not_exact(void **state) {
    (void)state;
    zw_arena arena;
    zw_arena_init(&arena, NULL);
    zw_trig_ring r = {.arena = &arena};
    zw_trig_div(&r, zw_trig_sine(&r), zw_trig_cosine(&r));
    assert_true(r.failed);
    r = (zw_trig_ring){.arena = &arena};
    zw_trig_sqrt(&r, zw_trig_add(&r, zw_trig_constant(&r, zw_surd_of(1, 1)), zw_surd_of(1, 1),
                                 zw_trig_sine(&r)));
    assert_true(r.failed);
    r = (zw_trig_ring){.arena = &arena};
    zw_surd_sqrt(&r, zw_number_rational(2, 1));
    assert_false(r.failed);
    zw_surd_sqrt(&r, zw_number_rational(9, 2));
    assert_false(r.failed);
    zw_surd_sqrt(&r, zw_number_rational(3, 1));
    assert_true(r.failed);
    r = (zw_trig_ring){.arena = &arena};
    zw_surd big = zw_surd_of(INT64_C(4000000000000000000), 7);
    zw_surd_mul(&r, big, big);
    assert_true(r.failed);
    /* (p + q sqrt 2)(p - q sqrt 2) = p^2 - 2 q^2 = 1 (Pell), beyond 64 bits on the way: not exact,
     * and no 0 */
    int64_t p = 1, q = 1;
    for (int i = 0; i < 35; i++) {
        int64_t next = p + 2 * q;
        q = p + q;
        p = next;
    }
    r = (zw_trig_ring){.arena = &arena, .root = 2};
    zw_surd pell = {zw_number_rational(p, 1), zw_number_rational(q, 1)};
    zw_surd product = zw_surd_mul(&r, pell, (zw_surd){pell.x, zw_number_neg(pell.y)});
    assert_true(r.failed && !zw_surd_is_zero(product));
    zw_arena_clear(&arena);
}

/* the integral of S^m C^n over a quarter is B((m + 1)/2, (n + 1)/2)/2 */
static void test_ring__integrals_are_beta_functions(void **state) {
    (void)state;
    zw_arena arena;
    zw_arena_init(&arena, NULL);
    for (int m = 0; m <= 8; m++)
        for (int n = 0; n <= 8; n++) {
            zw_trig_ring r = {.arena = &arena};
            zw_trig e = zw_trig_constant(&r, zw_surd_of(1, 1));
            zw_surd v[2];
            for (int k = 0; k < m; k++)
                e = zw_trig_mul(&r, e, zw_trig_sine(&r));
            for (int k = 0; k < n; k++)
                e = zw_trig_mul(&r, e, zw_trig_cosine(&r));
            double quarter =
                tgamma((m + 1) / 2.0) * tgamma((n + 1) / 2.0) / tgamma((m + n + 2) / 2.0) / 2;
            const double expected[3] = {quarter, n % 2 ? 0 : 2 * quarter, m % 2 ? 0 : 2 * quarter};
            for (int range = 0; range < 3; range++) {
                zw_trig_integral(&r, &e, (zw_trig_range)range, v);
                assert_close(zw_surd_value(&r, v[0]) + M_PI * zw_surd_value(&r, v[1]) -
                                 expected[range],
                             0, 1e-14);
            }
        }
    zw_arena_clear(&arena);
}

/* series: (1/(1 - d S))(1 - d S) = 1, cos^2 + sin^2 = 1, exp(a) exp(-a) = 1 */
static void test_ring__series(void **state) {
    (void)state;
    enum { N = 7 };
    zw_arena arena;
    zw_arena_init(&arena, NULL);
    zw_trig_ring r = {.arena = &arena};
    zw_surd one = zw_surd_of(1, 1), minus = zw_surd_of(-1, 1);
    zw_trig_powers unit = zw_powers_term(&r, N, zw_trig_constant(&r, one), 0),
                   a = zw_powers_term(&r, N, zw_trig_sine(&r), 1), cosine, sine;
    a = zw_powers_add(&r, a, zw_surd_of(2, 3), zw_powers_term(&r, N, zw_trig_cosine(&r), 2));
    zw_trig_powers b = zw_powers_add(&r, unit, minus, a);
    zw_powers_turn(&r, a, &cosine, &sine);
    const zw_trig nought = {{0, 0}, {NULL, NULL}};
    zw_trig_powers zero[3] = {
        zw_powers_add(&r, zw_powers_mul(&r, zw_powers_integer(&r, b, -1), b), minus, unit),
        zw_powers_add(&r, zw_powers_mul(&r, cosine, cosine), one,
                      zw_powers_add(&r, zw_powers_mul(&r, sine, sine), minus, unit)),
        zw_powers_add(
            &r,
            zw_powers_mul(
                &r, zw_powers_exp(&r, a),
                zw_powers_exp(&r, zw_powers_add(&r, zw_powers_term(&r, N, nought, 0), minus, a))),
            minus, unit)};
    assert_false(r.failed);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(zero[i].n, N);
        for (int k = 0; k < N; k++)
            assert_true(zw_trig_is_zero(&zero[i].c[k]));
    }
    assert_close(zw_trig_value(&r, &sine.c[3], 0.4), -pow(sin(0.4), 3) / 6, 1e-14);
    zw_arena_clear(&arena);
}

/* -------------------------------------------------------------------------------- the integrals */

typedef struct result {
    int npart, nseries;
    zw_melnikov_number part[3], term[3][ZW_MELNIKOV_TERMS];
    double mean[3];
} result;

static zw_status solve(const char *text, const char *conserved, const char *expand, int terms,
                       const zw_allocator *alloc, result *out, zw_error *err) {
    zw_context *ctx = zw_context_create(alloc);
    zw_system *sys;
    zw_melnikov *study = NULL;
    zw_melnikov_options o = zw_melnikov_options_default();
    *out = (result){0};
    if (!ctx)
        return ZW_E_MEMORY;
    o.small = "eps";
    o.side = 1;
    o.conserved = conserved;
    o.expand = expand;
    o.terms = terms;
    zw_status status = text[0] == '/'
                           ? zw_model_read(&sys, ctx, text, NULL, err)
                           : zw_model_parse(&sys, ctx, text, strlen(text), "test", NULL, err);
    if (status >= 0)
        status = zw_melnikov_create(&study, sys, &o, err);
    if (status >= 0)
        status = zw_melnikov_find(study, err);
    if (status >= 0 && zw_melnikov_separatrices(study) > 0) {
        const zw_melnikov_separatrix *q = zw_melnikov_separatrix_at(study, 0);
        out->npart = q->npart ? q->npart : 1;
        for (int k = 0; k < out->npart && k < 3; k++) {
            out->part[k] = q->exact[k];
            out->mean[k] = q->npart ? q->integral[k].mean : q->time.mean;
        }
        out->nseries = zw_melnikov_expansions(study);
        for (int i = 0; i < out->nseries && i < 3; i++)
            for (int k = 0; k < terms; k++)
                out->term[i][k] = zw_melnikov_series_at(study, i)->term[k].exact;
    }
    zw_melnikov_destroy(study);
    zw_context_destroy(ctx);
    return status;
}

static void derive(const char *text, const char *conserved, const char *expand, int terms,
                   result *out) {
    zw_error err = {0};
    if (solve(text, conserved, expand, terms, NULL, out, &err) < 0)
        fail_msg("%s (%s)", err.text, err.hint);
}

static void is_number(const zw_melnikov_number *n, const char *expected) {
    char text[200];
    if (!n->known)
        fail_msg("%s: not exact", expected);
    assert_string_equal(zw_melnikov_number_text(n, sizeof text, text), expected);
}

/* x = sqrt(2) sech t, y = -sqrt(2) sech t tanh t; x = 3/2 sech^2(t/2); x = tanh(t/sqrt(2)); phi' =
 * 2 sech t: integrals of sech^m tanh^n by their recursion */
static void test_exact__numbers(void **state) {
    (void)state;
    static const struct {
        const char *rates, *expected[2];
    } row[] = {
        {"x' = y, y' = x - x^3 - eps*y", {"-4/3"}},
        {"x' = y, y' = x - x^3 - eps*y*x", {"-1/4*sqrt(2)*pi"}},
        {"x' = y, y' = x - x^3 + eps*(1 + x)*y^3", {"16/35 + 3/32*sqrt(2)*pi"}},
        {"x' = y, y' = x - x^3 + eps*(y*x^2/3 + x^2)", {"16/45"}},
        {"x' = y, y' = x - x^2 - eps*y", {"-6/5"}},
        {"x' = y, y' = x - x^2 - eps*y*(1 + a*x)", {"-6/5", "-36/35"}},
        {"x' = y, y' = -x + x^3 - eps*y", {"-2/3*sqrt(2)"}},
        {"x' = y, y' = -x + x^3 - eps*y*(1 + x^2)", {"-4/5*sqrt(2)"}},
        {"x' = y, y' = -sin(x) - eps*y", {"-8"}},
        {"x' = y, y' = -sin(x) - eps*y*(2 + cos(x))", {"-56/3"}},
        {"x' = y, y' = -sin(x) + eps*(y^2 - y^3/3)", {"-64/9 + 4*pi"}},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char text[400];
        result r;
        snprintf(text, sizeof text, HEAD "state x, y : %s\nstart x = 0.1\n", row[i].rates);
        derive(text, NULL, NULL, 1, &r);
        for (int k = 0; k < 2 && row[i].expected[k]; k++) {
            is_number(&r.part[k], row[i].expected[k]);
            assert_close(r.part[k].value, r.mean[k], 1e-12);
        }
    }
}

/* (5.53) and (5.55) of the thesis, and further terms, which the polynomial through values has to
 * its error. Others: M over parameters is known, x'' = x - (1 + b) x^3: -4/(3 (1 + b)); x'' = a x -
 * x^3: -4/3 a^(3/2), about a = 1; a pendulum in a torque field b: the saddle and the loop move */
static void test_exact__series(void **state) {
    (void)state;
    static const char *const disc[3][4] = {{"-56/15", "116/35", "-13/7", "2917/990"},
                                           {"-64/15", "352/105", "-8/105", "4492/3465"},
                                           {"8", "28/3", "47/5", "659/70"}};
    result r;
    derive(MODEL("tippedisk_normalised"), "-(1 + kappa*sin(gamma))^2*sin(beta)^2/2", "kappa=0:0.2",
           4, &r);
    assert_int_equal(r.nseries, 3);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++)
            is_number(&r.term[i][k], disc[i][k]);
    derive(HEAD "state x, y : x' = y, y' = x - (1 + b)*x^3 - eps*y\nstart x = 0.1\n", NULL,
           "b=0:0.3", 3, &r);
    is_number(&r.term[0][0], "-4/3");
    is_number(&r.term[0][1], "4/3");
    is_number(&r.term[0][2], "-4/3");
    derive(HEAD "state x, y : x' = y, y' = a*x - x^3 - eps*y\nstart x = 0.1\n", NULL, "a=1:1.3", 3,
           &r);
    is_number(&r.term[0][0], "-4/3");
    is_number(&r.term[0][1], "-2");
    is_number(&r.term[0][2], "-1/2");
    /* the integral of y^2 exp(b x) dt over the loop of Duffing: moments of sech and tanh */
    derive(HEAD "state x, y : x' = y, y' = x - x^3 - eps*y*exp(b*x)\nstart x = 0.1\n", NULL,
           "b=0:0.3", 3, &r);
    is_number(&r.term[0][0], "-4/3");
    is_number(&r.term[0][1], "-1/4*sqrt(2)*pi");
    is_number(&r.term[0][2], "-8/15");
}

/* a saddle that moves with the parameter: x -> x - b, y = (x - b)': the same integral for all b */
static void test_exact__saddle_that_moves(void **state) {
    (void)state;
    result r;
    derive(HEAD "let z = x - b\nstate x, y : x' = y, y' = z - z^2 - eps*y\nstart x = 0.1\n", NULL,
           "b=0:0.3", 3, &r);
    is_number(&r.term[0][0], "-6/5");
    is_number(&r.term[0][1], "0");
    is_number(&r.term[0][2], "0");
}

/* no guess: what is not elementary in this way is not told as exact; a number that no fraction is
 * near, too */
static void test_exact__tells_nothing_else(void **state) {
    (void)state;
    static const char *const rates[] = {
        "x' = y, y' = x - x^3 - eps*y*cos(x)", "x' = y, y' = x - x^3 - eps*y/(3 + x)",
        "x' = y, y' = x - x^3 - eps*y*sqrt(2 + x)", "x' = y, y' = 0.123456789123*x - x^3 - eps*y",
        "x' = y, y' = x - x^5 - eps*y"};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        char text[400];
        result r;
        snprintf(text, sizeof text, HEAD "state x, y : %s\nstart x = 0.1\n", rates[i]);
        derive(text, NULL, NULL, 1, &r);
        if (r.part[0].known)
            fail_msg("%s", rates[i]);
        if (strstr(rates[i], "x^5")) /* a series with gaps of four; y dx with x^2 = sqrt(3) s */
            assert_close(r.mean[0], -sqrt(3) * M_PI / 4, 1e-12);
    }
}

static void fails_cleanly(const char *text) {
    failing_allocator none = failing_allocator_make(0);
    zw_allocator a = failing_allocator_of(&none);
    zw_error err = {0};
    result r;
    assert_true(solve(text, NULL, NULL, 1, &a, &r, &err) >= 0);
    for (long n = none.requests; n > 1; n -= 1 + n / 20) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_error trouble = {0};
        zw_status status = solve(text, NULL, NULL, 1, &alloc, &r, &trouble);
        if (f.failed ? status != ZW_E_MEMORY : status < 0)
            fail_msg("request %ld of %ld: %d, %s", n, none.requests, status, trouble.text);
        assert_int_equal(f.blocks, 0);
    }
}

static void test_exact__memory_runs_out(void **state) {
    (void)state;
    static const char *const texts[] = {
        HEAD "state x, y : x' = y, y' = x - x^2 - eps*y*(1 + b*x)\nstart x = 0.1\n",
        HEAD "state x, y, z : x' = y, y' = z*x - x^2 - eps*y, z' = eps*x^2\nobserve H = y^2/2 - "
             "z*x^2/2 + x^3/3\nstart x = 0, z = 1\n"};
    for (int k = 0; k < 2; k++)
        fails_cleanly(texts[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ring__is_what_its_values_are),
        cmocka_unit_test(test_ring__fails_where_it_is_not_exact),
        cmocka_unit_test(test_ring__integrals_are_beta_functions),
        cmocka_unit_test(test_ring__series),
        cmocka_unit_test(test_exact__numbers),
        cmocka_unit_test(test_exact__series),
        cmocka_unit_test(test_exact__saddle_that_moves),
        cmocka_unit_test(test_exact__tells_nothing_else),
        cmocka_unit_test(test_exact__memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
