/* SPDX-License-Identifier: MIT */
/* A thinned line and the same line with all its points, drawn and compared pixel by pixel. */
#include "out/plots/trace.h"

#include <math.h>
#include <stdlib.h>

#include "support/test.h"

enum { SIZE = 800, POINTS = 20000 };
#define SCALE 4.0 /* pixels per point: 288 dpi */

static cairo_t *paper(void) {
    cairo_surface_t *s = cairo_image_surface_create(CAIRO_FORMAT_RGB24, SIZE, SIZE);
    cairo_t *cr = cairo_create(s);
    cairo_surface_destroy(s);
    cairo_scale(cr, SCALE, SCALE);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    cairo_set_source_rgb(cr, 0, 0, 0);
    cairo_set_line_width(cr, 1);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    return cr;
}

static zw_out_spot spiral(int i) {
    double s = (double)i / (double)POINTS, angle = 40 * s;
    return (zw_out_spot){100 + 95 * s * cos(angle), 100 + 95 * s * sin(angle)};
}

static zw_out_spot wave(int i) {
    double s = (double)i / (double)POINTS;
    return (zw_out_spot){5 + 190 * s, 100 + 90 * sin(60 * s) * s};
}

/* largest difference of two pixels, and how many are ink */
static int compare(cairo_t *a, cairo_t *b, long *ink) {
    cairo_surface_t *sa = cairo_get_target(a), *sb = cairo_get_target(b);
    cairo_surface_flush(sa);
    cairo_surface_flush(sb);
    const unsigned char *pa = cairo_image_surface_get_data(sa);
    const unsigned char *pb = cairo_image_surface_get_data(sb);
    int worst = 0;
    *ink = 0;
    for (int i = 0; i < SIZE * SIZE; i++) {
        int d = abs(pa[4 * i] - pb[4 * i]);
        worst = d > worst ? d : worst;
        *ink += pa[4 * i] < 128;
    }
    return worst;
}

static void check(zw_out_spot (*curve)(int), bool rightwards) {
    cairo_t *thinned = paper(), *full = paper();
    zw_out_trace t;
    zw_out_trace_begin(&t, &(zw_out_canvas){.cr = thinned}, rightwards, 0, NULL);
    for (int i = 0; i <= POINTS; i++)
        zw_out_trace_add(&t, curve(i).x, curve(i).y);
    zw_out_trace_lift(&t);
    for (int i = 0; i <= POINTS; i++)
        cairo_line_to(full, curve(i).x, curve(i).y);
    cairo_stroke(full);
    long ink;
    /* 0.03 points are an eighth of a pixel; cairo's own steps are a fifteenth: a quarter is safe */
    assert_true(compare(thinned, full, &ink) <= 64);
    assert_true(ink > 5000);
    cairo_destroy(thinned);
    cairo_destroy(full);
}

static void test_trace__looks_like_the_full_line(void **state) {
    (void)state;
    check(spiral, false);
    check(wave, true);
}

static void test_trace__straight_lines_need_two_nodes(void **state) {
    (void)state;
    cairo_t *cr = paper();
    zw_out_trace t;
    zw_out_trace_begin(&t, &(zw_out_canvas){.cr = cr}, false, 0, NULL);
    for (int i = 0; i <= 1000; i++)
        zw_out_trace_add(&t, 10 + 0.1 * i, 20 + 0.05 * i);
    assert_int_equal(t.nodes, 1); /* the end is not yet known to be one */
    for (int i = 1000; i >= 0; i--)
        zw_out_trace_add(&t, 10 + 0.1 * i, 20 + 0.05 * i);
    assert_int_equal(t.nodes, 2); /* it turned back there */
    assert_close(t.node.x, 110, 1e-3);
    zw_out_trace_lift(&t);
    cairo_destroy(cr);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace__looks_like_the_full_line),
        cmocka_unit_test(test_trace__straight_lines_need_two_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
