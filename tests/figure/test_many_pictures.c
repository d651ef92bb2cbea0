/* SPDX-License-Identifier: MIT */
/* From tables of many motions to pictures: maps by their notes, classes with names, contour lines
 * on maps, histograms, bands, sweeps up and down beside a curve. */
#include "figure/internal.h"
#include "support/failing_allocator.h"
#include "support/test.h"

enum { NX = 31, NY = 21 };

static double height(double x, double y) {
    return x * x + y * y - 1;
}

/* a grid in a shuffled order: step is prime to the number of places */
static zw_table *grid_of(double (*z)(double, double), const char *name) {
    zw_table *t = zw_table_create(NULL);
    zw_table_column(t, "a", "m");
    zw_table_column(t, "b", "m");
    zw_table_column(t, name, "1/s");
    for (long k = 0; k < NX * NY; k++) {
        long i = k * 100 % (NX * NY), row = i / NX;
        double x = -1.5 + 3.0 * (double)(i % NX) / (NX - 1), y = -1 + 2.0 * (double)row / (NY - 1);
        zw_table_row(t, (double[]){x, y, z(x, y)});
    }
    char note[60];
    snprintf(note, sizeof note, "a b %s", name);
    zw_table_note(t, "map", note);
    return t;
}

static zw_figure *figure_with(int nrun, const zw_figure_run *run, const char *panel,
                              const zw_figure_options *o) {
    zw_figure *f;
    zw_error err = {0};
    if (zw_figure_create(&f, 1, &panel, nrun, run, o, &err) < 0)
        fail_msg("%s", err.text);
    return f;
}

static void refused(const zw_table *t, const char *panel, const zw_figure_options *o,
                    const char *words) {
    zw_figure *f;
    zw_error err = {0};
    assert_true(zw_figure_create(&f, 1, &panel, 1, &(zw_figure_run){.table = t}, o, &err) < 0);
    if (!strstr(err.text, words))
        fail_msg("'%s' does not say '%s'", err.text, words);
    assert_null(f);
}

static double bowl(double x, double y) {
    return x * x + y * y + 0.5;
}

static double quarters(double x, double y) {
    return x == 0 && y == 0 ? 0 : 1 + (x > 0) + 2 * (y > 0);
}

/* ---- maps ---- */

/* curves and specimens of notes, where the axes are those of the note; elsewhere their places have
 * no meaning */
static void test_map__has_curves_and_specimens_of_notes(void **state) {
    (void)state;
    zw_table *t = grid_of(quarters, "region");
    zw_table_note(t, "curve 0", "b = 0\n-1 0; 1 0; ");
    zw_table_note(t, "curve 1", "a corner\n0 0; 0.5 0.25; nan nan; 1 1; ");
    zw_table_note(t, "specimen 0", "v1\n0.5 -0.5");
    zw_figure_run run = {.table = t};
    zw_figure *f = figure_with(1, &run, "region:a,b", NULL);
    const zw_panel *p = zw_figure_picture(f)->panel;
    assert_int_equal(p->n, 3);
    assert_string_equal(p->curve[1].label, "b = 0");
    const zw_curve *c = &p->curve[2];
    assert_close(zw_table_at(c->table, 1, c->x), 0.5, 0);
    assert_close(zw_table_at(c->table, 1, c->y), 0.25, 0);
    assert_true(isnan(zw_table_at(c->table, 2, c->x)));
    assert_close(zw_table_at(c->table, 3, c->y), 1, 0);
    assert_int_equal(p->nmark, 1);
    assert_true(p->mark[0].x == 0.5 && p->mark[0].y == -0.5);
    assert_string_equal(p->mark[0].text, "\"v1\"");
    zw_figure_destroy(f);
    f = figure_with(1, &run, "region:b,a", NULL);
    assert_int_equal(zw_figure_picture(f)->panel->n, 1);
    zw_figure_destroy(f);
    zw_table_destroy(t);
}

