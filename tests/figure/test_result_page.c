/* SPDX-License-Identifier: MIT */
/* Any result as a page: what zwang plot draws of it is in the page with all its numbers, whatever
 * its names are; what moves is told from what does not; of long tables no peak and no gap is
 * lost. */
#include <jansson.h>
#include <stdint.h>

#include "figure/internal.h"
#include "out/page/page.h"
#include "support/failing_allocator.h"
#include "support/test.h"

#define HEAD "<script type=\"application/json\">"
#define TAIL "</script>"
static const char viewer[] = HEAD "@ZWANG_DATA@" TAIL;

/* the data of a page, in which no "<" is left */
static json_t *load(const zw_figure_page *p) {
    zw_bytes bytes;
    zw_error err = {0};
    json_error_t error;
    if (zw_page_fill(viewer, strlen(viewer), zw_figure_page_content(p), NULL, &bytes, &err) < 0)
        fail_msg("%s", err.text);
    const char *from = bytes.data + strlen(HEAD), *to = bytes.data + bytes.size - strlen(TAIL);
    assert_null(memchr(from, '<', (size_t)(to - from)));
    json_t *j = json_loadb(from, (size_t)(to - from), JSON_REJECT_DUPLICATES, &error);
    if (!j)
        fail_msg("%d: %s", error.line, error.text);
    zw_bytes_clear(&bytes);
    return j;
}

static zw_figure_page *open_page(const zw_table *t, int npanel, const char *const *panel,
                                 long rows) {
    zw_figure_page *p;
    zw_error err = {0};
    if (zw_figure_result_page_create(&p, &(zw_figure_run){.table = t}, npanel, panel, rows, &err) <
        0)
        fail_msg("%s", err.text);
    return p;
}

static json_t *at(json_t *j, const char *key) {
    json_t *found = json_object_get(j, key);
    if (!found)
        fail_msg("there is no %s", key);
    return found;
}

static json_t *item(json_t *j, const char *key, size_t i) {
    json_t *found = json_array_get(at(j, key), i);
    if (!found)
        fail_msg("there is no %s %zu", key, i);
    return found;
}

static long count(json_t *j, const char *key) {
    return (long)json_array_size(at(j, key));
}

/* the letters of a label */
static void letters(json_t *pieces, char *out, size_t size) {
    out[0] = '\0';
    for (size_t i = 0; i < json_array_size(pieces); i++)
        strncat(out, json_string_value(json_array_get(json_array_get(pieces, i), 0)),
                size - strlen(out) - 1);
}

/* number k of a column, by the definition of base64 */
static double value(json_t *column, long k) {
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *s = json_string_value(at(column, "data"));
    int n = (int)json_integer_value(at(column, "bytes"));
    unsigned char bytes[8];
    for (int b = 0; b < n; b++) {
        long bit = 8 * (n * k + b), letter = bit / 6;
        unsigned two =
            (unsigned)(strchr(alphabet, s[letter]) - alphabet) << 6 |
            (unsigned)(s[letter + 1] == '=' ? 0 : strchr(alphabet, s[letter + 1]) - alphabet);
        bytes[b] = (unsigned char)(two >> (4 - bit % 6));
    }
    double wide;
    float narrow;
    memcpy(&wide, bytes, n == 8 ? 8 : 0);
    memcpy(&narrow, bytes, n == 4 ? 4 : 0);
    return n == 8 ? wide : (double)narrow;
}

static zw_table *make_table(const char *kind, int n, const char *const *name, long rows) {
    zw_table *t = zw_table_create(NULL);
    double v[8];
    for (int k = 0; k < n; k++)
        zw_table_column(t, name[k], k ? "m" : "s");
    for (long i = 0; i < rows; i++) {
        for (int k = 0; k < n; k++)
            v[k] = k ? sin(0.01 * (double)i * (1 + k)) : 0.1 * (double)i;
        zw_table_row(t, v);
    }
    if (kind)
        zw_table_note(t, "kind", kind);
    return t;
}

/* ---- what is in it ---- */

