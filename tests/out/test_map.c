/* SPDX-License-Identifier: MIT */
/* Maps, dots by the million and bands, judged by the pixels of the picture; scales of colours by
 * CIELAB, which they were not made with. */
#include "support/test.h"

#include <cairo.h>
#include <fontconfig/fontconfig.h>

#include "out/plots/colours.h"
#include "out/plots/grid.h"
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

static uint32_t as_pixel(zw_out_rgb c) {
    return (uint32_t)lround(255 * c.r) << 16 | (uint32_t)lround(255 * c.g) << 8 |
           (uint32_t)lround(255 * c.b);
}

/* pixels of a colour, and where their middle is */
typedef struct patch {
    long n;
    double x, y;
    int left, right, top, bottom;
} patch;

static patch find(const image *m, uint32_t colour) {
    patch p = {.left = m->w, .top = m->h};
    for (int y = 0; y < m->h; y++)
        for (int x = 0; x < m->w; x++)
            if (pixel(m, x, y) == colour) {
                p.n++;
                p.x += x;
                p.y += y;
                p.left = x < p.left ? x : p.left;
                p.right = x > p.right ? x : p.right;
                p.top = y < p.top ? y : p.top;
                p.bottom = y > p.bottom ? y : p.bottom;
            }
    p.x /= (double)(p.n ? p.n : 1);
    p.y /= (double)(p.n ? p.n : 1);
    return p;
}

/* ---- tables ---- */

static zw_table *table_of(int n, const char *const *name) {
    zw_table *t = zw_table_create(NULL);
    for (int i = 0; i < n; i++)
        zw_table_column(t, name[i], "");
    return t;
}

static zw_table *xyz(void) {
    return table_of(3, (const char *[]){"x", "y", "z"});
}

