/* SPDX-License-Identifier: MIT */
/* Columns by formulas against the formulas in C, what a figure is made of, the numbers it shows,
 * series of settings; memory that runs out. */
#include "zwang/figure.h"

#include <locale.h>
#include <stdlib.h>

#include "support/failing_allocator.h"
#include "support/test.h"
#include "zwang/model.h"
#include "zwang/simulate.h"

/* t = 0, 1, ..., x = t^2 + shift, y = -t, theta = t/10 */
static zw_table *make_result(int rows, double shift) {
    zw_table *t = zw_table_create(NULL);
    char text[32];
    zw_table_column(t, "t", "s");
    zw_table_column(t, "x", "m");
    zw_table_column(t, "y", "m");
    zw_table_column(t, "theta", "rad");
    for (int i = 0; i < rows; i++)
        zw_table_row(t, (double[]){i, i * i + shift, -i, 0.1 * i});
    snprintf(text, sizeof text, "%g", shift);
    zw_table_note(t, "model", "curve");
    zw_table_note(t, "shift", text);
    return t;
}

/* ---- columns ---- */

static void test_column__is_the_formula(void **state) {
    (void)state;
    zw_table *t = make_result(5, 2);
    zw_error err = {0};
    assert_int_equal(zw_figure_column(t, "x*y - y^2", NULL, NULL), ZW_OK);
    assert_int_equal(zw_figure_column(t, "sqrt(x^2 + y^2)", "r", NULL), ZW_OK);
    int a = zw_table_find(t, "x*y - y^2"), r = zw_table_find(t, "r");
    assert_string_equal(zw_table_unit(t, a), "m^2");
    assert_string_equal(zw_table_unit(t, r), "m");
    for (int i = 0; i < 5; i++) {
        double x = i * i + 2;
        assert_close(zw_table_at(t, i, a), -x * i - i * i, 1e-14);
        assert_close(zw_table_at(t, i, r), hypot(x, i), 1e-14);
        assert_close(zw_table_at(t, i, 1), x, 0);
    }
    assert_int_equal(zw_figure_column(t, "x + t", NULL, &err), ZW_E_UNIT);
    assert_non_null(strstr(err.text, "adds"));
    err = (zw_error){0};
    assert_int_equal(zw_figure_column(t, "2*x", "y", &err), ZW_E_NAME);
    assert_non_null(strstr(err.text, "'y'"));
    assert_int_equal(zw_table_columns(t), 6);
    zw_table_destroy(t);
}

static void test_table__of_formulas(void **state) {
    (void)state;
    zw_table *t = make_result(4, 0), *new;
    zw_error err = {0};
    assert_int_equal(
        zw_figure_table(&new, t, 3, (const char *const[]){"deg(theta)", "theta", "abs(y)"}, &err),
        ZW_OK);
    /* theta is one of them, so deg(theta) does not go by that name */
    assert_string_equal(zw_table_name(new, 0), "deg(theta)");
    assert_string_equal(zw_table_name(new, 1), "theta");
    assert_string_equal(zw_table_name(new, 2), "|y|");
    assert_string_equal(zw_table_get_note(new, "model"), "curve");
    assert_int_equal(zw_table_rows(new), 4);
    assert_close(zw_table_at(new, 3, 0), 0.3 * 180 / acos(-1), 1e-14);
    assert_close(zw_table_at(new, 3, 2), 3, 0);
    zw_table_destroy(new);
    assert_int_equal(zw_figure_table(&new, t, 2, (const char *const[]){"x", "x"}, &err), ZW_E_NAME);
    assert_null(new);
    assert_non_null(strstr(err.text, "'x'"));
    zw_table_destroy(t);
}

static void test_rows__at_an_event(void **state) {
    (void)state;
    zw_table *t = zw_table_create(NULL), *chosen;
    zw_error err = {0};
    zw_table_column(t, "event", "");
    zw_table_column(t, "t", "s");
    zw_table_note(t, "event 0", "top");
    zw_table_note(t, "event 1", "bottom");
    assert_int_equal(zw_figure_at_event(&chosen, t, "bottom", NULL), ZW_OK);
    assert_int_equal(zw_table_rows(chosen), 0);
    zw_table_destroy(chosen);
    for (int i = 0; i < 5; i++)
        zw_table_row(t, (double[]){i % 2, i});
    assert_int_equal(zw_figure_at_event(&chosen, t, "bottom", NULL), ZW_OK);
    assert_int_equal(zw_table_rows(chosen), 2);
    assert_close(zw_table_at(chosen, 1, 1), 3, 0);
    zw_table_destroy(chosen);
    assert_int_equal(zw_figure_at_event(&chosen, t, "all", NULL), ZW_OK);
    assert_int_equal(zw_table_rows(chosen), 5);
    zw_table_destroy(chosen);
    assert_true(zw_figure_at_event(&chosen, t, "botom", &err) < 0);
    assert_null(chosen);
    assert_non_null(strstr(err.hint, "bottom"));
    zw_table_destroy(t);
}