static void test_result_page__has_the_numbers_of_its_curves(void **state) {
    (void)state;
    static const char *const name[] = {"p", "y", "unseen"}, *const panel[] = {"2*y:p"};
    zw_table *t = make_table("anything at all", 3, name, 7);
    zw_table_note(t, "mark 0", "fold 0.3 #3; LP1");
    zw_figure_page *p = open_page(t, 1, panel, 0);
    assert_null(zw_figure_page_scene(p));
    json_t *j = load(p), *f = at(j, "figure"), *table = item(f, "tables", 0),
           *curve = item(item(f, "panels", 0), "curves", 0);
    assert_true(json_is_null(at(j, "result"))); /* nothing moves */
    json_t *x = item(table, "columns", (size_t)json_integer_value(at(curve, "x"))),
           *y = item(table, "columns", (size_t)json_integer_value(at(curve, "y")));
    assert_string_equal(json_string_value(at(x, "name")), "p");
    assert_string_equal(json_string_value(at(y, "unit")), "m");
    for (long i = 0; i < 7; i++) { /* every bit of them */
        assert_true(value(x, i) == zw_table_at(t, i, 0));
        assert_true(value(y, i) == 2 * zw_table_at(t, i, 1));
    }
    /* the reader is told the columns of the file in their order, and what was reckoned behind
     * them */
    static const char *const told[] = {"p", "y", "unseen", "2*y"};
    assert_int_equal(count(table, "order"), 4);
    for (size_t i = 0; i < 4; i++) {
        json_t *column =
            item(table, "columns", (size_t)json_integer_value(item(table, "order", i)));
        assert_string_equal(json_string_value(at(column, "name")), told[i]);
        if (i == 2)
            assert_true(value(column, 5) == (double)(float)zw_table_at(t, 5, 2));
    }
    json_t *mark = item(item(f, "panels", 0), "marks", 0);
    char text[100];
    letters(at(mark, "text"), text, sizeof text);
    assert_string_equal(text, "LP1");
    assert_true(json_real_value(at(mark, "x")) == zw_table_at(t, 3, 0));
    assert_true(json_real_value(at(mark, "y")) == 2 * zw_table_at(t, 3, 1));
    json_decref(j);
    zw_figure_page_destroy(p);
    zw_table_destroy(t);
}

/* every line of the file that has no name of a part in it is one of the text */
static void assert_same_lines(const char *text, const char *data, size_t size) {
    const char *from = data, *end = data + size;
    char line[4000];
    int n = 0;
    while (from < end) {
        const char *to = memchr(from, '\n', (size_t)(end - from));
        size_t length = (size_t)((to ? to : end) - from);
        if (length > 20 && length < sizeof line && !memmem(from, length, "id=", 3) &&
            !memmem(from, length, "#", 1)) {
            memcpy(line, from, length);
            line[length] = '\0';
            if (!strstr(text, line))
                fail_msg("the page has not: %.200s", line);
            n++;
        }
        from += length + 1;
    }
    assert_true(n > 20);
}

/* ranges of axes, and the file that zw_plot writes, are those of the picture */
static void test_result_page__is_what_plot_draws(void **state) {
    (void)state;
    static const char *const name[] = {"p", "y"};
    zw_table *t = make_table("portrait", 2, name, 400);
    zw_figure_page *p = open_page(t, 0, NULL, 0);
    json_t *j = load(p), *f = at(j, "figure"), *axis = item(item(f, "panels", 0), "axes", 1);
    double low = json_real_value(at(axis, "low")), high = json_real_value(at(axis, "high"));
    assert_true(low < -1 && low > -1.2 && high > 1 && high < 1.2); /* of a sine, with some air */
    zw_figure *drawn;
    zw_bytes svg;
    const char *panel = "y:p";
    assert_int_equal(
        zw_figure_create(&drawn, 1, &panel, 1, &(zw_figure_run){.table = t}, NULL, NULL), ZW_OK);
    assert_int_equal(zw_plot_bytes(zw_figure_picture(drawn), ZW_PLOT_SVG, &svg, NULL, NULL), ZW_OK);
    /* but for the numbers of its parts, which go on from one file to the next: what it is drawn
     * with */
    assert_same_lines(json_string_value(at(f, "svg")), svg.data, svg.size);
    zw_bytes_clear(&svg);
    zw_figure_destroy(drawn);
    json_decref(j);
    zw_figure_page_destroy(p);
    zw_table_destroy(t);
}

