/* SPDX-License-Identifier: MIT */
#include "support/test.h"

#include "base/units.h"

static const zw_place nowhere = {"test", 1, 1};

static zw_unit parse(const char *text) {
    zw_error err = {0};
    zw_unit u = {0};
    zw_status status = zw_unit_parse(&u, text, strlen(text), nowhere, &err);
    if (status != ZW_OK)
        print_error("[%s]: %s\n", text, err.text);
    assert_int_equal(status, ZW_OK);
    return u;
}

static void assert_unit(const char *text, double factor, const char *si) {
    zw_unit u = parse(text);
    char shown[ZW_DIM_TEXT];
    zw_dim_text(&u.dim, shown);
    assert_string_equal(shown, si);
    assert_close(u.factor / factor, 1.0, 1e-15);
    if (u.exact) /* the exact factor and the double are the same number */
        assert_close((double)u.num / (double)u.den * pow(acos(-1.0), u.pi_power) / factor, 1.0,
                     1e-15);
}

static void test_units__have_their_si_values(void **state) {
    (void)state;
    const double pi = acos(-1.0);
    assert_unit("m", 1, "m");
    assert_unit("cm", 0.01, "m");
    assert_unit("mm^2", 1e-6, "m^2");
    assert_unit("g/cm^3", 1000, "kg/m^3");
    assert_unit("kg*m^2/s^2", 1, "J");
    assert_unit("kg*m/s^2", 1, "N");
    assert_unit("N*m", 1, "J");
    assert_unit("kN/mm", 1e6, "N/m");
    assert_unit("km/h", 1000.0 / 3600, "m/s");
    assert_unit("m/s/s", 1, "m/s^2");
    assert_unit("1/s", 1, "1/s");
    assert_unit("Hz", 1, "1/s");
    assert_unit("rpm", pi / 30, "rad/s");
    assert_unit("deg", pi / 180, "rad");
    assert_unit("deg/s^2", pi / 180, "rad/s^2");
    assert_unit("rev/min", pi / 30, "rad/s");
    assert_unit("inch", 0.0254, "m");
    assert_unit("min", 60, "s");
    assert_unit("ms", 1e-3, "s");
    assert_unit("l", 1e-3, "m^3");
    assert_unit("bar", 1e5, "Pa");
    assert_unit("kg*m^2", 1, "kg*m^2");
    assert_unit("N*s/m", 1, "kg/s");
    assert_unit("N*m*s/rad", 1, "kg*m^2/s");
    assert_unit("W/(m*K)", 1, "kg*m/(s^3*K)");
    assert_unit("m^(1/2)", 1, "m^(1/2)");
    assert_unit("m^-2", 1, "1/m^2");
    assert_unit("um", 1e-6, "m");
    assert_unit("\xc2\xb5m", 1e-6, "m");
    assert_unit("1", 1, "");
    assert_unit("m/m", 1, "");
    assert_unit("V*A", 1, "W");
}

static void test_units__keep_exact_fractions(void **state) {
    (void)state;
    zw_unit u = parse("g/cm^3");
    assert_true(u.exact);
    assert_int_equal(u.num, 1000);
    assert_int_equal(u.den, 1);
    u = parse("mi/h");
    assert_true(u.exact);
    assert_int_equal(u.num, 1397); /* 1609.344/3600 = 1397/3125 */
    assert_int_equal(u.den, 3125);
    /* too small for a 64-bit fraction: a double then, not a wrong fraction */
    u = parse("pm^3");
    assert_false(u.exact);
    assert_close(u.factor / 1e-36, 1.0, 1e-14);
}

static void test_units__refuse_nonsense(void **state) {
    (void)state;
    static const char *const bad[] = {
        "",        "m*",     "furlong", "m^",
        "m^x",     "m^2000", "(m",      "m)",
        "m s",     "2",      "kkg",     "cmin",
        "m^(1/0)", "^2",     "m//s",    "((((((((((((((((((m))))))))))))))))))"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        zw_error err = {0};
        zw_unit u;
        if (zw_unit_parse(&u, bad[i], strlen(bad[i]), nowhere, &err) >= 0)
            fail_msg("[%s] was accepted", bad[i]);
        assert_true(err.text[0] != '\0');
    }
}

static void test_units__powers_and_quotients_of_dimensions(void **state) {
    (void)state;
    zw_unit newton = parse("N"), metre = parse("m");
    zw_dim d, e;
    char text[ZW_DIM_TEXT];
    assert_true(zw_dim_combine(&d, &newton.dim, &metre.dim, -1));
    zw_dim_text(&d, text);
    assert_string_equal(text, "N/m");
    assert_true(zw_dim_power(&e, &d, 3, 2));
    zw_dim_text(&e, text);
    assert_string_equal(text, "kg^(3/2)/s^3");
    assert_true(zw_dim_power(&e, &e, 2, 3));
    assert_true(zw_dim_fits(&d, &e));
    assert_false(zw_dim_fits(&d, &newton.dim));
    zw_dim any = zw_dim_any();
    assert_true(zw_dim_fits(&any, &newton.dim));
    /* exponents beyond reason are refused, not wrapped around */
    assert_true(zw_dim_power(&e, &newton.dim, 300, 1));
    assert_false(zw_dim_power(&e, &e, 300, 1));
}

/* a momentum times its velocity is an energy */
static void test_units__of_momenta(void **state) {
    static const char *const unit[][2] = {
        {"m/s", "kg*m/s"}, {"rad/s", "kg*m^2/s"}, {"A", "N*m/A"}, {"", ""}, {"nothing", ""}};
    (void)state;
    for (size_t i = 0; i < sizeof unit / sizeof *unit; i++) {
        char text[ZW_DIM_TEXT];
        zw_momentum_unit(unit[i][0], text);
        assert_string_equal(text, unit[i][1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units__of_momenta),
        cmocka_unit_test(test_units__have_their_si_values),
        cmocka_unit_test(test_units__keep_exact_fractions),
        cmocka_unit_test(test_units__refuse_nonsense),
        cmocka_unit_test(test_units__powers_and_quotients_of_dimensions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
