/* SPDX-License-Identifier: MIT */
/* Results that are no motions: eigenvalues over a parameter, frequency responses, steady motions.
 * Series of columns, marks from notes, dashes by a column, and what is drawn if nothing is said. */
#include "figure/internal.h"
#include "support/failing_allocator.h"
#include "support/test.h"

/* over p: two real ones, a pair from p = 1 on, which crosses at 1.5; and one far left */
static zw_table *make_eigenvalues(bool with_third) {
    zw_table *t = zw_table_create(NULL);
    zw_table_column(t, "p", "N");
    zw_table_column(t, "re(1)", "1/s");
    zw_table_column(t, "im(1)", "rad/s");
    zw_table_column(t, "re(2)", "1/s");
    zw_table_column(t, "im(2)", "rad/s");
    if (with_third) {
        zw_table_column(t, "re(3)", "1/s");
        zw_table_column(t, "im(3)", "rad/s");
    }
    for (int i = 0; i <= 20; i++) {
        double p = 0.1 * i, root = sqrt(fabs(1 - p)), a = 1.5 - p;
        bool real = p < 1;
        zw_table_row(t, (double[]){p, a + (real ? root : 0), real ? 0 : root, a - (real ? root : 0),
                                   real ? 0 : -root, -100 - p, 0});
    }
    zw_table_note(t, "kind", "eigenvalues");
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

/* ---- series ---- */

static void test_series__are_all_of_their_columns(void **state) {
    (void)state;
    zw_table *t = make_eigenvalues(true);
    static const struct {
        const char *said;
        int n;
        const char *first, *last; /* the y of these curves */
    } cases[] = {
        {"re:p", 3, "re(1)", "re(3)"},          {"re(2-3):p", 2, "re(2)", "re(3)"},
        {"re(3,1):p", 2, "re(3)", "re(1)"},     {"re(2),im(2)", 1, "im(2)", "im(2)"},
        {"re,im", 3, "im(1)", "im(3)"},         {"re(1-2),im", 2, "im(1)", "im(2)"},
        {"re(1)+re(3):p", 2, "re(1)", "re(3)"}, {"abs(re):p", 3, "|re(1)|", "|re(3)|"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        zw_figure *f = make_figure(1, &cases[i].said, 1, &(zw_figure_run){.table = t}, NULL);
        const zw_panel *p = panel_of(f, 0);
        assert_int_equal(p->n, cases[i].n);
        assert_string_equal(zw_table_name(p->curve[0].table, p->curve[0].y), cases[i].first);
        const zw_curve *last = &p->curve[p->n - 1];
        assert_string_equal(zw_table_name(last->table, last->y), cases[i].last);
        zw_figure_destroy(f);
    }
    static const char *const wrong[] = {"re(4):p", "re(1-4):p", "re(2-1):p", "ra:p",
                                        "re(1),im(2-3)+re:p"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        zw_figure *f;
        zw_error err = {0};
        if (zw_figure_create(&f, 1, &wrong[i], 1, &(zw_figure_run){.table = t}, NULL, &err) >= 0)
            fail_msg("'%s' is taken", wrong[i]);
        assert_true(err.text[0]);
    }
    zw_table_destroy(t);
}

static void test_series__pairs_have_one_style(void **state) {
    (void)state;
    zw_table *t = make_eigenvalues(true);
    const char *const panel[] = {"re:p", "re(3):p", "re(1)+re(3)+re(2):p"};
    zw_figure *f = make_figure(3, panel, 1, &(zw_figure_run){.table = t}, NULL);
    const zw_panel *p = panel_of(f, 0);
    assert_string_equal(p->curve[0].label, "lambda_1_2");
    assert_int_equal(p->curve[1].like, 1);
    assert_null(p->curve[1].label);
    assert_string_equal(p->curve[2].label, "lambda_3");
    assert_int_equal(p->curve[2].like, 0);
    assert_string_equal(p->label[1], "\"Re\" lambda [1/s]");
    assert_true(p->zero[1]);
    assert_false(p->zero[0]);
    /* a track has its style in every panel */
    assert_int_equal(panel_of(f, 1)->curve[0].style, p->curve[2].style);
    assert_int_equal(panel_of(f, 2)->curve[1].style, p->curve[2].style);
    assert_int_equal(panel_of(f, 2)->curve[2].like, 1);
    zw_figure_destroy(f);
    zw_table_destroy(t);
}

/* exact ones of three tracks over others of two: a run is one thing, and what it has not is not
 * missed */
static void test_series__of_several_runs(void **state) {
    (void)state;
    zw_table *a = make_eigenvalues(true), *b = make_eigenvalues(false);
    zw_table_remove_note(b, "kind");
    const zw_figure_run run[] = {{.table = a, .label = "exact"}, {.table = b, .label = "other"}};
    const char *const panel[] = {"re:p", "re(3):p"};
    zw_figure *f = make_figure(2, panel, 2, run, NULL);
    const zw_panel *p = panel_of(f, 0);
    assert_int_equal(p->n, 5);
    assert_string_equal(p->curve[0].label, "exact");
    assert_int_equal(p->curve[1].like, 1);
    assert_int_equal(p->curve[2].like, 1);
    assert_string_equal(p->curve[3].label, "other");
    assert_int_equal(p->curve[4].like, 4);
    assert_int_equal(panel_of(f, 1)->n, 1);
    zw_table *data = zw_table_create(NULL);
    assert_int_equal(zw_figure_data(f, data, NULL), ZW_OK);
    assert_true(zw_table_find(data, "re(3)#1") >= 0);
    assert_int_equal(zw_table_find(data, "re(3)#2"), -1);
    assert_close(zw_table_at(data, 20, zw_table_find(data, "re(2)#2")), -0.5, 1e-12);
    zw_table_destroy(data);
    zw_figure_destroy(f);
    zw_table_destroy(a);
    zw_table_destroy(b);
}

/* ---- ranges ---- */

static void test_range__of_a_series_and_of_a_panel(void **state) {
    (void)state;
    zw_table *t = make_eigenvalues(true);
    const char *const panel[] = {"re:p", "re:p"}, *range[] = {"re=-2:2", "2:p=0.5:1.5"};
    zw_figure_options o = zw_figure_options_default();
    o.range = (zw_figure_texts){2, range};
    zw_figure *f = make_figure(2, panel, 1, &(zw_figure_run){.table = t}, &o);
    assert_close(panel_of(f, 0)->span[1].low, -2, 0);
    assert_close(panel_of(f, 1)->span[1].high, 2, 0);
    assert_true(isnan(panel_of(f, 0)->span[0].low));
    assert_close(panel_of(f, 1)->span[0].low, 0.5, 0);
    zw_figure_destroy(f);
    const char *wrong[] = {"3:p=0:1"};
    zw_error err = {0};
    o.range = (zw_figure_texts){1, wrong};
    assert_true(zw_figure_create(&f, 2, panel, 1, &(zw_figure_run){.table = t}, &o, &err) < 0);
    assert_non_null(strstr(err.text, "2 panels"));
    zw_table_destroy(t);
}

/* ---- marks ---- */

static void test_marks__lie_on_their_tracks(void **state) {
    (void)state;
    zw_table *t = make_eigenvalues(true);
    zw_table_note(t, "mark 0", "hopf 1.5 0 0.70710678118654757 1,2 ; the pair crosses");
    zw_table_note(t, "mark 1", "coalescence 1 0.5 0 1,2");
    zw_table_note(t, "mark 2", "limit 0.25");
    const char *const panel[] = {"re(1-2):p", "im(1-2):p", "re,im", "re(3):p", "abs(re(1)):p"};
    zw_figure *f = make_figure(5, panel, 1, &(zw_figure_run){.table = t}, NULL);
    const zw_panel *p = panel_of(f, 0);
    assert_int_equal(p->nmark, 4); /* the pair is one place in re; `limit` is on both */
    assert_close(p->mark[0].x, 1.5, 0);
    assert_close(p->mark[0].y, 0, 0);
    assert_int_equal(p->mark[0].shape, ZW_MARK_DISC);
    assert_string_equal(p->mark[0].text, "1.500");
    assert_close(p->mark[1].y, 0.5, 0);
    assert_int_equal(p->mark[1].shape, ZW_MARK_DIAMOND);
    /* between the rows at 0.2 and 0.3 */
    assert_close(p->mark[2].y, 1.25 + (sqrt(0.8) + sqrt(0.7)) / 2, 1e-12);
    p = panel_of(f, 1);
    assert_close(p->mark[0].y, sqrt(0.5), 1e-15);
    assert_close(p->mark[1].y, -sqrt(0.5), 1e-15);
    p = panel_of(f, 2);
    assert_close(p->mark[0].x, 0, 0);
    assert_string_equal(p->mark[0].text, "p = 1.500 {N}");
    assert_true(p->curve[0].arrow);
    assert_int_equal(panel_of(f, 3)->nmark, 1);
    zw_figure_destroy(f);
    zw_table_note(t, "mark 3", "hopf at once");
    zw_error err = {0};
    assert_int_equal(zw_figure_create(&f, 1, panel, 1, &(zw_figure_run){.table = t}, NULL, &err),
                     ZW_E_FILE);
    assert_non_null(strstr(err.text, "mark 3"));
    zw_table_destroy(t);
}

/* ---- kinds ---- */

static void test_kinds__choose_their_panels(void **state) {
    (void)state;
    zw_table *t = make_eigenvalues(false);
    zw_figure_run run = {.table = t};
    zw_figure_choice c;
    zw_figure_choose(&c, 1, &run);
    assert_int_equal(c.n, 3);
    assert_string_equal(c.panel[0], "re:p");
    assert_string_equal(c.panel[2], "re,im");
    /* known by its columns, too */
    zw_table_remove_note(t, "kind");
    zw_figure_choose(&c, 1, &run);
    assert_string_equal(c.panel[1], "im:p");
    zw_table_destroy(t);
    /* what is far left has a panel of its own */
    run.table = t = make_eigenvalues(true);
    zw_figure_choose(&c, 1, &run);
    assert_int_equal(c.n, 4);
    assert_string_equal(c.panel[0], "re(1,2):p");
    assert_string_equal(c.panel[2], "re(3):p");
    assert_string_equal(c.panel[3], "re(1,2),im(1,2)");
    /* what is zero all the time is told by the line there */
    for (int i = 0; i <= 20; i++)
        zw_table_set(t, i, zw_table_find(t, "re(3)"), 0);
    zw_figure_choose(&c, 1, &run);
    assert_int_equal(c.n, 3);
    assert_string_equal(c.panel[1], "im(1,2):p");
    zw_table_destroy(t);
}

static void test_kinds__frequency_responses_have_decades(void **state) {
    (void)state;
    zw_table *t = zw_table_create(NULL);
    static const char *const name[] = {"omega", "gain", "phase", "re", "im"};
    static const char *const unit[] = {"rad/s", "m/N", "deg", "m/N", "m/N"};
    for (int i = 0; i < 5; i++)
        zw_table_column(t, name[i], unit[i]);
    for (int i = 0; i < 9; i++)
        zw_table_row(t, (double[]){pow(10, i - 4), 1 / (1.0 + i), -20 * i, 1, -i});
    zw_table_note(t, "kind", "frequency response");
    zw_figure_run run = {.table = t};
    zw_figure_choice c;
    zw_figure_choose(&c, 1, &run);
    assert_int_equal(c.n, 2);
    const char *const panel[] = {c.panel[0], c.panel[1], "re,im"};
    zw_figure_options o = zw_figure_options_default();
    zw_figure *f = make_figure(3, panel, 1, &run, NULL);
    assert_true(panel_of(f, 0)->log[0] && panel_of(f, 0)->log[1]);
    assert_true(panel_of(f, 1)->log[0] && !panel_of(f, 1)->log[1]);
    assert_false(panel_of(f, 2)->log[0] || panel_of(f, 2)->log[1]);
    assert_int_equal(panel_of(f, 2)->scale, ZW_SCALE_EQUAL);
    zw_figure_destroy(f);
    o.linear = true;
    f = make_figure(3, panel, 1, &run, &o);
    assert_false(panel_of(f, 0)->log[0] || panel_of(f, 0)->log[1]);
    zw_figure_destroy(f);
    zw_table_destroy(t);
}

static void test_kinds__unstable_motions_are_dashed(void **state) {
    (void)state;
    zw_table *t = zw_table_create(NULL);
    zw_table_column(t, "Omega", "rad/s");
    zw_table_column(t, "phi", "rad");
    zw_table_column(t, "stable", "");
    for (int i = 0; i < 9; i++)
        zw_table_row(t, (double[]){i, 0.1 * i, i < 4});
    zw_figure_run run = {.table = t};
    const char *const panel = "phi:Omega";
    zw_figure_options o = zw_figure_options_default();
    zw_figure *f = make_figure(1, &panel, 1, &run, NULL);
    assert_int_equal(panel_of(f, 0)->curve[0].solid,
                     0); /* a motion may have an observable of that name */
    zw_figure_destroy(f);
    o.solid = "stable";
    f = make_figure(1, &panel, 1, &run, &o);
    assert_true(panel_of(f, 0)->curve[0].solid > 0);
    zw_figure_destroy(f);
    zw_table_note(t, "kind", "steady motions");
    f = make_figure(1, &panel, 1, &run, NULL);
    const zw_curve *c = panel_of(f, 0)->curve;
    assert_close(zw_table_at(c->table, 5, c->solid - 1), 0, 0);
    assert_string_equal(panel_of(f, 0)->dashed, "\"unstable\"");
    zw_figure_destroy(f);
    zw_figure_choice choice;
    zw_figure_choose(&choice, 1, &run);
    assert_int_equal(choice.n, 1);
    assert_string_equal(choice.panel[0], "phi:Omega");
    zw_table_destroy(t);
}

/* what a search has found has nothing between its rows */
static void test_kinds__solutions_are_dots(void **state) {
    (void)state;
    zw_table *t = zw_table_create(NULL);
    zw_table_column(t, "solution", "");
    zw_table_column(t, "phi", "rad");
    zw_table_column(t, "stable", "");
    for (int i = 0; i < 4; i++)
        zw_table_row(t, (double[]){i + 1, 0.1 * i, i < 2});
    const char *const panel = "phi:solution";
    zw_figure *f = make_figure(1, &panel, 1, &(zw_figure_run){.table = t}, NULL);
    assert_false(panel_of(f, 0)->is_points);
    zw_figure_destroy(f);
    zw_table_note(t, "kind", "steady motions");
    f = make_figure(1, &panel, 1, &(zw_figure_run){.table = t}, NULL);
    assert_true(panel_of(f, 0)->is_points);
    zw_figure_destroy(f);
    zw_table_destroy(t);
}

static void test_memory__may_run_out(void **state) {
    (void)state;
    zw_table *t = make_eigenvalues(true);
    zw_table_note(t, "mark 0", "hopf 1.5 0 0.7 1,2");
    const char *const panel[] = {"re:p", "re,im"};
    zw_figure_options o = zw_figure_options_default();
    for (long n = 1;; n++) {
        failing_allocator fa = failing_allocator_make(n);
        zw_allocator alloc = failing_allocator_of(&fa);
        o.allocator = &alloc;
        zw_figure *f;
        zw_status status =
            zw_figure_create(&f, 2, panel, 1, &(zw_figure_run){.table = t}, &o, NULL);
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
        cmocka_unit_test(test_series__are_all_of_their_columns),
        cmocka_unit_test(test_series__pairs_have_one_style),
        cmocka_unit_test(test_series__of_several_runs),
        cmocka_unit_test(test_range__of_a_series_and_of_a_panel),
        cmocka_unit_test(test_marks__lie_on_their_tracks),
        cmocka_unit_test(test_kinds__choose_their_panels),
        cmocka_unit_test(test_kinds__frequency_responses_have_decades),
        cmocka_unit_test(test_kinds__unstable_motions_are_dashed),
        cmocka_unit_test(test_kinds__solutions_are_dots),
        cmocka_unit_test(test_memory__may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
