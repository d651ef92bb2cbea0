/* SPDX-License-Identifier: MIT */
/* Forces of rest on random problems: they balance, no others near them have a larger reserve (which
 * is concave, so that none at all have), and the factor of friction parts rest from motion. */
#include "contact/law.h"
#include "contact/static_set.h"
#include "support/test.h"

enum { CONTACTS = 6, ROWS = 24, VELOCITIES = 6 };

typedef struct random_problem {
    zw_rest_problem p;
    int rows;
    double H[ROWS * VELOCITIES], h[VELOCITIES], r[ROWS];
    zw_contact_law law[CONTACTS];
    bool bilateral[CONTACTS];
} random_problem;

static zw_friction random_block(test_random *g) {
    zw_friction f = zw_friction_block(ZW_FRICTION_ELLIPSOID, 1 + test_random_int(g, 2),
                                      test_random_real(g, 0.1, 1.2));
    if (test_random_int(g, 4) == 0)
        f.axis[0] = test_random_real(g, 0.3, 1);
    if (test_random_int(g, 4) == 0) {
        f = zw_friction_block(ZW_FRICTION_CONTENSOU, 3, f.mu);
        f.nu = test_random_int(g, 2) ? 0 : 0.5;
    }
    return f;
}

/* the smallest reserve of all inequalities */
static double reserve(const random_problem *q, const double *r) {
    double least = INFINITY;
    for (int c = 0, at = 0; c < q->p.ncontact; c++) {
        double N = q->bilateral[c] ? fabs(r[at]) : r[at];
        at++;
        if (!q->bilateral[c])
            least = fmin(least, N);
        for (int b = 0; b < q->law[c].nblock; b++) {
            const zw_friction *f = &q->law[c].block[b];
            double size = 0;
            for (int i = 0; i < f->nrow; i++)
                size += fabs(r[at + i]);
            least = fmin(least, f->mu * N - (size > 0 ? zw_law_gauge_value(f, r + at) : 0));
            at += f->nrow;
        }
    }
    return least;
}

static void make(random_problem *q, test_random *g, bool bilateral) {
    memset(q, 0, sizeof *q);
    q->p = (zw_rest_problem){.nv = 2 + test_random_int(g, VELOCITIES - 1),
                             .ncontact = 1 + test_random_int(g, CONTACTS),
                             .h = q->h,
                             .H = q->H,
                             .law = q->law,
                             .bilateral = q->bilateral};
    for (int c = 0; c < q->p.ncontact; c++) {
        q->law[c].nblock = test_random_int(g, 6) > 0;
        q->law[c].block[0] = random_block(g);
        q->bilateral[c] = bilateral && test_random_int(g, 3) == 0;
        double N = test_random_real(g, -0.1, 2);
        q->r[q->rows++] = N;
        for (int i = 0; q->law[c].nblock && i < q->law[c].block[0].nrow; i++)
            q->r[q->rows++] = test_random_real(g, -1, 1) * N;
    }
    for (int i = 0; i < q->rows * q->p.nv; i++)
        q->H[i] = test_random_real(g, -1, 1);
    for (int a = 0; a < q->rows; a++)
        for (int v = 0; v < q->p.nv; v++)
            q->h[v] -= q->H[a * q->p.nv + v] * q->r[a];
}

/* d without the part that would change the balance */
static void keep_balance(const random_problem *q, double *d) {
    double Q[VELOCITIES][ROWS];
    int n = 0;
    for (int v = 0; v < q->p.nv; v++) {
        double size = 0;
        for (int a = 0; a < q->rows; a++)
            Q[n][a] = q->H[a * q->p.nv + v];
        for (int twice = 0; twice < 2; twice++)
            for (int k = 0; k < n; k++) {
                double part = 0;
                for (int a = 0; a < q->rows; a++)
                    part += Q[k][a] * Q[n][a];
                for (int a = 0; a < q->rows; a++)
                    Q[n][a] -= part * Q[k][a];
            }
        for (int a = 0; a < q->rows; a++)
            size += Q[n][a] * Q[n][a];
        if (size < 1e-20)
            continue;
        for (int a = 0; a < q->rows; a++)
            Q[n][a] /= sqrt(size);
        n++;
    }
    for (int k = 0; k < 2 * n; k++) {
        double part = 0;
        for (int a = 0; a < q->rows; a++)
            part += Q[k % n][a] * d[a];
        for (int a = 0; a < q->rows; a++)
            d[a] -= part * Q[k % n][a];
    }
}

