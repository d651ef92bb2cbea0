/* SPDX-License-Identifier: MIT */
/* Claims on a system whose equations are known in closed form: a bead on a rod that turns in a
 * vertical plane, driven by a moment, with a spring and a viscous damper on the rod,
 *   m (r'' - r th'^2) + k (r - l) + d r' + m g sin th = 0
 *   (J + m r^2) th'' + 2 m r r' th' + m g r cos th = N cos(w t)
 * The states are random and the accelerations come from these formulas, not from the derivation. A
 * true equation must hold; each kind of slip must be found and undone. */
#include "zwang/claims.h"

#include <stdlib.h>

#include "claims/verify/repair.h"
#include "support/failing_allocator.h"
#include "support/test.h"
#include "zwang/model.h"

static const zw_place here = {0};

enum { PARAMS = 8, PER_SET = 5, SETS = PARAMS + 4 };

typedef struct bench {
    zw_context *ctx;
    zw_system *s;
    zw_trials trials;
    zw_expr m, J, k, l, d, g, N, w;       /* parameters */
    zw_expr r, th, dr, dth, ddr, ddth, t; /* motion */
    zw_expr sin, cos, drive;
    zw_expr radial[5],
        angular[4]; /* the addends of the two equations; N cos(w t) is the other side */
} bench;

static zw_expr times(bench *b, int n, ...) {
    zw_expr product = ZW_ONE;
    va_list list;
    va_start(list, n);
    for (int i = 0; i < n; i++)
        product = zw_mul(b->ctx, product, va_arg(list, zw_expr));
    va_end(list);
    return product;
}

static void make_system(bench *b) {
    static const struct {
        const char *name, *unit;
        int num, den;
    } rows[PARAMS] = {{"m", "kg", 7, 5},    {"J", "kg*m^2", 3, 10}, {"k", "N/m", 11, 1},
                      {"l", "m", 2, 5},     {"d", "N*s/m", 9, 10},  {"g", "m/s^2", 981, 100},
                      {"N", "N*m", 17, 10}, {"w", "1/s", 13, 10}};
    zw_expr *params[PARAMS] = {&b->m, &b->J, &b->k, &b->l, &b->d, &b->g, &b->N, &b->w};
    zw_context *ctx = b->ctx;
    zw_error err = {0};
    assert_int_equal(zw_system_create(&b->s, ctx, "rod", "", &err), ZW_OK);
    for (int i = 0; i < PARAMS; i++)
        assert_int_equal(zw_system_param(b->s, rows[i].name, rows[i].unit,
                                         zw_rational(ctx, rows[i].num, rows[i].den), here,
                                         params[i], &err),
                         ZW_OK);
    assert_int_equal(zw_system_coord(b->s, "r", "m", here, &b->r, &err), ZW_OK);
    assert_int_equal(zw_system_coord(b->s, "th", "rad", here, &b->th, &err), ZW_OK);
    b->dr = zw_system_rate(b->s, b->r);
    b->dth = zw_system_rate(b->s, b->th);
    b->ddr = zw_system_accel(b->s, b->r);
    b->ddth = zw_system_accel(b->s, b->th);
    b->t = b->s->t;
    b->sin = zw_sin(ctx, b->th);
    b->cos = zw_cos(ctx, b->th);
    b->drive = zw_mul(ctx, b->N, zw_cos(ctx, zw_mul(ctx, b->w, b->t)));
}

static void make_equations(bench *b) {
    zw_context *ctx = b->ctx;
    b->radial[0] = times(b, 2, b->m, b->ddr);
    b->radial[1] = times(b, 5, ZW_MINUS_ONE, b->m, b->r, b->dth, b->dth);
    b->radial[2] = times(b, 2, b->k, zw_sub(ctx, b->r, b->l));
    b->radial[3] = times(b, 2, b->d, b->dr);
    b->radial[4] = times(b, 3, b->m, b->g, b->sin);
    b->angular[0] = times(b, 2, zw_add(ctx, b->J, times(b, 3, b->m, b->r, b->r)), b->ddth);
    b->angular[1] = times(b, 5, ZW_TWO, b->m, b->r, b->dr, b->dth);
    b->angular[2] = times(b, 4, b->m, b->g, b->r, b->cos);
    b->angular[3] = zw_neg(ctx, b->drive);
}

