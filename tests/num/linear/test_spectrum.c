/* SPDX-License-Identifier: MIT */
/* Eigenvalues alone, against LAPACK's, and of matrices whose eigenvalues are known. */
#include <complex.h>
#include <math.h>

#include "num/linear/dense.h"
#include "num/linear/lapack.h"
#include "num/linear/spectrum.h"
#include "support/test.h"

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

/* turns by an angle, shears, cyclic permutations (shifts of zero do not move those), triangles,
 * nothing */
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

/* against LAPACK, to a part of each eigenvalue */
static void as_lapack(const char *name, int n, double most) {
    zw_arena arena;
    zw_dense_eigen e;
    zw_arena_init(&arena, NULL);
    assert_true(zw_dense_eigenvalues(&arena, n, A, &e));
    find(n);
    for (int i = 0; i < n; i++) {
        double off = away_from(e.re[i], e.im[i], n);
        if (!(off <= most * hypot(e.re[i], e.im[i])))
            fail_msg("%s, n = %d: %.17g %+.17g i is off by %.1e of it, condition %.1e", name, n,
                     e.re[i], e.im[i], off / hypot(e.re[i], e.im[i]), e.condition[i]);
    }
    zw_arena_clear(&arena);
}

/* D. Day, How the QR algorithm fails to converge and how to fix it (1996); its eigenvalues are
 * about 1, 1, -1, -1 */
static void test_spectrum__day(void **state) {
    (void)state;
    for (double h = 1e-14; h < 1e-5; h *= 10) {
        const double day[] = {0, 1, 0, 0, 1, 0, h, 0, 0, -h, 0, 1, 0, 0, 1, 0};
        memcpy(A, day, sizeof day);
        find(4);
        for (int i = 0; i < 4; i++)
            assert_true(fabs(hypot(re[i], im[i]) - 1) < h + 1e-14);
        assert_true(away_from(1, 0, 4) < h + 1e-14 && away_from(-1, 0, 4) < h + 1e-14);
    }
}

/* sizes whose squares are no numbers */
static void test_spectrum__large_and_small(void **state) {
    static const double size[] = {1e160, 1e-160, 1e300, 1e-290};
    (void)state;
    for (int k = 0; k < 4; k++)
        for (int n = 2; n <= 9; n++) {
            for (int i = 0; i < n * n; i++)
                A[i] = draw() * size[k];
            as_lapack("size", n, 1e-11);
        }
    for (int n = 3; n <= 9; n++) { /* a column of nothing leaves the others alone */
        for (int i = 0; i < n * n; i++)
            A[i] = draw() * (i % n == 0 ? 1e-160 : 1);
        as_lapack("column", n, 1e-11);
    }
}

/* D^-1 A D, D of sizes from 1e-12 to 1e12, has the eigenvalues of A: known to all digits where rows
 * and columns are balanced */
static void test_spectrum__bad_scaling(void **state) {
    double own_re[MOST], own_im[MOST], d[MOST];
    (void)state;
    for (int n = 3; n <= 20; n += 4)
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < n; i++)
                d[i] = ldexp(1, (int)(40 * draw()));
            for (int i = 0; i < n * n; i++)
                A[i] = draw();
            find(n);
            memcpy(own_re, re, sizeof re);
            memcpy(own_im, im, sizeof im);
            for (int i = 0; i < n * n; i++)
                A[i] *= d[i % n] / d[i / n];
            find(n);
            for (int i = 0; i < n; i++)
                assert_true(away_from(own_re[i], own_im[i], n) < 1e-11);
            as_lapack("bad scaling", n, 1e-10);
        }
}

/* blocks in triangles, hidden by a permutation: what permutations separate is exact */
static void test_spectrum__hidden_triangles(void **state) {
    (void)state;
    for (int n = 2; n <= 20; n += 3) {
        memset(A, 0, sizeof A);
        for (int i = 0; i < n; i++)
            for (int j = i; j < n; j++) {
                /* n and n - 1 have no common factor */
                int r = (i * (n - 1) + 1) % n, s = (j * (n - 1) + 1) % n;
                A[r * n + s] = i == j ? ldexp(1, i) : 1e6 * draw();
            }
        find(n);
        for (int i = 0; i < n; i++)
            assert_true(away_from(ldexp(1, i), 0, n) == 0);
    }
}

