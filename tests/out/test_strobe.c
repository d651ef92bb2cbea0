/* SPDX-License-Identifier: MIT */
/* Several instants in one picture: which layout is chosen, that nothing is cut off, what hides
 * what, where times stand. */
#include "support/test.h"

#include <cairo.h>
#include <stdlib.h>

#include "out/scene/strobe.h"

#define STILL(x)                                                                                   \
    { -1, x }
#define TURN                                                                                       \
    { STILL(1), STILL(0), STILL(0), STILL(0) }

enum { ROWS = 101 };

typedef struct scene {
    zw_view view;
    zw_view_item item[8];
    double time[ROWS];
    zw_table *motion;
} scene;

/* t = 0 to 1; column 0 is way t, columns 1 and 2 a turn about z by turns full ones */
static void begin(scene *s, double way, double turns) {
    *s = (scene){.motion = zw_table_create(NULL)};
    for (int i = 0; i < 3; i++)
        zw_table_column(s->motion, (const char *[]){"0", "1", "2"}[i], "");
    for (int i = 0; i < ROWS; i++) {
        double t = s->time[i] = i / (ROWS - 1.0), half = 3.14159265358979323846 * turns * t;
        zw_table_row(s->motion, (double[]){way * t, cos(half), sin(half)});
    }
    s->view = (zw_view){.item = s->item,
                        .rows = ROWS,
                        .time = s->time,
                        .motion = s->motion,
                        .up = {0, 0, 1},
                        .metres = true};
}

static void add(scene *s, zw_view_item item) {
    item.name = item.name ? item.name : "";
    item.colour = item.colour ? item.colour : "";
    s->item[s->view.n++] = item;
}

/* a ball of radius 0.1 that goes along x */
static void add_ball(scene *s, const char *colour) {
    add(s, (zw_view_item){.shape = "sphere",
                          .colour = colour,
                          .at = {{0, 0}, STILL(0), STILL(0.1)},
                          .turn = TURN,
                          .n = 1,
                          .number = {STILL(0.1)}});
}

/* a bar that turns about its middle, and goes along x */
static void add_bar(scene *s, double width) {
    add(s, (zw_view_item){.shape = "box",
                          .at = {{0, 0}, STILL(0), STILL(0.1)},
                          .turn = {{1, 0}, STILL(0), STILL(0), {2, 0}},
                          .n = 3,
                          .number = {STILL(1), STILL(width), STILL(0.2)}});
}

static void end(scene *s) {
    zw_table_destroy(s->motion);
}

static const double quarters[] = {0, 0.25, 0.5, 0.75, 1};