static void make_trials(bench *b) {
    zw_error err = {0};
    test_random random = {5};
    double p[PARAMS];
    assert_int_equal(zw_trials_sets(b->s), SETS);
    assert_int_equal(zw_trials_init(&b->trials, b->s, SETS * PER_SET, SETS, &err), ZW_OK);
    for (int j = 0; j < SETS * PER_SET; j++) {
        double q[2], v[2], a[2], t = test_random_real(&random, 0, 2);
        assert_int_equal(zw_trials_params(b->s, 1, j / PER_SET, p, &err), ZW_OK);
        double m = p[0], J = p[1], k = p[2], l = p[3], d = p[4], g = p[5], N = p[6], w = p[7];
        for (int i = 0; i < 2; i++) {
            q[i] = test_random_real(&random, -1, 1);
            v[i] = test_random_real(&random, -1, 1);
        }
        a[0] = q[0] * v[1] * v[1] - (k * (q[0] - l) + d * v[0]) / m - g * sin(q[1]);
        a[1] = (N * cos(w * t) - 2 * m * q[0] * v[0] * v[1] - m * g * q[0] * cos(q[1])) /
               (J + m * q[0] * q[0]);
        zw_trials_put(&b->trials, b->s, j, j / PER_SET, p, t, q, v, a, NULL);
    }
}

static void setup(bench *b) {
    b->ctx = zw_context_create(NULL);
    assert_non_null(b->ctx);
    make_system(b);
    make_equations(b);
    make_trials(b);
}

/* the verdict on sum of terms = rhs */
static zw_verdict judge(bench *b, int n, const zw_expr *terms, zw_expr rhs) {
    static int count;
    char name[16];
    zw_verdict v;
    zw_error err = {0};
    snprintf(name, sizeof name, "c%d", ++count);
    assert_int_equal(zw_system_claim(b->s, name, zw_sum(b->ctx, n, terms), rhs, here, &err), ZW_OK);
    if (zw_verify(&v, b->s, &b->s->claim[b->s->nclaim - 1], &b->trials, &err) < 0)
        fail_msg("%s", err.text);
    return v;
}

/* one of the repairs must be the true equation, up to a factor of the whole */
static void assert_repaired(bench *b, int n, const zw_expr *broken, zw_expr rhs,
                            const zw_expr *sound, const char *word) {
    zw_verdict v = judge(b, n, broken, rhs);
    assert_false(v.holds);
    assert_true(v.residual > 1e-3);
    if (v.nrepair == 0)
        fail_msg("no repair found where a %s was expected", word);
    bool found = false, named = false;
    for (int i = 0; i < v.nrepair; i++) {
        zw_expr residual = zw_sub(b->ctx, v.repair[i].lhs, v.repair[i].rhs);
        zw_expr truth = zw_sum(b->ctx, n, sound);
        found |= zw_expand(b->ctx, zw_sub(b->ctx, residual, truth)) == ZW_ZERO;
        named |= strstr(v.repair[i].words, word) != NULL;
    }
    if (!found || !named)
        fail_msg("expected a %s, found: %s", word, v.repair[0].words);
}

static void test_verify__true_equations_hold(void **state) {
    (void)state;
    bench b;
    setup(&b);
    zw_verdict v = judge(&b, 5, b.radial, ZW_ZERO);
    assert_true(v.holds);
    assert_true(v.residual < 1e-14);
    v = judge(&b, 3, b.angular, b.drive);
    assert_true(v.holds);
    assert_true(v.residual < 1e-14);
    assert_int_equal(v.nrepair, 0);
    /* a pure identity holds too: no state is needed for it */
    zw_expr one = zw_add(b.ctx, zw_mul(b.ctx, b.sin, b.sin), zw_mul(b.ctx, b.cos, b.cos));
    v = judge(&b, 1, &one, ZW_ONE);
    assert_true(v.holds);
    zw_context_destroy(b.ctx);
}

