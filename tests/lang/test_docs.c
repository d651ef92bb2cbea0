/* SPDX-License-Identifier: MIT */
/* Every example of docs/language.md and docs/events.md and every file of models/ is read. */
#include "support/test.h"

#include <dirent.h>
#include <stdlib.h>

#include "zwang/model.h"

/* what the page puts before examples that do not begin with a model line */
static const char preamble_mark[] = "    model example\n";

static char *slurp(const char *path) {
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    long size = ftell(f);
    rewind(f);
    char *text = calloc(1, (size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, f), size);
    fclose(f);
    return text;
}

/* the indented block after the mark, without its indent */
static void read_preamble(const char *page, char *out, size_t size) {
    const char *p = strstr(page, preamble_mark);
    assert_non_null(p);
    size_t used = 0;
    while (strncmp(p, "    ", 4) == 0) {
        const char *end = strchr(p, '\n') + 1;
        size_t n = (size_t)(end - p) - 4;
        assert_true(used + n < size);
        memcpy(out + used, p + 4, n);
        used += n;
        p = end;
    }
    out[used] = '\0';
}

static int read_model(const char *name, const char *text, const zw_model_options *options) {
    zw_context *ctx = zw_context_create(NULL);
    zw_system *system;
    zw_error err = {0};
    int failed = zw_model_parse(&system, ctx, text, strlen(text), name, options, &err) < 0;
    if (failed) {
        char message[2048];
        zw_error_format(&err, message, sizeof message);
        print_error("%s\n", message);
    }
    zw_context_destroy(ctx);
    return failed;
}

/* the examples of a page; those without a model line follow the preamble */
static int read_examples(const char *path, const char *preamble, int *count) {
    char *page = slurp(path);
    int failed = 0;
    for (char *p = page; (p = strstr(p, "```zw\n"));) {
        char *block = p + 6, *end = strstr(block, "```");
        assert_non_null(end);
        static char text[1 << 16];
        bool whole = strncmp(block, "model", 5) == 0;
        int n =
            snprintf(text, sizeof text, "%s%.*s", whole ? "" : preamble, (int)(end - block), block);
        assert_true(n > 0 && n < (int)sizeof text);
        char name[64];
        snprintf(name, sizeof name, "%.40s %d", strrchr(path, '/') + 1, ++*count);
        failed += read_model(name, text, NULL);
        p = end + 3;
    }
    free(page);
    return failed;
}

static void test_docs__every_example_is_a_model(void **state) {
    (void)state;
    char *page = slurp(ZW_SOURCE_DIR "/docs/language.md"), preamble[2048];
    read_preamble(page, preamble, sizeof preamble);
    free(page);
    int count = 0, failed = read_examples(ZW_SOURCE_DIR "/docs/language.md", preamble, &count);
    assert_true(count >= 12);
    failed += read_examples(ZW_SOURCE_DIR "/docs/events.md", preamble, &count);
    assert_int_equal(failed, 0);
}

/* a model alone and with each of its variants */
static int read_with_variants(const char *path, int *count) {
    char *text = slurp(path);
    zw_context *ctx = zw_context_create(NULL);
    const char *const *names;
    int n, failed = read_model(path, text, NULL);
    assert_int_equal(zw_model_variants(ctx, text, strlen(text), path, &names, &n, NULL), ZW_OK);
    for (int i = 0; i < n; i++)
        failed += read_model(path, text, &(zw_model_options){.variant = names[i]});
    *count += 1 + n;
    zw_context_destroy(ctx);
    free(text);
    return failed;
}

static void test_docs__every_model_is_read(void **state) {
    (void)state;
    DIR *folder = opendir(ZW_SOURCE_DIR "/models");
    assert_non_null(folder);
    int count = 0, failed = 0;
    for (const struct dirent *d; (d = readdir(folder));) {
        char path[1024];
        snprintf(path, sizeof path, "%s/models/%s", ZW_SOURCE_DIR, d->d_name);
        size_t n = strlen(path);
        if (n > 3 && strcmp(path + n - 3, ".zw") == 0)
            failed += read_with_variants(path, &count);
    }
    closedir(folder);
    assert_true(count >= 8);
    assert_int_equal(failed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_docs__every_example_is_a_model),
        cmocka_unit_test(test_docs__every_model_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