static void test_result_page__names_are_texts(void **state) {
    (void)state;
    static const char bad[] = "<img src=x onerror=alert(1)>", end[] = "</script><script>";
    const char *name[] = {"p", bad, "q"};
    zw_table *t = make_table(end, 3, name, 5);
    zw_table_note(t, "model", "../../<b>");
    zw_table_note(t, bad, end);
    zw_table_note(t, "parts", "q");
    zw_table_note(t, "mark 0", "<svg/onload=x> 0.2 #2");
    for (long i = 0; i < 5; i++)
        zw_table_set(t, i, 2, 1);
    zw_table_note(t, "part q 1", "\"</script>\"");
    const char *panel[] = {"q:p"};
    zw_figure_page *p = open_page(t, 1, panel, 0);
    json_t *j = load(p), *f = at(j, "figure"); /* which looks for "<" */
    char text[100];
    letters(at(item(item(f, "panels", 0), "curves", 0), "label"), text, sizeof text);
    assert_string_equal(text, "</script>");
    letters(at(item(item(f, "panels", 0), "marks", 0), "label"), text, sizeof text);
    assert_string_equal(text, "<svg/onload=x>");
    assert_string_equal(json_string_value(at(j, "name")), "../../<b>");
    json_decref(j);
    zw_figure_page_destroy(p);
    zw_table_destroy(t);
}

/* a map has the colours of the picture, cell by cell, and its holes */
static void test_result_page__maps_have_their_cells(void **state) {
    (void)state;
    zw_table *t = zw_table_create(NULL);
    static const char *const name[] = {"x", "y", "z"}, *const panel[] = {"z:x,y"};
    for (int k = 0; k < 3; k++)
        zw_table_column(t, name[k], "");
    for (int k = 0; k < 12; k++) { /* backwards, without the place (2, 1) */
        int line = k / 4;
        if (k != 5)
            zw_table_row(t, (double[]){3 - k % 4, 2 - line, k});
    }
    zw_figure_page *p = open_page(t, 1, panel, 0);
    json_t *j = load(p), *map = at(item(at(j, "figure"), "panels", 0), "map");
    json_t *cells = json_pack("{s:i,s:O}", "bytes", 4, "data", at(map, "cells")),
           *ink = json_pack("{s:i,s:O}", "bytes", 4, "data", at(map, "ink"));
    assert_int_equal(count(map, "x"), 4);
    assert_int_equal(count(map, "y"), 3);
    for (long k = 0; k < 12; k++) {
        long row = (long)value(cells, k), line = k / 4;
        if (k == 4 + 2)
            assert_int_equal(row, -1);
        else {
            assert_true(zw_table_at(t, row, 0) == (double)(k % 4));
            assert_true(zw_table_at(t, row, 1) == (double)line);
        }
    }
    assert_true(value(ink, 0) != value(ink, 10) && value(ink, 0) > 0);
    json_decref(cells);
    json_decref(ink);
    json_decref(j);
    zw_figure_page_destroy(p);
    zw_table_destroy(t);
}

/* ---- surfaces ---- */

static zw_table *make_surface(int n, int lines) {
    static const char *const name[] = {"a", "b", "c"};
    zw_table *t = make_table("slow manifold", 3, name, 0);
    char drawn[40];
    snprintf(drawn, sizeof drawn, "mesh %d", n);
    zw_table_note(t, "drawn", drawn);
    for (int i = 0; i < lines; i++)
        for (int k = 0; k < n; k++)
            zw_table_row(t, (double[]){i, k, i * k});
    return t;
}

static void test_result_page__a_surface_is_seen_in_space(void **state) {
    (void)state;
    zw_table *t = make_surface(5, 4);
    zw_figure_choice choice;
    zw_figure_choose(&choice, 1, &(zw_figure_run){.table = t});
    assert_int_equal(choice.n, 1);
    assert_string_equal(choice.panel[0], "a,b,c");
    zw_figure_page *p = open_page(t, 0, NULL, 0);
    json_t *j = load(p), *panel = item(at(j, "figure"), "panels", 0);
    assert_true(json_is_true(at(panel, "space")));
    assert_int_equal(json_integer_value(at(item(panel, "curves", 0), "mesh")), 5);
    assert_string_equal(json_string_value(at(item(panel, "curves", 0), "look")), "mesh");
    json_decref(j);
    zw_figure_page_destroy(p);
    zw_table_destroy(t);
}

static void test_thin__surfaces_keep_whole_lines(void **state) {
    (void)state;
    zw_table *t = make_surface(101, 80);
    zw_figure_page *p = open_page(t, 0, NULL, 500);
    const zw_page_source *s = &zw_figure_page_content(p)->figure->source[0];
    assert_true(s->kept && s->mesh > 2 && s->n % s->mesh == 0);
    assert_true(s->n <= 900); /* 500, and the last lines */
    for (long k = 0; k < s->n; k++) {
        long line = k / s->mesh, node = k % s->mesh;
        assert_true(zw_table_at(s->drawn, s->kept[k], 0) ==
                    zw_table_at(s->drawn, s->kept[line * s->mesh], 0));
        assert_true(zw_table_at(s->drawn, s->kept[k], 1) ==
                    zw_table_at(s->drawn, s->kept[node], 1));
    }
    assert_int_equal(s->kept[s->n - 1], 101 * 80 - 1);
    zw_figure_page_destroy(p);
    zw_table_destroy(t);
}