/* ---- figures ---- */

static void test_figure__panels_and_curves(void **state) {
    (void)state;
    zw_table *a = make_result(5, 0), *b = make_result(3, 1);
    zw_figure_run run[] = {{.table = a, .label = "first"}, {.table = b, .label = "second"}};
    zw_figure_options o = zw_figure_options_default();
    zw_figure *f;
    zw_error err = {0};
    o.label[1] = (zw_figure_texts){1, (const char *const[]){"height"}};
    o.range = (zw_figure_texts){1, (const char *const[]){"t=1:"}};
    o.columns = 5;
    assert_int_equal(
        zw_figure_create(&f, 2, (const char *const[]){"x+y:t", "x,y"}, 2, run, &o, &err), ZW_OK);
    zw_table_destroy(a); /* nothing of the arguments is needed any more */
    zw_table_destroy(b);
    const zw_picture *p = zw_figure_picture(f);
    assert_int_equal(p->n, 2);
    assert_int_equal(p->columns, 2);
    assert_int_equal(p->panel[0].n, 4);
    assert_int_equal(p->panel[1].n, 2);
    assert_int_equal(p->panel[0].scale, ZW_SCALE_FREE);
    assert_int_equal(p->panel[1].scale, ZW_SCALE_EQUAL); /* x and y are both in m */
    assert_string_equal(p->panel[1].label[1], "height");
    assert_string_equal(p->panel[0].curve[1].label, "y, first");
    assert_string_equal(p->panel[1].curve[1].label, "second");
    assert_close(p->panel[0].span[0].low, 1, 0);
    assert_true(isnan(p->panel[0].span[0].high));
    assert_ptr_equal(p->panel[1].curve[1].table, zw_figure_drawn(f, 1));
    assert_string_equal(zw_table_name(zw_figure_drawn(f, 1), p->panel[1].curve[1].y), "y");
    zw_bytes svg;
    assert_int_equal(zw_plot_bytes(p, ZW_PLOT_SVG, &svg, NULL, &err), ZW_OK);
    assert_non_null(strstr(svg.data, "<svg"));
    zw_bytes_clear(&svg);
    zw_figure_destroy(f);
}

/* each panel its own runs, whose styles and names begin anew there; signs, words at places,
 * titles */
static void test_figure__runs_of_panels(void **state) {
    (void)state;
    zw_table *a = make_result(5, 0), *b = make_result(3, 1);
    zw_table *other = zw_table_create(NULL); /* has no x */
    zw_table_column(other, "t", "s");
    zw_table_column(other, "speed", "m/s");
    zw_table_row(other, (double[]){0, 1});
    zw_figure_run run[] = {{.table = a, .label = "first"},
                           {.table = b, .label = "second"},
                           {.table = other, .label = "third"},
                           {.table = a, .label = "fourth"}};
    zw_figure_options o = zw_figure_options_default();
    zw_figure *f;
    zw_error err = {0};
    o.runs = (zw_figure_texts){2, (const char *const[]){"1:1-2,4", "2:3"}};
    o.style = (zw_figure_texts){2, (const char *const[]){"red discs", "black dashed"}};
    o.legend = (zw_figure_texts){2, (const char *const[]){"one", ""}};
    o.titles = (zw_figure_texts){2, (const char *const[]){"\"(a)\"", "\"(b)\""}};
    o.annotate = (zw_figure_texts){
        3, (const char *const[]){"1:here=2,4", "start=1,1 blue crosses", "2:a = b=0,1 none"}};
    if (zw_figure_create(&f, 2, (const char *const[]){"x:t", "speed:t"}, 4, run, &o, &err) < 0)
        fail_msg("%s", err.text);
    const zw_panel *p = zw_figure_picture(f)->panel;
    assert_int_equal(p[0].n, 3);
    assert_int_equal(p[1].n, 1);
    assert_true(p[0].curve[0].points && p[0].curve[0].shape == 1 + ZW_MARK_DISC);
    assert_true(!p[0].curve[1].points && !p[0].curve[2].points);
    assert_int_equal(p[0].curve[0].style, p[1].curve[0].style);
    assert_string_equal(p[0].curve[0].label, "one");
    assert_null(p[0].curve[1].label);
    assert_string_equal(p[0].curve[2].label, "fourth");
    assert_string_equal(p[1].curve[0].label, "one");
    assert_string_equal(p[1].title, "\"(b)\"");
    assert_int_equal(p[0].nmark, 2);
    assert_int_equal(p[1].nmark, 2);
    assert_string_equal(p[0].mark[0].text, "here");
    assert_int_equal(p[0].mark[1].shape, ZW_MARK_CROSS);
    assert_true(p[0].mark[1].style > 0 && p[0].mark[0].style == 0);
    assert_close(p[0].mark[0].x, 2, 0);
    assert_close(p[0].mark[0].y, 4, 0);
    assert_string_equal(p[1].mark[1].text, "a = b");
    assert_int_equal(p[1].mark[1].shape, ZW_MARK_NONE);
    zw_bytes svg;
    assert_int_equal(zw_plot_bytes(zw_figure_picture(f), ZW_PLOT_SVG, &svg, NULL, &err), ZW_OK);
    zw_bytes_clear(&svg);
    zw_figure_destroy(f);
    static const char *const runs[] = {"1", "3:1", "1:0", "1:5", "1:2-1", "1:1;2", "1:"};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        o = zw_figure_options_default();
        o.runs = (zw_figure_texts){1, &runs[i]};
        if (zw_figure_create(&f, 2, (const char *const[]){"t:t", "t:t"}, 4, run, &o, NULL) >= 0)
            fail_msg("--runs %s is taken", runs[i]);
    }
    static const char *const words[] = {"here",       "here=1",       "here=1;2",
                                        "here=1,2,3", "a=1,2 purple", "7:a=1,2"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        o = zw_figure_options_default();
        o.annotate = (zw_figure_texts){1, &words[i]};
        if (zw_figure_create(&f, 1, (const char *const[]){"x:t"}, 1, run, &o, NULL) >= 0)
            fail_msg("--annotate %s is taken", words[i]);
    }
    zw_table_destroy(a);
    zw_table_destroy(b);
    zw_table_destroy(other);
}

