/* SPDX-License-Identifier: MIT */
/* The least Zwang against enumeration: every set of inequalities taken as equations, solved by
 * elimination, and the one kept whose solution satisfies all conditions of the minimum. */
#include "num/linear/gauss_qp.h"

#include "support/kernels.h"

#include "support/test.h"

enum { N = 5, ROWS = 7, SIZE = N + ROWS };

typedef struct problem {
    int n, m;
    double M[N * N], h[N], W[ROWS * N], b[ROWS];
    signed char kind[ROWS];
} problem;

static zw_num_gauss view(const problem *p) {
    return (zw_num_gauss){p->n, p->m, p->M, p->h, p->W, p->b, p->kind};
}

/* A x = rhs by elimination with complete pivoting; false if a pivot is small */
static bool eliminate(int n, double A[SIZE][SIZE + 1], double *x) {
    int column[SIZE];
    for (int i = 0; i < n; i++)
        column[i] = i;
    for (int i = 0; i < n; i++) {
        int r = i, c = i;
        for (int a = i; a < n; a++)
            for (int b = i; b < n; b++)
                if (fabs(A[a][b]) > fabs(A[r][c])) {
                    r = a;
                    c = b;
                }
        if (fabs(A[r][c]) < 1e-9)
            return false;
        for (int k = 0; k <= n; k++) {
            double swap = A[i][k];
            A[i][k] = A[r][k];
            A[r][k] = swap;
        }
        for (int k = 0; k < n; k++) {
            double swap = A[k][i];
            A[k][i] = A[k][c];
            A[k][c] = swap;
        }
        int swap = column[i];
        column[i] = column[c];
        column[c] = swap;
        for (int a = 0; a < n; a++) {
            double factor = A[a][i] / A[i][i];
            for (int k = i; a != i && k <= n; k++)
                A[a][k] -= factor * A[i][k];
        }
    }
    for (int i = 0; i < n; i++)
        x[column[i]] = A[i][n] / A[i][i];
    return true;
}

static double gap(const problem *p, int k, const double *a) {
    double sum = -p->b[k];
    for (int i = 0; i < p->n; i++)
        sum += p->W[k * p->n + i] * a[i];
    return sum;
}

/* the conditions of the minimum, all but M a = h + W' lambda */
static bool is_minimum(const problem *p, const double *a, const double *lambda) {
    for (int k = 0; k < p->m; k++) {
        double g = gap(p, k, a);
        if (p->kind[k] == 0 ? fabs(g) > 1e-8 : p->kind[k] * g < -1e-8)
            return false;
        if (p->kind[k] && (p->kind[k] * lambda[k] < -1e-9 || fabs(g * lambda[k]) > 1e-7))
            return false;
    }
    return true;
}

/* the minimum with exactly the rows of the mask as equations */
static bool solve_with(const problem *p, unsigned mask, double *a, double *lambda) {
    double A[SIZE][SIZE + 1] = {{0}}, x[SIZE];
    int row[ROWS], count = 0, n = p->n;
    for (int k = 0; k < p->m; k++) {
        lambda[k] = 0;
        if (mask >> k & 1)
            row[count++] = k;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            A[i][j] = p->M[i * n + j];
        for (int c = 0; c < count; c++) {
            A[i][n + c] = -p->W[row[c] * n + i];
            A[n + c][i] = p->W[row[c] * n + i];
        }
        A[i][n + count] = p->h[i];
    }
    for (int c = 0; c < count; c++)
        A[n + c][n + count] = p->b[row[c]];
    if (count > n || !eliminate(n + count, A, x))
        return false;
    memcpy(a, x, sizeof(double) * (size_t)n);
    for (int c = 0; c < count; c++)
        lambda[row[c]] = x[n + c];
    return true;
}

static bool enumerate(const problem *p, double *a) {
    double lambda[ROWS];
    for (unsigned mask = 0; mask < 1u << p->m; mask++)
        if (solve_with(p, mask, a, lambda) && is_minimum(p, a, lambda))
            return true;
    return false;
}

/* rows of small integers are often dependent; `whole` makes them so, and bounds that meet in a
 * point */
static void random_problem(problem *p, test_random *r, bool whole) {
    double B[N * N], inside[N];
    p->n = 1 + test_random_int(r, N);
    p->m = test_random_int(r, ROWS + 1);
    int n = p->n;
    for (int i = 0; i < n * n; i++)
        B[i] = test_random_real(r, -1, 1);
    for (int i = 0; i < n; i++) {
        inside[i] = whole ? test_random_int(r, 3) - 1 : test_random_real(r, -1, 1);
        p->h[i] = whole ? test_random_int(r, 7) - 3 : test_random_real(r, -3, 3);
        for (int j = 0; j < n; j++) {
            p->M[i * n + j] = i == j ? 0.3 : 0;
            for (int k = 0; k < n; k++)
                p->M[i * n + j] += B[i * n + k] * B[j * n + k];
        }
    }
    for (int k = 0; k < p->m; k++) {
        p->kind[k] = (signed char)(test_random_int(r, 4) % 3 - 1); /* -1 twice as often */
        p->b[k] = 0;
        for (int i = 0; i < n; i++) {
            double w = whole ? test_random_int(r, 3) - 1 : test_random_real(r, -1, 1);
            p->W[k * n + i] = w;
            p->b[k] += w * inside[i];
        }
        /* `inside` satisfies every row, some with room to spare */
        double room = whole ? test_random_int(r, 2) : test_random_real(r, 0, 1);
        p->b[k] -= p->kind[k] * room;
    }
}