/* ---- long tables ---- */

static void test_thin__no_peak_and_no_gap_is_lost(void **state) {
    (void)state;
    enum { ROWS = 200000, MOST = 3000 };
    static const char *const name[] = {"p", "y", "z"}, *const panel[] = {"y+z:p"};
    zw_table *t = make_table("long", 3, name, ROWS);
    zw_table_set(t, 77777, 1, 5);    /* one row wide */
    zw_table_set(t, 123456, 2, -4);  /* another one */
    zw_table_set(t, 150001, 1, NAN); /* a gap of one row */
    zw_figure_page *p = open_page(t, 1, panel, MOST);
    const zw_page_source *s = &zw_figure_page_content(p)->figure->source[0];
    long kept, all, wide = 0;
    zw_figure_page_rows(p, &kept, &all);
    assert_int_equal(all, ROWS);
    assert_int_equal(kept, s->n);
    assert_true(kept > MOST / 2 && kept <= MOST + 10);
    bool has[5] = {false};
    for (long k = 0; k < s->n; k++) {
        assert_true(k == 0 || s->kept[k] > s->kept[k - 1]);
        wide = k && s->kept[k] - s->kept[k - 1] > wide ? s->kept[k] - s->kept[k - 1] : wide;
        static const long wanted[] = {77777, 123456, 150001, 0, ROWS - 1};
        for (int i = 0; i < 5; i++)
            has[i] = has[i] || s->kept[k] == wanted[i];
    }
    for (int i = 0; i < 5; i++)
        assert_true(has[i]);
    assert_true(wide <= 2L * ROWS / MOST + 2); /* half of them lie evenly */
    json_t *j = load(p), *table = item(at(j, "figure"), "tables", 0);
    assert_int_equal(json_integer_value(at(table, "rows")), kept);
    assert_int_equal(json_integer_value(at(table, "of")), ROWS);
    for (long k = 0; k < s->n; k += 97)
        assert_true(value(item(table, "columns", 0), k) == zw_table_at(s->drawn, s->kept[k], 0));
    json_decref(j);
    zw_figure_page_destroy(p);
    /* few rows are all there */
    zw_table *few = make_table("short", 3, name, 500);
    p = open_page(few, 1, panel, 0);
    assert_null(zw_figure_page_content(p)->figure->source[0].kept);
    zw_figure_page_destroy(p);
    zw_table_destroy(few);
    zw_table_destroy(t);
}

/* ---- what moves ---- */

static const char cart[] = "model cart \"A cart\"\ncoord x [m]\nparticle P : 1 [kg] at (x, 0, 0)\n"
                           "draw sphere(0.1 [m]) at P\n";

static zw_table *make_motion(const char *kind, const char *second) {
    const char *name[] = {"t", second};
    zw_table *t = make_table(kind, 2, name, 20);
    zw_table_note(t, "text", cart);
    zw_table_note(t, "model", "cart");
    return t;
}