/* every addend in turn, all of them undone by the same change */
static void test_verify__signs(void **state) {
    (void)state;
    bench b;
    setup(&b);
    for (int k = 0; k < 5; k++) {
        zw_expr broken[5];
        memcpy(broken, b.radial, sizeof broken);
        broken[k] = zw_neg(b.ctx, broken[k]);
        assert_repaired(&b, 5, broken, ZW_ZERO, b.radial, "sign");
    }
    /* inside a bracket, and inside the argument of a function */
    zw_expr broken[5];
    memcpy(broken, b.radial, sizeof broken);
    broken[2] = times(&b, 2, b.k, zw_add(b.ctx, b.r, b.l));
    assert_repaired(&b, 5, broken, ZW_ZERO, b.radial,
                    "sign: l should be -l, in the term k*(l + r)");
    /* cos(th - w t) = cos th cos(w t) + sin th sin(w t), with + in the argument */
    zw_expr wt = zw_mul(b.ctx, b.w, b.t);
    zw_expr product = zw_add(b.ctx, zw_mul(b.ctx, b.cos, zw_cos(b.ctx, wt)),
                             zw_mul(b.ctx, b.sin, zw_sin(b.ctx, wt)));
    zw_expr printed = zw_cos(b.ctx, zw_add(b.ctx, b.th, wt)),
            sound = zw_cos(b.ctx, zw_sub(b.ctx, b.th, wt));
    zw_expr sides[2] = {printed, zw_neg(b.ctx, product)}, truth[2] = {sound, sides[1]};
    assert_repaired(&b, 2, sides, ZW_ZERO, truth, "sign");
    zw_context_destroy(b.ctx);
}

static void test_verify__numbers(void **state) {
    (void)state;
    bench b;
    setup(&b);
    static const int factors[][2] = {{2, 1}, {1, 2}, {3, 1}, {-2, 3}, {7, 5}};
    for (int k = 0; k < 5; k++)
        for (int f = 0; f < 5; f++) {
            zw_expr broken[5];
            memcpy(broken, b.radial, sizeof broken);
            broken[k] = zw_mul(b.ctx, broken[k], zw_rational(b.ctx, factors[f][0], factors[f][1]));
            assert_repaired(&b, 5, broken, ZW_ZERO, b.radial, "number");
        }
    zw_expr broken[4];
    memcpy(broken, b.angular, sizeof broken);
    broken[3] = times(&b, 3, ZW_MINUS_ONE, b.N, zw_cos(b.ctx, times(&b, 3, ZW_TWO, b.w, b.t)));
    assert_repaired(&b, 4, broken, ZW_ZERO, b.angular, "number");
    memcpy(broken, b.angular, sizeof broken);
    broken[0] = times(&b, 2, zw_add(b.ctx, b.J, times(&b, 4, ZW_HALF, b.m, b.r, b.r)), b.ddth);
    assert_repaired(&b, 4, broken, ZW_ZERO, b.angular, "number");
    zw_context_destroy(b.ctx);
}

static void test_verify__exchanges(void **state) {
    (void)state;
    bench b;
    setup(&b);
    zw_expr broken[5];
    memcpy(broken, b.radial, sizeof broken);
    broken[4] = times(&b, 3, b.m, b.g, b.cos);
    assert_repaired(&b, 5, broken, ZW_ZERO, b.radial, "function: cos(th) should be sin(th)");
    /* two names of the same unit: a second length, a second mass would do the same */
    memcpy(broken, b.angular, sizeof b.angular);
    broken[2] = times(&b, 4, b.m, b.g, b.r, b.sin);
    assert_repaired(&b, 4, broken, ZW_ZERO, b.angular, "function: sin(th) should be cos(th)");
    zw_context_destroy(b.ctx);
}

static void test_verify__names(void **state) {
    (void)state;
    bench b;
    setup(&b);
    zw_system *s = b.s;
    zw_expr other;
    zw_error err = {0};
    assert_int_equal(zw_system_param(s, "m_2", "kg", zw_integer(b.ctx, 3), here, &other, &err),
                     ZW_OK);
    zw_trials old = b.trials;
    assert_int_equal(zw_trials_init(&b.trials, s, old.nsample, old.nset, &err), ZW_OK);
    for (int j = 0; j < old.nsample; j++) { /* the same states, the new parameter among them */
        const double *x = old.value + (size_t)j * (size_t)old.nsym;
        double p[PARAMS + 1];
        assert_int_equal(zw_trials_params(s, 1, old.set[j], p, &err), ZW_OK);
        memcpy(p, x, PARAMS * sizeof *p);
        zw_trials_put(&b.trials, s, j, old.set[j], p, x[PARAMS], x + PARAMS + 1, x + PARAMS + 3,
                      x + PARAMS + 5, NULL);
    }
    zw_expr broken[5];
    memcpy(broken, b.radial, sizeof broken);
    broken[4] = times(&b, 3, other, b.g, b.sin);
    assert_repaired(&b, 5, broken, ZW_ZERO, b.radial, "name: m_2 should be m");
    zw_context_destroy(b.ctx);
}