static void test_figure__refusals(void **state) {
    (void)state;
    zw_table *t = make_result(3, 0);
    zw_figure_run run = {.table = t};
    zw_figure *f;
    zw_error err = {0};
    const char *const good = "x:t", *const unclear = "x", *const wrong = "x:tt";
    assert_true(zw_figure_create(&f, 1, &unclear, 1, &run, NULL, &err) < 0);
    assert_null(f);
    assert_non_null(strstr(err.text, "does not name a quantity"));
    err = (zw_error){0};
    assert_true(zw_figure_create(&f, 1, &wrong, 1, &run, NULL, &err) < 0);
    assert_non_null(strstr(err.text, "'tt'"));
    assert_true(zw_figure_create(&f, 0, &good, 1, &run, NULL, NULL) < 0);
    assert_true(zw_figure_create(&f, 1, &good, 0, &run, NULL, NULL) < 0);
    zw_figure_options o = {0}; /* not begun with its defaults */
    assert_true(zw_figure_create(&f, 1, &good, 1, &run, &o, NULL) < 0);
    static const char *const range[] = {"y=0:1", "t=", "t=2:1", "t", "t=nan:1"};
    for (size_t i = 0; i < sizeof range / sizeof *range; i++) {
        o = zw_figure_options_default();
        o.range = (zw_figure_texts){1, &range[i]};
        if (zw_figure_create(&f, 1, &good, 1, &run, &o, NULL) >= 0)
            fail_msg("the range %s is taken", range[i]);
    }
    zw_table_destroy(t);
}

static void test_data__is_what_is_seen(void **state) {
    (void)state;
    zw_table *a = make_result(6, 0), *b = make_result(4, 1), *data = zw_table_create(NULL);
    zw_figure_run run[] = {{.table = a, .label = "first"}, {.table = b, .label = "second"}};
    zw_figure_options o = zw_figure_options_default();
    zw_figure *f;
    o.range = (zw_figure_texts){1, (const char *const[]){"t=2:4"}};
    assert_int_equal(zw_figure_create(&f, 1, (const char *const[]){"x:t"}, 2, run, &o, NULL),
                     ZW_OK);
    zw_table_note(data, "command", "test");
    assert_int_equal(zw_figure_data(f, data, NULL), ZW_OK);
    assert_true(zw_figure_data(f, data, NULL) < 0); /* not empty any more */
    assert_int_equal(zw_table_rows(data), 3);
    int t1 = zw_table_find(data, "t#1"), x1 = zw_table_find(data, "x#1"),
        x2 = zw_table_find(data, "x#2");
    for (int i = 0; i < 3; i++) {
        assert_close(zw_table_at(data, i, t1), i + 2, 0);
        assert_close(zw_table_at(data, i, x1), (i + 2) * (i + 2), 0);
    }
    assert_close(zw_table_at(data, 1, x2), 10, 0);
    assert_true(isnan(zw_table_at(data, 2, x2))); /* the second run ends at t = 3 */
    assert_string_equal(zw_table_get_note(data, "model"), "curve");
    assert_string_equal(zw_table_get_note(data, "shift#2"), "1");
    assert_string_equal(zw_table_get_note(data, "run#1"), "first");
    assert_string_equal(zw_table_note_key(data, 0), "command");
    zw_figure_destroy(f);
    zw_table_destroy(data);
    zw_table_destroy(a);
    zw_table_destroy(b);
}