/* graded by powers of ten, Frank's, a companion of (x - 1) .. (x - 8), Kahan's */
static void test_spectrum__hard(void **state) {
    (void)state;
    for (int n = 3; n <= 8; n++) {
        for (int i = 0; i < n * n; i++) {
            int grade = i / n + i % n;
            A[i] = (1.5 + draw()) * pow(10, -2 * grade);
        }
        as_lapack("graded", n, 1e-9);
    }
    for (int n = 3; n <= 9; n++) { /* Frank: det 1, eigenvalues come in pairs x, 1/x */
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                A[i * n + j] = j < i - 1 ? 0 : n - (i > j ? i : j);
        as_lapack("Frank", n, 1e-9);
        for (int i = 0; i < n; i++)
            assert_true(away_from(1 / re[i], 0, n) < 1e-8 / fabs(re[i]) + 1e-8);
    }
    const double wilkinson[] = {36, -546, 4536, -22449, 67284, -118124, 109584, -40320};
    memset(A, 0, sizeof A);
    for (int i = 0; i < 8; i++) {
        A[i] = wilkinson[i];
        if (i)
            A[i * 8 + i - 1] = 1;
    }
    find(8);
    for (int i = 1; i <= 8; i++)
        assert_true(away_from(i, 0, 8) < 1e-7);
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++)
            A[i * 12 + j] = pow(sin(1.2), i) * (i == j ? 1 : j > i ? -cos(1.2) : 0);
    as_lapack("Kahan", 12, 1e-13);
}

/* ------------------------------------------------------------------------------- without LAPACK */

static double wr[MOST], wi[MOST], left[MOST * MOST], right[MOST * MOST], scale[MOST], cond[MOST],
    sense[MOST], room[40000];

/* A by its columns is A' here: right vectors of one are left vectors of the other */
static void own_eigen(int n) {
    int low, high, info = 1, size = sizeof room / sizeof *room;
    double norm;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            copy[j * n + i] = A[i * n + j];
    zw_num_lapack_own()->dgeevx("B", "V", "V", "B", &n, copy, &n, wr, wi, left, &n, right, &n, &low,
                                &high, scale, &norm, cond, sense, room, &size, NULL, &info, 1, 1, 1,
                                1);
    assert_int_equal(info, 0);
}

static double complex entry(const double *V, int n, int k, int i) {
    int at = wi[k] < 0 ? k - 1 : k;
    return V[at * n + i] + (wi[k] == 0 ? 0 : (wi[k] < 0 ? -I : I) * V[(at + 1) * n + i]);
}

/* A q = l q, p* A = l p*, vectors of length one, as far as rounding of A allows; |p*q| as LAPACK
 * has it */
static void check_vectors(const char *name, int n, double allowed) {
    zw_arena arena;
    zw_dense_eigen e;
    double size = 0;
    zw_arena_init(&arena, NULL);
    assert_true(zw_dense_eigenvalues(&arena, n, A, &e));
    own_eigen(n);
    for (int i = 0; i < n * n; i++)
        size = hypot(size, A[i]);
    for (int k = 0; k < n; k++) {
        double complex l = wr[k] + I * wi[k];
        double lengths[2] = {0, 0}, off = 0, best = INFINITY, own = NAN;
        for (int i = 0; i < n; i++) {
            double complex a = -l * entry(right, n, k, i), b = -l * conj(entry(left, n, k, i));
            for (int j = 0; j < n; j++) {
                a += A[i * n + j] * entry(right, n, k, j);
                b += conj(entry(left, n, k, j)) * A[j * n + i];
            }
            off = fmax(off, fmax(cabs(a), cabs(b)));
            lengths[0] = hypot(lengths[0], cabs(entry(right, n, k, i)));
            lengths[1] = hypot(lengths[1], cabs(entry(left, n, k, i)));
        }
        int alike = 0; /* vectors of equal ones are not unique */
        for (int j = 0; j < n; j++) {
            double apart = hypot(e.re[j] - wr[k], e.im[j] - wi[k]);
            alike += apart < 1e-6 * size;
            if (apart < best) {
                best = apart;
                own = e.condition[j];
            }
        }
        if (!(off <= allowed * size) || fabs(lengths[0] - 1) > 1e-12 ||
            fabs(lengths[1] - 1) > 1e-12 || !(best <= allowed * size * own) ||
            (own < 1e6 && alike == 1 && fabs(1 / cond[k] / own - 1) > 1e-4))
            fail_msg("%s, n = %d: %g %+g i, residual %.1e, off by %.1e, condition %.3e, LAPACK's "
                     "%.3e",
                     name, n, wr[k], wi[k], off / size, best / size, 1 / cond[k], own);
    }
    zw_arena_clear(&arena);
}

static void test_spectrum__own_vectors(void **state) {
    (void)state;
    for (int n = 1; n <= 40; n += n < 12 ? 1 : 7)
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < n * n; i++)
                A[i] = (round == 3 && i % 3 == 0 ? 0 : draw()) * (round == 2 ? 1e-9 : 1);
            check_vectors("random", n, 1e-13);
        }
    for (int n = 2; n <= 10; n += 2) { /* an undamped chain of equal masses: pairs on the axis */
        int m = n / 2;
        memset(A, 0, sizeof A);
        for (int i = 0; i < m; i++) {
            A[i * n + m + i] = 1;
            for (int j = 0; j < m; j++)
                A[(m + i) * n + j] = i == j ? -2 : abs(i - j) == 1 ? 1 : 0;
        }
        check_vectors("chain", n, 1e-13);
    }
}

