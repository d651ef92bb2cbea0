/* SPDX-License-Identifier: MIT */
/* Logarithmic axes, panels, views of space, points, ranges and legends, judged by the pixels of the
 * first curve's colour and by what the SVG holds. */
#include "support/test.h"

#include <cairo.h>
#include <fontconfig/fontconfig.h>

#include "support/files.h"
#include "zwang/plot.h"

/* ---- pixels ---- */

typedef struct image {
    cairo_surface_t *surface;
    int w, h, stride;
    const unsigned char *data;
} image;

static image read_image(const char *name) {
    image m = {.surface = cairo_image_surface_create_from_png(in_folder(name))};
    assert_int_equal(cairo_surface_status(m.surface), CAIRO_STATUS_SUCCESS);
    m.w = cairo_image_surface_get_width(m.surface);
    m.h = cairo_image_surface_get_height(m.surface);
    m.stride = cairo_image_surface_get_stride(m.surface);
    m.data = cairo_image_surface_get_data(m.surface);
    return m;
}

static uint32_t pixel(const image *m, int x, int y) {
    uint32_t p;
    memcpy(&p, m->data + y * m->stride + 4 * x, sizeof p);
    return p & 0xffffff;
}

enum { BLUE = 0x0072b2 };

/* the box around all pixels of the first curve */
typedef struct extent {
    int left, right, top, bottom;
    long n;
} extent;

static extent blue_extent(const image *m) {
    extent e = {m->w, 0, m->h, 0, 0};
    for (int y = 0; y < m->h; y++)
        for (int x = 0; x < m->w; x++) {
            if (pixel(m, x, y) != BLUE)
                continue;
            e.left = x < e.left ? x : e.left;
            e.right = x > e.right ? x : e.right;
            e.top = y < e.top ? y : e.top;
            e.bottom = y > e.bottom ? y : e.bottom;
            e.n++;
        }
    return e;
}

/* the mean height of blue in a column of pixels, NAN if there is none */
static double blue_at(const image *m, int x) {
    double sum = 0;
    long n = 0;
    for (int y = 0; y < m->h; y++)
        if (pixel(m, x, y) == BLUE) {
            sum += y;
            n++;
        }
    return n ? sum / (double)n : NAN;
}

/* ---- tables ---- */

static zw_table *table(int columns, const char *const *names) {
    zw_table *t = zw_table_create(NULL);
    for (int i = 0; i < columns; i++)
        zw_table_column(t, names[i], "m");
    return t;
}

static zw_plot_report draw(const zw_picture *p, const char *name) {
    zw_error err = {0};
    zw_plot_report report;
    if (zw_plot(p, in_folder(name), &report, &err) != ZW_OK) {
        print_error("%s\n", err.text);
        fail();
    }
    return report;
}

static zw_picture picture_of(int n, const zw_panel *panel) {
    zw_picture p = zw_picture_default();
    p.n = n;
    p.panel = panel;
    return p;
}

/* ---- logarithmic axes ---- */

/* y = x^2 is a straight line on two logarithmic axes; it is not on one */
static void test_panel__power_law_is_straight(void **state) {
    (void)state;
    zw_table *t = table(2, (const char *[]){"x", "y"});
    for (int i = 0; i <= 200; i++) {
        double x = pow(10, -2 + i / 50.0);
        zw_table_row(t, (double[]){x, x * x});
    }
    zw_curve c = {.table = t, .x = 0, .y = 1};
    for (int both = 0; both <= 1; both++) {
        zw_panel panel = zw_panel_default();
        panel.n = 1;
        panel.curve = &c;
        panel.log[0] = both;
        panel.log[1] = true;
        zw_picture p = picture_of(1, &panel);
        zw_plot_report report = draw(&p, "power.png");
        assert_int_equal(report.nonpositive, 0);
        image m = read_image("power.png");
        extent e = blue_extent(&m);
        /* the ticks at the left edge lie over the curve */
        int from = e.left + 20, to = e.right - 20;
        double worst = 0, left = blue_at(&m, from), right = blue_at(&m, to);
        for (int x = from; x <= to; x++) {
            double s = (double)(x - from) / (to - from), y = blue_at(&m, x);
            if (!isnan(y))
                worst = fmax(worst, fabs(y - (left + s * (right - left))));
        }
        if (both)
            assert_true(worst < 2);
        else
            assert_true(worst > 100);
        cairo_surface_destroy(m.surface);
    }
    zw_table_destroy(t);
}