static void test_verify__exponents(void **state) {
    (void)state;
    bench b;
    setup(&b);
    zw_expr broken[5];
    memcpy(broken, b.radial, sizeof broken);
    broken[1] = times(&b, 4, ZW_MINUS_ONE, b.m, b.r, b.dth);
    assert_repaired(&b, 5, broken, ZW_ZERO, b.radial, "exponent: th' should be th'^2");
    memcpy(broken, b.radial, sizeof broken);
    broken[3] = times(&b, 3, b.d, b.dr, b.dr);
    assert_repaired(&b, 5, broken, ZW_ZERO, b.radial, "exponent: r'^2 should be r'");
    memcpy(broken, b.radial, sizeof broken);
    broken[3] = zw_div(b.ctx, b.dr, b.d);
    assert_repaired(&b, 5, broken, ZW_ZERO, b.radial, "exponent: 1/d should be d");
    /* in the bracket of the moment of inertia */
    memcpy(broken, b.angular, sizeof b.angular);
    broken[0] = times(&b, 2, zw_add(b.ctx, b.J, times(&b, 2, b.m, b.r)), b.ddth);
    assert_repaired(&b, 4, broken, ZW_ZERO, b.angular, "exponent: r should be r^2");
    zw_context_destroy(b.ctx);
}

static void test_verify__factors(void **state) {
    (void)state;
    bench b;
    setup(&b);
    zw_expr broken[5];
    /* parameters lost or gained, with a number and a sign besides */
    memcpy(broken, b.radial, sizeof broken);
    broken[4] = times(&b, 1, b.sin);
    assert_repaired(&b, 5, broken, ZW_ZERO, b.radial, "multiplied by m*g");
    memcpy(broken, b.radial, sizeof broken);
    broken[3] = zw_div(b.ctx, times(&b, 4, zw_integer(b.ctx, -3), b.d, b.l, b.dr), b.J);
    assert_repaired(&b, 5, broken, ZW_ZERO, b.radial, "factor");
    /* a function of the state lost: cos th cannot be told from a number at one state */
    memcpy(broken, b.angular, sizeof b.angular);
    broken[2] = times(&b, 3, b.m, b.g, b.r);
    assert_repaired(&b, 4, broken, ZW_ZERO, b.angular, "multiplied by cos(th)");
    memcpy(broken, b.angular, sizeof b.angular);
    broken[1] = times(&b, 3, ZW_TWO, b.m, b.dth);
    assert_repaired(&b, 4, broken, ZW_ZERO, b.angular, "factor");
    zw_context_destroy(b.ctx);
}

static void test_verify__terms(void **state) {
    (void)state;
    bench b;
    setup(&b);
    zw_context *ctx = b.ctx;
    zw_expr broken[6], sound[6];
    /* one too many */
    memcpy(broken, b.radial, sizeof b.radial);
    broken[5] = times(&b, 4, b.m, b.r, b.dth, b.cos);
    memcpy(sound, b.radial, sizeof b.radial);
    sound[5] = ZW_ZERO;
    assert_repaired(&b, 6, broken, ZW_ZERO, sound, "term too many: m*r*th'*cos(th)");
    /* each one missing in turn, the bracket (r - l) being two terms; then two of the others at
     * once */
    for (int k = 1; k < 5; k++) {
        memcpy(broken, b.radial, sizeof b.radial);
        broken[k] = ZW_ZERO;
        assert_repaired(&b, 5, broken, ZW_ZERO, b.radial, "missing term");
        for (int i = 1; i < k; i++) {
            memcpy(broken, b.radial, sizeof b.radial);
            broken[i] = broken[k] = ZW_ZERO;
            if (i != 2 && k != 2)
                assert_repaired(&b, 5, broken, ZW_ZERO, b.radial, "missing term");
        }
    }
    for (int k = 1; k < 3; k++) {
        memcpy(broken, b.angular, sizeof b.angular);
        broken[k] = ZW_ZERO;
        assert_repaired(&b, 4, broken, ZW_ZERO, b.angular, "missing term");
    }
    /* three are too many */
    memcpy(broken, b.radial, sizeof b.radial);
    broken[1] = broken[3] = broken[4] = ZW_ZERO;
    zw_verdict few = judge(&b, 5, broken, ZW_ZERO);
    assert_int_equal(few.nrepair, 0);
    /* on the right side if something stands there */
    zw_verdict v = judge(&b, 2, b.angular, b.drive);
    assert_false(v.holds);
    assert_int_equal(v.nrepair, 1);
    assert_int_equal(v.repair[0].rhs, zw_sub(ctx, b.drive, b.angular[2]));
    zw_context_destroy(b.ctx);
}

