/* SPDX-License-Identifier: MIT */
/* The explicit pairs: their order by Butcher's conditions and by measurement.
 *
 * A weighted sum of rates of a step of length h agrees with the motion up to h^p if for every
 * rooted tree tau of p vertices at most sum_i b_i Phi_i(tau) = 1/gamma(tau), where a tree with the
 * branches tau_1, tau_2, ... has Phi_i = prod_m sum_j a_ij Phi_j(tau_m) and gamma = p prod_m
 * gamma(tau_m); for the state after theta h the right side gets the factor theta^p. */
#include "num/methods/rk_tableau.h"
#include "support/motions.h"

/* ---- rooted trees ---- */

typedef struct tree {
    int order;
    double gamma, phi[ZW_RK_ROWS];
} tree;

typedef struct forest {
    const zw_rk_tableau *table;
    int n;
    tree trees[512]; /* by order */
} forest;

/* all trees of `order` vertices whose branches so far have given gamma and phi, with `left`
 * vertices to be placed in branches that are not later in the forest than `last` */
static void grow(forest *f, int order, int left, int last, double gamma, const double *phi) {
    if (left == 0) {
        assert_true(f->n < 512);
        tree *t = &f->trees[f->n++];
        t->order = order;
        t->gamma = gamma * order;
        memcpy(t->phi, phi, sizeof t->phi);
        return;
    }
    for (int m = 0; m <= last && f->trees[m].order <= left; m++) {
        double product[ZW_RK_ROWS];
        for (int i = 0; i < ZW_RK_ROWS; i++) {
            product[i] = 0;
            for (int j = 0; j < i; j++)
                product[i] += f->table->a[i][j] * f->trees[m].phi[j];
            product[i] *= phi[i];
        }
        grow(f, order, left - f->trees[m].order, m, gamma * f->trees[m].gamma, product);
    }
}

static void plant(forest *f, const zw_rk_tableau *table, int order) {
    double one[ZW_RK_ROWS];
    for (int i = 0; i < ZW_RK_ROWS; i++)
        one[i] = 1;
    f->table = table;
    f->n = 0;
    for (int p = 1; p <= order; p++)
        grow(f, p, p - 1, f->n - 1, 1, one);
}

/* the largest violation by the weights b of a condition of this order, after theta h */
static double violation(const forest *f, const double *b, int order, double theta) {
    double worst = 0;
    for (int m = 0; m < f->n; m++) {
        const tree *t = &f->trees[m];
        if (t->order != order)
            continue;
        double sum = 0;
        for (int i = 0; i < f->table->rows; i++)
            sum += b[i] * t->phi[i];
        worst = fmax(worst, fabs(sum - pow(theta, order) / t->gamma));
    }
    return worst;
}

static const zw_rk_tableau *const tables[] = {&zw_rk_54, &zw_rk_87};

/* what rounding leaves of the sums, of up to 18 terms with coefficients of up to 20 */
#define ROUNDING 1e-14
/* what a condition is missed by that does not hold */
#define MISSED 1e-7

static void test_rk__there_are_200_trees_up_to_order_8(void **state) {
    (void)state;
    static forest f;
    static const int known[] = {0, 1, 1, 2, 4, 9, 20, 48, 115, 286};
    plant(&f, &zw_rk_87, 9);
    int count[10] = {0};
    for (int m = 0; m < f.n; m++)
        count[f.trees[m].order]++;
    for (int p = 1; p <= 9; p++)
        assert_int_equal(count[p], known[p]);
}

static void test_rk__order_conditions(void **state) {
    (void)state;
    static forest f;
    for (int n = 0; n < 2; n++) {
        const zw_rk_tableau *table = tables[n];
        const double *b = table->a[table->stages];
        double embedded[ZW_RK_ROWS];
        for (int i = 0; i < ZW_RK_ROWS; i++)
            embedded[i] = b[i] - table->e[i];
        plant(&f, table, table->order + 1);
        for (int p = 1; p <= table->order; p++)
            assert_close(violation(&f, b, p, 1), 0, ROUNDING);
        assert_true(violation(&f, b, table->order + 1, 1) > MISSED);
        for (int p = 1; p <= table->embedded; p++)
            assert_close(violation(&f, embedded, p, 1), 0, ROUNDING);
        assert_true(violation(&f, embedded, table->embedded + 1, 1) > MISSED);
    }
}

static void test_rk__rows_sum_up_to_their_times(void **state) {
    (void)state;
    for (int n = 0; n < 2; n++) {
        const zw_rk_tableau *table = tables[n];
        for (int i = 0; i < table->rows; i++) {
            double sum = 0;
            for (int j = 0; j < ZW_RK_ROWS; j++) {
                sum += table->a[i][j];
                assert_true(j < i || table->a[i][j] == 0);
            }
            assert_close(sum, table->c[i], ROUNDING);
        }
        assert_true(table->c[table->stages - 1] == 1 && table->c[table->stages] == 1);
    }
}

