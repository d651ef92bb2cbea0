/* SPDX-License-Identifier: MIT */
/* Branches of orbits in pictures and pages: between which values they move, labels at marks, steady
 * motions beside them, insets, the orbits and multipliers themselves. */
#include <math.h>

#include "figure/internal.h"
#include "support/failing_allocator.h"
#include "support/test.h"

enum { ROWS = 11 };

/* over p from 0 to 1: x between -sqrt(p) and 2 sqrt(p), stable up to the middle */
static zw_table *make_branch(void) {
    zw_table *t = zw_table_create(NULL);
    zw_table_column(t, "p", "N");
    zw_table_column(t, "max(x)", "m");
    zw_table_column(t, "min(x)", "m");
    zw_table_column(t, "max(phi)", "rad");
    zw_table_column(t, "min(phi)", "rad");
    zw_table_column(t, "stable", "");
    zw_table_column(t, "period", "s");
    for (int i = 0; i < ROWS; i++) {
        double p = 0.1 * i, r = sqrt(p);
        zw_table_row(t, (double[]){p, 2 * r, -r, r, -r, i < ROWS / 2, 1 + p});
    }
    zw_table_note(t, "kind", "response");
    return t;
}

/* circles of radius sqrt(p), one for each row */
static zw_table *make_orbits(void) {
    enum { POINTS = 40 };
    zw_table *t = zw_table_create(NULL);
    zw_table_column(t, "orbit", "");
    zw_table_column(t, "p", "N");
    zw_table_column(t, "t", "s");
    zw_table_column(t, "stable", "");
    zw_table_column(t, "x", "m");
    zw_table_column(t, "y", "m");
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k <= POINTS; k++) {
            double p = 0.1 * i, a = 2 * acos(-1) * k / POINTS;
            zw_table_row(
                t, (double[]){i, p, 0.1 * k, i < ROWS / 2, sqrt(p) * cos(a), sqrt(p) * sin(a)});
        }
    zw_table_note(t, "kind", "orbits");
    return t;
}

static zw_table *make_multipliers(void) {
    zw_table *t = zw_table_create(NULL);
    zw_table_column(t, "orbit", "");
    zw_table_column(t, "p", "N");
    zw_table_column(t, "re(mu)", "");
    zw_table_column(t, "im(mu)", "");
    for (int i = 0; i < ROWS; i++)
        for (int k = -1; k <= 1; k += 2)
            zw_table_row(t, (double[]){i, 0.1 * i, 0.3, 0.2 * i * k});
    zw_table_note(t, "kind", "orbits");
    return t;
}

static zw_figure *make_figure(int npanel, const char *const *panel, int nrun,
                              const zw_figure_run *run, const zw_figure_options *o) {
    zw_figure *f;
    zw_error err = {0};
    if (zw_figure_create(&f, npanel, panel, nrun, run, o, &err) < 0)
        fail_msg("%s", err.text);
    return f;
}

static const zw_panel *panel_of(const zw_figure *f, int i) {
    return &zw_figure_picture(f)->panel[i];
}

static void refuse(const char *panel, const zw_figure_run *run, const zw_figure_options *o,
                   const char *words) {
    zw_figure *f;
    zw_error err = {0};
    if (zw_figure_create(&f, 1, &panel, 1, run, o, &err) >= 0)
        fail_msg("'%s' is taken", panel);
    if (!strstr(err.text, words))
        fail_msg("'%s' is not in: %s", words, err.text);
}

/* ---- max and min ---- */

static void test_envelope__is_one_thing(void **state) {
    (void)state;
    zw_table *t = make_branch();
    const zw_figure_run run = {.table = t};
    const char *const one = "max(x)+min(x):p", *const two = "max(x)+min(x)+max(phi)+min(phi):p",
                      *const degrees = "deg(max(phi))+deg(min(phi)):p";
    zw_figure *f = make_figure(1, &one, 1, &run, NULL);
    const zw_panel *p = panel_of(f, 0);
    assert_int_equal(p->n, 2);
    assert_int_equal(p->curve[1].like, 1);
    assert_null(p->curve[0].label); /* the axis tells it */
    assert_null(p->curve[1].label);
    assert_int_equal(p->curve[0].solid > 0, 1);
    zw_figure_destroy(f);
    f = make_figure(1, &two, 1, &run, NULL);
    p = panel_of(f, 0);
    assert_int_equal(p->curve[3].like, 3);
    assert_string_equal(p->curve[0].label, "max(x), min(x)");
    assert_string_equal(p->curve[2].label, "max(phi), min(phi)");
    zw_figure_destroy(f);
    const char *const twice = "max(x)+min(x)+2*max(x)+2*min(x):p";
    f = make_figure(1, &twice, 1, &run, NULL);
    assert_string_equal(panel_of(f, 0)->label[1], "\"max, min\" [m]");
    zw_figure_destroy(f);
    f = make_figure(1, &degrees, 1, &run, NULL);
    assert_int_equal(panel_of(f, 0)->curve[1].like, 1);
    zw_figure_destroy(f);
    zw_figure_choice c;
    zw_figure_choose(&c, 1, &run);
    assert_int_equal(c.n, 2);
    assert_string_equal(c.panel[0], "max(x)+min(x):p"); /* phi has another unit */
    assert_string_equal(c.panel[1], "period:p");
    zw_table_destroy(t);
}

