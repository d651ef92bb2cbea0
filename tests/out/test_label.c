/* SPDX-License-Identifier: MIT */
/* What a label is made of, seen by its width: a text that is set as another one is as wide. */
#include "out/plots/label.h"

#include "test.h"

static cairo_t *cr;

static double width(const char *text, zw_out_mode mode) {
    return zw_out_label_width(cr, text, mode, 10);
}

static double name(const char *text) {
    return width(text, ZW_OUT_NAME);
}

static double plain(const char *text) {
    return width(text, ZW_OUT_PLAIN);
}

static void test_label__greek_indices_and_dots(void **state) {
    (void)state;
    assert_close(name("theta_1"), name("θ_1"), 1e-12);
    assert_true(name("theta") < plain("theta") / 2);
    assert_close(name("x_1"), name("x1"), 1e-12);
    assert_true(name("x_1") < name("x") + plain("1")); /* lowered and smaller */
    assert_close(name("x'"), name("x"), 1e-12);        /* a dot above takes no room */
    assert_close(name("x''''"), name("x") + 4 * plain("′"), 1e-12);
    assert_close(name("energy"), plain("energy"), 1e-12);
    assert_close(name("-5"), plain("−5"), 1e-12); /* a true minus */
    assert_close(name("a*b"), name("a") + plain("·") + name("b"), 1e-12);
}

static void test_label__units_and_quotations(void **state) {
    (void)state;
    double unit = width("kg*m/s^2", ZW_OUT_UNIT);
    assert_close(name("{kg*m/s^2}"), unit, 1e-12);
    assert_close(name("[kg*m/s^2]"), plain("[") + unit + plain("]"), 1e-12);
    assert_close(name("\"run_1\""), plain("run_1"), 1e-12);
    assert_close(width("deg", ZW_OUT_UNIT), plain("°"), 1e-12);
    /* what is not closed stays */
    assert_close(name("[x"), plain("[") + name("x"), 1e-12);
    assert_close(name("nu = 5 {kg/s}"),
                 name("nu") + plain(" ") + plain("=") + plain(" ") + plain("5") + plain(" ") +
                     width("kg/s", ZW_OUT_UNIT),
                 1e-12);
}

static void test_label__powers_of_ten(void **state) {
    (void)state;
    assert_close(name("2.5e-3"), name("2.5*10^-3"), 1e-12);
    assert_close(name("1e6"), name("10^6"), 1e-12);
    assert_close(name("2e"), plain("2") + name("e"), 1e-12); /* no exponent */
    assert_close(name("2e3x"), plain("2") + name("e3x"), 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_label__greek_indices_and_dots),
        cmocka_unit_test(test_label__units_and_quotations),
        cmocka_unit_test(test_label__powers_of_ten),
    };
    cairo_surface_t *s = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 10, 10);
    cr = cairo_create(s);
    cairo_surface_destroy(s);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cairo_destroy(cr);
    return failed;
}