/* what no small repair mends must not be mended */
static void test_verify__no_repair(void **state) {
    (void)state;
    bench b;
    setup(&b);
    zw_expr wrong[3] = {b.ddr, zw_mul(b.ctx, b.sin, b.dth), zw_mul(b.ctx, b.d, b.th)};
    zw_verdict v = judge(&b, 3, wrong, b.drive);
    assert_false(v.holds);
    assert_int_equal(v.nrepair, 0);
    assert_true(v.worst >= 0 && v.worst < b.trials.nsample);
    assert_true(v.share > 0.5);
    /* two slips at once, one of them not a factor */
    zw_expr broken[5];
    memcpy(broken, b.radial, sizeof broken);
    broken[4] = times(&b, 3, b.m, b.g, b.cos);
    broken[1] = zw_neg(b.ctx, broken[1]);
    v = judge(&b, 5, broken, ZW_ZERO);
    assert_int_equal(v.nrepair, 0);
    zw_context_destroy(b.ctx);
}

/* a wrong factor in each of two terms, every pair of them */
static void test_verify__two_slips(void **state) {
    (void)state;
    bench b;
    setup(&b);
    for (int i = 0; i < 5; i++)
        for (int k = i + 1; k < 5; k++) {
            zw_expr broken[5];
            memcpy(broken, b.radial, sizeof broken);
            broken[i] = zw_neg(b.ctx, broken[i]);
            broken[k] = zw_div(b.ctx, zw_mul(b.ctx, broken[k], ZW_HALF), b.l);
            assert_repaired(&b, 5, broken, ZW_ZERO, b.radial, "two slips");
        }
    zw_context_destroy(b.ctx);
}

/* a repair that makes an equation of motion an identity says nothing and must not be reported */
static void test_verify__no_trivial_repair(void **state) {
    (void)state;
    bench b;
    setup(&b);
    /* r'' = th'' times anything that makes both sides the same */
    zw_expr wrong[2] = {times(&b, 2, b.m, b.ddr), times(&b, 3, b.m, b.l, b.ddth)};
    zw_verdict v = judge(&b, 2, wrong, ZW_ZERO);
    assert_false(v.holds);
    assert_int_equal(v.nrepair, 0);
    v = judge(&b, 1, &b.dr, b.dth);
    assert_false(v.holds);
    assert_int_equal(v.nrepair, 0);
    /* kinematics may be an identity: the speed of the bead squared */
    zw_expr x = times(&b, 2, b.r, b.cos), y = times(&b, 2, b.r, b.sin);
    zw_expr dx = zw_system_dt(b.s, x), dy = zw_system_dt(b.s, y);
    zw_expr speed = zw_add(b.ctx, zw_mul(b.ctx, dx, dx), zw_mul(b.ctx, dy, dy));
    zw_expr printed = zw_add(b.ctx, zw_mul(b.ctx, b.dr, b.dr), times(&b, 3, b.r, b.dth, b.dth));
    v = judge(&b, 1, &speed, printed);
    assert_false(v.holds);
    assert_int_equal(v.nrepair, 1);
    assert_non_null(strstr(v.repair[0].words, "exponent: r should be r^2"));
    /* and a formula of parameters too: k l for k l^2 */
    zw_expr stiff = times(&b, 3, b.k, b.l, b.l);
    v = judge(&b, 1, &stiff, times(&b, 2, b.k, b.l));
    assert_false(v.holds);
    assert_true(v.nrepair > 0);
    zw_context_destroy(b.ctx);
}

