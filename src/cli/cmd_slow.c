/* SPDX-License-Identifier: MIT */
/* Slow and fast: the slow manifold of a model, and the flow on it. */
#include <string.h>

#include "derive.h"
#include "job.h"

#define AT(field) offsetof(cli_options, field)

enum { FORMAT_TEXT, FORMAT_LATEX, FORMAT_JSON };

static const zw_option table[] = {
    {"eps", ZW_OPT_STRING, AT(slow.eps), 0, 0, 0, "", "NAME",
     "the small parameter, if not as the model says"},
    {"fast", ZW_OPT_LIST, AT(slow.fast), 0, 0, 0, "", "NAME",
     "what is fast, if not as the model says: a coordinate, a state, a velocity"},
    {"order", ZW_OPT_INT, AT(slow.order), 1, 0, ZW_MANIFOLD_ORDER_MOST, "", NULL,
     "of the expansion of the manifold"},
    {"format", ZW_OPT_CHOICE, AT(format), FORMAT_TEXT, 0, 0, "", "text|latex|json",
     "how formulas are written"},
    {"json", ZW_OPT_FLAG, AT(json), 0, 0, 0, "", NULL, "the same as --format json"},
    {"out", ZW_OPT_STRING, AT(out), 0, 0, 0, "", "FILE",
     ".zw: the flow on the manifold as a model; otherwise the formulas"},
    {0},
};

static bool ends_with(const char *path, const char *ending) {
    size_t n = path ? strlen(path) : 0, k = strlen(ending);
    return n >= k && strcmp(path + n - k, ending) == 0;
}

static zw_status write_formulas(const cli_options *o, const cli_model *m, const zw_manifold *s,
                                const char *path, zw_error *err) {
    static const zw_manifold_format formats[] = {ZW_MANIFOLD_TEXT, ZW_MANIFOLD_LATEX,
                                                 ZW_MANIFOLD_JSON};
    char *text = zw_manifold_write(s, o->json ? ZW_MANIFOLD_JSON : formats[o->format]);
    zw_status status =
        text ? cli_write_text(path, text, err) : zw_fail(err, ZW_E_MEMORY, "out of memory");
    zw_string_free(m->ctx, text);
    return status;
}

static zw_status write_model(const cli_options *o, const cli_model *m, const zw_manifold *s,
                             const char *path, zw_error *err) {
    char *text = zw_manifold_model(s, o->slow.order, path, err);
    if (!text)
        return err->status < 0 ? err->status : ZW_E_MEMORY;
    zw_status status = cli_write_text(o->out, text, err);
    zw_string_free(m->ctx, text);
    return status;
}

static zw_status work(const cli_options *o, const cli_model *m, const char *path, zw_error *err) {
    zw_manifold_options options = zw_manifold_options_default();
    zw_manifold *s;
    options.small = o->slow.eps;
    options.nfast = o->slow.fast.n;
    options.fast = o->slow.fast.item;
    options.order = o->slow.order;
    ZW_TRY(zw_manifold_create(&s, m->sys, &options, err));
    bool model = ends_with(o->out, ".zw");
    zw_status status = model ? write_model(o, m, s, path, err) : ZW_OK;
    if (status >= 0)
        status = write_formulas(o, m, s, model ? NULL : o->out, err);
    zw_manifold_destroy(s);
    return status;
}

static int run(const cli_options *o, const char *const *words, zw_error *err) {
    cli_model model = {0};
    cli_options reading = *o;
    reading.model.constants = true;
    zw_status status = cli_place_write(o, o->out, err);
    if (status >= 0)
        status = cli_model_open(&model, words[0], &reading, err);
    if (status >= 0) {
        cli_tell_doubts(o, model.doubts, false);
        status = work(o, &model, words[0], err);
    }
    status = cli_judge(o, model.doubts, status, err);
    cli_model_close(&model);
    return cli_exit_code(status);
}

static const cli_group groups[] = {
    {"options", table, 0},
    {"what is told", cli_told_table, 0},
    {"model", cli_model_table, offsetof(cli_options, model)},
    {0},
};

const cli_command cli_slow = {
    .name = "slow",
    .usage = "slow MODEL [--eps NAME] [--fast NAME] [--order K] [--format text|latex|json] [--out FILE]",
    .about = "slow and fast: the slow manifold of a model, and the flow on it",
    .details =
        "A model x' = f(x, y), eps y' = g(x, y) with a small parameter eps has, where dg/dy has no eigenvalue on the\n"
        "imaginary axis, a manifold y = h_0(x) + eps h_1(x) + ... on which the motion is slow. Its parts as formulas, and the\n"
        "flow on it as a model that is read and analysed as any other. What is fast is said in the model, slow-fast eps : fast\n"
        "beta', or by --eps and --fast.",
    .examples = "  zwang slow models/tippedisk_reduced.zw --variant linear\n"
                "  zwang slow models/tippedisk_reduced.zw --variant linear --order 2 --out reduced.zw\n",
    .groups = groups,
    .arguments = 1,
    .run = run,
};
