/* SPDX-License-Identifier: MIT */
/* The tracker alone: matrices S B(v) S^-1 with random S and blocks B(v) whose eigenvalues are
 * known, so that every crossing, every zero and every coalescence has its exact value. What happens
 * twice between two rows, what only touches, what is multiple, and what is always zero. */
#include "zwang/statespace.h"

#include "support/failing_allocator.h"
#include "support/test.h"

enum { MAX = 24 };

typedef double (*formula)(double v);
typedef struct
    block { /* {{a, b}, {c, a}}, with eigenvalues a +- sqrt(b c); one alone if b is NULL */
    formula a, b, c;
} block;

typedef struct family {
    int n, nblock;
    const block *block;
    double S[MAX * MAX], inverse[MAX * MAX];
} family;

static family fam;
static zw_track t;

static zw_status matrix(void *user, double v, double middle, double *A, zw_error *err) {
    const family *f = user;
    double B[MAX * MAX] = {0}, C[MAX * MAX];
    int n = f->n;
    (void)middle;
    (void)err;
    for (int k = 0, at = 0; k < f->nblock; k++) {
        const block *b = &f->block[k];
        B[at * n + at] = b->a(v);
        if (b->b) {
            B[(at + 1) * n + at + 1] = b->a(v);
            B[at * n + at + 1] = b->b(v);
            B[(at + 1) * n + at] = b->c(v);
        }
        at += b->b ? 2 : 1;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            C[i * n + j] = 0;
            for (int l = 0; l < n; l++)
                C[i * n + j] += f->S[i * n + l] * B[l * n + j];
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            A[i * n + j] = 0;
            for (int l = 0; l < n; l++)
                A[i * n + j] += C[i * n + l] * f->inverse[l * n + j];
        }
    return ZW_OK;
}

/* S = product of elementary matrices, whose inverse is the product of theirs */
static void mix(family *f, uint64_t seed) {
    int n = f->n;
    for (int i = 0; i < n * n; i++)
        f->S[i] = f->inverse[i] = i % (n + 1) == 0;
    test_random random = {seed};
    for (int k = 0; k < 2 * n; k++) {
        int i = k % n, j = (i + 1 + test_random_int(&random, n - 1)) % n;
        double x = test_random_real(&random, -0.7, 0.7);
        for (int l = 0; l < n; l++) {
            f->S[l * n + j] += x * f->S[l * n + i];
            f->inverse[i * n + l] -= x * f->inverse[j * n + l];
        }
    }
}