static void test_map__is_chosen_by_its_note(void **state) {
    (void)state;
    zw_table *t = grid_of(height, "lambda_1");
    zw_figure_run run = {.table = t};
    zw_figure_choice choice;
    zw_figure_choose(&choice, 1, &run);
    assert_int_equal(choice.n, 1);
    assert_string_equal(choice.panel[0], "lambda_1:a,b");
    zw_figure *f = figure_with(1, &run, choice.panel[0], NULL);
    const zw_panel *p = zw_figure_picture(f)->panel;
    assert_non_null(p->map);
    assert_int_equal(p->map->colours, ZW_COLOURS_DIVERGING); /* it has both signs */
    assert_int_equal(p->scale, ZW_SCALE_EQUAL);              /* two lengths */
    /* paper as high as the map needs it: 2 to 3 */
    assert_true(zw_figure_picture(f)->height < 85 && zw_figure_picture(f)->height > 70);
    assert_int_equal(p->n, 1);
    zw_table *data = zw_table_create(NULL);
    assert_int_equal(zw_figure_data(f, data, NULL), ZW_OK);
    assert_int_equal(zw_table_rows(data), NX * NY);
    zw_table_destroy(data);
    zw_figure_destroy(f);
    zw_table_destroy(t);
    t = grid_of(bowl, "z");
    f = figure_with(1, &(zw_figure_run){.table = t}, "z:a,b", NULL);
    assert_int_equal(zw_figure_picture(f)->panel->map->colours, ZW_COLOURS_EVEN);
    zw_figure_destroy(f);
    zw_table_destroy(t);
}

static void test_map__range_and_formulas(void **state) {
    (void)state;
    zw_table *t = grid_of(bowl, "z");
    zw_figure_options o = zw_figure_options_default();
    const char *range = "2*z=1:3", *label = "words";
    o.range = (zw_figure_texts){1, &range};
    o.label[2] = (zw_figure_texts){1, &label};
    o.logz = true;
    zw_figure *f = figure_with(1, &(zw_figure_run){.table = t}, "2*z:a,b", &o);
    const zw_panel *p = zw_figure_picture(f)->panel;
    assert_true(p->span[2].low == 1 && p->span[2].high == 3);
    assert_true(p->log[2]);
    assert_string_equal(p->label[2], "words");
    zw_figure_destroy(f);
    zw_table_destroy(t);
}

static void test_map__classes_have_names(void **state) {
    (void)state;
    zw_table *t = grid_of(quarters, "attractor");
    zw_table_note(t, "attractor 1",
                  "rest at \"a\"; share 0.25 +- 0.01; stable\na = 0.5, c = 3, b = -0.5");
    zw_table_note(t, "attractor 3", "cycle\nb = 0.2, a = 0.1\na = -0.3, b = 0.4\na = 7, c = 8");
    zw_figure_options o = zw_figure_options_default();
    zw_figure *f = figure_with(1, &(zw_figure_run){.table = t}, "attractor:a,b", &o);
    const zw_panel *p = zw_figure_picture(f)->panel;
    assert_int_equal(p->map->colours, ZW_COLOURS_CLASSES);
    assert_int_equal(p->map->nclass, 5);
    assert_string_equal(p->map->item[0].label, "\"rest at a\"");
    assert_string_equal(p->map->item[1].label, "\"attractor 2\"");
    assert_string_equal(p->map->item[2].label, "\"cycle\"");
    assert_int_equal(p->map->item[4].value, 0);
    assert_string_equal(p->map->item[4].label, "\"not decided\"");
    assert_int_equal(p->nmark, 3);
    assert_true(p->mark[0].x == 0.5 && p->mark[0].y == -0.5);
    assert_true(p->mark[2].x == -0.3 && p->mark[2].y == 0.4);
    zw_figure_destroy(f);
    zw_table_note(t, "attractor 2 at", "0.7 0.8; -0.7 -0.8"); /* in the plane of the map */
    f = figure_with(1, &(zw_figure_run){.table = t}, "attractor:a,b", &o);
    p = zw_figure_picture(f)->panel;
    assert_int_equal(p->nmark, 5);
    assert_true(p->mark[2].x == -0.7 && p->mark[2].y == -0.8);
    zw_figure_destroy(f);
    /* places are those of the table, also where the axes are formulas of it */
    f = figure_with(1, &(zw_figure_run){.table = t}, "attractor:2*a,-b", &o);
    p = zw_figure_picture(f)->panel;
    assert_true(p->mark[0].x == 1 && p->mark[0].y == 0.5);
    zw_figure_destroy(f);
    o.levels = "0";
    refused(t, "attractor:a,b", &o, "no contour lines");
    o.levels = NULL;
    o.colours = ZW_FIGURE_COLOURS_EVEN;
    f = figure_with(1, &(zw_figure_run){.table = t}, "attractor:a,b", &o);
    assert_int_equal(zw_figure_picture(f)->panel->map->colours, ZW_COLOURS_EVEN);
    zw_figure_destroy(f);
    zw_table_destroy(t);
}

