/* SPDX-License-Identifier: MIT */
/* Instants from words, and the rows of a result that show them. */
#include "support/test.h"

#include "zwang/figure.h"
#include "zwang/simulate.h"

static zw_table *rows_at(int n, const double *t) {
    zw_table *rows = zw_table_create(NULL);
    zw_table_column(rows, "t", "s");
    zw_table_column(rows, "x", "m");
    for (int i = 0; i < n; i++)
        zw_table_row(rows, (double[]){t[i], 10 * t[i]});
    return rows;
}

static void test_instants__lists_ranges_numbers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int n;
        double first, second, last;
    } cases[] = {
        {"0.1,0.2,0.35", 3, 0.1, 0.2, 0.35},
        {"100,200 ms", 2, 0.1, 0.2, 0.2},
        {"0.5s,700ms,1", 3, 0.5, 0.7, 1},
        {"0:2:0.25", 9, 0, 0.25, 2},
        {"0:2:0.3", 7, 0, 0.3, 1.8},
        {"0:1000:500 [ms]", 3, 0, 0.5, 1},
        {"5", 5, 0, 0.5, 2},
        {"2", 2, 0, 2, 2},
        {" 1e-1 , 2e-1 ", 2, 0.1, 0.2, 0.2},
        {"0:0.7:0.1", 8, 0, 0.1, 0.7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        zw_figure_instants in;
        zw_error err = {0};
        if (zw_figure_instants_read(&in, cases[i].text, 0, 2, NULL, &err) < 0)
            fail_msg("%s: %s", cases[i].text, err.text);
        assert_int_equal(in.n, cases[i].n);
        assert_close(in.t[0], cases[i].first, 1e-15);
        assert_close(in.t[1], cases[i].second, 1e-15);
        assert_close(in.t[in.n - 1], cases[i].last, 1e-15);
    }
    zw_figure_instants one;
    assert_int_equal(zw_figure_instants_read(&one, "1s", 0, 2, NULL, NULL), ZW_OK);
    assert_true(one.n == 1 && one.t[0] == 1);
}

static void test_instants__mistakes_are_told(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "no instants"},
        {"1", "2 or more; the instant is 1.0 or 1s"},
        {"0", "2 or more"},
        {"65", "65 instants, at most 64"},
        {"999999999999999999999", "at most 64"},
        {"0:2:0.01", "201 instants, at most 64"},
        {"0:2:0", "step must be positive"},
        {"0:2:-1", "step must be positive"},
        {"2:0:0.1", "end not before the beginning"},
        {"0:2", "from, to and step"},
        {"0:1:0.1:7", "from, to and step"},
        {"0.1,,0.2", "a number is missing"},
        {"0.1,", "a number is missing"},
        {"0.1,b", "no number"},
        {"0.1,nan", "no number"},
        {"inf,0.1", "no number"},
        {"0.1,0.2m", "none of time"},
        {"0.1,0.2 parsecs", "none of time"},
        {"0.2,0.1", "must ascend, but 0.1 s follows 0.2 s"},
        {"0.2,0.2", "must ascend"},
        {"0.5,2.5", "2.5 s is outside, the motion is from t = 0 s to 2 s"},
        {"-0.1,1", "-0.1 s is outside"},
        {"0:3:1", "3 s is outside"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        zw_figure_instants in;
        zw_error err = {0};
        assert_int_equal(zw_figure_instants_read(&in, cases[i].text, 0, 2, NULL, &err),
                         ZW_E_OPTION);
        if (!strstr(err.text, cases[i].says))
            fail_msg("'%s': '%s' does not say '%s'", cases[i].text, err.text, cases[i].says);
        assert_true(err.hint[0]);
    }
    char many[400] = "0";
    for (int k = 1; k < 65; k++)
        snprintf(many + strlen(many), sizeof many - strlen(many), ",.%02d", k);
    zw_figure_instants in;
    zw_error err = {0};
    assert_int_equal(zw_figure_instants_read(&in, many, 0, 2, NULL, &err), ZW_E_OPTION);
    assert_non_null(strstr(err.text, "more than 64"));
    err = (zw_error){0};
    assert_int_equal(zw_figure_instants_read(&in, "3", 1, 1, NULL, &err), ZW_E_OPTION);
    assert_non_null(strstr(err.text, "one instant only"));
}

