/* SPDX-License-Identifier: MIT */
/* What a label is made of, seen by its width: a text that is set as another one is as wide. */
#include "out/plots/label.h"

#include <cairo-svg.h>

#include "support/test.h"

static zw_out_canvas canvas;

static double width(const char *text, zw_out_mode mode) {
    return zw_out_label_width(&canvas, text, mode, 10);
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
    assert_close(name("1e-08"), name("10^-8"), 1e-12);
    assert_close(name("1e+08"), name("10^8"), 1e-12);
    assert_close(name("3e0"), name("3*10^0"), 1e-12);
    assert_close(name("2e"), plain("2") + name("e"), 1e-12); /* no exponent */
    assert_close(name("2e3x"), plain("2") + name("e3x"), 1e-12);
}

/* nothing is cut, however long; brackets that do not match repeat nothing */
static void test_label__long_and_broken_texts(void **state) {
    (void)state;
    char word[2001] = "", ten[21] = "abcdefghijklmnopqrst";
    for (int i = 0; i < 100; i++)
        memcpy(word + 20 * i, ten, 20);
    word[2000] = '\0';
    assert_close(name(word), 100 * plain(ten), 1e-6);
    assert_close(plain(word), 100 * plain(ten), 1e-6);
    assert_close(name("[m^(2] x)"), plain("[m") + name("^2") + plain("] ") + name("x") + plain(")"),
                 1e-9);
    assert_close(plain("a\xffz"), plain("a\xef\xbf\xbdz"), 1e-12); /* no UTF-8 */
    assert_close(plain("a\nb"), plain("a b"), 1e-12);
}

/* smaller letters first, then an ellipsis in front of the unit; what fits is left alone */
static void test_label__fits_into_its_room(void **state) {
    (void)state;
    static const char text[] = "tension of the rope [kN]";
    double whole = zw_out_label_width(&canvas, text, ZW_OUT_NAME, 10);
    zw_out_fit f = zw_out_label_fit(&canvas, text, ZW_OUT_NAME, 10, 5, whole);
    assert_string_equal(f.text, text);
    assert_close(f.size, 10, 1e-12);
    f = zw_out_label_fit(&canvas, text, ZW_OUT_NAME, 10, 5, 0.7 * whole);
    assert_string_equal(f.text, text);
    assert_close(f.size, 7, 1e-9);
    assert_false(canvas.shortened);
    f = zw_out_label_fit(&canvas, text, ZW_OUT_NAME, 10, 5, 0.3 * whole);
    assert_true(canvas.shortened);
    assert_close(f.size, 5, 1e-12);
    assert_true(f.width <= 0.3 * whole && f.width > 0.2 * whole);
    assert_non_null(strstr(f.text, "… [kN]"));
    f = zw_out_label_fit(&canvas, "äöüäöüäöü \"(right)\"", ZW_OUT_NAME, 10, 10, 60);
    assert_non_null(strstr(f.text, "… \"(right)\""));
    assert_true(f.width <= 60);
    char title[5000]; /* more than there is room for, in bytes */
    memset(title, 'i', sizeof title);
    title[sizeof title - 1] = '\0';
    f = zw_out_label_fit(&canvas, title, ZW_OUT_PLAIN, 10, 5, 1e9);
    assert_non_null(strstr(f.text, "…"));
    assert_string_equal(zw_out_label_fit(&canvas, "x [m]", ZW_OUT_NAME, 10, 5, 0).text, "… [m]");
    canvas.shortened = false;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_label__greek_indices_and_dots),
        cmocka_unit_test(test_label__units_and_quotations),
        cmocka_unit_test(test_label__powers_of_ten),
        cmocka_unit_test(test_label__fits_into_its_room),
        cmocka_unit_test(test_label__long_and_broken_texts),
    };
    cairo_surface_t *s = cairo_svg_surface_create_for_stream(NULL, NULL, 10, 10);
    canvas.cr = cairo_create(s);
    cairo_surface_destroy(s);
    if (zw_out_fonts_create(&canvas.fonts, NULL, NULL) < 0)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cairo_destroy(canvas.cr);
    zw_out_fonts_destroy(canvas.fonts);
    return failed;
}