/* a chart: its classes are pale, curves and points of its notes are over them, each curve with a
 * name in a look of its own */
static void test_map__charts(void **state) {
    (void)state;
    zw_table *t = grid_of(quarters, "region");
    const char *name[] = {"Hopf", "a = 1 + b", "", "fold"};
    for (int k = 0; k < 4; k++) {
        char key[32], note[100];
        snprintf(key, sizeof key, "curve %d", k);
        snprintf(note, sizeof note, "%s\n0 %d; 0.5 0.25; nan nan; 0.7 0.3; ", name[k], k);
        zw_table_note(t, key, note);
    }
    zw_table_note(t, "map", "a b region");
    zw_table_note(t, "region 1", "spin stable; with much else");
    zw_table_note(t, "specimen 0", "V1\n0.3 0.4");
    zw_figure_options o = zw_figure_options_default();
    double height = 0;
    for (int chart = 0; chart < 2; chart++) {
        if (chart)
            zw_table_note(t, "kind", "chart");
        zw_figure *f = figure_with(1, &(zw_figure_run){.table = t}, "region:a,b", &o);
        const zw_panel *p = zw_figure_picture(f)->panel;
        assert_true(p->map->pale == (chart == 1));
        assert_string_equal(p->map->item[0].label, "\"spin stable\"");
        assert_int_equal(p->n, 5);
        assert_string_equal(p->curve[1].label, "\"Hopf\"");
        assert_string_equal(p->curve[2].label, "a = 1 + b"); /* an equation is set as one */
        assert_true(!p->curve[3].label && p->curve[3].fine);
        assert_true(p->curve[1].style != p->curve[2].style &&
                    p->curve[2].style != p->curve[4].style &&
                    p->curve[1].style != p->curve[4].style);
        assert_int_equal(p->nmark, 1);
        assert_string_equal(p->mark[0].text, "\"V1\"");
        /* the rows of the legend do not take the room of the frame */
        if (chart)
            assert_true(zw_figure_picture(f)->height == height + 4 * p->map->nclass);
        height = zw_figure_picture(f)->height;
        zw_figure_destroy(f);
    }
    zw_table_destroy(t);
}

