/* SPDX-License-Identifier: MIT */
/* Pictures are judged by their structure: sizes, strokes in an SVG, colours of pixels in a PNG. */
#include "support/test.h"

#include <cairo.h>
#include <fontconfig/fontconfig.h>

#include "support/files.h"
#include "zwang/plot.h"

/* t, sin, cos, a curve with a gap, a lone point between gaps */
static zw_table *waves(int rows) {
    zw_table *t = zw_table_create(NULL);
    zw_table_column(t, "t", "s");
    zw_table_column(t, "theta_1'", "rad/s");
    zw_table_column(t, "y", "m");
    zw_table_column(t, "gap", "");
    zw_table_column(t, "lone", "");
    for (int i = 0; i < rows; i++) {
        double s = 20.0 * i / rows;
        zw_table_row(t, (double[]){s, sin(s), cos(s), s > 8 && s < 10 ? NAN : sin(s) / 2,
                                   i == rows / 2 ? 0.5 : INFINITY});
    }
    return t;
}

static void plot(int n, const zw_curve *c, const zw_plot_options *o, const char *name) {
    zw_error err = {0};
    if (zw_plot_curves(n, c, o, in_folder(name), &err) != ZW_OK) {
        print_error("%s\n", err.text);
        fail();
    }
}

static char *plot_svg(int n, const zw_curve *c, const zw_plot_options *o) {
    plot(n, c, o, "a.svg");
    return read_whole(in_folder("a.svg"), NULL);
}

/* strokes in the colour of curve k: in Cairo up to 1.16 by style, from 1.18 on by attribute */
static int strokes(const char *svg, int k) {
    static const char *const colour[2][4] = {
        {"stroke:rgb(0%,44.705882%,69.803922%)", "stroke:rgb(0%,44.7%,69.8%)",
         "stroke=\"rgb(0%, 44.705882%, 69.803922%)\"", "stroke=\"rgb(0%, 44.7%, 69.8%)\""},
        {"stroke:rgb(83.529412%,36.862745%,0%)", "stroke:rgb(83.5%,36.9%,0%)",
         "stroke=\"rgb(83.529412%, 36.862745%, 0%)\"", "stroke=\"rgb(83.5%, 36.9%, 0%)\""}};
    int n = 0;
    for (int i = 0; i < 4; i++)
        n += count_in(svg, colour[k][i]);
    return n;
}

static void test_plot__three_formats(void **state) {
    (void)state;
    zw_table *t = waves(500);
    zw_curve c = {.table = t, .x = 0, .y = 1};
    char *svg = plot_svg(1, &c, NULL);
    assert_non_null(strstr(svg, "<svg"));
    assert_non_null(strstr(svg, "</svg>"));
    assert_non_null(strstr(svg, "width=\"340.157"));  /* 120 mm in points */
    assert_non_null(strstr(svg, "height=\"255.118")); /* 90 mm */
    assert_int_equal(strokes(svg, 0), 1);
    free(svg);
    plot(1, &c, NULL, "a.pdf");
    size_t n;
    char *pdf = read_whole(in_folder("a.pdf"), &n);
    assert_memory_equal(pdf, "%PDF-", 5);
    assert_true(n > 2000);
    free(pdf);
    zw_plot_options o = {.width = 60, .height = 40};
    plot(1, &c, &o, "a.png");
    cairo_surface_t *s = cairo_image_surface_create_from_png(in_folder("a.png"));
    assert_int_equal(cairo_surface_status(s), CAIRO_STATUS_SUCCESS);
    assert_int_equal(cairo_image_surface_get_width(s), 709); /* 60 mm at 300 dpi */
    assert_int_equal(cairo_image_surface_get_height(s), 473);
    cairo_surface_destroy(s);
    zw_table_destroy(t);
}