static void test_panel__log_counts_what_it_cannot_show(void **state) {
    (void)state;
    zw_table *t = table(2, (const char *[]){"x", "y"});
    const double y[] = {1, -1, 0, 10, NAN, 1e3, -INFINITY, 5};
    for (int i = 0; i < 8; i++)
        zw_table_row(t, (double[]){i, y[i]});
    zw_curve c = {.table = t, .x = 0, .y = 1};
    zw_panel panel = zw_panel_default();
    panel.n = 1;
    panel.curve = &c;
    panel.log[1] = true;
    zw_picture p = picture_of(1, &panel);
    zw_plot_report report = draw(&p, "log.svg");
    assert_int_equal(report.nonpositive, 2);
    assert_int_equal(report.nonfinite, 2);
    panel.log[0] = true; /* and x = 0 of the first point */
    report = draw(&p, "log.svg");
    assert_int_equal(report.nonpositive, 3);
    zw_table_destroy(t);
}

/* ---- styles, marks ---- */

static long count(const image *m, uint32_t colour, int from, int to) {
    long n = 0;
    for (int y = 0; y < m->h; y++)
        for (int x = from; x < to; x++)
            n += pixel(m, x, y) == colour;
    return n;
}

static image draw_panel(const zw_panel *panel, const char *name) {
    zw_picture p = picture_of(1, panel);
    draw(&p, name);
    return read_image(name);
}

/* a level line whose right half is dashed 3 : 2 */
static void test_panel__dashed_where_a_column_is_zero(void **state) {
    (void)state;
    zw_table *t = table(3, (const char *[]){"x", "y", "stable"});
    for (int i = 0; i <= 100; i++)
        zw_table_row(t, (double[]){i, 1, i < 50});
    zw_curve c[2] = {{.table = t, .x = 0, .y = 1, .solid = 3}, {.table = t, .x = 0, .y = 0}};
    zw_panel panel = zw_panel_default();
    panel.n = 1;
    panel.curve = c;
    image m = draw_panel(&panel, "parts.png");
    extent e = blue_extent(&m);
    int middle = (e.left + e.right) / 2;
    double solid = (double)count(&m, BLUE, e.left, middle),
           dashed = (double)count(&m, BLUE, middle, e.right);
    assert_true(fabs(dashed / solid - 3.0 / 5) < 0.05);
    cairo_surface_destroy(m.surface);
    /* dots: the middle of a hollow one is white */
    zw_table *few = table(3, (const char *[]){"x", "y", "stable"});
    zw_table_row(few, (double[]){0, 1, 1});
    zw_table_row(few, (double[]){1, 1, 0});
    zw_curve dots = {.table = few, .x = 0, .y = 1, .solid = 3};
    panel.curve = &dots;
    panel.is_points = true;
    m = draw_panel(&panel, "hollow.png");
    e = blue_extent(&m);
    int height = (e.top + e.bottom) / 2, radius = (e.bottom - e.top) / 2;
    assert_int_equal(pixel(&m, e.left + radius, height), BLUE);
    assert_int_equal(pixel(&m, e.right - radius, height), 0xffffff);
    cairo_surface_destroy(m.surface);
    zw_table_destroy(few);
    panel.curve = c;
    panel.is_points = false;
    c[0].solid = 4;
    zw_error err = {0};
    zw_picture p = picture_of(1, &panel);
    assert_int_equal(zw_plot(&p, in_folder("no.png"), NULL, &err), ZW_E_NAME);
    zw_table_destroy(t);
}

/* a curve that is like another one has its colour, and where both are one line nothing is drawn
 * twice */
static void test_panel__alike_curves(void **state) {
    (void)state;
    zw_table *t = table(3, (const char *[]){"x", "y", "z"});
    for (int i = 0; i <= 100; i++)
        zw_table_row(t, (double[]){i, i, i < 50 ? i : 100 - i});
    zw_curve c[3] = {{.table = t, .x = 0, .y = 1, .label = "both"},
                     {.table = t, .x = 0, .y = 2, .like = 1},
                     {.table = t, .x = 0, .y = 1, .style = 1}};
    zw_panel panel = zw_panel_default();
    panel.n = 2;
    panel.curve = c;
    image m = draw_panel(&panel, "alike.png");
    extent e = blue_extent(&m);
    assert_true(e.n > 1000);
    assert_int_equal(count(&m, 0xd55e00, 0, m.w), 0); /* the second colour */
    cairo_surface_destroy(m.surface);
    zw_picture p = picture_of(1, &panel);
    c[1].like = 2; /* itself */
    assert_int_equal(zw_plot(&p, in_folder("no.png"), NULL, NULL), ZW_E_OPTION);
    zw_table_destroy(t);
}

