/* SPDX-License-Identifier: MIT */
/* The steps of continuation on curves in closed form: who looks at new points may refuse them, so
 * that zeros that one step would pass over are parted; zeros that are none are not told; what
 * cannot be parted is said with its place; ends on bounds where there is no way at fixed a. */
#include "branch/curve.h"

#include <math.h>

#include "support/test.h"

/* x = 0 along a, or a curve of a kind of its own, with the test function g of a */
typedef struct line {
    double row[2], matrix[4];
    double (*g)(double a);
    int (*count)(double a); /* how many zeros of g lie below a */
    bool fork;              /* r = x (x - a), along x = a: it crosses x = 0 at a = 0 */
    int told, points, last;
    double at[16];
    bool deny; /* nothing is a zero */
} line;

static zw_status residual(void *self, const double *x, double a, double *r, zw_error *err) {
    line *l = self;
    (void)err;
    r[0] = l->fork ? x[0] * (x[0] - a) : x[0];
    return ZW_OK;
}

static zw_status factor(void *self, const double *x, double a, const double *row, zw_error *err) {
    line *l = self;
    (void)err;
    l->matrix[0] = l->fork ? 2 * x[0] - a : 1;
    l->matrix[1] = l->fork ? -x[0] : 0;
    l->matrix[2] = row[0];
    l->matrix[3] = row[1];
    double det = l->matrix[0] * l->matrix[3] - l->matrix[1] * l->matrix[2];
    return det != 0 ? ZW_OK : ZW_RETRY;
}

static void solve(void *self, double *b) {
    const double *m = ((line *)self)->matrix;
    double det = m[0] * m[3] - m[1] * m[2], u = (b[0] * m[3] - m[1] * b[1]) / det,
           v = (m[0] * b[1] - m[2] * b[0]) / det;
    b[0] = u;
    b[1] = v;
}

static double inner(void *self, const double *u, const double *v) {
    (void)self;
    return u[0] * v[0];
}

static zw_status tests(void *self, const double *x, double a, double slope, double *value,
                       zw_error *err) {
    (void)x;
    (void)slope;
    (void)err;
    value[0] = ((line *)self)->g(a);
    return ZW_OK;
}

static zw_status accept(void *self, const zw_cont_point *from, const zw_cont_point *to, bool *yes,
                        zw_error *err) {
    line *l = self;
    (void)err;
    *yes = zw_cont_explains(l->count(to->a) - l->count(from->a), zw_cont_changes(from, to, 0), 0);
    return ZW_OK;
}

static zw_status confirm(void *self, const zw_cont_point *zero, bool *yes, zw_error *err) {
    (void)zero;
    (void)err;
    *yes = !((line *)self)->deny;
    return ZW_OK;
}

static zw_status take(void *user, const zw_cont_point *p, zw_error *err) {
    line *l = user;
    (void)err;
    if (p->what == 0 && l->told < 16)
        l->at[l->told++] = p->a;
    l->points += p->what == ZW_CONT_NOTHING;
    return ZW_OK;
}

static zw_cont_info walk(line *l, double from, double to, bool looks) {
    zw_cont_problem p = {.self = l,
                         .n = 1,
                         .unit = 1,
                         .residual = residual,
                         .factor = factor,
                         .solve = solve,
                         .inner = inner,
                         .ntest = 1,
                         .tests = tests,
                         .accept = looks ? accept : NULL,
                         .confirm = confirm};
    zw_cont_options o = zw_cont_options_default();
    zw_cont_info info;
    zw_error err = {0};
    double x = l->fork ? from : 0;
    o.low = fmin(from, to);
    o.high = fmax(from, to);
    o.step = o.step_max = 0.4;
    assert_int_equal(zw_continue(&p, &o, &x, from, from < to ? 1 : -1, take, l, &info, NULL, &err),
                     ZW_OK);
    assert_int_equal(info.end, ZW_CONT_AT_BOUND);
    return info;
}

/* zeros at 0.5 and 0.501, and a double one at 1.3 */
static double two(double a) {
    return (a - 0.5) * (a - 0.501);
}