/* the weights of the dense output at theta, read off its nested form */
static void dense_weights(const zw_rk_tableau *table, double theta, double *w) {
    for (int i = 0; i < ZW_RK_ROWS; i++) {
        double b = table->a[table->stages][i], first = i == 0, end = i == table->stages;
        double r[3 + ZW_RK_DENSE] = {b, first - b, b - end - (first - b)};
        for (int m = 0; m < table->ndense; m++)
            r[3 + m] = table->d[m][i];
        w[i] = 0;
        for (int m = 2 + table->ndense; m >= 0; m--)
            w[i] = (m % 2 ? 1 - theta : theta) * (r[m] + w[i]);
    }
}

static void test_rk__order_conditions_of_the_dense_output(void **state) {
    (void)state;
    static forest f;
    for (int n = 0; n < 2; n++) {
        const zw_rk_tableau *table = tables[n];
        plant(&f, table, table->dense + 1);
        for (double theta = 0.125; theta < 1; theta += 0.125) {
            double w[ZW_RK_ROWS], largest = 0;
            dense_weights(table, theta, w);
            for (int p = 1; p <= table->dense; p++)
                assert_close(violation(&f, w, p, theta), 0, ROUNDING);
            assert_true(violation(&f, w, table->dense + 1, theta) > MISSED);
            for (int i = 0; i < ZW_RK_ROWS; i++)
                largest = fmax(largest, fabs(w[i]));
            assert_true(largest < 1.5); /* no cancellation that would cost digits */
        }
    }
}

/* ---- measured order ---- */

static const char *const methods[] = {"rk54", "rk87"};

/* What one step of length h from a point on the motion of the pendulum is off, and how far the
 * dense output of a step of that length is from steps that end within it. */
typedef struct measured {
    double step, dense;
} measured;

static measured one_step(const char *method, double h) {
    const double amplitude = 2.5, t0 = 0.7;
    double x0[2];
    angle_motion(amplitude, t0, x0);
    /* tolerances that accept any step */
    motion m = {.k = angle_kernel(), .method = method, .rtol = 0.1, .atol = 1e3, .step_max = h};
    zw_run *run = start_motion(&m, NULL, t0, x0);
    go_to(run, t0 + h / 8);
    assert_close(run->now, t0 + h, 1e-14);
    measured result = {.step = angle_error(amplitude, run->now, run->y)};
    for (double theta = 0.125; theta < 1; theta += 0.125) {
        double dense[2], land[2];
        assert_int_equal(run->method->dense(run, t0 + theta * h, dense, NULL), ZW_OK);
        assert_int_equal(run->method->land(run, t0 + theta * h, land, NULL), ZW_OK);
        for (int i = 0; i < 2; i++)
            result.dense = fmax(result.dense, fabs(dense[i] - land[i]));
    }
    zw_run_destroy(run);
    return result;
}

/* a method of order p is off by h^(p + 1) after one step */
static void test_rk__measured_order(void **state) {
    (void)state;
    static const double h[] = {0.1, 0.5};
    for (int i = 0; i < 2; i++) {
        measured coarse = one_step(methods[i], h[i]), fine = one_step(methods[i], h[i] / 2);
        double order = log2(coarse.step / fine.step), dense = log2(coarse.dense / fine.dense);
        assert_true(fabs(order - (tables[i]->order + 1)) < 0.25);
        assert_true(fabs(dense - (tables[i]->dense + 1)) < 0.25);
    }
}

/* ---- the bound of stability ---- */

static void test_rk__stiff_motion_is_told(void **state) {
    (void)state;
    const double x0[] = {1, 0}, stiff[] = {1e-5, 1, 1}, smooth[] = {1, 1, 0};
    for (int n = 0; n < 2; n++) {
        motion m = {.k = oscillator_kernel(), .method = methods[n], .rtol = 1e-4, .steps_max = 500};
        zw_run *run = start_motion(&m, stiff, 0, x0);
        zw_error err = {0};
        assert_int_equal(zw_run_advance(run, 10, NULL, &err), ZW_E_NUMERIC);
        assert_non_null(strstr(err.text, "500 steps"));
        assert_non_null(strstr(err.hint, "stiff"));
        assert_non_null(strstr(zw_run_statistics(run).why, "stiff"));
        assert_close(zw_run_state(run)[0], exp(-zw_run_time(run)), 1e-3);
        zw_run_destroy(run);
        run = start_motion(&m, smooth, 0, x0);
        assert_int_equal(zw_run_advance(run, 1e6, NULL, &err), ZW_E_NUMERIC);
        assert_null(strstr(zw_run_statistics(run).why, "stiff"));
        zw_run_destroy(run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rk__there_are_200_trees_up_to_order_8),
        cmocka_unit_test(test_rk__order_conditions),
        cmocka_unit_test(test_rk__rows_sum_up_to_their_times),
        cmocka_unit_test(test_rk__order_conditions_of_the_dense_output),
        cmocka_unit_test(test_rk__measured_order),
        cmocka_unit_test(test_rk__stiff_motion_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