/* a filled disc has black where nothing else has; outside of the frame there is none */
static void test_panel__marks_and_zero_lines(void **state) {
    (void)state;
    zw_table *t = table(2, (const char *[]){"x", "y"});
    for (int i = 0; i <= 10; i++)
        zw_table_row(t, (double[]){i - 5, i - 5});
    zw_curve c = {.table = t, .x = 0, .y = 1};
    zw_mark mark[2] = {{.x = 2, .y = -3, .shape = ZW_MARK_DISC, .label = "\"here\"", .text = "2"},
                       {.x = 20, .y = -3, .shape = ZW_MARK_SQUARE, .label = "\"there\""}};
    zw_panel panel = zw_panel_default();
    panel.n = 1;
    panel.curve = &c;
    image m = draw_panel(&panel, "plain.png");
    long black = count(&m, 0, 0, m.w), grey = count(&m, 0x8c8c8c, 0, m.w);
    cairo_surface_destroy(m.surface);
    panel.nmark = 2;
    panel.mark = mark;
    panel.zero[0] = panel.zero[1] = true;
    m = draw_panel(&panel, "marked.png");
    /* the disc of 2.2 points radius, here and in the legend: 2 pi 2.2^2 of (300/72)^2 pixels */
    assert_true(count(&m, 0, 0, m.w) - black > 400);
    assert_true(count(&m, 0x8c8c8c, 0, m.w) > grey + 500);
    cairo_surface_destroy(m.surface);
    zw_table_destroy(t);
}

/* ---- views of space ---- */

/* from above, y up: the plane as it is. From the front: x and z. From azimuth 0: y and z. */
static void test_panel__views_along_the_axes(void **state) {
    (void)state;
    zw_table *t = table(3, (const char *[]){"x", "y", "z"});
    for (int i = 0; i <= 720; i++) {
        double a = i * acos(-1) / 360; /* extents 6 : 4 : 2 */
        zw_table_row(t, (double[]){3 * cos(a), 2 * sin(a), sin(3 * a)});
    }
    zw_curve c = {.table = t, .x = 0, .y = 1, .z = 2};
    zw_panel panel = zw_panel_default();
    panel.n = 1;
    panel.curve = &c;
    panel.is_space = true;
    panel.scale = ZW_SCALE_EQUAL;
    zw_picture p = picture_of(1, &panel);
    const double view[3][3] = {{-90, 90, 4 / 6.0}, {-90, 0, 2 / 6.0}, {0, 0, 2 / 4.0}};
    for (int i = 0; i < 3; i++) {
        p.azimuth = view[i][0];
        p.elevation = view[i][1];
        draw(&p, "space.png");
        image m = read_image("space.png");
        extent e = blue_extent(&m);
        /* the line is 4.6 pixels wide: both extents are larger by that much */
        double ratio = (double)(e.bottom - e.top - 4) / (e.right - e.left - 4);
        assert_true(e.right - e.left > 300);
        assert_true(fabs(ratio - view[i][2]) < 0.01);
        cairo_surface_destroy(m.surface);
    }
    zw_table_destroy(t);
}

/* A straight line stays straight, and its ends are where the projection says: the run of (1, 1, 1)
 * from the origin is (r . d, w . d) on paper. */
static void test_panel__oblique_view_projects(void **state) {
    (void)state;
    zw_table *t = table(3, (const char *[]){"x", "y", "z"});
    zw_table_row(t, (double[]){0, 0, 0});
    zw_table_row(t, (double[]){1, 1, 1});
    zw_curve c = {.table = t, .x = 0, .y = 1, .z = 2};
    zw_panel panel = zw_panel_default();
    panel.n = 1;
    panel.curve = &c;
    panel.is_space = true;
    panel.scale = ZW_SCALE_EQUAL;
    zw_picture p = picture_of(1, &panel);
    test_random r = {71};
    for (int trial = 0; trial < 12; trial++) {
        p.azimuth = test_random_real(&r, -180, 180);
        p.elevation = test_random_real(&r, 0, 50);
        double a = p.azimuth * acos(-1) / 180, e = p.elevation * acos(-1) / 180;
        double right = cos(a) - sin(a), up = cos(e) - sin(e) * (cos(a) + sin(a));
        draw(&p, "oblique.png");
        image m = read_image("oblique.png");
        extent b = blue_extent(&m);
        double wide = b.right - b.left - 3, high = b.bottom - b.top - 3;
        if (fabs(right) > 0.2 && fabs(up) > 0.2) {
            assert_true(fabs(high / wide - fabs(up / right)) < 0.05 * (1 + fabs(up / right)));
            double first = blue_at(&m, b.left + 3), last = blue_at(&m, b.right - 3);
            assert_true((last < first) == (up * right > 0)); /* y of the image goes down */
        }
        cairo_surface_destroy(m.surface);
    }
    zw_table_destroy(t);
}