static void test_figure__survives_failing_allocations(void **state) {
    (void)state;
    zw_table *t = make_result(200, 0);
    zw_figure_run run[] = {{.table = t, .label = "first"}, {.table = t, .label = "second"}};
    zw_figure_options o = zw_figure_options_default();
    long tried = 0;
    o.title = "a title";
    for (long n = 1;; n++, tried++) {
        failing_allocator fa = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&fa);
        zw_figure *f;
        o.allocator = &alloc;
        zw_status status =
            zw_figure_create(&f, 2, (const char *const[]){"x+y:t", "x,y"}, 2, run, &o, NULL);
        if (status >= 0) {
            zw_table *data = zw_table_create(NULL);
            status = zw_figure_data(f, data, NULL);
            zw_table_destroy(data);
        }
        assert_true(status == ZW_OK || (status == ZW_E_MEMORY && fa.failed));
        zw_figure_destroy(f);
        assert_int_equal(fa.blocks, 0);
        assert_int_equal(fa.bytes, 0);
        if (!fa.failed)
            break;
    }
    assert_true(tried > 10);
    zw_table_destroy(t);
}

/* ---- pages and series ---- */

static const char *const model = "model oscillator \"of a test\"\n"
                                 "param m = 2 [kg], k = 3 [N/m]\n"
                                 "coord x [m]\n"
                                 "kinetic 1/2*m*x'^2\n"
                                 "potential 1/2*k*x^2\n"
                                 "start x = 1 [m], x' = 0 [m/s]\n"
                                 "variant soft\n"
                                 "  param k = 1 [N/m]\n"
                                 "end\n";

static void test_page__of_a_result(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    zw_model_source source = {.text = model, .length = strlen(model), .file = "test"};
    zw_sim_options o = zw_sim_options_default();
    zw_system *sys;
    zw_sim *sim;
    zw_figure_page *page;
    zw_error err = {0};
    o.until = 1;
    assert_int_equal(zw_model_parse(&sys, ctx, model, strlen(model), "test", NULL, NULL), ZW_OK);
    assert_int_equal(zw_sim_create(&sim, sys, &source, &o, NULL), ZW_OK);
    assert_int_equal(zw_sim_run(sim, NULL), ZW_OK);
    assert_int_equal(zw_figure_page_create(&page, zw_sim_rows(sim), 11, &err), ZW_OK);
    zw_sim_destroy(sim); /* not needed any more */
    zw_context_destroy(ctx);
    const zw_page *content = zw_figure_page_content(page);
    assert_string_equal(content->name, "oscillator");
    assert_int_equal(zw_table_rows(content->result), 11);
    assert_close(zw_table_at(content->result, 10, 0), 1, 0);
    assert_int_equal(content->scene[0], '{');
    assert_non_null(strstr(content->equations, "ddot"));
    assert_int_equal(zw_figure_page_scene(page)->nitem, 0);
    zw_figure_page_destroy(page);
    zw_table *t = make_result(3, 0); /* its notes do not tell of a model */
    assert_int_equal(zw_figure_page_create(&page, t, 10, &err), ZW_E_FILE);
    assert_null(page);
    zw_table_destroy(t);
}