static zw_picture picture_of(int n, const zw_panel *panel) {
    zw_picture p = zw_picture_default();
    p.n = n;
    p.panel = panel;
    return p;
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

static zw_panel panel_of(const zw_curve *c, const zw_map *map) {
    zw_panel panel = zw_panel_default();
    panel.n = 1;
    panel.curve = c;
    panel.map = map;
    return panel;
}

static long size_of(const char *name) {
    struct stat s;
    assert_int_equal(stat(in_folder(name), &s), 0);
    return (long)s.st_size;
}

/* ---- colours ---- */

typedef struct lab {
    double L, a, b;
} lab;

static double linear(double v) {
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static double root(double t) {
    return t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116;
}

/* CIE 1976, white D65 */
static lab lab_of(zw_out_rgb c) {
    double r = linear(c.r), g = linear(c.g), b = linear(c.b);
    double x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047,
           y = 0.2126 * r + 0.7152 * g + 0.0722 * b,
           z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883;
    return (lab){116 * root(y) - 16, 500 * (root(x) - root(y)), 200 * (root(y) - root(z))};
}

static double distance(lab p, lab q) {
    return sqrt((p.L - q.L) * (p.L - q.L) + (p.a - q.a) * (p.a - q.a) + (p.b - q.b) * (p.b - q.b));
}

/* lightness only grows, and equal steps of the scale are about equal distances for the eye: CIELAB
 * itself is even up to a factor of about two */
static void test_colours__are_even(void **state) {
    (void)state;
    enum { STEP = 15 };
    zw_out_rgb c[ZW_OUT_SCALE];
    zw_out_even(c);
    double least = INFINITY, most = 0;
    for (int i = STEP; i < ZW_OUT_SCALE; i += STEP) {
        lab p = lab_of(c[i - STEP]), q = lab_of(c[i]);
        assert_true(q.L > p.L);
        least = fmin(least, distance(p, q));
        most = fmax(most, distance(p, q));
    }
    assert_true(most < 2.2 * least);
    assert_true(lab_of(c[0]).L < 20);
    assert_true(lab_of(c[ZW_OUT_SCALE - 1]).L > 90);
}

static void test_colours__about_zero(void **state) {
    (void)state;
    enum { MIDDLE = ZW_OUT_SCALE / 2 };
    zw_out_rgb c[ZW_OUT_SCALE];
    zw_out_diverging(c);
    lab white = lab_of(c[MIDDLE]);
    assert_true(white.L > 95 && hypot(white.a, white.b) < 1);
    for (int i = 1; i <= MIDDLE; i++) {
        lab below = lab_of(c[MIDDLE - i]), above = lab_of(c[MIDDLE + i]);
        assert_true(below.L < lab_of(c[MIDDLE - i + 1]).L);
        assert_true(above.L < lab_of(c[MIDDLE + i - 1]).L);
        assert_true(fabs(below.L - above.L) < 8); /* neither side weighs more */
        assert_true(below.b < 0 && above.a > 0);
    }
}

/* as one without the second kind of cones sees it: F. Vienot, H. Brettel, J. D. Mollon, Color Res.
 * Appl. 24 (1999) 243 */
static zw_out_rgb deuteranope(zw_out_rgb c) {
    double r = linear(c.r), g = linear(c.g), b = linear(c.b);
    double l = 17.8824 * r + 43.5161 * g + 4.11935 * b,
           s = 0.0299566 * r + 0.184309 * g + 1.46709 * b;
    double m = 0.494207 * l + 1.24827 * s;
    double out[3] = {0.0809444479 * l - 0.130504409 * m + 0.116721066 * s,
                     -0.0102485335 * l + 0.0540193266 * m - 0.113614708 * s,
                     -0.000365296938 * l - 0.00412161469 * m + 0.693511405 * s};
    for (int i = 0; i < 3; i++) {
        double v = fmax(0, fmin(out[i], 1));
        out[i] = v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
    }
    return (zw_out_rgb){out[0], out[1], out[2]};
}

static void test_colours__classes_can_be_told_apart(void **state) {
    (void)state;
    for (int i = -1; i <= 6; i++)
        for (int k = i + 1; k <= 6; k++) {
            zw_out_rgb a = zw_out_class(i), b = zw_out_class(k);
            assert_true(distance(lab_of(a), lab_of(b)) > 25);
            assert_true(distance(lab_of(deuteranope(a)), lab_of(deuteranope(b))) > 12);
        }
    for (int k = 1; k <= 21; k++) /* none comes again so soon */
        for (int i = k + 1; i <= 21; i++)
            assert_true(as_pixel(zw_out_class(i)) != as_pixel(zw_out_class(k)));
}

/* ---- grids ---- */

static void test_grid__rows_in_any_order(void **state) {
    (void)state;
    enum { NX = 7, NY = 5 };
    zw_table *t = xyz();
    zw_arena arena;
    zw_out_grid g;
    zw_error err = {0};
    zw_arena_init(&arena, NULL);
    for (int k = 0; k < NX * NY; k++) {
        int i = k * 11 % (NX * NY), row = i / NX; /* 11: prime to both */
        if (i == 17)
            continue;
        /* the same numbers up to rounding */
        double x = 0.1 * (i % NX) * (1 + 1e-15 * k), y = pow(10, row);
        zw_table_row(t, (double[]){x, y, i});
    }
    zw_table_row(t, (double[]){NAN, 1, 3}); /* is nowhere */
    assert_int_equal(zw_out_grid_find(&g, &arena, t, 0, 1, &err), ZW_OK);
    assert_int_equal(g.nx, NX);
    assert_int_equal(g.ny, NY);
    assert_int_equal(g.holes, 1);
    for (int i = 0; i < NX * NY; i++) {
        if (i == 17)
            assert_int_equal(g.row[i], -1);
        else
            assert_true(zw_table_at(t, g.row[i], 2) == i);
    }
    /* borders halfway, of logarithms where the axis has them */
    assert_true(fabs(zw_out_grid_border(g.x, NX, 1, false) - 0.05) < 1e-12);
    assert_true(fabs(zw_out_grid_border(g.x, NX, 0, false) + 0.05) < 1e-12);
    assert_true(fabs(zw_out_grid_border(g.y, NY, 2, true) - pow(10, 1.5)) < 1e-9);
    assert_true(fabs(zw_out_grid_border(g.y, NY, NY, true) - pow(10, 4.5)) < 1e-6);
    for (int i = 0; i < NX; i++)
        assert_int_equal(zw_out_grid_cell(g.x, NX, false, g.x[i] + 0.049), i);
    assert_int_equal(zw_out_grid_cell(g.x, NX, false, -0.06), -1);
    assert_int_equal(zw_out_grid_cell(g.x, NX, false, 0.66), -1);
    zw_arena_clear(&arena);
    zw_table_destroy(t);
}

static void test_grid__what_is_none(void **state) {
    (void)state;
    zw_arena arena;
    zw_out_grid g;
    zw_error err = {0};
    zw_arena_init(&arena, NULL);
    zw_table *t = xyz();
    for (int i = 0; i < 100; i++)
        zw_table_row(t, (double[]){sin(i), cos(3 * i), 1});
    assert_int_equal(zw_out_grid_find(&g, &arena, t, 0, 1, &err), ZW_OK);
    assert_int_equal(g.nx, 0);
    zw_table_destroy(t);
    t = xyz();
    for (int i = 0; i < 9; i++) {
        int row = i / 3;
        zw_table_row(t, (double[]){i % 3, row, 1});
    }
    zw_table_row(t, (double[]){2, 1, 5});
    assert_int_equal(zw_out_grid_find(&g, &arena, t, 0, 1, &err), ZW_E_FILE);
    assert_non_null(strstr(err.text, "rows 6 and 10"));
    zw_table_destroy(t);
    t = xyz();
    for (int i = 0; i < 9; i++)
        zw_table_row(t, (double[]){i, 2, 1});
    err = (zw_error){0};
    assert_int_equal(zw_out_grid_find(&g, &arena, t, 0, 1, &err), ZW_E_FILE);
    assert_non_null(strstr(err.text, "several values of y"));
    zw_table_destroy(t);
    zw_arena_clear(&arena);
}

/* ---- maps ---- */

/* every cell is where its row says, and as large as the others */
static void test_map__cells_are_in_their_places(void **state) {
    (void)state;
    zw_table *t = xyz();
    for (int i = 0; i < 6; i++) {
        int row = i / 3;
        zw_table_row(t, (double[]){i % 3, row, i + 1});
    }
    zw_curve c = {.table = t, .x = 0, .y = 1, .z = 2};
    zw_map map = {.colours = ZW_COLOURS_CLASSES};
    zw_panel panel = panel_of(&c, &map);
    zw_picture p = picture_of(1, &panel);
    zw_plot_report report = draw(&p, "classes.png");
    assert_int_equal(report.cells, 6);
    assert_int_equal(report.holes + report.empty + report.scattered, 0);
    image m = read_image("classes.png");
    patch cell[6];
    for (int i = 0; i < 6; i++)
        cell[i] = find(&m, as_pixel(zw_out_class(i + 1)));
    for (int i = 0; i < 6; i++) {
        /* frame and ticks take a little of it */
        double part = (double)cell[i].n / (double)cell[0].n;
        assert_true(part > 0.97 && part < 1.03);
        assert_true(fabs(cell[i].x - cell[i % 3].x) < 4);
        assert_true(fabs(cell[i].y - cell[i / 3 * 3].y) < 4);
        double full = (cell[i].right - cell[i].left + 1.0) * (cell[i].bottom - cell[i].top + 1.0);
        assert_true((double)cell[i].n > 0.97 * full);
    }
    assert_true(cell[1].x > cell[0].x + 200 && cell[2].x > cell[1].x + 200);
    assert_true(cell[3].y < cell[0].y - 200); /* y upwards */
    cairo_surface_destroy(m.surface);
    zw_table_destroy(t);
}

/* values as colours of the strip; no value is grey, no row is hatched */
static void test_map__colours_tell_values(void **state) {
    (void)state;
    zw_table *t = xyz();
    const double z[] = {0, 0.25, 0.5, 1, NAN, 7};
    for (int i = 0; i < 5; i++) {
        int row = i / 3;
        zw_table_row(t, (double[]){i % 3, row, z[i]});
    }
    zw_curve c = {.table = t, .x = 0, .y = 1, .z = 2};
    zw_map map = {.colours = ZW_COLOURS_EVEN};
    zw_panel panel = panel_of(&c, &map);
    zw_picture p = picture_of(1, &panel);
    zw_plot_report report = draw(&p, "even.png");
    assert_int_equal(report.holes, 1);
    assert_int_equal(report.empty, 1);
    image m = read_image("even.png");
    zw_out_rgb scale[ZW_OUT_SCALE];
    zw_out_even(scale);
    patch first = find(&m, as_pixel(scale[0]));
    for (int i = 0; i < 4; i++) {
        long k = lround(z[i] * (ZW_OUT_SCALE - 1));
        patch q = find(&m, as_pixel(scale[k]));
        /* the strip may have a stripe of the same colour */
        assert_true((double)q.n > 0.9 * (double)first.n);
    }
    assert_true((double)find(&m, as_pixel(zw_out_nothing())).n > 0.9 * (double)first.n);
    patch hatch = find(&m, 0xcccccc);
    double hatched = (double)hatch.n / (double)first.n;
    assert_true(hatched > 0.15 && hatched < 0.3);
    cairo_surface_destroy(m.surface);
    zw_table_destroy(t);
}

/* about zero each side has its own end: -4 is as blue as 1 is red; the strip stands beside the
 * frame, as high as it */
static void test_map__about_zero(void **state) {
    (void)state;
    zw_table *t = xyz();
    const double z[] = {-4, 0, 1, -2, 0.5, 0};
    for (int i = 0; i < 6; i++) {
        int row = i / 3;
        zw_table_row(t, (double[]){i % 3, row, z[i]});
    }
    zw_curve c = {.table = t, .x = 0, .y = 1, .z = 2};
    zw_map map = {.colours = ZW_COLOURS_DIVERGING};
    zw_panel panel = panel_of(&c, &map);
    zw_picture p = picture_of(1, &panel);
    draw(&p, "zero.png");
    image m = read_image("zero.png");
    zw_out_rgb scale[ZW_OUT_SCALE];
    zw_out_diverging(scale);
    const int place[] = {0, ZW_OUT_SCALE / 2, ZW_OUT_SCALE - 1, ZW_OUT_SCALE / 4 + 1,
                         3 * (ZW_OUT_SCALE - 1) / 4 + 1};
    patch cell[5];
    for (int i = 0; i < 5; i++) {
        cell[i] = find(&m, as_pixel(scale[place[i]]));
        assert_true(cell[i].n > 10000);
    }
    assert_true(cell[0].x < cell[2].x);
    cairo_surface_destroy(m.surface);
    zw_table_destroy(t);
}

/* logarithmic axes have cells of equal width where the values are powers */
static void test_map__logarithmic_axes(void **state) {
    (void)state;
    zw_table *t = xyz();
    for (int i = 0; i < 8; i++) {
        int row = i / 4;
        zw_table_row(t, (double[]){pow(10, i % 4), row, i % 4 + 1});
    }
    zw_curve c = {.table = t, .x = 0, .y = 1, .z = 2};
    zw_map map = {.colours = ZW_COLOURS_CLASSES};
    zw_panel panel = panel_of(&c, &map);
    panel.log[0] = true;
    zw_picture p = picture_of(1, &panel);
    draw(&p, "log.png");
    image m = read_image("log.png");
    patch a = find(&m, as_pixel(zw_out_class(1)));
    for (int k = 2; k <= 4; k++) {
        patch b = find(&m, as_pixel(zw_out_class(k)));
        assert_true(fabs((double)(b.right - b.left) - (a.right - a.left)) <= 3);
    }
    cairo_surface_destroy(m.surface);
    panel.log[1] = true; /* y begins at 0 */
    zw_error err = {0};
    assert_int_equal(zw_plot(&p, in_folder("log.png"), NULL, &err), ZW_E_OPTION);
    assert_non_null(strstr(err.text, "y begins at 0"));
    zw_table_destroy(t);
}

/* a grid finer than the paper: the file has a bound, axes and letters stay lines, and there is one
 * image */
static void test_map__files_have_a_bound(void **state) {
    (void)state;
    enum { N = 1500 };
    zw_table *t = xyz();
    uint64_t s = 1;
    zw_table_reserve(t, (long)N * N);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            s = s * 6364136223846793005u + 1442695040888963407u;
            zw_table_row(t, (double[]){i, j, 1 + (double)(s >> 62)}); /* no order at all */
        }
    zw_curve c = {.table = t, .x = 0, .y = 1, .z = 2};
    zw_map map = {.colours = ZW_COLOURS_CLASSES};
    zw_panel panel = panel_of(&c, &map);
    zw_picture p = picture_of(1, &panel);
    draw(&p, "large.svg");
    draw(&p, "large.pdf");
    assert_true(size_of("large.svg") < 4000000);
    assert_true(size_of("large.pdf") < 4000000);
    char *svg = read_whole(in_folder("large.svg"), NULL);
    const char *first = strstr(svg, "<image");
    assert_non_null(first);
    assert_null(strstr(first + 1, "<image"));
    assert_non_null(strstr(svg, "<path"));
    free(svg);
    zw_error err = {0};
    assert_int_equal(zw_plot(&p, in_folder("large.tex"), NULL, &err), ZW_E_OPTION);
    zw_table_destroy(t);
}

/* axes of one scale: the frame has the shape of the cells, no white beside them; 4 x 2 cells of one
 * size are squares */
static void test_map__squares(void **state) {
    (void)state;
    zw_table *t = xyz();
    for (int i = 0; i < 8; i++) {
        int row = i / 4;
        zw_table_row(t, (double[]){i % 4, row, i == 0 ? 1 : 2});
    }
    zw_curve c = {.table = t, .x = 0, .y = 1, .z = 2};
    zw_map map = {.colours = ZW_COLOURS_CLASSES};
    zw_panel panel = panel_of(&c, &map);
    panel.scale = ZW_SCALE_EQUAL;
    zw_picture p = picture_of(1, &panel);
    draw(&p, "squares.png");
    image m = read_image("squares.png");
    patch a = find(&m, as_pixel(zw_out_class(1))), b = find(&m, as_pixel(zw_out_class(2)));
    assert_true(abs((a.right - a.left) - (a.bottom - a.top)) <= 3);
    assert_true(abs((b.right - b.left) - 4 * (a.right - a.left)) <= 12);
    assert_true(abs((b.bottom - b.top) - 2 * (a.bottom - a.top)) <= 8);
    cairo_surface_destroy(m.surface);
    zw_table_destroy(t);
}

/* rows that are no grid are dots of their colours */
static void test_map__scattered(void **state) {
    (void)state;
    zw_table *t = xyz();
    for (int i = 0; i < 500; i++) {
        double x = fmod(i * 0.6180339887498949, 1), y = fmod(i * 0.7548776662466927, 1);
        zw_table_row(t, (double[]){x, y, x < 0.5 ? 1 : 2});
    }
    zw_curve c = {.table = t, .x = 0, .y = 1, .z = 2};
    zw_map map = {.colours = ZW_COLOURS_CLASSES};
    zw_panel panel = panel_of(&c, &map);
    zw_picture p = picture_of(1, &panel);
    zw_plot_report report = draw(&p, "dots.png");
    assert_int_equal(report.scattered, 500);
    image m = read_image("dots.png");
    patch a = find(&m, as_pixel(zw_out_class(1))), b = find(&m, as_pixel(zw_out_class(2)));
    assert_true(a.n > 5000 && b.n > 5000 && a.right < b.left + 20);
    cairo_surface_destroy(m.surface);
    zw_table_destroy(t);
}

/* an inset of a map shows its cells */
static void test_map__inset(void **state) {
    (void)state;
    enum { N = 40 };
    zw_table *t = xyz();
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            zw_table_row(t, (double[]){i, j, i == 20 && j == 20 ? 2 : 1});
    zw_curve c = {.table = t, .x = 0, .y = 1, .z = 2};
    zw_map map = {.colours = ZW_COLOURS_CLASSES};
    zw_panel panel = panel_of(&c, &map);
    zw_picture p = picture_of(1, &panel);
    draw(&p, "plain.png");
    image m = read_image("plain.png");
    long before = find(&m, as_pixel(zw_out_class(2))).n;
    cairo_surface_destroy(m.surface);
    panel.inset = &(zw_inset){{{18, 22}, {18, 22}}, ZW_INSET_UPPER_LEFT};
    panel.ninset = 1;
    draw(&p, "inset.png");
    m = read_image("inset.png");
    assert_true(find(&m, as_pixel(zw_out_class(2))).n > 5 * before);
    cairo_surface_destroy(m.surface);
    zw_table_destroy(t);
}

/* ---- very many dots ---- */

/* two million points: a file with a bound, darker where there are more, and none is lost */
static void test_dots__millions(void **state) {
    (void)state;
    enum { N = 2000000 };
    zw_table *t = table_of(2, (const char *[]){"x", "y"});
    zw_table_reserve(t, N + 1);
    uint64_t s = 7;
    for (long i = 0; i < N; i++) {
        s = s * 6364136223846793005u + 1442695040888963407u;
        double u = (double)(s >> 11) / 9007199254740992.0;
        s = s * 6364136223846793005u + 1442695040888963407u;
        double v = (double)(s >> 11) / 9007199254740992.0;
        /* in the left half ten times as many as in the right one */
        double x = i % 11 ? 0.5 * u : 0.5 + 0.5 * u;
        zw_table_row(t, (double[]){x, 0.5 * v});
    }
    zw_table_row(t, (double[]){0.5, 1}); /* alone */
    zw_curve c = {.table = t, .x = 0, .y = 1};
    zw_panel panel = zw_panel_default();
    panel.n = 1;
    panel.curve = &c;
    panel.is_points = true;
    zw_picture p = picture_of(1, &panel);
    draw(&p, "many.png");
    draw(&p, "many.svg");
    draw(&p, "many.pdf");
    assert_true(size_of("many.svg") < 2000000);
    assert_true(size_of("many.pdf") < 2000000);
    image m = read_image("many.png");
    /* means of the blue side: red part of the colour, 255 where there is no ink */
    double left = 0, right = 0;
    long alone = 0;
    for (int y = m.h / 2 + 40; y < m.h / 2 + 240; y++)
        for (int k = 0; k < 200; k++) {
            left += (double)(pixel(&m, m.w / 4 + k, y) >> 16);
            right += (double)(pixel(&m, 3 * m.w / 4 - k, y) >> 16);
        }
    for (int y = 55; y < m.h / 4; y++) /* below the ticks */
        for (int x = m.w / 2 - 60; x < m.w / 2 + 160; x++)
            alone += pixel(&m, x, y) != 0xffffff;
    assert_true(left < 0.8 * right);
    assert_int_equal(alone, 4); /* two by two pixels */
    cairo_surface_destroy(m.surface);
    zw_table_destroy(t);
}

/* ---- bands ---- */

/* between -1 and 1: a rectangle of light blue; a second band over it is darker; a gap is white */
static void test_band__is_filled(void **state) {
    (void)state;
    zw_table *t = table_of(5, (const char *[]){"t", "a", "b", "c", "d"});
    for (int i = 0; i <= 100; i++) {
        bool gap = i > 70 && i < 80;
        zw_table_row(t, (double[]){i, gap ? (double)NAN : -1, 1, -0.5, 0.5});
    }
    zw_curve c[2] = {{.table = t, .x = 0, .y = 1, .band = 3, .style = 1, .gaps = true},
                     {.table = t, .x = 0, .y = 3, .band = 5, .style = 1}};
    zw_panel panel = zw_panel_default();
    panel.n = 2;
    panel.curve = c;
    zw_picture p = picture_of(1, &panel);
    draw(&p, "band.png");
    image m = read_image("band.png");
    const zw_out_rgb blue = {0, 0.447, 0.698};
    zw_out_rgb once = {1 + 0.26 * (blue.r - 1), 1 + 0.26 * (blue.g - 1), 1 + 0.26 * (blue.b - 1)};
    zw_out_rgb twice = {once.r + 0.26 * (blue.r - once.r), once.g + 0.26 * (blue.g - once.g),
                        once.b + 0.26 * (blue.b - once.b)};
    long light = 0, dark = 0;
    for (int y = 0; y < m.h; y++)
        for (int x = 0; x < m.w; x++) {
            uint32_t v = pixel(&m, x, y), a = as_pixel(once), b = as_pixel(twice);
            light += abs((int)(v >> 16) - (int)(a >> 16)) <= 2 &&
                     abs((int)(v & 255) - (int)(a & 255)) <= 2;
            dark += abs((int)(v >> 16) - (int)(b >> 16)) <= 2 &&
                    abs((int)(v & 255) - (int)(b & 255)) <= 2;
        }
    /* a tenth of the outer band is a gap, under which the inner one is light */
    assert_true((double)dark > 0.8 * (double)light && (double)dark < 0.95 * (double)light);
    cairo_surface_destroy(m.surface);
    c[0].band = 9;
    zw_error err = {0};
    assert_int_equal(zw_plot(&p, in_folder("band.png"), NULL, &err), ZW_E_OPTION);
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
        cmocka_unit_test(test_colours__are_even),
        cmocka_unit_test(test_colours__about_zero),
        cmocka_unit_test(test_colours__classes_can_be_told_apart),
        cmocka_unit_test(test_grid__rows_in_any_order),
        cmocka_unit_test(test_grid__what_is_none),
        cmocka_unit_test(test_map__cells_are_in_their_places),
        cmocka_unit_test(test_map__colours_tell_values),
        cmocka_unit_test(test_map__about_zero),
        cmocka_unit_test(test_map__logarithmic_axes),
        cmocka_unit_test(test_map__files_have_a_bound),
        cmocka_unit_test(test_map__squares),
        cmocka_unit_test(test_map__scattered),
        cmocka_unit_test(test_map__inset),
        cmocka_unit_test(test_dots__millions),
        cmocka_unit_test(test_band__is_filled),
    };
    return cmocka_run_group_tests(tests, make_folder, tidy_up);
}