/* pixels of a tint of blue: more blue than red */
static long tinted(const image *m) {
    long n = 0;
    for (int y = 0; y < m->h; y++)
        for (int x = 0; x < m->w; x++) {
            uint32_t p = pixel(m, x, y);
            n += (int)(p & 0xff) - (int)(p >> 16) > 40;
        }
    return n;
}

/* a square net from above fills a square; without its middle node, four of its sixteen meshes are
 * missing */
static void test_mesh__is_filled_but_for_its_holes(void **state) {
    (void)state;
    long n[2];
    for (int hole = 0; hole < 2; hole++) {
        zw_table *t = table(3, (const char *[]){"x", "y", "z"});
        for (int i = 0; i < 25; i++) {
            int row = i / 5;
            zw_table_row(t, (double[]){i % 5, row, hole && i == 12 ? NAN : 0.1 * (i % 2)});
        }
        zw_curve c = {.table = t, .x = 0, .y = 1, .z = 2, .mesh = 5, .gaps = true};
        zw_panel panel = zw_panel_default();
        panel.n = 1;
        panel.curve = &c;
        panel.is_space = true;
        panel.scale = ZW_SCALE_EQUAL;
        zw_picture p = picture_of(1, &panel);
        p.azimuth = -90;
        p.elevation = 90;
        draw(&p, "mesh.png");
        image m = read_image("mesh.png");
        n[hole] = tinted(&m);
        cairo_surface_destroy(m.surface);
        panel.is_space = false;
        zw_error err = {0};
        assert_int_equal(zw_plot(&p, in_folder("mesh.png"), NULL, &err), ZW_E_OPTION);
        assert_non_null(strstr(err.text, "surface 1"));
        zw_table_destroy(t);
    }
    assert_true(n[0] > 50000);
    assert_true(fabs((double)n[1] / (double)n[0] - 0.75) < 0.02);
}

/* of a curve with gaps each part has a head, of one without there is one in all */
static void test_heads__every_part_has_one(void **state) {
    (void)state;
    long n[3];
    for (int k = 0; k < 3; k++) {
        zw_table *t = table(2, (const char *[]){"x", "y"});
        for (int i = 0; i < 30; i++) {
            int row = i / 10;
            zw_table_row(t, (double[]){i % 10 == 9 ? (double)NAN : i % 10, row});
        }
        zw_curve c = {.table = t, .x = 0, .y = 1, .arrow = k > 0, .gaps = k == 2};
        zw_panel panel = zw_panel_default();
        panel.n = 1;
        panel.curve = &c;
        zw_picture p = picture_of(1, &panel);
        if (k == 2)
            draw(&p, "heads.png");
        else
            assert_int_equal(zw_plot(&p, in_folder("heads.png"), NULL, NULL), ZW_OK);
        image m = read_image("heads.png");
        n[k] = blue_extent(&m).n;
        cairo_surface_destroy(m.surface);
        zw_table_destroy(t);
    }
    assert_true(n[1] > n[0] + 20);
    assert_true(fabs((double)(n[2] - n[0]) / (double)(n[1] - n[0]) - 3) < 0.4);
}

/* ---- panels ---- */

/* Two panels over one x: its numbers stand once. Over different x: twice. Counted as glyphs
 * used. */
static void test_panel__shared_axis_is_numbered_once(void **state) {
    (void)state;
    zw_table *t = table(4, (const char *[]){"t", "s", "x", "y"});
    for (int i = 0; i <= 100; i++)
        zw_table_row(t, (double[]){i, i, sin(i / 10.0), cos(i / 10.0)});
    zw_curve one[] = {{.table = t, .x = 0, .y = 2}}, same[] = {{.table = t, .x = 0, .y = 3}};
    zw_curve other[] = {{.table = t, .x = 1, .y = 3}};
    zw_panel panel[2] = {zw_panel_default(), zw_panel_default()};
    int glyphs[2];
    panel[0].n = panel[1].n = 1;
    panel[0].curve = one;
    for (int i = 0; i < 2; i++) {
        panel[1].curve = i == 0 ? same : other;
        zw_picture p = picture_of(2, panel);
        draw(&p, "two.svg");
        char *svg = read_whole(in_folder("two.svg"), NULL);
        glyphs[i] = count_in(svg, "<use xlink:href");
        free(svg);
    }
    /* 0 20 40 60 80 100 and the label "s [m]" */
    assert_true(glyphs[1] - glyphs[0] >= 12);
    zw_table_destroy(t);
}