/* all names in one note, and the quantities of other tables of many motions */
static void test_map__choices(void **state) {
    (void)state;
    zw_table *t = grid_of(quarters, "verdict");
    zw_table_note(t, "verdict", "0 undecided, 1 steady, 2 periodic, 3 quasi-periodic, 4 chaotic");
    zw_figure *f = figure_with(1, &(zw_figure_run){.table = t}, "verdict:a,b", NULL);
    const zw_map *map = zw_figure_picture(f)->panel->map;
    assert_int_equal(map->colours, ZW_COLOURS_CLASSES);
    assert_string_equal(map->item[2].label, "\"quasi-periodic\"");
    assert_string_equal(map->item[4].label, "\"undecided\"");
    zw_figure_destroy(f);
    zw_table_destroy(t);
    static const struct {
        const char *columns, *kind, *notes, *panel;
    } many[] = {
        {"F Omega sweep max(x) point end", "sweep", "axis F,axis Omega", "max(x):F,Omega"},
        {"Omega sweep jump max(x) period point end", "sweep", "axis Omega", "max(x):Omega"},
        {"F share(x,-1,0) point end", "sweep", "axis F", "share(x,-1,0):F"},
        {"theta(0) max(x) point end", "sweep", "axis theta", "max(x):theta(0)"},
        {"rho lambda_1 lambda_2 error_1 error_2", "exponents over a parameter", "",
         "lambda_1+lambda_2:rho"},
        {"slope reserve rests lambda(floor)", "rest over a range", "", "reserve:slope"},
        {"a b lambda_1 error_1", "exponents over two parameters", "", "lambda_1:a,b"},
        {"x x' attractor time", "basin", "", "attractor:x,x'"},
        {"F attractor share error x", "basin", "", "share:F"},
        {"t q05(x) q95(x) mean(x) q5(x)", NULL, "", "mean(x)+q05(x)..q95(x):t"},
    };
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) {
        char words[200], *rest;
        zw_figure_choice choice;
        t = zw_table_create(NULL);
        snprintf(words, sizeof words, "%s", many[i].columns);
        for (char *w = strtok_r(words, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
            zw_table_column(t, w, "");
        snprintf(words, sizeof words, "%s", many[i].notes);
        for (char *w = strtok_r(words, ",", &rest); w; w = strtok_r(NULL, ",", &rest))
            zw_table_note(t, w, "");
        if (many[i].kind)
            zw_table_note(t, "kind", many[i].kind);
        zw_figure_choose(&choice, 1, &(zw_figure_run){.table = t});
        assert_int_equal(choice.n, 1);
        assert_string_equal(choice.panel[0], many[i].panel);
        zw_table_destroy(t);
    }
}

/* a circle of radius 1 where the height is zero, from rows in no order */
static void test_map__contour_lines(void **state) {
    (void)state;
    zw_table *t = grid_of(height, "z");
    zw_figure_options o = zw_figure_options_default();
    o.levels = "0,0.44";
    zw_figure *f = figure_with(1, &(zw_figure_run){.table = t}, "z:a,b", &o);
    const zw_panel *p = zw_figure_picture(f)->panel;
    assert_int_equal(p->n, 3);
    assert_int_equal(p->map->nlevel, 2);
    for (int k = 1; k <= 2; k++) {
        const zw_curve *c = &p->curve[k];
        long n = 0;
        for (long row = 0; row < zw_table_rows(c->table); row++) {
            double x = zw_table_at(c->table, row, c->x), y = zw_table_at(c->table, row, c->y);
            if (!isfinite(x))
                continue;
            n++;
            /* between points of the grid at a distance h lines are straight: h^2/8 of curvature */
            assert_true(fabs(hypot(x, y) - (k == 1 ? 1 : 1.2)) < 0.0015);
        }
        assert_true(n > 40);
    }
    zw_figure_destroy(f);
    o.levels = "auto";
    f = figure_with(1, &(zw_figure_run){.table = t}, "z:a,b", &o);
    assert_true(zw_figure_picture(f)->panel->n > 5);
    zw_figure_destroy(f);
    o.levels = "0,x";
    refused(t, "z:a,b", &o, "at which values");
    zw_table_destroy(t);
}

static void test_map__refusals(void **state) {
    (void)state;
    zw_table *t = grid_of(height, "z");
    zw_figure_run two[2] = {{.table = t, .label = "one"}, {.table = t, .label = "two"}};
    zw_figure_choice choice;
    zw_figure_options o = zw_figure_options_default();
    /* of several results each has a panel */
    zw_figure_choose(&choice, 2, two);
    assert_int_equal(choice.n, 1);
    zw_figure *f = figure_with(2, two, choice.panel[0], NULL);
    assert_int_equal(zw_figure_picture(f)->n, 2);
    for (int i = 0; i < 2; i++) {
        const zw_panel *p = &zw_figure_picture(f)->panel[i];
        assert_non_null(p->map);
        assert_int_equal(p->n, 1);
        assert_ptr_equal(p->curve->table, zw_figure_drawn(f, i));
        assert_string_equal(p->title, two[i].label);
    }
    zw_figure_destroy(f);
    /* but its parts are not parted */
    zw_table_note(t, "parts", "b");
    refused(t, "z:a,b", NULL, "a map shows all rows");
    zw_table_remove_note(t, "parts");
    refused(t, "z:a,c", NULL, "c");
    refused(t, "z:a,b+z:b,a", NULL, "does not name a quantity");
    o.shade = "z";
    refused(t, "z:a,b", &o, "--shade");
    o.shade = NULL;
    o.colours = ZW_FIGURE_COLOURS_CLASSES;
    refused(t, "z:a,b", &o, "whole numbers");
    o.colours = ZW_FIGURE_COLOURS_DIVERGING;
    o.logz = true;
    refused(t, "z:a,b", &o, "--logz");
    zw_table_destroy(t);
}

/* ---- histograms ---- */

static void test_histogram__is_a_density(void **state) {
    (void)state;
    enum { N = 4000 };
    zw_table *t = zw_table_create(NULL);
    zw_table_column(t, "x", "mm");
    for (int i = 0; i < N; i++) /* a triangle from 0 to 2 */
        zw_table_row(t,
                     (double[]){fmod(i * 0.6180339887498949, 1) + fmod(i * 0.7548776662466927, 1)});
    zw_table_row(t, (double[]){NAN});
    zw_figure_options o = zw_figure_options_default();
    o.bins = 20;
    zw_figure *f = figure_with(1, &(zw_figure_run){.table = t}, "hist(x)", &o);
    const zw_panel *p = zw_figure_picture(f)->panel;
    const zw_curve *c = &p->curve[1];
    assert_int_equal(p->n, 2);
    assert_true(p->curve[0].band > 0 && p->curve[1].band == 0);
    assert_true(p->curve[0].style == p->curve[1].style);
    assert_string_equal(p->label[0], "x [mm]");
    assert_string_equal(p->label[1], "\"density\" [1/mm]");
    double area = 0, worst = 0;
    assert_int_equal(zw_table_rows(c->table), 3 * 20 + 1); /* bars: down to zero between them */
    for (long row = 0; row < zw_table_rows(c->table); row += 3)
        assert_true(zw_table_at(c->table, row, c->y) == 0);
    for (long row = 1; row + 1 < zw_table_rows(c->table); row += 3) {
        double from = zw_table_at(c->table, row, c->x), to = zw_table_at(c->table, row + 1, c->x),
               y = zw_table_at(c->table, row, c->y), x = (from + to) / 2;
        area += (to - from) * y;
        worst = fmax(worst, fabs(y - (1 - fabs(x - 1))));
    }
    assert_true(fabs(area - 1) < 1e-12);
    assert_true(worst < 0.06);
    zw_figure_destroy(f);
    o.bins = 200; /* too many for bars: one outline */
    f = figure_with(1, &(zw_figure_run){.table = t}, "hist(x)", &o);
    c = &zw_figure_picture(f)->panel->curve[1];
    assert_int_equal(zw_table_rows(c->table), 2 * 200 + 2);
    zw_figure_destroy(f);
    f = figure_with(1, &(zw_figure_run){.table = t}, "hist(x*x)", NULL);
    assert_string_equal(zw_figure_picture(f)->panel->label[0], "x*x [m^2]");
    zw_figure_destroy(f);
    refused(t, "hist(y)", NULL, "y");
    zw_table_destroy(t);
}

/* ---- bands ---- */

static void test_band__names_and_colours(void **state) {
    (void)state;
    zw_table *t = zw_table_create(NULL);
    zw_table_column(t, "t", "s");
    const char *const name[] = {"mean(x)", "q05(x)", "q95(x)", "q025(x)", "q975(x)"};
    for (int i = 0; i < 5; i++)
        zw_table_column(t, name[i], "m");
    for (int i = 0; i < 10; i++)
        zw_table_row(t, (double[]){i, 0, -1, 1, -2, 2});
    zw_figure *f = figure_with(1, &(zw_figure_run){.table = t},
                               "q025(x)..q975(x)+mean(x)+q05(x)..q95(x):t", NULL);
    const zw_panel *p = zw_figure_picture(f)->panel;
    assert_int_equal(p->n, 3);
    assert_string_equal(p->curve[0].label, "\"2.5 % to 97.5 %\"");
    assert_string_equal(p->curve[2].label, "\"5 % to 95 %\"");
    assert_true(p->curve[0].style == p->curve[1].style && p->curve[1].style == p->curve[2].style);
    assert_true(p->curve[0].band && !p->curve[1].band && p->curve[2].band);
    assert_string_equal(p->label[1], "x [m]");
    zw_figure_destroy(f);
    /* all quantities that have both */
    f = figure_with(1, &(zw_figure_run){.table = t}, "mean+q05..q95:t", NULL);
    assert_int_equal(zw_figure_picture(f)->panel->n, 2);
    zw_figure_destroy(f);
    refused(t, "mean(x)..:t", NULL, "does not name a quantity");
    zw_table_destroy(t);
}

/* ---- sweeps ---- */

/* up and down with their signs, beside the curve of another result */
static void test_sweep__beside_a_response(void **state) {
    (void)state;
    zw_table *sweep = zw_table_create(NULL), *curve = zw_table_create(NULL);
    zw_table_column(sweep, "Omega", "rad/s");
    zw_table_column(sweep, "direction", "");
    zw_table_column(sweep, "max(x)", "m");
    zw_table_note(sweep, "kind", "sweep");
    zw_table_note(sweep, "parts", "direction");
    zw_table_note(sweep, "part direction 1", "up \"up\"");
    zw_table_note(sweep, "part direction -1", "down \"down\"");
    zw_table_column(curve, "Omega", "rad/s");
    zw_table_column(curve, "max(x)", "m");
    zw_table_column(curve, "stable", "");
    zw_table_note(curve, "kind", "response");
    for (int i = 0; i < 20; i++) {
        zw_table_row(sweep, (double[]){i, i < 10 ? 1 : -1, i});
        zw_table_row(curve, (double[]){i, i, i < 5});
    }
    zw_figure_run run[2] = {{.table = sweep, .label = "sweep"}, {.table = curve, .label = "curve"}};
    zw_figure *f = figure_with(2, run, "max(x):Omega", NULL);
    const zw_panel *p = zw_figure_picture(f)->panel;
    assert_int_equal(p->n, 3);
    assert_true(p->curve[0].points && p->curve[0].shape == 1 + ZW_MARK_TRIANGLE);
    assert_true(p->curve[1].points && p->curve[1].shape == 1 + ZW_MARK_DOWN);
    assert_true(!p->curve[2].points && p->curve[2].solid > 0);
    assert_int_equal(zw_table_rows(p->curve[0].table), 10);
    assert_string_equal(p->curve[1].label, "\"down\"");
    zw_figure_destroy(f);
    /* sweeps have these signs even if the notes have no words for them, and dots where they have
     * very many rows, or rows within their motions */
    zw_table *own = zw_table_create(NULL);
    zw_table_column(own, "Omega", "rad/s");
    zw_table_column(own, "sweep", "");
    zw_table_column(own, "max(x)", "m");
    zw_table_note(own, "kind", "sweep");
    zw_table_note(own, "parts", "sweep");
    for (int i = 0; i < 700; i++)
        zw_table_row(own, (double[]){i, i < 600 ? 1 : -1, i});
    f = figure_with(1, &(zw_figure_run){.table = own}, "max(x):Omega", NULL);
    p = zw_figure_picture(f)->panel;
    assert_true(p->curve[0].dots && !p->curve[0].points);
    assert_true(p->curve[1].points && p->curve[1].shape == 1 + ZW_MARK_DOWN);
    zw_figure_destroy(f);
    zw_table_destroy(own);
    /* neighbours in a sweep over two axes, or over one that is drawn by chance, are none in the
     * picture: no line */
    const char *const axes[][2] = {{"5 values, 1 to 2", NULL},
                                   {"5 values, 1 to 2", "3 values, 1 to 2"},
                                   {"drawn evenly from 1 to 2", NULL}};
    for (int i = 0; i < 3; i++) {
        zw_table *many = zw_table_create(NULL);
        zw_table_column(many, "Omega", "rad/s");
        zw_table_column(many, "F", "N");
        zw_table_column(many, "max(x)", "m");
        zw_table_note(many, "kind", "sweep");
        zw_table_note(many, "axis Omega", axes[i][0]);
        if (axes[i][1])
            zw_table_note(many, "axis F", axes[i][1]);
        for (int k = 0; k < 15; k++) {
            int row = k / 5;
            zw_table_row(many, (double[]){k % 5, row, k});
        }
        f = figure_with(1, &(zw_figure_run){.table = many}, "max(x):Omega", NULL);
        assert_true(zw_figure_picture(f)->panel->curve[0].points == (i > 0));
        zw_figure_destroy(f);
        zw_table_destroy(many);
    }
    /* a table that says so is drawn as dots beside lines */
    zw_table_remove_note(sweep, "parts");
    zw_table_note(sweep, "drawn", "dots");
    f = figure_with(2, run, "max(x):Omega", NULL);
    p = zw_figure_picture(f)->panel;
    assert_true(p->curve[0].dots && !p->curve[1].dots);
    zw_figure_destroy(f);
    zw_table_destroy(sweep);
    zw_table_destroy(curve);
}

/* ---- pages ---- */

static const char *const wells = "model wells \"Two wells\"\nparam c = 0.3 [N*s/m], m = 1 [kg]\n"
                                 "coord x [m]\nparticle mass_1 : m at (x, 0)\n"
                                 "potential 1/2*0.5 [N/m]*x^2\ndissipation 1/2*c*x'^2\n"
                                 "start x = 1 [mm], x' = 0\n";

/* a map of the start over a parameter, and a column that is neither */
static zw_table *table_of_starts(int nx, int ny) {
    zw_table *t = zw_table_create(NULL);
    zw_table_column(t, "x", "mm");
    zw_table_column(t, "c", "N*s/m");
    zw_table_column(t, "attractor", "");
    for (int k = nx * ny - 1; k >= 0; k--) {
        int row = k / nx;
        if (k != 1)
            zw_table_row(t, (double[]){1 + k % nx, 0.1 * (1 + row), 1 + k % 2});
    }
    zw_table_note(t, "text", wells);
    zw_table_note(t, "file", "wells.zw");
    zw_table_note(t, "set", "m=2kg");
    zw_table_note(t, "kind", "basin");
    zw_table_note(t, "map", "x c attractor");
    zw_table_note(t, "attractor 2", "even; stable\nx = 2, c = 0.1\nx = 4, c = 0.1");
    return t;
}

static void test_page__has_the_map_and_motions(void **state) {
    (void)state;
    zw_table *t = table_of_starts(8, 6);
    zw_figure_page *p;
    zw_error err = {0};
    const zw_figure_survey_options o = {.until = 2, .motions = 12, .rows = 50};
    assert_true(zw_figure_is_survey(t));
    if (zw_figure_survey_page_create(&p, t, &o, &err) < 0)
        fail_msg("%s", err.text);
    const zw_page *page = zw_figure_page_content(p);
    const zw_page_survey *s = page->survey;
    assert_int_equal(s->nx, 8);
    assert_int_equal(s->ny, 6);
    assert_int_equal(zw_table_rows(page->branch), 48);
    assert_true(isnan(zw_table_at(page->branch, 1, s->number))); /* a hole */
    assert_true(zw_table_at(page->branch, 0, s->number) == 47);  /* the last row of the file */
    assert_true(zw_table_at(page->branch, 9, s->shown) == 2);
    assert_int_equal(s->nclass, 2);
    assert_string_equal(s->item[0].label, "attractor 1");
    assert_string_equal(s->item[1].label, "even");
    assert_int_equal(s->nmark, 2);
    assert_true(s->mark[2] == 4 && s->mark[3] == 0.1);
    assert_int_equal(s->nsetting, 2);
    assert_string_equal(s->setting[0].name, "x");
    assert_string_equal(s->setting[0].unit, "mm");
    assert_int_equal(s->setting[1].column, -2);
    const char *const words[] = {"zwang", "view", "wells.zw", "--set", "m=2kg", "--until", "2"};
    assert_int_equal(s->nword, 7);
    for (int i = 0; i < 7; i++)
        assert_string_equal(s->word[i], words[i]);
    /* 3 x 3 motions, which begin where their cells are: x'' = -(c x' + k x)/m from rest */
    assert_int_equal(page->norbit, 9);
    for (int k = 0; k < 9; k++) {
        const zw_page_orbit *m = &page->orbit[k];
        double x0 = s->x[m->row % 8], c = s->y[m->row / 8];
        double d = c / 4, w = sqrt(0.25 - d * d); /* m = 2 kg, k = 0.5 N/m */
        long last = zw_table_rows(m->result) - 1;
        double exact = 1e-3 * x0 * exp(-2 * d) * (cos(2 * w) + d / w * sin(2 * w));
        assert_true(last <= 50);
        assert_true(fabs(zw_table_at(m->result, 0, 1) - 1e-3 * x0) < 1e-15);
        assert_true(zw_table_at(m->result, last, 0) == 2);
        assert_true(fabs(zw_table_at(m->result, last, 1) - exact) < 1e-9);
    }
    zw_figure_page_destroy(p);
    zw_table_destroy(t);
}

/* what was measured is called as a coordinate and is none of the start */
static void test_page__measured_is_no_start(void **state) {
    (void)state;
    zw_table *t = zw_table_create(NULL);
    const char *const name[] = {"c", "x'(0)", "t", "x", "point", "end"};
    for (int i = 0; i < 6; i++)
        zw_table_column(t, name[i], i == 1 ? "m/s" : "");
    for (int i = 0; i < 40; i++) {
        int point = i / 8;
        zw_table_row(t, (double[]){0.1 * (1 + point), 0.5, i % 8, sin(i), point, 0});
    }
    zw_table_note(t, "text", wells);
    zw_table_note(t, "kind", "sweep");
    zw_table_note(t, "axis c", "5 values");
    zw_table_note(t, "axis x'", "0.5 m/s");
    zw_figure_page *p;
    zw_error err = {0};
    /* with two axes it would be a map, of which a place has one row */
    assert_true(zw_figure_survey_page_create(&p, t, NULL, &err) < 0);
    zw_table_remove_note(t, "axis x'");
    zw_table_note(t, "axis y", "of another file");
    err = (zw_error){0};
    if (zw_figure_survey_page_create(&p, t, &(zw_figure_survey_options){.motions = 5}, &err) < 0)
        fail_msg("%s", err.text);
    const zw_page *page = zw_figure_page_content(p);
    assert_int_equal(page->survey->nsetting, 1);
    assert_string_equal(page->survey->setting[0].name, "c");
    assert_int_equal(page->norbit, 5);
    assert_true(zw_table_at(page->orbit[3].result, 0, 1) == 1e-3); /* the start of the model */
    zw_figure_page_destroy(p);
    zw_table_destroy(t);
}

/* what is no table of many motions of a model, and motions that cannot begin */
static void test_page__refusals(void **state) {
    (void)state;
    zw_table *t = table_of_starts(4, 3), *none = grid_of(height, "z");
    zw_figure_page *p;
    zw_error err = {0};
    assert_false(zw_figure_is_survey(none)); /* it has no model */
    zw_table_note(t, "text", "model other\ncoord y [m]\nparticle p : 1 [kg] at (y, 0)\n");
    zw_table_remove_note(t, "set");
    assert_true(zw_figure_survey_page_create(&p, t, NULL, &err) < 0);
    assert_non_null(strstr(err.text, "no column of the table is a parameter or a start"));
    assert_null(p);
    /* one fourth of the starts contradicts the constraint of this model */
    zw_table_note(t, "text",
                  "model rod\nparam c = 1 [N*s/m]\ncoord x, y [m]\nparticle p : 1 [kg] at (x, y)\n"
                  "constraint rod : x^2 + y^2 = 10 [mm^2]\nstart x = 1 [mm]\n");
    err = (zw_error){0};
    if (zw_figure_survey_page_create(&p, t, &(zw_figure_survey_options){.until = 1, .motions = 16},
                                     &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(zw_figure_survey_failed(p), 3); /* x = 4 mm is too far */
    zw_figure_page_destroy(p);
    zw_table_destroy(t);
    zw_table_destroy(none);
}

static void test_memory__may_run_out(void **state) {
    (void)state;
    zw_table *t = grid_of(height, "z");
    for (int what = 0; what < 3; what++) {
        for (long n = 1;; n++) {
            failing_allocator fa = failing_allocator_make(n);
            zw_allocator alloc = failing_allocator_of(&fa);
            zw_figure_options o = zw_figure_options_default();
            const char *panel = what == 1 ? "hist(z)" : "z:a,b";
            zw_figure *f;
            o.allocator = &alloc;
            o.levels = what == 2 ? "auto" : NULL;
            zw_status status =
                zw_figure_create(&f, 1, &panel, 1, &(zw_figure_run){.table = t}, &o, NULL);
            assert_true(status == ZW_OK || (status == ZW_E_MEMORY && fa.failed));
            zw_figure_destroy(f);
            assert_int_equal(fa.blocks, 0);
            assert_int_equal(fa.bytes, 0);
            if (!fa.failed)
                break;
        }
    }
    zw_table_destroy(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_map__is_chosen_by_its_note),
        cmocka_unit_test(test_map__has_curves_and_specimens_of_notes),
        cmocka_unit_test(test_map__range_and_formulas),
        cmocka_unit_test(test_map__classes_have_names),
        cmocka_unit_test(test_map__charts),
        cmocka_unit_test(test_map__choices),
        cmocka_unit_test(test_map__contour_lines),
        cmocka_unit_test(test_map__refusals),
        cmocka_unit_test(test_histogram__is_a_density),
        cmocka_unit_test(test_band__names_and_colours),
        cmocka_unit_test(test_sweep__beside_a_response),
        cmocka_unit_test(test_page__has_the_map_and_motions),
        cmocka_unit_test(test_page__measured_is_no_start),
        cmocka_unit_test(test_page__refusals),
        cmocka_unit_test(test_memory__may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
