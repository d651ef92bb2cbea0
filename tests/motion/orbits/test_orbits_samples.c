/* SPDX-License-Identifier: MIT */
/* Orbits of a file as tables of motions and multipliers: what they say is what integration says,
 * and of many orbits those with names are among the chosen. */
#include <math.h>

#include "support/failing_allocator.h"
#include "support/test.h"
#include "zwang/zwang.h"

static const char oscillator[] =
    "model oscillator\nparam mu = 1 [N*s/m^3], c = 1 [N*s/m], k = 1 [N/m]\ncoord x [m]\nkinetic 1 "
    "[kg]*x'^2/2\n"
    "potential k*x^2/2\nforce (x) = c*x' - mu*x^2*x'\nstart x = 1 [m]\n";

static zw_context *ctx;
static zw_system *sys;
static zw_orbits *study;
static zw_table *table;
static zw_orbits_file file;
static zw_error err;

static int make_all(void **state) {
    (void)state;
    zw_orbits_options o = zw_orbits_options_default();
    int number;
    ctx = zw_context_create(NULL);
    o.over = "c=0.8:1.5";
    if (zw_model_parse(&sys, ctx, oscillator, strlen(oscillator), "test", NULL, &err) < 0 ||
        zw_orbits_create(&study, sys, &o, &err) < 0 ||
        zw_orbits_find(study, 1, &number, &err) < 0 || zw_orbits_follow(study, number, &err) < 0 ||
        zw_orbits_table(study, NULL, &table, &err) < 0 ||
        zw_orbits_file_read(&file, table, &err) < 0)
        fail_msg("%s", err.text);
    return 0;
}

static int free_all(void **state) {
    (void)state;
    zw_orbits_file_clear(&file);
    zw_table_destroy(table);
    zw_orbits_destroy(study);
    zw_context_destroy(ctx);
    return 0;
}

static zw_table *motions(int most, int points, int always) {
    zw_table *t;
    if (zw_orbits_file_motions(&t, &file, sys, most, points, always, &err) < 0)
        fail_msg("%s", err.text);
    return t;
}

static int count(const zw_table *t) {
    int n = 0;
    for (long i = 0; i < zw_table_rows(t); i++)
        n += i == 0 || zw_table_at(t, i, 0) != zw_table_at(t, i - 1, 0);
    return n;
}

/* Liouville: the product of the multipliers is exp of the integral of the divergence c - mu x^2
 * over the period */
static void test_samples__agree_with_integration(void **state) {
    (void)state;
    enum { POINTS = 2000, RUN = 4000 };
    zw_table *t = motions(file.n, POINTS, -1), *m;
    assert_int_equal(count(t), file.n);
    assert_string_equal(zw_table_name(t, 1), "c");
    int x = zw_table_find(t, "x"), v = zw_table_find(t, "x'");
    assert_string_equal(zw_table_unit(t, x), "m");
    assert_string_equal(zw_table_unit(t, v), "m/s");
    if (zw_orbits_file_multipliers(&m, &file, NULL, &err) < 0)
        fail_msg("%s", err.text);
    for (int i = 0; i < file.n; i++) {
        long first = (long)i * (POINTS + 1), last = first + POINTS;
        const zw_orbits_stored *o = &file.orbit[i];
        assert_true(zw_table_at(t, first, 0) == (double)o->row);
        assert_true(zw_table_at(t, first, 1) == zw_table_at(table, o->row, 0));
        assert_close(zw_table_at(t, last, 2), o->motion.period, 1e-14 * o->motion.period);
        assert_close(zw_table_at(t, last, x), zw_table_at(t, first, x), 1e-12);
        double sum = 0, re = 1, im = 0;
        for (long row = first; row < last; row++) {
            double a = zw_table_at(t, row, x), b = zw_table_at(t, row + 1, x),
                   h = zw_table_at(t, row + 1, 2) - zw_table_at(t, row, 2);
            assert_true(h > 0);
            sum += h * (o->motion.value - (a * a + b * b) / 2);
        }
        for (long row = 0; row < zw_table_rows(m); row++)
            if (zw_table_at(m, row, 0) == (double)o->row) {
                double a = zw_table_at(m, row, 2), b = zw_table_at(m, row, 3), old = re;
                re = re * a - im * b;
                im = old * b + im * a;
            }
        assert_close(re / exp(sum), 1, 1e-5);
    }
    zw_table *run;
    double gap;
    int middle = file.n / 2, number = 0;
    while (zw_orbits_at(study, number)->curve < 0 ||
           zw_orbits_at(study, number)->value != file.orbit[middle].motion.value)
        number++;
    if (zw_orbits_motion_table(study, number, RUN, NULL, &run, &gap, &err) < 0)
        fail_msg("%s", err.text);
    /* between two of many rows of the run, in a straight line */
    int rx = zw_table_find(run, "x"), rv = zw_table_find(run, "x'");
    long at = 0;
    for (int k = 0; k < POINTS; k++) {
        long row = (long)middle * (POINTS + 1) + k;
        double time = zw_table_at(t, row, 2);
        while (zw_table_at(run, at + 1, 0) < time)
            at++;
        double s = (time - zw_table_at(run, at, 0)) /
                   (zw_table_at(run, at + 1, 0) - zw_table_at(run, at, 0));
        assert_close(zw_table_at(t, row, x),
                     (1 - s) * zw_table_at(run, at, rx) + s * zw_table_at(run, at + 1, rx), 2e-5);
        assert_close(zw_table_at(t, row, v),
                     (1 - s) * zw_table_at(run, at, rv) + s * zw_table_at(run, at + 1, rv), 2e-5);
    }
    zw_table_destroy(run);
    zw_table_destroy(m);
    zw_table_destroy(t);
}