/* frames of a column begin at the same x although one has wider numbers */
static void test_panel__frames_are_aligned(void **state) {
    (void)state;
    zw_table *t = table(3, (const char *[]){"t", "x", "y"});
    for (int i = 0; i <= 10; i++)
        zw_table_row(t, (double[]){i, 1, 1234.5 + i});
    zw_curve a = {.table = t, .x = 0, .y = 1}, b = {.table = t, .x = 0, .y = 2};
    zw_panel panel[2] = {zw_panel_default(), zw_panel_default()};
    panel[0].n = panel[1].n = 1;
    panel[0].curve = &a;
    panel[1].curve = &b;
    zw_picture p = picture_of(2, panel);
    draw(&p, "aligned.png");
    image m = read_image("aligned.png");
    /* black columns of a frame's height: the left and right edges, the same in both halves */
    int edges = 0;
    for (int x = 0; x < m.w; x++) {
        int black[2] = {0, 0};
        for (int y = 0; y < m.h; y++)
            black[y > m.h / 2] += (pixel(&m, x, y) & 0xff) < 128;
        edges += black[0] > m.h / 4 && black[1] > m.h / 4;
    }
    assert_true(edges >= 2 && edges <= 6);
    cairo_surface_destroy(m.surface);
    zw_table_destroy(t);
}

/* ---- ranges ---- */

/* the range cuts, and y follows what is left; far points leave in the right direction */
static void test_panel__span_cuts_and_the_other_axis_follows(void **state) {
    (void)state;
    zw_table *t = table(2, (const char *[]){"x", "y"});
    zw_table_row(t, (double[]){-1e300, -1e300});
    for (int i = 0; i <= 100; i++)
        zw_table_row(t, (double[]){i, i});
    zw_table_row(t, (double[]){1e300, 1e300});
    zw_curve c = {.table = t, .x = 0, .y = 1};
    zw_panel panel = zw_panel_default();
    panel.n = 1;
    panel.curve = &c;
    panel.span[0] = (zw_span){20, 60};
    zw_picture p = picture_of(1, &panel);
    draw(&p, "span.png");
    image m = read_image("span.png");
    extent e = blue_extent(&m);
    /* y = x fills the frame from corner to corner but for the padding of y */
    assert_true(e.right - e.left > m.w * 0.8);
    assert_true(e.bottom - e.top > m.h * 0.7);
    assert_true(blue_at(&m, e.left + 5) > blue_at(&m, e.right - 5));
    cairo_surface_destroy(m.surface);
    panel.span[0] = (zw_span){200, 300};
    zw_error err = {0};
    assert_int_equal(zw_plot(&p, in_folder("span.svg"), NULL, &err), ZW_E_OPTION);
    assert_non_null(strstr(err.text, "range"));
    zw_table_destroy(t);
}

/* equal axes with both ranges given: the frame becomes a square, from corner to corner of the
 * line */
static void test_panel__equal_axes_keep_given_ranges(void **state) {
    (void)state;
    zw_table *t = table(2, (const char *[]){"x", "y"});
    zw_table_row(t, (double[]){-1, -1});
    zw_table_row(t, (double[]){2, 2});
    zw_curve c = {.table = t, .x = 0, .y = 1};
    zw_panel panel = zw_panel_default();
    panel.n = 1;
    panel.curve = &c;
    panel.scale = ZW_SCALE_EQUAL;
    panel.span[0] = panel.span[1] = (zw_span){-1, 2};
    zw_picture p = picture_of(1, &panel);
    draw(&p, "square.png");
    image m = read_image("square.png");
    extent e = blue_extent(&m);
    int edge = 0; /* the right edge of the frame */
    for (int x = 0; x < m.w; x++)
        if (pixel(&m, x, (e.top + e.bottom) / 2 + 40) == 0)
            edge = x;
    assert_true(abs((e.right - e.left) - (e.bottom - e.top)) <= 2);
    assert_true(abs(edge - e.right) <= 4);
    cairo_surface_destroy(m.surface);
    zw_table_destroy(t);
}

/* ---- legends ---- */

/* With a legend every pixel of the curves is as without, wherever two long straight lines run:
 * nothing is hidden, neither points nor the lines between them. */