static void test_verify__refuses(void **state) {
    (void)state;
    bench b;
    setup(&b);
    zw_error err = {0};
    zw_verdict v;
    assert_int_equal(zw_system_claim(b.s, "a", zw_symbol(b.ctx, "nobody"), b.r, here, &err), ZW_OK);
    assert_int_equal(zw_system_claim(b.s, "a", b.r, b.r, here, &err), ZW_E_NAME);
    err = (zw_error){0};
    assert_int_equal(zw_verify(&v, b.s, &b.s->claim[0], &b.trials, &err), ZW_E_MODEL);
    assert_non_null(strstr(err.text, "nobody"));
    err = (zw_error){0};
    zw_expr root = zw_sqrt(b.ctx, b.r); /* r < 0 at some states */
    assert_int_equal(zw_system_claim(b.s, "b", root, ZW_ONE, here, &err), ZW_OK);
    assert_int_equal(zw_verify(&v, b.s, &b.s->claim[1], &b.trials, &err), ZW_E_NONFINITE);
    zw_context_destroy(b.ctx);
}

/* x'' = -g with the wrong sign, all in memory that runs out at the n-th request */
static zw_status with_allocator(const zw_allocator *alloc, int *nrepair) {
    zw_error err = {0};
    zw_system *s;
    zw_expr g, x;
    zw_trials trials;
    zw_verdict v;
    zw_context *ctx = zw_context_create(alloc);
    if (!ctx)
        return ZW_E_MEMORY;
    zw_status status = zw_system_create(&s, ctx, "fall", "", &err);
    if (status >= 0)
        status = zw_system_param(s, "g", "m/s^2", zw_rational(ctx, 981, 100), here, &g, &err);
    if (status >= 0)
        status = zw_system_coord(s, "x", "m", here, &x, &err);
    if (status >= 0)
        status = zw_system_claim(s, "fall", zw_system_accel(s, x), g, here, &err);
    if (status >= 0)
        status = zw_trials_init(&trials, s, 10, 5, &err);
    for (int j = 0; j < 10 && status >= 0; j++) {
        double p, q = 0.1 * j, v0 = 0.3 * j, a;
        status = zw_trials_params(s, 1, j / 2, &p, &err);
        a = -p;
        zw_trials_put(&trials, s, j, j / 2, &p, 0, &q, &v0, &a, NULL);
    }
    if (status >= 0)
        status = zw_verify(&v, s, &s->claim[0], &trials, &err);
    if (status >= 0)
        *nrepair = v.nrepair;
    zw_context_destroy(ctx);
    return status;
}

static void test_verify__survives_no_memory(void **state) {
    (void)state;
    for (long n = 1;; n++) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        int nrepair = 0;
        zw_status status = with_allocator(&alloc, &nrepair);
        assert_int_equal(f.blocks, 0);
        assert_int_equal(f.bytes, 0);
        if (!f.failed) {
            assert_int_equal(status, ZW_OK);
            assert_true(nrepair > 0);
            break;
        }
        assert_true(status < 0 || nrepair > 0); /* words may be lost, repairs not */
    }
}

/* samples collected by the library: on the constraint, with m x'' = x lambda 2, the same for a
 * seed */