static int count_two(double a) {
    return (a > 0.5) + (a > 0.501);
}

static double twice(double a) {
    return (a - 0.5) * (a - 0.5);
}

static int count_twice(double a) {
    return a > 0.5 ? 2 : 0;
}

static void test_continuation__parts_two_zeros(void **state) {
    (void)state;
    line blind = {.g = two, .count = count_two}, sees = blind;
    zw_cont_info info = walk(&blind, 0, 2, false);
    assert_int_equal(blind.told, 0); /* both lie in one step */
    assert_int_equal(info.unsplit, 0);
    info = walk(&sees, 0, 2, true);
    assert_int_equal(sees.told, 2);
    assert_close(sees.at[0], 0.5, 1e-9);
    assert_close(sees.at[1], 0.501, 1e-9);
    assert_int_equal(info.unsplit, 0);
    assert_true(info.rejected > 3 && sees.points < 60);
    line back = {.g = two, .count = count_two};
    walk(&back, 2, 0, true);
    assert_int_equal(back.told, 2);
    assert_close(back.at[0], 0.501, 1e-9);
}

/* what is no change of sign is never parted: said, at its place, and passed */
static void test_continuation__says_what_it_cannot_part(void **state) {
    (void)state;
    line l = {.g = twice, .count = count_twice};
    zw_cont_info info = walk(&l, 0, 2, true);
    assert_int_equal(l.told, 0);
    assert_int_equal(info.unsplit, 1);
    assert_close(info.unsplit_at, 0.5, 1e-5);
    assert_true(info.unsplit_by <= 4e-6);
}

/* a zero that is none to who knows is not told, but the step is made short first */
static double one(double a) {
    return a - 0.5;
}

static void test_continuation__zeros_that_are_none(void **state) {
    (void)state;
    line l = {.g = one, .deny = true};
    zw_cont_info info = walk(&l, 0, 2, false);
    assert_int_equal(l.told, 0);
    assert_int_equal(info.unsplit, 1);
    assert_close(info.unsplit_at, 0.5, 1e-5);
}

/* x (x - a) = 0 along x = a, up to a bound on which x = 0 crosses: at fixed a there is a double
 * root */
static void test_continuation__bound_on_a_crossing(void **state) {
    (void)state;
    line l = {.g = one, .fork = true};
    zw_cont_info info = walk(&l, 2, 0, false);
    assert_int_equal(l.told, 1);
    assert_close(l.at[0], 0.5, 1e-9);
    assert_int_equal(info.rough, 0);
}

/* a zero on the bound itself */
static double on_bound(double a) {
    return a - 2;
}

static void test_continuation__zero_on_the_bound(void **state) {
    (void)state;
    line l = {.g = on_bound};
    walk(&l, 0, 2, false);
    assert_int_equal(l.told, 1);
    assert_true(l.at[0] == 2);
    line beyond = {.g = on_bound};
    walk(&beyond, 0, 1.99, false);
    assert_int_equal(beyond.told, 0);
}

static void test_continuation__explains(void **state) {
    (void)state;
    assert_true(zw_cont_explains(0, 0, 0) && zw_cont_explains(-1, 1, 0));
    assert_true(zw_cont_explains(2, 0, 1) && zw_cont_explains(3, 1, 1));
    assert_true(zw_cont_explains(0, 2, 0) && zw_cont_explains(0, 0, 1)); /* opposite real ones */
    assert_false(zw_cont_explains(0, 1, 0) || zw_cont_explains(1, 0, 1));
    assert_false(zw_cont_explains(2, 0, 0) || zw_cont_explains(4, 0, 1));
}

#define TEST(name) cmocka_unit_test(test_continuation__##name)

int main(void) {
    const struct CMUnitTest tests_[] = {
        TEST(parts_two_zeros),     TEST(says_what_it_cannot_part), TEST(zeros_that_are_none),
        TEST(bound_on_a_crossing), TEST(zero_on_the_bound),        TEST(explains),
    };
    return cmocka_run_group_tests(tests_, NULL, NULL);
}
