/* SPDX-License-Identifier: MIT */
/* The polynomials of the methods are their dense outputs, forwards and backwards. */
#include "support/ways.h"
#include "zwang/run.h"

typedef struct comparison {
    const way *w;
    int steps, size;
} comparison;

/* a whole step, unless the run ends within it */
static zw_status compare(void *user, zw_run *run, double t0, double t1, zw_error *err) {
    comparison *c = user;
    double p[(ZW_DEGREE_MAX + 1) * TEXT_MODEL_MAX], x[TEXT_MODEL_MAX];
    int degree, n = zw_method_size(run);
    assert_int_equal(n, c->size);
    if (t1 != zw_method_time(run))
        return ZW_OK;
    ZW_TRY(zw_method_of(run)->polynomial(run, &degree, p, err));
    assert_in_range(degree, 1, ZW_DEGREE_MAX);
    for (int k = 0; k <= 8; k++) {
        double s = k / 4.0 - 1, t = k == 8 ? t1 : t0 + k * (t1 - t0) / 8;
        ZW_TRY(zw_run_dense(run, t, x, err));
        for (int i = 0; i < n; i++) {
            double value = 0, size = 0;
            for (int l = degree; l >= 0; l--) {
                value = value * s + p[l * n + i];
                size = fmax(size, fabs(p[l * n + i]));
            }
            if (!(fabs(value - x[i]) <= 1e-12 * (1 + size)))
                fail_msg("%s (order %d) at s = %g: %.17g, not %.17g", c->w->method, c->w->order, s,
                         value, x[i]);
        }
    }
    c->steps++;
    return ZW_OK;
}

static void test_dense__is_the_polynomial(void **state) {
    (void)state;
    const char *text =
        "model m\nunits none\ncoord x, y\nkinetic 1/2*(x'^2 + y'^2)\n"
        "potential 1/2*(x^2 + y^2) + 1/4*x^4 + x*y\nstart x = 0.8, y = 0.6, x' = -0.6, y' = 0.8\n";
    for (int j = 0; j < WAYS; j++)
        for (int direction = -1; direction <= 1; direction += 2) {
            motion m;
            zw_error err = {0};
            comparison c = {&every_way[j], 0, 4};
            open_motion(&m, text, is_canonical(&every_way[j]));
            zw_run *run = make_run(&m, &every_way[j], 1e-8, ZW_KEEP_CHOSEN);
            zw_run_on_piece(run, compare, &c);
            if (zw_run_start(run, 0, m.x, &err) < 0 ||
                zw_run_advance(run, direction * 5, NULL, &err) < 0)
                fail_msg("%s: %s", every_way[j].method, err.text);
            assert_true(c.steps > 5);
            zw_run_destroy(run);
            close_motion(&m);
        }
}

/* Between its steps erk is as good as at their ends. */
static void test_dense__of_erk_is_accurate(void **state) {
    (void)state;
    const char *text = "model m\nunits none\ncoord x\nkinetic 1/2*x'^2\npotential 1/2*x^2\n"
                       "start x = 0, x' = 1\n";
    motion m;
    open_motion(&m, text, false);
    for (int order = 5; order <= 8; order++) {
        const way w = {"erk", order, 0.25};
        zw_run *run = make_run(&m, &w, 1e-8, ZW_KEEP_CHOSEN);
        zw_error err = {0};
        double at_ends = 0, between = 0;
        if (zw_run_start(run, 0, m.x, &err) < 0)
            fail_msg("%s", err.text);
        for (int i = 1; i <= 160; i++) {
            double t = i * 0.25 / 4, *worst = i % 4 ? &between : &at_ends;
            if (zw_run_advance(run, t, NULL, &err) < 0)
                fail_msg("%s", err.text);
            *worst = fmax(*worst, fabs(zw_run_state(run)[0] - sin(t)));
        }
        assert_true(between < 2 * at_ends + 1e-11);
        zw_run_destroy(run);
    }
    close_motion(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense__is_the_polynomial),
        cmocka_unit_test(test_dense__of_erk_is_accurate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