static void test_panel__legend_hides_nothing(void **state) {
    (void)state;
    test_random r = {81};
    for (int trial = 0; trial < 10; trial++) {
        zw_table *t = table(3, (const char *[]){"x", "y", "z"});
        for (int i = 0; i < 4; i++)
            zw_table_row(t, (double[]){i == 0   ? 0
                                       : i == 3 ? 10
                                                : test_random_real(&r, 1, 9),
                                       test_random_real(&r, -1, 1), test_random_real(&r, -1, 1)});
        zw_curve c[] = {{.table = t, .x = 0, .y = 1}, {.table = t, .x = 0, .y = 2}};
        zw_panel panel = zw_panel_default();
        panel.n = 2;
        panel.curve = c;
        panel.grid = trial % 2; /* the legend then has a white ground */
        zw_picture p = picture_of(1, &panel);
        draw(&p, "bare.png");
        c[0].label = "alpha";
        c[1].label = "beta";
        draw(&p, "told.png");
        image bare = read_image("bare.png"), told = read_image("told.png");
        extent a = blue_extent(&bare), b = blue_extent(&told);
        if (a.bottom == b.bottom && a.top == b.top) { /* inside: the frame is the same */
            for (int y = 0; y < bare.h; y++)
                for (int x = 0; x < bare.w; x++)
                    if (pixel(&bare, x, y) == BLUE)
                        assert_int_equal(pixel(&told, x, y), BLUE);
            assert_true(b.n > a.n); /* the sample in the legend */
        } else {
            assert_true(b.top < a.top); /* above the frame */
        }
        cairo_surface_destroy(bare.surface);
        cairo_surface_destroy(told.surface);
        zw_table_destroy(t);
    }
}

/* ---- points and large curves ---- */

static void test_panel__points_are_dots(void **state) {
    (void)state;
    zw_table *t = table(2, (const char *[]){"x", "y"});
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 5; k++)
            zw_table_row(t, (double[]){i, k});
    zw_curve c = {.table = t, .x = 0, .y = 1};
    zw_panel panel = zw_panel_default();
    panel.n = 1;
    panel.curve = &c;
    panel.is_points = true;
    zw_picture p = picture_of(1, &panel);
    draw(&p, "points.png");
    image m = read_image("points.png");
    extent e = blue_extent(&m);
    /* 25 dots of 1.9 points, 7.9 pixels: 49 pixels each, less their soft edges */
    assert_true(e.n > 25 * 25 && e.n < 25 * 60);
    assert_true(e.right - e.left > m.w * 0.7);
    cairo_surface_destroy(m.surface);
    zw_table_destroy(t);
}

/* a million points, whatever they are, make less than a megabyte */
static void test_panel__files_stay_small(void **state) {
    (void)state;
    test_random r = {91};
    zw_table *t = table(4, (const char *[]){"t", "a", "b", "c"});
    double a = 0.1, b = 0, c = 20;
    for (long i = 0; i < 200000; i++) { /* Lorenz' strange attractor, and noise */
        double h = 0.01;
        double da = 10 * (b - a), db = a * (28 - c) - b, dc = a * b - 8 / 3.0 * c;
        a += h * da;
        b += h * db;
        c += h * dc;
        zw_table_row(t, (double[]){(double)i, a, c, test_random_real(&r, -1, 1)});
    }
    zw_curve orbit = {.table = t, .x = 1, .y = 2},
             noise[] = {{.table = t, .x = 0, .y = 3, .label = "1"},
                        {.table = t, .x = 0, .y = 1, .label = "2"}};
    zw_curve cloud = {.table = t, .x = 3, .y = 1};
    zw_panel panel[3] = {zw_panel_default(), zw_panel_default(), zw_panel_default()};
    panel[0].n = panel[2].n = 1;
    panel[1].n = 2;
    panel[0].curve = &orbit;
    panel[1].curve = noise;
    panel[2].curve = &cloud;
    panel[2].is_points = true;
    for (int i = 0; i < 3; i++) {
        zw_picture p = picture_of(1, &panel[i]);
        size_t n;
        draw(&p, "large.svg");
        free(read_whole(in_folder("large.svg"), &n));
        assert_true(n > 20000 && n < 1000000);
    }
    zw_picture all = picture_of(3, panel);
    size_t n;
    draw(&all, "large.svg");
    free(read_whole(in_folder("large.svg"), &n));
    assert_true(n < 1000000);
    zw_table_destroy(t);
}

/* ---- refusals ---- */

static void refuse(const zw_picture *p, const char *why) {
    zw_error err = {0};
    assert_true(zw_plot(p, in_folder("no.svg"), NULL, &err) < 0);
    if (!strstr(err.text, why))
        fail_msg("no '%s' in: %s", why, err.text);
    assert_int_not_equal(access(in_folder("no.svg"), F_OK), 0);
}

