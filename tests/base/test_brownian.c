/* SPDX-License-Identifier: MIT */
#include "support/test.h"

#include "base/brownian.h"

/* Two halves are their whole: increments add up, and the mean deviation from the chord is that of
 * the halves and of the triangle between the chords. At all levels, before and after 0, in any
 * order of asking. */
static void test_brownian__halves_make_the_whole(void **state) {
    (void)state;
    zw_brownian b, other;
    zw_brownian_begin(&b, 5, 7, 1);
    for (int level = 12; level > -30; level--)
        for (int64_t k = -3; k < 3; k++) {
            double W, H, Wl, Hl, Wr, Hr, again, H_again;
            zw_brownian_cell(&b, level, k, &W, &H);
            zw_brownian_cell(&b, level - 1, 2 * k + 1, &Wr, &Hr);
            zw_brownian_cell(&b, level - 1, 2 * k, &Wl, &Hl);
            double size = sqrt(ldexp(1, level));
            assert_true(fabs(Wl + Wr - W) < 1e-9 * size);
            assert_true(fabs((Hl + Hr) / 2 + (Wl - W / 2) / 2 - H) < 1e-9 * size);
            zw_brownian_begin(&other, 5, 7, 1); /* the first that is asked for */
            zw_brownian_cell(&other, level, k, &again, &H_again);
            assert_true(again == W && H_again == H);
        }
}

/* the distribution of cells, next to and far from each other: five standard errors */
static void test_brownian__cells_are_normal_and_independent(void **state) {
    (void)state;
    enum { N = 40000, LEVEL = -4 };
    double h = ldexp(1, LEVEL), WW = 0, HH = 0, WH = 0, next = 0, HHnext = 0, W4 = 0, before = 0,
           H_before = 0, others = 0;
    zw_brownian b, c;
    zw_brownian_begin(&b, 1, 0, 0);
    zw_brownian_begin(&c, 1, 1, 0);
    for (int64_t k = -N / 2; k < N / 2; k++) {
        double W, H, V, G;
        zw_brownian_cell(&b, LEVEL, k, &W, &H);
        zw_brownian_cell(&c, LEVEL, k, &V, &G);
        W /= sqrt(h), H /= sqrt(h / 12), V /= sqrt(h);
        WW += W * W / N, HH += H * H / N, WH += W * H / N, W4 += W * W * W * W / N;
        next += W * before / N, HHnext += H * H_before / N, others += W * V / N;
        before = W, H_before = H;
    }
    assert_true(fabs(WW - 1) < 5 * sqrt(2. / N) && fabs(HH - 1) < 5 * sqrt(2. / N));
    assert_true(fabs(W4 - 3) < 5 * sqrt(96. / N));
    assert_true(fabs(WH) < 5 / sqrt(N) && fabs(next) < 5 / sqrt(N) && fabs(HHnext) < 5 / sqrt(N));
    assert_true(fabs(others) < 5 / sqrt(N));
}

/* the line within a cell has the cell's integrals: its own, and that of the path it makes (Simpson
 * is exact) */
static void test_brownian__rate_has_the_integrals_of_the_cell(void **state) {
    (void)state;
    zw_brownian b;
    double W, H, h = 0.25, t = 3 * h;
    zw_brownian_begin(&b, 2, 3, 4);
    zw_brownian_cell(&b, -2, 3, &W, &H);
    double a = zw_brownian_rate(&b, -2, 3, t), m = zw_brownian_rate(&b, -2, 3, t + h / 2),
           e = zw_brownian_rate(&b, -2, 3, t + h);
    assert_close(h * (a + 4 * m + e) / 6, W, 1e-13);
    double middle = h / 2 * (a + m) / 2; /* the path there, less than the chord by W/2 */
    assert_close(4. / 6 * (middle - W / 2), H, 1e-13);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_brownian__halves_make_the_whole),
        cmocka_unit_test(test_brownian__cells_are_normal_and_independent),
        cmocka_unit_test(test_brownian__rate_has_the_integrals_of_the_cell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