static void test_samples__of_many_orbits_are_some(void **state) {
    (void)state;
    int labelled = 0;
    for (int i = 0; i < file.n; i++)
        labelled += file.orbit[i].label[0] != '\0';
    assert_true(labelled >= 2 && file.n > 12); /* its ends */
    zw_table *t = motions(6, 3, -1);
    assert_true(count(t) <= 6 && count(t) >= 4);
    for (int i = 0; i < file.n; i++) {
        bool there = false;
        for (long row = 0; row < zw_table_rows(t); row++)
            there = there || zw_table_at(t, row, 0) == (double)file.orbit[i].row;
        assert_true(there || !file.orbit[i].label[0]);
    }
    zw_table_destroy(t);
    t = motions(1, 3, 5);
    assert_int_equal(count(t), 1);
    assert_true(zw_table_at(t, 0, 0) == (double)file.orbit[5].row);
    zw_table_destroy(t);
    assert_int_equal(zw_orbits_file_motions(&t, &file, sys, 0, 3, -1, &err), ZW_E_OPTION);
    assert_null(t);
}

static const char driven[] =
    "model driven\nunits none\nparam F = 2, w = 1.4, c = 0.4\ncoord x\nkinetic x'^2/2\n"
    "potential x^2/2 + x^4/4\nforce (x) = F*cos(w*t) - c*x'\nstart x = 0\n";

/* by harmonics of a response curve: what integration says */
static void test_samples__of_responses(void **state) {
    (void)state;
    enum { POINTS = 100 };
    zw_context *own = zw_context_create(NULL);
    zw_system *s;
    zw_forced *f;
    zw_table *curve, *t, *run;
    zw_forced_options o = zw_forced_options_default();
    int number, all, few;
    double gap;
    o.over = "w=1.4:1.6";
    o.coefficients = true;
    if (zw_model_parse(&s, own, driven, strlen(driven), "test", NULL, &err) < 0 ||
        zw_forced_create(&f, s, &o, &err) < 0 || zw_forced_find(f, 1.4, &number, &err) < 0 ||
        zw_forced_follow(f, number, &err) < 0 || zw_forced_table(f, NULL, &curve, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(zw_forced_table_has_motions(curve));
    assert_false(zw_forced_table_has_motions(table));
    if (zw_forced_table_motions(&t, curve, s, 1000, POINTS, &all, &err) < 0 ||
        zw_forced_motion_table(f, number, POINTS, NULL, &run, &gap, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(count(t), all);
    assert_int_equal(zw_table_rows(t), (long)all * (POINTS + 1));
    long first = 0;
    while (zw_table_at(t, first, 1) != 1.4)
        first += POINTS + 1;
    for (int k = 0; k <= POINTS; k++) {
        assert_close(zw_table_at(t, first + k, 2), zw_table_at(run, k, 0), 1e-12);
        assert_close(zw_table_at(t, first + k, zw_table_find(t, "x")),
                     zw_table_at(run, k, zw_table_find(run, "x")), 1e-5);
        assert_close(zw_table_at(t, first + k, zw_table_find(t, "x'")),
                     zw_table_at(run, k, zw_table_find(run, "x'")), 1e-4);
    }
    zw_table_destroy(t);
    if (zw_forced_table_motions(&t, curve, s, 5, 3, &few, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(count(t), 5);
    assert_int_equal(few, all);
    zw_table_destroy(t);
    /* which F would it be? */
    zw_table_remove_note(curve, "param F");
    err = (zw_error){0};
    assert_int_equal(zw_forced_table_motions(&t, curve, s, 5, 3, &few, &err), ZW_E_FILE);
    assert_non_null(strstr(err.text, "F"));
    assert_null(t);
    zw_table_destroy(curve);
    zw_table_destroy(run);
    zw_forced_destroy(f);
    zw_context_destroy(own);
}

static void test_memory__may_run_out(void **state) {
    (void)state;
    for (long n = 1;; n++) {
        failing_allocator fa = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&fa);
        zw_table *t;
        zw_status status = zw_orbits_file_multipliers(&t, &file, &alloc, NULL);
        assert_true(status == ZW_OK || (status == ZW_E_MEMORY && fa.failed));
        zw_table_destroy(t);
        assert_int_equal(fa.blocks, 0);
        if (!fa.failed)
            break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples__agree_with_integration),
        cmocka_unit_test(test_samples__of_many_orbits_are_some),
        cmocka_unit_test(test_samples__of_responses),
        cmocka_unit_test(test_memory__may_run_out),
    };
    return cmocka_run_group_tests(tests, make_all, free_all);
}