/* where the curve must be there is its colour; in the corner there is paper */
static void test_plot__png_shows_the_curve(void **state) {
    (void)state;
    zw_table *t = zw_table_create(NULL);
    zw_table_column(t, "x", "m");
    zw_table_column(t, "y", "m");
    for (int i = 0; i <= 100; i++)
        zw_table_row(t, (double[]){i, i}); /* the diagonal */
    zw_curve c = {.table = t, .x = 0, .y = 1};
    plot(1, &c, NULL, "line.png");
    cairo_surface_t *s = cairo_image_surface_create_from_png(in_folder("line.png"));
    int w = cairo_image_surface_get_width(s), h = cairo_image_surface_get_height(s);
    int stride = cairo_image_surface_get_stride(s);
    const unsigned char *data = cairo_image_surface_get_data(s);
    long blue = 0, white = 0;
    int last = -1, falls = 0;
    for (int x = 0; x < w; x++) {
        int top = -1;
        for (int y = 0; y < h; y++) {
            uint32_t pixel;
            memcpy(&pixel, data + y * stride + 4 * x, sizeof pixel);
            pixel &= 0xffffff;
            white += pixel == 0xffffff;
            if (pixel == 0x0072b2) {
                blue++;
                if (top < 0)
                    top = y;
            }
        }
        if (top >= 0 && last >= 0)
            falls += top > last + 1; /* the line only rises from left to right */
        if (top >= 0)
            last = top;
    }
    assert_true(blue > 3000);
    assert_true(white > (long)w * h * 8 / 10);
    assert_int_equal(falls, 0);
    cairo_surface_destroy(s);
    zw_table_destroy(t);
}

/* a value that is not finite breaks the line; a lone point between two is still seen */
static void test_plot__gaps_and_lone_points(void **state) {
    (void)state;
    zw_table *t = waves(500);
    zw_curve gap = {.table = t, .x = 0, .y = 3}, lone = {.table = t, .x = 0, .y = 4};
    char *svg = plot_svg(1, &gap, NULL);
    assert_int_equal(strokes(svg, 0), 2);
    free(svg);
    svg = plot_svg(1, &lone, NULL);
    assert_int_equal(strokes(svg, 0), 1);
    free(svg);
    zw_table_destroy(t);
}

/* the legend is there only when it tells something: each entry adds one stroke of its colour */
static void test_plot__legend_only_when_needed(void **state) {
    (void)state;
    zw_table *t = waves(500);
    zw_curve labelled[] = {{.table = t, .x = 0, .y = 1, .label = "theta_1'"},
                           {.table = t, .x = 0, .y = 2, .label = "y"}};
    zw_curve silent[] = {{.table = t, .x = 0, .y = 1}, {.table = t, .x = 0, .y = 2}};
    char *svg = plot_svg(2, labelled, NULL);
    assert_int_equal(strokes(svg, 0), 2);
    assert_int_equal(strokes(svg, 1), 2);
    assert_true(strstr(svg, "stroke-dasharray:5,2") || strstr(svg, "stroke-dasharray=\"5 2\""));
    free(svg);
    svg = plot_svg(2, silent, NULL);
    assert_int_equal(strokes(svg, 0), 1);
    assert_int_equal(strokes(svg, 1), 1);
    free(svg);
    svg = plot_svg(1, labelled, NULL);
    assert_int_equal(strokes(svg, 0), 1);
    free(svg);
    zw_table_destroy(t);
}

