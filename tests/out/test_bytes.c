/* SPDX-License-Identifier: MIT */
/* Files in memory: the same bytes as on the disk, through the public face alone. */
#include "support/test.h"

#include "support/files.h"
#include "zwang/plot.h"
#include "zwang/view.h"

static zw_table *sample(void) {
    zw_table *t = zw_table_create(NULL);
    zw_table_column(t, "t", "s");
    zw_table_column(t, "x", "m");
    for (int i = 0; i < 100; i++)
        zw_table_row(t, (double[]){0.1 * i, i == 50 ? NAN : i == 51 ? INFINITY : sin(0.1 * i)});
    zw_table_note(t, "text", "two\nlines");
    return t;
}

static void assert_same_as_file(const zw_bytes *bytes, const char *path) {
    size_t length;
    char *text = read_whole(path, &length);
    assert_non_null(text);
    assert_int_equal(bytes->size, length);
    assert_memory_equal(bytes->data, text, length);
    assert_int_equal(bytes->data[bytes->size], 0);
    free(text);
}

static void assert_same_table(const zw_table *a, const zw_table *b) {
    assert_int_equal(zw_table_columns(a), zw_table_columns(b));
    assert_int_equal(zw_table_rows(a), zw_table_rows(b));
    for (int j = 0; j < zw_table_columns(a); j++)
        for (long i = 0; i < zw_table_rows(a); i++) {
            double u = zw_table_at(a, i, j), v = zw_table_at(b, i, j);
            assert_true(u == v || (isnan(u) && isnan(v)));
        }
    assert_string_equal(zw_table_get_note(b, "text"), zw_table_get_note(a, "text"));
}

typedef zw_status to_bytes(const zw_table *t, zw_bytes *out, zw_error *err);
typedef zw_status to_path(const zw_table *t, const char *path, zw_error *err);

static void check_table(to_bytes *in_memory, to_path *on_disk) {
    zw_table *t = sample(), *back;
    zw_bytes bytes;
    assert_int_equal(in_memory(t, &bytes, NULL), ZW_OK);
    assert_int_equal(on_disk(t, in_folder("a.txt"), NULL), ZW_OK);
    assert_same_as_file(&bytes, in_folder("a.txt"));
    char *open_end = malloc(bytes.size); /* nothing behind the last byte */
    memcpy(open_end, bytes.data, bytes.size);
    assert_int_equal(zw_table_read_bytes(&back, open_end, bytes.size, "memory", NULL), ZW_OK);
    assert_same_table(t, back);
    free(open_end);
    zw_table_destroy(back);
    zw_bytes_clear(&bytes);
    assert_null(bytes.data);
    zw_table_destroy(t);
}

static void test_bytes__tables(void **state) {
    (void)state;
    check_table(zw_table_csv_bytes, zw_table_write_csv);
    check_table(zw_table_json_bytes, zw_table_write_json);
}

static void test_bytes__what_is_no_table_is_told(void **state) {
    (void)state;
    zw_table *t = zw_table_create(NULL), *back;
    zw_bytes bytes;
    zw_error err = {0};
    assert_int_equal(zw_table_csv_bytes(t, &bytes, &err), ZW_E_NAME); /* no column */
    assert_null(bytes.data);
    zw_error damage = {0};
    static const char text[] = "t[s],x\n0,1\n1,one\n";
    assert_int_equal(zw_table_read_bytes(&back, text, strlen(text), "sent", &damage), ZW_E_SYNTAX);
    assert_null(back);
    assert_string_equal(damage.file, "sent");
    assert_int_equal(damage.line, 3);
    assert_true(zw_table_read_bytes(&back, NULL, 0, "nothing", NULL) < 0);
    assert_null(back);
    zw_table_destroy(t);
}

static void test_bytes__pictures(void **state) {
    (void)state;
    zw_table *t = sample();
    zw_curve curve = {.table = t, .x = 0, .y = 1};
    zw_panel panel = zw_panel_default();
    panel.n = 1;
    panel.curve = &curve;
    zw_picture p = zw_picture_default();
    p.n = 1;
    p.panel = &panel;
    zw_bytes bytes;
    zw_plot_report report;
    assert_int_equal(zw_plot_bytes(&p, ZW_PLOT_PNG, &bytes, &report, NULL), ZW_OK);
    assert_int_equal(report.nonfinite, 2);
    assert_int_equal(zw_plot(&p, in_folder("a.png"), NULL, NULL), ZW_OK);
    assert_same_as_file(&bytes, in_folder("a.png"));
    zw_bytes_clear(&bytes);
    /* names and dates in these differ from one to the next */
    assert_int_equal(zw_plot_bytes(&p, ZW_PLOT_SVG, &bytes, NULL, NULL), ZW_OK);
    assert_memory_equal(bytes.data, "<?xml", 5);
    assert_string_equal(bytes.data + bytes.size - 7, "</svg>\n");
    zw_bytes_clear(&bytes);
    assert_int_equal(zw_plot_bytes(&p, ZW_PLOT_PDF, &bytes, NULL, NULL), ZW_OK);
    assert_memory_equal(bytes.data, "%PDF-", 5);
    assert_non_null(strstr(bytes.data + bytes.size - 8, "%%EOF"));
    zw_bytes_clear(&bytes);
    curve.y = 7;
    assert_int_equal(zw_plot_bytes(&p, ZW_PLOT_SVG, &bytes, NULL, NULL), ZW_E_NAME);
    assert_null(bytes.data);
    zw_table_destroy(t);
}

static void test_bytes__page(void **state) {
    (void)state;
    if (zw_page_available(NULL, NULL) < 0)
        skip();
    zw_table *t = sample();
    zw_page page = {.name = "a", .title = "A page", .result = t};
    zw_bytes bytes;
    assert_int_equal(zw_page_bytes(&page, &bytes, NULL), ZW_OK);
    assert_int_equal(zw_page_write(&page, in_folder("a.html"), NULL), ZW_OK);
    assert_same_as_file(&bytes, in_folder("a.html"));
    assert_non_null(strstr(bytes.data, "\"A page\""));
    zw_bytes_clear(&bytes);
    zw_table_destroy(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes__tables),
        cmocka_unit_test(test_bytes__what_is_no_table_is_told),
        cmocka_unit_test(test_bytes__pictures),
        cmocka_unit_test(test_bytes__page),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
