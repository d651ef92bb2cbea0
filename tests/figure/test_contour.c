/* SPDX-License-Identifier: MIT */
/* Contour lines of surfaces that are known: circles, a saddle, a hole; tables that are no grids. */
#include "figure/internal.h"
#include "support/failing_allocator.h"
#include "support/test.h"

enum { N = 81 };

typedef double (*height)(double x, double y);

static double bowl(double x, double y) {
    return x * x + y * y;
}

static double saddle(double x, double y) {
    return x * y;
}

static double with_hole(double x, double y) {
    return hypot(x, y) < 0.5 ? (double)NAN : x;
}

static zw_table *surface_of(height z) {
    zw_table *t = zw_table_create(NULL);
    zw_table_column(t, "a", "m");
    zw_table_column(t, "b", "m");
    zw_table_column(t, "z", "");
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            double x = -1 + 2.0 * i / (N - 1), y = -1 + 2.0 * j / (N - 1);
            zw_table_row(t, (double[]){x, y, z(x, y)});
        }
    zw_table_note(t, "kind", "surface");
    return t;
}

static zw_figure *figure_of(const zw_table *t) {
    const char *panel = "x,y";
    zw_figure *f;
    zw_error err = {0};
    if (zw_figure_create(&f, 1, &panel, 1, &(zw_figure_run){.table = t}, NULL, &err) < 0)
        fail_msg("%s", err.text);
    return f;
}

static double level_of(const zw_curve *c) {
    double level;
    assert_int_equal(sscanf(zw_table_name(c->table, c->y), "y(%lf)", &level), 1);
    return level;
}

/* points of a curve; lines of it */
static int count(const zw_curve *c, int *nline) {
    int n = 0;
    *nline = 0;
    for (long row = 0; row < zw_table_rows(c->table); row++) {
        bool here = isfinite(zw_table_at(c->table, row, c->x)),
             before = row > 0 && isfinite(zw_table_at(c->table, row - 1, c->x));
        n += here;
        *nline += here && !before;
    }
    return n;
}

static void test_contour__circles_close(void **state) {
    (void)state;
    zw_table *t = surface_of(bowl);
    zw_figure *f = figure_of(t);
    const zw_panel *p = &zw_figure_picture(f)->panel[0];
    assert_true(p->n >= 7);
    assert_string_equal(p->label[0], "a [m]");
    for (int k = 0; k < p->n; k++) {
        const zw_curve *c = &p->curve[k];
        double level = level_of(c), length = 0, x = NAN, y = NAN, first[2] = {0};
        int lines, n = count(c, &lines);
        assert_true(c->style > ZW_PLOT_TINT);
        if (level >= 1)
            continue;
        assert_int_equal(lines, 1);
        assert_true(n > 20);
        bool begun = false;
        for (long row = 0; row < zw_table_rows(c->table); row++) {
            double to_x = zw_table_at(c->table, row, c->x), to_y = zw_table_at(c->table, row, c->y);
            if (!isfinite(to_x))
                continue;
            /* the line through two ends of an edge of 1/40: the bowl lies below it by 1/80^2 at
             * most */
            double off = to_x * to_x + to_y * to_y - level;
            assert_true(fabs(off) <= 1.0 / 6400 + 1e-12);
            if (!begun) {
                first[0] = to_x;
                first[1] = to_y;
            } else {
                length += hypot(to_x - x, to_y - y);
            }
            begun = true;
            x = to_x;
            y = to_y;
        }
        assert_close(x, first[0], 1e-15);
        assert_close(y, first[1], 1e-15);
        assert_close(length, 2 * M_PI * sqrt(level), 3e-3);
    }
    zw_figure_destroy(f);
    zw_table_destroy(t);
}