static void test_result_page__tells_what_moves(void **state) {
    (void)state;
    static const struct {
        const char *kind, *second;
        bool moves;
    } cases[] = {{NULL, "x", true},
                 {"measured motion", "x", true},
                 {"fit", "x", true},
                 {"no such kind", "x", true},
                 {"exponents over time", "lambda_1", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        zw_table *t = make_motion(cases[i].kind, cases[i].second);
        assert_int_equal(zw_figure_is_motion(t), cases[i].moves);
        zw_figure_page *p = open_page(t, 0, NULL, 0);
        const zw_page *page = zw_figure_page_content(p);
        assert_string_equal(page->title, "A cart");
        assert_int_equal(page->scene != NULL, cases[i].moves);
        assert_non_null(page->figure);
        json_t *j = load(p);
        assert_int_equal(json_is_object(at(j, "result")), cases[i].moves);
        assert_int_equal(count(at(j, "figure"), "panels"), 1);
        json_decref(j);
        zw_figure_page_destroy(p);
        zw_table_destroy(t);
    }
    /* time that comes back, and no model at all */
    zw_table *t = make_motion("fit", "x");
    zw_table_set(t, 10, 0, 0.05);
    assert_false(zw_figure_is_motion(t));
    zw_table_remove_note(t, "text");
    zw_table_remove_note(t, "kind");
    assert_false(zw_figure_is_motion(t));
    zw_figure_page *p = open_page(t, 0, NULL, 0);
    assert_string_equal(zw_figure_page_content(p)->name, "cart");
    zw_figure_page_destroy(p);
    zw_table_destroy(t);
}

static void test_result_page__says_what_cannot_be_drawn(void **state) {
    (void)state;
    static const char *const name[] = {"p", "y"}, *const wrong[] = {"z:p"};
    zw_figure_page *p;
    zw_error err = {0};
    zw_table *t = make_table("x", 2, name, 4);
    assert_true(zw_figure_result_page_create(&p, &(zw_figure_run){.table = t}, 1, wrong, 0, &err) <
                0);
    assert_null(p);
    assert_non_null(strstr(err.text, "z"));
    zw_table_destroy(t);
    err = (zw_error){0};
    t = make_table("x", 1, name, 4);
    assert_true(zw_figure_result_page_create(&p, &(zw_figure_run){.table = t}, 0, NULL, 0, &err) <
                0);
    assert_non_null(strstr(err.text, "what is to be drawn?"));
    assert_non_null(strstr(err.hint, "the columns are p"));
    zw_table_destroy(t);
}

static void test_result_page__survives_without_memory(void **state) {
    (void)state;
    for (int moves = 0; moves < 2; moves++)
        for (long n = 1;; n = n < 60 ? n + 1 : n + n / 8) {
            failing_allocator fa = failing_allocator_make(n);
            zw_allocator alloc = failing_allocator_of(&fa);
            zw_table *t = zw_table_create(&alloc);
            zw_figure_page *p = NULL;
            zw_status status = t ? ZW_OK : ZW_E_MEMORY;
            if (status >= 0)
                status = zw_table_column(t, "t", "s");
            if (status >= 0)
                status = zw_table_column(t, "x", "m");
            if (status >= 0)
                status = zw_table_note(t, "kind", "fit");
            if (status >= 0 && moves)
                status = zw_table_note(t, "text", cart);
            for (int i = 0; status >= 0 && i < 40; i++)
                status = zw_table_row(t, (double[]){i, i * i});
            if (status >= 0)
                status = zw_figure_result_page_create(&p, &(zw_figure_run){.table = t}, 0, NULL, 10,
                                                      NULL);
            assert_int_equal(status < 0, p == NULL);
            zw_figure_page_destroy(p);
            zw_table_destroy(t);
            assert_int_equal(fa.blocks, 0);
            assert_int_equal(fa.bytes, 0);
            if (!fa.failed)
                break;
        }
}

/* a page and a picture without any wish: a plain table is its figure, a motion moves */
static void test_result_page__is_chosen_by_the_kind(void **state) {
    (void)state;
    zw_error err = {0};
    zw_figure_page *p;
    zw_table *t = zw_table_create(NULL);
    assert_int_equal(zw_table_column(t, "a", ""), ZW_OK);
    assert_int_equal(zw_table_column(t, "b", ""), ZW_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(zw_table_row(t, (double[]){i, i * i}), ZW_OK);
    assert_false(zw_figure_has_orbits(t));
    const char *const panel[] = {"b:a"};
    const zw_figure_page_options options = {.npanel = 1, .panel = panel};
    if (zw_figure_show_page(&p, t, &options, &err) < 0)
        fail_msg("%s", err.text);
    assert_null(zw_figure_page_scene(p));
    assert_int_equal(zw_figure_page_orbits(p), 0);
    assert_int_equal(zw_figure_page_content(p)->figure->picture->n, 1);
    zw_figure_page_destroy(p);
    zw_table_destroy(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_result_page__has_the_numbers_of_its_curves),
        cmocka_unit_test(test_result_page__is_what_plot_draws),
        cmocka_unit_test(test_result_page__names_are_texts),
        cmocka_unit_test(test_result_page__maps_have_their_cells),
        cmocka_unit_test(test_result_page__a_surface_is_seen_in_space),
        cmocka_unit_test(test_thin__surfaces_keep_whole_lines),
        cmocka_unit_test(test_thin__no_peak_and_no_gap_is_lost),
        cmocka_unit_test(test_result_page__tells_what_moves),
        cmocka_unit_test(test_result_page__says_what_cannot_be_drawn),
        cmocka_unit_test(test_result_page__is_chosen_by_the_kind),
        cmocka_unit_test(test_result_page__survives_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