/* any colour with any dashes: the second curve is blue and solid, as the first one would be */
static void test_plot__styles_by_words(void **state) {
    (void)state;
    zw_table *t = waves(500);
    zw_curve curve[] = {{.table = t, .x = 0, .y = 1}, {.table = t, .x = 0, .y = 2}};
    zw_error err = {0};
    assert_int_equal(zw_plot_style("red dotted", &curve[0].style, &err), ZW_OK);
    assert_int_equal(zw_plot_style("blue", &curve[1].style, &err), ZW_OK);
    assert_int_equal((curve[1].style - 1) % 8, 0); /* the colour of the first one */
    char *svg = plot_svg(2, curve, NULL);
    assert_int_equal(strokes(svg, 0), 1);
    assert_int_equal(strokes(svg, 1), 1);
    assert_true(strstr(svg, "stroke-dasharray:1.4,1.6") ||
                strstr(svg, "stroke-dasharray=\"1.4 1.6\""));
    assert_null(strstr(svg, "stroke-dasharray=\"5 2\""));
    free(svg);
    /* dashes that somebody asked for stay where those of other curves tell what is unstable */
    zw_table_column(t, "stable", "");
    curve[1].solid = zw_table_columns(t);
    svg = plot_svg(2, curve, NULL);
    assert_true(strstr(svg, "stroke-dasharray:1.4,1.6") ||
                strstr(svg, "stroke-dasharray=\"1.4 1.6\""));
    free(svg);
    zw_table_destroy(t);
    const char *const wrong[] = {"", "dotted", "red dottet", "red dotted thick", "reddish"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(zw_plot_style(wrong[i], &(int){0}, &err), ZW_E_OPTION);
}

/* a million points make a small file that still shows the extremes */
static void test_plot__long_curves_are_thinned(void **state) {
    (void)state;
    test_random r = {41};
    zw_table *t = zw_table_create(NULL);
    zw_table_column(t, "t", "s");
    zw_table_column(t, "noise", "V");
    zw_table_column(t, "x", "m");
    zw_table_column(t, "y", "m");
    for (long i = 0; i < 300000; i++) {
        double s = 1e-3 * (double)i;
        zw_table_row(
            t, (double[]){s, i == 123456 ? 7 : test_random_real(&r, -1, 1), cos(s), sin(1.01 * s)});
    }
    zw_curve noise = {.table = t, .x = 0, .y = 1}, loops = {.table = t, .x = 2, .y = 3};
    size_t n = 0;
    plot(1, &noise, NULL, "noise.svg");
    free(read_whole(in_folder("noise.svg"), &n));
    assert_true(n > 20000 && n < 500000);
    plot(1, &loops, NULL, "loops.svg");
    free(read_whole(in_folder("loops.svg"), &n));
    assert_true(n > 20000 && n < 500000);
    /* the single spike of 7 takes the axis to 7 and is drawn: blue above the noise */
    plot(1, &noise, NULL, "noise.png");
    cairo_surface_t *s = cairo_image_surface_create_from_png(in_folder("noise.png"));
    int stride = cairo_image_surface_get_stride(s), w = cairo_image_surface_get_width(s);
    const unsigned char *row = cairo_image_surface_get_data(s) + 300 * stride;
    int blue = 0;
    for (int x = 0; x < w; x++)
        blue += row[4 * x] > row[4 * x + 2] + 40; /* more blue than red */
    assert_true(blue >= 1 && blue <= 8);
    cairo_surface_destroy(s);
    zw_table_destroy(t);
}

/* with equal axes a circle is round: as wide as high in pixels */
static void test_plot__equal_axes(void **state) {
    (void)state;
    zw_table *t = zw_table_create(NULL);
    zw_table_column(t, "x", "m");
    zw_table_column(t, "y", "m");
    for (int i = 0; i <= 360; i++)
        zw_table_row(t, (double[]){3 * cos(i * acos(-1) / 180), 3 * sin(i * acos(-1) / 180)});
    zw_curve c = {.table = t, .x = 0, .y = 1};
    for (int equal = 0; equal <= 1; equal++) {
        zw_plot_options o = {.equal_axes = equal};
        plot(1, &c, &o, "circle.png");
        cairo_surface_t *s = cairo_image_surface_create_from_png(in_folder("circle.png"));
        int w = cairo_image_surface_get_width(s), h = cairo_image_surface_get_height(s);
        int stride = cairo_image_surface_get_stride(s);
        const unsigned char *data = cairo_image_surface_get_data(s);
        int left = w, right = 0, top = h, bottom = 0;
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                const unsigned char *pixel = data + y * stride + 4 * x;
                if (pixel[0] <= pixel[2] + 40)
                    continue;
                left = x < left ? x : left;
                right = x > right ? x : right;
                top = y < top ? y : top;
                bottom = y > bottom ? y : bottom;
            }
        int wide = right - left, high = bottom - top;
        assert_true(high > 500);
        if (equal)
            assert_true(abs(wide - high) <= 2);
        else
            assert_true(abs(wide - high) > 50);
        cairo_surface_destroy(s);
    }
    zw_table_destroy(t);
}