static void test_steady__stand_beside_orbits(void **state) {
    (void)state;
    zw_table *t = make_branch(), *s = zw_table_create(NULL);
    zw_table_column(s, "p", "N");
    zw_table_column(s, "x", "m");
    zw_table_column(s, "stable", "");
    for (int i = 0; i < 3; i++)
        zw_table_row(s, (double[]){i, -0.5 * i, i > 1});
    zw_table_note(s, "kind", "steady motions");
    const zw_figure_run run[] = {{.table = t, .label = "orbits"}, {.table = s, .label = "rest"}};
    const char *const panel[] = {"max(x)+min(x):p", "period:p"};
    zw_figure *f = make_figure(2, panel, 2, run, NULL);
    const zw_panel *p = panel_of(f, 0);
    assert_int_equal(p->n, 4);
    assert_string_equal(p->curve[0].label, "orbits");
    assert_string_equal(p->curve[2].label, "rest");
    assert_int_equal(p->curve[3].like, 3);
    for (int k = 2; k < 4; k++)
        assert_true(zw_table_at(p->curve[k].table, 2, p->curve[k].y) == -1.0);
    assert_int_equal(panel_of(f, 1)->n, 1); /* rest has no period */
    zw_figure_destroy(f);
    const zw_figure_run turned[] = {run[1], run[0]};
    f = make_figure(2, panel, 2, turned, NULL);
    assert_int_equal(panel_of(f, 1)->curve[0].style, 2); /* the colour of orbits above */
    assert_int_equal(panel_of(f, 0)->curve[2].style, 2);
    zw_figure_destroy(f);
    zw_error err = {0};
    const char *const none = "max(y):p";
    assert_true(zw_figure_create(&f, 1, &none, 2, run, NULL, &err) < 0); /* nobody has it */
    zw_table_destroy(s);
    zw_table_destroy(t);
}

/* what nobody says to be stable is told: two rows more in the SVG's legend, and dots */
static void test_stability__may_be_undecided(void **state) {
    (void)state;
    static const char *const panel = "max(x):p";
    size_t size[3];
    for (int n = 0; n < 3; n++) { /* rows that tell nothing */
        zw_table *t = make_branch();
        for (int i = 0; i < n; i++)
            zw_table_set(t, 2 + i, 5, NAN);
        zw_figure *f = make_figure(1, &panel, 1, &(zw_figure_run){.table = t}, NULL);
        assert_string_equal(panel_of(f, 0)->undecided, "\"stability not decided\"");
        zw_bytes bytes;
        zw_error err = {0};
        if (zw_plot_bytes(zw_figure_picture(f), ZW_PLOT_TEX, &bytes, NULL, &err) < 0)
            fail_msg("%s", err.text);
        size[n] = bytes.size;
        assert_int_equal(memmem(bytes.data, bytes.size, "decided", 7) != NULL, n == 2);
        zw_bytes_clear(&bytes);
        zw_figure_destroy(f);
        zw_table_destroy(t);
    }
    assert_int_equal(size[0],
                     size[1]); /* one row alone, as that of a fold, goes with its neighbours */
}

/* ---- marks ---- */