static void check_balance(const random_problem *q, const double *r, double scale) {
    for (int v = 0; v < q->p.nv; v++) {
        double sum = q->h[v], largest = scale;
        for (int a = 0; a < q->rows; a++) {
            sum += q->H[a * q->p.nv + v] * r[a];
            largest = fmax(largest, fabs(r[a]));
        }
        assert_true(fabs(sum) <= 1e-11 * largest);
    }
}

static void check_neighbours(const random_problem *q, test_random *g, const double *r,
                             const zw_rest_answer *a) {
    for (int trial = 0; trial < 60; trial++) {
        double d[ROWS], other[ROWS];
        for (int i = 0; i < q->rows; i++)
            d[i] = test_random_real(g, -1, 1);
        keep_balance(q, d);
        for (double length = a->scale; length > 1e-7 * a->scale; length /= 4) {
            double size = 0;
            for (int i = 0; i < q->rows; i++) {
                other[i] = r[i] + length * d[i];
                size += other[i] * other[i];
            }
            if (sqrt(size) < 10 * a->scale) /* larger ones are not asked for where these suffice */
                assert_true(reserve(q, other) <= a->spare + a->doubt + 1e-12 * a->scale);
        }
    }
}

static void test_rest__optimal(void **state) {
    (void)state;
    test_random g = {12};
    zw_arena arena;
    zw_arena_init(&arena, NULL);
    int rests = 0, moves = 0;
    for (int trial = 0; trial < 300; trial++) {
        random_problem q;
        zw_rest_answer a;
        double r[ROWS];
        make(&q, &g, trial % 3 == 0);
        assert_int_equal(zw_rest_solve(&q.p, false, &arena, r, NULL, &a, NULL), ZW_OK);
        assert_true(a.balanced);
        assert_true(a.doubt <= 1e-9 * a.scale);
        check_balance(&q, r, a.scale);
        assert_true(fmin(reserve(&q, q.r), a.scale) <= a.spare + a.doubt + 1e-12 * a.scale);
        if (a.spare < 0.99 * a.scale) {
            assert_true(fabs(reserve(&q, r) - a.spare) <= 1e-6 * a.scale);
            if (trial % 3 != 0)
                check_neighbours(&q, &g, r, &a);
        }
        rests += a.spare > 0;
        moves += a.spare < 0;
    }
    assert_true(rests > 50 && moves > 50);
    zw_arena_clear(&arena);
}

static void scale_friction(random_problem *q, double factor) {
    for (int c = 0; c < q->p.ncontact; c++)
        q->law[c].block[0].mu *= factor;
}

static void test_rest__factor(void **state) {
    (void)state;
    test_random g = {34};
    zw_arena arena;
    zw_arena_init(&arena, NULL);
    int finite = 0;
    for (int trial = 0; trial < 60; trial++) {
        random_problem q;
        zw_rest_answer a, b;
        double r[ROWS], part = 1e-6;
        make(&q, &g, trial % 3 == 0);
        assert_int_equal(zw_rest_solve(&q.p, true, &arena, r, NULL, &a, NULL), ZW_OK);
        assert_true((a.spare > a.doubt) == (a.factor < 1));
        if (!(a.factor > 1e-4) || !(a.factor < 1e4))
            continue;
        finite++;
        scale_friction(&q, a.factor * (1 + part));
        assert_int_equal(zw_rest_solve(&q.p, false, &arena, r, NULL, &b, NULL), ZW_OK);
        assert_true(b.spare > 0);
        scale_friction(&q, (1 - part) / (1 + part));
        assert_int_equal(zw_rest_solve(&q.p, false, &arena, r, NULL, &b, NULL), ZW_OK);
        assert_true(b.spare < 0);
    }
    assert_true(finite > 20);
    zw_arena_clear(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rest__optimal),
                                       cmocka_unit_test(test_rest__factor)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
