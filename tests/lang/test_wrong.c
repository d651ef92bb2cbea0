/* SPDX-License-Identifier: MIT */
/* Every tests/lang/wrong/NAME.zw is refused with exactly the message in NAME.expect. A first line
 * "# options: --set a=1 --variant b --with c --without d" stands for the command line. */
#include "support/test.h"

#include <dirent.h>
#include <stdlib.h>

#include "zwang/model.h"

#define FOLDER ZW_SOURCE_DIR "/tests/lang/wrong"

static char *slurp(const char *path, size_t *length) {
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    char *text = calloc(1, (size_t)size + 1);
    assert_non_null(text);
    *length = fread(text, 1, (size_t)size, f);
    fclose(f);
    return text;
}

typedef struct command_line {
    char words[256];
    const char *set[4], *with[4], *without[4], *law[4];
    zw_model_options options;
} command_line;

static void read_options(const char *text, command_line *c) {
    static const char mark[] = "# options: ";
    *c = (command_line){
        .options = {.set = c->set, .with = c->with, .without = c->without, .law = c->law}};
    c->options.size = sizeof c->options;
    if (strncmp(text, mark, sizeof mark - 1) != 0)
        return;
    snprintf(c->words, sizeof c->words, "%.*s", (int)strcspn(text + sizeof mark - 1, "\n"),
             text + sizeof mark - 1);
    for (char *key = strtok(c->words, " "), *value; key; key = strtok(NULL, " ")) {
        value = strtok(NULL, " ");
        assert_non_null(value);
        if (strcmp(key, "--variant") == 0)
            c->options.variant = value;
        else if (strcmp(key, "--set") == 0)
            c->set[c->options.nset++] = value;
        else if (strcmp(key, "--with") == 0)
            c->with[c->options.nwith++] = value;
        else if (strcmp(key, "--without") == 0)
            c->without[c->options.nwithout++] = value;
        else if (strcmp(key, "--law") == 0)
            c->law[c->options.nlaw++] = value;
        else
            fail_msg("unknown option %s", key);
    }
}

typedef struct messages {
    int n;
    char text[4096];
} messages;

static void add_message(void *user, const zw_error *fault) {
    messages *all = user;
    size_t used = strlen(all->text);
    all->n++;
    snprintf(all->text + used, sizeof all->text - used, "%s", used ? "\n" : "");
    used = strlen(all->text);
    zw_error_format(fault, all->text + used, sizeof all->text - used);
}

/* the messages for this file, "" if it was accepted; err must hold the first */
static void message_of(const char *name, const char *text, size_t length, char *out, size_t size) {
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s;
    zw_error err = {0};
    command_line c;
    messages all = {0};
    read_options(text, &c);
    c.options.fault = add_message;
    c.options.fault_user = &all;
    if (zw_model_parse(&s, ctx, text, length, name, &c.options, &err) < 0) {
        char first[2048];
        zw_error_format(&err, first, sizeof first);
        assert_memory_equal(all.text, first, strlen(first));
    }
    snprintf(out, size, "%s", all.text);
    zw_context_destroy(ctx);
}

static bool check_file(const char *name) {
    char path[1024], message[4096];
    size_t length = 0, expected_length = 0;
    snprintf(path, sizeof path, "%s/%s", FOLDER, name);
    char *text = slurp(path, &length);
    assert_non_null(text);
    message_of(name, text, length, message, sizeof message);
    snprintf(path, sizeof path, "%s/%.*s.expect", FOLDER, (int)strlen(name) - 3, name);
    char *expected = slurp(path, &expected_length);
    if (expected && expected_length && expected[expected_length - 1] == '\n')
        expected[expected_length - 1] = '\0';
    bool good = message[0] && expected && strcmp(expected, message) == 0;
    if (!good)
        print_error("%s\n--- got\n%s\n--- expected\n%s\n", name,
                    message[0] ? message : "(accepted)", expected ? expected : "(no .expect file)");
    free(text);
    free(expected);
    return good;
}

static void test_wrong__every_input_has_its_message(void **state) {
    (void)state;
    DIR *folder = opendir(FOLDER);
    assert_non_null(folder);
    int count = 0, bad = 0;
    for (const struct dirent *d; (d = readdir(folder));) {
        size_t n = strlen(d->d_name);
        if (n < 4 || strcmp(d->d_name + n - 3, ".zw") != 0)
            continue;
        count++;
        bad += !check_file(d->d_name);
    }
    closedir(folder);
    print_message("%d wrong inputs\n", count);
    assert_true(count >= 40);
    assert_int_equal(bad, 0);
}

static void test_wrong__file_not_found(void **state) {
    (void)state;
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s;
    zw_error err = {0};
    assert_int_equal(zw_model_read(&s, ctx, "no/such/model.zw", NULL, &err), ZW_E_FILE);
    assert_null(s);
    assert_string_equal(err.text, "no/such/model.zw cannot be read: No such file or directory");
    zw_context_destroy(ctx);
}

static void test_wrong__too_long(void **state) {
    (void)state;
    size_t length = (1u << 20) + 1;
    char *text = calloc(1, length);
    assert_non_null(text);
    memset(text, '#', length);
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s;
    zw_error err = {0};
    assert_int_equal(zw_model_parse(&s, ctx, text, length, "long.zw", NULL, &err), ZW_E_SYNTAX);
    zw_context_destroy(ctx);
    free(text);
}

/* the context serves on after a refusal */
static void test_wrong__then_right(void **state) {
    (void)state;
    static const char bad[] = "model a\nlet b = 1/0\n",
                      good[] = "model a\nunits none\ncoord x\nkinetic x'^2/2\n";
    zw_context *ctx = zw_context_create(NULL);
    zw_system *s;
    zw_error err = {0}, clean = {0};
    assert_int_equal(zw_model_parse(&s, ctx, bad, sizeof bad - 1, "a.zw", NULL, &err), ZW_E_DOMAIN);
    assert_int_equal(zw_model_parse(&s, ctx, good, sizeof good - 1, "a.zw", NULL, &clean), ZW_OK);
    assert_int_equal(s->nq, 1);
    zw_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong__every_input_has_its_message),
        cmocka_unit_test(test_wrong__file_not_found),
        cmocka_unit_test(test_wrong__too_long),
        cmocka_unit_test(test_wrong__then_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