static void test_panel__refusals(void **state) {
    (void)state;
    zw_table *t = table(2, (const char *[]){"x", "y"});
    for (int i = 0; i < 3; i++)
        zw_table_row(t, (double[]){i, -i});
    zw_curve c = {.table = t, .x = 0, .y = 1, .z = 7};
    zw_panel panel = zw_panel_default(), panels[40];
    panel.n = 1;
    panel.curve = &c;
    zw_picture p = picture_of(1, &panel);
    panel.log[1] = true;
    refuse(&p, "no value is positive");
    panel.log[1] = false;
    panel.is_space = true;
    refuse(&p, "column");
    panel.is_space = false;
    panel.span[0] = (zw_span){1, 1};
    refuse(&p, "range");
    panel.span[0] = (zw_span){NAN, NAN};
    p.elevation = 91;
    refuse(&p, "elevation");
    p.elevation = 10;
    p.columns = 2;
    refuse(&p, "columns");
    p.columns = 0;
    for (int i = 0; i < 40; i++)
        panels[i] = panel;
    p.panel = panels;
    p.n = 40;
    refuse(&p, "panels");
    p.n = 30;
    p.height = 60;
    refuse(&p, "too small");
    zw_table_destroy(t);
}

/* The same numbers on the left and, a thousand times as large, on the right fill the frame alike;
 * each has its own scale, and a side without a value that can be shown is refused. */
static void test_right__has_a_scale_of_its_own(void **state) {
    (void)state;
    static const char *const names[] = {"t", "x", "f"};
    zw_table *t = table(3, names);
    for (int i = 0; i <= 100; i++)
        zw_table_row(t, (double[]){i, i * 0.01, 1e3 * (100 - i)});
    const zw_curve both[] = {{.table = t, .x = 0, .y = 1, .label = "x"},
                             {.table = t, .x = 0, .y = 2, .label = "f", .right = true}};
    zw_panel b = zw_panel_default();
    b.n = 2;
    b.curve = both;
    zw_picture p = picture_of(1, &b);
    draw(&p, "both.png");
    image m = read_image("both.png");
    /* from 30 to 70 % of the width the left curve rises by a third of the picture: beside 1e5 it
     * would be flat */
    assert_true(blue_at(&m, m.w * 3 / 10) - blue_at(&m, m.w * 7 / 10) > m.h / 3.0);
    cairo_surface_destroy(m.surface);

    zw_error err = {0};
    b.log[2] = true;
    b.span[2] = (zw_span){NAN, NAN};
    zw_plot_report report = draw(&p, "log.png");
    assert_int_equal(report.nonpositive, 1); /* f ends at 0 */
    b.span[2] = (zw_span){1e7, 1e8};
    assert_int_equal(zw_plot(&p, in_folder("none.png"), NULL, &err), ZW_E_OPTION);
    assert_non_null(strstr(err.text, "on the right"));
    b = zw_panel_default();
    b.n = 2;
    b.curve = both;
    b.scale = ZW_SCALE_EQUAL;
    assert_int_equal(zw_plot(&p, in_folder("none.png"), NULL, NULL), ZW_E_OPTION);
    b.scale = ZW_SCALE_FREE;
    b.is_space = true;
    assert_int_equal(zw_plot(&p, in_folder("none.png"), NULL, NULL), ZW_E_OPTION);
    b.is_space = false;
    b.curve = &both[1];
    b.n = 1;
    assert_int_equal(zw_plot(&p, in_folder("none.png"), NULL, NULL), ZW_E_OPTION);
    zw_table_destroy(t);
}

/* What is small beside a large offset is not flat: a ramp of 2e-14 of the size, a time of 1e15 and
 * a few */
static void test_panel__small_changes_of_large_values(void **state) {
    (void)state;
    static const char *const names[] = {"t", "x"};
    zw_table *t = table(2, names);
    for (int i = 0; i <= 100; i++)
        zw_table_row(t, (double[]){1e15 + i, 1 + 2e-16 * i});
    zw_curve c = {.table = t, .x = 0, .y = 1};
    zw_panel a = zw_panel_default();
    a.n = 1;
    a.curve = &c;
    zw_picture p = picture_of(1, &a);
    draw(&p, "offset.png");
    image m = read_image("offset.png");
    extent e = blue_extent(&m);
    assert_true(e.right - e.left > m.w / 2);
    assert_true(e.bottom - e.top > m.h / 2);
    cairo_surface_destroy(m.surface);
    zw_table_destroy(t);
}

/* As commands for LaTeX: the dots of a legend are not tied to the words before them, colours and
 * numbers are there, and nothing of a name is obeyed. */