static void test_marks__have_names(void **state) {
    (void)state;
    zw_table *t = make_branch();
    zw_table_note(t, "mark 0", "fold 0.3 #3 ; LP7");
    zw_table_note(t, "mark 1", "fold 0.4 #4");
    zw_table_note(t, "mark 2", "period-doubling 0.5 #5; nothing to say");
    zw_table_note(t, "mark 3", "bogdanov-takens 0.6 #6");
    const zw_figure_run run = {.table = t};
    const char *const panel = "max(x):p";
    zw_figure *f = make_figure(1, &panel, 1, &run, NULL);
    const zw_panel *p = panel_of(f, 0);
    static const char *const text[] = {"\"LP7\"", "\"LP2\"", "\"PD1\"", "\"BT\""};
    assert_int_equal(p->nmark, 4);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(p->mark[i].text, text[i]);
        assert_true(p->mark[i].y == zw_table_at(t, i + 3, 1));
    }
    assert_string_equal(p->mark[3].label, "\"Bogdanov-Takens\"");
    zw_figure_destroy(f);
    zw_table_destroy(t);
}

/* ---- insets ---- */

static void test_insets__are_read(void **state) {
    (void)state;
    zw_table *t = make_branch();
    const zw_figure_run run = {.table = t};
    const char *const panel[] = {"max(x):p", "period:p"};
    const char *texts[] = {"2:0.2:0.4", "1:0.2:0.4,0.5:1.5 at lower right"};
    zw_figure_options o = zw_figure_options_default();
    o.inset = (zw_figure_texts){2, texts};
    zw_figure *f = make_figure(2, panel, 1, &run, &o);
    const zw_panel *p = panel_of(f, 1);
    assert_int_equal(p->ninset, 1);
    assert_true(p->inset[0].span[0].low == 0.2 && p->inset[0].span[0].high == 0.4);
    assert_true(isnan(p->inset[0].span[1].low));
    assert_int_equal(p->inset[0].place, ZW_INSET_ANYWHERE);
    assert_true(panel_of(f, 0)->inset[0].span[1].high == 1.5);
    assert_int_equal(panel_of(f, 0)->inset[0].place, ZW_INSET_LOWER_RIGHT);
    zw_bytes bytes;
    zw_error err = {0};
    if (zw_plot_bytes(zw_figure_picture(f), ZW_PLOT_SVG, &bytes, NULL, &err) < 0)
        fail_msg("%s", err.text);
    zw_bytes_clear(&bytes);
    zw_figure_destroy(f);

    static const struct {
        const char *text, *words;
    } wrong[] = {{"0.2", "which window"},
                 {"0.2:", "which window"},
                 {"0.2:0.4,1", "which window"},
                 {"0.2:0.4 at the top", "which window"},
                 {"0.2:0.4:0.5:0.6", "which window"},
                 {"0.4:0.2", "is empty"},
                 {"2:0.2:0.4", "panels 1 to 1"},
                 {"nan:1", "which window"}};
    o.inset.n = 1;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        texts[0] = wrong[i].text;
        refuse("max(x):p", &run, &o, wrong[i].words);
    }
    texts[0] = "0.2:0.4";
    refuse("max(x);period:p", &run, &o, "three axes");
    texts[0] = "5:6"; /* nothing there: known when it is drawn */
    f = make_figure(1, panel, 1, &run, &o);
    err = (zw_error){0};
    assert_true(zw_plot_bytes(zw_figure_picture(f), ZW_PLOT_SVG, &bytes, NULL, &err) < 0);
    assert_non_null(strstr(err.text, "the inset of 5 to 6"));
    zw_figure_destroy(f);
    zw_table_destroy(t);
}

/* ---- orbits and multipliers ---- */

typedef struct branch {
    zw_table *table, *orbits, *multipliers;
    zw_figure_run run;
} branch;

static branch make_all(void) {
    branch b = {make_branch(), make_orbits(), make_multipliers(), {0}};
    b.run = (zw_figure_run){.table = b.table, .orbits = b.orbits, .multipliers = b.multipliers};
    return b;
}

static void free_all(branch *b) {
    zw_table_destroy(b->table);
    zw_table_destroy(b->orbits);
    zw_table_destroy(b->multipliers);
}

