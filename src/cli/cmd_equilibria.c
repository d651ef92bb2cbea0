/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "out/files/file.h"

#define AT(field) offsetof(cli_options, field)

static const zw_option table[] = {
    {"hold", ZW_OPT_LIST, AT(hold), 0, 0, 0, "", "NAME[=VALUE]",
     "a coordinate or velocity that keeps this value, or that of the start; several times"},
    {"by", ZW_OPT_STRING, AT(by), 0, 0, 0, "", "PRINCIPLE", "the principle (default lagrange)"},
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "all numbers as JSON, with the matrix"},
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE", "write there instead of standard output"},
    {0},
};

/* What is held is a start value with its unit, too: NAME=VALUE joins those of --set. */
static zw_status join_holds(const cli_options *o, cli_options *joined, zw_context *ctx,
                            const char **names, zw_error *err) {
    zw_option_list *set = &joined->model.set;
    *joined = *o;
    for (int i = 0; i < o->hold.n; i++) {
        const char *item = o->hold.item[i];
        size_t length = strcspn(item, "=");
        char *name = zw_context_alloc(ctx, length + 1);
        if (!name)
            return zw_context_status(ctx, err);
        memcpy(name, item, length);
        while (length > 0 && name[length - 1] == ' ')
            name[--length] = '\0';
        names[i] = name;
        if (!strchr(item, '='))
            continue;
        if (set->n == ZW_OPTION_LIST_MAX)
            return zw_fail(err, ZW_E_OPTION, "more than %d values of --set and --hold",
                           ZW_OPTION_LIST_MAX);
        set->item[set->n++] = item;
    }
    return ZW_OK;
}

static zw_status write_out(const cli_options *o, const char *text, zw_error *err) {
    zw_out_file f;
    ZW_TRY(zw_out_begin(&f, o->out ? o->out : "-", NULL, err));
    fputs(text, f.stream);
    return zw_out_commit(&f, err);
}

static zw_status find(const cli_options *o, const cli_model *m, const char *const *names,
                      zw_error *err) {
    zw_equilibria_options options = zw_equilibria_options_default();
    zw_equilibria *e;
    options.by = o->by ? o->by : "lagrange";
    options.nhold = o->hold.n;
    options.hold = names;
    ZW_TRY(cli_place_write(o, o->out, err));
    ZW_TRY(zw_equilibria_create(&e, m->sys, &options, err));
    zw_status status = zw_equilibria_find(e, err);
    if (status >= 0) {
        char *text = o->json ? zw_equilibria_json(e) : zw_equilibria_text(e);
        status = text ? write_out(o, text, err) : zw_fail(err, ZW_E_MEMORY, "out of memory");
        zw_string_free(m->ctx, text);
    }
    zw_equilibria_destroy(e);
    return status;
}

static int run(const cli_options *o, const char *const *words, zw_error *err) {
    cli_model m = {0};
    cli_options joined;
    const char *names[ZW_OPTION_LIST_MAX];
    zw_context *ctx = zw_context_create(NULL);
    zw_status status =
        ctx ? join_holds(o, &joined, ctx, names, err) : zw_fail(err, ZW_E_MEMORY, "out of memory");
    if (status >= 0)
        status = cli_model_open(&m, words[0], &joined, err);
    if (status >= 0) {
        cli_tell_doubts(o, m.doubts, false);
        status = find(o, &m, names, err);
        status = cli_judge(o, m.doubts, status, err);
    }
    cli_model_close(&m);
    zw_context_destroy(ctx);
    return cli_exit_code(status);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"what is told", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {0},
};

const cli_command cli_equilibria = {
    .name = "equilibria",
    .usage = "equilibria MODEL [--hold NAME[=VALUE]] [--by PRINCIPLE] [--json] [--out FILE]",
    .about = "a steady motion near the start, and whether it is stable",
    .details =
        "Equilibria, and motions that look the same at all times to who moves along with a "
        "symmetry of\n"
        "the system: a disc that rolls in a circle, a top that precesses, in whatever coordinates. "
        "Tells the\n"
        "symmetries, the motion, its constraint forces, and the eigenvalues of small disturbances.",
    .examples =
        "  zwang equilibria models/double_pendulum.zw --set phi_1=0.1 --set phi_2=0\n"
        "  zwang equilibria models/rolling_disc.zw --hold \"alpha'=6 [rad/s]\" --hold beta=70deg\n"
        "  zwang equilibria models/tippedisk.zw --hold \"alpha'=40 [rad/s]\" --set gamma=90deg\n",
    .groups = groups,
    .arguments = 1,
    .run = run,
};
