/* SPDX-License-Identifier: MIT */
/* All matrices at one motion, in the selected format. CSV goes to one table, or to one file per
 * matrix in a folder. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "cli/derive.h"
#include "linearise.h"

/* ------------------------------------------------------------------------- names of the options */

/* splits "a, b(c, d)" at the commas outside brackets; adds to *n */
static zw_status split_list(zw_context *ctx, const char *list, int most, const char **name, int *n,
                            zw_error *err) {
    for (const char *s = list; *s;) {
        int depth = 0;
        const char *end = s;
        for (; *end && (*end != ',' || depth > 0); end++)
            depth += (*end == '(') - (*end == ')');
        while (*s == ' ')
            s++;
        size_t length = (size_t)(end - s);
        while (length > 0 && s[length - 1] == ' ')
            length--;
        if (length == 0)
            return zw_fail(err, ZW_E_OPTION, "a name is missing in '%s'", list);
        char *copy = zw_context_alloc(ctx, length + 1);
        if (!copy)
            return zw_context_status(ctx, err);
        memcpy(copy, s, length);
        if (*n == most)
            return zw_fail(err, ZW_E_OPTION, "more than %d names", most);
        name[(*n)++] = copy;
        s = *end ? end + 1 : end;
    }
    return ZW_OK;
}

enum { NAMES_MAX = 256 };

/* the names of an option, then another one (may be NULL) unless it is included; *n is unchanged if
 * there are none */
static zw_status take_names(const cli_steady *s, const zw_option_list *list, const char *also,
                            const char *const **out, int *n, zw_error *err) {
    const char **name = zw_context_alloc(s->model.ctx, sizeof *name * NAMES_MAX);
    int count = 0;
    if (!name)
        return zw_context_status(s->model.ctx, err);
    for (int i = 0; i < list->n; i++)
        ZW_TRY(split_list(s->model.ctx, list->item[i], NAMES_MAX - 1, name, &count, err));
    for (int i = 0; also && i < count; i++)
        if (strcmp(name[i], also) == 0)
            also = NULL;
    if (also)
        name[count++] = also;
    *out = name;
    if (count > 0)
        *n = count;
    return ZW_OK;
}

zw_status cli_linear_open(cli_linear *c, const cli_options *o, const cli_steady *s,
                          const char *input, const char *output, zw_error *err) {
    zw_equilibria_options how = s->options;
    *c = (cli_linear){.options = zw_linear_options_default()};
    ZW_TRY(take_names(s, &o->chosen, NULL, &c->options.state, &c->options.nstate, err));
    ZW_TRY(take_names(s, &o->inputs, input, &c->options.input, &c->options.ninput, err));
    ZW_TRY(take_names(s, &o->outputs, output, &c->options.output, &c->options.noutput, err));
    ZW_TRY(zw_linear_prepare(s->model.sys, &c->options, &how, err));
    ZW_TRY(zw_equilibria_create(&c->e, s->model.sys, &how, err));
    ZW_TRY(zw_equilibria_find(c->e, err));
    return zw_linear_create(&c->l, c->e, &c->options, err);
}

void cli_linear_close(cli_linear *c) {
    zw_linear_destroy(c->l);
    zw_equilibria_destroy(c->e);
}

/* ---------------------------------------------------------------------------------------- files */

static zw_status make_folder(const char *path, zw_error *err) {
    struct stat there;
    if (mkdir(path, 0777) == 0 || (stat(path, &there) == 0 && S_ISDIR(there.st_mode)))
        return ZW_OK;
    return zw_fail(err, ZW_E_FILE, "cannot make the folder %s: %s", path, strerror(errno));
}

static zw_status write_matrix(const cli_options *o, const cli_steady *s,
                              const zw_linear_equations *l, int i, zw_error *err) {
    zw_allocator alloc = zw_context_allocator(s->model.ctx);
    const char *name;
    char *text = zw_linear_matrix(l, i, &name);
    zw_text path;
    zw_text_init(&path, &alloc);
    zw_text_printf(&path, "%s%s.csv", o->out, name);
    zw_status status = text && !path.failed ? cli_guard_write(o, zw_text_get(&path), err)
                                            : zw_out_of_memory(err, NULL);
    if (status >= 0)
        status = cli_write_text(zw_text_get(&path), text, err);
    zw_text_clear(&path);
    zw_string_free(s->model.ctx, text);
    return status;
}

static zw_status write_folder(const cli_options *o, const cli_steady *s,
                              const zw_linear_equations *l, zw_error *err) {
    int n = zw_linear_matrices(l);
    if (n < 0)
        return zw_out_of_memory(err, NULL);
    ZW_TRY(make_folder(o->out, err));
    for (int i = 0; i < n; i++)
        ZW_TRY(write_matrix(o, s, l, i, err));
    return ZW_OK;
}

static bool is_folder(const char *path) {
    return path && path[0] && path[strlen(path) - 1] == '/';
}

/* text and JSON with the effect of cubic terms on a pair on the imaginary axis; the others
 * without */
static zw_status compose_report(const cli_options *o, const cli_linear *c, zw_text *out,
                                zw_error *err) {
    static const zw_linear_format format[] = {ZW_LINEAR_TEXT, ZW_LINEAR_LATEX, ZW_LINEAR_JSON,
                                              ZW_LINEAR_CSV};
    zw_linear_format chosen = o->json ? ZW_LINEAR_JSON : format[o->format];
    cli_options as = *o;
    char *text = zw_linear_write(c->l, chosen);
    const char *end = chosen == ZW_LINEAR_JSON ? "\n}\n" : ""; /* a member comes before it */
    zw_status status = text ? ZW_OK : zw_out_of_memory(err, NULL);
    if (text)
        zw_text_put_n(out, text, strlen(text) - strlen(end));
    as.json = chosen == ZW_LINEAR_JSON;
    if (text && (chosen == ZW_LINEAR_JSON || chosen == ZW_LINEAR_TEXT))
        status = cli_linearise_hopf(&as, c->e, out, err);
    zw_text_put(out, end);
    zw_string_free(zw_equilibria_equations(c->e)->sys->ctx, text);
    return status;
}

static zw_status write_all(const cli_options *o, const cli_steady *s, const cli_linear *c,
                           zw_error *err) {
    zw_allocator alloc = zw_context_allocator(s->model.ctx);
    zw_text out;
    if (is_folder(o->out))
        return write_folder(o, s, c->l, err);
    zw_text_init(&out, &alloc);
    zw_status status = compose_report(o, c, &out, err);
    if (status >= 0)
        status = out.failed ? zw_out_of_memory(err, NULL)
                            : cli_write_text(o->out, zw_text_get(&out), err);
    zw_text_clear(&out);
    return status;
}

zw_status cli_linearise_once(const cli_options *o, const cli_steady *s, zw_error *err) {
    cli_linear c;
    if (is_folder(o->out)) {
        if (o->json || o->format != LINEARISE_CSV) {
            zw_fail(err, ZW_E_OPTION, "a folder is for one file per matrix, as CSV");
            zw_error_hint(err, "add --format csv");
            return ZW_E_OPTION;
        }
    } else
        ZW_TRY(cli_guard_write(o, o->out, err));
    zw_status status = cli_linear_open(&c, o, s, NULL, NULL, err);
    if (status >= 0) {
        zw_linear_warnings(c.l, s->model.warnings);
        cli_report_warnings(o, s->model.warnings, false);
    }
    if (status >= 0)
        status = write_all(o, s, &c, err);
    cli_linear_close(&c);
    return status;
}