static void test_panel__commands_for_latex(void **state) {
    (void)state;
    static const char *const names[] = {"t", "x%\\evil", "y"};
    zw_table *t = table(3, names);
    for (int i = 0; i <= 100; i++)
        zw_table_row(t, (double[]){i, i, 100 - i});
    zw_curve c[] = {{.table = t, .x = 0, .y = 1, .label = "\\evil{a}"},
                    {.table = t, .x = 0, .y = 2, .label = "b_1'"}};
    zw_panel a = zw_panel_default();
    a.n = 2;
    a.curve = c;
    a.is_points = true;
    zw_picture p = picture_of(1, &a);
    zw_bytes bytes;
    assert_int_equal(zw_plot_bytes(&p, ZW_PLOT_TEX, &bytes, NULL, NULL), ZW_OK);
    const char *text = bytes.data;
    for (const char *line = text; (line = strstr(line, "\\zwl")); line++)
        assert_true(strncmp(line + strcspn(line, "\n"), "\n\\pgfpathcurveto", 16) != 0);
    assert_null(strstr(text, "\\evil"));
    assert_non_null(strstr(text, "$\\dot{{b}}_{{1}}$"));
    assert_non_null(strstr(text, "{rgb}{0.000,0.447,0.698}"));
    assert_non_null(strstr(text, "\\zwf{8}${100}$"));
    zw_bytes_clear(&bytes);
    p.font = "DejaVu Sans";
    assert_int_equal(zw_plot_bytes(&p, ZW_PLOT_TEX, &bytes, NULL, NULL), ZW_E_OPTION);
    zw_table_destroy(t);
}

/* Above a narrow frame, what the numbers of two axes have in common begins at the margins, else at
 * the frame */
static void test_right__corners_do_not_meet(void **state) {
    (void)state;
    static const char *const names[] = {"t", "E", "F"};
    zw_table *t = table(3, names);
    for (int i = 0; i <= 100; i++)
        zw_table_row(t, (double[]){i, 1.2345678 + 1e-9 * sin(i), 3e7 * cos(i)});
    zw_curve c[] = {{.table = t, .x = 0, .y = 1}, {.table = t, .x = 0, .y = 2, .right = true}};
    zw_panel a = zw_panel_default();
    a.n = 2;
    a.curve = c;
    for (int narrow = 0; narrow < 2; narrow++) {
        zw_picture p = picture_of(1, &a);
        p.width = narrow ? 45 : 120;
        p.height = 60;
        zw_bytes bytes;
        assert_int_equal(zw_plot_bytes(&p, ZW_PLOT_TEX, &bytes, NULL, NULL), ZW_OK);
        const char *corner = strstr(bytes.data, "1.2345678");
        assert_non_null(corner);
        while (strncmp(corner, "\\pgftext", 8) != 0)
            corner--;
        double x = strtod(strstr(corner, "x=") + 2, NULL);
        assert_true(narrow ? x == 5 : x > 20);
        zw_bytes_clear(&bytes);
    }
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
        cmocka_unit_test(test_panel__power_law_is_straight),
        cmocka_unit_test(test_panel__log_counts_what_it_cannot_show),
        cmocka_unit_test(test_panel__dashed_where_a_column_is_zero),
        cmocka_unit_test(test_panel__alike_curves),
        cmocka_unit_test(test_panel__marks_and_zero_lines),
        cmocka_unit_test(test_panel__views_along_the_axes),
        cmocka_unit_test(test_panel__oblique_view_projects),
        cmocka_unit_test(test_panel__shared_axis_is_numbered_once),
        cmocka_unit_test(test_panel__frames_are_aligned),
        cmocka_unit_test(test_panel__span_cuts_and_the_other_axis_follows),
        cmocka_unit_test(test_panel__equal_axes_keep_given_ranges),
        cmocka_unit_test(test_panel__legend_hides_nothing),
        cmocka_unit_test(test_panel__points_are_dots),
        cmocka_unit_test(test_panel__files_stay_small),
        cmocka_unit_test(test_panel__refusals),
        cmocka_unit_test(test_panel__commands_for_latex),
        cmocka_unit_test(test_panel__small_changes_of_large_values),
        cmocka_unit_test(test_mesh__is_filled_but_for_its_holes),
        cmocka_unit_test(test_heads__every_part_has_one),
        cmocka_unit_test(test_right__has_a_scale_of_its_own),
        cmocka_unit_test(test_right__corners_do_not_meet),
    };
    return cmocka_run_group_tests(tests, make_folder, tidy_up);
}
