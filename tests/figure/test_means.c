/* SPDX-License-Identifier: MIT */
/* Pages with fewer rows than the result: forces of contacts keep their impulse. */
#include "support/test.h"

#include "zwang/figure.h"

static const char text[] = "model ball\nparam m = 1 [kg], mu = 0.3\ncoord x, z [m]\n"
                           "particle P : m at (x, 0, z)\n"
                           "contact floor : gap z, slip P', at P, law coulomb(mu)\n";

enum { ROWS = 101 };

/* steps of time that differ, an impact in some rows; the column `other` is no mean */
static zw_table *bouncing(bool with_status) {
    zw_table *t = zw_table_create(NULL);
    const char *names[] = {"t", "x", "z", "lambda(floor)", "lambda(floor.1)", "other"};
    zw_table_note(t, "text", text);
    for (int i = 0; i < 6; i++)
        zw_table_column(t, names[i], i == 0 ? "s" : i == 3 || i == 4 ? "N" : "");
    if (with_status)
        zw_table_column(t, "status(floor)", "");
    double time = 0;
    for (int i = 0; i < ROWS; i++) {
        double force = i % 13 == 5 ? 1000 : 0;
        double row[7] = {time, 0, 0, force, -0.3 * force, i, i % 13 == 5};
        zw_table_row(t, row);
        time += i % 2 ? 0.01 : 0.03;
    }
    return t;
}

static double impulse(const zw_table *t, const char *name) {
    int column = zw_table_find(t, name);
    double sum = 0;
    for (long i = 1; i < zw_table_rows(t); i++)
        sum += zw_table_at(t, i, column) * (zw_table_at(t, i, 0) - zw_table_at(t, i - 1, 0));
    return sum;
}

static void test_means__impulses_are_kept(void **state) {
    (void)state;
    zw_table *t = bouncing(true);
    double normal = impulse(t, "lambda(floor)"), friction = impulse(t, "lambda(floor.1)");
    for (long rows = 2; rows <= ROWS + 1; rows += 9) {
        zw_figure_page *page;
        zw_error err = {0};
        if (zw_figure_page_create(&page, t, rows, &err) < 0)
            fail_msg("%s", err.text);
        const zw_table *few = zw_figure_page_content(page)->result;
        assert_int_equal(zw_table_rows(few), rows < ROWS ? rows : ROWS);
        assert_close(impulse(few, "lambda(floor)"), normal, 1e-11 * normal);
        assert_close(impulse(few, "lambda(floor.1)"), friction, 1e-11 * normal);
        for (long i = 0; i < zw_table_rows(few); i++) { /* rows of the result as they are */
            double own = zw_table_at(few, i, zw_table_find(few, "other"));
            assert_close(own, round(own), 0);
        }
        zw_figure_page_destroy(page);
    }
    zw_table_destroy(t);
}

/* forces of the rows stay where impulses stand beside them, and these are added up */
static void test_means__impulses_are_added_up(void **state) {
    (void)state;
    zw_table *t = bouncing(true);
    double values[ROWS], sum = 0;
    for (int i = 0; i < ROWS; i++)
        sum += values[i] = i % 7 == 3 ? 0.5 + i : 0;
    assert_int_equal(zw_table_add_column(t, "impulse(floor)", "N*s", values), ZW_OK);
    for (long rows = 2; rows <= ROWS; rows += 9) {
        zw_figure_page *page;
        assert_int_equal(zw_figure_page_create(&page, t, rows, NULL), ZW_OK);
        const zw_table *few = zw_figure_page_content(page)->result;
        double all = 0;
        for (long i = 0; i < zw_table_rows(few); i++) {
            double force = zw_table_at(few, i, zw_table_find(few, "lambda(floor)"));
            assert_true(force == 0 || force == 1000);
            all += zw_table_at(few, i, zw_table_find(few, "impulse(floor)"));
        }
        assert_close(all, sum, 1e-11 * sum);
        zw_figure_page_destroy(page);
    }
    zw_table_destroy(t);
}

/* without a status the forces are those of the rows: they are left as they are */
static void test_means__values_of_rows_stay(void **state) {
    (void)state;
    zw_table *t = bouncing(false);
    zw_figure_page *page;
    assert_int_equal(zw_figure_page_create(&page, t, 11, NULL), ZW_OK);
    const zw_table *few = zw_figure_page_content(page)->result;
    for (long i = 0; i < 11; i++) {
        double force = zw_table_at(few, i, zw_table_find(few, "lambda(floor)"));
        assert_true(force == 0 || force == 1000);
    }
    zw_figure_page_destroy(page);
    zw_table_destroy(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_means__impulses_are_kept),
        cmocka_unit_test(test_means__impulses_are_added_up),
        cmocka_unit_test(test_means__values_of_rows_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