/* lengths in m and in mm on one axis are drawn in m, and so are those of two runs */
static void test_figure__one_unit_on_an_axis(void **state) {
    (void)state;
    zw_table *t = zw_table_create(NULL), *u = zw_table_create(NULL);
    zw_table_column(t, "t", "s");
    zw_table_column(t, "z", "m");
    zw_table_column(t, "r", "mm");
    zw_table_column(t, "phi", "rad");
    zw_table_column(t, "w", "deg");
    zw_table_column(u, "t", "s");
    zw_table_column(u, "r", "m");
    for (int i = 0; i < 3; i++) {
        zw_table_row(t, (double[]){i, i, 1000 * i, i, i});
        zw_table_row(u, (double[]){i, i});
    }
    zw_figure *f;
    zw_error err = {0};
    zw_figure_run run[] = {{.table = t}, {.table = u}};
    static const char *const both = "z+r:t", *const alone = "r:t", *const mixed = "z+phi:t";
    zw_figure_options o = zw_figure_options_default();
    o.range = (zw_figure_texts){1, (const char *const[]){"r=0:1"}};
    assert_int_equal(zw_figure_create(&f, 1, &both, 1, run, &o, &err), ZW_OK);
    const zw_table *d = zw_figure_drawn(f, 0);
    int r = zw_table_find(d, "r");
    assert_true(r >= 0);
    assert_string_equal(zw_table_unit(d, r), "m");
    assert_close(zw_table_at(d, 2, r), 2, 1e-15);
    zw_figure_destroy(f);
    assert_int_equal(zw_figure_create(&f, 1, &alone, 1, run, NULL, &err), ZW_OK);
    assert_string_equal(zw_table_unit(zw_figure_drawn(f, 0), 1), "mm");
    zw_figure_destroy(f);
    assert_int_equal(zw_figure_create(&f, 1, &alone, 2, run, NULL, &err), ZW_OK);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            if (strcmp(zw_table_name(zw_figure_drawn(f, i), k), "r") == 0) {
                assert_string_equal(zw_table_unit(zw_figure_drawn(f, i), k), "m");
                assert_close(zw_table_at(zw_figure_drawn(f, i), 1, k), 1, 1e-15);
            }
    zw_figure_destroy(f);
    assert_int_equal(zw_figure_create(&f, 1, &mixed, 1, run, NULL, &err), ZW_OK);
    zw_figure_destroy(f);
    static const char *const angles = "phi+w:t", *const degrees = "deg(phi)+w:t";
    assert_int_equal(zw_figure_create(&f, 1, &angles, 1, run, NULL, &err), ZW_E_UNIT);
    assert_non_null(strstr(err.text, "degrees"));
    err = (zw_error){0};
    assert_int_equal(zw_figure_create(&f, 1, &degrees, 1, run, NULL, &err), ZW_OK);
    zw_figure_destroy(f);
    zw_table_destroy(t);
    zw_table_destroy(u);
}

static void test_series__settings(void **state) {
    (void)state;
    static const char *const set[] = {"m=1,2,3g", "x=0.1 [m]", "k=4,5"};
    const zw_model_options lists = {.variant = "soft,", .nset = 3, .set = set};
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys;
    zw_error err = {0};
    if (zw_model_parse(&sys, ctx, model, strlen(model), "test", NULL, &err) < 0)
        fail_msg("%d: %s", err.line, err.text);
    assert_int_equal(zw_figure_series_count(&lists), 12);
    zw_model_options one;
    assert_int_equal(zw_figure_series_run(&one, ctx, &lists, 9, sys, &err), ZW_OK);
    /* 9 = 1*6 + 1*2 + 1: the last list changes fastest */
    assert_string_equal(one.variant, "");
    assert_int_equal(one.nset, 3);
    assert_string_equal(one.set[0], "m=2g");
    assert_string_equal(one.set[1], "x=0.1 [m]");
    assert_string_equal(one.set[2], "k=5 [N/m]");
    char label[200];
    zw_table *result = zw_table_create(NULL);
    zw_figure_series_label(&one, &lists, result, label, sizeof label);
    assert_string_equal(label, "\"no variant\", m = 2 {g}, k = 5 {N/m}");
    assert_int_equal(zw_figure_series_run(&one, ctx, &lists, -1, sys, &err), ZW_OK);
    assert_null(one.variant);
    assert_int_equal(one.nset, 1);
    assert_string_equal(one.set[0], "x=0.1 [m]");
    assert_true(zw_figure_series_run(&one, ctx, &lists, 12, sys, NULL) < 0);
    const zw_model_options plain = {.nset = 1, .set = set + 1};
    assert_int_equal(zw_figure_series_count(&plain), 1);
    assert_int_equal(zw_figure_series_run(&one, ctx, &plain, 0, NULL, NULL), ZW_OK);
    assert_string_equal(one.set[0], "x=0.1 [m]");
    zw_figure_series_label(&one, &plain, result, label, sizeof label);
    assert_string_equal(label, "");
    zw_table_destroy(result);
    zw_context_destroy(ctx);
}

/* ---- two axes ---- */

/* a table of t, x [m], y [m], phi [rad], F [N] with a few rows */
static zw_table *mixed_table(void) {
    static const char *const name[] = {"t", "x", "y", "phi", "F"}, *const unit[] = {"s", "m", "m",
                                                                                    "rad", "N"};
    zw_table *t = zw_table_create(NULL);
    for (int i = 0; i < 5; i++)
        zw_table_column(t, name[i], unit[i]);
    for (int i = 0; i < 5; i++)
        zw_table_row(t, (double[]){i, 2 * i, 0.01 * i, 1 - i, 1e6 * i});
    return t;
}

