/* SPDX-License-Identifier: MIT */
/* Formulas of columns against the same formulas in C, their units against known ones; the parts of
 * a panel. */
#include "figure/formula.h"

#include "figure/spec.h"
#include "support/test.h"

static zw_table *make_table(void) {
    zw_table *t = zw_table_create(NULL);
    zw_table_column(t, "t", "s");
    zw_table_column(t, "x", "m");
    zw_table_column(t, "x'", "m/s");
    zw_table_column(t, "theta", "rad");
    zw_table_column(t, "lambda(roll)", "N");
    zw_table_column(t, "d", "cm");
    zw_table_column(t, "ball.w.x", "rad/s");
    zw_table_column(t, "odd", "smoot");
    zw_table_row(t, (double[]){0.5, 3, -4, 0.25, 7, 250, 2, 1});
    return t;
}

static void test_formula__values_and_units(void **state) {
    (void)state;
    zw_table *t = make_table();
    const double degree = 180 / acos(-1);
    const struct {
        const char *text, *name, *unit;
        double value;
    } cases[] = {
        {"x", "x", "m", 3},
        {"x'", "x'", "m/s", -4},
        {"d", "d", "cm", 250}, /* alone: as it is */
        {"lambda(roll)", "lambda(roll)", "N", 7},
        {"odd", "odd", "smoot", 1},
        {"2*d", "2*d", "m", 5}, /* in a formula: SI */
        {"deg(theta)", "theta", "deg", 0.25 * degree},
        {"deg(ball.w.x)", "ball.w.x", "deg/s", 2 * degree},
        {"deg(theta)-deg(theta)/2", "deg(theta)-deg(theta)/2", "deg", 0.125 * degree},
        {"x-d", "x-d", "m", 0.5},
        {"x - 1", "x - 1", "m", 2},
        {"10-x", "10-x", "m", 7},
        {"(x+d)/2", "(x+d)/2", "m", 2.75},
        {"x/t", "x/t", "m/s", 6},
        {"x'^2", "x'^2", "m^2/s^2", 16},
        {"-x*x'", "-x*x'", "m^2/s", 12},
        {"abs(x')", "|x'|", "m/s", 4},
        {"abs(x)*abs(x)", "abs(x)*abs(x)", "m^2", 9},
        {"sqrt(x'^2)", "sqrt(x'^2)", "m/s", 4},
        {"sin(theta)", "sin(theta)", "", sin(0.25)},
        {"log10(x/d)", "log10(x/d)", "", log10(3 / 2.5)},
        {"lambda(roll)*x'", "lambda(roll)*x'", "W", -28},
        {"2-3-4", "2-3-4", "", -5},
        {"12/2/3", "12/2/3", "", 2},
        {"2+3*4^2", "2+3*4^2", "", 50},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        zw_column_formula f;
        zw_error err = {0};
        if (zw_formula_parse(&f, t, cases[i].text, &err) != ZW_OK)
            fail_msg("%s: %s", cases[i].text, err.text);
        assert_string_equal(f.name, cases[i].name);
        assert_string_equal(f.unit, cases[i].unit);
        assert_close(zw_formula_at(&f, t, 0), cases[i].value, 1e-14);
    }
    zw_table_destroy(t);
}

static void test_formula__refusals(void **state) {
    (void)state;
    zw_table *t = make_table();
    const char *const cases[][2] = {
        {"thta", "no column 'thta'"},
        {"lambda(rol)", "no column 'lambda(rol)'"},
        {"x+t", "adds"},
        {"sin(x)", "plain number"},
        {"2*odd", "smoot"},
        {"deg(theta", "bracket"},
        {"x*", "not a column"},
        {"x x", "cannot be read"},
        {"x^0.5", "cannot be read"},
        {"x^20", "exponent"},
        {"((((((((((((((((((1+(2+(3+(4+(5+(6+(7+(8+(9+(1+(2+(3+(4+(5+(6+(7+(8", "too long"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        zw_column_formula f;
        zw_error err = {0};
        assert_true(zw_formula_parse(&f, t, cases[i][0], &err) < 0);
        if (!strstr(err.text, cases[i][1]))
            fail_msg("%s: no '%s' in: %s", cases[i][0], cases[i][1], err.text);
    }
    zw_column_formula f;
    zw_error err = {0};
    zw_formula_parse(&f, t, "thta", &err);
    assert_non_null(strstr(err.hint, "theta"));
    zw_table_destroy(t);
}

static void test_spec__parts(void **state) {
    (void)state;
    zw_spec s;
    assert_int_equal(zw_spec_parse(&s, "x+y:t", NULL), ZW_OK);
    assert_int_equal(s.kind, ZW_SPEC_GRAPH);
    assert_int_equal(s.n, 2);
    assert_string_equal(s.term[0].axis[0], "t");
    assert_string_equal(s.term[0].axis[1], "x");
    assert_string_equal(s.term[1].axis[1], "y");
    assert_int_equal(zw_spec_parse(&s, "x:t + y:s", NULL), ZW_OK);
    assert_string_equal(s.term[0].axis[0], "t");
    assert_string_equal(s.term[1].axis[0], "s");
    assert_int_equal(zw_spec_parse(&s, "(x+y)/2:lambda(a,b)", NULL), ZW_OK);
    assert_int_equal(s.n, 1);
    assert_string_equal(s.term[0].axis[1], "(x+y)/2");
    assert_string_equal(s.term[0].axis[0], "lambda(a,b)");
    assert_int_equal(zw_spec_parse(&s, "x,x'", NULL), ZW_OK);
    assert_int_equal(s.kind, ZW_SPEC_PATH);
    assert_string_equal(s.term[0].axis[1], "x'");
    assert_int_equal(zw_spec_parse(&s, "x,y,z+u,v,w", NULL), ZW_OK);
    assert_int_equal(s.kind, ZW_SPEC_SPACE);
    assert_int_equal(s.n, 2);
    assert_string_equal(s.term[1].axis[2], "w");
    assert_int_equal(zw_spec_parse(&s, "x,lambda(a,b),y:t", NULL), ZW_OK); /* three curves over t */
    assert_int_equal(s.kind, ZW_SPEC_GRAPH);
    assert_int_equal(s.n, 3);
    assert_string_equal(s.term[0].axis[1], "x");
    assert_string_equal(s.term[1].axis[1], "lambda(a,b)");
    assert_string_equal(s.term[2].axis[1], "y");
    for (int i = 0; i < 3; i++)
        assert_string_equal(s.term[i].axis[0], "t");
    static const char *const unclear[] = {"",  "x",  "x:",   ":t",    "x,",     ",y",
                                          "+", "x+", "x,y:", "x:t+y", "x,y+z:t"};
    for (size_t i = 0; i < sizeof unclear / sizeof *unclear; i++)
        if (zw_spec_parse(&s, unclear[i], NULL) == ZW_OK)
            fail_msg("'%s' is taken", unclear[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formula__values_and_units),
        cmocka_unit_test(test_formula__refusals),
        cmocka_unit_test(test_spec__parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
