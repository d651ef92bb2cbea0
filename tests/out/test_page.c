/* SPDX-License-Identifier: MIT */
/* The data of a page come out as they went in, whatever is in them, and never end their script. */
#include "support/test.h"

#include <jansson.h>
#include <stdint.h>

#include "out/page/page.h"
#include "support/files.h"

#define HEAD "<script type=\"application/json\">"
#define TAIL "</script><p>rest</p>"
static const char viewer[] = HEAD "@ZWANG_DATA@" TAIL;

static zw_table *sample(void) {
    zw_table *t = zw_table_create(NULL);
    zw_table_column(t, "t", "s");
    zw_table_column(t, "x<y'", "m");
    for (int i = 0; i < 100; i++)
        zw_table_row(t, (double[]){0.1 * i, i == 50 ? NAN : sin(0.1 * i)});
    zw_table_note(t, "text", "# </script> <!-- </SCRIPT\nmodel a \"θ\\\"\n");
    return t;
}

/* what stands between head and tail, as JSON */
static json_t *write_and_load(const zw_page *page) {
    const char *path = in_folder("a.html");
    zw_error err = {0};
    if (zw_page_fill(viewer, strlen(viewer), page, path, NULL, &err) < 0)
        fail_msg("%s", err.text);
    size_t length;
    char *text = read_whole(path, &length);
    assert_int_equal(strncmp(text, HEAD, strlen(HEAD)), 0);
    char *end = text + length - strlen(TAIL);
    assert_string_equal(end, TAIL);
    *end = '\0';
    assert_null(strchr(text + strlen(HEAD), '<'));
    json_error_t error;
    json_t *j = json_loads(text + strlen(HEAD), JSON_REJECT_DUPLICATES, &error);
    if (!j)
        fail_msg("%d: %s", error.line, error.text);
    free(text);
    return j;
}

static const char *text_of(json_t *object, const char *key) {
    const char *s = json_string_value(json_object_get(object, key));
    assert_non_null(s);
    return s;
}

/* base64 by the definition of RFC 4648 */
static size_t decode(const char *s, unsigned char *out) {
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t n = 0;
    unsigned bits = 0, count = 0;
    assert_int_equal(strlen(s) % 4, 0);
    for (; *s && *s != '='; s++) {
        const char *letter = strchr(alphabet, *s);
        assert_non_null(letter);
        bits = bits << 6 | (unsigned)(letter - alphabet);
        if ((count += 6) >= 8)
            out[n++] = (unsigned char)(bits >> (count -= 8));
    }
    return n;
}

static void test_page__no_data_end_the_script(void **state) {
    (void)state;
    zw_table *t = sample();
    zw_page page = {.name = "a",
                    .title = "</script><script>alert(1)</script>",
                    .variant = "",
                    .result = t,
                    .scene = "{\"items\":[{\"name\":\"</script>\"}]}"};
    json_t *j = write_and_load(&page);
    assert_string_equal(text_of(j, "title"), page.title);
    json_t *note = json_array_get(json_object_get(j, "notes"), 0);
    assert_string_equal(json_string_value(json_array_get(note, 1)),
                        "# </script> <!-- </SCRIPT\nmodel a \"θ\\\"\n");
    json_t *items = json_object_get(json_object_get(j, "scene"), "items");
    assert_string_equal(text_of(json_array_get(items, 0), "name"), "</script>");
    assert_true(json_is_null(json_object_get(j, "equations")));
    assert_true(json_is_null(json_object_get(j, "motion")));
    json_decref(j);
    zw_table_destroy(t);
}

static void test_page__numbers_come_back(void **state) {
    (void)state;
    zw_table *t = sample();
    zw_page page = {.name = "a", .title = "", .variant = "", .result = t, .motion = t};
    json_t *j = write_and_load(&page);
    json_t *columns = json_object_get(json_object_get(j, "result"), "columns");
    json_t *time = json_array_get(columns, 0), *x = json_array_get(columns, 1);
    unsigned char bytes[1000];
    assert_string_equal(text_of(x, "name"), "x<y'");
    assert_int_equal(json_integer_value(json_object_get(time, "bytes")), 8);
    assert_int_equal(decode(text_of(time, "data"), bytes), 800);
    for (int i = 0; i < 100; i++) {
        double value;
        memcpy(&value, bytes + 8 * i, 8); /* tests run on little endian machines */
        assert_true(value == zw_table_at(t, i, 0));
    }
    assert_int_equal(decode(text_of(x, "data"), bytes), 400);
    for (int i = 0; i < 100; i++) {
        float value;
        memcpy(&value, bytes + 4 * i, 4);
        assert_true(i == 50 ? isnan(value) : value == (float)zw_table_at(t, i, 1));
    }
    json_decref(j);
    zw_table_destroy(t);
}

static void test_page__a_missing_viewer_is_told(void **state) {
    (void)state;
    static const char missing[] = "missing npm was not found\n";
    zw_error err = {0};
    assert_int_equal(zw_page_check(missing, strlen(missing), &err), ZW_E_MISSING);
    assert_string_equal(err.text, "this Zwang was built without its viewer: npm was not found");
    assert_non_null(strstr(err.hint, "tools/setup viewer"));
    zw_table *t = sample();
    zw_page page = {.name = "a", .title = "", .variant = "", .result = t};
    assert_int_equal(zw_page_fill(missing, strlen(missing), &page, in_folder("b.html"), NULL, NULL),
                     ZW_E_MISSING);
    assert_null(read_whole(in_folder("b.html"), NULL));
    assert_int_equal(zw_page_fill("", 0, &page, in_folder("b.html"), NULL, NULL), ZW_E_MISSING);
    assert_int_equal(
        zw_page_fill(viewer, strlen(viewer), &page, in_folder("no/b.html"), NULL, &err), ZW_E_FILE);
    zw_table_destroy(t);
}

/* whatever was built in: a page with a mark, or the word */
static void test_page__what_was_built_in_is_one_of_both(void **state) {
    (void)state;
    size_t size;
    const char *text = zw_page_template(&size);
    assert_true(size > 0);
    assert_int_equal(text[size], 0);
    bool missing = strncmp(text, "missing ", 8) == 0;
    assert_true(missing || (strstr(text, "@ZWANG_DATA@") && strstr(text, "</html>")));
    assert_int_equal(zw_page_available(NULL, NULL), missing ? ZW_E_MISSING : ZW_OK);
    assert_int_equal(zw_page_available(in_folder("no/a.html"), NULL),
                     missing ? ZW_E_MISSING : ZW_E_FILE);
    assert_int_equal(zw_page_available(in_folder("a.html"), NULL), missing ? ZW_E_MISSING : ZW_OK);
    assert_int_equal(zw_page_available("-", NULL), missing ? ZW_E_MISSING : ZW_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_page__no_data_end_the_script),
        cmocka_unit_test(test_page__numbers_come_back),
        cmocka_unit_test(test_page__a_missing_viewer_is_told),
        cmocka_unit_test(test_page__what_was_built_in_is_one_of_both),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