/* the sides of the curves of a panel, "lr" for one on each */
static const char *sides_of(const char *panel, const zw_figure_options *o, zw_status wanted) {
    static char sides[16];
    zw_table *t = mixed_table();
    zw_figure *f;
    zw_error err = {0};
    assert_int_equal(zw_figure_create(&f, 1, &panel, 1, &(zw_figure_run){.table = t}, o, &err),
                     wanted);
    sides[0] = '\0';
    for (int k = 0; f && k < zw_figure_picture(f)->panel[0].n; k++)
        strcat(sides, zw_figure_picture(f)->panel[0].curve[k].right ? "r" : "l");
    if (!f)
        snprintf(sides, sizeof sides, "%.15s", err.text);
    zw_figure_destroy(f);
    zw_table_destroy(t);
    return sides;
}

static void test_figure__two_axes(void **state) {
    (void)state;
    assert_string_equal(sides_of("x;y:t", NULL, ZW_OK), "lr");
    assert_string_equal(sides_of("x+y;phi+F:t", NULL, ZW_OK), "llrr");
    assert_string_equal(sides_of("x:t;phi:t", NULL, ZW_OK), "lr");
    assert_string_equal(sides_of("(x+y);phi:t", NULL, ZW_OK), "lr");
    /* two units are parted, three are not, one is none */
    assert_string_equal(sides_of("x+phi+y:t", NULL, ZW_OK), "lrl");
    assert_string_equal(sides_of("x+phi+F:t", NULL, ZW_OK), "lll");
    assert_string_equal(sides_of("x+y:t", NULL, ZW_OK), "ll");
    zw_figure_options o = zw_figure_options_default();
    o.axes = ZW_FIGURE_AXES_EQUAL;
    assert_string_equal(sides_of("x+phi:t", &o, ZW_OK), "ll");
    /* where it makes no sense */
    sides_of("x,y;phi", NULL, ZW_E_OPTION);
    sides_of("x,y,phi;F", NULL, ZW_E_OPTION);
    sides_of("x;y;phi:t", NULL, ZW_E_OPTION);
    sides_of(";x:t", NULL, ZW_E_OPTION);
    sides_of("x;:t", NULL, ZW_E_OPTION);
    o = zw_figure_options_default();
    o.logy2 = true;
    sides_of("x:t", &o, ZW_E_OPTION);
    assert_string_equal(sides_of("x;F:t", &o, ZW_OK), "lr");
}

static void test_figure__ranges_and_scales_of_the_right_axis(void **state) {
    (void)state;
    zw_table *t = mixed_table();
    static const char *const panel = "x;F:t", *const both = "x+F:t", *const range = "F=1e5:2e6",
                             *const label = "force";
    const zw_figure_run run = {.table = t};
    zw_figure_options o = zw_figure_options_default();
    zw_figure *f;
    o.range = (zw_figure_texts){1, &range};
    o.right = (zw_figure_texts){1, &label};
    o.logy2 = true;
    assert_int_equal(zw_figure_create(&f, 1, &panel, 1, &run, &o, NULL), ZW_OK);
    const zw_panel *p = zw_figure_picture(f)->panel;
    assert_true(isnan(p->span[1].low) && p->span[2].low == 1e5 && p->span[2].high == 2e6);
    assert_true(!p->log[1] && p->log[2]);
    assert_string_equal(p->label[2], "force");
    zw_figure_destroy(f);
    /* --logy without ; is for all curves */
    o = zw_figure_options_default();
    o.logy = true;
    assert_int_equal(zw_figure_create(&f, 1, &both, 1, &run, &o, NULL), ZW_OK);
    p = zw_figure_picture(f)->panel;
    assert_true(p->log[1] && p->log[2]);
    zw_figure_destroy(f);
    zw_table_destroy(t);
}

/* ---- what is drawn if nothing is said ---- */

static void test_choice__one_panel_per_unit_and_size(void **state) {
    (void)state;
    zw_table *t = mixed_table();
    zw_figure_choice c;
    zw_figure_choose(&c, 1, &(zw_figure_run){.table = t});
    assert_int_equal(c.n, 4);
    assert_string_equal(c.panel[0], "x:t"); /* y is 200 times smaller */
    assert_string_equal(c.panel[1], "y:t");
    assert_string_equal(c.panel[2], "phi:t");
    assert_string_equal(c.panel[3], "F:t");
    zw_table_destroy(t);
}

