/* SPDX-License-Identifier: MIT */
/* Linear equations in closed form: zwang linearise --symbolic. */
#include <string.h>
#include <unistd.h>

#include "cli/derive.h"
#include "cli/progress.h"
#include "linearise.h"

#define AT(field) offsetof(cli_options, field)

enum { NAMES_MAX = 64 };

const zw_option cli_symbolic_table[] = {
    {"symbolic", ZW_OPT_FLAG, AT(symbolic), 0, 0, 0, "", NULL,
     "matrices, characteristic polynomial and conditions of stability as formulas"},
    {"small", ZW_OPT_LIST, AT(small), 0, 0, 0, "", "NAME,...",
     "as --states; --taylor then disturbs these and their rates only"},
    {"numbers", ZW_OPT_LIST, AT(numbers), 0, 0, 0, "", "NAME,...",
     "parameters that stand with their values instead of their names"},
    {"for", ZW_OPT_STRING, AT(solve_for), 0, 0, 0, "", "NAME",
     "solve the conditions for this parameter where that can be done"},
    {"taylor", ZW_OPT_INT, AT(taylor), 0, 0, 5, "", NULL,
     "also the equations of motion up to this order about the motion"},
    {0},
};

/* "a, b" given several times */
static zw_status split_names(zw_context *ctx, const zw_option_list *list, const char *option,
                             const char **names, int *n, zw_error *err) {
    for (int i = 0; i < list->n; i++)
        for (const char *p = list->item[i]; *p;) {
            p += strspn(p, " ,");
            size_t length = strcspn(p, " ,");
            if (length == 0)
                continue;
            if (*n == NAMES_MAX)
                return zw_fail(err, ZW_E_OPTION, "more than %d names of --%s", NAMES_MAX, option);
            char *name = zw_context_alloc(ctx, length + 1);
            if (!name)
                return zw_context_status(ctx, err);
            memcpy(name, p, length);
            names[(*n)++] = name;
            p += length;
        }
    return ZW_OK;
}

static void show_progress(void *user, const char *what, double part) {
    (void)user;
    (void)what;
    cli_show_progress(NULL, part);
}

zw_status cli_symbolic_check(const cli_options *o, zw_error *err) {
    const char *alone = o->small.n     ? "small"
                        : o->numbers.n ? "numbers"
                        : o->solve_for ? "for"
                                       : NULL;
    if (!alone || o->symbolic || o->taylor > 0)
        return ZW_OK;
    zw_fail(err, ZW_E_OPTION, "--%s is about formulas", alone);
    zw_error_hint(err, "add --symbolic");
    return ZW_E_OPTION;
}

zw_status cli_symbolic_report(const cli_options *o, const cli_model *m,
                              zw_symbolic_options *options, int format, zw_error *err) {
    const char *names[NAMES_MAX], *numbers[NAMES_MAX];
    zw_symbolic *y;
    options->steady = o->motion ? "--at" : o->steady;
    options->keep = names;
    options->number = numbers;
    ZW_TRY(split_names(m->ctx, &o->chosen, "states", names, &options->nkeep, err));
    ZW_TRY(split_names(m->ctx, &o->small, "small", names, &options->nkeep, err));
    ZW_TRY(split_names(m->ctx, &o->numbers, "numbers", numbers, &options->nnumber, err));
    options->progress = show_progress;
    zw_status status = zw_symbolic_create(&y, m->sys, options, err);
    cli_end_progress();
    ZW_TRY(status);
    char *text = zw_symbolic_write(y, format == LINEARISE_JSON    ? ZW_SYMBOLIC_JSON
                                      : format == LINEARISE_LATEX ? ZW_SYMBOLIC_LATEX
                                                                  : ZW_SYMBOLIC_TEXT);
    status = cli_write_text(o->out, text, err);
    zw_string_free(m->ctx, text);
    zw_symbolic_destroy(y);
    return status;
}

zw_status cli_linearise_symbolic(const cli_options *o, const cli_steady *s, zw_error *err) {
    zw_symbolic_options options = zw_symbolic_options_default();
    int format = o->json ? LINEARISE_JSON : o->format;
    if (format == LINEARISE_CSV)
        return zw_fail(err, ZW_E_OPTION, "formulas are written as text, latex or json, not as csv");
    const char *numbers_only = o->hold.n      ? "hold"
                               : o->solve.n   ? "solve"
                               : o->inputs.n  ? "inputs"
                               : o->outputs.n ? "outputs"
                               : o->over      ? "over"
                               : o->bode      ? "bode"
                               : o->amplitude ? "amplitude"
                                              : NULL;
    if (numbers_only)
        return zw_fail(err, ZW_E_OPTION, "--%s is about numbers, not about formulas", numbers_only);
    ZW_TRY(cli_guard_write(o, o->out, err));
    options.by = s->options.by;
    options.order = o->taylor;
    options.parameter = o->solve_for;
    return cli_symbolic_report(o, &s->model, &options, format, err);
}
