/* SPDX-License-Identifier: MIT */
/* Eigenvalues alone, against LAPACK's, and of matrices whose eigenvalues are known. */
#include <complex.h>
#include <math.h>

#include "analysis/dense.h"
#include "analysis/spectrum.h"
#include "test.h"

enum { MOST = 60 };
static double A[MOST * MOST], copy[MOST * MOST], re[MOST], im[MOST], work[3 * MOST + 8];

static unsigned seed = 1;
static double draw(void) {
    seed = seed * 1103515245u + 12345u;
    return (double)(seed >> 8 & 0xffff) / 32768 - 1;
}

static void find(int n) {
    memcpy(copy, A, sizeof(double) * (size_t)(n * n));
    assert_true(zw_spectrum(n, copy, re, im, work));
    for (int i = 0; i < n; i++) {
        assert_true(i == 0 || hypot(re[i], im[i]) <= hypot(re[i - 1], im[i - 1]) * (1 + 1e-12));
        if (im[i] > 0) { /* pairs stand together */
            assert_true(i + 1 < n && im[i + 1] == -im[i] && re[i + 1] == re[i]);
        }
    }
}

static double away_from(double a, double b, int n) {
    double least = INFINITY;
    for (int i = 0; i < n; i++)
        least = fmin(least, hypot(re[i] - a, im[i] - b));
    return least;
}

static void test_spectrum__as_lapack(void **state) {
    (void)state;
    for (int n = 1; n <= MOST; n += n < 12 ? 1 : 7)
        for (int round = 0; round < 5; round++) {
            zw_arena arena;
            zw_dense_eigen e;
            zw_arena_init(&arena, NULL);
            for (int i = 0; i < n * n; i++)
                A[i] = (round == 3 && i % 3 == 0 ? 0 : draw()) * (round == 4 ? 1e-9 : 1);
            assert_true(zw_dense_eigenvalues(&arena, n, A, &e));
            find(n);
            for (int i = 0; i < n; i++) { /* those that are sensitive are known to less */
                double allowed = 1e-13 * n * e.condition[i] * (round == 4 ? 1e-9 : 1);
                if (!(away_from(e.re[i], e.im[i], n) <= fmax(allowed, 1e-300)))
                    fail_msg("n = %d: %g %+g i is off by %.1e, condition %.1e", n, e.re[i], e.im[i],
                             away_from(e.re[i], e.im[i], n), e.condition[i]);
            }
            zw_arena_clear(&arena);
        }
}

/* turns by an angle, shears, cyclic permutations (shifts of zero do not move those), triangles, nothing */
static void test_spectrum__known(void **state) {
    (void)state;
    for (int n = 2; n <= 24; n++) {
        memset(A, 0, sizeof A);
        for (int i = 0; i < n; i++)
            A[i * n + (i + 1) % n] = 1;
        find(n);
        for (int k = 0; k < n; k++)
            assert_true(away_from(cos(2 * M_PI * k / n), sin(2 * M_PI * k / n), n) < 1e-13);
        memset(A, 0, sizeof A);
        for (int i = 0; i < n; i++)
            for (int j = i; j < n; j++)
                A[i * n + j] = i == j ? i - 0.5 * n : draw();
        find(n);
        for (int i = 0; i < n; i++)
            assert_true(away_from(i - 0.5 * n, 0, n) < 1e-12);
        memset(A, 0, sizeof A);
        find(n);
        assert_true(re[0] == 0 && im[0] == 0);
    }
    const double shear[] = {1, 1, 0, 1}, turn[] = {0.6, -0.8, 0.8, 0.6};
    memcpy(A, shear, sizeof shear);
    find(2);
    assert_true(re[0] == 1 && re[1] == 1 && im[0] == 0);
    memcpy(A, turn, sizeof turn);
    find(2);
    assert_close(re[0], 0.6, 1e-16);
    assert_close(im[0], 0.8, 1e-16);
    A[2] = NAN;
    assert_false(zw_spectrum(2, A, re, im, work));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spectrum__as_lapack),
        cmocka_unit_test(test_spectrum__known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