static void check_conditions(const problem *p, const double *a, const double *lambda,
                             const int *active) {
    int n = p->n;
    for (int i = 0; i < n; i++) {
        double left = 0, right = p->h[i];
        for (int j = 0; j < n; j++)
            left += p->M[i * n + j] * a[j];
        for (int k = 0; k < p->m; k++)
            right += p->W[k * n + i] * lambda[k];
        assert_close(left, right, 1e-11);
    }
    for (int k = 0; k < p->m; k++) {
        double g = gap(p, k, a);
        if (p->kind[k] == 0 || active[k])
            assert_close(g, 0, 1e-11);
        else
            assert_true(p->kind[k] * g > -1e-11);
        if (!active[k])
            assert_true(lambda[k] == 0);
        assert_true(p->kind[k] * lambda[k] >= 0);
    }
}

static void compare(bool whole, uint64_t seed) {
    test_random r = {seed};
    int tight = 0, loose = 0;
    for (int trial = 0; trial < 3000; trial++) {
        problem p;
        double a[N], lambda[ROWS], want[N], work[512];
        int active[ROWS], places[ROWS];
        random_problem(&p, &r, whole);
        assert_true(zw_num_gauss_work(p.n, p.m) <= 512 && zw_num_gauss_places(p.m) <= ROWS);
        zw_num_gauss v = view(&p);
        assert_int_equal(zw_num_gauss_solve(&v, a, lambda, active, NULL, work, places),
                         ZW_GAUSS_SOLVED);
        check_conditions(&p, a, lambda, active);
        assert_true(enumerate(&p, want));
        for (int i = 0; i < p.n; i++)
            assert_close(a[i], want[i], 1e-9);
        for (int k = 0; k < p.m; k++)
            if (p.kind[k])
                active[k] ? tight++ : loose++;
    }
    /* the trials have both: bounds that hold the acceleration and bounds that do not */
    assert_true(tight > 500 && loose > 500);
}

static void test_gauss_qp__equals_enumeration(void **state) {
    (void)state;
    compare(false, 11);
}

static void test_gauss_qp__equals_enumeration_with_dependent_rows(void **state) {
    (void)state;
    compare(true, 12);
}

static zw_num_gauss_end solve(const problem *p, double *a, double *lambda, int *row) {
    double work[512];
    int active[ROWS], places[ROWS];
    zw_num_gauss v = view(p);
    return zw_num_gauss_solve(&v, a, lambda, active, row, work, places);
}

static void test_gauss_qp__says_why_it_fails(void **state) {
    (void)state;
    double a[N], lambda[ROWS];
    int row = -1;
    problem p = {.n = 1, .m = 2, .M = {2}, .h = {1}, .W = {1, 1}, .b = {3, 2}, .kind = {1, -1}};
    assert_int_equal(solve(&p, a, lambda, &row), ZW_GAUSS_CONTRADICTION);
    assert_in_range(row, 0, 1);
    p.b[1] = 4;
    assert_int_equal(solve(&p, a, lambda, &row), ZW_GAUSS_SOLVED);
    assert_close(a[0], 3, 1e-15);
    assert_close(lambda[0], 5, 1e-15);
    p.M[0] = -1;
    assert_int_equal(solve(&p, a, lambda, &row), ZW_GAUSS_MASS);
    p.M[0] = 1;
    p.h[0] = NAN;
    assert_int_equal(solve(&p, a, lambda, &row), ZW_GAUSS_LOST);
}

/* units do not matter: accelerations of 1e-9 and 1e9, masses of 1e-6 and 1e6 */
static void test_gauss_qp__does_not_depend_on_units(void **state) {
    (void)state;
    test_random r = {77};
    for (int trial = 0; trial < 300; trial++) {
        problem p, scaled;
        double a[N], b[N], lambda[ROWS], unit[N];
        random_problem(&p, &r, false);
        scaled = p;
        double force = pow(10, test_random_real(&r, -6, 6));
        for (int i = 0; i < p.n; i++)
            unit[i] = pow(10, test_random_real(&r, -6, 6)); /* a = unit * scaled a */
        for (int i = 0; i < p.n; i++) {
            scaled.h[i] = p.h[i] * unit[i] * force;
            for (int j = 0; j < p.n; j++)
                scaled.M[i * p.n + j] = p.M[i * p.n + j] * unit[i] * unit[j] * force;
            for (int k = 0; k < p.m; k++)
                scaled.W[k * p.n + i] = p.W[k * p.n + i] * unit[i];
        }
        assert_int_equal(solve(&p, a, lambda, NULL), ZW_GAUSS_SOLVED);
        assert_int_equal(solve(&scaled, b, lambda, NULL), ZW_GAUSS_SOLVED);
        for (int i = 0; i < p.n; i++)
            assert_close(a[i], b[i] * unit[i], 1e-10);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gauss_qp__equals_enumeration),
        cmocka_unit_test(test_gauss_qp__equals_enumeration_with_dependent_rows),
        cmocka_unit_test(test_gauss_qp__says_why_it_fails),
        cmocka_unit_test(test_gauss_qp__does_not_depend_on_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