static zw_strobe_report report_of(scene *s, int n, const double *t, zw_strobe_options o) {
    zw_strobe_report r;
    zw_bytes bytes;
    zw_error err = {0};
    if (zw_strobe_bytes(&s->view, n, t, "png", &bytes, &o, &r, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(bytes.size > 1000);
    zw_bytes_clear(&bytes);
    return r;
}

/* --------------------------------------------------------------------------------------- layout */

static void test_strobe__layouts_are_chosen(void **state) {
    (void)state;
    scene s;
    begin(&s, 4, 0); /* ten times its size from one instant to the next */
    add_ball(&s, "red");
    zw_strobe_report r = report_of(&s, 5, quarters, zw_strobe_options_default());
    assert_int_equal(r.layout, ZW_STROBE_OVERLAY);
    assert_true(r.hidden < 0.02 && r.beside && r.width == 120 && r.unseen == 0);
    assert_string_equal(r.square, "1 m"); /* of a way of 4 m */
    end(&s);
    begin(&s, 0, 0.4); /* in its place */
    add_bar(&s, 0.5);
    r = report_of(&s, 5, quarters, zw_strobe_options_default());
    assert_int_equal(r.layout, ZW_STROBE_ROW);
    assert_true(r.hidden > 0.5 && r.columns == 5 && r.width == 160 && !r.follows);
    static const double eight[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7};
    r = report_of(&s, 8, eight, zw_strobe_options_default());
    assert_int_equal(r.layout, ZW_STROBE_GRID);
    assert_int_equal(8 % r.columns, 0); /* no place is empty */
    end(&s);
}

static void test_strobe__layouts_as_said(void **state) {
    (void)state;
    scene s;
    begin(&s, 4, 0);
    add_ball(&s, "red");
    zw_strobe_options o = zw_strobe_options_default();
    o.layout = ZW_STROBE_GRID;
    o.columns = 3;
    o.width = 90;
    o.height = 70;
    zw_strobe_report r = report_of(&s, 5, quarters, o);
    assert_true(r.layout == ZW_STROBE_GRID && r.columns == 3);
    assert_close(r.width, 90, 1e-9);
    assert_close(r.height, 70, 1e-9);
    o.layout = ZW_STROBE_ROW;
    o.bare = true;
    r = report_of(&s, 5, quarters, o);
    assert_true(r.layout == ZW_STROBE_ROW && r.columns == 5 && !r.square[0] && r.follows);
    o.layout = ZW_STROBE_OVERLAY;
    r = report_of(&s, 1, quarters + 2, o);
    assert_true(r.layout == ZW_STROBE_OVERLAY && r.columns == 1);
    end(&s);
}

/* the part of what moves that is hidden, against two squares that overlap by known parts, seen from
 * above from far away */
static void test_strobe__what_is_hidden_is_measured(void **state) {
    (void)state;
    static const double ends[] = {0, 1};
    for (int k = 0; k <= 4; k++) {
        scene s;
        zw_strobe w;
        zw_strobe_options o = zw_strobe_options_default();
        double part = k / 4.0; /* of a square that the other one covers */
        o.elevation = 90;
        begin(&s, 1 - part, 0);
        add(&s, (zw_view_item){.shape = "plane",
                               .at = {{0, 0}, STILL(0), STILL(0)},
                               .turn = TURN,
                               .n = 2,
                               .number = {STILL(1), STILL(1)}});
        assert_int_equal(zw_strobe_begin(&w, &s.view, 2, ends, &o, NULL), ZW_OK);
        assert_close(w.report.hidden, part / 2, 0.01);
        zw_strobe_end(&w);
        end(&s);
    }
}

/* ---------------------------------------------------------------------------------------- paper */

typedef struct paper {
    int width, height, stride;
    cairo_surface_t *surface;
    const unsigned *pixel;
} paper;

enum { SCALE = 2 }; /* pixels in a point */

static paper draw(zw_strobe *w) {
    paper p = {.width = (int)ceil(SCALE * w->width), .height = (int)ceil(SCALE * w->height)};
    p.surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, p.width, p.height);
    cairo_t *cr = cairo_create(p.surface);
    cairo_scale(cr, SCALE, SCALE);
    assert_true(zw_strobe_draw(cr, w));
    assert_int_equal(cairo_status(cr), CAIRO_STATUS_SUCCESS);
    cairo_destroy(cr);
    cairo_surface_flush(p.surface);
    p.pixel = (const unsigned *)(const void *)cairo_image_surface_get_data(p.surface);
    p.stride = cairo_image_surface_get_stride(p.surface) / 4;
    return p;
}

static bool is_white(const paper *p, int x, int y) {
    return (p->pixel[y * p->stride + x] & 0xffffff) == 0xffffff;
}

/* 0 to 1, of the colour at a place in points */
static double brightness(const paper *p, double x, double y) {
    unsigned c = p->pixel[(int)(SCALE * y) * p->stride + (int)(SCALE * x)];
    return ((c >> 16 & 255) + (c >> 8 & 255) + (c & 255)) / 765.0;
}

static void middle_on_paper(const zw_strobe *w, int k, double x, double *px, double *py) {
    zw_camera c = zw_strobe_camera(w, k);
    double X[3];
    zw_camera_see(&c, (double[]){x, 0, 0.1}, X);
    zw_camera_paper(&c, X, px, py);
}

/* each is where it belongs, and the older it is the paler; nothing touches the border */
static void test_strobe__older_is_paler(void **state) {
    (void)state;
    scene s;
    zw_strobe w;
    zw_strobe_options o = zw_strobe_options_default();
    o.bare = true;
    begin(&s, 4, 0);
    add_ball(&s, "red");
    assert_int_equal(zw_strobe_begin(&w, &s.view, 5, quarters, &o, NULL), ZW_OK);
    paper p = draw(&w);
    double before = 1;
    for (int k = 0; k < 5; k++) {
        double x, y;
        middle_on_paper(&w, k, 4 * quarters[k], &x, &y);
        double now = brightness(&p, x, y);
        assert_true(now < before - 0.03);
        before = now;
    }
    for (int x = 0; x < p.width; x++)
        assert_true(is_white(&p, x, 0) && is_white(&p, x, p.height - 1));
    for (int y = 0; y < p.height; y++)
        assert_true(is_white(&p, 0, y) && is_white(&p, p.width - 1, y));
    cairo_surface_destroy(p.surface);
    zw_strobe_end(&w);
    end(&s);
}

/* two balls that pass each other, one behind the other: what is nearer is seen, whichever is
 * older */
static void test_strobe__the_nearer_instant_hides_the_other(void **state) {
    (void)state;
    static const double ends[] = {0, 1};
    for (int side = -1; side <= 1; side += 2) {
        scene s;
        zw_strobe w;
        zw_strobe_options o = zw_strobe_options_default();
        o.bare = true;
        o.layout = ZW_STROBE_OVERLAY;
        o.azimuth =
            side > 0 ? 0 : 180; /* from x: the last one is before the first one; or behind it */
        o.elevation = 0;
        o.fade = 1;
        begin(&s, 1, 0);
        add_ball(&s, "blue");
        assert_int_equal(zw_strobe_begin(&w, &s.view, 2, ends, &o, NULL), ZW_OK);
        paper p = draw(&w);
        double x, y;
        middle_on_paper(&w, 0, side > 0 ? 1 : 0, &x, &y);
        if (side > 0) /* with its colour; the first one is as white as paper */
            assert_true(brightness(&p, x, y) < 0.7);
        else
            assert_true(brightness(&p, x, y) > 0.99);
        cairo_surface_destroy(p.surface);
        zw_strobe_end(&w);
        end(&s);
    }
}

/* in panels that go along, all instants are seen at the same place in the same size */
static void test_strobe__panels_go_along(void **state) {
    (void)state;
    scene s;
    zw_strobe w;
    zw_strobe_options o = zw_strobe_options_default();
    o.layout = ZW_STROBE_ROW;
    begin(&s, 50, 0);
    add_ball(&s, "red");
    assert_int_equal(zw_strobe_begin(&w, &s.view, 5, quarters, &o, NULL), ZW_OK);
    double x[5], y[5];
    for (int k = 0; k < 5; k++) {
        middle_on_paper(&w, k, 50 * quarters[k], &x[k], &y[k]);
        assert_close(x[k], x[0], 1e-6);
        assert_close(y[k], y[0], 1e-6);
    }
    assert_true(w.report.follows);
    double X[3];
    zw_camera c = zw_strobe_camera(&w, 0);
    zw_camera_see(&c, (double[]){0, 0, 0.1}, X);
    assert_true(w.sheet.camera.f * 0.2 / X[2] > 0.5 * w.room.width); /* and large */
    paper p = draw(&w);
    for (int k = 0; k < 5; k++)
        assert_true(brightness(&p, x[k] + k * w.next_x, y[k]) < 0.7);
    cairo_surface_destroy(p.surface);
    zw_strobe_end(&w);
    end(&s);
}

/* --------------------------------------------------------------------------------------- labels */

static bool overlap(const zw_strobe_rect *a, const zw_strobe_rect *b) {
    return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
           b->y < a->y + a->height;
}

/* no label lies on another one or on ink, and each is nearest to its own instant */
static void test_strobe__labels_keep_apart(void **state) {
    (void)state;
    for (int way = 0; way < 3; way++) {
        scene s;
        zw_strobe w;
        zw_strobe_options o = zw_strobe_options_default();
        o.bare = true;
        o.layout = ZW_STROBE_OVERLAY;
        begin(&s, way == 2 ? 0.6 : 2, way ? 0.7 : 0);
        if (way)
            add_bar(&s, 0.05);
        else
            add_ball(&s, "red");
        assert_int_equal(zw_strobe_begin(&w, &s.view, 5, quarters, &o, NULL), ZW_OK);
        assert_true(w.report.beside && !w.caption[0]);
        for (int k = 0; k < 5; k++) {
            const zw_strobe_rect *a = &w.label[k].at;
            assert_true(a->x >= 0 && a->y >= 0 && a->x + a->width <= w.width &&
                        a->y + a->height <= w.height);
            for (int j = 0; j < k; j++)
                assert_false(overlap(a, &w.label[j].at));
        }
        w.report.beside = false; /* the picture without its labels */
        paper p = draw(&w);
        for (int k = 0; k < 5; k++) {
            const zw_strobe_rect *a = &w.label[k].at;
            for (int y = (int)(SCALE * a->y); y < (int)(SCALE * (a->y + a->height)); y++)
                for (int x = (int)(SCALE * a->x); x < (int)(SCALE * (a->x + a->width)); x++)
                    assert_true(is_white(&p, x, y));
        }
        cairo_surface_destroy(p.surface);
        zw_strobe_end(&w);
        end(&s);
    }
}

/* where there is no room for labels, all times stand below */
static void test_strobe__crowded_times_stand_below(void **state) {
    (void)state;
    scene s;
    zw_strobe w;
    zw_strobe_options o = zw_strobe_options_default();
    double many[40];
    for (int k = 0; k < 40; k++)
        many[k] = k / 40.0;
    o.layout = ZW_STROBE_OVERLAY;
    begin(&s, 0.2, 0);
    add_ball(&s, "red");
    assert_int_equal(zw_strobe_begin(&w, &s.view, 40, many, &o, NULL), ZW_OK);
    assert_false(w.report.beside);
    assert_int_equal(strncmp(w.caption, "t = 0.000, 0.025, 0.050", 23), 0);
    assert_non_null(strstr(w.caption, "0.975 {s}"));
    paper p = draw(&w);
    cairo_surface_destroy(p.surface);
    zw_strobe_end(&w);
    end(&s);
}

static void test_strobe__times_have_the_digits_they_need(void **state) {
    (void)state;
    static const struct {
        double t[3];
        const char *last;
    } cases[] = {{{0, 0.5, 1}, "t = 1.0 {s}"},
                 {{0.099, 0.2, 0.3}, "t = 0.300 {s}"},
                 {{0, 0.1 + 0.2, 0.6}, "t = 0.6 {s}"},
                 {{0.123, 0.123001, 0.123002}, "t = 0.123002 {s}"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene s;
        zw_strobe w;
        zw_strobe_options o = zw_strobe_options_default();
        o.layout = ZW_STROBE_ROW;
        begin(&s, 0.2, 0);
        add_ball(&s, "red");
        assert_int_equal(zw_strobe_begin(&w, &s.view, 3, cases[i].t, &o, NULL), ZW_OK);
        assert_string_equal(w.label[2].text, cases[i].last);
        zw_strobe_end(&w);
        s.view.metres = false; /* times without a unit */
        assert_int_equal(zw_strobe_begin(&w, &s.view, 3, cases[i].t, &o, NULL), ZW_OK);
        assert_null(strstr(w.label[2].text, "{s}"));
        zw_strobe_end(&w);
        end(&s);
    }
}

/* ---------------------------------------------------------------------------------------- files */

static void test_strobe__every_kind_of_file(void **state) {
    (void)state;
    static const struct {
        const char *ending, *begins;
    } kinds[] = {{"svg", "<?xml"}, {"pdf", "%PDF"}, {"png", "\x89PNG"}};
    for (int k = 0; k < 3; k++)
        for (int layout = ZW_STROBE_OVERLAY; layout <= ZW_STROBE_GRID; layout++) {
            scene s;
            zw_bytes a, b;
            zw_strobe_options o = zw_strobe_options_default();
            o.layout = (zw_strobe_layout)layout;
            o.title = "A bar";
            o.dark = k == 1;
            begin(&s, 3, 1);
            add_bar(&s, 0.3);
            add(&s,
                (zw_view_item){.shape = "trace", .at = {{0, 0}, STILL(0), STILL(0)}, .turn = TURN});
            add(&s, (zw_view_item){.shape = "plane",
                                   .at = {STILL(1), STILL(0), STILL(0)},
                                   .turn = TURN,
                                   .n = 2,
                                   .number = {STILL(5), STILL(2)}});
            assert_int_equal(
                zw_strobe_bytes(&s.view, 5, quarters, kinds[k].ending, &a, &o, NULL, NULL), 0);
            assert_int_equal(
                zw_strobe_bytes(&s.view, 5, quarters, kinds[k].ending, &b, &o, NULL, NULL), 0);
            assert_true(a.size > 1000 && memcmp(a.data, kinds[k].begins, 4) == 0);
            if (k == 2) {
                assert_int_equal(a.size, b.size);
                assert_memory_equal(a.data, b.data, a.size);
            }
            zw_bytes_clear(&a);
            zw_bytes_clear(&b);
            end(&s);
        }
}

static zw_status try(scene *s, int n, const double *t, zw_strobe_options o, const char *says) {
    zw_error err = {0};
    zw_bytes bytes;
    zw_status status = zw_strobe_bytes(&s->view, n, t, "svg", &bytes, &o, NULL, &err);
    if (!strstr(err.text, says))
        fail_msg("'%s' does not say '%s'", err.text, says);
    zw_bytes_clear(&bytes);
    return status;
}

static void test_strobe__mistakes_are_told(void **state) {
    (void)state;
    scene s;
    zw_error err = {0};
    zw_strobe_options plain = zw_strobe_options_default(), o = plain;
    static const double outside[] = {0, 1.5}, back[] = {0.5, 0.2}, twice[] = {0.5, 0.5};
    double many[65] = {0};
    begin(&s, 1, 0);
    add_ball(&s, "red");
    assert_int_equal(try(&s, 2, outside, o, "1.5 is outside"), ZW_E_OPTION);
    assert_int_equal(try(&s, 2, back, o, "must ascend"), ZW_E_OPTION);
    assert_int_equal(try(&s, 2, twice, o, "must ascend"), ZW_E_OPTION);
    assert_int_equal(try(&s, 0, back, o, "0 instants"), ZW_E_OPTION);
    assert_int_equal(try(&s, 65, many, o, "65 instants"), ZW_E_OPTION);
    o.fade = 2;
    assert_int_equal(try(&s, 5, quarters, o, "paler"), ZW_E_OPTION);
    o = plain;
    o.width = 5000;
    assert_int_equal(try(&s, 5, quarters, o, "up to 1000"), ZW_E_OPTION);
    o = plain;
    o.font = "no such font at all";
    assert_int_equal(try(&s, 5, quarters, o, "no such font at all") < 0, 1);
    o = plain;
    o.layout = ZW_STROBE_ROW;
    o.width = 30;
    assert_int_equal(try(&s, 5, quarters, o, "5 panels in 1 row do not fit into 30 x"),
                     ZW_E_OPTION);
    o.layout = ZW_STROBE_OVERLAY;
    o.width = 12;
    assert_int_equal(try(&s, 5, quarters, o, "leaves no room"), ZW_E_OPTION);
    assert_int_equal(zw_strobe_check("a.tex", NULL, &err), ZW_E_OPTION);
    assert_non_null(strstr(err.text, "SVG, PDF or PNG"));
    assert_int_equal(zw_strobe_check("/no/such/folder/a.svg", NULL, NULL) < 0, 1);
    s.view.rows = 0;
    assert_int_equal(try(&s, 1, quarters, plain, "no row"), ZW_E_OPTION);
    end(&s);
}

/* what is not finite at an instant is counted; if it is so always there is no picture */
static void test_strobe__what_is_not_finite_is_told(void **state) {
    (void)state;
    scene s;
    begin(&s, 4, 0);
    add_ball(&s, "red");
    zw_table_set(s.motion, 50, 0, NAN);
    zw_strobe_report r = report_of(&s, 5, quarters, zw_strobe_options_default());
    assert_int_equal(r.unseen, 1);
    zw_table_set(s.motion, 0, 0, NAN); /* the first one, in panels that go along */
    zw_strobe_options o = zw_strobe_options_default();
    o.layout = ZW_STROBE_ROW;
    r = report_of(&s, 5, quarters, o);
    assert_true(r.unseen == 2 && r.follows);
    for (int i = 0; i < ROWS; i++)
        zw_table_set(s.motion, i, 0, INFINITY);
    assert_int_equal(try(&s, 5, quarters, zw_strobe_options_default(), "nothing to be seen"),
                     ZW_E_MODEL);
    end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strobe__layouts_are_chosen),
        cmocka_unit_test(test_strobe__layouts_as_said),
        cmocka_unit_test(test_strobe__what_is_hidden_is_measured),
        cmocka_unit_test(test_strobe__older_is_paler),
        cmocka_unit_test(test_strobe__the_nearer_instant_hides_the_other),
        cmocka_unit_test(test_strobe__panels_go_along),
        cmocka_unit_test(test_strobe__labels_keep_apart),
        cmocka_unit_test(test_strobe__crowded_times_stand_below),
        cmocka_unit_test(test_strobe__times_have_the_digits_they_need),
        cmocka_unit_test(test_strobe__every_kind_of_file),
        cmocka_unit_test(test_strobe__mistakes_are_told),
        cmocka_unit_test(test_strobe__what_is_not_finite_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