static void follow(const block *blocks, int nblock, double from, double to, int rows) {
    zw_error err = {0};
    fam.nblock = nblock;
    fam.block = blocks;
    fam.n = 0;
    for (int k = 0; k < nblock; k++)
        fam.n += blocks[k].b ? 2 : 1;
    mix(&fam, 17);
    zw_track_options o = zw_track_options_default();
    o.n = fam.n;
    o.from = from;
    o.to = to;
    o.rows = rows;
    o.matrix = matrix;
    o.user = &fam;
    if (zw_track_follow(&t, NULL, &o, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(t.nlost, 0);
    assert_true(t.rough < 1e-11);
}

static void expect(int i, zw_track_kind kind, double value, double re, double im) {
    assert_true(i < t.nmark);
    assert_int_equal(t.mark[i].kind, kind);
    assert_close(t.mark[i].value, value, 1e-10);
    assert_close(t.mark[i].re, re, 1e-7);
    assert_close(t.mark[i].im, im, 1e-7);
}

static double one(double v) {
    (void)v;
    return 1;
}
static double minus_one(double v) {
    (void)v;
    return -1;
}
static double minus_two(double v) {
    (void)v;
    return -2;
}
static double nothing(double v) {
    (void)v;
    return 0;
}
static double minus_nine(double v) {
    (void)v;
    return -9;
}
static double line(double v) {
    return v - 0.3123;
}
static double minus_line(double v) {
    return 0.71234 - v;
}
static double twice(double v) {
    return -(v - 0.4) * (v - 0.4002);
}
static double minus_twice(double v) {
    return (v - 0.4) * (v - 0.4002);
}
static double hump(double v) { /* touches zero at 0.6 and comes back */
    return -(v - 0.6) * (v - 0.6);
}
static double square(double v) {
    return (v - 0.45) * (v - 0.45);
}
static double bend(double v) {
    return exp(v) - 1.7;
}

/* a pair crosses at 0.3123, a real one at ln 1.7, another at 0.71234; conjugates tell nothing
 * twice */
static void test_track__crossings(void **state) {
    (void)state;
    const block b[] = {{line, one, minus_nine},
                       {bend, NULL, NULL},
                       {minus_line, NULL, NULL},
                       {minus_two, NULL, NULL}};
    follow(b, 4, 0, 1, 11);
    assert_int_equal(t.nmark, 3);
    expect(0, ZW_TRACK_HOPF, 0.3123, 0, 3);
    assert_int_equal(t.mark[0].growing, 2);
    assert_int_equal(t.mark[0].ntrack, 2);
    expect(1, ZW_TRACK_ZERO, log(1.7), 0, 0);
    expect(2, ZW_TRACK_ZERO, 0.71234, 0, 0);
    assert_int_equal(t.mark[2].growing, -1);
    assert_int_equal(t.nrange, 4);
    assert_int_equal(t.range[0].growing, 1);
    assert_int_equal(t.range[3].growing, 3);
    zw_track_clear(&t);
    follow(b, 4, 1, 0, 11); /* and backwards */
    assert_int_equal(t.nmark, 3);
    expect(2, ZW_TRACK_HOPF, 0.3123, 0, 3);
    assert_int_equal(t.mark[2].growing, -2);
    zw_track_clear(&t);
}

/* over the axis and back within 2e-4, by 1e-8, between two rows: both are seen, of the pair and of
 * the real one */
static void test_track__crossing_and_return(void **state) {
    (void)state;
    const block b[] = {{twice, one, minus_nine}, {minus_two, NULL, NULL}};
    follow(b, 2, 0, 1, 101);
    assert_int_equal(t.nmark, 2);
    expect(0, ZW_TRACK_HOPF, 0.4, 0, 3);
    expect(1, ZW_TRACK_HOPF, 0.4002, 0, 3);
    assert_int_equal(t.mark[0].growing, 2);
    assert_int_equal(t.mark[1].growing, -2);
    zw_track_clear(&t);
    const block c[] = {{twice, NULL, NULL}, {minus_two, NULL, NULL}};
    follow(c, 2, 0, 1, 7);
    assert_int_equal(t.nmark, 2);
    expect(0, ZW_TRACK_ZERO, 0.4, 0, 0);
    expect(1, ZW_TRACK_ZERO, 0.4002, 0, 0);
    zw_track_clear(&t);
}

static double slow_line(double v) {
    return 1e-5 * (v - 0.3123);
}
static double very_fast(double v) {
    return -2e4 - v;
}

/* so slowly beside what dies out fast that some rows cannot tell its real part from zero */
static void test_track__crosses_slowly(void **state) {
    (void)state;
    const block b[] = {{slow_line, one, minus_nine}, {very_fast, NULL, NULL}};
    follow(b, 2, 0, 1, 101);
    assert_int_equal(t.nmark, 1);
    assert_int_equal(t.mark[0].kind, ZW_TRACK_HOPF);
    assert_close(t.mark[0].value, 0.3123, 1e-5);
    assert_int_equal(t.mark[0].growing, 2);
    zw_track_clear(&t);
}

/* a real part that touches the axis does not cross it */
static void test_track__touches_the_axis(void **state) {
    (void)state;
    const block b[] = {{hump, one, minus_nine}, {minus_two, NULL, NULL}};
    follow(b, 2, 0, 1, 101);
    assert_int_equal(t.nmark, 0);
    assert_int_equal(t.nrange, 1);
    assert_int_equal(t.range[0].growing, 0);
    zw_track_clear(&t);
    follow(b, 2, 0, 1, 6); /* with a row at the value */
    assert_int_equal(t.nmark, 0);
    zw_track_clear(&t);
}

/* -1 +- sqrt(v - 0.3123): a pair before, two real ones behind */
static void test_track__coalescence(void **state) {
    (void)state;
    const block b[] = {{minus_one, one, line}, {minus_two, NULL, NULL}};
    follow(b, 2, 0, 1, 21);
    assert_int_equal(t.nmark, 1);
    expect(0, ZW_TRACK_COALESCENCE, 0.3123, -1, 0);
    assert_close(t.mark[0].value, 0.3123, 1e-14);
    assert_int_equal(t.mark[0].real, 2);
    assert_int_equal(t.mark[0].growing, 0);
    assert_int_equal(t.nrange, 2);
    zw_track_clear(&t);
}

/* real, a pair for 2e-4, real again, between two rows; and the other way round */
static void test_track__coalescence_twice(void **state) {
    (void)state;
    const block b[] = {{minus_one, one, minus_twice}, {minus_two, NULL, NULL}};
    const block c[] = {{minus_one, one, twice}, {minus_two, NULL, NULL}};
    for (int rows = 6; rows < 200; rows += 31) {
        follow(b, 2, 0, 1, rows);
        assert_int_equal(t.nmark, 2);
        expect(0, ZW_TRACK_COALESCENCE, 0.4, -1, 0);
        expect(1, ZW_TRACK_COALESCENCE, 0.4002, -1, 0);
        assert_int_equal(t.mark[0].real, -2);
        assert_int_equal(t.mark[1].real, 2);
        zw_track_clear(&t);
        follow(c, 2, 0, 1, rows);
        assert_int_equal(t.nmark, 2);
        expect(0, ZW_TRACK_COALESCENCE, 0.4, -1, 0);
        expect(1, ZW_TRACK_COALESCENCE, 0.4002, -1, 0);
        assert_int_equal(t.mark[0].real, 2);
        zw_track_clear(&t);
    }
}

/* two real ones that touch, or cross with eigenvectors of their own: nothing happens, and each
 * keeps its number */
static void test_track__tracks_cross(void **state) {
    (void)state;
    const block b[] = {{minus_one, one, square}, {minus_two, NULL, NULL}};
    follow(b, 2, 0, 1, 21);
    assert_int_equal(t.nmark, 0);
    zw_track_clear(&t);
    const block c[] = {{line, NULL, NULL}, {minus_line, NULL, NULL}};
    follow(c, 2, 0.4, 0.7, 12); /* v - 0.3 and 0.7 - v, both positive: they cross at 0.5 */
    assert_int_equal(t.nmark, 0);
    for (int i = 0; i < t.nrow; i++) {
        assert_close(t.re[2 * i], 0.71234 - t.value[i], 1e-12);
        assert_close(t.re[2 * i + 1], t.value[i] - 0.3123, 1e-12);
    }
    zw_track_clear(&t);
}

/* everything twice: one mark each, with all tracks */
static void test_track__exact_multiplicities(void **state) {
    (void)state;
    const block b[] = {{line, one, minus_nine}, {line, one, minus_nine},  {minus_two, NULL, NULL},
                       {minus_two, NULL, NULL}, {minus_line, NULL, NULL}, {minus_line, NULL, NULL}};
    follow(b, 6, 0, 1, 31);
    assert_int_equal(t.nmark, 2);
    expect(0, ZW_TRACK_HOPF, 0.3123, 0, 3);
    assert_int_equal(t.mark[0].ntrack, 4);
    assert_int_equal(t.mark[0].growing, 4);
    expect(1, ZW_TRACK_ZERO, 0.71234, 0, 0);
    assert_int_equal(t.mark[1].ntrack, 2);
    zw_track_clear(&t);
}

/* zeros at all values, one of them of a chain of length two: what crosses zero is seen, they are
 * not */
static void test_track__zeros_at_all_values(void **state) {
    (void)state;
    const block b[] = {{line, NULL, NULL},
                       {nothing, one, nothing},
                       {nothing, NULL, NULL},
                       {minus_one, one, minus_line}};
    follow(b, 4, 0, 1, 21);
    assert_int_equal(t.n, 6);
    assert_int_equal(t.nzero, 3);
    assert_int_equal(t.nkernel, 2);
    assert_int_equal(t.nmark, 2);
    expect(0, ZW_TRACK_ZERO, 0.3123, 0, 0);
    assert_close(t.mark[0].value, 0.3123, 1e-12);
    expect(1, ZW_TRACK_COALESCENCE, 0.71234, -1, 0);
    for (int i = 0; i < t.nrow; i++)
        for (int j = 3; j < 6; j++)
            assert_true(t.re[6 * i + j] == 0 && t.im[6 * i + j] == 0);
    zw_track_clear(&t);
    follow(b, 4, 0.3123 - 0.25, 0.3123 + 0.25, 21); /* the crossing in the middle of the range */
    assert_int_equal(t.nmark, 1);
    expect(0, ZW_TRACK_ZERO, 0.3123, 0, 0);
    zw_track_clear(&t);
}

/* without damping: y'' + G y' + K y = 0, a top that sleeps. Two pairs meet on the axis and leave
 * it, once. */
static zw_status top(void *user, double v, double middle, double *A, zw_error *err) {
    const double B[] = {0, 0, 1, 0, 0, 0, 0, 1, 4, 0, 0, -v, 0, 4, v, 0};
    (void)user;
    (void)middle;
    (void)err;
    memcpy(A, B, sizeof B);
    return ZW_OK;
}

static void test_track__pairs_meet_on_the_axis(void **state) {
    (void)state;
    zw_error err = {0};
    zw_track_options o = zw_track_options_default();
    o.n = 4;
    o.from = 1;
    o.to = 8;
    o.rows = 51;
    o.matrix = top;
    assert_int_equal(zw_track_follow(&t, NULL, &o, &err), ZW_OK);
    assert_int_equal(t.nmark, 1);
    expect(0, ZW_TRACK_COALESCENCE, 4, 0, 2); /* s^2 + 4 = v s, s = v/2 +- sqrt(v^2/4 - 4) */
    assert_int_equal(t.mark[0].ntrack, 4);
    assert_int_equal(t.mark[0].growing, -2);
    assert_int_equal(t.range[1].neutral, 4);
    zw_track_clear(&t);
}

/* y'' + v y = 0: a pair on the one axis turns to the other at zero */
static zw_status spring(void *user, double v, double middle, double *A, zw_error *err) {
    (void)user;
    (void)middle;
    (void)err;
    A[0] = A[3] = 0;
    A[1] = 1;
    A[2] = 0.25 - v;
    return ZW_OK;
}

static void test_track__pair_turns_at_zero(void **state) {
    (void)state;
    zw_error err = {0};
    zw_track_options o = zw_track_options_default();
    o.n = 2;
    o.rows = 21;
    o.matrix = spring;
    assert_int_equal(zw_track_follow(&t, NULL, &o, &err), ZW_OK);
    assert_int_equal(t.nmark, 1);
    expect(0, ZW_TRACK_ZERO, 0.25, 0, 0);
    assert_int_equal(t.mark[0].ntrack, 2);
    assert_int_equal(t.mark[0].growing, -1);
    zw_track_clear(&t);
}

/* scales over eleven decades */
static zw_status scaled(void *user, double v, double middle, double *A, zw_error *err) {
    const double unit[] = {1e-6, 1, 1e5};
    const double B[] = {line(v), 1, 0.3, -9, line(v), 0.1, 0, 0, minus_line(v)};
    (void)user;
    (void)middle;
    (void)err;
    for (int i = 0; i < 9; i++)
        A[i] = B[i] * unit[i / 3] / unit[i % 3];
    return ZW_OK;
}

static void test_track__scales(void **state) {
    (void)state;
    zw_error err = {0};
    zw_track_options o = zw_track_options_default();
    o.n = 3;
    o.matrix = scaled;
    assert_int_equal(zw_track_follow(&t, NULL, &o, &err), ZW_OK);
    assert_int_equal(t.nmark, 2);
    expect(0, ZW_TRACK_HOPF, 0.3123, 0, 3);
    assert_close(t.mark[0].value, 0.3123, 1e-13);
    expect(1, ZW_TRACK_ZERO, 0.71234, 0, 0);
    zw_track_clear(&t);
}

/* random polynomial matrices: counts of growing and of real eigenvalues change from row to row as
 * the marks say */
static double coefficient[3][36];

static zw_status polynomial(void *user, double v, double middle, double *A, zw_error *err) {
    (void)user;
    (void)middle;
    (void)err;
    for (int i = 0; i < 36; i++)
        A[i] = coefficient[0][i] + v * (coefficient[1][i] + v * coefficient[2][i]);
    return ZW_OK;
}

static void count_at(int row, int *growing, int *real) {
    *growing = *real = 0;
    for (int j = 0; j < 6; j++) {
        *growing += t.re[6 * row + j] > 0;
        *real += t.im[6 * row + j] == 0;
    }
}

static void test_track__random_families(void **state) {
    (void)state;
    int marks = 0;
    for (int k = 0; k < 40; k++) {
        zw_error err = {0};
        test_random random = {(uint64_t)k + 1};
        for (int i = 0; i < 3 * 36; i++)
            coefficient[i / 36][i % 36] = test_random_real(&random, -1, 1);
        zw_track_options o = zw_track_options_default();
        o.n = 6;
        o.from = -2;
        o.to = 2;
        o.rows = 31;
        o.matrix = polynomial;
        assert_int_equal(zw_track_follow(&t, NULL, &o, &err), ZW_OK);
        assert_int_equal(t.nlost, 0);
        for (int row = 0, m = 0; row + 1 < t.nrow; row++) {
            int grow = 0, real = 0, before[2], after[2];
            for (; m < t.nmark && t.mark[m].value <= t.value[row + 1]; m++) {
                grow += t.mark[m].growing;
                real += t.mark[m].real;
                marks++;
            }
            count_at(row, &before[0], &before[1]);
            count_at(row + 1, &after[0], &after[1]);
            assert_int_equal(after[0] - before[0], grow);
            assert_int_equal(after[1] - before[1], real);
        }
        zw_track_clear(&t);
    }
    assert_true(marks > 100);
}

/* the same marks, whatever the rows */
static void test_track__marks_do_not_depend_on_rows(void **state) {
    (void)state;
    double value[64];
    int n = 0;
    test_random random = {5};
    for (int i = 0; i < 3 * 36; i++)
        coefficient[i / 36][i % 36] = test_random_real(&random, -1, 1);
    for (int rows = 2; rows < 2000; rows = 3 * rows + 1) {
        zw_error err = {0};
        zw_track_options o = zw_track_options_default();
        o.n = 6;
        o.from = -2;
        o.to = 2;
        o.rows = rows;
        o.matrix = polynomial;
        assert_int_equal(zw_track_follow(&t, NULL, &o, &err), ZW_OK);
        if (rows == 2)
            n = t.nmark;
        assert_int_equal(t.nmark, n);
        for (int i = 0; i < n; i++) {
            if (rows == 2)
                value[i] = t.mark[i].value;
            assert_close(t.mark[i].value, value[i], 1e-11);
        }
        zw_track_clear(&t);
    }
    assert_true(n > 2);
}

static bool stop(void *user, double done) {
    (void)user;
    return done > 0.4;
}

static void test_track__stops_with_what_is_there(void **state) {
    (void)state;
    const block b[] = {{line, one, minus_nine}};
    zw_error err = {0};
    fam = (family){.n = 2, .nblock = 1, .block = b};
    mix(&fam, 3);
    zw_track_options o = zw_track_options_default();
    o.n = 2;
    o.matrix = matrix;
    o.user = &fam;
    o.stop = stop;
    assert_int_equal(zw_track_follow(&t, NULL, &o, &err), ZW_OK);
    assert_true(t.stopped);
    assert_true(t.nrow < 200);
    assert_int_equal(t.nmark, 1);
    zw_track_clear(&t);
}

/* a jump of A is told with its place */
static double jump(double v) {
    return v < 0.6 ? -1 : -1.5;
}

static void test_track__jumps_are_told(void **state) {
    (void)state;
    const block b[] = {{jump, NULL, NULL}, {line, NULL, NULL}};
    zw_error err = {0};
    fam = (family){.n = 2, .nblock = 2, .block = b};
    mix(&fam, 3);
    zw_track_options o = zw_track_options_default();
    o.n = 2;
    o.matrix = matrix;
    o.user = &fam;
    assert_int_equal(zw_track_follow(&t, NULL, &o, &err), ZW_OK);
    assert_true(t.rough > 1e-3);
    assert_close(t.rough_at, 0.6, 1e-4);
    zw_track_clear(&t);
}

/* ---- memory ---- */

/* every allocation may fail; what was taken is given back */
static void test_track__survives_lack_of_memory(void **state) {
    (void)state;
    const block b[] = {
        {line, one, minus_nine}, {nothing, NULL, NULL}, {minus_one, one, minus_line}};
    bool failed = true;
    fam = (family){.n = 5, .nblock = 3, .block = b};
    mix(&fam, 3);
    zw_track_options o = zw_track_options_default();
    o.n = 5;
    o.rows = 21;
    o.matrix = matrix;
    o.user = &fam;
    long n = 1;
    for (; failed; n++) {
        failing_allocator f = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&f);
        zw_error err = {0};
        zw_status status = zw_track_follow(&t, &alloc, &o, &err);
        failed = f.failed;
        assert_int_equal(status, failed ? ZW_E_MEMORY : ZW_OK);
        assert_int_equal(t.nmark, failed ? 0 : 2);
        zw_track_clear(&t);
        assert_int_equal(f.blocks, 0);
    }
    assert_true(n > 3);
}

/* nothing but rounding: all of it is zero, measured by the unit */
static zw_status almost_nothing(void *user, double v, double middle, double *A, zw_error *err) {
    (void)user;
    (void)middle;
    (void)err;
    for (int i = 0; i < 4; i++)
        A[i] = 1e-17 * sin(1e6 * v + i);
    return ZW_OK;
}

static void test_track__rounding_is_zero(void **state) {
    (void)state;
    zw_error err = {0};
    zw_track_options o = zw_track_options_default();
    o.n = 2;
    o.matrix = almost_nothing;
    o.unit = 1e-3;
    assert_int_equal(zw_track_follow(&t, NULL, &o, &err), ZW_OK);
    assert_int_equal(t.nzero, 2);
    assert_int_equal(t.nmark, 0);
    assert_true(t.matrices < 100);
    zw_track_clear(&t);
    o.unit = 0; /* taken for what it is: noise, which is told, in bounded time */
    assert_int_equal(zw_track_follow(&t, NULL, &o, &err), ZW_OK);
    assert_true(t.rough > 1e-3);
    zw_track_clear(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_track__crossings),
        cmocka_unit_test(test_track__crossing_and_return),
        cmocka_unit_test(test_track__crosses_slowly),
        cmocka_unit_test(test_track__touches_the_axis),
        cmocka_unit_test(test_track__coalescence),
        cmocka_unit_test(test_track__coalescence_twice),
        cmocka_unit_test(test_track__tracks_cross),
        cmocka_unit_test(test_track__exact_multiplicities),
        cmocka_unit_test(test_track__zeros_at_all_values),
        cmocka_unit_test(test_track__pairs_meet_on_the_axis),
        cmocka_unit_test(test_track__pair_turns_at_zero),
        cmocka_unit_test(test_track__scales),
        cmocka_unit_test(test_track__random_families),
        cmocka_unit_test(test_track__marks_do_not_depend_on_rows),
        cmocka_unit_test(test_track__stops_with_what_is_there),
        cmocka_unit_test(test_track__jumps_are_told),
        cmocka_unit_test(test_track__survives_lack_of_memory),
        cmocka_unit_test(test_track__rounding_is_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