static void test_orbits__are_tinted_by_the_parameter(void **state) {
    (void)state;
    branch b = make_all();
    const char *const panel[] = {"x,y", "x:t", "max(x)+min(x):p"};
    zw_figure *f = make_figure(3, panel, 1, &b.run, NULL);
    for (int i = 0; i < 2; i++) {
        const zw_panel *p = panel_of(f, i);
        assert_int_equal(p->n, ROWS);
        assert_int_equal(p->scale, i == 0 ? ZW_SCALE_EQUAL : ZW_SCALE_FREE);
        assert_non_null(p->bar);
        assert_string_equal(p->bar->label, "p [N]");
        assert_true(p->bar->low == 0 && fabs(p->bar->high - 1) < 1e-15);
        for (int k = 1; k < ROWS; k++)
            assert_true(p->curve[k].style > p->curve[k - 1].style);
        assert_int_equal(p->curve[0].style, 1 + ZW_PLOT_TINT);
        assert_int_equal(p->curve[ROWS - 1].style, ZW_PLOT_TINT + ZW_PLOT_TINTS);
        assert_null(p->curve[0].label);
    }
    /* the last one is a circle of radius 1, dashed */
    const zw_curve *c = &panel_of(f, 0)->curve[ROWS - 1];
    for (long row = 0; row < zw_table_rows(c->table); row++) {
        assert_close(hypot(zw_table_at(c->table, row, c->x), zw_table_at(c->table, row, c->y)), 1,
                     1e-14);
        assert_true(zw_table_at(c->table, row, c->solid - 1) == 0);
    }
    assert_int_equal(panel_of(f, 2)->n, 2);
    assert_null(panel_of(f, 2)->bar);
    assert_null(panel_of(f, 2)->curve[0].label);
    zw_figure_destroy(f);
    refuse("x,v", &b.run, NULL, "'x'"); /* names of the branch are told */
    zw_figure_run bare = {.table = b.table};
    refuse("x,y", &bare, NULL, "'x'");
    free_all(&b);
}