static void test_verify__collects_states(void **state) {
    (void)state;
    static const char TEXT[] =
        "model rod\nparam m = 2 [kg], l = 3 [cm], g = 9.81 [m/s^2]\ncoord x, y [m]\n"
        "particle P : m at (x, y)\ngravity g along -y\nconstraint rod : x^2 + y^2 = l^2\n"
        "claim newton : m*x'' = 2*x*lambda(rod)\nclaim wrong : m*y'' = 2*y*lambda(rod)\n";
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s;
    zw_error err = {0};
    zw_trials a, b, other;
    zw_verdict v;
    zw_verify_options options = zw_verify_options_default();
    assert_non_null(ctx);
    if (zw_model_parse(&s, ctx, TEXT, sizeof TEXT - 1, "rod.zw", NULL, &err) < 0)
        fail_msg("%s", err.text);
    options.states = 40;
    assert_int_equal(zw_trials_collect(&a, s, NULL, &options, &err), ZW_OK);
    assert_int_equal(zw_trials_collect(&b, s, NULL, &options, &err), ZW_OK);
    options.seed = 2;
    assert_int_equal(zw_trials_collect(&other, s, NULL, &options, &err), ZW_OK);
    assert_int_equal(a.nsample, 40);
    assert_memory_equal(a.value, b.value, (size_t)(40 * a.nsym) * sizeof *a.value);
    int differs = 0;
    for (int j = 0; j < 40; j++) {
        const double *at = a.value + (size_t)j * (size_t)a.nsym, l = at[1], x = at[4], y = at[5];
        assert_true(fabs(x * x + y * y - l * l) <= 1e-14 * l * l);
        assert_true(a.set[j] > 0 || l == 0.03);
        differs += other.value[(size_t)j * (size_t)a.nsym + 4] != x;
    }
    assert_int_equal(differs, 40);
    assert_int_equal(zw_verify(&v, s, &s->claim[0], &a, &err), ZW_OK);
    assert_true(v.holds);
    assert_int_equal(zw_verify(&v, s, &s->claim[1], &a, &err), ZW_OK);
    assert_false(v.holds); /* the weight is missing */
    assert_true(v.nrepair > 0);
    options.states = 3;
    assert_int_equal(zw_trials_collect(&a, s, NULL, &options, &err), ZW_E_OPTION);
    zw_context_destroy(ctx);
}

static bool stop_after(void *user, double done) {
    int *left = user;
    (void)done;
    return --*left < 0;
}

/* Who is asked and says stop is not asked again, and the search for corrections ends at once. */
static void test_verify__stops(void **state) {
    (void)state;
    static const char model[] =
        "model p\nunits none\ncoord th\nkinetic th'^2/2\npotential -cos(th)\n"
        "claim odd : th'' = exp(sin(th)*th')\n";
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s;
    zw_error err = {0};
    zw_trials trials;
    zw_verdict v;
    zw_verify_options options = zw_verify_options_default();
    int left = 10;
    assert_int_equal(zw_model_parse(&s, ctx, model, strlen(model), "p", NULL, &err), ZW_OK);
    options.stop = stop_after;
    options.stop_user = &left;
    assert_int_equal(zw_trials_collect(&trials, s, NULL, &options, &err), ZW_E_NUMERIC);
    assert_int_equal(left, -1);
    left = 1000000;
    err = (zw_error){0};
    assert_int_equal(zw_trials_collect(&trials, s, NULL, &options, &err), ZW_OK);
    for (int n = 2; n <= 200; n *= 10) { /* in the search, which asks thousands of times */
        left = n;
        trials.watch = NULL;
        assert_int_equal(zw_trials_watch_begin(&trials, s, &options, &err), ZW_OK);
        assert_int_equal(zw_verify(&v, s, &s->claim[0], &trials, NULL), ZW_E_NUMERIC);
        assert_int_equal(left, -1);
    }
    left = 1000000;
    trials.watch = NULL;
    assert_int_equal(zw_trials_watch_begin(&trials, s, &options, &err), ZW_OK);
    assert_int_equal(zw_verify(&v, s, &s->claim[0], &trials, &err), ZW_OK);
    assert_true(left < 1000000 - 2000); /* it had been stopped early */
    zw_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verify__true_equations_hold),
        cmocka_unit_test(test_verify__signs),
        cmocka_unit_test(test_verify__numbers),
        cmocka_unit_test(test_verify__exchanges),
        cmocka_unit_test(test_verify__names),
        cmocka_unit_test(test_verify__exponents),
        cmocka_unit_test(test_verify__factors),
        cmocka_unit_test(test_verify__terms),
        cmocka_unit_test(test_verify__two_slips),
        cmocka_unit_test(test_verify__no_repair),
        cmocka_unit_test(test_verify__no_trivial_repair),
        cmocka_unit_test(test_verify__refuses),
        cmocka_unit_test(test_verify__survives_no_memory),
        cmocka_unit_test(test_verify__collects_states),
        cmocka_unit_test(test_verify__stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