static void test_plot__strange_data_is_drawn(void **state) {
    (void)state;
    const double cases[][3] = {
        {0, 0, 0},          {5, 5, 5},        {1e-300, 2e-300, 1e-300}, {1e15, 1e15 + 1, 1e15},
        {-1e200, 1e200, 0}, {1, 1 + 1e-14, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        zw_table *t = zw_table_create(NULL);
        zw_table_column(t, "x", "m");
        for (int k = 0; k < 3; k++)
            zw_table_row(t, &cases[i][k]);
        zw_curve c = {.table = t, .x = 0, .y = 0, .label = "self"};
        char *svg = plot_svg(1, &c, NULL);
        assert_null(strstr(svg, "nan"));
        assert_null(strstr(svg, "inf"));
        free(svg);
        zw_table_destroy(t);
    }
}

/* names from anywhere: typesetting never breaks the picture */
static void test_plot__strange_names_are_set(void **state) {
    (void)state;
    static const char *const names[] = {
        "x",   "theta_1'", "x''''",      "lambda(roll)", "a_b_c_12''", "_",        "'",
        "^",   "x^",       "x^(",        "x^-2",         "x^(a+b)",    "\xff\xfe", "a\xc3",
        "",    " ",        "kg*m^2/s^2", "deg",          "ball.w.x",   "x_",       "1e5",
        "θ_α", "x1y2",     "^^__''"};
    test_random r = {51};
    int before = count_files();
    for (int i = 0; i < 60; i++) {
        zw_table *t = zw_table_create(NULL);
        char name[400];
        size_t n = (size_t)test_random_int(&r, 399);
        for (size_t k = 0; k < n; k++)
            name[k] = (char)(1 + test_random_int(&r, 255));
        name[n] = '\0';
        const char *used = i < (int)(sizeof names / sizeof *names) ? names[i] : name;
        zw_table_column(t, used, used);
        zw_table_row(t, (double[]){1});
        zw_table_row(t, (double[]){2});
        zw_curve c[] = {{.table = t, .x = 0, .y = 0, .label = used},
                        {.table = t, .x = 0, .y = 0, .label = used}};
        zw_plot_options o = {.title = used, .xlabel = used};
        plot(2, c, &o, "name.svg");
        zw_table_destroy(t);
    }
    assert_int_equal(count_files(), before + 1); /* no leftovers of temporary files */
}

static void test_plot__refusals(void **state) {
    (void)state;
    zw_table *t = waves(10);
    zw_curve good = {.table = t, .x = 0, .y = 1}, bad_column = {.table = t, .x = 0, .y = 9};
    zw_plot_options tiny = {.width = 3}, nan_size = {.height = NAN};
    zw_error err = {0};
    assert_int_equal(zw_plot_curves(1, &good, NULL, in_folder("a.gif"), &err), ZW_E_OPTION);
    assert_non_null(strstr(err.hint, ".svg"));
    assert_int_equal(zw_plot_curves(0, &good, NULL, in_folder("b.svg"), NULL), ZW_E_OPTION);
    assert_int_equal(zw_plot_curves(1, &bad_column, NULL, in_folder("b.svg"), NULL), ZW_E_NAME);
    assert_int_equal(zw_plot_curves(1, &good, &tiny, in_folder("b.svg"), NULL), ZW_E_OPTION);
    assert_int_equal(zw_plot_curves(1, &good, &nan_size, in_folder("b.svg"), NULL), ZW_E_OPTION);
    assert_int_equal(zw_plot_curves(1, &good, NULL, in_folder("no/b.svg"), NULL), ZW_E_FILE);
    zw_table *empty = zw_table_create(NULL);
    zw_table_column(empty, "x", "");
    zw_table_row(empty, (double[]){NAN});
    zw_curve nothing = {.table = empty, .x = 0, .y = 0};
    assert_int_equal(zw_plot_curves(1, &nothing, NULL, in_folder("b.svg"), NULL), ZW_E_OPTION);
    zw_table_row(empty, (double[]){-1.7e308});
    zw_table_row(empty, (double[]){1.7e308});
    assert_int_equal(zw_plot_curves(1, &nothing, NULL, in_folder("b.svg"), NULL), ZW_E_OPTION);
    assert_int_not_equal(access(in_folder("b.svg"), F_OK), 0);
    zw_table_destroy(empty);
    zw_table_destroy(t);
}

/* what cairo and fontconfig keep for the next picture is no leak */
static int tidy_up(void **state) {
    cairo_debug_reset_static_data();
    FcFini();
    return remove_folder(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plot__three_formats),
        cmocka_unit_test(test_plot__png_shows_the_curve),
        cmocka_unit_test(test_plot__gaps_and_lone_points),
        cmocka_unit_test(test_plot__legend_only_when_needed),
        cmocka_unit_test(test_plot__styles_by_words),
        cmocka_unit_test(test_plot__long_curves_are_thinned),
        cmocka_unit_test(test_plot__equal_axes),
        cmocka_unit_test(test_plot__strange_data_is_drawn),
        cmocka_unit_test(test_plot__strange_names_are_set),
        cmocka_unit_test(test_plot__refusals),
    };
    return cmocka_run_group_tests(tests, make_folder, tidy_up);
}