/* what is kept beside a picture are its numbers, not whole motions */
static void test_data__has_no_orbits_in_its_notes(void **state) {
    (void)state;
    branch b = make_all();
    zw_table_note(b.table, "orbits", "version 1");
    zw_table_note(b.table, "orbit 0", "-");
    zw_table_note(b.table, "parts", "curve");
    const char *const panel[] = {"max(x):p", "x,y"};
    zw_figure *f = make_figure(2, panel, 1, &b.run, NULL);
    zw_table *data = zw_table_create(NULL);
    zw_error err = {0};
    if (zw_figure_data(f, data, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(zw_table_rows(data), 41); /* of the longest run: an orbit */
    for (int i = 0; i < zw_table_notes(data); i++)
        assert_true(strncmp(zw_table_note_key(data, i), "orbit", 5) != 0);
    zw_table_destroy(data);
    zw_figure_destroy(f);
    free_all(&b);
}

static void test_multipliers__lie_about_the_unit_circle(void **state) {
    (void)state;
    branch b = make_all();
    const char *const panel = "multipliers";
    zw_figure *f = make_figure(1, &panel, 1, &b.run, NULL);
    const zw_panel *p = panel_of(f, 0);
    const zw_curve *circle = &p->curve[p->n - 1];
    long points = 0;
    for (int k = 0; k + 1 < p->n; k++) {
        assert_true(p->curve[k].points && p->curve[k].style > ZW_PLOT_TINT);
        points += zw_table_rows(p->curve[k].table);
    }
    assert_int_equal(points, 2 * ROWS);
    assert_false(circle->points);
    for (long row = 0; row < zw_table_rows(circle->table); row++)
        assert_close(hypot(zw_table_at(circle->table, row, circle->x),
                           zw_table_at(circle->table, row, circle->y)),
                     1, 1e-14);
    assert_int_equal(p->scale, ZW_SCALE_EQUAL);
    assert_int_equal(p->nmark, 0);
    zw_bytes bytes;
    zw_error err = {0};
    if (zw_plot_bytes(zw_figure_picture(f), ZW_PLOT_SVG, &bytes, NULL, &err) < 0)
        fail_msg("%s", err.text);
    zw_bytes_clear(&bytes);
    zw_figure_destroy(f);
    zw_figure_run bare = {.table = b.table};
    refuse("multipliers", &bare, NULL, "the result has none");
    free_all(&b);
}

static void test_memory__may_run_out(void **state) {
    (void)state;
    branch b = make_all();
    zw_table_note(b.table, "mark 0", "fold 0.3 #3 ; LP1");
    const char *const panel[] = {"max(x)+min(x):p", "x,y", "multipliers"};
    const char *texts[] = {"1:0.2:0.4"};
    zw_figure_options o = zw_figure_options_default();
    o.inset = (zw_figure_texts){1, texts};
    for (long n = 1;; n++) {
        failing_allocator fa = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&fa);
        o.allocator = &alloc;
        zw_figure *f;
        zw_status status = zw_figure_create(&f, 3, panel, 1, &b.run, &o, NULL);
        assert_true(status == ZW_OK || (status == ZW_E_MEMORY && fa.failed));
        zw_figure_destroy(f);
        assert_int_equal(fa.blocks, 0);
        assert_int_equal(fa.bytes, 0);
        if (!fa.failed)
            break;
    }
    free_all(&b);
}

/* ---- pages ---- */

static const char circle[] = "model circle\nunits none\nparam p = 1\nstate x, y : x' = y, y' = -x\n"
                             "start x = 1\ndraw sphere(p) at (x, y, 0)\n";

static void test_page__has_the_orbits(void **state) {
    (void)state;
    branch b = make_all();
    zw_table_note(b.table, "text", circle);
    zw_table_note(b.table, "orbit 0", "not for the page");
    zw_figure_page *page;
    zw_error err = {0};
    if (zw_figure_branch_page_create(&page, &b.run, 7, &err) < 0)
        fail_msg("%s", err.text);
    const zw_page *p = zw_figure_page_content(page);
    assert_int_equal(p->norbit, ROWS);
    assert_int_equal(p->orbit[p->start].row, 7);
    assert_true(p->result == p->orbit[7].result);
    for (int i = 0; i < ROWS; i++) {
        const zw_page_orbit *o = &p->orbit[i];
        char radius[60];
        assert_int_equal(o->nmultiplier, 2);
        assert_true(o->re[0] == 0.3 && fabs(o->im[1] - 0.2 * i) < 1e-15);
        assert_int_equal(zw_table_rows(o->motion), zw_table_rows(o->result));
        assert_null(zw_table_get_note(o->result, "orbit 0"));
        /* what is drawn goes with the parameter of the orbit */
        snprintf(radius, sizeof radius, "%.3g", 0.1 * i);
        assert_non_null(strstr(o->scene, radius));
    }
    zw_figure_page_destroy(page);
    zw_table *motion;
    if (zw_figure_orbit_result(&motion, &b.run, 4, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(zw_table_find(motion, "t"), 0);
    assert_close(zw_table_at(motion, 0, zw_table_find(motion, "x")), sqrt(0.4), 1e-15);
    zw_table_destroy(motion);
    assert_true(zw_figure_orbit_result(&motion, &b.run, 99, &err) < 0);
    zw_figure_run none = {.table = b.table};
    assert_true(zw_figure_branch_page_create(&page, &none, -1, &err) < 0);
    free_all(&b);
}

/* the memory of a page is that of its tables */
static void test_page__may_run_out_of_memory(void **state) {
    (void)state;
    for (long n = 1;; n += n < 200 ? 1 : 29) {
        failing_allocator fa = failing_allocator_make(0);
        zw_allocator alloc = failing_allocator_of(&fa);
        zw_table *t = zw_table_create(&alloc), *o = zw_table_create(&alloc);
        zw_table_column(t, "p", "");
        zw_table_column(o, "orbit", "");
        zw_table_column(o, "p", "");
        zw_table_column(o, "t", "s");
        zw_table_column(o, "x", "");
        zw_table_column(o, "y", "");
        for (int i = 0; i < 2; i++) {
            zw_table_row(t, (double[]){i});
            for (int k = 0; k < 2; k++)
                zw_table_row(o, (double[]){i, i, k, k, i});
        }
        zw_table_note(t, "text", circle);
        zw_figure_run run = {.table = t, .orbits = o};
        fa.fail_at = fa.requests + n;
        zw_figure_page *page;
        zw_error err = {0};
        zw_status status = zw_figure_branch_page_create(&page, &run, -1, &err);
        if (status != ZW_OK && !(status == ZW_E_MEMORY && fa.failed))
            fail_msg("request %ld: %s", n, err.text);
        if (status >= 0)
            zw_figure_page_destroy(page);
        zw_table_destroy(t);
        zw_table_destroy(o);
        assert_int_equal(fa.blocks, 0);
        assert_int_equal(fa.bytes, 0);
        if (!fa.failed)
            break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_envelope__is_one_thing),
        cmocka_unit_test(test_steady__stand_beside_orbits),
        cmocka_unit_test(test_stability__may_be_undecided),
        cmocka_unit_test(test_marks__have_names),
        cmocka_unit_test(test_insets__are_read),
        cmocka_unit_test(test_orbits__are_tinted_by_the_parameter),
        cmocka_unit_test(test_data__has_no_orbits_in_its_notes),
        cmocka_unit_test(test_multipliers__lie_about_the_unit_circle),
        cmocka_unit_test(test_memory__may_run_out),
        cmocka_unit_test(test_page__has_the_orbits),
        cmocka_unit_test(test_page__may_run_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