static void test_choice__what_moves_and_can_be_named(void **state) {
    (void)state;
    static const char *const name[] = {"t",       "x",   "x'",   "z",         "noise",
                                       "kinetic", "a+b", "R.p0", "lambda(c)", "w"};
    static const char *const unit[] = {"s", "m", "m/s", "m", "m", "J", "m", "", "N", "m"};
    zw_table *t = zw_table_create(NULL);
    zw_figure_choice c;
    for (int i = 0; i < 10; i++)
        zw_table_column(t, name[i], unit[i]);
    /* before a run there are no rows: all positions */
    zw_figure_choose(&c, 1, &(zw_figure_run){.table = t});
    assert_string_equal(c.panel[0], "x+z+noise+w:t");
    for (int i = 0; i < 5; i++)
        zw_table_row(t, (double[]){i, i, 1, 3, 1e-17 * i, i, i, i, i, 4 - i});
    zw_figure_choose(&c, 1, &(zw_figure_run){.table = t});
    assert_int_equal(c.n, 1);
    assert_string_equal(c.panel[0], "x+w:t");
    zw_table_destroy(t);
    /* nothing but a time */
    t = zw_table_create(NULL);
    zw_table_column(t, "t", "s");
    zw_figure_choose(&c, 1, &(zw_figure_run){.table = t});
    assert_int_equal(c.n, 0);
    zw_table_destroy(t);
}

static void test_choice__data_of_a_fit_are_signs_beside_its_motion(void **state) {
    (void)state;
    static const char *const name[] = {"t",           "x",       "x'",          "data(x)", "sd(x)",
                                       "residual(x)", "data(h)", "residual(h)", "h"};
    zw_table *t = zw_table_create(NULL);
    zw_figure_choice c;
    for (int i = 0; i < 9; i++)
        zw_table_column(t, name[i], "");
    for (int i = 0; i < 5; i++)
        zw_table_row(t, (double[]){i, i, 1, i, 0.1, 0, i, 0, i});
    zw_table_note(t, "kind", "fit");
    const zw_figure_run run = {.table = t};
    zw_figure_choose(&c, 1, &run);
    assert_int_equal(c.n, 3);
    assert_string_equal(c.panel[0], "x+data(x):t");
    assert_string_equal(c.panel[1], "h+data(h):t");
    assert_string_equal(c.panel[2], "residual(x)+residual(h):t");
    zw_figure *f = NULL;
    assert_int_equal(
        zw_figure_create(&f, 1, (const char *const[]){c.panel[0]}, 1, &run, NULL, NULL), ZW_OK);
    const zw_panel *p = zw_figure_picture(f)->panel;
    assert_false(p->curve[0].points);
    assert_true(p->curve[1].points);
    assert_string_equal(p->label[1], "x"); /* the legend tells which is what */
    zw_figure_destroy(f);
    f = NULL;
    assert_int_equal(
        zw_figure_create(&f, 1, (const char *const[]){c.panel[2]}, 1, &run, NULL, NULL), ZW_OK);
    assert_string_equal(zw_figure_picture(f)->panel->label[1], "\"residuals\"");
    assert_true(zw_figure_picture(f)->panel->curve[1].dots);
    assert_true(zw_figure_picture(f)->panel->curve[1].gaps); /* rows between the data */
    zw_figure_destroy(f);
    /* with the ends of standard deviations there are bars */
    zw_table_add_column(t, "low(x)", "", NULL);
    zw_table_add_column(t, "high(x)", "", NULL);
    zw_figure_choose(&c, 1, &run);
    assert_string_equal(c.panel[0], "x+data(x)+low(x)..high(x):t");
    assert_string_equal(c.panel[1], "h+data(h):t");
    zw_table_destroy(t);
}

/* the label of run k of a list */
static const char *label_of(const char *list, long k) {
    static char label[200];
    const zw_model_options lists = {.nset = 1, .set = &list};
    zw_context *ctx = zw_context_create(NULL);
    zw_table *result = zw_table_create(NULL);
    zw_model_options one;
    assert_int_equal(zw_figure_series_run(&one, ctx, &lists, k, NULL, NULL), ZW_OK);
    zw_figure_series_label(&one, &lists, result, label, sizeof label);
    zw_table_destroy(result);
    zw_context_destroy(ctx);
    return label;
}

static void test_series__numbers_are_clean(void **state) {
    (void)state;
    static const char list[] =
        "a=0.30000000000000004,0.00000001,1.0000000000000001e-08,1E+06,5,-2e-7 m";
    static const char *const wanted[] = {"a = 0.3 {m}", "a = 1e-8 {m}", "a = 1e-8 {m}",
                                         "a = 1e6 {m}", "a = 5 {m}",    "a = -2e-7 {m}"};
    for (int k = 0; k < 6; k++)
        assert_string_equal(label_of(list, k), wanted[k]);
    /* digits that tell values apart stay */
    assert_string_equal(label_of("a=1,1.0000000000001,1.00000000000012", 1), "a = 1.0000000000001");
    assert_string_equal(label_of("a=1,1.0000000000001,1.00000000000012", 2),
                        "a = 1.00000000000012");
}