/* the nearest row is taken, with its own time */
static void test_instants__nearest_rows(void **state) {
    (void)state;
    static const double t[] = {0, 0.1, 0.2, 0.3, 0.6, 1};
    zw_table *rows = rows_at(6, t);
    zw_figure_instants in;
    zw_error err = {0};
    assert_int_equal(zw_figure_instants_read(&in, "0.102,0.22,0.5,1", 0, 1, rows, &err), ZW_OK);
    static const double want[] = {0.1, 0.2, 0.6, 1};
    static const bool far[] = {false, true, true, false}; /* a tenth of 0.118, 0.118, 0.28, 0.5 */
    for (int k = 0; k < 4; k++) {
        assert_true(in.t[k] == want[k]);
        assert_int_equal(in.far[k], far[k]);
    }
    assert_int_equal(zw_figure_instants_read(&in, "0.55,0.65,1", 0, 1, rows, &err), ZW_E_OPTION);
    assert_non_null(
        strstr(err.text, "the row at t = 0.6 s is the nearest to both 0.55 s and 0.65 s"));
    assert_non_null(strstr(err.hint, "--step-out 0.01"));
    zw_table_destroy(rows);
}

static void test_instants__steps_that_have_them(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double most, step;
    } cases[] = {
        {"0.1,0.2,0.35", 0.002, 0.002},         /* 0.05 in 25 */
        {"0.1,0.2,0.35", 0.003, 0.05 / 17},     /* 0.05 in 17: 16.7 would be as long as allowed */
        {"0:2:0.25", 0.3, 0.25},                /* longer than they are apart */
        {"0.1,0.2,1.4142135623", 0.002, 0.002}, /* nothing in common */
        {"5", 0.002, 0.002},
        {"7s", 0.01, 0.01},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        zw_figure_instants in;
        assert_int_equal(zw_figure_instants_read(&in, cases[i].text, 0, 8, NULL, NULL), ZW_OK);
        double step = zw_figure_instants_step(&in, 0, cases[i].most);
        assert_close(step, cases[i].step, 1e-9);
        assert_true(step <= cases[i].most);
    }
}

static const char model[] = "model drop\ncoord x, z [m]\nparticle P : 1 [kg] at (x, 0, z)\n"
                            "gravity 10 [m/s^2] along -z\nstart z = 5 [m], x' = 1 [m/s]\n";

static zw_table *result_of(const char *text, int n, const double *t) {
    zw_table *rows = rows_at(n, t);
    zw_table_note(rows, "text", text);
    zw_table_add_column(rows, "z", "m", NULL);
    return rows;
}

/* the motion between the first instant and the last one, in the order of time, whichever way the
 * run went */
static void test_instants__results_of_both_directions(void **state) {
    (void)state;
    for (int way = 0; way < 2; way++) {
        double t[101];
        for (int i = 0; i < 101; i++)
            t[i] = (way ? 100 - i : i) * 0.01;
        zw_table *result = result_of(model, 101, t);
        zw_figure_strobe *s;
        zw_error err = {0};
        if (zw_figure_strobe_create(&s, result, "0.2,0.4,0.7", &err) < 0)
            fail_msg("%s", err.text);
        zw_table_destroy(result);
        const zw_view *v = zw_figure_strobe_content(s);
        const zw_table *rows = zw_figure_strobe_rows(s);
        assert_int_equal(v->rows, 51);
        assert_close(v->time[0], 0.2, 1e-12);
        assert_close(v->time[50], 0.7, 1e-12);
        assert_int_equal(zw_table_rows(rows), 3);
        assert_close(zw_table_at(rows, 1, 1), 4, 1e-9);
        assert_non_null(zw_table_get_note(rows, "text"));
        assert_true(zw_figure_strobe_scene(s)->sketched);
        assert_int_equal(zw_figure_strobe_instants(s)->n, 3);
        zw_figure_strobe_destroy(s);
    }
}

static void test_instants__results_that_cannot_be_shown(void **state) {
    (void)state;
    static const double up_and_down[] = {0, 1, 0.5}, fine[] = {0, 0.5, 1};
    zw_figure_strobe *s;
    zw_error err = {0};
    zw_table *t = result_of(model, 3, up_and_down);
    assert_int_equal(zw_figure_strobe_create(&s, t, "2", &err), ZW_E_FILE);
    assert_non_null(strstr(err.text, "neither ascend nor descend"));
    assert_null(s);
    zw_table_destroy(t);
    t = result_of(model, 0, fine);
    assert_int_equal(zw_figure_strobe_create(&s, t, "2", &(zw_error){0}), ZW_E_FILE);
    zw_table_destroy(t);
    t = rows_at(3, fine); /* no model */
    err = (zw_error){0};
    assert_int_equal(zw_figure_strobe_create(&s, t, "2", &err), ZW_E_FILE);
    assert_non_null(strstr(err.text, "does not contain the text of its model"));
    assert_non_null(strstr(err.hint, "zwang run"));
    zw_table_destroy(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_instants__lists_ranges_numbers),
        cmocka_unit_test(test_instants__mistakes_are_told),
        cmocka_unit_test(test_instants__nearest_rows),
        cmocka_unit_test(test_instants__steps_that_have_them),
        cmocka_unit_test(test_instants__results_of_both_directions),
        cmocka_unit_test(test_instants__results_that_cannot_be_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