/* two hyperbolas each, but for the level of the saddle itself, where lines do not cross */
static void test_contour__saddle(void **state) {
    (void)state;
    zw_table *t = surface_of(saddle);
    zw_figure *f = figure_of(t);
    const zw_panel *p = &zw_figure_picture(f)->panel[0];
    for (int k = 0; k < p->n; k++) {
        int lines;
        count(&p->curve[k], &lines);
        assert_int_equal(lines, 2);
        for (long row = 0; row < zw_table_rows(p->curve[k].table); row++) {
            double x = zw_table_at(p->curve[k].table, row, p->curve[k].x),
                   y = zw_table_at(p->curve[k].table, row, p->curve[k].y);
            if (isfinite(x))
                assert_close(x * y, level_of(&p->curve[k]), 1e-12); /* linear along the edges */
        }
    }
    zw_figure_destroy(f);
    zw_table_destroy(t);
}

static void test_contour__holes_end_lines(void **state) {
    (void)state;
    zw_table *t = surface_of(with_hole);
    zw_figure *f = figure_of(t);
    const zw_panel *p = &zw_figure_picture(f)->panel[0];
    for (int k = 0; k < p->n; k++) {
        int lines;
        count(&p->curve[k], &lines);
        if (fabs(fabs(level_of(&p->curve[k])) - 0.5) > 0.05)
            assert_int_equal(lines, fabs(level_of(&p->curve[k])) < 0.5 ? 2 : 1);
    }
    zw_figure_destroy(f);
    zw_table_destroy(t);
}

static void test_contour__marks_and_files(void **state) {
    (void)state;
    zw_table *t = surface_of(bowl);
    zw_bytes bytes = {0};
    zw_plot_report report = {0};
    zw_error err = {0};
    zw_table_note(t, "minimum 0", "0.25 -0.5 -3.5 ghost");
    zw_table_note(t, "minimum 1", "0 0.5 -20 motion");
    zw_figure *f = figure_of(t);
    const zw_panel *p = &zw_figure_picture(f)->panel[0];
    assert_int_equal(p->nmark, 2);
    assert_close(p->mark[0].y, -0.5, 1e-15);
    assert_string_equal(p->mark[0].label, "\"ghost\"");
    assert_int_equal(zw_plot_bytes(zw_figure_picture(f), ZW_PLOT_SVG, &bytes, &report, &err),
                     ZW_OK);
    assert_int_equal(report.nonfinite, 0);
    zw_bytes_clear(&bytes);
    zw_figure_destroy(f);
    zw_table_destroy(t);
}

static void refuse(zw_table *t) {
    const char *panel = "x,y";
    zw_figure *f;
    zw_error err = {0};
    assert_true(zw_figure_create(&f, 1, &panel, 1, &(zw_figure_run){.table = t}, NULL, &err) < 0);
    assert_non_null(strstr(err.text, "grid"));
    zw_table_destroy(t);
}

static void test_contour__no_grids(void **state) {
    (void)state;
    zw_table *t = surface_of(bowl);
    zw_table_row(t, (double[]){1, 2, 3});
    refuse(t);
    t = surface_of(bowl);
    zw_table_set(t, N + 3, 0, 7);
    refuse(t);
    t = zw_table_create(NULL);
    zw_table_column(t, "a", "");
    zw_table_note(t, "kind", "surface");
    refuse(t);
}

static void test_contour__memory_may_run_out(void **state) {
    (void)state;
    const char *panel = "x,y";
    zw_table *t = surface_of(with_hole);
    zw_figure_options o = zw_figure_options_default();
    zw_table_note(t, "minimum 0", "0.25 -0.5 -3.5 ghost");
    for (long n = 1;; n++) {
        failing_allocator fa = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&fa);
        zw_figure *f;
        o.allocator = &alloc;
        zw_status status =
            zw_figure_create(&f, 1, &panel, 1, &(zw_figure_run){.table = t}, &o, NULL);
        assert_true(status == ZW_OK || (status == ZW_E_MEMORY && fa.failed));
        zw_figure_destroy(f);
        assert_int_equal(fa.blocks, 0);
        assert_int_equal(fa.bytes, 0);
        if (!fa.failed)
            break;
    }
    zw_table_destroy(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contour__circles_close),
        cmocka_unit_test(test_contour__saddle),
        cmocka_unit_test(test_contour__holes_end_lines),
        cmocka_unit_test(test_contour__marks_and_files),
        cmocka_unit_test(test_contour__no_grids),
        cmocka_unit_test(test_contour__memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