/* several equal eigenvalues that have vectors of their own: the vectors of all are independent */
static void test_spectrum__own_vectors_of_equal_ones(void **state) {
    double S[25], inverse[25], s[5], V[25];
    zw_arena arena;
    (void)state;
    for (int round = 0; round < 6; round++) {
        zw_arena_init(&arena, NULL);
        for (int i = 0; i < 25; i++) {
            S[i] = draw() + (i % 6 == 0 ? 3 : 0);
            inverse[i] = i % 6 == 0;
        }
        double M[25];
        memcpy(M, S, sizeof S);
        zw_dense_divide(5, 5, M, inverse);
        for (int i = 0; i < 5; i++)
            for (int j = 0; j < 5; j++) {
                A[i * 5 + j] = 0;
                for (int k = 0; k < 5; k++)
                    A[i * 5 + j] +=
                        S[i * 5 + k] * (k < 3 ? (round % 2 ? 0 : 2) : -1) * inverse[k * 5 + j];
            }
        own_eigen(5);
        for (int k = 0; k < 5; k++)
            assert_true(fabs(wi[k]) < 1e-12);
        for (int k = 0; k < 5; k++) {
            double off = 0;
            for (int i = 0; i < 5; i++) {
                double sum = -wr[k] * creal(entry(right, 5, k, i));
                for (int j = 0; j < 5; j++)
                    sum += A[i * 5 + j] * creal(entry(right, 5, k, j));
                off = fmax(off, fabs(sum));
            }
            assert_true(off < 1e-12);
        }
        assert_true(zw_dense_svd(&arena, 5, 5, right, s, V, NULL));
        assert_true(s[4] > 1e-3);
        zw_arena_clear(&arena);
    }
}

/* A = U S V', with U and V of orthonormal rows, and the singular values of LAPACK */
static void test_spectrum__own_singular_values(void **state) {
    static const int shape[][2] = {{1, 1}, {5, 5}, {9, 4}, {4, 9}, {40, 40}, {3, 40}, {60, 7}};
    double U[60 * 60], V[40 * 40], s[60], own[60], W[40 * 40];
    (void)state;
    for (size_t k = 0; k < sizeof shape / sizeof *shape; k++)
        for (int round = 0; round < 4; round++) {
            int m = shape[k][0], n = shape[k][1], least = m < n ? m : n, info = 1,
                size = sizeof room / sizeof *room;
            zw_arena arena;
            zw_arena_init(&arena, NULL);
            for (int i = 0; i < m * n;
                 i++) /* of full rank, with equal rows, small, of size 1e200 */
                A[i] = draw() * (round == 2 ? 1e-200 : round == 3 ? 1e200 : 1);
            for (int i = 0; i < m * n && round == 1; i++)
                A[i] = A[i % n] * (1 + (double)(i / n % 3 == 1));
            assert_true(zw_dense_svd(&arena, m, n, A, s, W, NULL));
            for (int i = 0; i < m; i++)
                for (int j = 0; j < n; j++)
                    copy[j * m + i] = A[i * n + j];
            zw_num_lapack_own()->dgesvd("S", "A", &m, &n, copy, &m, own, U, &m, V, &n, room, &size,
                                        &info, 1, 1);
            assert_int_equal(info, 0);
            for (int i = 0; i < least; i++)
                assert_true(fabs(own[i] - s[i]) <= 1e-13 * s[0]);
            for (int i = 0; i < m; i++)
                for (int j = 0; j < n; j++) {
                    double sum = 0;
                    for (int l = 0; l < least; l++)
                        sum += U[l * m + i] * (own[l] / s[0]) * V[j * n + l];
                    assert_true(fabs(sum - A[i * n + j] / s[0]) < 1e-13);
                }
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) {
                    double sum = i == j ? -1 : 0, other = sum;
                    for (int l = 0; l < n; l++)
                        sum += V[l * n + i] * V[l * n + j];
                    for (int l = 0; l < m && i < least && j < least; l++)
                        other += U[i * m + l] * U[j * m + l];
                    assert_true(fabs(sum) < 1e-13);
                    assert_true((i >= least || j >= least) || fabs(other) < 1e-13);
                }
            zw_arena_clear(&arena);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spectrum__as_lapack),
        cmocka_unit_test(test_spectrum__known),
        cmocka_unit_test(test_spectrum__day),
        cmocka_unit_test(test_spectrum__large_and_small),
        cmocka_unit_test(test_spectrum__bad_scaling),
        cmocka_unit_test(test_spectrum__hidden_triangles),
        cmocka_unit_test(test_spectrum__hard),
        cmocka_unit_test(test_spectrum__own_vectors),
        cmocka_unit_test(test_spectrum__own_vectors_of_equal_ones),
        cmocka_unit_test(test_spectrum__own_singular_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