/* 3*k behind the comma is no number with the unit *k */
static void test_series__formulas_are_no_units(void **state) {
    (void)state;
    static const char *const set = "a=1e-8,3*1e-8";
    const zw_model_options lists = {.nset = 1, .set = &set};
    zw_context *ctx = zw_context_create(NULL);
    zw_model_options one;
    assert_int_equal(zw_figure_series_run(&one, ctx, &lists, 0, NULL, NULL), ZW_OK);
    assert_string_equal(one.set[0], "a=1e-8");
    assert_string_equal(label_of(set, 1), "a = 3*1e-8");
    zw_context_destroy(ctx);
}

/* A locale with a comma: that of Germany as it is here, or made for the test; false: neither is
 * possible. */
static bool set_comma(void) {
    char folder[] = "/tmp/zwang-locale-XXXXXX", command[200];
    if (setlocale(LC_ALL, "de_DE.UTF-8"))
        return true;
    if (!mkdtemp(folder))
        return false;
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1",
             folder);
    setenv("LOCPATH", folder, 1);
    bool made = system(command) == 0 && setlocale(LC_ALL, "de_DE.UTF-8");
    snprintf(command, sizeof command, "rm -r %s", folder); /* it stays in memory */
    return system(command) == 0 && made;
}

/* Formulas, models, options, messages and files have points, whatever locale the program has set,
 * and that stays set. */
static void test_figure__a_comma_is_left_alone(void **state) {
    (void)state;
    if (!set_comma()) {
        print_message("no locale with a comma can be had here\n");
        skip();
    }
    char text[64];
    zw_error err = {0};
    zw_table *t = zw_table_create(NULL);
    zw_table_column(t, "x", "m");
    zw_table_row(t, (double[]){3});
    assert_int_equal(zw_figure_column(t, "1.5*x + 0.25", "y", &err), ZW_OK);
    assert_true(zw_table_at(t, 0, zw_table_find(t, "y")) == 4.75);
    zw_table_destroy(t);
    /* more digits than the fast reader takes, in a number of a model and in one of a file */
    static const char long_numbers[] =
        "model m\nunits none\nparam k = 1.23456789012345678901, n = 0.5\nstate x : x' "
        "= -k*x\nstart x = 1\nobserve y = 2.50000000000000000000*x";
    zw_context *ctx = zw_context_create(NULL);
    zw_system *sys;
    err = (zw_error){0};
    assert_int_equal(
        zw_model_parse(&sys, ctx, long_numbers, strlen(long_numbers), "m.zw", NULL, &err), ZW_OK);
    double p[2];
    assert_int_equal(zw_system_param_values(sys, p, &err), ZW_OK);
    assert_true(p[0] == 1.23456789012345678901 && p[1] == 0.5);
    zw_context_destroy(ctx);
    FILE *f = fopen("comma.csv", "w");
    assert_non_null(f);
    fputs("t[s],x[m]\n0,1.23456789012345678901\n1.5,2.5\n", f);
    fclose(f);
    assert_int_equal(zw_table_read(&t, "comma.csv", &err), ZW_OK);
    assert_true(zw_table_at(t, 0, 1) == 1.23456789012345678901 && zw_table_at(t, 1, 0) == 1.5);
    zw_table_destroy(t);
    /* messages */
    zw_warning d = zw_warning_of("key", NAN, "%g", 0.5);
    assert_string_equal(d.text, "0.5");
    zw_fail(&err, ZW_E_NUMERIC, "%g", 1.25);
    /* and the program is as it was */
    snprintf(text, sizeof text, "%g", 1.5);
    assert_string_equal(text, "1,5");
    setlocale(LC_ALL, "C");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figure__a_comma_is_left_alone),
        cmocka_unit_test(test_column__is_the_formula),
        cmocka_unit_test(test_table__of_formulas),
        cmocka_unit_test(test_rows__at_an_event),
        cmocka_unit_test(test_figure__panels_and_curves),
        cmocka_unit_test(test_figure__refusals),
        cmocka_unit_test(test_figure__runs_of_panels),
        cmocka_unit_test(test_data__is_what_is_seen),
        cmocka_unit_test(test_figure__survives_failing_allocations),
        cmocka_unit_test(test_page__of_a_result),
        cmocka_unit_test(test_figure__one_unit_on_an_axis),
        cmocka_unit_test(test_series__settings),
        cmocka_unit_test(test_figure__two_axes),
        cmocka_unit_test(test_figure__ranges_and_scales_of_the_right_axis),
        cmocka_unit_test(test_choice__one_panel_per_unit_and_size),
        cmocka_unit_test(test_choice__what_moves_and_can_be_named),
        cmocka_unit_test(test_choice__data_of_a_fit_are_signs_beside_its_motion),
        cmocka_unit_test(test_series__numbers_are_clean),
        cmocka_unit_test(test_series__formulas_are_no_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
